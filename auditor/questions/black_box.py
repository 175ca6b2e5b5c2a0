"""The black-box question: can the output alone tell D from D' better than the claim allows.

Only outputs are used, so this audit covers what the others take for granted: that the ledger's
densities describe what the code does. A statistic of the output is thresholded, in stages
(:mod:`auditor.statistics.stages`):

1. A screen at 1%, looked at after 64, 128, ... runs on either data set. At every look the event is
   chosen on the first runs and tested on the rest (:mod:`auditor.events.thresholds`), so that the
   choice costs no validity; each of K looks fires at 1%/K.
2. If a look fires, an event that is chosen on all runs of the screen is tested on as many fresh
   runs, and if need be on four times as many.

As of the privacy losses (:mod:`auditor.questions.privacy_loss`), the p-value of both stages
together is that of the second over 100, bounds have their share of the error probability at every
look, and what a confirmed violation certifies is the smaller of what the two stages reject.

The statistic is rounded to a grid of 1e-9 of its spread before anything else: the grid of
representable floating-point outputs alone can tell D from D', which is a leak of another kind
(:mod:`auditor.events.floating_point`). The spread is that of the runs that choose the event.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from auditor.core.case import BlackBox, Form
from auditor.core.context import Context
from auditor.core.pair_names import DIRECTIONS
from auditor.core.verdict import Verdict
from auditor.core.witness import describe_pair, describe_seeds, restore_seeds
from auditor.events import floating_point
from auditor.events.thresholds import Certificate, Event, certified_from, choose_threshold
from auditor.statistics.claims import Claim, claim_of, decode_claim, encode_claim
from auditor.statistics.proportions import two_sample_p_value
from auditor.statistics.stages import (
    SCREEN,
    confirm,
    confirmation_level,
    looks,
    screen,
    staged_p_value,
)
from auditor.transcript.judgement import ENOUGH, PROMISING, claim_points
from auditor.transcript.shared import SharedRuns, run_statistics
from reference._validation import FloatArray

GRID = 1e-9
"""Grid to which the statistic is rounded, in units of its spread (largest - smallest)."""

CHOOSING = 250
"""Runs on either data set with which to choose an event: half of them while there are no more than
twice as many, later a quarter."""

RUNS, FULL_RUNS = 2000, 20_000
"""Most runs on either data set in the quick and in the full tier."""

# ------------------------------------------------------------------------------- the audit


def grid_of(samples: Sequence[FloatArray]) -> float:
    """Return the grid for statistics like these: :data:`GRID` times their spread, 0 for none."""
    finite = np.concatenate(samples)
    finite = finite[np.isfinite(finite)]
    spread = float(finite.max() - finite.min()) if finite.size else 0.0
    return 0.0 if spread == 0 or not math.isfinite(spread) else GRID * spread


def rounded(sample: FloatArray, grid: float) -> FloatArray:
    """Return statistics rounded to a grid, or as they are if it is 0."""
    return np.asarray(np.round(sample / grid) * grid if grid > 0 else sample)


class Tested(NamedTuple):
    """An event: what the runs that did not choose it say, its likelier side, and its grid."""

    certificate: Certificate
    direction: int
    grid: float


def certified(
    choosing: Sequence[FloatArray], testing: Sequence[FloatArray], claim: Claim, alpha: float
) -> Tested:
    """Choose an event, and the side where it is likelier, on some runs; count it on others.

    One event is enough for both directions: a claim's ceiling covers complements.

    Parameters
    ----------
    choosing, testing : (ndarray, ndarray)
        Statistics on D and on D'.
    claim : Claim
    alpha : float
        Error probability for which the event is chosen.
    """
    grid = grid_of(choosing)
    one, two = (rounded(sample, grid) for sample in choosing)
    choice = choose_threshold(one, two, claim, alpha, certifying=testing[0].size)
    event = Event(choice.threshold, above=True)
    counts = [(event.count(rounded(sample, grid)), sample.size) for sample in testing]
    first, second = counts[choice.side], counts[1 - choice.side]
    p_value = two_sample_p_value(first, second, claim.ceiling)
    return Tested(Certificate(event, first, second, p_value), choice.side, grid)


def audit(form: Form, context: Context, runs: SharedRuns | None = None) -> Verdict:
    """Run ``form.black_box`` on both data sets and try to tell them apart by an event.

    Parameters
    ----------
    form : Form
    context : Context
        Of this question.
    runs : SharedRuns, optional
        The form's; made here by default.

    Returns
    -------
    Verdict
        ``violated`` if the claim is rejected at ``context.alpha`` by the screen and its
        confirmation together; ``inconclusive`` if the statistic never varies; ``not applicable``
        without a black box.
    """
    box = form.black_box
    if box is None:
        return Verdict("black_box", "not applicable", form.no_black_box or "no black box is given")
    shared = SharedRuns(form, context) if runs is None else runs
    claim = claim_of(box.claim)
    sizes = looks(context.effort(RUNS, full=FULL_RUNS))

    def look(size: int) -> tuple[float, Tested]:
        samples = [shared.statistics("screen", side, size) for side in (0, 1)]
        cut = max(certified_from(size), min(size // 2, CHOOSING))
        choosing, testing = ([part[:cut] for part in samples], [part[cut:] for part in samples])
        found = certified(choosing, testing, claim, SCREEN / len(sizes))
        return found.certificate.p_value, found

    def enough(size: int, p_value: float, _: Tested) -> bool:
        if context.tier == "full" or size < context.effort(ENOUGH) or p_value < PROMISING:
            return False
        samples = [shared.statistics("screen", side, size) for side in (0, 1)]
        return not _exceeds(certified(samples, samples, claim, SCREEN).certificate, claim)

    screened = screen(sizes, look, enough)
    raw = [shared.statistics("screen", side, screened.runs) for side in (0, 1)]
    if np.unique(np.concatenate(raw)).size == 1:
        return Verdict(
            "black_box",
            "inconclusive",
            f"the statistic is {raw[0][0]:.6g} in all {2 * screened.runs} runs; choose one that "
            "varies",
            evidence={"runs": screened.runs},
        )
    found = screened.seen
    p_values, fresh = [screened.p_value], 0
    stages = [(found.certificate, context.alpha * screened.share)]
    if screened.fired:

        def again(size: int) -> Tested:
            confirming = [shared.statistics("confirmation", side, size) for side in (0, 1)]
            return certified(raw, confirming, claim, confirmation_level(context.alpha))

        confirmed, fresh = confirm(
            screened.runs, lambda size: again(size).certificate.p_value, context.alpha
        )
        found = again(fresh)
        p_values.append(confirmed)
        stages = [
            (screened.seen.certificate, screened.level),
            (found.certificate, confirmation_level(context.alpha)),
        ]
    p_value = staged_p_value(p_values)
    violated = p_value <= context.alpha
    evidence = {
        "runs": screened.runs,
        "confirmation_runs": fresh,
        "confidence": 1 - 2 * context.alpha,
        **_evidence(found, stages, claim, claim_points(box.claim)[0]),
    }
    leak = floating_point.finding(
        raw[0], raw[1], claim, context.alpha, delta=claim_points(box.claim)[0][1]
    )
    witness = None
    if violated:
        seeds = [shared.seeds("confirmation", side) for side in (0, 1)]
        witness = _witness(form, box, found, seeds, confirmation_level(context.alpha))
    return Verdict(
        "black_box",
        "violated" if violated else "holds",
        _summary(evidence, claim, p_value),
        evidence=evidence,
        witness=witness,
        p_value=p_value,
        findings=() if leak is None else (leak,),
    )


def _exceeds(certificate: Certificate, claim: Claim) -> bool:
    """Return whether an event's counts in the very runs that chose it exceed a claim.

    Too optimistic for a verdict; a guide to whether more runs may show something.
    """
    (k, n), (m, size) = certificate.first, certificate.second
    return bool(k / n > claim.ceiling((m + 1) / (size + 1)))


def _evidence(
    tested: Tested,
    stages: Sequence[tuple[Certificate, float]],
    claim: Claim,
    claimed: tuple[float, float],
) -> dict[str, Any]:
    """Return the figures of an event, and the levels that every stage rejects at its error."""
    certificate = tested.certificate
    epsilon, delta = claimed
    return {
        "claimed_epsilon": epsilon,
        "claimed_delta": delta,
        "certified_epsilon": min(found.epsilon(delta, alpha) for found, alpha in stages),
        "claimed_level": claim.level,
        "certified_level": min(found.level(claim, alpha) for found, alpha in stages),
        "direction": DIRECTIONS[tested.direction],
        "event": certificate.event.describe(),
        "first_count": list(certificate.first),
        "second_count": list(certificate.second),
        "rounded_to": tested.grid,
    }


def _summary(evidence: Mapping[str, Any], claim: Claim, p_value: float) -> str:
    (k, n), (m, size) = evidence["first_count"], evidence["second_count"]
    epsilon = ""
    if claim.symbol != "epsilon":
        epsilon = (
            f" (epsilon {evidence['certified_epsilon']:.4g} of {evidence['claimed_epsilon']:.4g} "
            f"at delta {evidence['claimed_delta']:.3g})"
        )
    return (
        f"{evidence['event']} ({evidence['direction']}): {k} of {n} runs against {m} of {size}; "
        f"certified {claim.symbol} {evidence['certified_level']:.4g} of {claim.describe()}{epsilon}"
        f"; p = {p_value:.2g} (statistic rounded to {evidence['rounded_to']:.2g})"
    )


# ------------------------------------------------------------------------------- witnesses


def _witness(
    form: Form,
    box: BlackBox,
    tested: Tested,
    sequences: Sequence[np.random.SeedSequence],
    alpha: float,
) -> dict[str, Any]:
    certificate = tested.certificate
    return {
        "pair": describe_pair(box.pair, form.replaced),
        "direction": tested.direction,
        "parameters": dict(form.parameters),
        "seeds": [describe_seeds(sequence) for sequence in sequences],
        "runs": certificate.first[1],
        "event": certificate.event.describe(),
        "threshold": certificate.event.threshold,
        "above": certificate.event.above,
        "rounded_to": tested.grid,
        "claim": encode_claim(claim_of(box.claim)),
        "first_count": list(certificate.first),
        "second_count": list(certificate.second),
        "alpha": alpha,
        "p_value": certificate.p_value,
    }


def reproduce(form: Form, witness: Mapping[str, Any]) -> bool:
    """Run a witness of :func:`audit` again; return whether its event still breaks the claim."""
    likely, unlikely = recount(form, witness)
    claim = decode_claim(witness["claim"])
    return bool(two_sample_p_value(likely, unlikely, claim.ceiling) <= witness["alpha"])


def recount(form: Form, witness: Mapping[str, Any]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Repeat the fresh runs that confirmed a witness's event, and count it again.

    Returns
    -------
    first, second : (int, int)
        Runs in the event, and runs, on the likely and on the unlikely side.
    """
    event = Event(float(witness["threshold"]), witness["above"])
    counts = []
    for side in (0, 1):
        seeds = restore_seeds(witness["seeds"][side], witness["runs"])
        statistics = rounded(run_statistics(form, side, seeds), witness["rounded_to"])
        counts.append((event.count(statistics), statistics.size))
    direction = witness["direction"]
    return counts[direction], counts[1 - direction]
