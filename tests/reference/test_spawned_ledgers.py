"""Ledgers in several processes: no copy repeats its noise, and no spend is lost."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest
from joblib import Parallel, delayed

from reference.basic.laplace import laplace_mechanism
from reference.privacy.ledger import (
    Account,
    GivenDrawsLedger,
    Ledger,
    MutatedLedger,
    NoiselessLedger,
    RecordingLedger,
    ReplayLedger,
    Transcript,
)
from tests.reference.ledgers import spent

COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": pickle.dumps,
    "cloudpickle": cloudpickle.dumps,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "deepcopy of a container": lambda ledger: copy.deepcopy({"ledger": [ledger]}),
    "joblib": lambda ledger: Parallel(n_jobs=2)(
        delayed(laplace_mechanism)([[x]], epsilon=1, bound=1, ledger=ledger) for x in (0.25, 0.75)
    ),
}
MODES: dict[str, Callable[[], Ledger]] = {
    "live": lambda: Ledger(3),
    "recording": lambda: RecordingLedger(3),
    "replaying": lambda: ReplayLedger(Transcript(())),
    "given draws": lambda: GivenDrawsLedger([]),
    "noiseless": lambda: NoiselessLedger(3),
    "mutated": lambda: MutatedLedger(Ledger(3), lambda _, m, v, s: (m, v, s)),
}


def release(ledger: Ledger, value: float = 0.0, scale: float = 2.0) -> float:
    return float(ledger.laplace(value, sensitivity=1, scale=scale))


def job(value: float, ledger: Ledger) -> tuple[float, Account, int]:
    """Release one number twice, in whatever process this runs."""
    first = release(ledger, value)
    release(ledger, value)
    return first, ledger.close(), os.getpid()


# --------------------------------------------------------------------- what must not be possible


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", COPIES)
def test_a_ledger_is_not_copied(way: str, mode: str) -> None:
    ledger = MODES[mode]()
    with pytest.raises((TypeError, pickle.PicklingError)) as caught:
        COPIES[way](ledger)
    # joblib raises an error of its own because of that of the ledger
    messages = f"{caught.value} {caught.value.__cause__}"
    assert "spawn()" in messages or "copied" in messages, messages
    assert not ledger._entries


def forked(task: Callable[[], object]) -> str:
    """Return what a forked process says of a task: the name of the error, or the result."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = repr(task())
        except BaseException as error:
            answer = f"{type(error).__name__}: {error}"
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answers:
        answer = answers.read().decode()
    os.waitpid(child, 0)
    return answer


@pytest.mark.parametrize("mode", ["live", "recording", "a spawned one"])
def test_a_forked_process_draws_nothing_and_has_no_account(mode: str) -> None:
    ledger = MODES[mode]() if mode in MODES else Ledger(3).spawn(1)[0]
    tasks: list[Callable[[], object]] = [
        lambda: release(ledger),
        lambda: ledger.subsample(5, 2),
        lambda: ledger.public(lambda rng: rng.random()),
        lambda: ledger.spent(delta=0),
        lambda: ledger.transcript,
        lambda: ledger.spawn(1),
    ]
    for task in tasks:
        assert forked(task).startswith("RuntimeError: this ledger belongs to another process")
    assert forked(lambda: release(Ledger(3))) == repr(
        release(ledger if mode == "live" else Ledger(3))
    )


def test_other_modes_do_not_spawn() -> None:
    for mode in MODES:
        if mode != "live":
            with pytest.raises(TypeError, match="only a live Ledger spawns"):
                MODES[mode]().spawn(2)


# ----------------------------------------------------------------------------- in this process


def test_spawned_ledgers_have_independent_noise_that_the_seed_fixes() -> None:
    def noises(seed: int) -> list[float]:
        ledger = Ledger(seed)
        return [release(part) for part in [*ledger.spawn(2), *ledger.spawn(2), ledger]]

    assert len(set(noises(3) + noises(4))) == 10
    assert noises(3) == noises(3)
    # when and where they are used changes nothing
    backwards = Ledger(3).spawn(2)
    assert [release(part) for part in backwards[::-1]] == noises(3)[:2][::-1]


