"""Small data and settings that several algorithms share (crowdsourcing)."""

from __future__ import annotations

import numpy as np

from auditor.described.data.mixtures import tumours
from reference._validation import IntArray
from reference.crowdsourcing.one_coin import sample_crowd


def crowd(n_tasks: int) -> IntArray:
    """Return answers of nine workers: an expert, two spammers, one who is mostly wrong."""
    abilities = np.array([0.95, 0.8, 0.7, 0.7, 0.6, 0.6, 0.5, 0.5, 0.25])
    return sample_crowd(abilities, n_tasks, np.random.default_rng(1))[1]


def features_as_workers() -> IntArray:
    """Return what nine features of twenty tumours say: beyond the midpoint of the classes or not.

    Of scikit-learn's breast cancer data.
    """
    return np.asarray(tumours().data[:20, :9].T > 0, dtype=np.int64)
