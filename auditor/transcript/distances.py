"""Distances between the releases of a run on two neighbours, relative to the claimed bounds.

A run on D is recorded and replayed on a neighbour D' with its outputs frozen; at every release
the distance between the two values, in the norm of the claim, is divided by the claimed bound
(:func:`largest_ratio`), and where that matters again at 50 digits (:func:`check_again`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import mpmath
import numpy as np

from auditor.core.case import Data, Form, Run
from auditor.core.neighbours import differing_records, n_records
from auditor.mechanisms import exact_distance, rounding_allowance
from auditor.transcript.replay import record, replay, subsample_entries, unit_distances
from reference._validation import FloatArray
from reference.privacy.ledger import Release, SubsampleEntry, Transcript

DIGITS = 50
"""Decimal digits of the witness check."""


@dataclass(frozen=True)
class Gap:
    """The release at which two neighbours are farthest apart, relative to the claim.

    Attributes
    ----------
    ratio : float
        Distance over the claimed bound; where above one, the distance less ``allowance``.
    release : int
        Index among the releases of the transcript.
    kind, norm, unit : str
        Of the release.
    distance : float
        In the claimed norm. For a release per record, summed over the records whose message
        changes (one, in a local randomiser); likewise per attribute.
    bound : float
        Claimed sensitivity: its background part when the record is outside the sample, and 0 for
        a release that names the records it reads, the replaced one not among them.
    allowance : float
        See :func:`~auditor.mechanisms.rounding_allowance`; 0 where the ratio is at most one.
    seed : int
        Of the recording.
    count : int or None
        Positions that the record was made to take in every subsample.
    """

    ratio: float
    release: int
    kind: str
    norm: str
    unit: str
    distance: float
    bound: float
    allowance: float
    seed: int
    count: int | None


def largest_ratio(
    run: Run, data: Data, other: Data, *, seed: int = 0, target: int | None = None
) -> Gap | None:
    """Return the largest ratio of distance to claimed sensitivity over a whole transcript.

    Works on any algorithm that releases through a ledger.

    Parameters
    ----------
    run : callable
        ``run(data, ledger)``.
    data, other : array or tuple of arrays
        Neighbours: ``run`` is recorded on the first and replayed on the second.
    seed : int
        Of the recording.
    target : int, optional
        The record in which they differ; found by comparison if not given.

    Returns
    -------
    Gap or None
        ``None`` if the run releases nothing.

    Raises
    ------
    ControlFlowError
        If the run on ``other`` does not make the same releases.

    Examples
    --------
    A mean of values in [0, 1] whose sensitivity is claimed to be half of what it is:

    >>> import numpy as np
    >>> def mean(data, ledger):
    ...     return ledger.laplace(data.mean(), sensitivity=0.05, scale=0.1)
    >>> data, other = np.zeros(10), np.zeros(10)
    >>> other[3] = 1.0
    >>> round(largest_ratio(mean, data, other).ratio, 6)
    2.0
    """
    same_size = n_records(data) == n_records(other)
    if target is None and same_size:
        target = next(iter(differing_records(data, other)), None)
    # without a record, those behind it have other numbers
    replaced = target if same_size else None
    transcript, _ = record(run, data, seed, target=target)
    samples = subsample_entries(transcript)
    counts: set[int | None] = {None}
    if samples:
        counts = {0, 1, max(entry.size if entry.replace else 1 for entry in samples.values())}
    gaps: list[Gap] = []
    for count in sorted(counts, key=lambda count: count or 0):
        recorded = transcript if count is None else replay(run, data, transcript, count=count)
        replayed = replay(run, other, transcript, count=count)
        for index, pair in enumerate(zip(recorded.releases, replayed.releases, strict=True)):
            bound = _claimed_bound(pair[0], count, replaced)
            gaps.append(_gap(pair, (data, other), bound, release=index, seed=seed, count=count))
    return max(gaps, key=lambda gap: gap.ratio, default=None)


def _gap(
    pair: tuple[Release, Release],
    neighbours: tuple[Data, Data],
    bound: float,
    *,
    release: int,
    seed: int,
    count: int | None,
) -> Gap:
    """Compare one release on two neighbours."""
    mechanism, claim = pair[0].mechanism, pair[0].claim
    distance = _combined(unit_distances(*pair), *neighbours)
    allowance = 0.0
    if bound < distance < math.inf:
        # the claim's own bound says how large one record's terms are
        allowance = rounding_allowance(*pair, n_records(neighbours[0]), claim.sensitivity)
    ratio = _ratio(distance, bound, allowance)
    kind = mechanism.kind, mechanism.norm, claim.unit
    return Gap(ratio, release, *kind, distance, bound, allowance, seed, count)


def _claimed_bound(release: Release, count: int | None, replaced: int | None) -> float:
    if count == 0 and release.claim.sample is not None:
        return release.claim.background_sensitivity
    if replaced is None or release.claim.records is None:
        return release.claim.sensitivity
    if isinstance(release.claim.records, slice):
        read = replaced in range(*release.claim.records.indices(release.claim.records.stop))
    else:
        read = bool(np.isin(replaced, release.claim.records))
    return release.claim.sensitivity if read else 0.0


def _ratio(distance: float, bound: float, allowance: float) -> float:
    if distance <= bound:
        return distance / bound if bound > 0 else 0.0
    if math.isinf(distance):
        return math.inf
    if bound == 0:
        # the record is not read, and nothing may change
        return math.inf if distance > allowance else 0.0
    return max(1.0, (distance - allowance) / bound)


def _combined(distances: FloatArray, data: Data, other: Data) -> float:
    """Return the distance of a whole release: the sum over the units that change.

    A local randomiser changes the message of one unit; where a record reaches the messages of
    others, their costs add up. A record with many attributes costs its worst attribute, unless
    the neighbours differ in one attribute only.
    """
    if distances.ndim == 2 and _differing_entries(data, other) > 1:
        distances = distances.max(axis=1)
    total = float(distances.sum())
    return math.inf if math.isnan(total) else total


def _differing_entries(data: Data, other: Data) -> int:
    parts = zip(data, other, strict=True) if isinstance(data, tuple) else [(data, other)]
    return sum(int(np.count_nonzero(np.asarray(a) != np.asarray(b))) for a, b in parts)


def _units(first: Release, second: Release) -> list[tuple[Release, Release]]:
    """Cut a release down to the units whose values differ."""
    if first.claim.axes == 0:
        return [(first, second)]

    def unit(release: Release, index: tuple[int, ...]) -> Release:
        assert release.value is not None
        claim = release.claim._replace(unit="dataset")
        return release._replace(claim=claim, value=release.value[index])

    differing = map(tuple, np.argwhere(unit_distances(first, second) > 0))
    return [(unit(first, index), unit(second, index)) for index in differing]


@dataclass(frozen=True)
class Checked:
    """A gap evaluated again at 50 digits.

    Attributes
    ----------
    ratio : float
        Distance over bound of the released query itself if ``exact``; otherwise of the two
        floating-point values, less the allowance for rounding.
    exact : bool
    """

    ratio: float
    exact: bool


def check_again(form: Form, data: Data, other: Data, gap: Gap) -> Checked:
    """Evaluate a gap again at 50 digits.

    The released query itself where the form can evaluate it with mpmath, otherwise the distance of
    the two floating-point values less an allowance for the rounding of the query
    (:func:`auditor.mechanisms.rounding_allowance`).
    """
    transcript, _ = record(form.run, data, gap.seed, target=form.replaced)
    transcript = _forced(transcript, gap.count)
    first = replay(form.run, data, transcript).releases[gap.release]
    second = replay(form.run, other, transcript).releases[gap.release]
    with mpmath.workdps(DIGITS):
        if form.exact_query is not None and first.claim.axes == 0:
            values = (
                form.exact_query(data, transcript, gap.release),
                form.exact_query(other, transcript, gap.release),
            )
            distance = exact_distance(first, second, values)
            return Checked(_over(distance, gap.bound), exact=True)
        if gap.bound == 0 or math.isinf(gap.distance):
            return Checked(gap.ratio, exact=False)
        each = [exact_distance(*pair) for pair in _units(first, second)]
        whole_record = first.claim.axes == 2 and _differing_entries(data, other) > 1
        # the messages of several attributes of one record: its worst attribute counts
        distance = max(each) if whole_record else mpmath.fsum(each)
        return Checked(_over(distance - gap.allowance, gap.bound), exact=False)


def _over(distance: mpmath.mpf, bound: float) -> float:
    if bound == 0:
        return math.inf if distance > 0 else 0.0
    return float(distance / mpmath.mpf(bound))


def _forced(transcript: Transcript, count: int | None) -> Transcript:
    """Return the transcript in which the target takes ``count`` positions of every sample."""
    if count is None:
        return transcript
    return Transcript(
        tuple(
            replace(entry, count=count) if isinstance(entry, SubsampleEntry) else entry
            for entry in transcript.entries
        )
    )
