"""The one-bit Local Bernstein Mechanism (diss-5.1.32): audit and settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, Setting, along, form
from auditor.described.data.calls import arguments_of
from auditor.described.data.risks import SQUARE, level_error, server, unclipped_values
from auditor.described.data.small_local import BUMPY, CUBE, FOUR, OPEN, SERVER, uniform
from auditor.described.data.vectors import one_record
from reference.errata.local import one_bit_bernstein_mechanism as errata
from reference.local.bernstein import Minimum
from reference.local.one_bit_bernstein_mechanism import (
    Constants,
    constants_for,
    one_bit_bernstein,
)
from reference.local.risks import InnerBall, MeanSquaredDistance, UserLoss
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

EPSILON = 0.5
"""An epsilon below ln 2, for which the printed loss is infinite."""
CLAIM = "(5.8) at a fixed k: 1/(sqrt(n) epsilon)"


def _constants(epsilon: float, degree: int) -> Constants:
    computed = constants_for(n=1, dimension=1, epsilon=epsilon, order=1, failure_probability=0.05)
    return Constants(degree, computed.bit_epsilon)


def _bit_is_zero(found: Minimum) -> float:
    """Return 1 where user 0 sent 0: then the mean at w = 0 is 0, and least; else it is positive."""
    return float(found.point[0] < 0.5 and found.value < 0.5)


def _form(
    function: Callable[..., Any] = one_bit_bernstein,
    *,
    other: float = 1.0,
    constants: Constants | None = None,
    **options: Any,
) -> Form:
    """User 0 is asked at w = 0, with the public noise 2, where a bit of 0 tells most."""
    return form(
        function,
        one_record(2, [0.0], [other]),
        SQUARE,
        epsilon=EPSILON,
        order=1,
        public_noise=[2.0, 3.0],
        partition=[0, 1],
        constants=constants or _constants(EPSILON, 1),
        model=Model.LOCAL,
        statistic=_bit_is_zero,
        domain=Everything((1,)),
        **options,
    )


def unclipped(
    data: Data, _: UserLoss, *, epsilon: float, constants: Constants, ledger: Ledger, **public: Any
) -> Minimum:
    """Return the minimum from bits whose probabilities are cut, but not the users' losses."""
    noise, partition = np.asarray(public["public_noise"]), public["partition"]
    values = unclipped_values(np.asarray(partition)[:, None] / constants.degree, data)
    log_ratio = constants.bit_epsilon * (np.abs(noise) - np.abs(noise - values))
    probability = np.clip(np.exp(log_ratio) / 2, 0.0, 1.0)
    bits = ledger.bit(probability, epsilon=epsilon, unit="record")
    return server(2 * noise * bits, partition, degree=constants.degree)


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float = 4000,
    epsilon: float = 3.0,
    factor: float = 1.0,
    function: Callable[..., Minimum] = one_bit_bernstein,
) -> float:
    """Return the error of the minimum of a flat risk: linear in the noise, whatever its size."""
    del rng  # all records are the same
    computed = _constants(epsilon, 4)
    constants = Constants(computed.degree, computed.bit_epsilon / factor)
    return level_error(function, ledger, n=n, epsilon=epsilon, constants=constants)


def one_bit_bernstein_mechanism() -> Case:
    """One bit per user: whether it would have sent the public number."""
    recipe = partial(along, error=_error, repetitions=20, claim=CLAIM)
    return Case(
        id="diss-5.1.32",
        forms={
            "corrected": _form(),
            "printed": _form(
                errata.printed,
                violates=dict.fromkeys(
                    ("sensitivity", "privacy_loss", "black_box"), "diss-5.1.32/E1"
                ),
            ),
        },
        scaling=(
            recipe("n", (1e3, 4e3, 1.6e4, 6.4e4), -0.5),
            # epsilon_0 is epsilon (1 - epsilon + ..): 1/epsilon is the rate for small epsilon,
            # where the noise is so large that a bias of the bits would pass unnoticed
            recipe(
                "epsilon",
                (0.001, 0.002, 0.004, 0.008, 0.016, 0.032),
                -1.0,
                inflates="the public noise",
            ),
            recipe(
                "n",
                (1e3, 4e3, 1.6e4, 6.4e4),
                -0.5,
                form="printed",
                erratum="diss-5.1.32/E2",
                epsilon=0.5,
                function=errata.printed,
            ),
        ),
        no_real_data="diss-5.1.30 stands for local reports on real data",
        mutants={"clipping dropped": _form(unclipped, other=3.0, no_black_box="a mutant")},
    )


def settings() -> tuple[Setting, ...]:
    """One-bit Local Bernstein Mechanism."""
    run = partial(arguments_of, one_bit_bernstein)
    line, half = MeanSquaredDistance(1), Constants(1, 0.5)
    given = {
        "public_noise": np.array([1.5, -0.5, 0.25, -2.0]),
        "partition": np.array([0, 1, 1, 0]),
        "constants": half,
    }
    part = {
        "public_noise": uniform(9, 15, 1, -2.0, 2.0)[:, 0],
        "constants": Constants(2, 0.5),
    }
    return (
        Setting(
            "by-hand",
            "Four users, two at each end of [0, 1], with public numbers that are given.",
            run(FOUR, line, epsilon=1.0, order=1, **given),
            seed=2,
            version=2,
            **OPEN,
        ),
        Setting(
            "middle",
            "The degree of theory; partition and numbers are drawn and published, in this order.",
            run(BUMPY, line, epsilon=2.0, order=1, failure_probability=0.9),
            seed=3,
            version=2,
            **OPEN,
        ),
        Setting(
            "twice-iterated",
            "Three points, twice iterated, on a part of the interval, at whose end the minimum is; "
            "numbers are given.",
            run(BUMPY, line, InnerBall(0.25), epsilon=1.0, order=2, **part),
            seed=9,
            version=2,
            **OPEN,
        ),
        Setting(
            "two-variables",
            "Four points of the square, the last coordinate first; the server descends.",
            run(
                CUBE,
                MeanSquaredDistance(2),
                epsilon=1.0,
                order=2,
                minimiser=SERVER,
                constants=half,
            ),
            seed=5,
            version=2,
        ),
    )


CASES = {"diss-5.1.32": one_bit_bernstein_mechanism}
SETTINGS = {"diss-5.1.32": settings}
RAISED = {"diss-5.1.32": {"constants": 1}}
LEFT_OUT = {"diss-5.1.32": {"loop": "over users, who are axis 0"}}
