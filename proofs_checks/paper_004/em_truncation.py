"""Effect of one record on (7.61) or (7.68): a cubic and its correction, printed with a factor."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from proofs_checks.robust_mean import closed_form

_N, _RATIO = 10_000, 200  # records, d/zeta; tau = 1


def contribution(value: float, factor: str) -> Any:
    """Return a gradient's contribution, with ``factor`` "s" or a number before the sum of C."""
    log_term = mp.log(_RATIO)
    s, f = mp.sqrt(mp.mpf(_N) / (2 * log_term)), mp.mpf(value)
    a, b = f / s, abs(f) / (s * mp.sqrt(log_term))
    cubic = f * (1 - f**2 / (2 * s**2 * log_term)) - f**3 / (6 * s**2)
    correction = closed_form(a, b) - (a * (1 - b**2 / 2) - a**3 / 6)
    return (cubic + (s if factor == "s" else mp.mpf(factor)) * correction) / _N


def contribution_bound() -> Any:
    """Return (2 sqrt(2)/3) s/n."""
    return 2 * mp.sqrt(2) / 3 * mp.sqrt(mp.mpf(_N) / (2 * mp.log(_RATIO))) / _N
