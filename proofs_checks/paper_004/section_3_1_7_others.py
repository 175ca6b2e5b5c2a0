"""Section 3.1.7, proofs of Theorem 3.1.5 (DP-SVRG++) and Theorem 3.1.7 (DP-AccMD).

N = p sigma^2; gap(x) = F^r(x) - min F^r. In the second proof L stands for L ||C||_2^2, norms are
||.||_C and its dual, W = G_C^2 + ||C||_2^2 and r_k = 1/(2 alpha_{k+1} L).
"""

from __future__ import annotations

from functools import partial

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004 import convexity
from proofs_checks.statement import Wrong
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols

of_svrg_plus_plus = partial(any_statement, algorithms=("diss-3.1.3",))
of_mirror_descent = partial(any_statement, algorithms=("diss-3.1.4",))

# ------------------------------------------------------------------------------- DP-SVRG++


@of_svrg_plus_plus(
    "004 (3.47)",
    lines="1223-1231",
    kind="optimisation",
    printed="E gap(x_t) <= E[<v_t, x_{t-1}-x*> + <grad F(x_{t-1}), x_t-x_{t-1}> + L/2 "
    "||x_t-x_{t-1}||^2 + r(x_t) - r(x*)]",
    refuses={
        "L/3": {"half": 3},
        "half of <v_t, x_{t-1}-x*>": {"share": "1/2"},
        "r(x_t) - 2 r(x*)": {"best_penalty": 2},
    },
)
def descent(half: int = 2, share: str = "1", best_penalty: int = 1) -> Outcome:
    """Smoothness at x_{t-1}, then convexity; E v_t = grad F(x_{t-1}) gives the last line.

    v = <grad F(x_{t-1}), x_{t-1}-x*>, s = <grad F(x_{t-1}), x_t-x_{t-1}>, D = ||x_t-x_{t-1}||^2,
    gap = F_t + r_t - F_best - r_best.
    """
    now, before, best, v, s, size, square = reals("F_t F_before F_best v s L D")
    here, least = reals("r_t r_best")
    right = rational(share) * v + s + size / 2 * square + here - best_penalty * least
    return derived(
        quadratic=convexity.quadratic_bound(half),
        sum=for_all(
            (now + here) - (best + least) <= right,
            *(size > 0, square >= 0, now <= before + s + size / 2 * square, before - best <= v),
        ),
    )


@of_svrg_plus_plus(
    "004 (3.48)",
    lines="1230-1235",
    kind="optimisation",
    printed="<v_t, x_{t-1}-x*> + r(x_t) - r(x*) <= <v_t, x_{t-1}-x_t> + ||x_{t-1}-x*||^2/(2 eta) - "
    "||x_t-x*||^2/(2 eta) - ||x_t-x_{t-1}||^2/(2 eta)",
    special_case_of="004 Lemma 3.1.3",
    refuses={"||x_t-x_{t-1}||^2/eta": {"last": 1}},
    unchecked={"r": "r(x*) - r(x_t) is at its lower bound in the step, change"},
)
def three_points(last: int = 2) -> Outcome:
    """Lemma 3.1.3 at u = x*, mu = 0, with r(x*) - r(x_t) at its lower bound: an equality then.

    (x_{t-1} - x_t)/eta - v is a subgradient of r at x_t; coordinate by coordinate.
    """
    x, after, best, v = symbols("x x_t x_best v", real=True)
    eta = symbols("eta")
    change = ((x - after) / eta - v) * (best - after)  # at most r(x*) - r(x_t)
    right = v * (x - after) + ((x - best) ** 2 - (after - best) ** 2) / (2 * eta)
    right -= (after - x) ** 2 / (last * eta)
    return derived(equality=identity((v * (x - best) - change, right)))


