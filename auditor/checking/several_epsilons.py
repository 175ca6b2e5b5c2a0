"""One check of a mechanism that takes epsilon, at several epsilons, with one confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from auditor.checking.engine import check
from auditor.checking.examination import examine
from auditor.checking.independence import SAME
from auditor.checking.result import CheckResult
from auditor.checking.source import OutputSource, kind_of
from auditor.core.arguments import require_callable, require_confidence, require_number
from auditor.core.errors import InputError
from auditor.core.verdict import CheckStatus
from auditor.core.witness import decode_pair
from auditor.runs.clock import Clock
from auditor.runs.runner import MechanismFunction

MOST_EPSILONS = 100
UNCHANGED_RUNS = 20_000
"""Most runs at either end with which outputs at two epsilons are compared."""


@dataclass(frozen=True)
class EpsilonsResult:
    """The answer of :func:`auditor.check_epsilons`.

    Attributes
    ----------
    status : {"holds", "violated", "inconclusive"}
        ``"violated"`` if the claim is at any epsilon; ``"holds"`` if it does at all.
    headline : str
    facts : mapping of str to str
        With ``"noise"`` if nothing told the outputs at the smallest epsilon from those at the
        largest: a remark, no verdict.
    results : mapping of float to CheckResult
        By epsilon.
    confidence : float
        Of all together.
    """

    status: CheckStatus
    headline: str
    facts: Mapping[str, str]
    results: Mapping[float, CheckResult]
    confidence: float

    @property
    def summary(self) -> str:
        """The headline and the facts in one sentence."""
        return ": ".join(filter(None, (self.headline, "; ".join(self.facts.values()))))


def check_epsilons(
    mechanism: MechanismFunction,
    epsilons: Sequence[float],
    *,
    confidence: float = 0.99,
    **options: Any,
) -> EpsilonsResult:
    """Try to refute a mechanism's claim at every one of several epsilons.

    A check at one epsilon cannot see that the noise is the same at another one.

    Parameters
    ----------
    mechanism : callable
        As for :func:`auditor.check`, with a further argument ``epsilon`` that it is given by name.
    epsilons : sequence of float
        Two or more, > 0, each claimed of the mechanism that is given it.
    confidence : float
        Probability with which no true claim is called violated, at any epsilon.
    **options
        Further arguments of :func:`auditor.check`, but no ``claim``; ``samples`` are for each.

    Returns
    -------
    EpsilonsResult

    Raises
    ------
    InputError
        For input that makes no sense, and mechanisms that do not run.

    Examples
    --------
    >>> def noisy_sum(data, rng, epsilon):
    ...     return sum(data) + rng.laplace(scale=1.0)  # whatever epsilon is
    >>> found = check_epsilons(noisy_sum, [0.2, 2.0], pair=([0, 1], [0, 0]), samples=10_000)
    >>> found.headline
    'the claim is refuted at epsilon 0.2, and not at 2'
    """
    require_callable("mechanism", mechanism, "mechanism(data, rng, epsilon)")
    alpha = require_confidence(confidence)
    if "claim" in options or "epsilon" in options:
        raise InputError("the claim is epsilon, of each of epsilons (with delta, if given)")
    tried = _require_epsilons(epsilons)
    each = 1 - alpha / len(tried)
    results = {
        epsilon: check(
            partial(mechanism, epsilon=epsilon), epsilon=epsilon, confidence=each, **options
        )
        for epsilon in tried
    }
    by_status = {
        status: [epsilon for epsilon, result in results.items() if result.status == status]
        for status in ("violated", "inconclusive", "holds")
    }
    status: Any = next(status for status, found in by_status.items() if found)
    facts = {f"at {epsilon:g}": result.summary for epsilon, result in results.items()}
    runs = min(UNCHANGED_RUNS, options.get("samples", UNCHANGED_RUNS))
    if by_status["violated"] and _is_unchanged(mechanism, tried, results, alpha, runs, options):
        facts["noise"] = (
            f"the noise does not change with epsilon as far as {runs} runs see: nothing "
            f"tells the outputs at {tried[0]:g} from those at {tried[-1]:g}"
        )
    return EpsilonsResult(status, _headline(by_status), facts, results, confidence)


def _require_epsilons(epsilons: Any) -> list[float]:
    """Return epsilons in ascending order; raise InputError unless they are two or more numbers."""
    if isinstance(epsilons, (str, bytes)) or not isinstance(epsilons, (Sequence, np.ndarray)):
        raise InputError(f"epsilons must be two or more numbers, got {type(epsilons).__name__}")
    if not 2 <= len(epsilons) <= MOST_EPSILONS:
        raise InputError(f"epsilons must be 2 to {MOST_EPSILONS} numbers, got {len(epsilons)}")
    tried = sorted({require_number("epsilons", one, 0, 1e6, ends="(]") for one in epsilons})
    if len(tried) < len(epsilons):
        raise InputError("epsilons must be different numbers")
    return tried


def _headline(by_status: Mapping[str, Sequence[float]]) -> str:
    if by_status["violated"]:
        others = sorted([*by_status["inconclusive"], *by_status["holds"]])
        refuted = f"the claim is refuted at epsilon {_listed(by_status['violated'])}"
        return f"{refuted}, and not at {_listed(others)}" if others else refuted
    if by_status["inconclusive"]:
        return f"not all is settled at epsilon {_listed(by_status['inconclusive'])}"
    return f"nothing contradicts the claim at epsilon {_listed(by_status['holds'])}"


def _listed(epsilons: Sequence[float]) -> str:
    return ", ".join(f"{epsilon:g}" for epsilon in epsilons)


def _is_unchanged(
    mechanism: MechanismFunction,
    tried: Sequence[float],
    results: Mapping[float, CheckResult],
    alpha: float,
    runs: int,
    options: Mapping[str, Any],
) -> bool:
    """Return whether nothing tells outputs at the smallest epsilon from those at the largest."""
    witness = next((r.witness for r in results.values() if r.witness is not None), None)
    pair = options.get("pair")
    if not isinstance(pair, (tuple, list)):
        try:
            pair = decode_pair(witness or {})
        except (InputError, LookupError):  # too large for a witness
            return False

    def at_epsilon(both: tuple[Any, float], rng: Any, *size: int) -> Any:
        return mechanism(both[0], rng, *size, epsilon=both[1])

    with OutputSource(
        at_epsilon,
        options.get("kind") or kind_of(mechanism),
        ledger=options.get("ledger", "numpy"),
        batched=options.get("batched", False),
        workers=1,
        call_timeout=options.get("call_timeout"),
    ) as source:
        ends = (pair[0], tried[0]), (pair[0], tried[-1])
        sampler = source.sampler(ends, options.get("seed", 0), Clock())
        try:
            found = examine(sampler, SAME, alpha=alpha, samples=runs, seed=0, sequential=False)
        finally:
            sampler.close()
    return found.p_value(SAME) > alpha
