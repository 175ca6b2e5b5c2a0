"""How the matrix family (dissertation chapter 6) is audited."""
