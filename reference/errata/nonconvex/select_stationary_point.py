"""What the sources of diss-4.3.26 (Algorithm 4.3.26) print that does not hold."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA = (
    Erratum(
        name="diss-4.3.26/E1",
        severity="S0",
        kind="proof",
        origin="mathematical",
        statement="Theorem 4.3.2: what passes the test at alpha and sqrt(rho alpha) (step 4) is "
        "an alpha-SOSP",
        truth="the proof shows that some iterate passes; what passes has a gradient up to "
        "1.5 alpha and eigenvalues down to -1.293 sqrt(rho alpha), a 1.67 alpha-SOSP. Thresholds "
        "of 3/4 alpha and (1 + 1/sqrt(2))/2 sqrt(rho alpha) mend it",
        witness="d = 1, sigma_1 = 0.2 alpha: |F'| = 1.1, 1.2, 1.3 alpha pass with probability "
        "0.309, 0.159, 0.067",
        reproduced_by="proofs:004 Theorem 4.3.2",
    ),
    Erratum(
        name="diss-4.3.26/E2",
        severity="S0",
        kind="utility",
        origin="mathematical",
        statement="Theorem 4.3.2 and l.4310: the Hessian's noise asks for n of the order of "
        "M d sqrt(M B log)/(rho epsilon alpha^2)",
        truth="M d sqrt(M B log)/(sqrt(rho) epsilon alpha^1.5): the printed one is "
        "1/sqrt(rho alpha) of that, too small where rho alpha > 1",
        witness="rho = 4, alpha = 1: half of what the proof's own condition asks for",
        reproduced_by="proofs:004 l.4310",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
