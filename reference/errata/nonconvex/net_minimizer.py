"""Errata in the sources of diss-4.2.4-EM (Theorem 4.2.4): none."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm, Withdrawn

ERRATA: tuple[Erratum, ...] = ()
WITHDRAWN = (
    Withdrawn(
        name="diss-4.2.4-EM/E1",
        why="O(L/n) hides lambda, a declared constant; who codes the scores needs 2 L^2/(lambda "
        "n).",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
