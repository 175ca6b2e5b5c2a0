"""How the local family (dissertation 5.1, 5.2) is audited."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from statsmodels.datasets import fair

from auditor.core.case import BlackBox, Case, Data, Form, RealData, Run, Scaling
from auditor.core.neighbours import Everything
from reference._validation import FloatArray
from reference.local.laplace_mean import local_mean
from reference.privacy.guarantees import Model, PureDP
from reference.privacy.ledger import Ledger

# -------------------------------------------------------------------------- diss-5.1.30


def _one_user(n: int) -> tuple[FloatArray, FloatArray]:
    """Return n users at 0, and the same with the first far above b."""
    data = np.zeros(n)
    other = data.copy()
    other[0] = 1e6
    return data, other


def _form(run: Run, epsilon: float) -> Form:
    claim = PureDP(epsilon, model=Model.LOCAL)
    return Form(
        run=run,
        claim=claim,
        pair=_one_user(3),
        replaced=0,
        parameters={"n": 3, "b": 1.0, "epsilon": epsilon},
        domain=Everything(()),
        # one user: the likelihood ratio of the message is flat outside [0, b]
        black_box=BlackBox(run, claim, _one_user(1), lambda z: -min(max(z, 0.0), 1.0)),
    )


def _local_mean(epsilon: float) -> Form:
    def run(records: Data, ledger: Ledger) -> float:
        return local_mean(records, upper=1.0, epsilon=epsilon, ledger=ledger)

    return _form(run, epsilon)


def _unclipped(epsilon: float) -> Form:
    def run(records: Data, ledger: Ledger) -> float:
        messages = ledger.laplace(records, sensitivity=1.0, scale=1.0 / epsilon, unit="record")
        return float(messages.mean())

    return _form(run, epsilon)


def _error(n: float, epsilon: float, rng: np.random.Generator) -> float:
    return abs(local_mean(np.zeros(int(n)), upper=1.0, epsilon=epsilon, ledger=Ledger(rng)))


_OLDEST = 100.0
"""Public bound on an age in years."""


def _ages() -> FloatArray:
    column: FloatArray = fair.load_pandas().data["age"].to_numpy(dtype=np.float64)
    return column


def _replace_age(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    index = int(rng.integers(len(data)))
    other = np.array(data, copy=True)
    other[index] = rng.choice([0.0, _OLDEST])
    return other, index


def laplace_mean() -> Case:
    """1-dim LDP-AVG: one Laplace message per user."""
    claim = "Lemma 5.1.1: |a - mean| = O(b sqrt(log(1/beta))/(sqrt(n) epsilon))"
    return Case(
        id="diss-5.1.30",
        forms={"corrected": _local_mean(1.0)},
        scaling=(
            Scaling(
                name="n",
                values=(1e2, 1e3, 1e4, 1e5),
                error=lambda n, rng: _error(n, 1.0, rng),
                claimed_slope=-0.5,
                repetitions=40,
                claim=claim,
            ),
            Scaling(
                name="epsilon",
                values=(0.25, 0.5, 1.0, 2.0, 4.0),
                error=lambda epsilon, rng: _error(1e3, epsilon, rng),
                claimed_slope=-1.0,
                repetitions=40,
                claim=claim,
            ),
        ),
        real_data=(
            RealData(
                name="fair (statsmodels), age",
                load=_ages,
                run=lambda data, epsilon, ledger: local_mean(
                    data, upper=_OLDEST, epsilon=epsilon, ledger=ledger
                ),
                claim=lambda epsilon: PureDP(epsilon, model=Model.LOCAL),
                neighbour=_replace_age,
                baseline=lambda data: float(data.mean()),
                error=lambda private, baseline: abs(private - baseline) / baseline,
                epsilons=(0.1, 0.3, 1.0, 3.0),
                metric="relative error of the mean age",
            ),
        ),
        mutants={"clipping dropped": _unclipped(1.0)},
    )


CASES: dict[str, Callable[[], Case]] = {"diss-5.1.30": laplace_mean}
