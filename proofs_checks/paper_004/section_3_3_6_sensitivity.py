"""Section 3.3.6: proof of Lemma 3.3.1, the sensitivity of Pairwise GIGA.

d = w_{t-1} - w_{t-1}' and D = ||d||; g is the difference of the mean gradients. In units of
G/alpha where z3 decides, kappa = L/alpha >= 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004 import convexity
from proofs_checks.statement import Wrong
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-3.3.9",))


@statement(
    "004 l.2421 (Lemma 3.3.1, first case)",
    lines="2415-2423",
    kind="sensitivity",
    printed="z_t itself differs: eta_t ||grad L^_t(D_t) - grad L^_t(D_t')|| <= "
    "(t-1)/(t-2) 2G/(alpha t) <= 4G/(alpha t)",
    false="two gradients of norm at most G differ by up to 2G",
    errata=("diss-3.3.9/E1",),
)
def arrival() -> Outcome:
    """The gradients of all pairs with z_t are G, those with z_t' are -G; t = 17, alpha = G = 1."""
    t = 17
    eta = Fraction(t - 1, t - 2) * Fraction(2, t)
    return refuted({"t": t, "G": 1, "alpha": 1}, 2 * eta, eta, "step difference against the bound")


@arrival.corrected(
    "(t-1)/(t-2) 4G/(alpha t) <= 8G/(alpha t) for t >= 3, so that the lemma survives",
    refuses={
        "4G/(alpha t)": {"constant": 4},
        "t >= 2.5": {"first": "5/2"},
        "8G/(alpha t^2)": {"power": 2},
    },
    unchecked={"4": "2 times 2: eta_t has 2 in the premises, and |g - g'| <= 2G"},
)
def arrival_of_opposite_gradients(constant: int = 8, first: str = "3", power: int = 1) -> Outcome:
    """By eta_t = (t-1)/(t-2) 2/(alpha t)."""
    t, g, other, eta, alpha, most = reals("t g g' eta_t alpha G")
    return for_all(
        eta * z3.Abs(g - other) * alpha * t**power <= constant * most,
        *(t >= rational(first), z3.Abs(g) <= most, z3.Abs(other) <= most, alpha > 0),
        eta * alpha * t * (t - 2) == 2 * (t - 1),
    )


@statement(
    "004 (3.120)",
    lines="2425-2427",
    kind="optimisation",
    printed="||w_t - w_t'||^2 <= ||(w_{t-1} - eta_t grad L^_t(D_t)) - (w'_{t-1} - eta_t "
    "grad L^_t(D_t'))||^2",
    refuses={
        "0.99 of the distance": {"share": "0.99"},
        "without eta_t": {"steps": 0},
        "eta_t^2": {"steps": 2},
        "+ eta_t on the right": {"sign": -1},
    },
)
def projected(share: str = "1", steps: int = 1, sign: int = 1) -> Outcome:
    """A projection is the prox of an indicator, see :func:`convexity.non_expansive`.

    What is projected are the two steps [step "step", on the interval [low, high]].
    """
    w, other, g, h, eta, low, high = reals("w w' g g' eta_t low high")

    def clip(x: Any) -> Any:
        return z3.If(x < low, low, z3.If(x > high, high, x))

    def right(start: Any, gradient: Any) -> Any:
        return start - sign * eta**steps * gradient

    return derived(
        non_expansive=convexity.non_expansive(share),
        step=for_all(
            z3.Abs(clip(w - eta * g) - clip(other - eta * h))
            <= z3.Abs(right(w, g) - right(other, h)),
            *(eta > 0, low < high),
        ),
    )


@statement(
    "004 (3.121)",
    lines="2429",
    kind="identity",
    printed="... <= D^2 + eta_t^2 ||g||^2 - 2 eta_t d^T g",
    refuses={"eta_t d^T g": {"twice": 1}},
)
def expanded(twice: int = 2) -> Outcome:
    """Coordinate by coordinate; d = w - v and D = |d|."""
    w, v, g, h, eta = symbols("w v g h eta", real=True)
    left = ((w - eta * g) - (v - eta * h)) ** 2
    right = (w - v) ** 2 + eta**2 * (g - h) ** 2 - twice * eta * (w - v) * (g - h)
    return identity((left, right))


