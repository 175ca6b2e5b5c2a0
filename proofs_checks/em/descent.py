"""Private gradient EM: its accounting and the proof of its rate, of paper 000 and section 7.2.

l = log(d/zeta), te = sqrt(L + epsilon) - sqrt(L) (the papers' tilde-epsilon), L = log(1/delta),
m = n/T; s and b are the scale and the precision of the truncation.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal

import scipy

from proofs_checks.balls import ball, log, ndtr, sqrt
from proofs_checks.basics import gaussian_delta
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.robust_mean import chernoff, largest_bias, two_point_tails
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.em.split_gradient_em import Constants, constants_for

# -------------------------------------------------------------------------------- privacy


def zcdp_conversion(twice: int = 2, own: int = 1) -> Outcome:
    """Markov's inequality for e^((a-1) loss): delta <= e^((a-1)(a rho - epsilon)) for all a > 1.

    At a = 1 + l/r, r = sqrt(rho) and l = sqrt(ln(1/delta)), the exponent is -ln(1/delta).
    """
    r, root = symbols("r l")
    a = 1 + root / r
    exponent = (a - 1) * (a * r**2 - (own * r**2 + twice * r * root))
    return derived(exponent=identity((exponent, -(root**2))))


def gaussian_zcdp(halves: int = 2, sigma_power: int = 2, power: int = 2) -> Outcome:
    """Along the line through the two means, at distance m = Delta_2.

    Times 2 sigma^2, -a x^2 - (1-a)(x-m)^2 = -(x - (1-a) m)^2 + a (a-1) m^2 [step "square"], and the
    Gaussian density integrates to one, so D_a = a m^2/(2 sigma^2) = a rho.
    """
    a, x, m = sp.symbols("a x m", real=True)
    sigma = symbols("sigma")
    exponent = -(a * x**2 + (1 - a) * (x - m) ** 2) / (2 * sigma**2)
    rho = m**power / (halves * sigma**sigma_power)
    square = -((x - (1 - a) * m) ** 2) / (2 * sigma**2)
    return derived(square=identity((exponent, square + (a - 1) * a * rho)))


def clipping_constant(constant: str = "8", range_power: int = 1, n_power: int = 2) -> Outcome:
    """C = 8 (1 + epsilon/L)^range_power, T releases of sensitivity 2C/n and noise C sigma.

    They cost T (2/n)^2/(2 sigma^2) = 2 epsilon^2/(c L) [step "cost"], which is at most te^2
    [step "enough"]; with r = sqrt(L), q = sqrt(L + epsilon) it is (q^2 - r^2)^2/(4 q^2), and
    te^2 + 2 te r = epsilon [step "budget"], :func:`zcdp_conversion`. That some c of this size is
    needed: at c = 4.8 and (1, 1e-5) the exact delta is larger [step "needed"]. c is a constant
    as long as epsilon/L is bounded.
    """
    n, t, c, size, epsilon = symbols("n T c L epsilon")
    sigma2 = c * t * size / (n**n_power * epsilon**2)
    q, r = reals("q r")
    largest = q * q if range_power else r * r  # r^2 times (1 + epsilon/L)^range_power
    level, delta = ball(1), ball("1e-5")
    mu = 2 * level / sqrt(ball("4.8") * log(1 / delta))
    first, second = symbols("q r")
    return derived(
        cost=identity((t * (2 / n) ** 2 / (2 * sigma2), 2 * epsilon**2 / (c * size))),
        enough=for_all(
            (q * q - r * r) ** 2 * 2 <= (q - r) ** 2 * largest * rational(constant), q > r, r > 0
        ),
        budget=identity(((first - second) ** 2 + 2 * (first - second) * second,
                         first**2 - second**2)),
        conversion=zcdp_conversion(),
        needed=less(delta, gaussian_delta(mu, level)),
    )  # fmt: skip


def one_gradient_moves(contribution: Callable[[float], float], constants: Constants) -> Outcome:
    """Replace a record of gradient 0 by one of gradient 100 in one coordinate: the exact delta."""
    sigma = constants.noise_scale
    moved = contribution(100.0)
    mu = ball(abs(moved)) / ball(sigma)
    point = {"gradient": 100.0, "moves the mean by": moved, "sigma": sigma, "epsilon": 0.9}
    return refuted(point, gaussian_delta(mu, ball("0.9")), ball("1e-5"), "exact delta")


def split_constants(epsilon: float = 0.9) -> Constants:
    """Constants of Algorithm 2 at n = 10^4, T = 10, d = 10, zeta = .05, delta = 1e-5, tau = 1."""
    return constants_for(
        epsilon=epsilon, delta=1e-5, method="zcdp", n=10_000, dimension=10, n_iterations=10,
        second_moment=1.0, failure_probability=0.05,
    )  # fmt: skip


def privacy_of_blocks(sixteen: str = "16") -> Outcome:
    """Count what a record in one block costs: d coordinates of sensitivity (4 sqrt2/3) s/m.

    With sigma^2 = 16 s^2 d/(9 m^2 te^2) each costs te^2/d, together te^2 [step "cost"], whose
    conversion is epsilon [step "budget"].
    """
    s, m, d, te, root = symbols("s m d te r")
    sigma2 = sp.Rational(sixteen) * s**2 * d / (9 * m**2 * te**2)
    sensitivity = 4 * sp.sqrt(2) * s / (3 * m)
    epsilon = (te + root) ** 2 - root**2  # te = sqrt(L + epsilon) - sqrt(L)
    return derived(
        cost=identity((d * sensitivity**2 / (2 * sigma2), te**2)),
        budget=identity((te**2 + 2 * te * root, epsilon)),
        conversion=zcdp_conversion(),
        one_release=gaussian_zcdp(),
    )


# ---------------------------------------------------------------------------- the recursion


def triangle(share: str = "1", eta_power: int = 1) -> Outcome:
    """U = beta + eta g - beta*, v = eta (noisy - g) [step "split"]; |u + v| <= |u| + |v|.

    With c = <u, v> <= |u||v| and |v| = eta |g~ - g| the squares are compared [step "squares"];
    noisy = g~.
    """
    beta, eta, g, noisy, truth = symbols("beta eta g noisy truth")
    p, q, c, step, error = reals("p q c eta error")
    right = p + rational(share) * step**eta_power * error
    return derived(
        split=identity((beta + eta * noisy - truth, (beta + eta * g - truth) + eta * (noisy - g))),
        squares=for_all(
            p * p + 2 * c + q * q <= right * right,
            *(p >= 0, step > 0, error >= 0, q == step * error, c <= p * q),
        ),
    )


def contraction(share: str = "1", two: int = 2) -> Outcome:
    """Nesterov (2004), Theorem 2.1.12, cited: <g, x> >= (mu v |x|^2 + |g|^2)/(mu + v).

    Here g is minus the gradient at beta and x = beta - beta*. Then |x - eta g|^2 =
    |x|^2 - 2 eta <g, x> + eta^2 |g|^2 <= ((mu-v)/(mu+v))^2 |x|^2 at eta = 2/(mu+v) [step "step"].
    """
    v, mu, xx, gx, gg = reals("v mu xx gx gg")
    total = mu + v
    left = xx * total * total - 2 * two * gx * total + two * two * gg
    right = rational(share) * (mu - v) * (mu - v) * xx
    return derived(
        step=for_all(
            left <= right, v > 0, mu >= v, xx >= 0, gg >= 0, gx * total >= mu * v * xx + gg
        )
    )


def total_factor(sign: int = -1, two: int = 2) -> Outcome:
    """Put (45) and Lipschitz-Gradient-2 into (43), at eta = 2/(mu+v) [step "chain"].

    (45) is :func:`contraction`, of the same eta. That is (mu-v)/(mu+v) + eta gamma =
    1 - 2(v-gamma)/(mu+v) [step "factor"].
    """
    mu, v, gamma = symbols("mu v gamma")
    left = (mu - v) / (mu + v) + 2 / (mu + v) * gamma
    m, w, g, eta, error, after, first, second = reals("mu v gamma eta e after first second")
    return derived(
        contraction=contraction(two=two),
        factor=identity((left, 1 - 2 * (v + sign * gamma) / (mu + v))),
        chain=for_all(
            after * (m + w) <= (m + w - 2 * (w + sign * g)) * error,
            *(w > 0, m >= w, g >= 0, eta * (m + w) == two, error >= 0),
            *(first * (m + w) <= (m - w) * error, second <= g * error),
            after <= first + eta * second,
        ),
    )


def square_of_sum() -> Outcome:
    """Take a = b = 1."""
    return refuted({"a": 1, "b": 1}, (1 + 1) ** 2, 1**2 + 1**2, "(a + b)^2 against a^2 + b^2")


def square_of_sum_repaired(factor: str = "2") -> Outcome:
    """Use (a - b)^2 >= 0, for each coordinate."""
    a, b = reals("a b")
    return for_all((a + b) ** 2 <= rational(factor) * (a * a + b * b))


def gaussian_tail() -> Outcome:
    """P(|Z_j| > sigma sqrt(log(d/zeta))) at d = 10, zeta = .05 is .021."""
    exact = 2 * ndtr(-sqrt(log(ball(200))))
    return refuted({"d": 10, "zeta": 0.05}, exact, ball("0.005"), "probability against zeta/d")


def gaussian_tail_repaired(halves: int = 2, power: int = 1, sigma_power: int = 2) -> Outcome:
    """P(|Z| > t sigma) = 2 Phi(-t) <= exp(-t^2/2) for every t >= 0, with equality at 0.

    At (t sigma)^2 = 2 sigma^2 log(d/zeta) that is zeta/d [step "level"]. D = 2 Phi(-t) exp(t^2/2)
    has the slope -2 (phi(t) - t Phi(-t)) exp(t^2/2) [step "slope"], and phi(t) - t Phi(-t) =
    int_t^oo (x - t) phi(x) dx > 0, -phi being the antiderivative of x phi [step "positive"].
    """
    t = sp.symbols("t", positive=True)
    d, zeta, sigma = symbols("d zeta sigma")
    squared = halves * sigma**sigma_power * sp.log(d / zeta) / sigma**2
    tail = sp.Function("P")(t)
    density = sp.exp(-(t**2) / 2) / sp.sqrt(2 * sp.pi)
    slope = sp.diff(2 * tail * sp.exp(t**2 / 2), t).subs(sp.diff(tail, t), -density)
    claimed = -2 * (density - t * tail) * sp.exp(t**2 / 2)
    return derived(
        level=identity((sp.exp(-sp.simplify(squared) / 2), (zeta / d) ** power)),
        slope=identity((slope.subs(tail, sp.Symbol("p")), claimed.subs(tail, sp.Symbol("p")))),
        positive=identity((sp.diff(-density, t), t * density)),
    )


def robust_mean_claim() -> Outcome:
    """Take the worst two-point law's squared bias at n = 10^4, T = 10, d/zeta = 200."""
    constants = split_constants(1e-6)
    bias = largest_bias(constants.precision) / constants.truncation_scale
    rate = math.log(200) / 10_000
    point = {"epsilon": 1e-6, "n": 10_000, "T": 10, "d/zeta": 200, "tau": 1.0}
    return refuted(point, bias**2, 1000 * rate, "squared bias against 1000 tau l/n")


