"""Errata in the sources of diss-3.1.1 (Algorithm 3.1.1)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from reference.catalogue import Erratum, PrintedForm, Withdrawn
from reference.constants import with_constants
from reference.convex.svrg import Constants, dp_svrg
from reference.errata.privacy.calibration import printed_composed_gaussian_scale
from reference.losses import Loss

CONSTANT = 8.0
"""c of (3.3), which the paper does not name; none would do."""


def one_record_constants(loss: Loss, *, n: int, noise_scale: float) -> Constants:
    """Return the constants of single-record gradients (b = 1), as the box has them."""
    return Constants(
        batch_size=1,
        sensitivity=4 * loss.lipschitz + 2 * loss.lipschitz / n,
        background_sensitivity=2 * loss.lipschitz / n,
        noise_scale=noise_scale,
        step_size=1 / (48 * loss.smoothness),
    )


def printed_constants(
    data: Any,
    loss: Loss,
    regularizer: Any,
    *,
    initial: Any,
    epsilon: float,
    delta: float,
    n_epochs: int,
    n_inner: int,
) -> Constants:
    """One record a step with sigma^2 = c G^2 T m log(1/delta)/(n epsilon)^2 ((3.3), l.660)."""
    del regularizer, initial
    n = loss.size(data)
    scale = printed_composed_gaussian_scale(
        epsilon,
        delta,
        lipschitz=loss.lipschitz,
        n=n,
        releases=n_epochs * n_inner,
        constant=CONSTANT,
    )
    return one_record_constants(loss, n=n, noise_scale=scale)


def printed_remark_constants(
    *arguments: Any, delta: float, n_epochs: int, **parameters: Any
) -> Constants:
    """As printed, with log(T/delta) times the noise (Remark 3.1.1, l.662)."""
    theorem = printed_constants(*arguments, delta=delta, n_epochs=n_epochs, **parameters)
    return replace(theorem, noise_scale=math.log(n_epochs / delta) * theorem.noise_scale)


printed = with_constants(dp_svrg, printed_constants)
printed_remark = with_constants(dp_svrg, printed_remark_constants)

ERRATA = (
    Erratum(
        name="diss-3.1.1/E2",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 3.1.2 and the experiments use (3.3) for epsilon > c_1 T m/n^2",
        truth="there Algorithm 3.1.1 is not (epsilon, delta)-DP: a record is drawn with "
        "probability about T m/n >> delta and is then visible",
        witness="n = 2e4, m = 400, T = 1, (1, 1e-4), c = 8: an event of the output needs epsilon "
        "11.6, and a larger n defeats any c; n = 50, m = 15, T = 1, (1, 0.01), c = 8: delta(1) = "
        "0.25 of all v_t, 0.06 and more of the output alone",
        reproduced_by="audit:printed/privacy_loss",
    ),
    Erratum(
        name="diss-3.1.1/E3",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="Remark 3.1.1: the range of epsilon is removed by O(log(T/delta)) times the "
        "noise",
        truth="no such factor bridges n^2 epsilon/(T m); one record at a time with "
        "delta << T m/n needs sigma of the order of G",
        witness="n = 1e6, m = 400, T = 1, (1, 1e-12), c = 8: an event of the output needs epsilon "
        "9.4, and a larger n defeats any c; n = 60, m = 12, T = 1, (6, 1e-3), c = 8: delta(6) = "
        "0.17 of all v_t",
        reproduced_by="audit:printed-remark/privacy_loss",
    ),
    Erratum(
        name="diss-3.1.1/E4",
        severity="S4",
        kind="utility",
        origin="mathematical",
        statement="Theorem 3.1.2 offers eta <= 1/(12L), with m large enough for (3.5)",
        truth="no m is large enough unless eta < 1/(24L); at eta = 1/(48L) m of about 192 L/mu is; "
        "harmless, as (3.5) is a condition of the theorem",
        witness="8 L eta = 2/3: the second term alone is 2 (m+1)/m > 1/2",
        reproduced_by="proofs:004 (3.5)",
    ),
    Erratum(
        name="diss-3.1.1/E5",
        severity="S4",
        kind="proof",
        origin="unclear",
        statement="(3.26): E||v - grad F(x)||^2 <= 2L [gap(x) + gap(x~)] + sigma^2 p",
        truth="4L; harmless, (3.27) leaves room for it",
        witness="n = 3, f_1 = x^2/2, f_2 = f_3 = 0, x = 1 = -x~: 8/9 > 2/3",
        reproduced_by="proofs:004 (3.26)",
        elsewhere="Nowhere else; (3.27), l.1052, has 16 eta^2 L where 4L is enough",
    ),
    Erratum(
        name="diss-3.1.1/E7",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(3.17): the sum of T equal bounds on moments has no factor T",
        truth="T (c_1 lambda^2/(n sigma_2)^2 + c_2 lambda^2/(n sigma_1)^2), as the next display",
        witness="lambda = 1, background queries only: c_1 = 4 T is needed",
        reproduced_by="proofs:004 (3.17)",
        elsewhere="l.991, the next display, has T in both terms",
    ),
    Erratum(
        name="diss-3.1.1/E8",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(3.24): x - (x - grad F) in the bound on x_t - x^_t",
        truth="x - (x - eta grad F); (3.25) is right",
        witness="eta = 1/2, grad F = 1, v = 2, r = 0, x = 0: left side 1/2, printed bound 0",
        reproduced_by="proofs:004 (3.24)",
        elsewhere="(3.25), l.1042, follows with eta and not without",
    ),
    Erratum(
        name="diss-3.1.1/E9",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(3.19): for epsilon <= c_3 T/n^2 the noise sigma_1 = c_4 sqrt(T "
        "log(1/delta))/(n epsilon) meets all conditions, (3.18) among them, for some constants",
        truth="in addition sigma_1 <= n/e: (3.18) has log(n/sigma_1), and sigma_1 grows with T; "
        "it fails only for T beyond the order of n^4 epsilon^2/log(1/delta), which is never meant",
        witness="n = 100, epsilon = 0.01, delta = 1e-4, T = 1e8, c_4 = 1: sigma_1 = 30349 > n",
        reproduced_by="proofs:004 (3.19)",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "diss-3.1.1/E1",
        "Theorems 3.1.1 and 3.1.2 hold together if kappa log n >= n^2 epsilon/c_1: a narrow range, "
        "but c_1 is free and no case is excluded that either of them names.",
    ),
    Withdrawn(
        "diss-3.1.1/E6",
        "l.834, that the step size does not affect the privacy, is true of steps computed from "
        "noisy gradients, and the text does not say from which its own are.",
    ),
)

FORMS = (
    PrintedForm("printed", errata=("diss-3.1.1/E2",), function=printed),
    PrintedForm("printed-remark", errata=("diss-3.1.1/E3",), function=printed_remark),
)
