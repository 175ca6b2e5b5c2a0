"""Errata in the sources of diss-5.1.31 (Algorithm 5.1.31)."""

from __future__ import annotations

from reference.catalogue import Erratum, Withdrawn

ERRATA = (
    Erratum(
        name="diss-5.1.31/E2",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="l.4878: the sample complexity (5.5) is lower than 2^p alpha^-(p+1)/epsilon^2, "
        "of Smith, Thakurta and Upadhyay, when alpha <= O(16^-p)",
        truth="with D_p = 1 that needs alpha^(p-3) <= 2^p/(p 4^(p(p+1))): for p <= 3 no alpha "
        "does, at p = 7 alpha = 16^-7 does",
        witness="p=3: alpha^0 = 1 against 2^-22.6; p=7: the largest alpha is 2^-26.95, 16^-7 is "
        "2^-28",
        reproduced_by="test:test_the_comparison_with_the_baseline_fails_up_to_three_dimensions",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "diss-5.1.31/E1",
        "(5.3) lacks no factor sqrt(p): it is within a hidden sqrt(log), as log k >= 1.",
    ),
)
