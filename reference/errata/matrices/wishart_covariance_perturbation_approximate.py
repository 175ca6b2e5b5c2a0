"""Errata in the sources of diss-6.3.51-W2 (Theorem 6.3.6, Lemma 6.3.1).

Up to delta = 1 the theorem is right, and (6.96) for delta and delta' up to 1/e.
"""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="diss-6.3.51-W2/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Theorem 6.3.6: delta in (0, 1/epsilon), with m = d + (14/epsilon^2) ln(4/delta)",
        truth="delta in (0, 1/e), as in Lemma 6.3.1, from which it follows; for delta well above "
        "4 m is below d - 1 and there is no such law",
        witness="epsilon = .2, delta = 4.5: m = d - 41.2",
        reproduced_by="test:test_the_printed_range_of_delta_has_no_law_at_its_end",
        elsewhere="(0, 1/e) in Lemmas 6.3.1 and 6.3.3, l.8649 and l.8657",
    ),
)
