"""What a list of releases costs the worst record.

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
  (:mod:`reference.privacy.subsampling`), beside Renyi DP (dp-accounting), which is looser, and the
  bound that ignores the sampling.

No account is below the truth, down to the smallest delta that is accepted.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from reference._validation import (
    SMALLEST_DELTA,
    ParameterValueError,
    require_delta,
    require_non_negative,
)
from reference.privacy.composed_losses import ComposedLoss, LawPair, composed
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Guarantee,
    Model,
    PureDP,
    laplace_delta,
    laplace_epsilon,
    smallest_epsilon,
)
from reference.privacy.mechanisms import SMALLEST_WISHART_DELTA, Cost, Mechanism, wishart_delta
from reference.privacy.mechanisms.mechanism import half_square
from reference.privacy.subsampling import (
    noise_share,
    sampled_gaussian_delta,
    sampled_gaussian_epsilon,
)

Borne = TypeVar("Borne", bound=Hashable)


@dataclass(frozen=True)
class Sampling:
    """How a sampled release was drawn (see :class:`reference.privacy.ledger.Release`)."""

    population: int
    size: int
    replace: bool
    mechanism: Mechanism
    sensitivity: float
    background_sensitivity: float
    position: int | None = None
    """Which subsample of the transcript it is; releases computed from the same one are amplified
    together. ``None`` means one of its own."""

    @property
    def amplifies(self) -> bool:
        """Whether amplification by sampling without replacement applies (one draw is both)."""
        return self.size == 1 or not self.replace

    @property
    def probability(self) -> float:
        """Probability that a record is in the sample, without replacement."""
        return self.size / self.population


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
    return [Composition(profile) for profile in record_profiles(charges)]


def record_profiles(
    items: Sequence[tuple[Borne, slice | np.ndarray[Any, Any] | None]],
) -> list[tuple[Borne, ...]]:
    """Return the distinct lists of items (charges, say) that some record bears.

    Every set of records is a union of blocks; between two neighbouring ends of blocks all records
    bear the same. Memory and time are those of the blocks, whatever the number of records.
    """
    common = tuple(item for item, records in items if records is None)
    split = [(item, record_blocks(records)) for item, records in items if records is not None]
    split = [(item, blocks) for item, blocks in split if blocks.size]
    if not split:
        return [common]
    ends = np.unique(np.concatenate([blocks.ravel() for _, blocks in split] + [[0]]))
    # a bearer is a list of items as (the list before, the last item); a cell starts with none
    bearers: list[tuple[int, int] | None] = [None]
    bearer_of_cell = np.zeros(ends.size - 1, dtype=np.int64)
    for index, (_, blocks) in enumerate(split):
        starts, stops = np.searchsorted(ends, blocks)
        cells = np.concatenate([np.arange(*pair) for pair in zip(starts, stops, strict=True)])
        before, which = np.unique(bearer_of_cell[cells], return_inverse=True)
        bearer_of_cell[cells] = len(bearers) + which
        bearers.extend((int(old), index) for old in before)
    profiles = []
    for bearer in np.unique(bearer_of_cell):
        borne: list[Borne] = []
        link = bearers[bearer]
        while link is not None:
            borne.append(split[link[1]][0])
            link = bearers[link[0]]
        profiles.append(common + tuple(reversed(borne)))
    # a dict keeps the order, so that ties are settled the same way in every run
    return list(dict.fromkeys(profiles))


def record_blocks(records: slice | np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the blocks of consecutive records as two rows: their first ones, and the ends."""
    if isinstance(records, slice):
        start, stop, step = records.start or 0, records.stop, records.step or 1
        if step == 1 and start >= 0:
            bounds = [[start], [stop]] if start < stop else np.empty((2, 0))
            return np.asarray(bounds, dtype=np.int64)
        records = np.arange(start, stop, step, dtype=np.int64)
    indices = np.unique(records)
    if indices.size == 0:
        return np.empty((2, 0), dtype=np.int64)
    if indices.dtype.kind not in "iu" or indices[0] < 0 or indices[-1] >= sys.maxsize:
        raise ParameterValueError("records", f"be integers from 0 to {sys.maxsize - 1}", indices)
    indices = indices.astype(np.int64)  # one more than the last of a narrower type is none of it
    gaps = np.flatnonzero(np.diff(indices) > 1)
    first = np.concatenate([indices[:1], indices[gaps + 1]])
    return np.stack([first, np.concatenate([indices[gaps], indices[-1:]]) + 1])


@dataclass(frozen=True)
class AccountingRule:
    """A way of certifying a composition: its delta at every epsilon, and the inverse."""

    delta_at: Callable[[float], float]
    epsilon_at: Callable[[float], float]


