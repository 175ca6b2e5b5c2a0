"""Symbols and numbers of a statement's formula that occur in no step of its check.

A check may decide less than a formula says: a factor may be hidden in one symbol of a step, or may
have been left out. So each symbol and number of the formula is sought in what the steps show.

``python -m proofs_checks.symbols`` runs every check and prints the counts by paper as Markdown;
with modules, such as ``paper_000``, it lists what has no author's reason there.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
import textwrap
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from proofs_checks.cited import argument
from proofs_checks.formulas import (
    FUNCTIONS,
    GREEK,
    INDICES,
    NAMES,
    SHORT_WORDS,
    SPECTRA,
    SPELLED,
    SPELLED_MARKS,
    SUBSCRIPT,
    names,
    occurrences,
    outside,
    plain,
    symbols,
)
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Checked, Report, Statement, run, statements

IN_NO_STEP = "in no step"
"""The reason that is shown where none is known."""

NOT_CHECKED = "not checked"
"""The words with which the author's reason for a gap begins."""

INSIDE = "only inside a norm, an inner product or a function, for which a step can have one symbol"

SHOWN = 6
"""Largest number of absent symbols that a label names; the others are counted."""

_FRACTION = re.compile(r"(?<![\w.])(\d+) ?/ ?(\d+)(?![\w.])")


def absent(statement: Statement, outcome: Outcome) -> dict[str, str]:
    """Return the symbols and numbers of a statement's formula that occur in no step, with reasons.

    Parameters
    ----------
    statement : Statement
        Its formula is the corrected one if it is false as printed.
    outcome : Outcome
        Of the check of what must hold.

    Returns
    -------
    dict of str to str
        The symbols as printed, in order, with the author's reason or :data:`IN_NO_STEP`.
    """
    checked = statement.true_check
    if checked is None or outcome.level in ("not run here", "undecided", "not checkable"):
        return {}
    occurring = _with_legends(_in_steps(outcome) | _in_code(checked.check), _legends(checked.check))
    formula = formula_of(statement)
    factors = outside(formula)
    return {
        symbol.printed: statement.unchecked.get(
            symbol.printed, IN_NO_STEP if symbol.name in factors else INSIDE
        )
        for symbol in symbols(formula)
        if not _occurs(symbol.name, occurring)
    }


def formula_of(statement: Statement) -> str:
    """Return the formula that must hold: as printed, or corrected if that is false."""
    corrected = statement.of_corrected
    return corrected.formula if corrected is not None else statement.printed


def but_for(missing: Iterable[str]) -> str:
    """Return what absent symbols add to a level: ``", but for p, n"``, or nothing."""
    named = list(missing)
    if not named:
        return ""
    more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
    return f", but for {', '.join(named[:SHOWN])}{more}"


def explained(missing: Mapping[str, str]) -> str:
    """Return absent symbols with their reasons: ``"p: one coordinate; n, t: in no step"``."""
    by_reason = dict[str, list[str]]()
    for symbol, reason in missing.items():
        by_reason.setdefault(reason, []).append(symbol)
    return "; ".join(f"{', '.join(named)}: {reason}" for reason, named in by_reason.items())


def with_legend(found: Mapping[str, str]) -> str:
    """Return a legend in words: ``"log_n = ln(n) + 1; total, rest: named by the steps alone"``."""
    said = [f"{name} = {text}" for name, text in found.items() if text]
    alone = [name for name, text in found.items() if not text]
    return "; ".join([*said, *([f"{', '.join(alone)}: named by the steps alone"] if alone else [])])


# ------------------------------------------------------------------------------- steps


def _in_steps(outcome: Outcome) -> frozenset[str]:
    """Return the names in what the steps of an outcome show."""
    found = set[str]()
    for text in _shown(outcome):
        formula = re.sub(r"\((\d+) / (\d+)\)", r"(\1/\2)", plain(text))
        for one, other in _FRACTION.findall(formula):
            found.add(str(Fraction(int(one), int(other) or 1)))
        for symbol in occurrences(formula, in_steps=True):
            found |= _parts(symbol.name)
        found |= set(
            re.findall(r"[a-z]{3,}(?:_[a-z]+)*|\b[EPe]\b", formula)
        )  # error, say, for definitions
        found |= {f"{name}*" for name in re.findall(r"\b([A-Za-z]+)\*\*[A-Za-z(*]", formula)}
    return frozenset(found)


