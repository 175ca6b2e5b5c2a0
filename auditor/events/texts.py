"""Numbers in texts and bytes: read where the texts hardly ever recur, and say little as such."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from auditor.runs.plain_data import MOST_ENTRIES, Token

_NUMBER = re.compile(
    r"[-+]?0x[0-9a-f]+(?:\.[0-9a-f]*)?p[-+]?\d+"  # as float.hex writes it
    r"|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?",
    re.IGNORECASE,
)
_DIGITS = 15
"""Whole numbers of more digits, and strings of bits, are read digit by digit."""
_PLAUSIBLE = {"f8": (1e-30, 1e30), "i8": (0, 2**48), "f4": (1e-6, 1e6), "i4": (0, 2**24)}
"""Sizes of numbers that bytes may be, by type, the likeliest first."""
AS_IT_IS = ("text", "pattern")
"""Parts of an opened text that are not opened again."""


def is_text(value: Any) -> bool:
    """Return whether a value is a text, bytes, or a token that stands for one."""
    return type(value) in (str, bytes) or (type(value) is Token and not value.kind)


def has_numbers(value: Any) -> bool:
    """Return whether a text has a digit to read; bytes always have."""
    return type(value) is bytes or bool(_NUMBER.search(value if type(value) is str else value.text))


def seldom_recur(values: Sequence[Any], among: int) -> list[Any]:
    """Return the values that came once if most of the different ones did, and 1% of all or more."""
    counts = Counter(values)
    once = [value for value, count in counts.items() if count == 1]
    return once if 2 * len(once) >= len(counts) and 100 * len(once) >= among else []


def opened_text(value: Any) -> Any:
    """Return a text or bytes as numbers and what is around them; anything else as it is.

    The ``pattern`` is the value itself where no number could be read.
    """
    if not is_text(value):
        return value
    if type(value) is bytes:
        printable = len(value) > 8 and value.isascii() and value.decode("ascii").isprintable()
        if not printable:
            return _opened_bytes(value)
        text = value.decode("ascii")
    else:
        text = value.text if type(value) is Token else value
    numbers = [number for word in _NUMBER.findall(text) for number in _numbers_of(word)]
    pattern = _NUMBER.sub("#", text)
    return {"text": text, "length": len(text), "pattern": pattern, "numbers": tuple(numbers)}


def _numbers_of(word: str) -> list[float]:
    if "x" in word.lower():
        return [float.fromhex(word)]
    if word.isdigit() and (len(word) > _DIGITS or (len(word) > 1 and set(word) <= {"0", "1"})):
        return [float(digit) for digit in word]
    return [float(word)]


def _opened_bytes(value: bytes) -> dict[str, Any]:
    numbers = numbers_in_bytes(value)
    return {
        "text": value,
        "length": len(value),
        "pattern": value if numbers is None else b"",
        "numbers": tuple(numbers or ()),
        "bytes": tuple(value[: MOST_ENTRIES // 4]),
    }


def numbers_in_bytes(value: bytes) -> list[float] | None:
    """Return the numbers that bytes plausibly are; None if they are plausible as none."""
    if len(value) <= 8:  # one whole number, or a double
        whole = [float(int.from_bytes(value, order)) for order in ("little", "big")]
        floats = [np.frombuffer(value, order) for order in ("<f8", ">f8") if len(value) == 8]
        return [*whole, *(float(one[0]) for one in floats)]
    for kind, (smallest, largest) in _PLAUSIBLE.items():
        for order in "<>":
            if len(value) % int(kind[1]) == 0:
                with np.errstate(invalid="ignore"):  # they may be no numbers
                    numbers = np.frombuffer(value, order + kind).astype(np.float64)
                size = np.abs(numbers[numbers != 0])
                if ((size >= smallest) & (size <= largest)).all():
                    found: list[float] = numbers.tolist()
                    return found
    return None
