"""The audit of private-quantiles."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray
from statsmodels.datasets import engel

from auditor import (
    Case,
    Data,
    Everything,
    Form,
    along,
    averaged,
    form,
    rate_slope,
    real_data,
    replace_record,
)
from private_quantiles.algorithm import ENTRY, private_quantile
from private_quantiles.printed import widths_forgotten
from reference.privacy import Ledger

UNIT: dict[str, Any] = {"quantile": 0.5, "lower": 0.0, "upper": 1.0}
RICH = 10_000.0
"""Public bound on an income in Belgian francs a year."""


def _crossing() -> tuple[Data, Data]:
    """Return ten records of which the first crosses [0, 0.9), where nothing else is.

    Four others are at 0, one at 0.9, four at 1. Below 0.9 the utility is -1 or 0, above it 0 or
    -1: the output is above with probability 0.155 or 0.063, odds of e^0.897 at epsilon = 1.
    """
    data = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.9, 1.0, 1.0, 1.0, 1.0])
    return data, replace_record(data, 0, 0.0)


def _exact_pieces(data: Data, *_: Any) -> list[list[mpmath.mpf]]:
    ends = [mpmath.mpf(0), *sorted(mpmath.mpf(min(max(x, 0.0), 1.0)) for x in data)]
    target = mpmath.mpf(UNIT["quantile"]) * len(data)
    return [[-abs(i - target) for i in range(len(ends))], ends]


def _form(function: Any = private_quantile, **options: Any) -> Form:
    usual: dict[str, Any] = {
        "pair": _crossing(),
        "domain": Everything(()),
        "statistic": float,
        **UNIT,
        "epsilon": 1.0,
    }
    return form(function, **{**usual, **options})


def _narrow() -> tuple[Data, Data]:
    """Return two records beside each other, and one of them at the end."""
    return np.array([0.501, 0.5]), np.array([1.0, 0.5])


def _in_the_narrow_gap(output: float) -> float:
    return -abs(output - 0.5005)


# ----------------------------------------------------------------- mutants of its own


def _unclipped(data: Data, *, ledger: Ledger, lower: float, upper: float, **asked: Any) -> float:
    """Take the interval from the records, as is done where nobody cuts them to a public one."""
    del lower, upper
    return private_quantile(data, lower=data.min(), upper=data.max(), ledger=ledger, **asked)


def _merged(data: Data, *, ledger: Ledger, epsilon: float, **asked: Any) -> float:
    """Leave gaps without width out: the number of gaps is that of different records."""
    return private_quantile(np.unique(data), epsilon=epsilon, ledger=ledger, **asked)


# ------------------------------------------------------------------------------ rates


def _error(
    rng: np.random.Generator, ledger: Ledger, n: float = 16_000.0, epsilon: float = 0.2
) -> float:
    """Return the distance to the sample's median, of uniform records on [0, 1]."""
    data = rng.random(int(n))
    found = private_quantile(data, **UNIT, epsilon=epsilon, ledger=ledger)
    return abs(found - float(np.median(data)))


def _income() -> NDArray[np.float64]:
    values: NDArray[np.float64] = engel.load_pandas().data["income"].to_numpy(dtype=np.float64)
    return values


def _a_rich_household(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    index = int(rng.integers(len(data)))
    return replace_record(data, index, RICH), index


def private_quantiles() -> Case:
    """Find the median of records in [0, 1], and of incomes."""
    claim = "|output - the sample's median| = O(log(n)/(n epsilon)), density bounded below"
    sizes = (250.0, 1000.0, 4000.0, 16000.0)
    error = averaged(_error, 10)
    narrow = {"pair": _narrow(), "statistic": _in_the_narrow_gap}
    return Case(
        id=ENTRY.id,
        forms={
            "corrected": _form(exact_query=_exact_pieces),
            "corrected-narrow": _form(**narrow),
            "printed": _form(
                widths_forgotten,
                **narrow,
                not_attained="the utilities that are selected by are the same for all data; what "
                "tells the data is made of the selection afterwards",
                violates={
                    "control_flow": "private-quantiles/E1",
                    "black_box": "private-quantiles/E1",
                },
            ),
        },
        scaling=(
            along(
                "n",
                sizes,
                rate_slope(sizes, lambda n: np.log(n) / n),
                error=error,
                repetitions=8,
                claim=claim,
            ),
            along(
                "epsilon",
                (0.005, 0.0125, 0.03125, 0.078125),  # larger ones come to the width of a gap
                -1.0,
                error=error,
                repetitions=8,
                claim=claim,
            ),
        ),
        real_data=(
            real_data(
                private_quantile,
                name="engel (statsmodels): income of 235 households",
                load=_income,
                neighbour=_a_rich_household,
                error=lambda private, median: abs(private - median) / median,
                epsilons=(0.125, 0.25, 0.5, 1.0),
                metric="relative error of the median income",
                quantile=0.5,
                lower=0.0,
                upper=RICH,
            ),
        ),
        mutants={
            "clipping forgotten": _form(
                _unclipped,
                pair=(np.array([1.0, 0.5, 0.7]), np.array([0.0, 0.5, 0.7])),
                statistic=None,
                no_black_box="a mutant",
            ),
            "gaps without width left out": _form(
                _merged,
                pair=(np.array([1.0, 0.5, 0.7]), np.array([0.5, 0.5, 0.7])),
                statistic=None,
                no_black_box="a mutant",
            ),
        },
    )


ENTRIES = (ENTRY,)
CASES = {ENTRY.id: private_quantiles}
