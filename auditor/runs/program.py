"""A running program that answers requests, one line each; started again after it has failed."""

from __future__ import annotations

import os
import re
import selectors
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock

from auditor.core.errors import InputError
from auditor.runs.kept_process import Kept, ending

LONGEST_LINE = 2**26
TIMEOUT = "timeout"
_CHUNK = 2**16
_SEVERAL_LINES = (
    "the program wrote more than one line for a request; it must print nothing but its answers "
    "(messages go to standard error)"
)


class Failed(Exception):
    """A request was not answered, or answered with an error.

    Parameters
    ----------
    name : str
        Of the outcome: ``"exit code 3"``, ``"signal SIGSEGV"``, ``"timeout"``, ``"error: ..."``.
    detail : str
        The same, with the end of what the program wrote to standard error.
    """

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(detail)
        self.name = name
        self.detail = detail


class ProgramProcess:
    """A program, started when first asked and again after every failure.

    Parameters
    ----------
    arguments : list of str
    quoted : bool
        Whether what it writes to standard error may be told: it may quote the data.

    Attributes
    ----------
    answered : int
        Requests answered since it was started.
    """

    def __init__(self, arguments: list[str], *, quoted: bool = True) -> None:
        self.answered = 0
        self._arguments = arguments
        self._quoted = quoted
        self._process: Kept | None = None
        self._selector = selectors.DefaultSelector()
        self._errors = b""
        self._lock = Lock()
        self._killed = False

    def ask(self, request: bytes, timeout: float) -> bytes:
        """Return the line with which the program answers a line.

        Raises
        ------
        Failed
            If it ends or does not answer in time; it has then been killed.
        InputError
            If it cannot be started, or answers with several lines or one that is too long.
        """
        if self._process is None:
            self._start()
        deadline = time.monotonic() + timeout
        line, unsent = bytearray(), memoryview(request)
        if self._read("stdout"):
            raise InputError(_SEVERAL_LINES)
        while b"\n" not in line[-_CHUNK:]:
            unsent = self._write(unsent)
            line += self._next(deadline, timeout, writing=len(unsent) > 0)
            if len(line) > LONGEST_LINE:
                raise InputError(
                    f"the program wrote a line of more than {LONGEST_LINE >> 20} MiB; it must "
                    "answer every request with one line"
                )
        if line.index(b"\n") < len(line) - 1:
            raise InputError(_SEVERAL_LINES)
        self.answered += 1
        return bytes(line)

    def _start(self) -> None:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with self._lock:
            if self._killed:
                raise RuntimeError("the program has been killed")
            try:
                self._process = Kept(self._arguments, bufsize=0, **pipes)
            except OSError as error:
                raise InputError(
                    f"the program {self._arguments[0]!r} cannot be started ({error.strerror})"
                ) from None
        for name in ("stdin", "stdout", "stderr"):
            os.set_blocking(self._descriptor(name), False)
        for name in ("stdout", "stderr"):
            self._selector.register(self._descriptor(name), selectors.EVENT_READ, name)
        self._errors = b""

    def _descriptor(self, name: str) -> int:
        assert self._process is not None
        descriptor: int = getattr(self._process.popen, name).fileno()
        return descriptor

    def _read(self, name: str) -> bytes | None:
        """Return what is there to be read, empty at the end of the stream, ``None`` if nothing."""
        try:
            return os.read(self._descriptor(name), _CHUNK)
        except BlockingIOError:
            return None

    def _write(self, unsent: memoryview) -> memoryview:
        """Write as much as the program takes now; return the rest."""
        try:
            while unsent:
                unsent = unsent[os.write(self._descriptor("stdin"), unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # it has ended or will not read on; its answer says which
            return unsent[:0]
        return unsent

    def _next(self, deadline: float, timeout: float, *, writing: bool) -> bytes:
        """Return what the program has written, or nothing if it takes more input instead."""
        if writing:
            self._selector.register(self._descriptor("stdin"), selectors.EVENT_WRITE, "stdin")
        ready = {key.data for key, _ in self._selector.select(deadline - time.monotonic())}
        if writing:
            self._selector.unregister(self._descriptor("stdin"))
        if "stderr" in ready:
            self._keep_errors()
        chunk = self._read("stdout") if "stdout" in ready else None
        if chunk == b"":
            raise self._ended()
        # a line that goes on and on is no answer, however fast it comes
        if b"\n" not in (chunk or b"") and time.monotonic() >= deadline:
            self._keep_errors()
            self.stop()
            raise Failed(TIMEOUT, f"no answer within {timeout:g} s{self._last_words()}")
        return chunk or b""

    def _keep_errors(self) -> None:
        chunk = self._read("stderr")
        if chunk == b"":
            with suppress(KeyError):
                self._selector.unregister(self._descriptor("stderr"))
        self._errors = (self._errors + (chunk or b""))[-_CHUNK:]

    def _ended(self) -> Failed:
        assert self._process is not None
        try:
            how = ending(self._process.popen.wait(timeout=1))
        except subprocess.TimeoutExpired:
            how = "it closed its output"
        self._keep_errors()
        self.stop()
        return Failed(how, f"{how}{self._last_words()}")

    def _last_words(self) -> str:
        lines = [line.strip() for line in self._errors.decode(errors="replace").split("\n")]
        last = _telling([line for line in lines if line])
        if not last:
            return ""
        if not self._quoted:
            return "; its last words, which may quote records, are not shown"
        return f"; its last words: {shortened(last)}"

    def stop(self) -> None:
        """Kill the program and what it has started; the next request starts it afresh."""
        if self._process is None:
            return
        with self._lock:
            self._process.stop()
        self._selector.close()
        self._selector = selectors.DefaultSelector()
        popen = self._process.popen
        for stream in (popen.stdin, popen.stdout, popen.stderr):
            if stream is not None:
                stream.close()
        self._process = None
        self.answered = 0

    def kill(self) -> None:
        """End the program at once, for good."""
        with self._lock:
            self._killed = True
            if self._process is not None:
                self._process.kill()

    close = stop


def shortened(text: str) -> str:
    """Return the beginning of a text that is too long to be shown."""
    return text if len(text) <= 200 else text[:200] + "..."


_NAMES_AN_ERROR = re.compile(r"(?:[\w.]*(?:Error|Exception)\b|panic|fatal|Uncaught)")


def _telling(lines: Sequence[str]) -> str:
    """Return the last line that names an error; a runtime's banner may follow it. Else the last."""
    named = [line for line in lines if _NAMES_AN_ERROR.match(line)]
    return next(iter(reversed(named or lines)), "")
