"""The audit cases of diss-3.2.8 and diss-RGD: what they show.

The seed is fixed; each statistical verdict has error probability 0.01/60 in its audit.
"""

import json
import math

import numpy as np
import pytest

from auditor.cases import build_case
from auditor.cases import heavy_tailed_gradient_descent as cases
from auditor.core.case import Case
from auditor.core.context import Context
from auditor.core.neighbours import differing_records
from auditor.core.verdict import jsonable
from auditor.questions import (
    accounting,
    black_box,
    control_flow,
    mutants,
    privacy_loss,
    real_data,
    scaling,
    sensitivity,
)
from auditor.transcript.replay import record, release_distance, replay
from reference import catalogue
from reference.heavy_tailed.known_variance_gradient_descent import known_variance_gradient_descent
from reference.losses import Logistic
from reference.privacy.guarantees import gaussian_dp_delta, gaussian_dp_epsilon, zcdp_rho

IDS = ("diss-3.2.8", "diss-RGD")
FORMS = [(identifier, name) for identifier in IDS for name in build_case(identifier).forms]


def form_of(identifier, name):
    return build_case(identifier).forms[name]


def context(*path):
    return Context(tests=60, path=path)


@pytest.mark.parametrize(("identifier", "name"), FORMS)
def test_forms_are_well_formed(identifier, name):
    form = form_of(identifier, name)
    assert differing_records(*form.pair) == [form.replaced]
    json.dumps(jsonable(form.parameters))
    assert (name == "corrected") == (not form.violates)


@pytest.mark.parametrize(("identifier", "name"), FORMS)
def test_deterministic_questions_say_what_is_expected(identifier, name):
    form = form_of(identifier, name)
    for question, ask in (("accounting", accounting.audit), ("control_flow", control_flow.audit)):
        verdict = ask(form, context(identifier, name, question))
        expected = "violated" if question in form.violates else "holds"
        assert verdict.status == expected, verdict.summary


@pytest.mark.parametrize("identifier", IDS)
def test_no_pair_exceeds_the_claimed_sensitivity(identifier):
    form = form_of(identifier, "corrected")
    verdict = sensitivity.audit(form, context(identifier, "corrected", "sensitivity"))
    assert verdict.status == "holds", verdict.summary


@pytest.mark.parametrize(("identifier", "name"), FORMS)
def test_the_pair_attains_the_exact_sensitivity(identifier, name):
    """In every release that reads the record: erf(sqrt(log(100)/2)) = 0.968 of the claim."""
    form = form_of(identifier, name)
    transcript, _ = record(form.run, form.pair[0], 0, target=form.replaced)
    sides = [replay(form.run, side, transcript).releases for side in form.pair]
    ratios = [release_distance(m, t) / m.claim.sensitivity for m, t in zip(*sides, strict=True)]
    expected = [0.968124] * 3 if identifier == "diss-3.2.8" else [0.968124, 0.0, 0.0]
    assert ratios == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize(
    ("name", "rho", "spent", "delta_at_one"),
    [
        ("corrected", zcdp_rho(1.0, 1e-5), 0.7158, 1.24e-8),
        ("printed", 1.0, 6.325, 0.2682),
        ("printed-2", math.sqrt(zcdp_rho(1.0, 1e-5)), 2.083, 0.00870),
    ],
)
def test_violations_are_as_large_as_derived(name, rho, spent, delta_at_one):
    """The run is mu-Gaussian DP, and the claim is (1, 1e-5)."""
    form = form_of("diss-3.2.8", name)
    transcript, _ = record(form.run, form.pair[0], 0, target=form.replaced)
    sides = [replay(form.run, side, transcript).releases for side in form.pair]
    mu = math.sqrt(
        sum((release_distance(m, t) / m.mechanism.scale) ** 2 for m, t in zip(*sides, strict=True))
    )
    assert mu == pytest.approx(math.sqrt(2 * rho) * math.erf(math.sqrt(math.log(100) / 2)))
    assert gaussian_dp_epsilon(mu, 1e-5) == pytest.approx(spent, abs=5e-4)
    assert gaussian_dp_delta(mu, 1.0) == pytest.approx(delta_at_one, rel=5e-3)


