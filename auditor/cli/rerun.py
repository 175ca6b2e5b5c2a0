"""``touchstone rerun``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.markup import escape

from auditor.cli.options import (
    Format,
    cases_option,
    debug_option,
    format_option,
    seconds_option,
)
from auditor.cli.status import ExitStatus
from auditor.cli.terminal import messages, output, print_json, warn
from auditor.core.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from auditor.checking.witness_file import Again
    from auditor.suite.algorithms import Known
    from auditor.suite.store import Result


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="WITNESS.json")
@click.argument("wanted", nargs=-1, metavar="[FORM/QUESTION]...")
@seconds_option("--timeout", default=1200.0, words="Seconds that a mechanism of your own may take.")
@click.option("--yes", is_flag=True, help="Run what the witness names without asking.")
@cases_option
@format_option
@debug_option
def rerun(
    file: Path,
    wanted: tuple[str, ...],
    timeout: float,
    yes: bool,
    files: tuple[Path, ...],
    output_format: Format,
    debug: bool,
) -> None:
    """Show a violation again.

    WITNESS.json is what `touchstone check --witness` saved, or the results file of an algorithm (of
    your own: with its --cases), of which FORM/QUESTION picks some violations.

    A witness names a command, or Python code, and that runs with your rights: it is shown, and you
    are asked; --yes says that you have read it. A results file names no code.

    Exit status: 0 if every violation shows again, 1 if one does not, 2 bad input, 3 internal error.
    """
    from auditor.core.version import version
    from auditor.suite.algorithms import known

    subject, shown = _shown_again(file, wanted, timeout, yes, known(files, warn), debug)
    if output_format == "json":
        print_json(
            {
                "touchstone": version(),
                "of": subject,
                "shown": all(again.shown for again in shown),
                "violations": [vars(again) for again in shown],
            }
        )
    else:
        for again in shown:
            words = "[bold red]shows again[/]" if again.shown else "[yellow]does not show again[/]"
            line = f"{escape(subject)}, {escape(again.what)}: {words}: {escape(again.detail)}"
            output.print(line, soft_wrap=True)
    if not all(again.shown for again in shown):
        raise click.exceptions.Exit(ExitStatus.UNEXPECTED)


def _shown_again(
    file: Path, wanted: tuple[str, ...], timeout: float, yes: bool, algorithms: Known, debug: bool
) -> tuple[str, list[Again]]:
    """Return what a witness is about, and each of its violations run again."""
    from auditor.checking import witness_file
    from auditor.suite.store import Store, read_format, read_result

    if not file.is_file():
        raise InputError(_what_to_give(file, algorithms))
    named = file.stem in algorithms.cases
    try:
        found = read_format(file)
    except InputError:
        if not named:
            raise
        found = None  # of results `read_result` says how to make them again
    if found == witness_file.FORMAT:
        stored = Store(file.parent).read_json(file.name, "witness")
        if wanted:
            raise InputError("FORM/QUESTION picks from a results file; a check's witness is one")
        assert stored is not None
        request = stored["request"]
        if not yes:
            _ask(file, *witness_file.what_runs(stored, file.parent))
        again = witness_file.show_again(stored, file.parent, timeout=timeout, debug=debug)
        return request["target"] or request["command"] or "nothing", again
    if found is None and not named:
        raise InputError(
            f"{file} is neither a witness of `touchstone check` nor the results of an algorithm "
            "that is known here; of one of your own, give --cases"
        )
    result = read_result(file)
    assert result is not None
    return result.id, list(_violations_again(result, wanted, algorithms))


def _ask(file: Path, place: Path, code: tuple[str, ...]) -> None:
    """Show what a witness runs, and where; return if the user wants that.

    Raises
    ------
    InputError
        If the user does not, or nobody is there to be asked.
    """
    # in one line each, so that nothing hides below or beside what is seen
    named = [" ".join(name.split()) for name in code]
    where = place.resolve()
    if not _is_asked():
        raise InputError(
            f"{file} runs with your rights, in {where}: {'; '.join(named)}; if you trust who wrote "
            "it, say so with --yes"
        )
    warn(f"{file} runs with your rights, in {where}:")
    for name in named:
        messages.print(f"  {name}", markup=False, highlight=False, soft_wrap=True)
    if not click.confirm("Run it?", err=True):
        raise InputError(f"{file} was not run")


def _is_asked() -> bool:
    """Return whether somebody is there to be asked."""
    return sys.stdin.isatty()


def _what_to_give(path: Path, algorithms: Known) -> str:
    """Return what a path is that is no file, and what to do."""
    from reference.catalogue import UnknownAlgorithmError

    if path.is_dir():
        return f"{path} is a folder; name a file in it, such as {path / 'wang-1.json'}"
    if path.exists():
        return f"{path} cannot be read: it is no regular file"
    name = path.name.removesuffix(".json")
    try:
        (identifier,) = algorithms.identifiers([name])
    except (UnknownAlgorithmError, ValueError):
        return f"no file {path}{did_you_mean(name, algorithms.entries)}"
    folder = Path("results") if path.name == name else path.parent
    file = folder / f"{identifier}.json"
    if file.is_file():
        return f"{path} is no file; the results on {identifier} are in {file}"
    where = [] if folder == Path("results") else ["--results", str(folder)]
    where += [word for given in algorithms.files(identifier) for word in ("--cases", given)]
    return (
        f"no file {path}; `{shlex.join(['touchstone', 'audit', identifier, *where])}` writes {file}"
    )


def _violations_again(
    result: Result, wanted: tuple[str, ...], algorithms: Known
) -> Iterator[Again]:
    from auditor.checking.witness_file import Again
    from auditor.suite.keys import is_stale
    from auditor.suite.rerun import shows_again, violations

    chosen = violations(result, wanted)
    if result.id not in algorithms.cases:
        raise InputError(
            f"{result.id} has no audit case here; of an algorithm of your own, give --cases"
        )
    algorithms.require_valid([result.id])
    if is_stale(result, algorithms.modules):
        warn(f"the result on {result.id} was found by other code than this")
    case = algorithms.cases[result.id]()
    for violation in chosen:
        shown = shows_again(result, violation, case)
        yield Again(violation.name, shown, violation.verdict.summary)
