"""Vectors of algorithms: a run from its inputs and draws, step by step."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from auditor.conformance.compare import difference
from auditor.conformance.kinds import Case, Kind, as_read, identifier, sources
from auditor.conformance.mutants import functions_run, noticed, recompiled
from auditor.conformance.record import draws_of, printed_results, recorded, replayed
from auditor.conformance.twins import GENERAL, gap, general_twins
from auditor.core.setting import Algorithm, Setting
from auditor.described import modules, settings
from reference.catalogue import entry, erratum
from reference.errata.em.models import LINES


def cases(of: str) -> Iterator[Case]:
    """Yield the cases of an algorithm."""
    algorithm = entry(of)
    for setting in settings(of):
        case = made("algorithms", of, setting, algorithm.function)
        printed = [
            *printed_results(setting, algorithm, case["steps"]),
            *printed_lines(setting, case, algorithm.function),
        ]
        case["source"] = sources(of)
        if printed:
            case["as_printed"] = as_read({"all": printed})["all"]
        yield case


def printed_lines(setting: Setting, case: Case, function: Algorithm) -> Iterator[dict[str, Any]]:
    """Yield what single printed lines give, with the constants of the case.

    A printed form has the printed constants as well, so that a port which takes those of the case
    does not give its result.
    """
    ran = {name for name, _ in functions_run(lambda: answer(case))}
    for line in LINES:
        if line.module not in ran:
            continue
        module = importlib.import_module(line.module)
        with recompiled(module, line.printed(inspect.getsource(module))):
            try:
                found = replayed(function, case["inputs"], draws_of(case["steps"]))
            except (ValueError, TypeError):  # it asks for other draws
                continue
        if difference(case["result"], found["result"], tolerance=setting.tolerance) is not None:
            errata = {line.erratum: erratum(line.erratum).severity}
            form = f"{line.about} (erratum {line.erratum})"
            yield {"form": form, "errata": errata, "result": found["result"]}


def made(kind: str, of: str, setting: Setting, function: Algorithm) -> Case:
    """Return the case of an setting of a function that releases through a ledger."""
    case = as_read(
        {
            "id": identifier(kind, of, setting.name, setting.version),
            "kind": kind,
            "of": of,
            "about": setting.about,
            "tolerance": {"relative": setting.tolerance, "because": setting.because},
            **recorded(setting, function),
        }
    )
    case["catches"] = catches(case, function)
    return case


def catches(case: Case, function: Algorithm) -> list[dict[str, str]]:
    """Return the broken implementations that a case tells apart: general ones, and mutants."""
    general = [{"twin": name, "flag": GENERAL[name]} for name in general_twins(case, function)]
    mutants = noticed(
        lambda: gap(case, function),
        lambda: gap(case, function) is not None,
        most=3,
        spared="reference.privacy." if case["kind"] == "algorithms" else "",
    )
    return [*general, *mutants]


def answer(case: Case) -> Mapping[str, Any]:
    """Return the steps and the result that the reference makes of a case."""
    return replayed(entry(case["of"]).function, case["inputs"], draws_of(case["steps"]))


KIND = Kind(
    "algorithms",
    "the algorithms of the papers: every step and the result, from inputs and draws",
    lambda: tuple(modules()),
    cases,
    answer,
)
