"""The numbers that an algorithm's code computes, as formulas: read from its source, typeset."""
