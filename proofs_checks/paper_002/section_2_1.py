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
    refuses={"Q_n alone": {"entropy": 0}},
    algorithms=("zhang-2",),
)
def jensen(entropy: int = 1) -> Outcome:
    """The gap is the divergence of k_{beta^t} from k_{beta^{t+1}}, one record at a time.

    At every z the integrand of log h - int k (log f - log k), int k = 1, is -k log(k'/k) with
    k' = f/h at beta^{t+1} [step "gap"]. It is at least k - k', whose integral is 0: -log u >= 1 - u
    at u = k'/k, because u - 1 - log u has slope (u - 1)/u [step "slope"], so that its least value
    is 0, at u = 1.
    """
    f, h, k, u = symbols("f h k u")  # joint and marginal density at beta^{t+1}, k_{beta^t} at z
    bound = k * sp.log(f) - entropy * k * sp.log(k)
    return derived(
        gap=identity((k * sp.log(h) - bound, -k * sp.log(f / h / k))),
        slope=identity((sp.diff(u - 1 - sp.log(u), u), (u - 1) / u)),
    )
