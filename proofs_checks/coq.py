"""Machine-checked proofs: their build by Coq, and the theorems that settle numbered statements.

``coq/core`` has a theory of privacy on MathComp-Analysis, ``coq/statements`` the theorems of the
papers' statements and ``coq/algorithms`` those of algorithms
(:mod:`proofs_checks.algorithm_theorems`), which are compiled together
(:mod:`proofs_checks.coq_groups`). Compiled files and what Coq printed are kept in the user's cache
(``$XDG_CACHE_HOME/touchstone/coq``) under hashes of their content and of what they require.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from proofs_checks.coq_groups import LIBRARY, group, logical_name, module_of, required

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SOURCES = Path(__file__).with_name("coq")
PARTS = ("core", "statements", "algorithms")

AXIOMS = frozenset(
    {
        "boolp.propositional_extensionality",
        "boolp.functional_extensionality_dep",
        "boolp.constructive_indefinite_description",
    }
)
"""Axioms of MathComp's classical logic; no theorem here may assume more."""

TIMEOUT = 120.0
"""Seconds for one sentence and for one file that is compiled alone: some tactics never end."""


# ------------------------------------------------------------------------------------- build


@dataclass(frozen=True)
class Build:
    """Coq's answer about files and what they require.

    Attributes
    ----------
    folder : Path
        Holds the compiled files.
    errors : mapping
        By file below ``coq``: what Coq said, or that it did not end, or left no compiled file.
    kept : mapping
        By file below ``coq``, if it compiles: what is kept of it.
    keys : mapping
        As :func:`keys` returns them.
    """

    folder: Path
    errors: Mapping[str, str]
    kept: Mapping[str, Kept]
    keys: Mapping[str, str]


@dataclass(frozen=True)
class Kept:
    """Compiled form of a file, and its output.

    Attributes
    ----------
    compiled : str
        The file that was compiled: itself, or the group that it is a module of.
    printed : str
        What its ``Eval`` printed.
    """

    compiled: str
    printed: str


