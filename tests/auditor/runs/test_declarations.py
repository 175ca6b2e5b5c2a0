"""Declarations of noise: what is refused, and how the noise that a mechanism adds is followed."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from auditor.core.errors import InputError
from auditor.runs.declaration import Primitive
from auditor.runs.instrument import _generator_parameter, instrument
from reference.privacy.ledger import Ledger

D = np.zeros(20)


def laplace(target: Any, **options: Any) -> Primitive:
    given = {"noise": "laplace", "value": "x", "sensitivity": "sens", "scale": "b", **options}
    return Primitive(target, **given)


ADD = "their_noise.noise:add_laplace"
ADD_LAPLACE = laplace(ADD)
SAMPLE_LAPLACE = laplace("their_noise.noise:sample_laplace", value=None, sensitivity=0.05)


@pytest.mark.parametrize(
    ("primitive", "message"),
    [
        (laplace("no_such_module:f"), "importing no_such_module failed with ModuleNotFoundError"),
        (laplace("their_noise.noise:missing"), "their_noise.noise has no 'missing'"),
        (laplace("their_noise.objects:Laplace.missing"), "has no 'Laplace.missing'"),
        (laplace("their_noise.noise"), "is not module:name or module:Class.method"),
        (laplace("their_noise.noise:_rng"), "_rng is no function"),
        (laplace("their_noise.objects:Laplace"), "Laplace is no function; name the callable"),
        (laplace(lambda x: x), "is not where its name says; give 'module:name'"),
        (laplace(random.gauss), "is not where its name says; give 'module:name'"),
        (laplace((np, "nothing")), "has no attribute 'nothing'"),
        (laplace(ADD, noise="geometric"), "noise must be one of laplace, gaussian, .*'geometric'"),
        (laplace(ADD, value="y"), r"no argument 'y' \(for value=\); it takes \(x, sens, b\)"),
        (laplace(ADD, value=3), r"no argument at position 3; it takes \(x, sens, b\)"),
        (laplace(ADD, scale="eps"), r"no argument 'eps' \(for scale=\)"),
        (laplace(ADD, scale=lambda sens, eps: sens / eps), r"no argument 'eps' \(for scale=\)"),
        (laplace(ADD, scale=None), "laplace noise needs scale="),
        (laplace(ADD, sensitivity=None), "laplace noise needs sensitivity="),
        (laplace(ADD, epsilon=1.0), "laplace noise has no epsilon; it has sensitivity and scale"),
        (laplace(ADD, scale=-1.0), "the scale of add_laplace must be positive and finite, got -1"),
        (laplace(ADD, noise="noisy max", value=None), "noisy max needs value="),
        (laplace(("text", "join"), value=0, scale=1.0, sensitivity=1.0), "cannot be replaced"),
    ],
)
def test_declarations_that_make_no_sense(theirs: Any, primitive: Primitive, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        instrument(theirs.tools.mean, primitive)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("mechanism", "taken"),
    [
        (lambda x: x, None),
        (lambda x, scale=1.0: x, None),
        (lambda x, *others, **named: x, None),
        (lambda x, noise: x, ""),
        (lambda x, noise, scale=1.0: x, ""),
        (lambda x, rng, /: x, ""),
        (lambda x, rng: x, "rng"),
        (lambda x, *, generator: x, "generator"),
        (lambda x, scale=1.0, rng=None: x, "rng"),
        (lambda rng: rng, None),
    ],
)
def test_how_a_mechanism_takes_a_generator(mechanism: Any, taken: str | None) -> None:
    assert _generator_parameter(mechanism) == taken


def test_mechanisms_that_make_no_sense(theirs: Any) -> None:
    with pytest.raises(InputError, match="at least one primitive"):
        instrument(theirs.tools.mean)
    with pytest.raises(InputError, match=r"one by one, .*; got \[Primitive\("):
        instrument(theirs.tools.mean, [ADD_LAPLACE])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="must be callable"):
        instrument(3, ADD_LAPLACE)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"needs \(x, epsilon, rng\).*functools.partial"):
        instrument(lambda x, epsilon, rng: x, ADD_LAPLACE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, 0.05, 0.0), "the scale of add_laplace must be positive and finite, got 0"),
        ((0.0, 0.05, -1.0), "the scale of add_laplace must be positive and finite, got -1"),
        ((0.0, 0.0, 1.0), "the sensitivity of add_laplace must be positive and finite, got 0"),
        ((0.0, 1.0, [1.0, 2.0]), "the scale of add_laplace must be one number"),
        ((0.0, 1.0, float("nan")), "must be positive and finite, got nan"),
    ],
)
def test_calls_that_make_no_sense(theirs: Any, arguments: Any, message: str) -> None:
    mechanism = instrument(lambda x: theirs.noise.add_laplace(*arguments), ADD_LAPLACE)
    with pytest.raises(InputError, match=message):
        mechanism(D, Ledger(0))


def reused(noise: Any) -> Any:
    kept = noise(1.0)
    return [1.0 + kept, 2.0 + kept]


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (reused, "is used twice"),
        (lambda noise: np.zeros(3) + noise(1.0), r"has shape \(\) and is added to .* \(3,\)"),
        (lambda noise: noise(1.0) + noise(1.0), "is added to other noise"),
        (lambda noise: np.array([noise(1.0)]) + 1.0, "is asked for __array"),
        (lambda noise: 1.0 + float(noise(1.0)), "goes through __float__"),
        (lambda noise: 1.0 + noise(1.0, 2)[0], "goes through __getitem__"),
        (lambda noise: 1.0 + np.exp(noise(1.0)), "goes through numpy.exp"),
        (lambda noise: 1.0 if noise(1.0) > 0 else 0.0, "goes through __gt__"),
        (lambda noise: 1.0 + noise(1.0).item(), "is asked for item"),
        (lambda noise: noise(1.0) * np.ones(2), "multiplied by something else than a number"),
        (lambda noise: noise(1.0) * 0.0 + 1.0, "is multiplied by 0.0"),
        (lambda noise: noise(1.0) and 0.0, "goes through __bool__"),
        (lambda noise: [noise(1.0)], "was never added to a value"),
    ],
)
def test_noise_that_cannot_be_followed(theirs: Any, use: Any, message: str) -> None:
    mechanism = instrument(lambda x: use(theirs.noise.sample_laplace), SAMPLE_LAPLACE)
    with pytest.raises(InputError, match=message):
        mechanism(D, Ledger(0))


def returns_a_pair(x: Any, b: Any) -> Any:
    return x, b


@pytest.mark.parametrize(
    ("function", "options", "arguments", "message"),
    [
        (
            returns_a_pair,
            {"sensitivity": 1.0},
            (0.0, 1.0),
            r"function returns shape \(2,\) for a value of shape \(\)",
        ),
        (
            lambda x, b: "purple",
            {"noise": "noisy max", "sensitivity": 1.0, "result": lambda output: output},
            ([0.0, 1.0], 1.0),
            "which result= makes of none of its 2 outcomes",
        ),
    ],
)
def test_what_a_primitive_returns_must_be_what_is_declared(
    theirs: Any, function: Any, options: Any, arguments: Any, message: str
) -> None:
    theirs.noise.function = function
    primitive = laplace("their_noise.noise:function", **options)
    mechanism = instrument(lambda x: theirs.noise.function(*arguments), primitive)
    with pytest.raises(InputError, match=message):
        mechanism.native(D, Ledger(0))


def test_an_argument_that_a_call_lacks(theirs: Any) -> None:
    free = laplace("their_noise.noise:anything", sensitivity="s")
    mechanism = instrument(lambda x: theirs.noise.anything(x=x.mean(), b=0.05), free)
    with pytest.raises(InputError, match="anything was called without its argument 's'"):
        mechanism(D, Ledger(0))


@pytest.mark.parametrize("records", [slice(3, None), slice(5, 2), [-1], [0.5], [[1]], "where"])
def test_records_that_make_no_sense(theirs: Any, records: Any) -> None:
    with pytest.raises(InputError, match=r"records|no argument 'where'"):
        instrument(theirs.tools.mean, laplace(ADD, records=records))
