"""The ledger: the single door through which private data is released.

An algorithm touches its data freely and calls the ledger for every number that leaves it. What
the ledger does with a release depends on its mode:

===================  ====================================================================
live                 draw noise and return the noisy value (``Ledger(seed)``)
recording            the same, and keep a transcript (``RecordingLedger(seed)``)
replaying            return the outputs of a transcript and keep the new values
                     (``ReplayLedger(transcript)``)
given draws          use a list of standardised draws (``GivenDrawsLedger(draws)``)
noiseless            return the values themselves (``NoiselessLedger()``)
mutated              change every release before it is made (``MutatedLedger(inner, change)``)
===================  ====================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference._validation import (
    FloatArray,
    IntArray,
    require_count,
    require_in_interval,
    require_positive,
)
from reference.privacy import accounting
from reference.privacy.mechanisms import (
    Bit,
    Cost,
    Draw,
    Exponential,
    Gaussian,
    L2Ball,
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

Unit = Literal["dataset", "record", "attribute"]
Records = slice | NDArray[np.int64] | None
RandomState = int | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator | None
T = TypeVar("T")

_AXES: dict[str, int] = {"dataset": 0, "record": 1, "attribute": 2}


class ControlFlowError(ValueError):
    """A replay on neighbouring data did not make the releases of the transcript.

    Attributes
    ----------
    position : int
        Index of the first entry that differs.
    """

    def __init__(self, position: int, message: str) -> None:
        super().__init__(f"entry {position}: {message}")
        self.position = position


@dataclass(frozen=True, slots=True)
class Subsample:
    """A data-independent draw of records; outputs computed from it carry it as ``sample``.

    Attributes
    ----------
    indices : ndarray of int, shape (size,)
        The records drawn.
    population : int
        Number of records drawn from.
    replace : bool
        With or without replacement.
    position : int
        Index of the draw in the transcript.
    """

    indices: IntArray
    population: int
    replace: bool
    position: int

    @property
    def size(self) -> int:
        """Number of draws."""
        return int(self.indices.size)


class Release(NamedTuple):
    """One release: what the paper states about it, and (when recorded) what happened.

    Attributes
    ----------
    mechanism : Mechanism
        Randomiser with its scale.
    sensitivity : float
        Claimed sensitivity in the mechanism's norm, per unit; with a subsample, whatever the
        sample (with replacement: however often the record is in it).
    unit : {"dataset", "record", "attribute"}
        Whether the value is one statement about the data set, or one per record (axis 0) or per
        record and attribute (axes 0 and 1).
    records : slice, ndarray of int or None
        Records that were read; ``None`` means all.
    sample : Subsample or None
        The subsample the value was computed from.
    background_sensitivity : float
        For a sampled release: the part of the sensitivity that remains when the record is not in
        the sample.
    value, draw, output
        ``None`` unless the ledger records.
    """

    mechanism: Mechanism
    sensitivity: float
    unit: Unit
    records: Records
    sample: Subsample | None
    background_sensitivity: float
    value: FloatArray | None = None
    draw: Draw = None
    output: Output = None

    @property
    def axes(self) -> int:
        """Number of leading axes of the value that index units."""
        return _AXES[self.unit]

    def cost(self) -> accounting.Charge:
        """Return what the release costs a record it reads; nothing bounds a noiseless one."""
        sample = self.sample
        noiseless = math.isinf(self.sensitivity)
        cost = Cost() if noiseless else self.mechanism.cost(self.sensitivity)
        if sample is None:
            return accounting.Charge(cost)
        return accounting.Charge(
            cost,
            accounting.Sampling(
                sample.population,
                sample.size,
                sample.replace,
                self.mechanism,
                self.sensitivity,
                self.background_sensitivity,
                sample.position,
            ),
        )


@dataclass(frozen=True, slots=True)
class SubsampleEntry:
    """How a subsample was drawn relative to a target record.

    ``base`` is a draw that avoids the target, ``order`` a random order of its positions and
    ``count`` how many of them the target takes. Given ``base`` and ``order``, the only secret
    left is ``count``: the privacy loss is that of a mixture over it.
    """

    population: int
    size: int
    replace: bool
    target: int | None
    base: IntArray
    order: IntArray
    count: int

    def indices(self, count: int | None = None) -> IntArray:
        """Return the sample in which the target takes ``count`` positions."""
        chosen = self.base.copy()
        if self.target is None:
            return chosen
        chosen[self.order[: self.count if count is None else count]] = self.target
        return chosen

    def count_probabilities(self) -> FloatArray:
        """Probability that the target takes 0, 1, ..., size positions."""
        if not self.replace:
            q = self.size / self.population
            return np.array([1 - q, q])
        k = np.arange(self.size + 1)
        q = 1 / self.population
        log_choose = np.array(
            [
                math.lgamma(self.size + 1) - math.lgamma(j + 1) - math.lgamma(self.size - j + 1)
                for j in k
            ]
        )
        return np.asarray(np.exp(log_choose + k * math.log(q) + (self.size - k) * math.log1p(-q)))


@dataclass(frozen=True, slots=True)
class PublicEntry:
    """A public, data-independent random quantity."""

    value: Any


Entry = Release | SubsampleEntry | PublicEntry


@dataclass(frozen=True)
class Transcript:
    """Everything that went through a recording ledger, in order."""

    entries: tuple[Entry, ...]

    @property
    def releases(self) -> tuple[Release, ...]:
        """The releases alone."""
        return tuple(entry for entry in self.entries if isinstance(entry, Release))

    @property
    def charges(self) -> list[tuple[accounting.Charge, Records]]:
        """What every release costs a record that it reads, and which records it reads."""
        return [(release.cost(), release.records) for release in self.releases]

    @property
    def draws(self) -> tuple[Any, ...]:
        """Standardised draws, subsample indices and public values, in order.

        Feeding them to :class:`GivenDrawsLedger` reproduces the run.
        """
        return tuple(_given(entry) for entry in self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def _given(entry: Entry) -> Any:
    if isinstance(entry, Release):
        return entry.draw
    return entry.indices() if isinstance(entry, SubsampleEntry) else entry.value


class Ledger:
    """A live ledger: draws the noise and remembers what every release cost.

    Parameters
    ----------
    seed : int, SeedSequence, BitGenerator, Generator or None
        Passed to :func:`numpy.random.default_rng`; ``None`` takes entropy from the system.

    Examples
    --------
    >>> ledger = Ledger(7)
    >>> mean = ledger.gaussian([0.25], sensitivity=0.01, scale=0.05)
    >>> round(ledger.spent(delta=1e-5).epsilon, 3)
    0.726
    """

    def __init__(self, seed: RandomState = None) -> None:
        self._rng = np.random.default_rng(seed)
        self._entries: list[Entry] = []

    # ------------------------------------------------------------------ how a mode differs

    def _release(
        self,
        mechanism: Mechanism,
        value: ArrayLike,
        sensitivity: float,
        unit: Unit,
        records: Records,
        sample: Subsample | None,
        background_sensitivity: float = 0.0,
    ) -> Output:
        array = _finite(value)
        output = mechanism.output(array, mechanism.draw(array, self._rng))
        self._entries.append(
            Release(mechanism, sensitivity, unit, records, sample, background_sensitivity)
        )
        return output

    def subsample(self, population: int, size: int, *, replace: bool = False) -> Subsample:
        """Draw ``size`` of ``population`` records uniformly; public but for the accountant.

        Parameters
        ----------
        population : int
            Number of records, >= 1.
        size : int
            Number of draws, >= 1; at most ``population`` without replacement.
        replace : bool, default False
            Draw with replacement.

        Returns
        -------
        Subsample
            Pass it as ``sample=`` to every release computed from it.
        """
        require_count("population", population)
        require_count("size", size, at_most=None if replace else population)
        position = len(self._entries)
        entry = self._draw_subsample(population, size, replace)
        self._entries.append(entry)
        return Subsample(entry.indices(), population, replace, position)

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
        value = draw(self._rng)
        self._entries.append(PublicEntry(_fresh(value)))
        return value

    # --------------------------------------------------------------------- release kinds

    def gaussian(
        self,
        value: ArrayLike,
        *,
        sensitivity: float,
        scale: float,
        unit: Unit = "dataset",
        records: Records = None,
        sample: Subsample | None = None,
        background_sensitivity: float = 0.0,
    ) -> FloatArray:
        """Release ``value`` + N(0, scale^2) per coordinate.

        Parameters
        ----------
        value : array_like
            The private statistic; with ``unit="record"`` one row per user.
        sensitivity : float
            Claimed l2 sensitivity (per unit), > 0.
        scale : float
            Standard deviation of the noise, > 0.
        unit : {"dataset", "record", "attribute"}
            What one unit of privacy is in ``value``.
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
        _check(sensitivity, scale, records)
        if background_sensitivity and not 0 < background_sensitivity <= sensitivity:
            raise ValueError(
                f"background_sensitivity must be in [0, {sensitivity!r}], "
                f"got {background_sensitivity!r}"
            )
        return self._release(  # type: ignore[no-any-return]
            Gaussian(scale), value, sensitivity, unit, records, sample, background_sensitivity
        )

    def laplace(
        self,
        value: ArrayLike,
        *,
        sensitivity: float,
        scale: float,
        unit: Unit = "dataset",
        records: Records = None,
        sample: Subsample | None = None,
    ) -> FloatArray:
        """Release ``value`` + Laplace(scale) per coordinate; l1 sensitivity.

        Parameters are those of :meth:`gaussian`.
        """
        _check(sensitivity, scale, records)
        return self._release(  # type: ignore[no-any-return]
            Laplace(scale), value, sensitivity, unit, records, sample
        )

    def symmetric_gaussian(
        self,
        value: ArrayLike,
        *,
        sensitivity: float,
        scale: float,
        diagonal_variance: float = 1.0,
        unit: Unit = "dataset",
        records: Records = None,
    ) -> FloatArray:
        """Release symmetric matrices with Gaussian noise drawn on the upper triangle.

        ``sensitivity`` is the l2 norm of the upper triangle in units where an off-diagonal entry
        counts once and a diagonal one 1/sqrt(diagonal_variance).
        """
        _check(sensitivity, scale, records)
        require_positive("diagonal_variance", diagonal_variance)
        return self._release(  # type: ignore[no-any-return]
            SymmetricGaussian(scale, diagonal_variance),
            _symmetric(value),
            sensitivity,
            unit,
            records,
            None,
        )

    def symmetric_laplace(
        self,
        value: ArrayLike,
        *,
        sensitivity: float,
        scale: float,
        unit: Unit = "dataset",
        records: Records = None,
    ) -> FloatArray:
        """Release symmetric matrices with Laplace noise on the upper triangle; l1 of it."""
        _check(sensitivity, scale, records)
        return self._release(  # type: ignore[no-any-return]
            SymmetricLaplace(scale), _symmetric(value), sensitivity, unit, records, None
        )

    def wishart(
        self,
        value: ArrayLike,
        *,
        sensitivity: float,
        degrees: float,
        scale: float,
        records: Records = None,
    ) -> FloatArray:
        """Release a symmetric matrix + W_d(degrees, scale I); spectral-norm sensitivity.

        The accountant knows the cost for ``degrees`` = d + 1 and values that change by
        ``sensitivity`` (v v' - w w') with |v|, |w| <= 1 only; any other counts as unbounded.
        """
        _check(sensitivity, scale, records)
        matrix = _symmetric(value)
        dimension = matrix.shape[-1]
        if not dimension - 1 < degrees < math.inf:
            raise ValueError(f"degrees must be > d - 1 = {dimension - 1}, got {degrees!r}")
        return self._release(  # type: ignore[no-any-return]
            Wishart(degrees, scale, dimension), matrix, sensitivity, "dataset", records, None
        )

    def exponential(
        self,
        scores: ArrayLike,
        *,
        sensitivity: float,
        epsilon: float,
        records: Records = None,
    ) -> int:
        """Select an index with probability proportional to exp(epsilon score/(2 sensitivity)).

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
        _check(sensitivity, epsilon, records, "epsilon")
        mechanism = Exponential(epsilon / (2 * sensitivity))
        array = _vector("scores", scores)
        return int(self._release(mechanism, array, sensitivity, "dataset", records, None))

    def noisy_max(
        self,
        scores: ArrayLike,
        *,
        sensitivity: float,
        scale: float,
        excluded: Sequence[int] = (),
        records: Records = None,
    ) -> int:
        """Return the index of the largest score + Laplace(scale), outside ``excluded``.

        Parameters
        ----------
        scores : array_like of shape (k,)
        sensitivity : float
            Claimed largest change of any score, > 0.
        scale : float
            Of the Laplace noise, > 0.
        excluded : sequence of int
            Candidates selected before, in [0, k); public.
        records : slice or ndarray of int, optional
            As for :meth:`gaussian`.

        Returns
        -------
        int
        """
        _check(sensitivity, scale, records)
        array = _vector("scores", scores)
        if not all(0 <= index < array.size for index in excluded):
            raise ValueError(f"excluded must be in [0, {array.size}), got {tuple(excluded)!r}")
        if len(set(excluded)) >= array.size:
            raise ValueError("every candidate is excluded; nothing is left to select")
        mechanism = NoisyMax(scale, tuple(excluded))
        return int(self._release(mechanism, array, sensitivity, "dataset", records, None))

    def peeling(
        self,
        value: ArrayLike,
        *,
        count: int,
        sensitivity: float,
        scale: float,
        records: Records = None,
    ) -> tuple[IntArray, FloatArray]:
        """Select ``count`` coordinates of largest |value| one by one, then release them.

        ``count`` rounds of :meth:`noisy_max` on |value|, then one scalar Laplace release for each
        selected coordinate, all of the same scale. Source: seed 002, Algorithm 1; seed 003,
        Algorithm 4.

        Returns
        -------
        indices : ndarray of int, shape (count,)
            In the order of selection.
        values : ndarray of float, shape (count,)
        """
        array = _vector("value", value)
        require_count("count", count, at_most=array.size)
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
        records: Records = None,
    ) -> IntArray:
        """Flip every answer (an integer in [0, categories)) at budget ``epsilon``.

        ``answers`` is the number of answers of one unit that may differ between neighbours; the
        release costs ``answers * epsilon``.
        """
        require_count("answers", answers)
        _check(1.0, epsilon, records, "epsilon")
        require_count("categories", categories, at_least=2)
        return self._release(  # type: ignore[no-any-return]
            RandomizedResponse(epsilon, categories),
            _categorical(value, categories),
            float(answers),
            unit,
            records,
            None,
        )

    def unary(
        self, value: ArrayLike, *, categories: int, epsilon: float, records: Records = None
    ) -> IntArray:
        """One-hot encode each user's category and flip every bit at budget epsilon/2.

        Returns
        -------
        ndarray of int, shape (n, categories)
        """
        require_count("categories", categories, at_least=2)
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
        records: Records = None,
    ) -> IntArray:
        """Release one bit per unit, one with the unit's ``probability``.

        ``epsilon`` is the claimed bound on the log-ratio of either bit value between neighbours.
        """
        _check(1.0, epsilon, records, "epsilon")
        array = np.asarray(probability, dtype=np.float64)
        if not ((array >= 0) & (array <= 1)).all():
            raise ValueError("probability must lie in [0, 1]")
        return self._release(  # type: ignore[no-any-return]
            Bit(), array, epsilon, unit, records, None
        )

    def l2_ball(
        self, value: ArrayLike, *, radius: float, epsilon: float, records: Records = None
    ) -> FloatArray:
        """Randomise one vector per user (axis 0), of norm at most ``radius``; unbiased."""
        require_positive("radius", radius)
        _check(1.0, epsilon, records, "epsilon")
        array = np.asarray(value, dtype=np.float64)
        if array.ndim != 2:
            raise ValueError(f"value must have one vector per user, got shape {array.shape}")
        return self._release(  # type: ignore[no-any-return]
            L2Ball(radius, epsilon), array, 1.0, "record", records, None
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
        records: Records = None,
    ) -> FloatArray:
        """Release ``value`` + (smooth_bound/divisor) * noise with a data-dependent scale.

        Parameters
        ----------
        value : array_like
        smooth_bound : float
            S(D) > 0, claimed to be a ``smoothness``-smooth upper bound on the local sensitivity.
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
        require_positive("smooth_bound", smooth_bound)
        require_positive("smoothness", smoothness)
        if (rho is None) == (epsilon is None):
            raise ValueError("give exactly one of rho= and epsilon=")
        if rho is not None:
            require_positive("rho", rho)
        _check(1.0, divisor, records, "divisor")
        if noise not in ("arsinh-normal", "gaussian"):
            raise ValueError(f"noise must be 'arsinh-normal' or 'gaussian', got {noise!r}")
        if epsilon is not None:
            require_in_interval("epsilon", epsilon, 0.0, 100.0)
            if noise != "gaussian":
                raise ValueError(f"only Gaussian noise has a cost at one epsilon, not {noise}")
        mechanism = SmoothSensitivity(
            smooth_bound,
            smoothness,
            divisor,
            math.inf if rho is None else rho,
            noise,
            epsilon,
            np.size(value),
        )
        return self._release(  # type: ignore[no-any-return]
            mechanism, value, 1.0, "dataset", records, None
        )

    # ------------------------------------------------------------------------- accounting

    @property
    def transcript(self) -> Transcript:
        """The entries so far (values and outputs only when recorded)."""
        return Transcript(tuple(self._entries))

    def spent(
        self, *, delta: float | None = None, epsilon: float | None = None
    ) -> accounting.Spent:
        """Return what the releases so far cost the worst record.

        Parameters
        ----------
        delta : float, optional
            In [0, 1): return the smallest certified epsilon at this delta.
        epsilon : float, optional
            >= 0: return the smallest certified delta at this epsilon. Give exactly one.

        Returns
        -------
        Spent
            With fields ``epsilon``, ``delta`` and ``method``.
        """
        return accounting.spent(self.transcript.charges, delta=delta, epsilon=epsilon)


