"""Appendix B: the gradient of missing covariates is sub-exponential (Lemmas 21 and 22)."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks.em import missing as em_missing
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement

statement = partial(any_statement, algorithms=("wang-2",))

_PARTS = {"(1+kr) by the same steps": {"power": 1}, "without (1+k)": {"k_factor": 0}}
_NO_SPARSITY = "sqrt(s) for 1: s is not defined, it is left from a sparse model"
_SPARSITY = ("000 Lemma 21/E1",)


@statement(
    "000 Lemma 21",
    lines="802-806",
    kind="concentration",
    printed="grad_j q(beta; beta) is xi-sub-exponential, xi = C[(1+k)(1+kr)^2 sqrt(d) ||beta*|| + "
    "max{(1+kr)^2, sigma^2 + ||beta*||^2}]",
    checked="with C = 77, and without the sqrt(d)",
    refuses={
        "C = 76 by the same steps": {"constant": 76.0},
        "(1 + kr) for (1 + kr)^2 by the same steps": {"power": 1},
        "||beta*||^2 for sigma^2 + ||beta*||^2": {"noise": 0},
        "without (1+k) by the same steps": {"k_factor": 0},
    },
    slack="C = 1.5 is enough wherever it was tried",
    unchecked={
        "q": "entry j of its gradient is m_j y - (K beta)_j; the steps have the norms of both",
        "C": "77 in the steps",
    },
)
def gradient_is_sub_exponential(
    rng: np.random.Generator, constant: float = 77.0, **parts: int
) -> Outcome:
    """See :func:`proofs_checks.em.missing.sub_exponential`."""
    return em_missing.sub_exponential(rng, constant, **parts)


@statement(
    "000 (65)",
    lines="804-806",
    kind="concentration",
    printed="the xi of Lemma 21 is O(sqrt(d) ||beta*|| + sigma^2 + ||beta*||^2)",
    false="the constant (1+kr)^2 >= 1 in the maximum is dropped; a xi-sub-exponential variable has "
    "variance at most xi^2",
    errata=("model-rmc/E2",),
)
def simplified_xi() -> Outcome:
    """The gradient of :func:`proofs_checks.em.missing.vanishing_moment` has mean 0."""
    return em_missing.vanishing_moment()


@simplified_xi.corrected(
    "xi <= C (1+k)(1+kr)^2 (sqrt(d) ||beta*|| + max{1, sigma^2 + ||beta*||^2})",
    refuses={"without the 1": {"floor": 0}},
    unchecked={
        "xi, C": "xi is that of Lemma 21, C times the left side, with any C",
    },
)
def simplified_xi_with_constant(floor: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.missing.simplified_xi`."""
    return em_missing.simplified_xi(floor)


@statement(
    "000 (66)",
    lines="814",
    kind="identity",
    printed="grad q - E grad q = A + B, A = m y - E[m y], B = (K - E K) beta",
    false="sign of B; the bound on the norm is unaffected",
    errata=("000 Lemma 21/E2",),
)
def decomposition() -> Outcome:
    """See :func:`proofs_checks.em.missing.sign_refuted`."""
    return em_missing.sign_refuted()


@decomposition.corrected("grad q - E grad q = A - B", refuses={"A + B": {"sign": 1}})
def right_decomposition(sign: int = -1) -> Outcome:
    """See :func:`proofs_checks.em.missing.centred_gradient`."""
    return em_missing.centred_gradient(sign)


@statement(
    "000 (67)",
    lines="818",
    kind="definition",
    printed="A_j = m_j y - E[m_j y]",
    refuses={"+ E[m_j y]": {"sign": 1}},
)
def centred_response(sign: int = -1) -> Outcome:
    """See :func:`proofs_checks.em.missing.imputed_response`."""
    return em_missing.imputed_response(sign)


@statement(
    "000 Lemma 22",
    lines="822",
    kind="concentration",
    printed="under the assumption of Lemma 6, m_j is sub-Gaussian with mean 0 and |m_j|_psi2 <= "
    "C(1 + kr)",
    checked="under the assumptions of Lemma 7, with C = 1",
    misprint="the lemma on mixtures of regressions is named for that on missing covariates",
    refuses={"1 + kr/2": {"radius": "1/2"}},
    unchecked={
        "m_j": "by its deviation |beta_j| sqrt(E r^2)/V, b e/v^2 in the steps",
        "C": "1 in the steps",
    },
)
def imputed(radius: str = "1") -> Outcome:
    """See :func:`proofs_checks.em.missing.imputed`."""
    return em_missing.imputed(radius)


@statement(
    "000 (68)",
    lines="826",
    kind="concentration",
    printed="|m_j y|_psi1 <= C' max{(1+kr)^2, sigma^2 + ||beta*||^2}",
    checked="with C' = 2",
    refuses={
        "C' = 1 by the same steps": {"constant": 1},
        "||beta*||^2 for sigma^2 + ||beta*||^2": {"noise": 0},
        "sigma^2 for sigma^2 + ||beta*||^2": {"mean": 0},
        "1 + kr for (1 + kr)^2": {"power": 1},
    },
    unchecked={
        "C'": "2 in the steps",
    },
)
def imputed_times_response(
    constant: int = 2, noise: int = 1, mean: int = 1, power: int = 2
) -> Outcome:
    """See :func:`proofs_checks.em.missing.imputed_times_response`."""
    return em_missing.imputed_times_response(constant, noise=noise, mean=mean, power=power)


