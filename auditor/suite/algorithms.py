"""The algorithms that can be audited: the papers' and users' own.

Others bring theirs in a module with ``ENTRIES``, a sequence of :class:`auditor.Entry`, and
``CASES``, a mapping from the id of each to a function that builds its :class:`auditor.Case`. The
module is a file that is named, or an installed package names it as an entry point of the group
:data:`GROUP`. Every id and alias stands for one algorithm: the papers' names cannot be taken, a
file that is named goes before a package that is merely installed, and if two packages define the
same id, the first in the alphabet wins.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any, cast

from auditor.core.case import CaseBuilder, Form
from auditor.core.errors import InputError, did_you_mean, one_line, pass_interrupts
from auditor.described import builders, modules, require_case_of
from reference.catalogue import Entry, UnknownAlgorithmError, entries, entry

GROUP = "touchstone.cases"
"""Entry points of this group name modules with algorithms."""


_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FILES = ("audit", "proofs", "timings")
"""Names of other files in a results folder, which no algorithm can have."""


@dataclass(frozen=True)
class Origin:
    """Origin of algorithms that are not the papers'.

    Attributes
    ----------
    label : str
        A file as it was given, or an installed package with its version.
    name : str
        What stands for all of its algorithms where ids are given: the file, or the package's name.
    file : str
        The file; empty for a package.
    """

    label: str
    name: str
    file: str = ""


@dataclass(frozen=True)
class OwnAlgorithm:
    """One algorithm that somebody brings."""

    entry: Entry
    build: CaseBuilder
    origin: Origin

    @property
    def names(self) -> tuple[str, ...]:
        """Its id and its aliases."""
        return (self.entry.id, *self.entry.aliases)

    @property
    def files(self) -> tuple[str, ...]:
        """Return the files that a command needs to know it."""
        return (self.origin.file,) if self.origin.file else ()


@dataclass(frozen=True)
class Known:
    """Algorithms by id: the papers', and others'.

    Attributes
    ----------
    others : mapping
        id -> algorithm, of those that are not the papers'.
    folders : tuple of str
        Where modules are found that are given as files; workers elsewhere need them.
    """

    others: Mapping[str, OwnAlgorithm] = field(default_factory=dict)
    folders: tuple[str, ...] = ()

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Every entry by id, the papers' first."""
        return {**entries(), **{name: other.entry for name, other in self.others.items()}}

    @property
    def cases(self) -> Mapping[str, CaseBuilder]:
        """Builders of cases by id; a paper's is imported when it is asked for."""
        own = {name: other.build for name, other in self.others.items()}
        return ChainMap(own, cast("MutableMapping[str, CaseBuilder]", builders()))

    def form(self, identifier: str) -> Form | None:
        """Return the first form of an algorithm that can be audited, the corrected one."""
        cases = self.cases
        forms = cases[identifier]().forms.values() if identifier in cases else ()
        return next(iter(forms), None)

    @property
    def modules(self) -> Mapping[str, str]:
        """Names of the modules of cases by id."""
        own = {name: other.build.__module__ for name, other in self.others.items()}
        return {**modules(), **own}

    @property
    def origins(self) -> Mapping[str, str]:
        """Return the origins of algorithms that are not the papers', by id."""
        return {name: other.origin.label for name, other in self.others.items()}

    def files(self, identifier: str) -> tuple[str, ...]:
        """Return the files that a command must be given to know an algorithm."""
        return self.others[identifier].files if identifier in self.others else ()

    def identifiers(self, words: Sequence[str]) -> list[str]:
        """Return the ids that words stand for, each once: ids, aliases, names of packages.

        Raises
        ------
        UnknownAlgorithmError
        """
        found: dict[str, None] = {}
        for word in words:
            of_origin = [i for i, other in self.others.items() if other.origin.name == word]
            found.update(dict.fromkeys(of_origin or [self._identifier(word)]))
        return list(found)

    def _identifier(self, word: str) -> str:
        for name, other in self.others.items():
            if word in other.names:
                return name
        try:
            return entry(word).id
        except UnknownAlgorithmError:
            raise UnknownAlgorithmError(word, list(self.entries)) from None

    def require_valid(self, identifiers: Iterable[str]) -> None:
        """Build the cases of those that are not the papers', and look at them.

        Raises
        ------
        InputError
            If one cannot be built, or is not what its entry says.
        """
        for other in (self.others[name] for name in identifiers if name in self.others):
            name, where = other.entry.id, other.origin.label
            try:
                case = other.build()
            except BaseException as error:
                pass_interrupts(error)
                raise InputError(
                    f"{where}: building the case of {name} failed with {one_line(error)}"
                ) from error
            try:
                require_case_of(other.entry, case)
            except RuntimeError as error:
                raise InputError(f"{where}: {error}") from None


