"""Randomised response (diss-2.randomized-response): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Choice, Data, Form, Setting, along, averaged, form, root_mean_square
from auditor.described.data.vectors import one_record
from reference.basic.randomized_response import Responses, randomized_response
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger


def _form(function: Any = randomized_response, **options: Any) -> Form:
    """On a bit that is turned."""
    return form(
        function,
        one_record(3, 0.0, 1.0),
        epsilon=1.0,
        model=Model.LOCAL,
        domain=Choice((0.0, 1.0)),
        **options,
    )


def reported_twice(data: Data, *, epsilon: float, ledger: Ledger) -> float:
    """Return the mean of two reports a user, each at the whole budget."""
    return sum(randomized_response(data, epsilon=epsilon, ledger=ledger).mean for _ in range(2)) / 2


def _error(
    rng: np.random.Generator, ledger: Ledger, *, n: float = 1e3, epsilon: float = 0.5
) -> float:
    """Return the error of the mean of zeros; reports at a smaller epsilon would move it to 1/2."""
    return abs(randomized_response(np.zeros(int(n)), epsilon=epsilon, ledger=ledger).mean)


def response() -> Case:
    """Report one bit per user; the variance is exact."""
    recipe = partial(
        along,
        error=averaged(_error, 10, root_mean_square),
        repetitions=8,
        claim="variance e^epsilon/((e^epsilon - 1)^2 n)",
    )
    return Case(
        id="diss-2.randomized-response",
        forms={
            "corrected": _form(
                seen=one_record(1, 0.0, 1.0),
                statistic=lambda found: -float(_report(found)),
            )
        },
        scaling=(
            recipe("n", (1e2, 1e3, 1e4, 1e5), -0.5),
            # below 1, where sqrt(variance) is 1/epsilon up to 4%
            recipe("epsilon", (0.0625, 0.125, 0.25, 0.5, 1.0), -1.0),
        ),
        no_real_data="diss-5.1.30 stands for local reports on real data",
        mutants={"every user reports twice": _form(reported_twice, no_black_box="a mutant")},
    )


def _report(found: Responses) -> int:
    return int(found.reports[0])


def settings() -> tuple[Setting, ...]:
    """Randomised response."""
    bits = np.random.default_rng(1).integers(0, 2, 30)
    return (
        Setting(
            "by-hand",
            "Four users, some of whom lie.",
            {"data": np.array([1, 0, 1, 1]), "epsilon": 1.0},
        ),
        Setting(
            "middle",
            "Thirty users.",
            {"data": bits, "epsilon": 1.5},
        ),
        Setting(
            "small-epsilon",
            "Truth and lie are nearly as probable; the estimate keeps its digits all the same.",
            {"data": bits[:9], "epsilon": 1e-10},
        ),
        Setting(
            "mean-above-1",
            "Everybody reports 1: the estimate exceeds 1 and stays as it is.",
            {"data": np.ones(4, dtype=np.int64), "epsilon": 4.0},
        ),
    )


CASES = {"diss-2.randomized-response": response}
SETTINGS = {"diss-2.randomized-response": settings}
LEFT_OUT = {"diss-2.randomized-response": {"order of records": "a report for each record"}}
