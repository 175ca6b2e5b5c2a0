"""Labels that users perturb before anybody sees them, with public features.

Wang (2020), section 5.3.4: only the label of a record (x, y) is private.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reference._validation import MAGNITUDES, FloatArray, require_in_interval
from reference.clipping import clip_entries
from reference.constants import PositiveConstants
from reference.parameters import checked_arguments
from reference.privacy.calibration import smallest_gaussian_scale
from reference.privacy.ledger import Ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    truncation_level : float
        Y: labels are cut to [f(0) - Y, f(0) + Y], so that two are at most 2Y apart.
    noise_scale : float
        tau, the standard deviation of the noise on a label.
    """

    truncation_level: float
    noise_scale: float


def largest_label(*, sparsity: int, noise_bound: float, slope: float = 1.0) -> float:
    """Return b sqrt(s*) + C >= |y - f(0)| for labels of the model, where |f'| <= b.

    |<theta*, x>| <= ||theta*||_1 <= sqrt(s*) for x in {-1, 1}^p; attained where the s* coefficients
    are equal and x has their signs.
    """
    noise_bound = require_in_interval("noise_bound", noise_bound, 0.0, MAGNITUDES[1], closed=True)
    return slope * math.sqrt(sparsity) + noise_bound


@checked_arguments
def constants_for(
    *,
    epsilon: float,
    delta: float,
    sparsity: int,
    noise_bound: float,
    largest_slope: float = 1.0,
) -> Constants:
    """Return the range that no label of the model leaves, and the smallest noise for it.

    The noise is exactly calibrated to the sensitivity 2 (b sqrt(s*) + C), for every epsilon. The
    papers' rule sqrt(2 ln(1.25/delta))/epsilon would need more, and epsilon <= 1.

    Parameters
    ----------
    epsilon, delta : float
        > 0, and in (0, 1).
    sparsity : int
        s* >= 1.
    noise_bound : float
        C, from 0 to 1e50.
    largest_slope : float
        b > 0; 1 for the linear model.
    """
    largest = largest_label(sparsity=sparsity, noise_bound=noise_bound, slope=largest_slope)
    scale = smallest_gaussian_scale(epsilon, delta, sensitivity=2 * largest)
    return Constants(truncation_level=largest, noise_scale=scale)


def noisy_labels(
    labels: FloatArray,
    *,
    truncation_level: float,
    noise_scale: float,
    ledger: Ledger,
    centre: float = 0.0,
) -> FloatArray:
    """Return what users say of their labels: each is cut to centre +- Y and perturbed.

    Wang (2020), steps 1 to 3 of Algorithms 5.3.42 and 5.3.45 (l.6526-6529, 6689-6692), but for
    the cut.
    """
    cut = clip_entries(labels - centre, truncation_level)
    messages = ledger.gaussian(
        cut, sensitivity=2 * truncation_level, scale=noise_scale, unit="label"
    )
    return centre + messages
