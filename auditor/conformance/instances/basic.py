"""Cases of the basic algorithms."""

from __future__ import annotations

import numpy as np

from auditor.conformance.instance import Instance, Twin
from reference._validation import FloatArray
from reference.basic.gaussian import Constants

MECHANISMS = "reference.privacy.mechanisms"

NOT_CUT = Twin(
    "entries beyond the bound are not cut",
    "bound",
    "return clip_entries(records, bound)",
    "return records",
    "reference.basic.sums",
)
NORM_CUT = Twin(
    "records are cut to a norm instead of their entries",
    "bound",
    "return clip_entries(records, bound)",
    "return records / np.maximum(1.0, np.linalg.norm(records, axis=1, keepdims=True) / bound)",
    "reference.basic.sums",
)

FEW = np.array([[1.0, 0.5], [-0.25, 2.0], [0.75, -0.5]])
USUAL = np.random.default_rng(1).uniform(-1.5, 1.5, (24, 4)).round(4)


def mean_of(text: str) -> Twin:
    """Return the twin that divides the sum by n, where it stands in a text."""
    return Twin("a mean instead of a sum", "divisor", text, f"{text} / len(records)")


def iris() -> FloatArray:
    """Return every fifth iris of scikit-learn, in centimetres."""
    from sklearn.datasets import load_iris  # loads slowly

    features, _ = load_iris(return_X_y=True)
    return np.asarray(features[::5], dtype=np.float64).round(6)


def diss_2_laplace() -> tuple[Instance, ...]:
    """Laplace mechanism."""
    total = mean_of("total = rounded_sum(records, bound=bound)")
    per_entry = Twin(
        "the sensitivity of one entry for that of the vector",
        "noise",
        "2 * records.shape[1] * bound",
        "2 * bound",
    )
    return (
        Instance(
            "by-hand",
            "Three records of two entries, one of which is cut at 1: Delta = 2 * 2 * 1.",
            {"data": FEW, "epsilon": 2.0, "bound": 1.0},
            twins=(
                NOT_CUT,
                NORM_CUT,
                total,
                per_entry,
                Twin(
                    "the sensitivity of adding a record, not of replacing one",
                    "noise",
                    "2 * records.shape[1] * bound",
                    "records.shape[1] * bound",
                ),
            ),
        ),
        Instance(
            "middle",
            "A usual sum of four entries, a third of them cut.",
            {"data": USUAL, "epsilon": 1.0, "bound": 1.0},
            twins=(NOT_CUT, total, per_entry),
        ),
        Instance(
            "one-record",
            "A single record of one entry, at the bound.",
            {"data": np.array([[0.3]]), "epsilon": 0.1, "bound": 0.3},
            twins=(
                Twin(
                    "noise grows with epsilon",
                    "noise",
                    "scale=sensitivity / epsilon",
                    "scale=sensitivity * epsilon",
                ),
            ),
        ),
    )


def diss_2_gaussian() -> tuple[Instance, ...]:
    """Gaussian mechanism."""
    total = mean_of("rounded_sum(records, bound=bound)")
    variance = Twin(
        "the noise's standard deviation is taken for its variance",
        "noise",
        "scale=chosen.noise_scale",
        "scale=chosen.noise_scale ** 0.5",
    )
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
            twins=(NOT_CUT, NORM_CUT, total, variance),
        ),
        Instance(
            "middle",
            "A usual sum of four entries, some of them cut.",
            {"data": USUAL, "epsilon": 1.0, "delta": 1e-5, "bound": 1.25},
            twins=(NOT_CUT, total, variance),
        ),
        Instance(
            "large-epsilon",
            "Beyond epsilon = 1 the printed scale is not enough; the exact one is larger.",
            {"data": USUAL[:6], "epsilon": 10.0, "delta": 1e-5, "bound": 0.5},
            twins=(variance,),
        ),
        Instance(
            "real-data",
            "Thirty irises: sepals longer than 5 cm are cut.",
            {"data": iris(), "epsilon": 2.0, "delta": 1e-6, "bound": 5.0},
            twins=(NOT_CUT, total, variance),
        ),
    )


