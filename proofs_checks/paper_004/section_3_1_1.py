"""Section 3.1.1: what tables 3.1 to 3.3 say of the section's own algorithms.

Calls of one gradient; ell is the logarithm of the table, L = G = 1 and ln(1/delta) is left out.
What other works achieve is theirs to prove. One gradient a step is not private with the noise that
the theorems state at these numbers of steps: (3.3), (3.7), Theorem 3.1.3.
"""

from __future__ import annotations

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import derived, for_all, identity, reals, symbols


@statement(
    "004 Table 3.1",
    lines="560-566, 676, 713",
    kind="utility",
    printed="gradient complexities O((n + kappa) log(n epsilon/sqrt p)) of Algorithm 3.1.1 and "
    "O((n + sqrt(kappa n)) log(n epsilon/sqrt p)) of Algorithm 3.1.2",
    checked="calls at m = k kappa and T = ell, and in the two cases of Theorem 3.1.3",
    refuses={"without n": {"full": 0}, "sqrt(kappa n)/2": {"constant": 1}},
)
def strongly_convex_calls(full: int = 1, constant: int = 2) -> Outcome:
    """An epoch calls n + 2 m gradients. Algorithm 3.1.1: (n + 2 k kappa) ell [step "svrg"].

    Algorithm 3.1.2, n <= kappa: m = 3n/4 and T = sqrt(kappa/n) ell make 5/2 sqrt(kappa n) ell [step
    "small n"]; n >= kappa: m = 3 kappa/4 makes at most 5/2 n ell [step "large n"].
    """
    n, kappa, k, ell = symbols("n kappa k ell")
    count, ratio = reals("n kappa")
    rounds = sp.sqrt(kappa / n) * ell
    return derived(
        svrg=identity((ell * (n + 2 * k * kappa), (full * n + 2 * k * kappa) * ell)),
        small_n=identity(
            (
                rounds * (n + 2 * sp.Rational(3, 4) * n),
                sp.Rational(5, constant) * sp.sqrt(kappa * n) * ell,
            )
        ),
        large_n=for_all(2 * count + 3 * ratio <= 5 * count, ratio >= 1, count >= ratio),
    )


@statement(
    "004 Table 3.2",
    lines="582-586, 762, 1273",
    kind="utility",
    printed="gradient complexity O(n epsilon/sqrt p + n log(n epsilon/p)) of Algorithm 3.1.3",
    checked="calls at 2^T = n epsilon/sqrt(p); log(n epsilon/sqrt p) for log(n epsilon/p)",
    refuses={"2^T m for the steps": {"steps": 1}, "T for n T": {"full": 0}},
)
def convex_calls(steps: int = 2, full: int = 1) -> Outcome:
    """Epoch s calls n + 2 2^s m gradients: n T + 4 (2^T - 1) m in all."""
    s = sp.Symbol("s", integer=True)
    T = sp.Symbol("T", positive=True, integer=True)
    n, m = symbols("n m")
    total = sp.summation(n + 2 * 2**s * m, (s, 1, T))
    return derived(calls=identity((total, n**full * T + 2 * steps * (2**T - 1) * m)))


@statement(
    "004 Table 3.3",
    lines="588-594, 806",
    kind="utility",
    printed="gradient complexity O(n^1.5 sqrt(epsilon)/(G_C^2 + ||C||^2)^{1/4}) of Algorithm 3.1.4",
    checked="n T at T^2 = n epsilon/sqrt(G_C^2 + ||C||^2)",
    special_case_of="004 Theorem 3.1.7, gradient complexity",
    refuses={"n^2": {"power": "2"}},
)
def high_dimensional_calls(power: str = "3/2") -> Outcome:
    """T full gradients."""
    n, epsilon, W = symbols("n epsilon W")
    steps = sp.sqrt(n * epsilon / sp.sqrt(W))
    printed = n ** sp.Rational(power) * sp.sqrt(epsilon) / W ** sp.Rational(1, 4)
    return identity((n * steps, printed))