@statement(
    "004 (3.122)",
    lines="2431-2442",
    kind="approximation",
    printed="||g||^2 <= 2 L^2 ((t-2)/(t-1))^2 D^2 + 8 G^2/(t-1)^2",
    refuses={"7.9 G^2": {"constant": "7.9"}, "L^2 D^2": {"smooth": "1"}},
)
def squared_gradients(constant: str = "8", smooth: str = "2") -> Outcome:
    """||a + b||^2 <= 2||a||^2 + 2||b||^2 [step "halves"] for the common pairs a and the other b.

    ||a|| <= L (t-2)/(t-1) D, ||b|| <= 2G/(t-1) [step "parts", times (t-1)^2].
    """
    a, b, mixed, total = reals("a b mixed total")  # squared norms, inner product
    common, other, t, size, distance, lipschitz = reals("common other t L D G")
    return derived(
        halves=for_all(total <= 2 * a + 2 * b, total == a + 2 * mixed + b, 2 * mixed <= a + b),
        parts=for_all(
            2 * (common * common + other * other)
            <= rational(smooth) * (size * (t - 2) * distance) * (size * (t - 2) * distance)
            + rational(constant) * lipschitz * lipschitz,
            *(t >= 3, size > 0, distance >= 0, lipschitz > 0, common >= 0, other >= 0),
            common <= size * (t - 2) * distance,
            other <= 2 * lipschitz,
        ),
    )


@statement(
    "004 (3.123)",
    lines="2443-2450",
    kind="identity",
    printed="d^T g = d^T [sum over the common pairs]/(t-1) + d^T [the pair with z_i]/(t-1)",
    refuses={"1/t for the pair": {"more": 1}, "1/t for the common pairs": {"others": 1}},
    unchecked={"z_i": "of its pair, special in the step"},
)
def split(more: int = 0, others: int = 0) -> Outcome:
    """One of t - 1 pairs has z_i; a mean is linear, whole = d^T g."""
    d, common, special, t = symbols("d common special t", real=True)
    whole = d * (common + special) / (t - 1)
    return identity((whole, d * common / (t - 1 + others) + d * special / (t - 1 + more)))


@statement(
    "004 (3.124)",
    lines="2452-2454",
    kind="optimisation",
    printed="d^T [sum over the common pairs]/(t-1) >= alpha (t-2)/(t-1) D^2",
    refuses={
        "1.1 alpha": {"strength": "1.1"},
        "(t-1)/(t-1)": {"pairs": 1},
        "(t-2)/(t-2)": {"divisor": 2},
    },
    unchecked={"d": "of the inner products with it, left and a - b in the steps, and of |d|^2, D2"},
)
def strong_monotonicity(strength: str = "1", pairs: int = 2, divisor: int = 1) -> Outcome:
    """Definition 3.0.3 at w and at w', added, for each of t-2 pairs, by induction over k pairs.

    a = <grad l(w), d>, b = <grad l(w'), d>: l(w') >= l(w) - a + alpha D^2/2 and l(w) >= l(w') + b +
    alpha D^2/2.
    """
    a, b, here, there, alpha, square = reals("a b here there alpha D2")
    total, k, t, left = reals("total k t left")
    more = rational(strength) * alpha * square
    return every(
        for_all(
            total + a - b >= (k + 1) * more,
            *(alpha > 0, square >= 0, total >= k * more),
            there >= here - a + alpha * square / 2,
            here >= there + b + alpha * square / 2,
        ),
        for_all(
            left * (t - divisor) >= (t - pairs) * alpha * square,
            *(t >= 3, alpha > 0, square >= 0),
            *(left * (t - 1) == total, total >= (t - 2) * alpha * square),
        ),
    )


@statement(
    "004 (3.125)",
    lines="2456-2458",
    kind="approximation",
    printed="|d^T [grad l(w; z_t, z_i) - grad l(w'; z_t, z_i')]|/(t-1) <= 2 G D/(t-1)",
    refuses={"G D/(t-1)": {"twice": 1}, "2 G D/t": {"fewer": 0}},
)
def other_pair(twice: int = 2, fewer: int = 1) -> Outcome:
    """Cauchy-Schwarz and the triangle inequality."""
    inner, norm, g, h, size, distance = reals("inner norm g h G D")
    t, left = reals("t left")
    return for_all(
        left * (t - fewer) <= twice * size * distance,
        *(t >= 2, left * (t - 1) == z3.Abs(inner)),
        *(distance >= 0, norm >= 0, z3.Abs(inner) <= norm * distance, norm <= g + h),
        *(g >= 0, h >= 0, g <= size, h <= size),
    )


SUMS: Wrong = {
    "1.1 alpha": {"strength": "1.1"},
    "(t-1)/(t-1)": {"pairs": 1},
    "G D/(t-1)": {"twice": 1},
    "- 2 G D/t": {"divisor": 0},
}
"""Wrong versions of (3.127)."""


