"""1-dim LDP-AVG (diss-5.1.30): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, Setting, along, form, real_data
from auditor.described.data import fair
from auditor.described.data.small_local import uniform
from auditor.described.data.vectors import one_record, relative_error, replaced_by
from reference._validation import FloatArray
from reference.local.laplace_mean import local_mean
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

CLAIM = "Lemma 5.1.1: |a - mean| = O(b sqrt(log(1/beta))/(sqrt(n) epsilon))"


def _form(function: Any, **options: Any) -> Form:
    return form(
        function,
        one_record(3, 0.0, 1e6),
        epsilon=1.0,
        upper=1.0,
        model=Model.LOCAL,
        domain=Everything(()),
        **options,
    )


def unclipped(data: Data, *, epsilon: float, upper: float, ledger: Ledger) -> float:
    """Return the mean of messages that nobody clipped."""
    messages = ledger.laplace(data, sensitivity=upper, scale=upper / epsilon, unit="record")
    return float(messages.mean())


def _error(
    rng: np.random.Generator, ledger: Ledger, *, n: float = 1e3, epsilon: float = 1.0
) -> float:
    return abs(local_mean(np.zeros(int(n)), epsilon=epsilon, upper=1.0, ledger=ledger))


def laplace_mean() -> Case:
    """Describe 1-dim LDP-AVG: one Laplace message per user."""
    recipe = partial(along, error=_error, repetitions=40, claim=CLAIM)
    return Case(
        id="diss-5.1.30",
        forms={
            "corrected": _form(
                local_mean,
                # one user: the likelihood ratio of the message is flat outside [0, b]
                seen=one_record(1, 0.0, 1e6),
                statistic=lambda message: -min(max(message, 0.0), 1.0),
            )
        },
        scaling=(
            recipe("n", (1e2, 1e3, 1e4, 1e5), -0.5),
            recipe("epsilon", (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), -1.0),
        ),
        real_data=(
            real_data(
                local_mean,
                upper=fair.OLDEST,
                model=Model.LOCAL,
                name="fair (statsmodels), age",
                load=lambda: fair.column("age"),
                neighbour=replaced_by(0.0, fair.OLDEST),
                baseline=lambda data: float(data.mean()),
                error=relative_error,
                epsilons=(0.1, 0.3, 1.0, 3.0),
                metric="relative error of the mean age",
            ),
        ),
        mutants={"clipping dropped": _form(unclipped, no_black_box="a mutant")},
    )


def numbers(seed: int, n: int) -> FloatArray:
    """Draw numbers, some of which are outside [0, 1]."""
    found: FloatArray = uniform(seed, n, 1, -0.25, 1.25)[:, 0]
    return found


def settings() -> tuple[Setting, ...]:
    """Return the settings of 1-dim LDP-AVG."""
    return (
        Setting(
            "by-hand",
            "Three users, two of whose numbers are cut to 0 and 1.",
            {"data": np.array([-0.5, 0.25, 2.0]), "epsilon": 1.0, "upper": 1.0},
        ),
        Setting(
            "middle",
            "Numbers on both sides of [0, b], b = 0.8.",
            {"data": numbers(1, 40), "epsilon": 0.5, "upper": 0.8},
            seed=2,
        ),
        Setting(
            "one-user",
            "One user: the mean is the message.",
            {"data": np.array([0.3]), "epsilon": 2.0, "upper": 4.0},
            seed=3,
        ),
    )


CASES = {"diss-5.1.30": laplace_mean}
SETTINGS = {"diss-5.1.30": settings}
LEFT_OUT = {"diss-5.1.30": {"loop": "over users, who are axis 0"}}
