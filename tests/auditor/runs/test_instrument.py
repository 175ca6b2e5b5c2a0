"""Instrumenting mechanisms that were not written for a ledger."""

from __future__ import annotations

import contextlib
import random
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import auditor
from auditor.core.errors import InputError
from auditor.runs.declaration import Primitive
from auditor.runs.instrument import instrument
from auditor.transcript.replay import record, replay
from reference.privacy.guarantees import GaussianDP, Guarantee, PureDP
from reference.privacy.ledger import ControlFlowError, Ledger, RecordingLedger
from tests.auditor.runs.declared import (
    ADD_LAPLACE,
    D2,
    GENERATOR_LAPLACE,
    GENERATOR_NOISE,
    HOLDS,
    ONE,
    PICK,
    RANDOMISE,
    SAMPLE_LAPLACE,
    D,
    laplace,
    released,
)

MEASUREMENT = laplace(
    "their_noise.objects:Measurement.__call__",
    value="arg",
    sensitivity=1.0,
    scale=lambda self: self.scale,
)
ADD_GAUSSIAN = Primitive(
    "their_noise.noise:add_gaussian",
    noise="gaussian",
    value="value",
    sensitivity="l2",
    scale=lambda l2, mu: l2 / mu,
)
LEGACY = replace(GENERATOR_LAPLACE, target="numpy.random:laplace")
BUILTIN = Primitive("random:gauss", noise="gaussian", value=0, sensitivity=0.05, scale="sigma")
ANYTHING = laplace("their_noise.noise:anything")
PICK_INDEX = Primitive(
    "their_noise.noise:pick_index", noise="noisy max", value=0, sensitivity=1.0, scale="b"
)
FLIP = Primitive(
    "their_noise.noise:flip", noise="randomized response", value="answer", epsilon="eps"
)


def as_it_was(theirs: Any) -> None:
    """Start every generator of the process that the mechanisms draw from."""
    theirs.noise._rng = np.random.default_rng(21)
    theirs.objects._rng = np.random.default_rng(22)
    np.random.seed(5)  # noqa: NPY002
    random.seed(5)


# ------------------------------------------------------------------ what becomes a release

NOISES = [
    lambda noise, x: x.mean() + noise(0.05),
    lambda noise, x: x.mean() - noise(0.05),
    lambda noise, x: noise(0.05) + float(x.mean()),
    lambda noise, x: 0.05 * noise(1.0) + x.mean(),
    lambda noise, x: x[2:4] * 0.05 + noise(0.05, 2),
    lambda noise, x: np.add(x[2:4] * 0.05, noise(0.1, 2) * -0.5),
    lambda noise, x: np.subtract(x[2:4] * 0.05, noise(0.05, 2)),
]
COLOURS = ["red", "green", "blue"]


def in_place(noise: Any, x: Any) -> Any:
    sums = x[2:4] * 0.05
    sums += noise(0.05, 2)
    return sums


def with_generator(x: Any, rng: Any) -> Any:
    assert isinstance(rng, np.random.Generator)
    return rng.laplace(x.mean(), scale=0.05)


def adding(x: Any, rng: Any = None) -> Any:
    return x.mean() + rng.laplace(scale=0.05)


def shuffled(x: Any, rng: np.random.Generator) -> Any:
    return rng.laplace(x[rng.permutation(len(x))].mean(), 0.05)


