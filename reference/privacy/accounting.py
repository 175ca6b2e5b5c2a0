"""What a list of releases costs the worst record.

Every release is charged with several valid statements (pure DP, zCDP, exact Gaussian DP, ...);
the composition is evaluated by each rule that applies and the smallest result is reported:

* all Gaussian: exact Gaussian DP, mu^2 = sum of mu_i^2;
* one Laplace release, or one of Wishart noise: its exact curve;
* pure DP: the sum of the epsilons, ln(1 + q (e^epsilon - 1)) for what reads a subsample, and the
  exact curve of the worst mechanism of that epsilon;
* zCDP: the sum of the rhos, converted at the optimal order;
* Laplace, Gaussian, generic pure and approximate DP mixed: the privacy loss distribution
  (dp-accounting), an upper bound up to its grid;
* subsampled Gaussian: exactly for a single release; else the same distribution, under replace-one
  (:mod:`reference.privacy.subsampling`), beside Renyi DP (dp-accounting), which is looser but has
  no smallest delta, and the bound that ignores the sampling.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeVar

import numpy as np

from reference._validation import require_delta, require_non_negative
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
    largest_loss,
    loss_deviation,
    noise_share,
    sampled_gaussian_delta,
    sampled_gaussian_distribution,
    sampled_gaussian_epsilon,
)

Item = TypeVar("Item", bound=Hashable)


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
    items: Sequence[tuple[Item, slice | np.ndarray[Any, Any] | None]],
) -> list[tuple[Item, ...]]:
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
        borne: list[Item] = []
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
        start, step = records.start or 0, records.step or 1
        if step == 1:
            return np.array([[start], [records.stop]]) if start < records.stop else np.empty((2, 0))
        records = np.arange(start, records.stop, step)
    indices = np.unique(records)
    if indices.size == 0:
        return np.empty((2, 0))
    gaps = np.flatnonzero(np.diff(indices) > 1)
    first = np.concatenate([indices[:1], indices[gaps + 1]])
    return np.stack([first, np.concatenate([indices[gaps], indices[-1:]]) + 1])


@dataclass(frozen=True)
class Rule:
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
        self._costs = [charge.cost for charge in self.charges]
        self._sampled = any(charge.sampling is not None for charge in self.charges)

    @property
    def pure(self) -> float:
        """Sum of the pure epsilons, those of each subsample amplified."""
        return math.fsum(_pure(group) for group in _by_sample(self.charges))

    @property
    def rho(self) -> float:
        """Sum of the zCDP rhos; only pure DP is amplified."""
        return math.fsum(map(_group_rho, _by_sample(self.charges)))

    @property
    def mu(self) -> float | None:
        """Gaussian-DP parameter if every release is Gaussian, else ``None``; not amplified."""
        mus = [cost.gaussian for cost in self._costs]
        if any(mu is None for mu in mus):
            return None
        return math.hypot(*(mu for mu in mus if mu is not None))

    def rules(self) -> dict[str, Rule]:
        """Return every rule that applies, by name; each is valid, none always the best."""
        if not self._costs:
            return {"nothing released": Rule(lambda epsilon: 0.0, lambda delta: 0.0)}
        rules: dict[str, Rule] = {}
        if any(cost.unbounded for cost in self._costs):
            return rules
        if self.mu is not None and not self._sampled:
            return {"exact Gaussian DP": _rule(GaussianDP(self.mu))}
        if len(self._costs) == 1 and not self._sampled and self._costs[0].laplace is not None:
            rules["exact Laplace"] = _laplace_rule(self._costs[0].laplace)
        if len(self._costs) == 1 and not self._sampled and self._costs[0].wishart is not None:
            rules["exact Wishart"] = _wishart_rule(*self._costs[0].wishart)
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
        pairs = [_approximate(cost) for cost in self._costs]
        failure = _failure([pair[1] for pair in pairs])
        total = math.fsum(pair[0] for pair in pairs)
        if 0 < failure < 1 and math.isfinite(total):
            rules["basic composition"] = _approximate_rule(total, failure)
        distribution = self.loss_distribution()
        if distribution is not None:
            rounding = len(self.charges) * ROUNDING if self._sampled else 0.0
            rules["privacy loss distribution"] = _distribution_rule(distribution, rounding)
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

    def loss_distribution(self) -> Any:
        """Privacy loss distribution, or ``None`` where there is none or its grid would be huge."""
        events = self._loss_events()
        sampled = {event: count for event, count in events.items() if event[0] == "sampled"}
        rest = {event: count for event, count in events.items() if event[0] != "sampled"}
        total = sum(size * count for (_, size, _), count in rest.items())
        # beyond this the loss grid is huge and the other rules say "not private" well enough
        if (
            any(kind == "approximate" and delta == 1 for kind, _, delta in events)
            or any(size >= 50 or 0 < size < 1e-6 for _, size, _ in events)
            or total > 200
        ):
            return None
        # dp-accounting's own grid of 1e-4, coarser in proportion for large losses
        own = 1e-4 * max(1.0, total / 20)
        interval = _sampled_interval(sampled, rest) if sampled else own
        return _composed_distribution(tuple(sorted(events.items())), interval)

    def _loss_events(self) -> Counter[tuple[str, float, float]]:
        """Count the releases by kind, size and delta or sampling probability.

        All Gaussians are one, of the root of the sum of squares.
        """
        events: Counter[tuple[str, float, float]] = Counter()
        squares = []
        for group, count in Counter(_by_sample(self.charges)).items():
            if _amplified(group):
                mu, background, probability = _parts(group)
                share = noise_share(mu, background, probability)
                if mu > 0:
                    events["sampled", mu / math.sqrt(share), probability] += count
                if background > 0:
                    squares.append(count * background**2 / (1 - share))
                continue
            amplified = _pure(group)
            if group[0].sampling is not None and math.isfinite(amplified):
                events["approximate", amplified, 0.0] += count
                continue
            for cost in (charge.cost for charge in group):
                if cost.gaussian is not None:
                    squares.append(count * cost.gaussian**2)
                elif cost.laplace is not None:
                    events["laplace", cost.laplace, 0.0] += count
                else:
                    events["approximate", *_approximate(cost)] += count
        if squares:
            events["gaussian", math.sqrt(math.fsum(squares)), 0.0] += 1
        return events

    @cached_property
    def _renyi_accountants(self) -> list[Any]:
        """Accountants of sampled Gaussians, one for each way of sharing the noise; or none."""
        groups = _by_sample(self.charges)
        if not any(map(_amplified, groups)) or not math.isfinite(self.rho):
            return []
        background = any(_parts(group)[1] > 0 for group in groups if _amplified(group))
        shares = NOISE_SHARES if background else NOISE_SHARES[:1]
        return [renyi_accountant(self.charges, share) for share in shares]


def _by_sample(charges: Iterable[Charge]) -> list[tuple[Charge, ...]]:
    """Group the charges computed from the same subsample; the others stand alone."""
    groups: dict[object, list[Charge]] = {}
    for index, charge in enumerate(charges):
        sampling = charge.sampling
        alone = sampling is None or sampling.position is None
        key = ("alone", index) if alone else ("sample", sampling and sampling.position)
        groups.setdefault(key, []).append(charge)
    return [tuple(group) for group in groups.values()]


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


def _failure(deltas: Sequence[float]) -> float:
    """Return 1 - prod(1 - delta), however small, never below it."""
    failing = [delta for delta in deltas if delta > 0]
    if len(failing) <= 1 or max(failing) >= 1:
        return max(failing, default=0.0)
    total = -math.expm1(math.fsum(math.log1p(-delta) for delta in failing))
    # both functions and the sum are right to three units in the last place
    return min(1.0, total * (1 + 2**-49))


def _group_rho(group: tuple[Charge, ...]) -> float:
    """Rho of the releases from one subsample; only pure DP is amplified."""
    pure = _pure(group)
    return min(math.fsum(charge.cost.rho for charge in group), half_square(pure))


def _rule(guarantee: Guarantee) -> Rule:
    return Rule(guarantee.delta_at, guarantee.epsilon_at)


def _approximate_rule(epsilon: float, delta: float) -> Rule:
    if epsilon > 0:
        return _rule(ApproximateDP(epsilon, delta))
    # indistinguishable but for the failure
    return Rule(lambda _: delta, lambda target: 0.0 if target >= delta else math.inf)


def _laplace_rule(size: float) -> Rule:
    return Rule(
        lambda epsilon: laplace_delta(size, epsilon), lambda delta: laplace_epsilon(size, delta)
    )


def _wishart_rule(degrees: float, size: float, dimension: int) -> Rule:
    def delta_at(epsilon: float) -> float:
        return wishart_delta(degrees, size, dimension=dimension, epsilon=epsilon)

    def epsilon_at(delta: float) -> float:
        return math.inf if delta < SMALLEST_WISHART_DELTA else smallest_epsilon(delta_at, delta)

    return Rule(delta_at, epsilon_at)


def _renyi_rule(accountants: Sequence[Any]) -> Rule:
    def epsilon_at(delta: float) -> float:
        return min(float(a.get_epsilon(delta)) for a in accountants) if delta > 0 else math.inf

    def delta_at(epsilon: float) -> float:
        # the accountants' own get_delta fails where a divergence is below 2^-53
        low, high = math.log(sys.float_info.min), 0.0
        while high - low > 1e-12:
            middle = (low + high) / 2
            low, high = (low, middle) if epsilon_at(math.exp(middle)) <= epsilon else (middle, high)
        return math.exp(high)

    return Rule(delta_at, epsilon_at)


def _sampled_rule(mu: float, probability: float) -> Rule:
    return Rule(
        lambda epsilon: sampled_gaussian_delta(mu, probability, epsilon),
        lambda delta: sampled_gaussian_epsilon(mu, probability, delta),
    )


ROUNDING = 1e-15
"""What a release of a subsample adds to delta for the rounding of the composition's transform."""


