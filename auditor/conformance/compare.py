"""Comparison of an answer with what was expected, field by field."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Difference:
    """The first place where two values differ.

    Attributes
    ----------
    where : str
        ``"steps[3].value[0]"``.
    expected, found : object
    excess : float
        |expected - found| over what the tolerance allows; infinite where they are not numbers.
    """

    where: str
    expected: Any
    found: Any
    excess: float = math.inf

    def __str__(self) -> str:
        by = f" ({self.excess:.2g} times what is allowed)" if math.isfinite(self.excess) else ""
        return f"{self.where}: expected {self.expected!r}, got {self.found!r}{by}"


_SMALL = 2.0**-40


def difference(
    expected: Any, found: Any, *, tolerance: float, where: str = "result"
) -> Difference | None:
    """Return the first difference, or None.

    Numbers may differ by ``tolerance`` times the largest number of their field, which is the array
    or number under one key; everything else must be equal. What ``found`` says beyond what is
    expected is ignored.
    """
    return next(_differences(expected, found, tolerance, where, _size(expected)), None)


def deviation(expected: Any, found: Any, *, tolerance: float) -> float:
    """Return the largest difference over what the tolerance allows; infinite if no number fits."""
    gaps = _differences(expected, found, _SMALL * tolerance, "", _size(expected))
    return max((_SMALL * gap.excess for gap in gaps), default=0.0)


def _differences(
    expected: Any, found: Any, tolerance: float, where: str, size: float
) -> Iterator[Difference]:
    if isinstance(expected, Mapping):
        if not isinstance(found, Mapping):
            yield Difference(where, expected, found)
            return
        for key, item in expected.items():
            if key not in found:
                yield Difference(f"{where}.{key}", item, None)
            else:
                yield from _differences(item, found[key], tolerance, f"{where}.{key}", _size(item))
    elif isinstance(expected, Sequence) and not isinstance(expected, str):
        if not isinstance(found, Sequence) or isinstance(found, str) or len(found) != len(expected):
            yield Difference(where, expected, found)
            return
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from _differences(one, other, tolerance, f"{where}[{index}]", size)
    elif _is_number(expected) and _is_number(found):
        gap, allowed = abs(expected - found), tolerance * size
        if not gap <= allowed:
            excess = gap / allowed if allowed > 0 else math.inf
            yield Difference(where, expected, found, excess)
    elif expected != found or isinstance(expected, bool) != isinstance(found, bool):
        yield Difference(where, expected, found)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _size(value: Any) -> float:
    """Return the largest finite size of the numbers of a field."""
    if _is_number(value):
        return abs(value) if math.isfinite(value) else 0.0
    if isinstance(value, Sequence) and not isinstance(value, str):
        return max((_size(item) for item in value), default=0.0)
    return 0.0
