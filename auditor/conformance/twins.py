"""Broken twins: implementations with one mistake, which a case must tell from the reference."""

from __future__ import annotations

import importlib
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from auditor.conformance.compare import difference
from auditor.conformance.instance import Twin
from auditor.conformance.record import Algorithm, draws_of, replayed

HALVED, FLOAT32, REVERSED = "noise halved", "single precision", "draws in reverse order"
GENERAL: dict[str, str] = {HALVED: "noise", FLOAT32: "precision", REVERSED: "draws"}
"""Twins of every algorithm, and their flags."""

NOT_ADDED = ("public", "subsample", "bit", "randomized response", "unary", "l2 ball")
"""Kinds of steps whose draw is no noise that could be halved."""


def caught(case: Mapping[str, Any], function: Algorithm) -> bool:
    """Whether an implementation does not conform to a case: it raises, or something differs."""
    try:
        with np.errstate(all="ignore"):
            found = replayed(function, case["inputs"], draws_of(case["steps"]))
    except Exception:  # whatever a broken implementation does
        return True
    expected = {key: case[key] for key in ("steps", "result")}
    return difference(expected, found, tolerance=case["tolerance"]["relative"]) is not None


def general_twins(case: Mapping[str, Any], function: Algorithm) -> Iterator[str]:
    """Yield the names of the twins of :data:`GENERAL` that a case catches."""
    for name, changed in (
        (HALVED, _halved(case)),
        (REVERSED, _reversed(case)),
    ):
        if changed is not None and _differs(case, function, changed):
            yield name
    if caught(_single(case), function):  # the same draws: steps tell as well
        yield FLOAT32


def _differs(case: Mapping[str, Any], function: Algorithm, changed: Mapping[str, Any]) -> bool:
    try:
        found = replayed(function, changed["inputs"], draws_of(changed["steps"]))
    except (ValueError, TypeError, LookupError, ArithmeticError, np.linalg.LinAlgError):
        return True
    return difference(case["result"], found["result"], tolerance=_tolerance(case)) is not None


def _tolerance(case: Mapping[str, Any]) -> float:
    return float(case["tolerance"]["relative"])


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


@contextmanager
def broken(twin: Twin, home: str) -> Iterator[None]:
    """Break the reference as a twin says.

    Raises
    ------
    ValueError
        If its text is not there exactly once.
    """
    module = importlib.import_module(twin.where or home)
    source = inspect.getsource(module)
    if source.count(twin.before) != 1:
        raise ValueError(
            f"{twin.name!r}: {twin.before!r} is {source.count(twin.before)} times there"
        )
    # what it warns of says nothing: a suite in which warnings are errors would catch more twins
    with recompiled(module, source.replace(twin.before, twin.after)), np.errstate(all="ignore"):
        yield


@contextmanager
def recompiled(module: types.ModuleType, source: str) -> Iterator[None]:
    """Have a module's functions, methods and numbers be what another source makes of them.

    Their code is exchanged in place, so that everybody who has imported them is concerned.
    """
    other = types.ModuleType(module.__name__)
    other.__file__ = module.__file__
    exec(compile(source, str(module.__file__), "exec"), vars(other))
    undo: list[Callable[[], None]] = [forget]
    try:
        forget()
        for old, new in _functions(module, other):
            undo.append(partial(_exchange, old, old.__code__, old.__defaults__))
            _exchange(old, new.__code__, new.__defaults__)
        for name, value in list(vars(module).items()):
            changed = vars(other).get(name)
            if isinstance(value, (int, float)) and changed != value:
                undo.append(partial(setattr, module, name, value))
                setattr(module, name, changed)
        yield
    finally:
        for step in reversed(undo):
            step()


def forget() -> None:
    """Forget what the functions of the reference remember, which may be a twin's or the right."""
    for name, module in list(sys.modules.items()):
        if name.startswith("reference.") and name != "reference.catalogue":
            for item in list(vars(module).values()):
                if hasattr(item, "cache_clear"):
                    item.cache_clear()


def _exchange(function: Any, code: Any, defaults: Any) -> None:
    function.__code__, function.__defaults__ = code, defaults


def _functions(module: types.ModuleType, other: types.ModuleType) -> Iterator[tuple[Any, Any]]:
    """Yield the functions of a module, and of its classes, with those of its twin."""
    for name, item in vars(module).items():
        if getattr(item, "__module__", None) != module.__name__ or name not in vars(other):
            continue
        places = [(item, vars(other)[name])]
        if isinstance(item, type):
            inside = vars(vars(other)[name])
            places = [(method, inside.get(key)) for key, method in vars(item).items()]
        for old, new in places:
            one, two = _bare(old), _bare(new)
            if one is not None and two is not None and one.__code__ != two.__code__:
                yield one, two


def _bare(item: Any) -> Any:
    """Return the function of a method, property or decorated function, or None."""
    for name in ("fget", "func", "__func__"):
        item = getattr(item, name, item)
    item = inspect.unwrap(item) if callable(item) else item
    return item if inspect.isfunction(item) else None
