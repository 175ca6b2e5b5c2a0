"""Run the checks of numbered statements, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from threadpoolctl import threadpool_limits

from auditor.core.errors import InputError, did_you_mean, one_line
from auditor.core.verdict import jsonable
from auditor.core.version import version
from auditor.runs.parallel import in_parallel
from auditor.suite.chains import sink
from proofs_checks import coq
from proofs_checks.cited import argument, cited
from proofs_checks.coq_statements import STATEMENTS
from proofs_checks.origins import Origins
from proofs_checks.outcome import STRENGTH, Outcome
from proofs_checks.statement import OWN, Checked, Report, Statement, find, run, statements
from proofs_checks.symbols import absent, but_for, legend
from reference.catalogue import PAPERS, UnknownAlgorithmError, entry


def select(
    wanted: Sequence[str],
    *,
    paper: str | None = None,
    section: str | None = None,
    of_print: str | None = None,
    of_claim: str | None = None,
    severities: Sequence[str] = (),
) -> tuple[Statement, ...]:
    """Return the statements of ids, papers, keys or numbers, of a paper, a section, verdicts.

    A key such as "002 Lemma 3.1" imports its section alone.

    Raises
    ------
    InputError
        If one of ``wanted`` matches nothing, or nothing is left.
    """
    if len(wanted) == 1 and not (paper or section or of_print or of_claim or severities):
        with suppress(KeyError):
            return (find(wanted[0]),)
    known = statements(paper or _paper_of(wanted))
    if section is not None:
        known = tuple(item for item in known if _within(item.section, section))
    if not known:
        raise InputError(f"no statements of paper {paper or 'any'}, section {section or 'any'}")
    chosen: set[str] = {item.key for item in known} if not wanted else set()
    for word in wanted:
        found = {item.key for item in known if _matches(item, word)}
        if not found:
            names = {name for item in known for name in (item.key, item.number, *item.algorithms)}
            raise InputError(
                f"no statement belongs to {word!r}{did_you_mean(word, names)}; give an algorithm "
                f"id, a paper (000 to 004; {', '.join(OWN)}), a number such as 'Lemma 2.1.9' or "
                "both: '004 Lemma 2.1.9'"
            )
        chosen |= found
    left = tuple(
        item
        for item in known
        if item.key in chosen
        and of_print in (None, item.print)
        and of_claim in (None, item.claim)
        and (not severities or item.severity in severities)
    )
    if not left:
        options = {"print": of_print, "claim": of_claim, "severity": ",".join(severities)}
        given = " and ".join(f"--{name} {value}" for name, value in options.items() if value)
        raise InputError(f"no statement is left by {given}")
    return left


def levels_called(part: str) -> tuple[str, ...]:
    """Return the levels whose names have ``part`` in them.

    Raises
    ------
    InputError
        If there is none.
    """
    found = tuple(name for name in STRENGTH if part.casefold() in name.casefold())
    if not found:
        raise InputError(f"no level is called {part!r}; levels: {', '.join(STRENGTH)}")
    return found


def of_levels(ledger: Mapping[str, Any], levels: Sequence[str]) -> list[dict[str, Any]]:
    """Return the statements of a ledger that have one of some levels."""
    return [item for item in ledger["statements"] if item["level"] in levels]


def _not_run(item: Mapping[str, Any]) -> bool:
    checks = (item["printed"], item["corrected"])
    return any(check is not None and check["level"] == "not run here" for check in checks)


def all_steps(
    outcome: Mapping[str, Any], depth: int = 0
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the parts of a derivation, each with its depth, the parts of a part below it."""
    for step in outcome["steps"]:
        yield depth, step
        yield from all_steps(step, depth + 1)


def premises(outcome: Mapping[str, Any]) -> str:
    """Return the premises of a step, each with its origin: ``"b >= 1 [proved here, size]"``."""
    found = []
    for one in outcome["premises"]:
        marks = (one["origin"], one["source"], "" if one["needed"] else "not needed")
        found.append(f"{one['text']} [{', '.join(filter(None, marks))}]")
    return " and ".join(found)


def _paper_of(wanted: Sequence[str]) -> str | None:
    """Return the paper, or the key of OWN, that all of ``wanted`` name, if they do."""
    papers = {word.partition(" ")[0] for word in wanted}
    return papers.pop() if len(papers) == 1 and papers <= PAPERS.keys() | OWN.keys() else None


def _within(section: str, wanted: str) -> bool:
    return section.casefold() == wanted.casefold() or section.startswith(f"{wanted}.")


def _matches(statement: Statement, word: str) -> bool:
    try:
        if entry(word).id in statement.algorithms:
            return True
    except UnknownAlgorithmError:
        pass
    if word in statement.algorithms or word == statement.paper:
        return True
    names = (statement.key, statement.number, *statement.number.split())
    return word.casefold() in (name.casefold() for name in names)


