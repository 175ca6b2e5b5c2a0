"""Vectors of numbers: a consumer's own reading of decimals, to be tested before all else."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any

from auditor.conformance.kinds import Case, Kind, as_read, identifier

NUMBERS: dict[str, float] = {
    "a-tenth": 0.1,
    "one-and-an-ulp": 1.0000000000000002,
    "negative-zero": -0.0,
    "smallest": 5e-324,
    "smallest-normal": 2.2250738585072014e-308,
    "just-below-normal": 2.225073858507201e-308,
    "largest": 1.7976931348623157e308,
    "two-to-the-53-and-one-more": 9007199254740993.0,
    "halfway": 8.41e21,
    "long": 123456789.12345679,
    "tiny": 1e-300,
    "third": 1 / 3,
}
"""Numbers that a careless parser gets wrong: rounding, subnormals, signed zero, exponents."""


def cases(of: str) -> Iterator[Case]:
    """Yield the numbers."""
    for name, number in NUMBERS.items():
        yield as_read(
            {
                "id": identifier("numbers", of, name, 1),
                "kind": "numbers",
                "of": of,
                "about": "The decimal must be read as the double with these 64 bits.",
                "tolerance": {"relative": 0.0, "because": "a decimal stands for one double"},
                "inputs": {"number": number},
                "result": bits(number),
                "catches": [{"twin": "numbers are read in single precision", "flag": "precision"}],
            }
        )


def bits(number: float) -> str:
    """Return the 64 bits of a double as 16 hexadecimal digits, the sign first."""
    return struct.pack(">d", number).hex()


def answer(case: Case) -> Mapping[str, Any]:
    """Return the bits of the number that Python reads."""
    return {"result": bits(float(case["inputs"]["number"]))}


KIND = Kind(
    "numbers",
    "the double that a decimal stands for, bit by bit",
    lambda: ("doubles",),
    cases,
    answer,
)
