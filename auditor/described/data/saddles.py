"""Neighbours and problems of the audits of second-order methods."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from auditor import Ball as Within
from auditor import Data, Domain, Everything, Form, Product, form
from auditor import noise_slope as slope_of_noise
from auditor.described.data.linear_models import RepeatedRecords
from reference._validation import FloatArray, IntArray
from reference.losses import Cosine, TwiceDifferentiable
from reference.nonconvex.second_order import Found, stationarity


def phases(n: int, length: float, first: float, second: float) -> tuple[Data, Data]:
    """Return neighbours for Cosine: records are 0 but record 0, length e_1 with either phase.

    At 0 the phases pi/2 and -pi/2 move the gradient by 2G/n, and 0 and pi the Hessian by 2M/n.
    """
    features = np.zeros((n, 2))
    features[0, 0] = length
    labels = np.zeros(n)
    labels[0] = first
    other = labels.copy()
    other[0] = second
    return (features, labels), (features, other)


def phases_form(
    function: Callable[..., Any], *turned: float, bound: float = 1.0, **options: Any
) -> Form:
    """Return a form from 0 of ten records, of which :func:`phases` turns the first."""
    return form(
        function,
        phases(10, bound, *turned),
        Cosine(feature_bound=bound),
        initial=np.zeros(2),
        epsilon=1.0,
        delta=1e-2,
        domain=record_domain(bound),
        **options,
    )


def opposed(n: int, length: float) -> tuple[Data, Data]:
    """Return neighbours for Cosine that differ by 2G/b in any batch that record 0 is in.

    All records are length e_1 with phase -pi/2, but record 0 of the first data set: phase pi/2.
    """
    features = np.tile([length, 0.0], (n, 1))
    labels = np.full(n, -math.pi / 2)
    turned = labels.copy()
    turned[0] = math.pi / 2
    return (features, turned), (features, labels)


def record_domain(length: float) -> Domain:
    """Return where a record of Cosine may lie."""
    return Product((Within(2, length), Everything(())))


@dataclass(frozen=True)
class RepeatedSecondOrder(RepeatedRecords):
    """:class:`RepeatedRecords` with Hessians."""

    loss: TwiceDifferentiable

    @property
    def hessian_lipschitz(self) -> float:
        """Rho of the loss."""
        return self.loss.hessian_lipschitz

    def hessian_change(self, dimension: int) -> float:
        """Return that of the loss."""
        return self.loss.hessian_change(dimension)

    def hessian(self, records: Any, x: FloatArray, indices: IntArray | None = None) -> FloatArray:
        """Return the mean Hessian of the distinct records."""
        if indices is not None:
            raise ValueError("indices must be None: the whole data set is read at once")
        return self.loss.hessian(self.distinct, x)


class AllAlike(RepeatedSecondOrder):
    """Records each of which is all the distinct ones in equal shares, and so is every batch."""

    def gradient(self, records: Any, x: FloatArray, indices: IntArray | None = None) -> FloatArray:
        """Return that of any record."""
        return super().gradient(records, x)

    def hessian(self, records: Any, x: FloatArray, indices: IntArray | None = None) -> FloatArray:
        """Return that of any record."""
        return super().hessian(records, x)


SADDLE = RepeatedSecondOrder(Cosine(), (np.eye(2), np.array([0.0, math.pi])))
"""F(w) = (cos w_1 - cos w_2)/4: a strict saddle at 0, eigenvalues -1/4 and 1/4; minima -1/2."""

DELTA, FAILURE = 1e-6, 0.05
"""Delta of the claim, and the failure probability zeta, in the scaling recipes."""
SIZES, EPSILONS = tuple(12_000.0 * 2**k for k in range(4)), (0.125, 0.25, 0.5, 1.0)
"""Values of n, and of epsilon, along which the scaling recipes measure."""


def noise_slope(power: float) -> float:
    """Return what a rate of epsilon^-power is with the noise that is used over ``EPSILONS``."""
    return slope_of_noise(EPSILONS, DELTA, power)


def gradient_noise(scale: float, steps: int, dimension: int = 2) -> float:
    """Return what the norms of ``steps`` Gaussian vectors stay below, but with probability zeta."""
    return scale * (math.sqrt(dimension) + math.sqrt(2 * math.log(steps / FAILURE)))


def hessian_noise(scale: float, steps: int, dimension: int = 2) -> float:
    """Return the same for the spectral norms of symmetric Gaussian matrices."""
    return 2 * scale * (math.sqrt(dimension) + math.sqrt(math.log(steps / FAILURE)))


def smallest_accuracy(tolerated: Any, excess: float = 1.0) -> float:
    """Return the alpha in [1e-4, 1] at which ``tolerated(alpha)``, noise over tolerance, is so."""
    return math.exp(
        brentq(lambda log: math.log(tolerated(math.exp(log)) / excess), math.log(1e-4), 0.0)
    )


def found_accuracy(found: Found, size: int) -> float:
    """Return the alpha at which the output is an alpha-SOSP of the saddle; 1 if there is none."""
    if found.output is None:
        return 1.0
    return stationarity(SADDLE, np.arange(size), found.output)
