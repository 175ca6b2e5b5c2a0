"""Origins of the premises of a derivation's steps.

A step decides a claim under premises. Each has one of the marks of :data:`ORIGINS`: it names a
symbol, a step of the same check decides it, the words that lead to the step cite a source, or
nothing of these: then it is assumed. A hypothesis of the statement is assumed, and so is what the
argument says in words alone. Marks are read from the check and its docstring; they err towards
"assumed". A premise is not needed if z3 finds the claim without it.

``python -m proofs_checks.origins`` runs every check and prints the counts by paper as Markdown.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from proofs_checks.cited import argument, keys_in
from proofs_checks.formulas import names
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Checked, Statement, lookup, run, statements
from proofs_checks.vocabulary.premises import Term, defined

Origin = Literal["definition", "proved here", "cited", "assumed"]

ORIGINS: Mapping[Origin, str] = {
    "definition": "names a symbol",
    "proved here": "follows from what an earlier step of the same check decides",
    "cited": "the words that lead to the step cite a statement or a known result",
    "assumed": "a hypothesis of the statement, or said in words alone",
}

_MARK = re.compile(r"\[steps? (?P<names>\"[^\]]*)\]")
_NAMES = re.compile(r'"([^"]*)"')
_KNOWN = re.compile(
    r"\b[A-Z][\w-]+(?:'s|s')? (?:and [A-Z][\w-]+(?:'s|s')? )?"
    r"(?:lemma|theorem|inequality|identity|bound|formula|law)\b|\bCauchy-Schwarz\b"
)


@dataclass(frozen=True)
class Premise:
    """A premise of a step, with its origin.

    Attributes
    ----------
    text : str
    origin : str
        One of :data:`ORIGINS`.
    source : str
        The symbol that it names, the step that decides it, or what the argument cites.
    needed : bool
        False if the claim was found to follow from the other hypotheses.
    """

    text: str
    origin: Origin
    source: str = ""
    needed: bool = True


class Origins:
    """The origins of the premises of what a check found.

    Parameters
    ----------
    statement : Statement
    checked : Checked
        Its formula whose check found the outcome; the docstring of the check is the argument.
    outcome : Outcome
    """

    def __init__(self, statement: Statement, checked: Checked, outcome: Outcome) -> None:
        self._words = " ".join(argument(checked).split())
        self._formula = names(statement.printed) | names(checked.formula)
        self._paper = statement.paper
        self._derived = bool(outcome.steps)
        self._leaves = list(leaves(outcome))

    def of(self, name: str, leaf: Outcome) -> list[Premise]:
        """Return the premises of a step that has no parts, with their origins.

        Parameters
        ----------
        name : str
            Of the step in the argument; empty for a check without steps.
        leaf : Outcome
        """
        if leaf.decided is None:
            return []
        leading = _leading_to(name, self._words) if self._derived else self._words
        sources = ", ".join(_sources(leading, self._paper))
        return [
            replace(
                self._premise(term, leaf, leaf.decided.ranges, sources),
                needed=not leaf.decided.holds_without(term),
            )
            for term in leaf.decided.premises
        ]

    def _premise(self, term: Term, leaf: Outcome, ranges: Sequence[Term], sources: str) -> Premise:
        named = defined(term, set(term.names) - self._formula, ranges)
        if named:
            return Premise(term.text, "definition", named)
        for name, earlier in itertools.takewhile(lambda one: one[1] is not leaf, self._leaves):
            if earlier.decided is not None and earlier.decided.implies(term, ranges):
                return Premise(term.text, "proved here", name)
        if sources:
            return Premise(term.text, "cited", sources)
        return Premise(term.text, "assumed")


def leaves(outcome: Outcome, name: str = "") -> Iterator[tuple[str, Outcome]]:
    """Yield the parts of an outcome that have none themselves, each with the name of its step."""
    for own, step in outcome.steps:
        yield from leaves(step, own or name)
    if not outcome.steps:
        yield name, outcome


def _leading_to(name: str, words: str) -> str:
    """Return the words of an argument between a step's mark and the mark before it."""
    start, found = 0, []
    for match in _MARK.finditer(words):
        if name in _NAMES.findall(match["names"]):
            found.append(words[start : match.start()])
        start = match.end()
    return " ".join(found)


def _sources(words: str, paper: str) -> list[str]:
    keys = [key for key in keys_in(words, paper) if lookup(key) is not None]
    return list(dict.fromkeys([*keys, *(match[0] for match in _KNOWN.finditer(words))]))


def table(counts: Mapping[str, Counter[str]]) -> str:
    """Return the numbers of premises by paper and origin, and their sum, as a Markdown table."""
    rows = {**counts, "all": sum(counts.values(), Counter())}
    heads = ("premises", *ORIGINS, "not needed")
    lines = [f"| paper | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads)]
    for name, row in rows.items():
        origins = [row[origin] for origin in ORIGINS]
        numbers = (sum(origins), *origins, row["not needed"])
        lines.append(f"| {name} | {' | '.join(f'{number:,}' for number in numbers)} |")
    return "\n".join(lines)


def main() -> None:
    """Run every check of what must hold, each once, and print the table."""
    counts: dict[str, Counter[str]] = {}
    seen = set[int]()
    for item in statements():
        checked = item.true_check
        if checked is None or id(checked) in seen:
            continue
        seen.add(id(checked))
        report = run(item)
        outcome = report.corrected or report.printed
        own = counts.setdefault(item.paper, Counter())
        origins = Origins(item, checked, outcome)
        for name, leaf in leaves(outcome):
            for premise in origins.of(name, leaf):
                own.update([premise.origin] if premise.needed else [premise.origin, "not needed"])
    print(table(counts))


if __name__ == "__main__":
    main()
