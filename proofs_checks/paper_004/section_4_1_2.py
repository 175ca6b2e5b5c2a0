"""Section 4.1.2: Minkowski norms and Gaussian widths."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.special import log_ndtr

from proofs_checks.balls import ball, exp, loggamma, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    every,
    for_all,
    identity,
    less,
    rational,
    reals,
    searched,
    symbols,
)
from reference.constraint_sets import L1Ball, L2Ball

FRANK_WOLFE = ("diss-4.1.19",)
statement = partial(any_statement, algorithms=FRANK_WOLFE)


@statement(
    "004 Definition 4.1.2",
    lines="2772",
    kind="definition",
    printed="||v||_C = min{r: v in r C}, dual max_C |<w, v>|",
    refuses={"0.99 ||v||_C* ||w||_C": {"share": "0.99"}},
)
def dual_norms(rng: np.random.Generator, share: str = "1") -> Outcome:
    """<v, w> <= ||v||_C* ||w||_C in general, and the code's linear minimisers attain the dual norm.

    If w = r c with c in C and r = ||w||_C, then <v, w> = r <v, c>. The dual norms of the l1 and l2
    balls of radius s are s ||v||_inf and s ||v||_2.
    """
    inner, dual, r = reals("inner dual r")
    worst, tried = 0.0, 100
    for _ in range(tried):
        v = rng.standard_normal(5)
        radius = float(rng.uniform(0.1, 3))
        l1, l2 = L1Ball(radius), L2Ball(radius)
        worst = max(
            worst,
            abs(-float(v @ l1.linear_minimizer(v)) - radius * float(np.abs(v).max())),
            abs(-float(v @ l2.linear_minimizer(v)) - radius * float(np.linalg.norm(v))),
        )
    return definition(
        for_all(r * inner <= rational(share) * dual * r, r >= 0, z3.Abs(inner) <= dual),
        searched(worst, 1e-12, tried=tried, what="code's dual norm off the closed form"),
    )


def maximum_moments(p: int) -> tuple[float, float]:
    """Return E max|b_j| and E max|b_j|^2 of p standard normals, by quadrature of the tail."""
    x = np.linspace(0, 12, 6_001)
    tail = -np.expm1(p * np.log1p(-2 * np.exp(log_ndtr(-x[1:]))))
    tail = np.concatenate([[1.0], tail])
    weights = np.full(x.size, x[1])
    weights[[0, -1]] /= 2
    return float(weights @ tail), float(weights @ (2 * x * tail))


DIMENSIONS = (1, 2, 5, 10, 100, 1000, 10**6)


@statement(
    "004 Definition 4.1.3",
    lines="2774-2776",
    kind="definition",
    printed="G_C = E sup_C <b, w>; O(sqrt(log p)) for the l1 ball",
    checked="G_C <= sqrt(2 log(2p)), at most 2 sqrt(log p) for p >= 2",
    refuses={"sqrt(log(2p))": {"factor": 1}, "1.9 sqrt(log p)": {"constant": "1.9"}},
    unchecked={
        "G_C, C": "what is defined: of the l1 ball E max |b_j|, which the steps bound",
    },
)
def width_of_l1(factor: int = 2, constant: str = "2") -> Outcome:
    """exp(t E max |b_j|) <= 2 p e^(t^2/2) by Jensen's inequality and the sum over +-b_j.

    So E max |b_j| <= ln(2p)/t + t/2, at t = sqrt(2 ln(2p)) the claim [step "best"]; and ln(2p) <=
    2 ln p [step "logarithm"]. Quadrature agrees [step "quadrature"]. The width of the s-sparse unit
    vectors needs log(e p/s) for the log(p/s) of l.2776, which is 0 at s = p.
    """
    size = symbols("log_2p")
    t = sp.sqrt(2 * size)
    two, extra = reals("log_2 extra")  # ln p = ln 2 + extra
    worst = max(maximum_moments(p)[0] / math.sqrt(factor * math.log(2 * p)) for p in DIMENSIONS)
    square = rational(constant) * rational(constant)
    return definition(
        derived(
            best=identity((size / t + t / 2, sp.sqrt(factor * size))),
            logarithm=for_all(2 * (2 * two + extra) <= square * (two + extra), two > 0, extra >= 0),
            quadrature=searched(worst, 1, tried=len(DIMENSIONS), what="width over the bound"),
        )
    )


@statement(
    "004 Lemma 4.1.1",
    lines="2778",
    kind="concentration",
    printed="E(max_C <w, v>)^2 = O(G_C^2 + ||C||_2^2), v ~ N(0, I)",
    checked="<= G_C^2 + ||C||_2^2/4, C symmetric",
    refuses={
        "G_C^2 + ||C||_2^2/9": {"share": "1/9"},
        "G_C^2": {"share": "0"},
        "G_C for G_C^2": {"power": 1},
    },
    unchecked={
        "v": "of its law the steps have quadrature and E||v||^2 = p; Poincare's "
        "inequality is cited",
    },
)
def width_moment(share: str = "1/4", power: int = 2) -> Outcome:
    """The Gaussian Poincare inequality (cited): Var max <= E ||gradient||^2 <= radius^2.

    The gradient of max_C <w, v> is its maximiser, no longer than the radius, half the diameter
    [step "radius", diameter = ||C||_2]; E W^2 = G_C^2 + Var, W = max_C <w, v> [step "variance",
    mean = G_C]. The l1 ball by quadrature; the l2 ball,
    E||v||^2 = p and G_C = sqrt 2 Gamma((p+1)/2)/Gamma(p/2), by balls.
    """
    mean, second = symbols("mean second")
    norm, diameter = reals("norm diameter")
    worst = 0.0
    for p in DIMENSIONS:
        first, square = maximum_moments(p)
        worst = max(worst, square / (first**2 + 4 * float(sp.Rational(share))))
    euclidean = []
    for p in (1, 2, 3, 10, 100, 1000):
        ratio = loggamma(ball(p + 1) / 2) - loggamma(ball(p) / 2)
        euclidean.append(less(ball(p), (sqrt(ball(2)) * exp(ratio)) ** power + 4 * ball(share)))
    return derived(
        radius=for_all(norm**2 <= rational(share) * diameter**2, norm >= 0, 2 * norm <= diameter),
        variance=identity((mean**power + (second - mean**2), second)),
        l1=searched(worst, 1, tried=len(DIMENSIONS), what="second moment over the bound"),
        l2=every(*euclidean),
    )
