"""Independence as a question of its own, and one check at several epsilons.

Seeds are fixed; a right mechanism is flagged at a fixed seed with probability 0.01 at most, and
none is.
"""

from __future__ import annotations

import re
import time
from functools import partial
from typing import Any

import numpy as np
import pytest

import auditor
from auditor import InputError
from auditor.checking.culprits import blame
from auditor.checking.several_epsilons import unchanged_for
from auditor.core.verdict import Verdict
from auditor.runs.clock import Clock
from auditor.zoo import specimens
from auditor.zoo.broken_independence import one_key_for_two_releases
from auditor.zoo.broken_noise import one_run_of_few_generator_states

TABLE = np.array([[0, 1, 1], [1, 1, 1], [1, 0, 0]])
DATA = np.zeros(10)
Rng = np.random.Generator


def two_sums(data: Any, rng: Rng) -> Any:
    noise = rng.laplace()
    return {"sum": data.sum() + noise, "count": len(data) + noise}


def correlated(data: Any, rng: Rng, size: int) -> Any:
    covariance = np.eye(6)
    covariance[2, 5] = covariance[5, 2] = 0.8
    return rng.multivariate_normal(np.zeros(6), covariance, size)


def now_and_then(data: Any, rng: Rng, size: int) -> Any:
    drawn = rng.laplace(size=(size, 4))
    again = rng.random(size) < 0.02
    drawn[again, 3] = drawn[again, 1]
    return drawn


def of_twelve_bits(data: Any, rng: Rng, size: int) -> Any:
    return np.array([np.random.default_rng(k).laplace() for k in rng.integers(4096, size=size)])


def of_one_seed(data: Any, rng: Rng, size: int) -> Any:
    return np.random.default_rng(7).laplace(size=(size, 2))


def one_key_on_the_line(data: Any, rng: Rng, size: int) -> Any:
    drawn = rng.laplace(size=(size, 1, 3))
    return np.concatenate([drawn, 5 + drawn], axis=1)


