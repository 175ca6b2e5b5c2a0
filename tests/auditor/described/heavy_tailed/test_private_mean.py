"""The audit cases of wang-mean and wang-ldp-mean: are the pairs as bad, the errata as large."""

import math

import numpy as np
import pytest

from auditor.described import build_case
from auditor.described.data.means import affairs, by_data, in_failure_probability
from auditor.questions import sensitivity
from reference.heavy_tailed.private_mean import constants_for
from reference.heavy_tailed.truncation import smoothed_truncation
from reference.privacy.guarantees import Model, gaussian_dp_delta

FORMS = [
    (identifier, name)
    for identifier in ("wang-mean", "wang-ldp-mean")
    for name in build_case(identifier).forms
]


def exact_ratio(name: str) -> float:
    """Return erf(sqrt(precision/2)) at zeta = 0.01."""
    log_term = math.log(100)
    return math.erf(math.sqrt((2 * log_term if "lemma" in name else math.sqrt(log_term)) / 2))


@pytest.mark.parametrize(("identifier", "name"), FORMS)
def test_the_pair_is_the_worst_there_is(identifier: str, name: str) -> None:
    form = build_case(identifier).forms[name]
    gap = sensitivity.largest_ratio(form.run, *form.pair)
    assert gap is not None
    # 1e6 is at least 1e4 s, which leaves 1e-6 to the supremum
    assert gap.ratio == pytest.approx(exact_ratio(name), rel=1e-6)
    assert gap.unit == ("dataset" if form.claim.model is Model.CENTRAL else "record")


def test_the_printed_forms_break_privacy_itself_not_only_its_proof() -> None:
    # sensitivity/sigma is epsilon/sqrt(2 log(1.25/delta)) as declared, and erf(...) of it in fact
    for name, least in (("printed", 0.7), ("printed-lemma-1", 0.95)):
        form = build_case("wang-mean").forms[name]
        epsilon, delta = form.parameters["epsilon"], form.parameters["delta"]
        mu = epsilon / math.sqrt(2 * math.log(1.25 / delta)) * exact_ratio(name)
        assert gaussian_dp_delta(mu, epsilon) > least > delta


def test_the_survey_is_within_its_public_bound() -> None:
    assert affairs().shape == (6366,)
    assert np.mean(affairs() ** 2) == pytest.approx(5.35, abs=0.01)


def test_the_law_of_the_recipe_in_the_failure_probability_is_about_as_biased_as_any() -> None:
    """A truncated mean loses most on a law of two points, if the far one is where it should be."""
    samples = []

    def mean(data, *, constants, ledger, **parameters):
        samples.append((data, constants))
        return 3 / data.max()  # of the mean 1 / data.max()

    rule = by_data(constants_for)
    recipe = in_failure_probability(mean, rule, (16.0, 64.0), epsilon=1.0, claim="")
    for value in recipe.values:
        samples.clear()
        error = recipe.error(value, np.random.default_rng(0))
        (data, constants), *_ = samples
        s, precision = constants.truncation_scale, constants.precision

        def bias(points, s=s, precision=precision):
            kept = smoothed_truncation(points, scale=s, precision=precision)
            return (points - kept) / points**2  # the second moment is 1

        assert error == pytest.approx(2 / data.max())
        assert np.unique(data[data > 0]).size == 1
        assert np.mean(data**2) == pytest.approx(1, abs=0.3)
        most = bias(s * np.linspace(0.5, 5, 1000)).max()
        assert 0.95 * most < bias(np.array([data.max()]))[0] <= most * (1 + 1e-6)
