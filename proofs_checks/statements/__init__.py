"""The statements, one module per chapter or algorithm family."""
