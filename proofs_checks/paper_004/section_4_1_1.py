"""Section 4.1.1: DP-PGD, its noise and its error.

a = ln(1/delta); rho = rho(epsilon, delta) solves rho + 2 sqrt(rho a) = epsilon.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial

import numpy as np
from mpmath import mp

from proofs_checks.balls import Ball, ball, exp, log, ndtr, pi, sqrt
from proofs_checks.basics import gaussian_delta
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004 import uniform_convergence
from proofs_checks.statement import Wrong, find
from proofs_checks.statement import not_checkable as never
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    every,
    for_all,
    identity,
    less,
    nonnegative,
    precisely,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball
from reference.errata.privacy.calibration import printed_advanced_composition_epsilon
from reference.losses import Linear
from reference.nonconvex.proximal_gradient_descent import constants_for
from reference.privacy.guarantees import zcdp_rho
from reference.proximal import L1Norm, proximal_step

PGD = ("diss-4.1.16",)
BOTH = (*PGD, "diss-4.1.19")
statement = partial(any_statement, algorithms=PGD)
not_checkable = partial(never, algorithms=PGD)

never(
    "004 Definition 4.1.1",
    lines="2663",
    kind="definition",
    printed="DP-ERM: minimise F^r(x, D) = mean f(x, z_i) + r(x)",
    reason="a definition of the problem, nothing to check",
    algorithms=BOTH,
)

ROWS = ("004 (4.4)", "004 (4.6)", "004 (4.7)", "004 Corollary 4.1.1")


@any_statement(
    "004 Table 4.1",
    lines="2677-2687",
    kind="utility",
    printed="G = L = 1, ||C||_2 <= 1: Algorithms 4.1.16, 4.1.17, 4.1.18 and 4.1.19 err by O((p a)"
    "^{1/4}/sqrt(n epsilon)), O((W a)^{1/4}/sqrt(n epsilon)), the same, and O(a^{1/4} sqrt(ln(np))/"
    "sqrt(n epsilon)), a = ln(1/delta), W = ||C||_2^2 + G_C^2",
    checked="as (4.4), (4.6), (4.7) and Corollary 4.1.1 give it, the last for the unit l1 ball",
    special_case_of=ROWS,
    refuses={
        "fourth roots as eighth roots": {"power": 8},
        "||C||_2 <= 2": {"largest": 2},
        **{f"an eighth root in {key[4:]}": {"eighth": key} for key in ROWS},
    },
    algorithms=BOTH,
)
def table(power: int = 4, largest: int = 1, eighth: str = "") -> Outcome:
    """(4.6) and (4.7) have ||C||_2 and ||C||_2^{3/2} before the entry, at most 1 [step "width"].

    At ||C||_2 = 1 they are the entry [step "entries"]; the theorems' checks run [step "theorems"].

    Here a = log(1/delta).
    """
    k, width, size, n, epsilon = symbols("k W a n epsilon")
    entry = (width * size) ** sp.Rational(1, power) / sp.sqrt(n * epsilon)
    bound = (width * size) ** sp.Rational(1, 4) / sp.sqrt(n * epsilon)
    root = reals("root")  # of ||C||_2
    checks = [(find(key).true_check, 8 if key == eighth else 4) for key in ROWS]
    return derived(
        width=for_all(
            z3.And(root**2 <= 1, root**3 <= 1), root > 0, root * root <= rational(largest)
        ),
        entries=identity(*(((k**half * bound).subs(k, 1), entry) for half in (1, Fraction(3, 2)))),
        theorems=every(*(item.check(power=root) for item, root in checks if item)),
    )


never(
    "004 (4.1)",
    lines="2689",
    kind="definition",
    printed="min over C of F^r(x, D) = mean f(x, z_i) + r(x)",
    reason="the problem of Definition 4.1.1, nothing to check",
    algorithms=BOTH,
)


not_checkable(
    "004 Assumption 4.1.1",
    lines="2693",
    kind="assumption",
    printed="F is L-smooth and f(., z) G-Lipschitz in l2",
    reason="an assumption on the user's loss; Definitions 4.0.1 and 4.0.2 check it for the sigmoid "
    "loss",
)


@statement(
    "004 (4.2)",
    lines="2695-2701",
    kind="definition",
    printed="P_C(x, g, gamma) = (x - x+)/gamma, x+ = argmin_C <g,u> + ||x-u||^2/(2 gamma) + r(u); "
    "= grad F if C = R^p, r = 0",
    refuses={"||x-u||^2/gamma": {"half": 1}},
    unchecked={
        "C, R": "the domain: none in the identity, an l1 ball in the search",
        "r": "0 in the identity, .3 ||u||_1 in the search",
    },
)
def projected_gradient(rng: np.random.Generator, half: int = 2) -> Outcome:
    """Without C and r the objective's slope vanishes at x - gamma g, g = grad F.

    With them the code's step is compared with other points: the objective is 1/gamma-strongly
    convex, which says by how much it must be better.
    """
    x, u, g = symbols("x u g", real=True)
    gamma = symbols("gamma")
    slope = sp.diff(g * u + (x - u) ** 2 / (half * gamma), u)
    worst = -math.inf
    for _ in range(100):
        at, direction, other = rng.standard_normal((3, 4))
        size = float(rng.uniform(0.05, 3))
        inside = L1Ball(1.0)
        step = proximal_step(
            at, direction, step_size=size, regularizer=L1Norm(0.3), constraint=inside
        )
        tried = inside.project(other)

        def objective(
            v: FloatArray, at: FloatArray = at, slope: FloatArray = direction, size: float = size
        ) -> float:
            return float(slope @ v + ((at - v) @ (at - v)) / (half * size) + 0.3 * abs(v).sum())

        gap = ((tried - step) @ (tried - step)) / (half * size)
        worst = max(worst, objective(step) - objective(tried) + float(gap))
    return definition(
        identity((slope.subs(u, x - gamma * g), 0)),
        searched(worst, 1e-12, tried=100, what="objective of the step less that of another point"),
    )


# ----------------------------------------------------------------------------------- privacy


def budget(epsilon: Ball, delta: Ball) -> Ball:
    """Enclose rho(epsilon, delta)."""
    a = -log(delta)
    return (sqrt(a + epsilon) - sqrt(a)) ** 2


MISPRINT = "misprinted for G, which the steps have"

LINEAR = {
    "loss": "G <a, x>, G = L = 1",
    "D, D'": "all a = e_2 but one, a = +e_1 against -e_1",
    "n": "large",
}


def delta_of_output(mu: Ball, epsilon: Ball, steps: int) -> Ball:
    """Return the exact delta of x_R alone, on :data:`LINEAR`; mu is that of all T iterates.

    x_R - x_1 is -gamma times the sum of R - 1 noisy gradients, so that its first coordinate has the
    sensitivity over the noise sqrt((R-1)/T) mu. R is seen on the second, where the common gradient
    moves x by gamma G a step and the noise, of order 1/n, tends to 0: the mean over R.
    """
    by_round = [gaussian_delta(mu * sqrt(ball(k) / steps), epsilon) for k in range(1, steps)]
    return sum(by_round, ball(0)) / steps


@statement(
    "004 Algorithm 4.1.16",
    lines="2705-2714",
    kind="privacy",
    printed="rho + 2 sqrt(rho log(1/delta)) = epsilon, sigma^2 = 2 L^2 T/(n^2 rho^2) is "
    "(epsilon, delta)-DP",
    false="rho^2 must be rho (a misprint: l.2738 has it right); not private for rho > 1",
    errata=("diss-4.1.16/E1",),
)
def noise_of_the_box() -> Outcome:
    """L = G: T releases that move by 2G/n have mu = sqrt(T) (2G/n)/sigma = sqrt(2) rho, for any T.

    See :func:`delta_of_output`. Too much noise for epsilon < 1 + 2 sqrt(log(1/delta)).
    """
    epsilon, delta, steps = ball(10), ball("0.01"), 100
    mu = sqrt(ball(2)) * budget(epsilon, delta)
    point = {
        **LINEAR,
        "epsilon": 10.0,
        "delta": 0.01,
        "T": steps,
        "exact delta of all iterates": float(gaussian_delta(mu, epsilon)),
    }
    return refuted(point, delta_of_output(mu, epsilon, steps), delta, "delta of x_R against delta")


def zcdp_noise(factor: int = 2, share: str = "1/2") -> Outcome:
    """T releases that move by 2G/n are rho-zCDP [step "budget"]: sqrt(2 rho)-Gaussian DP.

    The variance = sigma^2. With a = ln(1/delta), r = sqrt(rho), q = sqrt(a), epsilon = r^2 + 2 r q
    and mu = sqrt(2) r: mu/2 - epsilon/mu = -sqrt(2 a) [step "exponent"]. So the exact delta is at
    most Phi(-sqrt(2 a)), which is at most exp(-a)/2 = delta/2: Phi(-x) <= exp(-x^2/2)/2 for x >= 0
    [step "tail"; beyond .8 since Phi(-x) <= phi(x)/x].
    """
    r, q, T, size, n, rho = symbols("r q T G n rho")
    mu, epsilon = sp.sqrt(2) * r, r**2 + 2 * r * q
    variance = factor * size**2 * T / (n**2 * rho)
    part = ball(share)

    def slope(x: Ball) -> list[Ball]:
        return [exp(-(x**2) / 2) * (1 / sqrt(2 * pi()) - part * x)]

    beyond = less(1 / (part * sqrt(2 * pi())), ball("0.8"))
    tail = nonnegative(
        lambda x: part * exp(-(x**2) / 2) - ndtr(-x),
        {"x": (0, "0.8")},
        rest=beyond,
        gradient=slope,
    )
    return derived(
        budget=identity((T * (2 * size / n) ** 2 / (2 * variance), rho)),
        exponent=identity((mu / 2 - epsilon / mu, -sp.sqrt(2) * q)),
        tail=tail,
    )


TOO_SMALL: Wrong = {
    "sigma^2 = G^2 T/(n^2 rho)": {"factor": 1},
    "exact delta at most .45 delta": {"share": "0.45"},
}


@noise_of_the_box.corrected(
    "sigma^2 = 2 G^2 T/(n^2 rho), for every epsilon > 0 and delta in (0, 1); the exact delta is at "
    "most delta/2",
    refuses=TOO_SMALL,
)
def noise_by_zcdp(factor: int = 2, share: str = "1/2") -> Outcome:
    """See :func:`zcdp_noise`."""
    return zcdp_noise(factor, share)


@statement(
    "004 Theorem 4.1.1",
    lines="2718-2722",
    kind="privacy",
    printed="constants c, c_1: DP-PGD is (epsilon, delta)-DP for 0 < epsilon < c_1 T, 0 < delta < "
    "1 with (4.3) sigma^2 = c G^2 T ln(1/delta)/(n^2 epsilon^2)",
    false="mu = 2 epsilon/sqrt(c ln(1/delta)) does not depend on T: epsilon = 2 c ln(1/delta) "
    "refutes any c",
    errata=("diss-4.1.16/E3",),
)
def universal_constant() -> Outcome:
    """At epsilon = 2 c a and an even T > epsilon/c_1 half of the rounds R have mu_R^2 >= 4 epsilon.

    Of all iterates mu^2 = 4 epsilon^2/(c a) = 8 epsilon, and mu_R^2 >= mu^2/2 for R - 1 >= T/2
    (:func:`delta_of_output`): delta is at least half of :func:`least_delta`.
    """
    delta = ball("0.01")
    all_iterates = 2 * ball(100) / sqrt(12 * log(ball(100)))
    point = {
        **LINEAR,
        "c": "any >= 1",
        "epsilon": "2 c ln(1/delta)",
        "delta": 0.01,
        "T": "any above epsilon/c_1",
        "at c = 12, epsilon = 100, delta of all iterates": float(
            gaussian_delta(all_iterates, ball(100))
        ),
        "of x_R, T = 100": float(delta_of_output(all_iterates, ball(100), 100)),
    }
    return refuted(point, least_delta(delta) / 2, delta, "lower bound of x_R's delta against delta")


def least_delta(delta: Ball) -> Ball:
    """Bound the exact delta from below: mu^2 >= 4 epsilon, epsilon = 2 c ln(1/delta), any c >= 1.

    At mu^2 = 4 epsilon, delta = Phi(mu/4) - e^(mu^2/4) Phi(-3mu/4) >= Phi(mu/4) - exp(-mu^2/32)/2
    increases in mu, and mu >= 2 sqrt(2 ln(1/delta)); a larger mu or a smaller c tells more.
    """
    mu = 2 * sqrt(2 * log(1 / delta))
    return ndtr(mu / 4) - exp(-(mu**2) / 32) / 2


@universal_constant.corrected(
    "c = 2(1+sqrt 2)^2 = 11.657 and epsilon <= ln(1/delta)",
    refuses={"c = 11.6": {"constant": "11.6"}, "epsilon <= 1.1 ln(1/delta)": {"most": "1.1"}},
)
def valid_constant(constant: str = "", most: str = "1") -> Outcome:
    """(4.3) is at least 2 G^2 T/(n^2 rho), the variance of the corrected Algorithm 4.1.16.

    With a = ln(1/delta), s = sqrt(a + epsilon), q = sqrt(a): epsilon = s^2 - q^2, rho = (s - q)^2,
    and their ratio is c q^2/(2 (s+q)^2) [step "ratio"], at least 1 if s^2 <= 2 q^2 [step
    "constant", w = sqrt 2], and c is 11.657 to three digits [step "number"].
    """
    c, q, s, T, size, n = symbols("c q s T G n")
    printed = c * size**2 * T * q**2 / (n**2 * (s**2 - q**2) ** 2)
    needed = 2 * size**2 * T / (n**2 * (s - q) ** 2)
    x, y, w = reals("s q w")
    value = rational(constant) if constant else 2 * (1 + w) * (1 + w)
    return derived(
        zCDP=zcdp_noise(),
        ratio=identity((printed / needed, c * q**2 / (2 * (s + q) ** 2))),
        constant=for_all(
            value * y * y >= 2 * (x + y) * (x + y),
            *(w > 0, w * w == 2, y > 0, x > y, x * x <= (1 + rational(most)) * y * y),
        ),
        number=for_all(
            z3.Abs(2 * (1 + w) * (1 + w) - rational("11.657")) <= rational("0.0005"),
            *(w > 0, w * w == 2),
        ),
    )


universal_constant.restated(
    "004 (4.3)",
    lines="2722",
    printed="sigma^2 = c G^2 T ln(1/delta)/(n^2 epsilon^2) makes DP-PGD (epsilon, delta)-DP",
)


@statement(
    "004 Remark 4.1.1",
    lines="2730-2732",
    kind="remark",
    printed="returning the iterate with the smallest gradient norm is not differentially private",
    checked="not (1, 0.01)-DP with the noise for that, the iterate chosen by exact gradients",
    refuses={"not (6, 0.01)-DP": {"claimed": "6"}, "after one step": {"steps": 1}},
)
def argmin_is_not_private(claimed: str = "1", steps: int = 4000) -> Outcome:
    """Bound an event of the released iterate in closed form.

    Mean of quadratics near the minimiser m (Huber losses of threshold G), step size 1: iterates
    x_2..x_T are independent N(m, sigma^2), and the one with the smallest exact gradient is the
    nearest to m. Moving one record by G moves m by G/n. Event: |x - m| < G/(2n). It has
    probability 1-q under D with q = (1-p)^(T-1), p = P(|N(0, sigma^2)| < G/(2n)); under D' the
    chosen one is then farther than G/(2n) from m', of probability q. The range where a loss is
    quadratic is left with probability below T 2 Phi(-G/(4 sigma)). R uniform is a post-processing.
    """
    delta, n = 1e-2, 10**4

    def event() -> list[tuple[dict[str, float], mp.mpf, mp.mpf]]:
        sigma = mp.sqrt(2 * steps / mp.mpf(n) ** 2 / mp.mpf(zcdp_rho(1.0, delta)))
        p = 2 * mp.ncdf(1 / (2 * n * sigma)) - 1
        q = (1 - p) ** (steps - 1)
        left = 2 * steps * mp.ncdf(-1 / (4 * sigma))
        at_most = mp.exp(mp.mpf(claimed)) * (q + left) + mp.mpf(delta)
        return [({"T": steps, "n": n}, at_most, 1 - q - left)]

    note = "e^epsilon P'(E) + delta against P(E)"
    return precisely(event, digits=30, note=note)


@statement(
    "004 l.2738 (noise)",
    lines="2738",
    kind="privacy",
    printed="sigma^2 = 2 L^2 T/(n^2 (sqrt(log(1/delta)+epsilon) - sqrt(log(1/delta)))^2), L "
    "smoothness",
    added="the queries depend on the past measurably",
    false="the sensitivity is 2G/n; L is the smoothness in this section (a misprint)",
    errata=("diss-4.1.16/E2",),
)
def smoothness_for_lipschitz() -> Outcome:
    """Sigmoid loss on unit rows: G/L = (1/4) 6 sqrt 3, mu = sqrt(2 rho) G/L.

    Small steps stay where the loss is linear, with the slope G: :func:`delta_of_output` at T = 2,
    where x_R is x_2 with probability 1/2 and public otherwise.
    """
    delta = ball("1e-5")
    mu = sqrt(2 * budget(ball(1), delta)) * 3 * sqrt(ball(3)) / 2
    point = {
        "loss": "sigmoid, unit rows",
        "G": 0.25,
        "L": 1 / (6 * math.sqrt(3)),
        "epsilon": 1.0,
        "delta": 1e-5,
        "T": 2,
        "exact delta of all iterates": float(gaussian_delta(mu, ball(1))),
    }
    return refuted(point, delta_of_output(mu, ball(1), 2), delta, "delta of x_R against delta")


@smoothness_for_lipschitz.corrected(
    "G for L",
    refuses=TOO_SMALL,
    unchecked={
        "L": MISPRINT,
    },
)
def lipschitz_for_smoothness(factor: int = 2, share: str = "1/2") -> Outcome:
    """See :func:`zcdp_noise`."""
    return zcdp_noise(factor, share)


@statement(
    "004 l.2738 (rho)",
    lines="2738",
    kind="identity",
    printed="sqrt(rho) = sqrt(log(1/delta)) + epsilon - sqrt(log(1/delta)) solves "
    "rho + 2 sqrt(rho log(1/delta)) = epsilon",
    checked="with sqrt(log(1/delta) + epsilon)",
    misprint="the root ends before epsilon",
    errata=("diss-4.1.16/E9",),
    refuses={"sqrt(log(1/delta) + 2 epsilon)": {"factor": 2}},
)
def root(factor: int = 1) -> Outcome:
    """A root of a quadratic equation in sqrt(rho).

    Here found = sqrt(rho) and a = log(1/delta).
    """
    epsilon, a = symbols("epsilon a")
    found = sp.sqrt(a + factor * epsilon) - sp.sqrt(a)
    return identity((found**2 + 2 * found * sp.sqrt(a), epsilon))


@statement(
    "004 l.2738 (approximation)",
    lines="2738",
    kind="approximation",
    printed="sigma^2 ~ 8 L^2 T log(1/delta)/(n^2 epsilon^2) when epsilon/log(1/delta) << 1",
    checked="exact over approximate is between 1 and 1 + x/2, x = epsilon/log(1/delta), with G "
    "for L",
    misprint="the smoothness L for the Lipschitz constant G",
    errata=("diss-4.1.16/E2",),
    refuses={
        "4 L^2 T": {"factor": 4},
        "at most 1 + x/3": {"share": "1/3"},
        "L for L^2": {"sizes": 1},
        "without T": {"steps": 0},
        "n epsilon^2": {"records": 1},
    },
    unchecked={
        "L": MISPRINT,
    },
)
def taylor(
    factor: int = 8, share: str = "1/2", sizes: int = 2, steps: int = 1, records: int = 2
) -> Outcome:
    """With q = sqrt(a), s = sqrt(a + epsilon) the ratio is (y+1)^2/4, y = s/q = sqrt(1 + x).

    Here exact = sigma^2 and a = log(1/delta).
    """
    q, y, G, T, n = symbols("q y G T n")
    s = y * q
    exact = 2 * G**2 * T / (n * (s - q)) ** 2
    approximate = factor * G**sizes * T**steps * q**2 / (n**records * (s**2 - q**2) ** 2)
    z = reals("y")
    ratio = (z + 1) * (z + 1) / 4
    return every(
        identity((exact / approximate, (y + 1) ** 2 / 4)),
        for_all(ratio >= 1, z >= 1),
        for_all(ratio <= 1 + rational(share) * (z * z - 1), z >= 1),
    )


@statement(
    "004 Fig. 4.4",
    lines="2738, 2899",
    kind="experiment",
    printed="the zCDP calibration adds less noise than advanced composition",
    refuses={"at most a tenth of it": {"times": 10.0}},
)
def less_noise(times: float = 1.0) -> Outcome:
    """Classical Gaussian mechanisms (Definition 2.1.3) composed by Lemma 2.1.5.

    The total delta is T (delta/2T) + delta/2.
    """
    worst, tried = 0.0, 0
    for delta, epsilon, releases in itertools.product(
        (1e-2, 1e-4, 1e-8), (0.01, 0.1, 0.5, 0.999), (1, 10, 1000, 10**5)
    ):
        step = printed_advanced_composition_epsilon(epsilon, delta / 2, releases=releases)
        advanced = 2 * math.sqrt(2 * math.log(1.25 / (delta / (2 * releases)))) / step
        ours = constants_for(
            Linear(), n=1, epsilon=epsilon, delta=delta, n_iterations=releases, method="zcdp"
        )
        worst = max(worst, ours.noise_scale / advanced)
        tried += 1
    return searched(times * worst, 1, tried=tried, what="zCDP noise over advanced composition's")


# ------------------------------------------------------------------------------------- utility


def one_step(step: str = "2") -> Outcome:
    """F^r falls by (gamma - L gamma^2/2) ||g||^2 - gamma <eps, g>, in any norm and its dual.

    By smoothness and Lemma 4.1.2 [step "descent", a = <grad F, g>, e = <eps, g>, N = ||g||^2;
    l.2932 prints + for the last sign, harmless below]. At gamma = 1/(2L) that is at least
    ||g||^2/(4L) - ||eps||^2/(2L) [step "step size", e^2 <= N ||eps||^2].
    """
    risk, penalty, gamma, size, square, a_g, e_g = reals("risk penalty gamma L N a e")
    noisy = reals("noise")
    least = gamma * square - size * gamma * gamma * square / 2 - gamma * e_g
    return derived(
        descent=for_all(
            risk + penalty <= -least,
            *(gamma > 0, size > 0, square >= 0),
            risk <= -gamma * a_g + size * gamma * gamma * square / 2,
            gamma * a_g >= gamma * square + penalty - gamma * e_g,
        ),
        step_size=for_all(
            -least <= -square / (4 * size) + noisy / (2 * size),
            *(size > 0, rational(step) * size * gamma == 1, square >= 0, noisy >= 0),
            e_g * e_g <= square * noisy,
        ),
    )


def mean_square_gradient(
    gap: str = "4",
    noise: str = "2",
    power: int = 4,
    step: str = "2",
    moment: int = 2,
) -> Outcome:
    """Sum :func:`one_step` over T steps, E||eps||^2 = p sigma^2.

    E||g_R||^2 <= 4L (F^r(x_1) - min F^r)/T + 2 p sigma^2 [step "sum"]. With (4.3) and T = t n
    epsilon/sqrt(p a) it is a constant times sqrt(p a)/(n epsilon) [step "rate"], and E Z <=
    sqrt(E Z^2) [step "mean"]. Here a = log(1/delta).
    """
    total, size, T, drop, variance = reals("mean_square L T drop variance")
    p, a, n, epsilon, t, c, lipschitz, smoothness, first = symbols("p a n epsilon t c G L drop")
    rounds = t * n * epsilon / sp.sqrt(p * a)
    bound = 4 * smoothness * first / rounds
    bound += 2 * p * c * lipschitz**2 * rounds * a / (n * epsilon) ** 2
    constant = 4 * smoothness * first / t + 2 * c * lipschitz**2 * t
    rate = (p * a) ** sp.Rational(1, power) / sp.sqrt(n * epsilon)
    square, mean, spread = reals("square mean spread")
    return derived(
        step=one_step(step),
        mean=for_all(mean**2 <= square, mean >= 0, spread >= 0, square == mean * mean + spread),
        sum=for_all(
            T * total <= rational(gap) * size * drop + rational(noise) * T * variance,
            *(size > 0, T >= 1, drop >= 0, variance >= 0, total >= 0),
            T * total <= 4 * size * (drop + T * variance / (2 * size)),
        ),
        rate=identity((bound, constant * rate**moment)),
    )


@statement(
    "004 Theorem 4.1.2",
    lines="2724-2728, 2926-2962",
    kind="utility",
    printed="gamma = 1/(2L), T = O(n epsilon/sqrt(p ln(1/delta))): E||g_{C,R}||_2 <= "
    "O((p ln(1/delta))^{1/4}/sqrt(n epsilon)), g = (x_R - x_{R+1})/gamma",
    refuses={
        "2L (F^r(x_1) - min F^r)/T": {"gap": "2"},
        "p sigma^2 for 2 p sigma^2": {"noise": "1"},
        "(p ln(1/delta))^{1/8}": {"power": 8},
        "gamma = 1/L": {"step": "1"},
        "E||g||_2^2 for E||g||_2": {"moment": 1},
    },
    unchecked={
        "x_R, x_{R+1}": "g is defined by them; the steps have its squared norm",
    },
)
def pgd_error(
    gap: str = "4", noise: str = "2", power: int = 4, step: str = "2", moment: int = 2
) -> Outcome:
    """See :func:`mean_square_gradient`."""
    return mean_square_gradient(gap, noise, power, step, moment)


pgd_error.restated(
    "004 (4.4)",
    lines="2726",
    printed="E||g_{C,R}||_2 <= O((p ln(1/delta))^{1/4}/sqrt(n epsilon))",
)


# ----------------------------------------------------------------------------- population risk


not_checkable(
    "004 Assumption 4.1.2",
    lines="2746",
    kind="assumption",
    printed="gradients are tau-sub-Gaussian",
    reason="an assumption on the population",
)

not_checkable(
    "004 Assumption 4.1.3",
    lines="2752",
    kind="assumption",
    printed="the population Hessian is bounded by H <= tau^2 p^c, the loss's Hessian is Lipschitz "
    "with L <= tau^3 p^c",
    reason="an assumption on the population",
)


@statement(
    "004 Theorem 4.1.3",
    lines="2756-2758, 2964-2975",
    kind="utility",
    printed="n >= Omega(p log p): with probability 1 - beta, E||population gradient at x_R|| <= "
    "O(sqrt(tau^2 p log(tau/beta) log n/n) + (p log(1/delta))^{1/4}/sqrt(n epsilon))",
    checked="with G sqrt(C p log n/n) of the corrected Lemma 4.1.3 for the first term, C = 28 + 6 "
    "log((1 + 2rL/G)/beta): tau/beta is no pure number (l.2974 prints sqrt for the fourth root)",
    added="gradients at most G and L-Lipschitz; the iterates stay in a ball of radius r (C)",
    refuses={
        "p sigma^2 for 2 p sigma^2": {"noise": "1"},
        "C = 27 + ...": {"constant": "27"},
        "without the second term": {"second": 0},
        "(p log(1/delta))^{1/8}": {"power": 8},
        "rL/G for 2rL/G": {"points": 1},
    },
    unchecked={
        "tau": "not in what is checked, which has G and C for it: tau/beta is no pure number",
    },
)
def population_gradient(
    noise: str = "2", constant: str = "28", second: int = 1, power: int = 4, points: int = 2
) -> Outcome:
    """The triangle inequality at x_R, whatever it depends on, and the mean over the algorithm.

    [step "triangle"], with :func:`mean_square_gradient` for the sample gradient and
    :func:`proofs_checks.paper_004.uniform_convergence.gradients` for the supremum.
    """
    population, sample, supremum, bound = reals("population sample supremum bound")
    return derived(
        empirical=mean_square_gradient(noise=noise, power=power),
        uniform=uniform_convergence.gradients(constant, points=points),
        triangle=for_all(
            population <= supremum + second * bound,
            *(sample >= 0, supremum >= 0, bound >= 0),
            *(population <= supremum + sample, sample <= bound),
        ),
    )


@statement(
    "004 (4.5)",
    lines="2758",
    kind="utility",
    printed="O(sqrt(tau^2 p log(tau/beta) log n/n) + (p log(1/delta))^{1/4}/sqrt(n epsilon)) = "
    "O(tau sqrt(p log(tau/beta) log n sqrt(log(1/delta))/(n epsilon)))",
    checked="the sum is at most twice the right side",
    added="tau >= 1 and log(tau/beta), log n, log(1/delta) >= 1 (for tau near 0 the second term is "
    "the larger one); that the sum is a bound is Theorem 4.1.3",
    refuses={
        "1.9 times": {"factor": "1.9"},
        "log^(1/4)(1/delta)": {"power": 1},
        "n^2 epsilon": {"records": 2},
        "sqrt(tau)": {"scale": 1},
    },
)
def both_errors(factor: str = "2", power: int = 2, records: int = 1, scale: int = 2) -> Outcome:
    """With s^4 = log(1/delta), q^4 = p: A^2 = k q^4/n, B^2 = q^2 s^2/(n epsilon).

    C^2 = k q^4 s^2/(n epsilon), k = tau^2 log(tau/beta) log n >= 1; A^2, B^2 <= C^2, times n.
    """
    k, q, s, epsilon, a, b, c = reals("k q s epsilon A B C")
    tau, logs = reals("tau logs")
    t, m, n, e, root, fourth = symbols("tau logs n epsilon s q")
    right = t**scale * m * fourth**4 * root**power / (n**records * e)
    sizes = (
        *(k >= 1, q >= 1, s >= 1, epsilon > 0, epsilon <= 1, a >= 0, b >= 0, c >= 0),
        *(a * a == k * q**4, b * b * epsilon == q * q * s * s),
        c * c * epsilon == k * q**4 * s**power,
    )
    return every(
        for_all(tau * tau * logs >= 1, tau >= 1, logs >= 1),
        identity((right, t**2 * m * fourth**4 * root**power / e / n)),
        for_all(a <= c, *sizes), for_all(b <= c, *sizes),
        for_all(a + b <= rational(factor) * c, a >= 0, b >= 0, a <= c, b <= c),
    )  # fmt: skip


not_checkable(
    "004 Remark 4.1.2",
    lines="2760",
    kind="remark",
    printed="privacy turns the sample size n into n epsilon",
    reason="a comparison of orders of magnitude",
)
