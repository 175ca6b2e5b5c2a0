"""The share of the error probability that a question has, and where its randomness comes from."""

from __future__ import annotations

import itertools

import pytest

from auditor.core.context import Context


def test_the_tests_of_a_family_share_its_error_probability() -> None:
    assert Context(confidence=0.99).alpha == pytest.approx(0.01)
    assert Context(confidence=0.99, tests=7).alpha == pytest.approx(0.01 / 7)
    # a part of a question has no more
    assert Context(confidence=0.99, tests=7).at("part").alpha == pytest.approx(0.01 / 7)


def test_every_path_and_seed_has_draws_of_its_own() -> None:
    contexts = [
        Context(seed=seed).at("wang-1", *path)
        for seed in (0, 1)
        for path in ((), ("runs",), ("runs", "screen"), ("runs", "confirmation"), ("errors",))
    ]
    draws = [context.rng().random() for context in contexts]
    for one, other in itertools.combinations(range(len(draws)), 2):
        assert draws[one] != draws[other], (contexts[one], contexts[other])
    # and always the same
    assert draws == [context.rng().random() for context in contexts]


def test_what_is_asked_again_has_a_multiple_of_the_effort_of_either_tier() -> None:
    assert [Context(times=times).effort(3) for times in (1, 2, 8)] == [3, 6, 24]
    full = Context(tier="full", times=4)
    assert (full.effort(3), full.effort(3, full=7)) == (120, 28)


def test_every_asking_has_runs_of_its_own_twice_as_many_as_the_one_before() -> None:
    once = Context(seed=3, tests=2, path=("wang-1",), times=3)
    askings = [once.asking(number) for number in (1, 2, 3, 4)]
    assert [asking.times for asking in askings] == [3, 6, 12, 24]
    assert len({asking.rng().random() for asking in (once, *askings)}) == 5
    assert {(asking.alpha, asking.tier) for asking in askings} == {(once.alpha, once.tier)}
