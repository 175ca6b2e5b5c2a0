"""The privacy-loss question: is the loss of whole transcripts as small as the claim says.

A transcript recorded on D and replayed on D' gives one exact draw of the privacy-loss variable
L = log p(outputs | D) - log p(outputs | D'). What many of them say is in
:mod:`auditor.transcript.estimates`, and how a claim is tested on them in
:mod:`auditor.transcript.judgement`. Both directions of the pair are sampled, since delta is not
symmetric.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.neighbours import remove_record
from auditor.core.pair_names import DIRECTIONS
from auditor.core.verdict import Verdict
from auditor.core.witness import describe_pair, describe_seeds, restore_seeds
from auditor.statistics.means import mean_lower
from auditor.statistics.stages import (
    confirmation_level,
    looks,
)
from auditor.transcript.estimates import (
    claimed_trade_off,
    delta_bounds,
    excess,
    fit_gaussian,
    trade_off_curve,
)
from auditor.transcript.judgement import (
    ENOUGH,
    Judgement,
    bounds,
    claim_p_value,
    claim_points,
    judge,
    largest_mu,
)
from auditor.transcript.losses import SAME_SHIFT, PrivacyLosses, pure_epsilon, sample_losses
from auditor.transcript.replay import record, subsample_entries
from auditor.transcript.shared import SharedRuns
from reference.privacy.guarantees import (
    Guarantee,
    PureDP,
)
from reference.privacy.ledger import ControlFlowError


def audit(form: Form, context: Context, runs: SharedRuns | None = None) -> Verdict:
    """Draw privacy losses in both directions of ``form.pair`` and test the claim on them.

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
        confirmation together (see the module's docstring), or a loss exceeds a pure claim.
        ``inconclusive`` if the pair does not exercise the mechanism, or does not make the same
        releases.
    """
    shared = SharedRuns(form, context) if runs is None else runs
    most = context.effort(form.loss_samples)
    enough = context.effort(ENOUGH, full=most)
    try:
        found = judge(shared.losses, form.claim, looks(most), enough=enough, alpha=context.alpha)
    except ControlFlowError as error:
        return Verdict(
            "privacy_loss",
            "inconclusive",
            f"the neighbour does not make the same releases ({error}), so that the loss is not "
            "defined release by release; the control-flow question decides",
        )
    if not any(sample.losses.any() for sample in found.samples):
        return Verdict(
            "privacy_loss",
            "inconclusive",
            f"all {2 * found.runs} losses are 0: the pair does not exercise the mechanism; "
            "give neighbours between which a released value changes",
            evidence={"runs": found.runs},
        )
    evidence = _evidence(found, form.claim, context.alpha)
    deterministic = isinstance(form.claim, PureDP)
    violated = found.p_value <= context.alpha
    summary = _summary(evidence, found, violated)
    if violated and _others_tell(form):
        return Verdict(
            "privacy_loss",
            "inconclusive",
            f"{summary}; but this is the loss of a mechanism that also publishes which of the "
            "other records it drew, and they differ: a pair whose other records are all equal "
            "would tell",
            evidence=evidence,
            p_value=None if deterministic else found.p_value,
        )
    seeds = shared.seeds(found.stage, found.worst.direction)
    level = confirmation_level(context.alpha)
    return Verdict(
        "privacy_loss",
        "violated" if violated else "holds",
        summary,
        evidence=evidence,
        witness=_witness(form, found, seeds, level) if violated else None,
        p_value=None if deterministic else found.p_value,
        findings=_findings(evidence),
    )


def _others_tell(form: Form) -> bool:
    """Return whether the sampled losses may exceed those of the outputs alone.

    With subsamples the likelihood is conditional on the other records drawn
    (:func:`auditor.transcript.replay.log_likelihood`); it is that of the outputs alone if those
    records are interchangeable.
    """
    transcript, _ = record(form.run, form.pair[0], 0, target=form.replaced)
    if not subsample_entries(transcript):
        return False
    others = remove_record(form.pair[0], form.replaced)
    parts = others if isinstance(others, tuple) else (others,)
    return any(not np.array_equal(part, np.broadcast_to(part[:1], part.shape)) for part in parts)


def _evidence(found: Judgement, claim: Guarantee, alpha: float) -> dict[str, Any]:
    samples = found.samples
    share = alpha * found.screened.share / len(found.tests)
    evidence: dict[str, Any] = {
        "runs": found.runs,
        "confirmation_runs": found.confirmed,
        "transcripts": sum(sample.losses.size for sample in samples),
        "confidence": 1 - 2 * alpha,
        **bounds(found, claim, alpha),
        "infinite_losses": sum(int(np.isinf(sample.losses).sum()) for sample in samples),
        "tests": [
            {
                "direction": DIRECTIONS[test.direction],
                "method": test.method,
                "epsilon": test.epsilon,
                "delta": test.delta,
                "p_value": test.p_value,
            }
            for test in found.tests
        ],
    }
    gaussian = _gaussian_evidence(samples, share)
    if gaussian is not None:
        evidence["gaussian"] = gaussian
    epsilon = evidence["claimed_epsilon"]
    worse = int(np.argmax([delta_bounds(s.losses, epsilon, share)[0] for s in samples]))
    evidence.update({"direction": DIRECTIONS[worse], **_curves(samples, claim, worse, share)})
    return evidence


def _gaussian_evidence(samples: Sequence[PrivacyLosses], alpha: float) -> dict[str, Any] | None:
    """Return the shifts of Gaussian noise, with a fit where the losses are exactly Gaussian.

    Where the shift differs from path to path the losses are a mixture, for which a fitted mu and
    its bounds mean nothing.
    """
    if any(sample.shifts is None for sample in samples):
        return None
    shifts = np.concatenate([s.shifts for s in samples if s.shifts is not None])
    evidence: dict[str, Any] = {
        "realised_mu": [float(shifts.min()), float(shifts.max())],
        "calibrated_mu": samples[0].calibrated,
    }
    if all(sample.constant_shift for sample in samples):
        fits = [fit_gaussian(sample.losses, alpha) for sample in samples]
        evidence["fitted_mu"] = max(fit.mu for fit in fits)
        evidence["mu_lower"] = max(fit.lower for fit in fits)
        evidence["mu_upper"] = max(fit.upper for fit in fits)
    return evidence


def _curves(
    samples: Sequence[PrivacyLosses], claim: Guarantee, worse: int, alpha: float
) -> dict[str, Any]:
    """Return the data of two plots: delta(epsilon) of the worse direction, and trade-off."""
    losses = samples[worse].losses
    points = claim_points(claim)
    finite = losses[np.isfinite(losses)]
    reach = float(np.quantile(finite, 0.99)) if finite.size else 0.0
    largest = max(epsilon for epsilon, _ in points)
    # far beyond the claim there is nothing to see but that it is broken
    epsilons = np.linspace(0.0, 1.25 * max(largest, min(reach, 4 * largest + 1)), 16)
    bounds = [delta_bounds(losses, float(e), alpha) for e in epsilons]
    type_1 = np.linspace(0.0, 1.0, 41)
    grid = np.unique(np.concatenate([epsilons, [epsilon for epsilon, _ in points]]))
    forward, backward = samples[0].losses, samples[1].losses
    curve = trade_off_curve(forward, backward, alpha, type_1)
    return {
        "delta_curve": {
            "epsilon": epsilons,
            "estimate": [float(excess(losses, float(e)).mean()) for e in epsilons],
            "lower": [lower for lower, _ in bounds],
            "upper": [upper for _, upper in bounds],
            "claim": [claim.delta_at(float(e)) for e in epsilons],
        },
        "trade_off": {"type_1": type_1, **curve, "claim": claimed_trade_off(claim, type_1, grid)},
    }


def _summary(evidence: Mapping[str, Any], found: Judgement, violated: bool) -> str:
    claimed = f"epsilon {evidence['claimed_epsilon']:.4g}"
    runs = f"{found.runs} transcripts per direction"
    if found.confirmed:
        runs += f", then {found.confirmed} fresh ones"
    if found.worst.method == "largest loss":
        verb = "exceeds" if violated else "does not exceed"
        largest = evidence["largest_loss"]
        figure = f"{largest:.6g}" if math.isfinite(largest) else "infinity"
        return f"the largest loss of {runs}, {figure}, {verb} {claimed}"
    delta = (
        f"delta({evidence['claimed_epsilon']:.4g}) is between {evidence['delta_lower']:.3g} and "
        f"{evidence['delta_upper']:.3g} (estimate {evidence['delta_estimate']:.3g}, {runs}) "
        f"against a claim of {evidence['claimed_delta']:.3g}"
    )
    gaussian = evidence.get("gaussian")
    if gaussian is not None:
        delta += "; " + _mu(gaussian)
    certified = f"; certified epsilon {evidence['certified_epsilon']:.4g} of {claimed}"
    if "certified_mu" in evidence:
        certified = f"; certified mu {evidence['certified_mu']:.4g} of {evidence['claimed_mu']:.4g}"
    blind = ""
    if not violated and evidence["claimed_delta"] < 0.1 * evidence["delta_upper"]:
        blind = "; sampling cannot see a delta far below the upper bound, the accounting can"
    return delta + certified + blind


def _mu(gaussian: Mapping[str, Any]) -> str:
    words = f"mu at most {gaussian['realised_mu'][1]:.4g} on these paths"
    if "fitted_mu" in gaussian:
        words = f"fitted mu {gaussian['fitted_mu']:.4g}"
    if gaussian["calibrated_mu"] is not None:
        words += f" against {gaussian['calibrated_mu']:.4g} calibrated"
    return words


def _findings(evidence: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    findings: list[Mapping[str, Any]] = []
    count = evidence["infinite_losses"]
    if count:
        findings.append(
            {
                "kind": "infinite loss",
                "runs": count,
                "statement": f"in {count} of {evidence['transcripts']} transcripts the outputs are "
                "impossible under the neighbour: the supports differ, and no finite epsilon "
                "holds with delta = 0",
            }
        )
    gaussian = evidence.get("gaussian")
    if gaussian is not None:
        realised, calibrated = gaussian["realised_mu"][1], gaussian["calibrated_mu"]
        if calibrated is not None and realised > calibrated * (1 + SAME_SHIFT):
            findings.append(
                {
                    "kind": "sensitivity",
                    "statement": f"the pair realises mu = {realised:.6g}, more than the "
                    f"{calibrated:.6g} that the claimed sensitivities allow (see the sensitivity "
                    "question)",
                }
            )
        if "fitted_mu" in gaussian and not (
            gaussian["mu_lower"] <= realised <= gaussian["mu_upper"]
        ):
            findings.append(
                {
                    "kind": "noise",
                    "statement": f"the losses fit mu = {gaussian['fitted_mu']:.4g}, but the "
                    f"declared noise gives {realised:.4g}: the draws are not as declared (see the "
                    "samplers question)",
                }
            )
    return tuple(findings)


# ------------------------------------------------------------------------------- witnesses


def _witness(
    form: Form, found: Judgement, sequence: np.random.SeedSequence, alpha: float
) -> dict[str, Any]:
    test = found.worst
    losses = found.samples[test.direction].losses
    witness: dict[str, Any] = {
        "pair": describe_pair(form.pair, form.replaced),
        "direction": test.direction,
        "parameters": dict(form.parameters),
        "seeds": describe_seeds(sequence),
        "runs": losses.size,
        "method": test.method,
        "epsilon": test.epsilon,
        "claimed_delta": test.delta,
        "alpha": alpha,
        "event": f"loss > {test.epsilon:.12g}",
        "event_frequency": float((losses > test.epsilon).mean()),
        "delta_estimate": float(excess(losses, test.epsilon).mean()),
        "delta_lower": mean_lower(excess(losses, test.epsilon), alpha),
    }
    if test.method == "largest loss":
        index = int(np.argmax(found.samples[test.direction].sure))
        witness.update({"index": index, "loss": float(losses[index])})
    if test.method == "Gaussian fit":
        witness["mu_lower"] = fit_gaussian(losses, alpha).lower
    return witness


def reproduce(form: Form, witness: Mapping[str, Any]) -> bool:
    """Run a witness of :func:`audit` again; return whether the violation shows again."""
    direction, runs = witness["direction"], witness["runs"]
    seeds = restore_seeds(witness["seeds"], runs)
    method = witness["method"]
    if method == "largest loss":
        seeds = [seeds[witness["index"]]]
    data, other = form.pair[direction], form.pair[1 - direction]
    pure = pure_epsilon(form.claim)
    sample = sample_losses(form.run, data, other, seeds, replaced=form.replaced, pure=pure)
    point = witness["epsilon"], witness["claimed_delta"]
    return bool(claim_p_value(sample, method, point, largest_mu(form.claim)) <= witness["alpha"])
