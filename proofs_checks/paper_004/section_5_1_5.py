"""Section 5.1.5: smooth queries; x and z are two records, t = 3, p = 1."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, refuted, symbols

statement = partial(any_statement, algorithms=("diss-5.1.36",))

for _number, _lines, _printed in (
    ("Definition 5.1.11", "5153", "P(some |A(D,q) - q(D)| >= alpha) <= beta"),
    ("Definition 5.1.12", "5161-5163", "Q-function family: f_x(y) = q_y(x)"),
    ("Definition 5.1.13", "5167", "monotone k-way disjunctions: q_y(x) = OR_j y_j x_j, |y| <= k"),
):
    not_checkable(
        f"004 {_number}", lines=_lines, kind="definition", printed=_printed, reason="notation"
    )


@statement(
    "004 Theorem 5.1.11 (privacy)",
    lines="5224, 5241",
    kind="privacy",
    printed="Algorithm 5.1.36, LDP-AVG with b = 1 on features in [-1, 1], is epsilon-LDP",
    false="the features have the width 2",
    errata=("diss-5.1.36/E1",),
)
def features_of_width_two() -> Outcome:
    """t = 3: x = 1 and z = -1/4 change 1, x, 2x^2 - 1 by 25/8 in all; the noise is for 3."""
    x, z = Fraction(1), Fraction(-1, 4)
    change = abs(x - z) + abs(2 * x**2 - 2 * z**2)
    return refuted({"t": 3, "x": 1.0, "z": -0.25}, change / 3, 1, "loss over epsilon")


@features_of_width_two.corrected(
    "with b = 2: each of N features costs at most epsilon/N",
    refuses={"b = 1.9": {"width": "1.9"}, "epsilon per feature": {"split": 0}},
)
def features_with_two(width: str = "2", split: int = 1) -> Outcome:
    """|cos - cos| <= 2 [step "feature"], with noise of scale 2N/epsilon each [step "total"]."""
    x, z = reals("x z")
    count, epsilon = symbols("N epsilon")
    inside = (x >= -1, x <= 1, z >= -1, z <= 1)
    scale = 2 * count**split / epsilon
    return derived(
        feature=for_all(x - z <= rational(width), *inside),
        total=identity((count * 2 / scale, epsilon)),
    )
