"""The local family (Wang (2020), sections 5.1 and 5.2): audit and settings."""
