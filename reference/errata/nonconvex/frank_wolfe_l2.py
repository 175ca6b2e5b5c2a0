"""Errata in the sources of diss-4.1.17 (Algorithm 4.1.17).

The claim for every 0 < epsilon < c T fails as diss-4.1.16/E3 says.
"""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA: tuple[Erratum, ...] = ()
FORMS: tuple[PrintedForm, ...] = ()
