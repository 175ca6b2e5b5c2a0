import pytest

from auditor.described import build_case
from auditor.questions import sensitivity

FORMS = build_case("diss-4.1.19").forms


@pytest.mark.parametrize("name", FORMS)
def test_the_pair_attains_the_claimed_sensitivity(name):
    """Beyond it only where the proof divides by epsilon."""
    found = sensitivity.largest_ratio(FORMS[name].run, *FORMS[name].pair).ratio
    assert found == pytest.approx(8.0 if name == "printed-proof" else 1.0, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "true_delta", "runs"), [("printed-proof", 0.2270, 150), ("printed", 0.9515, 20)]
)
def test_violations_are_as_large_as_derived(name, true_delta, runs, estimated_delta):
    """Exact binomial sums, see section 4.1 of proofs_checks.paper_004.

    Fixed seed; six standard errors (false alarm below 1e-6 each).
    """
    estimate, error = estimated_delta(FORMS[name], runs)
    assert estimate == pytest.approx(true_delta, rel=0.02, abs=6 * error)
