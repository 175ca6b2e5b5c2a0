"""Every release is charged to the records that it reads, whatever names them."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference.privacy import Ledger, LimitExceeded
from reference.privacy.accounting import Charge, record_blocks, record_profiles
from reference.privacy.filters import Filter, Left
from reference.privacy.mechanisms import Cost
from tests.reference.ledgers import laplace, spent

INTEGERS = [
    np.dtype(f"{order}{kind}{size}") for order in "<>" for kind in "iu" for size in (1, 2, 4, 8)
]
PEOPLE = 700
"""Beyond every record that is named: the last stands for all others."""


class Liar(np.ndarray):
    """An array that says nothing true of itself."""

    @property
    def shape(self) -> Any:
        return (1,)

    @property
    def size(self) -> Any:
        return 1

    def max(self, *args: Any, **kwargs: Any) -> Any:
        return 0

    min = max

    def copy(self, *args: Any, **kwargs: Any) -> Any:
        return self


@dataclass(frozen=True)
class Named:
    """Records as a caller names them, which they are (all if ``None``), and what may be written."""

    given: Any
    numbers: tuple[int, ...] | None
    base: NDArray[Any] | None = None

    @property
    def end(self) -> int:
        if self.numbers is None:
            return 0
        return self.given.stop if isinstance(self.given, slice) else max(self.numbers) + 1

    def change(self) -> None:
        """Write to the array, as a caller may that still has it."""
        if self.base is not None:
            self.base[...] = 0

    def among(self, people: Sequence[int] | None) -> tuple[int, ...]:
        """Return who they are of the people that a ledger reads, in their order."""
        numbers = range(PEOPLE if people is None else len(people))
        chosen = numbers if self.numbers is None else self.numbers
        return tuple(int(i) if people is None else people[i] for i in chosen)


def in_array(numbers: Sequence[int], dtype: Any, way: str = "plain") -> Named:
    """Return indices as an array of a type, or as a view of a larger one."""
    if way == "column":
        base = np.zeros((len(numbers), 3), dtype=dtype)
        view = base[:, 1]
    elif way == "backwards":
        base = np.zeros(2 * len(numbers), dtype=dtype)
        view = base[::-2]
    else:
        base = np.zeros(len(numbers), dtype=dtype)
        view = base[:]
    view[...] = numbers
    if way == "subclass":
        view = view.view(Liar)
    if way == "read-only":
        view.flags.writeable = False
    return Named(view, tuple(numbers), base)


@st.composite
def records_below(draw: Any, size: int) -> Named:
    """Draw records in some form, of which most are below ``size`` and some are not."""
    form = draw(st.sampled_from(["all", "slice", "indices"]))
    size = min(size + draw(st.sampled_from([0, 0, 5])), PEOPLE - 1)
    if form == "all":
        return Named(None, None)
    if form == "slice":
        start = draw(st.integers(0, size - 1))
        stop, step = draw(st.integers(start + 1, size)), draw(st.integers(1, 5))
        kinds = st.sampled_from([int, np.int8, np.uint8, np.int64, np.uint64])
        ends = [draw(kinds if x < 128 else st.just(int))(x) for x in (start, stop, step)]
        if draw(st.booleans()):
            ends = [ends[0] if start else None, ends[1], ends[2] if step > 1 else None]
        return Named(slice(*ends), tuple(range(start, stop, step)))
    # half of them the ledger's own type, which alone could be kept without a conversion
    dtype = draw(st.sampled_from(INTEGERS) | st.just(np.dtype(np.int64)))
    size = min(size, int(np.iinfo(dtype).max) + 1)
    few = st.lists(st.integers(0, size - 1), min_size=1, max_size=8, unique=True)
    many = st.integers(0, size - 1).map(lambda start: list(range(start, size))[::-1])
    way = draw(st.sampled_from(["plain", "column", "backwards", "subclass", "read-only"]))
    return in_array(draw(few | many), dtype, way)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.data())
def test_account_filter_and_a_sum_per_record_agree(data: st.DataObject) -> None:
    limited, threads = data.draw(st.booleans()), data.draw(st.booleans())
    ledgers: list[tuple[Ledger, tuple[int, ...] | None]]
    ledgers = [(Ledger(0, limit=(1.0, 0.0)) if limited else Ledger(0), None)]
    top = ledgers[0][0]
    asked: list[tuple[Ledger, Named, float, bool, tuple[int, ...]]] = []
    for _ in range(data.draw(st.integers(1, 12))):
        above, people = data.draw(st.sampled_from(ledgers[-2:]) | st.sampled_from(ledgers))
        size = PEOPLE if people is None else len(people)
        named = data.draw(records_below(size))
        if data.draw(st.booleans()):
            if named.end > size:
                with pytest.raises(ValueError, match="this ledger was spawned for"):
                    above.spawn(1, records=[named.given])
                continue
            (made,) = above.spawn(1, records=[named.given])
            everybody = people is None and named.numbers is None
            ledgers.append((made, None if everybody else named.among(people)))
            named.change()
            continue
        epsilon, by_row = (
            data.draw(st.sampled_from([1 / 8, 1 / 4, 3 / 4])),
            data.draw(st.booleans()),
        )
        if named.end > size:
            with pytest.raises(ValueError, match="this ledger was spawned for"):
                laplace(above, epsilon, records=named.given)
            continue
        asked.append((above, named, epsilon, by_row, named.among(people)))

    def release(ledger: Ledger, named: Named, epsilon: float, by_row: bool, read: Any) -> bool:
        value = np.zeros(len(read)) if by_row else 0.0
        unit: Any = "record" if by_row else "dataset"
        try:
            ledger.laplace(value, sensitivity=1, scale=1 / epsilon, unit=unit, records=named.given)
        except LimitExceeded:
            return False
        finally:
            if not threads:  # another may name its records by the same array
                named.change()
        return True

    borne = np.zeros(PEOPLE)
    if threads:
        with ThreadPoolExecutor(4) as pool:
            admitted = list(pool.map(lambda one: release(*one), asked))
    for index, one in enumerate(asked):
        read, epsilon = list(one[4]), one[2]
        fits = admitted[index] if threads else not limited or (borne[read] + epsilon <= 1).all()
        assert threads or release(*one) == fits
        borne[read] += epsilon * fits
    assert spent(top) == borne.max()
    sums = {
        sum(c.cost.pure for c in profile) for profile in record_profiles(top.transcript.charges)
    }
    assert sums | {borne[-1]} == set(borne)  # who is never named need not be listed
    if not limited:
        assert top.left is None
        return
    assert top.left == Left(1.0 - borne.max(), 0.0)
    # and of every record that was read, the filter knows what it bears
    for person in {0, 400, PEOPLE, *(i for one in asked for i in one[4][:3])}:
        rest = 1.0 - float(borne[min(person, PEOPLE - 1)])
        with pytest.raises(LimitExceeded):
            laplace(top, rest + 2.0**-20, records=slice(person, person + 1))
        if rest:
            laplace(top, rest, records=slice(person, person + 1))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_the_largest_index_of_a_type_is_charged(dtype: np.dtype[Any]) -> None:
    # of int8 and uint8 the record after the last was -128 and 0: 50 releases were charged to nobody
    last = min(int(np.iinfo(dtype).max), sys.maxsize - 1)
    records = np.arange(last - 5, last + 1, dtype=dtype)
    assert record_blocks(records).tolist() == [[last - 5], [last + 1]]
    ledger = Ledger(0, limit=(1.0, 0.0))
    laplace(ledger, 1.0, records=records)
    assert ledger.left == Left(0.0, 0.0)
    assert spent(ledger) == 1.0
    with pytest.raises(LimitExceeded):
        laplace(ledger, 1e-9, records=records[-1:])
    laplace(ledger, 1.0, records=slice(last - 6, last - 5))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64])
@pytest.mark.parametrize("block", [slice(0, 2000, 4), np.arange(0, 2000, 4, dtype=np.uint16)])
def test_an_index_within_a_block_is_that_of_the_whole(block: Any, dtype: Any) -> None:
    ledger = Ledger(0)
    (part,) = ledger.spawn(1, records=[block])
    laplace(part, 1.0, records=np.array([100], dtype=dtype))
    laplace(ledger, 1.0, records=slice(400, 401))
    assert spent(ledger) == 2.0


def test_indices_that_are_changed_later_are_charged_as_they_were() -> None:
    rng, indices = np.random.default_rng(0), np.arange(1000)
    ledger, borne = Ledger(0), np.zeros(1000)
    for _ in range(20):
        rng.shuffle(indices)
        for batch in range(20):
            chosen = indices[50 * batch : 50 * batch + 50]
            laplace(ledger, 1 / 16, records=chosen)
            borne[chosen] += 1 / 16
        rng.shuffle(indices)
    first = np.array([3, 1])
    (part,) = ledger.spawn(1, records=[first])
    first[:] = 7, 8
    laplace(part, 1.0, records=np.array([0]))
    borne[3] += 1.0
    assert spent(ledger) == borne.max()
    assert (borne > 1).sum() == (borne.max() > borne.min()) + 999


def test_the_rows_of_a_block_are_numbered_in_the_order_of_the_caller() -> None:
    # sorting what a release is charged to must not renumber what a spawned ledger reads
    ledger = Ledger(0)
    (part,) = ledger.spawn(1, records=[np.array([7, 3, 5])])
    (leaf,) = part.spawn(1, records=[np.array([2, 0])])
    for one, epsilon in ((part, 1.0), (leaf, 2.0)):
        laplace(one, epsilon, records=np.array([0]))  # 7, and 5
    laplace(leaf, 4.0, records=np.array([1, 0]))  # 7 and 5
    named = [release.claim.records for release in ledger.transcript.releases]
    assert [sorted(np.arange(10)[each].tolist()) for each in named] == [[7], [5], [5, 7]]
    assert spent(ledger) == 6.0


def test_a_child_reads_nobody_whom_its_parent_does_not_read() -> None:
    for inner in (None, slice(0, 50), np.arange(50)):
        ledger = Ledger(0, limit=(1.0, 0.0))
        (part,) = ledger.spawn(1, records=[slice(0, 50)])
        for outside in (slice(0, 100), np.array([50]), slice(60, 70)):
            with pytest.raises(ValueError, match="among the 50 that this ledger was spawned for"):
                part.spawn(2, records=[slice(0, 1), outside])
        # nor does one that was spawned for all that its parent reads
        for leaf in part.spawn(1, records=[inner]) + part.spawn(1):
            with pytest.raises(ValueError, match="among the 50 that this ledger was spawned for"):
                laplace(leaf, 1.0, records=slice(60, 100))
            with pytest.raises(ValueError, match="population"):
                leaf.subsample(51, 1)
            laplace(leaf, 1 / 2, records=slice(49, 50))
        assert spent(ledger) == 1.0
        laplace(ledger, 1.0, records=slice(50, 60))


@pytest.mark.parametrize(
    "records",
    [
        np.ma.masked_array([0, 1], mask=[True, False]),
        np.ma.arange(3),
        np.array([True, False]),
        np.array([0.0, 1.0]),
        np.array([0, 1], dtype="m8[s]"),
        np.array(["0"]),
        np.array([0, 1], dtype=object),
        np.array(3),
        np.array([[0, 1]]),
        np.array([-1, 3], dtype=np.int8),
        np.array([2**63], dtype=np.uint64),
        np.array([2**63 - 1]),
        np.array([2, 1, 2], dtype=np.uint8),
        [0, 1],
        range(3),
        "01",
        slice(False, True),
        slice(0, True),
        slice(0.0, 2.0),
        slice(np.float64(0), 3),
        slice(0, 2**63),
        slice(0, 10**30, 10**29),
        slice(0, 2**62, 2),
        slice(0, 5, 0),
        slice(4, 0, -1),
        slice(0, np.ma.masked),
        slice(3, None),
        slice(-3, 2),
        slice(3, 3),
        np.array([], dtype=int),
    ],
    ids=repr,
)
def test_records_that_are_not_plain_numbers_of_records_are_refused(records: Any) -> None:
    ledger = Ledger(0)
    with pytest.raises(ValueError, match="records"):
        laplace(ledger, 1.0, records=records)
    with pytest.raises(ValueError, match="records"):
        ledger.spawn(1, records=[records])
    assert not ledger.transcript.entries
    assert not ledger._spawned


def test_indices_that_are_none_are_refused_by_the_account_as_well() -> None:
    for wrong in (
        np.array([0, 2**63], dtype=np.uint64),
        np.array([-1, 3]),
        np.array([0.5]),
        np.array([True]),
        slice(-3, -1),
    ):
        with pytest.raises(ValueError, match="records must be integers from 0"):
            record_profiles([(Charge(Cost(pure=1.0)), wrong)])
        with pytest.raises(ValueError, match="records must be integers from 0"):
            Filter(1.0, 0.0).charge(Cost(pure=1.0), wrong)


@pytest.mark.parametrize("cost", [Cost(pure=-1.0), Cost(pure=math.nan), Cost(pure=1.0, rho=-1.0)])
def test_no_cost_gives_a_budget_back(cost: Cost) -> None:
    gate = Filter(1.0, 0.1)
    with pytest.raises(ValueError, match="a cost must be >= 0"):
        gate.charge(cost, None)
    with pytest.raises(TypeError, match="cost must be"):
        gate.charge(-1.0, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="times must be"):
        gate.charge(Cost(pure=0.1, rho=0.1), None, times=-1)
    assert gate.left() == Filter(1.0, 0.1).left()
