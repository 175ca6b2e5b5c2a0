"""The command line: ``touchstone list | audit | check | measure | proofs | rerun | ...``.

How it ends is in :mod:`auditor.cli.status`. Bad input is one line that says what and what to do;
an internal error one line, too, and its traceback with ``--debug``.
"""

from __future__ import annotations

import getpass
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

import click

from auditor.cli import (
    audit,
    canaries,
    catalogue,
    check,
    conform,
    errata,
    experiments,
    independence,
    measure,
    new,
    proofs,
    rerun,
    scaling,
    site,
    vectors,
)
from auditor.cli.status import IN_WORDS, ExitStatus
from auditor.cli.streams import lasting
from auditor.cli.terminal import complain
from auditor.core.errors import InputError, InternalError, WorkerKilledError, one_line

KEEPING = (["audit"], ["experiments"])
"""The commands that go on where they were interrupted."""

# The modules that do the work load slowly, and so does numpy: the commands import them when they
# need them, so that --help and --version answer at once.


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"Exit status: {IN_WORDS}.",
)
@click.version_option(package_name="dp-touchstone", message="touchstone %(version)s")
def touchstone() -> None:
    """Try to prove differentially private algorithms wrong, and show the evidence."""


for _command in (
    catalogue.list_command,
    audit.audit,
    audit.report,
    canaries.canaries,
    check.check,
    conform.conform,
    errata.errata,
    experiments.experiments,
    independence.independence,
    measure.measure,
    new.new,
    proofs.proofs,
    rerun.rerun,
    scaling.scaling,
    site.site,
    vectors.vectors,
):
    touchstone.add_command(_command)


def main() -> NoReturn:
    """Run the command line and exit."""
    debug = "--debug" in sys.argv
    sys.stdout, sys.stderr = lasting(sys.stdout, 1), lasting(sys.stderr, 2)
    # the search's cache of constants belongs in a cache, not in the user's working folder
    cache = Path(tempfile.gettempdir(), f"touchstone-search-{getpass.getuser()}")
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(cache))
    # what joblib says when an interrupt cancels the tasks under way, which is no news
    warnings.filterwarnings("ignore", message=".*tasks which were still being processed")
    leave, os._exit = os._exit, partial(_leave, os._exit, os.getpid())
    try:
        status = touchstone(prog_name="touchstone", standalone_mode=False) or ExitStatus.FINE
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        status = ExitStatus.FINE
    except click.ClickException as error:
        status = complain(error.format_message(), ExitStatus.BAD_INPUT)
    except (click.Abort, KeyboardInterrupt):
        status = complain(f"interrupted{_kept()}", ExitStatus.INTERRUPTED)
    except WorkerKilledError as error:
        status = complain(f"{error}{_kept()}", ExitStatus.BAD_INPUT)
    except BaseException as error:  # code of others may raise SystemExit(0), which is no success
        if debug:
            traceback.print_exc()
        from reference.catalogue import UnknownAlgorithmError

        if isinstance(error, (InputError, UnknownAlgorithmError)):
            status = complain(str(error), ExitStatus.BAD_INPUT)
        else:
            what = str(error) if isinstance(error, InternalError) else one_line(error)
            line = f"internal error, {what}; --debug shows where"
            status = complain(line, ExitStatus.INTERNAL_ERROR)
    finally:
        os._exit = leave
    sys.exit(status)


def _leave(leave: Callable[[int], NoReturn], own: int, code: int) -> NoReturn:
    """Stand for os._exit: code of others that ends this process must not choose what it says."""
    if os.getpid() == own:
        sys.stdout.flush()
        code = complain(
            f"what was run has ended this process with os._exit({code}){_kept()}; make it return, "
            "or raise an exception, which counts as an output",
            ExitStatus.BAD_INPUT,
        )
        sys.stderr.flush()
    leave(code)


def _kept() -> str:
    kept = "; finished work is kept, run the same command to go on"
    return kept if sys.argv[1:2] in KEEPING else ""
