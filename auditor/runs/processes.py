"""Child processes that are asked one thing at a time, can be killed, and are never left behind."""

from __future__ import annotations

import errno
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

import cloudpickle  # type: ignore[import-untyped]

from auditor.core.errors import InputError, one_line
from auditor.runs.clock import Clock

Item = TypeVar("Item")
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

Alive = Callable[[int | None], None]
"""A sign of life: how many runs are finished; ``None`` lifts the time limit from here on."""

PARENT_SECONDS = 0.5
"""How often a process sees whether the one that started it is still there."""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

KEEPER = Path(__file__).with_name("keeper.py")
STOP_SECONDS = 5.0
"""A keeper that has not ended everything by then is killed itself."""


class Died(Exception):
    """A child process ended while it was asked something.

    Parameters
    ----------
    how : str
        ``"exit code 3"`` or ``"signal SIGSEGV"``.
    done : int
        Runs that it had reported finished.
    """

    def __init__(self, how: str, done: int) -> None:
        super().__init__(how)
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


def ending(code: int) -> str:
    """Return a process's return code in words: "exit code 3" or "signal SIGSEGV"."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


# ------------------------------------------------------------------------------- processes


class Kept:
    """A process that ends, with all that it has started, when it is stopped or this one ends.

    It has a keeper of its own, see :mod:`auditor.runs.keeper`: a program that hangs does not
    notice that nobody is there any more.

    Parameters
    ----------
    arguments : list of str
    **options
        Of :class:`subprocess.Popen`.

    Attributes
    ----------
    popen : subprocess.Popen
        The keeper, which has the streams of the process and ends as it does.

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
                [sys.executable, "-I", "-S", str(KEEPER), str(descriptor), *arguments],
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
        """Let the keeper end everything; do not wait."""
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


@cache
def end_with_parent(parent: int) -> None:
    """Let this process be killed when the one that started it ends, in whatever way.

    Parameters
    ----------
    parent : int
        Number of that process, as it says itself: it may have ended before this is called.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_SECONDS)
        os.kill(os.getpid(), signal.SIGKILL)

    Thread(target=watch, daemon=True, name="watch parent").start()


class Member(Protocol):
    """Somebody who does one thing at a time."""

    def kill(self) -> None:
        """End at once, for good; called while another thread may be waiting for an answer."""

    def close(self) -> None:
        """Release what is left; called when nobody is waiting."""


Worker = TypeVar("Worker", bound=Member)


class Crew(Generic[Worker]):
    """Members who work side by side, each on one item at a time.

    Parameters
    ----------
    hire : callable
        ``hire()`` gives a new member.
    size : int
        Number of members, hired when first needed.
    """

    def __init__(self, hire: Callable[[], Worker], size: int) -> None:
        self.closed = False
        self._hire = hire
        self._size = size
        self._members: list[Worker] = []
        self._idle: deque[Worker] = deque()
        self._lock = Lock()
        self._finalizer = weakref.finalize(self, _dismiss, self._members)

    def map(
        self, task: Callable[[Worker, Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Yield ``task(member, item)`` of every item, in order.

        At most one item more than there are members is taken ahead of the results. After any
        error, and if the results are not wanted to the end, the crew is closed.
        """
        pending: deque[Future[Result]] = deque()
        with ThreadPoolExecutor(self._size) as pool:
            try:
                for item in items:
                    pending.append(pool.submit(self._work, task, item))
                    if len(pending) > self._size:
                        yield pending.popleft().result()
                while pending:
                    yield pending.popleft().result()
            except BaseException:
                self._kill()  # what the threads are waiting for
                pool.shutdown(cancel_futures=True)
                self.close()
                raise

    def _work(self, task: Callable[[Worker, Item], Result], item: Item) -> Result:
        member = self._take()
        result = task(member, item)
        self._idle.append(member)
        return result

    def _take(self) -> Worker:
        with self._lock:
            if self.closed:
                raise RuntimeError("the crew is closed")
            if self._idle:
                return self._idle.pop()
            member = self._hire()
            self._members.append(member)
            return member

    def _kill(self) -> None:
        with self._lock:
            self.closed = True
            for member in self._members:
                member.kill()

    def close(self) -> None:
        """End everybody's processes."""
        self._kill()
        self._finalizer()


def _dismiss(members: Sequence[Member]) -> None:
    for member in members:
        member.kill()
        member.close()


# ------------------------------------------------------------------------ Python processes


