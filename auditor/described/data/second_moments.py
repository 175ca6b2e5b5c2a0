"""Pairs, messages and populations that the cases of chapter 6 of Wang (2020) share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from auditor import (
    BlackBox,
    Data,
    Everything,
    Form,
    Model,
    RealData,
    Trivial,
    form,
    real_data,
    replace_record,
)
from auditor.described.data import fair
from auditor.described.data.vectors import one_record, relative_distance
from reference._validation import FloatArray
from reference.matrices import local_gaussian_pca, sparse_covariance
from reference.matrices.graphical_lasso import PrecisionMinimum, graphical_lasso
from reference.matrices.second_moments import second_moment
from reference.privacy.ledger import Ledger

SURVEY = "fair (statsmodels), eight columns"
GUESSING = "at odds of e^epsilon too many runs are needed; the message's exact loss is sampled"
"""Why a printed local form has no black box."""
Noise = local_gaussian_pca.Constants | sparse_covariance.Constants
"""The constants of the noise in users' messages."""
RIGHT: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2}


def axes(n: int = 2, length: float = 1.0) -> tuple[Data, Data]:
    """Return n users in the plane; e_1 against e_2 moves the upper triangle by sqrt 2."""
    return one_record(n, [length, 0.0], [0.0, length])


def with_message_box(made: Form, messages: Callable[[Data, Ledger], FloatArray]) -> Form:
    """Return a local form whose black box sees the message of a single user, e_1 or e_2."""

    def message(data: Data, ledger: Ledger) -> FloatArray:
        return np.asarray(messages(data, ledger)[0])

    def statistic(message: FloatArray) -> float:
        """Log-likelihood ratio of the two messages, times the variance of the noise."""
        return float(message[0, 0] - message[1, 1])

    return replace(made, black_box=BlackBox(message, made.claim, axes(1), statistic))


def local_form(function: Any, *, length: float = 1.0, **options: Any) -> Form:
    """Return a form on two users in the plane."""
    domain = Everything((2,))
    return form(function, axes(length=length), **options, model=Model.LOCAL, domain=domain)


def form_of_messages(function: Any, **options: Any) -> Form:
    """Return :func:`local_form` at :data:`RIGHT`, whose black box sees a single user's message."""
    noise = options.get("constants")

    def messages(data: Data, ledger: Ledger) -> FloatArray:
        return local_gaussian_pca.randomize_second_moments(
            data, constants=noise, ledger=ledger, **RIGHT
        )

    return with_message_box(local_form(function, **options, **RIGHT), messages)


def uncut_messages(data: FloatArray, noise: Noise, ledger: Ledger) -> FloatArray:
    """Return the mean of messages of users who do not scale their records down: a mutant."""
    messages = ledger.symmetric_gaussian(
        data[:, :, None] * data[:, None],
        sensitivity=noise.sensitivity,
        scale=noise.noise_scale,
        unit="record",
    )
    mean: FloatArray = messages.mean(axis=0)
    return mean


def off_by_root_2(
    build: Callable[..., Form], printed: Any, erratum: str, why: str = GUESSING
) -> dict[str, Form]:
    """Return the two printed forms of a Gaussian noise for sensitivity 1 where it is sqrt 2.

    The accountant, told sensitivity 1, finds delta(4) = .0021 < .01; it is .0475. And for "any
    epsilon" the classical constant fails even with sensitivity 1. ``why`` there is no black box.
    """
    seen = ("sensitivity", "privacy_loss")
    return {
        name: build(
            printed,
            epsilon=epsilon,
            delta=1e-2,
            no_black_box=why,
            violates=dict.fromkeys(questions, erratum),
        )
        for name, epsilon, questions in (
            ("printed", 4.0, seen),
            ("printed-epsilon-10", 10.0, ("accounting", *seen)),
        )
    }


def mean_of_messages(data: FloatArray, noise: Noise, ledger: Ledger) -> FloatArray:
    """Release the server's mean of n messages in one go.

    It is S plus one symmetric Gaussian of scale sigma/sqrt n: the law of Algorithm 6.1.46's.
    """
    root = math.sqrt(len(data))
    return ledger.symmetric_gaussian(
        second_moment(data),
        sensitivity=noise.sensitivity / root,
        scale=noise.noise_scale / root,
        diagonal_variance=noise.diagonal_variance,
    )


def block_sphere(n: int, p: int, k: int, rng: np.random.Generator) -> FloatArray:
    """Draw x = (sqrt .8 u, sqrt .2 w), u and w uniform on the spheres of R^k and R^(p-k).

    ||x|| = 1, the first k coordinates are the top-k eigenspace, and both blocks have one
    eigenvalue each: .8/k and .2/(p - k).
    """
    blocks = []
    for share, size in ((0.8, k), (0.2, p - k)):
        directions = rng.standard_normal((n, size))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        blocks.append(math.sqrt(share) * directions)
    return np.hstack(blocks)


