"""The Gaussian mechanism (diss-2.gaussian): audit and settings."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor import Case, Everything, Form, Setting, along, form
from auditor.described.data.small_basic import FEW, FEW_CUT, USUAL, unclipped
from auditor.described.data.vectors import one_record
from reference._validation import FloatArray
from reference.basic.gaussian import Constants, gaussian_mechanism
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
    sizes, claim = (1.0, 4.0, 16.0, 64.0), "E||Y||_2^2 = p sigma^2 at given Delta_2"
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
        scaling=(along("p", sizes, 0.5, error=_error, repetitions=8, claim=claim, expensive=True),),
        no_real_data="DP-PGD stands for Gaussian noise on real data",
        mutants=unclipped(_right),
    )


def iris() -> FloatArray:
    """Return every fifth iris of scikit-learn, in centimetres."""
    from sklearn.datasets import load_iris  # loads slowly

    features, _ = load_iris(return_X_y=True)
    return np.asarray(features[::5], dtype=np.float64).round(6)


def settings() -> tuple[Setting, ...]:
    """Gaussian mechanism."""
    return (
        Setting(
            "by-hand",
            "Three records of two entries, one of which is cut at 1.",
            {"data": FEW, "epsilon": 1.0, "delta": 1e-5, "bound": 1.0}
            | {"constants": Constants(sensitivity=3.0, noise_scale=9.0)},
            noiseless=FEW_CUT.sum(axis=0),
        ),
        Setting(
            "middle",
            "A usual sum of four entries, some of them cut.",
            {"data": USUAL, "epsilon": 1.0, "delta": 1e-5, "bound": 1.25},
        ),
        Setting(
            "large-epsilon",
            "Beyond epsilon = 1 the printed scale is not enough; the exact one is larger.",
            {"data": USUAL[:6], "epsilon": 10.0, "delta": 1e-5, "bound": 0.5},
        ),
        Setting(
            "real-data",
            "Thirty irises: sepals longer than 5 cm are cut.",
            {"data": iris(), "epsilon": 2.0, "delta": 1e-6, "bound": 5.0},
        ),
    )


CASES = {"diss-2.gaussian": gaussian}
SETTINGS = {"diss-2.gaussian": settings}
