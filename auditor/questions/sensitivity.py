"""The sensitivity question: does a neighbour change every release by at most its claimed bound.

The largest ratio of distance to claimed bound (:func:`auditor.transcript.distances.largest_ratio`)
is computed for the pair known to be worst, and for pairs that a search makes worse: the replaced
record goes anywhere in the data domain (:func:`auditor.core.neighbours.search_worst_pair`). A ratio
above one is checked again at 50 digits before it counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from auditor.core.case import Data, Form
from auditor.core.context import Context
from auditor.core.neighbours import (
    WorstPair,
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
from auditor.transcript.distances import DIGITS, Checked, Gap, check_again, largest_ratio
from auditor.transcript.replay import RunRaised
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import ControlFlowError

RECORDINGS = 3
"""Runs of the known pair that are recorded in either direction."""

EXAMPLES, EVALUATIONS = 15, 30
"""Budgets of the search's two methods in the quick tier; the full tier takes 40 times as much."""

CLAIM_ROUNDING = 1e-12
"""Relative excess put down to the rounding of the claimed bound itself."""

FLOATING_POINT_FAILURE = 1e-6
"""Relative excess from which an implementation breaks its bound even if the formula does not."""

ATTAINED = 0.97
"""A pair that moves every release by less of its claimed bound says why (``not_attained``)."""


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
    runs = 2 * context.effort(RECORDINGS) + (found.evaluations if found else 0)
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


def _known_pair(form: Form, context: Context, failures: _Failures) -> _Candidate | None:
    """Try the form's pair in both directions, on several seeds."""
    first, second = form.pair
    seeds = context.rng().integers(2**31, size=context.effort(RECORDINGS))
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
