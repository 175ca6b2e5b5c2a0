"""Messages of failed tests: the witness of a violation, or what is missing for a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditor.checking.relations import relation_of
from auditor.checking.result import CheckResult
from auditor.core.errors import InputError
from auditor.core.pair_names import SIDES
from auditor.core.verdict import describe
from auditor.core.witness import decode_pair

SHOWN = 300
"""Characters of a data set that are shown."""


def message(name: str, result: CheckResult, used: Mapping[str, Any], again: str) -> str:
    """Return the witness of a violation, or what is missing for a verdict, in a few lines."""
    unsure = result.status == "inconclusive"
    lines = [f"{name} {'may or may not be' if unsure else 'is not'} private: {result.headline}"]
    lines += [f"{what}: {fact}" for what, fact in result.facts.items()]
    lines += ["allow_inconclusive=True lets it pass"] if unsure else _data_sets(result, used)
    lines += [f"note: {describe(finding)}" for finding in result.findings]
    return "\n  ".join([*lines, again])


def _data_sets(result: CheckResult, used: Mapping[str, Any]) -> list[str]:
    pair = used.get("pair")
    if not isinstance(pair, (tuple, list)):  # it was searched
        pair = _found_pair(result)
    if pair is None:
        return []
    shown = [" ".join(repr(data).split()) for data in pair]
    lines = [
        f"{side:2} = {text if len(text) <= SHOWN else text[:SHOWN] + '...'}"
        for side, text in zip(SIDES, shown, strict=True)
    ]
    if max(map(len, shown)) > SHOWN:
        lines += _differing_record(pair[0], pair[1])
    return lines


def _found_pair(result: CheckResult) -> tuple[Any, Any] | None:
    try:
        return decode_pair(result.witness or {})
    except InputError:  # too large for a witness
        return None


def _differing_record(first: Any, second: Any) -> list[str]:
    try:
        relation, index = relation_of(first, second)
    except InputError:  # the user vouches for them
        return []
    return [f"they are {relation.value} neighbours and differ in record {index}"]
