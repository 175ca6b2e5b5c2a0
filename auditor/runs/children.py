"""Python processes for samplers: two to a worker, neither of which ever sees both data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from auditor.core.pair_names import SIDES
from auditor.runs.crew import Crew, Item, Returned
from auditor.runs.processes import Child


class Couple:
    """Two processes, one for either side: neither is ever given the other's data set.

    Parameters
    ----------
    one_thread : bool
        As of :class:`Child`.
    """

    def __init__(self, *, one_thread: bool) -> None:
        self._children: list[Child] = []
        try:
            for _ in SIDES:  # at the same time: they take long to start
                self._children.append(Child(one_thread=one_thread))
        except BaseException:
            self.close()
            raise

    def child(self, side: int) -> Child:
        """Return the process of a side."""
        return self._children[side]

    def kill(self) -> None:
        """End both at once."""
        for child in self._children:
            child.kill()

    def close(self) -> None:
        """Release what is left of them."""
        for child in self._children:
            child.close()


class Children:
    """Python processes that samplers use one after the other.

    Parameters
    ----------
    workers : int
        How many work at the same time; each is a :class:`Couple`. Linear algebra has one thread
        in each of several.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._crew: Crew[Couple] | None = None

    def map(
        self, task: Callable[[Couple, Item], Returned], items: Iterable[Item]
    ) -> Iterator[Returned]:
        """Yield ``task(couple, item)`` of every item, in order; see :meth:`Crew.map`."""
        if self._crew is None or self._crew.closed:
            self._crew = Crew(self._hire, self._workers)
        return self._crew.map(task, items)

    def _hire(self) -> Couple:
        return Couple(one_thread=self._workers > 1)

    def close(self) -> None:
        """Stop the processes; they are started again when needed."""
        if self._crew is not None:
            self._crew.close()
