"""How 1-dim LDP-AVG (diss-5.1.30) is audited."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor.cases.build import along, form, real_data
from auditor.cases.data import fair
from auditor.core.case import Case, Data, Form
from auditor.core.neighbours import Everything, replace_record
from reference._validation import FloatArray
from reference.local.laplace_mean import local_mean
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

CLAIM = "Lemma 5.1.1: |a - mean| = O(b sqrt(log(1/beta))/(sqrt(n) epsilon))"


def one_user(n: int) -> tuple[FloatArray, FloatArray]:
    """Return n users at 0, and the same with the first far above b."""
    data = np.zeros(n)
    other = data.copy()
    other[0] = 1e6
    return data, other


def _form(function: Any, **options: Any) -> Form:
    return form(
        function,
        one_user(3),
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


def _error(rng: np.random.Generator, *, n: float = 1e3, epsilon: float = 1.0) -> float:
    return abs(local_mean(np.zeros(int(n)), epsilon=epsilon, upper=1.0, ledger=Ledger(rng)))


def _extreme_age(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    index = int(rng.integers(len(data)))
    return replace_record(data, index, rng.choice([0.0, fair.OLDEST])), index


def laplace_mean() -> Case:
    """1-dim LDP-AVG: one Laplace message per user."""
    recipe = partial(along, error=_error, repetitions=40, claim=CLAIM)
    return Case(
        id="diss-5.1.30",
        forms={
            "corrected": _form(
                local_mean,
                # one user: the likelihood ratio of the message is flat outside [0, b]
                seen=one_user(1),
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
                neighbour=_extreme_age,
                baseline=lambda data: float(data.mean()),
                error=lambda private, baseline: abs(private - baseline) / baseline,
                epsilons=(0.1, 0.3, 1.0, 3.0),
                metric="relative error of the mean age",
            ),
        ),
        mutants={"clipping dropped": _form(unclipped, no_black_box="a mutant")},
    )


CASES = {"diss-5.1.30": laplace_mean}
