"""Audits on exact ledgers: what their runs use, and that nothing else changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from auditor.described import builders, settings
from auditor.suite import rerun
from auditor.suite import run as suite
from auditor.suite.keys import Sources, key
from auditor.suite.plan import plan
from auditor.suite.store import Settings, Store, read_result
from auditor.transcript.ledgers import ledgers_of, live_ledger, recording_ledger
from auditor.transcript.replay import record
from reference.catalogue import entry
from reference.privacy.ledger import ExactLedger, Ledger, RecordingExactLedger, RecordingLedger


def test_the_kind_of_ledger_holds_inside_and_no_longer() -> None:
    assert type(live_ledger(1)) is Ledger
    with ledgers_of("exact"):
        assert type(live_ledger(1)) is ExactLedger
        assert type(recording_ledger(1)) is RecordingExactLedger
        with ledgers_of("numpy"):
            assert type(recording_ledger(1)) is RecordingLedger
    assert type(recording_ledger(1)) is RecordingLedger


def test_runs_on_exact_ledgers_follow_from_their_seeds() -> None:
    given = dict(settings("diss-2.laplace")[0].arguments)
    data = given.pop("data")

    def run(records: Any, ledger: Ledger) -> Any:
        return entry("diss-2.laplace").function(records, **given, ledger=ledger)

    def outputs(seed: int) -> Any:
        sequence = np.random.SeedSequence(seed)
        return [record(run, data, sequence)[1], run(data, live_ledger(sequence))]

    with ledgers_of("exact"):
        one, again, other = outputs(1), outputs(1), outputs(2)
    numpy = outputs(1)
    assert np.array_equal(one, again)
    for first, second in zip([*one, *one], [*other, *numpy], strict=True):
        assert not np.array_equal(first, second)


def test_verdicts_of_both_kinds_have_different_keys() -> None:
    (unit, *_) = plan(builders()["wang-1"]())
    one, two = (
        key(Sources(), builders()["wang-1"].__module__, unit, Settings(ledger=kind).context(1))
        for kind in ("numpy", "exact")
    )
    assert one != two


def test_an_audit_on_exact_ledgers_finds_what_it_should(tmp_path: Path) -> None:
    """Mutants and printed forms are told as on others, and violations show again."""
    (result,) = suite.audit(["wang-1"], Settings(ledger="exact"), Store(tmp_path)).values()
    corrected = result.forms["corrected"].verdicts
    assert {verdict.status for verdict in corrected.values()} <= {"holds", "not applicable"}
    stored = read_result(tmp_path / "wang-1.json")
    assert stored is not None
    assert stored.settings.ledger == "exact"
    found = rerun.violations(stored)
    assert len(found) == 3
    assert all(rerun.shows_again(stored, one, builders()["wang-1"]()) for one in found)