def monotone_sum(strength: str = "1", pairs: int = 2, twice: int = 2, divisor: int = 1) -> Outcome:
    """(3.123) with (3.124) and (3.125); their terms are here times t - 1.

    Here inner = d^T g.
    """
    inner, common, other, alpha, t, distance, size = reals("inner common other alpha t D G")
    first = rational(strength) * alpha * (t - pairs) * distance * distance
    return for_all(
        (inner - first / (t - 1)) * (t - divisor) >= -twice * size * distance,
        *(alpha > 0, t >= 3, distance >= 0, size > 0, inner * (t - 1) == common + other),
        common >= alpha * (t - 2) * distance * distance,
        z3.Abs(other) <= 2 * size * distance,
    )


@statement(
    "004 (3.126)",
    lines="2460-2462",
    kind="optimisation",
    printed="d^T g >= the right side of (3.127): plugging (3.124) and (3.125) into (3.123)",
    refuses=SUMS,
)
def plugged(**wrong: Any) -> Outcome:
    """See :func:`monotone_sum`; the number stands on the left side of (3.127)."""
    return monotone_sum(**wrong)


@statement(
    "004 (3.127)",
    lines="2464",
    kind="optimisation",
    printed="d^T g >= alpha (t-2)/(t-1) D^2 - 2 G D/(t-1)",
    refuses=SUMS,
)
def monotone(**wrong: Any) -> Outcome:
    """See :func:`monotone_sum`."""
    return monotone_sum(**wrong)


@statement(
    "004 (3.128)",
    lines="2466-2469",
    kind="optimisation",
    printed="||w_t - w_t'||^2 <= (1 + 2 L^2 eta^2 ((t-2)/(t-1))^2 - 2 eta alpha (t-2)/(t-1)) D^2 + "
    "8 G^2 eta^2/(t-1)^2 + 4 eta G D/(t-1)",
    refuses={
        "2 eta G D/(t-1)": {"last": 2},
        "eta alpha (t-2)/(t-1)": {"strength": 1},
        "(t-3)/(t-1)": {"pairs": 3},
    },
)
def recursion(last: int = 4, strength: int = 2, pairs: int = 2) -> Outcome:
    """(3.122) and (3.127) in (3.121): an equality if they are [step "equality"]; eta >= 0."""
    eta, alpha, t, d, size, smooth = symbols("eta alpha t D G L")
    square = 2 * smooth**2 * ((t - 2) / (t - 1)) ** 2 * d**2 + 8 * size**2 / (t - 1) ** 2
    inner = alpha * (t - 2) / (t - 1) * d**2 - 2 * size * d / (t - 1)
    share = (t - pairs) / (t - 1)
    right = (1 + 2 * smooth**2 * eta**2 * share**2 - strength * eta * alpha * share) * d**2
    right += 8 * size**2 * eta**2 / (t - 1) ** 2 + last * eta * size * d / (t - 1)
    return derived(equality=identity((d**2 + eta**2 * square - 2 * eta * inner, right)))


@statement(
    "004 (3.129)",
    lines="2470-2473",
    kind="approximation",
    printed="at eta_t = (t-1)/(t-2) 2/(alpha t) and D <= 8G/(alpha (t-1)): <= (1 + "
    "8 L^2/(alpha t)^2 - 4/t + 1/(2 (t-2)^2) + 1/(t-2)) 64 G^2/(alpha (t-1))^2",
    refuses={
        "1/(2 (t-2))": {"last": "1/2"},
        "7 L^2": {"eight": 7},
        "(alpha t)^3": {"weights": 3},
        "-5/t": {"four": 5},
        "63 G^2": {"whole": "63"},
    },
)
def at_the_steps(
    last: str = "1", eight: int = 8, weights: int = 2, four: int = 4, whole: str = "64"
) -> Outcome:
    """Substituted in (3.128) [step "substituted"], whose factor of D^2 is positive [step "sign"].

    Then 1/t <= 1/(t-1) in both other terms [step "larger", in units of 64 G^2/(alpha (t-1))^2].

    Here d stands for D.
    """
    alpha, t, size, smooth = symbols("alpha t G L")
    eta, d = (t - 1) / (t - 2) * 2 / (alpha * t), 8 * size / (alpha * (t - 1))
    share = (t - 2) / (t - 1)
    right = (1 + 2 * smooth**2 * eta**2 * share**2 - 2 * eta * alpha * share) * d**2
    right += 8 * size**2 * eta**2 / (t - 1) ** 2 + 4 * eta * size * d / (t - 1)
    first = 1 + eight * smooth**2 / (alpha * t) ** weights - four / t
    middle = first * d**2 + 32 * size**2 / (alpha * t * (t - 2)) ** 2
    middle += 64 * size**2 / (alpha**2 * t * (t - 1) * (t - 2))
    u, kappa, near, far = reals("t kappa 1/t 1/(t-2)")
    first_factor = 1 + 8 * kappa * kappa * near * near - 4 * near
    other = (u - 1) * (u - 1) * near * near * far * far / 2 + (u - 1) * near * far
    claimed = far * far / 2 + rational(last) * far
    return derived(
        substituted=identity((right, middle)),
        sign=for_all(u * u + 8 * kappa * kappa - 4 * u >= 0, u >= 7, kappa >= 1),
        larger=for_all(
            64 * (first_factor + other) <= rational(whole) * (first_factor + claimed),
            *(u >= 7, kappa >= 1, near * u == 1, far * (u - 2) == 1),
        ),
    )


