"""Appendix B.6: proof of Theorem 4.6."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_4 import (
    FULL_NORM,
    TRUNCATION,
    full_norm_of_regressions,
)
from proofs_checks.paper_002.appendix_c_8 import (
    UNIFORM_PRODUCTS,
    UNIFORM_PRODUCTS_REFUSES,
    UNIFORM_PRODUCTS_UNCHECKED,
    uniform_products,
)
from proofs_checks.paper_002.facts import union_over_steps
from proofs_checks.paper_002.sensitivity import missing_change, of_mean
from proofs_checks.statement import Wrong
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, refuted
from reference.errata.em.models import PrintedMissingCovariates
from reference.errata.sparse.peeling import printed_noise_scale
from reference.privacy.guarantees import laplace_delta

statement = partial(any_statement, algorithms=("zhang-6",))

LIMIT: Wrong = {
    "|beta_j| <= 5T^2": {"limit": "5"},
    "5.9T^2": {"total": "5.9"},
}


def untruncated_pair() -> np.ndarray:
    """Return f_T of two records at T = 1, sigma^2 = 1/2, beta = (8, 1): (2, -2) and (-8, 0)."""
    pair = np.array([[5.0, -1000.0, 5.0], [math.nan, 0.0, 0.0]])
    model = PrintedMissingCovariates(math.sqrt(0.5))
    gradients: np.ndarray = model.truncated_gradients(pair, np.array([8.0, 1.0]), 1.0)
    return gradients


@statement(
    "002 (28)",
    lines="873-877",
    kind="sensitivity",
    printed="||f_T - f_T'||_inf <= 6T^2 N0/n, so that Algorithm 6 is (epsilon, delta)-DP",
    false="(1-z) beta is not truncated and left out, and beta is never projected",
    errata=("zhang-6/E1",),
)
def untruncated_term() -> Outcome:
    """x = (5, -1000), y = 5 against x_1 missing, x_2 = y = 0, see :func:`untruncated_pair`.

    The noise is conservative, so DP breaks later: d = s-hat = 1, beta = 100, one record, x = 0
    against x missing, y = 0.
    """
    g = untruncated_pair()
    change = float(np.abs(g[0] - g[1]).max())
    lone = np.array([[0.0, 0.0], [math.nan, 0.0]])
    model = PrintedMissingCovariates(math.sqrt(0.5))
    h = model.truncated_gradients(lone, np.array([100.0]), 1.0)
    scale = printed_noise_scale(1.0, 1e-5, sparsity=1, sensitivity=6.0)
    delta = laplace_delta(float(abs(h[0, 0] - h[1, 0])) / scale, 1.0)
    point = {"T": 1.0, "beta": [8.0, 1.0], "delta(1) at beta = 100, (1, 1e-5)": delta}
    return refuted(point, change, 6.0, "change of a record's f_T")


@untruncated_term.corrected(
    "max(4T^2, 5T^2-|beta_j|, 2T^2+|beta_j|) N0/n; at most 6T^2 N0/n if |beta_j| <= 4T^2",
    refuses={
        **LIMIT,
        "4.9T^2-|beta_j|": {"mixed": "4.9"},
        "6T N0/n": {"square": 1},
        "6T^2/n": {"batches": 0},
    },
)
def bounded_iterates(
    limit: str = "4", total: str = "6", mixed: str = "5", square: int = 2, batches: int = 1
) -> Outcome:
    """See :func:`missing_change` [step "record"], in a mean of n/N0 records [step "mean"]."""
    return derived(record=missing_change(limit, total, mixed), mean=of_mean(6, square, batches))


@statement(
    "002 (29)",
    lines="879-881",
    kind="concentration",
    printed="P(||grad Q_n0 - f_T||_2 > C sqrt(s* log d/n) log n) <= C'/(log d log n)",
    false=FULL_NORM,
    errata=TRUNCATION,
)
def one_step() -> Outcome:
    """With few entries missing it is the regression of :func:`full_norm_of_regressions`."""
    return full_norm_of_regressions()


@one_step.corrected(
    UNIFORM_PRODUCTS, refuses=UNIFORM_PRODUCTS_REFUSES, unchecked=UNIFORM_PRODUCTS_UNCHECKED
)
def restricted(**parts: Any) -> Outcome:
    """(43)-(45) with Lemma C.3: three means, see :func:`uniform_products`."""
    return uniform_products(**parts)


@statement(
    "002 (30)",
    lines="883-887",
    kind="concentration",
    printed="P(max_t ||grad Q_n0 - f_T||_2 > C sqrt(s* log d/n) log n) <= C'/log d",
    false=FULL_NORM,
    errata=TRUNCATION,
)
def all_steps() -> Outcome:
    """See :func:`full_norm_of_regressions`."""
    return full_norm_of_regressions()


@all_steps.corrected(
    "failure C'/(log d log n) per step, restricted to the selected coordinates, gives C''/log d "
    "over N0 = O(log n) steps",
    refuses={"C''/(log d)^2": {"power": 2}},
)
def union(power: int = 1) -> Outcome:
    """See :func:`proofs_checks.paper_002.facts.union_over_steps`.

    There C = C', C'' = c C and N_0 = c log n.
    """
    return union_over_steps(power)
