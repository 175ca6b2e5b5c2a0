"""Every snippet of the newcomer's page runs and prints what its comments say."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/check-your-mechanism.md").read_text(encoding="utf-8")
PROTOCOL = (ROOT / "docs/program-protocol.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def said(snippet: str) -> list[str]:
    """Return what the comments behind prints say."""
    return re.findall(r"^print\(.*\)  # (.*)$", snippet, flags=re.MULTILINE)


def test_the_snippets_print_what_their_comments_say() -> None:
    # one namespace, top to bottom, as a reader would paste them
    namespace: dict[str, Any] = {"__name__": "page"}
    checked = 0
    for snippet in SNIPPETS:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(snippet, "check-your-mechanism.md", "exec"), namespace)
        lines = printed.getvalue().splitlines()
        for expected in said(snippet):
            assert expected in lines, (snippet, lines)
            checked += 1
    assert checked == 12
    namespace["test_the_mean_moves_by_a_fifth"]()


def test_the_marked_tests_of_the_page_pass(tmp_path: Path) -> None:
    (snippet,) = (s for s in SNIPPETS if "pytest.mark.private" in s)
    helpers = [s for s in SNIPPETS if "def noisy_mean" in s or "def repaired" in s]
    needed = "\n".join(re.sub(r"(?m)^(verdict|print).*$", "", s) for s in helpers)
    (tmp_path / "test_mine.py").write_text(needed + snippet)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "test_mine.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_commands_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SNIPPETS[0])
    (tmp_path / "mechanism.js").write_text(
        re.findall(r"```js\n(.*?)```", PROTOCOL, flags=re.DOTALL)[0]
    )
    pair = re.findall(r"`(\[\[.*?\]\])`", PAGE)[0]
    json.loads(pair)
    (tmp_path / "pair.json").write_text(pair)
    commands = re.findall(r"^    touchstone (check .*)$", PAGE, flags=re.MULTILINE)
    assert len(commands) == 2
    # the first is the mechanism of epsilon 2, the second Laplace noise of scale 1 on a sum
    for command, status in zip(commands, (1, 0), strict=True):
        arguments = [part.strip('"') for part in re.findall(r'"[^"]*"|\S+', command)]
        ran = subprocess.run(
            [sys.executable, "-m", "auditor", *arguments, "--samples", "20000"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == status, ran.stdout + ran.stderr


def test_the_links_of_the_docs_lead_somewhere() -> None:
    for page in (ROOT / "docs").glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
