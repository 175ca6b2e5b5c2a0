"""The questions of an audit: one table, for catalogued algorithms and for any mechanism alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.verdict import Verdict
from auditor.questions import (
    accounting,
    black_box,
    control_flow,
    privacy_loss,
    samplers,
    sensitivity,
)
from auditor.transcript.shared import SharedRuns


@dataclass(frozen=True)
class Question:
    """A question that is asked of a form.

    Attributes
    ----------
    name : str
        One of :data:`auditor.core.verdict.QUESTIONS`.
    ask : callable
        ``ask(form, context, runs)``.
    statistical : bool
        Whether its verdict may be wrong by chance, so that it needs a share of the error
        probability.
    """

    name: str
    ask: Callable[[Form, Context, SharedRuns], Verdict]
    statistical: bool


BY_FORM: dict[str, Question] = {
    question.name: question
    for question in (
        Question("accounting", lambda form, context, _: accounting.audit(form, context), False),
        Question("control_flow", lambda form, context, _: control_flow.audit(form, context), False),
        Question("sensitivity", lambda form, context, _: sensitivity.audit(form, context), False),
        Question("samplers", samplers.audit, True),
        Question("privacy_loss", privacy_loss.audit, True),
        Question("black_box", black_box.audit, True),
    )
}
"""The questions by name, cheapest first."""
