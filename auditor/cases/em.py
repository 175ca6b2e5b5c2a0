"""How the EM family is audited."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from auditor.case import BlackBox, Case, Data, Form
from auditor.mutants import scaled_claim
from auditor.neighbours import Everything
from reference._validation import FloatArray
from reference.em.clipped_gradient_em import clipped_gradient_em
from reference.em.models import GaussianMixture
from reference.privacy.guarantees import ApproximateDP
from reference.privacy.ledger import Ledger

# --------------------------------------------------------------------------------- wang-1


def _wang_1(
    *,
    n: int,
    epsilon: float,
    delta: float,
    clipping_threshold: float = 1.0,
    n_iterations: int = 3,
    constant: float | None = None,
    violates: dict[str, int] | None = None,
) -> Form:
    """Mixture in the plane: records +-M(u + t b), u orthogonal to beta, reach 2C/n as t -> 0."""
    model = GaussianMixture(1.0)
    initial = np.array([1.0, 0.0])
    data = np.zeros((n, 2))
    data[0] = (1.0, 1e6)  # <beta, y> = 1 > 0: gradient (tanh(1) y - beta) points to +e_2
    other = data.copy()
    other[0] = (1.0, -1e6)

    def run(records: Data, ledger: Ledger) -> FloatArray:
        return clipped_gradient_em(
            records,
            model,
            initial=initial,
            epsilon=epsilon,
            delta=delta,
            clipping_threshold=clipping_threshold,
            step_size=0.5,
            n_iterations=n_iterations,
            constant=constant,
            ledger=ledger,
        )

    return Form(
        run=run,
        claim=ApproximateDP(epsilon, delta),
        pair=(data, other),
        replaced=0,
        parameters={
            "n": n,
            "d": 2,
            "epsilon": epsilon,
            "delta": delta,
            "T": n_iterations,
            "C": clipping_threshold,
            "c": constant,
        },
        domain=Everything((2,)),
        violates=violates or {},
        black_box=BlackBox(run, ApproximateDP(epsilon, delta), (data, other), lambda b: b[1]),
    )


def wang_1() -> Case:
    """Clipped gradient EM: exact Gaussian composition with a clipped per-record gradient."""
    corrected = _wang_1(n=10, epsilon=1.0, delta=1e-2)
    return Case(
        id="wang-1",
        forms={
            "corrected": corrected,
            "published": _wang_1(
                n=10,
                epsilon=1.0,
                delta=1e-2,
                constant=1.0,
                violates={"accounting": 1, "privacy_loss": 1},
            ),
        },
        no_scaling="the seed states no utility claim",
        mutants={
            # clip at 1e9 and claim what is true of 1: the algorithm without its clipping
            "clipping dropped": scaled_claim(
                _wang_1(n=10, epsilon=1.0, delta=1e-2, clipping_threshold=1e9), 1e-9
            )
        },
    )


CASES: dict[str, Callable[[], Case]] = {"wang-1": wang_1}
