"""Parts shared by the audits of Algorithms 5.1.33 and 5.1.34."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from auditor import BlackBox, Data, Everything, Form, Product, Scaling, along, form, noise_slope
from auditor.described.data.vectors import one_record
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball
from reference.local.hinge_loss import send_copies
from reference.local.noisy_copies import (
    Constants,
    NoisyCopies,
    bernstein_estimate,
    bernstein_weights,
    nodes,
    records_of,
    smoothed_step,
)
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

RIGHT: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2}
LARGE: dict[str, Any] = {"epsilon": 16.0, "delta": 1e-2}
"""Parameters for which the printed noise is too small: delta(16) is .15."""
DEGREE, SMOOTHING = 2, 0.25
POSITIVE = 0.75
"""Share of labels 1 in the recipe along n."""
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


def bernstein_polynomial(values: FloatArray, argument: Polynomial) -> Polynomial:
    """Return the Bernstein polynomial of values at j/d, at a polynomial of the margin."""
    total, degree = Polynomial([0.0]), len(values) - 1
    for j, weight in enumerate(bernstein_weights(values)):
        total = total + weight * argument**j * (1 - argument) ** (degree - j)
    return total


def excess_risk(
    rng: np.random.Generator,
    ledger: Ledger,
    n: float,
    *,
    algorithm: Callable[..., FloatArray],
    slope: Polynomial,
    positive: float,
) -> float:
    """Return L(w_n) - min L of n users with x = 1, y = 1 (a share of them) or -1, C = [-1, 1].

    L is the mean of the convex polynomial of the margin with this slope, which is what the
    algorithm's gradients estimate without bias.
    """
    labels = np.where(rng.random(int(n)) < positive, 1.0, -1.0)
    w = algorithm((np.ones((labels.size, 1)), labels), ledger=ledger)
    points, share = np.append(w, np.linspace(-1, 1, 2001)), float((labels > 0).mean())
    value = slope.integ()
    risks = share * value(points) + (1 - share) * value(-points)
    return float(risks[0] - risks.min())


def along_n(
    algorithm: Callable[..., FloatArray],
    *arguments: Any,
    noise: float,
    deviation: float,
    slope: Polynomial,
) -> Scaling:
    """Return the recipe along n at a noise far below what any budget asks for.

    Three of four labels are 1. ``deviation`` is sigma: for |w| <= 1 a gradient's root mean square
    is at most that, which the tests of this module hold. The bound on it that the algorithms
    compute for themselves is some times as large, and a method that is told so steps so little
    that for the first n it has hardly left its start, 0: its error falls more slowly than the
    claim while sigma R/sqrt n is larger than L(0) - min L, where the claim says nothing. So the
    grid starts where sigma R/sqrt n is smaller than that.

    The twin's noise is n/100 times the recipe's: against a step made for the first noise, no less
    shows.
    """
    degree = slope.degree()
    constants = Constants(noise, noise, deviation)

    def run(data: Data, ledger: Ledger) -> FloatArray:
        return algorithm(
            data,
            *arguments,
            L2Ball(1.0),
            smoothing=SMOOTHING,
            degree=degree,
            constants=constants,
            ledger=ledger,
            **RIGHT,
        )

    return along(
        "n",
        (100, 300, 900, 2700),
        -0.5,
        name=f"n at noise {noise:g}",
        error=partial(excess_risk, algorithm=run, slope=slope, positive=POSITIVE),
        repetitions=10,
        claim="Lemma 5.1.5 (corrected): E L(w_n) - min L = O(sigma R/sqrt n), at a noise far below "
        "the budget's",
        inflation=1.0,
        expensive=True,
    )


def of_a_gradient(constants_for: Callable[..., Constants]) -> tuple[Scaling, Scaling]:
    """Return the recipes along p and epsilon of a gradient's size at the budget's noise."""
    claim = "Theorem 5.1.7 (corrected): the deviation of G is O(sqrt p/epsilon^(2d+2)), d = 2"
    epsilons = (0.25, 0.5, 1.0, 2.0)
    size = partial(
        along, error=gradient_size, claim=claim, constants_for=constants_for, repetitions=100
    )
    return (
        size("p", (16, 64, 256, 1024), 0.5),
        size("epsilon", epsilons, noise_slope(epsilons, 1e-5, 2.0 * DEGREE + 2)),
    )
