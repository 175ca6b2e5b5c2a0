"""Check a mechanism: the calls that users make."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from hypothesis.strategies import SearchStrategy

from auditor.checking.black_box import BlackBoxCheck, examine_outputs
from auditor.checking.check_options import (
    CheckOptions,
    DataPair,
    FloatingPoint,
    RandomArgument,
    RelationOption,
    require_delta,
    require_samples,
    stated_claim,
)
from auditor.checking.examination import examine
from auditor.checking.record_columns import reading_columns, require_columns
from auditor.checking.relations import require_neighbours
from auditor.checking.result import CheckResult, Measurement
from auditor.checking.search import FoundPair, find_pair
from auditor.checking.source import OutputSource, Program
from auditor.checking.time_limits import Unseen, audit_in_time
from auditor.core.arguments import (
    require_choice,
    require_confidence,
    require_items,
    require_number,
    require_pair,
    require_seed,
    require_whole,
    shown,
)
from auditor.core.context import Context, LedgerKind
from auditor.core.errors import InputError, pass_interrupts
from auditor.core.input_limits import MOST_RECORDS, MOST_RUNS
from auditor.core.neighbours import Domain, Neighbourhood, as_relation
from auditor.core.pair_names import DIRECTIONS
from auditor.core.verdict import Verdict
from auditor.runs.blocks import Outputs
from auditor.runs.clock import Clock, OutOfTime, Progress
from auditor.runs.runner import MechanismFunction
from auditor.runs.sampling import RecordedSampler, Sampler
from auditor.statistics.claims import EpsilonDelta, TradeOffFunction
from auditor.statistics.groups import group_claim
from reference.privacy.guarantees import Guarantee, Relation

SEARCH_SHARE = 0.15
"""Share of the budget that the search for the worst pair may use."""
SEARCH_TIME = 0.3
"""Share of the time that it may take, if the time is limited."""


# ------------------------------------------------------------------------------------- check


def check(
    mechanism: MechanismFunction | Program,
    *,
    pair: DataPair | SearchStrategy[DataPair] | None = None,
    domain: Domain | SearchStrategy[Any] | None = None,
    n: int = 1,
    group: int = 1,
    relation: Relation | RelationOption | None = None,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Guarantee | TradeOffFunction | None = None,
    confidence: float = 0.99,
    samples: int = 100_000,
    rare: float = 1e-4,
    seed: int = 0,
    kind: RandomArgument | None = None,
    ledger: LedgerKind = "numpy",
    batched: bool = False,
    workers: int = 1,
    timeout: float | None = None,
    call_timeout: float | None = None,
    floating_point: FloatingPoint = "report",
    progress: Progress | None = None,
) -> CheckResult:
    """Try to refute a mechanism's privacy claim from its outputs.

    Parameters
    ----------
    mechanism : callable or Program
        ``mechanism(data, rng)`` returns one output, of any kind; ``mechanism(data, rng, size)``
        with ``batched=True`` an array or list with a leading axis of ``size`` independent outputs;
        ``mechanism(data, ledger)`` is audited release by release as well.
    pair : (Any, Any) or Hypothesis strategy of pairs, optional
        Two neighbouring data sets, of whatever type the mechanism takes; with a strategy the
        worst pair is searched.
    domain : Domain or Hypothesis strategy of records, optional
        Instead of ``pair``: where a record lies. The worst pair of data sets of ``n`` records is
        searched with 15% of the budget, and certified with fresh runs.
    n : int
        Number of records, with ``domain``.
    group : int
        How many records differ. The claim remains about one; what it says of so many is tested,
        see :func:`~auditor.statistics.groups.group_claim`, and ``epsilon_lower``, ``level_lower``
        are about so many. A gap too small to be seen in one record shows in twenty. Not for
        mechanisms that take a ledger.
    relation : {"replace", "add-remove", "replace-label", "any"} or Relation, optional
        With ``domain``: replace-one (default), add/remove-one, or replace-label, where the last
        part of a record changes alone. With ``pair``: how it must be neighbours; "any" if it is in
        a way that cannot be seen from the data sets (graphs, answers to queries). What the
        ``claim`` is about, if not replace-one, need not be repeated.
    epsilon : float, optional
        Claimed, > 0.
    delta : float
        Claimed, in [0, 1). With a ``claim`` in another currency, where ``epsilon_lower`` is given.
    claim : Guarantee or callable, optional
        Instead of ``epsilon``: PureDP, ApproximateDP, ZCDP, RenyiDP, GaussianDP, or a trade-off
        function (type I error to smallest type II error, vectorised, for both orders of the pair).
    confidence : float
        Probability with which a true claim is not called violated, and ``epsilon_lower`` is true;
        all looks, events and pairs together.
    samples : int
        Budget of runs on each data set. The check stops early when the claim is refuted, or when
        the mechanism is clearly below its claim and ``rare`` outputs would have been noticed. A
        violation that is not overwhelming is confirmed on as many fresh runs as it took, or up to
        four times as many, beyond the budget.
    rare : float
        In [0, 1): the check stops early with nothing found only if an output impossible on the
        other data set would have been noticed, with probability 0.9, were it as rare as this. 0
        always spends the whole budget.
    seed : int
        The same seed gives the same answer, for any number of workers, unless ``timeout`` ends
        the check. Another kind of processor may round a learned score differently.
    kind : {"rng", "ledger"}, optional
        What the mechanism's second argument is; by default a ledger if it is called ``ledger``.
    ledger : {"numpy", "exact"}
        What a mechanism with a ledger gets: :class:`~reference.privacy.Ledger`, or
        :class:`~reference.privacy.ExactLedger` with bytes that follow from the seed.
    batched : bool
        Whether the mechanism takes a size.
    workers : int
        Processes.
    timeout : float, optional
        Seconds that the whole check may take. It makes as many runs as fit and says what they
        show, ``"inconclusive"`` if that is nothing.
    call_timeout : float, optional
        Seconds that a single call of the mechanism (or request to a program) may take: one that
        hangs is an error that says where. With either limit the mechanism runs in a process that
        can be stopped.
    floating_point : {"report", "count"}
        Whether a leak through low-order bits is a finding in addition to the verdict, or violates
        the claim. Almost everything that adds floating-point noise has it.
    progress : callable, optional
        ``progress(what, done, total)`` is called now and then: what is being done, and runs made
        of all that are planned.

    Returns
    -------
    CheckResult

    Raises
    ------
    InputError
        One line, for input that makes no sense and mechanisms that do not run.

    Examples
    --------
    >>> def noisy_sum(data, rng):
    ...     return sum(data) + rng.laplace(scale=0.5)
    >>> found = check(noisy_sum, pair=([0, 1], [0, 0]), epsilon=1.0, samples=20_000)
    >>> found.status
    'violated'
    """
    delta, alpha = require_delta(delta), require_confidence(confidence)
    require_number("rare", rare, 0, 1, ends="[)")
    require_whole("n", n, 1, MOST_RECORDS)
    require_choice("floating_point", floating_point, get_args(FloatingPoint), optional=False)
    if not isinstance(relation, Relation):
        require_choice("relation", relation, get_args(RelationOption), optional=True)
    of_one, as_stated = stated_claim(epsilon, delta, claim)
    stated = group_claim(of_one, require_whole("group", group, 1, MOST_RECORDS))
    if isinstance(stated, EpsilonDelta):
        delta = stated.delta
    as_stated, relation = _of_one_relation(as_stated, relation)
    runs = require_samples(samples)
    asked = CheckOptions(
        stated,
        delta,
        confidence,
        runs,
        require_seed(seed),
        floating_point,
        rare,
        group,
        of_one.describe(),
    )
    clock = Clock(timeout, progress=progress)
    quoted = not (isinstance(domain, Domain) and domain.real)
    with OutputSource(
        mechanism,
        kind,
        ledger=ledger,
        batched=batched,
        workers=workers,
        call_timeout=call_timeout,
        quoted=quoted,
    ) as source:
        if group > 1 and source.kind == "ledger":
            raise InputError(
                "group is for mechanisms that are a black box; of one that takes a ledger every "
                "release is audited for one record, exactly"
            )
        candidates = _candidates(pair, domain, n, relation, group)
        with reading_columns(domain):
            require_columns(source, candidates, seed)
            worst = _worst(source, asked, candidates, relation, clock)
        chosen, budget = worst.pair, asked.samples - worst.runs
        questions: tuple[Verdict, ...] = ()
        share = alpha
        if source.kind == "ledger":
            share = alpha / 2
            context = Context(seed=seed, confidence=1 - share, ledger=ledger).at("check")
            records = domain if isinstance(domain, Domain) else None
            questions = audit_in_time(source, chosen, as_stated, context, records, clock)
        sampler = source.sampler(chosen, seed, clock)
        try:
            sampler.prepare()
            found: BlackBoxCheck | Unseen = examine_outputs(sampler, asked, budget, share, clock)
        except OutOfTime:
            found = Unseen(asked, tuple(sampler.findings), clock)
        finally:
            sampler.close()
    return found.result(chosen, pairs=worst.tried, questions=questions)


def _of_one_relation(
    claim: Guarantee | TradeOffFunction, relation: Relation | RelationOption | None
) -> tuple[Guarantee | TradeOffFunction, Relation | RelationOption | None]:
    """Return a claim and how data sets are neighbours, each told by the other; or raise."""
    named = None if relation is None or relation == "any" else as_relation(relation)
    if not isinstance(claim, Guarantee):
        return claim, relation
    if claim.relation is Relation.REPLACE_ONE:  # what nobody who writes epsilon has said
        return (claim if named is None else replace(claim, relation=named)), relation
    if named not in (None, claim.relation):
        raise InputError(
            f"the claim is about {claim.relation.value}, but relation is {relation!r}; change one "
            "of the two"
        )
    return claim, (claim.relation if relation is None else relation)


def _candidates(
    pair: DataPair | SearchStrategy[DataPair] | None,
    domain: Domain | SearchStrategy[Any] | None,
    n: int,
    relation: Relation | RelationOption | None,
    group: int,
) -> DataPair | SearchStrategy[DataPair] | Neighbourhood:
    """Return the pair to certify, or where it is to be searched."""
    if (pair is None) == (domain is None):
        raise InputError("give either pair=(D, D') or domain=... with n and relation")
    if isinstance(pair, SearchStrategy):
        return pair
    if pair is not None:
        first, second = require_pair(pair)
        if relation != "any":
            require_neighbours(first, second, relation, group=group)
        return first, second
    assert domain is not None
    numbers = n * domain.width if isinstance(domain, Domain) else n
    if numbers > MOST_RECORDS:
        raise InputError(
            f"a data set in this domain has {numbers} numbers, of which at most {MOST_RECORDS} "
            "can be searched; give the pair"
        )
    kept = "replace" if relation is None or relation == "any" else relation
    return Neighbourhood(domain, n, as_relation(kept), group)


def _worst(
    source: OutputSource,
    asked: CheckOptions,
    candidates: DataPair | SearchStrategy[DataPair] | Neighbourhood,
    relation: Relation | RelationOption | None,
    clock: Clock,
) -> FoundPair:
    """Return the pair to certify, with what it took to find it."""
    if isinstance(candidates, tuple):
        return FoundPair(candidates, tried=1, runs=0, level=-math.inf)
    clock.begin("searching the worst pair", 0, 0)
    searching = clock.part(SEARCH_TIME)
    return find_pair(
        lambda pair, seed: source.sampler(pair, seed, searching),
        candidates,
        asked.claim,
        alpha=1 - asked.confidence,
        runs=int(SEARCH_SHARE * asked.samples),
        seed=asked.seed,
        relation=relation,
        group=asked.group,
        quoted=source.quoted,
    )


# ------------------------------------------------------------------- without a claim; samples only


def measure(
    mechanism: MechanismFunction | Program,
    *,
    pair: DataPair,
    delta: float = 0.0,
    confidence: float = 0.99,
    samples: int = 100_000,
    seed: int = 0,
    kind: RandomArgument | None = None,
    ledger: LedgerKind = "numpy",
    batched: bool = False,
    workers: int = 1,
    timeout: float | None = None,
    call_timeout: float | None = None,
    progress: Progress | None = None,
) -> Measurement:
    """Return the largest epsilon at ``delta`` that a mechanism's outputs certify.

    Like :func:`check` without a claim: the whole budget is used, or what the time allows.

    Parameters
    ----------
    mechanism, pair, confidence, samples, seed, kind, ledger, batched, workers
        As for :func:`check`.
    timeout, call_timeout, progress
        As for :func:`check`.
    delta : float
        In [0, 1).

    Returns
    -------
    Measurement
    """
    require_delta(delta)
    require_confidence(confidence)
    require_samples(samples)
    require_seed(seed)
    clock = Clock(timeout, progress=progress)
    with OutputSource(
        mechanism,
        kind,
        ledger=ledger,
        batched=batched,
        workers=workers,
        call_timeout=call_timeout,
    ) as source:
        sampler = source.sampler(pair, seed, clock)
        try:
            sampler.prepare()
            return _measured(sampler, delta, confidence, samples, seed, clock)
        except OutOfTime:
            raise InputError(
                f"the timeout of {timeout:g} s was over before anything was measured; give a "
                "larger one"
            ) from None
        finally:
            sampler.close()


def measure_samples(
    first: Outputs,
    second: Outputs,
    *,
    delta: float = 0.0,
    confidence: float = 0.99,
    seed: int = 0,
) -> Measurement:
    """Return the largest epsilon at ``delta`` that outputs drawn elsewhere certify.

    Parameters
    ----------
    first, second : array or list
        Outputs of independent runs on D and on D', equally many, in the order in which they were
        drawn: the first runs choose an event that the others certify.
    delta, confidence, seed
        As for :func:`measure`.

    Returns
    -------
    Measurement

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> found = measure_samples(rng.laplace(0, 1, 10_000), rng.laplace(1, 1, 10_000))
    >>> 0.8 < found.epsilon_lower < 1
    True
    """
    first, second, samples = _equally_many(first, second)
    require_seed(seed)
    return _measured(RecordedSampler(first, second), delta, confidence, samples, seed, Clock())


def check_samples(
    first: Outputs,
    second: Outputs,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Guarantee | TradeOffFunction | None = None,
    confidence: float = 0.99,
    seed: int = 0,
    floating_point: FloatingPoint = "report",
) -> CheckResult:
    """Try to refute a claim from outputs drawn elsewhere.

    Parameters
    ----------
    first, second
        As for :func:`measure_samples`.
    epsilon, delta, claim, confidence, seed, floating_point
        As for :func:`check`.

    Returns
    -------
    CheckResult
        Its witness has the event and its counts, but no data sets.
    """
    delta, alpha = require_delta(delta), require_confidence(confidence)
    require_choice("floating_point", floating_point, get_args(FloatingPoint), optional=False)
    stated, _ = stated_claim(epsilon, delta, claim)
    first, second, samples = _equally_many(first, second)
    asked = CheckOptions(stated, delta, confidence, samples, require_seed(seed), floating_point)
    sampler = RecordedSampler(first, second)
    return examine_outputs(sampler, asked, samples, alpha, Clock(), sequential=False).result(None)


def _measured(
    sampler: Sampler, delta: float, confidence: float, samples: int, seed: int, clock: Clock
) -> Measurement:
    family = EpsilonDelta(0.0, require_delta(delta))
    alpha = require_confidence(confidence)
    evidence = examine(
        sampler,
        family,
        alpha=alpha,
        samples=require_samples(samples),
        seed=seed,
        sequential=False,
        smooth=True,
        clock=clock,
    )
    if evidence.late:
        raise OutOfTime
    return Measurement(
        epsilon_lower=evidence.epsilon(delta),
        delta=delta,
        confidence=confidence,
        event=evidence.event.describe(),
        direction=DIRECTIONS[evidence.event.side],
        first=evidence.first,
        second=evidence.second,
        samples=evidence.samples,
        trained=evidence.trained,
        events=evidence.events,
        findings=tuple(sampler.findings),
    )


def _equally_many(first: Outputs, second: Outputs) -> tuple[Outputs, Outputs, int]:
    """Return outputs drawn elsewhere as arrays or lists, and how many there are on either side."""
    one, other = _as_outputs("first", first), _as_outputs("second", second)
    if len(one) != len(other):
        raise InputError(
            f"first and second must be equally many outputs, got {len(one)} and {len(other)}"
        )
    return one, other, require_samples(len(one))


def _as_outputs(name: str, outputs: Any) -> Outputs:
    words = "an array or list of outputs"
    if isinstance(outputs, (list, tuple)):  # of any objects, so it may be no array
        return require_items(name, outputs, MOST_RUNS, words=words)
    try:
        array = np.asarray(outputs) if hasattr(outputs, "__array__") else None
    except BaseException as error:  # of whatever class it is
        pass_interrupts(error)
        array = None
    if array is None or array.ndim == 0:
        raise InputError(f"{name} must be {words}, got {shown(outputs)}")
    return array
