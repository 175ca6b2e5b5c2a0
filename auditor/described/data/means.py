"""Parts shared by the audits of private means of heavy-tailed numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from auditor import Data, RealData, Scaling, along, averaged, real_data, root_mean_square
from auditor.described.data import fair
from auditor.described.data.vectors import relative_error, replaced_by
from reference._validation import FloatArray
from reference.constants import with_constants
from reference.heavy_tailed.private_mean import Constants
from reference.heavy_tailed.truncation import correction
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

Mean = Callable[..., float]
"""``private_mean``, ``local_private_mean`` or one of their printed forms."""

Rule = Callable[..., Constants]
"""Called as a :data:`Mean` is, but for the ledger."""


def far_apart(n: int, size: float = 1e6) -> tuple[FloatArray, FloatArray]:
    """Return n - 1 zeros with ``size`` before them, and with -``size``: the largest distance."""
    data = np.zeros(n)
    data[0] = size
    return data, -data


def by_data(constants_for: Callable[..., Constants], **options: Any) -> Rule:
    """Return the rule of a function that is told the number of records."""

    def rule(data: Data, **parameters: Any) -> Constants:
        return constants_for(n=len(data), **parameters, **options)

    return rule


def in_doubles(x: FloatArray, scale: float, precision: float) -> FloatArray:
    """Return (17) times s in double precision as printed, but 0 at 0: erratum wang-phi/E2."""
    a = x / scale
    b = np.abs(a) / math.sqrt(precision)
    with np.errstate(all="ignore"):
        values = scale * (a * (1 - b**2 / 2) - a**3 / 6 + correction(a, b))
    printed: FloatArray = np.where(a == 0, 0.0, values)
    return printed


def worst_in_doubles(scale: float, precision: float) -> float:
    """Return a record at which the cubes do not cancel; at half of all magnitudes they do."""
    sizes = np.geomspace(1e8, 1e9, 10)
    errors = np.abs(in_doubles(sizes, scale, precision))
    return float(sizes[errors.argmax()])


# -------------------------------------------------------------------------------- utility


@dataclass(frozen=True)
class Grid:
    """Values along which an error is measured: n at epsilon = 0.5, and epsilon at ``n``."""

    sizes: tuple[float, ...]
    epsilons: tuple[float, ...]
    n: int


def on_student(
    mean: Mean,
    constants_for: Callable[..., Constants],
    values: Grid,
    *,
    claim: str,
    slopes: tuple[float, float],
    form: str = "corrected",
) -> tuple[Scaling, Scaling]:
    """Return the recipes in n and in epsilon with their slopes.

    The error is the root mean square of 4 on 1 + t_3, whose second moment is 4. In epsilon it is
    with the papers' noise by zCDP, which has the rate that they state: the exact
    noise is smaller at every epsilon, the more so the smaller epsilon is.
    """

    def error(
        rng: np.random.Generator,
        ledger: Ledger,
        *,
        estimate: Mean,
        n: float = values.n,
        epsilon: float = 0.5,
    ) -> float:
        known = {"delta": 1e-5, "second_moment": 4.0, "failure_probability": 0.05}
        sample = 1 + rng.standard_t(3, int(n))
        return estimate(sample, epsilon=epsilon, **known, ledger=ledger) - 1

    of_four = averaged(error, 4, root_mean_square)
    right = with_constants(mean, by_data(constants_for))
    by_zcdp = with_constants(mean, by_data(constants_for, method="zcdp"))
    recipe = partial(along, error=of_four, repetitions=16, claim=claim, form=form)
    return (
        recipe("n", values.sizes, slopes[0], estimate=right),
        recipe("epsilon", values.epsilons, slopes[1], estimate=by_zcdp, expensive=True),
    )


def in_failure_probability(
    mean: Mean,
    rule: Rule,
    values: tuple[float, ...],
    *,
    epsilon: float,
    claim: str,
    erratum: str | None = None,
) -> Scaling:
    """Return the recipe in log(1/zeta): root mean square of 2 errors on a law of two points.

    x = sk with probability tau/(sk)^2 and 0 otherwise. With tau = 1 and k = 1.4 the bias is within
    a few percent of the largest there is, and at small zeta both the noise and the spread are
    small against it.
    """

    def error(
        rng: np.random.Generator, ledger: Ledger, log_term: float, factor: float = 1.0
    ) -> float:
        n = 40_000
        parameters = {
            "epsilon": epsilon,
            "delta": 0.1,
            "second_moment": 1.0,
            "failure_probability": math.exp(-log_term),
        }
        right = rule(np.zeros(n), **parameters)
        constants = replace(right, truncation_scale=right.truncation_scale / factor)
        point = 1.4 * constants.truncation_scale
        probability = 1 / point**2
        sample = np.where(rng.random(n) < probability, point, 0.0)
        found: float = mean(sample, **parameters, constants=constants, ledger=ledger)
        return found - point * probability

    return along(
        "log_term",
        values,
        0.5,
        inflates="the inverse truncation scale",
        name="log(1/zeta)",
        error=averaged(error, 2, root_mean_square),
        repetitions=14 if erratum is None else 6,
        claim=claim,
        erratum=erratum,
        form="corrected" if erratum is None else "printed",
    )


# ------------------------------------------------------------------------------- real data


def affairs() -> FloatArray:
    """Time spent in extramarital affairs by 6366 women: two thirds are 0, the largest is 57.6."""
    return fair.column("affairs")


def survey(mean: Mean, model: Model) -> RealData:
    """Return the audit on the survey; 10 is a public bound on its mean square, which is 5.35."""
    return real_data(
        mean,
        name="fair (statsmodels), affairs",
        load=affairs,
        neighbour=replaced_by(0.0, 1e6),
        baseline=lambda data: float(data.mean()),
        error=relative_error,
        epsilons=(0.1, 0.3, 1.0, 3.0),
        metric="relative error of the mean time",
        model=model,
        delta=1e-5,
        second_moment=10.0,
        failure_probability=0.05,
    )
