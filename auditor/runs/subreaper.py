"""Runs a program and ends all that it has started: ``subreaper.py CONTROL PROGRAM ARGUMENT...``.

Run by path as a process of its own, so it imports nothing but the standard library. CONTROL is a
socket. A byte that can be read from it, its end, or the end of the process that started this one
ends the program; so does its own end. On Linux all descendants are killed then, those that have
left the group of their parent as well, because orphans are given to this process; elsewhere those
that are in the group of the program.

This process ends as the program does: with its exit code, or by its signal. If the program cannot
be started the number of the error is written to CONTROL, else 0.
"""

import ctypes
import os
import resource
import select
import signal
import sys
from contextlib import suppress

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LINUX = sys.platform == "linux"
SECONDS = 0.5
"""Seconds between two checks that the process that started this one is still there."""


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process that only Linux has."""
    if LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def execute(arguments: list[str], failure: int) -> None:
    """Become the program; write the number of the error to ``failure`` if that cannot be."""
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # the interpreter ignores them, which programs would inherit
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(arguments[0], arguments)
    except OSError as error:
        os.write(failure, str(error.errno).encode())
    finally:
        os._exit(127)


def started(arguments: list[str], control: int) -> int:
    """Start the program; return the number of its process, 0 if it cannot be started."""
    reading, failure = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(control)
        execute(arguments, failure)
    os.close(failure)
    number = os.read(reading, 16) or b"0"  # ends when the program has been started
    os.close(reading)
    os.write(control, number + b"\n")
    return child if number == b"0" else 0


def let_go(control: int) -> None:
    """Close what the program alone should have open, so that its end can be noticed."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    last = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.closerange(3, control)
    os.closerange(control + 1, min(last, 65536))


def wait(child: int, control: int, parent: int) -> int | None:
    """Return the status with which the program has ended; ``None`` if it is to be ended."""
    awake, ring = os.pipe()
    os.set_blocking(ring, False)
    signal.set_wakeup_fd(ring)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        ready, _, _ = select.select([control, awake], [], [], SECONDS)
        if control in ready or os.getppid() != parent:
            return None
        if awake in ready:
            os.read(awake, 4096)
            reap(child)


def reap(child: int) -> None:
    """Bury orphans that have ended, but leave the program itself to :func:`wait`."""
    for pid in descendants():
        if pid != child:
            with suppress(OSError):
                os.waitpid(pid, os.WNOHANG)


def descendants() -> list[int]:
    """Return the processes below this one; only Linux tells."""
    parents: dict[int, int] = {}
    if LINUX:
        for name in os.listdir("/proc"):
            if name.isdigit():
                with suppress(OSError), open(f"/proc/{name}/stat") as stat:
                    parents[int(name)] = int(stat.read().rpartition(")")[2].split()[1])
    found = {os.getpid()}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return sorted(found - {os.getpid()})
        found |= more


def end_all(child: int) -> int | None:
    """Kill the program and its descendants; return its status if it is buried here."""
    status = None
    while True:
        with suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        for pid in descendants():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            ended, how = os.waitpid(-1, 0)
        except ChildProcessError:
            return status
        if ended == child:
            status = how


def end_like(status: int) -> None:
    """End this process as the program has ended."""
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


def main() -> None:
    """Run the program."""
    parent = os.getppid()
    control, arguments = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(control, False)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    child = started(arguments, control)
    if child == 0:
        return
    let_go(control)
    status = wait(child, control, parent)
    killed = end_all(child)
    if status is None:
        status = killed
    end_like(status or 0)


if __name__ == "__main__":
    main()
