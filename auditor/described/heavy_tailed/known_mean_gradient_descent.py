"""Gradient descent with a known range of the mean gradient (diss-3.2.7): audit and settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import trim_mean

from auditor import (
    Case,
    Choice,
    Data,
    Everything,
    Form,
    Setting,
    along,
    form,
    rate_slope,
    real_data,
)
from auditor.described.data import heavy_tails as shared
from auditor.described.data.heavy_tails import EVERYWHERE, HUGE_RECORD
from auditor.described.data.small_heavy_tailed import FEW, HUGE, problem, regression, vectors
from auditor.described.data.vectors import one_record, relative_error
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball, L2Ball
from reference.errata.heavy_tailed import known_mean_gradient_descent as errata
from reference.heavy_tailed import known_mean_gradient_descent as algorithm
from reference.heavy_tailed.known_mean_gradient_descent import (
    known_mean_gradient_descent,
    recommended_trim,
    trimming_budget,
)
from reference.losses import SquaredDistance, SquaredError
from reference.privacy.ledger import RecordingLedger

SAME = "that of the form 'corrected' is the same algorithm"


def _form(function: Any, pair: tuple[FloatArray, FloatArray], **options: Any) -> Form:
    """Descend from 0 to the mean of the rows; every gradient's mean lies in [-1, 1]."""
    return form(
        function,
        pair,
        SquaredDistance(),
        EVERYWHERE,
        initial=np.zeros(pair[0].shape[1]),
        lower=-1.0,
        upper=1.0,
        step_size=0.5,
        by_zcdp=True,
        **{"epsilon": 1.0, "delta": 1e-5, "n_iterations": 1, **options},
    )


def _spike(
    function: Any = known_mean_gradient_descent, n: int = 100, d: int = 1, **options: Any
) -> Form:
    """Zeros against the same with one huge record: it moves the scale, not the trimmed mean."""
    return _form(
        function,
        one_record(n, np.zeros(d), np.full(d, HUGE_RECORD)),
        trim=n // 5,
        domain=Everything((d,), 1e300),
        statistic=lambda output: -float(np.abs(output).max()),
        **options,
    )


def _median(
    ones: int, function: Any = known_mean_gradient_descent, no_black_box: str = SAME
) -> Form:
    """So many of seven derivatives at -1; at a large epsilon it is not b - a that decides."""
    data, other = (side[:, None] for side in shared.majority(ones, 0.5))
    return _form(
        function,
        (data, other),
        trim=3,
        domain=Choice(tuple(np.array([x]) for x in (0.0, 0.005, 0.05, 0.5, 1e12))),
        epsilon=30.0,
        delta=0.01,
        no_black_box=no_black_box,
    )


def _one_step_with(mean: Callable[..., float]) -> Callable[..., FloatArray]:
    """Return the descent for d = T = 1 with another mean in place of the trimmed one."""

    def descent(
        data: Data, loss: SquaredDistance, *_: Any, initial: FloatArray, **given: Any
    ) -> FloatArray:
        budget = trimming_budget(given["epsilon"], given["delta"])
        bounds = {name: given[name] for name in ("lower", "upper", "trim", "ledger")}
        gradient = mean(loss.gradients(data, initial)[:, 0], epsilon=budget, **bounds)
        output: FloatArray = initial - given["step_size"] * gradient
        return output

    return descent


def _unclipped() -> Form:
    """Half of the derivatives are -1e6 and half 1e6."""
    data, other = (side[:, None] / 2 for side in shared.halves(100))
    mean, everything = _one_step_with(shared.unclipped_mean), Everything((1,), 1e300)
    return _form(mean, (data, other), trim=20, domain=everything, no_black_box="a mutant")


def _error(rng: np.random.Generator, ledger: RecordingLedger, n: float) -> float:
    """Root mean square of w^1 - mu over the noise and 2 samples from Laplace's law, d = T = 1.

    The derivatives' means are known to lie in [-2, 2]; their standard deviation is 2 sqrt 2.
    """
    size, step = int(n), 0.5
    known: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5, "n_iterations": 1}
    known |= {"lower": -2.0, "upper": 2.0}
    trim = recommended_trim(size, dimension=1, standard_deviation=2.0, **known)
    known |= {"initial": [0.0], "trim": trim, "step_size": step}
    for _ in range(2):
        data = rng.laplace(size=(size, 1))
        known_mean_gradient_descent(data, SquaredDistance(), EVERYWHERE, **known, ledger=ledger)
    # w^1 = -step (value + scale sinh Z), and E sinh(Z)^2 = (e^2 - 1)/2
    squares = [
        step**2 * (value**2 + scale**2 * math.expm1(2) / 2)
        for value, scale in shared.values_and_scales(ledger)
    ]
    return math.sqrt(sum(squares) / len(squares))


