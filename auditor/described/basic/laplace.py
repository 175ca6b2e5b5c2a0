"""The Laplace mechanism (diss-2.laplace): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Everything, Form, Setting, along, form
from auditor.described.data.small_basic import FEW, FEW_CUT, USUAL, unclipped
from auditor.described.data.vectors import one_record
from reference.basic.laplace import laplace_mechanism
from reference.privacy.ledger import Ledger


def _form(bound: float = 1.0, **options: Any) -> Form:
    """On a record at opposite ends in both entries, which spends all of epsilon."""
    return form(
        laplace_mechanism,
        one_record(3, [bound, bound], [-bound, -bound]),
        epsilon=1.0,
        bound=bound,
        domain=Everything((2,)),
        **options,
    )


def _error(
    rng: np.random.Generator, ledger: Ledger, *, epsilon: float = 1.0, p: float = 4.0
) -> float:
    """Return the mean size of the noise of 200 releases, over the entries."""
    zeros = np.zeros((1, int(p)))
    noise = [
        laplace_mechanism(zeros, epsilon=epsilon, bound=0.5, ledger=ledger) for _ in range(200)
    ]
    return float(np.abs(noise).mean(axis=1).mean())


def laplace() -> Case:
    """Release a sum of two bounded entries a record."""
    recipe = partial(along, error=_error, repetitions=8, claim="E|Y_i| = Delta_1/epsilon")
    return Case(
        id="diss-2.laplace",
        forms={"corrected": _form(statistic=lambda total: float(total.min()))},
        scaling=(
            recipe("epsilon", (0.25, 0.5, 1.0, 2.0, 4.0), -1.0),
            recipe("p", (1.0, 2.0, 4.0, 8.0, 16.0), 1.0),
        ),
        no_real_data="diss-5.1.30 stands for Laplace noise on real data",
        mutants=unclipped(_form),
    )


def settings() -> tuple[Setting, ...]:
    """Laplace mechanism."""
    return (
        Setting(
            "by-hand",
            "Three records of two entries, one of which is cut at 1: Delta = 2 * 2 * 1.",
            {"data": FEW, "epsilon": 2.0, "bound": 1.0},
            noiseless=FEW_CUT.sum(axis=0),
        ),
        Setting(
            "middle",
            "A usual sum of four entries, a third of them cut.",
            {"data": USUAL, "epsilon": 1.0, "bound": 1.0},
        ),
        Setting(
            "one-record",
            "A single record of one entry, at the bound.",
            {"data": np.array([[0.3]]), "epsilon": 0.1, "bound": 0.3},
        ),
    )


CASES = {"diss-2.laplace": laplace}
SETTINGS = {"diss-2.laplace": settings}
