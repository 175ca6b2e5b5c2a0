"""Mechanisms of one release, by what a record moves it by at most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference.privacy.ledger import Ledger


def laplace(epsilon: float) -> Callable[[Any, Ledger], Any]:
    return lambda data, ledger: ledger.laplace(data[0], sensitivity=1.0, scale=1 / epsilon)


def gaussian(mu: float) -> Callable[[Any, Ledger], Any]:
    return lambda data, ledger: ledger.gaussian(data[0], sensitivity=1.0, scale=1 / mu)


def response(epsilon: float) -> Callable[[Any, Ledger], Any]:
    return lambda data, ledger: ledger.randomized_response(data[:, 0], epsilon=epsilon)
