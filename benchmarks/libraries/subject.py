"""Subject of a check of a library: a mechanism, a pair of neighbours, and the library's claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from reference.privacy import ZCDP
from reference.privacy.guarantees import Guarantee

Mechanism = Callable[[Any, np.random.Generator], Any]
RelationName = Literal["replace", "add-remove", "any"]


@dataclass(frozen=True)
class Subject:
    """One claim of a library, to be refuted.

    Attributes
    ----------
    name : str
    mechanism : callable
        ``mechanism(data, rng)``.
    pair : (Any, Any)
        Neighbouring data sets.
    words : str
        The pair in words.
    epsilon, delta : float
        As the library states them.
    rho : float or None
        Instead of both: zero-concentrated.
    relation : {"any", "replace", "add-remove"}
        How the data sets are neighbours; "any" if the library is given a value and a sensitivity.
    samples : int or None
        At most so many runs a side, for slow ones.
    finding : str
        What in :mod:`benchmarks.libraries.findings` explains a violation; empty for subjects that
        should hold.
    """

    name: str
    mechanism: Mechanism
    pair: tuple[Any, Any]
    words: str
    epsilon: float = 1.0
    delta: float = 0.0
    rho: float | None = None
    relation: RelationName = "any"
    samples: int | None = None
    finding: str = ""

    @property
    def claim(self) -> str:
        """The claim in words."""
        if self.rho is not None:
            return f"ρ = {self.rho:.4g}"
        shown = f"ε = {self.epsilon:.4g}"
        return f"{shown}, δ = {self.delta:.3g}" if self.delta else shown

    def stated(self) -> Mapping[str, float | Guarantee]:
        """Return the claim as arguments of :func:`auditor.check`."""
        if self.rho is not None:
            return {"claim": ZCDP(self.rho)}
        return {"epsilon": self.epsilon, "delta": self.delta}


def by_name(subjects: Iterable[Subject]) -> dict[str, Subject]:
    """Return subjects by their names.

    Raises
    ------
    ValueError
        If two have the same name.
    """
    found: dict[str, Subject] = {}
    for subject in subjects:
        if subject.name in found:
            raise ValueError(f"two subjects are called {subject.name!r}")
        found[subject.name] = subject
    return found
