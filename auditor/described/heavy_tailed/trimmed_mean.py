"""The trimmed mean with smooth sensitivity (diss-3.2.6, Mechanism M): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import trim_mean

from auditor import (
    Case,
    Choice,
    Everything,
    Form,
    Setting,
    along,
    averaged,
    form,
    real_data,
    root_mean_square,
)
from auditor.described.data import heavy_tails as shared
from auditor.described.data.heavy_tails import HUGE_RECORD
from auditor.described.data.small_heavy_tailed import tails
from auditor.described.data.vectors import one_record, relative_error
from reference._validation import FloatArray
from reference.errata.heavy_tailed import trimmed_mean as errata
from reference.heavy_tailed import trimmed_mean as algorithm
from reference.heavy_tailed.trimmed_mean import private_trimmed_mean
from reference.privacy.guarantees import ZCDP
from reference.privacy.ledger import Ledger

VISITS_TRIM = 1009
"""5% of the 20190 records at either end; public."""


def _form(
    function: Any, pair: tuple[FloatArray, FloatArray], epsilon: float, **options: Any
) -> Form:
    """Mechanism M for means in [-1, 1]."""
    # as a design too: the noise is so loose that its loss would not show one half as large
    claim = ZCDP(epsilon**2 / 2)
    return form(
        function, pair, epsilon=epsilon, lower=-1.0, upper=1.0, claim=claim, design=claim, **options
    )


def _spike(function: Any = private_trimmed_mean, **options: Any) -> Form:
    """Build the form of 100 zeros, one of them replaced by 1e6: it moves the scale alone."""
    return _form(
        function,
        one_record(100, 0.0, HUGE_RECORD),
        1.0,
        trim=20,
        domain=Everything((), 1e300),
        statistic=lambda output: -abs(output),
        **options,
    )


def _median(ones: int, function: Any = private_trimmed_mean, **options: Any) -> Form:
    domain = Choice((0.0, 0.01, 0.1, 1.0, 1e12))
    return _form(function, shared.majority(ones, 1.0), 4.0, trim=3, domain=domain, **options)


def _error(
    rng: np.random.Generator, ledger: Ledger, n: float, *, function: Any, trim: int
) -> float:
    """M - mu on Student's t with 3 degrees of freedom, at epsilon = 1; mu = 0 is in [-10, 10]."""
    known: dict[str, Any] = {"epsilon": 1.0, "lower": -10.0, "upper": 10.0, "trim": trim}
    error: float = function(rng.standard_t(3, int(n)), **known, ledger=ledger)
    return error


def _in_n(rng: np.random.Generator, ledger: Ledger, n: float) -> float:
    # at this m the noise's floor is (b - a)/n
    return _error(rng, ledger, n, function=private_trimmed_mean, trim=math.ceil(16 * math.log(n)))


def trimmed_mean() -> Case:
    """Trimmed mean with smooth sensitivity: the noise depends on the data."""
    claim = "Theorem 3.2.3: E(M - mu)^2 = O(sigma^2 log(n)/(n epsilon^2))"
    growing = claim + ", with m = (16/epsilon^2) log n"
    recipe = partial(along, "n", (2e3, 4e3, 8e3, 1.6e4), -0.5)
    of_ten = partial(averaged, runs=10, mean=root_mean_square)
    small_trim = partial(_error, function=errata.printed, trim=5)
    return Case(
        id="diss-3.2.6",
        forms={
            "corrected": _spike(),
            "corrected-median": _median(4, statistic=float),
            "printed": _spike(
                errata.printed,
                violates=dict.fromkeys(shared.SCALE, "diss-3.2.6/E1"),
            ),
        },
        scaling=(
            # the noise falls like 1/n up to n^(1/3): of sqrt(n) times as much the claim is true
            recipe(error=of_ten(_in_n), repetitions=16, claim=growing, inflation=1.0),
            recipe(
                error=of_ten(small_trim),
                repetitions=24,
                claim=f"{claim}, with m = 5",
                erratum="diss-3.2.6/E2",
                form="printed",
            ),
        ),
        real_data=(
            real_data(
                private_trimmed_mean,
                **shared.VISITS,
                load=shared.visits,
                claim=lambda epsilon: ZCDP(epsilon**2 / 2),
                baseline=lambda data: float(trim_mean(data, VISITS_TRIM / len(data))),
                error=relative_error,
                epsilons=(0.25, 0.5, 1.0, 2.0),
                metric="relative error of the trimmed mean",
                lower=0.0,
                upper=100.0,
                trim=VISITS_TRIM,
            ),
        ),
        mutants={
            "clipping dropped": _form(
                shared.unclipped_mean,
                shared.halves(100),
                1.0,
                trim=20,
                domain=Everything((), 1e300),
                no_black_box="a mutant",
            ),
            "scale not smoothed": _median(3, shared.unsmoothed_median, no_black_box="a mutant"),
        },
    )


