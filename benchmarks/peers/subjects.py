"""Subjects of the comparison: the zoo's mechanisms, whose true epsilon is known."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from auditor.runs.blocks import Outputs, joined
from auditor.zoo import Specimen, specimens

FEATURED = (
    "laplace",
    "geometric",
    "staircase",
    "analytic-gaussian",
    "randomized-colour",
    "frequent-keys",
    "parallel-laplace",
    "laplace-prefix-sums",
    "binary-tree",
    "rappor-one-time",
    "sparse-vector-1-of-20",
    "dp-sgd-four-steps",
)
"""Drawn at every number of samples; all others at ``COMMON`` only."""

LATER: tuple[str, ...] = ()
"""Joined the zoo after the page was made, and not measured: take one out, then ``--add`` it."""

COMMON = 10**4
GOALS = {10**3: 0.65, 10**4: 0.90, 10**5: 0.97, 10**6: 0.99}
"""For Laplace noise at epsilon 1: samples a side, and the certified epsilon aimed for."""

DRAW = 50_000
"""Runs drawn at a time."""


@dataclass(frozen=True)
class Subject:
    """A mechanism on its worst pair, at the delta of its claim."""

    specimen: Specimen

    @property
    def name(self) -> str:
        """Its name in the zoo."""
        return self.specimen.name

    @property
    def delta(self) -> float:
        """The delta at which epsilon is bounded."""
        return self.specimen.delta

    @property
    def epsilon(self) -> float:
        """The truth, possibly infinite."""
        return float(self.specimen.truth(self.delta))

    def draw(self, size: int, seed: int) -> tuple[Outputs, Outputs]:
        """Return outputs of ``size`` runs on either side."""
        first, second = (self._side(side, size, seed) for side in (0, 1))
        return first, second

    def _side(self, side: int, size: int, seed: int) -> Outputs:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(side, size)))
        data = self.specimen.pair[side]
        starts = range(0, size, DRAW)
        return joined([self.specimen(data, rng, min(DRAW, size - at)) for at in starts])


def subjects() -> dict[str, Subject]:
    """Return the mechanisms that can be compared, by name.

    Left out: a true epsilon of 0, of which no share can be certified, leaks of low-order bits
    alone, which no method here looks at, and :data:`LATER`.
    """
    return {
        name: Subject(specimen)
        for name, specimen in specimens().items()
        if not specimen.arithmetic and name not in LATER and specimen.truth(specimen.delta) > 0
    }


def most_samples(subject: Subject) -> int:
    """Return the largest number of samples a side that a subject is audited with."""
    return 5 * 10**5 if subject.specimen.vector else 10**6


def sizes(subject: Subject, *, quick: bool) -> list[int]:
    """Return the numbers of samples a side that a subject is audited with."""
    if subject.name not in FEATURED:
        return [COMMON]
    every = [10**3, 10**4, 10**5, most_samples(subject)]
    return [size for size in every if size <= COMMON] if quick else every


def repetitions(subject: Subject, size: int, *, quick: bool) -> int:
    """Return with how many seeds a subject is audited: more where that is cheap."""
    if quick:
        return 2 if subject.name in FEATURED else 1
    if subject.name == "laplace":
        return 20 if size <= 10**5 else 5
    if subject.name not in FEATURED:
        return 3
    if size <= 10**4:
        return 5
    return 3 if size <= 10**5 else 2


def share(epsilon: float, truth: float) -> float:
    """Return a certified epsilon as a share of the truth; NaN if that is infinite."""
    return epsilon / truth if math.isfinite(truth) else math.nan
