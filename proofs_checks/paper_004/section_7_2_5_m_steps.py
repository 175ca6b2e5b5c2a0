"""Section 7.2.5: the M-steps of the three models and the assumption on them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from proofs_checks.em import regressions as em_regressions
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    reals,
    refuted,
    searched,
)
from reference._validation import FloatArray

statement = partial(any_statement, algorithms=("diss-7.2.57",))


def _additive(m_step: Callable[[FloatArray], float], records: FloatArray) -> float:
    """Return the mixed difference of an M-step in its first two records, 0 for an average."""
    values = []
    for first, second in itertools.product((0, 1), repeat=2):
        chosen = records[[first, 2 + second, 4, 5, 6, 7]]
        values.append(m_step(chosen))
    return values[0] - values[1] - values[2] + values[3]


def _mixture_m(y: FloatArray) -> float:
    """M_n of the mixture for d = 1, beta' = 0.8, sigma = 1."""
    return float((np.tanh(0.8 * y[:, 0]) * y[:, 0]).mean())


def _regression_m(records: FloatArray) -> float:
    x, y = records.T
    return float((np.tanh(0.8 * x * y) * x * y).mean() / (x**2).mean())


def _missing_m(records: FloatArray) -> float:
    """M_n of missing covariates; x = NaN is missing, where K = 1 and y m = 0.8 y^2/(1 + 0.64)."""
    x, y = records.T
    hidden = np.isnan(x)
    cross = np.where(hidden, 0.8 * y**2 / 1.64, np.nan_to_num(x) * y)
    return float(cross.mean() / np.where(hidden, 1, np.nan_to_num(x) ** 2).mean())


@statement(
    "004 Assumption 7.2.2",
    lines="9752-9800",
    kind="assumption",
    printed="M_n is an average of independent f_i(beta') with E f_j^2 <= tau: the Gaussian mixture "
    "satisfies this, the mixture of regressions and missing covariates do not",
    refuses={"the mixture of regressions satisfies this": {"regressions": True}},
    unchecked={
        "M_n": "computed for six records in one dimension",
        "f_i, f_j, tau": "the second moments are those of Lemma 7.2.9",
    },
)
def averages(rng: np.random.Generator, regressions: bool = False) -> Outcome:
    """An average of terms of single records has no mixed difference in two of them.

    The mixture's second moments are Lemma 7.2.9.
    """
    average = least = 0.0
    for _ in range(20):
        records = rng.standard_normal((8, 2))
        average = max(average, abs(_additive(_mixture_m, records)))
        of_regressions = abs(_additive(_regression_m, records))
        average = max(average, of_regressions if regressions else 0.0)
        records[[1, 2, 5], 0] = math.nan
        least = max(least, -math.log(min(of_regressions, abs(_additive(_missing_m, records)))))
    return definition(
        searched(average, 1e-14, tried=20, what="mixed difference of an average, n = 6"),
        searched(least, 20, tried=20, what="-log of the mixed differences of the others"),
    )


@statement(
    "004 Q_n and M_n of the Gaussian mixture",
    lines="9760-9772",
    kind="identity",
    printed="Q_n = -(1/2n) sum w ||y - b||^2 + (1-w) ||y + b||^2 has the maximiser M_n = "
    "(1/n) sum (2w-1) y",
    refuses={
        "(1/n) sum 2 w y": {"shift": 0},
        "(1/n) sum (w - 1) y": {"twice": 1},
        "sum (2w-1) y": {"records": 0},
    },
    unchecked={
        "Q_n": "the steps have -2 n Q_n",
    },
)
def mixture_maximiser(twice: int = 2, shift: int = 1, records: int = 1) -> Outcome:
    """Q_n(M_n) - Q_n(b) = ||b - M_n||^2/2, for any weights, in each coordinate; these add up.

    With Y = sum (2w-1) y and S = sum y^2, -2 n Q_n(b) = S - 2 Y b + n b^2 of the records so far
    [step "record", by induction], and M_n = Y/n [step "gap"].
    """
    b, y, w, total, squares = sp.symbols("b y w Y S", real=True)
    n = sp.Symbol("n", positive=True)
    record = w * (y - b) ** 2 + (1 - w) * (y + b) ** 2
    before = squares - 2 * total * b + n * b**2
    added = {total: total + (twice * w - shift) * y, squares: squares + y**2, n: n + 1}
    best = total / n**records
    return derived(
        record=identity((before + record, before.subs(added, simultaneous=True))),
        gap=identity(((before - before.subs(b, best)) / (2 * n), (b - best) ** 2 / 2)),
    )


@statement(
    "004 Q_n of the mixture of regressions",
    lines="9776",
    kind="identity",
    printed="Q_n = (1/2n)(-w (y - <x, b>)^2 + (1-w)(y + <x, b>)^2), with the maximiser M_n",
    false="the second square needs the sign of the first, and a sum",
    errata=("model-mrm/E1",),
)
def regression_objective() -> Outcome:
    """See :func:`proofs_checks.em.regressions.maximiser_refuted`."""
    return em_regressions.maximiser_refuted()


