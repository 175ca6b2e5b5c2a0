"""What a ledger is given becomes its own: nothing that a caller still holds changes an account."""

from __future__ import annotations

import dataclasses
import inspect
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference.privacy import Ledger, LimitExceeded
from reference.privacy.accounting import Charge, record_blocks, record_profiles
from reference.privacy.filters import Filter, Left
from reference.privacy.ledger import (
    Account,
    GivenDrawsLedger,
    MutatedLedger,
    NoiselessLedger,
    PublicEntry,
    RecordingLedger,
    Release,
    ReleaseClaim,
    ReplayLedger,
    Subsample,
    SubsampleEntry,
    Transcript,
)
from reference.privacy.mechanisms import Cost, Laplace

INTEGERS = [
    np.dtype(f"{order}{kind}{size}") for order in "<>" for kind in "iu" for size in (1, 2, 4, 8)
]
PEOPLE = 700
"""Beyond every record that is named: the last stands for all others."""


def laplace(ledger: Ledger, epsilon: float, **claim: Any) -> object:
    return ledger.laplace(0.0, sensitivity=1, scale=1 / epsilon, **claim)


def spent(ledger: Ledger) -> float:
    return ledger.spent(delta=0).epsilon


# ------------------------------------------------------ account, filter and a sum per record


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


@pytest.mark.slow
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


# ------------------------------------------------------------------------------------- records


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


# ------------------------------------------------------------------- plain numbers and arrays


class Untrue(float):
    """A number that is none of its own conversions."""

    def __float__(self) -> float:
        return 2.0

    def __lt__(self, other: object) -> bool:
        return True

    __gt__ = __le__ = __ge__ = __ne__ = __lt__  # type: ignore[assignment]


