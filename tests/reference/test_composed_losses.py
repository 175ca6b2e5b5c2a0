"""Composed losses: never below the truth, and next to it, down to a delta of 1e-100."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from benchmarks.accountants.truth import ACCURACY, Account, Group, draw, exact_delta
from reference.privacy import composed_losses
from reference.privacy.accounting import Charge, Composition
from reference.privacy.calibration import smallest_laplace_scale
from reference.privacy.composed_losses import LawPair, _interval, composed, join_dots
from reference.privacy.ledger import Ledger
from reference.privacy.mechanisms import Cost, Laplace

KINDS = {"response": "pure", "laplace": "laplace", "gaussian": "gaussian"}


def pairs_of(account: Account) -> tuple[tuple[LawPair, int], ...]:
    """Return the pairs as the accountant does, Gaussians that read everybody as one."""
    squares = sum(g.count * g.size**2 for g in account if g.kind == "gaussian" and not g.sample)
    pairs = [
        (LawPair(KINDS[g.kind], g.size, g.probability), g.count)  # type: ignore[arg-type]
        for g in account
        if g.kind != "gaussian" or g.sample
    ]
    return (*pairs, *([(LawPair("gaussian", math.sqrt(squares)), 1)] if squares else []))


@pytest.mark.parametrize("kind", ["response", "laplace", "gaussian", "mixed", "sampled", "both"])
def test_no_account_is_below_the_truth(kind: str) -> None:
    rng, shares = np.random.default_rng(48), []
    wanted = {"sampled": 1, "both": 2}.get(kind, 8)  # the integrals of samples take seconds
    while len(shares) < wanted:
        account, delta = draw(rng, kind)
        loss = composed(pairs_of(account))
        epsilon = loss.epsilon_at(delta)
        if not 1e-12 < epsilon < 100:
            continue
        exact = exact_delta(account, epsilon)
        if exact is None:
            continue
        slack = 0 if kind in ("response", "gaussian") else ACCURACY
        assert exact <= delta * (1 + slack), (account, delta)
        assert exact <= loss.delta_at(epsilon) * (1 + slack), (account, delta)
        shares.append(float(exact / delta))
    # and little of what is allowed is given away
    assert np.median(shares) > 0.98


def test_one_response_however_small_is_not_below_the_truth() -> None:
    """For a tilt of some billions, a formula of it must not cancel."""
    rng = np.random.default_rng(49)
    for _ in range(200):
        size = 10.0 ** rng.uniform(-8.9, 1)
        delta = min(0.5, size) * 10.0 ** rng.uniform(-12, -0.1)
        loss = composed(((LawPair("pure", size), 1),))
        finite = (delta - loss.infinite) * (1 - 2**-51)
        by_moments = loss._tilted(loss._tilt_for(finite)).epsilon_by_moments(finite)
        for epsilon in (loss.epsilon_at(delta), by_moments):
            exact = exact_delta((Group("response", size, 1),), epsilon)
            assert exact is not None
            assert delta >= exact, (size, delta, epsilon)


@pytest.mark.parametrize("kind", ["laplace", "pure", "gaussian"])
@pytest.mark.parametrize("size", [1e-8, 0.3, 4.0])
def test_the_joined_curve_is_that_of_the_pair_or_above_it(kind: str, size: float) -> None:
    pair = LawPair(kind, size)  # type: ignore[arg-type]
    interval = size / 7.3  # the curve ends between two points
    loss = join_dots(pair, interval, 1)
    points = (np.arange(len(loss.masses)) - loss.reach) * interval
    assert loss.masses.min() >= 0
    assert loss.masses.sum() + loss.infinite == pytest.approx(1.0, abs=1e-12)
    for epsilon in np.linspace(0, 9 * size, 60):
        joined = loss.infinite + loss.masses @ np.maximum(-np.expm1(epsilon - points), 0)
        exact = float(pair.curve(np.array([epsilon]))[0])
        assert joined >= exact * (1 - 1e-12)
        if epsilon / interval == round(epsilon / interval) and exact > 0:
            assert joined <= exact * (1 + 1e-6)


def test_many_responses_have_no_negative_delta() -> None:
    """A transform that is not tilted gives -9.5e-14 here."""
    ledger = Ledger(0)
    for _ in range(1627):
        ledger.randomized_response([[0]], epsilon=0.03366308993834912)
    found = ledger.spent(epsilon=11.27935226202257).delta
    exact = exact_delta((Group("response", 0.03366308993834912, 1627),), 11.27935226202257)
    assert exact is not None
    assert exact <= found <= exact * (1 + 1e-6)


@pytest.mark.parametrize("delta", [1e-11, 1e-14, 1e-60, 1e-100])
def test_ten_thousand_laplace_releases(delta: float) -> None:
    account = Composition([Charge(Laplace(200.0).cost(1.0))] * 10_000)
    epsilon = account.epsilon(delta).epsilon
    exact = exact_delta((Group("laplace", 0.005, 10_000),), epsilon)
    assert exact is not None
    assert 0.98 * delta <= exact <= delta * (1 + ACCURACY)


def test_laplace_noise_is_calibrated_to_what_holds() -> None:
    scale = smallest_laplace_scale(4.0, 1e-12, sensitivity=1.0, releases=10_000)
    for factor, fits in ((1.0, True), (0.999, False)):
        exact = exact_delta((Group("laplace", 1 / scale / factor, 10_000),), 4.0)
        assert exact is not None
        assert (exact <= 1e-12 * (1 + ACCURACY)) is fits


@pytest.mark.parametrize("kind", ["laplace", "pure"])
def test_a_bounded_loss_is_never_infinite(kind: str) -> None:
    """With its end a rounding beyond the grid, 7,209 Laplace releases had no account."""
    for size in np.random.default_rng(1).uniform(0.001, 3, 200):
        pair = LawPair(kind, float(size))  # type: ignore[arg-type]
        for others in ((), ((LawPair("gaussian", 0.5), 1),)):
            assert composed((*others, (pair, 7))).losses[-1].infinite == 0.0


def test_a_sum_of_epsilons_is_rounded_up() -> None:
    """To the nearest double, 101 responses were below the sum: a delta of 2.7e-45 for 1e-100."""
    account = Composition([Charge(Cost(pure=0.06280592521294401))] * 101)
    assert Fraction(account.pure) >= 101 * Fraction(0.06280592521294401)
    assert Composition([Charge(Cost(pure=0.5))] * 3).pure == 1.5
    exact = exact_delta(
        (Group("response", 0.06280592521294401, 101),), account.epsilon(1e-100).epsilon
    )
    assert exact is not None
    assert exact <= 1e-100


def test_a_delta_below_the_smallest_is_refused() -> None:
    ledger = Ledger(0)
    ledger.laplace([0.0], sensitivity=1, scale=1)
    with pytest.raises(ValueError, match=r"delta must be at least 1e-100, got 1e-101"):
        ledger.spent(delta=1e-101)


def test_a_loss_that_no_run_exceeds_costs_nothing_beyond_it() -> None:
    loss = composed(((LawPair("pure", 0.5), 4),))
    assert loss.delta_at(2.0) == 0.0
    assert 0 < loss.delta_at(1.999) < 1e-3


ROUNDED = [
    (Group("response", 0.05, 1000),),
    (Group("response", 1.0, 7),),
    (Group("laplace", 0.02, 8000),),
    (Group("gaussian", 0.7, 1), Group("laplace", 0.25, 4)),
]


@pytest.mark.parametrize("account", ROUNDED)
def test_the_bound_on_rounding_holds_where_rounding_is_seen(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transforms and powers in single precision, with its unit of rounding."""
    forwards, backwards = np.fft.rfft, np.fft.irfft
    monkeypatch.setattr(composed_losses, "_UNIT", 2.0**-24)
    monkeypatch.setattr(np.fft, "rfft", lambda x: forwards(x.astype(np.float32)))
    monkeypatch.setattr(
        np.fft, "irfft", lambda z, n: backwards(z.astype(np.complex64), n).astype(np.float64)
    )
    loss = composed_losses.ComposedLoss(pairs_of(account), _interval(pairs_of(account)))
    for epsilon in (0.0, 0.5, 1.0, 3.0):
        exact = exact_delta(account, epsilon)
        assert exact is not None
        assert exact <= loss.delta_at(epsilon)


