"""Instrumenting mechanisms that were not written for a ledger."""

import contextlib
import importlib
import inspect
import json
import random
import re
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import auditor
from auditor.checking.culprits import blame
from auditor.checking.releases import audit_releases, reproduce
from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.core.verdict import Verdict
from auditor.runs.declaration import Primitive
from auditor.runs.instrument import Instrumented, _generator_parameter, instrument
from auditor.transcript.replay import record, replay
from reference.privacy.guarantees import GaussianDP, Guarantee, PureDP
from reference.privacy.ledger import ControlFlowError, Ledger, RecordingLedger

QUESTIONS = ("accounting", "sensitivity", "control_flow", "privacy_loss", "samplers")
D = np.zeros(20)
D2 = np.concatenate([[0.0, 0.0, 1.0], np.zeros(17)])
ONE = PureDP(1.0)

NOISE = '''
import numpy as np

_rng = np.random.default_rng(21)


def add_laplace(x, sens, b):
    """Functions with value, sensitivity and scale."""
    return x + _rng.laplace(0, b, np.shape(x))


def add_too_little(x, sens, b):
    return x + 0.5 * _rng.laplace(0, b, np.shape(x))


def add_gaussian(value, *, l2, mu=1.0):
    return value + _rng.normal(0, l2 / mu, np.shape(value))


def sample_laplace(b, n=None):
    return _rng.laplace(0, b, n)


def pick(utilities, candidates, sens, eps):
    p = np.exp(eps * np.asarray(utilities) / (2 * sens))
    return candidates[_rng.choice(len(candidates), p=p / p.sum())]


def pick_index(scores, sens, b):
    return int(np.argmax(np.asarray(scores) + _rng.laplace(0, b, len(scores))))


def flip(answer, eps):
    """Randomized response on {0, 1}."""
    return answer if _rng.random() < 1 / (1 + np.exp(-eps)) else 1 - answer


class Noisy:
    @staticmethod
    def static(x, b):
        return x + _rng.laplace(0, b)

    @classmethod
    def of_class(cls, x, b):
        return x + _rng.laplace(0, b)


def anything(**options):
    return options["x"] + _rng.laplace(0, options["b"])
'''

# mechanisms are objects, configured first, and derived from one another
OBJECTS = '''
import numpy as np

_rng = np.random.default_rng(22)


class Laplace:
    def __init__(self, *, epsilon, sensitivity):
        self.epsilon, self.sensitivity = epsilon, sensitivity

    def randomise(self, value):
        return value - self.sensitivity / self.epsilon * _rng.laplace()


class LaplaceTruncated(Laplace):
    def __init__(self, *, epsilon, sensitivity, lower, upper):
        super().__init__(epsilon=epsilon, sensitivity=sensitivity)
        self.lower, self.upper = lower, upper

    def randomise(self, value):
        return min(max(super().randomise(value), self.lower), self.upper)


class Measurement:
    """A function of a private number; a transformation comes before it."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, arg):
        return arg + _rng.laplace(0, self.scale)
'''

TOOLS = """
import numpy as np
from their_noise.noise import add_laplace as noisy, sample_laplace
from their_noise.objects import LaplaceTruncated, Measurement


def mean(x, epsilon=1.0):
    return noisy(float(np.clip(x, 0, 1).mean()), 1 / len(x), 1 / len(x) / epsilon)


def truncated_mean(x, epsilon=1.0, sensitivity=None):
    mechanism = LaplaceTruncated(
        epsilon=epsilon, sensitivity=sensitivity or 1 / len(x), lower=0.0, upper=1.0
    )
    return mechanism.randomise(float(np.clip(x, 0, 1).mean()))


def measured_sum(x, scale=1.0):
    measure = Measurement(scale)
    return measure(float(np.clip(x, 0, 1).sum()))
"""


