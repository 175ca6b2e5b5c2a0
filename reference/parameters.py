"""Ranges of the numbers that algorithms take, one table for all, by name.

One name means the same everywhere. An algorithm that needs more of a number, such as no more
iterations than records, says so where it is needed. What is refused raises
:class:`ParameterError`, which has the name, what is legal and the value.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from reference._validation import (
    EPSILONS,
    MAGNITUDES,
    MOST_STEPS,
    SMALLEST_DELTA,
    ParameterError,
    ParameterValueError,
    require_count,
    require_real,
    require_wide,
)

__all__ = ["PARAMETERS", "Parameter", "ParameterError", "checked_arguments"]


@dataclass(frozen=True)
class Parameter:
    """A number that algorithms take.

    Attributes
    ----------
    name, meaning : str
    low, high : float
        What is legal lies between; ``high`` itself never is.
    closed : bool
        Whether ``low`` is legal.
    whole : bool
        Whether it is an integer.
    limits : (float, float)
        Between which it must be, both included, as doubles hold no more of what is computed.
    most_in_a_run : int, optional
        Upper limit for an algorithm that runs, in addition to one for its constants.
    worth_trying : tuple
        Some legal values.
    """

    name: str
    meaning: str
    low: float = 0.0
    high: float = math.inf
    closed: bool = False
    whole: bool = False
    limits: tuple[float, float] = MAGNITUDES
    most_in_a_run: int | None = None
    worth_trying: tuple[Any, ...] = ()

    @property
    def legal(self) -> str:
        """The range in words, without the limits of doubles."""
        if self.whole:
            return f"an integer >= {self.low:g}"
        if self.high < math.inf:
            return f"in {'[' if self.closed else '('}{self.low:g}, {self.high:g})"
        if self.low == -math.inf:
            return "a finite number"
        return f"a finite number {'>=' if self.closed else '>'} {self.low:g}"

    def is_legal(self, number: float) -> bool:
        """Return whether a number is in the range."""
        above = number >= self.low if self.closed or self.whole else number > self.low
        return above and number < self.high

    def check(self, value: Any, *, at_most: int | None = None) -> Any:
        """Return ``value`` as a plain float or int, or raise.

        Parameters
        ----------
        value : Any
        at_most : int, optional
            Upper limit on a whole number that follows from others.

        Raises
        ------
        ParameterError
            A ``ValueError`` or a ``TypeError`` as well.
        """
        require_wide(self.name, value)
        number: float
        if self.whole:
            number = require_count(self.name, value, at_least=int(self.low))
            require_count(self.name, number, at_least=int(self.low), at_most=at_most)
        else:
            number = require_real(self.name, value)
            if not self.is_legal(number):
                raise ParameterValueError(self.name, f"be {self.legal}", value)
        low, high = self.limits
        if not low <= number <= high:
            raise ParameterValueError(self.name, f"be from {low:g} to {high:g}", value)
        return number

    def illegal(self) -> Iterator[float]:
        """Yield numbers that must be refused: just outside the range, and what is none."""
        if self.whole:
            yield from (int(self.low) - 1, self.low + 0.5)
            return
        if math.isfinite(self.low):
            yield from (self.low - 1,) if self.closed else (self.low, self.low - 1)
        yield from (self.high, math.nan)


def _count(name: str, meaning: str, **more: Any) -> Parameter:
    return Parameter(name, meaning, 1.0, whole=True, **{"limits": (0, math.inf), **more})


def _steps(name: str, meaning: str, **more: Any) -> Parameter:
    return _count(name, meaning, most_in_a_run=MOST_STEPS, **more)


def _not_negative(name: str, meaning: str, **more: Any) -> Parameter:
    return Parameter(name, meaning, closed=True, limits=(0.0, MAGNITUDES[1]), **more)


PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        Parameter(
            "epsilon", "of the whole run", limits=EPSILONS, worth_trying=(0.01, 0.3, 5.0)
        ),
        Parameter(
            "delta", "of the whole run", high=1, limits=(SMALLEST_DELTA, 1),
            worth_trying=(1e-12, 1e-3),
        ),
        Parameter("failure_probability", "zeta, of a bound on the error", high=1, limits=(0, 1)),
        _count("n", "number of records", worth_trying=(2, 10_000)),
        _count("dimension", "d or p", worth_trying=(1, 1000)),
        _steps("n_iterations", "T, how often the loop runs", worth_trying=(1, 50)),
        _steps("n_epochs", "how often the outer of two loops runs"),
        _steps("n_inner", "how often the inner of two loops runs"),
        _count("batch_size", "records read in one iteration, drawn or one of T disjoint batches"),
        _count("n_blocks", "m, disjoint parts of the data, each estimated on"),
        _count("buffer_size", "records kept to be paired with the next one"),
        _count("n_components", "k, dimension of a subspace"),
        _count("sparsity", "s or k, how many coordinates are kept", worth_trying=(1,)),
        _count("n_degrees", "t, degrees 0 to t - 1 of a polynomial in each variable",
               worth_trying=(2, 7)),
        _count("degree", "of a polynomial"),
        _count("order", "h, how often a Bernstein polynomial is iterated"),
        _count("k", "how many attributes a query is about"),
        _count("n_vertices", "of a polytope"),
        _count("releases", "of one kind, in a whole run"),
        _count("trim", "m, records cut off at either end"),
        Parameter("accuracy", "alpha, what is asked of the result", worth_trying=(1e-3, 1e5)),
        Parameter("step_size", "eta or gamma"),
        Parameter("bound", "on the entries of a record"),
        Parameter("clipping_threshold", "C: vectors are scaled to this norm"),
        Parameter("truncation_level", "coordinates are cut at plus and minus this"),
        Parameter("truncation_scale", "s of the smoothed truncation"),
        Parameter("precision", "beta of the smoothed truncation"),
        Parameter("second_moment", "tau, a bound on E x^2"),
        Parameter("standard_deviation", "sigma of a statistical model; never of privacy noise"),
        Parameter("radius", "of a ball"),
        Parameter("diameter", "of a set"),
        Parameter("largest_label", "bound on labels"),
        Parameter("inverse_temperature", "of a Gibbs distribution"),
        Parameter("smoothing", "beta, by which a loss is smoothed"),
        Parameter("margin", "by which a chance is away from 0, 1/2 and 1", high=0.5,
                  limits=(0, 0.5)),
        Parameter("least_slope", "a, of a monotone function"),
        Parameter("largest_slope", "b, of a monotone function"),
        Parameter("sensitivity", "what one release claims, in the norm of its mechanism",
                  limits=(0.0, math.inf)),
        _not_negative("noise_bound", "C, on the noise of labels"),
        _not_negative("penalty", "lambda or rho, the weight of a norm"),
        _not_negative("strength", "of a regulariser"),
        _not_negative("strong_convexity", "of a loss", worth_trying=(0.0, 0.5)),
    )
}  # fmt: skip
"""Parameters by name."""

P = ParamSpec("P")
R = TypeVar("R")


def checked_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Make numbers that a function takes plain ones in their range, by their names.

    Of its arguments those that :data:`PARAMETERS` names; ``batch_size`` is at most ``n``. What is
    ``None`` by default may be ``None``.

    Raises
    ------
    ParameterError
        When the decorated function is called, before it runs.
    """
    parameters = inspect.signature(function).parameters
    optional = {name for name, given in parameters.items() if given.default is None}

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        given: dict[str, Any] = {**dict(zip(parameters, args, strict=False)), **kwargs}

        def plain(name: str, value: Any) -> Any:
            if name not in PARAMETERS or (value is None and name in optional):
                return value
            most = PARAMETERS[name].most_in_a_run if "ledger" in parameters else None
            at_most = given.get("n") if name == "batch_size" else most
            return PARAMETERS[name].check(value, at_most=at_most)

        # what cannot be bound to the parameters is left to the call of the function
        positional = [plain(name, value) for name, value in zip(parameters, args, strict=False)]
        named = {name: plain(name, value) for name, value in kwargs.items()}
        return function(*positional, *args[len(parameters) :], **named)  # type: ignore[arg-type]

    return checked
