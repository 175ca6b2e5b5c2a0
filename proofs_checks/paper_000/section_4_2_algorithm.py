"""Section 4.2, second half: Algorithm 2, its privacy and its rate."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from mpmath import mp

from proofs_checks.em import descent as shared
from proofs_checks.em import rates as em_rates
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.robust_mean import (
    LIMIT,
    closed_form,
    closed_form_of_truncation,
    truncation_is_bounded,
)
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
from reference._validation import FloatArray
from reference.constants import with_constants
from reference.em.models import GaussianMixture
from reference.em.split_gradient_em import Constants, constants_for, split_gradient_em
from reference.privacy.accounting import compositions
from reference.privacy.guarantees import zcdp_rho
from reference.privacy.ledger import Ledger

statement = partial(any_statement, algorithms=("wang-2",))


def _constants(
    data: FloatArray,
    model: GaussianMixture,
    *,
    initial: FloatArray,
    step_size: float,
    **claim: object,
) -> Constants:
    """Return the constants of Algorithm 2, its noise as printed."""
    del model, step_size
    found: Constants = constants_for(
        n=len(data),
        dimension=len(initial),
        method="zcdp",
        **claim,  # type: ignore[arg-type]
    )
    return found


algorithm_2 = with_constants(split_gradient_em, _constants)


def _contribution(gradient: float, divisor: int, *, s: float, b: float, m: int) -> float:
    """Return what one record of a block of m adds to (23), its correction over ``divisor``."""
    with mp.workdps(40):
        g, scale, precision = mp.mpf(gradient), mp.mpf(s), mp.mpf(b)
        cubic = g * (1 - g**2 / (2 * scale**2 * precision)) - g**3 / (6 * scale**2)
        first, second = g / scale, abs(g) / (scale * mp.sqrt(precision))
        corrected = closed_form(first, second) - (first * (1 - second**2 / 2) - first**3 / 6)
        return float(cubic / m + scale * corrected / divisor)


@statement(
    "000 Theorem 4",
    lines="273, 618-634",
    kind="composition",
    printed="Algorithm 2, with its update (23), is (epsilon, delta)-DP for 0 < epsilon, delta < 1",
    false="with (23) as printed one record moves the mean without bound",
    errata=("wang-2/E2",),
)
def privacy() -> Outcome:
    """See :func:`proofs_checks.em.descent.one_gradient_moves`, m = 1000 and n = 10000."""
    constants = shared.split_constants()
    s, b = constants.truncation_scale, constants.precision
    return shared.one_gradient_moves(
        lambda gradient: _contribution(gradient, 10_000, s=s, b=b, m=1000), constants
    )


@privacy.corrected(
    "with (s/m) sum_{i<=m} C-hat in (23), and 16 s^2 d/(9 m^2 te^2) for sigma^2",
    refuses={"15 s^2 d/(9 m^2 te^2)": {"sixteen": "15"}},
    unchecked={
        "C-hat": "enters by the sensitivity alone, which is (23)'s",
    },
)
def privacy_repaired(rng: np.random.Generator, sixteen: str = "16") -> Outcome:
    """See :func:`proofs_checks.em.descent.privacy_of_blocks`; the implementation's ledger."""
    worst, tried = 0.0, 12
    for _ in range(tried):
        epsilon, delta = float(rng.uniform(0.01, 1)), float(10.0 ** rng.uniform(-12, -0.1))
        d, t = int(rng.integers(1, 6)), int(rng.integers(1, 5))
        n = t * int(rng.integers(1, 6)) + int(rng.integers(0, t))
        ledger = Ledger(rng)
        algorithm_2(
            rng.standard_normal((n, d)), GaussianMixture(1.0), initial=rng.standard_normal(d),
            epsilon=epsilon, delta=delta, second_moment=float(rng.exponential()) + 0.1,
            failure_probability=float(rng.uniform(0.001, 0.9)), step_size=1.0, n_iterations=t,
            ledger=ledger,
        )  # fmt: skip
        rho = max(profile.rho for profile in compositions(ledger.transcript.charges))
        worst = max(worst, abs(rho / zcdp_rho(epsilon, delta) - 1))
    return every(
        shared.privacy_of_blocks(sixteen),
        derived(
            ledger=searched(worst, 1e-12, tried=tried, what="cost of the worst record over te^2")
        ),
    )


