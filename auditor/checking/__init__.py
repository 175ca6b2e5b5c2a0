"""Check any mechanism: a black box, a program, or code that releases through a ledger."""
