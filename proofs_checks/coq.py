"""The machine-checked proofs in ``proofs_checks/coq``: compiled here, if Coq is here.

The files are compiled once, outside the source tree; what Coq said is kept in the user's cache
(``$XDG_CACHE_HOME/touchstone/coq``) under a hash of the files and of Coq's version.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).with_name("coq")
LIBRARY = "Touchstone"
"""The logical name under which the files require each other."""

AXIOMS_OF_THE_REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""Axioms of Coq's own library of real numbers; no theorem here may assume more."""

_MISSING = re.compile(r"Cannot find a physical path bound to logical path\s+\S+ with prefix (\w+)")

TIMEOUT = 600.0
"""Seconds for one run of coqc: the longest takes 2 on an idle machine."""

STATEMENTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "000 (14)": (("Sensitivity.v", "phi_bounded"),),
    "000 (18), sensitivity": (("Sensitivity.v", "robust_mean_sensitivity"),),
    "000 Lemma 17": (("ZCDP.v", "zCDP_to_DP"),),
    "000 Lemma 18": (("Gaussian.v", "gaussian_zCDP"),),
    "002 (23)": (("Sensitivity.v", "weighted_clipped_mean_sensitivity"),),
    "002 (33)": (("Sensitivity.v", "bounded_mean_sensitivity"),),
    "002 Proposition 2.3": (("Laplace.v", "laplace_mechanism"),),
    "002 Proposition 2.5": (("Composition.v", "post_processing_by_function"),),
    "002 Proposition 2.6": (
        ("Composition.v", "basic_composition_of_two"),
        ("Composition.v", "basic_composition_of_two_discrete"),
    ),
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
    "004 Lemma 2.1.1": (
        ("Composition.v", "post_processing"),
        ("Composition.v", "post_processing_discrete"),
    ),
    "004 Lemma 2.1.3": (("Exponential.v", "exponential_mechanism_utility"),),
    "004 Lemma 2.1.4": (
        ("Composition.v", "basic_composition"),
        ("Composition.v", "basic_composition_discrete"),
        ("Composition.v", "basic_composition_equal_shares"),
    ),
    "004 Lemma 2.1.8": (
        ("ZCDP.v", "zCDP_composition"),
        ("ZCDP.v", "zCDP_composition_discrete"),
    ),
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
    "004 chapter 2, conversion: pure to zCDP": (("PureToZCDP.v", "pure_DP_is_zCDP"),),
    "004 chapter 2, conversion: zCDP budget": (("ZCDP.v", "zCDP_budget_identity"),),
    "004 l.2738 (noise)": (("RobustGradient.v", "adaptive_gaussian_DP"),),
    "004 l.2738 (rho)": (("ZCDP.v", "zCDP_budget_identity"),),
}
"""The theorems that settle a numbered statement, by the statement's key."""


@dataclass(frozen=True)
class CoqProof:
    """Coq's answer about a theorem.

    Attributes
    ----------
    file, theorem : str
    compiled : bool or None
        Whether the file compiles, has the theorem and assumes nothing but the axioms of the
        reals; ``None`` if Coq is not here.
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
    """Coq's answer about a folder of files.

    Attributes
    ----------
    version : str
    errors : mapping
        By file, what Coq reported, for the files that do not compile.
    assumptions : mapping
        By ``"File.v theorem"``, for the files that do: the axioms.
    """

    version: str
    errors: Mapping[str, str]
    assumptions: Mapping[str, Sequence[str]]


def theorems(source: str) -> list[str]:
    """Names of the theorems of a Coq file, in order."""
    return re.findall(r"^Theorem (\w+)", source, flags=re.MULTILINE)


def parse_assumptions(output: str) -> tuple[str, ...]:
    """Names of the axioms in what ``Print Assumptions`` prints.

    An axiom's name starts a line; its type follows a colon, on the same line or further in.
    """
    if "Closed under the global context" in output:
        return ()
    _, found, listed = output.partition("Axioms:")
    if not found:
        raise ValueError(f"not the output of Print Assumptions: {output!r}")
    return tuple(sorted(set(re.findall(r"^([\w.']+)\s*(?::|$)", listed, flags=re.MULTILINE))))


def _coqc(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["coqc", "-q", "-Q", ".", LIBRARY, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


def _in_order(files: Sequence[str], folder: Path) -> list[str]:
    """Sort files so that each comes after those that it requires."""
    requires = {
        name: re.findall(rf"^From {LIBRARY} Require Import ([^.]*)\.", text, flags=re.MULTILINE)
        for name in files
        for text in [(folder / name).read_text(encoding="utf-8")]
    }
    ordered: list[str] = []

    def add(name: str) -> None:
        for needed in " ".join(requires[name]).split():
            add(f"{needed}.v")
        if name not in ordered:
            ordered.append(name)

    for name in files:
        add(name)
    return ordered


def _assumptions(names: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Ask Coq for the axioms that all of the theorems ``"File.theorem"`` together rest on."""
    modules = sorted({name.partition(".")[0] for name in names})
    lines = [f"From {LIBRARY} Require {module}." for module in modules]
    lines.append(f"Definition all := ({', '.join(f'@{LIBRARY}.{name}' for name in names)}).")
    (folder / "Assumptions.v").write_text("\n".join([*lines, "Print Assumptions all.", ""]))
    run = _coqc("Assumptions.v", folder=folder)
    if run.returncode != 0:
        raise RuntimeError(f"Print Assumptions failed: {run.stderr}")
    return parse_assumptions(run.stdout)


