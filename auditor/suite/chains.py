"""Certainty of a statement together with all that its argument cites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proofs_checks.outcome import STRENGTH, Level


def what_holds(item: Mapping[str, Any]) -> Any:
    """Return the check of what must hold: the corrected form of what is false, if it has one."""
    return item["corrected"] if item["refuted"] else item["printed"]


def sink(items: Mapping[str, dict[str, Any]]) -> None:
    """Give every statement a ``level`` that is never above that of what its argument cites.

    A definition that is cited lowers nothing. If a level sinks, ``rests_on`` is the key of the
    statement whose level it is, the nearest of several, and the evidence says so.

    Parameters
    ----------
    items : mapping of str to dict
        Items of a ledger by key; their ``level`` and ``rests_on`` are written. What is cited and
        not among them is left out.
    """
    own = {key: _level_and_weakest(item) for key, item in items.items()}
    cites = {key: [other for other in item["cites"] if other in own] for key, item in items.items()}
    for key, item in items.items():
        counted = [one for one in _reached(key, cites) if one == key or own[one][0] != "definition"]
        # of equals the statement itself, then the nearest
        worst = max(counted, key=lambda other: tuple(map(STRENGTH.index, reversed(own[other]))))
        check = what_holds(item)
        if worst == key or check is None:
            item.update(level="" if check is None else check["level"], rests_on="")
            continue
        level, weakest = own[worst]
        item.update(level=max(level, own[key][0], key=STRENGTH.index), rests_on=worst)
        check["evidence"] += f"; rests on {worst}, {weakest}"


def _level_and_weakest(item: Mapping[str, Any]) -> tuple[Level, Level]:
    """Return the level of what must hold, and of a derivation that of its weakest step."""
    check = what_holds(item)
    if check is None:
        return "not checkable", "not checkable"
    return check["level"], check["weakest"] or check["level"]


def _reached(start: str, cites: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a key and all that it cites, the nearest first, each once."""
    seen, layer = {start}, [start]
    while layer:
        yield from layer
        layer = list(dict.fromkeys(key for one in layer for key in cites[one] if key not in seen))
        seen.update(layer)
