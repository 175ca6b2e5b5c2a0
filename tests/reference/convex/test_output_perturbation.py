import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from reference.convex.output_perturbation import Constants, constants_for, output_perturbation
from reference.losses import Cosine, Huber, Linear, Logistic
from reference.privacy.ledger import Ledger, NoiselessLedger
from reference.proximal import NoRegularizer, Ridge


def problem(n=60, p=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    labels = np.where(features @ np.arange(1.0, p + 1) + 0.5 * rng.standard_normal(n) > 0, 1.0, -1)
    return features, labels


def run(data, loss=Logistic(), regularizer=Ridge(0.1), **options):  # noqa: B008
    options = {
        "initial": np.zeros(data[0].shape[1]),
        "epsilon": 1.0,
        "delta": 1e-2,
        "n_iterations": 20,
        "ledger": Ledger(0),
        **options,
    }
    return output_perturbation(data, loss, regularizer, **options)


def test_the_noiseless_limit_is_the_optimum_that_scikit_learn_finds():
    data = problem()
    x = run(data, n_iterations=500, ledger=NoiselessLedger(0))
    expected = LogisticRegression(C=1 / (60 * 0.1), fit_intercept=False, tol=1e-10).fit(*data)
    np.testing.assert_allclose(x, expected.coef_[0], atol=1e-5)


def test_two_steps_by_hand():
    """F' = x, mu = 1: eta = 1/2, and the first step ends at 0."""
    x = run((np.ones((1, 1)), np.zeros(1)), Huber(), Ridge(1.0), initial=[0.8], n_iterations=1,
            ledger=NoiselessLedger(0))  # fmt: skip
    assert x[0] == pytest.approx(0.0, abs=1e-15)
    x = run((np.ones((1, 1)), np.zeros(1)), Huber(), Ridge(3.0), initial=[0.8], n_iterations=2,
            ledger=NoiselessLedger(0))  # fmt: skip
    assert x[0] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("regularizer", [Ridge(0.5), Ridge(1e-9), NoRegularizer()])
@pytest.mark.parametrize("steps", [1, 7, 300])
def test_the_linear_loss_attains_the_sensitivity(regularizer, steps):
    features = np.zeros((10, 2))
    features[0, 0] = 1.0
    labels = np.ones(10)
    outputs = [
        run((features, sign * labels), Linear(), regularizer, n_iterations=steps,
            ledger=NoiselessLedger(0))
        for sign in (1.0, -1.0)
    ]  # fmt: skip
    chosen = constants_for(
        Linear(), n=10, strong_convexity=getattr(regularizer, "strength", 0.0), epsilon=1.0,
        delta=1e-2, n_iterations=steps,
    )  # fmt: skip
    moved = np.linalg.norm(outputs[0] - outputs[1])
    assert moved == pytest.approx(chosen.sensitivity, rel=1e-7)


def test_without_convexity_steps_drive_neighbours_apart_and_such_a_loss_is_refused():
    """One phase of a thousand decides to which side of the maximum of the cosine they fall."""
    n, claim = 1000, {"epsilon": 1.0, "delta": 1e-5, "n_iterations": 14}
    chosen = constants_for(Cosine(), n=n, strong_convexity=0.0, **claim)
    ends = []
    for phase in (math.pi / 2, -math.pi / 2):
        phases, x, ledger = np.zeros(n), np.zeros(1), Ledger(0)
        phases[0] = phase
        with pytest.raises(ValueError, match="loss must be convex, got Cosine"):
            run((np.ones((n, 1)), phases), Cosine(), NoRegularizer(), ledger=ledger, **claim)
        assert ledger.spent(delta=1e-5).epsilon == 0
        for _ in range(14):
            x = x - chosen.step_size * Cosine().gradient((np.ones((n, 1)), phases), x)
        ends.append(x[0])
    np.testing.assert_allclose(ends, [3.1406, -3.1406], atol=5e-5)
    assert abs(ends[0] - ends[1]) > 200 * chosen.sensitivity


@pytest.mark.parametrize("loss", [Huber(), Linear()])
@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_a_step_up_to_2_over_L_and_2_mu_contracts_and_a_longer_one_is_refused(loss, strength):
    """Huber's curvature is 1 = L: at 2/(L + 2 mu) a step maps x to -x (1 - eta mu)."""
    regularizer = Ridge(strength) if strength else NoRegularizer()
    longest = 2 / (loss.smoothness + 2 * strength)
    data = np.ones((1, 1)), np.ones(1)
    for factor, refused in ((1.0, False), (1.0001, True)):
        options = {
            "initial": [0.5],
            "n_iterations": 1,
            "constants": Constants(factor * longest, 1.0, 1.0),
            "ledger": NoiselessLedger(0),
        }
        if refused:
            with pytest.raises(ValueError, match=r"constants.step_size must be at most 2/\(L"):
                run(data, loss, regularizer, **options)
        else:
            ends = [run(data, loss, regularizer, **{**options, "initial": [x]}) for x in (0.5, 0.7)]
            contracted = 0.2 * (1 - longest * strength) * (1 + 1e-12)
            assert abs(ends[0][0] - ends[1][0]) <= contracted
