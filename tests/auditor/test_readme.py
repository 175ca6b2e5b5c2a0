"""The README's commands and snippets do what it says."""

import re
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = re.findall(r"^    (\S.*)$", README, flags=re.MULTILINE)


def test_the_first_snippet_prints_what_its_comments_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exec(compile(BLOCKS[0], "README.md", "exec"), {})
    estimate, spent = capsys.readouterr().out.splitlines()
    said = re.findall(r"print\(.*\)  # (.*)", BLOCKS[0])
    assert estimate == said[0]
    parts = re.split(r"\.\.\., ", said[1])
    assert all(part in spent for part in parts)


@pytest.mark.slow
@pytest.mark.usefixtures("forked")
def test_checking_your_own_mechanism(
    touchstone: Any, tmp_path: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    exec(compile(BLOCKS[1], "README.md", "exec"), {})
    status, summary = capfd.readouterr().out.splitlines()
    assert status == "violated"
    assert "runs on" in summary
    assert "epsilon >=" in summary
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(BLOCKS[1])
    Path("pair.json").write_text("[[0, 1], [0, 0]]")
    command = next(c for c in COMMANDS if c.startswith("touchstone check mine.py"))
    found = touchstone(*command.split()[1:])
    assert found.status == 1, found.err
    assert "violated" in found.out


@pytest.mark.slow
def test_the_marked_test_passes_as_printed(pytester: Any, run_pytest: Any) -> None:
    pytester.makepyfile(BLOCKS[2])
    run_pytest().assert_outcomes(passed=1)


def test_the_two_main_commands_are_there_once_and_ci_finds_the_tests() -> None:
    setups = [c for c in COMMANDS if c.startswith("python3 -m venv")]
    assert len(setups) == 2
    assert setups[0].endswith(".venv/bin/touchstone audit --tier quick")
    assert setups[1].endswith("-m pytest -n logical --dist loadfile")
    pattern = re.search(r"sed -n 's/\^(.*?)\\\(", (ROOT / ".ci/run").read_text())
    assert pattern is not None
    assert pattern.group(1) == "    "


def test_every_named_subcommand_exists() -> None:
    from auditor.cli import touchstone as group

    for command in COMMANDS:
        if command.startswith("touchstone "):
            assert command.split()[1] in group.commands
