"""Assumptions of the audits of hu-3 and hu-5."""

import math

import mpmath
import numpy as np
import pytest

from auditor.core.neighbours import differing_records
from auditor.described import build_case
from auditor.questions.mutants import generic
from auditor.transcript.replay import record, replay
from reference.privacy import Ledger, NoiselessLedger
from tests.auditor.described.ratios import ratios

CASES = {"hu-3": lambda: build_case("hu-3"), "hu-5": lambda: build_case("hu-5")}
FORMS = [(identifier, name) for identifier in CASES for name in CASES[identifier]().forms]


ATTAINED = {
    ("hu-3", "corrected"): 1.0,
    ("hu-3", "corrected-wide"): 1.0,
    # sqrt(s) + 1 over sqrt(s + 1)
    ("hu-3", "printed"): math.sqrt(2),
    # the supremum of the smoothed truncation, and a third of it
    ("hu-5", "corrected"): math.erf(math.sqrt(1 / 2)),
    ("hu-5", "corrected-regression"): math.erf(math.sqrt(10)),
    ("hu-5", "printed"): math.erf(math.sqrt(1 / 2)) / 3,
}


@pytest.mark.parametrize(("identifier", "name"), FORMS)
def test_the_pair_attains_the_sensitivity_in_the_first_block_only(
    identifier: str, name: str
) -> None:
    form = build_case(identifier).forms[name]
    assert differing_records(*form.pair) == [form.replaced]
    found = ratios(form)
    half = len(found) // 2
    assert max(found[:half]) == pytest.approx(ATTAINED[identifier, name], rel=1e-9)
    # the second block does not hold the record
    assert found[half:] == [0.0] * half
    blocks = [release.claim.records for release in record(form.run, form.pair[0], 0)[0].releases]
    assert blocks == [slice(0, 5)] * half + [slice(5, 10)] * half


def test_the_wide_pair_moves_every_coordinate_outside_the_support() -> None:
    form = CASES["hu-3"]().forms["corrected-wide"]
    transcript, _ = record(form.run, form.pair[0], 0)
    first, second = transcript.releases[0], replay(form.run, form.pair[1], transcript).releases[0]
    change = (first.value - second.value) / first.claim.sensitivity
    np.testing.assert_allclose(change, [0] * 4 + [1] * 4 + [-1] * 4, atol=1e-12)


@pytest.mark.parametrize(("identifier", "name"), [form for form in FORMS if form[0] == "hu-3"])
def test_exact_query_agrees_with_the_release(identifier: str, name: str) -> None:
    form = build_case(identifier).forms[name]
    assert form.exact_query is not None
    for data in form.pair:
        transcript, _ = record(form.run, data, 3)
        for index, release in enumerate(transcript.releases):
            with mpmath.workdps(50):
                exact = np.vectorize(float)(form.exact_query(data, transcript, index))
            np.testing.assert_allclose(release.value, exact, rtol=1e-8, atol=1e-12)


def test_own_mutants_break_the_claimed_sensitivity() -> None:
    found = {
        (identifier, name): max(ratios(form))
        for identifier in CASES
        for name, form in CASES[identifier]().mutants.items()
    }
    reach = math.erf(math.sqrt(1 / 2))
    assert found.pop(("hu-3", "sensitivity of the whole data")) == pytest.approx(2.0)
    assert found.pop(("hu-5", "sensitivity of the whole data")) == pytest.approx(2 * reach)
    # |w_2| is about 8 in the second step: (8 + 1)/2, give or take a noise of scale .6 (40 runs)
    assert found.pop(("hu-3", "projection dropped")) == pytest.approx(4.5, abs=2.5)
    # records of 1e6: their product is 1e12, their gradient 2e6
    assert found.pop(("hu-3", "clipping dropped")) == pytest.approx(1e12, rel=1e-6)
    assert found.pop(("hu-5", "truncation dropped")) == pytest.approx(3 / math.sqrt(2) * 1e6)
    assert not found


def test_understated_sensitivity_is_beyond_the_bound() -> None:
    for identifier in CASES:
        form = generic(CASES[identifier]().forms["corrected"])["sensitivity understated"]
        assert max(ratios(form)) > 1.3


@pytest.mark.parametrize(
    ("identifier", "name"), [form for form in FORMS if build_case(form[0]).forms[form[1]].black_box]
)
def test_the_black_box_statistic_is_larger_under_the_first_data_set(
    identifier: str, name: str
) -> None:
    """The same noise never favours the second data set, and sometimes the first."""
    box = build_case(identifier).forms[name].black_box
    assert box is not None
    mine, theirs = (
        np.array([box.statistic(box.run(data, Ledger(seed))) for seed in range(200)])
        for data in box.pair
    )
    assert (mine >= theirs).all()
    assert (mine > theirs).any()


@pytest.mark.parametrize("identifier", CASES)
def test_errors_have_the_right_size(identifier: str) -> None:
    for recipe in CASES[identifier]().scaling:
        error = recipe.error(recipe.values[0], np.random.default_rng(3))
        assert 1e-4 < error < 2.0, recipe.name


def test_the_privacy_term_of_the_sparse_mean_has_the_predicted_size() -> None:
    """The term is 9/8 of 2 s b^2, the last step's noise, b = 2 lambda sqrt(3 s L)/epsilon.

    The steps before leave a factor (1 - 2 eta)^2 = 1/9 each. Eight errors of 24 runs.
    """
    recipe = next(r for r in CASES["hu-5"]().scaling if r.name == "s")
    n, s, d, epsilon, n_iterations, log_term = 2_000, 2, 20, 4.0, 4, math.log(1e5)
    k = math.sqrt(n * epsilon * 8 / (n_iterations * math.sqrt(s * log_term) * math.log(d))) / 2
    sensitivity = 1 / 3 * 4 * math.sqrt(2) / 3 * k / (n / n_iterations)
    b = 2 * sensitivity * math.sqrt(3 * s * log_term) / epsilon
    found = np.mean([recipe.error(s, np.random.default_rng(seed)) for seed in range(8)])
    # 8 x 24 x 2 squares of Laplace values: a relative standard error of sqrt(5/384) = 11%
    assert found == pytest.approx(9 / 8 * 2 * s * b**2, rel=0.5)


class TestVisits:
    def test_private_fit_approaches_the_baseline(self) -> None:
        (real,) = CASES["hu-3"]().real_data
        data = real.load()
        baseline = real.baseline(data)
        assert np.count_nonzero(baseline) == 2
        medians = [
            np.median([real.error(real.run(data, epsilon, Ledger(s)), baseline) for s in range(21)])
            for epsilon in (0.5, 8.0)
        ]
        # returning 0 has error 1; what is left is the shrinkage (.30 without noise)
        assert medians[0] > 0.7
        assert medians[1] < 0.4
        assert real.error(real.run(data, 8.0, NoiselessLedger()), baseline) < 0.35

    def test_baseline_is_the_least_squares_fit_on_its_support(self) -> None:
        (real,) = CASES["hu-3"]().real_data
        features, labels = real.load()
        baseline = real.baseline((features, labels))
        support = np.flatnonzero(baseline)
        fitted = np.linalg.lstsq(features[:, support], labels, rcond=None)[0]
        np.testing.assert_allclose(baseline[support], fitted, rtol=1e-6)

    def test_neighbour_differs_in_one_row_of_the_first_block(self) -> None:
        (real,) = CASES["hu-3"]().real_data
        data = real.load()
        other, replaced = real.neighbour(data, np.random.default_rng(0))
        assert differing_records(data, other) == [replaced]
        assert replaced < len(data[1]) // 4