class RecordingLedger(Ledger):
    """A live ledger that keeps every value, draw and output.

    Parameters
    ----------
    seed : int, SeedSequence, BitGenerator, Generator or None
    target : int, optional
        Index of the record that will be replaced in a replay: subsamples are then drawn so that
        a replay can put the record in or take it out.
    """

    def __init__(self, seed: RandomState = None, *, target: int | None = None) -> None:
        super().__init__(seed)
        self._target = target

    def _release(
        self,
        mechanism: Mechanism,
        value: ArrayLike,
        sensitivity: float,
        unit: Unit,
        records: Records,
        sample: Subsample | None,
        background_sensitivity: float = 0.0,
    ) -> Output:
        array = _finite(value).copy()
        draw = self._next_draw(mechanism, array)
        output = mechanism.output(array, draw)
        self._entries.append(
            Release(
                mechanism,
                sensitivity,
                unit,
                records,
                sample,
                background_sensitivity,
                array,
                draw,
                output,
            )
        )
        return _fresh(output)

    def _next_draw(self, mechanism: Mechanism, value: FloatArray) -> Draw:
        return mechanism.draw(value, self._rng)

    def _draw_subsample(self, population: int, size: int, replace: bool) -> SubsampleEntry:
        target = self._target
        # a record outside the population is never drawn
        if target is None or population == 1 or target >= population:
            return super()._draw_subsample(population, size, replace)
        if replace:
            base = self._rng.integers(population - 1, size=size)
            count = int(self._rng.binomial(size, 1 / population))
        else:
            if size == population:
                raise ValueError("a subsample of everybody is no subsample; drop it")
            base = self._rng.choice(population - 1, size, replace=False)
            count = int(self._rng.random() < size / population)
        base = base + (base >= target)  # the records other than the target
        order = self._rng.permutation(size)
        return SubsampleEntry(population, size, replace, target, base, order, count)


