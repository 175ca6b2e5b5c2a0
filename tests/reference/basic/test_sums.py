"""Sums that are rounded once, and every release that is made of one."""

import ast
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import reference
from reference.basic.gaussian import gaussian_mechanism
from reference.basic.laplace import laplace_mechanism
from reference.basic.sums import rounded_mean, rounded_mean_product, rounded_sum, rounding_factor
from reference.em.clipped_gradient_em import clipped_gradient_em
from reference.em.models import GaussianMixture
from reference.losses import Cosine, Linear
from reference.privacy.ledger import RecordingLedger

REFERENCE = Path(reference.__file__).parent
N = 2**14
ALLOWED = 1 + N * 2.0**-51  # the roundings of a sum, of a mean, and of the bound


def fractions(values):
    return [Fraction(float(value)) for value in values]


def on_the_grid(n):
    """Terms of 30 bits, some of them 2^44 times smaller than others: a sum in order loses bits."""
    rng = np.random.default_rng(n)
    return np.ldexp(
        rng.integers(-(2**30), 2**30, (n, 2)).astype(float), -rng.integers(30, 75, (n, 2))
    )


def sum_of(terms):
    """Exact, then rounded once."""
    return [float(sum(fractions(column))) for column in terms.T]


@pytest.mark.parametrize("n", [1, 2, 3, 20_000])
def test_the_sum_of_terms_on_the_grid_is_rounded_once(n):
    """Rational arithmetic rounds the same sum once, in any order."""
    terms = on_the_grid(n)
    np.testing.assert_array_equal(rounded_sum(terms, bound=1.0), sum_of(terms))
    np.testing.assert_array_equal(rounded_sum(terms[::-1], bound=1.0), sum_of(terms))
    np.testing.assert_array_equal(rounded_mean(terms, bound=1.0), np.array(sum_of(terms)) / n)
    weights = np.random.default_rng(0).choice([-1.0, 0.5, 1.0], size=n)
    found = rounded_sum(terms, bound=1.0, weights=weights)
    np.testing.assert_array_equal(found, sum_of(terms * weights[:, None]))


def test_a_mean_gradient_is_rounded_twice():
    """The sum to the nearest double, then its quotient: Linear's gradients are y a."""
    terms = on_the_grid(20_000)
    labels = np.random.default_rng(0).choice([-1.0, 1.0], size=len(terms))
    loss = Linear(feature_norm="l-infinity")
    found = loss.gradient((terms, labels), np.zeros(2))
    np.testing.assert_array_equal(found, np.array(sum_of(terms * labels[:, None])) / len(terms))


@pytest.mark.parametrize("bound", [1.0, 0.7, 1e9, 1e-30])
def test_a_sum_of_any_bounded_terms_is_that_of_real_numbers_but_for_the_grid(bound):
    """At worst n terms lose a step of the grid, n bound 2^-51/2^b with b = 52 - 12."""
    rng = np.random.default_rng(0)
    terms = rng.uniform(-bound, bound, (3000, 1)) * 10.0 ** -rng.uniform(0, 12, (3000, 1))
    exact = sum(fractions(terms[:, 0]))
    found = Fraction(rounded_sum(terms, bound=bound).item())
    grid = 3000 * Fraction(3000 * bound) * Fraction(2) ** (-51 - 40)
    assert abs(found - exact) <= grid + abs(exact) * Fraction(2) ** -53


@pytest.mark.parametrize("n", [1, 7, 5000])
def test_a_mean_of_outer_products_is_that_of_rational_arithmetic(n):
    rng = np.random.default_rng(n)
    left, right = rng.uniform(-0.3, 0.3, (n, 2)), rng.uniform(-2, 2, (n, 3))
    found = rounded_mean_product(left, right, bounds=(0.3, 2.0))
    grid = Fraction(2) ** (3 - (52 - (n - 1).bit_length()))
    for (j, k), value in np.ndenumerate(found):
        assert abs(Fraction(float(value)) - mean_product(left[:, j], right[:, k])) <= grid
    square = rounded_mean_product(right, right, bounds=(2.0, 2.0))
    np.testing.assert_array_equal(square, square.T)


def mean_product(first, second):
    pairs = zip(fractions(first), fractions(second), strict=True)
    return sum(a * b for a, b in pairs) / len(first)


