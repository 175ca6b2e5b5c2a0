"""Calls written as they are made, kept as plain data."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

Arguments = dict[str, Any]


def arguments_of(function: Callable[..., Any], *arguments: Any, **options: Any) -> Arguments:
    """Return the arguments of a call by name, in the order of the function's signature.

    A list, such as a starting point, becomes an array.
    """
    named = inspect.signature(function).bind_partial(*arguments, **options).arguments
    return {
        name: np.array(value) if isinstance(value, list) else value for name, value in named.items()
    }


def steps_of(function: Callable[..., Any], *given: Any, **others: Any) -> Arguments:
    """Return the arguments of an iterative method, as :func:`arguments_of` does.

    ``given`` are the data, the loss and what else comes before the keywords; then the start, and
    the claim with its number of steps, ``(epsilon, delta, n_iterations)``.
    """
    *objects, start, (epsilon, delta, n_iterations) = given
    claim = {"epsilon": epsilon, "delta": delta, "n_iterations": n_iterations}
    return arguments_of(function, *objects, initial=start, **claim, **others)