@statement(
    "000 (23)",
    lines="295",
    kind="sensitivity",
    printed="mean over the block of the cubic + (s/n) sum_{i<=n} C-hat, bounded per record",
    false="s/n does not match the 1/m of the cubic, which is then not cancelled",
    errata=("wang-2/E2",),
)
def update() -> Outcome:
    """One record of gradient 1000 at m = 1000, n = 10000, s = 5 and d/zeta = 200."""
    value = _contribution(1000.0, 10_000, s=5.0, b=math.sqrt(math.log(200)), m=1000)
    point = {"gradient": 1000.0, "m": 1000, "n": 10_000, "s": 5.0, "d/zeta": 200}
    return refuted(point, abs(value), LIMIT * 5 / 1000, "contribution against (2 sqrt2/3) s/m")


@update.corrected(
    "(s/m) sum_{i<=m} C-hat over the same block: at most (2 sqrt2/3) s/m per record",
    refuses={
        "0.87 of it": {"factor": "0.87"},
        "s/n before the sum": {"divisor": "n"},
        "s/m^2": {"power": 2},
    },
)
def update_repaired(factor: str = "1", divisor: str = "m", power: int = 1) -> Outcome:
    """By (17) [step "sum"] a record's part is (s/m) E phi(.) [step "part"].

    |phi| <= 2 sqrt2/3 [step "bounded"], times s/m [step "limit"], with C = C-hat.
    The supremum has the further factor erf(sqrt(b/2)), here .871 [step "gradients"].
    """
    b = math.sqrt(math.log(200))
    gradients = (-1e6, -50.0, 10.0, 50.0, 1000.0, 1e9)
    worst = max(abs(_contribution(g, 1000, s=5.0, b=b, m=1000)) for g in gradients)
    bound = min(float(factor), math.erf(math.sqrt(b / 2))) * LIMIT * 5 / 1000
    g, s, precision, m, correction = symbols("g s b m C")
    first, second = g / s, g / (s * sp.sqrt(precision))
    cubic = g * (1 - g**2 / (2 * s**2 * precision)) - g**3 / (6 * s**2)
    smoothed = first * (1 - second**2 / 2) - first**3 / 6 + correction
    limit = 2 * sp.sqrt(2) / 3
    return derived(
        sum=closed_form_of_truncation(),
        part=identity((cubic / m + s / symbols(divisor) * correction, s / m * smoothed)),
        limit=identity((s / m * limit, limit * s / m**power)),
        bounded=truncation_is_bounded(factor),
        gradients=searched(worst, bound, tried=len(gradients), what="contribution, up to 1e9"),
    )


@statement(
    "000 Algorithm 2, sigma^2",
    lines="297",
    kind="identity",
    printed="16 s^2 d/(9 m^2 te^2) = 4 d T tau/(9 n b^2 te)",
    false="with the printed s the power is b^4; harmless for d >= 2, where it only adds noise",
    errata=("wang-2/E1",),
)
def two_variances() -> Outcome:
    """m = T = d = tau = te = 1, b = 2 (log(d/zeta) = 4), s = 1/(2 b^2)."""
    b = Fraction(2)
    first = Fraction(16, 9) / (4 * b**4)
    second = Fraction(4, 9) / b**2
    return refuted({"b": 2, "m": 1, "T": 1, "d": 1, "tau": 1, "te": 1}, second, first, "variances")


@two_variances.corrected(
    "16 s^2 d/(9 m^2 te^2) = 4 d T tau/(9 n b^4 te)", refuses={"b^2": {"power": 2}}
)
def two_variances_repaired(power: int = 4) -> Outcome:
    """s = sqrt(m tau te)/(2 b^2) and n = m T."""
    m, t, d, tau, te, b = symbols("m T d tau te b")
    s = sp.sqrt(m * tau * te) / (2 * b**2)
    second = 4 * d * t * tau / (9 * m * t * b**power * te)
    return identity((16 * s**2 * d / (9 * m**2 * te**2), second))