@pytest.mark.parametrize("name", ["printed", "printed-2"])
def test_sampled_losses_show_the_printed_budgets(name):
    form = form_of("diss-3.2.8", name)
    verdict = privacy_loss.audit(form, context("diss-3.2.8", name, "privacy_loss"))
    assert verdict.status == "violated", verdict.summary
    assert verdict.witness


def test_outputs_alone_show_the_literal_budget():
    form = form_of("diss-3.2.8", "printed")
    verdict = black_box.audit(form, context("diss-3.2.8", "printed", "black_box"))
    assert verdict.status == "violated", verdict.summary


@pytest.mark.parametrize("identifier", IDS)
def test_every_mutant_is_flagged(identifier):
    verdict = mutants.audit(build_case(identifier), context(identifier, "mutants"))
    assert verdict.status == "holds", verdict.summary
    assert "truncation dropped" in verdict.evidence["mutants"]


@pytest.mark.parametrize("identifier", IDS)
def test_errors_scale_as_claimed(identifier):
    case = build_case(identifier)
    verdict = scaling.audit(case, "corrected", context(identifier, "corrected", "scaling"))
    assert verdict.status == "holds", verdict.summary
    for recipe in case.scaling:
        first, second = (recipe.error(recipe.values[0], np.random.default_rng(3)) for _ in "ab")
        assert first == second > 0


def test_a_wrong_rate_would_be_noticed(monkeypatch):
    """In epsilon, with rho proportional to epsilon as it is printed: exponent -1, not -2."""

    def printed(*args, **kwargs):
        return known_variance_gradient_descent(*args, n_iterations=1, budget="printed", **kwargs)

    monkeypatch.setattr(cases, "ONE_STEP", printed)
    case = build_case("diss-3.2.8")
    recipes = tuple(recipe for recipe in case.scaling if recipe.name == "epsilon")
    broken = Case(id=case.id, forms=case.forms, scaling=recipes)
    verdict = scaling.audit(broken, "corrected", context("diss-3.2.8", "corrected", "scaling"))
    assert verdict.status == "violated", verdict.summary


def test_population_of_the_convex_recipe():
    """The minimiser is one, away from 0, and the second moment of the gradient below v."""
    features, labels, minimiser = cases._population()
    loss = Logistic(feature_bound=math.inf)
    assert np.abs(loss.gradient((features, labels), minimiser)).max() < 1e-6
    assert 0.5 < np.linalg.norm(minimiser) < 1.0
    for w in (np.zeros(2), minimiser, 3 * minimiser):
        moments = (loss.gradients((features, labels), w) ** 2).mean(axis=0)
        assert moments.max() <= (features**2).mean(axis=0).max()


def test_households():
    features, labels = cases.households()
    assert features.shape == (235, 2)
    # Engel's own line: 147.5 francs and 0.485 per franc of income
    slope, intercept = np.polyfit(1000 * (features[:, 1] + 1), 1000 * labels, 1)
    assert slope == pytest.approx(0.4852, abs=1e-4)
    assert intercept == pytest.approx(147.48, abs=0.01)
    gradients = 2 * labels[:, None] * features
    assert (gradients**2).mean(axis=0).max() < 4.0  # v, at w = 0


def test_real_data():
    verdict = real_data.audit(build_case("diss-3.2.8"), context("diss-3.2.8", "real_data"))
    assert verdict.status == "holds", verdict.summary


def test_errata_are_those_of_the_catalogue():
    case = build_case("diss-3.2.8")
    shown = {number for form in case.forms.values() for number in form.violates.values()}
    audited = {
        erratum.number
        for erratum in catalogue.entry("diss-3.2.8").errata
        if erratum.reproduced_by.startswith("audit:")
    }
    assert shown == audited == {1}
