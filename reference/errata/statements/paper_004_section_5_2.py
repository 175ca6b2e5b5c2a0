"""Errata of Wang (2020), section 5.2, in its theorems, lemmas and proofs."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="diss-5.2.39/E8",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(5.40): |c_bar_Phi - c_Phi| has the factor c_Phi, (5.60) r^2 kappa_x^7; so the "
        "third terms of (5.20), (5.27) and (5.62), with ||w*||_inf^3 and "
        "||Sigma^{1/2}||_inf; l.6245 has ||w*||_inf",
        truth="c_Phi^2 and r^3 kappa_x^6; the third term of (5.59) is 16 c_Phi G r kappa_x^3 "
        "sqrt(rho_2) rho_inf ||w*||_inf^2/sqrt p, as Lemma 5.2.2 has it",
        witness="c_Phi = 4, all else 1: 256 against 64",
        reproduced_by="proofs:004 (5.40)",
    ),
    Erratum(
        name="004 (5.44)/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="(5.44): M^-1 is lost from the first line to the second",
        truth="with M^-1; (5.32) and (5.42) have it",
        witness="M = 1e-6, all else 1: 1e6 against 1000",
        reproduced_by="proofs:004 (5.44)",
        elsewhere="M^-1 in the first line of the display (l.6140), in (5.32), l.6013, and (5.45), "
        "l.6150",
    ),
    Erratum(
        name="004 Lemma 5.2.11/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="proof of Lemma 5.2.11, part 1: f(c_bar_Phi, w^ols) = 0",
        truth="= 1, as the lemma has it",
        witness="Phi'' = 1: f(c) = c, and c_bar_Phi = 1",
        reproduced_by="proofs:004 Lemma 5.2.11, part 1",
        elsewhere="1 in part 3 (l.6081) and in the lemma",
    ),
    Erratum(
        name="004 (5.30)/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="(5.30): the first part of the condition on m is without c_bar",
        truth="with c_bar^2, as in the display of the proof (l.6073-6079); c_bar is a constant in "
        "the theorems",
        witness="c_bar = 1e4, all else 1: m = 1000 leaves an error of 316 against 1/2",
        reproduced_by="proofs:004 (5.30)",
        elsewhere="c_bar^2 in the proof (l.6077)",
    ),
    Erratum(
        name="004 (5.47)/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="(5.47): the second part of (5.30) without ||Sigma||",
        truth="over ||Sigma||, as in (5.30)",
        witness="||Sigma|| = 1e-6, all else 1: 1e6 against 1000",
        reproduced_by="proofs:004 (5.47)",
        elsewhere="||Sigma||_2 in the denominator of (5.30), l.6005",
    ),
    Erratum(
        name="004 (5.49)/E1",
        severity="S3",
        kind="proof",
        origin="mathematical",
        statement="(5.49) and (5.64), by which the conditions of Theorems 5.2.2, 5.2.3 and 5.2.5 "
        "are chosen: n grows with ||Sigma||^2",
        truth="with ||Sigma||, as in (5.31) and (5.48), of which the larger part is needed: for "
        "bounded x ||Sigma|| is at most r^2 and often below 1. True for ||Sigma|| >= 1: a matter "
        "of units",
        witness="||Sigma|| = lambda_min = 1e-6, C = 1000, all else 1: 1e6 needed, 1000 asked for",
        reproduced_by="proofs:004 (5.49)",
    ),
    Erratum(
        name="004 (5.35)/E1",
        severity="S3",
        kind="proof",
        origin="mathematical",
        statement="(5.35): c w for c in [0, c_bar] and ||w - w_bar|| <= delta' is a ball of radius "
        "c_bar delta' around w_bar; Theorem 5.2.3 asks for sub-Gaussian Phi'' on such a "
        "ball only",
        truth="it is within ||w'|| <= c_bar (||w_bar|| + delta'), on which Phi'' must be "
        "sub-Gaussian",
        witness="w_bar = 1, delta' = .1, c_bar = 2, Phi''(t) = max{0, t - 1.3}: .35 against 0",
        reproduced_by="proofs:004 (5.35)",
    ),
    Erratum(
        name="004 (5.54)/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="(5.54): the bound of |f^(c, w^) - f(c, w^ols)| for bounded Phi'' has sqrt(p/m) "
        "in every term",
        truth="the error of (5.37) is added; (5.55) and (5.57) have it",
        witness="m = 1e8, all else 1: above 1 against .01",
        reproduced_by="proofs:004 (5.54)",
        elsewhere="(5.37), l.6054, has no m; l.6219 and (5.55), l.6227, have the right term",
    ),
    Erratum(
        name="004 (5.56)/E1",
        severity="S3",
        kind="proof",
        origin="mathematical",
        statement="(5.56), (5.57), so (5.50) and (5.52): L multiplies G ||Sigma||^{1/2} ||w^ols||",
        truth="(5.53) adds L; the product is larger up to a factor 2 where both are at least 1, "
        "but L = 1/4 for the logistic loss. A proof for Phi'' - Phi''(0) might need no L, so that "
        "for L >= 1 the step is wrong rather than its result",
        witness="G ||Sigma||^{1/2} ||w^ols|| = 1e-4, C = 1e4, L = 1, tau = 1/2: m = 1 is enough "
        "as printed",
        reproduced_by="proofs:004 (5.56)",
    ),
    Erratum(
        name="diss-5.2.39/E2",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="(5.29), and with it the noise terms of (5.20) and (5.23): a factor ||w^ols||, "
        "||w*||_inf^2 and ||w*||_inf",
        truth="max{1, ||w^ols||} and max{1, ||w*||_inf^4}: the noise on x y does not vanish "
        "with w*",
        witness="w* = 0, logistic loss: the bound is 0, the error is positive with probability 1",
        reproduced_by="proofs:004 Theorem 5.2.2",
    ),
    Erratum(
        name="diss-5.2.39/E3",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Theorem 5.2.2 at the design of the experiments, x = +-1/p and w* = 1/sqrt p: "
        "a noise term of order p sqrt(log p)/(epsilon sqrt n)",
        truth="the error is of order p^2/(epsilon sqrt n) at least: with max{1, ||w*||_inf^4} for "
        "||w*||_inf^2 the factor 1/p is lost",
        witness="p = 1e6, n = p^8, C = 1000: a median error of 5.3e-11 against 1.6e-14",
        reproduced_by="proofs:004 Theorem 5.2.2, design",
        copy_of="diss-5.2.39/E2",
    ),
    Erratum(
        name="diss-5.2.39/E4",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="n = O(p^2/(epsilon alpha)^2) private records are enough (l.5657, l.5738), "
        "lambda_min being one of the terms that are omitted",
        truth="r = O(1) forces lambda_min <= r^2/p, so that (5.20) asks for p^3/(r epsilon "
        "alpha)^2 at least",
        witness="Sigma = I/p, p = 1e6: 1e18 by (5.20) against 1000 p^2 = 1e15",
        reproduced_by="proofs:004 l.5738 (sample complexity)",
    ),
    Erratum(
        name="diss-5.2.40/E3",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="(5.65)-(5.67): the noise on x y enters as a product of C and L",
        truth="(L r + |f(0)| + C)^2, a sum: labels without noise get noise of L r + |f(0)|, too",
        witness="C = 0: the bound is 0, the noise on x y is not",
        reproduced_by="proofs:004 (5.65)",
    ),
    Erratum(
        name="004 Theorem 5.2.5/E1",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="(5.27): the noise term has a factor ||w*||_inf^2",
        truth="max{1, ||w*||_inf^4}: the noise on x y does not vanish with w*",
        witness="w* = 0, f(z) = z: the bound is 0, the error is positive with probability 1",
        reproduced_by="proofs:004 Theorem 5.2.5",
        copy_of="diss-5.2.39/E2",
    ),
    Erratum(
        name="004 Theorem 5.2.4/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="proof of Theorem 5.2.4: Tr(Sigma) >= p ||Sigma||_2 >= p ||Sigma||_2/rho_2",
        truth="Tr(Sigma) >= p lambda_min(Sigma) = p ||Sigma||_2/rho_2",
        witness="Sigma = diag(1, .1): trace 1.1 against 2",
        reproduced_by="proofs:004 Theorem 5.2.4, trace",
        elsewhere="Nowhere else",
    ),
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
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Lemma 5.2.5: ||X^T X/n - Sigma|| <= C kappa_x^2 sqrt(p/n) ||Sigma||, any n",
        truth="max(sqrt(p/n), p/n), that is as printed for n >= p, and it is used for no other n",
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
