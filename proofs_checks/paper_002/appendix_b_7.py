"""Appendix B.7: proof of Theorem 5.4."""

from __future__ import annotations

from functools import partial

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_1 import contraction
from proofs_checks.paper_002.facts import triangle
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, identity, less, rational, reals, symbols

statement = partial(any_statement, algorithms=("zhang-4",))


@statement(
    "002 (31)",
    lines="901-905",
    kind="optimisation",
    printed="||beta^{t+1} - beta*|| <= kappa ||beta^t - beta*|| + ||W_t|| + eta ||f_T - grad Q_n0||"
    " + eta alpha",
    refuses={"0.9 of a term": {"factor": "0.9"}, "kappa^2": {"power": 2}},
)
def recursion(factor: str = "1", power: int = 1) -> Outcome:
    """The step is the population step and three errors [step "sum"].

    Lemma B.3 bounds the former by kappa e, e = ||beta^t - beta*|| [step "contraction"], and the
    triangle inequality adds the others [steps "two terms", "terms"; k = kappa].
    """
    b, eta, g, sample, population, w, truth = symbols("b eta g q p w truth", real=True)
    parts = (b + eta * population - truth) + eta * (sample - population) + eta * (g - sample) + w
    after, step, k, e, noise, cut, drawn, rate, alpha = reals(
        "after step k e W cut drawn eta alpha"
    )
    return derived(
        sum=identity((b + eta * g + w - truth, parts)),
        two_terms=triangle(),
        contraction=contraction(),
        terms=for_all(
            after <= k**power * e + rational(factor) * (noise + rate * cut + rate * alpha),
            *(k > 0, k < 1, e >= 0, noise >= 0, cut >= 0, alpha >= 0, rate > 0, step <= k * e),
            *(drawn <= alpha, after <= step + noise + rate * cut + rate * drawn),
        ),
    )


@statement(
    "002 (32)",
    lines="909-911",
    kind="concentration",
    printed="P(||W_t||^2 >= sigma^2 (1+c) d) <= c0 exp(-min(c^2, c) d/8)",
    refuses={
        "min(c^2, c) d/6": {"eighth": 6},
        "min(c^2, c)/8": {"count": 0},
        "sigma (1+c) d": {"scale": 1},
    },
    unchecked={
        "c0": "1 in the steps",
    },
)
def chi_square_tail(eighth: int = 8, count: int = 1, scale: int = 2) -> Outcome:
    """c0 = 1. Chernoff at t = c/(2(1+c)): exponent -d (c - log(1+c))/2 [step "chernoff"].

    f = c - log(1+c) - 2 c^2/8 on [0, 1] has slope c (1/(1+c) - 4/8) [step "slope"], first positive
    and then not: its least values are f(0) = 0 and f(1) > 0 [step "one"]. From 1 on
    c - log(1+c) - 2 c/8 increases [step "beyond"].
    """
    c = symbols("c")
    t = c / (2 * (1 + c))
    d, sigma = symbols("d sigma")
    exponent = -t * sigma**scale * (1 + c) * d / sigma**2 - d * sp.log(1 - 2 * t) / 2
    f = c - sp.log(1 + c) - 2 * c**2 / eighth
    r = reals("c")
    return derived(
        chernoff=identity((sp.exp(exponent), sp.exp(-(d**count) * (c - sp.log(1 + c)) / 2))),
        slope=identity((sp.diff(f, c), c * (1 / (1 + c) - sp.Rational(4, eighth)))),
        one=less(log(ball(2)), 1 - ball(2) / eighth),
        beyond=for_all((1 + r) * (eighth - 2) >= eighth, r >= 1),
    )
