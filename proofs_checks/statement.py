"""A numbered statement of a paper or of this project, and the decorator that registers its check.

Statements stand directly above their checks, one file per section of a paper
(``proofs_checks/paper_002/section_3.py``)::

    @statement(
        "002 Lemma 3.2",
        lines="130-134",
        kind="concentration",
        printed="v_j^2 <= (1+c) v_i^2 + 4(1+1/c) W^2 if |v_j| <= |v_i| + 2W",
        refuses={"2 (1+1/c) W^2": {"factor": 2}},
    )
    def selection(factor: int = 4) -> Outcome:
        c, i, j, w = reals("c i j w")
        return for_all(...)

The parameters of a check have the right formula as defaults; ``refuses`` names wrong versions of
the formula and the arguments that make them. A check that draws takes ``rng`` first.

What a second paper says once more is a :func:`twin`, with the number and lines it has there.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import pkgutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, Literal

import numpy as np

from proofs_checks import coq
from proofs_checks.coq_statements import STATEMENTS
from proofs_checks.extras import MissingExtraError
from proofs_checks.outcome import Outcome
from proofs_checks.verdicts import Claim, Print
from reference import catalogue
from reference.catalogue import PAPERS, Severity

Kind = Literal[
    "definition", "assumption", "privacy", "sensitivity", "composition", "concentration",
    "approximation", "identity", "optimisation", "utility", "lower bound", "experiment", "remark",
]  # fmt: skip
Expected = Literal["true", "false", "definition", "not checkable"]
Check = Callable[..., Outcome]
Wrong = Mapping[str, Mapping[str, Any]]

FIXES_A_NOTION: tuple[Kind, ...] = ("definition", "assumption")
"""Kinds of statements that are neither true nor false, unless they contradict themselves."""


@dataclass(frozen=True)
class Checked:
    """A formula with its check and the wrong versions of it that the check refuses.

    Attributes
    ----------
    formula : str
    check : callable
        Takes ``rng`` first if it draws; its other parameters have defaults, the right formula.
    refuses : mapping of str to mapping
        Wrong version of the formula (in words) to the arguments of ``check`` that make it.
    slack : str
        Why no plausible wrong version is refused, and how slack the check is.
    """

    formula: str
    check: Check
    refuses: Wrong = field(default_factory=dict)
    slack: str = ""

    def run(self, rng: np.random.Generator, wrong: str | None = None) -> Outcome:
        """Run the check, or the check of a wrong version."""
        arguments = {} if wrong is None else dict(self.refuses[wrong])
        first = (rng,) if "rng" in inspect.signature(self.check).parameters else ()
        return self.check(*first, **arguments)


@dataclass
class Statement:
    """A numbered statement.

    Attributes
    ----------
    paper : str
        Key of :data:`reference.catalogue.PAPERS`, or of :data:`OWN`.
    number : str
        As in the paper, e.g. ``"Lemma 2.1.9"``.
    section : str
        From the module's name, e.g. ``"3.2"`` or ``"appendix B"``; words after it are a theme.
    lines : str
        Line(s) in the paper's text; empty for the project's own.
    kind : str
    printed : str
        One line, as printed.
    checked : str
        The formula as checked, where it is not literally the printed one.
    added : str
        Hypotheses that were added: conventions of the paper or of the field.
    misprint : str
        Of a statement whose intended form is checked: what is misprinted.
    repair : str
        Of a statement that is checked in a repaired form: the condition or change without which
        the print is false, beyond any convention. Its errata show that.
    expected : {"true", "false", "definition", "not checkable"}
        What the check of the formula must find; of a definition or an assumption, that it is one.
    reason : str
        What is wrong if it is false, why not if it is not checkable; of a formula that is true in
        the part that was checked, what was not decided.
    fails : bool
        Of a false statement: no repair keeps what it claims; the corrected formula says what is
        true instead.
    of_printed : Checked or None
        The check of the printed formula; ``None`` only if not checkable, or a definition of which
        nothing is checked.
    of_corrected : Checked or None
        For a false statement: the corrected formula and its check, which must hold.
    unchecked : mapping of str to str
        Symbols of the formula that must hold which no step of its check contains, and why; see
        :func:`proofs_checks.symbols.absent`. Several of one reason are given as ``"n, delta"``.
    special_case_of : tuple of str
        Keys of statements that imply this one: if it is false, they are.
    algorithms : tuple of str
        Catalogue ids the statement belongs to; ``("chapter-2",)`` for dissertation chapter 2.
    errata : tuple of str
        Names of the errata that say what is wrong with it; see :func:`reference.catalogue.errata`.
    where : str
        File and line of the check, or of the :func:`twin` that names whose it is.
    """

    paper: str
    number: str
    section: str
    lines: str
    kind: Kind
    printed: str
    expected: Expected
    checked: str = ""
    added: str = ""
    misprint: str = ""
    repair: str = ""
    reason: str = ""
    fails: bool = False
    of_printed: Checked | None = None
    of_corrected: Checked | None = None
    unchecked: Mapping[str, str] = field(default_factory=dict)
    special_case_of: tuple[str, ...] = ()
    algorithms: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()
    where: str = ""

    def __post_init__(self) -> None:
        self.unchecked = _one_by_one(self.unchecked)

    @property
    def key(self) -> str:
        """Unique name, e.g. ``"004 Lemma 2.1.9"``."""
        return f"{self.paper} {self.number}"

    def corrected(
        self,
        formula: str,
        *,
        refuses: Wrong | None = None,
        slack: str = "",
        unchecked: Mapping[str, str] | None = None,
    ) -> Callable[[Check], Check]:
        """Register the decorated function as the check of the corrected formula."""
        if self.expected != "false":
            raise ValueError(f"{self.key}: only a false statement is corrected")

        def register(check: Check) -> Check:
            self.of_corrected = Checked(formula, check, refuses or {}, slack)
            self.unchecked = _one_by_one(unchecked or {})
            return check

        return register

    def restated(
        self, key: str, *, lines: str, printed: str, unchecked: Mapping[str, str] | None = None
    ) -> Statement:
        """Register a numbered display that is what this statement claims; its checks are the same.

        For a false statement call it below the check of the corrected formula.
        """
        if self.expected == "false" and self.of_corrected is None:
            raise ValueError(f"{self.key}: restate it after its correction")
        own: dict[str, Any] = {
            "lines": lines, "printed": printed, "special_case_of": (self.key,),
        }  # fmt: skip
        if unchecked is not None:
            own["unchecked"] = unchecked
        return _repeat(self, key, sys._getframe(1), own)

    @property
    def true_check(self) -> Checked | None:
        """The check that must hold and must refuse wrong versions, if there is one."""
        return self.of_corrected if self.expected == "false" else self.of_printed

    @property
    def print(self) -> Print:
        """Verdict on the statement as it stands in the text.

        ``"false"`` if one of its errata is mathematical, or if nothing is known that was meant;
        ``"doubtful copy"`` if one hangs on a sign that the conversion of the text may have lost;
        ``"misprint"`` if the intended form is plain.
        """
        if self.expected == "definition":
            return "definition"
        if self.expected == "not checkable" or self._in_part:
            return "not judged"
        found = [catalogue.erratum(name) for name in self.errata]
        if self.repair or any(erratum.origin == "mathematical" for erratum in found):
            return "false"
        if any(erratum.sign for erratum in found):
            return "doubtful copy"
        if self.expected == "true":
            return "misprint" if self.misprint else "as printed"
        return "false" if self.fails or self.of_corrected is None else "misprint"

    @property
    def _in_part(self) -> bool:
        """True if the check holds and decides a part of the claim only."""
        return self.expected == "true" and bool(self.reason)

    @property
    def claim(self) -> Claim:
        """Verdict on what the paper means: of a misprint, on the intended form."""
        if self.expected == "definition":
            return "definition"
        if self.expected == "not checkable" or self._in_part:
            return "open"
        if self.expected == "true":
            return "holds if repaired" if self.repair else "holds"
        if self.fails or self.of_corrected is None:
            return "fails"
        return "holds if repaired" if self.print == "false" else "holds"

    @property
    def severity(self) -> Severity | Literal[""]:
        """Severity of the print: that of the worst of its errata."""
        return min((catalogue.erratum(name).severity for name in self.errata), default="")


OWN = {"exact": "Statements of this project: the exact ledger, reference/privacy/exact"}
"""Sources that are no paper, by the word that begins their keys; their packages are called so."""

_REGISTRY: dict[str, Statement] = {}


def statement(
    key: str,
    *,
    lines: str = "",
    kind: Kind,
    printed: str,
    checked: str = "",
    added: str = "",
    misprint: str = "",
    repair: str = "",
    undecided: str = "",
    false: str = "",
    fails: bool = False,
    refuses: Wrong | None = None,
    slack: str = "",
    unchecked: Mapping[str, str] | None = None,
    special_case_of: str | tuple[str, ...] = (),
    algorithms: tuple[str, ...] = (),
    errata: tuple[str, ...] = (),
) -> Callable[[Check], Statement]:
    """Register the decorated function as the check of a numbered statement.

    Parameters
    ----------
    key : str
        Paper and number, e.g. ``"002 Lemma 3.2"``; one key per number.
    undecided : str
        For a statement of which a part only is checked: what was not decided, in one line.
    false : str
        For a statement that is false as printed: what is wrong, in one line. Its check must fail
        with a witness; the corrected formula is registered by ``.corrected`` of what is returned.
    lines, kind, printed, checked, added, misprint, repair, fails, refuses, slack
        See :class:`Statement` and :class:`Checked`.
    unchecked, special_case_of, algorithms, errata
        See :class:`Statement`; what is not checked of a corrected formula is said with that.

    Raises
    ------
    ValueError
        If the key is taken or its paper unknown.
    """

    def register(check: Check) -> Statement:
        return _add(
            key,
            check.__module__,
            lines=lines,
            kind=kind,
            printed=printed,
            checked=checked,
            added=added,
            misprint=misprint,
            repair=repair,
            fails=fails,
            expected="false" if false else _unless_false(kind, "true"),
            reason=false or undecided,
            of_printed=Checked(checked or printed, check, refuses or {}, slack),
            unchecked=unchecked or {},
            special_case_of=_keys(special_case_of),
            algorithms=algorithms,
            errata=errata,
            where=_place(check.__code__.co_filename, check.__code__.co_firstlineno),
        )

    return register


def not_checkable(
    key: str,
    *,
    lines: str,
    kind: Kind,
    printed: str,
    reason: str,
    algorithms: tuple[str, ...] = (),
    errata: tuple[str, ...] = (),
) -> Statement:
    """Register a statement that no check can decide, and why."""
    caller = sys._getframe(1)  # inspect.stack reads every module's file
    return _add(
        key,
        caller.f_globals["__name__"],
        lines=lines,
        kind=kind,
        printed=printed,
        expected=_unless_false(kind, "not checkable"),
        reason=reason,
        algorithms=algorithms,
        errata=errata,
        where=_place(caller.f_code.co_filename, caller.f_lineno),
    )


def twin(
    key: str,
    *,
    of: str,
    lines: str,
    printed: str | None = None,
    checked: str | None = None,
    added: str | None = None,
    misprint: str | None = None,
    repair: str | None = None,
    reason: str | None = None,
    fails: bool | None = None,
    unchecked: Mapping[str, str] | None = None,
    special_case_of: tuple[str, ...] | None = None,
    algorithms: tuple[str, ...] = (),
    errata: tuple[str, ...] | None = None,
) -> Statement:
    """Register a statement that says what another one says, under a number of its own.

    Parameters
    ----------
    key : str
    of : str
        The other's key. Its checks are the twin's, and so is all that is not said here.
    lines, printed, checked, added, misprint, repair, reason, fails, special_case_of, algorithms
        See :class:`Statement`.
    errata
        See :class:`Statement`.

    Raises
    ------
    ValueError
        If the key is taken or its paper unknown.
    KeyError
        If there is no statement ``of``.
    """
    caller = sys._getframe(1)
    said = {
        "printed": printed,
        "checked": checked,
        "added": added,
        "misprint": misprint,
        "repair": repair,
        "reason": reason,
        "fails": fails,
        "unchecked": unchecked,
        "special_case_of": special_case_of,
        "errata": errata,
    }
    own = {name: value for name, value in said.items() if value is not None}
    return _repeat(find(of), key, caller, {"lines": lines, "algorithms": algorithms, **own})


def _repeat(other: Statement, key: str, caller: FrameType, own: Mapping[str, Any]) -> Statement:
    """Register a statement like another one but for what is its own."""
    fields = {**vars(other), **own, "where": _place(caller.f_code.co_filename, caller.f_lineno)}
    for name in ("paper", "number", "section"):  # as key and caller say
        del fields[name]
    return _add(key, caller.f_globals["__name__"], **fields)


def _add(key: str, module: str, **fields: Any) -> Statement:
    paper, _, number = key.partition(" ")
    if paper not in (*PAPERS, *OWN) or not number:
        raise ValueError(f"{key!r}: a key is a paper's and a number, such as '002 Lemma 3.2'")
    if key in _REGISTRY:
        raise ValueError(f"{key} is registered twice")
    if bool(fields["lines"]) is (paper in OWN):
        raise ValueError(f"{key}: a paper's statement has lines, one of the project's own has none")
    found = Statement(paper, number, _section(module), **fields)
    _REGISTRY[key] = found
    return found


def _section(module: str) -> str:
    """Return ``"3.2.4"`` of ``...section_3_2_4_noise``, ``"appendix B.1"`` of ``appendix_b_1``."""
    kind, *parts = module.rpartition(".")[2].split("_")
    letters = [parts.pop(0).upper()] if kind == "appendix" else []
    numbers = itertools.takewhile(str.isdigit, parts)
    return ("appendix " if letters else "") + ".".join([*letters, *numbers])


def _unless_false(kind: Kind, otherwise: Expected) -> Expected:
    return "definition" if kind in FIXES_A_NOTION else otherwise


def _one_by_one(reasons: Mapping[str, str]) -> dict[str, str]:
    """Return reasons by symbol: ``{"n": "why", "d": "why"}`` of ``{"n, d": "why"}``."""
    return {symbol: why for symbols, why in reasons.items() for symbol in symbols.split(", ")}


def _keys(keys: str | tuple[str, ...]) -> tuple[str, ...]:
    return (keys,) if isinstance(keys, str) else keys


def _place(filename: str, line: int) -> str:
    path = Path(filename)
    return f"proofs_checks/{path.parent.name}/{path.name}:{line}"


@dataclass(frozen=True)
class Report:
    """A statement with the outcomes of its checks.

    Attributes
    ----------
    statement : Statement
    printed : Outcome
    corrected : Outcome or None
    """

    statement: Statement
    printed: Outcome
    corrected: Outcome | None

    @property
    def as_expected(self) -> bool:
        """True if the checks say what the ledger says; what could not run says nothing."""
        if self.statement.expected == "not checkable" or self.printed.level == "not run here":
            return True
        if self.statement.expected == "false":
            agrees = self.printed.level == "refuted with witness" and not self.printed.holds
        else:
            agrees = self.printed.holds
        corrected = self.corrected
        return agrees and (
            corrected is None or corrected.holds or corrected.level == "not run here"
        )


def run(statement: Statement, seed: int = 0) -> Report:
    """Run the checks of one statement; its randomness depends only on ``seed`` and its key."""
    if statement.of_printed is None:
        if statement.expected == "definition":
            unchecked = Outcome(True, "definition", f"nothing to check: {statement.reason}")
        else:
            unchecked = Outcome(False, "not checkable", statement.reason)
        return Report(statement, unchecked, None)
    rng = np.random.default_rng(np.random.SeedSequence([seed, *statement.key.encode()]))
    printed = _settled(statement.key, _outcome(statement.of_printed, rng))
    corrected = None
    if statement.of_corrected is not None:
        corrected = _settled(statement.key, _outcome(statement.of_corrected, rng))
    return Report(statement, printed, corrected)


def _outcome(checked: Checked, rng: np.random.Generator) -> Outcome:
    try:
        return checked.run(rng)
    except MissingExtraError as missing:
        return Outcome(False, "not run here", str(missing))


def _settled(key: str, outcome: Outcome) -> Outcome:
    """Return what holds at the level of the Coq theorems that settle the statement, if any."""
    proofs = [coq.compiled(file, theorem) for file, theorem in STATEMENTS.get(key, ())]
    if not proofs or not outcome.holds:
        return outcome
    undone = [proof.detail for proof in proofs if not proof.compiled]
    if any(proof.compiled is False for proof in proofs):
        return Outcome(False, "undecided", "; ".join(undone))
    if undone:
        return replace(outcome, detail="; ".join([outcome.detail, *undone]))
    names = ", ".join(f"{proof.file} {proof.theorem}" for proof in proofs)
    said = f"{names} (compiled here, no axioms but those of classical logic)"
    detail = f"{said}; besides, {outcome.evidence}: {outcome.detail}"
    return Outcome(True, "proved (Coq)", detail, steps=(("besides", outcome),))


def statements(paper: str | None = None) -> tuple[Statement, ...]:
    """Return the statements of one paper or one key of OWN, or of all papers, in their order."""
    wanted = tuple(PAPERS) if paper is None else (paper,)
    for number in wanted:
        package = importlib.import_module(f"proofs_checks.{_package(number)}")
        for info in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{info.name}")
    found = [item for item in _REGISTRY.values() if item.paper in wanted]
    return tuple(sorted(found, key=lambda item: (item.paper, _order(item.section))))


def find(key: str) -> Statement:
    """Return one statement, importing only the module that registers it, if its key is written out.

    Raises
    ------
    KeyError
        If there is no such statement.
    """
    found = lookup(key)
    if found is not None:
        return found
    paper = key.partition(" ")[0]
    known = statements(paper) if paper in (*PAPERS, *OWN) else ()
    return {item.key: item for item in known}[key]


def lookup(key: str) -> Statement | None:
    """Return a statement whose key is written out in a module, importing that one alone."""
    if key not in _REGISTRY:
        for module, text in _sources(key.partition(" ")[0]).items():
            if f'"{key}"' in text:
                importlib.import_module(module)
                if key in _REGISTRY:
                    break
    return _REGISTRY.get(key)


@cache
def _sources(paper: str) -> Mapping[str, str]:
    """Return the texts of the modules of a paper's sections."""
    package = _package(paper)
    paths = sorted((Path(__file__).parent / package).glob("*.py"))
    return {
        f"proofs_checks.{package}.{path.stem}": path.read_text(encoding="utf-8") for path in paths
    }


def _package(paper: str) -> str:
    return paper if paper in OWN else f"paper_{paper}"


def source_of(paper: str) -> str:
    """Return what a paper is, or a key of :data:`OWN`, in words."""
    return OWN[paper] if paper in OWN else str(PAPERS[paper])


def _order(section: str) -> tuple[bool, list[int], str]:
    numbers = [int(part) for part in section.split(".") if part.isdigit()]
    return section.startswith("appendix"), numbers, section
