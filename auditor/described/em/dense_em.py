"""Dense DP-EM (zhang-4): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

from auditor import (
    Case,
    Form,
    along,
    averaged,
    noise_slope,
    root_mean_square,
)
from auditor.described.data import truncated_em as shared
from auditor.described.data.mixtures import exact_mixture
from auditor.described.data.small_em import framework
from auditor.described.data.truncated_em import HUGE
from reference._validation import FloatArray
from reference.em.dense_em import dense_em
from reference.em.models import GaussianMixture
from reference.errata.em import dense_em as errata

RATE = "Theorem 5.5: O(d sqrt(log(1/delta)) log^(3/2)(n)/(n epsilon) + sqrt(d/n) log n)"


def _form(function: Any = dense_em, *, truncation_level: float = 2.0, **options: Any) -> Form:
    """Use beta near 2 (1, ..., 1) and records whose large entry decides the sign of all of them.

    The record is in the second of two batches, so that the last iterate is about it.
    """
    large, rest = 10 * HUGE, [HUGE] * 4
    pair = shared.pair_of((large, -HUGE, -HUGE, -HUGE), (-HUGE, large, HUGE, HUGE), rest, n=200)
    return shared.dense_form(
        function,
        shared.before(rest, pair),
        GaussianMixture(1.0),
        gradient=exact_mixture(truncation_level),
        initial=(1.0, 1.0, 1.0, 1.0),
        replaced=200,
        truncation_level=truncation_level,
        step_size=1.0,
        n_iterations=2,
        **options,
    )


def _mixture(data: Any, *, standard_deviation: float, **parameters: Any) -> FloatArray:
    return dense_em(data, GaussianMixture(standard_deviation), step_size=1.0, **parameters)


_error = shared.error_of(_mixture, GaussianMixture(0.5), truncation_level=2.0)


def zhang_4() -> Case:
    """Dense Gaussian mixture; the classical Gaussian mechanism fails for large epsilon."""
    privacy, statistical = RATE + ", privacy term", RATE + ", statistical term (epsilon = 1e5)"
    # the exact noise falls more slowly than 1/epsilon; at larger ones sqrt(d/n) shows
    epsilons = (0.015, 0.03, 0.06, 0.12)
    of_three = averaged(_error, 3, root_mean_square)
    recipe = partial(along, repetitions=8, claim=privacy)
    in_10 = partial(recipe, error=_error, d=10)
    without_privacy = partial(
        in_10,
        name="n without privacy",
        epsilon=1e5,
        claim=statistical,
        inflates="the records for each one that is read,",
    )
    return Case(
        id="zhang-4",
        forms={
            "corrected": _form(epsilon=1.0, delta=1e-2),
            "printed": _form(
                errata.printed,
                epsilon=8.0,
                delta=0.1,
                no_black_box="at odds of e^8 thousands of runs cannot tell; the transcript's exact "
                "loss is sampled",
                violates={"accounting": "zhang-4/E1", "privacy_loss": "zhang-4/E1"},
            ),
        },
        scaling=(
            in_10("n", (1e4, 2e4, 4e4, 8e4), -1.0, epsilon=0.15, repetitions=10),
            in_10("epsilon", epsilons, noise_slope(epsilons, 1e-5, 1.0), n=40_000),
            recipe("d", (8, 16, 32, 64), 1.0, error=of_three, n=6_000, epsilon=2.0),
            without_privacy("n", (1e3, 4e3, 1.6e4, 6.4e4), -0.5, n_iterations=3),
        ),
        no_real_data="the algorithm of zhang-3 without sparsity, which is run on real data",
        mutants=shared.without_truncation(_form, 2.0),
    )


CASES = {"zhang-4": zhang_4}
SETTINGS = {"zhang-4": partial(framework, sparse=False)}
