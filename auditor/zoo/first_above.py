"""Sparse vectors that release a number with the answer "above", and halt: right and broken.

The programs GapSVT, NumSVT and AdaptiveSVT of CheckDP (Wang, Ding, Kifer and Zhang, 2020), each
with its N = 1, so that the first answer "above" is the last. The queries' answers may all move by
1, up or down. An output is ``None`` for every answer "below", and then the number.

Given the noise rho of the threshold, the answers are independent, so the density of an output is an
integral over rho, and integrals of a Laplace density times anything are two running integrals. The
laws are these densities at the nodes of a quadrature, whose weights turn them into masses; the
worst event of a delta ends at a node, and so many nodes keep what that costs below 1e-5 (2e-7 at
epsilon 1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditor.zoo.exact import Masses
from auditor.zoo.specimen import Specimen
from auditor.zoo.trace_laws import Gaps, TraceLaw, panels, quadrature
from reference._validation import FloatArray

SvtAnswers = list[list[float | None]]
VectorFunction = Callable[[FloatArray], FloatArray]
SvtKind = Literal["gap", "bare gap", "number", "adaptive", "bare adaptive"]

# -------------------------------------------------------------------------- the programs


def gap_sparse_vector(
    answers: ArrayLike,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    threshold: float,
    bare: bool = False,
) -> SvtAnswers:
    """Release by how much the first noisy answer exceeds the noisy threshold (GapSVT).

    The threshold has noise of scale 2/epsilon, an answer 4/epsilon. Shift rho by one and the noise
    of the answer above by two: epsilon/2 + 2 epsilon/4.

    ``bare``: the noisy answer itself is released (BadGapSVT). It bounds the noisy threshold from
    above, which then no longer covers the answers below: each may cost epsilon/4 more.
    """
    gaps = np.asarray(answers, dtype=np.float64) - threshold
    rho = rng.laplace(scale=2 / epsilon, size=(size, 1))
    noisy = gaps + rng.laplace(scale=4 / epsilon, size=(size, gaps.size))
    return _until_above(noisy >= rho, noisy + threshold if bare else noisy - rho)


def numerical_sparse_vector(
    answers: ArrayLike, rng: np.random.Generator, size: int, *, epsilon: float, threshold: float
) -> SvtAnswers:
    """Release the first answer that is above with fresh noise (NumSVT).

    Noise of scale 3/epsilon for the threshold, 6/epsilon for the comparison, 3/epsilon for the
    release: epsilon/3 each.
    """
    gaps = np.asarray(answers, dtype=np.float64) - threshold
    rho = rng.laplace(scale=3 / epsilon, size=(size, 1))
    above = gaps + rng.laplace(scale=6 / epsilon, size=(size, gaps.size)) >= rho
    fresh = rng.laplace(scale=3 / epsilon, size=(size, gaps.size))
    return _until_above(above, np.asarray(answers, dtype=np.float64) + fresh)


def adaptive_sparse_vector(
    answers: ArrayLike,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    threshold: float,
    bare: bool = False,
) -> SvtAnswers:
    """Compare an answer with much noise first, and with less if it is not far above (AdaptiveSVT).

    The threshold has noise of scale 2/epsilon. An answer with noise of scale 8/epsilon that exceeds
    it by 16/epsilon costs half of what one with 4/epsilon does, and its gap is released; else the
    second is compared, and its gap released if it is above.

    ``bare``: the first kind of answer is released itself (BadAdaptiveSVT), see
    :func:`gap_sparse_vector`.
    """
    gaps = np.asarray(answers, dtype=np.float64) - threshold
    rho = rng.laplace(scale=2 / epsilon, size=(size, 1))
    rough = gaps + rng.laplace(scale=8 / epsilon, size=(size, gaps.size))
    fine = gaps + rng.laplace(scale=4 / epsilon, size=(size, gaps.size))
    far = rough - rho >= 16 / epsilon
    shown = np.where(far, rough + threshold if bare else rough - rho, fine - rho)
    return _until_above(far | (fine >= rho), shown)


def _until_above(above: NDArray[np.bool_], values: FloatArray) -> SvtAnswers:
    """Return for every run ``None`` for each answer below, and the value of the first above."""
    queries = above.shape[1]
    first = np.where(above.any(axis=1), above.argmax(axis=1), queries)
    shown = values[np.arange(len(values)), np.minimum(first, queries - 1)]
    return [
        [None] * queries if place == queries else [*[None] * place, value]
        for place, value in zip(first.tolist(), shown.tolist(), strict=True)
    ]


# ------------------------------------------------------------------------------ their laws

FAR = 16.0
"""By how much a rough answer must exceed the threshold, at epsilon 1."""
PARTS = 128
"""Parts of a panel in which logs of densities are interpolated: the worst event ends at a node."""


class _Running:
    """Integrals of a function up to any point, and from it on, with full relative precision."""

    def __init__(self, function: VectorFunction, edges: FloatArray) -> None:
        nodes, weights = quadrature(edges)
        self._function, self._edges = function, edges
        whole = np.sum(function(nodes) * weights, axis=1)
        self._before = np.concatenate([[0.0], np.cumsum(whole)])
        self._after = np.concatenate([np.cumsum(whole[::-1])[::-1], [0.0]])
        self.total = float(self._before[-1])

    def _panel(self, points: FloatArray) -> NDArray[np.intp]:
        return np.clip(np.searchsorted(self._edges, points) - 1, 0, self._edges.size - 2)

    def _between(self, low: FloatArray, high: FloatArray) -> FloatArray:
        nodes, weights = quadrature(np.array([0.0, 1.0]))
        width = (high - low)[..., None]
        inner = self._function(low[..., None] + width * nodes[0])
        return np.asarray((inner * weights[0]).sum(axis=-1) * width[..., 0])

    def upto(self, points: FloatArray) -> FloatArray:
        """Return the integrals from the left end to every point."""
        inside = np.clip(points, self._edges[0], self._edges[-1])
        panel = self._panel(inside)
        return np.asarray(self._before[panel] + self._between(self._edges[panel], inside))

    def beyond(self, points: FloatArray) -> FloatArray:
        """Return the integrals from every point to the right end."""
        inside = np.clip(points, self._edges[0], self._edges[-1])
        panel = self._panel(inside)
        return np.asarray(self._after[panel + 1] + self._between(inside, self._edges[panel + 1]))


@dataclass(frozen=True)
class FirstAbove(TraceLaw):
    """The law of a program on D and on D', at epsilon 1; at another one, multiply gaps by it.

    Attributes
    ----------
    kind : str
        Which program. Of a bare one every answer is to be as much larger on D'.
    gaps : (tuple of float, tuple of float)
        Answer minus threshold of every query, on D and on D'.
    """

    kind: SvtKind
    gaps: tuple[Gaps, Gaps]

    def epsilon(self, delta: float) -> float:
        """Return the smallest epsilon at ``delta``.

        A bare answer x after j answers below, all smaller on D by m, is likelier there by a factor
        that rises as x falls and leaves only the tails of the noise of each, e^(m/4) or, of two
        comparisons, e^(m/4 + m/8); no factor of the integrand is larger.
        """
        if delta > 0 or not self.kind.startswith("bare"):
            return super().epsilon(delta)
        first, second = self.gaps
        below = len(first) - 1
        share = (below + 1) / 4 if self.kind == "bare gap" else 3 * below / 8 + 1 / 8
        return share * (second[0] - first[0])

    @cached_property
    def masses(self) -> Masses:
        """Masses of the outputs at the nodes, and of "below" throughout."""
        kinks = sorted({place for gaps in self.gaps for gap in gaps for place in (gap, gap + FAR)})
        edges = panels([0.0, FAR, *kinks], self._widest / 2, self._widest / 4)
        nodes, _ = quadrature(edges)
        fine_nodes, weights = quadrature(np.linspace(0.0, 1.0, PARTS + 1))
        widths = np.diff(edges)[:, None] * weights.ravel()
        finer = _interpolation(quadrature(np.array([0.0, 1.0]))[0].ravel(), fine_nodes.ravel())
        sides = []
        for side in (0, 1):
            densities = self.densities(side, nodes.ravel()).reshape(-1, *nodes.shape)
            with np.errstate(divide="ignore", invalid="ignore"):  # some panels have none at all
                logs = np.log(densities) @ finer
            masses = np.where(np.isfinite(logs), np.exp(logs), 0.0) * widths
            never = self._prior(side, len(self.gaps[side])).total
            sides.append(np.append(masses, never))
        return sides[0], sides[1]

    def densities(self, side: int, values: FloatArray) -> FloatArray:
        """Return the density of a value after 0, 1, ... answers below.

        An answer itself is told from a gap by where it is (the threshold of BadAdaptiveSVT is far
        away), and is counted from the threshold.

        Returns
        -------
        ndarray of shape (queries, values), or (2 queries, values): gaps first
        """
        released = {
            "gap": [self._gap_density],
            "adaptive": [self._gap_density],
            "bare adaptive": [self._gap_density, self._answer_density],
        }.get(self.kind, [self._answer_density])
        queries = range(len(self.gaps[side]))
        return np.array([density(side, j, values) for density in released for j in queries])

    @property
    def _widest(self) -> float:
        return {"gap": 4.0, "bare gap": 4.0, "number": 6.0}.get(self.kind, 8.0)

    @property
    def _threshold_scale(self) -> float:
        return 3.0 if self.kind == "number" else 2.0

    def _gap_density(self, side: int, j: int, values: FloatArray) -> FloatArray:
        """Return the density of a gap."""
        if self.kind == "gap":
            return np.where(values >= 0, self._blurred(side, j, 4.0, values), 0.0)
        fine = np.where(values >= 0, self._blurred(side, j, 4.0, values, fine=True), 0.0)
        if self.kind == "bare adaptive":
            return fine
        return fine + np.where(values >= FAR, self._blurred(side, j, 8.0, values), 0.0)

    def _answer_density(self, side: int, j: int, values: FloatArray) -> FloatArray:
        """Return the density of an answer."""
        gap, prior = self.gaps[side][j], self._prior(side, j)
        if self.kind == "number":
            above = prior.total - self._prior(side, j + 1).total
            return above * _laplace(values - gap, 3.0)
        if self.kind == "bare gap":
            return _laplace(values - gap, 4.0) * prior.upto(values)
        return _laplace(values - gap, 8.0) * prior.upto(values - FAR)

    def _below(self, rho: FloatArray, gap: float) -> FloatArray:
        """Return the probability that a query is answered "below", given the threshold's noise."""
        if self.kind == "number":
            return _lower_tail((rho - gap) / 6)
        fine = _lower_tail((rho - gap) / 4)
        if self.kind in ("gap", "bare gap"):
            return fine
        return np.asarray(fine * _lower_tail((rho + FAR - gap) / 8))

    def _prior(self, side: int, j: int, tilt: float = 0.0, fine: int | None = None) -> _Running:
        """Return running integrals of the density of rho and j answers below, times e^(tilt rho).

        With ``fine``, that query is not far above as well.
        """
        gaps = self.gaps[side]

        def joint(rho: FloatArray) -> FloatArray:
            density = np.exp(tilt * rho - np.abs(rho) / self._threshold_scale)
            density /= 2 * self._threshold_scale
            for gap in gaps[:j]:
                density = density * self._below(rho, gap)
            if fine is not None:
                density = density * _lower_tail((rho + FAR - gaps[fine]) / 8)
            return np.asarray(density)

        kinks = [0.0, *gaps, *(gap - FAR for gap in gaps)]
        # twice as far as the noise reaches: a tilt takes half of its fall away
        return _Running(joint, panels(kinks, 2 * self._threshold_scale, 0.5))

    def _blurred(
        self, side: int, j: int, scale: float, values: FloatArray, *, fine: bool = False
    ) -> FloatArray:
        """Return the density of a gap: that of an answer's noise, integrated over rho."""
        split = self.gaps[side][j] - values
        query = j if fine else None
        rising = self._prior(side, j, 1 / scale, query).upto(split)
        falling = self._prior(side, j, -1 / scale, query).beyond(split)
        grown = np.exp(-split / scale) * rising + np.exp(split / scale) * falling
        return np.asarray(grown / (2 * scale))


