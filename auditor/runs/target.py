"""Mechanisms by name, imported only in the processes that run them."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from auditor.core.errors import InputError, did_you_mean, one_line, pass_interrupts
from auditor.runs.clock import Clock
from auditor.runs.processes import FORGED, Alive, Child

GENERATORS = ("rng", "generator", "random_state")
"""Names of the second argument of a mechanism that draws its noise itself."""


@dataclass(frozen=True)
class _ByName:
    """A mechanism that takes its randomness by name alone."""

    mechanism: Callable[..., Any]
    name: str

    def __call__(self, data: Any, randomness: Any, *size: int) -> Any:
        sizes = {"size": size[0]} if size else {}
        return self.mechanism(data, **{self.name: randomness}, **sizes)


def by_position(mechanism: Callable[..., Any]) -> Callable[..., Any]:
    """Return a mechanism that takes its randomness second.

    ``functools.partial(f, epsilon=1.0)`` of ``f(data, epsilon, rng)`` takes ``rng`` by name.
    """
    try:
        parameters = inspect.signature(mechanism).parameters.values()
    except BaseException as error:  # some builtins have no signature, and some objects no text
        pass_interrupts(error)
        return mechanism
    required = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    named = [name for name in (*GENERATORS, "ledger") if name in required]
    return _ByName(mechanism, named[0]) if named else mechanism


def load(name: str) -> Any:
    """Import ``package.module:name`` or ``path.py:name``.

    Raises
    ------
    InputError
        Naming what is missing.
    """
    place, colon, attribute = name.rpartition(":")
    if not colon or not place or not attribute:
        raise InputError(f"{name!r} is not package.module:callable or path.py:callable")
    try:
        module = (
            _load_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
        )
    except FileNotFoundError:
        raise InputError(f"no file {place}; give the path of an existing .py file") from None
    except BaseException as error:
        pass_interrupts(error)
        raise InputError(f"importing {place} failed with {one_line(error)}") from error
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise InputError(f"{place} has no {attribute!r}")
        found = getattr(found, part)
    return found


def load_callable(name: str) -> Callable[..., Any]:
    """Import a callable, see :func:`load`."""
    found = load(name)
    if not callable(found):
        raise InputError(f"{name} is no callable")
    return found  # type: ignore[no-any-return]


def _load_with(name: str, arguments: tuple[tuple[str, Any], ...]) -> Callable[..., Any]:
    found = load_callable(name)
    return by_position(partial(found, **dict(arguments))) if arguments else found


def _load_file(path: Path) -> Any:
    if not path.is_file():
        raise FileNotFoundError(path)
    # a name of its own, so that a file called random.py hides nothing
    name = f"_touchstone_target_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.append(str(path.parent.resolve()))
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Named:
    """A callable that this process does not import: in a worker it is what its name stands for.

    So what its module does when it is imported, and whatever cannot be sent to another process,
    stays in the workers.

    Parameters
    ----------
    name : str
        See :func:`load`.
    arguments : tuple of (str, object)
        Further arguments, by name.
    """

    name: str
    arguments: tuple[tuple[str, Any], ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _load_with, (self.name, self.arguments)

    def __call__(self, *_: Any) -> Any:
        """Refuse: it is called by workers."""
        raise RuntimeError(f"{self.name} runs in a worker only")

    def parameters(self) -> list[str]:
        """Return the names of the parameters that are left, in order.

        They are read from its file, or else looked up by a worker.

        Raises
        ------
        InputError
            If there is no such callable, or it has no parameter of the name of an argument.
        """
        found = self._all_parameters()
        for name, _ in self.arguments:
            if name not in found:
                raise InputError(
                    f"{self.name} takes ({', '.join(found)}), not {name!r}"
                    f"{did_you_mean(name, found)}"
                )
        given = dict(self.arguments)
        return [name for name in found if name not in given]

    def _all_parameters(self) -> list[str]:
        written = _written_parameters(self.name)
        if written is not None:
            return written
        child = Child(one_thread=False)
        try:
            found = child.call(Named(self.name), _parameters, None, Clock())
        finally:
            child.close()
        if type(found) is not list or not all(type(name) is str for name in found):
            raise InputError(FORGED)
        return found


def _written_parameters(name: str) -> list[str] | None:
    """Return the parameters of a plain function of a file, without importing it."""
    place, _, attribute = name.rpartition(":")
    try:
        module = ast.parse(Path(place).read_bytes()) if place.endswith(".py") else None
    except (OSError, SyntaxError, ValueError):
        return None  # the import says what is wrong
    if module is None:
        return None
    # a decorator, or a second meaning of the name, may change what is called
    meanings = [
        node
        for node in ast.walk(module)
        if attribute in (getattr(node, "name", None), getattr(node, "asname", None))
        or (isinstance(node, ast.Name) and node.id == attribute and isinstance(node.ctx, ast.Store))
    ]
    if len(meanings) != 1 or meanings[0] not in module.body:
        return None
    function = meanings[0]
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return None
    given = function.args
    ordered = (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg)
    return [argument.arg for argument in ordered if argument is not None]


def _parameters(function: Callable[..., Any], alive: Alive) -> list[str]:
    alive(None)
    try:
        return list(inspect.signature(function).parameters)
    except BaseException as error:  # of some builtins, or of anybody's class
        pass_interrupts(error)
        said = one_line(error)
        raise InputError(f"its arguments cannot be inspected ({said}); say --kind") from None
