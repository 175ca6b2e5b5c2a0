"""Releases of a number, a vector or a matrix plus noise."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_between,
    require_choice,
    require_in_interval,
    require_positive,
)
from reference.privacy.ledger.book import Book
from reference.privacy.ledger.transcript import RecordSelection, Subsample, Unit
from reference.privacy.ledger.values import SCALES, claim_of, finite, owned, sizes, symmetric
from reference.privacy.mechanisms import (
    Gaussian,
    Laplace,
    SmoothSensitivity,
    SymmetricGaussian,
    SymmetricLaplace,
    Wishart,
)


class AdditiveReleases(Book):
    """The releases of a ledger that are a value plus noise."""

    def gaussian(
        self,
        value: ArrayLike,
        *,
        sensitivity: float,
        scale: float,
        unit: Unit = "dataset",
        records: RecordSelection = None,
        sample: Subsample | None = None,
        background_sensitivity: float = 0.0,
    ) -> FloatArray:
        """Release ``value`` + N(0, scale^2) per coordinate.

        Parameters
        ----------
        value : array_like
            The private statistic; with ``unit="record"`` one row per user. Entries beyond 2^40
            times the scale are cut to that, or rounding would take the noise away.
        sensitivity : float
            Claimed l2 sensitivity (per unit), > 0.
        scale : float
            Standard deviation of the noise, > 0.
        unit : {"dataset", "record", "attribute", "label"}
            What one unit of privacy is in ``value``: the whole of it, a row (axis 0), an entry of a
            row (axes 0 and 1), or what is said of a user's label in a row (axis 0), where all else
            of the record is public.
        records : slice or ndarray of int, optional
            Records read (disjoint splits compose in parallel). Default all.
        sample : Subsample, optional
            The subsample the value was computed from. ``sensitivity`` must hold for every sample.
        background_sensitivity : float, default 0
            Part of ``sensitivity`` that does not need the record to be in the sample: the value
            is the sum of a part that reads the sample only, of sensitivity ``sensitivity -
            background_sensitivity``, and a part of this sensitivity for every sample.

        Returns
        -------
        ndarray
            Same shape as ``value``.
        """
        sensitivity, scale = sizes(sensitivity, scale)
        background = 0.0
        if background_sensitivity != 0:
            background = require_in_interval(
                "background_sensitivity", background_sensitivity, 0.0, sensitivity, closed=True
            )
        array = owned(value)
        return self._release(  # type: ignore[no-any-return]
            Gaussian(scale), array, claim_of(array, sensitivity, unit, records, sample, background)
        )

    def laplace(
        self,
        value: ArrayLike,
        *,
        sensitivity: float,
        scale: float,
        unit: Unit = "dataset",
        records: RecordSelection = None,
        sample: Subsample | None = None,
    ) -> FloatArray:
        """Release ``value`` + Laplace(scale) per coordinate; l1 sensitivity.

        Parameters are those of :meth:`gaussian`.
        """
        sensitivity, scale = sizes(sensitivity, scale)
        array = owned(value)
        return self._release(  # type: ignore[no-any-return]
            Laplace(scale), array, claim_of(array, sensitivity, unit, records, sample)
        )

    def symmetric_gaussian(
        self,
        value: ArrayLike,
        *,
        sensitivity: float,
        scale: float,
        diagonal_variance: float = 1.0,
        unit: Unit = "dataset",
        records: RecordSelection = None,
        sample: Subsample | None = None,
    ) -> FloatArray:
        """Release symmetric matrices with Gaussian noise drawn on the upper triangle.

        ``sensitivity`` is the l2 norm of the upper triangle in units where an off-diagonal entry
        counts once and a diagonal one 1/sqrt(diagonal_variance); ``sample`` is as for
        :meth:`gaussian`.
        """
        sensitivity, scale = sizes(sensitivity, scale)
        variance = require_between("diagonal_variance", diagonal_variance, *SCALES)
        array = symmetric(value)
        return self._release(  # type: ignore[no-any-return]
            SymmetricGaussian(scale, variance),
            array,
            claim_of(array, sensitivity, unit, records, sample),
        )

    def symmetric_laplace(
        self,
        value: ArrayLike,
        *,
        sensitivity: float,
        scale: float,
        unit: Unit = "dataset",
        records: RecordSelection = None,
    ) -> FloatArray:
        """Release symmetric matrices with Laplace noise on the upper triangle; l1 of it."""
        sensitivity, scale = sizes(sensitivity, scale)
        array = symmetric(value)
        return self._release(  # type: ignore[no-any-return]
            SymmetricLaplace(scale), array, claim_of(array, sensitivity, unit, records)
        )

    def wishart(
        self,
        value: ArrayLike,
        *,
        sensitivity: float,
        degrees: float,
        scale: float,
        records: RecordSelection = None,
    ) -> FloatArray:
        """Release a symmetric matrix + W_d(degrees, scale I); spectral-norm sensitivity.

        One matrix: each of several would be charged like all of them together.
        The accountant knows the cost for ``degrees`` >= d + 1 and values that change by
        ``sensitivity`` (v v' - w w') with |v|, |w| <= 1 only; fewer degrees, and several releases
        of more than d + 1, count as unbounded.
        """
        sensitivity, scale = sizes(sensitivity, scale)
        degrees = require_between("degrees", degrees, *SCALES)
        matrix = symmetric(value)
        if matrix.ndim != 2 or matrix.size == 0:
            raise ValueError(f"a Wishart release must be one matrix, got shape {matrix.shape}")
        dimension = matrix.shape[-1]
        if degrees <= dimension - 1:
            raise ParameterValueError("degrees", f"be > d - 1 = {dimension - 1}", degrees)
        return self._release(  # type: ignore[no-any-return]
            Wishart(degrees, scale, dimension),
            matrix,
            claim_of(matrix, sensitivity, records=records),
        )

    def smooth(
        self,
        value: ArrayLike,
        *,
        smooth_bound: float,
        smoothness: float,
        divisor: float,
        rho: float | None = None,
        epsilon: float | None = None,
        noise: Literal["arsinh-normal", "gaussian"] = "arsinh-normal",
        records: RecordSelection = None,
    ) -> FloatArray:
        """Release ``value`` + (smooth_bound/divisor) * noise with a data-dependent scale.

        Parameters
        ----------
        value : array_like
            Entries beyond 5e139 are cut to that.
        smooth_bound : float
            S(D) > 0, claimed to be a ``smoothness``-smooth upper bound on the local sensitivity. It
            is raised to 1e-140, or cut to 1e140, which leaves it one.
        smoothness : float
            t: log S changes by at most t between neighbours.
        divisor : float
            s: the noise is S/s times the standard noise.
        rho : float, optional
            zCDP cost the source proves under the claim. Give exactly one of ``rho`` and
            ``epsilon``.
        epsilon : float, optional
            In (0, 100), with Gaussian noise: account for the release by its delta there
            (:func:`~reference.privacy.mechanisms.smooth_gaussian_delta`).
        noise : {"arsinh-normal", "gaussian"}
        records : slice or ndarray of int, optional

        Returns
        -------
        ndarray
            Same shape as ``value``.
        """
        # its size is private: to refuse what is out of range would tell it
        low, high = SCALES
        smooth_bound = min(max(require_positive("smooth_bound", smooth_bound), low), high)
        smoothness = require_positive("smoothness", smoothness)
        divisor = require_between("divisor", divisor, *SCALES)
        if (rho is None) == (epsilon is None):
            raise ValueError("give exactly one of rho= and epsilon=")
        noise = require_choice("noise", noise, ("arsinh-normal", "gaussian"))
        rho = math.inf if rho is None else require_positive("rho", rho)
        if epsilon is not None:
            epsilon = require_in_interval("epsilon", epsilon, 0.0, 100.0)
            if noise != "gaussian":
                raise ValueError(f"only Gaussian noise has a cost at one epsilon, not {noise}")
        array = np.clip(finite(owned(value)), -high / 2, high / 2)  # no two are farther apart
        return self._release(  # type: ignore[no-any-return]
            SmoothSensitivity(smooth_bound, smoothness, divisor, rho, noise, epsilon, array.size),
            array,
            claim_of(array, 1.0, records=records),
        )
