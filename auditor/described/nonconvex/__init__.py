"""The non-convex family (Wang (2020), chapter 4): audit and settings."""
