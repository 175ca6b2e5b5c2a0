"""Formulas of releases that Coq prints, read and evaluated to 50 digits."""

from __future__ import annotations

import ast
import operator
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

DIGITS = 50

_PATTERN = re.compile(r"= \((?P<steps>.*?), fun.*?=> (?P<releases>.*)\) : .*")
_EITHER = re.compile(r"if (.*?) then (\{\|.*?\|\}) else (\{\|.*?\|\})")
_RELEASE = re.compile(
    r"\{\| kind_of := (?P<kind>\w+); "
    r"dimension := (?P<dimension>.*?); "
    r"sensitivity_of := fun(?: (?P<unit>\w+) : [^=]*)?\s*=> (?P<sensitivity>.*); "
    r"scale_of := (?P<scale>.*) \|\}"
)

_OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_RELATIONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.LtE: operator.le,
    ast.Lt: operator.lt,
    ast.Eq: operator.eq,
}


@dataclass(frozen=True)
class PrintedRelease:
    """Formulas of the releases of one kind, as Python terms.

    Attributes
    ----------
    kind : str
        Of ``Release.v``, such as ``Gaussian_noise`` or ``Noisy_max``.
    dimension, sensitivity, scale : str
        Of step ``t``; the sensitivity is that for unit ``unit``.
    unit : str
        Name of the unit in ``sensitivity``, empty if all units have the same.
    """

    kind: str
    dimension: str
    sensitivity: str
    scale: str
    unit: str

    def sensitivity_for(self, unit: int, values: Mapping[str, Any]) -> Decimal:
        """Return how far a unit can move a release."""
        return evaluate(self.sensitivity, {**values, self.unit or "_": unit})


@dataclass(frozen=True)
class PrintedFormulas:
    """Formulas of an instance's releases, as Python terms.

    Attributes
    ----------
    steps : str
        Number of releases.
    condition : str
        Of two kinds of release, where step ``t`` is of the first; true if there is one kind.
    releases : tuple of PrintedRelease
        One or two.
    """

    steps: str
    condition: str
    releases: tuple[PrintedRelease, ...]

    def at(self, values: Mapping[str, Any]) -> PrintedRelease:
        """Return the formulas of step ``t``, which is among the values."""
        return self.releases[0 if evaluate(self.condition, values) else -1]


def read_formulas(printed: str) -> PrintedFormulas:
    """Read what Coq printed.

    Raises
    ------
    ValueError
        If it has another form.
    """
    found = _PATTERN.fullmatch(" ".join(printed.split()))
    either = _EITHER.fullmatch(found["releases"]) if found else None
    condition, *texts = either.groups() if either else ("1", found["releases"] if found else "")
    releases = [_RELEASE.fullmatch(text) for text in texts]
    if found is None or None in releases:
        raise ValueError(f"not a printed description of releases: {printed!r}")
    return PrintedFormulas(
        to_python(found["steps"]),
        to_python(condition),
        tuple(_release(match) for match in releases if match),
    )


def _release(found: re.Match[str]) -> PrintedRelease:
    terms = {name: to_python(found[name]) for name in ("dimension", "sensitivity", "scale")}
    return PrintedRelease(kind=found["kind"], unit=found["unit"] or "", **terms)


def to_python(term: str) -> str:
    """Translate a Coq term to Python.

    It has numbers, + - * / ^ %/ %%, sqrt, odd, conditionals and who is in a batch.
    """
    term = re.sub(r"%:R|%N|\bval ", "", " ".join(term.split()))
    term = term.replace(".+1", ".next").replace(".-1", ".before")
    term = term.replace("^+", "**").replace("^", "**")
    term = term.replace("%/", "//").replace("%%", "%").replace("&&", "and")
    term = re.sub(r"\bbatch (\w+) (\w+)", r"batch(\1, \2)", term)
    for name, function in (("Num.sqrt", "sqrt"), ("odd", "odd")):
        term = re.sub(rf"\b{name} (\w+)", rf"{function}(\1)", term)
        term = term.replace(f"{name} (", f"{function}(")
    term = re.sub(r"size \(pairs (\w+)\)", r"(\1 * (\1 + 1) / 2)", term)
    return _conditionals(deque(re.split(r"(\bif\b|\bthen\b|\belse\b|[()])", term))).strip()


def _conditionals(tokens: deque[str]) -> str:
    """Translate tokens up to the end of their term; "else" reaches to the next parenthesis."""
    term = ""
    while tokens and tokens[0] not in ("then", "else", ")"):
        token = tokens.popleft()
        if token == "(":
            term += f"({_conditionals(tokens)}{tokens.popleft()}"
        elif token == "if":
            condition, _ = _conditionals(tokens), tokens.popleft()
            body, _ = _conditionals(tokens), tokens.popleft()
            term += f"(({body}) if {condition} else ({_conditionals(tokens)}))"
        else:
            term += token
    return term


def evaluate(term: str, values: Mapping[str, Any]) -> Decimal:
    """Evaluate a translated term.

    Parameters
    ----------
    term : str
    values : mapping
        Number (int, float or Decimal; floats are taken exactly) by name; for ``batch`` a function
        that says of a step and a unit whether the step's batch has the unit.

    Raises
    ------
    KeyError, ValueError
        On an unknown name, or a construction that Coq's formulas do not have.
    """
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(_value(ast.parse(term, mode="eval").body, values))


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int() as number):
            return Decimal(number)
        case ast.Name(id=name):
            return Decimal(values[name])
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATIONS[type(op)](_value(left, values), _value(right, values))
        case ast.Attribute(value=number, attr="next"):
            return _value(number, values) + 1
        case ast.Attribute(value=number, attr="before"):
            return max(_value(number, values) - 1, Decimal(0))  # of a natural number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, values)
        case ast.Compare(left=first, ops=ops, comparators=others):
            terms = [_value(one, values) for one in (first, *others)]
            pairs = zip(ops, terms[:-1], terms[1:], strict=True)
            return all(_RELATIONS[type(op)](left, right) for op, left, right in pairs)
        case ast.BoolOp(op=ast.And(), values=terms):
            return all(_value(term, values) for term in terms)
        case ast.IfExp(test=test, body=body, orelse=other):
            return _value(body if _value(test, values) else other, values)
        case ast.Call(func=ast.Name(id="sqrt"), args=[argument]):
            return _value(argument, values).sqrt()
        case ast.Call(func=ast.Name(id="odd"), args=[argument]):
            return _value(argument, values) % 2 == 1
        case ast.Call(func=ast.Name(id="batch"), args=[step, unit]):
            return values["batch"](_value(step, values), _value(unit, values))
    raise ValueError(f"not a term of Coq's formulas: {ast.unparse(node)}")
