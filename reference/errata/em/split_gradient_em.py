"""Errata in the sources of wang-2 (Algorithm 2)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array
from reference.blocks import disjoint_blocks
from reference.catalogue import Erratum, PrintedForm
from reference.em.models import LatentModel
from reference.em.split_gradient_em import constants_for
from reference.heavy_tailed.truncation import correction
from reference.privacy.ledger import Ledger, open_ledger


def printed(
    data: ArrayLike,
    model: LatentModel,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    step_size: float,
    n_iterations: int,
    ledger: Ledger | None = None,
) -> FloatArray:
    """(23) has s/n before the sum of the corrections, not s/m (l.295); (25) has a factor R."""
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
    for block in disjoint_blocks(n, n_iterations):
        gradients = model.gradients(records[block], beta)
        robust = printed_mean(gradients, s, step_1.precision, correction_factor=s / n)
        noisy = ledger.gaussian(
            robust, sensitivity=step_1.sensitivity, scale=step_1.noise_scale, records=block
        )
        beta = beta + step_size * noisy
    return beta


def printed_mean(
    values: FloatArray, scale: float, precision: float, *, correction_factor: float
) -> FloatArray:
    """Return the mean of the cubics plus ``correction_factor`` times the sum of corrections.

    With ``scale`` over the number of values as the factor it is, in real arithmetic, the mean of
    :func:`~reference.heavy_tailed.truncation.smoothed_truncation`; in doubles the cubes leave
    rounding errors of their own size (erratum wang-phi/E2).
    """
    a = values / scale
    cubic = values * (1 - a**2 / (2 * precision)) - values * a**2 / 6
    # b = 0 is 0/0 (erratum wang-phi/E1); its limit is that of b -> 0
    corrections = correction(a, np.maximum(np.abs(a) / math.sqrt(precision), 1e-100))
    mean: FloatArray = cubic.mean(axis=0) + correction_factor * corrections.sum(axis=0)
    return mean


ERRATA = (
    Erratum(
        name="wang-2/E1",
        severity="S4",
        kind="accounting",
        origin="misprint",
        statement="Algorithm 2: sigma^2 = 16 s^2 d/(9 m^2 te^2) = 4 d T tau/(9 n b^2 te)",
        truth="b^4 in the second form, for the printed s = sqrt(m tau te)/(2 log(d/zeta)) and "
        "b = sqrt(log(d/zeta)); the first form is the one that is derived, the second is larger "
        "for zeta < d/e and only adds noise",
        witness="n = 1e4, T = d = 10, zeta = 0.05, (1, 1e-5), tau = 1: 0.001097 and 0.005814",
        reproduced_by="proofs:000 Algorithm 2, sigma^2",
        elsewhere="Nowhere else with this beta; the first form and s of l.291 give beta^4",
        sign="exponent",
    ),
    Erratum(
        name="wang-2/E2",
        severity="S1",
        kind="privacy",
        origin="misprint",
        statement="(23): (1/m) sum_{i<=m} of the cubic + (s/n) sum_{i<=n} C-hat",
        truth="(s/m) sum_{i<=m} C-hat over the same block; with s/n the cubic is not "
        "cancelled, the influence of one record is unbounded and the update is not DP",
        witness="m = 1000, n = 10000, s = 5, d/zeta = 200: a gradient of 1000 contributes "
        "-1.4e4 instead of at most 0.0047",
        reproduced_by="audit:printed/sensitivity",
        elsewhere="The dissertation has one n everywhere, as it has no blocks (l.1635, l.9637); "
        "Hu et al. (2022), l.208, has s/m over the block",
    ),
    Erratum(
        name="wang-2/E3",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="(25): R multiplies the whole error bound",
        truth="R belongs to the vanishing term iota^T R/2 only; the noise term has no R",
        witness="beta*, sigma and sqrt(tau) times c: the error is exactly c times, the "
        "claimed bound c^2 times the old one, so it fails as c -> 0",
        reproduced_by="proofs:000 Theorem 5",
    ),
    Erratum(
        name="wang-2/E4",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 5: |Z_j|^2 <= sigma^2 log(d/zeta) with probability 1 - zeta/d",
        truth="2 sigma^2 log(d/zeta); constants only",
        witness="P(Z^2 > sigma^2 log(d/zeta)) = 0.0213 > 0.005 at d = 10, zeta = 0.05",
        reproduced_by="proofs:000 Theorem 5, proof (Gaussian tail)",
    ),
    Erratum(
        name="wang-2/E5",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 5: the robust mean's squared error is O(tau "
        "log(d/zeta)/n) by Lemma 1",
        truth="Lemma 1 needs another s and precision on n samples; the squared bias alone "
        "reaches order tau T log^2(d/zeta)/(n tilde-epsilon); the rate survives up to logs",
        witness="two-point law, T = 10, d/zeta = 200, delta = 1e-5: squared bias 167 times "
        "tau log(d/zeta)/n at epsilon = 1, 1.6e4 times at 0.01",
        reproduced_by="proofs:000 Theorem 5, proof (robust mean)",
    ),
    Erratum(
        name="wang-2/E6",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(47)-(48): (a + b)^2 <= a^2 + b^2",
        truth="(a + b)^2 <= 2a^2 + 2b^2; constants only",
        witness="a = b = 1: 4 > 2",
        reproduced_by="proofs:000 (48)",
    ),
    Erratum(
        name="wang-2/E7",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(47): the squared distance of the noisy mean g from grad Q is sum_j (g~_j - "
        "grad_j Q)^2, g~ the robust mean",
        truth="g_j = g~_j + Z_j on the right, as the next line and Wang (2020), (7.76), have it",
        witness="one coordinate, g~ = grad Q, Z = 1: 1 on the left, 0 on the right",
        reproduced_by="proofs:000 (47)",
        elsewhere="Wang (2020), l.10006, has g_j without the tilde",
        sign="hat",
    ),
    Erratum(
        name="model-gmm/E1",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="(5): w_beta(y) = 1/(1 + exp(-<beta, y>/sigma^2)) is the posterior of the "
        "mixture, and beta* is self-consistent (Lemma 3)",
        truth="the posterior's exponent is -2<beta, y>/sigma^2; with the printed weight beta* is "
        "no fixed point of the population map, and for SNR <= 1 only 0 is one. Where the SNR is a "
        "large constant, as Lemma 3 has it, the bias is small: 6e-5 of beta* at 4, 6e-7 at 5",
        witness="beta = 1, y = 0.7, sigma = 0.5: posterior 0.99632, printed 0.94268; fixed "
        "point over beta*: 0.8313 (SNR 1.5), 0.9530 (2), 0.99742 (3), 0.999939 (4)",
        reproduced_by="proofs:000 (5)",
    ),
    Erratum(
        name="model-mrm/E2",
        severity="S1",
        kind="utility",
        origin="mathematical",
        statement="(7): w_beta(x, y) = 1/(1 + exp(-y <beta, x>/sigma^2)) is the posterior of "
        "the mixture of regressions, and beta* is self-consistent (Lemma 5)",
        truth="the posterior's exponent is -2y <beta, x>/sigma^2; with the printed weight the "
        "population's fixed point is nearer to 0",
        witness="fixed point over beta*: 0.7969 (SNR 1), 0.9646 (2), 0.98837 (3), 0.99488 (4), "
        "0.99732 (5), 0.99965 (10)",
        reproduced_by="proofs:000 (7)",
    ),
    Erratum(
        name="model-rmc/E1",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="(11): K_beta is E[x x^T | x_observed, y], so that (9) is the gradient of EM",
        truth="its missing block is I - b b^T/(sigma^2 + |b|^2) + m m^T, not I; the missing "
        "coordinates of (9) are (sigma^2 + |b|^2)/sigma^2 times those of EM. beta* is still a "
        "zero of the population gradient",
        witness="sigma^2 = 0.49, beta = (0.6, -0.8, 0.5, 0.9), second and third missing, "
        "y = 1.3: ratio 2.8163",
        reproduced_by="proofs:000 (11)",
    ),
    Erratum(
        name="model-rmc/E2",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="Lemma 8: E(nabla_j)^2 <= O((sqrt(d) |beta*| + sigma^2 + |beta*|^2)^2)",
        truth="(65) drops a constant >= 1 inside its maximum; O(|beta*|^2 + sigma^2) holds for "
        "bounded SNR",
        witness="d = 5, p_m = 0.1, sigma = 0.01, |beta*| = 2e-6, at beta*: 9.0e-5 against "
        "O(1.09e-8); the ratio grows like 1/sigma^2",
        reproduced_by="proofs:000 Lemma 8",
    ),
    Erratum(
        name="wang-prep/E1",
        severity="S2",
        kind="experiment",
        origin="unclear",
        statement="Section 6: the maximal eigenvalue of a cluster's covariance is taken as the "
        "sigma of (4)",
        truth="an eigenvalue is a variance; sigma is its square root",
        witness="data times c: the eigenvalue is c^2 times, sigma c times as large",
        reproduced_by="proofs:000 Section 6, real data",
        elsewhere="Nowhere else",
    ),
    Erratum(
        name="wang-2/E8",
        severity="S2",
        kind="accounting",
        origin="unclear",
        statement="l.291, l.700: tilde-epsilon = sqrt(log(1/delta)) + epsilon - "
        "sqrt(log(1/delta)), which is epsilon",
        truth="sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)), as in l.630",
        witness="(1, 1e-5): the literal one is epsilon^2-zCDP, delta(1) = .286",
        reproduced_by="test:test_a_root_that_ends_too_early_is_another_budget",
        copy_of="diss-3.2.7/E3",
        elsewhere="Right in l.630, and in the dissertation's version of the box, Wang (2020), "
        "l.9633; as early in Wang (2020), l.1526, l.1631, l.2121, l.2738 and l.10048",
        sign="root",
    ),
)

FORMS = (
    PrintedForm(
        "printed",
        errata=(
            "wang-2/E2",
            "wang-2/E3",
        ),
        function=printed,
    ),
)
