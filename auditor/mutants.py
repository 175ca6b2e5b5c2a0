"""Broken twins of an algorithm, which an audit worth its name must flag.

Generic mutants change what goes through the ledger; they work on any algorithm. A case adds the
ones that need the algorithm's own code, above all clipping dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from auditor.case import Form
from reference._validation import FloatArray
from reference.privacy.ledger import Ledger, MutatedLedger
from reference.privacy.mechanisms import Draw, Mechanism

UNNOISED = 1e-9
"""Multiple of the noise that stands for none: the densities stay finite."""

Change = Callable[[int, Mechanism, FloatArray, float], tuple[Mechanism, FloatArray, float]]


def through(form: Form, change: Change, *, repeat: int = 1) -> Form:
    """Return the form with every release changed on its way to the ledger."""

    def run(data: Any, ledger: Ledger) -> Any:
        return form.run(data, MutatedLedger(ledger, change, repeat=repeat))

    return replace(form, run=run, violates={}, exact_query=None)


def scaled_claim(form: Form, factor: float) -> Form:
    """Return the form with ``factor`` times the claimed sensitivity and noise, values unchanged.

    With a form that clips at C/factor this is the algorithm for threshold C without its clipping.
    """
    return through(form, lambda _, m, value, s: (m.rescaled(factor), value, s * factor))


def _quiet(mechanism: Mechanism, factor: float) -> Mechanism:
    """Return ``mechanism`` with its draws multiplied by ``factor``, declaring the full scale."""
    kind = type(mechanism)

    class Quiet(kind):  # type: ignore[misc,valid-type]
        def output(self, value: FloatArray, draw: Draw) -> Any:
            return mechanism.rescaled(factor).output(value, draw)

    twin = object.__new__(Quiet)
    twin.__dict__.update(mechanism.__dict__)
    return twin


def generic(form: Form) -> dict[str, Form]:
    """Return the mutants every algorithm has.

    ``noise halved`` and ``first release un-noised`` declare their smaller noise (the accountant can
    see it); ``noise secretly halved`` draws half of what it declares (only the samplers can);
    ``sensitivity understated`` claims half the bound at the same noise; ``budget spent twice``
    makes every release twice.
    """
    return {
        "noise halved": through(form, lambda _, m, v, s: (m.rescaled(0.5), v, s)),
        "noise secretly halved": through(form, lambda _, m, v, s: (_quiet(m, 0.5), v, s)),
        "first release un-noised": through(
            form, lambda i, m, v, s: (m.rescaled(UNNOISED) if i == 0 else m, v, s)
        ),
        "sensitivity understated": through(form, lambda _, m, v, s: (m, v, s / 2)),
        "budget spent twice": through(form, lambda _, m, v, s: (m, v, s), repeat=2),
    }
