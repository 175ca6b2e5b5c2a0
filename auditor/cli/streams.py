"""Standard streams that neither a closed end nor a missing symbol can break."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO


class _Pipe(io.FileIO):
    """A file whose reader may go away: what is then written is dropped."""

    def write(self, content: Any) -> int:
        """Write, or drop where nobody reads: a command ends as it would have ended anyway."""
        try:
            return super().write(content)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return len(content)


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
