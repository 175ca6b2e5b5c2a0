"""``touchstone check`` and ``measure``: verdicts, and refusals in one line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError

import auditor
from auditor.checking.loading import LISTS
from auditor.core.errors import InputError
from auditor.suite.store import validate

pytestmark = pytest.mark.usefixtures("forked")

CHECK = ("check", "noisy.py:noisy", "--epsilon", "1")
ON_PAIR = ("--pair", "pair.json")


def test_check_prints_what_its_schema_says(touchstone: Any, noisy: None) -> None:
    mechanism = ("check", "noisy.py:noisy", *ON_PAIR, "--format", "json")
    for epsilon, status in ((1, "violated"), (5, "holds")):
        options = ("--epsilon", str(epsilon), "--samples", "20000")
        printed = json.loads(touchstone(*mechanism, *options).out)
        validate(printed, "check")
        assert printed["status"] == status
    with pytest.raises(ValidationError):
        validate({**printed, "status": "fine"}, "check")


def test_a_verdict_fits_a_terminal_of_80_columns(
    touchstone: Any, noisy: None, a_terminal: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = a_terminal("output", width=80, force_terminal=True)
    touchstone("check", "noisy.py:noisy", *ON_PAIR, "--epsilon", "5", "--samples", "20000")
    first, *facts = shown.getvalue().rstrip().splitlines()
    assert first.rstrip().endswith("holds  nothing contradicts 5-DP")
    assert {"event", "certified", "runs", "noticed", "rare"} <= {f.split()[0] for f in facts}
    assert all(len(line) <= 80 and line.startswith("  ") for line in facts)


def test_measure_uses_all_runs_where_a_check_stops(touchstone: Any, noisy: None) -> None:
    Path("mine.py").write_text(
        "def noisy(data, rng):\n    return sum(data) + rng.laplace(scale=0.5)\n"
        "def released(data, ledger):\n"
        "    return ledger.laplace(float(sum(data)), sensitivity=1.0, scale=0.5)\n"
    )
    on = (*ON_PAIR, "--samples", "20000")
    checked = touchstone("check", "mine.py:noisy", *on, "--epsilon", "1")
    assert "`measure` uses all to say how large" in checked.out
    (stopped,) = map(float, re.findall(r"epsilon >= ([\d.]+)", checked.out))
    ran = touchstone("measure", "mine.py:noisy", *on)
    assert ran.status == 0, ran.err
    (whole,) = map(float, re.findall(r"^epsilon >= ([\d.]+) with confidence 0.99: output", ran.out))
    assert 1.0 < stopped < whole < 2.0  # the truth
    assert whole > 1.8
    printed = json.loads(touchstone("measure", "mine.py:released", *on, "--format", "json").out)
    validate(printed, "measure")
    assert 1.8 < printed["epsilon_lower"] < 2.0
    assert printed["samples"] == 20000


def test_a_target_takes_further_arguments_by_name(touchstone: Any, noisy: None) -> None:
    """``f(data, epsilon, rng)``: what is given decides, also when the witness is shown again."""
    Path("mine.py").write_text(
        "def noisy(data, epsilon, rng, words='1'):\n"
        "    return sum(data) + rng.laplace(scale=float(words) / epsilon)\n"
    )
    asked = ("check", "mine.py:noisy", *ON_PAIR, "--epsilon", "1", "--samples", "5000")
    missing = touchstone(*asked)
    assert missing.status == 2
    assert "--argument NAME=VALUE gives it further arguments" in missing.err
    assert touchstone(*asked, "--argument", "epsilon=0.9").status == 0
    ran = touchstone(*asked, "--argument", "epsilon=3", "--witness", "w.json")
    assert ran.status == 1, ran.err
    again = touchstone("rerun", "w.json", "--yes")
    assert again.status == 0, again.err
    assert "shows again" in again.out
    halved = ("--argument", "epsilon=1.5", "--argument", "words=2")
    assert touchstone(*asked, *halved).status == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("noisy.py:noisy", "--argument", "rnd=1"), "not 'rnd'; did you mean rng?"),
        (("noisy.py:noisy", "--argument", "scale"), "is not NAME=VALUE, such as epsilon=1.0"),
        (("--command", "true", "--argument", "a=1"), "write it into --command"),
    ],
)
def test_a_wrong_argument_of_a_target_is_told(
    touchstone: Any, noisy: None, given: tuple[str, ...], message: str
) -> None:
    ran = touchstone("check", *given, *ON_PAIR, "--epsilon", "1")
    assert ran.status == 2
    assert message in ran.err


def test_an_inconclusive_check_has_a_status_of_its_own(touchstone: Any, noisy: None) -> None:
    Path("mine.py").write_text("def nothing(data, rng):\n    pass\n")
    ran = touchstone("check", "mine.py:nothing", *ON_PAIR, "--epsilon", "1", "--samples", "100")
    assert ran.status == 4
    assert "every run returned None" in ran.out


def test_what_has_no_witness_is_violated_all_the_same(touchstone: Any) -> None:
    Path("low.py").write_text("def low(data, rng):\n    return data[0] + rng.laplace(scale=1.0)\n")
    Path("pair.json").write_text("[[0.3], [0.7]]")
    asked = ("check", "low.py:low", *ON_PAIR, "--epsilon", "1", "--samples", "20000")
    ran = touchstone(*asked, "--floating-point", "count", "--witness", "w.json")
    assert ran.status == 1, ran.err
    assert "to show it again: the same command (low-order bits" in ran.err
    assert not Path("w.json").exists()


def test_a_mechanism_is_checked_on_an_exact_ledger(touchstone: Any) -> None:
    source = (
        "def low(data, ledger):\n    return ledger.laplace(data[0], sensitivity=0.4, scale=0.4)\n"
    )
    Path("low.py").write_text(source)
    Path("pair.json").write_text("[[0.3], [0.7]]")
    asked = ("check", "low.py:low", *ON_PAIR, "--samples", "1000", "--floating-point", "count")
    right = (*asked, "--epsilon", "1", "--rare", "0.1")
    assert touchstone(*right).status == 1
    assert touchstone(*right, "--ledger", "exact").status == 0
    wrong = (*asked, "--epsilon", "0.2", "--witness", "w.json")
    assert touchstone(*wrong, "--ledger", "exact").status == 1
    assert json.loads(Path("w.json").read_text())["request"]["options"]["ledger"] == "exact"
    assert touchstone("rerun", "w.json", "--yes").status == 0


def test_a_check_that_is_interrupted_promises_nothing(
    touchstone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("auditor.checking.own_process.answer_safely", interrupted)
    ran = touchstone("check", "m.py:f", "--pair", "[[0], [1]]", "--epsilon", "1")
    assert (ran.status, ran.err.strip()) == (130, "touchstone: interrupted")


# ------------------------------------------------------------------------------- bad input


def test_what_is_measured_must_be_a_pair(touchstone: Any, noisy: None) -> None:
    asked = ("measure", "noisy.py:noisy", "--samples", "200", "--pair")
    Path("far.json").write_text("[[0, 1], [5, 5]]")
    assert "--relation any" in touchstone(*asked, "far.json").one_line_error()
    assert touchstone(*asked, "far.json", "--relation", "any").status == 0
    # rows (feature, label)
    Path("label.json").write_text("[[[1, 2], [3, 4]], [[1, 2], [3, 9]]]")
    Path("feature.json").write_text("[[[1, 2], [3, 4]], [[1, 2], [5, 9]]]")
    labels = ("--relation", "replace-label")
    assert touchstone(*asked, "label.json", *labels).status == 0
    assert "more of record 1" in touchstone(*asked, "feature.json", *labels).one_line_error()
    assert "--pair FILE" in touchstone("measure", "noisy.py:noisy").one_line_error()


@pytest.mark.parametrize("command", ["check --epsilon 1", "measure"])
def test_that_lists_of_a_pair_are_arrays_is_told_where_it_matters(
    touchstone: Any, noisy: None, command: str
) -> None:
    Path("mine.py").write_text(
        "def counts(data, rng):\n    return data.count(1) + rng.laplace()\n"
        "def fails(data, rng):\n    return data.absent\n"
        "def pair():\n    return [0, 1], [0, 0]\n"
    )
    Path("words.json").write_text('[["a", "b"], ["a", "a"]]')
    asked = (*command.split(), "mine.py:counts", "--samples", "200")
    assert touchstone(*asked, *ON_PAIR).one_line_error().endswith("; " + LISTS.format("--pair"))
    assert touchstone(*asked, "--pair-from", "mine.py:pair").status == 0
    refused = touchstone(*command.split(), "mine.py:fails", "--pair", "words.json")
    assert LISTS.format("--pair") not in refused.one_line_error()


def test_what_is_called_the_wrong_way_round_is_told(touchstone: Any, noisy: None) -> None:
    async def later(data: Any, rng: Any) -> int:
        return 1

    async def kept(data: Any, ledger: Any) -> int:
        return 1

    swapped = r"takes \(rng, data\), but is called with the data first: make it \(data, rng\)"
    Path("mine.py").write_text("def swapped(rng, data):\n    return sum(data) + rng.laplace()\n")
    ran = touchstone("check", "mine.py:swapped", *ON_PAIR, "--epsilon", "1")
    assert re.search(swapped, ran.one_line_error())
    for mechanism, kind, words in (
        (lambda rng, data: 0, None, swapped),
        (lambda ledger, data: ledger, None, r"make it \(data, ledger\)"),
        (lambda g, x: sum(x) + g.laplace(), "rng", "the data first, then its generator"),
        (later, None, "the mechanism returned a coroutine"),
        (kept, None, "the mechanism returned a coroutine"),
    ):
        with pytest.raises(InputError, match=words):
            auditor.check(mechanism, kind=kind, pair=([0, 1], [0, 0]), epsilon=1.0)


def test_several_records_and_records_without_bounds(touchstone: Any) -> None:
    Path("mine.py").write_text(
        "def noisy(data, rng, size):\n"
        "    return data.sum() + rng.laplace(scale=1 / 0.03, size=size)\n"
    )
    asked = ("check", "mine.py:noisy", "--batched", "--epsilon", "0.02", "--samples", "20000")
    twenty = ("--domain", "binary:1", "--records", "30", "--group", "20")
    assert "0.4-DP of 20 records (0.02-DP of one) is refuted" in touchstone(*asked, *twenty).out
    reals = touchstone(*asked, "--domain", "reals:2", "--records", "3")
    assert reals.status == 1, reals.err
    words = touchstone(*asked, "--domain", "binary:1", "--group", "2").one_line_error()
    assert "a group of 2 needs data sets of as many records, got n=1" in words


def test_many_large_records_are_refused(touchstone: Any, noisy: None) -> None:
    row = ",".join("0" * 500)
    Path("wide.csv").write_text("\n".join((",".join(f"x{i}" for i in range(500)), row, row)))
    for domain, records, words in (
        ("table:wide.csv", "2001", "1000500 numbers, of which at most 1000000"),
        ("l2:100000,1", "1000", "100000000 numbers"),
    ):
        asked = (*CHECK, "--domain", domain, "--records", records)
        assert words in touchstone(*asked).one_line_error()
