"""Low-order bits are looked at for every claim and in every shape of output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import auditor
from auditor import ZCDP, GaussianDP, RenyiDP
from reference.privacy import Ledger

PAIR = (0.0, 1.0)


def noisy(data: float, rng: np.random.Generator) -> float:
    return float(data + rng.normal())


def by_the_normal(alpha: np.ndarray) -> np.ndarray:
    """Return the trade-off function of two normal laws one apart."""
    return ndtr(-ndtri(alpha) - 1)


def many(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    return data + rng.normal(size=size)


CLAIMS: dict[str, dict[str, Any]] = {
    "epsilon and delta": {"epsilon": 2.32, "delta": 0.01},
    "Gaussian": {"claim": GaussianDP(1.0)},
    "zero-concentrated": {"claim": ZCDP(0.5)},
    "Renyi": {"claim": RenyiDP(2.0, 1.0)},
    "trade-off": {"claim": by_the_normal},
}


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_they_count_against_every_claim(claim: dict[str, Any]) -> None:
    options: dict[str, Any] = {"pair": PAIR, "batched": True, "samples": 20_000, **claim}
    counted = auditor.check(many, floating_point="count", **options)
    assert counted.status == "violated"
    # the claim is right for real numbers
    reported = auditor.check(many, **options)
    assert reported.status == "holds"
    assert any(finding["kind"] == "floating point" for finding in reported.findings)


SHAPES: dict[str, Callable[[float, int], Any]] = {
    "a float": lambda value, run: value,
    "a dict": lambda value, run: {"total": value},
    "with a label": lambda value, run: ("mean", value),
    "or nothing": lambda value, run: None if run % 3 == 0 else value,
    "single precision": lambda value, run: np.float32(value),
    "a text": lambda value, run: f"total: {value!r}",
    "a list": lambda value, run: [value, 1],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_they_are_seen_in_every_shape_of_output(shape: str) -> None:
    def mechanism(data: float, rng: np.random.Generator) -> Any:
        run = int(rng.integers(3))
        if shape == "single precision":
            return np.float32(data) + rng.standard_normal(dtype=np.float32)
        return SHAPES[shape](noisy(data, rng), run)

    options: dict[str, Any] = {"pair": PAIR, "samples": 6000, "claim": GaussianDP(1.0)}
    assert auditor.check(mechanism, floating_point="count", **options).status == "violated"


@pytest.mark.parametrize("shape", SHAPES)
def test_a_public_grid_has_none(shape: str) -> None:
    def mechanism(data: float, rng: np.random.Generator) -> Any:
        value = round(noisy(data, rng) * 1024) / 1024
        return SHAPES[shape](value, int(rng.integers(3)))

    options: dict[str, Any] = {"pair": PAIR, "samples": 6000, "claim": GaussianDP(1.0)}
    assert auditor.check(mechanism, floating_point="count", **options).status == "holds"


def by_ledger(data: float, ledger: Ledger) -> float:
    return float(ledger.laplace(data, sensitivity=1.0, scale=1.0))


EXACTLY: dict[str, Any] = {
    "pair": PAIR, "epsilon": 1.0, "relation": "any", "samples": 1000, "rare": 0.1,
    "floating_point": "count",
}  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"workers": 2}, {"timeout": 120.0}], ids=str)
def test_an_exact_ledger_has_none(options: dict[str, Any]) -> None:
    usual = auditor.check(by_ledger, **EXACTLY, **options)
    assert usual.status == "violated"
    exact = auditor.check(by_ledger, ledger="exact", **EXACTLY, **options)
    assert exact.status == "holds"
    assert {verdict.status for verdict in exact.questions} == {"holds"}
    again = auditor.check(by_ledger, ledger="exact", **EXACTLY, **options)
    assert again.to_json() == exact.to_json()


def test_outputs_of_an_exact_ledger_are_on_its_grid() -> None:
    seen: list[float] = []

    def kept(data: float, ledger: Ledger) -> float:
        seen.append(by_ledger(data, ledger))
        return seen[-1]

    auditor.measure(kept, pair=PAIR, samples=200, ledger="exact")
    black_box = len(seen)
    assert black_box >= 400
    auditor.check(kept, pair=PAIR, epsilon=1.0, relation="any", samples=200, ledger="exact")
    assert len(seen) > 2 * black_box  # releases are audited as well
    assert all(value * 2.0**30 == round(value * 2.0**30) for value in seen)


def test_an_exact_ledger_is_for_mechanisms_that_take_one() -> None:
    primitive = auditor.Primitive(
        "numpy.random:Generator.normal", noise="gaussian", value="loc", sensitivity=1.0, scale=1.0
    )
    own = auditor.instrument(noisy, primitive)
    for mechanism in (noisy, auditor.Program("true"), own):
        with pytest.raises(auditor.InputError, match="ledger='exact' is for mechanisms that"):
            auditor.check(mechanism, ledger="exact", **EXACTLY)
    with pytest.raises(auditor.InputError, match="ledger must be one of 'numpy', 'exact'"):
        auditor.check(by_ledger, ledger="other", **EXACTLY)  # type: ignore[arg-type]


def test_a_witness_on_an_exact_ledger_shows_again_on_one() -> None:
    options = {**EXACTLY, "epsilon": 0.2, "ledger": "exact"}
    found = auditor.check(by_ledger, **options)
    assert found.status == "violated"
    assert found.witness is not None
    assert auditor.rerun(by_ledger, found.witness, ledger="exact").shown
