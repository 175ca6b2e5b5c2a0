"""Guarantees over their whole domain: what an algorithm accepts, its releases keep.

A case asks at one epsilon. Here the corrected form of every case is asked at the ends of what is
legal and at random points: whether its releases are accounted within the claim, move by no more
than they say, and nothing else tells.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from auditor.cases import build_case
from auditor.cases.build import Call
from auditor.conformance.algorithms import instances
from auditor.core.case import Form
from auditor.questions.accounting import account
from auditor.questions.control_flow import leak
from auditor.questions.sensitivity import largest_ratio
from auditor.transcript.replay import RunRaised, record
from reference.parameters import PARAMETERS, ParameterError
from reference.privacy.guarantees import ZCDP, ApproximateDP, Guarantee, PureDP

EPSILONS = (1e-12, 1e-6, 1.0, 27.5, 40.0, 1e3, 1e6)
DELTAS = (1e-100, 1e-12, 1e-5, 0.5, 1 - 1e-9)
POINTS = 12
OF_CONSTANTS = {"constants", "public_noise", "partition"}
"""Arguments that a case gives and an algorithm can make itself; the case's own may not fit."""
PROMISED = ("epsilon", "delta", "sensitivity")
"""What is always changed, and what a caller promises of the data."""
TOO_SMALL = ("diss-3.2.5",)
"""Cases of so few records that the theory's constants refuse all points."""


def points(call: Call, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Yield changes of the parameters: epsilon and delta always, each of the others now and then.

    Constants follow from the parameters again, where the case gave its own.
    """
    others = [
        name
        for name, value in call.parameters.items()
        if name in PARAMETERS and name not in PROMISED and value is not None
    ]
    for index in range(POINTS):
        ends = index < len(EPSILONS)
        change: dict[str, Any] = {
            "epsilon": EPSILONS[index] if ends else float(10.0 ** rng.uniform(-4, 2))
        }
        if "delta" in call.parameters:
            drawn = 10.0 ** rng.uniform(-30, -0.1)
            change["delta"] = float(rng.choice(DELTAS) if index % 2 else drawn)
        change |= dict.fromkeys(OF_CONSTANTS & call.parameters.keys())
        for name in others:
            if rng.random() < 0.3:
                change[name] = near(name, call.parameters[name], rng)
        yield change


def near(name: str, value: float, rng: np.random.Generator) -> float:
    """Return another value of a parameter, of about the same size."""
    if PARAMETERS[name].whole:
        return int(rng.integers(1, 2 * value + 1))
    return float(value * 10.0 ** rng.uniform(-2, 2))


def claimed(form: Form, parameters: Mapping[str, Any]) -> Guarantee:
    """Return the claim of a form at other parameters: rho goes with epsilon^2."""
    model, relation = form.claim.model, form.claim.relation
    if isinstance(form.claim, ZCDP):
        ratio = parameters["epsilon"] / form.run.parameters["epsilon"]  # type: ignore[attr-defined]
        return ZCDP(form.claim.rho * ratio**2, model=model, relation=relation)
    if "delta" in parameters:
        return ApproximateDP(
            parameters["epsilon"], parameters["delta"], model=model, relation=relation
        )
    return PureDP(parameters["epsilon"], model=model, relation=relation)


def wrong(form: Form, run: Call, seed: int) -> str | None:
    """Return what of a call does not keep its claim; ``None`` if all of it does.

    Raises
    ------
    ValueError
        If the call is refused.
    """
    claim = claimed(form, run.parameters)
    transcript, _ = record(run, form.pair[0], seed, target=form.replaced)
    found = account(transcript, claim)
    if not found.certified:
        return f"{found.parameter} {found.accounted!r} for {found.claimed!r}"
    gap = largest_ratio(run, *form.pair, seed=seed, target=form.replaced)
    if gap is not None and gap.ratio > 1:
        return f"a release moves {gap.ratio} times what it says"
    return leak(run, *form.pair, seed=seed, target=form.replaced)


@pytest.mark.slow
@pytest.mark.parametrize("identifier", tuple(instances()))
def test_what_is_accepted_keeps_the_claim(identifier: str) -> None:
    form = build_case(identifier).forms["corrected"]
    call = form.run
    assert isinstance(call, Call)
    rng = np.random.default_rng(zlib.crc32(identifier.encode()))
    accepted, broken = 0, []
    for seed, change in enumerate(points(call, rng)):
        try:
            found = wrong(form, call.changed(change), seed)
        except RunRaised as error:
            # refused: before any release, whatever the data are
            if not isinstance(error.__cause__, ParameterError) or "entry 0" not in str(error):
                broken.append((change, repr(error)))
            continue
        accepted += 1
        if found is not None:
            broken.append((change, found))
    assert not broken, "\n".join(map(str, broken))
    assert accepted >= POINTS // 4 or identifier in TOO_SMALL
