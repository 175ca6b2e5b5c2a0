"""The directed search for the two records that make an objective largest."""

import sys
from types import ModuleType

import numpy as np
import pytest

from auditor.core.neighbours import Ball, Box, Everything, Integers, search_worst_pair


def distance(old, new, variation=0):
    return float(np.linalg.norm(np.asarray(old) - np.asarray(new)))


@pytest.mark.parametrize(
    ("domain", "best"),
    [
        (Ball(2, 1.0), 2.0),
        (Ball(10, 3.0), 6.0),
        (Box((3,), 0.0, 2.0), 2 * 3**0.5),
        (Integers((4,)), 2.0),
        (Everything((2,)), 2e12 * 2**0.5),
    ],
    ids=str,
)
def test_search_finds_the_farthest_pair(domain, best):
    found = search_worst_pair(distance, domain, seed=0)
    assert found.value == pytest.approx(best, rel=1e-3)
    assert distance(found.old, found.new) == found.value


def test_search_finds_an_interior_peak_and_the_right_variation():
    # a narrow bump in the interior, three times higher in one variation of a hundred
    def bump(old, new, variation):
        away = np.sum((old - 0.37) ** 2) + np.sum((new + 0.11) ** 2)
        return (3.0 if variation >= 50 else 1.0) / (1 + 20 * away)

    found = search_worst_pair(bump, Box((2,), -1.0, 1.0), seed=1, examples=100, evaluations=300)
    assert found.value > 2.9
    assert found.variation >= 50


def test_every_stage_of_the_search_climbs():
    def peak(old, new, variation):
        return -float(np.sum((old - 0.37) ** 2) + np.sum((new + 0.11) ** 2))

    # 200 random points of [-1, 1]^8 stay about 1.2 away; hypothesis.target climbs
    climbed = [
        search_worst_pair(peak, Box((4,), -1.0, 1.0), seed=s, examples=200, evaluations=1)
        for s in range(5)
    ]
    assert max(found.traces["hypothesis"][-1] for found in climbed) > -0.4
    # differential evolution alone gets to 1e-3; Nelder-Mead polishes
    polished = [
        search_worst_pair(peak, Box((2,), -1.0, 1.0), seed=s, evaluations=240) for s in range(3)
    ]
    assert max(found.value for found in polished) > -1e-5


def test_trace_is_the_best_so_far_of_both_methods_within_budget():
    values = []

    def objective(old, new, variation):
        values.append(distance(old, new, variation))
        return values[-1]

    found = search_worst_pair(objective, Ball(3, 1.0), seed=2, examples=30, evaluations=60)
    traces = found.traces["hypothesis"] + found.traces["scipy"]
    assert traces == np.maximum.accumulate(values).tolist()
    assert found.evaluations == len(values)
    assert len(found.traces["hypothesis"]) <= 30
    assert len(found.traces["scipy"]) <= 60 + 20


def test_nan_and_infinite_objectives_do_not_stop_the_search():
    def wild(old, *_):
        if old[0] > 0.5:
            return float("nan")
        return float("inf") if old[0] < -0.9 else float(old[0])

    assert search_worst_pair(wild, Box((1,), -1.0, 1.0), seed=3).value == float("inf")
    nothing = search_worst_pair(lambda *_: float("nan"), Box((1,), 0.0, 1.0), seed=3)
    assert nothing.value == -float("inf")


def test_search_does_not_depend_on_what_else_is_loaded(tmp_path, monkeypatch):
    # Hypothesis draws constants from the source of loaded modules; other workers load others
    def candidates(seed):
        tried = []

        def objective(old, new, variation):
            tried.append((*old, *new, variation))
            return float(np.sin(np.sum(old) * 1e-3) + np.cos(new[0] * variation))

        search_worst_pair(objective, Everything((2,)), seed=seed, examples=100)
        return tried

    before = candidates(4)
    full_of_constants = ModuleType("constants_everywhere")
    full_of_constants.__file__ = str(tmp_path / "constants_everywhere.py")
    source = "VALUES = [" + ", ".join(f"{i}, {i / 7}" for i in range(100, 400)) + "]\n"
    (tmp_path / "constants_everywhere.py").write_text(source)
    monkeypatch.setitem(sys.modules, "constants_everywhere", full_of_constants)
    assert before == candidates(4) != candidates(5)
