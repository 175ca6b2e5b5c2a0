"""How the non-convex family (dissertation chapter 4) is audited."""
