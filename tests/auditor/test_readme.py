"""The README's commands and snippets do what it says."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = re.findall(r"^    (\S.*)$", README, flags=re.MULTILINE)


RUN = (ROOT / "docs/how-to/run-an-algorithm.md").read_text(encoding="utf-8")
EXACT = (ROOT / "docs/how-to/release-exactly.md").read_text(encoding="utf-8")
COUNTED = re.compile(r"[\w(][^\s]*")


@pytest.mark.parametrize(("page", "number"), [(README, 1), (RUN, 0), (EXACT, 0)])
def test_an_algorithm_prints_what_its_comments_say(
    page: str, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    snippet = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)[number]
    exec(compile(snippet, "a page", "exec"), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"print\(.*\)  # (.*)", snippet)


@pytest.mark.usefixtures("forked")
def test_checking_a_mechanism(capfd: Any) -> None:
    exec(compile(BLOCKS[0], "README.md", "exec"), {})
    status, summary = capfd.readouterr().out.splitlines()
    assert status == "violated"
    assert "runs on" in summary
    assert "epsilon >=" in summary


def test_a_newcomer_reads_about_five_hundred_words() -> None:
    assert len(COUNTED.findall(README)) <= 600


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
