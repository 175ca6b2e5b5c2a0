from dataclasses import replace

import mpmath
import numpy as np
import pytest

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.neighbours import Ball, Box, Everything, Integers, Product
from auditor.mechanisms import rounding_allowance
from auditor.questions import sensitivity
from auditor.questions.sensitivity import audit, reproduce
from auditor.transcript.distances import largest_ratio
from auditor.transcript.replay import record, replay
from reference.privacy.guarantees import ApproximateDP, Model, PureDP, Relation

CONTEXT = Context(seed=7, path=("tiny",))
CLAIM = ApproximateDP(1.0, 1e-5)
LOCAL = PureDP(1.0, model=Model.LOCAL)


def form(run, pair, *, claim=CLAIM, domain=None, replaced=0, **more):
    return Form(run, claim, pair, replaced, {"n": len(pair[0])}, domain=domain, **more)


def zeros_and(value, n=10):
    """n zeros, and the same with record 0 replaced."""
    data = np.zeros((n, *np.shape(value)))
    other = data.copy()
    other[0] = value
    return data, other


def clipped_mean(bound):
    def run(data, ledger):
        value = np.clip(data, 0, 1).mean()
        return ledger.gaussian(value, sensitivity=bound / len(data), scale=1.0)

    return run


def test_a_true_sensitivity_holds_and_is_attained():
    verdict = audit(form(clipped_mean(1.0), zeros_and(1.0), domain=Everything(())), CONTEXT)
    assert verdict.status == "holds"
    assert verdict.evidence["largest_ratio"] == pytest.approx(1.0, abs=1e-9)
    assert verdict.evidence["where"]["claimed_bound"] == 0.1


def test_a_pair_that_attains_less_says_how_much_and_why():
    reason = "the mean is of halves"
    halves = form(clipped_mean(2.0), zeros_and(1.0), no_search="none", not_attained=reason)
    verdict = audit(halves, CONTEXT)
    assert verdict.status == "holds"
    assert verdict.evidence["known_pair_ratio"] == pytest.approx(0.5, rel=1e-9)
    assert verdict.evidence["not_attained"] == reason
    assert "0.5 of the claimed bound, at release 0 (gaussian, l2) (the mean is of halves)" in (
        verdict.summary
    )
    whole = form(clipped_mean(1.0), zeros_and(1.0), no_search="none", not_attained=reason)
    assert "not_attained" not in audit(whole, CONTEXT).evidence
    assert reason not in audit(whole, CONTEXT).summary
    # the search may find what the pair does not show
    weak = form(clipped_mean(1.0), zeros_and(0.5), domain=Everything(()), not_attained=reason)
    verdict = audit(weak, CONTEXT)
    assert (verdict.evidence["not_attained"], verdict.evidence["largest_ratio"]) == (reason, 1.0)
    assert reason not in verdict.summary


def test_half_the_sensitivity_is_violated_and_the_witness_shows_it_again():
    run = clipped_mean(0.5)
    verdict = audit(form(run, zeros_and(1.0)), CONTEXT)
    assert verdict.status == "violated"
    witness = verdict.witness
    gap = largest_ratio(run, witness["D"], witness["D'"], seed=witness["seed"])
    assert gap.ratio == pytest.approx(2.0, rel=1e-9)
    assert gap.release == witness["release"]
    assert witness["ratio"] == pytest.approx(2.0, rel=1e-9)


def unclipped(data, ledger):
    return ledger.gaussian(data.mean(), sensitivity=0.1, scale=1.0)


def smallest(data, ledger):
    # the smaller of two values moves only if the other one is large
    return ledger.laplace(data.min(), sensitivity=0.5, scale=1.0)


