"""The randomisers behind the ledger: one small value per release kind.

A mechanism knows how to draw its noise, how to turn a private value and a draw into an output,
the log-density of an output given a value, and the distance in which its sensitivity is claimed.
Draws are *standardised* (scale one), so that another implementation can replay them and a
multiple of the scale is a multiple of the draw.

The *unit* of privacy of a release is given by ``axes``, the number of leading axes of the value
that index units: 0 (the whole value is one release about the data set), 1 (axis 0 = users) or 2
(axes 0 and 1 = user and attribute).
"""

from reference.privacy.mechanisms.bit import Bit
from reference.privacy.mechanisms.exponential import Exponential
from reference.privacy.mechanisms.gaussian import Gaussian
from reference.privacy.mechanisms.interval_exponential import IntervalExponential
from reference.privacy.mechanisms.l2_ball import L2BallRandomizer
from reference.privacy.mechanisms.laplace import Laplace
from reference.privacy.mechanisms.mechanism import REACH, Cost, Draw, Mechanism, Output
from reference.privacy.mechanisms.noisy_max import NoisyMax, laplace_argmax_log_probability
from reference.privacy.mechanisms.randomized_response import RandomizedResponse
from reference.privacy.mechanisms.smooth_sensitivity import (
    SmoothSensitivity,
    dilation_delta,
    smooth_gaussian_delta,
)
from reference.privacy.mechanisms.symmetric import SymmetricGaussian, SymmetricLaplace
from reference.privacy.mechanisms.wishart import SMALLEST_WISHART_DELTA, Wishart, wishart_delta

__all__ = [
    "REACH",
    "SMALLEST_WISHART_DELTA",
    "Bit",
    "Cost",
    "Draw",
    "Exponential",
    "Gaussian",
    "IntervalExponential",
    "L2BallRandomizer",
    "Laplace",
    "Mechanism",
    "NoisyMax",
    "Output",
    "RandomizedResponse",
    "SmoothSensitivity",
    "SymmetricGaussian",
    "SymmetricLaplace",
    "Wishart",
    "dilation_delta",
    "laplace_argmax_log_probability",
    "smooth_gaussian_delta",
    "wishart_delta",
]
