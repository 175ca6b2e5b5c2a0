"""DP-TR (diss-4.3.28): audit and settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from auditor import Case, Form, Scaling, Setting, along, averaged
from auditor.described.data import saddles
from auditor.described.data.linear_models import without_normalisation
from auditor.described.data.saddles import DELTA, SADDLE
from auditor.described.data.small_second_order import LINE, saddle, second_order
from reference.losses import Cosine
from reference.nonconvex.trust_region import (
    Constants,
    constants_for,
    dp_trust_region,
    enough_iterations,
)
from reference.privacy.ledger import Ledger


def _form(*phases: float, **options: Any) -> Form:
    """Two steps from a point at which one of the two sensitivities is attained."""
    steps = {"accuracy": 1e-6, "n_iterations": 2}
    return saddles.phases_form(dp_trust_region, *phases, **steps, **options)


@cache
def accuracy_at(n: int, epsilon: float) -> float:
    """Return the alpha at which the noise is 30 times half of Theorem 4.3.5's tolerances.

    There it decides what is found; within them three times the noise would change nothing.
    """

    def excess(accuracy: float) -> float:
        steps = enough_iterations(SADDLE, gap=1.0, accuracy=accuracy)
        chosen = constants_for(
            SADDLE,
            n=n,
            dimension=2,
            epsilon=epsilon,
            delta=DELTA,
            accuracy=accuracy,
            n_iterations=steps,
        )
        gradient = saddles.gradient_noise(chosen.noise_scale, steps)
        hessian = saddles.hessian_noise(chosen.hessian_noise_scale, steps)
        return max(12 * gradient / accuracy, 6 * hessian / chosen.multiplier_threshold)

    return saddles.smallest_accuracy(excess, 30.0)


def _error(
    rng: np.random.Generator, ledger: Ledger, n: float = 96_000.0, epsilon: float = 1.0
) -> float:
    """Return the alpha at which the output is an alpha-SOSP, from a random public start."""
    size = int(n)
    accuracy = accuracy_at(size, epsilon)
    found = dp_trust_region(
        np.arange(size),
        SADDLE,
        initial=rng.uniform(-math.pi, math.pi, 2),
        epsilon=epsilon,
        delta=DELTA,
        accuracy=accuracy,
        n_iterations=enough_iterations(SADDLE, gap=1.0, accuracy=accuracy),
        ledger=ledger,
    )
    return saddles.found_accuracy(found, size)


def rates(error: Callable[..., float], theorem: str) -> tuple[Scaling, Scaling]:
    """Return the recipes of a theorem along n and epsilon."""
    claim = f"{theorem}: the output is an O(alpha)-SOSP, alpha = O~((p/(n epsilon))^(4/7))"
    recipe = partial(along, error=averaged(error, 5), repetitions=14, claim=claim, expensive=True)
    return (
        recipe("n", saddles.SIZES, -4 / 7),
        recipe("epsilon", saddles.EPSILONS, saddles.noise_slope(4 / 7)),
    )


def trust_region() -> Case:
    """Gradients and Hessians share the budget; the worst record for one hides from the other."""
    return Case(
        id="diss-4.3.28",
        forms={
            "corrected": _form(
                math.pi / 2, -math.pi / 2, statistic=lambda found: float(found.path[1][0])
            ),
            "corrected-curvature": _form(
                0.0, math.pi, no_black_box="a step along +-e_1 from a saddle, whichever the Hessian"
            ),
        },
        scaling=rates(_error, "Theorem 4.3.5"),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants=without_normalisation(partial(_form, math.pi / 2, -math.pi / 2)),
    )


def settings() -> tuple[Setting, ...]:
    """DP-TR."""
    run = partial(second_order, dp_trust_region)
    by_hand = Constants(
        sensitivity=0.5,
        hessian_sensitivity=0.5,
        noise_scale=0.25,
        hessian_noise_scale=0.25,
        radius=0.5,
        multiplier_threshold=0.5,
    )
    chosen = Constants(
        sensitivity=1 / 24,
        hessian_sensitivity=1 / 24,
        noise_scale=0.02,
        hessian_noise_scale=0.02,
        radius=0.75,
        multiplier_threshold=0.01,
    )
    return (
        Setting(
            "by-hand",
            "Steps of length 1/2 on a line until the multiplier is small.",
            run(LINE, initial=[0.25], accuracy=0.5, n_iterations=5, constants=by_hand),
            seed=2,
        ),
        Setting(
            "middle",
            "Radius and threshold of the theorem.",
            run(saddle(40, 3, 1), Cosine(1.25), epsilon=2.0, accuracy=0.12, n_iterations=4),
            seed=10,
        ),
        Setting(
            "branches",
            "Steps on the sphere where the Hessian is indefinite, and one inside it, with "
            "multiplier 0, where it is not.",
            run(saddle(24, 3, 2), accuracy=0.5, n_iterations=6, constants=chosen),
            seed=3,
        ),
        Setting(
            "none-found",
            "All steps are taken, so that nothing is returned beside the path.",
            run(saddle(24, 3, 2), accuracy=0.01, n_iterations=3),
        ),
    )


CASES = {"diss-4.3.28": trust_region}
SETTINGS = {"diss-4.3.28": settings}
LEFT_OUT = {
    "diss-4.3.28": {
        "constants.multiplier_threshold": "the few iterations of the setting do not reach it"
    }
}