def _interpolation(nodes: FloatArray, points: FloatArray) -> FloatArray:
    """Return the matrix that makes values at points of values at nodes, by the polynomial."""
    degree = nodes.size - 1
    at_nodes, at_points = (np.polynomial.legendre.legvander(x, degree) for x in (nodes, points))
    return np.asarray(np.linalg.solve(at_nodes.T, at_points.T))


def _laplace(values: FloatArray, scale: float) -> FloatArray:
    return np.asarray(np.exp(-np.abs(values) / scale) / (2 * scale))


def _lower_tail(values: FloatArray) -> FloatArray:
    """Return the distribution function of the standard Laplace law."""
    half = np.exp(-np.abs(values)) / 2
    return np.asarray(np.where(values < 0, half, 1 - half))


# ----------------------------------------------------------------------------- the specimens

_SOURCE = "Wang, Ding, Kifer and Zhang, 'CheckDP' (2020), "


def _specimen(
    name: str,
    program: str,
    kind: SvtKind,
    mechanism: partial[SvtAnswers],
    answers: tuple[Sequence[float], Sequence[float]],
) -> Specimen:
    epsilon, threshold = mechanism.keywords["epsilon"], mechanism.keywords["threshold"]
    first, second = (np.array(side, dtype=np.float64) for side in answers)
    gaps = [tuple((epsilon * (side - threshold)).tolist()) for side in (first, second)]
    return Specimen(
        name,
        mechanism,
        (first, second),
        FirstAbove(kind, (gaps[0], gaps[1])).epsilon,
        f"{_SOURCE}{program}",
        epsilon=epsilon,
        broken=kind.startswith("bare"),
    )


