"""Errata in the sources of diss-4.3.25 (Algorithm 4.3.25)."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm, Withdrawn

ERRATA = (
    Erratum(
        name="diss-4.3.25/E1",
        severity="S3",
        kind="proof",
        origin="mathematical",
        statement="Theorem 4.3.1: an alpha-SOSP within T = O~(M B/alpha^2) iterations for every "
        "n above (4.56)",
        truth="leaving a strict saddle takes about log(n) more steps: the O~ of T, or chi, must "
        "contain log(n/n_0), so that only n exponential in T is lost",
        witness="F = (cos w_1 - cos w_2)/4 from 0, alpha = 0.05, (1, 1e-6): escape at step 12 for "
        "n = 1e3, 98 for n = 1e18; T = 100 and n = 1e20: never in 10 runs",
        reproduced_by="proofs:004 Theorem 4.3.1",
    ),
    Erratum(
        name="diss-4.3.25/E2",
        severity="S4",
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
        severity="S4",
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
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(4.65), l.4205, l.4244: the part of x_t = w_t - w_t' that does not come from "
        "x_1 is at most half of the other, for two independent runs",
        truth="true with the same noise in both runs, where (4.64) fails: two events of "
        "probability sqrt(xi) may exclude each other. The argument holds for the region that is "
        "stuck under each noise sequence, and its mean length is what counts",
        witness="F = cos w, alpha = 1, chi = 93, c = 23, xi = 1e-40, first noises r and -r: the "
        "left side is 6e11 times the right at t = 2",
        reproduced_by="proofs:004 (4.65)",
    ),
)

WITHDRAWN = (
    Withdrawn(
        name="diss-4.3.25/E3",
        why="misprints of the proof (F for its gradient, rho epsilon for rho alpha, eta t for eta "
        "r), clear from the lines beside them; of the independent runs see E5.",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
