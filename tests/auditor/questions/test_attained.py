"""The lower bounds against closed forms and numerical integrals written out here."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, chi2, norm

from auditor.questions.attained import lower_delta, lower_pure
from reference.privacy import accounting
from reference.privacy.guarantees import GaussianDP, PureDP
from reference.privacy.ledger import RecordingLedger
from reference.privacy.mechanisms import laplace_argmax_log_probability


def transcript(*releases, target=0):
    ledger = RecordingLedger(0, target=target)
    for release in releases:
        release(ledger)
    return ledger.transcript


def gaussian(mu, **more):
    return lambda ledger: ledger.gaussian(0.0, sensitivity=mu, scale=1.0, **more)


def laplace(epsilon, **more):
    return lambda ledger: ledger.laplace(0.0, sensitivity=epsilon, scale=1.0, **more)


def exponential(epsilon, candidates=3):
    scores = np.zeros(candidates)
    return lambda ledger: ledger.exponential(scores, sensitivity=1.0, epsilon=epsilon)


def interval_exponential(epsilon, pieces=3):
    breaks = np.linspace(0, 1, pieces + 1)[1:-1]
    return lambda ledger: ledger.interval_exponential(
        np.zeros(pieces), breaks, lower=0.0, upper=1.0, sensitivity=1.0, epsilon=epsilon
    )


def noisy_max(epsilon, **more):
    scores = np.zeros(3)
    return lambda ledger: ledger.noisy_max(scores, sensitivity=epsilon / 2, scale=1.0, **more)


def wishart(dimension, sensitivity, **more):
    return lambda ledger: ledger.wishart(np.eye(dimension), sensitivity=sensitivity, **more)


def sampled(mu, population, size, background=0.0):
    def release(ledger):
        sample = ledger.subsample(population, size)
        charged = {"sensitivity": mu + background, "background_sensitivity": background}
        ledger.gaussian(0.0, scale=1.0, sample=sample, **charged)

    return release


def hockey_stick(p, q, epsilon, low=-15.0, high=40.0):
    """max over directions of the integral of (p - e^epsilon q)_+ for densities on the line."""

    def one_way(a, b):
        return quad(lambda x: max(0.0, a(x) - math.exp(epsilon) * b(x)), low, high, limit=800)[0]

    return max(one_way(p, q), one_way(q, p))


def two_points(p, q, epsilon):
    rows = [(p, q), (1 - p, 1 - q)]
    forward = sum(max(0.0, a - math.exp(epsilon) * b) for a, b in rows)
    return max(forward, sum(max(0.0, b - math.exp(epsilon) * a) for a, b in rows))


def sampled_gaussian(mu, q, epsilon):
    return hockey_stick(
        lambda x: (1 - q) * norm.pdf(x) + q * norm.pdf(x, mu), norm.pdf, epsilon, high=mu + 15
    )


def binomial_composition(epsilon_0, times, epsilon):
    """T answers of odds e^(epsilon_0/2) against e^(-epsilon_0/2)."""
    count = np.arange(times + 1)
    loss = (2 * count - times) * epsilon_0 / 2
    mass = binom.pmf(count, times, 1 / (1 + math.exp(-epsilon_0 / 2)))
    return float(mass @ -np.expm1(np.minimum(0.0, epsilon - loss)))


def made(kind, *arguments, **more):
    """Return a release of a kind."""
    return lambda ledger: getattr(ledger, kind)(*arguments, **more)


SMOOTH = {"smoothness": 0.1, "divisor": 1.0, "rho": 1.0}
# releases, epsilon, and the exact delta; what takes an integral is computed when it is asked for
CASES = {
    "gaussians": ([gaussian(0.6), gaussian(0.8)], 1.0, GaussianDP(1.0).delta_at(1.0)),
    "laplace": ([laplace(1.0)], 0.5, -math.expm1(-0.25)),
    "exponential": ([exponential(2.0)] * 4, 1.0, binomial_composition(2.0, 4, 1.0)),
    "exponential x40": ([exponential(0.1)] * 40, 0.3, binomial_composition(0.1, 40, 0.3)),
    "randomized response": (
        [made("randomized_response", [1], epsilon=1.0)],
        0.5,
        PureDP(1.0).delta_at(0.5),
    ),
    "five categories": (
        [made("randomized_response", [1], epsilon=1.0, categories=5)],
        0.5,
        # keep with e/(e+4), another category with 1/(e+4)
        (math.e - math.exp(0.5)) / (math.e + 4),
    ),
    "two answers": (
        [made("unary", [1], categories=4, epsilon=2.0)],
        0.5,
        binomial_composition(2.0, 2, 0.5),
    ),
    "bit": ([made("bit", [0.5], epsilon=1.0)], 0.5, PureDP(1.0).delta_at(0.5)),
    "ball": (
        [made("l2_ball", np.zeros((1, 3)), radius=1.0, epsilon=1.0)],
        0.5,
        PureDP(1.0).delta_at(0.5),
    ),
    "wishart": ([wishart(2, 1.0, degrees=3.0, scale=1.5)], 0.1, -math.expm1(-1 / 3)),
    "wishart, more degrees": (
        [wishart(2, 1.0, degrees=5.0, scale=0.5)],
        0.5,
        lambda: hockey_stick(
            lambda x: chi2.pdf(x, 4), lambda x: chi2.pdf(x - 2, 4), 0.5, low=0.0, high=60.0
        ),
    ),
    "wishart in space": ([wishart(3, 1.0, degrees=4.0, scale=1.5)], 0.1, -math.expm1(-1 / 3)),
    "smooth": (
        [made("smooth", 0.0, smooth_bound=1.0, noise="gaussian", **SMOOTH)],
        0.5,
        GaussianDP(1.0).delta_at(0.5),
    ),
    "smooth arsinh": (
        [made("smooth", 0.0, smooth_bound=3.0, **SMOOTH)],
        0.2,
        two_points(norm.cdf(math.asinh(0.5)), norm.cdf(-math.asinh(0.5)), 0.2),
    ),
    "sampled gaussian": ([sampled(3.0, 10, 1)], 1.0, lambda: sampled_gaussian(3.0, 0.1, 1.0)),
    "sampled gaussian of much noise": (
        [sampled(0.9, 10, 9)],
        0.1,
        lambda: sampled_gaussian(0.9, 0.9, 0.1),
    ),
    "sampled gaussian with a background": (
        [sampled(3.0, 10, 1, background=0.5)],
        1.0,
        lambda: sampled_gaussian(3.0, 0.1, 1.0),
    ),
    "background alone": (
        [sampled(0.001, 1000, 1, background=2.0)],
        1.0,
        GaussianDP(2.0).delta_at(1.0),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_attains_the_closed_form_from_below(name):
    releases, epsilon, exact = CASES[name]
    exact = exact() if callable(exact) else exact
    found = lower_delta(transcript(*releases), epsilon)
    assert found <= exact * (1 + 1e-9)
    # the loss is rounded down by up to 0.01 in all
    assert found >= 0.98 * exact


@pytest.mark.parametrize("name", CASES)
def test_never_exceeds_what_the_accountant_certifies(name):
    recorded = transcript(*CASES[name][0])
    upper = accounting.spent(recorded.charges, epsilon=2.0).delta
    assert lower_delta(recorded, 2.0) <= upper * (1 + 1e-9) + 1e-12


def test_kinds_compose():
    # two independent answers: randomized response at 1 and an unfair Laplace comparison
    mixed = transcript(laplace(1.0), made("bit", [0.5], epsilon=1.0))
    keep = 1 / (1 + math.exp(-1))

    # Laplace at 0 against 1, and the bit: loss |x-1| - |x| plus or minus 1
    def excess(x, p, q):
        first, second = 0.5 * math.exp(-abs(x)), 0.5 * math.exp(-abs(x - 1))
        return max(0.0, p * first - math.exp(0.8) * q * second)

    exact = sum(
        quad(excess, -40, 40, args=bit, limit=400, points=[0, 1])[0]
        for bit in ((keep, 1 - keep), (1 - keep, keep))
    )
    found = lower_delta(mixed, 0.8)
    assert 0.98 * exact <= found <= exact * (1 + 1e-6)


def log_odds(x):
    return 1 / (1 + math.exp(-x))


def laplace_order(x):
    """P(Laplace - Laplace < x) for unit noise, by the mechanism's own quadrature."""
    return math.exp(laplace_argmax_log_probability(np.array([x, 0.0]), 0))


