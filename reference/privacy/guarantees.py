"""Privacy guarantees as values, and the exact conversions between them.

Sources: Wang (2020), chapter 2 for the definitions; every conversion names its
statement. The curves are those of :mod:`reference.privacy.curves`, whose names are here as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

from reference._validation import require_delta, require_in_interval, require_positive
from reference.privacy.curves import (
    OUTWARD,
    ULPS,
    gaussian_dp_delta,
    gaussian_dp_deltas,
    gaussian_dp_epsilon,
    gaussian_dp_mu,
    laplace_delta,
    laplace_epsilon,
    laplace_rho,
    largest_pure_epsilon,
    largest_zcdp_rho,
    raised,
    reduced,
    smallest_epsilon,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_rho,
)

__all__ = [
    "OUTWARD",
    "ULPS",
    "ZCDP",
    "ApproximateDP",
    "GaussianDP",
    "Guarantee",
    "Model",
    "PureDP",
    "Relation",
    "RenyiDP",
    "add_remove_to_replace_one",
    "gaussian_dp_delta",
    "gaussian_dp_deltas",
    "gaussian_dp_epsilon",
    "gaussian_dp_mu",
    "gaussian_to_zcdp",
    "laplace_delta",
    "laplace_epsilon",
    "laplace_rho",
    "largest_pure_epsilon",
    "largest_zcdp_rho",
    "pure_to_zcdp",
    "smallest_epsilon",
    "to_approximate",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_rho",
    "zcdp_to_renyi",
]


class Model(Enum):
    """A model of trust: who sees the data, and what one unit of privacy is."""

    CENTRAL = "central"
    LOCAL = "local"
    LOCAL_ATTRIBUTE = "local attribute"


class Relation(Enum):
    """The relation that makes two data sets neighbours.

    Replace-label: only the last part of one record (x, .., y) changes; the others are public.
    """

    REPLACE_ONE = "replace-one"
    ADD_OR_REMOVE_ONE = "add/remove-one"
    REPLACE_LABEL = "replace-label"


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """A promise of a mechanism about every neighbouring pair.

    Parameters
    ----------
    model : Model
        Central, local (every user randomises a whole record) or local attribute.
    relation : Relation
        Replace-one (the relation of all five papers but for section 5.3.4 of Wang (2020), where it
        is replace-label) or add/remove-one.
    """

    model: Model = field(default=Model.CENTRAL)
    relation: Relation = field(default=Relation.REPLACE_ONE)

    def delta_at(self, epsilon: float) -> float:
        """Smallest delta this guarantee certifies at ``epsilon`` >= 0."""
        raise NotImplementedError

    def epsilon_at(self, delta: float) -> float:
        """Smallest epsilon this guarantee certifies at ``delta`` in [0, 1)."""
        return smallest_epsilon(self.delta_at, delta)

    def describe(self) -> str:
        """Return the guarantee as the papers write it."""
        raise NotImplementedError

    def _scope(self) -> str:
        return f"{self.model.value}, {self.relation.value}"


@dataclass(frozen=True)
class PureDP(Guarantee):
    """epsilon-DP. Source: Wang (2020), Definition 2.1.1 (l.360) with delta = 0."""

    epsilon: float

    def __post_init__(self) -> None:
        require_positive("epsilon", self.epsilon)

    def delta_at(self, epsilon: float) -> float:
        """Return (e^epsilon0 - e^epsilon)/(1 + e^epsilon0), as of randomized response; round up."""
        if epsilon >= self.epsilon:
            return 0.0
        return raised(*self._shares(epsilon), 16 * ULPS)

    def _shares(self, epsilon: float) -> tuple[float, float]:
        """Return delta at epsilon, below the guarantee's own, and 1 - delta."""
        rest, lie = math.exp(epsilon - self.epsilon), math.exp(-self.epsilon)
        return -math.expm1(epsilon - self.epsilon) / (1 + lie), (rest + lie) / (1 + lie)

    def epsilon_at(self, delta: float) -> float:
        """Exact inverse of :meth:`delta_at`, rounded up."""
        lie = delta * math.exp(-self.epsilon)
        if delta < 0.5:
            return reduced(self.epsilon, -math.log1p(-(delta + lie) * (1 - ULPS)))
        left = 1 - delta - lie + ULPS * (1 - delta + lie)
        return reduced(self.epsilon, -math.log(left)) if left > 0 else 0.0

    def describe(self) -> str:
        """Return e.g. ``1-DP (local, replace-one)``."""
        return f"{self.epsilon:g}-DP ({self._scope()})"