class Word(str):
    """A text that equals every other one and is none of them."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("dataset")


class Changing:
    """An array-like that is another one whenever it is read."""

    def __init__(self, *arrays: Any) -> None:
        self.reads: Iterator[Any] = iter(arrays)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.asanyarray(next(self.reads), dtype=dtype)


def leaves(value: Any) -> Iterator[Any]:
    """Return everything that a claim or a mechanism is made of."""
    if dataclasses.is_dataclass(value):
        value = [getattr(value, field.name) for field in dataclasses.fields(value)]
    if isinstance(value, slice):
        value = [value.start, value.stop, value.step]
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from leaves(part)
    else:
        yield value


X, NINE = np.full((4, 2), 0.25), np.arange(9)
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "records": (slice(np.int8(0), np.uint64(4)), np.array([5, 3, 2, 0], dtype=np.int8)),
    "unit": (Word("nothing"), np.str_("record")),
    "noise": (Word("nothing"), np.str_("gaussian")),
    "excluded": (iter([0]), np.array([0], dtype=np.int8), [True, 0][1:]),
    "count": (np.int8(1), np.uint64(1)),
    "answers": (np.int8(1), np.uint64(1)),
    "categories": (np.int8(2), np.uint64(2)),
}
NUMBERS = (np.float16(2), np.float32(2), np.int8(2), Untrue(-5.0), 2)
CALLS: dict[str, dict[str, Any]] = {
    "gaussian": {"value": X, "sensitivity": 2, "scale": 1, "background_sensitivity": 0.5},
    "laplace": {"value": X, "sensitivity": 1, "scale": 1},
    "symmetric_gaussian": {
        "value": np.zeros((4, 2, 2)), "sensitivity": 1, "scale": 1, "diagonal_variance": 1,
    },
    "symmetric_laplace": {"value": np.zeros((4, 2, 2)), "sensitivity": 1, "scale": 1},
    "wishart": {"value": np.eye(2), "sensitivity": 1, "degrees": 3, "scale": 1},
    "exponential": {"scores": X[:, 0], "sensitivity": 1, "epsilon": 1},
    "selections": {"scores": X, "sensitivity": 1, "epsilon": 1},
    "interval_exponential": {
        "scores": X[:2, 0], "breaks": [2], "lower": 1, "upper": 3, "sensitivity": 1, "epsilon": 1,
    },
    "noisy_max": {"scores": X[:, 0], "sensitivity": 1, "scale": 1, "excluded": ()},
    "peeling": {"value": X[:, 0], "count": 2, "sensitivity": 1, "scale": 1},
    "randomized_response": {"value": np.zeros(4), "epsilon": 1, "categories": 2, "answers": 1},
    "unary": {"value": np.zeros(4), "categories": 3, "epsilon": 1},
    "bit": {"probability": X[:, 0], "epsilon": 1},
    "l2_ball": {"value": X, "radius": 1, "epsilon": 1},
    "smooth": {
        "value": X, "smooth_bound": 1, "smoothness": 1, "divisor": 1, "rho": 1, "noise": "gaussian",
    },
}  # fmt: skip


def changed_calls() -> list[Any]:
    """Return every release kind with every argument in every hostile form."""
    found = []
    for kind, usual in CALLS.items():
        for name in inspect.signature(getattr(Ledger, kind)).parameters:
            if name in ("self", "sample"):
                continue
            forms = ARGUMENTS.get(name, NUMBERS)
            if name in ("value", "scores", "breaks", "probability"):
                forms = (Changing(usual[name], np.zeros(3), np.zeros(3)), [*usual[name]])
            found += [  # no repr of a form: an address would differ between processes
                pytest.param(kind, name, form, id=f"{kind} {name} {type(form).__name__} {index}")
                for index, form in enumerate(forms)
            ]
    return found


def test_every_kind_of_release_is_asked() -> None:
    taking = [
        name
        for name, method in inspect.getmembers(Ledger, inspect.isfunction)
        if not name.startswith("_") and "records" in inspect.signature(method).parameters
    ]
    assert set(taking) - {"spawn"} == set(CALLS)


@pytest.mark.parametrize(("kind", "name", "form"), changed_calls())
def test_a_release_keeps_nothing_of_the_caller(kind: str, name: str, form: Any) -> None:
    """What is kept and computed with is plain, whatever type each argument has."""
    ledger = RecordingLedger(0)
    arguments = {**CALLS[kind], name: form}
    if kind == "smooth" and name == "epsilon":
        arguments.pop("rho")
    getattr(ledger, kind)(**arguments)
    assert ledger.transcript.releases
    for release in ledger.transcript.releases:
        for leaf in leaves((release.mechanism, release.claim)):
            assert type(leaf) in (float, int, str, type(None), np.ndarray), (leaf, type(leaf))
            if isinstance(leaf, np.ndarray):
                assert leaf.dtype == np.int64
                assert leaf.tolist() == sorted(leaf.tolist())
                assert not np.shares_memory(leaf, form)
        values = [release.value, *leaves(release.claim.records)]
        for array in values:
            if isinstance(array, np.ndarray):
                with pytest.raises(ValueError, match="cannot set WRITEABLE"):
                    array.setflags(write=True)
                with pytest.raises(ValueError, match="cannot resize"):
                    array.resize((9,), refcheck=False)
        assert type(release.value) is np.ndarray
        assert release.value.dtype == np.float64


def test_half_precision_neither_widens_the_reach_nor_the_account() -> None:
    # 2^40 of them were infinite: 1e17 came out as it was
    one, third = np.float16(1), np.float16(1 / 3)
    ledger, plain = Ledger(0), Ledger(0)
    released = ledger.laplace([1e17], sensitivity=one, scale=one)
    assert released == plain.laplace([1e17], sensitivity=1.0, scale=1.0)
    assert released < 2**41
    ledger.laplace(0.0, sensitivity=third, scale=np.float16(7))
    plain.laplace(0.0, sensitivity=float(third), scale=7.0)
    assert spent(ledger) == spent(plain)


def test_a_number_is_what_it_is_converted_to_in_the_check_and_after() -> None:
    # checked as 2 and charged as -5, it cost 5e-324
    ledger = Ledger(0)
    ledger.laplace(0.0, sensitivity=Untrue(-5.0), scale=1.0)
    assert spent(ledger) == 2.0
    ledger.gaussian(0.0, sensitivity=1.0, scale=1.0, sample=ledger.subsample(9, 1))
    for background in (Untrue(-5.0), np.float16(1.5), math.nan):
        with pytest.raises(ValueError, match="background_sensitivity must be in"):
            ledger.gaussian(0.0, sensitivity=1.0, scale=1.0, background_sensitivity=background)
    with pytest.raises(TypeError, match="degrees must be a real number"):
        ledger.wishart(np.eye(2), sensitivity=1, degrees=True, scale=1)


class Narrow(np.ndarray):
    """An array that says that it has one attribute."""

    shape = (5, 1)  # type: ignore[assignment]


@pytest.mark.parametrize(
    "value",
    [
        np.zeros((5, 50)).view(Narrow),
        Changing(np.zeros((5, 50)), np.zeros((5, 1)), np.zeros((5, 1))),
    ],
)
def test_attributes_are_counted_in_the_array_that_is_released(value: Any) -> None:
    ledger = Ledger(0)
    released = ledger.laplace(value, sensitivity=1, scale=1, unit="attribute")
    assert type(released) is np.ndarray
    assert np.shape(released)[1] * 1.0 == spent(ledger) == 50.0


@pytest.mark.parametrize("wrap", [lambda x: x, Changing, lambda x: [x, x]])
def test_a_mask_is_not_lost_on_the_way(wrap: Any) -> None:
    ledger = Ledger(0)
    masked = np.ma.masked_array([1.0, 2.0], mask=[True, False])
    with pytest.raises(TypeError, match="a release must not be a masked array"):
        ledger.laplace(wrap(masked), sensitivity=1, scale=1)
    assert not ledger.transcript.entries


def test_a_value_that_is_changed_while_it_is_released_is_released_as_it_was() -> None:
    value = np.array([2.0])
    ledger = RecordingLedger(0)
    ledger.gaussian(value, sensitivity=1, scale=1)
    value[:] = 1e17
    assert ledger.transcript.releases[0].value == 2.0
    # between the cut to where noise reaches and the noise
    live = Ledger(0)
    draw = live._rng.laplace

    class Writing:
        def laplace(self, size: Any) -> Any:
            value[:] = 1e17
            return draw(size=size)

    live._rng = Writing()  # type: ignore[assignment]
    value[:] = 2.0
    assert abs(live.laplace(value, sensitivity=1, scale=1) - 2) < 100


@pytest.mark.parametrize(
    ("excluded", "kept"),
    [
        (iter([0]), (0,)),
        (np.array([0], dtype=np.uint8), (0,)),
        ({0: "a"}, (0,)),
        (range(1), (0,)),
        ([0.0], TypeError),
        ([True], TypeError),
        (np.array([0.0]), TypeError),
        (np.array([True]), TypeError),
        (np.ma.masked_array([0], mask=[True]), TypeError),
        ([-1], ValueError),
        ([np.int8(-1)], ValueError),
    ],
)
def test_what_is_excluded_is_read_once(excluded: Any, kept: Any) -> None:
    ledger = Ledger(0)
    if isinstance(kept, tuple):
        chosen = ledger.noisy_max([1e6, 0.0], sensitivity=1, scale=1, excluded=excluded)
        assert chosen == 1
        assert ledger.transcript.releases[0].mechanism.excluded == kept  # type: ignore[attr-defined]
    else:
        with pytest.raises(kept, match="excluded must be an integer"):
            ledger.noisy_max([1e6, 0.0], sensitivity=1, scale=1, excluded=excluded)
        assert not ledger.transcript.entries


# ----------------------------------------------------------------------------------- subsamples


def test_a_subsample_is_accounted_as_it_was_drawn() -> None:
    ledger, plain = Ledger(0), Ledger(0)
    for one, replace_, population in ((ledger, np.bool_(True), np.int8(100)), (plain, True, 100)):
        sample = one.subsample(population, np.int8(5), replace=replace_)  # type: ignore[arg-type]
        laplace(one, 1.0, sample=sample)
        assert type(sample.population) is int
        assert sample.replace is True
    assert spent(ledger) == spent(plain) == 1.0
    half = plain.subsample(100, 50)
    laplace(plain, 1.0, sample=half)
    before = spent(plain)
    with pytest.raises(ValueError, match="cannot resize"):
        half.indices.resize(1, refcheck=False)
    with pytest.raises(ValueError, match="read-only"):
        half.indices.sort()
    with pytest.raises(dataclasses.FrozenInstanceError):
        half.population = 10**6  # type: ignore[misc]
    assert spent(plain) == before
    for wrong in (7, half.indices, "sample", object()):
        with pytest.raises(TypeError, match="sample must be what subsample"):
            laplace(plain, 1.0, sample=wrong)


# ------------------------------------------------------------------- limits, and what comes back


@pytest.mark.parametrize(
    "make",
    [
        lambda limit: NoiselessLedger(0, limit=limit),
        lambda limit: RecordingLedger(0, limit=limit),
        lambda limit: ReplayLedger(Transcript(()), limit=limit),
        lambda limit: GivenDrawsLedger([], limit=limit),
        lambda limit: MutatedLedger(Ledger(0), lambda _, m, v, s: (m, v, s), limit=limit),
    ],
)
def test_what_cannot_keep_a_limit_takes_none(make: Callable[[Any], Ledger]) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'limit'"):
        make((1.0, 0.0))


def test_a_mutated_ledger_has_the_limit_of_the_one_inside() -> None:
    inner = Ledger(0, limit=(1.0, 0.0))

    def wider(_: int, mechanism: Any, value: Any, sensitivity: float) -> Any:
        return mechanism, np.zeros((5, 3)), np.float16(sensitivity)

    outer = MutatedLedger(inner, wider)
    outer.laplace(np.zeros((5, 2)), sensitivity=1, scale=4, unit="attribute")
    assert outer.left == inner.left == Left(0.25, 0.0)
    assert spent(outer) == 0.75
    with pytest.raises(LimitExceeded):
        outer.laplace(0.0, sensitivity=1, scale=2)


@pytest.mark.parametrize("limit", [(1.0, False), (True, 0.0), (1.0, np.ma.masked), (1.0, "0")])
def test_a_limit_of_numbers_that_are_none_is_refused(limit: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"epsilon|delta"):
        Ledger(0, limit=limit)


def raised(call: Callable[[], object]) -> str:
    """Return the message of the ValueError or TypeError that a call raises."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    return str(caught.value)


