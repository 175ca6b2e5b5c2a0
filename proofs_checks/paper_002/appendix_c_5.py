"""Appendix C.5: proof of Lemma A.2."""

from __future__ import annotations

from functools import partial
from typing import Any

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_4 import FULL_NORM, TRUNCATION, full_norm_of_regressions
from proofs_checks.paper_002.appendix_c_8 import (
    UNIFORM_PRODUCTS,
    UNIFORM_PRODUCTS_REFUSES,
    UNIFORM_PRODUCTS_UNCHECKED,
    uniform_products,
)
from proofs_checks.paper_002.facts import triangle
from proofs_checks.paper_002.section_4_3 import MISSING
from proofs_checks.statement import Wrong
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols

statement = partial(any_statement, algorithms=MISSING)


def _split(terms: int, factor: str) -> Outcome:
    """y m - K beta against f_T, where (1-z) beta cancels, in one coordinate [step "split"].

    K beta = (1-z) beta + m <m, beta> - n <n, beta>, n = (1-z) m; then the triangle inequality.
    """
    y, m, n, hidden, fit, part = symbols("y m n hidden fit part", real=True)
    cut_ym, cut_nu, cut_mf = symbols("cut_ym cut_nu cut_mf", real=True)
    gradient = y * m - (hidden + m * fit - n * part)
    truncated = cut_ym - hidden - cut_mf + cut_nu
    parts = [-(cut_ym - y * m), -(cut_nu - n * part), cut_mf - m * fit]
    return derived(
        split=identity((gradient - truncated, sum(parts[:terms]))), triangle=triangle(factor)
    )


_SPLIT: Wrong = {
    "without the last mean": {"terms": 2},
    "0.9 of a mean": {"factor": "0.9"},
}
_PRINTED = (
    "RMC: ||grad Q_n - f_T|| <= the means of ||(Pi(y) Pi(m) - y m)_S||, ||(Pi(n) Pi(u) - n u)_S|| "
    "and ||(Pi(m) Pi(<m, beta>) - m <m, beta>)_S||"
)


@statement(
    "002 (43)", lines="1078-1080", kind="optimisation", printed=f"{_PRINTED}: the first",
    refuses=_SPLIT,
)  # fmt: skip
def first_mean(terms: int = 3, factor: str = "1") -> Outcome:
    """See :func:`_split`."""
    return _split(terms, factor)


@statement(
    "002 (44)", lines="1081", kind="optimisation", printed=f"{_PRINTED}: the second",
    refuses=_SPLIT,
)  # fmt: skip
def second_mean(terms: int = 3, factor: str = "1") -> Outcome:
    """See :func:`_split`."""
    return _split(terms, factor)


@statement(
    "002 (45)", lines="1082", kind="optimisation", printed=f"{_PRINTED}: the third",
    refuses=_SPLIT,
)  # fmt: skip
def third_mean(terms: int = 3, factor: str = "1") -> Outcome:
    """See :func:`_split`."""
    return _split(terms, factor)


@statement(
    "002 Lemma C.3",
    lines="1086-1088",
    kind="concentration",
    printed="m_beta(x, y) is a sub-Gaussian vector with a constant parameter",
    checked="sigma = 1: parameter at most (2 + ||beta - beta*||/2)^2",
    refuses={
        "1.9 for 2": {"two": "1.9"},
        "2 + ||beta - beta*||/2 without the square": {"square": 1},
    },
    unchecked={
        "m_beta": "A times a standard normal vector; the steps have ||A|| and one direction",
    },
)
def missing_subgaussian(two: str = "2", square: int = 2) -> Outcome:
    """Given z, m_beta = A (x, e) is Gaussian, and ||A||^2 bounds its proxy, whatever z.

    In a unit direction it is a = ||A^T u|| times a standard normal variable; a <= ||A|| [step
    "proxy", with equality].

    A = diag(z) + h t^T/(1 + ||h||^2), h = (1-z) beta; t consists of beta*_hidden = h - shift, of 1
    and of (beta* - beta)_observed, so ||t|| <= w + ||beta - beta*||, w^2 = 1 + ||h||^2. Hence
    ||A|| <= 1 + h/w + h delta/w^2 <= 2 + delta/2 [step "norm", times w^2].
    """
    h, w, delta = reals("h w delta")
    tilt, normal = sp.symbols("l g", real=True)
    size = symbols("a")
    density = sp.exp(-(normal**2) / 2) / sp.sqrt(2 * sp.pi)
    moment = sp.integrate(sp.exp(tilt * size * normal) * density, (normal, -sp.oo, sp.oo))
    return derived(
        proxy=identity((moment, sp.exp(tilt**2 * size**square / 2))),
        norm=for_all(
            w**2 + h * w + h * delta <= (rational(two) + delta / 2) * w**2,
            *(h >= 0, w > 0, w**2 == 1 + h**2, delta >= 0),
        ),
        triangle=triangle(),
    )


@statement(
    "002 (46)",
    lines="1092-1094",
    kind="concentration",
    printed="P(||grad Q_n0 - f_T||_2 > C sqrt(s* log d/n) log n) <= C'/(log d log n)",
    false=FULL_NORM,
    special_case_of="002 (29)",
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
