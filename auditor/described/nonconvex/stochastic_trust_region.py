"""DP-STR (diss-4.3.29): audit and settings."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

import numpy as np

from auditor import Case, Form, Setting, form
from auditor.described.data import saddles
from auditor.described.data.calls import arguments_of
from auditor.described.data.linear_models import without_normalisation
from auditor.described.data.saddles import DELTA, SADDLE
from auditor.described.data.small_second_order import saddle, second_order
from auditor.described.nonconvex.trust_region import accuracy_at, rates
from reference.errata.nonconvex import stochastic_trust_region as errata
from reference.losses import Cosine
from reference.nonconvex.stochastic_trust_region import (
    Constants,
    constants_for,
    dp_stochastic_trust_region,
)
from reference.nonconvex.trust_region import enough_iterations
from reference.privacy.ledger import Ledger

DRAWN_RARELY = (
    "a record is drawn too rarely for the points alone; the loss of the transcript decides"
)


def _form(
    function: Any = dp_stochastic_trust_region, *, n: int, bound: float = 1.0, **options: Any
) -> Form:
    """Start where the replaced record's gradient changes most."""
    return form(
        function,
        saddles.opposed(n, bound),
        Cosine(feature_bound=bound),
        initial=np.zeros(2),
        accuracy=1e-6,
        domain=saddles.record_domain(bound),
        **options,
    )


def _right(*, n: int, batch_size: int, bound: float = 1.0, **options: Any) -> Form:
    claim: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2, "n_iterations": 2}
    constants = constants_for(
        Cosine(feature_bound=bound),
        n=n,
        dimension=2,
        accuracy=1e-6,
        batch_size=batch_size,
        **claim,
    )
    return _form(n=n, bound=bound, constants=constants, **claim, **options)


ALIKE = saddles.AllAlike(SADDLE.loss, SADDLE.distinct)


@cache
def _sampled(n: int, epsilon: float) -> dict[str, Any]:
    """Return DP-TR's parameters at its alpha, with the noise for batches of the default size."""
    accuracy = accuracy_at(n, epsilon)
    claim: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": DELTA,
        "accuracy": accuracy,
        "n_iterations": enough_iterations(ALIKE, gap=1.0, accuracy=accuracy),
    }
    return {**claim, "constants": constants_for(ALIKE, n=n, dimension=2, **claim)}


def _error(
    rng: np.random.Generator, ledger: Ledger, n: float = 96_000.0, epsilon: float = 1.0
) -> float:
    """Return the error of DP-TR's recipe in batches of about 1% of the records.

    All records are alike, so that a batch has no error of its own, in which n has no part: what is
    left is the noise that hides whether a record was drawn.
    """
    size = int(n)
    found = dp_stochastic_trust_region(
        np.arange(size),
        ALIKE,
        initial=rng.uniform(-math.pi, math.pi, 2),
        ledger=ledger,
        **_sampled(size, epsilon),
    )
    return saddles.found_accuracy(found, size)


def stochastic_trust_region() -> Case:
    """Batches: the noise of one must hide a record that is in it."""
    return Case(
        id="diss-4.3.29",
        forms={
            # the whole data set as batch: the accounting is exact, so that every mutant shows
            "corrected": _right(
                n=10, batch_size=10, statistic=lambda found: float(found.path[1][0])
            ),
            "corrected-sampled": _right(n=50, batch_size=5, no_black_box=DRAWN_RARELY),
            # drawn with probability 8e-4: the account sees it, affordable numbers of runs do not
            "printed": _form(
                errata.printed,
                n=2500,
                epsilon=0.99,
                delta=2e-4,
                n_iterations=2,
                no_black_box=DRAWN_RARELY,
                violates={"accounting": "diss-4.3.29/E1"},
            ),
            # drawn with probability 5e-4, and then 12 sigma away: beyond what runs can show
            "printed-proof": _form(
                errata.printed_proof,
                n=2000,
                epsilon=0.99,
                delta=1e-4,
                n_iterations=1,
                no_black_box=DRAWN_RARELY,
                violates={"accounting": "diss-4.3.29/E2"},
            ),
        },
        scaling=rates(_error, "Theorem 4.3.7"),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants=without_normalisation(_right, n=10, batch_size=10),
    )


def settings() -> tuple[Setting, ...]:
    """DP-STR."""
    run = partial(second_order, dp_stochastic_trust_region)
    three = (np.array([[1.0], [3.0], [-1.0]]), np.array([0.5, 0.25, 3.0]))
    by_hand = Constants(
        batch_size=2,
        sensitivity=0.5,
        hessian_sensitivity=0.5,
        noise_scale=0.25,
        hessian_noise_scale=0.25,
        radius=0.5,
        multiplier_threshold=0.5,
    )
    claim: dict[str, Any] = {"epsilon": 0.75, "delta": 1e-2, "accuracy": 0.5, "n_iterations": 2}
    single = constants_for(Cosine(), n=24, dimension=3, batch_size=1, **claim)
    return (
        Setting(
            "by-hand",
            "Steps on a line, with a batch of two of three records for the gradient and another "
            "for the second derivative, until the multiplier is small.",
            run(three, initial=[0.25], accuracy=0.5, n_iterations=5, constants=by_hand),
            seed=4,
        ),
        Setting(
            "middle",
            "Batches, radius and threshold of the theorem.",
            run(saddle(40, 3, 1), Cosine(1.25), accuracy=0.25, n_iterations=4),
            seed=1,
        ),
        Setting(
            "whole-data-set",
            "Every batch is the whole data set.",
            run(saddle(24, 3, 2), epsilon=12.0, accuracy=0.12, n_iterations=4),
            seed=8,
        ),
        Setting(
            "single-records",
            "Batches of one record, as the printed noise allows, which gives another result.",
            arguments_of(
                dp_stochastic_trust_region,
                saddle(24, 3, 2),
                Cosine(),
                initial=[0.25, -0.25, 0.125],
                constants=single,
                **claim,
            ),
        ),
    )


CASES = {"diss-4.3.29": stochastic_trust_region}
SETTINGS = {"diss-4.3.29": settings}
RAISED = {"diss-4.3.29": {"algorithms": 1, "constants": 1}}
LEFT_OUT = {
    "diss-4.3.29": {
        "constants.multiplier_threshold": "the few iterations of the setting do not reach it"
    }
}