def handed_out() -> Iterator[tuple[str, Ledger, NDArray[Any]]]:
    """Return every array on which an account rests and which a caller can have, with its ledger."""
    for where in ("sample", "transcript", "closed", "above"):
        ledger = Ledger(0)
        (part,) = ledger.spawn(1)
        sample = ledger.subsample(64, 8)
        laplace(ledger, 1.0, sample=sample)
        for one in (ledger, part):
            laplace(one, 2.0, records=np.array([5, 2**33]))
        laplace(ledger, 3.0, records=slice(5, 6))
        if where == "sample":
            yield where, ledger, sample.indices
            continue
        entry = {
            "transcript": lambda one=ledger: one.transcript.releases[1],
            "closed": lambda one=part: one.close().entries[0],
            "above": lambda one=part: one.transcript.releases[0],
        }[where]()
        assert isinstance(entry.claim.records, np.ndarray)
        yield where, ledger, entry.claim.records


@pytest.mark.filterwarnings("ignore:Setting the:DeprecationWarning")
@pytest.mark.parametrize(
    "change",
    [
        lambda array: setattr(array, "dtype", np.complex128),  # half as many
        lambda array: setattr(array, "dtype", np.int8),
        lambda array: setattr(array, "dtype", np.dtype(">i8")),
        lambda array: setattr(array, "shape", (-1, 2)),
        lambda array: setattr(array, "strides", (0,)),
        lambda array: array.__setstate__((1, (1,), np.dtype(np.int64), False, bytes(8))),
    ],
)
def test_what_an_array_says_of_itself_is_not_asked_again(change: Callable[[Any], object]) -> None:
    # half as many indices of a sample halved the probability with which a record is in it
    for where, ledger, array in handed_out():
        before = spent(ledger)
        change(array)
        assert spent(ledger) == before, where


