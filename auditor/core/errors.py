"""Bad input: one line that names the thing and the remedy."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input from the user; the command line prints it as one line and exits with status 2."""


def one_line(error: BaseException) -> str:
    """Return an exception as one line: its type and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
