"""The domain question notices what holds at one setting alone, and is silent about the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from auditor import Box, Case, Form, form
from auditor.core.case import Data
from auditor.core.context import Context
from auditor.core.verdict import Verdict
from auditor.described import build_case, left_out, modules
from auditor.questions import domain
from auditor.questions.domain import (
    DomainPoint,
    audit,
    call_at,
    fault,
    points,
    reproduce,
    spent,
)
from auditor.suite.rerun import Violation, shows_again
from auditor.suite.store import Result, Settings
from auditor.transcript.replay import record
from reference.constants import PositiveConstants, fixed_constants
from reference.parameters import ParameterError, checked_arguments
from reference.privacy.guarantees import ZCDP, ApproximateDP, Model, PureDP, Relation
from reference.privacy.ledger import Ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """The noise of a mean, and how often it is released."""

    sensitivity: float
    noise_scale: float
    releases: int


@checked_arguments
def constants_for(*, n: int, bound: float, epsilon: float, n_iterations: int) -> Constants:
    """Return the Laplace scale for a mean that is released a number of times."""
    sensitivity = 2 * bound / n
    return Constants(sensitivity, sensitivity * n_iterations / epsilon, n_iterations)


@checked_arguments
def means(
    data: Data,
    *,
    epsilon: float,
    bound: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger,
) -> float:
    """Return a mean of clipped records with Laplace noise, the last of some."""
    known = {"n": len(data), "bound": bound, "epsilon": epsilon, "n_iterations": n_iterations}
    chosen = fixed_constants(ledger, Constants, constants, constants_for, **known)
    return last_of(ledger, np.clip(data, -bound, bound).mean(), chosen)


def last_of(ledger: Ledger, mean: float, chosen: Constants) -> float:
    """Return the last release of a mean."""
    for _ in range(chosen.releases):
        last = ledger.laplace(mean, sensitivity=chosen.sensitivity, scale=chosen.noise_scale)
    return float(last)


PAIR = (np.r_[1.0, np.zeros(9)], np.r_[-1.0, np.zeros(9)])


def case_of(function: Callable[..., Any], **options: Any) -> Case:
    """Return a case of a variant of :func:`means`, at one setting."""
    known = {"epsilon": 1.0, "bound": 1.0, "n_iterations": 2, "domain": Box((), -3.0, 3.0)}
    return Case("toy", {"corrected": form(function, PAIR, **{**known, **options})})


def asked(function: Callable[..., Any], seed: int = 0, **options: Any) -> Verdict:
    """Return the answer about a variant."""
    return audit(case_of(function, **options), Context(seed))


def variant(**changed: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return the algorithm whose theory gives other constants, as functions of what it is told."""

    def algorithm(
        data: Data, *, constants: Constants | None = None, ledger: Ledger, **known: Any
    ) -> float:
        right = constants_for(n=len(data), **known)
        known_too = {**known, "right": right}
        wrong = replace(right, **{name: make(known_too) for name, make in changed.items()})
        return means(data, **known, constants=constants or wrong, ledger=ledger)

    return algorithm


def raises_on_data(data: Data, *, epsilon: float, ledger: Ledger, **known: Any) -> float:
    """Run, but raise where the records are negative and epsilon is large."""
    if epsilon > 10 and data.sum() < 0:
        raise ZeroDivisionError("the noise is too small")
    return means(data, epsilon=epsilon, **known, ledger=ledger)


def answers_bare(data: Data, *, epsilon: float, ledger: Ledger, **known: Any) -> float:
    """Run, but return the mean itself where noise would hardly change it."""
    found = means(data, epsilon=epsilon, **known, ledger=ledger)
    return float(data.mean()) if epsilon > 100 else found


def clips_at_one(data: Data, *, bound: float, ledger: Ledger, **known: Any) -> float:
    """Run, with records that are clipped at 1 whatever the bound is."""
    chosen = constants_for(n=len(data), bound=bound, **known)
    return last_of(ledger, np.clip(data, -1, 1).mean(), chosen)


