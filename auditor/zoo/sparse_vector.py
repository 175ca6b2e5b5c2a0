"""The sparse vector technique: two private forms, and four published ones that are not.

All answer a stream of counting queries by "above" (true) or "below" (false) a noisy threshold, and
most of them halt after c answers "above". They are Algorithms 1 to 6 of

    M. Lyu, D. Su and N. Li, "Understanding the sparse vector technique for differential privacy",
    PVLDB 10(6), 2017 (their Figure 1),

here with queries of sensitivity 1 and one threshold T for all of them:

===========  =============  ============  ==============  =====  ==============================
algorithm    first budget   rho           nu_i            halts  besides
===========  =============  ============  ==============  =====  ==============================
1            e1 = eps/2     Lap(1/e1)     Lap(2c/e2)      yes
2            e1 = eps/2     Lap(c/e1)     Lap(2c/e1)      yes    after "above" a new rho, Lap(c/e2)
3            e1 = eps/2     Lap(1/e1)     Lap(c/e2)       yes    releases q_i + nu_i for "above"
4            e1 = eps/4     Lap(1/e1)     Lap(1/e2)       yes
5            e1 = eps/2     Lap(1/e1)     0               no
6            e1 = eps/2     Lap(1/e1)     Lap(1/e2)       no
===========  =============  ============  ==============  =====  ==============================

where e2 = eps - e1, and query i is answered "above" if q_i + nu_i >= T + rho. Algorithms 1 and 2
are eps-DP, Algorithm 4 is (1 + 6c)/4 eps-DP, and the others are eps'-DP for no eps' that holds for
streams of any length.

The data are a binary table, one row for each person and one column for each query, which counts
the ones in it. Neighbours replace one row, so every answer may move by one, up or down.

The exact laws are in :mod:`auditor.zoo.trace_laws`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.zoo.specimen import BatchedMechanism, Specimen
from auditor.zoo.trace_laws import (
    AnswersLaw,
    Gaps,
    NewThresholds,
    NoiselessQueries,
    OneThreshold,
    ReleasedAnswer,
    TraceLaw,
)

CountTable = NDArray[np.int64]
Answers = NDArray[np.int8]
"""Shape (runs, queries): 1 above, 0 below, -1 not answered because the mechanism had halted."""

# ------------------------------------------------------------------------ the algorithms


def algorithm_1(
    data: CountTable,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    cutoff: int,
    threshold: float,
) -> Answers:
    """Lyu et al., Algorithm 1: private.

    The noise of the threshold covers all answers "below" (shift rho by one), that of the queries
    each of the c answers "above" (shift nu_i by two): eps/2 + c 2 eps/(4c).
    """
    above = _above(data, rng, size, threshold, (2 / epsilon, 4 * cutoff / epsilon))
    return _halted(above, cutoff)


def algorithm_2(
    data: CountTable,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    cutoff: int,
    threshold: float,
) -> Answers:
    """Dwork and Roth (2014), Algorithm 2 ("Sparse"), as in Lyu et al., Algorithm 2: private.

    c runs of the technique, each halting at its first answer "above", of eps/c each.
    """
    answers = np.asarray(data.sum(axis=0) - threshold)
    thresholds = rng.laplace(scale=2 * cutoff / epsilon, size=(size, cutoff))
    noisy = answers + rng.laplace(scale=4 * cutoff / epsilon, size=(size, answers.size))
    released = np.full((size, answers.size), -1, dtype=np.int8)
    found, rows = np.zeros(size, dtype=np.int64), np.arange(size)
    for query in range(answers.size):
        above = noisy[rows, query] >= thresholds[rows, found[rows]]
        released[rows, query] = above
        found[rows] += above
        rows = rows[found[rows] < cutoff]
    return released


def algorithm_3(
    data: CountTable,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    threshold: float,
) -> list[list[float | None]]:
    """Roth's lecture notes (2011), as in Lyu et al., Algorithm 3 with c = 1: broken.

    For "above" the noisy answer itself is released (``None`` for "below"). It bounds the noisy
    threshold from above, so the earlier answers "below" are no longer covered by the threshold's
    noise: each of them may cost eps/2.

    Where all k answers are one larger on D', outputs of k - 1 answers "below" and then a are
    likelier on D by a factor that tends to e^(k eps/2) as a decreases: the integrals over the
    thresholds below a hold only the exponential tails of nu_1, ..., nu_(k-1), and each of these
    differs by e^(eps/2), as does the density of nu_k. No output has a larger one.
    """
    answers = np.asarray(data.sum(axis=0) - threshold)
    noisy = answers + rng.laplace(scale=2 / epsilon, size=(size, answers.size))
    above = noisy >= rng.laplace(scale=2 / epsilon, size=(size, 1))
    first = np.where(above.any(axis=1), above.argmax(axis=1), answers.size)
    values = noisy[np.arange(size), np.minimum(first, answers.size - 1)] + threshold
    return [
        [None] * answers.size if where == answers.size else [*[None] * where, value]
        for where, value in zip(first.tolist(), values.tolist(), strict=True)
    ]


def algorithm_4(
    data: CountTable,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    cutoff: int,
    threshold: float,
) -> Answers:
    """Lee and Clifton (KDD 2014), as in Lyu et al., Algorithm 4: (1 + 6c)/4 eps-DP.

    The noise of the queries pays for one answer "above", and c are given.
    """
    above = _above(data, rng, size, threshold, (4 / epsilon, 4 / (3 * epsilon)))
    return _halted(above, cutoff)


def algorithm_5(
    data: CountTable, rng: np.random.Generator, size: int, *, epsilon: float, threshold: float
) -> Answers:
    """Stoddard, Chen and Machanavajjhala (2014), as in Lyu et al., Algorithm 5: broken.

    The queries have no noise, so two of them whose order differs on D and D' are separated by
    thresholds between them: an output that is impossible on one side.
    """
    answers = np.asarray(data.sum(axis=0) - threshold)
    noise = rng.laplace(scale=2 / epsilon, size=(size, 1))
    return np.asarray(answers >= noise).astype(np.int8)


def algorithm_6(
    data: CountTable, rng: np.random.Generator, size: int, *, epsilon: float, threshold: float
) -> Answers:
    """Chen, Xiao, Zhang and Xu (KDD 2015), as in Lyu et al., Algorithm 6: broken.

    As many answers "above" as there are queries, for the price of one.
    """
    return _above(data, rng, size, threshold, (2 / epsilon, 2 / epsilon)).astype(np.int8)


def _above(
    data: CountTable,
    rng: np.random.Generator,
    size: int,
    threshold: float,
    scales: tuple[float, float],
) -> NDArray[np.bool_]:
    """Compare noisy queries with one noisy threshold; the first scale is that of the latter."""
    threshold_scale, query_scale = scales
    answers = np.asarray(data.sum(axis=0) - threshold)
    noisy = rng.laplace(scale=query_scale, size=(size, answers.size))
    noisy += answers
    return np.asarray(noisy >= rng.laplace(scale=threshold_scale, size=(size, 1)))


def _halted(above: NDArray[np.bool_], cutoff: int) -> Answers:
    before = np.cumsum(above, axis=1, dtype=np.int8) - above
    return np.where(before < cutoff, above, np.int8(-1)).astype(np.int8)


def as_lists(
    data: CountTable, rng: np.random.Generator, size: int, *, algorithm: BatchedMechanism
) -> list[list[bool]]:
    """Release the answers of an algorithm as lists of booleans that end where it halted."""
    answers = np.asarray(algorithm(data, rng, size))
    lengths = np.count_nonzero(answers >= 0, axis=1)
    rows = (answers == 1).tolist()
    return [row[:length] for row, length in zip(rows, lengths.tolist(), strict=True)]


# -------------------------------------------------------------------------- the specimens

_PAPER = "Lyu, Su and Li, 'Understanding the sparse vector technique' (2017), "


def _tables(moves: Sequence[int], base: int = 2) -> tuple[CountTable, CountTable]:
    """Return two tables that differ in one row.

    Query i counts ``base`` on the first and ``base + moves[i]`` on the second.
    """
    step = np.array(moves, dtype=np.int64)
    own, other = (step < 0).astype(np.int64), (step > 0).astype(np.int64)
    others = (np.arange(base)[:, None] < base - own).astype(np.int64)
    return np.vstack([own, others]), np.vstack([other, others])


def _gaps(pair: tuple[CountTable, CountTable], threshold: float) -> tuple[Gaps, Gaps]:
    first, second = (tuple((table.sum(axis=0) - threshold).tolist()) for table in pair)
    return first, second


_SIX = _tables([1] * 4 + [-1] * 2)
_TWENTY = _tables([1] * 15 + [-1] * 5)
_HALVES = _tables([1] * 10 + [-1] * 10)
_SWAPPED = _tables([1, -1] * 6)
_TWO = _tables([1, -1])
_RAISED = _tables([1] * 4)

_LAW_1 = OneThreshold(_gaps(_SIX, 2), threshold_scale=2, query_scale=8, cutoff=2)
_LAW_1_LONG = OneThreshold(_gaps(_TWENTY, 2), threshold_scale=2, query_scale=20, cutoff=5)
_LAW_2 = NewThresholds(_gaps(_SIX, 2), threshold_scale=4, query_scale=8, cutoff=2)
_LAW_2_LONG = NewThresholds(_gaps(_TWENTY, 2), threshold_scale=6, query_scale=12, cutoff=3)
_LAW_3 = ReleasedAnswer(queries=4, gap=0, scale=2)
_LAW_4 = OneThreshold(_gaps(_SIX, 2), threshold_scale=4, query_scale=4 / 3, cutoff=2)
_LAW_4_LONG = OneThreshold(_gaps(_TWENTY, 2), threshold_scale=4, query_scale=4 / 3, cutoff=5)
_LAW_4_SHORT = OneThreshold(_gaps(_TWO, 2), threshold_scale=4, query_scale=4 / 3, cutoff=1)
_LAW_5 = NoiselessQueries(_gaps(_SWAPPED, 2), threshold_scale=2)
_LAW_5_RARE = NoiselessQueries(_gaps(_SWAPPED, 12), threshold_scale=2)
_LAW_6 = OneThreshold(_gaps(_HALVES, 2), threshold_scale=2, query_scale=2, cutoff=21)

_ORIGINS = {
    algorithm_1: "",
    algorithm_2: "Dwork and Roth (2014), 'Sparse'; ",
    algorithm_3: "Roth's lecture notes (2011); ",
    algorithm_4: "Lee and Clifton (2014); ",
    algorithm_5: "Stoddard, Chen and Machanavajjhala (2014); ",
    algorithm_6: "Chen, Xiao, Zhang and Xu (2015); ",
}
"""The algorithms of the paper in its order, with where they come from; two of them are private."""


def _specimen(
    name: str, pair: tuple[CountTable, CountTable], law: TraceLaw, algorithm: Any, **options: Any
) -> Specimen:
    """Return a specimen at epsilon 1: of 10 queries or more a vector, of fewer a list."""
    given = {"epsilon": 1.0, "threshold": 2, **options}
    mechanism: BatchedMechanism = partial(algorithm, **given)
    vector = isinstance(law, AnswersLaw) and pair[0].shape[1] >= 10
    if isinstance(law, AnswersLaw) and not vector:
        mechanism = partial(as_lists, algorithm=mechanism)
    return Specimen(
        name,
        mechanism,
        pair,
        law.epsilon,
        f"{_ORIGINS[algorithm]}{_PAPER}Algorithm {[*_ORIGINS].index(algorithm) + 1}",
        broken=algorithm not in (algorithm_1, algorithm_2),
        log_ratio=law.log_ratio if isinstance(law, AnswersLaw) and vector else None,
    )


SPECIMENS: tuple[Specimen, ...] = (
    _specimen("sparse-vector-1", _SIX, _LAW_1, algorithm_1, cutoff=2),
    _specimen("sparse-vector-1-of-20", _TWENTY, _LAW_1_LONG, algorithm_1, cutoff=5),
    _specimen("sparse-vector-2", _SIX, _LAW_2, algorithm_2, cutoff=2),
    _specimen("sparse-vector-2-of-20", _TWENTY, _LAW_2_LONG, algorithm_2, cutoff=3),
    _specimen("sparse-vector-3", _RAISED, _LAW_3, algorithm_3),
    _specimen("sparse-vector-4", _SIX, _LAW_4, algorithm_4, cutoff=2),
    _specimen("sparse-vector-4-of-20", _TWENTY, _LAW_4_LONG, algorithm_4, cutoff=5),
    _specimen("sparse-vector-4-of-2", _TWO, _LAW_4_SHORT, algorithm_4, cutoff=1),
    _specimen("sparse-vector-5", _SWAPPED, _LAW_5, algorithm_5),
    _specimen("sparse-vector-5-rare", _SWAPPED, _LAW_5_RARE, algorithm_5, threshold=12),
    _specimen("sparse-vector-6", _HALVES, _LAW_6, algorithm_6),
)
