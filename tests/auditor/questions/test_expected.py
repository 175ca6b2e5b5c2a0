"""Each question about a printed form goes on until the form shows its error."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auditor.core.case import Case, Form
from auditor.core.context import ASKED, Context
from auditor.core.verdict import Verdict
from auditor.questions.expected import until_shown
from auditor.suite import task
from auditor.suite.plan import AuditUnit
from auditor.transcript.shared import SharedRuns
from reference.privacy.guarantees import PureDP
from reference.privacy.ledger import Ledger

RUNS = 32
SHOWS = 0.7
"""Chance that RUNS runs in either direction show the violation of the rare form."""

SEEDS = 45


def rare_form(violates: dict[str, str]) -> Form:
    """Return a form whose loss exceeds its claim only where a first draw is large."""
    # then where Laplace noise of scale 1/2 is below 1/4
    below = 1 - math.exp(-0.5) / 2
    bound = -math.log(2 * (1 - (1 - SHOWS) ** (1 / (2 * RUNS))) / below)

    def run(data: Any, ledger: Ledger) -> Any:
        draw = ledger.laplace(0.0, sensitivity=1.0, scale=1.0)
        return ledger.laplace(data.sum(), sensitivity=1.0, scale=0.5 if draw > bound else 1.0)

    pair = (np.zeros(3), np.array([1.0, 0.0, 0.0]))
    return Form(run, PureDP(1.0), pair, 0, {}, loss_samples=RUNS, violates=violates)


def asked(violates: dict[str, str], seed: int) -> Verdict:
    case = Case("rare", {"corrected": rare_form({}), "printed": rare_form(violates)})
    context = Context(seed=seed, tests=3, path=("rare", "printed"))
    runs = SharedRuns(case.forms["printed"], context)
    return task.ask(case, AuditUnit("rare", "printed", "privacy_loss"), context, runs)


def test_a_violation_that_one_asking_misses_shows_at_every_seed() -> None:
    once = [asked({}, seed) for seed in range(SEEDS)]
    again = [asked({"privacy_loss": "rare/E1"}, seed) for seed in range(SEEDS)]
    shown = sum(verdict.status == "violated" for verdict in once)
    # outside these with probability 1e-6
    low, high = stats.binom.interval(1 - 1e-6, SEEDS, SHOWS)
    assert low <= shown <= high
    assert high < SEEDS
    # twice as many runs every time: all four miss with probability (1 - SHOWS)^15
    assert [verdict.status for verdict in again] == ["violated"] * SEEDS
    # what shows at once has the runs that it had, and is not asked again
    for one, other in zip(once, again, strict=True):
        assert (other.evidence["asked"] == 1) == (one.status == "violated")
        if one.witness is not None and other.witness is not None:
            assert other.summary == one.summary
            assert other.witness["seeds"] == one.witness["seeds"]
            assert other.witness["index"] == one.witness["index"]


def test_only_what_must_show_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Context, SharedRuns]] = []

    def holds(form: Form, context: Context, runs: SharedRuns) -> Verdict:
        seen.append((context, runs))
        return Verdict("accounting", "holds", "fine")

    own = {name: replace(question, ask=holds) for name, question in task.BY_FORM.items()}
    monkeypatch.setattr(task, "BY_FORM", own)
    form = rare_form({"accounting": "rare/E1"})
    case = Case("rare", {"corrected": rare_form({}), "printed": form})
    context = Context(seed=3, tests=2, path=("rare", "printed"))
    runs = SharedRuns(form, context)
    for unit in (
        AuditUnit("rare", "printed", "samplers"),
        AuditUnit("rare", "corrected", "accounting"),
    ):
        assert "asked" not in task.ask(case, unit, context, runs).evidence
        assert seen.pop() == (context.at(unit.question), runs)
        assert not seen
    verdict = task.ask(case, AuditUnit("rare", "printed", "accounting"), context, runs)
    assert (verdict.summary, verdict.evidence["asked"]) == (f"fine (asked {ASKED} times)", ASKED)
    contexts = [context for context, _ in seen]
    assert [context.effort(100) for context in contexts] == [100, 200, 400, 800]
    # the first on the runs of the other questions, the others each on its own
    assert [shared is runs for _, shared in seen] == [True, False, False, False]
    draws = {shared.seeds("screen", 0).generate_state(1)[0] for _, shared in seen}
    assert len(draws) == ASKED
    assert len({context.rng().random() for context in contexts}) == ASKED


def test_the_first_asking_has_the_runs_of_the_form() -> None:
    own, seen = Context(seed=5, path=("form",)), []

    def ask(context: Context, fresh: bool) -> Verdict:
        seen.append((context.path, context.times, fresh))
        return Verdict("black_box", "holds", "so")

    until_shown(ask, own)
    assert seen[0] == (("form",), 1, False)
    assert [entry[1:] for entry in seen[1:]] == [(2**k, True) for k in range(1, ASKED)]
    assert len({path for path, *_ in seen}) == ASKED


def test_what_does_not_apply_is_not_asked_again() -> None:
    verdict = until_shown(lambda *_: Verdict("black_box", "not applicable", "no box"), Context())
    assert (verdict.status, verdict.summary) == ("not applicable", "no box")
    assert verdict.evidence["asked"] == 1


def test_an_announced_violation_that_is_none_is_found_at_the_level_of_one_question() -> None:
    context, seeds = Context(confidence=0.4, tests=2), 2000

    def ask(own: Context, _: bool) -> Verdict:
        p_value = own.rng().random()  # of a claim that is met exactly
        status = "violated" if p_value <= own.alpha else "holds"
        return Verdict("black_box", status, "so", witness={}, p_value=p_value)

    found = [until_shown(ask, replace(context, seed=seed)) for seed in range(seeds)]
    alarms = sum(verdict.status == "violated" for verdict in found)
    # the chance that one of four is at most a quarter of the level, which is less than the level
    chance = 1 - (1 - context.alpha / ASKED) ** ASKED
    assert alarms <= stats.binom.isf(1e-7, seeds, chance) < context.alpha * seeds * 1.1
    assert alarms >= stats.binom.isf(1 - 1e-7, seeds, chance)
