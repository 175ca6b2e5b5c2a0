"""The Local Bernstein Mechanism (diss-5.1.31): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, Setting, along, form
from auditor.described.data.calls import arguments_of
from auditor.described.data.risks import SQUARE, at_zero, unclipped_values, value_error
from auditor.described.data.small_local import CUBE, INSIDE, OPEN, SERVER, uniform
from auditor.described.data.vectors import one_record
from reference.local.bernstein import Minimum
from reference.local.bernstein_mechanism import Constants, local_bernstein
from reference.local.risks import InnerBall, MeanSquaredDistance, UserLoss, grid, minimum_of
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger


def reports_form(
    function: Any = local_bernstein,
    *,
    step_epsilon: float = 0.5,
    other: float = 1.0,
    **options: Any,
) -> Form:
    """Record 0 is 0 against 1: at both points of the grid its values differ by 1."""
    return form(
        function,
        one_record(3, [0.0], [other]),
        SQUARE,
        epsilon=1.0,
        order=1,
        constants=Constants(1, step_epsilon),
        model=Model.LOCAL,
        seen=one_record(1, [0.0], [1.0]),
        domain=Everything((1,)),
        **options,
    )


def unclipped(
    data: Data, _: UserLoss, *, constants: Constants, ledger: Ledger, order: int, **__: Any
) -> Minimum:
    """Return the minimum through means of values that nobody clipped."""
    means = []
    for point in grid(constants.degree, 1):
        messages = ledger.laplace(
            unclipped_values(point, data),
            sensitivity=1.0,
            scale=1 / constants.step_epsilon,
            unit="record",
        )
        means.append(messages.mean())
    return minimum_of(
        np.array(means), degree=constants.degree, dimension=1, order=order, constraint=None
    )


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float = 4000,
    epsilon: float = 4.0,
    order: int = 8,
    degree: int | None = 4,
) -> float:
    """With a given degree the iterate of order 8 has no error of its own to speak of, 4^-9."""
    del rng  # all records are the same
    constants = None if degree is None else Constants(degree, epsilon / (degree + 1))
    return value_error(
        local_bernstein, ledger, n=n, epsilon=epsilon, order=order, constants=constants
    )


def bernstein_mechanism() -> Case:
    """Local Bernstein Mechanism: a Laplace message per user and point of a grid."""
    fixed = partial(along, error=_error, repetitions=20)
    return Case(
        id="diss-5.1.31",
        forms={"corrected": reports_form(statistic=at_zero)},
        scaling=(
            fixed("n", (2e2, 2e3, 2e4, 2e5), -0.5, claim="(5.8) at a fixed k: 1/sqrt(n)"),
            fixed("epsilon", (1, 2, 4, 8, 16, 32), -1.0, claim="(5.8) at a fixed k: 1/epsilon"),
            along(
                "epsilon",
                (1e2, 8e2, 6.4e3, 5.12e4),
                -2 / 3,
                error=_error,
                repetitions=24,
                name="epsilon with its k",
                claim="(5.3): (sqrt(n) epsilon)^(-h/(h+p)), h = 2, p = 1, at k of 3 to 30",
                # a whole k leaves most of the error to the approximation: the root passes unnoticed
                inflation=1.0,
                order=2,
                degree=None,
            ),
        ),
        no_real_data="diss-5.1.30 stands for local reports on real data",
        mutants={
            "clipping dropped": reports_form(unclipped, other=1e6, no_black_box="a mutant"),
            "every point at the whole budget": reports_form(
                step_epsilon=1.0, no_black_box="a mutant"
            ),
        },
    )


BEYOND_BOTH = np.vstack([uniform(10, 11, 2, 0.2, 0.6), [[2.5, -2.0]]])
"""The last user's loss is above 1 everywhere, and is cut."""


def settings() -> tuple[Setting, ...]:
    """Local Bernstein Mechanism."""
    run = partial(arguments_of, local_bernstein)
    line, square = MeanSquaredDistance(1), MeanSquaredDistance(2)
    ends, whole, nine = Constants(1, 0.5), Constants(1, 2.0), Constants(2, 100.0)
    served = {"epsilon": 90.0, "order": 2, "minimiser": SERVER, "constants": Constants(2, 10.0)}
    third, ball = Constants(2, 20.0), InnerBall(0.25)
    return (
        Setting(
            "by-hand",
            "Three users and the two points 0 and 1: a line, whose minimum is at an end.",
            run(np.array([[0.25], [0.5], [0.75]]), line, epsilon=1.0, order=1, constants=ends),
            **OPEN,
        ),
        Setting(
            "middle",
            "Degree and shares of theory, two variables, twice iterated; losses are cut.",
            run(BEYOND_BOTH, square, epsilon=10000.0, order=2),
            seed=2,
            **INSIDE,
        ),
        Setting(
            "one-user",
            "One user, whose answers at the two points are the line.",
            run(np.array([[0.3]]), line, epsilon=4.0, order=1, constants=whole),
            seed=7,
            **OPEN,
        ),
        Setting(
            "two-variables",
            "Nine points of the square, the last coordinate first; three iterations and a ridge.",
            run(CUBE, square, epsilon=900.0, order=3, strength=0.25, constants=nine),
            seed=3,
            **INSIDE,
        ),
        Setting(
            "another-minimiser",
            "The server descends on means over cubes, twenty steps; the gap is a formula as well.",
            run(CUBE, square, **served),
            seed=4,
        ),
        Setting(
            "ball",
            "As before, on a ball around the middle of the square; a ridge.",
            run(CUBE / 2, square, ball, strength=0.5, **served),
            seed=5,
        ),
        Setting(
            "interval",
            "A ball in one variable and the certified minimiser: the minimum is at its end.",
            run(uniform(8, 10, 1, 0.0, 0.2), line, ball, epsilon=60.0, order=1, constants=third),
            seed=6,
            **OPEN,
        ),
    )


CASES = {"diss-5.1.31": bernstein_mechanism}
SETTINGS = {"diss-5.1.31": settings}
