"""The symbols of an algorithm's numbers and their definitions, from docstrings.

A docstring's entry on a number begins with its symbol: ``tau > 0, public: ...``, ``T and m, >= 1``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, cast, get_type_hints

from auditor.site.formulas.scripts import GREEK
from reference.parameters import PARAMETERS

USUAL = {
    "n": "n", "epsilon": "epsilon", "delta": "delta", "sensitivity": "Delta",
    "noise_scale": "sigma", "noise_multiplier": "sigma", "scale": "sigma",
    "step_epsilon": "epsilon_0",
}  # fmt: skip
"""Symbols of names that mean the same everywhere, where a docstring gives none."""

ENDINGS = {"_sensitivity": "Delta", "_noise_scale": "sigma", "_scale": "sigma",
           "_epsilon": "epsilon"}  # fmt: skip
"""Symbols of compound names: ``hessian_sensitivity`` is Delta with the index hessian."""

MEANINGS = {
    "epsilon": "Privacy parameter of the whole run,",
    "delta": "Privacy parameter of the whole run,",
    "dimension": "Number of coordinates,", "step_size": "Step size,",
    "n_iterations": "Number of iterations,",
}  # fmt: skip
"""Words for names whose docstring says their range only."""

_LETTERS = "|".join(sorted(GREEK, key=len, reverse=True))
_WORD = re.compile(rf"\b(?!(?:in|with|and|{_LETTERS})\b)[a-z]{{2,}}\b")
_SYMBOL = rf"(?:{_LETTERS}|[A-Za-z])(?:_?[0-9]|_[A-Za-z](?![A-Za-z]))?(?![A-Za-z0-9])"
_FIRST = re.compile(
    rf"(?:The )?({_SYMBOL})(?:(?: and | < | or )({_SYMBOL}))?"
    r"(?=\s*(?:[,.:;=<>]|in\b|with\b|of\b|$))"
)
_ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \w+)*)(?: : .*)?$")
_ALIKE = re.compile(r"As (?:for|of|in) :(?:func|class|meth):`~?([\w.]+)`")
_ROLE = re.compile(r":[a-z]+:`~?(?:[\w.]*\.)?([\w]+)`|``([^`]+)``")


@cache
def described(owner: Callable[..., Any]) -> dict[str, tuple[str, int, int]]:
    """Return what a docstring says of each number.

    Parameters
    ----------
    owner : function or class
        With sections *Parameters* or *Attributes*.

    Returns
    -------
    dict
        Name -> text, and the place among how many names that share it.
    """
    found: dict[str, tuple[str, int, int]] = {}
    for names, text in _entries(inspect.getdoc(owner) or ""):
        alike = _ALIKE.match(text)
        other = _named(alike[1], owner) if alike else None
        theirs = described(other) if other is not None and other is not owner else {}
        for place, name in enumerate(names):
            found[name] = theirs.get(name, (text, place, len(names)))
    parents: tuple[Callable[..., Any], ...] = getattr(owner, "__mro__", ())
    for parent in parents[1:-1]:
        for name, said in described(parent).items():
            if name not in found or _ALIKE.match(found[name][0]):
                found[name] = said
    return found


def _entries(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield the names and the text of each entry of the two sections."""
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if line in ("Parameters", "Attributes") and lines[place + 1 :][:1] == ["-" * len(line)]:
            yield from _section(lines[place + 2 :])


def _section(lines: list[str]) -> Iterator[tuple[list[str], str]]:
    names: list[str] = []
    said: list[str] = []
    for place, line in enumerate([*lines, ""]):
        ends = place == len(lines) or lines[place + 1 :][:1] == ["-" * len(line)] != [""]
        entry = _ENTRY.match(line) if line[:1].strip() else None
        if (entry or ends) and names:
            yield names, " ".join(said)
            names, said = [], []
        if ends:
            return
        if entry:
            names = entry[1].split(", ")
        elif line.strip():
            said.append(line.strip())


def _named(path: str, owner: Callable[..., Any]) -> Any:
    """Return what a docstring refers to by a name."""
    name = path.rpartition(".")[2]
    module = inspect.getmodule(inspect.unwrap(owner))
    found = getattr(module, name, None)
    if found is None and "." in path:
        try:
            found = getattr(__import__(path.rpartition(".")[0], fromlist=[name]), name, None)
        except ImportError:
            return None
    return found if callable(found) else None


def definition(name: str, owners: list[Any]) -> str:
    """Return what the first of some functions and classes says of a name; empty if none does.

    Parameters
    ----------
    name : str
        Of a parameter or a constant.
    owners : list of function or class
    """
    for owner in owners:
        text = described(owner).get(name, ("",))[0]
        if text and not _ALIKE.match(text):
            said = re.sub("^In ", "in ", plain(text))
            return said if _WORD.search(said) else f"{MEANINGS.get(name, '')} {said}".strip()
    return ""


def usual_meaning(name: str) -> str:
    """Return what the table of parameters says of a name; empty if it is not there."""
    return plain(PARAMETERS[name].meaning) if name in PARAMETERS else ""


def symbol_of(name: str, owners: list[Any]) -> str:
    """Return the symbol that is said of a name; empty if none is.

    Parameters
    ----------
    name : str
    owners : list of function or class
    """
    for owner in owners:
        text, place, number = described(owner).get(name, ("", 0, 1))
        found = _FIRST.match(text)
        if found and (number == 1 or (found[2] and place < 2)):
            return found[place + 1]
    if name in USUAL:
        return USUAL[name]
    for ending, base in ENDINGS.items():
        if name.endswith(ending):
            return f"{base}_{name.removesuffix(ending)}"
    said = _FIRST.match(PARAMETERS[name].meaning) if name in PARAMETERS else None
    return said[1] if said else ""


def of_member(owner: Callable[..., Any], parameter: str, member: str) -> tuple[str, str]:
    """Return symbol and definition of a property or a method of a parameter, such as a loss.

    Parameters
    ----------
    owner : callable
        The function, whose annotation says what the parameter is.
    parameter, member : str

    Returns
    -------
    symbol, definition : str
        Empty where the docstring says none.
    """
    try:
        kind: Any = get_type_hints(inspect.unwrap(owner)).get(parameter)
    except NameError:
        return "", ""
    if not inspect.isclass(kind):
        return "", ""
    found = inspect.getattr_static(kind, member, None)
    text = inspect.getdoc(found) if found is not None else None
    if text is None:
        said = described(cast(Callable[..., Any], kind)).get(member, ("",))[0]
        first = _FIRST.match(said)
        return first[1] if first else "", plain(said)
    first = _FIRST.match(text) or _FIRST.match(text[:1].lower() + text[1:])
    return first[1] if first else "", re.sub(r"^Return ", "", plain(text.partition("\n\n")[0]))


def plain(text: str) -> str:
    """Return a docstring's text without its markup, as one line."""
    return " ".join(_ROLE.sub(lambda m: m[1] or m[2], text).split())


_RESULT = re.compile(rf"(?:Return )?(?:the )?(?:largest |smallest |least )?({_SYMBOL})\b", re.I)


def of_function(function: Callable[..., Any]) -> str:
    """Return the symbol of what a function computes: mu of "Return the largest mu such that"."""
    found = _RESULT.match(inspect.getdoc(function) or "")
    return found[1] if found and found[1] not in ("A", "a", "I") else ""
