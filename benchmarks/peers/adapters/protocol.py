"""Standard input and output of every adapter.

Adapters run in the environment of their peer, which has numpy but nothing of this project. A
request is one line of JSON; so is its answer, ``{method: {"epsilon": ..., "seconds": ...}}`` or
``{method: {"error": ...}}``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Request:
    """One number for every run, higher where the first side is the likelier.

    The first ``held`` numbers of either side were used to learn how to score outputs: they may
    choose an event, but must not certify it.
    """

    first: Any
    second: Any
    held: int
    delta: float
    alpha: float
    seed: int

    @property
    def certifying(self) -> tuple[Any, Any]:
        """The runs that may certify."""
        return self.first[self.held :], self.second[self.held :]


def serve(methods: Mapping[str, Callable[[Request], float]]) -> None:
    """Answer requests until standard input ends."""
    answers = sys.stdout
    sys.stdout = sys.stderr  # whatever a peer prints is no answer
    for line in sys.stdin:
        asked = json.loads(line)
        with np.load(asked["path"]) as scores:
            first, second = scores["first"], scores["second"]
        request = Request(
            first, second, asked["held"], asked["delta"], asked["alpha"], asked["seed"]
        )
        found = {name: attempt(methods[name], request) for name in asked["methods"]}
        print(json.dumps(found), file=answers, flush=True)


def attempt(method: Callable[[Request], float], request: Request) -> dict[str, Any]:
    """Return a method's bound and its processor seconds, or why there is none."""
    start = processor_seconds()
    try:
        epsilon = float(method(request))
    except Exception as error:  # of a peer, of whatever kind: it is reported
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    return {"epsilon": epsilon, "seconds": processor_seconds() - start}


def processor_seconds() -> float:
    """Return what this process and its ended children have used."""
    return sum(os.times()[:4])