@pytest.mark.parametrize(
    ("release", "probability", "budget"),
    [
        (exponential(2.0), log_odds, 2.0),
        (interval_exponential(2.0), log_odds, 2.0),
        (noisy_max(4.0), laplace_order, 4.0),
    ],
)
def test_a_selection_is_also_tried_off_balance(release, probability, budget):
    single = transcript(release)
    margins = np.linspace(-6, 6, 121)
    for epsilon in (0.1, 0.5 * budget, 0.75 * budget):
        best = max(two_points(probability(m), probability(m - budget), epsilon) for m in margins)
        assert 0 < 0.9 * best <= lower_delta(single, epsilon) <= best * (1 + 1e-3)
    assert lower_pure(single) == pytest.approx(budget)


def test_one_candidate_is_no_choice():
    assert lower_delta(transcript(exponential(5.0, candidates=1)), 0.0) == 0.0
    assert lower_pure(transcript(exponential(5.0, candidates=1))) == 0.0
    assert lower_pure(transcript(interval_exponential(5.0, pieces=1))) == 0.0
    last = transcript(noisy_max(5.0, excluded=(0, 1)))
    assert lower_pure(last) == 0.0


def test_the_worst_record_counts_and_enough_is_enough():
    split = transcript(
        laplace(1.0, records=slice(0, 5)),
        laplace(1.0, records=slice(5, 10)),
        laplace(0.5, records=np.array([9])),
    )
    assert lower_pure(split) == 1.5
    assert lower_delta(split, 1.0) == pytest.approx(
        lower_delta(transcript(laplace(1.0), laplace(0.5)), 1.0), rel=1e-9
    )
    assert lower_delta(split, 0.0, enough=0.0) <= lower_delta(split, 0.0)


