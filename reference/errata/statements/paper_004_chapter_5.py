"""What Wang (2020), chapter 5, prints that does not hold, of algorithms not in the catalogue."""

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
    ),
    Erratum(
        name="004 Table 5.1/E1",
        severity="S4",
        kind="utility",
        origin="misprint",
        statement="Table 5.1: (inf, T)-smooth losses need n = O~(4^(p(p+1)) D_p^2 epsilon^-2 "
        "alpha^-4)",
        truth="p times that, as in (5.5)",
        witness="(5.5) over the row is p",
        reproduced_by="proofs:004 Table 5.1",
    ),
    Erratum(
        name="diss-5.1.33/E1",
        severity="S3",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 5.1.8: Algorithm 5.1.33 is (epsilon, delta)-LDP for every epsilon > 0",
        truth="for d >= 2 and epsilon <= 2 by exact accounting, mu^2 = (1/4 + 1/(d(d+1))) "
        "epsilon^2/log(1.25/delta); false for large epsilon. Basic composition, as in the proof, "
        "gives (3 epsilon, 2(d^2+d+1) delta)",
        witness="d=2, delta=1e-6, epsilon=16: the exact delta exceeds 1e-6",
        reproduced_by="proofs:004 Theorem 5.1.8 (privacy)",
    ),
        name="diss-5.1.33/E2",
        severity="S2",
        kind="proof",
        statement="l.5010, Theorem 5.1.7: the Bernstein polynomial with nodes j/d is within "
        "alpha/4 of f_beta' on [-1, 1]",
        truth="on [0, 1] only; below 0 it explodes. With (1+x)/2 for x it is, from d = "
        ".86/(beta^2 alpha) on",
        witness="beta=1/4, alpha=.8, d=40: an error of 1.4e6 at -1",
        reproduced_by="proofs:004 Theorem 5.1.7",
        name="diss-5.1.33/E3",
        kind="utility",
        statement="Theorem 5.1.7: Var(G) = O(d^(6d) C^d p/epsilon^(4d+4))",
        truth="d^(8d): y_k <w, x_k> has a second moment of order s^4, s^2 of order d^4/epsilon^2",
        witness="x=0, y=0, ||w||=1, epsilon=1, delta=1e-5, d=1000: above d^(6d) C^d at C=1e9",
        reproduced_by="proofs:004 Proof of Theorem 5.1.7",
        name="diss-5.1.34/E1",
        kind="implementation",
        statement="Algorithm 5.1.34, line 13: independent s_k, one for every factor",
        truth="one s for all factors of a step: independent ones replace s by its mean",
        witness="s = +-1/2, t=1/4: E((t-s)/2)^4 = .0100, with independent s_k .000244",
        reproduced_by="proofs:004 Theorem 5.1.9",
        name="diss-5.1.36/E1",
        statement="Algorithm 5.1.36, line 9: LDP-AVG with b = 1",
        truth="the features are in [-1, 1]: b = 2",
        witness="p=1, t=3, x=1 against -1/4: the loss is 25/24 epsilon",
        reproduced_by="proofs:004 Theorem 5.1.11 (privacy)",
)
