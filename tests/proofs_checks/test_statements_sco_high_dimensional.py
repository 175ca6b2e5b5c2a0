"""The statements of seed 003, and that their checks can fail.

Fixed seeds; the simulations compare bounds that hold by a wide margin, or state their error.
"""

import math
import re
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from mpmath import iv, mp

from proofs_checks.statement import run, statements
from proofs_checks.statements import sco_high_dimensional as module
from reference.privacy.guarantees import laplace_delta
from reference.privacy.mechanisms import Laplace

ALL = module.STATEMENTS
BY_NUMBER = {statement.number: statement for statement in ALL}


@pytest.mark.parametrize("statement", ALL, ids=lambda s: s.number)
def test_every_check_says_what_the_ledger_says(statement):
    report = run(statement)
    assert report.as_expected, (report.printed.detail, report.corrected)
    if statement.check is not None:
        assert re.search(r"\d", report.printed.detail)
    if statement.expected == "false":
        assert report.printed.level == "refuted with witness"
        assert report.printed.witness
        assert report.corrected is not None
        assert report.corrected.holds


def test_every_numbered_statement_is_there():
    numbers = {
        *(f"Definition {k}" for k in range(1, 9)),
        *(f"Assumption {k}" for k in range(1, 5)),
        *(f"Theorem {k}" for k in range(1, 10)),
        *(f"Remark {k}" for k in range(1, 5)),
        *(f"Lemma {k}" for k in range(1, 4)),
        *(f"({k})" for k in range(1, 6)),
        "Corollary 1",
        "Algorithm 4",
    }
    assert numbers <= {s.number for s in statements() if s.seed == "003"}
    assert set(ALL) <= set(statements())


@pytest.mark.parametrize(
    ("number", "errata"),
    [
        ("Theorem 2", {("hu-1", 1), ("hu-1", 2)}),
        ("Theorem 3", {("hu-1", 2)}),
        ("Corollary 1", {("hu-1", 3)}),
        ("Assumption 2", {("hu-1", 4)}),
        ("Remark 2", {("hu-1", 5)}),
        ("Theorem 4", {("hu-2", 2), ("hu-2", 3)}),
        ("Assumption 4", {("hu-5", 3)}),
        ("Lemma 3", {("hu-lb", 1)}),
    ],
)
def test_the_errata_belong_to_false_statements(number, errata):
    assert set(BY_NUMBER[number].errata) == errata
    assert BY_NUMBER[number].expected == "false"


# --------------------------------------------------------------- what broken claims they catch


def holds(number, *, corrected=False):
    report = run(BY_NUMBER[number])
    outcome = report.corrected if corrected else report.printed
    assert outcome is not None
    return outcome.holds


@pytest.mark.parametrize(
    ("name", "factor", "number", "corrected"),
    [
        ("mean_sensitivity", 0.99, "(4), sensitivity", False),
        ("mean_sensitivity", 0.5, "Theorem 1", False),
        ("truncated_mean", 1 + 1e-9, "(4)", False),
        ("smoothed_truncation", 1.5, "(4), concentration", False),
        ("closed_form", 1 + mp.mpf(10) ** -15, "(5)", False),
        ("printed_noise_scale", 0.5, "Theorem 6", True),
        ("printed_noise_scale", 0.9, "Theorem 8", True),
        ("private_packing_bound", 3.5, "Lemma 3", True),
        ("private_packing_bound", 0.2, "Theorem 9", False),
        ("zcdp_epsilon", 1.1, "Theorem 4", True),
        ("biweight_slope", -1.0, "Assumption 2", True),
        ("packing_size", 10**4, "Theorem 9", False),
        ("explicit_excess", 2.0, "Theorem 2", True),
    ],
)
def test_a_wrong_constant_is_noticed(monkeypatch, name, factor, number, corrected):
    original = getattr(module, name)

    def scaled(*args, **kwargs):
        value = original(*args, **kwargs)
        return (value[0] * factor, *value[1:]) if isinstance(value, tuple) else value * factor

    assert holds(number, corrected=corrected)
    monkeypatch.setattr(module, name, scaled)
    assert not holds(number, corrected=corrected)


