"""The releases of an algorithm, read from the calls of its ledger."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from auditor.site.coded.reading import (
    PACKAGE,
    Record,
    Scope,
    Unreadable,
    Value,
    global_number,
    resolved,
    source_of,
    substituted,
)
from reference.constants import fixed_constants
from reference.privacy.ledger import Ledger

DEPTH = 4
"""Functions in functions that are followed."""

NOT_SIZES = ("value", "unit", "records", "sample", "replace", "noise", "excluded", "probability")
"""Arguments of a release that are no numbers of its noise."""

UNITS = {"record": "each user", "attribute": "each answer", "label": "each label"}


@dataclass(frozen=True)
class Loop:
    """A loop around a release.

    Attributes
    ----------
    target : str
        Its variable; empty if it has several.
    count : expr or str
        How often it runs: a formula, or over what in words.
    start : expr, optional
        The first value of its variable.
    """

    target: str
    count: ast.expr | str
    start: ast.expr | None = None


@dataclass(frozen=True)
class CodedRelease:
    """One call that releases something.

    Attributes
    ----------
    method : str
        Of the ledger.
    sizes : mapping
        Argument -> formula, such as the sensitivity and the scale.
    times : tuple of Loop
        The loops around it, the outermost first.
    unit : str
        What a release is of, if it is not of the whole data set.
    sampled : bool
        Whether it reads a random subsample.
    """

    method: str
    sizes: Mapping[str, ast.expr]
    times: tuple[Loop, ...]
    unit: str
    sampled: bool


@dataclass(frozen=True)
class CodedConstants:
    """One call that computes constants.

    Attributes
    ----------
    name : str
        What the algorithm calls them.
    factory : callable
        The function that computes them.
    given : mapping
        Its arguments, in the names of the algorithm.
    """

    name: str
    factory: Callable[..., Any]
    given: Mapping[str, ast.expr]


@dataclass(frozen=True)
class LedgerCalls:
    """The releases of an algorithm, read from its source.

    Attributes
    ----------
    fixed : tuple of CodedConstants
    releases : tuple of CodedRelease
    computed : mapping
        Name in a formula of a release -> the function that computes it.
    """

    fixed: tuple[CodedConstants, ...]
    releases: tuple[CodedRelease, ...]
    computed: Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class _Place:
    """A function that is being read.

    Attributes
    ----------
    scope : Scope
        Its parameters, in the names of the algorithm.
    made : mapping
        What its own names are assigned, where that is once.
    times : tuple of Loop
        Around its call.
    depth : int
        How many functions deeper are followed.
    """

    scope: Scope
    made: Mapping[str, ast.expr]
    times: tuple[Loop, ...]
    depth: int


def found_in(function: Callable[..., Any]) -> LedgerCalls:
    """Return the constants that an algorithm fixes and the releases that it makes.

    Parameters
    ----------
    function : callable
        Which takes a ``ledger``.
    """
    plain = inspect.unwrap(function)
    names: dict[str, Value] = {name: ast.Name(name) for name in inspect.signature(plain).parameters}
    computed: dict[str, Callable[..., Any]] = {}
    items = list(_visited(plain, names, (), DEPTH, computed))
    releases = tuple(item for item in items if isinstance(item, CodedRelease))
    used = {n.id for r in releases for size in r.sizes.values() for n in ast.walk(size)
            if isinstance(n, ast.Name)}  # fmt: skip
    return LedgerCalls(
        tuple(item for item in items if isinstance(item, CodedConstants)),
        releases,
        {name: called for name, called in computed.items() if name in used},
    )


def _visited(
    function: Callable[..., Any],
    names: Mapping[str, Value],
    times: tuple[Loop, ...],
    depth: int,
    computed: dict[str, Callable[..., Any]],
) -> Iterator[CodedRelease | CodedConstants]:
    try:
        tree = source_of(function)
    except Unreadable:
        return
    scope = Scope(inspect.unwrap(function), dict(names), {}, False)
    place = _Place(scope, _made(tree), times, depth)
    for name, value in place.made.items():
        called = resolved(value.func, place.scope) if isinstance(value, ast.Call) else None
        if inspect.isfunction(called) and called.__module__.startswith(PACKAGE):
            computed.setdefault(name, called)
    yield from _walked(tree, place, computed)


def _made(tree: ast.FunctionDef) -> dict[str, ast.expr]:
    """Return by name what is assigned once in a function."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, []).append(_checked(value))
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for part, value in zip(names, values, strict=False):
                    if isinstance(part, ast.Name):
                        found.setdefault(part.id, []).append(value)
    once = {name: values[0] for name, values in found.items() if len(values) == 1}
    return {name: value for name, value in once.items() if name not in _names(value)}


