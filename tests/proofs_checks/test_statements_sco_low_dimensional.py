"""The statements on low-dimensional heavy-tailed optimisation, and that their checks can fail.

Fixed seeds. Simulations compare with exact figures within 5.5 standard errors (error probability
below 4e-8 each); everything else is deterministic or a search for what does not exist.
"""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from mpmath import iv
from scipy.special import log_ndtr

from proofs_checks.statement import Statement, run, statements
from proofs_checks.statements import sco_low_dimensional as module
from proofs_checks.statements import trimmed_mean
from reference import catalogue
from reference.heavy_tailed.sample_and_aggregate import constants_for
from reference.losses import SquaredError
from reference.privacy.guarantees import gaussian_dp_epsilon
from reference.privacy.ledger import NoiselessLedger


def within(sample: np.ndarray, expected: float) -> bool:
    """Whether a mean agrees within 5.5 standard errors."""
    return abs(sample.mean() - expected) <= 5.5 * sample.std() / math.sqrt(len(sample))


@pytest.mark.parametrize("statement", module.STATEMENTS, ids=lambda statement: statement.key)
def test_statement(statement: Statement):
    report = run(statement)
    assert report.as_expected, report
    if statement.check is not None:
        assert re.search(r"\d", report.printed.detail)
    if statement.expected == "false":
        assert report.printed.level == "refuted with witness"
        assert report.printed.witness
    if report.corrected is not None:
        assert re.search(r"\d", report.corrected.detail)


def test_registered_once():
    assert set(module.STATEMENTS) <= set(statements())


def test_every_erratum_of_the_section_is_reproduced_by_a_false_statement():
    both = (*module.STATEMENTS, *trimmed_mean.STATEMENTS)
    assert all(statement.expected == "false" for statement in both if statement.errata)
    reproduced = {erratum for statement in both for erratum in statement.errata}
    assert reproduced == {
        ("hu-mean", 2), ("diss-3.2.5", 4), ("diss-3.2.5", 5), ("diss-3.2.5", 6),
        ("diss-3.2.6", 1), ("diss-3.2.6", 2), ("diss-3.2.7", 1), ("diss-3.2.7", 2),
        ("diss-3.2.7", 3), ("diss-3.2.7", 4), ("diss-3.2.7", 5), ("diss-3.2.8", 1),
        ("diss-RGD", 2),
    }  # fmt: skip


@pytest.mark.parametrize("identifier", ["diss-3.2.5", "diss-3.2.7", "diss-3.2.8", "diss-RGD"])
def test_catalogue_points_to_statements_that_reproduce(identifier: str):
    known = {statement.key: statement for statement in statements()}
    for erratum in catalogue.entry(identifier).errata:
        scheme, _, key = erratum.reproduced_by.partition(":")
        if scheme == "proofs":
            assert (erratum.card or identifier, erratum.number) in known[key].errata


def test_what_seed_000_says_is_found_and_checked():
    with pytest.raises(ValueError):
        module._same_as("000 Theorem 99")
    with pytest.raises(ValueError, match="has no check"):
        module._same_as("000 Remark 1")


# ------------------------------------------------------------------ sub-exponential laws


def test_a_laplace_variable_needs_a_large_enough_tau():
    smallest = 1 / math.sqrt(-math.expm1(-0.5))
    assert module.laplace_is_subexponential(repr(smallest + 1e-6)).proved
    assert module.laplace_is_subexponential(repr(smallest - 1e-6)).refuted


def test_smallest_tau_of_a_fair_sign():
    # log cosh(x) <= x^2/2: tau = 1, from small lambda
    law, values = np.array([0.5, 0.5]), np.array([-1.0, 1.0])
    assert module._smallest_tau(law, values) == pytest.approx(1, abs=1e-5)


# ------------------------------------------------------------------ sample and aggregate


@pytest.mark.parametrize(("shift", "u"), [(0.3, 0.2), (0.3, -0.2), (1.0, 0.5), (0.0, -0.4)])
def test_scaled_gaussians_on_the_line(shift: float, u: float):
    # quadrature of (p - e^eps q)_+
    x = np.linspace(-30, 30, 600_001)
    log_p, log_q = -(x**2) / 2, -((x - shift) ** 2) * math.exp(-2 * u) / 2 - u
    excess = np.maximum(np.exp(log_p) - math.exp(0.1) * np.exp(log_q), 0)
    expected = float(excess.sum() * (x[1] - x[0]) / math.sqrt(2 * math.pi))
    assert module.scaled_gaussian_delta(1, 0.1, shift, u) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("u", [0.15, -0.15])
