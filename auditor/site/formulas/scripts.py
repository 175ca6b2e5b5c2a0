"""Formulas in plain text, such as ``sum_{i<=n} x_i^2 <= sigma^2``, as they are typeset.

They are set when the site is built: sub- and superscripts, Greek letters and signs, without a
script. What is no formula stays as it is: a subscript has a letter, a bracket or a bar before it,
and is short.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Literal

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ",
    "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π",
    "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "nabla": "∇",
}  # fmt: skip
SIGNS = {
    "<=>": "⇔", "=>": "⇒", "<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "+-": "±", "||": "‖",
    "...": "…", "..": "…", "~=": "≈",
}  # fmt: skip

ScriptPlace = Literal["line", "sub", "sup"]


@dataclass(frozen=True)
class Piece:
    """A piece of text on the line, below or above it."""

    place: ScriptPlace
    text: str


_GREEK = re.compile(rf"(?<![A-Za-z])(?<![A-Za-z][A-Za-z]_)({'|'.join(GREEK)})(?![A-Za-z])")
_SIGNS = re.compile("|".join(map(re.escape, sorted(SIGNS, key=len, reverse=True))))
ANGLES = re.compile(r"<(?! )([^<>=≤≥]{1,40}, ?[^<>=≤≥]{1,40})>")
"""An inner product."""

_OPERATORS = (
    (re.compile(r"\bsqrt\s?(?=[\w(|])"), "√"),
    (re.compile(r"\b(?:grad|∇) (?=[A-Za-z~])"), "∇"),
    (re.compile(r"\bsum(?=_)"), "∑"),
    (re.compile(r"\bprod(?=_)"), "∏"),
    (re.compile(r"(?<=[\s(=-])infinity\b"), "∞"),
    (ANGLES, r"⟨\1⟩"),
    (re.compile(r"\b([OΩΘ])~"), "\\1\u0303"),
)
_BASE = r"(?:(?<![A-Za-z0-9_.])[A-Za-zα-ωΑ-Ω∇∑∏][*'~\u0303]*|[)\]|‖⟩}])"
_GROUP = r"\{[^{}]*\}|\((?:[^()]|\([^()]*\))*\)"
_TOKEN = r"[-+]?(?:\d+(?:\.\d+)?|inf\b|[A-Za-zα-ω∞](?![A-Za-z])[*']?)|[-+*](?!\w)"
_SCRIPT = rf"(?P<sub>{_GROUP}|[A-Za-zα-ω0-9]{{1,4}}(?![A-Za-zα-ω0-9_])|{_TOKEN})"
_SUB = re.compile(rf"(?P<base>{_BASE})_{_SCRIPT}")
_SUP = re.compile(rf"(?<=[\w)\]|‖⟩}}*'~\u0303])\^(?P<sup>{_GROUP}|{_TOKEN})")
_SUB_OF_SUP = re.compile(f"_{_SCRIPT}")


def pieces(text: str) -> Iterator[Piece]:
    """Return a text in pieces, each with its place.

    Parameters
    ----------
    text : str
        With formulas as they are printed on a terminal.

    Returns
    -------
    iterator of Piece
        A script in a script stays on the line of the outer one.
    """
    line = _GREEK.sub(lambda m: GREEK[m[1]], text)
    line = _SIGNS.sub(lambda m: SIGNS[m[0]], line)
    for pattern, sign in _OPERATORS:
        line = pattern.sub(sign, line)
    position, last = 0, ""
    while position < len(line):
        found = _next_script(line, position, last == "sup")
        if found is None:
            break
        start, end, place, script = found
        if start > position:
            yield Piece("line", line[position:start])
        yield Piece(place, script)
        position, last = end, place
    if position < len(line):
        yield Piece("line", line[position:])


def with_scripts(text: str) -> str:
    """Return a text as HTML, with what is below and above the line.

    Parameters
    ----------
    text : str
        With formulas as they are printed on a terminal.
    """
    tags = {"line": "{}", "sub": "<sub>{}</sub>", "sup": "<sup>{}</sup>"}
    return "".join(tags[p.place].format(escape(p.text, quote=False)) for p in pieces(text))


def _next_script(
    line: str, position: int, after_sup: bool
) -> tuple[int, int, ScriptPlace, str] | None:
    """Return start, end, place and text of the first script from a position on."""
    direct = _SUB_OF_SUP.match(line, position) if after_sup else None
    if direct is not None:
        return position, direct.end(), "sub", _inside(direct["sub"])
    candidates: list[tuple[int, int, ScriptPlace, str]] = []
    # the last character may be the base of what comes
    below = _SUB.search(line, max(position - 1, 0))
    if below is not None and below.end("base") >= position:
        candidates.append((below.end("base"), below.end(), "sub", below["sub"]))
    above = _SUP.search(line, position)
    if above is not None:
        candidates.append((above.start(), above.end(), "sup", above["sup"]))
    if not candidates:
        return None
    start, end, place, script = min(candidates)
    return start, end, place, _inside(script)


def _inside(script: str) -> str:
    """Return a script without its brackets, and without marks of scripts inside it."""
    if script[0] in "({" and script[-1] in ")}":
        script = script[1:-1]
    return "∞" if script == "inf" else script
