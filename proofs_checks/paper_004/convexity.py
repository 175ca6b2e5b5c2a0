"""Steps on smooth and convex functions that sections 3.1 and 4.1 both take.

Inner products and squared norms stand for themselves: a claim that is linear in them holds for
vectors of any length.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols
from reference.losses import Logistic, Sigmoid


def quadratic_bound(half: int = 2) -> Outcome:
    """f(x1) - f(x2) - <grad f(x2), x1 - x2> is the integral of <grad f(x2 + t d) - grad f(x2), d>.

    d = x1 - x2, t from 0 to 1; smoothness bounds the integrand by L t ||d||^2, whose integral is
    L ||d||^2/2 [step "integral"].
    """
    t, smoothness, distance = symbols("t L d")
    integral = sp.integrate(smoothness * t * distance**2, (t, 0, 1))
    return derived(integral=identity((integral, smoothness * distance**2 / half)))


def logistic_curvature(largest: str | None = None) -> Outcome:
    """Bound the second derivative s (1 - s) of ln(1 + e^-t) by the code's L, s = 1/(1 + e^-t)."""
    t = sp.Symbol("t", real=True)
    s = 1 / (1 + sp.exp(-t))
    share = reals("s")
    bound = rational(largest or Fraction(Logistic().smoothness))
    return derived(
        second=identity((sp.diff(sp.log(1 + sp.exp(-t)), t, 2), s * (1 - s))),
        largest=for_all(share * (1 - share) <= bound, share > 0, share < 1),
    )


def sigmoid_slope(largest: str | None = None) -> Outcome:
    """Bound the slope -s (1 - s) of 1/(1 + e^t) by the code's G, s = 1/(1 + e^t)."""
    t = sp.Symbol("t", real=True)
    s = 1 / (1 + sp.exp(t))
    share = reals("s")
    bound = rational(largest or Fraction(Sigmoid().lipschitz))
    return derived(
        slope=identity((sp.diff(s, t), -s * (1 - s))),
        largest=for_all(share * (1 - share) <= bound, share > 0, share < 1),
    )


def cocoercive(factor: str = "2", inner: int = 1) -> Outcome:
    """||grad f(x) - grad f(y)||^2 <= 2 L (f(x) - f(y) - <grad f(y), x - y>), f convex, L-smooth.

    h(z) = f(z) - <grad f(y), z> is smallest at y; at z = x - grad h(x)/L the quadratic upper bound
    is h(x) - ||grad h(x)||^2/(2 L) [step "descent"], and it is at least h(y) [step "factor"].
    """
    g, smoothness = symbols("g L")
    descent = -g * g / smoothness + smoothness / 2 * (g / smoothness) ** 2
    square, size, above, along = reals("square L f_x_less_f_y along")  # <grad f(y), x - y>
    return derived(
        descent=identity((descent, -(g**2) / (2 * smoothness))),
        factor=for_all(
            square <= rational(factor) * size * (above - inner * along),
            *(square >= 0, size > 0, above - along >= square / (2 * size)),
        ),
    )


def optimality(sign: int = 1, power: int = -1, direction: int = 1) -> Outcome:
    """Fermat's rule for a minimum x+ of <a, u> + V(u, x)/gamma + r(u) over a convex set.

    Its slope at x+, with the subgradient p of r, is a + (grad w(x+) - grad w(x))/gamma + p, because
    V(u, x) = w(u) - w(x) - <grad w(x), u - x> [step "slope"]. A value that is s t + c t^2 along
    u - x+ does not fall as t > 0 grows from 0, so that s >= 0: otherwise it is negative for small t
    [step "minimum"].
    """
    u, x, there, here, a, p = symbols("u x there here a p", real=True)
    gamma = symbols("gamma")
    w = sp.Function("w")
    bregman = w(u) - w(x) - here * (u - x)  # here = w'(x), there = w'(u)
    objective = a * u + bregman / gamma + p * u
    slope = sp.diff(objective, u).subs(sp.diff(w(u), u), there)
    s, t, c = reals("s t c")
    falls = direction * s < 0
    return derived(
        slope=identity((slope, a + gamma**power * (there - sign * here) + p)),
        minimum=for_all(t * s + t * t * c < 0, falls, t > 0, c >= 0, 2 * t * c <= -s * direction),
    )


def mirror_step(factor: str = "1") -> Outcome:
    """Put u = x into the optimality condition of x+.

    a = <grad F, x - x+>, w = <grad w(x+) - grad w(x), x+ - x>, p = <p, x+ - x> for the subgradient
    p of r at x+, e = <eps, x+ - x>: a >= w/gamma + p + e; the modulus gives w >= alpha ||x+ - x||^2
    and convexity p >= r(x+) - r(x).
    """
    a, w, p, e, square, change = reals("a w p e square change")
    alpha, gamma = reals("alpha gamma")
    return derived(
        conclusion=for_all(
            gamma * (a - change - e) >= rational(factor) * alpha * square,
            *(alpha > 0, gamma > 0, square >= 0, w >= alpha * square, p >= change),
            gamma * (a - p - e) >= w,
        )
    )


def non_expansive(share: str = "1") -> Outcome:
    """With a = prox(x), b = prox(y): x - a and y - b are subgradients of r at a and b.

    So d = (x - a) - (y - b) has <d, a - b> >= 0 [step "monotone"], and ||x - y||^2 =
    ||a - b||^2 + 2 <d, a - b> + ||d||^2 [step "square"] is at least ||a - b||^2 [step "shorter"].
    """
    x, y, a, b = symbols("x y a b", real=True)
    d = (x - a) - (y - b)
    square, inner, rest, first, second, change = reals("square inner rest first second change")
    return derived(
        # first = <x - a, b - a> <= r(b) - r(a) = change, second = <y - b, a - b> <= -change
        monotone=for_all(-first - second >= 0, first <= change, second <= -change),
        square=identity(((x - y) ** 2, (a - b) ** 2 + 2 * d * (a - b) + d**2)),
        shorter=for_all(
            square <= rational(share) ** 2 * (square + 2 * inner + rest),
            *(square >= 0, inner >= 0, rest >= 0, inner * inner <= square * rest),
        ),
    )
