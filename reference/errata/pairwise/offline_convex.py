"""Errata in the sources of diss-3.3.15 (Algorithm 3.3.15)."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA = (
    Erratum(
        name="diss-3.3.15/E1",
        severity="S1",
        kind="utility",
        origin="mathematical",
        statement="(3.119): excess risk O~(sqrt(d)/(sqrt(n) epsilon)) at alpha = c/sqrt(n)",
        truth="T_1 = 16 L^2/alpha^2 = 16 L^2 n/c^2 >= n unless c > 4L: no step is ever taken; for "
        "c > 4L a share 16 L^2/c^2 of the n points that are averaged is still drawn at random, "
        "whatever n, so that no constant helps. With T_1 = ceil(L/alpha) it holds for ||C||_2 >= 1",
        witness="L = 1, c = 1: T_1/n = 17.0, 16.3, 16.1 at n = 1e3, 1e4, 1e5",
        reproduced_by="proofs:004 (3.119)",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
