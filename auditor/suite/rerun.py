"""Rerun the violations in a results file."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from threadpoolctl import threadpool_limits

from auditor.core.case import Case
from auditor.core.errors import InputError, one_line
from auditor.core.verdict import Verdict
from auditor.suite.store import Result


@dataclass(frozen=True)
class Violation:
    """A violated verdict of a result; ``name`` is FORM/QUESTION."""

    form: str
    question: str
    verdict: Verdict

    @property
    def name(self) -> str:
        """Return how it is called on the command line."""
        return f"{self.form}/{self.question}"


def violations(result: Result, wanted: Sequence[str] = ()) -> list[Violation]:
    """Return the violations in a result, or of them those called FORM/QUESTION.

    Raises
    ------
    InputError
        If one of ``wanted`` is not there, or nothing is violated.
    """
    found = [
        Violation(name, question, verdict)
        for name, form in result.forms.items()
        for question, verdict in form.verdicts.items()
        if verdict.status == "violated"
    ]
    if not found:
        raise InputError(f"nothing is violated in the result on {result.id}")
    names = ", ".join(violation.name for violation in found)
    for word in wanted:
        if word not in {violation.name for violation in found}:
            raise InputError(f"no violation {word!r} in the result on {result.id}; it has {names}")
    return [violation for violation in found if not wanted or violation.name in wanted]


def shows_again(result: Result, violation: Violation, case: Case) -> bool:
    """Run the witness of a violation again; return whether the violation shows again.

    Parameters
    ----------
    result : Result
    violation : Violation
        Of :func:`violations`.
    case : Case
        The result's algorithm.

    Raises
    ------
    InputError
        If the case has no such form any more, or the witness does not fit it.
    """
    from auditor.questions import domain, real_data, scaling  # they load slowly
    from auditor.questions.table import BY_FORM
    from auditor.transcript.ledgers import ledgers_of

    form, question, witness = violation.form, violation.question, violation.verdict.witness
    if form not in case.forms or witness is None:
        raise InputError(f"{result.id} has no form {form!r} any more; audit it again")
    try:
        # like the audit: sums depend on the number of threads
        with threadpool_limits(limits=1), ledgers_of(result.settings.ledger):
            if question == "scaling":
                return scaling.reproduce(case, form, witness)
            if question == "domain":
                return domain.reproduce(case.forms[form], witness)
            if question == "real_data":
                context = result.settings.context(result.forms[form].tests).at(result.id, form)
                return real_data.audit(case, context.at(question)).status == "violated"
            return BY_FORM[question].reproduce(case.forms[form], witness)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(
            f"the witness of {violation.name} does not fit the code ({one_line(error)}); audit "
            f"{result.id} again"
        ) from error


def command(
    folder: Path, identifier: str, form: str, question: str, files: Sequence[str] = ()
) -> str:
    """Return what shows a violation in a results folder again, to be copied.

    ``files`` are those that the algorithm is known by, see :mod:`auditor.suite.algorithms`.
    """
    path = str(folder / f"{identifier}.json")
    cases = (word for file in files for word in ("--cases", file))
    return shlex.join(["touchstone", "rerun", path, f"{form}/{question}", *cases])
