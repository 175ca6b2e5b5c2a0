"""Forms whose releases are changed on their way to the ledger: broken twins of an algorithm.

Cases make their own mutants with these; they are apart from the question that asks about mutants,
so that a case does not depend on the code of every question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from auditor.core.case import Form, Run
from reference._validation import FloatArray
from reference.privacy.ledger import MutatedLedger
from reference.privacy.mechanisms import Mechanism

Change = Callable[[int, Mechanism, FloatArray, float], tuple[Mechanism, FloatArray, float]]


def through(form: Form, change: Change, *, repeat: int = 1) -> Form:
    """Return the form with every release changed on its way to the ledger."""

    def changed(run: Run) -> Run:
        return lambda data, ledger: run(data, MutatedLedger(ledger, change, repeat=repeat))

    run, box = changed(form.run), form.black_box
    if box is not None:
        box = replace(box, run=run if box.run is form.run else changed(box.run))
    return replace(form, run=run, black_box=box, violates={}, exact_query=None)


def scaled_claim(form: Form, factor: float) -> Form:
    """Return the form with ``factor`` times the claimed sensitivity and noise, values unchanged.

    With a form that clips at C/factor this is the algorithm for threshold C without its clipping.
    """
    return through(form, lambda _, m, value, s: (m.rescaled(factor), value, s * factor))
