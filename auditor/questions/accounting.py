"""The accounting question: does the claim follow from the releases by valid composition.

The transcript's declared releases (kinds, claimed sensitivities, scales, subsamples) are composed
for the worst record and compared with the claim (:func:`account`). The accountant bounds the cost
from above; where that does not certify the claim, the cost is bounded from below too
(:mod:`auditor.questions.attained`), and only a claim below the lower bound is violated. Where the
source says by which intermediate guarantee it calibrates (``form.design``), the releases must meet
that as well, so that slack in the claim hides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import numpy as np
from scipy.special import ndtri

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.neighbours import n_records
from auditor.core.pair_names import SIDES
from auditor.core.verdict import Verdict, VerdictStatus
from auditor.core.witness import describe_pair, restore_pair
from auditor.questions.attained import lower_delta, lower_pure
from auditor.transcript.judgement import claim_points
from auditor.transcript.replay import record
from reference.privacy import accounting
from reference.privacy.accounting import Composition
from reference.privacy.accounting_rules import AccountingRule
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Guarantee,
    Model,
    PureDP,
    Relation,
    RenyiDP,
)
from reference.privacy.ledger import Protected, Release, Transcript

TOLERANCE = 1e-9
"""Relative excess of a parameter put down to rounding."""

DELTA_TOLERANCE = 1e-6
"""The same for delta, which a calibration by root finding meets less closely."""

SHOWN = ("releases", "parameter", "claimed", "accounted", "attained", "design")
"""Evidence that a witness carries."""

CURVE_DELTAS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)
"""Deltas at which a claim that is a whole curve is compared with a lower bound."""


@dataclass(frozen=True)
class ClaimAccount:
    """The cost of a transcript's releases, compared with the claim.

    Attributes
    ----------
    claimed_epsilon, claimed_delta : float
        For a claim that is a whole curve (zCDP, Gaussian, Renyi): one point of it.
    accounted_epsilon : float
        What the accountant certifies at ``claimed_delta``.
    accounted_delta : float
        What it certifies at ``claimed_epsilon``.
    method : str
        The rule that gave ``accounted_epsilon``.
    rules : tuple of str
        All rules by which the releases meet ``claimed_epsilon`` at ``claimed_delta``.
    parameter : str
        The parameter that is compared: ``"epsilon"``, ``"delta"``, ``"rho"``, ``"mu"`` or
        ``"divergence"``.
    claimed, accounted : float
        Its claimed value, and the value the accountant certifies.
    certified : bool
        Whether the claim follows.
    attained : float or None
        If not certified (and asked for): a lower bound of the parameter over the algorithms that
        make these releases (of delta at one point, for a curve).
    contradicted : bool
        Whether that bound exceeds the claim.
    """

    claimed_epsilon: float
    claimed_delta: float
    accounted_epsilon: float
    accounted_delta: float
    method: str
    rules: tuple[str, ...]
    parameter: str
    claimed: float
    accounted: float
    certified: bool
    attained: float | None = None
    contradicted: bool = False


def account(transcript: Transcript, claim: Guarantee, *, bound_below: bool = True) -> ClaimAccount:
    """Compare the cost of a transcript's releases with a claim.

    Works on the transcript of any algorithm that releases through a ledger.

    Parameters
    ----------
    transcript : Transcript
        Recorded (:func:`auditor.transcript.replay.record`).
    claim : Guarantee
        Of any type. ``claim.model`` says what a unit of privacy is: a whole record bears a
        release per attribute once for every attribute. Only a claim about replace-label can rest
        on releases per label.
    bound_below : bool, default True
        Where the claim is not certified, look for a lower bound that contradicts it.

    Returns
    -------
    ClaimAccount

    Examples
    --------
    Two Laplace releases of epsilon 0.5 each, claimed to cost 0.9 together:

    >>> from auditor.transcript.replay import record
    >>> def twice(data, ledger):
    ...     for _ in range(2):
    ...         ledger.laplace(data.mean(), sensitivity=0.1, scale=0.2)
    >>> transcript, _ = record(twice, np.zeros(10), 0)
    >>> found = account(transcript, PureDP(0.9))
    >>> found.accounted_epsilon, found.contradicted
    (1.0, True)
    """
    compositions = compositions_under(transcript, claim)
    if not isinstance(claim, (PureDP, ApproximateDP, ZCDP, RenyiDP, GaussianDP)):
        raise TypeError(f"claim must be a guarantee of a known type, got {claim!r}")
    epsilon, delta = claim_points(claim)[0]
    at_delta = accounting.worst(compositions, delta=delta)
    at_epsilon = accounting.worst(compositions, epsilon=epsilon)
    if isinstance(claim, PureDP):
        name, claimed, accounted = "epsilon", claim.epsilon, at_delta.epsilon
    elif isinstance(claim, ApproximateDP):
        name, claimed, accounted = "delta", claim.delta, at_epsilon.delta
    elif isinstance(claim, ZCDP):
        name, claimed, accounted = "rho", claim.rho, _largest(c.rho for c in compositions)
    elif isinstance(claim, RenyiDP):
        rho = _largest(c.rho for c in compositions)
        name, claimed, accounted = "divergence", claim.divergence, claim.alpha * rho
    else:
        name, claimed, accounted = "mu", claim.mu, _largest(map(_mu, compositions))
    certified = not _exceeds(name, accounted, claimed)
    attained, contradicted = None, False
    if _of_a_label_alone(transcript, claim) is not None:  # the rest of a record may be bare
        attained, contradicted = (1.0 if name == "delta" else math.inf), True
    elif bound_below and not certified:
        attained, contradicted = _attained(transcript, claim, compositions, _multiplicity(claim))
    compared = name, claimed, accounted, certified, attained, contradicted
    e, d, method = at_delta.epsilon, at_epsilon.delta, at_delta.method
    rules = _rules_that_meet(compositions, epsilon, delta)
    return ClaimAccount(epsilon, delta, e, d, method, rules, *compared)


def _rules_that_meet(
    compositions: Sequence[Composition], epsilon: float, delta: float
) -> tuple[str, ...]:
    """Return the rules by which all compositions of releases are (epsilon, delta)-DP."""

    def meets(rule: AccountingRule) -> bool:
        if not _exceeds("delta", rule.delta_at(epsilon), delta):
            return True
        return not _exceeds("epsilon", rule.epsilon_at(delta), epsilon)

    met = [[name for name, rule in whole.rules().items() if meets(rule)] for whole in compositions]
    return tuple(name for name in met[0] if all(name in names for names in met)) if met else ()


def compositions_under(transcript: Transcript, claim: Guarantee) -> list[Composition]:
    """Return the distinct compositions of releases that some unit of a claim bears.

    Parameters
    ----------
    transcript : Transcript
    claim : Guarantee
        Its model and relation say what a unit is.
    """
    times = _multiplicity(claim)
    protected: Protected = "label" if claim.relation is Relation.REPLACE_LABEL else "record"
    return accounting.compositions(
        [
            (release.cost(protected), release.claim.records)
            for release in transcript.releases
            for _ in range(times(release))
        ]
    )


def _multiplicity(claim: Guarantee) -> Callable[[Release], int]:
    """Return how often a unit of the claim bears a release."""

    def times(release: Release) -> int:
        if release.claim.unit != "attribute" or claim.model is Model.LOCAL_ATTRIBUTE:
            return 1
        assert release.value is not None
        return int(release.value.shape[1])

    return times


def _exceeds(parameter: str, value: float, claimed: float) -> bool:
    tolerance = DELTA_TOLERANCE if parameter == "delta" else TOLERANCE
    return value > claimed * (1 + tolerance)


def _largest(values: Iterable[float]) -> float:
    return max(values, default=0.0)


def _mu(composition: Composition) -> float:
    """Return the Gaussian-DP parameter: exact, or that of the pure epsilon, or infinite."""
    if composition.mu is not None:
        return composition.mu
    # randomized response at epsilon lies on the trade-off curve of mu = 2 Phi^-1(sigmoid(epsilon))
    return -2 * float(ndtri(1 / (1 + math.exp(min(composition.pure, 700)))))


def _attained(
    transcript: Transcript,
    claim: Guarantee,
    compositions: list[Composition],
    times: Callable[[Release], int],
) -> tuple[float, bool]:
    """Return a lower bound of the claim's parameter, and whether it exceeds the claim."""
    if isinstance(claim, PureDP):
        pure = lower_pure(transcript, times=times)
        return pure, _exceeds("epsilon", pure, claim.epsilon)
    if isinstance(claim, ApproximateDP):
        enough = claim.delta * (1 + DELTA_TOLERANCE)
        delta = lower_delta(transcript, claim.epsilon, times=times, enough=enough)
        return delta, _exceeds("delta", delta, claim.delta)
    exact = not any(c.sampling for whole in compositions for c in whole.charges) and all(
        whole.mu is not None for whole in compositions
    )
    if exact:  # the Renyi divergence of Gaussians is exactly alpha mu^2/2
        mu = _largest(whole.mu or 0.0 for whole in compositions)
        if isinstance(claim, GaussianDP):
            return mu, True
        return mu**2 / 2 * (claim.alpha if isinstance(claim, RenyiDP) else 1), True
    found = 0.0
    for delta in CURVE_DELTAS:
        epsilon = claim.epsilon_at(delta)
        if not math.isfinite(epsilon):
            continue
        found = lower_delta(transcript, epsilon, times=times)
        if _exceeds("delta", found, claim.delta_at(epsilon)):
            return found, True
    return found, False


