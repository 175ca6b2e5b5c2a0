"""Errata in the sources of diss-4.3.26 (Algorithm 4.3.26)."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA = (
    Erratum(
        name="diss-4.3.26/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Theorem 4.3.2: what passes the test at alpha and sqrt(rho alpha) (step 4) is "
        "an alpha-SOSP",
        truth="the proof shows that some iterate passes; what passes has a gradient up to "
        "1.5 alpha and eigenvalues down to -1.293 sqrt(rho alpha), a 1.67 alpha-SOSP. Thresholds "
        "of 3/4 alpha and (1 + 1/sqrt(2))/2 sqrt(rho alpha) mend it",
        witness="d = 10, sigma_1 = 0.01155 alpha (what the condition on n gives at T = 100): a "
        "point with a gradient of 1.03 alpha passes with probability 0.0040, one of 100 with 0.33",
        reproduced_by="proofs:004 Theorem 4.3.2",
    ),
    Erratum(
        name="diss-4.3.26/E2",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="Theorem 4.3.2 and l.4310: the Hessian's noise asks for n of the order of "
        "M d sqrt(M B log)/(rho epsilon alpha^2)",
        truth="M d sqrt(M B log)/(sqrt(rho) epsilon alpha^1.5), which is sqrt(rho alpha) times the "
        "printed one: that suffices where rho alpha <= 1, but depends on the unit of w",
        witness="rho = 4, alpha = 1: half of what the proof's own condition asks for",
        reproduced_by="proofs:004 l.4310",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
