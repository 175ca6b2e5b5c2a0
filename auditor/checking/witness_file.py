"""The witness of a check as a file: what was checked, and what it takes to show it again.

A witness names what it runs, and Python imports what lies in the same folder: to run one again is
to trust its author. The file has nothing that could show who that was, so :func:`what_runs` says
what it takes before anything is run, and the command line asks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from auditor.checking.own_process import run_safely
from auditor.checking.request import Request
from auditor.checking.result import CheckResult
from auditor.core.errors import InputError
from auditor.core.verdict import jsonable
from auditor.runs.clock import Progress
from auditor.runs.wire import require

FORMAT = "touchstone-witness/1"


@dataclass(frozen=True)
class Again:
    """A violation that was run again.

    Attributes
    ----------
    what : str
        Where it was seen.
    shown : bool
        Whether it shows again.
    detail : str
        What was seen this time, or at first.
    """

    what: str
    shown: bool
    detail: str


def describe_witness(request: Request, result: CheckResult, folder: Path) -> dict[str, Any]:
    """Return the JSON object of a witness file.

    Parameters
    ----------
    request : Request
    result : CheckResult
    folder : Path
        Where the file will be. What relative paths of the request start from is kept relative to
        it, so that file and mechanism can be moved together.
    """
    questions = [verdict.to_json() for verdict in result.questions if verdict.status == "violated"]
    here = replace(request, folder=os.path.relpath(request.folder or ".", folder))
    return {
        "format": FORMAT,
        "request": jsonable(asdict(here), digits=17),
        "summary": result.summary,
        "witness": jsonable(result.witness, digits=17),
        "questions": questions,
    }


def what_runs(saved: Mapping[str, Any], folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Return where a witness file runs something, and what: commands, and names to import.

    Parameters
    ----------
    saved, folder
        As of :func:`show_again`.

    Raises
    ------
    InputError
        If that folder is not there any more.
    """
    request = Request(**saved["request"])
    return _place(request, folder), request.code


def _place(request: Request, folder: Path) -> Path:
    place = folder / (request.folder or ".")
    # a name that no file can have is that of no folder
    if not os.path.isdir(place):
        raise InputError(
            f"no folder {place}, where {request.name} was checked; keep the witness where it lies "
            'beside the mechanism, or mend its "folder"'
        )
    return place


def show_again(
    saved: Mapping[str, Any], folder: Path, *, timeout: float, debug: bool = False
) -> list[Again]:
    """Run everything in a witness file again, in a process of its own.

    That runs what the file names, with the user's rights, whoever wrote it.

    Parameters
    ----------
    saved : mapping
        As of :func:`describe_witness`, read back from JSON.
    folder : Path
        Where the file is.
    timeout : float
        Seconds that it may take.
    debug : bool

    Raises
    ------
    InputError
        If the mechanism or the data sets are not there any more, or the mechanism fails.
    """
    request = Request(**saved["request"])
    request = replace(request, folder=str(_place(request, folder)))
    sent = run_safely(request, work=partial(_show_again, saved=saved), limit=timeout, debug=debug)
    try:
        require(type(sent) is list and all(type(again) is tuple for again in sent))
        for what, shown, detail in sent:
            require(type(what) is type(detail) is str and type(shown) is bool)
    except ValueError:
        raise InputError(f"what the process that ran {request.name} says is malformed") from None
    return [Again(*again) for again in sent]


def _show_again(
    request: Request, progress: Progress, *, saved: Mapping[str, Any]
) -> list[tuple[str, bool, str]]:
    from auditor.checking.witness_replay import run_again

    del progress  # only checks tell how far they are
    return run_again(request, saved)
