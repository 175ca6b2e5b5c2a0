"""OpenDP: basic composition of Laplace, zCDP of Gaussian measurements."""

from __future__ import annotations

from typing import Any

import opendp.prelude as dp
from protocol import serve

dp.enable_features("contrib")


def account(releases: list[dict[str, Any]], goal: dict[str, float]) -> float:
    if any("sample" in item for item in releases):
        raise NotImplementedError
    kinds = {item["kind"] for item in releases}
    if len(kinds) > 1:
        raise NotImplementedError  # measures of two kinds do not compose
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    make = dp.m.make_gaussian if kinds == {"gaussian"} else dp.m.make_laplace
    every = [
        make(*space, scale=item["scale"] / item["sensitivity"])
        for item in releases
        for _ in range(item["count"])
    ]
    total = dp.c.make_composition(every).map(1.0)
    if kinds == {"laplace"}:
        if goal and "delta" not in goal:
            raise NotImplementedError
        return total
    # one measurement with the whole of the rho: its conversion is OpenDP's
    one = dp.m.make_gaussian(*space, scale=1.0)
    profile = dp.c.make_zCDP_to_approxDP(one).map((2 * total) ** 0.5)
    return profile.epsilon(goal["delta"]) if "delta" in goal else profile.delta(goal["epsilon"])


serve(account)
