import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from auditor.described.data.linear_models import distinct_records, one_visible_record
from reference.convex.output_perturbation import Constants, constants_for, output_perturbation
from reference.losses import Cosine, Huber, Linear, Logistic
from reference.privacy.ledger import Ledger, NoiselessLedger
from reference.proximal import NoRegularizer, Ridge

DATA = distinct_records(60, 3, "l2", flipped=0.2)
POINT = np.ones((1, 1)), np.zeros(1)


def run(data, loss=Logistic(), regularizer=Ridge(0.1), **options):  # noqa: B008
    start = {"initial": np.zeros(data[0].shape[1]), "ledger": NoiselessLedger(0)}
    claim = {"epsilon": 1.0, "delta": 1e-2, "n_iterations": 1}
    return output_perturbation(data, loss, regularizer, **start | claim | options)


def test_the_noiseless_limit_is_the_optimum_that_scikit_learn_finds():
    x = run(DATA, n_iterations=500)
    expected = LogisticRegression(C=1 / (60 * 0.1), fit_intercept=False, tol=1e-10).fit(*DATA)
    np.testing.assert_allclose(x, expected.coef_[0], atol=1e-5)


@pytest.mark.parametrize(("strength", "steps"), [(1.0, 1), (3.0, 2)])
def test_steps_by_hand(strength, steps):
    """F' = x, mu = 1: eta = 1/2, and the first step ends at 0; so does the second for mu = 3."""
    x = run(POINT, Huber(), Ridge(strength), initial=[0.8], n_iterations=steps)
    assert x[0] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("regularizer", [Ridge(0.5), Ridge(1e-9), NoRegularizer()])
@pytest.mark.parametrize("steps", [1, 7, 300])
def test_the_linear_loss_attains_the_sensitivity(regularizer, steps):
    outputs = [
        run(data, Linear(), regularizer, n_iterations=steps) for data in one_visible_record(10, 2)
    ]
    claim = {"epsilon": 1.0, "delta": 1e-2, "n_iterations": steps}
    convexity = getattr(regularizer, "strength", 0.0)
    chosen = constants_for(Linear(), n=10, strong_convexity=convexity, **claim)
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

    def end(x, step_size):
        chosen = Constants(step_size, 1.0, 1.0)
        return run((np.ones((1, 1)), np.ones(1)), loss, regularizer, initial=[x], constants=chosen)

    contracted = 0.2 * (1 - longest * strength) * (1 + 1e-12)
    assert abs(end(0.5, longest) - end(0.7, longest))[0] <= contracted
    with pytest.raises(ValueError, match=r"constants.step_size must be at most 2/\(L"):
        end(0.5, 1.0001 * longest)
