"""Cases of the local algorithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from auditor.conformance.instance import Instance, Twin
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball, L2Ball
from reference.local import (
    bernstein_mechanism,
    margin_losses,
    marginals,
    noisy_copies,
    one_bit_bernstein_mechanism,
    selected_noise_bernstein_mechanism,
    trigonometry_mechanism,
)
from reference.local.approximately_convex import ApproximatelyConvex
from reference.local.risks import InnerBall, MeanSquaredDistance

COPIES = "reference.local.noisy_copies"
RISKS = "reference.local.risks"
PARTS = "reference.local.partition"

INSIDE = "a minimum inside is found to 1e-9 in value, and so to about the root of that in its place"
"""Why a minimum inside the set is compared to 1e-4."""
OPEN = ("gap",)
"""What the minimiser certifies beside its result."""


def uniform(seed: int, n: int, p: int, low: float = 0.0, high: float = 1.0) -> FloatArray:
    """Draw records with independent coordinates, of six digits."""
    found: FloatArray = np.random.default_rng(seed).uniform(low, high, (n, p))
    return found.round(6)


def numbers(seed: int, n: int) -> FloatArray:
    """Draw numbers, some of which are outside [0, 1]."""
    found: FloatArray = uniform(seed, n, 1, -0.25, 1.25)[:, 0]
    return found


# ------------------------------------------------------------------ means


def scalar_mean() -> tuple[Instance, ...]:
    """1-dim LDP-AVG."""
    below = Twin("negative numbers are not cut", "bound", "values, 0.0, u", "values, -np.inf, u")
    above = Twin("large numbers are not cut", "bound", "0.0, upper)", "0.0, np.inf)")
    symmetric = Twin("numbers are cut to [-b, b]", "bound", "values, 0.0, u", "values, -upper, u")
    scale = Twin("noise of scale 2 b/epsilon", "noise", "scale=upper / e", "scale=2 * upper / e")
    fewer = Twin("n - 1 for n", "divisor", "messages.mean()", "messages.sum() / (len(values) - 1)")
    return (
        Instance(
            "by-hand",
            "Three users, two of whose numbers are cut to 0 and 1.",
            {"data": np.array([-0.5, 0.25, 2.0]), "epsilon": 1.0, "upper": 1.0},
            twins=(below, above, symmetric, scale, fewer),
        ),
        Instance(
            "middle",
            "Numbers on both sides of [0, b], b = 0.8.",
            {"data": numbers(1, 40), "epsilon": 0.5, "upper": 0.8},
            seed=2,
            twins=(below, above, symmetric, scale, fewer),
        ),
        Instance(
            "one-user",
            "One user: the mean is the message.",
            {"data": np.array([0.3]), "epsilon": 2.0, "upper": 4.0},
            seed=3,
            twins=(scale,),
        ),
    )


def vector_mean() -> tuple[Instance, ...]:
    """LDP-AVG in p dimensions."""
    below = Twin("negative entries are not cut", "bound", "chosen], 0.0, u", "chosen], -np.inf, u")
    above = Twin("large entries are not cut", "bound", "0.0, upper)", "0.0, np.inf)")
    other = Twin("every user sends another entry", "index", "n), chosen]", "n), chosen - 1]")
    among_all = Twin(
        "a coordinate's messages are averaged over all users",
        "divisor",
        "/ np.bincount(partition)",
        "/ len(partition)",
        PARTS,
    )
    return (
        Instance(
            "by-hand",
            "Three users and two coordinates; the first and the last send the second.",
            {
                "data": np.array([[0.5, 2.0], [-1.0, 0.5], [0.25, 0.75]]),
                "epsilon": 1.0,
                "upper": 1.0,
                "partition": np.array([1, 0, 1]),
            },
            twins=(below, above, other, among_all),
        ),
        Instance(
            "middle",
            "A partition that is drawn and published: parts of 7 and 6 users.",
            {"data": uniform(2, 20, 3, -0.5, 1.5), "epsilon": 0.5, "upper": 1.0},
            seed=2,
            twins=(below, above, other, among_all),
        ),
    )


def ball() -> tuple[Instance, ...]:
    """l2-ball randomizer."""
    unclipped = Twin(
        "long vectors are not scaled", "bound", "clip_rows(vectors, radius)", "vectors"
    )
    module = "reference.privacy.mechanisms.l2_ball"
    towards = Twin(
        "the coin does not depend on the norm",
        "formula",
        "coin < 0.5 + norm / 2",
        "coin < 1.0",
        module,
    )
    away = Twin(
        "the half sphere away from the vector",
        "sign",
        "np.where(inner > 0, 1",
        "np.where(inner < 0, 1",
        module,
    )
    scale = Twin(
        "the norm has no coth(epsilon/2)", "noise", " / math.tanh(self.epsilon / 2)", "", module
    )
    return (
        Instance(
            "by-hand",
            "Four users in the plane: a vector inside the ball, one scaled to its radius, one on "
            "it, and the zero vector, which stands for the first axis with a fair coin.",
            {
                "data": np.array([[0.5, 0.0], [3.0, 4.0], [0.0, -1.0], [0.0, 0.0]]),
                "epsilon": 1.0,
                "radius": 1.0,
            },
            seed=4,
            twins=(unclipped, scale, away),
        ),
        Instance(
            "middle",
            "Five coordinates; some vectors are longer than the radius.",
            {"data": uniform(3, 30, 5, -1.0, 1.0), "epsilon": 2.0, "radius": 1.25},
            seed=2,
            twins=(unclipped, towards, away, scale),
        ),
        Instance(
            "one-coordinate",
            "One coordinate: a message is one of two numbers.",
            {"data": uniform(4, 12, 1, -1.5, 1.5), "epsilon": 0.5, "radius": 1.0},
            seed=3,
            twins=(unclipped, away, scale),
        ),
    )


# ------------------------------------------------------------------ values on a grid

CUBE = uniform(5, 20, 2)
BEYOND = np.vstack([uniform(6, 11, 1, 0.5, 0.9), [[2.5]]])
"""The last user's loss is above 1 at 0 and at 1, and is cut."""
BEYOND_BOTH = np.vstack([uniform(10, 11, 2, 0.2, 0.6), [[2.5, -2.0]]])
"""The last user's loss is above 1 everywhere, and is cut."""
BUMPY = uniform(7, 15, 1, 0.3, 0.7)