def one_step(constant: str = "1/3", floor: str = "1/12", thirteen: int = 13) -> Outcome:
    """(3.48) in (3.47), Young's inequality [step "Young"], and (3.26) with 4 L at eta = 1/(13L).

    eta/(2(1 - eta L)) = 1/(24 L) [step "factor"]: 1/6 of the gaps and N/(24 L) are enough
    [step "variance"].
    """
    L = symbols("L")
    at = 1 / (thirteen * L)
    e, d, eta, size = reals("e d eta L")
    variance, gaps, noise = reals("V gaps N")
    return derived(
        factor=identity((at / (2 * (1 - at * L)), 1 / (24 * L))),
        Young=for_all(
            2 * eta * (1 - eta * size) * e * d <= eta * eta * e * e + (1 - eta * size) ** 2 * d * d,
            *(eta > 0, size > 0, eta * size < 1),
        ),
        variance=for_all(
            variance <= 24 * size * (rational(constant) * gaps + rational(floor) * noise / size),
            *(size > 0, gaps >= 0, noise >= 0, variance <= 4 * size * gaps + noise),
        ),
    )


@of_svrg_plus_plus(
    "004 (3.49)",
    lines="1237-1255",
    kind="optimisation",
    printed="2 E gap(x~_s) <= E[(gap(x_0^s) - gap(x_0^{s+1}))/m_s + gap(x~_{s-1}) + "
    "(||x_0^s-x*||^2 - ||x_0^{s+1}-x*||^2)/(2 eta m_s/3)] + sigma^2 p/(4L)",
    added="(3.26) with its corrected constant 4L; the proof's 4 eta L/(1 - eta L) has room for it",
    refuses={
        "sigma^2 p/(5L)": {"floor": "1/5"},
        "3 E gap(x~_s)": {"left": 3},
        "2 eta m_s/4": {"third": 4},
        "sigma^2/(4L)": {"dimension": 0},
    },
)
def epoch(floor: str = "1/4", left: int = 2, third: int = 3, dimension: int = 1) -> Outcome:
    """Three times the mean of the steps, S the mean gap of x_1 ... x_m, at least gap(x~_s).

    Each step has gap(x_t) <= (gap(x_{t-1}) + gap(x~))/3 + (B_{t-1} - B_t)/(2 eta) + N/(12L), N =
    sigma^2 p.

    Here m stands for m_s, gap for gap(x~_s), first = gap(x_0^s) and last = gap(x_0^{s+1}).
    """
    mean, snapshot, old, first, last, m = reals("S gap old first last m")
    distance, noise, p = reals("distance sigma2_over_L p")  # (B_0 - B_m)/(2 eta)
    right = first - last + m * old + third * distance + rational(floor) * m * noise * p**dimension
    return derived(
        step=one_step(),
        sum=for_all(
            left * m * snapshot <= right,
            *(m >= 1, snapshot >= 0, mean >= snapshot, old >= 0, first >= 0, last >= 0),
            *(noise >= 0, p >= 1),
            3 * m * mean <= m * mean + first - last + m * old + 3 * distance + m * noise * p / 4,
        ),
    )


@of_svrg_plus_plus(
    "004 (3.50)",
    lines="1259-1263",
    kind="optimisation",
    printed="2 E[gap(x~_s) + ||x_0^{s+1}-x*||^2/(4 eta m_s/3) + gap(x_0^{s+1})/(2 m_s)] <= "
    "E[gap(x~_{s-1}) + ||x_0^s-x*||^2/(4 eta m_{s-1}/3) + gap(x_0^s)/(2 m_{s-1})] + sigma^2 p/(4L)",
    refuses={"m_s = 3 m_{s-1}": {"growth": 3}, "sigma^2 p/(5L)": {"share": 5}},
)
def potential(growth: int = 2, share: int = 4) -> Outcome:
    """(3.49) with the terms of the next epoch on the left, m_s = 2 m_{s-1}.

    Here m stands for m_{s-1}, size = m_s, gap for gap(x~_s), first = gap(x_0^s) and last =
    gap(x_0^{s+1}).
    """
    now, old, first, last, m, eta, B, A = symbols("gap old first last m eta B A")
    sigma, p, L = symbols("sigma p L")
    size, N = growth * m, sigma**2 * p / (share * L)
    slack = (first - last) / size + old + 3 * (B - A) / (2 * eta * size) - 2 * now
    slack += sigma**2 * p / (4 * L)
    left = 2 * (now + 3 * A / (4 * eta * size) + last / (2 * size))
    right = old + 3 * B / (4 * eta * m) + first / (2 * m) + N
    return derived(rearranged=identity((right - left, slack)))


