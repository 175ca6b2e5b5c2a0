"""Entries whose neighbours differ in a label alone: what tells them from replace-one."""

from dataclasses import replace

import numpy as np
import pytest

from auditor.core.context import Context
from auditor.core.neighbours import replace_record
from auditor.described import build_case
from auditor.questions import accounting, sensitivity
from auditor.transcript.losses import sample_losses
from reference.catalogue import entries
from reference.privacy.guarantees import ApproximateDP, Model, Relation, gaussian_dp_mu

CONTEXT = Context(seed=3, path=("labels",))
PRIVATE_LABELS = [i for i, e in entries().items() if e.relation is Relation.REPLACE_LABEL]


def test_three_entries_are_about_labels():
    assert PRIVATE_LABELS == ["diss-5.3.42", "diss-5.3.45", "diss-5.3.lasso"]


@pytest.mark.parametrize("identifier", PRIVATE_LABELS)
def test_the_same_form_under_the_wrong_relation_is_violated(identifier):
    form = build_case(identifier).forms["corrected"]
    assert accounting.audit(form, CONTEXT).status == "holds"
    wrong = replace(form, claim=ApproximateDP(1.0, 1e-3, model=Model.LOCAL))
    verdict = accounting.audit(wrong, CONTEXT)
    assert verdict.status == "violated"
    assert "protects a label alone" in verdict.summary


@pytest.mark.parametrize("identifier", PRIVATE_LABELS)
def test_the_pair_and_what_is_searched_differ_in_a_label(identifier):
    form = build_case(identifier).forms["corrected"]
    rng = np.random.default_rng(0)
    for _ in range(20):
        old, new = (form.domain.decode(rng.uniform(-1, 1, form.domain.parameters)) for _ in "ab")
        data, other = sensitivity.neighbour_pair(form, form.pair[0], old, new, 0)
        assert np.array_equal(data[0], other[0])
        assert np.flatnonzero(data[1] != other[1]).tolist() == [form.replaced]
    features = form.pair[0][0]
    assert np.array_equal(features, form.pair[1][0])


@pytest.mark.parametrize("identifier", PRIVATE_LABELS)
def test_the_loss_is_that_of_the_claim_exactly(identifier):
    form = build_case(identifier).forms["corrected"]
    seeds = np.random.SeedSequence(0).spawn(400)
    losses = sample_losses(form.run, *form.pair, seeds, replaced=form.replaced).losses
    # normal with mean mu^2/2 and variance mu^2; five standard errors
    mu = gaussian_dp_mu(1.0, 1e-3)
    assert np.mean(losses) == pytest.approx(mu**2 / 2, abs=5 * mu / 20)
    assert np.std(losses) == pytest.approx(mu, rel=5 / np.sqrt(800))


@pytest.mark.parametrize("identifier", PRIVATE_LABELS)
def test_a_feature_does_not_enter_what_is_released(identifier):
    form = build_case(identifier).forms["corrected"]
    data = form.pair[0]
    other = replace_record(data, form.replaced, (-data[0][0], data[1][0]))
    assert sensitivity.largest_ratio(form.run, data, other, target=form.replaced).ratio == 0.0
