"""Machine-checked privacy theorems of algorithms: which there are, and their build by Coq.

``coq/core`` has the theory on MathComp-Analysis, ``coq/algorithms/<family>/<Name>.v`` an instance
for each algorithm and ``coq/formulas/<family>/<Name>.txt`` what Coq prints of its releases. The
compiled files are kept in the user's cache (``$XDG_CACHE_HOME/touchstone/coq-algorithms``) under
hashes of their content and of what they require.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from proofs_checks import coq

SOURCES = coq.SOURCES
CORE, ALGORITHMS, FORMULAS = (SOURCES / name for name in ("core", "algorithms", "formulas"))

AXIOMS = frozenset(
    {
        "boolp.propositional_extensionality",
        "boolp.functional_extensionality_dep",
        "boolp.constructive_indefinite_description",
    }
)
"""Axioms of MathComp's classical logic; no theorem of an algorithm may assume more."""

TIMEOUT = 120.0
"""Seconds for one file: the longest takes 20 on an idle machine, and some tactics never end."""

_LOGICAL = coq.LIBRARY


@dataclass(frozen=True)
class AlgorithmTheorem:
    """The privacy theorem of a catalogued algorithm.

    Attributes
    ----------
    id : str
        Of the catalogue entry.
    file : str
        Below ``coq/algorithms``, e.g. ``"nonconvex/GradientDescent.v"``.
    theorem : str
    statement : str
        The conclusion as Coq reads it.
    """

    id: str
    file: str
    theorem: str
    statement: str

    @property
    def notion(self) -> str:
        """The notion of privacy in which the conclusion is stated."""
        if "gaussian_private" in self.statement:
            return "Gaussian DP with the exact delta of every epsilon"
        if "concentrated_private" not in self.statement:
            return "pure DP"
        return "pure DP and zCDP" if "/\\" in self.statement else "zCDP"


def theorem_of(path: Path) -> AlgorithmTheorem:
    """Read the theorem of an instance.

    Parameters
    ----------
    path : Path
        A file below :data:`ALGORITHMS`. Its first comment ends with the identifier in parentheses.

    Raises
    ------
    ValueError
        If there is no identifier, or not exactly one theorem named ``..._private``.
    """
    text = path.read_text(encoding="utf-8")
    heading = re.match(r"\(\*\*.*?\(([\w.-]+)\)\. \*\)", text, flags=re.DOTALL)
    found = re.findall(r"^Theorem (\w+_private)\b(.*?)^Proof", text, re.DOTALL | re.MULTILINE)
    file = path.relative_to(ALGORITHMS).as_posix()
    if heading is None or len(found) != 1:
        raise ValueError(f"{file} needs '(identifier). *)' in its heading and one '..._private'")
    name, statement = found[0]
    return AlgorithmTheorem(heading[1], file, name, " ".join(statement.rstrip(" .\n").split()))


@cache
def algorithm_theorems() -> Mapping[str, AlgorithmTheorem]:
    """Return the theorems by identifier."""
    found = [theorem_of(path) for path in sorted(ALGORITHMS.glob("*/*.v"))]
    return {theorem.id: theorem for theorem in found}


def kept_formulas(theorem: AlgorithmTheorem) -> str:
    """Return what Coq printed of the releases of an instance, as kept in the repository."""
    return (FORMULAS / theorem.file).with_suffix(".txt").read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------- build


@dataclass(frozen=True)
class Build:
    """Coq's answer about the core and the instances.

    Attributes
    ----------
    folder : Path
        Holds the compiled files.
    errors : mapping
        By file below ``coq``: what Coq said, or that it did not end, or left no compiled file.
    printed : mapping
        By file below ``coq``: what its ``Eval`` printed.
    """

    folder: Path
    errors: Mapping[str, str]
    printed: Mapping[str, str]


def has_library() -> bool:
    """Say whether Coq and MathComp-Analysis with its algebra tactics are here."""
    if not coq.coq_version():
        return False
    where = subprocess.run(
        ["coqc", "-where"], capture_output=True, text=True, timeout=TIMEOUT, check=True
    )
    room = Path(where.stdout.strip()) / "user-contrib" / "mathcomp"
    return all((room / name).is_dir() for name in ("analysis", "algebra_tactics"))


