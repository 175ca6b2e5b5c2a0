"""Errata of Wang (2020), section 6.2.5: the private Assouad lemma."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="diss-6.2-HARD/E1",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="(6.67), chi^2(M^n || M'^n) = chi^2(M || M')^n, and with it Theorem 6.2.6: a "
        "lower bound that tends to r alpha/4 as n grows",
        truth="1 + chi^2 is multiplicative: the bound is r alpha/4 (1 - sqrt(n epsilon^2 chi^2/2)) "
        "for products, which is void for large n, as it must be",
        witness="Bern(3/4) against Bern(1/4), n=2: 4.444 against 1.778; r=2, P_v = "
        "Bern(1/2 + v_1/4) x Bern(1/2 + v_2/4), epsilon=.3, n=10^4: claimed risk .0625, "
        "randomized response has .0089",
        reproduced_by="proofs:004 Theorem 6.2.6",
    ),
    Erratum(
        name="diss-6.2-HARD/E2",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 6.2.6: M_{j,a}^n = (int Q dP_{j,a})^(x n)",
        truth="P_{j,a}^n is a mixture of products, which is no product",
        witness="half Bern(.9) and half Bern(.1), n=2: P(0, 0) = .41 against .25",
        reproduced_by="proofs:004 Proof of Theorem 6.2.6 (product)",
    ),
    Erratum(
        name="diss-6.2-HARD/E3",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="Lemma 6.2.7: alpha >= (k a)^2/p for the family (6.37), on which Theorem 6.2.7 "
        "and the optimality of the upper bound rest",
        truth="alpha >= c^2 (k a)^2/p, c <= 1/(10 p): the constant c I is within 2 k c a of the "
        "whole family, which gives p^-2 times the claimed rate at most; the theorem is unproven "
        "for growing s, and true for bounded s by another family",
        witness="p=4, k=1, c=1/40: alpha = a^2/6400 at most against a^2/4",
        reproduced_by="proofs:004 Lemma 6.2.7",
    ),
    Erratum(
        name="diss-6.2-HARD/E4",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Lemma 6.2.10: R = -2 log(1 - J c^2 a^2) + R_1 with E exp(n R_1/2) <= 3/2",
        truth="the leading term is -2 log(1 - J a^2): chi^2 does not change with the unit",
        witness="p=4, k=1, c=1/100, a=.3, n=10: E exp(n R_1/2) is above 2.5",
        reproduced_by="proofs:004 Lemma 6.2.10",
    ),
    Erratum(
        name="diss-6.2-HARD/E5",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Lemma 6.2.14: int g_1 g_2/g_0 = det(I - Sigma_0^-2 (Sigma_1 - Sigma_0) "
        "(Sigma_2 - Sigma_0))^(-1/2)",
        truth="det(I - Sigma_0^-1 (Sigma_1 - Sigma_0) Sigma_0^-1 (Sigma_2 - Sigma_0))^(-1/2); the "
        "two agree where the matrices commute",
        witness="Sigma_0 = I_4 + .3 (E_24 + E_42), Sigma_1 - Sigma_0 = Sigma_2 - Sigma_0 = "
        ".3 (E_14 + E_41): 1.1165 against 1.1098",
        reproduced_by="proofs:004 Lemma 6.2.14",
    ),
    Erratum(
        name="diss-6.2-HARD/E6",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="V = {-1, +1}^r, where an element says whether a row is present",
        truth="{0, 1}^r, as the proof of Corollary 6.2.2 has it: with v_1 = -1 the first row of "
        "Sigma(tau) is not 0 as (6.74) says",
        witness="v_1 = -1: the entry -c a in place of 0",
        reproduced_by="proofs:004 (6.74)",
        elsewhere="{-1, +1}^r in l.8023 and l.8039, {0, 1}^(r-1) in l.8483",
    ),
    Erratum(
        name="diss-6.2-HARD/E7",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(6.40): 3/2 (1 - a b)^-n - 1 <= a^n (3/2 (1 - b)^-n - 1) with a = epsilon^-2, "
        "as b (a + 1) <= 1",
        truth="that suffices without the two 1s only; for a b <= 1/2 and epsilon <= 1/2, which a "
        "small gamma gives, it holds",
        witness="epsilon=1/3, b=1/10, n=1: 14 against 6",
        reproduced_by="proofs:004 (6.40)",
    ),
    Erratum(
        name="diss-6.2-HARD/E8",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(6.75): the entries of the submatrix S of Sigma_0 are 1 for 'i = 1', with 2 <= "
        "i <= j <= p",
        truth="c for i = j, as (6.37) says",
        witness="p=4, c=1/40: 1 against .025",
        reproduced_by="proofs:004 (6.75)",
        elsewhere="c in (6.37), l.8133, (6.74) and (6.76), l.8539 and l.8551",
    ),
    Erratum(
        name="diss-6.2-HARD/E9",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(6.80): the mean of (chi^2)^n is at most E exp(n/2 (R - 1)), and that at most "
        "E exp(n R/2) - 1",
        truth="the first is at most the last, (6.81); what is between them is larger than the last "
        "where R is near 0",
        witness="p=4, k=1, a=.1, n=2: .37 against .010",
        reproduced_by="proofs:004 (6.80)",
        elsewhere="(6.81), l.8571, and (6.82), l.8573, have the - 1 outside",
        sign="bracket",
    ),
    Erratum(
        name="diss-6.2-HARD/E10",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(6.82): given both first rows the other rows are uniform over those that allow "
        "them",
        truth="their weights are proportional to 1/C(p_lambda, k): tau is uniform over T, and two "
        "first rows are drawn from the C(p_lambda, k) that they allow. It looks inherited from "
        "Cai and Zhou (2012), the [60] of the text",
        witness="r=3, k=1, first rows in column 1: others both in column 2 weigh 3/2 of others in "
        "columns 2 and 3",
        reproduced_by="proofs:004 (6.82)",
    ),
    Erratum(
        name="004 Corollary 6.2.2/E1",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="Corollary 6.2.2: the bound of Theorem 6.2.6 for the conditional mixtures",
        truth="false by the same two steps, see diss-6.2-HARD/E1 and E2",
        witness="r=2, P_v = Bern(1/2 + v_1/4) x Bern(1/2 + v_2/4), epsilon=.3, n=10^4: claimed "
        "risk .0625, randomized response has .0089",
        reproduced_by="proofs:004 Corollary 6.2.2",
        copy_of="diss-6.2-HARD/E1",
    ),
)
