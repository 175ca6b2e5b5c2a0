"""Section 2.1: the EM algorithm."""

from __future__ import annotations

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import derived, identity, symbols

not_checkable(
    "002 (1)",
    lines="42-46",
    kind="definition",
    printed="h_beta(y) = int f_beta(y, z) dz",
    reason="the marginal density of the observed variable",
    algorithms=("zhang-2",),
)


@statement(
    "002 (2)",
    lines="50-55",
    kind="optimisation",
    printed="l_n(beta')/n >= Q_n(beta'; beta) - (1/n) sum int k_beta log k_beta, beta = beta^t",
    refuses={"Q_n alone": {"entropy": 0}, "sum int k log k without 1/n": {"records": 0}},
    algorithms=("zhang-2",),
    unchecked={
        "l_n, n, Q_n": "sums over the records, of which the step has two",
        "beta, t": "name the two parameters; the step has the densities at each",
    },
)
def jensen(entropy: int = 1, records: int = 1) -> Outcome:
    """The gap is the mean over the records of the divergence of k_{beta^t} from k_{beta^{t+1}}.

    (Two records, any number alike.) At every z the integrand of log h - int k (log f - log k),
    int k = 1, is -k log(k'/k) with k' = f/h at beta^{t+1} [step "gap"]. It is at least k - k',
    whose integral is 0: -log u >= 1 - u at u = k'/k, because u - 1 - log u has slope (u - 1)/u
    [step "slope"], so that its least value is 0, at u = 1. Here k = k_beta.
    """
    u, n = symbols("u"), 2
    gap = divergence = sp.Integer(0)
    for i in range(n):  # joint and marginal density at beta^{t+1}, k_{beta^t} at z
        f, h, k = symbols(f"f{i} h{i} k{i}")
        gap += k * sp.log(h) / n - k * sp.log(f) / n + entropy * k * sp.log(k) / n**records
        divergence -= k * sp.log(f / h / k) / n
    return derived(
        gap=identity((gap, divergence)),
        slope=identity((sp.diff(u - 1 - sp.log(u), u), (u - 1) / u)),
    )
