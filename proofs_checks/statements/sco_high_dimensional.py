"""What the old checks of the low-dimensional paper still import."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from proofs_checks.old_statement import Outcome
from proofs_checks.paper_003.robust_mean import deviation_bound as catoni_bound
from proofs_checks.paper_003.robust_mean import deviation_is_bounded, two_point_failure

__all__ = [
    "catoni_bound",
    "concentration_proved",
    "degree",
    "monomial",
    "substitute",
    "times",
    "two_point_failure",
]


def concentration_proved(rng: np.random.Generator) -> Outcome:
    """See :func:`proofs_checks.paper_003.robust_mean.deviation_is_bounded`."""
    del rng
    found = deviation_is_bounded()
    return Outcome(found.holds, "checked at high precision", found.detail)


Monomial = dict[str, Fraction]


def monomial(text: str) -> Monomial:
    """Parse ``"W^4/3 alpha n^-1/3"``; in the rates, n stands for n epsilon."""
    powers: Monomial = {}
    for factor in text.split():
        name, _, exponent = factor.partition("^")
        powers[name] = powers.get(name, Fraction(0)) + Fraction(exponent or 1)
    return powers


def times(*factors: tuple[Monomial, Fraction | int]) -> Monomial:
    """Multiply powers of monomials; exponents of 0 are left out."""
    powers: Monomial = {}
    for factor, exponent in factors:
        for name, value in factor.items():
            powers[name] = powers.get(name, Fraction(0)) + value * exponent
    return {name: value for name, value in powers.items() if value}


def substitute(term: Monomial, **values: Monomial) -> Monomial:
    """Put monomials in the place of symbols."""
    kept = {name: value for name, value in term.items() if name not in values}
    put = [(values[name], value) for name, value in term.items() if name in values]
    return times((kept, 1), *put)


def degree(term: Monomial, **weights: int) -> Fraction:
    """Return the exponent of c when each symbol is multiplied by c^weight."""
    return sum((weights.get(name, 0) * value for name, value in term.items()), Fraction(0))
