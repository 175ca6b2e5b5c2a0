"""The Local Bernstein Mechanism with a ridge (diss-5.1-pop): audit and settings."""

from __future__ import annotations

from functools import partial

import numpy as np

from auditor import Case, Setting, along
from auditor.described.data.calls import arguments_of
from auditor.described.data.risks import OPTIMUM, SQUARE, at_zero
from auditor.described.data.small_local import CUBE, INSIDE, SERVER, uniform
from auditor.described.local.bernstein_mechanism import reports_form
from reference.local.bernstein_mechanism import Constants
from reference.local.population_bernstein_mechanism import (
    population_local_bernstein,
    ridge_strength,
)
from reference.local.risks import InnerBall, MeanSquaredDistance
from reference.privacy.ledger import Ledger


def _error(
    rng: np.random.Generator, ledger: Ledger, *, n: float = 4000, epsilon: float = 4.0
) -> float:
    """Return by how much the least value is off that of the risk with the ridge."""
    del rng  # all records are the same
    mu = ridge_strength(int(n))
    found = population_local_bernstein(
        np.full((int(n), 1), OPTIMUM),
        SQUARE,
        epsilon=epsilon,
        order=8,
        constants=Constants(4, epsilon / 5),
        ledger=ledger,
    )
    return abs(found.value - OPTIMUM**2 * mu / (2 + mu))


def population_bernstein_mechanism() -> Case:
    """Local Bernstein Mechanism with a ridge of the server's."""
    recipe = partial(along, error=_error, repetitions=20)
    return Case(
        id="diss-5.1-pop",
        forms={"corrected": reports_form(population_local_bernstein, statistic=at_zero)},
        scaling=(
            recipe("n", (2e2, 2e3, 2e4, 2e5), -0.5, claim="(5.8) at a fixed k, with the ridge"),
            recipe("epsilon", (1, 2, 4, 8, 16, 32), -1.0, claim="(5.8) at a fixed k"),
        ),
        no_real_data="diss-5.1.30 stands for local reports on real data",
        mutants={
            "every point at the whole budget": reports_form(
                population_local_bernstein, step_epsilon=1.0, no_black_box="a mutant"
            )
        },
    )


BEYOND = np.vstack([uniform(6, 11, 1, 0.5, 0.9), [[2.5]]])
"""The last user's loss is above 1 at 0 and at 1, and is cut."""


def settings() -> tuple[Setting, ...]:
    """Local Bernstein Mechanism for the population risk."""
    run = partial(arguments_of, population_local_bernstein)
    line, square = MeanSquaredDistance(1), MeanSquaredDistance(2)
    ends, whole = Constants(1, 0.5), Constants(1, 2.0)
    served = {"epsilon": 90.0, "order": 2, "minimiser": SERVER, "constants": Constants(2, 10.0)}
    return (
        Setting(
            "by-hand",
            "Two users and the points 0 and 1: a line, and a ridge of weight 2^(-1/12).",
            run(np.array([[0.25], [0.75]]), line, epsilon=1.0, order=1, constants=ends),
            seed=6,
            **INSIDE,
        ),
        Setting(
            "middle",
            "The degree and the shares of theory.",
            run(BEYOND, line, epsilon=400.0, order=2),
            seed=2,
            **INSIDE,
        ),
        Setting(
            "one-user",
            "One user, whose answers at the two points are a line; the ridge has weight 1.",
            run(np.array([[0.3]]), line, epsilon=4.0, order=1, constants=whole),
            seed=4,
            **INSIDE,
        ),
        Setting(
            "ball",
            "A ball around the middle of the square, where the server descends twenty steps.",
            run(CUBE, square, InnerBall(0.25), **served),
            seed=5,
        ),
    )


CASES = {"diss-5.1-pop": population_bernstein_mechanism}
SETTINGS = {"diss-5.1-pop": settings}
