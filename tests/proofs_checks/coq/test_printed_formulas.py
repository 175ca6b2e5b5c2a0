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
    assert (formulas.steps, formulas.kind, formulas.unit) == ("T", "Gaussian_noise", "k")
    values = {"T": 3, "t": 1, "m": 2, "d": 4, "B": 0.5, "p": 3}
    assert evaluate(formulas.dimension, values) == 6
    moved = [formulas.sensitivity_for(k, values) for k in range(6)]
    assert moved == [0, 0, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("k.+1", 3),
        ("2 * G / 4%:R", 1),
        ("1%N", 1),
        ("eps / (2 * (2 * G * W / 4%:R))", Decimal("0.25")),
        ("Num.sqrt 2 ^+ 2 / 4%:R", Decimal("0.5")),
        ("if val i == t then 1 / 1 else 0", 0),
        ("if val i == 5 %% t then 1 / 1 else 0", 1),
        ("(k.+1 ^ t * k)%N", 18),
        ("t%:R ^+ k.-1 * G", 4),
        ("(if k == 1%N then 1 else Num.sqrt ((k * (k + 6))%:R / 4)) / 8%:R", Decimal("0.25")),
        ("G * (if W == 0 then k%:R else W) / 4%:R", Decimal("0.5")),
    ],
)
def test_terms_are_evaluated(term: str, expected: Decimal) -> None:
    values = {"k": 2, "G": 2, "W": 1, "eps": 0.5, "i": 1, "t": 2}
    assert abs(evaluate(to_python(term), values) - expected) < Decimal(10) ** -45


def test_other_text_is_refused() -> None:
    with pytest.raises(ValueError, match="not a printed description"):
        read_formulas("Error: something else")
    with pytest.raises(ValueError, match="not a term"):
        evaluate("open('file')", {})
    with pytest.raises(KeyError):
        evaluate("sigma", {})