LAST_FIRST = Twin(
    "the first coordinate of the grid runs first",
    "index",
    "repeat=dimension)))",
    "repeat=dimension)))[:, ::-1]",
    RISKS,
)
LOSS_NOT_CUT = Twin(
    "losses above 1 are not cut", "bound", "neginf=0.0), 0.0, 1.0)", "neginf=0.0), 0.0, 9.0)", RISKS
)
NOT_ITERATED = Twin(
    "the polynomial is not iterated",
    "formula",
    "order=order,\n        constraint=constraint",
    "order=1,\n        constraint=constraint",
)
NOT_SUMMED = Twin(
    "the iteration has one term too few",
    "formula",
    'format(order, "b")',
    'format(order - 1, "b")',
    "reference.local.bernstein",
)
EVERYWHERE = Twin(
    "the set is forgotten",
    "bound",
    "        constraint=constraint,\n",
    "        constraint=None,\n",
)
GRID = (NOT_ITERATED,)

SERVER = ApproximatelyConvex(closeness=0.05, lipschitz=2.0, n_iterations=20)
"""A minimiser that is a formula, gap included."""


def bernstein() -> tuple[Instance, ...]:
    """Local Bernstein Mechanism."""
    whole = Twin(
        "every answer has the whole budget",
        "noise",
        "epsilon=chosen.step_epsilon",
        "epsilon=epsilon",
    )
    ridge = Twin("the ridge is forgotten", "formula", "strength=strength,", "strength=0.0,")
    kind = bernstein_mechanism.Constants
    return (
        Instance(
            "by-hand",
            "Three users and the two points 0 and 1: a line, whose minimum is at an end.",
            {
                "data": np.array([[0.25], [0.5], [0.75]]),
                "loss": MeanSquaredDistance(1),
                "epsilon": 1.0,
                "order": 1,
                "constants": kind(degree=1, step_epsilon=0.5),
            },
            twins=(whole,),
            left_open=OPEN,
        ),
        Instance(
            "middle",
            "Degree and shares of theory, two variables, twice iterated; losses are cut.",
            {
                "data": BEYOND_BOTH,
                "loss": MeanSquaredDistance(2),
                "epsilon": 10000.0,
                "order": 2,
            },
            seed=2,
            twins=(whole, *GRID),
            tolerance=1e-4,
            because=INSIDE,
            left_open=OPEN,
        ),
        Instance(
            "one-user",
            "One user, whose answers at the two points are the line.",
            {
                "data": np.array([[0.3]]),
                "loss": MeanSquaredDistance(1),
                "epsilon": 4.0,
                "order": 1,
                "constants": kind(degree=1, step_epsilon=2.0),
            },
            seed=7,
            twins=(whole,),
            left_open=OPEN,
        ),
        Instance(
            "two-variables",
            "Nine points of the square, the last coordinate first; three iterations and a ridge.",
            {
                "data": CUBE,
                "loss": MeanSquaredDistance(2),
                "epsilon": 900.0,
                "order": 3,
                "strength": 0.25,
                "constants": kind(degree=2, step_epsilon=100.0),
            },
            seed=3,
            twins=(whole, ridge, LAST_FIRST, NOT_ITERATED, NOT_SUMMED),
            tolerance=1e-4,
            because=INSIDE,
            left_open=OPEN,
        ),
        Instance(
            "another-minimiser",
            "The server descends on means over cubes, twenty steps; the gap is a formula as well.",
            {
                "data": CUBE,
                "loss": MeanSquaredDistance(2),
                "epsilon": 90.0,
                "order": 2,
                "minimiser": SERVER,
                "constants": kind(degree=2, step_epsilon=10.0),
            },
            seed=4,
            twins=(LAST_FIRST, NOT_ITERATED),
        ),
        Instance(
            "ball",
            "As before, on a ball around the middle of the square; a ridge.",
            {
                "data": CUBE / 2,
                "loss": MeanSquaredDistance(2),
                "constraint": InnerBall(0.25),
                "epsilon": 90.0,
                "order": 2,
                "strength": 0.5,
                "minimiser": SERVER,
                "constants": kind(degree=2, step_epsilon=10.0),
            },
            seed=5,
            twins=(EVERYWHERE, ridge),
        ),
        Instance(
            "interval",
            "A ball in one variable and the certified minimiser: the minimum is at its end.",
            {
                "data": uniform(8, 10, 1, 0.0, 0.2),
                "loss": MeanSquaredDistance(1),
                "constraint": InnerBall(0.25),
                "epsilon": 60.0,
                "order": 1,
                "constants": kind(degree=2, step_epsilon=20.0),
            },
            seed=6,
            twins=(EVERYWHERE,),
            left_open=OPEN,
        ),
    )