@pytest.mark.parametrize("account", ROUNDED)
def test_what_lies_beyond_a_narrow_window_is_counted(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composed_losses, "_NATS", 0.1)
    loss = composed_losses.ComposedLoss(pairs_of(account), _interval(pairs_of(account)))
    for epsilon in (0.0, 0.5, 1.0, 3.0):
        exact = exact_delta(account, epsilon)
        assert exact is not None
        assert exact <= loss.delta_at(epsilon) * (1 + ACCURACY)


def test_a_law_of_too_many_points_is_put_on_a_coarser_grid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(composed_losses, "_MOST_POINTS", 1024)
    pairs = ((LawPair("gaussian", 0.7), 1),)
    loss = composed_losses.ComposedLoss(pairs, _interval(pairs))
    for epsilon in (0.5, 1.0, 3.0):
        exact = exact_delta((Group("gaussian", 0.7, 1),), epsilon)
        assert exact is not None
        assert exact <= loss.delta_at(epsilon) <= exact * 1.002
    assert "_coarser" in vars(loss)


def test_the_end_of_a_tail_is_an_infinite_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composed_losses, "SMALLEST_DELTA", 1.0)  # the tail ends at 1e-10
    loss = composed_losses.ComposedLoss(((LawPair("gaussian", 0.5), 1),), 0.01)
    for epsilon in (1.0, 3.0, 4.0, 10.0):
        exact = exact_delta((Group("gaussian", 0.5, 1),), epsilon)
        assert exact is not None
        assert exact <= loss.delta_at(epsilon)
    assert loss.epsilon_at(1e-12) == math.inf


@pytest.mark.parametrize("kind", ["laplace", "pure"])
def test_a_tiny_loss_beside_a_large_one_makes_no_finer_grid(kind: str) -> None:
    large = (LawPair("gaussian", 0.2, 0.02), 12)
    tiny = (LawPair(kind, 1e-8), 1)  # type: ignore[arg-type]
    assert _interval((large, tiny)) >= _interval((large,)) / 2
    alone, both = composed((large,)), composed((large, tiny))
    for delta in (1e-100, 1e-12):
        # the tiny one adds at most its size, and the truth of the large one alone is below both
        assert both.epsilon_at(delta) == pytest.approx(alone.epsilon_at(delta), rel=1e-4)
