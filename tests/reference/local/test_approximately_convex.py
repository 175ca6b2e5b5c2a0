"""The minimiser of approximately convex polynomials against exact minima; its gap by hand."""

import itertools
import math

import numpy as np
import pytest

from auditor.questions.control_flow import first_difference
from reference.local.approximately_convex import ApproximatelyConvex, smoothed_gradient
from reference.local.bernstein import BernsteinPolynomial
from reference.local.bernstein_mechanism import Constants, local_bernstein
from reference.local.one_bit_bernstein_mechanism import Constants as BitConstants
from reference.local.one_bit_bernstein_mechanism import one_bit_bernstein
from reference.local.population_bernstein_mechanism import population_local_bernstein
from reference.local.risks import InnerBall, MeanSquaredDistance, branch_and_bound
from reference.local.selected_noise_bernstein_mechanism import Constants as SelectionConstants
from reference.local.selected_noise_bernstein_mechanism import selected_noise_bernstein
from reference.privacy import RecordingLedger, ReplayLedger


def on_grid(function, degree, dimension):
    """Return values at the points of {0, 1/k, .., 1}^p, in the shape of the grid."""
    axes = np.meshgrid(*[np.arange(degree + 1) / degree] * dimension, indexing="ij")
    return function(np.stack(axes, axis=-1))


def dense(dimension, constraint, steps):
    points = np.array(list(itertools.product(np.linspace(0, 1, steps), repeat=dimension)))
    return points if constraint is None else np.array([constraint.project(x) for x in points])


def bowl_with_ripples(dimension, seed, *, degree=6, ripple=0.05):
    """Return a polynomial near ||w - c||/sqrt p, which is convex and (1/sqrt p)-Lipschitz."""
    rng = np.random.default_rng(seed)
    centre = rng.uniform(0.25, 0.75, dimension)

    def convex(w):
        return np.linalg.norm(w - centre, axis=-1) / math.sqrt(dimension)

    values = on_grid(convex, degree, dimension)
    values = values + ripple * rng.choice([-1.0, 1.0], values.shape)
    return BernsteinPolynomial.through(values, order=2), convex


def quadrature_gradient(polynomial, x, r):
    """Return the gradient of the mean over the cube, by a fine midpoint rule along every axis."""
    p, steps = polynomial.dimension, 400
    middle = -1 + 2 * (np.arange(steps) + 0.5) / steps
    found = []
    for j in range(p):
        others = middle[:, None] if p == 2 else np.empty((1, 0))
        ends = [polynomial(x + r * np.insert(others, j, end, axis=1)).mean() for end in (1.0, -1.0)]
        found.append((ends[0] - ends[1]) / (2 * r))
    return np.array(found)


@pytest.mark.parametrize(("dimension", "degree"), [(1, 1), (1, 9), (2, 1), (2, 6), (2, 7)])
def test_the_gradient_is_that_of_the_mean_over_a_cube(dimension, degree):
    rng = np.random.default_rng(degree)
    polynomial = BernsteinPolynomial(rng.normal(size=(degree + 1,) * dimension))
    x, r = rng.uniform(0.3, 0.7, dimension), 0.2
    found = smoothed_gradient(polynomial, x, r)
    assert found == pytest.approx(quadrature_gradient(polynomial, x, r), abs=2e-4)


def test_gradients_by_hand():
    # u v w: a product is its own mean over a cube; u^2 has the mean u^2 + r^2/3
    product = BernsteinPolynomial(on_grid(lambda w: w.prod(axis=-1), 1, 3))
    found = smoothed_gradient(product, np.array([0.2, 0.5, 0.6]), 0.1)
    assert found == pytest.approx([0.3, 0.12, 0.1], abs=1e-14)
    square = BernsteinPolynomial(np.array([0.0, 0.0, 1.0]))
    assert smoothed_gradient(square, np.array([0.4]), 0.3) == pytest.approx([0.8], abs=1e-14)


@pytest.mark.parametrize("constraint", [None, InnerBall(0.3)])
@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_excess_is_within_the_gap(dimension, seed, constraint):
    polynomial, convex = bowl_with_ripples(dimension, seed)
    points = dense(dimension, constraint, 2001 if dimension == 1 else 81)
    closeness = float(np.abs(polynomial(points) - convex(points)).max())
    minimiser = ApproximatelyConvex(1.01 * closeness, 1 / math.sqrt(dimension), 200)
    found = minimiser(polynomial, constraint)
    exact = branch_and_bound(polynomial, constraint)
    assert found.value == pytest.approx(polynomial([found.point])[0], abs=1e-12)
    assert exact.value - exact.gap <= found.value <= exact.value + found.gap
    # and far better than what is promised: by no more than the ripples
    assert found.value <= exact.value + 2.5 * closeness
    if constraint is not None:
        assert np.linalg.norm(found.point - 0.5) <= 0.3 + 1e-12