@pytest.mark.parametrize(
    ("run", "pair", "domain", "shown", "found"),
    [
        # the domain reaches 1e12 on both sides: 2e12/10 over 0.1
        (unclipped, zeros_and(0.1), Everything(()), 0.1, 2e12),
        (smallest, zeros_and(1.0, n=2), Box((), 0.0, 1.0), 0.0, 2.0),
    ],
)
def test_the_search_finds_what_the_known_pair_does_not_show(run, pair, domain, shown, found):
    weak = form(run, pair, domain=domain)
    assert audit(weak, CONTEXT, search=False).status == "holds"
    verdict = audit(weak, CONTEXT)
    assert verdict.status == "violated"
    assert verdict.evidence["known_pair_ratio"] == pytest.approx(shown, rel=1e-9)
    assert verdict.witness["ratio"] == pytest.approx(found, rel=1e-2)


def test_the_largest_ratio_is_over_the_whole_transcript():
    def run(data, ledger):
        ledger.gaussian(data.mean(), sensitivity=1.0, scale=1.0)
        out = ledger.gaussian(data.mean(), sensitivity=1.0, scale=1.0)
        ledger.laplace(data.mean() + out, sensitivity=0.05, scale=1.0)

    gap = largest_ratio(run, *zeros_and(1.0), seed=3)
    assert (gap.release, gap.kind) == (2, "laplace")
    assert gap.ratio == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize("named", [slice(5, 10), np.arange(5, 10), slice(1, 10, 2)])
def test_a_release_may_not_move_with_a_record_that_it_does_not_name(named):
    def run(read):
        def release(data, ledger):
            ledger.gaussian(data[:5].sum(), sensitivity=1.0, scale=1.0, records=slice(0, 5))
            ledger.gaussian(data[read].sum(), sensitivity=1.0, scale=1.0, records=named)

        return release

    honest = form(run(named), zeros_and(1.0))
    assert audit(honest, CONTEXT).status == "holds"
    assert largest_ratio(honest.run, *honest.pair).release == 0
    # the sum of all moves by its claimed sensitivity, but record 0 is not charged for it
    sneaky = form(run(slice(0, 10)), zeros_and(1.0))
    verdict = audit(sneaky, CONTEXT)
    assert verdict.status == "violated"
    assert (
        "release 1 (gaussian, l2) (which claims not to read the record) by inf" in verdict.summary
    )
    assert verdict.witness["claimed_bound"] == 0.0
    assert reproduce(sneaky, verdict.witness)


def test_without_a_record_those_behind_it_change_blocks():
    def run(data, ledger):
        for block in (slice(0, 5), slice(5, 10)):
            ledger.laplace(data[block].sum(), sensitivity=2.0, scale=1.0, records=block)

    data = np.linspace(0.0, 1.0, 10)
    gap = largest_ratio(run, data, data[1:], target=0)
    assert 0.2 < gap.ratio < 0.5


def per_record(sensitivity):
    return lambda data, ledger: ledger.gaussian(
        data, sensitivity=sensitivity, scale=1.0, unit="record"
    )


def in_a_ball(data, ledger):
    ledger.l2_ball(data, radius=1.0, epsilon=1.0)


@pytest.mark.parametrize(
    ("run", "value", "model", "domain", "status"),
    [
        (per_record(2.0), [2.0, 0.0], "local", Ball(2, 1.0), "holds"),
        (in_a_ball, [1.0, 0.0], "local", Ball(2, 1.0), "holds"),
        (in_a_ball, [1.5, 0.0], "local", None, "violated"),
        # one answer changes the row by 1, all three change it by sqrt 3
        (per_record(1.0), [1.0, 0.0, 0.0], "local attribute", Integers((3,)), "holds"),
        (per_record(1.0), [1.0, 0.0, 0.0], "local", Integers((3,)), "violated"),
    ],
)
def test_a_message_per_record_counts_the_record_alone(run, value, model, domain, status):
    claim = PureDP(1.0, model=Model(model))
    local = form(run, zeros_and(value, n=4), claim=claim, domain=domain)
    assert audit(local, CONTEXT).status == status


def test_a_record_that_reaches_the_messages_of_others_is_violated():
    # every user subtracts the mean of all: no local randomiser
    def run(data, ledger):
        ledger.gaussian(data - data.mean(), sensitivity=1.0, scale=1.0, unit="record")

    gap = largest_ratio(run, *zeros_and([1.0]))
    # 0.9 of one's own message and 0.1 of nine others'
    assert gap.ratio == pytest.approx(1.8, rel=1e-9)
    assert gap.unit == "record"


