"""A process that ends, with all that it has started, when it is stopped or this one ends."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from auditor.core.errors import InputError

SUBREAPER = Path(__file__).with_name("subreaper.py")
STOP_SECONDS = 5.0
"""A subreaper that has not ended everything by then is killed itself."""


class Kept:
    """A process that ends, with all that it has started, when it is stopped or this one ends.

    It has a subreaper of its own, see :mod:`auditor.runs.subreaper`: a program that hangs does not
    notice that nobody is there any more.

    Parameters
    ----------
    arguments : list of str
    **options
        Of :class:`subprocess.Popen`.

    Attributes
    ----------
    popen : subprocess.Popen
        The subreaper, which has the streams of the process and ends as it does.

    Raises
    ------
    OSError
        If the program cannot be started.
    InputError
        Elsewhere than on POSIX systems.
    """

    def __init__(self, arguments: list[str], **options: Any) -> None:
        if os.name != "posix":
            raise InputError("child processes need a POSIX system; use workers=1 and no time limit")
        self._control, theirs = socket.socketpair()
        descriptor = theirs.fileno()
        try:
            self.popen: subprocess.Popen[bytes] = subprocess.Popen(
                [sys.executable, "-I", "-S", str(SUBREAPER), str(descriptor), *arguments],
                start_new_session=True,
                pass_fds=[descriptor, *options.pop("pass_fds", ())],
                **options,
            )
        finally:
            theirs.close()
        number = int(self._control.makefile().readline() or errno.ENOEXEC)
        if number:
            self.stop()
            for stream in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
                if stream is not None:
                    stream.close()
            raise OSError(number, os.strerror(number))

    def kill(self) -> None:
        """Let the subreaper end everything; do not wait."""
        with suppress(OSError):
            self._control.send(b"x")

    def stop(self) -> None:
        """End everything and wait until it has ended."""
        self.kill()
        try:
            self.popen.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
        self._control.close()


def ending(code: int) -> str:
    """Return a process's return code in words: "exit code 3" or "signal SIGSEGV"."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
