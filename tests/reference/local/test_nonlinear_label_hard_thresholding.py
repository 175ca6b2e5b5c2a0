"""Nothing is left to chance here: seeds fix the data, and no test is statistical."""

import numpy as np
import pytest

from reference.catalogue import entry
from reference.errata.local.nonlinear_label_hard_thresholding import printed
from reference.local import label_noise
from reference.local.label_hard_thresholding import label_hard_thresholding
from reference.local.nonlinear_hard_thresholding import (
    EIGHT_X_AND_COSINE,
    MonotoneFunction,
    contracting_step,
)
from reference.local.nonlinear_label_hard_thresholding import (
    Constants,
    constants_for,
    nonlinear_label_hard_thresholding,
)
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_delta, gaussian_dp_epsilon

IDENTITY = MonotoneFunction("x", np.array, np.ones_like, 1.0, 1.0)
GIVEN = {"epsilon": 1.0, "delta": 1e-5, "sparsity": 1, "noise_bound": 0.5, "n_iterations": 1}


def drawn(n, theta, function=EIGHT_X_AND_COSINE, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.choice([-1.0, 1.0], size=(n, theta.size))
    return features, function.value(features @ theta)


def run(data, function=EIGHT_X_AND_COSINE, **options):
    return nonlinear_label_hard_thresholding(data, function, **{**GIVEN, **options})


def test_the_constants_by_hand():
    # a = 7, b = 9, s* = 4: Y = 18.5 and eta = (441 + 405)/(14 * 49 * 81)
    found = constants_for(
        epsilon=1.0, delta=1e-5, sparsity=4, noise_bound=0.5, least_slope=7.0, largest_slope=9.0
    )
    assert found.truncation_level == 18.5
    assert gaussian_dp_delta(37.0 / found.noise_scale, 1.0) == pytest.approx(1e-5, rel=1e-6)
    assert found.step_size == contracting_step(7.0, 9.0) == pytest.approx(846 / 55566)


def test_two_noiseless_steps_by_hand():
    # theta_0 = 0: f' = 8, f = 1; weights 8 (1 - y) are -8 and 16
    features, labels = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([2.0, -1.0])
    constants = Constants(truncation_level=9.0, noise_scale=1.0, step_size=0.01)
    options = {"constants": constants, "ledger": NoiselessLedger()}
    first = -0.01 * np.array([4.0, -12.0])
    assert run((features, labels), **options) == pytest.approx(first)
    scores = features @ first
    weights = (8 - np.sin(scores)) * (8 * scores + np.cos(scores) - labels)
    second = first - 0.01 * features.T @ weights / 2
    assert run((features, labels), n_iterations=2, **options) == pytest.approx(second)


def test_labels_are_cut_around_the_value_at_zero():
    # f(0) = 1, Y = 2: 3 and -1 remain, and weights are 8 (1 - 3) and 8 (1 + 1)
    constants = Constants(truncation_level=2.0, noise_scale=1.0, step_size=0.01)
    for label, weight in ((1.7e308, -16.0), (-1.7e308, 16.0)):
        found = run((np.ones((1, 2)), [label]), constants=constants, ledger=NoiselessLedger())
        assert found == pytest.approx(np.full(2, -0.01 * weight))


def test_of_the_identity_it_is_label_ldp_iht():
    data = drawn(60, np.array([0.5, 0.0, -0.3]), IDENTITY)
    options = {**GIVEN, "n_iterations": 4}
    found = nonlinear_label_hard_thresholding(data, IDENTITY, **options, ledger=Ledger(4))
    linear = label_hard_thresholding(data, **options, ledger=Ledger(4))
    np.testing.assert_allclose(found, linear, rtol=1e-12)
    given = {name: GIVEN[name] for name in ("epsilon", "delta", "sparsity", "noise_bound")}
    linear_noise = label_noise.constants_for(**given)
    assert constants_for(**given, least_slope=1.0, largest_slope=1.0) == Constants(
        linear_noise.truncation_level, linear_noise.noise_scale, 1.0
    )


def test_the_error_halves_in_every_step_without_noise_and_vanishes():
    theta = np.zeros(20)
    theta[[4, 9]] = 0.7, -0.5
    data = drawn(20_000, theta)
    for t in (1, 2, 4, 8):
        found = run(data, sparsity=2, n_iterations=t, ledger=NoiselessLedger())
        assert np.linalg.norm(found - theta) <= np.linalg.norm(theta) * 2.0**-t
    found = run(data, sparsity=2, n_iterations=60, ledger=NoiselessLedger())
    assert np.allclose(found, theta, atol=1e-12)


def test_what_is_printed_spends_292_times_its_epsilon():
    ledger = RecordingLedger(0)
    options = {**GIVEN, "delta": 1e-3, "noise_bound": 0.05}
    printed((np.ones((1, 2)), np.array([8.59])), EIGHT_X_AND_COSINE, **options, ledger=ledger)
    (release,) = ledger.transcript.releases
    assert release.value == pytest.approx(8.59)
    # the labels of s* = 1 are from f(-1) - C to f(1) + C
    lowest, highest = EIGHT_X_AND_COSINE.value(np.array([-1.0, 1.0])) + np.array([-0.05, 0.05])
    assert (lowest, highest) == pytest.approx((-7.51, 8.59), abs=0.001)
    mu = (highest - lowest) / release.mechanism.scale
    assert gaussian_dp_epsilon(mu, 1e-3) == pytest.approx(292.1, abs=0.05)


def test_the_printed_loss_finds_another_vector():
    theta = np.array([0.5, -0.3])
    data = drawn(20_000, theta)
    options = {**GIVEN, "n_iterations": 60}
    wrong = printed(data, EIGHT_X_AND_COSINE, **options, ledger=NoiselessLedger())
    assert np.linalg.norm(wrong) == pytest.approx(1.0)
    assert np.linalg.norm(wrong - theta) == pytest.approx(0.417, abs=0.005)
    right = run(data, n_iterations=60, ledger=NoiselessLedger())
    assert np.allclose(right, theta, atol=1e-12)


BROKEN = {
    "NaN": lambda z: np.full_like(z, np.nan),
    "NaN on one side": lambda z: np.where(z > 0, np.nan, 8 * z),
    "infinite": lambda z: np.full_like(z, np.inf),
    "overflowing": lambda z: np.exp(1e4 * (1 + np.abs(z))),
    "a logarithm": np.log,
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("where", ["value", "derivative"])
@pytest.mark.parametrize("identifier", ["diss-5.3.44", "diss-5.3.45"])
def test_a_function_without_a_number_leaves_the_result_finite(identifier, where, kind):
    """All that is legal of f is that slopes are in [7, 9]: results are those of such a function."""

    def broken_away_from_zero(z):
        with np.errstate(all="ignore"):
            return np.where(z == 0, 1.0, BROKEN[kind](z))

    parts = {"value": lambda z: 8 * z + np.cos(z), "derivative": lambda z: 8 - np.sin(z)}
    function = MonotoneFunction(
        "broken", **{**parts, where: broken_away_from_zero}, least_slope=7.0, largest_slope=9.0
    )
    rng = np.random.default_rng(0)
    x = rng.choice([-1.0, 1.0], size=(400, 4))
    arguments = {"epsilon": 1.0, "sparsity": 1, "noise_bound": 0.1, "n_iterations": 3}
    if identifier == "diss-5.3.45":
        arguments["delta"] = 1e-5
    theta = entry(identifier).function(
        (x, 8 * x[:, 0]), function, **arguments, ledger=RecordingLedger(0)
    )
    assert np.isfinite(theta).all()
    z = np.array([-2.0, -1e-9, 0.0, 0.5, 3.0])
    value, slope = function.value(z), function.derivative(z)
    assert ((slope >= 7) & (slope <= 9)).all()
    assert (np.abs(value - 1 - 8 * z) <= np.abs(z) + 1e-15 * np.abs(value)).all()


def test_a_slope_without_a_number_is_the_least():
    slope = lambda z: np.where(z == 0, 1.0, np.nan)  # noqa: E731
    function = MonotoneFunction("f", np.array, slope, 1.0, 1.2)
    assert function.derivative(np.array([2.0])) == 1.0


def test_a_function_that_is_as_declared_keeps_every_bit():
    z = np.random.default_rng(0).normal(size=1000) * 5
    np.testing.assert_array_equal(EIGHT_X_AND_COSINE.value(z), 8 * z + np.cos(z))
    np.testing.assert_array_equal(EIGHT_X_AND_COSINE.derivative(z), 8 - np.sin(z))


@pytest.mark.parametrize("at_zero", [float("nan"), float("inf"), 1e101])
def test_a_function_needs_a_number_at_zero(at_zero):
    with pytest.raises(ValueError, match=r"f\(0\) must be in"):
        MonotoneFunction("f", lambda z: z + at_zero, np.ones_like, 1.0, 1.0)
