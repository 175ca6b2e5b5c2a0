"""Chapter 4, preliminaries: the definitions, for the sigmoid loss 1/(1 + e^t), t = y <a, x>."""

from __future__ import annotations

from functools import partial

from mpmath import mp

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.convexity import quadratic_bound, sigmoid_slope
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import definition, for_all, identity, precisely, rational, reals
from reference.losses import Sigmoid

PGD = ("diss-4.1.16",)
BOTH = (*PGD, "diss-4.1.19")
statement = partial(any_statement, algorithms=BOTH)


@statement(
    "004 Definition 4.0.1",
    lines="2645",
    kind="definition",
    printed="|f(x1, z) - f(x2, z)| <= G ||x1-x2||_2",
    refuses={"G = .24 for the sigmoid loss": {"largest": "0.24"}},
    unchecked={
        "G, L": "what is defined: 1/4 for the sigmoid loss, whose slope the steps bound",
    },
)
def lipschitz(largest: str | None = None) -> Outcome:
    """On ||a|| <= 1 the sigmoid loss has G = 1/4."""
    return definition(sigmoid_slope(largest))


@statement(
    "004 Definition 4.0.2",
    lines="2647-2653",
    kind="definition",
    printed="||grad f(x1) - grad f(x2)||_* <= L ||x1-x2||, which yields the quadratic upper bound",
    refuses={
        "L/3 ||x1-x2||^2": {"half": 3},
        "L = 1/sqrt(109) for the sigmoid loss": {"square": "1/109"},
    },
)
def smooth(half: int = 2, square: str = "1/108") -> Outcome:
    """It yields the bound for every loss; the sigmoid loss has L = 1/(6 sqrt 3) = 1/sqrt(108)."""
    t = sp.Symbol("t", real=True)
    s = 1 / (1 + sp.exp(t))
    share = reals("s")
    second = share * (1 - share) * (1 - 2 * share)
    return definition(
        quadratic_bound(half),
        identity((sp.diff(s, t, 2), s * (1 - s) * (1 - 2 * s))),
        for_all(second * second <= rational(square), share > 0, share < 1),
        precisely(
            lambda: [({}, Sigmoid().smoothness, 1 / mp.sqrt(108))],
            "=",
            tolerance="1e-15",
            note="the code's L",
        ),
    )


@statement(
    "004 Definition 4.0.3",
    lines="2655",
    kind="definition",
    printed="||Hess l(x1) - Hess l(x2)||_2 <= rho ||x1-x2||_2",
    refuses={"rho = 1/9 for the sigmoid loss": {"largest": "1/9"}},
    unchecked={
        "rho": "what is defined: 1/8 for the sigmoid loss, whose third derivative the steps bound",
    },
)
def hessian_lipschitz(largest: str = "1/8") -> Outcome:
    """On ||a|| <= 1 the sigmoid loss has rho = 1/8."""
    t = sp.Symbol("t", real=True)
    s = 1 / (1 + sp.exp(t))
    share = reals("s")
    third = share * (1 - share) * (1 - 6 * share + 6 * share * share)
    return definition(
        identity((sp.diff(s, t, 3), -s * (1 - s) * (1 - 6 * s + 6 * s**2))),
        for_all(z3.Abs(third) <= rational(largest), share > 0, share < 1),
    )