def ordered(sources: Path) -> list[Path]:
    """Return the files of the core in an order in which each follows those it requires.

    Then come the instances, which require the core and not each other.
    """
    core = {path.stem: path for path in sorted((sources / "core").glob("*.v"))}
    placed: list[Path] = []

    def place(name: str) -> None:
        path = core[name]
        if path not in placed:
            for needed in required(path):
                place(needed)
            placed.append(path)

    for name in core:
        place(name)
    return placed + sorted((sources / "algorithms").glob("*/*.v"))


def required(path: Path) -> list[str]:
    """Return the names of the core's files that a file requires."""
    text = path.read_text(encoding="utf-8")
    pattern = rf"From {_LOGICAL}\.core Require (?:Import|Export) ([^.]*)\."
    return " ".join(re.findall(pattern, text)).split()


def run_coqc(folder: Path, file: str) -> subprocess.CompletedProcess[str]:
    """Run coqc on a file below ``folder``.

    Raises
    ------
    subprocess.TimeoutExpired
        After :data:`TIMEOUT` seconds.
    """
    return subprocess.run(
        ["coqc", "-q", "-w", "none", "-Q", ".", _LOGICAL, file],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


def compile_file(folder: Path, file: str, key: str) -> tuple[str, str]:
    """Compile a file unless its compiled form of the same key is there.

    Returns
    -------
    printed, error : str
    """
    target = folder / file
    compiled, kept = target.with_suffix(".vo"), target.with_suffix(".kept")
    if compiled.is_file() and kept.is_file():
        first, _, printed = kept.read_text(encoding="utf-8").partition("\n")
        if first == key:
            return printed, ""
    compiled.unlink(missing_ok=True)
    try:
        run = run_coqc(folder, file)
    except subprocess.TimeoutExpired:
        return "", f"no answer within {TIMEOUT:.0f} s"
    if run.returncode != 0 or not compiled.is_file():
        return "", run.stderr.strip() or "no compiled file"
    kept.write_text(f"{key}\n{run.stdout}", encoding="utf-8")
    return run.stdout, ""


def build(sources: Path = SOURCES, folder: Path | None = None) -> Build:
    """Compile the core and all instances, or find them compiled.

    Parameters
    ----------
    sources : Path
        Holds ``core`` and ``algorithms``.
    folder : Path, optional
        Where to compile; by default a folder of the user's cache.
    """
    folder = folder or coq._cache_folder().with_name("coq-algorithms")
    keys: dict[str, str] = {}
    errors: dict[str, str] = {}
    printed: dict[str, str] = {}
    for path in ordered(sources):
        file = path.relative_to(sources).as_posix()
        needed = [keys[name] for name in required(path)]
        content = path.read_bytes()
        key = hashlib.sha256("".join([coq.coq_version(), *needed]).encode() + content).hexdigest()
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        printed[file], error = compile_file(folder, file, key)
        if path.parent.name == "core":
            keys[path.stem] = key
        if error:
            errors[file] = error
    return Build(folder, errors, printed)


def assumptions(built: Build, names: Mapping[str, str]) -> tuple[str, ...]:
    """Ask Coq for the axioms on which theorems rest, all together.

    Parameters
    ----------
    built : Build
    names : mapping
        Theorem by file below ``coq``.
    """
    modules = {file: f"{_LOGICAL}." + file.removesuffix(".v").replace("/", ".") for file in names}
    lines = [f"Require {module}." for module in modules.values()]
    terms = ", ".join(f"@{modules[file]}.{name}" for file, name in names.items())
    lines.append(f"Definition all := ({terms}).")
    (built.folder / "Assumptions.v").write_text("\n".join([*lines, "Print Assumptions all.", ""]))
    run = run_coqc(built.folder, "Assumptions.v")
    if run.returncode != 0:
        raise RuntimeError(f"Print Assumptions failed: {run.stderr}")
    return coq.parse_assumptions(run.stdout)
