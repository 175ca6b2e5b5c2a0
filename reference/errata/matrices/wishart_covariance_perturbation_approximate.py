"""What the sources of diss-6.3.51-W2 (Theorem 6.3.6, Lemma 6.3.1) print wrongly: nothing.

The theorem's delta in (0, 1/epsilon) should be the lemma's (0, 1/e), but it is right for all of it,
and so is (6.96) for delta and delta' up to 1/e.
"""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA: tuple[Erratum, ...] = ()
