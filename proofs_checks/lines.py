"""Lookup of statements at the ledger's lines: ``python -m proofs_checks.lines TEXTS``.

Readers find a statement by its section and number. The lines count in the texts that this project
was made from, one file per paper, whose names begin with the paper's number ("004_....txt"). They
are not shipped; where they are at hand, every number is looked up at its lines.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from proofs_checks.statement import Statement, statements

NEAR = 3
"""A display's number may stand this many lines from it, across the lines of its formula."""

_NAMED = re.compile(
    r"(?:Algorithm|Assumption|Corollary|Definition|Example|Figure|Lemma|Proposition|Remark|Table|"
    r"Theorem) [A-Z]?\d*(?:\.\d+)*(?=$|[ ,])"
)
_DISPLAY = re.compile(r"\(([A-Z]?\d+(?:\.\d+)*)\)$")
_LINE = re.compile(r"l\.(\d+)")


@dataclass(frozen=True)
class Misplaced:
    """A statement whose number does not stand at its lines.

    Attributes
    ----------
    key, lines : str
        As in the ledger.
    found : tuple of int
        The lines at which the text has the number; empty if it has it nowhere.
    """

    key: str
    lines: str
    found: tuple[int, ...]

    def __str__(self) -> str:
        found = ", ".join(map(str, self.found)) or "nowhere"
        return f"{self.key}: lines {self.lines}, but its number stands at {found}"


def ranges(lines: str) -> tuple[tuple[int, int], ...]:
    """Return ``((12, 12), (15, 18))`` of ``"12, proof 15-18 (004 l.99)"``.

    What is in brackets is another paper's.
    """
    own = re.sub(r"\(.*\)", "", lines)
    pairs = re.findall(r"(\d+)(?:-(\d+))?", own)
    return tuple((int(first), int(last or first)) for first, last in pairs)


def number_pattern(number: str) -> re.Pattern[str] | None:
    """Return what a text has where it gives a number such as "Lemma 2.1.9" or "(3.4)".

    ``None`` if a statement has no number of its own, such as "Theorem 5, proof (robust mean)".
    """
    display = _DISPLAY.match(number)
    if display:
        digits = re.escape(display.group(1))
        return re.compile(rf"\({digits}\)|\\tag\*?\{{\(?{digits}\)?\}}")
    named = _NAMED.fullmatch(number)
    return re.compile(rf"\b{re.escape(named.group())}(?![\d.]*\d)") if named else None


def misplaced(item: Statement, text: Sequence[str]) -> Misplaced | None:
    """Return where the number of a statement stands, if that is not at its lines."""
    at = ranges(item.lines)
    line = _LINE.match(item.number)
    if line:
        own = int(line.group(1))
        return None if _within(own, at, 0) else Misplaced(item.key, item.lines, (own,))
    pattern = number_pattern(item.number)
    if pattern is None:
        return None
    found = tuple(i for i, words in enumerate(text, start=1) if pattern.search(words))
    if any(_within(i, at, NEAR) for i in found):
        return None
    return Misplaced(item.key, item.lines, found)


def _within(line: int, at: Sequence[tuple[int, int]], margin: int) -> bool:
    return any(first - margin <= line <= last + margin for first, last in at)


def check(folder: Path) -> Iterator[Misplaced]:
    """Yield the statements that are not where they are said to be, paper by paper.

    Raises
    ------
    FileNotFoundError
        If a paper has no text in the folder.
    """
    texts: dict[str, list[str]] = {}
    for item in statements():
        if item.paper not in texts:
            texts[item.paper] = text_of(folder, item.paper)
        found = misplaced(item, texts[item.paper])
        if found is not None:
            yield found


def text_of(folder: Path, paper: str) -> list[str]:
    """Return the lines of a paper's text."""
    paths = sorted(folder.glob(f"{paper}_*.txt"))
    if not paths:
        raise FileNotFoundError(f"{folder} has no text of paper {paper} ({paper}_*.txt)")
    # a number may be tied to its noun by a space that does not break
    return paths[0].read_text(encoding="utf-8").replace("\xa0", " ").split("\n")


def main(arguments: Sequence[str]) -> int:
    """Print what is misplaced; return 1 if anything is."""
    if len(arguments) != 1:
        print("usage: python -m proofs_checks.lines TEXTS", file=sys.stderr)
        return 2
    found = list(check(Path(arguments[0])))
    for one in found:
        print(one)
    looked_up = sum(
        number_pattern(item.number) is not None or bool(_LINE.match(item.number))
        for item in statements()
    )
    print(f"{len(found)} of {looked_up} numbers misplaced")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
