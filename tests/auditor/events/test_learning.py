"""Learned events: every kind of output is legal, and the events are nearly the best there are."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auditor.checking.examination import examine
from auditor.events import learning
from auditor.events.learning import Aim, LearnedEvent, learn_event, training_runs
from auditor.events.outcomes import Encoding, OutcomeTable
from auditor.events.scores import Column
from auditor.events.views import NumberView
from auditor.runs.blocks import Outputs, Raised
from auditor.runs.sampling import RecordedSampler
from auditor.statistics.claims import Claim, EpsilonDelta, Gaussian, certified_level
from reference._validation import FloatArray

PURE = EpsilonDelta(0.0)
Pair = tuple[Outputs, Outputs]
Draw = Callable[[np.random.Generator, int], Pair]


def learned(
    first: Outputs,
    second: Outputs,
    effort: Any = "full",
    family: Claim = PURE,
    refute: float = math.inf,
) -> LearnedEvent:
    aim = Aim(family, 0.01, 3 * len(first), refute)
    return learn_event(first, second, aim, effort=effort, rng=np.random.default_rng(0))


def certified(pair: Pair, *, alpha: float = 0.05) -> float:
    found = examine(
        RecordedSampler(*pair), PURE, alpha=alpha, samples=len(pair[0]), seed=0, sequential=False
    )
    return found.epsilon(0.0)


# fmt: off
STRANGE: list[Any] = [
    None, "text", "", 3, -2.5, True, math.nan, math.inf, -math.inf, 1e308, 10**400, b"bytes",
    (1, "a"), [1, 2, [3, None]], {"b": 1, "a": [2.0]}, {1, 2}, np.arange(3), np.array([["x"]]),
    np.float32(0.5), np.array(7), Raised("ValueError"), object, 1 + 2j, [], (),
]
# fmt: on


@pytest.mark.parametrize("effort", ["quick", "full"])
def test_any_object_is_an_output_in_training_and_after(effort: Any) -> None:
    rng = np.random.default_rng(0)
    first = [STRANGE[i] for i in rng.integers(0, len(STRANGE), 300)]
    second = [STRANGE[i] for i in rng.integers(0, len(STRANGE) // 2, 300)]
    event = learned(first, second, effort)
    inside = event.contains([*STRANGE, "never seen", [0] * 100, {"c": None}])
    assert inside.shape == (len(STRANGE) + 3,)
    assert inside.dtype == bool
    assert event.describe()
    # the second half of the list never happens on D'
    assert event.contains(first).mean() != event.contains(second).mean()


@pytest.mark.parametrize(
    "outputs",
    [
        np.zeros(64),
        np.full(64, math.nan),
        np.full((64, 3), math.nan),
        np.full(64, math.inf),
        np.linspace(-1e300, 1e300, 64),
        np.zeros((64, 2, 2), dtype=bool),
        np.zeros((64, 0)),
        ["same"] * 64,
        [None] * 64,
    ],
    ids=str,
)
def test_outputs_that_say_nothing_do_no_harm(outputs: Outputs) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        event = learned(outputs, outputs)
        assert len(event.contains(outputs)) == 64
    assert certified((outputs, outputs)) == 0


def test_a_few_runs_are_enough_to_learn_from() -> None:
    for size in (4, 16):
        event = learned(np.zeros(size), np.ones(size), "quick")
        inside = event.contains(np.array([0.0, 1.0]))
        assert inside[0] != inside[1]


def test_how_many_runs_train() -> None:
    scalars, vectors = np.zeros(64), np.zeros((64, 80))
    assert training_runs(scalars, 1000) == 250
    assert training_runs(scalars, 10**7) <= 250_000
    # two sides of 80-dimensional training outputs take at most a quarter of a GiB
    assert 2 * training_runs(vectors, 10**7) * 80 * 8 <= 2**28
    assert training_runs(["a", "b"], 1000) == 250


def laplace(rng: np.random.Generator, n: int) -> Pair:
    return rng.laplace(0, 1, n), rng.laplace(1, 1, n)


def interval(rng: np.random.Generator, n: int) -> Pair:
    # the likelihood ratio is largest in the middle: no threshold on the output is any good
    return rng.normal(0, 0.5, n), rng.normal(0, 1.0, n)


def atom(rng: np.random.Generator, n: int) -> Pair:
    # 4% of the runs on D give exactly 0.25, which is otherwise an output like any other
    first = rng.laplace(0, 1, n)
    first[rng.random(n) < 0.04] = 0.25
    return first, rng.laplace(0, 1, n)


def strings(rng: np.random.Generator, n: int) -> Pair:
    names = np.array(["ann", "bob", "cat", "dan"])
    one = rng.choice(names, n, p=[0.4, 0.3, 0.2, 0.1])
    return one.tolist(), rng.choice(names, n, p=[0.1, 0.3, 0.2, 0.4]).tolist()


def ragged(rng: np.random.Generator, n: int) -> Pair:
    lengths = rng.geometric(0.5, n), rng.geometric(0.25, n)
    first, second = ([[None] * int(k) for k in side] for side in lengths)
    return first, second


@pytest.mark.parametrize(
    ("draw", "p", "q"),
    [
        (laplace, 0.5, 0.5 / math.e),
        (interval, *(math.erf(0.6 / s / math.sqrt(2)) for s in (0.5, 1.0))),
        (atom, 0.04, 0.0),
        (strings, 0.4, 0.1),
        (ragged, 0.5, 0.25),
    ],
)
def test_what_is_certified_is_near_the_best_event_known_before(
    draw: Draw, p: float, q: float
) -> None:
    n = 10_000
    best = certified_level(PURE, (round(p * n), n), (round(q * n), n), 0.05)
    found = [certified(draw(np.random.default_rng(seed), n)) for seed in range(3)]
    assert np.median(found) > 0.85 * best


@pytest.mark.parametrize("spread", ["bits", "noise", "sums"])
def test_a_leak_spread_over_coordinates_is_put_together(spread: str) -> None:
    rng, n, d = np.random.default_rng(2), 20_000, 20
    if spread == "bits":
        first, second = rng.random((n, d)) < 0.6, rng.random((n, d)) < 0.4
        best = stats.binom.sf(13, d, 0.6), stats.binom.sf(13, d, 0.4)
    else:
        first, second = rng.normal(size=(n, d)), rng.normal(size=(n, d)) + 0.25
        reach = 0.25 * math.sqrt(d)
        best = stats.norm.sf(1.0), stats.norm.sf(1.0 + reach)
    if spread == "sums":
        first, second = np.cumsum(first, axis=1), np.cumsum(second, axis=1)
    counts = ((round(share * n), n) for share in best)
    together = certified((first, second))
    assert together > 0.7 * certified_level(PURE, *counts, 0.05)
    # which no single coordinate would do
    assert together > 1.8 * certified((first[:, :1], second[:, :1]))


def test_an_early_look_puts_coordinates_together_as_well() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=(2000, 20)), rng.normal(size=(2000, 20)) + 0.25
    event = learned(first, second, "quick")
    fresh = rng.normal(size=(20_000, 20))
    shares = [float(event.contains(fresh + shift).mean()) for shift in (0.0, 0.25)]
    # one coordinate alone shows 0.6 where it exceeds 2, in one run of fifty
    assert float(PURE.loss(max(shares), min(shares))) > 1.5
    assert max(shares) > 0.05


def test_several_weak_interactions_add_up() -> None:
    # three pairs of coordinates whose signs agree in 70% of the runs: the truth is 3 log(1/0.6)
    rng, n = np.random.default_rng(6), 60_000
    first, second = rng.normal(size=(n, 6)), rng.normal(size=(n, 6))
    for j in (0, 2, 4):
        agree = np.where(rng.random(n) < 0.7, 1, -1)
        first[:, j] *= np.sign(first[:, j] * first[:, j + 1] * agree)
    # two of the pairs show 2 log(1/0.6) = 1.02 at best
    assert certified((first, second)) > 1.3


def test_a_rare_exact_value_inside_a_continuum_is_seen_if_a_claim_is_to_be_refuted() -> None:
    # Laplace noise of epsilon 1, but one run in a thousand gives its centre without noise
    rng, n = np.random.default_rng(8), 25_000
    first, second = (
        np.where(rng.random(n) < 1e-3, centre, centre + rng.laplace(size=n)) for centre in (0, 1)
    )
    exact = np.array([0.0, 1.0])
    event = learned(first, second, refute=1.0)
    assert sorted(event.contains(exact)) == [False, True]
    continuum = rng.normal(size=1000)
    assert len(set(event.contains(continuum))) == 1  # it tells nothing but the exact values apart
    solid = learned(first, second)
    assert len(set(solid.contains(continuum))) == 2


def test_entries_that_are_never_numbers_do_no_harm() -> None:
    rng = np.random.default_rng(7)
    first, second = (
        [("a" if x > 0 else "b", x, None) for x in rng.normal(size=6000) + shift]
        for shift in (0.0, 1.0)
    )
    assert certified((first, second)) > 0.9


def test_other_families_choose_events_of_their_own() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=20_000), rng.normal(size=20_000) + 1
    event = learned(first, second, family=Gaussian(0.0))
    shares = [float(event.contains(rng.normal(size=10**5) + shift).mean()) for shift in (0, 1)]
    assert float(Gaussian(0.0).loss(max(shares), min(shares))) == pytest.approx(1.0, abs=0.05)


def test_equal_distributions_are_rarely_told_apart() -> None:
    # P(a valid auditor fails this) < 1e-6
    alarms = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        dimension = 1 + 11 * (seed % 2)
        pair = rng.laplace(size=(400, dimension)), rng.laplace(size=(400, dimension))
        alarms += certified(pair, alpha=0.05) > 0
    assert alarms <= stats.binom.isf(1e-6, 60, 0.05)


@dataclass(frozen=True)
class Part:
    """The first column, but for some rows that are known by the second column."""

    hidden: float

    def __call__(self, table: OutcomeTable) -> FloatArray:
        numbers = table.floats()
        return np.where(numbers[:, 1] < self.hidden, -1.0, numbers[:, 0])

    def describe(self, threshold: float) -> str:
        return f"part {self.hidden}"


@pytest.mark.parametrize(
    ("refitted", "winner"),
    [(0.02, "part 0.02"), (0.3, "part 0.3"), (0.9, "part 0.7"), (1.0, "part 0.7")],
)
def test_of_a_score_and_those_before_it_the_best_on_all_runs_wins(
    refitted: float, winner: str
) -> None:
    """An event a little below the claim is better than one that never came near it."""
    first, second = np.zeros((2, 4000, 2))
    first[:, 1] = second[:, 1] = np.arange(4000) % 1000 / 1000
    first[np.arange(4000) % 10 < 6, 0] = second[np.arange(4000) % 10 < 1, 0] = 1.0
    encoding = Encoding.learn(first, second)
    tables = encoding.table(first), encoding.table(second)

    def contest(refute: float) -> learning._Contest:
        found = learning._Contest(tables, Aim(PURE, 0.01, 12_000, refute), np.random.default_rng(0))
        found.enter(lambda _: Part(0.7))
        found.enter(lambda t: Part(refitted if t is tables else 0.0))
        return found

    whole = learning._Contest(tables, Aim(PURE, 0.01, 12_000), np.random.default_rng(0))
    whole.enter(lambda _: Part(0.0))
    promised = whole.winner()[1][0].promise
    # as refuted: nothing, what the score barely promised, and more than it ever did
    for refute in (math.inf, promised - 1e-6, promised + 1e-6):
        score, (choice,) = contest(refute).winner()
        assert score.describe(0.5) == winner
        assert choice.promise <= promised


def test_what_a_score_gains_on_the_runs_it_was_fitted_on_is_not_counted() -> None:
    """The second column has as many ones in all as the first, and more of them on D."""
    at = np.arange(4000) % 20
    first, second = np.stack([at < 10, at < 13], 1) * 1.0, np.stack([at < 4, at < 1], 1) * 1.0
    encoding = Encoding.learn(first, second)
    tables = encoding.table(first), encoding.table(second)
    contest = learning._Contest(tables, Aim(PURE, 0.01, 12_000), np.random.default_rng(0))
    columns = [Column(NumberView(("one", "other")), index) for index in (0, 1)]
    contest.enter(lambda part: columns[part is tables])
    (leader,) = contest._leaders
    ((((again,), merits)),) = contest._refitted(leader, columns[1])
    assert again.promise > leader.choice.promise + 0.1
    assert merits == leader.choice.merits(math.inf)


def test_the_same_outputs_give_the_same_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "ENOUGH_FOR_TREES", 500)
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=(800, 6)), rng.normal(size=(800, 6)) + 0.3
    fresh = rng.normal(size=(2000, 6))
    one, two = learned(first, second), learned(first, second)
    np.testing.assert_array_equal(one.contains(fresh), two.contains(fresh))
    assert one.describe() == two.describe()
