"""Error bounds of the private EM algorithms on three models: what refutes and replaces them.

The algorithms are scale equivariant: with beta*, sigma and sqrt(tau) times c, c a power of two,
every number of a run is exactly c times. A bound that is c^2 times as large cannot hold.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from proofs_checks.balls import Ball, End, ball, log, sqrt
from proofs_checks.em.descent import recursion as gradient_step
from proofs_checks.em.missing import contraction, on_sphere
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    nonnegative,
    rare,
    rational,
    reals,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.constants import with_constants
from reference.em.full_data_gradient_em import constants_for, full_data_gradient_em
from reference.em.models import GaussianMixture, MixtureOfRegressions
from reference.em.private_em import private_em
from reference.em.split_gradient_em import Constants, split_gradient_em
from reference.em.split_gradient_em import constants_for as split_constants_for
from reference.errata.em.models import PrintedMissingCovariates
from reference.privacy.accounting import compositions
from reference.privacy.guarantees import zcdp_rho
from reference.privacy.ledger import Ledger, RecordingLedger

Random = np.random.Generator
Algorithm = Literal["split", "full", "em"]
STEPS = 3
CLAIM: dict[str, Any] = {"epsilon": 0.9, "delta": 1e-6, "failure_probability": 0.2}


def _full_constants(
    data: Any, model: Any, *, initial: Any, step_size: float = 1.0, **claim: Any
) -> Constants:
    """Return the constants with the noise as printed."""
    del model, step_size
    return constants_for(n=len(data), dimension=len(initial), method="zcdp", **claim)


def _split_constants(
    data: Any, model: Any, *, initial: Any, step_size: float, **claim: Any
) -> Constants:
    """Return the constants of Algorithm 2 of Wang et al. (2020), its noise as printed."""
    del model, step_size
    return split_constants_for(n=len(data), dimension=len(initial), method="zcdp", **claim)


full_data_as_printed = with_constants(full_data_gradient_em, _full_constants)
em_as_printed = with_constants(private_em, _full_constants)
split_as_printed = with_constants(split_gradient_em, _split_constants)


@dataclass(frozen=True)
class Problem:
    """A model in d = 4 at ||beta*|| = 1, and a start in the ball of its lemma.

    Attributes
    ----------
    model : callable
        Takes the factor c of the scale.
    start : float
        ||beta^0 - beta*||.
    radius : float
        R.
    second_moment : float
        tau, times c^2 at scale c.
    rate : float
        A valid contraction factor.
    """

    model: Callable[[float], Any]
    start: float
    radius: float
    second_moment: float
    rate: float

    def run(
        self, rng: Random, c: float, n: int, algorithm: Algorithm, **claim: float
    ) -> list[FloatArray]:
        """Return the iterates less beta*, at scale c."""
        truth, model = np.full(4, c / 2), self.model(c)
        start = truth + on_sphere(rng, 4, c * self.start)
        claim = {**CLAIM, "n_iterations": STEPS, **claim}
        claim["second_moment"] = self.second_moment * c**2
        ledger = RecordingLedger(rng)
        data = model.sample(truth, n, rng)
        if algorithm == "em":
            em_as_printed(data, model, initial=start, ledger=ledger, **claim)
        else:
            step = split_as_printed if algorithm == "split" else full_data_as_printed
            step(data, model, initial=start, step_size=1.0, ledger=ledger, **claim)
        path = [start]
        for release in ledger.transcript.releases:
            output = np.asarray(release.output, dtype=np.float64)
            path.append(output if algorithm == "em" else path[-1] + output)
        return [beta - truth for beta in path]


#: SNR 3; tau = 2 >= ||beta*||_inf^2 + R^2 + sigma^2 in these units, gamma from the tails of w.
MIXTURE = Problem(lambda c: GaussianMixture(c / 3), 1 / 8, 1 / 4, 2.0, math.exp(-4.5))
#: SNR 8; tau = 7.2 d n^2 of Lemma 6, which is the maximum of that lemma up to n = 1.
REGRESSIONS = Problem(lambda c: MixtureOfRegressions(c / 8), 1 / 64, 1 / 32, 28.8, 0.25)
#: SNR 1/2, k = 1/2, p = .1; tau of the corrected Lemma 8: W = 5.25, R = 1/2, sigma = 2.
MISSING = Problem(
    lambda c: PrintedMissingCovariates(2 * c, 0.1),
    1 / 4, 1 / 2, 0.9 * 5.75 + 0.1 * (3 * 5.25**2 / 16 + 1), contraction(0.5, 0.5, 0.1),
)  # fmt: skip


def scale_refuted(
    rng: Random, problem: Problem, algorithm: Algorithm, factor: float = 1.0
) -> Outcome:
    """Count the runs at c = 2^-40 with an error above 1e6 times the bound, where bounds have c^2.

    The bound, with its factor ||beta*|| = c and all that O~ leaves out, is at most ``factor`` c^2 d
    ln(1/delta) ln(1/zeta) sqrt(tau(1) T/n)/epsilon; the condition on n does not change with c.
    """
    c, n, trials, failures = 2.0**-40, 3000, 12, 0
    logs = math.log(1 / CLAIM["delta"]) * math.log(1 / CLAIM["failure_probability"])
    bound = factor * c**2 * 4 * logs * math.sqrt(problem.second_moment * STEPS / n)
    bound /= CLAIM["epsilon"]
    for _ in range(trials):
        error = float(np.linalg.norm(problem.run(rng, c, n, algorithm)[-1]))
        failures += error > 1e6 * bound
    return rare(
        failures,
        trials,
        CLAIM["failure_probability"],
        what="errors above 1e6 times the bound at ||beta*|| = 2^-40, d = 4",
        witness={"norm": c, "n": n, "d": 4, "bound": bound, **CLAIM},
    )


def step_bound(
    epsilon: float, delta: float, *, n: int, d: int, steps: int, zeta: float, split: bool = True
) -> float:
    """Bound one step's error for tau = 1, by Lemma 1's proof at this s and precision."""
    choose = split_constants_for if split else constants_for
    constants = choose(
        epsilon=epsilon,
        delta=delta,
        method="zcdp",
        n=n,
        dimension=d,
        n_iterations=steps,
        second_moment=1.0,
        failure_probability=zeta,
    )
    s, b = constants.truncation_scale, constants.precision
    size = n // steps if split else n
    robust = (1 + 1 / b) / (2 * s) + s / size * math.log(4 * d * steps / zeta)
    noise = constants.noise_scale * (math.sqrt(d) + math.sqrt(2 * math.log(2 * steps / zeta)))
    return math.sqrt(d) * robust + noise


_GRID = tuple(
    itertools.product((1e-3, 0.03, 0.9), (1e-4, 1e-24), (10**7, 10**10), (2, 2000), (0.1, 1e-9))
)


def step_rate(
    *, split: bool, limit: str, d_power: float = 1, epsilon_power: float, delta_power: float,
    norm_power: float = 1, zeta_power: float, n_power: float = 0.5,
) -> Outcome:  # fmt: skip
    """Divide the three terms of one step's error by its rate, whose powers are given.

    With l = log(d/zeta), l_T = log(dT/zeta), r = sqrt(L) and te = r h, epsilon is r^2 h (h + 2),
    and the quotients are products of bounded quantities [step "terms"]. For zeta <= 1/2,
    delta <= 1/e, epsilon <= 1 their sum is at most ``limit`` [step "constant"]. The code's numbers
    are the terms' [step "code"].
    """
    names = symbols("tau d T m l l_T r h four two")
    tau, d, t, m, _, total, r, h, *_ = names
    terms, quotients = _step(split, *names)
    powers = (d_power, 2 * delta_power, zeta_power, norm_power / 2, -n_power, -epsilon_power)
    bases = (d, r, total, tau, m * t if split else m, r**2 * h * (h + 2))
    rate = sp.sqrt(t)
    for base, power in zip(bases, powers, strict=True):
        rate *= base ** sp.Rational(str(power))
    box: dict[str, tuple[End, End]] = {
        "1/sqrt l": (0, "1.2012"), "1/sqrt l_T": (0, "1.2012"), "1/sqrt d": (0, 1),
        "te/sqrt L": (0, "0.4143"), "epsilon": (0, 1), "log(T)/T": (0, "0.3679"),
    }  # fmt: skip
    slack = partial(_slack_of_split if split else _slack_of_full, limit)
    value = sp.lambdify(names, sum(terms))
    worst = 0.0
    for level, delta, n, size_of_beta, zeta in _GRID:
        root, logs = math.sqrt(math.log(1 / delta)), math.log(size_of_beta / zeta)
        constants = (1.0, size_of_beta, 5, n // 5 if split else n, logs, logs + math.log(5), root)
        after = (math.sqrt(zcdp_rho(level, delta)) / root, logs + math.log(20), math.log(10 / zeta))
        found = step_bound(level, delta, n=n, d=size_of_beta, steps=5, zeta=zeta, split=split)
        worst = max(worst, abs(found / value(*constants, *after) - 1))
    what = "relative difference of step_bound, T = 5"
    return derived(
        terms=identity(*zip(terms, (rate * each for each in quotients), strict=True)),
        constant=nonnegative(slack, box, whole=True),
        code=searched(worst, 1e-9, tried=len(_GRID), what=what),
    )


def _step(
    split: bool, tau: Any, d: Any, t: Any, m: Any, size: Any, total: Any, r: Any, h: Any,
    four: Any, two: Any,
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:  # fmt: skip
    """Return the bias and the deviation of d robust means of m records and the noise.

    In addition, their quotients by the rate; ``four`` is log(4dT/zeta), ``two`` log(2T/zeta).
    """
    te, epsilon = r * h, r**2 * h * (h + 2)
    if split:
        s, b = sp.sqrt(m * tau * te) / (2 * size), sp.sqrt(size)
        variance = 16 * s**2 * d / (9 * m**2 * te**2)
        quotients = (
            (1 + 1 / b) * size / total * sp.sqrt(h + 2) / sp.sqrt(d),
            four / (2 * size * total) * sp.sqrt(epsilon * h) / sp.sqrt(d),
            (1 + sp.sqrt(2 * two / d)) * 2 / (3 * size * total) * sp.sqrt(h + 2),
        )
    else:
        s, b = sp.sqrt(m * tau / (2 * size)), size
        variance = 8 * tau * d * t / (9 * b * m * te**2)
        shared = epsilon / (r * sp.sqrt(2 * d * t))
        quotients = (
            (1 + 1 / b) * sp.sqrt(size / total) * shared,
            four / sp.sqrt(size * total) * shared,
            (1 + sp.sqrt(2 * two / d)) * 2 * sp.sqrt(2) / (3 * sp.sqrt(size * total)) * (h + 2),
        )
    bias, deviation = sp.sqrt(d) * tau / (2 * s) * (1 + 1 / b), sp.sqrt(d) * s / m * four
    return (bias, deviation, sp.sqrt(variance) * (sp.sqrt(d) + sp.sqrt(2 * two))), quotients


def _slack_of_split(
    limit: str, y: Ball, z: Ball, p: Ball, h: Ball, epsilon: Ball, of_t: Ball
) -> Ball:
    """Return the limit less the quotients; y, z, p are 1/sqrt of l, l_T and d.

    l_T >= l >= log 2, log(4dT/zeta) = l_T + log 4, log(2T/zeta) <= l_T + log 2, h <= sqrt 2 - 1.
    """
    del of_t
    ratio, spread = 1 + log(ball(4)) * z**2, sqrt(2 * (1 + log(ball(2)) * z**2))
    bias, deviation = (1 + y) * sqrt(2 + h) * p, ratio * y**2 / 2 * sqrt(epsilon * h) * p
    noise = ball(2) / 3 * y**2 * (z**2 + p * z * spread) * sqrt(2 + h)
    return ball(limit) - bias - deviation - noise


def _slack_of_full(
    limit: str, y: Ball, z: Ball, p: Ball, h: Ball, epsilon: Ball, of_t: Ball
) -> Ball:
    """Do the same; besides, epsilon/r <= epsilon and l_T/(l T) <= 1 + log(T)/(l T)."""
    ratio, spread = 1 + log(ball(4)) * z**2, sqrt(2 * (1 + log(ball(2)) * z**2))
    bias = (1 + y**2) * epsilon / sqrt(ball(2)) * p
    deviation = ratio * sqrt(1 + y**2 * of_t) * epsilon / sqrt(ball(2)) * p
    noise = 2 * sqrt(ball(2)) / 3 * y * (z + p * spread) * (2 + h)
    return ball(limit) - bias - deviation - noise


def split_rate(
    *, limit: str = "11", epsilon_power: float = 0.5, delta_power: float = 0.25,
    zeta_power: float = 1, **others: Any,
) -> Outcome:  # fmt: skip
    """At most 11 d L^(1/4) log(dT/zeta) sqrt(tau T/(n epsilon)), see :func:`step_rate`."""
    return step_rate(
        split=True, limit=limit, epsilon_power=epsilon_power, delta_power=delta_power,
        zeta_power=zeta_power, **others,
    )  # fmt: skip


def full_rate(
    *, limit: str = "14", epsilon_power: float = 1, delta_power: float = 0.5,
    zeta_power: float = 0.5, **others: Any,
) -> Outcome:  # fmt: skip
    """At most 14 d sqrt(L log(dT/zeta) tau T)/(sqrt(n) epsilon) at a fixed beta."""
    return step_rate(
        split=False, limit=limit, epsilon_power=epsilon_power, delta_power=delta_power,
        zeta_power=zeta_power, **others,
    )  # fmt: skip


def recursion(share: str = "1", steps: int = 1, gap_power: int = 1) -> Outcome:
    """e_t <= iota e_(t-1) + u keeps e_t <= iota^t e_0 + u/(1 - iota): one step of the induction."""
    e, before, iota, u, power = reals("e before iota u power")
    sum_of_errors = rational(share) * u
    gap = 1 - iota if gap_power else 1
    return for_all(
        e * gap <= iota**steps * power * gap + sum_of_errors,
        *(iota > 0, iota < 1, u >= 0, power >= 0, e <= iota * before + u),
        before * gap <= power * gap + sum_of_errors,
    )


def additive_bound(
    *, eta: str = "1", steps: int = 1, gap_power: int = 1, full: bool = False, **powers: Any
) -> Outcome:
    """Replace the bound by iota^T ||beta^0 - beta*|| + eta u/(1 - iota), u a gradient's error.

    The population step contracts by iota in B, so the errors obey e_t <= iota e_(t-1) + eta u
    [steps "step", "recursion"]; u is sqrt(tau) times what Lemma 1's proof gives at the algorithm's
    s and precision, plus its noise, w.p. 1 - zeta/T, at the stated rate [step "rate"]; with
    ``full`` at a fixed beta, on all records in every step. Here L = log(1/delta), r = sqrt(L) and
    n = m T; with ``full`` n = m.
    """
    rate = full_rate(**powers) if full else split_rate(**powers)
    summed = recursion(steps=steps, gap_power=gap_power)
    return derived(step=gradient_step(eta), recursion=summed, rate=rate)


def additive_bound_of_runs(rng: Random, problem: Problem, n: int) -> Outcome:
    """Whole runs of the algorithm: they keep the explicit bound and stay in B."""
    trials, zeta, failures = 21, CLAIM["failure_probability"], 0
    u = math.sqrt(problem.second_moment)
    u *= step_bound(CLAIM["epsilon"], CLAIM["delta"], n=n, d=4, steps=STEPS, zeta=zeta)
    bound = problem.rate**STEPS * problem.start + u / (1 - problem.rate)
    for _ in range(trials):
        errors = [float(np.linalg.norm(away)) for away in problem.run(rng, 1.0, n, "split")]
        failures += errors[-1] > bound or max(errors) > problem.radius
    what = f"runs above {bound:.3g} or outside B, n = {n}, d = 4"
    return rare(failures, trials, zeta, confidence=0.99, what=what)


def _summed_errors(share: str, steps: int, age: int) -> Outcome:
    """If e <= P + S, then e' <= iota P + S' with S' = iota S + u: one step of the induction."""
    e, after, iota, u, first, errors = reals("e after iota u P S")
    part = rational(share)
    return for_all(
        after <= iota**steps * first + part * (iota**age * errors + u),
        *(iota > 0, iota < 1, u >= 0, first >= 0, errors >= 0),
        *(e <= first + part * errors, after <= iota * e + u),
    )


