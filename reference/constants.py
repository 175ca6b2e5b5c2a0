"""What the constants of all algorithms have in common."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from reference._validation import (
    ParameterTypeError,
    ParameterValueError,
    require_count,
    require_delta,
    require_epsilon,
    require_in_interval,
    require_magnitude,
    require_positive,
)

COUNTS = (
    "n",
    "dimension",
    "n_iterations",
    "n_epochs",
    "n_inner",
    "n_vertices",
    "n_degrees",
    "batch_size",
    "sparsity",
    "releases",
)
"""Names of arguments that are integers >= 1, as in the table of CONTRIBUTING.md."""
MAGNITUDES = (
    "accuracy",
    "bound",
    "clipping_threshold",
    "diameter",
    "inverse_temperature",
    "largest_label",
    "penalty",
    "radius",
    "second_moment",
    "step_size",
    "truncation_level",
    "truncation_scale",
)
"""Names of arguments with a unit, in :data:`reference._validation.MAGNITUDES`."""


@dataclass(frozen=True)
class PositiveConstants:
    """What theory fixes for a run of an algorithm: finite numbers > 0.

    An algorithm's own ``Constants`` derive from this one and say what they are; its
    ``constants_for`` computes the smallest noise that the accountant certifies. Other values may be
    given instead: the algorithm runs with them, and :meth:`reference.privacy.Ledger.spent` says
    what that costs.

    Raises
    ------
    ValueError, TypeError
        On a constant that is not a finite number > 0.
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            require_positive(field.name, getattr(self, field.name))


P = ParamSpec("P")
R = TypeVar("R")


def checked_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Check the arguments of a ``constants_for`` by their names before it runs.

    Those of :data:`COUNTS` and :data:`MAGNITUDES`, epsilon, delta and probabilities of failure;
    ``batch_size`` is at most ``n``. What is ``None`` by default may be ``None``.

    Raises
    ------
    ValueError, TypeError
        When the decorated function is called: as :mod:`reference._validation` does.
    """
    parameters = inspect.signature(function).parameters
    optional = {name for name, given in parameters.items() if given.default is None}

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        # what cannot be bound to the parameters is left to the call of the function
        given: dict[str, Any] = dict(zip(parameters, args, strict=False)) | kwargs
        for name, value in given.items():
            if value is None and name in optional:
                continue
            if name in COUNTS:
                require_count(name, value, at_most=given.get("n") if name == "batch_size" else None)
            elif name in MAGNITUDES:
                require_magnitude(name, value)
            elif name == "epsilon":
                require_epsilon(value)
            elif name == "delta":
                require_delta(value)
            elif name == "failure_probability":
                require_in_interval(name, value, 0, 1)
        return function(*args, **kwargs)

    return checked


Own = TypeVar("Own", bound=PositiveConstants)


def require_constants(kind: type[Own], constants: object) -> Own:
    """Return ``constants``, or raise TypeError if they are not of an algorithm's own kind."""
    if not isinstance(constants, kind):
        wanted = f"{kind.__module__}.{kind.__name__}"
        raise ParameterTypeError("constants", f"be a {wanted}", got=f"{type(constants).__name__}")
    return constants


def require_constant(name: str, value: float, low: float, high: float, *, arguments: str) -> None:
    """Raise ValueError unless one constant is in its range; blame the arguments that set it.

    Parameters
    ----------
    name : str
        Of the constant, which the caller may not have given.
    value, low, high : float
    arguments : str
        Names of the arguments that it follows from.
    """
    if not low <= value <= high:
        raise ParameterValueError(
            arguments, f"make constants.{name} a number from {low:g} to {high:g}, not {value:g}"
        )


def with_constants(
    function: Callable[..., Any], constants: Callable[..., Any]
) -> Callable[..., Any]:
    """Return an algorithm that runs with other constants than its own: a printed form.

    Parameters
    ----------
    function : callable
        The algorithm.
    constants : callable
        Called as the algorithm is, but for ``ledger``; returns its ``Constants``. Its docstring is
        that of the form.
    """

    def form(*arguments: Any, ledger: Any = None, **parameters: Any) -> Any:
        chosen = constants(*arguments, **parameters)
        return function(*arguments, **parameters, constants=chosen, ledger=ledger)

    form.__doc__ = constants.__doc__
    return form
