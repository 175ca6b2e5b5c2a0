"""Section 3.1.7, proof of Theorem 3.1.3 (DP-Katyusha, with the noise that step 7 lacks).

k = 1/theta > 1, so that (1-theta)/theta = k - 1 and theta/(1-theta) = 1/(k - 1); B and A
are ||x_{t-1} - u||^2 and ||x_t - u||^2, D = ||x_t - x_{t-1}||^2; w = 1 + eta mu.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004 import convexity
from proofs_checks.statement import Wrong
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


@statement(
    "004 (3.29)",
    lines="1088-1090",
    kind="assumption",
    printed="L theta + L theta/(1-theta) <= 1/eta",
    checked="both cases of Theorem 3.1.3 satisfy it, m <= 3 kappa/4 in the first",
    refuses={
        "m <= kappa": {"most": "1"},
        "eta = 1/L in case 2": {"step": "1"},
        "L theta/(1-theta)^2": {"power": 2},
    },
)
def step_condition(most: str = "3/4", step: str = "2/3", power: int = 1) -> Outcome:
    """Case 1: 1/eta = sqrt(3 mu m L) = 3 L theta [step "first"].

    There theta^2 = m/(3 kappa) <= 1/4 if m <= 3 kappa/4 [step "half"]. Case 2 has equality
    [step "second", theta = 1/2].
    """
    L, mu, m = symbols("L mu m")
    share = sp.sqrt(m * mu / (3 * L))
    theta, ratio, size, eta = reals("theta m_over_kappa L eta")
    return derived(
        first=identity((sp.sqrt(3 * mu * m * L), 3 * L * share)),
        half=for_all(
            size * theta * ((1 - theta) ** power + 1) <= 3 * size * theta * (1 - theta) ** power,
            *(size > 0, theta > 0, theta < 1),
            *(3 * theta * theta == ratio, ratio <= rational(most)),
        ),
        second=for_all(
            size / 2 * (1 + 2**power) * eta <= 1, size > 0, eta > 0, eta * size == rational(step)
        ),
    )


@statement(
    "004 (3.30)",
    lines="1094-1098",
    kind="optimisation",
    printed="F(y_{t-1}) - F(u) <= (1-theta)/theta <grad F(y_{t-1}), x~ - x_{t-1}> + <grad "
    "F(y_{t-1}), x_{t-1} - u>",
    false="x~ - x_{t-1} must be x~ - y_{t-1} (a misprint; what follows has it)",
    errata=("diss-3.1.2/E3",),
)
def convexity_printed() -> Outcome:
    """F(x) = x, theta = 1/2, x_{t-1} = u = 0, x~ = -1: y = -1/2."""
    y, right = Fraction(-1, 2), Fraction(-1)
    return refuted({"F": "x", "theta": 0.5, "x_{t-1}": 0, "u": 0, "snapshot": -1}, y, right)


@convexity_printed.corrected(
    "(1-theta)/theta <grad F(y), x~ - y> + <grad F(y), x_{t-1} - u>",
    refuses={"(1-theta) <grad F(y), x~ - y>": {"power": 0}},
)
def convexity_step(power: int = 1) -> Outcome:
    """Convexity at y and y - u = (1-theta)/theta (x~ - y) + x - u, coordinate by coordinate."""
    x, old, u, slope = symbols("x old u g", real=True)
    theta = symbols("theta")
    y = theta * x + (1 - theta) * old
    right = (1 - theta) / theta**power * slope * (old - y) + slope * (x - u)
    return derived(identity=identity((slope * (y - u), right)))


@statement(
    "004 (3.31)",
    lines="1104",
    kind="identity",
    printed="<grad F, x_{t-1}-u> = <grad F - v_t, x_{t-1}-u> + <v_t, x_{t-1}-x_t> + <v_t, x_t-u>",
    refuses={"<v_t, x_t - x_{t-1}>": {"sign": -1}},
)
def split(sign: int = 1) -> Outcome:
    """Coordinate by coordinate."""
    slope, v, x, after, u = symbols("g v x x_t u", real=True)
    right = (slope - v) * (x - u) + sign * v * (x - after) + v * (after - u)
    return identity((slope * (x - u), right))


@statement(
    "004 (3.32)",
    lines="1108-1112",
    kind="optimisation",
    printed="F(y_t) - F(y_{t-1}) <= theta (<grad F - v_t, x_t-x_{t-1}> + <v_t, x_t-x_{t-1}>) + "
    "L theta^2/2 ||x_t-x_{t-1}||^2",
    refuses={
        "L theta^2/3": {"half": 3},
        "theta^2 <v_t, x_t-x_{t-1}>": {"power": 2},
        "L theta^3": {"squares": 3},
        "L^2": {"smooth": 2},
    },
    unchecked={"F": "any smooth function; the steps have its growth on a segment and its slope g"},
)
def smoothness_step(half: int = 2, power: int = 1, squares: int = 2, smooth: int = 1) -> Outcome:
    """The quadratic upper bound at y_t - y_{t-1} = theta (x_t - x_{t-1}), same snapshot."""
    theta, x, after, old, slope, v = symbols("theta x x_t old g v", real=True)
    move = theta * after + (1 - theta) * old - (theta * x + (1 - theta) * old)
    right = theta * (slope - v) * (after - x) + theta**power * v * (after - x)
    L = symbols("L")
    last = L**smooth * theta**squares / half * (after - x) ** 2
    return derived(
        quadratic=convexity.quadratic_bound(half),
        move=identity((move, theta * (after - x)), (slope * move, right), (L / 2 * move**2, last)),
    )


SIGN = "the left side must be <v_t, x_{t-1} - x_t> (a misprint; it is what (3.31) needs)"


def descent_witness(last: Fraction) -> Outcome:
    """F(x) = x (1-smooth), theta = 1/2, v = grad F = 1, x_{t-1} = 0, x_t = 1: y moves by 1/2."""
    point = {"F": "x", "L": 1, "theta": 0.5, "v": 1, "x_{t-1}": 0, "x_t": 1, "eta": "2/3"}
    return refuted(point, Fraction(1), 2 * Fraction(-1, 2) + last)


@statement(
    "004 (3.33)",
    lines="1116",
    kind="optimisation",
    printed="<v_t, x_t-x_{t-1}> <= (F(y_{t-1}) - F(y_t))/theta + <grad F - v_t, x_t-x_{t-1}> + "
    "L theta/2 ||x_t-x_{t-1}||^2",
    false=SIGN,
    errata=("diss-3.1.2/E4",),
)
def descent_printed() -> Outcome:
    """See :func:`descent_witness`."""
    return descent_witness(Fraction(1, 4))


def descent(theta_power: int, condition: bool, slack: int = 1) -> Outcome:
    """(3.32) divided by theta; by (3.29) L theta <= 1/eta - L theta/(1-theta)."""
    theta, drop, error, v, square, size, other, inverse = reals("theta dF e v D L rest inverse")
    right = drop / theta**theta_power + error
    last = (
        (inverse - slack * other) * square / 2 if condition else slack * size * theta * square / 2
    )
    return for_all(
        -v <= right + last,
        *(
            theta > 0,
            theta < 1,
            size > 0,
            square >= 0,
            other > 0,
            other * (1 - theta) == size * theta,
        ),
        *(size * theta + other <= inverse, inverse > 0),
        -drop <= theta * (error + v) + size * theta * theta * square / 2,
    )


@descent_printed.corrected(
    "the same for <v_t, x_{t-1} - x_t>", refuses={"F(y_{t-1}) - F(y_t)": {"power": 0}}
)
def descent_right(power: int = 1) -> Outcome:
    """See :func:`descent`."""
    return derived(divided=descent(power, condition=False))


@statement(
    "004 (3.34)",
    lines="1116-1123",
    kind="optimisation",
    printed="<v_t, x_t-x_{t-1}> <= (F(y_{t-1}) - F(y_t))/theta + <grad F - v_t, x_t-x_{t-1}> + "
    "(1/(2 eta) - L theta/(2(1-theta))) ||x_t-x_{t-1}||^2",
    false=SIGN,
    errata=("diss-3.1.2/E4",),
)
def descent_by_condition_printed() -> Outcome:
    """See :func:`descent_witness`; at eta = 2/3 the last factor is 3/4 - 1/2."""
    return descent_witness(Fraction(1, 4))


@descent_by_condition_printed.corrected(
    "the same for <v_t, x_{t-1} - x_t>",
    refuses={"L theta/(1-theta) ||x_t-x_{t-1}||^2": {"slack": 2}},
)
def descent_by_condition(slack: int = 1) -> Outcome:
    """See :func:`descent`."""
    return derived(condition=descent(1, condition=True, slack=slack))


def inner_step(noise: str = "1/2", power: int = 1) -> Outcome:
    """The right side of (3.35) is a sum of what is not negative, on average over i_t and u_t.

    With g = grad F(y_{t-1}), a = <g, x~-y>, h = <v, x_{t-1}-x_t>, c = <v, x_t-u>, e = <g-v,
    x_t-x_{t-1}> and V = ||g-v||^2 (all averages; <g-v, x_{t-1}-u> is 0): the slacks of (3.30) with
    (3.31), of (3.34), of Lemma 3.1.3, of Young's inequality with beta = L/(k-1), and, k-1 over
    2 L times, of Lemma 3.1.1.

    Here k stands for 1/theta and F_after = F(y_t).
    """
    a, h, c, e, V, D, B, A = symbols("a h c e V D B A", real=True)
    before, after, old, best = symbols("F_before F_after F_old F_u", real=True)
    ru, rt = symbols("r_u r_t", real=True)
    k, eta, mu, L, p, sigma = symbols("k eta mu L p sigma")
    slacks = (
        (k - 1) * a + h + c - (before - best),
        k * (before - after) + e + D / (2 * eta) - L * D / (2 * (k - 1)) - h,
        -D / (2 * eta) + B / (2 * eta) - (1 + eta * mu) * A / (2 * eta) + ru - rt - c,
        (k - 1) * V / (2 * L) + L * D / (2 * (k - 1)) - e,
        (k - 1) / (2 * L) * (2 * L * (old - before - a) + p * sigma**2 - V),
    )
    right = (k - 1) * old - k * after + best + ru - rt + B / (2 * eta)
    right += -(1 + eta * mu) * A / (2 * eta)
    right += sp.Rational(noise) * (k - 1) * p**power * sigma**2 / L
    return identity((right, sum(slacks)))


MIXED: Wrong = {
    "(1-theta)/(4 L theta) p sigma^2": {"noise": "1/4"},
    "sigma^2 for p sigma^2": {"power": 0},
}


@statement(
    "004 (3.35)",
    lines="1145-1155",
    kind="optimisation",
    printed="0 <= (1-theta)/theta F(x~) - E F(y_j)/theta + F^r(u) - E r(x_t) + "
    "||x_{t-1}-u||^2/(2 eta) - (1+eta mu)/(2 eta) E||x_t-u||^2",
    false="(1-theta)/(2 L theta) p sigma^2 is lost (and y_j is y_t); (3.36) has it",
    errata=("diss-3.1.2/E5",),
)
def without_noise_term() -> Outcome:
    """f = 0, r = x^2/2, x_{t-1} = x~ = u = 0, eta = 2/3, sigma = 1: x_t = -.4 u_t."""
    square = (Fraction(2, 3) / (1 + Fraction(2, 3))) ** 2
    right = -square / 2 - (1 + Fraction(2, 3)) / (2 * Fraction(2, 3)) * square
    point = {"f": "0", "r": "x^2/2", "L": 1, "theta": 0.5, "eta": "2/3", "sigma": 1, "p": 1}
    return refuted(point, 0, right, "0 against the right side")


@without_noise_term.corrected("the same + (1-theta)/(2 L theta) p sigma^2, y_t", refuses=MIXED)
def with_noise_term(noise: str = "1/2", power: int = 1) -> Outcome:
    """See :func:`inner_step`."""
    return derived(sum=inner_step(noise, power))


@statement(
    "004 (3.36)",
    lines="1157-1161",
    kind="optimisation",
    printed="0 <= (1-theta)/theta F^r(x~) - E F^r(y_t)/theta + F(u) + ||x_{t-1}-u||^2/(2 eta) - "
    "(1+eta mu)/(2 eta) E||x_t-u||^2 + (1-theta)/(2 L theta) p sigma^2",
    false="F(u) must be F^r(u) (a misprint; (3.37) has it)",
    errata=("diss-3.1.2/E6",),
)
def without_regulariser() -> Outcome:
    """f = 0, r = x^2/2, sigma = 0, x_{t-1} = x~ = u = 1, eta = 2/3: x_t = .6, y_t = .8."""
    after = 1 / (1 + Fraction(2, 3))
    y = (after + 1) / 2
    right = Fraction(1, 2) - y**2 - Fraction(5, 4) * (after - 1) ** 2
    point = {"f": "0", "r": "x^2/2", "L": 1, "theta": 0.5, "eta": "2/3", "sigma": 0, "x": 1}
    return refuted(point, 0, right, "0 against the right side")


def regularised(noise: str = "1/2", share: int = 1, power: int = 1) -> Outcome:
    """(3.35) and r(y_t) <= theta r(x_t) + (1-theta) r(x~), k times [step "regulariser"]."""
    k, here, there, old = reals("k r_y r_x r_old")
    return derived(
        sum=inner_step(noise, power),
        regulariser=for_all(
            -there <= share * (k - 1) * old - k * here,
            *(k > 1, here * k <= there + (k - 1) * old),
        ),
    )


@without_regulariser.corrected(
    "F^r(u) for F(u)", refuses={**MIXED, "2 (1-theta)/theta r(x~)": {"share": 2}}
)
def with_regulariser(noise: str = "1/2", share: int = 1, power: int = 1) -> Outcome:
    """See :func:`regularised`."""
    return regularised(noise, share, power)


@statement(
    "004 (3.37)",
    lines="1163-1165",
    kind="optimisation",
    printed="(E F^r(y_t) - F^r(u))/theta <= (1-theta)/theta (F^r(x~) - F^r(u)) + "
    "||x_{t-1}-u||^2/(2 eta) - (1+eta mu)/(2 eta) E||x_t-u||^2 + (1-theta)/(2 L theta) p sigma^2",
    refuses={**MIXED, "F^r(x~) - 2 F^r(u)": {"twice": 2}},
)
def one_step(noise: str = "1/2", twice: int = 1, power: int = 1) -> Outcome:
    """(3.36), corrected, with the terms in F^r(u) collected [step "collected"]."""
    k, y, old, u, rest = symbols("k Y X U rest", real=True)
    left = (k - 1) * old - k * y + u + rest
    return derived(
        before=regularised(noise, power=power),
        collected=identity((left, (k - 1) * (old - twice * u) + rest - k * (y - u))),
    )


def summed(weight: int = 1, begin: str = "1") -> Outcome:
    """Weights w^(t-1) telescope: sum w^(t-1) (B_{t-1} - w B_t) = B_0 - w^m B_m, by induction.

    From the empty sum, m = 0, on.
    """
    w, power, start, now, then = symbols("w w_to_m B_0 B_m B_next")
    first = sp.Rational(begin) * start
    left = first - power * now + power * (now - w**weight * then)
    return identity((first - start, 0), (left, first - power * w * then))


@statement(
    "004 (3.38)",
    lines="1167-1170",
    kind="optimisation",
    printed="(1/theta) sum w^t (E F^r(y_{t+1}) - F^r(x*)) + w^m/(2 eta) E||x_m-x*||^2 <= "
    "(1-theta)/theta sum w^t gap(x~_{s-1}) + ||x_0-x*||^2/(2 eta) + sum w^t (1-theta)/(2 L theta) "
    "p sigma^2",
    refuses={"w^2 for w": {"weight": 2}, "||x_0-x*||^2/(4 eta)": {"begin": "1/2"}, **MIXED},
    unchecked={
        "t, gap": "of the sums over t a step has the one that telescopes; the others are (3.37) "
        "added up",
    },
)
def epoch(weight: int = 1, begin: str = "1", noise: str = "1/2", power: int = 1) -> Outcome:
    """(3.37) at u = x*, weighted: see :func:`summed`."""
    return derived(steps=regularised(noise, power=power), telescoped=summed(weight, begin))


@statement(
    "004 (3.39)",
    lines="1171-1177",
    kind="optimisation",
    printed="(3.38) with (1/theta) sum w^t gap(x~_s) on the left",
    refuses={"twice that": {"factor": 2}},
)
def epoch_mean(factor: int = 1) -> Outcome:
    """Jensen's inequality: x~_s is the weighted mean of the y_{t+1} (Remark 3.1.2).

    Here k stands for 1/theta, W = sum w^t and gap for gap(x~_s).
    """
    k, total, gap, gaps, end, right = reals("k W gap gaps end right")
    return derived(
        telescoped=summed(),
        jensen=for_all(
            factor * k * total * gap + end <= right,
            *(k > 1, total > 0, gap >= 0, end >= 0, total * gap <= gaps, k * gaps + end <= right),
        ),
    )
