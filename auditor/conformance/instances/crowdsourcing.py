"""Cases of the crowdsourcing algorithms."""

from __future__ import annotations

import numpy as np

from auditor.conformance.instance import Instance
from auditor.described.data.mixtures import tumours
from reference._validation import IntArray
from reference.crowdsourcing.one_coin import sample_crowd

MAJORITY = "reference.crowdsourcing.majority"


def crowd(n_tasks: int) -> IntArray:
    """Return answers of nine workers: an expert, two spammers, one who is mostly wrong."""
    abilities = np.array([0.95, 0.8, 0.7, 0.7, 0.6, 0.6, 0.5, 0.5, 0.25])
    return sample_crowd(abilities, n_tasks, np.random.default_rng(1))[1]


def features_as_workers() -> IntArray:
    """Return what nine features of twenty tumours say: beyond the midpoint of the classes or not.

    Of scikit-learn's breast cancer data.
    """
    return np.asarray(tumours().data[:20, :9].T > 0, dtype=np.int64)


def diss_7_1_majority() -> tuple[Instance, ...]:
    """Private majority voting."""
    return (
        Instance(
            "by-hand",
            "Four workers and three tasks; some answers are flipped, and one vote is a tie.",
            {
                "data": np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [1, 0, 0]]),
                "epsilon": 1.0,
            },
        ),
        Instance(
            "middle",
            "Nine workers: no ties, many answers are flipped.",
            {"data": crowd(24), "epsilon": 0.5},
        ),
        Instance(
            "real-data",
            "Nine features of twenty tumours vote on whether they are malignant.",
            {"data": features_as_workers(), "epsilon": 2.0},
        ),
    )


def diss_7_1_54() -> tuple[Instance, ...]:
    """Private Dawid-Skene."""
    return (
        Instance(
            "by-hand",
            "Three workers, four tasks, a public start, one step: an answer is flipped, and "
            "agreements are kept in [0.15, 0.85].",
            {
                "data": np.array([[1, 0, 1, 1], [1, 0, 1, 0], [0, 1, 1, 0]]),
                "initial": np.array([1.0, 0.0, 1.0, 0.5]),
                "epsilon": 1.5,
                "n_iterations": 1,
                "margin": 0.15,
            },
            seed=5,
        ),
        Instance(
            "middle",
            "Nine workers and no start: it is the vote of the flipped answers. Two steps, in which "
            "labels stay soft.",
            {"data": crowd(30), "epsilon": 1.5, "n_iterations": 2, "margin": 0.05},
        ),
        Instance(
            "clipped-abilities",
            "Workers who always agree, or never, with the labels: abilities of 0 and 1 would have "
            "infinite weights.",
            {
                "data": np.array(
                    [
                        [1, 0, 1, 1, 0, 0],
                        [1, 0, 1, 1, 0, 0],
                        [0, 1, 0, 0, 1, 1],
                        [1, 1, 1, 0, 0, 0],
                        [0, 0, 1, 1, 0, 1],
                    ]
                ),
                "epsilon": 6.0,
                "n_iterations": 3,
                "margin": 0.1,
            },
        ),
        Instance(
            "ties",
            "An even number of workers: ties of the vote, and a soft label of exactly 1/2, are 1.",
            {
                "data": np.array([[1, 1, 0, 1], [1, 1, 0, 0]]),
                "initial": np.array([1.0, 1.0, 0.0, 0.5]),
                "epsilon": 8.0,
                "n_iterations": 1,
                "margin": 0.1,
            },
        ),
        Instance(
            "ties-at-the-start",
            "An even number of workers and no start: a tie of the vote starts at 1.",
            {
                "data": np.array([[1, 1, 0, 1, 0], [1, 0, 0, 0, 0]]),
                "epsilon": 8.0,
                "n_iterations": 1,
                "margin": 0.1,
            },
        ),
        Instance(
            "real-data",
            "Nine features of twenty tumours are workers who say whether they are malignant.",
            {
                "data": features_as_workers(),
                "epsilon": 3.0,
                "n_iterations": 2,
                "margin": 0.1,
            },
        ),
    )


INSTANCES = {"diss-7.1.54": diss_7_1_54, "diss-7.1.majority": diss_7_1_majority}
