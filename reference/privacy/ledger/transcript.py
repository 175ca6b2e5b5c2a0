"""The entries of a ledger: releases, subsamples and public draws, in order."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterValueError,
    require_choice,
    require_count,
    require_flag,
    require_kind,
    shown,
)
from reference.privacy import accounting
from reference.privacy.mechanisms import Cost, Draw, Mechanism, Output

Unit = Literal["dataset", "record", "attribute", "label"]
Protected = Literal["record", "attribute", "label"]
"""The unit that an account protects: a whole record, one attribute of it, or its label alone."""

UNITS: tuple[Unit, ...] = get_args(Unit)
PROTECTED: tuple[Protected, ...] = get_args(Protected)

RecordSelection = slice | NDArray[np.int64] | None

MOST_APART = 10**8
"""Records that a slice with a step may name: the account makes a list of them, of 8 bytes each."""

_AXES: dict[str, int] = {"dataset": 0, "record": 1, "attribute": 2, "label": 1}


def record_count(records: slice | IntArray) -> int:
    """Return how many records a slice or an array of indices names."""
    if isinstance(records, slice):
        return len(range(records.start, records.stop, records.step or 1))
    return int(records.size)


def own_records(records: Any, *, ordered: bool = False) -> RecordSelection:
    """Return records as the ledger's own, which no caller holds, or raise ValueError.

    Parameters
    ----------
    records : slice, ndarray of int or None
        Every record once.
    ordered : bool, default False
        Whether to keep the caller's order of indices. A release is charged to a set of records,
        whose indices are sorted; a block is numbered in the order that the caller gave.

    Returns
    -------
    slice, ndarray of int or None
        A slice has plain integers for its ends, and for its step unless that is 1, which is
        ``None``. An array is a read-only copy of 64-bit integers.
    """
    if records is None:
        return None
    if type(records) is slice:
        return _own_slice(records)
    if not isinstance(records, np.ndarray) or isinstance(records, np.ma.MaskedArray):
        raise ParameterValueError("records", "be a slice or an array of indices >= 0", records)
    copied = np.array(records)  # before it is looked at: the caller may go on writing to the other
    if copied.ndim != 1 or copied.dtype.kind not in "iu":
        raise ParameterValueError("records", "be a slice or an array of indices >= 0", records)
    indices = np.sort(copied)
    if indices.size == 0 or indices[0] < 0:
        raise ParameterValueError("records", "be a slice or an array of indices >= 0", records)
    if indices[-1] >= sys.maxsize:
        raise ParameterValueError(
            "records", f"be indices below {sys.maxsize}", got=f"{indices[-1]}"
        )
    if (indices[1:] == indices[:-1]).any():
        raise ParameterValueError("records", "name every record once")
    return read_only((copied if ordered else indices).astype(np.int64))


def _own_slice(records: slice) -> slice:
    try:
        start = require_count("start", 0 if records.start is None else records.start, at_least=0)
        stop = require_count("stop", records.stop, at_least=start + 1)
        step = require_count("step", 1 if records.step is None else records.step)
    except (TypeError, ValueError):
        raise ValueError(
            f"a slice of records must run from >= 0 to an end beyond it, got {shown(records)}"
        ) from None
    if step == 1:
        return slice(start, stop)
    if len(range(start, stop, step)) > MOST_APART:
        raise ValueError(
            f"a slice of records with a step must name at most {MOST_APART}, got {shown(records)}"
        )
    return slice(start, stop, step)


def require_among(records: slice | IntArray, size: int | None) -> None:
    """Raise ValueError unless own records are among the ``size`` that a ledger reads."""
    if size is None:
        return
    end = records.stop if isinstance(records, slice) else records.max() + 1
    if end > size:
        raise ParameterValueError(
            "records", f"be among the {size} that this ledger was spawned for", records
        )


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array of our own that can be neither written to nor resized."""
    array.setflags(write=False)
    return array.view()


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
    size : int, optional
        Number of draws; by default that of ``indices``, whose type and shape whoever has them can
        set.
    """

    indices: IntArray
    population: int
    replace: bool
    position: int
    size: int = 0

    def __post_init__(self) -> None:
        if self.size == 0:
            object.__setattr__(self, "size", int(self.indices.size))


def own_sample(sample: Any) -> Subsample:
    """Return a subsample of plain numbers, as an account needs it, or raise."""
    require_kind("sample", sample, Subsample, "what subsample() of a ledger returned")
    replace = require_flag("replace", sample.replace)
    population = require_count("population", sample.population)
    size = require_count("size", sample.size, at_most=None if replace else population)
    position = require_count("position", sample.position, at_least=0)
    return Subsample(read_only(np.array(sample.indices)), population, replace, position, size)


class ReleaseClaim(NamedTuple):
    """The claim of a release: how much a record moves the value, and which records can.

    Attributes
    ----------
    sensitivity : float
        Claimed sensitivity in the mechanism's norm, per unit; with a subsample, whatever the
        sample (with replacement: however often the record is in it).
    unit : {"dataset", "record", "attribute", "label"}
        Whether the value is one statement about the data set, or one per record (axis 0), per
        record and attribute (axes 0 and 1), or per label (axis 0). The sensitivity of one per label
        is that to a change of the label: what else is in a record is public, and not protected.
    records : slice, ndarray of int or None
        Records that were read; ``None`` means all.
    sample : Subsample or None
        The subsample the value was computed from.
    background_sensitivity : float
        For a sampled release: the part of the sensitivity that remains when the record is not in
        the sample.
    attributes : int
        Of a record, each of which bears the release: more than 1 only with ``unit="attribute"``.
    """

    sensitivity: float
    unit: Unit = "dataset"
    records: RecordSelection = None
    sample: Subsample | None = None
    background_sensitivity: float = 0.0
    attributes: int = 1

    @property
    def axes(self) -> int:
        """Number of leading axes of the value that index units."""
        return _AXES[self.unit]


class Release(NamedTuple):
    """One release: what the paper states about it, and (when recorded) what happened.

    Attributes
    ----------
    mechanism : Mechanism
        Randomiser with its scale.
    claim : ReleaseClaim
        Sensitivity, unit, and the records that were read.
    value, draw, output
        ``None`` unless the ledger records.
    """

    mechanism: Mechanism
    claim: ReleaseClaim
    value: FloatArray | None = None
    draw: Draw = None
    output: Output = None

    def cost(self, protected: Protected = "record") -> accounting.Charge:
        """Return what the release costs one unit (its own) that it reads.

        Nothing bounds a noiseless one, nor what one per label costs anything but a label.
        """
        claim = self.claim
        unbounded = math.isinf(claim.sensitivity) or (
            claim.unit == "label" and protected != "label"
        )
        cost = Cost() if unbounded else self.mechanism.cost(claim.sensitivity)
        if claim.sample is None:
            return accounting.Charge(cost)
        return accounting.Charge(
            cost,
            accounting.Sampling(
                claim.sample.population,
                claim.sample.size,
                claim.sample.replace,
                self.mechanism,
                claim.sensitivity,
                claim.background_sensitivity,
                claim.sample.position,
            ),
        )


@dataclass(frozen=True, slots=True)
class SubsampleEntry:
    """The draw of a subsample, relative to a target record.

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


