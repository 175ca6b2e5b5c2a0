"""Section 4.1: why the gradients need truncation, and the clipped method."""

from __future__ import annotations

from functools import partial

from proofs_checks.em.descent import clipping_constant
from proofs_checks.em.mixture import unbounded_gradient
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement

statement = partial(any_statement, algorithms=("wang-1", "wang-2"))


@statement(
    "000 Theorem 1",
    lines="177, 500-512 (004 l.9528)",
    kind="sensitivity",
    printed="mixture, some fixed beta: P(||nabla q(beta; beta)||_2 >= c) > 0 for every c",
    checked="beta = e_1: |nabla q|_2 > c wherever y_1 > ln 2 and y_2 > 3c",
    refuses={"y_2 > 2.9c": {"times": "2.9"}, "y_1 > ln 1.9": {"least": "1.9"}},
    unchecked={
        "beta": "e_1: the steps have <beta, y> = y_1 in u = exp(y_1)",
    },
)
def unbounded(times: str = "3", least: str = "2") -> Outcome:
    """See :func:`proofs_checks.em.mixture.unbounded_gradient`."""
    return unbounded_gradient(times, least)


@any_statement(
    "000 Algorithm 1",
    lines="183-195 (004 l.9540-9555)",
    kind="composition",
    printed="sigma^2 = c T log(1/delta)/(n^2 epsilon^2) is (epsilon, delta)-DP for some constant c",
    checked="the same with c = 8 (1 + epsilon/log(1/delta))",
    added="epsilon/log(1/delta) bounded, for c to be a constant; none is named, and 2 is none",
    refuses={
        "7.9 for 8": {"constant": "7.9"},
        "2 for 8": {"constant": "2"},
        "8 alone": {"range_power": 0},
        "n for n^2": {"n_power": 1},
    },
    algorithms=("wang-1",),
    errata=("wang-1/E1",),
)
def clipped(constant: str = "8", range_power: int = 1, n_power: int = 2) -> Outcome:
    """See :func:`proofs_checks.em.descent.clipping_constant`."""
    return clipping_constant(constant, range_power, n_power)
