"""Checks of a caller's arguments: one line that names the argument, its value and what is allowed.

Shared by all calls of :mod:`auditor`, so that the same bad value has the same message everywhere.
"""

from __future__ import annotations

import shlex
from itertools import islice
from typing import Any

import numpy as np

from auditor.core.errors import InputError, class_name, pass_interrupts
from auditor.core.input_limits import MOST_SECONDS, MOST_SEED, MOST_WORKERS

MOST_WORDS = 100_000
"""Words of a command; a system takes no longer one."""


def shown(value: Any) -> str:
    """Return a value in at most 60 characters, for a message; never raises."""
    try:
        return _shown(value)
    except BaseException as error:  # too deep, too long, or of a class with no text
        pass_interrupts(error)
        return f"a value of type {class_name(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, (bool, float, complex)) or value is None:
        return repr(value)
    if isinstance(value, (int, np.integer)):  # Python prints no integer of 5,000 digits
        return str(value) if abs(int(value)) < 10**60 else "a number of more than 60 digits"
    if isinstance(value, (str, bytes, list, tuple)):
        text = repr(value)
        return text if len(text) <= 60 else f"{text[:57]}..."
    return f"a value of type {class_name(value)}"


def require_whole(name: str, value: Any, least: int, most: int, *, why: str = "") -> int:
    """Return a whole number in a range; raise InputError otherwise.

    Parameters
    ----------
    name : str
    value : Any
    least, most : int
    why : str
        What the message says of the range.
    """
    number = _own_number(value)
    if not isinstance(number, int) or not least <= number <= most:
        raise InputError(
            f"{name} must be a whole number from {least} to {most}{why}, got {shown(value)}"
        )
    return number


def require_number(
    name: str, value: Any, low: float, high: float, *, ends: str = "[]", words: str = ""
) -> float:
    """Return a number in an interval; raise InputError otherwise.

    Parameters
    ----------
    name : str
    value : Any
    low, high : float
    ends : {"[]", "[)", "(]", "()"}
        Which ends the interval includes.
    words : str
        What kind of number, for the message.
    """
    number = _own_number(value)
    inside = (
        number is not None
        and (low <= number if ends[0] == "[" else low < number)
        and (number <= high if ends[1] == "]" else number < high)
    )
    if not inside:
        interval = f"{ends[0]}{low:g}, {high:g}{ends[1]}"
        raise InputError(f"{name} must be {words}in {interval}, got {shown(value)}")
    assert number is not None
    return float(number)


def _own_number(value: Any) -> int | float | np.floating[Any] | None:
    """Return a number as one of Python's, whatever its class says of it; None if it is none."""
    kind = type(value)
    if issubclass(kind, bool):
        return None
    if issubclass(kind, int):
        return int.__pos__(value)
    if issubclass(kind, float):
        return float.__pos__(value)
    if issubclass(kind, np.integer):
        return int(value)
    return value if issubclass(kind, np.floating) else None


def require_choice(name: str, value: Any, choices: tuple[str, ...], *, optional: bool) -> None:
    """Raise InputError unless a word is one of some, or ``None`` where it is ``optional``."""
    if (value is None and optional) or (isinstance(value, str) and value in choices):
        return
    words = ", ".join(map(repr, choices))
    raise InputError(f"{name} must be one of {words}, got {shown(value)}")


def require_items(name: str, value: Any, most: int, *, words: str) -> list[Any]:
    """Return the items of a list, an array or the like; raise InputError if there are too many.

    Parameters
    ----------
    name : str
    value : Any
    most : int
        How many there may be. Those of a list or a tuple are Python's own, whatever its class says.
    words : str
        What the value must be, for the message.
    """
    kind = type(value)
    own = next((base for base in (list, tuple) if issubclass(kind, base)), None)
    items: list[Any] | None = None
    try:
        if own is not None or not issubclass(kind, (str, bytes, dict, set)):
            items = [*islice(iter(value) if own is None else own.__iter__(value), most + 1)]
    except BaseException as error:  # of whatever class it is
        pass_interrupts(error)
    if items is None or len(items) > most:
        raise InputError(f"{name} must be {words}, got {shown(value)}")
    return items


def require_pair(value: Any) -> tuple[Any, Any]:
    """Return two data sets; raise InputError if a value is anything else."""
    items = require_items("pair", value, 2, words="two data sets, (D, D')")
    if len(items) != 2:
        raise InputError("pair must be two data sets, (D, D')")
    return items[0], items[1]


def require_words(name: str, value: Any, *, words: str) -> list[str]:
    """Return the words of a command line or of a list; raise InputError if they are none."""
    try:
        if isinstance(value, str):
            return shlex.split(value)
    except ValueError as error:  # an open quotation mark
        raise InputError(f"{name} {shown(value)} cannot be split ({error})") from None
    found = require_items(name, value, MOST_WORDS, words=words)
    if not all(isinstance(word, str) for word in found):
        raise InputError(f"{name} must be {words}, got {shown(value)}")
    return found


def require_flag(name: str, value: Any) -> None:
    """Raise InputError unless a value is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} must be True or False, got {shown(value)}")


def require_callable(name: str, value: Any, example: str) -> None:
    """Raise InputError unless a value is ``None`` or can be called."""
    if value is not None and not callable(value):
        raise InputError(f"{name} must be callable, {example}, got {shown(value)}")


def require_seed(value: Any, name: str = "seed") -> int:
    """Return a seed; raise InputError unless it is a whole number that a generator takes."""
    return require_whole(name, value, 0, MOST_SEED)


def require_workers(value: Any) -> int:
    """Return a number of processes; raise InputError unless it is a sensible one."""
    return require_whole("workers", value, 1, MOST_WORKERS)


def require_seconds(name: str, value: Any, *, optional: bool = True) -> None:
    """Raise InputError unless a time limit is a sensible number of seconds, or perhaps ``None``."""
    if value is None and optional:
        return
    require_number(name, value, 0, MOST_SECONDS, ends="(]", words="a number of seconds ")


def require_confidence(value: Any) -> float:
    """Return 1 - confidence; raise InputError unless the confidence is in [0.5, 1)."""
    # below one half a verdict would be wrong more often than right
    return 1 - require_number("confidence", value, 0.5, 1, ends="[)")
