"""One-line mutants: the reference with one expression changed, and what each change breaks.

A mutant is found in the syntax tree: nobody writes it down. It changes a comparison, a sign, an
operator, a number or a truth value, takes the smaller for the larger, leaves a step or a record
out, or passes on the first argument of a call that bounds or moves it.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib
import inspect
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np

FLAGS: dict[str, tuple[str, str]] = {
    "noise": ("noise of the wrong size", "privacy"),
    "bound": (
        "a clip, truncation or projection that bounds a record is missing or wrong",
        "privacy",
    ),
    "divisor": ("n - 1 for n, or another wrong divisor", "privacy"),
    "batch": ("records are read more often, or other ones, than the algorithm says", "privacy"),
    "draws": ("draws are used in another order, or twice", "privacy"),
    "printed": ("the sources' printed form, with its errata", "see the errata"),
    "index": ("off by one, or the wrong coordinate", "result"),
    "sign": ("a sign or a direction", "result"),
    "step": ("a wrong step, weight or number of steps", "utility"),
    "branch": ("a branch that is not taken, or the wrong way", "result"),
    "formula": ("another formula", "result"),
    "precision": ("single precision", "result"),
}
"""Kinds of mistakes: what they are and what they endanger."""

SWAPPED: dict[type[ast.AST], tuple[type[ast.AST], str]] = {
    ast.Add: (ast.Sub, "- for +"),
    ast.Sub: (ast.Add, "+ for -"),
    ast.Mult: (ast.Div, "/ for *"),
    ast.Div: (ast.Mult, "* for /"),
    ast.Lt: (ast.LtE, "<= for <"),
    ast.LtE: (ast.Lt, "< for <="),
    ast.Gt: (ast.GtE, ">= for >"),
    ast.GtE: (ast.Gt, "> for >="),
    ast.Eq: (ast.NotEq, "!= for =="),
    ast.NotEq: (ast.Eq, "== for !="),
    ast.And: (ast.Or, "or for and"),
    ast.Or: (ast.And, "and for or"),
}
NAMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
BOUNDING = ("clip", "truncat", "project", "bounded", "normal", "reach", "prox", "threshold")
"""Parts of the names of functions that bound or move their first argument."""
COUNTS = ("n", "size", "n_records", "n_iterations", "len")


@dataclass(frozen=True)
class Mutant:
    """One changed expression.

    Attributes
    ----------
    path : str
        Of the file, from the root.
    line, start, end : int
        Where the expression stands: the line from 1, and bytes of it.
    before, after : str
    about : str
        What is changed, without the names of variables.
    flag : str
        Key of :data:`FLAGS`.
    function : str
        Qualified name of the innermost function; empty outside of functions.
    begins : int
        The line on which that begins, its decorators included.
    checks : bool
        Whether the statement is a docstring or can only refuse an argument.
    """

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str
    about: str = ""
    flag: str = "formula"
    function: str = ""
    begins: int = 0
    checks: bool = False

    def applied(self, source: str) -> str:
        """Return the source of the file with the expression changed."""
        lines = source.splitlines(keepends=True)
        raw = lines[self.line - 1].encode()
        changed = raw[: self.start] + self.after.encode() + raw[self.end :]
        return "".join((*lines[: self.line - 1], changed.decode(), *lines[self.line :]))

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} -> {self.after}"


def mutants_of(path: str, source: str) -> Iterator[Mutant]:
    """Yield every mutant of a file; annotations and what is written over several lines are left."""
    tree, lines = ast.parse(source), source.splitlines()
    places = _places(tree)
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        for name in ("annotation", "returns")
        if (part := getattr(node, name, None)) is not None
        for inner in ast.walk(part)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr) or id(node) in skipped or node.lineno != node.end_lineno:
            continue
        start, end = node.col_offset, node.end_col_offset or 0
        before = lines[node.lineno - 1].encode()[start:end].decode()
        place = places.get(node.lineno, ("", 0, False))
        for after, about, flag in _changed(node):
            yield Mutant(path, node.lineno, start, end, before, after, about, flag, *place)


def _changed(node: ast.expr) -> Iterator[tuple[str, str, str]]:
    """Yield what an expression may be changed to, what that is, and the kind of mistake."""
    twin = copy.deepcopy(node)
    if isinstance(twin, (ast.BinOp, ast.BoolOp)) and type(twin.op) in SWAPPED:
        other, about = SWAPPED[type(twin.op)]
        additive = isinstance(twin.op, (ast.Add, ast.Sub))
        twin.op = other()  # type: ignore[assignment]
        kind = "branch" if isinstance(twin, ast.BoolOp) else "sign" if additive else "formula"
        yield f"({ast.unparse(twin)})", about, kind
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _counts(node.right):
            left, right = ast.unparse(node.left), ast.unparse(node.right)
            yield f"(({left}) / ({right} - 1))", "n - 1 for n", "divisor"
    elif isinstance(twin, ast.Compare) and type(twin.ops[0]) in SWAPPED:
        other, about = SWAPPED[type(twin.ops[0])]
        twin.ops[0] = other()  # type: ignore[call-overload]
        yield f"({ast.unparse(twin)})", about, "branch"
    elif isinstance(twin, ast.UnaryOp) and isinstance(twin.op, (ast.Not, ast.USub)):
        negative = isinstance(twin.op, ast.USub)
        about, kind = ("a minus is left out", "sign") if negative else ("not turned", "branch")
        yield f"({ast.unparse(twin.operand)})", about, kind
    elif isinstance(twin, ast.Constant) and isinstance(twin.value, bool):
        yield str(not twin.value), f"{not twin.value} for {twin.value}", "branch"
    elif isinstance(twin, ast.Constant) and isinstance(twin.value, (int, float)):
        whole = isinstance(twin.value, int)
        after = repr(twin.value + 1 if whole else 1.5 * twin.value or 1.0)
        yield after, f"{after} for {twin.value!r}", "index" if whole else "formula"
    elif isinstance(twin, ast.Call):
        yield from _other_calls(twin)


def _other_calls(node: ast.Call) -> Iterator[tuple[str, str, str]]:
    function = node.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if name in NAMES:
        other = copy.deepcopy(node)
        setattr(other.func, "id" if isinstance(function, ast.Name) else "attr", NAMES[name])
        yield ast.unparse(other), f"{NAMES[name]} for {name}", "branch"
    if name == "range" and len(node.args) == 1:
        yield f"range({ast.unparse(node.args[0])} - 1)", "one step fewer", "step"
    if node.args and any(part in name.lower() for part in BOUNDING) and name != "threshold":
        yield f"({ast.unparse(node.args[0])})", f"{name} is left out", "bound"


def _counts(node: ast.expr) -> bool:
    name = node.func if isinstance(node, ast.Call) else node
    return isinstance(name, ast.Name) and name.id in COUNTS


def _places(tree: ast.AST) -> dict[int, tuple[str, int, bool]]:
    """Return, by line, the innermost function, where it begins, and whether it only checks."""
    inside: dict[int, tuple[str, int, bool]] = {}
    for name, node in _functions(tree, ""):
        first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
        for part in node.body:
            for line in range(part.lineno, (part.end_lineno or part.lineno) + 1):
                inside[line] = (name, first, _only_checks(part))
    return inside


def _functions(node: ast.AST, before: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions in a piece of source by their qualified names, the outer ones first."""
    for child in ast.iter_child_nodes(node):
        name = before
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            name = f"{before}.{child.name}".lstrip(".")
        if isinstance(child, ast.FunctionDef):
            yield name, child
        yield from _functions(child, name)


