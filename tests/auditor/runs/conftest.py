"""A third party's package with noise, and whether processes still run."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from auditor.checking.culprits import blame
from auditor.checking.releases import audit_releases
from auditor.core.context import Context
from auditor.core.verdict import Verdict
from reference.privacy.guarantees import PureDP

PAIR = (np.zeros(20), np.concatenate([[0.0, 0.0, 1.0], np.zeros(17)]))


class Audited(dict[str, Verdict]):
    """The verdicts on an instrumented mechanism, by question."""

    @property
    def statuses(self) -> dict[str, str]:
        return {question: verdict.status for question, verdict in self.items()}

    @property
    def violated(self) -> set[str]:
        return {question for question, status in self.statuses.items() if status == "violated"}

    @property
    def blamed(self) -> str:
        return str(blame(tuple(self.values())))

    @property
    def findings(self) -> dict[str, str]:
        return {found["kind"]: found["statement"] for found in self["control_flow"].findings}


@pytest.fixture
def ask() -> Callable[..., Audited]:
    """Return what audits an instrumented mechanism."""

    def ask(mechanism: Any, claim: Any = PureDP(1.0), pair: Any = PAIR) -> Audited:  # noqa: B008
        context = Context(seed=4, confidence=0.9999)
        verdicts = audit_releases(mechanism, pair, claim, context=context, samples=20)
        return Audited((verdict.question, verdict) for verdict in verdicts)

    return ask


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """Import the modules of a third party's package, afresh for every test."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "programs"))
    names = ("noise", "objects", "tools")
    yield SimpleNamespace(
        **{name: importlib.import_module(f"their_noise.{name}") for name in names}
    )
    for name in [name for name in sys.modules if name.partition(".")[0] == "their_noise"]:
        del sys.modules[name]


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended but is not yet buried does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@pytest.fixture
def alive() -> Callable[[int], bool]:
    return is_alive


@pytest.fixture
def gone() -> Callable[..., bool]:
    """Return what waits until no process of some runs, and returns whether none does."""

    def gone(pids: Iterable[int], seconds: float = 60.0) -> bool:
        end, left = time.monotonic() + seconds, set(pids)
        while left and time.monotonic() < end:
            left = set(filter(is_alive, left))
            time.sleep(0.05 if left else 0)
        return not left

    return gone
