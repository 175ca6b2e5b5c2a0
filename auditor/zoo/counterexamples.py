"""Counterexamples that a verifier found for programs of the zoo, and their exact losses.

DiPC (Barthe, Chadha, Jagannath, Sistla and Viswanathan, "Deciding differential privacy for
programs with finite inputs and outputs", 2020) decides privacy for inputs from a small range. Its
repository, ``vishalrjagan/DifferentialPrivacy``, keeps counterexamples with their probabilities in
``DiffPrivacyManual``; those of CheckDP's programs are here. CheckDP's own are not in its
repository, ``cmla-psu/checkdp``: its examples have placeholders where a run writes the inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import laplace as laplace_law

from auditor.zoo.broken_sensitivity import noisy_max_with_its_value
from auditor.zoo.sparse_vector import algorithm_4, algorithm_5, algorithm_6
from auditor.zoo.specimen import BatchedMechanism
from auditor.zoo.trace_laws import AnswersLaw, NoiselessQueries, OneThreshold

QueryAnswers = tuple[int, ...]


@dataclass(frozen=True)
class Counterexample:
    """Inputs and an output that refute a claim.

    Attributes
    ----------
    epsilon : float
        The claim.
    mechanism : callable
        The zoo's, with the verifier's parameters and threshold 0.
    inputs : (tuple of int, tuple of int)
        Answers to the queries; the output is likelier on the first.
    output : str
    seen : callable
        ``seen(outputs)``: which of them are the output.
    log_ratio : callable
        Exact log of how much likelier the output is on the first inputs.
    source : str
        File in ``DiffPrivacyManual``.
    """

    epsilon: float
    mechanism: BatchedMechanism
    inputs: tuple[QueryAnswers, QueryAnswers]
    output: str
    seen: Callable[[Any], NDArray[np.bool_]]
    log_ratio: Callable[[], float]
    source: str

    @property
    def pair(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the inputs as tables of one row."""
        first, second = (np.array([answers]) for answers in self.inputs)
        return first, second


def _answers(trace: QueryAnswers, outputs: Any) -> NDArray[np.bool_]:
    """Return which outputs are a trace of answers, 1 for "above"."""
    return np.asarray((np.asarray(outputs) == trace).all(axis=1))


def _at_most(most: float, outputs: Any) -> NDArray[np.bool_]:
    return np.asarray(np.asarray(outputs) <= most)


def _of_trace(law: AnswersLaw, trace: QueryAnswers) -> float:
    return float(law.log_ratio(np.array([trace]))[0])


def _of_largest(inputs: tuple[QueryAnswers, QueryAnswers], most: float, scale: float) -> float:
    """Return the log-ratio of "no noisy answer is above ``most``"."""
    first, second = (np.sum(laplace_law.logcdf(most, answers, scale)) for answers in inputs)
    return float(first - second)


def _sparse_vector(
    law: OneThreshold | NoiselessQueries, mechanism: partial[Any], trace: QueryAnswers, source: str
) -> Counterexample:
    first, second = (tuple(int(gap) for gap in gaps) for gaps in law.gaps)
    return Counterexample(
        mechanism.keywords["epsilon"],
        partial(mechanism, threshold=0),
        (first, second),
        ", ".join("above" if answer else "below" for answer in trace),
        partial(_answers, trace),
        partial(_of_trace, law, trace),
        source,
    )


_LOW = ((-1, -1, -1), (0, 0, 0))

COUNTEREXAMPLES = {
    "BadNoisyMax": Counterexample(
        27.0,
        partial(noisy_max_with_its_value, epsilon=27.0),
        _LOW,
        "at most -1",
        partial(_at_most, -1.0),
        partial(_of_largest, _LOW, -1.0, 2 / 27),
        "3_nmax7.nb",
    ),
    "BadSparseVector1": _sparse_vector(
        NoiselessQueries(((-1.0, 0.0), (-1.0, -1.0)), threshold_scale=2 * 98 / 27),
        partial(algorithm_5, epsilon=27 / 98),
        (0, 1),
        "2_svt5.nb",
    ),
    "BadSparseVector2": _sparse_vector(
        OneThreshold(
            ((-1.0, -1.0, 0.0), (0.0, 0.0, -1.0)),
            threshold_scale=2 * 92 / 67,
            query_scale=2 * 92 / 67,
            cutoff=4,
        ),
        partial(algorithm_6, epsilon=67 / 92),
        (0, 0, 1),
        "3_svt6.nb",
    ),
    "BadSparseVector3": _sparse_vector(
        OneThreshold(
            ((-1.0, 0.0), (0.0, -1.0)),
            threshold_scale=4 / 0.54,
            query_scale=4 / (3 * 0.54),
            cutoff=1,
        ),
        partial(algorithm_4, epsilon=0.54, cutoff=1),
        (0, 1),
        "2_svt4.nb",
    ),
}
"""By the names of CheckDP's programs; of the others none could be found to read."""
