"""How the convex family (dissertation chapter 3) is audited."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.optimize import minimize

from auditor.cases.data.linear_models import RepeatedRecords, distinct_records
from auditor.core.case import BlackBox, Case, Data, Form, Scaling
from auditor.core.mutation import scaled_claim
from auditor.core.neighbours import Ball, Everything, Product
from reference._validation import FloatArray
from reference.convex.svrg import dp_svrg
from reference.losses import Huber, Logistic, Records
from reference.privacy.guarantees import ZCDP, ApproximateDP, zcdp_rho
from reference.privacy.ledger import Ledger
from reference.proximal import Ridge

# --------------------------------------------------------------------- diss-3.1.1 DP-SVRG

_COSINE = 0.4
_UP = np.array([_COSINE, math.sqrt(1 - _COSINE**2)])
_DOWN = np.array([_COSINE, -math.sqrt(1 - _COSINE**2)])
_START = np.array([-20.0, 0.0])


def _turning_record(n: int, length: float) -> tuple[Data, Data]:
    """Return neighbours whose gradients at the snapshot and after one step pull the other way.

    Every loss is Huber's with its kink at <a, x> = -6 length. The first snapshot (-20, 0) lies
    on the flat side of it, where a gradient is -a; a step later x is near (-10, 0) on the other,
    where it is +a. All records have a = length (0.4, -0.92) but record 0 of the first data set,
    a = length (0.4, 0.92): while it is in the batch, v moves by almost 4 G/b.
    """
    features = np.tile(length * _DOWN, (n, 1))
    labels = np.full(n, -6.0 * length)
    turned = features.copy()
    turned[0] = length * _UP
    return (turned, labels), (features, labels)


def _svrg(
    *,
    n: int,
    epsilon: float,
    delta: float,
    n_epochs: int,
    n_inner: int,
    batch_size: int | None = None,
    constant: float | None = None,
    feature_bound: float = 1.0,
    violates: dict[str, int] | None = None,
    no_black_box: str = "",
    loss_samples: int = 1000,
) -> Form:
    loss = Huber(feature_bound=feature_bound)
    pair = _turning_record(n, feature_bound)
    claim = ApproximateDP(epsilon, delta)

    def run(data: Data, ledger: Ledger) -> FloatArray:
        return dp_svrg(
            data,
            loss,
            Ridge(1.0),
            initial=_START,
            epsilon=epsilon,
            delta=delta,
            n_epochs=n_epochs,
            n_inner=n_inner,
            step_size=1.0,
            batch_size=batch_size,
            constant=constant,
            ledger=ledger,
        )

    return Form(
        run=run,
        claim=claim,
        pair=pair,
        replaced=0,
        parameters={
            "n": n,
            "p": 2,
            "epsilon": epsilon,
            "delta": delta,
            "T": n_epochs,
            "m": n_inner,
            "b": 1 if constant is not None else batch_size,
            "eta": 1.0,
            "mu": 1.0,
            "G": loss.lipschitz,
            "c": constant,
        },
        domain=Product((Ball(2, feature_bound), Everything(()))),
        design=ZCDP(zcdp_rho(epsilon, delta)) if batch_size == n else None,
        violates=violates or {},
        black_box=None
        if no_black_box
        # record 0 of the first data set pushes x downwards
        else BlackBox(run, claim, pair, lambda x: -float(x[1])),
        no_black_box=no_black_box,
        loss_samples=loss_samples,
    )


# scaling: logistic loss with ridge, kappa = L/mu = 2; one epoch of 200 steps of size 1/(12 L)
# divides the gap by about 70
_RIDGE = Ridge(0.125)
_INNER, _EPOCHS, _DIMENSION = 200, 4, 10


@cache
def _scaling_problem() -> tuple[Records, float]:
    """Return the distinct records and the smallest regularised risk."""
    loss, records = Logistic(), distinct_records(60, _DIMENSION, "l2", flipped=0.3)

    def risk(x: FloatArray) -> float:
        return float(loss.values(records, x).mean()) + _RIDGE.value(x)

    def slope(x: FloatArray) -> FloatArray:
        return loss.gradient(records, x) + _RIDGE.strength * x

    best = minimize(risk, np.zeros(_DIMENSION), jac=slope, tol=1e-12)
    return records, float(best.fun)


def _svrg_error(n: float, rng: np.random.Generator) -> float:
    """Excess regularised risk at full batch, the number of steps fixed: sigma is of order 1/n."""
    records, smallest = _scaling_problem()
    loss = Logistic()
    x = dp_svrg(
        np.arange(int(n)),
        RepeatedRecords(loss, records),
        _RIDGE,
        initial=np.zeros(_DIMENSION),
        epsilon=1.0,
        delta=1e-5,
        n_epochs=_EPOCHS,
        n_inner=_INNER,
        step_size=1 / (12 * loss.smoothness),
        batch_size=int(n),
        ledger=Ledger(rng),
    )
    return float(loss.values(records, x).mean()) + _RIDGE.value(x) - smallest


def dp_svrg_case() -> Case:
    """Variance-reduced gradients of a sampled batch; the seed's noise ignores who is sampled."""
    return Case(
        id="diss-3.1.1",
        forms={
            # the whole data set as batch: the accounting is exact, so that every mutant shows
            "corrected": _svrg(n=10, epsilon=1.0, delta=1e-2, n_epochs=2, n_inner=2, batch_size=10),
            "corrected-sampled": _svrg(
                n=50,
                epsilon=1.0,
                delta=1e-2,
                n_epochs=2,
                n_inner=2,
                batch_size=5,
                loss_samples=200,
            ),
            # record 0 is drawn after the first step with probability 1 - 0.98^14 = 0.25
            "printed": _svrg(
                n=50,
                epsilon=1.0,
                delta=1e-2,
                n_epochs=1,
                n_inner=15,
                constant=8.0,
                violates={"accounting": 2, "privacy_loss": 2},
                no_black_box="the output averages the steps; the loss of the transcript decides",
                loss_samples=80,
            ),
            # Remark 3.1.1: c = 8 and log(T/delta) = 6.9 times the noise; drawn w.p. 0.17
            "printed-2": _svrg(
                n=60,
                epsilon=6.0,
                delta=1e-3,
                n_epochs=1,
                n_inner=12,
                constant=8.0 * math.log(1 / 1e-3) ** 2,
                violates={"accounting": 3, "privacy_loss": 3},
                no_black_box="the output averages the steps; the loss of the transcript decides",
                loss_samples=120,
            ),
        },
        scaling=(
            Scaling(
                name="n",
                values=tuple(12000.0 * 2**k for k in range(5)),
                error=_svrg_error,
                claimed_slope=-2.0,
                repetitions=10,
                claim="Theorem 3.1.2: excess risk = O~(p log(1/delta)/(n epsilon)^2) at given T, m",
            ),
        ),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(
                _svrg(
                    n=10,
                    epsilon=1.0,
                    delta=1e-2,
                    n_epochs=2,
                    n_inner=2,
                    batch_size=10,
                    feature_bound=1e3,
                    no_black_box="a mutant",
                ),
                1e-3,
            )
        },
    )


CASES: dict[str, Callable[[], Case]] = {"diss-3.1.1": dp_svrg_case}
