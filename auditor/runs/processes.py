"""Child processes that are asked one thing at a time, can be killed, and are never left behind."""

from __future__ import annotations

import io
import os
import pickle  # of what this process sends; what a child sends is never unpickled
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any, Concatenate, ParamSpec

import cloudpickle  # type: ignore[import-untyped]

from auditor.core.errors import InputError, one_line
from auditor.runs.clock import Clock
from auditor.runs.kept_process import Kept, ending
from auditor.runs.wire import Malformed, Messages, decode, encode, require, send

Rest = ParamSpec("Rest")

Alive = Callable[[int | None], None]
"""A sign of life: how many runs are finished; ``None`` lifts the time limit from here on."""

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Died(InputError):
    """A child process ended while it was asked something.

    Parameters
    ----------
    how : str
        ``"exit code 3"`` or ``"signal SIGSEGV"``.
    done : int
        Runs that it had reported finished.
    """

    def __init__(self, how: str, done: int) -> None:
        super().__init__(
            f"the mechanism ended its process ({how}); make it return an output, or raise an "
            "exception, which counts as one"
        )
        self.how = how
        self.done = done


class Hung(Exception):
    """A child process gave no sign of life within the time limit.

    Parameters
    ----------
    done : int
        Runs that it had reported finished.
    """

    def __init__(self, done: int) -> None:
        super().__init__(f"no sign of life after {done} runs")
        self.done = done


