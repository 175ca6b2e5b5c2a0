"""The experiments on public features: Wang (2020), section 5.2.5 (l.5836-5877).

Printed: x_ij = +-1/p, w* = (1, ..., 1)/sqrt p, the logistic model and y = <x, w*>^3/3 + noise in
[-.001, .001], epsilon from 2 to 20, delta = 1/n, as many public rows as private ones, p = 10 or 5
to 15, n up to 4.8e5; Covertype (44 features) and SUSY (18). Not printed: which radius r the noise
is scaled for.

Chosen: r = 1, the radius in l1 that the algorithm asks for, and in addition r = 1/sqrt p, the
radius in l2, which is as private; the smallest noise that is certified, less than the printed one;
a run without a root counts as w = 0, whose relative error is 1 (accuracies need none). The server's
sums are drawn in one go: counts of the 2^p points, and Gaussian noise of n messages. Gaussian
classes stand for the real data, which need a download; beside their accuracy is that of the larger
class. Public rows are 20,000 where as many as private ones were more: their error is far below that
of the noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from auditor.core.context import Tier
from auditor.described.data.scaled_least_squares import hypercube, server
from auditor.experiments.convex import classes
from auditor.experiments.experiment import (
    LARGER_CLASS,
    Errors,
    Experiment,
    Panel,
    Trend,
    below,
    columns,
    falls,
    rises,
)
from reference._validation import FloatArray
from reference.clipping import clip_rows
from reference.local.links import CUBIC, LOGISTIC, Link, label_bound
from reference.local.scaled_least_squares import Estimate, constants_for
from reference.privacy.ledger import Ledger, NoiselessLedger

FAMILY = "local"
NONPRIVATE = "NonPrivate"
EPSILONS, REAL_EPSILONS = (10, 5, 3, 2), (20, 10, 5)
LABEL_NOISE = 0.001
MOST_PUBLIC = 20_000
SETTING = (
    "The paper's: the law of the data, w*, epsilon, delta = 1/n, sizes. Chosen here: {radius}the "
    "smallest noise that is certified; without a root w = 0."
)
RADIUS = "r = 1 and r = 1/sqrt p, the radii in l1 and in l2, and more records in the last panel; "


@dataclass(frozen=True)
class Moments:
    """Means of x x^T and x y over many users, and public features: all that the server reads."""

    matrix: FloatArray
    vector: FloatArray
    public: FloatArray
    n: int


def points(
    rng: np.random.Generator, link: Link, *, n: int, m: int, dimension: int
) -> tuple[Moments, FloatArray]:
    """Draw n users and m public rows of the synthetic design; return their moments and w*."""
    cells = hypercube(dimension)
    truth = np.full(dimension, dimension**-0.5)
    counts = rng.multinomial(n, np.full(len(cells), 1 / len(cells)))
    mean = link.mean(cells @ truth)
    if link is LOGISTIC:
        totals = rng.binomial(counts, mean).astype(float)
    else:  # the sum of many uniform errors, as a normal one of its variance
        spread = LABEL_NOISE * np.sqrt(counts / 3)
        totals = counts * mean + spread * rng.standard_normal(len(cells))
    matrix = (cells * (counts / n)[:, None]).T @ cells
    public = cells[rng.integers(len(cells), size=m)]
    return Moments(matrix, cells.T @ totals / n, public, n), truth


def learn(
    moments: Moments,
    link: Link,
    *,
    epsilon: float,
    radius: float,
    rng: np.random.Generator,
) -> Estimate:
    """Return what the server of Algorithms 5.2.39 and 5.2.40 finds.

    An infinite epsilon means no noise.
    """
    private = math.isfinite(epsilon)
    bound = 1.0 if link is LOGISTIC else label_bound(link, radius, LABEL_NOISE)
    noise = constants_for(
        epsilon=epsilon if private else 1.0,
        delta=1 / moments.n,
        radius=radius,
        largest_label=bound,
    )
    ledger: Ledger = Ledger(rng) if private else NoiselessLedger(rng)
    root = math.sqrt(moments.n)
    matrix = ledger.symmetric_gaussian(
        moments.matrix,
        sensitivity=noise.matrix_sensitivity / root,
        scale=noise.matrix_scale / root,
    )
    vector = ledger.gaussian(
        moments.vector,
        sensitivity=noise.vector_sensitivity / root,
        scale=noise.vector_scale / root,
    )
    return server(link, matrix, vector, moments.public)


def coefficients(found: Estimate) -> FloatArray:
    """Return c w_ols, or 0 without a root c."""
    if found.coefficients is None:
        return np.zeros(len(found.least_squares))
    return found.coefficients


@dataclass(frozen=True)
class Design:
    """Design of a synthetic panel.

    Attributes
    ----------
    link : Link
    in_l2 : bool
        Whether r is 1/sqrt p, the largest l2 norm of a row, and not 1, the largest l1 norm.
    """

    link: Link
    in_l2: bool = False

    def errors(
        self,
        rng: np.random.Generator,
        *,
        n: int,
        dimension: int,
        epsilons: Sequence[float],
        m: int | None = None,
    ) -> dict[str, float]:
        """Return the relative l-infinity error of every epsilon, and without noise."""
        m = min(n, MOST_PUBLIC) if m is None else m
        moments, truth = points(rng, self.link, n=n, m=m, dimension=dimension)
        radius = dimension**-0.5 if self.in_l2 else 1.0
        curves = {f"epsilon = {epsilon}": epsilon for epsilon in epsilons}
        return {
            label: float(
                np.abs(
                    coefficients(learn(moments, self.link, epsilon=epsilon, radius=radius, rng=rng))
                    - truth
                ).max()
                / truth.max()
            )
            for label, epsilon in {**curves, NONPRIVATE: math.inf}.items()
        }


def over_sizes(design: Design, sizes: Sequence[int], rng: np.random.Generator) -> Errors:
    """Return the squared relative errors over n, at p = 10."""
    errors = columns([design.errors(rng, n=n, dimension=10, epsilons=EPSILONS) for n in sizes])
    return {label: values**2 for label, values in errors.items()}


def over_dimensions(
    design: Design, dimensions: Sequence[int], n: int, rng: np.random.Generator
) -> Errors:
    """Return the relative errors over p, at epsilon = 10."""
    return columns([design.errors(rng, n=n, dimension=p, epsilons=(10,)) for p in dimensions])


def over_public(design: Design, sizes: Sequence[int], rng: np.random.Generator) -> Errors:
    """Return the relative errors over m, at n = 200,000 and p = 10."""
    given: dict[str, Any] = {"n": 200_000, "dimension": 10, "epsilons": (10, 5, 3)}
    return columns([design.errors(rng, m=m, **given) for m in sizes])


def accuracy(rng: np.random.Generator, *, n: int, width: int, positive: float) -> dict[str, float]:
    """Return the accuracy of sign <w, x> on 20,000 other rows, of every epsilon, and trivial ones.

    Rows are scaled to l1 norm 1 at most; labels are 0 and 1. No factor c > 0 changes a sign, so w
    is w_ols, whether there is a root or not.
    """
    features, signs = classes(rng, n + 2 * MOST_PUBLIC, width, positive)
    features, labels = clip_rows(features, 1.0, order=1), (signs + 1) / 2
    train, public, test = np.split(features, [n, n + MOST_PUBLIC])
    moments = Moments(train.T @ train / n, train.T @ labels[:n] / n, public, n)
    right = labels[n + MOST_PUBLIC :] > 0.5
    found = {}
    for epsilon in (*REAL_EPSILONS, math.inf):
        w = learn(moments, LOGISTIC, epsilon=epsilon, radius=1.0, rng=rng).least_squares
        label = f"epsilon = {epsilon}" if math.isfinite(epsilon) else NONPRIVATE
        found[label] = float(((test @ w > 0) == right).mean())
    larger = labels[:n].mean() > 0.5
    return found | {LARGER_CLASS: float((right == larger).mean())}


def over_real_sizes(
    width: int, positive: float, sizes: Sequence[int], rng: np.random.Generator
) -> Errors:
    """Return accuracies over n."""
    return columns([accuracy(rng, n=n, width=width, positive=positive) for n in sizes])


def _size_panels(link: Link, tier: Tier) -> list[Panel]:
    printed: Sequence[int] = (10_000, 90_000, 290_000)
    if tier == "full":
        printed = (10_000, 50_000, 130_000, 210_000, 290_000)
    views: Sequence[tuple[str, Design, Sequence[int]]] = (
        ("r = 1", Design(link), printed),
        ("r = 1/sqrt p", Design(link, in_l2=True), printed),
        ("r = 1, more records", Design(link), (10**9, 10**10, 10**11)),
    )
    return [
        Panel(title, "n", sizes, partial(over_sizes, design, sizes), "squared relative error", True)
        for title, design, sizes in views
    ]


def _dimension_panels(link: Link, tier: Tier) -> list[Panel]:
    del tier
    dimensions = (5, 10, 12, 15)
    views = (
        ("r = 1, n = 480,000", Design(link), 480_000),
        ("r = 1/sqrt p, n = 480,000", Design(link, in_l2=True), 480_000),
        ("r = 1, n = 1e11", Design(link), 10**11),
    )
    return [
        Panel(title, "p", dimensions, partial(over_dimensions, design, dimensions, n))
        for title, design, n in views
    ]


def _public_panels(tier: Tier) -> list[Panel]:
    sizes = (20_000, 160_000) if tier == "quick" else (20_000, 60_000, 100_000, 160_000)
    views = (("logistic", Design(LOGISTIC)), ("cubic", Design(CUBIC)))
    return [
        Panel(title, "m", sizes, partial(over_public, design, sizes)) for title, design in views
    ]


def _real_panels(tier: Tier) -> list[Panel]:
    del tier
    views = (
        ("stand-in for Covertype", 44, 0.488, (10_000, 390_000)),
        ("stand-in for SUSY", 18, 0.46, (10_000, 330_000)),
    )
    return [
        Panel(
            title,
            "n",
            sizes,
            partial(over_real_sizes, width, positive, sizes),
            "accuracy",
            log_y=False,
        )
        for title, width, positive, sizes in views
    ]


def _sizes_figure(figure: str, algorithm: str, link: Link, erratum: str) -> Experiment:
    trends = []
    views = (("r = 1", erratum), ("r = 1/sqrt p", ""), ("r = 1, more records", ""))
    for panel, (title, doubted) in enumerate(views):
        for epsilon in (10, 2):
            label = f"epsilon = {epsilon}"
            words = f"{title}: at {label} the error falls with n"
            trends.append(Trend(words, panel, falls(label), doubted))
        words = f"{title}: the error is larger at epsilon = 2 than at 10"
        trends.append(Trend(words, panel, below("epsilon = 10", "epsilon = 2"), doubted))
    return Experiment(
        name=f"004 {figure}",
        algorithm=algorithm,
        caption=f"The squared relative error of the {link.name} model, p = 10.",
        setting=SETTING.format(radius=RADIUS),
        panels=partial(_size_panels, link),
        trends=tuple(trends),
    )


def _dimensions_figure(figure: str, algorithm: str, link: Link) -> Experiment:
    return Experiment(
        name=f"004 {figure}",
        algorithm=algorithm,
        caption=f"The relative error of the {link.name} model at epsilon = 10.",
        setting=SETTING.format(radius=RADIUS),
        panels=partial(_dimension_panels, link),
        trends=tuple(
            Trend(f"{title}: the error grows with p", panel, rises("epsilon = 10"))
            for panel, title in enumerate(("r = 1", "r = 1/sqrt p", "n = 1e11"))
        ),
    )


EXPERIMENTS = (
    _sizes_figure("Figure 5.1a", "diss-5.2.39", LOGISTIC, "diss-5.2.39/E1"),
    _dimensions_figure("Figure 5.1b", "diss-5.2.39", LOGISTIC),
    _sizes_figure("Figure 5.2a", "diss-5.2.40", CUBIC, "diss-5.2.40/E2"),
    _dimensions_figure("Figure 5.2b", "diss-5.2.40", CUBIC),
    Experiment(
        name="004 Figure 5.3",
        algorithm="diss-5.2.39",
        caption="GLM with logistic loss on real dataset, Covertype and SUSY.",
        setting="The paper's: epsilon, delta = 1/n, sizes. Chosen here: Gaussian classes for the "
        "data, r = 1; the smallest noise that is certified; the sign of x^T w_ols, which no c > 0 "
        "changes: without noise there is no root c on these data.",
        panels=_real_panels,
        trends=tuple(
            Trend(f"{data}: {words}", panel, gain)
            for panel, data in enumerate(("Covertype", "SUSY"))
            for words, gain in (
                ("at epsilon = 20 the accuracy grows with n", rises("epsilon = 20")),
                ("epsilon = 20 is better than epsilon = 5", below("epsilon = 5", "epsilon = 20")),
                (
                    "epsilon = 20 is better than the larger class",
                    below(LARGER_CLASS, "epsilon = 20"),
                ),
            )
        ),
        full=20,
    ),
    Experiment(
        name="004 Figure 5.4",
        algorithm="diss-5.2.39",
        caption="The effect of the number of public unlabeled samples, n = 200,000.",
        setting=SETTING.format(radius="r = 1; "),
        panels=_public_panels,
        trends=tuple(
            Trend(
                f"{model}: at epsilon = {epsilon} the error falls with m",
                panel,
                falls(f"epsilon = {epsilon}"),
            )
            for panel, model in enumerate(("logistic", "cubic"))
            for epsilon in (10, 3)
        ),
    ),
)
