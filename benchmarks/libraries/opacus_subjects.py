"""Subjects from Opacus 1.6.0, which run in its environment: one step on a batch.

The batch has a record more or less, and every record is in it: sampling would add to the privacy,
and is left out. So a step with noise multiplier 1 claims rho = 1/2, with which the library's
accountants count it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from opacus import GradSampleModule  # type: ignore[import-not-found]
from opacus.accountants import PRVAccountant, RDPAccountant
from opacus.optimizers import AdaClipDPOptimizer, DPOptimizer, DPPerLayerOptimizer

from benchmarks.libraries.subject import Mechanism, Subject

RUNS = 800
"""Runs a side: a step takes a large part of a millisecond."""
DELTA = 0.05
RHO = 0.5

torch.set_num_threads(1)


def step(kind: Any, **options: Any) -> Mechanism:
    """Return what releases the noisy gradient of a batch, and the next norm if that is adapted.

    The model is linear without a constant, and its loss the sum of its outputs: the gradient of a
    record is the record.
    """

    def run(batch: Any, rng: np.random.Generator) -> Any:
        generator = torch.Generator().manual_seed(int(rng.integers(2**63)))
        model = GradSampleModule(
            torch.nn.Linear(batch.shape[1], 1, bias=False), loss_reduction="sum"
        )
        optimizer = kind(
            torch.optim.SGD(model.parameters(), lr=1.0),
            noise_multiplier=1.0,
            expected_batch_size=1,
            loss_reduction="sum",
            generator=generator,
            **options,
        )
        model(torch.tensor(batch, dtype=torch.float32)).sum().backward()
        optimizer.step()
        (weights,) = model.parameters()
        released = weights.grad.flatten().tolist()
        if kind is AdaClipDPOptimizer:
            released.append(float(optimizer.max_grad_norm))
        return released

    return run


def adaptive(deviation: float) -> Mechanism:
    """Return a step with an adaptive norm, by noise of this deviation on the unclipped number."""
    return step(
        AdaClipDPOptimizer,
        max_grad_norm=1.0,
        target_unclipped_quantile=0.5,
        clipbound_learning_rate=0.2,
        max_clipbound=1e9,
        min_clipbound=1e-9,
        unclipped_num_std=deviation,
    )


def subjects() -> Iterator[Subject]:
    """Yield steps, with the claim of their noise multiplier or of an accountant."""
    batch = np.array([[0.1, 0.0]] * 10)
    pair = (batch, np.vstack([batch, [[100.0, 0.0]]]))
    words = "ten small records, or with a large one added"
    plain = step(DPOptimizer, max_grad_norm=1.0)
    yield Subject("DPOptimizer", plain, pair, words, rho=RHO, samples=RUNS)
    yield Subject(
        "DPOptimizer, secure mode",
        step(DPOptimizer, max_grad_norm=1.0, secure_mode=True),
        pair,
        words,
        rho=RHO,
        samples=RUNS,
    )
    yield Subject(
        "DPPerLayerOptimizer",
        step(DPPerLayerOptimizer, max_grad_norm=[1.0]),
        pair,
        words,
        rho=RHO,
        samples=RUNS,
    )
    for accountant in (RDPAccountant(), PRVAccountant()):
        accountant.step(noise_multiplier=1.0, sample_rate=1.0)
        epsilon = float(accountant.get_epsilon(DELTA))
        name = f"DPOptimizer, by {type(accountant).__name__}"
        yield Subject(name, plain, pair, words, epsilon, DELTA, samples=RUNS)
    yield Subject(
        "AdaClipDPOptimizer, unclipped_num_std 0.6",
        adaptive(0.6),
        pair,
        words,
        rho=RHO,
        samples=RUNS,
        finding="unclipped number",
    )
    yield Subject(
        "AdaClipDPOptimizer, unclipped_num_std 5", adaptive(5.0), pair, words, rho=RHO, samples=RUNS
    )