def measured_recursion(
    rng: Random,
    problem: Problem,
    target: Callable[[FloatArray, FloatArray], FloatArray],
    algorithm: Algorithm,
    share: str = "1",
    *,
    steps: int = 1,
    age: int = 1,
) -> Outcome:
    """Measure e_t, the distance of release t from its population value at beta^(t-1).

    The error is at most iota^T e_0 + sum_t iota^(T-t) e_t [step "recursion"] whatever the records
    of the steps have in common, since e_t is measured [step "runs"]. ``share`` is of the e_t.
    """
    worst, trials = 0.0, 4
    truth = np.full(4, 0.5)
    for _ in range(trials):
        path = problem.run(rng, 1.0, 8000, algorithm, epsilon=8.0)
        bound = float(np.linalg.norm(path[0]))
        for before, after in itertools.pairwise(path):
            aim = target(before + truth, truth) - truth
            bound = problem.rate * bound + float(share) * float(np.linalg.norm(after - aim))
        outside = max(float(np.linalg.norm(away)) for away in path) > problem.radius
        worst = max(worst, math.inf if outside else float(np.linalg.norm(path[-1])) / bound)
    return derived(
        recursion=_summed_errors(share, steps, age),
        runs=searched(worst, 1, tried=trials, what="error over the bound, n = 8000, d = 4, T = 3"),
    )