class ReplayLedger(Ledger):
    """Return the outputs of a transcript, whatever the data, and keep the new values.

    Parameters
    ----------
    transcript : Transcript
        From a :class:`RecordingLedger`.
    count : int, optional
        Force the target record into this many positions of every subsample (see
        :class:`SubsampleEntry`). Default: as recorded.

    Raises
    ------
    ControlFlowError
        As soon as a release differs from the transcript in kind, shape, claimed sensitivity,
        public parameters, unit or records.
    """

    def __init__(self, transcript: Transcript, *, count: int | None = None) -> None:
        super().__init__(0)
        self._script = transcript
        self._count = count

    def _next(self, kind: str) -> Entry:
        position = len(self._entries)
        if position >= len(self._script):
            raise ControlFlowError(position, f"an extra {kind}; the transcript has ended")
        return self._script.entries[position]

    def _release(
        self,
        mechanism: Mechanism,
        value: ArrayLike,
        sensitivity: float,
        unit: Unit,
        records: Records,
        sample: Subsample | None,
        background_sensitivity: float = 0.0,
    ) -> Output:
        old = self._next(f"{mechanism.kind} release")
        position = len(self._entries)
        array = _finite(value).copy()
        if not isinstance(old, Release):
            raise ControlFlowError(position, f"a {mechanism.kind} release instead of {old!r}")
        if old.value is None:
            raise ValueError("the transcript was not recorded; use RecordingLedger")
        _compare(position, "kind", old.mechanism.kind, mechanism.kind)
        _compare(position, "shape", old.value.shape, array.shape)
        _compare(position, "claimed sensitivity", old.sensitivity, sensitivity)
        _compare(
            position,
            "parameters",
            old.mechanism.public_parameters(),
            mechanism.public_parameters(),
        )
        _compare(position, "unit", old.unit, unit)
        _compare(position, "records", _listed(old.records), _listed(records))
        _compare(
            position,
            "subsample",
            old.sample and (old.sample.position, old.background_sensitivity),
            sample and (sample.position, background_sensitivity),
        )
        self._entries.append(
            Release(
                mechanism,
                sensitivity,
                unit,
                records,
                sample,
                background_sensitivity,
                array,
                old.draw,
                old.output,
            )
        )
        return _fresh(old.output)

    def subsample(self, population: int, size: int, *, replace: bool = False) -> Subsample:
        """Return the recorded subsample, with the target forced in or out if asked."""
        old = self._next("subsample")
        position = len(self._entries)
        if not isinstance(old, SubsampleEntry):
            raise ControlFlowError(position, f"a subsample instead of {type(old).__name__}")
        _compare(
            position,
            "subsample",
            (old.population, old.size, old.replace),
            (population, size, replace),
        )
        self._entries.append(old)
        return Subsample(old.indices(self._count), population, replace, position)

    def public(self, draw: Callable[[np.random.Generator], T]) -> T:
        """Return the recorded public value."""
        del draw
        old = self._next("public draw")
        if not isinstance(old, PublicEntry):
            raise ControlFlowError(
                len(self._entries), f"a public draw instead of {type(old).__name__}"
            )
        self._entries.append(old)
        return _fresh(old.value)  # type: ignore[no-any-return]

    def finish(self) -> Transcript:
        """Return the replayed transcript; raise if releases of the script were not made."""
        if len(self._entries) != len(self._script):
            raise ControlFlowError(
                len(self._entries),
                f"the run ended after {len(self._entries)} of {len(self._script)} entries",
            )
        return self.transcript


