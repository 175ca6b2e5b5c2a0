"""Instances are compiled together, and each is kept, printed and named in errors by itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from proofs_checks import coq
from proofs_checks.algorithm_theorems import ALGORITHMS
from proofs_checks.coq_groups import group

pytestmark = pytest.mark.skipif(not coq.coq_version(), reason="no Coq")

CORE = {
    "core/First.v": "Definition one := 1.\n",
    "core/Second.v": "Definition one := 2.\nDefinition two := 2.\n",
}
GOOD = {
    "algorithms/a/A.v": "From Touchstone.core Require Import First.\nEval compute in one.\n"
    "Theorem own : one = 1. Proof. reflexivity. Qed.\n",
    "algorithms/a/B.v": "From Touchstone.core Require Import\n  First Second.\n"
    "Eval compute in one + two.\nTheorem own : one = 2. Proof. reflexivity. Qed.\n",
    "algorithms/b/A.v": "From Touchstone.core Require Import First.\nEval compute in one + one.\n"
    "Theorem own : one = one + 0. Proof. reflexivity. Qed.\n",
}
ENDLESS = {
    "algorithms/a/Endless.v": "From Touchstone.core Require Import First.\n"
    "\nTheorem own : one = 1.\nProof. do 1000000000 (assert_succeeds reflexivity). Qed.\n",
}
BAD = {
    "algorithms/a/False.v": "From Touchstone.core Require Import First.\n\n"
    "Theorem own : one = 2. Proof. reflexivity. Qed.\n",
    "algorithms/b/Open.v": "From Touchstone.core Require Import First.\nTheorem own : one = 1.\n",
}


def written(folder: Path, sources: Mapping[str, str]) -> Path:
    for file, text in sources.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    return folder


def build(tmp_path: Path) -> coq.Build:
    return coq.build(("core", "algorithms"), tmp_path / "sources", tmp_path / "built")


def test_each_member_is_printed_with_its_own_imports_and_assumes_nothing(tmp_path: Path) -> None:
    written(tmp_path / "sources", CORE | GOOD)
    built = build(tmp_path)
    assert not built.errors
    assert {file: " ".join(built.kept[file].printed.split()) for file in GOOD} == {
        "algorithms/a/A.v": "= 1 : nat",
        "algorithms/a/B.v": "= 4 : nat",
        "algorithms/b/A.v": "= 2 : nat",
    }
    assert len({built.kept[file].compiled for file in GOOD}) == 1
    named = [(file, "own") for file in GOOD]
    assert coq.assumptions(built, named) == ()


def test_an_error_names_its_file_and_line_and_spares_the_others(tmp_path: Path) -> None:
    written(tmp_path / "sources", CORE | GOOD | BAD)
    built = build(tmp_path)
    assert built.kept.keys() == CORE.keys() | GOOD.keys()
    assert built.errors.keys() == BAD.keys()
    false, unfinished = (built.errors[file] for file in BAD)
    assert false.startswith('File "./algorithms/a/False.v", line 3')
    assert "Unable to unify" in false
    assert unfinished.startswith('File "./algorithms/b/Open.v"')


def test_a_tactic_that_never_ends_is_an_error_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coq, "TIMEOUT", 5.0)
    written(tmp_path / "sources", CORE | GOOD | ENDLESS)
    built = build(tmp_path)
    assert built.kept.keys() == CORE.keys() | GOOD.keys()
    (said,) = built.errors.values()
    assert said.startswith('File "./algorithms/a/Endless.v", line 4')
    assert "Timeout" in said


def test_only_what_changed_is_compiled_again(tmp_path: Path) -> None:
    written(tmp_path / "sources", CORE | GOOD)
    first = build(tmp_path).kept
    changed = {"algorithms/a/A.v": GOOD["algorithms/a/A.v"].replace("in one", "in S one")}
    written(tmp_path / "sources", changed)
    second = build(tmp_path).kept
    assert second["algorithms/a/A.v"].printed.split() == ["=", "2", ":", "nat"]
    assert {file for file in GOOD if second[file] != first[file]} == changed.keys()
    written(tmp_path / "sources", {file: f"{text}\n" for file, text in GOOD.items()})
    third = build(tmp_path).kept
    groups = {path.stem for path in (tmp_path / "built").glob("Group_*.vo")}
    assert groups == {Path(third[file].compiled).stem for file in GOOD}


def test_a_core_file_that_fails_is_named_by_what_requires_it(tmp_path: Path) -> None:
    broken = {"core/First.v": "Definition one := two.\n"}
    written(tmp_path / "sources", CORE | GOOD | broken)
    built = build(tmp_path)
    said = "it requires core/First.v, which does not compile"
    assert {file: built.errors[file] for file in GOOD} == dict.fromkeys(GOOD, said)


def test_a_group_of_one_imports_as_the_file_does() -> None:
    one = group({"algorithms/a/B.v": GOOD["algorithms/a/B.v"]})
    assert one.text.startswith(
        "Require Import Touchstone.core.First.\nRequire Import Touchstone.core.Second.\n"
    )


def test_no_instance_changes_what_another_sees() -> None:
    for path in ALGORITHMS.glob("*/*.v"):
        text = path.read_text(encoding="utf-8")
        for word in ("Global", "global", "export", "Export", "Declare"):
            assert word not in text, (path.name, word)