# -------------------------------------------------------------------------------- DP-AccMD


OTHER_WIDTHS: Wrong = {
    "sigma for sigma^2": {"deviations": 1},
    "G_C^2": {"diameters": 0},
    "||C||_2^2": {"widths": 0},
}
"""Wrong orders of the noise in the dual norm, for :func:`dual_noise`."""


def dual_noise(deviations: int = 2, widths: int = 1, diameters: int = 1) -> Outcome:
    """E||b||_*^2 <= sigma^2 (G_C^2 + ||C||_2^2/4) (Lemma 3.1.7) is at most sigma^2 W."""
    noise, sigma, moment, width, diameter = reals("noise sigma moment G_C C")
    return for_all(
        noise <= sigma**deviations * (widths * width**2 + diameters * diameter**2),
        *(sigma >= 0, width >= 0, diameter >= 0, noise <= sigma**2 * moment),
        moment <= width**2 + diameter**2 / 4,
    )


@of_mirror_descent(
    "004 (3.51)",
    lines="1277-1279",
    kind="identity",
    printed="E<alpha grad F, z_k-u> = E<alpha (grad F+b), z_k-z_{k+1}> + E<alpha (grad F+b), "
    "z_{k+1}-u>",
    refuses={"z_k+z_{k+1}": {"sign": 1}},
)
def split(sign: int = -1) -> Outcome:
    """b has mean 0 and is independent of z_k - u: apart from it, coordinate by coordinate."""
    alpha, slope, b, z, then, u = symbols("alpha g b z z_next u", real=True)
    right = alpha * (slope + b) * (z + sign * then) + alpha * (slope + b) * (then - u)
    return derived(split=identity((right - alpha * b * (z - u), alpha * slope * (z - u))))


def bregman(last: int = 1) -> Outcome:
    """V(x, y) = w(x) - w(y) - <grad w(y), x - y>, coordinate by coordinate.

    Here before = V(u, z_k), after = V(u, z_{k+1}) and moved = V(z_{k+1}, z_k).
    """
    z, then, u, wz, wt, wu, here, there = symbols("z t u w_z w_t w_u d_z d_t", real=True)
    before = wu - wz - here * (u - z)
    after = wu - wt - there * (u - then)
    moved = wt - wz - here * (then - z)
    return identity((-(there - here) * (then - u), before - after - last * moved))


@of_mirror_descent(
    "004 (3.52)",
    lines="1281-1293",
    kind="optimisation",
    printed="E<alpha (grad F+b), z_{k+1}-u> <= E<-grad V(z_{k+1}, z_k), z_{k+1}-u> = E[V(u, z_k) - "
    "V(u, z_{k+1}) - V(z_{k+1}, z_k)]",
    refuses={"without V(z_{k+1}, z_k)": {"last": 0}},
)
def three_divergences(last: int = 1) -> Outcome:
    """Fermat's rule on C, then :func:`bregman`."""
    return derived(three=bregman(last))


def young(share: str = "1") -> Outcome:
    """alpha <b, d> <= alpha ||b||_* ||d|| <= alpha^2 ||b||_*^2 + ||d||^2/4."""
    alpha, b, d = reals("alpha b d")
    return for_all(
        alpha * b * d <= rational(share) * alpha * alpha * b * b + d * d / 4,
        *(alpha > 0, b >= 0, d >= 0),
    )


