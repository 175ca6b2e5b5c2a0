"""Sources of runs: a mechanism in this process, in others, or in another language."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from auditor.checking.check_options import DataPair, RandomArgument
from auditor.core.arguments import (
    require_choice,
    require_flag,
    require_seconds,
    require_workers,
)
from auditor.core.context import LedgerKind
from auditor.core.errors import InputError, pass_interrupts
from auditor.runs.children import Children
from auditor.runs.clock import Clock
from auditor.runs.command import CommandSampler
from auditor.runs.instrument import Instrumented
from auditor.runs.runner import MechanismFunction
from auditor.runs.sampling import FunctionSampler, RunOptions, Sampler
from auditor.runs.target import GENERATORS, Named, by_position
from auditor.transcript.ledger_adapter import with_generator


@dataclass(frozen=True)
class Program:
    """A mechanism in any language: a command that speaks the line protocol.

    Parameters
    ----------
    command : str or sequence of str
        Started once per worker; see ``docs/how-to/program-protocol.md``.
    call_timeout : float
        Seconds that one request may take.
    """

    command: str | Sequence[str]
    call_timeout: float = 30.0


NO_LEDGER = (
    "ledger='exact' is for mechanisms that take a ledger, (data, ledger); the noise of this one is "
    "its own"
)


class OutputSource:
    """Makes samplers of one mechanism, which share processes; those end with the block."""

    def __init__(
        self,
        mechanism: MechanismFunction | Program,
        kind: RandomArgument | None,
        *,
        ledger: LedgerKind,
        batched: bool,
        workers: int,
        call_timeout: float | None,
        quoted: bool = True,
    ) -> None:
        require_choice("kind", kind, get_args(RandomArgument), optional=True)
        require_choice("ledger", ledger, get_args(LedgerKind), optional=False)
        require_flag("batched", batched)
        require_workers(workers)
        require_seconds("call_timeout", call_timeout)
        self.mechanism = mechanism if isinstance(mechanism, Program) else by_position(mechanism)
        self.named = isinstance(mechanism, Named)
        self.kind = kind_of(mechanism) if kind is None else kind
        if ledger == "exact" and (self.kind != "ledger" or isinstance(mechanism, Instrumented)):
            raise InputError(NO_LEDGER)
        self.ledger = ledger
        self.batched = batched
        self.workers = workers
        self.call_timeout = call_timeout
        self.quoted = quoted
        self.children = Children(workers)

    def __enter__(self) -> OutputSource:
        return self

    def __exit__(self, *_: object) -> None:
        self.children.close()

    def sampler(self, pair: DataPair, seed: int, clock: Clock) -> Sampler:
        """Return what runs the mechanism on either data set of a pair."""
        options = RunOptions(
            workers=self.workers,
            call_timeout=self.call_timeout,
            clock=clock,
            children=self.children,
            own_process=self.named,
            quoted=self.quoted,
        )
        if isinstance(self.mechanism, Program):
            limit = self.call_timeout or self.mechanism.call_timeout
            own = replace(options, call_timeout=limit)
            return CommandSampler(self.mechanism.command, pair, seed=seed, options=own)
        mechanism = self.mechanism
        if self.kind == "ledger":
            mechanism = with_generator(mechanism, self.ledger)
        return FunctionSampler(mechanism, pair, seed=seed, batched=self.batched, options=options)


def kind_of(mechanism: Any) -> RandomArgument:
    """Return what a mechanism's second argument is: a ledger if it is called so.

    Raises
    ------
    InputError
        If it comes first.
    """
    try:
        parameters = list(inspect.signature(mechanism).parameters)
    except BaseException as error:  # some builtins have no signature, and some objects no text
        pass_interrupts(error)
        return "rng"
    require_order(parameters)
    return "ledger" if "ledger" in parameters else "rng"


def require_order(parameters: Sequence[str]) -> None:
    """Raise InputError if parameters begin with what comes second."""
    for name in (*GENERATORS, "ledger"):
        if list(parameters[:1]) == [name]:
            raise InputError(
                f"the mechanism takes ({', '.join(parameters)}), but is called with the data "
                f"first: make it (data, {name})"
            )
