"""Errata in the sources of diss-3.3.9 (Algorithm 3.3.9)."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm, Withdrawn

ERRATA = (
    Erratum(
        name="diss-3.3.9/E1",
        severity="S4",
        kind="proof",
        origin="unclear",
        statement="l.2421, case i = t of Lemma 3.3.1: the gradients of neighbours differ by G",
        truth="by 2G; the step is 4G/(alpha t) (t-1)/(t-2), and the lemma survives for t >= 3",
        witness="gradients G and -G of the replaced record",
        reproduced_by="proofs:004 l.2421 (Lemma 3.3.1, first case)",
        elsewhere="2G in (3.125), l.2458, for the other case",
    ),
    Erratum(
        name="diss-3.3.9/E2",
        severity="S2",
        kind="experiment",
        origin="mathematical",
        statement="l.2377-2379: experiments with lambda = 1e-3 and n = 40 to 90",
        truth="T_1 = 16 L^2/alpha^2 is above n, so that every output would be a random point, "
        "unless the features (whose scale is not printed) are so small that |x - x'|^2 <= 1.38e-3",
        witness="features of norm at most 1, alpha = 1e-3, L = 4.001: T_1 = 2.56e8",
        reproduced_by="proofs:004 l.2377 (strongly convex experiments)",
    ),
    Erratum(
        name="diss-3.3.9/E4",
        severity="S3",
        kind="experiment",
        origin="mathematical",
        statement="l.2121: epsilon/log(1/delta) << 1 always holds for epsilon = 0.1 to 5, "
        "delta = 1/n",
        truth="not at the sizes used",
        witness="epsilon = 2.5, n = 50: 0.64; epsilon = 5: 1.28",
        reproduced_by="proofs:004 l.2121 (epsilon against log 1/delta)",
    ),
    Erratum(
        name="diss-3.3.9/E5",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="l.2533 (and l.2575, l.2617): the regret of Pairwise GIGA is at most "
        "G^2 (1 + log n)/(2 alpha), elsewhere 2 G^2 (1 + log n)/alpha",
        truth="the first T_1 points are random and add up to G T_1 |C|; after them it is "
        "alpha T_1 |C|^2/4 + (G^2/alpha) sum_t (t-1)/(t (t-2)) for the steps used. Theorems 3.3.2 "
        "and 3.3.4 have the missing term, (3.118) has not",
        witness="Huber's loss, n = 1e6, L/alpha = 101, T_1 = 163216: 714268 against 3585",
        reproduced_by="proofs:004 l.2533 (regret of GIGA)",
    ),
    Erratum(
        name="diss-3.3.9/E6",
        severity="S4",
        kind="accounting",
        origin="unclear",
        statement="l.2121: sigma_t^2 has (sqrt(log(1/delta)) + epsilon - sqrt(log(1/delta)))^2, "
        "which is epsilon^2, for rho",
        truth="(sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2, as step 12 of the box "
        "(l.2106) and the Taylor expansion in the next sentence need it",
        witness="(1, 1e-5): delta(1) = .286 for rho = epsilon^2",
        reproduced_by="test:test_a_root_that_ends_too_early_is_another_budget",
        copy_of="diss-3.2.7/E3",
        elsewhere="The root is over all of it in l.1894, l.9633 and l.9810; as early twice in "
        "this line and in l.1526, l.1631, l.2738 and l.10048",
        sign="root",
    ),
)

WITHDRAWN = (
    Withdrawn(
        name="diss-3.3.9/E3",
        why="the approximation of sigma_t in l.2121 is meant for small epsilon/log(1/delta), and "
        "the algorithm uses the exact rho; the displaced root is a slip of the text.",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