def test_spends_add_up_unless_the_records_are_disjoint() -> None:
    ledger = Ledger(3)
    everybody = ledger.spawn(2)
    for part in everybody:
        release(part, scale=4)
    assert spent(ledger) == 0.5
    blocks = [slice(0, 50), slice(50, 100), slice(90, 110)]
    for part, scale in zip(ledger.spawn(3, records=blocks), (1, 2, 4), strict=True):
        release(part, scale=scale)
    assert spent(ledger) == 0.5 + 1
    release(ledger, scale=1)
    assert spent(ledger) == 0.5 + 1 + 1
    # records 90 to 99 bear both: 1/2 + 1/4 + 1/2
    one, two = ledger.spawn(2, records=blocks[1:])
    release(one, scale=2)
    release(two, scale=2)
    assert spent(ledger) == 0.5 + 1 + 0.75 + 1


@pytest.mark.parametrize(
    ("block", "named", "numbers"),
    [
        (slice(10, 20), None, range(10, 20)),
        (slice(10, 20), slice(2, 5), [12, 13, 14]),
        (slice(10, 20, 3), slice(0, 4, 2), [10, 16]),
        (slice(10, 20, 3), np.array([3, 1]), [13, 19]),
        (np.array([7, 3, 5]), None, [3, 5, 7]),
        (np.array([7, 3, 5]), slice(0, 2), [3, 7]),
        (np.array([7, 3, 5]), np.array([2]), [5]),
        (None, slice(0, 2), [0, 1]),
    ],
)
def test_records_of_a_spawned_ledger_are_numbered_within_its_block(
    block: Any, named: Any, numbers: Any
) -> None:
    ledger = Ledger(0)
    (part,) = ledger.spawn(1, records=[block])
    part.laplace(0.0, sensitivity=1, scale=1, records=named)
    for record in range(25):
        # a release of one record tells by the account whether the other one reads it
        other = Ledger(0)
        first, second = other.spawn(2, records=[block, slice(record, record + 1)])
        first.laplace(0.0, sensitivity=1, scale=1, records=named)
        release(second, scale=2)
        assert spent(other) == (1.5 if record in numbers else 1.0)
    assert spent(ledger) == 1.0


def test_a_spawned_ledger_reads_no_record_outside_of_its_block() -> None:
    (part,) = Ledger(0).spawn(1, records=[slice(50, 60)])
    for records in (slice(0, 11), np.array([10])):
        with pytest.raises(ValueError, match="among the 10 that this ledger was spawned for"):
            part.laplace(0.0, sensitivity=1, scale=1, records=records)
    with pytest.raises(ValueError, match="population must be an integer >= 1 and <= 10"):
        part.subsample(100, 1)
    with pytest.raises(ValueError, match="of 10 records must have as many rows, got 20"):
        part.randomized_response(np.zeros(20), epsilon=1)
    for bad in ([slice(0, 5)], [slice(3, 3)] * 2, [np.array([1, 1]), None]):
        with pytest.raises(ValueError, match="records"):
            Ledger(0).spawn(2, records=bad)


def test_subsamples_of_spawned_ledgers_stay_apart() -> None:
    together, apart = Ledger(0), Ledger(0)
    for part in together.spawn(2):
        sample = part.subsample(50, 1)
        part.laplace([0.0], sensitivity=1, scale=0.5, sample=sample)
        apart.laplace([0.0], sensitivity=1, scale=0.5, sample=apart.subsample(50, 1))
    assert spent(together) == pytest.approx(spent(apart))
    positions = [release.claim.sample.position for release in together.transcript.releases]
    assert positions == [0, 2]


def test_ledgers_spawned_from_spawned_ones_count_too() -> None:
    ledger = Ledger(0)
    (part,) = ledger.spawn(1, records=[slice(10, 20)])
    (leaf,) = part.spawn(1, records=[slice(5, 10)])
    release(leaf, scale=1)
    assert spent(ledger) == spent(part) == 1.0
    (named,) = (release.claim.records for release in ledger.transcript.releases)
    assert named == slice(15, 20, 1)
    account = part.close()
    ledger.collect([account])
    assert spent(ledger) == 1.0


def test_threads_each_with_a_ledger() -> None:
    ledger = Ledger(0)
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(release, ledger.spawn(40)))
    assert len(set(made)) == 40
    assert spent(ledger) == 20.0


# --------------------------------------------------------------------------- in other processes


