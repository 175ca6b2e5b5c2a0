"""The figures in the witnesses of its errata, computed again."""

import numpy as np
import pytest
from scipy.special import log_softmax

from reference.errata.heavy_tailed.lasso import printed
from reference.heavy_tailed.lasso import heavy_tailed_lasso
from reference.privacy.ledger import Ledger, RecordingLedger


def problem(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_t(5, (n, d))
    return features, features @ np.array([0.8, -0.6, 0.0])[:d] + rng.standard_t(3, n)


def run(data, function=heavy_tailed_lasso, **options):
    options = {
        "truncation_level": 2.0,
        "epsilon": 1.0,
        "delta": 1e-2,
        "n_iterations": 5,
        "ledger": Ledger(0),
        **options,
    }
    return function(data, **options)


def releases(data=None, **options):
    ledger = RecordingLedger(0)
    run(problem() if data is None else data, ledger=ledger, **options)
    return ledger.transcript.releases


def sign_flip(truncation, others=0):
    """Record ((K, K), -K) or ((K, -K), -K), and others ((0, K), -K)."""
    k = truncation
    rest = np.tile([0.0, k], (others, 1))
    labels = np.full(1 + others, -k)
    return [(np.vstack([[[k, sign * k]], rest]), labels) for sign in (1.0, -1.0)]


def step_laws(pair, **options):
    """Log-probabilities of the vertices in the first step, under both data sets."""
    laws = []
    for data in pair:
        release = releases(data, n_iterations=1, **options)[0]
        laws.append(log_softmax(release.mechanism.rate * release.value))
    return laws


def exact_delta(first, second, epsilon):
    """Return the larger of both hockey-stick divergences of two finite laws."""
    return max(
        float(np.maximum(np.exp(p) - np.exp(epsilon + q), 0.0).sum())
        for p, q in ((first, second), (second, first))
    )


def test_printed_budget_fails_for_delta_near_one():
    """delta(0.99) of the exact law is above delta = 1 - 1e-5: erratum hu-2/E2."""
    pair = [(np.ones((1, 1)), np.array([y])) for y in (1.0, -1.0)]
    delta = 1 - 1e-5
    options = {"epsilon": 0.99, "truncation_level": 1.0}
    broken = step_laws(pair, delta=delta, function=printed, **options)
    assert exact_delta(*broken, 0.99) == pytest.approx(1 - 3.618e-6, abs=1e-9)
    assert exact_delta(*broken, 0.99) > delta
    assert exact_delta(*step_laws(pair, delta=delta, **options), 0.99) < delta


@pytest.mark.parametrize(
    ("radius", "others", "delta_at"),
    [(10.0, 60, 0.0), (37.0, 700, 0.0), (39.0, 565, 1.507e-5), (60.0, 180, 0.017065),
     (200.0, 80, 0.41156)],
)  # fmt: skip
def test_printed_sensitivity_breaks_the_claim_of_a_wide_ball(radius, others, delta_at):
    """Exact delta(0.99) of one step against delta = 1e-5 (erratum hu-2/E1)."""
    options = {"radius": radius, "initial": [radius, 0.0], "epsilon": 0.99, "delta": 1e-5}
    pair = sign_flip(2.0, others=others)
    broken = step_laws(pair, function=printed, **options)
    assert exact_delta(*broken, 0.99) == pytest.approx(delta_at, rel=2e-4, abs=1e-15)
    repaired = step_laws(pair, **options)
    assert exact_delta(*repaired, 0.99) == 0.0
