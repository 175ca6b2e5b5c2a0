"""The Local Trigonometry Mechanism (diss-5.1.36): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from auditor import Case, Data, Everything, Form, Setting, along, form
from auditor.described.data.small_local import uniform
from auditor.described.data.vectors import one_record
from reference._validation import FloatArray
from reference.errata.local import trigonometry_mechanism as errata
from reference.local import trigonometry_mechanism as algorithm
from reference.local.trigonometry_mechanism import (
    SmoothQueries,
    constants_for,
    features_of,
    local_trigonometry_mechanism,
)
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

DEGREES = 3
TROUGH = -0.25
"""cos(phi) where 1 + cos(phi) + cos(2 phi) is least: with 1 the worst pair, 25/8 apart."""
CLAIM = "Theorem 5.1.11: at a fixed t the noise's part of the error is O(1/(sqrt(n) epsilon))"
CENTRES = np.linspace(-1.0, 1.0, 9)


def _form(function: Any = local_trigonometry_mechanism, n: int = 3, **options: Any) -> Form:
    return form(
        function,
        one_record(n, [1.0], [TROUGH]),
        epsilon=1.0,
        n_degrees=DEGREES,
        model=Model.LOCAL,
        domain=Everything((1,)),
        **options,
    )


def _likelier(queries: SmoothQueries) -> float:
    """Return the log-likelihood ratio of a single user's message, times the scale of the noise."""
    first, second = (features_of(np.array([[x]]), DEGREES)[0] for x in (1.0, TROUGH))
    return float((np.abs(queries.means - second) - np.abs(queries.means - first)).sum())


def uncut(data: Data, *, epsilon: float, n_degrees: int, ledger: Ledger) -> SmoothQueries:
    """Release Chebyshev polynomials of entries of any size: cosines only inside [-1, 1]."""
    noise = constants_for(epsilon=epsilon, n_degrees=n_degrees, dimension=1)
    features = chebyshev.chebvander(data[:, 0], n_degrees - 1)
    messages = ledger.laplace(
        features, sensitivity=noise.sensitivity, scale=noise.noise_scale, unit="record"
    )
    return SmoothQueries(messages.mean(axis=0))


def _kernel(x: FloatArray, centre: float) -> FloatArray:
    density: FloatArray = np.exp(-((x[:, 0] - centre) ** 2) / 0.5)
    return density


def _error(
    rng: np.random.Generator, ledger: Ledger, *, n: float = 3e3, epsilon: float = 1.0
) -> float:
    """Return the largest error of nine Gaussian kernel densities."""
    data = np.clip(rng.normal(0.0, 0.4, (int(n), 1)), -1.0, 1.0)
    queries = local_trigonometry_mechanism(data, epsilon=epsilon, n_degrees=8, ledger=ledger)
    return max(
        abs(queries.answer(kernel) - float(kernel(data).mean()))
        for kernel in (partial(_kernel, centre=centre) for centre in CENTRES)
    )


def trigonometry_mechanism() -> Case:
    """Local Trigonometry Mechanism: features of width 2, noise for width 1."""
    recipe = partial(along, error=_error, repetitions=16, claim=CLAIM)
    flagged = {"sensitivity": "diss-5.1.36/E1", "privacy_loss": "diss-5.1.36/E1"}
    return Case(
        id="diss-5.1.36",
        forms={
            "corrected": _form(seen=one_record(1, [1.0], [TROUGH]), statistic=_likelier),
            "printed": _form(
                errata.printed, no_black_box="a loss of 1.04 epsilon", violates=flagged
            ),
        },
        scaling=(
            recipe("n", (3e2, 1e3, 3e3, 1e4), -0.5),
            recipe("epsilon", (0.25, 0.5, 1.0, 2.0), -1.0),
        ),
        mutants={
            "entries not cut": form(
                uncut,
                one_record(3, [3.0], [-3.0]),
                epsilon=1.0,
                n_degrees=DEGREES,
                model=Model.LOCAL,
                domain=Everything((1,)),
                no_black_box="a mutant",
            )
        },
    )


def settings() -> tuple[Setting, ...]:
    """Local Trigonometry Mechanism."""
    kind = algorithm.Constants
    return (
        Setting(
            "by-hand",
            "Three users with one number, the last of which is cut to 1; degrees 0 and 1, so that "
            "the features are 1 and the number.",
            {
                "data": np.array([[0.5], [-0.25], [2.0]]),
                "epsilon": 1.0,
                "n_degrees": 2,
                "constants": kind(2.0, 2.0),
            },
        ),
        Setting(
            "middle",
            "Two numbers and degrees 0 to 3: sixteen features of a user.",
            {"data": uniform(21, 20, 2, -1.25, 1.1), "epsilon": 2.0, "n_degrees": 4},
            seed=2,
        ),
        Setting(
            "three-variables",
            "Three numbers and degrees 0 and 1.",
            {"data": uniform(22, 8, 3, -1.0, 1.0), "epsilon": 8.0, "n_degrees": 2},
            seed=3,
        ),
        Setting(
            "constant-feature",
            "Degree 0 alone: a user's message is 1 and the least noise that there is.",
            {"data": uniform(23, 3, 1, -1.0, 1.0), "epsilon": 1.0, "n_degrees": 1},
            seed=4,
        ),
    )


CASES = {"diss-5.1.36": trigonometry_mechanism}
SETTINGS = {"diss-5.1.36": settings}
LEFT_OUT = {"diss-5.1.36": {"loop": "over users, who are axis 0"}}
