"""The vectors are enough for another language: the consumer in JavaScript conforms to them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from auditor.conformance import store
from auditor.conformance.conform import NOT_IMPLEMENTED, Outcome, conform

CONSUMER = store.FOLDER / "consumers/javascript"
ALGORITHMS = 88
"""How many conform, once all have vectors."""

NO_CONSTANTS = {
    "diss-2.sgd-accountant": "an accountant of subsampling",
    "diss-3.1.1": "an accountant of subsampling",
    "diss-3.1.2": "an accountant of subsampling",
    "diss-3.1.3": "an accountant of subsampling",
    "diss-4.3.29": "an accountant of subsampling",
    "diss-5.1-pop": "a fitted constant",
    "diss-5.1.31": "a fitted constant",
    "diss-5.1.32": "a fitted constant",
    "diss-5.1.37": "a fitted constant",
    "diss-6.3.50": "a bound on the reference's own solver",
    "diss-6.3.51-W2": "an accountant of Wishart noise",
}
"""What the constants need that the consumer does not have."""

needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not installed (Debian: apt-get install nodejs)"
)
pytestmark = needs_node


def run(folder: Path, *ids: str) -> list[Outcome]:
    return conform(["node", str(folder / "port.js")], *ids)


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    return run(CONSUMER)


def names(outcomes: Sequence[Outcome], kind: str, status: str) -> set[str]:
    return {outcome.of for outcome in outcomes if (outcome.kind, outcome.status) == (kind, status)}


@pytest.mark.slow
def test_no_case_fails(outcomes: list[Outcome]) -> None:
    assert [str(outcome) for outcome in outcomes if outcome.status == "failed"] == []


def test_every_mechanism_and_algorithm_is_implemented(outcomes: list[Outcome]) -> None:
    assert names(outcomes, "mechanisms", NOT_IMPLEMENTED) == set()
    passed = names(outcomes, "algorithms", "passed")
    present = {of for kind, of, _ in store.files() if kind == "algorithms"}
    assert passed == present
    assert len(passed) >= min(ALGORITHMS, len(present))


def test_constants_are_left_out_for_a_reason(outcomes: list[Outcome]) -> None:
    assert names(outcomes, "constants", NOT_IMPLEMENTED) <= set(NO_CONSTANTS)


def test_only_a_minimiser_of_the_servers_own_is_left_out(outcomes: list[Outcome]) -> None:
    left_out = {
        outcome.id
        for outcome in outcomes
        if outcome.kind == "algorithms" and outcome.status == NOT_IMPLEMENTED
    }
    with_minimiser = {
        case["id"]
        for kind, _, path in store.files()
        if kind == "algorithms"
        for case in store.read(path)
        if "minimiser" in case["inputs"]
    }
    assert left_out <= with_minimiser


LEFT_OUT: dict[str, set[str]] = {
    "numbers": set(),
    "refusals": set(),
    "printed": set(),
    "conversions": {"wishart-delta"},
    "blocks": {
        "bernstein-minimum",
    },
}
"""Kinds of which all but these are implemented."""


@pytest.mark.parametrize("kind", LEFT_OUT)
def test_every_case_of_a_kind_is_answered(outcomes: list[Outcome], kind: str) -> None:
    there = {of for one, of, _ in store.files() if one == kind}
    assert names(outcomes, kind, NOT_IMPLEMENTED) == LEFT_OUT[kind]
    assert names(outcomes, kind, "passed") == there - LEFT_OUT[kind]


def test_only_what_needs_a_composition_by_numbers_is_left_out(outcomes: list[Outcome]) -> None:
    left_out = {
        outcome.id
        for outcome in outcomes
        if outcome.kind == "accounting" and outcome.status == NOT_IMPLEMENTED
    }
    assert left_out == {
        case["id"]
        for case in store.read(store.path_of("accounting", "tight"))
        if not has_closed_form(case["inputs"]["releases"])
    }


def has_closed_form(releases: list[dict[str, Any]]) -> bool:
    """Whether releases are Gaussian alone, or one Laplace release, of all records."""
    if any("sample" in item for item in releases):
        return False
    if all(item["kind"] == "gaussian" for item in releases):
        return True
    return [item["count"] for item in releases] == [1]


@pytest.mark.slow
def test_what_is_refused_is_not_run(tmp_path: Path) -> None:
    """The table of refusals is asked before every algorithm: if it refused too much, runs fail."""
    folder = changed(tmp_path, "refusals.js", "x >= Number(low)", "x > Number(low)")
    failed = [item for item in run(folder, "algorithms") if item.status == "failed"]
    assert failed
    assert all("is refused" in item.why for item in failed)


BROKEN = {
    "noise subtracted": ("mechanisms.js", "x + scale * z, bounded", "x - scale * z, bounded"),
    "draws in reverse order": (
        "mechanisms.js",
        "this.draws[this.steps.length]",
        "this.draws[this.draws.length - 1 - this.steps.length]",
    ),
    "gradients not clipped": ("em.js", "Math.max(1, norm(v) / threshold)", "1"),
    "releases added up, not their squares": ("accounting.js", "Math.sqrt(releases)", "releases"),
    "single precision": ("numbers.js", "BE(number)", "BE(Math.fround(number))"),
    "the remainder is dropped": ("blocks.js", "t === count - 1 ? n", "t === count ? n"),
    "rho without the half": ("conversions.js", "size(release) ** 2 / 2", "size(release) ** 2"),
    "Laplace noise counted twice": ("conversions.js", "(epsilon - size) / 2", "epsilon - size"),
    "a negative epsilon accepted": ("refusals.js", ": x > Number(low)", ": x !== Number(low)"),
}
ASKED = ("mechanisms/peeling", "wang-1", "numbers", "blocks", "accounting", "conversions")


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_consumer_is_noticed(name: str, tmp_path: Path) -> None:
    broken = run(changed(tmp_path, *BROKEN[name]), *ASKED)
    assert any(outcome.status == "failed" for outcome in broken)


def changed(tmp_path: Path, file: str, before: str, after: str) -> Path:
    """Return a consumer with a piece of source changed that is there once."""
    folder = shutil.copytree(CONSUMER, tmp_path / "consumers" / CONSUMER.name)
    shutil.copy(store.FOLDER / store.PARAMETERS_FILE, tmp_path)
    text = (folder / file).read_text(encoding="utf-8")
    assert text.count(before) == 1
    (folder / file).write_text(text.replace(before, after), encoding="utf-8")
    return folder
