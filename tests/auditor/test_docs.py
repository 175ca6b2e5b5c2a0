"""Every snippet of the newcomer's page runs and prints what its comments say."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/check-your-mechanism.md").read_text(encoding="utf-8")
PROTOCOL = (ROOT / "docs/how-to/program-protocol.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


IMPLEMENT = (ROOT / "docs/how-to/implement.md").read_text(encoding="utf-8")


def said(snippet: str) -> list[str]:
    """Return what the comments behind prints say."""
    return re.findall(r"^print\(.*\)  # (.*)$", snippet, flags=re.MULTILINE)


def pasted(snippets: list[str]) -> tuple[dict[str, Any], int]:
    """Run snippets in one namespace, top to bottom, as a reader would paste them.

    Return the namespace, and how many lines were printed that comments announce.
    """
    namespace: dict[str, Any] = {"__name__": "page"}
    checked = 0
    for snippet in snippets:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(snippet, "a page", "exec"), namespace)
        lines = printed.getvalue().splitlines()
        for expected in said(snippet):
            assert expected in lines, (snippet, lines)
            checked += 1
    return namespace, checked


def test_the_snippets_print_what_their_comments_say() -> None:
    namespace, checked = pasted(SNIPPETS)
    assert checked == 14
    namespace["test_the_mean_moves_by_a_fifth"]()


def test_the_marked_tests_of_the_page_pass(pytester: Any, run_pytest: Any) -> None:
    (snippet,) = (s for s in SNIPPETS if "pytest.mark.private" in s)
    helpers = [s for s in SNIPPETS if "def noisy_mean" in s or "def repaired" in s]
    needed = "\n".join(re.sub(r"(?m)^(verdict|print).*$", "", s) for s in helpers)
    pytester.makepyfile(needed + snippet)
    run_pytest().assert_outcomes(passed=2)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.usefixtures("forked")
def test_the_commands_of_the_page(
    touchstone: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(SNIPPETS[0])
    Path("mechanism.js").write_text(re.findall(r"```js\n(.*?)```", PROTOCOL, flags=re.DOTALL)[0])
    pair = re.findall(r"`(\[\[.*?\]\])`", PAGE)[0]
    json.loads(pair)
    Path("pair.json").write_text(pair)
    commands = re.findall(r"^    touchstone (check .*)$", PAGE, flags=re.MULTILINE)
    assert len(commands) == 2
    # the first is the mechanism of epsilon 2, the second Laplace noise of scale 1 on a sum
    for command, status in zip(commands, (1, 0), strict=True):
        ran = touchstone(*shlex.split(command), "--samples", "20000")
        assert ran.status == status, ran.out + ran.err


def shown(console: str) -> list[tuple[str, list[str]]]:
    """Return the commands of a console and what is shown of what each of them prints."""
    found = []
    for part in console.split("$ ")[1:]:
        command, *lines = part.strip("\n").splitlines()
        found.append((command, lines))
    return found


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_session_of_the_port_goes_as_shown(tmp_path: Path) -> None:
    """First a wrong port, then its corrected line, as a reader would type them."""
    blocks = re.findall(r"```(js|console)\n(.*?)```", IMPLEMENT, flags=re.DOTALL)
    assert [language for language, _ in blocks] == ["console", "js", "console", "js", "console"]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    port, environment = "", {**os.environ, "PATH": path}
    for language, text in blocks:
        if language == "js":
            if not port:
                port = text
            else:
                (old,) = re.findall(r"^ *const value = .*$", port, flags=re.MULTILINE)
                port = port.replace(old, text.rstrip("\n"))
            (tmp_path / "port.js").write_text(port)
            continue
        for command, lines in shown(text):
            ran = subprocess.run(
                shlex.split(command), cwd=tmp_path, env=environment, capture_output=True, text=True
            )
            rest = iter(ran.stdout.splitlines())
            for line in lines:
                assert any(line.strip() in printed for printed in rest), (
                    line,
                    ran.stdout,
                    ran.stderr,
                )


def test_the_snippets_of_the_port_print_what_is_said() -> None:
    first, second = re.findall(r"```python\n(.*?)```", IMPLEMENT, flags=re.DOTALL)
    _, checked = pasted([first, second])
    assert checked == 2
    said_below = re.findall(r"^# (mechanisms.*)$", first, flags=re.MULTILINE)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(first, "a page", "exec"), {"__name__": "page"})
    assert output.getvalue().splitlines() == said_below


FOLDERS = (
    "auditor", "benchmarks", "docs", "examples", "proofs_checks", "reference", "tests", "vectors",
)  # fmt: skip


def texts(*endings: str) -> list[Path]:
    """Return the files of the project with one of these endings, but for the site's templates."""
    found = [path for name in FOLDERS for path in (ROOT / name).rglob("*")]
    return [
        path
        for path in (*ROOT.glob("*"), *found)
        if path.suffix in endings and "templates/site" not in path.as_posix()
    ]


