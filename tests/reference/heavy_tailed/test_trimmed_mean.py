"""Everything here is deterministic."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import norm

from reference.heavy_tailed.trimmed_mean import (
    Constants,
    private_trimmed_mean,
    smooth_sensitivity,
    trim_count,
)
from reference.privacy import GivenDrawsLedger, RecordingLedger

WIDE = {"lower": -100.0, "upper": 100.0}


def release(data, function=private_trimmed_mean, **parameters):
    ledger = RecordingLedger(0)
    function(data, ledger=ledger, **parameters)
    (only,) = ledger.transcript.releases
    return only


# ------------------------------------------------------------------ smooth sensitivity


def local_sensitivity_at(data, trim, distance, extremes):
    """Largest change of the trimmed mean by one replacement, at ``distance`` replacements."""

    def mean(x):
        return np.sort(x)[trim : len(x) - trim].mean()

    def replacements(x, indices):
        for values in product([*extremes, *data], repeat=len(indices)):
            changed = np.array(x)
            changed[list(indices)] = values
            yield changed

    n, largest = len(data), 0.0
    for indices in combinations(range(n), distance):
        for near in replacements(data, indices):
            for index in range(n):
                for neighbour in replacements(near, (index,)):
                    largest = max(largest, abs(mean(near) - mean(neighbour)))
    return largest


@pytest.mark.parametrize(
    ("data", "trim", "smoothness", "dominating"),
    [
        ([0.3, -1.0, 2.0, 0.5, 0.1], 1, 20.0, 0),
        ([0.3, -1.0, 2.0, 0.5, 0.1, 0.2], 1, 20.0, 0),
        ([0.3, -1.0, 2.0, 0.5], 1, 0.05, 1),  # the floor
        ([0.3, -1.0, 2.0, 0.5, 0.1], 2, 20.0, 0),
        # three records close together: only at distance 1 is much to be moved
        ([1.0, -0.7, 0.0, 1e-9, -1e-9], 2, 5.0, 1),
        ([0.6, -0.9, 0.0, 1e-9, -1e-9], 2, 5.0, 1),
        ([0.3, -1.0, 2.0, 0.5, 0.1], 2, 0.05, 2),
    ],
)
def test_smooth_sensitivity_against_all_replacements(data, trim, smoothness, dominating):
    width = 50.0
    terms = [local_sensitivity_at(np.array(data), trim, k, (-1e3, 1e3)) for k in range(trim)]
    terms = [min(width, gap) for gap in terms] + [width]
    terms = [math.exp(-k * smoothness) * gap for k, gap in enumerate(terms)]
    assert np.argmax(terms) == dominating
    found = smooth_sensitivity(data, trim=trim, smoothness=smoothness, lower=0.0, upper=width)
    assert found == pytest.approx(max(terms), rel=1e-12)


records = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.0, -1.0, 1e6])


@settings(max_examples=300)
@given(
    st.lists(records, min_size=3, max_size=12),
    records,
    st.integers(0, 11),
    st.integers(1, 5),
    st.sampled_from([1e-4, 0.0625, 1.0, 9.0]),
)
def test_one_record_moves_the_scale_by_t_and_the_mean_by_the_scale(data, new, index, trim, t):
    n = len(data)
    trim = min(trim, (n - 1) // 2)
    other = list(data)
    other[index % n] = new
    epsilon = 4 * math.sqrt(t)
    first, second = (
        release(side, lower=-2.0, upper=3.0, trim=trim, epsilon=epsilon) for side in (data, other)
    )
    distance = first.mechanism.smooth_distance(first.value, second.mechanism, second.value)
    # rounding of log S is about 1e-15, in units of t
    assert distance <= 1 + 1e-9 + 1e-15 / t


def test_the_floor_does_not_underflow():
    # e^{-mt} would be 0 in floating point, and the data contribute nothing
    found = smooth_sensitivity(np.zeros(3001), trim=1500, smoothness=1.0, lower=0.0, upper=1.0)
    assert found == pytest.approx(4 * 2**-52, rel=1e-12)  # the rounding of two means in [0, 1]


# ------------------------------------------------------------------ the mean


def test_given_draw_by_hand():
    # mean 2, S = max(e^{-1/16} 200, 99/3) = 187.88, scale 4 S, noise sinh(draw)
    draw = math.asinh(0.5)
    found = private_trimmed_mean(
        [0.0, 1.0, 2.0, 3.0, 100.0], trim=1, epsilon=1.0, ledger=GivenDrawsLedger([draw]), **WIDE
    )
    assert found == pytest.approx(2 + 4 * 200 * math.exp(-1 / 16) * 0.5)


def test_constants_that_say_too_little_are_charged_what_the_rule_says():
    for constants, rho in (
        (Constants(0.1, 0.3, rho=1e-9), 0.8),
        (Constants(0.1, 0.5, rho=1e-9), 2.0),
        (Constants(1e-3, 0.01, rho=0.5), 0.5),
    ):
        only = release(np.arange(9.0), trim=2, epsilon=1.0, constants=constants, **WIDE)
        assert only.cost().cost.rho == pytest.approx(rho, rel=1e-12)
    for constants in (Constants(9.1, 1.0, rho=1e3), Constants(1.0, 3.1, rho=1e3)):
        with pytest.raises(ValueError, match="beyond which no rho is proved"):
            private_trimmed_mean(np.arange(9.0), trim=2, epsilon=1.0, constants=constants, **WIDE)


def test_trim_count():
    # (16/0.25) log(1000 * 2/0.5) = 530.8
    assert trim_count(2000, 0.5, lower=-1.0, upper=1.0, standard_deviation=1.0) == math.ceil(
        64 * math.log(4000)
    )
    assert trim_count(3, 12.0, lower=0.0, upper=1.0, standard_deviation=100.0) == 1
    with pytest.raises(ValueError, match=r"n must be > 2m = 308 to trim m = 154"):
        trim_count(300, 1.0, lower=0.0, upper=50.0, standard_deviation=1.0)


def test_smooth_sensitivity_refuses_bad_input():
    with pytest.raises(ValueError, match="smoothness must be a finite number > 0"):
        smooth_sensitivity([1.0, 2.0, 3.0], trim=1, smoothness=0.0, lower=0.0, upper=1.0)
    with pytest.raises(ValueError, match="at least 3 records"):
        smooth_sensitivity([1.0], trim=1, smoothness=1.0, lower=0.0, upper=1.0)


def share_of_rho(epsilon):
    """Largest Renyi divergence found of the noise, over what rho = epsilon^2/2 allows."""
    t, s = epsilon**2 / 16, epsilon / 4
    z = np.linspace(-12, 12, 40_001)
    x, log_mass = np.sinh(z), norm.logpdf(z) + math.log(z[1] - z[0])

    def log_density(y):
        return norm.logpdf(np.arcsinh(y)) - np.log(np.hypot(1, y))

    worst = 0.0
    for log_ratio, shift in product((-t, 0.0, t), (-s, 0.0, s)):
        other = log_density((x - shift) * math.exp(-log_ratio)) - log_ratio
        loss = log_density(x) - other
        for order in (1.0001, 1.5, 2, 4, 16, 64, 256):
            divergence = logsumexp(log_mass + (order - 1) * loss) / (order - 1)
            worst = max(worst, divergence / (order * epsilon**2 / 2))
    return worst


def test_how_loose_the_paper_s_constants_are():
    """The figures of the docstring of ``constants_for``: 19 times up to 1, enough up to 12."""
    assert 1 / share_of_rho(1.0) == pytest.approx(18.8, abs=0.1)
    assert share_of_rho(0.1) < share_of_rho(0.5) < share_of_rho(1.0)
    assert 0.7 < share_of_rho(12.0) <= 1
    assert share_of_rho(16.0) > 1


class Moved(float):
    """A number that is another one when it is converted."""

    def __float__(self):
        return 100.0 if self > 0 else -100.0


def test_the_range_is_what_its_ends_were_converted_to():
    data = [-500.0, -400.0, *np.linspace(-300, 300, 11), 400.0, 500.0]
    fixed = {"epsilon": 1.0, "trim": 1}
    moved = release(data, lower=Moved(-200), upper=Moved(50), **fixed)
    honest = release(data, **WIDE, **fixed)
    assert (moved.value, moved.mechanism, moved.output) == (
        honest.value,
        honest.mechanism,
        honest.output,
    )