class Theirs:
    """A third party's package."""

    def __init__(self) -> None:
        self.noise: Any = importlib.import_module("their_noise.noise")
        self.objects: Any = importlib.import_module("their_noise.objects")
        self.tools: Any = importlib.import_module("their_noise.tools")


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theirs]:
    package = tmp_path / "their_noise"
    package.mkdir()
    sources = {"__init__": "", "noise": NOISE, "objects": OBJECTS, "tools": TOOLS}
    for name, source in sources.items():
        (package / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Theirs()
    for name in [name for name in sys.modules if name.partition(".")[0] == "their_noise"]:
        del sys.modules[name]


ADD_LAPLACE = Primitive(
    "their_noise.noise:add_laplace", noise="laplace", value="x", sensitivity="sens", scale="b"
)
TOO_LITTLE = Primitive(
    "their_noise.noise:add_too_little", noise="laplace", value=0, sensitivity="sens", scale="b"
)
SAMPLE_LAPLACE = Primitive(
    "their_noise.noise:sample_laplace", noise="laplace", sensitivity=0.05, scale="b"
)
RANDOMISE = Primitive(
    "their_noise.objects:Laplace.randomise",
    noise="laplace",
    value="value",
    sensitivity=lambda self: self.sensitivity,
    scale=lambda self: self.sensitivity / self.epsilon,
)
GENERATOR_LAPLACE = Primitive(
    "numpy.random:Generator.laplace",
    noise="laplace",
    value="loc",
    sensitivity=0.05,
    scale="scale",
)
GENERATOR_NOISE = Primitive(
    "numpy.random:Generator.laplace", noise="laplace", sensitivity=0.05, scale="scale"
)


def ask(
    mechanism: Instrumented, claim: Guarantee = ONE, pair: Any = (D, D2), seed: int = 4
) -> tuple[Verdict, ...]:
    return audit_releases(
        mechanism, pair, claim, context=Context(seed=seed, confidence=0.9999), samples=60
    )


def statuses(verdicts: tuple[Verdict, ...]) -> dict[str, str]:
    return {verdict.question: verdict.status for verdict in verdicts}


def violated(verdicts: tuple[Verdict, ...]) -> set[str]:
    return {verdict.question for verdict in verdicts if verdict.status == "violated"}


def findings(verdicts: tuple[Verdict, ...]) -> dict[str, str]:
    (verdict,) = [v for v in verdicts if v.question == "control_flow"]
    return {finding["kind"]: finding["statement"] for finding in verdict.findings}


def assert_holds(mechanism: Instrumented, claim: Guarantee = ONE, pair: Any = (D, D2)) -> None:
    # false alarms: 0.01%, by the samplers; the seeds are fixed, those of the fake package too
    assert statuses(ask(mechanism, claim, pair)) == dict.fromkeys(QUESTIONS, "holds")


def released(mechanism: Instrumented, data: Any = D2, *, seed: int = 0) -> tuple[Any, ...]:
    ledger = RecordingLedger(seed)
    mechanism(data, ledger)
    return ledger.transcript.releases


# ------------------------------------------------------------------- correct mechanisms hold


def test_a_function_with_value_sensitivity_and_scale(theirs: Theirs) -> None:
    mechanism = instrument(theirs.tools.mean, ADD_LAPLACE)
    (release,) = released(mechanism)
    assert release.mechanism.kind == "laplace"
    assert (release.value, release.claim.sensitivity, release.mechanism.scale) == (0.05, 0.05, 0.05)
    assert type(mechanism(D, Ledger(0))) is float
    assert_holds(mechanism)


@pytest.mark.slow
def test_objects_that_are_configured_first(theirs: Theirs) -> None:
    # the truncation calls super().randomise, and is public post-processing
    assert_holds(instrument(theirs.tools.truncated_mean, RANDOMISE))
    # with half the noise the books exceed the claim; what is left of a truncated value tells less
    half = instrument(lambda x: theirs.tools.truncated_mean(x, 2.0), RANDOMISE)
    doubtful = dict.fromkeys(("accounting", "privacy_loss"), "inconclusive")
    assert statuses(ask(half)) == {**dict.fromkeys(QUESTIONS, "holds"), **doubtful}
    assert auditor.check(half, pair=(D, D2), epsilon=1.0, samples=2000).status == "violated"


def test_a_measurement_after_a_transformation(theirs: Theirs) -> None:
    call = Primitive(
        "their_noise.objects:Measurement.__call__",
        noise="laplace",
        value="arg",
        sensitivity=1.0,
        scale=lambda self: self.scale,
    )
    assert_holds(instrument(theirs.tools.measured_sum, call))
    assert "accounting" in violated(ask(instrument(theirs.tools.measured_sum, call), PureDP(0.9)))


def test_gaussian_noise_with_a_derived_scale(theirs: Theirs) -> None:
    primitive = Primitive(
        theirs.noise.add_gaussian,
        noise="gaussian",
        value="value",
        sensitivity="l2",
        scale=lambda l2, mu: l2 / mu,
    )

    def sums(x: Any) -> Any:
        return theirs.noise.add_gaussian([float(x.sum()), 0.0], l2=1.0, mu=0.5)

    mechanism = instrument(sums, primitive)
    assert isinstance(mechanism(D, Ledger(0)), list)
    assert_holds(mechanism, GaussianDP(0.5))
    assert "accounting" in violated(ask(mechanism, GaussianDP(0.4)))


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda noise, x: x.mean() + noise(0.05),
        lambda noise, x: x.mean() - noise(0.05),
        lambda noise, x: noise(0.05) + float(x.mean()),
        lambda noise, x: 0.05 * noise(1.0) + x.mean(),
        lambda noise, x: x[2:4] * 0.05 + noise(0.05, 2),
        lambda noise, x: np.add(x[2:4] * 0.05, noise(0.1, 2) * -0.5),
        lambda noise, x: np.subtract(x[2:4] * 0.05, noise(0.05, 2)),
    ],
)
def test_noise_that_the_mechanism_adds(theirs: Theirs, mechanism: Any) -> None:
    made = instrument(lambda x: mechanism(theirs.noise.sample_laplace, x), SAMPLE_LAPLACE)
    assert_holds(made)
    (release,) = released(made)
    assert release.mechanism.scale == pytest.approx(0.05)
    np.testing.assert_allclose(release.value, mechanism(lambda *_: 0.0, D2))