@of_mirror_descent(
    "004 (3.53)",
    lines="1293-1303",
    kind="optimisation",
    printed="E<alpha grad F, z_k-u> <= E[<alpha grad F, z_k-z_{k+1}> - ||z_{k+1}-z_k||^2/4] + "
    "alpha^2 E||b||_*^2 + V(u, z_k) - E V(u, z_{k+1})",
    refuses={
        "alpha^2 E||b||_*^2/2": {"share": "1/2"},
        "||z_{k+1}-z_k||^2/3": {"kept": "1/3"},
        "2 E V(u, z_{k+1})": {"after": 2},
        "<2 alpha grad F, z_k-z_{k+1}>": {"own": 2},
    },
)
def mirror_step(share: str = "1", kept: str = "1/4", after: int = 1, own: int = 1) -> Outcome:
    """(3.51) and (3.52); V(z_{k+1}, z_k) >= ||z_{k+1}-z_k||^2/2, half of it for :func:`young`."""
    square, noise, inner, product = reals("D noise inner product")
    left, here, there, moved = reals("left V_k V_next V_moved")
    return derived(
        three=bregman(),
        young=young(share),
        sum=for_all(
            left <= own * inner - rational(kept) * square + noise + here - after * there,
            *(square >= 0, noise >= 0, here >= 0, there >= 0, product <= noise + square / 4),
            *(left <= inner + product + here - there - moved, 2 * moved >= square),
        ),
    )


def gradient_step(power: int = 2) -> Outcome:
    """With x_{k+1} - v = r (z_k - z_{k+1}): alpha/r = 2 alpha^2 L and 1/(4 r^2) = alpha^2 L^2.

    [step "scaled"]. v is in C, so that y_{k+1} does at least as well, and F is L-smooth [step
    "smooth": F(y) <= F(x) + <grad F, y - x> + L/2 ||y - x||^2 <= the minimum + F(x)].
    """
    alpha, L, inner, square = symbols("alpha L inner D")
    r = 1 / (2 * alpha * L)
    left = alpha / r * inner - square / (4 * r**2)
    here, there, least, at_v, size, a = reals("F_x F_y least at_v L alpha")
    return derived(
        scaled=identity((left, 2 * alpha**power * L * (inner - L / 2 * square))),
        smooth=for_all(
            2 * a * a * size * (-at_v) <= 2 * a * a * size * (here - there),
            *(a > 0, size > 0, least <= at_v, there <= here + least),
        ),
    )


@of_mirror_descent(
    "004 (3.54)",
    lines="1303-1316",
    kind="optimisation",
    printed="<alpha grad F, z_k-z_{k+1}> - ||z_{k+1}-z_k||^2/4 <= 2 alpha^2 L(F(x_{k+1}) - "
    "F(y_{k+1}))",
    checked="the same with grad F for F in its inner products, y_{k+1} noiseless",
    misprint="F for grad F in inner products",
    refuses={"2 alpha L": {"power": 1}},
)
def descent_of_y(power: int = 2) -> Outcome:
    """See :func:`gradient_step`."""
    return gradient_step(power)


@of_mirror_descent(
    "004 (3.55)",
    lines="1316-1322",
    kind="optimisation",
    printed="E<alpha grad F, z_k-u> <= 2 alpha^2 L(F(x_{k+1}) - F(y_{k+1})) + V(u, z_k) - "
    "E V(u, z_{k+1}) + alpha^2 E||b||_*^2",
    refuses={
        "alpha^2 E||b||_*^2/2": {"share": "1/2"},
        "2 alpha L": {"power": 1},
        "2 E V(u, z_{k+1})": {"after": 2},
    },
)
def together(share: str = "1", power: int = 2, after: int = 1) -> Outcome:
    """(3.54) in (3.53) [step "sum": step is the left side of (3.54), drop its right side]."""
    inner, step, here, there, noise, drop = reals("inner step V_k V_next noise drop")
    return derived(
        young=young(share),
        descent=gradient_step(power),
        sum=for_all(
            inner <= drop + here - after * there + noise,
            *(inner <= step + noise + here - there, step <= drop, there >= 0),
        ),
    )


