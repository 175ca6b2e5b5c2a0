"""How sparse optimisation with robust gradients (hu-5) is audited."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor.cases.build import along, form
from auditor.cases.data.heavy_tailed_regression import (
    EVERYTHING,
    HUGE,
    any_regression_record,
    equal_entries,
)
from auditor.core.case import Case, Data, Form, Scaling
from auditor.core.mutation import scaled_claim
from auditor.core.neighbours import Everything, replace_record
from auditor.core.rates import rate_slope
from reference._validation import FloatArray
from reference.errata.heavy_tailed import sparse_optimisation as errata
from reference.heavy_tailed.sparse_optimisation import (
    balanced_truncation_scale,
    heavy_tailed_sparse_optimisation,
)
from reference.losses import RecordLoss, SquaredDistance, SquaredError
from reference.privacy.guarantees import ZCDP, zcdp_rho
from reference.privacy.ledger import Ledger

UNREACHED = 1e24
"""A truncation that no record of the pairs reaches."""

_STEPS = 2


def _pair(n: int, dimension: int) -> tuple[Data, Data]:
    """Return records (-1, ..., -1) HUGE, and record 0 with alternating signs in two versions."""
    data = np.full((n, dimension), -HUGE)
    alternating = np.where(np.arange(dimension) % 2 == 0, HUGE, -HUGE)
    return replace_record(data, 0, alternating), replace_record(data, 0, -alternating)


def _form(
    function: Any, pair: tuple[Data, Data], loss: RecordLoss, dimension: int, **options: Any
) -> Form:
    """Return a form on a pair of which record 0 moves every gradient by twice the truncation."""
    epsilon, delta = 1.0, 1e-2

    def statistic(w: FloatArray) -> float:
        """Return how many of the picked coordinates are smaller under the second data set."""
        return float(np.where(np.arange(dimension) % 2 == 0, -1.0, 1.0) @ (w != 0))

    return form(
        function,
        pair,
        loss,
        statistic=statistic,
        box={"n_iterations": 1},
        design=ZCDP(zcdp_rho(epsilon, delta)),
        initial=np.zeros(dimension),
        epsilon=epsilon,
        delta=delta,
        n_iterations=_STEPS,
        step_size=0.5,
        **options,
    )


def _sparse_mean(
    function: Any = heavy_tailed_sparse_optimisation,
    *,
    truncation_scale: float = 1.0,
    **options: Any,
) -> Form:
    """Return a form for a sparse mean: gradients 2(w - x)."""
    return _form(
        function,
        _pair(10, 2),
        SquaredDistance(),
        2,
        domain=Everything((2,), EVERYTHING),
        sparsity=1,
        truncation_scale=truncation_scale,
        **options,
    )


def _regression() -> Form:
    """Return a form for the squared error, on a bounded set; at w = 0 the gradients are -2 x y."""
    n, dimension = 10, 4
    first, second = ((-features, np.full(n, -HUGE)) for features in _pair(n, dimension))
    return _form(
        heavy_tailed_sparse_optimisation,
        (first, second),
        SquaredError(),
        dimension,
        domain=any_regression_record(dimension),
        sparsity=2,
        truncation_scale=1.0,
        precision=20.0,
        radius=1.0,
    )


def _risk(
    rng: np.random.Generator,
    *,
    n: float = 2_000,
    d: float = 8,
    s: float = 3,
    epsilon: float = 4.0,
    runs: int = 2,
) -> float:
    """Return the mean of some ||w - mu||^2 for x = mu + t_3/sqrt(3) and mu = (1, ..., 1, 0, ...).

    The gradients' second moment is at most tau = 8 between 0 and mu. k is half of
    :func:`balanced_truncation_scale`; gamma = 2, so eta = 1/3; T = 4 is held (of log n).
    """
    dimension, sparsity = int(d), int(s)
    mu = equal_entries(dimension, sparsity, math.sqrt(s))
    known: dict[str, Any] = {"epsilon": epsilon, "delta": 1e-5, "sparsity": sparsity}
    known["n_iterations"] = 4
    scale = balanced_truncation_scale(n=int(n), second_moment=8.0, dimension=dimension, **known)

    def risk() -> float:
        found = heavy_tailed_sparse_optimisation(
            mu + rng.standard_t(3, (int(n), dimension)) / math.sqrt(3),
            SquaredDistance(),
            initial=np.zeros(dimension),
            truncation_scale=scale / 2,
            step_size=1 / 3,
            ledger=Ledger(rng),
            **known,
        )
        return float(np.sum((found - mu) ** 2))

    return float(np.mean([risk() for _ in range(runs)]))


def _scaling() -> tuple[Scaling, ...]:
    rate = (
        "Theorem 8: excess risk O(tau gamma^4 s*^(3/2) log n log(d/zeta) sqrt(log(1/delta))/"
        "(mu^5 n epsilon))"
    )
    in_scale = rate + ", with s^(-1/4) in k"
    dimensions = (8, 16, 32, 64)

    def in_sparsity(rng: np.random.Generator, s: float) -> float:
        # as many noisy coordinates at every s: the same lag of the mean of the logarithm
        return _risk(rng, d=20, s=s, runs=48 // int(s))

    recipe = partial(along, error=_risk, repetitions=5, claim=rate)
    return (
        recipe("n", (2_000, 4_000, 8_000, 16_000), -1.0),
        recipe("epsilon", (0.5, 1.0, 2.0, 4.0), -1.0, n=4_000),
        recipe("s", (2, 4, 8, 16), 1.5, error=in_sparsity, repetitions=3, claim=in_scale),
        recipe("d", dimensions, rate_slope(dimensions, math.log), claim=rate + ": log d"),
    )


def hu_5() -> Case:
    """Robust gradients: the printed noise scale is three times too large, and safe."""
    mean = _sparse_mean()
    return Case(
        id="hu-5",
        forms={
            "corrected": mean,
            "corrected-regression": _regression(),
            "printed": _sparse_mean(
                errata.printed, no_black_box="the corrected form with three times the noise"
            ),
        },
        scaling=_scaling(),
        no_real_data="its hard thresholding is that of hu-3, which is run on real data",
        mutants={
            # psi_k(x) = x for x below 1e-9 k
            "truncation dropped": scaled_claim(
                _sparse_mean(truncation_scale=UNREACHED), 1 / UNREACHED
            ),
            "sensitivity of the whole data": scaled_claim(mean, 1 / _STEPS),
        },
    )


CASES = {"hu-5": hu_5}