def population_bernstein() -> tuple[Instance, ...]:
    """Local Bernstein Mechanism for the population risk."""
    none = Twin(
        "there is no ridge", "formula", "strength=ridge_strength(len(records))", "strength=0.0"
    )
    eighth = Twin("a ridge n^(-1/8)", "formula", "(-1 / 12)", "(-1 / 8)")
    kind = bernstein_mechanism.Constants
    return (
        Instance(
            "by-hand",
            "Two users and the points 0 and 1: a line, and a ridge of weight 2^(-1/12).",
            {
                "data": np.array([[0.25], [0.75]]),
                "loss": MeanSquaredDistance(1),
                "epsilon": 1.0,
                "order": 1,
                "constants": kind(degree=1, step_epsilon=0.5),
            },
            seed=6,
            twins=(none, eighth),
            tolerance=1e-4,
            because=INSIDE,
            left_open=OPEN,
        ),
        Instance(
            "middle",
            "The degree and the shares of theory.",
            {
                "data": BEYOND,
                "loss": MeanSquaredDistance(1),
                "epsilon": 400.0,
                "order": 2,
            },
            seed=2,
            twins=(none, eighth),
            tolerance=1e-4,
            because=INSIDE,
            left_open=OPEN,
        ),
        Instance(
            "one-user",
            "One user, whose answers at the two points are a line; the ridge has weight 1.",
            {
                "data": np.array([[0.3]]),
                "loss": MeanSquaredDistance(1),
                "epsilon": 4.0,
                "order": 1,
                "constants": kind(degree=1, step_epsilon=2.0),
            },
            seed=4,
            twins=(none,),
            tolerance=1e-4,
            because=INSIDE,
            left_open=OPEN,
        ),
        Instance(
            "ball",
            "A ball around the middle of the square, where the server descends twenty steps.",
            {
                "data": CUBE,
                "loss": MeanSquaredDistance(2),
                "constraint": InnerBall(0.25),
                "epsilon": 90.0,
                "order": 2,
                "minimiser": SERVER,
                "constants": kind(degree=2, step_epsilon=10.0),
            },
            seed=5,
            twins=(
                none,
                eighth,
                Twin(
                    "the set is forgotten",
                    "bound",
                    "constraint,\n        epsilon",
                    "None,\n        epsilon",
                ),
            ),
        ),
    )


