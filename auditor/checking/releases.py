"""Audit a mechanism that releases through a ledger, release by release, and say what is to blame.

Five questions are asked of ``mechanism(data, ledger)`` on a pair of neighbours: accounting,
sensitivity, control flow, privacy loss and samplers. A run that raises has the exception's type
for its output, so that an exception which depends on the data is a leak like any other. Every
violation is traced to a release: its index, its kind, the line that makes it, and what it claims
against what was found.

Accounting, sensitivity and control flow state facts about runs that were made: there is no chance
in them to be confirmed. Privacy loss and samplers are statistical, and say "violated" only after
fresh runs have confirmed what a screen found (:mod:`auditor.statistics.stages`); a single loss
above a pure epsilon is a fact again.
"""

from __future__ import annotations

import copy
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from auditor.checking.declared import on_claim, weigh
from auditor.checking.relations import relation_of
from auditor.core.case import Data, Form
from auditor.core.context import Context
from auditor.core.errors import InputError, one_line
from auditor.core.neighbours import Domain, n_records, same_value, stack_records
from auditor.core.sides import SIDES
from auditor.core.verdict import Verdict, describe
from auditor.core.witness import restore_pair, restore_seeds
from auditor.kinds import uniforms
from auditor.questions import accounting, samplers
from auditor.questions.table import BY_FORM
from auditor.runs import instrument, session
from auditor.runs.clock import OutOfTime
from auditor.runs.instrument import Instrumented, listed
from auditor.runs.plain import require_values
from auditor.runs.sampling import Raised
from auditor.statistics.claims import TradeOffFunction, claim_of
from auditor.transcript.replay import loss_between, replay, subsample_entries, unit_distances
from auditor.transcript.shared import SharedRuns
from reference._validation import FloatArray
from reference.privacy.guarantees import ApproximateDP, Guarantee, PureDP, Relation
from reference.privacy.ledger import (
    ControlFlowError,
    Ledger,
    RecordingLedger,
    Release,
    ReplayLedger,
    Transcript,
    live,
    modes,
)

PILOT_RUNS = 3
"""Runs on either data set that look for exceptions and for releases at all."""

PROBES = 16
"""Records of a domain that are compared with what a data set of them looks like."""

BLAME_RUNS = 100
"""Runs of a statistical witness that are made again to find the release to blame."""

Mechanism = Callable[[Any, Ledger], Any]
Finding = Mapping[str, Any]

# ------------------------------------------------------------------------------- data sets


@dataclass(frozen=True)
class _Encoding:
    """Data sets of any type as the arrays that the questions need, and back.

    Attributes
    ----------
    pair : (Data, Data)
        Arrays, or tuples of arrays of equal length.
    decode : callable
        Returns a fresh data set for the mechanism.
    searchable : bool
        Whether the arrays are the data, so that records can be replaced in them.
    """

    pair: tuple[Data, Data]
    decode: Callable[[Data], Any]
    searchable: bool


def _encoded(pair: tuple[Any, Any]) -> _Encoding:
    """Encode arrays and tuples of arrays as themselves, numbers and lists of numbers as arrays.

    Of anything else only the two data sets themselves are known: they become two arrays of as many
    record numbers, the first one counting up from 0, the second one down from -1.
    """
    first, second = pair
    if _is_array(first) and _is_array(second):
        return _Encoding((first, second), lambda data: data.copy(), searchable=True)
    if _is_arrays(first) and _is_arrays(second):
        return _Encoding(
            (first, second), lambda data: tuple(part.copy() for part in data), searchable=True
        )
    arrays = (_numbers(first), _numbers(second))
    if arrays[0] is not None and arrays[1] is not None:
        if arrays[0].ndim == arrays[1].ndim == 0:
            scalars = (arrays[0][None], arrays[1][None])
            return _Encoding(scalars, lambda data: data[0].item(), searchable=True)
        if arrays[0].ndim > 0 and arrays[1].ndim > 0 and type(first) is type(second):
            return _Encoding(
                (arrays[0], arrays[1]), lambda data: type(first)(data.tolist()), searchable=True
            )
    numbered = (np.arange(_size(first)), -1 - np.arange(_size(second)))
    return _Encoding(
        numbered, lambda data: _copied(first if data[0] >= 0 else second), searchable=False
    )