def _checked(node: ast.expr) -> ast.expr:
    """Return the number that ``require_count("sparsity", sparsity)`` returns."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str()), value, *_]):
            return value if name.startswith("require_") else node
    return node


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _walked(
    node: ast.AST, place: _Place, computed: dict[str, Callable[..., Any]]
) -> Iterator[CodedRelease | CodedConstants]:
    """Yield what a part of a function fixes and releases, in order."""
    match node:
        case ast.For(target=target, iter=loop, body=body, orelse=orelse):
            yield from _walked(loop, place, computed)
            inner = _inside(place, target, loop)
            for part in (*body, *orelse):
                yield from _walked(part, inner, computed)
            return
        case ast.ListComp(elt=elt, generators=loops) | ast.GeneratorExp(elt=elt, generators=loops):
            for comprehension in loops:
                place = _inside(place, comprehension.target, comprehension.iter)
            yield from _walked(elt, place, computed)
            return
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
            yield from _called(call, place, computed, name)
            node = call
        case ast.Call():
            yield from _called(node, place, computed, "")
    for child in ast.iter_child_nodes(node):
        yield from _walked(child, place, computed)


def _inside(place: _Place, target: ast.expr, loop: ast.expr) -> _Place:
    name = target.id if isinstance(target, ast.Name) else ""
    start = loop.args[0] if isinstance(loop, ast.Call) and len(loop.args) == 2 else None
    first = _in_names(start, place) if start is not None and name else None
    own = Loop(name, _count(loop, place), first)
    return dataclasses.replace(place, times=(*place.times, own))


def _called(
    node: ast.Call, place: _Place, computed: dict[str, Callable[..., Any]], name: str
) -> Iterator[CodedRelease | CodedConstants]:
    match node.func:
        case ast.Attribute(value=ast.Name(id="ledger"), attr=method):
            if _releases(method):
                yield _release(method, node, place)
            return
    called = resolved(node.func, place.scope)
    if called is fixed_constants:
        yield from _fixed(node, place, name)
        return
    passes = any(isinstance(a, ast.Name) and a.id == "ledger" for a in _all_arguments(node))
    module = getattr(called, "__module__", None) or ""
    ours = module.startswith(PACKAGE) and not module.startswith("reference.privacy")
    if passes and place.depth and ours:
        given = _given(called, node.args, node.keywords, place)
        yield from _visited(called, given, place.times, place.depth - 1, computed)


def _fixed(node: ast.Call, place: _Place, name: str) -> Iterator[CodedConstants]:
    """Yield the constants of a call, unless the function was given some."""
    own = node.args[2]
    given = place.scope.names.get(own.id) if isinstance(own, ast.Name) else None
    factory = resolved(node.args[3], place.scope)
    if isinstance(given, ast.Call):
        kind = resolved(node.args[1], place.scope)
        fields = list(getattr(kind, "__dataclass_fields__", ()))
        values = dict(zip(fields, given.args, strict=False))
        values.update({word.arg: word.value for word in given.keywords if word.arg})
        place.scope.names[name] = Record(kind, values)
    elif callable(factory) and _is_open(given):
        yield CodedConstants(name, factory, _given(factory, node.args[4:], node.keywords, place))


def _is_open(given: object) -> bool:
    """Return whether an algorithm leaves it to its caller, or to theory, to give constants."""
    passed_on = isinstance(given, ast.Name) and given.id == "constants"
    return given is None or isinstance(given, ast.Constant) or passed_on


def _all_arguments(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(word.value for word in node.keywords)]


def _releases(method: str) -> bool:
    """Return whether a method of the ledger releases something of the data."""
    parameters = inspect.signature(getattr(Ledger, method)).parameters
    return "sensitivity" in parameters or "epsilon" in parameters or "smooth_bound" in parameters


def _release(method: str, node: ast.Call, place: _Place) -> CodedRelease:
    first = next(iter(list(inspect.signature(getattr(Ledger, method)).parameters)[1:]))
    sizes = {word.arg: word.value for word in node.keywords if word.arg}
    unit, sample = sizes.get("unit"), sizes.get("sample")
    left_out = (*NOT_SIZES, first)
    return CodedRelease(
        method,
        {name: _in_names(value, place) for name, value in sizes.items() if name not in left_out},
        place.times,
        UNITS.get(str(unit.value), "") if isinstance(unit, ast.Constant) else "",
        sample is not None and not isinstance(sample, ast.Constant),
    )


def _given(
    called: Callable[..., Any],
    arguments: list[ast.expr],
    keywords: list[ast.keyword],
    place: _Place,
) -> dict[str, ast.expr]:
    """Return the arguments of a call by name, in the names of the algorithm."""
    names = list(inspect.signature(called).parameters)
    found = dict(zip(names, arguments, strict=False))
    found.update({word.arg: word.value for word in keywords if word.arg})
    return {name: _in_names(value, place) for name, value in found.items()}


def _in_names(node: ast.expr, place: _Place, depth: int = 3) -> ast.expr:
    """Return an expression with what names were assigned, as far as that is arithmetic."""
    values = {
        name: _in_names(value, place, depth - 1)
        for name, value in place.made.items()
        if depth and _is_arithmetic(value)
    }
    known = {n: v for n, v in place.scope.names.items() if isinstance(v, ast.expr)}
    values.update(
        {name: global_number(name, place.scope)
         for name in _names(node)
         if name.isupper() and name in place.scope.known}
    )  # fmt: skip
    records = {n: v for n, v in place.scope.names.items() if isinstance(v, Record)}
    return _Fields(records).visit(substituted(node, {**known, **values}))  # type: ignore[no-any-return]


class _Fields(ast.NodeTransformer):
    """Put the fields of given constants in place of ``chosen.noise_scale``."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        self._records = records

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=field) if name in self._records:
                value = self._records[name].fields.get(field)
                return value if isinstance(value, ast.expr) else node
        self.generic_visit(node)
        return node