def robust_mean_repaired(
    half: str = "1/2", logarithm: str = "1", sides: int = 2, smoothing: int = 1
) -> Outcome:
    """See :func:`proofs_checks.robust_mean.chernoff`, zeta/2 for each side, with v = tau.

    With the algorithm's own s and b exact binomial tails are compared [step "tails"].
    """
    moment, fluctuation = float(Fraction(half)), float(Fraction(logarithm))
    worst, tried = 0.0, 0
    for k, p, zeta in itertools.product((0.5, 1.5, 4.0), (0.01, 0.1, 0.6), (0.2, 0.01)):
        m, tau = 400, k**2 * p
        constants = constants_for(
            epsilon=0.5, delta=1e-4, method="zcdp", n=m, dimension=1, n_iterations=1,
            second_moment=tau, failure_probability=zeta,
        )  # fmt: skip
        s, b = constants.truncation_scale, constants.precision
        allowed = moment * tau / s * (1 + smoothing / b) + fluctuation * s / m * math.log(2 / zeta)
        tails = two_point_tails(m, k, p, scale=s, precision=b, bound=allowed)
        worst = max(worst, sum(tails) / zeta)
        tried += 1
    return derived(
        both_sides=chernoff(half, smoothing=smoothing, logarithm=logarithm, sides=2, events=sides),
        tails=searched(worst, 1, tried=tried, what="failure probability over zeta"),
    )


