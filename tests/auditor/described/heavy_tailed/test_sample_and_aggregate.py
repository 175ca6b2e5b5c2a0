import numpy as np
import pytest

from auditor.described import build_case
from auditor.questions.sensitivity import largest_ratio
from reference.heavy_tailed.sample_and_aggregate import random_subsets
from reference.privacy.ledger import Ledger

FORM = build_case("diss-3.2.5").forms["corrected-subsets"]


@pytest.mark.parametrize("seed", range(12))
def test_a_record_in_any_subset_moves_the_bound_by_half_of_the_claim(seed):
    subsets = Ledger(seed).public(lambda rng: random_subsets(16, 8, rng))
    ratio = largest_ratio(FORM.run, *FORM.pair, seed=seed, target=FORM.replaced).ratio
    assert ratio == pytest.approx(0.5 if FORM.replaced in subsets else 0.0)


def test_most_draws_have_the_record():
    rng = np.random.default_rng(0)
    share = np.mean([FORM.replaced in random_subsets(16, 8, rng) for _ in range(400)])
    # .723 of 4000 draws; five standard deviations of 400 are .11
    assert 0.6 < share < 0.84
