"""Section 4.3.1: what a step of noisy gradient descent does, and the selection of an iterate."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from mpmath import mp

from proofs_checks.balls import ball, sqrt
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_4_1_1 import least_delta
from proofs_checks.paper_004.section_4_1_2_methods import signs_of_gradients
from proofs_checks.statement import statement, twin
from proofs_checks.vocabulary import (
    definition,
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
from reference.losses import Cosine
from reference.nonconvex.second_order import stationarity

of_descent = partial(statement, algorithms=("diss-4.3.25",))
of_selection = partial(statement, algorithms=("diss-4.3.26",))
of_constrained = partial(statement, algorithms=("diss-4.3.27",))


# ------------------------------------------------------------------------------------- privacy

twin(
    "004 Theorem 4.3.1, privacy",
    of="004 Theorem 4.1.1",
    lines="3879",
    printed="constants c_1, c_2: for 0 < epsilon < c_1 T Algorithm 4.3.25 is (epsilon, delta)-DP "
    "if sigma^2 = c_2 L^2 T log(1/delta)/(n^2 epsilon^2)",
    reason="as Theorem 4.1.1, with all iterates released",
    algorithms=("diss-4.3.25",),
)


def gradients_and_hessians(
    constant: str, most: str, phases: str, steps: int = 1, dimension: int = 1
) -> Outcome:
    """Compose T gradients and T Hessians, c in both variances: rho = 4 epsilon^2/(c a).

    ``phases`` times that is at most rho(epsilon, delta) = (s - q)^2, s^2 = a + epsilon, q^2 = a,
    where epsilon <= most a [step "range", w = sqrt 2], a = ln(1/delta).
    """
    c, q, s, T, size, smooth, d, n = symbols("c q s T L M d n")
    epsilon = s**2 - q**2
    of_gradient = c * size**2 * T**steps * q**2 / (n * epsilon) ** 2
    of_hessian = c * smooth**2 * d**dimension * T**steps * q**2 / (n * epsilon) ** 2
    spent = T * (2 * size / n) ** 2 / (2 * of_gradient)
    spent += T * (2 * smooth * sp.sqrt(d) / n) ** 2 / (2 * of_hessian)
    x, y, w = reals("s q w")
    value = rational(constant) * (1 + w) * (1 + w)
    return derived(
        composed=identity((spent, 4 * (s - q) ** 2 * (s + q) ** 2 / (c * q**2))),
        range=for_all(
            rational(phases) * 4 * (x + y) * (x + y) <= value * y * y,
            *(w > 0, w * w == 2, y > 0, x > y, x * x <= (1 + rational(most)) * y * y),
        ),
    )


@of_selection(
    "004 Theorem 4.3.2, privacy",
    lines="3889",
    kind="privacy",
    printed="constants c_1, c_2: with sigma_1^2 = c_1 log(1/delta) T L^2/(n epsilon)^2 and "
    "sigma_2^2 = c_2 log(1/delta) M^2 d T/(n epsilon)^2 Algorithm 4.3.26 is (epsilon, delta)-DP",
    false="as Theorem 4.1.1, and without any range of epsilon",
    errata=("diss-4.1.16/E3",),
)
def whether_it_passes() -> Outcome:
    """T = 1, d = 1, linear losses: whether the public w_1 is returned is whether |g_1| <= alpha.

    g_1 is Gaussian with the means +-L/n about a level that the other records choose: for alpha far
    above sigma_1 the event g_1 <= alpha is as good as g_1 itself, and mu^2 = 4 epsilon^2/(c_1 a) is
    8 epsilon at epsilon = 2 c_1 a. See :func:`section_4_1_1.least_delta`.
    """
    delta = ball("0.01")
    point = {"T": 1, "d": 1, "c_1": "any >= 1", "epsilon": "2 c_1 ln(1/delta)", "delta": 0.01}
    return refuted(point, least_delta(delta), delta, "lower bound of the output's delta")


@whether_it_passes.corrected(
    "c_1 = c_2 = 64 (1 + sqrt 2)^2, with epsilon/2 <= ln(2/delta) and delta <= 1/2",
    refuses={
        "63": {"constant": "63"},
        "epsilon/2 <= 1.1 ln(2/delta)": {"most": "1.1"},
        "without T": {"steps": 0},
        "without d": {"dimension": 0},
    },
)
def selection_within_range(
    constant: str = "64", most: str = "1", steps: int = 1, dimension: int = 1
) -> Outcome:
    """The tests spend (epsilon/2, delta/2), as the run of step 1: (T + 1)/T <= 2 times 4 times 2.

    4 for the half of epsilon, and 2 as ln(2/delta) <= 2 ln(1/delta) [step "delta"].
    Here c = c_1 for the gradients and c = c_2 for the Hessians.
    """
    two, a = reals("log_2 a")
    return derived(
        delta=for_all(two + a <= 2 * a, two > 0, a >= two),
        tests=gradients_and_hessians(constant, most, "16", steps, dimension),
    )


@of_constrained(
    "004 Theorem 4.3.3, privacy",
    lines="3916",
    kind="privacy",
    printed="constants c_1, c_2, c_3: for 0 < epsilon < c_1 T, 0 < delta < 1 Algorithm 4.3.27 is "
    "(epsilon, delta)-DP with sigma_1^2 = c_2 log(1/delta) L^2 T/(n epsilon)^2 and sigma_2^2 = "
    "c_3 log(1/delta) d M^2 T/(n epsilon)^2",
    false="as Theorem 4.1.4: the last point shows the signs of the noisy gradients",
    errata=("diss-4.1.16/E3",),
)
def signs_of_all_steps() -> Outcome:
    """On the data of Theorem 4.1.4 all T steps are first-order ones for a small alpha.

    They are those of DP-FW-L2, and the point after T steps shows all T signs, more than x_R.
    """
    general = signs_of_gradients.of_printed
    assert general is not None
    return general.check()


@signs_of_all_steps.corrected(
    "c_2 = c_3 = 4 (1 + sqrt 2)^2 and epsilon <= ln(1/delta)",
    refuses={
        "3.9": {"constant": "3.9"},
        "epsilon <= 1.1 ln(1/delta)": {"most": "1.1"},
        "without T": {"steps": 0},
        "without d": {"dimension": 0},
    },
)
def constrained_within_range(
    constant: str = "4", most: str = "1", steps: int = 1, dimension: int = 1
) -> Outcome:
    """At most one gradient and one Hessian a step, see :func:`gradients_and_hessians`.

    Here c = c_2 for the gradients and c = c_3 for the Hessians.
    """
    return gradients_and_hessians(constant, most, "1", steps, dimension)


@of_descent(
    "004 (4.55)",
    lines="3844-3852",
    kind="definition",
    printed="w is an alpha-SOSP: ||grad F||_2 <= alpha, lambda_min(Hess F) >= -sqrt(rho alpha)",
    refuses={"the square of the eigenvalue without rho": {"rho": 1.0}},
    unchecked={
        "alpha": "the least that will do, which the search computes in two ways",
        "F": "the cosine saddle's, in the search",
    },
)
def second_order_stationary(rng: np.random.Generator, rho: float = 0.5) -> Outcome:
    """At random points of the cosine saddle, no smaller alpha than the computed one will do."""
    loss, data, worst = Cosine(), (np.eye(2), np.array([0.0, np.pi])), 0.0
    for w in rng.uniform(-4, 4, (200, 2)):
        gradient = np.linalg.norm(loss.gradient(data, w))
        lowest = np.linalg.eigvalsh(loss.hessian(data, w))[0]
        needed = max(float(gradient), max(-lowest, 0.0) ** 2 / rho)
        worst = max(worst, abs(needed - stationarity(loss, data, w)))
    return definition(searched(worst, 1e-12, tried=200, what="difference of two computations"))


second_order_stationary.restated(
    "004 Definition 4.3.2",
    lines="3844-3850",
    printed="w is an alpha-SOSP or alpha-approximate local minimum of F: (4.55)",
)


# ------------------------------------------------------------------------ noisy gradient descent


@of_descent(
    "004 Lemma 4.3.3",
    lines="4151-4161",
    kind="optimisation",
    printed="||grad F(w_t)|| >= alpha, ||eps_t|| <= alpha/20, eta = 1/M: F(w_{t+1}) - F(w_t) <= "
    "-eta alpha^2/4",
    refuses={
        "-eta alpha^2/2": {"share": "1/2"},
        "noise up to 3/4 alpha": {"noise": "3/4"},
        "eta = 2/M": {"step": 2},
    },
    unchecked={
        "F": "enters by the bound of its change, which the steps have",
    },
)
def descent(share: str = "1/4", noise: str = "1/20", step: int = 1) -> Outcome:
    """Smoothness gives F(w - eta(g + e)) - F(w) <= -(eta/2)(||g||^2 - ||e||^2) at eta = 1/M.

    -eta <g, g+e> + (M/2) eta^2 ||g+e||^2 is that, coordinate by coordinate [first part].
    """
    g, e, M = symbols("g e M")
    eta = step / M
    bound = -eta * g * (g + e) + M / 2 * eta**2 * (g + e) ** 2
    x, y, alpha = reals("g e alpha")
    return every(
        identity((bound, -eta / 2 * (g**2 - e**2))),
        for_all(
            -(x * x - y * y) / 2 <= -rational(share) * alpha * alpha,
            *(alpha > 0, x >= alpha, y >= 0, y <= rational(noise) * alpha),
        ),
    )


@of_descent(
    "004 Lemma 4.3.5",
    lines="4167-4175",
    kind="optimisation",
    printed="F(w_{t+1}) - F(w_t) <= -(eta/4) ||grad F(w_t)||^2 + 5 eta ||eps_t||^2 at eta = 1/M",
    checked="-(eta/2) ||grad F||^2 + (eta/2) ||eps||^2, which is smaller",
    refuses={
        "-eta ||g||^2": {"share": "1"},
        "eta/4 ||eps||^2": {"noise": "1/4"},
        "eta = 2/M": {"step": 2},
        "eta/4 ||eps||^2 in the printed bound": {"printed_noise": "1/4"},
        "-eta ||g||^2 in the printed bound": {"printed_share": "1"},
    },
    unchecked={
        "F": "enters by the bound of its change, which the steps have",
    },
)
def descent_and_noise(
    share: str = "1/2",
    noise: str = "1/2",
    step: int = 1,
    printed_share: str = "1/4",
    printed_noise: str = "5",
) -> Outcome:
    """See Lemma 4.3.3 for the bound by smoothness, which the quadratic M w^2/2 attains.

    Over eta it is what the other steps have [first part].
    """
    slope, error, M = symbols("g e M")
    eta = step / M
    bound = -eta * slope * (slope + error) + M / 2 * eta**2 * (slope + error) ** 2
    over_eta = -slope * (slope + error) + sp.Rational(step, 2) * (slope + error) ** 2
    g, e = reals("g e")
    attained = -g * (g + e) + step * (g + e) * (g + e) / 2
    smaller = -rational(share) * g * g + rational(noise) * e * e
    return every(
        identity((bound / eta, over_eta)),
        for_all(attained <= smaller),
        for_all(smaller <= -rational(printed_share) * g * g + rational(printed_noise) * e * e),
    )


@of_descent(
    "004 Lemma 4.3.6",
    lines="4177-4199",
    kind="optimisation",
    printed="||w_{t+1} - w_1||^2 <= 8 eta T (F(w_1) - F(w_{T+1})) + 50 eta^2 T sum ||eps_i||^2",
    refuses={
        "41 eta^2 T": {"noise": 41},
        "7 eta T": {"drop": 7},
        "8 eta, without T": {"steps": 0},
        "50 eta^2, without T": {"noise_steps": 0},
    },
)
def distance_travelled(
    drop: int = 8, noise: int = 50, steps: int = 1, noise_steps: int = 1
) -> Outcome:
    """Sum Lemma 4.3.5 over T steps: sum ||g||^2 <= 4 (F_1 - F_{T+1})/eta + 20 sum ||eps||^2.

    ||w_{t+1} - w_1||^2 = eta^2 ||sum (g + eps)||^2 <= eta^2 T sum ||g + eps||^2 (Cauchy and
    Schwarz) <= 2 eta^2 T (sum ||g||^2 + sum ||eps||^2) [step "two squares", per summand], and the
    sum of squares of the gradients is at most what Lemma 4.3.5 leaves [step "sum"]: 42 suffices.
    Here fall = F(w_1) - F(w_{T+1}).
    """
    g, e = reals("g e")
    eta, T, fall, squares, errors = reals("eta T fall squares errors")
    return derived(
        two_squares=for_all((g + e) * (g + e) <= 2 * (g * g + e * e)),
        sum=for_all(
            2 * eta * T * (squares + errors)
            <= drop * T**steps * fall + noise * eta * T**noise_steps * errors,
            *(eta > 0, T >= 1, fall >= 0, squares >= 0, errors >= 0),
            eta * squares <= 4 * fall + 20 * eta * errors,
        ),
    )


@of_descent(
    "004 l.4234",
    lines="4234",
    kind="approximation",
    printed="sqrt(16 eta Gamma Phi + 50 eta^2 Gamma^2 r^2) + eta r <= 4 sqrt(alpha/rho)/(chi c^2)",
    false="16 eta Gamma Phi alone is the square of the right side",
    errata=("diss-4.3.25/E2",),
)
def localisation_radius() -> Outcome:
    """In units of X = sqrt(alpha/rho)/(chi c^2): eta Gamma r = X/(chi c^3), eta r >= 0.

    eta Gamma = chi c/sqrt(rho alpha), Phi = sqrt(alpha^3/rho) chi^-3 c^-5 and
    r = alpha chi^-3 c^-6. At chi = 2, c = 10, without eta r.
    """
    within = ball(1) / (2 * 10**3)
    return refuted({"chi": 2, "c": 10}, sqrt(16 + 50 * within**2), ball(4), "in units of X")


@localisation_radius.corrected(
    "5 sqrt(alpha/rho)/(chi c^2) for c >= 2, chi >= 1, sqrt(rho alpha) <= M",
    refuses={
        "4.05": {"factor": "4.05"},
        "c >= 1": {"least": "1"},
        "chi >= 1/4": {"chi": "1/4"},
        "sqrt(rho alpha) <= 20 M": {"largest": "20"},
    },
)
def wider_radius(
    factor: str = "5", least: str = "2", chi: str = "1", largest: str = "1"
) -> Outcome:
    """With u = 1/chi, v = 1/c and k = eta sqrt(rho alpha) <= 1, eta r = k u^2 v^4 X.

    First the three products in units of X, then sqrt(16 + 50 u^2 v^6) + k u^2 v^4 <= 5.
    """
    x, c, alpha, rho, M = symbols("chi c alpha rho M")
    unit = sp.sqrt(alpha / rho) / (x * c**2)
    steps = x * c / sp.sqrt(rho * alpha)  # eta Gamma
    drop = sp.sqrt(alpha**3 / rho) * x**-3 * c**-5
    r = alpha * x**-3 * c**-6
    k, u, v = reals("k u v")
    room = rational(factor) - k * u * u * v * v * v * v
    given = (
        *(u > 0, u * rational(chi) <= 1, v > 0, v * rational(least) <= 1),
        *(k > 0, k <= rational(largest)),
    )
    return every(
        identity(
            (16 * steps * drop, 16 * unit**2),
            (steps * r, unit / (x * c**3)),
            (r / M, unit * sp.sqrt(rho * alpha) / M / (x**2 * c**4)),
        ),
        for_all(16 + 50 * u * u * v * v * v * v * v * v <= room * room, *given),
        for_all(room > 0, *given),
    )


# ----------------------------------------------------------------------------------- selection


@of_selection(
    "004 Theorem 4.3.2",
    lines="3889-3891",
    kind="utility",
    printed="with probability 1 - xi - T/p^C the output of Algorithm 4.3.26 is an alpha-SOSP",
    false="what passes the test at alpha has a gradient up to 1.5 alpha: the proof shows that some "
    "iterate passes, not that what passes is good",
    errata=("diss-4.3.26/E1",),
)
def passing_is_no_proof() -> Outcome:
    """100 iterates with a gradient of 1.03 alpha, d = 10; sigma_1 = .01155 alpha, xi + T/p^C = .1.

    sqrt(2 d) sigma_1 log(4T/xi), the bound of Lemma 4.3.2, is alpha/2 at T = 100, xi = .025. One
    passes if 1.03 alpha plus the noise along the gradient, and the 9 other coordinates, are within
    alpha. P(chi^2_9 <= x) is below 1 and increases: a lower sum over slabs of the first coordinate.
    """
    d, sigma, size, slabs = 10, mp.mpf("0.01155"), mp.mpf("1.03"), 200
    edges = [(1 - size) / sigma * (1 + mp.mpf(k) / 50) for k in range(slabs + 1)]
    passes = mp.mpf(0)
    for high, low in pairwise(edges):
        room = (1 - (size + sigma * high) ** 2) / sigma**2  # the least of the slab
        others = mp.gammainc(mp.mpf(d - 1) / 2, 0, max(room, 0) / 2, regularized=True)
        passes += (mp.ncdf(high) - mp.ncdf(low)) * others
    once = float(passes)
    point = {"d": d, "||grad F||": "1.03 alpha", "sigma_1": "0.01155 alpha", "one passes": once}
    return refuted(point, 1 - (1 - once) ** 100, 0.1, "P(one of 100 is returned) against .1")


@passing_is_no_proof.corrected(
    "thresholds 3/4 alpha and (1 + s)/2 sqrt(rho alpha), s = 1/sqrt(2), noise below alpha/4 and "
    "(1 - s)/2 sqrt(rho alpha): an alpha/2-SOSP passes, and what passes is an alpha-SOSP",
    refuses={
        "the printed thresholds": {"gradient": "1"},
        "noise up to alpha/2": {"noise": "1/2"},
        "(1 - s) sqrt(rho alpha) of noise": {"share": 1},
    },
)
def halfway_thresholds(gradient: str = "3/4", noise: str = "1/4", share: int = 2) -> Outcome:
    """Triangle inequality for the gradient, Weyl's for the lowest eigenvalue (b = sqrt(rho alpha)).

    An alpha/2-SOSP has lambda >= -s b, because sqrt(rho alpha/2) = s b.
    """
    g, noisy, alpha, low, measured, b, s = reals("g noisy alpha low measured b s")
    level = (1 + s) / 2 * b
    error = (1 - s) / share * b
    scales = (alpha > 0, b > 0, s > 0, 2 * s * s == 1)
    off = (
        *(noisy <= g + rational(noise) * alpha, g <= noisy + rational(noise) * alpha),
        *(measured <= low + error, low <= measured + error),
    )
    return every(
        for_all(noisy <= rational(gradient) * alpha, *scales, *off, 2 * g <= alpha),
        for_all(measured >= -level, *scales, *off, low >= -s * b),
        for_all(g <= alpha, *scales, *off, noisy <= rational(gradient) * alpha),
        for_all(low >= -b, *scales, *off, measured >= -level),
    )


@of_selection(
    "004 l.4310",
    lines="4310",
    kind="utility",
    printed="the condition on Err_2 asks for n of order M d sqrt(M B log)/(rho eps alpha^2)",
    false="for M d sqrt(M B log)/(sqrt(rho) eps alpha^1.5), which is more where rho alpha > 1",
    errata=("diss-4.3.26/E2",),
)
def records_for_the_hessian() -> Outcome:
    """The needed number over the printed one is sqrt(rho alpha), whatever the constant."""
    rho, alpha = ball(4), ball(1)
    point = {"rho": 4.0, "alpha": 1.0}
    return refuted(point, sqrt(rho * alpha), ball(1), "needed over printed n")


@records_for_the_hessian.corrected(
    "n = C M d sqrt(M B log(1/delta))/(sqrt(rho) eps alpha^1.5)",
    refuses={"rho eps alpha^2": {"power": 2, "accuracy": "2"}},
)
def records_for_the_hessian_derived(power: int = 1, accuracy: str = "3/2") -> Outcome:
    """Solve C sqrt(d) sigma_2 = sqrt(rho alpha) for n: sigma_2^2 = M^2 d T a/(n eps)^2.

    T = M B/alpha^2 and a = log(1/delta).
    """
    M, B, d, rho, alpha, eps, a, C = symbols("M B d rho alpha epsilon a C")
    order = sp.sqrt(rho) ** power * eps * alpha ** sp.Rational(accuracy)
    n = C * M * d * sp.sqrt(M * B * a) / order
    noise = M * sp.sqrt(d * (M * B / alpha**2) * a) / (n * eps)
    return identity((C * sp.sqrt(d) * noise, sp.sqrt(rho * alpha)))


# --------------------------------------------------------------------------- the constrained case


@of_constrained(
    "004 (4.72)",
    lines="4342-4354",
    kind="optimisation",
    printed="a step along v_t with g^T(v - w) < -alpha', Err_1 <= alpha'/(4D) and "
    "eta = alpha'/(D^2 M) lowers F by alpha'^2/(4 D^2 M)",
    refuses={
        "alpha'^2/(3 D^2 M)": {"share": "1/3"},
        "Err_1 <= alpha'/(2D)": {"noise": "1/2"},
        "alpha'^2/(4 D M)": {"power": 1},
        "eta = 2 alpha'/(D^2 M)": {"step": "2"},
    },
    unchecked={
        "v_t, g, v, w, F": "the step has the bound of F's change along v_t: slope "
        "-alpha', smoothness M",
    },
)
def first_order_step(
    share: str = "1/4", noise: str = "1/4", power: int = 2, step: str = "1"
) -> Outcome:
    """-eta alpha' + eta Err_1 D + (M/2) eta^2 D^2 at the largest Err_1; less noise lowers it.

    Here alpha = alpha' and error = Err_1.
    """
    slope, D, M = symbols("alpha D M")
    eta = sp.Rational(step) * slope / (D**2 * M)
    error = sp.Rational(noise) * slope / D
    change = -eta * slope + eta * error * D + M / 2 * eta**2 * D**2
    return derived(
        change=identity((change, -sp.Rational(share) * slope**2 / (D**power * M))),
    )


first_order_step.restated(
    "004 Lemma 4.3.9",
    lines="4342-4354",
    printed="a step along v_t lowers F by alpha'^2/(4 D^2 M) ((4.72))",
)


@of_constrained(
    "004 (4.73)",
    lines="4356-4372",
    kind="optimisation",
    printed="a step theta = Phi gamma'/(rho D^3) along u_t with q(u_t) <= -Phi gamma' lowers F "
    "by Phi^3 gamma'^3/(6 rho^2 D^6)",
    checked="in units of Phi^3 gamma'^3/(rho^2 D^6): 1/18 each from r, Err_1 and Err_2, "
    "1/6 from the cubic term, -1/2 from the curvature",
    refuses={
        "half the printed change more": {"claimed": "1/4"},
        "theta twice as long": {"kappa": 2},
    },
    unchecked={
        "u_t, F": "the step has the bound of F's change along u_t, its errors at their largest",
    },
)
def second_order_step(claimed: str = "1/6", kappa: int = 1) -> Outcome:
    """Take theta = y/(rho D^3), y = Phi gamma', and the errors at their largest ((4.69), (4.70)).

    See :func:`_largest_change`, with r = Phi^2 gamma'^2/(18 rho D^3); ``kappa`` multiplies theta.
    """
    step, curvature, rho, D = symbols("Phi gamma rho D")
    y = step * curvature
    change = _largest_change(kappa * y / (rho * D**3), y**2 / (18 * rho * D**3), y, rho, D)
    return identity((change, -sp.Rational(claimed) * y**3 / (rho**2 * D**6)))


def _largest_change(theta: Any, r: Any, y: Any, rho: Any, D: Any) -> Any:
    """Return theta (r + Err_1 D) + theta^2 (q + Err_2 D^2)/2 + rho theta^3 D^3/6.

    With y = Phi gamma', Err_1 = y^2/(18 rho D^4), Err_2 = y/(9 D^2) and q = -y.
    """
    return (
        theta * (r + y**2 / (18 * rho * D**4) * D)
        + theta**2 / 2 * (-y + y / (9 * D**2) * D**2)
        + rho * theta**3 * D**3 / 6
    )


second_order_step.restated(
    "004 Lemma 4.3.10",
    lines="4356-4372",
    printed="a step along u_t lowers F by Phi^3 gamma'^3/(6 rho^2 D^6) ((4.73))",
)


@of_constrained(
    "004 Theorem 4.3.3",
    lines="3916-3958",
    kind="utility",
    printed="theta = Phi alpha/(2 D^3), r = Phi^2 Phi alpha/(72 rho D^3), 0 < Phi <= 9/5",
    false="with this theta no descent is guaranteed for small alpha; the proof has theta = "
    "Phi gamma'/(rho D^3), r = Phi^2 alpha/(72 D^3)",
    errata=("diss-4.3.27/E1", "diss-4.3.27/E2"),
)
def printed_step_length() -> Outcome:
    """At rho = 1 the printed theta is kappa = sqrt(alpha) times the proof's.

    The guaranteed change is then kappa/9 - 4 kappa^2/9 + kappa^3/6 in the units of (4.73).
    """
    kappa = sqrt(ball("0.01"))
    change = kappa / 9 - 4 * kappa**2 / 9 + kappa**3 / 6
    point = {"rho": 1.0, "alpha": 0.01, "kappa": 0.1}
    return refuted(point, change, ball(0), "guaranteed change of F against 0")


@printed_step_length.corrected(
    "theta = Phi gamma'/(rho D^3) = Phi sqrt(alpha)/(2 sqrt(rho) D^3), r = Phi^2 alpha/(72 D^3), "
    "with which (4.73) descends",
    refuses={
        "r with rho in the denominator": {"printed_r": True},
        "theta with D^2": {"power": 2},
    },
)
def proof_step_length(printed_r: bool = False, power: int = 3) -> Outcome:
    """Put both into the change of (4.73), at gamma' = sqrt(rho alpha)/2."""
    step, rho, alpha, D = symbols("Phi rho alpha D")
    y = step * sp.sqrt(rho * alpha) / 2
    theta = step * sp.sqrt(alpha) / (2 * sp.sqrt(rho) * D**power)
    r = step**2 * alpha / (72 * D**3 * (rho if printed_r else 1))
    return identity(
        (y / (rho * D**power), theta),
        (_largest_change(theta, r, y, rho, D), -(y**3) / (6 * rho**2 * D**6)),
    )


