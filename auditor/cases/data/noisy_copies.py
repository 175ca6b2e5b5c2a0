"""What the audits of Algorithms 5.1.33 and 5.1.34 share: forms, a mutant, gradients' sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from auditor.cases.build import form
from auditor.cases.data.vectors import one_record
from auditor.core.case import BlackBox, Data, Form
from auditor.core.neighbours import Everything, Product
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball
from reference.local.noisy_copies import (
    Constants,
    NoisyCopies,
    bernstein_estimate,
    bernstein_weights,
    nodes,
    records_of,
    send_copies,
    smoothed_step,
)
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

RIGHT: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2}
LARGE: dict[str, Any] = {"epsilon": 16.0, "delta": 1e-2}
"""Where the printed noise is too small: delta(16) is .15."""
DEGREE, SMOOTHING = 2, 0.25
GUESSING = "at odds of e^epsilon too many runs are needed; the messages' exact loss is sampled"


def worst_pair(n: int, length: float = 1.0) -> tuple[Data, Data]:
    """Return neighbours of n users, all (0, 0) but the first: length (e_1, 1) or its negative."""
    features = one_record(n, [length, 0.0], [-length, 0.0])
    labels = one_record(n, length, -length)
    return (features[0], labels[0]), (features[1], labels[1])


def copies_form(function: Any, *arguments: Any, length: float = 1.0, **options: Any) -> Form:
    """Return a form of three users in the plane."""
    return form(
        function,
        worst_pair(3, length),
        *arguments,
        L2Ball(1.0),
        smoothing=SMOOTHING,
        degree=DEGREE,
        model=Model.LOCAL,
        domain=Product((Everything((2,)), Everything(()))),
        **options,
    )


def with_messages(made: Form, constants: Constants) -> Form:
    """Return the form with a black box that sees the messages of a single user."""

    def messages(data: Data, ledger: Ledger) -> NoisyCopies:
        return send_copies(records_of(data), degree=DEGREE, constants=constants, ledger=ledger)

    def statistic(copies: NoisyCopies) -> float:
        """Half the log-likelihood ratio: the sum of x_1 + y over the slots' variances."""
        pair = copies.pair[0, 0] + copies.pair[0, -1]
        factors = (copies.factors[0, ..., 0] + copies.factors[0, ..., -1]).sum()
        return float(
            pair / constants.pair_noise_scale**2 + factors / constants.factor_noise_scale**2
        )

    return replace(made, black_box=BlackBox(messages, made.claim, worst_pair(1), statistic))


def unclipped(constants: Constants) -> Callable[..., FloatArray]:
    """Return the users' side on records of any size: what the server does adds nothing."""

    def run(data: Data, *_: Any, degree: int, ledger: Ledger, **parameters: Any) -> FloatArray:
        records = np.hstack([data[0], data[1][:, None]])
        return send_copies(records, degree=degree, constants=constants, ledger=ledger).pair

    return run


def gradient_size(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    constants_for: Callable[..., Constants],
    p: float = 16,
    epsilon: float = 1.0,
    delta: float = 1e-5,
) -> float:
    """Return ||G(w)||_2 of one user's messages, x = e_1, y = 1, at a random w of norm 1."""
    dimension = int(p)
    constants = constants_for(dimension=dimension, epsilon=epsilon, delta=delta, degree=DEGREE)
    features, w = np.eye(1, dimension), rng.standard_normal(dimension)
    copies = send_copies(
        records_of((features, np.ones(1))), degree=DEGREE, constants=constants, ledger=ledger
    )
    weights = bernstein_weights(smoothed_step(nodes(DEGREE), SMOOTHING))
    arguments = (1 + copies.margins(0, w / np.linalg.norm(w))) / 2
    return float(np.linalg.norm(copies.gradient(0, bernstein_estimate(arguments, weights))))


def margins_of_both_signs(rng: np.random.Generator, n: int) -> tuple[Mapping[str, Any], float]:
    """Return n users with y x = 1, three quarters of them, or -1, and the first ones' share."""
    signs = np.where(rng.random(n) < 0.75, 1.0, -1.0)
    return {"data": (signs[:, None], np.ones(n))}, float((signs > 0).mean())
