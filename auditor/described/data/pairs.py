"""A loss of pairs of records that attains its bounds, streams for it, and forms on these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor import Ball, Data, Form, form, scaled_claim
from reference._validation import FloatArray, IntArray, require_array
from reference.clipping import clip_rows
from reference.constraint_sets import L2Ball

FIRST, FIRST_REGULARIZED = 65, 131
"""The records of the first step, T_1, of :class:`Target` and :class:`Pull` with L = 65.

Replaced, it moves w by 4B/(alpha t) there, with alpha = 1 and t = 66, or alpha = 1/2 and t = 132. A
ball of radius B/33 has just the room for that, and adds one part in 33 to G: the record moves w by
33/34 = 0.971 of 4G/(alpha t).
"""

ROOM = 1 / 33
"""The radius of that ball for B = 1."""

SMALL = L2Ball(0.3)
"""The gradients of a neighbour are 2B apart, and G = 1.3 B."""

NO_REAL_STREAM = "a stream of real records is no other query than one of random ones"
NO_REAL_PASS = "a pass over real records is no other query than one over random ones"

LEAVES_THE_BUFFER = (
    "G is 1.3 of what moves w, as the set has room for early steps (1/1.3 = 0.77), and the record "
    "leaves a small buffer, in which the bound has it stay"
)
"""Why record 0 moves a point by less than is claimed, the ``not_attained`` of small buffers.

By the draws of 150 seeds 0.46 to 0.66 is attained in diss-3.3.12, 0.40 to 0.56 in diss-3.3.13;
their forms that store all records attain 0.97.
"""


@dataclass(frozen=True)
class Target:
    """||w - c(x, x')||^2/2, c = x + x' cut down to norm B: alpha = L = 1 and G = radius + B.

    Among zeros a record of norm B makes the gradients of all its pairs w - x, which replacing it
    by -x moves by 2B: almost 2G where the radius is small.
    """

    feature_bound: float = 1.0
    smoothness: float = 1.0
    strong_convexity: float = 1.0

    def lipschitz(self, radius: float) -> float:
        """Return radius + B."""
        return radius + self.feature_bound

    def validate(self, data: Any, dimension: int) -> FloatArray:
        """Return the vectors, cut down to norm B."""
        return clip_rows(
            require_array("data", data, ndim=2, shape=(None, dimension)), self.feature_bound
        )

    def size(self, records: FloatArray) -> int:
        """Return n."""
        return len(records)

    def gradient(
        self, records: FloatArray, w: FloatArray, index: int, others: IntArray
    ) -> FloatArray:
        """Return w minus the mean of c."""
        targets = clip_rows(records[index] + records[others], self.feature_bound)
        mean: FloatArray = w - targets.mean(axis=0)
        return mean


@dataclass(frozen=True)
class Pull(Target):
    """-<w, c(x, x')>: the linear part of :class:`Target`, alpha = L = 0 and G = B."""

    smoothness: float = 0.0
    strong_convexity: float = 0.0

    def lipschitz(self, radius: float) -> float:
        """Return B."""
        del radius
        return self.feature_bound

    def gradient(
        self, records: FloatArray, w: FloatArray, index: int, others: IntArray
    ) -> FloatArray:
        """Return minus the mean of c."""
        return super().gradient(records, w, index, others) - w


def opposite_record(n: int, length: float = 1.0, index: int = 0) -> tuple[Data, Data]:
    """Return neighbouring streams of zeros in the plane but one record, +-length e_1."""
    first = np.zeros((n, 2))
    first[index, 0] = length
    return first, -first


def opposite_label(n: int, length: float = 1.0, index: int = 0) -> tuple[Data, Data]:
    """Return neighbours of two classes' records in the plane: one at length e_1, -1 against 1.

    All others are at -length e_1 with label 1, so that the one is as far as can be from them.
    """
    features = np.zeros((n, 2))
    features[:, 0] = -length
    features[index, 0] = length
    labels = np.ones(n)
    other = labels.copy()
    other[index] = -1.0
    return (features, other), (features, labels)


def first_step_form(
    function: Callable[..., Any],
    n: int,
    *,
    regularized: bool = False,
    bound: float = 1.0,
    **options: Any,
) -> Form:
    """Return a form on a record in the first step, which moves w_t by 33/34 of 4G/(alpha t)."""
    index, loss, own = FIRST, Target, {}
    if regularized:
        index, loss, own = FIRST_REGULARIZED, Pull, {"strength": 0.5}
    return form(
        function,
        opposite_record(n, bound, index=index),
        loss(feature_bound=bound, smoothness=65.0),
        L2Ball(ROOM * bound),
        initial=np.zeros(2),
        replaced=index,
        domain=Ball(2, bound),
        **{"epsilon": 1.0, "delta": 1e-3, **own, **options},
    )


def buffered_form(
    function: Callable[..., Any],
    loss: type[Target],
    *,
    n: int,
    bound: float = 1.0,
    **options: Any,
) -> Form:
    """Return a form on the first record of a stream, which leaves a small buffer."""
    return form(
        function,
        opposite_record(n, bound),
        loss(feature_bound=bound),
        SMALL,
        initial=np.zeros(2),
        not_attained=LEAVES_THE_BUFFER,
        delta=1e-3,
        domain=Ball(2, bound),
        **options,
    )


def without_normalisation(build: Callable[..., Form]) -> dict[str, Form]:
    """Return the mutant with records of norm 1000 and noise for records of norm 1."""
    dropped = build(bound=1e3, no_black_box="a mutant")
    return {"normalisation dropped": scaled_claim(dropped, 1e-3)}
