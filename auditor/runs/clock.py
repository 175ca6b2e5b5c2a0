"""The time that a check may take, what fits into it, and who is told how far it is."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from auditor.core.arguments import require_callable, require_seconds

Progress = Callable[[str, int, int], None]
"""``progress(what, done, total)``: what is being done, and runs made of all runs planned."""

USED_SHARE = 0.8
"""Share of the time left that planned runs may take; the rest is for what is made of them."""
CHEAP_SHARE, FIRST_LOOK = 0.1, 64
"""While the next look, of as many runs as there are, or 64, takes at most this share of the time
left, no run is given up: the first runs take longest, and it will tell the pace better."""
PROGRESS_SECONDS = 0.1
"""Progress is told at most this often."""


class OutOfTime(BaseException):
    """The total time is up.

    No :class:`Exception`: what catches the exceptions of a mechanism must let it through.
    """


class Clock:
    """A time budget that runs from when it is made.

    Parameters
    ----------
    seconds : float or None
        ``None`` never ends.
    progress : callable, optional
        Is told what is being done.
    plans : sequence of int
        Numbers of runs that :meth:`plan` gives first, to repeat what an earlier check planned.
    now : callable
        Seconds from any beginning.
    """

    def __init__(
        self,
        seconds: float | None = None,
        *,
        progress: Progress | None = None,
        plans: Sequence[int] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        require_seconds("timeout", seconds)
        require_callable("progress", progress, "progress(what, done, total)")
        self.seconds = seconds
        self.now = now
        self.planned: list[int] = []
        self._end = math.inf if seconds is None else now() + seconds
        self._progress = progress
        self._plans = deque(plans)
        self._runs, self._seconds, self._side_by_side = 0, 0.0, 1
        self._measured: float | None = None
        self._told = -math.inf
        self._what, self._done, self._total = "", 0, 0

    @property
    def limited(self) -> bool:
        """Return whether the time ever ends."""
        return self.seconds is not None

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self._end - self.now())

    def require(self) -> None:
        """Raise OutOfTime if the time is up."""
        if self.left == 0:
            raise OutOfTime

    def part(self, share: float) -> Clock:
        """Return a clock that ends after a share of the time that is left."""
        seconds = max(self.left, 1e-9) * share if self.limited else None
        clock = Clock(seconds, progress=self._progress, now=self.now)
        clock._what = self._what
        return clock

    # --- how many runs fit

    def side_by_side(self, workers: int) -> None:
        """Note how many runs are made at the same time."""
        # slow runs are so few that there is one block of them on either data set
        self._side_by_side = min(workers, 2)

    def took(self, runs: int, seconds: float) -> None:
        """Note how long the last runs on each data set took altogether: the pace from now on."""
        self._measured = seconds / runs

    @property
    def _pace(self) -> float:
        """Seconds that a run on each data set takes; 0 while that is not known."""
        if self._measured is not None:
            return self._measured
        return 2 * self._seconds / max(self._runs, 1) / self._side_by_side

    def plan(self, done: int, samples: int) -> int:
        """Return how many runs a side can be made in time: at least ``done``, at most ``samples``.

        Called before the runs that it plans for, so that their number does not depend on them, and
        again after each look: as long as there is time for more, more are planned.
        """
        if self._plans:
            planned = self._plans.popleft()
        else:
            planned = samples if self._unhurried(done) else min(samples, self._fitting(done))
        if self.limited:
            self.planned.append(planned)
        return planned

    def _unhurried(self, done: int) -> bool:
        """Return whether it is too early to give any run up."""
        return max(done, FIRST_LOOK) * self._pace <= CHEAP_SHARE * self.left

    def _fitting(self, done: int) -> int:
        return done + int(USED_SHARE * self.left / self._pace)

    # --- how far it is

    def begin(self, what: str, done: int, total: int) -> None:
        """Tell what is done from here on, after ``done`` of ``total`` runs."""
        self._what, self._done, self._total = what, done, total
        self._tell()

    @contextmanager
    def meanwhile(self, what: str) -> Iterator[None]:
        """Tell what is done in between, and then again what was being done before."""
        before = self._what, self._done, self._total
        self.begin(what, 0, 0)
        yield
        self._what, self._done, self._total = before
        if self._what:
            self._tell()

    def step(self, runs: int, seconds: float | None) -> None:
        """Note that runs have been made, and how long they took if that says anything."""
        self._done += runs
        if seconds is not None:
            self._runs += runs
            self._seconds += seconds
        if self.now() - self._told > PROGRESS_SECONDS:
            self._tell()

    def counting(self) -> Callable[[int], None]:
        """Return what is told how many runs are finished, and notes their number and time.

        The number starts again from 0, or anything less than before, with every series of runs.
        """
        before, at = 0, self.now()

        def count(done: int) -> None:
            nonlocal before, at
            began, at = at, self.now()
            if done > 0:
                self.step(done - before if done > before else done, at - began)
            before = done

        return count

    def _tell(self) -> None:
        if self._progress is not None:
            self._told = self.now()
            self._progress(self._what, min(self._done, self._total), self._total)
