"""What the sources of diss-4.3.25 (Algorithm 4.3.25) print that does not hold."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA = (
    Erratum(
        name="diss-4.3.25/E1",
        severity="S0",
        kind="proof",
        origin="mathematical",
        statement="Theorem 4.3.1: an alpha-SOSP within T = O~(M B/alpha^2) iterations for every "
        "n above (4.56)",
        truth="leaving a strict saddle takes about log(n) more steps: T, or chi, must contain "
        "log(n/n_0)",
        witness="F = (cos w_1 - cos w_2)/4 from 0, alpha = 0.05, (1, 1e-6): escape at step 12 for "
        "n = 1e3, 98 for n = 1e18; T = 100 and n = 1e20: never in 10 runs",
        reproduced_by="proofs:004 Theorem 4.3.1",
    ),
    Erratum(
        name="diss-4.3.25/E2",
        severity="S0",
        kind="proof",
        origin="mathematical",
        statement="l.4234: sqrt(16 eta Gamma Phi + 50 (eta Gamma r)^2) + eta r <= "
        "4 sqrt(alpha/rho)/(chi c^2)",
        truth="5 instead of 4, for large c: 16 eta Gamma Phi alone is the square of the right side",
        witness="eta Gamma = chi c/sqrt(rho alpha), Phi = sqrt(alpha^3/rho) chi^-3 c^-5",
        reproduced_by="proofs:004 l.4234",
    ),
    Erratum(
        name="diss-4.3.25/E4",
        severity="S0",
        kind="proof",
        origin="mathematical",
        statement="l.4141: chi = max{1, C_1 log(d M B/(rho alpha xi))} with a large enough c",
        truth="chi = max{1, log(sqrt(d) M/(xi sqrt(rho alpha)))} as in l.4262, and c >= 23: "
        "M B/(rho alpha) is not a pure number, and chi must bound the escape time in any unit",
        witness="M = rho = d = 1, xi = 0.1, B = xi alpha: chi = 1; c = 1000, alpha = 1e-700: the "
        "bound of l.4259 is 5e-419, not 2R = 8e-356",
        reproduced_by="proofs:004 l.4141",
    ),
    Erratum(
        name="diss-4.3.25/E5",
        severity="S0",
        kind="proof",
        origin="mathematical",
        statement="(4.64), l.4211-4215: of two points of the stuck region neither run falls with "
        "probability at least xi",
        truth="true of independent runs, but (4.65) needs the same noise in both; the argument "
        "holds for the region of each noise sequence, and its mean length is what counts",
        witness="runs stuck if |w + N/2| <= 1/2, from 0.6 and -0.6 with the same N: each is stuck "
        "with probability 0.407 >= sqrt(0.16), both never",
        reproduced_by="proofs:004 (4.64)",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
