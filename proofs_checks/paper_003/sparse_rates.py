"""The balance of bias and noise behind Theorems 7 and 8, with every power derived.

n stands for n epsilon, l for log(d/zeta), L for log(1/delta); g for gamma, m for mu and s for s*.
Both algorithms take steps eta = 2/(3 gamma), T = (gamma/mu) log n of them, and keep
s_all = (gamma/mu)^2 s* coordinates. A contraction by 1 - O(mu/gamma) per step turns a squared
error e of each iterate into an excess risk of gamma (gamma/mu) e.
"""

from __future__ import annotations

from typing import Any

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_003.frank_wolfe import Powers, monomial
from proofs_checks.vocabulary import identity, symbols

RATE_THEOREM_8: Powers = {
    "tau": "1", "g": "4", "s": "3/2", "log_n": "1", "l": "1", "L": "1/2", "m": "-5", "n": "-1",
}  # fmt: skip
RATE_THEOREM_7: Powers = {
    "M": "1", "g": "6", "s": "5/2", "log_n": "1", "l": "1", "L": "1/2", "m": "-7", "n": "-1",
}  # fmt: skip


def parameters() -> dict[str, Any]:
    """Return the symbols, T, s_all, eta and the factor that turns squared errors into excess."""
    n, g, m, s, log_n = symbols("n g m s log_n")
    return {
        "n": n, "g": g, "m": m, "s": (g / m) ** 2 * s, "T": g / m * log_n,
        "eta": 1 / g, "excess": g**2 / m,
    }  # fmt: skip


def peeling_noise(per_record: Any) -> Any:
    """Return s b^2 l^2, the squared noise of Peeling, b = 2 lambda sqrt(3 s L)/eps, up to 12.

    lambda = eta T ``per_record``/n: what one record moves an entry of the iterate by.
    """
    values = parameters()
    size, inverse = symbols("l L")
    sensitivity = values["eta"] * values["T"] * per_record / values["n"]
    return values["s"] * sensitivity**2 * values["s"] * inverse * size**2


def threshold_8(**changed: str) -> Any:
    """Return k^2 = n eps tau/(T sqrt(s L) l), with some powers changed."""
    powers = {"n": "1", "tau": "1", "T": "-1", "s": "-1/2", "L": "-1/2", "l": "-1", **changed}
    values = parameters()
    found = sp.Integer(1)
    for name, power in powers.items():
        found *= values.get(name, symbols(name)) ** sp.Rational(power)
    return found


def balance_8(threshold: dict[str, str] | None = None, **changed: str) -> dict[str, Outcome]:
    """At the corrected k the noise and the bias of Algorithm 5 both give Theorem 8's rate.

    An entry of the robust gradient is biased by O(tau/k) and moves by O(k) T/n with one record;
    s entries count in each iterate. Here k_square = k^2, n stands for n eps, s for s*,
    L = log(1/delta), l = log(d/zeta) and rate = tau g^4 s^(3/2) log_n l L^(1/2)/(m^5 n).
    """
    values, tau = parameters(), symbols("tau")
    k_square = threshold_8(**(threshold or {}))
    noise = peeling_noise(sp.sqrt(k_square))
    bias = values["s"] * values["eta"] ** 2 * tau**2 / k_square
    rate = monomial(RATE_THEOREM_8, **changed)
    return {
        "noise": identity((values["excess"] * noise, rate)),
        "bias": identity((values["excess"] * bias, rate)),
    }


def balance_7(k_fourth: Any = None, entries: int = 1, **changed: str) -> dict[str, Outcome]:
    """At K^4 = M n eps/(T sqrt(s L) l) noise and bias of Algorithm 3 give the corrected rate.

    An entry of the shrunken gradient is biased by O(sqrt(s) M/K^2), as ||w||_1^2 <= s^entries, and
    moves by O(sqrt(s) K^2) T/n with one record. Here k_fourth = K^4, n stands for n eps, s for s*,
    g for gamma, m for mu, L = log(1/delta), l = log(d/zeta) and
    rate = M g^6 s^(5/2) log_n l L^(1/2)/(m^7 n).
    """
    values = parameters()
    one_norm = sp.sqrt(values["s"]) ** entries
    moment, size, inverse = symbols("M l L")
    if k_fourth is None:
        k_fourth = moment * values["n"] / (values["T"] * sp.sqrt(values["s"] * inverse) * size)
    noise = peeling_noise(one_norm * sp.sqrt(k_fourth))
    bias = values["s"] * (values["eta"] * one_norm * moment) ** 2 / k_fourth
    rate = monomial(RATE_THEOREM_7, **changed)
    return {
        "noise": identity((values["excess"] * noise, rate)),
        "bias": identity((values["excess"] * bias, rate)),
    }
