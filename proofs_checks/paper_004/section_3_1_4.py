"""Section 3.1.4: DP-AccMD, its privacy and its error.

a = ln(1/delta), D = ||C||_2 the diameter, W = G_C^2 + D^2 (or with D^2/4, the radius).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_3_1_3 import TOO_LITTLE, full_gradients
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    exactly,
    for_all,
    identity,
    reals,
    refuted,
    searched,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-3.1.4",))


@statement(
    "004 Definition 3.1.5",
    lines="792",
    kind="definition",
    printed="w has modulus alpha: <x - z, grad w(x) - grad w(z)> >= alpha ||x - z||^2; V(x, z) = "
    "w(x) - w(z) - <grad w(z), x - z>",
    checked="it yields V(x, z) >= alpha/2 ||x - z||^2",
    refuses={"alpha ||x - z||^2": {"half": 1}},
    unchecked={
        "w": "the step has the integrand at its lower bound alpha t ||d||^2",
        "V": "the integral on the left of the step",
    },
)
def distance_generating(half: int = 2) -> Outcome:
    """V is the integral over t from 0 to 1 of <grad w(z + t d) - grad w(z), d>, d = x - z.

    By the definition at z + t d and z the integrand is at least alpha t ||d||^2.
    """
    t, alpha, d = symbols("t alpha d")
    return definition(identity((sp.integrate(alpha * t * d**2, (t, 0, 1)), alpha * d**2 / half)))


@statement(
    "004 Theorem 3.1.6",
    lines="783, 794-798",
    kind="privacy",
    printed="DP-AccMD is (epsilon, delta)-DP for constants epsilon, delta with (3.9)",
    false="step 6 uses the exact gradient, and y_T is what is returned",
    errata=("diss-3.1.4/E1",),
)
def exact_step() -> Outcome:
    """T = 1: y_1 is a function of x_0 and grad F(x_0), a constant whatever the noise.

    C = [-1, 1] (diameter 2), L = 1, f = z x, x_0 = 0: y_1 = -mean(z)/(L D^2), on (1, 1) and (1, 0).
    """
    first, second = (-Fraction(sum(z), 2) / 4 for z in ((1, 1), (1, 0)))
    point = {"T": 1, "C": [-1, 1], "f": "z x", "x_0": 0, "z": [1, 1], "z'": [1, 0],
             "y_1": [float(first), float(second)], "sigma": "any"}  # fmt: skip
    return refuted(point, int(first != second), Fraction(99, 100), "total variation, delta = .99")


@exact_step.corrected(
    "the noisy gradient of step 8 in step 6 too, sigma^2 = 2 T G^2/(n^2 rho(epsilon, delta))",
    refuses={**TOO_LITTLE, "without T": {"rounds": 0}},
)
def noisy_step(factor: int = 2, distance: str = "2", rounds: int = 1) -> Outcome:
    """Both steps of an iteration post-process one release: :func:`full_gradients`."""
    k, T = sp.Symbol("k", integer=True), symbols("T")
    return full_gradients(sp.summation(1, (k, 1, T)), T**rounds, factor, distance)


exact_step.restated(
    "004 (3.9)", lines="796", printed="sigma^2 = c G^2 T ln(1/delta)/(n^2 epsilon^2)"
)


def noiseless_gap(size: float, radius: float, start: float, best: float, steps: int) -> float:
    """Gap of y_T of Algorithm 3.1.4 without noise on F = (x - x*)^2/2 over [-R, R].

    ``size`` stands for L in step 4; w = x^2/(2 R^2), the y-step is that of step 6 (L D^2 = 4 R^2).
    """
    y = z = start
    for k in range(steps):
        alpha, share = (k + 2) / (4 * size), 2 / (k + 2)
        x = share * z + (1 - share) * y
        slope = x - best
        y = min(max(x - slope / 4, -radius), radius)
        z = min(max(z - alpha * radius**2 * slope, -radius), radius)
    return (y - best) ** 2 / 2


def accelerated_bound(radius: float, start: float, best: float, steps: int) -> float:
    """8 L D^2 V(x*, x_0)/(T+1)^2 of the same problem, L = 1 and D = 2 R."""
    return 8 * 4 * radius**2 * ((start - best) ** 2 / (2 * radius**2)) / (steps + 1) ** 2


@statement(
    "004 Algorithm 3.1.4, step 4",
    lines="781, 1275-1277",
    kind="optimisation",
    printed="alpha_{k+1} = (k+2)/(4L): without noise gap(y_T) <= 8 L ||C||_2^2 V(x*, x_0)/(T+1)^2",
    false="L must be L ||C||_2^2, as the proof says; large sets break the bound",
    errata=("diss-3.1.4/E2",),
)
def plain_smoothness() -> Outcome:
    """C = [-10, 10], L = 1."""
    radius, start, best, steps = 10.0, 9.5, 9.0, 80
    point = {"C": [-radius, radius], "F": "(x - 9)^2/2", "x_0": start, "T": steps}
    gap = noiseless_gap(1.0, radius, start, best, steps)
    point["gap at T = 5, x_0 = -7, x* = -6.5"] = noiseless_gap(1.0, radius, -7.0, -6.5, 5)
    return refuted(point, gap, accelerated_bound(radius, start, best, steps), "gap, its bound")


@plain_smoothness.corrected(
    "alpha_{k+1} = (k+2)/(4 L ||C||_2^2)",
    refuses={
        "(k+2)/(4L)": {"power": 0},
        "1/(4 L') in the recursion": {"rest": 4},
        "(k+3)/(4 L ||C||_2^2)": {"shift": 3},
    },
)
def scaled_smoothness(power: int = 2, rest: int = 8, shift: int = 2) -> Outcome:
    """(3.58) without noise: F is L D^2-smooth in ||.||_C, and then alpha_k = (k+1)/(4 L D^2).

    2 alpha_k^2 L' = 2 alpha_{k+1}^2 L' - alpha_{k+1} + 1/(8L') for L' = L D^2 [step
    "recursion", now = alpha_k and then = alpha_{k+1}],
    and F(y_0) has the factor 2 alpha_1^2 L' - alpha_1 = 0 [step "first"].
    One dimension, R from 1 to 100 [step "search"].
    """
    k, L, D = symbols("k L D")
    now, then = ((k + i) / (4 * L * D**power) for i in (shift - 1, shift))
    size = L * D**2
    worst, tried = 0.0, 0
    for radius in (1.0, 10.0, 100.0):
        for steps in (1, 5, 80):
            for start, best in ((0.95, 0.9), (-0.7, -0.65), (1.0, -1.0)):
                place = (radius, start * radius, best * radius, steps)
                gap = noiseless_gap((2 * radius) ** power, *place)
                worst, tried = max(worst, gap / accelerated_bound(*place)), tried + 1
    return derived(
        recursion=identity((2 * now**2 * size, 2 * then**2 * size - then + 1 / (rest * size))),
        first=identity(((2 * then**2 * size - then).subs(k, 0), 0)),
        search=searched(worst, 1, tried=tried, what="gap over the bound"),
    )


def slow_mirror(scale: int) -> tuple[float, float]:
    """Return E gap of y_T and the printed bound with w = K x^2/2 on [-1, 1], K = ``scale``.

    f = x (G = 1, so that F is L-smooth for L = K), x_0 = 0, x* = -1, V(x*, x_0) = K/2, W = 2/pi +
    4; n epsilon/sqrt(W a) = .8 sqrt(K) = nu and T^2 = L D^2 sqrt(V) nu. The path is linear in the
    noise: its mean is the path without noise, as long as z stays in [-1, 1]; z_T is about -.3
    here, with a standard deviation of order 1/sqrt(K).
    """
    nu = 0.8 * math.sqrt(scale)
    steps = round(math.sqrt(scale * 4 * math.sqrt(scale / 2) * nu))
    y = z = 0.0
    for k in range(steps):
        share = 2 / (k + 2)
        x = share * z + (1 - share) * y
        y = max(x - 1 / (4 * scale), -1.0)
        z = max(z - (k + 2) / (4 * scale) / scale, -1.0)
    return y + 1, 1 / nu


@statement(
    "004 Theorem 3.1.7",
    lines="800-808, 1355-1359",
    kind="utility",
    printed="E gap(y_T) <= O(sqrt(G_C^2 + ||C||_2^2) G sqrt(ln(1/delta))/(n epsilon)) after T of "
    "order (L ||C||_2^2 sqrt(V) n epsilon/(G sqrt(ln(1/delta)) sqrt(G_C^2 + ||C||_2^2)))^(1/2)",
    false="the factor sqrt(V(x*, x_0)) is lost (a misprint; the last display of the proof has it)",
    errata=("diss-3.1.4/E3",),
)
def without_divergence() -> Outcome:
    """w = K x^2/2 is 1-strongly convex for every K >= 1: as K grows the mirror step is slow."""
    ratios = {}
    for scale in (10**2, 10**3, 10**4):
        gap, bound = slow_mirror(scale)
        ratios[f"{scale}"] = gap / bound
    point = {"C": [-1, 1], "f": "x", "w": "K x^2/2", "L": "K", "gap over bound, by K": ratios}
    return refuted(point, gap, 10 * bound, "E gap at K = 10^4 against 10 times the bound")


@without_divergence.corrected(
    "O(sqrt(V(x*, x_0)) sqrt(G_C^2 + ||C||_2^2) G sqrt(ln(1/delta))/(n epsilon)), alpha as above",
    refuses={
        "T^2 without sqrt(V)": {"divergence": 0},
        "W^{1/4} for sqrt(W)": {"width": 4},
    },
    unchecked={"alpha": "the step sizes, which (3.58) has"},
)
def with_divergence(divergence: int = 1, width: int = 2) -> Outcome:
    """(3.58) at (3.59), L for L D^2: 8 L V/T^2 and c T^2 G^2 a W/(L (n epsilon)^2) are both it.

    T^2 = L sqrt(V) n epsilon/(G sqrt(a W)); T sigma^2 W/L with sigma^2 = c G^2 T a/(n epsilon)^2.

    Here a = log(1/delta) and W = G_C^2 + ||C||_2^2.
    """
    L, V, n, epsilon, size, a, W, c = symbols("L V n epsilon G a W c")
    square = L * sp.sqrt(V) ** divergence * n * epsilon / (size * sp.sqrt(a * W))
    rate = sp.sqrt(V * a) * W ** sp.Rational(1, width) * size / (n * epsilon)
    noise = c * size**2 * square * a * W / (L * (n * epsilon) ** 2)
    return derived(optimisation=identity((8 * L * V / square, 8 * rate)),
                   noise=identity((noise, c * rate)))  # fmt: skip


@statement(
    "004 Theorem 3.1.7, gradient complexity",
    lines="808",
    kind="utility",
    printed="n T = O(n^1.5 sqrt(epsilon L)/(G_C^2 + ||C||_2^2)^{1/4})",
    checked="n T with ||C||_2 V^{1/4}/(G^{1/2} ln(1/delta)^{1/4}), which the O hides",
    refuses={"n^2": {"power": 2}},
)
def complexity(power: str | int = "3/2") -> Outcome:
    """T full gradients of n calls each, at the T of the theorem.

    Here steps = T, W = G_C^2 + ||C||_2^2 and a = log(1/delta).
    """
    L, D, V, n, epsilon, size, a, W = symbols("L D V n epsilon G a W")
    steps = sp.sqrt(L * D**2 * sp.sqrt(V) * n * epsilon / (size * sp.sqrt(a * W)))
    hidden = D * V ** sp.Rational(1, 4) / (sp.sqrt(size) * a ** sp.Rational(1, 4))
    printed = n ** sp.Rational(power) * sp.sqrt(epsilon * L) / W ** sp.Rational(1, 4)
    return derived(calls=identity((n * steps, hidden * printed)))


@statement(
    "004 l.1343 (sum of alpha_k^2)",
    lines="1343",
    kind="identity",
    printed="sum over k <= T of alpha_k^2 = O(T^3)",
    checked="sum (k+1)^2/(16 L^2) <= T^3/(4 L^2) for T >= 1 ((3.57) has the 1/L^2)",
    refuses={
        "T^3/(8 L^2)": {"constant": "1/8"},
        "T^2/(4 L^2)": {"power": 2},
        "T^3/(4 L)": {"inverse": 1},
    },
)
def sum_of_squares(constant: str = "1/4", power: int = 3, inverse: int = 2) -> Outcome:
    """In closed form, alpha_k = (k + 1)/(4L) [step "sum"]; a polynomial in T [step "bound"]."""
    k, T = sp.Symbol("k", integer=True), sp.Symbol("T", positive=True, integer=True)
    closed = ((T + 1) * (T + 2) * (2 * T + 3) / 6 - 1) / 16
    L, t = symbols("L"), reals("T")
    share = Fraction(constant)

    def few() -> Iterator[tuple[dict[str, int], Fraction, Fraction]]:
        for steps in (1, 2, 3, 10, 1000):
            total = Fraction(sum((j + 1) ** 2 for j in range(1, steps + 1)), 16)
            yield {"T": steps}, total, share * steps**power

    return derived(
        sum=identity((sp.summation((k + 1) ** 2 / (16 * L**2), (k, 1, T)), closed / L**inverse)),
        bound=for_all(
            (t + 1) * (t + 2) * (2 * t + 3) - 6 <= 96 * t**power / share.denominator, t >= 1
        ),
        points=exactly(few()),
    )
