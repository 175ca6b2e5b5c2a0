"""Meaning of violations in code whose noise was declared, not written for a ledger.

Whoever writes for a ledger says that its releases, and nothing else, leave. Of instrumented code
(:mod:`auditor.runs.instrument`) that is not known: it may return less than its noisy values (their
largest, say), draw a secret subsample, or add noise that was not declared. So what is worse than
the claim in the ledger's books refutes the claim only if the outputs show it:

- nothing was drawn but through declared primitives, from the declared laws, and a run on the same
  data comes out the same;
- every noisy value can be read off what is returned, alike on both data sets;
- an account stands on distances that the pair itself shows, not on declared sensitivities or on
  the same record being read by every release.

Otherwise the question is inconclusive; the runs of the mechanism itself, as a black box, decide. A
sensitivity or a law that is not as declared is a fact about the declaration, and the question
stays violated, but by itself it does not refute the claim (:func:`on_claim`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from auditor.core.case import Data, Form
from auditor.core.context import Context
from auditor.core.neighbours import n_records
from auditor.core.verdict import Verdict, VerdictStatus
from auditor.core.witness import restore_pair
from auditor.mechanisms import rounding_allowance
from auditor.questions import accounting, control_flow
from auditor.runs.blocks import Raised
from auditor.transcript.replay import record, replay, unit_distances
from reference._validation import FloatArray
from reference.privacy.guarantees import PureDP
from reference.privacy.ledger import ControlFlowError, Release, ReleaseClaim, Transcript

RUNS = 16
"""Runs on either data set that show which numbers are returned, and which distances."""

EXACT = 1e-12
"""Share of an output's variance that may be left when it is taken for a noisy value, scaled and
shifted: rounding."""

MOST_PAIRS = 1_000_000
"""Noisy values times numbers returned that are compared with each other."""

TOLD_RUNS, TOLD_ALPHA = 32, 1e-6
"""Runs that are replayed to see how often the output tells the data sets apart, and the error
probability of the test that it is more often than the claimed delta."""

_DECLARATION = {"sensitivity", "samplers"}


def on_claim(verdict: Verdict) -> VerdictStatus:
    """Return what a verdict says about the privacy claim itself."""
    if verdict.status == "violated" and verdict.evidence.get("contradicts") == "declaration":
        return "inconclusive"
    return verdict.status


def weigh(
    verdicts: Sequence[Verdict],
    form: Form,
    context: Context,
    *,
    certain_delta: float,
    draws_elsewhere: bool,
) -> list[Verdict]:
    """Return verdicts on an instrumented mechanism in which "violated" has evidence.

    Parameters
    ----------
    verdicts : sequence of Verdict
    form : Form
        What they were asked of.
    context : Context
    certain_delta : float
        Largest probability that the claim allows to an output impossible on the other data set.
    draws_elsewhere : bool
        Whether the mechanism draws other than through declared primitives.
    """
    if all(verdict.status != "violated" for verdict in verdicts):
        return list(verdicts)
    status = {verdict.question: verdict.status for verdict in verdicts}
    reason = _undeclared(form, context)
    weighed = []
    for verdict in verdicts:
        if verdict.status != "violated":
            weighed.append(verdict)
            continue
        why = reason if verdict.question != "samplers" else None
        if why is None and verdict.question == "sensitivity":
            sizes = {n_records(data) for data in form.pair}
            why = _ELSEWHERE if draws_elsewhere and len(sizes) > 1 else None
        elif why is None and verdict.question not in _DECLARATION:
            why = _ELSEWHERE if draws_elsewhere else None
            if verdict.question != "control_flow" and status["samplers"] != "holds":
                why = why or _UNTESTED
            why = why or _not_shown(verdict, form, context, certain_delta)
        if why is not None:
            doubted = verdict.with_status("inconclusive", why)
            weighed.append(replace(doubted, witness=None))
        elif verdict.question in _DECLARATION:
            evidence = {**verdict.evidence, "contradicts": "declaration"}
            weighed.append(replace(verdict, evidence=evidence))
        else:
            weighed.append(verdict)
    return weighed


_ELSEWHERE = (
    "the mechanism also draws what is not declared, which counts as public here but may be secret "
    "(noise, a subsample), so that the outputs have to decide"
)
_UNTESTED = "the draws are not known to follow their declared laws, so that the outputs decide"
_HIDDEN = (
    "{} cannot be read off what is returned (clipped, rounded or left out after the noise is "
    "added?), which may tell less, so that the outputs have to decide; to have the noisy values "
    "themselves judged, let the checked function return them as they are"
)


def _undeclared(form: Form, context: Context) -> str | None:
    """Return what two runs on the same data, with the same releases, differ in."""
    for side, data in enumerate(form.pair):
        for seed in context.at("declared", "same", str(side)).rng().integers(2**31, size=3):
            found = control_flow.leak(form.run, data, data, seed=int(seed))
            if found is not None:
                return (
                    "runs on the same data differ, by randomness or state that is not declared "
                    f"({found}), so that the outputs have to decide; declare every primitive, or "
                    "draw from the generator that is given"
                )
    return None


def _not_shown(verdict: Verdict, form: Form, context: Context, certain_delta: float) -> str | None:
    """Return why what was found on paper does not refute the claim; ``None`` if it does."""
    assert verdict.witness is not None
    pair = form.pair
    if verdict.question == "control_flow":
        if not verdict.witness["difference"].startswith("the output changes"):
            return (
                "which noise is drawn depends on the data, but what is returned need not, so that "
                "the outputs have to decide"
            )
        pair = restore_pair(form.pair, verdict.witness)
    hidden = not_returned(form, pair, context)
    if hidden is not None:
        return _HIDDEN.format(hidden)
    if verdict.question == "control_flow" and not _tells(form, pair, context, certain_delta):
        return "the output told the data sets apart, but too rarely to exceed the claimed delta"
    if verdict.question == "accounting" and not _pair_spends(form, context):
        return (
            "the claim does not follow from what is declared, but the pair does not spend as much: "
            "the account takes every release for one about the same record unless records= says "
            "which it reads, and every sensitivity for attained"
        )
    return None


# --------------------------------------------------------------------- what is returned


def not_returned(form: Form, pair: tuple[Data, Data], context: Context) -> str | None:
    """Return which noisy value cannot be read off the output, alike on both data sets, if any.

    A number can be if some number of the output is the same affine function of it in every run on
    either data set; an outcome of a selection, if some part of the output tells the outcomes apart.
    """
    outputs: list[list[Any]] = []
    releases: list[tuple[Release, ...]] = []
    for side, data in enumerate(pair):
        for seed in context.at("declared", "returned", str(side)).rng().integers(2**31, size=RUNS):
            transcript, output = record(form.run, data, int(seed), target=form.replaced)
            outputs.append(_leaves(output))
            releases.append(transcript.releases)
    if len({len(leaves) for leaves in outputs}) > 1 or len({len(made) for made in releases}) > 1:
        return "noisy values whose number varies"
    columns = list(zip(*outputs, strict=True))
    numbers = [column for column in columns if all(map(_is_number, column))]
    returned = np.array(numbers, dtype=np.float64).reshape(len(numbers), len(outputs))
    for index, same in enumerate(zip(*releases, strict=True)):
        if not _is_returned(same, returned, columns):
            return f"release {index} ({same[0].mechanism.kind})"
    return None


def _is_returned(
    same: Sequence[Release], returned: FloatArray, columns: Sequence[Sequence[Any]]
) -> bool:
    """Return whether the output shows one release; ``same`` has it from every run."""
    if len({np.shape(release.output) for release in same}) > 1:
        return False
    drawn = np.array([np.ravel(np.asarray(r.output, dtype=np.float64)) for r in same]).T
    if drawn.shape[0] * len(columns) > MOST_PAIRS:
        return False
    if same[0].mechanism.residual_law() is not None:
        return bool(_affine(drawn, returned).any(axis=1).all())
    parts = [_pattern([repr(part) for part in column]) for column in columns]
    return all(len(set(values)) > 1 and _pattern(values) in parts for values in drawn.tolist())


def _affine(drawn: FloatArray, returned: FloatArray) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which rows of ``returned`` are affine functions of which rows of ``drawn``."""
    squares = np.square(_standard(drawn) @ _standard(returned).T)
    return np.asarray(1 - squares <= EXACT)


