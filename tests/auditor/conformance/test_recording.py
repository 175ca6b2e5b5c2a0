"""Printed forms, constants and sets in a recorded case."""

from __future__ import annotations

import numpy as np
import pytest

from auditor.conformance import constants, store
from auditor.conformance.plain import plain, restored
from auditor.conformance.record import printed_results, recorded
from auditor.described import settings
from reference.catalogue import entry
from reference.constraint_sets import Polytope
from reference.em import clipped_gradient_em


def test_a_form_that_draws_subsamples_of_its_own_has_no_result() -> None:
    """DP-Katyusha as printed has no noise, and takes no draws, those of the batches included."""
    katyusha = entry("diss-3.1.2")
    forms = {}
    for setting in settings(katyusha.id):
        steps = recorded(setting, katyusha.function)["steps"]
        sampled = any(step["kind"] == "subsample" for step in steps)
        forms[sampled] = [found["form"] for found in printed_results(setting, katyusha, steps)]
    assert forms == {True: [], False: ["printed"]}


def test_constants_may_be_asked_for_with_positional_arguments() -> None:
    case = next(constants.cases("diss-3.1.4"))
    assert case["inputs"]["radius"] == 2.0
    assert store.wrong(case) is None


def test_an_algorithm_that_asks_for_other_constants_does_not_conform(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A replay is given them, so that only the usual case of the constants can tell."""
    case = next(constants.cases("wang-1"))
    right = clipped_gradient_em.constants_for
    one_less = lambda *, n, **given: right(n=n - 1, **given)  # noqa: E731
    monkeypatch.setattr(clipped_gradient_em, "constants_for", one_less)
    assert store.wrong(case) is not None
    monkeypatch.undo()
    assert store.wrong(case) is None


def test_a_polytope_is_read_as_it_was_written() -> None:
    points = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, -1.0]])
    written = plain(Polytope(points), typed=True)
    assert written == {"type": "Polytope", "points": points.tolist()}
    np.testing.assert_array_equal(restored(written).vertices(2), points)
