"""autodp: its composition of Renyi curves."""

from __future__ import annotations

from typing import Any

from autodp.mechanism_zoo import GaussianMechanism, LaplaceMechanism
from autodp.transformer_zoo import AmplificationBySampling, Composition
from protocol import serve

KINDS = {"gaussian": GaussianMechanism, "laplace": LaplaceMechanism}
WITHOUT_REPLACEMENT = AmplificationBySampling(PoissonSampling=False)


def account(releases: list[dict[str, Any]], goal: dict[str, float]) -> float:
    mechanisms, counts = [], []
    for item in releases:
        one = KINDS[item["kind"]](item["scale"] / item["sensitivity"])
        if "sample" in item:
            if item["sample"]["replace"]:
                raise NotImplementedError
            one.neighboring = "replace_one"
            share = item["sample"]["size"] / item["sample"]["population"]
            one = WITHOUT_REPLACEMENT(one, share)
        mechanisms.append(one)
        counts.append(item["count"])
    whole = Composition()(mechanisms, counts)
    if "delta" in goal:
        return float(whole.get_approxDP(goal["delta"]))
    return _delta(whole, goal["epsilon"])


def _delta(whole: Any, epsilon: float) -> float:
    """It has no delta of a composition: the least delta whose epsilon is that, by bisection."""
    low, high = 1e-15, 1.0 - 1e-9
    for _ in range(60):
        middle = (low * high) ** 0.5
        if whole.get_approxDP(middle) <= epsilon:
            high = middle
        else:
            low = middle
    return high


serve(account)
