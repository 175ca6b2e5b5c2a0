import math

import numpy as np
import pytest

from reference.errata.nonconvex.proximal_gradient_descent import PrintedSigmoid
from reference.losses import (
    Biweight,
    Cosine,
    GeneralizedLinear,
    Huber,
    Linear,
    LinearModelLoss,
    Logistic,
    RidgeRegularized,
    Sigmoid,
    SquaredDistance,
    SquaredError,
    TwiceDifferentiable,
    empirical_risk,
    require_loss,
    require_population_loss,
    require_second_order_loss,
)

LOSSES = [Logistic(), Sigmoid(), PrintedSigmoid(), Linear(), Huber(threshold=0.7)]
UNBOUNDED = [SquaredError(), Biweight(threshold=1.0), RidgeRegularized(Logistic(math.inf), 0.3)]


def records(loss: LinearModelLoss, n: int = 20, p: int = 3, seed: int = 0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p))
    order = 2 if loss.feature_norm == "l2" else np.inf
    features *= loss.feature_bound / np.linalg.norm(features, ord=order, axis=1, keepdims=True)
    labels = rng.uniform(-3, 3, n) if isinstance(loss, Huber) else rng.choice([-1.0, 1.0], n)
    return loss.validate((features, labels), p)


def test_values_by_hand():
    data = (np.array([[1.0, 0.0]]), np.array([-1.0]))
    x = np.array([2.0, 5.0])  # <a, x> = 2, margin -2
    assert Logistic().values(data, x)[0] == pytest.approx(math.log(1 + math.e**2), rel=1e-15)
    assert Sigmoid().values(data, x)[0] == pytest.approx(1 / (1 + math.exp(-2)), rel=1e-15)
    printed = PrintedSigmoid().values(data, x)[0]
    assert printed == pytest.approx(1 / (1 + math.exp(2)), rel=1e-15)
    assert Linear().values(data, x)[0] == -2.0
    # residual 2 - (-1) = 3, threshold 1: 3 - 1/2
    assert Huber().values(data, x)[0] == 2.5
    assert Huber(threshold=4.0).values(data, x)[0] == 4.5


def test_gradients_by_hand():
    data = (np.array([[0.6, 0.8]]), np.array([1.0]))
    x = np.zeros(2)
    np.testing.assert_allclose(Logistic().gradients(data, x), [[-0.3, -0.4]], rtol=1e-15)
    np.testing.assert_allclose(Sigmoid().gradients(data, x), [[-0.15, -0.2]], rtol=1e-15)
    np.testing.assert_allclose(PrintedSigmoid().gradients(data, x), [[0.15, 0.2]], rtol=1e-15)
    np.testing.assert_array_equal(Linear().gradients(data, x), [[0.6, 0.8]])
    np.testing.assert_allclose(Huber(threshold=0.5).gradients(data, x), [[-0.3, -0.4]], rtol=1e-15)


@pytest.mark.parametrize("loss", [*LOSSES, *UNBOUNDED], ids=repr)
def test_gradients_are_derivatives_of_the_values(loss):
    rng, h = np.random.default_rng(1), 1e-6
    if loss in UNBOUNDED:
        data = loss.validate((3 * rng.standard_normal((20, 3)), rng.choice([-1.0, 1.0], 20)), 3)
        points, rounding = rng.standard_normal((5, 3)), 2e-7
    else:
        data, points, rounding = records(loss), 2 * rng.standard_normal((5, 3)), 1e-8
    assert loss.size(data) == 20
    for x in points:
        ends = [(loss.values(data, x + h * e), loss.values(data, x - h * e)) for e in np.eye(3)]
        numeric = np.stack([(up - down) / (2 * h) for up, down in ends], axis=1)
        np.testing.assert_allclose(loss.gradients(data, x), numeric, atol=rounding)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_mean_gradient_is_the_mean_of_the_gradients_in_any_order(loss):
    features, labels = records(loss)
    x = np.array([0.3, -1.0, 2.0])
    mean = loss.gradients((features, labels), x).mean(axis=0)
    np.testing.assert_allclose(loss.gradient((features, labels), x), mean, rtol=1e-13)
    order = np.random.default_rng(2).permutation(len(labels))
    shuffled = (features[order], labels[order])
    np.testing.assert_allclose(loss.gradient(shuffled, x), mean, rtol=1e-13)
    some = np.array([4, 4, 9])
    np.testing.assert_allclose(
        loss.gradient((features, labels), x, some),
        loss.gradients((features, labels), x)[some].mean(axis=0),
        rtol=1e-13,
    )


