"""The calls that users make: what they say, what they refuse, what they show again."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import re
from collections import deque
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from scipy import sparse

import auditor
from auditor.checking import evidence
from auditor.checking.evidence import Evidence
from auditor.checking.examination import examine_twice
from auditor.checking.rerun import fresh_seed
from auditor.checking.summary import summarise
from auditor.core.errors import InputError
from auditor.core.neighbours import Box, Counts, Product
from auditor.core.witness import decode_pair
from auditor.runs.sampling import FunctionSampler
from auditor.statistics.claims import EpsilonDelta
from auditor.statistics.stages import FRESH
from reference.privacy.guarantees import ZCDP, GaussianDP, PureDP, Relation, RenyiDP

PAIR = (np.zeros(10), np.append(np.zeros(9), 1.0))


def noisy_sum(data: Any, rng: np.random.Generator) -> float:
    return float(np.sum(data) + rng.laplace(scale=1.0))


def too_little(data: Any, rng: np.random.Generator, size: int) -> Any:
    return np.sum(data) + rng.laplace(scale=0.25, size=size)


def gaussian(data: Any, rng: np.random.Generator, size: int) -> Any:
    return np.sum(data) + rng.normal(size=size)


def with_a_ledger(data: Any, ledger: Any) -> Any:
    return ledger.laplace(np.sum(data), sensitivity=1.0, scale=1.0)


def with_a_wrong_ledger(data: Any, ledger: Any) -> Any:
    return ledger.laplace(np.sum(data), sensitivity=0.5, scale=0.5)


def test_a_right_mechanism_holds_and_says_what_was_tried() -> None:
    found = auditor.check(noisy_sum, pair=PAIR, epsilon=1.0, samples=20_000)
    assert found.status == "holds"
    assert 0.8 < found.epsilon_lower < 1.0
    assert found.witness is None
    assert found.samples == found.budget == 20_000
    assert 0 < found.power <= 1
    assert 0 < found.rarest < 0.01
    assert found.noticeable in (0.1, 0.25, 0.5)
    over = f"{found.noticeable:.0%} over"
    for words in ("nothing contradicts 1-DP", "one pair tried", "20000 of 20000", over):
        assert words in found.summary
    assert "prove" not in found.summary


@pytest.mark.slow
def test_an_early_refutation_is_certified_on_fresh_runs() -> None:
    """Of laplace(scale=0.5), epsilon 2, the bets alone certify 1.03 to 1.4 of a claim of 1."""

    def mechanism(data: Any, rng: np.random.Generator, size: int) -> Any:
        return np.sum(data) + rng.laplace(scale=0.5, size=size)

    ask: dict[str, Any] = {"pair": PAIR, "epsilon": 1.0, "batched": True, "confidence": 0.9}
    checks = [auditor.check(mechanism, **ask, seed=seed) for seed in range(20)]
    levels = np.array([found.level_lower for found in checks])
    assert np.median(levels) > 1.6
    # each is too large with probability 0.1 at most: more than 8 of 20 with 1e-4
    assert np.count_nonzero(levels > 2) <= 8
    assert {found.status for found in checks} == {"violated"}
    found = checks[0]
    assert found.witness is not None
    assert found.samples < found.budget
    again = auditor.rerun(mechanism, found.witness, batched=True)
    assert (again.event, again.shown) == (found.event, True)
    smaller = auditor.check(mechanism, **ask, samples=20_000)
    assert (smaller.level_lower, smaller.excess()) == (found.level_lower, found.excess())


def test_a_wrong_mechanism_is_violated_early_with_a_witness() -> None:
    found = auditor.check(too_little, pair=PAIR, epsilon=1.0, batched=True)
    assert found.status == "violated"
    assert found.samples <= (1 + FRESH) * 512
    assert 1.0 < found.epsilon_lower < 4.0
    assert found.witness is not None
    assert found.p_value <= 0.01
    (k, n), (m, size) = found.first, found.second
    assert f"{k} of {n} runs on" in found.summary
    assert f"{m} of {size} on" in found.summary


def test_a_witness_can_be_shown_again_from_json_with_fresh_runs() -> None:
    found = auditor.check(too_little, pair=PAIR, epsilon=1.0, batched=True)
    stored = json.loads(json.dumps(found.to_json()))["witness"]
    again = auditor.rerun(too_little, stored, batched=True)
    assert again.shown
    assert again.event == found.event
    assert 1.0 < again.level_lower < 4.0
    # the same witness does not show on a mechanism that is right
    assert not auditor.rerun(
        lambda data, rng, size: np.sum(data) + rng.laplace(size=size), stored, batched=True
    ).shown
    with pytest.raises(InputError, match="seed 0 is the witness's own"):
        auditor.rerun(too_little, stored, batched=True, seed=0)


@pytest.mark.parametrize("seed", [1, 2**31, 10**30])
def test_the_fresh_seed_follows_from_the_witness(seed: int) -> None:
    found = auditor.check(too_little, pair=PAIR, epsilon=0.5, batched=True, seed=seed)
    assert found.witness is not None
    assert auditor.rerun(too_little, found.witness, batched=True).shown
    assert fresh_seed(seed) != seed
    assert fresh_seed(seed) != fresh_seed(seed + 1)


def test_the_same_seed_gives_the_same_answer() -> None:
    one, two = (
        auditor.check(noisy_sum, pair=PAIR, epsilon=0.9, samples=4000, seed=5) for _ in range(2)
    )
    assert one.to_json() == two.to_json()
    other = auditor.check(noisy_sum, pair=PAIR, epsilon=0.9, samples=4000, seed=6)
    assert other.first != one.first


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "tight"),
    [(GaussianDP(1.0), 1.0), (ZCDP(0.5), 0.5), (RenyiDP(2.0, 1.0), 1.0), (PureDP(1.0), None)],
)
def test_claims_in_other_currencies(claim: Any, tight: float | None) -> None:
    # the Gaussian mechanism of scale 1 meets each of the first three exactly
    if tight is None:
        found = auditor.check(gaussian, pair=PAIR, claim=claim, batched=True, samples=50_000)
        assert found.status == "violated"
        return
    found = auditor.check(gaussian, pair=PAIR, claim=claim, batched=True, samples=50_000)
    assert found.status == "holds"
    assert 0.4 * tight < found.level_lower < tight
    found = auditor.check(
        gaussian, pair=PAIR, claim=halved(claim), batched=True, samples=50_000, delta=0.01
    )
    assert found.status == "violated"
    assert tight / 2 < found.level_lower < tight
    assert found.epsilon_lower > 0
    assert found.symbol in found.summary


def halved(claim: Any) -> Any:
    if isinstance(claim, RenyiDP):
        return RenyiDP(claim.alpha, claim.divergence / 2)
    return GaussianDP(claim.mu / 2) if isinstance(claim, GaussianDP) else ZCDP(claim.rho / 2)


def test_an_arbitrary_trade_off_function() -> None:
    def one_dp(x: Any) -> Any:
        return np.maximum.reduce([0 * x, 1 - math.e * x, (1 - x) / math.e])

    assert auditor.check(noisy_sum, pair=PAIR, claim=one_dp, samples=5000).status == "holds"
    found = auditor.check(too_little, pair=PAIR, claim=one_dp, batched=True)
    assert found.status == "violated"
    assert found.witness is not None
    with pytest.raises(InputError, match="give claim"):
        auditor.rerun(too_little, found.witness, batched=True)
    assert auditor.rerun(too_little, found.witness, batched=True, claim=one_dp).shown


def test_approximate_claims() -> None:
    # scale 1 against sensitivity 1: epsilon 1 needs delta = 0.127
    right = {"epsilon": 1.0, "delta": 0.13, "batched": True, "samples": 50_000}
    assert auditor.check(gaussian, pair=PAIR, **right).status == "holds"
    wrong = {**right, "delta": 0.05}
    assert auditor.check(gaussian, pair=PAIR, **wrong).status == "violated"


def test_outputs_of_any_kind() -> None:
    def strings(data: Any, rng: np.random.Generator) -> Any:
        return str(rng.choice(["yes", "no"], p=[0.9, 0.1] if sum(data) else [0.1, 0.9]))

    def ragged(data: Any, rng: np.random.Generator) -> Any:
        return [None] * int(rng.geometric(0.5)) + ([float("nan")] if sum(data) else [])

    for mechanism in (strings, ragged):
        assert auditor.check(mechanism, pair=PAIR, epsilon=1.0, samples=2000).status == "violated"
        assert (
            auditor.check(
                mechanism, pair=([0], [0]), relation="any", epsilon=1.0, samples=2000
            ).status
            == "holds"
        )


def test_a_domain_is_searched_for_the_worst_pair() -> None:
    def only_at_the_end(data: Any, rng: np.random.Generator) -> float:
        return float(np.max(data) == 1.0) + rng.laplace(scale=0.2)

    found = auditor.check(
        only_at_the_end, domain=Box((), 0.0, 1.0), n=2, epsilon=1.0, samples=20_000
    )
    assert found.status == "violated"
    assert found.witness is not None
    assert (np.max(found_pair(found)[0]) == 1) != (np.max(found_pair(found)[1]) == 1)
    found = auditor.check(noisy_sum, domain=st.floats(0, 1), n=2, epsilon=1.0, samples=5000)
    assert found.status == "holds"
    assert found.samples < found.budget == 5000
    assert found.pairs > 1
    assert f"{found.pairs} pairs tried" in found.summary


def found_pair(found: Any) -> tuple[Any, Any]:
    return decode_pair(found.witness)


def test_a_mechanism_with_a_ledger_is_asked_more() -> None:
    found = auditor.check(with_a_ledger, pair=PAIR, epsilon=1.0, samples=2000)
    assert found.status == "holds"
    assert {v.question for v in found.questions} >= {"accounting", "sensitivity", "privacy_loss"}
    found = auditor.check(with_a_wrong_ledger, pair=PAIR, epsilon=1.0, samples=200)
    assert found.status == "violated"
    assert "sensitivity" in found.summary
    # a trade-off function is no currency of the account, but sensitivity and outputs are
    found = auditor.check(with_a_ledger, pair=PAIR, claim=lambda x: 1 - x, samples=2000)
    assert found.status == "violated"
    answers = {verdict.question: verdict.status for verdict in found.questions}
    assert answers["accounting"] == "not applicable"
    assert answers["sensitivity"] == "holds"


def test_the_black_box_of_an_instrumented_mechanism_sees_its_own_noise() -> None:
    def noise(rng: np.random.Generator, scale: float) -> float:
        return float(rng.laplace(scale=scale / 2))

    holder = type("holder", (), {"noise": staticmethod(noise)})

    def mechanism(data: Any, rng: np.random.Generator) -> Any:
        return float(np.sum(data)) + holder.noise(rng, 1.0)

    primitive = auditor.Primitive(
        (holder, "noise"), noise="laplace", value=None, sensitivity=1.0, scale="scale"
    )
    declared = auditor.instrument(mechanism, primitive)
    found = auditor.check(declared, pair=PAIR, epsilon=1.0, samples=4000)
    assert found.status == "violated"
    assert found.first[1] > 0
    assert found.p_value < 0.005


def test_runs_that_would_notice_next_to_nothing_do_not_hold() -> None:
    """Of 64 runs "holds" was said, though an output impossible elsewhere in 9 of 10 was missed."""

    def batched_sum(data: Any, rng: np.random.Generator, size: int) -> Any:
        return np.sum(data) + rng.laplace(size=size)

    few = auditor.check(batched_sum, pair=PAIR, epsilon=1.0, samples=64, batched=True)
    assert few.noticeable == np.inf
    assert few.rarest > 0.5
    assert few.status == "inconclusive"
    enough = int(few.summary.split("samples=")[1].split()[0])
    assert enough > 64
    more = auditor.check(batched_sum, pair=PAIR, epsilon=1.0, samples=enough, batched=True)
    assert more.status == "holds"
    assert more.rarest <= 0.5


def test_too_few_runs_are_inconclusive_and_the_number_said_is_enough() -> None:
    def tells(data: Any, rng: np.random.Generator, size: int) -> Any:
        return np.full(size, np.sum(data))

    found = auditor.check(tells, pair=PAIR, epsilon=6.0, samples=100, batched=True)
    assert found.status == "inconclusive"
    enough = int(found.summary.split("samples=")[1].split()[0])
    assert auditor.check(tells, pair=PAIR, epsilon=6.0, samples=enough, batched=True).status == (
        "violated"
    )


@pytest.mark.slow
def test_low_order_bits_are_a_finding_and_a_violation_if_counted() -> None:
    def plain(data: Any, rng: np.random.Generator, size: int) -> Any:
        return 1000.0 * np.sum(data) + rng.laplace(scale=1000.0, size=size)

    found = auditor.check(plain, pair=PAIR, epsilon=1.0, batched=True, samples=80_000)
    assert found.status == "holds"
    assert [finding["kind"] for finding in found.findings] == ["floating point"]
    found = auditor.check(
        plain, pair=PAIR, epsilon=1.0, batched=True, samples=80_000, floating_point="count"
    )
    assert found.status == "violated"
    assert "low-order bits" in found.summary


def test_measuring_without_a_claim() -> None:
    found = auditor.measure(too_little, pair=PAIR, batched=True, confidence=0.95)
    assert 3.5 < found.epsilon_lower < 4.0
    rng = np.random.default_rng(0)
    samples = rng.laplace(0, 1, 10_000), rng.laplace(1, 1, 10_000)
    assert 0.8 < auditor.measure_samples(*samples).epsilon_lower < 1.0
    assert auditor.check_samples(*samples, epsilon=1.0).status == "holds"
    found_wrong = auditor.check_samples(*samples, epsilon=0.5)
    assert found_wrong.status == "violated"
    with pytest.raises(InputError, match="equally many"):
        auditor.measure_samples(samples[0], samples[1][:-1])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be"),
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"epsilon": math.nan}, "epsilon must be"),
        ({"epsilon": 1.0, "delta": 1.0}, "delta must be"),
        ({"epsilon": 1.0, "delta": -0.1}, "delta must be"),
        ({"epsilon": 1.0, "confidence": 1.0}, "confidence must be"),
        ({"epsilon": 1.0, "confidence": 0.1}, r"confidence must be in \[0.5, 1\)"),
        ({"epsilon": 1.0, "samples": 3}, "samples must be a whole number from 16"),
        ({"epsilon": 1.0, "samples": 10.5}, "whole number"),
        ({}, "claim either epsilon"),
        ({"epsilon": 1.0, "claim": PureDP(1.0)}, "claim either epsilon"),
        ({"claim": "one"}, "must be PureDP"),
        ({"epsilon": 1.0, "pair": (np.zeros(3), np.ones(3))}, "neighbours"),
        ({"epsilon": 1.0, "pair": (np.zeros(3), np.zeros(3))}, "equal"),
        ({"epsilon": 1.0, "pair": np.zeros(3)}, "two data sets"),
        ({"epsilon": 1.0, "pair": None}, "either pair="),
        ({"epsilon": 1.0, "domain": Box((), 0, 1)}, "either pair="),
    ],
)
def test_bad_input_is_refused_in_one_line(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        auditor.check(noisy_sum, **{"pair": PAIR, **asked})
    assert "\n" not in str(caught.value)


def test_a_mechanism_that_does_not_run_is_one_line() -> None:
    def broken(data: Any, rng: np.random.Generator) -> Any:
        raise KeyError("no such column")

    with pytest.raises(InputError, match="no such column") as caught:
        auditor.check(broken, pair=PAIR, epsilon=1.0)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [{"pair": ([0, 1], [0, 0])}, {"domain": Box((), 0, 1)}])
def test_an_unknown_relation_is_refused(data):
    with pytest.raises(InputError, match="relation must be"):
        auditor.check(lambda data, rng: rng.random(), epsilon=1.0, relation="banana", **data)


def test_a_pair_must_be_neighbours_as_is_said():
    pair = ([0, 1], [0])
    with pytest.raises(InputError, match="add/remove-one neighbours, but the claim is about"):
        auditor.check(lambda data, rng: rng.random(), epsilon=1.0, relation="replace", pair=pair)


def public_features(data: Any, rng: np.random.Generator, size: int) -> Any:
    features, labels = data
    bare = np.broadcast_to(features.ravel(), (size, features.size))
    return np.hstack([bare, labels + rng.laplace(scale=2.0, size=(size, labels.size))])


def public_features_by_ledger(data: Any, ledger: Any) -> Any:
    features, labels = data
    return features.tolist(), ledger.laplace(labels, sensitivity=2.0, scale=2.0, unit="label")


FEATURES = np.zeros((2, 2))
IN_A_LABEL = ((FEATURES, np.array([1.0, 0.0])), (FEATURES, np.array([-1.0, 0.0])))
IN_A_RECORD = (IN_A_LABEL[0], (np.eye(2) * [1, 0], np.array([-1.0, 0.0])))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "relation", "status"),
    [
        (IN_A_LABEL, "replace-label", "holds"),
        (IN_A_RECORD, "replace", "violated"),
        # the loss of a label is not seen to be more under the stronger claim
        (IN_A_LABEL, "replace", "holds"),
    ],
)
def test_labels_with_noise_beside_public_features(pair, relation, status) -> None:
    options = {"pair": pair, "relation": relation, "epsilon": 1.0, "samples": 20_000}
    assert auditor.check(public_features, **options, batched=True).status == status
    # the books know that a record is not protected, whatever the pair
    by_books = auditor.check(public_features_by_ledger, **options)
    assert by_books.status == ("holds" if relation == "replace-label" else "violated")


@pytest.mark.parametrize(
    ("relation", "status"), [("replace-label", "holds"), ("replace", "violated")]
)
def test_the_search_changes_labels_alone_where_that_is_the_claim(relation, status) -> None:
    domain = Product((Box((2,), 0, 1), Box((), -1, 1)))
    options = {"domain": domain, "n": 2, "relation": relation, "epsilon": 1.0, "batched": True}
    assert auditor.check(public_features, **options, samples=20_000).status == status


def test_twice_the_loss_of_a_label_is_violated_and_found() -> None:
    domain = Product((Box((2,), 0, 1), Box((), -1, 1)))
    found = auditor.check(
        public_features, domain=domain, n=2, batched=True, samples=20_000,
        claim=PureDP(0.5, relation=Relation.REPLACE_LABEL),
    )  # fmt: skip
    assert found.status == "violated"
    (x, _), (other, _) = decode_pair(found.witness)
    assert np.array_equal(x, other)


@pytest.mark.parametrize(
    ("pair", "relation", "message"),
    [
        (IN_A_RECORD, "replace-label", "more of record 0 than its label"),
        (IN_A_RECORD, None, "more of record 0 than its label"),
        (IN_A_LABEL, "replace", "about replace-label, but relation is 'replace'"),
        (st.just(IN_A_RECORD), None, "more of record 0 than its label"),
    ],
)
def test_a_claim_about_labels_and_other_neighbours_are_refused(pair, relation, message) -> None:
    claim = PureDP(1.0, relation=Relation.REPLACE_LABEL)
    with pytest.raises(InputError, match=message):
        auditor.check(public_features, pair=pair, relation=relation, claim=claim, batched=True)


@pytest.mark.slow
def test_a_domain_of_counts_is_searched() -> None:
    # a record that moves from a cell to another changes two counts, and both data sets are known
    # to be neighbours
    def noisy(data: Any, rng: np.random.Generator) -> Any:
        return data + rng.laplace(scale=1.0, size=data.shape)

    options = {"domain": Counts(3, 4), "n": 4, "samples": 20_000}
    assert auditor.check(noisy, **options, epsilon=1.0).status == "violated"
    assert auditor.check(noisy, **options, epsilon=2.0).status == "holds"


@pytest.mark.parametrize("witness", [{"a": 1}, {}, "witness", None])
def test_what_is_no_witness_is_refused(witness):
    with pytest.raises(InputError, match="no witness of a check"):
        auditor.rerun(lambda data, rng: rng.random(), witness)


# ------------------------------------------------------------ "holds" needs evidence


async def a_coroutine(data: Any, rng: np.random.Generator) -> float:
    return float(np.sum(data))


def a_generator(data: Any, rng: np.random.Generator) -> Any:
    yield np.sum(data)


@pytest.mark.parametrize(
    ("mechanism", "what"),
    [
        (a_coroutine, "coroutine"),
        (lambda data, rng: a_coroutine(data, rng), "coroutine"),
        (a_generator, "generator"),
        (lambda data, rng: map(float, data), "map"),
        (lambda data, rng: lambda: np.sum(data), "function"),
        (lambda data, rng: functools.partial(max, *data), "partial"),
        (lambda data, rng: None if rng.random() < 0.8 else a_generator(data, rng), "generator"),
    ],
)
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_code_that_is_yet_to_run_is_no_output(mechanism: Any, what: str) -> None:
    for call in (auditor.check, auditor.measure):
        claimed = {"epsilon": 1.0} if call is auditor.check else {}
        with pytest.raises(InputError, match=f"returned a {what}, which is code yet to run"):
            call(mechanism, pair=PAIR, samples=1000, **claimed)


def frozen(data: Any, rng: np.random.Generator, size: int) -> Any:
    return np.random.default_rng(1).laplace(size=size)


def frozen_leak(data: Any, rng: np.random.Generator, size: int) -> Any:
    return 9 * np.sum(data) + frozen(data, rng, size)


@pytest.mark.parametrize(
    ("mechanism", "options", "words"),
    [
        (lambda data, rng: None, {}, "every run returned None, which shows nothing; is a return"),
        (lambda data, rng: 3.0, {}, "every run gave the same output"),
        (lambda data, rng: float(np.size(data)), {"workers": 2}, "every run gave the same output"),
        (frozen, {"batched": True}, "the same outputs come back for every seed"),
        (frozen_leak, {"batched": True}, "the same outputs come back for every seed"),
    ],
)
def test_runs_that_could_not_have_shown_anything_are_inconclusive(
    mechanism: Any, options: dict[str, Any], words: str
) -> None:
    found = auditor.check(mechanism, pair=PAIR, epsilon=1.0, samples=2000, **options)
    assert found.status == "inconclusive"
    assert words in found.summary
    assert found.witness is None


@pytest.mark.parametrize(("share", "status"), [(0.95, "inconclusive"), (0.6, "holds")])
def test_a_mechanism_that_nearly_always_raises_was_hardly_tried(share: float, status: str) -> None:
    def raises(data: Any, rng: np.random.Generator) -> Any:
        kind = rng.random()
        if kind < share / 2:
            raise ValueError("no such key")
        if kind < share:
            raise KeyError("no such key")
        return np.sum(data) + rng.laplace(scale=2.0)

    found = auditor.check(raises, pair=PAIR, epsilon=1.0, samples=4000)
    assert found.status == status
    assert ("gave no output on either data set" in found.summary) == (status == "inconclusive")


def test_outputs_drawn_elsewhere_that_never_vary_are_inconclusive() -> None:
    same = np.full(2000, 3.0)
    found = auditor.check_samples(same, same, epsilon=1.0)
    assert found.status == "inconclusive"
    assert "every run gave the same output" in found.summary
    assert auditor.check_samples(same, same + 1, epsilon=1.0).status == "violated"


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x: float) -> None:
        self.x = x

    def __repr__(self) -> str:
        return "always the same"


class Tagged(float):
    tag: float


def tagged(x: float) -> Tagged:
    made = Tagged(1.0)
    made.tag = x
    return made


OUTPUTS = {
    "namespace": lambda x: SimpleNamespace(x=x),
    "slots": Slotted,
    "attribute of a float": tagged,
    "text": str,
    "text among others": lambda x: f"about {x:.9f} people",
    "json": lambda x: json.dumps({"mean": [1, x]}),
    "bytes": lambda x: np.float64(x).tobytes(),
    "whole number in bytes": lambda x: int(1e6 + 1000 * x).to_bytes(8, "little"),
    "deque": lambda x: deque([x]),
    "timedelta": lambda x: timedelta(seconds=x),
    "datetime": lambda x: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=x),
    "timestamp": lambda x: pd.Timestamp("2020-01-01") + pd.Timedelta(seconds=x),
    "interval": lambda x: pd.Interval(x, 1e6),
    "index": lambda x: pd.Series([0.0], index=[x]),
    "polynomial": lambda x: np.polynomial.Polynomial([x, 1.0]),
    "sparse": lambda x: sparse.csr_matrix([[x, 0.0]]),
    "mask": lambda x: np.ma.masked_array([x], [True]),
    "key": lambda x: {x: 1},
    "argument of an exception": ValueError,
}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_what_is_inside_of_an_output_is_seen(kind: str) -> None:
    def leaks(data: Any, rng: np.random.Generator) -> Any:
        return OUTPUTS[kind](6 * np.sum(data) + rng.laplace())

    def right(data: Any, rng: np.random.Generator) -> Any:
        return OUTPUTS[kind](np.sum(data) + rng.laplace(scale=1.5))

    found = auditor.check(leaks, pair=PAIR, epsilon=1.0, samples=1000)
    assert found.status == "violated"
    assert found.epsilon_lower > 1.0
    found = auditor.check(right, pair=PAIR, epsilon=1.0, samples=1000)
    assert found.status == "holds", found.summary
    assert 0 < found.first[0] < found.first[1]  # an event was found


@pytest.mark.parametrize(
    "hide",
    [
        lambda x: hashlib.sha256(str(x).encode()).hexdigest(),
        lambda x: hashlib.sha256(str(x).encode()).digest(),
        lambda x: (1.0, lambda: x),
        lambda x: [object() if x > 2 else 1.0],
    ],
)
def test_what_cannot_be_looked_into_is_inconclusive(hide: Any) -> None:
    def hidden(data: Any, rng: np.random.Generator) -> Any:
        return hide(np.sum(data) + rng.laplace())

    found = auditor.check(hidden, pair=PAIR, epsilon=1.0, samples=1000)
    assert found.status == "inconclusive"
    assert "cannot be looked into" in found.summary
    assert "do not vary" not in found.summary
    assert not any(finding["kind"] == "constant" for finding in found.findings)


@pytest.mark.parametrize("share", [1.0, 0.5, 0.05, 0.01])
@pytest.mark.parametrize("size", [None, 3])
def test_the_summary_names_an_exception_of_one_side(share: float, size: int | None) -> None:
    def raises(data: Any, rng: np.random.Generator) -> Any:
        output = np.sum(data) / 3 + rng.laplace(scale=2.0, size=size)
        if np.sum(data) and rng.random() < share:
            raise LookupError("no such record")
        return output

    found = auditor.check(raises, pair=PAIR, epsilon=1.0, samples=20_000)
    assert found.status == "violated"
    assert "raised LookupError" in found.summary
    if share == 1.0:
        assert found.event == "raised LookupError"


# ------------------------------------------------------------------- borderline verdicts


def exact(data: Any, rng: np.random.Generator, size: int) -> Any:
    """Randomize a bit with exactly epsilon 1."""
    return (rng.random(size) < (math.e if np.sum(data) else 1.0) / (1 + math.e)).astype(int)


@pytest.mark.slow
def test_false_alarms_are_few_and_what_is_certified_is_true(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # what a check would have noticed takes most of its time: one part has tests of its own, and the
    # other is the same for all of these
    monkeypatch.setattr(Evidence, "noticeable", lambda found, claim: (1.0, 0.0))
    monkeypatch.setattr(evidence, "_least_rejected", functools.cache(evidence._least_rejected))
    # confidence 0.8: one stage alone flags 10% of these; two stages flag at most
    # 0.2 (0.01 + 0.2) = 4.2% of them, and 0.2 of the bounds may be wrong
    found = [
        auditor.check(
            exact, pair=PAIR, epsilon=1.0, samples=400, confidence=0.8, seed=seed, batched=True
        )
        for seed in range(300)
    ]
    screened = sum(one.confirmation is not None or one.status == "violated" for one in found)
    violated = sum(one.status == "violated" for one in found)
    wrong = sum(one.epsilon_lower > 1.0 for one in found)
    assert screened >= 12
    assert violated <= screened / 2
    assert violated <= 20
    assert wrong <= violated  # no bound above a claim that is not called violated
    assert all((one.p_value <= 0.2) == (one.status == "violated") for one in found)


def test_the_example_of_the_readme_holds_at_5000_runs() -> None:
    def noisy_sum(data: Any, rng: np.random.Generator) -> Any:
        return sum(data) + rng.laplace(scale=1.0)

    found = auditor.check(noisy_sum, pair=([0, 1], [0, 0]), epsilon=1.0, samples=5000)
    assert found.status == "holds"
    assert found.confirmation is not None
    assert not found.confirmation["confirmed"]
    assert found.p_value > 0.05
    assert "not confirmed in fresh runs" in found.summary
    assert found.epsilon_lower < 1.0


def test_a_slight_violation_is_confirmed_and_the_digits_show_it() -> None:
    def slight(data: Any, rng: np.random.Generator, size: int) -> Any:
        return np.sum(data) + rng.laplace(scale=0.9, size=size)

    found = auditor.check(slight, pair=PAIR, epsilon=1.0, samples=50_000, batched=True)
    assert found.status == "violated"
    assert found.confirmation is None  # the counts are of fresh runs themselves
    (k, n), (_, size) = found.first, found.second
    assert n == size < found.samples <= found.budget
    assert f": {k} of {n} runs on" in found.summary
    assert 1.0 < found.epsilon_lower < 1 / 0.9
    shown = float(found.summary.split("epsilon >= ")[1].split()[0])
    assert 1.0 < shown <= found.epsilon_lower
    assert re.search(r"refuted \(at least [\d.]+% over the claim\): ", found.summary)
    assert found.witness is not None
    assert auditor.rerun(slight, found.witness, batched=True).event == found.event


@pytest.mark.slow
def test_an_unconfirmed_early_stop_goes_on_to_the_end() -> None:
    # of many seeds at the claim, some are stopped by the bets and not confirmed
    for seed in range(400):
        found = auditor.check(
            exact, pair=PAIR, epsilon=1.0, samples=2000, confidence=0.5, seed=seed, batched=True
        )
        if found.confirmation is not None and not found.confirmation["confirmed"]:
            assert found.status == "holds"
            assert found.samples == 2000
            return
    pytest.fail("no seed was stopped")


def test_findings_count_every_run_once_though_an_examination_is_repeated() -> None:
    drawn: tuple[set[float], set[float]] = set(), set()

    def coin(data: int, rng: np.random.Generator) -> float:
        number = rng.random()
        drawn[data].add(number)
        if number < (math.e if data else 1.0) / (1 + math.e):
            raise ValueError
        return 1.0

    # of seeds at the claim one of the few that the bets stop and fresh runs do not confirm
    sampler = FunctionSampler(coin, (0, 1), seed=36)
    found = examine_twice(sampler, EpsilonDelta(1.0), alpha=0.5, samples=2000, seed=36)
    assert not found.may_stop  # repeated
    (finding,) = sampler.findings
    assert finding["runs"] == [len(numbers) for numbers in drawn]
    odds = 1 / (1 + math.e), math.e / (1 + math.e)
    for side, odd in enumerate(odds):
        assert finding["counts"][side] == sum(number < odd for number in drawn[side])


def test_an_excess_is_a_lower_bound_and_a_check_that_stopped_says_what_finds_more() -> None:
    def twice(data: Any, rng: np.random.Generator, size: int) -> Any:
        return np.sum(data) + rng.laplace(scale=0.5, size=size)

    found = auditor.check(twice, pair=PAIR, epsilon=1.0, samples=100_000, batched=True)
    assert found.samples < found.budget
    excess = re.search(r"refuted \(at least ([\d.]+)(% over| times) the claim\)", found.summary)
    assert excess is not None
    share = 1 + float(excess[1]) / 100 if excess[2] == "% over" else float(excess[1])
    assert 1.0 < share <= found.level_lower
    for adverb in ("narrowly", "grossly"):
        assert adverb not in found.summary
    assert "`measure` uses all" in found.summary
    whole = auditor.measure(twice, pair=PAIR, samples=100_000, batched=True)
    assert found.epsilon_lower < whole.epsilon_lower < 2.0
    # where all runs were spent there is nothing more to find
    said = summarise(found, refuted=True, early=False, counted=False, unshown=None, enough=0)
    assert "`measure`" not in said


@pytest.mark.parametrize(("ratio", "words"), [(1.2345, "23% over"), (1.5, "1.5 times"), (1, "")])
def test_the_excess_in_words(ratio: float, words: str) -> None:
    found = auditor.check(too_little, pair=PAIR, epsilon=1.0, batched=True)
    said = replace(found, claimed=2.0, level_lower=2.0 * ratio).excess()
    assert said == (words and f"at least {words} the claim")


def test_more_runs_than_can_ever_be_made_are_refused() -> None:
    for wrong in ({"samples": 10**400}, {"timeout": 1e308}, {"call_timeout": 1e300}):
        with pytest.raises(InputError, match=r"must be .* (from|in)"):
            auditor.check(too_little, pair=PAIR, epsilon=1.0, **wrong)