def _standard(rows: FloatArray) -> FloatArray:
    """Return rows less their means and of unit length; one that does not vary is zero."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(np.divide(centred, lengths, out=np.zeros_like(centred), where=lengths > 0))


def _pattern(values: Sequence[Any]) -> tuple[int, ...]:
    """Return which values are equal to each other: the place of the first such, for each."""
    first: dict[Any, int] = {}
    return tuple(first.setdefault(value, place) for place, value in enumerate(values))


def _leaves(output: Any) -> list[Any]:
    """Return the numbers and other plain values that an output is made of, in order."""
    if isinstance(output, np.ndarray):
        return list(output.ravel().tolist())
    if isinstance(output, Mapping):
        output = [*output.keys(), *output.values()]
    if isinstance(output, (list, tuple)):
        return [leaf for part in output for leaf in _leaves(part)]
    if is_dataclass(output) and not isinstance(output, Raised):
        return _leaves(vars(output)) if hasattr(output, "__dict__") else [output]
    return [output]


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, np.number)) and bool(np.isfinite(value))


# ------------------------------------------------------------------ what the pair shows


def _tells(form: Form, pair: tuple[Data, Data], context: Context, delta: float) -> bool:
    """Return whether the output, given what is released, differs more often than ``delta``."""
    seeds = context.at("declared", "told").rng().integers(2**31, size=TOLD_RUNS)
    told = sum(
        control_flow.leak(form.run, *pair, seed=int(seed), target=form.replaced) is not None
        for seed in seeds
    )
    return bool(stats.binom.sf(told - 1, TOLD_RUNS, delta) <= TOLD_ALPHA)


def _pair_spends(form: Form, context: Context) -> bool:
    """Return whether the claim is exceeded at the distances that the pair itself shows.

    The distances must be the same in every run; then the releases on the pair are a composition of
    fixed shifts, and its cost, where it is that of the declared kind at that distance, a fact.
    """
    data, other = form.pair
    shown: list[FloatArray] = []
    transcript = Transcript(())
    for seed in context.at("declared", "spent").rng().integers(2**31, size=RUNS):
        transcript, _ = record(form.run, data, int(seed), target=form.replaced)
        try:
            replayed = replay(form.run, other, transcript).releases
        except ControlFlowError:
            return False
        pairs = list(zip(transcript.releases, replayed, strict=True))
        shown.append(np.array([_sure_distance(*pair, n_records(data)) for pair in pairs]))
    if len({distances.size for distances in shown}) > 1:
        return False
    distances = np.min(shown, axis=0)
    if not np.allclose(np.max(shown, axis=0), distances, rtol=1e-6, atol=0):
        return False
    moved = [
        release._replace(claim=ReleaseClaim(float(distance)))
        for release, distance in zip(transcript.releases, distances, strict=True)
        if distance > 0
    ]
    if not all(_cost_is_attained(release, form) for release in moved):
        return False
    return accounting.account(Transcript(tuple(moved)), form.claim).contradicted


def _sure_distance(mine: Release, theirs: Release, n: int) -> float:
    """Return the distance of two values, less what rounding can have made of it."""
    distance = float(np.max(unit_distances(mine, theirs)))
    return max(0.0, distance - rounding_allowance(mine, theirs, n, mine.claim.sensitivity))


def _cost_is_attained(release: Release, form: Form) -> bool:
    """Return whether values as far apart as these cost what the worst ones do."""
    if not np.isfinite(release.claim.sensitivity):
        return False
    if release.mechanism.kind == "laplace":  # in one coordinate, or the largest loss alone
        return isinstance(form.claim, PureDP) or np.asarray(release.value).size == 1
    return release.mechanism.kind == "gaussian"
