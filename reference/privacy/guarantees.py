"""Privacy guarantees as values, and the exact conversions between them.

Sources: dissertation (seed 004) chapter 2 for the definitions; every conversion names its
statement. All logarithms are natural.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from scipy.optimize import brentq, minimize_scalar
from scipy.special import log_ndtr, ndtri

from reference._validation import require_delta, require_positive


class Model(Enum):
    """Who is trusted with the data, and what one unit of privacy is."""

    CENTRAL = "central"
    LOCAL = "local"
    LOCAL_ATTRIBUTE = "local attribute"


class Relation(Enum):
    """When two data sets are neighbours."""

    REPLACE_ONE = "replace-one"
    ADD_OR_REMOVE_ONE = "add/remove-one"


# ------------------------------------------------------------------ conversions on numbers


def zcdp_epsilon(rho: float, delta: float) -> float:
    """Epsilon of rho-zCDP by the seed's conversion, rho + 2 sqrt(rho log(1/delta)).

    Source: seed 004, Lemma 2.1.10 (l.426).
    """
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def zcdp_rho(epsilon: float, delta: float) -> float:
    """Exact inverse of :func:`zcdp_epsilon`: (sqrt(log(1/delta)+epsilon) - sqrt(log(1/delta)))^2.

    Source: seed 000, Algorithm 2 (its square root is the paper's tilde-epsilon); seed 004 l.2738.
    """
    root = math.sqrt(math.log(1 / delta))
    # epsilon / (sum of roots) equals the difference of roots without the cancellation
    return (epsilon / (math.sqrt(math.log(1 / delta) + epsilon) + root)) ** 2


def zcdp_delta(rho: float, epsilon: float) -> float:
    """Smallest delta certified for rho-zCDP by optimising the Renyi order.

    Minimises exp((a-1)(a rho - epsilon)) / (a-1) * (1 - 1/a)^a over a > 1. Source: Canonne,
    Kamath, Steinke, "The discrete Gaussian for differential privacy" (2020), Proposition 12.
    """
    if rho == 0:
        return 0.0
    if math.isinf(rho):
        return 1.0

    def log_delta(log_order: float) -> float:
        order = 1 + math.exp(log_order)
        return (
            (order - 1) * (order * rho - epsilon)
            - math.log(order - 1)
            + order * math.log1p(-1 / order)
        )

    # the exponent alone is smallest at a = (1 + epsilon/rho)/2; search around it
    centre = math.log(max((1 + epsilon / rho) / 2 - 1, 1e-3))
    best = minimize_scalar(log_delta, bounds=(centre - 12, centre + 6), method="bounded")
    return float(min(1.0, math.exp(min(0.0, float(best.fun)))))


def gaussian_dp_delta(mu: float, epsilon: float) -> float:
    """Exact delta of mu-Gaussian DP: Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).

    Source: the exact curve of the Gaussian mechanism of sensitivity/scale mu (Balle and Wang,
    2018, Theorem 8; used on every Gaussian card of the catalogue).
    """
    if mu == 0:
        return 0.0
    if math.isinf(mu):
        return 1.0
    log_p = float(log_ndtr(mu / 2 - epsilon / mu))
    log_q = float(log_ndtr(-mu / 2 - epsilon / mu)) + epsilon
    # the difference of two probabilities of nearly equal size, taken in the log domain
    return max(0.0, -math.exp(log_p) * math.expm1(min(0.0, log_q - log_p)))


def gaussian_dp_epsilon(mu: float, delta: float) -> float:
    """Smallest epsilon >= 0 at which mu-Gaussian DP has at most the given delta."""
    if math.isinf(mu):
        return math.inf
    if gaussian_dp_delta(mu, 0.0) <= delta:
        return 0.0
    upper = zcdp_epsilon(mu**2 / 2, delta)
    return float(brentq(lambda e: gaussian_dp_delta(mu, e) - delta, 0.0, upper, xtol=1e-13))


def gaussian_dp_mu(epsilon: float, delta: float) -> float:
    """Largest mu such that mu-Gaussian DP is (epsilon, delta)-DP."""
    lower = math.sqrt(2 * zcdp_rho(epsilon, delta))  # sufficient, by zCDP
    upper = max(2 * lower, 2 * float(-ndtri((1 - delta) / 2)))
    while gaussian_dp_delta(upper, epsilon) < delta:
        upper *= 2
    return float(brentq(lambda m: gaussian_dp_delta(m, epsilon) - delta, lower, upper, xtol=1e-13))


def smallest_epsilon(delta_of: Callable[[float], float], delta: float) -> float:
    """Smallest epsilon >= 0 with ``delta_of(epsilon) <= delta`` for a nonincreasing curve."""
    if delta_of(0.0) <= delta:
        return 0.0
    upper = 1.0
    while delta_of(upper) > delta:
        upper *= 2
        if upper > 1e9:
            return math.inf
    return float(brentq(lambda e: delta_of(e) - delta, 0.0, upper, xtol=1e-12))


# ----------------------------------------------------------------------------- the values


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """What a mechanism promises about every neighbouring pair.

    Parameters
    ----------
    model : Model
        Central, local (every user randomises a whole record) or local attribute.
    relation : Relation
        Replace-one (the relation of all five seeds) or add/remove-one.
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
    """epsilon-DP. Source: seed 004, Definition 2.1.1 (l.360) with delta = 0."""

    epsilon: float

    def __post_init__(self) -> None:
        require_positive("epsilon", self.epsilon)

    def delta_at(self, epsilon: float) -> float:
        """Exact: (e^epsilon0 - e^epsilon)/(1 + e^epsilon0), attained by randomized response."""
        if epsilon >= self.epsilon:
            return 0.0
        return -math.expm1(epsilon - self.epsilon) / (1 + math.exp(-self.epsilon))

    def epsilon_at(self, delta: float) -> float:
        """Exact inverse of :meth:`delta_at`."""
        if delta == 0:
            return self.epsilon
        return super().epsilon_at(delta)

    def describe(self) -> str:
        """Return e.g. ``1-DP (local, replace-one)``."""
        return f"{self.epsilon:g}-DP ({self._scope()})"


