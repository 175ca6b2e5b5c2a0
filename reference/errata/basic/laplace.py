"""Errata in the source of diss-2.laplace (Definition 2.1.2)."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA = (
    Erratum(
        name="diss-2.laplace/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="l.374: the density of Lap(lambda) is exp(-x/lambda)/(2 lambda)",
        truth="exp(-|x|/lambda)/(2 lambda); as printed it is not integrable",
        witness="lambda = 1: the mass of [-10, 0] is 11012.7",
        reproduced_by="proofs:004 Definition 2.1.2 (density)",
        elsewhere="Hu et al. (2022), l.117, has |x| in the exponent",
        sign="bracket",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