class GivenDrawsLedger(RecordingLedger):
    """Use given standardised draws, in order (conformance vectors).

    Parameters
    ----------
    draws : iterable
        As in :attr:`Transcript.draws`.
    """

    def __init__(self, draws: Iterable[Any]) -> None:
        super().__init__(0)
        self._draws = iter(tuple(draws))

    def _take(self, what: str) -> Any:
        try:
            return next(self._draws)
        except StopIteration:
            raise ValueError(f"no draw left for {what} at entry {len(self._entries)}") from None

    def _next_draw(self, mechanism: Mechanism, value: FloatArray) -> Draw:
        position = len(self._entries)
        given = self._take(f"a {mechanism.kind} release")
        like = mechanism.draw(value, self._rng)  # for its shape only
        if isinstance(like, tuple):
            if len(given) != len(like):
                raise ValueError(f"entry {position}: expected {len(like)} arrays of draws")
            return tuple(_shaped(position, *pair) for pair in zip(given, like, strict=True))
        return _shaped(position, given, like)

    def _draw_subsample(self, population: int, size: int, replace: bool) -> SubsampleEntry:
        base = np.asarray(self._take("a subsample"), dtype=np.int64)
        if base.shape != (size,):
            raise ValueError(f"a subsample of size {size} was given {base.shape} indices")
        return SubsampleEntry(population, size, replace, None, base, np.arange(size), 0)

    def public(self, draw: Callable[[np.random.Generator], T]) -> T:
        """Return the given public value."""
        del draw
        value: T = self._take("a public draw")
        self._entries.append(PublicEntry(_fresh(value)))
        return value


