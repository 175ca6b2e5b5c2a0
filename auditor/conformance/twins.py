"""Broken twins that every algorithm has: other noise, other draws, single precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from auditor.conformance.compare import difference
from auditor.conformance.record import draws_of, replayed
from auditor.core.setting import Algorithm

HALVED, FLOAT32, REVERSED = "noise halved", "single precision", "draws in reverse order"
GENERAL: dict[str, str] = {HALVED: "noise", FLOAT32: "precision", REVERSED: "draws"}
"""Twins of every algorithm, and their flags."""

NOT_ADDED = ("public", "subsample", "bit", "randomized response", "unary", "l2 ball")
"""Kinds of steps whose draw is no noise that could be halved."""


def gap(case: Mapping[str, Any], function: Algorithm) -> object | None:
    """Return what of steps and result an implementation gives otherwise than a case says."""
    with np.errstate(all="ignore"):
        found = replayed(function, case["inputs"], draws_of(case["steps"]))
    expected = {key: case[key] for key in ("steps", "result")}
    return difference(expected, found, tolerance=case["tolerance"]["relative"])


def general_twins(case: Mapping[str, Any], function: Algorithm) -> Iterator[str]:
    """Yield the names of the twins of :data:`GENERAL` that a case catches."""
    for name, changed in (
        (HALVED, _halved(case)),
        (REVERSED, _reversed(case)),
    ):
        if changed is not None and _differs(case, function, changed):
            yield name
    if _tells(lambda: gap(_single(case), function) is not None):  # with the same draws: steps, too
        yield FLOAT32


def _differs(case: Mapping[str, Any], function: Algorithm, changed: Mapping[str, Any]) -> bool:
    def other_result() -> bool:
        found = replayed(function, changed["inputs"], draws_of(changed["steps"]))["result"]
        return (
            difference(case["result"], found, tolerance=case["tolerance"]["relative"]) is not None
        )

    return _tells(other_result)


def _tells(differs: Callable[[], bool]) -> bool:
    """Return whether something differs, or is refused."""
    try:
        return differs()
    except (ValueError, TypeError, LookupError, ArithmeticError, np.linalg.LinAlgError):
        return True


def _with_draws(case: Mapping[str, Any], draws: list[Any]) -> dict[str, Any]:
    steps = [{**step, "draw": draw} for step, draw in zip(case["steps"], draws, strict=True)]
    return {**case, "steps": steps}


def _halved(case: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return _with_draws(
        case,
        [
            step["draw"] if step["kind"] in NOT_ADDED else _each(step["draw"], lambda x: x / 2)
            for step in case["steps"]
        ],
    )


def _reversed(case: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the case with the numbers of every draw in reverse order; with one number, of all."""
    draws = draws_of(case["steps"])
    flipped = [
        step["draw"] if step["kind"] in ("public", "subsample") else _flipped(step["draw"])
        for step in case["steps"]
    ]
    if flipped != draws:
        return _with_draws(case, flipped)
    backwards = draws[::-1]
    return None if backwards == draws else _with_draws(case, backwards)


def _flipped(draw: Any) -> Any:
    if not isinstance(draw, list):
        return draw
    numbers = iter(list(_numbers(draw))[::-1])
    return _each(draw, lambda _: next(numbers))


def _numbers(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    else:
        yield value


def _single(case: Mapping[str, Any]) -> Mapping[str, Any]:
    name = private_input(case["inputs"])
    return {**case, "inputs": {**case["inputs"], name: _rounded(case["inputs"][name])}}


def private_input(inputs: Mapping[str, Any]) -> str:
    """Return the name of the data, or of the value that is released: then the first input."""
    return "data" if "data" in inputs else next(iter(inputs))


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    with np.errstate(over="ignore"):
        return _each(value, lambda x: float(np.float32(x)) if isinstance(x, float) else x)


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    return [_each(item, change) for item in value] if isinstance(value, list) else change(value)
