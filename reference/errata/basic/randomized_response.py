"""What the sources of diss-2.randomized-response print that does not hold: nothing."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA: tuple[Erratum, ...] = ()
FORMS: tuple[PrintedForm, ...] = ()
