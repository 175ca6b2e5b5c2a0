"""Section 5.2.3: generalised linear models with public features; and how far w* is from OLS."""

from __future__ import annotations

import math
from functools import partial

from proofs_checks.balls import ball, sqrt
from proofs_checks.basics import gaussian_at_small_epsilon
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Wrong
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-5.2.39",))


@statement(
    "004 (5.16)",
    lines="5651-5655",
    kind="definition",
    printed="w* = argmin E[Phi(<x, w>) - y <x, w>], for p(y|eta) = exp(eta y - Phi(eta)) h(y), "
    "eta = <x, w*>",
    refuses={"Phi(<x, w>) + y <x, w>": {"sign": 1}},
    unchecked={
        "w*": "enters by eta = <x, w*>, where the mean slope vanishes",
    },
)
def population_risk(sign: int = -1) -> Outcome:
    """The loss is -log density but for log h, density = p(y|<x, w>), and Phi' is the mean of y.

    The derivative of the mass of p, which is 1 for every eta, is 0: E(y - Phi'(eta)) = 0, so that
    the expected slope of the loss vanishes at w* [step "loss", "slope"].
    """
    eta, y = sp.symbols("eta y", real=True)
    phi, h = sp.Function("Phi")(eta), sp.Function("h", positive=True)(y)
    density = sp.exp(eta * y - phi) * h
    loss = phi + sign * y * eta
    return definition(
        identity(
            (sp.expand_log(-sp.log(density), force=True), loss - sp.log(h)),
            (sp.diff(density, eta) / density, y - sp.diff(phi, eta)),
        )
    )


@statement(
    "004 Lemma 5.2.1",
    lines="5698-5702",
    kind="identity",
    printed="x ~ N(0, Sigma): w* = c_Phi w^ols with c_Phi the fixed point of "
    "z -> 1/E Phi''(<x, w^ols> z)",
    added="Phi is convex, so that a stationary point is a minimum; Phi' phi vanishes at infinity",
    refuses={
        "z -> E Phi''(<x, w^ols> z)": {"inverse": False},
        "w^ols = E[x y]": {"whitened": 0},
        "c_Phi^2 w^ols": {"power": 2},
    },
    unchecked={
        "w*": "the stationary point c w^ols of the last step",
        "z": "the argument of the map; its fixed point is c with c k = 1",
    },
)
def gaussian_features(power: int = 1, whitened: int = 1, *, inverse: bool = True) -> Outcome:
    """Stein: E u g(u) = s^2 E g'(u) for u ~ N(0, s^2), as (g phi)' = g' phi - u g phi/s^2.

    [step "Stein"] x_j = (Sigma w)_j u/s^2 + a part independent of u = <x, w>, s^2 = w^T Sigma w
    [step "part", uncorrelated], so that E x_j Phi'(u) = (Sigma w)_j E Phi''(u). At w = c w^ols with
    c k = 1, c = c_Phi, k = E Phi''(c <x, w^ols>), that is E x_j y = (Sigma w^ols)_j: a stationary
    point of (5.16) [step "stationary"].
    """
    u = sp.Symbol("u", real=True)
    s, c, k = symbols("s c k")
    g = sp.Function("g")(u)
    density = sp.exp(-(u**2) / (2 * s**2))
    row, along = sp.symbols("Sigma_w_ols_j Sigma_w_j", real=True)
    fixed = 1 / k if inverse else k
    fitted = row if whitened else row**2
    return derived(
        Stein=identity((sp.diff(g * density, u), (sp.diff(g, u) - u * g / s**2) * density)),
        part=identity((along - (along / s**2) * s**2, 0)),
        stationary=identity(((c**power * fitted * k).subs(c, fixed), row)),
    )


BIAS_REFUSES: Wrong = {
    "15 for 16": {"constant": 15},
    "7 kappa^3": {"third": "7"},
    "without p": {"dims": 0},
    "||w*||": {"size": 1},
    "without rho_2": {"spread": 0},
    "E|v* - v| <= 1.4 E|v|^3": {"coupling": "1.4"},
    "without r": {"radii": 0},
    "kappa^2": {"moments": 2},
    "without rho_inf": {"condition": 0},
}