@dataclass(frozen=True)
class ApproximateDP(Guarantee):
    """(epsilon, delta)-DP. Source: Wang (2020), Definition 2.1.1 (l.360)."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        require_positive("epsilon", self.epsilon)
        require_delta(self.delta)

    def delta_at(self, epsilon: float) -> float:
        """Exact worst case over all (epsilon0, delta0)-DP mechanisms, rounded up.

        The dominating pair leaks with probability delta0 and is randomized response otherwise
        (Kairouz, Oh, Viswanath, 2015).
        """
        if epsilon >= self.epsilon:
            return self.delta
        delta, complement = PureDP(self.epsilon)._shares(epsilon)
        either, neither = self.delta + (1 - self.delta) * delta, (1 - self.delta) * complement
        return raised(either, neither, 16 * ULPS)

    def epsilon_at(self, delta: float) -> float:
        """Inverse of :meth:`delta_at`, rounded up; infinite below the guarantee's own delta."""
        if delta < self.delta:
            return math.inf
        rest = (delta - self.delta) / (1 - self.delta) * (1 - ULPS)
        return PureDP(self.epsilon).epsilon_at(rest)

    def describe(self) -> str:
        """Return e.g. ``(1, 1e-05)-DP (central, replace-one)``."""
        return f"({self.epsilon:g}, {self.delta:g})-DP ({self._scope()})"


@dataclass(frozen=True)
class ZCDP(Guarantee):
    """rho-zero-concentrated DP. Source: Wang (2020), Definition 2.1.5 (l.410)."""

    rho: float

    def __post_init__(self) -> None:
        require_positive("rho", self.rho)

    def delta_at(self, epsilon: float) -> float:
        """Optimised conversion, see :func:`zcdp_delta`; never above Lemma 2.1.10's, never 0."""
        return max(zcdp_delta(self.rho, epsilon), math.ulp(0.0))

    def epsilon_at(self, delta: float) -> float:
        """Inverse of :meth:`delta_at`, to 1e-13; zCDP implies no pure DP."""
        return math.inf if delta == 0 else super().epsilon_at(delta)

    def describe(self) -> str:
        """Return e.g. ``0.5-zCDP (central, replace-one)``."""
        return f"{self.rho:g}-zCDP ({self._scope()})"


@dataclass(frozen=True)
class RenyiDP(Guarantee):
    """(alpha, epsilon)-Renyi DP: the divergence of order ``alpha`` is at most ``divergence``."""

    alpha: float
    divergence: float

    def __post_init__(self) -> None:
        require_in_interval("alpha", self.alpha, 1, math.inf)
        require_positive("divergence", self.divergence)

    def delta_at(self, epsilon: float) -> float:
        """Canonne, Kamath, Steinke (2020), Proposition 12, at the one order alpha; rounded up."""
        a, distance = self.alpha, self.divergence - epsilon
        exponent = (a - 1) * (distance + ULPS * (self.divergence + epsilon)) + self._offset()
        return max(math.exp(min(0.0, exponent)), math.ulp(0.0))

    def epsilon_at(self, delta: float) -> float:
        """Exact inverse of :meth:`delta_at`, rounded up."""
        if delta == 0:
            return math.inf
        log_inverse = -math.log(delta)
        more = (self._offset() + log_inverse) / (self.alpha - 1)
        rounding = self.divergence + (1 + log_inverse) / (self.alpha - 1) + abs(more)
        return max(0.0, self.divergence + more + 4 * ULPS * rounding)

    def _offset(self) -> float:
        """Return log((1 - 1/alpha)^alpha/(alpha - 1)), rounded up."""
        # (alpha - 1)/alpha is exact where 1 - 1/alpha is not
        share, excess = self.alpha * math.log((self.alpha - 1) / self.alpha), self.alpha - 1
        if self.alpha > 2:
            share = self.alpha * math.log1p(-1 / self.alpha)
        return share - math.log(excess) + 2 * ULPS * (1 - share + abs(math.log(excess)))

    def describe(self) -> str:
        """Return e.g. ``(2, 0.5)-Renyi DP (central, replace-one)``."""
        return f"({self.alpha:g}, {self.divergence:g})-Renyi DP ({self._scope()})"


