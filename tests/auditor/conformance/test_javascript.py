"""The vectors are enough for another language: the consumer in JavaScript conforms to them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from auditor.conformance import store
from auditor.conformance.conform import NOT_IMPLEMENTED, Outcome, conform

CONSUMER = store.FOLDER / "consumers/javascript"
ALGORITHMS = 88
"""Algorithms that conform, at least: whoever adds an algorithm need not port it."""

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
"""Algorithms whose constants need what the consumer does not have, and what that is."""

LEFT_OUT: dict[str, set[str]] = {
    "numbers": set(),
    "mechanisms": set(),
    "refusals": set(),
    "printed": set(),
    "conversions": {"wishart-delta"},
    "samplers": set(),
    "blocks": {"bernstein-minimum"},
}
"""Kinds of which all but these are implemented."""

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None,
    reason="node is not installed (Debian: apt-get install nodejs)",
)


def run(folder: Path, *ids: str) -> list[Outcome]:
    return conform(["node", str(folder / "port.js")], *ids)


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    return run(CONSUMER)


def test_no_case_fails_and_what_is_left_out_has_a_reason(
    outcomes: list[Outcome], vectors: Any
) -> None:
    assert [str(outcome) for outcome in outcomes if outcome.status == "failed"] == []
    passed: dict[str, set[str]] = {kind: set() for kind, _ in vectors}
    left_out: dict[str, set[str]] = {kind: set() for kind, _ in vectors}
    cases_left_out = set()
    for outcome in outcomes:
        skipped = outcome.status == NOT_IMPLEMENTED
        (left_out if skipped else passed)[outcome.kind].add(outcome.of)
        cases_left_out |= {outcome.id} if skipped else set()
    unported = {of for kind, of in vectors if kind == "algorithms"} - passed["algorithms"]
    assert len(passed["algorithms"]) >= ALGORITHMS
    for kind, known in LEFT_OUT.items():
        ported = {of for name, of in vectors if name == kind} - unported
        assert left_out[kind] & ported == known
        assert passed[kind] & ported == ported - known
    assert left_out["constants"] - unported <= set(NO_CONSTANTS)
    # of algorithms only what needs a minimiser of the server's own, of accounts a composition
    for (kind, of), cases in vectors.items():
        for case in cases:
            if kind == "algorithms" and of in passed[kind] and case["id"] in cases_left_out:
                assert "minimiser" in case["inputs"]
            if kind == "accounting":
                composed = of == "tight" and not has_closed_form(case["inputs"]["releases"])
                assert (case["id"] in cases_left_out) == composed


def has_closed_form(releases: list[dict[str, Any]]) -> bool:
    """Return whether releases are Gaussian alone, or one Laplace release, of all records."""
    if any("sample" in item for item in releases):
        return False
    if all(item["kind"] == "gaussian" for item in releases):
        return True
    return [item["count"] for item in releases] == [1]


BROKEN = {
    "mechanisms/gaussian": ("mechanisms.js", "x + scale * z, bounded", "x - scale * z, bounded"),
    "mechanisms/peeling": (  # draws in reverse order
        "mechanisms.js",
        "this.draws[this.steps.length]",
        "this.draws[this.draws.length - 1 - this.steps.length]",
    ),
    "algorithms/wang-1/middle/1": ("em.js", "Math.max(1, norm(v) / threshold)", "1"),
    "constants/wang-1": ("accounting.js", "Math.sqrt(releases)", "releases"),
    "numbers": ("numbers.js", "BE(number)", "BE(Math.fround(number))"),
    "blocks/disjoint-blocks": ("blocks.js", "t === count - 1 ? n", "t === count ? n"),
    "accounting/zcdp": ("conversions.js", "size(release) ** 2 / 2", "size(release) ** 2"),
    "conversions/laplace-delta": ("conversions.js", "(epsilon - size) / 2", "epsilon - size"),
    "refusals/wang-1": ("refusals.js", ": x > Number(low)", ": x !== Number(low)"),
    "samplers/below": (  # small integers are likelier
        "samplers.js",
        "if (drawn < bound) return drawn;",
        "return drawn % bound;",
    ),
    "samplers/integers": (
        "samplers.js",
        "const end = ((1n << 64n) / bound) * bound",
        "const end = 1n << 64n",
    ),
    "samplers/discrete-laplace": (
        "samplers.js",
        "if (!(negative && size === 0n)) return",
        "return",
    ),
    "samplers/geometric": (
        "samplers.js",
        "return rest + scale * whole",
        "return rest + (scale - 1n) * whole",
    ),
    "samplers/bernoulli-exp": ("samplers.js", "k % 2n === 1n", "k < 3n"),  # a tail cut short
    "samplers/gaussian": (  # a word twice
        "samplers.js",
        "[bytes.words(half), bytes.words(half)]",
        "Array(2).fill(bytes.words(half))",
    ),
    "samplers/laplace/zero/1": ("samplers.js", "digits > 0n)", "digits >= 0n)"),
    "samplers/coins": (
        "samplers.js",
        "if (high < chance - off) return true",
        "return low < chance",
    ),
    # the table of refusals is asked before every run: if it refuses too much, runs fail
    "algorithms/wang-1": ("refusals.js", "x >= Number(low)", "x > Number(low)"),
}
"""Mistakes in the consumer, by the vectors that notice them."""


@pytest.mark.parametrize("noticed_by", BROKEN)
def test_a_broken_consumer_is_noticed(noticed_by: str, tmp_path: Path) -> None:
    broken = run(changed(tmp_path, *BROKEN[noticed_by]), noticed_by)
    failed = [outcome for outcome in broken if outcome.status == "failed"]
    assert failed
    if noticed_by == "algorithms/wang-1":
        assert all("is refused" in outcome.why for outcome in failed)


def changed(tmp_path: Path, file: str, before: str, after: str) -> Path:
    """Return a consumer with a piece of source changed that is there once."""
    folder = shutil.copytree(CONSUMER, tmp_path / "consumers" / CONSUMER.name)
    shutil.copy(store.FOLDER / store.PARAMETERS_FILE, tmp_path)
    text = (folder / file).read_text(encoding="utf-8")
    assert text.count(before) == 1
    (folder / file).write_text(text.replace(before, after), encoding="utf-8")
    return folder
