"""Arguments and results as JSON that a stranger can read, and back."""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np

import reference
from auditor.runs.json_values import SPECIAL

PARTS = ("features", "labels")
"""Names of the two parts of data that are a tuple."""


def plain(value: Any, *, typed: bool = False) -> Any:
    """Return a value as numbers, strings, lists and objects.

    Parameters
    ----------
    value : object
        Numbers, arrays, tuples of two arrays (features and labels), frozen dataclasses, and
        functions and values that a module of the reference gives a name.
    typed : bool
        Whether a dataclass says its type, so that :func:`restored` makes it again.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), typed=typed)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return number if math.isfinite(number) else json_name(number)
    if isinstance(value, Mapping):
        return {key: plain(item, typed=typed) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, typed=typed) for item in value]
    if typed and (name := _names().get(id(value))) is not None:
        return {"name": name}
    if is_dataclass(value) and not isinstance(value, type):
        content = {
            item.name: plain(getattr(value, item.name), typed=typed) for item in fields(value)
        }
        return {"type": type(value).__name__, **content} if typed else content
    raise TypeError(f"{value!r} has no place in a conformance case")


def json_name(number: float) -> str:
    """Return the name of NaN or an infinity in JSON."""
    return next(
        name
        for name, known in SPECIAL.items()
        if known == number or (math.isnan(known) and math.isnan(number))
    )


def restored(value: Any) -> Any:
    """Return the argument that :func:`plain` made this of; lists of numbers become arrays."""
    if isinstance(value, str):
        return SPECIAL.get(value, value)
    if isinstance(value, list):
        return np.asarray(decoded_list(value))
    if isinstance(value, dict):
        if set(value) == set(PARTS):
            return tuple(restored(value[part]) for part in PARTS)
        if set(value) == {"name"}:
            return named(value["name"])
        if "type" in value:
            content = {key: restored(item) for key, item in value.items() if key != "type"}
            return _types()[value["type"]](**content)
        return {key: restored(item) for key, item in value.items()}
    return value


def decoded_list(value: Any) -> Any:
    """Return nested lists with the names of infinities replaced."""
    if isinstance(value, list):
        return [decoded_list(item) for item in value]
    return SPECIAL.get(value, value) if isinstance(value, str) else value


def arguments_as_plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an algorithm; data of two parts name them."""
    found = {}
    for key, value in arguments.items():
        if key == "data" and isinstance(value, tuple):
            parts = dict(zip(PARTS, value, strict=True))
            found[key] = {name: plain(part, typed=True) for name, part in parts.items()}
        elif key == "constants":
            found[key] = plain(value)
        else:
            found[key] = plain(value, typed=True)
    return found


@cache
def _modules() -> tuple[Any, ...]:
    names = [info.name for info in pkgutil.walk_packages(reference.__path__, "reference.")]
    return tuple(importlib.import_module(name) for name in names if ".errata" not in name)


@cache
def _types() -> dict[str, type]:
    """Return the dataclasses of the reference by name; those that share one are left out."""
    found: dict[str, set[type]] = {}
    for module in _modules():
        for item in vars(module).values():
            if isinstance(item, type) and is_dataclass(item):
                found.setdefault(item.__name__, set()).add(item)
    return {name: classes.pop() for name, classes in found.items() if len(classes) == 1}


@cache
def _names() -> dict[int, str]:
    """Return the names of what :func:`_by_name` returns, by identity."""
    return {id(item): name for name, item in _by_name().items()}


@cache
def _by_name() -> dict[str, Any]:
    """Return the reference's public functions and values, such as its links, by name."""
    return {
        f"{module.__name__.removeprefix('reference.')}.{name}": item
        for module in _modules()
        for name, item in vars(module).items()
        if not name.startswith("_")
        and getattr(item, "__module__", None) == module.__name__
        and not isinstance(item, type)
    }


def named(name: str) -> Any:
    """Return the function or value of the reference that has this name.

    Raises
    ------
    KeyError
        If it has none of that name: a file of vectors imports nothing.
    """
    return _by_name()[name]


def written(value: Any, indent: int = 0) -> str:
    """Return JSON with a line for every row of numbers, so that a change can be read.

    Numbers are the shortest decimals that are read back as the same doubles.
    """
    here, deeper = " " * indent, " " * (indent + 1)
    if isinstance(value, dict) and value:
        items = [
            f"{deeper}{json.dumps(key, ensure_ascii=False)}: {written(item, indent + 1)}"
            for key, item in value.items()
        ]
        return "{\n" + ",\n".join(items) + f"\n{here}}}"
    if isinstance(value, list) and any(isinstance(item, (list, dict)) for item in value):
        items = [f"{deeper}{written(item, indent + 1)}" for item in value]
        return "[\n" + ",\n".join(items) + f"\n{here}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
