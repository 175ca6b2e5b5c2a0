"""Time the noise of another library; run by the Python of its environment.

    python elsewhere.py LIBRARY

Prints JSON: by what is timed, seconds of a draw in a vector (null where the library has no call
for vectors) and of a call for one number, both of this process's CPU and the best of three rounds.
"""

import json
import sys
import time
from collections.abc import Callable

VECTOR, SCALARS, ROUNDS = 100_000, 1000, 3
FINEST = -30
"""The grid of the exact ledger at scale 1: 2^-30."""

Timed = tuple[Callable[[], object] | None, Callable[[], object]]


def opendp() -> dict[str, Timed]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    atom, zeros = dp.atom_domain(T=float, nan=False), [0.0] * VECTOR
    vector = dp.vector_domain(atom, size=VECTOR)
    found = {}
    for name, make, metric in (
        ("laplace", dp.m.make_laplace, dp.l1_distance(T=float)),
        ("gaussian", dp.m.make_gaussian, dp.l2_distance(T=float)),
    ):
        for words, grid in (("its own grid", {}), ("grid 2^-30", {"k": FINEST})):
            many = make(vector, metric, scale=1.0, **grid)
            one = make(atom, dp.absolute_distance(T=float), scale=1.0, **grid)
            found[f"{name}, {words}"] = (
                lambda many=many: many(zeros),
                lambda one=one: one(0.0),
            )
    return found


def diffprivlib() -> dict[str, Timed]:
    from diffprivlib import mechanisms

    laplace = mechanisms.Laplace(epsilon=1.0, sensitivity=1.0)
    snapping = mechanisms.Snapping(epsilon=1.0, sensitivity=1.0, lower=-10.0, upper=10.0)
    gaussian = mechanisms.GaussianAnalytic(epsilon=1.0, delta=1e-5, sensitivity=1.0)
    return {
        "laplace, doubles": (None, lambda: laplace.randomise(0.0)),
        "laplace, snapped": (None, lambda: snapping.randomise(0.0)),
        "gaussian, doubles": (None, lambda: gaussian.randomise(0.0)),
    }


def python_dp() -> dict[str, Timed]:
    from pydp.algorithms import numerical_mechanisms

    laplace = numerical_mechanisms.LaplaceMechanism(epsilon=1.0, sensitivity=1.0)
    gaussian = numerical_mechanisms.GaussianMechanism(1.0, 1e-5, 1.0)
    return {
        "laplace, its own grid": (None, lambda: laplace.add_noise(0.0)),
        "gaussian, its own grid": (None, lambda: gaussian.add_noise(0.0)),
    }


LIBRARIES = {"opendp": opendp, "diffprivlib": diffprivlib, "python-dp": python_dp}


def seconds(call: Callable[[], object], count: int) -> float:
    """Return the smallest CPU time of one of ``count`` calls, over several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(count):
            call()
        best = min(best, (time.process_time() - start) / count)
    return best


if __name__ == "__main__":
    timed = {
        name: (None if many is None else seconds(many, 1) / VECTOR, seconds(one, SCALARS))
        for name, (many, one) in LIBRARIES[sys.argv[1]]().items()
    }
    print(json.dumps(timed))
