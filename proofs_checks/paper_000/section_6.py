"""Section 6: the two claims of the experiments that can be tested."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_000.section_4_2_algorithm import algorithm_2
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    rare,
    reals,
    refuted,
    symbols,
)
from reference.constants import with_constants
from reference.em.clipped_gradient_em import Constants, clipped_gradient_em, constants_for
from reference.em.models import GaussianMixture
from reference.privacy.ledger import Ledger

statement = partial(any_statement, algorithms=("wang-2",))


def _constants(data: Any, model: Any, *, initial: Any, step_size: float, **claim: Any) -> Constants:
    """Return the constants of Algorithm 1, its noise calibrated by zCDP."""
    del model, initial, step_size
    return constants_for(n=len(data), method="zcdp", **claim)


algorithm_1 = with_constants(clipped_gradient_em, _constants)


def _wins_of_clipping(rng: np.random.Generator, size: float, runs: int) -> int:
    """Compare Algorithms 1 (C = 1) and 2 on the mixture at the same (epsilon, delta)."""
    n, d, t = 10_000, 5, 10
    truth, model = np.full(d, size / math.sqrt(d)), GaussianMixture(size / 3)
    claim = {"epsilon": 1.0, "delta": n**-1.1, "step_size": 1.0, "n_iterations": t}
    wins = 0
    for _ in range(runs):
        data = model.sample(truth, n, rng)
        start = rng.standard_normal(d)
        start *= size / np.linalg.norm(start)
        estimates = (
            algorithm_1(
                data, model, initial=start, clipping_threshold=1.0, ledger=Ledger(rng), **claim
            ),
            algorithm_2(
                data, model, initial=start, second_moment=model.moment_bound(truth, size / 4),
                failure_probability=0.05, ledger=Ledger(rng), **claim,
            ),
        )  # fmt: skip
        first, second = (
            min(float(np.linalg.norm(e - truth)), float(np.linalg.norm(e + truth)))
            for e in estimates
        )
        wins += first < second
    return wins


@any_statement(
    "000 Section 6, comparison",
    lines="406",
    kind="experiment",
    printed="at C = 1 and the same privacy, Algorithm 2 thoroughly outperforms Algorithm 1",
    false="the order depends on the scale of beta*, which is not printed",
    algorithms=("wang-1", "wang-2"),
    errata=("wang-1/E2",),
)
def comparison(rng: np.random.Generator) -> Outcome:
    """|beta*| = 1, SNR 3, n = 1e4, d = 5, T = 10, (1, n^-1.1), random start."""
    wins = _wins_of_clipping(rng, 1.0, 7)
    return rare(wins, 7, 0.5, confidence=0.99, what="runs in which Algorithm 1 is better")


@comparison.corrected(
    "Algorithm 2 outperforms clipping at C = 1 when |beta*| is much larger than C",
    refuses={"when |beta*| = C": {"size": 1.0}},
    unchecked={
        "C": "the runs have C = 1 and |beta*| = 30",
    },
)
def comparison_at_scale(rng: np.random.Generator, size: float = 30.0) -> Outcome:
    """|beta*| = 30."""
    wins = _wins_of_clipping(rng, size, 7)
    return rare(wins, 7, 0.5, confidence=0.99, what="runs in which Algorithm 1 is better")


@statement(
    "000 Section 6, real data",
    lines="400-404",
    kind="experiment",
    printed="the maximal eigenvalue of a cluster's covariance is the sigma of (4)",
    false="an eigenvalue of the covariance is a variance",
    errata=("wang-prep/E1",),
)
def eigenvalue() -> Outcome:
    """The cluster {-4, 4} in one dimension has standard deviation 4 and eigenvalue 16."""
    return refuted({"cluster": [-4, 4]}, 16, 4, "eigenvalue against standard deviation")


@eigenvalue.corrected(
    "its square root",
    refuses={"the eigenvalue": {"root": 1}, "root of the smallest": {"sign": -1}},
)
def root_of_eigenvalue(root: int = 2, sign: int = 1) -> Outcome:
    """That of c^2 S is c^2 times that of S (two dimensions), that of sigma^2 I is sigma^2.

    [Step "units".] It bounds the variance in every direction (x, y) [step "largest"].
    """
    a, b, d, c, sigma = symbols("a b d c sigma")
    first, both, second, x, y, radius = reals("a b d x y r")

    def extreme(a: Any, b: Any, d: Any) -> Any:
        return (a + d) / 2 + sign * sp.sqrt(((a - d) / 2) ** 2 + b**2)

    value = extreme(a, b, d)
    scaled = extreme(c**2 * a, c**2 * b, c**2 * d)
    half = (first - second) / 2
    return derived(
        units=identity(
            (sp.simplify(scaled / value) ** sp.Rational(1, root), c),
            (extreme(sigma**2, 0, sigma**2) ** sp.Rational(1, root), sigma),
        ),
        largest=for_all(
            first * x * x + 2 * both * x * y + second * y * y
            <= ((first + second) / 2 + sign * radius) * (x * x + y * y),
            *(radius >= 0, radius * radius == half * half + both * both),
        ),
    )
