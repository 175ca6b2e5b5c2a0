"""One check of a mechanism that takes epsilon, at several epsilons, with one confidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from auditor.checking.engine import check
from auditor.checking.examination import examine
from auditor.checking.independence import SAME
from auditor.checking.result import CheckResult, EpsilonsResult
from auditor.checking.source import OutputSource
from auditor.core.arguments import require_callable, require_confidence, require_number
from auditor.core.errors import InputError
from auditor.core.witness import decode_pair
from auditor.runs.blocks import Block, Outputs
from auditor.runs.clock import Clock, OutOfTime
from auditor.runs.runner import MechanismFunction
from auditor.runs.sampling import Reduced, Sampler
from auditor.runs.target import Named

MOST_EPSILONS = 100
UNCHANGED_RUNS = 20_000
"""Most runs at either end with which outputs at two epsilons are compared."""
UNCHANGED_MISSED = 1e-6
"""Probability, at most, that noise that does not change is told apart, and the remark left out.

Noise that changes is told apart all the same: Laplace noise whose scale changes by 30% in 20 of 20
comparisons of 10,000 runs, by 20% in 15 of 20, and by 20% in 20 of 20 of 20,000.
"""


def check_epsilons(
    mechanism: MechanismFunction,
    epsilons: Sequence[float],
    *,
    confidence: float = 0.99,
    timeout: float | None = None,
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
    timeout : float, optional
        Seconds that everything may take; each epsilon gets an equal share of what is left.
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
    clock = Clock(timeout)
    results: dict[float, CheckResult] = {}
    for place, epsilon in enumerate(tried):
        # a share is left for the comparison of the outputs at the smallest and the largest
        share = clock.part(1 / (len(tried) - place + 1)).seconds
        results[epsilon] = check(
            at_epsilon(mechanism, epsilon),
            epsilon=epsilon,
            confidence=each,
            timeout=share,
            **options,
        )
    by_status = {
        status: [epsilon for epsilon, result in results.items() if result.status == status]
        for status in ("violated", "inconclusive", "holds")
    }
    status: Any = next(status for status, found in by_status.items() if found)
    facts = {f"at {epsilon:g}": result.summary for epsilon, result in results.items()}
    data = _data(options.get("pair"), results) if by_status["violated"] else None
    if data is not None:
        ends = [at_epsilon(mechanism, epsilon) for epsilon in (tried[0], tried[-1])]
        runs = unchanged_for(ends, data, options, clock)
        if runs:
            facts["noise"] = (
                f"the noise does not change with epsilon as far as {runs} runs see: nothing "
                f"tells the outputs at {tried[0]:g} from those at {tried[-1]:g}"
            )
    return EpsilonsResult(status, _headline(by_status), facts, results, confidence)


def at_epsilon(mechanism: MechanismFunction, epsilon: float) -> MechanismFunction:
    """Return a mechanism that is given epsilon by name."""
    if isinstance(mechanism, Named):  # only workers import it
        return Named(mechanism.name, (*mechanism.arguments, ("epsilon", epsilon)))
    return partial(mechanism, epsilon=epsilon)


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


def _data(pair: Any, results: Mapping[float, CheckResult]) -> Any:
    """Return D of the pair that was checked, or None if a search's is too large to be kept."""
    if isinstance(pair, (tuple, list)):
        return pair[0]
    witness = next((r.witness for r in results.values() if r.witness is not None), None)
    try:
        return decode_pair(witness or {})[0]
    except (InputError, LookupError):
        return None


class _BothEnds:
    """Runs of one mechanism on one side, and of another on the other, with the same data."""

    def __init__(self, *sides: Sampler) -> None:
        self._sides = sides

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """Return none: the checks have told them."""
        return ()

    def prepare(self) -> None:
        """Look at the mechanisms."""
        for side in self._sides:
            side.prepare()

    def close(self) -> None:
        """Release processes."""
        for side in self._sides:
            side.close()

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order."""
        for block in blocks:
            yield from self._sides[block.side].draw([block], reduce)


def unchanged_for(
    ends: Sequence[MechanismFunction],
    data: Any,
    options: Mapping[str, Any],
    clock: Clock,
) -> int:
    """Return in how many runs nothing told the outputs of two mechanisms apart; 0 if some did."""
    sources = [
        OutputSource(
            end,
            options.get("kind"),
            ledger=options.get("ledger", "numpy"),
            batched=options.get("batched", False),
            workers=1,
            call_timeout=options.get("call_timeout"),
        )
        for end in ends
    ]
    seed = options.get("seed", 0)
    with sources[0] as first, sources[1] as second:
        sampler = _BothEnds(*(one.sampler((data, data), seed, clock) for one in (first, second)))
        runs = min(UNCHANGED_RUNS, options.get("samples", UNCHANGED_RUNS))
        try:
            sampler.prepare()
            found = examine(
                sampler,
                SAME,
                alpha=UNCHANGED_MISSED,
                samples=runs,
                seed=0,
                sequential=False,
                clock=clock,
            )
        except OutOfTime:
            return 0
        finally:
            sampler.close()
    return 0 if found.late or found.p_value(SAME) <= UNCHANGED_MISSED else found.samples
