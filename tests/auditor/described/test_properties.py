"""Properties of every algorithm in all its settings; broken ones are told."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest

import auditor
from auditor import Setting
from auditor.described import build_case, left_out, modules, settings
from auditor.described.properties import Property, properties
from auditor.questions.domain import claimed
from reference.catalogue import entry
from reference.privacy.guarantees import Guarantee
from reference.privacy.ledger import Ledger


def of_the_catalogue() -> list[Any]:
    return [
        pytest.param(it, id=f"{of}-{it}")
        for of in modules()
        for it in properties(
            entry(of).function,
            settings(of),
            claim=partial(claim_of, of),
            in_order=left_out(of).get("order of records", ""),
        )
    ]


def claim_of(of: str, arguments: Mapping[str, Any]) -> Guarantee:
    return claimed(build_case(of).forms["corrected"], arguments)


@pytest.mark.parametrize("it", of_the_catalogue())
def test_it(it: Property) -> None:
    assert it.wrong() == ""


@pytest.mark.parametrize("of", [of for of in modules() if "order of records" in left_out(of)])
def test_the_order_of_records_matters_where_it_is_not_asked(of: str) -> None:
    asked = {it.name: it for it in properties(entry(of).function, settings(of))}
    assert asked["the order of records does not matter"].wrong()


DATA = np.array([0.25, -0.5, 1.0, 0.125])
USUAL = (Setting("usual", "", {"data": DATA, "epsilon": 1.0}, noiseless=0.21875),)


def laplace(value: float, n: int, epsilon: float, ledger: Any) -> float:
    return float(ledger.laplace(value, sensitivity=2 / n, scale=2 / n / epsilon))


def right(data: Any, *, epsilon: float, ledger: Any) -> float:
    return laplace(float(np.clip(np.asarray(data), -1, 1).mean()), len(data), epsilon, ledger)


def with_noise_of_its_own(data: Any, *, epsilon: float, ledger: Any) -> float:
    return right(data, epsilon=epsilon, ledger=ledger) + float(np.random.default_rng().normal())


def clipped_in_place(data: Any, *, epsilon: float, ledger: Any) -> float:
    np.clip(data, -0.5, 0.5, out=data)
    return right(data, epsilon=epsilon, ledger=ledger)


def of_arrays_only(data: Any, *, epsilon: float, ledger: Any) -> float:
    flat = np.frombuffer(np.asarray(data).data, dtype=float, count=len(data))
    return right(flat, epsilon=epsilon, ledger=ledger)


def at_twice_the_price(data: Any, *, epsilon: float, ledger: Any) -> float:
    return right(data, epsilon=2 * epsilon, ledger=ledger)


def divided_by_zero(data: Any, *, epsilon: float, ledger: Any) -> float:
    return right(data, epsilon=epsilon, ledger=ledger) + float("nan")


def of_the_first_two(data: Any, *, epsilon: float, ledger: Any) -> float:
    return right(data[:2], epsilon=epsilon, ledger=ledger)


def wrong_in(algorithm: Any) -> set[str]:
    found = set()
    for it in properties(algorithm, tuple(fresh())):
        try:
            wrong = it.wrong()
        except Exception:  # an error is told like anything else
            wrong = "raised"
        if wrong:
            found.add(it.name)
    return found


def fresh() -> list[Setting]:
    return [Setting("usual", "", {"data": DATA.copy(), "epsilon": 1.0}, noiseless=0.21875)]


@pytest.mark.parametrize(
    ("algorithm", "told"),
    [
        (right, set()),
        (with_noise_of_its_own, {"the same seed gives the same", "its noise is all that it draws"}),
        (clipped_in_place, {"it leaves its input as it is"}),
        (of_arrays_only, {"it takes any layout of its data"}),
        (at_twice_the_price, {"it spends what it claims at most"}),
        (divided_by_zero, {"its result is made of finite numbers"}),
        (
            of_the_first_two,
            {"the order of records does not matter", "without noise it gives what is known"},
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_broken_is_told(algorithm: Any, told: set[str]) -> None:
    found = wrong_in(algorithm)
    assert told <= found
    if not told:
        assert found == set()


def test_a_result_by_another_way_is_asked_for_with_the_arguments() -> None:
    other = Setting(
        "usual", "", dict(USUAL[0].arguments), noiseless=lambda data, epsilon: data.mean() + 1e-3
    )
    (known,) = [it for it in properties(right, [other]) if "known" in it.name]
    assert known.wrong().startswith("usual: result: [0.21975]")


def test_nothing_to_ask_is_an_error() -> None:
    with pytest.raises(ValueError, match="settings must hold a Setting"):
        properties(right, ())


def test_they_are_public() -> None:
    assert auditor.properties is properties
    assert isinstance(right(DATA, epsilon=1.0, ledger=Ledger(0)), float)
