"""What the sources of diss-3.3.9 (Algorithm 3.3.9) print that does not hold."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA = (
    Erratum(
        name="diss-3.3.9/E1",
        severity="S0",
        kind="proof",
        origin="unclear",
        statement="l.2421, case i = t of Lemma 3.3.1: the gradients of neighbours differ by G",
        truth="by 2G; the step is 4G/(alpha t) (t-1)/(t-2), and the lemma survives for t >= 3",
        witness="gradients G and -G of the replaced record",
        reproduced_by="proofs:004 l.2421 (Lemma 3.3.1, first case)",
    ),
    Erratum(
        name="diss-3.3.9/E2",
        severity="S0",
        kind="experiment",
        origin="mathematical",
        statement="l.2377-2379: experiments with lambda = 1e-3 and n = 40 to 90",
        truth="T_1 = 16 L^2/alpha^2 is above n: every output would be a random point",
        witness="alpha = 1e-3, L = 4.001: T_1 = 2.56e8",
        reproduced_by="proofs:004 l.2377 (strongly convex experiments)",
    ),
    Erratum(
        name="diss-3.3.9/E4",
        severity="S0",
        kind="experiment",
        origin="mathematical",
        statement="l.2121: epsilon/log(1/delta) << 1 always holds for epsilon = 0.1 to 5, "
        "delta = 1/n",
        truth="not at the sizes used",
        witness="epsilon = 2.5, n = 50: 0.64; epsilon = 5: 1.28",
        reproduced_by="proofs:004 l.2121 (epsilon against log 1/delta)",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