class Child:
    """A Python process that holds one object at a time and applies functions to it.

    It starts afresh (nothing is forked) with this process's search path; functions and classes
    that cannot be imported there travel by value. What it prints goes to standard error.

    Parameters
    ----------
    one_thread : bool
        Whether linear algebra is to use one thread, because there are other children.
    """

    def __init__(self, *, one_thread: bool) -> None:
        self._connection, theirs = Pipe()
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
        self._by_value: set[str] = set()

    def call(
        self,
        target: Any,
        function: Callable[Concatenate[Any, Alive, Arguments], Result],
        limit: float | None,
        clock: Clock,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        """Return ``function(target, alive, *args, **kwargs)``, computed by the child.

        Parameters
        ----------
        target : object
            Sent unless it is what the child was given last.
        function : callable
            Calls ``alive`` now and then.
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
            If the function or an argument cannot be sent.
        """
        if not self._introduced or self._target is not target:
            self._exchange(("hold", target), None, clock)
            self._target, self._introduced = target, True
        result: Result = self._exchange(("call", function, args, kwargs), limit, clock)
        return result

    def _exchange(self, message: Any, limit: float | None, clock: Clock) -> Any:
        self._send(message)
        now, done, count = None, 0, clock.counting()
        while True:
            kind, value = self._receive(now, clock, done)
            if kind == "alive":
                now = None if value is None else limit
                if value is not None:
                    done = value
                    count(done)
            elif kind == "unknown module":
                self._send_by_value(value)
                self._send(message)
            elif kind == "failed":
                raise value
            else:
                return value

    def _send_by_value(self, name: str) -> None:
        """Send what is defined in a module by value from now on."""
        module = sys.modules.get(name)
        if module is None or name in self._by_value:
            raise InputError(
                f"a child process finds no module {name!r}; install it, or use workers=1 and no "
                "time limit"
            )
        self._by_value.add(name)
        cloudpickle.register_pickle_by_value(module)

    def _send(self, message: Any) -> None:
        try:
            sent = cloudpickle.dumps(message)
        except Exception as error:
            raise InputError(
                f"the mechanism or its data cannot be sent to another process ({one_line(error)}); "
                "use workers=1 and no time limit"
            ) from error
        try:
            self._connection.send_bytes(sent)
        except OSError:
            raise self._death(0) from None

    def _receive(self, limit: float | None, clock: Clock, done: int) -> tuple[str, Any]:
        end = float("inf") if limit is None else time.monotonic() + limit
        try:
            # the end of a process goes unnoticed if one that it started holds its connection open
            while not self._connection.poll(max(0.0, min(0.5, end - time.monotonic(), clock.left))):
                clock.require()
                if self._process.popen.poll() is not None and not self._connection.poll():
                    raise self._death(done)
                if time.monotonic() >= end:
                    raise Hung(done)
            received: tuple[str, Any] = pickle.loads(self._connection.recv_bytes())
        except (EOFError, OSError):
            raise self._death(done) from None
        return received

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


def serve(descriptor: int) -> None:
    """Answer calls until the connection is closed; what :class:`Child` runs."""
    os.set_inheritable(descriptor, False)
    connection = Connection(descriptor)

    def send(kind: str, value: Any = None) -> None:
        connection.send_bytes(cloudpickle.dumps((kind, value)))

    target: Any = None
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            loaded = pickle.loads(message)
        except ModuleNotFoundError as error:
            send("unknown module", error.name)
            continue
        except Exception as error:
            refusal = f"another process cannot load the mechanism or its data ({one_line(error)})"
            send("failed", InputError(f"{refusal}; use workers=1 and no time limit"))
            continue
        if loaded[0] == "hold":
            target = loaded[1]
            send("result")
            continue
        _, function, args, kwargs = loaded
        try:
            send("alive", 0)
            result = function(target, lambda done: send("alive", done), *args, **kwargs)
        except Exception as error:
            send("failed", _portable(error))
            continue
        try:
            send("result", result)
        except Exception as error:  # of pickling: nothing has been sent
            refusal = f"an output cannot be sent from another process ({one_line(error)})"
            send("failed", InputError(f"{refusal}; use workers=1 and no time limit"))


def _portable(error: Exception) -> Exception:
    """Return an error that can be sent, with the traceback as a note."""
    if isinstance(error, InputError):
        return error
    note = "".join(traceback.format_exception(error))
    try:
        error = pickle.loads(cloudpickle.dumps(error))
    except Exception:
        error = RuntimeError(one_line(error))
    error.add_note(f"in a child process:\n{note}")
    return error
