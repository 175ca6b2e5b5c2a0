"""Data sets and loss wrappers that the audits of empirical risk minimisation share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import mpmath
import numpy as np

from auditor import (
    Ball,
    Choice,
    Data,
    Form,
    Product,
    Scaling,
    along,
    form,
    noise_slope,
    scaled_claim,
)
from auditor.described.data.vectors import flipped_label
from reference._validation import FloatArray, IntArray
from reference.losses import (
    FeatureNorm,
    GeneralizedLinear,
    Linear,
    LinearModelLoss,
    Records,
    Sigmoid,
)
from reference.privacy.ledger import Ledger

LABELS = Choice((-1.0, 1.0))
EPSILONS = (0.125, 0.25, 0.5, 1.0, 2.0)
DIMENSIONS = (8.0, 32.0, 128.0, 512.0)
"""Dimensions of the scaling recipes."""


def one_visible_record(n: int, dimension: int, length: float = 1.0) -> tuple[Data, Data]:
    """Return neighbours that move a linear loss's gradient by 2 length/n along e_1 everywhere.

    All records are zero but the first, which is length e_1 with label 1 or -1 (the attack LIN of
    the catalogue).
    """
    return flipped_label(n, length * np.eye(dimension)[0])


def linear_form(
    function: Callable[..., Any],
    loss: Linear,
    *between: Any,
    n: int = 10,
    dimension: int = 2,
    **options: Any,
) -> Form:
    """Return a form from 0 on the pair that is worst for a linear loss.

    ``between`` are the arguments between the loss and the keywords.
    """
    return form(
        function,
        one_visible_record(n, dimension, loss.feature_bound),
        loss,
        *between,
        initial=np.zeros(dimension),
        domain=Product((Ball(dimension, loss.feature_bound), LABELS)),
        **options,
    )


def without_normalisation(build: Callable[..., Form], **options: Any) -> dict[str, Form]:
    """Return the mutant of records of norm 1000 with the noise for records of norm 1."""
    built = build(bound=1e3, no_black_box="a mutant", **options)
    return {"normalisation dropped": scaled_claim(built, 1e-3)}


def exact_linear_gradient(data: Data, *_: Any) -> list[mpmath.mpf]:
    """Return the gradient of the mean of y <a, x> with mpmath numbers: exactly sum y_i a_i/n."""
    features, labels = data
    return [
        mpmath.fsum(
            mpmath.mpf(float(y)) * mpmath.mpf(float(a)) for y, a in zip(labels, column, strict=True)
        )
        / len(labels)
        for column in features.T
    ]


@dataclass(frozen=True)
class RepeatedRecords:
    """A loss on n records that are copies, in equal shares, of a few distinct ones.

    A gradient then costs the same for every n, and n enters an algorithm only as it should:
    through its noise. The data are the record numbers 0..n-1, n a multiple of the distinct ones.
    """

    loss: LinearModelLoss
    distinct: Records

    @property
    def convex(self) -> bool:
        """True if the loss is convex."""
        return self.loss.convex

    @property
    def lipschitz(self) -> float:
        """G of the loss."""
        return self.loss.lipschitz

    @property
    def smoothness(self) -> float:
        """L of the loss."""
        return self.loss.smoothness

    @property
    def gradient_norm(self) -> Any:
        """The ``gradient_norm`` of the loss."""
        return self.loss.gradient_norm

    def validate(self, data: Any, dimension: int) -> Any:
        """Check the distinct records and the shares."""
        self.loss.validate(self.distinct, dimension)
        if len(data) % self.loss.size(self.distinct):
            raise ValueError(f"n must be a multiple of the distinct records, got {len(data)}")
        return data

    def size(self, records: Any) -> int:
        """Return n."""
        return len(records)

    def gradient(self, records: Any, x: FloatArray, indices: IntArray | None = None) -> FloatArray:
        """Return the mean gradient of the distinct records."""
        if indices is not None:
            raise ValueError("indices must be None: the whole data set is read at once")
        return self.loss.gradient(self.distinct, x)


def distinct_records(
    n: int, dimension: int, feature_norm: FeatureNorm, *, flipped: float = 0.0
) -> Records:
    """Return n directions of norm 1 in the given norm, always the same ones, with labels.

    Labels are linearly separable but for the share that is ``flipped``.
    """
    rng = np.random.default_rng(4116)
    features = rng.standard_normal((n, dimension))
    order = 2 if feature_norm == "l2" else np.inf
    features /= np.linalg.norm(features, ord=order, axis=1, keepdims=True)
    labels = np.where(features @ rng.standard_normal(dimension) >= 0, 1.0, -1.0)
    return features, np.where(rng.random(n) < flipped, -labels, labels)


def in_the_plane(dimension: int) -> RepeatedRecords:
    """Return a risk that depends on two coordinates only, so that the others add but noise."""
    features, labels = padded(distinct_records(60, 2, "l2", flipped=0.3), dimension)
    loss = GeneralizedLinear(feature_bound=4.0)
    return RepeatedRecords(loss, (4 * features, (labels > 0).astype(np.float64)))


def padded(records: Records, dimension: int) -> Records:
    """Return the records with further features that are 0: the risk does not change, only noise."""
    features, labels = records
    return np.pad(features, ((0, 0), (0, dimension - features.shape[1]))), labels


def rates_of_gradients(
    error: Callable[..., float],
    error_in_the_plane: Callable[..., float],
    *,
    sizes: Sequence[float],
    delta: float,
    claim: str,
) -> tuple[Scaling, Scaling, Scaling]:
    """Return the recipes for p^{1/4}/sqrt(n epsilon), whose noise is Gaussian.

    Parameters
    ----------
    error : callable
        ``error(rng, ledger, n=..., epsilon=...)``.
    error_in_the_plane : callable
        ``error_in_the_plane(rng, dimension=...)``, of a risk such as :func:`in_the_plane`.
    sizes, delta, claim
        The grid of n, delta at every epsilon, and the theorem.
    """
    slope = noise_slope(EPSILONS, delta, 0.5)
    recipe = partial(along, claim=claim, expensive=True)
    return (
        recipe("n", sizes, -0.5, error=error, repetitions=4),
        recipe("epsilon", EPSILONS, slope, error=error, repetitions=5),
        recipe("dimension", DIMENSIONS, 0.25, error=error_in_the_plane, repetitions=5),
    )


def rates_of_steps(
    run: Callable[..., tuple[FloatArray, float]], n: float, n_in_the_plane: int, **rates: Any
) -> tuple[Scaling, Scaling, Scaling]:
    """Return :func:`rates_of_gradients` of ||x_k - x_{k+1}||/gamma, with the l1 regulariser.

    Along p it is the root mean square over k, at least the mean: it is what the proofs bound. The
    mean rises faster where p is small, because noise's mean length over sqrt(p) does.

    Parameters
    ----------
    run : callable
        ``run(ledger, loss, p, n, epsilon)`` returns the path and gamma.
    n, n_in_the_plane
        Along epsilon and along p.
    **rates : Any
        As there.
    """

    def lengths(*arguments: Any) -> FloatArray:
        path, step_size = run(*arguments)
        norms: FloatArray = np.linalg.norm(np.diff(path, axis=0) / step_size, axis=1)
        return norms

    def error(
        rng: np.random.Generator, ledger: Ledger, n: float = n, epsilon: float = 1.0
    ) -> float:
        loss = RepeatedRecords(Sigmoid(), distinct_records(60, 10, "l2"))
        return float(lengths(ledger, loss, 10, int(n), epsilon).mean())

    def in_plane(rng: np.random.Generator, ledger: Ledger, dimension: float) -> float:
        p = int(dimension)
        squares = np.square(lengths(ledger, in_the_plane(p), p, n_in_the_plane, 1.0))
        return math.sqrt(squares.mean())

    return rates_of_gradients(error, in_plane, **rates)
