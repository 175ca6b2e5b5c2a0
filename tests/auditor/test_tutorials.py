"""Every notebook runs from top to bottom and says what it was saved with."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest

from benchmarks.notebooks import FOLDER, executed

ELSEWHERE = {
    "CI": "true",
    "GITHUB_ACTIONS": "true",
    "COLUMNS": "200",
    "NO_COLOR": "1",
    "PYTEST_ADDOPTS": "--durations=3",
    "PYTHONWARNINGS": "error",
    "LC_ALL": "C",
}
"""Variables that may be set where the notebooks run, and must not change their outputs."""
DIFFERENT = 1e-3
"""Relative difference of decimals; with other matrix kernels a learned score differs by 4e-5."""
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def texts(cell: Any) -> list[str]:
    """Return what a cell printed and returned, without its pictures, colours and seconds."""
    found: dict[str, str] = {}
    for output in cell.get("outputs", ()):
        assert output["output_type"] != "error", output
        data = output.get("data", {})
        kind = output.get("name", "data")
        shown = output.get("text", data.get("text/html", data.get("text/plain", "")))
        found[kind] = found.get(kind, "") + shown
    plain = (re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text) for text in found.values())
    timed = (re.sub(r"\bin \d+\.\d+s", "in some time", text) for text in plain)
    # on a slow machine commands tell how far they are, at times on a stream of their own
    told = (re.sub(r"^\w+ing\b.*: (\d+ of \d+, )?\d+ s\n", "", text, flags=re.M) for text in timed)
    return [text for text in told if text]


DECIMAL = re.compile(r"\d+\.\d+(?:e[-+]?\d+)?")


def same(now: list[str], was: list[str]) -> bool:
    """Return whether texts say the same but for decimals, which processors round differently."""
    one, other = ([DECIMAL.sub("0.0", text) for text in texts] for texts in (now, was))
    numbers = ([float(x) for text in texts for x in DECIMAL.findall(text)] for texts in (now, was))
    return one == other and np.allclose(*numbers, rtol=DIFFERENT, atol=0)


def pictures(cell: Any) -> int:
    return sum("image/png" in output.get("data", {}) for output in cell.get("outputs", ()))


def test_a_text_is_the_same_but_for_the_last_digits_of_its_decimals() -> None:
    was = ["score > 0.05565: 6047 of 30000 runs, p = 3.2e-148", "holds"]
    assert same(["score > 0.05566: 6047 of 30000 runs, p = 3.2e-148", "holds"], was)
    for other in ("0.0558: 6047", "0.05565: 6048", "0.05565: 6047 and"):
        assert not same([was[0].replace("0.05565: 6047", other), "holds"], was)
    assert not same([was[0].replace("-148", "-147"), "holds"], was)
    assert not same([was[0], "violated"], was)


def test_there_is_one_for_each_kind_of_reader() -> None:
    assert NOTEBOOKS == ["designer", "implementer", "maintainer", "reader"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_says_what_it_was_saved_with(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbformat.validate(saved)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    for variable, value in ELSEWHERE.items():
        monkeypatch.setenv(variable, value)
    work = tmp_path / "work"
    work.mkdir()
    fresh = executed(name, work)
    said = 0
    for was, now in zip(saved.cells, fresh.cells, strict=True):
        assert same(texts(now), texts(was)), f"{was.source}\n{texts(now)}\n{texts(was)}"
        assert pictures(now) == pictures(was), was.source
        said += len(texts(was))
    assert said >= 5