@pytest.mark.parametrize("feature_norm", ["l2", "l-infinity"])
@pytest.mark.parametrize("kind", [Logistic, Sigmoid, Linear, Huber])
def test_constants_are_valid_and_attained(kind, feature_norm):
    """G and L bound slopes on a fine grid of scores and are attained to 1e-4.

    The logistic loss attains G as the score grows.
    """
    loss = kind(feature_bound=3.0, feature_norm=feature_norm)
    scores = np.linspace(-40, 40, 400_001)
    slope = loss._slope(scores, np.ones_like(scores))
    assert np.abs(slope).max() * 3.0 <= loss.lipschitz * (1 + 1e-12)
    assert np.abs(slope).max() * 3.0 >= loss.lipschitz * (1 - 1e-4)
    curvature = np.abs(np.diff(slope) / np.diff(scores)).max()
    assert curvature * 9.0 <= loss.smoothness * (1 + 1e-9)
    if kind is not Linear:
        assert curvature * 9.0 >= loss.smoothness * (1 - 1e-4)


def test_printed_constants():
    assert Sigmoid().lipschitz == 0.25
    assert Sigmoid().smoothness == pytest.approx(0.0962250448649376, rel=1e-14)
    assert Logistic(feature_bound=2.0).smoothness == 1.0


def test_no_overflow_at_huge_scores():
    data = (np.array([[1.0]]), np.array([1.0]))
    for score in (1e8, -1e8):
        x = np.array([score])
        for loss in LOSSES:
            assert np.isfinite(loss.values(data, x)).all()
            assert np.isfinite(loss.gradients(data, x)).all()
    assert Logistic().values(data, np.array([-1e8]))[0] == 1e8


def test_empirical_risk_is_the_mean_loss():
    data = (np.array([[1.0], [-1.0]]), np.array([1.0, 1.0]))
    x = np.array([3.0])
    expected = (math.log(1 + math.exp(-3)) + math.log(1 + math.exp(3))) / 2
    assert empirical_risk(Logistic(), data, x) == pytest.approx(expected, rel=1e-15)


GOOD = (np.array([[0.6, 0.8], [0.0, 1.0]]), np.array([1.0, -1.0]))


def test_rows_of_norm_one_are_accepted_despite_rounding():
    features = np.random.default_rng(0).standard_normal((1000, 7))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    Logistic().validate((features, np.ones(1000)), 7)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (GOOD[0], TypeError, r"data must be a pair \(features, labels\), got ndarray"),
        ((GOOD[0],), TypeError, "pair"),
        ((GOOD[0], np.array([1.0, 0.0])), ValueError, "labels must be -1 or 1$"),
        ((GOOD[0], np.array([1.0])), ValueError, r"labels must have shape \(2,\), got \(1,\)"),
        ((GOOD[0][:, :1], GOOD[1]), ValueError, "features must have shape"),
        ((GOOD[0] * np.nan, GOOD[1]), ValueError, "features must be finite"),
        ((np.zeros((0, 2)), np.zeros(0)), ValueError, "features must not be empty"),
        (([["a", "b"]], [1.0]), TypeError, "features must be an array of real numbers"),
    ],
)
def test_bad_data_is_refused(data, error, message):
    with pytest.raises(error, match=message):
        Logistic().validate(data, 2)


def test_the_bound_is_in_the_norm_of_the_features():
    corner = np.array([[1.0, -1.0]])
    kept, _ = Logistic(feature_norm="l-infinity").validate((corner, np.ones(1)), 2)
    assert np.array_equal(kept, corner)
    cut, _ = Logistic().validate((corner, np.ones(1)), 2)
    assert cut == pytest.approx(corner / math.sqrt(2))


def test_longer_features_are_cut_down_and_not_refused():
    """To refuse them, or to print their norm, would tell of one record."""
    long = np.array([[3.0, 4.0], [0.3, 0.4], [-1e300, 0.0]])
    cut, _ = Logistic(feature_bound=2.0).validate((long, np.ones(3)), 2)
    assert cut == pytest.approx(np.array([[1.2, 1.6], [0.3, 0.4], [-2.0, 0.0]]))
    loss = Logistic(feature_bound=3.5, feature_norm="l-infinity")
    cut, _ = loss.validate((long, np.ones(3)), 2)
    assert np.array_equal(cut, [[3.0, 3.5], [0.3, 0.4], [-3.5, 0.0]])


