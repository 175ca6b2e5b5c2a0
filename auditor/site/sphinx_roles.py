"""Extensions of Sphinx for the site: roles that typeset, and docstrings that hold formulas."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from auditor.site.formulas import pieces

RoleResult = tuple[list[nodes.Node], list[nodes.system_message]]


class formula(nodes.inline):
    """A formula that a screen reader reads as it is printed on a terminal."""


def _open(translator: HTML5Translator, node: formula) -> None:
    translator.body.append(
        translator.starttag(node, "span", "", role="math", **{"aria-label": node["label"]})
    )


def _close(translator: HTML5Translator, node: formula) -> None:
    translator.body.append("</span>")


def typeset(
    name: str, rawtext: str, text: str, lineno: int, inliner: Inliner, *_: Any, **__: Any
) -> RoleResult:
    """Typeset the formulas in a text; as the role ``formula`` all of it is one."""
    plain = nodes.unescape(text)
    parts = [_node(piece.place, piece.text) for piece in pieces(plain)]
    if name == "formula":
        return [formula(rawtext, "", *parts, label=plain, classes=["formula"])], []
    return [nodes.inline(rawtext, "", *parts, classes=["typeset"])], []


def plain(
    name: str, rawtext: str, text: str, lineno: int, inliner: Inliner, *_: Any, **__: Any
) -> RoleResult:
    """Leave a text as it is: an address in a citation is no formula."""
    return [nodes.inline(rawtext, nodes.unescape(text), classes=["plain"])], []


def _node(place: str, text: str) -> nodes.Node:
    kinds = {"line": nodes.Text, "sub": nodes.subscript, "sup": nodes.superscript}
    return nodes.Text(text) if place == "line" else kinds[place]("", text)


_MARKED = re.compile(r"(``[^`]+``|:[a-z]+:`[^`]+`|`[^`]+`_|\*\w+\*)|([|*_\\])")
"""Markup in docstrings, then characters of formulas that would be taken for it."""


def escape_formulas(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Escape what is no markup in a docstring: ``|x|``, ``beta*``, ``x_``."""
    lines[:] = [_MARKED.sub(lambda m: m[1] or f"\\{m[2]}", line) for line in lines]


def own_nodes(app: Sphinx, doctree: nodes.document) -> None:
    """Give a page all its nodes: those of docstrings drag all other pages along when it is kept."""
    for node in doctree.findall():
        node.document = doctree


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect roles and docstrings to Sphinx."""
    app.add_node(formula, html=(_open, _close))
    app.add_role("formula", typeset)
    app.add_role("typeset", typeset)
    app.add_role("plain", plain)
    app.connect("autodoc-process-docstring", escape_formulas, priority=10)
    app.connect("doctree-read", own_nodes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
