"""What one record adds to (7.61) or (7.68): a cubic and its correction, printed with a factor."""

from __future__ import annotations

from typing import Any

from mpmath import mp

_N, _RATIO = 10_000, 200  # records, d/zeta; tau = 1


def _smoothed(a: Any, b: Any) -> Any:
    """Return E phi(a + b G), phi(x) = x - x^3/6 up to |x| = sqrt(2) and constant from there."""
    root, limit = mp.sqrt(2), 2 * mp.sqrt(2) / 3
    low, high = (-root - a) / b, (root - a) / b
    p, q = mp.npdf(low), mp.npdf(high)
    m0 = mp.ncdf(high) - mp.ncdf(low)
    m1 = p - q
    m2 = m0 + low * p - high * q
    m3 = 2 * m1 + low**2 * p - high**2 * q
    cube = a**3 * m0 + 3 * a**2 * b * m1 + 3 * a * b**2 * m2 + b**3 * m3
    return a * m0 + b * m1 - cube / 6 + limit * (mp.ncdf(-high) - mp.ncdf(low))


def contribution(value: float, factor: str) -> Any:
    """Return a gradient's contribution, with ``factor`` "s" or a number before the sum of C."""
    log_term = mp.log(_RATIO)
    s, f = mp.sqrt(mp.mpf(_N) / (2 * log_term)), mp.mpf(value)
    a, b = f / s, abs(f) / (s * mp.sqrt(log_term))
    cubic = a * (1 - b**2 / 2) - a**3 / 6
    correction = _smoothed(a, b) - cubic
    return (s * cubic + (s if factor == "s" else mp.mpf(factor)) * correction) / _N


def contribution_bound() -> Any:
    """Return (2 sqrt(2)/3) s/n."""
    return 2 * mp.sqrt(2) / 3 * mp.sqrt(mp.mpf(_N) / (2 * mp.log(_RATIO))) / _N
