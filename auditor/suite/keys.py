"""Keys of verdicts: hashes of sources, versions of libraries and the context of a verdict.

A verdict depends on the module of its question, on that which says how often it is asked, on the
module of its algorithm's case, and on what these import, directly or not. Imports are read from the
sources, wherever in a module they stand; modules that are only found by name at run time (the
catalogue's entries, other algorithms' cases) do not count, nor do packages that are merely on the
way to a module. A public name of :mod:`auditor` stands for the module that it is in.

Imports are followed into this project and, from what others bring, into whatever is not installed:
of a compiled module its bytes count. Of what is installed, the version counts, and of what was
installed from a folder, an archive or a repository instead of an index, the files as well: there
the same version can be other code.
"""

from __future__ import annotations

import ast
import hashlib
import json
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cache
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import find_spec, resolve_name
from pathlib import Path, PurePath

import auditor
from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.suite.plan import AuditUnit
from auditor.suite.store import Result

FOLLOWED = ("auditor", "reference")
"""Packages into which imports are always followed."""

ASKED_BY = "auditor.questions.expected"
"""The module that says how often a question is asked."""

LIBRARIES = (
    "numpy",
    "scipy",
    "dp-accounting",
    "statsmodels",
    "mpmath",
    "hypothesis",
    "scikit-learn",
)


class Sources:
    """The sources of modules and of what they import, each file read once."""

    def __init__(self) -> None:
        self._hashes: dict[str, str] = {}
        self._imports: dict[str, frozenset[str]] = {}
        self._digests: dict[tuple[str, ...], str] = {}
        self._packages: dict[tuple[str, ...], tuple[str, ...]] = {}

    def dependencies(self, *roots: str) -> frozenset[str]:
        """Return the names of modules and of all that they import, directly or not.

        Raises
        ------
        InputError
            If one of ``roots`` has no source.
        """
        packages = {*FOLLOWED, *map(_top, roots)}
        for root in roots:
            if root not in self._imports and _path(root) is None:
                raise InputError(
                    f"module {root} has no source file, by which its results could be known"
                )
        found: set[str] = set()
        left = set(roots)
        while left:
            name = left.pop()
            found.add(name)
            ours = _top(name) in FOLLOWED
            followed = {
                other
                for other in self._imported_by(name)
                if _top(other) in packages or not (ours or _is_installed(_top(other)))
            }
            left.update(followed - found)
        return frozenset(found)

    def packages(self, *roots: str) -> tuple[str, ...]:
        """Return the installed packages that modules outside this project import, with versions."""
        if roots not in self._packages:
            found = self.dependencies(*roots)
            tops = {
                _top(other)
                for name in found
                if _top(name) not in FOLLOWED
                for other in self._imported_by(name) - found
            }
            names = {distribution for top in tops for distribution in _distributions().get(top, ())}
            named = sorted(names - set(LIBRARIES))
            self._packages[roots] = tuple(f"{name} {_version(name)}" for name in named)
        return self._packages[roots]

    def digest(self, *roots: str) -> str:
        """Return a hash of the sources of :meth:`dependencies`."""
        if roots not in self._digests:
            lines = "".join(f"{name} {own}\n" for name, own in self.hashes(*roots).items())
            self._digests[roots] = hashlib.sha256(lines.encode()).hexdigest()
        return self._digests[roots]

    def hashes(self, *roots: str) -> dict[str, str]:
        """Return name -> hash of the source of every one of :meth:`dependencies`, in order."""
        return {name: self._hashes[name] for name in sorted(self.dependencies(*roots))}

    def edited_since(self, moment: float) -> frozenset[str]:
        """Return the names of the modules that were read whose files are newer, or gone."""
        return frozenset(name for name in self._hashes if _is_newer(_path(name), moment))

    def read(self, name: str, path: Path, package: str) -> None:
        """Read a file under a name of the caller's, as whose root it counts from then on.

        Parameters
        ----------
        name : str
            A file that is not found by the name of a module, as a test's, needs one of its own.
        path : Path
        package : str
            To which its relative imports refer.
        """
        source = path.read_bytes()
        is_text = path.suffix == ".py"
        if is_text:
            source = source.replace(b"\r\n", b"\n")
        self._hashes[name] = hashlib.sha256(source).hexdigest()
        self._imports[name] = _imports(source, package) if is_text else frozenset()

    def _imported_by(self, name: str) -> frozenset[str]:
        if name not in self._imports:
            path = _path(name)
            assert path is not None  # only names with a source get here
            is_package = path.name == "__init__.py"
            self.read(name, path, name if is_package else name.rpartition(".")[0])
        return self._imports[name]


@cache
def _imports(source: bytes, package: str) -> frozenset[str]:
    """Return the names of the modules with a source that the statements of a module import."""
    return frozenset(_imported(ast.parse(source), package))