def bias_of_least_squares(
    constant: int = 16,
    third: str = "8",
    dims: int = 1,
    size: int = 2,
    spread: int = 1,
    coupling: str = "1.5",
    radii: int = 1,
    moments: int = 3,
    condition: int = 1,
) -> Outcome:
    """v = Sigma^{-1/2} x has mean 0 and variance 1 given the rest: v_j has a zero-bias version v*.

    E v_j g(v_j a + V) = a E g'(v*_j a + V), so that w^ols = Sigma^{-1/2} D Sigma^{1/2} w* with D_jj
    = E g'(<v, u> + (v*_j - v_j) u_j), u = Sigma^{1/2} w*. E|v*| = E|v|^3/2, by f(z) = z|z|/2 [step
    "size"], and E|v| <= 1 <= E|v|^3, so that E|v* - v| <= 1.5 E|v|^3 [step "coupling"]. E|v|^3 <=
    (sqrt(3) kappa)^3 and 1.5 * 3 sqrt(3) <= 8 [step "third"]: |D_jj - 1/c_Phi| <= 8 G kappa^3 S W
    [step "entry"], with S = ||Sigma^{1/2}||_inf and W = ||w*||_inf, since |u_j| <= S W. Times
    ||Sigma^{-1/2}||_inf S W it is 8 G kappa^3 rho_inf S W^2 [step "order"]. By diagonal dominance S
    <= 2 max_i Sigma^{1/2}_ii <= 2 ||Sigma||^{1/2} [step "dominant"], and r^2 >= E||x||^2 =
    Tr(Sigma) >= p lambda_min = p ||Sigma||/rho_2 [step "trace", one eigenvalue more], which makes
    it the bound. Here kappa is kappa_x.
    """
    z = symbols("z")
    absolute, cube, biased, distance = reals("E|v| E|v|^3 E|v*| E|v*-v|")
    entry, inverse, bent, along, third_power = reals("D_jj 1/c_Phi G SW kappa^3")
    diagonal, others, top, row = reals("diagonal others top row")
    total, p, least, eigenvalue = reals("total p l eigenvalue")
    G, r, kappa, rho, rho_inf, W, dim = symbols("G r kappa rho_2 rho_inf W p")
    S = 2 * sp.sqrt(r**2 * rho / dim)
    claimed = constant * G * r**radii * kappa**moments * sp.sqrt(rho**spread)
    claimed *= rho_inf**condition * W**size / sp.sqrt(dim**dims)
    return derived(
        size=identity((sp.diff(z * z / 2, z), z)),
        coupling=for_all(
            distance <= rational(coupling) * cube,
            *(absolute <= 1, cube >= 1, 2 * biased == cube, distance <= biased + absolute),
        ),
        third=less(ball("1.5") * 3 * sqrt(ball(3)), ball(third)),
        entry=for_all(
            z3.Abs(entry - inverse) <= rational(third) * bent * third_power * along,
            *(bent >= 0, along >= 0, third_power >= 0, distance <= 8 * third_power),
            z3.Abs(entry - inverse) <= bent * along * distance,
        ),
        dominant=for_all(
            row <= 2 * top, row == diagonal + others, others <= diagonal, diagonal <= top
        ),
        trace=for_all(
            total + eigenvalue >= (p + 1) * least, total >= p * least, eigenvalue >= least
        ),
        order=identity((8 * G * kappa**3 * rho_inf * S * W**2, claimed)),
    )


WHITENED = (
    "v_j has conditional mean 0 and variance 1 (that is what constant ones are); rho_inf is that "
    "of Sigma^{1/2}, as the proof of Theorem 5.2.4 has it"
)

bias = statement(
    "004 Lemma 5.2.2",
    lines="5708-5718",
    kind="approximation",
    printed="||w*/c_Phi - w^ols||_inf <= 16 G r kappa_x^3 sqrt(rho_2) rho_inf ||w*||_inf^2/sqrt p, "
    "(5.17), c_Phi = 1/E Phi''(<x, w*>)",
    added=WHITENED,
    refuses=BIAS_REFUSES,
    unchecked={
        "Phi''": "G-Lipschitz; D_jj and 1/c_Phi in the step are its means",
    },
)(bias_of_least_squares)

bias.restated(
    "004 (5.17)",
    lines="5714-5716",
    printed="||w*/c_Phi - w^ols||_inf <= 16 G r kappa_x^3 sqrt(rho_2) rho_inf ||w*||_inf^2/sqrt p",
)