# ------------------------------------------------------------------------------ the question


def _releases(transcript: Transcript) -> list[dict[str, Any]]:
    """Summarise the releases, runs of the same one together."""
    names = ("kind", "parameters", "sensitivity", "unit")
    groups = groupby(transcript.releases, key=lambda release: _declared(release)[:4])
    return [
        {**dict(zip(names, declared, strict=True)), "count": len(list(group))}
        for declared, group in groups
    ]


def _declared(release: Release) -> tuple[Any, ...]:
    """Return what the accountant knows of a release."""
    sample, records, value = release.claim.sample, release.claim.records, release.value
    return (
        release.mechanism.kind,
        repr(release.mechanism.public_parameters()),
        release.claim.sensitivity,
        release.claim.unit,
        release.claim.background_sensitivity,
        None if sample is None else (sample.population, sample.size, sample.position),
        records.tolist() if isinstance(records, np.ndarray) else repr(records),
        None if value is None else value.shape,
    )


def _of_a_label_alone(transcript: Transcript, claim: Guarantee) -> int | None:
    """Return the index of a release per label under a claim about more, or ``None``."""
    if claim.relation is Relation.REPLACE_LABEL:
        return None
    units = [release.claim.unit for release in transcript.releases]
    return units.index("label") if "label" in units else None


