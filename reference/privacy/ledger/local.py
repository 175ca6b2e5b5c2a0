"""Releases per user of the local model: answers, bits and vectors, randomised one by one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterValueError,
    require_between,
    require_count,
    require_positive,
)
from reference.privacy.ledger.book import Book
from reference.privacy.ledger.transcript import RecordSelection, Unit
from reference.privacy.ledger.values import SCALES, categorical, claim_of, finite, owned
from reference.privacy.mechanisms import REACH, Bit, L2BallRandomizer, RandomizedResponse
from reference.privacy.mechanisms.mechanism import SMALLEST_PROBABILITY, require_representable


class LocalReleases(Book):
    """The releases of a ledger that randomise what every user says."""

    def randomized_response(
        self,
        value: ArrayLike,
        *,
        epsilon: float,
        categories: int = 2,
        answers: int = 1,
        unit: Unit = "record",
        records: RecordSelection = None,
    ) -> IntArray:
        """Flip every answer (an integer in [0, categories)) at budget ``epsilon``.

        ``epsilon`` is at most 27.6: a coin of doubles cannot lie more rarely than 1e-12. With more
        than two categories the cost is a little more than ``epsilon``, by 1e-14 as a rule: see
        :class:`~reference.privacy.mechanisms.RandomizedResponse`.
        ``answers`` is the number of answers of one unit that may differ between neighbours; the
        release costs ``answers * epsilon``.
        """
        answers = require_count("answers", answers)
        epsilon = require_between("epsilon", epsilon, *SCALES)
        categories = require_count("categories", categories, at_least=2)
        array = categorical(value, categories)
        return self._release(  # type: ignore[no-any-return]
            RandomizedResponse(epsilon, categories),
            array,
            claim_of(array, float(answers), unit, records),
        )

    def unary(
        self, value: ArrayLike, *, categories: int, epsilon: float, records: RecordSelection = None
    ) -> IntArray:
        """One-hot encode each user's category and flip every bit at budget epsilon/2.

        Returns
        -------
        ndarray of int, shape (n, categories)
        """
        epsilon = require_between("epsilon", epsilon, *SCALES)
        categories = require_count("categories", categories, at_least=2)
        labels = categorical(value, categories)
        one_hot = (labels[..., None] == np.arange(categories)).astype(np.float64)
        return self.randomized_response(
            one_hot, epsilon=epsilon / 2, answers=2, unit="record", records=records
        )

    def bit(
        self,
        probability: ArrayLike,
        *,
        epsilon: float,
        unit: Unit = "record",
        records: RecordSelection = None,
    ) -> IntArray:
        """Release one bit per unit, one with the unit's ``probability``.

        ``epsilon`` is the claimed bound on the log-ratio of either bit value between neighbours, at
        most 27.6. Probabilities are cut to [1e-12, 1 - 1e-12], within which a coin of doubles shows
        both values; that brings no two of them farther apart. The coin shows a probability p as the
        next multiple of 2^-53, so that the log-ratio may exceed the claim by 2^-53/p: by 1.2e-4 at
        1e-12. That is not charged.
        """
        epsilon = require_between("epsilon", epsilon, *SCALES)
        require_representable(epsilon)
        array = owned(probability, "probability")
        if not ((array >= 0) & (array <= 1)).all():
            raise ParameterValueError("probability", "lie in [0, 1]")
        cut = np.clip(array, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
        return self._release(  # type: ignore[no-any-return]
            Bit(), cut, claim_of(array, epsilon, unit, records)
        )

    def l2_ball(
        self, value: ArrayLike, *, radius: float, epsilon: float, records: RecordSelection = None
    ) -> FloatArray:
        """Randomise one vector per user (axis 0), of norm at most ``radius``; unbiased."""
        radius = require_positive("radius", radius)
        epsilon = require_between("epsilon", epsilon, *SCALES)
        array = owned(value, "value")
        if array.ndim != 2 or array.shape[1] == 0:
            raise ParameterValueError(
                "value", "have one vector per user", got=f"shape {array.shape}"
            )
        # what is far outside is cut to where its square is a double
        array = np.clip(finite(array), -REACH * radius, REACH * radius)
        return self._release(  # type: ignore[no-any-return]
            L2BallRandomizer(radius, epsilon), array, claim_of(array, 1.0, "record", records)
        )
