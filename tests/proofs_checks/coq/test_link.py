"""The releases of the code are those that the theorems are about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.described import build_case
from auditor.questions.domain import DomainPoint, call_at, points
from auditor.questions.ranges import REFUSALS
from auditor.suite.plan import is_corrected
from auditor.transcript.replay import RunRaised, record, replay
from proofs_checks.algorithm_theorems import algorithm_theorems
from proofs_checks.theorem_bindings import BINDINGS, ROUNDED
from proofs_checks.theorem_link import (
    bound_values,
    disagreements,
    formulas_of,
    moved_too_far,
)
from reference.privacy.guarantees import Relation
from reference.privacy.ledger import Transcript
from reference.privacy.mechanisms import NoisyMax

EXTREME = -1000.0
"""Factor on the numbers of the record that is replaced."""

NOT_COVERED = {
    ("diss-6.3.51-L", "corrected-theorem"): "a user's own sensitivity, larger than the theorem's",
    ("diss-6.3.52", "corrected-approximate"): "Wishart noise; the theorem is about pure DP",
}
"""Forms of a theorem's entry that the theorem is not about, and why."""

FACTORS = (EXTREME, 0.0)
"""Factors on a record that is read late: some gradients do not change with its sign."""


def _forms(identifier: str) -> Iterator[Form]:
    for name, form in build_case(identifier).forms.items():
        if is_corrected(name) and not form.violates and (identifier, name) not in NOT_COVERED:
            yield form


def _extreme(form: Form, data: Any, k: int, factor: float = EXTREME) -> Any:
    """Return data with record k blown up, or its label flipped where labels alone are private."""
    only_label = form.claim.relation is Relation.REPLACE_LABEL
    arrays = data if isinstance(data, tuple) else (data,)
    changed = [np.array(array) for array in arrays]
    for index, array in enumerate(changed):
        is_label = index > 0
        if only_label and not is_label:
            continue
        array[k] = -array[k] if is_label and not only_label else array[k] * factor
    return tuple(changed) if isinstance(data, tuple) else changed[0]


def _turned(data: Any, k: int) -> Any:
    """Return data with the features of record k in other places."""
    first, *labels = data if isinstance(data, tuple) else (data,)
    turned = np.array(first)
    turned[k] = np.roll(turned[k], 1)
    return (turned, *labels) if isinstance(data, tuple) else turned


def _replaced(transcript: Transcript, n: int) -> list[int]:
    """Return the first three records and one of each of the first four batches that were drawn."""
    samples = [release.claim.sample for release in transcript.releases[:4]]
    drawn = [int(sample.indices[0]) for sample in samples if sample is not None]
    return sorted({*range(min(3, n)), *drawn})


def _late(transcript: Transcript) -> int:
    """Return a record that the last release reads: the query depends on what came before."""
    records = transcript.releases[-1].claim.records
    if records is None:
        return 0
    return int(records.start if isinstance(records, slice) else records[0])


def compared(identifier: str, seed: int) -> tuple[list[str], int, int]:
    """Compare an entry's runs over its domain with its theorem.

    Returns
    -------
    wrong : list of str
    runs, replays : int
        Numbers of runs and of replays that were compared.
    """
    formulas, wrong, runs, replays = formulas_of(identifier), [], 0, 0
    for form in _forms(identifier):
        # as it is and over its domain, most of which the number of blocks can rule out
        own = DomainPoint({}, {}, seed)
        for turn, point in enumerate([own, *points(form, Context(seed=seed))]):
            if point.factors:  # a user's own constants: the promise of a sensitivity is theirs
                continue
            data = form.pair[turn % 2]
            try:
                call = call_at(form, point)
                transcript, _ = record(call, data, point.seed)
            except (RunRaised, *REFUSALS):
                continue
            values = bound_values(identifier, call, data, transcript)
            wrong += disagreements(formulas, transcript, values)
            runs += 1
            others = [(form.replaced, form.pair[1 - turn % 2])]
            replaced = _replaced(transcript, values["n"])
            others += [(k, _extreme(form, data, k)) for k in replaced]
            if any(r.mechanism.kind.startswith("symmetric") for r in transcript.releases):
                others += [(k, _turned(data, k)) for k in replaced]  # x x^T is the same for -x
            late = _late(transcript)
            others += [(late, _extreme(form, data, late, factor)) for factor in FACTORS]
            for k, other in others:
                try:
                    again = replay(call, other, transcript)
                except (RunRaised, *REFUSALS):
                    continue
                replays += 1
                wrong += moved_too_far(formulas, transcript, again, k, values)
    return wrong, runs, replays