def step_error() -> Outcome:
    """D = 1 and l = 10^6: the worst two-point law's bias over the bound with C_2 = 1.

    tau/s over sqrt(tau T l/(b n te)) is 2 sqrt(l b) for s of the algorithm, whatever n, T and te.
    """
    size = 1e6
    precision = math.sqrt(size)
    ratio = largest_bias(precision) * 2 * math.sqrt(size * precision)
    return refuted({"d": 1, "log(d/zeta)": size}, ratio, 1000.0, "bias over the bound, C_2 = 1")


def union(sides: int = 4, noise: int = 2) -> Outcome:
    """Both sides of d robust means at log(4dT/zeta) and the noise at log(2T/zeta), T times.

    They fail with probability zeta altogether.
    """
    d, t, zeta = symbols("d T zeta")
    failures = 2 * d * sp.exp(-sp.log(sides * d * t / zeta)) + sp.exp(-sp.log(noise * t / zeta))
    return identity((t * failures, zeta))


def step_error_repaired(
    share: str = "1",
    two: str = "2",
    root: int = 1,
    sides: int = 4,
    noise: int = 2,
    mean: Mapping[str, Any] | None = None,
) -> Outcome:
    """Add :func:`robust_mean_repaired` in d coordinates [step "norm", by induction] and the noise.

    In the robust mean v = tau.

    By Laurent and Massart (2000) P(|Z| > sigma (sqrt d + sqrt(2x))) <= e^-x, because
    (sqrt d + sqrt(2x))^2 is at least their d + 2 sqrt(dx) + 2x [step "square", p = sqrt d, q =
    sqrt x]; chi-square tails are compared [step "noise"]. :func:`union` adds the probabilities.
    """
    p, q, root_of_two = reals("p q root_of_two")
    entry, largest, total, d = reals("entry largest total d")
    radius_of_both = rational(share) * p + root_of_two * q
    worst, tried = 0.0, 0
    for size, level in itertools.product(
        (1, 2, 5, 20, 100, 1000), (0.1, 0.5, 1.0, 3.0, 10.0, 40.0)
    ):
        radius = float(share) * math.sqrt(size) + math.sqrt(float(two) * level)
        worst = max(worst, float(scipy.stats.chi2.sf(radius**2, size)) / math.exp(-level))
        tried += 1
    return derived(
        square=for_all(
            radius_of_both * radius_of_both >= p * p + 2 * p * q + 2 * q * q,
            *(p >= 0, q >= 0, root_of_two >= 0, root_of_two * root_of_two == rational(two)),
        ),
        noise=searched(worst, 1, tried=tried, what="tail of |Z| over e^-x"),
        robust=robust_mean_repaired(**(mean or {})),
        norm=for_all(
            total + entry * entry <= (d + 1) ** root * largest * largest,
            *(d >= 1, entry >= 0, entry <= largest, total <= d**root * largest * largest),
        ),
        union=union(sides, noise),
    )


