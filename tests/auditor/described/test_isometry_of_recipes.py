"""Recipes of section 5.3 say where they draw blocks that its theorems do not cover."""

from __future__ import annotations

import numpy as np
import pytest

from auditor.described.data.sparse_regression import draw_signs
from auditor.described.local import (
    iterative_hard_thresholding,
    label_hard_thresholding,
    nonlinear_hard_thresholding,
    nonlinear_label_hard_thresholding,
)
from auditor.described.local.nonlinear_hard_thresholding import WAVES
from reference.sparse.restricted_isometry import RestrictedIsometry, restricted_isometry

ASKED = 2 / 7
A, B = WAVES.least_slope**2, WAVES.largest_slope**2
ASKED_OF_WAVES = (9 * A - 5 * B) / (9 * A + 5 * B)
"""Largest Delta for which a step size halves the error: that of the corrected Theorem 5.3.9."""


def drawn(n: int, p: int, seed: int, sparsity: int = 1) -> RestrictedIsometry:
    """Return Delta at 17 s* of the features of n users."""
    rng = np.random.default_rng(seed)
    features, _ = draw_signs(rng, np.zeros(p), n)
    return restricted_isometry(features, 17 * sparsity, n_starts=20, rng=rng)


def block(n: int, p: int, seed: int) -> RestrictedIsometry:
    """Return Delta_17 of a block of n/2 users."""
    return drawn(n // 2, p, seed)


def settings(scaling) -> list[tuple[int, int]]:
    """Return (n, p) of the values of the recipes along n and p; 32,000 and 8 are held."""
    found = []
    for recipe in scaling:
        if recipe.name in ("n", "p") and recipe.form == "corrected":
            held = {"n": 32_000, "p": 8}
            found += [tuple((held | {recipe.name: int(v)}).values()) for v in recipe.values]
    return found


def test_the_sizes_are_those_of_the_recipes() -> None:
    for case in (iterative_hard_thresholding.local_iht, nonlinear_hard_thresholding.nonlinear_iht):
        expected = [(n, 8) for n in (1_000, 4_000, 16_000, 64_000)]
        expected += [(32_000, p) for p in (12, 24, 48, 96)]
        assert settings(case().scaling) == expected


def test_blocks_of_the_linear_recipes() -> None:
    assert "98 in a hundred" in iterative_hard_thresholding.ISOMETRY
    smallest = [block(1_000, 8, seed).upper <= ASKED for seed in range(200)]
    assert 0.95 <= np.mean(smallest) < 1
    others = ((4_000, 8), (16_000, 8), (64_000, 8), *((32_000, p) for p in (8, 12, 24, 48, 96)))
    assert all(block(n, p, seed).upper <= ASKED for n, p in others for seed in range(2))


def test_blocks_of_the_non_linear_recipes() -> None:
    assert pytest.approx(0.093, abs=5e-4) == ASKED_OF_WAVES
    assert all(block(1_000, 8, seed).lower > ASKED_OF_WAVES for seed in range(20))
    assert 0.25 < np.mean([block(4_000, 8, s).lower > ASKED_OF_WAVES for s in range(60)]) < 0.75
    assert all(block(32_000, 96, seed).lower > ASKED_OF_WAVES for seed in range(2))
    for seed in range(2):
        assert block(32_000, 48, seed).upper > ASKED_OF_WAVES
        for n, p in ((16_000, 8), (64_000, 8), (32_000, 8), (32_000, 12), (32_000, 24)):
            assert block(n, p, seed).upper <= ASKED_OF_WAVES


LABELS = [(n, 8, 1) for n in (1_000, 4_000, 16_000, 64_000)]
LABELS += [(32_000, p, 1) for p in (12, 24, 48, 96)] + [(32_000, 128, s) for s in (1, 2, 4, 8)]


def test_the_sizes_of_the_label_recipes() -> None:
    cases = (
        label_hard_thresholding.label_iht,
        nonlinear_label_hard_thresholding.nonlinear_label_iht,
    )
    for case in cases:
        found = {recipe.name: tuple(recipe.values) for recipe in case().scaling}
        assert found["n"] == (1_000, 4_000, 16_000, 64_000)
        assert found["p"] == (12, 24, 48, 96)
        assert found["sparsity"] == (1, 2, 4, 8)


def test_features_of_the_label_recipes() -> None:
    assert "Delta <= 2/7 holds" in label_hard_thresholding.CLAIM
    assert "at n = 1000 and at s* = 4 and 8" in nonlinear_label_hard_thresholding.CLAIM
    for setting in LABELS:
        found = [drawn(n, p, seed, s) for n, p, s in (setting,) for seed in range(2)]
        assert max(one.upper for one in found) <= ASKED
        exceeded = setting in ((1_000, 8, 1), (32_000, 128, 4), (32_000, 128, 8))
        open_ = setting in ((32_000, 96, 1), (32_000, 128, 1), (32_000, 128, 2))
        if exceeded:
            assert min(one.lower for one in found) > ASKED_OF_WAVES
        elif open_:
            assert min(one.upper for one in found) > ASKED_OF_WAVES
        elif setting != (4_000, 8, 1):  # where three draws in a hundred exceed it
            assert max(one.upper for one in found) <= ASKED_OF_WAVES
