"""Machine-checked privacy theorems of algorithms.

``coq/algorithms/<family>/<Name>.v`` has the theorem of an algorithm and
``coq/formulas/<family>/<Name>.txt`` what Coq prints of its releases. :mod:`proofs_checks.coq`
compiles them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from proofs_checks import coq

ALGORITHMS, FORMULAS = (coq.SOURCES / name for name in ("algorithms", "formulas"))


GAUSSIAN, PURE, CONCENTRATED = "Gaussian DP with the exact delta", "pure DP", "zCDP"
APPROXIMATE = "approximate DP"
NOTIONS: Mapping[str, str] = {
    "gaussian_private": GAUSSIAN,
    "private": PURE,
    "concentrated_private": CONCENTRATED,
    "private_density": APPROXIMATE,
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
    sensitivity_assumed : bool
        Whether the comment above the theorem says that the sensitivity is assumed.
    """

    id: str
    file: str
    theorem: str
    statement: str
    given: tuple[str, ...] = ()
    weaker: bool = False
    sensitivity_assumed: bool = False

    @property
    def notions(self) -> tuple[str, ...]:
        """The notions of privacy in which the conclusion is stated, of :data:`NOTIONS`."""
        found = re.findall(r"\w+", self.statement)
        return tuple(notion for word, notion in NOTIONS.items() if word in found)

    def __str__(self) -> str:
        """Return it with its file, its notion and its hypotheses, in one line."""
        noun = "hypothesis" if len(self.given) == 1 else "hypotheses"
        given = f", given its {noun} {', '.join(self.given)}" if self.given else ""
        weaker = ", weaker than the claim" if self.weaker else ""
        assumed = ", its sensitivity assumed" if self.sensitivity_assumed else ""
        return f"{self.file}, {self.theorem}: {' and '.join(self.notions)}{given}{weaker}{assumed}"


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
    assumed = "sensitivity is assumed" in " ".join(above.split())
    return AlgorithmTheorem(heading[1], file, name, conclusion, given, weaker, assumed)


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


def compiled_theorems() -> frozenset[str]:
    """Return the identifiers of the theorems that Coq has compiled on this machine, as they are."""
    if not coq.coq_version():
        return frozenset()
    folder, known = coq.cache_folder(), coq.keys(parts=("algorithms",))
    files = {i: f"algorithms/{theorem.file}" for i, theorem in algorithm_theorems().items()}
    return frozenset(
        i for i, file in files.items() if coq.kept(folder, file, known[file]) is not None
    )
