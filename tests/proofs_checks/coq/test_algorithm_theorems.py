"""The privacy theorems of algorithms compile, print the kept formulas and assume three axioms."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from proofs_checks import algorithm_theorems as theorems
from proofs_checks import coq
from proofs_checks.algorithm_theorems import (
    ALGORITHMS,
    FORMULAS,
    algorithm_theorems,
    kept_formulas,
    theorem_of,
)
from proofs_checks.coq import AXIOMS, SOURCES, Build
from reference.catalogue import entries

needs_library = pytest.mark.skipif(bool(coq.missing()), reason=f"no {coq.missing()}")

# (file, as it is, a wrong version): a theorem that is false, so that no proof can pass.
WRONG = [
    ("nonconvex/GradientDescent.v", "T%:R * ((2 * G / n%:R)", "2 * G", "G"),
    ("em/SplitGradientEM.v", "(2 * (Num.sqrt d%:R * B) / m%:R)", "2 * (", "("),
    ("em/ClippedGradientEM.v", "T%:R * ((2 * C / n%:R)", "2 * C", "C"),
    ("local/LaplaceMean.v", "Let scale : R := upper / eps", "upper / eps", "upper / (2 * eps)"),
    ("local/GeneralisedLinearModel.v", "(c * radius ^+ 2) ^+ 2 / sigma1 ^+ 2 +", " +", " -"),
    ("convex/SVRG.v", "(T * m)%:R *", "(T * m)", "T"),
    ("pairwise/FiniteBuffer.v", "(n - T1)%:R / multiplier ^+ 2 <=", "(n - T1)%:R", "1"),
    ("nonconvex/TrustRegion.v", "T%:R * ((2 * G", "2 * G", "G"),
    ("sparse/Peeling.v", "s%:R * (3 * (Delta / b))", "(3 *", "(2 *"),
    ("em/SparseEMMissing.v", "gradient h r' j| <= 6 * (K * K)", "6", "5"),
    ("em/DenseEM.v", "(Num.sqrt d%:R * (eta * G) / m%:R)", "Num.sqrt d%:R * ", ""),
    ("basic/Laplace.v", "Let Delta : R := 2 * d%:R * b", "2 * d", "d"),
    ("convex/OutputPerturbation.v", "Let Delta : R := 2 * G / n%:R", "2 * G", "G"),
    ("local/BallRandomizer.v", "private ball_randomizer eps 0", "eps 0", "(eps / 2) 0"),
    ("local/BernsteinMechanism.v", "((k.+1 ^ p)%:R * eps) 0", "(k.+1 ^ p)%:R * eps", "eps"),
    ("local/OneBitBernsteinMechanism.v", "expR eps0 <= 2 - expR (- loss)", "loss", "loss - loss"),
    ("local/SelectedNoiseBernsteinMechanism.v", "budget : 2 * base", "2 * base", "base"),
    ("pairwise/Offline.v", "(4 * G / (al * n%:R) * H) ^+ 2", "4 * G", "2 * G"),
    ("matrices/DistributedPrecision.v", "private distributed_precision eps", "eps", "(eps / 2)"),
    ("nonconvex/NetMinimizer.v", "private net_minimizer eps 0", "eps 0", "(eps / 2) 0"),
    ("heavy_tailed/SampleAndAggregate.v", "dl1 + expR e1 * dl2 <= dl", "expR e1 * ", ""),
]


@pytest.fixture(scope="module")
def built() -> Build:
    return coq.build()


def test_every_instance_is_of_one_catalogued_algorithm_of_its_family() -> None:
    assert len(algorithm_theorems()) == len(list(ALGORITHMS.glob("*/*.v")))
    for identifier, theorem in algorithm_theorems().items():
        module = entries()[identifier].function.__module__
        assert module.split(".")[1] == theorem.file.split("/")[0], (identifier, module)


def test_no_proof_is_left_open_and_no_axiom_is_stated() -> None:
    for path in SOURCES.rglob("*.v"):
        text = path.read_text(encoding="utf-8")
        for word in ("Admitted", "admit.", "Axiom", "Parameter ", "Conjecture"):
            assert word not in text, (path.name, word)


def test_every_instance_has_kept_formulas_and_every_kept_file_an_instance() -> None:
    kept = {path.relative_to(FORMULAS).with_suffix(".v") for path in FORMULAS.glob("*/*.txt")}
    assert {Path(theorem.file) for theorem in algorithm_theorems().values()} == kept


@needs_library
def test_everything_compiles_and_prints_the_kept_formulas(built: Build) -> None:
    assert not built.errors
    assert built.kept.keys() == built.keys.keys()
    for theorem in algorithm_theorems().values():
        assert built.kept[f"algorithms/{theorem.file}"].printed == kept_formulas(theorem)


@needs_library
def test_the_theorems_assume_three_axioms(built: Build) -> None:
    named = [(f"algorithms/{t.file}", t.theorem) for t in algorithm_theorems().values()]
    named += [("core/Kernels.v", "composition"), ("core/KernelsOfDensities.v", "law_both")]
    assert set(coq.assumptions(built, named)) == AXIOMS


@needs_library
@pytest.mark.parametrize(("file", "text", "right", "wrong"), WRONG, ids=[w[0] for w in WRONG])
def test_a_wrong_theorem_is_refused(
    built: Build, tmp_path: Path, file: str, text: str, right: str, wrong: str
) -> None:
    folder = tmp_path / "wrong"
    shutil.copytree(built.folder / "core", folder / "core")
    source = (ALGORITHMS / file).read_text(encoding="utf-8")
    assert source.count(text) == 1
    target = folder / "algorithms" / file
    target.parent.mkdir(parents=True)
    target.write_text(source.replace(text, text.replace(right, wrong)), encoding="utf-8")
    run = coq.run_coqc(folder, f"algorithms/{file}")
    assert run.returncode != 0
    assert "Syntax error" not in run.stderr
    assert not target.with_suffix(".vo").is_file()


def test_a_heading_without_identifier_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theorems, "ALGORITHMS", tmp_path)
    (tmp_path / "A.v").write_text("(** No identifier. *)\nTheorem a_private : True.\nProof.\n")
    with pytest.raises(ValueError, match="identifier"):
        theorem_of(tmp_path / "A.v")
