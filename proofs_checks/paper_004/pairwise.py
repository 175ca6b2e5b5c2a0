"""Steps on pairwise losses that several subsections of section 3.3 take.

D_t is the distance of the iterates on neighbouring streams; kappa = L/alpha.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols

Loss = Callable[[int, int], Fraction]

ONLINE = ("diss-3.3.9", "diss-3.3.10", "diss-3.3.12", "diss-3.3.13")
PAIRWISE = (*ONLINE, "diss-3.3.14", "diss-3.3.15")
"""The algorithms of section 3.3."""


def random_loss(rng: np.random.Generator, size: int) -> Loss:
    """Return a symmetric loss of pairs of ``size`` possible records, at one parameter."""
    table = [[Fraction(int(rng.integers(-20, 20)), 7) for _ in range(size)] for _ in range(size)]
    return lambda first, second: table[first][second] + table[second][first]


def streams(size: int, n: int) -> list[tuple[int, ...]]:
    """Return all streams of n records out of ``size``, each as probable as another."""
    return list(product(range(size), repeat=n))


def population(loss: Loss, size: int, *, same: bool = False) -> Fraction:
    """Return (3.102) for uniform records; ``same`` takes one record twice."""
    pairs = [(i, i) for i in range(size)] if same else streams(size, 2)
    return sum((loss(*pair) for pair in pairs), Fraction(0)) / len(pairs)


def contraction(share: str = "1") -> Outcome:
    """|w - w' - eta (g - g')| <= (1 - eta alpha)|w - w'| for 0 < eta <= 2/(L + alpha).

    f is alpha-strongly convex and L-smooth, so that f - alpha |w|^2/2 is convex and
    (L - alpha)-smooth; co-coercivity (:func:`proofs_checks.paper_004.convexity.cocoercive`, both
    ways) of it reads N - 2 alpha a + alpha^2 D <= (L - alpha)(a - alpha D), a = <g - g', w - w'>,
    N = |g - g'|^2, D = |w - w'|^2. In units with alpha = D = 1.
    """
    a, n, eta, size = reals("a N eta L")
    factor = rational(share)
    return for_all(
        1 - 2 * eta * a + eta * eta * n <= (1 - factor * eta) * (1 - factor * eta),
        *(eta > 0, size >= 1, eta * (size + 1) <= 2, a * a <= n, a >= 1),
        n - 2 * a + 1 <= (size - 1) * (a - 1),
    )


def moved(replaced: str = "2") -> Outcome:
    """The gradients of the one pair that differs are at most 2G apart: G in each of them."""
    first, second, size = reals("g g' G")
    return for_all(
        z3.Abs(first - second) <= rational(replaced) * size,
        z3.Abs(first) <= size,
        z3.Abs(second) <= size,
    )


def units(sizes: int = 1, weights: int = 1) -> Outcome:
    """2G eta_t = (t-1)/(t-2) 4/t and 1 - alpha 2/(alpha t) = 1 - 2/t in units of G/alpha."""
    t, size, alpha = symbols("t G alpha")
    eta, unit = (t - 1) / (t - 2) * 2 / (alpha * t), size**sizes / alpha**weights
    return identity(
        (2 * size * eta / unit, (t - 1) / (t - 2) * 4 / t),
        (1 - alpha * eta * (t - 2) / (t - 1), 1 - 2 / t),
    )


def stable(constant: str = "8", *, sizes: int = 1, weights: int = 1) -> Outcome:
    """Pairwise GIGA: D_t <= c G/(alpha t), c = 8, by induction.

    The gradients of the pair that differs are at most 2G apart [step "one pair"], so that
    D_i <= 2G eta_i = (t-1)/(t-2) 4G/(alpha t) at t = i [step "arrival"]. Afterwards the other t-2
    of t-1 pairs are a step of size 2/(alpha t) <= 2/(L + alpha) on their mean, which contracts by
    1 - 2/t [step "contraction"], and the pair adds 2 G eta_t/(t-1): D_t <= (1 - 2/t) D_{t-1} +
    4G/(alpha t (t-2)) [step "later"]. t >= T_1 + 1 >= 17, because L >= alpha. In units of G/alpha
    [step "units"].
    """
    t, distance, before = reals("t D D'")
    c, begin = rational(constant), t >= 17
    return derived(
        units=units(sizes, weights),
        one_pair=moved(),
        arrival=for_all(distance * t <= c, begin, distance * t * (t - 2) <= 4 * (t - 1)),
        contraction=contraction(),
        later=for_all(
            distance * t <= c,
            begin,
            before * (t - 1) <= c,
            distance * t * (t - 2) <= (t - 2) * (t - 2) * before + 4,
        ),
    )


def stable_with_buffer(
    constant: str = "4", buffer: str = "1/2", *, sizes: int = 1, weights: int = 1
) -> Outcome:
    """Each record in at most one slot, eta_t = 2/(alpha t), T_1 = ceil(L/alpha).

    D_t <= 4G/(alpha t) (1 + (t-s-1)(t-s)/(2 s (t-1))), where the second term is absent up to
    t = s + 1. For u_t = t (t-1) D_t: u_i <= 4 (i-1) at t = i [step "arrival"]; later a contraction
    by 1 - 2/t [step "contraction"] and at most 2 G eta_t/b of the one slot of b = min(s, t-1), so
    that u_t <= u_{t-1} + 4 (t-1)/b [step "update"]: an increment of 4 while t - 1 <= s, and of
    4 (t-1)/s beyond [step "beyond"]. In units of G/alpha [step "units"].
    """
    step, size, alpha = symbols("t G alpha")
    eta, unit = 2 / (alpha * step), size**sizes / alpha**weights
    t, s, u, before, distance, old, b = reals("t s u u' D D' b")
    c, half = rational(constant), rational(buffer)

    def bound(step: Any) -> Any:  # times s
        return c * (s * (step - 1) + half * (step - s - 1) * (step - s))

    return derived(
        units=identity((2 * size * eta / unit, 4 / step), (1 - alpha * eta, 1 - 2 / step)),
        one_pair=moved(),
        arrival=for_all(u <= c * (t - 1), t >= 2, distance * t <= 4, u == t * (t - 1) * distance),
        contraction=contraction(),
        update=for_all(
            t * (t - 1) * distance * b <= (t - 1) * (t - 2) * old * b + 4 * (t - 1),
            *(t >= 2, b >= 1, distance * t * b <= (t - 2) * old * b + 4),
        ),
        within=for_all(u <= c * (t - 1), t >= 2, before <= c * (t - 2), u <= before + 4),
        beyond=for_all(
            u * s <= bound(t),
            *(s >= 1, t >= s + 2, before * s <= bound(t - 1), u * s <= before * s + 4 * (t - 1)),
        ),
    )


def harmonic(factor: str = "1") -> Outcome:
    """1/t <= ln(t/(t-1)) for t >= 2, so that the sum of 1/t over T_1 < t <= n is <= ln(n/T_1).

    The logarithm is the integral of 1/u from t-1 to t [step "integral"], where 1/u >= 1/t [step
    "integrand"].
    """
    x, start = sp.symbols("x start", positive=True)
    u, t, inverse, least = reals("u t 1/u 1/t")
    return derived(
        integral=identity(
            (sp.log(start + 1) - sp.log(start), sp.integrate(1 / x, (x, start, start + 1)))
        ),
        integrand=for_all(
            rational(factor) * least <= inverse,
            *(t >= 2, u >= t - 1, u <= t, inverse * u == 1, least * t == 1),
        ),
    )


def inverted_budget() -> Outcome:
    """rho = (sqrt(a + eps) - sqrt(a))^2 solves rho + 2 sqrt(rho a) = eps, a = ln(1/delta)."""
    a, epsilon = sp.symbols("a epsilon", positive=True)
    root = sp.sqrt(a + epsilon) - sp.sqrt(a)
    return identity((sp.expand(root**2 + 2 * root * sp.sqrt(a)), epsilon))
