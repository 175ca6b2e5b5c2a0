"""Errata of Wang, Ding, Hu, Xie, Pan and Xu (2020) that are not in its algorithms."""

from __future__ import annotations

from reference.catalogue import Erratum, Withdrawn

ERRATA = (
    Erratum(
        name="000 (31)/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(31): K(v, v0) is the integral of log(dv/dv0) dv if v0 << v, and infinite "
        "otherwise",
        truth="if v << v0, without which dv/dv0 does not exist",
        witness="v a point mass, v0 fair on two points: log 2, printed infinity",
        reproduced_by="proofs:000 (31)",
        elsewhere="Nowhere else",
    ),
    Erratum(
        name="000 Lemma 4/E1",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Lemma 4 (Lemma 7.2.4 of Wang (2020)): E(nabla_j q(beta; beta))^2 <= "
        "O(|beta*|_inf^2 + sigma^2) for every beta in B",
        truth="a term R^2 is missing, R = |beta*|/4: beta_j may be that far from beta*_j. Lemma 19 "
        "bounds the centred variable, Lemma 10 is for a mean of 0",
        witness="beta* = SNR (1, ..., 1)/sqrt(d), sigma = 1, beta = beta* + (|beta*|/4) e_1, "
        "d = 1e4: 1.55, 7.17, 52.5, 313 times |beta*|_inf^2 + sigma^2 at SNR 3, 10, 30, 100; of "
        "order min(d, SNR^2)/16",
        reproduced_by="proofs:000 Lemma 4",
    ),
    Erratum(
        name="000 Lemma 9/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Lemma 9 (Lemma 7.2.10): E exp(tX) <= exp(C t^2 |X|_psi1^2) for |t| <= "
        "c/|X|_psi1 and every sub-exponential X",
        truth="for E X = 0, as the source that is cited has it",
        witness="X = 1: e^t > e^(C t^2) for 0 < t < 1/C",
        reproduced_by="proofs:000 Lemma 9",
    ),
    Erratum(
        name="000 Lemma 11/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Lemma 11 (Lemma 7.2.12): P(|mean - mu| >= t) <= 2 exp(-n min(-t^2/v^2, t/(2v)))",
        truth="2 exp(-n min(t^2/(2v^2), t/(2v))); with the minus the bound exceeds 1, and without "
        "it a factor 1/2 is missing. No proof uses it",
        witness="N(0, 1), v = 1, n = 64, t = 1/4: probability 0.0455 > 2 exp(-4) = 0.0366",
        reproduced_by="proofs:000 Lemma 11",
        elsewhere="Wang (2020), l.9908, has the same; with t^2/(2v^2) in l.1796",
    ),
    Erratum(
        name="000 Lemma 15/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Lemma 15 (Lemma 7.2.16), symmetrisation: E phi(sup_f |sum f(y_i) - E f|) <= "
        "E phi(sup_f |sum eps_i f(y_i)|); used as (52), (7.81), (7.106)",
        truth="phi(2 sup_f |sum eps_i f(y_i)|); constants only in what uses it",
        witness="n = 1, phi the identity, f(y) = y, y ~ Bernoulli(0.1): 0.18 > 0.1",
        reproduced_by="proofs:000 Lemma 15",
    ),
    Erratum(
        name="000 Lemma 15/E2",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(60), (7.89): E exp(t|A|) <= E exp(t|2 eps w y x_j|) for every t > 0",
        truth="with 2t on the right; only a constant of Lemma 20 changes",
        witness="d = 1, beta = beta*, sigma = 1: (E|A| - E|2w y x|)/SNR tends to 0.355; 0.36 at "
        "SNR 10",
        reproduced_by="proofs:000 (60)",
        copy_of="000 Lemma 15/E1",
    ),
    Erratum(
        name="000 Lemma 19/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(57), (7.86), (7.111): E exp(t|U|) <= exp(C t^2 (|beta*_j|^2 + sigma^2)) for "
        "every t > 0, U the centred coordinate",
        truth="the factor 2 of (56) is dropped: the left side is at least 1 + t E|U|. Without the "
        "absolute value it holds, which is what the lemma says",
        witness="d = 1, beta = beta* = sigma = 1: C of 35.6, 3.61, 0.774, 0.427 would be needed "
        "at t = 0.01, 0.1, 0.5, 1",
        reproduced_by="proofs:000 (57)",
    ),
    Erratum(
        name="000 Lemma 20/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(59): grad_j - E grad_j = A + B - beta_j, B = [x x^T beta - beta]_j; (7.88) has "
        "A + B - y x_j",
        truth="A - B - y x_j; the bound on the norm is unaffected",
        witness="x_j = y = 1, w = 1/2, beta_j = 1, <x, beta> = 3, E 2w y x_j = 1: printed 1, "
        "centred gradient -3",
        reproduced_by="proofs:000 (59)",
        elsewhere="Wang (2020), l.10116, has another wrong form, with y x_j for beta_j",
    ),
    Erratum(
        name="000 Lemma 21/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(54): |v_j|_psi2 <= C sigma^2; (70), (72)-(74), (7.99), (7.101)-(7.104): a "
        "factor sqrt(s), s not defined",
        truth="C sigma; 1 for sqrt(s), which is left from a sparse model",
        witness="v ~ N(0, sigma^2), sigma = 1e-6: the norm is at least 0.79 sigma, 8e5 sigma^2",
        reproduced_by="proofs:000 (54), norm of v",
        elsewhere="Wang (2020), l.10086 and l.10188-10208, has the same sigma^2 and sqrt(s)",
    ),
    Erratum(
        name="000 Lemma 21/E2",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(66), (7.95): grad q - E grad q = A + B, B = (K - E K) beta",
        truth="A - B; the bound on the norm is unaffected",
        witness="d = 1, nothing missing, x = 2, y = 1, beta = 1/2, beta* = 1: left side -1/2, "
        "A + B = 5/2, A - B = -1/2",
        reproduced_by="proofs:000 (66)",
        elsewhere="Wang (2020), l.10166, has the same",
    ),
    Erratum(
        name="000 Theorem 6/E1",
        severity="S2",
        kind="utility",
        origin="misprint",
        statement="(26), (7.64): n >= Omega~(d^2 sqrt(|beta*|_inf^2 + sigma^2) ...), the condition "
        "on n with the tau of Lemma 4",
        truth="|beta*|_inf^2 + sigma^2 without the root (and |beta*|^2 more, see Lemma 4): as "
        "printed the number of records depends on the unit of length",
        witness="|beta*| = sigma = 1e6, d = 1: the condition of Theorem 5 asks for more than "
        "1000 times as many records",
        reproduced_by="proofs:000 (26)",
        elsewhere="Wang (2020), l.9680, has the same root",
    ),
    Erratum(
        name="000 Theorem 7/E1",
        severity="S2",
        kind="utility",
        origin="misprint",
        statement="(28), (7.66): the error has sqrt(max{|beta*|^2 + sigma^2, d |beta*|^2})",
        truth="(|beta*|^2 + sigma^2)^2 in the maximum, as in Lemma 6 and in the theorem's "
        "condition on n",
        witness="|beta*| = sigma = 1e6, d = 1: (25) with the tau of Lemma 6 is more than 1000 "
        "times (28)",
        reproduced_by="proofs:000 (28)",
        elsewhere="Wang (2020), l.9714, has lost the same square; the condition on n (l.360) and "
        "Lemma 6 (l.354) have it",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "000 Theorem 8/E1",
        "Theorem 8 has the logarithms and the epsilon^2 of the algorithm that uses all records in "
        "every step: a valid bound, weaker than what Theorem 5 gives.",
    ),
)
