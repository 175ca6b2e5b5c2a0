"""Printed formulas are read as Coq means them, and nothing else is read."""

from __future__ import annotations

from decimal import Decimal

import pytest

from proofs_checks.printed_formulas import evaluate, read_formulas, to_python

BLOCKS = """
     = (T,
        fun t : nat =>
        {|
          kind_of := Gaussian_noise;
          dimension := size (pairs p);
          sensitivity_of :=
            fun k : 'I_n =>
            if (t * m <= k < t.+1 * m)%N
            then 2 * (Num.sqrt d%:R * B) / m%:R
            else 0;
          scale_of := sigma
        |})
     : nat * (nat -> description 'I_n)
"""


def test_a_description_is_read() -> None:
    formulas = read_formulas(BLOCKS)
    values = {"T": 3, "t": 1, "m": 2, "d": 4, "B": 0.5, "p": 3}
    release = formulas.at(values)
    assert (formulas.steps, release.kind, release.unit) == ("T", "Gaussian_noise", "k")
    assert evaluate(release.dimension, values) == 6
    moved = [release.sensitivity_for(k, values) for k in range(6)]
    assert moved == [0, 0, 1, 1, 0, 0]


TWO_KINDS = """
     = ((T * (2 * s))%N,
        fun t : nat =>
        if (t %% (2 * s) < s)%N
        then
         {|
           kind_of := Noisy_max; dimension := k.+1; sensitivity_of := fun=> Delta; scale_of := b
         |}
        else
         {|
           kind_of := Laplace_noise;
           dimension := 1;
           sensitivity_of :=
             fun k : 'I_n =>
             if (t %/ (2 * s) * m <= k < (t %/ (2 * s)).+1 * m)%N then Delta else 0;
           scale_of := 2 * b
         |})
     : nat * (nat -> description 'I_n)
"""


def test_two_kinds_of_releases_are_read() -> None:
    formulas = read_formulas(TWO_KINDS)
    values = {"T": 2, "s": 2, "m": 3, "k": 4, "Delta": 0.5, "b": 7}
    assert evaluate(formulas.steps, values) == 8
    steps = [formulas.at({**values, "t": t}) for t in range(8)]
    assert [step.kind for step in steps] == 2 * (2 * ["Noisy_max"] + 2 * ["Laplace_noise"])
    assert [evaluate(step.dimension, values) for step in steps[1:3]] == [5, 1]
    assert [evaluate(step.scale, values) for step in steps[1:3]] == [7, 14]
    moved = [steps[7].sensitivity_for(k, {**values, "t": 7}) for k in range(6)]
    assert moved == [0, 0, 0, 0.5, 0.5, 0.5]
    assert steps[0].sensitivity_for(5, {**values, "t": 0}) == Decimal("0.5")


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("k.+1", 3),
        ("(t %/ (2 * k)).+1 * G", 2),
        ("(7 %/ 2)%N", 3),
        ("(7 %% 2)%N", 1),
        ("2 * G / 4%:R", 1),
        ("1%N", 1),
        ("eps / (2 * (2 * G * W / 4%:R))", Decimal("0.25")),
        ("Num.sqrt 2 ^+ 2 / 4%:R", Decimal("0.5")),
        ("if val i == t then 1 / 1 else 0", 0),
        ("if val i == t %% i then (if (i <= t)%N && odd (t - i) then 5 else 6) / k else 7", 7),
        (
            "if val i == i %% t then (if (i <= t)%N && odd (t - i) then 5 else 6) / k else 7",
            Decimal("2.5"),
        ),
        ("if (t < i)%N then 5 else if odd t then 6 else (if odd i then 7 else 8) * k", 14),
        ("if batch t i then if k == 2%N then G else 0 else 1", 2),
        ("if batch i t then 2 else ((2 ^ k.+1 - 2) * k)%N", 12),
        ("Num.sqrt 2 * Num.sqrt (k * k.+1 + t)%:R", 4),
        ("if val i == 5 %% t then 1 / 1 else 0", 1),
        ("(k.+1 ^ t * k)%N", 18),
        ("t%:R ^+ k.-1 * G", 4),
        ("(if k == 1%N then 1 else Num.sqrt ((k * (k + 6))%:R / 4)) / 8%:R", Decimal("0.25")),
        ("G * (if W == 0 then k%:R else W) / 4%:R", Decimal("0.5")),
    ],
)
def test_terms_are_evaluated(term: str, expected: Decimal) -> None:
    values = {"k": 2, "G": 2, "W": 1, "eps": 0.5, "i": 1, "t": 2, "batch": lambda t, k: t > k}
    assert abs(evaluate(to_python(term), values) - expected) < Decimal(10) ** -45


def test_other_text_is_refused() -> None:
    with pytest.raises(ValueError, match="not a printed description"):
        read_formulas("Error: something else")
    with pytest.raises(ValueError, match="not a term"):
        evaluate("open('file')", {})
    with pytest.raises(KeyError):
        evaluate("sigma", {})
