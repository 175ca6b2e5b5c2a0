"""Errata in the sources of diss-7.2.57 (Algorithm 7.2.57)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array
from reference.catalogue import Erratum, PrintedForm
from reference.em.full_data_gradient_em import constants_for
from reference.em.models import GaussianMixture
from reference.errata.em.split_gradient_em import printed_mean
from reference.privacy.ledger import Ledger, open_ledger


def printed(
    data: ArrayLike,
    model: GaussianMixture,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    n_iterations: int,
    ledger: Ledger | None = None,
) -> FloatArray:
    """(7.68) has 1/n before the sum of the corrections, not s/n (l.9814); (7.70) has a factor R."""
    ledger = open_ledger(ledger)
    beta = require_array("initial", initial, ndim=1)
    records = model.validate(data, beta.size)
    n = len(records)
    step_1 = constants_for(
        n=n,
        dimension=beta.size,
        epsilon=epsilon,
        delta=delta,
        second_moment=second_moment,
        failure_probability=failure_probability,
        n_iterations=n_iterations,
        method="zcdp",
    )
    s = step_1.truncation_scale
    for _ in range(n_iterations):
        terms = model.terms(records, beta)
        robust = printed_mean(terms, s, step_1.precision, correction_factor=1 / n)
        beta = ledger.gaussian(robust, sensitivity=step_1.sensitivity, scale=step_1.noise_scale)
    return beta


ERRATA = (
    Erratum(
        name="diss-7.2.57/E1",
        severity="S1",
        kind="privacy",
        origin="misprint",
        statement="(7.68): (1/n) sum_i of the cubic + (1/n) sum_i C",
        truth="(s/n) sum_i C, as (7.61) has it; without s the cubic is not cancelled, the "
        "influence of one record is unbounded and the update is not DP",
        witness="n = 10000, tau = 1, d/zeta = 200, s = 30.72: a term of 1000 contributes "
        "-26.66 instead of at most 0.0029",
        reproduced_by="audit:printed/sensitivity",
        elsewhere="s/n in (7.61), l.9637, and (3.78), l.1635; s/m in Hu et al. (2022), l.208",
    ),
    Erratum(
        name="diss-7.2.57/E2",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 7.2.8: strong concavity gives <grad Q(M) - grad "
        "Q(beta*), M - beta*> >= v ||M - beta*||^2",
        truth="<= -v ||M - beta*||^2; with the left side negated the proof goes through",
        witness="Q(b) = -b^2/2 (v = 1), beta* = 0, M = 2: the left side is -4, claimed >= 4",
        reproduced_by="proofs:004 Theorem 7.2.8, proof (sign)",
    ),
    Erratum(
        name="diss-7.2.57/E3",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 7.2.8: ||grad Q(M(beta); beta*) - grad Q(M(beta); "
        "beta)|| <= gamma ||beta - beta*|| by Assumption 7.2.2",
        truth="the assumption has the gradients taken at beta, not at M(beta); the two agree "
        "for the Gaussian mixture, where the difference does not depend on the point",
        witness="missing covariates, x_2 missing, sigma = 1, beta* = (1, 1), beta = (0.5, 1): "
        "E x_1 m_2 is 0.25 at beta and 0 at beta*, so the difference of the gradients at b has "
        "slope 0.25 in b",
        reproduced_by="proofs:004 Theorem 7.2.8, proof (Lipschitz gradient)",
    ),
    Erratum(
        name="diss-7.2.57/E4",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="(7.70): sqrt(v/(v-gamma)^3), and R times the whole error bound",
        truth="sqrt(v^3/(v-gamma)^3), equal for v = 1 as in the paper's models; the noise "
        "term has no R",
        witness="v = 4, gamma = 0: printed 0.25, proof 1; beta*, sigma and sqrt(tau) times c: "
        "error times c, claimed bound times c^2",
        reproduced_by="proofs:004 Theorem 7.2.8",
    ),
    Erratum(
        name="004 Theorem 7.2.7/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Theorem 7.2.7: Algorithm 7.2.56 is (epsilon, delta)-DP",
        truth="Algorithm 7.2.57 is meant; true of it once s is restored in (7.68)",
        witness="Theorem 7.2.2 says the same of Algorithm 7.2.56 already",
        reproduced_by="proofs:004 Theorem 7.2.7",
        elsewhere="l.9800 says it of Algorithm 7.2.57",
    ),
    Erratum(
        name="model-mrm/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Q_n of the mixture of regressions (l.9776): (1/2n)(-w (y - <x, b>)^2 + "
        "(1 - w)(y + <x, b>)^2), no sum",
        truth="both squares have a minus; as printed the Hessian is mean (1 - 2w) x x^T, "
        "in general indefinite, and the M_n given is no maximiser",
        witness="n = 1000, d = 3, SNR 2.2: Hessian eigenvalues -0.033, 0.061, 0.139",
        reproduced_by="proofs:004 Q_n of the mixture of regressions",
        elsewhere="Nowhere else; the M_n of l.9780 maximises the form with a minus before both "
        "squares",
        sign="bracket",
    ),
    Erratum(
        name="model-rmc/E3",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Q_n of missing covariates (l.9786): the quadratic term is beta^T K beta'",
        truth="beta^T K beta; as printed Q_n is linear in beta and has no maximiser",
        witness="nothing missing, x = (1, 1), y = 2, beta' = (1/2, 1): slope (1.25, 1.25)",
        reproduced_by="proofs:004 Q_n of missing covariates",
        elsewhere="Nowhere else; the M_n of l.9790 follows from beta^T K beta, and so does the "
        "gradient of Wang et al. (2020), l.129",
        sign="prime",
    ),
    Erratum(
        name="model-rmc/E4",
        severity="S3",
        kind="proof",
        origin="mathematical",
        statement="M_n = (mean K)^-1 (mean y m), K of (7.51), maximises Q_n",
        truth="where mean K is positive definite, which it is for n large (E K = I at beta*); the "
        "conditional second moment that K should be (model-rmc/E1) is never indefinite",
        witness="n = 1, beta' = (1/2, 1), sigma = 1, x_1 = 1, x_2 missing, y = 8: K has the "
        "eigenvalues -2.75 and 4.75",
        reproduced_by="proofs:004 M_n of missing covariates",
    ),
)

FORMS = (
    PrintedForm(
        "printed",
        errata=(
            "diss-7.2.57/E1",
            "diss-7.2.57/E4",
        ),
        function=printed,
    ),
)
