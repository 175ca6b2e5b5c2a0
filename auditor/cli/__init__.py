"""The command line: ``touchstone list | audit | check | errata | proofs | rerun | report``.

Exit status: 0 if nothing unexpected was found, 1 if something was, 2 on bad input (one line says
what and what to do), 130 if interrupted (an audit keeps finished work).
"""

from __future__ import annotations

import getpass
import os
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import NoReturn

import click

from auditor.cli import audit, catalogue, check, errata, experiments, proofs, rerun
from auditor.cli.streams import lasting
from auditor.cli.terminal import complain
from auditor.core.errors import InputError, one_line

# The modules that do the work load slowly, and so does numpy: the commands import them when they
# need them, so that --help and --version answer at once.


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="dp-touchstone", message="touchstone %(version)s")
def touchstone() -> None:
    """Try to prove differentially private algorithms wrong, and show the evidence.

    Exit status: 0 nothing unexpected, 1 something unexpected, 2 bad input, 130 interrupted.
    """


for _command in (
    catalogue.list_command,
    audit.audit,
    audit.report,
    check.check,
    errata.errata,
    experiments.experiments,
    proofs.proofs,
    rerun.rerun,
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
    try:
        status = touchstone(prog_name="touchstone", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        status = 0
    except click.ClickException as error:
        status = complain(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        kept = "; finished work is kept, run the same command to go on"
        status = complain(f"interrupted{kept if sys.argv[1:2] == ['audit'] else ''}", 130)
    except Exception as error:
        if debug:
            traceback.print_exc()
        from reference.catalogue import UnknownAlgorithmError

        if isinstance(error, (InputError, UnknownAlgorithmError)):
            status = complain(str(error), 2)
        else:
            status = complain(f"internal error, {one_line(error)}; --debug shows where", 1)
    sys.exit(status)
