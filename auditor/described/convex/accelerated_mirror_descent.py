"""DP-AccMD (diss-3.1.4): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Form, Setting, along, unreleased
from auditor.described.data import linear_models as shared
from auditor.described.data.calls import steps_of
from auditor.described.data.small_convex import records, responses
from reference._validation import FloatArray
from reference.convex.accelerated_mirror_descent import (
    Constants,
    constants_for,
    dp_accelerated_mirror_descent,
)
from reference.errata.convex import accelerated_mirror_descent as errata
from reference.losses import Huber, Linear, Logistic, Records
from reference.mirror_maps import Euclidean, QNorm
from reference.privacy.ledger import Ledger


def _form(
    function: Any = dp_accelerated_mirror_descent,
    mirror_map: Any = Euclidean(1.0),  # noqa: B008
    *,
    bound: float = 1.0,
    n_iterations: int = 4,
    **options: Any,
) -> Form:
    """On the pair that is worst for the linear loss."""
    return shared.linear_form(
        function,
        Linear(bound),
        mirror_map,
        dimension=3,
        epsilon=1.0,
        delta=1e-2,
        n_iterations=n_iterations,
        exact_query=shared.exact_linear_gradient,
        **options,
    )


def _down(y: FloatArray) -> float:
    """Return minus the first entry of y.

    y_T descends along the gradient, which is +e_1 G/n under the first data set.
    """
    return -float(y[0])


def _problem(p: int) -> tuple[Records, float]:
    """Return records whose risk is smallest at 0, where it is log 2: labels of both signs."""
    features = np.vstack([np.eye(p), np.eye(p)])
    labels = np.repeat([1.0, -1.0], p)
    return (features, labels), float(np.log(2))


def _error(rng: np.random.Generator, ledger: Ledger, n: float) -> float:
    """Return the excess risk around the minimum, at fixed T: only the noise, sigma of order 1/n."""
    p, size = 8, int(n)
    records, smallest = _problem(p)
    loss = Logistic()
    y = dp_accelerated_mirror_descent(
        np.arange(size),
        shared.RepeatedRecords(loss, records),
        Euclidean(1.0),
        initial=np.zeros(p),
        epsilon=1.0,
        delta=1e-5,
        n_iterations=20,
        constants=constants_for(loss, 1.0, n=size, epsilon=1.0, delta=1e-5, n_iterations=20),
        ledger=ledger,
    )
    return float(loss.values(records, y).mean()) - smallest


def _hard_error(
    rng: np.random.Generator, ledger: Ledger, *, n: float, p: float = 8, epsilon: float = 1.0
) -> float:
    """Return the excess risk with T of the theorem's order, where its rate is attained.

    F has a curvature of order 1/T^2, at which the start is left no faster than 1/T^2; with one that
    does not depend on n the error at given T falls as (p + 1)/(n epsilon)^2. The noise is by zCDP,
    of order 1/epsilon as (3.9).
    """
    size, dimension, delta = int(n), int(p), 1e-5
    width = math.sqrt((p + 1) * math.log(1 / delta))
    claim: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "n_iterations": round(math.sqrt(n * epsilon / width)),
    }
    curvature = 8 / (claim["n_iterations"] + 1) ** 2
    loss = Huber()
    y = dp_accelerated_mirror_descent(
        np.arange(size),
        shared.RepeatedRecords(
            loss, (math.sqrt(curvature * p) * np.eye(dimension), np.zeros(dimension))
        ),
        Euclidean(1.0),
        initial=0.03 * np.eye(dimension)[0],
        constants=constants_for(loss, 1.0, n=size, method="zcdp", **claim),
        ledger=ledger,
        **claim,
    )
    return float(curvature / 2 * (y @ y))


def _exact_mirror_steps(data: Records, loss: Linear, mirror_map: Euclidean, **call: Any) -> Any:
    """Take the noisy gradient in step 7, whose result is released, and the exact one in step 8."""
    ledger, y = call.pop("ledger"), call.pop("initial")
    chosen, z = constants_for(loss, 1.0, n=len(data[1]), **call), y
    for k in range(call["n_iterations"]):
        x = 2 / (k + 2) * z + k / (k + 2) * y
        gradient = loss.gradient(data, x)
        noisy = ledger.gaussian(gradient, sensitivity=chosen.sensitivity, scale=chosen.noise_scale)
        y = mirror_map.gradient_step(x, noisy, chosen.smoothness)
        z = mirror_map.mirror_step(z, gradient, (k + 2) / (4 * chosen.smoothness))
    return y


def mirror_descent() -> Case:
    """Noisy gradients in both steps; the printed box has the exact one in the step it returns."""
    theorem = "Theorem 3.1.7's proof at given T: the noise adds sigma^2 (G_C^2 + R^2)(T+3)/(2 L')"
    sizes = tuple(1600.0 * 2**k for k in range(5))
    hard: dict[str, Any] = {
        "error": _hard_error,
        "repetitions": 14,
        "claim": "Theorem 3.1.7, l2 ball: excess risk = O(sqrt(p log(1/delta))/(n epsilon)), T^2 "
        "of order n epsilon/sqrt(p)",
    }
    right = _form(statistic=_down)
    one_step = constants_for(Linear(), 1.0, n=10, epsilon=1.0, delta=1e-2, n_iterations=1)
    return Case(
        id="diss-3.1.4",
        forms={
            "corrected": right,
            "corrected-l1": _form(
                mirror_map=QNorm(1.0), no_black_box="that of the l2 ball stands for it"
            ),
            "printed": _form(
                errata.printed,
                statistic=_down,
                box={"n_iterations": 1},
                violates={"control_flow": "diss-3.1.4/E1", "black_box": "diss-3.1.4/E1"},
            ),
        },
        scaling=(
            along(
                "n", sizes, -2.0, error=_error, repetitions=10, claim=theorem, name="n at given T"
            ),
            along("n", (4000.0, 16000.0, 64000.0, 256000.0), -1.0, **hard),
            along("epsilon", (0.0625, 0.125, 0.25, 0.5), -1.0, n=256000, **hard),
            along("p", (16.0, 48.0, 144.0, 432.0), 0.5, n=1036800, expensive=True, **hard),
        ),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants={
            **shared.without_normalisation(_form),
            "exact gradient in step 8": _form(_exact_mirror_steps, no_black_box="a mutant"),
            "exact last gradient": unreleased(right, lambda i: i == 3),
            "noise of a single step": _form(constants=one_step, no_black_box="a mutant"),
        },
    )


def settings() -> tuple[Setting, ...]:
    """DP-AccMD."""
    run = partial(steps_of, dp_accelerated_mirror_descent)
    by_hand = Constants(sensitivity=1.0, noise_scale=0.5, smoothness=1.0)
    chosen = Constants(sensitivity=1 / 12, noise_scale=0.3, smoothness=0.25)
    pair = (np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
    start, corner = [0.5, -0.25, 0.0], [0.75, -0.5, 0.25, 0.0]
    return (
        Setting(
            "by-hand",
            "Two steps in the unit ball; the second record is cut to length 1, and the second "
            "mirror step leaves the ball.",
            run(pair, Linear(), Euclidean(1.0), [0.0, -0.5], (1.0, 1e-2, 2), constants=by_hand),
        ),
        Setting(
            "middle",
            "Four steps in an l2 ball.",
            run(records(40, 3, 1), Logistic(0.8), Euclidean(2.0), start, (1.0, 1e-5, 4)),
        ),
        Setting(
            "l1-ball",
            "The geometry of the q-norm in an l1 ball, which mirror steps leave; gradient steps "
            "from its boundary take mass from several coordinates.",
            run(responses(24, 4, 5), Huber(), QNorm(1.5), corner, (1.0, 1e-5, 3), constants=chosen),
            seed=3,
        ),
    )


CASES = {"diss-3.1.4": mirror_descent}
SETTINGS = {"diss-3.1.4": settings}