def test_noise_added_in_place(theirs: Theirs) -> None:
    def in_place(x: Any) -> Any:
        sums = x[2:4] * 0.05
        sums += theirs.noise.sample_laplace(0.05, 2)
        return sums

    assert_holds(instrument(in_place, SAMPLE_LAPLACE))


@pytest.mark.parametrize("primitive", [GENERATOR_LAPLACE, GENERATOR_NOISE])
@pytest.mark.parametrize("given", [True, False])
def test_generators(primitive: Primitive, given: bool) -> None:
    def with_loc(x: Any, rng: Any) -> Any:
        assert isinstance(rng, np.random.Generator)
        return rng.laplace(x.mean(), scale=0.05)

    def adding(x: Any, rng: Any = None) -> Any:
        return x.mean() + rng.laplace(scale=0.05)

    named = with_loc if primitive is GENERATOR_LAPLACE else adding
    mechanism: Any = named if given else lambda x: named(x, np.random.default_rng())
    assert_holds(instrument(mechanism, primitive))


def test_other_draws_of_a_generator_are_public() -> None:
    def shuffled(x: Any, rng: np.random.Generator) -> Any:
        order = rng.permutation(len(x))
        return order, rng.laplace(x[order].mean(), 0.05)

    assert_holds(instrument(shuffled, GENERATOR_LAPLACE))


def test_noise_of_global_generators() -> None:
    legacy = Primitive(
        "numpy.random:laplace", noise="laplace", value="loc", sensitivity=0.05, scale="scale"
    )
    np.random.seed(5)  # noqa: NPY002 (the samplers are asked about this very generator)
    assert_holds(instrument(lambda x: np.random.laplace(x.mean(), 0.05), legacy))  # noqa: NPY002
    builtin = Primitive("random:gauss", noise="gaussian", value=0, sensitivity=0.05, scale="sigma")
    random.seed(5)
    assert_holds(instrument(lambda x: random.gauss(x.mean(), 0.1), builtin), GaussianDP(0.5))


def test_sizes_of_a_generator() -> None:
    def spread(x: Any, rng: np.random.Generator) -> Any:
        return rng.laplace(x.mean(), 0.05, size=3)

    mechanism = instrument(spread, GENERATOR_LAPLACE)
    (release,) = released(mechanism)
    np.testing.assert_allclose(release.value, np.full(3, 0.05))
    assert "sensitivity" in violated(ask(mechanism))


def test_selections_and_answers(theirs: Theirs) -> None:
    pick = Primitive(
        theirs.noise.pick,
        noise="exponential",
        value="utilities",
        sensitivity="sens",
        epsilon="eps",
        result=lambda output, candidates: candidates[output],
    )
    colours = ["red", "green", "blue"]

    def favourite(x: Any) -> Any:
        return theirs.noise.pick([float(x.sum()), 0.0, 1.0], colours, 1.0, 1.0)

    assert_holds(instrument(favourite, pick))
    assert instrument(favourite, pick)(D, Ledger(1)) in colours
    largest = Primitive(
        theirs.noise.pick_index, noise="noisy max", value=0, sensitivity=1.0, scale="b"
    )
    assert_holds(instrument(lambda x: theirs.noise.pick_index([x.sum(), 0.5], 1.0, 2.0), largest))
    flip = Primitive(theirs.noise.flip, noise="randomized response", value="answer", epsilon="eps")
    assert_holds(instrument(lambda answer: theirs.noise.flip(answer, 1.0), flip), pair=(0, 1))


PICK = Primitive(
    "their_noise.noise:pick",
    noise="exponential",
    value="utilities",
    sensitivity="sens",
    epsilon="eps",
    result=lambda output, candidates: candidates[output],
)


