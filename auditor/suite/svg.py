"""SVG that may stand in a page: shapes, words and colours, and nothing that acts or loads.

Drawings are kept in files, and a file may be anybody's. What is no such SVG is not repaired: it is
drawn again from its result.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

LONGEST = 2**21
"""Characters; ours have fewer than 50,000."""

_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_ELEMENTS = {
    _SVG + name for name in ("svg", "g", "defs", "clipPath", "path", "rect", "use", "text")
}

_PROPERTIES = (
    "fill", "fill-opacity", "font-size", "opacity", "stroke", "stroke-dasharray",
    "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit",
    "stroke-opacity", "stroke-width", "text-anchor",
)  # fmt: skip
_VALUE = r"(?:[a-z]+|#[0-9a-f]{3,8}|var\(--[a-z]+\)|[-0-9.,e]+(?:px)?)"
_DECLARATION = rf"(?:{'|'.join(_PROPERTIES)}): {_VALUE}"
STYLE = rf"{_DECLARATION}(?:; {_DECLARATION})*"
"""Regular expression, without groups, of the styles that are allowed."""

_NUMBERS = r"[-0-9.e ,]*"
_ATTRIBUTES = {
    "aria-hidden": "true",
    "clip-path": r"url\(#p[0-9a-f]+\)",
    "d": r"[-0-9.eMLHVCSQTAZmlhvcsqtaz ,]*",
    "height": _NUMBERS,
    "id": "[mp][0-9a-f]+",
    "style": STYLE,
    "transform": rf"(?:(?:rotate|translate|scale|matrix)\({_NUMBERS}\) ?)*",
    "version": _NUMBERS,
    "viewBox": _NUMBERS,
    "width": _NUMBERS,
    "x": _NUMBERS,
    "y": _NUMBERS,
    f"{_XLINK}href": "#m[0-9a-f]+",
}


def is_plain(text: str) -> bool:
    """Return whether a text is one SVG element in one line, made of what is listed here alone.

    Examples
    --------
    >>> is_plain('<svg xmlns="http://www.w3.org/2000/svg"><path d="M 0 0 L 1 1"/></svg>')
    True
    >>> is_plain('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    False
    """
    # declarations, comments and processing instructions: HTML reads them otherwise than XML
    if len(text) > LONGEST or re.search(r"<[!?]|[\x00-\x1f\x7f]", text):
        return False
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError):
        return False
    return root.tag == f"{_SVG}svg" and all(map(_is_allowed, root.iter()))


def _is_allowed(element: ElementTree.Element) -> bool:
    return element.tag in _ELEMENTS and all(
        name in _ATTRIBUTES and re.fullmatch(_ATTRIBUTES[name], value) is not None
        for name, value in element.attrib.items()
    )
