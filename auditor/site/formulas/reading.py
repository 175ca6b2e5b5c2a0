"""Read formulas in plain text: ``sigma^2/(n epsilon)`` is a fraction, words stay words.

What has two readings is not read at all: see :class:`~auditor.site.formulas.tree.Ambiguous`.
"""

from __future__ import annotations

import re

from auditor.site.formulas.groups import grouped, with_fractions
from auditor.site.formulas.scripts import ANGLES, GREEK, SIGNS
from auditor.site.formulas.tree import (
    ACCENTS,
    BARS,
    CLOSED,
    FUNCTIONS,
    LARGE,
    OPEN,
    SPACE,
    SYMBOLS,
    Accented,
    Ambiguous,
    Bracketed,
    Leaf,
    Node,
    NodeRow,
    Root,
    Scripted,
    is_word,
)

_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<words>(?:[A-Za-z]\.){2,}|l\.\d+|(?<!\S)\(\d+(?:\.\d+)*[a-z]?\)(?=[\s,.;:]|$)"
    r"|[A-Z][a-z]+s? (?:\(\d+(?:\.\d+)*\)|\d+(?:\.\d+)*)(?![\w(^/])(?:'s)?|\d+(?:\.\d+){2,}"
    r"|[A-Za-z]+'s\b|[a-z]{3,}s'(?=\s)|[a-z]{2,}(?:-[a-z]{2,})+(?![(_^]))"
    r"|(?P<letters>[A-Za-z]+)|(?P<mn>\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<mo><=>|=>|<=|>=|!=|->|\+-|\|\||\.\.\.|\.\.|~=|>>|<<|:=|\S)"
)
_SCRIPT = re.compile(r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)|[-+]?[A-Za-z]+\d*'*|[-+*](?!\w)")
_HYPHEN = re.compile(r"-(?P<word>[A-Za-z]{2,}(?:-[A-Za-z]+)*)(?![A-Za-z]*[(_^])(?:'s)?")
_ACCENT = re.compile(rf"[-_]({'|'.join(ACCENTS)})(?![A-Za-z0-9])")
_ORDERS = ("O", "Omega", "Theta")
"""Names that take the bracket behind them into a script: ``e^-Omega(n)``."""
_SHORT_WORDS = frozenset({
    "an", "as", "at", "be", "by", "do", "if", "in", "is", "it", "no", "of", "on", "or", "so", "to",
    "up", "we",
})  # fmt: skip
"""Words in brackets; other two letters are a product there, such as ``dT``."""
_ARTICLE = re.compile(r"[aA] ([a-z]{2,})")
_ATOM_OF_ROOT = re.compile(r" ?(?:\d+(?:\.\d+)?|[A-Za-z]+)")
_SIGNS = {**SIGNS, ">>": "≫", "<<": "≪", "-": "−", "*": "∗"}
_MINUS = Leaf("mo", "−")


def parsed(text: str) -> NodeRow:
    """Return a text as a tree.

    Parameters
    ----------
    text : str
        With formulas as they are printed on a terminal.

    Raises
    ------
    Ambiguous
    """
    return NodeRow(with_fractions(_nodes(ANGLES.sub(r"⟨\1⟩", text))))


def _nodes(text: str, *, inner: bool = False) -> tuple[Node, ...]:
    """Return the nodes of a text, or of what is inside a root or a script."""
    return grouped(_Reader(text, inner=inner).nodes())


