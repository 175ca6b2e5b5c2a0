"""Section 6.1: the hard instance (6.7) and the packing of the two lower bounds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from mpmath import mp

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    less,
    precisely,
    rational,
    reals,
    refuted,
    symbols,
)


@statement(
    "004 Remark 6.1.1",
    lines="7375-7377",
    kind="remark",
    printed="Theorem 6.1.1 holds for all k if condition 2, ||X|| <= 1 with probability at least "
    "1 - e^-Omega(p), is relaxed",
    checked="condition 2 need not be relaxed: on (6.7) it holds for every k, P(||X|| > 1) <= e^-p",
    refuses={
        "||X||^2 <= 3/5": {"level": "3"},
        "e^(-1.2 p)": {"rate": "1.2"},
        "eigenvalues up to 1/(6p)": {"share": 6},
    },
    unchecked={
        "k": "the eigenvalues of (6.7) are at most 1/(5p) for every k",
        "p": "the steps have 5p times the eigenvalues, and the exponent over p",
    },
)
def norm_of_the_hard_instance(level: str = "5", rate: str = "1", share: int = 5) -> Outcome:
    """||X||^2 <= lambda_1 chi^2_p with lambda_1 = 1/(5p) whatever k [step "eigenvalues", times 5p].

    Chernoff: P(chi^2_p >= 5p) <= (5 e^-4)^(p/2), and (4 - ln 5)/2 >= 1 [step "tail"].
    """
    w = reals("lambda")
    exponent = (ball(level) - 1 - log(ball(level))) / 2
    top, rest = w / (w + 1) + 1 / (w + 1), 1 / (w + 1)
    bound = rational(f"5/{share}")
    return derived(
        eigenvalues=for_all(z3.And(top <= bound, rest <= bound), w > 0),
        tail=less(ball(rate), exponent),
    )


@statement(
    "004 Proof of Theorem 6.1.1 (number of records)",
    lines="7667-7671",
    kind="lower bound",
    printed="eps_1^2 = k(p-k)/(8c n epsilon^2 lambda^2/(1+lambda)) <= 2 min{k, p-k} under n >= "
    "Omega(sigma_k^2 min{k, p-k}/epsilon^2)",
    checked="for every k, as Remark 6.1.1 has it; for p/4 <= k <= 3p/4 a factor 3 is lost at most",
    false="max{k, p-k} is needed for min{k, p-k}",
    errata=("diss-6.1-HARD/E3",),
)
def too_few_records() -> Outcome:
    """k = 1 and p beyond any constant: c n epsilon^2/sigma_k^2 = 10 min{k, p-k} at p = 1000."""
    k, p, constant = 1, 1000, 10
    packing = Fraction(k * (p - k), 8 * constant * min(k, p - k))
    point = {"k": k, "p": p, "c n epsilon^2/sigma_k^2": constant}
    return refuted(point, packing, 2 * min(k, p - k), "eps_1^2 against 2 min{k, p-k}")


@too_few_records.corrected(
    "n >= sigma_k^2 max{k, p-k}/(16 c epsilon^2)",
    refuses={
        "17 for 16": {"sixteen": 17},
        "min for max": {"least": True},
        "sigma_k": {"power": 1},
        "epsilon for epsilon^2": {"epsilons": 1},
    },
)
def enough_records(
    sixteen: int = 16, least: bool = False, power: int = 2, epsilons: int = 2
) -> Outcome:
    """k (p-k) = min max, r = n epsilon^2/sigma_k^2; sigma_k^2 = (1+lambda)/lambda^2 by (6.1).

    At equality eps_1^2 is 2 k (p-k)/max [step "equality"].
    """
    k, p, r, c = reals("k p r c")
    smaller, larger = z3.If(2 * k <= p, k, p - k), z3.If(2 * k <= p, p - k, k)
    size, eigengap, constant, epsilon, packed = symbols("max lambda c epsilon product")
    noise = sp.sqrt(1 + eigengap) / eigengap  # sigma_k
    n = noise**power * size / (sixteen * constant * epsilon**epsilons)
    squared = packed / (8 * constant * n * epsilon**2 * eigengap**2 / (1 + eigengap))
    return derived(
        packing=for_all(
            k * (p - k) <= 2 * smaller * 8 * c * r,
            *(k >= 1, k <= p - 1, c > 0, sixteen * c * r >= (smaller if least else larger)),
        ),
        equality=identity((squared, 2 * packed / size)),
    )


def _caps(power: int) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    """Yield P(sin <= d^(1/power)) and d^(s-1) for a uniform line in R^s and a fixed one."""
    for s, d in product((2, 3, 10, 60), ("0.001", "0.1", "0.5", "0.9", "1")):
        squared = mp.mpf(d) ** (mp.mpf(2) / power)
        cap = mp.betainc(mp.mpf(s - 1) / 2, 0.5, 0, squared, regularized=True)
        yield {"s": s, "delta": float(d)}, cap, mp.mpf(d) ** (s - 1)


@statement(
    "004 Lemma 6.1.11",
    lines="7733-7738",
    kind="lower bound",
    printed="1 <= k <= s - k, delta > 0: some J_1, ..., J_N in V_{s,k} have ||sin(J_i, J_j)||_F >= "
    "k sqrt(delta) and log N >= k(s-k) log(c_2/delta)",
    false="||sin||_F is at most sqrt k, which k sqrt(delta) exceeds for k > 1/delta, while N is to "
    "be above 1",
    errata=("004 Lemma 6.1.11/E1",),
)
def packing_wider_than_the_space() -> Outcome:
    """c_2 = 1/10, delta = c_2/2 (so that N >= 2^(k(s-k))); k > 2/c_2 does it for any c_2."""
    k, delta = 21, Fraction(1, 20)
    point = {"k": k, "s": 2 * k, "delta": float(delta), "c_2": 0.1}
    return refuted(point, k**2 * delta, k, "squared separation against the squared diameter")


@packing_wider_than_the_space.corrected(
    "||sin(J_i, J_j)||_F >= sqrt(k) delta, as delta_N = O(sqrt(k)/e) uses it: at most the diameter "
    "for delta <= 1; checked for k = 1, with c_2 = 1",
    refuses={
        "k delta": {"linear": True},
        "sqrt(k delta)": {"power": 2},
        "c_2 = 2": {"constant": 2},
    },
    unchecked={
        "delta_N": "only in the use of the lemma; the steps have sqrt(k) delta",
        "c_2": "1 in the steps",
    },
)
def packing_of_lines(linear: bool = False, power: int = 1, constant: int = 1) -> Outcome:
    """A maximal packing covers, so N P(sin <= x) >= 1 for a uniform line and the separation x.

    The sine u has a density proportional to u^(s-2) (1 - u^2)^(-1/2) on [0, 1]. With u = x v the
    integral up to x is x^(s-1) times one over [0, 1] whose integrand is at most that of x = 1
    [step "integrand"], so that P(sin <= x) <= x^(s-1), the inverse of (c_2/delta)^(s-1) at
    x = delta [steps "exponent", "caps"]. The separation is at most the diameter sqrt k, compared in
    squares [step "diameter"].
    """
    k, delta, v = reals("k delta v")
    width, s = symbols("delta s")
    separation = k * k * delta * delta if linear else k * delta * delta
    return derived(
        diameter=for_all(separation <= k, k >= 1, delta > 0, delta <= 1),
        integrand=for_all(
            1 - v * v <= 1 - delta * delta * v * v,
            *(delta > 0, delta <= 1, v >= 0, v < 1),
        ),
        exponent=identity(
            (((width ** sp.Rational(1, power)) / constant) ** (1 - s), width ** (1 - s)),
        ),
        caps=precisely(lambda: _caps(power), note="P(sin <= delta) over delta^(s-1)"),
    )