@pytest.mark.parametrize(
    ("mechanism", "primitive", "value", "scale"),
    [
        (lambda their: their.tools.mean, ADD_LAPLACE, 0.05, 0.05),
        (lambda their: their.tools.truncated_mean, RANDOMISE, 0.05, 0.05),
        (lambda their: their.tools.measured_sum, MEASUREMENT, 1.0, 1.0),
        (
            lambda their: lambda x: their.noise.add_gaussian([x.sum(), 0.0], l2=1.0, mu=0.5),
            ADD_GAUSSIAN,
            [1.0, 0.0],
            2.0,
        ),
        *(
            (
                lambda their, add=add: lambda x: add(their.noise.sample_laplace, x),
                SAMPLE_LAPLACE,
                0.05 if number < 4 else [0.05, 0.0],
                0.05,
            )
            for number, add in enumerate([*NOISES, in_place])
        ),
        (lambda their: with_generator, GENERATOR_LAPLACE, 0.05, 0.05),
        (
            lambda their: lambda x: with_generator(x, np.random.default_rng(3)),
            GENERATOR_LAPLACE,
            0.05,
            0.05,
        ),
        (lambda their: adding, GENERATOR_NOISE, 0.05, 0.05),
        # its other draws are public
        (lambda their: shuffled, GENERATOR_LAPLACE, 0.05, 0.05),
        (
            lambda their: lambda x, rng: rng.laplace(x.mean(), 0.05, size=3),
            GENERATOR_LAPLACE,
            [0.05] * 3,
            0.05,
        ),
        (
            lambda their: lambda x: np.random.laplace(x.mean(), 0.05),  # noqa: NPY002
            LEGACY,
            0.05,
            0.05,
        ),
        (lambda their: lambda x: random.gauss(x.mean(), 0.1), BUILTIN, 0.05, 0.1),
        (
            lambda their: lambda x: their.noise.pick([x.sum(), 0.0, 1.0], COLOURS, 1.0, 1.0),
            PICK,
            [1.0, 0.0, 1.0],
            None,
        ),
        (
            lambda their: lambda x: their.noise.pick_index([x.sum(), 0.5], 1.0, 2.0),
            PICK_INDEX,
            [1.0, 0.5],
            2.0,
        ),
        (lambda their: lambda x: their.noise.flip(int(x.sum()), 1.0), FLIP, 1, None),
        (lambda their: lambda x: their.noise.anything(x=x.mean(), b=0.05), ANYTHING, 0.05, 0.05),
        *(
            (
                lambda their, owner=owner, name=name: (
                    lambda x: getattr(owner(their), name)(x.mean(), 0.05)
                ),
                laplace(f"their_noise.noise:Noisy.{name}", value=0),
                0.05,
                0.05,
            )
            for name in ("static", "of_class")
            for owner in (lambda their: their.noise.Noisy, lambda their: their.noise.Noisy())
        ),
    ],
)
def test_a_declared_call_becomes_a_release(
    theirs: Any, mechanism: Any, primitive: Primitive, value: Any, scale: float | None
) -> None:
    made = instrument(mechanism(theirs), primitive)
    (release,) = released(made)
    np.testing.assert_allclose(release.value, value)
    assert release.mechanism.kind == primitive.noise
    assert getattr(release.mechanism, "scale", None) == pytest.approx(scale)
    # with its own noise it returns the same whether it is instrumented or not
    as_it_was(theirs)
    expected = made.plain(D2, Ledger(3))
    as_it_was(theirs)
    ledger = RecordingLedger(3)
    output = made.native(D2, ledger)
    np.testing.assert_array_equal(output, expected)
    (release,) = ledger.transcript.releases
    if primitive is PICK:
        assert COLOURS[int(release.output)] == output
    elif primitive is not RANDOMISE:  # what it returns is truncated
        np.testing.assert_array_equal(release.output, output)


@pytest.mark.parametrize(
    ("mechanism", "primitive", "claim", "pair"),
    [
        (lambda their: their.tools.mean, ADD_LAPLACE, ONE, (D, D2)),
        (
            lambda their: lambda x: their.noise.add_gaussian([x.sum(), 0.0], l2=1.0, mu=0.5),
            ADD_GAUSSIAN,
            GaussianDP(0.5),
            (D, D2),
        ),
        (
            lambda their: lambda x: NOISES[5](their.noise.sample_laplace, x),
            SAMPLE_LAPLACE,
            ONE,
            (D, D2),
        ),
        (lambda their: shuffled, GENERATOR_LAPLACE, ONE, (D, D2)),
        (
            lambda their: lambda x: their.noise.pick([x.sum(), 0.0, 1.0], COLOURS, 1.0, 1.0),
            PICK,
            ONE,
            (D, D2),
        ),
        (lambda their: lambda answer: their.noise.flip(answer, 1.0), FLIP, ONE, (0, 1)),
    ],
)
def test_a_right_declaration_holds(
    theirs: Any, mechanism: Any, primitive: Primitive, claim: Guarantee, pair: Any, ask: Any
) -> None:
    # false alarms: 0.01%, by the samplers; the seeds are fixed, those of the fake package too
    made = instrument(mechanism(theirs), primitive)
    assert ask(made, claim, pair).statuses == HOLDS


