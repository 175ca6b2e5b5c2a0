"""Brackets, bars and fractions of a formula, from its signs side by side."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.site.formulas.tree import (
    BARS,
    OPEN,
    SPACE,
    Bracketed,
    Fraction,
    Leaf,
    Node,
    NodeRow,
    Scripted,
    is_function,
    is_word,
    sign_of,
)

_SLASH = Leaf("mo", "/")


def grouped(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return nodes with what is in brackets or bars as one node.

    Parameters
    ----------
    nodes : sequence of Node
        Side by side.

    Returns
    -------
    tuple of Node
        Brackets around words are words; a sign without a partner stays what it is.
    """
    done: list[Node] = []
    for node in nodes:
        sign = sign_of(node)
        start = _start(done, sign)
        if start is None:
            done.append(node)
            continue
        inside = done[start + 1 :]
        if any(isinstance(part, Leaf) and part.kind == "word" for part in inside):
            if isinstance(node, Leaf):
                done[start], node = Leaf("word", sign_of(done[start])), Leaf("word", sign)
            done.append(node)
            continue
        group: Node = Bracketed(sign_of(done[start]), NodeRow(tuple(inside)), sign)
        if isinstance(node, Scripted):
            group = Scripted(group, node.below, node.above)
        done[start:] = [group]
    return tuple(done)


def _start(done: Sequence[Node], sign: str) -> int | None:
    """Return where what a sign closes was opened; None if it closes nothing."""
    for start in range(len(done) - 1, -1, -1):
        node = done[start]
        opened = sign_of(node) if isinstance(node, Leaf) else ""
        if sign in BARS and opened == sign:
            return start if _next(done, start + 1) is not None else None
        if opened in OPEN or (opened in BARS and sign in BARS):
            return start if OPEN.get(opened) == sign else None
    return None


def with_fractions(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return nodes with fractions for the slashes before a bracket or a number.

    Parameters
    ----------
    nodes : sequence of Node
        Of :func:`grouped`.

    Returns
    -------
    tuple of Node
        A slash stays where a reader may see another fraction; there is none in a fraction.
    """
    done: list[Node] = []
    place = 0
    while place < len(nodes):
        below = nodes[place + 1] if nodes[place] == _SLASH and place + 1 < len(nodes) else None
        start = (
            _start_of_product(done) if _ends_alone(below, nodes[place + 2 : place + 3]) else None
        )
        if below is None or start is None:
            done.append(nodes[place])
            place += 1
            continue
        done[start:] = [Fraction(NodeRow(_bare(done[start:])), NodeRow(_bare([below])))]
        place += 2
    return tuple(map(_inside, done))


def _inside(node: Node) -> Node:
    match node:
        case Bracketed(opened=opened, inside=inside, closed=closed):
            return Bracketed(opened, NodeRow(with_fractions(inside.parts)), closed)
        case Scripted(base=Bracketed() as group, below=below, above=above):
            return Scripted(_inside(group), below, above)
    return node


def _ends_alone(divisor: Node | None, following: Sequence[Node]) -> bool:
    """Return whether a divisor surely ends where it ends: it is ``(a b)`` or a number."""
    base = divisor.base if isinstance(divisor, Scripted) else divisor
    ends = isinstance(base, Bracketed) or (isinstance(base, Leaf) and base.kind == "mn")
    return ends and all(is_word(node) or _is_sign(node) for node in following)


def _is_sign(node: Node) -> bool:
    return isinstance(node, Leaf) and node.kind == "mo"


def _start_of_product(nodes: Sequence[Node]) -> int | None:
    """Return where the product at the end of nodes starts; None if a reader may see it elsewhere.

    ``log a b/(c)``, ``a/b/(c)`` and ``sum_i a_i/(c)`` are not read.
    """
    start = len(nodes)
    for place in range(len(nodes) - 1, -1, -1):
        node = nodes[place]
        applied = place + 1 < len(nodes) and _is_group(nodes[place + 1])
        if node == _SLASH or node == Leaf("mo", "√") or _is_large(node):
            return None
        if is_function(node) and not applied:
            return None
        if sign_of(node) or (is_word(node) and node != SPACE):
            break
        start = start if node == SPACE else place
    return start if start < len(nodes) else None


def _is_group(node: Node) -> bool:
    return isinstance(node, Bracketed) or (isinstance(node, Scripted) and _is_group(node.base))


def _is_large(node: Node) -> bool:
    if isinstance(node, Scripted):
        return _is_large(node.base)
    return isinstance(node, Leaf) and (node.kind == "large" or node.text == "∇")


def _next(nodes: Sequence[Node], place: int) -> Node | None:
    return next((node for node in nodes[place:] if node != SPACE), None)


def _bare(product: Sequence[Node]) -> tuple[Node, ...]:
    """Return a product without the spaces behind it, and without a bracket around all of it."""
    nodes = [*product]
    while nodes[-1] == SPACE:
        del nodes[-1]
    match nodes:
        case [Bracketed(opened="(", inside=inside)]:
            return inside.parts
    return tuple(nodes)
