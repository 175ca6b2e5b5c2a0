"""Claims decided for all values of their symbols, by sympy and by z3's real arithmetic."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import as_written

Expression = Any  # a sympy expression or a z3 term; neither library has usable type hints

TIMEOUT = 20_000  # milliseconds of z3; what it has not decided then is not decided
SHORT_TIMEOUT = 300  # milliseconds for what is only shown beside a proof
POINTS = tuple(
    map(Fraction, ("0", "1/100", "1/3", "9/10", "1", "2", "7", "100", "-1/3", "-1", "-5"))
)


def symbols(names: str, **assumptions: bool) -> Any:
    """Return sympy symbols, positive unless assumptions are given (as for ``sympy.symbols``)."""
    return sp.symbols(names, **(assumptions or {"positive": True}))


def reals(names: str) -> Any:
    """Return z3 real variables."""
    found = z3.Reals(names)
    return found[0] if len(found) == 1 else found


def rational(number: str | int | Fraction) -> Any:
    """Return an exact z3 number, e.g. of ``"0.9"`` or ``"2/3"``."""
    value = Fraction(number)
    return z3.Q(value.numerator, value.denominator)


def identity(*pairs: tuple[Expression, Expression]) -> Outcome:
    """Decide left = right for all values of the symbols, pair by pair.

    The difference must become 0 by symbolic cancellation or simplification. Values of the symbols
    where it is not 0 are a witness; they are sought before it is simplified, which takes longer.
    """
    for left, right in pairs:
        difference = sp.sympify(left) - sp.sympify(right)
        worked_out = _worked_out(difference)
        if sp.cancel(sp.together(worked_out)) == 0:
            continue
        witness = _where_not_zero(difference)
        if witness is not None:
            return Outcome(False, "refuted with witness", f"{left} and {right} differ", witness)
        if sp.simplify(worked_out) != 0:
            return Outcome(False, "undecided", f"not decided whether {left} = {right}")
    count = "1 identity" if len(pairs) == 1 else f"{len(pairs)} identities"
    written = as_written.pairs(sys._getframe(1))
    return Outcome(
        True,
        "proved (symbolic)",
        f"{count}, for all values of the symbols (sympy)",
        shows=written or "; ".join(f"{left} = {right}" for left, right in pairs),
    )


def _worked_out(difference: Expression) -> Expression:
    if difference.has(sp.Sum, sp.Product, sp.Integral, sp.Limit, sp.Derivative):
        return difference.doit()
    return difference


def _where_not_zero(difference: Expression) -> Mapping[str, Any] | None:
    draw = random.Random(0)
    free = sorted(difference.free_symbols, key=str)
    for _ in range(20):
        values = {symbol: _value(symbol, draw) for symbol in free}
        try:
            number = complex(sp.N(difference.subs(values), 30))
        except (TypeError, ValueError):
            continue
        if abs(number) > 1e-15:
            return {**{str(name): str(value) for name, value in values.items()},
                    "difference": number.real if number.imag == 0 else str(number)}  # fmt: skip
    return None


def _value(symbol: Expression, draw: random.Random) -> Expression:
    if symbol.is_integer:
        return sp.Integer(draw.randint(1, 9))
    value = sp.Rational(draw.randint(1, 40), draw.randint(7, 23))
    return value if symbol.is_positive or draw.random() < 0.5 else -value


def for_all(claim: Expression, *given: Expression) -> Outcome:
    """Decide a claim for all real values of its variables under the hypotheses ``given``.

    Polynomial arithmetic with comparisons, ``z3.And``, ``z3.Or``, ``z3.If``: z3 decides it by
    cylindrical algebraic coverings. ``unknown`` is not a proof; contradictory hypotheses, under
    which everything would hold, are an error, and so is a claim that is one of its hypotheses.

    What is shown tells the ranges of the variables (hypotheses about one variable each) from the
    other hypotheses, the premises, and says if the claim was found to hold without these.

    Raises
    ------
    ValueError
        If the hypotheses contradict each other or z3 cannot show that they do not, or if the claim
        is among them.
    """
    hypotheses = [part for term in given for part in _conjuncts(term)]
    if any(_says_the_same(_term(claim), part) for part in hypotheses):
        raise ValueError(f"the claim {_on_one_line(claim)} is one of its hypotheses")
    if _solve(*given)[0] != "sat":
        raise ValueError("the hypotheses contradict each other, or z3 cannot show a point of them")
    answer, witness = _solve(*given, z3.Not(claim))
    if answer == "unsat":
        shows = _on_one_line(claim) + _under(claim, hypotheses)
        return Outcome(True, "proved (symbolic)", "no real counterexample exists (z3)", shows=shows)
    if answer == "sat":
        return Outcome(False, "refuted with witness", "z3 found a counterexample", witness)
    return Outcome(False, "undecided", "z3 does not decide it")


def _under(claim: Expression, hypotheses: list[Expression]) -> str:
    """Return the hypotheses of a claim in words: ranges, premises, and which are not needed."""
    ranges = [part for part in hypotheses if len(_variables(part)) <= 1]
    premises = [part for part in hypotheses if len(_variables(part)) > 1]
    words = ""
    if ranges:
        words += f", for {' and '.join(map(_on_one_line, ranges))}"
    if premises:
        words += f", given {' and '.join(map(_on_one_line, premises))}"
    if premises and not _follows(claim, ranges):
        return words
    if ranges and _follows(claim, []):
        return f"{words} (holds for all real values)"
    return f"{words} (holds without what is given)" if premises else words


def _follows(claim: Expression, ranges: list[Expression]) -> bool:
    """Return whether a claim was found to follow from the ranges of its variables alone.

    Points in the ranges refute most; z3 has a short time for the others.
    """
    names = _variables(claim)
    values = []
    for name, variable in names.items():
        own = [part for part in ranges if name in _variables(part)]
        inside = [value for value in POINTS if all(_at(part, [(variable, value)]) for part in own)]
        values.append(inside)
    if all(values):
        draw = random.Random(0)
        for _ in range(40):
            point = [(v, draw.choice(own)) for v, own in zip(names.values(), values, strict=True)]
            if _at(claim, point) is False:
                return False
    return _solve(*ranges, z3.Not(claim), timeout=SHORT_TIMEOUT)[0] == "unsat"


def _at(term: Expression, point: list[tuple[Expression, Fraction]]) -> bool | None:
    """Return whether a term holds at a point, if that can be told."""
    found = z3.simplify(z3.substitute(_term(term), [(v, rational(value)) for v, value in point]))
    return True if z3.is_true(found) else False if z3.is_false(found) else None


def _term(claim: Expression) -> Expression:
    return z3.BoolVal(claim) if isinstance(claim, bool) else claim


def _conjuncts(term: Expression) -> Iterator[Expression]:
    if z3.is_and(term):
        for part in term.children():
            yield from _conjuncts(part)
    else:
        yield _term(term)


def _variables(term: Expression) -> Mapping[str, Expression]:
    """Return the variables of a term by name."""
    return {str(variable): variable for variable in z3.z3util.get_vars(_term(term))}


def _says_the_same(claim: Expression, hypothesis: Expression) -> bool:
    """Return whether a claim is a hypothesis, or a premise but for the order of its terms.

    What follows from a range by algebra alone is a step.
    """
    if claim.eq(hypothesis):
        return True
    premise = len(_variables(hypothesis)) > 1
    return premise and bool(z3.simplify(claim).eq(z3.simplify(hypothesis)))


def _on_one_line(term: Expression) -> str:
    return " ".join(str(term).split())


def _solve(*constraints: Expression, timeout: int = TIMEOUT) -> tuple[str, Mapping[str, Any]]:
    solver = z3.SolverFor("QF_NRA")
    solver.set("timeout", timeout)
    solver.add(*constraints)
    answer = str(solver.check())
    if answer != "sat":
        return answer, {}
    model = solver.model()
    return answer, {str(name): _number(model[name]) for name in model.decls()}


def _number(value: Expression) -> float | str:
    if z3.is_rational_value(value):
        return float(Fraction(value.numerator_as_long(), value.denominator_as_long()))
    return str(value)
