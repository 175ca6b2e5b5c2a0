"""Formulas in plain text, such as ``sum_{i<=n} x_i^2 <= sigma^2``, as they are typeset."""
