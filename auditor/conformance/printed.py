"""Vectors of printed forms that ask for other draws than the right form: no port may pass them.

Most printed forms stand beside the right results (``as_printed`` of the algorithms' cases), as they
take the same draws. These do not: Wishart noise for Laplace noise, a buffer drawn with replacement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from auditor.conformance.compare import difference
from auditor.conformance.kinds import Case, Kind, as_read, identifier, sources
from auditor.conformance.record import draws_of, printed_results, recorded, replayed
from auditor.core.setting import Setting
from auditor.described import modules, settings
from reference.catalogue import PrintedForm, entry

SHOWN = ("S1", "S2")
"""Severities of the errata whose printed forms are shown."""


@cache
def alone(of: str) -> dict[str, PrintedForm]:
    """Return by name the printed forms of an algorithm that no case of it can show."""
    algorithm = entry(of)
    severity = {erratum.name: erratum.severity for erratum in algorithm.errata}
    left = {
        form.name: form
        for form in algorithm.printed_forms
        if any(severity.get(name) in SHOWN for name in form.errata)
    }
    for setting in settings(of) if left else ():
        run = as_read(recorded(setting, algorithm.function))
        for found in printed_results(setting, algorithm, run["steps"]):
            gap = difference(run["result"], found["result"], tolerance=setting.tolerance)
            if gap is not None:
                left.pop(found["form"], None)
    return left


def cases(of: str) -> Iterator[Case]:
    """Yield what the printed forms make of a run of the algorithm, with draws of their own."""
    severity = {erratum.name: erratum.severity for erratum in entry(of).errata}
    for name, form in alone(of).items():
        setting, run = _run(of, form)
        yield as_read(
            {
                "id": identifier("printed", of, name, 1),
                "kind": "printed",
                "of": of,
                "source": sources(of),
                "about": form.summary,
                "form": name,
                "errata": {item: severity[item] for item in form.errata if item in severity},
                "tolerance": {"relative": setting.tolerance, "because": setting.because},
                **run,
                "catches": [{"twin": "the algorithm as it is printed", "flag": "printed"}],
            }
        )


def _run(of: str, form: PrintedForm) -> tuple[Setting, dict[str, Any]]:
    """Return the middle run with the form in the algorithm's place, or another that it takes."""
    for setting in sorted(settings(of), key=lambda item: item.name != "middle"):
        arguments = {key: item for key, item in setting.arguments.items() if key != "constants"}
        try:
            run = recorded(replace(setting, arguments=arguments, draws=None), form.function)
        except ValueError:
            continue
        run["inputs"].pop("constants", None)  # it has its own
        return setting, run
    raise ValueError(f"no setting of {of} is for its printed form {form.name!r}")


def answer(case: Case) -> Mapping[str, Any]:
    """Return what the printed form makes of a case."""
    form = alone(case["of"])[case["form"]]
    return replayed(form.function, case["inputs"], draws_of(case["steps"]))


KIND = Kind(
    "printed",
    "printed forms with draws of their own, which no port may give",
    lambda: tuple(of for of in modules() if alone(of)),
    cases,
    answer,
)
