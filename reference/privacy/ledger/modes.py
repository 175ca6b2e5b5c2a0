"""The ledger's other modes: recording, replaying, given draws, noiseless and mutated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from reference._validation import (
    FloatArray,
    ParameterTypeError,
    ParameterValueError,
    listed,
    require_count,
    require_kind,
    require_non_negative,
)
from reference.privacy import accounting
from reference.privacy.filters import Left
from reference.privacy.ledger.book import RandomState
from reference.privacy.ledger.live import Ledger
from reference.privacy.ledger.transcript import (
    Fixed,
    Protected,
    PublicEntry,
    RecordSelection,
    Release,
    ReleaseClaim,
    Subsample,
    SubsampleEntry,
    Transcript,
    TranscriptEntry,
    read_only,
)
from reference.privacy.ledger.values import attributes_of, finite, fresh, owned, within_reach
from reference.privacy.mechanisms import Draw, Mechanism, Output

T = TypeVar("T")


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
        self._target = None if target is None else require_count("target", target, at_least=0)
        self._fixed: list[Fixed] = []

    def note(self, fixed: Fixed) -> None:
        """Keep what theory fixed for a run, for the transcript."""
        require_kind("fixed", fixed, Fixed, "a Fixed")
        with self._lock:
            self._fixed.append(fixed)

    @property
    def transcript(self) -> Transcript:
        """Everything so far, and what theory fixed before."""
        return replace(super().transcript, fixed=tuple(self._fixed))

    def _release(self, mechanism: Mechanism, value: FloatArray, claim: ReleaseClaim) -> Output:
        self._require_process()
        with self._lock:
            array = read_only(self._admitted(mechanism, value, claim))
            draw, output = self._drawn(mechanism, array)
            self._entries.append(Release(mechanism, claim, array, draw, output))
        return fresh(output)

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
        require_kind("transcript", transcript, Transcript, "that of a RecordingLedger")
        self._script: tuple[TranscriptEntry, ...] = tuple(
            listed("entries of a transcript", transcript.entries)
        )
        self._count = None if count is None else require_count("count", count, at_least=0)

    def _next(self, kind: str) -> TranscriptEntry:
        position = len(self._entries)
        if position >= len(self._script):
            raise ControlFlowError(position, f"an extra {kind}; the transcript has ended")
        return self._script[position]

    def _release(self, mechanism: Mechanism, value: FloatArray, claim: ReleaseClaim) -> Output:
        old = self._next(f"{mechanism.kind} release")
        position = len(self._entries)
        array = read_only(within_reach(mechanism, value))
        if not isinstance(old, Release):
            raise ControlFlowError(position, f"a {mechanism.kind} release instead of {old!r}")
        if old.value is None:
            raise ValueError("the transcript was not recorded; use RecordingLedger")
        _compare(position, "kind", old.mechanism.kind, mechanism.kind)
        _compare(position, "shape", old.value.shape, array.shape)
        _compare(position, "claimed sensitivity", old.claim.sensitivity, claim.sensitivity)
        _compare(
            position,
            "parameters",
            old.mechanism.public_parameters(),
            mechanism.public_parameters(),
        )
        _compare(position, "unit", old.claim.unit, claim.unit)
        _compare(position, "records", _listed(old.claim.records), _listed(claim.records))
        _compare(position, "subsample", _sampled(old.claim), _sampled(claim))
        self._entries.append(Release(mechanism, claim, array, old.draw, old.output))
        return fresh(old.output)

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
        indices = read_only(old.indices(self._count))
        return Subsample(indices, old.population, old.replace, position)

    def public(self, draw: Callable[[np.random.Generator], T]) -> T:
        """Return the recorded public value."""
        del draw
        old = self._next("public draw")
        if not isinstance(old, PublicEntry):
            raise ControlFlowError(
                len(self._entries), f"a public draw instead of {type(old).__name__}"
            )
        self._entries.append(old)
        return fresh(old.value)  # type: ignore[no-any-return]

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
        self._draws = iter(listed("draws", draws))

    def _take(self, what: str) -> Any:
        try:
            return next(self._draws)
        except StopIteration:
            raise ValueError(f"no draw left for {what} at entry {len(self._entries)}") from None

    def _drawn(self, mechanism: Mechanism, array: FloatArray) -> tuple[Draw, Output]:
        draw = self._given_draw(mechanism, array)
        return draw, mechanism.output(array, draw)

    def _given_draw(self, mechanism: Mechanism, value: FloatArray) -> Draw:
        position = len(self._entries)
        given = self._take(f"a {mechanism.kind} release")
        like = mechanism.draw(value, self._rng)  # for its shape only
        if isinstance(like, tuple):
            given = listed(f"entry {position}: the draws", given, len(like))
            if len(given) != len(like):
                raise ValueError(f"entry {position}: expected {len(like)} arrays of draws")
            return tuple(_shaped(position, *pair) for pair in zip(given, like, strict=True))
        return _shaped(position, given, like)

    def _draw_subsample(self, population: int, size: int, replace: bool) -> SubsampleEntry:
        given = _drawn(len(self._entries), self._take("a subsample"))
        base = given.astype(np.int64)
        if base.shape != (size,):
            raise ValueError(f"a subsample of size {size} was given {base.shape} indices")
        fits = (base == given) & (base >= 0) & (base < population)
        if not fits.all() or (not replace and np.unique(base).size < size):
            raise ValueError(f"a subsample must be of indices below {population}, got other ones")
        return SubsampleEntry(population, size, replace, None, base, np.arange(size), 0)

    def public(self, draw: Callable[[np.random.Generator], T]) -> T:
        """Return the given public value."""
        del draw
        value: T = self._take("a public draw")
        self._entries.append(PublicEntry(fresh(value)))
        return value


class NoiselessLedger(Ledger):
    """Return every value itself: the non-private algorithm. Subsamples are still drawn.

    ``spent`` is infinite. There is no limit that it could keep.

    Parameters
    ----------
    seed : int, SeedSequence, BitGenerator, Generator or None
    """

    def __init__(self, seed: RandomState = None) -> None:
        super().__init__(seed)

    def _release(self, mechanism: Mechanism, value: FloatArray, claim: ReleaseClaim) -> Output:
        self._entries.append(Release(mechanism, claim._replace(sensitivity=math.inf)))
        return mechanism.noiseless(finite(value))


DrawRequest = tuple[Mechanism, FloatArray, float]


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
        change: Callable[[int, Mechanism, FloatArray, float], DrawRequest],
        *,
        repeat: int = 1,
    ) -> None:
        super().__init__(0)
        require_kind("inner", inner, Ledger, "a ledger")
        self._inner = inner
        self._change = change
        self._repeat = require_count("repeat", repeat)
        self._made = 0

    def _release(self, mechanism: Mechanism, value: FloatArray, claim: ReleaseClaim) -> Output:
        request = self._made, mechanism, finite(value), claim.sensitivity
        changes = self._change(*request)
        if not isinstance(changes, tuple) or len(changes) != 3:
            raise ParameterTypeError("change", "return a mechanism, a value and a sensitivity")
        mechanism, changed, sensitivity = changes
        require_kind("the mechanism of a change", mechanism, Mechanism, "that of a ledger")
        self._made += 1
        array = owned(changed)
        claim = claim._replace(
            sensitivity=require_non_negative("sensitivity", sensitivity),
            attributes=attributes_of(array, claim.unit),
        )
        for _ in range(self._repeat):
            output = self._inner._release(mechanism, array, claim)
        return output

    def subsample(self, population: int, size: int, *, replace: bool = False) -> Subsample:
        """Draw from the inner ledger."""
        return self._inner.subsample(population, size, replace=replace)

    def note(self, fixed: Fixed) -> None:
        """Have the inner ledger take note."""
        self._inner.note(fixed)

    def public(self, draw: Callable[[np.random.Generator], T]) -> T:
        """Draw from the inner ledger."""
        return self._inner.public(draw)

    @property
    def transcript(self) -> Transcript:
        """The inner ledger's transcript."""
        return self._inner.transcript

    @property
    def left(self) -> Left | None:
        """The budget that the inner ledger has left."""
        return self._inner.left

    def spent(
        self,
        *,
        delta: float | None = None,
        epsilon: float | None = None,
        unit: Protected = "record",
    ) -> accounting.Spent:
        """Return the inner ledger's account."""
        return self._inner.spent(delta=delta, epsilon=epsilon, unit=unit)


def _drawn(position: int, given: Any) -> FloatArray:
    """Return a given draw as finite numbers of our own, or raise."""
    array = owned(given, f"entry {position}: the draw")
    if not np.isfinite(array).all():
        raise ParameterValueError(f"entry {position}: the draw", "be finite", got="NaN or infinity")
    return array


def _shaped(position: int, given: Any, like: Any) -> FloatArray:
    """Return a given draw as an array of the shape that is needed, or raise."""
    array = _drawn(position, given)
    if array.shape != np.shape(like):
        raise ValueError(
            f"entry {position}: the draw has shape {array.shape}, needs {np.shape(like)}"
        )
    return array


def _listed(records: RecordSelection) -> Any:
    if records is None:
        return None
    if isinstance(records, slice):
        return (records.start, records.stop, records.step)
    return tuple(records.tolist())


def _sampled(claim: ReleaseClaim) -> tuple[int, float] | None:
    return None if claim.sample is None else (claim.sample.position, claim.background_sensitivity)


def _compare(position: int, what: str, old: Any, new: Any) -> None:
    if old != new:
        raise ControlFlowError(position, f"{what} was {old!r}, is now {new!r}")
