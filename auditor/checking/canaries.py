"""Lower bounds on epsilon and mu from one run with many canaries."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from auditor.checking.check_options import require_delta
from auditor.checking.result import rounded_down
from auditor.core.arguments import (
    require_confidence,
    require_items,
    require_number,
    require_seed,
    require_whole,
    shown,
)
from auditor.core.errors import InputError, pass_interrupts
from auditor.core.files import CANNOT_BE_READ, read_text, why_unreadable
from auditor.core.input_limits import MOST_RECORDS
from auditor.core.verdict import CheckStatus, jsonable
from auditor.statistics.canaries import epsilon_lower, mu_lower
from reference._validation import FloatArray

SIZES = 5
"""Numbers of guesses that are tried unless one is given: m, m/2, m/4, m/8, m/16."""
FEWEST = 8
"""Guesses that are tried at least; fewer right ones are weak evidence."""
UNFAIR = 1e-9
"""Coins are refused as unfair if fair ones give so uneven a count with this probability."""

Guesses = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class CanaryMeasurement:
    """The answer of :func:`auditor.measure_canaries`.

    Attributes
    ----------
    epsilon_lower : float
        Certified lower bound, at ``confidence``, of epsilon at ``delta``; >= 0.
    mu_lower : float
        Certified lower bound, at ``confidence``, of mu: the mechanism is mu-Gaussian DP for no
        smaller one; >= 0. Both bounds are true together with probability at least
        ``2 confidence - 1``.
    epsilon_guesses, mu_guesses : (int, int)
        Guesses behind the bound: of the highest scores that they are included, and of the lowest
        that they are not.
    epsilon_right, mu_right : int
        How many of these guesses are right.
    epsilon_most, mu_most : float
        The bounds if all guesses were right; so many canaries can show no more.
    delta, confidence : float
    canaries, included : int
        Number of canaries, and of those that took part in the run.
    tried : tuple of (int, int)
        All numbers of guesses that the confidence pays for.
    """

    epsilon_lower: float
    mu_lower: float
    epsilon_guesses: Guesses
    mu_guesses: Guesses
    epsilon_right: int
    mu_right: int
    epsilon_most: float
    mu_most: float
    delta: float
    confidence: float
    canaries: int
    included: int
    tried: tuple[Guesses, ...]

    @property
    def summary(self) -> str:
        """Return one sentence with the figures."""
        at = f" at delta {self.delta:g}" if self.delta else ""
        sizes = ", ".join(str(sum(guesses)) for guesses in self.tried)
        return (
            f"epsilon >= {rounded_down(self.epsilon_lower)}{at} with confidence "
            f"{self.confidence:g}: {self.epsilon_right} of {sum(self.epsilon_guesses)} guesses are "
            f"right; mu >= {rounded_down(self.mu_lower)} with the same confidence: {self.mu_right} "
            f"of {sum(self.mu_guesses)} ({self.canaries} canaries, {self.included} of them "
            f"included; numbers of guesses tried: {sizes})"
        )

    def judge(
        self, *, epsilon: float | None = None, mu: float | None = None
    ) -> tuple[CheckStatus, str]:
        """Say whether the bounds refute a claim.

        Parameters
        ----------
        epsilon : float, optional
            Claimed at ``delta``, > 0.
        mu : float, optional
            Claimed of mu-Gaussian DP, > 0; give exactly one of the two.

        Returns
        -------
        status : {"holds", "violated", "inconclusive"}
            ``"violated"``: the bound is above the claim, which has probability at most 1 -
            ``confidence`` if the claim is true; ``"holds"``: it is not, which proves nothing;
            ``"inconclusive"``: it would not be if all guesses were right.
        reason : str
            One sentence.

        Raises
        ------
        InputError
        """
        if (epsilon is None) == (mu is None):
            raise InputError("give exactly one claim, epsilon=... or mu=...")
        symbol = "mu" if epsilon is None else "epsilon"
        claimed = require_number(symbol, mu if epsilon is None else epsilon, 0, np.inf, ends="()")
        lower: float = getattr(self, f"{symbol}_lower")
        most: float = getattr(self, f"{symbol}_most")
        if lower > claimed:
            return "violated", f"{symbol} >= {rounded_down(lower, claimed)}, claimed {claimed:g}"
        if most <= claimed:
            told = epsilon is not None and self.delta * len(self.tried) >= 1 - self.confidence
            remedy = "a delta well below 1 - confidence" if told else "more canaries"
            return "inconclusive", (
                f"{self.canaries} canaries certify {symbol} >= {rounded_down(most)} if all guesses "
                f"are right, claimed {claimed:g}; take {remedy}"
            )
        return "holds", f"nothing contradicts {symbol} {claimed:g}"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types."""
        plain: dict[str, Any] = jsonable({**asdict(self), "summary": self.summary})
        return plain


