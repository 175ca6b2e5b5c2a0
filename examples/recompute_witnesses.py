"""Recompute witnesses of statements that are wrong as printed, from the exported data alone.

    touchstone proofs --export statements
    python examples/recompute_witnesses.py statements/statements.jsonl

It needs Python's standard library and nothing of Touchstone. A witness has the point at which a
print fails and both sides there; here the two sides are computed again from the printed formula and
the point, and compared with what the file says.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from statistics import NormalDist
from typing import Any

Point = Mapping[str, Any]
Sides = tuple[float, float]
NORMAL = NormalDist()


def integral(f: Callable[[float], float], low: float, high: float, pieces: int = 20_000) -> float:
    """Return the integral of a smooth function by Simpson's rule."""
    h = (high - low) / pieces
    inner = sum((4 if i % 2 else 2) * f(low + i * h) for i in range(1, pieces))
    return h / 3 * (f(low) + inner + f(high))


def gaussian_mechanism(at: Point) -> Sides:
    """002 Proposition 2.4: the least delta of noise of scale sqrt(2 log(1.25/delta))/epsilon."""
    epsilon, delta = at["epsilon"], at["delta"]
    mu = epsilon / math.sqrt(2 * math.log(1.25 / delta))
    upper = NORMAL.cdf(mu / 2 - epsilon / mu)
    return upper - math.exp(epsilon) * NORMAL.cdf(-mu / 2 - epsilon / mu), delta


def second_moment_by_tails(at: Point) -> Sides:
    """002 (37): the integral of (z - a)^2 f(z) from a, and half that of P(Z >= a + t) t from 0."""
    a, sigma = at["a"], at["sigma"]
    law = NormalDist(0, sigma)
    left = integral(lambda z: (z - a) ** 2 * law.pdf(z), a, a + 12 * sigma)
    return left, integral(lambda t: (1 - law.cdf(a + t)) * t, 0, 12 * sigma) / 2


def tail_below_zero(at: Point) -> Sides:
    """002 (38): P(Z >= x) and exp(-x^2/(2 sigma^2))."""
    x, sigma = at["x"], at["sigma"]
    return 1 - NormalDist(0, sigma).cdf(x), math.exp(-(x**2) / (2 * sigma**2))


def squared_excess(at: Point) -> Sides:
    """002 (39): the integral of (z - a)^2 f(z) from a, and 2 sigma^2 exp(-a^2/(2 sigma^2))."""
    a, sigma = at["a"], at["sigma"]
    law = NormalDist(0, sigma)
    left = integral(lambda z: (z - a) ** 2 * law.pdf(z), a, a + 14 * sigma)
    return left, 2 * sigma**2 * math.exp(-(a**2) / (2 * sigma**2))


def lost_variance(at: Point) -> Sides:
    """002 (78): 2 times the integral of (t - T) exp(-t^2/(2 sigma^2)), and 2 exp(-T^2/...)."""
    sigma, T = at["sigma"], at["T"]

    def density(t: float) -> float:
        return (t - T) * math.exp(-(t**2) / (2 * sigma**2))

    return 2 * integral(density, T, T + 14 * sigma), 2 * math.exp(-(T**2) / (2 * sigma**2))


def without_the_hidden_sign(at: Point) -> Sides:
    """002, proofs of Propositions 4.3 and 4.5: the densities of N(b, 1) at y and at -y."""
    law = NormalDist(at["b"], 1)
    return law.pdf(at["y"]), law.pdf(-at["y"])


def contraction_from_the_wrong_step(at: Point) -> Sides:
    """002 (22): the error after t steps, and kappa^(t/2) times itself."""
    error = at["kappa"] ** (at["t"] / 2) * at["error at first"]
    return error, at["kappa"] ** (at["t"] / 2) * error


def weight_without_the_two(at: Point) -> Sides:
    """002 section 4.2: the posterior of the sign, and the printed weight."""
    exponent = at["y"] * at["fit"] / at["sigma"] ** 2
    return 1 / (1 + math.exp(-2 * exponent)), 1 / (1 + math.exp(-exponent))


def tail_by_the_variance(at: Point) -> Sides:
    """002 (76): a coin of bias p has t < 1 - p with probability p; against the printed tail."""
    p, t = at["p"], at["t"]
    return p, math.exp(-(t**2) / (2 * p * (1 - p)))


def initial_support(at: Point) -> Sides:
    """002 section 6.3: the support of (1, ..., 1)/sqrt(30), and s-hat."""
    return 30, at["s-hat"]


def no_room_for_a_constant(at: Point) -> Sides:
    """002 (55): a small c0, and the second bound on it at s2 = 0."""
    return 1e-9, (2 * math.sqrt(at["s2"]) - 1) ** 2 - 1


def squared_bracket(at: Point) -> Sides:
    """002 (54): the square of the bracket, and the least that 1 - Delta^2 may be."""
    return at["bracket"] ** 2, 0


