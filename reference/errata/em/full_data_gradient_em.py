"""Errata in the sources of diss-7.2.56 (Algorithm 7.2.56)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.em.full_data_gradient_em import constants_for, full_data_gradient_em
from reference.em.split_gradient_em import Constants


def printed_constants(
    data: Any, model: Any, *, initial: Any, step_size: float, **parameters: Any
) -> Constants:
    """(7.63) has R before the whole error bound (l.9652). The noise is the paper's, and private."""
    del model, step_size
    return constants_for(n=len(data), dimension=np.size(initial), method="zcdp", **parameters)


printed = with_constants(full_data_gradient_em, printed_constants)

ERRATA = (
    Erratum(
        name="diss-7.2.56/E1",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 7.2.3: the concentration of independent records (Lemma "
        "7.2.1) holds for the gradient at beta^{t-1}",
        truth="beta^{t-1} is made of the same records from t = 2 on; a bound uniform over "
        "beta, or disjoint blocks as in Wang et al. (2020), is needed. The rate is not refuted",
        witness="mixture, d = 1, beta* = 0.5, sigma = 1, n = 4, no noise, beta^0 = 1: at "
        "beta^1 the sample's map exceeds the population's by 0.0533 on average "
        "(0.0531 in a simulation); at a fixed beta it would be 0",
        reproduced_by="proofs:004 Theorem 7.2.3, proof (reuse)",
    ),
    Erratum(
        name="diss-7.2.56/E2",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="(7.63), (7.65), (7.66): R multiplies the whole error bound",
        truth="R belongs to the vanishing term iota^T R/2 only; the noise term has no R (of the "
        "proof's factors 2 see wang-2/E4 and wang-2/E6)",
        witness="beta*, sigma and sqrt(tau) times c: the error is exactly c times, the "
        "claimed bound c^2 times the old one, so it fails as c -> 0",
        reproduced_by="audit:printed/scaling",
        copy_of="wang-2/E3",
    ),
    Erratum(
        name="diss-7.2.56/E3",
        severity="S3",
        kind="proof",
        origin="mathematical",
        statement="(7.78): at a fixed beta the gradient's error is at most C_2 d sqrt(tau T "
        "log(d/zeta))/sqrt(b n te^2) with probability 1 - 2 zeta, b = log(d/zeta)",
        truth="b cancels the logarithm that the robust mean needs, which shows only where "
        "log(d/zeta) exceeds d T/te^2; (7.63) keeps a log(1/zeta), no theorem changes",
        witness="records +-1 at random, d = T = 1, (0.9, 1/2), n = 1e6, zeta = 1e-200: more than "
        "the bound with C_2 = 10",
        reproduced_by="proofs:004 (7.78)",
    ),
    Erratum(
        name="diss-7.2.56/E4",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Remarks 7.2.2 and 7.2.3: the errors (7.65), (7.66) are O~(d/sqrt(n epsilon)), "
        "O~(d^{3/2}/sqrt(n epsilon)); an error of alpha takes O~(d^2/(alpha^2 epsilon)) records",
        truth="both have sqrt(n epsilon^2): d/(sqrt(n) epsilon), d^{3/2}/(sqrt(n) epsilon), "
        "d^2/(alpha^2 epsilon^2); the remarks fit Wang et al. (2020)",
        witness="noise of the algorithm over d/sqrt(n epsilon), d = 5, T = 10, delta = 1e-5, "
        "zeta = 0.05: 10.1, 94.3, 943 at epsilon = 0.9, 0.01, 0.0001",
        reproduced_by="proofs:004 Remark 7.2.2",
    ),
    Erratum(
        name="diss-7.2.56/E5",
        severity="S4",
        kind="accounting",
        origin="unclear",
        statement="l.10048: tilde-epsilon = sqrt(log(1/delta)) + epsilon - sqrt(log(1/delta)) is "
        "O(epsilon/sqrt(log(1/delta)))",
        truth="sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)) is",
        witness="epsilon = 1, delta = 1e-100: 1 against .033",
        reproduced_by="test:test_a_root_that_ends_too_early_is_no_smaller_for_a_small_delta",
        copy_of="diss-3.2.7/E3",
        elsewhere="Right in step 1 of the box (l.9633), in l.9810 and in l.9970; as early in "
        "l.1526, l.1631, l.2121 and l.2738 and in Wang et al. (2020), l.291 and l.700",
        sign="root",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-7.2.56/E2",), function=printed),)
