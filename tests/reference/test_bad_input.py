"""Every algorithm of the catalogue refuses bad input in one clear line, before any release."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy

from reference._validation import EPSILONS, MAGNITUDES, MOST_STEPS
from reference.catalogue import entries, entry
from reference.constants import PositiveConstants
from reference.constraint_sets import L2Ball
from reference.em.models import GaussianMixture
from reference.losses import Logistic
from reference.pairwise.losses import Midpoint
from reference.privacy.ledger import RecordingLedger
from reference.privacy.ledger.transcript import Release

IDENTIFIERS = list(entries())
HUGE = 10**400  # no double holds it
SECRET = 7654.125
"""Stands for a private number: no message may show it."""

OBJECTS = {"loss", "mirror_map", "model", "constraint", "regularizer", "estimator", "constants"}


def masked(array: np.ndarray) -> np.ma.MaskedArray:
    """Return the array with its first record masked."""
    changed = np.ma.array(array, copy=True)
    changed[0] = np.ma.masked
    return changed


def of_each_part(data: Any, change: Any) -> list[Any]:
    """Return the data with each part changed in turn."""
    if not isinstance(data, tuple):
        return [change(np.asarray(data))]
    return [
        tuple(change(part) if k == changed else part for k, part in enumerate(data))
        for changed in range(len(data))
    ]


def with_first(value: Any) -> Any:
    """Return a change that puts a value, of any type, first."""

    def change(array: np.ndarray) -> np.ndarray:
        changed = array.astype(object)
        changed[(0,) * array.ndim] = value
        return changed

    return change


BAD_ARRAYS = {
    "a masked record": masked,
    "a list of masked rows": lambda array: [masked(np.atleast_1d(row)) for row in array],
    "complex numbers": lambda array: array + SECRET * 1j,
    "numeric strings": lambda array: np.full(array.shape, str(SECRET)),
    "bytes": lambda array: np.full(array.shape, str(SECRET).encode()),
    "a string among objects": with_first(str(SECRET)),
    "a complex number among objects": with_first(complex(SECRET, 1)),
    "an integer that no double holds": with_first(HUGE),
    "a decimal that no double holds": with_first(Decimal("1e4000")),
    "infinity": with_first(np.inf),
    "an unknown object": with_first(object()),
    "no value": with_first(None),
    "dates": lambda array: np.full(array.shape, np.datetime64("2020-01-01")),
    "durations": lambda array: np.full(array.shape, np.timedelta64(1, "s")),
    "text": lambda array: str(SECRET),
    "a mapping": lambda array: {"a": SECRET},
    "rows of different lengths": lambda array: [[SECRET], [SECRET, 1.0]],
    "another axis": lambda array: array[..., None],
    "nothing": lambda array: array[:0],
}


def data_name(identifier: str) -> str:
    return next(iter(inspect.signature(entry(identifier).function).parameters))


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_data_are_refused_by_name_and_without_their_values(identifier, arguments_of, refusal):
    name = data_name(identifier)
    data = arguments_of(identifier)[name]
    for kind, change in BAD_ARRAYS.items():
        if (identifier, kind) == ("diss-3.2.5", "another axis"):
            continue  # its records may have any shape
        for changed in of_each_part(data, change):
            message = refusal(identifier, {name: changed})
            assert any(word in message for word in (name, "features", "labels")), (kind, message)
            assert "7654" not in message, kind
            assert "7.654" not in message, kind


@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.coo_matrix])
@pytest.mark.parametrize("identifier", ["diss-3.1.2", "diss-7.1.majority"])
def test_sparse_data_are_refused_with_what_to_give_instead(identifier, kind, arguments_of, refusal):
    name = data_name(identifier)
    data = arguments_of(identifier)[name]
    sparse = kind(np.atleast_2d(data[0] if isinstance(data, tuple) else data))
    changed = (sparse, *data[1:]) if isinstance(data, tuple) else sparse
    message = refusal(identifier, {name: changed})
    assert f"must be an array of real numbers, got {kind.__name__}" in message
    assert "toarray()" in message


def test_only_sparse_data_are_sent_to_toarray(refusal):
    assert "toarray" not in refusal("diss-7.1.majority", {"data": {"a": SECRET}})


NUMBERS = {
    "an integer that no double holds": HUGE,
    "an integer too long to print": 10**5000,
    "a complex number": 1 + 1j,
    "a numeric string": "1.0",
    "a masked number": np.ma.masked,
    "an array": np.ones(3),
    "not a number": float("nan"),
    "infinity": float("inf"),
    "no number": None,
    "a fraction": Fraction(1, 2),
    "a long double": np.longdouble(0.5),
    "a missing value": pd.NA,
}


def numeric(identifier: str) -> list[str]:
    """Return the names of the arguments that are single numbers."""
    parameters = inspect.signature(entry(identifier).function).parameters.values()
    return [p.name for p in parameters if p.annotation in ("float", "int", "float | None")]


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_numbers_are_refused_by_name(identifier, refusal):
    parameters = inspect.signature(entry(identifier).function).parameters
    for name, (kind, wrong) in product(numeric(identifier), NUMBERS.items()):
        if kind == "no number" and parameters[name].default is None:
            continue
        message = refusal(identifier, {name: wrong})
        assert name in message, (name, kind, message)


STEPS = {"n_iterations", "n_epochs", "n_inner"}


class Untouched(RecordingLedger):
    """A ledger that ends a run that gets as far as a release, which might go on for hours."""

    def _release(self, *request: Any) -> Any:
        raise AssertionError("a release was asked for")


NARROW = {"float": (np.float16, np.float32), "int": (np.int8, np.int16)}


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_a_narrow_number_changes_no_claim(identifier, arguments_of):
    """Half precision and bytes are refused, or what is released is that of the plain number."""
    usual, function = arguments_of(identifier), entry(identifier).function
    for name, value in usual.items():
        for kind in NARROW.get(type(value).__name__, ()):
            if not abs(value) < 100:
                continue
            narrow = kind(value)
            ledger, plain = RecordingLedger(0), RecordingLedger(0)
            try:
                function(**{**usual, name: narrow, "ledger": ledger})
            except (TypeError, ValueError):
                assert not ledger.transcript.entries
                continue
            function(**{**usual, name: type(value)(narrow), "ledger": plain})
            for one, other in zip(ledger.transcript, plain.transcript, strict=True):
                if isinstance(one, Release):
                    assert one.claim.sensitivity == other.claim.sensitivity, name
                    assert one.cost() == other.cost(), name


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_more_steps_than_a_run_can_make_are_refused_at_once(identifier, arguments_of):
    arguments = arguments_of(identifier)
    for name, steps in product(STEPS & set(arguments), (MOST_STEPS + 1, 10**12)):
        with pytest.raises(ValueError, match=name):
            entry(identifier).function(**{**arguments, name: steps, "ledger": Untouched(0)})
    if {"n_epochs", "n_inner"} <= set(arguments):
        many = {"n_epochs": 4000, "n_inner": 4000}
        with pytest.raises(ValueError, match=r"n_epochs.*n_inner|n_inner.*n_epochs"):
            entry(identifier).function(**{**arguments, **many, "ledger": Untouched(0)})


EXTREMES = (1e-300, 1e-200, 1e200, 1e300, *EPSILONS, *MAGNITUDES, 2e-12, 1e3)
"""Far beyond any use, and the ends of what is legal."""
BLAMED = re.compile(r"([\w.]+) must be [^,]*(?:, [^,]*\])?, got (-?[\d.][^\s,;:]*)")
"""A message's parameter and the number that it says the caller gave."""


