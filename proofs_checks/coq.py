"""Machine-checked proofs: their build by Coq, and the theorems that settle numbered statements.

``coq/core`` has a theory of privacy on MathComp-Analysis, ``coq/statements`` the theorems of the
papers' statements and ``coq/algorithms`` those of algorithms
(:mod:`proofs_checks.algorithm_theorems`). Compiled files and what Coq printed are kept in the
user's cache (``$XDG_CACHE_HOME/touchstone/coq``) under hashes of their content and of what they
require.
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

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SOURCES = Path(__file__).with_name("coq")
PARTS = ("core", "statements", "algorithms")
LIBRARY = "Touchstone"
"""The logical name under which the files require each other."""

AXIOMS = frozenset(
    {
        "boolp.propositional_extensionality",
        "boolp.functional_extensionality_dep",
        "boolp.constructive_indefinite_description",
    }
)
"""Axioms of MathComp's classical logic; no theorem here may assume more."""

TIMEOUT = 120.0
"""Seconds for one file: the longest takes 20 on an idle machine, and some tactics never end."""

STATEMENTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "000 (14)": (("Sensitivity.v", "phi_bounded"),),
    "000 (18), sensitivity": (("Sensitivity.v", "robust_mean_sensitivity"),),
    "000 Lemma 17": (("ZCDP.v", "zCDP_to_DP"),),
    "000 Lemma 18": (("Gaussian.v", "gaussian_zCDP"),),
    "002 (23)": (("Sensitivity.v", "weighted_clipped_mean_sensitivity"),),
    "002 (33)": (("Sensitivity.v", "bounded_mean_sensitivity"),),
    "002 Proposition 2.3": (("Laplace.v", "laplace_mechanism"),),
    "002 Proposition 2.5": (("Composition.v", "post_processing_by_function"),),
    "002 Proposition 2.6": (("Composition.v", "basic_composition_of_two"),),
    "003 (4), sensitivity": (("Sensitivity.v", "robust_mean_sensitivity"),),
    "003 Definition 2": (("Laplace.v", "laplace_mechanism"),),
    "003 Definition 3": (
        ("Exponential.v", "exponential_mechanism"),
        ("Exponential.v", "exponential_mechanism_finite"),
    ),
    "003 Lemma 1": (("Exponential.v", "exponential_mechanism_utility"),),
    "004 (3.65)": (("Sensitivity.v", "phi_bounded"),),
    "004 (3.80), sensitivity": (("Sensitivity.v", "robust_mean_sensitivity"),),
    "004 Definition 2.1.2": (("Laplace.v", "laplace_mechanism"),),
    "004 Definition 2.1.2 (density)": (("Laplace.v", "laplace_law"),),
    "004 Definition 2.1.4": (
        ("Exponential.v", "exponential_mechanism"),
        ("Exponential.v", "exponential_mechanism_finite"),
    ),
    "004 Lemma 2.1.1": (("Composition.v", "post_processing_by_kernel"),),
    "004 Lemma 2.1.3": (("Exponential.v", "exponential_mechanism_utility"),),
    "004 Lemma 2.1.4": (
        ("Composition.v", "basic_composition"),
        ("Composition.v", "basic_composition_equal_shares"),
    ),
    "004 Lemma 2.1.8": (("ZCDP.v", "zCDP_composition"),),
    "004 Lemma 2.1.9": (
        ("Gaussian.v", "gaussian_zCDP_without_square_false"),
        ("Gaussian.v", "gaussian_zCDP"),
    ),
    "004 Lemma 2.1.10": (("ZCDP.v", "zCDP_to_DP"),),
    "004 Lemma 3.2.6": (("ZCDP.v", "zCDP_to_DP_half_square"),),
    "004 Lemma 4.2.3": (("Exponential.v", "exponential_mechanism_utility"),),
    "004 Theorem 7.1.1": (
        ("RandomizedResponse.v", "randomized_response_LADP"),
        ("RandomizedResponse.v", "randomized_response_LDP"),
        ("RandomizedResponse.v", "randomized_response_processed"),
    ),
    "004 Theorem 7.2.2": (("RobustGradient.v", "robust_gradient_DP"),),
    "004 chapter 2, conversion: pure to zCDP": (("ZCDP.v", "pure_DP_is_zCDP"),),
    "004 chapter 2, conversion: zCDP budget": (("ZCDP.v", "zCDP_budget_identity"),),
    "004 l.2738 (noise)": (("Gaussian.v", "adaptive_gaussian_DP"),),
    "004 l.2738 (rho)": (("ZCDP.v", "zCDP_budget_identity"),),
}
"""Theorems that settle a numbered statement, by its key: file below ``coq/statements``, name."""


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
    printed : mapping
        By file below ``coq``: what its ``Eval`` printed.
    keys : mapping
        As :func:`keys` returns them.
    """

    folder: Path
    errors: Mapping[str, str]
    printed: Mapping[str, str]
    keys: Mapping[str, str]


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


def required(path: Path) -> list[str]:
    """Return the files below ``coq`` that a file requires."""
    text = path.read_text(encoding="utf-8")
    pattern = rf"From {LIBRARY}\.(\w+) Require (?:Import|Export) ([^.]*)\."
    found = re.findall(pattern, text)
    return [f"{part}/{name}.v" for part, names in found for name in names.split()]


def ordered(sources: Path, parts: Sequence[str] = PARTS) -> list[str]:
    """Return the files of some parts and what they require, each after those that it requires."""
    placed: list[str] = []

    def place(file: str) -> None:
        if file not in placed:
            for needed in required(sources / file):
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
        path = sources / file
        needed = [found[name] for name in required(path)]
        found[file] = _key(needed, path.read_bytes())
    return found


def _key(needed: Sequence[str], content: bytes) -> str:
    return hashlib.sha256("".join([coq_version(), *needed]).encode() + content).hexdigest()


def run_coqc(folder: Path, file: str) -> subprocess.CompletedProcess[str]:
    """Run coqc on a file below ``folder``.

    Raises
    ------
    subprocess.TimeoutExpired
        After :data:`TIMEOUT` seconds.
    """
    return subprocess.run(
        ["coqc", "-q", "-w", "none", "-Q", ".", LIBRARY, file],
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
    compiled = target.with_suffix(".vo")
    printed = kept(target, key)
    if printed is not None:
        return printed, ""
    compiled.unlink(missing_ok=True)
    try:
        run = run_coqc(folder, file)
    except subprocess.TimeoutExpired:
        return "", f"no answer within {TIMEOUT:.0f} s"
    if run.returncode != 0 or not compiled.is_file():
        return "", run.stderr.strip() or "no compiled file"
    target.with_suffix(".kept").write_text(f"{key}\n{run.stdout}", encoding="utf-8")
    return run.stdout, ""


def kept(target: Path, key: str) -> str | None:
    """Return what Coq printed of a file that is compiled under a key, or None."""
    printed_with_key = target.with_suffix(".kept")
    if not (target.with_suffix(".vo").is_file() and printed_with_key.is_file()):
        return None
    first, _, printed = printed_with_key.read_text(encoding="utf-8").partition("\n")
    return printed if first == key else None


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
    printed: dict[str, str] = {}
    known = keys(sources, parts)
    with alone(folder):
        for file, key in known.items():
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(sources / file, target)
            printed[file], error = compile_file(folder, file, key)
            if error:
                errors[file] = error
    return Build(folder, errors, printed, known)


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
    modules = {file: f"{LIBRARY}." + file.removesuffix(".v").replace("/", ".") for file, _ in named}
    terms = ", ".join(f"@{modules[file]}.{name}" for file, name in named)
    lines = [f"Require {module}." for module in modules.values()]
    text = "\n".join([*lines, f"Definition all := ({terms}).", "Print Assumptions all.", ""])
    file = f"Assumptions_{hashlib.sha256(terms.encode()).hexdigest()[:8]}.v"
    key = _key([built.keys[name] for name in modules], text.encode())
    with alone(built.folder):
        (built.folder / file).write_text(text, encoding="utf-8")
        printed, error = compile_file(built.folder, file, key)
    if error:
        raise RuntimeError(f"Print Assumptions failed: {error}")
    return parse_assumptions(printed)


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
