"""``touchstone canaries``: bounds, verdicts, and refusals in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import ValidationError

from auditor.suite.store import validate


@pytest.fixture
def scores() -> None:
    """Write ``scores.csv``: 1,000 canaries, of which all but a few are told."""
    rng = np.random.default_rng(0)
    coins = rng.random(1000) < 0.5
    lines = [
        f"{int(coin)},{coin + noise:.6f}"
        for coin, noise in zip(coins, rng.normal(0, 0.3, 1000), strict=True)
    ]
    Path("scores.csv").write_text("\n".join(["included,score", *lines]) + "\n")


@pytest.mark.usefixtures("scores")
def test_canaries_say_how_large_epsilon_is(touchstone: Any) -> None:
    ran = touchstone("canaries", "scores.csv", "--delta", "1e-5")
    assert ran.status == 0, ran.err
    assert ran.out.startswith("epsilon >= 4.379 at delta")
    assert "at delta 1e-05 with confidence 0.99" in ran.out
    one = touchstone("canaries", "scores.csv", "--delta", "1e-5", "--guesses", "100")
    assert "100 of 100 guesses are right" in one.out


@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize(
    ("claim", "status", "word"),
    [
        (("--epsilon", "2"), 1, "violated"),
        (("--mu", "0.5"), 1, "violated"),
        (("--epsilon", "4.9"), 0, "holds"),
        (("--epsilon", "8"), 4, "inconclusive"),
    ],
)
def test_a_claim_has_a_verdict_and_a_status(
    touchstone: Any, claim: tuple[str, str], status: int, word: str
) -> None:
    ran = touchstone("canaries", "scores.csv", *claim)
    assert ran.status == status
    assert word in ran.out.split(";")[0]
    printed = touchstone("canaries", "scores.csv", *claim, "--format", "json")
    assert printed.status == status
    found = json.loads(printed.out)
    validate(found, "canaries")
    assert found["claim"]["status"] == word
    assert found["claim"][claim[0].removeprefix("--")] == float(claim[1])


@pytest.mark.usefixtures("scores")
def test_without_a_claim_the_json_has_none(touchstone: Any) -> None:
    found = json.loads(touchstone("canaries", "scores.csv", "--format", "json").out)
    validate(found, "canaries")
    assert found["claim"] is None
    assert found["canaries"] == 1000
    with pytest.raises(ValidationError):
        validate({**found, "claim": {"epsilon": 1.0}}, "canaries")


@pytest.mark.usefixtures("scores")
def test_bad_input_is_one_line(touchstone: Any) -> None:
    Path("bad.csv").write_text("included,score\n2,1\n")
    for arguments, words in (
        (("none.csv",), "none.csv cannot be read"),
        (("bad.csv",), "bad.csv, line 2: included must be 0 or 1, got '2'"),
        (("scores.csv", "--epsilon", "1", "--mu", "1"), "give one claim, --epsilon or --mu"),
        (("scores.csv", "--guesses", "1001"), "guesses must be a whole number from 1 to 1000"),
        (("scores.csv", "--delta", "1"), "--delta"),
    ):
        ran = touchstone("canaries", *arguments)
        assert ran.status == 2
        assert words in ran.err
        assert ran.err.count("\n") == 1
