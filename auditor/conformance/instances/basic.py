"""Cases of the basic algorithms."""

from __future__ import annotations

import numpy as np

from auditor.conformance.instance import Instance
from reference._validation import FloatArray
from reference.basic.gaussian import Constants

MECHANISMS = "reference.privacy.mechanisms"


FEW = np.array([[1.0, 0.5], [-0.25, 2.0], [0.75, -0.5]])
USUAL = np.random.default_rng(1).uniform(-1.5, 1.5, (24, 4)).round(4)


def iris() -> FloatArray:
    """Return every fifth iris of scikit-learn, in centimetres."""
    from sklearn.datasets import load_iris  # loads slowly

    features, _ = load_iris(return_X_y=True)
    return np.asarray(features[::5], dtype=np.float64).round(6)


def diss_2_laplace() -> tuple[Instance, ...]:
    """Laplace mechanism."""
    return (
        Instance(
            "by-hand",
            "Three records of two entries, one of which is cut at 1: Delta = 2 * 2 * 1.",
            {"data": FEW, "epsilon": 2.0, "bound": 1.0},
        ),
        Instance(
            "middle",
            "A usual sum of four entries, a third of them cut.",
            {"data": USUAL, "epsilon": 1.0, "bound": 1.0},
        ),
        Instance(
            "one-record",
            "A single record of one entry, at the bound.",
            {"data": np.array([[0.3]]), "epsilon": 0.1, "bound": 0.3},
        ),
    )


def diss_2_gaussian() -> tuple[Instance, ...]:
    """Gaussian mechanism."""
    return (
        Instance(
            "by-hand",
            "Three records of two entries, one of which is cut at 1.",
            {
                "data": FEW,
                "epsilon": 1.0,
                "delta": 1e-5,
                "bound": 1.0,
                "constants": Constants(sensitivity=3.0, noise_scale=9.0),
            },
        ),
        Instance(
            "middle",
            "A usual sum of four entries, some of them cut.",
            {"data": USUAL, "epsilon": 1.0, "delta": 1e-5, "bound": 1.25},
        ),
        Instance(
            "large-epsilon",
            "Beyond epsilon = 1 the printed scale is not enough; the exact one is larger.",
            {"data": USUAL[:6], "epsilon": 10.0, "delta": 1e-5, "bound": 0.5},
        ),
        Instance(
            "real-data",
            "Thirty irises: sepals longer than 5 cm are cut.",
            {"data": iris(), "epsilon": 2.0, "delta": 1e-6, "bound": 5.0},
        ),
    )


def diss_2_exponential() -> tuple[Instance, ...]:
    """Exponential mechanism."""
    return (
        Instance(
            "by-hand",
            "Three records give to two candidates; what exceeds 1 is cut.",
            {"data": FEW, "epsilon": 2.0, "bound": 1.0},
            seed=4,
        ),
        Instance(
            "near-tie",
            "Two records nearly cancel; what is left, which single precision does not see, decides "
            "between candidates of nearly the same noisy total.",
            {
                "data": np.array([[1000.00003, 0.114645], [-1000.0, 0.0]]),
                "epsilon": 1e5,
                "bound": 2000.0,
            },
        ),
        Instance(
            "middle",
            "Four candidates whose totals are near each other: the noise decides.",
            {"data": USUAL, "epsilon": 1.0, "bound": 1.0},
            seed=4,
        ),
    )


def diss_2_randomized_response() -> tuple[Instance, ...]:
    """Randomised response."""
    bits = np.random.default_rng(1).integers(0, 2, 30)
    return (
        Instance(
            "by-hand",
            "Four users, some of whom lie.",
            {"data": np.array([1, 0, 1, 1]), "epsilon": 1.0},
        ),
        Instance(
            "middle",
            "Thirty users.",
            {"data": bits, "epsilon": 1.5},
        ),
        Instance(
            "small-epsilon",
            "Truth and lie are nearly as probable; the estimate keeps its digits all the same.",
            {"data": bits[:9], "epsilon": 1e-10},
        ),
        Instance(
            "mean-above-1",
            "Everybody reports 1: the estimate exceeds 1 and stays as it is.",
            {"data": np.ones(4, dtype=np.int64), "epsilon": 4.0},
        ),
    )


INSTANCES = {
    "diss-2.exponential": diss_2_exponential,
    "diss-2.gaussian": diss_2_gaussian,
    "diss-2.laplace": diss_2_laplace,
    "diss-2.randomized-response": diss_2_randomized_response,
}
