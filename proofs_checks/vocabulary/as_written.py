"""The two sides of an identity as the check wrote them, before sympy simplifies them.

Sympy works out an expression as it is built: of a step that equates ``4*b*(1 - s)`` with ``s`` it
may keep ``s = s``. What a reader must see is what was equated, so it is read from the source.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, cast

from proofs_checks.extras import sp

EXACT = ("Rational", "Integer", "rational", "nsimplify", "sympify")
"""Functions that only make a number exact: their arguments are shown alone."""

SYMBOLS = ("Symbol", "symbols")


def pairs(frame: FrameType) -> str:
    """Return the pairs of a call in words: ``"left = right; ..., where name = ..."``.

    Parameters
    ----------
    frame : frame
        Of the check, at its call.

    Returns
    -------
    str
        Empty if the source is not at hand or the pairs are not written out in the call.
    """
    call = _call(frame)
    words = _Words(frame)
    found = [words.pair(node) for node in call.args] if call is not None else []
    if not found or not all(found):
        return ""
    legend = ", ".join(f"{name} = {text}" for name, text in words.legend.items())
    return "; ".join(found) + (f", where {legend}" if legend else "")


class _Words(ast.NodeTransformer):
    """Write expressions with the paper's symbols for the names of Python variables."""

    def __init__(self, frame: FrameType) -> None:
        self.legend: dict[str, str] = {}
        self._values = {**frame.f_globals, **frame.f_locals}
        self._made = _assignments(frame)
        self._appended = _appended(frame)
        self._looped: set[str] = set()
        self._bound: set[str] = set()

    def pair(self, node: ast.expr) -> str:
        """Return a pair or several pairs in words; nothing if they are not written out."""
        if isinstance(node, ast.Starred):
            return self.pairs(node.value)
        node = self.resolved(node)
        if not isinstance(node, ast.Tuple) or len(node.elts) != 2:
            return ""
        left, right = node.elts
        return f"{self.of(left)} = {self.of(right)}"

    def pairs(self, node: ast.expr) -> str:
        """Return a list of pairs in words: a comprehension, a display, a zip, appended in loops."""
        if isinstance(node, ast.Name) and node.id in self._appended:
            said = [self.in_loops(pair, loops) for pair, loops in self._appended[node.id]]
            return "; ".join(said) if all(said) else ""
        node = self.resolved(node)
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            return self.in_loops(node.elt, node.generators)
        if isinstance(node, ast.Tuple | ast.List):
            said = [self.pair(part) for part in node.elts]
            return "; ".join(said) if all(said) else ""
        if isinstance(node, ast.Call) and _called(node) == "zip":
            return self.by_entry(*node.args)
        return ""

    def in_loops(self, pair: ast.expr, loops: Sequence[ast.comprehension | ast.For]) -> str:
        """Return a pair in words, followed by the loops it is in."""
        outer = self._looped
        self._looped = outer.union(*map(_stored, loops))
        said = self.pair(pair)
        self._looped = outer
        return " ".join([said, *map(self.of_loop, loops)]) if said else ""

    def by_entry(self, *sides: ast.expr) -> str:
        """Return in words the pairs of the entries of two lists or matrices."""
        if len(sides) != 2:
            return ""
        left, right = map(self.resolved, sides)
        displays = [isinstance(side, ast.Tuple | ast.List) for side in (left, right)]
        if all(displays):
            entries = zip(left.elts, right.elts, strict=True)  # type: ignore[attr-defined]
            return "; ".join(f"{self.of(one)} = {self.of(other)}" for one, other in entries)
        return f"{self.of(sides[0])} = {self.of(sides[1])}, entry by entry"

    def resolved(self, node: ast.expr) -> ast.expr:
        """Return the expression that a name was assigned, and any other one as it is."""
        return self._made.get(node.id, node) if isinstance(node, ast.Name) else node

    def of_loop(self, loop: ast.comprehension | ast.For) -> str:
        """Return a loop in words."""
        tests = loop.ifs if isinstance(loop, ast.comprehension) else []
        conditions = "".join(f" if {self.of(test)}" for test in tests)
        return f"for {ast.unparse(loop.target)} in {self.of(loop.iter)}{conditions}"

    def of(self, node: ast.expr) -> str:
        """Return an expression in words, and add what it names to the legend."""
        copy: ast.expr = ast.parse(ast.unparse(node), mode="eval").body
        return ast.unparse(self.visit(copy)).replace(" ** ", "^")

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._bound:
            return node
        looped = node.id in self._looped  # its value is that of the last round
        value: object = None if looped else self._values.get(node.id)
        made = self._made.get(node.id)
        if isinstance(value, sp.Symbol) and (made is None or _called(made) in SYMBOLS):
            return ast.Name(str(value))
        if isinstance(value, int | float | str):
            return _number(str(value))
        if _are_symbols(value) or (made is None and _is_formula(value)):
            self.legend.setdefault(node.id, str(value))
        elif made is not None and node.id not in self.legend:
            self.legend[node.id] = ""  # it may name itself
            self.legend[node.id] = self.of(made)
        return node

    def visit(self, node: ast.AST) -> Any:
        """Leave alone the names that a comprehension or a function in the expression binds."""
        outer = self._bound
        if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
            self._bound = outer.union(*(_stored(loop.target) for loop in node.generators))
        elif isinstance(node, ast.Lambda):
            self._bound = outer | {argument.arg for argument in node.args.args}
        found = super().visit(node)
        self._bound = outer
        return found

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Keep the branch that is taken, where an argument of the check decides."""
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            return cast(ast.expr, self.visit(node.body if test.value else node.orelse))
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = _called(node)
        arguments: list[ast.expr] = [self.visit(argument) for argument in node.args]
        if name in EXACT and len(arguments) == 1:
            return arguments[0]
        if name in EXACT and len(arguments) == 2:
            return ast.BinOp(arguments[0], ast.Div(), arguments[1])
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if getattr(node.value, "id", "") == "sp":
            return ast.Name(node.attr)
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _number(node.value) if isinstance(node.value, str) else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Leave out factors and exponents of 1 and terms of 0, which wrong versions change."""
        self.generic_visit(node)
        if isinstance(node.op, ast.Mult) and _is(1, node.left):
            return node.right
        if isinstance(node.op, ast.Mult | ast.Pow) and _is(1, node.right):
            return node.left
        if isinstance(node.op, ast.Add | ast.Sub) and _is(0, node.right):
            return node.left
        return node


