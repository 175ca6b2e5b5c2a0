"""Section 2.2: the local model."""

from __future__ import annotations

import itertools

import numpy as np

from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import definition, every, searched
from reference.privacy.mechanisms import RandomizedResponse


@statement(
    "004 Definition 2.2.1",
    lines="442-456",
    kind="definition",
    printed="Q_i(S | x, z_{1:i-1}) <= e^eps Q_i(S | x', z_{1:i-1}) + delta for all x, x', z and S",
    refuses={"0.9 eps": {"factor": 0.9}},
    unchecked={
        "Q_i": "in the steps the kernels of randomised response, for two users",
        "S": "single messages, by which pure privacy is decided",
        "z_{1:i-1}, z": "the first user's message, on which the second budget depends; all are "
        "tried",
        "x'": "all pairs of inputs are tried",
        "delta": "0 in the steps; not checked: positive delta",
    },
    algorithms=("chapter-2",),
)
def local_dp(factor: float = 1.0) -> Outcome:
    """Kernels of sequentially interactive randomised response, all histories enumerated.

    One user is one record; the second user's budget depends on the first one's message.
    """
    worst, mass, tried = 0.0, 0.0, 0
    for epsilon, categories in itertools.product((0.1, 1.0, 4.0), (2, 3, 10)):
        outputs = np.arange(categories)
        for budget in (epsilon, *(epsilon / (1 + message) for message in range(categories))):
            kernel = RandomizedResponse(budget, categories)
            inputs = (np.full(categories, float(x)) for x in range(categories))
            rows = np.stack([np.exp(kernel.log_density(outputs, row, 1)) for row in inputs])
            mass = max(mass, float(abs(rows.sum(axis=1) - 1).max()))
            worst = max(worst, float(np.log(rows[:, None] / rows[None]).max()) / epsilon)
            tried += 1
    return definition(
        every(
            searched(worst, factor * (1 + 1e-12), tried=tried, what="largest loss over epsilon"),
            searched(mass, 1e-12, tried=tried, what="a kernel's total mass less 1"),
        )
    )


not_checkable(
    "004 Definition 2.2.2",
    lines="474-482",
    kind="definition",
    printed="M_n^Int = inf over sequential eps-LDP Q of the minimax risk; M_n^Nint over "
    "non-interactive ones",
    reason="an infimum over all kernels and estimators; the classes are nested, so "
    "M_n^Int <= M_n^Nint",
    algorithms=("chapter-2",),
)
