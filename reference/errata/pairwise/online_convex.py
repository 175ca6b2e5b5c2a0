"""Errata in the sources of diss-3.3.10 (Algorithm 3.3.10): none."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm, Withdrawn

ERRATA: tuple[Erratum, ...] = ()
WITHDRAWN = (
    Withdrawn(
        name="diss-3.3.10/E1",
        why="the experiments print neither alpha nor the scale of the features, without which T_1 "
        "is not known to exceed n.",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
