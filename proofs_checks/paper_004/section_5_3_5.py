"""Sections 5.3.2-5.3.5: the notions, the randomizer and the theorems on iterative thresholding."""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.balls import ball, exp, log, pi, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement, twin
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    symbols,
)

for _number, _lines, _printed in (
    ("(5.70)", "6371-6375", "P_{s,p,C}: x uniform on {-1, 1}^p, y = <theta, x> + sigma"),
    (
        "(5.74)",
        "6457-6461",
        "min (1/2n) sum (<x_i, theta> - y_i)^2, ||theta|| <= 1, ||theta||_0 <= s",
    ),
    ("(5.77)", "6512", "P'_{s,p,C}: y_i = <theta, x_i> + sigma_i, |sigma_i| <= C"),
    ("(5.80)", "6624-6628", "P_{s,p,C,f,a,b}: y = f(<theta, x>) + sigma, |sigma| <= C"),
    ("(5.81)", "6630-6633", "min (1/n) sum (f(<x_i, theta>) - y_i)^2"),
    ("Definition 5.3.1", "6433-6437", "(kappa, rho)-LzCDP: D_alpha <= kappa + rho alpha"),
    ("Definition 5.3.2", "6439-6441", "(alpha, epsilon)-LRDP: D_alpha <= epsilon"),
    ("Definition 5.3.3", "6571-6573", "restricted rho_s-strong convexity"),
    ("Definition 5.3.4", "6575-6577", "restricted l_s-strong smoothness"),
    ("Definition 5.3.5", "6618", "(a, b) monotone: 0 < a <= f'(x) <= b"),
    ("Definition 5.3.6", "6761-6765", "sub-Gaussian with sigma^2"),
    ("Definition 5.3.7", "6952-6956", "epsilon^2-chi^2-divergence local privacy"),
):
    not_checkable(
        f"004 {_number}", lines=_lines, kind="definition", printed=_printed, reason="notation"
    )

for _number, _lines in (("Assumption 5.3.1", "6492"), ("Assumption 5.3.2", "6541")):
    not_checkable(
        f"004 {_number}",
        lines=_lines,
        kind="assumption",
        printed="restricted isometry for 2s + s* = 17 s* entries",
        reason="a condition on the data",
    )

for _number, _lines, _printed, _reason in (
    ("Remark 5.3.1", "6407-6409", "the bound of Theorem 5.3.2 should be p log p/(n epsilon^2)",
     "a conjecture"),
    ("Corollary 5.3.1", "6411", "k-compositional interaction costs a factor O(k)",
     "cited; its proof is not in the text"),
    ("Remark 5.3.2", "6413", "central rate sqrt(s log p/n) + s log p sqrt(log 1/delta)/(n epsilon)",
     "cited; its proof is not in the text"),
    ("Remark 5.3.3", "6604", "(5.79) depends on p by log p only", "a comparison of rates"),
):  # fmt: skip
    not_checkable(f"004 {_number}", lines=_lines, kind="remark", printed=_printed, reason=_reason)


