"""The numbers to code for an algorithm: releases, formulas and definitions, typeset."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.site.coded import mathematics, symbols
from auditor.site.coded.reading import Record, Unreadable, formulas, property_of, substituted
from auditor.site.coded.releases import CodedConstants, CodedRelease, LedgerCalls, Loop, found_in
from reference import constraint_sets
from reference.catalogue import Entry
from reference.privacy.ledger import Ledger

LONGEST_DEFINITION = 260
"""Characters of what a docstring says of a function, if it is more than the first sentence."""


@dataclass(frozen=True)
class Row:
    """A release as it is shown: MathML, but for the words.

    Attributes
    ----------
    words : str
    sensitivity, noise, times : str
    """

    words: str
    sensitivity: str
    noise: str
    times: str


@dataclass(frozen=True)
class Definition:
    """A symbol, its name in the code, and what it means."""

    symbol: str
    name: str
    text: str


@dataclass(frozen=True)
class WhatToCode:
    """The numbers to code of an algorithm, as its page shows them.

    Attributes
    ----------
    releases : tuple of Row
    equations : tuple of str
        MathML.
    definitions : tuple of Definition
    factory : str
        Where the formulas are in the code; empty if they stand in the calls of the ledger.
    """

    releases: tuple[Row, ...]
    equations: tuple[str, ...]
    definitions: tuple[Definition, ...]
    factory: str


def what_to_code(entry: Entry) -> WhatToCode:
    """Return the releases, formulas and symbols of an algorithm.

    Parameters
    ----------
    entry : Entry
    """
    found = found_in(entry.function)
    releases = [_renamed(release, found) for release in found.releases]
    lines, fields = lines_of(entry, found, releases)
    owners = [f.factory for f in found.fixed] + [entry.function]
    page = _Page(entry, owners, fields, lines, found.computed, _loop_variables(releases))
    rows = tuple(page.row(release) for release in releases)
    equations = tuple(page.equation(name, value) for name, value in lines.items())
    factories = [f"{f.factory.__module__}.{f.factory.__name__}" for f in found.fixed]
    return WhatToCode(_distinct(rows), equations, tuple(page.definitions()), ", ".join(factories))


def lines_of(
    entry: Entry, found: LedgerCalls, releases: Sequence[CodedRelease]
) -> tuple[dict[str, ast.expr], dict[str, list[Any]]]:
    """Return the formulas of an algorithm's constants by name, and the dataclass of each constant.

    Parameters
    ----------
    entry : Entry
    found : LedgerCalls
        What its code does with the ledger.
    releases : sequence of CodedRelease
        In the names of constants. A property of the constants is a line if a release names it.
    """
    lines: dict[str, ast.expr] = {}
    fields: dict[str, list[Any]] = {}
    released = {name for r in releases for size in r.sizes.values() for name in _names_in(size)}
    for fixed in found.fixed:
        own, kind, names = _lines(fixed, entry, len(found.fixed) > 1, released)
        lines.update({name: value for name, value in own.items() if name not in lines})
        fields.update({name: [kind] for name in names})
    return lines, fields


def _distinct(rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple(dict.fromkeys(rows))


def _loop_variables(releases: Sequence[CodedRelease]) -> dict[str, Loop]:
    return {loop.target: loop for r in releases for loop in r.times if loop.target}


# ------------------------------------------------------------------------------- constants


def _lines(
    fixed: CodedConstants, entry: Entry, several: bool, released: set[str]
) -> tuple[dict[str, ast.expr], type, list[str]]:
    """Return the formulas of one call, by name, the dataclass and the names of its fields."""
    parameters = inspect.signature(inspect.unwrap(entry.function)).parameters
    given: dict[str, ast.expr] = {}
    extra: dict[str, ast.expr] = {}
    for name, value in fixed.given.items():
        value = _folded(value)
        plain = isinstance(value, ast.Name) and value.id in parameters
        if isinstance(value, ast.Constant) or plain:
            given[name] = value
        else:
            given[name] = ast.Name(name)
            if isinstance(value, ast.BinOp | ast.Attribute) and _of(value, parameters):
                extra[name] = value
    try:
        lines, record = formulas(fixed.factory, given)
    except Unreadable:
        return {}, object, []
    values = {name: value for name, value in record.fields.items() if isinstance(value, ast.expr)}
    alias = {value.id: name for name, value in values.items()
             if isinstance(value, ast.Name) and value.id in lines}  # fmt: skip
    lines, values = _without_clashes(lines, values, alias)
    renamed: dict[str, ast.expr] = {name: ast.Name(field) for name, field in alias.items()}
    found = {name: value for name, value in extra.items() if name not in values}
    for name, value in lines.items():
        found[alias.get(name, name)] = substituted(value, renamed)
    for name, value in values.items():
        if not (isinstance(value, ast.Name) and alias.get(value.id) == name):
            found[name] = substituted(value, renamed)
    own = Record(record.kind, {name: ast.Name(name) for name in record.fields})
    for name in released - values.keys():
        formula = property_of(own, name)
        if formula is not None:
            values[name] = found[name] = formula
    found = _needed(found, list(values))
    prefix = f"{fixed.name}_" if several and fixed.name not in ("", "chosen") else ""
    names = {name: f"{prefix}{name}" for name in values}
    new: dict[str, ast.expr] = {name: ast.Name(own) for name, own in names.items()}
    return (
        {names.get(name, name): substituted(value, new) for name, value in found.items()},
        record.kind,
        list(names.values()),
    )


def _without_clashes(
    lines: dict[str, ast.expr], values: dict[str, ast.expr], alias: Mapping[str, str]
) -> tuple[dict[str, ast.expr], dict[str, ast.expr]]:
    """Put lines in place of their names, where a constant of the same name is another formula."""
    clashing = {n: v for n, v in lines.items() if n in values and alias.get(n) != n}
    clashing = {n: v for n, v in clashing.items() if n not in alias}
    kept = {n: substituted(v, clashing) for n, v in lines.items() if n not in clashing}
    return kept, {n: substituted(v, clashing) for n, v in values.items()}


def _needed(lines: dict[str, ast.expr], wanted: Sequence[str]) -> dict[str, ast.expr]:
    """Return the lines that the constants need; words that are used once are put in place."""
    used: dict[str, int] = {}

    def visit(name: str) -> None:
        used[name] = used.get(name, 0) + 1
        if used[name] == 1 and name in lines:
            for other in _names_in(lines[name]):
                if other != name:
                    visit(other)

    for name in wanted:
        visit(name)
    kept = {name: value for name, value in lines.items() if name in used}
    once = {
        name: value
        for name, value in kept.items()
        if name not in wanted and used[name] == 1 and not _is_symbol(name)
        and not isinstance(value, ast.IfExp)
    }  # fmt: skip
    for name, value in once.items():
        del kept[name]
        kept = {other: substituted(own, {name: value}) for other, own in kept.items()}
        once.update({o: substituted(v, {name: value}) for o, v in once.items() if o in once})
    return _in_order(kept)


def _in_order(lines: dict[str, ast.expr]) -> dict[str, ast.expr]:
    """Return lines so that each stands after those that it names."""
    found: dict[str, ast.expr] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in found or name not in lines or name in above:
            return
        for other in _names_in(lines[name]):
            visit(other, (*above, name))
        found[name] = lines[name]

    for name in lines:
        visit(name, ())
    return found


def _names_in(node: ast.expr) -> list[str]:
    return [part.id for part in ast.walk(node)
            if isinstance(part, ast.Name) and not hasattr(part, "function")]  # fmt: skip


def _is_symbol(name: str) -> bool:
    return not mathematics.symbol(name).startswith(r"\text")


def _of(node: ast.expr, parameters: Mapping[str, object]) -> bool:
    """Return whether an expression is arithmetic of parameters."""
    allowed = (ast.BinOp, ast.Name, ast.Constant, ast.Attribute, ast.operator, ast.expr_context)
    names = _names_in(node)
    return (
        bool(names)
        and all(name in (*parameters, "n") for name in names)
        and all(isinstance(part, allowed) for part in ast.walk(node))
        and isinstance(node, ast.BinOp)
    )


def _folded(node: ast.expr) -> ast.expr:
    """Return the radius of a ball that is written out, ``L2Ball(1.0).radius``, as its number."""
    match node:
        case ast.Attribute(
            value=ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=size)]), attr="radius"
        ) if hasattr(constraint_sets, name):
            return ast.Constant(getattr(constraint_sets, name)(size).radius)
    return node


# -------------------------------------------------------------------------------- releases


def _renamed(release: CodedRelease, found: LedgerCalls) -> CodedRelease:
    """Return a release in the names of constants: ``chosen.noise_scale`` is ``noise_scale``."""
    several = len(found.fixed) > 1
    prefixes = {f.name: f"{f.name}_" if several and f.name != "chosen" else "" for f in found.fixed}
    prefixes |= {"constants": "", "chosen": ""}

    class Names(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
            if isinstance(node.value, ast.Name) and node.value.id in prefixes:
                return ast.Name(f"{prefixes[node.value.id]}{node.attr}")
            return node

    def named(node: ast.expr) -> ast.expr:
        return Names().visit(node)  # type: ignore[no-any-return]

    times = tuple(
        Loop(loop.target,
             loop.count if isinstance(loop.count, str) else named(loop.count),
             loop.start and named(loop.start))
        for loop in release.times
    )  # fmt: skip
    sizes = {name: named(value) for name, value in release.sizes.items()}
    return CodedRelease(release.method, sizes, times, release.unit, release.sampled)


class _Page:
    """Symbols of one page, and what was used of them."""

    def __init__(
        self,
        entry: Entry,
        owners: list[Any],
        fields: Mapping[str, list[Any]],
        lines: Mapping[str, ast.expr],
        computed: Mapping[str, Callable[..., Any]],
        loops: Mapping[str, Loop],
    ) -> None:
        self._entry, self._owners, self._fields = entry, owners, fields
        self._lines, self._computed, self._loops = lines, computed, loops
        self._symbols: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._taken: set[str] = set()
        for name in fields:
            self._name(name)

    # ------------------------------------------------------------------------------ names

    def _name(self, name: str) -> None:
        """Give a name its symbol and its definition, once."""
        if name in self._symbols:
            return
        owners = [*self._fields.get(name, []), *self._owners]
        text = symbols.definition(name, owners)
        mark = symbols.symbol_of(name, owners)
        if name in self._loops:
            text = "counts the steps of the loop"
        elif not text and name in self._computed:
            text = _said(self._computed[name])
        text = text or symbols.usual_meaning(name)
        if _is_symbol(name) and not symbols.definition(name, owners):
            mark = name
        self._set(name, mark, text)

    def _set(self, key: str, mark: str, text: str) -> None:
        words = re.sub(r"\W+", "_", key.rpartition(".")[2])
        chosen = mark if mark and mathematics.symbol(mark) not in self._taken else words
        if chosen != mark and _is_symbol(chosen) and mathematics.symbol(chosen) in self._taken:
            chosen = f"{words}_"
        self._taken.add(mathematics.symbol(chosen))
        self._symbols[key], self._texts[key] = chosen, text

    def _learn(self, node: ast.expr) -> None:
        """Give everything in an expression its symbol."""
        match node:
            case ast.Call(func=ast.Name() as name) if hasattr(name, "function"):
                if name.id not in self._symbols:
                    self._set(
                        f"{name.id}", symbols.of_function(name.function), _said(name.function)
                    )
                parts: list[ast.AST] = list(mathematics.arguments_of(node))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="math" | "np")) | ast.Name()):
                parts = list(mathematics.arguments_of(node))
            case ast.Attribute():
                self._learn_member(node)
                return
            case ast.Name(id=name):
                if name != "pi":
                    self._name(name)
                return
            case ast.GeneratorExp(elt=elt, generators=loops):
                inside = {n.id for loop in loops for n in ast.walk(loop.target)
                          if isinstance(n, ast.Name)}  # fmt: skip
                for name in inside:
                    self._symbols.setdefault(name, name)
                parts = [elt, *(loop.iter for loop in loops)]
            case _:
                parts = list(ast.iter_child_nodes(node))
        for part in parts:
            if isinstance(part, ast.expr):
                self._learn(part)

    def _learn_member(self, node: ast.Attribute) -> None:
        key = ast.unparse(node)
        if key in self._symbols or not isinstance(node.value, ast.Name):
            if not isinstance(node.value, ast.Name):
                self._learn(node.value)
            return
        for owner in self._owners:
            mark, text = symbols.of_member(owner, node.value.id, node.attr)
            if text:
                self._set(key, mark, text)
                return
        self._set(key, "", f"{node.attr.replace('_', ' ')} of the {node.value.id}")

    # ---------------------------------------------------------------------------- pieces

    def _latex(self, node: ast.expr) -> str:
        node = mathematics.simplified(node)
        self._learn(node)
        return mathematics.latex(node, self._symbols)

    def equation(self, name: str, value: ast.expr) -> str:
        """Return a line as MathML."""
        self._name(name)
        right = self._latex(value)
        return mathematics.mathml(
            f"{mathematics.symbol(self._symbols[name])} = {right}", large=True
        )

    def row(self, release: CodedRelease) -> Row:
        """Return a release as a row."""
        sizes = dict(release.sizes)
        sensitivity = sizes.pop("sensitivity", None)
        background = sizes.pop("background_sensitivity", None)
        noise = [rf"\text{{{name.replace('_', ' ')}}} = {self._latex(value)}"
                 for name, value in sizes.items()]  # fmt: skip
        moved = "" if sensitivity is None else mathematics.mathml(self._latex(sensitivity))
        if background is not None:
            moved += f" in the batch, {mathematics.mathml(self._latex(background))} outside"
        words = _summary(getattr(Ledger, release.method))
        words += " The value is computed from a random batch." if release.sampled else ""
        return Row(
            words,
            moved,
            "<br>".join(mathematics.mathml(part) for part in noise),
            self._times(release),
        )

    def _times(self, release: CodedRelease) -> str:
        """Return how often a release is made."""
        counts = [loop.count for loop in release.times if not isinstance(loop.count, str)]
        over = [loop.count for loop in release.times if isinstance(loop.count, str)]
        number = _product(release.times)
        text = "once" if not counts else mathematics.mathml(self._latex(number))
        text = "" if over and not counts else text
        found = [text, *(f"one for each of: {words}" for words in over)]
        if release.unit:
            found.append(f"by {release.unit}")
        return ", ".join(part for part in found if part)

    def definitions(self) -> Iterator[Definition]:
        """Yield the symbols with what they mean."""
        for key, mark in self._symbols.items():
            if key in self._texts and (self._texts[key] or key not in self._lines):
                set_ = mathematics.mathml(mathematics.symbol(mark))
                yield Definition(set_, key, self._texts[key])


def _product(loops: Sequence[Loop]) -> ast.expr:
    """Return how often nested loops run together."""
    inner: ast.expr = ast.Constant(1)
    for loop in reversed(loops):
        if isinstance(loop.count, str):
            continue
        if loop.target and loop.target in _names_in(inner):
            start = loop.start or ast.Constant(0)
            stop = mathematics.simplified(ast.BinOp(loop.count, ast.Add(), start))
            each = ast.comprehension(
                ast.Name(loop.target), ast.Call(ast.Name("range"), [start, stop], []), [], 0
            )
            inner = ast.Call(ast.Attribute(ast.Name("math"), "fsum"),
                             [ast.GeneratorExp(inner, [each])], [])  # fmt: skip
        else:
            inner = ast.BinOp(loop.count, ast.Mult(), inner)
    return mathematics.simplified(inner)


def _summary(function: Any) -> str:
    return symbols.plain((inspect.getdoc(function) or "").partition("\n\n")[0])


def _said(function: Any) -> str:
    """Return what the docstring of a function says it computes."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    both = symbols.plain(" ".join(paragraphs[:2]))
    text = both if len(both) <= LONGEST_DEFINITION and len(paragraphs) > 1 and not (
        paragraphs[1].startswith("Parameters")
    ) else symbols.plain(paragraphs[0])  # fmt: skip
    return re.sub(r"^Return ", "", text)
