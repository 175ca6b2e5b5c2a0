"""How the convex family (Wang (2020), chapter 3) is audited."""
