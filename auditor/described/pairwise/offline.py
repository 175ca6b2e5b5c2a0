"""OffPairStrC (diss-3.3.14): audit and settings."""

from __future__ import annotations

from functools import partial

import numpy as np

from auditor import Case, Setting, along, averaged, noise_slope, root_mean_square
from auditor.described.data.pairs import NO_REAL_PASS, first_step_form, without_normalisation
from auditor.described.data.small_pairwise import BY_HAND, FEW, auc, metric, vectors
from auditor.described.pairwise.finite_buffer import stream
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball
from reference.pairwise import offline as algorithm
from reference.pairwise.losses import Midpoint
from reference.pairwise.offline import constants_for, off_pair_strongly_convex
from reference.privacy.ledger import Ledger

_form = partial(first_step_form, off_pair_strongly_convex, 70)
# On a line no pair moves w_66 by more: two gradients of w apart by g lead to points of C apart by
# h = 2g/(66 alpha) at most, where the losses' strong convexity leaves g <= 2G - alpha h.


def towards(w: FloatArray) -> float:
    """Return what the record of the first data set draws w to."""
    return float(w[0])


def _excess(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float,
    dimension: float = 4.0,
    epsilon: float = 1.0,
) -> float:
    """Return the distance from the minimiser, the records' mean, over log n.

    The path stays where the records are, within 0.1 of 0, and the noise is for the G there; the
    ball is so large that it cuts none of it off.
    """
    size, p, loss = int(n), int(dimension), Midpoint(feature_bound=0.1)
    records = stream(rng, size, p)
    w = off_pair_strongly_convex(
        records,
        loss,
        L2Ball(10.0),
        initial=np.zeros(p),
        epsilon=epsilon,
        delta=1e-3,
        constants=constants_for(loss, radius=0.1, n=size, epsilon=epsilon, delta=1e-3),
        ledger=ledger,
    )
    return float(np.linalg.norm(w - records.mean(axis=0)) / np.log(size))


def offline() -> Case:
    """One release of an averaged path."""
    claim = "Theorem 3.3.6: excess risk = O(sqrt(d) log(n)/(alpha n epsilon)) by the noise"
    epsilons = (0.25, 0.5, 1.0, 2.0)
    recipe = partial(along, repetitions=10, claim=claim)
    of_four = averaged(_excess, 4, root_mean_square)
    return Case(
        id="diss-3.3.14",
        forms={"corrected": _form(statistic=towards)},
        scaling=(
            recipe("n", (100.0, 200.0, 400.0, 800.0, 1600.0), -1.0, error=_excess),
            recipe("epsilon", epsilons, noise_slope(epsilons, 1e-3, 1.0), error=of_four, n=200.0),
            recipe("dimension", (4.0, 16.0, 64.0, 256.0), 0.5, error=of_four, n=200.0),
        ),
        no_real_data=NO_REAL_PASS,
        mutants=without_normalisation(_form),
    )


def settings() -> tuple[Setting, ...]:
    """Offline learning, strongly convex."""
    chosen = partial(algorithm.Constants, step_size=2.0)
    return (
        Setting(
            "by-hand",
            "Three steps on four records, two of which are cut to length 2; the average of the "
            "four points is released and projected.",
            {"data": FEW, **BY_HAND}
            | {"constants": chosen(first_phase=1, sensitivity=4.0, noise_scale=2.0)},
        ),
        Setting(
            "middle",
            "The area under the curve, regularised; a first phase of several rounds.",
            auc(24, 8),
        ),
        Setting(
            "metric",
            "A metric in the cone of positive semidefinite matrices; noise makes it indefinite.",
            metric(14, 9),
        ),
        Setting(
            "no-step",
            "A first phase longer than the data: the starting point is released.",
            {"data": vectors(5, 2, 10), **BY_HAND}
            | {"constants": chosen(first_phase=7, sensitivity=0.1, noise_scale=0.5)},
            noiseless=BY_HAND["initial"],
        ),
    )


CASES = {"diss-3.3.14": offline}
SETTINGS = {"diss-3.3.14": settings}
LEFT_OUT = {"diss-3.3.14": {"order of records": "a record is paired with those before it"}}
