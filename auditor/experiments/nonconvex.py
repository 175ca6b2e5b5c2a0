"""The experiments on non-convex risks: Wang (2020), section 4.1.5 (l.2871-2960).

Printed: sigmoid loss, lambda/2 ||theta||_1, lambda = 1e-4, delta = 1e-4, n = 50,000 and p = 50 of
synthetic data; what is measured is the norm of the projected gradient, of Algorithm 4.1.16 (the
text names 4.1.19, which has no such gradient). The sigmoid has the sign that falls with the margin,
which changes no norm. Covertype and IJCNN need a download: classes that overlap stand for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from auditor.core.context import Tier
from auditor.experiments.convex import DrawRecords, classes, separable
from auditor.experiments.experiment import Errors, Experiment, Panel, Trend, falls, rises
from reference._validation import FloatArray
from reference.losses import Records, Sigmoid
from reference.nonconvex import proximal_gradient_descent as pgd
from reference.privacy.ledger import Ledger
from reference.proximal import L1Norm

FAMILY = "nonconvex"
LASSO, DELTA = L1Norm(5e-5), 1e-4
EPSILONS = (0.1, 0.5, 2.0, 5.0)
"""The paper's (l.2885)."""
STEPS = (20, 100, 500)
SETTING = (
    "The paper's: lambda = 1e-4, delta = 1e-4, epsilon in {0.1, 0.5, 2, 5}, a random start; n = "
    "50,000 and p = 50 of the synthetic data (n = 5,000 in the quick tier). Chosen here: T of "
    "Theorem 4.1.2 with 1 for its constant where T does not vary, epsilon = 1 where it does not, "
    "the theorem's step size 1/(2L), and the smallest noise that is certified, where none is "
    "named. The norm is the mean over R, at up to 20 iterates. The noise by advanced composition "
    "is 10 to 12 times that by zCDP, that by the moments accountant 1 + 1e-5 times."
)


def covertype(rng: np.random.Generator, n: int, p: int) -> Records:
    """Draw a stand-in for Covertype: two classes of one size that overlap."""
    return classes(rng, n, p, positive=0.5)


def ijcnn(rng: np.random.Generator, n: int, p: int) -> Records:
    """Draw a stand-in for IJCNN: one record in ten is positive."""
    return classes(rng, n, p, positive=0.1)


def _projected_gradient(records: Records, x: FloatArray) -> float:
    """Return ||x - prox(x - gamma grad F(x))||_2/gamma at gamma = 1/(2L)."""
    step_size = 1 / (2 * Sigmoid().smoothness)
    after = LASSO.prox(x - step_size * Sigmoid().gradient(records, x), step_size)
    return float(np.linalg.norm(x - after)) / step_size


def _advanced_composition(n: int, epsilon: float, n_iterations: int) -> float:
    """Return sigma by Lemma 2.1.5 and the classical Gaussian mechanism, delta/2 for each half."""
    each_epsilon = epsilon / (2 * math.sqrt(2 * n_iterations * math.log(2 / DELTA)))
    each_delta = DELTA / (2 * n_iterations)
    sensitivity = 2 * Sigmoid().lipschitz / n
    return sensitivity * math.sqrt(2 * math.log(1.25 / each_delta)) / each_epsilon


def _moments_accountant(n: int, epsilon: float, n_iterations: int) -> float:
    """Return sigma by the moments of integer orders up to 64, on all records (q = 1).

    The moment of order m of one release is m(m + 1) Delta^2/(2 sigma^2), and T of them must stay
    below m epsilon - log(1/delta).
    """
    orders = np.arange(1, 65)
    room = orders * epsilon - math.log(1 / DELTA)
    orders, room = orders[room > 0], room[room > 0]
    sensitivity = 2 * Sigmoid().lipschitz / n
    return sensitivity * math.sqrt(float((n_iterations * orders * (orders + 1) / (2 * room)).min()))


def _zcdp(n: int, epsilon: float, n_iterations: int) -> float:
    return pgd.constants_for(
        Sigmoid(), n=n, epsilon=epsilon, delta=DELTA, n_iterations=n_iterations, method="zcdp"
    ).noise_scale


def _certified(n: int, epsilon: float, n_iterations: int) -> float:
    return pgd.constants_for(
        Sigmoid(), n=n, epsilon=epsilon, delta=DELTA, n_iterations=n_iterations
    ).noise_scale


Calibration = Callable[[int, float, int], float]
"""(n, epsilon, T) -> sigma."""
CALIBRATIONS: dict[str, Calibration] = {
    "zCDP (the paper's)": _zcdp,
    "moments accountant": _moments_accountant,
    "advanced composition": _advanced_composition,
}


def theorem_steps(n: int, p: int, epsilon: float) -> int:
    """Return T = n epsilon sqrt(L)/(G sqrt(p log(1/delta))) (Theorem 4.1.2), rounded."""
    loss = Sigmoid()
    spread = loss.lipschitz * math.sqrt(p * math.log(1 / DELTA))
    return max(1, round(n * epsilon * math.sqrt(loss.smoothness) / spread))


def _norm(
    records: Records, epsilon: float, n_iterations: int, noise: Calibration, seed: int
) -> float:
    """Return the mean norm of the projected gradient over DP-PGD's path from a random start."""
    rng = np.random.default_rng(seed)
    n, p = records[0].shape
    chosen = pgd.constants_for(
        Sigmoid(), n=n, epsilon=epsilon, delta=DELTA, n_iterations=n_iterations
    )
    result = pgd.dp_proximal_gradient_descent(
        records,
        Sigmoid(),
        regularizer=LASSO,
        initial=rng.standard_normal(p),
        epsilon=epsilon,
        delta=DELTA,
        n_iterations=n_iterations,
        constants=replace(chosen, noise_scale=noise(n, epsilon, n_iterations)),
        ledger=Ledger(rng),
    )
    chosen_path = result.path[np.linspace(0, n_iterations - 1, min(n_iterations, 20)).astype(int)]
    return float(np.mean([_projected_gradient(records, x) for x in chosen_path]))


