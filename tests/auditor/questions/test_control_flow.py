from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.neighbours import Box
from auditor.questions.control_flow import audit, first_difference, leak
from reference.privacy.guarantees import ApproximateDP

CONTEXT = Context(seed=3, path=("tiny",))
ZEROS, ONE = np.zeros(5), np.array([1.0, 0.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class Result:
    mean: float
    parts: tuple[Any, ...]


def form(run, *, pair=(ZEROS, ONE), domain=None):
    return Form(run, ApproximateDP(1.0, 1e-5), pair, 0, {"n": 5}, domain=domain)


def honest(data, ledger):
    sample = ledger.subsample(len(data), 2)
    centre = ledger.public(lambda rng: rng.normal())
    noisy = ledger.gaussian(
        data[sample.indices].sum() + centre, sensitivity=1.0, scale=2.0, sample=sample
    )
    best = ledger.exponential([data.sum(), 0.5], sensitivity=1.0, epsilon=1.0)
    return Result(float(noisy), (np.array([best, np.nan]), {"centre": centre}))


def test_an_honest_algorithm_holds():
    verdict = audit(form(honest, domain=Box((), 0.0, 1.0)), CONTEXT)
    assert verdict.status == "holds"
    assert verdict.evidence == {"replays": 15, "releases": 2}
    assert "15 replays make the same 2 releases and " in verdict.summary
    verdict = audit(form(lambda data, ledger: ledger.laplace(0.0, sensitivity=1, scale=1)), CONTEXT)
    assert "make the same 1 release and " in verdict.summary


def release(ledger, value=0.0, *, sensitivity=1.0, scale=1.0, **more):
    ledger.gaussian(value, sensitivity=sensitivity, scale=scale, **more)


def one_of_two_samples(data, ledger):
    samples = [ledger.subsample(5, 2), ledger.subsample(5, 2)]
    release(ledger, sample=samples[int(data.max())])


def more_if_the_record_is_not_in_the_sample(data, ledger):
    sample = ledger.subsample(5, 2)
    release(ledger, data[sample.indices].sum(), sample=sample)
    if 0 not in sample.indices:
        release(ledger)


@pytest.mark.parametrize(
    "run",
    [
        lambda data, ledger: release(ledger, scale=1.0 + data.max()),
        lambda data, ledger: release(ledger, sensitivity=1.0 + data.max()),
        lambda data, ledger: any(release(ledger) for _ in range(1 + int(data.max()))),
        lambda data, ledger: release(ledger, data[data < 0.5]),
        lambda data, ledger: (ledger.laplace if data.max() else ledger.gaussian)(
            0.0, sensitivity=1.0, scale=1.0
        ),
        lambda data, ledger: release(ledger, records=np.flatnonzero(data < 0.5)),
        lambda data, ledger: ledger.subsample(5, 1 + int(data.max())) and None,
        lambda data, ledger: release(
            ledger, sample=ledger.subsample(5, 2), background_sensitivity=0.1 + 0.1 * data.max()
        ),
        one_of_two_samples,
        lambda data, ledger: data.max() and ledger.public(lambda rng: rng.random()),
        more_if_the_record_is_not_in_the_sample,
    ],
    ids=[
        *("scale", "sensitivity", "count", "shape", "kind", "records", "subsample size"),
        *("background", "which sample", "public draw", "membership in the sample"),
    ],
)
def test_data_dependent_releases_are_violated(run):
    verdict = audit(form(run), CONTEXT)
    assert verdict.status == "violated"
    assert "the releases change" in verdict.summary
    witness = verdict.witness
    again = leak(run, witness["D"], witness["D'"], seed=witness["seed"], target=0)
    assert again == witness["difference"]


def raw_mean_in_the_result(data, ledger):
    return Result(float(ledger.gaussian(data.mean(), sensitivity=1.0, scale=1.0)), (data.mean(),))


def raw_vote_as_a_start(data, ledger):
    # one step towards the noisy value from the raw majority vote
    start = float(data.sum() > 0.5)
    return start + 0.1 * (ledger.gaussian(data.mean(), sensitivity=1.0, scale=1.0) - start)


def the_sample_itself(data, ledger):
    sample = ledger.subsample(5, 2)
    ledger.gaussian(data[sample.indices].sum(), sensitivity=1.0, scale=1.0, sample=sample)
    return sample.indices


def predictor_that_remembers(data, ledger):
    weight = float(ledger.gaussian(data.mean(), sensitivity=1.0, scale=1.0))
    memory = data.copy()
    return lambda x: weight * x + memory[0]


@pytest.mark.parametrize(
    ("run", "where"),
    [
        (raw_mean_in_the_result, "result.parts[0]"),
        (raw_vote_as_a_start, "result"),
        (the_sample_itself, "result["),
        (predictor_that_remembers, "result.captured"),
    ],
)
def test_an_output_that_leaks_data_is_violated(run, where):
    verdict = audit(form(run), CONTEXT)
    assert verdict.status == "violated"
    assert "the output changes" in verdict.summary
    assert where in verdict.summary


def test_a_leak_far_from_the_known_pair_is_found_on_random_neighbours():
    def rare(data, ledger):
        noisy = float(ledger.gaussian(np.clip(data, 0, 1).mean(), sensitivity=0.2, scale=1.0))
        return noisy, bool((data > 5).any())

    assert audit(form(rare), CONTEXT).status == "holds"
    assert audit(form(rare, domain=Box((), -10.0, 10.0)), CONTEXT).status == "violated"


@pytest.mark.parametrize(
    "run",
    [
        lambda data, ledger: np.random.default_rng().normal(),
        lambda data, ledger: ledger.gaussian(
            data.mean() + np.random.default_rng().normal(), sensitivity=1.0, scale=1.0
        ),
    ],
)
def test_noise_that_bypasses_the_ledger_is_violated(run):
    verdict = audit(form(run), CONTEXT)
    assert verdict.status == "violated"
    assert "outside the ledger" in verdict.summary


class Opaque:
    def __init__(self, inside):
        self.inside = inside


@pytest.mark.parametrize(
    ("first", "second", "where"),
    [
        (1.0, 2.0, "result: 1.0, then 2.0"),
        (1.0, 1, "float, then int"),
        (np.nan, 0.0, "result: nan"),
        ((1, [2, 3]), (1, [2, 4]), "result[1][1]"),
        ((1, 2), (1, 2, 3), "length 2, then 3"),
        ({"a": 1}, {"b": 1}, "keys"),
        (np.zeros(2), np.zeros(3), "(2,)"),
        (np.zeros(2), np.zeros(2, dtype=int), "float64"),
        (np.array([[1.0, np.nan]]), np.array([[1.0, 0.0]]), "result[0][1]"),
        (Result(1.0, (np.zeros(1),)), Result(1.0, (np.ones(1),)), "result.parts[0][0]"),
        (Opaque([np.zeros(1)]), Opaque([np.ones(1)]), "result.inside[0][0]"),
        ("yes", "no", "result"),
        (None, 0, "NoneType"),
    ],
)
def test_first_difference_names_the_place(first, second, where):
    assert where in first_difference(first, second)
    assert first_difference(first, first) is None


def test_equal_results_have_no_difference():
    def make():
        x = np.array([1.0, np.nan])
        return Result(np.nan, (x, [np.int64(3)], {"f": lambda y: x + y}, Opaque(x.copy()), "s"))

    assert first_difference(make(), make()) is None