def smoothness_of_the_square(at: Point) -> Sides:
    """003 Corollary 1: f(w') - f(w) - f'(w) (w' - w), and lambda_max/2 (w' - w)^2."""
    x, y, w, moved = at["x"], at["y"], at["w"], at["w'"]
    slope = 2 * x * (x * w - y)
    remainder = (x * moved - y) ** 2 - (x * w - y) ** 2 - slope * (moved - w)
    return remainder, x**2 / 2 * (moved - w) ** 2


def gap_to_the_bound(at: Point) -> Sides:
    """003 Remark 4: the gap of sqrt(s*), and the ratio of s*^2 to s*^2."""
    return math.sqrt(at["s*"]), at["s*"] ** 2 / at["s*"] ** 2


def least_risk(at: Point) -> Sides:
    """003, line 381: E (x - w)^2 of a sign x is 1 + w^2, at least 1; printed is 0."""
    return min(1 + (w / 100) ** 2 for w in range(-100, 101)), 0


def lower_bound(at: Point) -> Sides:
    """003 Theorem 9: tau min(s* log d, log(1/delta))/(n epsilon), and what w = 0 achieves."""
    least = min(at["s*"] * math.log(at["d"]), -math.log(at["delta"]))
    return at["tau"] * least / (at["n"] * at["epsilon"]), at["s*"] * at["tau"]


def selection_without_removal(at: Point) -> Sides:
    """003 Algorithm 4: s rounds of the largest entry, and how many entries they select."""
    v = at["v"]
    chosen = [max(range(len(v)), key=lambda j: abs(v[j])) for _ in range(at["s"])]
    return at["s"], len(set(chosen))


def fano_with_a_midpoint(at: Point) -> Sides:
    """003 (10): the printed bound over Phi for two laws; a midpoint's error is below rho*."""
    laws, moved = at["|V|"], math.exp(-at["epsilon"] * at["np"])
    return (laws - 1) * (moved / 2) / (1 + (laws - 1) * moved), 0


def grid_that_does_not_grow(at: Point) -> Sides:
    """004, line 5295: 1, and log k of k^(h+p) = 10^3, the root of the constant of n."""
    return 1, math.log(at["constant"]) / 2 / (at["h"] + at["p"])


def zcdp_without_the_square(at: Point) -> Sides:
    """004 Lemma 2.1.9: alpha Delta^2/(2 sigma^2), and alpha Delta/(2 sigma^2)."""
    delta, sigma, alpha = at["sensitivity"], at["sigma"], at["alpha"]
    return alpha * delta**2 / (2 * sigma**2), alpha * delta / (2 * sigma**2)


def wishart_outside_the_support(at: Point) -> Sides:
    """004 Theorem 6.3.1: P(W below the gap of the minimisers), where D' has probability 0."""
    minimisers = [1 / (record**2 / at["n"] + at["rho"]) for record in at["records"]]
    gap = abs(minimisers[0] - minimisers[1])
    scale = at["d"] ** 2.5 / (at["n"] * at["epsilon"] * at["rho"] ** 2)
    # chi squared with d + 1 = 2 degrees of freedom is exponential with mean 2
    return 1 - math.exp(-gap / (2 * scale)), 0


WITNESSES: dict[str, Callable[[Point], Sides]] = {
    "002 Proposition 2.4": gaussian_mechanism,
    "002 (37)": second_moment_by_tails,
    "002 (38)": tail_below_zero,
    "002 (39)": squared_excess,
    "002 (78)": lost_variance,
    "002 Proof of Proposition 4.3": without_the_hidden_sign,
    "002 Proof of Proposition 4.5": without_the_hidden_sign,
    "002 (22)": contraction_from_the_wrong_step,
    "002 Section 4.2, weight": weight_without_the_two,
    "002 (76)": tail_by_the_variance,
    "002 Section 6.3, initialisation": initial_support,
    "002 (55)": no_room_for_a_constant,
    "002 (54)": squared_bracket,
    "003 Corollary 1": smoothness_of_the_square,
    "003 Remark 4": gap_to_the_bound,
    "003 l.381, minimum": least_risk,
    "003 Theorem 9": lower_bound,
    "003 (11)": lower_bound,
    "003 Algorithm 4": selection_without_removal,
    "003 (10)": fano_with_a_midpoint,
    "004 l.5295": grid_that_does_not_grow,
    "004 Lemma 2.1.9": zcdp_without_the_square,
    "004 Theorem 6.3.1": wishart_outside_the_support,
}


def recomputed(row: Mapping[str, Any]) -> bool:
    """Return whether both sides of a witness come out again and the print fails there."""
    witness = row["witness"]
    sides = WITNESSES[row["key"]](witness)
    same = all(
        math.isclose(mine, witness[side], rel_tol=1e-6, abs_tol=1e-12)
        for mine, side in zip(sides, ("left", "right"), strict=True)
    )
    print(f"{'ok ' if same else 'NOT'} {row['key']}: {sides[0]:.6g} is not at most {sides[1]:.6g}")
    return same and not sides[0] <= sides[1]


def main(path: str) -> int:
    """Recompute all witnesses that are in a file; return the exit status."""
    with open(path, encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["key"] in WITNESSES]
    found = sum(list(map(recomputed, rows)))
    print(f"{found} of {len(rows)} recomputed")
    return 0 if rows and found == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
