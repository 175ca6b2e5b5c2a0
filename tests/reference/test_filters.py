"""A limit that no choice of releases exceeds, and that what fits reaches."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from reference.basic.gaussian import gaussian_mechanism
from reference.basic.laplace import laplace_mechanism
from reference.privacy import Ledger, LimitExceeded
from reference.privacy.filters import Filter, _epsilons_of, _mu_of
from reference.privacy.guarantees import (
    gaussian_dp_delta,
    gaussian_dp_mu,
    laplace_rho,
    largest_zcdp_rho,
)
from reference.privacy.mechanisms import Cost, Gaussian, Laplace
from tests.reference.ledgers import laplace


def coin(ledger: Ledger, epsilon: float) -> object:
    return ledger.randomized_response([0], epsilon=epsilon, unit="dataset")


def gaussian(ledger: Ledger, mu: float, **claim: Any) -> object:
    return ledger.gaussian(0.0, sensitivity=1, scale=1 / mu, **claim)


def refused(release: Callable[[], object]) -> bool:
    try:
        release()
    except LimitExceeded:
        return True
    return False


# ------------------------------------------------------------------ what no adversary may exceed


def fair_loss(epsilon: float) -> list[tuple[float, float]]:
    """Return probability and loss of the two answers of randomised response."""
    truth = 1 / (1 + math.exp(-epsilon))
    return [(truth, epsilon), (1 - truth, -epsilon)]


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.1), (0.5, 0.05), (1.0, 0.0)])
def test_no_adversary_gets_more_out_of_randomised_response(epsilon: float, delta: float) -> None:
    """The best of all adversaries who choose by what they have seen, by dynamic programming."""
    choices = (0.12 * epsilon, 0.35 * epsilon)

    @cache
    def admitted(counts: tuple[int, int]) -> bool:
        gate = Filter(epsilon, delta)
        try:
            for count, size in zip(counts, choices, strict=True):
                for _ in range(count):
                    gate.charge(Cost(pure=size, rho=size**2 / 2), None)
        except LimitExceeded:
            return False
        return True

    @cache
    def best(counts: tuple[int, int], net: tuple[int, int]) -> float:
        """Return the largest E (1 - e^(epsilon - loss))_+ from here on."""
        loss = net[0] * choices[0] + net[1] * choices[1]
        value = max(0.0, -math.expm1(epsilon - loss))
        for k, size in enumerate(choices):
            more = (counts[0] + (k == 0), counts[1] + (k == 1))
            if admitted(more):
                after = [
                    p * best(more, (net[0] + sign * (k == 0), net[1] + sign * (k == 1)))
                    for (p, _), sign in zip(fair_loss(size), (1, -1), strict=True)
                ]
                value = max(value, sum(after))
        return value

    worst = best((0, 0), (0, 0))
    assert worst <= delta
    assert best.cache_info().currsize > 30
    if delta > 0:
        assert worst > delta / 20  # and is not far below for nothing


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-2), (0.5, 1e-3), (3.0, 0.1)])
@pytest.mark.parametrize("share", [0.2, 0.6, 0.95])
def test_no_adversary_gets_more_out_of_a_gaussian_and_what_it_says(
    epsilon: float, delta: float, share: float
) -> None:
    """After a Gaussian release the best of: nothing, a Gaussian one, randomised response."""
    mu = share * gaussian_dp_mu(epsilon, delta)
    ledger = Ledger(0, limit=(epsilon, delta))
    gaussian(ledger, mu)
    left = ledger.left
    assert left is not None

    def beyond(target: float, size: float) -> float:
        """Delta of a Gaussian release of that mu at any epsilon, also a negative one."""
        low = target / size - size / 2
        return float(stats.norm.sf(low) - math.exp(target) * stats.norm.sf(low + size))

    def value(z: float) -> float:
        rest = epsilon - (mu * z + mu * mu / 2)  # the loss is that of z ~ N(0, 1) plus mu under P
        chosen = max(0.0, -math.expm1(rest)), beyond(rest, left.mu)
        answers = sum(max(0.0, p * -math.expm1(rest - x)) for p, x in fair_loss(left.epsilon))
        return float(stats.norm.pdf(z)) * max(*chosen, answers)

    worst, _ = integrate.quad(value, -12, 12, limit=500, points=[0.0])
    assert 0.99 * delta < worst <= delta * (1 + 1e-6)


def test_the_account_of_what_was_admitted_never_exceeds_the_limit() -> None:
    rng = np.random.default_rng(0)
    for trial in range(6):
        epsilon, delta = 10 ** rng.uniform(-1, 0.5), 10 ** rng.uniform(-9, -2)
        ledger, admitted = Ledger(trial, limit=(epsilon, delta)), 0
        for _ in range(25):
            size, start = epsilon * 10 ** rng.uniform(-1.5, -0.3), int(rng.integers(0, 4))
            records = (None, slice(start, start + 2), rng.permutation(5)[:2])[rng.integers(3)]
            make = (laplace, gaussian)[int(rng.integers(2))]
            admitted += not refused(lambda: make(ledger, size, records=records))  # noqa: B023
        assert 0 < admitted < 25
        assert len(ledger.transcript.releases) == admitted
        assert ledger.spent(delta=delta).epsilon <= epsilon * (1 + 1e-9)


# --------------------------------------------------------------------------------- what is refused


def test_a_release_beyond_the_limit_is_refused_before_anything_is_drawn() -> None:
    ledger = Ledger(0, limit=(1.0, 0.0))
    laplace(ledger, 0.75)
    state = ledger._rng.bit_generator.state
    for release in (
        lambda: laplace(ledger, 0.26),
        lambda: ledger.exponential([0.0, 1.0], sensitivity=1, epsilon=0.3),
        lambda: ledger.randomized_response([[0, 1, 1]], epsilon=0.1, unit="attribute"),
        lambda: gaussian(ledger, 1e-9),
        lambda: ledger.gaussian(0.0, sensitivity=1e-140, scale=1e140),
        lambda: ledger.wishart(np.eye(2), sensitivity=1e-9, degrees=3, scale=1),
        lambda: ledger.smooth(0.0, smooth_bound=1, smoothness=0.1, divisor=1, rho=1e-9),
    ):
        with pytest.raises(LimitExceeded, match="limit of epsilon 1, delta 0; nothing was drawn"):
            release()
    assert ledger._rng.bit_generator.state == state
    assert len(ledger.transcript) == 1
    laplace(ledger, 0.25)
    # no cost is rounded to nothing
    first = Ledger(0, limit=(1.0, 0.0))
    assert refused(lambda: first.gaussian(0.0, sensitivity=1e-140, scale=1e140))
    assert ledger.spent(delta=0).epsilon == 1.0
    assert ledger.left is not None
    assert ledger.left.epsilon == ledger.left.mu == 0


def test_what_was_calibrated_to_the_limit_fits_once() -> None:
    # the exact Gaussian calibration too, which zCDP would refuse
    data = [[1.0], [0.0]]
    both = Ledger(0, limit=(0.3, 1e-5)), Ledger(0, limit=(0.3, 0))
    gaussian_mechanism(data, epsilon=0.3, delta=1e-5, bound=1.0, ledger=both[0])
    laplace_mechanism(data, epsilon=0.3, bound=1.0, ledger=both[1])
    for ledger in both:
        assert refused(lambda: laplace(ledger, 1e-3))  # noqa: B023
    tenths = Ledger(0, limit=(1.0, 0))
    for _ in range(10):
        laplace(tenths, 0.1)
    assert refused(lambda: laplace(tenths, 1e-9))


@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.01])
@pytest.mark.parametrize(
    "before", [[], ["laplace"], ["gaussian"], ["laplace", "gaussian"], ["gaussian", "laplace"]]
)
def test_exactly_what_is_left_is_admitted(delta: float, before: list[str]) -> None:
    def at_that_point() -> Ledger:
        ledger = Ledger(0, limit=(1.0, delta))
        for kind in before:
            if delta > 0 or kind == "laplace":
                laplace(ledger, 0.05) if kind == "laplace" else gaussian(ledger, 0.05)
        return ledger

    left = at_that_point().left
    assert left is not None
    assert left.epsilon > 0.05
    # of a pure release that costs no less than its epsilon says, as Laplace noise does
    coin(at_that_point(), left.epsilon * (1 - 1e-12))
    assert refused(lambda: coin(at_that_point(), left.epsilon * 1.001))
    if delta > 0:
        gaussian(at_that_point(), left.mu * (1 - 1e-12))
        assert refused(lambda: gaussian(at_that_point(), left.mu * 1.001))
    assert (left.mu > 0) == (delta > 0)


def test_the_first_release_chooses_the_filter() -> None:
    epsilon, delta = 1.0, 1e-5
    concentrated = Ledger(0, limit=(epsilon, delta))
    laplace(concentrated, 0.01)
    gauss = Ledger(0, limit=(epsilon, delta))
    gaussian(gauss, 0.01)
    first, second = concentrated.left, gauss.left
    assert first is not None
    assert second is not None
    assert first.mu == pytest.approx(
        math.sqrt(2 * (largest_zcdp_rho(epsilon, delta) - laplace_rho(0.01)))
    )
    assert second.mu == pytest.approx(math.sqrt(gaussian_dp_mu(epsilon, delta) ** 2 - 1e-4))


def test_sampling_is_not_counted() -> None:
    ledger = Ledger(0, limit=(1.0, 0.0))
    for _ in range(2):
        laplace(ledger, 0.5, sample=ledger.subsample(1000, 1))
    assert refused(lambda: laplace(ledger, 0.5, sample=ledger.subsample(1000, 1)))
    assert ledger.spent(delta=0).epsilon < 0.01


def test_spawned_ledgers_share_the_limit_and_stay_here() -> None:
    ledger = Ledger(0, limit=(1.0, 0.0))
    one, two = ledger.spawn(2)
    laplace(one, 0.75)
    assert refused(lambda: laplace(two, 0.5))
    assert refused(lambda: laplace(ledger, 0.5))
    assert one.left == two.left == ledger.left
    with pytest.raises(TypeError, match="a ledger with a limit cannot be sent"):
        pickle.dumps(two)
    blocks = Ledger(0, limit=(1.0, 0.0))
    for part in blocks.spawn(2, records=[slice(0, 5), slice(5, 10)]):
        (leaf,) = part.spawn(1, records=[slice(0, 2)])
        laplace(leaf, 1.0)
        laplace(part, 1.0, records=slice(2, 5))
        assert refused(lambda: laplace(part, 0.1, records=slice(1, 2)))  # noqa: B023
    assert blocks.spent(delta=0).epsilon == 1.0


def test_threads_do_not_overrun_it_together() -> None:
    ledger = Ledger(0, limit=(1.0, 0.0))
    with ThreadPoolExecutor(8) as pool:
        tasks = [(lambda part=part: laplace(part, 0.125)) for part in ledger.spawn(64)]  # type: ignore[misc]
        assert sum(not bad for bad in pool.map(refused, tasks)) == 8
    assert ledger.spent(delta=0).epsilon == 1.0


@pytest.mark.parametrize(
    ("limit", "error"),
    [
        (1.0, TypeError),
        ([1.0, 0.0], TypeError),
        ((1.0,), ValueError),
        ((0.0, 0.0), ValueError),
        ((1.0, 1.0), ValueError),
        ((1.0, -1e-9), ValueError),
        ((math.inf, 0.0), ValueError),
        ((1.0, math.nan), ValueError),
        ((None, 0.0), TypeError),
    ],
)
def test_a_limit_that_is_none_is_refused(limit: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"limit|epsilon|delta"):
        Ledger(0, limit=limit)
    assert Ledger(0).left is None


# --------------------------------------------------------------------------- pure as Gaussian DP


@pytest.mark.parametrize("size", [1e-9, 1e-4, 0.9e-3, 1.1e-3, 0.1, 1.0, 10.0, 100.0, 1e4])
def test_a_pure_release_is_gaussian_dp_of_its_mu(size: float) -> None:
    mu = _mu_of(size)
    # the trade-off curve of N(0, 1) against N(mu, 1) at the corner of that of randomised response
    corner = -np.logaddexp(0.0, size)
    assert stats.norm.logsf(mu / 2) <= corner
    assert stats.norm.logsf(mu / 2 * (1 - 1e-5)) > corner
    if size >= 0.1:  # where the curves are well resolved: at every epsilon
        for epsilon in np.linspace(0, min(size, 600), 50)[:-1]:
            pure = -math.expm1(epsilon - size) / (1 + math.exp(-size))
            assert gaussian_dp_delta(mu, float(epsilon)) >= pure * (1 - 1e-9)
    back = float(_epsilons_of(np.array([mu]))[0])
    assert size * (1 - 1e-6) < back <= size * (1 + 1e-15)


def test_costs_of_both_kinds_are_those_of_the_mechanisms() -> None:
    gate = Filter(1.0, 0.01)
    gate.charge(Gaussian(10.0).cost(1.0), None)
    gate.charge(Laplace(20.0).cost(1.0), None)
    assert gate._sums.tolist() == [[math.inf, pytest.approx(0.01 + _mu_of(0.05) ** 2)]]