@statement(
    "004 Lemma 5.3.5",
    lines="6785-6793",
    kind="concentration",
    printed="n >= C Delta^-2 (s log(p/s) + log 1/xi) gives the RIP with probability 1 - xi",
    checked="with C = 318",
    added="s <= p/2, as for s log(p/s) in l.600",
    refuses={
        "C = 317": {"whole": 317},
        "s <= p": {"share": 1},
        "47 Delta^-2 in the union": {"constant": 47},
        "log(9 p/s) in the union": {"euler": 0},
        "log(1/xi) in the union": {"sides": 1},
        "a net of 5^s points": {"net": 5},
        "E <x, v>^4 <= 2": {"fourth": 2},
        "Delta <= 6": {"largest": 3},
    },
    unchecked={
        "C": "a constant of no claimed value; the steps have 318 for it",
    },
)
def isometry_of_many_records(
    constant: int = 48,
    euler: int = 1,
    sides: int = 2,
    net: int = 9,
    fourth: int = 3,
    largest: int = 1,
    whole: int = 318,
    share: int = 2,
) -> Outcome:
    """One v of norm 1, d = Delta/2: a tail of exp(-n d^2/12) on each side.

    Above: E e^(l <x, v>^2) <= (1 - 2l)^(-1/2), as E e^(t <x, v>) <= e^(t^2/2) is that of a normal
    variable; at l = d/(2(1+d)) the exponent of Chernoff is n (log(1+d) - d)/2 [step "above"], and
    d - log(1+d) - d^2/6 has the slope d (1/(1+d) - 1/3) >= 0 [steps "slope", "sign"]. Below:
    e^-y <= 1 - y + y^2/2 and E <x, v>^4 = 3 - 2 sum v_j^4 [step "fourth", v_1 and what is left], so
    that at l = d/3 the exponent is -n d^2/6 [step "below"].

    A net of at most 9^s points is 1/4-dense in a sphere (Vershynin, 2018, 4.2.13), and makes
    ||X_S^T X_S/n - I|| at most twice the largest on it [step "net"]; there are C(p, s) <= (e p/s)^s
    supports S. 2 (9 e p/s)^s exp(-n Delta^2/48) is xi at n = 48 Delta^-2 (s log(9 e p/s) +
    log(2/xi)) [step "union"], and for u = log(p/s) >= log 2 that is at most 318 Delta^-2 (s u +
    log(1/xi)) [steps "logarithms", "shorthand"].
    """
    d, n, p, s, xi, size = symbols("d n p s xi Delta")
    rate = d / (2 * (1 + d))
    above = -rate * n * (1 + d) - n * sp.log(1 - 2 * rate) / 2
    low = d / 3
    below = n * (low * (1 - d) - low + sp.Rational(fourth) * low**2 / 2)
    records = constant / size**2 * (s * sp.log(9 * sp.E**euler * p / s) + sp.log(sides / xi))
    failed = sp.log(2) + s * (sp.log(net) + 1 + sp.log(p / s)) - records * (size / 2) ** 2 / 12
    x, y, u, moment = reals("x y u moment")
    norm, most = reals("norm most")
    of_ratio, few, tail = reals("log(p/s) s log(1/xi)")
    least = rational("0.6931") if share == 2 else 0  # of log(share)
    return derived(
        above=identity(
            (sp.expand_log(sp.simplify(above), force=True), n * (sp.log(1 + d) - d) / 2)
        ),
        slope=identity(
            (sp.diff(d - sp.log(1 + d) - d**2 / 6, d), d * (1 / (1 + d) - sp.Rational(1, 3)))
        ),
        sign=for_all(1 + x <= 3, x >= 0, x <= largest),  # d is below 1
        # E (v_1 x_1 + u)^4 for u = <x', v'>, E u = E u^3 = 0 and E u^4 <= 3 (E u^2)^2
        fourth=for_all(
            x * x + 6 * x * y + moment <= fourth * (x + y) * (x + y),
            *(x >= 0, y >= 0, moment >= 0, moment <= fourth * y * y),
        ),
        below=identity((sp.expand(below), -n * d**2 / 6)),
        net=for_all(norm <= 2 * most, norm <= most + norm / 2, u > 0),
        union=identity((sp.expand_log(sp.expand(failed), force=True), sp.log(xi))),
        logarithms=every(
            less(1 + log(ball(9)), ball("3.1973")),
            less(ball("0.6931"), log(ball(2))),
            less(log(ball(2)), ball("0.6932")),
        ),
        shorthand=for_all(
            48 * (few * (rational("3.1973") + of_ratio) + rational("0.6932") + tail)
            <= whole * (few * of_ratio + tail),
            *(few >= 1, of_ratio >= least, tail >= 0),
        ),
    )


