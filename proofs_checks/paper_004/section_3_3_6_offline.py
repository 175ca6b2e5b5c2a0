"""Section 3.3.6: proof of Theorem 3.3.6, the sensitivity and the error of the average.

Tails of chi square with d degrees of freedom are tails of the squared norm of the noise.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from mpmath import mp

from proofs_checks.balls import ball, log
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.gaussian_noise import norm_of_vector_in_two_terms
from proofs_checks.paper_004.section_3_3_3 import averaged
from proofs_checks.paper_004.section_3_3_4 import (
    OTHER_ORDERS,
    average,
    convex_rates,
    no_step,
    order_of_noise,
)
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, less, rational, reals, refuted

statement = partial(any_statement, algorithms=("diss-3.3.14", "diss-3.3.15"))


@statement(
    "004 (3.138)",
    lines="2603-2607",
    kind="sensitivity",
    printed="||w_bar - w_bar'||_2 <= (sum_{t=1}^n 8G/(alpha t))/n <= 8G log(n)/(n alpha)",
    checked="the same with the sum from T_1 + 1 on",
    repair="the first T_1 points, which do not move, are left out: 1 + 1/2 + .. + 1/n > log n",
    refuses={
        "4.2 G": {"constant": "4.2"},
        "n^2 for n": {"records": 2},
        "8 G^2": {"sizes": 2},
        "alpha^2 for alpha": {"weights": 2},
        "without log n": {"logs": 0},
        "the sum from t = 1 on": {"first": 1},
    },
    errata=("004 (3.138)/E1",),
)
def sensitivity_of_average(
    constant: str = "8",
    records: int = 1,
    sizes: int = 1,
    weights: int = 1,
    logs: int = 1,
    first: int = 8,
) -> Outcome:
    """See :func:`proofs_checks.paper_004.section_3_3_4.average`; the triangle inequality.

    T_1 >= 7, so that the sum begins at 8 or later; for n = 100 it is computed [step "hundred"].
    """
    inverses = sum((1 / ball(t) for t in range(first, 101)), ball(0))
    return derived(
        average=average(constant, records, sizes=sizes, weights=weights, logs=logs),
        hundred=less(inverses, log(ball(100))),
    )


def split_error(factor: str = "1", complexity: str = "4") -> Outcome:
    """L_P is G-Lipschitz; the rest is Lemma 3.3.5 for the un-noised path."""
    error, noise, rest, size, distance = reals("error noise rest G distance")
    return derived(
        split=for_all(
            error <= rational(factor) * size * distance + rest,
            *(size > 0, distance > 0, noise <= size * distance, error <= noise + rest),
        ),
        lemma=averaged(complexity),
    )


@statement(
    "004 (3.139)",
    lines="2609-2611",
    kind="approximation",
    printed="L_P(w^) - min L_P <= L_P(w^) - L_P(w~) + L_P(w~) - min L_P",
    refuses={"half of L_P(w^) - L_P(w~)": {"half": "1/2"}},
)
def added_and_subtracted(half: str = "1") -> Outcome:
    """An equality.

    Here risk = L_P(w^), middle = L_P(w~) and smallest = min L_P.
    """
    risk, middle, smallest = reals("risk middle smallest")
    return for_all(
        risk - smallest <= rational(half) * (risk - middle) + middle - smallest, risk >= middle
    )


@statement(
    "004 (3.140)",
    lines="2613",
    kind="utility",
    printed="<= G ||w^ - w_bar|| + G ||w_bar - w~|| + 4/(n-1) sum_t R_{t-1} + R_GIGA(n, D)/n + "
    "6 G |C| sqrt(log(n/zeta)/n)",
    checked="the same with R_GIGA the regret of the path, its random points included; not at most "
    "2 G^2 (1 + log n)/alpha (see l.2533); 1/(n-1), 1/n and the last root are taken from Lemma "
    "3.3.5",
    refuses={
        "half of G ||w^ - w~||": {"factor": "1/2"},
        "half of 4 R_{t-1}": {"complexity": "2"},
        "half of ||w_bar - w~||": {"noise": "1/2"},
        "5 G |C|": {"tail": "5"},
    },
    unchecked={"R_GIGA": "the regret over n, bound in the steps"},
)
def offline_error(
    factor: str = "1", complexity: str = "4", noise: str = "1", tail: str = "6"
) -> Outcome:
    """(3.139), Lemma 3.3.5 for w~, and the triangle inequality; w~ is in C.

    The losses are in an interval of length B <= G |C| [step "deviation", r the square root].

    w^ is the projection of w_bar, so that ||w^ - w_bar|| <= ||w_bar - w~||. w~ averages w_1..w_n,
    the parameters of n + 1 records.
    """
    total, first, second = reals("total first second")
    spread, size, diameter, r = reals("B G C r")
    return derived(
        error=split_error(factor, complexity),
        deviation=for_all(
            6 * spread * r <= rational(tail) * size * diameter * r,
            *(spread >= 0, spread <= size * diameter, r > 0),
        ),
        triangle=for_all(
            total <= 2 * rational(noise) * second,
            *(second >= 0, first >= 0, first <= second, total <= first + second),
        ),
    )


def tail(d: int, squared: Any) -> Any:
    """Return P(chi^2_d > squared)."""
    return mp.gammainc(mp.mpf(d) / 2, mp.mpf(squared) / 2, regularized=True)


@statement(
    "004 l.2623 (norm of the noise)",
    lines="2621-2623",
    kind="concentration",
    printed="||sigma||_2 <= 8 G sqrt(2 d log(1/zeta) log(1.25/delta)) log(n)/(alpha n epsilon) = "
    "sigma_0 sqrt(d log(1/zeta)) with probability 1 - zeta",
    false="fails with probability .99 at d = 100, zeta = 1/2: chi^2_100 has mean 100 > 69",
    errata=("diss-3.3.14/E2",),
)
def norm_of_noise() -> Outcome:
    """sigma_0^2 = 128 G^2 log^2(n) log(1.25/delta)/(alpha n epsilon)^2, the noise's variance."""
    d, zeta = 100, mp.mpf(1) / 2
    point = {"d": d, "zeta": 0.5}
    return refuted(point, tail(d, d * mp.log(1 / zeta)), zeta, "P(||sigma|| > bound)")