@cache
def coq_version() -> str:
    """Return the first line of ``coqc --version``; empty if Coq is not here."""
    if shutil.which("coqc") is None:
        return ""
    run = subprocess.run(
        ["coqc", "--version"], capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    return run.stdout.splitlines()[0].strip() if run.returncode == 0 and run.stdout else ""


@cache
def missing() -> str:
    """Return what the proofs need and is not here, empty if nothing.

    They need Coq, MathComp-Analysis and a cache to compile in.
    """
    if not coq_version():
        return "Coq"
    where = subprocess.run(
        ["coqc", "-where"], capture_output=True, text=True, timeout=TIMEOUT, check=True
    )
    room = Path(where.stdout.strip()) / "user-contrib" / "mathcomp"
    if not all((room / name).is_dir() for name in ("analysis", "algebra_tactics")):
        return "MathComp-Analysis with its algebra tactics"
    folder = cache_folder()
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    return "" if os.access(nearest, os.W_OK) else f"folder {folder} that can be written"


def cache_folder() -> Path:
    """Return the folder of the user's cache where the files are compiled."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "touchstone" / "coq"


def ordered(sources: Path, parts: Sequence[str] = PARTS) -> list[str]:
    """Return the files of some parts and what they require, each after those that it requires."""
    placed: list[str] = []

    def place(file: str) -> None:
        if file not in placed:
            for needed in required((sources / file).read_text(encoding="utf-8")):
                place(needed)
            placed.append(file)

    for part in parts:
        for path in sorted((sources / part).rglob("*.v")):
            place(path.relative_to(sources).as_posix())
    return placed


def keys(sources: Path = SOURCES, parts: Sequence[str] = PARTS) -> dict[str, str]:
    """Return by file below ``sources`` a hash of it, of what it requires and of Coq's version.

    In an order in which each file follows those that it requires.
    """
    found = dict[str, str]()
    for file in ordered(sources, parts):
        text = (sources / file).read_text(encoding="utf-8")
        found[file] = _key([found[name] for name in required(text)], text)
    return found


def _key(needed: Sequence[str], text: str) -> str:
    return hashlib.sha256("".join([coq_version(), *needed, text]).encode()).hexdigest()


def run_coqc(
    folder: Path, file: str, timeout: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run coqc on a file below ``folder``.

    Raises
    ------
    subprocess.TimeoutExpired
        After ``timeout`` seconds, by default :data:`TIMEOUT`.
    """
    limit = f"Default Timeout={TIMEOUT:.0f}"
    options = ["-q", "-noglob", "-w", "none", "-set", limit, "-Q", ".", LIBRARY]
    return subprocess.run(
        ["coqc", *options, file],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout or TIMEOUT,
        check=False,
    )


def compile_file(folder: Path, file: str, timeout: float | None = None) -> tuple[str, str]:
    """Compile a file.

    Returns
    -------
    printed, error : str
    """
    timeout = timeout or TIMEOUT
    compiled = (folder / file).with_suffix(".vo")
    compiled.unlink(missing_ok=True)
    try:
        run = run_coqc(folder, file, timeout)
    except subprocess.TimeoutExpired:
        return "", f"no answer within {timeout:.0f} s"
    if run.returncode != 0 or not compiled.is_file():
        return "", run.stderr.strip() or "no compiled file"
    return run.stdout, ""


def compile_once(folder: Path, file: str, key: str) -> tuple[Kept | None, str]:
    """Compile a file unless its compiled form of the same key is there.

    Returns
    -------
    kept : Kept or None
    error : str
    """
    if found := kept(folder, file, key):
        return found, ""
    printed, error = compile_file(folder, file)
    return (None, error) if error else (keep(folder, file, key, Kept(file, printed)), "")


def compile_together(folder: Path, known: Mapping[str, str]) -> dict[str, str]:
    """Compile files in one run of Coq, which none of them requires, and keep them.

    The run is repeated without the file in which an error lies.

    Parameters
    ----------
    folder : Path
        Holds the files.
    known : mapping
        Key by file.

    Returns
    -------
    dict
        Error by file.
    """
    errors: dict[str, str] = {}
    while waiting := [file for file in known if file not in errors]:
        one = group({file: (folder / file).read_text(encoding="utf-8") for file in waiting})
        (folder / one.file).write_text(one.text, encoding="utf-8")
        printed, error = compile_file(folder, one.file, TIMEOUT * len(waiting))
        if not error:
            for file, text in one.printed(printed).items():
                keep(folder, file, known[file], Kept(one.file, text))
            break
        culprit, message = one.culprit(error)
        errors |= {culprit: message} if culprit else dict.fromkeys(waiting, message)
    return errors


def keep(folder: Path, file: str, key: str, what: Kept) -> Kept:
    """Write what is kept of a file under a key."""
    text = f"{key} {what.compiled}\n{what.printed}"
    (folder / file).with_suffix(".kept").write_text(text, encoding="utf-8")
    return what


def kept(folder: Path, file: str, key: str) -> Kept | None:
    """Return what is kept of a file that is compiled under a key, or None."""
    path = (folder / file).with_suffix(".kept")
    if not path.is_file():
        return None
    first, _, printed = path.read_text(encoding="utf-8").partition("\n")
    found, _, compiled = first.partition(" ")
    there = found == key and (folder / compiled).with_suffix(".vo").is_file()
    return Kept(compiled, printed) if there else None


def drop_groups(folder: Path) -> None:
    """Delete the compiled groups of which no member is kept."""
    firsts = [
        path.read_text(encoding="utf-8").partition("\n")[0] for path in folder.rglob("*.kept")
    ]
    used = {Path(first.partition(" ")[2]).stem for first in firsts}
    for path in folder.glob("*Group_*"):
        if path.stem.removeprefix(".") not in used:
            path.unlink()


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let one process at a time compile in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed
        yield


def build(
    parts: Sequence[str] = PARTS, sources: Path | None = None, folder: Path | None = None
) -> Build:
    """Compile the files of some parts and what they require, or find them compiled.

    Parameters
    ----------
    parts : sequence of str
        Of :data:`PARTS`.
    sources : Path, optional
        Holds the parts; by default :data:`SOURCES`.
    folder : Path, optional
        Where to compile; by default :func:`cache_folder`.
    """
    sources, folder = sources or SOURCES, folder or cache_folder()
    errors: dict[str, str] = {}
    together: dict[str, str] = {}
    known = keys(sources, parts)
    with alone(folder):
        for file, key in known.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(sources / file, folder / file)
            text = (sources / file).read_text(encoding="utf-8")
            broken = [name for name in required(text) if name in errors]
            if broken:
                errors[file] = f"it requires {broken[0]}, which does not compile"
            elif not file.startswith("algorithms/"):
                _, error = compile_once(folder, file, key)
                errors |= {file: error} if error else {}
            elif kept(folder, file, key) is None:
                together[file] = key
        errors |= compile_together(folder, together)
        drop_groups(folder)
        found = {file: kept(folder, file, key) for file, key in known.items()}
    there = {file: what for file, what in found.items() if what and file not in errors}
    return Build(folder, errors, there, known)


# -------------------------------------------------------------------------------- assumptions


def theorems(source: str) -> list[str]:
    """Return the names of the theorems of a Coq file, in order."""
    return re.findall(r"^Theorem (\w+)", source, flags=re.MULTILINE)


def parse_assumptions(output: str) -> tuple[str, ...]:
    """Return the names of the axioms in what ``Print Assumptions`` prints.

    An axiom's name starts a line; its type follows a colon, on the same line or further in.
    """
    if "Closed under the global context" in output:
        return ()
    _, found, listed = output.partition("Axioms:")
    if not found:
        raise ValueError(f"not the output of Print Assumptions: {output!r}")
    return tuple(sorted(set(re.findall(r"^([\w.']+)\s*(?::|$)", listed, flags=re.MULTILINE))))


def assumptions(built: Build, named: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Ask Coq for the axioms on which theorems rest, all together, or find what it said.

    Parameters
    ----------
    built : Build
    named : sequence of (str, str)
        File below ``coq`` and theorem.
    """
    compiled = {file: built.kept[file].compiled for file, _ in named}
    libraries = {file: logical_name(one) for file, one in compiled.items()}
    modules = {
        file: name if compiled[file] == file else f"{name}.{module_of(file)}"
        for file, name in libraries.items()
    }
    terms = ", ".join(f"@{modules[file]}.{name}" for file, name in named)
    lines = [f"Require {name}." for name in dict.fromkeys(libraries.values())]
    text = "\n".join([*lines, f"Definition all := ({terms}).", "Print Assumptions all.", ""])
    file = f"Assumptions_{hashlib.sha256(terms.encode()).hexdigest()[:8]}.v"
    key = _key([built.keys[name] for name in compiled], text)
    with alone(built.folder):
        (built.folder / file).write_text(text, encoding="utf-8")
        answer, error = compile_once(built.folder, file, key)
    if answer is None:
        raise RuntimeError(f"Print Assumptions failed: {error}")
    return parse_assumptions(answer.printed)


# --------------------------------------------------------------------------------- statements


@dataclass(frozen=True)
class CoqProof:
    """Coq's answer about a theorem.

    Attributes
    ----------
    file, theorem : str
    compiled : bool or None
        Whether the file compiles, has the theorem and assumes nothing but :data:`AXIOMS`;
        ``None`` if something is :func:`missing`.
    assumptions : tuple of str
        The axioms that the theorem rests on, together with the others that were compiled.
    detail : str
    """

    file: str
    theorem: str
    compiled: bool | None
    assumptions: tuple[str, ...]
    detail: str


@dataclass(frozen=True)
class Compilation:
    """Coq's answer about the theorems of the statements.

    Attributes
    ----------
    version : str
    errors : mapping
        By file below ``coq/statements``, what Coq reported, for those that do not compile.
    assumptions : mapping
        By ``"File.v theorem"``, for those that do: the axioms.
    """

    version: str
    errors: Mapping[str, str]
    assumptions: Mapping[str, Sequence[str]]


@cache
def compilation() -> Compilation | None:
    """Compile the theorems of the statements, or find them compiled.

    Returns
    -------
    Compilation or None
        None if something is :func:`missing`.
    """
    return None if missing() else compile_statements(build(("statements",)))


def compile_statements(built: Build) -> Compilation:
    """Return what Coq said of the files in ``coq/statements`` and the axioms of their theorems."""
    errors: dict[str, str] = {}
    named: list[tuple[str, str]] = []
    for file in built.keys:
        part, _, name = file.partition("/")
        if part == "statements" and file in built.errors:
            errors[name] = built.errors[file]
        elif part == "statements":
            source = (built.folder / file).read_text(encoding="utf-8")
            named += [(file, theorem) for theorem in theorems(source)]
    # One question for all takes a tenth of the time of one for each; these only name a culprit.
    together = assumptions(built, named) if named else ()
    alone = not AXIOMS.issuperset(together)
    axioms = {
        f"{file.partition('/')[2]} {theorem}": assumptions(built, [(file, theorem)])
        if alone
        else together
        for file, theorem in named
    }
    return Compilation(coq_version(), errors, axioms)


def compiled(file: str, theorem: str) -> CoqProof:
    """Say whether a theorem is proved here.

    Parameters
    ----------
    file : str
        Name of a file of ``proofs_checks/coq/statements``, e.g. ``"Laplace.v"``.
    theorem : str
        Name of a ``Theorem`` in it.

    Returns
    -------
    CoqProof

    Raises
    ------
    ValueError
        If there is no such file or theorem.
    """
    path = SOURCES / "statements" / file
    if not path.is_file():
        raise ValueError(f"no file {file!r} in {path.parent}")
    if theorem not in theorems(path.read_text(encoding="utf-8")):
        raise ValueError(f"no theorem {theorem!r} in {file}")
    name, result = f"{file}, {theorem}", compilation()
    if result is None:
        detail = f"{name}: Coq proof, not compiled here: no {missing()}"
        return CoqProof(file, theorem, None, (), detail)
    if file in result.errors:
        detail = f"{file} does not compile: {result.errors[file]}"
        return CoqProof(file, theorem, False, (), detail)
    axioms = tuple(result.assumptions[f"{file} {theorem}"])
    if foreign := sorted(set(axioms) - AXIOMS):
        return CoqProof(file, theorem, False, axioms, f"{name} assumes {', '.join(foreign)}")
    detail = f"{name}: compiled by {result.version}; assumes the axioms of classical logic only"
    return CoqProof(file, theorem, True, axioms, detail)
