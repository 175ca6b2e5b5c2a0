"""An exception is an output: every question meets mechanisms that raise on one data set only."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from auditor import InputError, Primitive, check, instrument, rerun
from auditor.checking.releases import audit_releases
from auditor.core.case import BlackBox, Case, Form
from auditor.core.context import Context
from auditor.core.errors import WorkerKilledError, class_name
from auditor.core.neighbours import Box
from auditor.core.verdict import QUESTIONS, Verdict
from auditor.questions.table import BY_FORM
from auditor.runs.clock import OutOfTime
from auditor.suite.plan import AuditUnit
from auditor.suite.task import answer
from auditor.transcript.replay import RunRaised
from reference.privacy.guarantees import PureDP
from reference.privacy.ledger import ControlFlowError, Ledger

ZEROS, ONE = np.zeros(4), np.array([1.0, 0.0, 0.0, 0.0])
PAIRS = [(ZEROS, ONE), (ONE, ZEROS)]


class Lost(Exception):
    """An error that a broken mechanism raises and the auditor does not expect."""


def released(data: Any, ledger: Ledger) -> float:
    return float(ledger.laplace(np.minimum(data, 1.0).mean(), sensitivity=0.25, scale=0.25))


def lost_if(wrong: bool, reason: str = "") -> None:
    if wrong:
        raise Lost(reason)


def before(data: Any, ledger: Ledger) -> float:
    lost_if(data.max() > 0.5, f"the largest is {data.max()}")
    return released(data, ledger)


def between(data: Any, ledger: Ledger) -> float:
    first = released(data, ledger) / 2
    lost_if(data.max() > 0.5)
    return first + released(data, ledger) / 2


def after(data: Any, ledger: Ledger) -> float:
    output = released(data, ledger)
    lost_if(data.max() > 0.5)
    return output


def at_times(data: Any, ledger: Ledger) -> float:
    """Raise where the output is in the middle, on one of the data sets."""
    output = released(data, ledger)
    lost_if(data.max() > 0.5 and abs(output) < 0.3)
    return output


def another(data: Any, ledger: Ledger) -> float:
    """Raise on both data sets, of two types."""
    released(data, ledger)
    lost_if(data.max() > 0.5)
    raise ArithmeticError


def form(run: Callable[..., Any], pair: tuple[Any, Any], **options: Any) -> Form:
    claim = PureDP(2.0)
    box = BlackBox(run, claim, pair, float)
    return Form(run, claim, pair, 0, {"n": 4}, black_box=box, **options)


def answers(made: Form) -> dict[str, Verdict]:
    """Return the verdicts as the suite gets them, one task for all questions of a form."""
    case = Case("toy", {"corrected": made}, no_scaling="a toy", no_real_data="a toy")
    units = [
        AuditUnit("toy", "corrected", question) for question in QUESTIONS if question in BY_FORM
    ]
    found = answer(lambda: case, units, Context(seed=1, path=("raise",)), False)
    return {unit.question: verdict for unit, verdict, _ in found}


@pytest.mark.parametrize(
    ("run", "pair"),
    [
        (before, PAIRS[0]),
        (between, PAIRS[1]),
        (after, PAIRS[0]),
        (after, PAIRS[1]),
        (at_times, PAIRS[0]),
    ],
)
def test_what_raises_on_one_data_set_is_violated_and_the_audit_goes_on(
    run: Callable[..., Any], pair: tuple[Any, Any]
) -> None:
    made = form(run, pair)
    found = answers(made)
    assert found["control_flow"].status == found["black_box"].status == "violated"
    assert "raised Lost" in found["control_flow"].summary
    for question, verdict in found.items():
        assert "error" not in verdict.evidence, question
        if verdict.status == "violated":
            witness = json.loads(json.dumps(verdict.to_json()))["witness"]
            assert BY_FORM[question].reproduce(made, witness), question
            mended = form(released, pair)
            assert not BY_FORM[question].reproduce(mended, witness), question
        elif verdict.status == "inconclusive":
            assert "the control-flow question decides" in verdict.summary, question


class Untold(Exception):
    """An error whose text cannot be made: it asks for what was never set."""

    def __str__(self) -> str:
        return str(self.reason)  # type: ignore[attr-defined]


class Direct(BaseException):
    """No Exception, and its text raises one that is none, either."""

    def __str__(self) -> str:
        raise SystemExit(0)


class Masked(Exception):
    """An error that says nothing true of itself."""

    __class__ = property(lambda self: 1 / 0)  # type: ignore[assignment]
    __traceback__ = property(lambda self: 1 / 0)  # type: ignore[assignment]


class NamelessType(type):
    __name__ = property(lambda cls: 1 / 0)  # type: ignore[assignment]


class Nameless(Exception, metaclass=NamelessType):
    """An error whose class does not tell its name."""


HOSTILE: list[BaseException] = [
    Untold(),
    KeyError(Untold()),
    SystemExit(0),
    GeneratorExit(),
    asyncio.CancelledError(),
    concurrent.futures.CancelledError(),
    BaseException(),
    BaseExceptionGroup("two", [SystemExit(0), Lost()]),
    Direct(),
    Masked(),
    Nameless(),
]
ALIKE = HOSTILE[2:5]
"""Exceptions of Python's own that end a program or a task: a check meets one of them below."""
OURS: list[BaseException] = [
    InputError("not our line"),
    WorkerKilledError(),
    ControlFlowError(0, "not a ledger's"),
    RunRaised(0, "not a replay's"),
    OutOfTime(),
]
"""Exceptions by which the auditor says something; here a mechanism raises them."""
ALL = {class_name(error): error for error in HOSTILE + OURS}


