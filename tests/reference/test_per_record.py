"""An object that reads other records than the one it answers for is refused before any release."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from reference.catalogue import entries, entry
from reference.local.bernstein_mechanism import local_bernstein
from reference.local.risks import MeanSquaredDistance
from reference.per_record import N_RECORDS, require_per_record
from reference.privacy.ledger import RecordingLedger

METHODS = {
    "UserLoss": ("values",),
    "RecordLoss": ("gradients", "validate"),
    "LatentModel": ("gradients", "truncated_gradients", "validate"),
}
"""What is asked of many records at once, by the protocol."""


def of_kind(kind: str) -> list[str]:
    """Return the algorithms that take an object of a kind."""
    return [
        identifier
        for identifier in entries()
        if kind
        in (p.annotation for p in inspect.signature(entry(identifier).function).parameters.values())
    ]


def of_parts(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Any], Any]:
    """Return a change of arrays as one of tuples of arrays, whose first part it changes."""
    return lambda found: (
        (change(found[0]), *found[1:]) if isinstance(found, tuple) else change(found)
    )


MISTAKES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "centred": lambda rows: rows - rows.mean(axis=0),
    "scaled by the largest": lambda rows: rows / (1 + np.abs(rows).max()),
    "sorted": lambda rows: np.sort(rows, axis=0),
    "the first record added": lambda rows: rows + 0.5 * rows[:1],
    "turned round": lambda rows: rows[::-1],
}


def spoilt(thing: Any, method: str, mistake: Callable[[Any], Any]) -> Any:
    """Return a copy of an object one of whose methods makes a mistake."""
    original = type(thing)

    def wrong(self: Any, *arguments: Any) -> Any:
        return mistake(getattr(original, method)(self, *arguments))

    changed = copy.copy(thing)
    object.__setattr__(changed, "__class__", type("Spoilt", (original,), {method: wrong}))
    return changed


SPOILT = [
    (identifier, kind, method)
    for kind, methods in METHODS.items()
    for identifier in of_kind(kind)
    for method in methods
]


@pytest.mark.parametrize(("identifier", "kind", "method"), SPOILT)
def test_every_mistake_is_refused_where_the_method_is_used(identifier, kind, method, arguments_of):
    arguments = arguments_of(identifier)
    name = "model" if kind == "LatentModel" else "loss"
    asked = []
    watched = spoilt(arguments[name], method, lambda rows: asked.append(1) or rows)
    entry(identifier).function(**{**arguments, name: watched, "ledger": RecordingLedger(0)})
    if not asked:
        pytest.skip("it does not call the method")
    for what, mistake in MISTAKES.items():
        print(what)  # shown where it fails
        wrong = spoilt(arguments[name], method, of_parts(mistake))
        ledger = RecordingLedger(0)
        with pytest.raises(ValueError, match=f"^{name} must take every record on its own"):
            entry(identifier).function(**{**arguments, name: wrong, "ledger": ledger})
        assert not ledger.transcript.entries


class Counting:
    """Claims 1 a record; a record that is not the first moves all answers."""

    dimension = 1

    def values(self, points, records):
        return np.clip(np.full(len(records), records[1:].sum()), 0, 1)


def test_a_loss_that_counts_others_is_refused_whatever_the_data_are():
    for data in (np.zeros((100, 1)), np.ones((100, 1)), np.eye(100)[:, :1]):
        with pytest.raises(ValueError, match="loss must take every record on its own"):
            local_bernstein(data, Counting(), epsilon=1.0, order=1, ledger=RecordingLedger(0))


def test_a_loss_of_another_dimension_is_refused_instead_of_broadcast():
    data = np.full((100, 1), 0.3)
    with pytest.raises(ValueError, match=r"data must have loss.dimension = 2 columns, got 1"):
        local_bernstein(data, MeanSquaredDistance(2), epsilon=1.0, order=1)


def test_no_private_number_is_read():
    seen: list[float] = []

    class Watching(MeanSquaredDistance):
        def values(self, points, records):
            seen.extend(records.ravel().tolist())
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        local_bernstein(np.full((50, 1), 0.123456), Watching(1), epsilon=1.0, order=1)
    assert seen
    assert 0.123456 not in seen


def test_rounding_is_no_mistake_and_a_shape_is():
    rows = np.random.default_rng(0).normal(size=(N_RECORDS, 3))
    require_per_record("f", lambda x: x @ np.ones(3) + 1e-12 * x.sum(), rows)
    with pytest.raises(ValueError, match="one value for each record"):
        require_per_record("f", lambda x: x.sum(), rows)
    with pytest.raises(ValueError, match="one value for each record"):
        require_per_record("f", lambda x: x[:2], rows)
    with pytest.raises(ValueError, match="on its own"):
        require_per_record("f", lambda x: x[:, 0] + 1e-6 * x.sum(), rows)