def check_that_it_comes_back(
    run: Callable[[list[Ledger]], list[tuple[float, Account, int]]],
) -> None:
    """Two releases of 1/2 in each of three processes, on records of which two blocks overlap."""
    ledger = Ledger(7)
    parts = ledger.spawn(3, records=[slice(0, 10), slice(10, 20), slice(15, 25)])
    results = run(parts)
    with pytest.raises(RuntimeError, match="what 3 of 3 spawned ledgers spent is not known"):
        ledger.spent(delta=0)
    for part in parts:
        with pytest.raises(RuntimeError, match="was sent to another process"):
            release(part)
        with pytest.raises(RuntimeError, match="is not known: it was sent"):
            part.spent(delta=0)
        with pytest.raises(RuntimeError, match="was sent"):
            pickle.dumps(part)
    assert os.getpid() not in {process for _, _, process in results}
    # the same noise as here, and no two alike
    assert [first for first, _, _ in results] == [release(part) for part in Ledger(7).spawn(3)]
    accounts = [account for _, account, _ in results]
    ledger.collect(accounts[1:])
    with pytest.raises(RuntimeError, match="what 1 of 3 spawned"):
        ledger.spent(delta=0)
    with pytest.raises(ValueError, match="collected before"):
        ledger.collect(accounts[1:2])
    ledger.collect(accounts[:1])
    assert spent(ledger) == 2.0
    with pytest.raises(ValueError, match="of a ledger that was spawned here"):
        Ledger(7).collect(accounts)


def test_joblib() -> None:
    check_that_it_comes_back(
        lambda parts: Parallel(n_jobs=2)(delayed(job)(0.0, part) for part in parts)
    )


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method: str) -> None:
    def run(parts: list[Ledger]) -> list[tuple[float, Account, int]]:
        with multiprocessing.get_context(method).Pool(2) as pool:
            return pool.starmap(job, [(0.0, part) for part in parts], chunksize=1)

    check_that_it_comes_back(run)


def test_dask(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs Dask: pip install 'dp-touchstone[cluster]'")
    from distributed import Client, LocalCluster

    ledger = Ledger(3)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=tmp_path
        ) as cluster,
        Client(cluster) as client,
    ):
        with pytest.raises(TypeError):
            client.submit(release, ledger).result()
        check_that_it_comes_back(
            lambda parts: client.gather(client.map(job, [0.0] * len(parts), parts))
        )


def test_a_ledger_that_was_used_is_not_sent() -> None:
    ledger = Ledger(0)
    one, two = ledger.spawn(2)
    release(one)
    two.spawn(1)
    for used in (one, two):
        with pytest.raises(TypeError, match="a ledger that was used cannot be sent"):
            pickle.dumps(used)
    assert spent(ledger) == 0.5  # and is still there
    for copied in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="a ledger cannot be copied"):
            copied(ledger.spawn(1)[0])


def test_one_spawned_ledger_for_two_tasks_is_refused() -> None:
    (part,) = Ledger(0).spawn(1)
    with pytest.raises((RuntimeError, pickle.PicklingError)) as caught:
        Parallel(n_jobs=2, batch_size=1)(delayed(job)(value, part) for value in (0.25, 0.75))
    assert "was sent to another process" in f"{caught.value} {caught.value.__cause__}"


def test_two_copies_of_one_sent_ledger_are_found_out() -> None:
    ledger = Ledger(0)
    (part,) = ledger.spawn(1)
    sent = pickle.dumps(part)
    copies = [pickle.loads(sent) for _ in range(2)]
    accounts = [job(0.0, one)[1] for one in copies]
    with pytest.raises(ValueError, match="two copies of a ledger"):
        ledger.collect(accounts)


def test_a_closed_ledger_releases_nothing_more_and_can_be_collected_here() -> None:
    ledger = Ledger(0)
    (part,) = ledger.spawn(1)
    _, account, _ = job(0.0, part)
    with pytest.raises(RuntimeError, match="this ledger was closed; nothing more"):
        release(part)
    assert spent(part) == spent(ledger) == 1.0
    ledger.collect([account])
    assert spent(ledger) == 1.0
    with pytest.raises(TypeError, match="only a ledger that was spawned"):
        ledger.close()
    with pytest.raises(TypeError, match="accounts must be what close"):
        ledger.collect([part])  # type: ignore[list-item]


def test_what_a_process_that_died_had_released_is_known_by_repeating_it() -> None:
    def sent() -> tuple[Ledger, list[Ledger]]:
        ledger = Ledger(17)
        release(ledger)
        return ledger, [pickle.loads(pickle.dumps(part)) for part in ledger.spawn(2)]

    ledger, (died, other) = sent()
    seen = release(died, 0.25)  # and no account of it comes back
    ledger.collect([other.close()])
    with pytest.raises(RuntimeError, match="repeat the same work on the same data from a ledger"):
        ledger.spent(delta=0)

    ledger, parts = sent()
    again = [release(part, 0.25) for part in parts]
    assert again[0] == seen != again[1]
    ledger.collect(part.close() for part in parts)
    assert ledger.spent(delta=0).epsilon == 1.5
