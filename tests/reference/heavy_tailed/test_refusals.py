"""Arguments that are each legal and do not go together, tried on the calls of the cases."""

from typing import Any

import numpy as np
import pytest

from reference.constraint_sets import L2Ball, Polytope, SparseVectors
from reference.heavy_tailed.sample_and_aggregate import Constants
from reference.losses import SquaredError

STEPS = "n_iterations must be an integer >= 1 and <= "


@pytest.mark.parametrize("identifier", ["diss-3.2.7", "diss-3.2.8", "diss-RGD", "hu-1", "hu-2"])
def test_a_start_outside_of_the_set(identifier: str, refusal: Any, arguments_of: Any) -> None:
    far = np.full(np.shape(arguments_of(identifier)["initial"]), 2e15)
    assert "initial must lie in the constraint set" in refusal(identifier, {"initial": far})


@pytest.mark.parametrize(
    ("identifier", "message"),
    [
        *(
            (name, "features must have shape")
            for name in ("diss-3.2.8", "diss-RGD", "hu-1", "hu-2")
        ),
        *((name, "data must have shape ('any', 3)") for name in ("diss-3.2.7", "hu-5")),
        ("hu-3", "features must have shape"),
    ],
)
def test_a_start_of_another_length(identifier: str, message: str, refusal: Any) -> None:
    assert message in refusal(identifier, {"initial": [0.125, 0.0, 0.0]})


@pytest.mark.parametrize(
    ("identifier", "change", "message"),
    [
        ("diss-3.2.5", {"data": ()}, "data must not be an empty tuple"),
        ("diss-3.2.5", {"data": (np.zeros((60, 2)), np.zeros(59))}, "as many records in every"),
        ("diss-3.2.5", {"n_blocks": 61}, "n_blocks must be an integer >= 1 and <= 60"),
        ("diss-3.2.5", {"n_blocks": 10}, "n_blocks must be about 16 or more"),
        ("diss-3.2.5", {"n_blocks": 1}, "n_blocks must be about 16 or more"),
        ("diss-3.2.5", {"estimator": lambda block: block.mean()}, "vectors of one length"),
        ("diss-3.2.5", {"estimator": lambda block: np.zeros(0)}, "vectors of one length"),
        (
            "diss-3.2.5",
            {"estimator": lambda b: np.zeros(1 + int(b[0] > 0))},
            "vectors of one length",
        ),
        ("diss-3.2.5", {"constants": Constants(0.1, 0.01)}, "n_blocks must be about 200 or more"),
        ("diss-3.2.6", {"data": [1.0, 2.0]}, "data must have at least 3 records to trim, got 2"),
        ("diss-3.2.6", {"trim": 50}, "trim must be an integer >= 1 and <= 49, got 50"),
        ("diss-3.2.6", {"epsilon": 12.5}, "epsilon must be in (0, 12], got 12.5"),
        ("diss-3.2.6", {"upper": -1.0}, "upper must be in"),
        ("diss-3.2.6", {"lower": np.nan}, "lower must be in"),
        ("diss-3.2.7", {"data": np.zeros((2, 1))}, "at least 3 records"),
        ("diss-3.2.7", {"trim": 50}, "trim must be an integer >= 1 and <= 49"),
        ("diss-3.2.7", {"lower": 1.0}, "upper must be in"),
        ("diss-3.2.7", {"epsilon": 1e3}, "make constants.step_epsilon a number from 1e-12 to 12"),
        ("diss-3.2.8", {"data": (np.zeros((9, 2)), np.ones(8))}, "labels must have shape (9,)"),
        ("diss-RGD", {"batch_size": 16}, "batch_size must be an integer >= 1 and <= 15, got 16"),
        ("diss-RGD", {"constraint": SparseVectors(2)}, "constraint must be convex, got Sparse"),
        ("hu-1", {"n_iterations": 9}, STEPS + "8, got 9"),
        ("hu-1", {"step_size": 1.5}, "step_size must be in [0, 1], got 1.5"),
        ("hu-1", {"constraint": Polytope(np.eye(3))}, "points must have 2 coordinates, got 3"),
        ("hu-1", {"constraint": Polytope(np.zeros((2, 2)))}, "at least two different points"),
        ("hu-2", {"data": ()}, "data must be a pair"),
        ("hu-3", {"truncation_level": 1e160}, "truncation_level must be from 1e-50 to 1e+50"),
        ("hu-3", {"truncation_level": 1e-170}, "truncation_level must be from 1e-50"),
        ("hu-3", {"sparsity": 3}, "sparsity must be an integer >= 1 and <= 2, got 3"),
        ("hu-3", {"n_iterations": 11}, STEPS + "10"),
        ("hu-3", {"initial": [0.1, 0.1]}, "initial must have at most sparsity = 1"),
        ("hu-3", {"initial": [1.01, 0.0]}, "l2 norm <= 1"),
        ("hu-3", {"data": (np.zeros((9, 2)), np.ones(8))}, "labels must have shape (9,)"),
        ("hu-5", {"radius": 0.4, "initial": [0.5, 0.0]}, "initial must have l2 norm <= radius"),
        ("hu-5", {"sparsity": 3}, "sparsity must be an integer >= 1 and <= 2, got 3"),
        ("hu-5", {"n_iterations": 11}, STEPS + "10"),
        ("hu-5", {"initial": [0.1, 0.1]}, "initial must have at most sparsity = 1"),
        ("hu-5", {"loss": SquaredError()}, "data must be a pair (features, labels)"),
        ("hu-expmech", {"constraint": L2Ball(1.0)}, "constraint"),
        ("hu-expmech", {"constraint": Polytope([[1.0, 0.0]] * 2)}, "two different points"),
        ("hu-expmech", {"constraint": Polytope(np.eye(3))}, "coordinates"),
    ],
)
def test_what_does_not_fit_together(
    identifier: str, change: dict[str, Any], message: str, refusal: Any
) -> None:
    assert message in refusal(identifier, change)
