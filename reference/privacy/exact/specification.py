"""The discrete samplers of Canonne, Kamath and Steinke (2020), in plain integers and fractions.

A readable specification that uses no doubles: what the fast samplers are compared with. The numbers
are those of the algorithms of *The Discrete Gaussian for Differential Privacy*.
"""

from __future__ import annotations

from fractions import Fraction

from reference.privacy.exact.sources import RandomBits


def bernoulli(bits: RandomBits, chance: Fraction) -> bool:
    """Return True with probability ``chance``, in [0, 1]."""
    return bits.below(chance.denominator) < chance.numerator


def bernoulli_exp(bits: RandomBits, x: Fraction) -> bool:
    """Return True with probability exp(-x), x >= 0 (Algorithm 1)."""
    while x > 1:
        if not _bernoulli_exp_unit(bits, Fraction(1)):
            return False
        x -= 1
    return _bernoulli_exp_unit(bits, x)


def _bernoulli_exp_unit(bits: RandomBits, x: Fraction) -> bool:
    """Return True with probability exp(-x), 0 <= x <= 1 (Algorithm 1, first case)."""
    k = 1
    while bernoulli(bits, x / k):
        k += 1
    return k % 2 == 1


def geometric(bits: RandomBits, t: int) -> int:
    """Return k >= 0 with probability proportional to exp(-k/t) (Algorithm 2, without the sign)."""
    while True:
        u = bits.below(t)
        if bernoulli_exp(bits, Fraction(u, t)):
            break
    v = 0
    while bernoulli_exp(bits, Fraction(1)):
        v += 1
    return u + t * v


def discrete_laplace(bits: RandomBits, t: int) -> int:
    """Return an integer k with probability proportional to exp(-|k|/t) (Algorithm 2)."""
    while True:
        size, negative = geometric(bits, t), bits.below(2)
        if not (negative and size == 0):
            return -size if negative else size


def discrete_gaussian(bits: RandomBits, s: int) -> int:
    """Return an integer k with probability proportional to exp(-k^2/(2 s^2)) (Algorithm 3, t = s).

    The algorithm takes t = floor(s) + 1; any t is right, and t = s accepts most for a whole s.
    """
    while True:
        k = discrete_laplace(bits, s)
        if bernoulli_exp(bits, Fraction((abs(k) - s) ** 2, 2 * s * s)):
            return k


def floored_laplace(bits: RandomBits, t: int) -> int:
    """Return floor(t X) of a real Laplace number X: a fair sign, and a geometric number of steps.

    P(t |X| >= k) = exp(-k/t), so that floor(t |X|) is :func:`geometric`; where X < 0, the floor of
    -t |X| is one below its negative, with probability 1.
    """
    size, negative = geometric(bits, t), bits.below(2)
    return -size - 1 if negative else size
