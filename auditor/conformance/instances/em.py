"""Cases of the EM algorithms."""

from __future__ import annotations

import numpy as np

from auditor.conformance.instance import Instance, Twin
from reference.em.clipped_gradient_em import Constants
from reference.em.models import GaussianMixture, MixtureOfRegressions

NOT_CLIPPED = Twin(
    "gradients are not clipped", "bound", "clip_rows(gradients, threshold)", "gradients"
)


def wang_1() -> tuple[Instance, ...]:
    """Clipped gradient EM."""
    rng = np.random.default_rng(1)
    truth = np.array([1.0, -0.5, 0.25])
    mixture = rng.choice([-1.0, 1.0], size=(40, 1)) * truth + 0.5 * rng.standard_normal((40, 3))
    features = rng.standard_normal((25, 3))
    signs = rng.choice([-1.0, 1.0], size=25)
    regressions = np.column_stack([features, signs * (features @ truth)])
    return (
        Instance(
            "by-hand",
            "One step on two records, one of whose gradients is clipped to norm 1.",
            {
                "data": np.array([[2.0, 0.0], [0.5, 0.5]]),
                "model": GaussianMixture(1.0),
                "initial": np.array([0.5, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "clipping_threshold": 1.0,
                "step_size": 0.5,
                "n_iterations": 1,
                "constants": Constants(sensitivity=1.0, noise_scale=4.0),
            },
            twins=(NOT_CLIPPED,),
        ),
        Instance(
            "middle",
            "Three steps; some gradients are clipped and some are not.",
            {
                "data": mixture,
                "model": GaussianMixture(0.5),
                "initial": np.array([0.5, 0.1, 0.1]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "clipping_threshold": 0.75,
                "step_size": 0.5,
                "n_iterations": 3,
            },
            twins=(
                NOT_CLIPPED,
                Twin("the step goes downhill", "sign", "beta + step_size", "beta - step_size"),
                Twin("one step too few", "step", "range(n_iterations)", "range(n_iterations - 1)"),
            ),
        ),
        Instance(
            "regressions",
            "Another model: records are features and a response.",
            {
                "data": regressions,
                "model": MixtureOfRegressions(1.0),
                "initial": np.array([0.5, 0.1, 0.1]),
                "epsilon": 2.0,
                "delta": 1e-6,
                "clipping_threshold": 2.0,
                "step_size": 0.25,
                "n_iterations": 2,
            },
            twins=(NOT_CLIPPED,),
        ),
    )


INSTANCES = {"wang-1": wang_1}