class NoiselessLedger(Ledger):
    """Return every value itself: the non-private algorithm. Subsamples are still drawn.

    ``spent`` is infinite.
    """

    def _release(
        self,
        mechanism: Mechanism,
        value: ArrayLike,
        sensitivity: float,
        unit: Unit,
        records: Records,
        sample: Subsample | None,
        background_sensitivity: float = 0.0,
    ) -> Output:
        self._entries.append(
            Release(mechanism, math.inf, unit, records, sample, background_sensitivity)
        )
        return mechanism.noiseless(_finite(value))


Request = tuple[Mechanism, FloatArray, float]


class MutatedLedger(Ledger):
    """Change every release before handing it to another ledger: how mutants are made.

    Parameters
    ----------
    inner : Ledger
        Where the changed releases go.
    change : callable
        ``change(position, mechanism, value, sensitivity) -> (mechanism, value, sensitivity)``
        where ``position`` counts releases.
    repeat : int, default 1
        Make every release this many times and return the last.
    """

    def __init__(
        self,
        inner: Ledger,
        change: Callable[[int, Mechanism, FloatArray, float], Request],
        *,
        repeat: int = 1,
    ) -> None:
        super().__init__(0)
        self._inner = inner
        self._change = change
        self._repeat = repeat
        self._made = 0

    def _release(
        self,
        mechanism: Mechanism,
        value: ArrayLike,
        sensitivity: float,
        unit: Unit,
        records: Records,
        sample: Subsample | None,
        background_sensitivity: float = 0.0,
    ) -> Output:
        changed = self._change(self._made, mechanism, _finite(value), sensitivity)
        self._made += 1
        for _ in range(self._repeat):
            output = self._inner._release(*changed, unit, records, sample, background_sensitivity)
        return output

    def subsample(self, population: int, size: int, *, replace: bool = False) -> Subsample:
        """Draw from the inner ledger."""
        return self._inner.subsample(population, size, replace=replace)

    def public(self, draw: Callable[[np.random.Generator], T]) -> T:
        """Draw from the inner ledger."""
        return self._inner.public(draw)

    @property
    def transcript(self) -> Transcript:
        """The inner ledger's transcript."""
        return self._inner.transcript

    def spent(
        self, *, delta: float | None = None, epsilon: float | None = None
    ) -> accounting.Spent:
        """Return the inner ledger's account."""
        return self._inner.spent(delta=delta, epsilon=epsilon)


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
        raise TypeError(f"ledger must be a Ledger (e.g. Ledger(seed)) or None, got {ledger!r}")
    return ledger


