"""The ranges of parameters are said once, and are the same wherever they are repeated."""

import dataclasses
import importlib
import inspect
import math
import pickle
import re

import numpy as np
import pytest

from auditor.described import modules
from reference._validation import MOST_STEPS
from reference.catalogue import entry
from reference.parameters import PARAMETERS, ParameterError, checked_arguments
from reference.privacy.ledger import RecordingLedger

IDENTIFIERS = tuple(modules())
ENDS = {"lower", "upper"}
"""Ends of an interval: which numbers they may be depends on each other."""
SAID = {
    "diss-5.1.35": {"k": "From 1 to p"},
    "diss-7.1.54": {"margin": "in (0, 1/2)"},
    "diss-6.3.51-W2": {"delta": "[1e-12, 1)"},
}
"""Ranges that are smaller than those of the table."""


def numbers(function):
    """Return the names of the arguments that are numbers."""
    kinds = {"int", "float", "int | None", "float | None"}
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.annotation in kinds]


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_every_number_is_in_the_table(identifier):
    assert not set(numbers(entry(identifier).function)) - PARAMETERS.keys() - ENDS


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_an_algorithm_refuses_what_its_parameters_must_not_be(identifier, arguments_of):
    function, usual = entry(identifier).function, arguments_of(identifier)
    for name in set(numbers(function)) - ENDS:
        for value in PARAMETERS[name].illegal():
            ledger = RecordingLedger(0)
            with pytest.raises(ParameterError) as refused:
                function(**{**usual, name: value, "ledger": ledger})
            assert refused.value.name == name
            assert not ledger.transcript.entries


def section(function, name):
    """Return what a docstring says of an argument, or the function that it refers to does."""
    found = re.search(
        rf"^    (?:\w+, )*{name}(?:, \w+)*(?: : .*)?\n((?:        .*\n|\n)+)",
        function.__doc__,
        re.M,
    )
    text = " ".join(found[0].split())
    other = re.search(r"As for :func:`~([\w.]+)\.(\w+)`", text)
    if other is None:
        return text
    return section(getattr(importlib.import_module(other[1]), other[2]), name)


def range_in(row):
    """Return a pattern of how a docstring says the range of a parameter."""
    if row.whole:
        return r">= 1|1 <=|[\[(]1, |from 1"
    if row.high < math.inf:
        return rf"[Ii]n \(0, {row.high:g}"
    return ">=? 0" if row.closed else r"> 0|[Ii]n \(0"


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_docstrings_say_the_range(identifier):
    function = entry(identifier).function
    for name in set(numbers(function)) - ENDS:
        smaller = SAID.get(identifier, {}).get(name)
        wanted = re.escape(smaller) if smaller else range_in(PARAMETERS[name])
        assert re.search(wanted, section(function, name)), (name, section(function, name))


@pytest.mark.parametrize("name", PARAMETERS)
def test_what_is_illegal_is_refused_and_what_is_worth_trying_is_not(name):
    row = PARAMETERS[name]
    for value in row.illegal():
        with pytest.raises(ParameterError) as refused:
            row.check(value)
        assert refused.value.name == name
        assert refused.value.legal
        assert refused.value.value is value
    for value in row.worth_trying:
        assert row.check(value) == value


@checked_arguments
def _run(epsilon: float, batch_size: int | None = None, n: int = 9, *, ledger=None, n_epochs=1):
    return epsilon, batch_size, n, n_epochs


@checked_arguments
def _constants(n_epochs):
    return n_epochs


def test_numbers_become_plain_ones():
    found = _run(np.float64(0.5), np.int64(3), n_epochs=2)
    assert found == (0.5, 3, 9, 2)
    assert [type(item) for item in found] == [float, int, int, int]
    assert type(_run(1)[0]) is float
    assert _run(1.0, None)[1] is None


def test_limits_that_follow_from_the_call():
    with pytest.raises(ParameterError, match="batch_size must be an integer >= 1 and <= 4, got 5"):
        _run(1.0, 5, 4)
    with pytest.raises(ParameterError, match="n_epochs must be an integer >= 1 and <= 1000000"):
        _run(1.0, n_epochs=MOST_STEPS + 1)
    assert _constants(MOST_STEPS + 1) == MOST_STEPS + 1
    with pytest.raises(TypeError, match="positional argument"):
        _constants(1, 2)
    with pytest.raises(TypeError, match="multiple values"):
        _constants(1, n_epochs=1)


@pytest.mark.parametrize("value", [0.0, "text", None, np.zeros(2), 10**400])
def test_an_error_is_copied_whole_and_keeps_what_is_simple_alone(value):
    with pytest.raises(ParameterError) as refused:
        PARAMETERS["epsilon"].check(value)
    error = refused.value
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    assert isinstance(error.value, (float, str, int, type(None)))
    assert str(error).startswith("epsilon must be ")


def test_a_row_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        PARAMETERS["epsilon"].low = -1.0
