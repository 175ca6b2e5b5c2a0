"""Broken twins of functions: the function itself, with one of its arguments misread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from auditor.conformance.compare import difference
from auditor.conformance.kinds import Case

Inputs = Mapping[str, Any]
COUNTS = ("n", "n_iterations", "dimension", "sparsity", "n_candidates", "degree", "rank", "count")
NUMBERS = ("epsilon", "delta", "size", "mu", "rho", "threshold", "radius", "scale", "penalty")


def misread(inputs: Inputs) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield what is misread, the kind of mistake, and the arguments that it makes."""
    for name in COUNTS:
        if isinstance(inputs.get(name), int) and inputs[name] > 1:
            flag = "divisor" if name == "n" else "index"
            yield f"{name} - 1 for {name}", flag, {**inputs, name: inputs[name] - 1}
    for name in NUMBERS:
        if isinstance(inputs.get(name), float):
            yield f"half of {name}", "formula", {**inputs, name: inputs[name] / 2}
    if "releases" in inputs:
        halved = [{**item, "sensitivity": item["sensitivity"] / 2} for item in inputs["releases"]]
        yield "the sensitivity to a record that is added", "divisor", {**inputs, "releases": halved}
    yield "single precision", "precision", _each(inputs, _single)
    for name, value in inputs.items():
        if isinstance(value, list):
            yield f"minus {name} for {name}", "sign", {**inputs, name: _each(value, _negated)}


def _each(value: Any, change: Callable[[float], float]) -> Any:
    """Return a value with all its doubles changed."""
    if isinstance(value, Mapping):
        return {key: _each(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_each(item, change) for item in value]
    return change(value) if isinstance(value, float) else value


def _single(number: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def _negated(number: float) -> float:
    return -number


def first_noticed(case: Case, function: Callable[[Inputs], Any]) -> list[dict[str, str]]:
    """Return the first misreading that a case tells apart, or none.

    Parameters
    ----------
    case : Case
    function : callable
        Of inputs as a case has them, to a result as it has it. What it refuses says nothing.
    """
    tolerance = case["tolerance"]["relative"]
    for name, flag, inputs in misread(case["inputs"]):
        try:
            with np.errstate(all="ignore"):
                result = function(inputs)
        except (ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError):
            continue
        if difference(case["result"], result, tolerance=tolerance) is not None:
            return [{"twin": name, "flag": flag}]
    return []
