"""Heavy-tailed means and stochastic convex optimisation.

Hu, Ni, Xiao and Wang (2022); Wang (2020), section 3.2.
"""