@pytest.mark.parametrize(
    ("relation", "status"), [("replace-label", "holds"), ("replace-one", "violated")]
)
def test_a_label_claim_changes_the_label_only(relation, status):
    # what is released moves by 2 with the label, and by 2 + 3 with the whole record
    def run(data, ledger):
        ledger.laplace(data[0].sum() + data[1].sum(), sensitivity=2.0, scale=2.0)

    pair = tuple((np.zeros((3, 3)), np.array([y, 0.0, 0.0])) for y in (-1.0, 1.0))
    domain = Product((Integers((3,)), Box((), -1.0, 1.0)))
    claim = PureDP(1.0, relation=Relation(relation))
    verdict = audit(form(run, pair, claim=claim, domain=domain), CONTEXT)
    assert verdict.status == status


def test_messages_per_attribute_are_compared_attribute_by_attribute():
    def own(data, ledger):
        ledger.randomized_response(data, epsilon=1.0, unit="attribute")

    def row_parity(data, ledger):
        parity = data.sum(axis=1, keepdims=True) % 2 + 0 * data
        ledger.randomized_response(parity, epsilon=1.0, unit="attribute")

    pair = zeros_and([1.0, 0.0, 0.0], n=4)
    # a whole row may change every message of the row, each within its claim
    assert largest_ratio(own, pair[0], zeros_and([1.0, 1.0, 1.0], n=4)[1]).ratio == 1.0
    # but one attribute must not change the messages of the others
    assert largest_ratio(row_parity, *pair).ratio == 3.0


def test_add_remove_drops_the_record():
    def run(data, ledger):
        ledger.laplace(np.clip(data, 0, 1).sum(), sensitivity=1.0, scale=1.0)

    data = np.ones(5)
    claim = PureDP(1.0, relation=Relation.ADD_OR_REMOVE_ONE)
    verdict = audit(form(run, (data, data[1:]), claim=claim, domain=Everything(())), CONTEXT)
    assert verdict.status == "holds"
    assert verdict.evidence["search_ratio"] == pytest.approx(1.0, rel=1e-9)


def sampled(*, background, sensitivity, replacement=False, peek=0.0):
    def run(data, ledger):
        sample = ledger.subsample(len(data), 2, replace=replacement)
        value = data[sample.indices].sum() + peek * data.sum()
        charged = {"sensitivity": sensitivity, "background_sensitivity": background}
        ledger.gaussian(value, scale=1.0, sample=sample, **charged)

    return run


@pytest.mark.parametrize(
    ("run", "ratio"),
    [
        (sampled(background=0.0, sensitivity=1.0), 1.0),
        (sampled(background=0.25, sensitivity=1.25, peek=0.25), 1.0),
        # the record shows through although it is outside the sample
        (sampled(background=0.0, sensitivity=1.25, peek=0.25), np.inf),
        (sampled(background=0.125, sensitivity=1.25, peek=0.25), 2.0),
        # drawn with replacement, the record may be in the sample twice
        (sampled(background=0.0, sensitivity=1.0, replacement=True), 2.0),
    ],
)
def test_a_sampled_release_is_compared_with_the_record_inside_and_outside(run, ratio):
    # whatever the recorded sample was, both replays are forced
    for seed in range(5):
        assert largest_ratio(run, *zeros_and(1.0), seed=seed).ratio == pytest.approx(ratio)
    status = "holds" if ratio <= 1 else "violated"
    assert audit(form(run, zeros_and(1.0)), CONTEXT).status == status


def test_a_data_dependent_scale_is_counted_as_control_flow():
    def run(data, ledger):
        return ledger.gaussian(data.mean(), sensitivity=0.1, scale=1.0 + data.max())

    verdict = audit(form(run, zeros_and(1.0)), CONTEXT)
    assert verdict.status == "inconclusive"
    assert verdict.evidence["control_flow_errors"] == 6
    assert verdict.findings[0]["kind"] == "control flow"