def test_releases_from_one_subsample_are_in_or_out_together():
    def together(ledger):
        sample = ledger.subsample(10, 1)
        for _ in range(2):
            ledger.gaussian(0.0, sensitivity=3.0, scale=1.0, sample=sample)

    exact = sampled_gaussian(3.0 * math.sqrt(2), 0.1, 1.0)
    found = lower_delta(transcript(together), 1.0)
    assert 0.98 * exact <= found <= exact * (1 + 1e-6)


@pytest.mark.parametrize(
    ("release", "pure"),
    [
        (laplace(0.7), 0.7),
        (noisy_max(0.7), 0.7),
        (made("randomized_response", [1], epsilon=0.3, answers=3), 0.9),
        (made("l2_ball", np.zeros((1, 2)), radius=2.0, epsilon=0.7), 0.7),
        (made("bit", [0.5], epsilon=0.7), 0.7),
        (gaussian(0.1), math.inf),
        (wishart(2, 0.1, degrees=3.0, scale=1.0), math.inf),
        (
            lambda ledger: laplace(2.0, sample=ledger.subsample(4, 1))(ledger),
            math.log1p(math.expm1(2.0) / 4),
        ),
    ],
)
def test_pure_epsilon_of_every_kind(release, pure):
    assert lower_pure(transcript(release)) == pytest.approx(pure, rel=1e-12)


def test_releases_without_noise_tell_all():
    bare = transcript(gaussian(1e9), laplace(1e9), exponential(1e9, candidates=2))
    assert lower_delta(bare, 2.0, enough=0.999) > 1 - 1e-9
