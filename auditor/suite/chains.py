"""Certainty of a statement together with all that its argument cites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.suite.proofs import what_holds
from proofs_checks.outcome import STRENGTH


@dataclass(frozen=True)
class WeakestLink:
    """The weakest statement among one and those that its argument cites, directly or not.

    Attributes
    ----------
    level : str
        Of what must hold there; of a derivation, of its weakest step.
    key : str
        The statement's, or that of the one it rests on.
    """

    level: str
    key: str


def weakest_links(items: Sequence[Mapping[str, Any]]) -> dict[str, WeakestLink]:
    """Return by key the weakest link of every statement of a ledger.

    Parameters
    ----------
    items : sequence of mapping
        As under ``statements`` of :func:`auditor.suite.proofs.run_all`. What is cited and not among
        them is left out.
    """
    own = {item["key"]: _level(item) for item in items}
    cites = {item["key"]: [key for key in item["cites"] if key in own] for item in items}
    found = {}
    for key in own:
        # of equals the statement itself, then the nearest
        worst = max(_reached(key, cites), key=lambda other: STRENGTH.index(own[other]))
        found[key] = WeakestLink(own[worst], worst)
    return found


def _level(item: Mapping[str, Any]) -> Any:
    checked = what_holds(item)
    return "not checkable" if checked is None else checked["weakest"] or checked["level"]


def _reached(start: str, cites: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a key and all that it cites, the nearest first, each once."""
    seen, layer = {start}, [start]
    while layer:
        yield from layer
        layer = list(dict.fromkeys(key for one in layer for key in cites[one] if key not in seen))
        seen.update(layer)