@norm_of_noise.corrected(
    "sigma_0 (sqrt(d) + sqrt(2 ln(1/zeta)))",
    refuses={
        "sqrt(d) + sqrt(ln(1/zeta))": {"deviation": "1"},
        "without sqrt(d)": {"root": "0"},
    },
    unchecked={"sigma_0": "the unit: the steps have N(0, I)"},
)
def norm_of_noise_with_both_terms(deviation: str = "2", root: str = "1") -> Outcome:
    """See :func:`proofs_checks.paper_004.gaussian_noise.norm_of_vector_in_two_terms`.

    Here p stands for d and x = ln(1/zeta).
    """
    return norm_of_vector_in_two_terms(deviation, root)


@statement(
    "004 (3.141)",
    lines="2629-2635",
    kind="utility",
    printed="alpha = O(1/sqrt(n)): L_P(w_bar) - min L_P = O(sqrt(d) G^2 |C|^2 log(n/zeta) "
    "sqrt(log 1/delta) log(n)/(sqrt(n) epsilon) + (1/n) sum_t R_t)",
    false="as (3.119): no step is made unless alpha > 4L/sqrt(n)",
    errata=("diss-3.3.15/E1",),
)
def convex_average() -> Outcome:
    """See :func:`proofs_checks.paper_004.section_3_3_4.no_step`."""
    return no_step(logarithms=1)


@convex_average.corrected(
    "for G, |C| >= 1, n >= 3 and log(n/zeta) <= log(n)^2 the same for T_1 = ceil(L~/alpha) and "
    "eta_t = 2/(alpha t)",
    refuses={
        "alpha of order n^(-1/3)": {"power": "1/3"},
        "for log(n/zeta) <= log(n)^3": {"range_of_logs": 3},
        "|C| for |C|^2": {"diameters": 1},
        **OTHER_ORDERS,
    },
    unchecked={"eta_t, t": "not in these steps: for the path with these step sizes see (3.119)"},
)
def convex_average_with_few_random_points(
    power: str = "1/2", range_of_logs: int = 2, diameters: int = 2, **order: Any
) -> Outcome:
    """See :func:`proofs_checks.paper_004.section_3_3_4.convex_rates` and ``order_of_noise``.

    Its log^1.5(n/zeta) is at most log(n/zeta) log(n) if log(n/zeta) <= log(n)^2 [step "logs"].
    """
    level, log_n, root = reals("l log_n sqrt_l")
    return derived(
        rates=convex_rates(power, diameters),
        noise=order_of_noise(**order),
        logs=for_all(
            level * root <= level * log_n,
            *(
                level >= 1,
                log_n >= 1,
                root >= 1,
                root * root == level,
                level <= log_n**range_of_logs,
            ),
        ),
    )