@statement(
    "004 Lemma 5.3.5 (constant)",
    lines="6795",
    kind="identity",
    printed="Delta = max ||(X^T X/n - I)x|| over unit x with ||x||_0 <= s",
    false="the matrix is to be restricted to the support of x",
    errata=("004 Lemma 5.3.5/E1",),
)
def isometry_printed() -> Outcome:
    """X with two equal columns, s = 1: ||X e_1||^2/n = 1, so Delta = 0; (X^T X/n - I)e_1 = e_2."""
    return refuted({"p": 2, "s": 1}, 1, 0, "printed maximum against Delta")


@isometry_printed.corrected(
    "with the rows and columns of the support alone; checked for s = 2",
    refuses={"max/2": {"share": 4}},
    unchecked={
        "s": "the size of the support, 2 in the step",
    },
)
def isometry(share: int = 1) -> Outcome:
    """On two entries X^T X/n - I has 0 and w, so ||Mx|| = |w| and |<x, Mx>| = |2 w x_1 x_2|."""
    x, y, w = reals("x y w")
    return derived(bounded=for_all(share * (2 * w * x * y) ** 2 <= w * w, x * x + y * y == 1))


@statement(
    "004 Lemma 5.3.6",
    lines="6797-6801",
    kind="concentration",
    printed="P(z - n >= 2 sqrt(nx) + 2x) <= e^-x for z ~ chi^2_n",
    refuses={"e^(-2x)": {"rate": 2}, "2 sqrt(nx) + x": {"linear": 1}},
    unchecked={
        "z, chi": "the steps have the logarithm of E e^(tz) = (1 - 2t)^(-n/2)",
    },
)
def chi_square_tail(rate: int = 1, linear: int = 2) -> Outcome:
    """Chernoff's bound at t = y/(a + 2y), a = sqrt n and y = sqrt x [step "exponent"].

    log E e^(t(z - n)) = -n log(1 - 2t)/2 - nt <= n t^2/(1 - 2t): with u = 2t the difference is 0 at
    u = 0 and its derivative u^2/(4 (1 - u)^2) [step "slope"].
    """
    a, y, u = symbols("a y u")
    t = y / (a + 2 * y)
    exponent = a**2 * t**2 / (1 - 2 * t) - t * (2 * a * y + linear * y**2)
    gap = u**2 / (4 * (1 - u)) + sp.log(1 - u) / 2 + u / 2
    return derived(
        exponent=identity((exponent, -rate * y**2)),
        slope=identity((sp.diff(gap, u), u**2 / (4 * (1 - u) ** 2))),
    )


@statement(
    "004 Lemma 5.3.1",
    lines="6463-6469",
    kind="utility",
    printed="E R^r_epsilon(x) = x, and its coordinates have the variance O(r^2/epsilon^2)",
    false="for large epsilon the variance is at least r^2",
    errata=("diss-5.3.rand/E2",),
)
def randomizer_printed() -> Outcome:
    """p = 1, x = 0: the output is +-r coth(epsilon/2); epsilon = 20, and 10 for the O."""
    odds = exp(ball(20))
    variance = ((odds + 1) / (odds - 1)) ** 2
    return refuted({"p": 1, "r": 1, "epsilon": 20}, variance, ball("1/40"), "variance")


