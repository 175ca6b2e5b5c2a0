"""Section 3.3.3: offline pairwise learning by the average of the online parameters."""

from __future__ import annotations

from functools import partial
from typing import Any

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_3_3_2 import CONVEX_ORDERS, regularised
from proofs_checks.paper_004.section_3_3_2_buffer import STRONG_ORDERS, products
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols

statement = partial(any_statement, algorithms=("diss-3.3.9", "diss-3.3.10"))

HYPOTHESES = "Lemma 3.3.5; G, L, |C| >= 1 (>= alpha), epsilon <= 1 and delta <= 1/e, as products "
HYPOTHESES += "stand for sums"


def absorbed(power: str = "1/4") -> Outcome:
    """6 B sqrt(log(n/zeta)/(n-1)) is of the order of a term of order log^1.5(n/zeta)/n^(1/4).

    B = G |C|; sqrt(n/(n-1)) <= sqrt(2) [step "count"], G |C| <= L^2 G^2 |C|^2 [step "product"] and
    n^(-1/2) <= n^(-1/4) [step "powers", k = n^(1/4)].
    """
    size, smooth, diameter, n, k = reals("G L C n k")
    m = symbols("n")
    return derived(
        count=for_all(n <= 2 * (n - 1), n >= 2),
        product=for_all(
            size * diameter <= smooth * smooth * size * size * diameter * diameter,
            *(size >= 1, smooth >= 1, diameter >= 1),
        ),
        powers=for_all(k <= k * k, k >= 1),
        rate=identity((m ** sp.Rational(3, 4) / m, m ** -sp.Rational(power))),
    )


def averaged(complexity: str = "4", events: int = 2) -> Outcome:
    """Lemma 3.3.5 with the regret bound of an event of probability 1 - zeta [step "sum"].

    Both hold with probability 1 - 2 zeta [step "union"].

    Here error = Err_P(w_bar), Err_P = L_P(w_bar) - min L_P and R = sum_t R_{t-1}/(n-1), for the
    mean w_bar of the path.
    """
    error, radius, regret, tail, bound = reals("error R regret tail bound")
    zeta, first, second = reals("zeta first second")
    return derived(
        sum=for_all(
            error <= rational(complexity) * radius + bound + tail,
            *(radius >= 0, tail >= 0, regret <= bound, error <= 4 * radius + regret + tail),
        ),
        union=for_all(
            1 - first - second >= 1 - events * zeta, first <= zeta, second <= zeta, zeta > 0
        ),
    )


@statement(
    "004 Theorem 3.3.5",
    lines="2274-2280, 2583-2599",
    kind="utility",
    printed="with probability 1 - 2 zeta the mean of the outputs has (3.116), and (3.117) for "
    "strongly convex losses",
    added=HYPOTHESES,
    refuses={
        "a quarter of the Rademacher averages": {"complexity": "1"},
        "probability 1 - zeta": {"events": 1},
        "n^(1/2) in (3.116)": {"power": "1/2"},
        "|C| for |C|^2 in (3.116)": {"diameters": 1},
        **STRONG_ORDERS,
    },
)
def generalisation(
    complexity: str = "4", events: int = 2, power: str = "1/4", diameters: int = 2, **rates: Any
) -> Outcome:
    """See :func:`averaged`, with Theorems 3.3.2 and 3.3.3, and :func:`absorbed`."""
    return derived(
        average=averaged(complexity, events),
        absorbed=absorbed(power),
        convex=regularised(diameters=diameters),
        products=products(**rates),
    )


