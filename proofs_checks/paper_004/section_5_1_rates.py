"""Section 5.1, before 5.1.1: the rates that its results are compared with."""

from __future__ import annotations

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_1_3 import SOLVED, same_powers
from proofs_checks.statement import statement
from proofs_checks.vocabulary import every, refuted, symbols


@statement(
    "004 Theorem 5.1.1",
    lines="4638-4642",
    kind="utility",
    printed="[257]: Err_P <= O~((sqrt p log^2(1/beta)/(epsilon^2 n))^(1/(p+1))), that is n = "
    "O~(sqrt p c^p epsilon^-2 alpha^-(p+1)), c about 2",
    checked="the second is the first solved for n, c^p the power of a hidden constant c; the rate "
    "itself is cited",
    refuses={
        "alpha^-p": {"alpha": 0},
        "p for sqrt p": {"root": "1"},
        "epsilon^-1": {"epsilon_power": 1},
    },
    unchecked={
        "Err_P, alpha": SOLVED,
    },
)
def earlier_rate(alpha: int = 1, root: str = "1/2", epsilon_power: int = 2) -> Outcome:
    """With a constant c on the right of the error, c^(p+1) is one on the right of n.

    Here l = log(1/beta).
    """
    p, n, epsilon, c, ell = symbols("p n epsilon c l")
    error = c * (sp.sqrt(p) * ell**2 / (epsilon**2 * n)) ** (1 / (p + 1))
    needed = p ** sp.Rational(root) * ell**2 * c ** (p + 1) * epsilon**-epsilon_power
    return same_powers(n, needed * error ** -(p + alpha))


earlier_rate.restated(
    "004 (5.1)",
    lines="4640",
    printed="Err_P <= O~((sqrt p log^2(1/beta)/(epsilon^2 n))^(1/(p+1)))",
)


@statement(
    "004 Table 5.1",
    lines="4674-4684",
    kind="utility",
    printed="(8, T)-smooth: O~((c0 p^(1/4))^p alpha^-(2+p/2) epsilon^-2); (inf, T)-smooth: "
    "O~(4^(p(p+1)) D_p^2 epsilon^-2 alpha^-4); hinge and convex losses: p (C/alpha^3)^O(1/alpha^3) "
    "/epsilon^O(1/alpha^3)",
    false="the second row lacks the factor p of (5.5)",
    errata=("004 Table 5.1/E1",),
)
def row_without_p() -> Outcome:
    """(5.5) over the row is p: no constant covers it, here 1000 at p = 2000."""
    return refuted({"p": 2000, "constant": 1000}, 2000, 1000, "(5.5) over the row")


@row_without_p.corrected(
    "with that factor; the rows are Corollary 5.1.1 (c0 = 4^5 sqrt(D_4)), (5.5) and, for d of "
    "order alpha^-3, p d^O(d)/epsilon^O(d)",
    refuses={
        "without p": {"dimension": 0},
        "c0 = 4^4 sqrt(D_4)": {"base": 4},
        "alpha^-2 for alpha^-3": {"degree": 2},
    },
    unchecked={
        "c0, 5": "c0 is 1024 sqrt(D_4) in the step, 1024 = 4^5",
    },
)
def rows(dimension: int = 1, base: int = 5, degree: int = 3) -> Outcome:
    """Corollary 5.1.1, (5.5) and Theorem 5.1.8, where d = 32/alpha^3 (beta = alpha/4)."""
    p, d4, dp, epsilon, alpha, c = symbols("p D_4 D_p epsilon alpha C")
    corollary = alpha ** -(2 + p / 2) * epsilon**-2
    corollary *= (4**5 * sp.sqrt(d4) * p ** sp.Rational(1, 4)) ** p
    own = 4**base * sp.sqrt(d4)
    smooth = 4 ** (p * (p + 1)) * dp**2 * p * epsilon**-2 * alpha**-4
    row = 4 ** (p * (p + 1)) * dp**2 * p**dimension * epsilon**-2 * alpha**-4
    d = 2 / ((alpha / 4) ** 2 * alpha)
    return every(
        same_powers(
            corollary, (own * p ** sp.Rational(1, 4)) ** p * alpha ** -(2 + p / 2) * epsilon**-2
        ),
        same_powers(smooth, row),
        same_powers(d**d, (32 / alpha**degree) ** d),
        same_powers(c ** (4 * d), c ** (128 / alpha**degree)),
    )