BROKEN = {
    "the same draw in two numbers": (two_sums, "share their noise"),
    "one key for two releases": (
        partial(one_key_for_two_releases, epsilon=1.0),  # whole numbers: seen, and not named
        "the parts of an output are not independent",
    ),
    "one key, noise on the line": (one_key_on_the_line, "two releases share their noise"),
    "correlated residuals": (correlated, "coordinates 2 and 5 are correlated"),
    "a draw that is used again": (now_and_then, "coordinate 3 repeats coordinate 1 in 2"),
    "few bits of seed": (of_twelve_bits, "the noise of output takes about 4,"),
    "a seed of its own": (of_one_seed, "does not depend on the seed"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_noise_that_is_not_independent_is_named(name: str) -> None:
    mechanism, words = BROKEN[name]
    batched = mechanism is not two_sums
    found = auditor.check_independence(
        mechanism,
        data=TABLE if "releases" in name else DATA,
        batched=batched,
        samples=20_000 if batched else 2000,
    )
    assert found.status == "violated"
    assert words in found.summary


RIGHT = {
    "numbers": lambda data, rng, size: data.sum() + rng.laplace(size=(size, 5)),
    "whole numbers": lambda data, rng, size: rng.geometric(0.001, size=(size, 2)),
    "bits": lambda data, rng, size: rng.random((size, 20)) < 0.3,
    "on a grid": lambda data, rng, size: np.round(rng.normal(size=(size, 2)), 3),
    "heavy tails": lambda data, rng, size: rng.standard_cauchy((size, 3)),
    "one number": lambda data, rng, size: rng.normal(size=size),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("seed", range(3))
def test_independent_noise_is_never_flagged(name: str, seed: int) -> None:
    found = auditor.check_independence(
        RIGHT[name], data=DATA, batched=True, samples=5000, seed=seed
    )
    assert found.status == "holds"
    assert ("asked" in found.facts) == (name == "one number")


def test_what_never_varies_says_nothing() -> None:
    found = auditor.check_independence(lambda data, rng: [1.0, 2.0], data=DATA, samples=200)
    assert found.status == "inconclusive"
    assert "every run gave the same output" in found.summary


def shared_key(data: Any, rng: Rng) -> Any:
    key = int(rng.integers(2**63))
    first, second = (np.random.default_rng(key) for _ in range(2))
    return [first.laplace(data.sum(), 4.0), second.laplace((data > 0.5).sum(), 4.0)]


def keys_apart(data: Any, rng: Rng) -> Any:
    return [rng.laplace(data.sum(), 4.0), rng.laplace((data > 0.5).sum(), 4.0)]


LAPLACE = auditor.Primitive(
    "numpy.random:Generator.laplace", noise="laplace", value="loc", sensitivity=1.0, scale="scale"
)


@pytest.mark.parametrize(("code", "answer"), [(shared_key, "violated"), (keys_apart, "holds")])
def test_two_releases_with_one_key_are_told_of_instrumented_code(code: Any, answer: str) -> None:
    pair = np.zeros(20), np.append(np.zeros(19), 1.0)
    found = auditor.check(auditor.instrument(code, LAPLACE), pair=pair, epsilon=0.5, samples=1000)
    (samplers,) = (one for one in found.questions if one.question == "samplers")
    assert samplers.status == answer
    told = "the noise of release 0" in samplers.summary and "not independent" in samplers.summary
    assert told == (answer == "violated")


def few_seeds(data: Any, rng: Rng) -> Any:
    return one_run_of_few_generator_states(data, rng, epsilon=0.5)


def many_seeds(data: Any, rng: Rng) -> Any:
    return np.random.default_rng(int(rng.integers(2**63))).laplace(data.sum(), 2.0)


@pytest.mark.parametrize(("code", "answer"), [(few_seeds, "violated"), (many_seeds, "holds")])
def test_few_seeds_are_told_of_instrumented_code(code: Any, answer: str) -> None:
    pair = np.zeros(20), np.append(np.zeros(19), 1.0)
    found = auditor.check(auditor.instrument(code, LAPLACE), pair=pair, epsilon=0.5, samples=1000)
    (samplers,) = (one for one in found.questions if one.question == "samplers")
    assert samplers.status == answer
    told = re.search(r"the noise of release 0 .* takes about (\d+) values", samplers.summary)
    assert (told is not None) == (answer == "violated")
    assert told is None or 200 < int(told[1]) < 330


def test_one_run_of_few_seeds_is_the_specimen() -> None:
    specimen, rng = specimens()["few-generator-states"], np.random.default_rng(0)
    for data in specimen.pair:
        known = np.unique(np.asarray(specimen(data, rng, 10_000)))
        drawn = [one_run_of_few_generator_states(data, rng, epsilon=1.0) for _ in range(50)]
        assert all(np.abs(known - one).min() < 1e-12 for one in drawn)


STATE = np.random.default_rng(5)


def shared_key_beside_what_is_not_declared(data: Any, rng: Rng) -> Any:
    return [*shared_key(data, rng), STATE.normal()]


def test_what_is_not_declared_does_not_excuse_shared_noise() -> None:
    """It may explain what other questions found, but not how declared draws depend."""
    pair = np.zeros(20), np.append(np.zeros(19), 1.0)
    code = auditor.instrument(shared_key_beside_what_is_not_declared, LAPLACE)
    found = auditor.check(code, pair=pair, epsilon=0.5, samples=1000)
    (samplers,) = (one for one in found.questions if one.question == "samplers")
    assert samplers.status == "violated"
    assert "not independent" in samplers.summary


def test_what_is_in_doubt_is_blamed_only_if_nothing_is_violated() -> None:
    moved = {"statement": "release 0 moves too far"}
    doubted = Verdict("sensitivity", "inconclusive", "not shown", evidence={"blame": moved})
    drawn = Verdict("samplers", "violated", "release 1 is drawn otherwise", p_value=0.0)
    assert blame([doubted]) == "release 0 moves too far"
    assert blame([doubted, drawn]) == "release 1 is drawn otherwise"
    assert blame([Verdict("samplers", "holds", "fine")]) is None


# ------------------------------------------------------------------------------ several epsilons


def whatever_epsilon(data: Any, rng: Rng, size: int, epsilon: float) -> Any:
    return data.sum() + rng.laplace(size=size)


def by_epsilon(data: Any, rng: Rng, size: int, epsilon: float) -> Any:
    return data.sum() + rng.laplace(scale=1 / epsilon, size=size)


def twice_from_two_on(data: Any, rng: Rng, size: int, epsilon: float) -> Any:
    return data.sum() + rng.laplace(scale=1 / min(epsilon, 2) / (1 + (epsilon > 1)), size=size)


PAIR = (np.zeros(3), np.array([0.0, 0.0, 1.0]))


@pytest.mark.parametrize(
    ("mechanism", "status", "refuted", "unchanged"),
    [
        (whatever_epsilon, "violated", [0.1], True),
        (twice_from_two_on, "violated", [2.0], False),
        (by_epsilon, "holds", [], False),
    ],
)
def test_several_epsilons(mechanism: Any, status: str, refuted: Any, unchanged: bool) -> None:
    found = auditor.check_epsilons(
        mechanism, [2.0, 1.0, 0.1], pair=PAIR, batched=True, samples=20_000
    )
    assert found.status == status
    assert [e for e, result in found.results.items() if result.status == "violated"] == refuted
    assert ("noise" in found.facts) == unchanged
    assert [result.confidence for result in found.results.values()] == pytest.approx(
        [1 - 0.01 / 3] * 3
    )


def laplace_of(scale: float, data: Any, rng: Rng, size: int) -> Any:
    return rng.laplace(scale=scale, size=size)


@pytest.mark.parametrize("seed", [0, 30])
def test_noise_that_does_not_change_is_surely_told(seed: int) -> None:
    # at an error probability of 1% seed 30 tells the two apart
    ends, options = [partial(laplace_of, 1.0)] * 2, {"batched": True, "samples": 2000, "seed": seed}
    assert unchanged_for(ends, DATA, options, Clock(None)) == 2000


@pytest.mark.parametrize("seed", range(5))
def test_noise_that_changes_by_a_third_is_told_apart(seed: int) -> None:
    ends = [partial(laplace_of, scale) for scale in (1.0, 1.35)]
    options = {"batched": True, "samples": 10_000, "seed": seed}
    assert unchanged_for(ends, DATA, options, Clock(None)) == 0


def test_a_mechanism_may_take_epsilon_before_its_generator() -> None:
    def same(data: Any, epsilon: float, rng: Rng) -> Any:
        return data.sum() + rng.laplace()

    found = auditor.check_epsilons(same, [0.1, 2.0], pair=PAIR, samples=4000, timeout=100.0)
    assert found.headline == "the claim is refuted at epsilon 0.1, and not at 2"
    assert "4000 runs see" in found.facts["noise"]


def test_several_epsilons_share_the_time() -> None:
    def slow(data: Any, rng: Rng, epsilon: float) -> Any:
        time.sleep(0.005)
        return rng.laplace()

    began = time.monotonic()
    found = auditor.check_epsilons(slow, [0.5, 1.0, 2.0], pair=PAIR, timeout=8.0)
    assert time.monotonic() - began < 16.0  # each on its own would have had 8
    assert sum(result.samples for result in found.results.values()) < 1600


def test_several_epsilons_with_a_search() -> None:
    found = auditor.check_epsilons(
        whatever_epsilon,
        [0.1, 1.0],
        domain=auditor.Box((), 0, 1),
        n=3,
        batched=True,
        samples=20_000,
    )
    assert found.headline == "the claim is refuted at epsilon 0.1, and not at 1"
    assert "nothing tells the outputs at 0.1 from those at 1" in found.facts["noise"]


@pytest.mark.parametrize(
    ("epsilons", "options", "words"),
    [
        ([1.0], {}, "2 to 100 numbers, got 1"),
        (1.0, {}, "two or more numbers"),
        ([1.0, 1.0], {}, "different numbers"),
        ([0.0, 1.0], {}, "epsilons"),
        ([1.0, 2.0], {"epsilon": 1.0}, "the claim is epsilon, of each"),
    ],
)
def test_epsilons_that_make_no_sense_are_refused(epsilons: Any, options: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        auditor.check_epsilons(by_epsilon, epsilons, pair=PAIR, batched=True, **options)
