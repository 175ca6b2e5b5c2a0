"""Hard thresholding of private gradients (5.3.41, 5.3.44) and of private labels (5.3.42, 5.3.45).

False alarms: four statistical tests, each with probability below 1e-6; otherwise seeds are fixed.
"""

import math
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import OrthogonalMatchingPursuit

from reference.constraint_sets import SparseVectors
from reference.errata.local import iterative_hard_thresholding as printed_iht
from reference.errata.local import label_hard_thresholding as printed_label
from reference.errata.local import nonlinear_hard_thresholding as printed_nonlinear
from reference.errata.local import nonlinear_label_hard_thresholding as printed_nonlinear_label
from reference.heavy_tailed.baselines import projected_gradient_descent
from reference.local import iterative_hard_thresholding as iht
from reference.local import label_noise
from reference.local import nonlinear_hard_thresholding as nonlinear
from reference.local import nonlinear_label_hard_thresholding as nonlinear_label
from reference.local.label_hard_thresholding import label_hard_thresholding
from reference.local.nonlinear_hard_thresholding import EIGHT_X_AND_COSINE, MonotoneFunction
from reference.losses import SquaredError
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_delta, gaussian_dp_epsilon

IDENTITY = MonotoneFunction("x", np.array, np.ones_like, 1.0, 1.0)
GIVEN = {"epsilon": 1.0, "sparsity": 1, "noise_bound": 0.5, "n_iterations": 1}
EIGHT = {"function": EIGHT_X_AND_COSINE}
IHT, LABEL, NONLINEAR, NONLINEAR_LABEL = METHODS = (
    partial(iht.local_hard_thresholding, **GIVEN),
    partial(label_hard_thresholding, delta=1e-5, **GIVEN),
    partial(nonlinear.local_nonlinear_hard_thresholding, **EIGHT, **GIVEN),
    partial(nonlinear_label.nonlinear_label_hard_thresholding, **EIGHT, delta=1e-5, **GIVEN),
)
every_method = pytest.mark.parametrize(
    "method", METHODS, ids=["iht", "label", "nonlinear", "nonlinear label"]
)


def noiseless(method, data, **options):
    return method(data, ledger=NoiselessLedger(), **options)


def coefficients(p, **entries):
    theta = np.zeros(p)
    for place, value in entries.items():
        theta[int(place[1:])] = value
    return theta


