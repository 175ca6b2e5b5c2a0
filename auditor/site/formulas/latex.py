"""Formulas as LaTeX, for the export."""

from __future__ import annotations

import re

from auditor.site.formulas.reading import parsed
from auditor.site.formulas.scripts import GREEK
from auditor.site.formulas.tree import (
    FUNCTIONS,
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
)


def latex(text: str) -> str:
    """Return a text as LaTeX: its formulas are typeset, its words stay; empty if it is not read.

    Parameters
    ----------
    text : str
        With formulas as they are printed on a terminal.
    """
    try:
        parts = runs(parsed(text).parts)
    except Ambiguous:
        return ""
    set_ = ["".join(map(_latex, run)) for run in parts]
    return "".join(t if is_word(run[0]) else f"${t}$" for t, run in zip(set_, parts, strict=True))


def _latex(node: Node) -> str:
    match node:
        case Leaf(kind="mi" | "mo" | "large" | "function" | "mn" as kind, text=text):
            if kind == "function" or (kind == "mi" and len(text) > 1):
                return rf"\{text} " if text in _LATEX_FUNCTIONS else rf"\operatorname{{{text}}}"
            return _NAMES.get(text, text)
        case Leaf(kind="word", text=text):
            return _ESCAPED.sub(r"\\\g<0>", text)
        case Leaf():
            return " "
        case Scripted(base=base, below=below, above=above):
            scripts = (("_", below), ("^", above))
            return _latex(base) + "".join(f"{s}{{{_inside(r)}}}" for s, r in scripts if r.parts)
        case Accented(base=base, accent=accent):
            return rf"\{_ACCENT_NAMES[accent]}{{{_latex(base)}}}"
        case Bracketed(opened=opened, inside=inside, closed=closed):
            return f"{_NAMES.get(opened, opened)}{_inside(inside)}{_NAMES.get(closed, closed)}"
        case Root(inside=inside):
            return rf"\sqrt{{{_inside(inside)}}}"
        case Fraction(above=above, below=below):
            return rf"\frac{{{_inside(above)}}}{{{_inside(below)}}}"
        case NodeRow():
            return _inside(node)


def _inside(row: NodeRow) -> str:
    """Return a row in LaTeX; words in it are text."""
    return "".join(
        rf"\text{{{_latex(part)}}}"
        if isinstance(part, Leaf) and part.kind == "word"
        else _latex(part)
        for part in row.parts
    ).strip()


_ACCENT_NAMES = {"^": "hat", "¯": "bar", "~": "tilde"}
_LATEX_FUNCTIONS = FUNCTIONS - {"argmin", "argmax", "arccosh", "erf", "Var", "Cov", "Tr", "tr"}
_NAMES = {sign: rf"\{name} " for name, sign in GREEK.items()} | {
    "⇔": r"\Leftrightarrow ", "⇒": r"\Rightarrow ", "≤": r"\leq ", "≥": r"\geq ", "≠": r"\neq ",
    "→": r"\to ", "±": r"\pm ", "‖": r"\|", "…": r"\dots ", "≈": r"\approx ", "√": r"\surd ",
    "∑": r"\sum ", "∏": r"\prod ", "∫": r"\int ", "∞": r"\infty ", "⟨": r"\langle ",
    "⟩": r"\rangle ", "∈": r"\in ", "∼": r"\sim ", "≪": r"\ll ", "≫": r"\gg ", "·": r"\cdot ",
    "′": r"\prime ", "−": "-", "∗": "*", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&",
    "#": r"\#", "$": r"\$",
}  # fmt: skip
_ESCAPED = re.compile(r"[#$%&_{}]")
