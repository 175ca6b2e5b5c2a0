"""The Gaussian mixture: weights, gradients, moments."""

import math

import numpy as np
import pytest

from reference.em.gradient_em import gradient_em
from reference.em.models import GaussianMixture


def test_hand_computed_gradient() -> None:
    # <beta, y>/sigma^2 = 0.7/0.25 = 2.8; posterior 0.99632, printed weight 0.94268
    y, beta = np.array([[0.7]]), np.array([1.0])
    exact = GaussianMixture(0.5).gradients(y, beta)
    printed = GaussianMixture(0.5, as_published=True).gradients(y, beta)
    assert exact[0, 0] == pytest.approx((2 * 0.996316 - 1) * 0.7 - 1, abs=1e-6)
    assert printed[0, 0] == pytest.approx((2 * 0.942676 - 1) * 0.7 - 1, abs=1e-6)


def test_gradient_is_the_score() -> None:
    rng = np.random.default_rng(0)
    data, beta, sigma = rng.standard_normal((6, 3)), rng.standard_normal(3), 0.8

    def log_likelihood(b: np.ndarray) -> np.ndarray:
        plus = -((data - b) ** 2).sum(axis=1) / (2 * sigma**2)
        minus = -((data + b) ** 2).sum(axis=1) / (2 * sigma**2)
        return np.logaddexp(plus, minus)

    h = 1e-6
    score = np.stack(
        [
            (log_likelihood(beta + h * e) - log_likelihood(beta - h * e)) / (2 * h)
            for e in np.eye(3)
        ],
        axis=1,
    )
    found = GaussianMixture(sigma).gradients(data, beta)
    np.testing.assert_allclose(found, sigma**2 * score, atol=1e-7)


def test_truth_is_the_fixed_point_only_with_the_posterior_weight() -> None:
    # population maps by quadrature at SNR 2: beta* itself, and 0.9530 beta* as printed
    y, weight = np.polynomial.hermite_e.hermegauss(200)
    law = (weight / weight.sum())[:, None]
    records = y[:, None] + 2.0
    exact = (law * GaussianMixture(1.0).gradients(records, np.array([2.0]))).sum()
    printed = GaussianMixture(1.0, as_published=True)
    assert abs(exact) < 1e-8
    assert (law * printed.gradients(records, np.array([2.0]))).sum() < -0.03
    assert abs((law * printed.gradients(records, np.array([2 * 0.952994]))).sum()) < 1e-5


def test_huge_records_give_finite_gradients() -> None:
    # <beta, y> overflows to infinity, or to inf - inf
    data = 1e308 * np.array([np.ones(64), np.tile([1.0, -1.0], 32)])
    with np.errstate(all="ignore"):
        assert not np.isfinite(data @ np.full(64, 50.0)).any()
    found = GaussianMixture(0.1).gradients(data, np.full(64, 50.0))
    assert np.isfinite(found).all()


def test_sample_has_the_models_moments() -> None:
    beta = np.array([1.0, -2.0])
    data = GaussianMixture(0.5).sample(beta, 200_000, np.random.default_rng(1))
    # E Y = 0, E Y Y^T = beta beta^T + sigma^2 I; 8 standard errors, P(false alarm) < 1e-13
    np.testing.assert_allclose(data.mean(axis=0), 0, atol=8 * 2.1 / math.sqrt(200_000))
    second = data.T @ data / len(data)
    np.testing.assert_allclose(second, np.outer(beta, beta) + 0.25 * np.eye(2), atol=0.05)


def test_moment_bound() -> None:
    model, beta = GaussianMixture(0.5), np.array([1.0, -2.0])
    assert model.moment_bound(beta, 0.25) == pytest.approx((math.sqrt(4.25) + 2.25) ** 2)
    with pytest.raises(ValueError, match="radius must be"):
        model.moment_bound(beta, -1.0)
    # it covers the empirical moment at the worst corner of the ball
    data = model.sample(beta, 50_000, np.random.default_rng(2))
    moments = (model.gradients(data, beta + np.array([0.0, -0.25])) ** 2).mean(axis=0)
    assert moments.max() < model.moment_bound(beta, 0.25)


def test_bad_model_and_data() -> None:
    with pytest.raises(ValueError, match="noise_scale must be"):
        GaussianMixture(0.0)
    with pytest.raises(ValueError, match=r"data must have shape \('any', 3\), got \(4, 2\)"):
        GaussianMixture(1.0).validate(np.zeros((4, 2)), 3)


class TestGradientEM:
    def test_one_step_by_hand(self) -> None:
        # beta = 1, y = 1 and -2: tanh(1) 1 = tanh(-1)(-1), tanh(2) 2
        found = gradient_em(
            [[1.0], [-2.0]], GaussianMixture(1.0), initial=[1.0], step_size=0.5, n_iterations=1
        )
        mean = (math.tanh(1) + 2 * math.tanh(2)) / 2
        assert found[0] == pytest.approx(1 + 0.5 * (mean - 1))

    def test_likelihood_never_falls(self) -> None:
        model, rng = GaussianMixture(0.7), np.random.default_rng(3)
        data = model.sample(np.array([1.0, 0.5]), 300, rng)

        def log_likelihood(b: np.ndarray) -> float:
            parts = [-((data - z * b) ** 2).sum(axis=1) / (2 * 0.49) for z in (1, -1)]
            return float(np.logaddexp(*parts).sum())

        path = [
            gradient_em(data, model, initial=[0.1, -0.3], step_size=1.0, n_iterations=t)
            for t in (1, 2, 5, 20, 100)
        ]
        values = [log_likelihood(b) for b in path]
        assert (np.diff(values) >= -1e-10).all()
        assert values[0] < values[1] < values[2]
        # and it finds the parameter: 300 records, standard error 0.05
        assert min(np.linalg.norm(path[-1] - z * np.array([1.0, 0.5])) for z in (1, -1)) < 0.4

    def test_bad_input(self) -> None:
        model = GaussianMixture(1.0)
        with pytest.raises(ValueError, match="n_iterations must be"):
            gradient_em([[1.0]], model, initial=[1.0], step_size=1.0, n_iterations=0)
        with pytest.raises(ValueError, match="step_size must be"):
            gradient_em([[1.0]], model, initial=[1.0], step_size=0.0, n_iterations=1)
        with pytest.raises(ValueError, match="data must be finite"):
            gradient_em([[np.nan]], model, initial=[1.0], step_size=1.0, n_iterations=1)