@randomizer_printed.corrected(
    "the scale is r coth(epsilon/2)/c_p, c_p = Gamma(p/2)/(sqrt(pi) Gamma((p+1)/2)); the "
    "covariance is at most r^2 coth^2(epsilon/2) pi/2, hence 7.4 r^2/epsilon^2 for epsilon <= 1",
    refuses={
        "r/c_p": {"scaled": 0},
        "7.3 r^2/epsilon^2": {"constant": "7.3"},
        "Ber(1/2 + ||x||/r)": {"half": 1},
    },
    unchecked={
        "Gamma": "the gamma function, which the steps write gamma",
    },
)
def randomizer(scaled: int = 1, constant: str = "7.4", half: int = 2) -> Outcome:
    """E U on the half sphere is c_p w, and the two coins give (2 pi - 1) ||x||/r [step "mean"].

    Here odds = e^epsilon and c = c_p.

    c_p is the integral of t (1 - t^2)^((p-3)/2), 1/(p - 1), over that of (1 - t^2)^((p-3)/2), which
    is sqrt(pi) Gamma((p-1)/2)/(2 Gamma(p/2)) [step "half_sphere", with h = (p - 1)/2].

    u u^T is even, so E zz^T = (B^2/p) I, and Gamma(y + 1/2)^2 <= y Gamma(y)^2 by log-convexity, so
    1/(p c_p^2) <= pi/2. epsilon coth(epsilon/2) grows: 1 is the worst [step "variance"].
    """
    odds, share, r, c = symbols("odds share r c")
    h = symbols("h")
    scale = r / c * ((odds + 1) / (odds - 1)) ** scaled
    first = (sp.Rational(1, 2) + share / half) - (sp.Rational(1, 2) - share / half)
    mean = first * (odds - 1) / (odds + 1) * c * scale
    half_gamma = sp.gamma(h + sp.Rational(1, 2)) / sp.sqrt(sp.pi)
    ratio = 2 * half_gamma / (2 * h * sp.gamma(h))
    e = exp(ball(1))
    return derived(
        half_sphere=identity((ratio, half_gamma / sp.expand_func(sp.gamma(h + 1)))),
        mean=identity((mean, r * share)),
        variance=less(((e + 1) / (e - 1)) ** 2 * pi() / 2, ball(constant)),
    )


@statement(
    "004 (5.75)",
    lines="6463-6467",
    kind="privacy",
    printed="R_epsilon draws from the half sphere of the coin Ber(e^epsilon/(e^epsilon + 1)) and "
    "is epsilon-LDP for ||x|| <= r",
    refuses={"Ber(e^(2 epsilon)/(e^(2 epsilon) + 1))": {"power": 2}, "||x|| <= 2r": {"length": 2}},
    unchecked={
        "R_epsilon": "the randomizer, by name; the steps have its densities",
        "r": "enters by m = ||x||/r <= 1 alone, so that |v| and |w| are at most t",
    },
)
def half_spheres(power: int = 1, length: int = 1) -> Outcome:
    """See :func:`half_sphere_ratio`."""
    return half_sphere_ratio(power, length)


def half_sphere_ratio(power: int, length: int) -> Outcome:
    """A half sphere has the probability (1 +- m t)/2, m = ||x||/r and t = 2 pi - 1.

    For fixed u the densities of x and x' are 1 + v and 1 + w, |v| and |w| at most m t. Here
    odds = e^epsilon, and the coin makes t (odds + 1) the difference odds - 1.
    """
    odds, t, v, w = reals("odds t v w")
    bounded = (v <= length * t, v >= -length * t, w <= length * t, w >= -length * t)
    given = (odds > 1, t * (odds**power + 1) == odds**power - 1)
    return derived(ratio=for_all(1 + v <= odds * (1 + w), *given, *bounded))


@statement(
    "004 Theorem 5.3.9 (privacy)",
    lines="6634, 6640-6646",
    kind="privacy",
    printed="Algorithm 5.3.44 is epsilon sequentially interactive LDP for every epsilon > 0",
    repair="gradients clipped to the norm r: longer ones have a coin with a chance above 1",
    special_case_of="004 (5.75)",
    errata=("diss-5.3.44/E1",),
    refuses={
        "the last block from (T - 2) m on": {"overlap": 2},
        "Ber(e^(2 epsilon)/(e^(2 epsilon) + 1))": {"power": 2},
        "||x|| <= 2r": {"length": 2},
    },
)
def one_message(overlap: int = 1, power: int = 1, length: int = 1) -> Outcome:
    """A user is in one of the disjoint blocks of m = floor(n/T) users [step "blocks"].

    So she sends one message, of (5.75) [step "message"], whatever theta_{t-1} is.
    """
    i, t, u, m = reals("i t u m")
    return derived(
        blocks=for_all(
            z3.Not(z3.And((u - overlap) * m <= i, i < u * m)),
            *(m >= 1, t >= 1, u >= t + 1, (t - 1) * m <= i, i < t * m),
        ),
        message=half_sphere_ratio(power, length),
    )


