"""The experiments on convex risks: Wang (2020), section 3.1.5 (l.826-860).

Printed: lambda = 1e-4, delta = 1e-4, epsilon = 0.2 and 1, labels that the sign of <theta*, x>
fixes, rows of norm 1; DP-SVRG with 2 log n epochs of 100 steps. Not printed: the noise of the
methods compared with. All methods run here with the smallest noise that the accountant certifies;
the printed noise of single records is not private (errata of diss-3.1.1 to diss-3.1.3). DP-Katyusha
takes 3 kappa/4 steps an epoch in theory and 3n/4 in the paper, here as many as DP-SVRG. DP-SGD
takes as many steps as they, with the step sizes for convex risks: 1/(lambda t) starts at 10^4.
DP-GD is output perturbation. x = 0 is what needs no data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.optimize import minimize

from auditor.core.context import Tier
from auditor.experiments.experiment import Errors, Experiment, Panel, Trend, falls, rises
from reference._validation import FloatArray
from reference.clipping import clip_rows
from reference.constraint_sets import L2Ball
from reference.convex import katyusha, svrg, svrg_plus_plus
from reference.convex.output_perturbation import output_perturbation
from reference.convex.stochastic_gradient_descent import dp_sgd
from reference.losses import Logistic, Records
from reference.privacy.ledger import Ledger
from reference.proximal import NoRegularizer, Ridge

FAMILY = "convex"
SETTING = (
    "The paper's: lambda = 1e-4, delta = 1e-4, rows of norm 1, epsilon = 0.2 and 1, epochs. Chosen "
    "here: n = 20,000 in the quick tier (in the full one 10^5, as printed for synthetic data), "
    "20 steps an epoch, batches, the step size 1/(3L), as many steps of DP-SGD in the ball of "
    "radius 10, 50 steps of DP-GD, and the smallest noise that is certified; the printed noise of "
    "single records is not private."
)
RIDGE, DELTA, LOSS = Ridge(1e-4), 1e-4, Logistic()
BALL = L2Ball(10.0)
EPSILONS = (0.2, 0.5, 1.0, 2.0)
STEP = 1 / (3 * LOSS.smoothness)
"""Step size of the variance-reduced methods; the theorems' 1/(48 L) needs 16 times the steps."""


@dataclass(frozen=True)
class RiskProblem:
    """Data, and the smallest risk on them with the ridge (strongly convex) or without."""

    records: Records
    ridge: bool

    def risk(self, x: FloatArray) -> float:
        """Return F^r(x)."""
        return float(LOSS.values(self.records, x).mean()) + self.ridge * RIDGE.value(x)

    def smallest(self) -> float:
        """Return the minimum that a quasi-Newton method finds."""
        start = np.zeros(self.records[0].shape[1])

        def slope(x: FloatArray) -> FloatArray:
            return LOSS.gradient(self.records, x) + self.ridge * RIDGE.strength * x

        return float(minimize(self.risk, start, jac=slope, options={"maxiter": 500}).fun)


def separable(rng: np.random.Generator, n: int, p: int) -> Records:
    """Draw the paper's synthetic data: labels that a random direction separates."""
    features = clip_rows(rng.standard_normal((n, p)) * 10, 1.0)
    return features, np.where(features @ rng.standard_normal(p) >= 0, 1.0, -1.0)


def classes(rng: np.random.Generator, n: int, p: int, positive: float) -> Records:
    """Draw a stand-in for Covertype or IJCNN: two Gaussian classes that overlap."""
    labels = np.where(rng.random(n) < positive, 1.0, -1.0)
    centre = np.zeros(p)
    centre[:5] = 1.0
    features = rng.standard_normal((n, p)) + labels[:, None] * centre
    return clip_rows(features, 1.0), labels


@cache
def breast_cancer() -> Records:
    """Return scikit-learn's data, every column over a public constant, rows cut to norm 1."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    # powers of ten above the columns' known ranges
    scales = 10.0 ** np.ceil(np.log10(np.abs(data.data).max(axis=0)))
    return clip_rows(data.data / scales, 1.0), np.where(data.target == 1, 1.0, -1.0)


def _epochs(n: int) -> int:
    return 2 * math.ceil(math.log(n))


def _common(
    problem: RiskProblem,
    regularizer: Ridge | NoRegularizer,
    n_iterations: int,
    given: Mapping[str, Any],
) -> dict[str, FloatArray]:
    """Run DP-SGD for as many steps and DP-GD; return them and the start."""
    return {
        "DP-SGD": dp_sgd(
            problem.records, LOSS, BALL, regularizer, n_iterations=n_iterations, **given
        ),
        "DP-GD": output_perturbation(problem.records, LOSS, regularizer, n_iterations=50, **given),
        "x = 0": given["initial"],
    }


def _strongly_convex(
    problem: RiskProblem, epsilon: float, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Run DP-SVRG, DP-Katyusha, DP-SGD and DP-GD on one data set."""
    n, p = problem.records[0].shape
    claim: dict[str, Any] = {"epsilon": epsilon, "delta": DELTA}
    sizes: dict[str, Any] = {"n_epochs": _epochs(n), "n_inner": 20}
    given = {**claim, "initial": np.zeros(p), "ledger": Ledger(rng)}
    by_svrg = replace(svrg.constants_for(LOSS, n=n, **claim, **sizes), step_size=STEP)
    convexity: dict[str, Any] = {"strong_convexity": RIDGE.strength}
    accelerated = katyusha.constants_for(LOSS, n=n, **convexity, **claim, **sizes)
    return {
        "DP-SVRG": svrg.dp_svrg(problem.records, LOSS, RIDGE, constants=by_svrg, **sizes, **given),
        "DP-Katyusha": katyusha.dp_katyusha(
            problem.records, LOSS, RIDGE, constants=accelerated, **convexity, **sizes, **given
        ),
        **_common(problem, RIDGE, sizes["n_epochs"] * sizes["n_inner"], given),
    }