def test_an_algorithm_that_refuses_its_own_domain_is_an_error_of_the_case():
    def picky(data, ledger):
        if data.max() > 0.9:
            raise ValueError("too large")
        ledger.gaussian(data.mean(), sensitivity=0.1, scale=1.0)

    with pytest.raises(ValueError, match=r"own domain Box.*too large"):
        audit(form(picky, zeros_and(0.5), domain=Box((), 0.0, 1.0)), CONTEXT)


def shifted(offset):
    """The sum of the data, computed with an intermediate that loses digits."""

    def run(data, ledger):
        return ledger.gaussian((data.sum() + offset) - offset, sensitivity=0.7, scale=1.0)

    return run


def exact_sum(data, *_):
    return mpmath.fsum(mpmath.mpf(float(v)) for v in data)


def test_a_floating_point_failure_is_told_from_a_false_claim():
    pair = zeros_and(0.7)
    # (0.7 + 2^52) - 2^52 is 1: the implementation breaks its bound, the formula does not
    verdict = audit(form(shifted(2.0**52), pair, exact_query=exact_sum), CONTEXT)
    assert verdict.status == "violated"
    assert "in floating point only" in verdict.summary
    assert verdict.findings[0]["kind"] == "floating point"
    assert verdict.evidence["checked_ratio"] == pytest.approx(1.0, abs=1e-15)


def test_a_negligible_excess_is_a_finding_only():
    pair = zeros_and(0.7)
    ratio = ((0.7 + 1e8) - 1e8) / 0.7
    assert 1 + 1e-9 < ratio < 1 + 1e-8
    verdict = audit(form(shifted(1e8), pair, exact_query=exact_sum), CONTEXT)
    assert verdict.status == "holds"
    assert verdict.findings[0]["kind"] == "floating point"
    # without the exact query nothing explains the excess
    assert audit(form(shifted(1e8), pair), CONTEXT).status == "violated"


def test_the_exact_query_decides_against_the_claim():
    # the printed bound is one part in a million too small
    def run(data, ledger):
        return ledger.gaussian(data.sum(), sensitivity=0.7 * (1 - 1e-9), scale=1.0)

    verdict = audit(form(run, zeros_and(0.7), exact_query=exact_sum), CONTEXT)
    assert verdict.status == "violated"
    assert verdict.evidence["check"] == "query at 50 digits"
    assert verdict.evidence["checked_ratio"] == pytest.approx(1 / (1 - 1e-9), rel=1e-12)


def test_rounding_is_no_violation():
    # a running sum of a thousand values: replacing 0 by 1 moves it by a little more than one
    def run(data, ledger):
        return ledger.gaussian(np.cumsum(data)[-1], sensitivity=1.0, scale=1.0)

    data = 1000 * np.random.default_rng(5).random(1000)
    other = data.copy()
    data[0], other[0] = 0.0, 1.0
    transcript, _ = record(run, data, 0)
    first, second = transcript.releases[0], replay(run, other, transcript).releases[0]
    excess = abs(float(first.value - second.value)) - 1.0
    assert 1e-11 < excess < rounding_allowance(first, second, 1000, 1.0) < 1e-6
    verdict = audit(form(run, (data, other)), CONTEXT)
    assert verdict.status == "holds"
    assert verdict.findings == ()


def test_the_seed_decides_and_the_full_tier_searches_longer(monkeypatch):
    monkeypatch.setattr(sensitivity, "EXAMPLES", 4)
    monkeypatch.setattr(sensitivity, "EVALUATIONS", 4)

    def run(data, ledger):
        out = ledger.gaussian(np.sin(data).mean(), sensitivity=0.1, scale=1.0)
        ledger.gaussian(np.tanh(data * out).mean(), sensitivity=0.15, scale=1.0)

    tiny = form(run, zeros_and(1.0), domain=Box((), -3.0, 3.0))
    once, again, other = (audit(tiny, replace(CONTEXT, seed=seed)).to_json() for seed in (7, 7, 8))
    assert once == again != other
    full = audit(tiny, replace(CONTEXT, tier="full"))
    assert full.evidence["evaluations"] > 5 * once["evidence"]["evaluations"]
