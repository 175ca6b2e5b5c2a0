"""The sensitivity question: does a neighbour change every release by at most its claimed bound.

A run on D is recorded and replayed on a neighbour D' with its outputs frozen; at every release
the distance between the two values, in the norm of the claim, is divided by the claimed bound
(:func:`largest_ratio`). The question is asked on the pair known to be worst, and on pairs that a
search makes worse: the replaced record goes anywhere in the data domain
(:func:`auditor.core.neighbours.search_worst_pair`).

A ratio above one is checked again at 50 digits before it counts: the released query itself where
the case can evaluate it with mpmath, otherwise the distance of the two floating-point values less
an allowance for the rounding of the query (:func:`auditor.mechanisms.rounding_allowance`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np

from auditor.core.case import Data, Form, Run
from auditor.core.context import Context
from auditor.core.neighbours import (
    WorstPair,
    differing_records,
    n_records,
    random_records,
    remove_record,
    replace_record,
    search_worst_pair,
    with_label,
    with_one_attribute,
)
from auditor.core.verdict import Verdict
from auditor.core.witness import describe_pair, restore_pair
from auditor.mechanisms import exact_distance, rounding_allowance
from auditor.transcript.replay import (
    RunRaised,
    record,
    replay,
    subsample_entries,
    unit_distances,
)
from reference._validation import FloatArray
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import ControlFlowError, Release, SubsampleEntry, Transcript

DIGITS = 50
"""Decimal digits of the witness check."""

EXAMPLES, EVALUATIONS = 15, 30
"""Budgets of the search's two methods in the quick tier; the full tier takes 40 times as much."""

CLAIM_ROUNDING = 1e-12
"""Relative excess put down to the rounding of the claimed bound itself."""

FLOATING_POINT_FAILURE = 1e-6
"""Relative excess from which an implementation breaks its bound even if the formula does not."""


ATTAINED = 0.97
"""A pair that moves every release by less of its claimed bound says why (``not_attained``)."""


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


# ---------------------------------------------------------------------------- one pair


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
    gaps: list[Gap] = []
    if not samples:
        replayed = replay(run, other, transcript).releases
        gaps = _gaps(transcript.releases, replayed, data, other, seed, None, replaced)
    else:
        most = max(entry.size if entry.replace else 1 for entry in samples.values())
        for count in sorted({0, 1, most}):
            gaps += _gaps(
                replay(run, data, transcript, count=count).releases,
                replay(run, other, transcript, count=count).releases,
                data,
                other,
                seed,
                count,
                replaced,
            )
    return max(gaps, key=lambda gap: gap.ratio, default=None)


