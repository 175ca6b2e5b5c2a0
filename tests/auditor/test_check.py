"""Checking any callable: what it loads, what it finds, and what bad input it names."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor.check import (
    Request,
    check,
    check_safely,
    claimed,
    kind_of,
    load_callable,
    load_pair,
    relation_of,
)
from auditor.context import Context
from auditor.errors import InputError
from auditor.verdict import Verdict
from reference.privacy.guarantees import ApproximateDP, PureDP, Relation

DATA = np.zeros(20)
OTHER = np.concatenate([[1.0], np.zeros(19)])


def right(data: Any, ledger: Any) -> Any:
    return ledger.laplace(np.clip(data, 0, 1).mean(), sensitivity=0.05, scale=0.05)


def too_little_noise(data: Any, ledger: Any) -> Any:
    return ledger.laplace(np.clip(data, 0, 1).mean(), sensitivity=0.05, scale=0.02)


def understated(data: Any, ledger: Any) -> Any:
    return ledger.laplace(np.clip(data, 0, 1).mean(), sensitivity=0.02, scale=0.02)


def branches(data: Any, ledger: Any) -> Any:
    if data.max() > 0.5:
        ledger.laplace(0.0, sensitivity=1e-6, scale=1.0)
    return right(data, ledger)


def box_right(data: Any, rng: np.random.Generator) -> float:
    return float(np.mean(data) + rng.laplace(scale=0.05))


def box_wrong(data: Any, rng: np.random.Generator) -> tuple[float, np.ndarray]:
    # only the second coordinate of the second part tells
    return 0.0, np.array([rng.normal(), np.mean(data) + rng.laplace(scale=0.01)])


def statuses(verdicts: tuple[Verdict, ...]) -> dict[str, str]:
    return {verdict.question: verdict.status for verdict in verdicts}


def ask(function: Any, kind: Any) -> dict[str, str]:
    context = Context(seed=1)
    return statuses(check(function, kind, (DATA, OTHER), epsilon=1.0, delta=0.0, context=context))


def test_a_right_mechanism_holds() -> None:
    # false alarm: the suite's 1% at most, and the seed is fixed
    found = ask(right, "ledger")
    assert set(found) == {"accounting", "sensitivity", "control_flow", "privacy_loss", "samplers"}
    assert set(found.values()) == {"holds"}


@pytest.mark.parametrize(
    ("function", "question"),
    [
        (too_little_noise, "accounting"),
        (understated, "sensitivity"),
        (understated, "privacy_loss"),
        (branches, "control_flow"),
    ],
)
def test_a_broken_mechanism_is_caught(function: Any, question: str) -> None:
    assert ask(function, "ledger")[question] == "violated"


def test_black_boxes() -> None:
    # the wrong one spends epsilon 5 of 1: missed with probability far below 1e-6
    assert ask(box_right, "rng") == {"black_box": "holds"}
    assert ask(box_wrong, "rng") == {"black_box": "violated"}


def test_the_second_argument_is_known_by_its_name() -> None:
    assert kind_of(right, "right") == "ledger"
    assert kind_of(box_right, "box") == "rng"
    with pytest.raises(InputError, match=r"takes \(data, x\).*--kind"):
        kind_of(lambda data, x: 0, "f")


def test_how_data_sets_are_neighbours() -> None:
    assert relation_of(DATA, OTHER) == (Relation.REPLACE_ONE, 0)
    assert relation_of(np.arange(5.0), np.delete(np.arange(5.0), 3)) == (
        Relation.ADD_OR_REMOVE_ONE,
        3,
    )
    pair = ((np.zeros((4, 2)), np.zeros(4)), (np.zeros((4, 2)), np.array([0, 0, 7.0, 0])))
    assert relation_of(*pair) == (Relation.REPLACE_ONE, 2)
    with pytest.raises(InputError, match="equal"):
        relation_of(DATA, DATA)
    with pytest.raises(InputError, match="no neighbours"):
        relation_of(np.zeros(3), np.ones(3))
    with pytest.raises(InputError, match="no neighbours"):
        relation_of(np.zeros(3), np.ones(2))
    with pytest.raises(InputError, match="different shapes"):
        relation_of(np.zeros((3, 2)), np.zeros((3, 4)))


def test_the_claim() -> None:
    assert claimed(1, 0, Relation.REPLACE_ONE) == PureDP(1)
    assert claimed(1, 1e-5, Relation.REPLACE_ONE) == ApproximateDP(1, 1e-5)
    for epsilon, delta in ((0, 0), (-1, 0), (float("nan"), 0), (1, -0.1), (1, 1)):
        with pytest.raises(InputError, match="must be"):
            claimed(epsilon, delta, Relation.REPLACE_ONE)


def request_for(target: str, pair: str = "", *, is_file: bool = False) -> Request:
    return Request(target, 1.0, 0.0, pair, is_file, None, Context())


def test_pairs_from_files(tmp_path: Path) -> None:
    np.save(tmp_path / "pair.npy", np.stack([DATA, OTHER]))
    (tmp_path / "pair.json").write_text(json.dumps([DATA.tolist(), OTHER.tolist()]))
    for name in ("pair.npy", "pair.json"):
        first, second = load_pair(request_for("", str(tmp_path / name), is_file=True))
        np.testing.assert_array_equal(first, DATA)
        np.testing.assert_array_equal(second, OTHER)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("pair.json", "{", "cannot be read"),
        ("pair.json", "[[1, 2]]", "two data sets"),
        ("pair.json", '{"a": 1}', "two data sets"),
        ("pair.json", "[[], []]", "empty"),
        ("pair.json", '[["a"], ["b"]]', "not an array of numbers"),
        ("pair.json", "[1, 2]", "empty or not an array"),
        ("pair.npy", "nonsense", "cannot be read"),
        ("pair.csv", "1,2", r"must be a \.json or \.npy"),
        (None, "", "cannot be read"),
    ],
)
def test_bad_pairs(tmp_path: Path, name: str | None, content: str, message: str) -> None:
    path = tmp_path / (name or "missing.json")
    if name:
        path.write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        load_pair(request_for("", str(path), is_file=True))
    assert "\n" not in str(caught.value)


def test_callables(tmp_path: Path) -> None:
    path = tmp_path / "random.py"
    path.write_text("class A:\n    def f(data, rng): return 7\n")
    assert load_callable(f"{path}:A.f")(None, None) == 7
    assert load_callable("math:sqrt")(4) == 2
    (tmp_path / "broken.py").write_text("1/0")
    for name, message in (
        ("math", r"not package\.module:callable"),
        ("math:nothing", "no callable 'nothing'"),
        ("math:pi", "no callable 'pi'"),
        ("no_such_module_here:f", "importing no_such_module_here failed"),
        (f"{tmp_path}/no.py:f", "no file"),
        (f"{tmp_path}/broken.py:f", "ZeroDivisionError"),
    ):
        with pytest.raises(InputError, match=message):
            load_callable(name)


MECHANISMS = """
import os, time
import numpy as np

def fine(data, ledger):
    print("chatter")
    return ledger.laplace(data.mean(), sensitivity=0.05, scale=0.05)

def raises(data, ledger):
    raise KeyError("no such column")

def hangs(data, ledger):
    while True:
        time.sleep(1)

def dies(data, ledger):
    os._exit(3)

def pair():
    other = np.zeros(20)
    other[0] = 1.0
    return np.zeros(20), other
"""


def test_a_process_of_its_own(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mechanisms.py"
    path.write_text(MECHANISMS)

    def safely(name: str, timeout: float = 120) -> tuple[Verdict, ...]:
        return check_safely(request_for(f"{path}:{name}", f"{path}:pair"), timeout=timeout)

    assert set(statuses(safely("fine")).values()) == {"holds"}
    assert "chatter" not in capfd.readouterr().out
    with pytest.raises(InputError, match=r"KeyError: 'no such column' at mechanisms\.py:10"):
        safely("raises")
    with pytest.raises(InputError, match=r"ended its process \(exit code 3\)"):
        safely("dies")
    with pytest.raises(InputError, match=r"did not finish within 2 s.*--timeout"):
        safely("hangs", timeout=2)