ONE = np.ones((1, 1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Logistic(feature_bound=0.0), "feature_bound must be a finite number > 0"),
        (lambda: SquaredError(math.nan), "feature_bound"),
        (lambda: Logistic(feature_norm="l1"), "feature_norm must be 'l2' or 'l-infinity'"),
        (lambda: Huber(threshold=-1.0), "threshold must be a finite number > 0"),
        (lambda: Biweight(threshold=0.0), "threshold"),
        (lambda: Linear(declared_curvature=0.0), "declared_curvature must be a finite number > 0"),
        (lambda: RidgeRegularized(SquaredError(), 0.0), "strength"),
        (lambda: GeneralizedLinear(link="cloglog"), "be one of sigmoid, probit, identity, got 'cl"),
        (lambda: Huber().validate((ONE, [np.inf]), 1), "labels must be finite"),
        (lambda: SquaredError().validate((np.nan * ONE, [1.0]), 1), "finite"),
        (lambda: SquaredDistance().validate(np.ones((2, 3)), 2), "shape"),
        (lambda: Logistic(math.inf).validate((ONE, [0.0]), 1), "labels must be -1 or 1"),
        (lambda: GeneralizedLinear().validate((ONE, [-1.0]), 1), "labels must be 0 or 1"),
        (
            lambda: require_population_loss(Biweight()),
            r"feature_bound must be in \[0, 1\], got inf",
        ),
        (
            lambda: require_population_loss(Sigmoid()),
            r"a GeneralizedLinear or a Biweight of feature_bound 1\.0",
        ),
    ],
)
def test_bad_parameters_and_labels_are_refused(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_huber_accepts_any_finite_label():
    Huber().validate((ONE, np.array([1e12])), 1)


# ------------------------------------------------------------------ losses without a bound


def test_unbounded_losses_by_hand():
    data = (np.array([[1.0, 2.0]]), np.array([1.0]))
    x = np.array([1.0, 1.0])  # residual 3 - 1 = 2
    assert SquaredError().values(data, x)[0] == 4.0
    np.testing.assert_array_equal(SquaredError().gradients(data, x), [[4.0, 8.0]])
    # c = 4: 1 - (1/2)^2 = 3/4, value (16/6)(1 - 27/64), slope 2 (9/16)
    assert Biweight().values(data, x)[0] == pytest.approx(16 / 6 * 37 / 64, rel=1e-15)
    np.testing.assert_array_equal(Biweight().gradients(data, x), [[1.125, 2.25]])
    # beyond the threshold the loss is flat
    assert Biweight(threshold=1.5).values(data, x)[0] == 1.5**2 / 6
    np.testing.assert_array_equal(Biweight(threshold=1.5).gradients(data, x), [[0.0, 0.0]])
    points = np.array([[1.0, 3.0]])
    assert SquaredDistance().values(points, x)[0] == 4.0
    np.testing.assert_array_equal(SquaredDistance().gradients(points, x), [[0.0, -4.0]])
    ridge = RidgeRegularized(SquaredError(), 0.5)
    assert ridge.values(data, x)[0] == 4.5
    np.testing.assert_array_equal(ridge.gradients(data, x), [[4.5, 8.5]])
    assert empirical_risk(ridge, data, x) == 4.5


def test_the_slope_of_the_biweight_attains_its_bound():
    loss = Biweight(threshold=3.0)
    at = np.array([3.0 / math.sqrt(5)])
    slope = loss.gradients((np.ones((1, 1)), np.zeros(1)), at)[0, 0]
    assert slope == pytest.approx(loss.slope_bound, rel=1e-15)
    many = np.linspace(-4, 4, 1001)
    slopes = loss.gradients((np.ones((1001, 1)), many), np.zeros(1))
    assert np.abs(slopes).max() <= loss.slope_bound


@pytest.mark.parametrize(
    "loss", [SquaredError(), Biweight(), RidgeRegularized(SquaredError(), 1.0)], ids=repr
)
def test_extreme_records_do_not_warn_and_touch_only_their_own_rows(loss):
    features = np.array([[1.0, 2.0], [1e300, -1e300], [5e-324, 1.0], [1e200, 1e200]])
    labels = np.array([1.0, 1e300, -1e300, 5e-324])
    x = np.array([3.0, 1e10])
    together = loss.gradients(loss.validate((features, labels), 2), x)
    for i in range(4):
        alone = loss.gradients((features[i : i + 1], labels[i : i + 1]), x)
        np.testing.assert_array_equal(together[i : i + 1], alone)
    assert np.isfinite(together[0]).all()


def test_extreme_points_do_not_warn():
    gradients = SquaredDistance().gradients(np.array([[1e300], [-1e308]]), np.array([1e308]))
    np.testing.assert_array_equal(gradients, [[2e308], [np.inf]])
    assert SquaredDistance().values(np.array([[1e300]]), np.zeros(1))[0] == np.inf


# ------------------------------------------------------------------------ what a loss declares

EVERY = [
    *LOSSES, Cosine(), SquaredError(), Biweight(threshold=1.5),
    *(GeneralizedLinear(link=link) for link in ("sigmoid", "probit", "identity")),
]  # fmt: skip


@pytest.mark.parametrize("loss", EVERY, ids=repr)
def test_slopes_never_fall_exactly_where_a_loss_is_declared_convex(loss):
    """With one feature 1, the gradient at x is phi'(x); y takes values of all losses' ranges."""
    points = np.linspace(-4, 4, 401)
    labels = (0.0, 1.0) if isinstance(loss, GeneralizedLinear) else (-1.0, 1.0)
    falls = 0.0
    for label in labels:
        one = (np.ones((1, 1)), np.array([label]))
        slopes = np.array([loss.gradients(one, np.array([x]))[0, 0] for x in points])
        falls = min(falls, float(np.diff(slopes).min()))
    assert (falls >= -1e-15) == loss.convex


def test_a_loss_is_refused_that_lacks_what_is_asked_for():
    require_loss(Logistic(), convex=True)
    for loss in (Logistic(), Logistic(feature_norm="l-infinity")):
        require_loss(loss, norm="l-infinity")
    with pytest.raises(ValueError, match="loss must bound gradients in l2, got l-infinity"):
        require_loss(Logistic(feature_norm="l-infinity"))
    with pytest.raises(ValueError, match=r"loss.lipschitz must be a finite number > 0, got inf"):
        require_loss(SquaredError())
    with pytest.raises(ValueError, match="loss must be convex, got Sigmoid"):
        require_loss(Sigmoid(), convex=True)


class Wordy(Logistic):
    convex = "of course"


def test_convexity_is_declared_by_true_and_nothing_else():
    with pytest.raises(ValueError, match="loss must be convex, got Wordy"):
        require_loss(Wordy(), convex=True)


class Silent:
    """A user's loss, complete but for one declaration."""

    lipschitz, smoothness, gradient_norm = 1.0, 1.0, "l2"
    validate = size = gradient = print


def test_a_loss_that_declares_nothing_about_convexity_is_refused_everywhere():
    for convex in (False, True):
        with pytest.raises(TypeError, match=r"got Silent, which has no convex$"):
            require_loss(Silent(), convex=convex)
    with pytest.raises(TypeError, match=r"got object$"):
        require_loss(object())


TWICE = [Logistic(), Sigmoid(feature_bound=2.0), PrintedSigmoid(), Cosine(feature_bound=0.5)]


def name(loss: LinearModelLoss) -> str:
    return type(loss).__name__


@pytest.mark.parametrize("loss", [*TWICE, Huber()], ids=name)
def test_only_losses_with_hessians_count_as_of_second_order(loss):
    if isinstance(loss, TwiceDifferentiable):
        require_second_order_loss(loss, 3)
    else:
        with pytest.raises(TypeError, match="Sigmoid"):
            require_second_order_loss(loss, 3)


@pytest.mark.parametrize("loss", TWICE, ids=name)
def test_hessians_are_the_derivatives_of_the_gradients(loss):
    data, x = records(loss), np.array([0.4, -0.9, 0.2])
    rng = np.random.default_rng(1)
    for indices in (None, np.array([3, 3, 7])):
        direction = rng.standard_normal(3)
        difference = loss.gradient(data, x + 1e-6 * direction, indices) - loss.gradient(
            data, x - 1e-6 * direction, indices
        )
        hessian = loss.hessian(data, x, indices)
        np.testing.assert_allclose(hessian @ direction, difference / 2e-6, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(hessian, hessian.T, rtol=0, atol=1e-17)


@pytest.mark.parametrize("loss", TWICE, ids=name)
def test_constants_of_second_order_are_attained_and_not_exceeded(loss):
    """On a grid of scores, with features B e_1: a record's Hessian is phi'' B^2."""
    bound = loss.feature_bound
    scores = np.linspace(-4, 4, 4001)
    labels = [-1.0, 1.0] if not isinstance(loss, Cosine) else [0.0, 1.5]
    curvatures = np.array(
        [
            [
                loss.hessian((np.array([[bound]]), np.array([y])), np.array([s]))[0, 0]
                for y in labels
            ]
            for s in scores
        ]
    )
    assert np.abs(curvatures).max() == pytest.approx(loss.smoothness, rel=1e-3)
    assert np.abs(curvatures).max() <= loss.smoothness * (1 + 1e-12)
    slopes = np.abs(np.diff(curvatures, axis=0)).max() / (scores[1] - scores[0])
    assert slopes == pytest.approx(loss.hessian_lipschitz, rel=1e-2)
    assert slopes <= loss.hessian_lipschitz * (1 + 1e-9)
    if isinstance(loss, Logistic):  # orthogonal features at score 0
        change = math.sqrt(2) * curvatures.max()
    else:  # the same features, opposite curvatures
        change = curvatures.max() - curvatures.min()
    assert change == pytest.approx(loss.hessian_change(3), rel=1e-3)


def test_no_pair_of_logistic_records_changes_the_hessian_by_more():
    rng = np.random.default_rng(2)
    loss = Logistic(feature_bound=3.0)
    largest = 0.0
    for _ in range(300):
        pair = rng.standard_normal((2, 4))
        pair *= 3 / np.linalg.norm(pair, axis=1, keepdims=True)
        x = rng.standard_normal(4) / 3
        first, second = (loss.hessian((a[None], np.ones(1)), x) for a in pair)
        largest = max(largest, float(np.linalg.norm(np.triu(first - second))))
    assert 0.5 * loss.hessian_change(4) < largest <= loss.hessian_change(4)


# ------------------------------------------------------------- generalised linear models

LINKS = ["sigmoid", "probit", "identity"]


def test_losses_of_linear_models_by_hand():
    data = (np.array([[0.5, 0.0], [0.5, 0.0], [3.0, 0.0]]), np.array([0.0, 1.0, 1.0]))
    x = np.array([1.0, 7.0])
    sigma = 1 / (1 + math.exp(-0.5))
    loss = GeneralizedLinear(math.inf)
    np.testing.assert_allclose(loss.values(data, x)[:2], [sigma**2, (sigma - 1) ** 2], rtol=1e-14)
    slope = 2 * (sigma - 1) * sigma * (1 - sigma)
    np.testing.assert_allclose(loss.gradients(data, x)[1], [0.5 * slope, 0.0], rtol=1e-14)
    # Phi(1/2) and phi(1/2) of a table
    loss = GeneralizedLinear(math.inf, link="probit")
    assert loss.values(data, x)[0] == pytest.approx(0.6914624612740131**2, rel=1e-14)
    slope = 2 * 0.6914624612740131 * 0.3520653267642995
    np.testing.assert_allclose(loss.gradients(data, x)[0], [0.5 * slope, 0.0], rtol=1e-14)
    # the tangent of (s - y)^2 at 1 has slope 0 if y = 1, and 2 if y = 0
    loss = GeneralizedLinear(math.inf, link="identity")
    np.testing.assert_allclose(loss.values(data, x), [0.25, 0.25, 0.0], rtol=1e-15)
    np.testing.assert_array_equal(loss.gradients(data, x), [[0.5, 0], [-0.5, 0], [0, 0]])
    other = (data[0], np.zeros(3))
    assert loss.values(other, x)[2] == 1 + 2 * (3 - 1)
    np.testing.assert_array_equal(loss.gradients(other, x)[2], [6.0, 0.0])


@pytest.mark.parametrize("link", LINKS)
def test_constants_of_linear_models_are_valid_and_attained(link):
    """On a grid of scores, both labels; the paper's 2 C_sigma (B + 1) with C_sigma = 1 is above."""
    loss = GeneralizedLinear(feature_bound=3.0, link=link)
    scores = np.linspace(-6, 6, 1_200_001)
    slopes = {y: loss._slope(scores, np.full_like(scores, y)) for y in (0.0, 1.0)}
    steepest = max(np.abs(slope).max() for slope in slopes.values()) * 3.0
    assert loss.lipschitz * (1 - 1e-9) <= steepest <= loss.lipschitz * (1 + 1e-15)
    for label, slope in slopes.items():
        curvature = np.abs(np.diff(slope) / np.diff(scores)).max() * 9.0
        assert curvature == pytest.approx(loss.smoothness, rel=1e-8)
        values = loss._phi(scores, np.full_like(scores, label))
        middle = (values[2:] - values[:-2]) / (scores[2:] - scores[:-2])
        np.testing.assert_allclose(slope[1:-1], middle, atol=2e-5)
    assert loss.slope_bound <= 2 * (loss.mean(np.ones(1))[0] + 1)