def local_messages(
    squares: int = 32,
    labels: int = 32,
    halves: str = "2.5",
    both: int = 2,
    largest: int = 2,
) -> Outcome:
    """Both messages are Gaussian mechanisms with (epsilon/2, delta/2), epsilon/2 <= 1.

    ||x x^T - x' x'^T||_F^2 = a^2 + b^2 - 2 <x, x'>^2 <= (2 r^2)^2, a = ||x||^2 and b = ||x'||^2,
    which bounds the entries on and above the diagonal; ||x y - x' y'|| <= 2 r [steps "squares",
    "labels"], for |y| <= 1. Their noise is 2 ln(1.25/(delta/2)) (2 Delta/epsilon)^2 [step "noise"],
    which is enough up to epsilon = 2 [step "mechanism"]; Lemma 2.1.4 adds them up.
    """
    a, b, inner, r2 = reals("a b inner r^2")
    first, second = reals("x_y x'_y'")
    r, epsilon, delta = symbols("r epsilon delta")
    level = sp.log(sp.Rational(halves) / delta) / epsilon**2

    def needed(square: int) -> sp.Expr:
        return 2 * sp.log(sp.Rational("1.25") / (delta / both)) * square * (both / epsilon) ** 2

    return derived(
        squares=for_all(
            a * a + b * b - 2 * inner * inner <= 4 * r2 * r2, a >= 0, b >= 0, a <= r2, b <= r2
        ),
        labels=for_all(
            (first - second) ** 2 <= 4 * r2,
            *(first * first <= r2, second * second <= r2),
        ),
        noise=identity(
            (squares * r**4 * level, needed(4) * r**4), (labels * r**2 * level, needed(4) * r**2)
        ),
        mechanism=gaussian_at_small_epsilon(largest=largest),
    )


@statement(
    "004 Theorem 5.2.1",
    lines="5722, 5983-5985",
    kind="privacy",
    printed="for 0 < epsilon, delta < 1, Algorithm 5.2.39 is (epsilon, delta) non-interactive LDP",
    refuses={
        "16 r^4 on x x^T (the calibration at 2 r^2)": {"squares": 16},
        "16 r^2 on x y": {"labels": 16},
        "log(1.25/delta)": {"halves": "1.25"},
        "(epsilon, delta) for each message": {"both": 1},
        "epsilon <= 16": {"largest": 16},
    },
)
def generalised_linear_privacy(
    squares: int = 32,
    labels: int = 32,
    halves: str = "2.5",
    both: int = 2,
    largest: int = 2,
) -> Outcome:
    """See :func:`proofs_checks.paper_004.section_5_2_3.local_messages`."""
    return local_messages(squares, labels, halves, both, largest)


# ------------------------------------------------------------------------------ the error bounds

NO_SIGNAL = (
    "every term has a factor ||w*||, but the noise on x y does not vanish with it: max{1, ||w*||} "
    "is needed"
)


def without_signal(features: str) -> Outcome:
    """w* = 0: the noisy least squares vector and the root are not 0, with probability 1.

    Logistic loss: Phi''(0) = 1/4, so that c_Phi = 4, f(c) = c/4, M = 1/4, f(5) = 1.25; the
    conditions on n and m are 0. The output is 0 on an event of probability 0 only, since the noise
    has a density; the bound is 0, whatever its constant.
    """
    point = {"w*": 0, "c_Phi": 4, "M": 0.25, "c_bar": 5, "features": features}
    return refuted(point, 1, 0, "P(error > 0) against P(error > bound)")


@statement(
    "004 Theorem 5.2.2",
    lines="5726-5736",
    kind="utility",
    printed="w.p. 1 - e^{-Omega(p)} - xi: ||w^glm - w*||_inf is at most (5.20), if |Phi''| <= L",
    false=NO_SIGNAL,
    errata=("diss-5.2.39/E2", "diss-5.2.39/E3", "diss-5.2.39/E8"),
)
def bounded_curvature() -> Outcome:
    """See :func:`proofs_checks.paper_004.section_5_2_3.without_signal`."""
    return without_signal("any bounded ones, |Phi''| <= 1/4")


CORRECTED_NOISE = (
    "the second (noise) term with max{1, ||w*||_inf^4} in place of its powers of ||w*||_inf; the "
    "root of 1 + r^2 ||w~ols||^2 is at most 1.5 max{1, r ||w~ols||}"
)
NOISE_REFUSES: Wrong = {
    "without the noise on x y": {"labels": 0},
    "1.4 max{1, r ||w~ols||}": {"factor": "1.4"},
    "max{1, ||w*||_inf^2}": {"power": 2},
    "max{1, 1/c_Phi}": {"inverses": 1},
    "1/lambda_min <= 1/(sqrt(lambda_min) min{lambda_min, 1})": {"least": 2},
}


