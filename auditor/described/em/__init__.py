"""The EM family: audit and settings."""