def _needs_a_curator(transcript: Transcript, claim: Guarantee, n: int) -> int | None:
    """Return the index of a release about several records under a local claim, or ``None``."""
    if claim.model is Model.CENTRAL:
        return None
    for index, release in enumerate(transcript.releases):
        read = n if release.claim.records is None else len(np.arange(n)[release.claim.records])
        if release.claim.unit == "dataset" and read > 1:
            return index
    return None


def audit(form: Form, context: Context) -> Verdict:
    """Ask whether the claim follows from the declared releases, on both data sets of the pair.

    Parameters
    ----------
    form : Form
        ``Form(run, claim, pair, replaced=..., parameters={})`` suffices for any algorithm that
        releases through a ledger.
    context : Context

    Returns
    -------
    Verdict
        ``"violated"`` if a lower bound on the cost exceeds the claim, the stated calibration
        (``form.design``) is exceeded, a local claim rests on a release about several records, or
        one about whole records on a release that protects labels alone;
        ``"inconclusive"`` if neither the upper nor the lower bound decides.
    """
    rng = context.rng()
    verdicts: list[Verdict] = []
    seen: list[Any] = []
    for which, data in enumerate(form.pair):
        seed = int(rng.integers(2**31))
        transcript, _ = record(form.run, data, seed, target=form.replaced)
        declared = [_declared(release) for release in transcript.releases]
        if declared not in seen:  # usually both data sets make the same releases
            seen.append(declared)
            verdicts.append(_judge(form, transcript, n_records(data), seed, which))
        if verdicts[-1].status == "violated":
            break
    rank = {"violated": 2, "inconclusive": 1}
    return max(verdicts, key=lambda v: (rank.get(v.status, 0), v.evidence["accounted_epsilon"]))


