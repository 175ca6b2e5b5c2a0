"""Vectors of algorithms: a run from its inputs and draws, step by step."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from auditor.conformance.instance import Instance
from auditor.conformance.kinds import Case, Kind, as_read, identifier
from auditor.conformance.record import draws_of, printed_results, recorded, replayed
from auditor.conformance.twins import GENERAL, broken, caught, general_twins
from reference.catalogue import FAMILIES, entry


@cache
def instances() -> dict[str, Any]:
    """Return, by algorithm, the function that returns its instances."""
    found: dict[str, Any] = {}
    for family in FAMILIES:
        module = importlib.import_module(f"auditor.conformance.instances.{family}")
        found |= module.INSTANCES
    return dict(sorted(found.items()))


def cases(of: str) -> Iterator[Case]:
    """Yield the cases of an algorithm."""
    for instance in instances()[of]():
        yield made(instance, of)


def made(instance: Instance, of: str) -> Case:
    """Return the case of an instance."""
    algorithm = entry(of)
    run = recorded(instance, algorithm)
    case = as_read(
        {
            "id": identifier("algorithms", of, instance.name, instance.version),
            "kind": "algorithms",
            "of": of,
            "about": instance.about,
            "tolerance": {"relative": instance.tolerance, "because": instance.because},
            **run,
        }
    )
    printed = as_read({"all": list(printed_results(instance, algorithm, case["steps"]))})["all"]
    if printed:
        case["as_printed"] = printed
    case["catches"] = catches(case, instance)
    return case


def catches(case: Case, instance: Instance) -> list[dict[str, str]]:
    """Return the twins that a case tells apart, the general ones and the instance's own.

    Raises
    ------
    ValueError
        If it does not tell one of the instance's own apart.
    """
    algorithm = entry(case["of"])
    found = [
        {"twin": name, "flag": GENERAL[name]} for name in general_twins(case, algorithm.function)
    ]
    for twin in instance.twins:
        with broken(twin, algorithm.function.__module__):
            if not caught(case, algorithm.function):
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
