"""The live ledger: every kind of release, and the account of what they cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from os import getpid
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterTypeError,
    ParameterValueError,
    listed,
    real_array,
    require_between,
    require_choice,
    require_count,
    require_flag,
    require_in_interval,
    require_kind,
    require_positive,
)
from reference.privacy.filters import Filter
from reference.privacy.ledger.book import Book, RandomState
from reference.privacy.ledger.transcript import (
    MOST_APART,
    UNITS,
    Fixed,
    PublicEntry,
    RecordSelection,
    Release,
    ReleaseClaim,
    Subsample,
    SubsampleEntry,
    Unit,
    own_records,
    read_only,
    record_count,
    require_among,
)
from reference.privacy.mechanisms import (
    REACH,
    Bit,
    Exponential,
    Gaussian,
    IntervalExponential,
    L2BallRandomizer,
    Laplace,
    Mechanism,
    NoisyMax,
    Output,
    RandomizedResponse,
    SmoothSensitivity,
    SymmetricGaussian,
    SymmetricLaplace,
    Wishart,
)
from reference.privacy.mechanisms.mechanism import SMALLEST_PROBABILITY, require_representable

T = TypeVar("T")

_DOUBLE = np.dtype(np.float64)

SCALES = (1e-140, 1e140)
"""Of sensitivities, scales and budgets: all that is computed with two of them is a double, and so
is a value within the reach of noise, plus noise."""


class Ledger(Book):
    """A live ledger: draws the noise and remembers what every release cost.

    Parameters
    ----------
    seed : int, SeedSequence, BitGenerator, Generator or None
        Passed to :func:`numpy.random.default_rng`; ``None`` takes entropy from the system.

    limit : (epsilon, delta), optional
        No record, however the releases are chosen, bears more: one that could exceed it raises
        :class:`~reference.privacy.filters.LimitExceeded` before anything is drawn. A privacy filter
        (:mod:`reference.privacy.filters`), which counts no amplification by sampling; :attr:`left`
        is what may still be spent. A release per label, which protects no record, is refused.

    Raises
    ------
    TypeError
        When it is copied or pickled: a copy would repeat its noise, and what the copy spends would
        be lost. Other processes are given what :meth:`spawn` returns.
    RuntimeError
        When something is released, or the account asked for, in a process that has it by a fork.

    Examples
    --------
    >>> ledger = Ledger(7)
    >>> mean = ledger.gaussian([0.25], sensitivity=0.01, scale=0.05)
    >>> round(ledger.spent(delta=1e-5).epsilon, 3)
    0.726
    """

    def __init__(
        self, seed: RandomState = None, *, limit: tuple[float, float] | None = None
    ) -> None:
        super().__init__(seed)
        if limit is not None:
            require_kind("limit", limit, tuple, "a pair (epsilon, delta)")
            if len(limit) != 2:
                raise ParameterValueError("limit", "be a pair (epsilon, delta)", limit)
            self._filter = Filter(*limit)
        self._samples: dict[int, Subsample] = {}

    # ------------------------------------------------------------------ how a mode differs

    def _release(self, mechanism: Mechanism, value: FloatArray, claim: ReleaseClaim) -> Output:
        """Release a value of our own, which nobody else holds, under a claim of our own."""
        if getpid() != self._process:
            self._require_process()
        with self._lock:
            array = self._admitted(mechanism, value, claim)
            release = Release(mechanism, claim)
            if self._filter is not None:
                cost = release.cost().cost
                self._filter.charge(cost, self._numbers(claim.records), times=claim.attributes)
            # before anything is drawn, so that a signal handler which closes or sends the ledger in
            # the middle of this does so either with this release or without its noise
            self._entries.append(release)
            if self._closed:
                self._require_open()
            return mechanism.output(array, mechanism.draw(array, self._rng))

    def _admitted(self, mechanism: Mechanism, value: FloatArray, claim: ReleaseClaim) -> FloatArray:
        """Return the value of a release that may be made here; raise before anything is drawn."""
        if self._closed:
            self._require_open()
        array = within_reach(mechanism, value)
        if claim.records is not None or claim.sample is not None or self._block is not None:
            self._require_records(array, claim)
        return array

    def _require_records(self, array: FloatArray, claim: ReleaseClaim) -> None:
        """Raise unless the records that a release is charged to are as many as it reads."""
        records, sample = claim.records, claim.sample
        known = self._size if records is None else record_count(records)
        if records is not None:
            require_among(records, self._size)
        if sample is not None:
            position = sample.position
            if type(position) is not int or self._samples.get(position) is not sample:
                raise ParameterValueError("sample", "be what subsample() of this ledger returned")
            if records is not None and sample.population != known:
                raise ParameterValueError(
                    f"a sample of {sample.population} records",
                    "be charged to as many",
                    got=f"records={records!r}",
                )
            known = sample.size
        if claim.unit == "dataset" or known is None:
            return
        if array.shape[:1] != (known,):
            rows = array.shape[0] if array.ndim else "no"
            raise ParameterValueError(
                f"a release per {claim.unit} of {known} records", "have as many rows", got=f"{rows}"
            )

    def subsample(self, population: int, size: int, *, replace: bool = False) -> Subsample:
        """Draw ``size`` of ``population`` records uniformly, whatever the data.

        Amplification needs the indices secret: whoever learns whether a record was drawn has what
        the release costs without sampling. They must not be published, logged or be visible in
        the time a run takes; a transcript keeps them for the audit, and is not for publication.

        Parameters
        ----------
        population : int
            Number of records, >= 1.
        size : int
            Number of draws, from 1 to 10^8; at most ``population`` without replacement.
        replace : bool, default False
            Draw with replacement.

        Returns
        -------
        Subsample
            Pass it as ``sample=`` to every release computed from it.
        """
        replace = require_flag("replace", replace)
        population = require_count("population", population, at_most=self._size)
        size = require_count(
            "size", size, at_most=MOST_APART if replace else min(population, MOST_APART)
        )
        self._require_process()
        with self._lock:
            self._require_open()
            entry = self._draw_subsample(population, size, replace)
            self._entries.append(entry)
            position = len(self._entries) - 1
            while self._entries[position] is not entry:  # a signal handler released meanwhile
                position -= 1
            sample = Subsample(read_only(entry.indices()), population, replace, position)
            self._samples[position] = sample
            return sample

    def _draw_subsample(self, population: int, size: int, replace: bool) -> SubsampleEntry:
        base = self._rng.choice(population, size, replace=replace)
        return SubsampleEntry(population, size, replace, None, base, np.arange(size), 0)

    def public(self, draw: Callable[[np.random.Generator], T]) -> T:
        """Return ``draw(rng)``: randomness that is published and depends on no data.

        Examples
        --------
        >>> Ledger(0).public(lambda rng: int(rng.integers(10))) in range(10)
        True
        """
        if not callable(draw):
            raise ParameterTypeError(
                "draw", "be a function of a generator", got=f"{type(draw).__name__}"
            )
        self._require_process()
        with self._lock:
            self._require_open()
            value = draw(self._rng)
            self._entries.append(PublicEntry(fresh(value)))
        return value

    def note(self, fixed: Fixed) -> None:
        """Take note of what theory fixed for a run: a recording ledger keeps it."""

    def _another(self, rng: np.random.Generator) -> Ledger:
        if type(self) is not Ledger:
            raise TypeError(f"only a live Ledger spawns others, not a {type(self).__name__}")
        return Ledger(rng)

    # --------------------------------------------------------------------- release kinds

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
        sensitivity, scale = _sizes(sensitivity, scale)
        background = 0.0
        if background_sensitivity != 0:
            background = require_in_interval(
                "background_sensitivity", background_sensitivity, 0.0, sensitivity, closed=True
            )
        array = owned(value)
        return self._release(  # type: ignore[no-any-return]
            Gaussian(scale), array, _claim(array, sensitivity, unit, records, sample, background)
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
        sensitivity, scale = _sizes(sensitivity, scale)
        array = owned(value)
        return self._release(  # type: ignore[no-any-return]
            Laplace(scale), array, _claim(array, sensitivity, unit, records, sample)
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
        sensitivity, scale = _sizes(sensitivity, scale)
        variance = require_between("diagonal_variance", diagonal_variance, *SCALES)
        array = _symmetric(value)
        return self._release(  # type: ignore[no-any-return]
            SymmetricGaussian(scale, variance),
            array,
            _claim(array, sensitivity, unit, records, sample),
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
        sensitivity, scale = _sizes(sensitivity, scale)
        array = _symmetric(value)
        return self._release(  # type: ignore[no-any-return]
            SymmetricLaplace(scale), array, _claim(array, sensitivity, unit, records)
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
        sensitivity, scale = _sizes(sensitivity, scale)
        degrees = require_between("degrees", degrees, *SCALES)
        matrix = _symmetric(value)
        if matrix.ndim != 2 or matrix.size == 0:
            raise ValueError(f"a Wishart release must be one matrix, got shape {matrix.shape}")
        dimension = matrix.shape[-1]
        if degrees <= dimension - 1:
            raise ParameterValueError("degrees", f"be > d - 1 = {dimension - 1}", degrees)
        return self._release(  # type: ignore[no-any-return]
            Wishart(degrees, scale, dimension), matrix, _claim(matrix, sensitivity, records=records)
        )

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
        sensitivity, epsilon = _sizes(sensitivity, epsilon, "epsilon")
        mechanism = Exponential(epsilon / (2 * sensitivity))
        array = _vector("scores", scores)
        return int(self._release(mechanism, array, _claim(array, sensitivity, records=records)))

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
        sensitivity, epsilon = _sizes(sensitivity, epsilon, "epsilon")
        array = finite(owned(scores))
        if array.ndim != 2 or array.size == 0:
            raise ParameterValueError(
                "scores", "have a row for every user", got=f"shape {array.shape}"
            )
        return self._release(  # type: ignore[no-any-return]
            Exponential(epsilon / (2 * sensitivity)),
            array,
            _claim(array, sensitivity, "record", records),
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
        sensitivity, epsilon = _sizes(sensitivity, epsilon, "epsilon")
        lower = require_in_interval("lower", lower, -SCALES[1], SCALES[1])
        upper = require_in_interval("upper", upper, lower, SCALES[1])
        array, inner = _vector("scores", scores), finite(owned(breaks))
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
        return float(self._release(mechanism, value, _claim(value, sensitivity, records=records)))

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
        sensitivity, scale = _sizes(sensitivity, scale)
        array = _vector("scores", scores)
        out = tuple(
            require_count("excluded", index, at_least=0, at_most=array.size - 1)
            for index in listed("excluded", excluded, array.size)
        )
        if len(out) > array.size:
            raise ParameterValueError("excluded", f"name at most the {array.size} candidates")
        if len(set(out)) >= array.size:
            raise ValueError("every candidate is excluded; nothing is left to select")
        claim = _claim(array, sensitivity, records=records)
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
        sensitivity, scale = _sizes(sensitivity, scale)
        array = _vector("value", value)
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

    def randomized_response(
        self,
        value: ArrayLike,
        *,
        epsilon: float,
        categories: int = 2,
        answers: int = 1,
        unit: Unit = "record",
        records: RecordSelection = None,
    ) -> IntArray:
        """Flip every answer (an integer in [0, categories)) at budget ``epsilon``.

        ``epsilon`` is at most 27.6: a coin of doubles cannot lie more rarely than 1e-12. With more
        than two categories the cost is a little more than ``epsilon``, by 1e-14 as a rule: see
        :class:`~reference.privacy.mechanisms.RandomizedResponse`.
        ``answers`` is the number of answers of one unit that may differ between neighbours; the
        release costs ``answers * epsilon``.
        """
        answers = require_count("answers", answers)
        epsilon = require_between("epsilon", epsilon, *SCALES)
        categories = require_count("categories", categories, at_least=2)
        array = _categorical(value, categories)
        return self._release(  # type: ignore[no-any-return]
            RandomizedResponse(epsilon, categories),
            array,
            _claim(array, float(answers), unit, records),
        )

    def unary(
        self, value: ArrayLike, *, categories: int, epsilon: float, records: RecordSelection = None
    ) -> IntArray:
        """One-hot encode each user's category and flip every bit at budget epsilon/2.

        Returns
        -------
        ndarray of int, shape (n, categories)
        """
        epsilon = require_between("epsilon", epsilon, *SCALES)
        categories = require_count("categories", categories, at_least=2)
        labels = _categorical(value, categories)
        one_hot = (labels[..., None] == np.arange(categories)).astype(np.float64)
        return self.randomized_response(
            one_hot, epsilon=epsilon / 2, answers=2, unit="record", records=records
        )

    def bit(
        self,
        probability: ArrayLike,
        *,
        epsilon: float,
        unit: Unit = "record",
        records: RecordSelection = None,
    ) -> IntArray:
        """Release one bit per unit, one with the unit's ``probability``.

        ``epsilon`` is the claimed bound on the log-ratio of either bit value between neighbours, at
        most 27.6. Probabilities are cut to [1e-12, 1 - 1e-12], within which a coin of doubles shows
        both values; that brings no two of them farther apart. The coin shows a probability p as the
        next multiple of 2^-53, so that the log-ratio may exceed the claim by 2^-53/p: by 1.2e-4 at
        1e-12. That is not charged.
        """
        epsilon = require_between("epsilon", epsilon, *SCALES)
        require_representable(epsilon)
        array = owned(probability, "probability")
        if not ((array >= 0) & (array <= 1)).all():
            raise ParameterValueError("probability", "lie in [0, 1]")
        cut = np.clip(array, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
        return self._release(  # type: ignore[no-any-return]
            Bit(), cut, _claim(array, epsilon, unit, records)
        )

    def l2_ball(
        self, value: ArrayLike, *, radius: float, epsilon: float, records: RecordSelection = None
    ) -> FloatArray:
        """Randomise one vector per user (axis 0), of norm at most ``radius``; unbiased."""
        radius = require_positive("radius", radius)
        epsilon = require_between("epsilon", epsilon, *SCALES)
        array = owned(value, "value")
        if array.ndim != 2 or array.shape[1] == 0:
            raise ParameterValueError(
                "value", "have one vector per user", got=f"shape {array.shape}"
            )
        # what is far outside is cut to where its square is a double
        array = np.clip(finite(array), -REACH * radius, REACH * radius)
        return self._release(  # type: ignore[no-any-return]
            L2BallRandomizer(radius, epsilon), array, _claim(array, 1.0, "record", records)
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
            _claim(array, 1.0, records=records),
        )


def open_ledger(ledger: Ledger | None) -> Ledger:
    """Return ``ledger``, or a fresh live one if it is ``None``.

    Raises
    ------
    TypeError
        If it is anything else, such as a bare seed.
    """
    if ledger is None:
        return Ledger()
    if not isinstance(ledger, Ledger):
        raise ParameterTypeError(
            "ledger", "be a Ledger (e.g. Ledger(seed)) or None", got=f"{type(ledger).__name__}"
        )
    return ledger


# ------------------------------------------------------------------------------- helpers


def _sizes(sensitivity: float, scale: float, name: str = "scale") -> tuple[float, float]:
    """Return a sensitivity and a scale or budget as plain floats in :data:`SCALES`, or raise."""
    return (
        require_between("sensitivity", sensitivity, *SCALES),
        require_between(name, scale, *SCALES),
    )


def _claim(
    array: FloatArray,
    sensitivity: float,
    unit: Unit = "dataset",
    records: RecordSelection = None,
    sample: Subsample | None = None,
    background_sensitivity: float = 0.0,
) -> ReleaseClaim:
    """Return the claim of a release of our own array, which says how many attributes it has."""
    own: Unit = require_choice("unit", unit, UNITS)
    if sample is not None:
        require_kind("sample", sample, Subsample, "what subsample() of this ledger returned")
    return ReleaseClaim(
        sensitivity,
        own,
        None if records is None else own_records(records),
        sample,
        background_sensitivity,
        attributes_of(array, own) if own == "attribute" else 1,
    )


def attributes_of(array: FloatArray, unit: Unit) -> int:
    """Return how many attributes of a record bear a release: more than 1 only if one each."""
    if unit != "attribute":
        return 1
    if array.ndim < 2:
        raise ValueError(f"a release per attribute needs records and attributes, got {array.shape}")
    # of nobody, or with nothing in them, all cost no more than one
    return int(array.shape[1]) if array.size else 1


def owned(value: ArrayLike, name: str = "a release") -> FloatArray:
    """Return a value that is to be released as an array of our own: read once, held by nobody."""
    if type(value) is np.ndarray and value.dtype is _DOUBLE:  # what nearly every call is
        return value.copy()
    return real_array(name, value).copy()


def finite(array: FloatArray) -> FloatArray:
    """Return an array that is to be released; refuse one that is not finite."""
    # counting is several times faster than .all() on a short vector
    if np.count_nonzero(np.isfinite(array)) < array.size:
        raise ValueError("a release must be finite, got NaN or infinity")
    return array


def within_reach(mechanism: Mechanism, array: FloatArray) -> FloatArray:
    """Return a value that is to be released, cut to where the noise is more than rounding.

    Whether and where depends on the mechanism alone: to refuse would tell the data. Cutting brings
    no two values farther apart in any norm of a sensitivity but the spectral one.
    """
    reach = mechanism.reach
    # one sum of squares tells in one step of all entries that they are finite and near enough; of
    # the ways to have it this one is silent where squares are no doubles
    if not np.vdot(array, array) < reach * reach:
        array = np.clip(finite(array), -reach, reach)
    return array


def _vector(name: str, value: ArrayLike) -> FloatArray:
    array = finite(owned(value))
    if array.ndim != 1 or array.size == 0:
        raise ParameterValueError(name, "be a non-empty vector", got=f"shape {array.shape}")
    return array


def _categorical(value: ArrayLike, categories: int) -> FloatArray:
    array = finite(owned(value))
    if not ((array >= 0) & (array < categories) & (array == np.floor(array))).all():
        raise ParameterValueError("answers", f"be integers in [0, {categories})")
    return array


def _symmetric(value: ArrayLike) -> FloatArray:
    array = finite(owned(value))
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise ValueError(f"a symmetric release must be square, got shape {array.shape}")
    if not np.allclose(array, np.swapaxes(array, -1, -2)):
        raise ValueError("a symmetric release must be symmetric")
    # the noise is symmetric: the rounding in which the triangles differ would come out bare
    upper = np.triu(array)
    symmetric: FloatArray = upper + np.swapaxes(np.triu(array, 1), -1, -2)
    return symmetric


def fresh(output: Output) -> Output:
    """Copy, so that an algorithm that updates in place cannot change the transcript."""
    return output.copy() if isinstance(output, np.ndarray) else deepcopy(output)
