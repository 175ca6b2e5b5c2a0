import math

import numpy as np
import pytest
from scipy.stats import chisquare

from reference.catalogue import entry
from reference.constraint_sets import L1Ball, L2Ball
from reference.losses import Linear, Logistic, Sigmoid
from reference.nonconvex.proximal_gradient_descent import (
    dp_proximal_gradient_descent,
    noise_scale,
)
from reference.nonconvex.random_iterate import choose_iterate
from reference.privacy.guarantees import gaussian_dp_delta, zcdp_epsilon
from reference.privacy.ledger import (
    GivenDrawsLedger,
    Ledger,
    NoiselessLedger,
    RecordingLedger,
)
from reference.proximal import L1Norm, Ridge, soft_threshold


def problem(n=40, p=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    labels = np.where(features @ np.arange(1.0, p + 1) + 0.5 * rng.standard_normal(n) > 0, 1.0, -1)
    return features, labels


def run(data, loss=Sigmoid(), **options):  # noqa: B008
    options = {
        "initial": np.zeros(data[0].shape[1]),
        "epsilon": 1.0,
        "delta": 1e-2,
        "n_iterations": 5,
        "ledger": Ledger(0),
        **options,
    }
    return dp_proximal_gradient_descent(data, loss, **options)


# ------------------------------------------------------------------------------- the noise


def scale(epsilon, delta, **options):
    options = {"lipschitz": 1.0, "smoothness": 1.0, "n": 10, "n_iterations": 20, **options}
    return noise_scale(epsilon, delta, **options)


def test_corrected_noise_spends_exactly_the_zcdp_budget():
    for epsilon, delta in ((0.1, 1e-4), (1.0, 1e-5), (30.0, 0.5)):
        sigma = scale(epsilon, delta, lipschitz=0.3)
        rho = 20 * (2 * 0.3 / 10) ** 2 / (2 * sigma**2)
        assert zcdp_epsilon(rho, delta) == pytest.approx(epsilon, rel=1e-12)


def test_printed_box_is_off_by_one_over_root_rho():
    """Card diss-4.1.16, error 1: standard deviations 60.9, 12.3, 3.19, 1.36 times too large."""
    ratios = [scale(e, 1e-4, calibration="box") / scale(e, 1e-4) for e in (0.1, 0.5, 2.0, 5.0)]
    np.testing.assert_allclose(ratios, [60.9, 12.3, 3.19, 1.36], rtol=5e-3)


@pytest.mark.parametrize(
    ("epsilon", "delta", "true_delta"), [(10.0, 1e-2, 0.2236), (20.0, 1e-4, 0.906)]
)
def test_printed_box_is_not_private_for_large_epsilon(epsilon, delta, true_delta):
    mu = math.sqrt(20) * 2 / 10 / scale(epsilon, delta, calibration="box")
    assert gaussian_dp_delta(mu, epsilon) == pytest.approx(true_delta, rel=1e-3)


def test_printed_text_has_the_smoothness_for_the_lipschitz_constant():
    loss = Sigmoid()
    options = {"lipschitz": loss.lipschitz, "smoothness": loss.smoothness}
    ratio = scale(1.0, 1e-2, calibration="text", **options) / scale(1.0, 1e-2, **options)
    assert ratio == pytest.approx(4 / (6 * math.sqrt(3)), rel=1e-12)


def test_printed_theorem_with_a_constant():
    sigma = scale(2.0, 1e-2, lipschitz=0.5, constant=3.0)
    expected = math.sqrt(3.0 * 0.25 * 20 * math.log(100) / (100 * 4.0))
    assert sigma == pytest.approx(expected, rel=1e-12)
    # c = 2 (1 + sqrt 2)^2 is what epsilon = log(1/delta) needs
    valid = 2 * (1 + math.sqrt(2)) ** 2
    epsilon = math.log(1 / 1e-3)
    assert scale(epsilon, 1e-3, constant=valid) == pytest.approx(scale(epsilon, 1e-3), rel=1e-12)


@pytest.mark.parametrize(("delta", "epsilon"), [(1e-2, 0.4905), (1e-5, 0.7416)])
def test_spend_of_a_claim_of_epsilon_1(delta, epsilon):
    """The card's checked values of the exact epsilon at the same delta."""
    ledger = Ledger(0)
    run(problem(), delta=delta, n_iterations=7, ledger=ledger)
    assert ledger.spent(delta=delta).epsilon == pytest.approx(epsilon, abs=5e-5)


# --------------------------------------------------------------------------- the algorithm


def test_two_noiseless_steps_by_hand():
    """Linear loss: gradient (.6, .8)/2, minus it twice at step size 1."""
    data = (np.array([[0.6, 0.8], [0.0, 0.0]]), np.ones(2))
    result = run(data, Linear(), n_iterations=2, step_size=1.0, ledger=NoiselessLedger(0))
    np.testing.assert_allclose(result.path, [[0, 0], [-0.3, -0.4], [-0.6, -0.8]], rtol=1e-15)
    np.testing.assert_array_equal(result.output, result.path[result.index - 1])
    assert result.index in (1, 2)


def test_noiseless_run_is_proximal_gradient_descent():
    data = problem()
    result = run(
        data,
        Sigmoid(),
        initial=np.array([0.3, -0.2, 0.1]),
        n_iterations=25,
        regularizer=L1Norm(0.02),
        ledger=NoiselessLedger(0),
    )
    features, labels = data
    gamma = 3 * math.sqrt(3)  # 1/(2 L), L = 1/(6 sqrt 3)
    x = np.array([0.3, -0.2, 0.1])
    for k in range(25):
        np.testing.assert_allclose(result.path[k], x, rtol=1e-12)
        margin = labels * (features @ x)
        gradient = -(labels / (2 + 2 * np.cosh(margin))) @ features / len(labels)
        x = soft_threshold(x - gamma * gradient, gamma * 0.02)
    np.testing.assert_allclose(result.path[25], x, rtol=1e-12)


def test_noiseless_limit_is_the_optimum():
    """Ridge-regularised logistic regression agrees with scikit-learn to 1e-6."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    data = problem(n=200)
    result = run(
        data,
        Logistic(),
        n_iterations=600,
        regularizer=Ridge(0.05),
        ledger=NoiselessLedger(0),
    )
    model = linear_model.LogisticRegression(C=1 / (200 * 0.05), fit_intercept=False, tol=1e-12)
    np.testing.assert_allclose(result.path[-1], model.fit(*data).coef_[0], atol=1e-6)


def test_noise_shrinks_with_epsilon_to_the_noiseless_path():
    data = problem()
    exact = run(data, ledger=NoiselessLedger(0)).path
    errors = [np.abs(run(data, epsilon=e).path - exact).max() for e in (1.0, 1e4, 1e8)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-3


@pytest.mark.parametrize("constraint", [L1Ball(0.2), L2Ball(0.2)], ids=repr)
def test_every_iterate_stays_in_the_constraint_set(constraint):
    path = run(problem(), constraint=constraint, n_iterations=20).path
    assert all(constraint.contains(x) for x in path)
    assert max(np.linalg.norm(x) for x in path) > 0.19


def test_order_of_the_records_does_not_matter():
    features, labels = problem()
    order = np.random.default_rng(5).permutation(len(labels))
    first = run((features, labels), ledger=Ledger(3))
    second = run((features[order], labels[order]), ledger=Ledger(3))
    np.testing.assert_allclose(first.path, second.path, atol=1e-12)
    assert first.index == second.index


def test_given_draws_reproduce_a_run():
    ledger = RecordingLedger(11)
    first = run(problem(), ledger=ledger)
    second = run(problem(), ledger=GivenDrawsLedger(ledger.transcript.draws))
    np.testing.assert_array_equal(first.path, second.path)
    assert first.index == second.index


def test_the_index_is_uniform():
    """Fixed seed; a chi-square test with false-alarm probability 1e-6."""
    ledger = Ledger(17)
    path = list(np.zeros((6, 1)))
    counts = np.bincount([choose_iterate(path, ledger).index for _ in range(5000)], minlength=7)
    assert counts[0] == counts[6] == 0
    assert chisquare(counts[1:6]).pvalue > 1e-6


def test_catalogue():
    card = entry("diss-4.1.16")
    assert card.function is dp_proximal_gradient_descent
    assert [erratum.number for erratum in card.errata] == [1, 2, 3, 6]


# -------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"epsilon": 0.0}, ValueError, "epsilon must be a finite number > 0, got 0.0"),
        ({"delta": 1.0}, ValueError, r"delta must be in \(0, 1\), got 1.0"),
        ({"n_iterations": 0}, ValueError, "n_iterations must be an integer >= 1, got 0"),
        ({"step_size": -1.0}, ValueError, "step_size must be a finite number > 0, got -1.0"),
        ({"initial": [np.nan, 0, 0]}, ValueError, "initial must be finite"),
        ({"initial": [0.0, 0.0]}, ValueError, r"features must have shape \('any', 2\)"),
        ({"initial": [1.0, 1.0, 0.0], "constraint": L2Ball(1.0)}, ValueError, "initial must lie"),
        ({"calibration": "paper"}, ValueError, "calibration must be one of corrected, box, text"),
        ({"constant": 0.0}, ValueError, "constant must be a finite number > 0"),
        (
            {"loss": Sigmoid(feature_norm="l-infinity")},
            ValueError,
            "loss must bound gradients in l2, got l-infinity",
        ),
    ],
)
def test_bad_input_is_refused_before_any_release(options, error, message):
    ledger = RecordingLedger(0)
    with pytest.raises(error, match=message):
        run(problem(), **{"ledger": ledger, **options})
    assert len(ledger.transcript) == 0


def test_a_bare_seed_is_refused():
    with pytest.raises(TypeError, match="ledger must be a Ledger"):
        run(problem(), ledger=3)
