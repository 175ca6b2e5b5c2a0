"""How the heavy-tailed family is audited."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.stats import trim_mean
from statsmodels.datasets import randhie

from auditor.core.case import BlackBox, Case, Data, Form, RealData, Scaling
from auditor.core.neighbours import Choice, Domain, Everything
from reference._validation import FloatArray
from reference.heavy_tailed.trimmed_mean import (
    private_trimmed_mean,
    smooth_sensitivity,
)
from reference.privacy.guarantees import ZCDP
from reference.privacy.ledger import Ledger

# --------------------------------------------------------------------------- diss-3.2.6


def _trimmed_mean(
    pair: tuple[FloatArray, FloatArray],
    *,
    trim: int,
    epsilon: float,
    domain: Domain,
    statistic: Callable[[float], float],
    as_published: bool = False,
    violates: dict[str, int] | None = None,
) -> Form:
    """Mechanism M for means in [-1, 1]; the pair differs in record 0."""

    def run(records: Data, ledger: Ledger) -> float:
        return private_trimmed_mean(
            records,
            lower=-1.0,
            upper=1.0,
            trim=trim,
            epsilon=epsilon,
            as_published=as_published,
            ledger=ledger,
        )

    claim = ZCDP(epsilon**2 / 2)
    return Form(
        run=run,
        claim=claim,
        pair=pair,
        replaced=0,
        parameters={"n": len(pair[0]), "m": trim, "epsilon": epsilon, "a": -1.0, "b": 1.0},
        domain=domain,
        design=claim,
        violates=violates or {},
        black_box=BlackBox(run, claim, pair, statistic),
    )


def _spike(*, as_published: bool = False, violates: dict[str, int] | None = None) -> Form:
    """100 zeros against the same with one record of 1e6: it moves the scale, not the mean."""
    data = np.zeros(100)
    other = data.copy()
    other[0] = 1e6
    return _trimmed_mean(
        (data, other),
        trim=20,
        epsilon=1.0,
        domain=Everything((), 1e300),
        statistic=lambda output: -abs(output),
        as_published=as_published,
        violates=violates,
    )


def _median() -> Form:
    """Four of seven records at 1 against three of seven: the median moves by the whole scale.

    With few values in the domain the search meets every term of the smooth sensitivity.
    """
    data = np.repeat([1.0, 0.0], [4, 3])
    other = data.copy()
    other[0] = 0.0
    return _trimmed_mean(
        (data, other),
        trim=3,
        epsilon=4.0,
        domain=Choice((0.0, 0.01, 0.1, 1.0, 1e12)),
        statistic=lambda output: output,
    )


def _unsmoothed(form: Form) -> Form:
    """Return the corrected form with the local sensitivity itself as scale.

    It is 1 for (0, 0, 0, 0, 1, 1, 1) and 0 once a 1 is replaced by 0; a floor keeps it positive.
    """
    m, epsilon = form.parameters["m"], form.parameters["epsilon"]

    def run(records: Data, ledger: Ledger) -> float:
        x = np.sort(records)
        gap = max(x[m + 1] - x[m], x[m] - x[m - 1])  # n - 2m = 1
        floor = 2 * math.exp(-m * epsilon**2 / 16)
        return float(
            ledger.smooth(
                x[m],
                smooth_bound=max(floor, gap),
                smoothness=epsilon**2 / 16,
                divisor=epsilon / 4,
                rho=epsilon**2 / 2,
            )
        )

    data = np.repeat([1.0, 0.0], [3, 4])
    other = data.copy()
    other[0] = 0.0
    return replace(form, run=run, pair=(data, other), black_box=None, no_black_box="a mutant")


def _unclipped(form: Form) -> Form:
    """Return the corrected form without the truncation of the mean to [a, b].

    The data are half -1e6 and half 1e6: a record moves their trimmed mean by 2e6/(n - 2m).
    """
    n, m, epsilon = (form.parameters[name] for name in ("n", "m", "epsilon"))
    t = epsilon**2 / 16

    def run(records: Data, ledger: Ledger) -> float:
        bound = smooth_sensitivity(records, trim=m, smoothness=t, lower=-1.0, upper=1.0)
        mean = np.sort(records)[m : n - m].mean()
        return float(
            ledger.smooth(
                mean, smooth_bound=bound, smoothness=t, divisor=epsilon / 4, rho=epsilon**2 / 2
            )
        )

    data = np.repeat([-1e6, 1e6], n // 2)
    other = data.copy()
    other[0] = 1e6
    return Form(
        run=run,
        claim=form.claim,
        pair=(data, other),
        replaced=0,
        parameters=form.parameters,
        domain=form.domain,
        no_black_box="a mutant",
    )


def _estimation_error(n: int, trim: int, rng: np.random.Generator, as_published: bool) -> float:
    """Root mean square of M - mu over 10 samples of Student's t with 3 degrees of freedom.

    epsilon = 1, and mu = 0 is known to lie in [-10, 10].
    """
    ledger = Ledger(rng)
    errors = [
        private_trimmed_mean(
            rng.standard_t(3, n),
            lower=-10.0,
            upper=10.0,
            trim=trim,
            epsilon=1.0,
            as_published=as_published,
            ledger=ledger,
        )
        for _ in range(10)
    ]
    return float(np.sqrt(np.mean(np.square(errors))))


def _error_with_growing_trim(n: float, rng: np.random.Generator) -> float:
    # at this m the noise's floor is (b - a)/n
    return _estimation_error(int(n), math.ceil(16 * math.log(n)), rng, as_published=False)


def _error_with_constant_trim(n: float, rng: np.random.Generator) -> float:
    return _estimation_error(int(n), 5, rng, as_published=True)


_VISITS_TRIM = 1009
"""5% of the 20190 records at either end; public."""


def _visits() -> FloatArray:
    """Outpatient visits per person and year in the RAND health insurance experiment."""
    column: FloatArray = randhie.load_pandas().data["mdvis"].to_numpy(dtype=np.float64)
    return column


def _visits_run(data: Data, epsilon: float, ledger: Ledger) -> float:
    return private_trimmed_mean(
        data, lower=0.0, upper=100.0, trim=_VISITS_TRIM, epsilon=epsilon, ledger=ledger
    )


def _replace_visits(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    """Replace a random person by one with none, or absurdly many, visits."""
    index = int(rng.integers(len(data)))
    other = np.array(data, copy=True)
    other[index] = rng.choice([0.0, 1e6])
    return other, index


def trimmed_mean() -> Case:
    """Trimmed mean with smooth sensitivity: the noise depends on the data."""
    corrected, median = _spike(), _median()
    claim = "Theorem 3.2.3: E(M - mu)^2 = O(sigma^2 log(n)/(n epsilon^2))"
    sizes = (2e3, 4e3, 8e3, 1.6e4)
    return Case(
        id="diss-3.2.6",
        forms={
            "corrected": corrected,
            "corrected-median": median,
            "printed": _spike(
                as_published=True,
                violates={"sensitivity": 1, "privacy_loss": 1, "black_box": 1},
            ),
        },
        scaling=(
            Scaling(
                name="n",
                values=sizes,
                error=_error_with_growing_trim,
                claimed_slope=-0.5,
                repetitions=16,
                claim=f"{claim}, with m = (16/epsilon^2) log n",
            ),
            Scaling(
                name="n",
                values=sizes,
                error=_error_with_constant_trim,
                claimed_slope=-0.5,
                repetitions=16,
                claim=f"{claim}, with m = 5",
                erratum=2,
                form="printed",
            ),
        ),
        real_data=(
            RealData(
                name="randhie (statsmodels), outpatient visits",
                load=_visits,
                run=_visits_run,
                claim=lambda epsilon: ZCDP(epsilon**2 / 2),
                neighbour=_replace_visits,
                baseline=lambda data: float(trim_mean(data, _VISITS_TRIM / len(data))),
                error=lambda private, baseline: abs(private - baseline) / baseline,
                epsilons=(0.25, 0.5, 1.0, 2.0),
                metric="relative error of the trimmed mean",
            ),
        ),
        mutants={
            "clipping dropped": _unclipped(corrected),
            "scale not smoothed": _unsmoothed(median),
        },
    )


CASES: dict[str, Callable[[], Case]] = {"diss-3.2.6": trimmed_mean}
