"""The real-data question: does the algorithm keep its claim, and is it of use, on real data.

On a data set that ships with an installed package: privacy losses on neighbours of that very data
set (one row replaced), and the error against the non-private fit as epsilon grows; where the case
names a trivial estimate, with its error as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import stats

from auditor.core.case import Case, Data, RealData
from auditor.core.context import Context
from auditor.core.neighbours import n_records
from auditor.core.pair_names import DIRECTIONS
from auditor.core.verdict import Verdict, VerdictStatus
from auditor.core.witness import describe_seeds
from auditor.statistics.combination import bonferroni
from auditor.statistics.stages import looks
from auditor.transcript.estimates import excess
from auditor.transcript.judgement import Judgement, bounds, judge
from auditor.transcript.ledgers import live_ledger
from auditor.transcript.losses import PrivacyLosses, pure_epsilon, sample_losses
from auditor.transcript.shared import Stage
from reference._validation import FloatArray
from reference.privacy.guarantees import PureDP
from reference.privacy.ledger import Ledger

NEIGHBOURS = 5
"""Neighbours of the real data set, each with its share of the runs."""

RUNS = 5, 20
"""Transcripts per neighbour and direction: of the quick tier's first look, and its most. The full
tier takes up to ten times as many."""

REPETITIONS = 5, 10, 20
"""Errors per epsilon, in the quick tier until the error is seen to fall; the full tier takes five
times the most."""

SIGNIFICANT = 0.01
"""Level at which the error is said to fall as epsilon grows, and to be below the trivial one."""


@dataclass(frozen=True)
class Comparison:
    """Errors, compared with that of an estimate that reads no data.

    Attributes
    ----------
    name : str
        Of the trivial estimate.
    error : float
        Its error.
    beaten_at : float
        The epsilon at which the case says that it is beaten.
    below : int
        How many errors there are below it.
    p_value : float
        Of "at most every other error is below", at that epsilon (sign test).
    from_epsilon : float or None
        From it on every median is below; ``None`` if the last is not.
    """

    name: str
    error: float
    beaten_at: float
    below: int
    p_value: float
    from_epsilon: float | None

    @property
    def beaten(self) -> bool:
        """True if the error is below, at level :data:`SIGNIFICANT` over all looks."""
        return _shows(self.p_value)


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
    comparison : Comparison or None
        With the trivial estimate, where the case names one.
    """

    epsilons: FloatArray
    errors: FloatArray
    correlation: float
    p_value: float
    comparison: Comparison | None = None

    @property
    def falls(self) -> bool:
        """True if the error falls as epsilon grows, at level :data:`SIGNIFICANT` over all looks."""
        return _shows(self.p_value)

    @property
    def of_use(self) -> bool:
        """True if the error falls and, where a trivial estimate is named, that one is beaten."""
        return self.falls and (self.comparison is None or self.comparison.beaten)


def _shows(p_value: float) -> bool:
    return p_value <= SIGNIFICANT / len(REPETITIONS)


