"""Limits, accounts that come back from elsewhere, and refusals that name the argument."""

from __future__ import annotations

import math
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reference.privacy import Ledger, LimitExceeded
from reference.privacy.filters import Left
from reference.privacy.ledger import (
    Account,
    GivenDrawsLedger,
    MutatedLedger,
    NoiselessLedger,
    RecordingLedger,
    Release,
    ReplayLedger,
    Subsample,
    Transcript,
)
from reference.privacy.mechanisms import Laplace
from tests.reference.ledgers import laplace, spent


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