def _is_array(data: Any) -> bool:
    return (
        isinstance(data, np.ndarray)
        and data.ndim > 0
        and data.size > 0
        and not data.dtype.hasobject
    )


def _is_arrays(data: Any) -> bool:
    return (
        isinstance(data, tuple)
        and len(data) > 0
        and all(map(_is_array, data))
        and len({len(part) for part in data}) == 1
    )


def _numbers(data: Any) -> np.ndarray[Any, Any] | None:
    """Return a number, or a list or tuple of (lists of) numbers, as an array; else ``None``."""
    if type(data) not in (list, tuple) and not isinstance(data, (int, float, np.number)):
        return None
    try:
        array = np.asarray(data)
    except ValueError:  # ragged
        return None
    if array.dtype.kind not in "biuf" or array.size == 0:
        return None
    # a list of tuples would come back as a list of lists
    back = array.item() if array.ndim == 0 else type(data)(array.tolist())
    return array if same_value(back, data) else None


def _size(data: Any) -> int:
    return max(1, len(data)) if hasattr(data, "__len__") else 1


def _copied(data: Any) -> Any:
    try:
        return copy.deepcopy(data)
    except Exception:  # what cannot be copied is shared by all runs
        return data


def _replaced(pair: tuple[Any, Any]) -> int:
    """Return the index of the record in which two data sets differ; 0 if they do not show it."""
    try:
        return relation_of(*pair)[1]
    except InputError:
        return 0


def _no_search(domain: Domain | None, encoding: _Encoding) -> str:
    """Return why the records of a domain cannot be put into the data sets; "" if they can."""
    if domain is None:
        return "no data domain is given"
    if not encoding.searchable:
        return "the data sets are no arrays of records"
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (PROBES, domain.parameters))
    records = [domain.decode(point) for point in points]
    try:
        stacked = stack_records(records)
    except (TypeError, ValueError):  # records that make no arrays
        return "the records of the domain make no arrays"
    if not same_value(domain.data_set(records), stacked):
        return "a data set of the domain is not the list of its records"
    mine, theirs = (_layout(data) for data in (encoding.pair[0], stacked))
    if [shape for shape, _ in mine] != [shape for shape, _ in theirs]:
        return (
            f"the records of the data sets are {_words(mine)}, those of the domain {_words(theirs)}"
        )
    if any(np.result_type(a, b) != a for (_, a), (_, b) in zip(mine, theirs, strict=True)):
        return f"the data sets hold {_words(mine)}, the domain {_words(theirs)}"
    return ""


def _layout(data: Data) -> list[tuple[tuple[int, ...], np.dtype[Any]]]:
    parts = data if isinstance(data, tuple) else (data,)
    return [(part.shape[1:], part.dtype) for part in parts]


def _words(layout: Sequence[tuple[tuple[int, ...], np.dtype[Any]]]) -> str:
    return " and ".join(f"{dtype} of shape {shape}" for shape, dtype in layout)


# --------------------------------------------------------------------------------- the runs


def _outcome(
    mechanism: Mechanism, data: Any, ledger: Ledger, *, quoted: bool = True
) -> tuple[Any, str | None]:
    """Return a run's output, and what it raised in one line, if it did."""
    try:
        return _comparable(mechanism(data, ledger)), None
    except (ControlFlowError, InputError):
        raise
    except (Exception, SystemExit) as error:
        return Raised(type(error).__name__), (
            f"{one_line(error, quoted=quoted)}{_raised_at(error)}"
        )


def _comparable(output: Any) -> Any:
    """Return an output that can be compared: iterators as lists, pandas objects as columns."""
    output = listed(output)
    require_values([output])
    return output.reset_index().to_dict("list") if hasattr(output, "reset_index") else output


