"""Helpers of the checks of paper 003, against simulations, enumerations and by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from mpmath import mp

from proofs_checks import robust_mean
from proofs_checks.paper_003 import section_4_frank_wolfe, section_4_robust_mean, section_5_1
from proofs_checks.paper_003 import section_4_robust_regression as regression
from proofs_checks.paper_003 import section_5_2_lower_bound as lower_bound
from proofs_checks.paper_003.frank_wolfe import RATE_9, least_excess, value
from proofs_checks.statement import statements
from reference.heavy_tailed.truncation import smoothed_truncation
from reference.privacy.guarantees import laplace_delta
from reference.privacy.mechanisms import Laplace


def test_every_numbered_statement_is_there() -> None:
    numbers = {
        *(f"Definition {k}" for k in range(1, 9)),
        *(f"Assumption {k}" for k in range(1, 5)),
        *(f"Theorem {k}" for k in range(1, 10)),
        *(f"Remark {k}" for k in range(1, 5)),
        *(f"Lemma {k}" for k in range(1, 4)),
        *(f"({k})" for k in range(1, 12)),
        "Corollary 1",
        "Algorithm 4",
    }
    assert numbers <= {item.number for item in statements("003")}
    assert not [item.number for item in statements("003") if item.section == "other"]


# --------------------------------------------------------------------------- the robust mean


def test_two_point_tails_against_simulation() -> None:
    rng = np.random.default_rng(3)
    n, x, p, bound = 50, 2.0, 0.3, 0.1
    psi = float(smoothed_truncation([x], scale=6.0, precision=2.0)[0])
    errors = psi * rng.binomial(n, p, 200_000) / n - x * p
    tails = robust_mean.two_point_tails(n, x, p, scale=6.0, precision=2.0, bound=bound)
    for seen, exact in zip((errors < -bound, errors > bound), tails, strict=True):
        assert 0.001 < exact < 0.99
        # 5.5 standard errors
        assert abs(seen.mean() - exact) < 5.5 * math.sqrt(exact * (1 - exact) / 200_000)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("5", "0.01", 2 * math.sqrt(2) / 3),
        ("0", "7", 0.0),
        ("0.3", "0.01", 0.3 * (1 - 0.01**2 / 2) - 0.3**3 / 6),
    ],
)
def test_expected_truncation_of_a_narrow_and_a_wide_normal(a: str, b: str, expected: float) -> None:
    found = section_4_robust_mean.expected_truncation(mp.mpf(a), mp.mpf(b))
    assert float(found) == pytest.approx(expected, abs=1e-12)


# ------------------------------------------------------------------------- Frank-Wolfe


def test_the_loss_of_a_step_by_hand() -> None:
    # one record: psi moves from -c to c, c = (2 sqrt 2/3) erf(1/sqrt 2), Delta = 8 sqrt 2/3
    move = 2 * 2 * math.sqrt(2) / 3 * math.erf(math.sqrt(0.5)) / (2 * 8 * math.sqrt(2) / 3)
    assert section_4_frank_wolfe._step_loss(1.0, 1, 1.0) == pytest.approx(move, rel=1e-12)


def test_one_step_by_trying_every_vertex() -> None:
    d = 7
    found = []
    for j, sign in product(range(d), (-1, 1)):
        w = np.eye(d)[0] / 3 + 2 / 3 * sign * np.eye(d)[j]
        found.append(0.5 * ((w - 1 / d) ** 2).sum())
    assert float(section_4_frank_wolfe._one_step_excess(d)) == pytest.approx(min(found))
    excess = section_4_frank_wolfe._one_step_excess(200)
    assert float(excess) * 100**2 == pytest.approx(597.2, abs=0.1)


def test_no_test_tells_means_apart_that_are_closer_than_the_least_excess() -> None:
    n = 400
    gap = least_excess(n)
    k = np.arange(n + 1)
    logs = [math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1) for j in k]
    laws = [
        np.exp(np.array(logs) + k * math.log(p) + (n - k) * math.log(1 - p))
        for p in (0.5 + gap / 2, 0.5 - gap / 2)
    ]
    assert np.minimum(*laws).sum() / 2 > 0.2


def test_the_flat_start_against_simulation() -> None:
    rng = np.random.default_rng(4)
    steps, runs = 400, 5000
    w, largest = np.zeros(runs), np.zeros(runs)
    for _ in range(steps):
        w += (rng.choice([-1.0, 1.0], runs) - w) / math.sqrt(steps)
        largest = np.maximum(largest, w)
    assert (largest > 0.5).mean() < regression._flat_start(steps)[0]


def test_a_monomial_at_numbers() -> None:
    assert value(RATE_9, n=32.0) == pytest.approx(0.25)


# --------------------------------------------------------------------- sparse estimation


def test_the_complement_of_a_laplace_value() -> None:
    scale = section_5_1.printed_noise_scale(0.5, 0.9, sparsity=1, sensitivity=1.0)
    found = section_5_1.one_value_complement(0.7, 0.1, 0.5)
    assert found == pytest.approx(1 - laplace_delta(0.7 / scale, 0.5), rel=1e-12)
    # and by integrating the densities
    x = np.linspace(-20, 20, 400_001)[:, None]
    law = Laplace(scale)
    p, q = (np.exp(law.log_density(x, np.array([m]), 1)) / (2 * scale) for m in (0.0, 0.7))
    delta = np.maximum(p - math.exp(0.5) * q, 0).sum() * 1e-4
    assert found == pytest.approx(1 - delta, abs=1e-6)


def test_shrinking_moves_the_solution_of_the_witness_of_theorem_7() -> None:
    s, threshold = 6, 30.0
    w = np.full(s, 0.5 / math.sqrt(s))
    theta = np.array([2.0] * (s // 3) + [-1.0] * (2 * s // 3))
    p = threshold**-4
    signs = np.array(list(product((-1.0, 1.0), repeat=s)))
    x = np.vstack([signs, threshold * theta, -threshold * theta])
    law = np.array([(1 - p) / len(signs)] * len(signs) + [p / 2] * 2)
    y = x @ w
    assert max(law @ x**4) <= 17
    assert law @ y**4 <= 3 / 16
    shrunk, labels = (np.clip(side, -threshold, threshold) for side in (x, y))
    gram, moment = (shrunk.T * law) @ shrunk, (shrunk.T * law) @ labels
    missed = float(np.linalg.norm(np.linalg.solve(gram, moment) - w))
    assert missed == pytest.approx(s / (6 * threshold**2), rel=0.01)
    unshrunk = np.linalg.solve((x.T * law) @ x, (x.T * law) @ y)
    assert unshrunk == pytest.approx(w)


# ----------------------------------------------------------------------------- the lower bound


def test_the_fraction_of_10_as_printed() -> None:
    size, epsilon, delta, k = 5, 0.7, 0.01, 3
    q = math.exp(-epsilon * k)
    printed = (size - 1) * (q / 2 - delta * (1 - q) / (1 - math.exp(-epsilon)))
    printed /= 1 + (size - 1) * q
    found = lower_bound.private_packing_bound(math.log(size), epsilon, delta, k)
    assert found == pytest.approx(printed)
    # no overflow for the largest packings
    assert lower_bound.private_packing_bound(5000.0, 1.0, 0.0, 10) == pytest.approx(0.5)


def test_the_best_private_test_of_one_bit() -> None:
    # randomised response is optimal for |V| = 2, n = p = 1
    least = lower_bound.least_failure
    assert least(2, 1, 1.0, 1.0, 0.0) == pytest.approx(1 / (1 + math.e), abs=1e-9)
    assert least(2, 1, 1.0, 1.0, 0.3) == pytest.approx(0.7 / (1 + math.e), abs=1e-9)
    # n = 2: the data sets (1, 1) and (2, 2) have (1, 2) between them, where a coin is tossed
    assert least(2, 2, 1.0, 3.0, 0.0) == pytest.approx(math.exp(-3) / 2, abs=1e-9)


@pytest.mark.parametrize(("d", "s"), [(6, 2), (7, 4), (6, 5)])
def test_the_size_of_a_packing_by_counting(d: int, s: int) -> None:
    vectors = []
    for support in combinations(range(d), s):
        for signs in product((-1, 1), repeat=s):
            vector = np.zeros(d, dtype=int)
            vector[list(support)] = signs
            vectors.append(vector)
    points = np.array(vectors)
    ball = ((points != points[0]).sum(axis=1) < s / 2).sum()
    assert lower_bound.packing_size(d, s) == Fraction(len(points), int(ball))
    packing = lower_bound.greedy_packing(d, s)
    distances = ((packing[:, None] - packing) ** 2).sum(axis=2) + 10**6 * np.eye(len(packing))
    assert distances.min() >= s / 2
    assert (np.abs(packing).sum(axis=1) == s).all()
