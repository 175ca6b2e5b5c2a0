"""Private majority voting (diss-7.1.majority): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Form, Integers, Setting, along, form
from auditor.described.crowdsourcing.dawid_skene import SINGLE, deciding_answer
from auditor.described.data.small_crowdsourcing import crowd, features_as_workers
from reference._validation import IntArray
from reference.crowdsourcing.majority import majority_vote, private_majority_vote
from reference.crowdsourcing.one_coin import sample_crowd
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger


def _form(function: Any, **options: Any) -> Form:
    return form(
        function,
        deciding_answer(4),
        epsilon=1.0,
        model=Model.LOCAL_ATTRIBUTE,
        domain=Integers((4,)),
        **options,
    )


def raw_vote(data: Data, **parameters: Any) -> IntArray:
    """Return the majority vote of the raw answers; every release is as before."""
    private_majority_vote(data, **parameters)
    return majority_vote(data)


TASKS, ABILITY = 10_000, 0.9


def wisdom(epsilon: float) -> float:
    """Return v of workers of ability .9, (7.13)."""
    return math.tanh(epsilon / 2) ** 2 * (2 * ABILITY - 1) ** 2


def _label_error(rng: np.random.Generator, ledger: Ledger, workers: int, epsilon: float) -> float:
    truth, answers = sample_crowd(np.full(workers, ABILITY), TASKS, rng)
    labels = private_majority_vote(answers, epsilon=epsilon, ledger=ledger)
    return float(np.mean(labels != truth))


def _error_over_workers(rng: np.random.Generator, ledger: Ledger, bound: float) -> float:
    """Share of wrong labels with n = 2 log(bound)/v workers, odd, at epsilon = 1."""
    workers = round(2 * math.log(bound) / wisdom(1.0))
    return _label_error(rng, ledger, workers, 1.0)


def _error_over_epsilon(rng: np.random.Generator, ledger: Ledger, bound: float) -> float:
    """Share of wrong labels of 41 workers at the epsilon for which exp(n v/2) is the bound."""
    share = math.sqrt(2 * math.log(bound) / 41) / (2 * ABILITY - 1)
    return _label_error(rng, ledger, 41, 2 * math.atanh(share))


def majority() -> Case:
    """Private majority voting: local attribute DP, the vote is post-processing."""
    recipe = partial(
        along,
        "bound",
        slope=-1.0,
        repetitions=6,
        claim="Hoeffding: equally able workers err on a share <= exp(-n v/2) of the tasks",
    )
    return Case(
        id="diss-7.1.majority",
        forms={
            "corrected": _form(
                private_majority_vote, seen=SINGLE, statistic=lambda labels: float(labels[0])
            )
        },
        scaling=(
            recipe(
                tuple(math.exp(n * wisdom(1.0) / 2) for n in (11, 21, 31, 41)),
                name="exp(n v/2) over n",
                error=_error_over_workers,
            ),
            recipe(
                tuple(math.exp(41 * wisdom(epsilon) / 2) for epsilon in (0.5, 0.7, 0.9, 1.1)),
                name="exp(n v/2) over epsilon",
                error=_error_over_epsilon,
            ),
        ),
        mutants={"vote of the raw answers": _form(raw_vote, no_black_box="a mutant")},
        no_clipping="answers are 0 or 1: there is nothing to clip",
    )


def settings() -> tuple[Setting, ...]:
    """Private majority voting."""
    return (
        Setting(
            "by-hand",
            "Four workers and three tasks; some answers are flipped, and one vote is a tie.",
            {
                "data": np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [1, 0, 0]]),
                "epsilon": 1.0,
            },
        ),
        Setting(
            "middle",
            "Nine workers: no ties, many answers are flipped.",
            {"data": crowd(24), "epsilon": 0.5},
        ),
        Setting(
            "real-data",
            "Nine features of twenty tumours vote on whether they are malignant.",
            {"data": features_as_workers(), "epsilon": 2.0},
        ),
    )


CASES = {"diss-7.1.majority": majority}
SETTINGS = {"diss-7.1.majority": settings}