def sent(ledger: Ledger, count: int, **claim: Any) -> list[Ledger]:
    return [pickle.loads(pickle.dumps(part)) for part in ledger.spawn(count, **claim)]


def test_accounts_are_taken_in_all_or_none() -> None:
    ledger = Ledger(0)
    parts = sent(ledger, 2, records=[slice(0, 5), slice(0, 5)])
    for part in parts:
        laplace(part, 0.5)
        laplace(part, 0.5, records=np.array([4, 1]))
    good, other = (part.close() for part in parts)
    outside = good.entries[1]
    assert isinstance(outside, Release)
    outside = outside._replace(claim=outside.claim._replace(records=np.array([5])))
    for junk in (
        "junk",
        good,
        Account("nobody", ()),
        replace(other, entries=(outside,)),
        replace(other, entries=("nothing",)),  # type: ignore[arg-type]
        replace(other, entries=3),  # type: ignore[arg-type]
    ):
        with pytest.raises((TypeError, ValueError)):
            ledger.collect([good, junk])  # type: ignore[list-item]
        with pytest.raises(RuntimeError, match="what 2 of 2"):
            spent(ledger)

    def failing() -> Iterator[Account]:
        yield good
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ledger.collect(failing())
    # what came back is still in the caller's hands
    indices = np.array([4, 1])
    release = good.entries[1]
    assert isinstance(release, Release)
    release = release._replace(claim=release.claim._replace(records=indices))
    ledger.collect([replace(good, entries=(good.entries[0], release)), other])
    assert spent(ledger) == 2.0
    indices[:] = 3
    assert spent(ledger) == 2.0


def test_what_no_ledger_can_have_written_is_in_no_account() -> None:
    # one of them was taken in and spent() raised AttributeError from then on, or lost the release
    sample = Subsample(np.arange(3), 9, False, 0)
    ledger = Ledger(0)
    (part,) = sent(ledger, 1)
    laplace(part, 1.0)
    account = part.close()
    (release,) = account.entries
    assert isinstance(release, Release)
    claims: list[dict[str, Any]] = [
        {"sensitivity": math.nan},
        {"sensitivity": -1.0},
        {"sensitivity": 0.0},
        {"sensitivity": "1"},
        {"unit": "people"},
        {"unit": []},
        {"records": [0]},
        {"sample": "x"},
        {"sample": replace(sample, position="x")},  # type: ignore[arg-type]
        {"sample": replace(sample, population=None)},  # type: ignore[arg-type]
        {"sample": replace(sample, population=2)},
        {"attributes": 0},
        {"background_sensitivity": 2.0},
    ]
    entries: list[Any] = [release._replace(claim=release.claim._replace(**c)) for c in claims]
    entries += [release._replace(claim=claim) for claim in (None, "x", tuple(release.claim))]
    mechanisms: list[Any] = [None, "laplace", Laplace, Laplace(0.0), Laplace(math.nan), Laplace]
    mechanisms.append(Laplace("x"))  # type: ignore[arg-type]
    entries += [release._replace(mechanism=mechanism) for mechanism in mechanisms]
    for name in ([], None, 3):
        assert "name" in raised(lambda name=name: ledger.collect([replace(account, name=name)]))
    for entry in entries:
        junk = replace(account, entries=(release, entry))
        assert re.search(
            "mechanism|claim|sensitivity|unit|records|sample|population|size|position|attributes",
            raised(lambda junk=junk: ledger.collect([junk])),
        )
        with pytest.raises(RuntimeError, match="what 1 of 1"):
            spent(ledger)
    ledger.collect([account])
    assert spent(ledger) == 1.0


