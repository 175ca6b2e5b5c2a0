"""Parts shared by the audits of DP-EM with truncated gradients, by Zhang and Zhang (2021)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import mpmath
import numpy as np

from auditor import (
    Data,
    Everything,
    ExactQuery,
    Form,
    Scaling,
    along,
    form,
    replace_record,
    scaled_claim,
)
from auditor.described.data.mixtures import ExactGradient, clip
from auditor.described.data.thresholding import exact_thresholding
from reference._validation import FloatArray
from reference.em.initialisation import start_near
from reference.em.models import LatentModel
from reference.privacy.ledger import Ledger, NoiselessLedger, Transcript

HUGE = 1e6
"""Size of a record far beyond every truncation."""

UNREACHED = 1e9
"""A truncation level that no record of the pairs reaches."""

LARGE_NOISE = 1e6
"""A standard deviation against which the entries of the iterates are negligible."""


def pair_of(
    record: Sequence[float], other: Sequence[float], rest: Sequence[float], n: int = 5
) -> tuple[FloatArray, FloatArray]:
    """Return n records, ``rest`` but for the first, and their neighbour."""
    data = np.tile(np.asarray(rest, dtype=np.float64), (n, 1))
    return replace_record(data, 0, np.array(record)), replace_record(data, 0, np.array(other))


def before(
    first: Sequence[float], pair: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the pair with a batch of as many records ``first`` before its own."""
    batch = np.tile(np.asarray(first, dtype=np.float64), (len(pair[0]), 1))
    return np.vstack([batch, pair[0]]), np.vstack([batch, pair[1]])


# ------------------------------------------------------------------- steps in real arithmetic


def _exact_step(data: Data, batch: slice, start: Any, bound: float, gradient: Any) -> list[Any]:
    """Return the clipped start plus the mean gradient of a batch."""
    beta = [clip(mpmath.mpf(float(v)), bound) for v in start]
    rows = [gradient(record, beta) for record in data[batch]]
    return [
        b + mpmath.fsum(column) / len(rows)
        for b, column in zip(beta, zip(*rows, strict=True), strict=True)
    ]


def _exact_sparse(
    gradient: ExactGradient, settings: dict[str, Any], bound: float, same_batch: bool
) -> ExactQuery:
    def half_step(data: Data, start: Sequence[Any], t: int) -> list[Any]:
        size = len(data) // settings["n_iterations"]
        first = 0 if same_batch else t * size
        return _exact_step(data, slice(first, first + size), start, bound, gradient)

    return exact_thresholding(settings["initial"], settings["sparsity"], half_step)


def _exact_dense(gradient: ExactGradient, settings: dict[str, Any], bound: float) -> ExactQuery:
    def exact_query(data: Data, transcript: Transcript, index: int) -> Any:
        start = settings["initial"] if index == 0 else transcript.releases[index - 1].output
        size = len(data) // settings["n_iterations"]
        batch = slice(index * size, (index + 1) * size)
        return _exact_step(data, batch, start, bound, gradient)

    return exact_query


# ------------------------------------------------------------------------------- the forms


def sparse_form(
    function: Callable[..., FloatArray],
    pair: tuple[Data, Data],
    *arguments: Any,
    gradient: ExactGradient,
    initial: Sequence[float],
    bound: float = np.inf,
    same_batch: bool = False,
    **options: Any,
) -> Form:
    """Return a form of an algorithm that releases by noisy hard thresholding.

    Parameters
    ----------
    gradient : callable
        One record's truncated gradient.
    bound : float
        To which the iterates are clipped.
    same_batch : bool
        Whether every iteration reads the first batch.
    **options : Any
        As for :func:`auditor.described.build.form`; by default s = 2 at (1, 0.01) in one iteration.
    """
    start = np.array(initial, dtype=np.float64)
    settings = {
        "initial": start, "epsilon": 1.0, "delta": 1e-2, "sparsity": 2, "n_iterations": 1, **options
    }  # fmt: skip
    exact = _exact_sparse(gradient, settings, bound, same_batch)
    settings |= {"domain": Everything((pair[0].shape[1],)), "exact_query": exact}
    if "no_black_box" in options:
        return form(function, pair, *arguments, **settings)
    everything = form(function, pair, *arguments, **{**settings, "sparsity": start.size})
    mine, theirs = (everything.run(data, NoiselessLedger()) for data in pair)

    def statistic(beta: FloatArray) -> float:
        """Log-likelihood ratio of the values, in units of b, plus a term for every pick.

        The ratio is flat outside the two values, so it has atoms; it is rounded, or else the
        low-order bits of a sum would tell the data sets apart.
        """
        chosen = beta != 0
        values = np.abs(beta - theirs) - np.abs(beta - mine)
        picks = 2 * (np.abs(mine) - np.abs(theirs))
        return round(float((values + picks)[chosen].sum()), 9)

    return form(function, pair, *arguments, statistic=statistic, **settings)