def test_scaled_gaussians_in_space(u: float):
    d, shift, epsilon = 6, 0.7, 0.2
    x = np.random.default_rng(0).standard_normal((400_000, d))
    moved = x - shift * np.eye(d)[0]
    loss = ((moved**2).sum(axis=1) * math.exp(-2 * u) - (x**2).sum(axis=1)) / 2 + d * u
    share = np.maximum(1 - np.exp(epsilon - loss), 0)
    assert within(share, module.scaled_gaussian_delta(d, epsilon, shift, u))


def test_far_tail_of_scaled_gaussians():
    # d = 1, no shift, narrower second law: both tails beyond one point
    u = -0.1
    c = math.exp(-2 * u)
    x = math.sqrt(2 * (20.0 - u) / (c - 1))
    first, second = (2 * math.exp(log_ndtr(-y)) for y in (x, x * math.sqrt(c)))
    expected = first - math.exp(20.0) * second
    assert module.scaled_gaussian_delta(1, 20.0, 0.0, u) == pytest.approx(expected, rel=1e-9)


def test_the_constants_have_room_for_2_beta_but_not_for_4():
    assert module.worst_share_of_delta(1, 1.0, 1e-10, 2.0) < 0.1
    assert module.worst_share_of_delta(1, 1.0, 1e-10, 4.0) > 10


def test_smoothness_violation_sees_more_changes_than_allowed():
    first, _ = module.shells(100, 5, 0.1)
    second = first.copy()
    second[:45, :45] = 100 * np.eye(45)
    found, _ = module.smoothness_violation(first, second, 5, 0.1)
    assert found > 2
    # a centre that jumps from one half to the other
    halves = np.concatenate([np.zeros(30), np.full(30, 5.0)])[:, None]
    shifted = halves.copy()
    shifted[:25] = 5.0
    assert module.smoothness_violation(halves, shifted, 1, 0.1)[1] > 0


def test_union_bounds_by_hand():
    assert module._both_events(Fraction(10)) == Fraction(11, 15)
    assert module._both_events(Fraction(11)) < Fraction(3, 4) == module._both_events(Fraction(12))


def test_share_of_good_blocks_by_hand():
    assert module.share_of_good_blocks(4, 0.5) == pytest.approx(5 / 16)
    assert module.share_of_good_blocks(400, 0.7) < 0.02


def test_self_bounding_needs_the_factor_2_and_the_whole_space():
    assert module.self_bounding_ratio(np.random.default_rng(0)) > 0.999
    # f(w) = w + 1 is no counterexample for beta = 1/4
    assert module.affine_excess(1.0, 0.25) == 0


def test_rare_features_by_simulation():
    rng, p = np.random.default_rng(1), 0.1
    x = np.sqrt(1 / p) * (rng.random(400_000) < p)
    y = x * rng.choice([-1.0, 1.0], 400_000)
    moments = module.rare_features(p)
    assert within(2 * x**2, moments["smoothness"])
    assert within(y**2, moments["risk"])
    assert within(4 * x**2 * y**2, moments["gradient"])


def test_block_error_by_simulation():
    rng, p = np.random.default_rng(2), 0.1
    counts = rng.binomial(400, p, 200_000)
    sums = 2.0 * rng.binomial(counts, 0.5) - counts
    assert within(400 * (sums / counts) ** 2, module.block_error(p))


def test_noiseless_bound_decreases_by_beta():
    decay = constants_for(epsilon=1.0, delta=1e-3, dimension=1).decay
    bounds = [module.noiseless_bound(m, 1.0, 1e-3)[0] for m in (400, 402)]
    assert math.log(bounds[0] / bounds[1]) == pytest.approx(decay)


# ------------------------------------------------------------------ known mean


def test_what_a_run_of_trimmed_means_spends():
    spent = module.spent_on_trimmed_means(1.0, 1e-5, 3, 4)
    assert spent == pytest.approx(0.2041**2 / 2, rel=1e-3)


def test_the_lower_bound_of_te_needs_a_small_epsilon():
    assert all(module.budget_bounds())
    # 2/(sqrt(1 + x) + 1) is 1/sqrt(2) at x = 2.343
    assert all(module.budget_bounds("2.34"))
    assert module.budget_bounds("2.35")[0].refuted


def test_net_failure_needs_the_extra_log_2():
    x, bound = Fraction(2), Fraction(2 * 2 * 10) / 3**2
    assert module.net_failure(2, 10, x) <= bound
    assert module.net_failure(2, 10, x, Fraction(1)) > bound


def test_the_constant_of_s_is_nearly_tight():
    # X = 2: 2 (log 3 + log 3 + log 2)/log 2
    assert 8.3 < float(module.tail_choice(iv.mpf(2)).mid) < 8.4


def test_covering_number_by_hand():
    line = np.arange(10.0)[:, None]
    assert module.covering_number(line, 1.0) == 5
    assert module.covering_number(line, 0.5) == 10
    assert module.covering_number(line, 100.0) == 1