def _only_checks(node: ast.stmt) -> bool:
    """Return whether a statement is a docstring, or can only raise."""
    if isinstance(node, ast.If):
        return all(isinstance(part, ast.Raise) for part in node.body) and not node.orelse
    if isinstance(node, ast.Raise):
        return True
    called = node.value if isinstance(node, ast.Expr) else None
    if isinstance(called, ast.Call) and isinstance(called.func, ast.Name):
        return called.func.id.startswith("require_")
    return isinstance(called, ast.Constant)


# ------------------------------------------------------------------------------ in the process


@contextlib.contextmanager
def recompiled(module: types.ModuleType, source: str) -> Iterator[None]:
    """Have a module's functions, methods and numbers be what another source makes of them.

    Their code is exchanged in place, so that everybody who has imported them is concerned. Warnings
    say nothing meanwhile: a suite in which they are errors would notice more.
    """
    other = _made_of(source, module.__name__, str(module.__file__))
    undo: list[Callable[[], None]] = [forget]
    try:
        forget()
        for old, new in _pairs(module, other):
            undo.append(partial(_exchange, old, old.__code__, old.__defaults__))
            _exchange(old, new.__code__, new.__defaults__)
        for name, value in list(vars(module).items()):
            changed = vars(other).get(name)
            if isinstance(value, (int, float)) and changed != value:
                undo.append(partial(setattr, module, name, value))
                setattr(module, name, changed)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for step in reversed(undo):
            step()


