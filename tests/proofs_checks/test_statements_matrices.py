"""The statements of sections 6.1.3, 6.3 and 7.1: every check says what the register says."""

from __future__ import annotations

import pytest

from proofs_checks.statement import run
from proofs_checks.statements import crowdsourcing, matrices
from reference.catalogue import entry

STATEMENTS = matrices.STATEMENTS + crowdsourcing.STATEMENTS


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.key)
def test_check_agrees_with_the_register(statement):
    report = run(statement, seed=0)
    assert report.as_expected, report
    if statement.expected == "false":
        assert report.printed.level == "refuted with witness"
        assert report.printed.witness
    if report.corrected is not None:
        assert report.corrected.detail


def test_keys_are_unique():
    keys = [statement.key for statement in STATEMENTS]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("identifier", ["diss-6.1.46", "diss-6.3.51-W1", "diss-7.1.54"])
def test_errata_that_name_a_statement_are_reproduced_by_it(identifier):
    by_key = {statement.key: statement for statement in STATEMENTS}
    for erratum in entry(identifier).errata:
        kind, _, key = erratum.reproduced_by.partition(":")
        if kind == "proofs":
            assert (identifier, erratum.number) in by_key[key].errata
            assert by_key[key].expected == "false"
