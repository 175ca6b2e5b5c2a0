"""The release to blame for a violation: its index, its kind, and the line that makes it."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from auditor.checking.declared_noise import on_claim
from auditor.checking.release_runs import OWN_FILES
from auditor.core.case import Data, Form
from auditor.core.errors import one_line
from auditor.core.verdict import Verdict
from auditor.core.witness import restore_pair, restore_seeds
from auditor.events.lattices import values_and_pairs
from auditor.mechanisms import uniforms
from auditor.questions import accounting, samplers
from auditor.runs.blocks import Raised
from auditor.runs.clock import OutOfTime
from auditor.transcript.replay import loss_between, replay, subsample_entries, unit_distances
from reference._validation import FloatArray
from reference.privacy.guarantees import Guarantee
from reference.privacy.ledger import (
    ControlFlowError,
    Ledger,
    RecordingLedger,
    Release,
    ReplayLedger,
    Transcript,
)

BLAME_RUNS = 100
"""Runs of a statistical witness that are made again to find the release to blame."""

Witness = Mapping[str, Any]
_OWN_FILES = OWN_FILES | {__file__}


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

    release: int | None
    kind: str | None
    site: str | None
    statement: str


def traced(verdict: Verdict, form: Form) -> Verdict:
    """Return a verdict; if it is violated, with the release to blame."""
    if verdict.status != "violated" or verdict.witness is None:
        return verdict
    try:
        culprit = _TRACES[verdict.question](verdict, verdict.witness, form)
    except (Exception, OutOfTime) as error:  # the violation stands, even if it cannot be traced
        untraced = f"the release to blame was not found ({one_line(error)})"
        return replace(verdict, summary=f"{verdict.summary}; {untraced}")
    summary = culprit.statement
    if verdict.question != "control_flow":
        summary = f"{verdict.summary}; {summary}"
    evidence = {**verdict.evidence, "blame": asdict(culprit)}
    return replace(verdict, summary=summary, evidence=evidence)


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


def _trace_sensitivity(verdict: Verdict, witness: Witness, form: Form) -> _Culprit:
    where = verdict.evidence["where"]
    data, _ = restore_pair(form.pair, witness)
    _, sites = _recorded(form, data, witness["seed"])
    index, kind = where["release"], where["kind"]
    # on data sets too large for a witness the other records may not be those of the search
    site = sites[index] if index < len(sites) else "?"
    statement = (
        f"{_named(index, kind, site)} changes by {where['distance']:.6g} between neighbours, its "
        f"claimed sensitivity is {where['claimed_bound']:.6g} ({where['norm']})"
    )
    return _Culprit(index, kind, site, statement)


def _trace_accounting(verdict: Verdict, witness: Witness, form: Form) -> _Culprit:
    evidence = verdict.evidence
    if "no local randomiser" in verdict.summary:
        return _Culprit(None, None, None, verdict.summary)
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
    return _Culprit(index, kind, sites[index], statement)


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


def _trace_control_flow(verdict: Verdict, witness: Witness, form: Form) -> _Culprit:
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
            return _Culprit(index, kind, site, statement)
    return _Culprit(None, None, None, str(witness["difference"]))


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


def _trace_privacy_loss(verdict: Verdict, witness: Witness, form: Form) -> _Culprit:
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
    return _Culprit(index, kind, site, statement)


def _trace_samplers(verdict: Verdict, witness: Witness, form: Form) -> _Culprit:
    repeated = witness["group"] == samplers.REPEATED  # in few of the runs
    most = witness["runs"] if repeated else BLAME_RUNS
    seeds = restore_seeds(witness["seeds"], witness["runs"])[:most]
    rng = np.random.default_rng(0)
    made: defaultdict[int, list[Release]] = defaultdict(list)
    where: dict[int, str] = {}
    for seed in seeds:
        transcript, sites = _recorded(form, form.pair[0], seed)
        for index, release in enumerate(transcript.releases):
            made[index].append(release)
            where.setdefault(index, sites[index])
    compared = samplers.not_independent(witness["group"])
    if compared is not None:
        return _not_independent(compared, made, where)
    numbers = {
        index: np.concatenate([uniforms(release, rng) for release in releases])
        for index, releases in made.items()
    }
    if repeated:
        return _repeated(numbers, made, where)
    p_values = {index: samplers.uniformity(drawn).p_value for index, drawn in numbers.items()}
    index = min(p_values, key=lambda i: p_values[i])
    kind = made[index][0].mechanism.kind
    statement = (
        f"{_named(index, kind, where[index])} with {_noise(made[index][0])} is not drawn as "
        f"declared{_found_scale(made[index])}"
    )
    return _Culprit(index, kind, where[index], statement)


def _not_independent(
    compared: Sequence[int], made: Mapping[int, Sequence[Release]], where: Mapping[int, str]
) -> _Culprit:
    """Name the releases whose noise is not independent; the largest one if it is within one."""
    sizes = {index: np.size(releases[0].output) for index, releases in made.items()}
    named = compared or [max(sizes, key=lambda index: sizes[index])]
    kinds = [made[index][0].mechanism.kind for index in named]
    words = [_named(index, kind, where[index]) for index, kind in zip(named, kinds, strict=True)]
    of = "the noise of" if compared else "the noise within"
    statement = f"{of} {' and '.join(words)} is as declared one by one, but not independent"
    return _Culprit(named[-1], kinds[-1], where[named[-1]], statement)


def _repeated(
    numbers: Mapping[int, FloatArray],
    made: Mapping[int, Sequence[Release]],
    where: Mapping[int, str],
) -> _Culprit:
    """Name the release whose noise repeats most, and say how many values there are."""
    counts = {i: np.unique(drawn, return_counts=True)[1] for i, drawn in numbers.items()}
    index = max(counts, key=lambda i: values_and_pairs(counts[i])[1])
    kind = made[index][0].mechanism.kind
    values = values_and_pairs(counts[index])[0]
    statement = (
        f"the noise of {_named(index, kind, where[index])} takes about {values:,.0f} values, as "
        "that of a generator seeded from few bits"
    )
    return _Culprit(index, kind, where[index], statement)


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


_TRACES: dict[str, Callable[[Verdict, Witness, Form], _Culprit]] = {
    "control_flow": _trace_control_flow,
    "sensitivity": _trace_sensitivity,
    "samplers": _trace_samplers,
    "accounting": _trace_accounting,
    "privacy_loss": _trace_privacy_loss,
}
"""Questions in the order in which :func:`blame` reports them: causes before consequences."""


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
