"""Errata of Wang (2020), section 5.3, in its theorems, lemmas and proofs."""

from __future__ import annotations

from reference.catalogue import Erratum, Withdrawn

ERRATA = (
    Erratum(
        name="004 Lemma 5.3.5/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="after Lemma 5.3.5: Delta = max ||(X^T X/n - I)x||",
        truth="with the matrix restricted to the support of x",
        witness="two equal columns, s = 1: 1 against 0",
        reproduced_by="proofs:004 Lemma 5.3.5 (constant)",
    ),
    Erratum(
        name="004 (5.90)/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="(5.90)-(5.95): the noise term <z, x* - x_t> has 2k*/(eta (k + k*))",
        truth="2k*/(k + k*): it lost a factor eta; its mean is 0",
        witness="eta = 1/2, k = 3, k* = 1: -1/2 against -1",
        reproduced_by="proofs:004 (5.90)",
        elsewhere="4k*/(k + k*) before the division by 2 eta (l.7035); without eta again up to "
        "(5.95)",
    ),
    Erratum(
        name="004 (5.94)/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="(5.94): rho_s in the first coefficient of ||z||^2",
        truth="l_s, as in (5.92)",
        witness="l = 2, rho = 1, eta = 1/4, k = 257: .254 against .169",
        reproduced_by="proofs:004 (5.94)",
        elsewhere="l_s in (5.92), l.7054",
    ),
    Erratum(
        name="004 Lemma 5.3.9/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="Lemmas 5.3.9 and 5.3.11: the minimax risk is at least d_L/2 times "
        "1 - sqrt(D_kl)/2",
        truth="1 - sqrt(D_kl/2), by Pinsker's inequality; the proof of Theorem 5.3.2 has it",
        witness="n = 1, two point masses, 0-1 loss, epsilon = 1/2, randomized response: at least "
        ".4125 with the exact D_kl, but its risk is .3775. With the lemma's own bound on D_kl it "
        "is .3395, no contradiction",
        reproduced_by="proofs:004 Lemma 5.3.9",
        elsewhere="sqrt(D_kl/2) in the proofs (l.6932, l.6940); Lemma 5.3.11, l.6962, has the "
        "same form",
        sign="root",
    ),
    Erratum(
        name="004 Lemma 5.3.11/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="Lemma 5.3.11: prefactor 1 - sqrt(D_kl)/2, and D_kl is bounded by "
        "max ||dP_v/dP||_infinity",
        truth="1 - sqrt(D_kl/2), and max ||dP/dP_v||_infinity, as Lemma 5.3.9 and the proofs have",
        witness="n = 1, two point masses, randomized response of odds e^(1/2) (epsilon = .505): "
        "at least .4125 with the exact D_kl, but its risk is .3775. With the lemma's own bound on "
        "D_kl it is .1748, no contradiction",
        reproduced_by="proofs:004 Lemma 5.3.11",
        elsewhere="sqrt(D_kl/2) in the proofs (l.6932, l.6940); Lemma 5.3.9, l.6833, has the same "
        "prefactor, and the other ratio (l.6837)",
        sign="root",
    ),
    Erratum(
        name="004 Proof of Theorem 5.3.4/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 5.3.4: E gamma(X, 1)^2 <= 1 for every gamma of norm 1 in "
        "L^2(P_0)",
        truth="the sum of E gamma(X, 1)^2 and E gamma(X, -1)^2 is at most 2, and C_2 <= "
        "delta^2/p holds",
        witness="gamma(x, y) = sqrt2 where y = 1, else 0: 2 against 1",
        reproduced_by="proofs:004 Proof of Theorem 5.3.4 (C_2)",
    ),
    Erratum(
        name="004 Proof of Theorem 5.3.9/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="proof of Theorem 5.3.9: the step is at least 5/(7 a (1 - Delta)), and there is "
        "one if Delta <= (5a^2 - 9b^2)/14",
        truth="5/(7 a^2 (1 - Delta)), and Delta <= (9a^2 - 5b^2)/(9a^2 + 5b^2)",
        witness="a = b = 1/2, Delta = 0, eta = 10/7: the matrix contracts by 9/14, not 2/7",
        reproduced_by="proofs:004 Proof of Theorem 5.3.9 (step size)",
        elsewhere="a^2 in l.7161 and l.7163; 9a^2 - 5b^2 in the theorem (l.6634)",
    ),
    Erratum(
        name="004 Proof of Theorem 5.3.10/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="proof of Theorem 5.3.10: the packing is scaled by sqrt(2/delta)",
        truth="by delta sqrt(2/s)",
        witness="s = 4, delta = 1/2: squared norm 16 against 1",
        reproduced_by="proofs:004 Proof of Theorem 5.3.10 (scaling)",
        elsewhere="The same twice (l.7207, l.7213); (5.102), l.7211, needs delta sqrt(2/s)",
    ),
    Erratum(
        name="004 Proof of Theorem 5.3.10/E2",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="proof of Theorem 5.3.10: the sum of TV^2 over n records is at most "
        "2 b^2 (1 + Delta) delta^2/C^2",
        truth="n times that, as the bracket after it has it",
        witness="b = C = 1, f(x) = x, n = 10, delta = 1/2: 1.25 against .5",
        reproduced_by="proofs:004 Proof of Theorem 5.3.10 (sum of TV^2)",
        elsewhere="n in the bracket (l.7225) and in l.7229",
    ),
    Erratum(
        name="004 l.6504/E1",
        severity="S4",
        kind="utility",
        origin="misprint",
        statement="l.6504: O(p log p log n/(n epsilon^2)) is optimal up to a factor sqrt(log p)",
        truth="up to log p log n, as both are squared errors",
        witness="log p = log n = 100: 1e4 against 10",
        reproduced_by="proofs:004 l.6504",
        elsewhere="Nowhere else",
    ),
    Erratum(
        name="004 Proof of Theorem 5.3.1/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 5.3.1: the theta_v are 2 delta apart, so that the risk has "
        "the factor delta^2/2",
        truth="delta e_1 and delta e_2 are sqrt2 delta apart: delta^2/4",
        witness="delta = 1/2: squared distance 1/2 against 1",
        reproduced_by="proofs:004 Proof of Theorem 5.3.1 (separation)",
    ),
    Erratum(
        name="004 Proof of Theorem 5.3.2/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 5.3.2: D_kl <= n epsilon^2 delta^2 (1 + delta)/(8p), by Lemma "
        "5.3.9",
        truth="the lemma gives n epsilon^2 delta^2/(4p (1 - delta))",
        witness="delta = epsilon = 1/2: .412 against .188, times n epsilon^2 delta^2/p",
        reproduced_by="proofs:004 Proof of Theorem 5.3.2 (divergence)",
    ),
    Erratum(
        name="004 Proof of Theorem 5.3.9/E2",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="proof of Theorem 5.3.9: the noise of the randomizer has the variance O(b C p "
        "T/(n epsilon^2))",
        truth="b^2 C^2 for b C, by Lemma 5.3.1 at r = O(b C sqrt p)",
        witness="b C = 1e6, all else 1: 1e12 against 1e6",
        reproduced_by="proofs:004 Proof of Theorem 5.3.9 (randomizer)",
        elsewhere="b C outside the root in l.7173, inside it in l.7145, l.7185 and l.7191",
        sign="exponent",
    ),
    Erratum(
        name="004 Proof of Theorem 5.3.11/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="proof of Theorem 5.3.11: a step adds an error of order log(1/delta) b C/(n "
        "epsilon)",
        truth="sqrt(log(1.25/delta)) b C/(sqrt n epsilon)",
        witness="n = 1e12, all else 1: 6.3e-6 against 1e-12",
        reproduced_by="proofs:004 Proof of Theorem 5.3.11 (rate)",
        elsewhere="sqrt n in the theorem (l.6704) and in (5.104), l.7273; n without the root "
        "twice (l.7281, l.7285)",
    ),
    Erratum(
        name="004 l.6767/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="l.6767: a sum of sub-Gaussian a_i X_i is sub-Gaussian with (sum a_i^2) sigma^2",
        truth="of independent X_i, which is understood and to which it is applied",
        witness="X_1 = X_2 a fair sign, a = (1, 1), s = 1: 3.76 against 2.72",
        reproduced_by="proofs:004 l.6767",
        elsewhere="Nowhere else",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "004 Lemma 5.3.5/E2",
        "s log(p/s) is the usual shorthand for s <= p/2, as in l.600, and with that condition the "
        "lemma holds.",
    ),
)
