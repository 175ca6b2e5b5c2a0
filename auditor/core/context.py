"""Contexts of questions: seed, effort and share of the error probability."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from auditor.core.input_limits import CONFIDENCE

Tier = Literal["quick", "full"]
LedgerKind = Literal["numpy", "exact"]

ASKED = 4
"""Largest number of tries at what an audit must notice: a mutant, a twin, a printed form's error.

What a single try notices nine times in ten is missed by all with probability 1e-4 at most.
"""


@dataclass(frozen=True)
class Context:
    """Seed, effort and confidence of one question.

    Parameters
    ----------
    seed : int
        Seed of the whole suite.
    tier : {"quick", "full"}
        Quick touches everything in a few minutes; full is the one to cite.
    confidence : float
        Of one family of tests, in (0, 1): the corrected forms of an algorithm, or one printed form.
    tests : int
        Number of statistical tests of that family, which share 1 - confidence.
    path : tuple of str
        What is being audited, e.g. ``("wang-1", "corrected", "privacy_loss")``.
    times : int
        Multiple of the tier's effort: more than 1 for what is asked again on more runs.
    ledger : {"numpy", "exact"}
        Where the noise of runs comes from: numpy's generators, or the exact samplers.
    """

    seed: int = 0
    tier: Tier = "quick"
    confidence: float = CONFIDENCE
    tests: int = 1
    path: tuple[str, ...] = field(default=())
    times: int = 1
    ledger: LedgerKind = "numpy"

    @property
    def alpha(self) -> float:
        """Error probability of one statistical question of one form (Bonferroni)."""
        return (1 - self.confidence) / self.tests

    def at(self, *names: str) -> Context:
        """Return the context of a part; its randomness is independent of every other part's."""
        return replace(self, path=(*self.path, *names))

    def asking(self, number: int) -> Context:
        """Return the context of one asking of several, from 1.

        Its runs are fresh, and twice as many as those of the asking before.
        """
        return replace(self.at(str(number)), times=self.times * 2 ** (number - 1))

    def seed_sequence(self) -> np.random.SeedSequence:
        """Return the seed of this path: a function of the suite's seed and the path alone."""
        digest = hashlib.sha256("/".join(self.path).encode()).digest()
        key = tuple(int.from_bytes(digest[i : i + 4], "big") for i in range(0, 16, 4))
        return np.random.SeedSequence(self.seed, spawn_key=key)

    def rng(self) -> np.random.Generator:
        """Return a generator seeded by :meth:`seed_sequence`."""
        return np.random.default_rng(self.seed_sequence())

    def effort(self, quick: int, *, full: int | None = None) -> int:
        """Return a number of repetitions for this tier; the full tier takes 10x by default."""
        if self.tier == "full":
            quick = full if full is not None else 10 * quick
        return self.times * quick
