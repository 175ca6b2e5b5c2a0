"""The audit of tree-regression: ``touchstone audit --cases tree_regression/cases.py``."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes

from auditor import (
    Case,
    Data,
    Everything,
    Form,
    Product,
    along,
    averaged,
    form,
    noise_slope,
    rate_slope,
    real_data,
    replace_record,
    root_mean_square,
    scaled_claim,
    unreleased,
)
from reference.privacy import Ledger
from tree_regression.algorithm import ENTRY, Learned, nodes_of_a_record, tree_regression
from tree_regression.printed import printed

ROOT = 6
"""The root of the seven nodes over four records, numbered in the order of their release."""


def _form(
    function: Any = tree_regression, *, n: int = 4, bound: float = 1.0, **options: Any
) -> Form:
    """Return a pass over n records, the first of which pulls one way or the other."""
    features, labels = np.zeros((n, 1)), np.zeros(n)
    data = replace_record((features, labels), 0, (np.ones(1), bound))
    other = replace_record((features, labels), 0, (np.ones(1), -bound))
    return form(
        function,
        (data, other),
        epsilon=1.0,
        delta=1e-2,
        radius=1e6,
        step_size=1.0,
        clipping_threshold=bound,
        domain=Product((Everything((1,)), Everything(()))),
        **options,
    )


def _towards_the_first(learned: Learned) -> float:
    """Return the sum of the points that follow a node with the first record in it."""
    return float(learned.path[[1, 2, 4], 0].sum())


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    n: float = 64,
    p: float = 4,
    epsilon: float = 1.0,
) -> float:
    """Return the root mean square, over t, of the error of the mean of t gradients times t/n.

    Records without features have no gradient: what is left of a prefix sum is its noise.
    """
    data = (np.zeros((int(n), int(p))), rng.normal(size=int(n)))
    learned = tree_regression(
        data,
        radius=1e9,
        step_size=1.0,
        clipping_threshold=1.0,
        epsilon=epsilon,
        delta=1e-5,
        ledger=ledger,
    )
    return float(np.sqrt(np.mean(np.sum(learned.path[1:] ** 2, axis=1)))) / n


def _rate(n: float) -> float:
    """Return the root mean square of that noise over n: sigma^2 is proportional to the nodes."""
    ones = sum(t.bit_count() for t in range(1, int(n) + 1)) / n
    return math.sqrt(nodes_of_a_record(int(n)) * ones) / n


def _neighbour(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    """Return the data with an early record's label far away, and which it is."""
    index = int(rng.integers(len(data[1]) // 4))
    return replace_record(data, index, (data[0][index], -10.0 * np.sign(data[1][index]))), index


def _diabetes() -> Data:
    """Return standardised features of unit length on average, and standardised labels."""
    features, labels = (part[::7] for part in load_diabetes(return_X_y=True))
    scaled = features / features.std(axis=0) / math.sqrt(features.shape[1])
    return scaled, (labels - labels.mean()) / labels.std()


def case() -> Case:
    """Return what an audit needs to know."""
    claim = "the noise of a sum of t gradients has variance sigma^2 for every one of t in binary"
    recipe = partial(along, error=averaged(_error, 4, root_mean_square), claim=claim)
    sizes, epsilons = (16, 32, 64, 128, 256), (0.25, 0.5, 1.0, 2.0, 4.0)
    return Case(
        id=ENTRY.id,
        forms={
            "corrected": _form(statistic=_towards_the_first),
            "printed": _form(
                printed,
                n=2,
                no_black_box="a delta of .05 for .01 shows in the odds of transcripts",
                violates={
                    "accounting": "tree-regression/E1",
                    "privacy_loss": "tree-regression/E1",
                },
            ),
        },
        scaling=(
            recipe("n", sizes, rate_slope(sizes, _rate), repetitions=8),
            recipe("p", (4, 8, 16, 32, 64), 0.5, repetitions=8, n=16),
            recipe("epsilon", epsilons, noise_slope(epsilons, 1e-5, 1.0), repetitions=8, n=16),
        ),
        real_data=(
            real_data(
                tree_regression,
                name="diabetes (scikit-learn), every seventh of 442 records",
                load=_diabetes,
                neighbour=_neighbour,
                error=lambda private, plain: float(np.linalg.norm(private.average - plain.average)),
                epsilons=(1.0, 4.0, 16.0),
                metric="distance of the average from the one without noise",
                delta=1e-5,
                radius=2.0,
                step_size=0.05,
                clipping_threshold=1.0,
            ),
        ),
        mutants={
            # gradients up to 1000, and noise for gradients up to 1
            "clipping dropped": scaled_claim(_form(bound=1000.0, no_black_box="a mutant"), 1e-3),
            "root without noise": unreleased(
                _form(no_black_box="a mutant"), lambda index: index == ROOT
            ),
            "root with the noise of the node before": unreleased(
                _form(no_black_box="a mutant"), lambda index: index == ROOT, stale=True
            ),
        },
    )


ENTRIES = (ENTRY,)
CASES = {ENTRY.id: case}