def measure_canaries(
    scores_in: Any,
    scores_out: Any,
    *,
    delta: float = 0.0,
    confidence: float = 0.99,
    guesses: int | Guesses | None = None,
    seed: int = 0,
) -> CanaryMeasurement:
    """Return the largest epsilon and mu that one run with many canaries certifies.

    The bounds assume three things of the run, which only you can make true:

    - every canary was included or left out by a fair coin of its own, independent of all else; a
      fixed number of included ones, or pairs of which one is included, are not that;
    - the scores were computed from what the mechanism released, without knowing the coins;
    - the claim is about data sets that differ in one canary as these do: add/remove-one if a canary
      whose coin says no was left out, replace-one if a fixed record, zeros for example, took its
      place.

    Nothing is assumed of the mechanism, of the other records, or of how good the scores are.

    Parameters
    ----------
    scores_in, scores_out : array or list of float
        One score of each canary that was included, and of each that was not; together 1 to
        1,000,000. The higher, the likelier the canary was included (negate losses). Infinite scores
        are allowed, NaN is not.
    delta : float
        In [0, 1). Where ``epsilon_lower`` is given. With probability delta a mechanism may tell all
        coins, so nothing is certified unless delta is well below 1 - ``confidence``.
    confidence : float
        In [0.5, 1). Probability with which ``epsilon_lower`` is true; the same of ``mu_lower``.
    guesses : int or (int, int), optional
        How many coins are guessed, fixed before the scores are seen: a total, half of it for the
        highest scores ("included") and half for the lowest ("not"); or a number for each. By
        default m, m/2, m/4, m/8 and m/16 of m canaries are tried, as far as these are 8 at least,
        each with an equal share of the error probability 1 - ``confidence``.
    seed : int
        Of the order of equal scores, which is drawn at random.

    Returns
    -------
    CanaryMeasurement

    Raises
    ------
    InputError
        One line, for input that makes no sense, and for so many or so few included canaries that
        the coins cannot have been fair.

    Notes
    -----
    The p-value behind ``epsilon_lower`` is the smallest valid one for every mechanism that makes
    so many guesses of either kind. For ``delta=0`` it is that of Theorem 5.2 of Steinke, Nasr and
    Jagielski, "Privacy auditing with one (1) training run" (2023); for ``delta`` > 0 it is smaller.
    The p-value behind ``mu_lower`` is that of Algorithm 3 of Mahloujifar, Melis and Chaudhuri,
    "Auditing f-differential privacy in one run" (2024). :mod:`auditor.statistics.canaries` derives
    both.

    One run certifies less than many: at confidence 0.99, 1,000 canaries show epsilon 5.4 at most,
    whatever the mechanism does.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> included = rng.random(2_000) < 0.5
    >>> scores = included + rng.normal(0, 0.5, 2_000)
    >>> found = measure_canaries(scores[included], scores[~included], delta=1e-5)
    >>> 2.5 < found.epsilon_lower < 4
    True
    """
    require_delta(delta)
    alpha = require_confidence(confidence)
    require_seed(seed)
    inside, outside = _scores("scores_in", scores_in), _scores("scores_out", scores_out)
    _require_fair(inside.size, outside.size)
    canaries = inside.size + outside.size
    tried = tuple(_sizes(canaries)) if guesses is None else (_own_size(guesses, canaries),)
    share = alpha / len(tried)
    coins = _by_score(inside, outside, seed)
    found = [_bounds(size, _right(coins, size), canaries, delta, share) for size in tried]
    most = [_bounds(size, sum(size), canaries, delta, share) for size in tried]
    epsilon, mu = max(found, key=lambda one: one.epsilon), max(found, key=lambda one: one.mu)
    return CanaryMeasurement(
        epsilon_lower=epsilon.epsilon,
        mu_lower=mu.mu,
        epsilon_guesses=epsilon.guesses,
        mu_guesses=mu.guesses,
        epsilon_right=epsilon.right,
        mu_right=mu.right,
        epsilon_most=max(one.epsilon for one in most),
        mu_most=max(one.mu for one in most),
        delta=float(delta),
        confidence=float(confidence),
        canaries=canaries,
        included=inside.size,
        tried=tried,
    )


class _Bounds(NamedTuple):
    """Bounds from one number of guesses."""

    guesses: Guesses
    right: int
    epsilon: float
    mu: float


@lru_cache(maxsize=10_000)
def _bounds(guesses: Guesses, right: int, canaries: int, delta: float, alpha: float) -> _Bounds:
    total = sum(guesses)
    exposed = canaries if all(guesses) else canaries / 2  # one kind of guess exposes half of them
    return _Bounds(
        guesses,
        right,
        epsilon_lower(delta, alpha, exposed=exposed, guesses=total, right=right),
        mu_lower(alpha, exposed=exposed, guesses=total, right=right),
    )


def _right(coins: np.ndarray[Any, Any], guesses: Guesses) -> int:
    """Return how many guesses are right, of coins in the order of their scores."""
    high, low = guesses
    return int(coins[coins.size - high :].sum()) + low - int(coins[:low].sum())


