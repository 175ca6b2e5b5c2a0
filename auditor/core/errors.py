"""Bad input: one line that names the thing and the remedy."""

from __future__ import annotations

import re

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but tabs and line ends, what turns the direction of text, lone surrogates."""


def visible(text: str) -> str:
    r"""Return a text with its control characters escaped, so that a terminal obeys none of them.

    Examples
    --------
    >>> visible("\x1b[2J")
    '\\x1b[2J'
    """
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class InputError(ValueError):
    """Bad input from the user; the command line prints it as one line and exits with status 2.

    Parameters
    ----------
    message : str
        Control characters in it are escaped: it may quote what a mechanism says.
    """

    def __init__(self, message: str) -> None:
        super().__init__(visible(message))


def one_line(error: BaseException) -> str:
    """Return an exception as one line: its type and the first line of its message, escaped."""
    lines = str(error).strip().splitlines()
    name = type(error).__name__
    return visible(f"{name}: {lines[0]}" if lines else name)
