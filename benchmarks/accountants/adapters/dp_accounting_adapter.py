"""dp-accounting: its PLD or its RDP accountant, as its argument says."""

from __future__ import annotations

import sys
from typing import Any

import dp_accounting
from dp_accounting import pld, rdp
from protocol import serve

ACCOUNTANTS = {"pld": pld.PLDAccountant, "rdp": rdp.RdpAccountant}
REPLACE_ONE = dp_accounting.NeighboringRelation.REPLACE_ONE


def account(releases: list[dict[str, Any]], goal: dict[str, float]) -> float:
    sampled = any("sample" in item for item in releases)
    # what reads everything costs the same under both relations, and PLD takes Laplace under one
    accountant = ACCOUNTANTS[sys.argv[1]](
        **({"neighboring_relation": REPLACE_ONE} if sampled else {})
    )
    for item in releases:
        size = item["sensitivity"] / item["scale"]
        if item["kind"] == "gaussian":
            event = dp_accounting.GaussianDpEvent(1 / size)
        else:
            event = dp_accounting.LaplaceDpEvent(1 / size)
        if "sample" in item:
            sample = item["sample"]
            if sample["replace"]:
                raise NotImplementedError  # its event charges a record as often as it is drawn
            event = dp_accounting.SampledWithoutReplacementDpEvent(
                sample["population"], sample["size"], event
            )
        if not accountant.supports(event):
            raise NotImplementedError
        accountant.compose(event, item["count"])
    if "delta" in goal:
        return accountant.get_epsilon(goal["delta"])
    return accountant.get_delta(goal["epsilon"])


serve(account)
