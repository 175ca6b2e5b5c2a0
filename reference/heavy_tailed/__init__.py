"""Heavy-tailed means and stochastic convex optimisation (seed 003 and dissertation 3.2)."""
