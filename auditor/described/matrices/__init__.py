"""The matrix family (Wang (2020), chapter 6): audit and settings."""