def test_objects_that_are_configured_first(theirs: Any, ask: Any) -> None:
    # the truncation calls super().randomise, and is public post-processing
    assert ask(instrument(theirs.tools.truncated_mean, RANDOMISE)).statuses == HOLDS
    # with half the noise the books exceed the claim; what is left of a truncated value tells less
    half = instrument(lambda x: theirs.tools.truncated_mean(x, 2.0), RANDOMISE)
    doubtful = HOLDS | {"accounting": "inconclusive", "privacy_loss": "inconclusive"}
    assert ask(half).statuses == doubtful
    assert auditor.check(half, pair=(D, D2), epsilon=1.0, samples=2000).status == "violated"


def test_a_release_is_returned_as_its_value_was_given(theirs: Any) -> None:
    of_a_list = instrument(
        lambda x: theirs.noise.add_gaussian([1.0, 0.0], l2=1.0, mu=0.5), ADD_GAUSSIAN
    )
    assert type(instrument(theirs.tools.mean, ADD_LAPLACE)(D, Ledger(0))) is float
    assert type(of_a_list(D, Ledger(0))) is list


def test_an_object_s_own_method(theirs: Any) -> None:
    kept = theirs.objects.Laplace(epsilon=1.0, sensitivity=0.05)
    mechanism = instrument(
        lambda x: kept.randomise(x.mean()), laplace((kept, "randomise"), value="value", scale=0.05)
    )
    assert len(released(mechanism)) == len(released(mechanism.native)) == 1
    assert "randomise" not in vars(kept)


def test_a_primitive_that_calls_another(theirs: Any) -> None:
    theirs.noise.add_more = lambda x, b: theirs.noise.add_laplace(x, 1.0, b)
    outer = laplace("their_noise.noise:add_more")
    mechanism = instrument(lambda x: theirs.noise.add_more(x.mean(), 0.05), outer, ADD_LAPLACE)
    for run in (mechanism, mechanism.native):
        assert [release.claim.sensitivity for release in released(run)] == [0.05]


@pytest.mark.parametrize("candidates", [["red", "green"], [[1, 2], [1, 3]], np.array([5, 7])])
def test_a_selection_is_read_off_what_it_returns(theirs: Any, candidates: Any) -> None:
    mechanism = instrument(lambda x: theirs.noise.pick([x.sum(), 0.5], candidates, 1.0, 1.0), PICK)
    for seed in range(5):
        ledger = RecordingLedger(seed)
        output = mechanism.native(D, ledger)
        (release,) = ledger.transcript.releases
        np.testing.assert_array_equal(candidates[int(release.output)], output)


def test_an_answer_is_read_off_what_it_returns(theirs: Any) -> None:
    words = ("no", "yes")
    theirs.noise.word = lambda answer, eps: words[theirs.noise.flip(answer, eps)]
    in_words = replace(FLIP, target="their_noise.noise:word", result=lambda output: words[output])
    mechanism = instrument(lambda x: theirs.noise.word(int(x.sum()), 1.0), in_words)
    ledger = RecordingLedger(0)
    output = mechanism.native(D2, ledger)
    (release,) = ledger.transcript.releases
    assert words[int(release.output)] == output


def test_the_outputs_are_those_of_the_mechanism_itself() -> None:
    def mechanism(x: Any, rng: np.random.Generator) -> Any:
        assert type(rng.laplace()) is float  # whatever the noise is used for
        return x.mean() + np.sort(np.abs(rng.laplace(size=3)))[0], np.random.default_rng().random()

    made = instrument(mechanism, GENERATOR_NOISE)
    assert made.plain(D, Ledger(3)) == made.plain(D, Ledger(3))
    assert made.plain(D, Ledger(3)) != made.plain(D, Ledger(4))
    assert made.findings == ()


# ---------------------------------------------------------------------------- what is put back


