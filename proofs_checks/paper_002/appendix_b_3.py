"""Appendix B.3: proof of Proposition 4.3."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from proofs_checks.balls import ball, npdf
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Wrong, statement
from proofs_checks.vocabulary import derived, exactly, identity, refuted, symbols


def not_a_special_case() -> Outcome:
    """d = 1: every law of model (4) is symmetric about 0; N(1, 1) has more mass at 1 than at -1."""
    return refuted({"b": 1, "y": 1}, npdf(ball(0)), npdf(ball(2)), "density of N(1, 1) at 1 and -1")


def random_flips(common: bool = False) -> Outcome:
    """Flip every record of the model without a hidden variable by its own fair sign.

    Two flipped records have the product of the mixture's laws [step "law"], which a common sign
    for all records does not give. Record by record, so that neighbours stay neighbours: (log 3,
    0)-DP of a randomised answer on two flipped records is kept [step "privacy"].
    """
    y, z, b = symbols("y z b", real=True)

    def density(at: Any, mean: Any) -> Any:
        return sp.exp(-((at - mean) ** 2) / 2)

    def mixed(at: Any) -> Any:
        return (density(at, b) + density(at, -b)) / 2

    signs = [(i, j) for i in (1, -1) for j in (1, -1) if i == j or not common]
    flipped = sum(density(i * y, b) * density(j * z, b) for i, j in signs) / len(signs)
    return derived(
        law=identity((sp.expand(flipped), sp.expand(mixed(y) * mixed(z)))),
        privacy=exactly(_flipped_deltas(), note="delta(log 3) of neighbours"),
    )


def _flipped_deltas() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
    """Is the sum of the signed records above 2? Answered truthfully with odds 3."""
    odds = Fraction(3)
    laws: dict[tuple[int, ...], dict[bool, Fraction]] = {}
    for records in itertools.product((1, 2), repeat=2):
        law = {True: Fraction(0), False: Fraction(0)}
        for signs in itertools.product((-1, 1), repeat=2):
            answer = sum(x * s for x, s in zip(records, signs, strict=True)) > 2
            law[answer] += Fraction(1, 4) * odds / (1 + odds)
            law[not answer] += Fraction(1, 4) / (1 + odds)
        laws[records] = law
    for x, y in itertools.permutations(laws, 2):
        if sum(p != q for p, q in zip(x, y, strict=True)) == 1:
            delta = sum((max(laws[x][o] - odds * laws[y][o], Fraction(0)) for o in law), Fraction())
            yield {"records": x, "neighbour": y}, delta, Fraction(0)


SPECIAL = "the model without hidden variable is the special case Z = 1, so its risk is not larger"
NOT_SPECIAL = "Z is a fair sign, not a parameter"
FLIPS = (
    "flip every record by its own fair sign: exactly the mixture, per record, so that the "
    "mixture's risk is at least the mean's"
)
COMMON: Wrong = {"one sign for all records": {"common": True}}


@statement(
    "002 Proof of Proposition 4.3",
    lines="827-829",
    kind="lower bound",
    printed=SPECIAL,
    false=NOT_SPECIAL,
    algorithms=("zhang-3",),
    errata=("zhang-u1/E2",),
)
def special_case() -> Outcome:
    """See :func:`not_a_special_case`."""
    return not_a_special_case()


@special_case.corrected(FLIPS, refuses=COMMON)
def flips(common: bool = False) -> Outcome:
    """See :func:`random_flips`."""
    return random_flips(common)