def one_bit() -> tuple[Instance, ...]:
    """One-bit Local Bernstein Mechanism."""
    kind = one_bit_bernstein_mechanism.Constants
    at_epsilon = Twin(
        "the bit is computed at epsilon", "noise", "noise, chosen.bit_epsilon)", "noise, epsilon)"
    )
    half = Twin("the reports are not doubled", "formula", "2 * noise * bits", "noise * bits")
    printed = Twin(
        "n times the mean, without the factor 2", "divisor", "2 * noise * bits", "n * noise * bits"
    )
    sign = Twin(
        "the sign of the noise is dropped", "sign", "2 * noise * bits", "2 * abs(noise) * bits"
    )
    return (
        Instance(
            "by-hand",
            "Four users, two at each end of [0, 1], with public numbers that are given.",
            {
                "data": np.array([[0.25], [0.5], [0.75], [1.0]]),
                "loss": MeanSquaredDistance(1),
                "epsilon": 1.0,
                "order": 1,
                "public_noise": np.array([1.5, -0.5, 0.25, -2.0]),
                "partition": np.array([0, 1, 1, 0]),
                "constants": kind(degree=1, bit_epsilon=0.5),
            },
            seed=2,
            version=2,
            twins=(at_epsilon, half),
            left_open=OPEN,
        ),
        Instance(
            "middle",
            "The degree of theory; partition and numbers are drawn and published, in this order.",
            {
                "data": BUMPY,
                "loss": MeanSquaredDistance(1),
                "epsilon": 0.5,
                "order": 1,
            },
            seed=3,
            twins=(at_epsilon, half, printed, sign),
            left_open=OPEN,
        ),
        Instance(
            "twice-iterated",
            "Three points, twice iterated, on a part of the interval, at whose end the minimum is; "
            "numbers are given.",
            {
                "data": BUMPY,
                "loss": MeanSquaredDistance(1),
                "constraint": InnerBall(0.25),
                "epsilon": 1.0,
                "order": 2,
                "public_noise": uniform(9, 15, 1, -2.0, 2.0)[:, 0],
                "constants": kind(degree=2, bit_epsilon=0.5),
            },
            seed=9,
            version=2,
            twins=(half, NOT_ITERATED, EVERYWHERE),
            left_open=OPEN,
        ),
        Instance(
            "two-variables",
            "Four points of the square, the last coordinate first; the server descends.",
            {
                "data": CUBE,
                "loss": MeanSquaredDistance(2),
                "epsilon": 1.0,
                "order": 2,
                "minimiser": SERVER,
                "constants": kind(degree=1, bit_epsilon=0.5),
            },
            seed=5,
            version=2,
            twins=(half, sign, LAST_FIRST),
        ),
    )