# ------------------------------------------------------------------------------- helpers


def _check(sensitivity: float, scale: float, records: Records, name: str = "scale") -> None:
    if not 0 < sensitivity < math.inf:
        raise ValueError(f"sensitivity must be a finite number > 0, got {sensitivity!r}")
    if not 0 < scale < math.inf:
        raise ValueError(f"{name} must be a finite number > 0, got {scale!r}")
    if records is not None:
        _check_records(records)


def _check_records(records: Any) -> None:
    if isinstance(records, slice):
        start, stop, step = records.start or 0, records.stop, records.step
        if stop is None or not 0 <= start <= stop or (step is not None and step < 1):
            raise ValueError(f"a slice of records must run from >= 0 to an end, got {records!r}")
    elif (
        not isinstance(records, np.ndarray)
        or records.ndim != 1
        or not np.issubdtype(records.dtype, np.integer)
        or (records.size > 0 and records.min() < 0)
    ):
        raise ValueError(f"records must be a slice or an array of indices >= 0, got {records!r}")


def _finite(value: ArrayLike) -> FloatArray:
    array = np.asarray(value, dtype=np.float64)
    # counting is several times faster than .all() on a short vector
    if np.count_nonzero(np.isfinite(array)) < array.size:
        raise ValueError("a release must be finite, got NaN or infinity")
    return array


