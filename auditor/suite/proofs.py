"""Run the checks of the papers' numbered statements, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import joblib
from threadpoolctl import threadpool_limits

from auditor.core.errors import InputError, one_line
from auditor.core.verdict import jsonable
from auditor.core.version import version
from proofs_checks.statement import Outcome, Report, Statement, run, statements
from reference.catalogue import UnknownAlgorithmError, entry


def select(wanted: Sequence[str]) -> tuple[Statement, ...]:
    """Return the statements of an algorithm id (or alias), a paper, or a number such as "2.1.9".

    Raises
    ------
    InputError
        If one of ``wanted`` matches nothing.
    """
    if not wanted:
        return statements()
    chosen: dict[str, Statement] = {}
    for word in wanted:
        found = [statement for statement in statements() if _matches(statement, word)]
        if not found:
            raise InputError(
                f"no statement belongs to {word!r}; give an algorithm id, a paper (000 to 004), or "
                "a number such as 'Lemma 2.1.9'"
            )
        chosen.update((statement.key, statement) for statement in found)
    return tuple(statement for statement in statements() if statement.key in chosen)


def _matches(statement: Statement, word: str) -> bool:
    try:
        if entry(word).id in statement.algorithms:
            return True
    except UnknownAlgorithmError:
        pass
    if word in statement.algorithms or word == statement.seed or word == statement.key:
        return True
    number = statement.number.casefold()
    return word.casefold() == number or word.casefold() in number.split()


def run_all(
    chosen: Sequence[Statement],
    *,
    seed: int = 0,
    workers: int = 1,
    debug: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Run the checks of ``chosen``; return the object of ``touchstone proofs --format json``.

    A check that raises counts as one that does not hold, unless ``debug``.
    """
    progress(0, len(chosen))
    outcomes: dict[str, dict[str, Any]] = {}
    tasks = (joblib.delayed(_run)(statement.key, seed, debug) for statement in chosen)
    # a process takes longer to start than most checks to run
    answers = joblib.Parallel(min(workers, len(chosen)), return_as="generator_unordered")(tasks)
    for done, (key, outcome) in enumerate(answers, start=1):
        outcomes[key] = outcome
        progress(done, len(chosen))
    ordered = [outcomes[statement.key] for statement in chosen]
    return {
        "touchstone": version(),
        "seed": seed,
        "statements": ordered,
        "unexpected": [item["key"] for item in ordered if not item["as_expected"]],
    }


def _run(key: str, seed: int, debug: bool) -> tuple[str, dict[str, Any]]:
    statement = next(statement for statement in statements() if statement.key == key)
    try:
        with threadpool_limits(limits=1):
            report = run(statement, seed)
    except Exception as error:
        if debug:
            raise
        failed = Outcome(False, "not checkable", f"the check failed with {one_line(error)}")
        return key, {**_to_json(Report(statement, failed, None)), "as_expected": False}
    return key, _to_json(report)


def _to_json(report: Report) -> dict[str, Any]:
    statement = report.statement
    plain: dict[str, Any] = jsonable(
        {
            "key": statement.key,
            "paper": statement.seed,
            "number": statement.number,
            "lines": statement.lines,
            "formula": statement.formula,
            "kind": statement.kind,
            "expected": statement.expected,
            "reason": statement.reason,
            "algorithms": statement.algorithms,
            "errata": statement.errata,
            "printed": asdict(report.printed),
            "corrected_formula": statement.corrected,
            "corrected": None if report.corrected is None else asdict(report.corrected),
            "as_expected": report.as_expected,
        }
    )
    return plain
