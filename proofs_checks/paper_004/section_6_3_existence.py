"""Section 6.3: for which matrices the graphical lasso (6.83) has a solution, exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.matrices.graphical_lasso import optimality_gap

CYCLE = ((0, 1, 0, -1), (1, 0, 1, 0), (0, 1, 0, 1), (-1, 0, 1, 0))
"""C: four edges in a circle, the signs of which multiply to -1, so that C^2 = 2 I."""


@statement(
    "004 Algorithm 6.3.51 (existence)",
    lines="8743-8753",
    kind="optimisation",
    printed="step 2 returns the minimiser of -log det Theta + <S~, Theta> + rho ||Theta||_1 over "
    "Theta > 0, S~ = S + N, whatever the symmetric matrix N",
    false="S~ can outweigh the penalty in some direction: the objective is then unbounded below",
    algorithms=("diss-6.3.51-L", "diss-6.3.51-G"),
    errata=("diss-6.3.51/E6",),
)
def minimiser_of_any_matrix() -> Outcome:
    """d = 1, S~ = -1 and rho = 1/2: -log t - t/2 falls for every t > 0."""
    point = {"d": 1, "S~": -1.0, "rho": 0.5}
    return refuted(point, 0, Fraction(-1) + Fraction(1, 2), "slope of the linear part")


def _one_direction(largest: str) -> Outcome:
    """v^T S~ v + ||v||_1^2 > 0 for all v but 0, S~ = (1+q) C.

    An edge adds -2 q |v_i v_j| at least, all else 2 |v_1 v_3|, 2 |v_2 v_4| and the squares: with x
    and y the sums of moduli on either side of the edges it is x^2 + y^2 - 2 q x y at least.
    """
    q, x, y, size, edge = reals("q x y |v_iv_j| sign")
    each = 2 * (1 + q) * edge * size + 2 * size >= -2 * q * size
    within = (edge >= -1, edge <= 1, size >= 0, x >= 0, y >= 0, x + y > 0)
    return for_all(
        z3.And(each, x * x + y * y - 2 * q * x * y > 0), q > 0, q < rational(largest), *within
    )


def _closed_form(rng: np.random.Generator) -> Outcome:
    """Theta = (I - q C)/(1 - 2 q^2) meets the optimality conditions, and nothing next to it does.

    That is at S~ = (1+q) C and rho = 1, with q up to .7.
    """
    cycle: FloatArray = np.array(CYCLE, dtype=float)
    worst, nearest, tried = 0.0, math.inf, 20
    for _ in range(tried):
        q = float(rng.uniform(0.05, 0.7))
        theta = (np.eye(4) - q * cycle) / (1 - 2 * q * q)
        worst = max(worst, optimality_gap(theta, (1 + q) * cycle, 1.0))
        nearest = min(nearest, optimality_gap(1.01 * theta, (1 + q) * cycle, 1.0))
    return every(
        searched(worst, 1e-12, tried=tried, what="optimality gap of the closed form"),
        searched(1e-3, nearest, tried=tried, what=".001 against the gap 1% away"),
    )


@minimiser_of_any_matrix.corrected(
    "it exists if S~ + rho W > 0 for some |w_ij| <= 1, and only then; otherwise <S~, V> + rho "
    "||V||_1 <= 0 for some V >= 0, V != 0, and the objective is unbounded below. W = I is an "
    "eigenvalue above -rho, V = v v^T is v^T S~ v + rho ||v||_1^2 <= 0; neither decides it: S~ = "
    "(1+q) C, rho = 1, has a minimiser for q < 1/sqrt 2, the eigenvalue -sqrt 2 (1+q), and no such "
    "v for q < 1",
    refuses={
        "|w_ij| <= 2": {"reach": "2"},
        "rho ||V||_1/2": {"share": "1/2"},
        "a minimiser for q < 1": {"square": 1},
        "no such v for q <= 1.1": {"largest": "11/10"},
    },
    unchecked={
        "S~, W, V": "the steps have an entry of each, s, w and y",
        "C": "the steps have its products, entry by entry",
    },
)
def minimiser_exists(
    rng: np.random.Generator,
    reach: str = "1",
    share: str = "1",
    square: int = 2,
    largest: str = "1",
) -> Outcome:
    """If S~ + rho W has the least eigenvalue m > 0, ||Theta||_1 >= <W, Theta> [step "entry"].

    So the objective is at least the sum over the eigenvalues t of Theta of m t - log t, which tends
    to infinity at both ends, as it is convex with its least value at 1/m [step "eigenvalue"]: there
    is a minimiser. At one, Theta^-1 = S~ + rho W > 0 by (6.91). So the first criterion is exact.

    The largest, over W, of the least eigenvalue of S~ + rho W is the least, over V >= 0 with trace
    1, of the largest <S~ + rho W, V> (Sion, cited), which is <S~, V> + rho ||V||_1 [step "dual"]:
    if no W will do then some V has it at most 0. Along I + t V the penalty is rho (d + t ||V||_1)
    at most [step "direction"], so all but -log det is bounded, and log det grows like log t.

    ||v v^T||_1 is ||v||_1^2 [step "rank one", an entry]. On the cycle (I + q C) (I - q C) = (1 - 2
    q^2) I, I + q C being S~ + rho W with w_ij = -c_ij on the edges [step "cycle"]; for q >= 1/sqrt
    2, V = I - C/sqrt 2 has V^2 = 2 V, so V >= 0, and <S~, V> + ||V||_1 = 4 - 4 sqrt 2 q [step
    "matrix"]. No v v^T shows that for q < 1 [step "no direction"]; for q < 1/sqrt 2 the minimiser
    has a closed form [step "code"].
    """
    s, x, w, rho, y, t = reals("s x w rho y t")
    m, u = symbols("m t")
    q = sp.Symbol("q", positive=True)
    term = m * u - sp.log(u)
    cycle, one = sp.Matrix(CYCLE), sp.eye(4)
    v = one - cycle / sp.sqrt(2)
    sizes = sum(abs(entry) for entry in v)
    bound = rational(reach)
    return derived(
        entry=for_all(
            s * x + rho * z3.Abs(x) >= (s + rho * w) * x, rho > 0, w <= bound, w >= -bound
        ),
        eigenvalue=identity((sp.diff(term, u).subs(u, 1 / m), 0), (sp.diff(term, u, 2), 1 / u**2)),
        dual=for_all(
            z3.And(
                z3.Implies(z3.And(w <= 1, w >= -1), w * y <= rational(share) * z3.Abs(y)),
                z3.If(y >= 0, y, -y) == z3.Abs(y),
            )
        ),
        direction=for_all(z3.Abs(x + t * y) <= z3.Abs(x) + t * z3.Abs(y), t > 0),
        **{
            "rank one": for_all(z3.Abs(x * y) == z3.Abs(x) * z3.Abs(y)),
            "no direction": _one_direction(largest),
        },
        cycle=identity(
            *zip((one + q * cycle) * (one - q * cycle), (1 - square * q**2) * one, strict=True)
        ),
        matrix=identity(
            *zip(v * v, 2 * v, strict=True),
            (((1 + q) * cycle * v).trace() + sizes, 4 - 4 * sp.sqrt(2) * q),
        ),
        code=_closed_form(rng),
    )
