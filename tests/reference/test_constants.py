"""Every ``constants_for``: bad arguments are named, whichever algorithm they are of."""

import dataclasses
import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import reference
from reference import losses
from reference.constraint_sets import L2Ball
from reference.em.models import GaussianMixture
from reference.heavy_tailed import sample_and_aggregate
from reference.nonconvex import frank_wolfe_l1, frank_wolfe_l2
from reference.pairwise.losses import AUC, Regularized
from reference.parameters import PARAMETERS, ParameterError

GOOD = {
    **dict.fromkeys(PARAMETERS, 1),
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
}
NEVER = (-1.0, True, float("nan"), float("inf"), "3", None, 10**400, np.float16(1))


def beyond_doubles(parameter):
    """Yield legal numbers with which doubles, or a machine, could not compute."""
    low, high = parameter.limits
    if high < parameter.high:
        yield 10 * high
    if parameter.low < low and not parameter.whole:
        yield low / 10


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
        if name not in PARAMETERS:
            continue
        for value in (*PARAMETERS[name].illegal(), *beyond_doubles(PARAMETERS[name]), *NEVER):
            if value is None and defaults[name].default is None:
                continue
            with pytest.raises(ParameterError, match=rf"^{name} must be") as refused:
                function(**{**given, name: value})
            assert refused.value.name == name


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


@pytest.mark.parametrize(
    ("kind", "name", "largest"),
    [
        (frank_wolfe_l1.Constants, "step_size", 1.0),
        (frank_wolfe_l2.Constants, "step_size", 1.0),
        (sample_and_aggregate.Constants, "decay", 0.5),
    ],
)
def test_constants_may_be_the_largest_of_their_range_and_no_larger(kind, name, largest):
    others = {field.name: 0.25 for field in dataclasses.fields(kind)}
    assert getattr(kind(**others | {name: largest}), name) == largest
    with pytest.raises(ValueError, match=f"^{name} must be in"):
        kind(**others | {name: 1.01 * largest})
