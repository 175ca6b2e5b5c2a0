"""Parts shared by the tests of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from auditor.checking.evidence import Evidence
from auditor.runs.blocks import Block, Outputs
from auditor.runs.sampling import RecordedSampler


@pytest.fixture
def unpromised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what a check would have noticed: most of its time, and tested on its own."""
    monkeypatch.setattr(Evidence, "noticeable", lambda found, claim: (0.1, 1.0))
    monkeypatch.setattr(Evidence, "rarest", lambda found, claim: 0.0)


class Watched(RecordedSampler):
    """Recorded outputs that note which blocks were drawn."""

    def __init__(self, first: Outputs, second: Outputs) -> None:
        super().__init__(first, second)
        self.blocks: list[Block] = []

    def draw(self, blocks: Iterable[Block], reduce: Callable[[Outputs], Any]) -> Iterator[Any]:
        asked = list(blocks)
        self.blocks.extend(asked)
        return super().draw(asked, reduce)

    def runs(self, side: int) -> list[int]:
        """Return the runs on one side, in the order in which they were drawn."""
        mine = [block for block in self.blocks if block.side == side]
        return [run for block in mine for run in range(block.start, block.start + block.size)]


@pytest.fixture
def watched() -> type[Watched]:
    return Watched
