"""How the sparse family is audited."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from auditor.core.case import BlackBox, Case, Data, Form, Scaling
from auditor.core.neighbours import Everything
from reference._validation import FloatArray
from reference.privacy.guarantees import ZCDP, ApproximateDP, zcdp_rho
from reference.privacy.ledger import Ledger
from reference.sparse.peeling import SparseVector, noisy_hard_thresholding

# ------------------------------------------------------------------------------ zhang-1


def _all_in(n: int, d: int, s: int) -> tuple[FloatArray, FloatArray]:
    """Return n records that are 1 everywhere but for record 0, which moves every coordinate.

    It pulls the first s coordinates up and the others down, or the other way round; it lies far
    outside [-1, 1].
    """
    data = np.ones((n, d))
    data[0] = np.where(np.arange(d) < s, 1e6, -1e6)
    other = data.copy()
    other[0] *= -1
    return data, other


def _peeling(
    *,
    n: int,
    d: int,
    s: int,
    epsilon: float,
    delta: float,
    as_published: bool = False,
    clip: bool = True,
    violates: dict[str, int] | None = None,
    loss_samples: int = 500,
) -> Form:
    """Noisy hard thresholding of the mean of n records truncated to [-1, 1] (as in zhang-2)."""
    sensitivity = 2 / n

    def run(records: Data, ledger: Ledger) -> SparseVector:
        truncated = np.clip(records, -1.0, 1.0) if clip else records
        return noisy_hard_thresholding(
            truncated.mean(axis=0),
            sparsity=s,
            sensitivity=sensitivity,
            epsilon=epsilon,
            delta=delta,
            as_published=as_published,
            ledger=ledger,
        )

    def statistic(found: SparseVector) -> float:
        """Log-likelihood ratio of the values, in units of b, plus 2 lambda for every right pick.

        The values' ratio is flat outside [1 - lambda, 1], so the statistic has atoms; it is
        rounded, or else the low-order bits of a sum would tell the data sets apart.
        """
        side = np.where(found.support < s, 1.0, -1.0)
        values = 2 * (np.clip(found.values, 1 - sensitivity, 1.0) - (1 - sensitivity / 2))
        return round(float(side @ values + 2 * sensitivity * np.count_nonzero(side > 0)), 9)

    claim = ApproximateDP(epsilon, delta)
    pair = _all_in(n, d, s)
    return Form(
        run=run,
        claim=claim,
        pair=pair,
        replaced=0,
        parameters={"n": n, "d": d, "s": s, "epsilon": epsilon, "delta": delta},
        domain=Everything((d,)),
        design=None if as_published else ZCDP(zcdp_rho(epsilon, delta)),
        violates=violates or {},
        black_box=None if as_published else BlackBox(run, claim, pair, statistic),
        no_black_box="at odds of e^60 no number of samples can tell; the transcript's exact loss "
        "is sampled"
        if as_published
        else "",
        loss_samples=loss_samples,
    )


def _value_noise(s: int, epsilon: float, rng: np.random.Generator) -> float:
    """Root mean square, over 20 runs, of the l2 norm of the noise on s values; lambda = 1."""
    ledger = Ledger(rng)
    squares = []
    for _ in range(20):
        found = noisy_hard_thresholding(
            np.zeros(64), sparsity=s, sensitivity=1.0, epsilon=epsilon, delta=1e-5, ledger=ledger
        )
        squares.append(float(found.values @ found.values))
    return float(np.sqrt(np.mean(squares)))


def peeling() -> Case:
    """Noisy hard thresholding: selection by noisy max, then Laplace values."""
    rate = "(17)-(19): ||W||_2 = O(lambda s sqrt(log(1/delta)) log d/epsilon)"
    return Case(
        id="zhang-1",
        forms={
            "corrected": _peeling(n=10, d=6, s=2, epsilon=1.0, delta=1e-2),
            # s > (4/3) log(1/delta) = 3.1 and epsilon > 0.418 log(1/delta) = 0.96
            "printed": _peeling(
                n=10,
                d=24,
                s=12,
                epsilon=60.0,
                delta=0.1,
                as_published=True,
                violates={"accounting": 1, "privacy_loss": 1},
                loss_samples=100,
            ),
        },
        scaling=(
            Scaling(
                name="epsilon",
                values=(0.25, 0.5, 1.0, 2.0, 4.0),
                error=lambda epsilon, rng: _value_noise(8, epsilon, rng),
                claimed_slope=-1.0,
                repetitions=12,
                claim=rate,
            ),
            Scaling(
                name="s",
                values=(2, 4, 8, 16, 32),
                error=lambda s, rng: _value_noise(int(s), 1.0, rng),
                claimed_slope=1.0,
                repetitions=12,
                claim=rate,
            ),
        ),
        mutants={"clipping dropped": _peeling(n=10, d=6, s=2, epsilon=1.0, delta=1e-2, clip=False)},
    )


CASES: dict[str, Callable[[], Case]] = {"zhang-1": peeling}