@of_constrained(
    "004 l.4374",
    lines="4374",
    kind="approximation",
    printed="when w_t is returned, min q >= -Phi gamma'",
    false="only min q > -gamma' follows from q(u_t) > -Phi gamma' and q(u_t) <= Phi min q",
    errata=("diss-4.3.27/E3",),
)
def returned_curvature() -> Outcome:
    """Phi = 1/2, min q = -.98 gamma', q(u_t) = -.49 gamma': both conditions hold."""
    point = {"Phi": 0.5, "q(u_t)/gamma'": -0.49, "min q/gamma'": -0.98}
    return refuted(point, ball("0.98"), ball("0.5"), "-min q/gamma' against Phi")


@returned_curvature.corrected(
    "min q > -gamma', so that the conclusion -gamma holds for Phi <= 1",
    refuses={
        "min q > -gamma'/2": {"bound": "1/2"},
        "the conclusion -gamma/2": {"whole": "1/2"},
        "Phi <= 10": {"largest": "10"},
    },
)
def returned_curvature_right(bound: str = "1", whole: str = "1", largest: str = "1") -> Outcome:
    """Divide q(u_t) <= Phi min q by Phi [step "divided", lowest = min q].

    The noise adds D^2 Err_2 <= Phi gamma'/9 by (4.70), and gamma is 2 gamma' [step "conclusion",
    for which Phi <= 9 would do].
    """
    lowest, found, ratio, half, err, curvature = reals("lowest found Phi gamma' D2Err gamma")
    return derived(
        divided=for_all(
            lowest > -rational(bound) * half,
            *(half > 0, ratio > 0, found <= ratio * lowest, found > -ratio * half),
        ),
        conclusion=for_all(
            lowest - err >= -rational(whole) * curvature,
            *(half > 0, curvature == 2 * half, lowest > -half, 9 * err <= ratio * half),
            *(ratio > 0, ratio <= rational(largest)),
        ),
    )
