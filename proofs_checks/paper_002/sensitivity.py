"""Sensitivities of the truncated gradients per record, in units of T."""

from __future__ import annotations

from typing import Any

from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols


def _cut(x: Any) -> Any:
    return z3.If(x > 1, 1, z3.If(x < -1, -1, x))


def of_mean(size: int, square: int = 2, batches: int = 1) -> Outcome:
    """Products of two entries in units of T, in a mean of n/N0 records, move it by size T^2 N0/n.

    size is what one record moves them by in units of T^2.
    """
    x, y, t, n, steps = symbols("x y T n N0")
    return identity(
        ((t * x) * (t * y), t**square * x * y),
        (size * t**2 / (n / steps), size * t**square * steps**batches / n),
    )


def mixture_change(factor: str = "2") -> Outcome:
    """|(2w-1) Pi_T(y)_j| <= T for each record, and beta cancels."""
    u, v, y, z = reals("u v y z")
    change = u * y - v * z
    return for_all(
        z3.And(change <= rational(factor), -change <= rational(factor)),
        *(bound for x in (u, v, y, z) for bound in (x >= -1, x <= 1)),
    )


def regression_size(factor: str = "2", doubled: bool = True) -> Outcome:
    """|k y - c| |x| <= 2T^2 of one record, k = 2w, c the fit; T^2 with k = 2w - 1.

    2w - 1 has the sign of y c: k is in [1, 2] if y c >= 0 and in [0, 1] if y c <= 0.
    """
    k, y, c, x = reals("k y c x")
    shift = 0 if doubled else 1
    value = (k * y - c) * x
    bounds = [limit for v in (y, c, x) for limit in (v >= -1, v <= 1)]
    same = z3.And(y * c >= 0, k >= 1 - shift, k <= 2 - shift)
    other = z3.And(y * c <= 0, k >= -shift, k <= 1 - shift)
    return for_all(
        z3.And(value <= rational(factor), -value <= rational(factor)), z3.Or(same, other), *bounds
    )


def missing_change(limit: str = "4", total: str = "6", mixed: str = "5") -> Outcome:
    """One coordinate changes by at most max(4T^2, 5T^2 - b, 2T^2 + b), b = |beta_j|.

    Observed: (Pi(y) - Pi(<m, beta>)) Pi(x_j), at most 2T^2 [step "observed"]. Missing, slope
    a >= 0 (the other sign is symmetric), b >= 0: Pi(a b)(Pi(y) - Pi(y - a sigma^2) + Pi(a B)) - b
    with a product in [0, 3T^2] [step "missing"]. So the change is at most what is stated [step
    "change"], which is 6T^2 at most if b <= 4T^2 [step "bounded"].
    """
    y, m, x, u, v, w, f, g, b = reals("y m x u v w f g b")
    value = (_cut(y) - _cut(m)) * _cut(x)
    product = _cut(u) * (_cut(y) - _cut(y - v) + _cut(w))
    most = rational(total)
    gap = z3.If(f > g, f - g, g - f)

    def record(h: Any) -> Any:
        return z3.Or(z3.And(h >= -2, h <= 2), z3.And(h >= -b, h <= 3 - b))

    return derived(
        observed=for_all(z3.And(value <= 2, value >= -2)),
        missing=for_all(z3.And(product >= 0, product <= 3), u >= 0, v >= 0, w >= 0),
        change=for_all(
            z3.Or(gap <= 4, gap <= rational(mixed) - b, gap <= 2 + b),
            *(b >= 0, record(f), record(g)),
        ),
        bounded=for_all(
            z3.And(most >= 4, rational(mixed) - b <= most, 2 + b <= most),
            *(b >= 0, b <= rational(limit)),
        ),
    )
