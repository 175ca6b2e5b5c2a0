"""Clipping of records and gradients, shared by every algorithm that needs it."""

from __future__ import annotations

import numpy as np
import scipy

from reference._validation import FloatArray, SparseMatrix


def clip_rows(vectors: FloatArray, threshold: float, *, order: float | None = None) -> FloatArray:
    """Scale every row down to norm at most ``threshold``: g / max(1, ||g||/C).

    The norm is l2 unless ``order`` says otherwise, as for :func:`numpy.linalg.norm`. Right for
    every row of finite doubles: no norm overflows, and none is lost to underflow.
    """
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    units = vectors / np.where(largest > 0, largest, 1.0)
    lengths = np.linalg.norm(units, ord=order, axis=1, keepdims=True)  # from 1 on, or 0
    # the largest entry of a row whose norm is the threshold; largest * lengths may overflow
    scales = threshold / np.maximum(1.0, lengths)
    clipped: FloatArray = np.where(scales < largest, units * scales, vectors)
    return clipped


def clip_sparse_rows(matrix: SparseMatrix, threshold: float) -> SparseMatrix:
    """Scale every row of a sparse matrix down to l2 norm at most ``threshold``."""
    n = matrix.shape[0]
    rows = np.repeat(np.arange(n), np.diff(matrix.indptr))
    largest = np.zeros(n)
    np.maximum.at(largest, rows, np.abs(matrix.data))
    units = matrix.data / np.where(largest > 0, largest, 1.0)[rows]  # as in :func:`clip_rows`
    lengths = np.sqrt(np.bincount(rows, weights=units**2, minlength=n))
    scales = threshold / np.maximum(1.0, lengths)
    entries = np.where((scales < largest)[rows], units * scales[rows], matrix.data)
    return with_entries(matrix, entries)


def with_entries(matrix: SparseMatrix, entries: FloatArray) -> SparseMatrix:
    """Return a sparse matrix with other entries in the same places."""
    return scipy.sparse.csr_array((entries, matrix.indices, matrix.indptr), shape=matrix.shape)


def clip_entries(values: FloatArray, threshold: float) -> FloatArray:
    """Project every entry on [-threshold, threshold]; NaN becomes 0.

    The Pi_T of Zhang and Zhang (2021) and the shrinkage sign(x) min(|x|, K) of Hu, Ni, Xiao and
    Wang (2022) (l.247-253).
    """
    clipped: FloatArray = np.clip(np.where(np.isnan(values), 0.0, values), -threshold, threshold)
    return clipped
