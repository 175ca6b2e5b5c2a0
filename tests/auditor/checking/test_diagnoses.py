"""A refuted claim is diagnosed: a sentence for a maintainer names the structure behind it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import auditor
from auditor.checking.diagnoses import diagnoses
from auditor.statistics.claims import EpsilonDelta
from auditor.zoo import specimens

Batched = Callable[[float, np.random.Generator, int], Any]


def without_noise(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    out = rng.laplace(size=(size, 3))
    out[:, 2] = data - 0.4
    return out


def sometimes_without(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    out = data + rng.laplace(size=(size, 2))
    out[rng.random(size) < 0.2, 1] = data
    return out


def one_key(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    drawn = rng.laplace(size=(size, 3))
    return np.stack([drawn, drawn + np.array([0, 0, data])], axis=1)


def drawn_once(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.laplace(size=(size, 1)) + np.array([0.3, 1.2 + data, 7.5])


def a_copy(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    out = rng.laplace(size=(size, 3))
    some = (rng.random(size) < 0.2) & (data == 1.0)
    out[some, 2] = -out[some, 0]
    return out


def correlated(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    out = rng.normal(size=(size, 10))
    out[:, 7] = (0.8 if data else -0.8) * out[:, 2] + 0.6 * out[:, 7]
    return out


def of_few_values(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    noise = np.random.default_rng(5).laplace(size=900)
    return np.column_stack([data + noise[rng.integers(0, 900, size)], rng.laplace(size=size)])


def on_a_grid(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    return np.round(rng.laplace(size=size) * 64) / 64 + 0.008 * data


def unclipped(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.laplace(size=(size, 2)) + np.array([0.0, 1000 * data])


SENTENCES: dict[str, tuple[Batched, str, str]] = {
    "no noise": (without_noise, "coordinate 2 is released without noise", "output[2] == "),
    "no noise in some runs": (
        sometimes_without, "coordinate 1 is released without noise in ", "output[1] == ",
    ),
    "one key": (one_key, "two releases share their noise", "output[1][2] == output[0][2]"),
    "drawn once": (drawn_once, "coordinates 0 and 1 share their noise", "output[1] - out"),
    "a copy": (a_copy, "coordinate 2 is the negative of coordinate 0 in ", "output[2] == -output"),
    "correlated": (correlated, "coordinates 2 and 7 are correlated", "(output[7] "),
    "few values": (of_few_values, "the noise of coordinate 0 takes about ", "values seen before"),
    "a grid": (on_a_grid, "the noise of the output is a multiple of 0.015625", "mod 0.015625"),
    "no clipping": (unclipped, "one record moves coordinate 1 by 1000, ", "output[1] > "),
}  # fmt: skip


@pytest.mark.parametrize("name", SENTENCES)
def test_the_sentence_names_the_structure(name: str) -> None:
    mechanism, words, event = SENTENCES[name]
    found = auditor.check(
        mechanism, pair=(0.0, 1.0), epsilon=1.0, samples=20_000, batched=True, seed=3
    )
    assert found.status == "violated"
    told = [finding for finding in found.findings if finding["kind"] == "structure"]
    assert told[0]["diagnosis"].startswith(words)
    assert event in told[0]["statement"]
    assert found.summary.split("; ")[-1].startswith(words)


def test_a_number_of_values_is_about_right() -> None:
    found = auditor.check(of_few_values, pair=(0.0, 1.0), epsilon=1.0, samples=20_000, batched=True)
    (words,) = {f["diagnosis"] for f in found.findings if "values" in f.get("diagnosis", "")}
    assert 800 < int(words.split()[-2].replace(",", "")) < 1000


def two_counts(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    """Whole numbers, which are often equal by chance, and noise that is too small."""
    return np.round(rng.laplace(scale=0.3, size=(size, 2))) + np.array([data, 0])


def bits(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    out = rng.random((size, 4)) < 0.5
    out[:, 1] = out[:, 0] if data else ~out[:, 0]
    return out


@pytest.mark.parametrize("mechanism", [two_counts, bits])
def test_what_is_equal_by_chance_is_not_called_a_fault_of_the_noise(mechanism: Batched) -> None:
    found = auditor.check(mechanism, pair=(0.0, 1.0), epsilon=1.0, samples=20_000, batched=True)
    assert found.status == "violated"
    assert not any(finding["kind"] == "structure" for finding in found.findings)


def test_what_meets_the_claim_is_not_told() -> None:
    rng, claim = np.random.default_rng(0), EpsilonDelta(1.0, 0.1)
    sides = a_copy(0.0, rng, 4000), a_copy(0.0, rng, 4000)
    sides[1][rng.random(4000) < 0.05, 2] = 0.7
    assert diagnoses(sides, claim, 0.01) == ()
    (told,) = diagnoses(sides, EpsilonDelta(1.0), 0.01)
    assert told["diagnosis"].startswith("coordinate 2 is released without noise in ")


def test_one_sentence_is_told_of_an_entry() -> None:
    rng = np.random.default_rng(0)
    grid = np.round(rng.laplace(size=4000) * 64) / 64
    (told,) = diagnoses((np.zeros(4000), grid + 0.007), EpsilonDelta(1.0), 0.01)
    assert told["diagnosis"] == "the output is released without noise"


def test_few_runs_tell_nothing() -> None:
    assert diagnoses(([1.0] * 9, [2.0] * 9), EpsilonDelta(1.0), 0.01) == ()
    assert diagnoses(([None] * 99, [None] * 99), EpsilonDelta(1.0), 0.01) == ()


PAGE = (Path(__file__).parents[3] / "docs/how-to/events.md").read_text(encoding="utf-8")
DISEASES = [
    (name, row[3].strip())
    for row in (
        line.split("|") for line in PAGE.partition("## What a finding names")[2].splitlines()
    )
    if len(row) == 6
    for name in re.findall(r"`([a-z0-9-]+)`", row[4])
]
"""Mechanisms of the zoo in the table of diseases, and the sentences there."""


def without_figures(sentence: str) -> str:
    return re.sub(r"[\d.,]+", "#", sentence)


@pytest.mark.parametrize(("name", "sentence"), DISEASES)
def test_the_page_has_the_sentence_of_a_mechanism_of_the_zoo(name: str, sentence: str) -> None:
    specimen = specimens()[name]
    found = auditor.check(
        specimen, pair=specimen.pair, epsilon=specimen.epsilon, delta=specimen.delta,
        batched=True, relation="any",
    )  # fmt: skip
    if specimen.arithmetic:
        assert [finding["kind"] for finding in found.findings] == ["floating point"]
        return
    told = [without_figures(f["diagnosis"]) for f in found.findings if f["kind"] == "structure"]
    assert found.status == "violated"
    assert without_figures(sentence) in told


def test_the_table_of_diseases_is_long() -> None:
    assert len(DISEASES) >= 12
