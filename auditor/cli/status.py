"""Exit statuses, the same for every command."""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """Exit statuses of a command."""

    FINE = 0
    UNEXPECTED = 1
    """Something is violated, unexpected, or does not show again."""
    BAD_INPUT = 2
    INTERNAL_ERROR = 3
    """The command itself failed, which says nothing about what it was asked."""
    INCONCLUSIVE = 4
    """Too little ran, or could run, to tell."""
    INTERRUPTED = 130


IN_WORDS = (
    "0 nothing unexpected, 1 violated or unexpected, 2 bad input, 3 internal error, "
    "4 inconclusive, 130 interrupted"
)
