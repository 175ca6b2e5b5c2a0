"""Section 3.1.1: what tables 3.1 to 3.3 say of the section's own algorithms.

Calls of one gradient; ell is the logarithm of the table, L = G = 1 and ln(1/delta) is left out.
What other works achieve is theirs to prove. One gradient a step is not private with the noise that
the theorems state at these numbers of steps: (3.3), (3.7), Theorem 3.1.3.
"""

from __future__ import annotations

import math
from typing import Any

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import derived, for_all, identity, reals, refuted, symbols


@statement(
    "004 Table 3.1",
    lines="560-566, 676, 713",
    kind="utility",
    printed="gradient complexities O((n + kappa) log(n epsilon/sqrt p)) of Algorithm 3.1.1 and "
    "O((n + sqrt(kappa n)) log(n epsilon/sqrt p)) of Algorithm 3.1.2",
    checked="calls at m = k kappa and T = ell, and in the two cases of Theorem 3.1.3; the errors "
    "are (3.4) and (3.6)",
    refuses={
        "without n": {"full": 0},
        "sqrt(kappa n)/2": {"constant": 1},
        "log(n epsilon/p)": {"root": "1"},
        "kappa n": {"power": "1"},
    },
)
def strongly_convex_calls(
    full: int = 1, constant: int = 2, root: str = "1/2", power: str = "1/2"
) -> Outcome:
    """An epoch calls n + 2 m gradients. Algorithm 3.1.1: (n + 2 k kappa) ell [step "svrg"].

    Algorithm 3.1.2, n <= kappa: m = 3n/4 and T = sqrt(kappa/n) ell make 5/2 sqrt(kappa n) ell [step
    "small n"]; n >= kappa: m = 3 kappa/4 makes at most 5/2 n ell [step "large n"]. A contraction
    e^-T is p/(n epsilon)^2 at T = ell = 2 log(n epsilon/sqrt p) [step "epochs"].
    """
    p, epsilon = symbols("p epsilon")
    n, kappa, k, ell = symbols("n kappa k ell")
    count, ratio = reals("n kappa")
    rounds = sp.sqrt(kappa / n) * ell
    return derived(
        svrg=identity((ell * (n + 2 * k * kappa), (full * n + 2 * k * kappa) * ell)),
        small_n=identity(
            (
                rounds * (n + 2 * sp.Rational(3, 4) * n),
                sp.Rational(5, constant) * (kappa * n) ** sp.Rational(power) * ell,
            )
        ),
        epochs=identity(
            (sp.exp(-2 * sp.log(n * epsilon / p ** sp.Rational(root))), p / (n * epsilon) ** 2)
        ),
        large_n=for_all(2 * count + 3 * ratio <= 5 * count, ratio >= 1, count >= ratio),
    )


@statement(
    "004 Table 3.2",
    lines="582-586, 762, 1273",
    kind="utility",
    printed="gradient complexity O(n epsilon/sqrt p + n log(n epsilon/p)) of Algorithm 3.1.3",
    false="log(n epsilon/p) is 0 at p = n epsilon, but T is of order log(n epsilon/sqrt p)",
    errata=("diss-3.1.3/E3",),
)
def logarithm_of_the_table() -> Outcome:
    """p = n epsilon: every one of T = log_2(n epsilon/sqrt p) epochs calls n gradients."""
    found = {}
    for size in (10**6, 10**12):
        found[f"n = {size:g}"] = size * math.log2(math.sqrt(size)) / math.sqrt(size)
    small, large = found.values()
    point = {"epsilon": 1.0, "p": "n", "calls over the bound at least": found}
    return refuted(point, large, 1000 * small, "at n = 1e12, against 1000 times that at 1e6")


@logarithm_of_the_table.corrected(
    "O(n epsilon/sqrt p + n log(n epsilon/sqrt p)): at 2^T = n epsilon/sqrt(p) and constant m, "
    "4 m n epsilon/sqrt(p) + n log_2(n epsilon/sqrt(p)) - 4 m",
    refuses={
        "2^T m for the steps": {"steps": 1},
        "T for n T": {"full": 0},
        "(n epsilon)^2/p": {"power": 2},
        "log(n epsilon/p)": {"inside": 1},
    },
)
def convex_calls(steps: int = 2, full: int = 1, power: int = 1, inside: int = 2) -> Outcome:
    """Epoch s calls n + 2 2^s m gradients: n T + 4 (2^T - 1) m in all [step "calls"].

    At 2^T = n epsilon/sqrt(p) it is the sum of the table [step "table"].
    """
    s = sp.Symbol("s", integer=True)
    T = sp.Symbol("T", positive=True, integer=True)
    n, m, epsilon, p, x = symbols("n m epsilon p x")
    total = sp.summation(n + 2 * 2**s * m, (s, 1, T))

    def calls(power_of_two: Any, rounds: Any) -> Any:
        return n**full * rounds + 2 * steps * (power_of_two - 1) * m

    most = (n * epsilon / sp.sqrt(p)) ** power
    logarithm = sp.log(n * epsilon / p ** sp.Rational(1, inside), 2)
    reached = {x: n * epsilon / sp.sqrt(p)}
    return derived(
        calls=identity((total, calls(2**T, T))),
        table=identity(
            (calls(x, sp.log(x, 2)).subs(reached), 4 * m * most + n * logarithm - 4 * m)
        ),
    )


@statement(
    "004 Table 3.3",
    lines="588-594, 806",
    kind="utility",
    printed="Algorithm 3.1.4: error O(sqrt(G_C^2 + ||C||^2)/(n epsilon)), gradient complexity "
    "O(n^1.5 sqrt(epsilon)/(G_C^2 + ||C||^2)^{1/4})",
    checked="its row, at T^2 = n epsilon/sqrt(G_C^2 + ||C||^2)",
    added="||C||_2 and V(x*, x_0) are constants, as L and G are",
    refuses={
        "n^2": {"power": "2"},
        "error (G_C^2 + ||C||^2)^{1/4}": {"width": "1/4"},
        "error over (n epsilon)^{2/3}": {"rate": "2/3"},
    },
)
def high_dimensional_row(power: str = "3/2", width: str = "1/2", rate: str = "1") -> Outcome:
    """T full gradients [step "calls"]; (3.58) at L = V = 1 and (3.9), sigma^2 = c T/(n epsilon)^2.

    W = G_C^2 + ||C||^2: without noise V/T^2 [step "error"], with it T sigma^2 W [step "noise"].
    """
    n, epsilon, W, c = symbols("n epsilon W c")
    steps = sp.sqrt(n * epsilon / sp.sqrt(W))
    printed = n ** sp.Rational(power) * sp.sqrt(epsilon) / W ** sp.Rational(1, 4)
    error = W ** sp.Rational(width) / (n * epsilon) ** sp.Rational(rate)
    return derived(
        calls=identity((n * steps, printed)),
        error=identity((1 / steps**2, error)),
        noise=identity((c * steps**2 * W / (n * epsilon) ** 2, c * error)),
    )
