"""Subjects from pure-ldp 1.2.0, which run in its environment: one person's report of an item."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import xxhash  # type: ignore[import-not-found]
from pure_ldp.frequency_oracles.apple_cms import CMSClient  # type: ignore[import-not-found]
from pure_ldp.frequency_oracles.direct_encoding import DEClient
from pure_ldp.frequency_oracles.hadamard_mechanism import HadamardMechClient
from pure_ldp.frequency_oracles.hadamard_response import (
    HadamardResponseClient,
    HadamardResponseServer,
)
from pure_ldp.frequency_oracles.histogram_encoding import HEClient
from pure_ldp.frequency_oracles.local_hashing import FastLHClient, LHClient
from pure_ldp.frequency_oracles.priv_count_sketch import PCSClient
from pure_ldp.frequency_oracles.rappor import RAPPORClient
from pure_ldp.frequency_oracles.unary_encoding import UEClient

from benchmarks.libraries.subject import Mechanism, Subject

ITEMS = 4
PAIR = (1, 2)


def report(client: Any, shown: Callable[[Any], Any] = lambda output: output) -> Mechanism:
    """Return what a client reports of an item; the library draws from two global generators."""

    def run(item: Any, rng: np.random.Generator) -> Any:
        random.seed(int(rng.integers(2**32)))
        np.random.seed(int(rng.integers(2**32)))  # noqa: NPY002
        return shown(client.privatise(item))

    return run


def with_its_hashes(buckets: int) -> Callable[[Any], Any]:
    """Return what reads a locally hashed report: whether it is the hash of item 1, and of 2.

    The seed of the hash is part of the report.
    """

    def read(output: Any) -> Any:
        value, seed = output
        return tuple(
            bool(xxhash.xxh32(str(item - 1), seed=seed).intdigest() % buckets == value)
            for item in PAIR
        )

    return read


def _cell(item: str) -> int:
    return int(item) % ITEMS


def _sign(item: str) -> int:
    return int(item) % 2


def subjects() -> Iterator[Subject]:
    """Yield the clients."""

    def one(name: str, mechanism: Mechanism, epsilon: float = 1.0, finding: str = "") -> Subject:
        return Subject(name, mechanism, PAIR, "item 1 or 2 of 4", epsilon, finding=finding)

    yield one("DEClient", report(DEClient(1.0, ITEMS)))
    yield one("UEClient", report(UEClient(1.0, ITEMS)))
    yield one("UEClient, optimised", report(UEClient(1.0, ITEMS, use_oue=True)))
    yield one("HEClient", report(HEClient(1.0, ITEMS)))
    yield one("LHClient", report(LHClient(1.0, ITEMS), with_its_hashes(2)))
    yield one("LHClient, optimised", report(LHClient(1.0, ITEMS, use_olh=True), with_its_hashes(4)))
    yield one("FastLHClient, 10 seeds", report(FastLHClient(1.0, ITEMS, 10)))
    yield one("HadamardMechClient", report(HadamardMechClient(1.0, ITEMS, 1), list))
    for epsilon in (1.0, 2.0):
        functions = HadamardResponseServer(epsilon, ITEMS).get_hash_funcs()
        client = HadamardResponseClient(epsilon, ITEMS, functions)
        yield one(f"HadamardResponseClient, epsilon {epsilon:g}", report(client), epsilon)
    yield one("CMSClient", report(CMSClient(1.0, [_cell], ITEMS)))
    yield one("PCSClient", report(PCSClient(1.0, 1, ITEMS, [(_cell, _sign)])))
    f = RAPPORClient(0.5, ITEMS, [[_cell]], 1).convert_eps_to_f(1.0)
    yield one(
        "RAPPORClient", report(RAPPORClient(f, ITEMS, [[_cell]], 1)), finding="bits never cleared"
    )