_UP_AND_DOWN = ([3.0] * 4, [4.0] * 3 + [2.0])
_LAST_FAR = ([3.0] * 3 + [15.0], [4.0] * 3 + [14.0])

SPECIMENS: tuple[Specimen, ...] = (
    _specimen(
        "gap-sparse-vector",
        "GapSVT",
        "gap",
        partial(gap_sparse_vector, epsilon=1.0, threshold=3.0),
        _UP_AND_DOWN,
    ),
    _specimen(
        "numerical-sparse-vector",
        "NumSVT",
        "number",
        partial(numerical_sparse_vector, epsilon=1.0, threshold=3.0),
        _UP_AND_DOWN,
    ),
    _specimen(
        "adaptive-sparse-vector",
        "AdaptiveSVT",
        "adaptive",
        partial(adaptive_sparse_vector, epsilon=1.0, threshold=3.0),
        _LAST_FAR,
    ),
    # what bare answers tell is less rare where epsilon is large
    _specimen(
        "gap-sparse-vector-of-bare-answers",
        "BadGapSVT",
        "bare gap",
        partial(gap_sparse_vector, epsilon=3.0, threshold=3.0, bare=True),
        ([2.5] * 16, [3.5] * 16),
    ),
    # a threshold so far away that nobody takes a gap for an answer; of the claims from 1 to 16, and
    # of up to 16 answers below, about the fewest runs show this one
    _specimen(
        "adaptive-sparse-vector-of-bare-answers",
        "BadAdaptiveSVT",
        "bare adaptive",
        partial(adaptive_sparse_vector, epsilon=3.0, threshold=1000.0, bare=True),
        ([999.5] * 8 + [1006.0], [1000.5] * 8 + [1007.0]),
    ),
)
