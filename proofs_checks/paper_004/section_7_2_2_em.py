"""Section 7.2.2: EM, the Gaussian mixture and the definitions."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks import em_mixture as shared
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement

statement = partial(any_statement, algorithms=("diss-7.2.56",))


@statement(
    "004 (7.41)",
    lines="9432",
    kind="optimisation",
    printed="(l_n(beta) - l_n(beta'))/n >= Q_n(beta; beta') - Q_n(beta'; beta')",
    refuses={"0.9 of the left side": {"factor": 0.9}},
)
def lower_bound(rng: np.random.Generator, factor: float = 1.0) -> Outcome:
    """See :func:`proofs_checks.em_mixture.lower_bound_of_likelihood`."""
    return shared.lower_bound_of_likelihood(rng, factor)


not_checkable(
    "004 (7.42)",
    lines="9436",
    kind="definition",
    printed="q_i(beta; beta') = int k_beta'(z|y_i) log f_beta(y_i, z) dz",
    reason="a definition",
    algorithms=("diss-7.2.56",),
)


not_checkable(
    "004 (7.43)",
    lines="9440",
    kind="definition",
    printed="Q(beta; beta') = E q(beta; beta')",
    reason="a definition",
    algorithms=("diss-7.2.56",),
)


not_checkable(
    "004 (7.44)",
    lines="9460",
    kind="definition",
    printed="Y = Z beta* + V, Z = +-1 fair, V ~ N(0, sigma^2 I)",
    reason="a definition",
    algorithms=("diss-7.2.56",),
)


@statement(
    "004 (7.45)",
    lines="9464-9466",
    kind="identity",
    printed="grad q(beta; beta) = (2w - 1) y - beta, w = 1/(1 + exp(-<beta, y>/sigma^2))",
    false="the exponent lacks a factor 2: w is not the posterior, and beta* is no fixed point",
    errata=(("model-gmm", 1),),
)
def weight() -> Outcome:
    """See :func:`proofs_checks.em_mixture.printed_weight`."""
    return shared.printed_weight()


@weight.corrected(
    "the same with w = 1/(1 + exp(-2<beta, y>/sigma^2)), for sigma^2 q; E(2w-1)Y = beta* at beta*",
    refuses={"2.1 for 2": {"factor": "2.1"}, "1 for 2": {"factor": "1"}},
)
def doubled_weight(factor: str = "2") -> Outcome:
    """See :func:`proofs_checks.em_mixture.posterior_weight`."""
    return shared.posterior_weight(factor)


not_checkable(
    "004 Definition 7.2.1",
    lines="9498",
    kind="definition",
    printed="self-consistent: beta* maximises Q(.; beta*)",
    reason="a definition",
    algorithms=("diss-7.2.56",),
)


not_checkable(
    "004 Definition 7.2.2",
    lines="9500-9502",
    kind="definition",
    printed="Lipschitz-Gradient-2, (7.52)",
    reason="a definition",
    algorithms=("diss-7.2.56",),
)


not_checkable(
    "004 Definition 7.2.3",
    lines="9508",
    kind="definition",
    printed="Q(.; beta*) is mu-smooth on B",
    reason="a definition",
    algorithms=("diss-7.2.56",),
)


not_checkable(
    "004 Definition 7.2.4",
    lines="9510",
    kind="definition",
    printed="Q(.; beta*) is v-strongly concave on B",
    reason="a definition",
    algorithms=("diss-7.2.56",),
)
