"""Errata in the sources of diss-4.1.18 (Algorithm 4.1.18).

The claim for every 0 < epsilon < c T fails as diss-4.1.16/E3 says.
"""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm, Withdrawn

ERRATA: tuple[Erratum, ...] = ()
WITHDRAWN = (
    Withdrawn(
        name="diss-4.1.18/E1",
        why="Remark 4.1.3 compares two bounds rightly; they bound the norms of different gradient "
        "maps.",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
