"""Expected violations of printed forms: the question is repeated until one shows.

A question may miss by chance a violation that is there, as it may miss a mutant. One that a printed
form must show and does not is asked again, on fresh runs and twice as many every time, so that an
audit does not fail by its seed.

The askings share the error probability of the question equally. So a violation that is announced,
but is none, is found with the same probability at most as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from auditor.core.context import ASKED, Context
from auditor.core.verdict import Verdict


def until_shown(ask: Callable[[Context, bool], Verdict], context: Context) -> Verdict:
    """Ask until a violation shows, :data:`~auditor.core.context.ASKED` times at most.

    Parameters
    ----------
    ask : callable
        ``ask(context, fresh)`` returns a verdict; with ``fresh`` on runs that no other question
        reads.
    context : Context
        Of the form. The first asking has its runs and effort.

    Returns
    -------
    Verdict
        The last one. Its evidence says how often it was asked (``asked``), its summary where that
        was more than once.
    """
    share = replace(context, tests=ASKED * context.tests)
    for asked in range(1, ASKED + 1):
        verdict = ask(share.asking(asked) if asked > 1 else share, asked > 1)
        if verdict.status in ("violated", "not applicable"):
            break
    return _told(verdict, asked)


def _told(verdict: Verdict, asked: int) -> Verdict:
    evidence: Mapping[str, Any] = {**verdict.evidence, "asked": asked}
    times = "" if asked == 1 else f" (asked {asked} times)"
    return replace(verdict, evidence=evidence, summary=verdict.summary + times)
