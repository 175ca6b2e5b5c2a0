"""Releases of a choice: an index or a point, by its score."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterValueError,
    listed,
    require_count,
    require_in_interval,
)
from reference.privacy.ledger.additive import AdditiveReleases
from reference.privacy.ledger.transcript import RecordSelection, own_records
from reference.privacy.ledger.values import SCALES, claim_of, finite, owned, sizes, vector
from reference.privacy.mechanisms import REACH, Exponential, IntervalExponential, NoisyMax


class SelectionReleases(AdditiveReleases):
    """The releases of a ledger that select by noisy scores."""

    def exponential(
        self,
        scores: ArrayLike,
        *,
        sensitivity: float,
        epsilon: float,
        records: RecordSelection = None,
    ) -> int:
        """Select an index with probability proportional to exp(epsilon score/(2 sensitivity)).

        Noise of doubles ends, so that the rarest indices are never shown: see
        :mod:`reference.privacy.ledger`.

        Parameters
        ----------
        scores : array_like of shape (k,)
            Larger is better.
        sensitivity : float
            Claimed largest change of any score, > 0.
        epsilon : float
            Budget of this selection, > 0.
        records : slice or ndarray of int, optional
            As for :meth:`gaussian`.

        Returns
        -------
        int
        """
        sensitivity, epsilon = sizes(sensitivity, epsilon, "epsilon")
        mechanism = Exponential(epsilon / (2 * sensitivity))
        array = vector("scores", scores)
        return int(self._release(mechanism, array, claim_of(array, sensitivity, records=records)))

    def selections(
        self,
        scores: ArrayLike,
        *,
        sensitivity: float,
        epsilon: float,
        records: RecordSelection = None,
    ) -> IntArray:
        """Select an index for every user, from scores of shape (n, k): :meth:`exponential` by rows.

        As there, the rarest indices are never shown.

        Returns
        -------
        ndarray of int, shape (n,)
        """
        sensitivity, epsilon = sizes(sensitivity, epsilon, "epsilon")
        array = finite(owned(scores))
        if array.ndim != 2 or array.size == 0:
            raise ParameterValueError(
                "scores", "have a row for every user", got=f"shape {array.shape}"
            )
        return self._release(  # type: ignore[no-any-return]
            Exponential(epsilon / (2 * sensitivity)),
            array,
            claim_of(array, sensitivity, "record", records),
        )

    def interval_exponential(
        self,
        scores: ArrayLike,
        breaks: ArrayLike,
        *,
        lower: float,
        upper: float,
        sensitivity: float,
        epsilon: float,
        records: RecordSelection = None,
    ) -> float:
        """Select a point of an interval, of density proportional to exp(epsilon score/(2 Delta)).

        As by :meth:`exponential`, the rarest pieces are never shown.

        Parameters
        ----------
        scores : array_like of shape (k,)
            On the pieces of the interval from left to right; larger is better. Entries beyond 2^40
            times 2 Delta/epsilon are cut to that.
        breaks : array_like of shape (k - 1,)
            Where a piece ends and the next begins: in [lower, upper], never falling. They may
            depend on the data, their number may not. A piece without length is never selected.
        lower, upper : float
            The interval's ends; public.
        sensitivity : float
            Delta > 0, the claimed largest change of the score at any point of the interval.
        epsilon : float
            Budget of this selection, > 0.
        records : slice or ndarray of int, optional
            As for :meth:`gaussian`.

        Returns
        -------
        float
            In [lower, upper).
        """
        sensitivity, epsilon = sizes(sensitivity, epsilon, "epsilon")
        lower = require_in_interval("lower", lower, -SCALES[1], SCALES[1])
        upper = require_in_interval("upper", upper, lower, SCALES[1])
        array, inner = vector("scores", scores), finite(owned(breaks))
        if inner.shape != (array.size - 1,):
            raise ParameterValueError(
                "breaks", f"be one fewer than the {array.size} scores", got=f"shape {inner.shape}"
            )
        starts = np.concatenate([[lower], inner])
        if (np.diff(starts, append=upper) < 0).any():
            raise ParameterValueError("breaks", f"be in [{lower!r}, {upper!r}] and never fall")
        mechanism = IntervalExponential(epsilon / (2 * sensitivity), lower, upper)
        reach = REACH / mechanism.rate
        value = np.stack([np.clip(array, -reach, reach), starts])
        return float(self._release(mechanism, value, claim_of(value, sensitivity, records=records)))

    def noisy_max(
        self,
        scores: ArrayLike,
        *,
        sensitivity: float,
        scale: float,
        excluded: Iterable[int] = (),
        records: RecordSelection = None,
    ) -> int:
        """Return the index of the largest score + Laplace(scale), outside ``excluded``.

        As by :meth:`exponential`, the rarest indices are never shown.

        Parameters
        ----------
        scores : array_like of shape (k,)
        sensitivity : float
            Claimed largest change of any score, > 0.
        scale : float
            Of the Laplace noise, > 0.
        excluded : iterable of int
            Candidates selected before, in [0, k); public.
        records : slice or ndarray of int, optional
            As for :meth:`gaussian`.

        Returns
        -------
        int
        """
        sensitivity, scale = sizes(sensitivity, scale)
        array = vector("scores", scores)
        out = tuple(
            require_count("excluded", index, at_least=0, at_most=array.size - 1)
            for index in listed("excluded", excluded, array.size)
        )
        if len(out) > array.size:
            raise ParameterValueError("excluded", f"name at most the {array.size} candidates")
        if len(set(out)) >= array.size:
            raise ValueError("every candidate is excluded; nothing is left to select")
        claim = claim_of(array, sensitivity, records=records)
        return int(self._release(NoisyMax(scale, out), array, claim))

    def peeling(
        self,
        value: ArrayLike,
        *,
        count: int,
        sensitivity: float,
        scale: float,
        records: RecordSelection = None,
    ) -> tuple[IntArray, FloatArray]:
        """Select ``count`` coordinates of largest |value| one by one, then release them.

        ``count`` rounds of :meth:`noisy_max` on |value|, then one scalar Laplace release for each
        selected coordinate, all of the same scale. Source: Zhang and Zhang (2021), Algorithm 1; Hu,
        Ni, Xiao and Wang (2022), Algorithm 4.

        Returns
        -------
        indices : ndarray of int, shape (count,)
            In the order of selection.
        values : ndarray of float, shape (count,)
        """
        sensitivity, scale = sizes(sensitivity, scale)
        array = vector("value", value)
        count = require_count("count", count, at_most=array.size)
        records = own_records(records)
        chosen: list[int] = []
        for _ in range(count):
            chosen.append(
                self.noisy_max(
                    np.abs(array),
                    sensitivity=sensitivity,
                    scale=scale,
                    excluded=tuple(chosen),
                    records=records,
                )
            )
        noisy = [
            float(self.laplace(array[j], sensitivity=sensitivity, scale=scale, records=records))
            for j in chosen
        ]
        return np.array(chosen), np.array(noisy)
