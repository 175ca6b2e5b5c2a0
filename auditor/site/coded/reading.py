"""Read the constants of an algorithm from the source of the function that computes them.

``constants_for`` is a few assignments and a ``Constants(...)``. Running it on names instead of
numbers gives the formulas that the code uses, and there is no second place where they are written.
Functions of ``reference`` are read in turn; one that searches for its result, as accountants do, is
left as a call.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

LONGEST = 64
"""Parts of an expression: the result of a function that has more is left as a call."""

ROUNDED = "ULPS"
"""A function that names this rounds its result to the safe side: it is left as a call."""

PACKAGE = "reference."
"""Only functions of this package are read."""


class Unreadable(Exception):
    """Code that is no formula, such as a loop."""


class Refused(Exception):
    """A branch that raises: legal arguments do not take it."""


@dataclass(frozen=True)
class Record:
    """An instance of a dataclass whose fields are formulas.

    Attributes
    ----------
    kind : type
    fields : mapping
        Name -> value.
    """

    kind: type
    fields: Mapping[str, Value]


Value: TypeAlias = "ast.expr | Record"


@dataclass
class Scope:
    """The names that a function sees.

    Attributes
    ----------
    function : callable
    names : dict
        Local name -> value.
    lines : dict
        Local name -> formula that is shown as a line of its own, by the name.
    keeps : bool
        Whether assignments become lines; otherwise a formula is put in place of its name.
    """

    function: Callable[..., Any]
    names: dict[str, Value]
    lines: dict[str, ast.expr]
    keeps: bool
    reserved: frozenset[str] = field(default_factory=frozenset)

    @property
    def known(self) -> Mapping[str, Any]:
        """The globals of the function's module."""
        return self.function.__globals__

    def branch(self) -> Scope:
        """Return a copy for one side of a condition."""
        return dataclasses.replace(self, names=dict(self.names), lines=dict(self.lines))


def source_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function.

    Raises
    ------
    Unreadable
        If it is no plain function of the package.
    """
    plain = inspect.unwrap(function)
    if not inspect.isfunction(plain) or not plain.__module__.startswith(PACKAGE):
        raise Unreadable
    tree = _tree(plain)
    if not isinstance(tree, ast.FunctionDef):
        raise Unreadable
    return tree


@cache
def _tree(function: Callable[..., Any]) -> ast.stmt:
    return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]


def formulas(
    factory: Callable[..., Any], given: Mapping[str, ast.expr]
) -> tuple[dict[str, ast.expr], Record]:
    """Return what a function that computes constants says: its lines and its result.

    Parameters
    ----------
    factory : callable
    given : mapping
        Values of some of its parameters. A parameter that is not given has its default value.

    Raises
    ------
    Unreadable
        If the function does more than assign formulas and return its constants.
    """
    plain = inspect.unwrap(factory)
    scope = Scope(plain, dict(bound(plain, given)), {}, True, frozenset(given))
    result = _run(source_of(plain).body, scope)
    if not isinstance(result, Record):
        raise Unreadable
    return scope.lines, result


def property_of(record: Record, name: str) -> ast.expr | None:
    """Return the formula of a property of a record; None if it is none, or no formula.

    Parameters
    ----------
    record : Record
    name : str
    """
    found = inspect.getattr_static(record.kind, name, None)
    if not isinstance(found, property) or found.fget is None:
        return None
    try:
        value = _run(source_of(found.fget).body, Scope(found.fget, {"self": record}, {}, False))
    except Unreadable:
        return None
    return value if isinstance(value, ast.expr) else None


def bound(function: Callable[..., Any], given: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return the values of a function's parameters; what is not given has its default value.

    Raises
    ------
    Unreadable
        If a parameter has neither.
    """
    found: dict[str, Value] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in given:
            found[name] = given[name]
        elif isinstance(parameter.default, bool | int | float | str | None):
            found[name] = ast.Constant(parameter.default)
        elif callable(parameter.default) and parameter.default is not parameter.empty:
            found[name] = function_name(parameter.default)
        else:
            raise Unreadable
    return found


