"""The real-data audit on a mean whose privacy and error are known. Seeds are fixed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auditor.core.case import Case, RealData, Trivial
from auditor.core.context import Context
from auditor.core.neighbours import replace_record
from auditor.questions import real_data
from auditor.questions.real_data import NEIGHBOURS, measure_losses, measure_utility
from auditor.statistics.stages import FRESH
from reference.privacy.guarantees import ApproximateDP, PureDP
from reference.privacy.ledger import Ledger, RecordingLedger

SUITE = Context(tests=11)  # as many as an algorithm of the catalogue has at most
N = 50


def private_mean(strength: float = 1.0) -> Callable[[Any, float, Ledger], Any]:
    def run(data: Any, epsilon: float, ledger: Ledger) -> Any:
        return ledger.laplace(data.mean(), sensitivity=1 / N, scale=1 / (strength * N * epsilon))

    return run


def _neighbour(data: Any, rng: np.random.Generator) -> tuple[Any, int]:
    index = int(rng.integers(len(data)))
    return replace_record(data, index, 1.0 - data[index]), index


REAL = RealData(
    name="coins (toy)",
    load=lambda: np.repeat([0.0, 1.0], N // 2),
    run=private_mean(),
    claim=PureDP,
    neighbour=_neighbour,
    baseline=lambda data: data.mean(),
    error=lambda private, baseline: abs(float(private) - baseline),
    epsilons=(0.1, 0.3, 1.0, 3.0),
    metric="absolute error",
)


def case(*data_sets: RealData, **changes: Any) -> Case:
    return Case(id="toy", forms={}, real_data=data_sets, **changes)


def test_a_sound_mean_holds_and_its_error_falls() -> None:
    verdict = real_data.audit(case(REAL), SUITE)
    assert verdict.status == "holds"
    assert verdict.p_value is None  # a pure claim: no test can be wrong
    (figures,) = verdict.evidence["data_sets"]
    assert (figures["records"], figures["claimed_epsilon"]) == (N, 1.0)
    assert figures["runs"] == 5 * NEIGHBOURS  # few, as nothing shows
    assert figures["largest_loss"] == pytest.approx(1.0)
    assert figures["falls"]
    assert figures["correlation"] < -0.5
    # E|Lap(b)| quartiles are b log(4/3), b log 2, b log 4 with b = 1/(N epsilon)
    expected = np.log(2) / (N * np.array(REAL.epsilons))
    np.testing.assert_allclose(figures["median"], expected, rtol=0.9)
    assert (figures["lower_quartile"] < figures["median"]).all()
    assert (figures["median"] < figures["upper_quartile"]).all()
    json.dumps(verdict.to_json())


def test_too_little_noise_is_violated_on_real_neighbours() -> None:
    verdict = real_data.audit(case(REAL, replace(REAL, name="loud", run=private_mean(1.5))), SUITE)
    assert verdict.status == "violated"
    assert verdict.witness is not None
    assert verdict.witness["data"] == "loud"
    assert verdict.witness["largest_loss"] == pytest.approx(1.5)


def test_an_error_that_does_not_fall_is_inconclusive() -> None:
    stubborn = replace(REAL, error=lambda private, baseline: 1.0 + 1e-9 * float(private))
    verdict = real_data.audit(case(stubborn), SUITE)
    assert verdict.status == "inconclusive"
    assert "does not fall" in verdict.summary
    constant = replace(REAL, error=lambda private, baseline: 1.0)
    assert real_data.audit(case(constant), SUITE).status == "inconclusive"


def test_a_missing_package_says_how_to_get_it() -> None:
    def load() -> Any:
        raise ModuleNotFoundError("No module named 'rare'", name="rare.datasets")

    missing = replace(REAL, name="cancer (rare)", load=load)
    verdict = real_data.audit(case(missing), SUITE)
    assert verdict.status == "not applicable"
    assert "rare is not installed; install it" in verdict.summary
    # one data set that loads is enough for a verdict, and the other is not forgotten
    verdict = real_data.audit(case(missing, REAL), SUITE)
    assert verdict.status == "holds"
    assert "not loaded: cancer (rare)" in verdict.summary


def test_no_real_data_is_not_applicable_with_the_reason() -> None:
    verdict = real_data.audit(case(no_real_data="synthetic by design"), SUITE)
    assert (verdict.status, verdict.summary) == ("not applicable", "synthetic by design")


def test_losses_come_from_several_neighbours_in_both_directions() -> None:
    seen: list[int] = []
    recorded: list[tuple[float, float]] = []

    def neighbour(data: Any, rng: np.random.Generator) -> tuple[Any, int]:
        other, index = _neighbour(data, rng)
        seen.append(index)
        return other, index

    def run(data: Any, epsilon: float, ledger: Ledger) -> Any:
        output = private_mean()(data, epsilon, ledger)
        if isinstance(ledger, RecordingLedger):
            recorded.append((float(data.mean()), float(ledger.transcript.releases[0].draw)))
        return output

    watched = replace(REAL, neighbour=neighbour, run=run)
    drawn, found = measure_losses(watched, REAL.load(), replace(SUITE, tier="full"))
    assert drawn.epsilon == 1.0
    assert len(set(seen)) > 1
    assert len(seen) == NEIGHBOURS
    assert [sample.losses.size for sample in found.samples] == [1000, 1000]
    # half of the transcripts are drawn on the data, half on a neighbour of it
    assert sum(mean == 0.5 for mean, _ in recorded) == 1000
    # and every one has a draw of its own
    assert len(recorded) == len({draw for _, draw in recorded}) == 2000


def test_the_full_tier_takes_more_runs() -> None:
    (figures,) = real_data.audit(case(REAL), replace(SUITE, tier="full")).evidence["data_sets"]
    assert (figures["runs"], figures["repetitions"]) == (1000, 100)


def test_a_violation_by_chance_is_confirmed_on_fresh_runs() -> None:
    def delta(epsilon: float) -> ApproximateDP:  # what the mean at half the noise has twice
        return ApproximateDP(epsilon, 0.2)

    loud = replace(REAL, run=private_mean(3.0), claim=delta)
    verdict = real_data.audit(case(loud), SUITE)
    assert verdict.status == "violated"
    assert verdict.p_value is not None
    assert 0 < verdict.p_value <= SUITE.alpha
    assert verdict.witness is not None
    (figures,) = verdict.evidence["data_sets"]
    # as many fresh runs as the screen had, or four times as many if those are not enough
    assert verdict.witness["runs"] == figures["confirmation_runs"]
    assert figures["confirmation_runs"] in (figures["runs"], FRESH * figures["runs"])


def test_every_error_on_real_data_has_a_seed_of_its_own() -> None:
    # the same noise at every epsilon, so that equal seeds would be seen
    alike = replace(
        REAL,
        run=lambda data, epsilon, ledger: ledger.laplace(0.0, sensitivity=1.0, scale=1.0),
        error=lambda private, baseline: abs(float(private)),
    )
    errors, again = (measure_utility(alike, REAL.load(), SUITE).errors for _ in range(2))
    assert errors.shape == (4, real_data.REPETITIONS[-1])
    assert np.unique(errors).size == errors.size
    np.testing.assert_array_equal(errors, again)


def guess(error: float, beaten_at: float) -> RealData:
    """Return the coins and an estimate that reads none of them."""
    return replace(REAL, trivial=Trivial("a guess", lambda baseline: error, beaten_at))


def test_an_estimate_that_beats_the_trivial_one_holds_and_says_from_where() -> None:
    # the median error is log 2/(N epsilon): .0139 at 1 and .0462 at .3
    verdict = real_data.audit(case(guess(0.02, 3.0)), SUITE)
    assert verdict.status == "holds"
    (figures,) = verdict.evidence["data_sets"]
    told = {"name": "a guess", "error": 0.02, "beaten_at": 3.0, "below": 10, "from_epsilon": 1.0}
    assert figures["trivial"] == {**told, "p_value": pytest.approx(2**-10)}
    # five of five are no evidence at .01/3
    assert figures["repetitions"] == 10
    words = "a guess: 0.02, the median is below from epsilon = 1 on, 10 of 10 errors at 3"
    assert words in verdict.summary
    json.dumps(verdict.to_json())


def test_an_estimate_that_does_not_beat_the_trivial_one_where_it_should_is_inconclusive() -> None:
    verdict = real_data.audit(case(guess(0.02, 0.1)), SUITE)
    assert verdict.status == "inconclusive"
    (figures,) = verdict.evidence["data_sets"]
    assert figures["falls"]
    assert not figures["of_use"]
    assert figures["repetitions"] == 20
    # one useless data set is enough
    assert real_data.audit(case(REAL, guess(0.02, 0.1)), SUITE).status == "inconclusive"
    hopeless = real_data.audit(case(guess(0.0, 3.0)), SUITE)
    assert hopeless.status == "inconclusive"
    assert "nowhere for good, 0 of 20 errors at 3" in hopeless.summary


FALLING = {0.1: 1.0, 0.3: 3.0, 1.0: 1.5, 3.0: 0.5}


@pytest.mark.parametrize(
    ("errors", "trivial", "below"),
    [
        (dict.fromkeys(REAL.epsilons, 1.0), 1.0, None),  # as large as the trivial one
        (FALLING, 2.0, 1.0),  # the median rises again, and is not below for good at first
    ],
)
def test_errors_are_compared_with_the_trivial_one(
    errors: dict[float, float], trivial: float, below: float | None
) -> None:
    known = replace(
        guess(trivial, 3.0),
        run=lambda data, epsilon, ledger: errors[epsilon],
        error=lambda private, baseline: private,
    )
    comparison = measure_utility(known, REAL.load(), SUITE).comparison
    assert comparison is not None
    assert comparison.from_epsilon == below
    assert (comparison.below > 0) == comparison.beaten == (below is not None)


def test_the_trivial_error_may_depend_on_what_is_estimated() -> None:
    halved = replace(REAL, trivial=Trivial("zero", lambda baseline: abs(float(baseline)), 0.3))
    comparison = measure_utility(halved, REAL.load(), SUITE).comparison
    assert comparison is not None
    assert (comparison.error, comparison.from_epsilon) == (0.5, 0.1)


def test_the_trivial_estimate_is_compared_at_an_epsilon_that_is_asked_about() -> None:
    with pytest.raises(ValueError, match=r"coins \(toy\): a guess is to be beaten at epsilon = 2,"):
        guess(0.02, 2.0)
