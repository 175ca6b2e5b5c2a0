"""How the mechanisms of chapter 2 are audited."""
