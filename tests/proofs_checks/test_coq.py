"""The Coq proofs compile, rest on the axioms of the reals only, and refuse wrong statements."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs_checks import coq
from proofs_checks.coq import AXIOMS_OF_THE_REALS, SOURCES, STATEMENTS, Compilation, CoqProof
from proofs_checks.statement import find

needs_coq = pytest.mark.skipif(
    not coq.coq_version(),
    reason="Coq is not installed (Debian: apt-get install coq libcoq-coquelicot)",
)

FILES = sorted(path.name for path in SOURCES.glob("*.v"))
THEOREMS = [
    (file, theorem)
    for file in FILES
    for theorem in coq.theorems((SOURCES / file).read_text(encoding="utf-8"))
]

# (file, as it is, a wrong version of it): the wrong version is false, so no proof can pass.
WRONG = [
    ("Definitions.v", "law I p -> has_prob I p S -> prob I p S <= 1.", "<= 1", "< 1"),
    (
        "Laplace.v",
        "(fun x => laplace_vector (Delta / epsilon) (q x)) epsilon 0.",
        "(Delta / epsilon)",
        "(Delta / 2 / epsilon)",
    ),
    ("Exponential.v", "exp (epsilon * u r / (2 * Delta)).", "(2 * Delta)", "Delta"),
    (
        "Composition.v",
        "(both M1 M2) (epsilon1 + epsilon2) (delta1 + delta2).\n"
        "Proof.\n  intros L1 L2 H1 H2 Tonelli x",
        "(epsilon1 + epsilon2)",
        "epsilon1",
    ),
    (
        "RandomizedResponse.v",
        "DP (one_answer_differs m) (bits m) (responses epsilon) epsilon 0.",
        "epsilon 0",
        "(epsilon / 2) 0",
    ),
    (
        "ZCDP.v",
        "DP near I M (rho + 2 * sqrt (rho * ln (1 / delta))) delta.",
        "2 * sqrt",
        "sqrt",
    ),
    ("Line.v", "over_line f l -> over_line (fun x => f (x - c)) l.", "x - c", "2 * x - c"),
    (
        "Gaussian.v",
        "(fun x => normal_vector sigma (q x)) (Delta ^ 2 / (2 * sigma ^ 2)).",
        "Delta ^ 2",
        "Delta",  # 004 Lemma 2.1.9 as printed
    ),
    ("PureToZCDP.v", "zCDP near I M (epsilon ^ 2 / 2).", "/ 2", "/ 4"),
    ("RobustGradient.v", "sigma ^ 2 = 16 * s ^ 2 * INR d * INR T", "16", "8"),
    (
        "Sensitivity.v",
        "Rabs (mean g data - mean g data') <= 2 * bound / INR (length data).",
        "2 * bound",
        "bound",
    ),
]


def _copy(folder: Path) -> Path:
    folder.mkdir()
    for path in SOURCES.glob("*.v"):
        shutil.copy(path, folder)
    return folder


@pytest.fixture(scope="module")
def proofs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Compilation]:
    folder = _copy(tmp_path_factory.mktemp("coq") / "proofs")
    return folder, coq.compile_folder(folder)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Give an empty cache and forget what this process knows."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    coq.compilation.cache_clear()
    yield tmp_path
    coq.compilation.cache_clear()


@pytest.mark.slow
@needs_coq
def test_every_file_compiles(proofs: tuple[Path, Compilation]) -> None:
    assert proofs[1].errors == {}


@pytest.mark.slow
@needs_coq
def test_every_theorem_rests_on_the_axioms_of_the_reals_only(
    proofs: tuple[Path, Compilation],
) -> None:
    assumptions = proofs[1].assumptions
    assert set(assumptions) == {f"{file} {theorem}" for file, theorem in THEOREMS}
    for theorem, axioms in assumptions.items():
        assert axioms, theorem  # real numbers cannot do without
        assert set(axioms) <= AXIOMS_OF_THE_REALS, theorem


@pytest.mark.slow
@needs_coq
def test_the_theorems_of_the_statements_are_proved(
    proofs: tuple[Path, Compilation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coq, "compilation", lambda: proofs[1])
    for named in STATEMENTS.values():
        for file, theorem in named:
            proof = coq.compiled(file, theorem)
            assert proof.compiled, proof.detail
            assert f"{file}, {theorem}: compiled by The Coq Proof Assistant" in proof.detail


def test_the_statements_name_theorems_that_exist() -> None:
    assert {named for several in STATEMENTS.values() for named in several} <= set(THEOREMS)


ASSUMED = {"measurability": "measurab", "integrable": "integrable", "total": "discrete"}
"""Assumptions of a theorem about integrals, and the words by which its statement says so."""


def test_what_a_theorem_assumes_of_integrals_is_said_with_the_statement() -> None:
    seen: set[str] = set()
    for key, named in STATEMENTS.items():
        for file, theorem in named:
            source = (SOURCES / file).read_text(encoding="utf-8")
            claim = re.search(rf"^Theorem {theorem}\b.*?^Proof", source, re.MULTILINE | re.DOTALL)
            assert claim, theorem
            for hypothesis, word in ASSUMED.items():
                if re.search(rf"\b{hypothesis}\b", claim[0]):
                    assert word in find(key).added, (key, theorem, hypothesis)
                    seen.add(hypothesis)
    assert seen == set(ASSUMED)


def test_every_file_has_a_wrong_version() -> None:
    assert sorted(file for file, *_ in WRONG) == FILES


@pytest.mark.slow
@needs_coq
@pytest.mark.parametrize(("file", "text", "right", "wrong"), WRONG, ids=[w[0] for w in WRONG])
def test_a_wrong_statement_is_refused(
    proofs: tuple[Path, Compilation], tmp_path: Path, file: str, text: str, right: str, wrong: str
) -> None:
    folder = shutil.copytree(proofs[0], tmp_path / "wrong")
    source = (folder / file).read_text(encoding="utf-8")
    assert source.count(text) == 1
    assert text.count(right) == 1
    (folder / file).write_text(source.replace(text, text.replace(right, wrong)), encoding="utf-8")
    run = subprocess.run(
        ["coqc", "-q", "-Q", ".", coq.LIBRARY, file],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=coq.TIMEOUT,
        check=False,
    )
    assert run.returncode != 0
    # It is a proof that fails, after the statement, and not the statement that cannot be read.
    assert "Syntax error" not in run.stderr
    failed_at = re.findall(rf'"\./{file}", line (\d+)', run.stderr)
    assert int(failed_at[-1]) > source[: source.index(text)].count("\n") + 1


@needs_coq
def test_a_gap_in_a_proof_and_a_proof_that_fails_are_seen(tmp_path: Path) -> None:
    (tmp_path / "Gap.v").write_text("Theorem gap : 0 = 1. Admitted.\n")
    (tmp_path / "Whole.v").write_text("Theorem whole : 0 = 0. Proof. reflexivity. Qed.\n")
    (tmp_path / "Fails.v").write_text("Theorem fails : 0 = 1. Proof. reflexivity. Qed.\n")
    (tmp_path / "After.v").write_text("From Touchstone Require Import Fails.\n")
    result = coq.compile_folder(tmp_path)
    assert result.assumptions == {"Gap.v gap": ("Gap.gap",), "Whole.v whole": ()}
    assert sorted(result.errors) == ["After.v", "Fails.v"]
    assert "Unable to unify" in result.errors["Fails.v"]


def test_a_compilation_without_end_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*arguments: str, folder: Path) -> None:
        raise subprocess.TimeoutExpired("coqc", 600)

    monkeypatch.setattr(coq, "_coqc", endless)
    (tmp_path / "A.v").write_text("Theorem a : True. Proof. exact I. Qed.\n")
    assert coq.compile_folder(tmp_path).errors == {"A.v": "no answer within 600 s"}


@pytest.mark.parametrize(
    ("result", "expected", "words"),
    [
        (Compilation("8", {}, {"Laplace.v laplace_mechanism": ["Gap.gap"]}), False, "Gap.gap"),
        (Compilation("8", {"Laplace.v": "Unable to unify"}, {}), False, "Unable to unify"),
        (
            Compilation(
                "8",
                {
                    "Laplace.v": "Error: Cannot find a physical path bound to logical path\n"
                    "Coquelicot with prefix Coquelicot."
                },
                {},
            ),
            None,
            "not compiled here: no library Coquelicot",
        ),
        (None, None, "Coq proof, not compiled here"),
    ],
)
def test_what_is_not_proved_is_not_called_proved(
    monkeypatch: pytest.MonkeyPatch, result: Compilation | None, expected: bool | None, words: str
) -> None:
    monkeypatch.setattr(coq, "compilation", lambda: result)
    proof = coq.compiled("Laplace.v", "laplace_mechanism")
    assert proof.compiled is expected
    assert words in proof.detail


def test_without_coq_nothing_is_compiled(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coq, "coq_version", lambda: "")
    assert coq.compiled("Laplace.v", "laplace_mechanism") == CoqProof(
        "Laplace.v",
        "laplace_mechanism",
        None,
        (),
        "Laplace.v, laplace_mechanism: Coq proof, not compiled here",
    )


def test_what_coq_said_is_kept_until_a_file_or_coq_changes(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[Path] = []
    errors: dict[str, str] = {}

    def compile_folder(folder: Path) -> Compilation:
        runs.append(folder)
        return Compilation("Coq 1", dict(errors), {"A.v a": ("axiom",)})

    def ask(version: str) -> int:
        coq.compilation.cache_clear()
        monkeypatch.setattr(coq, "coq_version", lambda: version)
        result = coq.compilation()
        assert result is not None
        assert dict(result.errors) == errors
        assert list(result.assumptions["A.v a"]) == ["axiom"]
        return len(runs)

    monkeypatch.setattr(coq, "compile_folder", compile_folder)
    assert [ask("Coq 1"), ask("Coq 1"), ask("Coq 2"), ask("Coq 2")] == [1, 1, 2, 2]
    changed = _copy(fresh / "changed")
    monkeypatch.setattr(coq, "SOURCES", changed)
    assert ask("Coq 1") == 2  # the same content elsewhere
    (changed / "Laplace.v").write_text("changed")
    assert [ask("Coq 1"), ask("Coq 1")] == [3, 3]
    errors["B.v"] = "no library"
    (changed / "Laplace.v").write_text("changed again")
    assert [ask("Coq 1"), ask("Coq 1")] == [4, 5]  # an error is not kept
    assert not list(fresh.rglob("*.part"))


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
