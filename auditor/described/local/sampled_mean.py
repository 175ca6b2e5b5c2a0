"""LDP-AVG in p dimensions (diss-5.1-LDPAVGvec): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, Setting, along, form
from auditor.described.data.small_local import uniform
from auditor.described.data.vectors import one_record
from reference._validation import FloatArray
from reference.local.sampled_mean import local_vector_mean
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

CLAIM = "Lemma 5.1.6: max_j |a_j - mean_j| = O(b p sqrt(log(p/beta))/(sqrt(n) epsilon))"


def _form(function: Any = local_vector_mean, **options: Any) -> Form:
    """Two users, the first of whom sends coordinate 0: its message is what is seen of it."""
    return form(
        function,
        one_record(2, [0.0, -1e6], [1e6, 1e6]),
        epsilon=1.0,
        upper=1.0,
        partition=[0, 1],
        model=Model.LOCAL,
        domain=Everything((2,)),
        **options,
    )


def unclipped(
    data: Data, *, epsilon: float, upper: float, partition: Any, ledger: Ledger
) -> FloatArray:
    """Return the means of messages that nobody clipped."""
    chosen = data[np.arange(len(data)), partition]
    return ledger.laplace(chosen, sensitivity=upper, scale=upper / epsilon, unit="record")


def all_coordinates(
    data: Data, *, epsilon: float, upper: float, partition: Any, ledger: Ledger
) -> FloatArray:
    """Return the mean of messages with every coordinate, each at the whole budget."""
    del partition
    vectors = np.clip(data, 0.0, upper)
    messages = ledger.laplace(vectors, sensitivity=upper, scale=upper / epsilon, unit="record")
    mean: FloatArray = messages.mean(axis=0)
    return mean


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float = 3200,
    p: float = 4,
    epsilon: float = 0.5,
) -> float:
    """Return the largest error where all vectors are zero: noise alone, as for small epsilon."""
    del rng  # the data are fixed
    mean = local_vector_mean(np.zeros((int(n), int(p))), epsilon=epsilon, upper=1.0, ledger=ledger)
    return float(np.abs(mean).max())


def sampled_mean() -> Case:
    """LDP-AVG in p dimensions: one coordinate per user."""
    recipe = partial(along, error=_error, repetitions=20, claim=CLAIM)
    return Case(
        id="diss-5.1-LDPAVGvec",
        forms={
            # the first message is flat outside [0, b]
            "corrected": _form(statistic=lambda mean: -min(max(float(mean[0]), 0.0), 1.0)),
        },
        scaling=(
            recipe("n", (1e2, 1e3, 1e4, 1e5), -0.5),
            # the error grows like sqrt(p log p): noise sqrt(p) times as large would be as claimed
            recipe("p", (2, 4, 8, 16, 32, 64), 1.0, inflation=1.0),
            recipe("epsilon", (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), -1.0),
        ),
        no_real_data="diss-5.1.30 stands for local reports on real data",
        mutants={
            "clipping dropped": _form(unclipped, no_black_box="a mutant"),
            "all coordinates at the whole budget": _form(all_coordinates, no_black_box="a mutant"),
        },
    )


def settings() -> tuple[Setting, ...]:
    """LDP-AVG in p dimensions."""
    return (
        Setting(
            "by-hand",
            "Three users and two coordinates; the first and the last send the second.",
            {
                "data": np.array([[0.5, 2.0], [-1.0, 0.5], [0.25, 0.75]]),
                "epsilon": 1.0,
                "upper": 1.0,
                "partition": np.array([1, 0, 1]),
            },
        ),
        Setting(
            "middle",
            "A partition that is drawn and published: parts of 7 and 6 users.",
            {"data": uniform(2, 20, 3, -0.5, 1.5), "epsilon": 0.5, "upper": 1.0},
            seed=2,
        ),
    )


CASES = {"diss-5.1-LDPAVGvec": sampled_mean}
SETTINGS = {"diss-5.1-LDPAVGvec": settings}
