import math

import numpy as np
import pytest

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.questions.accounting import account, audit
from auditor.transcript.replay import record
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Guarantee,
    Model,
    PureDP,
    Relation,
    RenyiDP,
    gaussian_dp_mu,
)

CONTEXT = Context(seed=5, path=("tiny",))
PAIR = (np.zeros(6), np.array([1.0, 0, 0, 0, 0, 0]))


def form(run, claim, **more):
    return Form(run, claim, PAIR, 0, {"n": 6}, **more)


def gaussians(mu, times=4):
    """``times`` releases that are mu-Gaussian DP together."""

    def run(data, ledger):
        for _ in range(times):
            ledger.gaussian(data.mean(), sensitivity=mu / math.sqrt(times), scale=1.0)

    return run


def laplaces(*epsilons):
    def run(data, ledger):
        for epsilon in epsilons:
            ledger.laplace(data.mean(), sensitivity=epsilon, scale=1.0)

    return run


def selections(epsilon, times):
    def run(data, ledger):
        for _ in range(times):
            ledger.exponential([data.mean(), 0.0], sensitivity=1.0, epsilon=epsilon)

    return run


def account_of(run, claim):
    return account(record(run, PAIR[0], 0)[0], claim)


MU = gaussian_dp_mu(1.0, 1e-5)

EXACT = {
    "approximate": (gaussians, MU, lambda x: ApproximateDP(1.0, 1e-5), "delta"),
    "gaussian": (gaussians, 0.5, lambda x: GaussianDP(x), "mu"),
    "zcdp": (gaussians, 0.5, lambda x: ZCDP(x**2 / 2), "rho"),
    "renyi": (gaussians, 0.5, lambda x: RenyiDP(3.0, 1.5 * x**2), "divergence"),
    "pure": (laplaces, 0.5, lambda x: PureDP(x), "epsilon"),
    "pure selection": (lambda e: selections(e / 3, 3), 0.6, lambda x: PureDP(x), "epsilon"),
}


@pytest.mark.parametrize("name", EXACT)
def test_a_claim_met_exactly_holds_and_one_percent_more_is_violated(name):
    make, size, claim, parameter = EXACT[name]
    met = audit(form(make(size), claim(size)), CONTEXT)
    assert met.status == "holds"
    assert met.evidence["accounted"] == pytest.approx(met.evidence["claimed"], rel=1e-5)
    assert met.evidence["parameter"] == parameter
    broken = audit(form(make(1.01 * size), claim(size)), CONTEXT)
    assert broken.status == "violated"
    assert broken.evidence["attained"] > broken.evidence["claimed"]
    times = f"{broken.evidence['attained'] / broken.evidence['claimed']:.4g} times the claim"
    assert (times in broken.summary) == (parameter == "delta")


def test_claimed_and_accounted_stand_side_by_side():
    # a calibration by zCDP certifies 0.742 where (1, 1e-5) is claimed
    rho = (math.sqrt(math.log(1e5) + 1) - math.sqrt(math.log(1e5))) ** 2
    verdict = audit(form(gaussians(math.sqrt(2 * rho)), ApproximateDP(1.0, 1e-5)), CONTEXT)
    evidence = verdict.evidence
    assert evidence["claimed_epsilon"] == 1.0
    assert evidence["claimed_delta"] == 1e-5
    assert evidence["accounted_epsilon"] == pytest.approx(0.742, abs=5e-4)
    assert evidence["accounted_delta"] < 1e-5
    assert evidence["method"] == "exact Gaussian DP"
    assert evidence["releases"] == [
        {
            "kind": "gaussian",
            "parameters": "(1.0,)",
            "sensitivity": math.sqrt(2 * rho) / 2,
            "unit": "dataset",
            "count": 4,
        }
    ]


def test_an_infinite_loss_is_violated():
    def wishart(data, ledger):
        ledger.wishart(data.mean() * np.eye(2), sensitivity=1.0, degrees=3.0, scale=1.5)

    for claim in (PureDP(10.0), ApproximateDP(10.0, 0.2), ZCDP(10.0), GaussianDP(0.5)):
        verdict = audit(form(wishart, claim), CONTEXT)
        assert verdict.status == "violated"
    # P(chi^2_2 < 2/3) of the outputs are impossible under a neighbour: 1 - e^(-1/3) = 0.2835
    assert audit(form(wishart, ApproximateDP(1.0, 0.2836)), CONTEXT).status == "holds"


def test_between_the_bounds_the_question_stays_open():
    # 100 selections of 0.1 at epsilon 1: at most .0206 by zCDP, at least .0133 by two candidates
    run = selections(0.1, 100)
    found = account_of(run, ApproximateDP(1.0, 1e-9))
    assert found.contradicted
    upper, lower = found.accounted, found.attained
    assert lower < 0.9 * upper
    for delta, status in (
        (1.01 * upper, "holds"),
        ((upper + lower) / 2, "inconclusive"),
        (0.99 * lower, "violated"),
    ):
        assert audit(form(run, ApproximateDP(1.0, delta)), CONTEXT).status == status


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        # one Laplace release at 1 is 0.3679-zCDP by the rule, and certainly not 0.05-zCDP
        (ZCDP(0.368), "holds"),
        (ZCDP(0.36), "inconclusive"),
        (ZCDP(0.05), "violated"),
        # Phi(mu/2) = e^epsilon/(1 + e^epsilon): epsilon = 1 gives mu = 1.2322
        (GaussianDP(1.233), "holds"),
        (GaussianDP(1.232), "inconclusive"),
    ],
)
def test_pure_releases_are_compared_with_a_curve(claim, status):
    assert audit(form(laplaces(1.0), claim), CONTEXT).status == status