def drawn(n, theta, function=IDENTITY, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.choice([-1.0, 1.0], size=(n, theta.size))
    return features, function.value(features @ theta) + rng.uniform(-noise, noise, size=n)


def of(method, n, theta, **options):
    """Draw data of a method's own function."""
    return drawn(n, theta, method.keywords.get("function", IDENTITY), **options)


# ------------------------------------------------------------------------------- the constants


@pytest.mark.parametrize(("slopes", "truncation"), [((1.0, 1.0), 2.5), ((7.0, 9.0), 18.5)])
def test_the_constants_of_labels_by_hand(slopes, truncation):
    """s* = 4, C = .5: Y = 2 b + .5, and two labels are 2 Y apart."""
    given = {"epsilon": 1.0, "delta": 1e-5, "sparsity": 4, "noise_bound": 0.5}
    a, b = slopes
    found = nonlinear_label.constants_for(**given, least_slope=a, largest_slope=b)
    assert found.truncation_level == truncation
    mu = 2 * truncation / found.noise_scale
    assert gaussian_dp_delta(mu, 1.0) == pytest.approx(1e-5, rel=1e-6)
    # less than the rule of the source with the same sensitivity
    assert found.noise_scale < 2 * truncation * math.sqrt(2 * math.log(1.25e5))
    assert found.step_size == nonlinear.contracting_step(a, b)
    plain = label_noise.constants_for(**given, largest_slope=b)
    assert (plain.truncation_level, plain.noise_scale) == (truncation, found.noise_scale)


def test_the_largest_label_is_attained():
    truth, x = np.full(4, 0.5), np.ones(4)
    assert x @ truth + 0.25 == label_noise.largest_label(sparsity=4, noise_bound=0.25)


@pytest.mark.parametrize(
    ("sizes", "radius"),
    [
        # s* = 1, s = 8: sqrt 8 + 1 + C; s* = 2 of p = 9: sqrt 9 + sqrt 2 + C
        ({"dimension": 16, "sparsity": 1, "noise_bound": 0.5}, 4 * (math.sqrt(8) + 1.5)),
        ({"dimension": 9, "sparsity": 2, "noise_bound": 0.0}, 3 * (3 + math.sqrt(2))),
    ],
)
def test_the_radius_by_hand(sizes, radius):
    assert iht.constants_for(**sizes).radius == pytest.approx(radius)


def test_the_constants_of_a_function_by_hand():
    # a = 7, b = 9, s* = 1: r = 9 sqrt p (9 (sqrt 8 + 1) + C), eta = (441 + 405)/(14 * 49 * 81)
    sizes = {"dimension": 16, "sparsity": 1, "noise_bound": 0.5}
    found = nonlinear.constants_for(**sizes, least_slope=7.0, largest_slope=9.0)
    assert found.radius == pytest.approx(36 * (9 * (math.sqrt(8) + 1) + 0.5))
    assert found.step_size == pytest.approx(846 / 55566)


def test_the_residual_bound_is_attained_on_disjoint_supports():
    theta, truth = np.r_[np.full(8, 8**-0.5), 0.0], np.r_[np.zeros(8), -1.0]
    residual = np.ones(9) @ theta - (np.ones(9) @ truth - 0.25)
    assert residual == pytest.approx(iht.residual_bound(dimension=9, sparsity=1, noise_bound=0.25))


def test_a_gradient_of_the_model_can_be_267_times_sqrt_p():
    theta, truth = np.r_[np.full(8, -(8**-0.5)), 0.0], np.r_[np.zeros(8), 1.0]
    scores = np.array([np.ones(9) @ theta, np.ones(9) @ truth])
    values, slopes = EIGHT_X_AND_COSINE.value(scores), EIGHT_X_AND_COSINE.derivative(scores)
    factor = abs(slopes[0] * (values[0] - values[1]))
    assert factor == pytest.approx(266.8, abs=0.1)
    sizes = {"dimension": 9, "sparsity": 1, "noise_bound": 0.0}
    constants = nonlinear.constants_for(**sizes, least_slope=7.0, largest_slope=9.0)
    assert factor < constants.radius / 3 < 1.2 * factor


# --------------------------------------------------------------------------- steps by hand


def test_two_noiseless_steps_on_labels_by_hand():
    features = np.array([[1, 1], [1, -1], [1, 1]], dtype=float)
    data = features, np.array([0.4, 0.1, 0.3])
    first = np.array([0.8 / 3, 0.6 / 3])
    second = first + features.T @ (data[1] - features @ first) / 3
    assert noiseless(LABEL, data) == pytest.approx(first)
    assert noiseless(LABEL, data, n_iterations=2) == pytest.approx(second)
    assert noiseless(LABEL, data, step_size=0.5) == pytest.approx(first / 2)


def test_two_noiseless_rounds_by_hand():
    # round 1: users 0, 1; gradients (1, 1)(-.4) and (1, -1)(-.2); round 2: users 2, 3, 4
    features = np.array([[1, 1], [1, -1], [1, 1], [-1, 1], [1, 1]], dtype=float)
    labels = np.array([0.4, 0.2, 0.5, 0.1, 0.3])
    theta = np.array([0.3, 0.1])
    residuals = features[2:] @ theta - labels[2:]
    second = theta - (features[2:] * residuals[:, None]).mean(axis=0)
    assert noiseless(IHT, (features, labels), n_iterations=2) == pytest.approx(second)
    assert noiseless(IHT, (features[:2], labels[:2])) == pytest.approx(theta)


@pytest.mark.parametrize(
    ("method", "constants"),
    [
        (NONLINEAR, nonlinear.Constants(radius=1e3, step_size=0.01)),
        (NONLINEAR_LABEL, nonlinear_label.Constants(9.0, 1.0, step_size=0.01)),
    ],
    ids=["gradients", "labels"],
)
def test_noiseless_steps_for_a_function_by_hand(method, constants):
    # theta_0 = 0: f' = 8, f = 1; weights 8 (1 - y) are -8 and 16
    features, labels = data = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([2.0, -1.0])
    first = -0.01 * np.array([4.0, -12.0])
    assert noiseless(method, data, constants=constants) == pytest.approx(first)
    if method is NONLINEAR_LABEL:  # all records again
        scores = features @ first
        weights = (8 - np.sin(scores)) * (8 * scores + np.cos(scores) - labels)
        second = first - 0.01 * features.T @ weights / 2
        found = noiseless(method, data, constants=constants, n_iterations=2)
        assert found == pytest.approx(second)


@pytest.mark.parametrize(
    ("method", "options", "other", "level"),
    [
        # R = 1: the gradient is (1, -.5); Y = 1.5: a step of eta (-1.5) (1, -.5)
        (IHT, {"constants": iht.Constants(radius=math.sqrt(2))}, None, 1.0),
        (LABEL, {}, label_noise.Constants(truncation_level=0.2, noise_scale=1.0), 1.5),
    ],
    ids=["gradients", "labels"],
)
def test_records_are_cut_and_the_ball_is_not_left(method, options, other, level):
    far, x = (np.array([[7.0, -0.5]]), np.array([-1e300])), np.array([1.0, -0.5])
    assert noiseless(method, far, step_size=0.1, **options) == pytest.approx(-0.1 * level * x)
    assert noiseless(method, far, **options) == pytest.approx(-x / math.sqrt(1.25))
    if other is not None:
        assert noiseless(method, far, constants=other) == pytest.approx(-0.2 * x)


@pytest.mark.parametrize("label", [1.7e308, -1.7e308])
def test_huge_labels_are_cut_for_a_function_as_well(label):
    """By Y = 2 around f(0) = 1: weights 8 (1 - 3) and 8 (1 + 1); R = 3 caps the gradient."""
    one, sign = (np.ones((1, 2)), [label]), math.copysign(1.0, label)
    constants = nonlinear_label.Constants(truncation_level=2.0, noise_scale=1.0, step_size=0.01)
    found = noiseless(NONLINEAR_LABEL, one, constants=constants)
    assert found == pytest.approx(np.full(2, sign * 0.16))
    constants = nonlinear.Constants(radius=math.sqrt(2) * 3.0, step_size=0.1)
    assert noiseless(NONLINEAR, one, constants=constants) == pytest.approx(np.full(2, sign * 0.3))
    both = np.ones((2, 2)), np.array([label, -label])
    assert noiseless(NONLINEAR, both) == pytest.approx(np.zeros(2))


# ------------------------------------------------------------------------------- by other means


@pytest.mark.parametrize(("method", "steps"), [(IHT, 1), (LABEL, 5)], ids=["gradients", "labels"])
def test_without_noise_it_is_gradient_descent_on_sparse_vectors(method, steps):
    data = drawn(3_000, coefficients(30, _3=0.6, _17=-0.5), noise=0.3)
    plain = projected_gradient_descent(
        data,
        SquaredError(),
        SparseVectors(16),
        initial=np.zeros(30),
        step_size=0.5,  # of the whole gradient
        n_iterations=steps,
    )
    assert np.linalg.norm(plain) < 1
    assert noiseless(method, data, sparsity=2, n_iterations=steps) == pytest.approx(plain)


def test_without_noise_it_finds_what_orthogonal_matching_pursuit_finds():
    theta = coefficients(60, _5=0.5, _20=-0.4, _41=0.3)
    data = drawn(3_000, theta)
    found = noiseless(LABEL, data, sparsity=3, n_iterations=60)
    pursuit = OrthogonalMatchingPursuit(n_nonzero_coefs=3, fit_intercept=False).fit(*data)
    assert np.allclose(found, pursuit.coef_, atol=1e-10)
    assert np.allclose(found, theta, atol=1e-10)


@pytest.mark.parametrize(
    ("method", "plain"),
    [(NONLINEAR, IHT), (NONLINEAR_LABEL, LABEL)],
    ids=["gradients", "labels"],
)
def test_of_the_identity_it_is_the_linear_method(method, plain):
    data = drawn(60, coefficients(3, _0=0.5, _2=-0.3))
    found = method(data, function=IDENTITY, n_iterations=3, ledger=Ledger(4))
    linear = plain(data, n_iterations=3, ledger=Ledger(4))
    np.testing.assert_allclose(found, linear, rtol=1e-12)


@every_method
def test_the_error_halves_in_every_step_without_noise(method):
    theta = coefficients(20, _4=0.9)
    data = of(method, 20_000, theta)
    for t in (1, 2, 4):
        found = noiseless(method, data, n_iterations=t)
        assert np.linalg.norm(found - theta) <= 0.9 * 2.0**-t


@every_method
def test_noise_that_depends_on_the_features_is_taken_for_a_coefficient(method):
    features, labels = drawn(50_000, coefficients(2, _0=0.4))
    function = {"function": IDENTITY} if "function" in method.keywords else {}
    data = features, labels + 0.5 * features[:, 0]
    found = noiseless(method, data, n_iterations=2, **function)
    assert found == pytest.approx([0.9, 0.0], abs=0.02)


def test_the_error_does_not_vanish_as_epsilon_grows():
    theta, options = coefficients(2, _0=0.9), {"epsilon": 27.0, "n_iterations": 4}
    estimates = [
        IHT(drawn(400, theta, noise=0.1, seed=seed), ledger=Ledger(seed), **options)
        for seed in range(20)
    ]
    # (5.76) with 10 for its O
    claimed = 0.9 / 16 + 10 * 0.5 * math.sqrt(2 * math.log(2) * 4) / (20 * 27)
    assert claimed < 0.08
    assert np.median(np.linalg.norm(np.array(estimates) - theta, axis=1)) > 0.3


def test_the_noise_on_a_coefficient_falls_like_the_root_of_n():
    def noise(n):
        data = np.ones((n, 1)), np.zeros(n)
        constants = label_noise.Constants(truncation_level=1.5, noise_scale=0.5)
        found = [LABEL(data, constants=constants, ledger=Ledger(seed))[0] for seed in range(400)]
        return float(np.std(found))

    # l.7281 has 1/n: .01; five standard errors are 25%
    assert noise(1_000) / noise(10) == pytest.approx(0.1, rel=0.25)


# ------------------------------------------------------------------------------- what is printed


@pytest.mark.parametrize(
    ("method", "form", "options", "step"),
    [
        # C sqrt p = 2: the gradient (-3, .., -3) of norm 6 is scaled down to it
        (IHT, printed_iht, {"noise_bound": 1.0, "step_size": 0.1}, 0.1),
        # b C sqrt p = 9: the gradient is 8 (1 - 3) (1, .., 1), of norm 32
        (NONLINEAR, printed_nonlinear, {}, 4.5 * 846 / 55566),
    ],
    ids=["iht", "nonlinear"],
)
def test_the_printed_radius_by_hand(method, form, options, step):
    options = {**method.keywords, **options}
    found = form.printed((np.ones((1, 4)), [3.0]), ledger=NoiselessLedger(), **options)
    assert found == pytest.approx(np.full(4, step))


@pytest.mark.parametrize(
    ("method", "form", "n", "options"),
    [
        (IHT, printed_iht, 200_000, {"epsilon": 2.0, "n_iterations": 5}),
        (NONLINEAR, printed_nonlinear, 300_000, {"epsilon": 4.0, "n_iterations": 3}),
    ],
    ids=["iht", "nonlinear"],
)
def test_the_printed_radius_cannot_carry_the_coefficients(method, form, n, options):
    theta, options = coefficients(8, _0=0.9), {**method.keywords, "noise_bound": 0.05, **options}
    data = of(method, n, theta)
    wrong = form.printed(data, ledger=Ledger(0), **options)
    right = method(data, ledger=Ledger(0), **options)
    assert np.linalg.norm(wrong - theta) > 0.5 > np.linalg.norm(right - theta)


@pytest.mark.parametrize(
    ("form", "function", "largest", "mu", "epsilon"),
    [
        # C = .05, s* = 1, labels +-1.05; from f(-1) - C to f(1) + C
        (printed_label, {}, 1.05, 2.78, 11.79),
        (printed_nonlinear_label, EIGHT, 8 + math.cos(1) + 0.05, 21.316, 292.1),
    ],
    ids=["label", "nonlinear label"],
)
def test_what_is_printed_spends_more_than_its_epsilon(form, function, largest, mu, epsilon):
    options = {**GIVEN, **function, "delta": 1e-3, "noise_bound": 0.05}
    ledger = RecordingLedger(0)
    for label in (largest, 1e6):  # labels are not cut
        form.printed((np.ones((1, 2)), np.array([label])), **options, ledger=ledger)
        assert ledger.transcript.releases[-1].value == pytest.approx(label)
    least = math.cos(1) - 8.05 if function else -1.05
    found = (largest - least) / ledger.transcript.releases[0].mechanism.scale
    assert found == pytest.approx(mu, abs=0.01)
    assert gaussian_dp_epsilon(found, 1e-3) == pytest.approx(epsilon, rel=5e-4)


def test_the_printed_sign_climbs():
    theta = coefficients(50, _3=0.6, _30=-0.5)
    data, options = drawn(4_000, theta), {**LABEL.keywords, "sparsity": 2, "n_iterations": 40}
    wrong = printed_label.printed(data, **options, ledger=NoiselessLedger())
    assert np.linalg.norm(wrong - theta) > 1.5
    assert np.linalg.norm(noiseless(LABEL, data, **options) - theta) < 1e-12


def test_the_printed_loss_finds_another_vector():
    theta = np.array([0.5, -0.3])
    data = drawn(20_000, theta, EIGHT_X_AND_COSINE)
    options = {**NONLINEAR_LABEL.keywords, "n_iterations": 60}
    wrong = printed_nonlinear_label.printed(data, **options, ledger=NoiselessLedger())
    assert np.linalg.norm(wrong) == pytest.approx(1.0)
    assert np.linalg.norm(wrong - theta) == pytest.approx(0.417, abs=0.005)
    assert np.allclose(noiseless(NONLINEAR_LABEL, data, n_iterations=60), theta, atol=1e-12)


def test_as_printed_eight_coefficients_are_kept_for_each_of_theta():
    data = drawn(500, np.full(30, 0.1), EIGHT_X_AND_COSINE)
    options = {**NONLINEAR_LABEL.keywords, "sparsity": 2, "n_iterations": 2}
    theta = printed_nonlinear_label.printed(data, **options, ledger=NoiselessLedger())
    assert np.count_nonzero(theta) == 16


@pytest.mark.parametrize(
    ("sparsity", "longer", "left"), [(5, 0.836, 0.201), (10, 0.997, 0.434), (20, 1.0, 0.606)]
)
def test_printed_coefficients_are_outside_the_unit_ball(sparsity, longer, left):
    norms = np.linalg.norm(np.random.default_rng(0).uniform(size=(20_000, sparsity)), axis=1)
    # 5 standard errors are .013 and .008
    assert np.mean(norms > 1) == pytest.approx(longer, abs=0.014)
    assert np.mean(np.maximum(0, 1 - 1 / norms)) == pytest.approx(left, abs=0.01)


@pytest.mark.parametrize(
    ("n", "step_size", "left"),
    [(1e4, 0.1, 0.97), (1e5, 0.1, 0.90), (1e4, 0.2, 0.74), (1e5, 0.2, 0.56)],
)
def test_the_printed_steps_do_not_converge(n, step_size, left):
    p, s = 50, 5
    rng, best = np.random.default_rng(0), []
    for _ in range(200):
        theta = np.zeros(p)
        theta[:s] = rng.uniform(size=s)
        theta /= np.linalg.norm(theta)
        errors = []
        for _ in range(10):
            current = rng.normal(size=p)
            for _ in range(math.ceil(math.log(n / p))):
                # all of the distribution: E x (<theta, x> - y) = theta - theta*
                step = SparseVectors(s).project(current - step_size * (current - theta))
                current = step / max(1.0, float(np.linalg.norm(step)))
            errors.append(np.linalg.norm(current - theta))
        best.append(min(errors))
    # 5 standard errors are .038
    assert np.mean(best) == pytest.approx(left, abs=0.04)


# ------------------------------------------------------------------------- monotone functions


def test_the_slopes_of_the_example():
    z = np.linspace(-7, 7, 10_001)
    slopes = EIGHT_X_AND_COSINE.derivative(z)
    assert (slopes.min(), slopes.max()) == pytest.approx((7.0, 9.0), abs=1e-6)
    numeric = np.gradient(EIGHT_X_AND_COSINE.value(z), z)
    assert slopes[1:-1] == pytest.approx(numeric[1:-1], abs=1e-5)
    # a function that is as declared keeps every bit
    np.testing.assert_array_equal(EIGHT_X_AND_COSINE.value(z), 8 * z + np.cos(z))
    np.testing.assert_array_equal(slopes, 8 - np.sin(z))


def steep(z):
    return np.full(z.shape, 8.0)


@pytest.mark.parametrize(
    ("value", "derivative", "slopes", "message"),
    [
        (np.array, np.ones_like, (1.0, 0.5), "a <= b"),
        (np.array, np.ones_like, (1.0, 1.5), "5/9"),
        (np.array, np.ones_like, (0.0, 1.0), "least_slope must be"),
        (lambda z: 8 * z - 0.1 * z.mean(), steep, (7.0, 9.0), "value must take every"),
        (lambda z: 8 * z, lambda z: steep(z) + np.sin(z.sum()), (7.0, 9.0), "derivative must take"),
        (lambda z: 8 * z, lambda z: 8 + np.sin(z[::-1]), (7.0, 9.0), "must take every record"),
        (lambda z: z + math.nan, np.ones_like, (1.0, 1.0), r"f\(0\) must be in"),
        (lambda z: z + math.inf, np.ones_like, (1.0, 1.0), r"f\(0\) must be in"),
        (lambda z: z + 1e101, np.ones_like, (1.0, 1.0), r"f\(0\) must be in"),
    ],
)
def test_what_is_no_monotone_function_is_refused(value, derivative, slopes, message):
    with pytest.raises(ValueError, match=message):
        MonotoneFunction("f", value, derivative, *slopes)


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
@pytest.mark.parametrize("method", METHODS[2:], ids=["nonlinear", "nonlinear label"])
def test_a_function_without_a_number_leaves_the_result_finite(method, where, kind):
    """All that is legal of f is that slopes are in [7, 9]: results are those of such a function."""

    def broken_away_from_zero(z):
        with np.errstate(all="ignore"):
            return np.where(z == 0, 1.0, BROKEN[kind](z))

    parts = {"value": lambda z: 8 * z + np.cos(z), "derivative": lambda z: 8 - np.sin(z)}
    parts[where] = broken_away_from_zero
    function = MonotoneFunction("broken", **parts, least_slope=7.0, largest_slope=9.0)
    x, _ = drawn(400, np.zeros(4))
    theta = method((x, 8 * x[:, 0]), function=function, n_iterations=3, ledger=RecordingLedger(0))
    assert np.isfinite(theta).all()
    z = np.array([-2.0, -1e-9, 0.0, 0.5, 3.0])
    value, slope = function.value(z), function.derivative(z)
    assert ((slope >= 7) & (slope <= 9)).all()
    assert (np.abs(value - 1 - 8 * z) <= np.abs(z) + 1e-15 * np.abs(value)).all()


def test_a_slope_without_a_number_is_the_least():
    slope = lambda z: np.where(z == 0, 1.0, np.nan)  # noqa: E731
    function = MonotoneFunction("f", np.array, slope, 1.0, 1.2)
    assert function.derivative(np.array([2.0])) == 1.0
