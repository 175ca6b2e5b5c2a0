"""The two sides of an identity as the check wrote them, before sympy simplifies them.

Sympy works out an expression as it is built: of a step that equates ``4*b*(1 - s)`` with ``s`` it
may keep ``s = s``. What a reader must see is what was equated, so it is read from the source.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import FrameType

from proofs_checks.extras import sp

EXACT = ("Rational", "Integer", "rational", "nsimplify", "sympify")
"""Functions that only make a number exact: their arguments are shown alone."""


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
        self._line = frame.f_lineno
        self._made = _assignments(frame)

    def pair(self, node: ast.expr) -> str:
        """Return a pair, or pairs by a comprehension, in words; nothing if it is neither."""
        if isinstance(node, ast.Starred):
            inner = node.value
            inner = self._made.get(inner.id, inner) if isinstance(inner, ast.Name) else inner
            if not isinstance(inner, ast.GeneratorExp | ast.ListComp):
                return ""
            loops = " ".join(self.of_loop(loop) for loop in inner.generators)
            said = self.pair(inner.elt)
            return f"{said} {loops}" if said else ""
        if not isinstance(node, ast.Tuple) or len(node.elts) != 2:
            return ""
        left, right = node.elts
        return f"{self.of(left)} = {self.of(right)}"

    def of_loop(self, loop: ast.comprehension) -> str:
        """Return a loop of a comprehension in words."""
        conditions = "".join(f" if {self.of(condition)}" for condition in loop.ifs)
        return f"for {ast.unparse(loop.target)} in {self.of(loop.iter)}{conditions}"

    def of(self, node: ast.expr) -> str:
        """Return an expression in words, and add what it names to the legend."""
        copy: ast.expr = ast.parse(ast.unparse(node), mode="eval").body
        return ast.unparse(self.visit(copy)).replace(" ** ", "^")

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value: object = self._values.get(node.id)
        if isinstance(value, sp.Symbol):
            return ast.Name(str(value))
        if isinstance(value, int | float | str):
            return _number(str(value))
        if isinstance(value, sp.Basic) and node.id not in self.legend:
            self.legend[node.id] = ""  # it may name itself
            made = self._made.get(node.id)
            self.legend[node.id] = self.of(made) if made is not None else str(value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
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
        """Leave out factors and exponents of 1, which wrong versions change."""
        self.generic_visit(node)
        if isinstance(node.op, ast.Mult) and _is_one(node.left):
            return node.right
        if isinstance(node.op, ast.Mult | ast.Pow) and _is_one(node.right):
            return node.left
        return node


def _number(text: str) -> ast.expr:
    """Return a number as an expression, so that it gets brackets where it needs them."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return ast.Name(text)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _assignments(frame: FrameType) -> Mapping[str, ast.expr]:
    """Return by name the expressions of a function that are assigned once, above a line.

    A term that is added later, as by ``spent += ...``, belongs to the expression.
    """
    made: dict[str, list[ast.expr]] = {}
    columns: dict[str, int] = {}
    for node in ast.walk(_module(frame.f_code.co_filename)):
        if not isinstance(node, ast.Assign | ast.AugAssign) or not _within(node, frame):
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
    for node in ast.walk(_module(frame.f_code.co_filename)):
        if isinstance(node, ast.Call):
            own = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
            if own == place:
                return node
    return None


@cache
def _module(filename: str) -> ast.Module:
    path = Path(filename)
    return ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "")
