"""What a list of releases costs the worst record.

Every release is charged with several valid statements (pure DP, zCDP, exact Gaussian DP, ...);
the composition is evaluated by each rule that applies and the smallest result is reported:

* all Gaussian: exact Gaussian DP, mu^2 = sum of mu_i^2;
* pure DP: the sum of the epsilons;
* zCDP: the sum of the rhos, converted at the optimal order;
* Laplace, Gaussian and generic pure DP mixed: the privacy loss distribution (dp-accounting);
* subsampled Gaussian: Renyi DP under replace-one (dp-accounting), beside the bound that ignores
  the sampling.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import dp_accounting
import numpy as np
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.rdp import rdp_privacy_accountant

from reference._validation import require_delta, require_non_negative
from reference.privacy.guarantees import (
    ApproximateDP,
    gaussian_dp_delta,
    gaussian_dp_epsilon,
    smallest_epsilon,
    zcdp_delta,
)
from reference.privacy.mechanisms import Cost, Gaussian, Mechanism


@dataclass(frozen=True)
class Sampling:
    """How a sampled release was drawn (see :class:`reference.privacy.ledger.Release`)."""

    population: int
    size: int
    replace: bool
    mechanism: Mechanism
    sensitivity: float
    background_sensitivity: float


@dataclass(frozen=True)
class Charge:
    """Cost of one release to a record that it reads; ``sampling`` if it read a subsample."""

    cost: Cost
    sampling: Sampling | None = None


@dataclass(frozen=True)
class Spent:
    """Result of an account.

    Attributes
    ----------
    epsilon, delta : float
        The worst record is (epsilon, delta)-DP.
    method : str
        The rule that gave the smallest value.
    """

    epsilon: float
    delta: float
    method: str


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
    if (delta is None) == (epsilon is None):
        raise ValueError("give exactly one of delta= and epsilon=")
    if delta is not None and delta != 0:
        require_delta(delta)
    if epsilon is not None:
        require_non_negative("epsilon", epsilon)
    profiles = compositions(charges)
    if delta is not None:
        return max((p.epsilon(delta) for p in profiles), key=lambda s: s.epsilon)
    assert epsilon is not None
    return max((p.delta(epsilon) for p in profiles), key=lambda s: s.delta)


def compositions(
    charges: Sequence[tuple[Charge, slice | np.ndarray[Any, Any] | None]],
) -> list[Composition]:
    """Return the distinct compositions that some record bears."""
    return [Composition(profile) for profile in _record_profiles(charges)]


def _record_profiles(
    charges: Sequence[tuple[Charge, slice | np.ndarray[Any, Any] | None]],
) -> list[tuple[Charge, ...]]:
    """Return the distinct lists of charges that some record bears."""
    common = [charge for charge, records in charges if records is None]
    split = [(charge, records) for charge, records in charges if records is not None]
    if not split:
        return [tuple(common)]
    size = 1 + max(_last(records) for _, records in split)
    touched = np.zeros((len(split), size), dtype=bool)
    for row, (_, records) in zip(touched, split, strict=True):
        row[records] = True
    patterns = np.unique(touched, axis=1).T
    profiles = {
        tuple(common) + tuple(split[i][0] for i in np.flatnonzero(pattern)) for pattern in patterns
    }
    return list(profiles)


def _last(records: slice | np.ndarray[Any, Any]) -> int:
    if isinstance(records, slice):
        if records.stop is None:
            raise ValueError("a slice of records must have an end")
        return int(records.stop) - 1
    return int(np.max(records)) if np.size(records) else 0


class Composition:
    """The adaptive composition of a list of charges borne by one record.

    Parameters
    ----------
    charges : iterable of Charge
    """

    def __init__(self, charges: Iterable[Charge]) -> None:
        self.charges = tuple(charges)
        self._costs = [charge.cost for charge in self.charges]
        self._sampled = any(charge.sampling is not None for charge in self.charges)

    @property
    def pure(self) -> float:
        """Sum of the pure epsilons."""
        return sum(cost.pure for cost in self._costs)

    @property
    def rho(self) -> float:
        """Sum of the zCDP rhos."""
        return sum(cost.rho for cost in self._costs)

    @property
    def mu(self) -> float | None:
        """Gaussian-DP parameter if every release is Gaussian, else ``None``."""
        mus = [cost.gaussian for cost in self._costs]
        if any(mu is None for mu in mus):
            return None
        return math.sqrt(sum(mu**2 for mu in mus if mu is not None))

    def curves(self) -> dict[str, Callable[[float], float]]:
        """Return the delta(epsilon) curve of every rule that applies, cheap ones first."""
        if not self._costs:
            return {"nothing released": lambda epsilon: 0.0}
        if self.mu is not None and not self._sampled:
            mu = self.mu
            return {"exact Gaussian DP": lambda epsilon: gaussian_dp_delta(mu, epsilon)}
        curves: dict[str, Callable[[float], float]] = {}
        if math.isfinite(self.pure):
            curves["pure DP"] = lambda epsilon: 0.0 if epsilon >= self.pure else 1.0
        if math.isfinite(self.rho):
            rho = self.rho
            curves["zCDP"] = lambda epsilon: zcdp_delta(rho, epsilon)
        if self.mu is not None:
            mu = self.mu
            curves["Gaussian DP without amplification"] = lambda e: gaussian_dp_delta(mu, e)
        if all(cost.approximate is not None for cost in self._costs):
            pairs = [cost.approximate for cost in self._costs if cost.approximate is not None]
            total = sum(e for e, _ in pairs)
            failure = 1 - math.prod(1 - d for _, d in pairs)
            if len(pairs) == 1:
                single = ApproximateDP(*pairs[0])
                curves["one approximate release"] = single.delta_at
            else:
                curves["basic composition"] = lambda e: failure if e >= total else 1.0
        distribution = self._loss_distribution()
        if distribution is not None:
            curves["privacy loss distribution"] = distribution.get_delta_for_epsilon
        renyi = self._renyi_accountant()
        if renyi is not None:
            curves["Renyi DP with sampling"] = lambda e: float(renyi.get_delta(e))
        return curves

    def epsilon(self, delta: float) -> Spent:
        """Smallest certified epsilon at ``delta`` in [0, 1)."""
        best = Spent(math.inf, delta, "no rule applies at this delta")
        for method, curve in self.curves().items():
            value = self._invert(method, curve, delta)
            if value < best.epsilon:
                best = Spent(value, delta, method)
        return best

    def _invert(self, method: str, curve: Callable[[float], float], delta: float) -> float:
        if method == "pure DP":
            return self.pure
        if delta == 0:
            return 0.0 if method == "nothing released" else math.inf
        if method in ("exact Gaussian DP", "Gaussian DP without amplification"):
            assert self.mu is not None
            return gaussian_dp_epsilon(self.mu, delta)
        if method == "privacy loss distribution":
            distribution = self._loss_distribution()
            assert distribution is not None
            return float(distribution.get_epsilon_for_delta(delta))
        if method == "Renyi DP with sampling":
            accountant = self._renyi_accountant()
            assert accountant is not None
            return float(accountant.get_epsilon(delta))
        return smallest_epsilon(curve, delta)

    def delta(self, epsilon: float) -> Spent:
        """Smallest certified delta at ``epsilon`` >= 0."""
        best = Spent(epsilon, 1.0, "no rule applies")
        for method, curve in self.curves().items():
            value = float(curve(epsilon))
            if value < best.delta:
                best = Spent(epsilon, value, method)
        return best

    def _loss_distribution(self) -> Any:
        """Privacy loss distribution of Laplace, Gaussian and generic pure releases, or None."""
        if self._sampled:
            return None
        events: Counter[tuple[str, float]] = Counter()
        for cost in self._costs:
            if cost.gaussian is not None:
                events["gaussian", cost.gaussian] += 1
            elif cost.laplace is not None:
                events["laplace", cost.laplace] += 1
            elif math.isfinite(cost.pure):
                events["pure", cost.pure] += 1
            else:
                return None
        # beyond this the loss grid is huge and the other rules say "not private" well enough
        if (
            any(not 1e-6 < size < 50 for _, size in events)
            or sum(size * count for (_, size), count in events.items()) > 200
        ):
            return None
        return _composed_distribution(tuple(sorted(events.items())))

    def _renyi_accountant(self) -> Any:
        if not self._sampled or any(
            not isinstance(charge.sampling.mechanism, Gaussian) or charge.sampling.replace
            for charge in self.charges
            if charge.sampling is not None
        ):
            return None
        if any(charge.sampling is None and charge.cost.gaussian is None for charge in self.charges):
            return None
        return min(
            (_renyi(self.charges, share) for share in (0.5, 0.9, 0.99)),
            key=lambda accountant: float(accountant.get_epsilon(1e-6)),
        )


@lru_cache(maxsize=256)
def _composed_distribution(events: tuple[tuple[tuple[str, float], int], ...]) -> Any:
    composed = None
    for (kind, size), count in events:
        if kind == "gaussian":
            single = pld.from_gaussian_mechanism(1 / size)
        elif kind == "laplace":
            single = pld.from_laplace_mechanism(1 / size)
        else:
            single = pld.from_privacy_parameters(
                dp_accounting.pld.common.DifferentialPrivacyParameters(size, 0.0)
            )
        repeated = single.self_compose(count)
        composed = repeated if composed is None else composed.compose(repeated)
    return composed


# the sampling bound is stated for integer orders
_ORDERS = (*range(2, 65), 80, 96, 128, 192, 256, 512)


def _renyi(charges: tuple[Charge, ...], share: float) -> Any:
    """Replace-one Renyi accountant of sampled Gaussians.

    A sampled release has one Gaussian noise but two parts: the sampled one (sensitivity minus
    background) and the background, present whether or not the record is drawn. The noise
    N(0, s^2) is the sum of independent N(0, share s^2) and N(0, (1-share) s^2), so the release is
    a post-processing of the two parts released separately with those variances.
    """
    accountant = rdp_privacy_accountant.RdpAccountant(
        orders=_ORDERS, neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE
    )
    events: Counter[tuple[int, int, float]] = Counter()
    mu_squared = 0.0
    for charge in charges:
        sampling = charge.sampling
        if sampling is None:
            assert charge.cost.gaussian is not None
            mu_squared += charge.cost.gaussian**2
            continue
        assert isinstance(sampling.mechanism, Gaussian)
        scale, background = sampling.mechanism.scale, sampling.background_sensitivity
        part = share if background > 0 else 1.0
        multiplier = scale * math.sqrt(part) / (sampling.sensitivity - background)
        events[sampling.population, sampling.size, multiplier] += 1
        if background > 0:
            mu_squared += background**2 / (scale**2 * (1 - part))
    for (population, size, multiplier), count in events.items():
        accountant.compose(
            dp_accounting.SampledWithoutReplacementDpEvent(
                population, size, dp_accounting.GaussianDpEvent(multiplier)
            ),
            count,
        )
    if mu_squared > 0:
        accountant.compose(dp_accounting.GaussianDpEvent(1 / math.sqrt(mu_squared)))
    return accountant