@statement(
    "000 (24)",
    lines="279",
    kind="utility",
    printed="n >= Omega~(d^2 tau T sqrt(L Lambda)/((v-gamma)^2 epsilon R^2)) keeps beta^t in B",
    checked="K times that many, with log(d/zeta), keep a step's error below 3.2 C_2/sqrt(K) times "
    "(1 - iota) R/2",
    added="(49) in every step; epsilon <= log(1/delta)",
    refuses={
        "d for d^2": {"d_power": 1},
        "1/R": {"radius_power": 1},
        "1/(v-gamma)": {"gap_power": 1},
        "1/epsilon^2": {"epsilon_power": 2},
        "L": {"delta_power": "1"},
        "3.1 for 3.2": {"limit": "3.1"},
        "epsilon <= 2 log(1/delta)": {"within": "2"},
        "noise up to 1.1 (1 - iota) R/2": {"largest": "1.1"},
    },
    unchecked={
        "Lambda": "log(d/zeta) takes its place, l in the steps; O~ hides log d",
        "beta, B": "the steps have the distance of beta^t from beta*, at most R/2",
    },
)
def condition(largest: str = "1", **parts: Any) -> Outcome:
    """See :func:`proofs_checks.em.descent.enough_records` [step "error"].

    At K >= (3.2 C_2)^2 a step's error is at most (1 - iota) R/2, with which the path stays in the
    ball of radius R/2, see :func:`proofs_checks.em.descent.induction` [step "path"].
    """
    return derived(error=shared.enough_records(**parts), path=shared.induction(largest))


@statement(
    "000 Theorem 5",
    lines="277-285 (004 Theorem 7.2.3)",
    kind="utility",
    printed="(25): ||beta^T - beta*||_2 <= O~(R sqrt((v+mu)/(v-gamma)^3) d (L Lambda)^(1/4) "
    "sqrt(tau)/sqrt(n epsilon)) under (24)",
    false="R multiplies the whole bound, but the algorithm is scale equivariant",
    errata=("wang-2/E3",),
)
def rate() -> Outcome:
    """See :func:`proofs_checks.em.descent.noise_floor`."""
    return shared.noise_floor("theorem 5")


