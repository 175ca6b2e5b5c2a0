"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun."""
    return f"{number} {one if number == 1 else many}"