@dataclass(frozen=True)
class ApproximateDP(Guarantee):
    """(epsilon, delta)-DP. Source: seed 004, Definition 2.1.1 (l.360)."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        require_positive("epsilon", self.epsilon)
        require_delta(self.delta)

    def delta_at(self, epsilon: float) -> float:
        """Exact worst case over all (epsilon0, delta0)-DP mechanisms.

        The dominating pair leaks with probability delta0 and is randomized response otherwise
        (Kairouz, Oh, Viswanath, 2015).
        """
        return self.delta + (1 - self.delta) * PureDP(self.epsilon).delta_at(epsilon)

    def describe(self) -> str:
        """Return e.g. ``(1, 1e-05)-DP (central, replace-one)``."""
        return f"({self.epsilon:g}, {self.delta:g})-DP ({self._scope()})"


@dataclass(frozen=True)
class ZCDP(Guarantee):
    """rho-zero-concentrated DP. Source: seed 004, Definition 2.1.5 (l.410)."""

    rho: float

    def __post_init__(self) -> None:
        require_positive("rho", self.rho)

    def delta_at(self, epsilon: float) -> float:
        """Optimised conversion, see :func:`zcdp_delta`; never above Lemma 2.1.10's."""
        return zcdp_delta(self.rho, epsilon)

    def describe(self) -> str:
        """Return e.g. ``0.5-zCDP (central, replace-one)``."""
        return f"{self.rho:g}-zCDP ({self._scope()})"


@dataclass(frozen=True)
class RenyiDP(Guarantee):
    """(alpha, epsilon)-Renyi DP: the divergence of order ``alpha`` is at most ``divergence``."""

    alpha: float
    divergence: float

    def __post_init__(self) -> None:
        if not self.alpha > 1:
            raise ValueError(f"alpha must be > 1, got {self.alpha!r}")
        require_positive("divergence", self.divergence)

    def delta_at(self, epsilon: float) -> float:
        """Source: Canonne, Kamath, Steinke (2020), Proposition 12, at the one order alpha."""
        a = self.alpha
        log_delta = (a - 1) * (self.divergence - epsilon) - math.log(a - 1) + a * math.log1p(-1 / a)
        return min(1.0, math.exp(min(0.0, log_delta)))

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
        """Exact, see :func:`gaussian_dp_delta`."""
        return gaussian_dp_delta(self.mu, epsilon)

    def epsilon_at(self, delta: float) -> float:
        """Exact, see :func:`gaussian_dp_epsilon`."""
        return math.inf if delta == 0 else gaussian_dp_epsilon(self.mu, delta)

    def describe(self) -> str:
        """Return e.g. ``0.3-Gaussian DP (central, replace-one)``."""
        return f"{self.mu:g}-Gaussian DP ({self._scope()})"


# ------------------------------------------------------------ conversions between the values


def pure_to_zcdp(guarantee: PureDP) -> ZCDP:
    """epsilon-DP is epsilon^2/2-zCDP (Bun and Steinke 2016, Proposition 3.3)."""
    return ZCDP(guarantee.epsilon**2 / 2, model=guarantee.model, relation=guarantee.relation)


def zcdp_to_renyi(guarantee: ZCDP, alpha: float) -> RenyiDP:
    """rho-zCDP bounds the divergence of order alpha by alpha rho (seed 004, Definition 2.1.5)."""
    return RenyiDP(alpha, alpha * guarantee.rho, model=guarantee.model, relation=guarantee.relation)


def gaussian_to_zcdp(guarantee: GaussianDP) -> ZCDP:
    """Convert exactly: the pair N(0,1), N(mu,1) is mu^2/2-zCDP (seed 004, Lemma 2.1.9 corrected).

    A mu-Gaussian-DP mechanism is a post-processing of that pair, so it inherits the value.
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
