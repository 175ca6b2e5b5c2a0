"""Section 4.1: the Gaussian mixture model."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import numpy as np

from proofs_checks.balls import ball, exp
from proofs_checks.em import mixture as em_mixture
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.facts import (
    excess_of_truncation,
    half_tail,
    noise_of_batches,
    squares_add_up,
    statistical_order,
    symmetric_in_sign,
)
from proofs_checks.paper_002.populations import (
    full_norm_ratio,
    grid,
    mixture_fixed_point,
    mixture_map,
)
from proofs_checks.statement import Wrong, not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    rare,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.em.models import GaussianMixture
from reference.errata.em.models import PrintedMixture
from reference.privacy.ledger import Ledger
from reference.sparse.peeling import noisy_hard_thresholding

MIXTURE = ("zhang-3",)
statement = partial(any_statement, algorithms=MIXTURE)

not_checkable(
    "002 (4)",
    lines="219-223",
    kind="definition",
    printed="Y = Z beta* + e, e ~ N(0, sigma^2 I), P(Z = 1) = P(Z = -1) = 1/2",
    reason="the Gaussian mixture model",
    algorithms=MIXTURE,
)


@any_statement(
    "002 Section 4.1, weight",
    lines="231",
    kind="identity",
    printed="w_beta(y) = 1/(1 + exp(-<beta, y>/sigma^2)) is the posterior of model (4)",
    false="the exponent lacks a factor 2: beta* is not a fixed point of the population map",
    algorithms=("zhang-3", "zhang-4"),
    errata=("zhang-3/E1",),
)
def mixture_weight() -> Outcome:
    """beta = 1, y = .7, sigma = .5; the population fixed point over beta* is below 1."""
    fixed = {str(snr): mixture_fixed_point(snr) for snr in (1.5, 2.0, 3.0, 4.0)}
    plus, minus = (exp(-((ball("0.7") - z) ** 2) / ball("0.5")) for z in (1, -1))
    printed = 1 / (1 + exp(-ball("0.7") / ball("0.25")))
    point = {"beta": 1.0, "y": 0.7, "sigma": 0.5, "fixed points by SNR": fixed}
    return refuted(point, plus / (plus + minus), printed, "posterior against printed weight")


@mixture_weight.corrected(
    "w_beta(y) = 1/(1 + exp(-2<beta, y>/sigma^2)); then M(beta*) = beta*",
    refuses={"exp(-<beta, y>/sigma^2)": {"factor": 1}},
    unchecked={
        "w_beta": "1/(1 + ratio); the step has the logarithm of the ratio",
    },
)
def mixture_posterior(factor: int = 2) -> Outcome:
    """The ratio of the two densities [step "ratio", two coordinates]; w = 1/(1 + ratio).

    M(beta*) = E[(2w-1) Y] = E[E(Z|Y) Y] = E[Z Y] = beta*; by quadrature, too [step "fixed"].
    """
    snrs = (0.5, 1.0, 2.0, 3.0, 4.0)
    residual = max(
        abs(float(mixture_map(np.array([snr]), np.array([snr]), factor / 2)[0] - snr))
        for snr in snrs
    )
    return derived(
        ratio=posterior_ratio(factor),
        fixed=searched(residual, 1e-10, tried=5, what="M(beta*) - beta*, SNR .5 to 4"),
    )


def posterior_ratio(factor: int = 2) -> Outcome:
    """The log-ratio of the densities at -beta and beta is -factor <beta, y>/sigma^2, d = 2."""
    y, z, b, c, sigma = symbols("y z b c sigma", real=True)
    far = (y + b) ** 2 + (z + c) ** 2
    near = (y - b) ** 2 + (z - c) ** 2
    return identity(((near - far) / (2 * sigma**2), -factor * (b * y + c * z) / sigma**2))


@any_statement(
    "002 Section 4.1, gradient",
    lines="227, 235",
    kind="identity",
    printed="grad Q_n(beta; beta) = (1/n) sum [2 w - 1] y - beta",
    refuses={"2 w y - beta": {"minus": 0}, "sum without 1/n": {"records": 0}},
    algorithms=("zhang-3", "zhang-4"),
    unchecked={
        "n": "2 in the step: two records",
    },
)
def mixture_gradient(minus: int = 1, records: int = 1) -> Outcome:
    """Two records and one coordinate, q for Q_n and b for beta."""
    b, n = symbols("b", real=True), 2
    q, claimed = sp.Integer(0), -b
    for i in range(n):
        w, y = symbols(f"w{i} y{i}", real=True)
        q -= (w * (y - b) ** 2 + (1 - w) * (y + b) ** 2) / (2 * n)
        claimed += (2 * w - minus) * y / n**records
    return identity((sp.diff(q, b), claimed))


# ------------------------------------------------------------------------------- Lemma 4.1


@any_statement(
    "002 Lemma 4.1, constants",
    lines="254-256, 985-997",
    kind="assumption",
    printed="gamma = exp(-C phi^2), mu = nu = 1 on the ball R = ||beta*||/4",
    refuses={
        "C = 1.2": {"exact": 1.2},
        "C = .6 with the printed weight": {"printed": 0.6},
        "mu = nu = 2": {"curvature": 2},
    },
    algorithms=("zhang-3", "zhang-4"),
    unchecked={
        "mu, nu": "both 1: the step has the second derivative of q, -1",
        "R": "the search goes as far as ||beta*||/4 from beta*",
    },
)
def mixture_constants(exact: float = 0.5, printed: float = 0.4, curvature: int = 1) -> Outcome:
    """The Lipschitz ratio on a grid of the ball, for both weights, at SNR 1.5 to 4 (phi = SNR).

    C = 1/2 works for the exact weight, 2/5 for the printed one. Q(.; beta*) has Hessian -I,
    whatever the weight.
    """
    b, y, w = symbols("b y w", real=True)
    q = -(w * (y - b) ** 2 + (1 - w) * (y + b) ** 2) / 2
    worst, at = 0.0, {}
    for (factor, c), snr in itertools.product(((1.0, exact), (0.5, printed)), (1.5, 2.0, 3.0, 4.0)):
        truth = np.array([snr, 0.0])
        start = mixture_map(truth, truth, factor)
        for radius, angle in itertools.product((0.02, 0.25), np.linspace(0, math.pi, 7)):
            away = radius * snr * np.array([math.cos(angle), math.sin(angle)])
            change = mixture_map(truth + away, truth, factor) - start
            gamma = float(np.linalg.norm(change)) / (radius * snr)
            if gamma * math.exp(c * snr**2) > worst:
                worst, at = gamma * math.exp(c * snr**2), {"SNR": snr, "weight": factor}
    return every(
        identity((sp.diff(q, b, 2), -curvature)),
        searched(worst, 1, tried=112, what="Lipschitz ratio over exp(-C SNR^2)", witness=at),
    )


@statement(
    "002 Lemma 4.1, statistical error",
    lines="257-259",
    kind="concentration",
    printed="alpha = C1 (||beta*||_inf + sigma) sqrt((log d + log(2/tau))/n)",
    checked="with C1 = 8",
    refuses={
        "C1 = 7": {"constant": 7},
        "log(1/tau)": {"events": 1},
        "||beta*||_inf alone": {"noise": 0},
        "sigma alone": {"mean": 0},
    },
)
def mixture_statistical_error(
    constant: int = 8, events: int = 2, mean: int = 1, noise: int = 1
) -> Outcome:
    """X = (2w-1) Y_j has |X| <= |Y_j| for a fixed beta and any weight.

    So E exp(t (X - E X)) <= exp(16 v t^2), v = beta*_j^2 + sigma^2 (000 Lemma 19, [step "norm"]),
    and the mean of n exceeds u on either side with probability exp(-n u^2/(64 v)), Chernoff's bound
    at n u/(32 v) a record [step "Chernoff"]. At u = C1 sqrt(v L/n), L = log d + log(2/tau), these
    2d events have tau together [step "union", logarithms]; sqrt(v) <= ||beta*||_inf + sigma [step
    "size"]. So alpha = u.
    """
    entry, largest, spread = reals("entry largest spread")
    size = for_all(
        entry**2 + spread**2 <= (mean * largest + noise * spread) ** 2,
        *(spread > 0, largest >= 0, -largest <= entry, entry <= largest),
    )
    n, u, v, total = symbols("n u v L")
    h = u / (32 * v)
    level = sp.Integer(constant) * sp.sqrt(v * total / n)
    exponent = sp.log(2) - n * level**2 / (64 * v)  # of a coordinate, both sides
    d, tau = symbols("d tau")
    claimed = (sp.log(d) + sp.log(events / tau), sp.log(tau) - sp.log(d))
    return derived(
        norm=em_mixture.norm_of_bounded(),
        Chernoff=identity((n * (16 * v * h**2 - h * u), -n * u**2 / (64 * v))),
        union=identity((exponent.subs(total, claimed[0]), claimed[1])),
        size=size,
    )


def uniform_truncation(
    level: int = 2,
    shift: int = 1,
    logarithms: int = 1,
    count: int = 1,
    bound: dict[str, str] | None = None,
) -> Outcome:
    """Whatever S is selected, the error on it is at most sqrt(s) times the largest of d sums.

    Coordinate j errs by (1/n0) sum_i (|Y_ij| - T)_+ at most, and Y_j = +-beta*_j + sigma e exceeds
    T only where |e| exceeds tau = sqrt(2 log n) [step "inside"], whose tails are normal [step
    "tail"].
    By :func:`excess_of_truncation` at a = 2 log d [step "excess"] all d sums are at most
    (4 sigma/tau)(1 + log d) but for a probability of 1/d [step "union"]. On n0 >= (2/3) n/log n
    records the square of the error is 18 s sigma^2 (1 + log d)^2 log n/n^2 [step "size"], which is
    at most the square of the bound [steps "claimed", "order", times n^2/(s sigma^2 log n)]. The s
    entries add up [step "norm"].
    """
    constant, sigmas, logs, failure = (
        sp.Rational({"C": "8.5", "sigma": "1", "log n": "1", "d": "1", **(bound or {})}[name])
        for name in ("C", "sigma", "log n", "d")
    )
    n, ell, log_d, s, sigma = symbols("n l log_d s sigma")
    tau = sp.sqrt(2 * ell)
    error = sp.sqrt(s) * (2 * sigma / tau) * (2 + 2 * log_d) * sp.Rational(3, 2) * ell / n
    claimed = constant * sigma**sigmas * sp.sqrt(s * log_d**logarithms * ell**logs / n)
    unit = s * sigma**2 * ell / n**2
    beta, largest, spread, e, most, cut = reals("beta largest spread e most T")
    x, size = reals("log_d n")
    return derived(
        inside=for_all(
            z3.Abs(beta + spread * e) - cut <= spread * (z3.Abs(e) - most),
            *(spread > 0, z3.Abs(beta) <= largest, cut >= shift * largest + spread * most),
        ),
        tail=half_tail(),
        excess=excess_of_truncation(level),
        union=identity((sp.exp(log_d) * sp.exp(-2 * log_d), sp.exp(-failure * log_d))),
        size=identity((error**2, 18 * s * sigma**2 * (1 + log_d) ** 2 * ell / n**2)),
        claimed=identity((claimed**2, constant**2 * log_d**logarithms * n * unit)),
        order=for_all(
            18 * (1 + x) ** 2 <= rational(str(constant**2)) * x**logarithms * size,
            *(x >= 1, x <= size),
        ),
        norm=squares_add_up(power=count),
    )


UNIFORM = (
    "restricted to any s coordinates, whichever are selected: 8.5 sigma sqrt(s log d log n/n) with "
    "probability at least 1 - 1/d, for T >= ||beta*||_inf + sigma sqrt(2 log n) and log d <= n"
)
UNIFORM_REFUSES: Wrong = {
    "T >= ||beta*||_inf + sigma sqrt(log n)": {"level": 1},
    "T >= sigma sqrt(2 log n)": {"shift": 0},
    "without log d": {"logarithms": 0},
    "without s": {"count": 0},
    "8.4 for 8.5": {"bound": {"C": "8.4"}},
    "sigma^2 for sigma": {"bound": {"sigma": "2"}},
    "without log n": {"bound": {"log n": "0"}},
    "probability 1 - 1/d^2": {"bound": {"d": "2"}},
}


@statement(
    "002 Lemma 4.1, truncation",
    lines="260-262",
    kind="concentration",
    printed="T of the order of sqrt(log n): ||grad Q - f_T||_2 <= C2 sqrt(s* log d log n/n) w.h.p.",
    false="the full norm grows with d; only a norm restricted to a few coordinates is bounded",
    errata=("002 Lemma 4.1/E1",),
)
def unbounded_truncation_error() -> Outcome:
    """SNR 4, T = sqrt(2 log n); given the weights it is a sum of d independent terms."""
    snr = 4.0
    g, weights = grid(5e-3)
    energy = float(np.tanh(snr**2 + snr * g) ** 2 @ weights)
    ratios = {f"1e{k}": full_norm_ratio(energy, k) for k in (3, 6, 12, 24)}
    point = {"n": 4000, "n0": 444, "s*": 10, "SNR": snr, "ratio by d": ratios}
    return refuted(point, ratios["1e24"], 1e6, "error over the bound with C2 = 1, against 1e6")


@unbounded_truncation_error.corrected(UNIFORM, refuses=UNIFORM_REFUSES)
def small_on_few(**parts: Any) -> Outcome:
    """See :func:`uniform_truncation`."""
    return uniform_truncation(**parts)


# ------------------------------------------------------------------------------- Theorem 4.2


def _path(
    rng: np.random.Generator, n0: int, *, printed: bool, steps: int = 3, gaussian: bool = False
) -> float:
    """Return the error of Algorithm 3 (or 4): ||beta*|| = 1, SNR 1.5, T = 3, (1, 1e-5)."""
    d, t, sigma = 2 if gaussian else 8, 3.0, 2 / 3
    s = d if gaussian else 3
    model = PrintedMixture(sigma) if printed else GaussianMixture(sigma)
    truth = np.zeros(d)
    truth[:s] = 1 / math.sqrt(s)
    beta = truth.copy()
    beta[0] += 0.1
    log = math.log(1.25 / 1e-5)
    for _ in range(steps):
        batch = model.sample(truth, n0, rng)
        step = beta + model.truncated_gradients(batch, beta, t).mean(0)
        if gaussian:
            beta = step + math.sqrt(2 * d * log) * 2 * t / n0 * rng.standard_normal(d)
        else:
            beta = noisy_hard_thresholding(
                step, sparsity=s, sensitivity=2 * t / n0, epsilon=1.0, delta=1e-5,
                ledger=Ledger(rng),
            ).vector  # fmt: skip
    return float(np.linalg.norm(beta - truth))


def error_floor(rng: np.random.Generator, *, gaussian: bool) -> Outcome:
    """With n the iterates tend to the population map's fixed point, not to beta*.

    What is left of ||beta*|| does not depend on n, and the bound tends to 0: at n = 1e12,
    s* = 10, d = 1000, (1, 1e-5) it is below 1e-4, the floor at SNR 1.5 is .17.
    """
    floors = {str(snr): 1 - mixture_fixed_point(snr) for snr in (1.5, 2.0, 3.0, 4.0)}
    errors = {
        name: _path(rng, 20_000, printed=name == "printed weight", gaussian=gaussian)
        for name in ("printed weight", "exact weight")
    }
    n, s, d = 1e12, 10, 10 if gaussian else 1000
    log_n, size, ladder = math.log(n), math.log(1e5), d if gaussian else s * math.log(d)
    bound = math.sqrt(ladder / n) * log_n + ladder * math.sqrt(size) * log_n**1.5 / n
    point = {"floor over ||beta*|| by SNR": floors, "errors at n0 = 2e4": errors, "n": n}
    return refuted(point, floors["1.5"], 100 * bound, "floor against the bound with constants 100")


def rate_met(rng: np.random.Generator, *, gaussian: bool, printed: bool) -> Outcome:
    """Algorithm 3 (or 4) at SNR 1.5, (1, 1e-5), d = 8 (or 2), T = 3, N0 = 3 against constants 1.

    The median error over 41 runs is below the bound.
    """
    runs, steps, d, n0 = 41, 3, 2 if gaussian else 8, 12_000
    n, s = n0 * steps, (d if gaussian else 3)
    log_n, log_d = math.log(n), math.log(d)
    if gaussian:
        bound = d * log_n**1.5 * math.sqrt(math.log(1e5)) / n + math.sqrt(d / n) * log_n
    else:
        bound = math.sqrt(s * log_d * log_n / n)
        bound += s * log_d * math.sqrt(math.log(1e5)) * log_n**1.5 / n
    above = sum(_path(rng, n0, printed=printed, gaussian=gaussian) > bound for _ in range(runs))
    return rare(above, runs, 0.5, what="errors above the bound with constants 1")


@statement(
    "002 Theorem 4.2",
    lines="266-272",
    kind="utility",
    printed="||beta-hat - beta*|| <= C sqrt(s* log d log n/n) + C1 s* log d sqrt(log(1/delta)) "
    "(log n)^{3/2}/(n epsilon) ((5))",
    false="with the printed weight the error does not tend to 0",
    errata=("zhang-3/E1",),
)
def floor(rng: np.random.Generator) -> Outcome:
    """See :func:`error_floor`."""
    return error_floor(rng, gaussian=False)


@floor.corrected(
    "with the exact weight",
    refuses={
        "the printed weight": {"printed": True},
        "log n for (log n)^{3/2}": {"power": 2},
        "sqrt(s* log d/n)": {"constant": "0"},
        "sqrt(log d log n/n)": {"statistical": {"sparsity": 0}},
        "sqrt(s* log d log n)/n": {"statistical": {"records": 2}},
        "privacy without s*": {"privacy": {"sparsity": 0}},
        "privacy without log d": {"privacy": {"dimension": 0}},
        "privacy without log(1/delta)": {"privacy": {"budget": 0}},
        "(n epsilon)^2": {"privacy": {"records": 2}},
    },
)
def rate(
    rng: np.random.Generator,
    printed: bool = False,
    power: int = 3,
    constant: str = "3",
    statistical: dict[str, int] | None = None,
    privacy: dict[str, int] | None = None,
) -> Outcome:
    """The corrected Theorem 3.8 with Lemma 4.1, whose constants were searched.

    With the posterior [step "weight"] grad Q(beta*; beta*) = 0. The four terms of (3): the first is
    at most of the order of the second after N0 of the order of log n steps; the second [step
    "statistical"], the third [step "privacy"], the truncation [step "truncation"]. Runs [step
    "runs"], see :func:`rate_met`.
    """
    return derived(
        weight=posterior_ratio(1 if printed else 2),
        statistical=statistical_order(constant, **(statistical or {})),
        privacy=noise_of_batches(power=power, **(privacy or {})),
        truncation=uniform_truncation(),
        runs=rate_met(rng, gaussian=False, printed=printed),
    )


floor.restated(
    "002 (5)",
    lines="270-272",
    printed="||beta-hat - beta*|| <= C sqrt(s* log d log n/n) + C1 s* log d sqrt(log(1/delta)) "
    "(log n)^{3/2}/(n epsilon)",
)


# -------------------------------------------------------------------------- Proposition 4.3

INFINITE_RISK: Wrong = {"2.2 ||b|| for 2 ||b||": {"factor": "2.2"}}
OF_THE_BOUND = "of the right-hand side, which is finite; the left-hand side is infinite"
ANY_ESTIMATOR = "any estimator; the step has its distances from b and -b, near and far"
VACUOUS = (
    "vacuous: the laws at b and -b are equal, so the left-hand side is infinite, with privacy or "
    "without, and the bound says nothing of the right-hand side"
)


@statement(
    "002 Proposition 4.3",
    lines="278-284",
    kind="lower bound",
    printed="mixture: inf_M sup_{||b||_0 <= s*} E||M-b|| >= c (sqrt(s* log d/n) + s* log d/(n "
    "epsilon))",
    checked=VACUOUS,
    refuses=INFINITE_RISK,
    unchecked={
        "M": ANY_ESTIMATOR,
        "s*, c, d, n, epsilon": OF_THE_BOUND,
    },
)
def infinite_risk(factor: str = "2") -> Outcome:
    """Trivially, see :func:`proofs_checks.paper_002.facts.symmetric_in_sign`."""
    return symmetric_in_sign(factor)


def not_optimal() -> Outcome:
    """n = 1e6, s* = 10, d = 1000, epsilon = 1: the laws at +-b are equal, ||b|| = 1e6.

    The upper bound starts within a fraction of ||beta*|| of beta*, which is another problem.
    """
    n, s, d = 10**6, 10, 1000
    rate_at = math.sqrt(s * math.log(d) / n) + s * math.log(d) / n
    point = {"n": n, "s*": s, "d": d, "||b||": 1e6}
    return refuted(point, 1e6, rate_at, "a lower bound on the minimax risk against the rate")


def local_two_points(divergence: float = 2.0, risk: str = "1/4") -> Outcome:
    """Le Cam's bound for two points at distance sigma/sqrt(n), both in a ball around a known b0.

    KL(P_b || P_b') <= ||b - b'||^2/(2 sigma^2), that of the normal laws, whose log-ratio is linear
    in the noise [step "normal"]: a fair flip of the sign is a common channel (data processing,
    cited); by quadrature, too [step "divergence"]. n records have 1/2, Pinsker leaves total
    variation <= 1/2, and the worst risk is at least (distance/2)(1 - 1/2) = sigma/(4 sqrt n) [step
    "risk"].
    """
    g, weights = grid(4e-3)
    worst = 0.0
    for b, move in itertools.product((0.3, 1.0, 2.0, 4.0), (0.3, 0.1, 0.01)):
        y = b + g  # the log ratio is even, so one component suffices
        logs = [
            -(c**2) / 2 + c * np.abs(y) + np.log1p(np.exp(-2 * c * np.abs(y)))
            for c in (b, b + move)
        ]
        worst = max(worst, float(weights @ (logs[0] - logs[1])) / (move**2 / divergence))
    n, sigma = symbols("n sigma")
    distance = sigma / sp.sqrt(n)
    variation = sp.sqrt(n * distance**2 / (sp.nsimplify(divergence) * sigma**2) / 2)
    noise, gap = symbols("g gap", real=True)
    ratio = ((sigma * noise - gap) ** 2 - (sigma * noise) ** 2) / (2 * sigma**2)
    return derived(
        normal=identity(
            (ratio, gap**2 / (sp.nsimplify(divergence) * sigma**2) - noise * gap / sigma)
        ),
        divergence=searched(worst, 1 + 1e-9, tried=12, what="divergence over its bound"),
        risk=identity((distance / 2 * (1 - variation), sp.Rational(risk) * sigma / sp.sqrt(n))),
    )


REMARK = "the upper and the lower bound match up to logarithms: the algorithm is minimax optimal"
NOT_OPTIMAL = "P_b = P_-b: the lower bound's minimax risk is infinite, private or not"
LOCAL = (
    "a ball around a known point has a bound that says something: sigma/(4 sqrt n), without privacy"
)
LOCAL_REFUSES: Wrong = {
    "divergence at most gap^2/2.1": {"divergence": 2.1},
    "sigma/(3 sqrt n)": {"risk": "1/3"},
}


@statement(
    "002 Remark after Proposition 4.3",
    lines="284",
    kind="remark",
    printed=REMARK,
    false=NOT_OPTIMAL,
    fails=True,
    errata=("zhang-u1/E1",),
)
def optimality() -> Outcome:
    """See :func:`not_optimal`."""
    return not_optimal()


@optimality.corrected(LOCAL, refuses=LOCAL_REFUSES)
def local_bound(divergence: float = 2.0, risk: str = "1/4") -> Outcome:
    """See :func:`local_two_points`."""
    return local_two_points(divergence, risk)
