"""``examples/private_training.py``: the right training holds, the wrong ones are refuted."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FILE = Path(__file__).parents[2] / "examples" / "private_training.py"


@pytest.fixture(scope="module")
def example() -> Any:
    spec = importlib.util.spec_from_file_location("private_training", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_run_refutes_the_wrong_trainings_and_not_the_right_one(
    example: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    # the bound of the right one is above its epsilon with probability below 0.01; the seed is
    # fixed, and the bound is a quarter of the epsilon
    example.main()
    claim, *lines = capsys.readouterr().out.splitlines()
    assert claim == "claimed: epsilon 1.99 at delta 1e-05, mu 0.5"
    assert [line.split()[:2] for line in lines] == [
        ["right", "holds"], ["clips_the_mean", "violated"], ["forgets_the_batch", "violated"],
    ]  # fmt: skip
    assert all(float(line.split()[-1]) > 0.95 for line in lines)  # they all learn


def test_a_canary_is_clipped_in_every_step_and_so_moves_the_model_as_far_as_the_claim_allows(
    example: Any,
) -> None:
    def no_noise(gradients: Any, rng: Any) -> Any:
        return example.clipped(gradients).sum(axis=0)

    rng = np.random.default_rng(0)
    weights = example.train(10 * np.eye(1000), np.ones(1000), no_noise, rng)
    assert weights == pytest.approx(np.full(1000, example.STEPS * 0.5 / 1000), rel=1e-12)