def known_mean() -> Case:
    """Gradient descent with a known range of the mean: trimmed means of every coordinate."""
    theorem = (
        "Theorem 3.2.5: excess risk O(log^2(n) log(1/delta)/(n epsilon^2)), the square of the "
        "error of a mean, with m = (16 d T/tilde-epsilon^2) log n"
    )
    sizes = (2e4, 4e4, 8e4, 1.6e5)
    recipe: Any = {"ledger_of": RecordingLedger, "repetitions": 8, "claim": theorem}
    slope = rate_slope(sizes, lambda n: math.log(n) / math.sqrt(n))
    return Case(
        id="diss-3.2.7",
        forms={
            "corrected": _spike(),
            "corrected-median": _median(4),
            "corrected-steps": _spike(n=50, d=2, n_iterations=3, no_black_box=SAME),
            "printed": _spike(
                errata.printed,
                violates=dict.fromkeys(shared.SCALE, "diss-3.2.7/E1"),
            ),
            "printed-2": _spike(
                errata.printed_2,
                no_black_box="the slack of Mechanism M's constants hides it from sampling",
                violates={"accounting": "diss-3.2.7/E3"},
            ),
        },
        scaling=(
            # inflation: of sqrt(n) times the noise, which leaves -0.29, the test sees nothing
            along("n", sizes, slope, error=_error, inflation=1.0, expensive=True, **recipe),
        ),
        real_data=(
            # one step, with 2500 of 20190 derivatives off at either end
            real_data(
                known_mean_gradient_descent,
                SquaredDistance(),
                L2Ball(20.0),
                **shared.VISITS,
                load=lambda: shared.visits()[:, None],
                error=lambda private, baseline: relative_error(private[0], baseline[0]),
                epsilons=(1.0, 2.0, 4.0),
                metric="relative error against the same descent without noise",
                initial=[0.0],
                delta=1e-5,
                lower=-40.0,
                upper=0.0,
                trim=2500,
                step_size=0.5,
                n_iterations=1,
            ),
        ),
        mutants={
            "clipping dropped": _unclipped(),
            "scale not smoothed": _median(3, _one_step_with(shared.unsmoothed_median), "a mutant"),
        },
    )


def _by_scipy(
    *, data: Data, loss: Any, constraint: Any, initial: FloatArray, **others: Any
) -> FloatArray:
    """Return the descent along trimmed means."""
    w = initial
    for _step in range(others["n_iterations"]):
        with np.errstate(all="ignore"):
            gradients = np.nan_to_num(loss.gradients(data, w), posinf=1e100, neginf=-1e100)
        # scipy takes a share and truncates share * n; half a record above is safe
        share = (others["trim"] + 0.5) / len(gradients)
        mean = trim_mean(gradients.clip(-1e100, 1e100), share, axis=0)
        mean = np.clip(mean, others["lower"], others["upper"])
        w = constraint.project(w - others["step_size"] * mean)
    return w


def settings() -> tuple[Setting, ...]:
    """Gradient descent on privately trimmed gradients."""
    large: dict[str, Any] = {"epsilon": 40.0, "delta": 0.01, "lower": -4.0, "upper": 4.0, "trim": 1}
    chosen = algorithm.Constants(step_epsilon=4.0)
    return (
        Setting(
            "by-hand",
            "Two steps on five records: of every coordinate's derivatives the smallest and the "
            "largest are dropped.",
            problem(FEW, SquaredDistance(), L2Ball(0.75), [0.5, 0.0])
            | large
            | {"step_size": 0.25, "n_iterations": 2, "constants": chosen},
            noiseless=_by_scipy,
        ),
        Setting(
            "middle",
            "Three steps of a least squares regression in an l2 ball, with the theory's constants.",
            problem(regression(31, 3, 6), SquaredError(), L2Ball(0.75), [0.25, 0.0, -0.25])
            | {"epsilon": 4.0, "delta": 0.01, "lower": -6.0, "upper": 6.0, "trim": 9}
            | {"step_size": 0.03, "n_iterations": 3},
            seed=2,
            noiseless=_by_scipy,
        ),
        Setting(
            "l1-ball",
            "An l1 ball, and means of derivatives outside the range that is known of them.",
            problem(vectors(25, 3, 7), SquaredDistance(), L1Ball(1.0), [-1.0, 0.0, 0.0])
            | {**large, "lower": -0.5, "upper": 0.25, "trim": 10}
            | {"step_size": 0.5, "n_iterations": 2},
            seed=3,
            noiseless=_by_scipy,
        ),
        Setting(
            "overflow",
            "Derivatives that overflow count as 1e100 and those that are not a number as 0.",
            problem(HUGE, SquaredError(), L2Ball(5.0), [0.5, 0.25])
            | large
            | {"step_size": 0.1, "n_iterations": 1},
            noiseless=_by_scipy,
        ),
    )


CASES = {"diss-3.2.7": known_mean}
SETTINGS = {"diss-3.2.7": settings}
