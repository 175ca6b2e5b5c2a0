import math

import numpy as np
import pytest
from scipy.stats import chisquare

from auditor.described.data.linear_models import distinct_records
from reference.constraint_sets import L1Ball, L2Ball
from reference.errata.nonconvex.proximal_gradient_descent import (
    box_noise,
    printed_text,
    printed_theorem,
    text_noise,
)
from reference.losses import Linear, Sigmoid
from reference.nonconvex.proximal_gradient_descent import (
    constants_for,
    dp_proximal_gradient_descent,
)
from reference.nonconvex.random_iterate import choose_iterate
from reference.privacy.guarantees import gaussian_dp_delta, zcdp_epsilon
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger
from reference.proximal import L1Norm, soft_threshold

DATA = distinct_records(40, 3, "l2", flipped=0.2)
CLAIM = {"epsilon": 1.0, "delta": 1e-2, "n_iterations": 5}


def run(data=DATA, loss=Sigmoid(), form=dp_proximal_gradient_descent, **options):  # noqa: B008
    return form(data, loss, **{"initial": np.zeros(data[0].shape[1]), **CLAIM, **options})


# ------------------------------------------------------------------------------- the noise


def scale(epsilon, delta, loss=Linear(), n=10, n_iterations=20, **options):  # noqa: B008
    sizes = {"n": n, "n_iterations": n_iterations}
    return constants_for(loss, epsilon=epsilon, delta=delta, **sizes, **options).noise_scale


def printed_scale(noise, epsilon, delta, loss=Linear(), n=10, n_iterations=20):  # noqa: B008
    return noise(loss, epsilon=epsilon, delta=delta, n=n, n_iterations=n_iterations)


def test_the_papers_way_spends_exactly_the_zcdp_budget():
    for epsilon, delta in ((0.1, 1e-4), (1.0, 1e-5), (30.0, 0.5)):
        sigma = scale(epsilon, delta, Linear(feature_bound=0.3), method="zcdp")
        rho = 20 * (2 * 0.3 / 10) ** 2 / (2 * sigma**2)
        assert zcdp_epsilon(rho, delta) == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize(("delta", "epsilon"), [(1e-2, 0.4905), (1e-5, 0.7416)])
def test_the_papers_way_spends_less_than_it_says(delta, epsilon):
    """The card's checked values of the exact epsilon for a claim of 1."""
    ledger, claim = Ledger(0), {**CLAIM, "delta": delta}
    constants = constants_for(Sigmoid(), n=40, method="zcdp", **claim)
    run(constants=constants, ledger=ledger, **claim)
    assert ledger.spent(delta=delta).epsilon == pytest.approx(epsilon, abs=5e-5)


def test_the_printed_box_is_off_by_one_over_root_rho():
    """Card diss-4.1.16, error 1: standard deviations 60.9, 12.3, 3.19, 1.36 times too large."""
    for epsilon, times in ((0.1, 60.9), (0.5, 12.3), (2.0, 3.19), (5.0, 1.36)):
        right = scale(epsilon, 1e-4, method="zcdp")
        assert printed_scale(box_noise, epsilon, 1e-4) / right == pytest.approx(times, rel=5e-3)


@pytest.mark.parametrize(
    ("epsilon", "delta", "true_delta"), [(10.0, 1e-2, 0.2236), (20.0, 1e-4, 0.906)]
)
def test_the_printed_box_is_not_private_for_large_epsilon(epsilon, delta, true_delta):
    mu = math.sqrt(20) * 2 / 10 / printed_scale(box_noise, epsilon, delta)
    assert gaussian_dp_delta(mu, epsilon) == pytest.approx(true_delta, rel=1e-3)


def test_the_printed_text_has_the_smoothness_for_the_lipschitz_constant():
    right = scale(1.0, 1e-2, Sigmoid(), method="zcdp")
    assert printed_scale(text_noise, 1.0, 1e-2, Sigmoid()) / right == pytest.approx(
        4 / (6 * math.sqrt(3)), rel=1e-12
    )


def test_printed_forms_run_with_their_own_noise():
    ledger = RecordingLedger(0)
    run(form=printed_theorem, epsilon=2.0, ledger=ledger)
    release = ledger.transcript.releases[0]
    # (4.3) with c = 12, G = 1/4, T = 5, n = 40
    expected = math.sqrt(12 * 5 * math.log(100)) / 4 / (40 * 2.0)
    assert release.mechanism.scale == pytest.approx(expected, rel=1e-12)
    assert release.claim.sensitivity == pytest.approx(0.5 / 40, rel=1e-15)
    path = run(form=printed_text, constraint=L2Ball(0.2)).path
    assert max(np.linalg.norm(x) for x in path) <= 0.2 * (1 + 1e-12)


# --------------------------------------------------------------------------- the algorithm


def test_two_noiseless_steps_by_hand():
    """Linear loss: gradient (.6, .8)/2, minus it twice at step size 1/(2 L) = 1."""
    data = (np.array([[0.6, 0.8], [0.0, 0.0]]), np.ones(2))
    loss = Linear(declared_curvature=0.5)
    result = run(data, loss, n_iterations=2, ledger=NoiselessLedger(0))
    np.testing.assert_allclose(result.path, [[0, 0], [-0.3, -0.4], [-0.6, -0.8]], rtol=1e-15)
    np.testing.assert_array_equal(result.output, result.path[result.index - 1])
    assert result.index in (1, 2)


def test_noiseless_run_is_proximal_gradient_descent():
    x, (features, labels), ledger = np.array([0.3, -0.2, 0.1]), DATA, NoiselessLedger(0)
    path = run(initial=x, n_iterations=25, regularizer=L1Norm(0.02), ledger=ledger).path
    gamma = 3 * math.sqrt(3)  # 1/(2 L), L = 1/(6 sqrt 3)
    for k in range(26):
        np.testing.assert_allclose(path[k], x, rtol=1e-12)
        margin = labels * (features @ x)
        gradient = -(labels / (2 + 2 * np.cosh(margin))) @ features / len(labels)
        x = soft_threshold(x - gamma * gradient, gamma * 0.02)


@pytest.mark.parametrize("constraint", [L1Ball(0.2), L2Ball(0.2)], ids=repr)
def test_every_iterate_stays_in_the_constraint_set(constraint):
    path = run(constraint=constraint, n_iterations=20, ledger=Ledger(0)).path
    assert all(constraint.contains(x) for x in path)
    assert max(np.linalg.norm(x) for x in path) > 0.19


def test_the_index_is_uniform():
    """Fixed seed; a chi-square test with false-alarm probability 1e-6."""
    ledger = Ledger(17)
    path = list(np.zeros((6, 1)))
    counts = np.bincount([choose_iterate(path, ledger).index for _ in range(5000)], minlength=7)
    assert counts[0] == counts[6] == 0
    assert chisquare(counts[1:6]).pvalue > 1e-6
