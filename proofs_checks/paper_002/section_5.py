"""Section 5: the low-dimensional algorithm."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks.balls import ball, log, sqrt
from proofs_checks.basics import gaussian_at_small_epsilon, gaussian_delta
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_8 import union_of_squares
from proofs_checks.paper_002.facts import squares_add_up, symmetric_in_sign
from proofs_checks.paper_002.section_4_1 import (
    ANY_ESTIMATOR,
    INFINITE_RISK,
    LOCAL,
    LOCAL_REFUSES,
    NOT_OPTIMAL,
    OF_THE_BOUND,
    REMARK,
    VACUOUS,
    error_floor,
    local_two_points,
    not_optimal,
    posterior_ratio,
    rate_met,
)
from proofs_checks.paper_002.sensitivity import mixture_change
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, refuted, symbols
from reference.em.models import GaussianMixture

LOW = ("zhang-4",)
statement = partial(any_statement, algorithms=LOW)


@statement(
    "002 Lemma 5.1",
    lines="387-389",
    kind="privacy",
    printed="Algorithm 4 is (epsilon, delta)-DP",
    false="no limit on epsilon, as in Proposition 2.4; no proof is given",
    errata=("zhang-4/E1",),
)
def low_dimensional_privacy() -> Outcome:
    """Mixture, d = 5, T = 3, beta = (1, ..., 1): .999 of the claimed sensitivity is reached."""
    d, t = 5, 3.0
    pair = np.array([[500.0, -3, -3, -3, -3], [-3.0, 500, 3, 3, 3]])
    g = GaussianMixture(1.0).truncated_gradients(pair, np.ones(d), t)
    share = float(np.linalg.norm(g[0] - g[1])) / (2 * t * d**0.5)
    if share < 0.9991:
        raise ArithmeticError("the pair must reach the sensitivity")
    mu = ball("0.999") * 6 / sqrt(2 * log(ball("12.5")))
    point = {"epsilon": 6.0, "delta": 0.1, "sensitivity share": share}
    return refuted(point, gaussian_delta(mu, ball(6)), ball("0.1"), "exact delta against delta")


@low_dimensional_privacy.corrected(
    "true for epsilon <= 1",
    refuses={
        "log(1/delta)": {"constant": "1"},
        "without d in the variance": {"power": 0},
        "epsilon <= 16": {"largest": 16},
        "T for 2T": {"factor": "1"},
    },
)
def low_dimensional_small(
    constant: str = "1.25", power: int = 1, largest: int = 2, factor: str = "2"
) -> Outcome:
    """The variance is 2 Delta^2 log(1.25/delta)/epsilon^2 [step "variance"].

    Delta = eta 2T sqrt(d) N0/n by (23) in every coordinate [steps "record", "norm"]; Proposition
    2.4 for epsilon <= 1 [step "gaussian"]; disjoint batches (Lemma 3.3).
    """
    eta, d, t, steps, n, epsilon, size = symbols("eta d T N0 n epsilon L")
    printed = (
        2
        * eta**2
        * d**power
        * (sp.Rational(factor) * t) ** 2
        * steps**2
        * size
        / (n**2 * epsilon**2)
    )
    square = (eta * 2 * t * steps / n) ** 2 * d
    return derived(
        variance=identity((printed, 2 * square * size / epsilon**2)),
        record=mixture_change(factor),
        norm=squares_add_up(power=power),
        gaussian=gaussian_at_small_epsilon(constant, largest=largest),
    )


not_checkable(
    "002 Condition 5.2",
    lines="393-397",
    kind="assumption",
    printed="fixed beta: P(||grad Q - grad Q_n||_2 > alpha) <= tau",
    reason="an assumption",
    algorithms=("zhang-4", "zhang-7", "zhang-8"),
)

not_checkable(
    "002 Condition 5.3",
    lines="401-405",
    kind="assumption",
    printed="P(||grad Q_n - f_T(grad Q_n)||_2 > xi) <= phi(xi)",
    reason="an assumption",
    algorithms=("zhang-4", "zhang-7", "zhang-8"),
)


@statement(
    "002 Theorem 5.4",
    lines="409-417, 901-924",
    kind="utility",
    printed="||beta^t - beta*|| <= kappa^t R/2 + C d (log n)^{3/2} sqrt(log(1/delta))/(n epsilon) +"
    " eta(xi+alpha)/(1-kappa) ((8))",
    checked="with eta = 2/(mu + nu)",
    misprint="mu + lambda for mu + nu",
    refuses={
        "0.9 of the last terms": {"factor": "0.9"},
        "alpha, xi <= (nu-gamma) R/3": {"share": 3},
        "kappa^{2t}": {"steps": 2},
        "log n for (log n)^{3/2}": {"power": "1"},
        "kappa^t R/4": {"start": "1/4"},
        "without eta": {"step": 0},
        "sqrt(d)": {"dimension": "1/2"},
        "||W_t|| <= (1-kappa) R": {"noise": "1"},
    },
    unchecked={
        "t": 'the number of steps; step "induction" has one of them',
        "C": 'of no claimed value; step "noise" has the powers of d, log n, log(1/delta) and '
        "n epsilon",
    },
)
def low_dimensional_rate(
    factor: str = "1",
    share: int = 4,
    power: str = "3/2",
    steps: int = 1,
    start: str = "1/2",
    step: int = 1,
    dimension: str = "1",
    noise: str = "1/2",
) -> Outcome:
    """Lemma B.3 contracts; c = ||W_t|| + eta (alpha + xi) in the recursion (31).

    e' <= kappa e + c keeps e <= P + c/(1-kappa), P' = kappa P [step "induction"], from P = R/2 on
    [step "start"]. At the largest alpha = xi = (nu-gamma) R/4 eta (alpha + xi) is (1-kappa) R/2
    [step "budget"], so that with ||W_t|| <= (1-kappa) R/2 the ball is kept [step "kept"].
    E||W_t||^2 is 8 eta^2 times the square of the printed term at T = sqrt(log n), N0 = log n, L
    for log(1.25/delta) [step "noise"]; (32) gives its tail.
    """
    k, e, after, width, size, r = reals("k e after W terms R")
    mu, nu, gamma, radius = symbols("mu nu gamma R")
    eta, kappa = 2 / (mu + nu), 1 - (2 * nu - 2 * gamma) / (mu + nu)
    return derived(
        induction=_summed_steps(factor, steps, step),
        start=for_all(
            e * (1 - k) <= rational(start) * r * (1 - k) + width,
            *(k > 0, k < 1, e >= 0, e <= r / 2, width >= 0),
        ),
        budget=identity((eta * 2 * (nu - gamma) * radius / share, (1 - kappa) / 2 * radius)),
        kept=for_all(
            after <= r,
            *(k > 0, k < 1, e <= r, width <= rational(noise) * (1 - k) * r, width >= 0, r > 0),
            *(size <= (1 - k) * r / 2, after <= k * e + width + size),
        ),
        noise=_gaussian_noise(power, dimension),
    )


def _summed_steps(factor: str = "1", steps: int = 1, step: int = 1) -> Outcome:
    """e' <= kappa e + W + eta (alpha + xi) sums up to (W + eta (alpha + xi))/(1-kappa) at most.

    Here errors = alpha + xi.
    """
    k, e, after, p, noise, eta, errors = reals("k e after P W eta errors")
    claimed = rational(factor) * (noise + eta**step * errors)
    return for_all(
        after * (1 - k) <= k**steps * p * (1 - k) + claimed,
        *(k > 0, k < 1, noise >= 0, eta > 0, errors >= 0, p >= 0, e >= 0),
        *(after <= k * e + noise + eta * errors, e * (1 - k) <= p * (1 - k) + claimed),
    )


def _gaussian_noise(power: str, dimension: str = "1") -> Outcome:
    """E||W_t||^2 against the square of the term d^dimension (log n)^power sqrt(L)/(n epsilon)."""
    step, d, ell, n, epsilon, size = symbols("eta d l n epsilon L")
    variance = 2 * step**2 * d * 4 * ell * ell**2 * size / (n**2 * epsilon**2)
    term = d ** sp.Rational(dimension) * ell ** sp.Rational(power) * sp.sqrt(size) / (n * epsilon)
    return identity((d * variance, 8 * step**2 * term**2))


low_dimensional_rate.restated(
    "002 (8)",
    lines="413-417",
    printed="||beta^t - beta*|| <= kappa^t R/2 + C d (log n)^{3/2} sqrt(log(1/delta))/(n epsilon) +"
    " eta(xi+alpha)/(1-kappa)",
)


@statement(
    "002 Theorem 5.5",
    lines="423-427",
    kind="utility",
    printed="mixture: error <= C d (log n)^{3/2} sqrt(log(1/delta))/(n epsilon) + eta/(1-kappa) "
    "sqrt(d/n) log n",
    false="with the printed weight the error does not tend to 0",
    errata=("zhang-3/E1",),
)
def floor(rng: np.random.Generator) -> Outcome:
    """See :func:`error_floor`."""
    return error_floor(rng, gaussian=True)


@floor.corrected(
    "with the exact weight",
    refuses={
        "the printed weight": {"printed": True},
        "log n for (log n)^{3/2}": {"power": "1"},
        "sqrt(d log n/n)": {"logarithms": 1},
        "log n/sqrt(n)": {"dimension": 0},
        "sqrt(d) log n/n": {"records": 2},
        "0.9/(1-kappa)": {"factor": "0.9"},
        "without eta": {"step": 0},
        "sqrt(d) in the first term": {"privacy_dimension": "1/2"},
    },
)
def rate(
    rng: np.random.Generator,
    printed: bool = False,
    power: str = "3/2",
    logarithms: int = 2,
    dimension: int = 1,
    records: int = 1,
    factor: str = "1",
    step: int = 1,
    privacy_dimension: str = "1",
) -> Outcome:
    """Theorem 5.4 [step "induction"] with the posterior [step "weight"], see Theorem 4.2.

    Its second term [step "noise"]; alpha and xi of the order of sqrt(d/n) log n fail with
    probability C/log n in all [step "errors"]. Runs [step "runs"], see :func:`rate_met`.
    """
    return derived(
        weight=posterior_ratio(1 if printed else 2),
        induction=_summed_steps(factor, 1, step),
        noise=_gaussian_noise(power, privacy_dimension),
        errors=union_of_squares(logarithms, dimension, records),
        runs=rate_met(rng, gaussian=True, printed=printed),
    )


@statement(
    "002 Remark after Theorem 5.5",
    lines="429",
    kind="remark",
    printed="the rate is faster than O(sqrt(d^2/n) log(1/delta)/epsilon)",
    added="delta <= 1/n, epsilon <= 1 and growing n and d",
    refuses={"(log n)^2/(n L)": {"power": 2}, "1/d^2 for 1/d": {"dimension": 2}},
)
def faster_rate(power: int = 3, dimension: int = 1) -> Outcome:
    """The squared ratios are (log n)^3/(n L) and (epsilon log n/L)^2/d [step "ratios"].

    With L = log(1/delta) >= log n and epsilon <= 1 they are at most (log n)^2/n and 1/d [step
    "larger"], which vanish [step "limits"].
    """
    d, size, ell, n, epsilon = symbols("d L l n epsilon")
    other = d**2 / n * (size / epsilon) ** 2
    privacy = (d / (n * epsilon)) ** 2 * ell**3 * size
    statistical = d / n * ell**2
    x, y, e = reals("L l epsilon")
    return derived(
        ratios=identity(
            (privacy / other, ell**power / (n * size)),
            (statistical / other, (epsilon * ell / size) ** 2 / d**dimension),
        ),
        larger=for_all(z3.And(y <= x, e * y <= x), y > 0, x >= y, e > 0, e <= 1),
        limits=identity((sp.limit(ell**2 * sp.exp(-ell), ell, sp.oo), 0)),
    )


@statement(
    "002 Proposition 5.6",
    lines="431-435",
    kind="lower bound",
    printed="mixture: inf_M sup_b E||M-b|| >= c (sqrt(d/n) + d sqrt(log(1/delta))/(n epsilon))",
    checked=VACUOUS,
    refuses=INFINITE_RISK,
    unchecked={
        "M": ANY_ESTIMATOR,
        "c, d, n, delta, epsilon": OF_THE_BOUND,
    },
)
def infinite_risk(factor: str = "2") -> Outcome:
    """Trivially, see :func:`proofs_checks.paper_002.facts.symmetric_in_sign`."""
    return symmetric_in_sign(factor)


@statement(
    "002 Remark after Proposition 5.6",
    lines="437",
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
