"""Two consoles, the marks of verdicts and a progress bar, with which the commands print."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from auditor.core.errors import visible

if TYPE_CHECKING:
    from rich.table import Table

    from auditor.core.verdict import VerdictStatus

STYLES: dict[VerdictStatus, str] = {
    "holds": "green",
    "violated": "bold red",
    "inconclusive": "yellow",
    "not applicable": "dim",
}
SYMBOLS: dict[VerdictStatus, str] = {
    "holds": "✓",
    "violated": "✗",
    "inconclusive": "?",
    "not applicable": "–",
}
LETTERS: dict[VerdictStatus, str] = {
    "holds": "H",
    "violated": "V",
    "inconclusive": "I",
    "not applicable": "-",
}


class _SafeConsole(Console):
    """A console on which no text that it is given does anything but appear."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a string to print, with its control characters escaped."""
        return super().render_str(visible(text), **options)

    @property
    def on_screen(self) -> bool:
        """Tell whether it is a terminal; a notebook has FORCE_COLOR call a pipe one."""
        return self.is_terminal and self.file.isatty()


FILE_WIDTH = 10_000
"""Width of output to a file: no table is as wide, so that none is wrapped."""
LINE_SECONDS = 30.0
"""Progress is told this often where there is no terminal."""
output = _SafeConsole()
messages = _SafeConsole(stderr=True)


def shown_symbols() -> Mapping[VerdictStatus, str]:
    """Return the symbols of the verdicts, or letters where the terminal cannot show them."""
    try:
        "".join(SYMBOLS.values()).encode(output.encoding)
    except (LookupError, UnicodeEncodeError):
        return LETTERS
    return SYMBOLS


def marked(status: VerdictStatus) -> str:
    """Return the coloured symbol of a verdict."""
    return f"[{STYLES[status]}]{shown_symbols()[status]}[/]"


def legend() -> str:
    """Return what the symbols of the table mean."""
    symbols = shown_symbols()
    violated = symbols["violated"]
    return (
        f"{symbols['holds']} holds   {violated} violated   "
        f"{violated}E2 violated, as erratum E2 says   "
        f"{symbols['inconclusive']} inconclusive   {symbols['not applicable']} does not apply"
    )


def say(line: str, style: str = "") -> None:
    """Print a line as it is."""
    output.print(line, style=style or None, markup=False, highlight=False, soft_wrap=True)


def print_answer(status: VerdictStatus, headline: str, facts: Mapping[str, str]) -> None:
    """Print a verdict, what it says, and the figures behind it."""
    output.print(f"{marked(status)} [bold]{status}[/]  {escape(headline)}", soft_wrap=True)
    print_fields(facts.items())


def print_fields(fields: Iterable[tuple[str, str]], *, width: int = 11) -> None:
    """Print labelled texts below each other; on a terminal wrapped beside their labels.

    What is piped into a file or another program is not wrapped.
    """
    from rich.table import Table

    shown = [(label, text) for label, text in fields if text]
    if not output.on_screen:
        for label, text in shown:
            below = text.replace("\n", "\n" + " " * (width + 3))
            output.print(f"  {label:<{width}} {below}", soft_wrap=True, markup=False)
        return
    grid = Table.grid(padding=(0, 1))
    grid.add_column(style="dim", min_width=width)
    grid.add_column(overflow="fold")
    for label, text in shown:
        grid.add_row(f"  {escape(label)}", escape(text))
    output.print(grid)


def print_table(table: Table) -> None:
    """Print a table, in a file as wide as it is."""
    if output.on_screen:
        output.print(table)
    else:
        _SafeConsole(file=output.file, width=FILE_WIDTH).print(table)


def print_findings(findings: Iterable[Mapping[str, Any]]) -> None:
    """Print what is worth knowing in addition to an answer."""
    from auditor.core.verdict import describe

    print_fields(("finding", describe(finding)) for finding in findings)


def _told_in_lines(verb: str) -> Callable[[int, int, str], None]:
    """Return what prints how far it is in a line now and then: a file has no use for a bar."""
    began = last = time.monotonic()

    def advance(done: int, total: int, what: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < LINE_SECONDS:
            return
        last = now
        doing = f"{verb} {what}".rstrip().rstrip(":")
        far = f"{done} of {total}, " if total else ""
        line = f"{doing}: {far}{now - began:.0f} s"
        messages.print(line, markup=False, highlight=False, soft_wrap=True)

    return advance


@contextmanager
def progress_bar(verb: str) -> Iterator[Callable[[int, int, str], None]]:
    """Show a progress bar with the time left on standard error, or lines where that is a file."""
    if not messages.on_screen:
        yield _told_in_lines(verb)
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    # of what has no known end there is nothing to count, and no time left

    class Far(MofNCompleteColumn):
        def render(self, task: Task) -> Text:
            return super().render(task) if task.total else Text()

    class Left(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            return Text("left ").append(super().render(task)) if task.total else Text()

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        Far(),
        TimeElapsedColumn(),
        Left(),
    )
    with Progress(*columns, console=messages, transient=True) as bar:
        task = bar.add_task(verb, total=None)

        def advance(done: int, total: int, what: str) -> None:
            description = visible(f"{verb} {what}".rstrip())
            bar.update(task, completed=done, total=total, description=description)

        yield advance


def warn(line: str) -> None:
    """Print a warning on standard error."""
    messages.print(f"touchstone: {line}", style="yellow", markup=False, soft_wrap=True)


def complain(line: str, status: int) -> int:
    """Print what is wrong on standard error, in one line; return ``status``."""
    joined = " ".join(line.split())
    messages.print(f"touchstone: {joined}", markup=False, highlight=False, soft_wrap=True)
    return status


def print_json(content: Any) -> None:
    """Print one JSON object."""
    from auditor.suite.store import dump

    click.echo(dump(content), nl=False)
