"""What the sources of diss-2.exponential print that does not hold: nothing."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA: tuple[Erratum, ...] = ()
FORMS: tuple[PrintedForm, ...] = ()