@pytest.mark.parametrize(
    ("name", "text", "number", "corrected"),
    [
        ("RATE_6_CORRECTED", "W^4/3 alpha^1/3 tau^1/3 l^1/3 n^-1/2", "Theorem 2", True),
        ("STEPS_6_CORRECTED", "n^1/3 alpha^2/3 tau^-1/3 l^-1/3", "Theorem 2", True),
        ("RATE_6_CORRECTED", "W^4/3 alpha^2/3 tau^1/3 l^1/3 n^-1/3", "Corollary 1", True),
        ("RATE_6_CORRECTED", "alpha n^-1/2", "Rates in the text", True),
        ("RATE_8", "l^1/4 n^-1/2", "Theorem 3", True),
        ("STEPS_8", "n^1/3 l^-1/2", "Theorem 3", True),
        ("RATE_9", "lambda^1/5 L^2/5 l^4/5 n^-2/3", "Theorem 5", False),
        ("K_LASSO", "n^1/4 T^-1/4", "Theorem 5", False),
        ("K_LASSO", "n^1/4 T^-1/4", "Remark 3", False),
        ("K_SPARSE", "n^1/4 T^-1/8", "Theorem 7", False),
        ("RATE_THEOREM_7", "s^3 T L n^-1", "Theorem 7", False),
        ("K_THEOREM_8", "n^1/2 tau^1/2", "Theorem 8", True),
        ("RATE_THEOREM_8", "tau s^2 T l L^1/2 n^-1", "Remark 4", True),
    ],
)
def test_a_wrong_exponent_is_noticed(monkeypatch, name, text, number, corrected):
    assert holds(number, corrected=corrected)
    monkeypatch.setattr(module, name, module.monomial(text))
    assert not holds(number, corrected=corrected)


@pytest.mark.parametrize(
    ("name", "value", "number"),
    [
        # were these so, the printed statements would stand
        ("RATE_6", "W^4/3 alpha^1/3 tau^1/3 l^1/3 n^-1/3", "Theorem 2"),
        ("RATE_THEOREM_7", "s^5/2 T L n^-1", "Remark 4"),
        ("RATE_THEOREM_8", "tau s^2 T l L^1/2 n^-1", "Theorem 8"),
    ],
)
def test_a_refutation_needs_its_witness(monkeypatch, name, value, number):
    assert not holds(number)
    monkeypatch.setattr(module, name, module.monomial(value))
    assert holds(number)


# --------------------------------------------------------------------------- the robust mean


def test_the_log_sandwich_needs_one_half():
    assert all(module.log_sandwich())
    smaller = module.log_sandwich(Fraction(499_999, 1_000_000))
    assert smaller[0].refuted
    assert smaller[1].refuted


def test_the_slope_of_the_sandwich_by_differences():
    for u, c in product((-1.2, -0.3, 0.4, 1.3), (0.5, 0.4)):
        h = 1e-6

        def f(x, c=c):
            return math.log(1 + x + c * x**2) - x + x**3 / 6

        found = u * module._sandwich_slope(u, c) / (1 + u + c * u**2)
        assert found == pytest.approx((f(u + h) - f(u - h)) / (2 * h), abs=1e-8)


@pytest.mark.parametrize("divergence", [True, False])
def test_the_explicit_bound_has_little_to_spare(divergence):
    def shrunk(factor):
        return lambda *a, **k: factor * module.catoni_bound(*a, **k, divergence=divergence)

    assert module.worst_two_point_failure(shrunk(1.0)) <= 1
    assert module.worst_two_point_failure(shrunk(0.7)) > 1


def test_every_part_of_the_bound_is_needed():
    def without_bias(n, *, scale, failure_probability, **_):
        return scale * math.log(2 / failure_probability) / n

    def without_deviation(*_, scale, precision, second_moment, **__):
        return second_moment * (1 + 1 / precision) / (2 * scale)

    def without_smoothing(n, *, scale, precision, second_moment, failure_probability):
        del precision  # the bias of phi itself, v/(2s)
        return scale * math.log(2 / failure_probability) / n + second_moment / (2 * scale)

    assert module.worst_two_point_failure(without_bias) > 1
    assert module.worst_two_point_failure(without_smoothing) > 1
    assert module.worst_two_point_failure(without_deviation) > 1


def test_the_simulation_would_see_a_bound_that_is_too_small():
    assert module.concentration_simulated(np.random.default_rng(0)).holds
    assert not module.concentration_simulated(np.random.default_rng(0), 0.35).holds


def test_two_point_failure_against_simulation():
    rng = np.random.default_rng(3)
    n, value, p, bound = 50, 2.0, 0.3, 0.25
    psi = float(module.smoothed_truncation([value], scale=1.5, precision=2.0)[0])
    errors = np.abs(psi * rng.binomial(n, p, 200_000) / n - value * p)
    exact = module.two_point_failure(n, value, p, scale=1.5, precision=2.0, bound=bound)
    assert 0.01 < exact < 0.99
    # 5.5 standard errors
    assert abs((errors > bound).mean() - exact) < 5.5 * math.sqrt(exact * (1 - exact) / 200_000)


