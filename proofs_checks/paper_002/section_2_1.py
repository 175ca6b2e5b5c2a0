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
    """The gap is the divergence of k_{beta^t} from k_{beta^{t+1}} [step "gap", z of two values].

    It is not negative: -log u >= 1 - u, because u - 1 - log u has slope (u - 1)/u [step "slope"],
    so that its least value is 0, at u = 1.
    """
    f, g, odds, u = symbols("f g odds u")
    k = odds / (1 + odds)
    h = f + g  # the marginal at beta^{t+1}, f and g the joint densities of the two values
    bound = k * sp.log(f) + (1 - k) * sp.log(g)
    bound -= entropy * (k * sp.log(k) + (1 - k) * sp.log(1 - k))
    divergence = k * (sp.log(k) - sp.log(f) + sp.log(h))
    divergence += (1 - k) * (sp.log(1 - k) - sp.log(g) + sp.log(h))
    return derived(
        gap=identity((sp.log(h) - bound, divergence)),
        slope=identity((sp.diff(u - 1 - sp.log(u), u), (u - 1) / u)),
    )
