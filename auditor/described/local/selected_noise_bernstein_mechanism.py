"""The Local Bernstein Mechanism by GenProt (diss-5.1.37): audit and settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, Setting, along, form
from auditor.described.data.calls import arguments_of
from auditor.described.data.risks import SQUARE, level_error, server, unclipped_values
from auditor.described.data.small_local import BUMPY, CUBE, FOUR, OPEN, SERVER
from auditor.described.data.vectors import one_record
from reference.errata.local import selected_noise_bernstein_mechanism as errata
from reference.local.bernstein import Minimum
from reference.local.one_bit_bernstein_mechanism import bit_probability
from reference.local.risks import InnerBall, MeanSquaredDistance, UserLoss
from reference.local.selected_noise_bernstein_mechanism import (
    Constants,
    constants_for,
    log_probabilities,
    selected_noise_bernstein,
)
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

CANDIDATES = 10
NUMBERS = [2.0, *[-1.0] * (CANDIDATES - 1)]
"""Public numbers: a user with v = 1 is likelier by 1.98 base epsilons to send the first index
than one with v = 0; the other way round it would be 2, of an index that is sent less often."""
OTHERS = 20
OTHER_NUMBERS = [*[1.9] * (CANDIDATES // 2), *[-0.9] * (CANDIDATES // 2)]
"""Public numbers of users at w = 1.

Their mean lies between those of user 0. Such a user sends 20 indices of unequal probabilities a
run, which soon shows the samplers a wrong law.
"""


def _first_index(found: Minimum) -> float:
    """Return 1 where user 0 sent its first index: then the mean at w = 0 is 2, and not least."""
    return float(found.point[0] > 0.5)


def _form(
    function: Callable[..., Any] = selected_noise_bernstein,
    *,
    pair: tuple[float, float] = (1.0, 0.0),
    **options: Any,
) -> Form:
    """User 0 is asked at w = 0, all others at w = 1."""
    return form(
        function,
        one_record(1 + OTHERS, [pair[0]], [pair[1]]),
        SQUARE,
        epsilon=1.0,
        order=1,
        public_noise=[NUMBERS, *[OTHER_NUMBERS] * OTHERS],
        partition=[0, *[1] * OTHERS],
        constants=Constants(1, CANDIDATES, 0.25),
        model=Model.LOCAL,
        statistic=_first_index,
        domain=Everything((1,)),
        **options,
    )


def unclipped(
    data: Data, _: UserLoss, *, epsilon: float, constants: Constants, ledger: Ledger, **public: Any
) -> Minimum:
    """Return the minimum from indices that users chose by losses nobody clipped."""
    noise, partition = np.asarray(public["public_noise"]), public["partition"]
    values = unclipped_values(np.asarray(partition)[:, None] / constants.degree, data)
    chances = np.minimum(bit_probability(values[:, None], noise, constants.base_epsilon), 0.99)
    indices = ledger.selections(
        log_probabilities(chances), sensitivity=epsilon / 2, epsilon=epsilon
    )
    return server(noise[np.arange(1 + OTHERS), indices], partition, degree=constants.degree)


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float = 2000,
    epsilon: float = 1.0,
    factor: float = 1.0,
    function: Callable[..., Minimum] = selected_noise_bernstein,
) -> float:
    """Return the error of the minimum of a flat risk, from 8 candidates on five points."""
    del rng  # all records are the same
    computed = constants_for(n=1, dimension=1, epsilon=epsilon, order=1, failure_probability=0.05)
    constants = Constants(4, 8, computed.base_epsilon / factor)
    return level_error(function, ledger, n=n, epsilon=epsilon, constants=constants)


def selected_noise_bernstein_mechanism() -> Case:
    """One index per user, of a public number."""
    recipe = partial(
        along, error=_error, repetitions=20, claim="(5.8) at a fixed k: 1/(sqrt(n) epsilon)"
    )
    sizes = (1.25e2, 5e2, 2e3, 8e3)
    return Case(
        id="diss-5.1.37",
        forms={
            "corrected": _form(),
            "printed-index": _form(errata.printed_index, no_black_box="its server has no use"),
            "printed-factor": _form(errata.printed_factor, no_black_box="its server has no use"),
        },
        scaling=(
            recipe("n", sizes, -0.5),
            recipe(
                "epsilon", (0.01, 0.02, 0.04, 0.08, 0.16, 0.32), -1.0, inflates="the public noise"
            ),
            *(
                recipe("n", sizes, -0.5, form=name, erratum=erratum, function=function)
                for name, erratum, function in (
                    ("printed-index", "diss-5.1.37/E1", errata.printed_index),
                    ("printed-factor", "diss-5.1.37/E2", errata.printed_factor),
                )
            ),
        ),
        no_real_data="diss-5.1.30 stands for local reports on real data",
        mutants={"clipping dropped": _form(unclipped, pair=(3.0, 0.0), no_black_box="a mutant")},
    )


def settings() -> tuple[Setting, ...]:
    """Local Bernstein Mechanism by GenProt."""
    run = partial(arguments_of, selected_noise_bernstein)
    line, square = MeanSquaredDistance(1), MeanSquaredDistance(2)
    given = {
        "public_noise": np.array([[1.5, 0.25], [-0.5, 0.75], [0.25, -4.0], [-2.0, 1.0]]),
        "partition": np.array([0, 1, 1, 0]),
        "constants": Constants(1, 2, 0.25),
    }
    three, one = Constants(2, 3, 0.25), Constants(1, 1, 0.125)
    return (
        Setting(
            "by-hand",
            "Four users with two public numbers each, two users at each end of [0, 1].",
            run(FOUR, line, epsilon=1.0, order=1, **given),
            seed=2,
            **OPEN,
        ),
        Setting(
            "middle",
            "The degree and the number of candidates of theory; partition and numbers are drawn.",
            run(BUMPY, line, epsilon=0.5, order=1),
            seed=3,
            **OPEN,
        ),
        Setting(
            "twice-iterated",
            "Three points, twice iterated, on a part of the interval, at whose end the minimum is; "
            "numbers are drawn.",
            run(BUMPY, line, InnerBall(0.25), epsilon=2.0, order=2, constants=three),
            seed=4,
            **OPEN,
        ),
        Setting(
            "one-candidate",
            "One candidate: there is nothing to choose; the server descends.",
            run(CUBE, square, epsilon=1.0, order=2, minimiser=SERVER, constants=one),
            seed=5,
        ),
    )


CASES = {"diss-5.1.37": selected_noise_bernstein_mechanism}
SETTINGS = {"diss-5.1.37": settings}
LEFT_OUT = {"diss-5.1.37": {"loop": "over users, who are axis 0"}}
