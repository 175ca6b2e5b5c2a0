"""Vectors of accounting: what lists of releases cost a record.

Three rules that every accountant can be held to (``pure``, ``zcdp``, ``gaussian``), whose results
are exact, and the truth itself (``tight``), which is enclosed: an accountant that stays below the
lower end promises more than holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from auditor.conformance.kinds import Case, Kind, as_read, identifier
from auditor.conformance.misreadings import first_noticed
from reference.privacy.accounting import Charge, Composition, Sampling
from reference.privacy.guarantees import (
    ZCDP,
    gaussian_dp_delta,
    gaussian_dp_epsilon,
    smallest_epsilon,
)
from reference.privacy.mechanisms import Gaussian, Laplace, Mechanism

GRID = 1e-4
"""Width of the grid to which losses are rounded in the lower bound."""
LOOSE = 1.1
"""Largest factor of the upper end that an accountant may give."""
ROUNDING = 1e-13
"""Largest error of a Fourier transform in a delta."""


@dataclass(frozen=True)
class Releases:
    """A number of equal releases.

    Parameters
    ----------
    kind : {"gaussian", "laplace"}
    size : float
        Sensitivity over scale.
    count : int
    sample : (int, int), optional
        Size of the sample, drawn again for every release, and of the population.
    replace : bool
        Whether it is drawn with replacement; ``size`` is then what a record moves the value by at
        most, however often it is in the sample.
    """

    kind: str
    size: float
    count: int = 1
    sample: tuple[int, int] | None = None
    replace: bool = False

    def told(self) -> dict[str, Any]:
        """Return it as a case says it."""
        told: dict[str, Any] = {
            "kind": self.kind,
            "sensitivity": self.size,
            "scale": 1.0,
            "count": self.count,
        }
        if self.sample is not None:
            size, population = self.sample
            told["sample"] = {"size": size, "population": population, "replace": self.replace}
        return told


def read(told: Mapping[str, Any]) -> Releases:
    """Return the releases that a case tells of."""
    sample = told.get("sample")
    return Releases(
        told["kind"],
        told["sensitivity"] / told["scale"],
        told["count"],
        None if sample is None else (sample["size"], sample["population"]),
        sample is not None and sample["replace"],
    )


Asked = tuple[Releases, ...]


def charges(releases: Asked) -> list[Charge]:
    """Return what they cost, as the accountant of the reference takes it."""
    found = []
    for item in releases:
        mechanism: Mechanism = {"gaussian": Gaussian, "laplace": Laplace}[item.kind](1.0)
        cost = mechanism.cost(item.size)
        sampling = None
        if item.sample is not None:
            size, population = item.sample
            sampling = Sampling(population, size, item.replace, mechanism, item.size, 0.0)
        found += [Charge(cost, sampling)] * item.count
    return found


def pure(releases: Asked, goal: Mapping[str, float]) -> float:
    """Return the sum of the epsilons."""
    del goal
    return Composition(charges(releases)).pure


def zcdp(releases: Asked, goal: Mapping[str, float]) -> float:
    """Return epsilon at delta, or delta at epsilon, of the sum of the rhos, at the best order."""
    guarantee = ZCDP(Composition(charges(releases)).rho)
    if "delta" in goal:
        return smallest_epsilon(guarantee.delta_at, goal["delta"])
    return guarantee.delta_at(goal["epsilon"])


def gaussian(releases: Asked, goal: Mapping[str, float]) -> float:
    """Return epsilon at delta, or delta at epsilon, of the root of the sum of the squares."""
    mu = math.sqrt(sum(item.count * item.size**2 for item in releases))
    if "delta" in goal:
        return gaussian_dp_epsilon(mu, goal["delta"])
    return gaussian_dp_delta(mu, goal["epsilon"])


def tight(releases: Asked, goal: Mapping[str, float]) -> dict[str, float]:
    """Return bounds on the smallest epsilon at delta, or delta at epsilon, that holds.

    The upper one is the accountant's. The lower one is what two data sets and a query attain: the
    loss of each release, rounded down to a grid, composed. For sampled releases the two data sets
    differ in a record that moves the sum in one of them only.
    """
    known = _composed(releases)
    if "delta" in goal:
        upper = known.epsilon(goal["delta"]).epsilon
        lower = _attained(releases).get_epsilon_for_delta(goal["delta"] + ROUNDING)
    else:
        upper = known.delta(goal["epsilon"]).delta
        lower = _attained(releases).get_delta_for_epsilon(goal["epsilon"]) - ROUNDING
    return {"lower": max(0.0, float(lower)), "upper": float(upper)}


@cache
def _attained(releases: Asked) -> Any:
    from dp_accounting.pld import privacy_loss_distribution as pld  # takes seconds to load

    options = {
        "pessimistic_estimate": False,
        "value_discretization_interval": GRID,
        "use_connect_dots": False,  # what rounds losses down
    }
    whole = pld.identity(GRID, pessimistic_estimate=False)
    squares = sum(item.count * item.size**2 for item in releases if _is_plain_gaussian(item))
    if squares:  # they are one
        whole = pld.from_gaussian_mechanism(1.0, math.sqrt(squares), **options)
    for item in releases:
        if _is_plain_gaussian(item):
            continue
        if item.sample is None:
            one = pld.from_laplace_mechanism(1.0, item.size, **options)
        else:
            one = pld.from_gaussian_mechanism(1.0, item.size, sampling_prob=_share(item), **options)
        whole = whole.compose(one.self_compose(item.count))
    return whole


def _share(item: Releases) -> float:
    """Return the probability that a record is in the sample at all."""
    assert item.sample is not None
    size, population = item.sample
    return 1 - (1 - 1 / population) ** size if item.replace else size / population


def _is_plain_gaussian(item: Releases) -> bool:
    return item.kind == G and item.sample is None


@cache
def _composed(releases: Asked) -> Composition:
    return Composition(charges(releases))


G, L = "gaussian", "laplace"
TRANSCRIPTS: dict[str, tuple[Releases, ...]] = {
    "one-laplace": (Releases(L, 1.0),),
    "laplace-x10": (Releases(L, 0.1, 10),),
    "laplace-x1000": (Releases(L, 0.01, 1000),),
    "tiny-laplace": (Releases(L, 1e-4, 3),),
    "one-gaussian": (Releases(G, 0.5),),
    "gaussian-x10": (Releases(G, 0.5, 10),),
    "gaussian-x1000": (Releases(G, 0.05, 1000),),
    "large-gaussian": (Releases(G, 5.0),),
    "minute-gaussian": (Releases(G, 1e-6),),
    "large-laplace": (Releases(L, 50.0),),
    "mixed": (Releases(L, 0.25, 4), Releases(G, 0.5, 2)),
    "unequal": (Releases(G, 0.5), Releases(G, 1.0, 3), Releases(G, 0.1, 20)),
    "sampled-once": (Releases(G, 1.0, 1, (100, 1000)),),
    "sampled-x10": (Releases(G, 1.0, 10, (100, 1000)),),
    "sampled-x1000": (Releases(G, 0.8, 1000, (10, 1000)),),
    "sampled-with-replacement": (Releases(G, 0.5, 5, (100, 1000), replace=True),),
    "sampled-and-not": (Releases(G, 1.0, 20, (50, 1000)), Releases(G, 0.25, 1)),
}
GOALS: tuple[dict[str, float], ...] = (
    {"delta": 1e-9},
    {"delta": 1e-5},
    {"epsilon": 0.1},
    {"epsilon": 1.0},
    {"epsilon": 5.0},
)
RULES: dict[str, Any] = {"pure": pure, "zcdp": zcdp, "gaussian": gaussian, "tight": tight}
ABOUT = {
    "pure": "Epsilons add up.",
    "zcdp": "Rhos add up, of Laplace noise size + e^-size - 1; the conversion is that of the best "
    "Renyi order.",
    "gaussian": "Squares of the sizes add up; then the exact curve.",
    "tight": "The truth lies between: less than the lower end is not private enough, more than 1.1 "
    "times the upper end gives privacy away.",
}
LEAST = 1e-12
"""A delta below this is asked of no accountant."""


def _applies(of: str, releases: Asked, goal: Mapping[str, float]) -> bool:
    if of == "tight":
        return True
    if any(item.sample is not None for item in releases):
        return False
    kinds = {item.kind for item in releases}
    if of == "pure":
        return kinds == {L} and goal == GOALS[0]
    return of == "zcdp" or kinds == {G}


ROUNDED = {
    "tight/laplace-x1000,delta=1e-09": 1e-5,
    "tight/sampled-x1000,delta=1e-09": 1e-5,
    "tight/sampled-and-not,epsilon=5": 3e-4,
}
"""Tolerances where 1e-6 is less than ``PER_RELEASE``: an FFT rounds, otherwise on every
processor and with every library."""
COMPOSED = ("sampled-x10", "sampled-x1000", "sampled-and-not", "mixed", "tiny-laplace")
"""Third versions: upper ends by a composition whose error is bounded."""
PER_RELEASE = 1e-16
"""Error of a composed delta by the arithmetic; half of it was seen, with 1,000 releases."""


def _tolerance(case: str) -> dict[str, Any]:
    if case in ROUNDED:
        return {"relative": ROUNDED[case], "because": "FFTs round, beside so small a delta"}
    return {"relative": 1e-6, "because": "roots are searched for"}


def cases(of: str) -> Iterator[Case]:
    """Yield the cases of a rule."""
    for name, releases in TRANSCRIPTS.items():
        for goal in GOALS:
            if not _applies(of, releases, goal):
                continue
            result = RULES[of](releases, goal)
            asked = {} if of == "pure" else goal
            smallest = float(result["lower"] if isinstance(result, dict) else result)
            if smallest < LEAST:
                continue
            at = "".join(f",{key}={value:g}" for key, value in asked.items())
            tighter = of == "zcdp" and any(item.kind == L for item in releases)
            version = 2 if tighter or f"{of}/{name}{at}" in ROUNDED else 1
            version = 3 if of == "tight" and name in COMPOSED else version
            case = as_read(
                {
                    "id": identifier("accounting", of, f"{name}{at}", version),
                    "kind": "accounting",
                    "of": of,
                    "about": ABOUT[of],
                    "tolerance": _tolerance(f"{of}/{name}{at}"),
                    "inputs": {"releases": [item.told() for item in releases], **asked},
                    "result": result,
                }
            )
            yield {
                **case,
                "catches": first_noticed(case, lambda inputs: _result(of, inputs)),
            }


def _result(of: str, inputs: Mapping[str, Any]) -> Any:
    goal = {key: inputs[key] for key in ("epsilon", "delta") if key in inputs}
    return RULES[of](tuple(read(told) for told in inputs["releases"]), goal)


def answer(case: Case) -> Mapping[str, Any]:
    """Return what the reference says."""
    return {"result": _result(case["of"], case["inputs"])}


KIND = Kind(
    "accounting",
    "what a list of releases costs: by three rules, and the truth between two bounds",
    lambda: tuple(RULES),
    cases,
    answer,
)
