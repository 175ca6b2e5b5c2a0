"""The questions of an audit: one table, for catalogued algorithms and for any mechanism alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.verdict import STATISTICAL, Verdict
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
    reproduce : callable
        ``reproduce(form, witness)`` runs a violation again and returns whether it shows again.
        ``form`` is the one it was found for, ``witness`` as in the verdict, or read back from its
        JSON.
    statistical : bool
        Whether its verdict may be wrong by chance, so that it needs a share of the error
        probability: one of :data:`auditor.core.verdict.STATISTICAL`.
    """

    name: str
    ask: Callable[[Form, Context, SharedRuns], Verdict]
    reproduce: Callable[[Form, Mapping[str, Any]], bool]

    @property
    def statistical(self) -> bool:
        """See above."""
        return self.name in STATISTICAL


def _alone(
    audit: Callable[[Form, Context], Verdict],
) -> Callable[[Form, Context, SharedRuns], Verdict]:
    """Return a question that reads no shared runs as one that is given them."""
    return lambda form, context, _: audit(form, context)


BY_FORM: dict[str, Question] = {
    question.name: question
    for question in (
        Question("accounting", _alone(accounting.audit), accounting.reproduce),
        Question("control_flow", _alone(control_flow.audit), control_flow.reproduce),
        Question("sensitivity", _alone(sensitivity.audit), sensitivity.reproduce),
        Question("samplers", samplers.audit, samplers.reproduce),
        Question("privacy_loss", privacy_loss.audit, privacy_loss.reproduce),
        Question("black_box", black_box.audit, black_box.reproduce),
    )
}
"""The questions by name, cheapest first."""