def run_all(
    chosen: Sequence[Statement],
    *,
    seed: int = 0,
    workers: int = 1,
    debug: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Run the checks of ``chosen``; return the object of ``touchstone proofs --format json``.

    The checks of what the arguments cite run too: a level is never above theirs.

    A check that raises says nothing of its statement: it is listed as ``failed``, and the others
    go on. With ``debug`` it is raised.
    """
    progress(0, len(chosen))
    outcomes: dict[str, dict[str, Any]] = {}
    failed: set[str] = set()
    wanted = [item.key for item in chosen]
    while wanted:  # what is asked for, then what its arguments cite
        if any(key in STATEMENTS for key in wanted):
            coq.compilation()  # once, before the workers ask for it
        calls = ((key, seed, debug) for key in wanted)
        # a process takes longer to start than most checks to run
        for key, outcome, has_failed in in_parallel(_run, calls, min(workers, len(wanted))):
            outcomes[key] = outcome
            if has_failed:
                failed.add(key)
            progress(min(len(outcomes), len(chosen)), len(chosen))
        cites = dict.fromkeys(key for item in outcomes.values() for key in item["cites"])
        wanted = [key for key in cites if key not in outcomes]
    sink(outcomes)
    keyed = [(statement.key, outcomes[statement.key]) for statement in chosen]
    return {
        "touchstone": version(),
        "seed": seed,
        "statements": [item for _, item in keyed],
        "unexpected": [key for key, item in keyed if not item["as_expected"] and key not in failed],
        "failed": [key for key, _ in keyed if key in failed],
        "not_run": [key for key, item in keyed if _not_run(item)],
    }


def together(earlier: Mapping[str, Any] | None, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was found of some papers with what an earlier run found of the others.

    Parameters
    ----------
    earlier : mapping or None
        As in ``proofs.json``; left out if it is of another version or seed.
    found : mapping
        As :func:`run_all` returns it, of whole papers.
    """
    same = ("touchstone", "seed")
    if earlier is None or any(earlier[name] != found[name] for name in same):
        return dict(found)
    papers = {item["paper"] for item in found["statements"]}
    kept = [item for item in earlier["statements"] if item["paper"] not in papers]
    keys = {item["key"] for item in kept}
    lists = {
        name: [key for key in earlier[name] if key in keys] + found[name]
        for name in ("unexpected", "failed", "not_run")
    }
    statements = sorted([*kept, *found["statements"]], key=lambda item: str(item["paper"]))
    return {**found, "statements": statements, **lists}


def covers(ledger: Mapping[str, Any], known: Sequence[Statement]) -> bool:
    """Return whether a ledger is of this version and has all of some statements."""
    keys = {item["key"] for item in ledger["statements"]}
    return ledger["touchstone"] == version() and keys >= {item.key for item in known}


def _run(key: str, seed: int, debug: bool) -> tuple[str, dict[str, Any], bool]:
    """Return the key of a statement, what is written of it, and whether a check of it raised."""
    statement = find(key)
    try:
        with threadpool_limits(limits=1):
            return key, as_json(run(statement, seed)), False
    except Exception as error:
        if debug:
            raise
        failed = Outcome(False, "not checkable", f"the check failed with {one_line(error)}")
        return key, {**as_json(Report(statement, failed, None)), "as_expected": False}, True


def as_json(report: Report) -> dict[str, Any]:
    """Return what is written of a statement: an item of ``statements`` in ``proofs.json``."""
    statement = report.statement
    printed, corrected = statement.of_printed, statement.of_corrected
    missing = absent(statement, report.corrected or report.printed)
    lowered = but_for(missing)
    plain: dict[str, Any] = jsonable(
        {
            "key": statement.key,
            "paper": statement.paper,
            "number": statement.number,
            "section": statement.section,
            "lines": statement.lines,
            "kind": statement.kind,
            "formula": statement.printed,
            "checked_formula": statement.checked,
            "added": statement.added,
            "misprint": statement.misprint,
            "repair": statement.repair,
            "print": statement.print,
            "claim": statement.claim,
            "refuted": statement.expected == "false",
            "reason": statement.reason,
            "special_case_of": statement.special_case_of,
            "algorithms": statement.algorithms,
            "errata": statement.errata,
            "severity": statement.severity,
            "cites": cited(statement),
            "where": statement.where,
            "argument": "" if printed is None else argument(printed),
            "printed": _checked(
                statement, printed, report.printed, "" if report.corrected else lowered
            ),
            "corrected_formula": "" if corrected is None else corrected.formula,
            "corrected_argument": "" if corrected is None else argument(corrected),
            "corrected": None
            if report.corrected is None
            else _checked(statement, corrected, report.corrected, lowered),
            "legend": legend(statement, report.corrected or report.printed),
            "absent": missing,
            "as_expected": report.as_expected,
        }
    )
    return plain


def _checked(
    statement: Statement, checked: Checked | None, outcome: Outcome, lowered: str
) -> dict[str, Any]:
    """Return what is written of the check of a formula; what it lacks lowers its label."""
    origins = None if checked is None else Origins(statement, checked, outcome)
    return _outcome(outcome, "", origins, lowered)


def _outcome(
    outcome: Outcome, name: str, origins: Origins | None, lowered: str = ""
) -> dict[str, Any]:
    plain = {name: value for name, value in vars(outcome).items() if name != "decided"}
    return {
        **plain,
        "evidence": outcome.evidence + lowered,
        "premises": [] if origins is None else list(map(vars, origins.of(name, outcome))),
        "steps": [
            {"name": own, **_outcome(step, own or name, origins)} for own, step in outcome.steps
        ],
    }
