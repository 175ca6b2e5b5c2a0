"""The registry of algorithms: ids, sources, claims, errata and printed forms.

Each algorithm's file ends with its ``ENTRY``; this module collects them. What its sources print
that does not hold is in the file of the same name under :mod:`reference.errata`.
``CONTRIBUTING.md`` says how to add an algorithm, and which pages list all of them.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from reference.privacy.guarantees import Model, Relation

FAMILIES = (
    "basic", "convex", "crowdsourcing", "em", "heavy_tailed", "local", "matrices", "nonconvex",
    "pairwise", "sparse",
)  # fmt: skip


@dataclass(frozen=True)
class Paper:
    """One of the papers whose algorithms are here.

    Parameters
    ----------
    authors, title : str
    year : int
        Of the dissertation, the proceedings, or the first version on arXiv.
    where : str
        Where it is found.
    note : str
        What is particular about the copy at hand.
    """

    authors: str
    title: str
    year: int
    where: str
    note: str = ""

    @property
    def url(self) -> str:
        """Its address, by its number on arXiv or its DOI; empty without one."""
        scheme, _, number = self.where.rpartition(" ")[2].partition(":")
        bases = {"arXiv": "https://arxiv.org/abs/", "doi": "https://doi.org/"}
        return f"{bases[scheme]}{number}" if scheme in bases else ""

    @property
    def short(self) -> str:
        """The authors and the year, as in a text."""
        return f"{self.authors} ({self.year})"

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"{self.short}: {self.title}, {self.where}{note}"


PAPERS = {
    "000": Paper(
        "Wang, Ding, Hu, Xie, Pan and Xu",
        "Differentially private expectation maximization algorithm with statistical guarantees",
        2020,
        "arXiv:2010.13520",
    ),
    "001": Paper(
        "Zhang and Zhang",
        "High-dimensional differentially-private EM algorithm",
        2021,
        "arXiv:2104.00245",
        "a copy without its formulas",
    ),
    "002": Paper(
        "Zhang and Zhang",
        "High-dimensional differentially-private EM algorithm",
        2021,
        "arXiv:2104.00245",
    ),
    "003": Paper(
        "Hu, Ni, Xiao and Wang",
        "High dimensional differentially private stochastic optimization with heavy-tailed data",
        2022,
        "PODS, doi:10.1145/3517804.3524144",
    ),
    "004": Paper(
        "Wang",
        "Some fundamental machine learning problems in the differential privacy model",
        2020,
        "dissertation, University at Buffalo",
    ),
}
"""The papers, by the number that stands for each in keys such as "004 Lemma 2.1.9"."""

ErratumKind = Literal[
    "privacy", "sensitivity", "accounting", "utility", "proof", "experiment", "misprint",
    "implementation",
]  # fmt: skip


Sign = Literal["", "root", "exponent", "prime", "bracket", "index", "hat"]
"""Signs of a formula that the conversion of a paper's text to plain characters may lose."""

Severity = Literal["S1", "S2", "S3", "S4"]
SEVERITIES: dict[Severity, str] = {
    "S1": "breaks a headline: for epsilon <= log(1/delta), delta <= 1/n and realistic n and d, "
    "following the print loses privacy, consistency or the advertised rate, whatever the constants",
    "S2": "a wrong number that one would code or cite in that regime: a sensitivity, a noise or "
    "log factor, an exponent, a missing condition",
    "S3": "range or units: false only for epsilon > log(1/delta), delta near 1, parameters near 0 "
    "and the like; true once the convention is written down",
    "S4": "a slip: a misprint, a sign, a step of a proof whose result stands",
}
"""Severities of an error, the worst first."""


@dataclass(frozen=True)
class Source:
    """A place at which an algorithm is printed.

    Parameters
    ----------
    paper : str or Paper
        Key of :data:`PAPERS`, or any other paper.
    number : str
        Number in the paper, e.g. ``"Algorithm 1"``.
    lines : str
        Line range in the paper's text, e.g. ``"183-195"``; empty if no text is at hand.
    """

    paper: str | Paper
    number: str
    lines: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.paper, str) and self.paper not in PAPERS:
            known = ", ".join(PAPERS)
            raise ValueError(f"unknown paper {self.paper!r}; known: {known}, or give a Paper")

    @property
    def work(self) -> Paper:
        """The paper itself."""
        return PAPERS[self.paper] if isinstance(self.paper, str) else self.paper

    @property
    def label(self) -> str:
        """The key of the paper, or its authors and year where it has none."""
        return self.paper if isinstance(self.paper, str) else self.paper.short

    def __str__(self) -> str:
        return f"{self.work.short}, {self.number}"


