"""Appendix C.4: proof of Lemma A.1."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_4 import FULL_NORM, TRUNCATION, full_norm_of_regressions
from proofs_checks.paper_002.appendix_c_8 import (
    UNIFORM_PRODUCTS,
    UNIFORM_PRODUCTS_REFUSES,
    UNIFORM_PRODUCTS_UNCHECKED,
    uniform_products,
)
from proofs_checks.paper_002.facts import triangle
from proofs_checks.paper_002.section_4_2 import REGRESSIONS
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, identity, reals, refuted, symbols
from reference.errata.em.models import PrintedDoubledRegressions

statement = partial(any_statement, algorithms=REGRESSIONS)


@statement(
    "002 (41)",
    lines="1062-1064",
    kind="optimisation",
    printed="MRM: ||grad Q_n - f_T|| <= mean ||(y x - Pi(y) Pi(x))_S|| + mean "
    "||(x x^T beta - Pi(x) Pi(x^T beta))_S||",
    false="the printed gradient has 2w y x, with 2w up to 2",
    errata=("zhang-5/E6",),
)
def split_doubled() -> Outcome:
    """T = 1, beta = 1, sigma = .5, one record x = .9, y = 4: w is within 1e-6 of 1."""
    t, beta = 1.0, np.array([1.0])
    model = PrintedDoubledRegressions(0.5)
    record = np.array([[0.9, 4.0]])
    change = model.gradients(record, beta) - model.truncated_gradients(record, beta, t)
    left = float(np.linalg.norm(change))
    right = abs(4.0 * 0.9 - 1.0 * 0.9) + abs(0.9 * 0.9 - 0.9 * 0.9)
    return refuted({"T": t, "beta": 1.0, "sigma": 0.5, "x": 0.9, "y": 4.0}, left, right)


@split_doubled.corrected(
    "true for the gradient with 2w - 1", refuses={"a weight of 2w, up to 2": {"largest": 2}}
)
def split_single(largest: int = 1) -> Outcome:
    """k = 2w - 1: k u - v with u = y x - Pi(y) Pi(x), v the fit's [step "split"].

    |k u - v| <= |u| + |v| in a coordinate [step "weight"], and for norms [step "triangle"].
    """
    k, y, x, cut, fit, fit_cut = symbols("k y x cut fit fit_cut", real=True)
    a, u, v = reals("k u v")
    left = (k * y * x - fit * x) - (k * cut - fit_cut)
    return derived(
        split=identity((left, k * (y * x - cut) - (fit * x - fit_cut))),
        weight=for_all(z3.Abs(a * u - v) <= z3.Abs(u) + z3.Abs(v), *(a >= -largest, a <= largest)),
        triangle=triangle(),
    )


@statement(
    "002 (42)",
    lines="1066-1068",
    kind="concentration",
    printed="P(||grad Q_n0 - f_T||_2 > C sqrt(s* log d/n) log n) <= C'/(log d log n)",
    false=FULL_NORM,
    special_case_of="002 (26)",
    errata=TRUNCATION,
)
def one_step() -> Outcome:
    """See :func:`full_norm_of_regressions`."""
    return full_norm_of_regressions()


@one_step.corrected(
    UNIFORM_PRODUCTS, refuses=UNIFORM_PRODUCTS_REFUSES, unchecked=UNIFORM_PRODUCTS_UNCHECKED
)
def restricted(**parts: Any) -> Outcome:
    """(41): a mean for y and one for the fit, see :func:`uniform_products`."""
    return uniform_products(**parts)
