"""Decisions about uniform numbers of which few digits are known: all sequences of digits."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from reference.privacy.exact import noise
from reference.privacy.exact.choices import _located
from reference.privacy.exact.intervals import Interval
from reference.privacy.exact.lazy import Uniform, agreed, nearest, negative, settle
from reference.privacy.exact.sources import KnownBytes, RandomBits

SIZE = 3
"""Digits of a word here: every sequence of few words can be tried."""


class NoDigitsLeft(Exception):
    """The digits of a sequence do not decide."""


def masses(decide: Callable[[Callable[[], int]], Hashable], words: int) -> tuple[Any, float]:
    """Return the share of all sequences that decide for each outcome, and of those undecided.

    Parameters
    ----------
    decide : callable
        ``decide(draw)`` returns an outcome, from words that ``draw()`` returns.
    words : int
        Length of the sequences.
    """
    shares: dict[Hashable, float] = defaultdict(float)
    undecided, stack = 0.0, [()]
    while stack:
        prefix: tuple[int, ...] = stack.pop()
        digits = iter(prefix)

        def draw(digits: Any = digits) -> int:
            for word in digits:
                return int(word)
            raise NoDigitsLeft

        share = 2.0 ** (-SIZE * len(prefix))
        try:
            shares[decide(draw)] += share
        except NoDigitsLeft:
            if len(prefix) == words:
                undecided += share
            else:
                stack += [(*prefix, word) for word in range(2**SIZE)]
    return shares, undecided


def require_law(shares: Any, undecided: float, law: Callable[[Any], float], most: float) -> None:
    """Raise unless the undecided share is small, and makes up all that a probability lacks."""
    assert undecided < most
    assert math.isclose(sum(shares.values()) + undecided, 1.0)
    for outcome, share in shares.items():
        assert share <= law(outcome) + 1e-12
        assert law(outcome) <= share + undecided + 1e-12


def _known(kind: type[noise.Draws], sign: float, uniforms: Sequence[Uniform]) -> Any:
    """Return one number whose uniform numbers are given."""
    draws: Any = kind(RandomBits(KnownBytes(0)), 1)
    draws.signs[:] = sign
    draws._known = {(k, 0): uniform for k, uniform in enumerate(uniforms)}
    return draws


@pytest.mark.parametrize("shift", [Fraction(0), Fraction(1, 2), Fraction(-3, 10)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_rounded_laplace_number_has_the_law_of_rounded_real_ones(
    sign: float, shift: Fraction
) -> None:
    size = Fraction(3, 2)

    def decide(draw: Callable[[], int]) -> int:
        draws = _known(noise.Laplaces, sign, [Uniform(draw, size=SIZE)])
        return noise._settled_sum(0, shift, size, draws)

    half = stats.expon(scale=float(size))

    def law(k: int) -> float:
        ends = sorted(sign * (k + e - float(shift)) for e in (-0.5, 0.5))
        return float(half.cdf(ends[1]) - half.cdf(ends[0]))

    require_law(*masses(decide, 5), law, 2e-3)


@pytest.mark.parametrize(("words", "most"), [(4, 0.4), (6, 0.1)])
def test_a_rounded_normal_number_has_the_law_of_rounded_real_ones(words: int, most: float) -> None:
    shift, size = Fraction(1, 5), Fraction(2)

    def decide(draw: Callable[[], int]) -> int:
        uniforms = [Uniform(draw, size=SIZE), Uniform(draw, size=SIZE)]
        return noise._settled_sum(0, shift, size, _known(noise.Normals, 1.0, uniforms))

    half = stats.halfnorm(scale=2)

    def law(k: int) -> float:
        return float(half.cdf(k + 0.5 - 0.2) - half.cdf(k - 0.5 - 0.2))

    require_law(*masses(decide, words), law, most)


def test_a_coin_has_its_probability() -> None:
    def decide(draw: Callable[[], int]) -> bool:
        uniform = Uniform(draw, size=SIZE)

        def attempt(bits: int) -> bool | None:
            return agreed(uniform.interval(bits).log() + Interval.of(0.7, bits), negative)

        return settle([uniform], attempt)

    require_law(*masses(decide, 6), {True: math.exp(-0.7), False: -math.expm1(-0.7)}.get, 1e-4)  # type: ignore[arg-type]


def test_a_selection_has_its_probabilities() -> None:
    weights = [1.0, 0.3, 0.0, 2.1]

    def decide(draw: Callable[[], int]) -> int:
        uniform = Uniform(draw, size=SIZE)

        def attempt(bits: int) -> int | None:
            return _located(uniform.interval(bits), [Interval.of(w, bits) for w in weights])

        return settle([uniform], attempt)

    require_law(*masses(decide, 6), lambda j: weights[j] / 3.4, 1e-4)


@pytest.mark.parametrize("broken", ["the last digit dropped", "a word used twice", "one cell on"])
def test_the_exhaustive_test_sees_a_wrong_cell(broken: str, monkeypatch: Any) -> None:
    usual = Uniform.refine

    def refine(self: Uniform) -> None:
        usual(self)
        if broken == "the last digit dropped":
            self.digits &= ~1
        elif broken == "one cell on":
            self.digits = min(self.digits + 1, 2**self.length - 1)
        else:
            self.digits = self.digits << SIZE | self.digits & (2**SIZE - 1)
            self.length += SIZE

    monkeypatch.setattr(Uniform, "refine", refine)
    with pytest.raises(AssertionError):
        test_a_coin_has_its_probability()


def test_steps_are_where_they_are_said_to_be() -> None:
    assert [negative(number, 3) for number in (-1, 0, 1)] == [True, False, False]
    assert [nearest(number, 3) for number in (-5, -4, 3, 4, 11, 12)] == [-1, 0, 0, 1, 1, 2]
    assert nearest(7, 0) == 7
    assert agreed(Interval(-2, -1, 3), negative) is True
    assert agreed(Interval(-1, 0, 3), negative) is None
    assert agreed(Interval(4, 11, 3), nearest) == 1
    assert agreed(Interval(3, 11, 3), nearest) is None


def test_digits_that_may_be_zero_are_refined_before_a_logarithm() -> None:
    words = itertools.chain([0, 0, 5], itertools.repeat(1))
    uniform = Uniform(lambda: next(words), size=SIZE)
    settle([uniform], lambda bits: uniform.interval(bits).log())
    assert uniform.length == 3 * SIZE


@pytest.mark.parametrize("kind", [noise.Laplaces, noise.Normals])
def test_doubles_with_a_margin_decide_as_all_digits_do(kind: Any, monkeypatch: Any) -> None:
    value, scale = np.linspace(-3, 3, 1500), 0.7
    one = noise.rounded_sums(value, scale, kind(RandomBits(KnownBytes(5)), value.size))
    draws = kind(RandomBits(KnownBytes(5)), value.size)
    draws.margins = np.full(value.size, np.inf)
    calls = []
    monkeypatch.setattr(noise, "settle", lambda *given: calls.append(1) or settle(*given))
    assert (noise.rounded_sums(value, scale, draws) == one).all()
    assert len(calls) == value.size


class NextToOne(KnownBytes):
    """Words that begin like numbers next to 1: as doubles some are 1, with the logarithm 0."""

    def take(self, count: int) -> bytes:
        words = np.frombuffer(super().take(count), dtype=np.uint64).copy()
        if self._calls == 1:  # of Laplace numbers, and of the radii of normal ones
            words = (words & np.uint64(1 << 63)) | (np.uint64(2**63 - 1) - words % np.uint64(2**11))
        return words.tobytes()


@pytest.mark.parametrize("kind", [noise.Laplaces, noise.Normals])
def test_words_whose_doubles_are_one_are_rounded_as_all_digits_are(kind: Any) -> None:
    value, scale = np.zeros(400), 1.4
    one = noise.rounded_sums(value, scale, kind(RandomBits(NextToOne(7)), value.size))
    draws = kind(RandomBits(NextToOne(7)), value.size)
    assert (draws.values == 0).any()
    draws.margins = np.full(value.size, np.inf)
    assert (noise.rounded_sums(value, scale, draws) == one).all()


@pytest.mark.parametrize("sinh", [False, True])
def test_doubles_decide_significant_bits_as_all_digits_do(sinh: bool) -> None:
    value, scale = np.concatenate([np.linspace(-3, 3, 400), np.zeros(100)]), Fraction(1, 3)
    drawn = [noise.Normals(RandomBits(KnownBytes(6)), value.size) for _ in range(2)]
    drawn[1].margins = np.full(value.size, np.inf)
    one, two = (noise.significant_sums(value, scale, draws, sinh=sinh) for draws in drawn)
    assert (one == two).all()
    mantissa = np.frexp(one)[0] * 2.0**noise.SIGNIFICANT
    assert (mantissa == np.rint(mantissa)).all()
