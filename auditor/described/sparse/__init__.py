"""The sparse family: audit and settings."""
