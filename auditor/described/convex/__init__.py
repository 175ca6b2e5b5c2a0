"""The convex family (Wang (2020), chapter 3): audit and settings."""