def _shown(outcome: Outcome) -> Iterator[str]:
    """Return the formulas of the steps; the detail only where no formula is shown."""
    if outcome.steps:
        for _, step in outcome.steps:
            yield from _shown(step)
    else:
        yield ", ".join(filter(None, (outcome.shows or outcome.detail, *outcome.premises)))


def _parts(name: str) -> set[str]:
    """Return a name and what it spells: ``log_d`` has d, ``A_to_T`` has A and T."""
    found = {name}
    base, *rest = name.split("_")
    if not rest:
        return found
    if (len(base) > 1 and base.lower() not in GREEK) or "to" in rest:
        for part in (base, *rest):
            found |= names(part)
    elif all(len(part) == 1 or part.isdigit() for part in rest):
        found.add(base)
    return found


def _occurs(name: str, occurring: frozenset[str]) -> bool:
    if name in occurring:
        return True
    base, _, index = name.rpartition("_")
    return len(index) == 1 and index in INDICES and base in occurring and base not in SPECTRA


# ------------------------------------------------------------------------------- legends


class Legend(NamedTuple):
    """A definition in words: a name, the names in what it stands for, and both as written."""

    name: str
    parts: frozenset[str]
    written: str
    text: str


def legend(statement: Statement, outcome: Outcome) -> dict[str, str]:
    """Return the variables of the steps that the formula does not have, with what they stand for.

    That is empty where no definition in words was found: the steps alone name the variable.

    Parameters
    ----------
    statement : Statement
    outcome : Outcome
        Of the check of what must hold.
    """
    checked = statement.true_check
    if checked is None:
        return {}
    own = names(statement.printed) | names(checked.formula)
    words = {line.written: line.text for line in reversed(_legends(checked.check))}
    return {
        variable: words.get(variable, "")
        for variable in _variables(outcome)
        if not _occurs(_name(variable), own)
    }


def _name(variable: str) -> str:
    """Return the symbol that a variable is: ``log_n`` is no symbol but a word of its own."""
    spelled = names(variable)
    word = "_" in variable and len(variable.partition("_")[0]) > 1
    return variable if word or len(spelled) != 1 else next(iter(spelled))


def _variables(outcome: Outcome) -> Iterator[str]:
    for _, step in outcome.steps:
        yield from _variables(step)
    if outcome.decided is not None:
        decided = outcome.decided
        for term in (decided.claim, *decided.ranges, *decided.premises):
            yield from term.names


_DEFINED = re.compile(
    r"(?:^|(?<=[,;.(\[] )|(?<=[(\[])|(?<=[A-Za-z]{2} ))"
    rf"(?P<name>[A-Za-z]+\d*(?:'|~|\*|-hat|-bar)*(?:{SUBSCRIPT})?)(?:\^\(?\d(?:/\d)?\)?)?"
    r" (?P<by>=|for|is|stands for) (?P<rest>.*)"
)
_STOPS = re.compile(r"[;:\[\]]|[.](?= |$)|,(?= |$)|<=|>=|[=<>](?= )")


def _with_legends(occurring: frozenset[str], legends: Iterable[Legend]) -> frozenset[str]:
    """Return the names that occur, themselves or by a name that is defined by them."""
    found, known = set(occurring), list(legends)
    while True:
        new = set[str]()
        for name, parts, *_ in known:
            if name in found:
                new |= parts
            letters = {part for part in parts if not part[0].isdigit()}
            if letters and all(_occurs(part, frozenset(found)) for part in letters):
                new.add(name)
        if new <= found:
            return frozenset(found)
        found |= new


@cache
def _legends(check: Callable[..., Outcome]) -> tuple[Legend, ...]:
    """Return what the docstrings and comments of a check and its helpers define, by name."""
    texts = [" ".join(argument(Checked("", check)).split())]
    for function in _with_helpers(check):
        texts += [" ".join((inspect.getdoc(function) or "").split()), *_comments(function)]
    return tuple(dict.fromkeys(pair for text in texts for pair in legends(text)))


