"""How DP-SVRG++ (diss-3.1.3) is audited."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.cases.build import along, form
from auditor.cases.convex.svrg import (
    AVERAGE,
    DIMENSION,
    RIDGE,
    scaling_problem,
    turning_record,
)
from auditor.cases.data.linear_models import RepeatedRecords
from auditor.core.case import Case, Form
from auditor.core.mutation import scaled_claim
from auditor.core.neighbours import Ball, Everything, Product
from reference._validation import FloatArray
from reference.convex.svrg_plus_plus import constants_for, dp_svrg_plus_plus
from reference.errata.convex import svrg_plus_plus as errata
from reference.losses import Huber, Logistic
from reference.privacy.ledger import Ledger
from reference.proximal import Ridge


def _form(function: Any = dp_svrg_plus_plus, *, n: int, bound: float = 1.0, **options: Any) -> Form:
    """With the ridge at which a step of size 1/(13 L) halves x."""
    loss = Huber(feature_bound=bound)
    return form(
        function,
        turning_record(n, bound),
        loss,
        Ridge(13 * loss.smoothness),
        initial=np.array([-20.0, 0.0]),
        domain=Product((Ball(2, bound), Everything(()))),
        **options,
    )


def _right(*, n: int, batch_size: int, bound: float = 1.0, **options: Any) -> Form:
    claim: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2, "n_epochs": 2, "n_inner": 1}
    constants = constants_for(Huber(feature_bound=bound), n=n, batch_size=batch_size, **claim)
    return _form(n=n, bound=bound, constants=constants, **claim, **options)


def _down(x: FloatArray) -> float:
    """Record 0 of the first data set pushes x downwards."""
    return -float(x[1])


def _error(rng: np.random.Generator, n: float) -> float:
    """Return the excess regularised risk at full batch and fixed T, m: sigma is of order 1/n.

    (3.8) follows from that bound with T of order log n; a ridge is one convex r.
    """
    records, smallest = scaling_problem()
    loss, size = Logistic(), int(n)
    claim: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5, "n_epochs": 7, "n_inner": 4}
    x = dp_svrg_plus_plus(
        np.arange(size),
        RepeatedRecords(loss, records),
        RIDGE,
        initial=np.zeros(DIMENSION),
        constants=constants_for(loss, n=size, batch_size=size, **claim),
        ledger=Ledger(rng),
        **claim,
    )
    return float(loss.values(records, x).mean()) + RIDGE.value(x) - smallest


def svrg_plus_plus() -> Case:
    """Epochs of doubling length; the paper's noise ignores who is sampled."""
    theorem = "Theorem 3.1.5 at given T, m: the noise adds sigma^2 p/(4L), of order 1/(n epsilon)^2"
    sizes = tuple(3000.0 * 2**k for k in range(4))
    return Case(
        id="diss-3.1.3",
        forms={
            # the whole data set as batch: the accounting is exact, so that every mutant shows
            "corrected": _right(n=10, batch_size=10, statistic=_down),
            "corrected-sampled": _right(n=50, batch_size=5, no_black_box=AVERAGE),
            # record 0 is drawn after the first step with probability 1 - 0.98^13 = 0.23
            "printed": _form(
                errata.printed,
                n=50,
                epsilon=1.0,
                delta=1e-2,
                n_epochs=1,
                n_inner=7,
                no_black_box=AVERAGE,
                violates={"accounting": 2, "privacy_loss": 2},
            ),
        },
        scaling=(along("n", sizes, -2.0, error=_error, repetitions=6, claim=theorem),),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(
                _right(n=10, batch_size=10, bound=1e3, no_black_box="a mutant"), 1e-3
            )
        },
    )


CASES = {"diss-3.1.3": svrg_plus_plus}
