"""Step 2 of Algorithm 6.3.51, for every noise of step 1. Source: Wang (2020), l.8743-8753."""

from __future__ import annotations

from reference._validation import FloatArray, ParameterValueError, require_magnitude
from reference.matrices.graphical_lasso import PrecisionMinimum, graphical_lasso
from reference.matrices.positive_semidefinite import positive_part

SMALLEST_PENALTY = 1e-6
"""Smallest penalty, in units of the noise's scale.

With less, the minimiser may be out of reach of doubles (at 1e-8 the iterations run out for d = 8).
"""


def require_penalty(penalty: float, noise_scale: float) -> None:
    """Raise ValueError unless the minimiser is in reach, whatever is released.

    Parameters
    ----------
    penalty : float
        rho > 0.
    noise_scale : float
        Of an entry of the noisy second moment.
    """
    require_magnitude("penalty", penalty)
    if penalty < SMALLEST_PENALTY * noise_scale:
        raise ParameterValueError(
            "penalty",
            f"be at least {SMALLEST_PENALTY:g} of the scale of the noise, {noise_scale:g}",
            penalty,
        )


def precision_of(noisy: FloatArray, penalty: float) -> PrecisionMinimum:
    """Return the graphical lasso of a noisy second moment (step 2), which always exists.

    The matrix is projected on the positive semidefinite cone first: without that the objective may
    be unbounded below. The projection brings it no farther from S, which is in the cone. The gap is
    that of the projected matrix: it depends on the data through the noisy one alone.
    """
    return graphical_lasso(positive_part(noisy), penalty=penalty)
