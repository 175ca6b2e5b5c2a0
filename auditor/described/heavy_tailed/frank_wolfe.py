"""Frank-Wolfe with robust gradients (hu-1): audit and settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor import (
    Case,
    Data,
    Form,
    Scaling,
    Setting,
    along,
    form,
    n_records,
    replace_record,
    scaled_claim,
)
from auditor.described.data import heavy_tailed_regression as regression
from auditor.described.data.heavy_tailed_regression import HUGE
from auditor.described.data.means import in_doubles
from auditor.described.data.small_heavy_tailed import (
    FEW,
    TRIANGLE,
    problem,
    robust_mean,
    towards_vertices,
)
from auditor.described.data.small_heavy_tailed import HUGE as HUGE_VALUE
from auditor.described.data.small_heavy_tailed import regression as small_regression
from auditor.described.data.vectors import squared_distance
from reference._validation import FloatArray
from reference.blocks import take_records
from reference.constraint_sets import L1Ball, Polytope
from reference.heavy_tailed import frank_wolfe
from reference.heavy_tailed.frank_wolfe import (
    constants_for,
    heavy_tailed_frank_wolfe,
    recommended_iterations,
    recommended_truncation_scale,
)
from reference.heavy_tailed.vertex_selection import l1_diameter
from reference.losses import Biweight, Records, SquaredDistance, SquaredError
from reference.privacy.ledger import Ledger

_BALL = L1Ball(1.0)
_EPSILON, _PRECISION = 2.0, 20.0
_N, _STEPS = 8, 2


def _opposite_gradients() -> tuple[Data, Data]:
    """Return records whose gradients at 0 are -2e12 e_1, and the same but for one of +2e12 e_1.

    Scores that favour one vertex strongly show a sampler whose noise is too small.
    """
    features, labels = np.zeros((_N, 2)), np.full(_N, HUGE)
    features[:, 0] = HUGE
    return (features, labels), (features, np.where(np.arange(_N) == 0, -labels, labels))


def _form(pair: tuple[Data, Data] | None = None, **options: Any) -> Form:
    """Return a form on squared errors; at precision 20 the claimed sensitivity is tight to 1e-5."""
    pair = pair or _opposite_gradients()
    dimension = pair[0][0].shape[1]
    return form(
        heavy_tailed_frank_wolfe,
        pair,
        SquaredError(),
        _BALL,
        # -gradient favours +e_1, more so under the first data set
        statistic=lambda w: float(w[0]),
        domain=regression.any_regression_record(dimension),
        initial=np.zeros(dimension),
        epsilon=_EPSILON,
        precision=_PRECISION,
        **{"truncation_scale": 1.0, "n_iterations": _STEPS, **options},
    )


def _mutant(of: Form, run: Callable[[Data, Ledger], FloatArray]) -> Form:
    return replace(of, run=run, black_box=None, no_black_box="a mutant")


def _sorted_records() -> Form:
    """Return a twin whose batches depend on the data: one record moves all eight of them.

    Sorted by the feature, batches of one record each, gradients of alternating sign; replacing
    the first record by a last one shifts the others by a batch each.
    """
    features = np.arange(1.0, 9.0)[:, None]
    data = features, HUGE * np.tile([1.0, -1.0], 4)
    right = _form((data, replace_record(data, 0, (np.array([9.0]), HUGE))), n_iterations=8)

    def run(data: Data, ledger: Ledger) -> FloatArray:
        order = np.argsort(data[0][:, 0])
        output: FloatArray = right.run((data[0][order], data[1][order]), ledger)
        return output

    return _mutant(right, run)


def _closed_form(right: Form) -> Form:
    """Return the first step with the printed form of the truncation in doubles."""
    size = _N // _STEPS
    constants = constants_for(
        batch_size=size, diameter=l1_diameter(_BALL, 2), epsilon=_EPSILON, truncation_scale=1.0
    )

    def run(data: Data, ledger: Ledger) -> FloatArray:
        batch = slice(0, size)
        gradients = SquaredError().gradients((data[0][batch], data[1][batch]), np.zeros(2))
        scores = -_BALL.inner_products(in_doubles(gradients, 1.0, _PRECISION).mean(axis=0))
        vertex = ledger.exponential(
            scores - scores[0],
            sensitivity=constants.sensitivity,
            epsilon=constants.step_epsilon,
            records=batch,
        )
        return _BALL.vertex(vertex, 2)

    # gradients of 1e6: of larger ones it makes scores beyond the noise's reach, which are cut
    first, second = ((1e-3 * x, 1e-3 * y) for x, y in right.pair)
    return replace(_mutant(right, run), pair=(first, second))


_PROBLEM: dict[str, Any] = {"dimension": 5, "n_vertices": 10, "failure_probability": 0.1}


def _signs_and_heavy_noise(n: int, rng: np.random.Generator) -> tuple[Records, FloatArray]:
    """Return n records with random signs as features and noise t_3: gradients without E |g|^3.

    Their second moments over the unit l1 ball are at most 4 (||w - w*||^2 + 1/4) = 10.52.
    """
    signs = rng.choice([-1.0, 1.0], (n, 5))
    return regression.linear_model(signs, regression.student(3, (n,), rng))


def _error(rng: np.random.Generator, ledger: Ledger, n: int, loss: Any, **parameters: Any) -> float:
    """Return ||w - w*||^2."""
    data, best = _signs_and_heavy_noise(n, rng)
    known: dict[str, Any] = {"initial": np.zeros(5), "ledger": ledger, **parameters}
    return squared_distance(heavy_tailed_frank_wolfe(data, loss, _BALL, **known), best)


def _excess_risk(
    rng: np.random.Generator, ledger: Ledger, *, n: float, epsilon: float = 1.0
) -> float:
    """Excess risk by the constants of Theorem 2: tau = 10.52, alpha = 2, ||W||_1 = 2, zeta = 0.1.

    The risk has Hessian 2.
    """
    known: dict[str, Any] = {"second_moment": 10.52, "n": int(n), "epsilon": epsilon, **_PROBLEM}
    steps = recommended_iterations(smoothness=2.0, diameter=2.0, **known)
    scale = recommended_truncation_scale(n_iterations=steps, **known)
    known = {"epsilon": epsilon, "truncation_scale": scale, "n_iterations": steps}
    return _error(rng, ledger, int(n), SquaredError(), **known)


def _robust_regression_error(rng: np.random.Generator, ledger: Ledger, *, n: float) -> float:
    """Return ||w - w*||^2 by Tukey's biweight and the constants of Theorem 3.

    With E x x' = 1 the excess risk is of that order (its proof bounds it by lambda_max times it).
    """
    loss, size = Biweight(), int(n)
    steps = max(1, round(math.sqrt(n / math.log(5 * n / _PROBLEM["failure_probability"]))))
    known: dict[str, Any] = {"n_iterations": steps, "epsilon": 1.0}
    moment = loss.slope_bound**2  # E x_j^2 = 1
    scale = recommended_truncation_scale(second_moment=moment, n=size, **known, **_PROBLEM)
    return _error(
        rng, ledger, size, loss, truncation_scale=scale, step_size=1 / math.sqrt(steps), **known
    )


def _scaling() -> tuple[Scaling, ...]:
    theorem = "Theorem 2: excess risk O((alpha tau log(n |V| d/zeta)/(n epsilon))^(1/3))"
    robust = (
        "Theorem 3 (robust regression): excess risk "
        "O(lambda_max log^(1/4)(d n/zeta)/(n epsilon)^(1/4))"
    )
    sizes = tuple(1000.0 * 2**k for k in range(6))
    recipe = partial(along, repetitions=24)
    excess_risk = partial(recipe, slope=-1 / 3, error=_excess_risk, claim=theorem)
    return (
        excess_risk("n", sizes),
        excess_risk("epsilon", (0.0625, 0.125, 0.25, 0.5, 1.0), n=16_000, expensive=True),
        recipe("n", sizes, -0.25, error=_robust_regression_error, claim=robust, expensive=True),
    )


def hu_1() -> Case:
    """Frank-Wolfe with robust gradients: a selection per disjoint batch, pure DP."""
    corrected = _form()
    return Case(
        id="hu-1",
        forms={"corrected": corrected},
        scaling=_scaling(),
        no_real_data="hu-2 stands for its family on real data",
        mutants={
            # the truncation far out of reach of what is claimed
            "clipping dropped": scaled_claim(_form(truncation_scale=1e9), 1e-9),
            "sensitivity of the whole data set": scaled_claim(corrected, 1 / _STEPS),
            "sorted records": _sorted_records(),
            "closed form in doubles": _closed_form(corrected),
        },
    )


def _without_noise(
    *, data: Data, loss: Any, constraint: Any, initial: FloatArray, **others: Any
) -> FloatArray:
    """Return steps towards vertices along the robust means of T batches."""
    n_iterations, scale = others["n_iterations"], others["truncation_scale"]
    size, precision = n_records(data) // n_iterations, others.get("precision", 1.0)

    def gradient(w: FloatArray, t: int) -> FloatArray:
        batch = take_records(data, slice(t * size, (t + 1) * size))
        return robust_mean(loss, batch, w, scale=scale, precision=precision)

    return towards_vertices(gradient, constraint, initial, n_iterations, others.get("step_size"))


def settings() -> tuple[Setting, ...]:
    """Frank-Wolfe with robust gradients."""
    chosen = frank_wolfe.Constants(sensitivity=2.0, step_epsilon=2.0)
    sharp, tukey = {"truncation_scale": 2.0, "precision": 4.0}, Biweight(threshold=2.0)
    known = partial(Setting, noiseless=_without_noise)
    return (
        known(
            "by-hand",
            "Two steps, on two records each, of five; the last is not used and the third is far "
            "out.",
            problem(FEW, SquaredDistance(), L1Ball(1.0), [0.0, 0.5])
            | {"epsilon": 2.0, **sharp, "n_iterations": 2, "constants": chosen},
        ),
        known(
            "middle",
            "Four steps of a least squares regression over the l1 ball, of sizes 2/3, 2/4, 2/5 and "
            "2/6.",
            problem(small_regression(42, 4, 13), SquaredError(), L1Ball(1.0), np.zeros(4))
            | {"epsilon": 4.0, "truncation_scale": 3.0, "n_iterations": 4},
            seed=2,
        ),
        known(
            "fixed-steps",
            "Steps of the same size, a loss that is not convex, and a triangle far from the "
            "origin.",
            problem(small_regression(24, 2, 14), tukey, Polytope(TRIANGLE), [4.25, 1.5])
            | {"epsilon": 6.0, "truncation_scale": 1.5, "precision": 2.0}
            | {"n_iterations": 3, "step_size": 0.25},
            seed=3,
        ),
        known(
            "overflow",
            "Gradients that overflow count as the bound of the truncation, and those that are not "
            "a number as 0; a step of size 1 ends in a vertex.",
            problem(HUGE_VALUE, SquaredError(), L1Ball(1.0), [0.5, 0.25])
            | {"epsilon": 4.0, "truncation_scale": 2.0, "n_iterations": 1}
            | {"step_size": 1.0, "constants": chosen},
            seed=4,
        ),
    )


CASES = {"hu-1": hu_1}
SETTINGS = {"hu-1": settings}
