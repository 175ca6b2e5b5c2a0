"""The domain question: does a guarantee hold wherever it is said to hold, and not at one setting.

A case is audited at one epsilon. Here its corrected form is asked at the ends of what is legal and
at random points, with the theory's constants and with constants of a user's own:

- *accounting*: the releases are accounted within the claim. With other constants the claim is what
  the ledger says was spent;
- *sensitivity*: the known pair, and one of the domain, move no release by more than it says;
- *control flow*: nothing else tells them apart, an exception included;
- *privacy loss*: no loss of a replay exceeds a pure epsilon, nor by more than
  :data:`BEYOND` the epsilon of a claim whose delta is at most :data:`SURELY`.

All are facts about the runs that were made. A refusal before any release is no violation: where an
algorithm refuses is where it claims nothing (:mod:`auditor.questions.ranges`).
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from auditor.core.case import Call, Case, Data, Form
from auditor.core.context import Context
from auditor.core.neighbours import n_records
from auditor.core.plurals import counted
from auditor.core.verdict import Verdict
from auditor.core.witness import describe_pair, restore_pair
from auditor.questions.accounting import TOLERANCE, account
from auditor.questions.control_flow import leak
from auditor.questions.ranges import REFUSALS, Accepted, StoppingLedger, changed, reason
from auditor.questions.sensitivity import FLOATING_POINT_FAILURE, base_records, neighbour_pair
from auditor.transcript.distances import largest_ratio
from auditor.transcript.judgement import ROUNDING, claim_points
from auditor.transcript.replay import RunRaised, loss_between, record, replay, subsample_entries
from auditor.transcript.rounding import loss_rounding
from reference.parameters import PARAMETERS, ParameterError
from reference.privacy import accounting
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    Guarantee,
    Model,
    PureDP,
    Relation,
)
from reference.privacy.ledger import Transcript

EPSILONS = (1e-12, 1e6, 40.0, 1e-6, 27.5, 1e3)
DELTAS = (1e-12, 1e-100, 0.5, 1e-5, 1 - 1e-9)

POINTS = 16
"""Points in the quick tier, a quarter of them with constants of a user's own."""

SUBSAMPLED = 4
"""The same if the releases are about subsamples: their accounting is thirty times as expensive."""

PROMISED = ("epsilon", "delta", "sensitivity")
"""Parameters changed at every point, and the caller's promise about the data."""

SHARE = 0.5
"""Probability with which each other parameter is changed."""

FACTORS = (0.5, 2.0)
"""A constant is multiplied by one of these; a whole one is at least 1."""

PROMISE = 16.0
"""Factor on constants that state a sensitivity.

Such a constant is a caller's promise about the others; the factor keeps it true.
"""

SURELY = 1e-12
"""Largest delta at which a single loss tells: one beyond epsilon + :data:`BEYOND` has probability
delta/(1 - exp(-BEYOND)) at most, 1e-8 in all runs of a full audit."""

BEYOND = 1.0
"""See :data:`SURELY`."""

DOUBLES = 1e-15
"""Most that the spacing of doubles below 1 adds to the loss of one number, a probability."""


@dataclass(frozen=True)
class DomainPoint:
    """A point at which a guarantee is asked about.

    Attributes
    ----------
    parameters : mapping
        Those that differ from the case's.
    factors : mapping
        Constant -> what the theory's is multiplied by; empty for the theory's constants.
    seed : int
        Of the recording.
    """

    parameters: Mapping[str, Any]
    factors: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    def describe(self) -> str:
        """Return the point as a phrase."""
        named = [f"{name} = {value:g}" for name, value in self.parameters.items()]
        times = [f"constants.{name} times {value:g}" for name, value in self.factors.items()]
        return "at " + ", ".join(named + times)


@dataclass(frozen=True)
class Fault:
    """A part of a guarantee that fails at a point: the question that finds it, and its finding."""

    question: str
    finding: str


# ------------------------------------------------------------------------------------- points


