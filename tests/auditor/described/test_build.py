"""Building of cases from their descriptions."""

from dataclasses import replace

import numpy as np
import pytest

from auditor import described
from auditor.described import build_case
from auditor.described.build import along, averaged, form, real_data, root_mean_square
from reference.local.laplace_mean import local_mean
from reference.privacy.guarantees import ZCDP, ApproximateDP, PureDP, Relation, zcdp_rho


def test_a_recipe_varies_one_parameter_and_holds_the_others():
    def error(rng, ledger, *, n, epsilon, d=3):
        return n + 10 * epsilon + 100 * d

    recipe = along("n", (1, 2), -0.5, error=error, repetitions=4, claim="rate", epsilon=2.0)
    assert recipe.error(1, np.random.default_rng(0)) == 321
    assert recipe.error(2, np.random.default_rng(0)) == 322
    assert (recipe.name, recipe.claimed_slope, recipe.form) == ("n", -0.5, "corrected")


def test_the_noise_of_a_twin_grows_like_the_root_along_the_recipe():
    def error(rng, ledger, *, n):
        start = rng.normal()  # data, the same for both
        return start, ledger.laplace(np.zeros(3), sensitivity=1.0, scale=2.0)

    def drawn(recipe, value, *, twin=False):
        chosen = recipe.twin if twin else recipe
        return chosen.error(value, np.random.default_rng(5))

    given = {"error": error, "repetitions": 4, "claim": "rate"}
    recipe = along("n", (100, 400), -0.5, **given)
    for value, factor in ((100, 1.0), (400, 2.0)):
        (start, noise), (same, more) = drawn(recipe, value), drawn(recipe, value, twin=True)
        assert start == same
        np.testing.assert_allclose(more, factor * noise, rtol=1e-14)
    assert recipe.twin.change == "the noise of every release times (n/100)^0.5"
    stronger = along("n", (100, 400), -0.5, inflation=1.0, name="all n", **given)
    np.testing.assert_allclose(
        drawn(stronger, 400, twin=True)[1], 4 * drawn(recipe, 400)[1], rtol=1e-14
    )
    assert stronger.twin.change == "the noise of every release times (all n/100)^1"


def test_a_twins_selections_have_less_of_epsilon():
    def error(rng, ledger, *, epsilon):
        scores = np.array([0.0, 1.0])
        ledger.exponential(scores, sensitivity=1.0, epsilon=epsilon)
        return ledger.transcript.releases[0].mechanism.rate

    recipe = along("epsilon", (1.0, 4.0), -1.0, error=error, repetitions=4, claim="rate")
    rates = [recipe.twin.error(value, np.random.default_rng(0)) for value in (1.0, 4.0)]
    assert rates == [0.5, 1.0]  # epsilon/2, and half of it


def test_a_twin_may_have_more_of_what_is_no_release():
    def error(rng, ledger, *, epsilon, factor=1.0):
        return factor / epsilon

    recipe = along(
        "epsilon", (2.0, 8.0), -1.0, error=error, repetitions=4, claim="rate",
        inflates="the public noise",
    )  # fmt: skip
    assert [recipe.error(e, np.random.default_rng(0)) for e in (2.0, 8.0)] == [0.5, 0.125]
    assert [recipe.twin.error(e, np.random.default_rng(0)) for e in (2.0, 8.0)] == [0.5, 0.25]
    assert recipe.twin.change == "the public noise times (epsilon/2)^0.5"


def test_a_recipe_that_reproduces_an_erratum_needs_no_twin():
    recipe = along(
        "n", (1, 2), 0.0, error=lambda *_: 1.0, repetitions=4, claim="", erratum="fake/E3"
    )
    assert recipe.twin is None


def test_the_baseline_is_the_same_without_noise_unless_another_is_given():
    given = {"name": "", "load": None, "neighbour": None, "error": None, "metric": ""}
    real = real_data(local_mean, epsilons=(1.0,), upper=1.0, **given)
    assert real.baseline(np.array([0.0, 1.0, 7.0, 0.5])) == 0.625
    assert real.claim(0.5) == PureDP(0.5)


def test_a_mean_of_errors_is_of_as_many_draws():
    def error(rng, *, n):
        return n * rng.random()

    drawn = 3 * np.random.default_rng(1).random(4)
    mean = averaged(error, 4)(np.random.default_rng(1), n=3)
    root = averaged(error, 4, root_mean_square)(np.random.default_rng(1), n=3)
    assert (mean, root) == (np.mean(drawn), np.sqrt(np.mean(drawn**2)))


def test_a_design_by_zcdp_is_that_of_the_claim():
    given = {"epsilon": 2.0, "delta": 1e-3, "no_search": "a test", "no_black_box": "a test"}
    pair = np.zeros(1), np.ones(1)
    made = form(local_mean, pair, by_zcdp=True, **given)
    assert made.claim == ApproximateDP(2.0, 1e-3)
    assert made.design == ZCDP(zcdp_rho(2.0, 1e-3))
    assert form(local_mean, pair, **given).design is None


def publish(data, *, epsilon, ledger):
    return ledger.laplace(data[1], sensitivity=2.0, scale=2.0 / epsilon, unit="label")


FEATURES = np.eye(2)
LABELS = (np.array([1.0, 0.0]), np.array([-1.0, 0.0]))
IN_A_LABEL = ((FEATURES, LABELS[0]), (FEATURES, LABELS[1]))
IN_A_RECORD = ((FEATURES, LABELS[0]), (-FEATURES, LABELS[1]))


def test_a_form_about_labels_has_neighbours_in_a_label():
    given = {"epsilon": 1.0, "statistic": np.sum}
    made = form(publish, IN_A_LABEL, relation=Relation.REPLACE_LABEL, **given)
    assert made.claim == made.black_box.claim == PureDP(1.0, relation=Relation.REPLACE_LABEL)
    assert form(publish, IN_A_RECORD, **given).claim.relation is Relation.REPLACE_ONE
    claim = PureDP(1.0, relation=Relation.REPLACE_LABEL)
    for pair, more in (
        (IN_A_RECORD, {"relation": Relation.REPLACE_LABEL}),
        (IN_A_RECORD, {"claim": claim}),
        (LABELS, {"claim": claim}),
        (IN_A_LABEL, {"claim": claim, "seen": IN_A_RECORD}),
    ):
        with pytest.raises(ValueError, match="differ in more than a label"):
            form(publish, pair, **given, **more)


def test_a_case_whose_neighbours_are_not_those_of_the_entry_is_refused(monkeypatch):
    case = build_case("diss-5.1.30")
    as_label = replace(case.forms["corrected"].claim, relation=Relation.REPLACE_LABEL)
    wrong = replace(case.forms["corrected"], claim=as_label)
    for changed in (
        replace(case, forms={**case.forms, "corrected": wrong}),
        replace(case, mutants={**case.mutants, "wrong": wrong}),
    ):
        monkeypatch.setattr(described, "builders", lambda made=changed: {case.id: lambda: made})
        with pytest.raises(RuntimeError, match="is about replace-one, but its form"):
            build_case(case.id)
