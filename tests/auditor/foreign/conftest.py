"""Forged files: nothing in them runs, imports, escapes its folder, or ends in an internal error.

Every file that is read is walked, and its values and keys are replaced by hostile ones in turn (a
sample, by a fixed seed). It is either refused in one line, or used without harm.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auditor.cli import touchstone
from auditor.core.errors import InputError
from auditor.core.files import DEEPEST

TEXTS = (
    "<script>pwned()</script>",
    "</style></svg><script>pwned()</script>",
    '"><img src=x onerror=pwned()>',
    "x\n```\n\n```{eval-rst}\n.. include:: /etc/passwd\n\n.. raw:: html\n\n   pwned\n```\n",
    "x\u2028```\u2028```{eval-rst} pwned",
    "x`{raw}`<b>pwned</b>",
    "[pwned](javascript:pwned()) ![pwned](file:///etc/passwd)",
    "a | b `pwned` | <i>",
    "../../pwned",
    "/tmp/pwned/\x00",
    "pwned_module:run",
    "$\\pwned{$",
    "\x1b[2Jpwned",
)
RAW = (
    "1" + "0" * 400,
    "1" * 5000,
    "-1e999",
    "NaN",
    "Infinity",
    "[" * 200_000 + "]" * 200_000,
    "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
    '{"a": 1, "a": 2}',
    '"\\ud800"',
    '"\\udc00\\ud800"',
)
"""Texts that no JSON that is read may be."""
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1e308,
    5e-324,
    2**70,
    "infinity",
    "nan",
    [],
    {},
    [[1]],
)
HERE = "@here@"


class Forger:
    """Makes hostile contents of honest ones, and asks what becomes of them."""

    texts, raw = TEXTS, RAW

    def places(self, value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the place of every value; of a key, the place with None behind it."""
        inner: Any = ()
        if isinstance(value, dict):
            inner = value.items()
            yield from ((*path, key, None) for key in value)
        elif isinstance(value, list):
            inner = enumerate(value)
        for key, item in inner:
            yield (*path, key)
            yield from self.places(item, (*path, key))

    def replaced(self, value: Any, path: tuple[Any, ...], new: Any) -> Any:
        """Return a copy in which a value, or a key, is another."""
        changed = copy.deepcopy(value)
        at = changed
        steps = path[:-2] if path[-1] is None else path[:-1]
        for step in steps:
            at = at[step]
        if path[-1] is None:
            at[str(new)] = at.pop(path[-2])
        else:
            at[path[-1]] = new
        return changed

    def hostile(self, content: Any, count: int, seed: int) -> Iterator[tuple[Any, str]]:
        """Yield contents that hold something hostile, and what it is and where."""
        rng = random.Random(seed)
        known = list(self.places(content))
        for _ in range(count):
            path = rng.choice(known)
            new = rng.choice(TEXTS if path[-1] is None or rng.random() < 0.6 else VALUES)
            yield self.replaced(content, path, new), f"{new!r} at {path}"

    def raw_texts(self, content: Any, seed: int) -> Iterator[str]:
        """Yield texts that hold, somewhere, what no JSON of ours may say."""
        rng = random.Random(seed)
        known = [path for path in self.places(content) if path[-1] is not None]
        for token in RAW:
            text = json.dumps(self.replaced(content, rng.choice(known), HERE), ensure_ascii=False)
            yield text.replace(f'"{HERE}"', token)
        yield ""
        yield "[]"
        yield '"text"'

    def status(self, *arguments: str) -> int:
        """Return how a command ends; what is no bad input is let through."""
        ran = CliRunner().invoke(touchstone, arguments, standalone_mode=False)
        if ran.exception is None:
            return int(ran.return_value or 0)
        if isinstance(ran.exception, InputError):
            self.require_one_line(ran.exception)
            return 2
        raise ran.exception

    def require_one_line(self, error: BaseException) -> None:
        assert len(str(error).splitlines()) == 1, str(error)


@pytest.fixture
def forger() -> Forger:
    return Forger()


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in, outside of which nothing may be written or imported."""
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (tmp_path / "pwned_module.py").write_text("def run(*_): open('pwned', 'w')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(folder)
    yield folder
    assert "pwned_module" not in sys.modules
    outside = {path.name for path in (*tmp_path.iterdir(), *(tmp_path / "a").iterdir())}
    assert outside <= {"a", "b", "pwned_module.py", "__pycache__"}
    assert not [path for path in tmp_path.rglob("*") if path.name == "pwned"]
