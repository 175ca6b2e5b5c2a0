"""The mechanisms of chapter 2: audit and settings."""
