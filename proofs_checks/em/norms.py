"""The sub-Gaussian norm of a normal variable, and symmetrisation, as the papers on EM use them."""

from __future__ import annotations

from typing import Any

from proofs_checks.balls import Ball, ball, log, loggamma, pi, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import derived, for_all, less, nonnegative, rational, reals, refuted


def gaussian_norm(constant: str = "1") -> Outcome:
    """sup_p p^(-1/2) (E|N(0,1)|^p)^(1/p) <= constant, over all p >= 1.

    E|N(0,1)|^p = 2^(p/2) Gamma((p+1)/2)/sqrt(pi). Up to p = 50 by balls. From there on Stirling's
    bound (Robbins) lgamma(x) <= (x - 1/2) ln x - x + ln(2 pi)/2 + 1/(12 x) and ln(1 + 1/p) <= 1/p
    leave at least p (1/2 + ln(constant)) - ln(2)/2 - 1/(6 (p + 1)), and the last two terms are
    below .36 together.
    """
    c = log(ball(constant))

    def slack(p: Ball) -> Ball:
        return p / 2 * log(p / 2) - loggamma((p + 1) / 2) + log(pi()) / 2 + p * c

    beyond = less(ball("0.36"), 50 * (ball("0.5") + c))
    return derived(moments=nonnegative(slack, {"p": (1, 50)}, rest=beyond))


def normal_moments(polynomial: Any, x: Any) -> Any:
    """Return E of a polynomial in a standard normal x: E x^(2k) = (2k - 1)!!."""
    terms = sp.Poly(polynomial, x).terms()
    return sum(factor * sp.factorial2(k - 1) for (k,), factor in terms if k % 2 == 0)


def noise_norm_refuted() -> Outcome:
    """Sigma = 1e-6: the norm is at least E|v| = sqrt(2/pi) sigma."""
    sigma = ball("1e-6")
    left, right = sqrt(2 / pi()) * sigma, 1000 * sigma**2
    return refuted({"sigma": 1e-6}, left, right, "E|v| against 1000 sigma^2")


def symmetrised(factor: str = "2") -> Outcome:
    """E e^(t|U - EU|) <= E e^(t|U - U'|) <= (E e^(t|U|))^2 <= E e^(2t|U|), U' a copy of U.

    Jensen; |u - v| <= |u| + |v| [step "triangle"] and independence; (E X)^2 <= E X^2, here for two
    equally likely values a and b of X = e^(t|U|) [step "square"; b = e^(t|U|) at one of them].
    """
    u, v, a, b = reals("u v a b")
    half = rational(factor) / 2
    return derived(
        triangle=for_all(z3.Abs(u - v) <= half * (z3.Abs(u) + z3.Abs(v))),
        square=for_all((a + b) * (a + b) / 4 <= half * (a * a + b * b) / 2, a >= 1, b >= 1),
    )
