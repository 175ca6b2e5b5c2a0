"""Interval proofs: what they prove, what they refuse to prove, and the normal enclosures."""

from __future__ import annotations

import doctest
import importlib
from fractions import Fraction

import pytest
from mpmath import iv, mp

from proofs_checks.intervals import (
    hull,
    interval,
    iv_ndtr,
    iv_npdf,
    lower,
    maximum,
    minimum,
    monotone,
    precision,
    prove_nonnegative,
    upper,
)


def test_a_true_inequality_is_proved_on_the_whole_box() -> None:
    proof = prove_nonnegative(lambda x, y: x**2 + y**2 - x * y + interval("1e-3"), [(-1, 1)] * 2)
    assert proof
    assert proof.proved
    assert not proof.refuted
    assert proof.boxes > 1
    assert "proved on" in proof.describe()


def test_a_false_inequality_gives_a_box_on_which_it_is_false() -> None:
    third = interval(Fraction(1, 3))
    proof = prove_nonnegative(lambda x: (x - third) ** 2 - interval("1e-4"), [(0, 1)])
    assert not proof
    assert proof.refuted
    assert proof.counterexample is not None
    ((low, high),) = proof.counterexample
    assert 1 / 3 - 0.01 < low <= high < 1 / 3 + 0.01
    assert "negative on the whole box" in proof.describe()


def test_a_tiny_violation_is_not_overlooked() -> None:
    # negative on an interval of width 2e-6 only: a grid would miss it
    proof = prove_nonnegative(lambda x: (x - interval("0.123456")) ** 2 - 1e-12, [(0, 1)], 60)
    assert proof.refuted


def test_equality_inside_is_undecided_not_proved() -> None:
    proof = prove_nonnegative(lambda x: (x - interval("0.3")) * (x - interval("0.3")), [(0, 1)], 12)
    assert not proof.proved
    assert proof.counterexample is None
    assert proof.unresolved is not None
    assert "undecided" in proof.describe()


def test_the_limit_of_boxes_is_kept() -> None:
    proof = prove_nonnegative(lambda x: x - x, [(0, 1)], 1000, max_boxes=50)
    assert proof.boxes <= 50
    assert proof.unresolved is not None


def test_gradient_proves_equality_at_a_corner() -> None:
    def function(x: object) -> object:
        return iv.exp(x) - 1 - x

    assert not prove_nonnegative(function, [(0, 5)], 15)
    assert prove_nonnegative(function, [(0, 5)], 15, gradient=lambda x: [iv.exp(x) - 1])
    # decreasing towards the other corner
    assert prove_nonnegative(lambda x: 1 - x, [(0, 1)], gradient=lambda x: [iv.mpf(-1)])
    # and does not prove what is false
    wrong = prove_nonnegative(lambda x: x - 1, [(0, 5)], gradient=lambda x: [iv.mpf(1)])
    assert wrong.refuted


def test_mean_value_form_needs_fewer_boxes() -> None:
    def function(x: object) -> object:
        return x * x - 2 * x + interval("1.0001")  # type: ignore[operator]

    plain = prove_nonnegative(function, [(0, 2)])
    sharp = prove_nonnegative(function, [(0, 2)], gradient=lambda x: [2 * x - 2])
    assert plain.proved
    assert sharp.proved
    assert sharp.boxes < plain.boxes / 10


def test_wide_positive_sides_are_halved_geometrically() -> None:
    proof = prove_nonnegative(
        lambda x: 1 - iv.log(x) / x - interval("0.5"), [("1e-30", "1e30")], 60
    )
    assert proof.proved
    assert proof.boxes < 500


def test_ends_are_enclosed_outward() -> None:
    tenth = interval("0.1")
    assert lower(tenth) < upper(tenth)
    with mp.workprec(200):
        assert lower(tenth) < mp.mpf(1) / 10 < upper(tenth)
    third = interval(Fraction(1, 3))
    with mp.workprec(200):
        assert lower(third) < mp.mpf(1) / 3 < upper(third)
    assert lower(interval(0.1)) == upper(interval(0.1)) == 0.1
    both = interval(-1, "0.5")
    assert lower(both) == -1
    assert upper(both) == 0.5


def test_hull_maximum_minimum_and_monotone() -> None:
    x, y = iv.mpf([0, 2]), iv.mpf([-1, 1])
    assert (lower(hull(x, y)), upper(hull(x, y))) == (-1, 2)
    assert (lower(maximum(x, y)), upper(maximum(x, y))) == (0, 2)
    assert (lower(minimum(x, y)), upper(minimum(x, y))) == (-1, 1)
    # x e^-x is decreasing on [1, 2]; the naive enclosure is wider
    tight = monotone(lambda t: t * iv.exp(-t), iv.mpf([1, 2]))
    naive = iv.mpf([1, 2]) * iv.exp(-iv.mpf([1, 2]))
    assert lower(naive) < lower(tight) < upper(tight) < upper(naive)


def test_precision_is_restored_even_after_an_error() -> None:
    before = iv.prec, mp.prec
    with precision(200):
        assert iv.prec == mp.prec == 200
    assert (iv.prec, mp.prec) == before
    with pytest.raises(ZeroDivisionError), precision(200):
        1 / 0  # noqa: B018
    assert (iv.prec, mp.prec) == before


@pytest.mark.parametrize("bits", [53, 150])
@pytest.mark.parametrize(
    "point", [0.0, 1e-300, 0.5, 3.9999, 4.0, 4.5, 8.0, 37.0, 200.0, -1e-9, -2.0, -4.0, -20.0, -1e4]
)
def test_ndtr_contains_the_true_value_and_is_tight(bits: int, point: float) -> None:
    with precision(bits):
        enclosure = iv_ndtr(iv.mpf(point))
        low, high = lower(enclosure), upper(enclosure)
    with mp.workprec(400):
        exact = mp.erfc(-mp.mpf(point) / mp.sqrt(2)) / 2
        assert low <= exact <= high
        assert high - low <= exact * mp.mpf(2) ** (6 - bits)


def test_ndtr_of_an_interval_is_the_range() -> None:
    enclosure = iv_ndtr(iv.mpf([-1, 5]))
    assert lower(enclosure) <= mp.ncdf(-1) <= lower(enclosure) + mp.mpf("1e-12")
    assert upper(enclosure) - mp.mpf("1e-12") <= mp.ncdf(5) <= upper(enclosure)
    density = iv_npdf(iv.mpf([-1, 2]))
    assert lower(density) <= mp.npdf(2)
    assert upper(density) >= mp.npdf(0)


def test_an_empty_box_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one side"):
        prove_nonnegative(lambda: iv.mpf(1), [])


def test_the_examples_of_the_module_run() -> None:
    result = doctest.testmod(importlib.import_module("proofs_checks.intervals"))
    assert result.attempted > 0
    assert result.failed == 0
