"""Random one-line mutants: what they change, and which tests they are tried on."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from auditor.conformance.mutants import Mutant, mutants_of
from benchmarks import one_line_mutants
from benchmarks.one_line_mutants import (
    NO_ANSWER,
    PACKAGES,
    ROOT,
    algorithms_of,
    asks,
    further,
    nearest_tests,
    run,
    try_all,
)


@pytest.mark.slow
def test_the_tests_of_a_module_are_those_that_reach_it_through_the_fewest_others():
    names = [Path(test).name for test in nearest_tests("auditor/questions/mutants.py")]
    assert names[0] == "test_mutants.py"
    assert "test_samplers.py" in names
    assert "test_conclude.py" not in names
    # one that imports its package, and is named as that
    assert nearest_tests("reference/privacy/mechanisms/laplace.py")[0] == (
        "tests/reference/test_mechanisms.py"
    )


@pytest.mark.parametrize(
    ("path", "test"),
    [
        # a package passes it on
        ("auditor/core/neighbours/domains.py", "core/test_neighbours.py"),
        # a test names the algorithm
        ("auditor/described/sparse/peeling.py", "described/sparse/test_peeling.py"),
        # a module names its file
        ("auditor/runs/subreaper.py", "runs/test_leftovers.py"),
        # a module names it in a table
        ("auditor/checking/engine.py", "checking/test_engine.py"),
    ],
)
def test_what_is_found_by_name_has_its_tests(path, test):
    assert f"tests/auditor/{test}" in nearest_tests(path)


def test_what_a_package_is_walked_through_for_has_its_tests():
    path = "reference/errata/statements/paper_004_chapter_3.py"
    tests = nearest_tests(path)
    assert not algorithms_of(path)
    assert any("reference.catalogue" in (ROOT / test).read_text("utf-8") for test in tests)


def test_an_algorithm_is_asked_about_where_it_is_audited_under_the_same_name():
    for folder in ("reference/", "reference/errata/", "auditor/described/"):
        assert algorithms_of(f"{folder}pairwise/online.py")[0] == "diss-3.3.9"
    first, second, *_ = asks("auditor/described/pairwise/online.py")
    assert first[-3:] == (one_line_mutants.EVERY_CASE, "-k", "diss-3.3.9")
    assert second == ("auditor", "audit", "diss-3.3.9", "--results", "results")
    assert "wang-1" in algorithms_of("auditor/described/data/mixtures.py")


@pytest.mark.slow
def test_something_is_asked_about_every_module():
    paths = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    left = {
        str(path.relative_to(ROOT))
        for path in paths
        if next(mutants_of("", path.read_text("utf-8")), None)
        and not asks(str(path.relative_to(ROOT)))
    }
    assert not left


CAUGHT = Mutant("auditor/core/pair_names.py", 1, 0, 0, "", "# broken ")
MISSED = Mutant("auditor/core/version.py", 1, 0, 0, "", "# harmless ")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Answer for two modules, whose tests are called as their files are; return what was asked."""
    seen: list[str] = []

    def answer(tree, ask, seconds):
        text = (tree / "auditor/core/pair_names.py").read_text("utf-8")
        text += (tree / "auditor/core/version.py").read_text("utf-8")
        seen.append(" ".join(word for word in ("# broken", "# harmless") if word in text))
        return "FAILED here" if "# broken" in text else ""

    for mutant in (CAUGHT, MISSED):
        file = tmp_path / "root" / mutant.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("pass\n", encoding="utf-8")
    monkeypatch.setattr(one_line_mutants, "ROOT", tmp_path / "root")
    monkeypatch.setattr(one_line_mutants, "run", answer)
    monkeypatch.setattr(one_line_mutants, "asks", lambda path: [(path,)])
    monkeypatch.setattr(one_line_mutants, "further", lambda path: [])
    return seen


def test_a_mutant_is_tried_alone_and_one_that_no_test_sees_survives(small, capsys):
    assert try_all([CAUGHT, MISSED]) == {CAUGHT: "FAILED here", MISSED: "survives"}
    # what fails is asked once more without the mutant; never both at once
    assert small == ["# broken", "", "# harmless"]
    assert "[survives]" in capsys.readouterr().out


def test_what_survives_what_is_near_is_put_to_all_tests_of_its_package(small, monkeypatch):
    monkeypatch.setattr(one_line_mutants, "further", further)
    asked = []

    def answer(tree, ask, seconds):
        asked.append(ask)
        return "FAILED far away" if ask[-1].startswith("tests/") else ""

    monkeypatch.setattr(one_line_mutants, "run", answer)
    assert try_all([MISSED], near=True) == {MISSED: "survives"}
    assert asked == [(MISSED.path,)]
    try_all([MISSED])
    assert asked[2][-1] == "tests/auditor"


def test_what_fails_without_the_mutant_too_says_nothing(small, monkeypatch):
    monkeypatch.setattr(one_line_mutants, "run", lambda *_: "FAILED here")
    assert try_all([CAUGHT]) == {CAUGHT: "left out: without it FAILED here"}


def test_what_takes_too_long_is_neither_caught_nor_survives(small, monkeypatch):
    monkeypatch.setattr(one_line_mutants, "run", lambda *_: NO_ANSWER)
    assert try_all([CAUGHT]) == {CAUGHT: NO_ANSWER}


def test_what_is_known_is_not_tried_again(small, tmp_path):
    results = tmp_path / "known.jsonl"
    first = try_all([CAUGHT], results)
    asked = len(small)
    assert try_all([CAUGHT, MISSED], results) == {**first, MISSED: "survives"}
    assert small[asked:] == ["# harmless"]
    assert len(results.read_text("utf-8").splitlines()) == 2


@pytest.mark.slow
def test_what_is_asked_ends_in_time_with_all_that_it_started(tmp_path):
    child = "import time, pathlib; time.sleep(3); pathlib.Path('late').touch()"
    (tmp_path / "slow.py").write_text(
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}])\n", "utf-8"
    )
    (tmp_path / "wrong.py").write_text("raise SystemExit(3)\n", "utf-8")
    (tmp_path / "test_it.py").write_text("def test_it():\n    assert 1 - 1\n", "utf-8")
    start = time.monotonic()
    assert run(tmp_path, ("slow",), 1.0) == NO_ANSWER
    assert time.monotonic() - start < 2.5
    assert run(tmp_path, ("wrong",), 30.0) == "wrong ended with 3"
    assert run(tmp_path, (*one_line_mutants.PYTEST, "test_it.py"), 60.0) == (
        "FAILED test_it.py::test_it"
    )
    time.sleep(max(0.0, start + 4.0 - time.monotonic()))
    assert not (tmp_path / "late").exists()
