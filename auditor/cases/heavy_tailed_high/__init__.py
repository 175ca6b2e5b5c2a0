"""How the heavy-tailed algorithms are audited."""
