"""A ledger copies all that it is given: nothing that a caller still holds changes an account."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import reference
from reference.privacy import Ledger
from reference.privacy.ledger import (
    GivenDrawsLedger,
    MutatedLedger,
    PublicEntry,
    RecordingLedger,
    ReplayLedger,
    Transcript,
)
from tests.reference.ledgers import laplace, spent


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
    """Things that are kept and computed with are plain, whatever type each argument has."""
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


def test_no_attribute_of_a_dataclass_of_the_reference_can_be_set() -> None:
    """A mechanism or a guarantee that a caller still holds is what the account was made with."""
    found = [
        f"{path.name}: {node.name}"
        for path in Path(reference.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        for decorator in map(ast.unparse, node.decorator_list)
        if decorator.startswith("dataclass") and "frozen=True" not in decorator
    ]
    assert found == []
