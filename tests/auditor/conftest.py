"""What the tests of the audit cases share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from auditor.core.case import build_case
from auditor.core.context import Context
from auditor.core.verdict import Verdict
from auditor.questions import scaling
from auditor.suite.run import BY_FORM

Verdicts = Callable[[str, str], dict[str, Verdict]]


@pytest.fixture(scope="session")
def verdicts() -> Verdicts:
    """Return ``verdicts(identifier, form)``: what every question says, each asked once.

    The seed is fixed; each statistical verdict has error probability 0.01/60.
    """

    @cache
    def answers(identifier: str, name: str) -> dict[str, Verdict]:
        case = build_case(identifier)
        context = Context(tests=60).at(identifier, name)
        found = {q: ask(case.forms[name], context.at(q)) for q, ask in BY_FORM.items()}
        found["scaling"] = scaling.audit(case, name, context.at("scaling"))
        return found

    return answers
