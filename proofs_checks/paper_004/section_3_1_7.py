"""Section 3.1.7, proofs for DP-SVRG: the moments of its queries and the error of an epoch.

G = 1, as the proof assumes; gap(x) = F^r(x) - min F^r; inner products and squared norms stand for
themselves in the claims that z3 decides.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_checks.balls import ball, log, sqrt
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004 import convexity
from proofs_checks.paper_004.section_3_1_6 import noise_of_estimator
from proofs_checks.statement import not_checkable as never
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    symbols,
)

ALGORITHM = ("diss-3.1.1",)
statement = partial(any_statement, algorithms=ALGORITHM)


# ------------------------------------------------------------------------------------ privacy


def sum_of_queries(power: int = 2) -> Outcome:
    """The noises are independent, so the moment generating function of their sum is a product."""
    t, first, second = symbols("t sigma_1 sigma_2")
    whole = (first**power + second**power) ** sp.Rational(2, power)
    product = sp.exp(t**2 * first**2 / 2) * sp.exp(t**2 * second**2 / 2)
    return definition(identity((product, sp.exp(t**2 * whole / 2))))


@statement(
    "004 (3.11)",
    lines="955-959",
    kind="definition",
    printed="M_{i,1} = grad f(x, z_i) - grad f(x~, z_i) + N(0, sigma_1^2 I), the first part of M_i",
    checked="M_i = M_{i,1} + M_{i,2} with sigma^2 = sigma_1^2 + sigma_2^2",
    refuses={"sigma = sigma_1 + sigma_2": {"power": 1}},
    unchecked={
        "M_{i,1}, M_i": "the query and the pair; the step has the laws of their noises and of "
        "the sum",
        "f": "any gradients; the step has the noise that is added to them",
    },
)
def sampled_query(power: int = 2) -> Outcome:
    """See :func:`sum_of_queries`: M_i post-processes the pair."""
    return sum_of_queries(power)


@statement(
    "004 (3.12)",
    lines="961-963",
    kind="definition",
    printed="M_{i,2} = grad F(x~, D) + N(0, sigma_2^2 I), the second part of M_i",
    checked="M_i = M_{i,1} + M_{i,2} with sigma^2 = sigma_1^2 + sigma_2^2",
    refuses={"sigma = sigma_1 + sigma_2": {"power": 1}},
    unchecked={
        "M_{i,2}, M_i": "the query and the pair; the step has the laws of their noises and of "
        "the sum",
        "F": "any gradients; the step has the noise that is added to them",
    },
)
def background_query(power: int = 2) -> Outcome:
    """See :func:`sum_of_queries`."""
    return sum_of_queries(power)


never(
    "004 (3.13)",
    lines="967-969",
    kind="privacy",
    printed="moments of the sampled difference: alpha(lambda) <= c_1 lambda^2/(n sigma_1)^2 + "
    "O((lambda/(n sigma_1))^3)",
    reason="Lemma 3 of [1] with unnamed constants, stated there for add/remove-one; Theorem 3.1.1 "
    "is checked by exact accounting instead",
    algorithms=ALGORITHM,
)


@statement(
    "004 (3.14)",
    lines="971-975",
    kind="identity",
    printed="alpha_{M_i,2}(lambda) = lambda D_{lambda+1}(P || Q)",
    refuses={"order lambda": {"order": 0}, "(lambda+1) D_{lambda+1}": {"more": 1}},
    unchecked={
        "alpha_{M_i,2}, D_{lambda+1}": "logarithms, of which the steps have the integrands and "
        "the factors",
    },
)
def moments_are_renyi(order: int = 1, more: int = 0) -> Outcome:
    """Both are logarithms, of E_P (P/Q)^lambda and of the sum of P^(lambda+1) Q^-lambda.

    They agree outcome by outcome [step "integrand"]; D_a has the factor 1/(a - 1) = 1/lambda
    [step "factor"].

    Here p stands for P, q for Q.
    """
    p, q, moment = symbols("p q lambda")
    a = moment + order
    return derived(
        integrand=identity((p * (p / q) ** moment, p**a * q ** (1 - a))),
        factor=identity(((moment + more) / (a - 1), 1)),
    )


@statement(
    "004 (3.15)",
    lines="977-979",
    kind="privacy",
    printed="lambda D_{lambda+1}(P || Q) = lambda (lambda+1) ||grad F(x~, D) - grad F(x~, D')||^2/"
    "(2 sigma^2) <= 2 lambda (lambda+1)/(n sigma_2)^2 <= c_1 lambda^2/(n sigma_2)^2",
    checked="the same with sigma_2 for sigma, c_1 = 4 and lambda >= 1",
    misprint="sigma for sigma_2 in the second term",
    refuses={
        "c_1 = 3.9": {"constant": "3.9"},
        "lambda^2 for lambda (lambda+1)": {"more": 0},
        "lambda >= .9": {"least": "0.9"},
    },
    unchecked={
        "F": "its change by a record is d, at most 2/n",
        "sigma": "misprint of sigma_2, s in the steps",
        "c_1": "4 in the last step",
    },
)
def background_moment(constant: str = "4", more: int = 1, least: str = "1") -> Outcome:
    """Gaussians at distance d with s = sigma_2, the integrand P^(lambda+1) Q^-lambda.

    Its exponent is a square plus lambda (lambda+1) d^2/(2 s^2) [step "square"], d <= 2/n [step
    "distance"] and lambda + 1 <= 2 lambda [step "constant"].

    Here rest = lambda D_{lambda+1}.
    """
    x, d, s, moment, n = symbols("x d s lambda n")
    exponent = -(moment + 1) * x**2 / (2 * s**2) + moment * (x - d) ** 2 / (2 * s**2)
    rest = moment * (moment + more) * d**2 / (2 * s**2)
    k = reals("lambda")
    return derived(
        square=identity((exponent, -((x + moment * d) ** 2) / (2 * s**2) + rest)),
        distance=identity((rest.subs(d, 2 / n), 2 * moment * (moment + more) / (n * s) ** 2)),
        constant=for_all(2 * k * (k + 1) <= rational(constant) * k * k, k >= rational(least)),
    )


def _pair(share: str = "1") -> Outcome:
    """The moments of an independent pair multiply, outcome by outcome.

    Given the first answer, so do those of an adaptive one; their logarithms add.
    """
    p, q, r, s, moment = symbols("p q r s lambda")
    joint = p * r * (p * r / (q * s)) ** moment
    factor = sp.Rational(share)
    return identity((joint, p * (p / q) ** moment * r * (r / s) ** (factor * moment)))


@statement(
    "004 (3.16)",
    lines="981-983",
    kind="privacy",
    printed="alpha_{M_i}(lambda) <= c_1 lambda^2/(n sigma_2)^2 + c_2 lambda^2/(n sigma_1)^2 + "
    "O(lambda^3/(n sigma_1)^3)",
    added="(3.13), whose constant it takes",
    refuses={
        "half the second term": {"share": "1/2"},
        "c_1 = 3.9": {"constant": "3.9"},
        "(n sigma_1)^3 in the second term": {"squares": 3},
        "lambda for lambda^2 in the second term": {"moments": 1},
        "without the third term": {"third": "0"},
        "(n sigma_1)^4 in the third term": {"cubes": 4},
        "lambda^2 in the third term": {"third_moments": 2},
    },
    unchecked={
        "alpha_{M_i}": "the moment of the pair, which the first step makes the sum of two",
        "c_1": "4 in the last step",
    },
)
def query_moment(
    share: str = "1",
    constant: str = "4",
    squares: int = 2,
    moments: int = 2,
    third: str = "1",
    cubes: int = 3,
    third_moments: int = 3,
) -> Outcome:
    """M_i post-processes the pair, whose moments add [step "pair"]; then (3.13) and (3.15).

    c_1 and c_2 have changed places against (3.13). x = 1/(n sigma_1), y = 1/(n sigma_2).
    """
    k, sampled, c, rest, x, y = reals("lambda sampled c_2 rest x y")
    total = rational(constant) * k * k * y * y + rational(share) * c * k**moments * x**squares
    total += rational(third) * rest * k**third_moments * x**cubes
    return derived(
        pair=_pair(),
        sum=for_all(
            2 * k * (k + 1) * y * y + sampled <= total,
            *(k >= 1, x > 0, y > 0, c > 0, rest > 0, sampled >= 0),
            sampled <= c * k * k * x * x + rest * k * k * k * x * x * x,
        ),
    )


@statement(
    "004 (3.17)",
    lines="985-987",
    kind="composition",
    printed="sum over T queries of the moments <= c_1 lambda^2/(n sigma_2)^2 + c_2 lambda^2/"
    "(n sigma_1)^2",
    false="the factor T is lost (a misprint; the next display has it)",
    errata=("diss-3.1.1/E7",),
)
def moments_without_count() -> Outcome:
    """Background queries alone, at lambda = 1: T queries need c_1 = 4 T, whatever c_1 is."""
    c, n = 10**6, 100
    point = {"lambda": 1, "n": n, "sigma_2": 1.0, "c_1": c, "T": c}
    return refuted(point, Fraction(4 * c, n**2), Fraction(c, n**2), "T moments of (3.15)")


@moments_without_count.corrected(
    "T (c_1 lambda^2/(n sigma_2)^2 + c_2 lambda^2/(n sigma_1)^2)",
    refuses={
        "sqrt(T) for T": {"power": 1},
        "c_1 = 3.9": {"constant": "3.9"},
        "n^2 sigma_2 for (n sigma_2)^2": {"scale": 1},
    },
    unchecked={
        "c_1": "4 in the last step",
        "c_2, sigma_1": "enter by (3.13) alone, sampled in the last step",
    },
)
def moments_with_count(power: int = 2, constant: str = "4", scale: int = 2) -> Outcome:
    """Moments add [step "pair"]: T times (3.16), T = t^2; (3.13) enters as ``sampled``."""
    k, t, sampled, n, s, first = reals("lambda t sampled n sigma_2 first")
    return derived(
        pair=_pair(),
        sum=for_all(
            t * t * (2 * k * (k + 1) + sampled * (n * s) ** 2)
            <= t**power * (first + sampled) * (n * s) ** 2,
            *(k >= 1, t >= 1, n > 0, s > 0, sampled >= 0),
            first * n**2 * s**scale == rational(constant) * k * k,
        ),
    )


@statement(
    "004 (3.18)",
    lines="997-999",
    kind="assumption",
    printed="in addition lambda <= sigma_1^2 ln(n/sigma_1)",
    refuses={"ln(n sigma_1)": {"power": -1}},
    unchecked={"lambda": "what is assumed; the step has its bound"},
)
def order_range(power: int = 1) -> Outcome:
    """The range sigma^2 ln(1/(q sigma)) of Lemma 3 of [1], at the sampling rate q = 1/n."""
    n, s = symbols("n sigma_1")
    q = 1 / n
    return definition(identity((s**2 * sp.log(1 / (q * s)), s**2 * sp.log(n / s**power))))


def _share_of_budget(constant: str) -> Outcome:
    """T c lambda^2/(n sigma)^2 <= lambda epsilon/4 at sigma^2 = c_4^2 T a/(n epsilon)^2.

    lambda = 2 a/epsilon, a = ln(1/delta): exp(-lambda epsilon/2) = delta [step "delta"], and the
    term is (2 c/c_4^2) lambda epsilon [step "term"]: enough if c_4^2 >= 8 c [step "constant"].
    """
    a, epsilon, T, c, root, n, delta = symbols("a epsilon T c c_4 n delta")
    order = 2 * a / epsilon
    variance = root**2 * T * a / (n * epsilon) ** 2
    term = T * c * order**2 / (n**2 * variance)
    small, square = reals("c square")
    return derived(
        delta=identity((sp.exp(-order * epsilon / 2).subs(a, -sp.log(delta)), delta)),
        term=identity((term, 2 * c / root**2 * order * epsilon)),
        constant=for_all(8 * small <= square, small > 0, square >= rational(constant) * small),
    )


@statement(
    "004 (3.19)",
    lines="1001-1003, 1009",
    kind="privacy",
    printed="for epsilon <= c_3 T/n^2, sigma_1 = c_4 sqrt(T ln(1/delta))/(n epsilon) satisfies all "
    "the conditions, (3.18) among them, for some constants",
    false="(3.18) fails for every lambda >= 0 as soon as sigma_1 > n, that is for large T",
    errata=("diss-3.1.1/E9",),
)
def sampled_noise() -> Outcome:
    """sigma_1 grows with T while n, epsilon and delta stay: T can be too large for any constants.

    Here c_4 = 1 and any c_3 >= 1e-6; a larger T serves every other c_3 and c_4.
    """
    n, T, epsilon = 100, 10**8, ball("0.01")
    sigma = sqrt(T * log(ball(10**4))) / (n * epsilon)
    point = {"n": n, "T": T, "epsilon": 0.01, "delta": 1e-4, "c_4": 1.0, "sigma_1": float(sigma)}
    return refuted(point, ball(1), sigma**2 * log(n / sigma), "smallest order against (3.18)")


@sampled_noise.corrected(
    "the same for c_4^2 >= max(8 c_2, 2 c_3) and, in addition, sigma_1 <= n/e",
    refuses={
        "c_4^2 >= 7 c_2": {"constant": "7"},
        "c_4^2 >= c_3": {"fewest": "1"},
        "sigma_1 <= n/sqrt(e)": {"least": "1/2"},
    },
)
def sampled_noise_below_n(constant: str = "8", fewest: str = "2", least: str = "1") -> Outcome:
    """The budget: see :func:`_share_of_budget`, with c = c_2.

    With log = ln(n/sigma_1), (3.18) with lambda = 2 a/epsilon reads 2 n^2 epsilon <= c_4^2 T
    ln(n/sigma_1) [step "range"], where the logarithm is at least 1 and epsilon n^2 <= c_3 T [step
    "order"].
    """
    a, epsilon, T, root, n, size = symbols("a epsilon T c_4 n log")
    variance = root**2 * T * a / (n * epsilon) ** 2
    gap = variance * size - 2 * a / epsilon
    e, t, square, third, logarithm = reals("n2_epsilon T square c_3 log")
    return derived(
        budget=_share_of_budget(constant),
        range=identity((gap, (root**2 * T * size - 2 * n**2 * epsilon) * a / (n * epsilon) ** 2)),
        order=for_all(
            2 * e <= square * t * logarithm,
            *(t >= 1, e > 0, third > 0, logarithm >= rational(least), e <= third * t),
            square >= rational(fewest) * third,
        ),
    )


@statement(
    "004 (3.20)",
    lines="1005-1009",
    kind="privacy",
    printed="sigma_2 = c_5 sqrt(T ln(1/delta))/(n epsilon) satisfies the conditions on it",
    checked="with c_5^2 = 8 c_1, half the budget each",
    refuses={"c_5^2 >= 7 c_1": {"constant": "7"}},
)
def background_noise(constant: str = "8") -> Outcome:
    """See :func:`_share_of_budget`, c_4 = c_5, variance = sigma_2^2; (3.18) has no sigma_2."""
    return _share_of_budget(constant)


# ------------------------------------------------------------------------------------ utility


@statement(
    "004 (3.21)",
    lines="1019-1021",
    kind="identity",
    printed="||x_t - x*||^2 = ||x_{t-1} - x*||^2 - 2 eta <g_t, x_{t-1} - x*> + eta^2 ||g_t||^2",
    refuses={"eta <g_t, x_{t-1} - x*>": {"twice": 1}},
)
def expanded_square(twice: int = 2) -> Outcome:
    """Coordinate by coordinate."""
    x, best, g, eta = symbols("x x_best g eta", real=True)
    left = (x - eta * g - best) ** 2
    return identity((left, (x - best) ** 2 - twice * eta * g * (x - best) + eta**2 * g**2))


@statement(
    "004 (3.22)",
    lines="1023-1025",
    kind="optimisation",
    printed="-<g_t, x_{t-1}-x*> + eta/2 ||g_t||^2 <= F^r(x*) - F^r(x_t) - mu_F/2 ||x_{t-1}-x*||^2 "
    "- mu_r/2 ||x_t-x*||^2 - <v_t - grad F(x_{t-1}), x_t - x*>",
    added="eta <= 1/L, as in Theorem 3.1.2",
    refuses={
        "eta ||g_t||^2": {"share": "1"},
        "mu_F ||x_{t-1}-x*||^2": {"strength": "1"},
        "mu_r ||x_t-x*||^2": {"penalised": "1"},
        "eta <= 2/L": {"largest": 2},
    },
)
def one_step(
    share: str = "1/2", strength: str = "1/2", penalised: str = "1/2", largest: int = 1
) -> Outcome:
    """Smoothness and convexity of F at x_{t-1}, convexity of r at x_t.

    s = <grad F(x_{t-1}), x_t - x*>, v = <v_t, x_t - x*>, q = <g_t, x_{t-1} - x*>, N = ||g_t||^2;
    g_t - v_t is a subgradient of r at x_t, and <g_t, x_t - x*> = q - eta N. F(x_t) - F(x*) <= s +
    L eta^2 N/2 - mu_F/2 ||x_{t-1}-x*||^2 and r(x_t) - r(x*) <= q - eta N - v - mu_r/2 ||x_t-x*||^2.

    Here risk = F(x_t) - F(x*) and penalty = r(x_t) - r(x*).
    """
    s, v, q, square, risk, penalty = reals("s v q N risk penalty")
    eta, size, mu_f, mu_r, before, after = reals("eta L mu_F mu_r before after")
    right = -risk - penalty - rational(strength) * mu_f * before
    right += -rational(penalised) * mu_r * after - (v - s)
    return derived(
        sum=for_all(
            -q + rational(share) * eta * square <= right,
            *(square >= 0, eta > 0, size > 0, mu_f >= 0, mu_r >= 0, before >= 0, after >= 0),
            eta * size <= largest,
            risk <= s + size * eta * eta * square / 2 - mu_f / 2 * before,
            penalty <= q - eta * square - v - mu_r / 2 * after,
        )
    )


@statement(
    "004 (3.23)",
    lines="1027-1029",
    kind="optimisation",
    printed="||x_t-x*||^2 <= ||x_{t-1}-x*||^2 - 2 eta gap(x_t) - 2 eta <v_t - grad F(x_{t-1}), "
    "x_t-x*>",
    refuses={
        "4 eta gap(x_t)": {"factor": 4},
        "- eta <v_t - grad F(x_{t-1}), x_t-x*>": {"twice": 1},
        "- 2 gap(x_t) without eta": {"steps": 0},
    },
)
def step_towards_optimum(factor: int = 2, twice: int = 2, steps: int = 1) -> Outcome:
    """(3.22) without its two squares, times 2 eta, in (3.21)."""
    before, q, square, eta, gap, inner = reals("before q N eta gap inner")
    after = before - 2 * eta * q + eta * eta * square
    return derived(
        sum=for_all(
            after <= before - factor * eta**steps * gap - twice * eta * inner,
            *(eta > 0, gap >= 0, square >= 0, -q + eta * square / 2 <= -gap - inner),
        )
    )


@statement(
    "004 (3.24)",
    lines="1036-1040",
    kind="optimisation",
    printed="2 eta ||v-grad F|| ||x_t-x^_t|| <= 2 eta ||v-grad F|| ||x-eta v-(x-grad F)||",
    false="eta is lost before grad F (a misprint; (3.25) is right)",
    errata=("diss-3.1.1/E8",),
)
def missing_step_size() -> Outcome:
    """Choose eta v = grad F: the printed right side is 0, but the two steps differ."""
    eta, slope = Fraction(1, 2), Fraction(1)
    v = slope / eta
    left = 2 * eta * abs(v - slope) * abs(-eta * v + eta * slope)  # from x = 0 with r = 0
    point = {"eta": 0.5, "grad F": 1.0, "v": 2.0, "x": 0.0, "r": "0"}
    return refuted(point, left, 2 * eta * abs(v - slope) * abs(-eta * v + slope))


def _step_size_squared(factor: str) -> Outcome:
    """d = ||v - grad F||: by Lemma 3.1.4 ||x_t - x^_t|| <= eta d; Cauchy-Schwarz does the rest."""
    apart, d, eta = reals("apart d eta")
    return derived(
        non_expansive=convexity.non_expansive(),
        product=for_all(
            2 * eta * d * apart <= rational(factor) * eta * eta * d * d,
            *(eta > 0, d >= 0, apart >= 0, apart <= eta * d),
        ),
    )


@missing_step_size.corrected(
    "2 eta ||v-grad F|| ||x-eta v-(x-eta grad F)|| = 2 eta^2 ||v-grad F||^2",
    refuses={"eta^2 ||v-grad F||^2": {"factor": "1"}},
)
def with_step_size(factor: str = "2") -> Outcome:
    """See :func:`_step_size_squared`."""
    return _step_size_squared(factor)


@statement(
    "004 (3.25)",
    lines="1042",
    kind="optimisation",
    printed="-2 eta <v-grad F, x_t-x*> <= 2 eta^2 ||v-grad F||^2 - 2 eta <v-grad F, x^_t-x*>",
    refuses={
        "eta^2 ||v-grad F||^2": {"factor": "1"},
        "- eta <v-grad F, x^_t-x*>": {"twice": 1},
    },
)
def noise_of_step(factor: str = "2", twice: int = 2) -> Outcome:
    """x_t - x* is x_t - x^_t and x^_t - x* [step "apart"]; then :func:`_step_size_squared`."""
    e, x, exact, best, eta = symbols("e x_t x_hat x_best eta", real=True)
    product = -2 * eta * e * (x - exact) - twice * eta * e * (exact - best)
    return derived(
        apart=identity((-2 * eta * e * (x - best), product)),
        product=_step_size_squared(factor),
    )


@statement(
    "004 (3.26)",
    lines="1044-1046",
    kind="approximation",
    printed="E||v_t - grad F(x_{t-1})||^2 <= 2L[gap(x_{t-1}) + gap(x~)] + sigma^2 p",
    false="the constant must be 4L; harmless, (3.27) has room for it",
    errata=("diss-3.1.1/E5",),
)
def variance_by_gaps() -> Outcome:
    """f_1 = x^2/2, f_2 = f_3 = 0, r = 0, no noise, at x = 1 and x~ = -1; L = 1."""
    thirds = [Fraction(2), Fraction(0), Fraction(0)]  # grad f_i(x) - grad f_i(x~)
    mean = sum(thirds, Fraction(0)) / 3
    variance = sum(((d - mean) ** 2 for d in thirds), Fraction(0)) / 3
    gap = Fraction(1, 6)
    return refuted({"n": 3, "x": 1.0, "snapshot": -1.0, "L": 1.0}, variance, 2 * (gap + gap))


def _variance(factor: str) -> Outcome:
    """The variance is at most E||D_i||^2, D_i = a_i - b_i the difference of two gradient changes.

    a_i = grad f_i(x) - grad f_i(x*) has E||a_i||^2 <= 2 L gap(x), because -grad F(x*) is a
    subgradient of r at x*; b_i the same at x~. ||a - b||^2 <= 2 ||a||^2 + 2 ||b||^2 [step "split"].
    """
    a, b, size, here, there = reals("a b L gap_x gap_snapshot")
    return derived(
        cocoercive=convexity.cocoercive(),
        split=for_all(
            (a - b) ** 2 <= rational(factor) * size * (here + there),
            *(size > 0, here >= 0, there >= 0, a * a <= 2 * size * here, b * b <= 2 * size * there),
        ),
    )


@variance_by_gaps.corrected(
    "4L[gap(x_{t-1}) + gap(x~)] + sigma^2 p",
    refuses={"3.9 L": {"factor": "3.9"}, "sigma^2 p/2": {"share": "1/2"}},
)
def variance_by_gaps_corrected(factor: str = "4", share: str = "1") -> Outcome:
    """See :func:`_variance`; the noise is independent and adds its own [step "noise"]."""
    return derived(drawn=_variance(factor), noise=noise_of_estimator(share))


@statement(
    "004 (3.27)",
    lines="1048-1053",
    kind="optimisation",
    printed="E||x_t-x*||^2 <= ||x_{t-1}-x*||^2 - 2 eta E gap(x_t) + 16 eta^2 L[gap(x_{t-1}) + "
    "gap(x~)] + 4 eta^2 sigma^2 p",
    refuses={
        "4 eta^2 L": {"smooth": 4},
        "eta^2 sigma^2 p": {"noise": 1},
        "4 eta E gap(x_t)": {"progress": 4},
        "4 eta^2 sigma^2": {"dimension": 0},
    },
)
def recursion(smooth: int = 16, noise: int = 4, progress: int = 2, dimension: int = 1) -> Outcome:
    """(3.23) with (3.25) and the corrected (3.26); half of the last two terms is enough.

    The mean of v_t - grad F(x_{t-1}) is 0 and x^_t does not depend on the draw.
    """
    after, before, gap, variance, gaps = reals("after before gap variance gaps")
    eta, size, square, p = reals("eta L sigma2 p")
    bound = before - progress * eta * gap + smooth * eta * eta * size * gaps
    bound += noise * eta * eta * square * p**dimension
    return derived(
        variance=_variance("4"),
        sum=for_all(
            after <= bound,
            *(eta > 0, size > 0, gap >= 0, gaps >= 0, square >= 0, p >= 1, before >= 0),
            after <= before - 2 * eta * gap + 2 * eta * eta * variance,
            variance <= 4 * size * gaps + square * p,
        ),
    )


@statement(
    "004 (3.28)",
    lines="1055-1066",
    kind="optimisation",
    printed="E gap(x~_s) <= A E gap(x~_{s-1}) + 2 eta/(1-8L eta) sigma^2 p, A = "
    "1/(eta(1-8 eta L) mu m) + 8 L eta(m+1)/(m(1-8 L eta))",
    refuses={
        "eta/(1-8L eta) sigma^2 p": {"noise": 1},
        "m for m+1 in A": {"extra": 0},
        "half the first term of A": {"start": 1},
        "1/(eta mu m)": {"kept": 0},
        "sigma^2": {"dimension": 0},
        "sigma p": {"sigmas": 1},
    },
    unchecked={"x~_s": "the mean of the epoch, whose gap is at most S/m by Jensen's inequality"},
)
def epoch(
    noise: int = 2,
    extra: int = 1,
    start: int = 2,
    kept: int = 1,
    dimension: int = 1,
    sigmas: int = 2,
) -> Outcome:
    """Sum (3.27) over the epoch, S the sum of the gaps of x_1 ... x_m, gap_0 that of x~.

    The gaps of x_0 ... x_{m-1} add up to at most S + gap_0, and x~ counts m times [step "sum"];
    mu ||x~-x*||^2 <= 2 gap_0, and the gap at the mean is at most S/m (Jensen). Divided by
    2 m eta (1 - 8 L eta) it is the claim [step "divided"].

    Here contraction = A.
    """
    eta, a, mu, m, total, first, floor, end, begin = reals("eta a mu m S gap_0 floor end begin")
    right = start * first + 2 * eta * a * (m + extra) * mu * first
    before = 2 * eta * a * (total + (m + 1) * first) + 4 * m * eta * eta * floor
    gap, smooth, steps, strength, size, sigma, p = symbols("gap_0 L m mu eta sigma p")
    step = 8 * smooth * size
    bound = 2 / strength * gap + 2 * size * step * (steps + 1) * gap
    bound += 4 * steps * size**2 * sigma**2 * p
    contraction = 1 / (size * (1 - step) ** kept * strength * steps)
    contraction += 8 * smooth * size * (steps + 1) / (steps * (1 - step))
    claim = contraction * gap + 2 * size / (1 - step) * sigma**sigmas * p**dimension
    return derived(
        sum=for_all(
            2 * eta * (1 - a) * mu * total <= right + 2 * noise * m * eta * eta * mu * floor,
            *(eta > 0, a > 0, a < 1, mu > 0, m >= 1, total >= 0, first >= 0, floor >= 0),
            *(end >= 0, mu * begin <= 2 * first, end + 2 * eta * total <= begin + before),
        ),
        divided=identity((bound / (2 * steps * size * (1 - step)), claim)),
    )
