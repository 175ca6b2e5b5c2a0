"""Conditions on every mechanism of the zoo: its claim, its pair, its outputs."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from auditor.checking.examination import examine
from auditor.runs.sampling import FunctionSampler
from auditor.statistics.claims import EpsilonDelta
from auditor.zoo import noise
from auditor.zoo.broken_accounting import budget_spent_twice
from tests.auditor.zoo.laws import DELTAS, DISCRETE, REAL, ZOO, outputs
from tests.auditor.zoo.test_first_above import FIRST_ABOVE
from tests.auditor.zoo.test_numbers_and_outcomes import IMPOSSIBLE
from tests.auditor.zoo.test_vectors import BITS, COORDINATES, GRADIENTS

RIGHT = [name for name, specimen in ZOO.items() if not specimen.broken]
BROKEN = [name for name, specimen in ZOO.items() if specimen.broken]
SPARSE = [name for name in ZOO if name.startswith("sparse-vector")]
LOOSE = {
    "rappor-longitudinal",
    "exponential-colour",
    "noisy-max-laplace",
    "stable-histogram",
    "propose-test-release",
    "propose-test-release-unstable",
    "smooth-median",
    "sparse-vector-1",
    "sparse-vector-1-of-20",
    "sparse-vector-2",
    "sparse-vector-2-of-20",
    "gap-sparse-vector",
    "numerical-sparse-vector",
    "adaptive-sparse-vector",
}


def test_every_specimen_has_a_law_or_an_impossible_output() -> None:
    tables = (REAL, DISCRETE, COORDINATES, BITS, GRADIENTS, IMPOSSIBLE, SPARSE)
    own = {"stable-histogram", "noise-correlated-by-a-record", "smart-sum"}
    assert set(ZOO) == own.union(*tables, FIRST_ABOVE)
    assert len(BROKEN) >= 20
    assert list(ZOO) == [*sorted(RIGHT), *sorted(BROKEN)]


@pytest.mark.parametrize("name", ZOO)
def test_right_claims_are_true_and_broken_ones_by_far_not(name: str) -> None:
    specimen = ZOO[name]
    truth = specimen.truth(specimen.delta)
    if specimen.broken:
        assert truth > specimen.epsilon * 1.1
    elif name in LOOSE:
        assert truth < 0.99 * specimen.epsilon
    else:
        assert truth == pytest.approx(specimen.epsilon, rel=1e-9)
    known = [delta for delta in (0.0, *DELTAS) if name != "laplace-on-the-doubles" or delta < 0.2]
    truths = [specimen.truth(delta) for delta in known]
    assert all(a >= b for a, b in itertools.pairwise(truths))
    if not specimen.broken:
        assert truths[-1] < truths[0]
    assert specimen.mechanism.func.__doc__ is not None  # type: ignore[attr-defined]


def contents(drawn: Any) -> Any:
    return drawn.tobytes() if isinstance(drawn, np.ndarray) else repr(drawn)


@pytest.mark.parametrize("name", ZOO)
def test_runs_depend_on_data_and_seed_alone(name: str) -> None:
    specimen = ZOO[name]
    data = copy.deepcopy(specimen.pair)
    twin = pickle.loads(pickle.dumps(specimen))
    assert twin.truth(0.01) == specimen.truth(0.01)
    for side in (0, 1):
        first = outputs(name, side, 1000)
        assert len(first) == 1000
        assert isinstance(first, np.ndarray | list)
        rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(side,)))
        assert contents(first) == contents(twin(twin.pair[side], rng, 1000))
        differs = contents(first) != contents(outputs(name, side, 1000, seed=1))
        constant = name in ("fixed-seed", "seed-from-the-data") or (
            name in ("raises-on-an-empty-group", "nan-reaches-the-output") and side == 0
        )
        assert differs != constant
    assert repr(data) == repr(specimen.pair)
    assert len(outputs(name, 0, 1)) == 1


# -------------------------------------------------------------------------------- pairs


def replaced(first: Any, second: Any) -> bool:
    """One record, of a row or of a number; NaN is not equal to itself."""
    return sum(repr(a) != repr(b) for a, b in zip(first, second, strict=True)) == 1


def added(first: Sequence[Any], second: Sequence[Any]) -> bool:
    more, less = (Counter(map(repr, records)) for records in (first, second))
    return (more - less).total() + (less - more).total() == 1


def consecutive(first: float, second: float) -> bool:
    return abs(first - second) == 1


def scores(first: Any, second: Any) -> bool:
    return bool((np.abs(np.subtract(first, second)) <= 1).all())


def different(first: Any, second: Any) -> bool:
    return type(first) is not type(second) or first != second


def unit(first: Any, second: Any) -> bool:
    return all(((x >= 0) & (x <= 1)).all() for x in (first, second))


def example_added(first: Any, second: Any) -> bool:
    return added(np.column_stack(first), np.column_stack(second))


RELATIONS: dict[Callable[[Any, Any], bool], str] = {
    consecutive: "laplace suppressed-count geometric clamped-geometric discrete-gaussian "
    "analytic-gaussian staircase",
    different: "randomized-response randomized-colour randomized-missing hadamard-response "
    "subset-selection optimized-unary-encoding rappor-one-time rappor-report rappor-longitudinal "
    "biased-coin two-category-odds-for-many noise-correlated-by-a-record "
    "unary-encoding-at-full-budget",
    scores: "noisy-max-laplace noisy-max-exponential " + " ".join(FIRST_ABOVE),
    added: "frequent-keys propose-test-release propose-test-release-unstable sampled-mean "
    "gaussian-sum divided-by-the-exact-size keys-above-a-threshold keys-of-the-data",
    unit: "parallel-laplace",
    example_added: "dp-sgd-step dp-sgd-four-steps",
}
"""All others replace one record."""


@pytest.mark.parametrize("name", ZOO)
def test_pairs_are_neighbours(name: str) -> None:
    relation = next((r for r, names in RELATIONS.items() if name in names.split()), replaced)
    assert relation(*ZOO[name].pair)


# ------------------------------------------------------------------------------ outputs

CONTINUOUS = {*REAL, *COORDINATES, *GRADIENTS} - {
    "geometric-histogram",
    "composition-by-square-root",
    "no-noise-after-ten-tries",
}


@pytest.mark.parametrize("name", sorted(CONTINUOUS))
def test_low_order_bits_of_numbers_tell_nothing(name: str) -> None:
    """Real numbers lie on a grid: whatever they were added to, their last bits are zeros."""
    drawn = outputs(name, 1, 1000)
    shown = drawn[~np.isnan(drawn)]
    assert shown.size > 500
    assert np.array_equal(shown, np.round(shown / noise.GRID) * noise.GRID)


KINDS = (
    "laplace",
    "suppressed-count",
    "randomized-missing",
    "stable-histogram",
    "subset-selection",
    "geometric-histogram",
    "dp-sgd-four-steps",
    "sparse-vector-4",
    "sparse-vector-5",
    "raises-on-an-empty-group",
)
"""One of every kind of output: numbers, NaN, objects, ragged ones, vectors, exceptions."""


def test_a_budget_spent_twice_has_the_scale_of_its_epsilon() -> None:
    noisy = budget_spent_twice(np.zeros(3), np.random.default_rng(0), 40_000, epsilon=0.5)
    # of a Laplace number the mean size is the scale, and so is that size's deviation
    assert np.abs(noisy).mean() == pytest.approx(1 / 0.5, rel=6 / math.sqrt(80_000))


@pytest.mark.parametrize("name", KINDS)
def test_the_auditor_never_certifies_more_than_the_truth(name: str) -> None:
    """At an error probability of 1e-6 each."""
    specimen = ZOO[name]
    sampler = FunctionSampler(specimen, specimen.pair, seed=3, batched=True)
    claim = EpsilonDelta(specimen.epsilon, specimen.delta)
    try:
        evidence = examine(sampler, claim, alpha=1e-6, samples=4000, seed=4)
    finally:
        sampler.close()
    for delta in (0.0, specimen.delta, 0.01, 0.05):
        assert evidence.epsilon(delta) <= specimen.truth(delta)