@rate.corrected(
    "iota^T R/2 + (eta/(1-iota)) [sqrt(d)(tau/(2s)(1+1/b) + (s/m) log(4dT/zeta)) + "
    "sigma(sqrt(d) + sqrt(2 log(2T/zeta)))] w.p. 1 - zeta, while the iterates stay in B",
    refuses={
        "0.03 of its second term": {"factor": "0.03"},
        "0.9 of its second term": {"factor": "0.9"},
        "0.9 sqrt(d) in the noise": {"share": "0.9"},
        "log(2dT/zeta)": {"sides": 2},
        "0.9 eta": {"eta": "0.9"},
        "iota^{2T}": {"powers": {"steps": 2}},
        "eta for eta/(1-iota)": {"powers": {"gap_power": 0}},
        "iota^T R/4": {"start": "1/4"},
        "tau/(4s)": {"error": {"mean": {"half": "1/4"}}},
        "without 1/b": {"error": {"mean": {"smoothing": 0}}},
        "s/(2m)": {"error": {"mean": {"logarithm": "1/2"}}},
        "sqrt(log(2T/zeta))": {"error": {"two": "1"}},
        "log(T/zeta) in the noise": {"error": {"noise": 1}},
        "without sqrt(d) before the robust mean's": {"error": {"root": 0}},
    },
    slack="the runs' errors are about .04 of it",
    unchecked={
        "sigma": "the unit of the noise: the steps have |Z|/sigma",
        "B": "the steps have the distance from beta*, at most R/2",
    },
)
def additive_bound(
    rng: np.random.Generator,
    factor: str = "1",
    share: str = "1",
    sides: int = 4,
    eta: str = "1",
    start: str = "1/2",
    error: dict[str, Any] | None = None,
    powers: dict[str, int] | None = None,
) -> Outcome:
    """Add up eta times the corrected (49), at zeta/T, in T steps [steps "error", "step", "sum"].

    They start at R/2 at most [step "start"] and keep the iterates in B as long as the noise is
    small [step "ball"]. In the robust mean, step "error", v = tau.

    Runs on a mixture of SNR 3 (gamma of Lemma 3, mu = v = 1), started R/2 away [step "runs"].
    """
    runs, zeta, n, d, t = 60, 0.08, 3000, 4, 5
    truth, model = np.full(d, 1 / math.sqrt(d)), GaussianMixture(1 / 3)
    claim = {"epsilon": 0.9, "delta": 1e-6, "second_moment": 2.0, "failure_probability": 0.05}
    constants = constants_for(method="zcdp", n=n, dimension=d, n_iterations=t, **claim)
    s, b = constants.truncation_scale, constants.precision
    iota = math.exp(-(3**2) / 2)
    robust = 2.0 / (2 * s) * (1 + 1 / b) + s / (n // t) * math.log(4 * d * t / zeta)
    noise = constants.noise_scale * (math.sqrt(d) + math.sqrt(2 * math.log(2 * t / zeta)))
    bound = iota**t / 8 + float(factor) * (math.sqrt(d) * robust + noise) / (1 - iota)
    failures = 0
    for _ in range(runs):
        away = rng.standard_normal(d)
        estimate = algorithm_2(
            model.sample(truth, n, rng), model,
            initial=truth + away / (8 * np.linalg.norm(away)), step_size=1.0, n_iterations=t,
            ledger=Ledger(rng), **claim,
        )  # fmt: skip
        failures += float(np.linalg.norm(estimate - truth)) > bound
    first, radius = reals("first R")
    return derived(
        runs=rare(failures, runs, zeta, confidence=0.99, what="errors above the bound"),
        start=for_all(first <= rational(start) * radius, first >= 0, 2 * first <= radius),
        error=shared.step_error_repaired(share, sides=sides, **(error or {})),
        step=shared.recursion(eta),
        sum=em_rates.recursion(factor, **(powers or {})),
        ball=shared.induction(),
    )


@statement(
    "000 (25)",
    lines="283-285",
    kind="utility",
    printed="||beta^T - beta*|| <= O~(R sqrt((v+mu)/(v-gamma)^3) d (L Lambda)^(1/4) sqrt(tau)/"
    "sqrt(n epsilon))",
    false="R sqrt(tau) is the square of a length",
    special_case_of="000 Theorem 5",
    errata=("wang-2/E3",),
)
def printed_bound(rng: np.random.Generator) -> Outcome:
    """See :func:`proofs_checks.em.rates.scale_refuted`, runs of the mixture at R = 2^-42."""
    return em_rates.scale_refuted(rng, em_rates.MIXTURE, "split")


@printed_bound.corrected(
    "iota^T ||beta^0 - beta*|| + O(d L^(1/4) log(dT/zeta) sqrt(tau T/(n epsilon))), while the "
    "iterates stay in B; 11 eta/(1 - iota) for zeta <= 1/2, delta <= 1/e, epsilon <= 1",
    refuses={
        "10 for 11 by the same steps": {"limit": "10"},
        "0.9 eta": {"eta": "0.9"},
        "times R": {"norm_power": 2},
        "sqrt(d)": {"d_power": 0.5},
        "epsilon^(-1/4)": {"epsilon_power": 0.25},
        "n^-.6": {"n_power": 0.6},
        "L^(1/8)": {"delta_power": 0.125},
        "sqrt(log(dT/zeta))": {"zeta_power": 0.5},
        "iota^{2T}": {"steps": 2},
        "11 eta": {"gap_power": 0},
    },
    unchecked={
        "B": "a condition on the path; the steps have the contraction in B as a premise",
    },
)
def rate_of_step(**powers: Any) -> Outcome:
    """See :func:`proofs_checks.em.rates.additive_bound`."""
    return em_rates.additive_bound(**powers)


@statement(
    "000 Remark 1",
    lines="303",
    kind="remark",
    printed="random starts work well; n must grow like 1/R^2; for constant R, v, mu, gamma the "
    "error of (25) is O~(d sqrt(tau)/sqrt(n epsilon)); tau may depend on d and beta*",
    checked="n of (24) is proportional to 1/R^2, and (25) for constant R, v, mu and gamma to d "
    "sqrt(tau/(n epsilon)); nothing of random starts",
    refuses={
        "1/R": {"radius_power": 1},
        "d^2 sqrt(tau/(n epsilon))": {"dimension_power": 2},
        "d sqrt(tau/n)": {"epsilon_power": 0},
    },
    unchecked={
        "beta*": "not checked: that tau depends on beta* (Lemma 4 does)",
    },
)
def remark(radius_power: int = 2, dimension_power: int = 1, epsilon_power: int = 1) -> Outcome:
    """R stands in (24) [step "condition"], d, tau, n and epsilon in (25) [step "error"].

    Here gap = v - gamma.
    """
    d, tau, n, radius, v, mu, gap, factor, epsilon = symbols("d tau n R v mu gap factor epsilon")
    needed = factor * d**2 * tau / (gap**2 * radius**2 * epsilon)
    error = radius * sp.sqrt((v + mu) / gap**3) * d * factor * sp.sqrt(tau / (n * epsilon))
    ratio = error / (d**dimension_power * sp.sqrt(tau / (n * epsilon**epsilon_power)))
    return derived(
        condition=identity((sp.diff(needed * radius**radius_power, radius), 0)),
        error=identity(*((sp.diff(ratio, name), 0) for name in (d, tau, n, epsilon))),
    )