@dataclass(frozen=True)
class GaussianDP(Guarantee):
    """mu-Gaussian DP: no easier to tell apart than N(0, 1) and N(mu, 1)."""

    mu: float

    def __post_init__(self) -> None:
        require_positive("mu", self.mu)

    def delta_at(self, epsilon: float) -> float:
        """Exact, see :func:`gaussian_dp_delta`; never 0."""
        return max(gaussian_dp_delta(self.mu, epsilon), math.ulp(0.0))

    def epsilon_at(self, delta: float) -> float:
        """Exact, see :func:`gaussian_dp_epsilon`."""
        return math.inf if delta == 0 else gaussian_dp_epsilon(self.mu, delta)

    def describe(self) -> str:
        """Return e.g. ``0.3-Gaussian DP (central, replace-one)``."""
        return f"{self.mu:g}-Gaussian DP ({self._scope()})"


# ------------------------------------------------------------ conversions between the values


def pure_to_zcdp(guarantee: PureDP) -> ZCDP:
    """Convert: epsilon-DP is epsilon^2/2-zCDP (Bun and Steinke 2016, Proposition 3.3)."""
    return ZCDP(guarantee.epsilon**2 / 2, model=guarantee.model, relation=guarantee.relation)


def zcdp_to_renyi(guarantee: ZCDP, alpha: float) -> RenyiDP:
    """Convert: rho-zCDP bounds the divergence of order alpha by alpha rho.

    Wang (2020), Definition 2.1.5.
    """
    return RenyiDP(alpha, alpha * guarantee.rho, model=guarantee.model, relation=guarantee.relation)


def gaussian_to_zcdp(guarantee: GaussianDP) -> ZCDP:
    """Convert exactly: the pair N(0,1), N(mu,1) is mu^2/2-zCDP.

    Wang (2020), Lemma 2.1.9, corrected. A mu-Gaussian-DP mechanism is a post-processing of that
    pair, so it inherits the value.
    """
    return ZCDP(guarantee.mu**2 / 2, model=guarantee.model, relation=guarantee.relation)


def to_approximate(guarantee: Guarantee, delta: float) -> ApproximateDP:
    """Return the (epsilon, delta)-DP statement a guarantee implies at ``delta``.

    Raises
    ------
    ValueError
        If no finite positive epsilon exists at this delta.
    """
    require_delta(delta)
    epsilon = guarantee.epsilon_at(delta)
    if not 0 < epsilon < math.inf:
        raise ValueError(
            f"{guarantee.describe()} implies epsilon={epsilon:g} at delta={delta:g}; "
            "choose another delta"
        )
    return ApproximateDP(epsilon, delta, model=guarantee.model, relation=guarantee.relation)


def add_remove_to_replace_one(guarantee: Guarantee) -> Guarantee:
    """Replace-one is one removal and one addition: two add/remove steps.

    Pure DP doubles epsilon; zCDP quadruples rho and Gaussian DP doubles mu (group privacy for
    distance 2: Bun and Steinke 2016, Proposition 1.9; Dong, Roth, Su 2022, Theorem 2.14);
    (epsilon, delta) becomes (2 epsilon, (1 + e^epsilon) delta).

    Raises
    ------
    ValueError
        If the guarantee is already replace-one, or Renyi at one order (no group rule there).
    """
    if guarantee.relation is not Relation.ADD_OR_REMOVE_ONE:
        raise ValueError(f"{guarantee.describe()} is not an add/remove-one guarantee")
    model, relation = guarantee.model, Relation.REPLACE_ONE
    if isinstance(guarantee, PureDP):
        return PureDP(2 * guarantee.epsilon, model=model, relation=relation)
    if isinstance(guarantee, ApproximateDP):
        delta = (1 + math.exp(guarantee.epsilon)) * guarantee.delta
        return ApproximateDP(2 * guarantee.epsilon, delta, model=model, relation=relation)
    if isinstance(guarantee, ZCDP):
        return ZCDP(4 * guarantee.rho, model=model, relation=relation)
    if isinstance(guarantee, GaussianDP):
        return GaussianDP(2 * guarantee.mu, model=model, relation=relation)
    raise ValueError(f"no group-privacy rule for {guarantee.describe()}")
