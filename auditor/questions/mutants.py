"""Broken twins of an algorithm, which an audit worth its name must flag.

Generic mutants change what goes through the ledger; they work on any algorithm. A case adds the
ones that need the algorithm's own code, above all clipping dropped. :func:`audit` asks the other
questions about every mutant; one that none of them flags makes the audit of the algorithm itself
inconclusive.

Some questions may miss a mutant by chance. One that passes is therefore asked about again, on fresh
runs and twice as many every time (:func:`caught`), so that an audit does not fail by its seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from auditor.core.case import Case, Form
from auditor.core.context import ASKED, Context
from auditor.core.errors import one_line, pass_interrupts
from auditor.core.mutation import through
from auditor.core.verdict import Verdict
from auditor.questions.table import BY_FORM
from auditor.transcript.replay import record
from auditor.transcript.shared import SharedRuns
from reference._validation import FloatArray
from reference.privacy.exact.releases import exact_sampler, sampler_of
from reference.privacy.exact.sources import RandomBits
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

    @exact_sampler(Quiet)
    def _(mechanism: Mechanism, value: FloatArray, bits: RandomBits) -> Any:
        return sampler_of(kind)(mechanism.rescaled(factor), value, bits)

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

    The questions are those of :mod:`auditor.questions.table`, about the known pair only.
    """
    form = replace(twin, domain=None, no_search="a mutant is asked about its known pair")
    runs = SharedRuns(form, context)
    verdicts: list[Verdict] = []
    for name, question in BY_FORM.items():
        try:
            verdict = question.ask(form, context.at(name), runs)
        except BaseException as error:  # a broken twin may crash; that alone does not flag it
            pass_interrupts(error)
            verdict = Verdict(name, "inconclusive", f"failed with {one_line(error)}")
        verdicts.append(verdict)
        if verdict.status == "violated":
            break
    return verdicts


def caught(twin: Form, context: Context) -> dict[str, Any]:
    """Ask about a mutant until it is flagged, at most :data:`~auditor.core.context.ASKED` times.

    Parameters
    ----------
    twin : Form
    context : Context
        Of the mutant.

    Returns
    -------
    dict
        ``flagged_by``: the questions that flag it; ``asked``: how often it was asked about;
        ``answers``: what the last asking found, by question.
    """
    for asked in range(1, ASKED + 1):
        verdicts = answers(twin, replace(context.asking(asked), tier="quick"))
        flagged = [verdict.question for verdict in verdicts if verdict.status == "violated"]
        if flagged:
            break
    return {
        "flagged_by": flagged,
        "asked": asked,
        "answers": {v.question: {"status": v.status, "summary": v.summary} for v in verdicts},
    }


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
    evidence = {name: caught(form, context.at(name)) for name, form in twins.items()}
    survivors = [name for name, found in evidence.items() if not found["flagged_by"]]
    figures = {
        "mutants": evidence,
        "survivors": survivors,
        "no_clipping": case.no_clipping,
    }
    if survivors:
        return Verdict(
            "mutants",
            "inconclusive",
            f"{len(survivors)} of {len(twins)} mutants pass unnoticed {ASKED} times: "
            f"{', '.join(survivors)}; a worse pair of neighbours, or more samples, would tell them "
            "apart",
            figures,
        )
    if not case.mutants and not case.no_clipping:
        return Verdict(
            "mutants",
            "inconclusive",
            "the case has no mutant of its own (clipping dropped), nor a reason (no_clipping)",
            figures,
        )
    by = ", ".join(f"{name}: {_by(found)}" for name, found in evidence.items())
    return Verdict("mutants", "holds", f"all {len(twins)} mutants are flagged ({by})", figures)


def _by(found: Mapping[str, Any]) -> str:
    """Say which question flags a mutant, and whether it had to be asked again."""
    question, asked = str(found["flagged_by"][0]), found["asked"]
    return question if asked == 1 else f"{question}, asked {asked} times"
