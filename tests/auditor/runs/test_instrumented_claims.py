"""Claims of instrumented mechanisms: what refutes one, and what leaves it open."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import auditor
from auditor.checking.releases import reproduce
from auditor.core.verdict import Verdict
from auditor.runs.declaration import Primitive
from auditor.runs.instrument import instrument
from reference.privacy.guarantees import PureDP
from reference.privacy.ledger import Ledger
from tests.auditor.runs.declared import (
    ADD_LAPLACE,
    D2,
    GENERATOR_LAPLACE,
    GENERATOR_NOISE,
    HOLDS,
    PICK,
    QUESTIONS,
    RANDOMISE,
    SAMPLE_LAPLACE,
    UNIT,
    D,
    laplace,
    released,
)


def batches(x: Any, rng: np.random.Generator) -> Any:
    return [rng.laplace(batch.sum(), 1.0) for batch in np.split(x, 2)]


def _largest(x: Any, rng: np.random.Generator) -> int:
    return int(np.argmax(rng.laplace(x.sum() * np.array([1, -1, 1, -1, 1]), 2.0)))


def _of_a_secret_subsample(x: Any, rng: np.random.Generator) -> Any:
    return rng.laplace(x[rng.choice(len(x), 5, replace=False)].sum(), 1.0)


def _of_a_subsample_from_elsewhere(x: Any) -> Any:
    drawn = random.sample(range(len(x)), 5)
    return np.random.default_rng().laplace(x[drawn].sum(), 1.0)


def _adding_a_count(x: Any, rng: np.random.Generator) -> Any:
    return rng.laplace(x.sum(), 2.0) + x[2]


def _adding_itself(x: Any, rng: np.random.Generator) -> Any:
    return x.sum() + rng.laplace(0.0, 1.0)


def _less_sensitive(x: Any, rng: np.random.Generator) -> Any:
    return rng.laplace(0.5 * x.sum(), 0.5)


def _branch(theirs: Any) -> Any:
    def branches(x: Any) -> Any:
        if x.max() > 0.5:
            theirs.noise.add_laplace(0.0, 1e-3, 1.0)
        return theirs.tools.mean(x)

    return branches


def _with_a_hidden_normal(x: Any, rng: np.random.Generator) -> Any:
    return rng.laplace(x.mean(), 0.05), x.mean() + rng.normal()


def _seeded(x: Any) -> Any:
    return x.mean() + np.random.default_rng(0).laplace(scale=0.05)


BOTH = ("accounting", "privacy_loss")


@pytest.mark.parametrize(
    ("made", "epsilon", "expected", "said"),
    [
        # broken ones are told apart
        (
            lambda their: instrument(lambda x: their.tools.mean(x, 2.0), ADD_LAPLACE),
            1.0,
            dict.fromkeys(BOTH, "violated"),
            "release 0 (laplace, tools.py:10) declares sensitivity 0.05",
        ),
        # the same noise every time: the Kolmogorov-Smirnov distance is at least 1/2
        (lambda their: instrument(_seeded, GENERATOR_NOISE), 1.0, {"samplers": "violated"}, ""),
        (
            lambda their: instrument(
                lambda x: their.tools.truncated_mean(x, sensitivity=0.02), RANDOMISE
            ),
            1.0,
            {"sensitivity": "violated"},
            "changes by 0.05 between neighbours, its claimed sensitivity is 0.02",
        ),
        (
            lambda their: instrument(
                lambda x: {"mean": their.tools.mean(x), "largest": float(x.max())}, ADD_LAPLACE
            ),
            1.0,
            {"control_flow": "violated"},
            "result['largest']",
        ),
        *(
            (
                lambda their, factor=factor: instrument(
                    lambda x, rng: {"answers": [factor * rng.laplace(x.sum(), 0.5) + 2, "text"]},
                    UNIT,
                ),
                1.0,
                dict.fromkeys(BOTH, "violated"),
                "",
            )
            for factor in (0.05, -3.0)
        ),
        # the odds go from 1/e to e; what the declared sensitivity costs at worst is not attained
        (
            lambda their: instrument(
                lambda x: their.noise.pick([4 * x.sum(), 2.0], ["a", "b"], 4.0, 4.0), PICK
            ),
            0.9,
            {"privacy_loss": "violated", "accounting": "inconclusive"},
            "",
        ),
        (
            lambda their: instrument(
                batches, replace(UNIT, records=lambda call: slice(10 - 10 * call, 20 - 10 * call))
            ),
            1.0,
            {"sensitivity": "violated"},
            "which claims not to read the record",
        ),
        # noisy values of disjoint records compose in parallel
        (
            lambda their: instrument(
                batches, replace(UNIT, records=lambda call: slice(10 * call, 10 * call + 10))
            ),
            1.0,
            HOLDS,
            "",
        ),
        # what is not known refutes no claim: the noise of the branch is never returned
        (
            lambda their: instrument(_branch(their), ADD_LAPLACE),
            1.0,
            {"control_flow": "inconclusive"},
            "release 0 (laplace",
        ),
        # it may well be the noise that makes the second answer private
        (
            lambda their: instrument(_with_a_hidden_normal, GENERATOR_LAPLACE),
            1.0,
            {"control_flow": "inconclusive"},
            "the mechanism also draws what is not declared",
        ),
        (lambda their: instrument(batches, UNIT), 1.0, {"accounting": "inconclusive"}, "records="),
        # noisy max, whatever its scores cost
        (
            lambda their: instrument(_largest, replace(UNIT, sensitivity=5.0)),
            1.0,
            {"privacy_loss": "inconclusive"},
            "",
        ),
        # amplified: log(1 + (e - 1)/4) = 0.3574
        (
            lambda their: instrument(_of_a_secret_subsample, UNIT),
            0.36,
            {"privacy_loss": "inconclusive"},
            "",
        ),
        (
            lambda their: instrument(_of_a_subsample_from_elsewhere, UNIT),
            0.36,
            {"accounting": "inconclusive"},
            "",
        ),
        (
            lambda their: instrument(_adding_a_count, UNIT),
            1.0,
            {"control_flow": "inconclusive"},
            "",
        ),
        (lambda their: instrument(_adding_itself, UNIT), 1.0, {"control_flow": "inconclusive"}, ""),
        (lambda their: instrument(_less_sensitive, UNIT), 1.0, {"accounting": "inconclusive"}, ""),
        (
            lambda their: instrument(
                lambda x: their.noise.pick([x.sum(), 0.5], [[1], [1]], 1.0, 0.1), PICK
            ),
            0.1,
            {"samplers": "inconclusive"},
            "the draws of pick itself were not tested",
        ),
        (
            lambda their: instrument(
                lambda x: their.noise.add_gaussian(x.mean(), l2=0.05), ADD_LAPLACE
            ),
            1.0,
            dict.fromkeys(QUESTIONS, "inconclusive"),
            "declared primitive add_laplace was never called",
        ),
        *(
            (
                lambda their, step=step: instrument(
                    lambda x: step(their.noise.add_laplace(x.sum(), 1.0, 0.2)), ADD_LAPLACE
                ),
                1.0,
                dict.fromkeys(BOTH, "inconclusive"),
                f"{named} cannot be read off what is returned (clipped, rounded",
            )
            for step, named in (
                (lambda y: max(y, 0.5), "release 0 (laplace)"),
                (round, "release 0 (laplace)"),
                (lambda y: [y] if y > 0.5 else [], "noisy values whose number varies"),
            )
        ),
    ],
)
def test_what_refutes_a_claim_and_what_leaves_it_open(
    theirs: Any, ask: Any, made: Any, epsilon: float, expected: dict[str, str], said: str
) -> None:
    verdicts = ask(made(theirs), PureDP(epsilon))
    assert {name: verdicts.statuses[name] for name in expected} == expected
    assert verdicts.violated == {name for name in expected if expected[name] == "violated"}
    summaries = [verdict.summary for verdict in verdicts.values()]
    findings = list(verdicts.findings.values())
    assert any(said in words for words in [verdicts.blamed, *summaries, *findings])


def test_secretly_halved_noise(theirs: Any, ask: Any) -> None:
    def mean(x: Any) -> Any:
        theirs.noise.add_laplace(0.0, 1.0, 1e6)
        return theirs.noise.add_too_little(x.mean(), 0.05, 0.05)

    mechanism = instrument(
        mean, ADD_LAPLACE, replace(ADD_LAPLACE, target="their_noise.noise:add_too_little")
    )
    verdicts = ask(mechanism, PureDP(1.01))
    # half the noise is missed in 300 draws with probability far below 1e-6
    assert verdicts.violated == {"samplers"}
    sentence = verdicts.blamed
    assert sentence.startswith("release 1 (laplace, test_instrumented_claims.py:")
    scale = re.search(r"its noise has (\S+) times the declared scale", sentence)
    assert scale is not None
    assert float(scale[1]) == pytest.approx(0.5, abs=0.15)  # of 100 draws: 3 standard errors
    found = verdicts["samplers"]
    stored = Verdict.from_json(json.loads(json.dumps(found.to_json())))
    assert reproduce(mechanism, (D, D2), PureDP(1.01), stored)
    full = instrument(lambda x: [theirs.tools.mean(x) for _ in range(2)], ADD_LAPLACE)
    assert not reproduce(full, (D, D2), PureDP(1.01), stored)


@pytest.mark.parametrize(
    "records",
    [
        lambda call: slice(10 * call, 10 * call + 10),
        lambda call: np.arange(10) + 10 * call,
        lambda call, size=10: range(size * call, size * (call + 1)),
    ],
)
def test_records_are_read_off_the_number_of_the_call(records: Any) -> None:
    (one, two) = released(instrument(batches, replace(UNIT, records=records)))
    numbers = np.arange(20)
    np.testing.assert_array_equal(numbers[one.claim.records], numbers[:10])
    np.testing.assert_array_equal(numbers[two.claim.records], numbers[10:])


def test_records_of_an_argument_and_of_noise_that_is_added(theirs: Any) -> None:
    theirs.noise.about = lambda user, x, b: theirs.noise.add_laplace(x, 1.0, b)
    of_an_argument = laplace("their_noise.noise:about", sensitivity=1.0, records="user")
    added = replace(SAMPLE_LAPLACE, sensitivity=1.0, records=lambda call: [call + 1])
    for mechanism in (
        instrument(lambda x: [theirs.noise.about(i, x[i], 1.0) for i in (1, 2)], of_an_argument),
        instrument(lambda x: [x[i] + theirs.noise.sample_laplace(1.0) for i in (1, 2)], added),
    ):
        assert [list(release.claim.records) for release in released(mechanism)] == [[1], [2]]


def test_a_declaration_that_is_wrong_does_not_refute_the_claim() -> None:
    def mechanism(x: Any, rng: np.random.Generator) -> Any:
        return rng.laplace(x.sum(), 1.0)

    for wrong in (replace(UNIT, scale=0.5), replace(UNIT, sensitivity=0.5)):
        found = auditor.check(instrument(mechanism, wrong), pair=(D, D2), epsilon=1.0, samples=2000)
        assert "violated" in {verdict.status for verdict in found.questions}
        assert found.status == "inconclusive"
        assert "do not contradict 1-DP" in found.summary


def test_draws_elsewhere_are_noticed(theirs: Any) -> None:
    def global_draw(x: Any) -> Any:
        return theirs.tools.mean(x), random.random()

    def legacy_draw(x: Any) -> Any:
        return theirs.tools.mean(x), np.random.random()  # noqa: NPY002

    def own(x: Any, rng: np.random.Generator) -> Any:
        return rng.laplace(x.mean(), 0.05)

    for mechanism, primitive, elsewhere in (
        (global_draw, ADD_LAPLACE, True),
        (legacy_draw, ADD_LAPLACE, True),
        (theirs.tools.mean, ADD_LAPLACE, False),
        (_of_a_secret_subsample, UNIT, True),
        (own, UNIT, False),
    ):
        made = instrument(mechanism, primitive)
        for run in (made, made.native):
            made.draws_elsewhere = False
            run(D, Ledger(0))
            assert made.draws_elsewhere is elsewhere
        made.draws_elsewhere = False
        made.plain(D, Ledger(0))
        assert not made.draws_elsewhere


def test_own_draws_behind_result_are_tested(theirs: Any, ask: Any) -> None:
    def leaks(x: Any) -> Any:
        return theirs.noise.pick_greedily([x.sum(), 2.0], ["red", "green"], 1.0, 0.1)

    theirs.noise.pick_greedily = lambda utilities, candidates, sens, eps: theirs.noise.pick(
        utilities, candidates, sens, 20 * eps
    )
    greedy = replace(PICK, target="their_noise.noise:pick_greedily")
    assert ask(instrument(leaks, greedy), PureDP(0.1)).violated == {"samplers"}
    found = auditor.check(instrument(leaks, greedy), pair=(D, D2), epsilon=0.1, samples=8192)
    assert found.status == "violated"
    assert "is refuted (" in found.summary
    assert found.p_value < 0.005  # by the outputs alone, too


def test_rounded_noise_is_not_said_to_hold(theirs: Any) -> None:
    theirs.noise.rounded = lambda x, b: round(theirs.noise.add_laplace(x, 1.0, b), 1)
    rounded = Primitive(
        "their_noise.noise:rounded",
        noise="laplace",
        value="x",
        sensitivity=1.0,
        scale="b",
        result=lambda output: round(float(output), 1),
    )

    def alone(x: Any) -> Any:
        return theirs.noise.rounded(x.sum(), 1.0)

    def beside(x: Any) -> Any:
        return alone(x), theirs.noise.add_laplace(0.0, 1.0, 1e6)

    for mechanism, primitives in ((alone, [rounded]), (beside, [rounded, ADD_LAPLACE])):
        found = auditor.check(
            instrument(mechanism, *primitives), pair=(D, D2), epsilon=1.01, samples=2000
        )
        assert found.status == "inconclusive"
        assert "the draws of rounded itself were not tested" in found.summary
