"""Errata of Wang (2020), chapter 5, in algorithms that are not in the catalogue."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="004 Definition 5.1.3/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Definition 5.1.3: B_k^i = B_k o B_k^(k-1)",
        truth="B_k^i = B_k o B_k^(i-1)",
        witness="k=2, i=1, f=x^2, x=1/2: B_2 B_2 f = .4375 for B_2 f = .375",
        reproduced_by="proofs:004 Definition 5.1.3",
        elsewhere="B_k^(i-1) in the same line, in b_{v,k}^(h)",
        sign="exponent",
    ),
    Erratum(
        name="004 l.4862/E1",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="l.4862: 2^p alpha^-(p+1) epsilon^-2 is worse than Corollary 5.1.1 when alpha <= "
        "O(1/p), that is in low dimension or at high accuracy",
        truth="for p >= 3 only; for p = 2 both have alpha^-3, for p = 1 alpha^-2 against "
        "alpha^(-5/2)",
        witness="p=1, D_4=1e-12, hidden factors of 1e6, alpha=1e-20: 1.0e47 for 2.0e46",
        reproduced_by="proofs:004 l.4862",
    ),
    Erratum(
        name="004 l.4878/E1",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="l.4878: (5.5) is lower than 2^p alpha^-(p+1) epsilon^-2 when alpha <= O(16^-p)",
        truth="where alpha^(p-3) <= 2^p/(4^(p(p+1)) p D_p^2): for p <= 3 nowhere in alpha <= 1, if "
        "D_p >= 1",
        witness="p=2, D_p=1, alpha=1/256: 3.5e13 for 6.7e7",
        reproduced_by="proofs:004 l.4878",
        copy_of="diss-5.1.31/E2",
    ),
    Erratum(
        name="004 Table 5.1/E1",
        severity="S4",
        kind="utility",
        origin="misprint",
        statement="Table 5.1: (inf, T)-smooth losses need n = O~(4^(p(p+1)) D_p^2 epsilon^-2 "
        "alpha^-4)",
        truth="p times that, as in (5.5); next to 4^(p(p+1)) and under O~ no more than a slip of "
        "the table",
        witness="(5.5) over the row is p",
        reproduced_by="proofs:004 Table 5.1",
        elsewhere="With p in l.4658 and in (5.5), l.4870",
    ),
    Erratum(
        name="004 l.5295/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="l.5295: at n = O(4^(p(h+1))/(epsilon^2 p D_h^2)) log k > 1, which the bound of "
        "Theorem 5.1.2 needs",
        truth="log k is log(C/log(1/beta))/(2(h+p)) there: n of e^(2(h+p)) times that is needed, "
        "which the O~ of the bound hides",
        witness="C = 1e6, beta = 1/e, h = p = 10: log k = .345",
        reproduced_by="proofs:004 l.5295",
    ),
    Erratum(
        name="004 Proof of Theorem 5.1.9/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 5.1.9: Var(r_ij) <= O(1) over the s_k",
        truth="4^(d-j): its factors 1 - (t-s)/2 are up to 2; the bound O(d^(2d+2)) stands",
        witness="s = +-1/2, t = -1, d = 200: above 1e9",
        reproduced_by="proofs:004 Proof of Theorem 5.1.9 (kinks)",
    ),
    Erratum(
        name="004 Proof of Lemma 5.1.8/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="proof of Lemma 5.1.8: f_beta'' and f_beta^(3) are given without a factor 1/2",
        truth="half of both; the bounds 1/beta and O(1/beta^2) hold all the same",
        witness="x = 1/2, beta = 1: 1 against 1/2",
        reproduced_by="proofs:004 Proof of Lemma 5.1.8",
        elsewhere="The first derivative, in the line before (l.5371), has the 2 in its denominator",
    ),
    Erratum(
        name="004 Proof of Lemma 5.1.9/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="proof of Lemma 5.1.9: a denominator f'(1) - f(-1)",
        truth="f'(1) - f'(-1), as in the next line",
        witness="f = t^2/2, theta = 1: 4 against 1",
        reproduced_by="proofs:004 Proof of Lemma 5.1.9",
        elsewhere="f'(-1) in the next line of the display and in l.5453, l.5483 and l.5487",
        sign="prime",
    ),
)