def recursion(share: str = "1", factor_power: int = 1, eta_power: int = 1) -> Outcome:
    """Put the contraction |beta + eta grad - beta*| <= iota e and the error N of (49) into (42)."""
    e, after, moved, error, noise, iota, eta = reals("e after moved error noise iota eta")
    return derived(
        triangle=triangle(),
        sum=for_all(
            after <= iota**factor_power * e + rational(share) * eta**eta_power * noise,
            *(e >= 0, iota > 0, iota < 1, eta > 0, noise >= 0, error >= 0, moved >= 0),
            *(after <= moved + eta * error, moved <= iota * e, error <= noise),
        ),
    )


def induction(largest: str = "1", power: int = 1) -> Outcome:
    """One step from R/2 stays in R/2 if the noise is at most (1 - iota) R/2 [step "stays"].

    Here radius = R.

    (That bound is (24), up to its constant.) The noise sums up [step "series"] to noise/(1 - iota)
    but for the part after T [step "bound"].
    """
    before, noise, iota, radius = reals("before noise iota radius")
    r = symbols("iota")
    t = sp.symbols("T", positive=True, integer=True)
    e, step = symbols("e step")
    after_t = r**t * e + step * (1 - r**t) / (1 - r)
    return derived(
        stays=for_all(
            2 * (iota * before + noise) <= radius,
            *(iota > 0, iota < 1, before >= 0, noise >= 0, radius > 0, 2 * before <= radius),
            2 * noise <= rational(largest) * (1 - iota) * radius,
        ),
        series=identity(
            (after_t.subs(t, 0), e), (r * after_t + step, sp.expand(after_t.subs(t, t + 1)))
        ),
        bound=identity((r**t * e + step / (1 - r) ** power - after_t, step * r**t / (1 - r))),
    )


