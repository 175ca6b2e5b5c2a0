"""Files that somebody gives: what they hold, or one plain reason why they cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from auditor.core.errors import one_line

CANNOT_BE_READ = (OSError, ValueError, EOFError, RecursionError)
"""What reading a file, and making something of it, raises."""


def read_text(path: Path) -> str:
    """Return the text of a file; as of :func:`require_file`."""
    require_file(path)
    return path.read_text(encoding="utf-8")


def read_json(path: Path) -> Any:
    """Return what a JSON file says.

    Raises
    ------
    OSError, ValueError, RecursionError
        Of which :func:`why_unreadable` says what is wrong.
    """
    return json.loads(read_text(path))


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