def test_a_selection_is_read_off_what_it_returns(theirs: Theirs) -> None:
    for candidates in (["red", "green"], [[1, 2], [1, 3]], np.array([5, 7])):
        mechanism = instrument(
            lambda x, c=candidates: theirs.noise.pick([x.sum(), 0.5], c, 1.0, 1.0), PICK
        )
        for seed in range(5):
            ledger = RecordingLedger(seed)
            output = mechanism.native(D, ledger)
            (release,) = ledger.transcript.releases
            np.testing.assert_array_equal(candidates[int(release.output)], output)


@pytest.mark.slow
def test_own_draws_behind_result_are_tested(theirs: Theirs) -> None:
    def leaks(x: Any) -> Any:
        return theirs.noise.pick_greedily([x.sum(), 2.0], ["red", "green"], 1.0, 0.1)

    theirs.noise.pick_greedily = lambda utilities, candidates, sens, eps: theirs.noise.pick(
        utilities, candidates, sens, 20 * eps
    )
    greedy = replace(PICK, target="their_noise.noise:pick_greedily")
    assert violated(ask(instrument(leaks, greedy), PureDP(0.1))) == {"samplers"}
    found = auditor.check(instrument(leaks, greedy), pair=(D, D2), epsilon=0.1, samples=8192)
    assert found.status == "violated"
    assert "is refuted (" in found.summary
    assert found.p_value < 0.005  # by the outputs alone, too


@pytest.mark.parametrize("twice", [["red", "red"], [[1], [1]]])
def test_draws_that_cannot_be_read_off_are_not_said_to_hold(theirs: Theirs, twice: Any) -> None:
    mechanism = instrument(lambda x: theirs.noise.pick([x.sum(), 0.5], twice, 1.0, 0.1), PICK)
    verdicts = ask(mechanism, PureDP(0.1))
    assert statuses(verdicts) == {**dict.fromkeys(QUESTIONS, "holds"), "samplers": "inconclusive"}
    assert "result=" in findings(verdicts)["draws not tested"]
    (asked,) = [v for v in verdicts if v.question == "samplers"]
    assert "the draws of pick itself were not tested" in asked.summary


@pytest.mark.slow
def test_rounded_noise_is_not_said_to_hold(theirs: Theirs) -> None:
    theirs.noise.rounded = lambda x, b: round(theirs.noise.add_laplace(x, 1.0, b), 1)
    rounded = Primitive(
        "their_noise.noise:rounded",
        noise="laplace",
        value="x",
        sensitivity=1.0,
        scale="b",
        result=lambda output: round(float(output), 1),
    )

    def alone(x: Any) -> Any:
        return theirs.noise.rounded(x.sum(), 1.0)

    def beside(x: Any) -> Any:
        return alone(x), theirs.noise.add_laplace(0.0, 1.0, 1e6)

    for mechanism, primitives in ((alone, [rounded]), (beside, [rounded, ADD_LAPLACE])):
        found = auditor.check(
            instrument(mechanism, *primitives), pair=(D, D2), epsilon=1.01, samples=2000
        )
        assert found.status == "inconclusive"
        assert "the draws of rounded itself were not tested" in found.summary


@pytest.mark.parametrize(
    ("step", "named"),
    [
        (lambda y: max(y, 0.5), "release 0 (laplace)"),
        (round, "release 0 (laplace)"),
        (lambda y: [y] if y > 0.5 else [], "noisy values whose number varies"),
    ],
)
def test_a_noisy_value_that_is_changed_before_it_is_returned_is_named(
    theirs: Theirs, step: Any, named: str
) -> None:
    def mechanism(x: Any) -> Any:
        return step(theirs.noise.add_laplace(x.sum(), 1.0, 0.2))

    verdicts = ask(instrument(mechanism, ADD_LAPLACE), PureDP(1.0))
    for question in ("accounting", "privacy_loss"):
        (asked,) = [v for v in verdicts if v.question == question]
        assert asked.status == "inconclusive"
        assert f"{named} cannot be read off what is returned" in asked.summary
        assert "let the checked function return them as they are" in asked.summary


def test_a_result_that_is_of_no_outcome(theirs: Theirs) -> None:
    wrong = replace(PICK, result=lambda output: output)
    mechanism = instrument(
        lambda x: theirs.noise.pick([x.sum(), 0.5], ["red", "green"], 1.0, 1.0), wrong
    )
    with pytest.raises(InputError, match="which result= makes of none of its 2 outcomes"):
        mechanism.native(D, Ledger(0))


def test_a_primitive_that_is_never_called_is_not_said_to_hold(theirs: Theirs) -> None:
    verdicts = ask(instrument(theirs.tools.mean, ADD_LAPLACE, SAMPLE_LAPLACE))
    assert statuses(verdicts)["samplers"] == "inconclusive"
    (asked,) = [v for v in verdicts if v.question == "samplers"]
    assert "sample_laplace was never called" in asked.summary


