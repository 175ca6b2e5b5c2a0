"""The private LASSO on heavy-tailed data (hu-2): audit and settings."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

import numpy as np

from auditor import (
    Case,
    Data,
    Form,
    RealData,
    Scaling,
    Setting,
    along,
    form,
    real_data,
    replace_record,
    scaled_claim,
)
from auditor.described.data import heavy_tailed_regression as regression
from auditor.described.data.small_heavy_tailed import diabetes, towards_vertices
from auditor.described.data.small_heavy_tailed import regression as small_regression
from auditor.described.data.vectors import flipped_label, squared_distance
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball
from reference.errata.heavy_tailed import lasso as errata
from reference.heavy_tailed import lasso
from reference.heavy_tailed.lasso import heavy_tailed_lasso, recommended_truncation_level
from reference.losses import Records, SquaredError
from reference.privacy.ledger import Ledger, NoiselessLedger


def _sign_flip(truncation_level: float, *, background: int) -> tuple[Data, Data]:
    """Return neighbours that move entry 2 of the gradient at R e_1 by 4 K^2 (1 + R)/n.

    ``background`` records (0, K) with label -K draw the selection to -R e_2.
    """
    k = truncation_level
    features = np.tile([0.0, k], (1 + background, 1))
    features[0, 0] = k
    data = features, np.full(1 + background, -k)
    return data, replace_record(data, 0, (np.array([k, -k]), -k))


def _form(
    function: Any,
    pair: tuple[Data, Data],
    initial: list[float],
    *,
    truncation_level: float = 2.0,
    **options: Any,
) -> Form:
    return form(
        function,
        pair,
        # -R e_2 is more likely under the first data set
        statistic=lambda w: -float(w[-1]),
        domain=regression.any_regression_record(len(initial)),
        initial=initial,
        truncation_level=truncation_level,
        **options,
    )


def _unit_ball(level: float = 2.0) -> Form:
    return _form(
        heavy_tailed_lasso,
        _sign_flip(level, background=6),
        [1.0, 0.0],
        truncation_level=level,
        n_iterations=3,
        epsilon=2.0,
        delta=1e-2,
    )


def _wide_ball(function: Any = heavy_tailed_lasso, **options: Any) -> Form:
    """Return a form with R = 200; the printed sensitivity is 50 times too small.

    The background records are about as many as make delta(0.99) largest: 0.41.
    """
    return _form(
        function,
        _sign_flip(2.0, background=80),
        [200.0, 0.0],
        radius=200.0,
        n_iterations=1,
        epsilon=0.99,
        delta=1e-5,
        **options,
    )


def _delta_near_one() -> Form:
    """Return a form on [-1, 1] with delta = 1 - 1e-5, where the printed budget is 110."""
    return _form(
        errata.printed,
        flipped_label(1, [1.0]),
        [0.0],
        truncation_level=1.0,
        epsilon=0.99,
        delta=1 - 1e-5,
        n_iterations=1,
        violates={"accounting": "hu-2/E2"},
        no_black_box="a violation of delta = 1 - 1e-5 shows in no affordable number of runs",
    )


# -------------------------------------------------------------------------------- utility


def _excess_risk(
    rng: np.random.Generator, ledger: Ledger, *, n: float, epsilon: float = 0.9
) -> float:
    """Excess risk by the orders of Theorem 5, constants 1/2 for K and 10 for T.

    Features and noise are t_5: their fourth moments are finite, their fifth are not.
    """
    dimension, delta, zeta = 5, 1e-3, 0.1
    features = regression.student(5, (int(n), dimension), rng)
    noise = regression.student(5, (int(n),), rng)
    data, best = regression.linear_model(features, noise)
    logs = math.sqrt(math.log(1 / delta)) * math.log(dimension * n / zeta)
    steps = max(1, round(10 * (math.sqrt(n * epsilon) / logs) ** 0.8))
    level = recommended_truncation_level(int(n), epsilon=epsilon, n_iterations=steps)
    w = heavy_tailed_lasso(
        data,
        epsilon=epsilon,
        delta=delta,
        truncation_level=level / 2,
        n_iterations=steps,
        ledger=ledger,
    )
    return squared_distance(w, best)


def _scaling() -> tuple[Scaling, ...]:
    theorem = "Theorem 5: excess risk O((sqrt(log(1/delta)) log(d T/zeta))^(4/5)/(n epsilon)^(2/5))"
    recipe = partial(along, slope=-0.4, error=_excess_risk, claim=theorem)
    return (
        recipe("n", tuple(1000.0 * 2**k for k in range(8)), repetitions=6, expensive=True),
        recipe("epsilon", (0.05, 0.1, 0.2, 0.4, 0.8), n=16_000, repetitions=12, expensive=True),
    )


# ------------------------------------------------------------------------------- real data

_LARGEST_CODES = np.array([4.65, 1.0, 7.5, 8.5, 1.0, 20.0, 1.0, 1.0, 1.0])
"""Largest codes of the nine covariates, from 0; public. Chronic diseases exceed theirs, 20."""


@cache
def _visits() -> Records:
    """Return visits, in units of four, on an intercept and nine covariates."""
    covariates, counts = regression.visits()
    counts /= 4
    features = np.column_stack([np.ones(len(counts)), covariates / _LARGEST_CODES])
    features.flags.writeable = counts.flags.writeable = False  # cached
    return features, counts


def _replace_person(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    """Replace a random person by one with absurd covariates and as absurdly many visits."""
    index = int(rng.integers(len(data[1])))
    features = 1e6 * rng.choice([-1.0, 1.0], data[0].shape[1])
    return replace_record(data, index, (features, 1e6 * rng.choice([-1.0, 1.0]))), index


def _on_visits() -> RealData:
    def risk(w: FloatArray) -> float:
        return float(SquaredError().values(_visits(), w).mean())

    def least_squares(data: Data) -> FloatArray:
        """Return the fit on the unit l1 ball, without shrinkage or noise."""
        return heavy_tailed_lasso(
            data,
            epsilon=1.0,  # for a noiseless ledger it does not matter
            delta=1e-5,
            truncation_level=1e6,
            n_iterations=400,
            ledger=NoiselessLedger(0),
        )

    return real_data(
        heavy_tailed_lasso,
        name=regression.VISITS,
        load=_visits,
        neighbour=_replace_person,
        baseline=least_squares,
        error=lambda private, fit: risk(private) / risk(fit) - 1,
        epsilons=(0.05, 0.2, 1.0, 4.0),
        metric="excess of the mean squared error over the non-private fit's, relative",
        delta=1e-5,
        truncation_level=2.0,
        n_iterations=10,
    )


def hu_2() -> Case:
    """Frank-Wolfe on shrunk records: T selections on all of them."""
    return Case(
        id="hu-2",
        forms={
            "corrected": _unit_ball(),
            "corrected-wide": _wide_ball(),
            "printed": _wide_ball(
                errata.printed,
                violates=dict.fromkeys(("sensitivity", "privacy_loss", "black_box"), "hu-2/E1"),
            ),
            "printed-2": _delta_near_one(),
        },
        scaling=_scaling(),
        real_data=(_on_visits(),),
        mutants={
            # records and their shrinkage a thousand times as large as what is claimed
            "clipping dropped": scaled_claim(_unit_ball(2e3), 1e-6)
        },
    )


def _without_noise(
    *,
    data: Data,
    truncation_level: float,
    n_iterations: int,
    radius: float = 1.0,
    initial: FloatArray | None = None,
    **_: Any,
) -> FloatArray:
    """Return steps towards vertices along the gradients of shrunken data."""
    x, y = (np.clip(part, -truncation_level, truncation_level) for part in data)

    def gradient(w: FloatArray, _t: int) -> FloatArray:
        slope: FloatArray = 2 * (x @ w - y) @ x / len(y)
        return slope

    start = np.zeros(x.shape[1]) if initial is None else initial
    return towards_vertices(gradient, L1Ball(radius), start, n_iterations)


def settings() -> tuple[Setting, ...]:
    """LASSO on shrunken data."""
    usual = {"epsilon": 2.0, "delta": 1e-3}
    few = np.array([[1.0, -3.0], [0.5, 0.0], [4.0, 1.0]]), np.array([2.0, -0.5, 5.0])
    chosen = lasso.Constants(sensitivity=8.0, step_epsilon=4.0)
    known = partial(Setting, noiseless=_without_noise)
    return (
        known(
            "by-hand",
            "Two steps of sizes 2/3 and 2/4 on three records, whose entries are cut to 2.",
            {"data": few, **usual}
            | {"truncation_level": 2.0, "n_iterations": 2, "constants": chosen},
            seed=14,
        ),
        known(
            "middle",
            "Five steps from a point of the l1 ball of radius 2; more noise than signal.",
            {"data": small_regression(40, 4, 15), "initial": np.array([0.5, 0.0, 0.0, -1.5])}
            | {**usual, "radius": 2.0, "truncation_level": 1.5, "n_iterations": 5},
            seed=3,
        ),
        known(
            "little-noise",
            "At a large epsilon the selections follow the gradients.",
            {"data": small_regression(30, 3, 16), **usual, "epsilon": 200.0}
            | {"truncation_level": 2.5, "n_iterations": 4},
            seed=4,
        ),
        known(
            "real-data",
            "Forty records of the diabetes data.",
            {"data": diabetes(), **usual, "epsilon": 20.0}
            | {"truncation_level": 1.25, "n_iterations": 4},
            seed=5,
        ),
    )


CASES = {"hu-2": hu_2}
SETTINGS = {"hu-2": settings}
