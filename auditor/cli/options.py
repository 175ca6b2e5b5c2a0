"""Options that several commands have."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
Format = Literal["text", "json"]


class FiniteRange(click.FloatRange):
    """A range that NaN and infinity are not in (click lets NaN through)."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or complain like :class:`click.FloatRange`."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


def results_option(command: F) -> F:
    """Add ``--results DIR``."""
    return click.option(
        "--results",
        "folder",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path("results"),
        show_default=True,
        help="Folder of results.",
    )(command)


def format_option(command: F) -> F:
    """Add ``--format text|json``."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="json prints one JSON object (its schema is in auditor/templates).",
    )(command)


def severity_option(command: F) -> F:
    """Add ``--severity S1,S2``."""
    return click.option(
        "--severity", help="Errors of these severities only, e.g. S1,S2; see `touchstone errata`."
    )(command)


def tier_option(command: F) -> F:
    """Add ``--tier quick|full``."""
    return click.option(
        "--tier",
        type=click.Choice(["quick", "full"]),
        default="quick",
        show_default=True,
        help="quick touches everything in a few minutes; full is the one to cite.",
    )(command)


def seed_option(command: F) -> F:
    """Add ``--seed N``."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="The same seed gives the same results.",
    )(command)


def confidence_option(default: float, words: str) -> Callable[[F], F]:
    """Add ``--confidence P``."""
    return click.option(
        "--confidence",
        type=FiniteRange(0.5, 1, max_open=True),
        default=default,
        show_default=True,
        help=words,
    )


def _cpu_count() -> int:
    import joblib

    return int(joblib.cpu_count())


def workers_option(command: F) -> F:
    """Add ``--workers N``."""
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        default=_cpu_count,
        show_default="number of processors",
        help="Processes on this machine.",
    )(command)


def debug_option(command: F) -> F:
    """Add ``--debug``."""
    return click.option("--debug", is_flag=True, help="Let errors through with their traceback.")(
        command
    )
