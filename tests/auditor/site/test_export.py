"""The ledger of statements as a data set that needs nothing of this package."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from auditor.site.export import export, records, split
from auditor.site.formulas.latex import latex
from auditor.suite.proofs import run_all
from auditor.suite.store import TEMPLATES
from proofs_checks.statement import find, statements

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "examples/recompute_witnesses.py"


def keys_of_the_script() -> list[str]:
    """Return the statements whose witnesses the script recomputes."""
    for node in ast.parse(SCRIPT.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "WITNESSES":
            assert isinstance(node.value, ast.Dict)
            return [ast.literal_eval(key) for key in node.value.keys if key is not None]
    raise AssertionError("no table of witnesses")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data set of the statements whose witnesses are recomputed, and of one that holds."""
    chosen = [*map(find, keys_of_the_script()), find("002 Proposition 2.5")]
    path = tmp_path_factory.mktemp("export") / "statements"
    export(path, run_all(chosen), chosen)
    return path


def run_script(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the script as its reader does: without this package, or any other, in reach."""
    command = [sys.executable, "-I", "-S", str(SCRIPT), str(folder / "statements.jsonl")]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_twenty_witnesses_are_recomputed_from_the_export_alone(folder: Path) -> None:
    ran = run_script(folder)
    number = len(keys_of_the_script())
    assert number >= 20
    assert ran.stdout.splitlines()[-1] == f"{number} of {number} recomputed", ran.stdout
    assert ran.returncode == 0


def test_a_changed_witness_is_noticed(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "statements.jsonl").read_text("utf-8").splitlines()
    changed = {**json.loads(lines[0])}
    changed["witness"]["left"] *= 1.001
    (tmp_path / "statements.jsonl").write_text(f"{json.dumps(changed)}\n")
    ran = run_script(tmp_path)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (1, "0 of 1 recomputed")


def test_every_line_meets_the_schema(folder: Path) -> None:
    schema = json.loads((folder / "statement.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    rows = [json.loads(line) for line in (folder / "statements.jsonl").open(encoding="utf-8")]
    for row in rows:
        jsonschema.validate(row, schema)
    by_key = {row["key"]: row for row in rows}
    holds = by_key["002 Proposition 2.5"]
    assert (holds["print"], holds["claim"], holds["witness"]) == ("as printed", "holds", None)
    assert by_key["003 (11)"]["corrected"]
    card = (folder / "README.md").read_text("utf-8")
    assert f"{len(rows)} numbered statements" in card
    assert "{{" not in card
    assert (folder / "CITATION.bib").read_text("utf-8").startswith("@misc{touchstone-statements,")


def test_what_says_the_same_is_never_split() -> None:
    chosen = statements("003")
    items = [fake(item.key) for item in chosen]
    rows = records({"touchstone": "1", "statements": items}, chosen)
    parts: dict[str, set[str]] = {}
    for row in rows:
        parts.setdefault(row["group"], set()).add(row["split"])
    assert all(len(found) == 1 for found in parts.values())
    assert len(parts) < len(rows)
    assert {row["split"] for row in rows} == {"train", "test"}
    # it depends on the group's key alone, for ever
    assert [split("003 Theorem 2"), split("002 Lemma 3.1")] == ["train", "train"]


def fake(key: str) -> dict[str, Any]:
    outcome = {"level": "proved (symbolic)", "weakest": None, "witness": None, "detail": ""}
    names = json.loads((TEMPLATES / "statement.schema.json").read_text("utf-8"))["properties"]
    more = {"formula": "", "checked_formula": "", "corrected_formula": "", "corrected": None,
            "absent": {}}  # fmt: skip
    known = {"key": key, "cites": [], "refuted": False, "printed": outcome}
    return {**dict.fromkeys(names, ""), **more, "corrected_argument": "", **known}


def test_formulas_are_set_as_latex() -> None:
    assert latex("with sum_{i<=n} x_i^2 <= sigma^2/(n epsilon)") == (
        r"with $\sum _{i\leq n} x_{i}^{2} \leq  \frac{\sigma ^{2}}{n \epsilon}$"
    )
    assert latex("O~(n) & {5%}") == r"$\tilde{O}(n) \& \{5\%\}$"
    assert latex("e^-1/2") == ""  # it has two readings


def test_every_formula_is_latex_that_can_be_set() -> None:
    from matplotlib.mathtext import MathTextParser

    parser = MathTextParser("path")
    for item in statements("003"):
        parser.parse(latex(item.printed).replace(r"\surd", r"\sqrt{x}"))  # it has no \surd