def with_a_unit_or_a_budget(function: Callable[..., Any]) -> list[str]:
    """Return the names of the arguments that are real numbers."""
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.annotation in ("float", "float | None")]


def says_which(message: str, function: Callable[..., Any], given: dict[str, Any]) -> None:
    """Check that a message names a parameter, and blames no number that nobody gave."""
    parameters = inspect.signature(function).parameters
    assert any(word in message for word in parameters), message
    for blamed, number in BLAMED.findall(message):
        assert not blamed.startswith("constants."), message
        if blamed in parameters:
            assert number == repr(given[blamed]), message
    assert "math domain" not in message
    assert "different signs" not in message
    assert len(message) < 300, message


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_extreme_numbers_are_refused_before_any_release_or_work(identifier, arguments_of):
    function, arguments = entry(identifier).function, arguments_of(identifier)
    for name, extreme in product(with_a_unit_or_a_budget(function), EXTREMES):
        ledger = RecordingLedger(0)
        try:
            function(**{**arguments, name: extreme, "ledger": ledger})
        except ValueError as error:
            assert not ledger.transcript.entries, (name, extreme)
            says_which(str(error), function, {**arguments, name: extreme})


def rules() -> dict[str, Callable[..., Any]]:
    """Return every rule for constants of an algorithm, by its module and name."""
    modules = {sys.modules[entry(i).function.__module__] for i in IDENTIFIERS}
    return {
        f"{rule.__module__.removeprefix('reference.')}.{name}": rule
        for module in modules
        for name, rule in vars(module).items()
        if name.startswith("constants_for") and rule.__module__ == module.__name__
    }