def test_a_collect_within_a_collect_loses_nothing() -> None:
    """An account is compared with the others when all that the caller gave has been read."""
    ledger = Ledger(0)
    (part,) = ledger.spawn(1)
    copied = pickle.dumps(part)
    accounts = []
    for epsilon in (5.0, 1.0):
        one = pickle.loads(copied)
        laplace(one, epsilon)
        accounts.append(one.close())

    class Collecting(tuple[Any, ...]):
        def __iter__(self) -> Any:
            if first:
                ledger.collect([first.pop()])
            return super().__iter__()

    first = accounts[:1]
    hidden = replace(accounts[1], entries=Collecting(accounts[1].entries))
    with pytest.raises(ValueError, match="was collected before"):
        ledger.collect([hidden])
    assert spent(ledger) == 5.0


LONG = -(10**5000)
"""No text is made of so many digits."""
ONE = {"sensitivity": 1, "scale": 1}


@pytest.mark.parametrize(
    ("names", "call"),
    [
        ("seed", lambda _: Ledger("abc")),  # type: ignore[arg-type]
        ("seed", lambda _: Ledger(-1)),
        ("seed", lambda _: Ledger([None])),  # type: ignore[arg-type]
        ("seed", lambda ledger: Ledger(ledger)),
        ("seed", lambda _: Ledger(np.random.RandomState(0)).spawn(1)),
        ("count", lambda ledger: ledger.spawn(2**62)),
        ("count", lambda ledger: ledger.spawn(LONG)),
        ("records", lambda ledger: ledger.spawn(1, records=5)),
        ("records", lambda ledger: ledger.spawn(1, records=slice(0, 3))),
        ("records", lambda ledger: ledger.spawn(2, records=repeat(None))),
        ("records", lambda ledger: ledger.spawn(2, records=[None])),
        ("records", lambda ledger: laplace(ledger, 1.0, records=slice(LONG, 3))),
        ("records", lambda ledger: laplace(ledger, 1.0, records=slice(0, 3, -LONG))),
        ("accounts", lambda ledger: ledger.collect(5)),
        ("accounts", lambda ledger: ledger.collect(Account("nobody", ()))),
        ("account", lambda ledger: ledger.collect(repeat(Account("nobody", ())))),
        ("entries", lambda ledger: ledger.collect([Account("nobody", 3)])),
        ("excluded", lambda ledger: ledger.noisy_max([1, 2], **ONE, excluded=1)),
        ("excluded", lambda ledger: ledger.noisy_max([1, 2], **ONE, excluded=repeat(0))),
        ("draw", lambda ledger: ledger.public(5)),
        ("population", lambda ledger: ledger.subsample(LONG, 1)),
        # numpy ended the process
        ("size", lambda ledger: ledger.subsample(sys.maxsize, 2**60)),
        ("size", lambda ledger: ledger.subsample(5, 10**12, replace=True)),
        ("replace", lambda ledger: ledger.subsample(5, 1, replace="no")),
        ("replace", lambda ledger: ledger.subsample(5, 1, replace=np.array([True, False]))),
        ("unit", lambda ledger: laplace(ledger, 1.0, unit=np.array(["dataset", "record"]))),
        ("unit", lambda ledger: laplace(ledger, 1.0, unit=np.array([]))),
        ("unit", lambda ledger: ledger.spent(delta=0, unit=np.array(["record", "label"]))),
        (
            "sample",
            lambda ledger: laplace(ledger, 1.0, sample=Subsample(np.arange(2), 9, False, [0])),  # type: ignore[arg-type]
        ),
    ],
)
def test_a_refusal_names_the_argument(names: str, call: Callable[[Any], object]) -> None:
    ledger = Ledger(0)
    state = ledger._rng.bit_generator.state
    assert names in raised(lambda: call(ledger))
    assert ledger._rng.bit_generator.state == state
    assert not ledger.transcript.entries
    assert not ledger._spawned


def test_a_release_of_nobody_has_no_attributes_to_count() -> None:
    # the account made a list of them
    ledger = Ledger(0)
    ledger.randomized_response(np.zeros((0, 2**40)), epsilon=1, unit="attribute")
    assert spent(ledger) == 1.0


