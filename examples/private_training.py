"""Audit a training run: DP-SGD in numpy, right and with two common errors.

    python examples/private_training.py

Logistic regression with full batches. Every step clips the gradient of each record to norm 1, adds
Gaussian noise of scale ``NOISE`` to the sum, and divides by the number of records. Without or with
one record the sum differs by at most 1, so that ``STEPS`` steps are mu-Gaussian DP with
mu = sqrt(STEPS) / NOISE, and no less.

The audit adds 1,000 canaries: records with a feature of their own that nobody else has. A fair coin
decides for each whether it is in the training data. Its score is what the model has learned about
its feature, and ``auditor.measure_canaries`` turns the scores of one run into a lower bound on
epsilon. That of the right training is below the epsilon of the accountant; those of the wrong ones
are above it, which refutes them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import auditor
from reference.privacy import GaussianDP, Relation

Array = NDArray[np.float64]
Release = Callable[[Array, np.random.Generator], Array]
"""Noisy sum of gradients, one per row, as a step uses it."""

STEPS, NOISE, DELTA = 25, 10.0, 1e-5
CLAIM = GaussianDP(STEPS**0.5 / NOISE, relation=Relation.ADD_OR_REMOVE_ONE)
RECORDS, FEATURES, CANARIES = 500, 10, 1000


def clipped(rows: Array) -> Array:
    """Scale every row down to norm at most 1."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    found: Array = rows / np.maximum(1.0, lengths)
    return found


def right(gradients: Array, rng: np.random.Generator) -> Array:
    """Clip each gradient, add noise to the sum."""
    total: Array = clipped(gradients).sum(axis=0)
    return total + rng.normal(0, NOISE, total.size)


def clips_the_mean(gradients: Array, rng: np.random.Generator) -> Array:
    """Clip the mean in place of each gradient: a record is not bounded."""
    mean = clipped(gradients.mean(axis=0, keepdims=True))[0]
    return len(gradients) * mean + rng.normal(0, NOISE, mean.size)


def forgets_the_batch(gradients: Array, rng: np.random.Generator) -> Array:
    """Add to the sum the noise of the mean: too small by the size of the batch."""
    total: Array = clipped(gradients).sum(axis=0)
    return total + rng.normal(0, NOISE / len(gradients), total.size)


def train(features: Array, labels: Array, release: Release, rng: np.random.Generator) -> Array:
    """Return the weights of a logistic regression after all steps."""
    weights = np.zeros(features.shape[1])
    for _ in range(STEPS):
        guesses = 1 / (1 + np.exp(-features @ weights))
        gradients = (guesses - labels)[:, None] * features
        weights -= 0.5 / len(labels) * release(gradients, rng)
    return weights


def audit(
    release: Release, *, canaries: int = CANARIES, seed: int = 0
) -> tuple[auditor.CanaryMeasurement, float]:
    """Train once with canaries; return what they certify, and the accuracy on the other records."""
    rng = np.random.default_rng(seed)
    records = rng.normal(size=(RECORDS, FEATURES))
    labels = (records[:, 0] > 0).astype(np.float64)
    included = rng.random(canaries) < 0.5  # a fair coin each
    # a canary is 10 in a feature of its own, with label 1: a gradient of norm 5, clipped to 1
    features = np.zeros((RECORDS + int(included.sum()), FEATURES + canaries))
    features[:RECORDS, :FEATURES] = records
    features[RECORDS:, FEATURES:] = 10 * np.eye(canaries)[included]
    weights = train(features, np.append(labels, np.ones(included.sum())), release, rng)
    scores = weights[FEATURES:]
    found = auditor.measure_canaries(scores[included], scores[~included], delta=DELTA)
    accuracy = np.mean((records @ weights[:FEATURES] > 0) == labels)
    return found, float(accuracy)


def main() -> None:
    """Print what one run of each training certifies."""
    claimed = CLAIM.epsilon_at(DELTA)
    print(f"claimed: epsilon {claimed:.2f} at delta {DELTA:g}, mu {CLAIM.mu:g}")
    for release in (right, clips_the_mean, forgets_the_batch):
        found, accuracy = audit(release)
        status, _ = found.judge(epsilon=claimed)
        print(
            f"{release.__name__:18} {status:9} epsilon >= {found.epsilon_lower:.2f}, "
            f"mu >= {found.mu_lower:.2f}; accuracy {accuracy:.2f}"
        )


if __name__ == "__main__":
    main()
