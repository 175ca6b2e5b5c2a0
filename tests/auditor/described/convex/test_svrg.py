import numpy as np
import pytest

from auditor.described import build_case
from auditor.described.convex.svrg import scaling_problem
from auditor.transcript.replay import record, release_distance, replay

FORMS = build_case("diss-3.1.1").forms


@pytest.mark.parametrize("name", FORMS)
def test_the_pair_nearly_attains_the_claimed_sensitivity(name):
    """At least 0.8 of it at some release whose batch holds the record."""
    form, worst = FORMS[name], 0.0
    for seed in range(5):
        transcript, _ = record(form.run, form.pair[0], seed, target=form.replaced)
        count = None if name == "corrected" else 1
        sides = [replay(form.run, side, transcript, count=count).releases for side in form.pair]
        for mine, theirs in zip(*sides, strict=True):
            worst = max(worst, release_distance(mine, theirs) / mine.claim.sensitivity)
    assert 0.8 < worst <= 1 + 1e-9


@pytest.mark.parametrize(
    ("name", "true_delta"),
    # drawn after the first of m steps: 1 - 0.98^14, 1 - (59/60)^11
    [("printed", 0.2464), ("printed-remark", 0.1688)],
)
def test_violations_are_as_large_as_derived(name, true_delta, estimated_delta):
    """Fixed seed; six standard errors (false alarm below 1e-6 each), and 0.05 for several draws."""
    estimate, error = estimated_delta(FORMS[name], 60)
    assert abs(estimate - true_delta) <= 6 * error + 0.05 + 0.02 * true_delta


def test_optimum_of_the_scaling_recipe():
    """Against scikit-learn: the excess risk is measured from the true minimum."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    records, smallest = scaling_problem()
    model = linear_model.LogisticRegression(C=1 / (60 * 0.125), fit_intercept=False, tol=1e-12)
    x = model.fit(*records).coef_[0]
    risk = float(np.logaddexp(0, -records[1] * (records[0] @ x)).mean()) + 0.0625 * float(x @ x)
    assert smallest == pytest.approx(risk, abs=1e-9)


def test_the_error_of_the_scaling_recipe_falls():
    """One repetition at each end, a factor of 8 in n."""
    (recipe,) = build_case("diss-3.1.1").scaling
    first, last = (recipe.error(n, np.random.default_rng(3)) for n in (12000.0, 96000.0))
    assert last < first / 8