def _number(text: str) -> ast.expr:
    """Return a number as an expression, so that it gets brackets where it needs them."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return ast.Name(text)


def _called(node: ast.expr) -> str:
    """Return the name of the function that an expression calls; nothing if it calls none."""
    function = node.func if isinstance(node, ast.Call) else None
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _is(number: int, node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == number


def _is_formula(value: object) -> bool:
    """Return whether a value is of sympy, or a list of such."""
    if isinstance(value, tuple | list):
        return bool(value) and all(map(_is_formula, value))
    return isinstance(value, sp.Basic | sp.MatrixBase)


def _are_symbols(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(part, sp.Symbol) for part in value)


def _assignments(frame: FrameType) -> Mapping[str, ast.expr]:
    """Return by name the expressions of a function that are assigned once, above a line.

    A term that is added later, as by ``spent += ...``, belongs to the expression.
    """
    made: dict[str, list[ast.expr]] = {}
    columns: dict[str, int] = {}
    for node in _nodes(frame.f_code.co_filename, ast.Assign, ast.AugAssign):
        if not _within(node, frame):
            continue
        if isinstance(node, ast.AugAssign):
            name = getattr(node.target, "id", "")
            before = made.get(name, [])
            if len(before) == 1 and columns[name] == node.col_offset:
                made[name] = [ast.BinOp(before[0], node.op, node.value)]
            else:  # in a loop
                before.append(node.value)
            continue
        for target in node.targets:
            for name, value in _targets(target, node.value):
                made.setdefault(name, []).append(value)
                columns[name] = node.col_offset
    return {name: values[0] for name, values in made.items() if len(values) == 1}


def _appended(
    frame: FrameType,
) -> Mapping[str, list[tuple[ast.expr, list[ast.For]]]]:
    """Return by name what a function appends to its lists, each with the loops it is in."""
    found: dict[str, list[tuple[ast.expr, list[ast.For]]]] = {}

    def visit(node: ast.AST, loops: list[ast.For]) -> None:
        if isinstance(node, ast.For):
            loops = [*loops, node]
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[item]):
                found.setdefault(name, []).append((item, loops))
        for child in ast.iter_child_nodes(node):
            visit(child, loops)

    for node in _nodes(frame.f_code.co_filename, ast.FunctionDef):
        if _is_of(node, frame):
            visit(node, [])
    return found


def _stored(tree: ast.AST) -> set[str]:
    """Return the names that a part of a program assigns."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)}


def _is_of(node: ast.FunctionDef, frame: FrameType) -> bool:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return node.name == frame.f_code.co_name and first == frame.f_code.co_firstlineno


def _targets(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for part, its in zip(target.elts, value.elts, strict=False):
            yield from _targets(part, its)


def _within(node: ast.stmt, frame: FrameType) -> bool:
    return frame.f_code.co_firstlineno <= node.lineno <= frame.f_lineno


def _call(frame: FrameType) -> ast.Call | None:
    """Return the call that a frame is at."""
    found = itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None)
    place = next(found, None)
    node: ast.Call
    for node in _nodes(frame.f_code.co_filename, ast.Call):
        if (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == place:
            return node
    return None


@cache
def _nodes(filename: str, *kinds: type[Any]) -> tuple[Any, ...]:
    """Return the nodes of some kinds in a file of Python, in the order of :func:`ast.walk`."""
    return tuple(node for node in ast.walk(_module(filename)) if isinstance(node, kinds))


@cache
def _module(filename: str) -> ast.Module:
    path = Path(filename)
    return ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "")
