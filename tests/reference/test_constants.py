"""Every ``constants_for``: bad arguments are named, whichever algorithm they are of."""

import dataclasses
import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import reference
from reference import losses
from reference.constants import COUNTS, MAGNITUDES
from reference.constraint_sets import L2Ball
from reference.em.models import GaussianMixture
from reference.pairwise.losses import AUC, Regularized

GOOD = {
    "n": 1000,
    "dimension": 3,
    "n_iterations": 4,
    "n_epochs": 2,
    "n_inner": 2,
    "batch_size": 10,
    "sparsity": 2,
    "n_degrees": 2,
    "releases": 4,
    "order": 2,
    "epsilon": 1.0,
    "delta": 1e-3,
    "failure_probability": 0.05,
    "strong_convexity": 0.1,
    "sensitivity": 1.0,
    "scale": 1.0,
    "noise_bound": 0.5,
    "least_slope": 1.0,
    "largest_slope": 1.0,
    "degree": 3,
    "coefficients": np.ones(4),
    "loss": losses.Sigmoid(),
    "model": GaussianMixture(1.0),
    "constraint": L2Ball(1.0),
    "vertices": np.eye(3),
    **dict.fromkeys(MAGNITUDES, 1.0),
}
BAD_COUNTS = [0, -1, True, 1.5, float("nan"), float("inf"), "3", None, 2**63, 10**400]
BAD_MAGNITUDES = [0, -1.0, True, float("nan"), float("inf"), 1e-300, 1e300, "3", None]


def functions():
    for module in pkgutil.walk_packages(reference.__path__, "reference."):
        if ".errata" in module.name or ".privacy" in module.name:
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            own = inspect.isfunction(value) and value.__module__ == module.name
            if own and ("constants_for" in name or name == "noise_per_sensitivity"):
                yield pytest.param(value, id=f"{module.name}.{name}".removeprefix("reference."))


FUNCTIONS = list(functions())


def good_arguments(function):
    names = inspect.signature(function).parameters
    given = {name: GOOD[name] for name in names if name not in ("method", "calibrate")}
    if "pairwise" in function.__module__:
        given["loss"] = Regularized(AUC(), 0.1, np.zeros(3))
    return given


def test_there_are_as_many_as_there_were():
    assert len(FUNCTIONS) >= 40


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_theory_fixes_cannot_be_changed(function):
    constants = function(**good_arguments(function))
    if isinstance(constants, float):  # of a noise_per_sensitivity
        return
    name = dataclasses.fields(constants)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(constants, name, 0.0)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_bad_argument_is_named(function):
    given = good_arguments(function)
    function(**given)
    defaults = inspect.signature(function).parameters
    for name in given:
        bad = BAD_COUNTS if name in COUNTS else BAD_MAGNITUDES if name in MAGNITUDES else []
        if name in ("epsilon", "delta", "failure_probability"):
            bad = [0, -1.0, True, float("nan"), float("inf"), 1e300, "3", None]
        for value in bad:
            if value is None and defaults[name].default is None:
                continue
            with pytest.raises((ValueError, TypeError), match=rf"^{name} must be"):
                function(**{**given, name: value})


@pytest.mark.parametrize("function", FUNCTIONS)
def test_more_of_a_batch_or_of_iterations_than_there_are_records(function):
    given = good_arguments(function)
    for name, value in (("batch_size", 1001), ("n_iterations", 2000)):
        if {"n", name} <= given.keys():
            try:
                function(**{**given, name: value})
            except (ValueError, TypeError) as error:
                assert str(error).startswith(f"{name} must be an integer")  # noqa: PT017
            else:
                assert name == "n_iterations"  # not all split the records