def reproduce(form: Form, witness: Mapping[str, Any]) -> bool:
    """Run a witness of :func:`audit` again; return whether the claim is exceeded again."""
    which = 0 if witness["data set"] == "D" else 1
    data = restore_pair(form.pair, witness)[which]
    transcript, _ = record(form.run, data, witness["seed"], target=form.replaced)
    verdict = _judge(form, transcript, n_records(data), witness["seed"], which)
    return verdict.status == "violated"


def _judge(form: Form, transcript: Transcript, n: int, seed: int, which: int) -> Verdict:
    claim = form.claim
    found = account(transcript, claim)
    design = None if form.design is None else account(transcript, form.design, bound_below=False)
    evidence: dict[str, Any] = {**asdict(found), "design": None, "releases": _releases(transcript)}
    del evidence["certified"], evidence["contradicted"]
    if form.design is not None and design is not None:
        evidence["design"] = {
            "guarantee": form.design.describe(),
            "parameter": design.parameter,
            "claimed": design.claimed,
            "accounted": design.accounted,
            "met": design.certified,
        }
    spends = (
        f"claimed {claim.describe()}; the releases spend epsilon {found.accounted_epsilon:.6g} "
        f"at delta {found.claimed_delta:g} ({found.method})"
    )
    curator = _needs_a_curator(transcript, claim, n)
    label = _of_a_label_alone(transcript, claim)
    status: VerdictStatus = "violated"
    if curator is not None:
        summary = f"release {curator} is about several records: no local randomiser makes it"
    elif label is not None:
        summary = (
            f"release {label} protects a label alone, and the claim {claim.describe()} is about "
            "whole records"
        )
    elif found.contradicted:
        summary = spends + _below(found)
    elif form.design is not None and design is not None and not design.certified:
        summary = (
            f"{spends}, but exceed the stated calibration {form.design.describe()}: "
            f"{design.parameter} {design.accounted:.6g}"
        )
    elif not found.certified:
        status = "inconclusive"
        summary = (
            f"{spends}: no composition rule certifies the claim, and the best lower bound "
            f"({found.attained:.3g}) does not contradict it; a tighter accountant would settle it"
        )
    else:
        status, summary = "holds", spends
    witness = None
    if status == "violated":
        witness = {
            "data set": SIDES[which],
            **describe_pair(form.pair, form.replaced),
            "seed": seed,
            **{name: evidence[name] for name in SHOWN},
            "parameters": dict(form.parameters),
        }
    return Verdict("accounting", status, summary, evidence, witness=witness)


def _below(found: ClaimAccount) -> str:
    """Say what the lower bound is about."""
    assert found.attained is not None
    if found.parameter == "delta":
        return (
            f"; at epsilon {found.claimed_epsilon:g} some algorithm making them has delta "
            f">= {found.attained:.4g}, {found.attained / found.claimed:.4g} times the claim"
        )
    if found.parameter in ("rho", "mu", "divergence"):
        return f"; {found.parameter} {found.accounted:.6g} against {found.claimed:.6g}"
    return f"; some algorithm making them spends epsilon {found.attained:.6g}"
