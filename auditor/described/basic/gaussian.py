"""How the Gaussian mechanism (diss-2.gaussian) is audited."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Everything, Form, along, form, scaled_claim
from auditor.described.data.vectors import one_record
from reference.basic.gaussian import gaussian_mechanism
from reference.errata.basic import gaussian as errata
from reference.privacy.ledger import Ledger


def _form(function: Any = gaussian_mechanism, *, bound: float = 1.0, **options: Any) -> Form:
    """On a record at opposite ends in both entries."""
    return form(
        function,
        one_record(3, [bound, bound], [-bound, -bound]),
        bound=bound,
        domain=Everything((2,)),
        **options,
    )


def _right(bound: float = 1.0, **options: Any) -> Form:
    return _form(bound=bound, epsilon=1.0, delta=1e-2, **options)


def _error(rng: np.random.Generator, ledger: Ledger, p: float) -> float:
    """Return the root mean square of the noise's norm, over 200 releases."""
    zeros = np.zeros((1, int(p)))
    # Delta_2 = 1 whatever p
    bound = 0.5 / np.sqrt(p)
    noise = [
        gaussian_mechanism(zeros, epsilon=1.0, delta=1e-5, bound=bound, ledger=ledger)
        for _ in range(200)
    ]
    return float(np.sqrt(np.mean(np.square(noise).sum(axis=1))))


def gaussian() -> Case:
    """Release a sum of two bounded entries a record; the classical sigma fails at large epsilon."""
    recipe = partial(along, error=_error, repetitions=8)
    return Case(
        id="diss-2.gaussian",
        forms={
            "corrected": _right(statistic=lambda total: float(total.sum())),
            # delta(20) = 0.98
            "printed": _form(
                errata.printed,
                epsilon=20.0,
                delta=0.1,
                no_black_box="at odds of e^20 no affordable number of runs can show a violation",
                violates={"accounting": "diss-2.gaussian/E1", "privacy_loss": "diss-2.gaussian/E1"},
            ),
        },
        scaling=(
            recipe(
                "p",
                (1.0, 4.0, 16.0, 64.0),
                0.5,
                claim="E||Y||_2^2 = p sigma^2 at given Delta_2",
                dear=True,
            ),
        ),
        no_real_data="DP-PGD stands for Gaussian noise on real data",
        mutants={
            # entries up to 1000, noise for entries up to 1
            "clipping dropped": scaled_claim(_right(bound=1e3, no_black_box="a mutant"), 1e-3)
        },
    )


CASES = {"diss-2.gaussian": gaussian}
