"""Errata in the sources of hu-1 (Algorithm 1).

The algorithm itself is right; in doubles the printed form of step 4 is not private (erratum 2 of
the truncation, ``reference.errata.heavy_tailed.private_mean``).
"""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="hu-1/E1",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Theorem 2, (6): the excess risk is O(||W||_1 (alpha tau log(n |V| d/zeta))"
        "^{1/3}/(n epsilon)^{1/3}), with T of order (n epsilon alpha^2/(tau log))^{1/3}",
        truth="||W||_1^{4/3}, and T of order (n epsilon alpha^2 ||W||_1^2/(tau log))^{1/3}: "
        "in units w = c w' the problem is the same and (6) is not",
        witness="w = c w' turns alpha, tau, ||W||_1 into c^2 alpha, c^2 tau, ||W||_1/c: (6) "
        "changes by c^{1/3}, its T by c^{2/3}. L = (alpha/2) ||w - w*||^2 on the l1 ball of "
        "radius R = 100, d = 200, w* = (R/d, ..., R/d): 597 alpha after one exact step from "
        "R e_1, where (6) is of order R alpha/T = 100 alpha; their ratio grows like R",
        reproduced_by="proofs:003 Theorem 2, units",
    ),
    Erratum(
        name="hu-1/E2",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="Theorems 2 and 3 and Corollary 1, (6)-(8), for every epsilon",
        truth="with min(epsilon, 1) in place of epsilon: n records leave a statistical error "
        "at any epsilon",
        witness="T = 1, alpha = sqrt(tau/(n epsilon)): (6) is ||W||_1 sqrt(tau log/(n "
        "epsilon)), below the non-private minimax order sqrt(tau log(d)/n) for large epsilon",
        reproduced_by="proofs:003 Theorem 3, large epsilon",
    ),
    Erratum(
        name="hu-1/E3",
        severity="S4",
        kind="utility",
        origin="misprint",
        statement="Corollary 1: E(<x, w> - y)^2 is lambda_max(E x x')-smooth, and its gradient "
        "is x_j (<x, w> - y)",
        truth="2 lambda_max, and 2 x_j (<x, w> - y)",
        witness="the Hessian is 2 E x x'",
        reproduced_by="proofs:003 Corollary 1",
        elsewhere="The gradient of Algorithm 2 (l.258) has the factor 2",
    ),
    Erratum(
        name="hu-1/E4",
        severity="S4",
        kind="misprint",
        origin="unclear",
        statement="Assumption 2(2): psi'(s) > 0 for all s > 0; it includes the biweight loss",
        truth="psi'(s) >= 0 is what the biweight loss has",
        witness="c = 2: psi'(3) = 0",
        reproduced_by="proofs:003 Assumption 2",
        elsewhere="Nowhere else",
    ),
    Erratum(
        name="hu-1/E5",
        severity="S4",
        kind="utility",
        origin="mathematical",
        statement="Remark 2: Assumption 3 is weaker than Assumption 1",
        truth="on the unit l1 ball Assumption 3 implies the moments of Assumption 1 with "
        "tau = 16 M, and Assumption 1 does not imply E y^4 <= M",
        witness="x a random sign, y ~ t_3 independent of it: E(2 x (x w - y))^2 = "
        "4 (w^2 + 3) <= 16, E y^4 infinite",
        reproduced_by="proofs:003 Remark 2",
    ),
    Erratum(
        name="hu-1/E6",
        severity="S3",
        kind="utility",
        origin="unclear",
        statement="Theorem 2: the steps eta_{t-1} = 2/(t+2)",
        truth="2/(t+1): with 2/(t+2) the start keeps the weight 2/((T+1)(T+2)), a third at "
        "T = 1, and (6) fails for nearly linear losses at epsilon = 1 where T = O(1)",
        witness="w + alpha w^2/2 on [-1, 1] from w^0 = 1, alpha = sqrt(log(20)/n), all vertices "
        "right: the excess over (6) grows from 1.1 at n = 100 to 999 at n = 1e8",
        reproduced_by="proofs:003 Theorem 2",
        elsewhere="Theorem 5, l.270, has the same steps",
    ),
    Erratum(
        name="hu-1/E7",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Theorem 3, (8), for the biweight loss",
        truth="h(u) >= c_psi u is needed for all u = |<x, w - w*>| that occur; h'(0) > c_psi is "
        "local, and where psi' vanishes the selections are coin tosses",
        witness="d = 1, x = +-1, y = x, c = .5, w^0 = 0, epsilon = 1: the excess stays c^2/6 "
        "but for a probability of 2e-7; over (8) 3.5 at T = 1e4, 349 at T = 1e8",
        reproduced_by="proofs:003 Theorem 3",
    ),
    Erratum(
        name="hu-1/E8",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="rates in the text: (n epsilon)^{3/5} and (n epsilon)^{5/3} (l.52), s*^3 (l.52, "
        "421), (n epsilon)^{1/3} (l.88) and (n epsilon)^{2/3} (l.245)",
        truth="1/3 for Algorithm 1, 2/5 for Algorithm 2, s*^{3/2} for Algorithm 5, as Theorems "
        "2, 5 and 8 have",
        witness="3/5 and 5/3 exceed what is possible without privacy for linear and squared "
        "losses on [-1, 1], 1/2 and 1",
        reproduced_by="proofs:003 Abstract, rate of Algorithm 1",
        elsewhere="(7), l.226, (9), l.272, and Theorem 8, l.361, have 1/3, 2/5 and 3/2; so have "
        "l.89 the last and the conclusion, l.421, the first two",
        sign="exponent",
    ),
)