def test_an_account_says_nothing_of_a_ledger_that_is_here() -> None:
    ledger = Ledger(0)
    (part,) = ledger.spawn(1)
    ledger.collect([Account(part._name or "", ())])
    laplace(part, 1.0)
    assert spent(ledger) == 1.0


# ------------------------------------------------------------------------------- the other modes


def test_what_is_recorded_and_replayed_is_not_shared() -> None:
    ledger = RecordingLedger(0)
    order, pair = ledger.public(lambda rng: (rng.permutation(5), [rng.permutation(5)]))
    kept = order.copy(), pair[0].copy()
    order[:] = pair[0][:] = 9
    (entry,) = ledger.transcript.entries
    assert isinstance(entry, PublicEntry)
    np.testing.assert_array_equal(entry.value[0], kept[0])
    np.testing.assert_array_equal(entry.value[1][0], kept[1])

    draws = [np.array([0.5])]
    given_draws = GivenDrawsLedger(draws)
    given_draws.laplace([0.0], sensitivity=1, scale=1)
    draws[0][:] = 7
    assert given_draws.transcript.releases[0].draw == 0.5

    mine, inner = np.array([0.5]), RecordingLedger(0)
    mutated = MutatedLedger(inner, lambda _, mechanism, value, s: (mechanism, mine, s))
    mutated.laplace(0.0, sensitivity=1, scale=1)
    mine[:] = 7
    assert inner.transcript.releases[0].value == 0.5

    ledger.laplace(0.0, sensitivity=1, scale=1)
    listed = list(ledger.transcript.entries)
    replayed = ReplayLedger(Transcript(listed))  # type: ignore[arg-type]
    listed.clear()
    replayed.public(lambda rng: None)
    replayed.laplace(0.0, sensitivity=1, scale=1)
    assert len(replayed.finish()) == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: RecordingLedger(0, target=-1),
        lambda: RecordingLedger(0, target=1.0),  # type: ignore[arg-type]
        lambda: RecordingLedger(0, target=True),
        lambda: ReplayLedger(Transcript(()), count=-1),
        lambda: ReplayLedger(Transcript(()), count=1.0),  # type: ignore[arg-type]
        lambda: ReplayLedger([]),  # type: ignore[arg-type]
        lambda: MutatedLedger(Ledger(0), lambda _, m, v, s: (m, v, s), repeat=0),
        lambda: MutatedLedger(7, lambda _, m, v, s: (m, v, s)),  # type: ignore[arg-type]
        lambda: GivenDrawsLedger([[0, 5]]).subsample(5, 2),
        lambda: GivenDrawsLedger([[-1, 0]]).subsample(5, 2),
        lambda: GivenDrawsLedger([[0.5, 1]]).subsample(5, 2),
        lambda: GivenDrawsLedger([[1, 1]]).subsample(5, 2),
        lambda: GivenDrawsLedger(5),  # type: ignore[arg-type]
        lambda: GivenDrawsLedger([[1 + 1j, 1]]).subsample(5, 2),
        lambda: GivenDrawsLedger([[math.nan, 1]]).subsample(5, 2),
        lambda: laplace(GivenDrawsLedger([math.nan]), 1.0),
        lambda: laplace(GivenDrawsLedger([1j]), 1.0),
        lambda: laplace(GivenDrawsLedger(["1"]), 1.0),
        lambda: GivenDrawsLedger([3]).l2_ball([[0, 1]], radius=1, epsilon=1),
        lambda: ReplayLedger(Transcript(5)),  # type: ignore[arg-type]
        lambda: laplace(MutatedLedger(Ledger(0), lambda *_: None), 1.0),  # type: ignore[arg-type,return-value]
        lambda: laplace(MutatedLedger(Ledger(0), lambda _, m, v, s: ("x", v, s)), 1.0),  # type: ignore[arg-type,return-value]
    ],
)
def test_modes_refuse_what_they_cannot_mean(make: Callable[[], object]) -> None:
    message = (
        "target|count|transcript|repeat|inner|draw|change|a subsample must be of indices below 5"
    )
    with pytest.raises((TypeError, ValueError), match=message):
        make()
    assert GivenDrawsLedger([[1, 1]]).subsample(5, 2, replace=True).size == 2


# ------------------------------------------------------------- threads, signals and other processes


@pytest.fixture
def quick_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("quick_switches")
def test_threads_repeat_no_stream_and_no_position() -> None:
    ledger, rounds = Ledger(0), 1500
    streams: list[Ledger] = []
    samples: list[Subsample] = []
    publics: list[float] = []

    def work() -> None:
        for _ in range(rounds):
            streams.extend(ledger.spawn(1))
            samples.append(ledger.subsample(50, 1))
            laplace(ledger, 1.0, sample=samples[-1])
            publics.append(ledger.public(lambda rng: rng.spawn(1)[0].random()))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    noises = [float(laplace(one, 1.0)) for one in streams]  # type: ignore[arg-type]
    assert len(set(noises + publics)) == 4 * rounds
    entries = ledger._entries
    assert len({sample.position for sample in samples}) == 2 * rounds
    for sample in samples:
        assert entries[sample.position].indices().tolist() == sample.indices.tolist()  # type: ignore[union-attr]
    assert Counter(type(entry).__name__ for entry in entries)["Release"] == 2 * rounds


