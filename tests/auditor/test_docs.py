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

from reference.privacy import Ledger

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/check-your-mechanism.md").read_text(encoding="utf-8")
PROTOCOL = (ROOT / "docs/program-protocol.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


PORT = (ROOT / "docs/port.md").read_text(encoding="utf-8")


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


WRONG_PORTS = {
    "a step": ("(k + 2) / (4 *", "(k + 1) / (4 *"),
    "the gradient": ("/ features.length", "/ (features.length - 1)"),
    "a projection": ("norm > radius ?", "norm > 2 * radius ?"),
    "the scale": ("v + scale * draw[i]", "v + scale * scale * draw[i]"),
    "the order of draws": ("c.draws[values.length]", "c.draws[c.draws.length - 1 - values.length]"),
    "an iteration less": ("k < c.n_iterations", "k < c.n_iterations - 1"),
}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_port_gives_the_same_output_from_the_same_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"```python\n(.*?)```", PORT, flags=re.DOTALL)
    (port,) = re.findall(r"```js\n(.*?)```", PORT, flags=re.DOTALL)
    Path("port.js").write_text(port)
    namespace, checked = pasted(snippets)
    assert checked == 3
    for right, wrong in WRONG_PORTS.values():
        assert port.count(right) == 1
        Path("port.js").write_text(port.replace(right, wrong))
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(snippets[-1], namespace)
        except (AssertionError, IndexError):
            continue
        assert "False" in printed.getvalue(), wrong


def test_the_table_of_draws_has_every_release() -> None:
    first = "\n".join(re.findall(r"^\| (`[^|]*) \|", PORT, flags=re.MULTILINE))
    no_releases = {"spawn", "collect", "close", "spent", "left", "transcript"}
    methods = {name for name in dir(Ledger) if not name.startswith("_")}
    assert set(re.findall(r"`(\w+)`", first)) == methods - no_releases


def test_the_links_of_the_docs_lead_somewhere() -> None:
    for page in (ROOT / "docs").glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
