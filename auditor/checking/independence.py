"""Independence of an output's numbers, and of one run from the next, seen from outputs alone.

The runs of a mechanism on one data set are compared with outputs whose numbers come from different
runs: if the numbers of an output are independent, both have the same law. So an event that is
likelier in one of the two, learned and certified like that of a privacy claim, refutes it; and what
the screens for structure find in the runs names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from auditor.checking.check_options import RandomArgument, require_samples
from auditor.checking.diagnoses import ON_DATA, diagnoses
from auditor.checking.evidence import NOTICED, Evidence
from auditor.checking.examination import examine_twice
from auditor.checking.result import IndependenceResult
from auditor.checking.source import OutputSource, Program
from auditor.core.arguments import require_confidence, require_seed
from auditor.core.context import LedgerKind
from auditor.core.errors import InputError
from auditor.core.verdict import CheckStatus
from auditor.events.lattices import MOST_COLUMNS, few_values
from auditor.events.outcomes import Encoding
from auditor.runs.blocks import Block, Outputs
from auditor.runs.clock import Clock, OutOfTime, Progress
from auditor.runs.runner import MechanismFunction
from auditor.runs.sampling import Reduced, Sampler
from auditor.statistics.claims import EpsilonDelta

SAME = EpsilonDelta(0.0)
"""The claim that no event is likelier on one side."""
SHARES = 2
"""Questions that share the error probability: of one output, and of one run and the next."""


class _Parted:
    """Runs on one data set, and on the other side outputs whose parts come from different runs."""

    def __init__(self, runs: Sampler) -> None:
        self._runs = runs
        self.parts: int | None = None

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """Return those of the runs."""
        return self._runs.findings

    def prepare(self) -> None:
        """Look at the mechanism."""
        self._runs.prepare()

    def close(self) -> None:
        """Release processes."""
        self._runs.close()

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order."""
        asked = list(blocks)
        for block, outputs in zip(asked, self._runs.draw(asked, _kept), strict=True):
            made, parts = _from_different_runs(outputs)
            self.parts = parts if self.parts is None else min(parts, self.parts)
            yield reduce(made if block.side else outputs)


def _kept(outputs: Outputs) -> Outputs:
    return outputs


def _from_different_runs(outputs: Outputs) -> tuple[Outputs, int]:
    """Return outputs whose part j is that of the j-th next run, and the number of parts.

    Parts are the entries of arrays, and the items of tuples, lists and dicts.
    """
    runs = len(outputs)
    if isinstance(outputs, np.ndarray) or all(isinstance(one, np.ndarray) for one in outputs):
        try:
            array = np.asarray(outputs)
        except ValueError:  # of different shapes
            return outputs, 1
        flat = array.reshape(runs, -1)
        columns = np.arange(flat.shape[1])
        rows = (np.arange(runs)[:, None] + columns) % runs
        return flat[rows, columns].reshape(array.shape), max(1, columns.size)
    kind = type(outputs[0])
    if kind not in (tuple, list, dict) or any(type(one) is not kind for one in outputs):
        return outputs, 1
    keys = [list(one) if kind is dict else list(range(len(one))) for one in outputs]
    if not keys[0] or any(names != keys[0] for names in keys):
        return outputs, 1
    made = [
        [outputs[(run + place) % runs][key] for place, key in enumerate(keys[0])]
        for run in range(runs)
    ]
    if kind is dict:
        return [dict(zip(keys[0], items, strict=True)) for items in made], len(keys[0])
    return [kind(items) for items in made], len(keys[0])


