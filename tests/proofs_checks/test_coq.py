"""Coq builds the proofs, which assume three axioms, and refuses wrong statements."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs_checks import coq
from proofs_checks.coq import (
    AXIOMS,
    SOURCES,
    Build,
    Compilation,
    CoqProof,
    compile_file,
    compile_once,
    compile_statements,
)
from proofs_checks.coq_statements import STATEMENTS
from proofs_checks.statement import find

needs_library = pytest.mark.skipif(bool(coq.missing()), reason=f"no {coq.missing()}")

FILES = sorted(path.name for path in (SOURCES / "statements").glob("*.v"))
THEOREMS = [
    (file, theorem)
    for file in FILES
    for theorem in coq.theorems((SOURCES / "statements" / file).read_text(encoding="utf-8"))
]

# (file, as it is, a wrong version of it): the wrong version is false, so no proof can pass.
WRONG = [
    ("core/DP.v", "probability P -> measurable A -> P A <= 1.", "<= 1", "< 1"),
    ("core/Line.v", "leb ((fun x => (x - c)%R) @^-1` A) = leb A.", "x - c", "2 * x - c"),
    (
        "statements/Composition.v",
        "  DP near (fun x => [the measure _ _ of semidirect (M1 x) (M2 x)])\n"
        "    (epsilon1 + epsilon2)%R (delta1 + delta2)%R.",
        "(epsilon1 + epsilon2)%R",
        "epsilon1",
    ),
    (
        "statements/Exponential.v",
        "expR (epsilon * u r / (2 * Delta)).",
        "(2 * Delta)",
        "Delta",
    ),
    (
        "statements/Gaussian.v",
        "zclose (Delta ^+ 2 / (2 * sigma ^+ 2)) (gaussian_vector u) (gaussian_vector v).",
        "Delta ^+ 2",
        "Delta",  # 004 Lemma 2.1.9 as printed
    ),
    (
        "statements/Laplace.v",
        "law (laplace_vector d (divr_gt0 Delta_gt0 epsilon_gt0) (q x))]) epsilon 0.",
        "epsilon 0",
        "(epsilon / 2) 0",
    ),
    (
        "statements/Laplace.v",
        "(forall x, laplace b_gt0 c x = expR (- (`|x - c| / b)) / (2 * b)) /\\",
        "(2 * b)",
        "b",
    ),
    (
        "statements/RandomizedResponse.v",
        "DP one_answer_differs released epsilon 0.",
        "epsilon 0",
        "(epsilon / 2) 0",
    ),
    ("statements/RobustGradient.v", "sigma ^+ 2 = 16 * s ^+ 2 * d%:R * T%:R", "16", "8"),
    (
        "statements/Sensitivity.v",
        "`|average g data - average g data'| <= 2 * bound / n%:R.",
        "2 * bound",
        "bound",
    ),
    (
        "statements/ZCDP.v",
        "DP near output (rho + 2 * Num.sqrt (rho * ln delta^-1)) delta.",
        "2 * Num.sqrt",
        "Num.sqrt",
    ),
    ("statements/ZCDP.v", "  zCDP near M (epsilon ^+ 2 / 2).\n", "/ 2", "/ 4"),
]


@pytest.fixture(scope="module")
def built() -> Build:
    return coq.build(("statements",))


@needs_library
def test_every_theorem_compiles_and_rests_on_three_axioms(
    built: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert built.errors == {}
    result = compile_statements(built)
    assert set(result.assumptions) == {f"{file} {theorem}" for file, theorem in THEOREMS}
    assert {frozenset(axioms) for axioms in result.assumptions.values()} == {AXIOMS}
    monkeypatch.setattr(coq, "compilation", lambda: result)
    for named in STATEMENTS.values():
        for file, theorem in named:
            proof = coq.compiled(file, theorem)
            assert proof.compiled, proof.detail
            assert f"{file}, {theorem}: compiled by The Coq Proof Assistant" in proof.detail


def test_the_statements_name_theorems_that_exist() -> None:
    assert {named for several in STATEMENTS.values() for named in several} <= set(THEOREMS)


ASSUMED = {"measurable_fun": "measurab", "selectable": "integrable"}
"""Assumptions of a theorem about functions, and the words by which its statement says so."""


def test_what_a_theorem_assumes_of_functions_is_said_with_the_statement() -> None:
    seen: set[str] = set()
    for key, named in STATEMENTS.items():
        for file, theorem in named:
            source = (SOURCES / "statements" / file).read_text(encoding="utf-8")
            claim = re.search(rf"^Theorem {theorem}\b.*?^Proof", source, re.MULTILINE | re.DOTALL)
            assert claim, theorem
            shared = re.findall(r"^Hypothes[ei]s .*?\.$", source, re.MULTILINE | re.DOTALL)
            for hypothesis, word in ASSUMED.items():
                if re.search(rf"\b{hypothesis}\b", " ".join([claim[0], *shared])):
                    assert word in find(key).added, (key, theorem, hypothesis)
                    seen.add(hypothesis)
    assert seen == set(ASSUMED)


def test_every_file_has_a_wrong_version() -> None:
    assert {file for file, *_ in WRONG if file.startswith("statements/")} == {
        f"statements/{file}" for file in FILES
    }


@needs_library
@pytest.mark.parametrize(
    ("file", "text", "right", "wrong"), WRONG, ids=[f"{w[0]} {w[3]}" for w in WRONG]
)
def test_a_wrong_statement_is_refused(
    built: Build, tmp_path: Path, file: str, text: str, right: str, wrong: str
) -> None:
    for part in ("core", "statements"):
        shutil.copytree(built.folder / part, tmp_path / part)
    source = (SOURCES / file).read_text(encoding="utf-8")
    assert source.count(text) == 1
    assert text.count(right) == 1
    (tmp_path / file).write_text(source.replace(text, text.replace(right, wrong)), encoding="utf-8")
    run = coq.run_coqc(tmp_path, file)
    assert run.returncode != 0
    # It is a proof that fails, after the statement, and not the statement that cannot be read.
    assert "Syntax error" not in run.stderr
    failed_at = re.findall(rf'"\./{file}", line (\d+)', run.stderr)
    assert int(failed_at[-1]) > source[: source.index(text)].count("\n") + 1


@needs_library
def test_a_gap_in_a_proof_and_a_proof_that_fails_are_seen(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    (sources / "statements").mkdir(parents=True)
    for name, text in {
        "Gap": "Theorem gap : 0 = 1. Admitted.\n",
        "Whole": "Theorem whole : 0 = 0. Proof. reflexivity. Qed.\n",
        "Fails": "Theorem fails : 0 = 1. Proof. reflexivity. Qed.\n",
        "After": "From Touchstone.statements Require Import Fails.\n",
    }.items():
        (sources / "statements" / f"{name}.v").write_text(text)
    result = compile_statements(coq.build(("statements",), sources, tmp_path / "built"))
    assert result.assumptions == {"Gap.v gap": ("Gap.gap",), "Whole.v whole": ()}
    assert sorted(result.errors) == ["After.v", "Fails.v"]
    assert "Unable to unify" in result.errors["Fails.v"]
    assert result.errors["After.v"] == "it requires statements/Fails.v, which does not compile"


def test_a_file_that_does_not_end_or_leaves_nothing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(folder: Path, file: str, timeout: float) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired("coqc", timeout)

    def nothing(folder: Path, file: str, timeout: float) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess("coqc", 0, "printed", "")

    monkeypatch.setattr(coq, "run_coqc", endless)
    assert compile_file(tmp_path, "A.v") == ("", "no answer within 120 s")
    assert compile_file(tmp_path, "A.v", 360.0) == ("", "no answer within 360 s")
    monkeypatch.setattr(coq, "run_coqc", nothing)
    assert compile_file(tmp_path, "A.v") == ("", "no compiled file")


def test_a_file_is_compiled_again_when_its_key_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []

    def compiles(folder: Path, file: str, timeout: float) -> subprocess.CompletedProcess[str]:
        runs.append(file)
        (folder / file).with_suffix(".vo").touch()
        return subprocess.CompletedProcess("coqc", 0, f"run {len(runs)}\n", "")

    monkeypatch.setattr(coq, "run_coqc", compiles)
    answers = [compile_once(tmp_path, "A.v", key) for key in ("1", "1", "2", "2", "1")]
    assert answers == [(coq.Kept("A.v", f"run {run}\n"), "") for run in (1, 1, 2, 2, 3)]


def test_one_process_at_a_time_compiles(tmp_path: Path) -> None:
    with coq.alone(tmp_path / "built"):
        other = threading.Thread(target=coq.build, args=((), tmp_path, tmp_path / "built"))
        other.start()
        other.join(0.2)
        assert other.is_alive()
    other.join(10)
    assert not other.is_alive()


def test_a_cache_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("analysis", "algebra_tactics"):
        (tmp_path / "user-contrib" / "mathcomp" / name).mkdir(parents=True)
    where = subprocess.CompletedProcess("coqc", 0, f"{tmp_path}\n", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(coq, "coq_version", lambda: "Coq 1")
    monkeypatch.setattr(subprocess, "run", lambda *arguments, **options: where)
    for writable, said in ((True, ""), (False, f"folder {tmp_path}/touchstone/coq that can be")):
        monkeypatch.setattr(os, "access", lambda path, mode, writable=writable: writable)
        assert coq.missing.__wrapped__().startswith(said)
        assert bool(coq.missing.__wrapped__()) is not writable


@pytest.mark.parametrize(
    ("result", "expected", "words"),
    [
        (Compilation("8", {}, {"Laplace.v laplace_mechanism": ["Gap.gap"]}), False, "Gap.gap"),
        (Compilation("8", {"Laplace.v": "Unable to unify"}, {}), False, "Unable to unify"),
    ],
)
def test_what_is_not_proved_is_not_called_proved(
    monkeypatch: pytest.MonkeyPatch, result: Compilation, expected: bool, words: str
) -> None:
    monkeypatch.setattr(coq, "compilation", lambda: result)
    proof = coq.compiled("Laplace.v", "laplace_mechanism")
    assert proof.compiled is expected
    assert words in proof.detail


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Give an empty cache and forget what this process knows."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    coq.compilation.cache_clear()
    yield tmp_path
    coq.compilation.cache_clear()


@pytest.mark.parametrize("library", ["Coq", "MathComp-Analysis with its algebra tactics"])
def test_without_coq_or_its_library_nothing_is_compiled(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setattr(coq, "missing", lambda: library)
    assert coq.compiled("Laplace.v", "laplace_mechanism") == CoqProof(
        "Laplace.v",
        "laplace_mechanism",
        None,
        (),
        f"Laplace.v, laplace_mechanism: Coq proof, not compiled here: no {library}",
    )
    assert not (fresh / "cache").exists()


def test_what_coq_said_is_kept_until_a_file_or_coq_changes(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []

    def run_coqc(folder: Path, file: str, timeout: float) -> subprocess.CompletedProcess[str]:
        runs.append(file)
        (folder / file).with_suffix(".vo").touch()
        return subprocess.CompletedProcess("coqc", 0, "Axioms:\naxiom : P\n", "")

    def ask(version: str) -> list[str]:
        coq.compilation.cache_clear()
        runs.clear()
        monkeypatch.setattr(coq, "coq_version", lambda: version)
        result = coq.compilation()
        assert result is not None
        assert list(result.assumptions["Laplace.v laplace_law"]) == ["axiom"]
        return [file for file in runs if not file.startswith("Assumptions")]

    monkeypatch.setattr(coq, "missing", lambda: "")
    monkeypatch.setattr(coq, "run_coqc", run_coqc)
    changed = shutil.copytree(SOURCES, fresh / "changed")
    monkeypatch.setattr(coq, "SOURCES", changed)
    everything = ask("Coq 1")
    assert everything == coq.ordered(SOURCES, ("statements",))
    assert ask("Coq 1") == runs == []
    assert ask("Coq 2") == everything
    for file, again in {
        "statements/ZCDP.v": ["ZCDP", "Gaussian", "RobustGradient"],
        "statements/Laplace.v": ["Laplace"],
    }.items():
        with (changed / file).open("a") as source:
            source.write("(* changed *)\n")
        assert sorted(ask("Coq 2")) == sorted(f"statements/{name}.v" for name in again)


def test_an_unknown_theorem_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"no file 'Nothing\.v'"):
        coq.compiled("Nothing.v", "theorem")
    with pytest.raises(ValueError, match=r"no theorem 'theorem' in Laplace\.v"):
        coq.compiled("Laplace.v", "theorem")


def test_axioms_are_read_from_what_coq_prints() -> None:
    printed = (
        "Axioms:\nA.sig : forall P : Prop,\n  P\nB.long_name'\n  : forall n : nat,\n"
        "    {n : nat | ~ P n}\n"
    )
    assert coq.parse_assumptions(printed) == ("A.sig", "B.long_name'")
    assert coq.parse_assumptions("Closed under the global context\n") == ()
    with pytest.raises(ValueError, match="not the output"):
        coq.parse_assumptions("")
