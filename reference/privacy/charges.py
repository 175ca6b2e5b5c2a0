"""The costs of releases, alone or by subsample, and the records that bear them."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from reference._validation import ParameterValueError
from reference.privacy.mechanisms import Cost, Mechanism
from reference.privacy.mechanisms.mechanism import half_square

Borne = TypeVar("Borne", bound=Hashable)


@dataclass(frozen=True)
class Sampling:
    """The draw of the subsample of a release (see :class:`reference.privacy.ledger.Release`)."""

    population: int
    size: int
    replace: bool
    mechanism: Mechanism
    sensitivity: float
    background_sensitivity: float
    position: int | None = None
    """Number of the subsample in the transcript; ``None`` means one of its own.

    Releases computed from the same subsample are amplified together.
    """

    @property
    def amplifies(self) -> bool:
        """True if amplification by sampling without replacement applies (one draw is both)."""
        return self.size == 1 or not self.replace

    @property
    def probability(self) -> float:
        """Probability that a record is in the sample, without replacement."""
        return self.size / self.population


@dataclass(frozen=True)
class Charge:
    """Cost of one release to a record that it reads; ``sampling`` if it read a subsample."""

    cost: Cost
    sampling: Sampling | None = None


def record_profiles(
    items: Sequence[tuple[Borne, slice | np.ndarray[Any, Any] | None]],
) -> list[tuple[Borne, ...]]:
    """Return the distinct lists of items (charges, say) that some record bears.

    Every set of records is a union of blocks; between two neighbouring ends of blocks all records
    bear the same. Memory and time are those of the blocks, whatever the number of records.
    """
    common = tuple(item for item, records in items if records is None)
    split = [(item, record_blocks(records)) for item, records in items if records is not None]
    split = [(item, blocks) for item, blocks in split if blocks.size]
    if not split:
        return [common]
    ends = np.unique(np.concatenate([blocks.ravel() for _, blocks in split] + [[0]]))
    # a bearer is a list of items as (the list before, the last item); a cell starts with none
    bearers: list[tuple[int, int] | None] = [None]
    bearer_of_cell = np.zeros(ends.size - 1, dtype=np.int64)
    for index, (_, blocks) in enumerate(split):
        starts, stops = np.searchsorted(ends, blocks)
        cells = np.concatenate([np.arange(*pair) for pair in zip(starts, stops, strict=True)])
        before, which = np.unique(bearer_of_cell[cells], return_inverse=True)
        bearer_of_cell[cells] = len(bearers) + which
        bearers.extend((int(old), index) for old in before)
    profiles = []
    for bearer in np.unique(bearer_of_cell):
        borne: list[Borne] = []
        link = bearers[bearer]
        while link is not None:
            borne.append(split[link[1]][0])
            link = bearers[link[0]]
        profiles.append(common + tuple(reversed(borne)))
    # a dict keeps the order, so that ties are settled the same way in every run
    return list(dict.fromkeys(profiles))


def record_blocks(records: slice | np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the blocks of consecutive records as two rows: their first ones, and the ends."""
    if isinstance(records, slice):
        start, stop, step = records.start or 0, records.stop, records.step or 1
        if step == 1 and start >= 0:
            bounds = [[start], [stop]] if start < stop else np.empty((2, 0))
            return np.asarray(bounds, dtype=np.int64)
        records = np.arange(start, stop, step, dtype=np.int64)
    indices = np.unique(records)
    if indices.size == 0:
        return np.empty((2, 0), dtype=np.int64)
    if indices.dtype.kind not in "iu" or indices[0] < 0 or indices[-1] >= sys.maxsize:
        raise ParameterValueError("records", f"be integers from 0 to {sys.maxsize - 1}", indices)
    indices = indices.astype(np.int64)  # one more than the last of a narrower type is none of it
    gaps = np.flatnonzero(np.diff(indices) > 1)
    first = np.concatenate([indices[:1], indices[gaps + 1]])
    return np.stack([first, np.concatenate([indices[gaps], indices[-1:]]) + 1])


Groups = Mapping[tuple[Charge, ...], int]


def by_sample(charges: Iterable[Charge]) -> Groups:
    """Group the charges computed from the same subsample; count the groups, most stand alone."""
    alone: Counter[tuple[Charge, ...]] = Counter()
    groups: dict[int, list[Charge]] = {}
    for charge, count in Counter(charges).items():
        if charge.sampling is None or charge.sampling.position is None:
            alone[charge,] = count
        else:
            groups.setdefault(charge.sampling.position, []).extend([charge] * count)
    alone.update(map(tuple, groups.values()))
    return alone


def amplified(group: tuple[Charge, ...]) -> bool:
    """Return whether the Gaussian releases of a subsample are amplified by it."""
    return all(
        charge.sampling is not None
        and charge.sampling.amplifies
        and charge.cost.gaussian is not None
        for charge in group
    )


def parts_of(group: tuple[Charge, ...]) -> tuple[float, float, float]:
    """Return mu of the sampled part and of the background of an amplified group, and q."""
    sampled, background, probability = [], [], 1.0
    for charge in group:
        sampling, mu = charge.sampling, charge.cost.gaussian
        assert sampling is not None
        assert mu is not None
        background.append(mu * (sampling.background_sensitivity / sampling.sensitivity))
        sampled.append(mu - background[-1])
        probability = sampling.probability  # the same subsample for the whole group
    return math.hypot(*sampled), math.hypot(*background), probability


def pure_of(group: tuple[Charge, ...]) -> float:
    """Pure epsilon of the releases from one subsample: ln(1 + q (e^epsilon - 1)) in total.

    Source: Wang (2020), Lemma 2.1.2 in its exact form (replace-one, without replacement).
    """
    total = math.fsum(charge.cost.pure for charge in group)
    sampling = group[0].sampling
    background = any(c.sampling and c.sampling.background_sensitivity > 0 for c in group)
    if sampling is None or not sampling.amplifies or background or not total < 700:
        return total
    return max(math.log1p(sampling.probability * math.expm1(total)), math.ulp(0.0))


def rho_of(group: tuple[Charge, ...]) -> float:
    """Rho of the releases from one subsample; only pure DP is amplified."""
    pure = pure_of(group)
    return min(math.fsum(charge.cost.rho for charge in group), half_square(pure))


def approximate_of(cost: Cost) -> tuple[float, float]:
    """Return (epsilon, delta) of one release, delta = 1 if it is neither pure nor approximate."""
    if cost.approximate is not None:
        return cost.approximate
    return (cost.pure, 0.0) if math.isfinite(cost.pure) else (0.0, 1.0)


def failure_of(deltas: Sequence[tuple[float, int]]) -> float:
    """Return 1 - prod (1 - delta)^count, however small, never below it."""
    failing = [(delta, count) for delta, count in deltas if delta > 0]
    largest = max((delta for delta, _ in failing), default=0.0)
    if sum(count for _, count in failing) <= 1 or largest >= 1:
        return largest
    total = -math.expm1(math.fsum(count * math.log1p(-delta) for delta, count in failing))
    # both functions, the products and the sum are right to four units in the last place
    return min(1.0, total * (1 + 2**-49))


def sum_up(terms: Iterable[tuple[float, int]]) -> float:
    """Return the sum of numbers times counts; the next double where it is none."""
    listed = list(terms)
    if math.fsum(number * count for number, count in listed) > 1e300:
        return math.inf
    exact = sum((Fraction(number) * count for number, count in listed), Fraction(0))
    total = float(exact)
    return total if total >= exact else math.nextafter(total, math.inf)
