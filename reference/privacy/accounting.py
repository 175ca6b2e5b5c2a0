"""The cost of a list of releases to the worst record.

Every release is charged with several valid statements (pure DP, zCDP, exact Gaussian DP, ...);
the composition is evaluated by each rule that applies and the smallest result is reported:

* all Gaussian: exact Gaussian DP, mu^2 = sum of mu_i^2;
* one Laplace release, or one of Wishart noise: its exact curve;
* pure DP: the sum of the epsilons, ln(1 + q (e^epsilon - 1)) for what reads a subsample, and the
  exact curve of the worst mechanism of that epsilon;
* zCDP: the sum of the rhos, converted at the optimal order;
* Laplace, Gaussian, generic pure and approximate DP mixed: the privacy loss distribution
  (:mod:`reference.privacy.composed_losses`), an upper bound up to its grid;
* subsampled Gaussian: exactly for a single release; else the same distribution, under replace-one
  (:mod:`reference.privacy.subsampling`), in addition to Renyi DP (dp-accounting), which is looser,
  and the bound that ignores the sampling.

No account is below the truth, down to the smallest delta that is accepted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from reference._validation import require_delta, require_non_negative
from reference.privacy.accounting_rules import (
    NOISE_SHARES,
    AccountingRule,
    approximate_rule,
    distribution_rule,
    laplace_rule,
    renyi_accountant,
    renyi_rule,
    rule_of,
    sampled_rule,
    wishart_rule,
)
from reference.privacy.charges import (
    Charge,
    Sampling,
    amplified,
    approximate_of,
    by_sample,
    failure_of,
    parts_of,
    pure_of,
    record_blocks,
    record_profiles,
    rho_of,
    sum_up,
)
from reference.privacy.composed_losses import ComposedLoss, LawPair, composed
from reference.privacy.guarantees import ZCDP, GaussianDP, Model, PureDP
from reference.privacy.mechanisms import Cost
from reference.privacy.subsampling import noise_share

__all__ = [
    "NOISE_SHARES",
    "AccountingRule",
    "Charge",
    "Composition",
    "Sampling",
    "Spent",
    "compositions",
    "record_blocks",
    "record_profiles",
    "renyi_accountant",
    "spent",
]


@dataclass(frozen=True)
class Spent:
    """Result of an account.

    Attributes
    ----------
    epsilon, delta : float
        The worst unit is (epsilon, delta)-DP.
    method : str
        The rule that gave the smallest value.
    unit : {"record", "attribute", "label"}
        Whether that is a whole record, a single attribute of one, or its label alone.
    model : Model
        Local if every user randomises before anybody else sees the data, else central.
    """

    epsilon: float
    delta: float
    method: str
    unit: Literal["record", "attribute", "label"] = "record"
    model: Model = Model.CENTRAL


def spent(
    charges: Sequence[tuple[Charge, slice | np.ndarray[Any, Any] | None]],
    *,
    delta: float | None = None,
    epsilon: float | None = None,
) -> Spent:
    """Compose ``charges`` for every record and return the worst.

    Parameters
    ----------
    charges : sequence of (Charge, records)
        ``records`` is a slice, an index array or ``None`` (all records).
    delta : float, optional
        In [0, 1); give exactly one of ``delta`` and ``epsilon``.
    epsilon : float, optional
        >= 0.
    """
    return worst(compositions(charges), delta=delta, epsilon=epsilon)


def worst(
    profiles: Iterable[Composition], *, delta: float | None = None, epsilon: float | None = None
) -> Spent:
    """Return the worst of compositions, as :func:`spent` does.

    A composition keeps its accountants: to get both numbers, make it once.

    Parameters
    ----------
    profiles : iterable of Composition
    delta, epsilon : float, optional
        As in :func:`spent`.
    """
    if (delta is None) == (epsilon is None):
        raise ValueError("give exactly one of delta= and epsilon=")
    if delta is not None and delta != 0:
        require_delta(delta)
    if epsilon is not None:
        require_non_negative("epsilon", epsilon)
    if delta is not None:
        return max((p.epsilon(delta) for p in profiles), key=lambda s: s.epsilon)
    assert epsilon is not None
    return max((p.delta(epsilon) for p in profiles), key=lambda s: s.delta)


def compositions(
    charges: Sequence[tuple[Charge, slice | np.ndarray[Any, Any] | None]],
) -> list[Composition]:
    """Return the distinct compositions that some record bears."""
    return [Composition(profile) for profile in record_profiles(charges)]


_LEAST = 1e-9
"""Smallest size whose losses are composed."""


class Composition:
    """The adaptive composition of a list of charges borne by one record.

    Parameters
    ----------
    charges : iterable of Charge
    """

    def __init__(self, charges: Iterable[Charge]) -> None:
        self.charges = tuple(charges)
        self._groups = by_sample(self.charges)
        self._costs = [(c.cost, count) for group, count in self._groups.items() for c in group]
        self._sampled = any(group[0].sampling is not None for group in self._groups)

    @property
    def pure(self) -> float:
        """Sum of the pure epsilons, those of each subsample amplified; rounded up."""
        return sum_up((pure_of(group), count) for group, count in self._groups.items())

    @property
    def rho(self) -> float:
        """Sum of the zCDP rhos; only pure DP is amplified."""
        return math.fsum(count * rho_of(group) for group, count in self._groups.items())

    @property
    def mu(self) -> float | None:
        """Gaussian-DP parameter if every release is Gaussian, else ``None``; not amplified."""
        mus = [(cost.gaussian, count) for cost, count in self._costs]
        if any(mu is None for mu, _ in mus):
            return None
        return math.hypot(*(mu * math.sqrt(count) for mu, count in mus if mu is not None))

    def rules(self) -> dict[str, AccountingRule]:
        """Return every rule that applies, by name; each is valid, none always the best."""
        if not self.charges:
            return {"nothing released": AccountingRule(lambda epsilon: 0.0, lambda delta: 0.0)}
        rules: dict[str, AccountingRule] = {}
        if any(cost.unbounded for cost, _ in self._costs):
            return rules
        if self.mu is not None and not self._sampled:
            return {"exact Gaussian DP": rule_of(GaussianDP(self.mu))}
        only = self.charges[0].cost if len(self.charges) == 1 and not self._sampled else Cost()
        if only.laplace is not None:
            rules["exact Laplace"] = laplace_rule(only.laplace)
        if only.wishart is not None:
            rules["exact Wishart"] = wishart_rule(*only.wishart)
        if math.isfinite(self.pure):
            rules["pure DP"] = rule_of(PureDP(self.pure))
        if math.isfinite(self.rho):
            rules["zCDP"] = rule_of(ZCDP(self.rho))
        if self.mu is not None:
            rules["Gaussian DP without amplification"] = rule_of(GaussianDP(self.mu))
            if len(self.charges) == 1 and amplified(self.charges):
                sampling = self.charges[0].sampling
                assert sampling is not None
                if sampling.background_sensitivity == 0:
                    rules["exact sampled Gaussian"] = sampled_rule(self.mu, sampling.probability)
        parts = [(*approximate_of(cost), count) for cost, count in self._costs]
        failure = failure_of([(delta, count) for _, delta, count in parts])
        total = sum_up((epsilon, count) for epsilon, _, count in parts)
        if 0 < failure < 1 and math.isfinite(total):
            rules["basic composition"] = approximate_rule(total, failure)
        known = self.loss_distribution()
        if known is not None:
            rules["privacy loss distribution"] = distribution_rule(*known)
        renyi = self._renyi_accountants
        if renyi:
            rules["Renyi DP with sampling"] = renyi_rule(renyi)
        return rules

    def epsilon(self, delta: float) -> Spent:
        """Smallest certified epsilon at ``delta`` in [0, 1)."""
        best = Spent(math.inf, delta, "no rule applies at this delta")
        for method, rule in self.rules().items():
            value = rule.epsilon_at(delta)
            if value < best.epsilon:
                best = Spent(value, delta, method)
        return best

    def delta(self, epsilon: float) -> Spent:
        """Smallest certified delta at ``epsilon`` >= 0."""
        best = Spent(epsilon, 1.0, "no rule applies")
        for method, rule in self.rules().items():
            value = rule.delta_at(epsilon)
            if value < best.delta:
                best = Spent(epsilon, value, method)
        return best

    def loss_distribution(self) -> tuple[ComposedLoss, float] | None:
        """Privacy loss distribution but for failures, and their probability; or ``None``."""
        pairs, failure = self._pairs()
        # beyond these sizes the other rules say as much, or "not private" well enough
        if failure == 1 or not pairs or not all(_LEAST < pair.size < 50 for pair in pairs):
            return None
        return composed(tuple(pairs.items())), failure

    def _pairs(self) -> tuple[Counter[LawPair], float]:
        """Count the pairs of laws that bound the releases where none fails; how probably one does.

        All Gaussians are one, of the root of the sum of squares.
        """
        pairs: Counter[LawPair] = Counter()
        squares, deltas = [], []
        for group, count in self._groups.items():
            if amplified(group):
                mu, background, probability = parts_of(group)
                share = noise_share(mu, background, probability)
                if mu > 0:
                    pairs[LawPair("gaussian", mu / math.sqrt(share), probability)] += count
                if background > 0:
                    squares.append(count * background**2 / (1 - share))
                continue
            epsilon = pure_of(group)
            if group[0].sampling is not None and math.isfinite(epsilon):
                pairs[LawPair("pure", epsilon)] += count
                continue
            for cost in (charge.cost for charge in group):
                if cost.gaussian is not None:
                    squares.append(count * cost.gaussian**2)
                elif cost.laplace is not None:
                    pairs[LawPair("laplace", cost.laplace)] += count
                else:
                    epsilon, delta = approximate_of(cost)
                    deltas.append((delta, count))
                    if epsilon > 0:
                        pairs[LawPair("pure", epsilon)] += count
        if squares:
            pairs[LawPair("gaussian", math.sqrt(math.fsum(squares)))] += 1
        return pairs, failure_of(deltas)

    @cached_property
    def _renyi_accountants(self) -> list[Any]:
        """Accountants of sampled Gaussians, one for each way of sharing the noise; or none."""
        groups = self._groups
        if not any(map(amplified, groups)) or not math.isfinite(self.rho):
            return []
        background = any(parts_of(group)[1] > 0 for group in groups if amplified(group))
        shares = NOISE_SHARES if background else NOISE_SHARES[:1]
        return [renyi_accountant(self.charges, share) for share in shares]
