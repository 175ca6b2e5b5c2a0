"""The audit cases of wang-mean and wang-ldp-mean: are the pairs as bad, the errata as large."""

import math

import numpy as np
import pytest

from auditor.cases import build_case
from auditor.cases.data.means import affairs
from auditor.questions import sensitivity
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
