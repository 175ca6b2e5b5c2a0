"""Formulas as MathML, which browsers set without a script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from auditor.site.formulas.reading import parsed
from auditor.site.formulas.scripts import with_scripts
from auditor.site.formulas.tree import (
    BARS,
    BREAKS,
    CLOSED,
    RELATIONS,
    SPACE,
    Accented,
    Ambiguous,
    Bracketed,
    Fraction,
    Leaf,
    Node,
    NodeRow,
    Root,
    Scripted,
    is_word,
    runs,
    sign_of,
)

WIDEST = 30
"""Characters of a formula that a phone shows on one line; a longer one is broken at a sign."""


def html(text: str) -> str:
    """Return a text as HTML with its formulas in MathML; what is not read has scripts alone.

    Parameters
    ----------
    text : str
        With formulas as they are printed on a terminal.
    """
    try:
        return mathml(text)
    except Ambiguous:
        return with_scripts(text)


def mathml(text: str) -> str:
    """Return a text as HTML, with its formulas in MathML.

    Parameters
    ----------
    text : str
        With formulas as they are printed on a terminal.

    Raises
    ------
    Ambiguous
    """
    return "".join(_html(run) for run in runs(parsed(text).parts))


def _html(run: tuple[Node, ...]) -> str:
    """Return a run as HTML; a formula that is too wide for a line in several pieces."""
    if all(map(is_word, run)):
        return "".join(escape(node.text, quote=False) for node in run if isinstance(node, Leaf))
    places = _places_to_break(run)
    if places == [0] or (places and _width(run) > WIDEST):
        first, *others = [-1, *places, len(run)]
        pieces = pairwise([first, *others])
        signs = [*(_core(run[place]).text for place in places), ""]
        return "".join(
            (_html(run[one + 1 : other]) if other > one + 1 else "") + escape(sign, quote=False)
            for (one, other), sign in zip(pieces, signs, strict=True)
        )
    if _width(run) > WIDEST and any(map(_is_group, run)):
        return _html(tuple(part for node in run for part in _opened(node)))
    lead, rest = (" " if run[place] == SPACE else "" for place in (0, -1))
    return f"{lead}{_math(run)}{rest}"


def _math(run: tuple[Node, ...]) -> str:
    signs = [node for node in run if isinstance(node, Leaf) and node.kind in ("mn", "mo", "space")]
    if len(signs) == len(run):
        return escape("".join(node.text for node in signs).strip(), quote=False)
    return f"<math>{_mathml(run)}</math>"


def _places_to_break(run: Sequence[Node]) -> list[int]:
    """Return where a line may be broken: at signs with a space, or else at spaces."""
    signs = [place for place in range(len(run) - 1) if _is_break(run, place)]
    spaces = [place for place in range(1, len(run) - 1) if run[place] == SPACE]
    return signs or spaces


def _is_break(run: Sequence[Node], place: int) -> bool:
    node = run[place]
    return isinstance(node, Leaf) and node.text in BREAKS and run[place + 1] == SPACE


def _opened(node: Node) -> tuple[Node, ...]:
    """Return a group, or a wide fraction or root, as signs, at which a line may be broken."""
    match node:
        case Bracketed(opened=opened, inside=inside, closed=closed):
            return Leaf("mo", opened), *inside.parts, Leaf("mo", closed)
        case Scripted(base=Bracketed() as group, below=below, above=above):
            *parts, last = _opened(group)
            return *parts, Scripted(last, below, above)
        case Fraction(above=above, below=below) if _width_of(node) > WIDEST:
            return *_divided(above), Leaf("mo", "/"), *_divided(below, bracket=True)
        case Root(inside=inside) if _width_of(node) > WIDEST:
            return Leaf("mo", "√"), Bracketed("(", inside, ")")
    return (node,)


def _divided(row: NodeRow, *, bracket: bool = False) -> tuple[Node, ...]:
    """Return a part of a fraction as it stands on a line."""
    sum_ = any(sign_of(part) for part in row.parts)
    single = len(row.parts) == 1 and isinstance(row.parts[0], Scripted | Bracketed)
    return (Bracketed("(", row, ")"),) if sum_ or (bracket and not single) else row.parts


def _is_group(node: Node) -> bool:
    return len(_opened(node)) > 1


def _width(nodes: Sequence[Node]) -> float:
    return sum(map(_width_of, nodes))


def _width_of(node: Node) -> float:
    match node:
        case Leaf(kind="space"):
            return 0.2
        case Leaf(text=text):
            return len(text) + 1.0 * (text in RELATIONS)
        case Scripted(base=base, below=below, above=above):
            return _width_of(base) + 0.7 * max(_width(below.parts), _width(above.parts))
        case Accented(base=base):
            return _width_of(base)
        case Root(inside=inside) | Bracketed(inside=inside):
            return 2 + _width(inside.parts)
        case Fraction(above=above, below=below):
            return max(_width(above.parts), _width(below.parts))
        case NodeRow(parts=parts):
            return _width(parts)


def _mathml(parts: Sequence[Node], before: Node | None = None) -> str:
    """Return nodes side by side in MathML, which leaves no space but beside names."""
    found, spaced, divided = "", False, False
    for node in parts:
        if node == SPACE:
            spaced = True
            continue
        if spaced and before is not None and _needs_space(before, node, divided):
            found += '<mspace width=".2em"/>'
        found += _element(node, _is_prefix(before, node))
        divided = before == Leaf("mo", "/")
        before, spaced = node, False
    return found


def _needs_space(before: Node, node: Node, divided: bool) -> bool:
    """Return whether two nodes need a space: beside names, after ``a/b``, between numbers."""
    if _is_operator(before) or _is_operator(node):
        return False
    named = _ends_as_name(before) and not isinstance(node, Bracketed)
    return divided or named or _ends_as_name(node) or _core(node).kind == "mn"


def _core(node: Node) -> Leaf:
    match node:
        case Leaf():
            return node
        case Scripted(base=base) | Accented(base=base):
            return _core(base)
    return Leaf("row", "")


def _ends_as_name(node: Node) -> bool:
    leaf = _core(node)
    return leaf.kind in ("function", "word") or (leaf.kind == "mi" and len(leaf.text) > 1)


def _is_operator(node: Node) -> bool:
    sign = sign_of(node)
    return sign != "" and sign not in CLOSED | BARS


def _is_prefix(before: Node | None, node: Node) -> bool:
    """Return whether a sign belongs to what follows, as in ``(-x`` and ``a = -b``."""
    signs = ("−", "+", "±")
    return before is not None and sign_of(node) in signs and sign_of(before) not in {"", *CLOSED}


def _element(node: Node, prefix: bool = False) -> str:
    match node:
        case Leaf(kind="mo" | "large", text=text):
            form = ' form="prefix"' if prefix else ""
            return f"<mo{form}>{escape(text, quote=False)}</mo>"
        case Leaf(kind="word", text=text):
            return f"<mtext>{escape(text, quote=False)}</mtext>"
        case Leaf(kind="mn", text=text):
            return f"<mn>{text}</mn>"
        case Leaf(text=text):
            return "<mo>∇</mo>" if text == "∇" else f"<mi>{text}</mi>"
        case Scripted(base=base, below=below, above=above):
            kind = "munder" if _core(base).text in _LIMITS and not above.parts else "msub"
            inner = _element(base)
            if below.parts and above.parts:
                return f"<msubsup>{inner}{_one(below)}{_one(above)}</msubsup>"
            if below.parts:
                return f"<{kind}>{inner}{_one(below)}</{kind}>"
            return f"<msup>{inner}{_one(above)}</msup>"
        case Accented(base=base, accent=accent):
            return f'<mover accent="true">{_element(base)}<mo>{accent}</mo></mover>'
        case Bracketed(opened=opened, inside=inside, closed=closed):
            between = _mathml(inside.parts, Leaf("mo", opened))
            return f"<mrow><mo>{opened}</mo>{between}<mo>{closed}</mo></mrow>"
        case Root(inside=inside):
            return f"<msqrt>{_mathml(inside.parts)}</msqrt>"
        case Fraction(above=above, below=below):
            return f"<mfrac>{_one(above)}{_one(below)}</mfrac>"
        case NodeRow():
            return _one(node)


_LIMITS = frozenset(["∑", "∏", "max", "min", "sup", "inf", "argmin", "argmax", "lim"])


def _one(row: NodeRow) -> str:
    """Return a row as one element."""
    inner = _mathml(row.parts)
    return inner if len(row.parts) == 1 else f"<mrow>{inner}</mrow>"
