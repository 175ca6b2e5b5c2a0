"""The statements of seed 002: every check says what the ledger says, and can say the opposite.

Fixed seeds; a Monte Carlo check would fail a true statement with chance < 1e-5 each.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from proofs_checks.statement import Check, Outcome, Statement, run, statements
from proofs_checks.statements import em_highdim as module
from proofs_checks.statements import peeling
from reference.em.models import GaussianMixture, MixtureOfRegressions
from reference.errata.em.models import PrintedMissingCovariates, PrintedMixture, PrintedRegressions
from reference.privacy.guarantees import laplace_delta


@pytest.mark.parametrize(
    "statement", module.STATEMENTS, ids=lambda statement: statement.number.replace("/", "")
)
def test_checks_agree_with_the_ledger(statement: Statement) -> None:
    report = run(statement)
    assert report.as_expected, (report.printed.detail, report.corrected)
    if statement.expected == "false":
        assert report.printed.level == "refuted with witness"
        assert report.printed.witness


def test_registered_once_beside_the_statements_on_peeling() -> None:
    assert set(module.STATEMENTS) | set(peeling.STATEMENTS) <= set(statements())


def test_every_upheld_erratum_of_the_cards_is_reproduced() -> None:
    reproduced = {
        erratum
        for statement in (*module.STATEMENTS, *peeling.STATEMENTS)
        for erratum in statement.errata
        if statement.seed == "002"
    }
    wanted = {
        ("zhang-1", 1), ("zhang-2", 1), ("zhang-2", 2), ("zhang-2", 3), ("zhang-3", 1),
        ("zhang-4", 1), ("zhang-4", 2), ("zhang-5", 1), ("zhang-5", 2), ("zhang-5", 3),
        ("zhang-5", 5), ("zhang-6", 1), ("zhang-6", 2), ("zhang-7", 1), ("zhang-8", 1),
        ("zhang-u1", 1), ("zhang-u1", 2), ("zhang-u4", 1), ("zhang-u4", 2), ("zhang-u4", 3),
        ("ledger:002 (36)-(39)", 1), ("ledger:002 (55)", 1), ("ledger:002 (74)", 1),
        ("ledger:002 Lemma 4.1", 1), ("ledger:002 Lemma C.1", 1), ("ledger:002 choice of T", 1),
    }  # fmt: skip
    assert reproduced == wanted
    assert all(statement.expected == "false" for statement in module.STATEMENTS if statement.errata)


# ------------------------------------------------------------------------------- the pieces


def test_sign_test_by_hand() -> None:
    # one release at epsilon = 0: the sign of the distance to the midpoint is the best test
    assert module.sign_test_delta(0.7, 1, 0.0) == pytest.approx(laplace_delta(0.7, 0.0))
    p = 1 - math.exp(-0.5) / 2
    assert module.sign_test_delta(1.0, 2, 0.5) == pytest.approx(
        max(p**2 - math.exp(0.5) * (1 - p) ** 2, 1 - (1 - p) ** 2 - math.exp(0.5) * (1 - p**2), 0)
    )


def within(sample: np.ndarray, expected: np.ndarray) -> bool:
    """Whether a mean agrees within 5.5 standard errors, in every coordinate."""
    error = sample.std(axis=0) / math.sqrt(len(sample))
    return bool((np.abs(sample.mean(axis=0) - expected) <= 5.5 * error).all())


@pytest.mark.parametrize("printed", [False, True])
def test_population_maps_by_simulation(printed: bool) -> None:
    rng, n, factor = np.random.default_rng(1), 200_000, 0.5 if printed else 1.0
    truth, beta = np.array([1.2, 0.0]), np.array([0.8, 0.5])
    mixture = PrintedMixture(1.0) if printed else GaussianMixture(1.0)
    gradients = mixture.gradients(mixture.sample(truth, n, rng), beta)
    assert within(gradients, module.mixture_map(beta, truth, factor) - beta)
    assert not within(gradients, module.mixture_map(beta, truth, 1.5 - factor) - beta)
    regressions = PrintedRegressions(1.0) if printed else MixtureOfRegressions(1.0)
    gradients = regressions.gradients(regressions.sample(truth, n, rng), beta)
    assert within(gradients, module.regression_map(beta, truth, factor) - beta)
    assert not within(gradients, module.regression_map(beta, truth, 1.5 - factor) - beta)


def test_missing_gradient_by_simulation() -> None:
    rng, sigma, p = np.random.default_rng(2), 0.7, 0.3
    truth, beta = np.array([1.0, -0.5, 0.2]), np.array([0.8, -0.4, 0.5])
    model = PrintedMissingCovariates(sigma, p)
    gradients = model.gradients(model.sample(truth, 200_000, rng), beta)
    expected = module.missing_gradient(beta, beta, truth, sigma, p)
    assert within(gradients, expected)
    assert not within(gradients, module.missing_gradient(beta, beta, truth, sigma, p + 0.1))


def test_truncation_moments_by_hand() -> None:
    assert float(module._excess(0, mp.mpf(2))) == pytest.approx(2.0)
    assert float(module._excess(0, mp.mpf(1), 4)) == pytest.approx(1.5)
    assert float(module._excess(-30, mp.mpf(1))) == pytest.approx(901.0)


def test_exact_gradients_by_hand() -> None:
    one, half = Fraction(1), Fraction(1, 2)
    seen = module._exact_gradients([2 * one], [1], 5 * one, [one], half)
    assert seen["printed"] == seen["exact"] == seen["score"] == [Fraction(6)]
    # b = 1, sigma^2 = 1/2, v = 3/2, a = y/v = 2: printed b(a^2 v - 1), EM a third of that
    hidden = module._exact_gradients([2 * one], [0], 3 * one, [one], half)
    assert hidden["printed"] == [Fraction(5)]
    assert hidden["exact"] == hidden["score"] == [Fraction(5, 3)]


def test_sensitivities_by_hand() -> None:
    assert module._regression_vertices(True) == 2
    assert module._regression_vertices(False) == 1
    assert module.missing_range(Fraction(8), observed=False) == (Fraction(-8), Fraction(-5))
    assert [module._missing_sensitivity(Fraction(b)) for b in (1, 3, 4, 8)] == [4, 5, 6, 10]


# -------------------------------------------------------------------- checks that can fail


def outcome(check: Check) -> Outcome:
    return check(np.random.default_rng(0))


def scaled(model: type, name: str, factor: float) -> Callable[..., np.ndarray]:
    right = getattr(model, name)
    return lambda self, *arguments: factor * right(self, *arguments)


class TestTrueStatementsCanFail:
    @pytest.mark.parametrize(
        ("model", "checks"),
        [
            (GaussianMixture, [module._mixture_sensitivity]),
            (MixtureOfRegressions, [module._regression_sensitivity, module._regression_l2]),
            (PrintedMissingCovariates, [module._bounded_iterates, module._split_missing]),
        ],
    )
    def test_larger_truncated_gradients(
        self, monkeypatch: pytest.MonkeyPatch, model: type, checks: list[Check]
    ) -> None:
        name = "truncated_gradients"
        monkeypatch.setattr(model, name, scaled(model, name, 1.3))
        assert not any(outcome(check).holds for check in checks)

    @pytest.mark.parametrize(
        ("model", "check"),
        [
            (GaussianMixture, module._mixture_statistical_error),
            (PrintedMissingCovariates, module._missing_statistical_error),
            (MixtureOfRegressions, module._split_single),
        ],
    )
    def test_larger_gradients(
        self, monkeypatch: pytest.MonkeyPatch, model: type, check: Check
    ) -> None:
        monkeypatch.setattr(model, "gradients", scaled(model, "gradients", 4.0))
        assert not outcome(check).holds

    def test_half_the_noise(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = module.printed_noise_scale
        monkeypatch.setattr(module, "printed_noise_scale", lambda *a, **k: right(*a, **k) / 2)
        assert not outcome(module._fresh_batches).holds

    def test_printed_weights(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, check in (
            ("mixture_map", module._mixture_posterior),
            ("regression_map", module._regression_posterior),
        ):
            right = getattr(module, name)

            def printed(b: Any, t: Any, factor: float, right: Any = right) -> Any:
                return right(b, t, factor / 2)

            monkeypatch.setattr(module, name, printed)
            assert not outcome(check).holds

    def test_rate_with_the_printed_weight(self) -> None:
        for gaussian in (False, True):
            assert not outcome(module._rate_met(gaussian=gaussian, printed=True)).holds

    def test_lemma_b1_without_its_noise_terms(self) -> None:
        rng = np.random.default_rng(0)
        assert max(module._lemma_b1_ratio(rng, with_noise=False) for _ in range(100)) > 1

    def test_laws_that_differ(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_symmetric_laws", lambda rng: (0.1, 1.0))
        assert not outcome(module._vacuous).holds

    def test_larger_bracket(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # without the noise of the selection, the positive part is too large
        right = module._peel
        monkeypatch.setattr(module, "_peel", lambda *a: (right(*a)[0], 0.0))
        assert not outcome(module._positive_part).holds

    def test_half_of_the_tail_bounds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = module._excess
        monkeypatch.setattr(module, "_excess", lambda *a: 2 * right(*a))
        assert not outcome(module._non_negative_distance).holds
        assert not outcome(module._truncation_moment).holds


class TestFalseStatementsCanHold:
    """With what was claimed put in the place of what is, nothing is refuted."""

    @pytest.mark.parametrize(
        ("name", "claimed", "check"),
        [
            ("sign_test_delta", lambda *a: 0.0, module._reused_batch),
            ("_expected_noise", lambda *a: mp.mpf(1), module._lost_budget),
            ("_peeled_truth", lambda *a: 1, module._dropped_noise),
            ("_fubini", lambda factor: 1.0, module._fubini_printed),
            ("_excess", lambda *a: mp.mpf(0), module._negative_distance),
            ("_scaled_truncation", lambda c, k: 1.0, module._any_constant),
            ("_symmetric_laws", lambda rng: (0.1, 1.0), module._optimality),
            ("_bracket_54", lambda *a, **k: (0.5, 0.5), module._squared_bracket),
            ("_q_slope", lambda *a: Fraction(1), module._doubled_gradient),
            ("laplace_delta", lambda *a: 0.0, module._untruncated_term),
            ("lower", lambda x: 0.05, module._low_dimensional_privacy),
            ("_misclassification", lambda *a: np.full(24, 0.08), module._table_3),
            ("_split_regression", lambda *a, **k: (0.0, [0.0]), module._split_doubled),
        ],
    )
    def test_claimed(
        self, monkeypatch: pytest.MonkeyPatch, name: str, claimed: Any, check: Check
    ) -> None:
        monkeypatch.setattr(module, name, claimed)
        assert outcome(check).holds

    def test_weights_that_fix_the_truth(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "mixture_map", lambda b, t, factor: t)
        assert outcome(module._mixture_weight).holds
        assert outcome(module._error_floor(gaussian=False)).holds
        monkeypatch.setattr(module, "regression_map", lambda b, t, factor: t)
        assert outcome(module._regression_weight).holds

    def test_projected_iterates(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = PrintedMissingCovariates.truncated_gradients

        def projected(self: Any, data: Any, beta: Any, threshold: float) -> Any:
            return right(self, data, np.clip(beta, -4 * threshold**2, 4 * threshold**2), threshold)

        monkeypatch.setattr(PrintedMissingCovariates, "truncated_gradients", projected)
        assert outcome(module._untruncated_term).holds
        assert outcome(module._missing_l2).holds

    def test_preprocessing_that_reads_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            GaussianMixture, "truncated_gradients", lambda self, x, b, t: np.zeros_like(x)
        )
        assert outcome(module._preprocessing).holds