def enough_records(
    d_power: int = 2, radius_power: int = 2, gap_power: int = 2, epsilon_power: int = 1,
    delta_power: str = "1/2", limit: str = "3.2", within: str = "1", *, full: bool = False,
) -> Outcome:  # fmt: skip
    """Divide the square of eta times (49) by that of (1 - iota) R/2, 1 - iota = eta (v - gamma).

    Here gap = v - gamma.
    With n of (24) times K it is (4 C^2/K)(h + 2), where r = sqrt(L), te = r h and epsilon =
    r^2 h (h + 2) [step "quotient"], at most (limit C)^2/K for epsilon <= L [step "bounded"]. With
    all records in every step, (7.78) and (7.62), it is (4 C^2/K)(h + 2)^2/l.
    """
    c, k, d, tau, t, size = symbols("C K d tau T l")
    r, h, radius, gap, eta = symbols("r h R gap eta")
    te, epsilon, b = r * h, r**2 * h * (h + 2), size if full else sp.sqrt(size)
    n = k * d**d_power * tau * t * (r**2) ** sp.Rational(delta_power) * b
    n /= gap**gap_power * epsilon**epsilon_power * radius**radius_power
    error = (c * d) ** 2 * tau * t * size / (b * n * te ** (2 if full else 1))
    quotient = (eta**2 * error) / (eta * gap * radius / 2) ** 2
    x = reals("h")
    return derived(
        quotient=identity((quotient, 4 * c**2 / k * ((h + 2) ** 2 / size if full else h + 2))),
        bounded=for_all(
            4 * (x + 2) ** (2 if full else 1) <= rational(limit) * rational(limit),
            *(x >= 0, x * (x + 2) <= rational(within)),
        ),
    )


def tilde_epsilon(constant: str = "2") -> Outcome:
    """With te = q - r, q = sqrt(L + epsilon), r = sqrt(L): te (q + r) = epsilon.

    So te <= epsilon/(2 r) [step "bound"].
    """
    q, r = reals("q r")
    first, second = symbols("q r")
    return derived(
        product=identity(((first - second) * (first + second), first**2 - second**2)),
        bound=for_all((q - r) * rational(constant) * r <= q * q - r * r, q >= r, r > 0),
    )


# ------------------------------------------------------------------------------- the theorem


def noise_floor(which: Literal["theorem 5", "theorem 6", "theorem 7.2.4"]) -> Outcome:
    """Take the last step's noise alone, at beta* and sigma of size c = 10^-9 and n = 10^14.

    The noise is independent of what it is added to and symmetric, so by Anderson's inequality
    P(|beta^T - beta*| >= eta sigma) >= P(|N(0, I)| >= 1) = .91 in d = 4. It scales with c, and the
    bound with R sqrt(tau), thus with c^2. (24) does not depend on c.
    """
    c, d, n, epsilon, delta, zeta = 1e-9, 4, 10**14, 0.9, 1e-6, 0.05
    top, noise, radius = c / 2, c / 3, c / 4
    tau = (math.hypot(top, noise) + top + radius) ** 2
    t = math.ceil(math.log(n))
    constants = constants_for(
        epsilon=epsilon, delta=delta, method="zcdp", n=n, dimension=d, n_iterations=t,
        second_moment=tau, failure_probability=zeta,
    )  # fmt: skip
    logs = math.log(1 / delta) * math.log(1 / zeta)
    common = d * logs**0.25 / math.sqrt(n * epsilon)
    sigma = constants.noise_scale
    if which == "theorem 5":
        demanded = d**2 * tau * t * math.sqrt(logs) / (epsilon * radius**2)
        bound = radius * math.sqrt(2) * common * math.sqrt(tau)  # mu = v = 1, gamma = 0
    else:
        demanded = d**2 * math.hypot(top, noise) * math.sqrt(logs) / (epsilon * c**2)
        bound = c * common * math.hypot(top, noise)
    if which == "theorem 7.2.4":  # all records in every step
        te = math.sqrt(math.log(1 / delta) + epsilon) - math.sqrt(math.log(1 / delta))
        sigma = math.sqrt(8 * tau * d * t / (9 * math.log(d / zeta) * n)) / te
        demanded *= math.sqrt(logs) / epsilon
        bound *= logs**0.75 / math.sqrt(epsilon)
    point = {"|beta*|": c, "sigma": noise, "d": d, "n": n, "n demanded": demanded,
             "epsilon": epsilon, "delta": delta, "zeta": zeta}  # fmt: skip
    if 10 * demanded > n:
        raise ValueError("the condition on n does not hold")
    note = "noise that is exceeded w.p. .91, against 1000 times the bound"
    return refuted(point, sigma, 1000 * bound, note)