def sparse_spike(n: int, p: int, s: int, rng: np.random.Generator) -> FloatArray:
    """Draw x = sqrt .9 u v + sqrt .1 w: v that of :func:`spike`, u = +-1, w uniform orthogonal.

    ||x|| = 1 and the eigenvalues are .9, for v, and p - 1 times .1/(p - 1).
    """
    v = spike(p, s)[:, 0]
    w = rng.standard_normal((n, p))
    w -= np.outer(w @ v, v)
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    return math.sqrt(0.9) * rng.choice([-1.0, 1.0], (n, 1)) * v + math.sqrt(0.1) * w


def spike(p: int, s: int) -> FloatArray:
    """Return a unit vector on the first s (even) of p coordinates, as a basis: 1, 2, 1, 2, ...

    A penalty lambda turns it by ||v||_1 times the part of sign(v) that is orthogonal to it, times
    lambda/gap: s lambda/gap up to a constant, which is what the theorem allows. A flat one would
    not be turned.
    """
    v = np.zeros((p, 1))
    v[:s:2], v[1:s:2] = 1.0, 2.0
    return v / math.sqrt(2.5 * s)


def correlated(n: int, d: int, rng: np.random.Generator) -> FloatArray:
    """Draw d independent normal variables, the second of which is added to the first."""
    data = rng.standard_normal((n, d))
    data[:, 0] += data[:, 1]
    return data


def survey() -> FloatArray:
    """Return the survey's explanatory columns, rows inside the unit ball."""
    columns = fair.explanatory()
    return columns / math.sqrt(columns.shape[1])


def as_guessed(
    estimate: Callable[[FloatArray], FloatArray], columns: int, *, beaten_at: float
) -> Trivial:
    """Return what is estimated from a guess: columns independent and uniform on their ranges.

    Of :func:`survey`, [-1, 1]/sqrt p each: the second moment is I/(3 p). The zero matrix would be
    easier to beat, with a relative error of 1.

    Parameters
    ----------
    estimate : callable
        Maps a second moment to what is compared.
    columns : int
        p.
    beaten_at : float
    """
    guess = estimate(np.eye(columns) / (3 * columns))
    return Trivial(
        "independent uniform columns",
        lambda baseline: relative_distance(guess, baseline),
        beaten_at,
    )


def corner(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    """Replace a random row by a random corner of the cube."""
    index, width = int(rng.integers(len(data))), data.shape[1]
    return replace_record(data, index, rng.choice([-1.0, 1.0], width) / math.sqrt(width)), index


def precision_on_survey(
    function: Callable[..., PrecisionMinimum],
    *,
    epsilons: Sequence[float],
    beaten_at: float,
    penalty: float = 0.01,
    **options: Any,
) -> RealData:
    """Return the audit of a precision matrix on :func:`survey`, compared with a guess."""

    def lasso(moment: FloatArray) -> FloatArray:
        return graphical_lasso(moment, penalty=penalty).theta

    def error(found: PrecisionMinimum, best: FloatArray) -> float:
        return relative_distance(found.theta, best)

    return real_data(
        function,
        penalty=penalty,
        name=SURVEY,
        load=survey,
        neighbour=corner,
        baseline=lambda data: lasso(second_moment(data)),
        error=error,
        epsilons=epsilons,
        metric="relative error of the precision matrix, Frobenius",
        trivial=as_guessed(lasso, len(fair.RANGES), beaten_at=beaten_at),
        **options,
    )


def tilt(found: PrecisionMinimum) -> float:
    """Return S~_11 - S~_22 by a graphical lasso: its inverse has the diagonal of S~ + rho I."""
    first, second = np.diag(np.linalg.inv(found.theta))[:2]
    return float(first - second)


def error_of_precision(
    function: Callable[..., PrecisionMinimum], data: FloatArray, ledger: Ledger, **claim: float
) -> float:
    """Return the error of one run at penalty .1, over the maximum in the theorems."""
    found = function(data, penalty=0.1, ledger=ledger, **claim).theta
    return distance_over_bound(found, graphical_lasso(second_moment(data), penalty=0.1).theta)


def distance_over_bound(private: FloatArray, best: FloatArray) -> float:
    """Return ||Theta_hat - Theta*||_F / max(||Theta*||_2^2, ||Theta_hat||_2^2).

    At most ||N||_F, by Theorem 6.3.3.
    """
    largest = max(float(np.linalg.norm(theta, 2)) for theta in (private, best))
    return float(np.linalg.norm(private - best)) / largest**2
