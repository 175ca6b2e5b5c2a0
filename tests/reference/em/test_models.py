"""The latent-variable models: gradients, M-steps, truncation, moments, likelihood, generators."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

from reference.em.gradient_em import gradient_em
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.errata.em.models import (
    DoubledRegressions,
    PrintedMissingCovariates,
    PrintedMixture,
    PrintedRegressions,
)

Array = np.ndarray
SIGMA = 0.7
BETA = np.array([0.9, -0.6, 0.4, 0.3])
EXACT: dict[str, LatentModel] = {
    "mixture": GaussianMixture(SIGMA),
    "regressions": MixtureOfRegressions(SIGMA),
    "missing": MissingCovariates(SIGMA, 0.3),
}
PRINTED: dict[str, LatentModel] = {
    "mixture": PrintedMixture(SIGMA),
    "regressions": PrintedRegressions(SIGMA),
    "missing": PrintedMissingCovariates(SIGMA, 0.3),
}
ALL = [*EXACT.values(), *PRINTED.values()]


def draw(model: LatentModel, n: int, seed: int) -> Array:
    return model.sample(BETA, n, np.random.default_rng(seed))


def log_density(model: LatentModel, record: Array, beta: Array) -> Any:
    """Log-density of one record, up to a constant; ``beta`` may be complex."""
    variance = model.standard_deviation**2
    if isinstance(model, GaussianMixture):
        return np.log(np.cosh(record @ beta / variance)) - beta @ beta / (2 * variance)
    x, y = record[:-1], record[-1]
    if isinstance(model, MixtureOfRegressions):
        fitted = x @ beta
        return np.log(np.cosh(y * fitted / variance)) - fitted**2 / (2 * variance)
    seen = ~np.isnan(x)
    v = variance + (beta[~seen] ** 2).sum()
    return -((y - x[seen] @ beta[seen]) ** 2) / (2 * v) - np.log(v) / 2


def slope_of_objective(model: LatentModel, data: Array, at: Array, given: Array) -> Array:
    """Gradient of b -> Q_n(b; given); central differences are exact for a quadratic."""
    return np.array(
        [
            (model.objective(data, at + e, given) - model.objective(data, at - e, given)) / 2
            for e in np.eye(at.size)
        ]
    )


def minus_hessian_of_objective(model: LatentModel, data: Array, given: Array) -> Array:
    """Minus the Hessian of the quadratic b -> Q_n(b; given)."""
    d = given.size
    unit = np.eye(d)

    def q(b: Array) -> float:
        return model.objective(data, b, given)

    return np.array(
        [
            [q(unit[j]) + q(unit[k]) - q(unit[j] + unit[k]) - q(np.zeros(d)) for k in range(d)]
            for j in range(d)
        ]
    )


# ------------------------------------------------------------------------------- gradients


class TestGradients:
    @pytest.mark.parametrize("model", EXACT.values(), ids=EXACT)
    def test_are_sigma_squared_times_the_score(self, model: LatentModel) -> None:
        # complex steps: exact derivatives of a density written down independently
        data, beta = draw(model, 40, 0), BETA + 0.2
        score = np.array(
            [
                [log_density(model, record, beta + 1e-30j * e).imag / 1e-30 for e in np.eye(4)]
                for record in data
            ]
        )
        np.testing.assert_allclose(model.gradients(data, beta), SIGMA**2 * score, rtol=1e-10)

    @pytest.mark.parametrize("model", ALL)
    def test_are_the_slope_of_the_objective(self, model: LatentModel) -> None:
        data, beta = draw(model, 40, 1), BETA - 0.1
        slope = slope_of_objective(model, data, beta, beta)
        np.testing.assert_allclose(model.gradients(data, beta).mean(axis=0), slope, atol=1e-12)

    def test_missing_by_hand(self) -> None:
        # x = (2, ?), y = 3, beta = (1, -1), sigma^2 = 1: v = 2, residual 1; observed 2 * 1/2,
        # missing -1 * (1/2 - 1) as printed, and half of it
        record, beta = np.array([[2.0, math.nan, 3.0]]), np.array([1.0, -1.0])
        printed = PrintedMissingCovariates(1.0).gradients(record, beta)
        np.testing.assert_allclose(printed, [[1.0, 0.5]])
        found = MissingCovariates(1.0).gradients(record, beta)
        np.testing.assert_allclose(found, [[1.0, 0.25]])

    @pytest.mark.parametrize(
        ("model", "width"),
        [
            (GaussianMixture(0.1), 64),
            (MixtureOfRegressions(0.1), 65),
            (DoubledRegressions(0.1), 65),
            (MissingCovariates(0.1), 65),
            (PrintedMissingCovariates(0.1), 65),
        ],
    )
    def test_are_finite_for_huge_and_tiny_records(self, model: LatentModel, width: int) -> None:
        # products overflow to infinity, or to inf - inf
        rows = [np.full(width, 1e308), np.tile([1e308, -1e308], width)[:width]]
        rows += [np.full(width, 5e-324), np.r_[np.full(width - 1, 1e308), 0.0]]
        rows += [np.r_[np.zeros(width - 1), -1e308], np.zeros(width)]
        if isinstance(model, MissingCovariates):
            rows += [np.r_[np.full(width - 1, math.nan), y] for y in (0.0, 1e308, -1e308)]
            rows += [np.r_[math.nan, np.full(width - 2, 1e308), -1e308]]
        data, beta = np.array(rows), np.full(width - (width == 65), 50.0)
        gradients = model.gradients(data, beta)
        assert np.isfinite(gradients).all()
        assert np.abs(gradients).max() < 1.0001e300
        assert np.isfinite(model.truncated_gradients(data, beta, 2.0)).all()


# --------------------------------------------------------------- what the population says


class TestConditionalSecondMoment:
    def test_against_importance_sampling(self) -> None:
        # E[x x^T | x_1, y]: 400000 draws; entries to 0.02, over 6 standard errors
        beta, record = np.array([0.7, 0.8, -0.5]), np.array([[0.4, math.nan, math.nan, 1.9]])
        hidden = np.random.default_rng(4).standard_normal((400_000, 2))
        residuals = 1.9 - 0.4 * 0.7 - hidden @ beta[1:]
        weights = np.exp(-(residuals**2) / (2 * SIGMA**2))
        weights /= weights.sum()
        x = np.column_stack([np.full(len(hidden), 0.4), hidden])
        moment = (weights[:, None] * x).T @ x
        exact = minus_hessian_of_objective(EXACT["missing"], record, beta)
        printed = minus_hessian_of_objective(PRINTED["missing"], record, beta)
        np.testing.assert_allclose(exact, moment, atol=0.02)
        np.testing.assert_allclose(printed[1:, 1:], np.eye(2), atol=1e-12)
        assert np.abs(printed - moment).max() > 0.1
        # the first moment, and with it the cross terms, agree
        np.testing.assert_allclose(printed[0], exact[0], atol=1e-12)


# --------------------------------------------------------------------------------- M-step


class TestMaximiser:
    @pytest.mark.parametrize("model", ALL)
    def test_is_the_highest_point(self, model: LatentModel) -> None:
        data, given = draw(model, 200, 5), BETA + 0.1
        best = model.maximiser(data, given)
        np.testing.assert_allclose(slope_of_objective(model, data, best, given), 0, atol=1e-12)
        assert np.linalg.eigvalsh(minus_hessian_of_objective(model, data, given)).min() > 0.1
        top = model.objective(data, best, given)
        for step in np.random.default_rng(6).standard_normal((50, 4)):
            assert model.objective(data, best + step, given) < top

    def test_fewer_records_than_dimensions(self) -> None:
        model = MixtureOfRegressions(SIGMA)
        data = draw(model, 2, 11)
        best = model.maximiser(data, BETA)
        np.testing.assert_allclose(slope_of_objective(model, data, best, BETA), 0, atol=1e-12)


# -------------------------------------------------------------------------------- likelihood


class TestLogLikelihood:
    @pytest.mark.parametrize("model", ALL)
    def test_differences(self, model: LatentModel) -> None:
        data = draw(model, 30, 12)
        want = np.mean(
            [log_density(model, r, BETA) - log_density(model, r, 2 * BETA) for r in data]
        )
        found = model.log_likelihood(data, BETA) - model.log_likelihood(data, 2 * BETA)
        assert found == pytest.approx(want, rel=1e-10)


# ------------------------------------------------------------------------------- truncation


def extremes(gradients: Array) -> Array:
    """Largest change of every coordinate over all pairs of records."""
    return gradients.max(axis=0) - gradients.min(axis=0)


def hard_records(model: LatentModel, d: int, rng: np.random.Generator) -> Array:
    """Return records on a grid of extremes and random ones of every size."""
    entries = [0.0, 1e-3, -1e-3, 1.0, -1.0, 5.0, -5.0, 1e6, -1e6]
    width = d if isinstance(model, GaussianMixture) else d + 1
    if isinstance(model, MissingCovariates):
        columns = [[*entries, math.nan]] * d + [entries]
    else:
        columns = [entries] * width
    grid = np.array(list(itertools.product(*columns)))
    spread = rng.standard_normal((3000, width)) * 10 ** rng.uniform(-3, 3, (3000, 1))
    if isinstance(model, MissingCovariates):
        spread[:, :-1][rng.random((3000, d)) < 0.3] = math.nan
    return np.vstack([grid, spread])


class TestTruncation:
    @pytest.mark.parametrize(
        "model",
        [
            *EXACT.values(),
            *PRINTED.values(),
            DoubledRegressions(SIGMA),
        ],
    )
    def test_far_away_is_no_truncation(self, model: LatentModel) -> None:
        data = draw(model, 30, 14)
        np.testing.assert_allclose(
            model.truncated_gradients(data, BETA, 1e6), model.gradients(data, BETA), atol=1e-11
        )

    @pytest.mark.parametrize("threshold", [0.5, 2.0])
    @pytest.mark.parametrize(
        "model",
        [
            GaussianMixture(1.0),
            PrintedMixture(1.0),
            MixtureOfRegressions(1.0),
            PrintedRegressions(1.0),
            DoubledRegressions(1.0),
            MissingCovariates(1.0),
            MissingCovariates(100.0),
            PrintedMissingCovariates(1.0),
        ],
    )
    def test_sensitivity_is_never_exceeded(self, model: LatentModel, threshold: float) -> None:
        rng = np.random.default_rng(15)
        records = hard_records(model, 2, rng)
        claimed = model.truncated_sensitivity(threshold)
        reach = min(model.iterate_bound(threshold), 30.0)
        for _ in range(20):
            beta = rng.uniform(-reach, reach, 2) * rng.choice([1e-3, 1.0], 2)
            worst = extremes(model.truncated_gradients(records, beta, threshold)).max()
            assert worst <= claimed * (1 + 1e-12)

    def test_of_the_mixture_is_attained(self) -> None:
        # y = +-M along e_2 with <beta, y> > 0 for both
        records = np.array([[1e3, 1e6], [1e3, -1e6]])
        found = GaussianMixture(1.0).truncated_gradients(records, np.array([1.0, 0.0]), 2.0)
        assert extremes(found)[1] == pytest.approx(GaussianMixture(1.0).truncated_sensitivity(2.0))

    def test_of_regressions_is_attained_on_the_pair_of_the_card(self) -> None:
        # zhang-5/E5: T = 2, beta = e_1, x = (1e-3, +-5), y = 1e6: 3.999 T^2 doubled, 2 T^2 not
        records = np.array([[1e-3, 5.0, 1e6], [1e-3, -5.0, 1e6]])
        beta = np.array([1.0, 0.0])
        for model, multiple in ((MixtureOfRegressions(1.0), 2), (DoubledRegressions(1.0), 4)):
            found = extremes(model.truncated_gradients(records, beta, 2.0)).max()
            assert found == pytest.approx(multiple * 4, rel=1e-3)
            assert model.truncated_sensitivity(2.0) == multiple * 4

    @pytest.mark.parametrize("sigma", [0.5, 10.0, 1e4])
    @pytest.mark.parametrize("entry", [0.5, 3.0, 4.0, 8.0])
    def test_of_missing_covariates_is_the_formula(self, sigma: float, entry: float) -> None:
        # T = 1: max(4, 2 + c), c = |b| sigma^2/(sigma^2 + b^2), above 6 only where both are large
        exact = max(4.0, 2.0 + entry * sigma**2 / (sigma**2 + entry**2))
        model = MissingCovariates(sigma)
        records = hard_records(model, 2, np.random.default_rng(16))
        for sign in (1, -1):
            found = max(
                extremes(model.truncated_gradients(records, np.array([sign * entry, other]), 1.0))[
                    0
                ]
                for other in (0.0, 0.01, 0.3, 1.0, -1.0, 3.0)
            )
            assert exact * 0.99 < found <= exact * (1 + 1e-12)
            assert (found > model.truncated_sensitivity(1.0)) == (entry == 8 and sigma > 5)

    def test_by_hand_at_threshold_two(self) -> None:
        # y = -30 at beta = 1/2: tanh(-15) (-2) - 1/2; x = 3, y = 5: fitted 3/2, (2 - 3/2) 2
        for model, record, want in (
            (GaussianMixture(1.0), [-30.0], math.tanh(15) * 2 - 0.5),
            (MixtureOfRegressions(1.0), [3.0, 5.0], (math.tanh(7.5) * 2 - 1.5) * 2),
        ):
            found = model.truncated_gradients(np.array([record]), np.array([0.5]), 2.0)
            np.testing.assert_allclose(found, [[want]], rtol=1e-12)

    def test_missing_entries_by_hand(self) -> None:
        # beta = (8, 1), sigma^2 = 32, x_1 missing, x_2 = 1, y = 25: v = 96, c = 8/3, r = 24,
        # m_1 = 2, <m, beta> = 17; T = 10: (10 - 10) 2 - 8/3; T = 20: (20 - 17) 2 - 8/3, and 3 x_2
        model, beta = MissingCovariates(math.sqrt(32)), np.array([8.0, 1.0])
        record = np.array([[math.nan, 1.0, 25.0]])
        for threshold, want in ((10.0, [-8 / 3, 0.0]), (20.0, [10 / 3, 3.0])):
            found = model.truncated_gradients(record, beta, threshold)
            np.testing.assert_allclose(found, [want], atol=1e-13)


# ---------------------------------------------------------------------------- moments, samples


class TestMoments:
    @pytest.mark.parametrize("model", EXACT.values(), ids=EXACT)
    @pytest.mark.parametrize(("truth", "radius"), [(BETA, 0.3), (0.05 * BETA, 0.5), (5 * BETA, 1)])
    def test_bound_covers_the_ball(self, model: LatentModel, truth: Array, radius: float) -> None:
        # a false alarm needs an excess of 6 standard errors of 20000 records: chance < 1e-6
        rng = np.random.default_rng(17)
        data = model.sample(truth, 20_000, rng)
        bound = model.moment_bound(truth, radius)
        directions = np.vstack([np.eye(4), -np.eye(4), truth / np.linalg.norm(truth)])
        models = [model]
        if isinstance(model, MissingCovariates):
            models.append(PrintedMissingCovariates(SIGMA, model.missing_probability))
        for tried, direction in itertools.product(models, directions):
            squares = tried.gradients(data, truth + radius * direction) ** 2
            error = squares.std(axis=0) / math.sqrt(len(data))
            assert (squares.mean(axis=0) < bound + 6 * error).all()

    def test_by_hand(self) -> None:
        beta = np.array([1.0, -2.0])
        assert GaussianMixture(0.5).moment_bound(beta, 0.25) == pytest.approx(
            (math.sqrt(4.25) + 2.25) ** 2
        )
        norm = math.sqrt(5)
        assert MixtureOfRegressions(0.5).moment_bound(beta, 0.25) == pytest.approx(
            5 + 8 + 0.25 + (norm + 0.25) ** 2 + 2 * 2.25**2
        )
        variance = 5 + 0.25 + 0.0625
        assert MissingCovariates(0.5, 0.2).moment_bound(beta, 0.25) == pytest.approx(
            0.8 * (variance + 0.125) + 0.2 * (3 * variance**2 + 2.25**2)
        )
        for model in EXACT.values():
            with pytest.raises(ValueError, match="radius must be"):
                model.moment_bound(beta, -1.0)


class TestSamples:
    # tolerances of 8 standard errors of 200000 records, P(false alarm) < 1e-13 each
    N = 200_000

    def test_mixture(self) -> None:
        beta = np.array([1.0, -2.0])
        data = GaussianMixture(0.5).sample(beta, self.N, np.random.default_rng(1))
        # E Y = 0, E Y Y^T = beta beta^T + sigma^2 I
        np.testing.assert_allclose(data.mean(axis=0), 0, atol=8 * 2.1 / math.sqrt(self.N))
        second = data.T @ data / len(data)
        np.testing.assert_allclose(second, np.outer(beta, beta) + 0.25 * np.eye(2), atol=0.05)

    def test_regressions(self) -> None:
        data = draw(EXACT["regressions"], self.N, 20)
        x, y = data[:, :-1], data[:, -1]
        np.testing.assert_allclose(x.T @ x / self.N, np.eye(4), atol=8 * 1.5 / math.sqrt(self.N))
        variance = BETA @ BETA + SIGMA**2
        # the sign is fair: E y x = 0, not beta
        np.testing.assert_allclose(x.T @ y / self.N, 0, atol=8 * math.sqrt(3 * variance / self.N))
        assert (y**2).mean() == pytest.approx(variance, abs=8 * 2 * variance / math.sqrt(self.N))
        # E y^2 x x^T = variance I + 2 beta beta^T, each entry with a standard error below 0.03
        fourth = (x * (y**2)[:, None]).T @ x / self.N
        np.testing.assert_allclose(
            fourth, variance * np.eye(4) + 2 * np.outer(BETA, BETA), atol=0.3
        )

    def test_missing(self) -> None:
        data = draw(EXACT["missing"], self.N, 21)
        missing = np.isnan(data[:, :-1])
        error = math.sqrt(0.21 / self.N)
        np.testing.assert_allclose(missing.mean(axis=0), 0.3, atol=8 * error)
        # entries go missing independently of one another and of what they are
        assert (missing[:, 0] & missing[:, 1]).mean() == pytest.approx(0.09, abs=8 * error)
        complete = data[~missing.any(axis=1)]
        fit = sm.OLS(complete[:, -1], complete[:, :-1]).fit()
        np.testing.assert_allclose(fit.params, BETA, atol=8 * SIGMA / math.sqrt(len(complete)))
        assert fit.scale == pytest.approx(SIGMA**2, rel=8 * math.sqrt(2 / len(complete)))
        assert not np.isnan(data[:, -1]).any()


# --------------------------------------------------------------------------------- validation


class TestValidation:
    @pytest.mark.parametrize("kind", [GaussianMixture, MixtureOfRegressions, MissingCovariates])
    def test_parameters(self, kind: Any) -> None:
        for bad in (0.0, -1.0, math.inf, math.nan):
            with pytest.raises(ValueError, match="standard_deviation must be"):
                kind(bad)
        for bad in (-0.1, 1.0, math.nan):
            with pytest.raises(ValueError, match=r"missing_probability must be in \[0, 1"):
                MissingCovariates(1.0, bad)

    @pytest.mark.parametrize(
        ("model", "records", "message"),
        [
            (
                GaussianMixture(1.0),
                [[0.0, 0.0]],
                r"data must have shape \('any', 3\), got \(1, 2\)",
            ),
            (MixtureOfRegressions(1.0), [[0.0] * 3], r"data must have shape \('any', 4\)"),
            (MissingCovariates(1.0), [[0.0] * 3], r"data must have shape \('any', 4\)"),
            (MixtureOfRegressions(1.0), np.zeros((0, 4)), "data must not be empty"),
            (MissingCovariates(1.0), np.zeros((0, 4)), "data must not be empty"),
            (GaussianMixture(1.0), [[math.nan, 1.0, 2.0]], "data must be finite, got NaN"),
            (
                MixtureOfRegressions(1.0),
                [[math.nan, 1.0, 2.0, 0.0]],
                "data must be finite, got NaN",
            ),
            (MissingCovariates(1.0), [[1.0, 1.0, 1.0, math.nan]], "data must have a response"),
            (MissingCovariates(1.0), [[math.inf, 1.0, 1.0, 1.0]], "data must be finite or NaN"),
        ],
    )
    def test_records(self, model: LatentModel, records: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            model.validate(records, 3)

    def test_missing_values_are_kept(self) -> None:
        records = [[math.nan, 1.0, 2.0], [math.nan, math.nan, 0.0]]
        assert np.isnan(MissingCovariates(1.0).validate(records, 2)).sum() == 3


# -------------------------------------------------------------------------------- gradient EM


class TestGradientEM:
    @pytest.mark.parametrize("model", EXACT.values(), ids=EXACT)
    def test_climbs_the_likelihood_to_the_parameter(self, model: LatentModel) -> None:
        # 1000 records, standard error about 0.03; step 0.5 is below 1/smoothness here
        data = draw(model, 1000, 3)
        path = [
            gradient_em(data, model, initial=BETA + 0.3, step_size=0.5, n_iterations=t)
            for t in (1, 2, 5, 20, 100)
        ]
        values = [model.log_likelihood(data, b) for b in path]
        assert (np.diff(values) >= -1e-12).all()
        assert values[0] < values[1] < values[2]
        assert np.linalg.norm(path[-1] - BETA) < 0.4
        np.testing.assert_allclose(model.gradients(data, path[-1]).mean(axis=0), 0, atol=1e-6)

    def test_bad_input(self) -> None:
        model = GaussianMixture(1.0)
        with pytest.raises(ValueError, match="n_iterations must be"):
            gradient_em([[1.0]], model, initial=[1.0], step_size=1.0, n_iterations=0)
        with pytest.raises(ValueError, match="step_size must be"):
            gradient_em([[1.0]], model, initial=[1.0], step_size=0.0, n_iterations=1)
        with pytest.raises(ValueError, match="data must be finite"):
            gradient_em([[np.nan]], model, initial=[1.0], step_size=1.0, n_iterations=1)