def check_independence(
    mechanism: MechanismFunction | Program,
    *,
    data: Any,
    confidence: float = 0.99,
    samples: int = 20_000,
    seed: int = 0,
    kind: RandomArgument | None = None,
    ledger: LedgerKind = "numpy",
    batched: bool = False,
    workers: int = 1,
    timeout: float | None = None,
    call_timeout: float | None = None,
    progress: Progress | None = None,
) -> IndependenceResult:
    """Try to refute that the parts of an output are independent, and that runs bring fresh noise.

    No privacy claim says so: ask it of releases that are meant to have noise of their own.

    Parameters
    ----------
    mechanism, seed, kind, ledger, batched, workers, timeout, call_timeout, progress
        As for :func:`auditor.check`.
    data : Any
        The data set.
    confidence : float
        Probability with which independent parts are not called violated.
    samples : int
        Runs, and outputs put together from as many others.

    Returns
    -------
    IndependenceResult
        Violated if an event, certified on runs that did not choose it, tells outputs from those
        whose parts come from different runs; if the same outputs come back for every seed; or if
        noise that is on no grid repeats its values.

    Raises
    ------
    InputError
        For input that makes no sense, and mechanisms that do not run.

    Examples
    --------
    >>> def two_sums(data, rng):
    ...     noise = rng.laplace()
    ...     return [sum(data) + noise, len(data) + noise]
    >>> check_independence(two_sums, data=[0, 1], samples=2000).facts["diagnosis"]
    'coordinates 0 and 1 share their noise'
    """
    alpha, runs = require_confidence(confidence), require_samples(samples)
    clock = Clock(timeout, progress=progress)
    with OutputSource(
        mechanism,
        kind,
        ledger=ledger,
        batched=batched,
        workers=workers,
        call_timeout=call_timeout,
    ) as source:
        sampler = _Parted(source.sampler((data, data), require_seed(seed), clock))
        try:
            sampler.prepare()
            evidence = examine_twice(
                sampler, SAME, alpha=alpha / SHARES, samples=runs, seed=seed, clock=clock
            )
        except OutOfTime:
            raise InputError(
                f"the timeout of {timeout:g} s was over before anything was seen; give a larger one"
            ) from None
        finally:
            sampler.close()
    return _result(evidence, sampler, confidence, alpha / SHARES)


def _result(
    evidence: Evidence, sampler: _Parted, confidence: float, alpha: float
) -> IndependenceResult:
    p_value, kinds = evidence.p_value(SAME), [found["kind"] for found in sampler.findings]
    status: CheckStatus = "violated"
    seen = {"event": _counts(evidence), "runs": f"{evidence.samples} runs"}
    diagnosis: dict[str, str] = {}
    few = _few_values(evidence, alpha)
    if "repeats" in kinds:
        headline, seen = "the noise of an output does not depend on the seed", {}
    elif p_value <= alpha:
        headline = "the parts of an output are not independent"
        told = [str(one["diagnosis"]) for one in diagnoses(evidence.kept, SAME, alpha)]
        words = " and ".join(told).replace(ON_DATA, "")
        diagnosis = {"diagnosis": words} if words else {}
    elif few is not None:
        headline, seen = f"the noise of {few[0]} takes about {few[1]:,.0f} values", {}
    elif evidence.late or kinds.count("constant"):
        status, headline = "inconclusive", "nothing can be said of the noise of an output"
        seen = {"reason": "the time was up" if evidence.late else "every run gave the same output"}
    else:
        status, headline = "holds", "nothing contradicts that noise is independent"
        if sampler.parts == 1:
            seen = {
                "runs": f"{evidence.samples} runs",
                "asked": "only whether runs bring fresh noise: an output has one part",
            }
        else:
            seen["rare"] = (
                "a dependence that is looked for (docs/how-to/events.md) would be noticed with "
                f"probability {NOTICED:g} in {evidence.rarest(SAME):.2g} of the runs"
            )
    return IndependenceResult(
        status,
        headline,
        {**diagnosis, **seen},
        p_value,
        confidence,
        evidence.samples,
        tuple(sampler.findings),
    )


def _counts(evidence: Evidence) -> str:
    """Return how often the event was seen in runs, and in outputs put together from several."""
    (k, n), (m, size) = evidence.first, evidence.second
    sides = ("one run", "several runs")
    likely, other = sides if evidence.event.side == 0 else sides[::-1]
    return f"{evidence.event.describe()}: {k} of {n} outputs of {likely}, {m} of {size} of {other}"


def _few_values(evidence: Evidence, alpha: float) -> tuple[str, float] | None:
    """Return the number of an output whose noise has few values, and about how many; or None.

    Single numbers have the same law on both sides, so one side proposes and the other counts.
    """
    encoding = Encoding.learn(*evidence.kept)
    one, other = (encoding.table(outputs).floats()[:, :MOST_COLUMNS] for outputs in evidence.kept)
    names = [layout.name for layout in encoding.entries]
    for column in range(one.shape[1]):
        found = few_values(one[:, column], other[:, column], alpha / one.shape[1])
        if found is not None:
            return names[column], found
    return None
