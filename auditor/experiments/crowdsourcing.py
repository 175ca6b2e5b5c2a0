"""Experiments on crowds, for the theorems of Wang (2020), section 7.1, which prints none.

Theorem 7.1.4's instance (l.9146): n^delta experts among spammers. In addition, a crowd of random
abilities. The rules read the same flipped answers: a vote, Dawid-Skene started from that vote (the
start that (7.14) asks for cannot be had in private), and the rule that knows the abilities.
In addition, Dawid-Skene on the answers themselves, started from their vote.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from auditor.core.context import Tier
from auditor.experiments.experiment import (
    Errors,
    Experiment,
    Panel,
    Trend,
    below,
    columns,
    falls,
    rises,
)
from reference._validation import FloatArray
from reference.crowdsourcing.dawid_skene import dawid_skene, private_dawid_skene
from reference.crowdsourcing.majority import majority_vote, private_majority_vote
from reference.crowdsourcing.one_coin import (
    experts_and_spammers,
    majority_error,
    oracle_error,
    oracle_vote,
    perturbed_chances,
    sample_crowd,
)
from reference.privacy.ledger import Ledger

FAMILY = "crowdsourcing"
MAJORITY, DAWID_SKENE, ORACLE = "private majority", "private Dawid-Skene", "abilities known"
NOT_PRIVATE = "Dawid-Skene, not private"
EXACT_MAJORITY, EXACT_ORACLE, BOUND = "majority, exact", "abilities known, exact", "(7.19)"
N_TASKS, N_ITERATIONS, MARGIN = 5000, 5, 0.05
EXPONENT, INSTANCE_EPSILON = 0.4, 2.0
SETTING = f"m = {N_TASKS}, T = {N_ITERATIONS}, lambda = {MARGIN}, started from the private vote."


def shares_wrong(
    abilities: FloatArray, *, epsilon: float, rng: np.random.Generator
) -> dict[str, float]:
    """Return the share of wrong labels of every rule, on the same answers and the same flips.

    Parameters
    ----------
    abilities : ndarray of shape (n,)
    epsilon : float
    rng : Generator
    """
    truth, answers = sample_crowd(abilities, N_TASKS, rng)
    seed = int(rng.integers(2**63))  # the same flips for all
    flipped = Ledger(seed).randomized_response(answers, epsilon=epsilon, unit="attribute")
    estimate = private_dawid_skene(
        answers, epsilon=epsilon, n_iterations=N_ITERATIONS, margin=MARGIN, ledger=Ledger(seed)
    )
    _, soft = dawid_skene(
        answers,
        majority_vote(answers).astype(float),
        n_iterations=N_ITERATIONS,
        margin=MARGIN,
    )
    labels = {
        MAJORITY: private_majority_vote(answers, epsilon=epsilon, ledger=Ledger(seed)),
        DAWID_SKENE: estimate.labels,
        ORACLE: oracle_vote(flipped, perturbed_chances(abilities, epsilon=epsilon)),
        NOT_PRIVATE: (soft >= 0.5).astype(np.int64),
    }
    return {rule: float(np.mean(found != truth)) for rule, found in labels.items()}


def exact_errors(n_workers: int) -> dict[str, float]:
    """Return what is known of the instance: both exact errors, and the bound of (7.19)."""
    abilities = experts_and_spammers(n_workers, EXPONENT)
    chances = perturbed_chances(abilities, epsilon=INSTANCE_EPSILON)
    experts = int((abilities == 1).sum())
    bound = 2 * math.exp(-(math.tanh(INSTANCE_EPSILON / 2) ** 2) * experts / 2)
    return {
        EXACT_MAJORITY: sum(majority_error(chances)) / 2,
        EXACT_ORACLE: oracle_error(chances),
        BOUND: bound,
    }


def over_workers(sizes: Sequence[int], rng: np.random.Generator) -> Errors:
    """Return the errors on the instance of Theorem 7.1.4 over n."""
    return columns(
        [
            shares_wrong(experts_and_spammers(n, EXPONENT), epsilon=INSTANCE_EPSILON, rng=rng)
            | exact_errors(n)
            for n in sizes
        ]
    )


def over_epsilon(epsilons: Sequence[float], n_workers: int, rng: np.random.Generator) -> Errors:
    """Return the errors over epsilon of a crowd with abilities uniform in [.4, .95]."""
    abilities = rng.uniform(0.4, 0.95, size=n_workers)
    return columns([shares_wrong(abilities, epsilon=epsilon, rng=rng) for epsilon in epsilons])


def _instance_panels(tier: Tier) -> list[Panel]:
    sizes = (100, 400, 1600) if tier == "quick" else (100, 200, 400, 800, 1600, 3200)
    trial = partial(over_workers, sizes)
    return [Panel("experts and spammers", "n", sizes, trial, "share wrong", True, log_y=False)]


def _random_panels(tier: Tier) -> list[Panel]:
    epsilons = (0.5, 1.0, 2.0) if tier == "quick" else (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
    return [
        Panel(
            f"{n} workers",
            "epsilon",
            epsilons,
            partial(over_epsilon, epsilons, n),
            "share wrong",
            log_y=False,
        )
        for n in (20, 80)
    ]


EXPERIMENTS = (
    Experiment(
        name="004 Theorem 7.1.4",
        algorithm="diss-7.1.majority",
        caption="Experts and spammers: the error of a vote, of Dawid-Skene, and of the best rule.",
        setting="The paper's: n^delta experts. Chosen here: delta = 0.4, epsilon = 2, " + SETTING,
        panels=_instance_panels,
        trends=(
            Trend("the vote is worse than the bound of (7.19) says", 0, below(BOUND, MAJORITY)),
            Trend("the error of the vote grows with n", 0, rises(MAJORITY)),
            Trend("Dawid-Skene is below the bound of (7.19)", 0, below(DAWID_SKENE, BOUND)),
            Trend("the error of Dawid-Skene falls with n", 0, falls(DAWID_SKENE)),
            Trend("Dawid-Skene is better than the vote", 0, below(DAWID_SKENE, MAJORITY)),
            Trend("known abilities are better than estimated ones", 0, below(ORACLE, DAWID_SKENE)),
            Trend("privacy costs Dawid-Skene accuracy", 0, below(NOT_PRIVATE, DAWID_SKENE)),
        ),
    ),
    Experiment(
        name="004 Section 7.1 random crowd",
        algorithm="diss-7.1.54",
        caption="Abilities uniform in [0.4, 0.95].",
        setting="Chosen here: all; " + SETTING,
        panels=_random_panels,
        trends=tuple(
            Trend(f"{n} workers: {words}", panel, gain)
            for panel, n in enumerate((20, 80))
            for words, gain in (
                ("the error of Dawid-Skene falls with epsilon", falls(DAWID_SKENE)),
                ("the error of the vote falls with epsilon", falls(MAJORITY)),
                ("Dawid-Skene is better than the vote", below(DAWID_SKENE, MAJORITY)),
                ("known abilities are better than estimated ones", below(ORACLE, DAWID_SKENE)),
                ("privacy costs Dawid-Skene accuracy", below(NOT_PRIVATE, DAWID_SKENE)),
            )
        ),
    ),
)