def _convex(
    problem: RiskProblem, epsilon: float, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Run DP-SVRG++, DP-SGD and DP-GD without a ridge."""
    n, p = problem.records[0].shape
    claim: dict[str, Any] = {"epsilon": epsilon, "delta": DELTA}
    sizes: dict[str, Any] = {"n_epochs": 6, "n_inner": 2}
    given = {**claim, "initial": np.zeros(p), "ledger": Ledger(rng)}
    constants = replace(svrg_plus_plus.constants_for(LOSS, n=n, **claim, **sizes), step_size=STEP)
    none = NoRegularizer()
    return {
        "DP-SVRG++": svrg_plus_plus.dp_svrg_plus_plus(
            problem.records, LOSS, none, constants=constants, **sizes, **given
        ),
        **_common(problem, none, (2 ** (sizes["n_epochs"] + 1) - 2) * sizes["n_inner"], given),
    }


Methods = Callable[[RiskProblem, float, np.random.Generator], dict[str, FloatArray]]
DrawRecords = Callable[[np.random.Generator, int, int], Records]


def _trial(
    settings: Sequence[tuple[int, int, float]],
    draw: DrawRecords,
    methods: Methods,
    rng: np.random.Generator,
) -> Errors:
    """Return the gaps of all methods at every (n, p, epsilon)."""
    gaps: dict[str, list[float]] = {}
    for n, p, epsilon in settings:
        problem = RiskProblem(draw(rng, n, p), methods is _strongly_convex)
        smallest = problem.smallest()
        for label, x in methods(problem, epsilon, rng).items():
            gaps.setdefault(label, []).append(problem.risk(x) - smallest)
    return {label: np.array(values) for label, values in gaps.items()}


def _panels(draw: DrawRecords, methods: Methods, p: int, fixed: int, tier: Tier) -> list[Panel]:
    """Vary n, p and epsilon; ``fixed`` records of data that cannot be drawn again."""
    n = fixed or (100_000 if tier == "full" else 20_000)
    over: dict[str, tuple[Sequence[float], list[tuple[int, int, float]]]] = {
        "epsilon": (EPSILONS, [(n, p, e) for e in EPSILONS])
    }
    if not fixed:
        sizes = (n // 4, n // 2, n)
        dimensions = tuple(sorted({max(2, p // 5), p // 2, p}))
        over["n"] = (sizes, [(size, p, 1.0) for size in sizes])
        over["p"] = (dimensions, [(n, d, 1.0) for d in dimensions])
    return [
        Panel(
            f"gap against {name}",
            name,
            x,
            partial(_trial, settings, draw, methods),
            "optimality gap",
            log_x=True,
        )
        for name, (x, settings) in over.items()
    ]


def _below(first: str, second: str) -> Callable[[Errors], float]:
    """Compare at epsilon = 1."""
    at = EPSILONS.index(1.0)
    return lambda errors: float(errors[second][at] - errors[first][at])


def _trends(label: str, drawn: bool) -> tuple[Trend, ...]:
    trends = [
        Trend(f"the gap of {label} falls as epsilon grows", 0, falls(label)),
        Trend(
            f"{label} is closer to the optimum than x = 0 at epsilon = 1", 0, _below(label, "x = 0")
        ),
        *(
            Trend(
                f"the gap of {label} is below that of {other} at epsilon = 1",
                0,
                _below(label, other),
            )
            for other in ("DP-SGD", "DP-GD")
        ),
    ]
    if drawn:
        trends += [
            Trend(f"the gap of {label} falls as n grows", 1, falls(label)),
            Trend(f"the gap of {label} rises with the dimension", 2, rises(label)),
        ]
    return tuple(trends)


def _figure(
    name: str, data: str, draw: DrawRecords, methods: Methods, p: int, fixed: int = 0
) -> Experiment:
    strongly = methods is _strongly_convex
    label = "DP-SVRG" if strongly else "DP-SVRG++"
    trends = _trends(label, not fixed)
    if strongly:
        trends += _trends("DP-Katyusha", not fixed)
    kind = "strongly convex" if strongly else "convex"
    return Experiment(
        name=f"004 {name}",
        algorithm="diss-3.1.1" if strongly else "diss-3.1.3",
        caption=f"{data}, {kind} case.",
        setting=SETTING,
        panels=partial(_panels, draw, methods, p, fixed),
        trends=trends,
        repetitions=6,
        full=12,
    )


def _real(rng: np.random.Generator, n: int, p: int) -> Records:
    del rng, n, p
    return breast_cancer()


EXPERIMENTS = (
    _figure("Figure 3.1", "Synthetic data", separable, _strongly_convex, 50),
    _figure(
        "Figure 3.2",
        "A stand-in for Covertype",
        partial(classes, positive=0.5),
        _strongly_convex,
        54,
    ),
    _figure("Figure 3.3", "Synthetic data", separable, _convex, 50),
    _figure("Figure 3.4", "A stand-in for IJCNN", partial(classes, positive=0.1), _convex, 22),
    _figure(
        "Section 3.1 real data", "Breast cancer (scikit-learn)", _real, _strongly_convex, 30, 569
    ),
)
