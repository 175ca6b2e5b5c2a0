"""The base of the constants of all algorithms, and the choice of a run's constants."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from reference._validation import ParameterTypeError, ParameterValueError, require_positive
from reference.privacy.ledger import Fixed, Ledger


@dataclass(frozen=True)
class PositiveConstants:
    """The numbers that theory fixes for a run of an algorithm: finite and > 0.

    An algorithm's own ``Constants`` derive from this one and say what they are; its
    ``constants_for`` computes the smallest noise that the accountant certifies. Other values may be
    given instead: the algorithm runs with them, and :meth:`reference.privacy.Ledger.spent` says
    what that costs. A sensitivity among them is the caller's promise about the others, such as a
    truncation or a batch size: the account rests on it.

    Raises
    ------
    ValueError, TypeError
        On a constant that is not a finite number > 0.
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            require_positive(field.name, getattr(self, field.name))


Own = TypeVar("Own", bound=PositiveConstants)


def fixed_constants(
    ledger: Ledger,
    kind: type[Own],
    given: object,
    function: Callable[..., object],
    /,
    *arguments: Any,
    **parameters: Any,
) -> Own:
    """Return the constants that are given, or those that theory fixes; the ledger notes them.

    Parameters
    ----------
    ledger : Ledger
        Of the run: a transcript says what theory fixed for it, and from what.
    kind : type
        The algorithm's own ``Constants``.
    given : Constants or None
    function : callable
        The algorithm's ``constants_for``, which is called if none are given.
    *arguments, **parameters
        Of ``function``.

    Raises
    ------
    ParameterTypeError
        If those that are given are not of the kind.
    """
    chosen = function(*arguments, **parameters) if given is None else given
    if not isinstance(chosen, kind):
        wanted = f"{kind.__module__}.{kind.__name__}"
        raise ParameterTypeError("constants", f"be a {wanted}", got=f"{type(chosen).__name__}")
    if given is not None:
        ledger.note(Fixed(None, {}, chosen))
    else:
        named = inspect.signature(function).bind(*arguments, **parameters).arguments
        ledger.note(Fixed(function, named, chosen))
    return chosen


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
