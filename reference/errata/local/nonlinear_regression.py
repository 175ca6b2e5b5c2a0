"""Errata in the sources of diss-5.2.40 (Algorithm 5.2.40)."""

from __future__ import annotations

from typing import Any

from reference.catalogue import Erratum, PrintedForm
from reference.clipping import clip_rows
from reference.constants import fixed_constants
from reference.local.links import Link, label_bound
from reference.local.scaled_least_squares import (
    Constants,
    Estimate,
    checked_data,
    constants_of_theorem,
    least_squares,
    scores,
    smallest_root,
)
from reference.privacy.ledger import Ledger


def printed(
    data: Any,
    link: Link,
    *,
    public_features: Any,
    epsilon: float,
    delta: float,
    noise_bound: float,
    radius: float,
    ledger: Ledger,
) -> Estimate:
    """Noise for labels in [-B, B], labels as they are: the box has them in {0, 1} (l.5798)."""
    features, labels, public = checked_data(data, public_features, link)
    bound = label_bound(link, radius, noise_bound)
    noise = fixed_constants(
        ledger,
        Constants,
        None,
        constants_of_theorem,
        epsilon=epsilon,
        delta=delta,
        radius=radius,
        largest_label=bound,
    )
    x, y = clip_rows(features, radius, order=1), labels
    noisy_xx = ledger.symmetric_gaussian(
        x[:, :, None] * x[:, None, :],
        sensitivity=noise.matrix_sensitivity,
        scale=noise.matrix_scale,
        unit="record",
    )
    noisy_xy = ledger.gaussian(
        x * y[:, None],
        sensitivity=noise.vector_sensitivity,
        scale=noise.vector_scale,
        unit="record",
    )
    w_ols, eigenvalue = least_squares(noisy_xx.mean(axis=0), noisy_xy.mean(axis=0))
    c = smallest_root(link, scores(public, w_ols))
    return Estimate(None if c is None else c * w_ols, w_ols, c, eigenvalue)


ERRATA = (
    Erratum(
        name="diss-5.2.40/E1",
        severity="S2",
        kind="privacy",
        origin="misprint",
        statement="Algorithm 5.2.40 takes labels from {0, 1}, does not cut them, and its noise is "
        "for |y| <= B = L r + |f(0)| + C",
        truth="(epsilon, delta)-LDP if labels are cut to [-B, B]; without, LDP fails where B is "
        "well below 1. In the paper's cubic experiment, with L = 1, B = 1.001 and labels of {0, 1} "
        "are covered",
        witness="f(z) = z/10, C=.01, r=1, so B=.11: x = e_1 against -e_1 at y = 1 has delta(1) = "
        ".097 where 1e-5 is claimed",
        reproduced_by="audit:printed/privacy_loss",
        elsewhere="The proof (l.5987) has labels of the model, with |y| <= B",
    ),
    Erratum(
        name="diss-5.2.40/E2",
        severity="S2",
        kind="experiment",
        origin="unclear",
        statement="Figure 5.2: for x_ij = +-1/p, p=10, n up to 2.9e5, delta=1/n, epsilon from 2 to "
        "10, the squared relative error falls like 1/n and 1/epsilon^2",
        truth="the noise on x x^T is that of Algorithm 5.2.39: with r=1 the noisy matrix is "
        "indefinite and the output has no trend",
        witness="n=2.9e5: indefinite in 200 of 200 runs at epsilon from 2 to 10",
        reproduced_by="test:test_the_noisy_matrix_of_the_experiments_is_indefinite",
        copy_of="diss-5.2.39/E1",
        elsewhere="Figure 5.1 and the words of l.5838 say the same",
    ),
    Erratum(
        name="diss-5.2.40/E4",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="step 8: Newton's method sums over j = n+1..n+m+1, with 1/m in front",
        truth="over j = n+1..n+m, as step 6 has it; there is no row n+m+1",
        witness="f' = 1, m = 1: c = 1/2 in place of 1",
        reproduced_by="test:test_the_printed_sums_have_one_row_too_many",
        copy_of="diss-5.2.39/E9",
        elsewhere="n+m in the input (l.5798) and in step 6 (l.5806); n+m+1 again in Algorithm "
        "5.2.39 (l.5692) and in l.5774",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-5.2.40/E1",), function=printed),)