def test_every_theorem_is_bound_to_its_code() -> None:
    assert set(BINDINGS) == set(algorithm_theorems())


@pytest.mark.parametrize("identifier", sorted(BINDINGS))
def test_the_code_releases_what_the_theorem_says(identifier: str) -> None:
    wrong, runs, replays = compared(identifier, seed=0)
    assert not wrong, (len(wrong), wrong[:3])
    assert runs >= 3
    assert replays >= 3


def _recorded(identifier: str) -> tuple[Form, Transcript, dict[str, Any]]:
    form = next(_forms(identifier))
    transcript, _ = record(form.run, form.pair[0], 0)
    return form, transcript, bound_values(identifier, form.run, form.pair[0], transcript)


def _changed(transcript: Transcript, index: int, **changes: Any) -> Transcript:
    entries = list(transcript.releases)
    entries[index] = transcript.releases[index]._replace(**changes)
    return replace(transcript, entries=tuple(entries))


@pytest.mark.parametrize(
    "identifier",
    [
        "wang-1",
        "wang-2",
        "diss-3.2.5",
        "diss-4.1.16",
        "diss-4.3.28",
        "diss-5.1.30",
        "diss-5.2.39",
        "hu-1",
        "zhang-1",
        "zhang-2",
        "zhang-4",
    ],
)
def test_a_transcript_that_is_another_is_refused(identifier: str) -> None:
    _, transcript, values = _recorded(identifier)
    formulas = formulas_of(identifier)
    assert not disagreements(formulas, transcript, values)
    release = transcript.releases[0]
    claim, mechanism = release.claim, release.mechanism
    more = claim._replace(sensitivity=1.01 * claim.sensitivity)
    others = claim._replace(records=slice(1, values["n"]))
    wrong = {
        "sensitivity": _changed(transcript, 0, claim=more),
        "scale": _changed(transcript, 0, mechanism=mechanism.rescaled(1.01)),
        "number": replace(transcript, entries=(release, *transcript.entries)),
    }
    if claim.records is not None:
        wrong["records"] = _changed(transcript, 0, claim=others)
    for name, other in wrong.items():
        assert disagreements(formulas, other, values), name


@pytest.mark.parametrize("identifier", ["wang-1", "wang-2", "diss-5.1.30", "zhang-2"])
def test_a_value_that_moves_by_more_than_the_theorem_allows_is_seen(identifier: str) -> None:
    _, transcript, values = _recorded(identifier)
    formulas = formulas_of(identifier)
    value = np.array(transcript.releases[0].value)
    value.flat[0] += 1.01 * transcript.releases[0].claim.sensitivity
    moved = _changed(transcript, 0, value=value)
    assert moved_too_far(formulas, transcript, moved, 0, values)