def _vary(
    settings: Sequence[tuple[int, int, float]], draw: DrawRecords, rng: np.random.Generator
) -> Errors:
    """Run DP-PGD at every (n, p, epsilon), with one seed of start and noise."""
    seed = int(rng.integers(2**63))
    norms = [
        _norm(draw(rng, n, p), epsilon, theorem_steps(n, p, epsilon), _certified, seed)
        for n, p, epsilon in settings
    ]
    return {"DP-PGD": np.array(norms)}


def _vary_steps(n: int, p: int, draw: DrawRecords, rng: np.random.Generator) -> Errors:
    """Vary T at three epsilon, on one data set."""
    seed, records = int(rng.integers(2**63)), draw(rng, n, p)
    return {
        f"epsilon = {epsilon:g}": np.array(
            [_norm(records, epsilon, steps, _certified, seed) for steps in STEPS]
        )
        for epsilon in (0.1, 0.5, 2.0)
    }


def _vary_calibration(n: int, p: int, draw: DrawRecords, rng: np.random.Generator) -> Errors:
    """Vary T at epsilon = 1 with the noise of three ways to account, one seed for all."""
    seed, records = int(rng.integers(2**63)), draw(rng, n, p)
    return {
        label: np.array([_norm(records, 1.0, steps, noise, seed) for steps in STEPS])
        for label, noise in CALIBRATIONS.items()
    }


def _dp_pgd_panels(draw: DrawRecords, p: int, tier: Tier) -> list[Panel]:
    n = 50_000 if tier == "full" else 5_000
    sizes, dimensions = (n // 4, n // 2, n), (p // 5, p // 2, p)
    axis = partial(Panel, y_label="norm of the projected gradient", log_x=True)

    def over(name: str, x: Sequence[float], settings: Sequence[tuple[int, int, float]]) -> Panel:
        return axis(f"norm against {name}", name, x, partial(_vary, settings, draw))

    return [
        axis("norm against T", "T", STEPS, partial(_vary_steps, n, p, draw)),
        over("n", sizes, [(size, p, 1.0) for size in sizes]),
        over("epsilon", EPSILONS, [(n, p, epsilon) for epsilon in EPSILONS]),
        over("p", dimensions, [(n, dimension, 1.0) for dimension in dimensions]),
    ]


def _calibration_panels(tier: Tier) -> list[Panel]:
    n = 50_000 if tier == "full" else 5_000
    data: dict[str, tuple[DrawRecords, int]] = {
        "synthetic": (separable, 50),
        "Covertype": (covertype, 54),
        "IJCNN": (ijcnn, 22),
    }
    return [
        Panel(
            name,
            "T",
            STEPS,
            partial(_vary_calibration, n, p, draw),
            "norm of the projected gradient",
            log_x=True,
        )
        for name, (draw, p) in data.items()
    ]


def _epsilon_over_steps(errors: Errors) -> float:
    """Return by how much more epsilon changes the norm than T does, in logarithms."""
    table = np.log(np.array(list(errors.values())))
    return float(np.ptp(table, axis=0).mean() - np.ptp(table, axis=1).mean())


def clearly_below(first: str, second: str) -> Callable[[Errors], float]:
    """Return the gain "the first error is at least 1% below the second", as means of the panel."""
    return lambda errors: float(0.99 * errors[second].mean() - errors[first].mean())


def _dp_pgd(number: int, data: str, draw: DrawRecords, p: int) -> Experiment:
    return Experiment(
        name=f"004 Figure 4.{number}",
        algorithm="diss-4.1.16",
        caption=f"{data}: sigmoid loss with an l1 penalty, DP-PGD.",
        setting=SETTING,
        panels=partial(_dp_pgd_panels, draw, p),
        trends=(
            Trend("T changes the norm less than epsilon does", 0, _epsilon_over_steps),
            Trend("the norm falls as n grows", 1, falls("DP-PGD")),
            Trend("the norm falls as epsilon grows", 2, falls("DP-PGD")),
            Trend("the norm rises with the dimension", 3, rises("DP-PGD")),
        ),
        repetitions=6,
        full=6,
    )


def _calibrations() -> Experiment:
    return Experiment(
        name="004 Figure 4.4",
        algorithm="diss-4.1.16",
        caption="Ways to account for T releases, on synthetic data and on stand-ins for Covertype "
        "and IJCNN; epsilon = 1.",
        setting=SETTING,
        panels=_calibration_panels,
        trends=tuple(
            Trend(
                f"{name}: the norm by zCDP is at least 1% below that by {label}",
                panel,
                clearly_below("zCDP (the paper's)", label),
            )
            for panel, name in enumerate(("synthetic", "Covertype", "IJCNN"))
            for label in ("advanced composition", "moments accountant")
        ),
        repetitions=6,
        full=6,
    )


EXPERIMENTS = (
    _dp_pgd(1, "Synthetic data", separable, 50),
    _dp_pgd(2, "A stand-in for Covertype", covertype, 54),
    _dp_pgd(3, "A stand-in for IJCNN", ijcnn, 22),
    _calibrations(),
)
