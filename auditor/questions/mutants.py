"""Broken twins of an algorithm, which an audit worth its name must flag.

Generic mutants change what goes through the ledger; they work on any algorithm. A case adds the
ones that need the algorithm's own code, above all clipping dropped. :func:`audit` asks the other
questions about every mutant; one that none of them flags makes the audit of the algorithm itself
inconclusive.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from auditor.core.case import Case, Form
from auditor.core.context import Context
from auditor.core.errors import one_line
from auditor.core.mutation import through
from auditor.core.verdict import Verdict
from auditor.questions.table import BY_FORM
from auditor.transcript.replay import record
from auditor.transcript.shared import SharedRuns
from reference._validation import FloatArray
from reference.privacy.mechanisms import Draw, Mechanism

UNNOISED = 1e-9
"""Multiple of the noise that stands for none: the densities stay finite."""


def _quiet(mechanism: Mechanism, factor: float) -> Mechanism:
    """Return ``mechanism`` with its draws multiplied by ``factor``, declaring the full scale."""
    twin: Mechanism = object.__new__(_quiet_class(type(mechanism), factor))
    twin.__dict__.update(mechanism.__dict__)
    return twin


@cache
def _quiet_class(kind: type[Mechanism], factor: float) -> type[Mechanism]:
    """Return one class for all releases of a kind, so that what dispatches on it finds it again."""

    class Quiet(kind):  # type: ignore[misc,valid-type]
        def output(self, value: FloatArray, draw: Draw) -> Any:
            return kind.output(self.rescaled(factor), value, draw)

    return Quiet


def generic(form: Form) -> dict[str, Form]:
    """Return the mutants every algorithm has.

    ``noise halved`` and ``first release un-noised`` declare their smaller noise (the accountant can
    see it); ``noise secretly halved`` draws half of what it declares (only the samplers can);
    ``sensitivity understated`` claims half the bound at the same noise; ``budget spent twice``
    makes every release twice.

    They mean the same for every kind of release. Where there is no scale, half the noise is twice
    the epsilon (randomized response, the l2 ball), rate (exponential mechanism) or log-odds (a
    bit). Half the sensitivity is half the answers that may differ (randomized response), half the
    log-ratio (a bit), half the radius (the l2 ball): in every case a bound that a neighbour
    attaining the original one exceeds.
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


# ------------------------------------------------------------------------------ the question


def answers(twin: Form, context: Context) -> list[Verdict]:
    """Return the verdicts on a mutant, up to the first that flags it.

    The questions are those of :mod:`auditor.questions.table`, with the effort of the quick tier
    and about the known pair only.
    """
    form = replace(twin, domain=None, no_search="a mutant is asked about its known pair")
    context = replace(context, tier="quick")
    runs = SharedRuns(form, context)
    verdicts: list[Verdict] = []
    for name, question in BY_FORM.items():
        try:
            verdict = question.ask(form, context.at(name), runs)
        except Exception as error:  # a broken twin may crash; that alone does not flag it
            verdict = Verdict(name, "inconclusive", f"failed with {one_line(error)}")
        verdicts.append(verdict)
        if verdict.status == "violated":
            break
    return verdicts


def audit(case: Case, context: Context) -> Verdict:
    """Ask which question flags each mutant of the corrected form.

    Parameters
    ----------
    case : Case
    context : Context

    Returns
    -------
    Verdict
        ``"holds"`` if every mutant is flagged; ``"inconclusive"`` naming the survivors, with what
        each question said of them, or if the case has no mutant of its own nor a reason.
    """
    corrected = next(iter(case.forms.values()))
    transcript, _ = record(corrected.run, corrected.pair[0], 0, target=corrected.replaced)
    if not transcript.releases:
        return Verdict("mutants", "not applicable", "nothing is released: there is no noise to cut")
    twins = {**generic(corrected), **case.mutants}
    flagged: dict[str, list[str]] = {}
    evidence: dict[str, Any] = {}
    for name, form in twins.items():
        verdicts = answers(form, context.at(name))
        flagged[name] = [v.question for v in verdicts if v.status == "violated"]
        evidence[name] = {
            "flagged_by": flagged[name],
            "answers": {v.question: {"status": v.status, "summary": v.summary} for v in verdicts},
        }
    survivors = [name for name, questions in flagged.items() if not questions]
    figures = {
        "mutants": evidence,
        "survivors": survivors,
        "no_clipping": case.no_clipping,
    }
    if survivors:
        return Verdict(
            "mutants",
            "inconclusive",
            f"{len(survivors)} of {len(twins)} mutants pass unnoticed: {', '.join(survivors)}; "
            "a worse pair of neighbours, or more samples, would tell them apart",
            figures,
        )
    if not case.mutants and not case.no_clipping:
        return Verdict(
            "mutants",
            "inconclusive",
            "the case has no mutant of its own (clipping dropped), nor a reason (no_clipping)",
            figures,
        )
    by = ", ".join(f"{name}: {questions[0]}" for name, questions in flagged.items())
    return Verdict("mutants", "holds", f"all {len(twins)} mutants are flagged ({by})", figures)
