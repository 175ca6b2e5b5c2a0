"""Vectors of mechanisms: one release from its value and draw, for every method of the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from auditor.conformance.algorithms import made
from auditor.conformance.kinds import Case, Kind
from auditor.conformance.record import draws_of, replayed
from auditor.core.setting import Setting
from reference.privacy.ledger import Ledger

HUGE = 3e200
"""A value beyond 2^40 times every scale here: it is released as 2^40 times the scale."""
TINY = 5e-324
PLACE = "reference.privacy.mechanisms."
EXACT: dict[str, Any] = {
    "tolerance": 1e-15,
    "because": "one product and one sum, rounded once or twice",
}


@cache
def released_by(method: str) -> Callable[..., Any]:
    """Return a method of the ledger as a function with the ledger as its last argument."""

    def release(*, ledger: Ledger, **arguments: Any) -> Any:
        return getattr(ledger, method)(**arguments)

    return release


def _noise(method: str, law: str) -> tuple[Setting, ...]:
    """Gaussian and Laplace noise."""
    asked = {"sensitivity": 1.0, "scale": 2.0}
    rng = np.random.default_rng(1)
    return (
        Setting(
            "scalar",
            f"Two times a standard {law} number is added to a single number.",
            {"value": 0.25, **asked},
            draws=(np.array(-0.75),),
            **EXACT,
        ),
        Setting(
            "vector",
            "Every coordinate has a draw of its own, in their order.",
            {"value": rng.standard_normal(5), **asked},
            **EXACT,
        ),
        Setting(
            "matrix",
            "A row per user: draws go row by row.",
            {"value": rng.standard_normal((3, 2)), **asked, "unit": "record"},
            **EXACT,
        ),
        Setting(
            "huge",
            "What lies beyond 2^40 times the scale is cut to that before noise is added.",
            {"value": np.array([HUGE, -HUGE, 1.0]), **asked},
            **EXACT,
        ),
        Setting(
            "tiny",
            "The smallest double is a value like any other, and a tiny scale a scale.",
            {"value": np.array([TINY, -0.0]), "sensitivity": 1e-140, "scale": 2e-140},
            **EXACT,
        ),
    )


ADDITIVE = PLACE + "additive"


def _symmetric(method: str) -> tuple[Setting, ...]:
    value = np.array([[1.0, -0.5, 0.25], [-0.5, 2.0, 0.125], [0.25, 0.125, -1.0]])
    asked: dict[str, Any] = {"sensitivity": 1.0, "scale": 0.5}
    usual = Setting(
        "upper-triangle",
        "Draws fill the upper triangle row by row, diagonal included, and are mirrored.",
        {"value": value, **asked},
        **EXACT,
    )
    small = Setting("one-by-one", "A matrix of one entry.", {"value": [[0.5]], **asked}, **EXACT)
    if method == "symmetric_laplace":
        return usual, small
    diagonal = Setting(
        "diagonal-variance",
        "The diagonal's noise has twice the variance of the other entries': sqrt(2) the draw.",
        {"value": value, **asked, "diagonal_variance": 2.0},
        **EXACT,
    )
    return usual, small, diagonal


def _wishart(_: str) -> tuple[Setting, ...]:
    value = np.array([[1.0, 0.5], [0.5, 2.0]])
    asked = {"sensitivity": 0.5, "scale": 0.25}

    return (
        Setting(
            "two-by-two",
            "The draw is lower triangular, and L L^T is added, not L^T L.",
            {"value": value, **asked, "degrees": 3.0},
            tolerance=1e-14,
            because="sums of products of the draws",
        ),
        Setting(
            "real-degrees",
            "Degrees of freedom need not be an integer; the output depends on the draw alone.",
            {"value": np.diag([1.0, 2.0, 3.0]), **asked, "degrees": 2.5},
            tolerance=1e-14,
            because="sums of products of the draws",
        ),
    )


def _exponential(method: str) -> tuple[Setting, ...]:
    asked = {"sensitivity": 0.5, "epsilon": 2.0}
    several = method == "selections"
    scores = np.array([1.0, 2.0, 1.5])
    tied = np.array([1.0, 1.0, 1.0])

    rate = Setting(
        "rate",
        "The rate is epsilon/(2 sensitivity): with twice that another candidate would win.",
        {"scores": np.array([scores] * 2) if several else scores, **asked},
        draws=(np.array([[3.0, 0.5, 0.0]] * 2) if several else np.array([3.0, 1.5, 0.0]),),
    )
    ties = Setting(
        "ties",
        "Of equal noisy scores the first wins.",
        {"scores": np.array([tied] * 2) if several else tied, **asked},
        draws=(np.zeros((2, 3)) if several else np.zeros(3),),
    )
    return rate, ties


def _interval_exponential(_: str) -> tuple[Setting, ...]:
    asked = {"lower": -1.0, "upper": 3.0, "sensitivity": 0.5, "epsilon": 2.0}
    close: dict[str, Any] = {"tolerance": 1e-14, "because": "a product and a sum"}
    return (
        Setting(
            "lengths",
            "A piece is selected by rate * score + log length + draw, not without the length; the "
            "second draw says where in the piece the point is.",
            {"scores": np.array([1.0, 2.0, 0.5]), "breaks": np.array([0.0, 0.25]), **asked},
            draws=((np.array([0.0, 0.0, 1.0]), np.array(0.75)),),
            **close,
        ),
        Setting(
            "rate",
            "The rate is epsilon/(2 sensitivity): with half that another piece would win.",
            {"scores": np.array([0.0, 1.5]), "breaks": np.array([2.0]), **asked},
            draws=((np.array([2.0, 0.5]), np.array(0.5)),),
            **close,
        ),
        Setting(
            "no-length",
            "Between equal breaks there is nothing to select, however good its score.",
            {"scores": np.array([0.0, 9.0, 1.0]), "breaks": np.array([1.0, 1.0]), **asked},
            draws=((np.array([0.5, 9.0, 0.0]), np.array(0.25)),),
            **close,
        ),
        Setting(
            "rounded",
            "A point that is rounded to the end of its piece is the start of it.",
            {"scores": np.array([0.0, 9.0, 0.0]), "breaks": np.array([1.0, 1 + 2**-52]), **asked},
            draws=((np.array([0.0, 40.0, 0.0]), np.array(0.75)),),
            tolerance=1e-17,
            because="one of two doubles",
        ),
        Setting(
            "huge",
            "Scores beyond 2^40/rate are cut to that: they are equal, and the longer piece wins.",
            {"scores": np.array([HUGE, 2 * HUGE]), "breaks": np.array([2.0]), **asked},
            draws=((np.zeros(2), np.array(0.5)),),
            **close,
        ),
    )


def _noisy_max(_: str) -> tuple[Setting, ...]:
    asked = {"sensitivity": 1.0, "scale": 2.0}
    return (
        Setting(
            "scale",
            "The largest score plus scale times draw wins, not the largest score.",
            {"scores": np.array([3.0, 2.0, 0.0]), **asked},
            draws=(np.array([0.0, 0.75, -2.0]),),
        ),
        Setting(
            "excluded",
            "A candidate that was selected before cannot win again, whatever its noise.",
            {"scores": np.array([3.0, 2.0, 0.0]), **asked, "excluded": [0]},
            draws=(np.array([9.0, 0.0, 0.5]),),
        ),
        Setting(
            "ties",
            "Of equal noisy scores the first wins.",
            {"scores": np.array([1.0, 1.0]), **asked},
            draws=(np.zeros(2),),
        ),
    )


def _peeling(_: str) -> tuple[Setting, ...]:
    return (
        Setting(
            "order",
            "Rounds of noisy max on absolute values, then one draw per selected coordinate, in the "
            "order of selection; the released number keeps its sign.",
            {
                "value": np.array([0.5, -3.0, 1.0, 2.0]),
                "count": 2,
                "sensitivity": 0.5,
                "scale": 1.0,
            },
        ),
        Setting(
            "all",
            "Everything is selected: the last round has one candidate left.",
            {"value": np.array([0.5, -3.0]), "count": 2, "sensitivity": 0.5, "scale": 1.0},
        ),
    )


def _randomized_response(_: str) -> tuple[Setting, ...]:
    return (
        Setting(
            "two",
            "The truth where the draw is below e^epsilon/(1 + e^epsilon) = .731, else the other.",
            {"value": np.array([0, 1, 1, 0]), "epsilon": 1.0},
            draws=(np.array([0.5, 0.5, 0.74, 0.73]),),
        ),
        Setting(
            "four",
            "Of several false categories, which one follows from the same draw.",
            {"value": np.array([2, 0, 3, 1, 1]), "epsilon": 1.0, "categories": 4},
            draws=(np.array([0.1, 0.5, 0.7, 0.85, 0.999]),),
        ),
    )


def _unary(_: str) -> tuple[Setting, ...]:
    return (
        Setting(
            "three",
            "One bit per category, each flipped with epsilon/2.",
            {"value": np.array([0, 2]), "categories": 3, "epsilon": 2.0},
            draws=(np.array([[0.75, 0.5, 0.7], [0.1, 0.8, 0.72]]),),
        ),
    )


def _bit(_: str) -> tuple[Setting, ...]:
    return (
        Setting(
            "edge",
            "1 where the draw is below the probability; equal to it is not below.",
            {"probability": np.array([0.5, 0.5, 0.25]), "epsilon": 2.0},
            draws=(np.array([0.5, 0.25, 0.75]),),
        ),
    )


def _l2_ball(_: str) -> tuple[Setting, ...]:
    rng = np.random.default_rng(2)
    vectors = rng.standard_normal((5, 3))
    vectors /= 1.5 * np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[4] = 0.0
    close: dict[str, Any] = {"tolerance": 1e-13, "because": "norms, and a quotient of gamma values"}
    return (
        Setting(
            "vectors",
            "Both coins fall both ways; a zero vector counts as the first axis.",
            {"value": vectors, "radius": 1.0, "epsilon": 1.0},
            seed=4,
            **close,
        ),
        Setting(
            "coins",
            "Below is below: a coin on the edge, and between what two thirds of it would be.",
            {
                "value": np.array([[0.5, 0.0], [0.5, 0.0], [0.0, 0.0]]),
                "radius": 1.0,
                "epsilon": 1.0,
            },
            draws=((np.array([0.75, 0.7, 0.2]), np.full(3, 0.5), np.array([[1.0, 2.0]] * 3)),),
            **close,
        ),
        Setting(
            "line",
            "In one dimension the sphere is two points.",
            {"value": np.array([[0.5], [-0.25]]), "radius": 2.0, "epsilon": 0.5},
            seed=5,
            **close,
        ),
    )


def _smooth(_: str) -> tuple[Setting, ...]:
    asked = {"smooth_bound": 0.5, "smoothness": 0.1, "divisor": 2.0}
    return (
        Setting(
            "arsinh-normal",
            "The noise is the hyperbolic sine of a normal draw, times S/s.",
            {"value": 1.0, **asked, "rho": 0.1},
            draws=(np.array(1.25),),
            tolerance=1e-14,
            because="a hyperbolic sine",
        ),
        Setting(
            "gaussian",
            "The noise is a normal draw, times S/s.",
            {"value": np.array([1.0, -2.0]), **asked, "epsilon": 1.0, "noise": "gaussian"},
            **EXACT,
        ),
    )


SETTINGS: dict[str, Callable[[str], tuple[Setting, ...]]] = {
    "gaussian": lambda method: _noise(method, "normal"),
    "laplace": lambda method: _noise(method, "Laplace"),
    "symmetric_gaussian": _symmetric,
    "symmetric_laplace": _symmetric,
    "wishart": _wishart,
    "exponential": _exponential,
    "selections": _exponential,
    "interval_exponential": _interval_exponential,
    "noisy_max": _noisy_max,
    "peeling": _peeling,
    "randomized_response": _randomized_response,
    "unary": _unary,
    "bit": _bit,
    "l2_ball": _l2_ball,
    "smooth": _smooth,
}
"""Builders of settings, by the method of :class:`~reference.privacy.Ledger`."""


def cases(of: str) -> Iterator[Case]:
    """Yield the cases of a mechanism."""
    for setting in SETTINGS[of](of):
        yield made("mechanisms", of, setting, released_by(of))


def answer(case: Case) -> Mapping[str, Any]:
    """Return the release that the reference makes of a case."""
    return replayed(released_by(case["of"]), case["inputs"], draws_of(case["steps"]))


KIND = Kind(
    "mechanisms",
    "one release, from its value and its draw",
    lambda: tuple(SETTINGS),
    cases,
    answer,
)
