"""How the local family (dissertation 5.1, 5.2) is audited."""
