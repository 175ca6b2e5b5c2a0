"""What the cases of the algorithms are made from, a module per family."""