@checked_arguments
def charges_the_theory(
    data: Data,
    *,
    epsilon: float,
    bound: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger,
) -> float:
    """Run with constants of a user's own, but charge a sensitivity that they do not have."""
    known = {"n": len(data), "bound": bound, "epsilon": epsilon, "n_iterations": n_iterations}
    theory = constants_for(**known)
    chosen = fixed_constants(ledger, Constants, constants, constants_for, **known)
    shrunk = theory.noise_scale / chosen.noise_scale
    return last_of(ledger, np.clip(data, -bound, bound).mean() * shrunk, theory)


CAP = variant(noise_scale=lambda known: min(known["right"].noise_scale, 1.0))
FOR_TWO = variant(noise_scale=lambda known: known["right"].noise_scale * 2 / known["n_iterations"])
BROKEN = {
    "noise is capped": (CAP, "accounting"),
    "noise for two releases, however many there are": (FOR_TWO, "accounting"),
    "an exception tells": (raises_on_data, "control_flow"),
    "the answer is bare": (answers_bare, "control_flow"),
    "clipped for another bound": (clips_at_one, "sensitivity"),
    "own constants are not charged": (charges_the_theory, "sensitivity"),
}


@pytest.mark.parametrize("seed", range(3))
def test_what_holds_everywhere_holds(seed: int) -> None:
    verdict = asked(means, seed)
    assert verdict.status == "holds"
    assert verdict.evidence["points"] == verdict.evidence["accepted"] == domain.POINTS
    assert verdict.evidence["own_constants"] == domain.POINTS // 4
    assert not verdict.evidence["raised"]
    assert verdict.summary.endswith("; 0 points are refused")


@pytest.mark.parametrize("name", BROKEN)
def test_what_holds_at_the_setting_alone_is_noticed_and_shows_again(name: str) -> None:
    function, question = BROKEN[name]
    case = case_of(function)
    form = case.forms["corrected"]
    setting = DomainPoint({"epsilon": 1.0})
    assert fault(form, setting, form.pair) is None, "the case's own setting shows it"
    for seed in range(3):
        verdict = audit(case, Context(seed))
        assert (verdict.status, verdict.witness["question"]) == ("violated", question)
    read_back = Verdict.from_json(verdict.to_json())
    assert reproduce(form, read_back.witness)
    assert not reproduce(case_of(means).forms["corrected"], read_back.witness)
    result = Result("toy", Settings(), {})
    assert shows_again(result, Violation("corrected", "domain", read_back), case)


def test_the_same_seed_asks_the_same_and_the_full_tier_ten_times_as_much() -> None:
    form = case_of(means).forms["corrected"]
    quick = list(points(form, Context(1)))
    assert quick == list(points(form, Context(1))) != list(points(form, Context(2)))
    assert len(list(points(form, Context(1, tier="full")))) == 10 * len(quick)
    assert {point.parameters["epsilon"] for point in quick[::2]} == set(domain.EPSILONS)
    assert {factor for point in quick for factor in point.factors.values()} >= {0.5, 2.0, 16.0}
    assert [bool(point.factors) for point in quick] == 4 * [False, False, False, True]


def test_points_are_fewer_where_there_is_less_to_ask() -> None:
    without_constants = case_of(answers_bare).forms["corrected"]
    assert not any(point.factors for point in points(without_constants, Context()))
    subsampled = build_case("diss-2.sgd-accountant").forms["corrected"]
    assert len(list(points(subsampled, Context()))) == domain.SUBSAMPLED


def test_a_call_has_the_constants_of_its_point() -> None:
    form = case_of(means).forms["corrected"]
    factors = {"noise_scale": 0.5, "releases": 0.25}
    run = call_at(form, DomainPoint({"epsilon": 4.0, "n_iterations": 3}, factors))
    assert run.parameters["constants"] == Constants(0.2, 0.5 * 0.2 * 3 / 4, 1)
    assert call_at(form, DomainPoint({"epsilon": 4.0})).parameters["epsilon"] == 4.0
    # where the theory has none, those of the case
    impossible = DomainPoint({"epsilon": -1.0}, {"noise_scale": 0.5})
    with pytest.raises(ParameterError):
        call_at(form, impossible)
    own = case_of(means, constants=Constants(1.0, 2.0, 3)).forms["corrected"]
    assert call_at(own, impossible).parameters["constants"] == Constants(1.0, 1.0, 3)


