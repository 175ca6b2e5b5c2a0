"""Releases of a ledger, and what it has spent."""

from __future__ import annotations

from typing import Any

from reference.privacy.ledger import Ledger


def laplace(ledger: Ledger, epsilon: float, **claim: Any) -> object:
    return ledger.laplace(0.0, sensitivity=1, scale=1 / epsilon, **claim)


def spent(ledger: Ledger) -> float:
    return ledger.spent(delta=0).epsilon
