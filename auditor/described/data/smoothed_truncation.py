"""Parts shared by the audits of the algorithms with a smoothed truncation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import mpmath
import numpy as np

from auditor import Data, ExactQuery, Form, Scaling, along, averaged, form, root_mean_square
from auditor.described.data.mixtures import (
    Worst,
    exact_gradients,
    exact_iterate,
    exact_vector,
)
from auditor.described.data.vectors import SMOOTHED
from reference._validation import FloatArray
from reference.em.initialisation import start_near
from reference.em.models import GaussianMixture
from reference.em.split_gradient_em import Constants
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger, Transcript

N = 20
"""Records of a form."""

Factor = Callable[[Any], Any]
"""A factor of the sum of the corrections in a printed form, from s, an mpmath number."""


@dataclass(frozen=True)
class SmoothedEM:
    """An EM algorithm with a smoothed truncation.

    Attributes
    ----------
    function : callable
        The algorithm, or one of its printed forms.
    constants_for : callable
        The constants of the algorithm.
    step_size : float or None
        ``None`` if an iterate is the release itself, a mean of terms, and not a step along it.
    """

    function: Callable[..., FloatArray]
    constants_for: Callable[..., Constants]
    step_size: float | None = 1.0

    @property
    def steps(self) -> dict[str, Any]:
        """The step size as an argument, if it is one."""
        return {} if self.step_size is None else {"step_size": self.step_size}


def truncated_form(
    em: SmoothedEM,
    worst: Worst,
    *,
    n_iterations: int = 2,
    second_moment: float = 2.0,
    correction_factor: Factor | None = None,
    **options: Any,
) -> Form:
    """Return a form on N records, beta^0 = (0.5, ..., 0.5), with the black box on one step.

    Parameters
    ----------
    correction_factor : callable, optional
        Of a printed form.
    **options : Any
        As for :func:`auditor.described.build.form`.
    """
    d = len(worst.direction)
    initial = np.full(d, 0.5)
    given: dict[str, Any] = {
        "epsilon": 0.9,
        "delta": 1e-2,
        "second_moment": second_moment,
        "failure_probability": 0.05,
    }
    constants = em.constants_for(n=N, dimension=d, n_iterations=n_iterations, **given)
    # a message per record is not checked with mpmath; of one user the estimate is the whole message
    local = options.get("model") is Model.LOCAL
    exact = _exact_query(worst, initial, em.step_size, constants, correction_factor)
    return form(
        em.function,
        worst.pair(N),
        worst.model,
        initial=initial,
        **given,
        **em.steps,
        n_iterations=n_iterations,
        seen=worst.pair(1) if local else None,
        not_attained=SMOOTHED,
        exact_query=None if local else exact,
        **{
            "statistic": worst.along,
            "domain": worst.domain(),
            "box": {"n_iterations": 1},
            **options,
        },
    )


def _exact_query(
    worst: Worst,
    initial: FloatArray,
    step_size: float | None,
    constants: Constants,
    correction_factor: Factor | None,
) -> ExactQuery:
    def query(data: Data, transcript: Transcript, index: int) -> list[Any]:
        block = data[transcript.releases[index].claim.records or slice(None)]
        if step_size is None:
            last = transcript.releases[index - 1].output if index else initial
            beta = exact_vector(last)
        else:
            beta = exact_iterate(initial, step_size, transcript, index)
        values = exact_gradients(worst.model, block, beta)
        if step_size is None:  # a term is the gradient without its -beta
            values = [[g + b for g, b in zip(row, beta, strict=True)] for row in values]
        return _exact_mean(values, constants, correction_factor)

    return query


def _exact_mean(
    values: list[list[Any]], constants: Constants, correction_factor: Factor | None
) -> list[Any]:
    """Return the mean of the cubics plus a factor times the sum of corrections, exactly.

    By default the factor is s over the number of values: the mean of the smoothed truncations.
    """
    s, precision = mpmath.mpf(constants.truncation_scale), mpmath.mpf(constants.precision)
    # the closed form subtracts cubes: they may take three times the digits of the gradient
    with mpmath.workdps(mpmath.mp.dps + 120):
        factor = s / len(values) if correction_factor is None else correction_factor(s)
        means = []
        for column in zip(*values, strict=True):
            cubic = sum(g * (1 - g**2 / (2 * s**2 * precision)) - g**3 / (6 * s**2) for g in column)
            corrections = sum(_exact_correction(g / s, precision) for g in column)
            means.append(cubic / len(values) + factor * corrections)
    return means


def _exact_correction(a: Any, precision: Any) -> Any:
    """Return C-hat(a, |a|/sqrt(precision)) of Wang, Ding, Hu, Xie, Pan and Xu (2020), l.225-237."""
    b = abs(a) / mpmath.sqrt(precision)
    if b == 0:
        return mpmath.mpf(0)
    root2, root = mpmath.sqrt(2), mpmath.sqrt(2 * mpmath.pi)
    v = ((root2 - a) / b, (root2 + a) / b)
    f = [mpmath.ncdf(-side) for side in v]
    e = [mpmath.exp(-(side**2) / 2) for side in v]
    return (
        2 * root2 / 3 * (f[0] - f[1])
        - (a - a**3 / 6) * (f[0] + f[1])
        + b / root * (1 - a**2 / 2) * (e[1] - e[0])
        + a * b**2 / 2 * (f[1] + f[0] + (v[1] * e[1] + v[0] * e[0]) / root)
        + b**3 / (6 * root) * ((2 + v[0] ** 2) * e[0] - (2 + v[1] ** 2) * e[1])
    )


def mixture_error(
    rng: np.random.Generator,
    ledger: Ledger,
    em: SmoothedEM,
    *,
    n: float,
    d: int = 4,
    size: float = 1.0,
    **claim: Any,
) -> float:
    """Return one error on a mixture with ||beta*|| = ``size`` and SNR 3.

    The start is R/2 = size/8 away. tau = 2 size^2 covers the gradient's second moment for d >= 2.
    The noise is the papers', which their theorems are about. The exact one is smaller, and by
    more for a smaller epsilon: under the claimed curve, but at delta = 0.01 with slope -0.7.
    """
    truth = np.full(d, size / np.sqrt(d))
    model = GaussianMixture(size / 3)
    initial = start_near(model, truth, rng)
    claim = {"second_moment": 2 * size**2, "failure_probability": 0.05, **claim}
    found = em.function(
        model.sample(truth, int(n), rng),
        model,
        initial=initial,
        constants=em.constants_for(n=int(n), dimension=d, method="zcdp", **claim),
        ledger=ledger,
        **claim,
        **em.steps,
    )
    return float(np.linalg.norm(found - truth))


def full_data_scaling(em: SmoothedEM, theorem: str, erratum: str) -> tuple[Scaling, ...]:
    """Return the recipes of the algorithms that read all data in every step.

    delta = 0.01, which makes the noise small against R already for a few thousand records. Two
    steps along n; where the noise is larger, one, which has the same rate.
    """
    rate = f"{theorem}: O~(R d log(1/delta) log(1/zeta) sqrt(tau)/sqrt(n epsilon^2))"

    def error(
        rng: np.random.Generator,
        ledger: Ledger,
        *,
        n: float = 16_000,
        epsilon: float = 0.8,
        d: float = 4,
        n_iterations: int = 2,
        **size: float,
    ) -> float:
        return mixture_error(
            rng,
            ledger,
            em,
            n=n,
            d=int(d),
            epsilon=epsilon,
            delta=1e-2,
            failure_probability=d / 200,  # log(d/zeta) is hidden in the O~, so d/zeta is held
            n_iterations=n_iterations,
            **size,
        )

    of_four = averaged(error, 4, root_mean_square)
    recipe = partial(along, error=error, claim=rate, repetitions=16, expensive=True)
    return (
        recipe("n", (4_000, 8_000, 16_000, 32_000), -0.5),
        recipe("epsilon", (0.3, 0.45, 0.65, 0.95), -1.0, n_iterations=1, repetitions=30),
        recipe(
            "d",
            (4, 6, 9, 13),
            1.0,
            error=of_four,
            repetitions=10,
            n=8_000,
            n_iterations=1,
        ),
        factor_r(error, rate, erratum),
    )


def factor_r(error: Callable[..., float], rate: str, erratum: str) -> Scaling:
    """Return the recipe that shows that R does not multiply the whole bound.

    With beta*, sigma and sqrt(tau) in proportion to R the claimed bound is ~ R^2.
    """

    def of_inverse(rng: np.random.Generator, ledger: Ledger, inverse: float) -> float:
        return error(rng, ledger, n=2_000, size=1 / inverse)

    return along(
        "inverse",
        (1.0, 4.0, 16.0, 64.0),
        -2.0,
        name="1/R",
        error=of_inverse,
        repetitions=6,
        claim=rate + ", R multiplying the whole bound",
        erratum=erratum,
        form="printed",
    )
