"""How the non-convex family (dissertation chapter 4) is audited."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np
import statsmodels.api as sm

from auditor.cases.data.linear_models import (
    LABELS,
    RepeatedRecords,
    distinct_records,
    exact_linear_gradient,
    one_visible_record,
)
from auditor.core.case import BlackBox, Case, Data, Form, RealData, Scaling
from auditor.core.mutation import scaled_claim
from auditor.core.neighbours import Ball, Product, replace_record
from reference.losses import (
    Linear,
    LinearModelLoss,
    Sigmoid,
)
from reference.nonconvex.proximal_gradient_descent import (
    Calibration,
    dp_proximal_gradient_descent,
    noise_scale,
)
from reference.nonconvex.random_iterate import RandomIterate
from reference.privacy.guarantees import ZCDP, ApproximateDP, Guarantee, zcdp_rho
from reference.privacy.ledger import Ledger, NoiselessLedger, Transcript
from reference.proximal import L1Norm

# ---------------------------------------------------------------------- diss-4.1.16 DP-PGD


def _pgd(
    loss: LinearModelLoss,
    *,
    epsilon: float,
    delta: float,
    n_iterations: int,
    n: int = 10,
    dimension: int = 2,
    step_size: float = 0.5,
    calibration: Calibration = "corrected",
    constant: float | None = None,
    violates: dict[str, int] | None = None,
    no_black_box: str = "",
    loss_samples: int = 1000,
) -> Form:
    """Return a form on the pair that is worst for the linear loss, and for others near x = 0."""
    pair = one_visible_record(n, dimension, loss.feature_bound)
    claim = ApproximateDP(epsilon, delta)
    corrected = calibration == "corrected" and constant is None

    def run(data: Data, ledger: Ledger) -> RandomIterate:
        return dp_proximal_gradient_descent(
            data,
            loss,
            initial=np.zeros(dimension),
            epsilon=epsilon,
            delta=delta,
            n_iterations=n_iterations,
            step_size=step_size,
            calibration=calibration,
            constant=constant,
            ledger=ledger,
        )

    def exact(data: Data, transcript: Transcript, release: int) -> list[mpmath.mpf]:
        del transcript, release
        return exact_linear_gradient(data)

    return Form(
        run=run,
        claim=claim,
        pair=pair,
        replaced=0,
        parameters={
            "n": n,
            "p": dimension,
            "epsilon": epsilon,
            "delta": delta,
            "T": n_iterations,
            "gamma": step_size,
            "G": loss.lipschitz,
            "L": loss.smoothness,
            "calibration": calibration if constant is None else f"(4.3) with c = {constant:g}",
        },
        domain=Product((Ball(dimension, loss.feature_bound), LABELS)),
        design=ZCDP(zcdp_rho(epsilon, delta)) if corrected else None,
        violates=violates or {},
        black_box=None
        if no_black_box
        # x_R descends along the gradient, which is +e_1 G/n under the first data set
        else BlackBox(run, claim, pair, lambda result: -float(result.output[0])),
        no_black_box=no_black_box,
        exact_query=exact if isinstance(loss, Linear) else None,
        loss_samples=loss_samples,
    )


_TOO_FAR = "at odds of e^{epsilon:g} no affordable number of runs can show a violation"

# scaling: epsilon, delta of the card's recipe
_EPSILON, _DELTA = 1.0, 1e-5


def _pgd_error(n: float, rng: np.random.Generator) -> float:
    """Mean over k of ||x_k - x_{k+1}||/gamma, the expectation over R of Theorem 4.1.2's measure.

    Sigmoid loss with the seed's l1 regulariser, p = 10, at the number of iterations that
    minimises the proof's bound 4 L gap/T + 2 p sigma^2 (sigma^2 = T sigma_1^2, gap <= 1/2).
    """
    dimension = 10
    loss = RepeatedRecords(Sigmoid(), distinct_records(60, dimension, "l2"))
    one = noise_scale(
        _EPSILON,
        _DELTA,
        lipschitz=loss.lipschitz,
        smoothness=loss.smoothness,
        n=int(n),
        n_iterations=1,
    )
    step_size = 1 / (2 * loss.smoothness)
    result = dp_proximal_gradient_descent(
        np.arange(int(n)),
        loss,
        initial=np.zeros(dimension),
        epsilon=_EPSILON,
        delta=_DELTA,
        n_iterations=max(1, round(math.sqrt(loss.smoothness / dimension) / one)),
        step_size=step_size,
        regularizer=L1Norm(5e-5),
        ledger=Ledger(rng),
    )
    steps = np.diff(result.path, axis=0) / step_size
    return float(np.linalg.norm(steps, axis=1).mean())


_FAIR_RANGES = {  # of the survey's codes, public
    "rate_marriage": (1.0, 5.0),
    "age": (17.5, 42.0),
    "yrs_married": (0.5, 23.0),
    "children": (0.0, 5.5),
    "religious": (1.0, 4.0),
    "educ": (9.0, 20.0),
    "occupation": (1.0, 6.0),
    "occupation_husb": (1.0, 6.0),
}


def load_fair() -> Data:
    """Return statsmodels' Fair survey (n = 6366); the label says whether there was an affair.

    Every code is mapped to [-1, 1] by its public range; with an intercept and divided by
    3 = sqrt(9), a row has l2 norm at most 1 whatever its answers.
    """
    survey = sm.datasets.fair.load_pandas().data
    columns = [np.ones(len(survey))]
    for name, (low, high) in _FAIR_RANGES.items():
        columns.append((2 * survey[name].to_numpy(dtype=np.float64) - low - high) / (high - low))
    labels = np.where(survey["affairs"].to_numpy() > 0, 1.0, -1.0)
    return np.column_stack(columns) / math.sqrt(len(columns)), labels


def opposite_record(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    """Replace a random record by the one that pulls hardest the other way at x = 0."""
    features, labels = data
    index = int(rng.integers(len(labels)))
    direction = features[index] / np.linalg.norm(features[index])
    return replace_record(data, index, (direction, -labels[index])), index


_FAIR_DELTA = 1e-5


def _fair_run(data: Data, epsilon: float, ledger: Ledger) -> RandomIterate:
    return dp_proximal_gradient_descent(
        data,
        Sigmoid(),
        initial=np.zeros(data[0].shape[1]),
        epsilon=epsilon,
        delta=_FAIR_DELTA,
        n_iterations=20,
        regularizer=L1Norm(5e-5),
        ledger=ledger,
    )


def _fair() -> RealData:
    data = load_fair()

    def non_private(records: Data) -> RandomIterate:
        # the noiseless ledger's epsilon does not matter
        return _fair_run(records, 1.0, NoiselessLedger(0))

    def error(private: RandomIterate, baseline: RandomIterate) -> float:
        distances = np.linalg.norm(private.path[:-1] - baseline.path[:-1], axis=1)
        return float(distances.mean())

    def claim(epsilon: float) -> Guarantee:
        return ApproximateDP(epsilon, _FAIR_DELTA)

    return RealData(
        name="fair (statsmodels)",
        load=lambda: data,
        run=_fair_run,
        claim=claim,
        neighbour=opposite_record,
        baseline=non_private,
        error=error,
        epsilons=(0.05, 0.1, 0.2, 0.5, 1.0, 2.0),
        metric="distance of x_R from that of the noiseless run, mean over R",
    )


def dp_pgd() -> Case:
    """Proximal gradient descent: full-batch Gaussian composition, three misprinted scales."""
    corrected = _pgd(Linear(), epsilon=1.0, delta=1e-2, n_iterations=4)
    return Case(
        id="diss-4.1.16",
        forms={
            "corrected": corrected,
            # L = G = 1, so that only rho^2 is wrong
            "printed": _pgd(
                Linear(),
                epsilon=10.0,
                delta=1e-2,
                n_iterations=4,
                calibration="box",
                violates={"accounting": 1, "privacy_loss": 1},
                no_black_box=_TOO_FAR.format(epsilon=10),
                loss_samples=400,
            ),
            # small steps: the sigmoid's slope is 1/4 only near x = 0
            "printed-2": _pgd(
                Sigmoid(),
                epsilon=1.0,
                delta=1e-2,
                n_iterations=4,
                step_size=0.01,
                calibration="text",
                violates={"accounting": 2, "privacy_loss": 2},
                no_black_box="x_R moves by 0.01 of the released gradients; the loss of the "
                "transcript decides",
                loss_samples=400,
            ),
            "printed-3": _pgd(
                Linear(),
                epsilon=100.0,
                delta=1e-2,
                n_iterations=101,
                constant=12.0,
                violates={"accounting": 3, "privacy_loss": 3},
                no_black_box=_TOO_FAR.format(epsilon=100),
                loss_samples=50,
            ),
        },
        scaling=(
            Scaling(
                name="n",
                values=tuple(960.0 * 2**k for k in range(8)),
                error=_pgd_error,
                claimed_slope=-0.5,
                repetitions=3,
                claim="Theorem 4.1.2: E||g_R|| = O((p log(1/delta))^{1/4}/sqrt(n epsilon))",
            ),
        ),
        real_data=(_fair(),),
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(
                _pgd(
                    Linear(feature_bound=1e3),
                    epsilon=1.0,
                    delta=1e-2,
                    n_iterations=4,
                    no_black_box="a mutant",
                ),
                1e-3,
            )
        },
    )


CASES: dict[str, Callable[[], Case]] = {"diss-4.1.16": dp_pgd}
