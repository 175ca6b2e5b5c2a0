"""Errata in the sources of diss-3.1.2 (Algorithm 3.1.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.convex.katyusha import dp_katyusha
from reference.losses import Loss
from reference.privacy.ledger import Ledger, NoiselessLedger
from reference.proximal import Regularizer


def printed(
    data: Any, loss: Loss, regularizer: Regularizer, *, ledger: Ledger | None, **parameters: Any
) -> FloatArray:
    """Step 7 (l.699) has no noise: nothing is released through a mechanism."""
    del ledger
    return np.array(dp_katyusha(data, loss, regularizer, ledger=NoiselessLedger(0), **parameters))


ERRATA = (
    Erratum(
        name="diss-3.1.2/E1",
        severity="S1",
        kind="privacy",
        origin="misprint",
        statement="step 7 (l.699): v_t = grad f(y, z_i) - grad f(x~, z_i) + v~, without noise",
        truth="plus u_t, N(0, sigma^2 I), as Theorem 3.1.3 and its proof have it; as printed the "
        "output is a function of the data and of who was drawn",
        witness="T = m = 1: prox(x_0 - eta grad F(x_0)), two constants for two data sets",
        reproduced_by="audit:printed/black_box",
        elsewhere="The boxes of DP-SVRG (l.641) and DP-SVRG++ (l.750) and Lemma 3.1.1 (l.867) add "
        "u_t; no other place has the step without it",
    ),
    Erratum(
        name="diss-3.1.2/E2",
        severity="S1",
        kind="accounting",
        origin="mathematical",
        statement="Theorem 3.1.3 takes sigma of Theorem 3.1.1, for epsilon <= c_1 T m/n^2",
        truth="with its own T and m that range excludes every constant epsilon for large n, and "
        "the experiments lie outside",
        witness="T = 12, m = 75000, n = 1e5: T m/n^2 = 9e-5 against epsilon = 1; with noise in "
        "step 7, T = 1, n = kappa = 1e7, m = 3n/4, (1, 1e-4), c = 8: an event of the output needs "
        "epsilon 22",
        reproduced_by="proofs:004 Theorem 3.1.3, range of epsilon",
        copy_of="diss-3.1.1/E2",
    ),
    Erratum(
        name="diss-3.1.2/E3",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(3.30) has (1-theta)/theta <grad F(y_{t-1}), x~ - x_{t-1}>",
        truth="x~ - y_{t-1}, as the next display has it",
        witness="F(x) = x, theta = 1/2, x_{t-1} = u = 0, x~ = -1: left side -1/2, right side -1",
        reproduced_by="proofs:004 (3.30)",
        elsewhere="x~ - y_{t-1} in the four displays that use it (l.1130, l.1138, l.1140, l.1148)",
    ),
    Erratum(
        name="diss-3.1.2/E4",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(3.33) and (3.34) bound <v_t, x_t - x_{t-1}>",
        truth="they bound <v_t, x_{t-1} - x_t>, which is what (3.31) needs",
        witness="F(x) = x, L = 1, theta = 1/2, v = 1, x_{t-1} = 0, x_t = 1: left side 1, right "
        "side -3/4",
        reproduced_by="proofs:004 (3.33)",
        elsewhere="x_{t-1} - x_t in (3.31), l.1104; (3.33) and (3.34), l.1116 and l.1121, agree "
        "with each other",
    ),
    Erratum(
        name="diss-3.1.2/E5",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(3.35) has no noise term, and y_j for y_t",
        truth="plus (1-theta)/(2 L theta) p sigma^2, which is back in (3.36)",
        witness="f = 0, r = x^2/2, x_{t-1} = x~ = u = 0, theta = 1/2, eta = 2/3, sigma = 1: 0 <= "
        "-0.28 on average",
        reproduced_by="proofs:004 (3.35)",
        elsewhere="(3.36), l.1157, has the noise term and y_t",
    ),
    Erratum(
        name="diss-3.1.2/E6",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(3.36) has F(u)",
        truth="F^r(u), as (3.35) and (3.37)",
        witness="f = 0, r = x^2/2, sigma = 0, x_{t-1} = x~ = u = 1, theta = 1/2, eta = 2/3: 0 <= "
        "-0.34",
        reproduced_by="proofs:004 (3.36)",
        elsewhere="F^r(u) in (3.35), l.1155, and (3.37), l.1165",
        sign="exponent",
    ),
    Erratum(
        name="diss-3.1.2/E7",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(3.40): w^m/(2 eta) E||x_m - x*||^2 on the left, with w^{-m} on the right",
        truth="w^m is divided out already: E||x_m - x*||^2/(2 eta), as in (3.41)",
        witness="f = 0, r = x^2/200, L = 1, m = 3, kappa = 100, x_0 = 1, no noise: left side above "
        "the right",
        reproduced_by="proofs:004 (3.40)",
        elsewhere="(3.41), l.1195, has no w^m on the left",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-3.1.2/E1",), function=printed),)