class NeighbourLosses:
    """Privacy losses on neighbours of the data, at the middle epsilon, drawn as they are wanted.

    Run i is made on neighbour i mod :data:`NEIGHBOURS`. The losses of different neighbours are
    pooled: every neighbour must meet the claim, and the tests do not need identically distributed
    values.

    Parameters
    ----------
    real : RealData
    data : Data
    context : Context
        Of this data set.

    Attributes
    ----------
    epsilon : float
    claim : Guarantee
    """

    def __init__(self, real: RealData, data: Data, context: Context) -> None:
        self.epsilon = float(real.epsilons[len(real.epsilons) // 2])
        self.claim = real.claim(self.epsilon)
        self._real, self._data, self._context = real, data, context
        rng = context.at("neighbours").rng()
        self._neighbours = [real.neighbour(data, rng) for _ in range(NEIGHBOURS)]
        self._known: dict[tuple[Stage, int], list[PrivacyLosses]] = {}

    def sequence(self, stage: Stage, direction: int) -> np.random.SeedSequence:
        """Return the sequence whose child i is the seed of run i."""
        return self._context.at("losses", stage, DIRECTIONS[direction]).seed_sequence()

    def draw(self, stage: Stage, direction: int, runs: int) -> PrivacyLosses:
        """Return the losses of the first ``runs`` runs of a stage in a direction."""
        known = self._known.setdefault((stage, direction), [])
        for index, seed in enumerate(self.sequence(stage, direction).spawn(runs)):
            if index == len(known):
                other, replaced = self._neighbours[index % NEIGHBOURS]
                pair = (self._data, other) if direction == 0 else (other, self._data)
                known.append(
                    sample_losses(
                        self._run, *pair, [seed], replaced=replaced, pure=pure_epsilon(self.claim)
                    )
                )
        # the shift differs between neighbours: no Gaussian fit
        return PrivacyLosses(
            np.concatenate([sample.losses for sample in known[:runs]]),
            rounding=np.concatenate([sample.losses - sample.sure for sample in known[:runs]]),
        )

    def _run(self, records: Data, ledger: Ledger) -> Any:
        return self._real.run(records, self.epsilon, ledger)


def measure_losses(
    real: RealData, data: Data, context: Context
) -> tuple[NeighbourLosses, Judgement]:
    """Judge the claim by the losses on neighbours of the data."""
    drawn = NeighbourLosses(real, data, context)
    first, most = (NEIGHBOURS * context.effort(runs) for runs in RUNS)
    sizes = looks(most, first)
    enough = first if context.tier == "quick" else most
    return drawn, judge(drawn.draw, drawn.claim, sizes, enough=enough, alpha=context.alpha)


def measure_utility(real: RealData, data: Data, context: Context) -> Utility:
    """Run the algorithm at every epsilon and compare it with the non-private fit."""
    baseline = real.baseline(data)
    full = 5 * REPETITIONS[-1]
    seeds = context.at("errors").seed_sequence().spawn(len(real.epsilons) * full)
    epsilons = np.asarray(real.epsilons, dtype=np.float64)
    errors: list[list[float]] = [[] for _ in real.epsilons]
    for repetitions in REPETITIONS if context.tier == "quick" else (full,):
        for i, epsilon in enumerate(real.epsilons):
            for seed in seeds[i * full + len(errors[i]) : i * full + repetitions]:
                output = real.run(data, epsilon, live_ledger(seed))
                errors[i].append(float(real.error(output, baseline)))
        comparison = _compare(real, np.array(errors), baseline)
        utility = _utility(epsilons, np.array(errors), comparison)
        if utility.of_use:
            break
    return utility


def _compare(real: RealData, errors: FloatArray, baseline: Any) -> Comparison | None:
    if real.trivial is None:
        return None
    trivial = float(real.trivial.error(baseline))
    there = errors[list(real.epsilons).index(real.trivial.beaten_at)]
    below = int((there < trivial).sum())
    medians = np.median(errors, axis=1) < trivial
    first = len(medians) - int(np.cumprod(medians[::-1]).sum())
    return Comparison(
        name=real.trivial.name,
        error=trivial,
        beaten_at=real.trivial.beaten_at,
        below=below,
        p_value=float(stats.binomtest(below, there.size, alternative="greater").pvalue),
        from_epsilon=float(real.epsilons[first]) if first < len(medians) else None,
    )


def _utility(epsilons: FloatArray, errors: FloatArray, comparison: Comparison | None) -> Utility:
    if np.unique(errors).size == 1:
        return Utility(epsilons, errors, 0.0, 1.0, comparison)
    repeated = np.repeat(epsilons, errors.shape[1])
    trend = stats.spearmanr(repeated, errors.ravel(), alternative="less")
    return Utility(epsilons, errors, float(trend.statistic), float(trend.pvalue), comparison)


def audit(case: Case, context: Context) -> Verdict:
    """Audit the corrected form on every real data set of the case.

    Returns
    -------
    Verdict
        ``violated`` if a claim is rejected at ``context.alpha`` (all data sets together, by
        Bonferroni), or a loss exceeds a pure claim; ``inconclusive`` if the error does not fall as
        epsilon grows or is not below that of the trivial estimate where the case says that it is;
        ``not applicable`` if there is no data set, or none can be loaded.
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
    useless = [part["name"] for part in parts if not part["of_use"]]
    worst = min(parts, key=lambda part: part["p_value"])
    summary = "; ".join(_sentence(part) for part in parts)
    if missing:
        summary += "; not loaded: " + ", ".join(part["name"] for part in missing)
    status: VerdictStatus = "violated" if violated else "inconclusive" if useless else "holds"
    return Verdict(
        "real_data",
        status,
        summary,
        evidence={
            "confidence": 1 - 2 * context.alpha,
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
    drawn, found = measure_losses(real, data, context)
    utility = measure_utility(real, data, context)
    claim, samples, worst = drawn.claim, found.samples, found.worst
    quartiles = np.quantile(utility.errors, [0.25, 0.5, 0.75], axis=1)
    return {
        "name": real.name,
        "metric": real.metric,
        "records": n_records(data),
        "runs": found.runs,
        "confirmation_runs": found.confirmed,
        "neighbours": NEIGHBOURS,
        **bounds(found, claim, context.alpha),
        "p_value": found.p_value,
        "deterministic": isinstance(claim, PureDP),
        "epsilons": utility.epsilons,
        "repetitions": utility.errors.shape[1],
        "lower_quartile": quartiles[0],
        "median": quartiles[1],
        "upper_quartile": quartiles[2],
        "falls": utility.falls,
        "correlation": utility.correlation,
        "trend_p_value": utility.p_value,
        "trivial": None if utility.comparison is None else asdict(utility.comparison),
        "of_use": utility.of_use,
        "witness": {
            "data": real.name,
            "direction": DIRECTIONS[worst.direction],
            "method": worst.method,
            "seeds": describe_seeds(drawn.sequence(found.stage, worst.direction)),
            "neighbours": NEIGHBOURS,
            "runs": samples[worst.direction].losses.size,
            "run_epsilon": drawn.epsilon,
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
        + _beside(part["trivial"], part["repetitions"])
    )


def _beside(trivial: Mapping[str, Any] | None, repetitions: int) -> str:
    if trivial is None:
        return ""
    first = trivial["from_epsilon"]
    medians = "nowhere for good" if first is None else f"from epsilon = {first:g} on"
    return (
        f"; {trivial['name']}: {trivial['error']:.4g}, the median is below {medians}, "
        f"{trivial['below']} of {repetitions} errors at {trivial['beaten_at']:g}"
    )
