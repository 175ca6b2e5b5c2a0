"""The sides of an identity as the check wrote them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from proofs_checks.balls import Ball, ball
from proofs_checks.extras import sp
from proofs_checks.vocabulary import identity, nonnegative, symbols


def test_sides_are_shown_before_they_are_simplified() -> None:
    power = 1
    a, paper_name = symbols("a b'")
    share = 2 * a * paper_name
    found = identity((share**power / a * (1 + a - a), 2 * paper_name))
    assert found.shows == "share / a * (1 + a - a) = 2 * b', where share = 2 * a * b'"


def test_an_exact_number_stands_in_brackets_where_it_needs_them() -> None:
    half = "1/2"
    a = symbols("a")
    found = identity((sp.Rational(half) ** 2 * a, a / 4), (a * sp.Rational(3, 4), 3 * a / 4))
    assert found.shows == "(1 / 2)^2 * a = a / 4; a * (3 / 4) = 3 * a / 4"


def test_a_factor_or_exponent_of_one_is_left_out() -> None:
    a, factor = symbols("a"), 1
    found = identity((factor * a**factor, a * factor), (2 * a, a * (factor + 1)))
    assert found.shows == "a = a; 2 * a = a * (1 + 1)"


def test_pairs_by_a_comprehension_keep_it() -> None:
    a = symbols("a")
    found = identity(*((a * k - a, a * (k - 1)) for k in range(2, 4) if k > 1))
    assert found.shows == "a * k - a = a * (k - 1) for k in range(2, 4) if k > 1"
    several = [(a * k, k * a) for k in (1, 2)]
    assert identity(*several).shows == "a * k = k * a for k in (1, 2)"


def test_pairs_of_two_lists_are_read_entry_by_entry() -> None:
    a = symbols("a")
    assert identity(*zip([a + a], [2 * a], strict=True)).shows == "a + a = 2 * a"
    sides = sp.Matrix([a, 2 * a])
    doubled = (2 * side for side in sides)
    shown = "sides + sides = doubled, entry by entry, where sides = Matrix([a, 2 * a])"
    assert identity(*zip(sides + sides, doubled, strict=True)).shows.startswith(shown)


def test_pairs_appended_in_a_loop_keep_it() -> None:
    a = symbols("a")
    several = []
    for k in (1, 2):
        moved = a + k
        several.append((moved - a, k))
    shown = "moved - a = k for k in (1, 2), where moved = a + k"
    assert identity(*several).shows == shown


def test_the_branch_that_is_taken_is_shown() -> None:
    a = symbols("a")
    twice, more = True, 0
    assert identity((2 * a if twice else a, a + a + more)).shows == "2 * a = a + a"


def test_a_name_of_what_became_a_symbol_is_not_that_symbol() -> None:
    a = symbols("a")
    power = sp.exp(sp.log(a))
    assert identity((power, a)).shows == "power = a, where power = exp(log(a))"


def test_names_that_an_expression_binds_are_its_own() -> None:
    a, b = symbols("a b")
    k = a
    assert identity((sum(k * b for k in (1, 2)), 3 * b)).shows == (
        "sum((k * b for k in (1, 2))) = 3 * b"
    )
    assert k is a


def test_what_is_not_written_out_in_the_call_is_shown_as_it_was_worked_out() -> None:
    a = symbols("a")
    several = list(zip([a + a], [2 * a], strict=True))
    assert identity(*several).shows == "2*a = 2*a"


def test_a_name_that_is_assigned_twice_is_shown_by_its_value() -> None:
    a = symbols("a")
    total = a
    total = total + a
    assert identity((total, a * 2)).shows == "total = a * 2, where total = 2*a"


def test_a_term_that_is_added_later_is_shown() -> None:
    a, b = symbols("a b")
    spent = 2 * a
    spent += 3 * b
    assert identity((spent, 2 * a + 3 * b)).shows == (
        "spent = 2 * a + 3 * b, where spent = 2 * a + 3 * b"
    )
    total = a
    for _ in range(2):
        total += b
    assert identity((total, a + 2 * b)).shows == "total = a + 2 * b, where total = a + 2*b"


def _above(least: str, x: Ball) -> Ball:
    return x - ball(least)


FUNCTIONS = (partial(_above, "0"), lambda x: _above("0", x))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_is_shown_without_its_address(function: Callable[..., Ball]) -> None:
    found = nonnegative(function, {"x": (1, 2)})
    assert " at 0x" not in found.shows
    assert "_above" in found.shows