@pytest.mark.parametrize(
    ("where", "inner", "call"),
    [
        (Ledger, "_draw_subsample", lambda ledger: ledger.subsample(9, 1)),
        (Ledger, "_another", lambda ledger: ledger.spawn(1)),
        (Laplace, "draw", lambda ledger: laplace(ledger, 1.0)),
        (Filter, "_cells", lambda ledger: laplace(ledger.spawn(1)[0], 1.0, records=slice(0, 3))),
        (np, "sort", lambda ledger: ledger.public(lambda rng: np.sort(rng.random(3)))),
    ],
)
def test_of_two_threads_one_waits_for_the_other(
    where: Any, inner: str, call: Callable[[Ledger], object], monkeypatch: Any
) -> None:
    ledger, usual = Ledger(0, limit=(9.0, 0.0)), getattr(where, inner)
    seen: list[str] = []

    def slow(*args: Any) -> Any:
        seen.append("in")
        time.sleep(0.02)
        seen.append("out")
        return usual(*args)

    monkeypatch.setattr(where, inner, slow)
    threads = [threading.Thread(target=call, args=(ledger,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == ["in", "out"] * 2


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="has no timer that interrupts")
def test_a_signal_handler_may_release_in_the_middle_of_a_release() -> None:
    """None waits for ever or is lost; one that comes in the middle of a charge is refused."""
    ledger = Ledger(0, limit=(1e5, 0.0))
    made, refused, samples = Counter[str](), Counter[str](), []
    waiting: list[None] = []  # signals since the handler's release began, if it has not ended

    def handler(*_: object) -> None:
        waiting.append(None)
        if len(waiting) > 1:
            if len(waiting) > 20_000:
                raise TimeoutError("a release waits for the one that it interrupted")
            return
        try:
            laplace(ledger, 1 / 8)
            made["handler"] += 1
        except RuntimeError as error:
            refused[str(error)[-41:]] += 1
        waiting.clear()

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    try:
        start = time.monotonic()
        while time.monotonic() < start + 1.0 or min(made["handler"], made["main"]) <= 50:
            assert time.monotonic() < start + 60
            sample = ledger.subsample(50, 1)
            samples.append(sample)
            laplace(ledger, 1 / 8)
            made["main"] += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert set(refused) <= {"as by a signal handler; nothing was drawn"}
    assert refused.total() < made["handler"]
    releases = sum(made.values())
    assert len(ledger.transcript.releases) == releases
    assert ledger.left == Left(1e5 - releases / 8, 0.0)
    assert len({sample.position for sample in samples}) == len(samples)
    for sample in samples:
        entry = ledger._entries[sample.position]
        assert entry.indices().tolist() == sample.indices.tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize("moment", ["_cells", "_refusal"])
def test_a_charge_within_a_charge_changes_no_sum(moment: str, monkeypatch: Any) -> None:
    gate = Filter(1.0, 0.0)
    inside, usual = [], getattr(Filter, moment)

    def interrupted(self: Filter, *args: Any) -> Any:
        try:
            gate.charge(Cost(pure=0.5), None)
        except RuntimeError as error:
            inside.append(str(error))
        return usual(self, *args)

    monkeypatch.setattr(Filter, moment, interrupted)
    gate.charge(Cost(pure=0.75), slice(3, 5))
    with pytest.raises(LimitExceeded):
        gate.charge(Cost(pure=0.75), slice(3, 5))
    assert inside
    assert "by a signal handler; nothing was drawn" in inside[0]
    monkeypatch.undo()
    assert gate.left().epsilon == 0.25
    gate.charge(Cost(pure=0.25), None)


def test_spawning_within_spawning_is_refused(monkeypatch: Any) -> None:
    ledger = Ledger(0)
    usual = Ledger._another
    inside: list[str] = []

    def interrupted(self: Ledger, rng: Any) -> Ledger:
        try:
            ledger.spawn(1)
        except RuntimeError as error:
            inside.append(str(error))
        return usual(self, rng)

    monkeypatch.setattr(Ledger, "_another", interrupted)
    assert len(ledger.spawn(2)) == 2
    assert inside == ["spawn() was called in the middle of itself; call it again"] * 2
    monkeypatch.undo()
    assert len(ledger.spawn(1)) == 1


def test_two_calls_that_spawn_from_one_generator_repeat_no_stream() -> None:
    """numpy counts streams after it has made them; another thread had its turn in between."""

    class Interrupted(np.random.SeedSequence):
        def spawn(self, count: int) -> Any:
            first = self.n_children_spawned
            made = [np.random.SeedSequence(0, spawn_key=(first + i,)) for i in range(count)]
            if turns:
                made_between.extend(turns.pop().spawn(2))
            super().spawn(count)
            return made

    rng = np.random.Generator(np.random.PCG64(Interrupted(0)))
    made_between: list[Ledger] = []
    turns = [Ledger(rng), Ledger(rng)]
    made = Ledger(rng).spawn(3) + made_between
    assert len({float(laplace(one, 1.0)) for one in made}) == 7  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda ledger: ledger.spent(delta=0),
        lambda ledger: ledger.transcript,
        lambda ledger: ledger._spawned[0].close(),
    ],
)
def test_what_is_called_in_the_middle_of_a_call_waits_for_no_other_thread(call: Any) -> None:
    # the draw had the lock of the lowest ledger and waited for the highest, the other thread had
    # the highest and waited for the lowest
    ledger = Ledger(0)
    (part,) = ledger.spawn(1)
    (leaf,) = part.spawn(1)
    other = threading.Thread(target=lambda: ledger.spent(delta=0), daemon=True)

    def draw(_: Any) -> int:
        other.start()
        other.join(0.1)
        call(ledger)
        return 1

    threads = [threading.Thread(target=leaf.public, args=(draw,), daemon=True), other]
    threads[0].start()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_handler_that_releases_while_a_subsample_is_drawn_takes_another_position(
    moment: str,
) -> None:
    class Interrupted(list[Any]):
        def append(self, entry: Any) -> None:
            if moment == "before" and isinstance(entry, SubsampleEntry):
                laplace(ledger, 1.0)
            super().append(entry)
            if moment == "after" and isinstance(entry, SubsampleEntry):
                laplace(ledger, 1.0)

    ledger = Ledger(0)
    ledger._entries = Interrupted()
    sample = ledger.subsample(9, 1)
    assert sample.position == (moment == "before")
    laplace(ledger, 1.0, sample=sample)
    assert spent(ledger) == pytest.approx(1 + math.log1p(math.expm1(1.0) / 9))


