"""The exponential mechanism over a net (diss-4.2.4-EM): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Ball, Case, Form, Product, Setting, along, averaged, form, scaled_claim
from auditor.described.data import linear_models as shared
from auditor.described.data.calls import arguments_of
from auditor.described.data.small_convex import records
from reference._validation import FloatArray
from reference.losses import Linear, Sigmoid
from reference.nonconvex.net_minimizer import dp_net_minimizer
from reference.privacy.ledger import Ledger
from reference.proximal import Ridge


def _form(
    *, dimension: int = 1, bound: float = 1.0, accuracy: float = 0.25, **options: Any
) -> Form:
    """On the pair that is worst for the linear loss: at the ends of the ball scores move most."""
    return form(
        dp_net_minimizer,
        shared.one_visible_record(3, dimension, bound),
        Linear(feature_bound=bound),
        Ridge(bound),
        dimension=dimension,
        epsilon=8.0,
        accuracy=accuracy,
        domain=Product((Ball(dimension, bound), shared.LABELS)),
        **options,
    )


def _first(point: FloatArray) -> float:
    """Follow e_1, along which the score falls under the first data set."""
    return -float(point[0])


def _error(
    rng: np.random.Generator, ledger: Ledger, n: float = 1600.0, epsilon: float = 1.0
) -> float:
    """Return the excess regularised risk of a well at a distance from 0, d = 1.

    With fewer records the whole net is within reach of a selection.
    """
    size, loss, ridge = int(n), Sigmoid(feature_bound=4.0), Ridge(1.0)
    features, labels = np.full((size, 1), 4.0), np.ones(size)
    point = dp_net_minimizer(
        (features, labels),
        loss,
        ridge,
        dimension=1,
        epsilon=epsilon,
        accuracy=0.01,
        ledger=ledger,
    )
    grid = np.linspace(0.0, 1.0, 2001)
    smallest = float((1 / (1 + np.exp(4 * grid)) + grid**2 / 2).min())
    record = (features[:1], labels[:1])
    return float(loss.values(record, point).mean()) + ridge.value(point) - smallest


def net() -> Case:
    """Scores move by 2 G R/n at the boundary of the ball."""
    theorem = "Theorem 4.2.4: excess risk = O~(d/(n epsilon))"
    sizes = tuple(400.0 * 2**k for k in range(4))
    recipe = partial(
        along, error=averaged(_error, 12), repetitions=14, claim=theorem, expensive=True
    )
    return Case(
        id="diss-4.2.4-EM",
        forms={
            "corrected": _form(statistic=_first),
            "corrected-plane": _form(
                dimension=2, accuracy=0.45, no_black_box="that in one dimension stands for it"
            ),
        },
        scaling=(recipe("n", sizes, -1.0), recipe("epsilon", (0.25, 0.5, 1.0, 2.0), -1.0)),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants={
            # records of norm 1000, a sensitivity for records of norm 1
            "normalisation dropped": scaled_claim(_form(bound=1e3, no_black_box="a mutant"), 1e-6)
        },
    )


def settings() -> tuple[Setting, ...]:
    """Exponential mechanism over a net."""
    run, ridge = partial(arguments_of, dp_net_minimizer), Ridge(0.5)
    line = (np.array([[1.0], [3.0], [-0.5]]), np.array([1.0, 1.0, 1.0]))
    coarse = {"epsilon": 2.0, "accuracy": 0.1473}
    return (
        Setting(
            "by-hand",
            "A net of five points of [-2, 2], of which the outer two are projected; the second "
            "record is cut to length 1.",
            run(line, Linear(), ridge, dimension=1, epsilon=8.0, accuracy=0.6),
            seed=7,
        ),
        Setting(
            "middle",
            "A net of a disc, of the accuracy of the theorem.",
            run(records(20, 2, 1), Sigmoid(), ridge, dimension=2, epsilon=1.3),
            seed=4,
        ),
        Setting(
            "coarse-disc",
            "A coordinate goes no farther than rounding the radius to the grid does, although the "
            "next point would be within the accuracy of the disc as well.",
            run(records(12, 2, 5), Sigmoid(), ridge, dimension=2, **coarse),
            seed=6,
        ),
    )


CASES = {"diss-4.2.4-EM": net}
SETTINGS = {"diss-4.2.4-EM": settings}