def test_everything_is_put_back(theirs: Any) -> None:
    truncated = theirs.objects.LaplaceTruncated
    inherited = Primitive(
        "their_noise.objects:LaplaceTruncated.lower_bound",
        noise="laplace",
        value="value",
        sensitivity=1.0,
        scale=1.0,
    )
    theirs.objects.Laplace.lower_bound = lambda self, value: value
    static = Primitive(theirs.noise.Noisy.static, noise="laplace", value=0, sensitivity=1, scale=1)
    before = (
        theirs.noise.add_laplace,
        theirs.objects.Laplace.randomise,
        vars(theirs.noise.Noisy)["static"],
        np.random.default_rng,
    )

    def fails(x: Any) -> Any:
        assert theirs.tools.noisy is not before[0]
        assert theirs.noise.add_laplace is not before[0]
        assert np.random.default_rng is not before[3]
        raise ArithmeticError(theirs.tools.mean(x))

    mechanism = instrument(fails, ADD_LAPLACE, RANDOMISE, inherited, static, GENERATOR_NOISE)
    for data in (D, D2):
        with pytest.raises(ArithmeticError):
            mechanism(data, Ledger(0))
        assert theirs.noise.add_laplace is theirs.tools.noisy is before[0]
        assert theirs.objects.Laplace.randomise is before[1]
        assert vars(theirs.noise.Noisy)["static"] is before[2]
        assert np.random.default_rng is before[3]
        assert "lower_bound" not in vars(truncated)


def test_a_copy_beside_a_mechanism_of_no_module(theirs: Any) -> None:
    space: dict[str, Any] = {"noisy": theirs.noise.add_laplace}
    exec("def mean(x): return noisy(x.mean(), 0.05, 0.05)", space)
    assert len(released(instrument(space["mean"], ADD_LAPLACE))) == 1
    assert space["noisy"] is theirs.noise.add_laplace


def test_calls_outside_of_a_run_are_let_through(theirs: Any) -> None:
    kept: list[Any] = []

    def keeps(x: Any, rng: Any) -> Any:
        kept.extend([theirs.noise.add_laplace, rng])
        return theirs.tools.mean(x)

    instrument(keeps, ADD_LAPLACE, GENERATOR_NOISE)(D, Ledger(0))
    assert kept[0] is not theirs.noise.add_laplace
    assert isinstance(kept[0](1.0, 1.0, 1.0), float)
    assert isinstance(kept[1].laplace(), float)


def test_runs_may_nest(theirs: Any, ask: Any) -> None:
    inner = instrument(theirs.tools.mean, ADD_LAPLACE)
    ledgers: list[Ledger] = []

    def twice(x: Any) -> Any:
        own = theirs.tools.mean(x)
        again = inner(x, ledgers[-1])
        return own, again, theirs.tools.mean(x)

    outer = instrument(twice, ADD_LAPLACE)

    def run(data: Any, ledger: Ledger) -> Any:
        ledgers.append(ledger)
        return outer(data, ledger)

    ledger = Ledger(0)
    run(D, ledger)
    assert len(ledger.transcript.releases) == 3
    assert ask(run, PureDP(3.0)).violated == set()


def test_an_error_that_the_mechanism_swallows(theirs: Any) -> None:
    def swallows(x: Any) -> Any:
        try:
            return theirs.noise.add_laplace(x.mean(), 0.05, 0.0)
        except ValueError:
            return 0.0

    with pytest.raises(InputError, match="the scale of add_laplace must be positive"):
        instrument(swallows, ADD_LAPLACE)(D, Ledger(0))

    def extra(x: Any) -> Any:
        found = theirs.tools.mean(x)
        if x.max() > 0.5:
            with contextlib.suppress(ValueError):
                0.0 + theirs.noise.sample_laplace(0.05)
        return found

    made = instrument(extra, ADD_LAPLACE, SAMPLE_LAPLACE)
    transcript, _ = record(made, D, 0)
    with pytest.raises(ControlFlowError, match="an extra laplace release"):
        replay(made, D2, transcript)


def test_threads(theirs: Any) -> None:
    caught: list[Exception] = []

    def call(x: Any) -> None:
        try:
            theirs.tools.mean(x)
        except Exception as error:
            caught.append(error)

    def threaded(x: Any) -> Any:
        thread = threading.Thread(target=call, args=(x,))
        thread.start()
        thread.join()

    with pytest.raises(InputError, match="another thread"):
        instrument(threaded, ADD_LAPLACE)(D, Ledger(0))
    assert len(caught) == 1

    # two runs in two threads wait for one another, so each has its own releases
    barrier = threading.Barrier(2)

    def slow(x: Any) -> Any:
        return [theirs.tools.mean(x) for _ in range(50)]

    ledgers = [Ledger(0), Ledger(1)]

    def run(ledger: Ledger) -> None:
        barrier.wait()
        instrument(slow, ADD_LAPLACE)(D, ledger)

    threads = [threading.Thread(target=run, args=(ledger,)) for ledger in ledgers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(ledger.transcript.releases) for ledger in ledgers] == [50, 50]