def test_products_that_cancel_lose_nothing():
    """Pairs of records whose terms cancel but for their last places: no rounding before the end."""
    rng = np.random.default_rng(0)
    n = 4096
    first = rng.integers(-(2**36), 2**36, n).astype(float)
    first[1::2] = rng.integers(0, 9, n // 2) - first[::2]
    second = np.repeat(rng.integers(0, 2**36, n // 2), 2).astype(float)
    left, right = first / 2**37, second / 2**37
    exact = float(mean_product(left, right))
    found = rounded_mean_product(left[:, None], right[:, None], bounds=(1.0, 1.0)).item()
    assert found == pytest.approx(exact, rel=1e-14, abs=0)
    # the curvature of the cosine is -1/2 at phase 0 and 1/2 at pi
    near = right + np.tile([0.0, 2.0**-37], n // 2)
    signs = np.tile([1.0, -1.0], n // 2)
    hessian = Cosine().hessian((near[:, None], np.arccos(signs)), np.zeros(1)).item()
    assert hessian == pytest.approx(-float(mean_product(signs * near, near)) / 2, rel=1e-14, abs=0)


def test_what_the_rounding_of_a_step_adds_is_counted():
    point = np.array([1e9, 0.0])
    assert rounding_factor(point, sensitivity=1.0) == 1
    factor = rounding_factor(point, sensitivity=1e-9)
    assert factor == 1 + 2 * np.spacing(1e9) / 1e-9
    # steps that are 1e-9 apart, at worst just across the middle between two doubles
    steps = np.spacing(1e9) / 2 + np.array([-0.4e-9, 0.6e-9])
    moved = np.ptp(point[0] + steps)
    assert np.ptp(steps) == pytest.approx(1e-9)
    assert 100e-9 < moved <= factor * 1e-9


# --------------------------------------------------------------------- sums that feed a release


def laplace(column):
    ledger = RecordingLedger(0)
    laplace_mechanism(np.column_stack([column, column]), epsilon=1.0, bound=1.0, ledger=ledger)
    return ledger


def gaussian(column):
    ledger = RecordingLedger(0)
    data = np.column_stack([column, column])
    gaussian_mechanism(data, epsilon=1.0, delta=1e-5, bound=1.0, ledger=ledger)
    return ledger


def gradient(column):
    ledger = RecordingLedger(0)
    mean = Linear().gradient((column[:, None], np.ones(N)), np.zeros(1))
    ledger.gaussian(mean, sensitivity=2 / N, scale=1.0)
    return ledger


def clipped(column):
    """Gradients of the mixture at 0 are 0: at a beta far out they are the records but for it."""
    ledger = RecordingLedger(0)
    clipped_gradient_em(
        np.column_stack([column, np.full(N, 1e3)]),
        GaussianMixture(1.0),
        initial=[0.0, 1e3],
        epsilon=1.0,
        delta=1e-5,
        clipping_threshold=1.0,
        step_size=1.0,
        n_iterations=1,
        ledger=ledger,
    )
    return ledger


def in_turn(column):
    """A sum that is rounded at every step: what the search must find."""
    ledger = RecordingLedger(0)
    total = 0.0
    for term in column.tolist():
        total += term
    ledger.laplace(total, sensitivity=2.0, scale=1.0)
    return ledger


def columns():
    """Search: a large partial sum, then pairs that cancel but for a part of its last place.

    The record in front decides which way the rounding of every pair goes. Sums in several lanes
    or blocks are met by pairs further apart and by smaller partial sums.
    """
    rng = np.random.default_rng(0)
    for stride in (1, 2, 4, 8, 16, 64):
        for _ in range(12):
            column = np.ones(N)
            low = np.arange(N // 2, N) // stride % 2 == 0
            place = 2.0 ** (int(np.log2(N // 2 // stride)) - 52 + int(rng.integers(-1, 2)))
            column[N // 2 :] = np.where(low, 0.5 + rng.uniform(0.5, 1) * place, -0.5)
            yield column


def largest_ratio(release):
    worst = 0.0
    for column in columns():
        pair = [column.copy(), column.copy()]
        pair[0][0], pair[1][0] = 1.0, -1.0
        first, second = (release(data).transcript.releases[0] for data in pair)
        distance = first.mechanism.distance(first.value, second.value, 0)
        worst = max(worst, float(distance) / first.claim.sensitivity)
    return worst


def test_the_search_finds_a_sum_that_is_rounded_at_every_step():
    assert largest_ratio(in_turn) > 1 + 50 * (ALLOWED - 1)


@pytest.mark.parametrize("release", [laplace, gaussian, gradient, clipped])
def test_no_record_moves_a_release_by_more_than_it_claims(release):
    worst = largest_ratio(release)
    assert 0.9 < worst <= ALLOWED


RELEASED = {"messages", "reports", "noisy_xx", "noisy_xy"}
"""Names of what a ledger has returned, in functions that go on to average it."""


def private_sums(path):
    """Return the numpy sums and means in functions that release, but for those of releases."""
    found = []
    for function in ast.walk(ast.parse(path.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        calls = [
            node.func
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        ]
        if any(isinstance(call.value, ast.Name) and call.value.id == "ledger" for call in calls):
            found += [
                f"{path.name}:{call.lineno}"
                for call in calls
                if call.attr in ("mean", "sum", "dot")
                and not (isinstance(call.value, ast.Name) and call.value.id in RELEASED)
            ]
    return found


def test_no_function_that_releases_sums_by_numpy():
    """Other sums (losses, truncated means, second moments) are tested above."""
    paths = [path for path in REFERENCE.rglob("*.py") if "privacy" not in path.parts]
    assert len(paths) > 80
    assert [name for path in paths for name in private_sums(path)] == []
