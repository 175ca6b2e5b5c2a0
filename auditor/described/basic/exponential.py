"""The exponential mechanism (diss-2.exponential): audit and settings."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor import Case, Everything, Form, Setting, along, averaged, form
from auditor.described.data.small_basic import FEW, USUAL, unclipped
from auditor.described.data.vectors import one_record
from reference.basic.exponential import exponential_mechanism
from reference.privacy.ledger import Ledger

CANDIDATES = 5


def _form(bound: float = 1.0, **options: Any) -> Form:
    """On a record that turns the first candidate against all the others.

    The first is selected with probability 0.292 or 0.132, odds of e^0.80; with more candidates
    they come closer to e, but are rarer to see.
    """
    turned = np.full(CANDIDATES, -bound)
    turned[0] = bound
    return form(
        exponential_mechanism,
        one_record(3, turned, -turned),
        epsilon=1.0,
        bound=bound,
        domain=Everything((CANDIDATES,)),
        **options,
    )


def _error(rng: np.random.Generator, ledger: Ledger, epsilon: float) -> float:
    """Return how far the total of the selected candidate is below the largest.

    The totals are 0, -1, -2, ...: at every epsilon there are candidates within its reach.
    """
    totals = -np.arange(400.0)
    selected = exponential_mechanism(totals[None] / 800, epsilon=epsilon, bound=0.5, ledger=ledger)
    return selected / 800


def exponential() -> Case:
    """Select among five candidates; nothing printed fails."""
    lemma = "Lemma 2.1.3: OPT - u = O(Delta u log|R|/epsilon)"
    epsilons, of_hundred = (20.0, 40.0, 80.0, 160.0), averaged(_error, 100)
    return Case(
        id="diss-2.exponential",
        forms={"corrected": _form(statistic=lambda selected: float(selected == 0))},
        scaling=(along("epsilon", epsilons, -1.0, error=of_hundred, repetitions=8, claim=lemma),),
        no_real_data="diss-4.1.19 stands for selections on real data",
        mutants=unclipped(_form),
    )


def settings() -> tuple[Setting, ...]:
    """Exponential mechanism."""
    near = np.array([[1000.00003, 0.114645], [-1000.0, 0.0]])
    return (
        Setting(
            "by-hand",
            "Three records give to two candidates; what exceeds 1 is cut.",
            {"data": FEW, "epsilon": 2.0, "bound": 1.0},
            seed=4,
            noiseless=0,
        ),
        Setting(
            "near-tie",
            "Two records nearly cancel; what is left, which single precision does not see, decides "
            "between candidates of nearly the same noisy total.",
            {"data": near, "epsilon": 1e5, "bound": 2000.0},
        ),
        Setting(
            "middle",
            "Four candidates whose totals are near each other: the noise decides.",
            {"data": USUAL, "epsilon": 1.0, "bound": 1.0},
            seed=4,
        ),
    )


CASES = {"diss-2.exponential": exponential}
SETTINGS = {"diss-2.exponential": settings}
