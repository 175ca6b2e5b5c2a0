"""Vectors of functions that draw nothing: building blocks, and conversions between guarantees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.conformance.compare import difference
from auditor.conformance.kinds import Case, Kind, as_read, identifier
from auditor.conformance.misreadings import first_noticed
from auditor.conformance.mutants import noticed
from auditor.conformance.plain import plain, restored
from auditor.core.setting import TOLERANCE


@dataclass(frozen=True)
class Sample:
    """Arguments of a function that become a case.

    Parameters
    ----------
    name, about : str
        As of :class:`~auditor.core.setting.Setting`.
    arguments : mapping
    version : int
        Raised when the case changes: an id always means the same.
    """

    name: str
    about: str
    arguments: Mapping[str, Any]
    version: int = 1


def alike(about: str, names: Sequence[str], rows: Mapping[str, Sequence[Any]]) -> list[Sample]:
    """Return samples that are there for the same.

    Parameters
    ----------
    about : str
    names : sequence of str
        Of the arguments.
    rows : mapping
        Name of a sample -> its arguments, in the order of their names.
    """
    return [
        Sample(name, about, dict(zip(names, values, strict=True))) for name, values in rows.items()
    ]


@dataclass(frozen=True)
class Function:
    """A function of the reference, and what is asked of it.

    Parameters
    ----------
    call : callable
        By keywords.
    samples : sequence of Sample
    tolerance : float
    because : str
    """

    call: Callable[..., Any]
    samples: Sequence[Sample]
    tolerance: float = TOLERANCE
    because: str = "sums may be rounded in another order"


def single(
    call: Callable[..., Any],
    about: str,
    arguments: Mapping[str, Any],
    *tolerance: Any,
    name: str = "usual",
) -> Function:
    """Return a function of which one thing is asked; ``tolerance``, and because of what."""
    return Function(call, [Sample(name, about, arguments)], *tolerance)


def method(name: str) -> Callable[..., Any]:
    """Return a method as a function whose argument ``object`` is what it belongs to."""

    def call(*, object: Any, **arguments: Any) -> Any:
        return getattr(object, name)(**arguments)

    return call


def kind_of(name: str, about: str, table: Mapping[str, Function]) -> Kind:
    """Return the kind of the functions of a table."""

    def cases(of: str) -> Iterator[Case]:
        function = table[of]
        for sample in function.samples:
            with np.errstate(all="ignore"):
                result = plain(function.call(**sample.arguments))
            case = as_read(
                {
                    "id": identifier(name, of, sample.name, sample.version),
                    "kind": name,
                    "of": of,
                    "about": sample.about,
                    "tolerance": {"relative": function.tolerance, "because": function.because},
                    "inputs": plain(dict(sample.arguments), typed=True),
                    "result": result,
                }
            )
            yield {**case, "catches": _catches(case)}

    def _catches(case: Case) -> list[dict[str, str]]:
        found = noticed(lambda: answer(case), lambda: _differs(case), most=1)
        return [*found, *first_noticed(case, lambda inputs: _result(case["of"], inputs))]

    def _differs(case: Case) -> bool:
        tolerance = case["tolerance"]["relative"]
        return difference(case["result"], answer(case)["result"], tolerance=tolerance) is not None

    def _result(of: str, inputs: Mapping[str, Any]) -> Any:
        arguments = {key: restored(value) for key, value in inputs.items()}
        with np.errstate(all="ignore"):
            return plain(table[of].call(**arguments))

    def answer(case: Case) -> Mapping[str, Any]:
        return {"result": _result(case["of"], case["inputs"])}

    return Kind(name, about, lambda: tuple(table), cases, answer)
