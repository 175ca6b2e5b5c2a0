"""prv-accountant: the upper end of its interval."""

from __future__ import annotations

from typing import Any

from protocol import serve
from prv_accountant import PRVAccountant
from prv_accountant.privacy_random_variables import GaussianMechanism, LaplaceMechanism


def account(releases: list[dict[str, Any]], goal: dict[str, float]) -> float:
    if any("sample" in item for item in releases) or "delta" not in goal:
        raise NotImplementedError  # it knows Poisson sampling alone
    kinds = {"gaussian": GaussianMechanism, "laplace": LaplaceMechanism}
    counts = [item["count"] for item in releases]
    mechanisms = [
        kinds[item["kind"]](item["scale"] / item["sensitivity"])
        if item["kind"] == "gaussian"
        else kinds[item["kind"]](mu=item["sensitivity"] / item["scale"])
        for item in releases
    ]
    accountant = PRVAccountant(
        prvs=mechanisms,
        max_self_compositions=counts,
        eps_error=0.01,
        delta_error=goal["delta"] / 1000,
    )
    _, _, upper = accountant.compute_epsilon(delta=goal["delta"], num_self_compositions=counts)
    return upper


serve(account)
