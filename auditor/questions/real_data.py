"""The real-data question: does the algorithm keep its claim, and is it of use, on real data.

On a data set that ships with an installed package: privacy losses on neighbours of that very data
set (one row replaced), and the error against the non-private fit as epsilon grows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from auditor.core.case import Case, Data, RealData
from auditor.core.context import Context
from auditor.core.neighbours import n_records
from auditor.core.sides import DIRECTIONS
from auditor.core.verdict import Status, Verdict
from auditor.core.witness import describe_seeds
from auditor.questions.privacy_loss import (
    Losses,
    check_claim,
    claim_points,
    delta_bounds,
    epsilon_lower,
    excess,
    sample_losses,
)
from auditor.statistics.combination import bonferroni
from reference._validation import FloatArray
from reference.privacy.guarantees import PureDP
from reference.privacy.ledger import Ledger

NEIGHBOURS = 5
"""Neighbours of the real data set, each with its share of the runs."""

RUNS = 100
"""Transcripts per direction in the quick tier."""

REPETITIONS = 20
"""Errors per epsilon in the quick tier."""

SIGNIFICANT = 0.01
"""Level at which the error is said to fall as epsilon grows."""


@dataclass(frozen=True)
class Utility:
    """Errors against the non-private fit.

    Attributes
    ----------
    epsilons : ndarray of shape (k,)
    errors : ndarray of shape (k, repetitions)
    correlation : float
        Spearman's, of error and epsilon; negative if the error falls.
    p_value : float
        Of "the error does not fall as epsilon grows".
    """

    epsilons: FloatArray
    errors: FloatArray
    correlation: float
    p_value: float

    @property
    def falls(self) -> bool:
        """Whether the error falls as epsilon grows, at level :data:`SIGNIFICANT`."""
        return self.p_value <= SIGNIFICANT


def measure_losses(
    real: RealData, data: Data, context: Context
) -> tuple[list[Losses], np.random.SeedSequence, float]:
    """Sample privacy losses on neighbours of the data, at the middle epsilon.

    The losses of different neighbours are pooled: every neighbour must meet the claim, and the
    tests do not need identically distributed values.

    Returns
    -------
    samples : list of Losses
        One per direction.
    seeds : SeedSequence
        Of the runs; the first child picks the neighbours.
    epsilon : float
    """
    epsilon = float(real.epsilons[len(real.epsilons) // 2])
    per_neighbour = context.effort(RUNS) // NEIGHBOURS
    sequence = context.at("losses").seed_sequence()
    choose, *seeds = sequence.spawn(1 + 2 * NEIGHBOURS * per_neighbour)
    rng = np.random.default_rng(choose)
    parts: list[list[Losses]] = [[], []]

    def run(records: Data, ledger: Ledger) -> Any:
        return real.run(records, epsilon, ledger)

    for index in range(NEIGHBOURS):
        other, replaced = real.neighbour(data, rng)
        for direction, pair in enumerate(((data, other), (other, data))):
            start = (2 * index + direction) * per_neighbour
            own = seeds[start : start + per_neighbour]
            parts[direction].append(sample_losses(run, *pair, own, replaced=replaced))
    # the shift differs between neighbours: no Gaussian fit
    samples = [Losses(np.concatenate([p.losses for p in part])) for part in parts]
    return samples, sequence, epsilon


def measure_utility(real: RealData, data: Data, context: Context) -> Utility:
    """Run the algorithm at every epsilon and compare it with the non-private fit."""
    repetitions = context.effort(REPETITIONS, full=5 * REPETITIONS)
    baseline = real.baseline(data)
    seeds = context.at("errors").seed_sequence().spawn(len(real.epsilons) * repetitions)
    errors = np.array(
        [
            [
                real.error(real.run(data, epsilon, Ledger(seeds[i * repetitions + j])), baseline)
                for j in range(repetitions)
            ]
            for i, epsilon in enumerate(real.epsilons)
        ],
        dtype=np.float64,
    )
    epsilons = np.asarray(real.epsilons, dtype=np.float64)
    if np.unique(errors).size == 1:
        return Utility(epsilons, errors, 0.0, 1.0)
    trend = stats.spearmanr(np.repeat(epsilons, repetitions), errors.ravel(), alternative="less")
    return Utility(epsilons, errors, float(trend.statistic), float(trend.pvalue))


def audit(case: Case, context: Context) -> Verdict:
    """Audit the corrected form on every real data set of the case.

    Returns
    -------
    Verdict
        ``violated`` if a claim is rejected at ``context.alpha`` (all data sets together, by
        Bonferroni), or a loss exceeds a pure claim; ``inconclusive`` if the error does not fall as
        epsilon grows; ``not applicable`` if there is no data set, or none can be loaded.
    """
    if not case.real_data:
        reason = case.no_real_data or "no real data set is given for this algorithm"
        return Verdict("real_data", "not applicable", reason)
    parts: list[dict[str, Any]] = []
    missing: list[dict[str, str]] = []
    for real in case.real_data:
        try:
            data = real.load()
        except ImportError as error:
            missing.append({"name": real.name, "reason": _remedy(error)})
            continue
        parts.append(_one(real, data, context.at(real.name)))
    if not parts:
        reasons = "; ".join(f"{part['name']}: {part['reason']}" for part in missing)
        return Verdict("real_data", "not applicable", reasons, evidence={"not_loaded": missing})
    p_values = [part["p_value"] for part in parts]
    p_value = bonferroni(p_values)
    violated = p_value <= context.alpha
    useless = [part["name"] for part in parts if not part["falls"]]
    worst = min(parts, key=lambda part: part["p_value"])
    summary = "; ".join(_sentence(part) for part in parts)
    if missing:
        summary += "; not loaded: " + ", ".join(part["name"] for part in missing)
    status: Status = "violated" if violated else "inconclusive" if useless else "holds"
    return Verdict(
        "real_data",
        status,
        summary,
        evidence={
            "confidence": 1 - context.alpha,
            "data_sets": [
                {name: value for name, value in part.items() if name != "witness"} for part in parts
            ],
            "not_loaded": missing,
        },
        witness=worst["witness"] if violated else None,
        p_value=None if all(part["deterministic"] for part in parts) else p_value,
    )


def _remedy(error: ImportError) -> str:
    """Return why a data set cannot be loaded, and what to do about it."""
    package = (error.name or "").partition(".")[0]
    return f"{package or error} is not installed; install it"


def _one(real: RealData, data: Data, context: Context) -> dict[str, Any]:
    """Return the figures of one data set."""
    samples, sequence, epsilon = measure_losses(real, data, context)
    utility = measure_utility(real, data, context)
    claim = real.claim(epsilon)
    tests = check_claim(samples, claim)
    worst = min(tests, key=lambda test: test.p_value)
    share = context.alpha / len(tests)
    claimed_epsilon, claimed_delta = claim_points(claim)[0]
    bounds = [delta_bounds(sample.losses, claimed_epsilon, share) for sample in samples]
    quartiles = np.quantile(utility.errors, [0.25, 0.5, 0.75], axis=1)
    return {
        "name": real.name,
        "metric": real.metric,
        "records": n_records(data),
        "runs": samples[0].losses.size,
        "neighbours": NEIGHBOURS,
        "claimed_epsilon": claimed_epsilon,
        "claimed_delta": claimed_delta,
        "certified_epsilon": max(epsilon_lower(s.losses, claimed_delta, share) for s in samples),
        "delta_estimate": max(float(excess(s.losses, claimed_epsilon).mean()) for s in samples),
        "delta_lower": max(lower for lower, _ in bounds),
        "delta_upper": max(upper for _, upper in bounds),
        "largest_loss": max(float(sample.losses.max()) for sample in samples),
        "p_value": bonferroni([test.p_value for test in tests]),
        "deterministic": isinstance(claim, PureDP),
        "epsilons": utility.epsilons,
        "repetitions": utility.errors.shape[1],
        "lower_quartile": quartiles[0],
        "median": quartiles[1],
        "upper_quartile": quartiles[2],
        "falls": utility.falls,
        "correlation": utility.correlation,
        "trend_p_value": utility.p_value,
        "witness": {
            "data": real.name,
            "direction": DIRECTIONS[worst.direction],
            "method": worst.method,
            "seeds": describe_seeds(sequence),
            "neighbours": NEIGHBOURS,
            "runs": samples[0].losses.size,
            "run_epsilon": epsilon,
            "epsilon": worst.epsilon,
            "claimed_delta": worst.delta,
            "event": f"loss > {worst.epsilon:.12g}",
            "largest_loss": float(samples[worst.direction].losses.max()),
            "delta_estimate": float(excess(samples[worst.direction].losses, worst.epsilon).mean()),
        },
    }


def _sentence(part: Mapping[str, Any]) -> str:
    trend = "falls" if part["falls"] else "does not fall significantly"
    medians: Sequence[float] = part["median"]
    return (
        f"{part['name']}: largest loss {part['largest_loss']:.4g} on {part['neighbours']} "
        f"neighbours, delta({part['claimed_epsilon']:.4g}) at most {part['delta_upper']:.3g}; "
        f"median {part['metric']} {trend} from {medians[0]:.4g} to {medians[-1]:.4g} as epsilon "
        f"grows from {part['epsilons'][0]:g} to {part['epsilons'][-1]:g} "
        f"(Spearman {part['correlation']:.2f}, p = {part['trend_p_value']:.2g})"
    )
