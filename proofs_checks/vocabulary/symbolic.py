"""Claims decided for all values of their symbols, by sympy and by z3's real arithmetic."""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import as_written, premises

Expression = Any  # a sympy expression or a z3 term; neither library has usable type hints

TIMEOUT = 20_000  # milliseconds of z3; what it has not decided then is not decided


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
        is_zero, witness = _is_zero(sp.sympify(left) - sp.sympify(right))
        if witness is not None:
            return Outcome(False, "refuted with witness", f"{left} and {right} differ", witness)
        if not is_zero:
            return Outcome(False, "undecided", f"not decided whether {left} = {right}")
    count = "1 identity" if len(pairs) == 1 else f"{len(pairs)} identities"
    written = as_written.pairs(sys._getframe(1))
    return Outcome(
        True,
        "proved (symbolic)",
        f"{count}, for all values of the symbols (sympy)",
        shows=written or "; ".join(f"{left} = {right}" for left, right in pairs),
    )


@cache  # wrong versions of a statement share most of its steps
def _is_zero(difference: Expression) -> tuple[bool, Mapping[str, Any] | None]:
    """Return whether a difference was found to be 0, and values where it is not."""
    worked_out = _worked_out(difference)
    if sp.cancel(sp.together(worked_out)) == 0:
        return True, None
    witness = _where_not_zero(difference)
    return witness is None and bool(sp.simplify(worked_out) == 0), witness


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


@cache  # of z3's terms, which are equal if they are built alike
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
    if _solve(*given)[0] != "sat":
        raise ValueError("the hypotheses contradict each other, or z3 cannot show a point of them")
    answer, witness = _solve(*given, z3.Not(claim))
    if answer == "unsat":
        decided = premises.Decided.of(claim, given)
        detail = "no real counterexample exists (z3)"
        return Outcome(True, "proved (symbolic)", detail, shows=decided.shows, decided=decided)
    if answer == "sat":
        return Outcome(False, "refuted with witness", "z3 found a counterexample", witness)
    return Outcome(False, "undecided", "z3 does not decide it")


def _solve(*constraints: Expression) -> tuple[str, Mapping[str, Any]]:
    solver = z3.SolverFor("QF_NRA")
    solver.set("timeout", TIMEOUT)
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
