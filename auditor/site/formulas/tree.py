"""A formula as a tree, and what its nodes have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from auditor.site.formulas.scripts import GREEK


class Ambiguous(Exception):
    """A formula has two readings, or none."""


@dataclass(frozen=True)
class Leaf:
    """A word, a sign or a symbol.

    Attributes
    ----------
    kind : str
        ``mi`` (a symbol), ``mn`` (a number), ``mo`` (a sign), ``function``, ``large`` (a sum and
        the like), ``word`` or ``space``.
    text : str
    """

    kind: str
    text: str


@dataclass(frozen=True)
class Scripted:
    """A node with scripts; a script that it has not is an empty row."""

    base: Node
    below: NodeRow
    above: NodeRow


@dataclass(frozen=True)
class Accented:
    """A symbol under a hat, a bar or a tilde."""

    base: Node
    accent: str


@dataclass(frozen=True)
class Bracketed:
    """A bracket or bars and their inside."""

    opened: str
    inside: NodeRow
    closed: str


@dataclass(frozen=True)
class Root:
    """A square root."""

    inside: NodeRow


@dataclass(frozen=True)
class Fraction:
    """A fraction, with the bracket that its divisor had in the text left out."""

    above: NodeRow
    below: NodeRow


@dataclass(frozen=True)
class NodeRow:
    """Nodes side by side."""

    parts: tuple[Node, ...] = ()


Node = Leaf | Scripted | Accented | Bracketed | Root | Fraction | NodeRow

SPACE = Leaf("space", " ")

FUNCTIONS = frozenset({
    "log", "ln", "exp", "max", "min", "sup", "inf", "argmin", "argmax", "lim", "det", "erf", "Tr",
    "tr", "cos", "sin", "tanh", "cosh", "sinh", "coth", "arccosh", "Var", "Cov",
})  # fmt: skip
LARGE = {"sum": "∑", "prod": "∏", "int": "∫"}
SYMBOLS = {**GREEK, "grad": "∇", "infinity": "∞"} | {
    name: name for name in ("eps", "te", "bbar", "thbar", "Hess")
}
ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~"}
OPEN = {"(": ")", "[": "]", "{": "}", "⟨": "⟩"}
"""Bracket -> the one that closes it."""

CLOSED, BARS = frozenset(OPEN.values()), frozenset("|‖")
RELATIONS = frozenset("=<>≤≥≠≈→⇒⇔∼≪≫") | {":="}
BREAKS = RELATIONS | {"+", "−", "±", ",", ";"}
"""Signs with a space beside them at which a line may be broken."""


def sign_of(node: Node | None) -> str:
    """Return the sign that a node is, whatever scripts it has; empty if it is none."""
    if isinstance(node, Scripted):
        return sign_of(node.base)
    return node.text if isinstance(node, Leaf) and node.kind == "mo" else ""


def is_function(node: Node) -> bool:
    """Return whether a node is a function such as ``log``, whatever scripts it has."""
    if isinstance(node, Scripted):
        return is_function(node.base)
    return isinstance(node, Leaf) and node.kind == "function"


def is_word(node: Node) -> bool:
    """Return whether a node is a word or a space, which may be between words."""
    return isinstance(node, Leaf) and node.kind in ("word", "space")


def runs(nodes: Sequence[Node]) -> list[tuple[Node, ...]]:
    """Return words, with the spaces around them, and the formulas between them, in turn."""
    found: list[list[Node]] = []
    for node in nodes:
        if not found or (node != SPACE and is_word(node) != is_word(found[-1][0])):
            found.append([])
        found[-1].append(node)
    for run, following in pairwise(found):
        while run[-1] == SPACE and not is_word(run[0]):  # a space before a word is the word's
            following.insert(0, run.pop())
    return [tuple(run) for run in found]