twin(
    "004 Theorem 5.3.5 (privacy)",
    of="004 Theorem 5.3.9 (privacy)",
    lines="6473-6481, 6496",
    printed="Algorithm 5.3.41 is epsilon sequentially interactive LDP for every epsilon > 0",
    special_case_of=("004 Theorem 5.3.9 (privacy)",),
    errata=("diss-5.3.41/E1", "diss-5.3.41/E2"),
)


@statement(
    "004 l.6504",
    lines="6504",
    kind="remark",
    printed="for s* = 1 and T = O(log n) the squared error is O(p log p log n/(n epsilon^2)), the "
    "optimal one of Theorem 5.3.2 up to a factor sqrt(log p)",
    false="up to log p log n: the bounds are of squared errors",
    errata=("004 l.6504/E1",),
)
def near_optimal_printed() -> Outcome:
    """p = n = e^100 and a constant of 100: log p log n against 100 sqrt(log p)."""
    return refuted({"log p": 100, "log n": 100, "constant": 100}, 100 * 100, 100 * 10, "factor")


@near_optimal_printed.corrected(
    "up to log p log n, and in the norm up to its root",
    refuses={"log p": {"logs": 0}, "sqrt(log p) log n": {"root": 2}},
)
def near_optimal(logs: int = 1, root: int = 1) -> Outcome:
    """The quotient of the two."""
    p, n, epsilon, log_p, log_n = symbols("p n epsilon log_p log_n")
    upper, lower = p * log_p * log_n / (n * epsilon**2), p / (n * epsilon**2)
    return derived(quotient=identity((upper / lower, log_p ** sp.Rational(1, root) * log_n**logs)))


@statement(
    "004 Proof of Theorem 5.3.9 (gradient)",
    lines="7101-7109",
    kind="sensitivity",
    printed="<x, theta> <= ||x||_infinity ||theta||_2 <= 1, so the gradients are O(b C sqrt p)",
    false="not Hoelder's inequality: <x, theta> can be sqrt(s), and |y| is not O(C)",
    errata=("diss-5.3.41/E1", "diss-5.3.44/E1"),
)
def gradient_printed() -> Outcome:
    """theta = (1, .., 1)/sqrt 8 and x = (1, .., 1): <x, theta>^2 = 8."""
    return refuted({"s": 8}, 8, 1, "<x, theta>^2")


@gradient_printed.corrected(
    "|f(<x, theta>) - y| <= b (sqrt(8 s*) + sqrt(s*)) + C, gradients b sqrt p times that",
    refuses={
        "b sqrt(8 s*) + C": {"second": 0},
        "without b": {"slope": 0},
        "C/2": {"noise": "1/2"},
        "gradients b times that": {"dims": 0},
    },
)
def gradient(second: int = 1, slope: int = 1, noise: str = "1", dims: int = 1) -> Outcome:
    """|<x, theta>| <= ||theta||_1 <= sqrt s, as in the check of Theorem 5.3.6; f' <= b.

    Here s = 8 s*, residual = |f(<x, theta>) - y|. A gradient is residual f' x, ||x||^2 = p [step
    "length"].
    """
    norm, derivative, length, p = reals("||grad|| f' ||x|| p")
    b, c, u, v, sigma, root, least, residual = reals("b C u v sigma sqrt_s sqrt_s* residual")
    claim = residual <= b**slope * (root + second * least) + rational(noise) * c
    return derived(
        residual=for_all(
            claim,
            b > 0, c > 0, least >= 1, root >= least, u <= root, v >= -least, sigma >= -c,
            sigma <= c, u >= v, residual <= b * (u - v) - sigma,
        ),
        length=for_all(
            norm * norm <= b * b * p**dims * residual * residual,
            derivative > 0, derivative <= b, residual >= 0, p >= 1, length * length == p,
            norm == residual * derivative * length,
        ),
    )  # fmt: skip


