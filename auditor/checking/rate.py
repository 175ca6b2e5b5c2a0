"""The scaling question for any error: whether it falls as fast as claimed."""

from __future__ import annotations

import inspect
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from auditor.checking.result import Pictured
from auditor.core.arguments import (
    require_callable,
    require_choice,
    require_confidence,
    require_items,
    require_number,
    require_seed,
    require_whole,
    shown,
)
from auditor.core.context import Context
from auditor.core.errors import InputError, one_line, pass_interrupts
from auditor.core.input_limits import MOST_ERRORS
from auditor.core.rates import Functional
from auditor.core.verdict import CheckStatus, jsonable
from auditor.runs.clock import Progress
from auditor.statistics.slopes import (
    fit_slope,
    least_repetitions,
    least_squares,
    p_values,
    slope_p_value,
    stages_needed,
)
from auditor.statistics.stages import FRESH, SCREEN, staged_p_value
from auditor.transcript.ledgers import live_ledger
from reference._validation import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ErrorFunction = Callable[..., float]

RESAMPLES, AT_ONCE = 200, 10**6
"""Resamples of the errors on which the power is estimated, and errors that are held at once."""
POWER = 0.8
"""Probability with which the shortfall that must be noticed has to be."""
SHORTFALLS = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0)
"""Shortfalls of which the smallest that would be noticed is named."""
LARGEST = 100
"""Largest exponent; powers of the values stay finite."""
GIVEN = ("rng", "ledger")
"""Arguments that an error may be given in addition to the value."""


