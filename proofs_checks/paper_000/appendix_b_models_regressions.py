"""Appendix B: the gradient of the mixture of regressions is sub-exponential (Lemma 20)."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks.em import regressions as em_regressions
from proofs_checks.em.norms import gaussian_norm, noise_norm_refuted
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, identity, symbols

statement = partial(any_statement, algorithms=("wang-2",))


@statement(
    "000 (54), norm of v",
    lines="736",
    kind="concentration",
    printed="|v_j|_psi2 <= C'' sigma^2 for v_j ~ N(0, sigma^2)",
    false="a norm is homogeneous: sigma, as (54) itself uses",
    errata=("000 Lemma 21/E1",),
)
def noise_norm() -> Outcome:
    return noise_norm_refuted()


@noise_norm.corrected(
    "|v_j|_psi2 <= sigma",
    refuses={".79 sigma": {"constant": "0.79"}, "sigma^2": {"sigma_power": 2}},
)
def noise_norm_is_sigma(constant: str = "1", sigma_power: int = 1) -> Outcome:
    """|sigma g|_psi2 = sigma |g|_psi2 [step "scaled", M = E|g|^p] for a standard normal g."""
    p, sigma, moment = symbols("p sigma M")
    scaled = (sigma**p * moment) ** (1 / p), sigma**sigma_power * moment ** (1 / p)
    return derived(scaled=identity(scaled), norm=gaussian_norm(constant))


@statement(
    "000 Lemma 20",
    lines="754-800",
    kind="concentration",
    printed="grad_j q(beta; beta) is C max{||beta*||^2 + sigma^2, 1, sqrt(d) ||beta*||}-"
    "sub-exponential",
    checked="with xi = 45 sqrt(||beta*||^2 + sigma^2), which is smaller",
    refuses={
        "44 for 45 by the same steps": {"constant": 44.0},
        "45 ||beta*||": {"noise": 0},
    },
    slack="1.5 for 45 is enough wherever it was tried",
    unchecked={
        "q": 'entry j of its gradient has norm at most 2 r + 2 ||beta||, in step "steps"',
    },
)
def gradient_is_sub_exponential(
    rng: np.random.Generator, constant: float = 45.0, noise: int = 1
) -> Outcome:
    """See :func:`proofs_checks.em.regressions.sub_exponential`."""
    return em_regressions.sub_exponential(rng, constant, noise=noise)


@statement(
    "000 (58)",
    lines="756",
    kind="concentration",
    printed="xi = C max{||beta*||^2 + sigma^2, 1, sqrt(d) ||beta*||}",
    checked="with C = 45, the xi of Lemma 20 as checked, and more",
    special_case_of="000 Lemma 20",
    refuses={
        "C = 44": {"constant": "44"},
        "without 1 in the maximum": {"floor": 0},
        "||beta*||^2 for ||beta*||^2 + sigma^2": {"noise": 0},
    },
    slack="sqrt(d) ||beta*|| in the maximum is not needed",
    unchecked={
        "xi, C": "45 r, the xi of Lemma 20 as checked, is at most the right side with C = 45",
    },
)
def printed_xi(constant: str = "45", floor: int = 1, noise: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.regressions.printed_xi`."""
    return em_regressions.printed_xi(constant, floor, noise)


@statement(
    "000 (59)",
    lines="764",
    kind="identity",
    printed="grad_j - E grad_j = A + B - beta_j, A = 2w y x_j - E[2w y x_j], B = [x x^T beta - "
    "beta]_j",
    false="B has the wrong sign and the last term should be y x_j",
    errata=("000 Lemma 20/E1",),
)
def decomposition() -> Outcome:
    """See :func:`proofs_checks.em.regressions.decomposition_refuted`."""
    return em_regressions.decomposition_refuted()


@decomposition.corrected(
    "grad_j - E grad_j = A - B - y x_j",
    refuses={"A + B - y x_j": {"sign": 1}},
    unchecked={
        "A, B": "written out in the step, 2w y x_j - mean and x_j fit - beta_j",
    },
)
def right_decomposition(sign: int = -1) -> Outcome:
    return em_regressions.decomposition(sign)


@statement(
    "000 (60)",
    lines="768",
    kind="concentration",
    printed="E exp(t|A|) <= E exp(t|2 eps w y x_j|) for every t > 0",
    false="Lemma 15 without its factor 2; false for t -> 0",
    special_case_of="000 Lemma 15",
    errata=("000 Lemma 15/E2",),
)
def symmetrisation() -> Outcome:
    """See :func:`proofs_checks.em.regressions.symmetrisation_refuted`."""
    return em_regressions.symmetrisation_refuted()


@symmetrisation.corrected(
    "E exp(t|A|) <= E exp(2t|2w y x_j|)", refuses={"1.5 t": {"factor": "1.5"}}
)
def symmetrisation_with_two(factor: str = "2") -> Outcome:
    """See :func:`proofs_checks.em.norms.symmetrised`."""
    return em_regressions.symmetrisation(factor)


@statement(
    "000 (61)",
    lines="772",
    kind="concentration",
    printed="E exp(t|2 eps w y x_j|) <= E exp(4t|eps y x_j|)",
    refuses={"exp(t|y x_j|)": {"factor": 1}},
    unchecked={
        "t": "a factor of both exponents; the step compares what it multiplies",
    },
)
def contraction(factor: int = 4) -> Outcome:
    """See :func:`proofs_checks.em.regressions.contraction_of_weight`."""
    return em_regressions.contraction_of_weight(factor)


@statement(
    "000 (62)",
    lines="776",
    kind="concentration",
    printed="|y|_psi2 <= C'' sqrt(||beta*||^2 + sigma^2)",
    checked="with C'' = 1",
    refuses={"C'' = .79": {"constant": "0.79"}, "||beta*|| for its square": {"norm_power": 1}},
    unchecked={
        "C''": "1 in the steps",
    },
)
def response_norm(constant: str = "1", norm_power: int = 2) -> Outcome:
    """See :func:`proofs_checks.em.regressions.response_norm`."""
    return em_regressions.response_norm(constant, norm_power)


@statement(
    "000 (63)",
    lines="780",
    kind="concentration",
    printed="|y x_j|_psi1 <= C_4 max{||beta*||^2 + sigma^2, 1}",
    checked="with C_4 = 2",
    refuses={
        "C_4 = 1.5 by the same steps": {"constant": "1.5"},
        "||beta*||^2 for ||beta*||^2 + sigma^2": {"noise": 0},
    },
    unchecked={
        "C_4": "2 in the steps",
    },
)
def product_norm(constant: str = "2", noise: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.regressions.product_norm`."""
    return em_regressions.product_norm(constant, noise)


@statement(
    "000 (64)",
    lines="784-788",
    kind="concentration",
    printed="E exp(t|B|) = E exp(t|sum_k x_j x_k beta_k - beta_j|), |B|_psi1 <= C sqrt(d) "
    "||beta*||",
    checked="with C = 99/32",
    refuses={"without sqrt(d)": {"power": 0}, "C = 3 by the same steps": {"constant": "3"}},
    unchecked={
        "t": "the equality is the definition of B",
        "C": "99/32 in the steps",
    },
)
def fit_norm(power: int = 1, constant: str = "99/32") -> Outcome:
    """See :func:`proofs_checks.em.regressions.fit_norm`."""
    return em_regressions.fit_norm(power, constant)