def points(form: Form, context: Context) -> Iterator[DomainPoint]:
    """Yield points: epsilon and delta at an end or at random, each other number now and then.

    Their number follows from the tier and from whether the form draws subsamples, so that the same
    seed asks the same on every machine.
    """
    run: Call = form.run  # type: ignore[assignment]
    rng = context.rng()
    most = context.effort(SUBSAMPLED if _draws_subsamples(form) else POINTS)
    constants = _changeable(form)
    for index in range(most):
        factors = _factors(constants, index // 4, rng) if index % 4 == 3 else {}
        yield DomainPoint(_parameters(run, index, rng), factors, int(rng.integers(2**31)))


def _draws_subsamples(form: Form) -> bool:
    try:
        transcript, _ = record(changed(form.run, {}), form.pair[0], 0, target=form.replaced)  # type: ignore[arg-type]
    except RunRaised:
        return False
    return bool(subsample_entries(transcript))


def _changeable(form: Form) -> Any:
    """Return constants of a form as it is, if a user's own can be made from them."""
    try:
        return own_constants(form, {})
    except REFUSALS:
        return None


def _parameters(run: Call, index: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return what a point changes: every second one is at the ends of epsilon and delta.

    Two of four change other numbers as well; in the others the known pair remains the worst.
    """
    turn, drawn = divmod(index, 2)
    epsilon = 10.0 ** rng.uniform(-4, 2) if drawn else EPSILONS[turn % len(EPSILONS)]
    delta = 10.0 ** rng.uniform(-30, -0.1) if drawn else DELTAS[turn % len(DELTAS)]
    changes = {"epsilon": float(epsilon)}
    if "delta" in run.parameters:
        changes["delta"] = float(delta)
    if index % 4 in (0, 3):
        return changes
    for name, value in run.parameters.items():
        is_free = name in PARAMETERS and name not in PROMISED and value is not None
        if is_free and rng.random() < SHARE:
            changes[name] = near(name, value, rng)
    return changes


def _factors(constants: Any, turn: int, rng: np.random.Generator) -> dict[str, float]:
    """Return what constants are multiplied by: all alike, first, and then each by itself."""
    if constants is None:
        return {}
    names = [entry.name for entry in fields(constants)]
    names = [name for name in names if isinstance(getattr(constants, name), int | float)]
    drawn = {name: float(rng.choice((1.0, *FACTORS))) for name in names}
    if turn < len(FACTORS):
        drawn = dict.fromkeys(names, FACTORS[turn])
    drawn |= {name: PROMISE for name in names if "sensitivity" in name}
    return {name: factor for name, factor in drawn.items() if factor != 1}


def near(name: str, value: float, rng: np.random.Generator) -> float:
    """Return another value of a parameter: of a whole one 1, twice it or between, else about it."""
    if PARAMETERS[name].whole:
        return int(rng.choice((1, 2 * int(value), int(rng.integers(1, 2 * int(value) + 1)))))
    return float(value * 10.0 ** rng.uniform(-2, 2))


# --------------------------------------------------------------------------------- one point


def call_at(form: Form, point: DomainPoint) -> Call:
    """Return the call of a form at a point.

    Raises
    ------
    ParameterError
        If the theory has no constants there.
    """
    run = changed(form.run, point.parameters)  # type: ignore[arg-type]
    if not point.factors:
        return run
    constants = own_constants(form, point.parameters)
    values = {name: getattr(constants, name) for name in point.factors}
    values = {
        name: max(1, int(value * point.factors[name]))
        if isinstance(value, int)
        else value * point.factors[name]
        for name, value in values.items()
    }
    return run.changed({"constants": replace(constants, **values)})


def own_constants(form: Form, changes: Mapping[str, Any]) -> Any:
    """Return constants at other parameters: the theory's, or else the case's; ``None`` if neither.

    Raises
    ------
    ParameterError
        If the theory has none there, and the case neither.
    """
    run: Call = form.run  # type: ignore[assignment]
    own = run.parameters.get("constants")
    try:
        return theory(changed(run, changes), form.pair[0]) or own
    except REFUSALS:
        if own is None:
            raise
        return own


def theory(run: Call, data: Data) -> Any:
    """Return the constants that theory fixes for a call; ``None`` if it takes none.

    Raises
    ------
    ParameterError
        If the theory has none there.
    """
    if "constants" not in inspect.signature(run.function).parameters:
        return None
    ledger = StoppingLedger(0)
    with suppress(Accepted):
        run(data, ledger)
    fixed = ledger.transcript.fixed
    return fixed[0].constants if fixed else None


def claimed(form: Form, parameters: Mapping[str, Any]) -> Guarantee:
    """Return the claim of a form at other parameters: rho goes with epsilon^2."""
    claim = form.claim
    model, relation = claim.model, claim.relation
    if isinstance(claim, ZCDP):
        ratio = parameters["epsilon"] / form.run.parameters["epsilon"]  # type: ignore[attr-defined]
        return ZCDP(claim.rho * ratio**2, model=model, relation=relation)
    if "delta" in parameters:
        return ApproximateDP(
            parameters["epsilon"], parameters["delta"], model=model, relation=relation
        )
    return PureDP(parameters["epsilon"], model=model, relation=relation)


def fault(
    form: Form, point: DomainPoint, pair: tuple[Data, Data], *, apart: bool = False
) -> Fault | None:
    """Return what of a guarantee does not hold at a point, between two neighbours.

    Parameters
    ----------
    form : Form
    point : DomainPoint
    pair : (Data, Data)
    apart : bool
        Ask only what tells the two apart, where the releases were accounted before.

    Raises
    ------
    ParameterError
        If the theory has no constants there.
    RunRaised
        If the run raises, and on both data sets alike.
    """
    run, target = call_at(form, point), form.replaced
    found = leak(run, *pair, seed=point.seed, target=target)
    if found is not None:
        return Fault("control_flow", found)
    transcript, _ = record(run, pair[0], point.seed, target=target)
    moved = _moved(run, pair, point.seed, target)
    if apart or moved is not None:
        return moved
    claim = claimed(form, run.parameters)
    if point.factors:
        claim = spent(transcript, claim)
    return _over_the_claim(transcript, claim) or _lost(run, transcript, claim, pair)


def spent(transcript: Transcript, claim: Guarantee) -> Guarantee:
    """Return what a ledger says that a transcript cost, as a claim like the one given."""
    label = claim.relation is Relation.REPLACE_LABEL
    local = claim.model is Model.LOCAL_ATTRIBUTE
    charges = transcript.charges_of("label" if label else "attribute" if local else "record")
    _, delta = claim_points(claim)[0]
    epsilon = accounting.spent(charges, delta=delta).epsilon
    if delta == 0 and math.isfinite(epsilon):
        return PureDP(epsilon, model=claim.model, relation=claim.relation)
    return ApproximateDP(epsilon, delta, model=claim.model, relation=claim.relation)


def _over_the_claim(transcript: Transcript, claim: Guarantee) -> Fault | None:
    found = account(transcript, claim)
    # the accountant bounds both numbers from above: either certifies the claim
    enough = found.accounted_epsilon <= found.claimed_epsilon * (1 + TOLERANCE)
    if found.certified or enough:
        return None
    name, accounted = found.parameter, found.accounted
    return Fault("accounting", f"{name} {accounted:.6g} for a claimed {found.claimed:.6g}")


def _moved(run: Call, pair: tuple[Data, Data], seed: int, target: int | None) -> Fault | None:
    """Return the fault that a release moves by more than it says and than rounding explains."""
    gap = largest_ratio(run, *pair, seed=seed, target=target)
    if gap is None or gap.ratio <= 1 + FLOATING_POINT_FAILURE:
        return None
    return Fault("sensitivity", f"release {gap.release} moves by {gap.ratio:.6g} times its bound")


def _lost(
    run: Call, transcript: Transcript, claim: Guarantee, pair: tuple[Data, Data]
) -> Fault | None:
    """Return the fault that a loss is impossible under the claim, or nearly so."""
    epsilon, delta = claim_points(claim)[0]
    if delta > SURELY or subsample_entries(transcript):
        return None
    replayed = replay(run, pair[1], transcript)
    both = zip(transcript.releases, replayed.releases, strict=True)
    rounding = math.fsum(
        loss_rounding(mine, theirs, n_records(pair[0])) + DOUBLES * np.size(mine.output)
        for mine, theirs in both
    )
    loss = loss_between(transcript, replayed)
    most = epsilon * (1 + ROUNDING) + rounding + (BEYOND if delta else 0.0)
    if loss <= most:
        return None
    return Fault("privacy_loss", f"a loss of {loss:.6g} for a claimed epsilon of {epsilon:.6g}")


# ------------------------------------------------------------------------------ the question


def audit(case: Case, context: Context) -> Verdict:
    """Ask whether the guarantee of the corrected form holds wherever it is accepted.

    Parameters
    ----------
    case : Case
    context : Context

    Returns
    -------
    Verdict
        ``"violated"`` with the first point at which it does not; ``"inconclusive"`` if every point
        is refused, or the form keeps its parameters to itself.
    """
    form = next(iter(case.forms.values()))
    if not isinstance(form.run, Call) or "epsilon" not in form.run.parameters:
        return Verdict(
            "domain",
            "inconclusive",
            "its run does not show its parameters; auditor.form(...) keeps them, so that they can "
            "be changed",
        )
    seen = _Seen()
    for index, point in enumerate(points(form, context.at("points"))):
        for pair in _pairs(form, index, context.at("pairs", str(index)).rng()):
            found = seen.ask(form, point, pair)
            if found is not None:
                return _violated(form, point, pair, found, seen)
    evidence = seen.evidence()
    own = evidence["own_constants"]
    if len(seen.accepted) == own:
        return Verdict(
            "domain",
            "inconclusive",
            f"every point is refused, e.g. {next(iter(seen.refused), '')}; a case "
            "with other data, of more records for example, would settle it",
            evidence,
        )
    epsilons = [point.parameters["epsilon"] for point in seen.accepted]
    return Verdict(
        "domain",
        "holds",
        f"nothing is wrong at {len(seen.accepted)} points, epsilon from {min(epsilons):.3g} to "
        f"{max(epsilons):.3g}, {own} with constants of a user's own; "
        f"{counted(seen.asked - len(seen.accepted), 'point is', 'points are')} refused",
        evidence,
    )


class _Seen:
    """The points that were asked, and what came of them."""

    def __init__(self) -> None:
        self.asked = 0
        self.accepted: list[DomainPoint] = []
        self.refused: Counter[str] = Counter()
        self.raised: list[str] = []
        self._last: DomainPoint | None = None

    def ask(self, form: Form, point: DomainPoint, pair: tuple[Data, Data]) -> Fault | None:
        """Return what of a guarantee does not hold, and keep what else is seen."""
        is_new = point is not self._last
        self._last = point
        self.asked += is_new
        try:
            found = fault(form, point, pair, apart=not is_new)
        except RunRaised as error:
            cause = error.__cause__
            if isinstance(cause, ParameterError) and error.position == 0:
                self.refused[reason(cause)] += is_new
            else:
                self.raised.append(f"{point.describe()}: {error}")
            return None
        except REFUSALS as error:
            self.refused[reason(error)] += is_new
            return None
        if is_new:
            self.accepted.append(point)
        return found

    def evidence(self) -> dict[str, Any]:
        """Return the figures."""
        return {
            "points": self.asked,
            "accepted": len(self.accepted),
            "own_constants": sum(bool(point.factors) for point in self.accepted),
            "refused": dict(self.refused),
            "raised": self.raised,
        }


def _pairs(form: Form, index: int, rng: np.random.Generator) -> Iterator[tuple[Data, Data]]:
    """Yield the known pair, in either direction, and one whose records are at random."""
    first, second = form.pair
    yield (second, first) if index % 2 else (first, second)
    if form.domain is None:
        return
    corners = np.sign(rng.uniform(-1, 1, (2, form.domain.parameters)))
    old, new = (form.domain.decode(corner) for corner in corners)
    yield neighbour_pair(form, base_records(form, index, rng), old, new, index)


def _violated(
    form: Form, point: DomainPoint, pair: tuple[Data, Data], found: Fault, seen: _Seen
) -> Verdict:
    return Verdict(
        "domain",
        "violated",
        f"{point.describe()}, {found.question}: {found.finding}",
        seen.evidence(),
        witness={
            **describe_pair(pair, form.replaced),
            "seed": point.seed,
            "changes": dict(point.parameters),
            "factors": dict(point.factors),
            "question": found.question,
            "found": found.finding,
            "parameters": dict(form.parameters),
        },
    )


def reproduce(form: Form, witness: Mapping[str, Any]) -> bool:
    """Run a witness of :func:`audit` again; return whether the same question finds a fault."""
    point = DomainPoint(witness["changes"], witness["factors"], witness["seed"])
    found = fault(form, point, restore_pair(form.pair, witness))
    return found is not None and found.question == witness["question"]