def _imported(tree: ast.Module, package: str) -> Iterator[str]:
    for node in _statements(tree.body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _path(alias.name))
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                submodule = f"{module}.{alias.name}"
                if module == auditor.__name__ and alias.name in auditor.PLACES:
                    yield auditor.PLACES[alias.name]
                elif _path(submodule):
                    yield submodule
                elif _path(module):
                    yield module


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield statements and those within them; expressions, which are far more, import nothing."""
    for node in body:
        yield node
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, block, ())
            if isinstance(inner, list):
                yield from _statements(inner)


def _top(name: str) -> str:
    return name.partition(".")[0]


@cache
def _is_installed(top: str) -> bool:
    """Return whether a top-level module is Python's own, or in a folder of installed packages."""
    path = _path(top)
    if top in sys.stdlib_module_names or path is None:
        return True
    return not {"site-packages", "dist-packages"}.isdisjoint(path.parts)


@cache
def _distributions() -> Mapping[str, list[str]]:
    return metadata.packages_distributions()


@cache
def _path(name: str) -> Path | None:
    """Return the file of a module, without importing it; None if it has none."""
    loaded = getattr(sys.modules.get(name), "__file__", None)
    if loaded:
        return Path(loaded)
    top, *rest = name.split(".")
    if not rest and not _folders(top):
        return _plain_file(top)
    for folder in _folders(top):
        base = Path(folder, *rest)
        compiled = [base.with_name(base.name + suffix) for suffix in EXTENSION_SUFFIXES]
        for path in (base.with_name(f"{base.name}.py"), base / "__init__.py", *compiled):
            if path.is_file():
                return path
    return None


def _is_newer(path: Path | None, moment: float) -> bool:
    try:
        return path is None or path.stat().st_mtime > moment
    except OSError:
        return True


@cache
def _folders(top: str) -> tuple[str, ...]:
    """Return the folders of a top-level package; none if it is no package."""
    spec = _spec(top)
    return () if spec is None else tuple(spec.submodule_search_locations or ())


def _plain_file(top: str) -> Path | None:
    """Return the source of a top-level module that is no package."""
    spec = _spec(top)
    found = "" if spec is None else spec.origin or ""
    return Path(found) if found.endswith((".py", *EXTENSION_SUFFIXES)) else None


def _spec(top: str) -> ModuleSpec | None:
    try:
        return find_spec(top)
    except ValueError:  # a module made by hand
        return None


@cache
def _libraries() -> tuple[str, ...]:
    """Return Python and the numerical libraries with their versions."""
    python = "python " + ".".join(platform.python_version_tuple()[:2])
    return (python, *(f"{name} {_version(name)}" for name in LIBRARIES))


@cache
def _version(library: str) -> str:
    """Return the version of a package and, where it is not from an index, a hash of its files."""
    try:
        found = metadata.distribution(library)
    except metadata.PackageNotFoundError:
        return "absent"
    if found.read_text("direct_url.json") is None:
        return found.version
    rows = sorted(
        f"{file} {file.hash.value}\n"
        for file in found.files or ()
        if file.hash is not None and not _is_of_the_environment(file)
    )
    return f"{found.version}+{hashlib.sha256(''.join(rows).encode()).hexdigest()[:16]}"


def _is_of_the_environment(file: PurePath) -> bool:
    """Return whether a file of a package says where it is installed, as its commands do."""
    return file.parts[0] == ".." or file.parts[0].endswith(".dist-info")


def key(sources: Sources, case_module: str, unit: AuditUnit, context: Context) -> str:
    """Return the key of a verdict.

    Parameters
    ----------
    sources : Sources
    case_module : str
        Name of the module that builds the algorithm's case.
    unit : AuditUnit
        The question's module is the one of its name in :mod:`auditor.questions`.
    context : Context
        Of the form: seed, tier, level and path.
    """
    code = sources.digest(f"auditor.questions.{unit.question}", ASKED_BY, case_module)
    libraries = [*_libraries(), *sources.packages(case_module)]
    content = [code, libraries, asdict(context), asdict(unit)]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def code(sources: Sources, *roots: str) -> dict[str, str]:
    """Return what verdicts depend on here: package -> version, and module -> hash.

    Parameters
    ----------
    sources : Sources
    *roots : str
        Names of modules; what they import is added.
    """
    lines = [*_libraries(), *sources.packages(*roots)]
    return {**dict(line.split(" ") for line in lines), **sources.hashes(*roots)}


def is_stale(result: Result, modules: Mapping[str, str], sources: Sources | None = None) -> bool:
    """Return whether other code or other versions of libraries than these gave some verdict.

    Parameters
    ----------
    result : Result
    modules : mapping
        id -> name of the module of its case, as :func:`auditor.described.modules` says. A result
        of an algorithm that has no case any more is stale.
    sources : Sources, optional
        To be shared between calls.
    """
    if result.id not in modules:
        return True
    sources = sources or Sources()
    for name, form in result.forms.items():
        context = result.settings.context(form.tests).at(result.id, name)
        for question, stored in form.keys.items():
            unit = AuditUnit(result.id, name, question)
            if stored != key(sources, modules[result.id], unit, context):
                return True
    return False