def noise_of_labels(
    labels: int = 1, factor: str = "1.5", power: int = 4, inverses: int = 2, least: int = 1
) -> Outcome:
    """sqrt((5.28)) has the factor sqrt(1 + u^2), u = r ||w~ols||, at most 1.5 max{1, u} [step "u"].

    With s = sqrt(lambda_min) the printed denominator s min{s, 1} is at most lambda_min and at most
    s [step "denominator"], which serves Lemma 5.2.10 as well. The error of OLS is multiplied with
    |c^| <= c_bar and, in (5.32), with a = ||w^ols||_inf, both O(1 + a) [(5.42)]. By Lemma 5.2.2 a
    is at most b = 17 K m^2 h, m = max{1, ||w*||}, h = max{1, 1/c_Phi}, K = max{1, G r kappa^3
    sqrt(rho_2) rho_inf}: max{1, a} (1 + a) <= 2 b^2 [step "signal"].
    """
    root, u, s = reals("root u s")
    a, K, m, h = reals("a K m h")
    b = 17 * K * m * m * h
    small = z3.If(s < 1, s, 1) if least == 1 else z3.If(s < 1, 1, s)
    return derived(
        u=for_all(
            root <= rational(factor) * z3.If(u > 1, u, rational(labels)),
            *(u >= 0, root >= 0, root * root == 1 + u * u),
        ),
        denominator=for_all(z3.And(s * small <= s * s, s * small <= s), s > 0),
        signal=for_all(
            z3.If(a > 1, a, 1) * (1 + a) <= 2 * 17 * 17 * K * K * m**power * h**inverses,
            *(a >= 0, K >= 1, m >= 1, h >= 1, a <= b),
        ),
    )


bounded_curvature.corrected(CORRECTED_NOISE, refuses=NOISE_REFUSES)(noise_of_labels)
bounded_curvature.restated(
    "004 (5.20)",
    lines="5730-5736",
    printed="O(K p h^2 w^2 max{1, w^2} (1/sqrt m + sqrt(log(1/delta) log(p/xi^2))/(epsilon "
    "sqrt(lambda_min) min{sqrt(lambda_min), 1} sqrt n)) + K' w^3 max{1, w} h/sqrt p), "
    "w = ||w*||_inf",
)


@statement(
    "004 Theorem 5.2.2, design",
    lines="5726-5736, 5838",
    kind="utility",
    printed="(5.20) at the design of the experiments, x_j = +-1/p, r = 1, w* = 1/sqrt p: the noise "
    "term is of order p sqrt(log(1/delta) log(p/xi^2))/(epsilon sqrt n)",
    checked="its median, to the first order in 1/sqrt n, for n between p^5 and p^10",
    false="the error is of order p^2/(epsilon sqrt n) at least, by the noise on x y alone",
    special_case_of="004 Theorem 5.2.2",
    errata=("diss-5.2.39/E3",),
)
def design_of_experiments() -> Outcome:
    """p = 10^6, n = m = p^8, xi = .1, delta = 10^-5, epsilon = 1 and a constant of 1000.

    Sigma = I/p^2, c_Phi >= 4. The noise moves an entry of w^ols by p^2 N(0, s^2/n), s^2 = 32
    log(2.5/delta)/epsilon^2, and by what is independent of it, which only widens it (Anderson);
    that of x x^T turns (X^T X)^{-1} by sqrt(p^5/n). The median of |N| is above .67. The three terms
    of (5.20) are 1/(p sqrt m), p/sqrt n and 1/p^3 times logarithms.
    """
    p, xi, delta, constant = 10.0**6, 0.1, 1e-5, 1000
    root = p**4  # sqrt(n)
    error = 4 * 0.67 * p**2 / root * math.sqrt(32 * math.log(2.5 / delta))
    noise = p / root * math.sqrt(math.log(1 / delta) * math.log(p / xi**2))
    bound = constant * (1 / (p * root) + noise + 1 / p**3)
    point = {"p": 1e6, "n": 1e48, "xi": xi, "delta": delta, "epsilon": 1, "C": constant}
    return refuted(point, error, bound, "median error against the bound")


@design_of_experiments.corrected(
    "the bound with max{1, ||w*||^4} is of order p^2 there",
    refuses={"p": {"power": 1}, "||w*||^2": {"signal": 1}},
    unchecked={
        "4": "in max{1, ||w*||^4}, which is 1 as ||w*||^2 = 1/p",
    },
)
def order_of_the_design(power: int = 2, signal: int = 0) -> Outcome:
    """||Sigma||^{1/2} p/(s min{s, 1}) = p^2 at s = lambda_min^{1/2} = 1/p; ||w*||^2 = 1/p."""
    p = symbols("p")
    size = least = 1 / p
    return derived(
        order=identity((size * p / (least * least) * p**-signal, p**power)),
    )


