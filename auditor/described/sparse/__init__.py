"""How the sparse family is audited."""
