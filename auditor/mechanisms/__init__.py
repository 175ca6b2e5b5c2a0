"""The noise mechanisms as the auditor sees their releases, one file for each.

How far apart two values are at 50 digits, what rounding can have added, whether an output was
drawn as declared, and what a release costs at least: one
:class:`~auditor.mechanisms.release_kind.ReleaseKind` per mechanism of
:mod:`reference.privacy.mechanisms`. A new kind is a file and a line of ``KINDS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import mpmath
import numpy as np

from auditor.mechanisms.bit import BitKind
from auditor.mechanisms.exponential import ExponentialKind
from auditor.mechanisms.gaussian import GaussianKind
from auditor.mechanisms.interval_exponential import IntervalExponentialKind
from auditor.mechanisms.l2_ball import L2BallKind
from auditor.mechanisms.laplace import LaplaceKind
from auditor.mechanisms.noisy_max import NoisyMaxKind
from auditor.mechanisms.randomized_response import RandomizedResponseKind
from auditor.mechanisms.release_kind import ReleaseKind
from auditor.mechanisms.smooth_sensitivity import SmoothSensitivityKind
from auditor.mechanisms.symmetric import SymmetricGaussianKind, SymmetricLaplaceKind
from auditor.mechanisms.wishart import WishartKind
from reference._validation import FloatArray
from reference.privacy.ledger import Release
from reference.privacy.mechanisms import (
    Bit,
    Exponential,
    Gaussian,
    IntervalExponential,
    L2BallRandomizer,
    Laplace,
    Mechanism,
    NoisyMax,
    RandomizedResponse,
    SmoothSensitivity,
    SymmetricGaussian,
    SymmetricLaplace,
    Wishart,
)

KINDS: Mapping[type[Mechanism], type[ReleaseKind[Any]]] = MappingProxyType(
    {
        Bit: BitKind,
        Exponential: ExponentialKind,
        Gaussian: GaussianKind,
        IntervalExponential: IntervalExponentialKind,
        L2BallRandomizer: L2BallKind,
        Laplace: LaplaceKind,
        NoisyMax: NoisyMaxKind,
        RandomizedResponse: RandomizedResponseKind,
        SmoothSensitivity: SmoothSensitivityKind,
        SymmetricGaussian: SymmetricGaussianKind,
        SymmetricLaplace: SymmetricLaplaceKind,
        Wishart: WishartKind,
    }
)
"""Every mechanism and its kind."""


def kind_of(release: Release) -> ReleaseKind[Any]:
    """Return a release as the auditor sees it.

    Raises
    ------
    TypeError
        If neither its mechanism's class nor one that it is derived from is in ``KINDS``.
    """
    for ancestor in type(release.mechanism).__mro__:
        if ancestor in KINDS:
            return KINDS[ancestor](release)
    raise TypeError(
        f"the auditor does not know the {release.mechanism.kind!r} releases of "
        f"{type(release.mechanism).__name__}; add a kind to auditor/mechanisms"
    )


def exact_distance(
    first: Release, second: Release, values: tuple[Any, Any] | None = None
) -> mpmath.mpf:
    """Return the distance of one unit's two values, evaluated at the working precision.

    Parameters
    ----------
    first, second : Release
        Of unit ``"dataset"``, or cut down to one unit.
    values : (Any, Any), optional
        The values with mpmath numbers; by default the floating-point values, taken as exact.
    """
    x, y = (first.value, second.value) if values is None else values
    return kind_of(first).exact_distance(second.mechanism, x, y)


def rounding_allowance(first: Release, second: Release, n: int, bound: float) -> float:
    """Bound the part of a distance that the rounding of the query can have made.

    A sum of n terms, each computed in at most 100 operations, has relative error at most
    gamma = m u/(1 - m u), m = n + 100, u = 2^-53, of the sum of the terms' sizes (Higham,
    "Accuracy and Stability of Numerical Algorithms", 2002, section 4.2). The sizes are bounded by
    the value plus n times the claimed sensitivity: a record that may move the sum by the claim is
    itself about that large.

    Parameters
    ----------
    first, second : Release
        The same release under the two data sets.
    n : int
        Number of records.
    bound : float
        Claimed sensitivity.

    Returns
    -------
    float
        In the units of the claimed norm.
    """
    m = (n + 100) * 2.0**-53
    assert second.value is not None
    return kind_of(first).rounding_allowance(second.value, m / (1 - m), n, bound)


def uniforms(release: Release, rng: np.random.Generator) -> FloatArray:
    """Return numbers that are independent and uniform if the output was drawn as declared.

    Parameters
    ----------
    release : Release
        Recorded, with value and output.
    rng : Generator
        Places discrete outcomes inside their intervals.

    Returns
    -------
    ndarray of shape (k,)
    """
    return kind_of(release).uniforms(rng).ravel()
