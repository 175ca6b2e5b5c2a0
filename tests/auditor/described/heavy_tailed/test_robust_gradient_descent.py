"""The audit cases of diss-3.2.8 and diss-RGD: are the pairs as bad, the errata as large."""

import math
from dataclasses import replace

import numpy as np
import pytest

from auditor.described import build_case
from auditor.described.build import averaged
from auditor.described.data import heavy_tails
from auditor.questions import scaling
from auditor.transcript.replay import record, release_distance, replay
from reference.errata.heavy_tailed.known_variance_gradient_descent import printed
from reference.losses import Logistic
from reference.privacy.guarantees import (
    gaussian_dp_delta,
    gaussian_dp_epsilon,
    gaussian_dp_mu,
    zcdp_rho,
)
from reference.privacy.ledger import Ledger

EXACT = math.erf(math.sqrt(math.log(100) / 2))
"""0.968: what the worst pair attains of the claimed sensitivity."""


def compared(identifier, name):
    """Return the pairs of releases of the two data sets."""
    form = build_case(identifier).forms[name]
    transcript, _ = record(form.run, form.pair[0], 0, target=form.replaced)
    sides = [replay(form.run, side, transcript).releases for side in form.pair]
    return list(zip(*sides, strict=True))


@pytest.mark.parametrize(
    ("identifier", "name", "expected"),
    [
        ("diss-3.2.8", "corrected", [EXACT] * 3),
        ("diss-3.2.8", "printed", [EXACT] * 3),
        ("diss-3.2.8", "printed-2", [EXACT] * 3),
        ("diss-RGD", "corrected", [EXACT, 0.0, 0.0]),
    ],
)
def test_the_pair_attains_the_exact_sensitivity(identifier, name, expected):
    """In every release that reads the record."""
    pairs = compared(identifier, name)
    ratios = [release_distance(mine, theirs) / mine.claim.sensitivity for mine, theirs in pairs]
    assert ratios == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize(
    ("name", "claimed_mu", "spent", "delta_at_one"),
    [
        ("corrected", gaussian_dp_mu(1.0, 1e-5), 0.9651, 5.752e-6),
        ("printed", math.sqrt(2), 6.325, 0.2682),
        ("printed-2", math.sqrt(2 * math.sqrt(zcdp_rho(1.0, 1e-5))), 2.083, 0.00870),
    ],
)
def test_violations_are_as_large_as_derived(name, claimed_mu, spent, delta_at_one):
    """The run is mu-Gaussian DP, and the claim is (1, 1e-5)."""
    distances = [
        release_distance(mine, theirs) / mine.mechanism.scale
        for mine, theirs in compared("diss-3.2.8", name)
    ]
    mu = math.hypot(*distances)
    assert mu == pytest.approx(claimed_mu * EXACT)
    assert gaussian_dp_epsilon(mu, 1e-5) == pytest.approx(spent, abs=5e-4)
    assert gaussian_dp_delta(mu, 1.0) == pytest.approx(delta_at_one, rel=5e-3)


def test_a_wrong_rate_would_be_noticed(context):
    """In epsilon, with rho proportional to epsilon as it is printed: exponent -1, not -2."""

    def error(epsilon, rng):
        run = averaged(heavy_tails.excess_risk, 4)
        return run(rng, Ledger(rng), printed, n=8_000, epsilon=epsilon, n_iterations=1)

    case = build_case("diss-3.2.8")
    (recipe,) = (recipe for recipe in case.scaling if recipe.name == "epsilon")
    broken = replace(case, scaling=(replace(recipe, error=error),))
    verdict = scaling.audit(broken, "corrected", context)
    assert verdict.status == "violated", verdict.summary


def test_population_of_the_convex_recipe():
    """The minimiser is one, away from 0, and the second moment of the gradient below v."""
    features, labels, minimiser = heavy_tails.logistic_population()
    loss = Logistic(feature_bound=math.inf)
    assert np.abs(loss.gradient((features, labels), minimiser)).max() < 1e-6
    assert 0.5 < np.linalg.norm(minimiser) < 1.0
    for w in (np.zeros(2), minimiser, 3 * minimiser):
        moments = (loss.gradients((features, labels), w) ** 2).mean(axis=0)
        assert moments.max() <= (features**2).mean(axis=0).max()


def test_households():
    features, labels = heavy_tails.households()
    assert features.shape == (235, 2)
    # Engel's own line: 147.5 francs and 0.485 per franc of income
    slope, intercept = np.polyfit(1000 * (features[:, 1] + 1), 1000 * labels, 1)
    assert slope == pytest.approx(0.4852, abs=1e-4)
    assert intercept == pytest.approx(147.48, abs=0.01)
    gradients = 2 * labels[:, None] * features
    assert (gradients**2).mean(axis=0).max() < 4.0  # v, at w = 0
