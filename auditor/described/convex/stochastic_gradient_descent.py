"""DP-SGD (diss-2.sgd-accountant): audit and settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.optimize import NonlinearConstraint, minimize

from auditor import Case, Form, Setting, along
from auditor.described.data import linear_models as shared
from auditor.described.data.calls import steps_of
from auditor.described.data.small_convex import records, responses
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball, L2Ball
from reference.convex.stochastic_gradient_descent import Constants, constants_for, dp_sgd
from reference.errata.convex import stochastic_gradient_descent as errata
from reference.losses import Huber, Linear, Logistic, Records
from reference.privacy.ledger import Ledger
from reference.proximal import NoRegularizer, Ridge

CLAIM: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2, "n_iterations": 4}


def _form(function: Any = dp_sgd, *, n: int, bound: float = 1.0, **options: Any) -> Form:
    """On the pair that is worst for the linear loss: the record in the batch moves it by 2G/b."""
    return shared.linear_form(function, Linear(bound), L2Ball(1.0), n=n, **options)


def _constants(*, n: int, batch_size: int, bound: float = 1.0, **changes: Any) -> Constants:
    claim = CLAIM | changes
    loss = Linear(feature_bound=bound)
    return constants_for(loss, 1.0, n=n, dimension=2, batch_size=batch_size, **claim)


def _right(*, n: int, batch_size: int, bound: float = 1.0, **options: Any) -> Form:
    constants = _constants(n=n, batch_size=batch_size, bound=bound)
    return _form(n=n, bound=bound, constants=constants, **CLAIM, **options)


def _mutant(function: Any = dp_sgd, *, n: int, **options: Any) -> Form:
    return _form(function, n=n, no_black_box="a mutant", **CLAIM, **options)


def _one_batch(
    data: Records,
    loss: Linear,
    constraint: L2Ball,
    *,
    initial: FloatArray,
    ledger: Ledger,
    **_: Any,
) -> FloatArray:
    """Read the same batch in all steps, with the noise of fresh ones."""
    chosen, x = _constants(n=50, batch_size=5), initial
    sample = ledger.subsample(50, chosen.batch_size)
    for t in range(1, CLAIM["n_iterations"] + 1):
        gradient = ledger.gaussian(
            loss.gradient(data, x, sample.indices),
            sensitivity=chosen.sensitivity,
            scale=chosen.noise_scale,
            sample=sample,
        )
        x = constraint.project(x - chosen.step_size / math.sqrt(t) * gradient)
    return x


def _down(x: FloatArray) -> float:
    """Return minus the first entry: record 0 of the first data set pushes x downwards."""
    return -float(x[0])


LOSS, WHOLE = Logistic(), L2Ball(2.0)


@cache
def _problem(dimension: int, strength: float) -> tuple[Records, float]:
    """Return eight distinct records and the smallest risk over the ball, with or without ridge."""
    records = shared.distinct_records(8, dimension, "l2", flipped=0.3)

    def risk(x: FloatArray) -> float:
        return float(LOSS.values(records, x).mean()) + strength / 2 * float(x @ x)

    inside = NonlinearConstraint(lambda x: x @ x, 0, WHOLE.radius**2)
    start = np.zeros(dimension)
    best = minimize(risk, start, constraints=inside, method="SLSQP", options={"ftol": 1e-12})
    return records, float(best.fun)


@dataclass(frozen=True)
class _Descent:
    """Ridge and steps of a descent: on all records, or on n^2 single ones if ``steps`` is 0."""

    strength: float = 0.25
    steps: int = 0


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float,
    p: float = 8,
    epsilon: float = 8.0,
    descent: _Descent = _Descent(),
) -> float:
    """Return the excess risk after a descent.

    The noise on all of them is by zCDP, of order 1/epsilon as in Lemma 2.1.7; the exact one is
    smaller for small epsilon, where it falls more slowly.
    """
    size, dimension, strength, steps = int(n), int(p), descent.strength, descent.steps
    (features, labels), smallest = _problem(dimension, strength)
    regularizer = Ridge(strength) if strength else NoRegularizer()
    claim: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": 1e-5,
        "n_iterations": steps or size**2,
        "strong_convexity": strength,
    }
    loss = shared.RepeatedRecords(LOSS, (features, labels)) if steps else LOSS
    copies = size // len(labels)
    x = dp_sgd(
        np.arange(size) if steps else (np.tile(features, (copies, 1)), np.tile(labels, copies)),
        loss,
        WHOLE,
        regularizer,
        initial=np.zeros(dimension),
        constants=constants_for(
            loss,
            WHOLE.radius,
            n=size,
            dimension=dimension,
            batch_size=size if steps else 1,
            method="zcdp",
            **claim,
        ),
        ledger=ledger,
        **claim,
    )
    risk = float(LOSS.values((features, labels), x).mean()) + strength / 2 * float(x @ x)
    return risk - smallest


def _over_logarithms(power: float) -> Callable[..., float]:
    """Return the error over log(n)^power, which the tables allow."""
    return lambda rng, ledger, *, n, **held: _error(rng, ledger, n=n, **held) / math.log(n) ** power


def sgd() -> Case:
    """Gradients of a fresh batch; Lemma 2.1.7 prints the noise of a mean over all records."""
    sizes = (8.0, 16.0, 24.0, 40.0)
    whole: dict[str, Any] = {"error": _error, "repetitions": 10, "descent": _Descent(steps=100)}
    right = _constants(n=10, batch_size=10)
    return Case(
        id="diss-2.sgd-accountant",
        forms={
            # the whole data set as batch: the accounting is exact, so that every mutant shows
            "corrected": _right(n=10, batch_size=10, statistic=_down),
            "corrected-sampled": _right(n=50, batch_size=5, statistic=_down),
            # epsilon < q^2 T = 0.51, so that c_1 = 1 will do
            "printed": _form(
                errata.printed,
                n=10,
                epsilon=0.5,
                delta=1e-2,
                n_iterations=51,
                no_black_box="the loss of the transcript decides",
                violates={
                    "accounting": "diss-2.sgd-accountant/E1",
                    "privacy_loss": "diss-2.sgd-accountant/E1",
                },
            ),
        },
        scaling=(
            along(
                "n",
                sizes,
                -2.0,
                error=_over_logarithms(2),
                repetitions=16,
                expensive=True,
                claim="table 3.1, K = n^2 single records: excess risk = "
                "O(p log^2(n)/(n epsilon)^2)",
            ),
            along(
                "n",
                sizes,
                -1.0,
                error=_over_logarithms(1.5),
                repetitions=40,
                expensive=True,
                descent=_Descent(strength=0.0),
                name="n without strong convexity",
                claim="table 3.2, K = n^2 single records: excess risk = "
                "O(sqrt(p) log^{3/2}(n)/(n epsilon))",
            ),
            along(
                "epsilon",
                (0.0625, 0.125, 0.25, 0.5),
                -2.0,
                n=16000,
                p=20,
                claim="table 3.1 at given K: the noise adds O(p sigma^2), of order 1/(n epsilon)^2",
                **whole,
            ),
            along(
                "p",
                (20.0, 40.0, 80.0, 160.0),
                1.0,
                n=64000,
                epsilon=0.25,
                claim="table 3.1 at given K: the noise adds O(p sigma^2)",
                **whole,
            ),
        ),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants={
            **shared.without_normalisation(_right, n=10, batch_size=10),
            "one batch for all steps": _mutant(_one_batch, n=50),
            "noise of a single step": _mutant(
                n=10, constants=_constants(n=10, batch_size=10, n_iterations=1)
            ),
            # G/n where a record replaced, not removed, moves it by 2G/n
            "sensitivity of a removed record": _mutant(
                n=10,
                constants=replace(
                    right, sensitivity=right.sensitivity / 2, noise_scale=right.noise_scale / 2
                ),
            ),
        },
    )


def breast_cancer() -> Records:
    """Return 50 records of scikit-learn's breast cancer data in units that leave most of them."""
    from sklearn.datasets import load_breast_cancer  # loads slowly

    features, labels = load_breast_cancer(return_X_y=True)
    chosen = features[:500:10, [0, 1, 4, 7]]  # mean radius, texture, smoothness, concave points
    scaled = (chosen - [14, 19, 0.1, 0.05]) / [8, 10, 0.03, 0.08]
    return np.round(scaled, 6), np.where(labels[:500:10] == 1, 1.0, -1.0)