def _sizes(canaries: int) -> Iterator[Guesses]:
    """Return the numbers of guesses that are tried; of ``canaries`` alone, so fixed in advance."""
    for halving in range(SIZES):
        total = canaries >> halving
        if halving == 0 or total >= FEWEST:
            yield total - total // 2, total // 2


def _own_size(guesses: Any, canaries: int) -> Guesses:
    """Return numbers of guesses for the highest and the lowest scores; or raise InputError."""
    if isinstance(guesses, (list, tuple)):
        parts = require_items("guesses", guesses, 2, words="a whole number or two of them")
        if len(parts) == 2:
            high, low = (require_whole("guesses", part, 0, canaries) for part in parts)
            require_whole("guesses, together,", high + low, 1, canaries)
            return high, low
    total = require_whole("guesses", guesses, 1, canaries, why=", or two such numbers")
    return total - total // 2, total // 2


def _by_score(inside: FloatArray, outside: FloatArray, seed: int) -> np.ndarray[Any, Any]:
    """Return the coins (1: included) from the lowest score to the highest, equal ones at random.

    The order of equal scores must not tell the coins: as given, all that are included come first.
    """
    scores = np.concatenate([inside, outside])
    coins = np.repeat([1, 0], [inside.size, outside.size])
    mixed = np.random.default_rng(seed).permutation(scores.size)
    return coins[mixed][np.argsort(scores[mixed], kind="stable")]


def _scores(name: str, given: Any) -> FloatArray:
    """Return scores as an array of their own; raise InputError if they are none."""
    words = f"an array or list of at most {MOST_RECORDS} numbers"
    array: np.ndarray[Any, Any] | None = None
    try:
        if isinstance(given, np.ndarray):
            array = given if given.size <= MOST_RECORDS else None
        else:
            array = np.asarray(require_items(name, given, MOST_RECORDS, words=words))
    except InputError:
        raise
    except BaseException as error:  # of whatever class it is
        pass_interrupts(error)
    if array is None or array.ndim != 1 or (array.size and array.dtype.kind not in "biuf"):
        raise InputError(f"{name} must be {words}, got {shown(given)}")
    scores = array.astype(np.float64)
    if np.isnan(scores).any():
        where = int(np.flatnonzero(np.isnan(scores))[0])
        raise InputError(
            f"{name}[{where}] is NaN; give every canary a score, the lowest if its loss is NaN"
        )
    return scores


def _require_fair(included: int, left_out: int) -> None:
    """Raise InputError unless fair coins may have included so many canaries."""
    total, fewer = included + left_out, min(included, left_out)
    require_whole("scores_in and scores_out: the number of canaries", total, 1, MOST_RECORDS)
    probability = 2 * float(special.bdtr(fewer, total, 0.5))
    if probability < UNFAIR:
        raise InputError(
            f"scores_in and scores_out have {included} and {left_out} canaries; fair coins are so "
            f"uneven with probability {probability:.1g}: include each canary by its own fair coin"
        )


# ------------------------------------------------------------------------------- from a file

COLUMNS = ("included", "score")


def read_scores(path: Path) -> tuple[FloatArray, FloatArray]:
    """Return the scores of a CSV file, of canaries that were included and of those that were not.

    Parameters
    ----------
    path : Path
        With a first line that names the columns ``included`` (0 or 1) and ``score``, in any order
        and among others, and a line for each canary.

    Returns
    -------
    scores_in, scores_out : ndarray

    Raises
    ------
    InputError
        If it cannot be read, or a line is not of that form; the message has its number.
    """
    try:
        text = read_text(path)
    except CANNOT_BE_READ as error:
        raise InputError(f"{path} cannot be read: {why_unreadable(error)}") from None
    found: tuple[list[float], list[float]] = ([], [])
    try:
        lines = csv.reader(StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
        names = [name.strip() for name in next(lines, [])]
        if any(names.count(column) != 1 for column in COLUMNS):
            raise InputError(
                f"{path} must begin with a line that names its columns, included and score, once "
                f"each; it begins with {shown(','.join(names))}"
            )
        included, score = map(names.index, COLUMNS)
        for line in lines:
            if line:
                coin, value = _of_line(path, lines.line_num, line, included, score)
                found[coin].append(value)
    except csv.Error as error:
        raise InputError(f"{path}, line {lines.line_num}, is no CSV: {error}") from None
    return np.array(found[1]), np.array(found[0])


def _of_line(
    path: Path, number: int, line: list[str], included: int, score: int
) -> tuple[int, float]:
    coin = line[included].strip() if included < len(line) else ""
    if coin not in ("0", "1"):
        raise InputError(f"{path}, line {number}: included must be 0 or 1, got {shown(coin)}")
    value = line[score] if score < len(line) else ""
    try:
        return int(coin), float(value)
    except ValueError:
        raise InputError(
            f"{path}, line {number}: score must be a number, got {shown(value)}"
        ) from None