def selected_noise() -> tuple[Instance, ...]:
    """Local Bernstein Mechanism by GenProt."""
    kind = selected_noise_bernstein_mechanism.Constants
    index = Twin("the index is averaged", "index", "y[np.arange(n), g], part", "g, part")
    factor = Twin("n times the mean", "divisor", "means_by_part(y", "n * means_by_part(y")
    epsilon = Twin(
        "the numbers are looked at with the whole budget",
        "noise",
        "y, chosen.base_epsilon)",
        "y, 4 * chosen.base_epsilon)",
    )
    fallback = Twin(
        "the case of no bit that is 1 is forgotten",
        "branch",
        "axis=1, keepdims=True) / n_candidates",
        "axis=1, keepdims=True) * 0.0",
    )
    return (
        Instance(
            "by-hand",
            "Four users with two public numbers each, two users at each end of [0, 1].",
            {
                "data": np.array([[0.25], [0.5], [0.75], [1.0]]),
                "loss": MeanSquaredDistance(1),
                "epsilon": 1.0,
                "order": 1,
                "public_noise": np.array([[1.5, 0.25], [-0.5, 0.75], [0.25, -4.0], [-2.0, 1.0]]),
                "partition": np.array([0, 1, 1, 0]),
                "constants": kind(degree=1, n_candidates=2, base_epsilon=0.25),
            },
            seed=2,
            twins=(index, factor, epsilon, fallback),
            left_open=OPEN,
        ),
        Instance(
            "middle",
            "The degree and the number of candidates of theory; partition and numbers are drawn.",
            {
                "data": BUMPY,
                "loss": MeanSquaredDistance(1),
                "epsilon": 0.5,
                "order": 1,
            },
            seed=3,
            twins=(index, factor, epsilon),
            left_open=OPEN,
        ),
        Instance(
            "twice-iterated",
            "Three points, twice iterated, on a part of the interval, at whose end the minimum is; "
            "numbers are drawn.",
            {
                "data": BUMPY,
                "loss": MeanSquaredDistance(1),
                "constraint": InnerBall(0.25),
                "epsilon": 2.0,
                "order": 2,
                "constants": kind(degree=2, n_candidates=3, base_epsilon=0.25),
            },
            seed=4,
            twins=(index, NOT_ITERATED, EVERYWHERE),
            left_open=OPEN,
        ),
        Instance(
            "one-candidate",
            "One candidate: there is nothing to choose; the server descends.",
            {
                "data": CUBE,
                "loss": MeanSquaredDistance(2),
                "epsilon": 1.0,
                "order": 2,
                "minimiser": SERVER,
                "constants": kind(degree=1, n_candidates=1, base_epsilon=0.125),
            },
            seed=5,
            twins=(index,),
        ),
    )


# ------------------------------------------------------------------ noisy copies


def labelled(seed: int, n: int, p: int) -> tuple[FloatArray, FloatArray]:
    """Draw features, some longer than 1, and labels, some beyond [-1, 1]."""
    features = uniform(seed, n, p, -0.9, 0.9)
    return features, uniform(seed + 1, n, 1, -1.3, 1.3)[:, 0]


TWO_LABELLED = (np.array([[3.0, 4.0], [0.5, -0.5]]), np.array([1.0, -1.5]))
"""Two records: features that are scaled to norm 1, a label that is cut to -1."""

COPY_TWINS = (
    Twin(
        "features longer than 1 are not scaled",
        "bound",
        "clip_rows(features, 1.0)",
        "features",
        COPIES,
    ),
    Twin("labels are not cut", "bound", "clip_entries(labels, 1.0)", "labels", COPIES),
)
SWAPPED = Twin(
    "the factors t and 1 - t are swapped",
    "index",
    "first, arguments, 1 - arguments",
    "first, 1 - arguments, arguments",
    COPIES,
)
ONE_MORE = Twin(
    "one factor t too many", "index", "np.tri(rows, columns, -1", "np.tri(rows, columns, 0", COPIES
)
NO_BINOMIALS = Twin(
    "the binomial coefficients are dropped",
    "formula",
    "values * scipy.special.comb(degree, np.arange(degree + 1))",
    "values * 1.0",
    COPIES,
)
LAST_QUERY = Twin(
    "the last query is returned", "index", "return state.output", "return state.query"
)
NODES = Twin(
    "nodes j/d",
    "formula",
    "2 * np.arange(degree + 1) / degree - 1",
    "np.arange(degree + 1) / degree",
    COPIES,
)
POLYNOMIAL = (SWAPPED, NO_BINOMIALS, NODES)


def hinge() -> tuple[Instance, ...]:
    """Hinge Loss-LDP."""
    in_turn = Twin(
        "users in turn, not those that are drawn",
        "index",
        "ledger.public(lambda rng: rng.integers(n, size=n))",
        "(ledger.public(lambda rng: rng.integers(n, size=n)), range(n))[1]",
    )
    argument = Twin("the margin is the argument", "formula", "(1 + margins) / 2", "margins")
    kind = noisy_copies.Constants
    return (
        Instance(
            "by-hand",
            "Two users and degree 1: three copies of each record, and two steps.",
            {
                "data": TWO_LABELLED,
                "constraint": L2Ball(1.0),
                "epsilon": 1.0,
                "delta": 1e-5,
                "smoothing": 0.5,
                "degree": 1,
                "constants": kind(0.5, 0.25, 1.0),
            },
            seed=2,
            twins=(*COPY_TWINS, in_turn, argument, SWAPPED, LAST_QUERY, NODES),
        ),
        Instance(
            "middle",
            "The noise of theory, degree 2 and three variables.",
            {
                "data": labelled(11, 10, 3),
                "constraint": L2Ball(1.0),
                "epsilon": 2.0,
                "delta": 1e-2,
                "smoothing": 0.5,
                "degree": 2,
            },
            seed=3,
            twins=(*COPY_TWINS, *POLYNOMIAL, in_turn, argument, LAST_QUERY),
        ),
        Instance(
            "small-set",
            "Little noise, degree 3 and an l1 ball that the steps reach.",
            {
                "data": labelled(13, 6, 2),
                "constraint": L1Ball(0.25),
                "epsilon": 1.0,
                "delta": 1e-2,
                "smoothing": 0.25,
                "degree": 3,
                "constants": kind(0.5, 0.25, 0.5),
            },
            seed=4,
            twins=(COPY_TWINS[0], *POLYNOMIAL, ONE_MORE, in_turn, LAST_QUERY),
        ),
    )


