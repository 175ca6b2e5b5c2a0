"""Section 3: the gradients of the mixture of regressions and of missing covariates."""

from __future__ import annotations

from functools import partial

from proofs_checks.em import missing as em_missing
from proofs_checks.em import regressions as em_regressions
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement

statement = partial(any_statement, algorithms=("wang-2",))


@statement(
    "000 (6)",
    lines="111-117",
    kind="definition",
    printed="Y = Z <beta*, X> + V, X ~ N(0, I), V ~ N(0, sigma^2), Z a fair sign",
    refuses={"E Y^2 = ||beta*||^2 + sigma": {"power": 1}},
    unchecked={
        "Z": "the fair sign; the step averages over both of its values",
    },
)
def regressions(power: int = 2) -> Outcome:
    """See :func:`proofs_checks.em.regressions.model`."""
    return em_regressions.model(power)


@statement(
    "000 (7)",
    lines="117-121",
    kind="identity",
    printed="grad q(beta; beta) = (2w - 1) y x - x x^T beta with w = 1/(1 + exp(-y <beta, x>/"
    "sigma^2))",
    false="the exponent lacks a factor 2: w is not the posterior, and beta* is not a fixed point",
    errata=("model-mrm/E2",),
)
def regression_gradient() -> Outcome:
    """See :func:`proofs_checks.em.regressions.weight_refuted`."""
    return em_regressions.weight_refuted()


@regression_gradient.corrected(
    "w = 1/(1 + exp(-2 y <beta, x>/sigma^2)); then E (2w - 1) Y X = beta* at beta = beta*",
    refuses={
        "without the 2": {"twice": 1},
        "x x^T beta/2": {"own": 2},
        "E w Y X at beta*": {"sign": 1},
        "2 beta*": {"times": 2},
    },
    unchecked={
        "Y": "the response as a variable; the steps have its density, (plus + minus)/2",
    },
)
def regression_posterior(twice: int = 2, own: int = 1, sign: int = 2, times: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.regressions.gradient`."""
    return em_regressions.gradient(twice, own, sign, times)


@statement(
    "000 (8)",
    lines="123-127",
    kind="definition",
    printed="Y = <X, beta*> + V, X ~ N(0, I), V ~ N(0, sigma^2), "
    "entries of X missing with probability p_m",
    refuses={"without the missing part in E r^2": {"own": 0}},
    unchecked={
        "p_m": "how likely a pattern is; the step has one entry observed and one missing",
    },
)
def missing_covariates(own: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.missing.model`."""
    return em_missing.model(own)


@statement(
    "000 (9)",
    lines="129",
    kind="identity",
    printed="grad q(beta; beta) = y m_beta - K_beta beta with the K_beta of (11)",
    false="with this K_beta it is not the gradient: missing coordinates are V/sigma^2 times it",
    errata=("model-rmc/E1",),
)
def missing_gradient() -> Outcome:
    """See :func:`proofs_checks.em.missing.gradient_refuted`."""
    return em_missing.gradient_refuted()


@missing_gradient.corrected(
    "y m_beta - E[x x^T | x_obs, y] beta = sigma^2 grad log f(y | x_obs), up to sigma^2 the "
    "gradient of q",
    refuses={
        "with the printed K_beta": {"covariance": 0},
        "twice the covariance": {"covariance": 2},
        "2 sigma^2 times the gradient of q": {"times": 2},
    },
    unchecked={
        "m_beta": "by its entries: x_j if observed, a b_j if missing",
        "x_obs": "by the fit f of the observed entries",
    },
)
def missing_gradient_is_a_score(covariance: int = 1, times: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.missing.gradient`."""
    return em_missing.gradient(covariance, times)


@statement(
    "000 (10)",
    lines="133",
    kind="identity",
    printed="m_beta = z x + (y - <beta, z x>)/(sigma^2 + ||(1-z) beta||^2) (1-z) beta",
    checked="m_beta is the conditional mean of x given its observed entries and y",
    refuses={"without sigma^2": {"own": 0}, "2 sigma^2": {"own": 2}},
    unchecked={
        "m_beta": "by its entries at missing j, m h_j; the observed are x_j by definition",
    },
)
def conditional_mean(own: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.missing.conditional_mean`."""
    return em_missing.conditional_mean(own)


@statement(
    "000 (11)",
    lines="137",
    kind="identity",
    printed="K_beta = diag(1-z) + m m^T - [(1-z) m][(1-z) m]^T",
    checked="this is E[x x^T | x_obs, y]",
    false="the missing block must be I - beta beta^T/V + m m^T with V = sigma^2 + ||beta||^2, "
    "printed is I; beta* is a zero of the population gradient of both",
    errata=("model-rmc/E1",),
)
def second_moment() -> Outcome:
    """See :func:`proofs_checks.em.missing.second_moment_refuted`."""
    return em_missing.second_moment_refuted()


@second_moment.corrected(
    "K_beta = diag(1-z) + m m^T - [(1-z) beta][(1-z) beta]^T/V",
    refuses={
        "2 sigma^2 in V": {"twice": 2},
        "I for diag(1-z)": {"diagonal": "1"},
        "without m m^T": {"mean": 0},
    },
    unchecked={
        "K_beta": "E[x x^T | x_obs, y]; the steps have its entries",
    },
)
def conditional_second_moment(twice: int = 1, diagonal: str = "1 - z", mean: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.missing.second_moment`."""
    return em_missing.second_moment(twice, diagonal, mean)