def test_slack_in_the_claim_hides_nothing_behind_the_design():
    claim, design = ApproximateDP(1.0, 1e-5), ZCDP(0.01)
    met = audit(form(gaussians(math.sqrt(0.02)), claim, design=design), CONTEXT)
    assert met.status == "holds"
    assert met.evidence["design"]["met"]
    exceeded = audit(form(gaussians(math.sqrt(0.0202)), claim, design=design), CONTEXT)
    assert exceeded.status == "violated"
    assert exceeded.evidence["accounted_epsilon"] < 1
    assert "stated calibration" in exceeded.summary
    assert audit(form(gaussians(math.sqrt(0.0202)), claim), CONTEXT).status == "holds"


def test_a_rule_meets_a_claim_if_it_does_for_every_record():
    def run(data, ledger):
        ledger.laplace(0.0, sensitivity=1.0, scale=1.0, records=slice(0, 2))
        ledger.gaussian(0.0, sensitivity=1.0, scale=2.0, records=slice(2, 3))

    found = account_of(run, ApproximateDP(1.0, 0.2))
    assert found.method != "nothing released"
    assert found.rules == ()
    laplace_alone = account_of(laplaces(1.0), ApproximateDP(1.0, 0.2))
    assert {"pure DP", "exact Laplace"} <= set(laplace_alone.rules)


def test_a_rule_that_meets_a_claim_but_for_rounding_meets_it():
    assert 0.1 + 0.2 > 0.3
    assert "pure DP" in account_of(laplaces(0.1, 0.2), PureDP(0.3)).rules
    assert account_of(laplaces(0.1, 0.2), PureDP(0.299)).rules == ()


def test_disjoint_records_compose_in_parallel_and_overlapping_ones_do_not():
    def split(second):
        def run(data, ledger):
            for records in (slice(0, 3), second):
                ledger.laplace(0.0, sensitivity=1.0, scale=1.0, records=records)

        return run

    assert audit(form(split(slice(3, 6)), PureDP(1.0)), CONTEXT).status == "holds"
    overlapping = audit(form(split(np.array([2, 5])), PureDP(1.0)), CONTEXT)
    assert overlapping.status == "violated"
    assert overlapping.evidence["accounted_epsilon"] == 2.0


@pytest.mark.parametrize(
    ("model", "accounted"),
    [(Model.LOCAL_ATTRIBUTE, 0.5), (Model.LOCAL, 2.0), (Model.CENTRAL, 2.0)],
)
def test_a_record_bears_the_messages_of_all_its_attributes(model, accounted):
    def answers(data, ledger):
        ledger.randomized_response(np.zeros((6, 4)), epsilon=0.5, unit="attribute")

    found = account_of(answers, PureDP(1.0, model=model))
    assert found.accounted_epsilon == pytest.approx(accounted, rel=1e-12)
    assert found.contradicted == (accounted > 1)


def per_unit(unit):
    return lambda data, ledger: ledger.laplace(data, sensitivity=1.0, scale=2.0, unit=unit)


@pytest.mark.parametrize("model", [Model.LOCAL, Model.CENTRAL, Model.LOCAL_ATTRIBUTE])
def test_a_claim_about_records_cannot_rest_on_what_protects_labels(model):
    for relation in (Relation.REPLACE_ONE, Relation.ADD_OR_REMOVE_ONE):
        verdict = audit(
            form(per_unit("label"), PureDP(9.0, model=model, relation=relation)), CONTEXT
        )
        assert verdict.status == "violated"
        assert "release 0 protects a label alone" in verdict.summary
        found = account_of(per_unit("label"), ApproximateDP(9.0, 0.1, relation=relation))
        assert (found.certified, found.attained, found.contradicted) == (False, 1.0, True)


# what protects a record protects its label
@pytest.mark.parametrize("unit", ["label", "record"])
@pytest.mark.parametrize(("claimed", "status"), [(0.5, "holds"), (0.4, "violated")])
def test_a_claim_about_labels_is_accounted(unit, claimed, status):
    claim = PureDP(claimed, model=Model.LOCAL, relation=Relation.REPLACE_LABEL)
    assert audit(form(per_unit(unit), claim), CONTEXT).status == status


def test_a_local_claim_cannot_rest_on_a_curator():
    claim = PureDP(1.0, model=Model.LOCAL)
    verdict = audit(form(laplaces(0.5), claim), CONTEXT)
    assert verdict.status == "violated"
    assert "no local randomiser" in verdict.summary

    def own(data, ledger):
        ledger.laplace(data, sensitivity=0.5, scale=1.0, unit="record")
        ledger.laplace(data[2], sensitivity=0.5, scale=1.0, records=slice(2, 3))

    assert audit(form(own, claim), CONTEXT).status == "holds"


def test_the_worse_data_set_of_the_pair_counts():
    def spends_more_on_ones(data, ledger):
        for _ in range(1 + int(data.max())):
            ledger.laplace(data.mean(), sensitivity=0.6, scale=1.0)

    verdict = audit(form(spends_more_on_ones, PureDP(1.0)), CONTEXT)
    assert verdict.status == "violated"
    assert verdict.witness["data set"] == "D'"
    assert verdict.evidence["accounted_epsilon"] == pytest.approx(1.2)


def test_an_unknown_guarantee_is_refused():
    class Other(Guarantee):
        def delta_at(self, epsilon):
            return 0.5

    with pytest.raises(TypeError, match="known type"):
        account_of(laplaces(1.0), Other())
