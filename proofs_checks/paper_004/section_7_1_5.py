"""Section 7.1.5: private majority voting."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_7_1_6_majority import expert_errors, majority_gap
from proofs_checks.statement import not_checkable, twin
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.crowdsourcing.dawid_skene import private_dawid_skene
from reference.crowdsourcing.one_coin import (
    experts_and_spammers,
    majority_error,
    perturbed_chances,
    sample_crowd,
)
from reference.privacy.ledger import Ledger

statement = partial(any_statement, algorithms=("diss-7.1.54", "diss-7.1.majority"))


@statement(
    "004 Theorem 7.1.4",
    lines="9148-9152",
    kind="utility",
    printed="majority voting: n^delta experts, the rest spammers, epsilon > ln(85/15), n > C: "
    "error >= 2 exp(-tanh(epsilon/2)^2 n^delta/2) >= error of Algorithm 7.1.54",
    false="the second inequality needs an initial vector: y^(0) = 1 - y* has error 1",
    errata=("diss-7.1.majority/E3",),
)
def majority_voting(rng: np.random.Generator) -> Outcome:
    """Start Algorithm 7.1.54 at 1 - y*: its fixed points come in pairs (p, y), (1 - p, 1 - y).

    The hypotheses of Theorem 7.1.2, (7.14) among them, are not repeated in Theorem 7.1.4.
    """
    n, m, epsilon, experts = 400, 4000, 2.0, 20
    ability = np.where(np.arange(n) < experts, 1.0, 0.5)
    truth, answers = sample_crowd(ability, m, rng)
    estimate = private_dawid_skene(
        answers, epsilon=epsilon, n_iterations=3, margin=0.05,
        initial=1.0 - truth, ledger=Ledger(rng),
    )  # fmt: skip
    error = float(np.mean(estimate.labels != truth))
    bound = 2 * math.exp(-(math.tanh(1.0) ** 2) * experts / 2)
    return refuted({"n": n, "m": m, "epsilon": epsilon, "experts": experts}, error, bound, "error")


@majority_voting.corrected(
    "the first inequality, for K = ceil(n^delta) >= log(16)/f(v), K <= .67 sqrt(n - K) and n - K "
    ">= 15, f(v) = (2v - 1)^2/2 + log v, v = e^epsilon/(1 + e^epsilon) >= .85",
    refuses={
        "from v = 0.81 on": {"end": "0.81"},
        "n - K >= 14": {"fewest": 14},
        "K <= .68 sqrt(n - K)": {"most": "0.68"},
        "K >= log(15)/f(v)": {"inverse": 15},
        "2 exp(-0.1 n^delta)": {"rate": 0.1},
    },
    unchecked={
        "delta": "only in the number K of experts, which is any in the steps",
        ".67, 15, .85": "the steps have the figures at these ends",
    },
)
def majority_voting_errs(
    rate: float | None = None,
    end: str = "0.85",
    fewest: int = 15,
    most: str = "0.67",
    inverse: int = 16,
) -> Outcome:
    """The error is at least v^K/8, by the corrected (7.37) [step "experts"].

    Here v = e^epsilon/(1 + e^epsilon).

    That is at least 2 exp(-(2v - 1)^2 K/2) by (7.38), where the quotient exp(-f(v) K) of
    exp(-(2v - 1)^2 K/2) and v^K is at most 1/16 [steps "gap", "ratio", "twice"].

    Besides, the exact error at epsilon = 2, delta = .4 for n = 1000, 10000, 1e5, where y* = 1: the
    smaller one, as ties are right [step "exact"].
    """
    worst, tried = 0.0, 0
    for n in (1000, 10_000, 100_000):
        abilities = experts_and_spammers(n, 0.4)
        _, error = majority_error(perturbed_chances(abilities, epsilon=2.0))
        power = math.tanh(1.0) ** 2 / 2 if rate is None else rate
        worst = max(worst, 2 * math.exp(-power * int((abilities == 1).sum())) / error)
        tried += 1
    gap = symbols("f")
    left, right, quotient = reals("e^(-..) v^K quotient")
    return derived(
        experts=expert_errors(fewest=fewest, most=most),
        gap=majority_gap(end),
        ratio=identity((sp.exp(-gap * sp.log(inverse) / gap), sp.Rational(1, 16))),
        twice=for_all(
            2 * left <= right / 8,
            *(right > 0, left == quotient * right, quotient <= rational("1/16")),
        ),
        exact=searched(worst, 1, tried=tried, what="bound over the exact error"),
    )


majority_voting.restated(
    "004 (7.19)",
    lines="9150",
    printed="(1/m) sum E|y_bar_j - y*_j| >= 2 exp(-tanh(epsilon/2)^2 ceil(n^delta)/2) >= "
    "(1/m) sum |y_hat_j - y*_j|",
)
not_checkable(
    "004 (7.18)",
    lines="9142",
    kind="definition",
    printed="y_bar_j = 1{sum_i X_hat_ij >= n/2}",
    reason="notation",
)
twin(
    "004 Theorem 7.1.4 (privacy)",
    of="004 Theorem 7.1.1",
    lines="9140, 9148",
    printed="private majority voting is epsilon-LADP for every epsilon > 0",
    special_case_of=("004 Theorem 7.1.1",),
    algorithms=("diss-7.1.majority",),
)
