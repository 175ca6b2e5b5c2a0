"""Machine-checked privacy theorems of algorithms: which there are, and their build by Coq.

``coq/core`` has the theory on MathComp-Analysis, ``coq/algorithms/<family>/<Name>.v`` an instance
for each algorithm and ``coq/formulas/<family>/<Name>.txt`` what Coq prints of its releases. The
compiled files are kept in the user's cache (``$XDG_CACHE_HOME/touchstone/coq-algorithms``) under
hashes of their content and of what they require.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
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


GAUSSIAN, PURE, CONCENTRATED = "Gaussian DP with the exact delta", "pure DP", "zCDP"
NOTIONS: Mapping[str, str] = {
    "gaussian_private": GAUSSIAN,
    "private": PURE,
    "concentrated_private": CONCENTRATED,
}
"""Notions of privacy by the predicate of Coq."""


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
    given : tuple of str
        Names of the hypotheses about what records contribute, e.g. ``"lipschitz"``: all but
        that functions are measurable and that numbers are positive.
    weaker : bool
        Whether the comment above the theorem says that it is weaker than the code's claim.
    """

    id: str
    file: str
    theorem: str
    statement: str
    given: tuple[str, ...] = ()
    weaker: bool = False

    @property
    def notions(self) -> tuple[str, ...]:
        """The notions of privacy in which the conclusion is stated, of :data:`NOTIONS`."""
        found = re.findall(r"\b(\w*private)\b", self.statement)
        return tuple(notion for word, notion in NOTIONS.items() if word in found)

    def __str__(self) -> str:
        """Return it with its file, its notion and its hypotheses, in one line."""
        noun = "hypothesis" if len(self.given) == 1 else "hypotheses"
        given = f", given its {noun} {', '.join(self.given)}" if self.given else ""
        weaker = ", weaker than the claim" if self.weaker else ""
        return f"{self.file}, {self.theorem}: {' and '.join(self.notions)}{given}{weaker}"


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
    conclusion = " ".join(statement.rstrip(" .\n").split())
    above = text[: text.index(f"Theorem {name}")].rpartition("(**")[2]
    given, weaker = tuple(_given(text)), "weaker" in above
    return AlgorithmTheorem(heading[1], file, name, conclusion, given, weaker)


def _given(text: str) -> Iterator[str]:
    """Yield the names of the hypotheses in a file that are about what records contribute."""
    for block in re.findall(r"^Hypothes[ei]s (.*?)\.$", text, re.DOTALL | re.MULTILINE):
        # each hypothesis is in parentheses, or the only one without
        starts = list(re.finditer(r"(?:^|(?<=\())((?:\w+ )+): ", block))
        for start, after in itertools.zip_longest(starts, starts[1:]):
            if "measurable_fun" not in block[start.end() : after.start() if after else None]:
                yield from (name for name in start[1].split() if not re.search(r"_g[te]\d$", name))


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
    printed = _kept(target, key)
    if printed is not None:
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
    folder = folder or compiled_folder()
    errors: dict[str, str] = {}
    printed: dict[str, str] = {}
    for file, key in keys(sources).items():
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(sources / file, target)
        printed[file], error = compile_file(folder, file, key)
        if error:
            errors[file] = error
    return Build(folder, errors, printed)


def keys(sources: Path = SOURCES) -> dict[str, str]:
    """Return by file below ``sources`` a hash of it, of what it requires and of Coq's version.

    In an order in which each file follows those that it requires.
    """
    version, found = coq.coq_version(), dict[str, str]()
    for path in ordered(sources):
        needed = [found[f"core/{name}.v"] for name in required(path)]
        content = "".join([version, *needed]).encode() + path.read_bytes()
        found[path.relative_to(sources).as_posix()] = hashlib.sha256(content).hexdigest()
    return found


def compiled_folder() -> Path:
    """Return the folder of the user's cache where the core and the instances are compiled."""
    return coq.cache_folder().with_name("coq-algorithms")


def compiled_theorems() -> frozenset[str]:
    """Return the identifiers of the theorems that Coq has compiled on this machine, as they are."""
    if not coq.coq_version():
        return frozenset()
    folder, known = compiled_folder(), keys()
    files = {i: f"algorithms/{theorem.file}" for i, theorem in algorithm_theorems().items()}
    return frozenset(i for i, file in files.items() if _is_kept(folder / file, known[file]))


def _is_kept(target: Path, key: str) -> bool:
    return _kept(target, key) is not None


def _kept(target: Path, key: str) -> str | None:
    """Return what Coq printed of a file that is compiled under a key, or None."""
    kept = target.with_suffix(".kept")
    if not (target.with_suffix(".vo").is_file() and kept.is_file()):
        return None
    first, _, printed = kept.read_text(encoding="utf-8").partition("\n")
    return printed if first == key else None


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
