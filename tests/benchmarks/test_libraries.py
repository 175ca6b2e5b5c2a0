"""The benchmark of libraries, as far as it can be tested without them."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import environments
from benchmarks.libraries import report, run
from benchmarks.libraries.check_subjects import chosen, record
from benchmarks.libraries.findings import BY_KEY, FINDINGS, KINDS
from benchmarks.libraries.subject import Subject, by_name
from reference.privacy import ZCDP

LIBRARIES = Path(report.__file__).parent


def noisy(data, rng):
    return data + rng.laplace()


def exact(data, rng):
    return data


def fails(data, rng):
    raise ValueError("no such thing")


def requirement_name(line):
    return line.partition("==")[0].lower()


def subject(name, mechanism, **more):
    return Subject(name, mechanism, (0.0, 1.0), "0 or 1", **more)


# ---------------------------------------------------------------------------------- subjects


def test_a_claim_is_stated_in_words_and_to_the_check():
    assert subject("a", noisy, epsilon=0.5, delta=0.1).claim == "ε = 0.5, δ = 0.1"
    assert subject("a", noisy, rho=0.125).claim == "ρ = 0.125"
    assert subject("a", noisy, rho=0.125).stated() == {"claim": ZCDP(0.125)}
    assert subject("a", noisy, epsilon=0.5).stated() == {"epsilon": 0.5, "delta": 0.0}


def test_subjects_of_one_name_are_an_error():
    with pytest.raises(ValueError, match="'a'"):
        by_name([subject("a", noisy), subject("a", exact)])


def test_only_those_asked_for_are_checked():
    both = [subject("a", noisy), subject("b", exact)]
    assert [s.name for s in chosen(both, [])] == ["a", "b"]
    assert [s.name for s in chosen(both, ["b"])] == ["b"]


def test_a_claim_that_holds():
    found = record(subject("right", noisy), 2000, 0)
    assert found["status"] == "holds"
    assert found["again"] is None
    json.dumps(found)


def test_a_violation_is_shown_again_with_fresh_runs():
    found = record(subject("wrong", exact, finding="bins"), 2000, 0)
    assert found["status"] == "violated"
    assert found["again"]["shown"]
    assert found["runs"] < 2000


def test_slow_subjects_take_fewer_runs():
    assert record(subject("slow", noisy, samples=500), 2000, 0)["runs"] <= 500


def test_a_subject_that_cannot_be_checked_is_kept():
    found = record(subject("broken", fails), 2000, 0)
    assert found["status"] == "not checked"
    assert "no such thing" in found["error"]


# ---------------------------------------------------------------------------------- findings


def test_every_finding_has_a_kind_and_a_script_without_our_code():
    assert len(BY_KEY) == len(FINDINGS)
    for finding in FINDINGS:
        assert finding.kind in KINDS
        tree = ast.parse(finding.path.read_text())
        assert ast.get_docstring(tree)
        modules = {
            name.split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for name in (
                [node.module]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
            )
        }
        standard = {"io", "math", "random", "warnings"}
        own = {requirement_name(line) for line in report.LIBRARIES[finding.library].requirements}
        assert {module.lower().replace("_", "-") for module in modules - standard} <= own


def test_every_script_belongs_to_a_finding():
    scripts = {path.stem for path in (LIBRARIES / "reproductions").glob("*.py")}
    assert scripts == {finding.script for finding in FINDINGS}


def test_subjects_refer_to_findings_and_checked_findings_to_subjects():
    referred = set()
    for library in report.LIBRARIES:
        tree = ast.parse((LIBRARIES / f"{library}_subjects.py").read_text())
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.keyword)
                and node.arg == "finding"
                and isinstance(node.value, ast.Constant)  # else it is passed on
            ):
                referred.add(node.value.value)
    assert referred == {finding.key for finding in FINDINGS if finding.checked}


def test_every_manifest_is_complete_and_has_its_subjects():
    assert len(report.LIBRARIES) >= 6
    for key, library in report.LIBRARIES.items():
        assert all("==" in line for line in library.requirements)
        version = library.requirements[0].partition("==")[2]
        assert library.title.endswith(f" {version}")
        assert library.neighbours.strip()
        assert library.left_out.strip()
        module = ast.parse((LIBRARIES / f"{key}_subjects.py").read_text())
        assert "subjects" in {n.name for n in module.body if isinstance(n, ast.FunctionDef)}
    written = {path.name.removesuffix("_subjects.py") for path in LIBRARIES.glob("*_subjects.py")}
    assert written - {"check"} == set(report.LIBRARIES)


# -------------------------------------------------------------------------------------- page


def made_up(name, status, **more):
    violated = status == "violated"
    return {
        "name": name,
        "claim": "ε = 1",
        "words": "0 or 1",
        "finding": "",
        "status": status,
        "level": 2.5 if violated else 0.9,
        "runs": 1000,
        "event": "output > 3",
        "direction": "D' against D",
        "first": [90, 100],
        "second": [1, 100],
        "notes": [],
        "again": {"shown": True, "first": [900, 1000], "second": [9, 1000]} if violated else None,
    } | more


@pytest.fixture
def page():
    bits = [{"kind": "floating point", "statement": "bits"}]
    records = {
        "diffprivlib": [
            made_up("right", "holds", notes=bits),
            made_up("wrong", "violated", finding="bins"),
            made_up("odd", "violated"),
            made_up(
                "gone",
                "violated",
                finding="weights",
                again={"shown": False, "first": [5, 1000], "second": [9, 1000]},
            ),
            {
                "name": "broken",
                "claim": "ε = 1",
                "words": "0 or 1",
                "finding": "",
                "status": "not checked",
                "error": "ValueError: no",
            },
        ],
        "opendp": [made_up("sound", "holds")],
    }
    runs = {
        "diffprivlib": {"day": "2026-11-30", "samples": 1000, "seed": 5},
        "opendp": {"day": "2026-12-01", "samples": 20_000, "seed": 0},
    }
    return report.page(records, {"histogram_bins_auto": "8 bins\n7 bins\n"}, runs)


def test_the_table_says_what_was_found(page):
    assert "| right | ε = 1 | 0 or 1 | holds, bits | 0.9 | 1,000 |" in page
    assert "| wrong | ε = 1 | 0 or 1 | **violated** | 2.5 | 1,000 |" in page
    assert "| odd | ε = 1 | 0 or 1 | violated, not reproduced | 2.5 | 1,000 |" in page
    assert "| broken | ε = 1 | 0 or 1 | not checked |  |  |" in page


def test_each_library_says_when_and_how_it_was_last_run(page):
    first, second = page.split("## diffprivlib 0.6.6")[1].split("## OpenDP 0.16.0")
    assert "Last run on 2026-11-30, with up to 1,000 runs on each data set and seed 5." in first
    assert "Last run on 2026-12-01, with up to 20,000 runs on each data set and seed 0." in second


def test_what_is_not_reproduced_or_not_shown_again_is_not_claimed(page):
    assert "*odd*: violated, but not reproduced by hand or not shown again; not claimed" in page
    assert "*gone*: violated, but not reproduced by hand or not shown again; not claimed" in page
    assert "*broken*: not checked (ValueError: no)" in page
    assert "1 are violated on the stated pair" in page


def test_a_finding_comes_with_counts_its_script_and_what_it_printed(page):
    assert "output > 3 in 90 of 100 runs on D', 1 of 100 on D; again in fresh runs" in page
    script = "../../benchmarks/libraries/reproductions/histogram_bins_auto.py"
    assert f"- By hand ([histogram_bins_auto.py]({script})): `8 bins`; `7 bins`." in page


def test_scores_and_long_lists_are_not_shown():
    score = made_up("a", "violated", event="weighted sum > 1.111 (it rises with output[0] most)")
    assert "a score that was learnt from other runs exceeds its threshold in 90" in (
        report.counts(score)
    )
    listed = made_up("a", "violated", event="output in {" + "0, " * 100 + "}")
    assert "0, 0, ... in 90 of 100 runs" in report.counts(listed)


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: finding.script)
def test_the_table_says_what_a_violation_rests_on(finding):
    shown = report.verdict(made_up("a", "violated", finding=finding.key))
    assert ("**" in shown) == (finding.kind == "noise")
    assert shown == report.SHORT[finding.kind]


def test_every_kind_of_violation_is_counted(page):
    assert set(report.SHORT) == set(report.COUNTED) == set(KINDS)
    assert "1 are violated on the stated pair (1 by too little noise), 3 are otherwise" in page


def test_the_chance_of_a_false_alarm_is_that_of_all_subjects(page):
    assert "at most 0.6%" in page  # six subjects


def test_a_report_is_rebuilt_from_results(tmp_path):
    for library in report.LIBRARIES:
        line = json.dumps(made_up(f"of {library}", "holds"))
        (tmp_path / f"{library}.jsonl").write_text(line + "\n")
        report.keep_run(tmp_path, library, samples=10, seed=3, day="2026-11-30")
    report.keep_run(tmp_path, "opendp", samples=20, seed=4, day="2026-12-01")
    report.write_report(tmp_path, tmp_path)
    text = (tmp_path / "libraries.md").read_text()
    assert "of opendp" in text
    assert text.count("with up to 10 runs on each data set and seed 3.") == (
        len(report.LIBRARIES) - 1
    )
    assert (
        text.count("Last run on 2026-12-01, with up to 20 runs on each data set and seed 4.") == 1
    )


# ------------------------------------------------------------------------------ environments


def test_an_environment_is_made_once_and_again_when_requirements_change(tmp_path, monkeypatch):
    commands = []

    def run(command, **_):
        commands.append(command)
        if "venv" in command:
            Path(command[-1]).mkdir(parents=True)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(environments.subprocess, "run", run)
    requirements = tmp_path / "made-up.txt"
    requirements.write_text("made-up==1\n")

    def made():
        return environments.make_environment(
            "made-up", requirements, tmp_path / "environments", clone=tmp_path
        )

    python = made()
    assert python == made()
    assert python.is_relative_to(tmp_path / "environments" / "made-up")
    assert len(commands) == 2
    assert commands[1][-2:] == ["-e", str(tmp_path)]
    requirements.write_text("made-up==2\n")
    made()
    assert len(commands) == 4


def test_an_environment_that_cannot_be_made_is_a_clear_error(tmp_path, monkeypatch):
    def run(command, **_):
        if "venv" in command:
            Path(command[-1]).mkdir(parents=True)
            return subprocess.CompletedProcess(command, 0, "", "")
        return subprocess.CompletedProcess(command, 1, "", "noise\nERROR: no such version\n")

    monkeypatch.setattr(environments.subprocess, "run", run)
    requirements = tmp_path / "made-up.txt"
    requirements.write_text("made-up==1\n")
    with pytest.raises(environments.EnvironmentFailure, match="ERROR: no such version"):
        environments.make_environment("made-up", requirements, tmp_path)


# ---------------------------------------------------------------------------------- command


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Return what calls the command in environments that are made up, and what it started."""
    started = []

    def start(command, *, stdout=None, **_):
        started.append(command)
        if stdout is not None:
            library = command[command.index("benchmarks.libraries.check_subjects") + 1]
            names = [f"of {library}"]
            if "--only" in command:
                names = [n for n in names if n in command[command.index("--only") :]]
            stdout.writelines(json.dumps(made_up(name, "holds")) + "\n" for name in names)
        return subprocess.CompletedProcess(command, 0, "printed\n", "")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["run", *arguments])
        run.main()

    monkeypatch.setattr(run, "make_environment", lambda library, *_, **__: Path(library))
    monkeypatch.setattr(run.subprocess, "run", start)
    folders = ("--results", str(tmp_path / "results"), "--docs", str(tmp_path))
    return lambda *arguments: call(*arguments, *folders), started