@of_mirror_descent(
    "004 (3.56)",
    lines="1324-1341",
    kind="optimisation",
    printed="2 alpha^2 L F(y_{k+1}) - (2 alpha^2 L - alpha) F(y_k) + E(V(u, z_{k+1}) - V(u, z_k)) "
    "<= alpha F(u) + alpha^2 sigma^2 O(G_C^2 + ||C||_2^2)",
    refuses={
        "- 2 alpha in the second term": {"less": 2},
        "alpha sigma^2 O()": {"power": 1},
        **OTHER_WIDTHS,
    },
)
def recursion(less: int = 1, power: int = 2, **noise: int) -> Outcome:
    """x_{k+1} - z_k = (1-r)/r (y_k - x_{k+1}) [step "mixed"], alpha (1-r)/r = 2 alpha^2 L - alpha.

    Convexity at x_{k+1} towards u and y_k, and (3.55); b stands for E||b||_*^2 [step "noise"], see
    Lemma 3.1.7 [step "sum", q = 2 alpha^2 L - alpha >= 0].
    """
    alpha, L, z, y = symbols("alpha L z y")
    r = 1 / (2 * alpha * L)
    x = r * z + (1 - r) * y
    q, a, here, new, old, best, drop, b, p = reals("q alpha F_x F_y F_old F_u drop b p")
    # p = <alpha grad F, z_k - u>; drop = V(u, z_k) - V(u, z_{k+1})
    return derived(
        noise=dual_noise(**noise),
        mixed=identity(
            (x - z, (1 - r) / r * (y - x)), (alpha * (1 - r) / r, 2 * alpha**2 * L - alpha)
        ),
        sum=for_all(
            (q + a) * new - (q + (1 - less) * a) * old - drop <= a * best + a**power * b,
            *(q >= 0, a > 0, b >= 0),
            a * (here - best) <= q * (old - here) + p,
            p <= (q + a) * (here - new) + drop + a * a * b,
        ),
    )


@of_mirror_descent(
    "004 (3.57)",
    lines="1343-1347",
    kind="optimisation",
    printed="2 alpha_T^2 L E F(y_T) + sum_{0<k<T} E F(y_k)/(8L) + E V(x*, z_{T-1}) - V(x*, z_0) <= "
    "sum alpha_k F(x*) + O(T^3 sigma^2 (G_C^2 + ||C||_2^2)/L^2)",
    checked="the same with z_T for z_{T-1}, and T^3/(4 L^2) for the O()",
    misprint="z_{T-1} for z_T",
    refuses={
        "E F(y_k)/(4L)": {"rest": 4},
        "a remainder of F(y_0)": {"first": 3},
        "O(T^2)": {"power": 2},
        "1/L": {"inverse": 1},
        "- V(x*, z_0)/2": {"begin": "1/2"},
        **OTHER_WIDTHS,
    },
    unchecked={"alpha_T": "now in the steps, at k = T by induction"},
)
def summed(
    rest: int = 8,
    first: int = 2,
    power: int = 3,
    inverse: int = 2,
    begin: str = "1",
    **noise: int,
) -> Outcome:
    """(3.56) over k: 2 alpha_k^2 L = 2 alpha_{k+1}^2 L - alpha_{k+1} + 1/(8L).

    So the left side of (3.57) grows by that of (3.56) [step "grows"], which it is at T = 1 [step
    "begins"]: F(y_0) has the factor 2 alpha_1^2 L - alpha_1 = 0 [step "first"]. The noise has the
    sum of alpha_k^2 for factor [step "squares"], at most T^3/(4 L^2) [step "cubic"].

    Here now = alpha_k and then = alpha_{k+1}.
    """
    k, L = symbols("k L")
    now, then, start = (k + 1) / (4 * L), (k + 2) / (4 * L), first / (4 * L)
    j, T = sp.Symbol("k", integer=True), sp.Symbol("T", positive=True, integer=True)
    squares = sp.summation((j + 1) ** 2 / (16 * L**2), (j, 1, T))
    t = reals("T")
    here, there, rest_of_sum, v_here, v_there, v_0 = symbols("F_k F_next R V_k V_next V_0")
    added = 2 * then**2 * L * there - (2 * then**2 * L - then) * here + v_there - v_here
    left = 2 * now**2 * L * here + rest_of_sum + v_here - v_0
    grown = 2 * then**2 * L * there + rest_of_sum + here / (rest * L) + v_there - v_0
    begun = 2 * (1 / (2 * L)) ** 2 * L * there + v_there - sp.Rational(begin) * v_0
    return derived(
        noise=dual_noise(**noise),
        grows=identity((grown - left, added)),
        begins=identity((added.subs({k: 0, v_here: v_0}), begun)),
        first=identity((2 * start**2 * L - start, 0)),
        squares=identity((squares, ((T + 1) * (T + 2) * (2 * T + 3) - 6) / (96 * L**inverse))),
        cubic=for_all((t + 1) * (t + 2) * (2 * t + 3) - 6 <= 24 * t**power, t >= 1),
    )


