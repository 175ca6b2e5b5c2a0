"""Violations in results files, shown again."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from auditor.core.case import Case, Form
from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.core.verdict import Verdict
from auditor.described import builders
from auditor.questions import control_flow
from auditor.suite import rerun
from auditor.suite import run as suite
from auditor.suite.store import Result, Settings, Store, read_result
from reference.privacy.guarantees import PureDP
from reference.privacy.ledger import Ledger


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A real algorithm's result, read back from its file."""
    folder = tmp_path_factory.mktemp("results")
    suite.audit(["wang-1"], Settings(), Store(folder))
    result = read_result(folder / "wang-1.json")
    assert result is not None
    return result


def test_every_violation_of_a_real_result_shows_again(stored: Result) -> None:
    found = rerun.violations(stored)
    assert {one.name for one in found} == {
        "printed/accounting",
        "printed/privacy_loss",
        "printed/black_box",
    }
    case = builders()["wang-1"]()
    assert all(rerun.shows_again(stored, one, case) for one in found)


def test_no_violation_shows_for_the_right_form(stored: Result) -> None:
    case = builders()["wang-1"]()
    forms = {**case.forms, "printed": case.forms["corrected"]}
    repaired = replace(case, forms=forms)
    assert not any(rerun.shows_again(stored, one, repaired) for one in rerun.violations(stored))


def test_a_violation_is_called_by_form_and_question(stored: Result) -> None:
    (one,) = rerun.violations(stored, ["printed/black_box"])
    assert (one.form, one.question) == ("printed", "black_box")
    with pytest.raises(InputError, match=r"no violation 'printed/scaling'.*printed/accounting"):
        rerun.violations(stored, ["printed/scaling"])
    with pytest.raises(InputError, match="nothing is violated"):
        rerun.violations(replace(stored, forms={"corrected": stored.forms["corrected"]}))


def test_a_witness_that_does_not_fit_is_one_line(stored: Result) -> None:
    case = builders()["wang-1"]()
    (one,) = rerun.violations(stored, ["printed/accounting"])
    with pytest.raises(InputError, match="has no form 'printed' any more"):
        rerun.shows_again(stored, one, replace(case, forms={"corrected": case.forms["corrected"]}))
    foreign = rerun.Violation("printed", "accounting", replace(one.verdict, witness={"seed": 1}))
    with pytest.raises(InputError, match=r"does not fit the code .*audit wang-1 again"):
        rerun.shows_again(stored, foreign, case)


def test_a_leak_into_the_control_flow_shows_again() -> None:
    def leaky(data: np.ndarray, ledger: Ledger) -> float:
        scale = 1.0 if data[0] > 0 else 2.0
        return float(ledger.laplace(data.sum(), sensitivity=1.0, scale=scale))

    def right(data: np.ndarray, ledger: Ledger) -> float:
        return float(ledger.laplace(data.sum(), sensitivity=1.0, scale=1.0))

    pair = (np.array([1.0, 0.0]), np.array([0.0, 0.0]))
    form = Form(leaky, PureDP(1.0), pair, 0, {})
    verdict = control_flow.audit(form, Context())
    assert verdict.status == "violated"
    plain = Verdict.from_json(verdict.to_json())
    violation = rerun.Violation("printed", "control_flow", plain)
    result = Result("fake", Settings(), {})
    assert rerun.shows_again(result, violation, Case("fake", {"printed": form}))
    repaired = Case("fake", {"printed": replace(form, run=right)})
    assert not rerun.shows_again(result, violation, repaired)


def test_the_command_can_be_copied() -> None:
    assert (
        rerun.command(Path("my results"), "wang-1", "printed", "black_box")
        == "touchstone rerun 'my results/wang-1.json' printed/black_box"
    )