def test_a_run_checks_reproduces_and_writes_the_page(command, tmp_path):
    call, started = command
    call("--quick", "--seed", "7")
    number = len(report.LIBRARIES)
    checks, scripts = started[:number], started[number:]
    assert [check[0] for check in checks] == list(report.LIBRARIES)
    assert all(check[check.index("--samples") + 1] == "2000" for check in checks)
    assert [(s[0], s[1]) for s in scripts] == [(f.library, str(f.path)) for f in FINDINGS]
    text = (tmp_path / "libraries.md").read_text()
    assert "| of opendp |" in text
    assert "up to 2,000 runs" in text
    assert "and seed 7." in text
    assert text.count("`printed`.") == len(FINDINGS)


def test_only_some_subjects_print_a_table_and_write_no_page(command, tmp_path, capsys):
    call, started = command
    call("--only", "of opendp")
    assert "| of opendp |" in capsys.readouterr().out
    assert len(started) == len(report.LIBRARIES)
    assert not (tmp_path / "libraries.md").exists()


def test_some_libraries_only_keep_the_results_of_the_others(command, tmp_path):
    call, started = command
    call("--seed", "7")
    del started[:]
    call("--library", "opendp", "pure_ldp", "--seed", "8")
    checks = [words[0] for words in started if "benchmarks.libraries.check_subjects" in words]
    assert checks == ["opendp", "pure_ldp"]
    scripts = [words for words in started if words[1].endswith(".py")]
    assert {words[0] for words in scripts} == {"opendp", "pure_ldp"}
    text = (tmp_path / "libraries.md").read_text()
    assert all(f"| of {library} |" in text for library in report.LIBRARIES)
    assert text.count("and seed 8.") == 2
    assert text.count("and seed 7.") == len(report.LIBRARIES) - 2