class Child:
    """A Python process that holds one object at a time and applies functions to it.

    It starts afresh (nothing is forked) with this process's search path; functions and classes
    that cannot be imported there travel by value. What it prints goes to standard error.

    It is sent pickles and answers with plain data, see :mod:`auditor.runs.wire`: what it runs may
    forge an answer, so none is trusted to be more than that.

    Parameters
    ----------
    one_thread : bool
        Whether linear algebra is to use one thread, because there are other children.
    """

    def __init__(self, *, one_thread: bool) -> None:
        self._connection, theirs = socket.socketpair()
        self._messages = Messages(self._connection.fileno())
        descriptor = theirs.fileno()
        script = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from auditor.runs.processes import serve; serve({descriptor})"
        )
        # sets of strings are in the same order in all children
        defaults = {"PYTHONHASHSEED": "0"}
        if one_thread:
            defaults |= dict.fromkeys(THREAD_VARIABLES, "1")
        self._process = Kept(
            [sys.executable, "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=2,
            pass_fds=[descriptor],
            env={**defaults, **os.environ},
        )
        theirs.close()
        self._target: Any = None
        self._introduced = False
        self._asked = 0
        self._by_value: set[str] = set()

    def call(
        self,
        target: Any,
        function: Callable[Concatenate[Any, Alive, Rest], Any],
        limit: float | None,
        clock: Clock,
        *args: Rest.args,
        **kwargs: Rest.kwargs,
    ) -> Any:
        """Return ``function(target, alive, *args, **kwargs)``, computed by the child.

        The caller must check that the answer is what it has asked for.

        Parameters
        ----------
        target : object
            Sent unless it is what the child was given last.
        function : callable
            Calls ``alive`` now and then, and returns plain data.
        limit : float or None
            Seconds between two signs of life. Loading what was sent does not count.
        clock : Clock
            Ends the call, and is told how many runs are finished.

        Raises
        ------
        Died, Hung
        OutOfTime
            When the time of ``clock`` is up.
        InputError
            If the function or an argument cannot be sent, or the answer is none.
        """
        if not self._introduced or self._target is not target:
            self._exchange(("hold", target), None, clock)
            self._target, self._introduced = target, True
        return self._exchange(("call", function, args, kwargs), limit, clock)

    def _exchange(self, message: Any, limit: float | None, clock: Clock) -> Any:
        try:
            return self._answer(message, limit, clock)
        except Malformed:
            raise InputError(FORGED) from None

    def _answer(self, message: Any, limit: float | None, clock: Clock) -> Any:
        self._send(message)
        now, done, count = None, 0, clock.counting()
        while True:
            kind, value = self._receive(now, clock, done)
            if kind == "alive":
                require(value is None or (type(value) is int and value >= 0))
                now = None if value is None else limit
                if value is not None:
                    done = value
                    count(done)
            elif kind == "unknown module":
                self._send_by_value(value)
                self._send(message)
            elif kind in FAILURES:
                require(type(value) is str)
                raise FAILURES[kind](value)
            else:
                require(kind == "result")
                return value

    def _send_by_value(self, name: Any) -> None:
        """Send what is defined in a module by value from now on."""
        require(type(name) is str)
        module = sys.modules.get(name)
        if module is None or name in self._by_value:
            raise InputError(
                f"a child process finds no module {name!r}; install it, or use workers=1 and no "
                "time limit"
            )
        self._by_value.add(name)
        cloudpickle.register_pickle_by_value(module)

    def _send(self, message: Any) -> None:
        self._asked += 1
        try:
            sent = _pickled(message)
        except Exception as error:
            raise InputError(
                f"the mechanism or its data cannot be sent to another process ({one_line(error)}); "
                "use workers=1 and no time limit"
            ) from error
        try:
            send(self._connection.fileno(), sent)
        except OSError:
            raise self._death(0) from None

    def _receive(self, limit: float | None, clock: Clock, done: int) -> tuple[str, Any]:
        end = float("inf") if limit is None else time.monotonic() + limit
        try:
            while True:
                # the end of a process goes unnoticed if one that it started holds its end open
                pause = max(0.0, min(0.5, end - time.monotonic(), clock.left))
                ended = self._process.popen.poll() is not None
                message = self._messages.next(pause)
                if message is not None:
                    break
                clock.require()
                if ended:
                    raise self._death(done)
                if time.monotonic() >= end:
                    raise Hung(done)
        except (EOFError, OSError):
            raise self._death(done) from None
        received = decode(message)
        require(type(received) is tuple and len(received) == 3)
        asked, kind, value = received
        # a stale answer follows one that was forged
        require(type(kind) is str and type(asked) is int and asked == self._asked)
        return kind, value

    def _death(self, done: int) -> Died:
        try:
            code = self._process.popen.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return Died("it closed the files that were not its own", done)
        return Died(ending(code), done)

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def close(self) -> None:
        """Release what is left of the process."""
        self._process.stop()
        self._connection.close()


FORGED = (
    "a worker's answer is malformed: what it runs has written to a file that is not its own; let "
    "the mechanism close or write to no files but those that it has opened"
)


FAILURES: Mapping[str, type[Exception]] = {"refused": InputError, "failed": RuntimeError}
"""Errors raised here when a child process says that it cannot answer."""


def send_or_end(descriptor: int, message: bytes) -> None:
    """Send a message; if nobody is there to read it, end this process silently."""
    try:
        send(descriptor, message)
    except OSError:
        os._exit(1)


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Code sent by value keeps its file's name, which cloudpickle drops from 3.1.3 on."""

    def reducer_override(self, obj: Any) -> Any:
        if not isinstance(obj, CodeType):
            return super().reducer_override(obj)
        build, arguments = self.dispatch_table[CodeType](obj)
        return _code_of_file, (obj.co_filename, build, arguments)


def _code_of_file(
    filename: str, build: Callable[..., CodeType], arguments: tuple[Any, ...]
) -> CodeType:
    return build(*arguments).replace(co_filename=filename)


def _pickled(message: Any) -> bytes:
    with io.BytesIO() as stream:
        _Pickler(stream).dump(message)
        return stream.getvalue()


def serve(descriptor: int) -> None:
    """Answer calls until the connection is closed; what :class:`Child` runs."""
    os.set_inheritable(descriptor, False)
    messages = Messages(descriptor)
    asked = 0

    def reply(kind: str, value: Any = None) -> None:
        send_or_end(descriptor, encode((asked, kind, value)))

    target: Any = None
    while True:
        try:
            message = messages.next(None)
        except (EOFError, OSError):
            return
        assert message is not None
        asked += 1
        try:
            loaded = pickle.loads(message)
        except ModuleNotFoundError as error:
            reply("unknown module", error.name)
            continue
        except InputError as error:
            reply("refused", str(error))
            continue
        except Exception as error:
            refusal = f"another process cannot load the mechanism or its data ({one_line(error)})"
            reply("refused", f"{refusal}; use workers=1 and no time limit")
            continue
        if loaded[0] == "hold":
            target = loaded[1]
            reply("result")
            continue
        _, function, args, kwargs = loaded
        try:
            reply("alive", 0)
            result = function(target, lambda done: reply("alive", done), *args, **kwargs)
            reply("result", result)
        except InputError as error:
            reply("refused", str(error))
        except Exception as error:
            trace = "".join(traceback.format_exception(error))
            reply("failed", f"{one_line(error)}, in a child process:\n{trace}")