def test_the_outputs_are_those_of_the_mechanism_itself() -> None:
    def mechanism(x: Any, rng: np.random.Generator) -> Any:
        assert type(rng.laplace()) is float  # whatever the noise is used for
        return x.mean() + np.sort(np.abs(rng.laplace(size=3)))[0], np.random.default_rng().random()

    made = instrument(mechanism, GENERATOR_NOISE)
    assert made.plain(D, Ledger(3)) == made.plain(D, Ledger(3))
    assert made.plain(D, Ledger(3)) != made.plain(D, Ledger(4))
    assert made.findings == ()


def test_a_primitive_that_calls_another(theirs: Theirs) -> None:
    theirs.noise.add_more = lambda x, b: theirs.noise.add_laplace(x, 1.0, b)
    outer = Primitive(
        "their_noise.noise:add_more", noise="laplace", value="x", sensitivity=0.05, scale="b"
    )
    mechanism = instrument(lambda x: theirs.noise.add_more(x.mean(), 0.05), outer, ADD_LAPLACE)
    for run in (mechanism, mechanism.native):
        ledger = RecordingLedger(0)
        run(D, ledger)
        assert [release.claim.sensitivity for release in ledger.transcript.releases] == [0.05]
    assert_holds(mechanism)


def test_kinds_of_methods(theirs: Theirs) -> None:
    for name in ("static", "of_class"):
        primitive = Primitive(
            f"their_noise.noise:Noisy.{name}", noise="laplace", value=0, sensitivity=0.05, scale="b"
        )
        for owner in (theirs.noise.Noisy, theirs.noise.Noisy()):
            mechanism = instrument(lambda x: getattr(owner, name)(x.mean(), 0.05), primitive)  # noqa: B023
            (release,) = released(mechanism)
            assert (float(release.value), release.mechanism.scale) == (0.05, 0.05)
    kept = theirs.objects.Laplace(epsilon=1.0, sensitivity=0.05)
    primitive = Primitive(
        (kept, "randomise"), noise="laplace", value="value", sensitivity=0.05, scale=0.05
    )
    assert_holds(instrument(lambda x: kept.randomise(x.mean()), primitive))
    assert "randomise" not in vars(kept)
    free = Primitive(
        "their_noise.noise:anything", noise="laplace", value="x", sensitivity=0.05, scale="b"
    )
    assert_holds(instrument(lambda x: theirs.noise.anything(x=x.mean(), b=0.05), free))


# ------------------------------------------------------------------ broken ones are told apart


def test_halved_scale(theirs: Theirs) -> None:
    verdicts = ask(instrument(lambda x: theirs.tools.mean(x, 2.0), ADD_LAPLACE))
    assert violated(verdicts) == {"accounting", "privacy_loss"}
    lines = inspect.getsourcelines(theirs.tools.mean)
    line = lines[1] + next(i for i, text in enumerate(lines[0]) if "noisy(" in text)
    sentence = blame(verdicts)
    assert sentence is not None
    assert sentence.startswith(f"release 0 (laplace, tools.py:{line}) declares sensitivity 0.05")


def test_secretly_halved_noise(theirs: Theirs) -> None:
    def mean(x: Any) -> Any:
        theirs.noise.add_laplace(0.0, 1.0, 1e6)
        return theirs.noise.add_too_little(x.mean(), 0.05, 0.05)

    mechanism = instrument(mean, ADD_LAPLACE, TOO_LITTLE)
    verdicts = ask(mechanism, PureDP(1.01))
    # half the noise is missed in 300 draws with probability far below 1e-6
    assert violated(verdicts) == {"samplers"}
    sentence = blame(verdicts)
    assert sentence is not None
    assert sentence.startswith("release 1 (laplace, test_instrument.py:")
    scale = re.search(r"its noise has (\S+) times the declared scale", sentence)
    assert scale is not None
    assert float(scale[1]) == pytest.approx(0.5, abs=0.15)  # of 100 draws: 3 standard errors
    (found,) = (verdict for verdict in verdicts if verdict.question == "samplers")
    stored = Verdict.from_json(json.loads(json.dumps(found.to_json())))
    assert reproduce(mechanism, (D, D2), PureDP(1.01), stored)
    full = instrument(lambda x: [theirs.tools.mean(x) for _ in range(2)], ADD_LAPLACE)
    assert not reproduce(full, (D, D2), PureDP(1.01), stored)


def test_a_seed_that_is_used_again() -> None:
    def seeded(x: Any) -> Any:
        return x.mean() + np.random.default_rng(0).laplace(scale=0.05)

    # the same noise every time: the Kolmogorov-Smirnov distance is at least 1/2
    assert violated(ask(instrument(seeded, GENERATOR_NOISE))) == {"samplers"}


