"""The l2-ball randomizer (diss-5.3.rand): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import (
    Case,
    Data,
    Everything,
    Form,
    Setting,
    along,
    averaged,
    form,
    rate_slope,
    root_mean_square,
)
from auditor.described.data.calls import arguments_of
from auditor.described.data.small_local import uniform
from auditor.described.data.vectors import one_record
from reference._validation import FloatArray
from reference.errata.local import ball_randomizer as errata
from reference.local.ball_randomizer import ball_randomizer
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger
from reference.privacy.mechanisms import L2BallRandomizer

CLAIM = "Lemma 5.3.1: E z = x, coordinates sub-Gaussian with variance O(r^2/epsilon^2)"
FAR = (3e5, 0.0, -4e5)
"""A vector that is far outside the ball."""


def _form(function: Any, **options: Any) -> Form:
    return form(
        function,
        one_record(3, FAR, np.negative(FAR)),
        epsilon=1.0,
        radius=2.0,
        model=Model.LOCAL,
        domain=Everything((3,)),
        **options,
    )


def unclipped(data: Data, *, epsilon: float, radius: float, ledger: Ledger) -> FloatArray:
    """Return the messages about vectors that nobody scaled down."""
    return ledger.l2_ball(data, radius=radius, epsilon=epsilon)


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    algorithm: Any = ball_randomizer,
    n: float = 1_000,
    p: float = 8,
    epsilon: float = 1.0,
) -> float:
    """Return the distance of the messages' mean from the vector that all users have."""
    vector = np.full(int(p), 0.5 / math.sqrt(p))
    data = np.tile(vector, (int(n), 1))
    messages = algorithm(data, epsilon=epsilon, radius=1.0, ledger=ledger)
    return float(np.linalg.norm(messages.mean(axis=0) - vector))


def randomizer() -> Case:
    """Describe the l2-ball randomizer of section 5.3: one vector on a sphere per user."""
    recipe = partial(along, error=_error, repetitions=20, claim=CLAIM)
    epsilons = (0.125, 0.25, 0.5, 1.0)
    # B is of order coth(epsilon/2), which is 2/epsilon for small epsilon only
    exact = rate_slope(epsilons, lambda epsilon: 1 / math.tanh(epsilon / 2))
    dimensions = (32, 64, 128, 256)
    # of order sqrt(p), times a factor that grows from 1 to sqrt(pi/2)
    mechanism = L2BallRandomizer(radius=1.0, epsilon=1.0)
    in_p = rate_slope(dimensions, lambda p: mechanism.output_norm(int(p)))
    # of one user's own vector
    half_space: dict[str, Any] = {
        "seen": one_record(1, FAR, np.negative(FAR)),
        "statistic": lambda messages: float(messages[0] @ np.array(FAR) > 0),
    }
    return Case(
        id="diss-5.3.rand",
        forms={
            "corrected": _form(ball_randomizer, **half_space),
            "printed": _form(errata.printed, **half_space),
        },
        scaling=(
            recipe("n", (100, 400, 1_600, 6_400), -0.5),
            recipe("p", dimensions, in_p, error=averaged(_error, 4, root_mean_square)),
            recipe("epsilon", epsilons, exact),
            recipe(
                "n",
                (100, 400, 1_600, 6_400),
                -0.5,
                name="n with the printed scale",
                algorithm=errata.printed,
                erratum="diss-5.3.rand/E1",
                form="printed",
            ),
        ),
        no_real_data="a part of the algorithms of section 5.3, which are run on data",
        mutants={"clipping dropped": _form(unclipped, no_black_box="a mutant")},
    )


def settings() -> tuple[Setting, ...]:
    """Return the settings of the l2-ball randomizer."""
    run = partial(arguments_of, ball_randomizer)
    four = np.array([[0.5, 0.0], [3.0, 4.0], [0.0, -1.0], [0.0, 0.0]])
    return (
        Setting(
            "by-hand",
            "Four users in the plane: a vector inside the ball, one scaled to its radius, one on "
            "it, and the zero vector, which stands for the first axis with a fair coin.",
            run(four, epsilon=1.0, radius=1.0),
            seed=4,
        ),
        Setting(
            "middle",
            "Five coordinates; some vectors are longer than the radius.",
            run(uniform(3, 30, 5, -1.0, 1.0), epsilon=2.0, radius=1.25),
            seed=2,
        ),
        Setting(
            "one-coordinate",
            "One coordinate: a message is one of two numbers.",
            run(uniform(4, 12, 1, -1.5, 1.5), epsilon=0.5, radius=1.0),
            seed=3,
        ),
    )


CASES = {"diss-5.3.rand": randomizer}
SETTINGS = {"diss-5.3.rand": settings}
LEFT_OUT = {
    "diss-5.3.rand": {
        "order of records": "a message for each record",
        "loop": "over users, who are axis 0",
    }
}
