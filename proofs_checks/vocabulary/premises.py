"""The hypotheses of a claim: the ranges of its variables, its premises, and what is not needed.

A hypothesis about one variable is a range, one about several a premise. A referee wants to know
which premises a step rests on, so a claim that follows from the ranges alone is said to. Points in
the ranges refute that of most claims; z3 decides the others.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from proofs_checks.extras import z3

POINTS = tuple(map(Fraction, ("0", "1/100", "1/3", "9/10", "1", "2", "7", "100", "-1", "-5")))
TRIES = 60
TIMEOUT = 300  # milliseconds of z3 for a claim that no point refutes


@dataclass(frozen=True)
class Term:
    """A z3 term with its text, the names of its variables and its value at a point.

    Attributes
    ----------
    z3 : z3 term
    text : str
        On one line.
    names : tuple of str
    value : callable
        Takes a mapping from names to fractions.
    """

    z3: Any
    text: str
    names: tuple[str, ...]
    value: Callable[[Mapping[str, Fraction]], Any]

    def at(self, point: Mapping[str, Fraction]) -> bool | None:
        """Return whether the term holds at a point; ``None`` if it divides by 0 there."""
        try:
            return bool(self.value(point))
        except ZeroDivisionError:
            return None


def conjuncts(term: Any) -> Iterator[Any]:
    """Return the parts of a conjunction of conjunctions, and any other term as it is."""
    if z3.is_and(term):
        for part in term.children():
            yield from conjuncts(part)
    else:
        yield term


@cache
def read(term: Any) -> Term:
    """Return a term, or a Python truth value, with what can be said of it."""
    term = z3.BoolVal(term) if isinstance(term, bool) else term
    names: dict[str, None] = {}
    source = _source(term, names)
    value = eval(f"lambda at: {source}", {"Fraction": Fraction})
    return Term(term, " ".join(str(term).split()), tuple(names), value)


@dataclass(frozen=True)
class Decided:
    """A claim that was decided, with its hypotheses.

    Attributes
    ----------
    claim : Term
    ranges : tuple of Term
        Hypotheses about one variable each.
    premises : tuple of Term
        The other hypotheses.
    """

    claim: Term
    ranges: tuple[Term, ...]
    premises: tuple[Term, ...]

    @classmethod
    def of(cls, claim: Any, given: Sequence[Any]) -> Decided:
        """Tell the ranges of a claim from its premises.

        Raises
        ------
        ValueError
            If the claim is one of its hypotheses, but for factors and exponents of 1: wrong
            versions change these.
        """
        said = read(claim)
        hypotheses = [read(part) for term in given for part in conjuncts(term)]
        if any(_without_ones(said) == _without_ones(part) for part in hypotheses):
            raise ValueError(f"the claim {said.text} is one of its hypotheses")
        return cls(
            said,
            tuple(part for part in hypotheses if len(part.names) <= 1),
            tuple(part for part in hypotheses if len(part.names) > 1),
        )

    @cached_property
    def shows(self) -> str:
        """Return the claim and its ranges, and whether it holds without its premises."""
        words = self.claim.text
        if self.ranges:
            words += f", for {' and '.join(part.text for part in self.ranges)}"
        if not self.premises or follows(self.claim, self.ranges):
            if (self.ranges or self.premises) and follows(self.claim, []):
                words += " (holds for all real values)"
            elif self.premises:
                words += " (holds without its premises)"
        return words

    def holds_without(self, premise: Term) -> bool:
        """Return whether the claim was found to follow from the other hypotheses."""
        others = [part for part in self.premises if part is not premise]
        return follows(self.claim, [*self.ranges, *others])

    def implies(self, premise: Term, ranges: Sequence[Term]) -> bool:
        """Return whether a premise was found to follow from the claim, in ranges of its own."""
        known = set(self.claim.names) | {name for part in ranges for name in part.names}
        return (
            set(premise.names) <= known
            and bool(set(premise.names) & set(self.claim.names))
            and follows(premise, [*ranges, *self.ranges, self.claim])
        )


_ONE = re.compile(r"(?<![\w.)])1\*(?!\*)|\*\*1(?![\w.])")


def _without_ones(term: Term) -> str:
    return _ONE.sub("", term.text)


def defined(premise: Term, names: Collection[str], ranges: Sequence[Term]) -> str:
    """Return a variable for which an equation has exactly one solution, or an empty string.

    Parameters
    ----------
    premise : Term
    names : collection of str
        The variables that may be defined.
    ranges : sequence of Term
        Of the others.
    """
    if not z3.is_eq(premise.z3) or not z3.is_real(premise.z3.children()[0]):
        return ""
    left, right = premise.z3.children()
    for name in premise.names:
        others = [part for part in ranges if part.names != (name,)]
        if name in names and _is_linear_in(name, left - right, others):
            return name
    return ""


def _is_linear_in(name: str, difference: Any, ranges: Sequence[Term]) -> bool:
    """Return whether a term is linear in a variable, with a coefficient that is nowhere 0."""
    variable = z3.Real(name)

    def at(value: int) -> Any:
        return z3.substitute(difference, (variable, z3.RealVal(value)))

    coefficient = at(1) - at(0)
    linear = read(difference == at(0) + coefficient * variable)
    return follows(linear, []) and follows(read(coefficient != 0), ranges)


def follows(claim: Term, given: Sequence[Term]) -> bool:
    """Return whether a claim was found to follow from hypotheses."""
    names = sorted({name for part in (claim, *given) for name in part.names})
    inside = {
        name: [
            value
            for value in POINTS
            if all(part.at({name: value}) for part in given if part.names == (name,))
        ]
        for name in names
    }
    if all(inside.values()):
        draw = random.Random(0)
        for _ in range(TRIES):
            point = {name: draw.choice(own) for name, own in inside.items()}
            if claim.at(point) is False and all(part.at(point) for part in given):
                return False
    solver = z3.SolverFor("QF_NRA")
    solver.set("timeout", TIMEOUT)
    solver.add(*(part.z3 for part in given), z3.Not(claim.z3))
    return str(solver.check()) == "unsat"


@cache
def _operators() -> Mapping[int, str]:
    return {
        z3.Z3_OP_ADD: " + ", z3.Z3_OP_SUB: " - ", z3.Z3_OP_MUL: " * ", z3.Z3_OP_DIV: " / ",
        z3.Z3_OP_POWER: " ** ", z3.Z3_OP_LE: " <= ", z3.Z3_OP_LT: " < ", z3.Z3_OP_GE: " >= ",
        z3.Z3_OP_GT: " > ", z3.Z3_OP_EQ: " == ", z3.Z3_OP_DISTINCT: " != ", z3.Z3_OP_AND: " and ",
        z3.Z3_OP_OR: " or ", z3.Z3_OP_IMPLIES: " <= ",
    }  # fmt: skip


def _source(term: Any, names: dict[str, None]) -> str:
    """Return a term as a Python expression in ``at``, and add its variables' names."""
    if z3.is_rational_value(term):
        return f"Fraction({term.numerator_as_long()}, {term.denominator_as_long()})"
    kind = term.decl().kind()
    if kind == z3.Z3_OP_UNINTERPRETED:
        names[str(term.decl().name())] = None
        return f"at[{str(term.decl().name())!r}]"
    parts = [_source(part, names) for part in term.children()]
    if kind == z3.Z3_OP_POWER:
        exponent = term.children()[1]
        whole = z3.is_rational_value(exponent) and exponent.denominator_as_long() == 1
        parts[1] = str(exponent.numerator_as_long()) if whole else "(1 / 0)"
    if kind in _operators():
        return f"({_operators()[kind].join(parts)})"
    if kind == z3.Z3_OP_ITE:
        return f"({parts[1]} if {parts[0]} else {parts[2]})"
    forms = {
        z3.Z3_OP_TRUE: "True",
        z3.Z3_OP_FALSE: "False",
        z3.Z3_OP_NOT: "(not {})",
        z3.Z3_OP_UMINUS: "(-{})",
    }
    return forms.get(kind, "(1 / 0)").format(*parts)
