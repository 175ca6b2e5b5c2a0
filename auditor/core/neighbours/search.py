"""Directed search for the two records that make an objective largest."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import hypothesis
import numpy as np
from hypothesis import strategies as st
from scipy import optimize

from auditor.core.neighbours.domains import Domain
from reference._validation import FloatArray, require_count

Objective = Callable[[Any, Any, int], float]
"""``objective(old, new, variation)``: how bad it is to replace record ``old`` by ``new``.

``variation`` in [0, VARIATIONS) selects everything else (the other records, the seed of the
ledger); 0 is the situation as given.
"""
VARIATIONS = 100
_GRID = 64
"""Hypothesis draws every coordinate in [-1, 1] as a multiple of 1/64."""


@dataclass(frozen=True)
class WorstPair:
    """The result of :func:`search_worst_pair`.

    Attributes
    ----------
    value : float
        Largest value of the objective (-infinity if there was none).
    old, new : Any
        The two records.
    variation : int
    traces : dict
        ``"hypothesis"`` and ``"scipy"``: largest value so far, of both, after every evaluation.
    """

    value: float
    old: Any
    new: Any
    variation: int
    traces: dict[str, list[float]]

    @property
    def evaluations(self) -> int:
        """Number of times the objective was evaluated."""
        return sum(len(trace) for trace in self.traces.values())


def search_worst_pair(
    objective: Objective,
    domain: Domain,
    *,
    seed: int | np.random.SeedSequence,
    examples: int = 60,
    evaluations: int = 120,
) -> WorstPair:
    """Search two records of ``domain`` for the largest value of ``objective``.

    First Hypothesis, which likes extremes and hill-climbs by ``hypothesis.target``; then, from
    what it found, differential evolution and (in few dimensions) Nelder-Mead from scipy.

    Parameters
    ----------
    objective : callable
        See :data:`Objective`; deterministic. NaN counts as minus infinity.
    domain : Domain
    seed : int or SeedSequence
        The same seed gives the same search, in any process.
    examples, evaluations : int
        Budgets of the two methods, each >= 1; the second may be exceeded by one generation.

    Examples
    --------
    Two points of the unit ball, as far apart as possible:

    >>> from auditor.core.neighbours import Ball
    >>> far = lambda old, new, variation: float(np.linalg.norm(old - new))
    >>> found = search_worst_pair(far, Ball(2, 1.0), seed=0)
    >>> round(found.value, 3)
    2.0
    """
    require_count("examples", examples)
    require_count("evaluations", evaluations)
    sequence = np.random.SeedSequence(seed) if isinstance(seed, int) else seed
    search = _Search(objective, domain)
    rng = np.random.default_rng(sequence)
    search.by_hypothesis(int(rng.integers(2**63)), examples)
    search.by_scipy(rng, evaluations)
    old, new = search.records(search.point)
    return WorstPair(search.best, old, new, search.variation, search.traces)


class _Search:
    """The best candidate so far, in search coordinates: two records side by side."""

    def __init__(self, objective: Objective, domain: Domain) -> None:
        self._objective = objective
        self._domain = domain
        self.dimension = 2 * domain.parameters
        self.best = -math.inf
        self.point = np.zeros(self.dimension)
        self.variation = 0
        self.traces: dict[str, list[float]] = {"hypothesis": [], "scipy": []}

    def records(self, point: FloatArray) -> tuple[Any, Any]:
        old, new = np.split(point, 2)
        return self._domain.decode(old), self._domain.decode(new)

    def evaluate(self, method: str, point: FloatArray, variation: int) -> float:
        value = float(self._objective(*self.records(point), variation))
        if math.isnan(value):
            value = -math.inf
        if value > self.best:
            self.best, self.point, self.variation = value, np.array(point), variation
        self.traces[method].append(self.best)
        return value

    def by_hypothesis(self, seed: int, examples: int) -> None:
        # Integers below 100 on purpose: Hypothesis mixes larger constants, and floats, that it
        # finds in the source of whatever modules are loaded into what it draws, which would make
        # the search depend on the process.
        coordinate = st.sampled_from([-_GRID, _GRID]) | st.integers(-_GRID, _GRID)
        points = st.tuples(*[coordinate] * self.dimension)

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=examples,
            database=None,
            deadline=None,
            derandomize=False,
            print_blob=False,
            phases=(hypothesis.Phase.generate, hypothesis.Phase.target),
            suppress_health_check=list(hypothesis.HealthCheck),
            verbosity=hypothesis.Verbosity.quiet,
        )
        @hypothesis.given(points, st.integers(0, VARIATIONS - 1))
        def attempt(point: tuple[int, ...], variation: int) -> None:
            value = self.evaluate("hypothesis", np.array(point) / _GRID, variation)
            hypothesis.target(_finite(value), label="objective")

        attempt()

    def by_scipy(self, rng: np.random.Generator, evaluations: int) -> None:
        variation = self.variation

        def loss(point: FloatArray) -> float:
            return -_finite(self.evaluate("scipy", np.clip(point, -1, 1), variation))

        polish = evaluations // 3 if self.dimension <= 12 else 0
        size = min(20, max(5, (evaluations - polish) // 6))
        # half of the population are opposite corners: the extremes of most bounded queries
        corners = rng.choice([-1.0, 1.0], (size // 2, self.dimension // 2))
        population = rng.uniform(-1, 1, (size, self.dimension))
        population[: size // 2] = np.hstack([corners, -corners])
        population[-1] = self.point
        optimize.differential_evolution(
            loss,
            optimize.Bounds(-np.ones(self.dimension), np.ones(self.dimension)),
            init=population,
            maxiter=max(0, (evaluations - polish) // size - 1),
            # a flat objective is not convergence
            tol=0.0,
            atol=-1.0,
            polish=False,
            rng=rng,
        )
        if polish:
            # a simplex that leaves the best point inwards
            steps = np.where(self.point > 0, -0.1, 0.1) * np.eye(self.dimension)
            optimize.minimize(
                loss,
                self.point,
                method="Nelder-Mead",
                options={
                    "maxfev": polish,
                    "initial_simplex": np.vstack([self.point, self.point + steps]),
                },
            )


def _finite(value: float) -> float:
    """Clamp an objective for optimisers that refuse infinities, and square what they get."""
    return min(max(value, -1e150), 1e150)
