"""Vectors of algorithms: a run from its inputs and draws, step by step."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from auditor.conformance import instances as package
from auditor.conformance.instance import Instance
from auditor.conformance.kinds import Case, Kind, as_read, identifier, sources
from auditor.conformance.record import Algorithm, draws_of, printed_results, recorded, replayed
from auditor.conformance.twins import GENERAL, broken, caught, general_twins
from reference.catalogue import entry, erratum


@cache
def instances() -> dict[str, Any]:
    """Return, by algorithm, the function that returns its instances."""
    found: dict[str, Any] = {}
    for file in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        found |= importlib.import_module(file.name).INSTANCES
    return dict(sorted(found.items()))


def cases(of: str) -> Iterator[Case]:
    """Yield the cases of an algorithm."""
    algorithm = entry(of)
    for instance in instances()[of]():
        case = made("algorithms", of, instance, algorithm.function)
        printed = [
            *printed_results(instance, algorithm, case["steps"]),
            *printed_alone(instance, case, algorithm.function),
        ]
        case["source"] = sources(of)
        if printed:
            case["as_printed"] = as_read({"all": printed})["all"]
        yield case


def printed_alone(instance: Instance, case: Case, function: Algorithm) -> Iterator[dict[str, Any]]:
    """Yield what the twins give that repeat an erratum and nothing else, with the case's constants.

    A printed form has the printed constants as well, so that a port which takes those of the case
    does not give its result. Such twins are flagged ``printed`` and name the erratum.
    """
    for twin in instance.twins:
        named = re.search(r"\(erratum (.+)\)$", twin.name)
        if twin.flag != "printed" or named is None:
            continue
        with broken(twin, function.__module__):
            try:
                found = replayed(function, case["inputs"], draws_of(case["steps"]))
            except (ValueError, TypeError):  # it asks for other draws
                continue
        errata = {named[1]: erratum(named[1]).severity}
        yield {"form": twin.name, "errata": errata, "result": found["result"]}


def made(kind: str, of: str, instance: Instance, function: Algorithm) -> Case:
    """Return the case of an instance of a function that releases through a ledger."""
    case = as_read(
        {
            "id": identifier(kind, of, instance.name, instance.version),
            "kind": kind,
            "of": of,
            "about": instance.about,
            "tolerance": {"relative": instance.tolerance, "because": instance.because},
            **recorded(instance, function),
        }
    )
    case["catches"] = catches(case, instance, function)
    return case


def catches(case: Case, instance: Instance, function: Algorithm) -> list[dict[str, str]]:
    """Return the twins that a case tells apart, the general ones and the instance's own.

    Raises
    ------
    ValueError
        If it does not tell one of the instance's own apart.
    """
    found = [{"twin": name, "flag": GENERAL[name]} for name in general_twins(case, function)]
    for twin in instance.twins:
        with broken(twin, function.__module__):
            if not caught(case, function):
                raise ValueError(f"{case['id']} does not catch {twin.name!r}")
        found.append({"twin": twin.name, "flag": twin.flag})
    return found


def answer(case: Case) -> Mapping[str, Any]:
    """Return the steps and the result that the reference makes of a case."""
    return replayed(entry(case["of"]).function, case["inputs"], draws_of(case["steps"]))


KIND = Kind(
    "algorithms",
    "the algorithms of the papers: every step and the result, from inputs and draws",
    lambda: tuple(instances()),
    cases,
    answer,
)
