"""Symbols and numbers of a statement's formula that occur in no step of its check.

A check may decide less than a formula says: a factor may be hidden in one symbol of a step, or may
have been left out. So each symbol and number of the formula is sought in what the steps show.

What is no symbol: ordinary words and names of functions (a run of three letters or more that is no
Greek letter and has no subscript), ``E``, ``P`` and ``O``, Euler's number, the identity matrix, the
indices i and j, and the numbers of theorems. The numbers 0, 1 and 2 are not sought: they are in
nearly every step.

``python -m proofs_checks.symbols`` runs every check and prints the counts by paper as Markdown.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import textwrap
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from proofs_checks.cited import argument
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Checked, Report, Statement, run, statements

IN_NO_STEP = "in no step"
"""The reason that is shown where the author gave none."""

SHOWN = 6
"""Largest number of absent symbols that a label names; the others are counted."""

GREEK = frozenset((
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega",
    "upsilon",
))  # fmt: skip
SPELLED = {"eps": "epsilon", "lam": "lambda"}
NAMES = frozenset(("SNR", "gap", "Err"))
"""Symbols of three letters or more that are no Greek letters."""

SHORT_WORDS = frozenset((
    "an", "et", "as", "at", "be", "by", "do", "if", "in", "is", "it", "no", "of", "on", "or", "so",
    "to", "up", "us", "we", "vs", "ie", "eg", "ln", "tr", "Pr", "DP", "th", "nd", "st", "rd",
    "wp", "al", "re", "xv", "Eq", "He", "By", "As", "At", "If", "In", "On", "It", "We",
))  # fmt: skip
NOTATION = frozenset(["E", "P", "O", "e", "i", "j", "I"])
ORDERS = frozenset(("Omega", "Theta", "O", "o"))
"""Names that mean an order of growth where a bracket follows."""

FUNCTIONS = frozenset((
    "sum", "prod", "max", "min", "sup", "inf", "argmin", "argmax", "log", "exp", "sqrt", "ln",
    "lim", "int", "cosh", "sinh", "tanh", "coth", "sech", "Lap", "grad", "nabla", "Hess", "Var",
    "Cov", "Pr", "tr", "psi1", "psi2", "abs", "sign", "floor", "ceil", "mean",
))  # fmt: skip
"""Functions whose subscript is a formula of its own, such as ``sum_{k<=n}``."""

SPELLED_MARKS = {"hat": "-hat", "bar": "-bar", "tilde": "-tilde", "star": "*", "best": "*"}
MARKS = {"'": "'", "~": "_tilde", "*": "*", "^": "_hat"}
INDICES = "ijklt"
"""A name with one of these as its subscript occurs where the name alone does."""

SPECTRA = ("lambda", "sigma")
"""Names of eigenvalues: the k-th is not the first one."""

TRIVIAL = frozenset(map(Fraction, (0, 1, 2)))

_REFERENCES = re.compile(
    r"\b(?:Algorithm|Assumption|Chapter|Condition|Corollary|Definition|Equation|Fact|Lemma|Model|"
    r"Prop\.|Proposition|Remark|Section|[Ss]tep|Theorem)s? [A-Z]?\d*(?:\.?\d+)*"
    r"(?:(?:, | and | to )\d+(?:\.\d+)*)*(?![\w(])"
    r"|(?<![\w)^_*'])\([A-Z]?\d{1,2}(?:\.\d{1,3})?\)(?= |,|:|;|'|\.|$|\))"
    r"|\bl\.\d+|\b00\d\b|\bw\.p\.|\bi\.i\.d\."
)
_NORMS = re.compile(r"(?<=\|)_(?:F|TV|psi_?\d?|op|inf|infinity|\d)\b|(?<=\|)_\{[^{}]*\}")
_ANONYMOUS = re.compile(r"\blambda [\w, ]*:")
_SUBSCRIPT = r"_(?:\{[^{}]*\}|\([^()]*\)|-?[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*)"
_TOKEN = re.compile(
    r"(?P<number>(?<![A-Za-z0-9_])\d*\.?\d+(?:e[-+]?\d+)?(?!\d))"
    rf"|(?P<base>[A-Za-z]+)(?P<digits>\d*)(?P<marks>(?:-hat|-bar|-tilde|'|~(?!=)|\*|\^(?=[\s),;:|/=\]_]|$))*)"
    rf"(?P<sub>{_SUBSCRIPT})?(?P<more>(?:'|~(?!=)|\*)*)(?P<sup>\^(?:ols|priv|erm|opt)\b)?"
)
_PRODUCT = re.compile(r"[A-Za-z0-9(*]|\|\|?[A-Za-z0-9]")
_FRACTION = re.compile(r"(?<![\w.])(\d+)/(\d+)(?![\w.])")


class Symbol(NamedTuple):
    """A symbol or a number of a formula: its name, however it is spelled, and how it is printed."""

    name: str
    printed: str


def symbols(formula: str) -> tuple[Symbol, ...]:
    """Return the symbols and numbers of a formula in plain text, each once, in order."""
    found = dict[str, Symbol]()
    for symbol in _symbols(_plain(formula)):
        found.setdefault(symbol.name, symbol)
    return tuple(found.values())


def names(formula: str) -> frozenset[str]:
    """Return the names of the symbols and numbers of a formula."""
    return frozenset(symbol.name for symbol in symbols(formula))


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
    return {
        symbol.printed: statement.unchecked.get(symbol.printed, IN_NO_STEP)
        for symbol in symbols(formula_of(statement))
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


# ------------------------------------------------------------------------------- formulas


def _plain(text: str) -> str:
    for pattern in (_REFERENCES, _NORMS, _ANONYMOUS):
        text = pattern.sub(" ", text)
    return text


def _symbols(text: str, *, in_steps: bool = False) -> Iterator[Symbol]:
    for match in _TOKEN.finditer(text):
        if match["number"] is not None:
            value = Fraction(match["number"])
            if value not in TRIVIAL:
                yield Symbol(str(value), match["number"])
            continue
        yield from _of_name(match, text, in_steps)


def _of_name(match: re.Match[str], text: str, in_steps: bool) -> Iterator[Symbol]:
    base, after = match["base"], text[match.end() : match.end() + 1]
    printed = match[0]
    marks = match["marks"] + match["more"]
    if (
        marks.endswith("*")
        and _PRODUCT.match(text, match.end()) is not None
        and (in_steps or after != "*")
    ):
        marks, printed = marks.rstrip("*"), printed.rstrip("*")  # a product
    sub = (match["sub"] or "").lstrip("_").strip("{}()").replace(" ", "")
    sub = sub or match["digits"]
    head, _, rest = sub.partition("_")
    if head in SPELLED_MARKS:
        marks, sub = marks + SPELLED_MARKS[head], rest
    base = SPELLED.get(base, base)
    if base == "l" and sub in ("1", "2") and not match["sub"]:  # the norms
        return
    greek = base.lower() in GREEK
    order = (base in ORDERS and after == "(" and not sub) or base == "O"
    article = base in ("a", "A") and not (sub or marks) and _is_article(match, text)
    if order or article or (base == "N" and after == "("):
        return
    if (base in NOTATION and not marks) or base in FUNCTIONS or base in SHORT_WORDS:
        if sub:
            yield from _symbols((match["sub"] or "").lstrip("_") + marks, in_steps=in_steps)
        return
    if greek or len(base) == 1 or base in NAMES or (sub and len(base) > 2):
        if _transposes(match, text):
            return
        name = base + "".join(_mark(mark) for mark in re.findall(r"-\w+|.", marks))
        name += f"_{sub}" if sub else ""
        name += match["sup"].replace("^", "_") if match["sup"] else ""
        yield Symbol(name, printed)
    elif len(base) == 2:  # a product of two letters
        letters = base[1:] if base[0] == "d" and base[1] in "xtsuvwyzP" else base
        for position, letter in enumerate(letters):
            own = position == len(letters) - 1
            tail = match[0][2:] if own else ""
            yield from _symbols(f"{letter}{tail}", in_steps=in_steps)


def _is_article(match: re.Match[str], text: str) -> bool:
    before, after = text[: match.start()].rstrip(), text[match.end() :]
    return (
        bool(re.match(r" [A-Za-z]{2,}", after))
        and not re.match(r" (?:and|for|is|in)\b", after)
        and not before.endswith(("=", "+", "-", "/", "(", "|"))
    )


def _transposes(match: re.Match[str], text: str) -> bool:
    """Tell whether a letter is the T of a transposed vector or matrix."""
    before, after = text[max(match.start() - 2, 0) : match.start()], text[match.end() :]
    return match[0] == "T" and (
        bool(re.fullmatch(r"[a-z1UVXDHW)\]]\^", before))
        or (before[1:] == "^" and after.startswith(f" {before[0]}"))
    )


def _mark(mark: str) -> str:
    return MARKS.get(mark) or mark.replace("-", "_")


# ------------------------------------------------------------------------------- steps


def _in_steps(outcome: Outcome) -> frozenset[str]:
    """Return the names in what the steps of an outcome show."""
    found = set[str]()
    for text in _shown(outcome):
        plain = _plain(text)
        for one, other in _FRACTION.findall(plain):
            found.add(str(Fraction(int(one), int(other) or 1)))
        for symbol in _symbols(plain, in_steps=True):
            found |= _parts(symbol.name)
        found |= set(
            re.findall(r"[a-z]{3,}(?:_[a-z]+)*|\b[EPe]\b", plain)
        )  # error, say, for definitions
        found |= {f"{name}*" for name in re.findall(r"\b([A-Za-z]+)\*\*[A-Za-z(*]", plain)}
    return frozenset(found)


def _shown(outcome: Outcome) -> Iterator[str]:
    """Return the formulas of the steps; the detail only where no formula is shown."""
    if outcome.steps:
        for _, step in outcome.steps:
            yield from _shown(step)
    else:
        yield outcome.shows or outcome.detail


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

_DEFINED = re.compile(
    r"(?:^|(?<=[,;.(\[] )|(?<=[(\[])|(?<=[A-Za-z]{2} ))"
    rf"(?P<name>[A-Za-z]+(?:'|~|\*|-hat|-bar)*(?:{_SUBSCRIPT})?)(?:\^\(?\d(?:/\d)?\)?)?"
    r" (?P<by>=|for|is|stands for) (?P<rest>.*)"
)
_STOPS = re.compile(r"[;:\[\]]|[.](?= |$)|,(?= |$)|<=|>=|[=<>](?= )")


def _with_legends(
    occurring: frozenset[str], legends: Iterable[tuple[str, frozenset[str]]]
) -> frozenset[str]:
    """Return the names that occur, themselves or by a name that is defined by them."""
    found, known = set(occurring), list(legends)
    while True:
        new = set[str]()
        for name, parts in known:
            if name in found:
                new |= parts
            letters = {part for part in parts if not part[0].isdigit()}
            if letters and all(_occurs(part, frozenset(found)) for part in letters):
                new.add(name)
        if new <= found:
            return frozenset(found)
        found |= new


@cache
def _legends(check: Callable[..., Outcome]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return what the docstrings and comments of a check and its helpers define, by name."""
    texts = [" ".join(argument(Checked("", check)).split())]
    for function in _with_helpers(check):
        texts += [" ".join((inspect.getdoc(function) or "").split()), *_comments(function)]
    return tuple(dict.fromkeys(pair for text in texts for pair in legends(text)))