@statement(
    "004 (3.130)",
    lines="2474-2476",
    kind="approximation",
    printed="the right side of (3.129) is at most 64 G^2/(alpha t)^2",
    refuses={
        "T_1 = 8 L^2/alpha^2": {"steps": 8},
        "63 G^2": {"constant": 63},
        "G": {"sizes": 1},
        "64 G^2/(alpha t^2)": {"convexity": 1},
        "64 G^2/(alpha^2 t^3)": {"steps_below": 3},
    },
)
def next_distance(
    steps: int = 16, constant: int = 64, sizes: int = 2, convexity: int = 2, steps_below: int = 2
) -> Outcome:
    """For t >= max(16 kappa^2, 7), times (alpha t (t-1)/G)^2 and 2 (t-2)^2, both sides of it."""

    def left(t: Any, square: Any) -> Any:
        return 2 * (t - 2) * (t - 2) * (t * t + 8 * square - 4 * t) + t * t + 2 * t * t * (t - 2)

    def right(t: Any) -> Any:
        return constant * 2 * (t - 2) * (t - 2) * (t - 1) * (t - 1)

    size, smooth, alpha, at = symbols("G L alpha t")
    unit = 2 * (alpha * at * (at - 1) * (at - 2) / size) ** 2
    factor = 1 + 8 * smooth**2 / (alpha * at) ** 2 - 4 / at
    factor += 1 / (2 * (at - 2) ** 2) + 1 / (at - 2)
    claimed = constant * size**sizes / (alpha**convexity * at**steps_below)
    t, square = reals("t kappa2")
    return every(
        identity(
            (
                unit * factor * 64 * size**2 / (alpha * (at - 1)) ** 2,
                64 * left(at, (smooth / alpha) ** 2),
            ),
            (unit * claimed, right(at)),
        ),
        for_all(64 * left(t, square) <= right(t), t >= 7, square >= 1, t >= steps * square),
    )


@statement(
    "004 (3.131)",
    lines="2478-2484",
    kind="approximation",
    printed="8 L^2/alpha^2 + t^2/(2 (t-2)^2) + t^2/(t-2) <= 2t + 1, from t/2 >= 8 L^2/alpha^2, "
    "3t/2 >= t^2/(t-2) and 1 >= t^2/(2 (t-2)^2)",
    refuses={"t >= 6": {"first": 6}, "2t for 2t + 1": {"one": 0}, "4t/3": {"share": "4/3"}},
)
def simplified(first: int = 7, one: int = 1, share: str = "3/2") -> Outcome:
    """(3.130) in other terms [step "same"], and its three parts [step "parts"].

    Here kappa2 = L^2/alpha^2.
    """
    t, square = symbols("t kappa2")
    left = 1 + 8 * square / t**2 - 4 / t + 1 / (2 * (t - 2) ** 2) + 1 / (t - 2)
    right = 8 * square + t**2 / (2 * (t - 2) ** 2) + t**2 / (t - 2) - 2 * t - 1
    u, k = reals("t kappa2")
    return derived(
        same=identity((t**2 * left - (t - 1) ** 2, right + 1 - one)),
        parts=every(
            for_all(u >= 16 * k, u >= first, k > 0, u / 2 >= 8 * k),
            for_all(rational(share) * u * (u - 2) >= u * u, u >= first),
            for_all(2 * (u - 2) * (u - 2) >= u * u, u >= first),
        ),
    )
