"""Formulas of releases that Coq prints, read and evaluated to 50 digits."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

DIGITS = 50

_PATTERN = re.compile(
    r"= \((?P<steps>.*?), fun.*?=> \{\| kind_of := (?P<kind>\w+); "
    r"dimension := (?P<dimension>.*?); "
    r"sensitivity_of := fun(?: (?P<unit>\w+) : [^=]*)?\s*=> (?P<sensitivity>.*); "
    r"scale_of := (?P<scale>.*) \|\}\) : .*"
)

_OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_RELATIONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.LtE: operator.le,
    ast.Lt: operator.lt,
    ast.Eq: operator.eq,
}


@dataclass(frozen=True)
class PrintedFormulas:
    """Formulas of an instance's releases, as Python terms.

    Attributes
    ----------
    steps : str
        Number of releases.
    kind : str
        ``Gaussian_noise``, ``Laplace_noise`` or ``Exponential_selection``.
    dimension, sensitivity, scale : str
        Of step ``t``; the sensitivity is that for unit ``unit``.
    unit : str
        Name of the unit in ``sensitivity``, empty if all units have the same.
    """

    steps: str
    kind: str
    dimension: str
    sensitivity: str
    scale: str
    unit: str

    def sensitivity_for(self, unit: int, values: Mapping[str, Any]) -> Decimal:
        """Return how far a unit can move a release."""
        return evaluate(self.sensitivity, {**values, self.unit or "_": unit})


def read_formulas(printed: str) -> PrintedFormulas:
    """Read what Coq printed.

    Raises
    ------
    ValueError
        If it has another form.
    """
    found = _PATTERN.fullmatch(" ".join(printed.split()))
    if found is None:
        raise ValueError(f"not a printed description of releases: {printed!r}")
    terms = {name: to_python(found[name]) for name in ("steps", "dimension", "scale")}
    return PrintedFormulas(
        kind=found["kind"],
        sensitivity=to_python(found["sensitivity"]),
        unit=found["unit"] or "",
        **terms,
    )


def to_python(term: str) -> str:
    """Translate a printed Coq term (numbers, + - * / ^+ ^ %%, sqrt, conditionals) to Python."""
    term = re.sub(r"%:R|%N|\bval ", "", " ".join(term.split())).replace("%%", "%")
    term = re.sub(r"(\w+)\.([+-])1", r"(\1 \2 1)", term)
    term = term.replace("^+", "**").replace("^", "**")
    term = re.sub(r"Num\.sqrt (\w+)", r"sqrt(\1)", term).replace("Num.sqrt (", "sqrt(")
    term = re.sub(r"\bif (.*?) then (.*?) else ", r"(\2) if \1 else ", term)
    return re.sub(r"size \(pairs (\w+)\)", r"(\1 * (\1 + 1) / 2)", term)


def evaluate(term: str, values: Mapping[str, Any]) -> Decimal:
    """Evaluate a translated term.

    Parameters
    ----------
    term : str
    values : mapping
        Number (int, float or Decimal; floats are taken exactly) by name.

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
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, values)
        case ast.Compare(left=first, ops=ops, comparators=others):
            terms = [_value(one, values) for one in (first, *others)]
            pairs = zip(ops, terms[:-1], terms[1:], strict=True)
            return all(_RELATIONS[type(op)](left, right) for op, left, right in pairs)
        case ast.IfExp(test=test, body=body, orelse=other):
            return _value(body if _value(test, values) else other, values)
        case ast.Call(func=ast.Name(id="sqrt"), args=[argument]):
            return _value(argument, values).sqrt()
    raise ValueError(f"not a term of Coq's formulas: {ast.unparse(node)}")
