"""Structure is an event: repeated noise and correlation refute a claim that every number keeps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import auditor
from auditor import ZCDP, GaussianDP, RenyiDP

PAIR = (0.0, 1.0)
Batched = Callable[[float, np.random.Generator, int], Any]


def copying(d: int, sign: int, share: float) -> Batched:
    """Right Laplace noise, but a copied coordinate in a share of the runs on D'."""

    def mechanism(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
        out = rng.laplace(size=(size, d))
        out[:, 0] += data
        if data == 1.0:
            some = rng.random(size) < share
            out[some, 2] = sign * out[some, 0]
        return out

    return mechanism


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("d", "sign"), [(3, 1), (4, 1), (8, 1), (3, -1)])
def test_a_copy_in_a_few_runs_is_seen(d: int, sign: int, seed: int) -> None:
    found = auditor.check(
        copying(d, sign, 0.02), pair=PAIR, epsilon=1.0, samples=100_000, seed=seed, batched=True
    )
    assert found.status == "violated"
    assert found.event == f"output[2] == {'-' * (sign < 0)}output[0]"


def test_the_rarest_copy_that_is_promised_is_noticed() -> None:
    options: dict[str, Any] = {"pair": PAIR, "epsilon": 1.0, "samples": 100_000, "batched": True}
    promised = auditor.check(copying(3, 1, 0.0), **options)
    assert promised.status == "holds"
    assert promised.rarest < 0.001
    rare = copying(3, 1, promised.rarest)
    answers = [auditor.check(rare, seed=seed, **options).status for seed in range(20)]
    # so few of 20 come with probability 1e-3 if each comes with 0.9
    assert answers.count("violated") >= binom.ppf(1e-3, 20, 0.9)


def test_the_promise_is_about_events_that_are_looked_for() -> None:
    found = auditor.check(copying(3, 1, 0.0), pair=PAIR, epsilon=1.0, samples=5000, batched=True)
    page = "docs/how-to/events.md"
    promise = f"an event that is looked for ({page}) and impossible on the other data set would be"
    assert promise in found.summary
    assert "## What is looked for" in (Path(__file__).parents[3] / page).read_text("utf-8")


def correlated(d: int) -> Batched:
    """Coordinates 2 and d - 3 have correlation .8, of a sign that is the record."""

    def mechanism(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
        out = rng.normal(size=(size, d))
        out[:, d - 3] = (0.8 if data else -0.8) * out[:, 2] + 0.6 * out[:, d - 3]
        return out

    return mechanism


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("d", [10, 20, 40])
def test_a_correlated_pair_is_seen(d: int, seed: int) -> None:
    found = auditor.check(
        correlated(d), pair=PAIR, epsilon=1.0, delta=0.01, samples=20_000, seed=seed, batched=True
    )
    assert found.status == "violated"
    assert f"(output[{d - 3}] " in found.event


CLAIMS = [GaussianDP(1.0), ZCDP(0.5), RenyiDP(2.0, 1.0), lambda alpha: (1 - alpha) ** 2]


@pytest.mark.parametrize("claim", CLAIMS, ids=["Gaussian", "zCDP", "Renyi", "trade-off"])
def test_structure_counts_against_every_claim(claim: Any) -> None:
    found = auditor.check(copying(3, 1, 0.3), pair=PAIR, claim=claim, samples=10_000, batched=True)
    assert found.status == "violated"
    assert found.event == "output[2] == output[0]"


SHAPES: dict[str, Callable[[float, float, float], Any]] = {
    "a list": lambda a, b, c: [a, b, c],
    "two releases": lambda a, b, c: ([a, b], [c]),
    "a dict": lambda a, b, c: {"a": a, "b": b, "c": c},
    "a text": lambda a, b, c: f"{a!r}, {b!r}, {c!r}",
    "with a label": lambda a, b, c: ("mean", a, b, None if b > 2 else c),
    "single precision": lambda a, b, c: np.array([a, b, c], dtype=np.float32),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_copies_are_seen_in_every_shape_of_output(shape: str) -> None:
    def mechanism(data: float, rng: np.random.Generator) -> Any:
        a, b, c = rng.laplace(size=3).tolist()
        return SHAPES[shape](a, b, a if data and rng.random() < 0.2 else c)

    found = auditor.check(mechanism, pair=PAIR, epsilon=1.0, samples=6000)
    assert found.status == "violated"
    assert " == " in found.event