def compile_folder(folder: Path) -> Compilation:
    """Compile all files of a folder in place.

    Parameters
    ----------
    folder : Path
        Holds the ``.v`` files; Coq writes next to them.

    Returns
    -------
    Compilation
    """
    files = _in_order(sorted(path.name for path in folder.glob("*.v")), folder)
    errors: dict[str, str] = {}
    names: list[str] = []
    for file in files:
        try:
            run = _coqc(file, folder=folder)
        except subprocess.TimeoutExpired:
            errors[file] = f"no answer within {TIMEOUT:.0f} s"
            continue
        if run.returncode != 0:
            errors[file] = run.stderr.strip()
            continue
        module = Path(file).stem
        source = (folder / file).read_text(encoding="utf-8")
        names += [f"{module}.{theorem}" for theorem in theorems(source)]
    # One question for all takes a tenth of the time of one for each; these only name a culprit.
    together = _assumptions(names, folder) if names else ()
    alone = not AXIOMS_OF_THE_REALS.issuperset(together)
    assumptions = {
        f"{module}.v {theorem}": _assumptions([name], folder) if alone else together
        for name in names
        for module, theorem in [name.split(".")]
    }
    return Compilation(coq_version(), errors, assumptions)


@cache
def coq_version() -> str:
    """First line of ``coqc --version``; empty if Coq is not here."""
    if shutil.which("coqc") is None:
        return ""
    run = subprocess.run(
        ["coqc", "--version"], capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    return run.stdout.splitlines()[0].strip() if run.returncode == 0 and run.stdout else ""


def cache_folder() -> Path:
    """Return the folder of the user's cache that keeps what Coq said."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "touchstone" / "coq"


def _key(version: str) -> str:
    digest = hashlib.sha256(version.encode())
    digest.update(Path(__file__).read_bytes())
    for path in sorted(SOURCES.glob("*.v")):
        digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


@cache
def compilation() -> Compilation | None:
    """Compile the proofs, or find what Coq said of them before; ``None`` without Coq."""
    version = coq_version()
    if not version:
        return None
    kept = cache_folder() / f"{_key(version)}.json"
    with contextlib.suppress(OSError, ValueError, TypeError):  # not there, or not ours: ask Coq
        return Compilation(**json.loads(kept.read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory(prefix="touchstone-coq-") as name:
        folder = Path(name)
        for path in SOURCES.glob("*.v"):
            shutil.copy(path, folder)
        result = compile_folder(folder)
    if not result.errors:  # a missing library may be here tomorrow
        with contextlib.suppress(OSError):  # a cache that cannot be written costs time only
            kept.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                "w", dir=kept.parent, suffix=".part", delete=False, encoding="utf-8"
            ) as part:
                json.dump(asdict(result), part)
            Path(part.name).replace(kept)
    return result


def compiled(file: str, theorem: str) -> CoqProof:
    """Say whether a theorem is proved here.

    Parameters
    ----------
    file : str
        Name of a file of ``proofs_checks/coq``, e.g. ``"Laplace.v"``.
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
    path = SOURCES / file
    if not path.is_file():
        raise ValueError(f"no file {file!r} in {SOURCES}")
    if theorem not in theorems(path.read_text(encoding="utf-8")):
        raise ValueError(f"no theorem {theorem!r} in {file}")
    result = compilation()
    if result is None:
        return CoqProof(file, theorem, None, (), f"{file}, {theorem}: Coq proof, not compiled here")
    if file in result.errors:
        error = result.errors[file]
        library = _MISSING.search(error)
        if library and library[1] != LIBRARY:
            detail = f"{file}, {theorem}: Coq proof, not compiled here: no library {library[1]}"
            return CoqProof(file, theorem, None, (), detail)
        return CoqProof(file, theorem, False, (), f"{file} does not compile: {error}")
    assumptions = tuple(result.assumptions[f"{file} {theorem}"])
    foreign = sorted(set(assumptions) - AXIOMS_OF_THE_REALS)
    if foreign:
        return CoqProof(
            file, theorem, False, assumptions, f"{file}, {theorem} assumes {', '.join(foreign)}"
        )
    return CoqProof(
        file,
        theorem,
        True,
        assumptions,
        f"{file}, {theorem}: compiled by {result.version}; assumes the axioms of the reals only",
    )
