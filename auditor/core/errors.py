"""Bad input: one line that names the thing and the remedy."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, cast

_PACKAGES = tuple(f"{Path(__file__).parents[2] / name}/" for name in ("auditor", "reference"))

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


LONGEST_TEXT = 1000
"""Characters of an exception's message that are shown at most."""


def one_line(error: BaseException, *, quoted: bool = True) -> str:
    """Return an exception as one line: its type and the first line of its message, escaped.

    Without the message unless it may be ``quoted``, or if making its text fails.
    """
    name = class_name(error)
    if not quoted:
        return f"{visible(name)} {UNQUOTED}"
    try:
        lines = str(error).strip()[:LONGEST_TEXT].splitlines()
    except BaseException as problem:  # the class of the error may be anybody's
        pass_interrupts(problem)
        lines = [UNTOLD]
    return visible(f"{name}: {lines[0]}" if lines else name)


# ------------------------------------------------------------------- exceptions of foreign code


def pass_interrupts(error: BaseException, *ours: type[BaseException]) -> None:
    """Raise an exception again unless it is one that foreign code has raised by itself.

    For ``except BaseException``: an exception of a mechanism is an output, whatever its class.

    Parameters
    ----------
    error : BaseException
        What was caught. Interrupts, and what tells pytest to skip or fail a test, are raised again.
    *ours : type
        Classes of exceptions by which the lines of this project say something through foreign code,
        such as a ledger through a mechanism. They are raised again if these lines raised them.
    """
    kind = type(error)  # not what the object says of its class
    outcomes = getattr(sys.modules.get("_pytest.outcomes"), "OutcomeException", KeyboardInterrupt)
    if issubclass(kind, (KeyboardInterrupt, outcomes)):
        raise error
    if issubclass(kind, ours) and origin(error)[0].startswith(_PACKAGES):
        raise error


def class_name(value: Any) -> str:
    """Return the name of the class of a value, whatever its metaclass says."""
    return cast("str", type.__dict__["__name__"].__get__(type(value)))


def trace_of(error: BaseException) -> TracebackType | None:
    """Return the traceback of an exception, whatever its class says."""
    return cast("TracebackType | None", BaseException.__dict__["__traceback__"].__get__(error))


def origin(error: BaseException) -> tuple[str, int]:
    """Return the file and the line that raised an exception; ("", 0) if it was never raised."""
    trace = trace_of(error)
    if trace is None:
        return "", 0
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename, trace.tb_lineno