@statement(
    "004 (3.116)",
    lines="2276, 2597-2599",
    kind="utility",
    algorithms=("diss-3.3.10",),
    printed="Err_P(w_bar) = O(sum_t R_{t-1}/(n-1) + L^2 G^2 |C|^2 sqrt(d) log^1.5(n/zeta) "
    "sqrt(log 1/delta)/(epsilon n^(1/4)))",
    added=HYPOTHESES,
    refuses={
        "n^(1/2)": {"records": "1/2"},
        "half of 4 R_{t-1}": {"complexity": "2"},
        **CONVEX_ORDERS,
    },
)
def convex_generalisation(records: str = "1/4", complexity: str = "4", **rates: Any) -> Outcome:
    """(3.110) over n - 1; see :func:`averaged` and :func:`absorbed`."""
    return derived(
        average=averaged(complexity), absorbed=absorbed(records), rates=regularised(**rates)
    )


@statement(
    "004 (3.117)",
    lines="2278-2280",
    kind="utility",
    algorithms=("diss-3.3.9",),
    printed="alpha-strongly convex: Err_P(w_bar) = O(sum_t R_{t-1}/(n-1) + G^2 L^2 |C| sqrt(d) "
    "log^1.5(n/zeta) sqrt(log 1/delta)/(alpha^2 epsilon sqrt(n)))",
    added=HYPOTHESES,
    refuses={"half of 4 R_{t-1}": {"complexity": "2"}, **STRONG_ORDERS},
)
def strongly_convex_generalisation(complexity: str = "4", **rates: Any) -> Outcome:
    """(3.108) over n - 1; see :func:`averaged`."""
    return derived(average=averaged(complexity), products=products(**rates))


@statement(
    "004 Remark 3.3.2",
    lines="2282",
    kind="remark",
    printed="Example 1: O~(d/(epsilon n^(1/4))), regularised O~(d/(epsilon sqrt(n))); Example 2 "
    "with sqrt(d) for d",
    checked="sqrt of the number of parameters, d^2 entries of W or d, in (3.116) and (3.117); the "
    "Rademacher averages, at most 4/sqrt(t) (l.2055), are of lower order",
    added="d is the dimension of x; G, L, |C| and alpha (in (3.117)) do not depend on n",
    refuses={
        "sqrt(d) for Example 1": {"entries": 1},
        "d for Example 2": {"weights": 2},
        "n^(1/2) in the convex case": {"convex": "1/2"},
        "n^(1/4) for regularised losses": {"strongly": "1/4"},
        "averages of 1/t^(1/5)": {"average": "1/5"},
    },
)
def examples(
    entries: int = 2,
    weights: int = 1,
    convex: str = "1/4",
    strongly: str = "1/2",
    average: str = "1/2",
) -> Outcome:
    """(3.116) is (3.110) over n: n^(3/4)/n [step "rates"]; (3.117) is n^(1/2)/n.

    Of the d^2 entries of W d (d+1)/2 are free [step "free"]. The mean over t <= n of t^(-1/2) is at
    most 2 n^(-1/2), its integral over n, and n^(-1/2) <= n^(-1/4) [steps "mean", "averages"].
    """
    d, n, epsilon, t = symbols("d n epsilon t")
    p, q = sp.Rational(convex), sp.Rational(strongly)
    first, second = sp.sqrt(d**entries), sp.sqrt(d**weights)
    size, fourth = reals("d n^(1/4)")
    share = sp.Rational(average)
    mean = sp.integrate(t**-share, (t, 0, n)) / n
    return derived(
        rates=identity(
            (first * n ** sp.Rational(3, 4) / n / epsilon, d / (epsilon * n**p)),
            (second * n ** sp.Rational(3, 4) / n / epsilon, sp.sqrt(d) / (epsilon * n**p)),
            (first * sp.sqrt(n) / n / epsilon, d / (epsilon * n**q)),
            (second * sp.sqrt(n) / n / epsilon, sp.sqrt(d) / (epsilon * n**q)),
        ),
        free=for_all(size * (size + 1) / 2 <= size * size, size >= 1),
        mean=identity((mean, 2 / sp.sqrt(n))),
        averages=for_all(fourth <= fourth * fourth, fourth >= 1),
    )
