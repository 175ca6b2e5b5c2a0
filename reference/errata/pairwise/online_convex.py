"""What the sources of diss-3.3.10 (Algorithm 3.3.10) print that does not hold: nothing listed."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA: tuple[Erratum, ...] = ()
FORMS: tuple[PrintedForm, ...] = ()
