"""Section 3.1.7, the two cases of Theorem 3.1.3 (DP-Katyusha): contraction of an epoch and rates.

k = 1/theta > 1, so that (1-theta)/theta = k - 1; N = p sigma^2; w = 1 + eta mu, kappa = L/mu.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-3.1.2",))


def decreasing(most: str = "1", share: str = "1", times: int = 1) -> Outcome:
    """x = zeta/sqrt 3 in [0, 1/2]: the derivative of ln phi is -1/(1-x) + 1/(1 + x/m) <= 0.

    [steps "derivative"; "slope", multiplied out]; phi(0) = 1 [step "start"]. With zeta =
    sqrt(m/kappa) the factors are 1 - theta and w [step "parameters"].

    Here logarithm = log phi and w = 1 + eta mu.
    """
    z, steps, mu, L = symbols("x m mu L")
    scaled = sp.Rational(share) * z
    logarithm = sp.log(1 - scaled) + times * steps * sp.log(1 + z / steps)
    theta, eta = sp.sqrt(steps * mu / (3 * L)), 1 / sp.sqrt(3 * mu * steps * L)
    at = sp.sqrt(steps * mu / L) / sp.sqrt(3)
    x, m, part = reals("x m share")
    return derived(
        derivative=identity(
            (sp.diff(logarithm, z), -sp.Rational(share) / (1 - scaled) + 1 / (1 + z / steps))
        ),
        parameters=identity((at, theta), (at / steps, eta * mu)),
        slope=for_all(
            (1 - part * x) <= part * (1 + x / m),
            *(x >= 0, 2 * x <= 1, m >= 1, part == rational(share)),
        ),
        start=for_all(part <= rational(most), part == 1),
    )


@statement(
    "004 l.1187 (phi)",
    lines="1181-1189",
    kind="approximation",
    printed="phi(zeta) = (1 - zeta/sqrt 3)(1 + zeta/(sqrt 3 m))^m decreases on [0, sqrt(3)/2], so "
    "(1-theta) w^m <= 1",
    refuses={
        "at most .99": {"most": "99/100"},
        "(1 - zeta/(2 sqrt 3))": {"share": "1/2"},
        "(1 + zeta/(sqrt 3 m))^(2m)": {"times": 2},
    },
)
def weights_at_most_one(most: str = "1", share: str = "1", times: int = 1) -> Outcome:
    """See :func:`decreasing`."""
    return decreasing(most, share, times)


def first_case(steps: int, kappa: int) -> tuple[Fraction, Fraction]:
    """Both sides of (3.40) for f = 0, r = mu x^2/2, x_0 = 1, sigma = 0, 3 m kappa a square.

    L = 1; x_t = x_0/w^t, so that w^m E||x_m - x*||^2 = w^-m x_0^2.
    """
    h = Fraction(1, math.isqrt(3 * steps * kappa))
    theta = steps * h  # sqrt(m/(3 kappa)) = m/sqrt(3 m kappa)
    mu, w = Fraction(1, kappa), 1 + h
    eta = h / mu
    total = sum((w**t for t in range(steps)), Fraction(0))
    mean = theta * steps / w / total + 1 - theta
    ratio = (1 - theta) / theta * total
    left = ratio * mu / 2 * mean**2 + w**-steps / (2 * eta)
    return left, w**-steps * (ratio * mu / 2 + 1 / (2 * eta))


@statement(
    "004 (3.40)",
    lines="1189-1191",
    kind="optimisation",
    printed="case 1: (1-theta)/theta sum w^t gap(x~_s) + w^m/(2 eta) E||x_m-x*||^2 <= w^-m (right "
    "side of (3.39))",
    false="w^m on the left is already divided by (a misprint; (3.41) has it)",
    errata=("diss-3.1.2/E7",),
)
def divided_twice() -> Outcome:
    """n = 4, m = 3, kappa = 100: 1/sqrt(3 m kappa) = 1/30, theta = 1/10."""
    left, right = first_case(3, 100)
    point = {"f": "0", "r": "x^2/200", "L": 1, "m": 3, "kappa": 100, "sigma": 0, "x_0": 1}
    return refuted(point, left, right, "the two sides")


@divided_twice.corrected(
    "E||x_m-x*||^2/(2 eta) on the left",
    refuses={
        "(2-theta)/theta sum w^t gap(x~_s)": {"more": 1},
        "E||x_m-x*||^2/eta": {"last": 2},
    },
)
def divided_once(more: int = 0, last: int = 1) -> Outcome:
    """(1-theta) w^m <= 1, so 1/theta >= (1-theta)/theta w^m in (3.39), divided by w^m.

    Here gaps = sum w^t gap(x~_s) and k stands for 1/theta.
    """
    k, power, gaps, end, right = reals("k w_to_m gaps end right")
    return derived(
        weights=decreasing(),
        divided=for_all(
            power * ((k - 1 + more) * gaps + last * end) <= right,
            *(k > 1, power >= 1, (k - 1) * power <= k, gaps >= 0, end >= 0),
            k * gaps + power * end <= right,
        ),
    )


@statement(
    "004 (3.41)",
    lines="1193-1195",
    kind="optimisation",
    printed="gap(x~_s) + theta/(2 eta(1-theta) sum w^t) E||x_m-x*||^2 <= w^-m (gap(x~_{s-1}) + "
    "theta/(2 eta(1-theta) sum w^t) E||x_0-x*||^2 + p sigma^2/(2L))",
    refuses={"p sigma^2/(4L)": {"share": "1/4"}, "sigma^2/(2L)": {"power": 0}},
)
def contraction(share: str = "1/2", power: int = 1) -> Outcome:
    """(3.40), corrected, divided by (1-theta)/theta sum w^t."""
    k, total, L, p, sigma, eta, start = symbols("k W L p sigma eta B")
    ratio, noise = (k - 1) * total, p**power * sigma**2
    return derived(
        before=divided_once(),
        noise=identity(
            (total * (k - 1) * p * sigma**2 / (2 * L) / ratio, sp.Rational(share) * noise / L)
        ),
        distance=identity((start / (2 * eta) / ratio, 1 / (k - 1) * start / (2 * eta * total))),
    )


contraction_check = contraction.of_printed.check  # type: ignore[union-attr]


@statement(
    "004 (3.42)",
    lines="1197-1199",
    kind="optimisation",
    printed="gap(x~_T) <= w^-Tm gap(x~_0) + theta/(2 eta(1-theta) sum w^t) ||x_0-x*||^2 + "
    "T/(2L) p sigma^2",
    checked="with w^-Tm before the second term too, which is less",
    refuses={
        "p sigma^2/(2L)": {"one": 0},
        "T/(4L) p sigma^2": {"share": "1/4"},
        "(T-1)/(2L) p sigma^2": {"less": 1},
        "half of w^-Tm gap": {"factor": "1/2"},
    },
    unchecked={"x~_T": "its gap is at most Phi_T, the other term of which is not negative"},
)
def all_epochs(one: int = 1, share: str = "1/2", less: int = 0, factor: str = "1") -> Outcome:
    """(3.41) is Phi_s <= q (Phi_{s-1} + N), q = w^-m <= 1; so Phi_T <= q^T Phi_0 + T N.

    By induction from T = 1 [step "first"].

    Here Phi_0 = gap(x~_0) + theta/(2 eta(1-theta) sum w^t) ||x_0-x*||^2.
    """
    q, power, start, count, noise, last = reals("q q_to_T Phi_0 T N Phi_T")
    given, part = (q > 0, q <= 1, start >= 0, noise >= 0), rational(factor)
    return derived(
        before=contraction_check(share),
        first=for_all(q * (start + noise) <= part * q * start + (1 - less) * noise, *given),
        induction=for_all(
            q * (last + noise) <= part * q * power * start + (one * count + 1 - less) * noise,
            *(*given, power > 0, count >= 1),
            last <= part * power * start + (count - less) * noise,
        ),
    )


@statement(
    "004 (3.43)",
    lines="1201-1203",
    kind="optimisation",
    printed="gap(x~_T) <= (1 + sqrt(1/(3 n kappa)))^-Tm O(gap_0) + T^2 m p G^2 ln(1/delta)/"
    "(2 L n^2 epsilon^2)",
    checked="with 3 gap_0 and c = 1 in (3.3), m <= n",
    refuses={
        "2 gap_0": {"first": 2},
        "T m p G^2": {"power": 1},
        "(1 + sqrt(1/(2 n kappa)))^-Tm": {"third": 2},
    },
    unchecked={"x~_T": "as in (3.42), into which the steps substitute"},
)
def substituted(first: int = 3, power: int = 2, third: int = 3) -> Outcome:
    """The second term of (3.42) is m/((1-theta) sum w^t) gap_0 at most [step "parameters"].

    mu ||x_0-x*||^2 <= 2 gap_0 and theta/(eta mu) = m; sum w^t >= m and theta <= 1/2 make it 2 gap_0
    [step "start"]; w = 1 + eta mu >= 1 + sqrt(1/(3 n kappa)) [step "base", squared, kappa = L/mu].

    Here a = log(1/delta) and gap stands for gap_0.
    """
    L, mu, m, T, p, size, a, n, epsilon = symbols("L mu m T p G a n epsilon")
    eta, theta = sp.sqrt(1 / (3 * mu * m * L)), sp.sqrt(m * mu / (3 * L))
    sigma = size**2 * T * m * a / (n * epsilon) ** 2
    gap, share, total, count, large, ratio = reals("gap theta W m n kappa")
    return derived(
        parameters=identity((theta / (eta * mu), m)),
        start=for_all(
            gap * (1 - share) * total + count * gap <= first * gap * (1 - share) * total,
            *(gap >= 0, share > 0, 2 * share <= 1, count >= 1, total >= count),
        ),
        step=identity(((eta * mu) ** 2, 1 / (3 * m * (L / mu)))),
        base=for_all(
            3 * count * ratio <= third * large * ratio,
            *(count >= 1, count <= large, ratio >= 1),
        ),
        noise=identity(
            (T * p * sigma / (2 * L), T**power * m * p * size**2 * a / (2 * L * (n * epsilon) ** 2))
        ),
    )


def two_thirds(
    factor: str = "2/3", share: str = "3/4", distance: str = "3/4", dimension: int = 1
) -> Outcome:
    """w^m >= 1 + 2m/(3 kappa) >= 3/2 (Bernoulli) [step "weights"]; theta = 1/2 in (3.39).

    Its factors are then (1-theta)/theta = 1 and 1/(2 eta) = 3L/4 [step "factors"], and 2 sum w^t
    gap(x~_s) + w^m 3L/4 E||x_m-x*||^2 <= right side [step "divided"].

    Here gaps = sum w^t gap(x~_s).
    """
    power, gaps, end, right, m, kappa = reals("w_to_m gaps end right m kappa")
    (L, p, sigma), theta = symbols("L p sigma"), sp.Rational(1, 2)
    eta = 2 / (3 * L)
    return derived(
        factors=identity(
            ((1 - theta) / theta, 1),
            (1 / (2 * eta), sp.Rational(distance) * L),
            (
                (1 - theta) / (2 * L * theta) * p * sigma**2,
                p**dimension * sigma**2 / (2 * L),
            ),
        ),
        weights=for_all(
            2 * (1 + 2 * m / (3 * kappa)) >= 3, kappa >= 1, m >= rational(share) * kappa
        ),
        divided=for_all(
            gaps + end <= rational(factor) * right,
            *(2 * power >= 3, gaps >= 0, end >= 0, 2 * gaps + power * end <= right),
        ),
    )


@statement(
    "004 (3.44)",
    lines="1209-1211",
    kind="optimisation",
    printed="case 2: sum w^t gap(x~_s) + 3L/4 E||x_m-x*||^2 <= (2/3)(sum w^t gap(x~_{s-1}) + "
    "3L/4 ||x_0-x*||^2 + sum w^t p sigma^2/(2L))",
    added="m = ceil(3 kappa/4), or 3 kappa/4 an integer",
    refuses={
        "1/2 for 2/3": {"factor": "1/2"},
        "m = 2 kappa/3": {"share": "2/3"},
        "3L/2 ||x_0-x*||^2": {"distance": "3/2"},
        "sigma^2/(2L)": {"dimension": 0},
    },
)
def second_case(
    factor: str = "2/3", share: str = "3/4", distance: str = "3/4", dimension: int = 1
) -> Outcome:
    """See :func:`two_thirds`."""
    return two_thirds(factor, share, distance, dimension)


@statement(
    "004 (3.45)",
    lines="1213",
    kind="optimisation",
    printed="<= (2/3)(sum w^t gap(x~_{s-1}) + 3L/4 ||x_0-x*||^2) + O(sum w^t p sigma^2/L)",
    checked="the O is a third",
    refuses={
        "a fourth": {"share": "1/4"},
        "sigma^2/L": {"dimension": 0},
        "1/L^2": {"smooth": 2},
        "without sum w^t": {"weights": 0},
    },
)
def second_case_noise(
    share: str = "1/3", dimension: int = 1, smooth: int = 1, weights: int = 1
) -> Outcome:
    """(3.44) with its last term apart."""
    total, L, p, sigma, gap, distance = symbols("W L p sigma gap distance")
    rest = total * gap + 3 * L / 4 * distance
    left = sp.Rational(2, 3) * (rest + total * p * sigma**2 / (2 * L))
    noise = total**weights * p**dimension * sigma**2 / L**smooth
    return derived(
        before=two_thirds(),
        apart=identity((left, sp.Rational(2, 3) * rest + sp.Rational(share) * noise)),
    )


@statement(
    "004 (3.46)",
    lines="1215-1217",
    kind="optimisation",
    printed="gap(x~_T) <= (2/3)^T O(gap_0) + O(p T G^2 ln(1/delta)/(n^2 epsilon^2 mu))",
    checked="<= (2/3)^T 3 gap_0 + p sigma^2/L, which is 3/4 c p T G^2 ln(1/delta)/(n^2 epsilon^2 "
    "mu) by (3.3)",
    refuses={
        "2 gap_0": {"first": 2},
        "p sigma^2/(2L)": {"floor": "1/2"},
        "(1/2)^T": {"base": "1/2"},
        "p^2": {"dims": 2},
        "n epsilon^2": {"records": 1},
        "mu^2": {"curvatures": 2},
        "G": {"sizes": 1},
        "without T": {"rounds": 0},
    },
    unchecked={
        "gap, x~_T": "gap(x~_T) is at most Phi_T, whose recursion the steps have",
        "gap_0": "a step has its factor, 3",
    },
)
def second_case_error(
    first: int = 3,
    floor: str = "1",
    base: str = "2/3",
    dims: int = 1,
    records: int = 2,
    curvatures: int = 1,
    sizes: int = 2,
    rounds: int = 1,
) -> Outcome:
    """(3.45) divided by sum w^t is Phi_s <= (2/3) Phi_{s-1} + N/(3L).

    So Phi_T <= (2/3)^T Phi_0 + N/L, by induction from T = 1 [steps "one epoch" and "induction"];
    Phi_0 <= gap_0 + (3L/4)(2/mu) gap_0/m = 3 gap_0 at m = 3 kappa/4 (sum w^t >= m) [step "start"].

    Here a = log(1/delta).
    """
    power, start, noise, last = reals("power Phi_0 N_over_L Phi")
    L, mu, p, size, T, c, a, n, epsilon = symbols("L mu p G T c a n epsilon")
    m = sp.Rational(3, 4) * L / mu
    sigma = c * size**2 * T * m * a / (n * epsilon) ** 2
    unit = p**dims * size**sizes * T**rounds * a / (n**records * epsilon**2 * mu**curvatures)
    third, limit, share = rational("1/3"), rational(floor), rational(base)
    return derived(
        one_epoch=for_all(
            2 * start / 3 + third * noise <= share * start + limit * noise, start >= 0, noise >= 0
        ),
        induction=for_all(
            2 * last / 3 + third * noise <= share * power * start + limit * noise,
            *(power > 0, start >= 0, noise >= 0, last <= power * start + limit * noise),
        ),
        start=identity((1 + sp.Rational(3, 4) * L * 2 / mu / m, first)),
        noise=identity((p * sigma / L, sp.Rational(3, 4) * c * unit)),
    )