def released(epsilon: float) -> tuple[Form, Any]:
    """Return a form that spends an epsilon, and its transcript."""
    form = case_of(means, epsilon=epsilon, n_iterations=1).forms["corrected"]
    return form, record(form.run, form.pair[0], 0)[0]


def test_a_loss_beyond_the_claim_is_found() -> None:
    form, transcript = released(5.0)
    found = domain._lost(form.run, transcript, PureDP(4.9), form.pair)
    assert found is not None
    assert (found.question, found.finding[:13]) == ("privacy_loss", "a loss of 5 f")
    for claim, exceeded in (
        (PureDP(5.0), False),
        # where delta is almost 0, a loss well beyond epsilon tells as well
        (ApproximateDP(3.9, 1e-12), True),
        (ApproximateDP(4.1, 1e-12), False),
        (ApproximateDP(3.9, 1e-11), False),
    ):
        assert (domain._lost(form.run, transcript, claim, form.pair) is not None) == exceeded


def test_what_was_spent_is_a_claim_like_the_one_given() -> None:
    _, transcript = released(5.0)
    assert spent(transcript, PureDP(1.0)) == PureDP(5.0)
    claim = spent(transcript, ApproximateDP(1.0, 1e-6, relation=Relation.REPLACE_ONE))
    assert isinstance(claim, ApproximateDP)
    assert claim.delta == 1e-6
    assert claim.epsilon == pytest.approx(5.0, rel=1e-6)


@pytest.mark.parametrize(("model", "cost"), [(Model.LOCAL, 1.5), (Model.LOCAL_ATTRIBUTE, 0.5)])
def test_what_was_spent_protects_what_the_claim_does(model: Model, cost: float) -> None:
    def run(data: Any, ledger: Ledger) -> Any:
        return ledger.randomized_response(data, epsilon=0.5, unit="attribute")

    transcript, _ = record(run, np.array([[0, 1, 1]]), 0)
    assert spent(transcript, PureDP(1.0, model=model)).epsilon == pytest.approx(cost)


def test_zcdp_grows_with_the_square_of_epsilon() -> None:
    form = case_of(means, claim=ZCDP(0.5)).forms["corrected"]
    assert domain.claimed(form, {"epsilon": 3.0}) == ZCDP(4.5)


def test_what_accepts_nothing_is_inconclusive_and_says_what_would_settle_it() -> None:
    def refuses(data: Data, *, epsilon: float, ledger: Ledger, **_: Any) -> None:
        if epsilon != 1.0:
            raise ParameterError("epsilon", "be 1, as the case has it")
        ledger.laplace(data.mean(), sensitivity=0.2, scale=0.2)

    verdict = asked(refuses)
    assert verdict.status == "inconclusive"
    assert "epsilon must be 1, as the case has it; a case with other data" in verdict.summary
    assert verdict.evidence["refused"] == {"epsilon must be 1, as the case has it": domain.POINTS}


def test_a_run_that_hides_its_parameters_is_inconclusive() -> None:
    form = case_of(means).forms["corrected"]
    run = form.run
    hidden = replace(form, run=lambda data, ledger: run(data, ledger))
    verdict = audit(Case("toy", {"corrected": hidden}), Context())
    assert verdict.status == "inconclusive"
    assert "auditor.form" in verdict.summary


def test_an_exception_after_a_release_is_kept_beside_the_refusals() -> None:
    def breaks(data: Data, *, epsilon: float, ledger: Ledger, **known: Any) -> float:
        found = means(data, epsilon=epsilon, **known, ledger=ledger)
        if epsilon > 100:
            raise OverflowError("too large")
        return found

    verdict = asked(breaks)
    assert verdict.status == "holds"
    assert any("OverflowError: too large" in line for line in verdict.evidence["raised"])
    assert verdict.evidence["accepted"] < domain.POINTS
    assert not verdict.evidence["refused"]


@pytest.mark.parametrize("identifier", tuple(modules()))
def test_what_is_accepted_keeps_the_claim(identifier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain, "POINTS", 4)
    verdict = audit(build_case(identifier), Context().at(identifier))
    allowed = {"holds", "inconclusive" if "domain" in left_out(identifier) else "holds"}
    assert verdict.status in allowed, verdict.summary
    # what is refused is refused before any release, whatever the data are
    assert not verdict.evidence["raised"]