def test_expected_phi_of_a_narrow_and_a_wide_normal():
    assert float(module.expected_phi(mp.mpf(5), mp.mpf("0.01"))) == pytest.approx(
        2 * math.sqrt(2) / 3, abs=1e-12
    )
    assert float(module.expected_phi(mp.mpf(0), mp.mpf(7))) == pytest.approx(0, abs=1e-12)
    assert float(module.expected_phi(mp.mpf("0.3"), mp.mpf("0.01"))) == pytest.approx(
        0.3 * (1 - 0.01**2 / 2) - 0.3**3 / 6, abs=1e-12
    )


# ------------------------------------------------------------------- privacy, exactly or by hand


def test_a_larger_change_breaks_the_exponential_mechanism():
    assert module.largest_ratio((-1, 1)) <= 4 < module.largest_ratio((-2, 2))
    assert module.exponential_law((0, 1, 1)) == [Fraction(1, 5), Fraction(2, 5), Fraction(2, 5)]


def test_how_much_the_constant_of_composition_matters():
    assert module.composition_slack(iv.mpf("1.5"))
    assert module.composition_slack(iv.mpf("1.4")).refuted


def test_the_loss_of_a_step_by_hand():
    # one record: psi moves from -c to c, c = (2 sqrt 2/3) erf(1/sqrt 2), Delta = 8 sqrt 2/3
    move = 2 * 2 * math.sqrt(2) / 3 * math.erf(math.sqrt(0.5)) / (2 * 8 * math.sqrt(2) / 3)
    assert module.step_loss(1.0, 1) == pytest.approx(move, rel=1e-12)
    assert module.step_loss(1.0, 1, epsilon=3.0) > 2.9 * module.step_loss(1.0, 1)


def test_a_far_polytope_needs_the_range_argument():
    scores, loss = module.far_polytope_loss(0.0)
    assert scores <= 1
    assert loss == pytest.approx(module.far_polytope_loss(100.0)[1], rel=1e-9)


def test_the_range_of_a_lasso_step():
    assert module.lasso_step_range(Fraction(3)) == 1
    assert module.lasso_step_range(Fraction(10)) == Fraction(11, 4)


def test_peeling_is_not_certified_for_large_delta():
    assert module.sparse_regression_delta(0.99, 0.09, 20) < 1
    # the s of the largest cost; the true delta is 0 there only for pure DP
    assert module.sparse_regression_delta(5.0, 0.5, 20) > 1


def test_the_complement_of_a_laplace_value():
    scale = module.printed_noise_scale(0.5, 0.9, sparsity=1, sensitivity=1.0)
    found = module.one_value_complement(0.7, 0.1, 0.5)
    assert found == pytest.approx(1 - laplace_delta(0.7 / scale, 0.5), rel=1e-12)
    # and by integrating the densities
    x = np.linspace(-20, 20, 400_001)[:, None]
    law = Laplace(scale)
    p, q = (np.exp(law.log_density(x, np.array([m]), 1)) / (2 * scale) for m in (0.0, 0.7))
    delta = np.maximum(p - math.exp(0.5) * q, 0).sum() * 1e-4
    assert found == pytest.approx(1 - delta, abs=1e-6)


# ----------------------------------------------------------------------------- the upper bounds


def test_monomials():
    term = module.substitute(module.monomial("a^2 T^-1/2 n"), T=module.monomial("n^2 a^4"))
    assert term == {}
    assert module.degree(module.monomial("W^4/3 alpha^1/3 tau^1/3"), W=-1, alpha=2, tau=2) == 0
    assert module.degree(module.RATE_6, W=-1, alpha=2, tau=2) == Fraction(1, 3)


def test_one_step_by_trying_every_vertex():
    d = 7
    found = []
    for j, sign in product(range(d), (-1, 1)):
        w = np.eye(d)[0] / 3 + 2 / 3 * sign * np.eye(d)[j]
        found.append(0.5 * ((w - 1 / d) ** 2).sum())
    assert float(module.one_step_excess(d)) == pytest.approx(min(found), rel=1e-12)
    assert float(module.one_step_excess(200)) * 100**2 == pytest.approx(597.2, abs=0.1)