def general_linear() -> tuple[Instance, ...]:
    """General Linear-LDP."""
    shift = Twin("the shifted margin is not halved", "formula", "- s) / 2", "- s)")
    slope = Twin(
        "the slope is not that of the loss", "formula", "(high - low) * slope + low", "slope"
    )
    low = Twin("the slope at -1 is dropped", "formula", "* slope + low", "* slope")
    in_turn = Twin(
        "users in turn, not those that are drawn",
        "index",
        "zip(users, thresholds",
        "zip(range(n), thresholds",
    )
    kind = noisy_copies.Constants
    return (
        Instance(
            "by-hand",
            "Two users and degree 1: three copies of each record, and two steps.",
            {
                "data": TWO_LABELLED,
                "loss": margin_losses.HINGE,
                "constraint": L2Ball(1.0),
                "epsilon": 1.0,
                "delta": 1e-5,
                "smoothing": 0.5,
                "degree": 1,
                "constants": kind(0.5, 0.25, 1.0),
            },
            seed=2,
            twins=(*COPY_TWINS, in_turn, shift, slope, low, SWAPPED, LAST_QUERY, NODES),
        ),
        Instance(
            "middle",
            "The noise of theory, degree 2, three variables and the logistic loss.",
            {
                "data": labelled(11, 10, 3),
                "loss": margin_losses.LOGISTIC,
                "constraint": L2Ball(1.0),
                "epsilon": 2.0,
                "delta": 1e-2,
                "smoothing": 0.5,
                "degree": 2,
            },
            seed=3,
            twins=(*COPY_TWINS, *POLYNOMIAL, in_turn, shift, slope, LAST_QUERY),
        ),
        Instance(
            "small-set",
            "Little noise, degree 3 and an l1 ball that the steps reach.",
            {
                "data": labelled(13, 6, 2),
                "loss": margin_losses.LOGISTIC,
                "constraint": L1Ball(0.25),
                "epsilon": 1.0,
                "delta": 1e-2,
                "smoothing": 0.25,
                "degree": 3,
                "constants": kind(0.5, 0.25, 0.5),
            },
            seed=4,
            twins=(COPY_TWINS[0], *POLYNOMIAL, in_turn, slope, low),
        ),
    )


# ------------------------------------------------------------------ queries


def bits(seed: int, n: int, p: int) -> Any:
    """Draw bits, each of which is 1 with probability 0.4."""
    return (np.random.default_rng(seed).random((n, p)) < 0.4).astype(np.int64)


