"""What the sources of diss-3.1.baselines print that does not hold: nothing that is listed."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA: tuple[Erratum, ...] = ()
FORMS: tuple[PrintedForm, ...] = ()