def function_name(function: Callable[..., Any]) -> ast.Name:
    """Return the name of a function, which remembers what it names."""
    node = ast.Name(function.__name__)
    node.function = inspect.unwrap(function)  # type: ignore[attr-defined]
    return node


# ------------------------------------------------------------------------------ statements


def _run(body: Sequence[ast.stmt], scope: Scope) -> Value | None:
    """Run statements; return what they return, or None if they come to their end."""
    for place, statement in enumerate(body):
        match statement:
            case ast.Return(value=ast.expr() as value):
                return read(value, scope)
            case ast.Assign(targets=[target], value=value):
                _assign(target, read(value, scope), scope)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                _assign(target, read(value, scope), scope)
            case ast.Raise():
                raise Refused
            case ast.If():
                ended, result = _choose(statement, body[place + 1 :], scope)
                if ended:
                    return result
            case ast.Expr() | ast.Pass():
                pass  # a docstring or a check
            case _:
                raise Unreadable
    return None


def _assign(target: ast.expr, value: Value, scope: Scope) -> None:
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for one, its in zip(targets, values, strict=True):
                _assign(one, its, scope)
        case ast.Tuple(elts=targets), ast.Call():
            for place, one in enumerate(targets):
                _assign(one, ast.Subscript(value, ast.Constant(place)), scope)
        case ast.Name(id=name), _:
            scope.names[name] = _kept(name, value, scope)
        case _:
            raise Unreadable


def _kept(name: str, value: Value, scope: Scope) -> Value:
    """Make a formula a line, if it is one; return what stands for the name from now on."""
    trivial = Record | ast.Constant | ast.Name | ast.Tuple | ast.Attribute
    if not scope.keeps or isinstance(value, trivial):
        return value
    if name in scope.lines:  # assigned again
        value = substituted(value, {name: scope.lines[name]})
        earlier = scope.names.get(name)
        if not (isinstance(earlier, ast.Name) and earlier.id == name):
            return value  # the line belongs to another function
    elif name in scope.reserved:
        return value
    scope.lines[name] = value
    return ast.Name(name)


def _choose(statement: ast.If, rest: Sequence[ast.stmt], scope: Scope) -> tuple[bool, Value | None]:
    """Run a condition; return whether the function ended with it, and its result."""
    test = _expression(statement.test, scope)
    known = truth(test)
    if known is not None:
        result = _run(statement.body if known else statement.orelse, scope)
        return result is not None, result
    sides: list[tuple[Scope, Value | None]] = []
    for body in (statement.body, statement.orelse):
        own = scope.branch()
        try:
            sides.append((own, _run(body, own)))
        except Refused:
            continue
    if not sides:
        raise Refused
    if len(sides) == 1:
        own, result = sides[0]
        scope.names, scope.lines = own.names, own.lines
        return result is not None, result
    (yes, one), (no, other) = sides
    if one is None and other is None:
        _merge(test, yes, no, scope)
        return False, None
    one = _run(rest, yes) if one is None else one
    other = _run(rest, no) if other is None else other
    scope.lines.update({**yes.lines, **no.lines})
    return True, None if one is None or other is None else either(test, one, other)


def _merge(test: ast.expr, yes: Scope, no: Scope, scope: Scope) -> None:
    """Put together what the two sides of a condition assigned."""
    for name in {**yes.lines, **no.lines}:
        values = [
            own.lines[name] if _is_line(name, own) else own.names.get(name) for own in (yes, no)
        ]
        one, other = (value for value in values)
        if one is None or other is None:
            scope.lines[name] = yes.lines.get(name) or no.lines[name]
        else:
            scope.lines[name] = either(test, one, other)
            yes.names[name] = no.names[name] = ast.Name(name)
    for name in [name for name in yes.names if name in no.names]:
        scope.names[name] = either(test, yes.names[name], no.names[name])


def _is_line(name: str, scope: Scope) -> bool:
    """Return whether a name stands for a line of the same name."""
    value = scope.names.get(name)
    return name in scope.lines and (
        value is None or (isinstance(value, ast.Name) and value.id == name)
    )