class Composition:
    """The adaptive composition of a list of charges borne by one record.

    Parameters
    ----------
    charges : iterable of Charge
    """

    def __init__(self, charges: Iterable[Charge]) -> None:
        self.charges = tuple(charges)
        self._groups = _by_sample(self.charges)
        self._costs = [(c.cost, count) for group, count in self._groups.items() for c in group]
        self._sampled = any(group[0].sampling is not None for group in self._groups)

    @property
    def pure(self) -> float:
        """Sum of the pure epsilons, those of each subsample amplified; rounded up."""
        return _sum_up((_pure(group), count) for group, count in self._groups.items())

    @property
    def rho(self) -> float:
        """Sum of the zCDP rhos; only pure DP is amplified."""
        return math.fsum(count * _group_rho(group) for group, count in self._groups.items())

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
            return {"exact Gaussian DP": _rule(GaussianDP(self.mu))}
        only = self.charges[0].cost if len(self.charges) == 1 and not self._sampled else Cost()
        if only.laplace is not None:
            rules["exact Laplace"] = _laplace_rule(only.laplace)
        if only.wishart is not None:
            rules["exact Wishart"] = _wishart_rule(*only.wishart)
        if math.isfinite(self.pure):
            rules["pure DP"] = _rule(PureDP(self.pure))
        if math.isfinite(self.rho):
            rules["zCDP"] = _rule(ZCDP(self.rho))
        if self.mu is not None:
            rules["Gaussian DP without amplification"] = _rule(GaussianDP(self.mu))
            if len(self.charges) == 1 and _amplified(self.charges):
                sampling = self.charges[0].sampling
                assert sampling is not None
                if sampling.background_sensitivity == 0:
                    rules["exact sampled Gaussian"] = _sampled_rule(self.mu, sampling.probability)
        parts = [(*_approximate(cost), count) for cost, count in self._costs]
        failure = _failure([(delta, count) for _, delta, count in parts])
        total = _sum_up((epsilon, count) for epsilon, _, count in parts)
        if 0 < failure < 1 and math.isfinite(total):
            rules["basic composition"] = _approximate_rule(total, failure)
        known = self.loss_distribution()
        if known is not None:
            rules["privacy loss distribution"] = _distribution_rule(*known)
        renyi = self._renyi_accountants
        if renyi:
            rules["Renyi DP with sampling"] = _renyi_rule(renyi)
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
            if _amplified(group):
                mu, background, probability = _parts(group)
                share = noise_share(mu, background, probability)
                if mu > 0:
                    pairs[LawPair("gaussian", mu / math.sqrt(share), probability)] += count
                if background > 0:
                    squares.append(count * background**2 / (1 - share))
                continue
            amplified = _pure(group)
            if group[0].sampling is not None and math.isfinite(amplified):
                pairs[LawPair("pure", amplified)] += count
                continue
            for cost in (charge.cost for charge in group):
                if cost.gaussian is not None:
                    squares.append(count * cost.gaussian**2)
                elif cost.laplace is not None:
                    pairs[LawPair("laplace", cost.laplace)] += count
                else:
                    epsilon, delta = _approximate(cost)
                    deltas.append((delta, count))
                    if epsilon > 0:
                        pairs[LawPair("pure", epsilon)] += count
        if squares:
            pairs[LawPair("gaussian", math.sqrt(math.fsum(squares)))] += 1
        return pairs, _failure(deltas)

    @cached_property
    def _renyi_accountants(self) -> list[Any]:
        """Accountants of sampled Gaussians, one for each way of sharing the noise; or none."""
        groups = self._groups
        if not any(map(_amplified, groups)) or not math.isfinite(self.rho):
            return []
        background = any(_parts(group)[1] > 0 for group in groups if _amplified(group))
        shares = NOISE_SHARES if background else NOISE_SHARES[:1]
        return [renyi_accountant(self.charges, share) for share in shares]


Groups = Mapping[tuple[Charge, ...], int]


def _by_sample(charges: Iterable[Charge]) -> Groups:
    """Group the charges computed from the same subsample; count the groups, most stand alone."""
    alone: Counter[tuple[Charge, ...]] = Counter()
    groups: dict[int, list[Charge]] = {}
    for charge, count in Counter(charges).items():
        if charge.sampling is None or charge.sampling.position is None:
            alone[charge,] = count
        else:
            groups.setdefault(charge.sampling.position, []).extend([charge] * count)
    alone.update(map(tuple, groups.values()))
    return alone


def _sum_up(terms: Iterable[tuple[float, int]]) -> float:
    """Return the sum of numbers times counts; the next double where it is none."""
    listed = list(terms)
    if math.fsum(number * count for number, count in listed) > 1e300:
        return math.inf
    exact = sum((Fraction(number) * count for number, count in listed), Fraction(0))
    total = float(exact)
    return total if total >= exact else math.nextafter(total, math.inf)


def _amplified(group: tuple[Charge, ...]) -> bool:
    """Whether the Gaussian releases of a subsample are amplified by it."""
    return all(
        charge.sampling is not None
        and charge.sampling.amplifies
        and charge.cost.gaussian is not None
        for charge in group
    )