@regression_objective.corrected(
    "Q_n = -(1/2n) sum w (y - <x, b>)^2 + (1-w)(y + <x, b>)^2, maximiser (mean x x^T)^-1 mean "
    "(2w-1) y x",
    refuses={"the printed sign": {"sign": -1}, "twice M_n": {"times": 2}},
    unchecked={
        "Q_n": "the steps have its gradient",
        "n": "the mean of n records, of which the step has one",
    },
)
def regression_maximiser(sign: int = 1, times: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.regressions.maximiser`."""
    return em_regressions.maximiser(sign, times)


@statement(
    "004 Q_n of missing covariates",
    lines="9786",
    kind="identity",
    printed="Q_n(b; b') = (1/n) sum y <b, m> - (1/2n) sum b^T K b', with a maximiser M_n",
    false="the last factor must be b: as printed Q_n is linear in b",
    errata=("model-rmc/E3",),
)
def missing_objective() -> Outcome:
    """n = d = 1, x = 1 observed, y = 2, b' = 1/2: m = K = 1 and M_n = 2."""

    def q(b: Fraction) -> Fraction:
        return 2 * b - b * Fraction(1, 2) / 2

    point = {"n": 1, "d": 1, "x": 1, "y": 2, "given": 0.5, "M_n": 2, "b": 100}
    return refuted(point, q(Fraction(100)), q(Fraction(2)), "Q_n(100) against Q_n(M_n)")


@missing_objective.corrected(
    "(1/n) sum y <b, m> - (1/2n) sum b^T K b, concave for the conditional K",
    refuses={
        "the K of (7.51)": {"printed": True},
        "K with + h h^T/V": {"sign": -1},
    },
    unchecked={
        "n": "a mean of n concave functions; the steps have one record",
        "y": "only in the part that is linear in b",
        "K": "the steps have b^T K b, as a form in b1 and b2",
    },
)
def concave(printed: bool = False, sign: int = 1) -> Outcome:
    """b^T K b = ||b_mis||^2 - <h, b>^2/V + <m, b>^2, h the missing part of b', V = s + ||h||^2.

    The first two are the variance of <b, x_mis> - c (<h, x_mis> + noise) at c = <h, b>/V, where the
    two are uncorrelated [step "conditional"]. Two missing coordinates [step "two"]; with more only
    the sums are longer.
    """
    h1, h2, b1, b2, s, seen, a = reals("h1 h2 b1 b2 s seen a")
    inner, total = h1 * b1 + h2 * b2, s + h1 * h1 + h2 * h2
    fit = seen + a * inner
    if printed:  # n = (1 - z) m = a h
        form = b1 * b1 + b2 * b2 + fit * fit - a * a * inner * inner
        return derived(two=for_all(form >= 0, s > 0))
    form = (b1 * b1 + b2 * b2 + fit * fit) * total - sign * inner * inner
    square, product, variance, c = sp.symbols("b_b h_b V c", positive=True)
    apart = square - 2 * c * product + c**2 * variance
    return derived(
        conditional=identity(
            (sp.diff(apart, c).subs(c, product / variance), 0),
            (apart.subs(c, product / variance), square - sign * product**2 / variance),
        ),
        two=for_all(form >= 0, s > 0),
    )


@statement(
    "004 M_n of missing covariates",
    lines="9788-9792",
    kind="identity",
    printed="(mean K)^-1 (mean y m), K of (7.51), maximises Q_n (with b for b' in the last factor)",
    false="mean K of (7.51) need not be positive semidefinite, and then Q_n has no maximum; it is "
    "for n large, as E K = I at beta*",
    errata=("model-rmc/E4",),
)
def missing_maximiser() -> Outcome:
    """n = 1, b' = (1/2, 1), sigma = 1, x_1 = 1, x_2 missing, y = 8: m = (1, 15/4).

    K = ((1, 15/4), (15/4, 1)) is indefinite; b is M_n + 10 (1, -1).
    """
    a, y = Fraction(15, 4), Fraction(8)
    determinant = 1 - a * a
    best = ((y - a * y * a) / determinant, (y * a - a * y) / determinant)

    def q(b: tuple[Fraction, Fraction]) -> Fraction:
        linear = y * (b[0] + a * b[1])
        return linear - (b[0] ** 2 + 2 * a * b[0] * b[1] + b[1] ** 2) / 2

    point = {"n": 1, "x_1": 1, "y": 8, "given": [0.5, 1.0], "M_n": [float(v) for v in best]}
    return refuted(point, q((best[0] + 10, best[1] - 10)), q(best), "Q_n far away against Q_n(M_n)")


@missing_maximiser.corrected(
    "with K = E[x x^T | x_obs, y], where mean K is invertible",
    refuses={
        "the K of (7.51)": {"printed": True},
        "(mean K)^-1 (mean m)": {"with_y": False},
        "2 (mean K)^-1 (mean y m)": {"times": 2},
    },
    unchecked={
        "x, x_obs": "only in K, which the steps have",
    },
)
def missing_maximiser_of_concave(
    printed: bool = False, with_y: bool = True, times: int = 1
) -> Outcome:
    """A stationary point [step "stationary", one record, d = 2] of a concave function."""
    y, *entries = sp.symbols("y k11 k12 k22 m1 m2 b1 b2", real=True)
    b, m = sp.Matrix(entries[5:]), sp.Matrix(entries[3:5])
    K = sp.Matrix([[entries[0], entries[1]], [entries[1], entries[2]]])
    q = (y * b.T * m)[0] - (b.T * K * b)[0] / 2
    best = times * K.inv() * m * (y if with_y else 1)
    slopes = [sp.diff(q, own).subs(dict(zip(b, best, strict=True))) for own in b]
    return derived(concave=concave(printed), stationary=identity(*((slope, 0) for slope in slopes)))