def diss_2_exponential() -> tuple[Instance, ...]:
    """Exponential mechanism."""
    half = Twin("half the sensitivity", "noise", "sensitivity=2 * bound", "sensitivity=bound")
    doubled = Twin(
        "the rate is epsilon over the sensitivity, without the 2",
        "noise",
        'Exponential(epsilon / (2 * sensitivity))\n        array = _vector("scores", scores)',
        'Exponential(epsilon / sensitivity)\n        array = _vector("scores", scores)',
        "reference.privacy.ledger.live",
    )
    output = "np.argmax(self.rate * value + draw, axis=-1)"
    smallest = Twin(
        "the smallest instead of the largest",
        "sign",
        output,
        "np.argmin(self.rate * value + draw, axis=-1)",
        f"{MECHANISMS}.exponential",
    )
    subtracted = Twin(
        "Gumbel noise is subtracted",
        "sign",
        output,
        "np.argmax(self.rate * value - draw, axis=-1)",
        f"{MECHANISMS}.exponential",
    )
    return (
        Instance(
            "by-hand",
            "Three records give to two candidates; what exceeds 1 is cut.",
            {"data": FEW, "epsilon": 2.0, "bound": 1.0},
            seed=4,
            twins=(NOT_CUT, half, doubled),
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
            twins=(half,),
        ),
        Instance(
            "middle",
            "Four candidates whose totals are near each other: the noise decides.",
            {"data": USUAL, "epsilon": 1.0, "bound": 1.0},
            seed=4,
            twins=(NOT_CUT, half, doubled, smallest, subtracted),
        ),
    )


def diss_2_randomized_response() -> tuple[Instance, ...]:
    """Randomised response."""
    debias = "0.5 + (float(reports.mean()) - 0.5) / math.tanh(epsilon / 2)"
    truth = "1 / (1 + math.exp(-epsilon))"
    cancelling = Twin(
        "the probability of a lie is subtracted from that of the truth, which are nearly equal",
        "precision",
        debias,
        f"(float(reports.mean()) - 1 + {truth}) / (2 * {truth} - 1)",
    )
    biased = Twin("the mean is that of the reports", "formula", debias, "float(reports.mean())")
    other = Twin(
        "a mean over n - 1",
        "divisor",
        "float(reports.mean())",
        "float(reports.sum() / (reports.size - 1))",
    )
    kept = "1.0 / (1.0 + (self.categories - 1) * math.exp(-self.epsilon))"
    halved = Twin(
        "truthful with probability of half the epsilon",
        "noise",
        kept,
        kept.replace("-self.epsilon", "-self.epsilon / 2"),
        f"{MECHANISMS}.randomized_response",
    )
    reversed_coin = Twin(
        "users lie where the uniform is below the probability of the truth",
        "noise",
        "np.where(np.asarray(draw) < keep,",
        "np.where(np.asarray(draw) >= keep,",
        f"{MECHANISMS}.randomized_response",
    )
    bits = np.random.default_rng(1).integers(0, 2, 30)
    return (
        Instance(
            "by-hand",
            "Four users, some of whom lie.",
            {"data": np.array([1, 0, 1, 1]), "epsilon": 1.0},
            twins=(biased, other, reversed_coin),
        ),
        Instance(
            "middle",
            "Thirty users.",
            {"data": bits, "epsilon": 1.5},
            twins=(biased, other, reversed_coin, halved),
        ),
        Instance(
            "small-epsilon",
            "Truth and lie are nearly as probable; the estimate keeps its digits all the same.",
            {"data": bits[:9], "epsilon": 1e-10},
            twins=(cancelling,),
        ),
        Instance(
            "mean-above-1",
            "Everybody reports 1: the estimate exceeds 1 and stays as it is.",
            {"data": np.ones(4, dtype=np.int64), "epsilon": 4.0},
            twins=(
                Twin(
                    "the estimate is cut to [0, 1]",
                    "formula",
                    "return Responses(reports, mean)",
                    "return Responses(reports, min(max(mean, 0.0), 1.0))",
                ),
            ),
        ),
    )


INSTANCES = {
    "diss-2.exponential": diss_2_exponential,
    "diss-2.gaussian": diss_2_gaussian,
    "diss-2.laplace": diss_2_laplace,
    "diss-2.randomized-response": diss_2_randomized_response,
}
