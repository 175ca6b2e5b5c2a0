"""Extensions of Sphinx for the site: roles that typeset, and docstrings that hold formulas."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from auditor.site.formulas.mathml import html
from auditor.site.formulas.scripts import pieces

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
    """Typeset the formulas in a text: what is below and above the line."""
    return [_node(piece.place, piece.text) for piece in pieces(nodes.unescape(text))], []


def whole(
    name: str, rawtext: str, text: str, lineno: int, inliner: Inliner, *_: Any, **__: Any
) -> RoleResult:
    """Set a text as mathematics; as the role ``struck`` it is struck through."""
    plain = nodes.unescape(text)
    set_ = nodes.raw("", html(plain), format="html")
    if name == "struck":
        label = f"not true as it stands: {plain}"
        return [formula(rawtext, "", set_, label=label, classes=["formula", "struck"])], []
    return [formula(rawtext, "", set_, label=plain, classes=["formula"])], []


def plain(
    name: str, rawtext: str, text: str, lineno: int, inliner: Inliner, *_: Any, **__: Any
) -> RoleResult:
    """Leave a text as it is: an address in a citation is no formula."""
    return [nodes.Text(nodes.unescape(text))], []


def badge(
    name: str, rawtext: str, text: str, lineno: int, inliner: Inliner, *_: Any, **__: Any
) -> RoleResult:
    """Make a badge, which leads to the key; what it says on hovering, a script takes from there."""
    label, colour, anchor = nodes.unescape(text).split(" :: ")
    up = "../" * inliner.document.settings.env.docname.count("/")
    link = nodes.reference(
        rawtext, label, refuri=f"{up}key.html#{anchor}", internal=True,
        classes=["badge", *colour.split()],
    )  # fmt: skip
    return [link], []


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


_UNUSED = (
    (
        re.compile(
            r'<span class="(?:std std-doc|std std-ref|pre)">'
            r"([^<]*(?:<(?!/?span)[^<]*)*)</span>"
        ),
        r"\1",
    ),
    (
        re.compile(r' class="(?:docutils literal notranslate|simple|reference (?:in|ex)ternal)"'),
        "",
    ),
    (re.compile(r' reference internal(?=")'), ""),
    (re.compile("<span></span>"), ""),
    (re.compile(r'(<a href="#[^"]*") id="id\d+"'), r"\1"),
    (re.compile(r'<span class="(?:n|p)">([^<]*)</span>'), r"\1"),
    (re.compile(r"<(li|td)><p>((?:(?!</?(?:p|li|td)>).)*)</p>(</td>)?"), r"<\1>\2\3"),
    (
        re.compile(r"<blockquote>\n<div>(.*?)</div></blockquote>", re.S),
        r"<blockquote>\1</blockquote>",
    ),
    (re.compile(r'<tr class="row-(?:odd|even)">'), "<tr>"),
    (
        re.compile(
            r'<div class="highlight-text notranslate"><div class="highlight">(<pre>.*?</pre>)'
            r"</div>\n</div>",
            re.S,
        ),
        r"\1",
    ),
)
"""Marks of Sphinx's that no style and no script of the site uses: a fourth of a page."""


def without_unused(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Leave out of a page the marks that nothing uses."""
    for pattern, kept in _UNUSED:
        context["body"] = pattern.sub(kept, context.get("body", ""))


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect roles and docstrings to Sphinx."""
    app.add_node(formula, html=(_open, _close))
    app.add_role("formula", whole)
    app.add_role("struck", whole)
    app.add_role("typeset", typeset)
    app.add_role("plain", plain)
    app.add_role("badge", badge)
    app.connect("autodoc-process-docstring", escape_formulas, priority=10)
    app.connect("doctree-read", own_nodes)
    app.connect("html-page-context", without_unused)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
