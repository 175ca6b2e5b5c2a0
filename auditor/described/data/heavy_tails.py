"""Data, pairs and broken twins that the audits of heavy-tailed optimisation share."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from statsmodels.datasets import engel, randhie

from auditor import Data, Everything, Form, Product, form, replace_record
from auditor.described.data.heavy_tailed_regression import student
from auditor.described.data.linear_models import LABELS
from auditor.described.data.vectors import SMOOTHED, flipped_label, replaced_by, squared_distance
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball
from reference.heavy_tailed.known_variance_gradient_descent import (
    constants_for as robust_constants_for,
)
from reference.heavy_tailed.trimmed_mean import (
    constants_for,
    smooth_sensitivity,
    truncated_trimmed_mean,
)
from reference.losses import Linear, Logistic, SquaredError, empirical_risk
from reference.privacy.ledger import Ledger, RecordingLedger
from reference.privacy.mechanisms import SmoothSensitivity

HUGE_RECORD = 1e6

SCALE = ("sensitivity", "privacy_loss", "black_box")
"""The questions that tell a scale which a record moves by more than is claimed."""

# ------------------------------------------------------------------- numbers and their means


@cache
def visits() -> FloatArray:
    """Outpatient visits per person and year in the RAND experiment, in a random order."""
    column: FloatArray = randhie.load_pandas().data["mdvis"].to_numpy(dtype=np.float64)
    return np.random.default_rng(325).permutation(column)


VISITS: dict[str, Any] = {
    "name": "randhie (statsmodels), outpatient visits",
    "neighbour": replaced_by(0.0, HUGE_RECORD),
}
"""Arguments shared by the audits on the visits."""


def halves(n: int) -> tuple[FloatArray, FloatArray]:
    """Return half of n numbers at -1e6 and half at 1e6, and one more of them at 1e6.

    A record moves their trimmed mean by 2e6/(n - 2m).
    """
    data = np.repeat([-HUGE_RECORD, HUGE_RECORD], n // 2)
    return data, replace_record(data, 0, HUGE_RECORD)


def majority(ones: int, one: float) -> tuple[FloatArray, FloatArray]:
    """Return seven numbers, so many of them ``one`` and the others 0, and one less.

    Of four the median moves, by the whole scale. Where few values are in the domain, the search
    meets every term of the smooth sensitivity.
    """
    data = np.repeat([one, 0.0], [ones, 7 - ones])
    return data, replace_record(data, 0, 0.0)


def unclipped_mean(
    data: ArrayLike, *, epsilon: float, lower: float, upper: float, trim: int, ledger: Ledger
) -> float:
    """Mechanism M without the truncation of the trimmed mean to [a, b]: a mutant."""
    constants = constants_for(epsilon=epsilon)
    output = ledger.smooth(
        truncated_trimmed_mean(data, trim=trim, lower=-math.inf, upper=math.inf),
        smooth_bound=smooth_sensitivity(
            data, trim=trim, smoothness=constants.smoothness, lower=lower, upper=upper
        ),
        smoothness=constants.smoothness,
        divisor=constants.divisor,
        rho=constants.rho,
    )
    return float(output)


def unsmoothed_median(
    data: ArrayLike, *, epsilon: float, lower: float, upper: float, trim: int, ledger: Ledger
) -> float:
    """Mechanism M for n = 2m + 1 with the local sensitivity itself as scale: a mutant.

    Of (0, 0, 0, 0, 1, 1, 1) it is 1 and 0 once a 1 is replaced by 0; a floor keeps it positive.
    """
    constants, m = constants_for(epsilon=epsilon), trim
    x = np.sort(np.asarray(data))
    floor = math.exp(-m * constants.smoothness) * (upper - lower)
    output = ledger.smooth(
        x[m],
        smooth_bound=max(floor, x[m + 1] - x[m], x[m] - x[m - 1]),
        smoothness=constants.smoothness,
        divisor=constants.divisor,
        rho=constants.rho,
    )
    return float(output)


def values_and_scales(ledger: RecordingLedger) -> list[tuple[float, float]]:
    """Return of every release of one number, with smooth sensitivity, its value without noise.

    And the scale of its noise, to average over the noise exactly.
    """
    found = []
    for release in ledger.transcript.releases:
        assert isinstance(release.mechanism, SmoothSensitivity)
        assert release.value is not None
        found.append((float(np.squeeze(release.value)), release.mechanism.scale))
    return found


# ------------------------------------------------------------------- robust gradient descent

LINEAR = Linear(feature_bound=math.inf)
"""Its gradient y a does not depend on w: the same pair is worst in every iteration."""

EVERYWHERE = L2Ball(1e15)
"""The iterates stay inside: no projection, so that w^T shows the sum of the releases."""

ZETA = 0.01
"""delta', as in the paper's experiments."""


def robust_form(
    function: Callable[..., FloatArray], n: int, *, size: float = HUGE_RECORD, **options: Any
) -> Form:
    """Return a form on n records in two dimensions, linear losses whose gradients add up.

    The pair are zeros but for a feature vector (size, size), with label 1 and with -1. A record of
    1e6 s is within 1e-5 of the truncation's supremum.
    """
    given = {"epsilon": 1.0, "second_moment": 1.0, "failure_probability": ZETA, **options}
    return form(
        function,
        flipped_label(n, [size, size]),
        LINEAR,
        EVERYWHERE,
        initial=np.zeros(2),
        domain=Product((Everything((2,), 1e300), LABELS)),
        # w^T descends along the gradient, which is larger under the first data set
        statistic=lambda w: -float(w.sum()),
        not_attained=SMOOTHED,
        **given,
    )


def excess_risk(
    rng: np.random.Generator,
    ledger: Ledger,
    estimate: Callable[..., FloatArray],
    *,
    n: float,
    d: int = 2,
    **options: Any,
) -> float:
    """Return the excess risk ||w - w*||_2^2 of a linear regression, by default at (1, 0.01).

    The card's: features and noise of half their scale are Student's t with 5 degrees of freedom
    and variance 1, w* = (0.2, ..., 0.2), W the ball of radius 5, and the squared error, whose
    Hessian is 2I: with eta = 1/2 the first full step forgets the start.
    """
    truth = np.full(d, 0.2)
    features = student(5, (int(n), d), rng)
    labels = features @ truth + 0.5 * student(5, (int(n),), rng)
    w = estimate(
        (features, labels),
        SquaredError(),
        L2Ball(5.0),
        initial=np.zeros(d),
        second_moment=4.0,
        failure_probability=ZETA,
        step_size=0.5,
        **{"epsilon": 1.0, "delta": 1e-2, **options},
        ledger=ledger,
    )
    return squared_distance(w, truth)


def excess_risk_by_zcdp(
    rng: np.random.Generator,
    ledger: Ledger,
    estimate: Callable[..., FloatArray],
    *,
    n: int,
    epsilon: float,
    batch_size: int,
) -> float:
    """Return the excess risk with the papers' noise by zCDP, of releases that read a batch once.

    It has the rate in epsilon that they state. The exact noise is smaller at every epsilon, the
    more so the smaller epsilon is.
    """
    known: dict[str, Any] = {"second_moment": 4.0, "failure_probability": ZETA, "method": "zcdp"}
    constants = robust_constants_for(
        n=batch_size, dimension=2, n_iterations=1, epsilon=epsilon, delta=1e-2, **known
    )
    return excess_risk(rng, ledger, estimate, n=n, epsilon=epsilon, constants=constants)


@cache
def logistic_population() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return features and labels of 200 equally likely records, and the logistic minimiser.

    Features are Student's t with 3 degrees of freedom; nothing makes the risk strongly convex.
    """
    rng = np.random.default_rng(328)
    features = rng.standard_t(3, (200, 2))
    labels = np.where(rng.random(200) < 1 / (1 + np.exp(-features @ [0.5, -0.5])), 1.0, -1.0)
    loss = Logistic(feature_bound=math.inf)

    def risk(w: FloatArray) -> float:
        return empirical_risk(loss, (features, labels), w)

    def gradient(w: FloatArray) -> FloatArray:
        return loss.gradient((features, labels), w)

    return features, labels, minimize(risk, np.zeros(2), jac=gradient, tol=1e-10).x


@cache
def households() -> Data:
    """Return Engel's 235 Belgian households: features (1, income - 1), label food expenditure.

    In units of 1000 francs a year, public, as is the 1 subtracted from the income.
    """
    table = engel.load_pandas().data / 1000
    income, food = (table[name].to_numpy(dtype=np.float64) for name in ("income", "foodexp"))
    return np.column_stack([np.ones(len(income)), income - 1]), food


def least_squares(data: Data) -> FloatArray:
    """Return the ordinary least squares fit."""
    features, labels = data
    solution: FloatArray = np.linalg.lstsq(features, labels, rcond=None)[0]
    return solution