def test_understated_sensitivity(theirs: Theirs) -> None:
    verdicts = ask(
        instrument(lambda x: theirs.tools.truncated_mean(x, sensitivity=0.02), RANDOMISE)
    )
    assert violated(verdicts) == {"sensitivity"}
    sentence = blame(verdicts)
    assert sentence is not None
    assert "release 0 (laplace, objects.py:" in sentence
    assert "changes by 0.05 between neighbours, its claimed sensitivity is 0.02" in sentence


def test_a_branch_that_depends_on_the_data(theirs: Theirs) -> None:
    def branches(x: Any) -> Any:
        if x.max() > 0.5:
            theirs.noise.add_laplace(0.0, 1e-3, 1.0)
        return theirs.tools.mean(x)

    verdicts = ask(instrument(branches, ADD_LAPLACE))
    # the noise of the branch is never returned: the outputs alone are private
    assert statuses(verdicts)["control_flow"] == "inconclusive"
    assert violated(verdicts) == set()
    assert "release 0 (laplace" in str(blame(verdicts))


def test_a_side_output(theirs: Theirs) -> None:
    def side(x: Any) -> Any:
        return {"mean": theirs.tools.mean(x), "largest": float(x.max())}

    verdicts = ask(instrument(side, ADD_LAPLACE))
    assert violated(verdicts) == {"control_flow"}
    assert "result['largest']" in str(blame(verdicts))


def test_noise_from_elsewhere(theirs: Theirs) -> None:
    def mean(x: Any) -> Any:
        return theirs.noise.add_gaussian(x.mean(), l2=0.05)

    verdicts = ask(instrument(mean, ADD_LAPLACE))
    assert statuses(verdicts) == dict.fromkeys(QUESTIONS, "inconclusive")
    assert "add_laplace was never called" in findings(verdicts)["primitive never called"]
    assert findings(ask(instrument(theirs.tools.mean, ADD_LAPLACE))) == {}


def test_an_undeclared_method_of_the_generator() -> None:
    def normal(x: Any, rng: np.random.Generator) -> Any:
        return rng.laplace(x.mean(), 0.05), x.mean() + rng.normal()

    # it may well be the noise that makes the second answer private
    verdicts = ask(instrument(normal, GENERATOR_LAPLACE))
    assert statuses(verdicts)["control_flow"] == "inconclusive"
    (asked,) = [v for v in verdicts if v.question == "control_flow"]
    assert asked.summary.startswith("the mechanism also draws what is not declared")
    assert "result[1]" in asked.summary


# ------------------------------------------------------- what is not known refutes no claim

UNIT = replace(GENERATOR_LAPLACE, sensitivity=1.0)


def batches(x: Any, rng: np.random.Generator) -> Any:
    return [rng.laplace(batch.sum(), 1.0) for batch in np.split(x, 2)]


@pytest.mark.slow
def test_batches_of_unknown_records_refute_nothing() -> None:
    verdicts = ask(instrument(batches, UNIT))
    assert statuses(verdicts) == {**dict.fromkeys(QUESTIONS, "holds"), "accounting": "inconclusive"}
    found = auditor.check(instrument(batches, UNIT), pair=(D, D2), epsilon=1.0, samples=2000)
    assert found.status == "inconclusive"
    assert "records=" in found.summary


@pytest.mark.parametrize(
    "records",
    [
        lambda call: slice(10 * call, 10 * call + 10),
        lambda call: np.arange(10) + 10 * call,
        lambda call, size=10: range(size * call, size * (call + 1)),
    ],
)
def test_records_compose_in_parallel(records: Any) -> None:
    declared = replace(UNIT, records=records)
    assert_holds(instrument(batches, declared))
    (one, two) = released(instrument(batches, declared))
    numbers = np.arange(20)
    np.testing.assert_array_equal(numbers[one.claim.records], numbers[:10])
    np.testing.assert_array_equal(numbers[two.claim.records], numbers[10:])


@pytest.mark.slow
def test_records_that_are_read_all_the_same() -> None:
    swapped = replace(UNIT, records=lambda call: slice(10 - 10 * call, 20 - 10 * call))
    verdicts = ask(instrument(batches, swapped))
    assert violated(verdicts) == {"sensitivity"}
    assert "which claims not to read the record" in str(
        [v.summary for v in verdicts if v.question == "sensitivity"]
    )
    # the declaration is wrong, the claim is not
    found = auditor.check(instrument(batches, swapped), pair=(D, D2), epsilon=1.0, samples=2000)
    assert found.status == "inconclusive"


