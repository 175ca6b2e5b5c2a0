"""Options that several commands have."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from auditor.core.errors import InputError
from auditor.core.input_limits import MOST_RUNS, MOST_SECONDS, MOST_SEED, MOST_WORKERS

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


def _together(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return several options as one decorator, in this order."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _arguments(_: click.Context, __: click.Parameter, given: Sequence[str]) -> dict[str, Any]:
    """Return arguments by name; a value is JSON, or the text itself."""
    found = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.isidentifier():
            raise click.BadParameter(f"{text!r} is not NAME=VALUE, such as epsilon=1.0")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def numbers(option: str, example: str) -> Callable[..., list[float] | None]:
    """Return what reads numbers that commas separate."""

    def read(_: click.Context, __: click.Parameter, given: str | None) -> list[float] | None:
        try:
            return None if given is None else [float(word) for word in given.split(",")]
        except ValueError:
            raise InputError(
                f"{option} are numbers with commas, as {example}; got {given!r}"
            ) from None

    return read


target_options = _together(
    click.argument("target", metavar="[TARGET]", required=False),
    click.option(
        "--argument",
        "arguments",
        metavar="NAME=VALUE",
        multiple=True,
        callback=_arguments,
        help="A further argument of TARGET, such as epsilon=1.0; VALUE is JSON or text.",
    ),
    click.option("--command", help="Instead of TARGET: a program that speaks the line protocol."),
)
"""Options that name the mechanism."""

pair_options = _together(
    click.option(
        "--pair",
        "pair_file",
        type=click.Path(dir_okay=False),
        help="A .json or .npy file with the two neighbouring data sets, [D, D']; lists of numbers "
        "are NumPy arrays to TARGET.",
    ),
    click.option(
        "--pair-from",
        metavar="CALLABLE",
        help="package.module:callable or path.py:callable that returns (D, D').",
    ),
    click.option(
        "--relation",
        type=click.Choice(["replace", "add-remove", "replace-label", "any"]),
        help="Relation of the two data sets; any: not checked, you vouch for it.",
    ),
)
"""Options that name the data sets."""


def seconds_option(*names: str, default: float | None, words: str) -> Callable[[F], F]:
    """Add a time limit."""
    return click.option(
        *names,
        type=FiniteRange(0, MOST_SECONDS, min_open=True),
        default=default,
        show_default=default is not None,
        help=words,
    )


ledger_option = click.option(
    "--ledger",
    type=click.Choice(["numpy", "exact"]),
    default="numpy",
    show_default=True,
    help="Run on ledgers with noise of numpy's, or on exact ones.",
)


def run_options(
    budget: str, *, of: str = "runs on each data set", default: int = 100_000
) -> Callable[[F], F]:
    """Add how, how often and how long it runs; ``budget`` is said of the number of runs."""
    return _together(
        click.option(
            "--kind",
            type=click.Choice(["ledger", "rng"]),
            help="What TARGET's second argument is; by default its name tells.",
        ),
        ledger_option,
        click.option("--batched", is_flag=True, help="TARGET takes (data, rng, size)."),
        click.option(
            "--samples",
            type=click.IntRange(min=1, max=MOST_RUNS),
            default=default,
            show_default=True,
            help=f"Budget of {of}; {budget}.",
        ),
        click.option(
            "--workers",
            type=click.IntRange(min=1, max=MOST_WORKERS),
            default=1,
            show_default=True,
            help="Processes that run the mechanism.",
        ),
        seconds_option(
            "--timeout",
            default=300.0,
            words="Seconds for everything; when they are up, the runs so far are reported.",
        ),
        seconds_option(
            "--call-timeout",
            "--request-timeout",
            "call_timeout",
            default=None,
            words="Seconds that one call of TARGET may take, or one answer of --command.  [default "
            "for --command: 30]",
        ),
    )


cases_option = click.option(
    "--cases",
    "files",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A Python file with algorithms of your own, ENTRIES and CASES; may be repeated.",
)

results_option = click.option(
    "--results",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder of results.",
)

format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json prints one JSON object (its schema is in auditor/templates).",
)

severity_option = click.option(
    "--severity", help="Errors of these severities only, e.g. S1,S2; see `touchstone errata`."
)

tier_option = click.option(
    "--tier",
    type=click.Choice(["quick", "full"]),
    default="quick",
    show_default=True,
    help="quick touches everything in a few minutes; full is the one to cite.",
)

seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0, max=MOST_SEED),
    default=0,
    show_default=True,
    help="The same seed gives the same results.",
)


def confidence_option(default: float, words: str) -> Callable[[F], F]:
    """Add ``--confidence P``."""
    return click.option(
        "--confidence",
        type=FiniteRange(0.5, 1, max_open=True),
        default=default,
        show_default=True,
        help=words,
    )


def answer_options(confidence: str) -> Callable[[F], F]:
    """Add seed, confidence, format and debug; ``confidence`` is said of the confidence."""
    return _together(seed_option, confidence_option(0.99, confidence), format_option, debug_option)


def _cpu_count() -> int:
    import joblib

    return int(joblib.cpu_count())


workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1, max=MOST_WORKERS),
    default=_cpu_count,
    show_default="number of processors",
    help="Processes on this machine.",
)

debug_option = click.option("--debug", is_flag=True, help="Show errors with their traceback.")
