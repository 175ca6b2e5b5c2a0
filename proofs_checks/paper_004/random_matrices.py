"""Random matrices that the statements of chapter 6 are tried on."""

from __future__ import annotations

import numpy as np

from reference._validation import FloatArray
from reference.matrices.subspaces import principal_subspace
from reference.privacy.mechanisms import Wishart


def symmetric(d: int, rng: np.random.Generator) -> FloatArray:
    """Return a symmetric matrix with Gaussian entries."""
    square = rng.standard_normal((d, d))
    found: FloatArray = (square + square.T) / 2
    return found


def unit_rows(n: int, d: int, rng: np.random.Generator) -> FloatArray:
    """Return n uniform points of the unit sphere."""
    rows = rng.standard_normal((n, d))
    unit: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def second_moment_of_gaussians(
    eigenvalues: FloatArray, n: int, rng: np.random.Generator
) -> FloatArray:
    """Second moment of n draws of N(0, diag(eigenvalues)); for n >= p drawn as a Wishart matrix."""
    p = eigenvalues.size
    root = np.sqrt(eigenvalues)
    if n < p:
        rows = root * rng.standard_normal((n, p))
        return np.asarray(rows.T @ rows / n)
    law = Wishart(n, 1 / n, p)
    zero = np.zeros((p, p))
    moment: FloatArray = law.output(zero, law.draw(zero, rng)) * np.outer(root, root)
    return moment


def curvature_ratio(rng: np.random.Generator) -> float:
    """Draw (gap/2) ||E - F||_F^2 over <A, E - F> of Lemma 6.1.14, on matrices of order below 8."""
    p = int(rng.integers(2, 8))
    k = int(rng.integers(1, p))
    a = symmetric(p, rng)
    values = np.linalg.eigvalsh(a)[::-1]
    v = principal_subspace(a, k)
    e = v @ v.T
    # F mixes projections of rank k: it is in the Fantope, as are all of its points
    share = float(10 ** rng.uniform(-3, 0))
    w = principal_subspace(symmetric(p, rng), k)
    f = (1 - share) * e + share * w @ w.T
    curved = (values[k - 1] - values[k]) / 2 * np.linalg.norm(e - f) ** 2
    return float(curved / np.sum(a * (e - f)))