def settings() -> tuple[Setting, ...]:
    """Noisy stochastic gradient descent."""
    run = partial(steps_of, dp_sgd)
    three = (np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]]), np.array([1.0, -1.0, 1.0]))
    by_hand = Constants(batch_size=2, sensitivity=1.0, noise_scale=0.5, step_size=1.0, decay=1.0)
    claim: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2, "n_iterations": 3}
    lot = constants_for(Logistic(), 1.5, n=20, dimension=3, batch_size=2, **claim)
    ridge = {"regularizer": Ridge(0.5), "strong_convexity": 0.5}
    start, huber = [0.125, -0.125, 0.0], Huber(threshold=0.5)
    return (
        Setting(
            "by-hand",
            "Two steps, of sizes 1 and 1/2, on batches of two of three records; the second one "
            "leaves the unit ball, and the last record is cut to length 1.",
            run(three, Linear(), L2Ball(1.0), [0.5, 0.0], (1.0, 1e-2, 2), constants=by_hand),
            seed=26,
        ),
        Setting(
            "middle",
            "Four steps, whose size falls as one over the root of their number.",
            run(records(40, 3, 1), Logistic(0.8), L2Ball(2.0), [0.0] * 3, (1.0, 1e-2, 4)),
        ),
        Setting(
            "strongly-convex",
            "All records in every step, steps of size 1/(mu t), a ridge, and an l1 ball that a "
            "step leaves.",
            run(responses(24, 3, 2), huber, L1Ball(0.25), start, (8.0, 1e-2, 3), **ridge),
        ),
        Setting(
            "lots",
            "Lots of a tenth of the records; noise of standard deviation G sigma/n instead of G "
            "sigma/l on the mean of a lot, as printed, gives another result.",
            run(
                records(20, 3, 12),
                Logistic(),
                L2Ball(1.5),
                [0.3, 0.3, 0.3],
                (1.0, 1e-2, 3),
                constants=lot,
            ),
        ),
        Setting(
            "real-data",
            "Logistic regression on 50 records of the breast cancer data.",
            run(breast_cancer(), Logistic(2.0), L2Ball(3.0), [0.0] * 4, (2.0, 1e-3, 3)),
        ),
    )


CASES = {"diss-2.sgd-accountant": sgd}
SETTINGS = {"diss-2.sgd-accountant": settings}
RAISED = {"diss-2.sgd-accountant": {"algorithms": 1, "constants": 1}}
