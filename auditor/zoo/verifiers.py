"""Sums that automatic verifiers of differential privacy are tried on, right and broken.

The programs of CheckDP (Wang, Ding, Kifer and Zhang, "CheckDP: an automated and integrated approach
for proving differential privacy or finding precise counterexamples", 2020). Others of its programs
are elsewhere in the zoo: :data:`PROGRAMS` says which is which. Their inputs are answers to queries,
of which one changes by 1.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditor.zoo import noise
from auditor.zoo.broken_disclosure import told_apart
from auditor.zoo.specimen import Broken, Specimen
from auditor.zoo.vectors import composed_laplace_truth, laplace_log_ratio
from reference._validation import FloatArray
from reference.privacy.guarantees import laplace_epsilon

PROGRAMS = {
    "NoisyMax": "noisy-max-laplace",
    "BadNoisyMax": "noisy-max-with-its-value",
    "SparseVector": "sparse-vector-1",
    "BadSparseVector1": "sparse-vector-5",
    "BadSparseVector2": "sparse-vector-6",
    "BadSparseVector3": "sparse-vector-4",
    "GapSVT": "gap-sparse-vector",
    "BadGapSVT": "gap-sparse-vector-of-bare-answers",
    "NumSVT": "numerical-sparse-vector",
    "AdaptiveSVT": "adaptive-sparse-vector",
    "BadAdaptiveSVT": "adaptive-sparse-vector-of-bare-answers",
    "PartialSum": "partial-sum",
    "BadPartialSum": "partial-sum-of-half-the-noise",
    "SmartSum": "smart-sum",
    "BadSmartSum": "smart-sum-of-bare-blocks",
}
"""Specimens by the names of CheckDP's programs."""


def partial_sum(
    answers: ArrayLike, rng: np.random.Generator, size: int, *, scale: float
) -> FloatArray:
    """Release the sum of answers with Laplace noise.

    One answer changes by 1, and so does the sum: the loss is that of one Laplace release,
    1/scale. PartialSum has scale 1/epsilon, BadPartialSum 1/(2 epsilon).

    Returns
    -------
    ndarray of shape (size,)
    """
    return noise.laplace(np.array([np.sum(answers)]), scale, rng, size)[:, 0]


def blocks_and_answers(answers: ArrayLike, block: int) -> FloatArray:
    """Return the answers, the last of every block replaced by the sum of the block."""
    parts = np.asarray(answers, dtype=np.float64)
    ends = np.arange(block - 1, parts.size, block)
    sums = np.add.reduceat(parts, np.arange(0, parts.size, block))
    parts = parts.copy()
    parts[ends] = sums[: ends.size]
    return parts


def smart_sum(
    answers: ArrayLike,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    block: int,
    bare: bool = False,
) -> FloatArray:
    """Release running sums: of noisy answers within a block, and of the block at its end.

    The last answer of a block is not added to the running sum: the sum of the whole block is
    released, with noise of its own. So an output is as much as the noisy answers that are no last
    ones and the noisy sums of the blocks (differences of neighbours give them, see
    :func:`smart_sum_parts`), all with Laplace noise of scale 1/epsilon. An answer is in one of
    either kind: two independent releases, 2 epsilon.

    ``bare``: the sum of a block has no noise (BadSmartSum). On D and D' it differs, and no output
    is possible on both.

    Returns
    -------
    ndarray of shape (size, answers)
    """
    parts = blocks_and_answers(answers, block)
    out = noise.laplace(parts, 1 / epsilon, rng, size)
    if bare:
        out[:, block - 1 :: block] = parts[block - 1 :: block]
    for i in range(1, parts.size):
        if (i + 1) % block:
            out[:, i] += out[:, i - 1]
    return out


def smart_sum_parts(outputs: NDArray[np.float64], block: int) -> FloatArray:
    """Return the noisy answers and sums of blocks that running sums were made of."""
    parts = outputs.copy()
    for i in range(1, outputs.shape[1]):
        if (i + 1) % block:
            parts[:, i] -= outputs[:, i - 1]
    return parts


def smart_sum_log_ratio(
    pair: tuple[FloatArray, FloatArray], block: int, outputs: NDArray[np.float64]
) -> FloatArray:
    """Return the log-ratio of outputs at epsilon 1: that of the parts, which determine them."""
    first, second = (blocks_and_answers(answers, block) for answers in pair)
    return laplace_log_ratio(first, second, np.array(1.0), smart_sum_parts(outputs, block))


_BLOCK = 4
_ANSWERS = np.array([1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 1.0, 3.0, 0.0, 2.0, 1.0, 1.0])
_MOVED = _ANSWERS + (np.arange(12) == 5)
_PAIR = (_ANSWERS, _MOVED)
_SOURCE = "Wang, Ding, Kifer and Zhang, 'CheckDP' (2020), "

SPECIMENS: tuple[Specimen, ...] = (
    Specimen(
        "partial-sum",
        partial(partial_sum, scale=1.0),
        _PAIR,
        partial(laplace_epsilon, 1.0),
        f"{_SOURCE}PartialSum",
    ),
    Specimen(
        "smart-sum",
        partial(smart_sum, epsilon=1.0, block=_BLOCK),
        _PAIR,
        partial(composed_laplace_truth, (1.0, 1.0)),
        f"{_SOURCE}SmartSum",
        epsilon=2.0,
        log_ratio=partial(smart_sum_log_ratio, _PAIR, _BLOCK),
    ),
    Broken(
        "partial-sum-of-half-the-noise",
        partial(partial_sum, scale=0.5),
        _PAIR,
        partial(laplace_epsilon, 2.0),
        f"{_SOURCE}BadPartialSum",
    ),
    Broken(
        "smart-sum-of-bare-blocks",
        partial(smart_sum, epsilon=1.0, block=_BLOCK, bare=True),
        _PAIR,
        told_apart,
        f"{_SOURCE}BadSmartSum",
        epsilon=2.0,
    ),
)