@pytest.mark.parametrize("identifier", ["diss-4.3.26", "diss-4.3.27", "diss-4.3.28", "diss-4.3.29"])
def test_a_hessian_is_told_from_a_gradient_where_their_sensitivities_differ(
    identifier: str,
) -> None:
    form = next(_forms(identifier))
    run: Any = form.run
    loss, *others = run.arguments
    parameters = {key: value for key, value in run.parameters.items() if key != "constants"}
    parameters["accuracy"] = 1e9  # for which a Hessian is always wanted
    arguments = (replace(loss, feature_bound=2.0), *others)
    call = replace(run, arguments=arguments, parameters=parameters)
    transcript, _ = record(call, form.pair[0], 0)
    values = bound_values(identifier, call, form.pair[0], transcript)
    formulas = formulas_of(identifier)
    assert values["H"] == 4 * values["G"]
    assert not disagreements(formulas, transcript, values)
    kinds = [release.mechanism.kind for release in transcript.releases]
    hessian = kinds.index("symmetric gaussian")
    first = transcript.releases[0]
    for changes in ({"claim": first.claim}, {"mechanism": first.mechanism}):
        assert disagreements(formulas, _changed(transcript, hessian, **changes), values)


def test_steps_that_a_run_leaves_out_are_not_compared() -> None:
    _, transcript, values = _recorded("diss-4.3.27")
    formulas = formulas_of("diss-4.3.27")
    assert list(values["asked"]) == [0, 1, 2, 3]
    without = replace(transcript, entries=(*transcript.releases[:1], *transcript.releases[2:]))
    assert disagreements(formulas, without, {**values, "asked": [0, 1, 2]})
    assert not disagreements(formulas, without, {**values, "asked": [0, 2, 3]})
    assert disagreements(formulas, transcript, {**values, "asked": [0, 1, 2, 4]})


def test_a_record_outside_a_batch_has_the_sensitivity_of_the_background() -> None:
    *_, form = _forms("diss-3.1.1")  # that with batches
    transcript, _ = record(form.run, form.pair[0], 0)
    values = bound_values("diss-3.1.1", form.run, form.pair[0], transcript)
    assert values["b"] < values["n"]
    formulas = formulas_of("diss-3.1.1")
    assert not disagreements(formulas, transcript, values)
    first, second = transcript.releases[:2]
    claim = first.claim
    for wrong in (
        claim._replace(sample=second.claim.sample),
        claim._replace(sample=None),
        claim._replace(background_sensitivity=0.99 * claim.background_sensitivity),
    ):
        assert disagreements(formulas, _changed(transcript, 0, claim=wrong), values)


def test_a_peeling_that_leaves_out_or_releases_what_it_did_not_select_is_refused() -> None:
    _, transcript, values = _recorded("zhang-2")
    formulas = formulas_of("zhang-2")
    assert not disagreements(formulas, transcript, values)
    second, first_value = transcript.releases[1].mechanism, transcript.releases[2]
    assert isinstance(second, NoisyMax)
    for excluded in ((), (1 - second.excluded[0],)):
        mechanism = replace(second, excluded=excluded)
        other = _changed(transcript, 1, mechanism=mechanism)
        assert disagreements(formulas, other, values)
        assert moved_too_far(formulas, transcript, other, 0, values)
    other = _changed(transcript, 2, value=np.asarray(first_value.value) + 1.0)
    assert disagreements(formulas, other, values)
    swapped = replace(transcript, entries=transcript.entries[::-1])
    assert disagreements(formulas, swapped, values)


@pytest.mark.parametrize(
    ("added", "noise", "accepted"),
    [(2.0**-9, 2.0**-9, True), (2.0**-9, 0.0, False), (0.001, 0.001, False)],
)
def test_sensitivity_and_noise_may_grow_by_the_rounding_of_a_point_alone(
    added: float, noise: float, accepted: bool
) -> None:
    _, transcript, values = _recorded("zhang-4")
    release = transcript.releases[0]
    claim, sensitivity = release.claim, release.claim.sensitivity
    other = _changed(
        transcript,
        0,
        claim=claim._replace(sensitivity=sensitivity + added),
        mechanism=release.mechanism.rescaled(1 + noise / sensitivity),
    )
    assert accepted == (not disagreements(formulas_of("zhang-4"), other, values))
    without = {name: value for name, value in values.items() if name != ROUNDED}
    assert disagreements(formulas_of("zhang-4"), other, without)
