"""The statements about peeling, the trimmed mean and the local mean, and that they can fail.

Fixed seeds; the only simulations (bounds that hold by a wide margin, and random search for
counterexamples that do not exist) cannot raise a false alarm.
"""

import re
from fractions import Fraction

import numpy as np
import pytest
from mpmath import iv, mp

from proofs_checks.statement import Statement, run
from proofs_checks.statements import ldp_mean, peeling, trimmed_mean
from reference import catalogue

STATEMENTS = (*peeling.STATEMENTS, *trimmed_mean.STATEMENTS, *ldp_mean.STATEMENTS)


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.key)
def test_statement(statement: Statement):
    report = run(statement)
    assert report.as_expected, report
    if statement.check is not None:
        assert re.search(r"\d", report.printed.detail)
    if statement.expected == "false":
        assert report.printed.level == "refuted with witness"
        assert report.printed.witness
        assert statement.errata or statement.number == "Lemma 3.2.8"
    if report.corrected is not None:
        assert report.corrected.holds
        assert re.search(r"\d", report.corrected.detail)


def test_the_errata_said_to_be_reproduced_here_are():
    reproduced = {(s.key, erratum) for s in STATEMENTS for erratum in s.errata}
    for identifier in ("zhang-1", "diss-3.2.6", "diss-5.1.30"):
        for erratum in catalogue.entry(identifier).errata:
            if erratum.reproduced_by.startswith("proofs:"):
                key = erratum.reproduced_by.removeprefix("proofs:")
                assert (key, (erratum.card or identifier, erratum.number)) in reproduced


# ------------------------------------------------------------------ could they fail?


def test_the_local_tail_constant_is_sharp():
    assert ldp_mean.constant_is_valid(0.188714)
    assert not ldp_mean.constant_is_valid(0.188715)
    assert not ldp_mean.constant_is_valid(0.25)


def test_the_exact_tail_against_simulation_and_one_variable():
    assert float(ldp_mean.exact_tail(1, 3)) == pytest.approx(np.exp(-3.0))
    rng = np.random.default_rng(0)
    sums = np.abs(rng.laplace(size=(200_000, 7)).sum(axis=1))
    p = float(ldp_mean.exact_tail(7, 5))
    # 5.5 standard errors
    assert abs((sums >= 5).mean() - p) < 5.5 * np.sqrt(p * (1 - p) / 200_000)


def test_cramer_rate_against_its_definition():
    for a in (0.3, 1.0, 2.0):
        u = mp.sqrt(1 + mp.mpf(a) ** 2) - 1
        grid = [mp.mpf(k) / 4000 for k in range(1, 4000)]
        best = max(x * a + mp.log(1 - x**2) for x in grid)
        assert float(ldp_mean.rate(iv.mpf(u)).mid) == pytest.approx(float(best), rel=1e-5)


def test_the_loss_moments_against_simulation():
    a = 1.7
    z = np.random.default_rng(1).laplace(size=400_000)
    losses = np.abs(z + a) - np.abs(z)
    mean, variance = (float(m.mid) for m in peeling.value_loss_moments(iv.mpf(a)))
    # 5.5 standard errors; the fourth central moment is below (2a)^4
    assert abs(losses.mean() - mean) < 5.5 * np.sqrt(variance / z.size)
    assert abs(losses.var() - variance) < 5.5 * (2 * a) ** 2 / np.sqrt(z.size)


def test_the_values_only_bound_needs_a_large_epsilon():
    assert peeling.values_only_delta(100.0, "0.1", 400) > 0.7
    assert peeling.values_only_delta(20.0, "0.1", 400) == 0.0


def test_a_round_of_selection_costs_more_than_lambda_over_b():
    # 2 lambda/b, not lambda/b: a ratio above one half
    assert peeling.selection_ratio(np.random.default_rng(0), 0.3) > 0.99


def test_reusing_a_batch_costs_more():
    disjoint, reused = (
        peeling.hockey_stick(
            peeling.two_steps((0, 0), reads), peeling.two_steps((1, 0), reads), Fraction(3)
        )
        for reads in ((0, 1), (0, 0))
    )
    assert disjoint == Fraction(1, 10) < reused


def test_hockey_stick_by_hand():
    p, q = {0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1, 4), 1: Fraction(3, 4)}
    assert peeling.hockey_stick(p, q, Fraction(1)) == Fraction(1, 2)
    assert peeling.hockey_stick(p, q, Fraction(3)) == 0


def test_divergence_of_the_noise():
    # no shift and no change of scale: no divergence; larger shifts, larger divergence
    assert trimmed_mean.arsinh_normal_divergence(2.0, 0.0, 0.0, 4001) == pytest.approx(0, abs=1e-12)
    values = [trimmed_mean.arsinh_normal_divergence(2.0, c, 0.0, 4001) for c in (0.1, 0.2, 0.4)]
    assert values == sorted(values)
    # half the Fisher information of a location, times alpha c^2 (card: 0.747)
    assert values[0] / (2 * 0.1**2 / 2) == pytest.approx(0.747, abs=5e-3)
    assert trimmed_mean.divergence_ratio(16.0) > 1


def test_needed_delta_by_simulation():
    rng = np.random.default_rng(2)
    found, x = trimmed_mean.needed_delta(0.573, 16667.0, 1.0)
    normal = np.abs(np.sinh(rng.standard_normal(200_000)))
    simulated = (4 * 16667 * normal > x).mean() - np.e * (4 * 0.573 * normal > x).mean()
    assert simulated == pytest.approx(found, abs=5e-3)


def test_smooth_violation_sees_more_than_one_record():
    # zeros: e^{-2t}(b - a); k records of 1e6: e^{-(2-k)t}(b - a)
    for replaced, expected in ((1, 1.0), (2, 2.0)):
        spiked = [0.0] * (5 - replaced) + [1e6] * replaced
        found = trimmed_mean.smooth_violation([0.0] * 5, spiked, 2, 0.3)
        assert found == pytest.approx(expected, rel=1e-12)


def test_trimmed_extremes_by_hand():
    # n = 3, m = 1: the median; |mean| <= 1/3 allows (-1, 1, 1) with median 1
    assert trimmed_mean.trimmed_extremes(3, 1, Fraction(1, 3)) == 1
    # mean 0: (-1, 1/2, 1/2) has median 1/2
    assert trimmed_mean.trimmed_extremes(3, 1, Fraction(0)) == Fraction(1, 2)
    assert trimmed_mean.trimmed_extremes(3, 0, Fraction(1, 4)) == Fraction(1, 4)