def dense_form(
    function: Callable[..., FloatArray],
    pair: tuple[Data, Data],
    *arguments: Any,
    gradient: ExactGradient,
    initial: Sequence[float],
    bound: float = np.inf,
    **options: Any,
) -> Form:
    """Return a form of an algorithm that releases by the Gaussian mechanism.

    Parameters as for :func:`sparse_form`.
    """
    start = np.array(initial, dtype=np.float64)
    settings = {"initial": start, "epsilon": 1.0, "delta": 1e-2, "n_iterations": 1, **options}
    exact = _exact_dense(gradient, settings, bound)
    settings |= {"domain": Everything((pair[0].shape[1],)), "exact_query": exact}
    if "no_black_box" in options:
        return form(function, pair, *arguments, **settings)
    quiet = form(function, pair, *arguments, **settings)
    mine, theirs = (quiet.run(data, NoiselessLedger()) for data in pair)
    # seen along the pair's difference
    along = mine - theirs
    return form(function, pair, *arguments, statistic=lambda beta: float(beta @ along), **settings)


def without_truncation(build: Callable[..., Form], level: float, power: int = 1) -> dict[str, Form]:
    """Return the mutant of a form whose truncation no record reaches.

    Its sensitivity is claimed to be that at ``level``, of which it is of order ``power``.
    """
    dropped = build(truncation_level=UNREACHED)
    return {"truncation dropped": scaled_claim(dropped, (level / UNREACHED) ** power)}


NO_REAL_DATA = "no data set of the paper; zhang-3 is run on real data"

# ----------------------------------------------------------------------------- the errors


def error_of(
    algorithm: Callable[..., FloatArray], model: LatentModel, **held: Any
) -> Callable[..., float]:
    """Return the l2 error of an algorithm for one model, whose noise is known.

    beta* has s (or d) equal entries and norm 1, and the start is R/2 away. N0, T and delta are
    held, so that the rates' logarithms of n are. One of ``factor`` records is read.
    """
    known = {"standard_deviation": model.standard_deviation, "delta": 1e-5, "n_iterations": 2}

    def error(
        rng: np.random.Generator,
        ledger: Ledger,
        *,
        n: float,
        d: float,
        s: float | None = None,
        factor: float = 1.0,
        **parameters: Any,
    ) -> float:
        size = int(d if s is None else s)
        truth = np.zeros(int(d))
        truth[:size] = 1 / np.sqrt(size)
        initial = start_near(model, truth, rng)
        data = model.sample(truth, int(n / factor), rng)
        parameters = known | parameters | ({} if s is None else {"sparsity": size})
        estimate = algorithm(data, initial=initial, ledger=ledger, **parameters)
        return float(np.linalg.norm(estimate - truth))

    return partial(error, **held)


def printed_weight(error: Callable[..., float], *, d: int, rate: str, erratum: str) -> Scaling:
    """Return the recipe that shows the floor which the printed weight of regressions leaves."""
    return along(
        "n",
        (20_000, 40_000, 80_000, 160_000),
        -0.5,
        name="n without privacy",
        error=error,
        d=d,
        epsilon=1e5,
        repetitions=16,
        claim=rate + ", statistical term (epsilon = 1e5), with the printed weight",
        erratum=erratum,
        form="printed",
    )