def test_every_relative_link_of_a_page_leads_to_a_file() -> None:
    pages = texts(".md", ".ipynb")
    links = [
        (page, target)
        for page in pages
        for target in re.findall(
            r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", page.read_text(encoding="utf-8")
        )
    ]
    dead = [(page, target) for page, target in links if not (page.parent / target).exists()]
    assert dead == []
    assert {"README.md", "zoo.md", "reader.ipynb"} <= {page.name for page in pages}
    assert len(links) > 80


def test_a_table_stands_where_a_page_says_which_command_wrote_it() -> None:
    pages = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))]
    after = re.findall(r"<!-- python -m [\w.]+ -->\n(.?)", "\n".join(pages))
    assert len(after) >= 2
    assert set(after) == {"|"}


def test_every_page_that_a_text_names_is_there() -> None:
    named = [
        (path, name)
        for path in texts(".md", ".py", ".json", ".ipynb")
        if path.name != "CHANGELOG.md"  # says what was where
        for name in re.findall(
            r"(?<![\w/])docs/[\w/.-]+\.(?:md|png|ipynb)\b", path.read_text(encoding="utf-8")
        )
    ]
    lost = [(path, name) for path, name in named if not (ROOT / name).is_file()]
    assert lost == []
    assert len(named) > 40


TRAINING = (ROOT / "docs/how-to/audit-training.md").read_text(encoding="utf-8")


def test_the_snippet_of_the_training_prints_what_is_said() -> None:
    snippets = re.findall(r"```python\n(.*?)```", TRAINING, flags=re.DOTALL)
    namespace, checked = pasted(snippets)
    assert checked == 2
    # and what the text says of the right noise
    right = snippets[0].replace("10 / included.sum()", "10")
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(right, "a page", "exec"), namespace)
    (said_of_it,) = re.findall(r"and the bound is ([\d.]+)\.", TRAINING)
    assert f"{namespace['found'].epsilon_lower:.1f}" == said_of_it


def test_the_figures_of_the_training_are_so(
    touchstone: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    import numpy as np

    import auditor

    (words,) = re.findall(r"If every guess is right, (.*?)\.\n", TRAINING, flags=re.DOTALL)
    for canaries, bound in re.findall(
        r"([\d,]+)(?: of them)?\s+certif\w+\s+(?:epsilon )?([\d.]+)", words
    ):
        half = np.arange(int(canaries.replace(",", "")) // 2)
        found = auditor.measure_canaries(half + half.size, half, delta=1e-5)
        assert f"{found.epsilon_lower:.1f}" == bound
    monkeypatch.chdir(tmp_path)
    lines = [f"{i % 2},{i % 2 + i / 2000}" for i in range(1000)]
    Path("scores.csv").write_text("\n".join(["included,score", *lines]))
    commands = re.findall(r"^    touchstone (canaries .*)$", TRAINING, flags=re.MULTILINE)
    assert [touchstone(*shlex.split(command)).status for command in commands] == [0, 1, 1]
