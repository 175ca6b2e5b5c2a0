"""How the Local Bernstein Mechanism with a ridge (diss-5.1-pop) is audited."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Everything, Form, along, form
from auditor.described.data.risks import OPTIMUM, SQUARE, at_zero
from auditor.described.data.vectors import one_record
from reference.local.bernstein_mechanism import Constants
from reference.local.population_bernstein_mechanism import (
    population_local_bernstein,
    ridge_strength,
)
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


CASES = {"diss-5.1-pop": population_bernstein_mechanism}