def legends(text: str) -> Iterator[Legend]:
    """Return the definitions in a text, such as "L = log(1/delta)" or "l for log n"."""
    for start in range(len(text)):
        if start and text[start - 1] not in " ([":
            continue
        match = _DEFINED.match(text, start)
        if match is None:
            continue
        own = names(match["name"])
        if (
            match["by"] == "="
            and not own
            and re.fullmatch(r"[a-z]{3,}(?:_[a-z]+)*|[EPe]", match["name"])
        ):
            own = frozenset((match["name"],))
        right, stopped = _formula(match["rest"])
        parts = names(right)
        if len(own) == 1 and parts and (match["by"] == "=" or stopped not in ("<", ">", "=")):
            yield Legend(next(iter(own)), parts, match["name"], right.strip())


def _formula(text: str) -> tuple[str, str]:
    """Return the formula that a text begins with, and the sign that ends it."""
    depth = 0
    for match in re.finditer(r"[({]|[)}]|[A-Za-z]+(?![A-Za-z_])|" + _STOPS.pattern, text):
        sign = match[0]
        if sign in ("(", "{"):
            depth += 1
        elif sign in (")", "}"):
            depth -= 1
            if depth < 0:
                return text[: match.start()], sign
        elif depth <= 0 and (not sign[0].isalpha() or _is_word(sign)):
            return text[: match.start()], sign[0]
    return text, ""


def _is_word(run: str) -> bool:
    if run in SHORT_WORDS:
        return run not in ("ln", "tr", "Tr")
    known = run.lower() in GREEK or run in FUNCTIONS or run in SPELLED or run in NAMES
    known = known or run in SPELLED_MARKS  # the hat of C-hat
    return len(run) > 2 and not known


def _comments(check: Callable[..., object]) -> list[str]:
    """Return the comments of a check; one beside an assignment defines the name in it."""
    try:
        source = textwrap.dedent(inspect.getsource(check))
    except (OSError, TypeError):
        return []
    found = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            said = token.string.lstrip("# ")
            found.append(said)
            assigned = re.match(r"\s*(\w+) = ", token.line)
            if assigned and not any(map(_is_word, re.findall("[A-Za-z]+", said))):
                found.append(f"{assigned[1]} = {said}")
    return found


# ------------------------------------------------------------------------------- code

SAMPLED = ("exactly", "precisely", "searched", "rare", "average_at_most", "refuted", "less")
"""Helpers that show figures alone: the formulas are in the code of what they are given."""


@cache
def _in_code(check: Callable[..., Outcome]) -> frozenset[str]:
    """Return the names in the code that computes the figures of a check and its helpers."""
    return frozenset(name for function in _with_helpers(check) for name in _computed(function))


def _computed(function: Callable[..., object]) -> Iterator[str]:
    tree = _tree(function)
    made = dict[str, list[ast.AST]]()
    for node in ast.walk(tree):
        if isinstance(
            node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For | ast.comprehension
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            value = node.iter if isinstance(node, ast.For | ast.comprehension) else node.value
            for name in (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)):
                made.setdefault(name, []).extend([value] if value is not None else [])
        elif isinstance(node, ast.FunctionDef) and node is not tree:
            made.setdefault(node.name, []).append(node)
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    left: list[ast.AST] = [
        c for c in calls if isinstance(c.func, ast.Name) and c.func.id in SAMPLED
    ]
    seen = set[str]()
    while left:
        for node in ast.walk(left.pop()):
            if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float):
                yield from _few(str(node.value))
            elif isinstance(node, ast.arg):
                yield from _few(node.arg)
            elif isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                yield from _few(node.id)
                left += made.get(node.id, [])


def _few(text: str) -> Iterator[str]:
    """Return the names in the text of a constant or of an identifier."""
    for symbol in occurrences(plain(text), in_steps=True):
        yield from _parts(symbol.name)


@cache
def _with_helpers(check: Callable[..., object]) -> tuple[Callable[..., object], ...]:
    """Return a check and the functions of these packages that it calls, by their own code."""
    found: list[Callable[..., object]] = [check]
    for function in found:
        for node in ast.walk(_tree(function)):
            if isinstance(node, ast.Name):
                value = getattr(function, "__globals__", {}).get(node.id)
                own = getattr(value, "__module__", None) or ""
                helper = own.startswith("proofs_checks.") and "vocabulary" not in own
                if inspect.isfunction(value) and helper and value not in found:
                    found.append(value)
    return tuple(found)