def test_records_of_an_argument_and_of_noise_that_is_added(theirs: Theirs) -> None:
    theirs.noise.about = lambda user, x, b: theirs.noise.add_laplace(x, 1.0, b)
    primitive = Primitive(
        "their_noise.noise:about",
        noise="laplace",
        value="x",
        sensitivity=1.0,
        scale="b",
        records="user",
    )
    assert_holds(
        instrument(lambda x: [theirs.noise.about(i, x[i], 1.0) for i in (1, 2)], primitive)
    )
    added = replace(SAMPLE_LAPLACE, sensitivity=1.0, records=lambda call: [call + 1])
    assert_holds(
        instrument(lambda x: [x[i] + theirs.noise.sample_laplace(1.0) for i in (1, 2)], added)
    )


@pytest.mark.parametrize("records", [slice(3, None), slice(5, 2), [-1], [0.5], [[1]], "where"])
def test_records_that_make_no_sense(records: Any) -> None:
    with pytest.raises(InputError, match=r"records|no argument 'where'"):
        instrument(batches, replace(UNIT, records=records))


def _largest(x: Any, rng: np.random.Generator) -> int:
    return int(np.argmax(rng.laplace(x.sum() * np.array([1, -1, 1, -1, 1]), 2.0)))


def _of_a_secret_subsample(x: Any, rng: np.random.Generator) -> Any:
    return rng.laplace(x[rng.choice(len(x), 5, replace=False)].sum(), 1.0)


def _of_a_subsample_from_elsewhere(x: Any) -> Any:
    drawn = random.sample(range(len(x)), 5)
    return np.random.default_rng().laplace(x[drawn].sum(), 1.0)


def _adding_a_count(x: Any, rng: np.random.Generator) -> Any:
    return rng.laplace(x.sum(), 2.0) + x[2]


def _adding_itself(x: Any, rng: np.random.Generator) -> Any:
    return x.sum() + rng.laplace(0.0, 1.0)


def _less_sensitive(x: Any, rng: np.random.Generator) -> Any:
    return rng.laplace(0.5 * x.sum(), 0.5)


@pytest.mark.parametrize(
    ("mechanism", "sensitivity", "claim", "question"),
    [
        (_largest, 5.0, PureDP(1.0), "privacy_loss"),  # noisy max, whatever its scores cost
        # amplified: log(1 + (e - 1)/4) = 0.3574
        (_of_a_secret_subsample, 1.0, PureDP(0.36), "privacy_loss"),
        (_of_a_subsample_from_elsewhere, 1.0, PureDP(0.36), "accounting"),
        (_adding_a_count, 1.0, PureDP(1.0), "control_flow"),
        (_adding_itself, 1.0, PureDP(1.0), "control_flow"),
        (_less_sensitive, 1.0, PureDP(1.0), "accounting"),
    ],
)
def test_a_true_claim_is_not_refuted_on_paper(
    mechanism: Any, sensitivity: float, claim: Guarantee, question: str
) -> None:
    verdicts = ask(instrument(mechanism, replace(UNIT, sensitivity=sensitivity)), claim)
    assert violated(verdicts) == set()
    assert statuses(verdicts)[question] == "inconclusive"


@pytest.mark.parametrize("factor", [1.0, 0.05, -3.0])
def test_releases_that_are_returned_refute_on_paper(factor: float) -> None:
    def mechanism(x: Any, rng: np.random.Generator) -> Any:
        return {"answers": [factor * rng.laplace(x.sum(), 0.5) + 2, "text"]}

    assert violated(ask(instrument(mechanism, UNIT))) == {"accounting", "privacy_loss"}


def test_a_selection_that_is_returned_refutes_on_paper(theirs: Theirs) -> None:
    def mechanism(x: Any) -> Any:
        return theirs.noise.pick([4 * x.sum(), 2.0], ["red", "green"], 4.0, 4.0)

    # the odds go from 1/e to e; what the declared sensitivity costs at worst is not attained
    verdicts = ask(instrument(mechanism, PICK), PureDP(0.9))
    assert violated(verdicts) == {"privacy_loss"}
    assert statuses(verdicts)["accounting"] == "inconclusive"


@pytest.mark.slow
def test_a_declaration_that_is_wrong_does_not_refute_the_claim() -> None:
    def mechanism(x: Any, rng: np.random.Generator) -> Any:
        return rng.laplace(x.sum(), 1.0)

    for wrong in (replace(UNIT, scale=0.5), replace(UNIT, sensitivity=0.5)):
        found = auditor.check(instrument(mechanism, wrong), pair=(D, D2), epsilon=1.0, samples=2000)
        assert "violated" in {verdict.status for verdict in found.questions}
        assert found.status == "inconclusive"
        assert "do not contradict 1-DP" in found.summary


