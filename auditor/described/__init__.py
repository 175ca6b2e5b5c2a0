"""All that is said of every algorithm of the catalogue: one file per algorithm, named as its own.

Every module defines ``CASES``, a dict from algorithm id to a function that builds its
:class:`~auditor.core.case.Case` (lazily, in the worker that needs it), and ``SETTINGS``, a dict
from id to a function that returns its :class:`~auditor.core.setting.Setting`: calls as plain data,
from which its conformance vectors and its tests of properties follow. ``LEFT_OUT``
names the tests of every algorithm that this one cannot take, with the reason. ``RAISED`` names the
kinds of its vectors that have changed all at once.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.core.errors import did_you_mean
from reference.catalogue import Entry, entries

if TYPE_CHECKING:
    from auditor.core.case import Case
    from auditor.core.setting import Setting


@cache
def modules() -> Mapping[str, str]:
    """Return the name of the module of every case by algorithm id; none of them is imported."""
    found = {}
    for identifier, entry in entries().items():
        _, *path = entry.function.__module__.split(".")
        if Path(__file__).parent.joinpath(*path).with_suffix(".py").is_file():
            found[identifier] = ".".join((__name__, *path))
    return found


class _Builders(Mapping[str, "Callable[[], Case]"]):
    """The case builders by algorithm id; a module is imported when its builder is asked for."""

    def __getitem__(self, identifier: str) -> Callable[[], Case]:
        builder: Callable[[], Case] = importlib.import_module(modules()[identifier]).CASES[
            identifier
        ]
        return builder

    def __contains__(self, identifier: object) -> bool:
        return identifier in modules()

    def __iter__(self) -> Iterator[str]:
        return iter(modules())

    def __len__(self) -> int:
        return len(modules())


def settings(identifier: str) -> tuple[Setting, ...]:
    """Return the settings of one algorithm: raise KeyError if there are none."""
    made: tuple[Setting, ...] = importlib.import_module(modules()[identifier]).SETTINGS[
        identifier
    ]()
    return made


def left_out(identifier: str) -> Mapping[str, str]:
    """Return what one algorithm is not asked, and why.

    ``"order of records"``: its result depends on it; ``"loop"``: it has none in its own function;
    ``"all of epsilon"``: by default it spends less; ``"domain"``: few of its points can be tried;
    ``"constants.step_size"``, or another constant:
    it changes nothing in the first setting.
    """
    module = importlib.import_module(modules()[identifier])
    reasons: Mapping[str, Mapping[str, str]] = getattr(module, "LEFT_OUT", {})
    return reasons.get(identifier, {})


def raised(identifier: str) -> Mapping[str, int]:
    """Return how much is added to the versions of one algorithm's vectors, by their kind.

    Add 1 where all vectors of a kind change: ``"constants"`` and ``"refusals"``, which follow from
    the settings, when an argument has another name.
    """
    module = importlib.import_module(modules()[identifier])
    numbers: Mapping[str, Mapping[str, int]] = getattr(module, "RAISED", {})
    return numbers.get(identifier, {})


def builders() -> Mapping[str, Callable[[], Case]]:
    """Return the case builders by algorithm id, each from its own module, sorted by id."""
    return _Builders()


def build_case(identifier: str) -> Case:
    """Build the case of one algorithm; raise KeyError if there is none.

    Raises
    ------
    RuntimeError
        If it is not a case of the entry, see :func:`require_case_of`.
    """
    case = builders()[identifier]()
    require_case_of(entries()[identifier], case)
    return case


NAME = re.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""Pattern of a form's name, the same as in the schema of results."""


def require_case_of(entry: Entry, case: Case) -> None:
    """Raise RuntimeError unless a case is that of an entry.

    It must have its id, a form "corrected" before all others, only forms with plain names whose
    neighbours are those of the entry, recipes of its own forms, and expect no errata but those of
    the entry.
    """
    from auditor.core.case import Case
    from auditor.core.verdict import QUESTIONS

    if not isinstance(case, Case):
        raise RuntimeError(f"the builder of {entry.id!r} made no auditor.Case but {case!r:.60}")
    if case.id != entry.id:
        raise RuntimeError(f"the builder of {entry.id!r} made a case called {case.id!r}")
    if next(iter(case.forms), "") != "corrected":
        raise RuntimeError(f"the first form of {entry.id} must be called 'corrected'")
    for name in case.forms:
        if not NAME.fullmatch(name):
            raise RuntimeError(
                f"the form {name!r} of {entry.id} needs a name for files and commands: letters, "
                "digits, '.', '_' and '-'"
            )
    for name, form in {**case.forms, **case.mutants}.items():
        if form.claim.relation is not entry.relation:
            raise RuntimeError(
                f"{entry.id} is about {entry.relation.value}, but its form {name!r} claims "
                f"{form.claim.describe()}"
            )
        for question in form.violates.keys() - set(QUESTIONS):
            meant = did_you_mean(question, QUESTIONS)
            raise RuntimeError(
                f"form {name!r} of {entry.id} violates {question!r}, which is no question{meant}"
            )
    expected = {name for form in case.forms.values() for name in form.violates.values()}
    expected |= {recipe.erratum for recipe in case.scaling if recipe.erratum is not None}
    unknown = expected - {erratum.name for erratum in entry.errata}
    if unknown:
        raise RuntimeError(f"{entry.id} has no erratum {', '.join(sorted(unknown))}")
    for recipe in case.scaling:
        if recipe.form not in case.forms:
            raise RuntimeError(f"a recipe of {entry.id} is of form {recipe.form!r}, which it lacks")
