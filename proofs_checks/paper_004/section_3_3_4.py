"""Section 3.3.4: output perturbation of the average of Pairwise GIGA."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from proofs_checks.basics import gaussian_at_small_epsilon
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.pairwise import harmonic, stable, stable_with_buffer
from proofs_checks.statement import Wrong
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, refuted, symbols

statement = partial(any_statement, algorithms=("diss-3.3.14", "diss-3.3.15"))

CONSTANTS = (1.0, 10.0, 100.0, 1000.0)
ZETA, DELTA, N = 0.1, 1e-6, 10**20

OTHER_ORDERS: Wrong = {
    "log(n/zeta) for log^1.5": {"logarithms": "1"},
    "d for sqrt(d)": {"dims": "1"},
    "G for G^2": {"sizes": 1},
    "alpha^2 in the noise": {"weights": 2},
    "n^2": {"records": 2},
    "epsilon^2": {"budgets": 2},
    "log(1/delta) without the root": {"tails": "1"},
}
"""Wrong orders of the noise, for :func:`order_of_noise`."""


def average(
    constant: str = "8", records: int = 1, *, sizes: int = 1, weights: int = 1, logs: int = 1
) -> Outcome:
    """The average moves by at most (8G/(alpha n)) ln(n/T_1) <= 8G ln(n)/(alpha n) [step "average"].

    The first T_1 parameters do not move; see :func:`proofs_checks.paper_004.pairwise.stable` and
    :func:`proofs_checks.paper_004.pairwise.harmonic`; T_1 >= 1 [step "first phase"].
    """
    sum_of_inverses, logarithm, start = reals("sum log_n log_T1")
    moved, n, alpha, size = reals("moved n alpha G")
    return derived(
        average=for_all(
            moved * alpha**weights * n**records
            <= rational(constant) * size**sizes * logarithm**logs,
            *(n >= 1, alpha > 0, size > 0, logarithm > 0, sum_of_inverses <= logarithm),
            moved * alpha * n <= rational(constant) * size * sum_of_inverses,
        ),
        path=stable(constant),
        harmonic=harmonic(),
        first_phase=for_all(
            sum_of_inverses <= logarithm, start >= 0, sum_of_inverses <= logarithm - start
        ),
    )


def output_privacy(variance: int = 128) -> Outcome:
    """128 G^2 ln^2(n) ln(1.25/delta)/(alpha n epsilon)^2 is 2 ln(1.25/delta) Delta^2/epsilon^2.

    Delta = 8G ln(n)/(alpha n) [step "variance"]; the Gaussian mechanism (Definition 2.1.3) for
    epsilon <= 1 [step "mechanism"].
    """
    size, alpha, n, epsilon, log_n, tail = symbols("G alpha n epsilon log_n tail")
    printed = variance * size**2 * log_n**2 * tail / (alpha * n * epsilon) ** 2
    sensitivity = 8 * size * log_n / (alpha * n)
    return derived(
        variance=identity((printed, 2 * tail * sensitivity**2 / epsilon**2)),
        mechanism=gaussian_at_small_epsilon(),
    )


def excess(
    share: float, constant: float, *, alpha: float, diameter: float = 2.0
) -> tuple[float, float]:
    """Return a lower bound of the excess risk and c times the bound (3.118) without its burn-in.

    The unit ball of the plane, l = L (w_1 - 1/2)^2/2 + alpha w_2^2/2 for all records, L = 1, all
    random points 0: in the first ``share`` of the n parameters w_1 = 0, and afterwards w_1 is
    between 0 and 1/2, so that w_1 of the average is at most (1 - share)/2. The noise is of the
    other sign with probability 1/2 > 2 zeta, and then adds to the excess. R_t <= max|l|/sqrt(t),
    and the mean of 1/sqrt(t) over t <= n is at most 2/sqrt(n).
    """
    dimension, size, most = 2, 1.5 + alpha, 9 / 8 + alpha / 2
    rate = math.sqrt(dimension * math.log(1 / DELTA)) * size**2 * diameter * math.log(N / ZETA)
    bound = rate / (alpha * N) + 2 * most / math.sqrt(N)
    return (share / 2) ** 2 / 2, constant * bound


@statement(
    "004 Theorem 3.3.6",
    lines="2330-2336, 2601-2636",
    kind="utility",
    printed="OffPairStrC is (epsilon, delta)-DP for 0 < epsilon, delta <= 1 and has (3.118); "
    "OffPairC is, if alpha = O(1/sqrt(n)), and has (3.119)",
    false="(3.118) lacks the first phase of T_1 random points, by which (3.119) fails; the "
    "privacy holds, for every alpha",
    errata=("diss-3.3.14/E1", "diss-3.3.15/E1"),
)
def offline_theorem() -> Outcome:
    """As (3.118)."""
    return without_burn_in()


def without_burn_in() -> Outcome:
    """T_1 = n/2 at alpha = L sqrt(32/n): half of the averaged points are random.

    With any constant c in (3.118) up to 1000; a larger n defeats any c.
    """
    alpha = math.sqrt(32 / N)
    found = {f"{c:g}": excess(0.5, c, alpha=alpha) for c in CONSTANTS}
    left, right = found["1000"]
    point = {
        "n": N,
        "T_1": N // 2,
        "alpha": alpha,
        "epsilon": 1.0,
        "delta": DELTA,
        "zeta": ZETA,
        "c times (3.118), by c": {c: bound for c, (_, bound) in found.items()},
        "probability": "at least 1/2",
    }
    return refuted(point, left, right, "excess risk against c times (3.118)")


@offline_theorem.corrected(
    "OffPairStrC and OffPairC are (epsilon, delta)-DP for epsilon <= 1; (3.118) with "
    "G L^2 |C|/(alpha^2 n) added, and (3.119) with T_1 = ceil(L~/alpha), eta_t = 2/(alpha t) and "
    "sensitivity 4 G~ ln(n/T_1)/(alpha n), both for G, |C| >= 1 and with log^1.5(n/zeta)",
    refuses={
        "64 G^2 for 128 G^2": {"variance": 64},
        "4 G/(alpha t) with the printed steps": {"path": "4"},
        "3.9 G/(alpha t) with the corrected steps": {"corrected": "3.9"},
        "4 G/(alpha^2 t) with the corrected steps": {"weights_of_path": 2},
        "L for L^2": {"smooth": 1},
        "alpha of order n^(-1/3)": {"power": "1/3"},
        **OTHER_ORDERS,
    },
)
def offline(
    variance: int = 128,
    path: str = "8",
    corrected: str = "4",
    smooth: int = 2,
    power: str = "1/2",
    weights_of_path: int = 1,
    **order: Any,
) -> Outcome:
    """Privacy [steps "average", "privacy"], first phase and noise (3.118) and rates (3.119)."""
    return derived(
        average=average(path),
        privacy=output_privacy(variance),
        first_phase=burn_in_of_average(smooth=smooth),
        noise=order_of_noise(**order),
        corrected_steps=stable_with_buffer(corrected, weights=weights_of_path),
        rates=convex_rates(power),
    )


def burn_in_of_average(factor: str = "1", smooth: int = 2, diameters: int = 1) -> Outcome:
    """The first T_1 rounds add G T_1 |C| to the regret, over n; T_1 <= 17 L^2/alpha^2.

    A loss moves by at most G |C| over C, in each of T_1 rounds [steps "count" and "term"].
    """
    regret, rest, size, diameter, start, ratio = reals("regret rest G C T_1 ratio")
    G, L, C, alpha, n = symbols("G L C alpha n")
    share = rational(factor)
    return derived(
        count=for_all(
            regret <= rest + share * 17 * size * diameter * ratio,
            *(size > 0, diameter > 0, ratio >= 1, start < 16 * ratio + 1, start >= 7),
            regret <= rest + size * diameter * start,
        ),
        term=identity(
            (17 * G * C * (L / alpha) ** 2 / n, 17 * G * L**smooth * C**diameters / (alpha**2 * n))
        ),
    )


def order_of_noise(
    logarithms: str = "3/2",
    *,
    dims: str = "1/2",
    sizes: int = 2,
    weights: int = 1,
    records: int = 1,
    budgets: int = 1,
    tails: str = "1/2",
) -> Outcome:
    """G ||sigma|| in powers: G^2 sqrt(d) l^(3/2) sqrt(log 1/delta)/(alpha n epsilon).

    ||sigma|| <= sigma_0 (sqrt(d) + sqrt(2 ln(1/zeta))) (l.2623), sigma_0 = 8 G ln(n)
    sqrt(2 ln(1.25/delta))/(alpha n epsilon), and l = ln(n/zeta) >= 1: the sum is at most
    (1 + sqrt 2) sqrt(d l) [step "norm"], and ln(n) <= l. ln(1.25/delta) stands as a = log(1/delta),
    of whose order it is; the |C| of the rate is at least 1.
    """
    size, n, alpha, epsilon, d, a, level = symbols("G n alpha epsilon d a l")
    norm = (1 + sp.sqrt(2)) * sp.sqrt(d * level)
    noise = size * 8 * size * level * sp.sqrt(2 * a) / (alpha * n * epsilon) * norm
    powers = [sp.Rational(x) for x in (dims, logarithms, tails)]
    shown = size**sizes * d ** powers[0] * level ** powers[1] * a ** powers[2]
    shown /= alpha**weights * n**records * epsilon**budgets
    root_d, root_l, tail, two = reals("sqrt_d sqrt_l sqrt_tail root2")
    return derived(
        order=identity((noise, 8 * (sp.sqrt(2) + 2) * shown)),
        norm=for_all(
            root_d + two * tail <= (1 + two) * root_d * root_l,
            *(root_d >= 1, root_l >= 1, tail >= 0, tail <= root_l, two > 0, two * two == 2),
        ),
    )


def convex_rates(power: str = "1/2", diameters: int = 2, sizes: int = 2) -> Outcome:
    """alpha = n^(-1/2), T_1 <= L~/alpha + 1 <= 2 L~/alpha: all terms are O(n^(-1/2)).

    Noise G~^2/(alpha n), first phase G~ T_1 |C|/n, path G~^2/(alpha n) and regulariser
    alpha |C|^2/2, up to logarithms: at most 4 G^2 |C|^2 for G, |C| >= 1, as G~ <= 2 G |C| [step
    "products"; L is hidden].

    Here ratio = L~/alpha.
    """
    size, diameter, larger = reals("G C G~")
    n = symbols("n")
    alpha = n ** -sp.Rational(power)
    root = n ** sp.Rational(-1, 2)
    start, ratio = reals("T_1 ratio")
    return derived(
        noise=identity((1 / (alpha * n), root)),
        regulariser=identity((alpha, root)),
        products=for_all(
            z3.And(
                larger**2 <= 4 * size**sizes * diameter**diameters,
                larger * diameter <= 4 * size**sizes * diameter**diameters,
                diameter**2 <= 4 * size**sizes * diameter**diameters,
            ),
            *(size >= 1, diameter >= 1, larger > 0, larger <= 2 * size * diameter),
        ),
        first_phase=for_all(start <= 2 * ratio, ratio >= 1, start < ratio + 1),
    )


@statement(
    "004 (3.118)",
    lines="2330-2332, 2611-2627",
    kind="utility",
    printed="Err_P(w^) = O(sqrt(d) G^2 |C| log(n/zeta) sqrt(log 1/delta)/(alpha n epsilon) + "
    "(1/n) sum_t R_t)",
    false="lacks G L^2 |C|/(alpha^2 n) of the first T_1 random points; the factor |C| of the noise "
    "needs |C| >= 1",
    errata=("diss-3.3.14/E1",),
)
def offline_rate() -> Outcome:
    """See :func:`without_burn_in`."""
    return without_burn_in()


@offline_rate.corrected(
    "for |C| >= 1 and n >= 3 the same with G L^2 |C|/(alpha^2 n) added (17 times it, explicitly) "
    "and log^1.5(n/zeta) for log(n/zeta), which the norm of the noise gives for every zeta",
    refuses={
        "12/17 of it": {"factor": "12/17"},
        "L for L^2": {"smooth": 1},
        "|C|^2 in what is added": {"diameters": 2},
        **OTHER_ORDERS,
        "for |C| >= 1/2": {"least": "1/2"},
    },
)
def offline_rate_with_burn_in(
    factor: str = "1", smooth: int = 2, diameters: int = 1, least: str = "1", **order: Any
) -> Outcome:
    """See :func:`burn_in_of_average`, :func:`order_of_noise` and (3.140).

    The noise is at most |C| times as large if |C| >= 1 [step "diameter"].
    """
    noise, diameter = reals("noise C")
    return derived(
        first_phase=burn_in_of_average(factor, smooth, diameters),
        average=average(),
        noise=order_of_noise(**order),
        diameter=for_all(noise <= diameter * noise, noise >= 0, diameter >= rational(least)),
    )


def no_step(logarithms: float = 0.5) -> Outcome:
    """alpha = 1/sqrt(n), L = 1: T_1 = ceil(16 (1 + alpha)^2 n) > n, no step is ever made.

    All n averaged points are random (0 here), so that the excess is 1/8 with probability 1/2.
    ``logarithms`` is the power of log n in the first term.
    """
    alpha, more = 1 / math.sqrt(N), math.log(N) ** logarithms
    found = {f"{c:g}": excess(1.0, c * more, alpha=alpha) for c in CONSTANTS}
    left, right = found["1000"]
    point = {
        "n": N,
        "T_1/n": 16 * (1 + alpha) ** 2,
        "alpha": alpha,
        "epsilon": 1.0,
        "delta": DELTA,
        "zeta": ZETA,
        "c times the bound, by c": {c: bound for c, (_, bound) in found.items()},
        "probability": "at least 1/2",
    }
    return refuted(point, left, right, "excess risk against c times the bound")


@statement(
    "004 (3.119)",
    lines="2334-2336, 2629-2635",
    kind="utility",
    printed="alpha = O(1/sqrt(n)): Err_P(w^) = O(sqrt(d) G^2 |C|^2 log(n/zeta) "
    "sqrt(log(1/delta) log n)/(sqrt(n) epsilon) + (1/n) sum_t R_t)",
    false="with alpha = c/sqrt(n), T_1 >= 16 L^2 n/c^2: no step is made unless c > 4L, and then a "
    "constant share of the averaged points is random",
    errata=("diss-3.3.15/E1",),
)
def offline_convex_rate() -> Outcome:
    """See :func:`no_step`."""
    return no_step()


@offline_convex_rate.corrected(
    "for G, |C| >= 1 and n >= 3 the same, with log^1.5(n/zeta) for log(n/zeta) sqrt(log n), for "
    "T_1 = ceil(L~/alpha) and eta_t = 2/(alpha t)",
    refuses={
        "|C| for |C|^2": {"diameters": 1},
        "G for G~^2": {"products": 1},
        "alpha of order n^(-1/3)": {"power": "1/3"},
        "3.9 G/(alpha t)": {"constant": "3.9"},
        **OTHER_ORDERS,
    },
)
def offline_convex_rate_with_few_random_points(
    power: str = "1/2", constant: str = "4", diameters: int = 2, products: int = 2, **order: Any
) -> Outcome:
    """See :func:`convex_rates`, :func:`order_of_noise` and, for the path, Theorem 3.3.6."""
    return derived(
        rates=convex_rates(power, diameters, products),
        path=stable_with_buffer(constant),
        noise=order_of_noise(**order),
    )
