"""One bit per user: its exact loss by enumeration, its mean by quadrature.

False alarms: every statistical test fails by chance with probability below 1e-6.
"""

import itertools
import math

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import integrate, stats

from reference.errata.local import one_bit_bernstein_mechanism as errata
from reference.local.one_bit_bernstein_mechanism import (
    Constants,
    bit_loss,
    bit_probability,
    constants_for,
    one_bit_bernstein,
)
from reference.local.risks import MeanSquaredDistance
from reference.privacy import GivenDrawsLedger, Ledger, RecordingLedger

SQUARE = MeanSquaredDistance(1)
VALUES = np.linspace(0, 1, 101)
NOISE = np.concatenate([np.linspace(-3, 4, 281), [-1e300, -1e17, 1e17, 1e300]])


def largest_loss(bit_epsilon):
    """Enumerate both bits at all public y and pairs of values of the grids.

    Exact: at y >= 1 or y <= 0 the extremes are at the values 0 and 1, elsewhere the exponents lie
    between theirs.
    """
    one = bit_probability(*np.meshgrid(VALUES, NOISE), bit_epsilon)
    with np.errstate(divide="ignore"):
        logs = np.stack([np.log(one), np.log1p(-one)])
    return float((logs.max(axis=2) - logs.min(axis=2)).max())


def corrected(epsilon):
    return constants_for(
        n=1, dimension=1, epsilon=epsilon, order=1, failure_probability=0.05
    ).bit_epsilon


@pytest.mark.parametrize("epsilon", [0.1, 0.25, 0.5, 0.6])
def test_the_printed_bit_loses_more_than_it_claims(epsilon):
    assert largest_loss(epsilon) == pytest.approx(-math.log(2 - math.exp(epsilon)), rel=1e-12)
    assert largest_loss(epsilon) > 1.1 * epsilon


def test_the_printed_loss_is_infinite_at_ln_2():
    # e^(ln 2) is 2 as doubles are rounded: the bit 0 has probability 0
    assert bit_probability(np.ones(1), np.array([1.0]), math.log(2)) == pytest.approx([1.0])
    assert largest_loss(math.log(2)) > 30


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 0.5, math.log(2), 1.0, 5.0])
def test_the_corrected_bit_loses_epsilon_exactly(epsilon):
    assert 0 < corrected(epsilon) < math.log(2)
    # but for what the coins of doubles may add
    assert largest_loss(corrected(epsilon)) == pytest.approx(epsilon, rel=1e-9, abs=1e-14)


def test_the_card_s_figures():
    assert corrected(0.5) == pytest.approx(0.33180, abs=5e-6)
    assert corrected(math.log(2)) == pytest.approx(0.4055, abs=5e-5)


@pytest.mark.parametrize("bit_epsilon", [0.1, 0.4, 0.69])
@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_twice_the_public_number_times_the_bit_is_unbiased(bit_epsilon, value):
    def moment(f):
        def integrand(y):
            chance = bit_probability(np.array([value]), np.array([y]), bit_epsilon)[0]
            return f(y) * chance * stats.laplace.pdf(y, scale=1 / bit_epsilon)

        cuts = [-80 / bit_epsilon, 0.0, value, 1.0, 80 / bit_epsilon]
        return sum(integrate.quad(integrand, a, b)[0] for a, b in itertools.pairwise(cuts))

    assert moment(lambda y: 1.0) == pytest.approx(0.5, abs=1e-7)
    assert moment(lambda y: 2 * y) == pytest.approx(value, abs=1e-6)
    assert moment(lambda y: 4 * y * y) - value**2 == pytest.approx(
        value**2 + 4 / bit_epsilon**2, rel=1e-6
    )


def test_the_probability_is_the_ratio_of_densities():
    values, noise = (a.ravel() for a in np.meshgrid(VALUES, np.linspace(-3, 4, 71)))
    expected = (
        stats.laplace.pdf(noise, loc=values, scale=2.5) / stats.laplace.pdf(noise, scale=2.5) / 2
    )
    assert bit_probability(values, noise, 0.4) == pytest.approx(expected, rel=1e-12)