def legends(text: str) -> Iterator[tuple[str, frozenset[str]]]:
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
            yield next(iter(own)), parts


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
        return run not in ("ln", "tr")
    known = run.lower() in GREEK or run in FUNCTIONS or run in SPELLED or run in NAMES
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
    for symbol in _symbols(_plain(text), in_steps=True):
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
    reasoned, silent : int
        Symbols in no step, with the author's reason and without.
    """

    statements: int = 0
    complete: int = 0
    total: int = 0
    shown: int = 0
    computed: int = 0
    defined: int = 0
    reasoned: int = 0
    silent: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def count(statement: Statement, outcome: Outcome) -> Count:
    """Count the symbols of one statement."""
    if statement.true_check is None:
        return Count()
    sought = symbols(formula_of(statement))
    missing = absent(statement, outcome)
    plain = _in_steps(outcome)
    shown = sum(_occurs(symbol.name, plain) for symbol in sought)
    code = plain | _in_code(statement.true_check.check)
    computed = sum(_occurs(symbol.name, code) for symbol in sought) - shown
    reasoned = sum(reason != IN_NO_STEP for reason in missing.values())
    return Count(
        statements=1,
        complete=int(not missing),
        total=len(sought),
        shown=shown,
        computed=computed,
        defined=len(sought) - len(missing) - shown - computed,
        reasoned=reasoned,
        silent=len(missing) - reasoned,
    )


def table(counts: Mapping[str, Count]) -> str:
    """Return the counts by paper, and their sum, as a Markdown table."""
    heads = (
        "paper", "statements", "with each symbol in a step", "symbols", "in a step",
        "in its code", "in a definition", "listed with a reason", "listed as in no step",
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
    """Run every check, each once, and print the table."""
    found: dict[str, Count] = {}
    outcomes: dict[tuple[int, int], Outcome] = {}
    for item in statements():
        if item.true_check is None:
            continue
        shared = id(item.of_printed), id(item.of_corrected)
        if shared not in outcomes:
            outcomes[shared] = what_holds(run(item))
        found[item.paper] = found.get(item.paper, Count()) + count(item, outcomes[shared])
    print(table(found))


if __name__ == "__main__":
    main()
