"""Runs of a mechanism that releases through a ledger: what they return or raise, and a pilot."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auditor.checking.release_data import encoded, index_replaced, no_search_of
from auditor.core.arguments import require_pair
from auditor.core.case import Data, Form
from auditor.core.context import Context
from auditor.core.errors import class_name, one_line, pass_interrupts, trace_of
from auditor.core.neighbours import Domain, n_records, same_value
from auditor.core.pair_names import SIDES
from auditor.runs import instrument, session
from auditor.runs.blocks import Raised
from auditor.runs.instrument import listed
from auditor.runs.journal import Finding
from auditor.runs.plain_data import require_values
from auditor.statistics.claims import TradeOffFunction, claim_of
from auditor.transcript.ledgers import live_ledger
from auditor.transcript.replay import OURS
from reference import _validation
from reference.privacy import filters, ledger
from reference.privacy.guarantees import Guarantee, PureDP, Relation
from reference.privacy.ledger import Ledger

PILOT_RUNS = 3
"""Runs on either data set that look for exceptions and for releases at all."""

_BETWEEN = (instrument, session, filters, _validation)
OWN_FILES = {
    __file__,
    *(module.__file__ for module in _BETWEEN),
    *map(str, Path(*ledger.__path__).glob("*.py")),
}
"""Files between a mechanism and the ledger; a run is never said to come from them."""

LedgerMechanism = Callable[[Any, Ledger], Any]


def _outcome(
    mechanism: LedgerMechanism, data: Any, ledger: Ledger
) -> tuple[Any, BaseException | None]:
    """Return a run's output, and what it raised, if it did."""
    try:
        return _comparable(mechanism(data, ledger)), None
    except BaseException as error:
        pass_interrupts(error, *OURS)
        return Raised(class_name(error)), error


def _comparable(output: Any) -> Any:
    """Return an output that can be compared: iterators as lists, pandas objects as columns."""
    output = listed(output)
    require_values([output])
    return output.reset_index().to_dict("list") if hasattr(output, "reset_index") else output


def _raised_at(error: BaseException) -> str:
    """Return where an exception was raised: the last line that is not of this package."""
    frames = [f for f in traceback.extract_tb(trace_of(error)) if f.filename not in OWN_FILES]
    return f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


def form_of(
    mechanism: LedgerMechanism,
    pair: tuple[Any, Any],
    claim: Guarantee | TradeOffFunction,
    *,
    replaced: int | None = None,
    domain: Domain | None = None,
    samples: int = 1000,
) -> Form:
    """Return what the questions are asked of; parameters as of :func:`audit_releases`."""
    first, second = require_pair(pair)
    encoding = encoded((first, second))
    stated = claim_of(claim).describe()
    if not isinstance(claim, Guarantee):
        claim = PureDP(1.0)  # the questions that depend on the claim are not asked
    if n_records(encoding.pair[0]) != n_records(encoding.pair[1]):
        claim = replace(claim, relation=Relation.ADD_OR_REMOVE_ONE)
    no_search = no_search_of(domain, encoding)

    def run(data: Data, ledger: Ledger) -> Any:
        return _outcome(mechanism, encoding.decode(data), ledger)[0]

    return Form(
        run,
        claim,
        encoding.pair,
        index_replaced((first, second)) if replaced is None else replaced,
        {"claim": stated, "n": n_records(encoding.pair[0])},
        domain=None if no_search else domain,
        no_search=no_search,
        no_black_box="it takes a ledger",
        loss_samples=samples,
    )


@dataclass(frozen=True)
class Pilot:
    """The outcome of a few runs on either data set."""

    runs: int
    releases: int
    raised: Sequence[tuple[int, str]]
    mutated: bool

    @property
    def failure(self) -> str | None:
        """Return what every run raised, if none got as far as a release."""
        if self.releases or len(self.raised) < 2 * self.runs:
            return None
        return f"every run raised, first {self.raised[0][1]}"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return what is to be said of the runs in addition to the verdicts."""
        found = []
        for side, name in enumerate(SIDES):
            said = [text for where, text in self.raised if where == side]
            if said:
                statement = f"{len(said)} of {self.runs} runs on {name} raised, first {said[0]}"
                found.append({"kind": "raised", "statement": statement})
        if not self.releases and self.failure is None:
            statement = (
                "nothing was released through the ledger: what noise there is comes from elsewhere"
            )
            found.append({"kind": "nothing released", "statement": statement})
        if self.mutated:
            statement = "the mechanism changes its data set in place; every run was given a copy"
            found.append({"kind": "mutated input", "statement": statement})
        return tuple(found)


def make_pilot(
    mechanism: LedgerMechanism, pair: tuple[Any, Any], context: Context, *, quoted: bool
) -> Pilot:
    """Make a few runs on either data set, and see what they raise, release and change."""
    encoding = encoded(pair)
    raised: list[tuple[int, str]] = []
    releases, mutated = 0, False
    for side, data in enumerate(encoding.pair):
        for seed in context.at("pilot", SIDES[side]).seed_sequence().spawn(PILOT_RUNS):
            given, ledger = encoding.decode(data), live_ledger(seed)
            _, error = _outcome(mechanism, given, ledger)
            if error is not None:
                raised.append((side, f"{one_line(error, quoted=quoted)}{_raised_at(error)}"))
            releases = max(releases, len(ledger.transcript.releases))
            mutated |= encoding.searchable and not same_value(encoding.decode(data), given)
    return Pilot(PILOT_RUNS, releases, raised, mutated)