def chebyshev() -> tuple[Instance, ...]:
    """Local Chebyshev Mechanism for k-way disjunctions."""
    ways = Twin("the multinomial coefficients are dropped", "formula", "[m]) * ways", "[m])")
    any_bit = Twin(
        "a monomial counts if any of its bits is 1", "branch", "== supports.sum(axis=1)", ">= 1"
    )
    accuracy = Twin("alpha for alpha/2", "formula", "(k, accuracy / 2)", "(k, accuracy)")
    fewer = Twin(
        "n - 1 for n",
        "divisor",
        "messages.mean(axis=0)",
        "messages.sum(axis=0) / (len(records) - 1)",
    )
    unordered = Twin(
        "monomials of high degree first",
        "index",
        "range(1, degree + 1):\n        for",
        "range(degree, 0, -1):\n        for",
    )
    kind = marginals.Constants
    return (
        Instance(
            "by-hand",
            "Three users with two bits, asked for one bit at a time: k = 1.",
            {
                "data": np.array([[0, 1], [1, 1], [0, 0]]),
                "queries": np.array([[1, 0], [0, 1], [0, 0]]),
                "epsilon": 1.0,
                "accuracy": 0.5,
                "k": 1,
                "constants": kind(2.0, 2.0),
            },
            twins=(fewer,),
        ),
        Instance(
            "middle",
            "At most two of four bits: the polynomial of degree 2 that is 1 at 1 and 2.",
            {
                "data": bits(1, 20, 4),
                "queries": np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]]),
                "epsilon": 1.0,
                "accuracy": 0.04,
                "k": 2,
            },
            seed=2,
            twins=(ways, any_bit, fewer, unordered),
        ),
        Instance(
            "degree-k",
            "At most two of three bits: a Chebyshev polynomial of the same degree.",
            {
                "data": bits(3, 8, 3),
                "queries": np.array([[1, 0, 1], [0, 1, 0]]),
                "epsilon": 2.0,
                "accuracy": 0.15,
                "k": 2,
            },
            seed=4,
            twins=(ways, any_bit),
        ),
        Instance(
            "chebyshev",
            "At most five of five bits, roughly: a Chebyshev polynomial of degree 3.",
            {
                "data": bits(2, 12, 5),
                "queries": np.array([[1, 1, 1, 1, 1], [1, 0, 1, 0, 1], [0, 0, 0, 1, 0]]),
                "epsilon": 4.0,
                "accuracy": 0.5,
                "k": 5,
            },
            seed=3,
            twins=(ways, any_bit, accuracy, unordered),
        ),
    )


def trigonometry() -> tuple[Instance, ...]:
    """Local Trigonometry Mechanism."""
    uncut = Twin("entries beyond 1 are not cut", "bound", "np.clip(records, -1.0, 1.0)", "records")
    degrees = Twin(
        "degrees from 1 to t", "index", "* np.arange(n_degrees)", "* np.arange(1, n_degrees + 1)"
    )
    turned = Twin(
        "the last coordinate is the first index",
        "index",
        "features[:, :, None] * one[:, None, :]",
        "features[:, None, :] * one[:, :, None]",
    )
    fewer = Twin(
        "n - 1 for n",
        "divisor",
        "messages.mean(axis=0)",
        "messages.sum(axis=0) / (len(records) - 1)",
    )
    kind = trigonometry_mechanism.Constants
    return (
        Instance(
            "by-hand",
            "Three users with one number, the last of which is cut to 1; degrees 0 and 1, so that "
            "the features are 1 and the number.",
            {
                "data": np.array([[0.5], [-0.25], [2.0]]),
                "epsilon": 1.0,
                "n_degrees": 2,
                "constants": kind(2.0, 2.0),
            },
            twins=(uncut, degrees, fewer),
        ),
        Instance(
            "middle",
            "Two numbers and degrees 0 to 3: sixteen features of a user.",
            {"data": uniform(21, 20, 2, -1.25, 1.1), "epsilon": 2.0, "n_degrees": 4},
            seed=2,
            twins=(uncut, degrees, turned, fewer),
        ),
        Instance(
            "three-variables",
            "Three numbers and degrees 0 and 1.",
            {"data": uniform(22, 8, 3, -1.0, 1.0), "epsilon": 8.0, "n_degrees": 2},
            seed=3,
            twins=(degrees, turned),
        ),
        Instance(
            "constant-feature",
            "Degree 0 alone: a user's message is 1 and the least noise that there is.",
            {"data": uniform(23, 3, 1, -1.0, 1.0), "epsilon": 1.0, "n_degrees": 1},
            seed=4,
            twins=(degrees,),
        ),
    )


INSTANCES: dict[str, Callable[[], tuple[Instance, ...]]] = {
    "diss-5.1-LDPAVGvec": vector_mean,
    "diss-5.1-pop": population_bernstein,
    "diss-5.1.30": scalar_mean,
    "diss-5.1.31": bernstein,
    "diss-5.1.32": one_bit,
    "diss-5.1.33": hinge,
    "diss-5.1.34": general_linear,
    "diss-5.1.35": chebyshev,
    "diss-5.1.36": trigonometry,
    "diss-5.1.37": selected_noise,
    "diss-5.3.rand": ball,
}