def test_by_hand():
    # users 0 and 2 at w = 1, user 1 at w = 0; bits are 1 where the draw is below the probability
    public = {"public_noise": [3.0, -2.0, 5.0], "partition": [1, 0, 1]}
    options = {"epsilon": 0.5, "order": 1, "constants": Constants(1, 0.3), **public}
    ledger = GivenDrawsLedger([[0.1, 0.45, 0.9]])
    found = one_bit_bernstein([[0.5], [0.5], [1.0]], SQUARE, **options, ledger=ledger)
    # b = 1 (.5 e^.075), 1 (.5 e^-.075 = .464), 0: means -4 at w = 0 and 6/2 = 3 at w = 1
    assert found.point.tolist() == [0.0]
    assert found.value == pytest.approx(-4.0)


def test_the_printed_server_is_off_by_half_the_users():
    n = 200_000
    arguments = {
        "data": np.full((n, 1), 0.5), "loss": SQUARE, "epsilon": 0.5, "order": 1,
        "constants": Constants(1, 0.33),
    }  # fmt: skip
    # values 1/4 at both points: n/8; of n y b the standard deviation is 2n, of means 2n/sqrt(n/2)
    found = errata.printed(**arguments, ledger=Ledger(0)).value
    assert abs(found - n / 8) < 6 * 2 * n / math.sqrt(n / 2) < n / 8 - 1e4
    assert abs(one_bit_bernstein(**arguments, ledger=Ledger(0)).value - 0.25) < 1


def test_public_noise_has_the_scale_of_the_bit():
    ledger, n = RecordingLedger(0), 20_000
    constants = Constants(1, 0.3)
    data = np.zeros((n, 1))
    one_bit_bernstein(data, SQUARE, epsilon=0.7, order=1, constants=constants, ledger=ledger)
    noise = ledger.transcript.entries[1].value
    # of |X| mean and deviation are the scale: 5.5 standard errors
    assert np.abs(noise).mean() == pytest.approx(1 / 0.3, rel=5.5 / math.sqrt(n))


def realised_loss(bit_epsilon):
    """Return the largest loss of what the coins do: a draw is one of 2^53 multiples of 2^-53."""
    values, noise = np.meshgrid(np.linspace(0, 1, 21), np.linspace(-1, 2, 61))
    ones = np.ceil(bit_probability(values, noise, bit_epsilon) * 2.0**53).ravel().tolist()
    chances = np.array([[int(one), 2**53 - int(one)] for one in ones], dtype=object)
    by_noise = chances.reshape(61, 21, 2)
    with np.errstate(divide="ignore"):
        return max(
            float(mp.log(mpf(max(row[:, bit])) / mpf(min(row[:, bit]))))
            if min(row[:, bit])
            else math.inf
            for row in by_noise
            for bit in (0, 1)
        )


@pytest.mark.parametrize("epsilon", [1e-12, 1e-9, 1e-4, 0.1, 1.0, 5.0, 20.0, 26.0, 26.2])
def test_the_coins_of_doubles_spend_no_more_than_the_claim(epsilon):
    assert realised_loss(corrected(epsilon)) <= bit_loss(corrected(epsilon)) <= epsilon


def test_a_budget_that_no_coin_of_doubles_can_spend_is_refused():
    for epsilon in (26.3, 36.5, 1e6):
        with pytest.raises(ValueError, match=r"epsilon must be <= 26\.24, beyond which a bit of 0"):
            corrected(epsilon)


def test_the_account_follows_from_any_constants():
    rng = np.random.default_rng(0)
    near = math.log(2) - 10 ** rng.uniform(-11, -1, 40)
    for bit_epsilon in (*rng.uniform(0.01, 0.69, 40), *near):
        ledger, constants = Ledger(0), Constants(1, float(bit_epsilon))
        one_bit_bernstein(
            [[0.5], [0.1]], SQUARE, epsilon=0.1, order=1, constants=constants, ledger=ledger,
        )  # fmt: skip
        spent = ledger.spent(delta=0.0).epsilon
        assert realised_loss(bit_epsilon) <= spent <= 1.01 * realised_loss(bit_epsilon)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_illegal_constants_are_refused_whatever_the_data(value):
    ledger = Ledger(0)
    for bit_epsilon in (math.log(2), 1.0, 800.0):
        with pytest.raises(ValueError, match=r"bit_epsilon must be <= 0\.69314"):
            one_bit_bernstein(
                [[value]] * 2, SQUARE, epsilon=0.1, order=1, constants=Constants(1, bit_epsilon),
                public_noise=[2.0, 2.0], partition=[0, 1], ledger=ledger,
            )  # fmt: skip
    assert ledger.spent(delta=0.0).epsilon == 0
