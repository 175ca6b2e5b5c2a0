"""Shared parts of the theorems on Frank-Wolfe: recursion, errors and their balance.

n stands for n epsilon, l for the logarithm of d, n, T, |V| and 1/zeta, L for log(1/delta).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import for_all, identity, rational, reals, symbols


def recursion(constant: str = "2") -> Outcome:
    """h_t <= err + 2C/(t+1) after t steps eta_{t-1} = 2/(t+1), whatever h_0; by induction.

    h_t <= (1 - eta) h_{t-1} + eta err + eta^2 C/2, eta for eta_{t-1}; the first step has eta = 1.
    """
    t, before, after, curvature, error = reals("t h h2 C err")
    k = rational(constant)
    return for_all(
        (t + 1) * after <= (t + 1) * error + k * curvature,
        *(t >= 1, curvature >= 0),
        (t + 1) ** 2 * after <= (t + 1) * (t - 1) * before + 2 * (t + 1) * error + 2 * curvature,
        t * (t - 1) * before <= (t - 1) * (t * error + k * curvature),
    )


def start_keeps_no_weight(shift: int = 1) -> Outcome:
    """The first step, 2/(1 + shift), forgets w^0 only if it is 1."""
    t = symbols("t")
    first = (2 / (t + shift)).subs(t, 1)
    return identity((1 - first, 0))


def step_error(
    share: str = "5.28", vertices: int = 1, entries: int = 1, largest: int = 1
) -> dict[str, Outcome]:
    """A step of Algorithm 1 with beta = 1 is wrong by at most 6.5 ||W||_1 sqrt(tau l T/(n eps)).

    The robust mean's error s (1/2 + l)/m + tau/s in every coordinate, times ||W||_1, and Lemma 1's
    regret (2 Delta/eps) l, Delta = 4 sqrt 2 ||W||_1 s/(3m), are at most ||W||_1 (s a + tau/s) with
    a = 5.28 l/(m eps), l >= 1 >= eps [step "sum"]; this is 2 sqrt(tau a) at s^2 = tau/a [step
    "scale"]. A block of m = floor(n/T) records has m >= n/(2T) [step "block"], and
    4 x 5.28 x 2 <= 6.5^2 [step "constant"]. With l = log(4 d |V| T/zeta) both sides of d entries
    and one selection among |V| fail in T steps with probability (2 d T + |V| T) e^-l <= zeta [step
    "union"].
    """
    size, epsilon, root, m, n, steps, x = reals("l eps r m n T x")
    tau, a = symbols("tau a")
    d, candidates = reals("d V")
    s = sp.sqrt(tau / a)
    return {
        "sum": for_all(
            epsilon * (rational("1/2") + size) + 8 * root * size / 3 <= rational(share) * size,
            *(size >= 1, epsilon > 0, epsilon <= largest, root > 0, root * root == 2),
        ),
        "scale": identity((s * a + tau / s, 2 * sp.sqrt(tau * a))),
        "block": for_all(n <= 2 * m * steps, m >= 1, steps > 0, n < (m + 1) * steps),
        "constant": for_all(x <= rational("6.5"), x >= 0, x * x <= 8 * rational(share)),
        "union": for_all(
            (2 * d + candidates) * steps <= 4 * d**entries * candidates**vertices * steps,
            *(d >= 1, candidates >= 1, steps >= 1),
        ),
    }


Powers = dict[str, str]

STEPS_6: Powers = {"n": "1/3", "alpha": "2/3", "W": "2/3", "tau": "-1/3", "l": "-1/3"}
RATE_6: Powers = {"W": "4/3", "alpha": "1/3", "tau": "1/3", "l": "1/3", "n": "-1/3"}
STEPS_9: Powers = {"n": "2/5", "lambda": "4/5", "L": "-2/5", "l": "-4/5"}
RATE_9: Powers = {"lambda": "1/5", "L": "2/5", "l": "4/5", "n": "-2/5"}


def monomial(powers: Powers, **changed: str) -> Any:
    """Return the product of positive symbols to the given powers, some of them changed."""
    factors = [symbols(name) ** sp.Rational(power) for name, power in {**powers, **changed}.items()]
    return sp.Mul(*factors)


def balance_6(prescribed: Powers | None = None, **changed: str) -> Outcome:
    """At the prescribed T both alpha W^2/T and W sqrt(tau l T/n) are the corrected rate (6).

    Here n stands for n eps, steps = T and rate = W^(4/3) (alpha tau l/n)^(1/3).
    """
    w, alpha, tau, size, n = symbols("W alpha tau l n")
    steps, rate = monomial(STEPS_6, **(prescribed or {})), monomial(RATE_6, **changed)
    return identity((alpha * w**2 / steps, rate), (w * sp.sqrt(tau * size * steps / n), rate))


def balance_9(
    threshold: str = "1/8", largest: int = 1, least: str = "1", **changed: str
) -> dict[str, Outcome]:
    """At the printed K = n^(1/4)/T^threshold and the T that balances, (9) is attained.

    That is claimed = lambda^(1/5) L^(2/5) l^(4/5) n^(-2/5), n for n eps. The selection loses (2
    Delta/eps') l, Delta = 16 K^2/n, eps' = eps/(2 sqrt(2TL)) [step "selection"]. Its K^2 sqrt(T L)
    l/n and lambda_max/T are the rate [step "balance"]; the bias 1/K^2 is smaller by sqrt(L) l [step
    "smaller"]; at T = 1 the rate is sqrt(L) l/sqrt(n) [step "floor"]. With e = sqrt(eps), a =
    sqrt(l), b = sqrt(L), t = sqrt(T) the means' sqrt(l) is at most sqrt(L) l/e, and their l at most
    the selection's t sqrt(L) l/eps [step "means"].
    """
    e, a, b, t = reals("e a b t")
    records, epsilon, k = symbols("n eps K")
    n, curvature, inverse, size, steps = symbols("n lambda L l T")
    k_square = sp.sqrt(n) / steps ** (2 * sp.Rational(threshold))
    count, claimed = monomial(STEPS_9), monomial(RATE_9, **changed)
    selection = (k_square * sp.sqrt(steps * inverse) * size / n).subs(steps, count)
    bias = (1 / k_square).subs(steps, count)
    smallest = sp.sqrt(inverse) * size / sp.sqrt(n)  # the lambda at which T = 1
    return {
        "balance": identity((selection, claimed), (curvature / count, claimed)),
        "selection": identity(
            (2 * (16 * k**2 / records) * size * 2 * sp.sqrt(2 * steps * inverse) / epsilon,
             64 * sp.sqrt(2) * k**2 * sp.sqrt(steps * inverse) * size / (records * epsilon))
        ),
        "means": for_all(
            z3.And(a * e <= a * a * b, e * e <= t * b),
            *(e > 0, e * e <= largest, a >= 1, b > 0, b * b >= rational(least), t >= 1),
        ),
        "smaller": identity((bias * sp.sqrt(inverse) * size, claimed)),
        "floor": identity((claimed.subs(curvature, smallest), smallest)),
    }  # fmt: skip


def value(powers: Powers, **numbers: float) -> float:
    """Return the product of the given numbers to their powers; other symbols are 1."""
    return math.prod(math.pow(x, float(Fraction(powers[name]))) for name, x in numbers.items())


def least_excess(n: int | float) -> float:
    """Return a gap g such that no test tells n signs of mean +g from n of mean -g.

    n KL = n g log((1+g)/(1-g)) <= 0.7 at g = 1/(2 sqrt n), so by Pinsker every test is wrong with
    probability (1 - sqrt(0.35))/2 > 0.2 for one of the two.
    """
    return 1 / (2 * math.sqrt(n))