def test_it_is_not_caught_by_a_ripple_where_a_descent_is():
    # |w - .8| with waves of height .04 and slope 1.6: a descent from .5 ends in the first
    node = np.arange(121) / 120
    polynomial = BernsteinPolynomial.through(np.abs(node - 0.8) + 0.04 * np.sin(40 * node), order=6)
    values = polynomial(np.linspace(0, 1, 2001)[:, None])
    rising = np.flatnonzero(np.diff(values[1000:]) > 0)[0]  # from .5 on, where a descent ends
    assert values[1000 + rising] > values.min() + 0.1
    found = ApproximatelyConvex(0.045, n_iterations=300)(polynomial, None)
    assert found.value <= values.min() + 0.02


@pytest.mark.parametrize(
    ("constraint", "l1", "r"),
    [
        # r = sqrt(Delta D_1/(L sqrt 3 (1 + 1/sqrt 3))) with D_1 = 3 and sqrt 3: .04/3.1547, ...
        (None, 2.1108347, 0.1481942),  # 3 (1 - 2 r)
        (InnerBall(0.5), 1.0564313, 0.1126033),  # 2 sqrt 3 (1/2 - r sqrt 3)
    ],
)
def test_the_gap_by_hand(constraint, l1, r):
    delta, lipschitz = 0.04, 2.0
    flat = BernsteinPolynomial(np.full((3, 3, 3), 0.7))
    minimiser = ApproximatelyConvex(delta, lipschitz, 5)
    assert minimiser.half_side(3, constraint) == pytest.approx(r, rel=1e-5)
    found = minimiser(flat, constraint)
    assert found.point == pytest.approx([0.5] * 3)
    expected = 0.08 + 0.04 * l1 / r + 2 * r * math.sqrt(3) * (1 + 1 / math.sqrt(3))
    assert found.gap == pytest.approx(expected, rel=1e-5)


def test_the_steps_are_in_the_gap():
    # f = .9 w: every gradient is .9; from .5 the first step of D/sqrt(2 .81) .9 ends at the edge
    line = BernsteinPolynomial(np.array([0.0, 0.9]))
    gaps = [ApproximatelyConvex(0.01, 1.0, t)(line, None).gap for t in (10, 40)]
    r = ApproximatelyConvex(0.01).half_side(1, None)
    assert r == pytest.approx(math.sqrt(0.01 / (1 + 1 / math.sqrt(3))))
    steps = (1 - 2 * r) * 0.9 * math.sqrt(2)
    assert gaps[0] - gaps[1] == pytest.approx(steps / math.sqrt(10) - steps / math.sqrt(40))


def test_what_lemma_5_1_7_asks_for():
    """On a ball of diameter 1: Delta = epsilon/(16348 p) or epsilon^2/(2 sqrt p 16348)."""
    for p, epsilon in itertools.product((1, 2, 5), (0.002, 0.05, 1.0)):
        for delta in (epsilon / (16348 * p), epsilon**2 / (2 * math.sqrt(p) * 16348)):
            flat = BernsteinPolynomial(np.zeros((2,) * p))  # no steps: the gap without their part
            assert ApproximatelyConvex(delta, 1.0, 1)(flat, InnerBall()).gap < 0.51 * epsilon


MECHANISMS = (
    (local_bernstein, Constants(2, 0.1)),
    (population_local_bernstein, Constants(2, 0.1)),
    (one_bit_bernstein, BitConstants(2, 0.5)),
    (selected_noise_bernstein, SelectionConstants(2, 6, 0.25)),
)


@pytest.mark.parametrize(("mechanism", "constants"), MECHANISMS)
def test_it_is_post_processing(mechanism, constants):
    """It does not change what is released, and if a neighbour releases that, it sees the same."""
    seen = []

    def spy(polynomial, constraint):
        seen.append(polynomial.coefficients)
        return ApproximatelyConvex(0.05, 1.0, 20)(polynomial, constraint)

    def run(data, minimiser, ledger):
        mechanism(
            data, MeanSquaredDistance(2), epsilon=1.0, order=2,
            constants=constants, minimiser=minimiser, ledger=ledger,
        )  # fmt: skip
        return ledger.transcript

    data = np.random.default_rng(0).uniform(size=(60, 2))
    plain, minimised = (run(data, given, RecordingLedger(4)) for given in (None, spy))
    assert first_difference(plain.releases, minimised.releases) is None
    data[7] = 1 - data[7].round()
    run(data, spy, ReplayLedger(minimised))
    assert np.array_equal(*seen)


class Half:
    def project(self, x):
        return np.minimum(x, 0.5)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ApproximatelyConvex(0.0), ValueError, "closeness must be"),
        (lambda: ApproximatelyConvex(0.1, math.inf), ValueError, "lipschitz must be"),
        (lambda: ApproximatelyConvex(0.1, 1.0, 0), ValueError, "n_iterations must be"),
        (lambda: InnerBall(0.0), ValueError, "radius must be in"),
        (
            lambda: ApproximatelyConvex(0.1)(BernsteinPolynomial(np.zeros(3)), Half()),
            TypeError,
            "constraint must be None or an InnerBall",
        ),
        (
            lambda: local_bernstein(
                [[0.5]], MeanSquaredDistance(1), epsilon=1.0, order=1, minimiser=0.1
            ),
            TypeError,
            "minimiser must be called with",
        ),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
