"""What the tests of the audit cases share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from auditor.cases import build_case
from auditor.core.verdict import Verdict
from auditor.questions import scaling
from auditor.questions.table import BY_FORM
from auditor.suite.plan import number_of_tests
from auditor.suite.store import Settings
from auditor.transcript.shared import SharedRuns

Verdicts = Callable[[str, str], dict[str, Verdict]]


@pytest.fixture(scope="session")
def verdicts() -> Verdicts:
    """Return ``verdicts(identifier, form)``: what every question says, each asked once.

    The seed is fixed; each statistical verdict has the share of the error probability that the
    suite gives it.
    """

    @cache
    def answers(identifier: str, name: str) -> dict[str, Verdict]:
        case = build_case(identifier)
        context = Settings().context(number_of_tests(case, name)).at(identifier, name)
        form = case.forms[name]
        runs = SharedRuns(form, context)
        found = {q: asked.ask(form, context.at(q), runs) for q, asked in BY_FORM.items()}
        found["scaling"] = scaling.audit(case, name, context.at("scaling"))
        return found

    return answers
