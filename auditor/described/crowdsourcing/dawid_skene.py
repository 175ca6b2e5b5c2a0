"""Private Dawid-Skene (diss-7.1.54): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Form, Integers, Setting, along, form, rate_slope
from auditor.described.data.calls import arguments_of
from auditor.described.data.small_crowdsourcing import crowd, features_as_workers
from reference._validation import FloatArray
from reference.crowdsourcing.dawid_skene import (
    CrowdEstimate,
    private_dawid_skene,
)
from reference.crowdsourcing.majority import majority_vote
from reference.crowdsourcing.one_coin import sample_crowd
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

MARGIN = 0.05
SINGLE = (np.ones((1, 1)), np.zeros((1, 1)))
"""One worker, one task: the label is the flipped answer, so the loss is all of epsilon."""


def deciding_answer(m: int) -> tuple[FloatArray, FloatArray]:
    """Three workers, m tasks; worker 0's answer to task 0 decides its majority."""
    data = np.zeros((3, m))
    data[:, 0] = (1.0, 1.0, 0.0)
    data[1, 1:] = 1.0
    other = data.copy()
    other[0, 0] = 0.0
    return data, other


def _form(function: Any, **options: Any) -> Form:
    return form(
        function,
        deciding_answer(4),
        epsilon=1.0,
        n_iterations=2,
        margin=MARGIN,
        model=Model.LOCAL_ATTRIBUTE,
        domain=Integers((4,)),
        **options,
    )


def raw_start(data: Data, **parameters: Any) -> CrowdEstimate:
    """Start from the majority vote of the raw answers.

    Every release is as before; only the returned value betrays the data.
    """
    return private_dawid_skene(data, initial=majority_vote(data), **parameters)


TASKS = (1e3, 2e3, 4e3, 8e3)


def _ability_rate(m: float) -> float:
    """Return sqrt(log m/m), the rate of Theorem 7.1.3."""
    return math.sqrt(math.log(m) / m)


def _ability_error(rng: np.random.Generator, ledger: Ledger, m: float) -> float:
    """Return max_i |p_hat_i - p*_i| from a start with sqrt(log m/m) of the labels wrong.

    120 good workers: the theorem needs n v >= log m, else wrong labels set a floor.
    """
    abilities = rng.uniform(0.8, 0.95, size=120)
    truth, answers = sample_crowd(abilities, int(m), rng)
    start = truth.copy()
    wrong = int(m * _ability_rate(m))
    start[:wrong] = 1 - start[:wrong]
    estimate = private_dawid_skene(
        answers, initial=start, epsilon=1.0, n_iterations=2, margin=MARGIN, ledger=ledger
    )
    return float(np.max(np.abs(estimate.abilities - abilities)))


WISDOM = math.tanh(0.5) ** 2 * 0.8**2
"""v of workers with ability .9 at epsilon = 1: (7.13)."""


def _label_error(rng: np.random.Generator, ledger: Ledger, bound: float) -> float:
    """Share of wrong labels with n = 2 log(bound)/v workers of ability .9."""
    workers = round(2 * math.log(bound) / WISDOM)
    truth, answers = sample_crowd(np.full(workers, 0.9), 10_000, rng)
    estimate = private_dawid_skene(
        answers, epsilon=1.0, n_iterations=5, margin=MARGIN, ledger=ledger
    )
    return float(np.mean(estimate.labels != truth))


def dawid_skene() -> Case:
    """Private Dawid-Skene: local attribute DP, everything after the flips is post-processing."""
    theorem = "Theorem 7.1.3: max_i |p_hat_i - p*_i| <= 6 sqrt(log m/(m epsilon^2))"
    slope = rate_slope(TASKS, _ability_rate)
    return Case(
        id="diss-7.1.54",
        forms={
            "corrected": _form(
                private_dawid_skene,
                seen=SINGLE,
                statistic=lambda estimate: float(estimate.labels[0]),
            )
        },
        scaling=(
            # -.44: the logarithm counts
            along("m", TASKS, slope, error=_ability_error, repetitions=6, claim=theorem),
            along(
                "bound",
                tuple(math.exp(n * WISDOM / 2) for n in (10, 20, 30, 40)),
                -1.0,
                name="exp(n v/2)",
                error=_label_error,
                repetitions=6,
                claim="Theorem 7.1.2: share of wrong labels <= 2 exp(-n v/2)",
            ),
        ),
        mutants={"raw majority initialisation": _form(raw_start, no_black_box="a mutant")},
        no_clipping="answers are 0 or 1: there is nothing to clip",
    )


def settings() -> tuple[Setting, ...]:
    """Private Dawid-Skene."""
    run = partial(arguments_of, private_dawid_skene, margin=0.1)
    three = [[1, 0, 1, 1], [1, 0, 1, 0], [0, 1, 1, 0]]
    agreeing = [[1, 0, 1, 1, 0, 0], [1, 0, 1, 1, 0, 0], [0, 1, 0, 0, 1, 1]]
    five = [*agreeing, [1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 0, 1]]
    start, tied = [1.0, 0.0, 1.0, 0.5], [1.0, 1.0, 0.0, 0.5]
    two, other = [[1, 1, 0, 1], [1, 1, 0, 0]], [[1, 1, 0, 1, 0], [1, 0, 0, 0, 0]]
    return (
        Setting(
            "by-hand",
            "Three workers, four tasks, a public start, one step: an answer is flipped, and "
            "agreements are kept in [0.15, 0.85].",
            run(three, initial=start, epsilon=1.5, n_iterations=1, margin=0.15),
            seed=5,
        ),
        Setting(
            "middle",
            "Nine workers and no start: it is the vote of the flipped answers. Two steps, in which "
            "labels stay soft.",
            run(crowd(30), epsilon=1.5, n_iterations=2, margin=0.05),
        ),
        Setting(
            "clipped-abilities",
            "Workers who always agree, or never, with the labels: abilities of 0 and 1 would have "
            "infinite weights.",
            run(five, epsilon=6.0, n_iterations=3),
        ),
        Setting(
            "ties",
            "An even number of workers: ties of the vote, and a soft label of exactly 1/2, are 1.",
            run(two, initial=tied, epsilon=8.0, n_iterations=1),
        ),
        Setting(
            "ties-at-the-start",
            "An even number of workers and no start: a tie of the vote starts at 1.",
            run(other, epsilon=8.0, n_iterations=1),
        ),
        Setting(
            "real-data",
            "Nine features of twenty tumours are workers who say whether they are malignant.",
            run(features_as_workers(), epsilon=3.0, n_iterations=2),
        ),
    )


CASES = {"diss-7.1.54": dawid_skene}
SETTINGS = {"diss-7.1.54": settings}
LEFT_OUT = {
    "diss-7.1.54": {
        "order of records": "an ability for each worker",
        "loop": "steps 4-6 are a function of their own, in the same file",
    }
}
