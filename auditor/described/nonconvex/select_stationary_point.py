"""Selecting SOSP (diss-4.3.26): audit and settings."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

import numpy as np

from auditor import Case, Form, Setting, along, rate_slope
from auditor.described.data import saddles
from auditor.described.data.linear_models import without_normalisation
from auditor.described.data.saddles import DELTA, SADDLE
from auditor.described.data.small_second_order import WAVES, saddle, second_order
from reference.losses import Cosine
from reference.nonconvex.second_order import curvature_threshold
from reference.nonconvex.select_stationary_point import (
    Constants,
    constants_for,
    select_stationary_point,
)
from reference.privacy.ledger import RecordingLedger


def _form(*phases: float, **options: Any) -> Form:
    """From a point at which one of the two sensitivities is attained."""
    steps = {"accuracy": 0.1, "n_iterations": 2}
    return saddles.phases_form(select_stationary_point, *phases, **steps, **options)


def _iterations(accuracy: float) -> int:
    """Return 8 M B/alpha^2 with M = 1/2 and B = 1/2."""
    return math.ceil(2 / accuracy**2)


@cache
def accuracy_at(n: int, epsilon: float) -> float:
    """Return the alpha at which the tests' noise is within what the thresholds leave it."""

    def excess(accuracy: float) -> float:
        steps = _iterations(accuracy)
        chosen = constants_for(
            SADDLE,
            n=n,
            dimension=2,
            epsilon=epsilon,
            delta=DELTA,
            accuracy=accuracy,
            n_iterations=steps,
        )
        gradient = saddles.gradient_noise(chosen.gradient_noise_scale, steps)
        hessian = saddles.hessian_noise(chosen.hessian_noise_scale, steps)
        room = curvature_threshold(SADDLE, accuracy) - chosen.curvature_threshold
        return max(4 * gradient / accuracy, hessian / room)

    return saddles.smallest_accuracy(excess)


def _error(
    rng: np.random.Generator, ledger: RecordingLedger, n: float = 96_000.0, epsilon: float = 1.0
) -> float:
    """Return the alpha at which the output, found from the saddle, is known to be an alpha-SOSP.

    That at which it is one, or four times the largest noise on a gradient that was tested, if that
    is more. The thresholds decide the former: whatever passes is good enough, and noise that is
    several times too large still lets something pass, by chance.
    """
    size = int(n)
    accuracy = accuracy_at(size, epsilon)
    steps = _iterations(accuracy)
    found = select_stationary_point(
        np.arange(size),
        SADDLE,
        initial=np.zeros(2),
        epsilon=epsilon,
        delta=DELTA,
        accuracy=accuracy,
        n_iterations=steps,
        ledger=ledger,
    )
    gradients = ledger.transcript.releases[steps::2]  # after the descent, Hessians in between
    noise = np.array([release.output - release.value for release in gradients])
    largest = float(np.linalg.norm(noise, axis=1).max())
    return max(saddles.found_accuracy(found, size), 4 * largest)


def select() -> Case:
    """Descent, gradients and Hessians share the budget; all of them are charged, always."""
    theorem = "Theorem 4.3.2: the output is an alpha-SOSP, alpha = O~((d/(n epsilon))^(1/2))"
    # with the logarithms of O~
    in_n = rate_slope(saddles.SIZES, lambda n: accuracy_at(int(n), 1.0))
    in_epsilon = rate_slope(saddles.EPSILONS, lambda epsilon: accuracy_at(96_000, epsilon))
    recipe = partial(
        along, error=_error, ledger_of=RecordingLedger, repetitions=8, claim=theorem, expensive=True
    )
    return Case(
        id="diss-4.3.26",
        forms={
            "corrected": _form(
                math.pi / 2, -math.pi / 2, statistic=lambda found: float(found.path[-1][0])
            ),
            "corrected-curvature": _form(
                0.0, math.pi, no_black_box="the Hessian decides only which iterate is returned"
            ),
        },
        scaling=(
            recipe("n", saddles.SIZES, in_n),
            recipe("epsilon", saddles.EPSILONS, in_epsilon),
        ),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants=without_normalisation(partial(_form, math.pi / 2, -math.pi / 2)),
    )


def settings() -> tuple[Setting, ...]:
    """DP-GD and a test of every point."""
    run = partial(second_order, select_stationary_point)
    by_hand = Constants(
        sensitivity=0.5,
        hessian_sensitivity=0.5,
        descent_noise_scale=0.25,
        gradient_noise_scale=0.25,
        hessian_noise_scale=0.25,
        step_size=1.0,
        gradient_threshold=0.25,
        curvature_threshold=0.25,
    )
    chosen = Constants(
        sensitivity=1 / 24,
        hessian_sensitivity=1 / 24,
        descent_noise_scale=0.1,
        gradient_noise_scale=0.05,
        hessian_noise_scale=0.05,
        step_size=4.0,
        gradient_threshold=0.15,
        curvature_threshold=0.1,
    )
    return (
        Setting(
            "by-hand",
            "A step, and a test of two points, of which the second passes.",
            run(WAVES, initial=[0.5, 0.0], accuracy=1.0, n_iterations=1, constants=by_hand),
        ),
        Setting(
            "middle",
            "Three steps, and a test of four points with thresholds of the theorem.",
            run(saddle(40, 3, 1), Cosine(1.25), epsilon=4.0, accuracy=0.25, n_iterations=3),
            seed=3,
        ),
        Setting(
            "branches",
            "Points fail by their gradient and by their Hessian, and the first of those that pass "
            "is taken.",
            run(saddle(24, 3, 2), accuracy=1.0, n_iterations=8, constants=chosen),
        ),
        Setting(
            "none-passes",
            "No point passes, so that nothing is returned beside the path.",
            run(saddle(24, 3, 2), accuracy=0.01, n_iterations=2),
        ),
    )


CASES = {"diss-4.3.26": select}
SETTINGS = {"diss-4.3.26": settings}
LEFT_OUT = {
    "diss-4.3.26": {
        "constants.gradient_threshold": "the few iterations of the setting do not reach it",
        "constants.curvature_threshold": "the few iterations of the setting do not reach it",
    }
}
