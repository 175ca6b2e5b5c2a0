"""How the high-dimensional DP-EM algorithms (seed 002) are audited."""
