"""How the non-convex family (Wang (2020), chapter 4) is audited."""