def _distribution_rule(distribution: Any, rounding: float) -> Rule:
    def epsilon_at(delta: float) -> float:
        if delta < rounding:
            return math.inf
        return float(distribution.get_epsilon_for_delta(delta - rounding))

    return Rule(
        lambda epsilon: min(1.0, float(distribution.get_delta_for_epsilon(epsilon)) + rounding),
        epsilon_at,
    )


Events = Mapping[tuple[str, float, float], int]
_TAIL = 1e-13  # of all releases together, counted as infinite loss


def _sampled_interval(sampled: Events, rest: Events) -> float:
    """Return the grid on which a composition with sampled releases is discretised.

    Joining the curve at points h apart adds at most h^2/4 to the variance of the loss of a release:
    a twentieth of the root mean square of their deviations adds less than a thousandth to all.
    """
    count = sum(sampled.values()) + sum(rest.values())
    squares = [size**2 * times for (_, size, _), times in rest.items()]
    squares += [loss_deviation(mu, q) ** 2 * times for (_, mu, q), times in sampled.items()]
    interval = min(0.05, 0.05 * math.sqrt(math.fsum(squares) / count))
    largest = max(largest_loss(mu, q, _TAIL / count) for _, mu, q in sampled)
    # never more than 2^18 points
    return max(interval, largest / 2**17)


