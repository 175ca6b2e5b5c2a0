"""Section 6.2.7: steps of the proofs of Lemma 6.2.3 and Theorem 6.2.2."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_checks.balls import ball, exp, ndtr
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    nonnegative,
    rational,
    reals,
    refuted,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-6.2.48",))


@statement(
    "004 (6.59)",
    lines="8369-8375",
    kind="utility",
    printed="[E(sigma~_ij - sigma_ij)^6]^(1/3) = O(1/(n epsilon^2)), as E(S_ij - sigma_ij)^8 <= "
    "C/n and E n_ij^8 = O(1/(n epsilon))",
    checked="the step: E d^8 <= 1/n gives [E d^6]^(1/3) <= C/n; refuted for C = 10^4",
    false="it needs eighth moments of order n^-4 and (n epsilon)^-8, which they are",
    errata=("diss-6.2.48/E5",),
)
def too_large_moments() -> Outcome:
    """The constant d = n^(-1/8) has [E d^6]^(1/3) = n^(-1/4); n grows with C."""
    d = Fraction(1, 10)
    n = 10**8
    assert d**8 == Fraction(1, n)
    return refuted({"n": n, "d": 0.1, "C": 10_000}, d**2, Fraction(10_000, n), "d^2 against C/n")


@too_large_moments.corrected(
    "E n_ij^8 = 105 sigma_1^8 and E(S_ij - sigma_ij)^8 <= 3/n^4 for records in the unit ball, so "
    "[E(sigma~_ij - sigma_ij)^6]^(1/3) <= 2^(7/4) (3^(1/4)/n + 105^(1/4) sigma_1^2)",
    refuses={
        "104 sigma_1^8": {"moment": 104},
        "2/n^4": {"sample": 2},
        "1/n^5": {"power": 5},
        "(a + b)^2 <= 3/2 (a^2 + b^2)": {"two": "3/2"},
        "2^(3/2)": {"shift": "6"},
    },
    unchecked={
        "n_ij, S_ij, sigma_ij, sigma~_ij": "the steps have both errors' moments, and a + b",
        "6": "E d^6 <= (E d^8)^(3/4) is Lyapunov's inequality, which is cited",
    },
)
def small_moments(
    moment: int = 105, sample: int = 3, power: int = 4, two: str = "2", shift: str = "7"
) -> Outcome:
    """The noise is normal [step "noise"].

    E |d|^8 is the integral of 8 t^7 P(|d| > t), with Hoeffding's bound 2 exp(-2 n t^2) [step
    "sample"]. (a + b)^8 <= 2^7 (a^8 + b^8) by three times the bound for squares [steps "squares",
    "powers"]; E d^6 <= (E d^8)^(3/4) (Lyapunov, cited), and (x + y)^(1/4) <= x^(1/4) + y^(1/4)
    [step "roots", in fourth powers].
    """
    z = sp.Symbol("z", real=True)
    t, n, scale = symbols("t n sigma_1")
    density = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
    normal = sp.integrate(z**8 * density, (z, -sp.oo, sp.oo))
    tail = sp.integrate(16 * t**7 * sp.exp(-2 * n * t**2), (t, 0, sp.oo))
    a, b = reals("a b")
    return derived(
        noise=identity((normal * scale**8, moment * scale**8)),
        sample=identity((tail, sample / n**power)),
        squares=for_all((a + b) ** 2 <= rational(two) * (a * a + b * b)),
        powers=identity((sp.Integer(2) ** (4 + 2 + 1), sp.Integer(2) ** sp.Rational(shift))),
        roots=for_all(a**4 + b**4 <= (a + b) ** 4, a >= 0, b >= 0),
    )


@statement(
    "004 (6.62)",
    lines="8405-8411",
    kind="utility",
    printed="P(|n_ij| >= |sigma_ij|/4, |sigma_ij| > 4 T) <= P(|n_ij| >= T) P(|n_ij| > |sigma_ij|/4)"
    ", so that the term is O(log(1/delta)/(n epsilon^2))",
    false="one event is inside the other: they are not independent",
    errata=("diss-6.2.48/E4",),
)
def nested_events() -> Outcome:
    """|sigma_ij| just above 4 T, T = 6.13 sigma_1: both events have the same probability q."""
    q = 2 * ndtr(-ball("6.13"))
    point = {"T/sigma_1": 6.13, "|sigma_ij|/T": 4}
    return refuted(point, q, q * q, "probability against the product")


@nested_events.corrected(
    "at most sqrt(P(|n_ij| >= T) P(|n_ij| > |sigma_ij|/4)), which leaves 47.4 sigma_1^2/p",
    refuses={
        "the product": {"power": 1},
        "O(sigma_1^2/p^2)": {"left": 2},
        "46 sigma_1^2/p": {"constant": "0.36"},
        "47 sigma_1^2/p": {"whole": "47"},
    },
    unchecked={
        "T": "only by T >= 4 sigma_1 sqrt(log p), which gives the p^-4 in the step",
    },
)
def root_of_the_product(
    power: int = 2, left: int = 1, constant: str = "0.37", whole: str = "47.4"
) -> Outcome:
    """A probability below both a and b is below sqrt(a b) [step "root"].

    With x = |sigma_ij|/4 >= T >= 4 sigma_1 sqrt(log p) and (6.13) it is at most 2 exp(-T^2/(4
    sigma_1^2)) exp(-u), u = x^2/(4 sigma_1^2), and the first factor at most p^-4. p times the sum
    over p^2 entries of sigma_ij^2 = 64 sigma_1^2 u is then 128 sigma_1^2 u e^-u/p at most [step
    "sum"], u e^-u < .37 [step "largest"], and 128 (.37) <= 47.4 [step "product"].
    """
    q, a, b = reals("q a b")
    p, scale, u = symbols("p sigma_1 u")
    squared = 16 * 4 * scale**2 * u
    decay = sp.exp(-((4 * scale) ** 2) / (4 * scale**2) * sp.log(p))
    beyond = for_all(rational(constant) * a * a / 2 >= a, a >= 8)
    return derived(
        root=for_all(q**power <= a * b, q >= 0, q <= a, q <= b, a <= 1, b <= 1),
        sum=identity((p * p**2 * squared * 2 * decay, 128 * scale**2 * u / p**left)),
        largest=nonnegative(lambda v: ball(constant) * exp(v) - v, {"u": (0, 8)}, rest=beyond),
        beyond=beyond,
        product=for_all(128 * rational(constant) <= rational(whole)),
    )