TranscriptEntry = Release | SubsampleEntry | PublicEntry


@dataclass(frozen=True)
class Fixed:
    """The constants that theory fixed for a run before its first release.

    Attributes
    ----------
    function : callable or None
        What computed the constants; ``None`` if the caller gave them.
    arguments : mapping
        Of the function, by name.
    constants : object
    """

    function: Callable[..., object] | None
    arguments: Mapping[str, Any]
    constants: Any


@dataclass(frozen=True)
class Transcript:
    """Everything that went through a recording ledger, in order, and what theory fixed for it."""

    entries: tuple[TranscriptEntry, ...]
    fixed: tuple[Fixed, ...] = ()

    @property
    def releases(self) -> tuple[Release, ...]:
        """The releases alone."""
        return tuple(entry for entry in self.entries if isinstance(entry, Release))

    @property
    def charges(self) -> list[tuple[accounting.Charge, RecordSelection]]:
        """The cost of every release to a whole record, and the records that it reads."""
        return self.charges_of("record")

    def charges_of(self, unit: Protected) -> list[tuple[accounting.Charge, RecordSelection]]:
        """Return what every release costs a record or a part of it, and which it reads.

        A record bears a release per attribute once for each of them, and so may a label of several
        attributes. An attribute or a label bears a release per record or data set as its whole
        record does; what a release per label costs the others has no bound.
        """
        unit = require_choice("unit", unit, PROTECTED)
        return [
            (release.cost(unit), release.claim.records)
            for release in self.releases
            for _ in range(1 if unit == "attribute" else release.claim.attributes)
        ]

    @property
    def local(self) -> bool:
        """True if every release is one per record or a part of it: nobody is trusted."""
        return all(release.claim.unit != "dataset" for release in self.releases)

    @property
    def draws(self) -> tuple[Any, ...]:
        """Standardised draws, subsample indices and public values, in order.

        Feeding them to :class:`GivenDrawsLedger` reproduces the run.
        """
        return tuple(_given(entry) for entry in self.entries)

    def __iter__(self) -> Iterator[TranscriptEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def _given(entry: TranscriptEntry) -> Any:
    if isinstance(entry, Release):
        return entry.draw
    return entry.indices() if isinstance(entry, SubsampleEntry) else entry.value
