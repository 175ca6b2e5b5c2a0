"""The Local Chebyshev Mechanism (diss-5.1.35): audit and settings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from auditor import BlackBox, Case, Data, Form, Integers, Setting, along, form
from auditor.described.data.calls import arguments_of
from auditor.described.data.vectors import one_record
from reference._validation import FloatArray, IntArray
from reference.local.marginals import (
    Constants,
    constants_for,
    local_chebyshev,
    monomials,
    send_coefficients,
    step_polynomial,
)
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

BITS, K, ACCURACY = 3, 2, 0.1


def _queries(dimension: int) -> IntArray:
    """Return all queries of one or two bits."""
    rows = [*combinations(range(dimension), 1), *combinations(range(dimension), 2)]
    return np.array([[int(j in row) for j in range(dimension)] for row in rows])


def _form(**options: Any) -> Form:
    """Three users of three bits; all 0 against all 1 moves every coefficient."""
    return form(
        local_chebyshev,
        one_record(3, np.zeros(BITS), np.ones(BITS)),
        _queries(BITS),
        epsilon=1.0,
        accuracy=ACCURACY,
        k=K,
        model=Model.LOCAL,
        domain=Integers((BITS,)),
        **options,
    )


def _corrected() -> Form:
    """Return a form whose black box sees the message of a single user."""
    supports, coefficients = monomials(step_polynomial(K, ACCURACY / 2), BITS)
    constants, made = constants_for(coefficients, epsilon=1.0), _form()

    def message(data: Data, ledger: Ledger) -> FloatArray:
        records = data.astype(np.int64)
        sent = send_coefficients(
            records, supports, coefficients, constants=constants, ledger=ledger
        )
        return np.asarray(sent[0])

    def statistic(message: FloatArray) -> float:
        """Log-likelihood ratio of all bits 0 and all bits 1, times the scale of the noise."""
        return float((np.abs(message - coefficients) - np.abs(message)).sum())

    pair = one_record(1, np.zeros(BITS), np.ones(BITS))
    return replace(made, black_box=BlackBox(message, made.claim, pair, statistic))


def _whole_budget() -> Form:
    """Return the mutant that runs the scalar LDP-AVG with all of epsilon for every coefficient."""
    _, coefficients = monomials(step_polynomial(K, ACCURACY / 2), BITS)
    largest = float(np.abs(coefficients).max())
    return _form(constants=Constants(largest, largest), no_black_box="a mutant")


def _error(
    rng: np.random.Generator, ledger: Ledger, *, n: float = 2e3, epsilon: float = 1.0
) -> float:
    """Return the largest error of all answers on 4 bits: at k = 2 the polynomial is exact."""
    data, queries = (rng.random((int(n), 4)) < 0.3).astype(int), _queries(4)
    answers = local_chebyshev(data, queries, epsilon=epsilon, accuracy=ACCURACY, k=K, ledger=ledger)
    truth = (data @ queries.T > 0).mean(axis=0)
    return float(np.abs(answers - truth).max())


def marginals() -> Case:
    """Local Chebyshev Mechanism: one vector of a polynomial's coefficients per user."""
    claim = "proof of Theorem 5.1.10: gamma + T N^2 sqrt(log(N/beta))/(sqrt n epsilon), gamma = 0"
    recipe = partial(along, error=_error, repetitions=20, claim=claim)
    return Case(
        id="diss-5.1.35",
        forms={"corrected": _corrected()},
        scaling=(
            recipe("n", (5e2, 2e3, 8e3, 3.2e4), -0.5),
            recipe("epsilon", (0.25, 0.5, 1.0, 2.0), -1.0),
        ),
        no_real_data="the text has no experiment",
        mutants={"all of epsilon for every coefficient": _whole_budget()},
        no_clipping="records are bits, and others are refused",
    )


def bits(seed: int, n: int, p: int) -> Any:
    """Draw bits, each of which is 1 with probability 0.4."""
    return (np.random.default_rng(seed).random((n, p)) < 0.4).astype(np.int64)


def settings() -> tuple[Setting, ...]:
    """Local Chebyshev Mechanism for k-way disjunctions."""
    run = partial(arguments_of, local_chebyshev)
    three, one = np.array([[0, 1], [1, 1], [0, 0]]), np.array([[1, 0], [0, 1], [0, 0]])
    two = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]])
    five = np.array([[1, 1, 1, 1, 1], [1, 0, 1, 0, 1], [0, 0, 0, 1, 0]])
    ends = np.array([[1, 0, 1], [0, 1, 0]])
    by_hand = Constants(2.0, 2.0)
    return (
        Setting(
            "by-hand",
            "Three users with two bits, asked for one bit at a time: k = 1.",
            run(three, one, epsilon=1.0, accuracy=0.5, k=1, constants=by_hand),
        ),
        Setting(
            "middle",
            "At most two of four bits: the polynomial of degree 2 that is 1 at 1 and 2.",
            run(bits(1, 20, 4), two, epsilon=1.0, accuracy=0.04, k=2),
            seed=2,
        ),
        Setting(
            "degree-k",
            "At most two of three bits: a Chebyshev polynomial of the same degree.",
            run(bits(3, 8, 3), ends, epsilon=2.0, accuracy=0.15, k=2),
            seed=4,
        ),
        Setting(
            "chebyshev",
            "At most five of five bits, roughly: a Chebyshev polynomial of degree 3.",
            run(bits(2, 12, 5), five, epsilon=4.0, accuracy=0.5, k=5),
            seed=3,
        ),
    )


CASES = {"diss-5.1.35": marginals}
SETTINGS = {"diss-5.1.35": settings}
LEFT_OUT = {"diss-5.1.35": {"loop": "over users and queries, arrays as well"}}
