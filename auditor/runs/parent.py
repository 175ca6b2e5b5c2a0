"""End a process with the one that started it; a module that loads at once, before all others do."""

from __future__ import annotations

import os
import signal
import time
from functools import cache
from threading import Thread

PARENT_SECONDS = 0.2
"""Seconds between two checks that the process that started this one is still there."""


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