class _Reader:
    """Read a text from left to right."""

    def __init__(self, text: str, *, inner: bool) -> None:
        self._text, self._inner, self._at, self._depth = text, inner, 0, 0
        self._found: list[Node] = []

    def nodes(self) -> list[Node]:
        """Return the nodes of the text, side by side; slashes are signs among them.

        Raises
        ------
        Ambiguous
        """
        while self._at < len(self._text):
            token = _TOKEN.match(self._text, self._at)
            assert token is not None
            self._read(token.lastgroup or "", token[0])
        return self._found

    def _read(self, kind: str, token: str) -> None:
        hyphen = _HYPHEN.match(self._text, self._at)
        if hyphen and self._at and _names_nothing(hyphen["word"]) and self._before() != " ":
            self._add(Leaf("word", hyphen[0]))
        elif kind == "letters":
            self._letters(token)
        elif kind == "space":
            self._add(SPACE, token)
        elif kind == "words":
            self._add(Leaf("word", token), token)
        elif kind == "mn":
            self._at += len(token)
            self._scripts(Leaf("mn", token))
        else:
            self._sign(token)

    def _add(self, node: Node, token: str | None = None) -> None:
        self._at += len(token if token is not None else getattr(node, "text", ""))
        self._found.append(node)

    def _before(self) -> str:
        return self._text[self._at - 1 : self._at]

    def _letters(self, token: str) -> None:
        after = self._text[self._at + len(token) : self._at + len(token) + 1]
        glued = after in tuple("(_^~['") or self._before() in tuple("0123456789/*")
        glued = glued or (len(token) == 2 and self._depth > 0 and token not in _SHORT_WORDS)
        article = _ARTICLE.match(self._text, self._at) if self._before() in ("", " ") else None
        if token == "sqrt":
            self._root()
        elif self._inner and token == "in":
            self._add(Leaf("mo", "∈"), token)
        elif (article and _names_nothing(article[1])) or (
            _names_nothing(token) and not (self._inner or glued)
        ):
            self._add(Leaf("word", token))
        else:
            if len(token) == 2 and not token.isupper() and _names_nothing(token):
                self._add(Leaf("mi", token[0]))  # a product, or two indices
                token = token[1]
            self._at += len(token)
            self._scripts(_symbol(token, self._text[self._at : self._at + 1], self._inner))

    def _root(self) -> None:
        self._at += len("sqrt")
        start = self._at + (self._text[self._at : self._at + 1] == " ")
        if self._text[start : start + 1] == "(" and start == self._at:
            inside = self._group(start)
            self._scripts(Root(inside))
            return
        atom = _ATOM_OF_ROOT.match(self._text, self._at)
        letters = atom[0].strip() if atom else ""
        if atom is None or (letters.isalpha() and len(letters) > 1 and letters not in GREEK):
            self._found.append(Leaf("mo", "√"))
            return
        self._at = atom.end()
        single = Leaf("mn", letters) if letters[0].isdigit() else _symbol(letters, "", True)
        if self._text[self._at : self._at + 1] in tuple("^_*'~("):
            self._found.append(Leaf("mo", "√"))
            self._scripts(single)
        elif self._text[self._at : self._at + 1].isalnum():
            raise Ambiguous(f"how far a root goes in {self._text}")
        else:
            self._found.append(Root(NodeRow((single,))))

    def _sign(self, token: str) -> None:
        before, sign = self._before(), _SIGNS.get(token, token)
        self._at += len(token)
        after = self._text[self._at : self._at + 1]
        self._depth += (sign in OPEN) - (sign in CLOSED)
        if token in ("_", "^", "'"):
            raise Ambiguous(f"{token} after nothing in {self._text}")
        if sign == "~":
            if before not in ("", " ") or after != " ":
                raise Ambiguous(f"{token} beside nothing in {self._text}")
            sign = "∼"
        if sign == "." and (before == " " == after or before == "|" == after):
            sign = "·"
        comma_of_words = sign == "," and self._found and is_word(self._found[-1])
        if sign in CLOSED or sign in BARS:
            self._scripts(Leaf("mo", sign))
        elif comma_of_words or sign in '.?"' or (sign in ":;" and not self._depth):
            self._found.append(Leaf("word", sign))
        else:
            self._found.append(Leaf("mo", sign))

    def _scripts(self, base: Node) -> None:
        """Add a node with the marks and scripts that follow it."""
        marks: list[Node] = []
        below = above = NodeRow()
        while True:
            rest = self._text[self._at : self._at + 2]
            accent = _ACCENT.match(self._text, self._at)
            plain = not (marks or below.parts or above.parts)
            if rest[:1] == "'":
                marks.append(Leaf("mo", "′"))
                self._at += 1
            elif rest[:1] == "*" and not re.match(r"\*[A-Za-z0-9(]", rest):
                marks.append(Leaf("mo", "∗"))
                self._at += 1
            elif plain and (
                accent or (rest[:1] == "~" and not rest[1:].isalnum() and rest != "~=")
            ):
                base = Accented(base, ACCENTS[accent[1]] if accent else "~")
                self._at += len(accent[0]) if accent else 1
            elif rest[:1] == "^" and not above.parts and self._has_script():
                above = self._script(base)
            elif plain and rest[:1] == "^" and not isinstance(base, Accented) and _bears_hat(base):
                base = Accented(base, "^")
                self._at += 1
            elif rest[:1] == "_" and not below.parts and self._has_script():
                below = self._script(base)
            elif rest[:1] and rest[0] in "^_~" and rest != "~=":
                raise Ambiguous(f"{rest[0]} in {self._text}")
            else:
                break
        above = NodeRow((*marks, *above.parts))
        scripted = below.parts or above.parts
        self._found.append(Scripted(base, below, above) if scripted else base)

    def _has_script(self) -> bool:
        following = self._text[self._at + 1 : self._at + 2]
        return following in ("{", "(") or _SCRIPT.match(self._text, self._at + 1) is not None

    def _script(self, base: Node) -> NodeRow:
        """Return what stands below or above, without its bracket.

        Raises
        ------
        Ambiguous
            If it has no bracket and may end elsewhere: ``x^-1/2``, ``e^f(x)``, ``x^Ty``.
        """
        mark, start = self._text[self._at], self._at + 1
        negated = mark == "^" and self._text[start : start + 2] in ("-(", "-{")
        if self._text[start] in "{(" or negated:
            inside = self._group(start + negated)
            return NodeRow((_MINUS, Bracketed("(", inside, ")"))) if negated else inside
        found = _SCRIPT.match(self._text, start)
        assert found is not None
        script, self._at = found[0], found.end()
        following = self._text[self._at : self._at + 1]
        letters = script.lstrip("+-").rstrip("'0123456789")
        if letters in _ORDERS and following == "(":
            return NodeRow(
                (*_nodes(script, inner=True), Bracketed("(", self._group(self._at), ")"))
            )
        several = len(letters) == 2 and letters.isalpha() and letters not in SYMBOLS
        negative = script[0] == "-"
        if (
            (script[-1].isdigit() and following.isalpha())
            or (negative and re.match(r"/\d", self._text[self._at :]))
            or (mark == "^" and several and not negative)
            or (mark == "^" and letters.isalpha() and following == "(" and _is_power(base))
        ):
            raise Ambiguous(f"where the script ends in {self._text}")
        return NodeRow(_nodes(script, inner=True))

    def _group(self, start: int) -> NodeRow:
        """Return what is in the bracket at a place, and go behind it."""
        closing = {"(": ")", "{": "}"}[self._text[start]]
        depth = 0
        for place in range(start, len(self._text)):
            depth += {self._text[start]: 1, closing: -1}.get(self._text[place], 0)
            if depth == 0:
                self._at = place + 1
                return NodeRow(_nodes(self._text[start + 1 : place], inner=True))
        raise Ambiguous(f"a bracket is not closed in {self._text}")


def _names_nothing(letters: str) -> bool:
    """Return whether letters are a word and no symbol."""
    known = letters in SYMBOLS or letters in FUNCTIONS or letters in LARGE
    return len(letters) > 1 and not known and letters != "sqrt"


def _symbol(letters: str, after: str, inner: bool) -> Leaf:
    """Return what letters are by themselves; several that mean nothing are an upright name."""
    if letters in LARGE and not (inner and after == ""):
        return Leaf("large", LARGE[letters])
    if letters == "inf" and inner and after in ("", ")", ","):
        return Leaf("mi", "∞")
    if letters in FUNCTIONS:
        return Leaf("function", letters)
    return Leaf("mi", SYMBOLS.get(letters, letters))


def _is_power(base: Node) -> bool:
    """Return whether what stands above a node is a power: of e or of a number."""
    return isinstance(base, Leaf) and (base.kind == "mn" or base.text == "e")


def _bears_hat(node: Node) -> bool:
    return isinstance(node, Leaf) and node.kind == "mi"