def raising(name: str) -> Callable[..., float]:
    """Return a mechanism that raises an exception of this class on one of the data sets."""

    def run(data: Any, source: Any) -> float:
        output = released(data, source) if isinstance(source, Ledger) else None
        if data.max() > 0.5:
            raise ALL[name]
        return float(source.laplace()) if output is None else output

    return run


@pytest.mark.parametrize("name", [*map(class_name, OURS), "SystemExit", "Direct", "Masked"])
def test_exceptions_of_every_class_are_outputs(name: str) -> None:
    made = form(raising(name), PAIRS[0])
    found = answers(made)
    assert found["control_flow"].status == found["black_box"].status == "violated"
    assert not any("error" in verdict.evidence for verdict in found.values())
    assert BY_FORM["control_flow"].reproduce(made, found["control_flow"].witness)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((class_name(error), "rng") for error in HOSTILE if error not in ALIKE),
        *((class_name(error), "ledger") for error in [*OURS, SystemExit(0)]),
    ],
)
def test_an_exception_of_any_class_refutes_a_check(name: str, kind: Any) -> None:
    found = check(raising(name), pair=PAIRS[0], epsilon=2.0, seed=3, samples=100, kind=kind)
    assert found.status == "violated"
    assert f"raised {name}" in found.summary


@pytest.mark.parametrize("kind", ["rng", "ledger"])
@pytest.mark.parametrize("stop", [KeyboardInterrupt, pytest.skip.Exception, pytest.fail.Exception])
def test_who_interrupts_a_check_stops_it(stop: type[BaseException], kind: str) -> None:
    def mechanism(data: Any, source: Any) -> float:
        raise stop("now")

    with pytest.raises(stop):
        check(mechanism, pair=PAIRS[0], epsilon=2.0, samples=500, kind=kind)  # type: ignore[arg-type]


def test_what_the_declaration_of_a_primitive_says_is_bad_input_and_no_output() -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        noise = rng.laplace(scale=0.25, size=4)
        return float((np.minimum(data, 1.0) + abs(noise)).mean())

    laplace = Primitive(
        "numpy.random:Generator.laplace", noise="laplace", sensitivity=1.0, scale="scale"
    )
    with pytest.raises(InputError, match="goes through __abs__"):
        check(instrument(mechanism, laplace), pair=PAIRS[0], epsilon=2.0, samples=500)


@pytest.mark.parametrize("name", ALL)
def test_a_form_that_cannot_be_built_is_an_error_of_its_questions(name: str) -> None:
    unit = AuditUnit("toy", "corrected", "control_flow")
    ((_, verdict, _),) = answer(lambda: raising(name)(ONE, None), [unit], Context(seed=1), False)
    assert name in verdict.evidence["error"]


@pytest.mark.parametrize(
    ("value", "share", "pair"),
    [
        (np.nan, 0.6, PAIRS[0]),
        (np.nan, 1.0, PAIRS[1]),
        (np.inf, 0.6, PAIRS[1]),
        (np.inf, 1.0, PAIRS[0]),
        (-np.inf, 0.6, PAIRS[0]),
    ],
)
def test_an_output_that_is_no_number_is_an_output(value: float, share: float, pair: Any) -> None:
    def run(data: Any, ledger: Ledger) -> float:
        output = released(data, ledger)
        within = share == 1.0 or abs(output - 0.25) < 0.3
        return value if data.max() > 0.5 and within else output

    made = form(run, pair)
    found = answers(made)["black_box"]
    assert found.status == "violated"
    assert BY_FORM["black_box"].reproduce(made, found.witness)


def test_two_types_of_exceptions_are_told_apart_and_what_raises_alike_is_no_violation() -> None:
    found = answers(form(another, PAIRS[0]))
    assert found["control_flow"].status == "violated"
    assert "raised ArithmeticError, then raised Lost" in found["control_flow"].summary

    def by_output(data: Any, ledger: Ledger) -> float:
        # the exception depends on what was released, and it may
        output = released(data, ledger)
        lost_if(output > 0)
        return output

    found = answers(form(by_output, PAIRS[0]))
    assert found["control_flow"].status == found["black_box"].status == "holds"


def test_a_form_that_never_runs_is_an_error_of_the_audit() -> None:
    found = answers(form(lambda data, ledger: lost_if(True, "no such thing"), PAIRS[0]))
    assert "Lost: no such thing" in found["control_flow"].evidence["error"]
    assert {"violated", "holds"}.isdisjoint(verdict.status for verdict in found.values())


def test_a_record_of_the_domain_on_which_it_raises_is_found() -> None:
    """Neither data set of the pair raises."""

    def rarely(data: Any, ledger: Ledger) -> float:
        lost_if(data.max() > 1.5)
        return released(data, ledger)

    found = answers(form(rarely, PAIRS[0], domain=Box((), 0.0, 2.0)))
    assert found["control_flow"].status == "violated"
    assert found["sensitivity"].status == "inconclusive"
    assert "own domain Box" in found["sensitivity"].summary


@pytest.mark.parametrize("run", [between, another])
def test_any_mechanism_that_raises_on_one_data_set_is_violated(run: Callable[..., Any]) -> None:
    claim = PureDP(2.0)
    verdicts = audit_releases(run, PAIRS[0], claim, context=Context(seed=2))
    assert {v.question: v.status for v in verdicts}["control_flow"] == "violated"

    def mechanism(data: Any, rng: np.random.Generator) -> Any:
        return run(data, Ledger(rng))

    found = check(mechanism, pair=PAIRS[0], epsilon=2.0, seed=3, samples=1_000)
    assert found.status == "violated"
    assert found.witness is not None
    assert rerun(mechanism, found.witness).shown
