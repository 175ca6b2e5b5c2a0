"""Records in the unit ball whose covariance matrix is sparse, and neighbours on the axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auditor import Data, replace_record
from reference._validation import FloatArray


def on_axes(counts: Sequence[int]) -> tuple[Data, Data]:
    """Return records that are unit vectors, ``counts[j]`` of them e_j; the first, or an e_2."""
    data = np.repeat(np.eye(len(counts)), counts, axis=0)
    return data, replace_record(data, 0, np.eye(len(counts))[1])


def block_signs(rng: np.random.Generator, n: int, covariance: FloatArray) -> FloatArray:
    """Draw records that are one random sign times the square roots of the variances.

    For :func:`block`: their second moment is the covariance exactly, whatever the signs.
    """
    signs = rng.choice([-1.0, 1.0], size=(n, 1))
    records: FloatArray = signs * np.sqrt(np.diag(covariance))
    return records


def block(dimension: int, sparsity: int, entry: float) -> FloatArray:
    """Return a covariance matrix with one block of s + 1 equal rows, and 0 elsewhere.

    Parameters
    ----------
    dimension, sparsity : int
        p and s < p: a column has at most s entries beside the diagonal that are not 0.
    entry : float
        Of the block, at most 1/(s + 1): then the records of :func:`block_signs` are in the ball.

    Raises
    ------
    ValueError
        If they are not.
    """
    if entry * (sparsity + 1) > 1 + 1e-12:
        raise ValueError(f"{sparsity + 1} variances of {entry:g} are more than the ball holds")
    covariance = np.zeros((dimension, dimension))
    covariance[: sparsity + 1, : sparsity + 1] = entry
    return covariance


def signed_axes(rng: np.random.Generator, n: int, dimension: int) -> FloatArray:
    """Draw records uniform on plus and minus the axes, with the covariance I/p."""
    records = np.zeros((n, dimension))
    columns = rng.integers(dimension, size=n)
    records[np.arange(n), columns] = rng.choice([-1.0, 1.0], size=n)
    return records


def sparse_gaussian(rng: np.random.Generator, dimension: int, ratio: float) -> FloatArray:
    """Draw the covariance matrix U of section 6.2.6: (U~ + 50 I)/200.

    Printed (l.8225): U~ is symmetric with a share ``ratio`` of its entries not 0. Chosen, as it is
    not printed: they are signs, on both sides of a zero diagonal. Rows then have about
    ratio p of them, and U is positive definite for ratio p < 600 but for a negligible probability.
    """
    upper = np.triu(rng.random((dimension, dimension)) < ratio, 1)
    signs = rng.choice([-1.0, 1.0], size=(dimension, dimension)) * upper
    covariance: FloatArray = (signs + signs.T + 50 * np.eye(dimension)) / 200
    return covariance


def spectral_error(estimate: FloatArray, covariance: FloatArray) -> float:
    """Return ||estimate - covariance||_2."""
    return float(np.linalg.norm(estimate - covariance, 2))


def relative_to_zero(covariance: FloatArray, error: float) -> float:
    """Return an error over that of the zero matrix."""
    return error / spectral_error(np.zeros_like(covariance), covariance)
