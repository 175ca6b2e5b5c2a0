"""The statements on the models of EM: every check says what the ledger says, and can say no.

Fixed seeds; a Monte Carlo check would fail a true statement with chance < 1e-6 each.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from proofs_checks.statement import Outcome, Statement, run, statements
from proofs_checks.statements import em_models as module
from reference.catalogue import entry
from reference.em.models import GaussianMixture, MixtureOfRegressions
from reference.errata.em.models import PrintedMissingCovariates
from reference.errata.em.split_gradient_em import printed_mean


@pytest.mark.parametrize("statement", module.STATEMENTS, ids=lambda statement: statement.key)
def test_checks_agree_with_the_ledger(statement: Statement) -> None:
    report = run(statement)
    assert report.as_expected, (report.printed.detail, report.corrected)
    if statement.expected == "false":
        assert report.printed.level == "refuted with witness"
        assert report.printed.witness


def test_registered_once() -> None:
    assert set(module.STATEMENTS) <= set(statements())


def test_every_upheld_erratum_of_the_models_is_reproduced() -> None:
    reproduced = {erratum for statement in module.STATEMENTS for erratum in statement.errata}
    wanted = {
        ("model-mrm", 1), ("model-mrm", 2), ("model-rmc", 1), ("model-rmc", 2), ("wang-2", 3),
        ("diss-7.2.56", 1), ("diss-7.2.56", 2), ("diss-7.2.57", 1), ("diss-7.2.57", 2),
        ("diss-7.2.57", 3), ("diss-7.2.57", 4), ("ledger:000 Lemma 15", 1),
        ("ledger:000 Lemma 19", 1), ("ledger:000 Lemma 20", 1), ("ledger:000 Lemma 21", 1),
        ("ledger:000 Thm 7", 1), ("ledger:000 Thm 8", 1), ("ledger:004 Thm 7.2.7", 1),
    }  # fmt: skip
    assert reproduced == wanted
    assert all(statement.expected == "false" for statement in module.STATEMENTS if statement.errata)


@pytest.mark.parametrize("identifier", ["wang-2", "diss-7.2.56", "diss-7.2.57"])
def test_catalogue_points_to_statements_that_reproduce(identifier: str) -> None:
    known = {statement.key: statement for statement in statements()}
    for erratum in entry(identifier).errata:
        scheme, _, key = erratum.reproduced_by.partition(":")
        if scheme == "proofs":
            assert (erratum.card or identifier, erratum.number) in known[key].errata


# ------------------------------------------------------------------------------- the pieces


def within(sample: np.ndarray, expected: float) -> bool:
    """Whether a mean agrees within 5.5 standard errors."""
    return abs(sample.mean() - expected) <= 5.5 * sample.std() / math.sqrt(len(sample))


@pytest.mark.parametrize("j", [0, 1, 2])
def test_regression_law_by_simulation(j: int) -> None:
    rng, n = np.random.default_rng(1), 200_000
    truth, beta = np.array([1.2, 0.3, 0.0]), np.array([0.8, 0.5, 0.2])
    law = module.regression_law(beta, truth)
    model = MixtureOfRegressions(1.0)
    gradient = model.gradients(model.sample(truth, n, rng), beta)[:, j]
    assert within(gradient**2, law.second_moment(j))
    assert law.weights.sum() == pytest.approx(1, abs=1e-12)
    mean = float(np.sum(law.weights * law.factor * law.means[j]))
    assert within(gradient, mean)
    assert within(np.exp(0.05 * (gradient - mean)), math.exp(law.log_mgf(j, 0.05)))
    t = 1e-3  # the curvature at 0 is the variance
    curvature = (law.log_mgf(j, t) + law.log_mgf(j, -t)) / t**2
    assert curvature == pytest.approx(law.second_moment(j) - mean**2, rel=1e-4)


@pytest.mark.parametrize("j", [0, 1, 2])
def test_missing_covariates_by_simulation(j: int) -> None:
    rng, n = np.random.default_rng(2), 200_000
    truth, beta, sigma, p = np.array([0.6, 0.3, 0.0]), np.array([0.4, 0.5, 0.2]), 0.8, 0.3
    model = PrintedMissingCovariates(sigma, p)
    gradient = model.gradients(model.sample(truth, n, rng), beta)[:, j]
    moment = module.missing_moment(beta, truth, sigma, p, j)
    mean = float(module.em_highdim.missing_gradient(beta, beta, truth, sigma, p)[j])
    assert within(gradient**2, moment)
    assert within(gradient, mean)
    value = module.missing_log_mgf(beta, truth, sigma, p, j, 0.1)
    assert within(np.exp(0.1 * (gradient - mean)), math.exp(value))
    t = 1e-3
    curvature = sum(module.missing_log_mgf(beta, truth, sigma, p, j, s) for s in (t, -t)) / t**2
    assert curvature == pytest.approx(moment - mean**2, rel=1e-3)


def test_moment_generating_function_diverges() -> None:
    beta = truth = np.array([1.0])
    assert module.missing_log_mgf(beta, truth, 1.0, 0.5, 0, 0.5) == math.inf


def test_patterns_by_hand() -> None:
    found = list(module.patterns(np.array([2.0]), np.array([3.0]), 1.0, 0.25))
    assert [(z.probability, z.variance, z.ratio) for z in found] == [(0.75, 1, 2), (0.25, 5, 2)]


def test_normal_moments_by_hand() -> None:
    assert module._normal_moment(1.0) == pytest.approx(math.sqrt(2 / math.pi))
    assert module._normal_moment(4.0) == pytest.approx(3**0.25)


@pytest.mark.parametrize(("factor", "of_sum"), [(1, 1e-4), ("s", 0.0)])
def test_contribution_is_the_reference_s(factor: Any, of_sum: float) -> None:
    scale, precision = math.sqrt(1e4 / (2 * math.log(200))), math.log(200)
    data = np.zeros((10_000, 1))
    data[0] = 100.0
    expected = printed_mean(data, scale, precision, correction_factor=of_sum or scale / 1e4)
    with mp.workdps(40):
        assert module._contribution(100.0, factor) == pytest.approx(float(expected[0]), rel=1e-8)


def test_reused_records_by_simulation() -> None:
    rng, model = np.random.default_rng(3), GaussianMixture(1.0)
    data = model.sample(np.array([0.5]), 400_000, rng).reshape(-1, 2)
    first = (np.tanh(data) * data).mean(axis=1)
    population = np.array([module.em._population_map(b, 0.5, 1.0) for b in np.linspace(0, 6, 400)])
    at_first = np.interp(first, np.linspace(0, 6, 400), population)
    excess = (np.tanh(first[:, None] * data) * data).mean(axis=1) - at_first
    assert within(excess, module._records_excess(30, 2, fresh=False))


def test_moment_of_terms_by_simulation() -> None:
    rng, model = np.random.default_rng(4), GaussianMixture(1.0)
    truth, beta = np.array([0.7, -0.4]), np.array([0.2, 0.9])
    terms = model.terms(model.sample(truth, 200_000, rng), beta)
    for j in (0, 1):
        assert within(terms[:, j] ** 2, module._moment_of_terms(beta, truth, j))


def test_mean_of_positive_part() -> None:
    # E 2w y x = E(2w - 1) y x = beta*, as E y x = 0
    value, weights = module._positive_part(2.0)
    assert float(np.sum(weights * value)) == pytest.approx(2.0, abs=1e-10)


# ------------------------------------------------------------------------------- breaks


def holds(check: Callable[[np.random.Generator], Outcome]) -> bool:
    return check(np.random.default_rng(0)).holds


def scaled(function: Callable[..., Any], factor: float) -> Callable[..., Any]:
    return lambda *args, **kwargs: factor * function(*args, **kwargs)


@pytest.mark.parametrize(
    ("check", "name", "factor"),
    [
        ("_missing_constants", "_lemma_7_gamma", 0.9),
        ("_missing_moment_bound", "missing_moment", 1.2),
        ("_missing_mgf", "missing_log_mgf", 20.0),
        ("_mixture_moment", "_moment_of_terms", 1.2),
        ("_average_only_for_mixture", "_moment_of_terms", 1.2),
        ("_average_only_for_mixture", "_additive", 0.0),
        ("_with_s", "_contribution", 1.01),
        ("_with_s", "_contribution", 0.5),
        ("_robust_mean", "smoothed_truncation", 1.5),
        ("_step_error_repaired", "smoothed_truncation", 1.5),
        ("_gradient_privacy", "zcdp_rho", 0.25),
        ("_em_privacy", "zcdp_rho", 0.25),
        ("_noise_norm", "_normal_moment", 1.3),
        ("_norms_of_products", "_normal_moment", 0.9),
    ],
)
def test_broken_ingredient_is_seen(
    check: str, name: str, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert holds(getattr(module, check))
    monkeypatch.setattr(module, name, scaled(getattr(module, name), factor))
    assert not holds(getattr(module, check))


@pytest.mark.parametrize(
    "check",
    ["_missing_moment_bound", "_imputed_deviation", "_products_of_imputed"],
)
def test_ball_larger_than_claimed(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = module._random_missing

    def smaller_k(rng: np.random.Generator) -> tuple[Any, ...]:
        beta, truth, sigma, p, k, r = right(rng)
        return beta, truth, sigma, p, k / 100, r

    monkeypatch.setattr(module, "_random_missing", smaller_k)
    assert not holds(getattr(module, check))


@pytest.mark.parametrize("check", ["_gradient_entries", "_missing_constants"])
def test_wrong_population_gradient(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = module.em_highdim.missing_gradient
    monkeypatch.setattr(
        module.em_highdim,
        "missing_gradient",
        lambda at, given, truth, sigma, p: right(at, given, 1.3 * truth, sigma, p),
    )
    assert not holds(getattr(module, check))


@pytest.mark.parametrize("check", ["_gradient_entries", "_centred_missing", "_three_terms"])
def test_wrong_second_moment(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # without the last term of (11)
    monkeypatch.setattr(
        module,
        "_second_moment_times",
        lambda z, m, beta: [
            (1 - z[j]) * beta[j] + sum(m[j] * m[k] * beta[k] for k in range(len(m)))
            for j in range(len(m))
        ],
    )
    assert not holds(getattr(module, check))


@pytest.mark.parametrize(
    ("check", "method", "factor"),
    [("_regression_moment", "second_moment", 100.0), ("_regression_mgf", "log_mgf", 20.0)],
)
def test_wrong_regression_law(
    check: str, method: str, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = getattr(module.RegressionLaw, method)
    monkeypatch.setattr(module.RegressionLaw, method, scaled(right, factor))
    assert not holds(getattr(module, check))


def test_smaller_contraction_factor() -> None:
    runner = module._gradient_runner(module._missing_sample, 8.0, 100_000)
    field = module.em_highdim.missing_gradient
    outcome = module._recursion_holds(
        np.random.default_rng(0),
        runner,
        lambda beta, truth: field(beta, beta, truth, 2.0, 0.1),
        0.0,
        0.5,
        step=True,
        name="iota too small",
    )
    assert not outcome.holds


def test_rate_that_does_not_fit_its_condition() -> None:
    lost = module._consistent_rate(module._tau_6, module._tau_28, homogeneous=False)
    inhomogeneous = module._consistent_rate(module._tau_6, module._tau_6, homogeneous=True)
    assert not holds(lost)
    assert not holds(inhomogeneous)


def test_new_rate_needs_the_root_of_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    def old(epsilon: float, delta: float, **kwargs: Any) -> float:
        return right(epsilon, delta, **kwargs) / math.sqrt(epsilon)

    right = module._explicit_bound
    monkeypatch.setattr(module, "_explicit_bound", old)
    assert not holds(module._new_rate)
    assert holds(module._old_rate)


@pytest.mark.parametrize("factor", [10, 50])  # out of B, and above the bound
def test_additive_bound_of_theorem_8(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    right = module._split_missing_path

    def worse(rng: np.random.Generator, size: float, n: int) -> tuple[list[np.ndarray], np.ndarray]:
        path, truth = right(rng, size, n)
        return [*path[:-1], truth + factor * (path[-1] - truth)], truth

    monkeypatch.setattr(module, "_split_missing_path", worse)
    assert not holds(module._theorem_8_additive)


class TestRefutationsCanFail:
    """What is refuted as printed is not refuted once it is repaired."""

    def test_bound_of_the_right_degree(self) -> None:
        def square(rng: np.random.Generator, c: float) -> tuple[np.ndarray, np.ndarray]:
            return np.array([c**2 * rng.random()]), np.zeros(1)

        assert module._scaled(np.random.default_rng(0), square, "c^2 times").holds

    def test_moment_with_the_constant(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_claimed_xi", lambda norm, sigma, d: math.hypot(norm, sigma))
        assert holds(module._missing_moment_printed)

    @pytest.mark.parametrize("check", ["_without_s", "_literal_em_privacy"])
    def test_factor_s(self, check: str, monkeypatch: pytest.MonkeyPatch) -> None:
        right = module._contribution
        monkeypatch.setattr(module, "_contribution", lambda value, factor: right(value, "s"))
        assert holds(getattr(module, check))

    def test_fresh_records(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = module._records_excess
        monkeypatch.setattr(
            module,
            "_records_excess",
            lambda nodes, n, *, fresh: right(nodes, min(n, 3), fresh=True),
        )
        assert holds(module._reused_records)

    def test_reused_records(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = module._records_excess
        monkeypatch.setattr(
            module, "_records_excess", lambda nodes, n, *, fresh: right(nodes, n, fresh=False)
        )
        assert not holds(module._fresh_records)

    def test_posterior_weight(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module.em_highdim, "_regression_fixed_point", lambda snr: 1.0)
        assert holds(module._regression_weight)

    def test_centred_variable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = module._positive_part

        def centred(snr: float) -> tuple[np.ndarray, np.ndarray]:
            value, weights = right(snr)
            return value - np.sum(weights * value), weights

        monkeypatch.setattr(module, "_positive_part", centred)
        assert holds(module._symmetrised_regression)

    def test_decomposition(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = module._gradient_terms

        def repaired(rng: np.random.Generator) -> tuple[Any, ...]:
            centred, a, b, _, y_x = right(rng)
            return centred, a, -b, y_x, y_x

        monkeypatch.setattr(module, "_gradient_terms", repaired)
        assert holds(module._decomposition_printed)
