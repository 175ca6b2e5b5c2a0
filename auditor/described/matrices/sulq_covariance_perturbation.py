"""The SuLQ baseline of section 6.3 (diss-6.3-SULQ): audit and settings."""

from __future__ import annotations

from typing import Any

from auditor import Case, Data, Everything, Form, Setting, form
from auditor.described.data.second_moments import axes, tilt
from auditor.described.data.small_matrices import precision
from reference.matrices.covariance_perturbation import precision_of
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.sulq_covariance_perturbation import (
    Constants,
    constants_for,
    sulq_covariance_perturbation,
)
from reference.privacy.guarantees import GaussianDP
from reference.privacy.ledger import Ledger

N = 2
RIGHT: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2}


def _form(
    function: Any = sulq_covariance_perturbation, *, length: float = 1.0, **options: Any
) -> Form:
    """Build the form of e_1 against e_2, which moves S by sqrt 2/n in the Frobenius norm."""
    chosen = {"penalty": 0.05, "statistic": tilt, **options}
    noise = constants_for(n=N, dimension=2, epsilon=chosen["epsilon"], delta=chosen["delta"])
    # the stated noise is far more than the claim needs: slack that must hide nothing
    design = GaussianDP(noise.sensitivity / noise.noise_scale)
    return form(function, axes(N, length), domain=Everything((2,)), design=design, **chosen)


def unclipped(
    data: Data, *, epsilon: float, delta: float, penalty: float, ledger: Ledger
) -> PrecisionMinimum:
    """Run the algorithm on records of any norm."""
    n, dimension = data.shape
    noise = constants_for(n=n, dimension=dimension, epsilon=epsilon, delta=delta)
    noisy = ledger.gaussian(
        data.T @ data / n, sensitivity=noise.sensitivity, scale=noise.noise_scale
    )
    return precision_of((noisy + noisy.T) / 2, penalty)


def sulq() -> Case:
    """SuLQ: noise on all entries, far more than it takes."""
    return Case(
        id="diss-6.3-SULQ",
        forms={"corrected": _form(**RIGHT)},
        no_scaling="the paper states no utility claim, and no noise",
        mutants={
            "clipping dropped": _form(unclipped, length=2.0, no_black_box="a mutant", **RIGHT)
        },
    )


def settings() -> tuple[Setting, ...]:
    """Covariance perturbation, SuLQ."""
    return precision(Constants(0.75, 0.25), Constants(0.5, 0.75), epsilon=2.0, delta=1e-3)


CASES = {"diss-6.3-SULQ": sulq}
SETTINGS = {"diss-6.3-SULQ": settings}

LEFT_OUT = {"diss-6.3-SULQ": {"all of epsilon": "the noise of the literature, 25 times the least"}}
