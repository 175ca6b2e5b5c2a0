"""Appendix B.2: proof of Theorem 4.2."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.facts import statistical_order, union_over_steps
from proofs_checks.paper_002.section_4_1 import MIXTURE
from proofs_checks.paper_002.sensitivity import mixture_change
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, identity, searched, symbols
from reference.errata.em.models import PrintedMixture

statement = partial(any_statement, algorithms=MIXTURE)


@statement(
    "002 (23)",
    lines="802-805",
    kind="sensitivity",
    printed="||f_T - f_T'||_inf <= 2T N0/n",
    special_case_of="002 (33)",
    unchecked={
        "f_T": "the mean of the truncated gradients; the steps have the change of one record",
        "f_T'": "the mean on a neighbour; the steps have the change of one record",
    },
    refuses={"1.9T N0/n": {"factor": "1.9"}, "2T/n": {"batches": 0}},
)
def mixture_sensitivity(factor: str = "2", batches: int = 1) -> Outcome:
    """See :func:`mixture_change`, in a mean of n/N0 records [step "mean"].

    beta = e_1 with y = (1e4, T, -T, -T) and its mirror attains it: the first entry of y decides the
    sign of the printed weight.
    """
    t = 1.7
    pair = np.array([[1e4, t, -t, -t], [-1e4, t, -t, -t]])
    g = PrintedMixture(0.5).truncated_gradients(pair, np.eye(4)[0], t)
    change = float(np.abs(g[0] - g[1]).max()) / t
    n, steps, level = symbols("n N0 T")
    return derived(
        record=mixture_change(factor),
        mean=identity((2 * level / (n / steps), 2 * level * steps**batches / n)),
        attained=searched(
            change, float(factor) * (1 + 1e-12), tried=1, what="change of the code over T"
        ),
    )


@statement(
    "002 (24)",
    lines="809-811",
    kind="utility",
    printed="(sqrt(s-hat) + c1 sqrt(s*/(1-L))) alpha/(1-sqrt kappa) <= C sqrt(s* log d log n/n)",
    added="d >= 2 N0/tau and log n >= 2; constants kappa, L, ||beta*||_inf, sigma, s-hat = O(s*)",
    refuses={
        "the constant 2 for 3": {"constant": "2"},
        "without s*": {"sparsity": 0},
        "n for sqrt(n)": {"records": 2},
    },
    unchecked={
        "s-hat": "at most a constant times s*, and so s in the steps",
        "c1, L, kappa, C": "constants of no claimed value; the steps have the orders of s, d and n",
        "alpha": 'by n0 times its square, size in step "batch"',
    },
)
def statistical_error(constant: str = "3", sparsity: int = 1, records: int = 1) -> Outcome:
    """See :func:`statistical_order`, s = s*."""
    return statistical_order(constant, sparsity, records)


@statement(
    "002 Proof of Theorem 4.2, all steps",
    lines="817-819",
    kind="concentration",
    printed="failure C'/(log d log n) per step: with probability 1 - C' log d none fails",
    checked="with probability 1 - C''/log d none fails",
    misprint="1 - C' log d for 1 - C'/log d",
    refuses={"C''/(log d)^2": {"power": 2}},
)
def union(power: int = 1) -> Outcome:
    """See :func:`union_over_steps`, where C = C'."""
    return union_over_steps(power)
