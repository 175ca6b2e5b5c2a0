"""Errata in the sources of diss-6.1.46 (Algorithm 6.1.46)."""

from __future__ import annotations

from typing import Any

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.errata.privacy.calibration import printed_gaussian_scale
from reference.matrices.local_gaussian_pca import Constants, local_gaussian_pca


def printed_constants(data: Any, *, epsilon: float, delta: float, n_components: int) -> Constants:
    """Noise sqrt(2 log(1.25/delta))/epsilon, for sensitivity 1 (step 2, l.7398)."""
    del data, n_components
    return Constants(1.0, printed_gaussian_scale(epsilon, delta, sensitivity=1.0))


printed = with_constants(local_gaussian_pca, printed_constants)

ERRATA = (
    Erratum(
        name="diss-6.1.46/E1",
        severity="S2",
        kind="privacy",
        origin="mathematical",
        statement="for any epsilon, delta > 0, noise sqrt(2 ln(1.25/delta))/epsilon on the "
        "upper triangle of x x^T is (epsilon, delta)-LDP",
        truth="the sensitivity is sqrt 2, not 1: false for epsilon above 1.878 at delta = "
        "1e-2, 0.365 at 1e-5; for large epsilon false even with sensitivity 1. sqrt 2 times "
        "the noise, or twice the variance on the diagonal, suffices for epsilon <= 1",
        witness="records e_1 and e_2: delta(1) = 3.74e-5 at (1, 1e-5), delta(4) = .0475 at "
        "(4, 1e-2)",
        reproduced_by="audit:printed/privacy_loss",
    ),
    Erratum(
        name="diss-6.1.46/E2",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="(6.2) multiplies the privacy term by lambda_1^2",
        truth="O(k (p log(1/delta)/epsilon^2 + lambda_1^2 p)/((lambda_k - lambda_{k+1})^2 n)): "
        "the rate as printed does not change when the records are scaled, the error does",
        witness="records scaled by sqrt c, p=6, k=1, n=2e4, epsilon=1, delta=1e-5: error "
        ".009, .050, .14 at c = 1, 1/2, 1/4; the printed rate is the same for all",
        reproduced_by="audit:printed/scaling",
    ),
    Erratum(
        name="diss-6.1.46/E3",
        severity="S2",
        kind="experiment",
        origin="mathematical",
        statement="at n=1e5, p=40, epsilon=.5, delta=1e-4, lambda=1 the error falls with n and "
        "epsilon and grows with p and k as the theory says",
        truth="the output is a random subspace: entry noise .0275 against an eigengap of "
        ".0025; k=5 needs n of about 1e9",
        witness="error 2.94, 3.84, 4.33, 4.45 for k=5, 10, 15, 20; a random subspace has "
        "2.958, 3.873, 4.330, 4.472",
        reproduced_by="proofs:004 Section 6.1.5, low dimension",
    ),
    Erratum(
        name="diss-6.1.46/E4",
        severity="S3",
        kind="proof",
        origin="mathematical",
        statement="the class has Var(Z) = I and ||Z||_psi2 <= 1",
        truth="the two exclude each other; use ||Z||_psi2 <= L with L >= sqrt(8/3)",
        witness="Jensen: unit variance forces ||Z||_psi2 >= 1/sqrt(ln 2) = 1.2011; N(0, I) has "
        "sqrt(8/3) = 1.633",
        reproduced_by="proofs:004 Class P(k, sigma^2)",
    ),
    Erratum(
        name="diss-6.1.46/E5",
        severity="S4",
        kind="proof",
        origin="unclear",
        statement="(6.2) holds with probability 1 - e^(-C_1 p) - p^(-C_2)",
        truth="the proof gives 1 - e^(-C_1) for the covariance term; a deviation of "
        "sqrt(r/n) + sqrt(t/n) + t/n at t = p, which the p of (6.2) allows, gives it",
        witness="Sigma of rank one: ||S - Sigma||_2 >= 2 lambda_1 sqrt(r/n) with probability "
        ".157 at n=1000, for every p",
        reproduced_by="proofs:004 Theorem 6.1.2 (probability)",
        elsewhere="The proof (l.7697) has 1 - exp(-C_1)",
    ),
    Erratum(
        name="diss-6.1.46/E6",
        severity="S4",
        kind="misprint",
        origin="unclear",
        statement="||sin Theta||_F^2 = ||E - F||_F^2 = ||V V^T - W W^T||_F^2/2",
        truth="the second is right, the first is twice the value",
        witness="lines at the angle of the 3-4-5 triangle: 16/25 against 32/25",
        reproduced_by="proofs:004 Definition of sin Theta",
        elsewhere="Nowhere else",
    ),
    Erratum(
        name="diss-6.1.46/E7",
        severity="S4",
        kind="proof",
        origin="unclear",
        statement="Lemma 6.1.6: P(||S_n - Sigma||_2 >= s) <= exp(-s/(c_1 lambda_1 sqrt(r/n))) for "
        "all s >= 0, n >= r",
        truth="a prefactor is missing: at s of the typical size the probability tends to 1 with p, "
        "the bound is a constant below 1; true with the prefactor e",
        witness="N(0, I_p), n = p = 1000, s = 1/2: probability above 1 - 1e-41, so c_1 >= 1e40",
        reproduced_by="proofs:004 Lemma 6.1.6",
        elsewhere="Nowhere else",
    ),
)

FORMS = (
    PrintedForm(
        "printed",
        errata=(
            "diss-6.1.46/E1",
            "diss-6.1.46/E2",
        ),
        function=printed,
    ),
    PrintedForm("printed-epsilon-10", errata=("diss-6.1.46/E1",), function=printed),
)
