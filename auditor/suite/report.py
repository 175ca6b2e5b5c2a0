"""The HTML report: one self-contained page made from the results folder and the catalogue."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from auditor.core.errors import visible
from auditor.core.verdict import QUESTIONS, SHORT, Verdict, describe
from auditor.core.version import version
from auditor.suite import errata
from auditor.suite.algorithms import Known
from auditor.suite.certainty import Certainty, checked_of, grounds_in, in_one_line
from auditor.suite.conclude import conclude
from auditor.suite.drawings import Drawing, draw, kept, share_styles
from auditor.suite.keys import Sources, is_stale
from auditor.suite.report_page import TITLES, Contents, Figure, Page, level_of
from auditor.suite.report_text import figure, pretty, scalars
from auditor.suite.store import TEMPLATES, Result, Store
from proofs_checks.symbols import explained
from proofs_checks.verdicts import CLAIMS, PRINTS
from reference.catalogue import PAPERS, SEVERITIES

ASKS = {
    "accounting": "Does the composition of all releases meet the claim?",
    "sensitivity": "Is any released value further from its neighbour's than claimed?",
    "control_flow": "Are the same releases made on neighbouring data?",
    "privacy_loss": "Do sampled privacy losses of whole transcripts meet the claim?",
    "black_box": "Does the output alone give the data set away?",
    "samplers": "Is the noise distributed as declared?",
    "scaling": "Does the error fall as fast as the theorem says?",
    "real_data": "Do claim and utility hold on real data?",
    "domain": "Does the guarantee hold at every legal parameter that is tried?",
    "mutants": "Does this audit notice broken twins of the algorithm?",
}


def write_report(
    store: Store,
    known: Known,
    ledger: Mapping[str, Any] | None,
    *,
    site: str = "",
    workers: int = 1,
) -> Path:
    """Write ``report.html`` from everything in the store; return its path.

    Parameters
    ----------
    store : Store
    known : Known
        Results of other algorithms are left out.
    ledger : mapping or None
        As in ``proofs.json``.
    site : str
        The address of a site to link to; optional.
    workers : int, default 1
        Processes that draw.

    Raises
    ------
    InputError
        If the results file of an algorithm is broken.
    """
    entries, modules, sources = known.entries, known.modules, Sources()
    results = store.load_all(entries)
    stale = {name for name, result in results.items() if is_stale(result, modules, sources)}
    conclusion = conclude(results, entries)
    drawn = kept(store, conclusion.results, workers)
    grounds = grounds_in(ledger) if ledger and not _unchecked(ledger) else None
    certainty = Certainty(grounds, checked_of(ledger), conclusion.results)
    contents = Contents(
        conclusion,
        entries,
        ledger,
        stale,
        folder=store.folder,
        drawn=drawn,
        sure={i: in_one_line(certainty.links(entries[i], None)) for i in results},
        others=known.others,
        site=site,
    )
    return store.write_text("report.html", render(contents))


def render(contents: Contents) -> str:
    """Return the report as one HTML page; the same input gives the same bytes."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        figure=figure, scalars=scalars, pretty=pretty, describe=describe, explained=explained
    )
    results, ledger = contents.results, contents.ledger
    drawn, styles = _with_classes(draw(results) if contents.drawn is None else contents.drawn)
    text = environment.get_template("report.html").render(
        version=version(),
        results=results,
        catalogue=contents.catalogue,
        conclusion=contents.conclusion,
        settings=list(dict.fromkeys(result.settings for result in results.values())),
        questions=QUESTIONS,
        titles=TITLES,
        short=SHORT,
        asks=ASKS,
        papers=PAPERS,
        severities=SEVERITIES,
        prints=PRINTS,
        claims=CLAIMS,
        ledger=ledger,
        stale=contents.stale,
        sure=contents.sure,
        levels=_levels(contents),
        unchecked=_unchecked(ledger),
        styles=Markup(styles),
        findings=list(_findings(results)),
        counts=_counts(contents),
        page=Page(contents, drawn),
    )
    # the template's indentation is a tenth of the page
    return visible(re.sub(r"\n[ ]+(?=<)", "\n", text))


def _with_classes(
    drawn: Mapping[str, Mapping[str, Sequence[Drawing]]],
) -> tuple[dict[tuple[str, str], Sequence[Figure]], str]:
    """Return the figures of every form of every algorithm, and the CSS that they share."""
    forms = {(i, name): pictures for i, own in drawn.items() for name, pictures in own.items()}
    shared, styles = share_styles([svg for pictures in forms.values() for svg, _ in pictures])
    left = iter(shared)
    found: dict[tuple[str, str], Sequence[Figure]] = {
        form: [Figure(Markup(next(left)), words) for _, words in pictures]
        for form, pictures in forms.items()
    }
    return found, styles


def _findings(
    results: Mapping[str, Result],
) -> Iterator[tuple[str, str, Verdict, Mapping[str, Any]]]:
    for identifier, result in results.items():
        for name, form in result.forms.items():
            for verdict in form.verdicts.values():
                for finding in verdict.findings:
                    yield identifier, name, verdict, finding


def _unchecked(ledger: Mapping[str, Any] | None) -> list[str]:
    """Return the papers of which no statement has been checked, but for the copy without any."""
    found = {item["paper"] for item in ledger["statements"]} if ledger else set()
    return [number for number, paper in PAPERS.items() if not paper.note and number not in found]


def _levels(contents: Contents) -> dict[str, int]:
    """Return how many statements are of a level, the most frequent first."""
    statements = contents.ledger["statements"] if contents.ledger else ()
    counts = Counter(map(level_of, statements))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _counts(contents: Contents) -> dict[str, Any]:
    conclusion, results = contents.conclusion, contents.results
    forms = [form for result in results.values() for form in result.forms.values()]
    return {
        "algorithms": len(results),
        "forms": len(forms),
        "verdicts": sum(len(form.verdicts) for form in forms),
        "reproduced": errata.reproduced(conclusion, contents.catalogue, contents.ledger),
        "unexpected": len(conclusion.unexpected),
    }