@statement(
    "004 Theorem 5.2.3",
    lines="5746-5758",
    kind="utility",
    printed="w.p. 1 - e^{-Omega(p)} - xi: ||w^glm - w*||_inf is at most (5.23), if Phi''(<x, w>) "
    "is sub-Gaussian for ||w - Sigma^{1/2} w^ols|| <= 1",
    false=NO_SIGNAL,
    errata=("diss-5.2.39/E2", "004 (5.35)/E1"),
)
def sub_gaussian_curvature() -> Outcome:
    """See :func:`proofs_checks.paper_004.section_5_2_3.without_signal`."""
    return without_signal("any bounded ones, on which Phi'' <= 1/4 is sub-Gaussian")


sub_gaussian_curvature.corrected(CORRECTED_NOISE, refuses=NOISE_REFUSES)(noise_of_labels)
sub_gaussian_curvature.restated(
    "004 (5.23)",
    lines="5750-5756",
    printed="O(K p w max{1, w^3} h^2 sqrt(log(1/delta) log(p^2/xi))/(epsilon sqrt(n lambda_min) "
    "min{sqrt(lambda_min), 1}) + ... ), w = ||w*||_inf; the other terms have the factor w, too",
)


@statement(
    "004 l.5738 (sample complexity)",
    lines="5657, 5738",
    kind="utility",
    printed="n = O(p^2/(epsilon alpha)^2) private records give an error of alpha, with the other "
    "terms of (5.20) constant",
    checked="with what (5.20) itself asks for, r and ||w*||_inf of order 1",
    false="lambda_min <= r^2/p is not constant: (5.20) asks for p^3 records at least",
    errata=("diss-5.2.39/E4",),
)
def records_asked_for() -> Outcome:
    """Sigma = I r^2/p, r = ||w*||_inf = epsilon = alpha = 1, without the logarithms; C = 1000.

    (p ||Sigma||^{1/2}/lambda_min)^2 = p^3 for lambda_min <= 1.
    """
    p, constant = 10**6, 1000
    return refuted({"p": p, "C": constant}, p**3, constant * p**2, "records by (5.20) and claimed")


@records_asked_for.corrected(
    "by (5.20) n is at least of order p^3/(r epsilon alpha)^2",
    refuses={"p^4": {"power": 4}, "for lambda_min <= 2 r^2/p": {"trace": 2}},
    unchecked={
        "n, epsilon, alpha": "n (epsilon alpha)^2 is what the step bounds from below, by (5.20)",
    },
)
def records_with_the_eigenvalue(power: int = 3, trace: int = 1) -> Outcome:
    """p lambda_min <= Tr(Sigma) <= r^2 and ||Sigma|| >= lambda_min.

    So p^2 ||Sigma||/(lambda_min min{lambda_min, 1}) >= p^2/lambda_min >= p^3/r^2.
    """
    p, r, least, top = reals("p r lambda_min top")
    return derived(
        records=for_all(
            p * p * top * r * r >= p**power * least * z3.If(least < 1, least, 1),
            *(p >= 1, r > 0, least > 0, top >= least, p * least <= trace * r * r),
        )
    )


@statement(
    "004 l.5760 (many losses)",
    lines="5760",
    kind="utility",
    printed="T losses at once succeed with probability at least 1 - T exp(-Omega(p)) - xi",
    refuses={"without T": {"losses": 0}, "xi/2": {"share": "1/2"}},
)
def many_losses(losses: int = 1, share: str = "1") -> Outcome:
    """The messages and w^ols are the same for all; only the root depends on the loss.

    So xi is paid once [step "first", T = 0: only what all share can fail] and, for each
    of them, each = exp(-Omega(p)), one more at a time [step "one more"].
    """
    failed, more, each, xi, T, shared = reals("failed more each xi T shared")
    return derived(
        one_more=for_all(
            failed + more <= (T + 1 if losses else 1) * each + rational(share) * xi,
            *(each >= 0, xi >= 0, T >= 0, failed >= 0, more >= 0, more <= each),
            failed <= (T if losses else 1) * each + rational(share) * xi,
        ),
        first=for_all(
            failed <= (T if losses else 1) * each + rational(share) * xi,
            *(T == 0, each >= 0, xi > 0, failed <= shared, shared <= xi),
        ),
    )
