"""Ways of certifying a composition: its delta at every epsilon, and the inverse."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reference._validation import SMALLEST_DELTA
from reference.privacy.charges import Charge, amplified, by_sample, parts_of, rho_of
from reference.privacy.composed_losses import ComposedLoss
from reference.privacy.guarantees import (
    ApproximateDP,
    Guarantee,
    laplace_delta,
    laplace_epsilon,
    smallest_epsilon,
)
from reference.privacy.mechanisms import SMALLEST_WISHART_DELTA, wishart_delta
from reference.privacy.subsampling import sampled_gaussian_delta, sampled_gaussian_epsilon


@dataclass(frozen=True)
class AccountingRule:
    """A way of certifying a composition: its delta at every epsilon, and the inverse."""

    delta_at: Callable[[float], float]
    epsilon_at: Callable[[float], float]


def rule_of(guarantee: Guarantee) -> AccountingRule:
    """Return the rule of a guarantee."""
    return AccountingRule(guarantee.delta_at, guarantee.epsilon_at)


def approximate_rule(epsilon: float, delta: float) -> AccountingRule:
    """Return the rule of (epsilon, delta)-DP, for epsilon = 0 too."""
    if epsilon > 0:
        return rule_of(ApproximateDP(epsilon, max(delta, SMALLEST_DELTA)))
    # indistinguishable but for the failure
    return AccountingRule(lambda _: delta, lambda target: 0.0 if target >= delta else math.inf)


def laplace_rule(size: float) -> AccountingRule:
    """Return the exact rule of one Laplace release of sensitivity/scale ``size``."""
    return AccountingRule(
        lambda epsilon: laplace_delta(size, epsilon), lambda delta: laplace_epsilon(size, delta)
    )


def wishart_rule(degrees: float, size: float, dimension: int) -> AccountingRule:
    """Return the exact rule of one release of Wishart noise."""

    def delta_at(epsilon: float) -> float:
        return wishart_delta(degrees, size, dimension=dimension, epsilon=epsilon)

    def epsilon_at(delta: float) -> float:
        return math.inf if delta < SMALLEST_WISHART_DELTA else smallest_epsilon(delta_at, delta)

    return AccountingRule(delta_at, epsilon_at)


def renyi_rule(accountants: Sequence[Any]) -> AccountingRule:
    """Return the smallest that several accountants of Renyi DP certify."""

    def epsilon_at(delta: float) -> float:
        return min(float(a.get_epsilon(delta)) for a in accountants) if delta > 0 else math.inf

    def delta_at(epsilon: float) -> float:
        # the accountants' own get_delta fails where a divergence is below 2^-53
        low, high = math.log(sys.float_info.min), 0.0
        while high - low > 1e-12:
            middle = (low + high) / 2
            low, high = (low, middle) if epsilon_at(math.exp(middle)) <= epsilon else (middle, high)
        return math.exp(high)

    return AccountingRule(delta_at, epsilon_at)


def sampled_rule(mu: float, probability: float) -> AccountingRule:
    """Return the exact rule of one Gaussian release of a subsample."""
    return AccountingRule(
        lambda epsilon: sampled_gaussian_delta(mu, probability, epsilon),
        lambda delta: sampled_gaussian_epsilon(mu, probability, delta),
    )


def distribution_rule(distribution: ComposedLoss, failure: float) -> AccountingRule:
    """Return the rule of losses that are composed, but for a failure of this probability."""

    def delta_at(epsilon: float) -> float:
        if failure == 0:
            return distribution.delta_at(epsilon)
        return min(1.0, (failure + (1 - failure) * distribution.delta_at(epsilon)) * (1 + 2**-50))

    def epsilon_at(delta: float) -> float:
        if failure == 0:
            return distribution.epsilon_at(delta)
        rest = (delta - failure) / (1 - failure) * (1 - 2**-50)
        return distribution.epsilon_at(rest) if rest > 0 else math.inf

    return AccountingRule(delta_at, epsilon_at)


# the sampling bound is stated for integer orders; its cost grows with the square of the order
_ORDERS = (*range(2, 17), 18, 20, 22, 24, 28, 32, 40, 48, 64, 96, 128, 512)
NOISE_SHARES = (0.5, 0.8, 0.95)
"""Shares of the variance given to the sampled part; any is valid, the best is taken."""
_LARGEST_MULTIPLIER = 1e5
"""Largest noise multiplier of a sampled Gaussian; more noise is charged as this.

dp-accounting's ln(e^x - 1), x = 1/multiplier^2, loses 2^-53/x of itself, and from 1e8 on is the
logarithm of 0.
"""
_RENYI_ROUNDING = 2.0**-49
"""A rho beyond that loss, in units of q^2: its share of the divergence of order a is
2 a q^2 2^-53."""


@lru_cache(maxsize=64)
def renyi_accountant(charges: tuple[Charge, ...], share: float) -> Any:
    """Replace-one Renyi accountant of sampled Gaussians.

    A sampled release has one Gaussian noise but two parts: the sampled one (sensitivity minus
    background) and the background, present whether or not the record is drawn. The noise
    N(0, s^2) is the sum of independent N(0, share s^2) and N(0, (1-share) s^2), so the release is
    a post-processing of the two parts released separately with those variances. What is not
    amplified is charged by its rho.

    It takes a tenth of a second to make and is kept: compose nothing more with it.
    """
    import dp_accounting
    from dp_accounting.rdp import rdp_privacy_accountant

    accountant = rdp_privacy_accountant.RdpAccountant(
        orders=_ORDERS, neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE
    )
    events: Counter[tuple[int, int, float]] = Counter()
    rho = 0.0
    for group, times in by_sample(charges).items():
        if not amplified(group):
            rho += times * rho_of(group)
            continue
        mu, background, _ = parts_of(group)
        part = share if background > 0 else 1.0
        if background > 0:
            rho += times * background**2 / (1 - part) / 2
        if mu > 0:
            sampling = group[0].sampling
            assert sampling is not None
            multiplier = min(math.sqrt(part) / mu, _LARGEST_MULTIPLIER)
            events[sampling.population, sampling.size, multiplier] += times
            rho += times * _RENYI_ROUNDING * sampling.probability**2
    for (population, size, multiplier), count in events.items():
        accountant.compose(
            dp_accounting.SampledWithoutReplacementDpEvent(
                population, size, dp_accounting.GaussianDpEvent(multiplier)
            ),
            count,
        )
    if rho > 0:
        accountant.compose(dp_accounting.ZCDpEvent(rho))
    return accountant