@lru_cache(maxsize=256)
def _composed_distribution(
    events: tuple[tuple[tuple[str, float, float], int], ...], interval: float
) -> Any:
    # imported where it is used: it takes seconds, and most commands account nothing
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    composed = None
    releases = sum(count for _, count in events)
    for (kind, size, delta), count in events:
        if kind == "sampled":
            single = sampled_gaussian_distribution(
                size, delta, interval=interval, tail=_TAIL / releases
            )
        elif kind == "gaussian":
            single = pld.from_gaussian_mechanism(1 / size, value_discretization_interval=interval)
        elif kind == "laplace":
            single = pld.from_laplace_mechanism(1 / size, value_discretization_interval=interval)
        else:
            single = pld.from_privacy_parameters(
                common.DifferentialPrivacyParameters(size, delta), interval
            )
        with np.errstate(over="ignore"):  # an infinite bound on the tail is passed over there
            repeated = single.self_compose(count)
        composed = repeated if composed is None else composed.compose(repeated)
    return composed


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
    for group in _by_sample(charges):
        if not _amplified(group):
            rho += _group_rho(group)
            continue
        mu, background, _ = _parts(group)
        part = share if background > 0 else 1.0
        if background > 0:
            rho += background**2 / (1 - part) / 2
        if mu > 0:
            sampling = group[0].sampling
            assert sampling is not None
            multiplier = min(math.sqrt(part) / mu, _LARGEST_MULTIPLIER)
            events[sampling.population, sampling.size, multiplier] += 1
            rho += _RENYI_ROUNDING * sampling.probability**2
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
