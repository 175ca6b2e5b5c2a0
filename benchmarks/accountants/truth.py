"""The true delta of random lists of releases, by ways that share nothing with the accountant.

A list's losses add up, so that with K(s) the sum of the logarithms of E e^(s L)

    delta(epsilon) = 1/(2 pi i) int e^(K(s) - s epsilon)/(s (s + 1)) ds  along Re s = t, any t > 0,

as 1/s - 1/(s + 1) is the Laplace transform of (1 - e^-x)_+. The trapezoidal rule with steps h adds
the same at epsilon + 2 pi j/h, times e^(t 2 pi j/h), j = +-1, +-2, ..; all of it positive and here
below a relative 1e-12. Randomised responses of one size are a binomial sum, at 60 digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mpmath as mp
import numpy as np
import scipy

ACCURACY = 1e-10
"""Relative error of what an integral gives; sums are exact."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


@dataclass(frozen=True)
class Group:
    """So many equal releases.

    Attributes
    ----------
    kind : {"gaussian", "laplace", "response"}
    size : float
        Sensitivity over scale, or epsilon of a randomised response.
    count : int
    sample : (int, int), optional
        Size of the sample, drawn again without replacement, and of the population.
    """

    kind: str
    size: float
    count: int
    sample: tuple[int, int] | None = None

    @property
    def probability(self) -> float:
        """With which a record is in the sample."""
        return 1.0 if self.sample is None else self.sample[0] / self.sample[1]


Account = tuple[Group, ...]


def exact_delta(account: Account, epsilon: float) -> mp.mpf | None:
    """Return delta at ``epsilon`` >= 0; ``None`` where neither way leads there."""
    kinds = {group.kind for group in account}
    if len(account) == 1 and kinds == {"response"}:
        return _binomial(account[0], epsilon)
    if all(group.kind == "gaussian" and group.sample is None for group in account):
        return _gaussian(mp.sqrt(sum(g.count * mp.mpf(g.size) ** 2 for g in account)), epsilon)
    if len(account) == 1 and account[0].count == 1:
        return _single(account[0], epsilon)
    return _contour(account, epsilon)


def _binomial(group: Group, epsilon: float) -> mp.mpf:
    with mp.workdps(60):
        size, count, total = mp.mpf(group.size), group.count, mp.mpf(0)
        term, odds = (1 + mp.exp(-size)) ** -count, mp.exp(-size)  # no lie yet
        for lies in range(count + 1):
            loss = (count - 2 * lies) * size
            if loss <= epsilon:
                break
            total += term * -mp.expm1(epsilon - loss)
            term *= odds * (count - lies) / (lies + 1)
        return total


def _gaussian(mu: mp.mpf, epsilon: mp.mpf | float) -> mp.mpf:
    with mp.workdps(60 + int(2 * epsilon)):
        mu, epsilon = mp.mpf(mu), mp.mpf(epsilon)
        return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def _single(group: Group, epsilon: float) -> mp.mpf:
    with mp.workdps(60 + int(2 * epsilon)):
        if group.kind == "laplace":
            return max(mp.mpf(0), -mp.expm1((mp.mpf(epsilon) - mp.mpf(group.size)) / 2))
        q = mp.mpf(group.probability)
        return q * _gaussian(mp.mpf(group.size), mp.log1p(mp.expm1(mp.mpf(epsilon)) / q))


# ------------------------------------------------------------------------ the integral


def _contour(account: Account, epsilon: float) -> mp.mpf | None:
    """Return the integral through the saddle point; ``None`` where it converges too slowly.

    Along another line with other steps it is the same, or it has not converged.
    """
    first = _along(account, epsilon, 1.0)
    second = first and _along(account, epsilon, 0.8)
    if not first or not second or abs(second / first - 1) > ACCURACY:
        return None
    return first


def _along(account: Account, epsilon: float, part: float) -> mp.mpf | None:
    """Return the integral along a part of the saddle point's real part."""

    def k(s: np.ndarray) -> np.ndarray:
        return sum(group.count * _log_moment(group, s) for group in account)

    def real(t: float) -> float:
        return float(k(np.array([t + 0j], dtype=np.clongdouble))[0].real)

    def exponent(log_t: float) -> float:
        t = math.exp(log_t)
        return real(t) - t * epsilon - math.log(t * (1 + t))

    found = scipy.optimize.minimize_scalar(exponent, bounds=(-12, 25), method="bounded")
    t = part * math.exp(float(found.x))
    step = 1e-2 * t
    deviation = math.sqrt(max((real(t + step) - 2 * real(t) + real(t - step)) / step**2, 1e-300))
    period = (60 / t + 30 * deviation + 2 * max(map(_largest_loss, account))) / part
    h = 2 * math.pi / period
    # a lattice has peaks for ever: only Gaussians, if there are any, make them small
    mu = math.sqrt(
        sum(g.count * g.size**2 for g in account if g.kind == "gaussian" and not g.sample)
    )
    least = 10 / mu if mu else 0.0
    total, index, scale = np.longdouble(0), 0, k(np.array([t + 0j], dtype=np.clongdouble))[0].real
    while index < 40_000:
        y = np.arange(index, index + 200) * np.longdouble(h)
        s = t + 1j * y
        terms = (np.exp(k(s) - scale - 1j * y * epsilon) / (s * (s + 1))).real
        total += terms.sum() - (terms[0] / 2 if index == 0 else 0)
        index += 200
        if y[-1] > least and np.abs(terms).max() < 1e-22 * abs(total):
            with mp.workdps(40):
                factor = mp.exp(mp.mpf(str(scale)) - mp.mpf(t) * mp.mpf(epsilon))
                return factor * mp.mpf(str(total)) * mp.mpf(h) / mp.pi
    return None


