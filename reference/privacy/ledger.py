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

from reference._validation import FloatArray, IntArray, require_count, require_positive
from reference.privacy import accounting
from reference.privacy.mechanisms import (
    Bit,
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
        Claimed sensitivity in the mechanism's norm, per unit.
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
        """Return what the release costs a record it reads."""
        sample = self.sample
        if sample is None:
            return accounting.Charge(self.mechanism.cost(self.sensitivity))
        return accounting.Charge(
            self.mechanism.cost(self.sensitivity),
            accounting.Sampling(
                sample.population,
                sample.size,
                sample.replace,
                self.mechanism,
                self.sensitivity,
                self.background_sensitivity,
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
        if self.target is None:
            return self.base
        chosen = self.base.copy()
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
    0.724
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
        self._entries.append(PublicEntry(value))
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
            The subsample the value was computed from.
        background_sensitivity : float, default 0
            Part of ``sensitivity`` that does not need the record to be in the sample.

        Returns
        -------
        ndarray
            Same shape as ``value``.
        """
        _check(sensitivity, scale)
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
        _check(sensitivity, scale)
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
        _check(sensitivity, scale)
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
        _check(sensitivity, scale)
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
        """Release a symmetric matrix + W_d(degrees, scale I); spectral-norm sensitivity."""
        _check(sensitivity, scale)
        matrix = _symmetric(value)
        if not degrees > matrix.shape[-1] - 1:
            raise ValueError(f"degrees must be > d - 1 = {matrix.shape[-1] - 1}, got {degrees!r}")
        return self._release(  # type: ignore[no-any-return]
            Wishart(degrees, scale), matrix, sensitivity, "dataset", records, None
        )

    def exponential(
        self,
        scores: ArrayLike,
        *,
        sensitivity: float,
        epsilon: float,
        unit: Unit = "dataset",
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
        unit, records
            As for :meth:`gaussian`.

        Returns
        -------
        int
        """
        _check(sensitivity, epsilon, "epsilon")
        mechanism = Exponential(epsilon / (2 * sensitivity))
        return int(self._release(mechanism, scores, sensitivity, unit, records, None))

    def noisy_max(
        self,
        scores: ArrayLike,
        *,
        sensitivity: float,
        scale: float,
        excluded: Sequence[int] = (),
        records: Records = None,
    ) -> int:
        """Return the index of the largest score + Laplace(scale), outside ``excluded``."""
        _check(sensitivity, scale)
        array = np.asarray(scores, dtype=np.float64)
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
        array = _finite(value)
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
        _check(answers, epsilon, "epsilon")
        return self._release(  # type: ignore[no-any-return]
            RandomizedResponse(epsilon, require_count("categories", categories, at_least=2)),
            value,
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
        labels = np.asarray(value)
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
        _check(epsilon, 1.0)
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
        _check(radius, epsilon, "epsilon")
        return self._release(  # type: ignore[no-any-return]
            L2Ball(radius, epsilon), value, 1.0, "record", records, None
        )

    def smooth(
        self,
        value: ArrayLike,
        *,
        smooth_bound: float,
        smoothness: float,
        divisor: float,
        rho: float,
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
        rho : float
            zCDP cost the source proves under the claim.
        noise : {"arsinh-normal", "gaussian"}
        records : slice or ndarray of int, optional

        Returns
        -------
        ndarray
            Same shape as ``value``.
        """
        _check(smooth_bound, divisor, "divisor")
        mechanism = SmoothSensitivity(smooth_bound, smoothness, divisor, rho, noise)
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
        if target is None or population == 1:
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
        return old.value  # type: ignore[no-any-return]

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
        return self._take(f"a {mechanism.kind} release")

    def _draw_subsample(self, population: int, size: int, replace: bool) -> SubsampleEntry:
        base = np.asarray(self._take("a subsample"), dtype=np.int64)
        if base.shape != (size,):
            raise ValueError(f"a subsample of size {size} was given {base.shape} indices")
        return SubsampleEntry(population, size, replace, None, base, np.arange(size), 0)

    def public(self, draw: Callable[[np.random.Generator], T]) -> T:
        """Return the given public value."""
        del draw
        value: T = self._take("a public draw")
        self._entries.append(PublicEntry(value))
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


def _check(sensitivity: float, scale: float, name: str = "scale") -> None:
    if not 0 < sensitivity < math.inf:
        raise ValueError(f"sensitivity must be a finite number > 0, got {sensitivity!r}")
    if not 0 < scale < math.inf:
        raise ValueError(f"{name} must be a finite number > 0, got {scale!r}")


def _finite(value: ArrayLike) -> FloatArray:
    array = np.asarray(value, dtype=np.float64)
    # one cheap product; the full check only if it overflowed or met a NaN
    flat = array.ravel()
    if not math.isfinite(flat.dot(flat)) and not np.isfinite(array).all():
        raise ValueError("a release must be finite, got NaN or infinity")
    return array


def _symmetric(value: ArrayLike) -> FloatArray:
    array = np.asarray(value, dtype=np.float64)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise ValueError(f"a symmetric release must be square, got shape {array.shape}")
    if not np.allclose(array, np.swapaxes(array, -1, -2)):
        raise ValueError("a symmetric release must be symmetric")
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