def test_draws_elsewhere_are_noticed(theirs: Theirs) -> None:
    def global_draw(x: Any) -> Any:
        return theirs.tools.mean(x), random.random()

    def legacy_draw(x: Any) -> Any:
        return theirs.tools.mean(x), np.random.random()  # noqa: NPY002

    def own(x: Any, rng: np.random.Generator) -> Any:
        return rng.laplace(x.mean(), 0.05)

    for mechanism, primitive, elsewhere in (
        (global_draw, ADD_LAPLACE, True),
        (legacy_draw, ADD_LAPLACE, True),
        (theirs.tools.mean, ADD_LAPLACE, False),
        (_of_a_secret_subsample, UNIT, True),
        (own, UNIT, False),
    ):
        made = instrument(mechanism, primitive)
        for run in (made, made.native):
            made.draws_elsewhere = False
            run(D, Ledger(0))
            assert made.draws_elsewhere is elsewhere
        made.draws_elsewhere = False
        made.plain(D, Ledger(0))
        assert not made.draws_elsewhere


# ---------------------------------------------------------------------------- what is put back


def test_everything_is_put_back(theirs: Theirs) -> None:
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


def test_a_copy_beside_a_mechanism_of_no_module(theirs: Theirs) -> None:
    space: dict[str, Any] = {"noisy": theirs.noise.add_laplace}
    exec("def mean(x): return noisy(x.mean(), 0.05, 0.05)", space)
    assert len(released(instrument(space["mean"], ADD_LAPLACE))) == 1
    assert space["noisy"] is theirs.noise.add_laplace


def test_calls_outside_of_a_run_are_let_through(theirs: Theirs) -> None:
    kept: list[Any] = []

    def keeps(x: Any, rng: Any) -> Any:
        kept.extend([theirs.noise.add_laplace, rng])
        return theirs.tools.mean(x)

    instrument(keeps, ADD_LAPLACE, GENERATOR_NOISE)(D, Ledger(0))
    assert kept[0] is not theirs.noise.add_laplace
    assert isinstance(kept[0](1.0, 1.0, 1.0), float)
    assert isinstance(kept[1].laplace(), float)


def test_runs_may_nest(theirs: Theirs) -> None:
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
    assert violated(audit_releases(run, (D, D2), PureDP(3.0), samples=20)) == set()


def test_an_error_that_the_mechanism_swallows(theirs: Theirs) -> None:
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


def test_threads(theirs: Theirs) -> None:
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


# ----------------------------------------------------------------------------------- bad input


def laplace(target: Any, **options: Any) -> Primitive:
    given = {"noise": "laplace", "value": "x", "sensitivity": "sens", "scale": "b", **options}
    return Primitive(target, **given)


ADD = "their_noise.noise:add_laplace"


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
def test_declarations_that_make_no_sense(
    theirs: Theirs, primitive: Primitive, message: str
) -> None:
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


def test_mechanisms_that_make_no_sense(theirs: Theirs) -> None:
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
def test_calls_that_make_no_sense(theirs: Theirs, arguments: Any, message: str) -> None:
    mechanism = instrument(lambda x: theirs.noise.add_laplace(*arguments), ADD_LAPLACE)
    with pytest.raises(InputError, match=message):
        mechanism(D, Ledger(0))
    with pytest.raises(InputError, match=message):
        ask(mechanism)


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
def test_noise_that_cannot_be_followed(theirs: Theirs, use: Any, message: str) -> None:
    mechanism = instrument(lambda x: use(theirs.noise.sample_laplace), SAMPLE_LAPLACE)
    with pytest.raises(InputError, match=message):
        mechanism(D, Ledger(0))


def test_a_primitive_that_returns_something_else(theirs: Theirs) -> None:
    theirs.noise.pair = lambda x, b: (theirs.noise.add_laplace(x, 1.0, b), b)
    primitive = Primitive(
        "their_noise.noise:pair", noise="laplace", value="x", sensitivity=1.0, scale="b"
    )
    mechanism = instrument(lambda x: theirs.noise.pair(x.mean(), 1.0), primitive)
    with pytest.raises(InputError, match=r"pair returns shape \(2,\) for a value of shape \(\)"):
        mechanism.native(D, Ledger(0))


def test_an_argument_that_a_call_lacks(theirs: Theirs) -> None:
    free = Primitive(
        "their_noise.noise:anything", noise="laplace", value="x", sensitivity="s", scale="b"
    )
    mechanism = instrument(lambda x: theirs.noise.anything(x=x.mean(), b=0.05), free)
    with pytest.raises(InputError, match="anything was called without its argument 's'"):
        mechanism(D, Ledger(0))
