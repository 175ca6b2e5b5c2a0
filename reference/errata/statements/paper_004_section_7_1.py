"""Errata of Wang (2020), section 7.1, in its proofs."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="004 (7.25)/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="(7.25) and the lines after it: |(1 - X^_ij)(1 - y_j) + X^_ij y_j - p^*_i| is "
        "that of 2 T_ij y_j - T_ij - y_j + 1 - p*_i",
        truth="with p^*_i, the perturbed ability, on both sides",
        witness="p*_i = 1, e^epsilon = 3, T_ij = y_j = 1: 1/4 against 0",
        reproduced_by="proofs:004 (7.25)",
        elsewhere="With the hat in (7.22), l.9172, and (7.23), l.9224; without it five times in "
        "l.9234",
        sign="hat",
    ),
    Erratum(
        name="004 (7.37)/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="display before (7.37): P(mean T_i < 1/2) is at least P(2/sqrt N sum (T_i - 1/2) "
        ">= -K/sqrt N) times the probability that all K experts are right",
        truth="P(.. < -K/sqrt N), as (7.37) has it",
        witness="n = 4, K = 2, e^epsilon = 9: .81 against .0525",
        reproduced_by="proofs:004 Display before (7.37)",
        elsewhere="(7.37), l.9369, follows with <",
    ),
    Erratum(
        name="004 l.9128/E1",
        severity="S4",
        kind="utility",
        origin="misprint",
        statement="l.9128: at epsilon = 0 the bound (7.16) is 1/2",
        truth="2",
        witness="v^ = 0: 2 exp(0)",
        reproduced_by="proofs:004 l.9128",
        elsewhere="(7.16), l.9124, has the factor 2 in front",
    ),
    Erratum(
        name="004 l.9136/E1",
        severity="S4",
        kind="utility",
        origin="misprint",
        statement="l.9136: by (7.17) the rate of the error is O~(1/(m epsilon^2))",
        truth="O~(1/(sqrt m epsilon))",
        witness="m = 1e12, epsilon = 1: 6e-6 against 1e-12, but for a logarithm",
        reproduced_by="proofs:004 l.9136",
        elsewhere="(7.17), l.9134, and l.9331 have the root",
        sign="root",
    ),
)