def _vector(name: str, value: ArrayLike) -> FloatArray:
    array = _finite(value)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty vector, got shape {array.shape}")
    return array


def _categorical(value: ArrayLike, categories: int) -> FloatArray:
    array = _finite(value)
    if not ((array >= 0) & (array < categories) & (array == np.floor(array))).all():
        raise ValueError(f"answers must be integers in [0, {categories})")
    return array


def _symmetric(value: ArrayLike) -> FloatArray:
    array = _finite(value)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise ValueError(f"a symmetric release must be square, got shape {array.shape}")
    if not np.allclose(array, np.swapaxes(array, -1, -2)):
        raise ValueError("a symmetric release must be symmetric")
    # the noise is symmetric: the rounding in which the triangles differ would come out bare
    upper = np.triu(array)
    symmetric: FloatArray = upper + np.swapaxes(np.triu(array, 1), -1, -2)
    return symmetric


def _shaped(position: int, given: Any, like: Any) -> FloatArray:
    """Return a given draw as an array of the shape that is needed, or raise."""
    array = np.asarray(given, dtype=np.float64)
    if array.shape != np.shape(like):
        raise ValueError(
            f"entry {position}: the draw has shape {array.shape}, needs {np.shape(like)}"
        )
    return array


def _fresh(output: Output) -> Output:
    """Copy, so that an algorithm that updates in place cannot change the transcript."""
    return output.copy() if isinstance(output, np.ndarray) else output


def _listed(records: Records) -> Any:
    if records is None:
        return None
    if isinstance(records, slice):
        return (records.start, records.stop, records.step)
    return tuple(np.asarray(records).tolist())


def _compare(position: int, what: str, old: Any, new: Any) -> None:
    if old != new:
        raise ControlFlowError(position, f"{what} was {old!r}, is now {new!r}")
