"""Private expectation-maximisation (seeds 000, 001, 002 and dissertation 7.2)."""
