"""Bad input: one line that names the thing and the remedy."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

RAISED = (Exception, SystemExit, GeneratorExit, BaseExceptionGroup)
"""Exceptions of foreign code that its caller catches; interrupts and time limits pass."""

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but tabs and line ends, separators of lines and paragraphs, what turns the
direction of text, lone surrogates."""


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


class WorkerKilledError(InputError):
    """A process that shared the work was killed, by somebody else or by the system."""

    def __init__(self) -> None:
        super().__init__(
            "a worker process was killed, perhaps for want of memory; fewer --workers need less"
        )


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean A or B?" of the known words that are most like one; "" if none is.

    Examples
    --------
    >>> did_you_mean("000 thm 4", ["000 Theorem 4", "002 Lemma 3.1"])
    '; did you mean 000 Theorem 4?'
    """
    folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), folded)
    return f"; did you mean {' or '.join(folded[name] for name in near)}?" if near else ""


class InternalError(RuntimeError):
    """The project itself failed, perhaps in another process; the message is one line.

    The command line exits with status 3.
    """


UNQUOTED = "(its text, which may quote records, is not shown)"
UNTOLD = "(its text cannot be made)"


def one_line(error: BaseException, *, quoted: bool = True) -> str:
    """Return an exception as one line: its type and the first line of its message, escaped.

    Without the message unless it may be ``quoted``, or if making its text fails.
    """
    name = type(error).__name__
    if not quoted:
        return f"{visible(name)} {UNQUOTED}"
    try:
        lines = str(error).strip().splitlines()
    except RAISED:  # the class of the error may be anybody's
        lines = [UNTOLD]
    return visible(f"{name}: {lines[0]}" if lines else name)
