"""Symbols and numbers of formulas in plain text.

What is no symbol: ordinary words and names of functions (a run of three letters or more that is no
Greek letter and has no subscript), ``E``, ``P`` and ``O``, Euler's number, the identity matrix, the
indices i and j, and the numbers of theorems, references and years. The numbers 0, 1 and 2 are not
sought: they are in nearly every step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

GREEK = frozenset((
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega",
    "upsilon",
))  # fmt: skip
SPELLED = {"eps": "epsilon", "lam": "lambda"}
NAMES = frozenset(("SNR", "gap", "Err", "TV", "KL"))
"""Symbols of two letters or more that are no Greek letters."""

SHORT_WORDS = frozenset((
    "an", "et", "as", "at", "be", "by", "do", "if", "in", "is", "it", "no", "of", "on", "or", "so",
    "to", "up", "us", "we", "vs", "ie", "eg", "ln", "tr", "Pr", "DP", "EM", "th", "nd", "st", "rd",
    "wp", "al", "re", "xv", "Eq", "Tr", "He", "By", "As", "At", "If", "In", "On", "It", "We",
))  # fmt: skip
NOTATION = frozenset(["E", "P", "O", "e", "i", "j", "I"])
ORDERS = frozenset(("Omega", "Theta", "O", "o"))
"""Names that mean an order of growth where a bracket follows."""

FUNCTIONS = frozenset((
    "sum", "prod", "max", "min", "sup", "inf", "argmin", "argmax", "log", "exp", "sqrt", "ln",
    "lim", "int", "sin", "cos", "cosh", "sinh", "tanh", "coth", "sech", "Lap", "grad", "nabla",
    "Hess", "Var", "Cov", "Pr", "tr", "psi1", "psi2", "abs", "sign", "floor", "ceil", "mean",
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
    r"Prop\.|Proposition|Remark|Section|[Ss]tep|Theorem)s? (?:[A-Z]\d*|\d+)(?:\.?\d+)*"
    r"(?:(?:, | and | to )\d+(?:\.\d+)*)*(?![\w(])"
    r"|(?<![\w)^_*'])\([A-Z]?\d{1,2}(?:\.\d{1,3})?\)(?= |,|:|;|'|\.|$|\)|-\()"
    r"|(?<![\w)\]])\[\d{1,3}\]|(?<=[A-Za-z] )\((?:19|20)\d\d\)|(?<=\s)(?:1[89]|20)\d\d(?=\))"
    r"|\bl\.\d+|\b00\d\b|\bw\.(?:h\.)?p\.|\bi\.i\.d\.|\bL?DP-[A-Z]+(?:-L[12])?(?:'s)?(?!\w)|\bNP-hard"
)
_NORMS = re.compile(r"(?<=\|)_(?:F|TV|psi_?\d?|op|inf|infinity|\d)\b|(?<=\|)_\{[^{}]*\}")
_ANONYMOUS = re.compile(r"\blambda [\w, ]*:")
_POSSESSIVE = re.compile(r"(?<=[A-Za-z])'s\b")
SUBSCRIPT = r"_(?:\{[^{}]*\}|\([^()]*\)|-?[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*)"
_TOKEN = re.compile(
    r"(?P<number>(?<![A-Za-z0-9_])\d*\.?\d+(?:e[-+]?\d+)?(?!\d))"
    rf"|(?P<base>[A-Za-z]+)(?P<digits>\d*)(?P<marks>(?:-hat|-bar|-tilde|'|~(?!=)|\*|\^(?=[\s),;:|/=\]_]|$))*)"
    rf"(?P<sub>{SUBSCRIPT})?(?P<more>(?:'|~(?!=)|\*)*)(?P<sup>\^(?:ols|priv|erm|opt)\b)?"
)
_PRODUCT = re.compile(r"[A-Za-z0-9(*]|\|\|?[A-Za-z0-9]")


class Symbol(NamedTuple):
    """A symbol or a number of a formula: its name, however it is spelled, and how it is printed."""

    name: str
    printed: str


def symbols(formula: str) -> tuple[Symbol, ...]:
    """Return the symbols and numbers of a formula in plain text, each once, in order."""
    found = dict[str, Symbol]()
    for symbol in occurrences(plain(formula)):
        found.setdefault(symbol.name, symbol)
    return tuple(found.values())


def names(formula: str) -> frozenset[str]:
    """Return the names of the symbols and numbers of a formula."""
    return frozenset(symbol.name for symbol in symbols(formula))


_NAME = r"[A-Za-z]\w*(?:\{[^{}]*\})?(?:'|~|\*|\^|-hat|-bar)*"
_ARGUMENT = rf"{_NAME}(?:\^\w|_\{{[^{{}}]*\}})?"
_NORM = re.compile(r"\|\|[^|]*\|\||\|[^|]+\||<[^<>|]*,[^<>|]*>")
_APPLIED = re.compile(
    rf"(?<!\w)(?P<function>{_NAME}(?:_\{{[^{{}}]*\}})?)"
    rf"\((?P<arguments>\s*{_ARGUMENT}(?:\s*[,;|]\s*{_ARGUMENT})*\s*)\)"
)


def outside(formula: str) -> frozenset[str]:
    """Return the names that stand elsewhere than in norms, inner products and named functions.

    The arguments of a function are names alone: ``M (1 + k)`` may be a product.
    """
    return names(_APPLIED.sub(_function_alone, _NORM.sub(" ", formula)))


def _function_alone(match: re.Match[str]) -> str:
    known = FUNCTIONS | ORDERS | {"E", "P"}
    return match[0] if match["function"] in known else match["function"]


def plain(text: str) -> str:
    """Return a formula without references, the names of norms, anonymous functions and "'s"."""
    for pattern in (_REFERENCES, _NORMS, _ANONYMOUS, _POSSESSIVE):
        text = pattern.sub(" ", text)
    return text


def occurrences(text: str, *, in_steps: bool = False) -> Iterator[Symbol]:
    """Yield the symbols and numbers of a plain formula, or of the text of a step, in order."""
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
    norm = ("inf",) if match["sub"] else ("1", "2")
    if base == "l" and sub in norm:
        return
    greek = base.lower() in GREEK
    order = (base in ORDERS and after == "(" and not sub) or base == "O"
    article = base in ("a", "A") and not (sub or marks) and _is_article(match, text)
    if order or article or (base == "N" and after == "("):
        return
    if (base in NOTATION and not marks) or base in FUNCTIONS or base in SHORT_WORDS:
        if sub:
            yield from occurrences((match["sub"] or "").lstrip("_") + marks, in_steps=in_steps)
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
            yield from occurrences(f"{letter}{tail}", in_steps=in_steps)


def _is_article(match: re.Match[str], text: str) -> bool:
    before, after = text[: match.start()].rstrip(), text[match.end() :]
    if before.endswith("there is"):
        return True
    return (
        bool(re.match(r" (?:\d+ )?[A-Za-z]{2,}", after))
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
