"""Perturbed and thresholded covariances: pairs, generators and the zero matrix to compare with."""

from __future__ import annotations

import math

import numpy as np
import pytest

from auditor.described import build_case
from auditor.described.data.sparse_covariances import (
    block,
    block_signs,
    on_axes,
    signed_axes,
    sparse_gaussian,
)
from auditor.questions import sensitivity
from auditor.transcript.estimates import fit_gaussian
from auditor.transcript.losses import sample_losses

IDENTIFIERS = ["diss-6.2-NAIVE", "diss-6.2.48", "diss-6.2.49"]


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_every_pair_attains_the_sensitivity(identifier: str) -> None:
    for name, form in build_case(identifier).forms.items():
        expected = math.sqrt(2) if name == "printed" else 1.0
        ratio = sensitivity.largest_ratio(form.run, *form.pair).ratio
        assert ratio == pytest.approx(expected), name


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_printed_losses_are_those_of_sensitivity_root_two(identifier: str) -> None:
    form = build_case(identifier).forms["printed"]
    seeds = np.random.SeedSequence(0).spawn(600)
    losses = sample_losses(form.run, *form.pair, seeds, replaced=0).losses
    fit = fit_gaussian(losses, 1e-6)
    # mu = sqrt 2/sqrt(2 ln(1.25e8)), and .196 is what (1, 1e-8) allows
    assert fit.mu > 0.196
    assert fit.lower < math.sqrt(2 / (2 * math.log(1.25e8))) < fit.upper


@pytest.mark.parametrize("identifier", ["diss-6.2.48", "diss-6.2.49"])
@pytest.mark.parametrize("index", [0, 1])
def test_where_noise_is_measured_it_is_far_below_the_zero_matrix(
    identifier: str, index: int
) -> None:
    # the error is over that of the zero matrix, at n and at epsilon
    recipe = build_case(identifier).scaling[index]
    for value in recipe.values:
        assert recipe.error(value, np.random.default_rng(1)) < 0.1


def test_a_block_is_the_second_moment_of_its_records() -> None:
    covariance = block(5, 2, 0.3)
    records = block_signs(np.random.default_rng(2), 40, covariance)
    assert records.T @ records / 40 == pytest.approx(covariance)
    assert np.linalg.norm(records, axis=1).max() <= 1
    assert (covariance[0] != 0).sum() == 3
    with pytest.raises(ValueError, match=r"3 variances of 0\.4 are more than the ball holds"):
        block(5, 2, 0.4)


def test_records_on_axes() -> None:
    first, second = on_axes((2, 1, 1))
    assert first.sum(axis=0).tolist() == [2, 1, 1]
    assert second.sum(axis=0).tolist() == [1, 2, 1]
    records = signed_axes(np.random.default_rng(3), 30_000, 3)
    assert np.abs(records).sum(axis=1).tolist() == [1.0] * 30_000
    # entries of the second moment are within 5 deviations of .003
    assert records.T @ records / 30_000 == pytest.approx(np.eye(3) / 3, abs=0.015)


def test_the_papers_generator_is_as_printed() -> None:
    covariance = sparse_gaussian(np.random.default_rng(4), 200, 0.2)
    assert np.diag(covariance).tolist() == [0.25] * 200
    assert set(np.unique(np.abs(200 * covariance)).round(12)) == {0.0, 1.0, 50.0}
    others = covariance[~np.eye(200, dtype=bool)]
    assert (others != 0).mean() == pytest.approx(0.2, abs=0.02)
    assert np.linalg.eigvalsh(covariance)[0] > 0