def test_the_steps_matter():
    assert module.frank_wolfe_weights(10, 1)[0] == 0
    assert module.frank_wolfe_weights(10, 2)[0] == Fraction(2, 11 * 12)


def test_testing_error_by_hand():
    assert module.two_law_error(1, 0.4) == pytest.approx(0.3)
    assert module.two_law_error(400, 0.4) < 1e-10


def test_the_flat_start_against_simulation():
    rng = np.random.default_rng(4)
    steps, runs = 100, 20_000
    w, largest = np.zeros(runs), np.zeros(runs)
    for _ in range(steps):
        w += (rng.choice([-1.0, 1.0], runs) - w) / math.sqrt(steps)
        largest = np.maximum(largest, w)
    frequency = (largest > 0.88).mean()
    assert frequency < module.flat_start(steps)[0] < 0.1


def test_the_constant_of_the_shrinkage_bias_is_attained():
    mixed, far, squares, attained = module.shrinkage_constant()
    x = np.linspace(0, 4, 401)
    product_ = x[:, None] * x - np.minimum(x, 1)[:, None] * np.minimum(x, 1)
    fourth = (x[:, None] ** 4 + x**4) / 2
    largest = (product_[1:, 1:] / fourth[1:, 1:]).max()
    assert mixed
    assert far
    assert squares
    assert largest == pytest.approx(float(attained), abs=1e-4)


def test_gradient_moments_by_hand():
    # sparse mean: 4((t - mu)^2 + Var) = 4(t^2 + 1)
    assert module.gradient_moments(2.0)["sparse mean"] == pytest.approx(20.0)


def test_restricted_extremes_of_a_diagonal():
    assert module.restricted_extremes(np.diag([1.0, 2.0, 5.0]), 2) == pytest.approx((2.0, 10.0))


# ----------------------------------------------------------------------------- the lower bound


def test_packing_needs_half_the_separation():
    assert module.reduction_gap(2, Fraction(0)) >= 0
    assert module.reduction_gap(2, Fraction(0), Fraction(2)) < 0


def test_the_fraction_of_10_as_printed():
    size, epsilon, delta, k = 5, 0.7, 0.01, 3
    q = math.exp(-epsilon * k)
    printed = (size - 1) * (q / 2 - delta * (1 - q) / (1 - math.exp(-epsilon)))
    printed /= 1 + (size - 1) * q
    assert module.private_packing_bound(math.log(size), epsilon, delta, k) == pytest.approx(printed)
    # no overflow for the largest packings
    assert module.private_packing_bound(5000.0, 1.0, 0.0, 10) == pytest.approx(0.5)


def test_the_best_private_test_of_one_bit():
    # randomised response is optimal for |V| = 2, n = p = 1
    assert module.least_failure(2, 1, 1.0, 1.0, 0.0) == pytest.approx(1 / (1 + math.e), abs=1e-9)
    assert module.least_failure(2, 1, 1.0, 1.0, 0.3) == pytest.approx(0.7 / (1 + math.e), abs=1e-9)
    # n = 2: the data sets (1, 1) and (2, 2) have (1, 2) between them, where a coin is tossed
    assert module.least_failure(2, 2, 1.0, 3.0, 0.0) == pytest.approx(math.exp(-3) / 2, abs=1e-9)


@pytest.mark.parametrize(("d", "s"), [(6, 2), (7, 4), (6, 5)])
def test_the_size_of_a_packing_by_counting(d, s):
    vectors = []
    for support in combinations(range(d), s):
        for signs in product((-1, 1), repeat=s):
            vector = np.zeros(d, dtype=int)
            vector[list(support)] = signs
            vectors.append(vector)
    points = np.array(vectors)
    ball = ((points != points[0]).sum(axis=1) < s / 2).sum()
    assert module.packing_size(d, s) == Fraction(len(points), int(ball))
    packing = module.greedy_packing(d, s)
    assert len(packing) >= module.packing_size(d, s)
    distances = ((packing[:, None] - packing) ** 2).sum(axis=2) + 10**6 * np.eye(len(packing))
    assert distances.min() >= s / 2
    assert (np.abs(packing).sum(axis=1) == s).all()


def test_the_gap_is_smallest_at_s_log_d():
    s, d = 16, 10**5
    least = module.rate_gap(s, d, s * math.log(d))
    assert least == pytest.approx(s * math.sqrt(math.log(d)))
    assert least < module.rate_gap(s, d, 2 * s * math.log(d))
    assert least < module.rate_gap(s, d, 0.5 * s * math.log(d))