@dataclass(frozen=True)
class Erratum:
    """A statement of a source that does not hold, as data.

    Parameters
    ----------
    name : str
        What it is cited by, such as ``"wang-2/E2"``: the algorithm it was found with, or the paper
        and number of a statement that belongs to none. It never changes, whatever file the erratum
        is in, and is never used again; see :class:`Withdrawn`.
    severity : {"S1", "S2", "S3", "S4"}
        See :data:`SEVERITIES`.
    kind : str
        privacy, sensitivity, accounting, utility, proof, experiment, misprint, implementation.
    origin : {"mathematical", "misprint", "unclear"}
        False whatever the typography, or wrong only as printed.
    statement : str
        As printed.
    truth : str
        What holds instead, with the constant.
    witness : str
        The counterexample's numbers.
    reproduced_by : str
        What in this project reproduces it: ``"audit:<form>/<question>"``,
        ``"proofs:<number>"`` or ``"test:<name>"``.
    copy_of : str, optional
        Name of the erratum that this one repeats elsewhere: the same error, counted once.
    elsewhere : str, optional
        Of a misprint or an unclear one: how the same formula reads elsewhere in the papers.
    sign : str, optional
        Of :data:`Sign`: that on which the reading hangs, where no page of the paper has been seen
        and the conversion of its text may have lost it. The error is then in doubt.

    Raises
    ------
    ValueError
        If a mathematical error hangs on a sign.
    """

    name: str
    severity: Severity
    kind: ErratumKind
    origin: Literal["mathematical", "misprint", "unclear"]
    statement: str
    truth: str
    witness: str
    reproduced_by: str
    copy_of: str = ""
    elsewhere: str = ""
    sign: Sign = ""

    def __post_init__(self) -> None:
        if self.sign and self.origin == "mathematical":
            raise ValueError(f"{self.name}: false whatever the typography, and hangs on a sign")

    @property
    def in_doubt(self) -> bool:
        """True if the copy at hand may be wrong where the paper is right."""
        return bool(self.sign)


@dataclass(frozen=True)
class Withdrawn:
    """A name that is no erratum, or is none any more; it is not used again.

    Parameters
    ----------
    name : str
        As of :class:`Erratum`.
    why : str
        What a second reading found, in one line.
    """

    name: str
    why: str


@dataclass(frozen=True)
class PrintedForm:
    """A form that a source prints and that does not hold, as a function to run and audit.

    Parameters
    ----------
    name : str
        ``"printed"``, or ``"printed-..."`` where there are several; the audit case has a form of
        this name.
    errata : tuple of str
        Names of the errata that it shows.
    function : callable
        With the parameters of the algorithm. Where only constants differ, it is
        :func:`reference.constants.with_constants`; where the text differs in structure, it is the
        printed box. Its docstring's first line says what is printed, and where.
    """

    name: str
    errata: tuple[str, ...]
    function: Callable[..., Any]

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]


