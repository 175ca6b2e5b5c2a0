"""Citations of a derivation in words: the statements of the papers that it names."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator

from proofs_checks.statement import Checked, Statement, lookup

_KINDS = "Assumption|Condition|Corollary|Definition|Lemma|Proposition|Remark|Theorem"
_NUMBER = r"[A-Z]?\d*(?:\.?\d+)*"
_NAMED = re.compile(
    rf"(?P<paper>\b00\d )?\b(?P<kind>{_KINDS})s? "
    rf"(?P<numbers>{_NUMBER}(?:(?:, | and | to |, and ){_NUMBER})*)"
)
_REFERRED = re.compile(r":func:`(proofs_checks\.[\w.]+)`")
_ROLE = re.compile(r":\w+:`[~!]?(?:[\w.]+\.)?(\w+)`")
_DISPLAYED = re.compile(r"(?P<paper>\b00\d )?(?P<number>\([A-Z]?\d+(?:\.\d+)*\))")


def argument(checked: Checked) -> str:
    """Return the words of a derivation: the docstring of its check, and of what that refers to.

    What is a link in a docstring is the bare name here.
    """
    text = inspect.getdoc(checked.check) or ""
    referred = [pkgutil.resolve_name(name) for name in _REFERRED.findall(text)]
    texts = [text, *(inspect.getdoc(other) or "" for other in referred)]
    return _ROLE.sub(r"\1", "\n\n".join(texts))


def cited(statement: Statement) -> tuple[str, ...]:
    """Return the keys that the arguments of a statement's checks name, each once.

    A number without a paper is of the statement's own. What is no key of the ledger, such as a
    theorem of another book, is left out.
    """
    checks = (statement.of_printed, statement.of_corrected)
    text = " ".join(argument(checked) for checked in checks if checked is not None)
    keys = dict.fromkeys(keys_in(" ".join(text.split()), statement.paper))
    return tuple(key for key in keys if key != statement.key and lookup(key) is not None)


def keys_in(text: str, own: str) -> Iterator[str]:
    """Yield the keys that some words name; a number without a paper is of the paper ``own``."""
    for match in _NAMED.finditer(text):
        paper = (match["paper"] or own).strip()
        for number in re.findall(_NUMBER, match["numbers"]):
            if number:
                yield f"{paper} {match['kind']} {number}"
    for match in _DISPLAYED.finditer(text):
        yield f"{(match['paper'] or own).strip()} {match['number']}"
