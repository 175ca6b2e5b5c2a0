"""Section 7.2.8: sub-exponential and sub-Gaussian variables, symmetrisation."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks.em import tails as shared
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.statement import twin as any_twin

statement = partial(any_statement, algorithms=("diss-7.2.56",))
twin = partial(any_twin, algorithms=("diss-7.2.56",))

twin("004 Definition 7.2.5", of="000 Definition 8", lines="9894")
twin("004 Definition 7.2.6", of="000 Definition 9", lines="9898")
twin("004 Definition 7.2.7", of="000 Definition 10", lines="9910")
twin("004 Definition 7.2.8", of="000 Definition 11", lines="9914")
twin("004 Lemma 7.2.10", of="000 Lemma 9", lines="9900")
twin("004 Lemma 7.2.11", of="000 Lemma 10", lines="9904")
twin("004 Lemma 7.2.12", of="000 Lemma 11", lines="9906")
twin("004 Lemma 7.2.13", of="000 Lemma 12", lines="9918")
twin("004 Lemma 7.2.14", of="000 Lemma 13", lines="9920")
twin("004 Lemma 7.2.15", of="000 Lemma 14", lines="9924")
twin("004 Lemma 7.2.16", of="000 Lemma 15", lines="9928")


@statement(
    "004 Lemma 7.2.17",
    lines="9934",
    kind="concentration",
    printed="E phi(|sup_f sum eps_i phi_i(f)|) <= E phi(2|L sup_f sum eps_i f|), phi_i(0) = 0",
    refuses={"0.9 L for 2L": {"factor": 0.9}},
    slack="in the search L or little more does for 2L",
    unchecked={
        "phi": "the identity and three exponentials are tried",
        "phi_i": "four kinds are tried, such as tanh",
    },
)
def comparison(rng: np.random.Generator, factor: float = 2.0) -> Outcome:
    """See :func:`proofs_checks.em.tails.comparison`."""
    return shared.comparison(rng, factor, absolute=True)
