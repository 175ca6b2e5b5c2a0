"""Parallel workers, each busy with one item at a time; closed after any error."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, Protocol, TypeVar

Item = TypeVar("Item")
Returned = TypeVar("Returned")


class Member(Protocol):
    """Somebody who does one thing at a time."""

    def kill(self) -> None:
        """End at once, for good; called while another thread may be waiting for an answer."""

    def close(self) -> None:
        """Release what is left; called when nobody is waiting."""


Worker = TypeVar("Worker", bound=Member)


class Crew(Generic[Worker]):
    """Members who work in parallel, each on one item at a time.

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
        self, task: Callable[[Worker, Item], Returned], items: Iterable[Item]
    ) -> Iterator[Returned]:
        """Yield ``task(member, item)`` of every item, in order.

        At most one item more than there are members is taken ahead of the results. After any
        error, and if the results are not wanted to the end, the crew is closed.
        """
        pending: deque[Future[Returned]] = deque()
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

    def _work(self, task: Callable[[Worker, Item], Returned], item: Item) -> Returned:
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
