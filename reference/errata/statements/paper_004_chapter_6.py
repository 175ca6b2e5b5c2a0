"""Errata of Wang (2020), chapter 6, in algorithms that are not in the catalogue."""

from __future__ import annotations

from reference.catalogue import Erratum, Withdrawn

ERRATA = (
    Erratum(
        name="diss-6.1-HARD/E3",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 6.1.1: eps_1^2 <= 2 min{k, p-k} holds for "
        "n >= Omega(sigma_k^2 min{k, p-k}/epsilon^2)",
        truth="it is n >= sigma_k^2 max{k, p-k}/(16 c epsilon^2); for p/4 <= k <= 3p/4, as the "
        "theorem has it, the two differ by a factor of at most 3, for every k they do not",
        witness="k=1, p=1000, c n epsilon^2 = 10 sigma_k^2: eps_1^2 = 12.5 against 2",
        reproduced_by="proofs:004 Proof of Theorem 6.1.1 (number of records)",
    ),
    Erratum(
        name="diss-6.1-HARD/E4",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 6.1.3: alpha^2 = O(sigma^2 s log p/(n epsilon^2)) in Lemma "
        "6.1.9 gives a lower bound of the order of sigma^2 s log p/(n epsilon^2)",
        truth="Lemma 6.1.10 has s (1 + log((p-k)/s)) for s log p, which is less where s is of the "
        "order of p, as the theorem's p/4 <= k asks for; there k outweighs log p and the theorem "
        "stands, by the other part of its proof",
        witness="s = p - k, log p = 23, c = 2, alpha^2 = s log p/100 in that unit: the bracket is "
        "below 1 - 1.84/1.61",
        reproduced_by="proofs:004 Proof of Theorem 6.1.3 (variable selection)",
    ),
    Erratum(
        name="diss-6.1-HARD/E5",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 6.1.1: a packing with ||V V^T - U U^T||_F >= alpha eps_1 gives "
        "a risk of at least alpha^2 eps_1^2 (1 - ..)",
        truth="alpha^2 eps_1^2/4: the loss is half of that distance's square, and Fano's "
        "inequality leaves half of the loss at the separation; the rate stays the same",
        witness="the lines of e_1, .., e_100, alpha=1, eps_1 = sqrt 2, n=1, lambda=.001: 1.7, "
        "where no loss exceeds 1",
        reproduced_by="proofs:004 Proof of Theorem 6.1.1 (risk)",
    ),
    Erratum(
        name="004 Lemma 6.1.3/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Lemma 6.1.3: (c_0/e)^(k(p-k)) <= N(G_{p,k}, e) <= (c_1/e)^(k(p-k)) with absolute"
        " constants, for the Frobenius distance",
        truth="that is N at the radius e sqrt(min{k, p-k}); what Lemma 6.1.2 makes of it, and "
        "Theorem 6.1.1, stay the same. It looks inherited: Cai, Ma and Wu quote the source [267] "
        "in this form",
        witness="c_1 = 10, k = p - k = 101, e = sqrt k: the upper bound is 9.1e-23",
        reproduced_by="proofs:004 Lemma 6.1.3",
    ),
    Erratum(
        name="004 Lemma 6.1.17/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Lemma 6.1.17: the support is found if min Sigma_ij >= 2 lambda on J x J and "
        "rank(sign(Sigma_JJ)) = 1",
        truth="min |Sigma_ij| > 2 lambda: at equality an error of lambda and the penalty cancel "
        "an entry; the rest of the lemma holds. The lemma is cited, and equality is a case that "
        "nobody means",
        witness="p=2, k=1, Sigma with eigenvalues 1 and .03 and Sigma_12 = 2 lambda, S_12 = "
        "lambda: the optimum is e_1 e_1^T",
        reproduced_by="proofs:004 Lemma 6.1.17",
    ),
    Erratum(
        name="004 Lemma 6.1.11/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="Lemma 6.1.11: N subspaces of dimension k with ||sin||_F >= k sqrt(delta) and "
        "log N >= k(s-k) log(c_2/delta)",
        truth="||sin||_F is at most sqrt k; a separation of sqrt(k) delta, of the order that the "
        "proof uses, is possible",
        witness="c_2=1/10, delta=1/20, k=21, s=42: squared separation 22.05, squared diameter 21",
        reproduced_by="proofs:004 Lemma 6.1.11",
        elsewhere="delta_N = O(sqrt k/e) where it is used (l.7742)",
        sign="root",
    ),
    Erratum(
        name="004 Lemma 6.1.16/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Lemma 6.1.16: P(|S_ij - Sigma_ij| >= t) <= 2 exp(-4 n t^2/(c lambda_1)^2) for "
        "all t",
        truth="for large t the tail is exponential; 4 exp(-n t^2/(8 lambda_1^2)) for t <= "
        "lambda_1 and Gaussian records, which is all that is used. It looks inherited: the cited "
        "work has it for t up to a constant",
        witness="p=n=1, N(0, 1), c^2=1000, t=256: 7.7e-58 against 2.8e-114",
        reproduced_by="proofs:004 Lemma 6.1.16",
    ),
    Erratum(
        name="diss-6.3.51/E5",
        severity="S4",
        kind="experiment",
        origin="unclear",
        statement="section 6.3.6: the colon cancer data contain 69 individuals",
        truth="60 in Table 6.1; the public set of Alon et al. (1999) has 62",
        witness="69 against 60",
        reproduced_by="proofs:004 Section 6.3.6, colon data",
        elsewhere="60 in Tables 6.1 and 6.2 (l.7554, l.7592)",
    ),
    Erratum(
        name="diss-6.3.51/E6",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Algorithm 6.3.51 returns the minimiser of (6.83) with S + N, whatever N",
        truth="there is one if and only if S + N + rho W is positive definite for some |w_ij| <= "
        "1; otherwise the objective is unbounded below. A projection on the positive semidefinite "
        "cone mends it",
        witness="d=1, S + N = -1, rho = 1/2: -log t - t/2",
        reproduced_by="proofs:004 Algorithm 6.3.51 (existence)",
        copy_of="diss-6.3.51-L/E1",
    ),
    Erratum(
        name="diss-6.3.51/E7",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(6.83) is strongly convex and thus has a unique solution",
        truth="it is strictly convex and coercive, and so has one; strongly convex, with modulus "
        "1/beta^2, on matrices up to beta I only",
        witness="d=1: F(t) + F(3t) - 2 F(2t) = log(4/3) = .288 for every t, below mu t^2 = 1 at "
        "t = 1/sqrt(mu), whatever mu",
        reproduced_by="proofs:004 (6.83)",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "diss-6.1-HARD/E1",
        "Theorem 6.1.3 says nothing about sparse matrices, as its range of k asks for s >= 3p/4, "
        "but it is not empty.",
    ),
    Withdrawn(
        "diss-6.1-HARD/E2",
        "Remark 6.1.1 relaxes a condition that need not be relaxed: it can be strengthened.",
    ),
)
