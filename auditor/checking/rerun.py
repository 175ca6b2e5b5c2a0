"""Show the witness of a check again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from auditor.checking.check_options import DataPair, RandomArgument
from auditor.checking.examination import count_event, examine
from auditor.checking.result import Rerun
from auditor.checking.source import OutputSource, Program
from auditor.core.arguments import require_flag, require_number, require_seed, require_whole
from auditor.core.context import LedgerKind
from auditor.core.errors import InputError, one_line
from auditor.core.input_limits import MOST_RUNS
from auditor.core.pair_names import DIRECTIONS
from auditor.core.witness import decode_pair
from auditor.runs.clock import Clock
from auditor.runs.runner import MechanismFunction
from auditor.statistics.claims import TradeOffFunction, certified_level, claim_of, decode_claim
from auditor.statistics.groups import group_claim
from auditor.statistics.proportions import two_sample_p_value
from reference.privacy.guarantees import Guarantee

FRESH_RUNS = 4
"""Spawn key of the seed of fresh runs; 0 and 1 are the blocks' sides, 2 and 3 the judge's own."""


def rerun(
    mechanism: MechanismFunction | Program,
    witness: Mapping[str, Any],
    *,
    pair: DataPair | None = None,
    claim: Guarantee | TradeOffFunction | None = None,
    samples: int | None = None,
    seed: int | None = None,
    kind: RandomArgument | None = None,
    ledger: LedgerKind = "numpy",
    batched: bool = False,
    workers: int = 1,
    call_timeout: float | None = None,
    quoted: bool = True,
) -> Rerun:
    """Show a witness again: learn its event from the same runs, count it in fresh ones.

    What runs is ``mechanism`` alone: nothing in a witness is a name that is imported or a command.

    Parameters
    ----------
    mechanism, kind, ledger, batched, workers, call_timeout
        As for the check that found the witness.
    witness : mapping
        ``result.witness``, perhaps read back from JSON.
    pair : (Any, Any), optional
        Needed only if the data sets were too large, or of a type, to be kept in the witness.
    claim : Guarantee or callable, optional
        Needed only if the claim was a trade-off function: that of one record.
    samples : int, optional
        Fresh runs on each data set; by default four times as many as the check used, at least
        2000.
    seed : int, optional
        Of the fresh runs; different from the witness's own, from which it follows by default.
    quoted : bool
        Whether messages may quote what the mechanism says of a failure, and with it records; not
        if these are somebody's.

    Returns
    -------
    Rerun
        Its ``shown`` says whether the fresh counts alone refute the claim, by an exact test at
        the error probability of the check.
    """
    needed = {"seed", "alpha", "budget", "samples"} | ({"claim"} if claim is None else set())
    missing = sorted(needed - set(witness)) if isinstance(witness, Mapping) else ["everything"]
    if missing:
        raise InputError(
            f"this is no witness of a check, it lacks {', '.join(missing)}; give result.witness"
        )
    require_seed(witness["seed"], "seed of the witness")
    require_number("alpha of the witness", witness["alpha"], 0, 1, ends="()")
    for count in ("budget", "samples"):
        require_whole(f"{count} of the witness", witness[count], 1, MOST_RUNS)
    if samples is not None:
        require_whole("samples", samples, 1, MOST_RUNS)
    require_flag("quoted", quoted)
    seed = fresh_seed(witness["seed"]) if seed is None else require_seed(seed)
    if seed == witness["seed"]:
        raise InputError(f"seed {seed} is the witness's own; take another for fresh runs")
    try:
        chosen = pair if pair is not None else decode_pair(witness)
        if claim is None:
            stated = decode_claim(witness["claim"])
        else:
            group = require_whole("group", witness.get("group", 1), 1, MOST_RUNS)
            stated = group_claim(claim_of(claim), group)
    except InputError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(
            f"this is no witness of a check, its data sets or its claim cannot be read "
            f"({one_line(error, quoted=quoted)}); give result.witness"
        ) from error
    with OutputSource(
        mechanism,
        kind,
        ledger=ledger,
        batched=batched,
        workers=workers,
        call_timeout=call_timeout,
        quoted=quoted,
    ) as source:
        old = source.sampler(chosen, witness["seed"], Clock())
        fresh = source.sampler(chosen, seed, Clock())
        try:
            event = examine(
                old,
                stated,
                alpha=witness["alpha"],
                samples=witness["budget"],
                seed=witness["seed"],
                stop=witness.get("may_stop", True),
                sharper=witness.get("sharper", False),
                clock=Clock(plans=witness.get("plans", ())),
            ).event
            runs = samples if samples is not None else max(2000, 4 * witness["samples"])
            first, second = count_event(fresh, event, runs)
        finally:
            old.close()
            fresh.close()
    p_value = two_sample_p_value(first, second, stated.ceiling)
    return Rerun(
        shown=p_value <= witness["alpha"],
        event=event.describe(),
        direction=DIRECTIONS[event.side],
        first=first,
        second=second,
        p_value=p_value,
        level_lower=certified_level(stated, first, second, witness["alpha"]),
    )


def fresh_seed(seed: int) -> int:
    """Return the seed of fresh runs that follows from that of a check."""
    (state,) = np.random.SeedSequence(seed, spawn_key=(FRESH_RUNS,)).generate_state(1)
    # runs are fresh under any other seed; this one keeps it another whatever the state
    return int(state) + (int(state) == seed)
