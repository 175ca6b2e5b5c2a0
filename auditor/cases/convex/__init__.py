"""How the convex family (dissertation chapter 3) is audited."""