def test_the_recursion_is_nearly_tight():
    rng = np.random.default_rng(3)
    assert max(module.second_moment_share(rng, rate=1.0) for _ in range(300)) <= 1
    assert max(module.second_moment_share(rng, rate=2.1) for _ in range(300)) > 1


def test_squared_over_mean_by_hand():
    assert module.squared_over_mean(Fraction(1, 7)) == 7


def test_units_by_hand():
    # excess risk of the mean in d = 1: sigma^2 n^{-1}, unchanged
    assert module.unit_exponent("v alpha^-1") == 0
    assert module.unit_exponent("alpha Delta^2") == 0
    assert module.unit_exponent("v Delta^2 beta^4 alpha^-3") == 2
    assert module.unit_exponent("Delta^2 beta^2 tau^2 alpha^-3") == -2


class HalfSquaredError(SquaredError):
    """Half of the squared error, for which 1/beta is twice the step size."""

    def gradients(self, records, x):
        return super().gradients(records, x) / 2


@pytest.mark.parametrize("known_range", [True, False])
def test_only_the_units_leave_the_excess_as_it_is(known_range: bool, monkeypatch):
    first = module.excess_in_units(1.0, known_range=known_range)
    assert module.excess_in_units(4.0, known_range=known_range) == pytest.approx(first, rel=1e-9)
    monkeypatch.setattr(module, "SquaredError", HalfSquaredError)
    assert module.excess_in_units(1.0, known_range=known_range) != pytest.approx(first, rel=1e-3)


# ------------------------------------------------------------------ known variance


def test_the_written_out_gradient_needs_its_factor():
    rng = np.random.default_rng(4)
    assert module.written_out_error(rng, lambda s: s) < 1e-9
    assert module.written_out_error(rng, lambda s: 0.999 * s) > 1e-3


def test_constants_of_the_robust_mean_are_nearly_tight():
    assert module.robust_mean_constant(2, 2.64).proved
    assert module.robust_mean_constant(2, 2.63).refuted
    assert module.robust_mean_constant(1, 2.8).proved
    assert module.robust_mean_constant(1, 2.78).refuted


def test_constant_of_the_noise_is_nearly_tight():
    assert module.noise_constant("10.37").proved
    assert module.noise_constant("10.35").refuted


@pytest.mark.parametrize(
    ("budget", "epsilon"), [("printed", 6.32), ("without square", 2.08), ("corrected", 0.716)]
)
def test_what_each_reading_of_the_budget_spends(budget, epsilon: float):
    # the figures of the second reading
    mu = float(module.exact_mu(budget).mid)
    assert gaussian_dp_epsilon(mu, 1e-5) == pytest.approx(epsilon, rel=2e-3)


def test_sensitivity_of_a_vector_by_hand():
    one = module.vector_sensitivity(1)
    assert one == pytest.approx(4 * math.sqrt(2) / 3 * math.erf(math.sqrt(4.5)), rel=1e-9)
    assert module.vector_sensitivity(9) == pytest.approx(3 * one)


def test_the_uniform_bound_can_fail():
    assert module.uniform_failure(50, 5.0, 0.02, 0.3) <= 1
    assert module.uniform_failure(50, 5.0, 0.02, 0.3, share=0.1) > 1


def test_slope_of_psi_with_little_smoothing():
    # psi is almost phi, of slope 1 at 0
    assert module.truncation_slope(1e4) == pytest.approx(1, abs=1e-3)


def test_deviations_in_other_units():
    first, second = (module.deviation_in_units(k, NoiselessLedger()) for k in (1.0, 8.0))
    assert first == pytest.approx(second, rel=1e-9)
    assert first > 0.01


# ------------------------------------------------------------------ the convex case


@pytest.mark.parametrize("shape", ["quadratic", "huber", "logcosh"])
def test_gradients_of_the_convex_risks(shape: str):
    rng = np.random.default_rng(5)
    x, w, h = rng.uniform(0.1, 1, 3), 2 * rng.standard_normal(3), 1e-6
    for j in range(3):
        step = h * np.eye(3)[j]
        slope = (module._risk(w + step, x, shape) - module._risk(w - step, x, shape)) / (2 * h)
        assert module._risk_gradient(w, x, shape)[j] == pytest.approx(slope, abs=1e-8)


def test_descent_reaches_what_a_smaller_constant_would_forbid():
    best, last, far = module.worst_descent(np.random.default_rng(6))
    # 16 D_0 chi holds; 1/2 D_0 chi would not
    assert 0.5 / 16 < best <= last <= 1
    assert 0.9 < far <= 1


def test_variance_of_the_printed_noise():
    assert module.lognormal_variance(1.0, 1.0) == pytest.approx(34.51, abs=5e-3)
    # smaller noise would satisfy the assumption
    assert 4 * module.lognormal_variance(0.0, 0.5) < 5
