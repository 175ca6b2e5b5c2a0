"""The sampler audit: exact on honest noise of every kind, and blind to no halved noise.

Seeds are fixed. A correct audit would fail a test here with probability below 1e-6 had the seed
been drawn too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.mutation import through
from auditor.core.verdict import Verdict
from auditor.events.lattices import values_and_pairs
from auditor.mechanisms import uniforms
from auditor.questions import samplers
from auditor.questions.mutants import generic
from auditor.questions.samplers import groups_of, uniformity
from auditor.transcript.replay import record
from auditor.transcript.shared import SharedRuns
from reference.privacy.guarantees import PureDP
from reference.privacy.ledger import Ledger
from reference.privacy.mechanisms import Gaussian, L2BallRandomizer, Wishart

SUITE = Context(tests=11)  # as many as an algorithm of the catalogue has at most


def _rows() -> np.ndarray:
    rows = np.random.default_rng(0).normal(size=(40, 4))
    return rows / (1.5 * np.linalg.norm(rows, axis=1, keepdims=True))


ROWS = _rows()
DATA = (ROWS, ROWS)


def form(run: Callable[[Any, Ledger], Any]) -> Form:
    return Form(run=run, claim=PureDP(1.0), pair=DATA, replaced=0, parameters={})


NOISE = {"sensitivity": 0.1, "scale": 0.3}
KINDS: dict[str, Callable[[Any, Ledger], Any]] = {
    "gaussian": lambda d, z: z.gaussian(d.mean(0), **NOISE),
    "laplace": lambda d, z: z.laplace(d.mean(0), **NOISE),
    "symmetric gaussian": lambda d, z: z.symmetric_gaussian(
        d.T @ d, diagonal_variance=2.0, **NOISE
    ),
    "symmetric laplace": lambda d, z: z.symmetric_laplace(d.T @ d, **NOISE),
    "wishart": lambda d, z: z.wishart(d.T @ d, degrees=5, **NOISE),
    "smooth": lambda d, z: z.smooth(
        d[0, 0], smooth_bound=0.3, smoothness=0.1, divisor=0.5, rho=0.1
    ),
    "exponential": lambda d, z: z.exponential(d[0], sensitivity=0.1, epsilon=0.5),
    "exponential with ties": lambda d, z: z.exponential(
        [0.0, 1.0, 0.0, 1.0, 0.0], sensitivity=0.5, epsilon=1.0
    ),
    "interval exponential": lambda d, z: z.interval_exponential(
        [0, 1, 3, 1, -2], [0.4, 0.5, 0.5, 2], lower=-1, upper=3, sensitivity=0.5, epsilon=1.0
    ),
    "peeling": lambda d, z: z.peeling(d[0], count=2, sensitivity=0.1, scale=0.1),
    "randomized response": lambda d, z: z.randomized_response(d[:, 0] > 0, epsilon=1.0),
    "five categories": lambda d, z: z.randomized_response(
        np.arange(40) % 5, epsilon=1.0, categories=5
    ),
    "unary": lambda d, z: z.unary(np.arange(40) % 3, categories=3, epsilon=1.0),
    "bit": lambda d, z: z.bit(1 / (1 + np.exp(-3 * d[:, 0])), epsilon=4.0),
    "l2 ball": lambda d, z: z.l2_ball(d, radius=1.0, epsilon=1.0),
    "l2 ball in 2 dimensions": lambda d, z: z.l2_ball(d[:, :2], radius=1.0, epsilon=1.0),
    "l2 ball on a line": lambda d, z: z.l2_ball(d[:, :1], radius=0.7, epsilon=2.0),
}


# halved noise is the same whatever the categories, the dimension and the ties are
VARIANTS = {"exponential with ties", "five categories", "l2 ball in 2 dimensions"}
MECHANISMS = [name for name in KINDS if name not in VARIANTS]


@pytest.mark.parametrize("kind", MECHANISMS)
def test_honest_noise_holds_and_halved_noise_is_violated(kind: str) -> None:
    honest = form(KINDS[kind])
    verdict = samplers.audit(honest, SUITE.at(kind))
    assert verdict.status == "holds"
    assert verdict.p_value is not None
    assert verdict.p_value > 1e-3
    assert verdict.evidence["draws"] >= 100
    quiet = generic(honest)["noise secretly halved"]
    caught = samplers.audit(quiet, SUITE.at(kind))
    assert caught.status == "violated"
    witness = Verdict.from_json(json.loads(json.dumps(caught.to_json()))).witness
    assert witness is not None
    assert samplers.reproduce(quiet, witness)
    assert not samplers.reproduce(honest, witness)


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_uniform(kind: str) -> None:
    # many more draws than an audit takes, on one release at a time
    rng, seeds = np.random.default_rng(1), np.random.SeedSequence(2).spawn(400)
    releases = [r for seed in seeds for r in record(KINDS[kind], ROWS, seed)[0].releases]
    values = np.concatenate([uniforms(release, rng) for release in releases])
    assert ((values >= 0) & (values <= 1)).all()
    assert uniformity(values).p_value > 1e-6


class Scaled(Gaussian):
    factor = 0.5

    def output(self, value: Any, draw: Any) -> Any:
        return value + self.factor * self.scale * draw


class Loud(Scaled):
    factor = 1.5


class Uniform(Gaussian):
    def draw(self, value: Any, rng: np.random.Generator) -> Any:
        return rng.uniform(-(3**0.5), 3**0.5, size=value.shape)


class Below(Wishart):
    def output(self, value: Any, draw: Any) -> Any:
        return value - (super().output(value, draw) - value)


class Flat(L2BallRandomizer):
    def draw(self, value: Any, rng: np.random.Generator) -> Any:
        coin, truth, direction = super().draw(value, rng)
        return coin, truth, direction * np.append(np.ones(value.shape[-1] - 1), 0.2)


@pytest.mark.parametrize(
    ("broken", "run", "spread"),
    [
        # a wrong shape with the right spread
        (Uniform, lambda d, z: z.gaussian(d[0], sensitivity=0.1, scale=1.0), 1.0),
        (Loud, lambda d, z: z.gaussian(d[0, :1], sensitivity=0.1, scale=1.0), 1.5),
        # outputs that are impossible
        (Below, lambda d, z: z.wishart(d.T @ d, degrees=5, **NOISE), None),
        # directions that are not uniform
        (Flat, KINDS["l2 ball"], None),
        (Flat, KINDS["l2 ball in 2 dimensions"], None),
    ],
)
def test_noise_that_is_not_as_declared_is_caught(
    broken: Any, run: Callable[..., Any], spread: float | None
) -> None:
    wrong = through(form(run), lambda i, m, v, s: (broken(**vars(m)), v, s))
    verdict = samplers.audit(wrong, SUITE)
    assert verdict.status == "violated"
    assert verdict.witness is not None
    assert spread is None or verdict.witness["spread"] == pytest.approx(spread, rel=0.1)
    tests = [uniformity(np.full(40, value)) for value in (1e-6, 0.5)]
    assert all(test.p_scale < 1e-6 for test in tests)  # spread 4.75, and 0


def test_one_bad_release_among_good_ones_is_named() -> None:
    def run(data: Any, ledger: Ledger) -> None:
        for _ in range(6):
            ledger.gaussian(data.mean(0), sensitivity=0.1, scale=1.0)

    # half the noise it declares
    quiet = through(form(run), lambda i, m, v, s: (Scaled(m.scale) if i == 4 else m, v, s))
    verdict = samplers.audit(quiet, SUITE)
    assert verdict.status == "violated"
    assert verdict.witness is not None
    assert verdict.witness["group"] == "release 4 (gaussian)"
    assert verdict.witness["spread"] == pytest.approx(0.5, abs=0.06)


def test_later_releases_may_depend_on_earlier_outputs() -> None:
    def run(data: Any, ledger: Ledger) -> None:
        state = data.mean(0)
        for _ in range(20):
            state = ledger.gaussian(state, sensitivity=0.1, scale=float(1 + abs(state[0])))

    assert samplers.audit(form(run), SUITE).status == "holds"


def test_true_laws_are_rarely_flagged() -> None:
    # 300 tests at alpha = 0.05: more than 41 alarms, or none, has probability below 1e-6
    def run(data: Any, ledger: Ledger) -> None:
        ledger.laplace(np.zeros(20), sensitivity=1.0, scale=2.0)
        ledger.randomized_response(np.arange(20) % 3, epsilon=1.0, categories=3)

    runs = SharedRuns(form(run), Context(seed=5)).numbers("screen", 300 * 5)
    alarms = 0
    for audit in range(300):
        numbers = groups_of(runs[5 * audit : 5 * audit + 5])["all"]
        alarms += uniformity(numbers).p_value <= 0.05
    assert 1 <= alarms <= stats.binom.isf(1e-7, 300, 0.05)


# ---------------------------------------------------------------------------- independence


FIRST: list[Any] = []


class First(Gaussian):
    def draw(self, value: Any, rng: np.random.Generator) -> Any:
        FIRST[:] = [super().draw(value, rng)]
        return FIRST[0]


class Second(Gaussian):
    share = 1.0

    def draw(self, value: Any, rng: np.random.Generator) -> Any:
        return self.share * FIRST[0] + (1 - self.share**2) ** 0.5 * super().draw(value, rng)


class Negative(Second):
    share = -1.0


class Correlated(Second):
    share = 0.8


class Shared(Gaussian):
    def draw(self, value: Any, rng: np.random.Generator) -> Any:
        return np.repeat(super().draw(value[::2], rng), 2)


def two_releases(data: Any, ledger: Ledger) -> Any:
    return [ledger.gaussian(data.mean(0)[:2], sensitivity=0.1, scale=1.0) for _ in range(2)]


@pytest.mark.parametrize(
    ("classes", "group"),
    [
        ((First, Second), "difference of releases 0 and 1"),
        ((First, Negative), "sum of releases 0 and 1"),
        ((First, Correlated), "difference of releases 0 and 1"),
        ((Shared, Shared), "differences within releases"),
    ],
)
def test_noise_that_is_not_independent_is_caught(classes: Any, group: str) -> None:
    """Every release by itself is drawn as declared."""
    wrong = through(form(two_releases), lambda i, m, v, s: (classes[i](**vars(m)), v, s))
    verdict = samplers.audit(wrong, SUITE)
    assert verdict.status == "violated"
    assert verdict.witness is not None
    assert verdict.witness["group"] == group
    assert samplers.not_independent(group) == ((0, 1) if "0 and 1" in group else ())
    assert samplers.reproduce(wrong, verdict.witness)
    assert not samplers.reproduce(form(two_releases), verdict.witness)
    alone = [t for t in verdict.evidence["groups"] if t["group"].startswith("release ")]
    assert alone
    assert all(test["p_value"] > 1e-6 for test in alone)


def test_differences_and_sums_of_independent_numbers_are_uniform() -> None:
    runs = SharedRuns(form(two_releases), Context(seed=3)).numbers("screen", 2000)
    compared = {g: u for g, u in groups_of(runs).items() if samplers.not_independent(g) is not None}
    assert len(compared) == 4
    assert all(uniformity(numbers).p_value > 1e-6 for numbers in compared.values())


# -------------------------------------------------------------------------- few seed bits


def reseeded(bits: int) -> type[Gaussian]:
    """Return noise from a generator whose seed has few bits."""

    class Reseeded(Gaussian):
        def draw(self, value: Any, rng: np.random.Generator) -> Any:
            return super().draw(value, np.random.default_rng(int(rng.integers(2**bits))))

    return Reseeded


def one_number(data: Any, ledger: Ledger) -> Any:
    return ledger.gaussian(data.mean(0)[0], sensitivity=0.1, scale=1.0)


@pytest.mark.parametrize("run", [one_number, two_releases])
def test_noise_of_few_seeds_is_caught(run: Callable[[Any, Ledger], Any]) -> None:
    """Every draw has the declared law, and draws of a run are independent."""
    noise = reseeded(10)
    wrong = through(form(run), lambda i, m, v, s: (noise(**vars(m)), v, s))
    verdict = samplers.audit(wrong, SUITE)
    assert verdict.status == "violated"
    assert "numbers repeat the noise of others" in verdict.summary
    assert verdict.witness is not None
    assert verdict.witness["group"] == samplers.REPEATED
    assert samplers.reproduce(wrong, verdict.witness)
    assert not samplers.reproduce(form(run), verdict.witness)
    others = [t for t in verdict.evidence["groups"] if t["group"] != samplers.REPEATED]
    assert all(test["p_value"] > 1e-6 for test in others)


def test_the_bits_that_128_runs_see() -> None:
    """The share of audits that see 12 bits is what the module says, up to chance of 1e-6."""
    rng, audits = np.random.default_rng(0), 2000
    seen = sum(
        samplers.repetition(rng.integers(2**12, size=128) / 2**12).p_value < 1e-3
        for _ in range(audits)
    )
    low, high = stats.binom.interval(1 - 1e-6, audits, 1 - np.exp(-8128 / 2**12))
    assert low <= seen <= high


def test_repeats_of_noise_on_the_finest_grid_are_as_rare_as_claimed() -> None:
    # the mean of the pairs, at a grid of 2^-16, where they can be counted
    rng, step, runs = np.random.default_rng(1), 2.0**-16, 200_000
    for drawn in (rng.normal(size=runs), rng.laplace(size=runs)):
        _, counts = np.unique(np.rint(drawn / step), return_counts=True)
        _, pairs = values_and_pairs(counts)
        assert pairs <= samplers.SAME_NOISE / 2.0**-30 * step * runs * (runs - 1) / 2


@pytest.mark.parametrize(("level", "asked"), [(0.0, True), (2.0**20, True), (2.0**24, False)])
def test_numbers_too_large_for_their_noise_are_not_searched(level: float, asked: bool) -> None:
    def run(data: Any, ledger: Ledger) -> Any:
        return ledger.gaussian(level, sensitivity=0.1, scale=1.0)

    groups = groups_of(SharedRuns(form(run), Context(seed=4)).numbers("screen", 3))
    assert (samplers.REPEATED in groups) == asked


def test_choices_are_not_searched() -> None:
    runs = SharedRuns(form(KINDS["randomized response"]), Context(seed=4)).numbers("screen", 3)
    assert samplers.REPEATED not in groups_of(runs)