@of_mirror_descent(
    "004 (3.58)",
    lines="1349-1351",
    kind="optimisation",
    printed="E gap(y_T) <= 8 L V(x*, x_0)/(T+1)^2 + O(T sigma^2 (G_C^2 + ||C||_2^2)/L)",
    checked="with (T+3)/(6L) sigma^2 W for the O",
    refuses={
        "4 L V": {"factor": 4},
        "(T+3)/(8L)": {"constant": 8},
        "8 L V/T^2": {"later": 0},
        "1/L^2 for 1/L": {"power": 2},
        **OTHER_WIDTHS,
    },
    unchecked={"gap": "what is bounded, F(y_T) - F(x*); the steps have the terms of its bound"},
)
def accelerated(
    factor: int = 8, constant: int = 6, later: int = 1, power: int = 1, **noise: int
) -> Outcome:
    """(3.57) divided by 2 alpha_T^2 L = (T+1)^2/(8L); F(y_k) >= F(x*) and V >= 0.

    F(x*) is left sum alpha_k - (T-1)/(8L) = (T+1)^2/(8L) times [step "optimum"]; W sigma^2 times
    sum alpha_k^2 8L/(T+1)^2 is at most (T+3)/(6L) [steps "noise", "bound"].
    """
    k, T = sp.Symbol("k", integer=True), sp.Symbol("T", positive=True, integer=True)
    L, V = symbols("L V")
    total = sp.summation((k + 1) / (4 * L), (k, 1, T))
    squares = sp.summation((k + 1) ** 2 / (16 * L**2), (k, 1, T))
    t = reals("T")
    divisor = 2 * ((T + 1) / (4 * L)) ** 2 * L
    return derived(
        width=dual_noise(**noise),
        optimum=identity((total - (T - 1) / (8 * L), divisor)),
        divergence=identity((V / divisor, factor * L * V / (T + later) ** 2)),
        noise=identity(
            (
                squares / divisor,
                ((T + 1) * (T + 2) * (2 * T + 3) - 6) / (12 * L**power * (T + 1) ** 2),
            )
        ),
        bound=for_all(
            constant * ((t + 1) * (t + 2) * (2 * t + 3) - 6) <= 12 * (t + 3) * (t + 1) ** 2, t >= 1
        ),
    )


@of_mirror_descent(
    "004 (3.59)",
    lines="1353-1359",
    kind="optimisation",
    printed="T^2 = O(L sqrt(V) n epsilon/(G sqrt(ln(1/delta)) sqrt(G_C^2 + ||C||_2^2)))",
    checked="it balances the two terms of (3.58) at (3.9)",
    refuses={"V for sqrt(V)": {"power": 2}, "n epsilon/2": {"share": "1/2"}},
)
def balanced(power: int = 1, share: str = "1") -> Outcome:
    """L V/T^2 against T^2 G^2 a W/(L (n epsilon)^2): equal at T^2.

    Here a = log(1/delta), square = T^2 and W = G_C^2 + ||C||_2^2.
    """
    L, V, n, epsilon, size, a, W = symbols("L V n epsilon G a W")
    square = L * sp.sqrt(V) ** power * n * epsilon / (size * sp.sqrt(a * W)) * sp.Rational(share)
    noise = square * size**2 * a * W / (L * (n * epsilon) ** 2)
    return derived(balance=identity((L * V / square, noise)))
