"""The black-box question: can the output alone tell D from D' better than the claim allows.

Only outputs are used, so this audit covers what the others take for granted: that the ledger's
densities describe what the code does. A statistic of the output is thresholded; the event is
chosen on a quarter of the runs and certified on the rest (:mod:`auditor.events.thresholds`), so
that the choice costs no validity.

The statistic is rounded to a grid of 1e-9 of its spread before anything else: the grid of
representable floating-point outputs alone can tell D from D', which is a leak of another kind
(:mod:`auditor.events.floating_point`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from auditor.core.case import BlackBox, Form
from auditor.core.context import Context
from auditor.core.sides import DIRECTIONS
from auditor.core.verdict import Verdict
from auditor.core.witness import describe_pair, describe_seeds, restore_seeds
from auditor.events import floating_point
from auditor.events.thresholds import Certificate, Event, certified_from, certify
from auditor.questions.privacy_loss import claim_points
from auditor.statistics.claims import claim_of, decode_claim, encode_claim
from auditor.statistics.combination import bonferroni
from auditor.statistics.proportions import clopper_pearson, two_sample_p_value
from reference._validation import FloatArray
from reference.privacy.ledger import Ledger

GRID = 1e-9
"""Grid to which the statistic is rounded, in units of its spread (largest - smallest)."""

# ------------------------------------------------------------------------------- the audit


def run_statistics(box: BlackBox, side: int, seeds: Sequence[np.random.SeedSequence]) -> FloatArray:
    """Return the statistic of one live run per seed on data set ``side`` (0 or 1) of the pair.

    Raises
    ------
    ValueError
        If a statistic is NaN.
    """
    data = box.pair[side]
    values = np.array([float(box.statistic(box.run(data, Ledger(seed)))) for seed in seeds])
    if np.isnan(values).any():
        raise ValueError("the black-box statistic returned NaN; it must map an output to a number")
    return values


def rounded(samples: Sequence[FloatArray]) -> tuple[list[FloatArray], float]:
    """Round all samples to one grid of :data:`GRID` times their spread; return it as well."""
    finite = np.concatenate(samples)
    finite = finite[np.isfinite(finite)]
    spread = float(finite.max() - finite.min()) if finite.size else 0.0
    if spread == 0 or not math.isfinite(spread):
        return [np.asarray(sample) for sample in samples], 0.0
    grid = GRID * spread
    return [np.round(sample / grid) * grid for sample in samples], grid


def audit(form: Form, context: Context) -> Verdict:
    """Run ``form.black_box`` on both data sets and try to tell them apart by an event.

    Returns
    -------
    Verdict
        ``violated`` if the claim is rejected at ``context.alpha`` (both directions together);
        ``inconclusive`` if the statistic never varies; ``not applicable`` without a black box.
    """
    box = form.black_box
    if box is None:
        return Verdict("black_box", "not applicable", form.no_black_box or "no black box is given")
    runs = context.effort(2000)
    sequences = [context.at(f"side {side}").seed_sequence() for side in (0, 1)]
    raw = [run_statistics(box, side, sequences[side].spawn(runs)) for side in (0, 1)]
    samples, grid = rounded(raw)
    if np.unique(np.concatenate(samples)).size == 1:
        return Verdict(
            "black_box",
            "inconclusive",
            f"the statistic is {samples[0][0]:.6g} in all {2 * runs} runs; choose one that varies",
            evidence={"runs": runs},
        )
    claim, (epsilon, delta) = claim_of(box.claim), claim_points(box.claim)[0]
    share = context.alpha / len(DIRECTIONS)
    certificates = [certify(samples[i], samples[1 - i], claim, share) for i in (0, 1)]
    direction = int(np.argmin([c.p_value for c in certificates]))
    worst = certificates[direction]
    p_value = bonferroni([certificate.p_value for certificate in certificates])
    violated = p_value <= context.alpha
    evidence = _evidence(certificates, direction, runs, (epsilon, delta), grid, share)
    finding = floating_point.finding(raw[0], raw[1], claim, context.alpha, delta=delta)
    return Verdict(
        "black_box",
        "violated" if violated else "holds",
        _summary(evidence, p_value),
        evidence=evidence,
        witness=_witness(form, box, worst, direction, sequences, runs, grid, share)
        if violated
        else None,
        p_value=p_value,
        findings=() if finding is None else (finding,),
    )


def _evidence(
    certificates: Sequence[Certificate],
    direction: int,
    runs: int,
    claimed: tuple[float, float],
    grid: float,
    share: float,
) -> dict[str, Any]:
    worst = certificates[direction]
    (k, n), (m, size) = worst.first, worst.second
    epsilon, delta = claimed
    return {
        "runs": runs,
        "confidence": 1 - len(certificates) * share,
        "claimed_epsilon": epsilon,
        "claimed_delta": delta,
        "certified_epsilon": max(c.epsilon(delta, share) for c in certificates),
        "certified_mu": max(c.mu(share) for c in certificates),
        "direction": DIRECTIONS[direction],
        "event": worst.event.describe(),
        "first_count": [k, n],
        "second_count": [m, size],
        "first_lower": float(clopper_pearson(k, n, share)[0]),
        "second_upper": float(clopper_pearson(m, size, share)[1]),
        "rounded_to": grid,
    }


def _summary(evidence: Mapping[str, Any], p_value: float) -> str:
    (k, n), (m, size) = evidence["first_count"], evidence["second_count"]
    return (
        f"{evidence['event']} ({evidence['direction']}): {k} of {n} runs against {m} of {size}; "
        f"certified epsilon {evidence['certified_epsilon']:.4g} at delta "
        f"{evidence['claimed_delta']:.3g} of epsilon {evidence['claimed_epsilon']:.4g}, certified "
        f"mu {evidence['certified_mu']:.4g}; p = {p_value:.2g} "
        f"(statistic rounded to {evidence['rounded_to']:.2g})"
    )


# ------------------------------------------------------------------------------- witnesses


def _witness(
    form: Form,
    box: BlackBox,
    certificate: Certificate,
    direction: int,
    sequences: Sequence[np.random.SeedSequence],
    runs: int,
    grid: float,
    share: float,
) -> dict[str, Any]:
    return {
        "pair": describe_pair(box.pair, form.replaced),
        "direction": direction,
        "parameters": dict(form.parameters),
        "seeds": [describe_seeds(sequence) for sequence in sequences],
        "runs": runs,
        "event": certificate.event.describe(),
        "threshold": certificate.event.threshold,
        "above": certificate.event.above,
        "rounded_to": grid,
        "claim": encode_claim(claim_of(box.claim)),
        "first_count": list(certificate.first),
        "second_count": list(certificate.second),
        "alpha": share,
        "p_value": certificate.p_value,
    }


def reproduce(form: Form, witness: Mapping[str, Any]) -> bool:
    """Run a witness of :func:`audit` again; return whether its event still breaks the claim."""
    likely, unlikely = recount(form, witness)
    claim = decode_claim(witness["claim"])
    return bool(two_sample_p_value(likely, unlikely, claim.ceiling) <= witness["alpha"])


def recount(form: Form, witness: Mapping[str, Any]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Repeat the runs that certified a witness's event, and count it again.

    Returns
    -------
    first, second : (int, int)
        Runs in the event, and runs, on the likely and on the unlikely side.
    """
    box = form.black_box
    if box is None:
        raise ValueError("the form has no black box to run the witness on")
    event = Event(float(witness["threshold"]), witness["above"])
    runs, grid = witness["runs"], witness["rounded_to"]
    counts = []
    for side in (0, 1):
        seeds = restore_seeds(witness["seeds"][side], runs)[certified_from(runs) :]
        statistics = run_statistics(box, side, seeds)
        if grid > 0:
            statistics = np.round(statistics / grid) * grid
        counts.append((event.count(statistics), statistics.size))
    direction = witness["direction"]
    return counts[direction], counts[1 - direction]
