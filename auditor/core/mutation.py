"""Forms whose releases are changed on their way to the ledger: broken twins of an algorithm.

Cases make their own mutants with these; they are apart from the question that asks about mutants,
so that a case does not depend on the code of every question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from auditor.core.case import Form, Run
from reference._validation import FloatArray
from reference.privacy.ledger import Ledger, MutatedLedger, ReleaseClaim
from reference.privacy.mechanisms import Mechanism, Output

Change = Callable[[int, Mechanism, FloatArray, float], tuple[Mechanism, FloatArray, float]]


def through(form: Form, change: Change, *, repeat: int = 1) -> Form:
    """Return the form with every release changed on its way to the ledger."""
    return _with_ledger(form, lambda ledger: MutatedLedger(ledger, change, repeat=repeat))


def scaled_claim(form: Form, factor: float) -> Form:
    """Return the form with ``factor`` times the claimed sensitivity and noise, values unchanged.

    With a form that clips at C/factor this is the algorithm for threshold C without its clipping.
    """
    return through(form, lambda _, m, value, s: (m.rescaled(factor), value, s * factor))


def unreleased(form: Form, passes: Callable[[int], bool], *, stale: bool = False) -> Form:
    """Return the form in which some values leave past the ledger.

    Parameters
    ----------
    form : Form
    passes : callable
        Of the position of a release: whether noise and ledger are forgotten there.
    stale : bool
        Whether such a value gets the noise of the last release once more, instead of none.
    """
    return _with_ledger(form, lambda ledger: _Forgetful(ledger, passes, stale))


class _Forgetful(MutatedLedger):
    """Hand over values without a release where ``passes`` says so."""

    def __init__(self, inner: Ledger, passes: Callable[[int], bool], stale: bool) -> None:
        super().__init__(inner, lambda _, m, value, s: (m, value, s))
        self._passes = passes
        self._stale = stale
        self._noise: FloatArray | float = 0.0

    def _release(self, mechanism: Mechanism, value: ArrayLike, claim: ReleaseClaim) -> Output:
        array = np.array(value, dtype=np.float64)
        if self._passes(self._made):
            self._made += 1
            return array + self._noise
        output = super()._release(mechanism, array, claim)
        if self._stale:
            self._noise = np.asarray(output) - array
        return output


def _with_ledger(form: Form, ledger_of: Callable[[Ledger], Ledger]) -> Form:
    """Return the form run with another ledger in front of the given one."""

    def changed(run: Run) -> Run:
        return lambda data, ledger: run(data, ledger_of(ledger))

    run, box = changed(form.run), form.black_box
    if box is not None:
        box = replace(box, run=run if box.run is form.run else changed(box.run))
    return replace(form, run=run, black_box=box, violates={}, exact_query=None)
