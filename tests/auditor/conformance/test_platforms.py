"""Vectors are the same with other arithmetic: kernels, two threads, vector instructions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy._core import _multiarray_umath as core

from auditor.conformance.compare import deviation

DISABLED = " ".join(name for name in core.__cpu_dispatch__ if core.__cpu_features__[name])
"""Instructions of this processor that numpy chooses at run time."""

PLATFORMS: dict[str, tuple[dict[str, str], str]] = {
    "old kernel": (
        {"OPENBLAS_CORETYPE": "Nehalem"},
        "{item.get('architecture') for item in threadpool_info()} & {'Nehalem'}",
    ),
    "newer kernel": (
        {"OPENBLAS_CORETYPE": "Haswell", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
        "{item.get('architecture') for item in threadpool_info()} & {'Haswell'}"
        " and {item['num_threads'] for item in threadpool_info()} & {2}",
    ),
    "no vector instructions": (
        {"NPY_DISABLE_CPU_FEATURES": DISABLED},
        "not any(core.__cpu_features__[name] for name in core.__cpu_dispatch__)",
    ),
}
"""By name: what is set in the environment, and what is true if it had an effect."""

PROGRAM = """
import json, sys
from numpy._core import _multiarray_umath as core
from threadpoolctl import threadpool_info
from auditor.conformance import functions, store
from auditor.conformance.compare import deviation
from auditor.conformance.kinds import kinds

functions.noticed = functions.first_noticed = lambda *_, **__: []  # mutants are not tried again
without = lambda cases: [{**case, "catches": []} for case in cases]
found, changed = {}, []
for kind, of, path in store.files():
    cases = store.read(path) if kind in ("algorithms", "blocks") else []
    if kind == "blocks":
        made = store.expanded(json.loads(store.generated(kind, of)))["cases"]
        if json.dumps(without(made)) != json.dumps(without(cases)):
            changed.append(of)
    for case in cases:
        answer = kinds()[kind].answer(case)
        expected = {key: case[key] for key in store.COMPARED if key in case}
        relative = case["tolerance"]["relative"]
        found[case["id"]] = deviation(expected, answer, tolerance=relative)
json.dump({"effect": bool(EFFECT), "found": found, "changed": changed}, sys.stdout)
"""


def elsewhere(platform: str) -> dict[str, Any]:
    """Return what a process of another arithmetic makes of the vectors."""
    changes, effect = PLATFORMS[platform]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("EFFECT", effect)],
        env={**os.environ, **changes},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("platform", PLATFORMS)
def test_other_arithmetic_stays_far_within_every_tolerance(platform: str) -> None:
    """And makes the same files, to the last byte, as what is within its tolerance is kept."""
    if platform == "no vector instructions" and not DISABLED:
        pytest.skip("numpy chooses no instructions at run time on this processor")
    said = elsewhere(platform)
    if "kernel" in platform and not said["effect"]:
        pytest.skip("this numpy's BLAS has no such kernel")
    assert said["effect"]
    assert len(said["found"]) > 200
    assert {of: share for of, share in said["found"].items() if not share <= 0.1} == {}
    assert said["changed"] == []


def test_a_deviation_is_a_share_of_the_tolerance() -> None:
    expected = {"a": [1.0, 100.0], "n": 3}
    assert deviation(expected, {"a": [1.0, 100.0], "n": 3}, tolerance=1e-9) == 0
    moved = {"a": [1.0 + 1e-8, 100.0], "n": 3}
    assert deviation(expected, moved, tolerance=1e-9) == pytest.approx(0.1)
    assert deviation(expected, {"a": [1.0], "n": 3}, tolerance=1e-9) == np.inf