@statement(
    "000 (69)",
    lines="832",
    kind="identity",
    printed="K_j = (1-z_j) beta_j + sum_k m_j m_k beta_k - sum_k (1-z_j) m_j (1-z_k) m_k beta_k",
    checked="this is (K beta)_j",
    refuses={"+ the last sum": {"sign": -1}},
    unchecked={
        "K_j": "(K beta)_j, the steps' product, for j = 1, 2, 3",
    },
)
def row(sign: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.missing.row_of_second_moment`."""
    return em_missing.row_of_second_moment(sign)


@statement(
    "000 (70)",
    lines="836",
    kind="concentration",
    printed="|(1-z_j) beta_j|_psi2 <= |beta_j| <= (1+k) sqrt(s) ||beta*||",
    checked="<= (1+k) ||beta*||",
    misprint=_NO_SPARSITY,
    errata=_SPARSITY,
    refuses={"||beta*||": {"k_factor": 0}, "|beta_j|/2": {"share": "1/2"}},
    unchecked={
        "s": "left over from a sparse model; the steps are without it",
    },
)
def bounded_entry(k_factor: int = 1, share: str = "1") -> Outcome:
    """See :func:`proofs_checks.em.missing.bounded_entry`."""
    return em_missing.bounded_entry(k_factor, share)


@statement(
    "000 (71)",
    lines="840",
    kind="concentration",
    printed="|sum_k m_j m_k beta_k|_psi1 <= C_4 (1+kr)^2 ||beta||_1",
    checked="with C_4 = 2",
    refuses={
        "C_4 = 1 by the same steps": {"constant": 1},
        "(1+kr)": {"power": 1},
        "||beta||_2": {"norm": 2},
    },
    unchecked={
        "C_4": "2 in the steps",
    },
)
def sum_of_products(constant: int = 2, power: int = 2, norm: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.missing.sum_of_products`."""
    return em_missing.sum_of_products(constant, power, norm)


@statement(
    "000 (72)",
    lines="844",
    kind="concentration",
    printed="|sum_k m_j m_k beta_k|_psi1 <= C_4 sqrt(s) (1+kr)^2 ||beta*||",
    checked="<= 4 (1+k)(1+kr)^2 ||beta*||; (71) alone gives sqrt(d) times that",
    misprint=_NO_SPARSITY,
    errata=_SPARSITY,
    refuses={"3.9 by the same steps": {"constant": "3.9"}, **_PARTS},
    unchecked={
        "C_4": "4 (1 + k) in the steps",
    },
)
def all_products(constant: str = "4", power: int = 2, k_factor: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.missing.products_without_sparsity`."""
    return em_missing.products_without_sparsity(constant, power, k_factor)


@statement(
    "000 (73)",
    lines="848",
    kind="concentration",
    printed="|sum_k (1-z_j) m_j (1-z_k) m_k beta_k|_psi1 <= C_6 (1+kr)^2 sqrt(s) ||beta*||",
    checked="<= 2 (1+k)(1+kr)^2 ||beta*||",
    misprint=_NO_SPARSITY,
    errata=_SPARSITY,
    refuses={"1.9 by the same steps": {"constant": "1.9"}, **_PARTS},
    unchecked={
        "C_6": "2 (1 + k) in the steps",
    },
)
def missing_products(constant: str = "2", power: int = 2, k_factor: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.missing.missing_products`."""
    return em_missing.missing_products(constant, power, k_factor)


@statement(
    "000 (74)",
    lines="852",
    kind="concentration",
    printed="|K_j|_psi1 <= C_7 sqrt(s) (1+k)(1+kr)^2 ||beta*||",
    checked="<= 7 (1+k)(1+kr)^2 ||beta*||",
    misprint=_NO_SPARSITY,
    errata=_SPARSITY,
    refuses={"6.9 by the same steps": {"constant": "6.9"}, **_PARTS},
    unchecked={
        "C_7": "7 in the steps",
    },
)
def row_norm(constant: str = "7", power: int = 2, k_factor: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.missing.row_norm`."""
    return em_missing.row_norm(constant, power=power, k_factor=k_factor)


@statement(
    "000 Lemma 21, last display",
    lines="854-856",
    kind="concentration",
    printed="|grad_j - E grad_j|_psi1 <= 2 |grad_j|_psi1 <= C_8 [(1+k)(1+kr)^2 sqrt(s) ||beta*|| + "
    "max{(1+kr)^2, sigma^2 + ||beta*||^2}]",
    checked="with C_8 = 14 and without sqrt(s)",
    misprint=_NO_SPARSITY,
    errata=_SPARSITY,
    refuses={
        "C_8 = 13 by the same steps": {"constant": "13"},
        "without (1+k) by the same steps": {"k_factor": 0},
        "(1 + kr) for (1 + kr)^2 by the same steps": {"power": 1},
        "||beta*||^2 for sigma^2 + ||beta*||^2": {"noise": 0},
    },
    unchecked={
        "C_8": "14 in the steps",
    },
)
def centred_norm(
    constant: str = "14", noise: int = 1, power: int = 2, k_factor: int = 1
) -> Outcome:
    """See :func:`proofs_checks.em.missing.centred_norm`."""
    return em_missing.centred_norm(constant, noise=noise, power=power, k_factor=k_factor)
