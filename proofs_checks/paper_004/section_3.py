"""Chapter 3, preliminaries: Lipschitz, smooth and strongly convex losses."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.convexity import logistic_curvature, quadratic_bound
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import definition, identity, searched, symbols
from reference.losses import Huber, Logistic, Records

statement = partial(any_statement, algorithms=("diss-3.1.1",))


def random_records(rng: np.random.Generator, n: int, p: int) -> Records:
    """Return n labelled vectors of norm at most 1, some of norm 1."""
    features = rng.standard_normal((n, p))
    features /= np.maximum(1.0, np.linalg.norm(features, axis=1, keepdims=True))
    return features, rng.choice([-1.0, 1.0], n)


@statement(
    "004 Definition 3.0.1",
    lines="494",
    kind="definition",
    printed="f is G-Lipschitz: |f(x1, z) - f(x2, z)| <= G ||x1 - x2||_2",
    refuses={"0.9 G": {"factor": 0.9}},
    unchecked={"f": "in the step the logistic and the Huber loss"},
)
def lipschitz(rng: np.random.Generator, factor: float = 1.0) -> Outcome:
    """The logistic and Huber losses on the unit ball with the G that the code gives them."""
    worst = 0.0
    for _ in range(100):
        records = random_records(rng, 5, 3)
        x, y = 8 * rng.standard_normal((2, 3))
        for loss in (Logistic(), Huber(threshold=0.6)):
            change = np.abs(loss.values(records, x) - loss.values(records, y))
            worst = max(worst, float(change.max() / np.linalg.norm(x - y)) / loss.lipschitz)
    return definition(
        searched(worst, factor + 1e-12, tried=200, what="change over G times the distance")
    )


@statement(
    "004 Definition 3.0.2",
    lines="496-502",
    kind="definition",
    printed="f is L-smooth: ||grad f(x1) - grad f(x2)||_* <= L ||x1 - x2||, which yields "
    "f(x1) <= f(x2) + <grad f(x2), x1-x2> + L/2 ||x1-x2||^2",
    refuses={
        "L/3 ||x1-x2||^2": {"half": 3},
        "L = .24 for the logistic loss": {"largest": "0.24"},
    },
    unchecked={
        "f": "any smooth loss; the steps have its growth on a segment, and the logistic loss",
    },
)
def smooth(half: int = 2, largest: str | None = None) -> Outcome:
    """It yields the bound for every loss; the logistic loss is 1/4-smooth."""
    return definition(quadratic_bound(half), logistic_curvature(largest))


@statement(
    "004 Definition 3.0.3",
    lines="504-508",
    kind="definition",
    printed="f is mu-strongly convex: f(x1) >= f(x2) + <df(x2), x1-x2> + mu/2 ||x1-x2||^2",
    refuses={"mu ||x1-x2||^2": {"half": 1}},
    unchecked={"f": "in the step the ridge mu/2 ||x||^2"},
)
def strongly_convex(half: int = 2) -> Outcome:
    """The ridge mu/2 ||x||^2 has it with equality, coordinate by coordinate."""
    x, y, mu = symbols("x y mu", real=True)
    excess = mu / 2 * x**2 - mu / 2 * y**2 - mu * y * (x - y)
    return definition(identity((excess, mu / half * (x - y) ** 2)))