def _largest_loss(group: Group) -> float:
    """Return where the loss of a sample ends, far beyond the others' deviations."""
    if group.sample is None:
        return 0.0
    return math.log1p(group.probability * math.expm1(_largest_inner(group.size)))


def _largest_inner(mu: float) -> float:
    return mu * mu / 2 + 24 * mu  # a mass of 1e-127 beyond it


def _log_moment(group: Group, s: np.ndarray) -> np.ndarray:
    """Return log E e^(s L) of one release."""
    size = np.longdouble(group.size)
    if group.kind == "response":
        truth = 1 / (1 + np.exp(-size))
        return s * size + np.log(truth + (1 - truth) * np.exp(-2 * s * size))
    if group.kind == "laplace":
        parts = (1 + s) + s * np.exp(-(2 * s + 1) * size)
        return s * size + np.log(parts / (2 * s + 1))
    if group.sample is None:
        return s * (s + 1) * size**2 / 2
    return _log_sampled_moment(group.size, group.probability, s)


def _log_sampled_moment(mu: float, q: float, s: np.ndarray) -> np.ndarray:
    """Return that of the pair whose curve is q delta_mu(ln(1 + (e^epsilon - 1)/q)).

    With z = ln(1 + (e^L - 1)/q) the loss L > 0 has the density q n(z; mu^2/2) + (1 - q)
    n(z; -mu^2/2), n that of variance mu^2; a loss -L has e^-L times that; the rest is at 0.
    """
    edges = np.linspace(0, _largest_inner(mu), 41)
    half = np.diff(edges)[:, None] / 2
    z = (edges[:-1, None] + half * (1 + _NODES)).ravel()
    weights = (half * _WEIGHTS).ravel() / (mu * math.sqrt(2 * math.pi))
    above, below = (np.exp(-((z - m) ** 2) / (2 * mu * mu)) for m in (mu * mu / 2, -mu * mu / 2))
    masses = weights * (q * above + (1 - q) * below)
    losses = np.log1p(q * np.expm1(z))
    backwards = masses * np.exp(-losses)
    return np.array([_log_of_one(complex(v), masses, backwards, losses) for v in s])


def _log_of_one(
    s: complex, masses: np.ndarray, backwards: np.ndarray, losses: np.ndarray
) -> complex:
    """Return the logarithm of 1 + sum masses (e^(s x) - 1) + sum backwards (e^(-s x) - 1)."""
    if s.real * losses[-1] < 30:  # what is at 0 contributes nothing
        rest = masses @ np.expm1(s * losses) + backwards @ np.expm1(-s * losses)
        return complex(np.log1p(rest))
    exponents = s * losses + np.log(np.maximum(masses, 1e-320))
    largest = float(exponents.real.max())
    rest = 1 - masses.sum() + backwards @ np.expm1(-s * losses)
    return largest + complex(np.log(np.exp(exponents - largest).sum() + rest * math.exp(-largest)))


# ------------------------------------------------------------------------ random accounts


KINDS = (*("response", "laplace", "gaussian", "mixed", "one") * 4, "sampled", "both")
"""In turn; the integrals of samples take seconds."""


def draw(rng: np.random.Generator, kind: str) -> tuple[Account, float]:
    """Draw a list of releases of a kind, and the delta at which it is asked about."""
    delta = 10.0 ** (rng.uniform(-100, -0.3) if rng.random() < 0.5 else rng.uniform(-15, -1))
    total = 10.0 ** rng.uniform(-8, 0.8)  # about the deviation of the whole loss
    count = int(10.0 ** rng.uniform(0, 5))
    if kind == "response":
        return (Group("response", min(total / math.sqrt(count), 20.0), count),), delta
    if kind == "laplace":  # enough of the loss is continuous for the integral to converge
        size = 10.0 ** rng.uniform(-2.3, 0.5)
        return (Group("laplace", size, math.ceil(10.0 ** rng.uniform(2.3, 2.7) / size)),), delta
    if kind == "gaussian":
        return (Group("gaussian", total / math.sqrt(count), count),), delta
    if kind == "mixed":
        share, other = rng.uniform(0.1, 0.9), str(rng.choice(["laplace", "response"]))
        small = Group(other, (1 - share) * total / math.sqrt(count), count)
        return (Group("gaussian", share * total, 1), small), delta
    population = int(10.0 ** rng.uniform(0.4, 9))
    sample = (int(rng.integers(1, population)) if rng.random() < 0.5 else 1, population)
    if kind == "one":
        return (Group("gaussian", 10.0 ** rng.uniform(-5, 0.7), 1, sample),), delta
    group = Group("gaussian", 10.0 ** rng.uniform(-1, 0.5), min(count, 3000), sample)
    if kind == "sampled":
        return (group,), delta
    deviation = math.sqrt(group.count) * group.probability * group.size
    return (group, Group("gaussian", deviation * 10.0 ** rng.uniform(-1, 1), 1)), delta
