"""What a case says of printed forms, constants and sets."""

from __future__ import annotations

import numpy as np

from auditor.conformance import algorithms, constants, store
from auditor.conformance.instance import Twin
from auditor.conformance.plain import plain, restored
from auditor.conformance.record import printed_results, recorded
from auditor.conformance.twins import broken
from reference.catalogue import entry
from reference.constraint_sets import Polytope
from reference.privacy import guarantees


def test_a_form_that_draws_subsamples_of_its_own_has_no_result() -> None:
    """DP-Katyusha as printed has no noise, and takes no draws, those of the batches included."""
    katyusha = entry("diss-3.1.2")
    forms = {}
    for instance in algorithms.instances()[katyusha.id]():
        steps = recorded(instance, katyusha.function)["steps"]
        sampled = any(step["kind"] == "subsample" for step in steps)
        forms[sampled] = [found["form"] for found in printed_results(instance, katyusha, steps)]
    assert forms == {True: [], False: ["printed"]}


def test_constants_may_be_asked_for_with_positional_arguments() -> None:
    case = next(constants.cases("diss-3.1.4"))
    assert case["inputs"]["radius"] == 2.0
    assert store.wrong(case) is None


def test_an_algorithm_that_asks_for_other_constants_does_not_conform() -> None:
    """A replay is given them, so that only the usual case of the constants can tell."""
    case = next(constants.cases("wang-1"))
    twin = Twin(
        "one record less",
        "divisor",
        "            n=len(records),",
        "            n=len(records) - 1,",
    )
    with broken(twin, "reference.em.clipped_gradient_em"):
        gap = store.wrong(case)
    assert gap is not None
    assert store.wrong(case) is None


def test_what_a_twin_leaves_in_a_cache_is_forgotten() -> None:
    right = guarantees.gaussian_dp_mu(0.5, 1e-5)
    twin = Twin(
        "another mu",
        "noise",
        "float(scipy.optimize.brentq(excess, lower, upper, xtol=accuracy",
        "2 * float(scipy.optimize.brentq(excess, lower, upper, xtol=accuracy",
    )
    with broken(twin, "reference.privacy.guarantees"):
        assert guarantees.gaussian_dp_mu(0.5, 1e-5) == 2 * right
    assert guarantees.gaussian_dp_mu(0.5, 1e-5) == right


def test_a_polytope_is_read_as_it_was_written() -> None:
    points = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, -1.0]])
    written = plain(Polytope(points), typed=True)
    assert written == {"type": "Polytope", "points": points.tolist()}
    np.testing.assert_array_equal(restored(written).vertices(2), points)