@lru_cache(maxsize=256)  # the cases of one algorithm try the same mutants
def _made_of(source: str, name: str, file: str) -> types.ModuleType:
    """Return the module that a source makes."""
    module = types.ModuleType(name)
    module.__file__ = file
    exec(compile(source, file, "exec"), vars(module))
    return module


def forget() -> None:
    """Forget what the functions of the reference remember, which may be a mutant's or the right."""
    for function in _remembering(len(sys.modules)):
        function.cache_clear()


@cache
def _remembering(loaded: int) -> tuple[Any, ...]:
    """Return the functions of the reference with a cache, of so many modules that are loaded."""
    return tuple(
        item
        for name, module in list(sys.modules.items())
        if name.startswith("reference.") and name != "reference.catalogue"
        for item in list(vars(module).values())
        if hasattr(item, "cache_clear")
    )


def _exchange(function: Any, code: Any, defaults: Any) -> None:
    function.__code__, function.__defaults__ = code, defaults


def _pairs(module: types.ModuleType, other: types.ModuleType) -> Iterator[tuple[Any, Any]]:
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


# ------------------------------------------------------------------------------ what a case notices

TRIES = 3
"""Mutants of a kind of mistake that are tried for a case."""

NOT_BROKEN = (
    "reference._validation",
    "reference.catalogue",
    "reference.constants",
    "reference.errata",
    "reference.parameters",
    "reference.per_record",
    "reference.privacy.ledger",
)
"""Modules that a port does not have, or need not have: mutants are made in the others only."""


def functions_run(work: Callable[[], Any]) -> list[tuple[str, int]]:
    """Return the functions of the reference that run, in order: module, and first line."""
    begun: dict[tuple[str, int], None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            name = str(frame.f_globals.get("__name__", ""))
            if name.startswith("reference.") and not name.startswith(NOT_BROKEN):
                begun[name, frame.f_code.co_firstlineno] = None

    old = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(old)
    return list(begun)


@cache
def by_function(module: str) -> Mapping[int, tuple[Mutant, ...]]:
    """Return the mutants of a module by the line on which their function begins.

    Those that check an argument are left out, and those in a loop that may have no end.
    """
    source = inspect.getsource(importlib.import_module(module))
    endless = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.While)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    found: dict[int, tuple[Mutant, ...]] = {}
    for mutant in mutants_of(module, source):
        if mutant.function and not mutant.checks and mutant.line not in endless:
            found[mutant.begins] = (*found.get(mutant.begins, ()), mutant)
    return found


def noticed(
    run: Callable[[], Any], is_noticed: Callable[[], bool], *, most: int, spared: str = ""
) -> list[dict[str, str]]:
    """Return mutants that a case tells from the reference, one of each kind of mistake.

    Parameters
    ----------
    run : callable
        Runs the reference on the case: what it does not run is not broken.
    is_noticed : callable
        Whether the reference, as it is broken now, is not what the case says. An error tells
        nothing: whoever makes one that raises knows.
    most : int
        Kinds of mistakes that are named.
    spared : str
        How the names of modules begin that are not broken; empty for none.
    """
    ran = [place for place in functions_run(run) if not spared or not place[0].startswith(spared)]
    by_flag: dict[str, list[Mutant]] = {flag: [] for flag in FLAGS}
    for name, line in ran:
        for mutant in by_function(name).get(line, ()):
            by_flag[mutant.flag].append(mutant)
    caught = (_first_noticed(mutants[:TRIES], is_noticed) for mutants in by_flag.values())
    named = islice((mutant for mutant in caught if mutant is not None), most)
    return [{"twin": f"{item.about} in {item.function}", "flag": item.flag} for item in named]


def _first_noticed(mutants: Sequence[Mutant], is_noticed: Callable[[], bool]) -> Mutant | None:
    for mutant in mutants:
        module = importlib.import_module(mutant.path)
        with (
            contextlib.suppress(Exception),  # whatever a mutant does
            recompiled(module, mutant.applied(inspect.getsource(module))),
        ):
            if is_noticed():
                return mutant
    return None
