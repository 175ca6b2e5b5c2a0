"""Refusals, conversions and accounts in the vectors are true."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import pytest

from auditor.conformance import accounting, conversions, numbers, refusals, store
from auditor.conformance.conform import Outcome, judged
from auditor.conformance.kinds import Case


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
        mu, epsilon = (mpmath.mpf(float(case["inputs"][name])) for name in ("mu", "epsilon"))
        with mpmath.workdps(60):
            if mu in (0, mpmath.inf):
                truth = mpmath.mpf(mu > 0)
            else:
                truth = mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(
                    -mu / 2 - epsilon / mu
                )
        assert math.isclose(
            case["result"], truth, rel_tol=case["tolerance"]["relative"], abs_tol=1e-300
        )


def test_every_conversion_runs_over_its_grid() -> None:
    for of, function in conversions.TABLE.items():
        cases = store.read(store.path_of("conversions", of))
        assert len(cases) == len(function.samples) >= 10
        assert len({case["result"] for case in cases}) > len(cases) / 3


def test_tolerances_of_tight_accounts_cover_what_the_arithmetic_rounds() -> None:
    """An FFT's rounding does not shrink with delta; a root that follows from it moves with it."""
    shares = {}
    for case in store.read(store.path_of("accounting", "tight")):
        inputs, result = case["inputs"], case["result"]
        releases = tuple(accounting.read(item) for item in inputs["releases"])
        composed = (1 if accounting._is_plain_gaussian(item) else item.count for item in releases)
        rounds = sum(composed) * accounting.PER_RELEASE
        known = accounting._composed(releases)
        if "delta" in inputs:
            bent = known.epsilon(inputs["delta"] + rounds).epsilon
            moved = abs(bent / known.epsilon(inputs["delta"]).epsilon - 1)
        else:
            moved = rounds / result["lower"]
        shares[case["id"]] = moved / case["tolerance"]["relative"]
    assert max(shares.values()) <= 1, max(shares, key=lambda name: shares[name])
    second = {
        name for name in shares if name.rpartition("/")[0].partition("/")[2] in accounting.ROUNDED
    }
    assert {name for name in shares if shares[name] > 0.2} >= second, "wider than it need be"


def test_the_truth_lies_between_the_bounds() -> None:
    """The truth is known for Gaussians, which compose to one, and for one Laplace release."""
    known = 0
    for case in store.read(store.path_of("accounting", "tight")):
        bounds, inputs = case["result"], case["inputs"]
        assert bounds["lower"] <= bounds["upper"] * (1 + 1e-9)
        if "epsilon" not in inputs or any("sample" in item for item in inputs["releases"]):
            continue
        epsilon = inputs["epsilon"]
        if all(item["kind"] == "gaussian" for item in inputs["releases"]):
            squares = sum(item["count"] * item["sensitivity"] ** 2 for item in inputs["releases"])
            truth = gaussian_curve(math.sqrt(squares), epsilon)
        elif case["id"].startswith("accounting/tight/one-laplace,"):
            truth = -math.expm1((epsilon - 1.0) / 2)
        else:
            continue
        known += 1
        assert bounds["lower"] <= truth <= bounds["upper"] * (1 + 1e-9), case["id"]
        assert truth <= bounds["lower"] * 1.01, case["id"]
    assert known >= 10


def gaussian_curve(mu: float, epsilon: float) -> float:
    with mpmath.workdps(60):
        high, low = mpmath.mpf(mu) / 2, mpmath.mpf(epsilon) / mu
        return float(mpmath.ncdf(high - low) - mpmath.exp(epsilon) * mpmath.ncdf(-high - low))


def test_sampled_bounds_hold_for_a_single_release() -> None:
    """Its curve is exact: q times the Gaussian one at ln(1 + (e^epsilon - 1)/q)."""
    cases = store.read(store.path_of("accounting", "tight"))
    found = [case for case in cases if case["id"].startswith("accounting/tight/sampled-once,eps")]
    assert found
    for case in found:
        inner = math.log1p(math.expm1(case["inputs"]["epsilon"]) / 0.1)
        truth = 0.1 * gaussian_curve(1.0, inner)
        assert case["result"]["lower"] <= truth <= case["result"]["upper"] * (1 + 1e-9)


def test_an_accountant_below_the_truth_does_not_conform() -> None:
    def asked(factor: float) -> list[Outcome]:
        def accountant(case: Case) -> dict[str, float]:
            return {"result": factor * case["result"]["lower"]}

        return [judged(case, accountant) for case in cases]

    cases = store.read(store.path_of("accounting", "tight"))
    for factor, status in ((1.0, "passed"), (0.999, "failed"), (1e9, "failed")):
        assert {outcome.status for outcome in asked(factor)} == {status}
    assert all("at most 1.1 times" in outcome.why for outcome in asked(1e9))