def either(test: ast.expr, one: Any, other: Any) -> Any:
    """Return a value that is one under a condition and another elsewhere."""
    if isinstance(one, Record) and isinstance(other, Record):
        both = {name: either(test, one.fields[name], other.fields[name]) for name in one.fields}
        return Record(one.kind, both)
    if isinstance(one, Record) or isinstance(other, Record):
        raise Unreadable
    if ast.dump(one) == ast.dump(other):
        return one
    return ast.IfExp(test, one, other)


def truth(test: ast.expr) -> bool | None:
    """Return whether a condition on constants holds; None if it depends on a name."""
    if any(isinstance(node, ast.Name | ast.Call | ast.Attribute) for node in ast.walk(test)):
        return None
    whole = ast.fix_missing_locations(ast.Expression(copy.deepcopy(test)))
    return bool(eval(compile(whole, "<condition>", "eval"), {}))


# ----------------------------------------------------------------------------- expressions


def read(node: ast.expr, scope: Scope) -> Value:
    """Return the value of an expression, in the names of the outermost function."""
    match node:
        case ast.Name(id=name) if name in scope.names:
            return scope.names[name]
        case ast.Name(id=name):
            return global_number(name, scope)
        case ast.Attribute(value=value, attr=name):
            return _attribute(node, read(value, scope), name, scope)
        case ast.Call():
            return _call(node, scope)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition = _expression(test, scope)
            known = truth(condition)
            if known is None:
                return either(condition, read(body, scope), read(orelse, scope))  # type: ignore[no-any-return]
            return read(body if known else orelse, scope)
        case ast.Lambda() | ast.JoinedStr():
            raise Unreadable
    return _copied(node, scope)


def _expression(node: ast.expr, scope: Scope) -> ast.expr:
    value = read(node, scope)
    if isinstance(value, Record):
        raise Unreadable
    return value


def _copied(node: ast.expr, scope: Scope) -> ast.expr:
    """Return an expression whose parts were read."""
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        own = {n.id for loop in node.generators for n in ast.walk(loop.target)
               if isinstance(n, ast.Name)}  # fmt: skip
        scope = scope.branch()
        scope.names.update({name: ast.Name(name) for name in own})

    def part(value: Any) -> Any:
        if isinstance(value, list):
            return [part(item) for item in value]
        if isinstance(value, ast.expr):
            return _expression(value, scope)
        if isinstance(value, ast.comprehension):
            return ast.comprehension(value.target, part(value.iter), part(value.ifs), 0)
        return value

    return type(node)(**{name: part(value) for name, value in ast.iter_fields(node)})


def resolved(node: ast.expr, scope: Scope) -> Any:
    """Return the object that a global name or an attribute of a module is; None if it is none."""
    match node:
        case ast.Name(id=name) if name in scope.names:
            return getattr(scope.names[name], "function", None)
        case ast.Name(id=name):
            return scope.known.get(name, _BUILTINS.get(name))
        case ast.Attribute(value=value, attr=name):
            owner = resolved(value, scope)
            return getattr(owner, name, None) if isinstance(owner, ModuleType) else None
    return None


_BUILTINS = {"float": float, "int": int}


def global_number(name: str, scope: Scope) -> ast.expr:
    """Return a global number as it was written, such as ``math.sqrt(2)``."""
    value = scope.known.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float | tuple):
        return ast.Name(name)
    written = _written(inspect.getmodule(scope.function), name)
    if written is None:
        return ast.parse(repr(value), mode="eval").body
    return _expression(written, dataclasses.replace(scope, names={}, lines={}))


@cache
def _written(module: ModuleType | None, name: str) -> ast.expr | None:
    """Return the expression that a module assigns to a name."""
    for node in ast.parse(inspect.getsource(module)).body if module else ():
        match node:
            case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                return value
            case ast.ImportFrom(module=str(other), names=names):
                original = {alias.asname or alias.name: alias.name for alias in names}
                if name in original:
                    return _written(import_module(other), original[name])
    return None


def _attribute(node: ast.Attribute, value: Value, name: str, scope: Scope) -> Value:
    if isinstance(value, Record):
        return value.fields[name]
    found = resolved(node, scope)
    if isinstance(found, int | float):
        return ast.Name("pi") if name == "pi" else ast.Constant(found)
    return ast.Attribute(value, name)