def _gaps(
    first: Sequence[Release],
    second: Sequence[Release],
    data: Data,
    other: Data,
    seed: int,
    count: int | None,
    replaced: int | None,
) -> list[Gap]:
    gaps = []
    for index, (mine, theirs) in enumerate(zip(first, second, strict=True)):
        bound = _claimed_bound(mine, count, replaced)
        distance = _combined(unit_distances(mine, theirs), data, other)
        allowance = 0.0
        if bound < distance < math.inf:
            # the claim's own bound says how large one record's terms are
            allowance = rounding_allowance(mine, theirs, n_records(data), mine.claim.sensitivity)
        gaps.append(
            Gap(
                ratio=_ratio(distance, bound, allowance),
                release=index,
                kind=mine.mechanism.kind,
                norm=mine.mechanism.norm,
                unit=mine.claim.unit,
                distance=distance,
                bound=bound,
                allowance=allowance,
                seed=seed,
                count=count,
            )
        )
    return gaps


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
    """Distance of a whole release: the sum over the units that change.

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


# --------------------------------------------------------------------------- at 50 digits


def _units(first: Release, second: Release) -> list[tuple[Release, Release]]:
    """Cut a release down to the units whose values differ."""
    if first.claim.axes == 0:
        return [(first, second)]
    distances = unit_distances(first, second)
    assert first.value is not None
    assert second.value is not None
    return [
        (
            first._replace(
                claim=first.claim._replace(unit="dataset"), value=first.value[tuple(index)]
            ),
            second._replace(
                claim=second.claim._replace(unit="dataset"), value=second.value[tuple(index)]
            ),
        )
        for index in np.argwhere(distances > 0)
    ]


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
    """Evaluate a gap again at 50 digits (see the module's description)."""
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


# ------------------------------------------------------------------------------ the question


@dataclass(frozen=True)
class _Candidate:
    gap: Gap
    data: Data
    other: Data


class _Failures:
    """Runs that did not make the same releases: a matter of control flow, counted here."""

    def __init__(self) -> None:
        self.count = 0
        self.first = ""

    def add(self, error: ControlFlowError) -> None:
        self.count += 1
        self.first = self.first or str(error)


def audit(form: Form, context: Context, *, search: bool = True) -> Verdict:
    """Ask whether every release is as insensitive as it claims.

    Parameters
    ----------
    form : Form
        ``Form(run, claim, pair, replaced=..., parameters={})`` suffices for any algorithm that
        releases through a ledger; with a ``domain`` the replaced record is searched there.
    context : Context
    search : bool, default True
        Search beyond the known pair.

    Returns
    -------
    Verdict
        ``"violated"`` only by a ratio above one that the check at 50 digits confirms.

    Raises
    ------
    RunRaised
        If a run raises: the algorithm refuses a record of the form's own domain, for example.
    """
    failures = _Failures()
    known = _known_pair(form, context.at("pair"), failures)
    found, pair = (None, None)
    if search and form.domain is not None:
        found, pair = _search(form, context.at("search"), failures)
    runs = 2 * _seeds(context) + (found.evaluations if found else 0)
    candidates = [c for c in (known, pair) if c is not None]
    evidence: dict[str, Any] = {
        "known_pair_ratio": known.gap.ratio if known else None,
        "search_ratio": pair.gap.ratio if pair else None,
        "evaluations": runs,
        "control_flow_errors": failures.count,
        "trace": found.traces if found else {},
    }
    if form.domain is None:
        evidence["no_search"] = form.no_search
    if known is not None and known.gap.ratio < ATTAINED:
        evidence["not_attained"] = form.not_attained
    findings = _findings(failures)
    if not candidates:
        what = "no replay made the same releases" if failures.count else "nothing is released"
        return Verdict(
            "sensitivity",
            "inconclusive" if failures.count else "holds",
            f"{what}: there is no distance to compare"
            + ("; settle control_flow first" if failures.count else ""),
            evidence,
            findings=findings,
        )
    worst = max(candidates, key=lambda c: c.gap.ratio)
    return _judge(form, worst, evidence, findings, _scope(form, runs, search))


def _judge(
    form: Form,
    worst: _Candidate,
    evidence: dict[str, Any],
    findings: tuple[dict[str, Any], ...],
    scope: str,
) -> Verdict:
    gap = worst.gap
    checked = Checked(gap.ratio, exact=False)
    if gap.ratio > 1 - FLOATING_POINT_FAILURE:
        checked = check_again(form, worst.data, worst.other, gap)
    evidence = {
        **evidence,
        "largest_ratio": gap.ratio,
        "checked_ratio": checked.ratio,
        "check": "query at 50 digits" if checked.exact else "distance at 50 digits",
        "where": {
            "release": gap.release,
            "kind": gap.kind,
            "norm": gap.norm,
            "unit": gap.unit,
            "distance": gap.distance,
            "claimed_bound": gap.bound,
            "rounding_allowance": gap.allowance,
            "count": gap.count,
        },
    }
    where = f"release {gap.release} ({gap.kind}, {gap.norm})"
    if gap.bound == 0:
        outside = "when the record is outside the sample"
        where += f" {outside}" if gap.count == 0 else " (which claims not to read the record)"
    broken = checked.ratio > 1 + CLAIM_ROUNDING
    only_floating = not broken and gap.ratio > 1
    if only_floating:
        findings = (
            *findings,
            {
                "kind": "floating point",
                "detail": f"at {where} the floating-point values differ by {gap.ratio:.9g} times "
                f"the bound, the query at {DIGITS} digits by {checked.ratio:.9g}",
            },
        )
    if not broken and not (only_floating and gap.ratio > 1 + FLOATING_POINT_FAILURE):
        return Verdict(
            "sensitivity",
            "holds",
            f"largest distance {gap.ratio:.6g} of the claimed bound, at {where}{_slack(evidence)}; "
            f"{scope}",
            evidence,
            findings=findings,
        )
    by = (
        f"{checked.ratio:.6g} times the claimed bound {gap.bound:.6g} ({evidence['check']})"
        if broken
        else f"{gap.ratio:.6g} times the claimed bound in floating point only"
    )
    return Verdict(
        "sensitivity",
        "violated",
        f"a neighbour moves {where} by {by}",
        evidence,
        witness={
            **describe_pair((worst.data, worst.other), form.replaced),
            "seed": gap.seed,
            "release": gap.release,
            "distance": gap.distance,
            "claimed_bound": gap.bound,
            "ratio": checked.ratio if broken else gap.ratio,
            "count": gap.count,
            "parameters": dict(form.parameters),
        },
        findings=findings,
    )


def reproduce(form: Form, witness: Mapping[str, Any]) -> bool:
    """Run a witness of :func:`audit` again; return whether the bound is exceeded again."""
    data, other = restore_pair(form.pair, witness)
    gap = largest_ratio(form.run, data, other, seed=witness["seed"], target=form.replaced)
    return gap is not None and gap.ratio > 1


def _scope(form: Form, runs: int, search: bool) -> str:
    if not search:
        return "known pair only"
    if form.domain is None:
        return f"known pair only: {form.no_search or 'no domain to search'}"
    return f"{runs} pairs tried"


def _slack(evidence: Mapping[str, Any]) -> str:
    reason = evidence.get("not_attained")
    return f" ({reason})" if reason and evidence["largest_ratio"] < ATTAINED else ""


def _findings(failures: _Failures) -> tuple[dict[str, Any], ...]:
    if not failures.count:
        return ()
    detail = f"{failures.count} replays did not make the same releases, e.g. {failures.first}"
    return ({"kind": "control flow", "detail": detail},)


def _seeds(context: Context) -> int:
    return context.effort(3)


def _known_pair(form: Form, context: Context, failures: _Failures) -> _Candidate | None:
    """Try the form's pair in both directions, on several seeds."""
    first, second = form.pair
    seeds = context.rng().integers(2**31, size=_seeds(context))
    return _worst(
        form,
        ((a, b, int(seed)) for a, b in ((first, second), (second, first)) for seed in seeds),
        failures,
    )


def _worst(
    form: Form, trials: Iterable[tuple[Data, Data, int]], failures: _Failures
) -> _Candidate | None:
    found: _Candidate | None = None
    for data, other, seed in trials:
        gap = _try(form, data, other, seed, failures)
        if gap is not None and (found is None or gap.ratio > found.gap.ratio):
            found = _Candidate(gap, data, other)
    return found


def _try(form: Form, data: Data, other: Data, seed: int, failures: _Failures) -> Gap | None:
    try:
        return largest_ratio(form.run, data, other, seed=seed, target=form.replaced)
    except RunRaised:
        raise
    except ControlFlowError as error:
        failures.add(error)
        return None


def base_records(form: Form, variation: int, rng: np.random.Generator) -> Data:
    """Return the records among which one is replaced.

    Parameters
    ----------
    form : Form
        With a domain.
    variation : int
        0 or odd: those of the form's larger data set; even: random ones.
    rng : Generator
        For the random records of the domain.
    """
    assert form.domain is not None
    base = max(form.pair, key=n_records)
    if variation > 0 and variation % 2 == 0:
        return random_records(form.domain, n_records(base), rng)
    return base


def neighbour_pair(form: Form, base: Data, old: Any, new: Any, variation: int) -> tuple[Data, Data]:
    """Return neighbours whose record ``form.replaced`` is ``old`` and ``new``.

    Parameters
    ----------
    form : Form
        With a domain.
    base : data set
        The other records: :func:`base_records`.
    old, new : Any
        Records of the domain.
    variation : int
        Says which attribute differs where neighbours differ in one attribute of a record.
    """
    data = replace_record(base, form.replaced, old)
    if form.claim.relation is Relation.ADD_OR_REMOVE_ONE:
        return data, remove_record(data, form.replaced)
    if form.claim.relation is Relation.REPLACE_LABEL:
        new = with_label(old, new)
    if form.claim.model is Model.LOCAL_ATTRIBUTE:
        new = with_one_attribute(old, new, variation)
    return data, replace_record(base, form.replaced, new)


def _search(
    form: Form, context: Context, failures: _Failures
) -> tuple[WorstPair, _Candidate | None]:
    """Search the domain for the neighbours at which some release exceeds its claim most."""
    assert form.domain is not None
    start = int(context.rng().integers(2**31))
    refused: list[RunRaised] = []

    # the search by scipy stays at one variation
    @lru_cache(maxsize=2)
    def base_of(variation: int) -> Data:
        return base_records(form, variation, np.random.default_rng(start + variation))

    def pair_of(old: Any, new: Any, variation: int) -> tuple[Data, Data]:
        return neighbour_pair(form, base_of(variation), old, new, variation)

    def objective(old: Any, new: Any, variation: int) -> float:
        if refused:
            return 0.0
        try:
            gap = _try(form, *pair_of(old, new, variation), start + variation, failures)
        except RunRaised as error:
            refused.append(error)
            return 0.0
        return 0.0 if gap is None else gap.ratio

    found = search_worst_pair(
        objective,
        form.domain,
        seed=context.at("search").seed_sequence(),
        examples=context.effort(EXAMPLES, full=40 * EXAMPLES),
        evaluations=context.effort(EVALUATIONS, full=40 * EVALUATIONS),
    )
    if refused:
        raise RunRaised(
            refused[0].position,
            f"the algorithm refused records of the case's own domain {form.domain}: {refused[0]}; "
            "correct the domain, or let the algorithm accept them",
        ) from refused[0]
    data, other = pair_of(found.old, found.new, found.variation)
    pair = _worst(form, [(data, other, start + found.variation)], failures)
    return found, pair
