"""Section 3.1.6, useful lemmas: the variance of the estimator and what a proximal step does."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004 import convexity
from proofs_checks.paper_004.section_3 import random_records
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, every, identity, searched, symbols
from reference.losses import Logistic

statement = partial(any_statement, algorithms=("diss-3.1.1",))


def noise_of_estimator(share: str = "1") -> Outcome:
    """E||N(0, sigma^2 I_p)||^2 = p sigma^2."""
    u = sp.Symbol("u", real=True)
    p, sigma = symbols("p sigma")
    density = sp.exp(-(u**2) / (2 * sigma**2)) / (sigma * sp.sqrt(2 * sp.pi))
    square = p * sp.integrate(u**2 * density, (u, -sp.oo, sp.oo))
    return identity((square, sp.Rational(share) * p * sigma**2))


@statement(
    "004 Lemma 3.1.1",
    lines="867-877",
    kind="approximation",
    printed="E||grad F(y) - v||^2 <= 2L(F(x~) - F(y_{t-1}) - <grad F(y_{t-1}), x~ - y_{j-1}>) + "
    "p sigma^2",
    checked="the same with y_{t-1} for y_{j-1}",
    misprint="y_{j-1} for y_{t-1}",
    added="every f(., z_i) is convex (3.1.3 says so; the lemma does not)",
    refuses={
        "L for 2L": {"factor": "1"},
        "1.9 L for 2L": {"factor": "1.9"},
        "+ <grad F(y_{t-1}), x~ - y_{t-1}>": {"inner": -1},
        "p sigma^2/2": {"share": "1/2"},
    },
    unchecked={
        "F": "any mean of convex smooth losses; the steps have its descent and its values, and "
        "the logistic loss",
    },
)
def estimator_variance(
    rng: np.random.Generator, factor: str = "2", share: str = "1", inner: int = 1
) -> Outcome:
    """The noise has mean 0 and is independent: it adds p E u_1^2 = p sigma^2 [step "noise"].

    Without it grad F(y) - v is minus the deviation of D_i = grad f_i(y) - grad f_i(x~) from its
    mean, whose second moment is at most that of D_i [step "centred"]; E||D_i||^2 is bounded by
    co-coercivity, term by term (:func:`proofs_checks.paper_004.convexity.cocoercive`).
    """
    second, mean = symbols("second mean", real=True)
    worst, loss = 0.0, Logistic()
    for _ in range(100):
        n, p = int(rng.integers(2, 8)), int(rng.integers(1, 5))
        records = random_records(rng, n, p)
        y, snapshot = rng.choice([0.1, 1.0, 5.0]) * rng.standard_normal((2, p))
        slope = loss.gradient(records, y)
        v = loss.gradients(records, y) - loss.gradients(records, snapshot)
        v += loss.gradient(records, snapshot)
        variance = float(((v - slope) ** 2).sum(axis=1).mean())
        values = loss.values(records, snapshot).mean() - loss.values(records, y).mean()
        bound = float(factor) * loss.smoothness * float(values - slope @ (snapshot - y))
        worst = max(worst, variance / bound)
    return derived(
        centred=identity((second - 2 * mean * mean + mean**2, second - mean**2)),
        cocoercive=convexity.cocoercive(factor, inner),
        noise=noise_of_estimator(share),
        logistic=searched(worst, 1, tried=100, what="exact variance over the bound"),
    )


@statement(
    "004 Lemma 3.1.2",
    lines="879-899",
    kind="identity",
    printed="z* = argmin gamma/2||x-z_0||^2 + phi(x): some G in dphi(z*) has <G, z-z*> = "
    "gamma/2(||z_0-z*||^2 - ||z-z_0||^2 + ||z-z*||^2)",
    refuses={"gamma for gamma/2": {"half": 1}},
    unchecked={"phi": "any convex function; of it the step has the subgradient gamma (z_0 - z*)"},
)
def proximal_identity(half: int = 2) -> Outcome:
    """z* minimises, so that 0 = gamma (z* - z_0) + G for some subgradient G (Fermat's rule).

    With G = gamma (z_0 - z*) it is an identity, coordinate by coordinate [step "identity"].
    """
    z, start, best = symbols("z z_0 z_best", real=True)
    gamma = symbols("gamma")
    right = gamma / half * ((start - best) ** 2 - (z - start) ** 2 + (z - best) ** 2)
    return derived(identity=identity((gamma * (start - best) * (z - best), right)))


@statement(
    "004 Lemma 3.1.3",
    lines="901-921",
    kind="optimisation",
    printed="x_j = prox(x_{j-1} - eta v): <v, x_j-u> <= -||x_{j-1}-x_j||^2/(2 eta) + "
    "||x_{j-1}-u||^2/(2 eta) - (1+eta mu)||x_j-u||^2/(2 eta) + r(u) - r(x_j)",
    refuses={
        "1 + 2 eta mu": {"strength": 2},
        "||x_{j-1}-u||^2/(3 eta)": {"start": 3},
        "r(x_j) - r(u)": {"sign": -1},
    },
    unchecked={"r": "r(u) - r(x_j) is at its lower bound in the step, least"},
)
def three_points(strength: int = 1, start: int = 2, sign: int = 1) -> Outcome:
    """G = (x_{j-1} - x_j)/eta - v is a subgradient of r at x_j (Fermat's rule).

    r(u) - r(x_j) >= <G, u - x_j> + mu/2 ||u - x_j||^2; with this lower bound for it the claim is an
    equality, coordinate by coordinate [step "equality"]. mu = 0 is the first half of the lemma.

    Here x stands for x_{j-1}.
    """
    x, step, u, v = symbols("x x_j u v", real=True)
    eta, mu = symbols("eta mu")
    least = ((x - step) / eta - v) * (u - step) + mu / 2 * (u - step) ** 2
    right = -((x - step) ** 2) / (2 * eta) + (x - u) ** 2 / (start * eta)
    right -= (1 + strength * eta * mu) * (step - u) ** 2 / (2 * eta)
    return derived(equality=identity((v * (step - u), right + sign * least)))


@statement(
    "004 Lemma 3.1.4",
    lines="923-925",
    kind="optimisation",
    printed="||prox_r(x) - prox_r(y)|| <= ||x-y||",
    refuses={"0.99 ||x-y||": {"share": "0.99"}},
)
def non_expansive(share: str = "1") -> Outcome:
    """See :func:`proofs_checks.paper_004.convexity.non_expansive`."""
    return convexity.non_expansive(share)


@statement(
    "004 (3.10)",
    lines="933",
    kind="optimisation",
    printed="<grad F(x) + eps + [grad w(x+) - grad w(x)]/gamma + p, u - x+> >= 0 for all x in C, "
    "some p in dr(x+)",
    checked="the same for all u in C",
    misprint="for all x in C, where u ranges over C",
    refuses={
        "grad w(x+) + grad w(x)": {"sign": -1},
        "gamma for 1/gamma": {"power": 1},
        "<= 0": {"direction": -1},
    },
    unchecked={
        "C": "any convex set; the step moves along one direction u - x+ of it",
        "d, r": "of the subdifferential dr(x+) the step has one element, p",
    },
)
def optimality_condition(sign: int = 1, power: int = -1, direction: int = 1) -> Outcome:
    """See :func:`proofs_checks.paper_004.convexity.optimality`."""
    return convexity.optimality(sign, power, direction)


@statement(
    "004 Lemma 3.1.5",
    lines="927-939",
    kind="optimisation",
    printed="mirror step of modulus alpha with h: <grad F(x), x-x+> >= alpha/gamma ||x+-x||^2 + "
    "r(x+) - r(x) + <eps, x+-x>",
    checked="the same with r for h in the definition of x+, x in C",
    misprint="h for r in the definition of x+",
    refuses={"1.1 alpha/gamma": {"factor": "1.1"}},
    unchecked={
        "h": "misprint of r",
        "r": "r(x+) - r(x) is change in the steps",
    },
)
def mirror_step(factor: str = "1") -> Outcome:
    """(3.10) at u = x; see :func:`proofs_checks.paper_004.convexity.mirror_step`."""
    return every(convexity.optimality(), convexity.mirror_step(factor))
