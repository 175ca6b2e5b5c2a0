"""Inequalities on whole boxes by ball arithmetic, see :mod:`proofs_checks.balls`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from proofs_checks.balls import Ball, End, ball, lower, sqrt, upper
from proofs_checks.outcome import PROVED, Outcome

Sides = tuple[tuple[Ball, Ball], ...]


@dataclass(frozen=True)
class Subdivision:
    """Result of halving a box.

    Attributes
    ----------
    verdict : {"proved", "refuted", "undecided"}
    boxes, depth : int
        Sub-boxes examined, largest number of halvings.
    where : tuple of (float, float)
        For ``"refuted"`` a sub-box, or a point, on all of which f < 0; for ``"undecided"`` one on
        which the limits were reached.
    """

    verdict: Literal["proved", "refuted", "undecided"]
    boxes: int
    depth: int
    where: tuple[tuple[float, float], ...] = ()


def nonnegative(
    function: Callable[..., Ball],
    box: Mapping[str, tuple[End, End]],
    *,
    whole: bool = False,
    rest: Outcome | None = None,
    gradient: Callable[..., Sequence[Ball]] | None = None,
    max_depth: int = 40,
    max_boxes: int = 50_000,
) -> Outcome:
    """Decide f >= 0 on a closed box.

    Parameters
    ----------
    function : callable
        Takes one ball per side, by position, and returns a ball that contains every value of f.
    box : mapping of name to (low, high)
        Decimal strings are enclosed, floats are exact.
    whole : bool
        The box is the whole domain of the statement, as its formula says it.
    rest : Outcome, optional
        Proof of the claim for the part of the domain outside the box. Without ``whole`` or a
        proved ``rest`` the outcome is "checked on a box", not "proved".
    gradient : callable, optional
        Returns enclosures of the partial derivatives. Proves f >= 0 with equality at a corner:
        where a derivative has one sign, only the end where f is smallest is evaluated.
    max_depth, max_boxes : int
        Limits; an undecided outcome does not hold.
    """
    found = subdivide(function, tuple(box.values()), max_depth, gradient, max_boxes)
    where = " x ".join(f"{name} in [{low}, {high}]" for name, (low, high) in box.items())
    if found.verdict == "refuted":
        witness = {name: list(side) for name, side in zip(box, found.where, strict=True)}
        return Outcome(False, "refuted with witness", "f < 0 on all of the witness", witness)
    if found.verdict == "undecided":
        near = " x ".join(f"[{low:.6g}, {high:.6g}]" for low, high in found.where)
        return Outcome(False, "undecided", f"after {found.boxes} boxes: sign open on {near}")
    if rest is not None and not rest.holds:
        return rest
    detail = f"{where}: {found.boxes} boxes, {found.depth} halvings deep"
    shows = f"f >= 0 on {where}, f being {_source(function)}"
    if whole or (rest is not None and rest.level in PROVED):
        outside = "" if rest is None else f"; outside: {rest.detail}"
        return Outcome(True, "proved (interval)", detail + outside, shows=shows)
    return Outcome(True, "checked on a box (interval)", detail, shows=shows)


def _source(function: Callable[..., Ball]) -> str:
    """Return the text of a function on one line, or its name where there is no text."""
    if isinstance(function, partial):
        given = [repr(value) for value in function.args]
        given += [f"{name}={value!r}" for name, value in function.keywords.items()]
        return f"{_source(function.func)} with {', '.join(given)}"
    try:
        return " ".join(inspect.getsource(function).split())
    except (OSError, TypeError):
        return getattr(function, "__qualname__", type(function).__name__)


def less(left: Ball, right: Ball) -> Outcome:
    """Decide left < right for two numbers that balls enclose."""
    detail = f"{left.str(8)} < {right.str(8)}"
    if left < right:
        return Outcome(True, "proved (interval)", detail, shows=detail)
    if left >= right:
        witness = {"left": float(left.mid()), "right": float(right.mid())}
        return Outcome(False, "refuted with witness", f"not {detail}", witness)
    return Outcome(False, "undecided", f"the balls overlap: {detail}")


def subdivide(
    function: Callable[..., Ball],
    box: Sequence[tuple[End, End]],
    max_depth: int = 40,
    gradient: Callable[..., Sequence[Ball]] | None = None,
    max_boxes: int = 50_000,
) -> Subdivision:
    """Halve a box until f >= 0 is certain on every piece, or f < 0 somewhere."""
    if not box:
        raise ValueError("box must have at least one side")
    sides: Sides = tuple((lower(ball(low)), upper(ball(high))) for low, high in box)
    stack = [(sides, 0)]
    examined = deepest = 0
    while stack:
        current, depth = stack.pop()
        examined += 1
        deepest = max(deepest, depth)
        arguments = [low.union(high) for low, high in current]
        value = function(*arguments)
        if value >= 0 or _smallest(function, gradient, current, arguments) >= 0:
            continue
        if value < 0:
            return Subdivision("refuted", examined, deepest, _floats(current))
        centre = tuple(((low + high) / 2).mid() for low, high in current)
        if function(*centre) < 0:
            where = tuple((float(point), float(point)) for point in centre)
            return Subdivision("refuted", examined, deepest, where)
        if depth >= max_depth or examined >= max_boxes:
            return Subdivision("undecided", examined, deepest, _floats(current))
        stack.extend((half, depth + 1) for half in _halves(current))
    return Subdivision("proved", examined, deepest)


def _smallest(
    function: Callable[..., Ball],
    gradient: Callable[..., Sequence[Ball]] | None,
    sides: Sides,
    arguments: Sequence[Ball],
) -> Any:
    """Enclose f from below by its derivatives: at the smaller end, or around the centre."""
    if gradient is None:
        return -math.inf
    base, correction = [], ball(0)
    for (low, high), argument, slope in zip(sides, arguments, gradient(*arguments), strict=True):
        if slope >= 0:
            base.append(low)
        elif slope <= 0:
            base.append(high)
        else:
            centre = ((low + high) / 2).mid()
            base.append(centre)
            correction += slope * (argument - centre)
    return function(*base) + correction


def _halves(sides: Sides) -> Iterator[Sides]:
    """Halve the side that is widest relative to its distance from zero."""
    ends = _floats(sides)
    widths = [(high - low) / (1 + min(abs(low), abs(high))) for low, high in ends]
    # a positive side over several orders of magnitude counts by its ratio
    for index, (low, high) in enumerate(ends):
        if low > 0 and high > 4 * low:
            widths[index] = max(widths[index], math.log(high / low))
    widest = widths.index(max(widths))
    low, high = sides[widest]
    wide = low > 0 and high > 4 * low
    middle = (sqrt(low * high) if wide else (low + high) / 2).mid()
    for half in ((low, middle), (middle, high)):
        yield (*sides[:widest], half, *sides[widest + 1 :])


def _floats(sides: Sides) -> tuple[tuple[float, float], ...]:
    return tuple((float(low), float(high)) for low, high in sides)