@dataclass(frozen=True)
class ScalingResult(Pictured):
    """The answer of :func:`auditor.check_scaling`.

    Attributes
    ----------
    status : {"holds", "violated", "inconclusive"}
        ``"holds"``: nothing contradicts the claimed exponent, and an exponent ``notice`` short of
        it would have been noticed; ``"violated"``: the error falls slower (or grows faster);
        ``"inconclusive"``: neither, the summary says what would settle it.
    summary : str
        One sentence with the figures.
    along : str
        What varies.
    claim : float
        The exponent that is claimed.
    slope : float
        The fitted exponent.
    interval : (float, float)
        Exponents that are rejected from neither side, at 80%.
    p_value : float
        Of "the exponent is at most the claimed one".
    confidence : float
        Probability with which a true claim is not called violated.
    functional : {"median", "mean"}
        What of the error the claim is about.
    notice : float
        The shortfall that must be noticed: an exponent of ``claim + notice``.
    power : float
        Probability with which it would have been, estimated on resampled errors whose exponent is
        made ``claim + notice``.
    noticeable : float
        The smallest of 0.02, 0.05, 0.1, 0.2, 0.25, 0.5 and 1 that would be noticed with
        probability 0.8; infinity if none would.
    values : tuple of float
    lower_quartile, median, upper_quartile, mean : tuple of float
        Of the errors at each value, from the last draws.
    repetitions : int
        Errors at each value in the last draws.
    stages : int
        How often it was drawn afresh: once, but for means at a high confidence.
    seed : int
    findings : tuple of mappings
        Things worth knowing about the error, each with ``kind`` and ``statement``.
    """

    status: CheckStatus
    summary: str
    along: str
    claim: float
    slope: float
    interval: tuple[float, float]
    p_value: float
    confidence: float
    functional: Functional
    notice: float
    power: float
    noticeable: float
    values: tuple[float, ...]
    lower_quartile: tuple[float, ...]
    median: tuple[float, ...]
    upper_quartile: tuple[float, ...]
    mean: tuple[float, ...]
    repetitions: int
    stages: int
    seed: int
    findings: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types; infinities as strings."""
        plain: dict[str, Any] = jsonable(asdict(self))
        return plain

    def _figure(self) -> Figure:
        from auditor.figures import scaling_figure  # loads slowly

        rates = np.log(self.values)
        located = np.log(self.mean if self.functional == "mean" else self.median)
        steps = rates - rates.mean()
        return scaling_figure(
            {
                "name": self.along,
                "points": {
                    "value": self.values,
                    "median": self.median,
                    "lower_quartile": self.lower_quartile,
                    "upper_quartile": self.upper_quartile,
                },
                "slope": self.slope,
                "slope_interval": self.interval,
                "claimed_slope": self.claim,
                "fitted_line": np.exp(located.mean() + self.slope * steps),
                "claimed_line": np.exp(located.mean() + self.claim * steps),
            }
        )


def check_scaling(
    error: ErrorFunction,
    *,
    along: str,
    values: Sequence[float],
    claim: float,
    functional: Functional = "median",
    repetitions: int = 400,
    notice: float = 0.25,
    confidence: float = 0.99,
    seed: int = 0,
    progress: Progress | None = None,
) -> ScalingResult:
    """Try to refute that an error falls as fast as claimed.

    The claim is that the median of the error is C value^s with some C and an exponent s of at most
    the claimed one. What can contradict it is how the error changes between the values: that the
    median of error/value^claim rises. ``docs/measured/scaling.md`` says what is tested, and how
    well.

    Parameters
    ----------
    error : callable
        ``error(rng, value)`` returns one error, a number > 0, on data and with noise drawn from
        ``rng``, a :class:`numpy.random.Generator`. One with an argument ``ledger`` is called as
        ``error(rng, ledger, value)``: the ledger draws from the same ``rng``, for code that
        releases through one, or that :func:`auditor.instrument` makes do so.
    along : str
        What varies, e.g. ``"n"``.
    values : sequence of float
        At least four values of it, > 0 and increasing.
    claim : float
        The exponent: -0.5 says that the error falls like 1/sqrt(n). It may fall faster.
    functional : {"median", "mean"}
        What of the error the claim is about. The test of medians is exact; that of means is not,
        and tests again on fresh draws where 1 - confidence is below 0.01.
    repetitions : int
        Errors at each value.
    notice : float
        > 0. "holds" only if an exponent this much short of the claim would have been noticed.
    confidence : float
        In [0.5, 1): probability with which a true claim is not called violated.
    seed : int
        The same seed gives the same answer.
    progress : callable, optional
        ``progress(what, done, total)`` is called now and then.

    Returns
    -------
    ScalingResult

    Raises
    ------
    InputError
        One line, for input that makes no sense and errors that cannot be computed, or are no
        numbers > 0.

    Examples
    --------
    >>> def error(rng, n):
    ...     return abs(rng.normal(size=n).mean())
    >>> found = check_scaling(error, along="n", values=[100, 200, 400, 800], claim=-0.5)
    >>> found.status
    'holds'
    >>> check_scaling(error, along="n", values=[100, 200, 400, 800], claim=-1).status
    'violated'
    """
    grid, alpha = _grid(values), require_confidence(confidence)
    _require_numbers(claim, notice, functional, seed)
    if not isinstance(along, str):
        raise InputError(f"along must be the name of what varies, got {shown(along)}")
    require_callable("progress", progress, "progress(what, done, total)")
    call = _call(error)
    scaling = _Scaling(along, grid, float(claim), functional)
    stages = stages_needed(functional, alpha)
    least = max(2, least_repetitions(grid.size, max(alpha, SCREEN) if stages > 1 else alpha))
    why = (
        f" ({least} is the fewest with which {grid.size} values can refute a claim at confidence "
        f"{confidence:g})"
    )
    repetitions = require_whole("repetitions", repetitions, least, MOST_ERRORS, why=why)
    context = Context(seed=seed).at("check_scaling", along)
    drawn: list[FloatArray] = []

    def stage_p_values() -> Iterator[float]:
        for stage in range(stages):
            number = repetitions if stage == 0 else FRESH * repetitions
            sequence = context.at(str(stage)).seed_sequence()
            drawn.append(_measure(call, scaling, number, sequence, progress))
            yield slope_p_value(grid, drawn[-1], claim, functional)

    p_value = staged_p_value(stage_p_values())
    errors, first = drawn[-1], drawn[0]
    # what the screen would notice; the confirmations have more draws
    level = alpha if stages == 1 else SCREEN

    def power(short: float) -> float:
        return _power(first, claim + short, scaling, level, context.at("power"))

    seen = power(notice)
    fit = fit_slope(grid, errors, functional)
    status: CheckStatus = "violated" if p_value <= alpha else "holds"
    copies = bool((np.ptp(first, axis=1) == 0).all())
    if copies or (status == "holds" and seen < POWER):
        status = "inconclusive"
    place = bisect_left(SHORTFALLS, True, key=lambda short: power(short) >= POWER)
    noticeable = (*SHORTFALLS, math.inf)[place]
    quartiles = np.quantile(errors, [0.25, 0.5, 0.75], axis=1)
    sentence = (
        f"in {along} the {functional} error has exponent {fit.slope:.3f} "
        f"[{fit.interval[0]:.3f}, {fit.interval[1]:.3f}], claimed at most {claim:g} (p = "
        f"{p_value:.2g}, {errors.shape[1]} errors at each of {grid.size} values); an exponent "
        f"{notice:g} short would be noticed with probability {seen:.2f}"
    )
    if copies:
        sentence = (
            "every repetition gives the same errors, so they are copies of one and no sample: draw "
            "data and noise from the rng that is given"
        )
    elif status == "inconclusive":
        sentence += "; more repetitions or a wider grid would settle it"
    return ScalingResult(
        status=status,
        summary=sentence,
        along=along,
        claim=scaling.claim,
        slope=fit.slope,
        interval=fit.interval,
        p_value=p_value,
        confidence=float(confidence),
        functional=functional,
        notice=float(notice),
        power=seen,
        noticeable=noticeable,
        values=tuple(map(float, grid)),
        lower_quartile=tuple(quartiles[0].tolist()),
        median=tuple(quartiles[1].tolist()),
        upper_quartile=tuple(quartiles[2].tolist()),
        mean=tuple(errors.mean(axis=1).tolist()),
        repetitions=errors.shape[1],
        stages=len(drawn),
        seed=int(seed),
        findings=_not_repeated(call, scaling, first, context),
    )


@dataclass(frozen=True)
class _Scaling:
    """The claimed rate of errors, and the values at which they are measured."""

    along: str
    values: FloatArray
    claim: float
    functional: Functional


# ------------------------------------------------------------------------------ the twin


def _power(
    errors: FloatArray, exponent: float, claimed: _Scaling, level: float, context: Context
) -> float:
    """Return how often resampled errors of an exponent are refused.

    The errors are made to have the exponent by factors value^(exponent - fitted), so they keep
    their shape and spread; the refusals are counted over resamples of each value's own.
    """
    values, functional = claimed.values, claimed.functional
    fitted = least_squares(values, errors, functional)[0]
    twin = errors * (values[:, None] / values[0]) ** (exponent - fitted)
    k, repetitions = errors.shape
    rng, at_once = context.rng(), max(1, AT_ONCE // errors.size)
    refused = 0
    for start in range(0, RESAMPLES, at_once):
        size = (min(at_once, RESAMPLES - start), k, repetitions)
        resampled = twin[np.arange(k)[:, None], rng.integers(repetitions, size=size)]
        refused += int((p_values(values, resampled, claimed.claim, functional) <= level).sum())
    return refused / RESAMPLES


# ---------------------------------------------------------------------------- the errors


def _call(error: ErrorFunction) -> Callable[[np.random.Generator, float], Any]:
    """Return how an error is called with a generator and a value.

    Raises
    ------
    InputError
        If it is no callable, or does not begin with what it is given.
    """
    if not callable(error):
        raise InputError(f"error must be callable, error(rng, value), got {shown(error)}")
    try:
        parameters = list(inspect.signature(error).parameters)
    except (TypeError, ValueError):
        raise InputError("the arguments of error cannot be inspected; wrap it") from None
    if parameters[:1] == ["ledger"] or any(name in GIVEN for name in parameters[2:]):
        raise InputError(f"error takes ({', '.join(parameters)}); make it (rng, ledger, value)")
    if any(name in GIVEN for name in parameters[1:2]) and parameters[0] not in GIVEN:
        raise InputError(
            f"error takes ({', '.join(parameters)}), but is called with the generator first: make "
            f"it ({parameters[1]}, {parameters[0]})"
        )
    if parameters[1:2] == ["ledger"]:
        return lambda rng, value: error(rng, live_ledger(rng), value)
    return lambda rng, value: error(rng, value)


def _measure(
    call: Callable[[np.random.Generator, float], Any],
    scaling: _Scaling,
    repetitions: int,
    sequence: np.random.SeedSequence,
    progress: Progress | None,
) -> FloatArray:
    """Return errors of shape (values, repetitions); each has a seed of its own."""
    along, values, k = scaling.along, scaling.values, scaling.values.size
    errors = np.empty(k * repetitions)
    plain = [int(value) if float(value).is_integer() else float(value) for value in values]
    for run, seed in enumerate(sequence.spawn(errors.size)):
        value = plain[run % k]
        try:
            errors[run] = _number(call(np.random.default_rng(seed), value), along, value)
        except InputError:
            raise
        except BaseException as failure:
            pass_interrupts(failure)
            raise InputError(
                f"error failed at {along} = {value:g} with {one_line(failure)}"
            ) from failure
        if progress is not None and run % k == 0:
            progress("errors", run, errors.size)
    return errors.reshape(-1, k).T


def _not_repeated(
    call: Callable[[np.random.Generator, float], Any],
    scaling: _Scaling,
    errors: FloatArray,
    context: Context,
) -> tuple[Mapping[str, Any], ...]:
    """Return a finding if the first error is another one when it is computed again."""
    first = replace(scaling, values=scaling.values[:1])
    again = _measure(call, first, 1, context.at("0").seed_sequence(), None)
    if again[0, 0] == errors[0, 0]:
        return ()
    statement = (
        "the same generator gave another error: noise is drawn elsewhere, so the same seed may "
        "give another answer"
    )
    return ({"kind": "not reproducible", "statement": statement},)


def _number(found: Any, along: str, value: float) -> float:
    """Return one error, or raise InputError unless it is a finite number > 0."""
    if np.ndim(found) != 0 or isinstance(found, (str, bytes, bool)) or found is None:
        raise InputError(f"error must return one number, got {shown(found)} at {along} = {value:g}")
    number = float(found)
    if not (math.isfinite(number) and number > 0):
        raise InputError(
            f"an error must be a finite number > 0, got {number!r} at {along} = {value:g}; an "
            "error that may be 0 has no exponent: measure what is away from 0, such as a mean of "
            "several"
        )
    return number


# --------------------------------------------------------------------------- the question


MOST_VALUES = 10_000
"""Points of a scaling; every one of them takes at least a hundred runs."""


def _grid(values: Sequence[float]) -> FloatArray:
    """Return values as an array; raise InputError unless they are four or more, and increase."""
    items = require_items(
        "values", values, MOST_VALUES, words=f"numbers, 4 to {MOST_VALUES} of them"
    )
    try:
        grid = np.asarray(items, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"values must be numbers, got {shown(values)}") from None
    if grid.ndim != 1 or grid.size < 4:
        raise InputError(f"values must be at least four numbers, got {shown(values)}")
    if not (np.isfinite(grid).all() and grid[0] > 0 and (np.diff(grid) > 0).all()):
        raise InputError(f"values must be finite, > 0 and increasing, got {shown(values)}")
    return grid


def _require_numbers(claim: float, notice: float, functional: str, seed: int) -> None:
    require_number("claim", claim, -LARGEST, LARGEST, words="an exponent ")
    require_number("notice", notice, 0, LARGEST, ends="(]", words="an exponent ")
    require_choice("functional", functional, get_args(Functional), optional=False)
    require_seed(seed)