@statement(
    "004 Theorem 5.3.9",
    lines="6634-6661",
    kind="utility",
    printed="LDP-IHT with r = O(b C sqrt p) has the error 2^-T ||theta*|| + O(sqrt(p log p T s)/"
    "(sqrt n epsilon)) if Delta <= (9a^2 - 5b^2)/14, for every epsilon > 0",
    false="r is too small: with a small C the messages cannot carry theta*; and Delta too large",
    errata=("diss-5.3.44/E1", "diss-5.3.41/E2", "diss-5.3.rand/E2", "004 Theorem 5.3.11/E1"),
)
def private_descent_printed() -> Outcome:
    """f(x) = x, p = 2, s* = T = eta = 1, theta* = e_1, epsilon = 2, C = .01, r = C sqrt p.

    n = 10^6. Messages have the norm r coth(1) pi/2, so that theta_1 has no larger one. The O is
    taken as 10 times C sqrt(p log p)/(sqrt n epsilon), and log 2 < 1.
    """
    odds = exp(ball(2))
    step = ball("0.01") * sqrt(ball(2)) * (odds + 1) / (odds - 1) * pi() / 2
    claimed = ball("1/2") + 10 * ball("0.01") * sqrt(ball(2)) / 2000
    return refuted({"C": 0.01, "p": 2, "T": 1}, 1 - step, claimed, "error of theta_1")


@private_descent_printed.corrected(
    "r as for the gradients, Delta <= (9a^2 - 5b^2)/(9a^2 + 5b^2), epsilon <= 1: the error is at "
    "most 2^-T ||theta*|| + (7/2) e, e = eta sqrt(17 s*) times the largest noise of a coordinate",
    refuses={
        "+ 3 e": {"tail": "3"},
        "Delta <= (9a^2 - 5b^2)/14": {"whole": True},
        "e = eta sqrt(16 s*) times the noise": {"supports": 16},
    },
    unchecked={
        "r, epsilon": "only in the law of the noise, whose largest coordinate is z in the steps",
        "T": "the number of steps; the bound is kept from one step to the next",
    },
)
def private_descent(tail: str = "7/2", whole: bool = False, supports: int = 17) -> Outcome:
    """A step size that contracts by 2/7 exists [step "window"], s = 8 s* makes it 1/2.

    Here A = a^2 and B = b^2. Then after <= d/2 + (7/4) e, and the bound is kept [step "sum"]. The
    noise of a step is on at most 2s + s* coordinates, each z at most [step "error"].
    """
    s, least, size, z = reals("s s* size z")
    eta, rip, a, b = reals("eta Delta A B")
    room = rip * 14 <= 9 * a - 5 * b if whole else rip * (9 * a + 5 * b) <= 9 * a - 5 * b
    inside = z3.And(7 * eta * a * (1 - rip) >= 5, 7 * eta * b * (1 + rip) <= 9)
    d, e, power, start = reals("d e 2^-t start")
    return derived(
        window=for_all(
            inside, a > 0, b >= a, rip >= 0, rip < 1, room, 14 * eta * a * b == 9 * a + 5 * b
        ),
        sum=for_all(
            d / 2 + rational("7/4") * e <= power * start / 2 + rational(tail) * e,
            power > 0, power <= 1, start >= 0, e > 0, d <= power * start + rational(tail) * e,
        ),
        error=for_all(
            e * e <= supports * eta * eta * least * z * z,
            eta > 0, least >= 1, s == 8 * least, size <= 2 * s + least,
            e * e <= eta * eta * size * z * z,
        ),
    )  # fmt: skip


