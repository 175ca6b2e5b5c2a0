"""The experiments of section 5.2: data, server, curves. Seeds are fixed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from auditor.described.data.scaled_least_squares import hypercube
from auditor.experiments import local
from auditor.experiments.local import Design
from reference.local.generalised_linear_model import local_generalised_linear_model
from reference.local.links import CUBIC, LOGISTIC, Link
from reference.local.scaled_least_squares import constants_for
from reference.privacy.ledger import NoiselessLedger, RecordingLedger


@pytest.mark.parametrize("link", [LOGISTIC, CUBIC])
def test_moments_are_those_of_the_design(link: Link) -> None:
    n = 10**12  # counts are within 1e-5 of their means
    moments, truth = local.points(np.random.default_rng(0), link, n=n, m=50, dimension=4)
    cells = hypercube(4)
    assert np.linalg.norm(truth) == pytest.approx(1.0)
    assert moments.matrix == pytest.approx(np.eye(4) / 16, abs=1e-6)
    expected = cells.T @ link.mean(cells @ truth) / 16
    assert moments.vector == pytest.approx(expected, abs=1e-6)
    assert moments.public.shape == (50, 4)
    assert set(np.abs(moments.public).ravel()) == {0.25}


def test_without_noise_the_server_is_the_algorithm() -> None:
    rng = np.random.default_rng(1)
    cells = hypercube(3)[rng.integers(8, size=200)]
    labels = (rng.random(200) < LOGISTIC.mean(cells @ np.ones(3))).astype(float)
    public = cells[:40]
    moments = local.Moments(cells.T @ cells / 200, cells.T @ labels / 200, public, 200)
    learned = local.learn(moments, LOGISTIC, epsilon=math.inf, radius=1.0, rng=rng)
    found = local.coefficients(learned)
    whole = local_generalised_linear_model(
        (cells, labels),
        LOGISTIC,
        public_features=public,
        epsilon=1.0,
        delta=1e-3,
        ledger=NoiselessLedger(),
    )
    assert found == pytest.approx(whole.coefficients)


def test_noise_is_that_of_n_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[RecordingLedger] = []

    def recording(rng: np.random.Generator) -> RecordingLedger:
        made.append(RecordingLedger(rng))
        return made[-1]

    monkeypatch.setattr(local, "Ledger", recording)
    rng = np.random.default_rng(2)
    moments, _ = local.points(rng, LOGISTIC, n=10_000, m=50, dimension=3)
    local.learn(moments, LOGISTIC, epsilon=2.0, radius=1.0, rng=rng)
    one = constants_for(epsilon=2.0, delta=1e-4, radius=1.0, largest_label=1.0)
    scales = [release.mechanism.scale for release in made[0].transcript.releases]
    assert scales == pytest.approx([one.matrix_scale / 100, one.vector_scale / 100])


def test_the_radius_in_l2_needs_less_noise() -> None:
    medians = {
        in_l2: np.median(
            [
                Design(CUBIC, in_l2).errors(
                    np.random.default_rng(seed), n=10**7, dimension=4, epsilons=(2,)
                )["epsilon = 2"]
                for seed in range(15)
            ]
        )
        for in_l2 in (False, True)
    }
    assert medians[True] < medians[False] / 2


def test_accuracy_is_beside_that_of_the_larger_class() -> None:
    found = local.accuracy(np.random.default_rng(3), n=5000, width=6, positive=0.2)
    assert set(found) == {
        "epsilon = 20",
        "epsilon = 10",
        "epsilon = 5",
        "NonPrivate",
        "larger class",
    }
    assert found["larger class"] == pytest.approx(0.8, abs=0.02)
    # the classes are told apart, although there is no root: <x, w_ols> spreads too far for one
    assert found["NonPrivate"] > 0.95