# ------------------------------------------------------------------------- the full-data noise


def noise_variance(factor: int = 8) -> Outcome:
    """Let a record move a mean of values up to (2 sqrt(2)/3) s by at most (4 sqrt(2)/3) s/n.

    With s^2 = n tau/(2 l) and b = l, rho = move^2/(2 sigma^2) of a coordinate and a step is
    te^2/(dT) [step "zCDP"]: te^2 in all, and te^2 + 2 te sqrt(L) = epsilon [step "conversion"],
    with L = log(1/delta) and variance = sigma^2.
    """
    n, tau, d, t, log_term, te, big, epsilon = symbols("n tau d T l te L epsilon")
    s_squared = n * tau / (2 * log_term)
    move_squared = sp.Rational(32, 9) * s_squared / n**2
    variance = factor * tau * d * t / (9 * log_term * n * te**2)
    root = sp.sqrt(big + epsilon) - sp.sqrt(big)
    return derived(
        zCDP=identity((move_squared / (2 * variance), te**2 / (d * t))),
        conversion=identity((sp.expand(root**2 + 2 * root * sp.sqrt(big)), epsilon)),
    )


def spent(rng: Random, *, em_step: bool) -> Outcome:
    """Run the algorithms on random data and parameters; their ledgers spend te^2-zCDP, epsilon."""
    worst, trials = 0.0, 12
    for _ in range(trials):
        epsilon, delta = float(rng.uniform(0.01, 1)), float(10.0 ** rng.uniform(-12, -0.1))
        d, ledger = int(rng.integers(1, 6)), Ledger(rng)
        data, start = rng.standard_normal((int(rng.integers(1, 8)), d)), rng.standard_normal(d)
        claim: dict[str, Any] = {
            "initial": start,
            "epsilon": epsilon,
            "delta": delta,
            "second_moment": float(rng.exponential()) + 0.1,
            "failure_probability": float(rng.uniform(0.001, 0.9)),
            "n_iterations": int(rng.integers(1, 5)),
            "ledger": ledger,
        }
        if em_step:
            em_as_printed(data, GaussianMixture(1.0), **claim)
        else:
            full_data_as_printed(data, GaussianMixture(1.0), step_size=1.0, **claim)
        rho = max(profile.rho for profile in compositions(ledger.transcript.charges))
        worst = max(worst, rho / zcdp_rho(epsilon, delta))
        worst = max(worst, ledger.spent(delta=delta).epsilon / epsilon)
    return searched(worst, 1 + 1e-12, tried=trials, what="rho and epsilon spent over te^2, epsilon")


def mixture_map(beta: FloatArray, truth: FloatArray) -> FloatArray:
    """Return E f(beta) = E[(2w - 1) Y] of the mixture of SNR 3, ||beta*|| = 1, by quadrature."""
    step = 2e-3
    nodes = np.arange(-10, 10 + step / 2, step)
    weights = np.exp(-(nodes**2) / 2) * (step / math.sqrt(2 * math.pi))
    norm = float(np.linalg.norm(beta))
    # in units of sigma Y = 3 truth + G direction + what is independent of <beta, Y>, mean 0
    sign = np.tanh(9 * beta @ truth + 3 * norm * nodes) * weights
    mean: FloatArray = sign.sum() * truth + float(sign @ nodes) * beta / (3 * norm)
    return mean