private_descent_printed.restated(
    "004 (5.82)",
    lines="6657-6661",
    printed="||theta_T - theta*|| <= 2^-T ||theta*|| + O(sqrt(p log p) sqrt T sqrt s/(sqrt n "
    "epsilon))",
)
twin(
    "004 Theorem 5.3.5",
    of="004 Theorem 5.3.9",
    lines="6496-6504",
    printed="LDP-IHT with r = O(C sqrt p) has the error (5.76) if Delta = O(1), for every epsilon",
    special_case_of=("004 Theorem 5.3.9",),
    errata=("diss-5.3.44/E1", "diss-5.3.41/E2", "diss-5.3.rand/E2"),
)
twin(
    "004 (5.76)",
    of="004 Theorem 5.3.9",
    lines="6500-6502",
    printed="||theta_T - theta*|| <= 2^-T ||theta*|| + O(C sqrt(p log p) sqrt T sqrt s*/(sqrt n "
    "epsilon))",
    special_case_of=("004 Theorem 5.3.5",),
    errata=("diss-5.3.44/E1", "diss-5.3.41/E2", "diss-5.3.rand/E2"),
)


@statement(
    "004 Theorem 5.3.11",
    lines="6702-6706",
    kind="utility",
    printed="with Delta <= (9a^2 - 5b^2)/14 the error is at most 2^-T ||theta*|| + O(b C "
    "log(1/delta) sqrt(s* log p)/(sqrt n epsilon)), with noise as in Theorem 5.3.6",
    false="for a = b = 2 it allows Delta = .9, where no step halves the error; the noise is too "
    "small too",
    errata=("004 Theorem 5.3.11/E1", "004 Theorem 5.3.6/E1"),
)
def general_labels_printed() -> Outcome:
    """f(x) = 2x; X has two columns of correlation .9, the others orthogonal: Delta = .9 <= 16/14.

    T = 1, n so large that the noise is nothing. theta* = u (1, 1) and u (1, -1), of norm .1, are
    eigenvectors of X^T X/n to 1.9 and .1: theta_1 is 4 eta 1.9 theta* or 4 eta .1 theta*, which
    Trunc leaves as it is. The larger of |1 - 7.6 eta| and |1 - .4 eta| is .9 at least, at eta =
    1/4; projected on the unit ball the first is at least .9/.1. The claim is 1/2.
    """
    eta = Fraction(1, 4)
    least = max(abs(1 - Fraction(76, 10) * eta), abs(1 - Fraction(4, 10) * eta))
    point = {"a": 2, "b": 2, "Delta": 0.9, "T": 1, "eta (the best)": 0.25}
    return refuted(point, least, Fraction(1, 2), "error over ||theta*||")


@general_labels_printed.corrected(
    "Delta <= (9a^2 - 5b^2)/(9a^2 + 5b^2), less than 1, and labels clipped to f(0) +- "
    "(b sqrt(s*) + C), with the noise for that range",
    refuses={
        "Delta <= (9a^2 - 5b^2)/14": {"whole": True},
        "sqrt(s*) + C": {"slope": 0},
    },
)
def general_labels(whole: bool = False, slope: int = 1) -> Outcome:
    """A step that halves the error is that of Theorem 5.3.9 [step "descent"].

    |f(u) - f(0)| <= b |u| [step "range"].
    """
    b, c, f, root = reals("b C |f(u)-f(0)| sqrt_s")
    return derived(
        descent=private_descent(whole=whole),
        range=for_all(f + c <= b**slope * root + c, b > 0, c > 0, root >= 1, f <= b * root),
    )
