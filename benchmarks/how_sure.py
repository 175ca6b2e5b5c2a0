"""Write ``docs/measured/how-sure.md``: how sure each link of every guarantee is.

    python benchmarks/how_sure.py

From the repository alone, as if every theorem was compiled and nothing audited: ``touchstone list
ID`` says what was compiled, checked and audited on a machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from auditor.suite.algorithms import Known
from auditor.suite.certainty import (
    BOUNDED,
    COQ,
    EXACT,
    LEVELS,
    NEITHER,
    NOT_CHECKED,
    OUTWARDS,
    Certainty,
    ProofLink,
    grounds_of,
)
from auditor.suite.report_page import family
from proofs_checks.algorithm_theorems import AlgorithmTheorem, algorithm_theorems
from proofs_checks.statement import statements
from reference.catalogue import Entry, entries

PAGE = Path(__file__).parents[1] / "docs/measured/how-sure.md"

WEAKEST = {
    EXACT: "calibration: an exact sum",
    BOUNDED: "calibration: computed in doubles, all errors bounded",
    OUTWARDS: "calibration: computed in doubles, rounded outwards",
    NOT_CHECKED: "a step whose statement is checked, short of a machine proof",
    NEITHER: "a step that the audit alone has seen",
}
"""Rows of the table of weakest links."""
SHORT = {COQ: "Coq", NEITHER: "audit alone", NOT_CHECKED: "statement"}

HEAD = """# How sure each guarantee is

Coq has checked a theorem of {count} of the {all} algorithms: of what is released, of its noise and
of their composition. `python benchmarks/how_sure.py` wrote this page.

Each theorem is in `proofs_checks/coq/algorithms/`. Number, kind, size, sensitivity and scale of
its releases are compared with those of the code over the algorithm's domain. *Given* are the
hypotheses that its file names: what a loss or a set declares (`lipschitz`, `convex_smooth`,
`project_close`), or what the code makes true (`bounded`, `unit_ball`), as in [what the guarantees
rest on](../explanation/assumptions.md). *Statement* is a numbered statement whose check is short
of a machine proof (`touchstone proofs` with the algorithm's id); *audit alone* is a derivation in
the docstring that only the audit has tried to refute. The calibration includes the conversion of
zCDP to (epsilon, delta), which the code does at the best Renyi order; where a composition is
numerical, it is that of privacy losses, tighter than the theorem's. The code itself is audited
and not proved. `touchstone list` with the id says what was compiled, checked and audited on your
machine.

| family | algorithms | theorem |
|---|---:|---:|
{families}

| algorithm | sensitivity | noise | composition | calibration | theorem | given |
|---|---|---|---|---|---|---|
{rows}
"""


def arguments() -> dict[str, list[ProofLink]]:
    """Return by id the links of each guarantee but the code, as the repository has them."""
    known = Known()
    certainty = Certainty(grounds_of(statements()), compiled=frozenset(algorithm_theorems()))
    return {i: certainty.links(entry, known.form(i))[:-1] for i, entry in entries().items()}


def counts(found: Mapping[str, Sequence[ProofLink]]) -> dict[str, int]:
    """Return how many algorithms have which weakest link, by the words of :data:`WEAKEST`."""
    ranks = Counter(max(link.rank for link in links) for links in found.values())
    return {WEAKEST[LEVELS[rank]]: number for rank, number in sorted(ranks.items())}


def page(found: Mapping[str, Sequence[ProofLink]]) -> str:
    """Return the page."""
    theorems = algorithm_theorems()
    all_of = Counter(map(family, entries().values()))
    proved = Counter(family(entries()[identifier]) for identifier in theorems)
    families = [f"| {name} | {n} | {proved[name]} |" for name, n in sorted(all_of.items())]
    rows = [_row(entries()[i], links, theorems.get(i)) for i, links in found.items()]
    return HEAD.format(
        count=len(theorems),
        all=len(found),
        families="\n".join(families),
        rows="\n".join(rows),
    )


def _row(entry: Entry, links: Sequence[ProofLink], theorem: AlgorithmTheorem | None) -> str:
    levels = [SHORT.get(link.level, link.level) for link in links]
    file, given = (theorem.file, ", ".join(theorem.given)) if theorem else ("", "")
    return f"| {' | '.join((entry.id, *levels, file, given))} |"


if __name__ == "__main__":
    PAGE.write_text(page(arguments()), encoding="utf-8")
