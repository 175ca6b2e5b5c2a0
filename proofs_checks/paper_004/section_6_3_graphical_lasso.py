"""Section 6.3: the graphical lasso, its fixed point and how it moves with the second moment.

In the derivations T and T' are the minimisers at S and S', and U the subgradient of ||T||_1 with
S - T^-1 + rho U = 0: an entry of U is the sign of that of T, or in [-1, 1] where it is 0.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.random_matrices import symmetric, unit_rows
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.matrices.graphical_lasso import graphical_lasso, optimality_gap
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.second_moments import second_moment
from reference.proximal import soft_threshold

statement = partial(any_statement, algorithms=("diss-6.3.51-W1",))

PROJECTED = (
    "the noisy second moment is projected on the positive semidefinite cone, without which there "
    "may be no minimiser"
)


@statement(
    "004 (6.83)",
    lines="8599, 8673",
    kind="optimisation",
    printed="min over Theta > 0 of -log det Theta + <S, Theta> + rho ||Theta||_1, rho > 0, is "
    "strongly convex and has a unique solution",
    false="it is strictly convex: the curvature 1/t^2 of -log t is not bounded from below",
    errata=("diss-6.3.51/E7",),
)
def strongly_convex() -> Outcome:
    """d = 1. A modulus mu needs F(t) + F(3t) - 2 F(2t) >= mu t^2 for every t > 0.

    The linear terms cancel, and the left side is log(4/3), whatever t: below mu t^2 = 1 at t =
    1/sqrt(mu).
    """
    point = {"d": 1, "mu": "any", "t": "1/sqrt(mu)"}
    return refuted(point, ball(1), log(ball("4/3")), "mu t^2 against the second difference")


@strongly_convex.corrected(
    "it has a unique solution, and is strongly convex with modulus 1/beta^2 on 0 < Theta <= beta I "
    "for S >= 0",
    refuses={"modulus 1/beta": {"power": 1}},
    unchecked={
        "Theta": "the steps have its eigenvalues t",
        "S": "linear in Theta, so without curvature; <S, Theta> >= 0 for S >= 0",
    },
)
def strictly_convex(rng: np.random.Generator, power: int = 2) -> Outcome:
    """The second derivative of -log det along D is tr(T^-1 D T^-1 D).

    In an eigenbasis of T that is sum d_ij^2/(t_i t_j), at least ||D||_F^2/beta^2 for eigenvalues up
    to beta [step "term"], and positive: there is at most one minimum. Since F is at least the sum
    of rho t - log t over the eigenvalues, which tends to infinity at both ends [step "ends", it is
    convex with its least value at 1/rho], there is one. Points around the code's are worse [step
    "code"].
    """
    x, t, other, top = reals("d_ij t_i t_j beta")
    value, rho = symbols("t rho")
    term = rho * value - sp.log(value)
    lowest, tried = math.inf, 40
    for index in range(tried):
        d = 1 + index % 5
        s = second_moment(unit_rows(max(1, d - 1), d, rng))
        theta = graphical_lasso(s, penalty=0.3).theta
        step = symmetric(d, rng)
        step *= 0.5 * float(np.linalg.eigvalsh(theta)[0]) / float(np.linalg.norm(step, 2))
        lowest = min(lowest, _objective(theta + step, s, 0.3) - _objective(theta, s, 0.3))
    return derived(
        term=for_all(
            x * x <= x * x / (t * other) * top**power,
            *(t > 0, other > 0, t <= top, other <= top),
        ),
        ends=identity(
            (sp.diff(term, value).subs(value, 1 / rho), 0), (sp.diff(term, value, 2), 1 / value**2)
        ),
        code=searched(-lowest, 0, tried=tried, what="how far a point nearby is below the code's"),
    )


def _objective(theta: FloatArray, s: FloatArray, penalty: float) -> float:
    logarithm = float(np.linalg.slogdet(theta)[1])
    return float(np.sum(s * theta)) + penalty * float(np.abs(theta).sum()) - logarithm


@statement(
    "004 Lemma 6.3.5",
    lines="8675-8681",
    kind="optimisation",
    printed="alpha I <= Theta* <= beta I with (6.87), (6.88)",
    refuses={
        "1.01 alpha": {"up": 1.01},
        ".99 beta": {"down": 0.99},
        "rho/2 d in alpha": {"penalties": 0.5},
        "S + rho I for a singular S": {"shift": 1},
    },
    unchecked={
        "Theta*": "the steps have its least and largest eigenvalue",
    },
)
def eigenvalue_bounds(
    rng: np.random.Generator,
    up: float = 1,
    down: float = 1,
    penalties: float = 1,
    shift: float = 0.5,
) -> Outcome:
    """T^-1 = S + rho U with |u_ij| <= 1, so ||T^-1||_2 <= ||S||_2 + rho d [step "alpha"].

    The product with T is <S, T> + rho ||T||_1 = d, and <S, T> >= alpha tr S; the largest eigenvalue
    is at most tr T <= ||T||_1 [step "trace"]. Let f be the objective without its penalty. For
    S > 0 it is least at S^-1 [step "inverse"], and tr T <= ||S^-1||_2 <S, T> while ||T||_1 >=
    ||T||_F >= alpha sqrt d; d - 1 eigenvalues are at least alpha [step "second"]. Otherwise
    f + rho/2 tr is least at (S + rho/2 I)^-1 [step "singular"]. The code's minimisers are within
    the bounds, with equality at d = 1 [step "code"].
    """
    size, rho, d, alpha, least, inverse, spread = reals("size rho d alpha least inverse spread")
    largest, trace, norm, product, of_s, root = reals("largest trace norm product of_s root")
    value, other, other_norm, other_trace, bound = reals("value other norm2 trace2 bound")
    low, high, part, moved = (rational(Fraction(x)) for x in (up, down, penalties, shift))
    known = (rho > 0, largest <= trace, trace <= norm, product + rho * norm == d)
    optimal = value + rho * norm <= other + rho * other_norm
    return derived(
        alpha=for_all(
            low <= least * (size + part * rho * d),
            *(least > 0, rho > 0, d >= 1, size >= 0, least * inverse == 1),
            *(inverse <= size + rho * spread, spread <= d),
        ),
        trace=for_all(rho * largest <= high * (d - alpha * of_s), product >= alpha * of_s, *known),
        inverse=for_all(
            largest <= high * other_norm, *known, optimal, other <= value, other_norm > 0
        ),
        second=for_all(
            largest <= high * ((d - rho * root * alpha) * bound - (d - 1) * alpha),
            *(rho > 0, bound > 0, root * root == d, d >= 1, alpha > 0, product > 0),
            *(trace <= bound * product, product + rho * norm == d, norm >= alpha * root),
            *(largest <= trace - (d - 1) * alpha, largest >= alpha),
        ),
        singular=for_all(
            largest <= high * (2 * other_norm - other_trace),
            *(*known, optimal, other_trace <= other_norm, other_norm > 0),
            other + moved * rho * other_trace <= value + moved * rho * trace,
        ),
        code=_eigenvalues_of_minimisers(rng, up, down, penalties),
    )


def _eigenvalues_of_minimisers(
    rng: np.random.Generator, up: float, down: float, penalties: float
) -> Outcome:
    """Singular and positive definite second moments alternate."""
    lowest, highest, tried = 0.0, 0.0, 60
    for index in range(tried):
        d = 1 + index % 5
        s = second_moment(unit_rows(d + 3 if index % 2 else max(1, d - 1), d, rng))
        rho = 10.0 ** rng.uniform(-2, 0.5)
        eigenvalues = np.linalg.eigvalsh(graphical_lasso(s, penalty=rho).theta)
        alpha = up / (float(np.linalg.norm(s, 2)) + penalties * rho * d)
        if np.linalg.eigvalsh(s)[0] > 1e-9:
            inverse = np.linalg.inv(s)
            second = (d - rho * math.sqrt(d) * alpha) * float(np.linalg.norm(inverse, 2))
            gamma = min(float(np.abs(inverse).sum()), second - (d - 1) * alpha)
        else:
            inverse = np.linalg.inv(s + rho / 2 * np.eye(d))
            gamma = 2 * float(np.abs(inverse).sum()) - float(np.trace(inverse))
        beta = down * min((d - alpha * float(np.trace(s))) / rho, gamma)
        lowest = max(lowest, alpha / float(eigenvalues[0]))
        highest = max(highest, float(eigenvalues[-1]) / beta)
    return every(
        searched(lowest, 1 + 1e-6, tried=tried, what="alpha over the smallest eigenvalue"),
        searched(highest, 1 + 1e-6, tried=tried, what="largest eigenvalue over beta"),
    )


eigenvalue_bounds.restated("004 (6.87)", lines="8677", printed="alpha and beta of Lemma 6.3.5")
eigenvalue_bounds.restated("004 (6.88)", lines="8681", printed="gamma of Lemma 6.3.5")


@statement(
    "004 (6.90)",
    lines="8683-8693",
    kind="optimisation",
    printed="x* minimises f + g if and only if x* = prox_{eta g}(x* - eta grad f(x*)), for every "
    "eta > 0",
    refuses={"prox_g": {"scaled": 0}},
    unchecked={
        "x*, prox_{eta g}": "both sides are that D >= p for every y, which the steps have",
    },
)
def proximal_fixed_point(scaled: int = 1) -> Outcome:
    """f and g are convex, f is differentiable (6.89).

    Let h = y - x, p = <-grad f(x), h>, D = g(y) - g(x), N = |h|^2 > 0. Both sides say that D >= p
    for every y.

    If D >= p for every y then x is the proximal point, whose objective at y is larger by eta D +
    N/2 - eta p [step "proximal"], and the minimum, since f(y) >= f(x) - p [step "minimum"]. If
    D < p for some y, then at x + t h, where g is at most g(x) + t D, the former is below its value
    at x for t N <= eta (p - D) [step "no proximal point"], and so is f + g once the remainder of
    f(x) - t p is at most t (p - D)/2 [step "no minimum"].
    """
    p, gap, square, eta, t, remainder = reals("p D N eta t e")
    weight = eta if scaled else 1
    return derived(
        proximal=for_all(
            weight * gap + square / 2 - eta * p >= 0, *(eta > 0, square > 0, gap >= p)
        ),
        minimum=for_all(-p + gap >= 0, gap >= p),
        no_proximal_point=for_all(
            weight * t * gap + t * t * square / 2 - eta * t * p < 0,
            *(eta > 0, square > 0, gap < p, t > 0, t * square <= eta * (p - gap)),
        ),
        no_minimum=for_all(
            t * gap - t * p + remainder < 0, *(t > 0, gap < p, 2 * remainder <= t * (p - gap))
        ),
    )


proximal_fixed_point.restated(
    "004 (6.89)",
    lines="8685",
    printed="min_{x in X} F(x) = f(x) + g(x), whose minimisers (6.90) names",
    unchecked={
        "X, F": "the problem, by name; the steps have f + g by p and D",
    },
)


@statement(
    "004 (6.91)",
    lines="8697",
    kind="optimisation",
    printed="Theta* = prox_{eta g}(Theta* - eta (S - Theta*^-1)) for every eta > 0",
    refuses={"threshold .9 eta rho": {"factor": "0.9"}},
    unchecked={
        "Theta*, S": "the steps have an entry x of Theta* and g of S - Theta*^-1",
        "prox_{eta g}": "the soft threshold, shrunk in the step",
    },
)
def fixed_point(rng: np.random.Generator, factor: str = "1") -> Outcome:
    """The prox is soft thresholding by eta rho, entry by entry.

    With an entry x of T and g of S - T^-1: x is the threshold of x - eta g if and only if
    g = -rho sign(x), or |g| <= rho at x = 0 [step "entry"]. That is the condition of a minimum of
    the convex objective, which the code's solutions meet and points next to them do not
    [step "code"].
    """
    x, g, eta, rho = reals("x g eta rho")
    moved, threshold = x - eta * g, rational(factor) * eta * rho
    shrunk = z3.If(
        moved > threshold, moved - threshold, z3.If(moved < -threshold, moved + threshold, 0)
    )
    optimal = z3.If(x > 0, g == -rho, z3.If(x < 0, g == rho, z3.And(g <= rho, -rho <= g)))
    worst, sharpest = 0.0, math.inf
    for _ in range(30):
        d = int(rng.integers(2, 7))
        s = second_moment(unit_rows(d, d, rng))
        penalty = 10.0 ** rng.uniform(-2, 0)
        theta = graphical_lasso(s, penalty=penalty).theta
        step = 10.0 ** rng.uniform(-2, 0) * float(np.linalg.eigvalsh(theta)[0]) ** 2

        def residual(
            point: FloatArray, s: FloatArray = s, penalty: float = penalty, step: float = step
        ) -> float:
            gradient = s - np.linalg.inv(point)
            image = soft_threshold(point - step * gradient, step * penalty)
            return float(np.linalg.norm(point - image)) / step

        worst = max(worst, residual(theta), optimality_gap(theta, s, penalty))
        sharpest = min(sharpest, residual(1.01 * theta))
    return derived(
        entry=for_all((shrunk == x) == optimal, eta > 0, rho > 0),
        code=every(
            searched(worst, 1e-6, tried=30, what="residual per unit step at the minimiser"),
            searched(1e-6, sharpest, tried=30, what="1e-6 against the residual 1% away"),
        ),
    )


@statement(
    "004 Theorem 6.3.3",
    lines="8755-8757",
    kind="approximation",
    printed="||Theta_hat - Theta*||_F <= max(||Theta*||_2^2, ||Theta_hat||_2^2) ||N||_F",
    added="both minimisers exist, as for S + N positive semidefinite",
    refuses={"min(..)": {"larger": 0}, ".9 max(..)": {"factor": 0.9}},
)
def stability(rng: np.random.Generator, factor: float = 1, larger: float = 1) -> Outcome:
    """It holds with the product ||T||_2 ||T'||_2. D = T' - T, N = S' - S.

    Subtract the two optimality conditions and take the product with D: <T^-1 - T'^-1, D> =
    -<N, D> - rho <U' - U, D>. The last product is not negative [step "monotone", entry by entry],
    so the left side is at most ||N||_F ||D||_F. And T^-1 - T'^-1 = T^-1 D T'^-1 [step "resolvent"],
    so that in the eigenbases of T and T' the left side is sum d_ij^2/(t_i t'_j), at least
    ||D||_F^2/(||T||_2 ||T'||_2) [step "term"]. Divide by ||D||_F; the product is at most the
    maximum of the squares, and for equal norms it is the maximum [step "maximum"].
    """
    a, b, u, v, rho = reals("a b u v rho")
    first, second = sp.symbols("T R", commutative=False)
    resolvent = first**-1 * (second - first) * second**-1 - (first**-1 - second**-1)
    t, moved, top, other, x = reals("t r top other x")
    greater = top > other if larger else top < other
    size = z3.If(greater, top * top, other * other)
    subgradient = [
        z3.If(y > 0, s == 1, z3.If(y < 0, s == -1, z3.And(s <= 1, s >= -1)))
        for y, s in ((a, u), (b, v))
    ]
    return derived(
        monotone=for_all(rho * (v - u) * (b - a) >= 0, rho > 0, *subgradient),
        resolvent=identity((sp.expand(resolvent), 0)),
        term=for_all(
            x * x * top * other >= x * x * t * moved,
            *(t > 0, moved > 0, t <= top, moved <= other),
        ),
        maximum=for_all(top * other <= rational(Fraction(factor)) * size, *(top > 0, other > 0)),
        code=_moved_minimisers(factor, larger, rng),
    )


def _moved_minimisers(factor: float, larger: float, rng: np.random.Generator) -> Outcome:
    worst, tried = 0.0, 50
    for index in range(tried):
        d = 1 + index % 6
        s = second_moment(unit_rows(d + 1, d, rng))
        rho = 10.0 ** rng.uniform(-1.5, 0)
        noise = 10.0 ** rng.uniform(-3, 0) * symmetric(d, rng)
        if np.linalg.eigvalsh(s + noise)[0] <= -0.9 * rho:
            noise = positive_part(s + noise) - s
        first, second = (graphical_lasso(m, penalty=rho).theta for m in (s, s + noise))
        norms = [float(np.linalg.norm(theta, 2)) for theta in (first, second)]
        size = max(norms) ** 2 if larger else min(norms) ** 2
        distance = float(np.linalg.norm(first - second))
        worst = max(worst, distance / (factor * size * float(np.linalg.norm(noise))))
    return searched(worst, 1 + 1e-6, tried=tried, what="distance over bound, pairs of minimisers")


stability.restated("004 (6.93)", lines="8757", printed="the bound of Theorem 6.3.3")


@statement(
    "004 (6.98)",
    lines="8892-8902",
    kind="optimisation",
    printed="||Theta* - Theta'*||_F <= ||f(Theta*) - f(Theta'*)||_F + eta ||S - S'||_F, f(Theta) = "
    "Theta + eta Theta^-1",
    checked="for every eta > 0",
    refuses={"eta/2 ||S - S'||_F": {"factor": "1/2"}},
    unchecked={
        "f, Theta": "f(Theta) is T + eta T^-1 in the step",
    },
)
def moved_fixed_points(rng: np.random.Generator, factor: str = "1") -> Outcome:
    """Both minimisers are the soft thresholds, by (6.91) [step "fixed point"], of f(T) - eta S.

    That is T - eta (S - T^-1) [step "argument"]. Thresholding brings no two entries farther apart
    [step "threshold"]; then the triangle inequality [step "triangle", one entry]. The code's
    minimisers have it [step "code"].
    """
    x, y, level, first, second = reals("x y level first second")
    theta, s = sp.symbols("T S", commutative=False)
    eta = sp.Symbol("eta")

    def shrunk(z: Any) -> Any:
        return z3.If(z > level, z - level, z3.If(z < -level, z + level, 0))

    worst, tried = 0.0, 40
    for index in range(tried):
        d, penalty, step = 2 + index % 4, 10.0 ** rng.uniform(-1, 0), 10.0 ** rng.uniform(-2, 1)
        moments = [second_moment(unit_rows(d, d, rng)) for _ in range(2)]
        one, two = (graphical_lasso(m, penalty=penalty).theta for m in moments)
        images = [theta + step * np.linalg.inv(theta) for theta in (one, two)]
        bound = np.linalg.norm(images[0] - images[1])
        bound += float(Fraction(factor)) * step * np.linalg.norm(moments[0] - moments[1])
        worst = max(worst, float(np.linalg.norm(one - two) / bound))
    return derived(
        fixed_point=fixed_point.of_printed.check(rng),  # type: ignore[union-attr]
        argument=identity((theta - eta * (s - theta**-1), (theta + eta * theta**-1) - eta * s)),
        threshold=for_all(z3.Abs(shrunk(x) - shrunk(y)) <= z3.Abs(x - y), level > 0),
        triangle=for_all(
            z3.Abs(first - second) <= z3.Abs(first) + rational(factor) * z3.Abs(second)
        ),
        code=searched(worst, 1 + 1e-6, tried=tried, what="distance over bound, two data sets"),
    )


@statement(
    "004 Lemma 6.3.6",
    lines="8906-8910",
    kind="optimisation",
    printed="||f(A) - f(B)||_F <= max(|1 - eta/a^2|, |1 - eta/b^2|) ||A - B||_F for f(A) = A + "
    "eta A^-1",
    refuses={"|1 - eta/a^2| alone": {"ends": 1}, "|1 - eta/a| and |1 - eta/b|": {"power": 1}},
    unchecked={
        "f": "f(A) is A + eta A^-1 in the step",
    },
)
def lipschitz(rng: np.random.Generator, ends: int = 2, power: int = 2) -> Outcome:
    """a and b are the largest and the smallest eigenvalue of both; D = A - B.

    f(A) - f(B) = D - eta A^-1 D B^-1 [step "resolvent"], which in the eigenbases of A and B
    multiplies the entry d_ij by 1 - eta z, z = 1/(a_i b_j) in [1/a^2, 1/b^2] [step "range"]; an
    affine function of z has its largest modulus at an end [step "ends"].
    """
    first, second = sp.symbols("A B", commutative=False)
    step = sp.Symbol("eta")
    left = first + step * first**-1 - second - step * second**-1
    right = (first - second) - step * first**-1 * (first - second) * second**-1
    eta, z, low, high = reals("eta z low high")
    one, other_one, most, fewest = reals("a_i b_j a b")

    def size(y: Any) -> Any:
        return z3.Abs(1 - eta * y)

    largest_at = [size(low), size(high)][:ends]
    worst, tried = 0.0, 150
    for index in range(tried):
        d = int(rng.integers(1, 6))
        basis = np.linalg.qr(rng.standard_normal((d, d)))[0]
        other = basis if index % 2 else np.linalg.qr(rng.standard_normal((d, d)))[0]
        least, largest = np.sort(10.0 ** rng.uniform(-1, 1, size=2))
        a, b = ((q * rng.uniform(least, largest, size=d)) @ q.T for q in (basis, other))
        extremes = np.concatenate([np.linalg.eigvalsh(m) for m in (a, b)])
        length = 10.0 ** rng.uniform(-2, 2)
        bound = max(abs(1 - length / extremes.max() ** 2), abs(1 - length / extremes.min() ** 2))
        moved = a - b + length * (np.linalg.inv(a) - np.linalg.inv(b))
        worst = max(worst, float(np.linalg.norm(moved)) / float(bound * np.linalg.norm(a - b)))
    return derived(
        resolvent=identity((sp.expand(left - right), 0)),
        ends=for_all(
            z3.Or(*(size(z) <= end for end in largest_at)),
            *(eta > 0, low > 0, low <= z, z <= high),
        ),
        range=for_all(
            z3.And(fewest**power <= one * other_one, one * other_one <= most**power),
            *(fewest > 0, fewest <= one, one <= most, fewest <= other_one, other_one <= most),
        ),
        search=searched(worst, 1 + 1e-9, tried=tried, what="ratio, random pairs"),
    )


@statement(
    "004 (6.99)",
    lines="8914",
    kind="sensitivity",
    printed="||Theta* - Theta'*||_F <= 2 beta^2/n for neighbours, beta = larger spectral norm",
    special_case_of="004 Theorem 6.3.3",
    refuses={"beta^2/n": {"factor": "1"}, "2 beta/n": {"power": 1}, "2 beta^2/n^2": {"records": 2}},
)
def minimiser_sensitivity(
    rng: np.random.Generator, factor: str = "2", power: int = 2, records: int = 1
) -> Outcome:
    """Theorem 6.3.3 [step "stability"] at N = (w w^T - v v^T)/n, which is at most sqrt 2/n.

    n^2 ||N||_F^2 = |v|^4 + |w|^4 - 2 <v,w>^2 [step "frobenius"] is at most 2, below the printed 4
    [step "unit balls"]; the distance is at most beta^2 ||N||_F [step "distance", q = n ||N||_F],
    distance = ||Theta* - Theta'*||_F.
    """
    names = symbols("v1 v2 w1 w2", real=True)
    v, w = sp.Matrix(names[:2]), sp.Matrix(names[2:])
    gap = v * v.T - w * w.T
    a, b, c = reals("a b c")
    distance, beta, n, q = reals("distance beta n q")
    return derived(
        stability=stability_check(rng),
        distance=for_all(
            distance * n**records <= rational(factor) * beta**power,
            *(beta > 0, n >= 1, q >= 0, q * q <= 2, distance * n <= beta**2 * q, distance >= 0),
        ),
        frobenius=identity(
            ((gap.T * gap).trace(), v.dot(v) ** 2 + w.dot(w) ** 2 - 2 * v.dot(w) ** 2)
        ),
        unit_balls=for_all(
            a * a + b * b - 2 * c * c <= rational(factor) ** 2, *(a >= 0, a <= 1, b >= 0, b <= 1)
        ),
        neighbours=_neighbours(float(factor), rng),
    )


stability_check = stability.of_printed.check  # type: ignore[union-attr]


def _neighbours(factor: float, rng: np.random.Generator) -> Outcome:
    worst, tried = 0.0, 40
    for index in range(tried):
        n, d = int(rng.integers(1, 8)), int(rng.integers(1, 6))
        data = unit_rows(n, d, rng)
        other = data.copy()
        other[0] = unit_rows(1, d, rng)[0]
        if index % 3 == 0 and d > 1:
            data[0], other[0] = np.eye(d)[0], np.eye(d)[1]
        rho = 10.0 ** rng.uniform(-1.5, 0)
        first, second = (
            graphical_lasso(second_moment(m), penalty=rho).theta for m in (data, other)
        )
        beta = max(float(np.linalg.norm(theta, 2)) for theta in (first, second))
        worst = max(worst, float(np.linalg.norm(first - second)) * n / (factor * beta**2))
    return searched(worst, 1 + 1e-6, tried=tried, what="distance over bound, neighbours")
