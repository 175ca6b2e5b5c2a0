"""How the EM family is audited."""
