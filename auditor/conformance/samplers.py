"""Vectors of samplers: bytes in, draws out, with the number of bytes that were used."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from auditor.conformance.functions import Function, Sample, kind_of
from reference.privacy.exact import choices, specification
from reference.privacy.exact.noise import Laplaces, Normals, rounded_sums
from reference.privacy.exact.sources import ByteSource, RandomBits

EXACT: dict[str, Any] = {"tolerance": 0.0, "because": "every decision is exact"}
SPARE = 16
"""Bytes of a case beyond those that its draw takes, so that who takes more is noticed."""


class GivenBytes:
    """Known bytes, one after the other.

    Parameters
    ----------
    given : bytes
    """

    def __init__(self, given: bytes) -> None:
        self._given, self.used = given, 0

    def take(self, count: int) -> bytes:
        """Return the next ``count`` bytes.

        Raises
        ------
        ValueError
            If there are not as many.
        """
        taken = self._given[self.used : self.used + count]
        if len(taken) < count:
            raise ValueError(f"{count} bytes are asked for and {len(taken)} are left")
        self.used += count
        return taken

    def spawn(self, count: int) -> list[ByteSource]:
        """Refuse: a case has one stream of bytes."""
        raise ValueError(f"{count} streams are asked for: a case has one")


FromBits = Callable[..., Any]


def _drawing(sampler: FromBits) -> Callable[..., dict[str, Any]]:
    """Return what a sampler makes of bytes, written in hexadecimal, and how many it used."""

    def draw(*, bytes: str, **arguments: Any) -> dict[str, Any]:
        source = GivenBytes(_from_hex(bytes))
        drawn = sampler(RandomBits(source), **arguments)
        return {"drawn": drawn, "used": source.used}

    return draw


def _from_hex(text: str) -> bytes:
    return bytes.fromhex(text)


def _fraction(sampler: FromBits) -> FromBits:
    """Return a sampler of a fraction as one of its numerator and denominator."""
    return lambda bits, numerator, denominator: sampler(bits, Fraction(numerator, denominator))


def _laplace(bits: RandomBits, value: Any, scale: float) -> Any:
    return rounded_sums(value, scale, Laplaces(bits, value.size))


def _gaussian(bits: RandomBits, value: Any, scale: float) -> Any:
    return rounded_sums(value, scale, Normals(bits, value.size))


SAMPLERS: Mapping[str, FromBits] = {
    "below": lambda bits, bound: bits.below(bound),
    "integers": lambda bits, bound, size: bits.integers(bound, size),
    "bernoulli": _fraction(specification.bernoulli),
    "bernoulli-exp": _fraction(specification.bernoulli_exp),
    "geometric": lambda bits, scale: specification.geometric(bits, scale),
    "discrete-laplace": lambda bits, scale: specification.discrete_laplace(bits, scale),
    "discrete-gaussian": lambda bits, scale: specification.discrete_gaussian(bits, scale),
    "laplace": _laplace,
    "gaussian": _gaussian,
    "coins": lambda bits, chances: choices.given_coins(bits, chances),
    "truths": choices.truths,
    "selections": lambda bits, scores, rate: choices.select_by_rows(bits, scores, rate),
    "point": choices.select_point,
}
"""Samplers by the names of their files."""


def _sample(
    of: str, name: str, about: str, arguments: Mapping[str, Any], first: str = "", stream: int = 0
) -> Sample:
    """Return a case whose bytes begin as given; the others follow from its name and a number."""
    given = _from_hex(first + _stream(f"{of}/{name}/{stream}"))
    source = GivenBytes(given)
    SAMPLERS[of](RandomBits(source), **arguments)
    kept = given[: source.used + SPARE].hex()
    return Sample(name, about, {**arguments, "bytes": kept})


def _stream(name: str) -> str:
    """Return known bytes in hexadecimal; the names below were searched for what they show."""
    return hashlib.shake_128(name.encode()).digest(1 << 12).hex()


def _whole(of: str) -> list[Sample]:
    """Return cases of integers, coins with rational chances, and discrete noise."""
    about = "Plain integers and fractions, of Canonne, Kamath and Steinke (2020)."
    scales = {"scale-1": 1, "scale-3": 3, "scale-40": 40}
    return [_sample(of, name, about, {"scale": scale}) for name, scale in scales.items()]


def _chances(of: str, fractions: Mapping[str, tuple[int, int]]) -> list[Sample]:
    about = "A coin whose chance is a fraction, or the exponential of one."
    return [
        _sample(of, name, about, {"numerator": numerator, "denominator": denominator})
        for name, (numerator, denominator) in fractions.items()
    ]


NEXT_TO_A_STEP = (
    "The sum is so near to the middle of two multiples of the grid that doubles round it the wrong "
    "way: the logarithm needs further digits."
)
MAY_BE_ZERO = "All digits of the first word are 0, so that the next word is needed before log U."

PAIRED = "Normal numbers come in pairs: the words of all radii first, then those of all angles."
HALF, BELOW_HALF = "0000000000000080", "ffffffffffffff7f"


def _noise(of: str, words: int, near: tuple[str, Any], other: tuple[str, Any]) -> list[Sample]:
    """Return cases of rounded sums with noise."""

    def case(name: str, about: str, value: Any, scale: float = 1.0, first: str = "") -> Sample:
        return _sample(of, name, about, {"value": np.array(value), "scale": scale}, first)

    values = np.array([0.25, -1.5, 1e9, 0.0, 3.0])
    return [
        case("one", "One number.", [0.25], 2.0),
        case("five", PAIRED if words > 1 else "A word each.", values, 0.75),
        case("coarse-grid", "The grid is a power of two that the scale alone fixes.", values, 3e20),
        case("tiny-grid", "The grid of a tiny scale.", values * 1e-30, 1e-30),
        case("up", NEXT_TO_A_STEP, near[1], first=near[0]),
        case("down", NEXT_TO_A_STEP, other[1], first=other[0]),
        case("zero", MAY_BE_ZERO, [0.5] * words, first="00" * 8 * words),
    ]


def _below(name: str, bound: int, first: str = "") -> Sample:
    return _sample(
        "below", name, "What is not below the bound is drawn again.", {"bound": bound}, first
    )


def _integers(name: str, about: str, size: int, first: str = "") -> Sample:
    return _sample("integers", name, about, {"bound": 6, "size": size}, first)


def _discrete(of: str, name: str, about: str, scale: int, stream: int) -> Sample:
    return _sample(of, name, about, {"scale": scale}, _stream(f"{of}/{name}/{stream}"))


def _beyond_one(name: str, about: str, stream: str) -> Sample:
    return _sample("bernoulli-exp", name, about, {"numerator": 5, "denominator": 2}, stream)


def _coins(name: str, about: str, chances: list[float], first: str = "") -> Sample:
    return _sample("coins", name, about, {"chances": np.array(chances)}, first)


def _truths(name: str, about: str, arguments: Mapping[str, Any], first: str = "") -> Sample:
    return _sample("truths", name, about, {"epsilon": 1.0, **arguments}, first)


def _selections(name: str, about: str, scores: list[list[float]], first: str = "") -> Sample:
    return _sample("selections", name, about, {"scores": np.array(scores), "rate": 2.0}, first)


def _point(stream: int) -> Sample:
    about = "A piece by rate score and length, then a point on a grid of 2^-52 of the whole length."
    ends = {"starts": np.array([0.0, 0.25, 0.5]), "ends": np.array([0.25, 0.5, 3.0])}
    arguments = {"scores": np.array([0.0, 2.0, 1.0]), **ends, "rate": 1.5}
    return _sample("point", f"pieces-{stream}", about, arguments, stream=stream)


SCORES = [1.0, 2.0, 1.5]
TABLE = {
    "below": [
        *(_below(f"bound-{bound}", bound) for bound in (1, 5, 6, 8, 1000, 2**53 - 1)),
        _below("drawn-again", 5, "f1ae1b"),
    ],
    "integers": [
        _integers("six", "The remainder of a word.", 5),
        _integers(
            "drawn-again",
            "Words beyond the last multiple of the bound are drawn again, after all others.",
            3,
            "ff" * 8,
        ),
        _integers("last-multiple", "The largest word that is kept.", 2, "fbffffffffffffff"),
        _integers("first-beyond", "The smallest one that is drawn again.", 2, "fcffffffffffffff"),
    ],
    "bernoulli": _chances("bernoulli", {"third": (1, 3), "never": (0, 1), "always": (1, 1)}),
    "bernoulli-exp": [
        *_chances("bernoulli-exp", {"none": (0, 1), "third": (1, 3), "one": (1, 1)}),
        _beyond_one("beyond-one", "Beyond 1 every whole unit has a coin of its own.", ""),
        _beyond_one("beyond-one-true", "All coins show heads.", _stream("bernoulli-exp/large/6")),
    ],
    "geometric": _whole("geometric"),
    "discrete-laplace": [
        *_whole("discrete-laplace"),
        _discrete(
            "discrete-laplace",
            "negative-zero",
            "A zero with a minus sign is drawn again, or zero would be twice as likely.",
            3,
            4,
        ),
    ],
    "discrete-gaussian": [
        *_whole("discrete-gaussian"),
        _discrete("discrete-gaussian", "rejected", "The first integer is rejected.", 4, 3),
    ],
    "laplace": _noise(
        "laplace",
        1,
        ("eebfd399979a945e", [-0.30257911005727006]),
        ("cd2443d62985378d", [2.2705357920365796]),
    ),
    "gaussian": _noise(
        "gaussian",
        2,
        ("9c9f79db821d9f63b16a287902ea5178", [-0.06663151876070299, -0.7048857169008214]),
        ("73e0c758ae7e1873b454d128e727bad7", [-0.21868002949693174, 0.4058472073430611]),
    ),
    "coins": [
        _coins("several", "Whether U < p, a word each.", [0.1, 0.5, 0.9, 1e-3, 1.0, 0.0]),
        _coins("equal", "The digits are those of the chance: U is not below it.", [0.5], HALF),
        _coins("just-below", "One unit of the word below the chance.", [0.5], BELOW_HALF),
    ],
    "truths": [
        _truths("two", "Truth has probability 1/(1 + exp(-epsilon)).", {"size": 8}),
        _truths("three", "1/(1 + (k - 1) exp(-epsilon)).", {"size": 8, "categories": 3}),
        _truths("next", "The word is the chance's own.", {"size": 1}, "cae615adaea726bb"),
    ],
    "selections": [
        _selections(
            "rows",
            "A row each, with probabilities proportional to exp(rate score).",
            [SCORES, [0.0, 0.0, -9.0], [5.0, 5.0, 5.0]],
        ),
        _selections("first-step", "The first sum of weights.", [SCORES], "afd92b685f3e0c17"),
        _selections("second-step", "The second sum of weights.", [SCORES], "3761686b947959c1"),
    ],
    "point": [_point(stream) for stream in range(3)],
}

KIND = kind_of(
    "samplers",
    "draws that given bytes make, and how many bytes they take",
    {of: Function(_drawing(SAMPLERS[of]), samples, **EXACT) for of, samples in TABLE.items()},
)
