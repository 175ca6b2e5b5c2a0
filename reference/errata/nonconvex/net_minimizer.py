"""What the sources of diss-4.2.4-EM (Theorem 4.2.4) print that does not hold: nothing."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA: tuple[Erratum, ...] = ()
FORMS: tuple[PrintedForm, ...] = ()
