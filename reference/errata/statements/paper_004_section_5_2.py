"""What Wang (2020), section 5.2, prints that does not hold, of its theorems, lemmas and proofs."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="diss-5.2.39/E5",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="Lemma 5.2.9: n >= Omega(kappa_x^4 ||Sigma||^2 p r^4 log(1/delta)/(epsilon^2 "
        "lambda_min^2)) makes the noisy X^T X invertible",
        truth="the larger of kappa_x^4 ||Sigma||^2 p/lambda_min^2 and r^4 p log(1/delta)/(epsilon "
        "lambda_min)^2 is needed, not their product, which is too small for ||Sigma|| < 1",
        witness="Sigma = 1e-8, p = r = epsilon = 1, C = n = 1e4: noise 100 against 2.5e-5",
        reproduced_by="proofs:004 Lemma 5.2.9, condition",
    ),
    Erratum(
        name="diss-5.2.39/E6",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="Lemma 5.2.4: ||E w||_M^2 <= sigma^2 Tr(M) ||w||^2 log(2 p^2/xi) with "
        "probability 1 - xi",
        truth="4 sigma^2 Tr(M) ||w||^2 log(2 p/xi): a normal tail needs 2 log, and the symmetric "
        "E has directions of variance 2 sigma^2 ||w||^2",
        witness="p = 1, xi = .01: fails with probability .0213",
        reproduced_by="proofs:004 Lemma 5.2.4",
    ),
    Erratum(
        name="004 Lemma 5.2.5/E1",
        severity="S3",
        kind="proof",
        origin="mathematical",
        statement="Lemma 5.2.5: ||X^T X/n - Sigma|| <= C kappa_x^2 sqrt(p/n) ||Sigma||, any n",
        truth="max(sqrt(p/n), p/n), that is as printed for n >= p",
        witness="n = 1, p = 1e6, Sigma = I, C = 100: error above 5e5 against 1e5",
        reproduced_by="proofs:004 Lemma 5.2.5",
    ),
    Erratum(
        name="004 Lemma 5.2.9/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Lemma 5.2.9: Tr(A^-2) <= (Tr A^-1)^2 <= p ||A^-2||_2^2 = "
        "p/lambda_min^2",
        truth="Tr(A^-2) <= p/lambda_min^2 directly; the two steps after the first are false",
        witness="A = I, p = 2: (Tr A^-1)^2 = 4 against 2",
        reproduced_by="proofs:004 Lemma 5.2.9, trace",
    ),
    Erratum(
        name="004 Lemma 5.2.10/E1",
        severity="S3",
        kind="proof",
        origin="mathematical",
        statement="Lemma 5.2.10: n >= Omega(kappa_x gamma p) records are enough, gamma the norm "
        "of y",
        truth="the condition must not fall with the unit of y: X^T X is singular for n < p",
        witness="p = 2, gamma = 1/(2C): n = 1 is enough as printed",
        reproduced_by="proofs:004 Lemma 5.2.10",
    ),
)