@cache
def _tree(function: Callable[..., object]) -> ast.AST:
    try:
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return ast.Module([], [])
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
    return node


# ------------------------------------------------------------------------------- the table


@dataclass(frozen=True)
class Count:
    """Counts of the symbols and numbers of statements' formulas that occur in their steps.

    Attributes
    ----------
    statements : int
        Those with a check.
    complete : int
        Those of which each symbol occurs.
    total : int
    shown, computed, defined : int
        Symbols that a step shows; that only the code of its figures has; that only a definition
        stands for, such as "L = log(1/delta)".
    inside, reasoned, unchecked : int
        Symbols in no step: only inside a norm or a function; of which the author says why none is
        needed; that are not checked.
    """

    statements: int = 0
    complete: int = 0
    total: int = 0
    shown: int = 0
    computed: int = 0
    defined: int = 0
    inside: int = 0
    reasoned: int = 0
    unchecked: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def count(statement: Statement, outcome: Outcome) -> Count:
    """Count the symbols of one statement."""
    if statement.true_check is None:
        return Count()
    sought = symbols(formula_of(statement))
    missing = absent(statement, outcome)
    steps = _in_steps(outcome)
    shown = sum(_occurs(symbol.name, steps) for symbol in sought)
    code = steps | _in_code(statement.true_check.check)
    computed = sum(_occurs(symbol.name, code) for symbol in sought) - shown
    reasons = Counter(missing.values())
    inside = reasons[INSIDE]
    unchecked = sum(why == IN_NO_STEP or why.startswith(NOT_CHECKED) for why in missing.values())
    return Count(
        statements=1,
        complete=int(not missing),
        total=len(sought),
        shown=shown,
        computed=computed,
        defined=len(sought) - len(missing) - shown - computed,
        inside=inside,
        reasoned=len(missing) - inside - unchecked,
        unchecked=unchecked,
    )


def table(counts: Mapping[str, Count]) -> str:
    """Return the counts by paper, and their sum, as a Markdown table."""
    heads = (
        "paper", "statements", "with each symbol in a step", "symbols", "in a step",
        "in its code", "in a definition", "only inside a norm or a function",
        "no step needed", "not checked",
    )  # fmt: skip
    rows = {**counts, "all": sum(counts.values(), Count())}
    lines = [f"| {' | '.join(heads)} |", "|---|" + "---:|" * (len(heads) - 1)]
    for name, row in rows.items():
        lines.append(f"| {name} | {' | '.join(f'{number:,}' for number in astuple(row))} |")
    return "\n".join(lines)


def what_holds(report: Report) -> Outcome:
    """Return the outcome of the check of what must hold."""
    return report.printed if report.corrected is None else report.corrected


def main() -> None:
    """Run every check, each once, and print the table; of named modules, what has no reason.

    ``python -m proofs_checks.symbols paper_000 paper_004.section_5_1`` lists, by module, the
    statements that have symbols in no step without an author's reason.
    """
    found: dict[str, Count] = {}
    outcomes: dict[tuple[int, int], Outcome] = {}
    prefixes = tuple(f"proofs_checks.{name}" for name in sys.argv[1:])
    for item in statements():
        if item.true_check is None or item.of_printed is None:
            continue
        if prefixes and not item.of_printed.check.__module__.startswith(prefixes):
            continue
        shared = id(item.of_printed), id(item.of_corrected)
        if shared not in outcomes:
            outcomes[shared] = what_holds(run(item))
        if prefixes:
            missing = absent(item, outcomes[shared])
            silent = [symbol for symbol, why in missing.items() if why == IN_NO_STEP]
            if silent:
                print(f"{item.where}  {item.key}  [{', '.join(silent)}]  {formula_of(item)}")
        found[item.paper] = found.get(item.paper, Count()) + count(item, outcomes[shared])
    if not prefixes:
        print(table(found))


if __name__ == "__main__":
    main()