def test_one_library_before_the_others_prints_a_table_and_writes_no_page(command, tmp_path, capsys):
    command[0]("--library", "pure_ldp")
    printed = capsys.readouterr().out
    assert "| of pure_ldp |" in printed
    others = " ".join(library for library in report.LIBRARIES if library != "pure_ldp")
    assert f"no page is written: --library {others} was never run" in printed
    assert not (tmp_path / "libraries.md").exists()


def test_subjects_that_do_not_exist_are_an_error(command):
    with pytest.raises(SystemExit, match="no subject is called of nothing"):
        command[0]("--only", "of nothing", "of opendp")


def test_what_cannot_be_made_or_fails_is_an_error_of_one_line(command, monkeypatch):
    def fails(*_, **__):
        raise subprocess.CalledProcessError(1, ["python"])

    with monkeypatch.context() as changed:
        changed.setattr(run.subprocess, "run", fails)
        with pytest.raises(SystemExit, match=r"error: .*exit status 1"):
            command[0]()

    def unreachable(*_, **__):
        raise environments.EnvironmentFailure("no such version")

    monkeypatch.setattr(run, "make_environment", unreachable)
    with pytest.raises(SystemExit, match="error: no such version"):
        command[0]()


def test_python_runs_the_command_line():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.libraries.run", "--help"],
        cwd=LIBRARIES.parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--quick" in done.stdout