def _parts(group: tuple[Charge, ...]) -> tuple[float, float, float]:
    """Return mu of the sampled part and of the background of an amplified group, and q."""
    sampled, background, probability = [], [], 1.0
    for charge in group:
        sampling, mu = charge.sampling, charge.cost.gaussian
        assert sampling is not None
        assert mu is not None
        background.append(mu * (sampling.background_sensitivity / sampling.sensitivity))
        sampled.append(mu - background[-1])
        probability = sampling.probability  # the same subsample for the whole group
    return math.hypot(*sampled), math.hypot(*background), probability


def _pure(group: tuple[Charge, ...]) -> float:
    """Pure epsilon of the releases from one subsample: ln(1 + q (e^epsilon - 1)) in total.

    Source: Wang (2020), Lemma 2.1.2 in its exact form (replace-one, without replacement).
    """
    total = math.fsum(charge.cost.pure for charge in group)
    sampling = group[0].sampling
    background = any(c.sampling and c.sampling.background_sensitivity > 0 for c in group)
    if sampling is None or not sampling.amplifies or background or not total < 700:
        return total
    return max(math.log1p(sampling.probability * math.expm1(total)), math.ulp(0.0))


def _approximate(cost: Cost) -> tuple[float, float]:
    """(epsilon, delta) of one release, delta = 1 if it is neither pure nor approximate."""
    if cost.approximate is not None:
        return cost.approximate
    return (cost.pure, 0.0) if math.isfinite(cost.pure) else (0.0, 1.0)


def _failure(deltas: Sequence[tuple[float, int]]) -> float:
    """Return 1 - prod (1 - delta)^count, however small, never below it."""
    failing = [(delta, count) for delta, count in deltas if delta > 0]
    largest = max((delta for delta, _ in failing), default=0.0)
    if sum(count for _, count in failing) <= 1 or largest >= 1:
        return largest
    total = -math.expm1(math.fsum(count * math.log1p(-delta) for delta, count in failing))
    # both functions, the products and the sum are right to four units in the last place
    return min(1.0, total * (1 + 2**-49))


def _group_rho(group: tuple[Charge, ...]) -> float:
    """Rho of the releases from one subsample; only pure DP is amplified."""
    pure = _pure(group)
    return min(math.fsum(charge.cost.rho for charge in group), half_square(pure))


def _rule(guarantee: Guarantee) -> AccountingRule:
    return AccountingRule(guarantee.delta_at, guarantee.epsilon_at)


def _approximate_rule(epsilon: float, delta: float) -> AccountingRule:
    if epsilon > 0:
        return _rule(ApproximateDP(epsilon, max(delta, SMALLEST_DELTA)))
    # indistinguishable but for the failure
    return AccountingRule(lambda _: delta, lambda target: 0.0 if target >= delta else math.inf)


def _laplace_rule(size: float) -> AccountingRule:
    return AccountingRule(
        lambda epsilon: laplace_delta(size, epsilon), lambda delta: laplace_epsilon(size, delta)
    )


def _wishart_rule(degrees: float, size: float, dimension: int) -> AccountingRule:
    def delta_at(epsilon: float) -> float:
        return wishart_delta(degrees, size, dimension=dimension, epsilon=epsilon)

    def epsilon_at(delta: float) -> float:
        return math.inf if delta < SMALLEST_WISHART_DELTA else smallest_epsilon(delta_at, delta)

    return AccountingRule(delta_at, epsilon_at)


def _renyi_rule(accountants: Sequence[Any]) -> AccountingRule:
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


def _sampled_rule(mu: float, probability: float) -> AccountingRule:
    return AccountingRule(
        lambda epsilon: sampled_gaussian_delta(mu, probability, epsilon),
        lambda delta: sampled_gaussian_epsilon(mu, probability, delta),
    )


_LEAST = 1e-9
"""Of the sizes whose losses are composed."""


def _distribution_rule(distribution: ComposedLoss, failure: float) -> AccountingRule:
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
"""Of sampled noise; dp-accounting's ln(e^x - 1), x = 1/multiplier^2, loses 2^-53/x of itself, and
from 1e8 on is the logarithm of 0. More noise than this is charged as this."""
_RENYI_ROUNDING = 2.0**-49
"""Times q^2: a rho beyond that loss, whose share of the divergence of order a is 2 a q^2 2^-53."""


def renyi_accountant(charges: tuple[Charge, ...], share: float) -> Any:
    """Replace-one Renyi accountant of sampled Gaussians.

    A sampled release has one Gaussian noise but two parts: the sampled one (sensitivity minus
    background) and the background, present whether or not the record is drawn. The noise
    N(0, s^2) is the sum of independent N(0, share s^2) and N(0, (1-share) s^2), so the release is
    a post-processing of the two parts released separately with those variances. What is not
    amplified is charged by its rho.
    """
    import dp_accounting
    from dp_accounting.rdp import rdp_privacy_accountant

    accountant = rdp_privacy_accountant.RdpAccountant(
        orders=_ORDERS, neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE
    )
    events: Counter[tuple[int, int, float]] = Counter()
    rho = 0.0
    for group, times in _by_sample(charges).items():
        if not _amplified(group):
            rho += times * _group_rho(group)
            continue
        mu, background, _ = _parts(group)
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
