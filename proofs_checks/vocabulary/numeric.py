"""Claims at points: in rational arithmetic, at high precision, and the worst that was found."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, Literal

from mpmath import mp

from proofs_checks.outcome import Outcome

Relation = Literal["<=", "="]
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {"<=": operator.le, "=": operator.eq}


def exactly(
    cases: Iterable[tuple[Mapping[str, Any], Fraction | int, Fraction | int]],
    relation: Relation = "<=",
    note: str = "",
) -> Outcome:
    """Check left <= right (or =) at points in rational arithmetic.

    Parameters
    ----------
    cases : iterable of (point, left, right)
        ``point`` names the parameters and becomes the witness where the relation fails.
    relation : {"<=", "="}
    note : str
        What the points are, for the detail.

    Raises
    ------
    TypeError
        If a value is not rational: a float would not be exact.
    ValueError
        If there are no cases.
    """
    count, tightest = 0, Fraction(0)
    for point, left, right in cases:
        for value in (left, right):
            if isinstance(value, bool) or not isinstance(value, Fraction | int):
                raise TypeError(f"an exact check compares rationals, got {type(value).__name__}")
        if not _COMPARE[relation](left, right):
            return _failed(point, float(left), float(right), relation)
        count += 1
        if right > 0:
            tightest = max(tightest, Fraction(left) / right)
    if count == 0:
        raise ValueError("no point was checked")
    parts = [note, f"left/right at most {float(tightest):.6g}" if relation == "<=" else ""]
    return Outcome(True, "checked exactly", "; ".join(filter(None, parts)) or "exact", points=count)


def precisely(
    cases: Callable[[], Iterable[tuple[Mapping[str, Any], Any, Any]]],
    relation: Relation = "<=",
    *,
    digits: int = 50,
    tolerance: str = "0",
    note: str = "",
) -> Outcome:
    """Check left <= right (1 + tolerance), or |left - right| <= tolerance |right|, with mpmath.

    Parameters
    ----------
    cases : callable
        Called at the working precision; yields (point, left, right).
    digits : int, default 50
    tolerance : str
        Relative; must be far above 10^-digits. For ``"="`` it is required.
    note : str
    """
    count, tightest = 0, mp.mpf(0)
    with mp.workdps(digits):
        slack = mp.mpf(tolerance)
        if relation == "=" and not slack > mp.mpf(10) ** (5 - digits):
            raise ValueError("an equality needs a tolerance above the working precision")
        for point, left, right in cases():
            left, right = mp.mpf(left), mp.mpf(right)
            gap = left - right if relation == "<=" else abs(left - right)
            # nan fails: the comparison must be true
            if not gap <= slack * abs(right):
                return _failed(point, float(left), float(right), relation)
            count += 1
            if relation == "=":
                tightest = max(tightest, gap / abs(right) if right else gap)
            elif right > 0:
                tightest = max(tightest, left / right)
    if count == 0:
        raise ValueError("no point was checked")
    figure = "relative difference" if relation == "=" else "left/right"
    parts = [note, f"{figure} at most {mp.nstr(tightest, 6)} ({digits} digits)"]
    detail = "; ".join(filter(None, parts))
    return Outcome(True, "checked at high precision", detail, points=count)


def searched(
    worst: float, bound: float, *, tried: int, what: str, witness: Mapping[str, Any] | None = None
) -> Outcome:
    """Compare the largest value that a search found with its bound.

    Parameters
    ----------
    worst, bound : float
        Holds if ``worst <= bound``; a rounding allowance belongs into ``bound``, where it is read.
    tried : int
        Number of instances, starts or trials of the search.
    what : str
        What was maximised over what.
    witness : mapping, optional
        Where the largest value was found.
    """
    if tried < 1:
        raise ValueError("a search must try something")
    detail = f"{what}: {tried} tried, at most {worst:.6g} against {bound:.6g}"
    if worst <= bound:
        return Outcome(True, "checked by search", detail)
    return _failed(witness or {"search": what}, worst, bound, "<=")


def refuted(point: Mapping[str, Any], left: Any, right: Any, note: str = "") -> Outcome:
    """Show that left <= right is false at a point: a counterexample to the printed statement.

    Parameters
    ----------
    point : mapping
        The witness.
    left, right : int, Fraction, float, mpmath number or ball
        Balls must be apart; floats must differ by more than rounding (a part in 10^9).
    note : str
        What was compared.
    """
    detail = f"{note}: " if note else ""
    detail += f"{_short(left)} is not at most {_short(right)}"
    witness = {**point, "left": float(left), "right": float(right)}
    if isinstance(left, float) or isinstance(right, float):
        clear = float(left) > float(right) and not math.isclose(float(left), float(right))
    else:
        clear = bool(left > right)
    if clear:
        return Outcome(False, "refuted with witness", detail, witness)
    if bool(left <= right):
        return Outcome(
            True, "checked at high precision", "the witness does not refute it", points=1
        )
    return Outcome(False, "undecided", f"not clear whether {detail}")


def _failed(point: Mapping[str, Any], left: float, right: float, relation: str) -> Outcome:
    witness = {**point, "left": left, "right": right}
    detail = f"{left:.6g} {relation} {right:.6g} fails"
    return Outcome(False, "refuted with witness", detail, witness)


def _short(value: Any) -> str:
    return f"{float(value):.6g}"
