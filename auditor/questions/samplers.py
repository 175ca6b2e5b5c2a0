"""The samplers question: are the noise draws distributed as the mechanisms declare.

The privacy-loss audit believes the declared densities; this one does not. Every release of a
recorded run is turned into numbers that are independent and uniform on [0, 1] exactly if the output
was drawn as declared given the value (the probability integral transform, for every kind of
release in :mod:`auditor.kinds`):

* additive noise: the declared distribution function of the standardised residual;
* Wishart noise: its Cholesky factor has independent chi-square and normal entries (Bartlett);
* selections and randomised bits: a uniform point of the interval that the output's probability
  takes up when the outcomes are laid out one after the other (randomised transform), which is
  exact for discrete outcomes too;
* the l2-ball randomiser: the distribution function of the projection on the user's own vector.

The numbers stay independent when later releases depend on earlier outputs. They are tested by
Kolmogorov and Smirnov's exact test, and for scale by the exact chi-square test of the sum of their
squared normal quantiles: all together, by kind of release, and by release.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.verdict import Verdict
from auditor.core.witness import describe_seeds, restore_seeds
from auditor.kinds import uniforms
from auditor.kinds.kind import EDGE
from auditor.statistics.combination import bonferroni
from auditor.transcript.replay import record
from reference._validation import FloatArray

ENOUGH = 2000
"""Uniform numbers wanted in the quick tier."""

RUNS = (100, 300)
"""Fewest and most runs in the quick tier."""

POSITIONS = 12
"""A transcript of at most this many releases is also tested release by release."""


# ------------------------------------------------------------------------------- the tests


@dataclass(frozen=True)
class GroupTest:
    """The tests of one group of uniform numbers.

    Attributes
    ----------
    group : str
        ``"all"``, a kind of release, or ``"release 3 (gaussian)"``.
    size : int
        How many numbers.
    distance : float
        Kolmogorov-Smirnov distance from the uniform law.
    p_shape, p_scale : float
        p-values of the Kolmogorov-Smirnov and of the chi-square test.
    spread : float
        Root mean square of the normal quantiles; 1 is expected, 1/2 is half the noise (for
        Gaussian noise exactly).
    """

    group: str
    size: int
    distance: float
    p_shape: float
    p_scale: float
    spread: float

    @property
    def p_value(self) -> float:
        """Both tests by Bonferroni."""
        return bonferroni([self.p_shape, self.p_scale])


def uniformity(values: FloatArray, group: str = "all") -> GroupTest:
    """Test that independent numbers are uniform on [0, 1]; both p-values are exact."""
    u = np.clip(values, EDGE, 1 - EDGE)
    shape = stats.kstest(u, "uniform")
    square = float(np.sum(special.ndtri(u) ** 2))
    law = stats.chi2(u.size)
    return GroupTest(
        group,
        u.size,
        float(shape.statistic),
        float(shape.pvalue),
        min(1.0, 2 * float(min(law.cdf(square), law.sf(square)))),
        float(np.sqrt(square / u.size)),
    )


def collect(
    form: Form, seeds: Iterator[np.random.SeedSequence], runs: int, rng: np.random.Generator
) -> dict[str, list[FloatArray]]:
    """Return the uniform numbers of ``runs`` runs on the first data set, by group."""
    groups: dict[str, list[FloatArray]] = defaultdict(list)
    for seed in (next(seeds) for _ in range(runs)):
        releases = record(form.run, form.pair[0], seed, target=form.replaced)[0].releases
        for position, release in enumerate(releases):
            numbers = uniforms(release, rng)
            groups["all"].append(numbers)
            groups[release.mechanism.kind].append(numbers)
            if len(releases) <= POSITIONS:
                groups[f"release {position} ({release.mechanism.kind})"].append(numbers)
    return groups


def audit(form: Form, context: Context) -> Verdict:
    """Record runs on ``form.pair[0]`` and test every release's draws against its declared law.

    Returns
    -------
    Verdict
        ``violated`` if some group is rejected at ``context.alpha`` (all groups together, by
        Bonferroni); ``not applicable`` if a run releases nothing.
    """
    sequence = context.at("runs").seed_sequence()
    most = context.effort(RUNS[1])
    seeds = iter(sequence.spawn(most))
    rng = context.at("placement").rng()
    first = collect(form, seeds, 1, rng)
    per_run = sum(numbers.size for numbers in first.get("all", []))
    if per_run == 0:
        return Verdict("samplers", "not applicable", "a run releases nothing through the ledger")
    wanted = -(-context.effort(ENOUGH) // per_run)
    runs = min(max(wanted, RUNS[0]), most)
    rest = collect(form, seeds, runs - 1, rng)
    groups = {
        group: np.concatenate(first.get(group, []) + rest.get(group, []))
        for group in dict.fromkeys([*first, *rest])
    }
    tests = [uniformity(numbers, group) for group, numbers in _distinct(groups).items()]
    p_value = bonferroni([test.p_value for test in tests])
    worst = min(tests, key=lambda test: test.p_value)
    violated = p_value <= context.alpha
    whole = tests[0]
    return Verdict(
        "samplers",
        "violated" if violated else "holds",
        f"{whole.size} draws of {runs} runs: distance from the declared law "
        f"{worst.distance:.3g}, spread {worst.spread:.3g} of 1 in group '{worst.group}' "
        f"(p = {p_value:.2g} over {len(tests)} groups)",
        evidence={
            "runs": runs,
            "draws": whole.size,
            "confidence": 1 - context.alpha,
            "groups": [
                {
                    "group": test.group,
                    "draws": test.size,
                    "distance": test.distance,
                    "spread": test.spread,
                    "p_value": test.p_value,
                }
                for test in tests
            ],
        },
        witness=_witness(form, worst, sequence, runs) if violated else None,
        p_value=p_value,
    )


def _distinct(groups: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Drop a group that has the same numbers as an earlier, coarser one."""
    kept: dict[str, FloatArray] = {}
    for group, numbers in groups.items():
        if not any(np.array_equal(numbers, other) for other in kept.values()):
            kept[group] = numbers
    return kept


def _witness(
    form: Form, worst: GroupTest, sequence: np.random.SeedSequence, runs: int
) -> dict[str, Any]:
    return {
        "parameters": dict(form.parameters),
        "seeds": describe_seeds(sequence),
        "runs": runs,
        "group": worst.group,
        "draws": worst.size,
        "distance": worst.distance,
        "spread": worst.spread,
        "p_value": worst.p_value,
    }


def reproduce(form: Form, witness: Mapping[str, Any]) -> GroupTest:
    """Run a witness of :func:`audit` again and test its group.

    For discrete outcomes the placement inside their intervals is drawn afresh.
    """
    seeds = iter(restore_seeds(witness["seeds"], witness["runs"]))
    groups = collect(form, seeds, witness["runs"], np.random.default_rng(0))
    return uniformity(np.concatenate(groups[witness["group"]]), witness["group"])