@dataclass(frozen=True)
class Entry:
    """One catalogued algorithm.

    Parameters
    ----------
    id : str
        As in the catalogue, e.g. ``"wang-1"``.
    name : str
    sources : tuple of Source
        An algorithm printed in two papers is one entry with two sources; one that is not published
        has none.
    model : Model
    interactive : bool
        For local algorithms: whether users wait for earlier users' messages.
    relation : Relation
    privacy_claim : str
        As the source states it.
    utility_claim : str
        Metric and rate as a function of n, d, s, k, epsilon, delta; or why there is none.
    function : callable
    aliases : tuple of str
        Other numbers of the same algorithm.
    printed : str
        Name of the module with its ``ERRATA``, ``FORMS`` and ``WITHDRAWN``, each of which may be
        absent. By default the file of the same name under :mod:`reference.errata`, if there is one.
    """

    id: str
    name: str
    sources: tuple[Source, ...]
    model: Model
    relation: Relation
    privacy_claim: str
    utility_claim: str
    function: Callable[..., Any]
    interactive: bool = False
    aliases: tuple[str, ...] = ()
    printed: str = ""

    @cached_property
    def _printed(self) -> ModuleType | None:
        """The module of what is printed; ``None`` if there is none."""
        if self.printed:
            return importlib.import_module(self.printed)
        package, _, rest = self.function.__module__.partition(".")
        if package != "reference":
            return None
        name = f"reference.errata.{rest}"
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise  # not this file, nor its folder
            return None

    @property
    def errata(self) -> tuple[Erratum, ...]:
        """Return what its sources print that does not hold: ``ERRATA`` next door, worst first."""
        found: tuple[Erratum, ...] = getattr(self._printed, "ERRATA", ())
        return tuple(sorted(found, key=lambda item: item.severity))

    @property
    def withdrawn(self) -> tuple[Withdrawn, ...]:
        """Names of errata that are none: ``WITHDRAWN`` of the file next door."""
        return getattr(self._printed, "WITHDRAWN", ())

    @property
    def printed_forms(self) -> tuple[PrintedForm, ...]:
        """Printed forms that can be run: ``FORMS`` of the file next door."""
        return getattr(self._printed, "FORMS", ())


class UnknownAlgorithmError(ValueError):
    """An id that is not in the catalogue.

    Parameters
    ----------
    identifier : str
    known : sequence of str
    """

    def __init__(self, identifier: str, known: Sequence[str]) -> None:
        super().__init__(identifier, known)
        self.identifier, self.known = identifier, known

    def __str__(self) -> str:
        # put together when it is read: looking for what was meant takes long
        near = difflib.get_close_matches(self.identifier.casefold(), self.known)
        meant = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(self.known)}"
        return f"unknown algorithm {self.identifier!r}; {meant}"


@cache
def errata() -> dict[str, Erratum]:
    """Return all errata by name, the worst first: those of entries and those of statements alone.

    The latter are in ``reference/errata/statements/``, a file per paper, until an algorithm that
    they belong to is in the catalogue.
    """
    found = [erratum for module in _errata_modules() for erratum in getattr(module, "ERRATA", ())]
    named = {item.name: item for item in sorted(found, key=lambda item: item.severity)}
    if len(named) < len(found):
        raise RuntimeError("two errata have the same name")
    return named


@cache
def erratum(name: str) -> Erratum:
    """Return one erratum, importing only the file that it is in.

    Raises
    ------
    KeyError
        If there is none of this name.
    """
    folder = Path(__file__).parent
    for path in sorted((folder / "errata").rglob("*.py")):
        if f'name="{name}"' in path.read_text(encoding="utf-8"):
            parts = path.relative_to(folder).with_suffix("").parts
            module = importlib.import_module(".".join(("reference", *parts)))
            found: dict[str, Erratum] = {item.name: item for item in module.ERRATA}
            return found[name]
    raise KeyError(name)


@cache
def withdrawn() -> dict[str, Withdrawn]:
    """Return by name what was listed as an erratum and is none."""
    found = [item for module in _errata_modules() for item in getattr(module, "WITHDRAWN", ())]
    return {item.name: item for item in sorted(found, key=lambda item: item.name)}


def _errata_modules() -> tuple[ModuleType, ...]:
    package = importlib.import_module("reference.errata")
    names = [info.name for info in pkgutil.walk_packages(package.__path__, "reference.errata.")]
    return tuple(map(importlib.import_module, names))


@cache
def entries() -> dict[str, Entry]:
    """Return all entries by id, in the order of their ids."""
    found: dict[str, Entry] = {}
    for family in FAMILIES:
        package = importlib.import_module(f"reference.{family}")
        for info in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{info.name}")
            entry = getattr(module, "ENTRY", None)
            if entry is None:
                continue
            if entry.id in found:
                raise RuntimeError(f"two entries are called {entry.id!r}")
            found[entry.id] = entry
    return dict(sorted(found.items()))


def entry(identifier: str) -> Entry:
    """Return one entry by its id or an alias.

    Raises
    ------
    UnknownAlgorithmError
        Naming the known ids.
    """
    known = entries()
    if identifier in known:
        return known[identifier]
    for candidate in known.values():
        if identifier in candidate.aliases:
            return candidate
    raise UnknownAlgorithmError(identifier, list(known))
