"""Errata in the source of diss-RGD (Section 3.2.5)."""

from __future__ import annotations

from reference.catalogue import Erratum, Withdrawn

ERRATA = (
    Erratum(
        name="diss-RGD/E2",
        severity="S3",
        kind="experiment",
        origin="mathematical",
        statement="l.1690: v = 5 with lognormal(1, 1) noise satisfies Assumption 3.2.4",
        truth="the noise has variance (e - 1) e^3 = 34.5, so that the ridge gradient at w* has "
        "second moment 4 34.5 E x_j^2 > 5 unless E x_j^2 <= 0.036 (0.145 with the half-squared "
        "loss); privacy is unaffected",
        witness="4 34.51 E x_j^2 <= 5; at E x_j^2 = 1 it is 138",
        reproduced_by="test:test_v_5_is_too_small_for_the_printed_noise",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "diss-RGD/E1",
        "That section 3.2.5 prints no noise for its minibatches is missing information, which may "
        "be "
        "in the appendix that l.1696 names, and no false statement.",
    ),
)
