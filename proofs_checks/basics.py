"""Facts about differential privacy that several papers state under numbers of their own."""

from __future__ import annotations

from typing import Any

from proofs_checks.balls import Ball, ball, exp, log, monotone, ndtr, npdf, pi, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    less,
    nonnegative,
    rational,
    reals,
    symbols,
)


def post_processed(factor: str = "1", share: str = "1") -> Outcome:
    """Sum over the outputs y of a channel K.

    (sum_x (p_x - gamma q_x) K_xy)_+ <= sum_x (p_x - gamma q_x)_+ K_xy, because (.)_+ is
    subadditive and homogeneous [step "one output", one more x after those whose sum is total]; the
    sum over y is the hockey stick of (p, q), gamma = e^epsilon with m = gamma - 1; afterwards it is
    claimed for 1 + ``share`` m.
    """
    total, bound, p, q, m, k = reals("total bound p q m k")
    a, after = p - (1 + m) * q, p - (1 + rational(share) * m) * q

    def positive_part(x: Any) -> Any:
        return z3.If(x > 0, x, 0)

    return derived(
        one_output=for_all(
            positive_part(total + after * k) <= bound + rational(factor) * positive_part(a) * k,
            *(k >= 0, k <= 1, bound >= 0, positive_part(total) <= bound),
            *(m >= 0, p >= 0, q >= 0),
        )
    )


def laplace_loss(factor: str = "1", *, norm: int = 1) -> Outcome:
    """Bound the log-ratio of the densities, per coordinate (|x - v| - |x - u|)/scale.

    It is at most |u - v|/scale [step "one coordinate"]; the losses add up to at most the sum a of
    the changes over scale [step "sum", by induction], and a + b <= Delta_1 with the last
    change b makes that Delta_1/scale = epsilon [step "total"]. Here Delta = Delta_1.
    """
    x, u, v = reals("x u v")
    a, b, change, scale, epsilon, before = reals("a b Delta scale epsilon before")
    loss = z3.Abs(x - v) - z3.Abs(x - u)
    within = a + b <= change if norm == 1 else a * a + b * b <= change * change
    return derived(
        one_coordinate=for_all(loss <= rational(factor) * z3.Abs(u - v)),
        sum=for_all(before + loss <= a + rational(factor) * z3.Abs(u - v), before <= a, a >= 0),
        total=for_all(
            a + b <= epsilon * scale,
            *(a >= 0, b >= 0, change >= 0, within, scale > 0, scale * epsilon == change),
        ),
    )


def one_norm(power: int = 1) -> Outcome:
    """||v||_1^2 <= d ||v||_2^2, one entry after another: d is how many there are so far."""
    entry, sizes, squares, d = reals("entry sizes squares d")
    return for_all(
        (sizes + entry) * (sizes + entry) <= (d + 1) ** power * (squares + entry * entry),
        *(d >= 1, entry >= 0, sizes >= 0, squares >= 0, sizes * sizes <= d**power * squares),
    )


def gaussian_delta(mu: Ball, epsilon: Ball) -> Ball:
    """Enclose the exact delta of the Gaussian mechanism at sensitivity/sigma = mu."""
    return ndtr(mu / 2 - epsilon / mu) - exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)


def gaussian_at_small_epsilon(constant: str = "1.25", *, two: int = 2, largest: int = 2) -> Outcome:
    """Exact delta <= delta = constant exp(-s^2/2) at sigma = s Delta/epsilon, epsilon <= largest.

    So s^2 = 2 ln(constant/delta). With u = epsilon/(2 s) the exact delta is
    phi(s) e^(epsilon/2 - u^2/2) (R(s-u) - R(s+u)), where R = (1 - Phi)/phi is Mills' ratio, which
    decreases on the whole line; s goes from sqrt(2 ln constant) (delta = 1) on. Beyond s = 8:
    R(x) < 1/x at x = s - u >= 8 - epsilon/16, and epsilon <= largest.
    """
    c = ball(constant)

    def mills(x: Ball) -> Ball:
        return monotone(lambda t: ndtr(-t) / npdf(t), x)

    def slack(s: Ball, epsilon: Ball) -> Ball:
        u = epsilon / (2 * s)
        growth = exp(epsilon / 2 - u * u / 2) / sqrt(2 * pi())
        return c - growth * (mills(s - u) - mills(s + u))

    start = {"1.25": "0.668", "1": "0.01"}[constant]
    beyond = less(exp(ball(largest) / 2) / sqrt(2 * pi()) / (8 - ball(largest) / 16), c)
    size, epsilon, delta, top = symbols("s epsilon delta c")
    mu, u = epsilon / size, epsilon / (2 * size)
    common = -(size**2) / 2 + epsilon / 2 - u**2 / 2
    return every(
        identity(
            (top * sp.exp(-two * sp.log(top / delta) / 2), delta),
            (mu / 2 - epsilon / mu, -(size - u)),
            (-mu / 2 - epsilon / mu, -(size + u)),
            (-((size - u) ** 2) / 2, common),
            (epsilon - (size + u) ** 2 / 2, common),
        ),
        nonnegative(slack, {"s": (start, 8), "epsilon": (0, largest)}, rest=beyond),
        less(ball("0.668"), sqrt(2 * log(ball("1.25")))),
    )


def composed(*, largest: bool = False, largest_epsilon: bool = False) -> Outcome:
    """Every (eps, delta)-DP mechanism is a post-processing of a pair on four outcomes.

    Kairouz, Oh and Viswanath (2015), Theorem 3.1, also adaptively: (delta, (1-delta) g/(1+g),
    (1-delta)/(1+g), 0) and its mirror image, g = e^eps. For two such pairs the exact delta at
    e^(eps_1 + eps_2) is 1 - (1-delta_1)(1-delta_2) <= delta_1 + delta_2 [step "two"]; the product
    is again of a mechanism with these parameters, so that induction gives any number.
    """
    g, h, d, e = reals("g h d e")

    def pair(odds: Any, delta: Any) -> list[tuple[Any, Any]]:  # times 1 + odds
        return [
            (delta * (1 + odds), 0),
            ((1 - delta) * odds, 1 - delta),
            (1 - delta, (1 - delta) * odds),
        ]

    odds = z3.If(g > h, g, h) if largest_epsilon else g * h
    gaps = [p * q - odds * u * v for p, u in pair(g, d) for q, v in pair(h, e)]
    exact = sum(z3.If(gap > 0, gap, 0) for gap in gaps)
    total = (1 + g) * (1 + h)
    bound = z3.If(d > e, d, e) if largest else d + e
    return derived(
        two=for_all(
            z3.And(exact == (1 - (1 - d) * (1 - e)) * total, exact <= bound * total),
            *(g >= 1, h >= 1, d >= 0, d <= 1, e >= 0, e <= 1),
        )
    )
