"""Building blocks, conversions, refusals and numbers: made anew they are the same."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import pytest

from auditor.conformance import blocks, conversions, numbers, refusals, store
from auditor.conformance.functions import Function, Sample, kind_of
from auditor.conformance.instance import Twin
from auditor.conformance.kinds import kinds

FUNCTIONS = [
    (kind, of) for kind in ("blocks", "conversions", "numbers") for of in kinds()[kind].names()
]


@pytest.mark.parametrize(("kind", "of"), FUNCTIONS)
def test_is_what_the_reference_makes_of_it_today(kind: str, of: str) -> None:
    path = store.path_of(kind, of)
    assert path.read_text(encoding="utf-8") == store.generated(kind, of)
    assert [str(gap) for case in store.read(path) if (gap := store.wrong(case))] == []


@pytest.mark.parametrize("of", refusals.names())
def test_refusals_are_refused_before_anything_is_released(of: str) -> None:
    path = store.path_of("refusals", of)
    assert path.read_text(encoding="utf-8") == store.generated("refusals", of)
    assert [str(gap) for case in store.read(path) if (gap := store.wrong(case))] == []


def test_an_algorithm_that_refuses_nothing_gets_no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "refusal", lambda of, inputs: {})
    with pytest.raises(ValueError, match=r"wang-1 with epsilon = 0.0 gives \{\}"):
        list(refusals.cases("wang-1"))


def test_a_refusal_after_a_release_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    case = store.read(store.path_of("refusals", "wang-1"))[0]
    function = refusals.entry("wang-1").function

    def late(*arguments: Any, ledger: Any, **others: Any) -> Any:
        ledger.laplace(0.0, sensitivity=1.0, scale=1.0)
        return function(*arguments, ledger=ledger, **others)

    late.__module__ = function.__module__

    class Entry:
        pass

    stand_in = Entry()
    stand_in.function = late  # type: ignore[attr-defined]
    monkeypatch.setattr(refusals, "entry", lambda of: stand_in)
    assert refusals.answer(case) == {"result": {}}


def test_bits_are_those_of_the_standard() -> None:
    assert numbers.bits(1.0) == "3ff0000000000000"
    assert numbers.bits(-0.0) == "8000000000000000"
    assert numbers.bits(5e-324) == "0000000000000001"


def test_conversions_are_within_their_tolerance_of_the_truth() -> None:
    """The curve of the Gaussian mechanism to 40 digits."""
    for case in store.read(store.path_of("conversions", "gaussian-delta")):
        mu, epsilon = (mpmath.mpf(case["inputs"][name]) for name in ("mu", "epsilon"))
        with mpmath.workdps(60):
            truth = mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(
                -mu / 2 - epsilon / mu
            )
        assert math.isclose(
            case["result"], truth, rel_tol=case["tolerance"]["relative"], abs_tol=1e-300
        )


def test_a_twin_that_is_not_caught_is_no_vector() -> None:
    twin = Twin("nothing", "formula", "np.sign(point)", "np.sign(+point)", "reference.proximal")
    table = {
        "clip": Function(
            blocks.soft_threshold,
            [Sample("a", "nothing to be seen", {"point": blocks.X, "threshold": 0.5}, (twin,))],
        )
    }
    with pytest.raises(ValueError, match="blocks/clip/a/1 does not catch 'nothing'"):
        list(kind_of("blocks", "", table).cases("clip"))


def test_every_conversion_runs_over_its_grid() -> None:
    for of, function in conversions.TABLE.items():
        cases = store.read(store.path_of("conversions", of))
        assert len(cases) == len(function.samples) >= 10
        assert len({case["result"] for case in cases}) > len(cases) / 3
