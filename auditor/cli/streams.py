"""Standard streams that neither a closed end nor a missing symbol can break."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO

from auditor.core.errors import InputError


class _Pipe(io.FileIO):
    """A file whose reader may go away, or whose disk may be full."""

    def write(self, content: Any) -> int:
        """Write, or drop where nobody reads: a command ends as it would have ended anyway.

        Raises
        ------
        InputError
            If standard output cannot be written for another reason.
        """
        try:
            return super().write(content)
        except OSError as error:
            broken = isinstance(error, BrokenPipeError)
            ours = self.fileno()
            os.dup2(os.open(os.devnull, os.O_WRONLY), ours)
            if broken or ours != 1:
                return len(content)
            raise InputError(f"standard output cannot be written: {error.strerror}") from None


def lasting(stream: TextIO | None, descriptor: int) -> TextIO:
    """Return a standard stream that no closed end and no missing symbol can break."""
    if stream is None:  # closed by the shell, as by >&-
        null = os.open(os.devnull, os.O_WRONLY)
        os.set_inheritable(null, True)
        return open(null, "w", encoding="utf-8")
    if stream not in (sys.__stdout__, sys.__stderr__) or not isinstance(stream, io.TextIOWrapper):
        return stream  # a caller's own
    raw = io.BufferedWriter(_Pipe(descriptor, "w", closefd=False))
    # a terminal that lacks a symbol gets a question mark, not a crash
    return io.TextIOWrapper(
        raw, encoding=stream.encoding, errors="replace", line_buffering=stream.line_buffering
    )