def _is_arithmetic(node: ast.expr) -> bool:
    """Return whether an expression has operators, names, numbers and attributes only."""
    allowed = (ast.BinOp, ast.Name, ast.Constant, ast.Attribute, ast.UnaryOp, ast.operator,
               ast.unaryop, ast.expr_context)  # fmt: skip
    return all(isinstance(part, allowed) for part in ast.walk(node))


def _count(loop: ast.expr, place: _Place) -> ast.expr | str:
    """Return how often a loop runs: a formula, or over what in words."""
    match loop:
        case ast.Call(func=ast.Name(id="range"), args=[stop]):
            return _in_names(stop, place)
        case ast.Call(func=ast.Name(id="range"), args=[start, stop]):
            return _in_names(ast.BinOp(stop, ast.Sub(), start), place)
        case ast.Call(func=ast.Name(id="disjoint_blocks"), args=[_, number]):
            return _in_names(number, place)
        case ast.Call(func=ast.Name(id="enumerate" | "zip"), args=[first, *_]):
            return _count(first, place)
        case ast.Name(id=name) if name in place.made:
            return _count(place.made[name], place)
        case ast.Call(func=function):
            return ast.unparse(function).rpartition(".")[2].replace("_", " ")
    return ast.unparse(loop).replace("_", " ")
