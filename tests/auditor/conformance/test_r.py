"""The consumer in R: every mechanism, five algorithms, and the samplers as far as doubles go."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from auditor.conformance import mechanisms, samplers, store
from auditor.conformance.conform import conform

PORT = store.FOLDER / "consumers/r/port.R"
ALGORITHMS = {"diss-5.1.30", "diss-6.2-NAIVE", "diss-7.1.majority", "wang-1", "zhang-1"}


def has_r() -> bool:
    if shutil.which("Rscript") is None:
        return False
    asked = ["Rscript", "-e", "library(jsonlite)"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def test_r_conforms() -> None:
    if not has_r():
        pytest.skip("R with jsonlite is not installed")
    outcomes = conform(["Rscript", str(PORT)], "mechanisms", "algorithms", "samplers")
    assert [str(outcome) for outcome in outcomes if outcome.status == "failed"] == []
    passed = {(outcome.kind, outcome.of) for outcome in outcomes if outcome.status == "passed"}
    assert passed == {
        *(("mechanisms", of) for of in mechanisms.SETTINGS),
        *(("algorithms", of) for of in ALGORITHMS),
        *(("samplers", of) for of in samplers.TABLE if of != "point"),
    }
