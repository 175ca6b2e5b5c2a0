"""Mechanisms' messages do nothing to the terminal that shows them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from rich.table import Table

import auditor
from auditor.cli.terminal import _SafeConsole
from auditor.core.errors import InputError, one_line, visible
from auditor.events.outcomes import category_name
from auditor.runs.plain_data import Token

CLEAR = "\x1b[2J"


def test_control_characters_are_shown() -> None:
    assert visible(f"a{CLEAR}\x9b\x00\u202e") == r"a\x1b[2J\x9b\x00\u202e"
    assert visible("plain ✓ é\ttext\n") == "plain ✓ é\ttext\n"
    assert one_line(ValueError(f"no {CLEAR}")) == r"ValueError: no \x1b[2J"
    assert one_line(type(CLEAR, (ValueError,), {})()) == r"\x1b[2J"
    assert str(InputError(CLEAR)) == r"\x1b[2J"
    assert category_name(Token(CLEAR)) == r"\x1b[2J"
    assert CLEAR not in category_name(CLEAR)


def test_the_terminal_shows_them_in_lines_and_tables() -> None:
    stream = io.StringIO()
    console = _SafeConsole(file=stream, width=80)
    console.print(f"[bold]line[/] {CLEAR}", soft_wrap=True)
    table = Table()
    table.add_column(f"head{CLEAR}")
    table.add_row(f"cell{CLEAR}")
    console.print(table)
    assert CLEAR not in stream.getvalue()
    assert stream.getvalue().count(r"\x1b[2J") == 3


def test_an_exceptions_text_and_name_are_shown_escaped() -> None:
    odd = type(f"Odd{CLEAR}", (ValueError,), {})

    def mechanism(data: Any, rng: np.random.Generator) -> float:
        if data[0]:
            raise odd(CLEAR)
        return float(rng.laplace())

    found = auditor.check(mechanism, pair=([0.0], [1.0]), epsilon=1.0, samples=200)
    assert found.status == "violated"
    shown = f"{found.summary} {found.findings}"
    assert "\x1b" not in shown
    assert r"Odd\x1b[2J" in found.summary
