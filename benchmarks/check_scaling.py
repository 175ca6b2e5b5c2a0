"""Measure how often ``auditor.check_scaling`` refuses a right rate, and one that is .1 short.

    python benchmarks/check_scaling.py

prints a table for docs/measured/scaling.md (about half an hour). Every figure is of 300 checks at
confidence 0.99 along n = 100, 200, 400, 800 with the claim -1/2.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
from joblib import Parallel, delayed

import auditor

CHECKS = 300
VALUES = (100, 200, 400, 800)
SHAPES: dict[str, tuple[Callable[[np.random.Generator], float], int]] = {
    "abs Z": (lambda rng: abs(rng.standard_normal()), 1000),
    "norm of ten Z": (lambda rng: float(np.linalg.norm(rng.standard_normal(10))), 100),
}
"""Name -> one error, and repetitions at which .1 is about noticed."""


def one(shape: str, exponent: float, seed: int) -> auditor.ScalingResult:
    """Check one error of a shape and an exponent."""
    draw, repetitions = SHAPES[shape]
    return auditor.check_scaling(
        lambda rng, n: draw(rng) * n**exponent,
        along="n",
        values=VALUES,
        claim=-0.5,
        repetitions=repetitions,
        notice=0.1,
        seed=seed,
    )


def main() -> None:
    """Print the table."""
    print(
        "| error | repetitions | exponent -.5: violated | holds | exponent -.4: violated | power |"
    )
    print("|---|---|---|---|---|---|")
    for shape, (_, repetitions) in SHAPES.items():
        cells, power = [], 0.0
        for exponent in (-0.5, -0.4):
            found = Parallel(2)(delayed(one)(shape, exponent, seed) for seed in range(CHECKS))
            counts = Counter(result.status for result in found)
            cells.append(f"{counts['violated']} of {CHECKS}")
            if exponent == -0.5:
                cells.append(f"{counts['holds']}")
                power = float(np.mean([result.power for result in found]))
        print(f"| {shape} | {repetitions} | {' | '.join(cells)} | {power:.2f} |", flush=True)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
