"""The two verdicts of a statement, of its print and of its claim: their words and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

Print = Literal["as printed", "misprint", "false", "doubtful copy", "definition", "not judged"]
Claim = Literal["holds", "holds if repaired", "fails", "open", "definition"]

PRINTS: dict[Print, str] = {
    "as printed": "True as it stands, under the conventions of the paper.",
    "misprint": "Wrong as it stands; the intended form is plain from the same paper, and is true.",
    "false": "False as it stands.",
    "doubtful copy": "Wrong in the copy at hand, which was converted to plain text: the reading "
    "hangs on a root, an exponent, a prime, a bracket or an index, and no page has been seen.",
    "definition": "A definition or an assumption: neither true nor false.",
    "not judged": "No computation decides it, or the check decides a part of it only.",
}
CLAIMS: dict[Claim, str] = {
    "holds": "What the paper means is true.",
    "holds if repaired": "What the paper means is true with a repair, which is given.",
    "fails": "No repair keeps what is claimed.",
    "open": "Whether it is true was not decided.",
    "definition": "",
}


def words(of_print: str, of_claim: str) -> str:
    """Return both verdicts as a reader sees them, e.g. ``"false, claim holds if repaired"``."""
    return of_print if of_print == "definition" else f"{of_print}, claim {of_claim}"


def meaning(of_print: Print, of_claim: Claim) -> str:
    """Return both verdicts in sentences."""
    return f"{PRINTS[of_print]} {CLAIMS[of_claim]}".strip()


def counts(verdicts: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Count pairs of verdicts, in the order of :data:`PRINTS` and :data:`CLAIMS`."""
    found = Counter(verdicts)
    order = ((one, other) for one in PRINTS for other in CLAIMS)
    return {pair: found[pair] for pair in order if found[pair]}


def counted(verdicts: Iterable[tuple[str, str]]) -> str:
    """Return the counts in words: ``"3 as printed, claim holds; 1 definition"``."""
    return "; ".join(f"{number} {words(*pair)}" for pair, number in counts(verdicts).items())
