"""Cost of a Gaussian release of a length-10 vector, against the bare numpy call.

Run ``python benchmarks/ledger_speed.py``. The three are timed in turn in the same process and the
smallest time of each counts. Exits with status 1 if a ratio misses its target.
"""

from __future__ import annotations

import sys
import timeit
from collections.abc import Callable

import numpy as np

from reference.privacy.ledger import Ledger, RecordingLedger

CALLS, ROUNDS = 5_000, 15
TARGETS = {"live": 3.0, "recording": 6.0}
VALUE = np.arange(10.0) / 10
SCALE = 0.5


def bare() -> Callable[[], object]:
    rng = np.random.default_rng(0)
    return lambda: VALUE + SCALE * rng.standard_normal(VALUE.shape)


def through(ledger: Ledger) -> Callable[[], object]:
    return lambda: ledger.gaussian(VALUE, sensitivity=0.1, scale=SCALE)


def measure() -> dict[str, float]:
    """Return microseconds per call."""
    makers: dict[str, Callable[[], Callable[[], object]]] = {
        "bare": bare,
        "live": lambda: through(Ledger(0)),
        "recording": lambda: through(RecordingLedger(0)),
    }
    best = dict.fromkeys(makers, float("inf"))
    for _ in range(ROUNDS):
        for name, make in makers.items():
            call = make()  # a fresh ledger: its list of entries starts empty
            best[name] = min(best[name], timeit.timeit(call, number=CALLS) / CALLS * 1e6)
    return best


def main() -> int:
    times = measure()
    print(f"{'numpy':>10}: {times['bare']:6.2f} us")
    failed = False
    for name, target in TARGETS.items():
        ratio = times[name] / times["bare"]
        failed |= ratio > target
        print(f"{name:>10}: {times[name]:6.2f} us, {ratio:.2f} times numpy (target {target:g})")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
