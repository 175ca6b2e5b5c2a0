"""The Local Bernstein Mechanism with a ridge (diss-5.1-pop): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Everything, Form, Setting, along, form
from auditor.described.data.risks import OPTIMUM, SQUARE, at_zero
from auditor.described.data.small_local import CUBE, INSIDE, OPEN, SERVER, uniform
from auditor.described.data.vectors import one_record
from reference.local import bernstein_mechanism
from reference.local.bernstein_mechanism import Constants
from reference.local.population_bernstein_mechanism import (
    population_local_bernstein,
    ridge_strength,
)
from reference.local.risks import InnerBall, MeanSquaredDistance
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger


def _form(*, step_epsilon: float = 0.5, **options: Any) -> Form:
    """Take the pair of diss-5.1.31: the reports are the same."""
    return form(
        population_local_bernstein,
        one_record(3, [0.0], [1.0]),
        SQUARE,
        epsilon=1.0,
        order=1,
        constants=Constants(1, step_epsilon),
        model=Model.LOCAL,
        seen=one_record(1, [0.0], [1.0]),
        domain=Everything((1,)),
        **options,
    )


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
        forms={"corrected": _form(statistic=at_zero)},
        scaling=(
            recipe("n", (2e2, 2e3, 2e4, 2e5), -0.5, claim="(5.8) at a fixed k, with the ridge"),
            recipe("epsilon", (1, 2, 4, 8, 16, 32), -1.0, claim="(5.8) at a fixed k"),
        ),
        no_real_data="diss-5.1.30 stands for local reports on real data",
        mutants={
            "every point at the whole budget": _form(step_epsilon=1.0, no_black_box="a mutant")
        },
    )


BEYOND = np.vstack([uniform(6, 11, 1, 0.5, 0.9), [[2.5]]])
"""The last user's loss is above 1 at 0 and at 1, and is cut."""


def settings() -> tuple[Setting, ...]:
    """Local Bernstein Mechanism for the population risk."""
    kind = bernstein_mechanism.Constants
    return (
        Setting(
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
            tolerance=1e-4,
            because=INSIDE,
            left_open=OPEN,
        ),
        Setting(
            "middle",
            "The degree and the shares of theory.",
            {
                "data": BEYOND,
                "loss": MeanSquaredDistance(1),
                "epsilon": 400.0,
                "order": 2,
            },
            seed=2,
            tolerance=1e-4,
            because=INSIDE,
            left_open=OPEN,
        ),
        Setting(
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
            tolerance=1e-4,
            because=INSIDE,
            left_open=OPEN,
        ),
        Setting(
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
        ),
    )


CASES = {"diss-5.1-pop": population_bernstein_mechanism}
SETTINGS = {"diss-5.1-pop": settings}
