"""Files that somebody gives: what they hold, or one plain reason why they cannot be read.

JSON from elsewhere is read by :func:`parse_json` alone. What it lets through can be compared,
printed, and written again: every number is a finite double, every text is text, no key is there
twice, and nothing is nested deeper than a recursive function can go.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditor.core.errors import one_line

CANNOT_BE_READ = (OSError, ValueError, EOFError, RecursionError)
"""Exceptions of reading and parsing a file."""


DEEPEST = 64
"""Levels of nesting that JSON may have; our own files have fewer than twenty."""

LONGEST_INTEGER = 309
"""Digits of an integer; those that no double can hold have as many, or more."""


def read_text(path: Path) -> str:
    """Return the text of a file; as of :func:`require_file`."""
    require_file(path)
    return path.read_text(encoding="utf-8")


def read_json(path: Path) -> Any:
    """Return what a JSON file says; as of :func:`parse_json`.

    Raises
    ------
    OSError, ValueError, RecursionError
        Of which :func:`why_unreadable` says what is wrong.
    """
    return parse_json(read_text(path))


def parse_json(written: str | bytes) -> Any:
    """Return what JSON from elsewhere says.

    Raises
    ------
    ValueError, RecursionError
        If it is no JSON in UTF-8, names NaN or an infinity without quotes, has a number beyond the
        doubles, a key twice in an object, half a surrogate pair in a text, or more than
        :data:`DEEPEST` levels. :func:`why_unreadable` says which.

    Examples
    --------
    >>> parse_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    """
    text = written if isinstance(written, str) else written.decode("utf-8")
    found = json.loads(
        text,
        object_pairs_hook=_each_once,
        parse_constant=_no_number,
        parse_float=_finite,
        parse_int=_small,
    )
    _require_shallow(found)
    if "\\u" in text:  # the only way in for half a pair
        _require_text(found)
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"it has the key {twice[:40]!r} twice")
    return found


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits[:20]} is beyond the doubles")
    return number


def _small(digits: str) -> int:
    if len(digits) >= LONGEST_INTEGER:
        _finite(digits)
    return int(digits)


def _require_shallow(value: Any) -> None:
    """Raise RecursionError if a value is nested too deeply."""
    level = [value] if isinstance(value, (list, dict)) else []
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return
    raise RecursionError


def _inside(value: list[Any] | dict[str, Any]) -> Iterator[list[Any] | dict[str, Any]]:
    """Yield the lists and objects in a list or an object."""
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, (list, dict)):
            yield inner


def _require_text(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("it has half a surrogate pair, which is no character") from None


def require_file(path: Path) -> None:
    """Raise OSError or ValueError unless a path is a file that ends; devices and pipes need not."""
    if path.is_dir():
        raise IsADirectoryError
    if path.exists() and not path.is_file():
        raise ValueError("it is no regular file")


def why_unreadable(error: BaseException) -> str:
    """Return in plain words why a file could not be read.

    Parameters
    ----------
    error : Exception
        One of :data:`CANNOT_BE_READ`.

    Examples
    --------
    >>> why_unreadable(FileNotFoundError(2, "No such file or directory"))
    'there is no such file'
    """
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it is no text in UTF-8"
    if isinstance(error, json.JSONDecodeError):
        if not error.doc.strip():
            return "it is empty"
        return f"it is no JSON, line {error.lineno}, column {error.colno}: {error.msg}"
    if isinstance(error, EOFError):
        return "it is empty"
    if isinstance(error, OSError):
        return (error.strerror or one_line(error)).lower()
    # what is raised here or in another library's words
    return str(error).partition("\n")[0] or one_line(error)