def _call(node: ast.Call, scope: Scope) -> Value:
    called = resolved(node.func, scope)
    name = getattr(called, "__name__", "")
    if called in (float, int):
        return read(node.args[0], scope)
    if name.startswith("require_") and isinstance(read(node.args[0], scope), ast.Constant):
        return read(node.args[1], scope)  # require_positive("radius", radius) returns the number
    if called is dataclasses.asdict:
        return read(node.args[0], scope)
    if called is dataclasses.replace:
        return _replaced(node, scope)
    arguments = _arguments(node, called, scope)
    if arguments is None:
        return _copied(node, scope)
    if inspect.isclass(called) and dataclasses.is_dataclass(called):
        return Record(called, bound(called, arguments))
    try:
        return _inlined(called, arguments, scope)
    except Unreadable:
        return _left(called, arguments)


def _replaced(node: ast.Call, scope: Scope) -> Record:
    old = read(node.args[0], scope)
    if not isinstance(old, Record):
        raise Unreadable
    new = {word.arg: read(word.value, scope) for word in node.keywords if word.arg}
    return Record(old.kind, {**old.fields, **new})


def _arguments(node: ast.Call, called: Any, scope: Scope) -> dict[str, Value] | None:
    """Return the arguments of a call by name; None for a function that is not read."""
    inside = getattr(called, "__module__", None) or ""
    if not inside.startswith(PACKAGE) or not callable(called):
        return None
    names = list(inspect.signature(called).parameters)
    found: dict[str, Value] = {}
    for name, value in zip(names, node.args, strict=False):
        found[name] = read(value, scope)
    for word in node.keywords:
        given = read(word.value, scope)
        if word.arg is not None:
            found[word.arg] = given
        elif isinstance(given, Record):  # **asdict(...)
            found.update(given.fields)
        else:
            raise Unreadable
    return found


def _inlined(called: Any, arguments: Mapping[str, Value], scope: Scope) -> Value:
    """Return what a function returns, read as the outer one is."""
    tree, plain = source_of(called), inspect.unwrap(called)
    if ROUNDED in plain.__code__.co_names:
        raise Unreadable
    gives_record = isinstance(tree.returns, ast.Name | ast.Attribute) and dataclasses.is_dataclass(
        resolved(tree.returns, Scope(plain, {}, {}, False))
    )
    own = Scope(
        plain,
        dict(bound(plain, arguments)),
        scope.lines if gives_record else {},
        scope.keeps and gives_record,
        scope.reserved,
    )
    result = _run(tree.body, own)
    if scope.keeps and gives_record:
        scope.lines.update(own.lines)
    if result is None or (isinstance(result, ast.expr) and not _is_short(result)):
        raise Unreadable
    return result


def _is_short(node: ast.expr) -> bool:
    """Return whether an expression is short and calls functions of numbers only."""
    nodes = [part for part in ast.walk(node) if isinstance(part, ast.expr)]
    functions = [part.func for part in nodes if isinstance(part, ast.Call)]
    of_arrays = [f for f in functions if isinstance(f, ast.Attribute) and not _is_of_math(f)]
    return len(nodes) <= LONGEST and not of_arrays


def _is_of_math(function: ast.Attribute) -> bool:
    return isinstance(function.value, ast.Name) and function.value.id == "math"


def _left(called: Any, arguments: Mapping[str, Value]) -> ast.expr:
    """Return a call as it is, with the arguments that are not the default ones."""
    shown: list[ast.keyword] = []
    for name, parameter in inspect.signature(called).parameters.items():
        value = arguments.get(name)
        if isinstance(value, Record):
            raise Unreadable
        if value is None or (isinstance(value, ast.Constant) and value.value == parameter.default):
            continue
        shown.append(ast.keyword(name, value))
    return ast.Call(function_name(called), [], shown)


def substituted(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    """Return an expression with formulas in place of names."""

    class Substitution(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return values.get(name.id, name)

    return Substitution().visit(copy.deepcopy(node))  # type: ignore[no-any-return]