@pytest.mark.parametrize("way", [lambda part: part.close(), pickle.dumps])
@pytest.mark.parametrize("moment", ["_require_records", "mechanism"])
def test_a_handler_that_ends_a_ledger_does_not_lose_a_release(moment: str, way: Any) -> None:
    """The release has been charged, or draws nothing."""
    ledger = Ledger(0)
    (part,) = ledger.spawn(1, records=[slice(0, 9)])
    taken: list[Any] = []

    def end(*_: object) -> None:
        try:
            taken.append(way(part))
        except TypeError as error:
            taken.append(str(error))

    class Interrupted(Laplace):
        def draw(self, value: Any, rng: Any) -> Any:
            end()
            return super().draw(value, rng)

    state = part._rng.bit_generator.state
    if moment == "mechanism":
        part._release(Interrupted(1.0), np.zeros(1), ReleaseClaim(1.0))
        if isinstance(taken[0], Account):
            assert len(taken[0].entries) == 1
        else:
            assert taken == ["a ledger that was used cannot be sent; send what its close() returns"]
        assert spent(ledger) == 1.0
    else:
        part._require_records = end  # type: ignore[method-assign]
        with pytest.raises(RuntimeError, match=r"was closed|was sent"):
            laplace(part, 1.0)
        assert part._rng.bit_generator.state == state


UNSEEN_FORK = """
import ctypes, os
from reference.privacy.ledger import Ledger

ledger = Ledger(3)
if ctypes.PyDLL(None).fork() == 0:
    try:
        print(ledger.laplace([0.0], sensitivity=1, scale=1), flush=True)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="forks by the C library")
def test_a_fork_that_python_does_not_see_draws_nothing() -> None:
    # in a process of one thread: a fork among several may wait for ever for a lock of another
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", UNSEEN_FORK],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=environment,
    )
    assert done.stdout.startswith("RuntimeError: this ledger belongs to another process")


def test_a_release_of_other_records_touches_no_other_cells() -> None:
    # 8000 disjoint ones took 5.3 s, and twice as many four times as long
    gate, cost = Filter(1.0, 0.0), Cost(pure=1.0, rho=0.5)
    for start in np.random.default_rng(0).permutation(8000).tolist():
        gate.charge(cost, slice(10 * start, 10 * start + 10))
    assert gate._cells(np.array([[10], [20]])) == slice(1, 2)
    assert gate.left().epsilon == 0.0
    with pytest.raises(LimitExceeded):
        gate.charge(Cost(pure=1e-9), slice(79_999, 80_001))
    gate.charge(cost, slice(80_000, 80_001))
