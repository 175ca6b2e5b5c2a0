"""Every call refuses bad values of every argument in one line with its name and what is allowed."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import auditor
from auditor import Box, InputError
from auditor.checking.source import Program
from auditor.core.input_limits import MOST_ERRORS, MOST_RUNS
from tests.auditor.checking.test_outputs import Leaving, VastList


def noisy_sum(data, rng):
    return float(np.sum(data)) + rng.laplace(scale=2.0)


def error(rng, value):
    return float(abs(rng.normal(size=int(value)).mean()))


def port(inputs, draws):
    raise NotImplementedError


PAIR = ([0.0, 1.0], [0.0, 0.0])
OUTPUTS = {"first": np.arange(100.0), "second": np.arange(100.0)}
RUN = {"mechanism": noisy_sum, "pair": PAIR, "samples": 64}
WITNESS = {"seed": 0, "alpha": 0.01, "budget": 64, "samples": 64}
SCALING = {"along": "n", "values": [1, 2, 4, 8], "claim": -0.5, "repetitions": 50}
CALLS: dict[Callable[..., Any], dict[str, Any]] = {
    auditor.check: {**RUN, "epsilon": 1.0},
    auditor.measure: RUN,
    auditor.check_samples: {**OUTPUTS, "epsilon": 1.0},
    auditor.measure_samples: OUTPUTS,
    auditor.measure_canaries: {"scores_in": np.arange(100.0), "scores_out": np.arange(100.0)},
    auditor.check_independence: {"mechanism": noisy_sum, "data": [0.0, 1.0], "samples": 64},
    auditor.check_scaling: {"error": error, **SCALING},
    auditor.rerun: {**RUN, "witness": WITNESS, "claim": auditor.PureDP(1.0)},
    auditor.conform: {"port": port},
}

NO_NUMBERS: tuple[Any, ...] = ("nan", "", object(), [], {}, 1j, b"1", np.ones(3))
BAD_NUMBERS = (float("nan"), np.float64("nan"), float("inf"), -0.5, -1, 10**5000)
FINE = {"along": str, "pair": np.ndarray}
"""Types that have good values among these."""

NAMED = [
    (call, name)
    for call in CALLS
    for name, parameter in inspect.signature(call).parameters.items()
    if parameter.kind is not inspect.Parameter.VAR_POSITIONAL
    # a domain is whatever Hypothesis draws from, data what the mechanism takes; a folder has files
    # in it, or has none
    and name not in ("domain", "data", "folder", "witness")
]


each_argument = pytest.mark.parametrize(
    ("call", "name"), NAMED, ids=lambda part: getattr(part, "__name__", part)
)


@each_argument
def test_a_bad_value_is_refused_by_the_name_of_its_argument(call, name):
    for value in (*NO_NUMBERS, *BAD_NUMBERS):
        if name in FINE and isinstance(value, FINE[name]):
            continue
        if name == "claim" and call is auditor.check_scaling and type(value) in (int, float):
            continue  # an exponent: below
        with pytest.raises(InputError) as caught:
            call(**{**CALLS[call], name: value})
        message = str(caught.value)
        assert name in message or (name == "port" and "cannot be started" in message)
        assert "\n" not in message
        assert len(message) < 250


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_the_arguments_are_good_otherwise(call):
    if call is not auditor.conform:  # all vectors take seconds
        call(**CALLS[call])


@pytest.mark.parametrize("claim", [float("nan"), float("inf"), -101, 10**5000], ids=range(4))
def test_an_exponent_is_a_number_of_some_size(claim):
    with pytest.raises(InputError, match=r"claim must be an exponent in \[-100, 100\], got"):
        auditor.check_scaling(error, **{**SCALING, "claim": claim})


def test_what_would_never_end_is_refused_with_the_limit():
    for call in (auditor.check, auditor.measure, auditor.rerun):
        for samples in (MOST_RUNS + 1, 10**18):
            with pytest.raises(InputError, match=f"to {MOST_RUNS}, got {samples}"):
                call(**{**CALLS[call], "samples": samples})
    with pytest.raises(InputError, match=f"to {MOST_ERRORS} "):
        auditor.check_scaling(error, **{**SCALING, "repetitions": MOST_ERRORS + 1})


@pytest.mark.parametrize("seconds", ["1", 0, -1.0, float("nan"), float("inf"), 10**400])
def test_the_time_limit_of_a_program_is_looked_at(seconds):
    program = Program("cat", call_timeout=seconds)
    with pytest.raises(InputError, match=r"call_timeout must be a number of seconds in \(0, 1e"):
        auditor.check(program, pair=PAIR, epsilon=1.0, samples=64)


BAD_CLAIMS: tuple[Any, ...] = (
    "epsilon 1", 1.0, None, [], {}, {"kind": 1}, {"kind": []}, {"kind": "Table", "epsilon": 1.0},
    {"kind": "EpsilonDelta"}, {"kind": "EpsilonDelta", "epsilon": 1.0, "delta": 0.0, "rho": 1.0},
    {"kind": "EpsilonDelta", "epsilon": "1", "delta": 0.0},
    {"kind": "EpsilonDelta", "epsilon": 1.0, "delta": 1.5},
    {"kind": "EpsilonDelta", "epsilon": float("nan"), "delta": 0.0},
    {"kind": "Gaussian", "mu": -1.0}, {"kind": "Concentrated", "rho": 10**400},
    {"kind": "Renyi", "alpha": 0.5, "divergence": 1.0}, {"kind": "TradeOff"},
    {"kind": "TradeOff", "name": ["a"]},
)  # fmt: skip


@pytest.mark.parametrize("claim", BAD_CLAIMS, ids=range(len(BAD_CLAIMS)))
def test_a_witness_with_a_bad_claim_is_one_line(claim):
    with pytest.raises(InputError, match="witness's claim") as caught:
        auditor.rerun(noisy_sum, {**WITNESS, "claim": claim}, pair=PAIR)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["seed", "alpha", "budget", "samples"])
@pytest.mark.parametrize("value", ["1", None, -1, 10**400, [], float("nan")], ids=range(6))
def test_a_witness_with_a_bad_number_is_one_line(field, value):
    with pytest.raises(InputError, match=f"{field} of the witness"):
        auditor.rerun(noisy_sum, {**WITNESS, field: value}, pair=PAIR, claim=auditor.PureDP(1.0))


class Silent(list[Any]):
    """A value that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Sly(int):
    """A number that is in every range, as it says."""

    def __le__(self, other: object) -> bool:
        return True

    __ge__ = __lt__ = __gt__ = __le__


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


