"""Section 3.2.6: proofs of Lemma 3.2.2 and of Theorem 3.2.5 (Algorithm 3.2.7)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from proofs_checks.balls import ball, exp, log, ndtr
from proofs_checks.basics import one_norm
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray

statement = partial(any_statement, algorithms=("diss-3.2.7",))
descent = partial(any_statement, algorithms=("diss-3.2.7", "diss-3.2.8"))


# ------------------------------------------------------------------------- the net


def _covering_number(points: FloatArray, radius: float) -> int:
    """Return the size of a greedy net: chosen points are > radius apart and cover all points."""
    left, count = points, 0
    while len(left):
        left = left[np.linalg.norm(left - left[0], axis=1) > radius]
        count += 1
    return count


@statement(
    "004 covering number",
    lines="1772",
    kind="approximation",
    printed="W of diameter Delta has a delta-net of (3 Delta/(2 delta))^d points",
    added="delta <= Delta/2, that is n beta^ Delta >= 2 at the delta used",
    refuses={"(1.4 Delta/delta)^d": {"factor": "1.4"}, "^(d/2)": {"power": "1/2"}},
    unchecked={"W": "any set of this diameter; the steps have the balls that it contains"},
)
def covering(rng: np.random.Generator, factor: str = "3/2", power: str = "1") -> Outcome:
    """N <= (1 + Delta/delta)^d: a maximal set of points more than delta apart.

    Balls of radius delta/2 around them are disjoint and lie in a set of diameter Delta + delta,
    whose volume is at most that of a ball of that diameter (isodiametric inequality, cited) [step
    "volumes"]. For
    delta <= Delta/2 this is at most (3 Delta/(2 delta))^d [step "ratio"]. Greedy nets of boxes and
    balls are counted [step "nets"].
    """
    y = reals("y")
    size, width, dimension = symbols("Delta delta d")
    balls = ((size + width) / 2) ** dimension / (width / 2) ** dimension
    claimed = (1 + size / width) ** (sp.Rational(power) * dimension)
    worst, tried = 0.0, 0
    for d, share in product((1, 2, 3), (0.5, 0.2)):
        box = rng.uniform(-1, 1, (1500, d)) * rng.uniform(0.2, 1, d)
        round_set = rng.standard_normal((1500, d))
        round_set /= np.maximum(np.linalg.norm(round_set, axis=1, keepdims=True), 1)
        for points in (box, round_set):
            # of at least the sampled points' diameter
            diameter = float(np.linalg.norm(np.ptp(points, axis=0)))
            diameter = min(diameter, 2 * float(np.linalg.norm(points, axis=1).max()))
            worst = max(worst, _covering_number(points, share * diameter) / (1.5 / share) ** d)
            tried += 1
    return derived(
        volumes=identity((balls, claimed)),
        ratio=for_all(1 + y <= rational(factor) * y, y >= 2),
        nets=searched(worst, 1.0, tried=tried, what="greedy nets over the bound"),
    )


@statement(
    "004 Lemma 3.2.2, probability",
    lines="1549, 1836-1854",
    kind="concentration",
    printed="delta = 1/(n beta^), s = O(tau d log(n beta^ Delta)), t accordingly: (3.86), (3.87) "
    "hold with probability 1 - 2dn/(1 + n beta^ Delta)^d",
    checked="s = 2 tau (d log(3X/2) + d log(1+X) + log 2) <= 9 tau d log X, X = n beta^ Delta",
    added="X >= 2",
    refuses={
        "half of dn/(1+X)^d": {"factor": "1/4"},
        "s <= 8 tau d log X": {"constant": "8"},
        "s = tau (..)": {"twice": 1},
    },
)
def probability(factor: str = "1", constant: str = "9", twice: int = 2) -> Outcome:
    """With N = (3X/2)^d centres, (3.87) fails with probability 2dnN e^{-s/(2 tau)}.

    Here X = n beta^ Delta and delta = 1/(n beta^). That is dn/(1+X)^d [step "records"], as
    min{s/2tau, s^2/2tau^2} is the first for s >= tau, and s/(2 tau) >= log 2 + d log 3 > 1/2. With
    E = s/(2 tau) and t = 2 tau max{E/n, sqrt(E/2n)} the exponent in (3.86) is at least E [step
    "means"], so (3.86) fails with probability d/(1+X)^d; both together 2dn/(1+X)^d at most [step
    "together"]. s/(tau d) is largest at d = 1; with y = log X it is 4y + 2 log 3 + 2 log(1 + e^-y)
    there, so that (c - 4) y less it grows with y, and is positive at y = log 2 [step "constant"].
    """
    d, n, centres, grown = symbols("d n N Y")  # N = (3X/2)^d and Y = (1+X)^d
    tau = symbols("tau")
    s = twice * tau * (sp.log(centres) + sp.log(grown) + sp.log(2))
    exponential = sp.exp(-s / (2 * tau))
    # t in units of 2 tau, the larger of u and w; x for 1/(1+X)^d
    m, x, e, t, u, w = reals("n x E t u w")
    dn = reals("dn")
    two = log(ball(2))
    return derived(
        records=identity((2 * d * n * centres * exponential, d * n / grown)),
        means=for_all(
            z3.And(m * t >= e, 2 * m * t * t >= e),
            *(m >= 1, e > 0, t >= u, t >= w, u >= 0, w >= 0, m * u == e, 2 * m * w * w == e),
        ),
        together=for_all(
            dn * m * x + dn * x <= 2 * rational(factor) * dn * m * x, m >= 1, dn >= 1, x > 0
        ),
        constant=less(
            twice * (2 * two + log(ball(3)) + log(1 + ball("1/2"))), ball(constant) * two
        ),
    )


# --------------------------------------------------------------------- (3.85)-(3.92)


@statement(
    "004 (3.85)",
    lines="1804-1810",
    kind="identity",
    printed="|Trim_m - mu| <= (|sum over all (x_i - mu)| + |sum over the trimmed (x_i - mu)|)/"
    "(n - 2m)",
    refuses={"over n": {"trimmed": 0}, "half of the second sum": {"share": "1/2"}},
)
def trimmed_sums(trimmed: int = 2, share: str = "1") -> Outcome:
    """A and B are the sums over all and over the 2m trimmed records."""
    a, b, mu, n, m = sp.symbols("A B mu n m")
    kept = ((a - n * mu) - (b - 2 * m * mu)) / (n - trimmed * m)
    x, y = reals("x y")
    return every(
        identity(((a - b) / (n - 2 * m) - mu, kept)),
        for_all(z3.Abs(x - y) <= z3.Abs(x) + rational(share) * z3.Abs(y)),
    )


def bernstein(
    tail: str = "1/2", *, sides: int = 2, power: int = 1, records: int = 1, scale: int = 2
) -> Outcome:
    """Chernoff's bound of a mean of n tau-sub-exponential variables, then a union.

    The exponent is n (l t - tau^2 l^2/2) for 0 <= l <= 1/tau [step "exponent", lambda = l tau]. In
    r = t/tau the part lambda r - lambda^2/2 of each record, |lambda| <= 1, is r^2/2 for r <= 1
    [step "near", lambda = r] and r - 1/2 >= r/2 beyond [step "far", lambda = 1]. Each failure p
    counts once per side, coordinate, centre (and record): 2 k of them, by induction [step "union"].
    """
    r, p, k, before = reals("r p k before")
    share = rational(tail)
    low = z3.If(share * r <= share * r * r, share * r, share * r * r)
    n, t, tau, rate = symbols("n t tau lambda")
    claimed = n**records * (rate * t / tau - rate**2 / 2)
    near = (n**records * t**2 / (2 * tau**scale), claimed.subs(rate, t / tau))
    return derived(
        exponent=identity(
            (n * (rate * t - tau**2 * rate**2 / 2).subs(rate, rate / tau), claimed), near
        ),
        near=for_all(r * r - r * r / 2 >= low, r >= 0, r <= 1),
        far=for_all(r - rational("1/2") >= low, r >= 1),
        union=for_all(
            before + 2 * p <= sides * ((k + 1) if power else 1) * p,
            *(k >= 0, p >= 0, before <= 2 * k * p),
        ),
    )


@statement(
    "004 (3.86)",
    lines="1814-1818",
    kind="concentration",
    printed="N centres, d coordinates: a mean of n gradients deviates by more than t with "
    "probability <= 2dN exp(-n min{t/2tau, t^2/2tau^2})",
    refuses={
        "exp(-n min{2t/3tau, 2t^2/3tau^2})": {"tail": "2/3"},
        "dN": {"sides": 1},
        "2": {"power": 0},
        "n^2 min{..}": {"records": 2},
        "t^2/2tau": {"scale": 1},
    },
)
def deviation_of_means(
    tail: str = "1/2", sides: int = 2, power: int = 1, records: int = 1, scale: int = 2
) -> Outcome:
    """See :func:`bernstein`, k = dN."""
    return bernstein(tail, sides=sides, power=power, records=records, scale=scale)


@statement(
    "004 (3.87)",
    lines="1814-1822",
    kind="concentration",
    printed="one of n records deviates by more than s with probability <= 2dnN "
    "exp(-min{s/2tau, s^2/2tau^2})",
    refuses={
        "exp(-min{2s/3tau, 2s^2/3tau^2})": {"tail": "2/3"},
        "dnN": {"sides": 1},
        "2": {"power": 0},
        "s^2/2tau": {"scale": 1},
    },
)
def deviation_of_records(
    tail: str = "1/2", sides: int = 2, power: int = 1, scale: int = 2
) -> Outcome:
    """See :func:`bernstein`, with means of one record, k = dnN and t for s."""
    return bernstein(tail, sides=sides, power=power, scale=scale)


def _averaged_lipschitz(factor: str, power: int) -> Outcome:
    """|p u + (1-p) v| <= beta delta if |u|, |v| <= beta delta [step "two values"]; by induction."""
    u, v, p, beta, delta = reals("u v p beta_j |w-w~|")
    mixed, bound = p * u + (1 - p) * v, beta * delta
    return derived(
        two_values=for_all(
            z3.Abs(mixed) <= rational(factor) * beta * delta**power,
            *(z3.Abs(u) <= bound, z3.Abs(v) <= bound, p >= 0, p <= 1, beta >= 0, delta >= 0),
        )
    )


@statement(
    "004 (3.88)",
    lines="1824-1828",
    kind="approximation",
    printed="|mean of grad_j l(w~, x_i) - mean of grad_j l(w, x_i)| <= beta_j |w - w~|",
    refuses={"0.9 beta_j": {"factor": "0.9"}, "|w - w~|^2": {"power": 2}},
)
def mean_is_lipschitz(factor: str = "1", power: int = 1) -> Outcome:
    """See :func:`_averaged_lipschitz`: an average of Lipschitz functions."""
    return _averaged_lipschitz(factor, power)


@statement(
    "004 (3.89)",
    lines="1828",
    kind="approximation",
    printed="|grad_j L(w~) - grad_j L(w)| <= beta_j delta",
    refuses={"0.9 beta_j": {"factor": "0.9"}, "delta^2": {"power": 2}},
    unchecked={"delta": "bounds |w-w~|, which the step has"},
)
def expectation_is_lipschitz(factor: str = "1", power: int = 1) -> Outcome:
    """See :func:`_averaged_lipschitz`: an average over the law of x."""
    return _averaged_lipschitz(factor, power)


def _moved(allowed: int) -> Outcome:
    near, expected_near, at, expected, t, move = reals("g~ G~ g G t move")
    return for_all(
        z3.Abs(at - expected) <= t + allowed * move,
        *(z3.Abs(near - expected_near) <= t, z3.Abs(near - at) <= move),
        z3.Abs(expected_near - expected) <= move,
    )


@statement(
    "004 (3.90)",
    lines="1832-1834",
    kind="approximation",
    printed="(3.86), (3.88), (3.89) => |mean of grad_j l(w, x_i) - grad_j L(w)| <= t + 2 beta_j "
    "delta",
    refuses={"t + beta_j delta": {"allowed": 1}},
)
def means_off_the_net(allowed: int = 2) -> Outcome:
    """Go to the net and back, with move = beta_j delta."""
    return _moved(allowed)


@statement(
    "004 (3.91)",
    lines="1832-1836",
    kind="approximation",
    printed="(3.87), (3.89) and beta_j-smoothness => max_i |grad_j l(w, x_i) - grad_j L(w)| <= "
    "s + 2 beta_j delta",
    refuses={"s + beta_j delta": {"allowed": 1}},
)
def records_off_the_net(allowed: int = 2) -> Outcome:
    """Go to the net and back with one record; t stands for s, move = beta_j delta."""
    return _moved(allowed)


@statement(
    "004 (3.92)",
    lines="1838-1846",
    kind="concentration",
    printed="E|grad~ - grad L| <= O(sqrt(d) (nt+ms)/(n-2m) + beta^ delta (m+n)/(n-2m) + "
    "tau d sqrt(T log n)/(sqrt(n) te))",
    added="(3.84) for every coordinate",
    repair="m of the order of (dT/te^2) log n, without which (3.84) is false",
    refuses={"(nt+ms)/(n-2m) without sqrt(d)": {"root": 0}, "(n - m) for (m + n)": {"sign": -1}},
    unchecked={"beta^": "the norm of the beta_j, of which |v| in the steps is a multiple"},
    errata=("diss-3.2.7/E2",),
)
def norm_of_errors(root: int = 1, sign: int = 1) -> Outcome:
    """Lemma 3.2.8 at t + 2 beta_j delta and s + 2 beta_j delta [step "combined"].

    The squares of u + v_j, v_j >= 0, add up to d u^2 + 2 u |v|_1 + |v|^2 [step "squares", by
    induction], |v|_1 <= sqrt(d) |v| [step "one norm", by induction], so that |(u + v_j)_j| <=
    sqrt(d) u + |v| [step "norm"], and E|Z| <= sqrt(E|Z|^2), d times (3.84) [step "noise"].

    Here move = beta_j delta.
    """
    n, m, t, s, move = symbols("n m t s move")
    combined = (n * (t + move) + m * (s + move)) / (n - 2 * m)
    u, size, total, count, width = reals("u |v| |v|_1 d sqrt_d")
    added, entry, entries, before = symbols("u v_j |v|_1 |v|^2")
    d, steps, tau, te = symbols("d T tau te")
    each = tau**2 * d * steps * sp.log(n) / (n * te**2)
    noise = tau * d * sp.sqrt(steps) * sp.sqrt(sp.log(n)) / (sp.sqrt(n) * te)
    return derived(
        combined=identity(
            (combined, (n * t + m * s) / (n - 2 * m) + (sign * m + n) / (n - 2 * m) * move)
        ),
        squares=identity(
            (
                d * added**2 + 2 * added * entries + before + (added + entry) ** 2,
                (d + 1) * added**2 + 2 * added * (entries + entry) + before + entry**2,
            )
        ),
        one_norm=one_norm(),
        norm=for_all(
            count * u * u + 2 * u * total + size * size <= (width * u + size) * (width * u + size),
            *(count >= 1, width > 0, width * width == count**root, u >= 0, total >= 0, size >= 0),
            total * total <= count * size * size,
        ),
        noise=identity((d * each, noise**2)),
    )


# --------------------------------------------------------------------- Theorem 3.2.5


@descent(
    "004 (3.93)",
    lines="1868-1880",
    kind="optimisation",
    printed="eta = 1/beta: |w - eta grad L(w) - w*|^2 <= (1 - 2 alpha/(alpha+beta)) |w - w*|^2",
    refuses={"1 - 2.1 alpha/(alpha+beta)": {"factor": "2.1"}},
)
def contraction(factor: str = "2") -> Outcome:
    """grad L(w) = H (w - w*) for the averaged Hessian H, with eigenvalues x in [alpha, beta].

    Co-coercivity is (x - alpha)(beta - x) >= 0 at each of them [step "co-coercive"]; the step
    multiplies the part of w - w* along each by 1 - x/beta [step "eigenvalue"].

    Here eta = 1/beta.
    """
    x, alpha, beta = symbols("x alpha beta")
    gap = x - alpha * beta / (alpha + beta) - x**2 / (alpha + beta)
    y, a, b = reals("x alpha beta")
    return derived(
        co_coercive=identity((gap, (x - alpha) * (beta - x) / (alpha + beta))),
        eigenvalue=for_all(
            (b - y) * (b - y) * (a + b) <= b * b * (a + b - rational(factor) * a),
            *(a > 0, a <= y, y <= b),
        ),
    )


@descent(
    "004 (3.94)",
    lines="1862-1888",
    kind="optimisation",
    printed="E|w^^t - w*| <= (1 - alpha/(alpha+beta)) E|w^{t-1} - w*| + error/beta; in total "
    "(1 - alpha/(alpha+beta))^T Delta + O(beta/alpha) error/beta",
    refuses={
        "1 - 1.1 alpha/(alpha+beta)": {"half": "0.55"},
        "(beta/alpha) error/beta": {"constant": 1},
        "(1 - alpha/(alpha+beta))^{T+1} Delta": {"more": 1},
        "(beta/alpha) error": {"inverse": 0},
    },
)
def step_bound(half: str = "1/2", constant: int = 2, more: int = 0, inverse: int = 1) -> Outcome:
    """sqrt(1 - x) <= 1 - x/2 with (3.93) [step "root"]; the projection does not expand (l.1864).

    From Delta on, T steps lead to q^T Delta plus the errors, by induction [steps "start",
    "induction"]. The errors add up to at most (1/beta)(1 + q + q^2 + ..) times one of them, q = 1 -
    alpha/(alpha+beta) [step "series"], and 1/(1 - q) <= 2 beta/alpha [step "sum"].
    """
    x, root, a, b = reals("x root alpha beta")
    q, t, far, error, beta = symbols("q T Delta error beta")

    def after(steps: Any) -> Any:
        return q ** (steps + more) * far + (1 - q**steps) / (1 - q) * error / beta**inverse

    return derived(
        root=for_all(
            root <= 1 - rational(half) * x, root * root == 1 - x, root >= 0, x >= 0, x <= 1
        ),
        start=identity((after(0), far)),
        induction=identity((q * after(t) + error / beta, after(t + 1))),
        series=identity(((1 - q ** (t + 1)) - q * (1 - q**t), 1 - q)),
        sum=for_all(a + b <= constant * b, a > 0, a <= b),
    )


def second_moment_share(rng: np.random.Generator, rate: float = 1.0) -> float:
    """Run noisy gradient descent on a quadratic; return its L2 distance over the recursion's.

    The error of a gradient is an adversarial bias, always away from w*, and independent noise.
    Means and variances are exact. The recursion is e_t = (1 - rate alpha/(alpha+beta)) e_{t-1} +
    (1/beta) sqrt(|bias|^2 + E|noise|^2), in L2 norm by Minkowski's inequality.
    """
    alpha, beta = sorted(float(v) for v in rng.uniform(0.1, 3, 2))
    eigenvalues = np.array([alpha, float(rng.uniform(alpha, beta)), beta])
    bias, noise = rng.exponential(size=3), rng.exponential(size=3)
    mean, variance = rng.exponential(size=3), np.zeros(3)
    allowed = float(np.linalg.norm(mean))
    error = math.sqrt(float(bias @ bias + noise @ noise)) / beta
    share = 0.0
    for _ in range(30):
        kept = 1 - eigenvalues / beta
        mean = kept * mean + bias / beta
        variance = kept**2 * variance + (noise / beta) ** 2
        allowed = (1 - rate * alpha / (alpha + beta)) * allowed + error
        share = max(share, math.sqrt(float(mean @ mean + variance.sum())) / allowed)
    return share


@statement(
    "004 Theorem 3.2.5, proof",
    lines="1888-1894",
    kind="utility",
    printed="E|w^T - w*| <= B => E L(w^T) - L(w*) <= (beta/2) E|w^T - w*|^2 <= (beta/2) B^2",
    false="Jensen's inequality goes the other way",
    errata=("diss-3.2.7/E4",),
)
def jensen() -> Outcome:
    """One step from w* with d = 1: w^1 - w* is a multiple of Z = sinh(Y)."""
    square = (exp(ball(2)) - 1) / 2
    mean = exp(ball("1/2")) * (2 * ndtr(ball(1)) - 1)
    return refuted({"d": 1, "T": 1, "w^0": "w*"}, square, mean**2, "E Z^2 against (E|Z|)^2")


@jensen.corrected(
    "sqrt(E|w^t - w*|^2) <= (1 - alpha/(alpha+beta)) sqrt(E|w^{t-1} - w*|^2) + "
    "sqrt(E|error|^2)/beta, by Minkowski's inequality",
    refuses={"1 - 2 alpha/(alpha+beta)": {"rate": 2.0, "half": "1"}},
)
def recursion_in_l2(rng: np.random.Generator, rate: float = 1.0, half: str = "1/2") -> Outcome:
    """(3.93) and the root as in (3.94) [step "root"], then the triangle inequality of L2.

    Quadratics in d = 3 with biased noisy gradients, moments exact, 30 steps [step "runs"].
    """
    x, root = reals("x root")
    worst = max(second_moment_share(rng, rate) for _ in range(60))
    return derived(
        contracts=contraction_check(),
        root=for_all(
            root <= 1 - rational(half) * x, root * root == 1 - x, root >= 0, x >= 0, x <= 1
        ),
        runs=searched(worst, 1 + 1e-12, tried=60, what="L2 distance over the recursion's"),
    )


contraction_check = contraction.of_printed.check  # type: ignore[union-attr]


def rate_of_recursion(
    error: Any, rate: Callable[[SimpleNamespace], Any], *, steps: str = "1"
) -> Outcome:
    """Bound (beta/2)(q^T Delta + (2/alpha) error)^2, q = 1 - alpha/(alpha+beta).

    At T = 2 (beta/alpha) log n >= (1 + beta/alpha) log n [step "steps"] the first term is at most
    Delta/n: q^T <= exp(-T x), x = alpha/(alpha+beta), as -x - log(1 - x) is 0 at 0 and has slope
    x/(1 - x) >= 0 [step "tangent"]. The second term alone is 4 times the rate [step "rate"], which
    is the same in any units of w [step "units"]: for w = kappa u, alpha and beta go with kappa^2,
    tau with kappa, v with kappa^2 and Delta with 1/kappa. ``error`` is that of one gradient.
    """
    names = ("alpha", "beta", "Delta", "tau", "v")
    s = SimpleNamespace(**dict(zip(names, symbols(" ".join(names)), strict=True)))
    n, t, kappa, x = symbols("n T kappa x")
    count = 2 * sp.Rational(steps) * s.beta / s.alpha * sp.log(n)
    # error carries 1/te and, at T steps, sqrt(T)
    excess = s.beta / 2 * (2 / s.alpha * error.subs(t, count)) ** 2
    bound = rate(s)
    powers = {s.alpha: 2, s.beta: 2, s.Delta: -1, s.tau: 1, s.v: 2}
    other = bound.subs({name: name * kappa**power for name, power in powers.items()},
                       simultaneous=True)  # fmt: skip
    a, b, size, enough = reals("alpha beta log_n T")
    return derived(
        tangent=identity((sp.diff(-x - sp.log(1 - x), x), x / (1 - x))),
        steps=for_all(
            enough * a >= (a + b) * size,
            *(enough * a == 2 * rational(steps) * b * size, a > 0, a <= b, size >= 0),
        ),
        rate=identity((excess, 4 * sp.Rational(steps) * bound)),
        units=identity((other, bound)),
    )


@descent(
    "004 te = O(epsilon/sqrt(log(1/delta)))",
    lines="1894",
    kind="approximation",
    printed="te = sqrt(2a + 2 epsilon) - sqrt(2a) = O(epsilon/sqrt(a))",
    checked="0.8 epsilon/sqrt(2a) <= te <= epsilon/sqrt(2a); the rate needs the lower bound, for "
    "epsilon <= a",
    refuses={"te <= 0.9 epsilon/sqrt(2a)": {"top": "0.9"}, "te >= 0.9 of it": {"low": "0.9"}},
)
def budget_bounds(top: str = "1", low: str = "4/5") -> Outcome:
    """With y = sqrt(2a) and 1 + epsilon/a = r^2, te = y (r - 1) and epsilon = y^2 (r^2 - 1)/2."""
    y, r = reals("y r")
    te, share = y * (r - 1), y * (r * r - 1) / 2  # epsilon/sqrt(2a)
    return every(
        for_all(te <= rational(top) * share, y > 0, r >= 1),
        for_all(te >= rational(low) * share, y > 0, r >= 1, r * r <= 2),
    )