USUAL = {
    "n": 40, "dimension": 3, "epsilon": 0.9, "delta": 1e-5, "n_iterations": 2, "sparsity": 2,
    "failure_probability": 0.1, "n_degrees": 3, "coefficients": np.ones(4),
    "model": GaussianMixture(1.0),
    "loss": Logistic(1.0), "vertices": np.eye(3), "constraint": L2Ball(1.0),
}  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", sorted(rules()))
def test_a_rule_for_constants_refuses_extreme_numbers_or_has_an_answer(name):
    rule = rules()[name]
    usual = {
        p.name: USUAL.get(p.name, 1)
        for p in inspect.signature(rule).parameters.values()
        if p.default is p.empty
    }
    if name.startswith("pairwise"):
        usual["loss"] = Midpoint()
    rule(**usual)
    for changed, extreme in product(with_a_unit_or_a_budget(rule), EXTREMES):
        try:
            found = rule(**{**usual, changed: extreme})
        except ValueError as error:
            says_which(str(error), rule, {**usual, changed: extreme})
        else:
            assert isinstance(found, PositiveConstants)


STARTS = {kind: BAD_ARRAYS[kind] for kind in BAD_ARRAYS if kind != "a list of masked rows"}
WITH_START = [
    i for i in IDENTIFIERS if "initial" in inspect.signature(entry(i).function).parameters
]


@pytest.mark.parametrize("identifier", WITH_START)
def test_starting_points_are_refused_by_name(identifier, arguments_of, refusal):
    start = arguments_of(identifier)["initial"]
    start = np.zeros(1) if start is None else np.asarray(start, dtype=float)
    for kind, change in STARTS.items():
        assert "initial" in refusal(identifier, {"initial": change(start)}), kind


WRONG = {
    "a word": "logistic",
    "an object": object(),
    "a class": Logistic,
    "a number": 1.0,
    "an empty list": [],
    "zero": 0,
    "an array": np.full(3, SECRET),
}


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_wrong_objects_are_refused_by_name(identifier, refusal):
    parameters = inspect.signature(entry(identifier).function).parameters
    for name, (kind, wrong) in product(sorted(OBJECTS & set(parameters)), WRONG.items()):
        if name == "estimator" and kind == "a class":
            continue  # it can be called
        message = refusal(identifier, {name: wrong})
        assert f"{name} must be" in message, message
        assert "7654" not in message


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_the_arguments_of_the_case_are_good(identifier, arguments_of):
    """Or what is refused above might be refused for another reason."""
    arguments = {**arguments_of(identifier), "ledger": RecordingLedger(0)}
    entry(identifier).function(**arguments)
    assert arguments["ledger"].transcript.entries


ODD = (0, 1, 2, -1, 0.5, 3.7, 1e-9, 1e9, True, False, None, "x", [], [0.0], object())
"""Good for some arguments and bad for others."""


def odd_calls(identifier: str, arguments: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield calls with one argument, and with any other value of each switch, replaced."""
    parameters = inspect.signature(entry(identifier).function).parameters
    switches = [name for name in arguments if parameters[name].annotation == "bool"]
    usual = {name: value for name, value in arguments.items() if name != "ledger"}
    for flipped in [{}, *({name: not usual[name]} for name in switches)]:
        for name, odd in product(usual, ODD):
            yield {**usual, **flipped, name: odd}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_a_refused_call_leaves_no_entry_in_the_ledger(identifier, arguments_of):
    refused = []
    for arguments in odd_calls(identifier, arguments_of(identifier)):
        ledger = RecordingLedger(0)
        try:
            entry(identifier).function(**arguments, ledger=ledger)
        except (ValueError, TypeError) as error:
            refused.append((str(error), ledger.transcript.entries))
    assert len(refused) >= len(ODD)
    assert not [message for message, entries in refused if entries]