class Vast:
    """A sequence that says that it is longer than any memory."""

    def __len__(self) -> int:
        return 10**12

    def __getitem__(self, index: int) -> float:
        return 0.0


STRANGE = (
    Silent(), nested(5_000), Vast(), VastList([0.0]), itertools.count(), range(10**12), Leaving(),
)  # fmt: skip


@each_argument
def test_a_value_that_cannot_be_shown_or_never_ends_is_refused_as_well(call, name):
    for value in STRANGE:
        with pytest.raises(InputError) as caught:
            call(**{**CALLS[call], name: value})
        assert len(str(caught.value)) < 250


@pytest.mark.parametrize("name", ["workers", "samples", "seed", "rare", "timeout"])
def test_a_number_is_in_its_range_whatever_its_class_says(name):
    with pytest.raises(InputError, match=f"{name} must be"):
        auditor.check(**{**CALLS[auditor.check], name: Sly(-3)})


@pytest.mark.parametrize("folder", [1j, 5, ["vectors"], "", "no/such", "\0"])
def test_a_folder_of_vectors_is_a_path(folder):
    with pytest.raises(InputError):
        auditor.conform(port, folder=folder)


@pytest.mark.parametrize("name", [3, b"laplace", None, ["laplace"]])
def test_an_id_of_vectors_is_a_text(name):
    with pytest.raises(InputError, match="an id must be a text"):
        auditor.conform(port, name)


def test_outputs_from_elsewhere_may_be_lists_of_any_length():
    first, second = [[1], [1, 2]] * 100, [[1], [2]] * 100
    assert auditor.check_samples(first, second, epsilon=1.0).status == "violated"


def test_a_data_set_of_too_many_numbers_is_not_searched() -> None:
    wide = Box((1000,), 0.0, 1.0)
    with pytest.raises(InputError, match="has 1001000 numbers, of which at most 1000000 can be"):
        auditor.check(noisy_sum, domain=wide, n=1001, epsilon=1.0, kind="rng")


def sum_of_epsilon(data, epsilon, rng):
    return float(np.sum(data)) + rng.laplace(scale=1 / epsilon)


def sums_of_epsilon(data, epsilon, rng, size):
    return float(np.sum(data)) + rng.laplace(scale=1 / epsilon, size=size)


def by_a_ledger(data, epsilon, ledger):
    return ledger.laplace(float(np.sum(data)), sensitivity=1.0, scale=1 / epsilon)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("mechanism", "options"),
    [(sum_of_epsilon, {}), (sums_of_epsilon, {"batched": True}), (by_a_ledger, {})],
)
def test_other_arguments_are_given_by_partial(
    mechanism: Callable[..., Any], options: dict[str, Any], workers: int
) -> None:
    call = {"pair": PAIR, "samples": 2000, "workers": workers, **options}
    right = auditor.check(partial(mechanism, epsilon=1.0), epsilon=1.0, **call)
    wrong = auditor.check(partial(mechanism, epsilon=8.0), epsilon=1.0, **call)
    assert (right.status, wrong.status) == ("holds", "violated")


def drawn_from_the_second(data, source, *, rng=None):
    return float(np.sum(data)) + source.laplace(scale=1.0)


def test_a_generator_that_need_not_be_given_is_not_given_by_name() -> None:
    found = auditor.check(drawn_from_the_second, pair=PAIR, samples=2000, epsilon=1.0)
    assert found.status == "holds"
    assert "raised" not in [finding["kind"] for finding in found.findings]


@pytest.mark.parametrize("command", [["node", "mechanism.js"], "node mechanism.js"])
def test_a_command_is_told_to_be_a_program(command: Any) -> None:
    with pytest.raises(InputError, match=r"is auditor\.Program\(command\)"):
        auditor.check(command, pair=PAIR, epsilon=1.0)