def _of_scipy(*, data: FloatArray, trim: int, **_: Any) -> float:
    # scipy takes a share and truncates share * n; half a record above is safe
    return float(trim_mean(data, (trim + 0.5) / len(data)))


def settings() -> tuple[Setting, ...]:
    """Trimmed mean with smooth sensitivity."""
    chosen = algorithm.Constants(smoothness=0.5, divisor=0.5, rho=2.0)
    spread = np.concatenate([np.linspace(-0.04, 0.06, 21), [40.0, 50.0, -60.0, -70.0]])
    both = np.array([-8, 0.0, 7.5, 8, -7, -2, -7.25, -7.5, 7, 6.5, -6.75]) * 1e307

    def within(data: Any, epsilon: float, lower: float, upper: float, trim: int) -> dict[str, Any]:
        ends = {"lower": lower, "upper": upper, "trim": trim}
        return {"data": np.array(data), "epsilon": epsilon, **ends}

    return (
        Setting(
            "by-hand",
            "Seven numbers, of which two are dropped at either end; the sensitivity is largest "
            "for data sets that differ in a second record.",
            within([4.0, -30.0, 1.0, 0.0, 3.0, 9.0, 2.0], 2.0, -5.0, 5.0, 2)
            | {"constants": chosen},
            version=2,
            noiseless=2.0,
        ),
        Setting(
            "middle",
            "Numbers with heavy tails, twelve dropped at either end, with the theory's constants.",
            within(tails(41, 5), 2.0, -2.0, 2.0, 12),
            noiseless=_of_scipy,
        ),
        Setting(
            "upper-end",
            "A trimmed mean above its range, and one record left: the local sensitivity is capped "
            "by the width of the range.",
            within([9.0, 1.0, 30.0, 12.0, 250.0], 8.0, -1.0, 4.0, 2),
            seed=2,
            noiseless=4.0,
        ),
        Setting(
            "lower-end",
            "A trimmed mean below its range, numbers close together: what counts are the data sets "
            "that differ in more records than are dropped.",
            within([-3.0, -3.01, -2.99, -3.02, -2.98, -3.0, -2.995], 4.0, -1.0, 4.0, 1),
            seed=3,
            noiseless=-1.0,
        ),
        Setting(
            "farther",
            "At a large epsilon the sensitivity is largest for data sets that differ in some "
            "records more, fewer than are dropped.",
            within(spread, 4.0, -2.0, 2.0, 7),
            seed=4,
            noiseless=_of_scipy,
        ),
        Setting(
            "equal-records",
            "Equal records at a large epsilon: the noise is so small that the rounding of a mean "
            "in the range adds to it.",
            within([0.5] * 7, 12.0, -1000.0, 10.0, 3),
            seed=5,
            noiseless=0.5,
        ),
        Setting(
            "huge-numbers",
            "Numbers of both signs whose sum overflows, though their mean does not.",
            within(both, 4.0, -1.0, 1.0, 1),
            seed=6,
            noiseless=-1.0,
        ),
    )


CASES = {"diss-3.2.6": trimmed_mean}
SETTINGS = {"diss-3.2.6": settings}
LEFT_OUT = {
    "diss-3.2.6": {
        "constants.rho": "charged at what is proved of the other two where it is less",
        "loop": "single steps",
    }
}
