"""The samplers question: are the noise draws distributed as the mechanisms declare.

The privacy-loss audit believes the declared densities; this one does not. Every release of a
recorded run is turned into numbers that are independent and uniform on [0, 1] exactly if the output
was drawn as declared given the value (the probability integral transform, for every kind of
release in :mod:`auditor.mechanisms`):

* additive noise: the declared distribution function of the standardised residual;
* Wishart noise: its Cholesky factor has independent chi-square and normal entries (Bartlett);
* selections and randomised bits: a uniform point of the interval that the output's probability
  takes up when the outcomes are laid out one after the other (randomised transform), which is
  exact for discrete outcomes too;
* the l2-ball randomiser: the distribution function of the projection on the user's own vector.

The numbers stay independent when later releases depend on earlier outputs. They are tested by
Kolmogorov and Smirnov's exact test, and for scale by the exact chi-square test of the sum of their
squared normal quantiles: all together, by kind of release, and by release.

Whether they are independent is asked in the same way: the difference and the sum of two independent
uniform numbers are uniform modulo 1, the difference of two that are the same is 0, and that of
correlated ones is close to 0. So are tested the differences and sums of two releases, and of
neighbouring numbers within releases: the same draw used twice has the right law each time.

A generator that is seeded from few bits repeats its noise in other runs. So the numbers behind
additive noise, of all releases, are searched for equal ones. Two have the same noise with
probability :data:`SAME_NOISE` at most, if it is as declared, on a grid of 2^-30 of its scale or
none; by Markov's inequality m numbers with so many equal pairs have probability
m (m - 1)/2 SAME_NOISE/pairs at most. b bits repeat in 128 runs of one number with probability
1 - exp(-8128/2^b): 86% of 12 bits, 39% of 14.

In stages (:mod:`auditor.statistics.stages`): a screen at 1% over all its looks, after 64, 128, ...
runs, and all groups; and where it fires, the group that stood out, and that one alone, is tested
on as many fresh runs, and if need be on four times as many. As of the privacy losses
(:mod:`auditor.questions.privacy_loss`), the p-value of both together is the second over 100.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.plurals import counted
from auditor.core.verdict import Verdict
from auditor.core.witness import describe_seeds, restore_seeds
from auditor.events.lattices import values_and_pairs
from auditor.mechanisms.release_kind import EDGE
from auditor.statistics.combination import bonferroni
from auditor.statistics.stages import (
    confirm,
    confirmation_level,
    looks,
    screen,
    staged_p_value,
)
from auditor.transcript.replay import record
from auditor.transcript.shared import ReleaseUniforms, SharedRuns, numbers_of
from reference._validation import FloatArray

ENOUGH, MOST = 100, 300
"""Runs after which the quick tier goes on only if what it sees is promising, and its most runs;
the full tier takes ten times as many."""

FULL_DRAWS = 20_000
"""Uniform numbers without which the full tier goes on to its most runs."""

PROMISING = 0.1
"""p-value of a look below which more runs may show something: it is uniform for true laws."""

POSITIONS = 12
"""A transcript of at most this many releases is also tested release by release."""

PAIRED = 3
"""Releases of a transcript, the first ones, that are compared with each other."""

REPEATED = "repeated noise"
"""The group of the numbers that are searched for equal ones."""

SAME_NOISE = 2.0**-31
"""Probability that two draws are equal: a step of 2^-30, times the integral of the density squared,
which is 0.25 of Laplace and 0.28 of Gaussian noise, and less of smooth noise."""


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


def repetition(values: FloatArray) -> GroupTest:
    """Test that noise does not repeat, whose numbers are equal only if it does.

    The distance is the share of the numbers that came before.
    """
    _, counts = np.unique(values, return_counts=True)
    _, pairs = values_and_pairs(counts)
    expected = SAME_NOISE * values.size * (values.size - 1) / 2
    p_value = min(1.0, expected / pairs) if pairs else 1.0
    return GroupTest(REPEATED, values.size, 1 - counts.size / values.size, p_value, 1.0, 1.0)


def _tested(values: FloatArray, group: str) -> GroupTest:
    return repetition(values) if group == REPEATED else uniformity(values, group)


def groups_of(runs: Sequence[ReleaseUniforms]) -> dict[str, FloatArray]:
    """Return the uniform numbers of some runs by group."""
    groups: dict[str, list[FloatArray]] = defaultdict(list)
    for releases in runs:
        for position, (kind, numbers, continuous) in enumerate(releases):
            groups["all"].append(numbers)
            groups[kind].append(numbers)
            if len(releases) <= POSITIONS:
                groups[f"release {position} ({kind})"].append(numbers)
            if continuous:
                groups[REPEATED].append(numbers[np.isfinite(numbers)])
        for group, numbers in _compared([release.uniforms for release in releases]):
            groups[group].append(numbers)
    return {group: np.concatenate(parts) for group, parts in groups.items()}


def not_independent(group: str) -> tuple[int, ...] | None:
    """Return the two releases that a group compares, none within releases; None of other groups."""
    which = r"(?:of releases (\d+) and (\d+)|within releases)"
    named = re.fullmatch(rf"(?:difference|sum)s? {which}", group)
    return None if named is None else tuple(int(one) for one in named.groups() if one)


def _compared(releases: Sequence[FloatArray]) -> Iterator[tuple[str, FloatArray]]:
    """Yield differences and sums modulo 1 of the numbers of one run: uniform if independent."""
    for (i, one), (j, other) in itertools.combinations(enumerate(releases[:PAIRED]), 2):
        shared = min(one.size, other.size)
        named = f"releases {i} and {j}"  # as :func:`not_independent` reads it
        yield f"difference of {named}", np.mod(other[:shared] - one[:shared], 1.0)
        yield f"sum of {named}", np.mod(other[:shared] + one[:shared], 1.0)
    for numbers in releases:
        paired = numbers[: numbers.size // 2 * 2].reshape(-1, 2)
        if paired.size:
            yield "differences within releases", np.mod(paired[:, 1] - paired[:, 0], 1.0)
            yield "sums within releases", np.mod(paired.sum(axis=1), 1.0)


def audit(form: Form, context: Context, runs: SharedRuns | None = None) -> Verdict:
    """Record runs on ``form.pair[0]`` and test every release's draws against its declared law.

    Parameters
    ----------
    form : Form
    context : Context
        Of this question.
    runs : SharedRuns, optional
        The form's; made here by default.

    Returns
    -------
    Verdict
        ``violated`` if some group is rejected at ``context.alpha`` by the screen and its
        confirmation together; ``not applicable`` if a run releases nothing.
    """
    shared = SharedRuns(form, context) if runs is None else runs
    if not shared.numbers("screen", 1)[0]:
        return Verdict("samplers", "not applicable", "a run releases nothing through the ledger")

    def look(size: int) -> tuple[float, list[GroupTest]]:
        groups = _distinct(groups_of(shared.numbers("screen", size)))
        tests = [_tested(numbers, group) for group, numbers in groups.items()]
        return bonferroni([test.p_value for test in tests]), tests

    def enough(size: int, p_value: float, tests: list[GroupTest]) -> bool:
        plenty = context.tier == "quick" or tests[0].size >= FULL_DRAWS
        return size >= context.effort(ENOUGH) and plenty and p_value >= PROMISING

    screened = screen(looks(context.effort(MOST)), look, enough)
    tests = screened.seen
    worst = min(tests, key=lambda test: test.p_value)
    p_values, fresh = [screened.p_value], 0
    if screened.fired:
        group = worst.group

        def again(size: int) -> GroupTest:
            return _again(shared.numbers("confirmation", size), group)

        confirmed, fresh = confirm(screened.runs, lambda size: again(size).p_value, context.alpha)
        worst = again(fresh)
        p_values.append(confirmed)
    p_value = staged_p_value(p_values)
    violated = p_value <= context.alpha
    seeds = shared.seeds("confirmation", 0)
    whole = tests[0]
    return Verdict(
        "samplers",
        "violated" if violated else "holds",
        f"{whole.size} draws of {screened.runs} runs"
        f"{f', then {fresh} fresh runs' if fresh else ''}: {_described(worst)} "
        f"(p = {p_value:.2g} over {counted(len(tests), 'group', 'groups')})",
        evidence={
            "runs": screened.runs,
            "confirmation_runs": fresh,
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
        witness=_witness(form, worst, seeds, fresh, confirmation_level(context.alpha))
        if violated
        else None,
        p_value=p_value,
    )


def _described(worst: GroupTest) -> str:
    """Return what a test saw."""
    if worst.group == REPEATED:
        return f"{worst.distance:.3g} of {worst.size} numbers repeat the noise of others"
    return (
        f"distance from the declared law {worst.distance:.3g}, spread {worst.spread:.3g} of 1 "
        f"in group '{worst.group}'"
    )


def _again(runs: Sequence[ReleaseUniforms], group: str) -> GroupTest:
    """Test one group on other runs; one that they do not have says nothing."""
    numbers = groups_of(runs).get(group)
    return GroupTest(group, 0, 0.0, 1.0, 1.0, 1.0) if numbers is None else _tested(numbers, group)


def _distinct(groups: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Drop a group that has the same numbers, and the same test, as an earlier, coarser one."""
    kept: dict[str, FloatArray] = {}
    for group, numbers in groups.items():
        if group == REPEATED or not any(
            np.array_equal(numbers, other) for name, other in kept.items() if name != REPEATED
        ):
            kept[group] = numbers
    return kept


def _witness(
    form: Form, worst: GroupTest, sequence: np.random.SeedSequence, runs: int, alpha: float
) -> dict[str, Any]:
    return {
        "parameters": dict(form.parameters),
        "seeds": describe_seeds(sequence),
        "runs": runs,
        "group": worst.group,
        "draws": worst.size,
        "distance": worst.distance,
        "spread": worst.spread,
        "alpha": alpha,
        "p_value": worst.p_value,
    }


def reproduce(form: Form, witness: Mapping[str, Any]) -> bool:
    """Run a witness of :func:`audit` again; return whether its group is rejected again."""
    seeds = restore_seeds(witness["seeds"], witness["runs"])
    recorded = ((record(form.run, form.pair[0], s, target=form.replaced)[0], s) for s in seeds)
    runs = [numbers_of(transcript, seed) for transcript, seed in recorded]
    return _again(runs, witness["group"]).p_value <= float(witness["alpha"])
