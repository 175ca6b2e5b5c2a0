"""Numbers, evidence and witnesses as the report shows them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

LONGEST_WITNESS = 2000
LONGEST_LIST = 12


def figure(value: Any) -> str:
    """Return a number with four significant digits, infinity as a symbol, near 1 the gap to 1."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    short = f"{number:.4g}"
    if short == "1" and number != 1:  # a confidence of 1 - 1e-6 is not certainty
        return f"1 {'+' if number > 1 else '−'} {abs(number - 1):.2g}"
    return short


def scalars(evidence: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Return the single figures and short lists of a verdict's evidence, nested names joined."""
    rows: list[tuple[str, str]] = []
    for name, value in evidence.items():
        label = f"{prefix}{name}".replace("_", " ")
        if isinstance(value, Mapping):
            rows.extend(scalars(value, f"{label}: "))
        elif isinstance(value, (list, tuple)):
            flat = all(not isinstance(item, (list, tuple, Mapping)) for item in value)
            if flat and 0 < len(value) <= LONGEST_LIST:
                rows.append((label, ", ".join(figure(item) for item in value)))
        elif value is not None:
            rows.append((label, figure(value)))
    return rows


def pretty(value: Any) -> str:
    """Return JSON text, cut if it is long (the results file has it whole)."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    # a list of numbers belongs on one line
    text = re.sub(
        r"\[\n *([^][{}]*?)\n *\]", lambda m: "[" + re.sub(r"\n *", " ", m[1]) + "]", text
    )
    if len(text) > LONGEST_WITNESS:
        return text[:LONGEST_WITNESS] + "\n... (the rest is in the results file)"
    return text


def number_of(value: Any) -> float | None:
    """Return a figure of the evidence, in which infinities and NaN are words; None for others."""
    words = ("infinity", "-infinity", "nan")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number or value in words else None