def known(files: Sequence[Path] = (), warn: Callable[[str], None] = lambda _: None) -> Known:
    """Return the papers' algorithms, those of files and those of installed packages.

    Parameters
    ----------
    files : sequence of Path
        Of modules; see above.
    warn : callable
        Called with one line about every installed package, or algorithm of one, that is left out.

    Raises
    ------
    InputError
        If a file has no algorithms, or one with a name that is taken.
    """
    taken = {name: "the papers" for e in entries().values() for name in (e.id, *e.aliases)}
    found: dict[str, OwnAlgorithm] = {}
    folders = []
    for path in dict.fromkeys(files):
        module, folder = _imported(path)
        folders.append(folder)
        for own in _algorithms(module, Origin(str(path), str(path), str(path))):
            clash = _clash(own, taken)
            if clash:
                raise InputError(f"{own.origin.label}: {clash}; rename it")
            found[own.entry.id] = own
            taken.update(dict.fromkeys(own.names, own.origin.label))
    for own in _installed(warn):
        clash = _clash(own, taken)
        if not clash:
            found[own.entry.id] = own
            taken.update(dict.fromkeys(own.names, own.origin.label))
        elif own.entry.id not in found or found[own.entry.id].build is not own.build:
            warn(f"left out: {own.origin.label}: {clash}")
    return Known(found, tuple(dict.fromkeys(folders)))


def _clash(own: OwnAlgorithm, taken: Mapping[str, str]) -> str:
    """Return in which name an algorithm is like another, if in any."""
    for name in own.names:
        if name in taken:
            return f"{name} is already an algorithm of {taken[name]}"
    return ""


# ---------------------------------------------------------------------------------- loading


def _imported(path: Path) -> tuple[Any, str]:
    """Import a file as the module that it is; return it, and the folder it is found in."""
    if path.suffix != ".py":
        raise InputError(f"--cases takes a .py file with ENTRIES and CASES, got {path}")
    if not path.is_file():
        raise InputError(f"no file {path}; give the path of an existing .py file")
    file = path.resolve()
    parts, folder = [file.stem], file.parent
    while (folder / "__init__.py").is_file():
        parts, folder = [folder.name, *parts], folder.parent
    name = ".".join(parts).removesuffix(".__init__")
    if not all(part.isidentifier() for part in parts):
        raise InputError(f"{path} cannot be imported: {name!r} is no name of a module; rename it")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()
    try:
        spec = find_spec(parts[0])
    except ValueError:  # a module made by hand
        spec = None
    top = folder / parts[0] / "__init__.py" if len(parts) > 1 else file
    if spec is None or spec.origin is None or not top.samefile(spec.origin):
        raise InputError(
            f"{path} cannot be imported: its name, {parts[0]!r}, is that of another module; "
            "rename it"
        )
    try:
        return importlib.import_module(name), str(folder)
    except BaseException as error:
        pass_interrupts(error)
        raise InputError(f"importing {path} failed with {one_line(error)}") from error


def _installed(warn: Callable[[str], None]) -> Iterator[OwnAlgorithm]:
    """Yield the algorithms of installed packages, in the alphabet's order of these."""
    points = {_origin(point).label + point.value: point for point in entry_points(group=GROUP)}
    for _, point in sorted(points.items()):
        origin = _origin(point)
        try:
            own = _algorithms(point.load(), origin)
        except InputError as error:
            warn(f"left out: {error}")
        except BaseException as error:
            pass_interrupts(error)
            warn(f"left out: {origin.label}: importing {point.value} failed with {one_line(error)}")
        else:
            yield from own


def _origin(point: EntryPoint) -> Origin:
    distribution = point.dist
    if distribution is None:
        return Origin(point.name, point.name)
    return Origin(f"{distribution.name} {distribution.version}", distribution.name)


def _algorithms(module: Any, origin: Origin) -> list[OwnAlgorithm]:
    """Return the algorithms of a module.

    Raises
    ------
    InputError
        Saying what is missing, or not what it must be.
    """
    where = origin.label
    own, cases = getattr(module, "ENTRIES", None), getattr(module, "CASES", None)
    if not isinstance(own, Sequence) or not all(isinstance(e, Entry) for e in own):
        raise InputError(f"{where} must define ENTRIES, a tuple of auditor.Entry")
    if not isinstance(cases, Mapping):
        raise InputError(f"{where} must define CASES, a dict: id -> function that builds a case")
    identifiers = [e.id for e in own]
    for identifier in cases:
        if identifier not in identifiers:
            meant = did_you_mean(str(identifier), identifiers)
            raise InputError(f"{where} has a case of {identifier!r}, which ENTRIES lacks{meant}")
    found = []
    for e in own:
        if not _ID.fullmatch(e.id) or e.id in _FILES:
            raise InputError(
                f"{where}: {e.id!r} cannot be an id: letters, digits and . _ - make one, and "
                f"{', '.join(_FILES)} are other files of a results folder"
            )
        build = cases.get(e.id)
        if build is None:
            raise InputError(f"{where} has no case of {e.id}; put a function for it into CASES")
        if not isinstance(build, FunctionType):
            raise InputError(f"{where}: the case of {e.id} must be a function without arguments")
        found.append(OwnAlgorithm(e, build, origin))
    if len(set(identifiers)) < len(identifiers):
        raise InputError(f"{where}: two of ENTRIES have the same id")
    if not found:
        raise InputError(f"{where} has no algorithm in ENTRIES")
    for algorithm in found:
        _require_names(algorithm)
    return found


def _require_names(algorithm: OwnAlgorithm) -> None:
    """Raise InputError unless every erratum is called after its algorithm."""
    entry, where = algorithm.entry, algorithm.origin.label
    try:
        names = [erratum.name for erratum in entry.errata]
    except BaseException as error:
        pass_interrupts(error)
        raise InputError(
            f"{where}: reading the errata of {entry.id} failed with {one_line(error)}"
        ) from error
    for name in names:
        if not name.startswith(f"{entry.id}/"):
            raise InputError(f"{where}: erratum {name!r} must be called {entry.id}/E1 or the like")
