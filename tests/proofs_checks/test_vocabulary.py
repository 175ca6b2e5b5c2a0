"""The helpers of checks: what each decides, and that it refuses what it cannot decide."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp
from scipy.stats import binom

from proofs_checks.balls import ball, exp, log, loggamma, lower, monotone, ndtr, npdf, sqrt, upper
from proofs_checks.extras import MissingExtraError, _Lazy, sp, z3
from proofs_checks.vocabulary import (
    average_at_most,
    definition,
    derived,
    every,
    exactly,
    for_all,
    identity,
    less,
    nonnegative,
    precisely,
    rare,
    reals,
    refuted,
    searched,
    symbolic,
    symbols,
)

# ---------------------------------------------------------------------------- symbolic


def test_identity_holds_for_all_values_or_shows_where_it_does_not() -> None:
    x, y = symbols("x y")
    assert identity(((x + y) ** 2, x**2 + 2 * x * y + y**2)).level == "proved (symbolic)"
    assert identity((sp.log(x * y), sp.log(x) + sp.log(y))).holds
    wrong = identity((x, x), ((x + y) ** 2, x**2 + y**2))
    assert (wrong.holds, wrong.level) == (False, "refuted with witness")
    assert wrong.witness is not None
    assert {"x", "y", "difference"} == set(wrong.witness)


def test_identity_does_not_guess() -> None:
    x = sp.Symbol("x", real=True)
    # equal for positive x only
    assert not identity((sp.sqrt(x**2), x)).holds


def test_for_all_decides_or_gives_a_counterexample() -> None:
    x, y = reals("x y")
    assert for_all(2 * x * y <= x * x + y * y).level == "proved (symbolic)"
    wrong = for_all(2 * x * y <= x * x, y >= 0)
    assert wrong.level == "refuted with witness"
    assert wrong.witness is not None
    assert 2 * wrong.witness["x"] * wrong.witness["y"] > wrong.witness["x"] ** 2


def test_hypotheses_that_contradict_each_other_are_an_error() -> None:
    x = reals("x")
    with pytest.raises(ValueError, match="contradict"):
        for_all(x < 0, x > 1, x < 1)


def test_a_claim_among_its_hypotheses_is_an_error() -> None:
    x, y = reals("x y")
    for given in ((x <= y,), (z3.And(x >= 0, x <= y),), (x**1 <= y,)):
        with pytest.raises(ValueError, match="is one of its hypotheses"):
            for_all(x <= y, *given)
    assert for_all(x <= y, x <= 0, y >= 0).holds


def test_hypotheses_are_told_apart_and_those_not_needed_are_said() -> None:
    x, y, z = reals("x y z")
    assert for_all(x >= 0, x >= 1).shows == "x >= 0, for x >= 1"
    between = for_all(x <= y, x >= 0, z3.And(x <= z, z <= y))
    assert (between.shows, between.premises) == ("x <= y, for x >= 0", ("x <= z", "z <= y"))
    free = for_all(x + y >= 0, x >= 0, y >= 1, x <= y)
    assert free.shows == "x + y >= 0, for x >= 0 and y >= 1 (holds without its premises)"
    assert free.premises == ("x <= y",)
    always = for_all(2 * x * y <= x * x + y * y, x >= 0, y <= x)
    assert always.shows.endswith(", for x >= 0 (holds for all real values)")
    bound = for_all(x * x <= 1, x <= z3.Q(1, 7), x >= z3.Q(1, 7))  # no point that is tried
    assert bound.shows == "x*x <= 1, for 1/7 >= x and 1/7 <= x"


def test_unknown_is_not_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    x = reals("x")
    answers = iter(["sat", "unknown", "unknown"])  # the hypotheses, the claim; then hypotheses
    monkeypatch.setattr(symbolic, "_solve", lambda *_: (next(answers), {}))
    found = for_all(x * x >= 0)
    assert (found.holds, found.level) == (False, "undecided")
    with pytest.raises(ValueError, match="cannot show"):
        for_all(x * x >= -1)


# ------------------------------------------------------------------------------- balls


def test_balls_contain_the_truth() -> None:
    rng = np.random.default_rng(0)
    for point in [0.22615, *map(float, rng.uniform(0.01, 20, size=200))]:
        with mp.workdps(40):
            pairs = [
                (loggamma(ball(point)), mp.loggamma(point)),
                (ndtr(ball(-point)), mp.ncdf(-mp.mpf(point))),
                (npdf(ball(point)), mp.npdf(mp.mpf(point))),
            ]
        for enclosed, truth in pairs:
            written = ball(mp.nstr(truth, 35))
            assert enclosed.overlaps(written)
            assert enclosed.rel_accuracy_bits() > 30


def test_ends_of_a_ball() -> None:
    assert lower(ball("0.1")) <= 0.1 <= upper(ball("0.1"))
    assert ball("1/3").contains(ball(Fraction(1, 3)).mid())
    wide = monotone(exp, ball(0, 1))
    assert lower(wide) <= 1
    assert upper(wide) >= math.e
    # what a ball adds below zero is cut
    assert sqrt(ball(0, 1)).is_finite()
    assert not log(ball(-1, 1)).is_finite()


def test_a_box_is_proved_refuted_or_open() -> None:
    side = {"x": (0, 1)}
    assert nonnegative(lambda x: ball("0.26") - x * (1 - x), side, whole=True).holds
    wrong = nonnegative(lambda x: ball("0.24") - x * (1 - x), side, whole=True)
    assert wrong.witness == {"x": [0.5, 0.5]}
    # equality inside cannot be shown by halving
    touching = nonnegative(lambda x: ball("0.25") - x * (1 - x), side, whole=True)
    assert (touching.holds, touching.level) == (False, "undecided")


def test_a_gradient_shows_equality_at_a_corner() -> None:
    def gap(x: object) -> object:
        return exp(x) - 1 - ball(1) * x  # type: ignore[operator]

    assert not nonnegative(gap, {"x": (0, 1)}, whole=True).holds
    # its slope e^x - 1 touches zero itself: bound it away by an x
    steep = nonnegative(lambda x: 2 * x - sin(x), {"x": (0, 1)}, whole=True,
                        gradient=lambda x: [2 - x.cos()])  # fmt: skip
    assert steep.holds


def sin(x: object) -> object:
    return x.sin()  # type: ignore[attr-defined]


def test_a_part_of_the_domain_is_said_so() -> None:
    side = {"x": (1, 2)}
    part = nonnegative(lambda x: x, side)
    assert (part.holds, part.level) == (True, "checked on a box (interval)")
    proved = less(ball(1), ball(2))
    assert nonnegative(lambda x: x, side, rest=proved).level == "proved (interval)"
    weak = searched(0, 1, tried=5, what="points")
    assert nonnegative(lambda x: x, side, rest=weak).level == "checked on a box (interval)"
    assert not nonnegative(lambda x: x, side, rest=less(ball(2), ball(1))).holds
    assert less(ball("0.5"), ball(0, 1)).level == "undecided"


# --------------------------------------------------------------------- points and searches


def test_exact_points_take_rationals_only() -> None:
    found = exactly(({"k": k}, Fraction(k), k + 1) for k in range(5))
    assert (found.evidence, found.holds) == ("checked exactly at 5 points", True)
    wrong = exactly([({"k": 1}, 2, 1)])
    assert wrong.witness == {"k": 1, "left": 2.0, "right": 1.0}
    with pytest.raises(TypeError, match="rationals, got float"):
        exactly([({}, 0.5, 1)])
    with pytest.raises(ValueError, match="no point"):
        exactly([])


def test_precise_points() -> None:
    def root(x: int) -> list[tuple[dict[str, int], object, object]]:
        return [({"x": x}, mp.sqrt(x) ** 2, x)]

    assert precisely(lambda: root(2), "=", tolerance="1e-40").holds
    with pytest.raises(ValueError, match="needs a tolerance"):
        precisely(lambda: root(2), "=")
    assert not precisely(lambda: [({}, mp.nan, 1)]).holds
    assert not precisely(lambda: [({}, mp.mpf(1) + mp.mpf(10) ** -40, 1)]).holds


def test_a_refutation_is_computed() -> None:
    assert refuted({}, Fraction(2), 1).level == "refuted with witness"
    assert refuted({}, ball(2), ball(1)).level == "refuted with witness"
    assert refuted({}, 1, 2).holds
    assert refuted({}, 1.0 + 1e-12, 1.0).level == "undecided"
    assert refuted({}, ball(0, 2), ball(1)).level == "undecided"


def test_a_search_compares_with_its_bound() -> None:
    assert searched(1, 1, tried=3, what="x").level == "checked by search"
    assert not searched(math.nan, 1, tried=3, what="x").holds
    with pytest.raises(ValueError, match="must try"):
        searched(1, 1, tried=0, what="x")


# ------------------------------------------------------------------------------ chance


def test_the_bounds_of_a_frequency_are_exact_binomial_tails() -> None:
    found = rare(2, 1000, 0.03, what="x")
    assert found.holds
    assert found.confidence == 1 - 1e-6
    # just holds, or just not, at the probability under which 2 or fewer have probability 1e-6
    for probability, holds in ((0.0185, False), (0.0189, False), (0.0191, True)):
        assert rare(2, 1000, probability, what="x").holds == holds
        assert (binom.cdf(2, 1000, probability) <= 1e-6) == holds
    assert rare(40, 100, 0.1, what="x").level == "refuted with witness"
    assert rare(1, 10, 0.1, what="x").level == "undecided"


def test_a_mean_of_bounded_samples() -> None:
    samples = np.repeat([0.0, 1.0], 5000)
    assert average_at_most(samples, 0.55, largest=1, what="x").holds
    assert average_at_most(samples, 0.5, largest=1, what="x").level == "undecided"
    assert average_at_most(samples, 0.4, largest=1, what="x").level == "refuted with witness"
    with pytest.raises(ValueError, match=r"in \[0, largest\]"):
        average_at_most(samples, 1, largest=0.5, what="x")


# ------------------------------------------------------------------------- combinations


def test_a_conjunction_is_as_strong_as_its_weakest_part() -> None:
    proved, sought = less(ball(1), ball(2)), searched(0, 1, tried=1, what="x")
    chance = rare(0, 10_000, 0.1, what="x")
    wrong = searched(2, 1, tried=1, what="x")
    assert every(proved, proved).level == "proved (interval)"
    assert every(proved, sought).level == "checked by search"
    assert every(proved, wrong) == wrong
    assert every(chance, chance).confidence == pytest.approx(1 - 2e-6)
    assert derived(arithmetic=proved).evidence == "derived, step checked"
    partly = derived(outer=derived(arithmetic=proved, search=sought))
    assert partly.level == "derived, step checked"
    assert partly.evidence == "derived, step checked (weakest: checked by search)"
    assert every(derived(arithmetic=proved), partly).evidence == partly.evidence
    assert every(partly, sought).level == "checked by search"
    assert derived(arithmetic=proved, search=wrong) == wrong
    assert definition(proved).level == "definition"
    assert not definition(wrong).holds
    with pytest.raises(ValueError, match="needs a part"):
        every()


def test_a_missing_library_is_named() -> None:
    with pytest.raises(
        MissingExtraError, match=r"needs sympy; pip install 'dp-touchstone\[proofs\]'"
    ):
        _ = _Lazy("no_such_module", "sympy").anything