def _raised_at(error: BaseException) -> str:
    """Return where an exception was raised: the last line that is not of this package."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename not in _OWN_FILES]
    return f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


def _form_of(
    mechanism: Mechanism,
    pair: tuple[Any, Any],
    claim: Guarantee | TradeOffFunction,
    *,
    replaced: int | None = None,
    domain: Domain | None = None,
    samples: int = 1000,
) -> Form:
    """Return what the questions are asked of; parameters as of :func:`audit_releases`."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise InputError("pair must be two data sets, (D, D')")
    first, second = pair
    encoding = _encoded((first, second))
    stated = claim_of(claim).describe()
    if not isinstance(claim, Guarantee):
        claim = PureDP(1.0)  # the questions that depend on the claim are not asked
    if n_records(encoding.pair[0]) != n_records(encoding.pair[1]):
        claim = replace(claim, relation=Relation.ADD_OR_REMOVE_ONE)
    no_search = _no_search(domain, encoding)

    def run(data: Data, ledger: Ledger) -> Any:
        return _outcome(mechanism, encoding.decode(data), ledger)[0]

    return Form(
        run,
        claim,
        encoding.pair,
        _replaced((first, second)) if replaced is None else replaced,
        {"claim": stated, "n": n_records(encoding.pair[0])},
        domain=None if no_search else domain,
        no_search=no_search,
        no_black_box="it takes a ledger",
        loss_samples=samples,
    )


@dataclass(frozen=True)
class _Pilot:
    """What a few runs on either data set show."""

    runs: int
    releases: int
    raised: Sequence[tuple[int, str]]
    mutated: bool

    @property
    def failure(self) -> str | None:
        """What every run raised, if none got as far as a release."""
        if self.releases or len(self.raised) < 2 * self.runs:
            return None
        return f"every run raised, first {self.raised[0][1]}"

    @property
    def findings(self) -> tuple[Finding, ...]:
        found = []
        for side, name in enumerate(SIDES):
            said = [text for where, text in self.raised if where == side]
            if said:
                statement = f"{len(said)} of {self.runs} runs on {name} raised, first {said[0]}"
                found.append({"kind": "raised", "statement": statement})
        if not self.releases and self.failure is None:
            statement = (
                "nothing was released through the ledger: what noise there is comes from elsewhere"
            )
            found.append({"kind": "nothing released", "statement": statement})
        if self.mutated:
            statement = "the mechanism changes its data set in place; every run was given a copy"
            found.append({"kind": "mutated input", "statement": statement})
        return tuple(found)


def _pilot(
    mechanism: Mechanism, pair: tuple[Any, Any], context: Context, *, quoted: bool
) -> _Pilot:
    encoding = _encoded(pair)
    raised: list[tuple[int, str]] = []
    releases, mutated = 0, False
    for side, data in enumerate(encoding.pair):
        for seed in context.at("pilot", SIDES[side]).seed_sequence().spawn(PILOT_RUNS):
            given, ledger = encoding.decode(data), Ledger(seed)
            _, error = _outcome(mechanism, given, ledger, quoted=quoted)
            if error is not None:
                raised.append((side, error))
            releases = max(releases, len(ledger.transcript.releases))
            mutated |= encoding.searchable and not same_value(encoding.decode(data), given)
    return _Pilot(PILOT_RUNS, releases, raised, mutated)


# ------------------------------------------------------------------------------ the questions

QUESTIONS = tuple(name for name in BY_FORM if name != "black_box")
"""What is asked of releases; :func:`auditor.check` asks about the output alone."""


def audit_releases(
    mechanism: Mechanism,
    pair: tuple[Any, Any],
    claim: Guarantee | TradeOffFunction,
    *,
    context: Context | None = None,
    replaced: int | None = None,
    domain: Domain | None = None,
    samples: int = 1000,
    before_run: Callable[[], None] | None = None,
) -> tuple[Verdict, ...]:
    """Audit a mechanism that releases through a ledger, on a pair of neighbours.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data, ledger)``; or what :func:`~auditor.runs.instrument.instrument` makes
        of one that knows no ledger.
    pair : (Any, Any)
        Neighbouring data sets: arrays (axis 0 is the records), tuples of arrays of equal length,
        numbers, lists of numbers; or anything else, without a ``domain``. Every run is given a
        copy.
    claim : Guarantee or callable
        PureDP, ApproximateDP, ZCDP, RenyiDP or GaussianDP. To a trade-off function the questions
        of accounting and privacy loss do not apply.
    context : Context, optional
        Seed, effort and confidence of all questions together; its ``tests`` is not used.
    replaced : int, optional
        Index of the record in which the pair differs; by default found by comparison. It matters
        to mechanisms that draw subsamples, and to the search.
    domain : Domain, optional
        Where a record may lie: the sensitivity and control-flow questions then also try pairs
        whose record ``replaced`` lies anywhere in it. If its records cannot be put into the data
        sets, the sensitivity verdict says why only the pair was tried.
    samples : int, default 1000
        Most runs in either direction of the privacy-loss question (ten times as many in the full
        tier); fewer if a violation, or that none is in sight, shows before.
    before_run : callable, optional
        Called before every run. When it raises OutOfTime the question is inconclusive.

    Returns
    -------
    tuple of Verdict
        One for each of :data:`QUESTIONS`. Of instrumented code, a claim that only the books exceed
        is inconclusive; see :mod:`auditor.checking.declared`. A violated one names the release to
        blame in its summary and in ``evidence["blame"]`` (``release``, ``kind``,
        ``site``, ``statement``); see :func:`blame`. What was noticed beside (exceptions, nothing
        released, primitives never called) is a finding of the control-flow verdict.

    Raises
    ------
    InputError
        If ``pair`` is no pair, or an instrumented primitive is called in a way that its
        declaration does not allow.

    Examples
    --------
    A mean of ten values in [0, 1] with half the noise it needs:

    >>> def mean(data, ledger):
    ...     return ledger.laplace(data.mean(), sensitivity=0.1, scale=0.05)
    >>> data, other = np.zeros(10), np.zeros(10)
    >>> other[3] = 1.0
    >>> verdicts = audit_releases(mean, (data, other), PureDP(1.0))
    >>> {v.question for v in verdicts if v.status == "violated"} == {"accounting", "privacy_loss"}
    True
    """
    shared = replace(
        context or Context(), tests=sum(BY_FORM[name].statistical for name in QUESTIONS)
    )
    run = _announced(mechanism, before_run)
    form = _form_of(run, pair, claim, replaced=replaced, domain=domain, samples=samples)
    try:
        pilot = _pilot(run, (pair[0], pair[1]), shared, quoted=not (domain and domain.real))
    except OutOfTime:
        return tuple(map(too_late, QUESTIONS))
    skipped = _skipped(pilot, claim, declared=isinstance(mechanism, Instrumented))
    runs = SharedRuns(form, shared)
    verdicts = []
    for name in QUESTIONS:
        if name in skipped:
            verdicts.append(skipped[name])
        elif name == "samplers" and isinstance(mechanism, Instrumented):
            verdicts.append(_native_samplers(mechanism, pair, form, shared, before_run))
        else:
            verdicts.append(_asked(name, form, shared, runs))
    findings = pilot.findings
    if isinstance(mechanism, Instrumented):
        findings = (*findings, *mechanism.findings)
        verdicts = weigh(
            verdicts,
            form,
            shared,
            certain_delta=_certain_delta(claim),
            draws_elsewhere=mechanism.draws_elsewhere,
        )
    return tuple(_completed(verdict, pilot, findings) for verdict in verdicts)


def _certain_delta(claim: Guarantee | TradeOffFunction) -> float:
    """Return how probable an output may be that is impossible on the other data set."""
    if isinstance(claim, Guarantee):
        return claim.delta if isinstance(claim, ApproximateDP) else 0.0
    return 1 - float(np.ravel(claim(np.zeros(1)))[0])


def too_late(question: str) -> Verdict:
    """Return the verdict on a question for which there was no time."""
    why = "the time was up before this was answered; give a larger timeout"
    return Verdict(question, "inconclusive", why)


def _announced(mechanism: Mechanism, before_run: Callable[[], None] | None) -> Mechanism:
    """Return a mechanism that calls ``before_run`` first."""
    if before_run is None:
        return mechanism

    def run(data: Any, ledger: Ledger) -> Any:
        before_run()
        return mechanism(data, ledger)

    return run


def _skipped(
    pilot: _Pilot, claim: Guarantee | TradeOffFunction, *, declared: bool
) -> dict[str, Verdict]:
    """Return the verdicts on questions that need not be asked; control flow is always asked."""
    about_releases = [name for name in QUESTIONS if name != "control_flow"]
    if pilot.failure is not None:
        return {name: Verdict(name, "inconclusive", pilot.failure) for name in about_releases}
    if not pilot.releases:
        if declared:
            why = "no declared primitive was called: nothing that was declared could be tested"
            return {name: Verdict(name, "inconclusive", why) for name in about_releases}
        why = "nothing is released through the ledger"
        return {name: Verdict(name, "not applicable", why) for name in about_releases}
    if isinstance(claim, Guarantee):
        return {}
    why = "a trade-off function is claimed; ask it of pure, approximate, zCDP, Renyi or Gaussian DP"
    return {name: Verdict(name, "not applicable", why) for name in ("accounting", "privacy_loss")}


def _completed(verdict: Verdict, pilot: _Pilot, findings: tuple[Finding, ...]) -> Verdict:
    """Return the control-flow verdict with all findings; others as they are."""
    if verdict.question != "control_flow":
        return verdict
    if verdict.status == "holds" and len(pilot.raised) == 2 * pilot.runs:
        why = f"every run raised, first {pilot.raised[0][1]}"
        verdict = verdict.with_status("inconclusive", why)
    return replace(verdict, findings=(*verdict.findings, *findings))


def _asked(name: str, form: Form, context: Context, runs: SharedRuns) -> Verdict:
    try:
        verdict = BY_FORM[name].ask(form, context.at(name), runs)
    except InputError:
        raise
    except OutOfTime:
        return too_late(name)
    except Exception as error:  # such as outputs that cannot be compared
        return Verdict(name, "inconclusive", f"the question failed with {one_line(error)}")
    return _traced(verdict, form)


def _native_samplers(
    mechanism: Instrumented,
    pair: tuple[Any, Any],
    form: Form,
    context: Context,
    before_run: Callable[[], None] | None,
) -> Verdict:
    """Ask about the draws of the primitives themselves."""
    run = _announced(mechanism.native, before_run)
    try:
        pilot = _pilot(run, (pair[0], pair[1]), context, quoted=False)  # runs are counted
    except OutOfTime:
        return too_late("samplers")
    if not pilot.releases:
        untested = "; ".join(describe(finding) for finding in mechanism.findings)
        why = pilot.failure or untested or "nothing is released"
        return Verdict("samplers", "inconclusive", f"with the primitives' own noise, {why}")
    native = replace(form, run=_form_of(run, pair, form.claim, replaced=form.replaced).run)
    verdict = _asked("samplers", native, context, SharedRuns(native, context))
    if verdict.status == "holds" and mechanism.findings:  # of other primitives
        untested = "; ".join(describe(finding) for finding in mechanism.findings)
        verdict = verdict.with_status("inconclusive", untested)
    return verdict


def _native_form(mechanism: Mechanism, pair: tuple[Any, Any], form: Form) -> Form:
    """Return the form in which instrumented primitives draw their own noise."""
    if not isinstance(mechanism, Instrumented):
        return form
    native = _form_of(mechanism.native, pair, form.claim, replaced=form.replaced)
    return replace(form, run=native.run)


def reproduce(
    mechanism: Mechanism,
    pair: tuple[Any, Any],
    claim: Guarantee | TradeOffFunction,
    verdict: Verdict,
    *,
    replaced: int | None = None,
) -> bool:
    """Run the witness of a violated verdict again; return whether the violation shows again.

    Parameters
    ----------
    mechanism, pair, claim, replaced
        As for the audit.
    verdict : Verdict
        Of :func:`audit_releases`, perhaps read back from JSON.

    Raises
    ------
    InputError
        If the verdict has no witness.
    """
    witness, question = verdict.witness, verdict.question
    if witness is None:
        raise InputError(f"the verdict on {question} is {verdict.status!r}: it has no witness")
    form = _form_of(mechanism, pair, claim, replaced=replaced)
    if question == "samplers":
        form = _native_form(mechanism, pair, form)
    return BY_FORM[question].reproduce(form, witness)


# ------------------------------------------------------------------- which release is to blame

_OWN_FILES = {module.__file__ for module in (instrument, session, live, modes)} | {__file__}


class _Sited(Ledger):
    """A ledger that remembers the line from which every release was asked."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sites: list[str] = []

    def _release(self, *args: Any, **kwargs: Any) -> Any:
        self.sites.append(_call_site())
        return super()._release(*args, **kwargs)


class _SitedRecording(_Sited, RecordingLedger):
    pass


class _SitedReplay(_Sited, ReplayLedger):
    pass


def _call_site() -> str:
    """Return the line outside of this package that asked for a release."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename in _OWN_FILES and frame.f_back is not None:
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


@dataclass(frozen=True)
class _Culprit:
    """A release that is to blame, or none if it is something else."""

    statement: str
    release: int | None = None
    kind: str | None = None
    site: str | None = None


def _traced(verdict: Verdict, form: Form) -> Verdict:
    """Return a verdict; if it is violated, with the release to blame."""
    if verdict.status != "violated" or verdict.witness is None:
        return verdict
    try:
        culprit = _TRACES[verdict.question](verdict, form)
    except (Exception, OutOfTime) as error:  # the violation stands, even if it cannot be traced
        untraced = f"the release to blame was not found ({one_line(error)})"
        return replace(verdict, summary=f"{verdict.summary}; {untraced}")
    found = {
        "release": culprit.release,
        "kind": culprit.kind,
        "site": culprit.site,
        "statement": culprit.statement,
    }
    summary = culprit.statement
    if verdict.question != "control_flow":
        summary = f"{verdict.summary}; {summary}"
    return replace(verdict, summary=summary, evidence={**verdict.evidence, "blame": found})


def _named(index: int, kind: str, site: str) -> str:
    return f"release {index} ({kind}, {site})"


def _noise(release: Release) -> str:
    """Return what a release declares, e.g. ``sensitivity 0.1, scale=0.5``."""
    mechanism = release.mechanism
    given = ", ".join(f"{name} {value:.6g}" for name, value in _scales(mechanism.__dict__))
    return f"sensitivity {release.claim.sensitivity:.6g}, {given}"


def _scales(parameters: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    known = ("scale", "rate", "epsilon", "smooth_bound")
    return ((name, parameters[name]) for name in known if name in parameters)


def _recorded(form: Form, data: Data, seed: Any) -> tuple[Transcript, list[str]]:
    ledger = _SitedRecording(seed, target=form.replaced)
    form.run(data, ledger)
    return ledger.transcript, ledger.sites


def _trace_sensitivity(verdict: Verdict, form: Form) -> _Culprit:
    assert verdict.witness is not None
    witness, where = verdict.witness, verdict.evidence["where"]
    data, _ = restore_pair(form.pair, witness)
    _, sites = _recorded(form, data, witness["seed"])
    index, kind = where["release"], where["kind"]
    # on data sets too large for a witness the other records may not be those of the search
    site = sites[index] if index < len(sites) else "?"
    statement = (
        f"{_named(index, kind, site)} changes by {where['distance']:.6g} between neighbours, its "
        f"claimed sensitivity is {where['claimed_bound']:.6g} ({where['norm']})"
    )
    return _Culprit(statement, index, kind, site)


def _trace_accounting(verdict: Verdict, form: Form) -> _Culprit:
    assert verdict.witness is not None
    witness, evidence = verdict.witness, verdict.evidence
    if "no local randomiser" in verdict.summary:
        return _Culprit(verdict.summary)
    data = form.pair[0 if witness["data set"] == "D" else 1]
    transcript, sites = _recorded(form, data, witness["seed"])
    costs = _costs(transcript, form.claim)
    index = int(np.argmax(costs))
    release = transcript.releases[index]
    kind = release.mechanism.kind
    name, unit = _named(index, kind, sites[index]), evidence["parameter"]
    at = f" at epsilon {evidence['claimed_epsilon']:.6g}" if unit == "delta" else ""
    statement = (
        f"{name} declares {_noise(release)}, which costs {unit} {costs[index]:.6g}{at}; the claim "
        f"allows {evidence['claimed']:.6g}"
    )
    if len(costs) > 1:
        statement += (
            f" for all {len(costs)} releases, which cost {evidence['accounted']:.6g} together"
        )
    return _Culprit(statement, index, kind, sites[index])


def _costs(transcript: Transcript, claim: Guarantee) -> list[float]:
    """Return what every release costs alone, in the parameter of the claim."""
    known: dict[str, float] = {}
    for release in transcript.releases:  # releases that declare the same cost the same
        if _declared(release) not in known:
            alone = accounting.account(Transcript((release,)), claim, bound_below=False)
            known[_declared(release)] = alone.accounted
    return [known[_declared(release)] for release in transcript.releases]


def _declared(release: Release) -> str:
    sample = release.claim.sample
    drawn = None if sample is None else (sample.population, sample.size, sample.replace)
    return repr(
        (release.mechanism, release.claim.sensitivity, release.claim.background_sensitivity, drawn)
    )


def _trace_control_flow(verdict: Verdict, form: Form) -> _Culprit:
    assert verdict.witness is not None
    witness = verdict.witness
    data, other = restore_pair(form.pair, witness)
    transcript, sites = _recorded(form, data, witness["seed"])
    forced = (None, 0, 1) if subsample_entries(transcript) else (None,)
    for count in forced:
        ledger, output = _SitedReplay(transcript, count=count), None
        try:
            output = form.run(other, ledger)
            ledger.finish()
        except ControlFlowError as error:
            raised = f" ({output.name} is raised)" if isinstance(output, Raised) else ""
            index, kind, site = _changed_release(error.position, transcript, sites, ledger.sites)
            where = ", ".join(part for part in (kind, site) if part)
            statement = (
                f"release {index} ({where}) is not made alike on both data sets: "
                f"{str(error).partition(': ')[2]}{raised}"
            )
            return _Culprit(statement, index, kind, site)
    return _Culprit(str(witness["difference"]))


def _changed_release(
    position: int, transcript: Transcript, sites: Sequence[str], replayed_sites: Sequence[str]
) -> tuple[int, str | None, str | None]:
    """Return index, kind and place of the release at which a replay leaves its transcript."""
    index = sum(isinstance(entry, Release) for entry in transcript.entries[:position])
    old = transcript.entries[position] if position < len(transcript.entries) else None
    kind = old.mechanism.kind if isinstance(old, Release) else None
    asked = [sites[index]] if kind is not None else []
    asked += replayed_sites[index : index + 1]
    return index, kind, " or ".join(dict.fromkeys(asked)) or None


def _trace_privacy_loss(verdict: Verdict, form: Form) -> _Culprit:
    assert verdict.witness is not None
    witness = verdict.witness
    data, other = form.pair[witness["direction"]], form.pair[1 - witness["direction"]]
    seeds = restore_seeds(witness["seeds"], witness["runs"])
    seeds = [seeds[witness["index"]]] if "index" in witness else seeds[:BLAME_RUNS]
    losses: defaultdict[int, float] = defaultdict(float)
    seen: dict[int, tuple[Release, Release, str]] = {}
    for seed in seeds:
        transcript, sites = _recorded(form, data, seed)
        # with subsamples, what a release tells if the record is drawn
        count = 1 if subsample_entries(transcript) else None
        mine = replay(form.run, data, transcript, count=count).releases
        theirs = replay(form.run, other, transcript, count=count).releases
        for index, (one, two) in enumerate(zip(mine, theirs, strict=True)):
            losses[index] += loss_between(Transcript((one,)), Transcript((two,))) / len(seeds)
            seen.setdefault(index, (one, two, sites[index]))
    index = max(losses, key=lambda i: losses[i])
    one, two, site = seen[index]
    kind = one.mechanism.kind
    distance = float(np.max(unit_distances(one, two)))
    statement = (
        f"{_named(index, kind, site)} with {_noise(one)} tells most: it changes by "
        f"{distance:.6g} between the data sets, a loss of {losses[index]:.6g}"
        + ("" if len(seeds) == 1 else " on average")
    )
    return _Culprit(statement, index, kind, site)


def _trace_samplers(verdict: Verdict, form: Form) -> _Culprit:
    assert verdict.witness is not None
    witness = verdict.witness
    seeds = restore_seeds(witness["seeds"], witness["runs"])[:BLAME_RUNS]
    rng = np.random.default_rng(0)
    made: defaultdict[int, list[Release]] = defaultdict(list)
    where: dict[int, str] = {}
    for seed in seeds:
        transcript, sites = _recorded(form, form.pair[0], seed)
        for index, release in enumerate(transcript.releases):
            made[index].append(release)
            where.setdefault(index, sites[index])
    p_values = {
        index: samplers.uniformity(
            np.concatenate([uniforms(release, rng) for release in releases])
        ).p_value
        for index, releases in made.items()
    }
    index = min(p_values, key=lambda i: p_values[i])
    kind = made[index][0].mechanism.kind
    statement = (
        f"{_named(index, kind, where[index])} with {_noise(made[index][0])} is not drawn as "
        f"declared{_found_scale(made[index])}"
    )
    return _Culprit(statement, index, kind, where[index])


def _found_scale(releases: Sequence[Release]) -> str:
    """Say how large Gaussian or Laplace noise is; its maximum-likelihood scale."""
    law = releases[0].mechanism.residual_law()
    if law not in ("norm", "laplace"):
        return ""
    residuals = np.concatenate([_residual(release).ravel() for release in releases])
    power = 2 if law == "norm" else 1
    ratio = float(np.mean(np.abs(residuals) ** power)) ** (1 / power)
    return f": its noise has {ratio:.3g} times the declared scale"


def _residual(release: Release) -> FloatArray:
    assert release.value is not None
    residual = release.mechanism.residual(release.output, release.value)
    assert residual is not None
    return residual


_TRACES: dict[str, Callable[[Verdict, Form], _Culprit]] = {
    "control_flow": _trace_control_flow,
    "sensitivity": _trace_sensitivity,
    "samplers": _trace_samplers,
    "accounting": _trace_accounting,
    "privacy_loss": _trace_privacy_loss,
}
"""From the cause to its consequences: the order in which :func:`blame` speaks."""


def blame(verdicts: Sequence[Verdict]) -> str | None:
    """Return what a mechanism's releases are to blame for, in one sentence.

    Parameters
    ----------
    verdicts : sequence of Verdict
        Of :func:`audit_releases`.

    Returns
    -------
    str or None
        ``None`` if no release is. A privacy loss that is too large is mentioned only if no other
        question explains it; of instrumented code what remains in doubt, only if nothing is
        violated.
    """
    violated = {v.question: v for v in verdicts if v.status == "violated"}
    violated = violated or {v.question: v for v in verdicts if "blame" in v.evidence}
    causes = [name for name in _TRACES if name in violated]
    if len(causes) > 1:
        causes = [name for name in causes if name != "privacy_loss"]
    said = [_statement(violated[name]) for name in causes]
    return "; ".join(said) if said else None


def unsettled(verdicts: Sequence[Verdict]) -> str | None:
    """Return what was asked of releases and not answered, and why; ``None`` if all was."""
    said = [f"{v.question}: {v.summary}" for v in verdicts if on_claim(v) == "inconclusive"]
    return "; ".join(said) if said else None


def _statement(verdict: Verdict) -> str:
    found = verdict.evidence.get("blame")
    return str(found["statement"]) if found else verdict.summary
