"""An object that reads other records than the one it answers for is refused before any release."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy

from auditor.described import settings
from reference.catalogue import entries, entry
from reference.constraint_sets import L1Ball
from reference.em.models import GaussianMixture
from reference.heavy_tailed.baselines import (
    clipped_gradient_descent,
    frank_wolfe,
    projected_gradient_descent,
)
from reference.heavy_tailed.sample_and_aggregate import sample_and_aggregate
from reference.local.bernstein_mechanism import local_bernstein
from reference.local.margin_losses import MarginLoss
from reference.local.risks import MeanSquaredDistance
from reference.losses import (
    Cosine,
    Huber,
    Logistic,
    RidgeRegularized,
    Sigmoid,
    SquaredDistance,
    SquaredError,
    probed_records,
)
from reference.per_record import (
    N_RECORDS,
    is_foreign,
    require_function_of_block,
    require_mean_of_pairs,
    require_mean_of_records,
    require_per_record,
)
from reference.privacy.ledger import NoiselessLedger, RecordingLedger

METHODS = {
    "UserLoss": ("values",),
    "RecordLoss": ("gradients", "validate"),
    "LatentModel": ("gradients", "truncated_gradients", "validate"),
    "GaussianMixture": ("terms", "validate"),
    "LinearModelLoss": ("values", "validate"),
    "Loss": ("gradient", "validate"),
    "SecondOrderLoss": ("gradient", "hessian", "validate"),
    "GeneralizedLinear | Biweight": ("gradient", "validate"),
    "PairwiseLoss": ("gradient", "validate"),
}
"""Methods that read many records at once, by the annotation of the argument."""

MEANS = ("gradient", "hessian")
"""Methods that return a mean over records, or over pairs of them."""


def of_kind(kind: str) -> list[str]:
    """Return the algorithms that take an object of a kind."""
    return [
        identifier
        for identifier in entries()
        if kind
        in (p.annotation for p in inspect.signature(entry(identifier).function).parameters.values())
    ]


def of_parts(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Any], Any]:
    """Return a change of arrays as one of tuples of arrays, whose first part it changes."""
    return lambda found: (
        (change(found[0]), *found[1:]) if isinstance(found, tuple) else change(found)
    )


MISTAKES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "centred": lambda rows: rows - rows.mean(axis=0),
    "scaled by the largest": lambda rows: rows / (1 + np.abs(rows).max()),
    "sorted": lambda rows: np.sort(rows, axis=0),
    "the first record added": lambda rows: rows + 0.5 * rows[:1],
    "turned round": lambda rows: rows[::-1],
}


def largest(records: Any) -> float:
    """Return the largest entry of the records' first part."""
    return float(np.abs(records[0] if isinstance(records, tuple) else records).max())


def size(records: Any) -> int:
    """Return the number of records."""
    return len(records[-1] if isinstance(records, tuple) else records)


def first(records: Any) -> float:
    """Return the sum of the first record's entries, of the first part."""
    return float(np.sum((records if isinstance(records, np.ndarray) else records[0])[0]))


MISTAKES_IN_MEANS: dict[str, Callable[[np.ndarray, Any], np.ndarray]] = {
    "normalised": lambda mean, records: mean / (0.1 + np.abs(mean).max()),
    "scaled by the largest": lambda mean, records: mean / (1 + largest(records)),
    "a sum": lambda mean, records: mean * size(records),
    "the first record added": lambda mean, records: mean + 0.5 * first(records),
}


def spoilt(thing: Any, method: str, mistake: Callable[..., Any]) -> Any:
    """Return a copy of an object one of whose methods makes a mistake.

    A mistake in a mean is told the records too.
    """
    original = type(thing)

    def wrong(self: Any, *arguments: Any) -> Any:
        found = getattr(original, method)(self, *arguments)
        return mistake(found, arguments[0]) if method in MEANS else mistake(found)

    return of_a_user(thing, **{method: wrong})


def of_a_user(thing: Any, **methods: Any) -> Any:
    """Return a copy of an object whose class a user derived, with these methods."""
    changed = copy.copy(thing)
    object.__setattr__(changed, "__class__", type("Own", (type(thing),), methods))
    return changed


OWN = [
    pytest.param(identifier, setting.arguments, name, id=f"{identifier}-{kind.__name__}")
    for identifier in entries()
    for (name, kind), setting in {
        (name, type(setting.arguments[name])): setting
        for setting in settings(identifier)
        for name in {"loss", "model"} & setting.arguments.keys()
    }.items()
    if kind is not MarginLoss  # a function of no record
]


@pytest.mark.parametrize(("identifier", "arguments", "name"), OWN)
def test_the_packages_own_objects_are_not_asked_and_would_pass(identifier, arguments, name):
    asked = of_a_user(arguments[name])
    assert is_foreign(asked)
    assert not is_foreign(arguments[name])
    entry(identifier).function(**{**arguments, name: asked, "ledger": RecordingLedger(0)})


@dataclass(frozen=True)
class Foreign:
    """An object that a user wrote."""


def test_what_is_not_of_the_package_as_it_stands_is_foreign():
    assert not is_foreign(RidgeRegularized(SquaredError(), 1.0))
    assert not is_foreign(GaussianMixture(1.0))
    for foreign in (Foreign(), RidgeRegularized(Foreign(), 1.0), Logistic, of_a_user(Logistic())):
        assert is_foreign(foreign)
    assert is_foreign(Logistic(feature_bound=type("Own", (float,), {})(1.0)))
    changed = Logistic()
    object.__setattr__(changed, "gradient", np.sin)
    assert is_foreign(changed)


SPOILT = [
    (identifier, kind, method)
    for kind, methods in METHODS.items()
    for identifier in of_kind(kind)
    for method in methods
]


@pytest.mark.parametrize(("identifier", "kind", "method"), SPOILT)
def test_every_mistake_is_refused_where_the_method_is_used(identifier, kind, method, arguments_of):
    arguments = arguments_of(identifier)
    name = "model" if kind in ("LatentModel", "GaussianMixture") else "loss"
    asked = []
    watched = spoilt(arguments[name], method, lambda found, *_: asked.append(1) or found)
    entry(identifier).function(**{**arguments, name: watched, "ledger": RecordingLedger(0)})
    if not asked:
        pytest.skip("it does not call the method")
    mistakes: dict[str, Any] = MISTAKES_IN_MEANS if method in MEANS else MISTAKES
    for what, mistake in mistakes.items():
        print(what)  # shown where it fails
        wrong = spoilt(arguments[name], method, mistake if method in MEANS else of_parts(mistake))
        ledger = RecordingLedger(0)
        with pytest.raises(
            ValueError, match=f"^{name} must take every (record|pair of records) on its own"
        ):
            entry(identifier).function(**{**arguments, name: wrong, "ledger": ledger})
        assert not ledger.transcript.entries


def test_every_object_that_reads_records_is_probed():
    kinds = {
        p.annotation
        for identifier in entries()
        for p in inspect.signature(entry(identifier).function).parameters.values()
        if p.name in ("loss", "model", "estimator")
    }
    assert kinds == {*METHODS, "Estimator", "MarginLoss"}  # the last is a function of no record


IN_BATCHES = ("diss-2.sgd-accountant", "diss-3.1.1", "diss-3.1.2", "diss-3.1.3", "diss-4.3.29")


@pytest.mark.parametrize(
    "identifier", [i for kind in METHODS if "gradient" in METHODS[kind] for i in of_kind(kind)]
)
def test_a_mean_over_others_than_those_listed_is_refused(identifier, arguments_of):
    loss = arguments_of(identifier)["loss"]
    original, listed = type(loss), []

    def of_all(self: Any, records: Any, x: Any, *which: Any) -> Any:
        listed.extend(one for one in which if one is not None)
        if len(which) < 2:
            return original.gradient(self, records, x)
        others = np.delete(np.arange(self.size(records)), which[0])
        return original.gradient(self, records, x, which[0], others)

    wrong = copy.copy(loss)
    object.__setattr__(wrong, "__class__", type("OfAll", (original,), {"gradient": of_all}))
    ledger = RecordingLedger(0)
    arguments = {**arguments_of(identifier), "loss": wrong, "ledger": ledger}
    if identifier in IN_BATCHES or identifier in of_kind("PairwiseLoss"):
        with pytest.raises(ValueError, match=r"^loss must take every (record|pair)"):
            entry(identifier).function(**arguments)
        assert not ledger.transcript.entries
    else:
        entry(identifier).function(**arguments)
        assert not listed


@pytest.mark.parametrize(
    "baseline", [projected_gradient_descent, frank_wolfe, clipped_gradient_descent]
)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_baseline_refuses_every_mistake(baseline, mistake):
    budget = {
        "epsilon": 1.0,
        "delta": 1e-5,
        "clipping_threshold": 1.0,
        "ledger": RecordingLedger(0),
    }
    steps = {"step_size": 0.1} if baseline is not frank_wolfe else {}
    options = {**steps, **(budget if baseline is clipped_gradient_descent else {})}
    data = np.random.default_rng(0).normal(size=(20, 2))
    call = partial(baseline, data, initial=np.zeros(2), n_iterations=2, **options)
    call(loss=SquaredDistance(), constraint=L1Ball(1.0))
    released = len(budget["ledger"].transcript.entries)
    wrong = spoilt(SquaredDistance(), "gradients", MISTAKES[mistake])
    with pytest.raises(ValueError, match="loss must take every record on its own"):
        call(loss=wrong, constraint=L1Ball(1.0))
    assert len(budget["ledger"].transcript.entries) == released


# ------------------------------------------------------------------------------- estimators


class Estimator:
    """Estimates a mean from a block and what was seen before it."""

    def __init__(self, combine: Callable[[list[np.ndarray]], np.ndarray]) -> None:
        self.combine, self.seen = combine, []

    def __call__(self, block: np.ndarray) -> np.ndarray:
        self.seen.append(np.atleast_1d(block.mean(axis=0)))
        return np.asarray(self.combine(self.seen))


@pytest.mark.parametrize("disjoint", [True, False])
@pytest.mark.parametrize(
    "combine",
    [
        lambda seen: np.mean(seen, axis=0),
        lambda seen: (seen[-1] + seen[max(0, len(seen) - 2)]) / 2,
        lambda seen: seen[-1] + len(seen),
        lambda seen: np.random.default_rng().normal(size=1),
    ],
    ids=["a running mean", "a warm start", "a count", "a draw"],
)
def test_an_estimator_that_reads_other_blocks_is_refused(combine, disjoint):
    data, ledger = np.linspace(-1, 1, 242), RecordingLedger(0)
    options = {"epsilon": 4.0, "delta": 0.1, "diameter": 2.0, "n_blocks": 121}
    call = partial(sample_and_aggregate, data, disjoint=disjoint, **options)
    call(Estimator(lambda seen: seen[-1]), ledger=RecordingLedger(0))
    with pytest.raises(ValueError, match="estimator must depend on nothing but its block"):
        call(Estimator(combine), ledger=ledger)
    assert not ledger.transcript.entries


def test_an_estimator_that_raises_on_all_made_up_records_is_not_refused():
    def of_tens(block: np.ndarray) -> np.ndarray:
        if not (block == 10).all():
            raise KeyError("only tens")
        return block[:1]

    options = {"epsilon": 1.0, "delta": 0.1, "diameter": 40.0, "n_blocks": 121}
    call = partial(sample_and_aggregate, np.full(242, 10.0), of_tens, **options)
    assert call(ledger=NoiselessLedger()) == pytest.approx([10.0])


# --------------------------------------------------------------------- what a probe can see


def test_the_tolerance_of_a_mean_is_one_part_in_10_to_the_9_of_the_bound():
    data = np.zeros((20, 2))
    for excess, refused in ((0.0, False), (1e-11, False), (1e-7, True)):
        # a mean of squared distances in units of the bound, which other records move

        def mean(records, x, excess=excess):
            return (x - records.mean(axis=0)) + excess * records.max()

        check = partial(require_mean_of_records, "f", SquaredDistance().validate, mean, data)
        if refused:
            with pytest.raises(ValueError, match="f must take every record on its own"):
                check(np.zeros(2))
        else:
            check(np.zeros(2))


@pytest.mark.parametrize("bound", [1e-50, 1e-6, 1.0, 1e6, 1e15, 1e30, 1e50])
@pytest.mark.parametrize("loss", [Logistic, Sigmoid, Cosine])
def test_losses_of_the_package_pass_whatever_their_bounds(loss, bound):
    features = np.random.default_rng(0).normal(size=(20, 3))
    for hessians in (False, True):
        probed_records(
            of_a_user(loss(feature_bound=bound)), (features, np.ones(20)), np.zeros(3),
            hessians=hessians, batches=True,
        )  # fmt: skip


@pytest.mark.parametrize("bound", [1e-50, 1e-6, 1.0, 1e3])
@pytest.mark.parametrize("method", MEANS)
def test_mistakes_are_refused_where_bounds_are_small_or_large(method, bound):
    features = np.random.default_rng(0).normal(size=(20, 3))
    wrong = spoilt(Cosine(feature_bound=bound), method, MISTAKES_IN_MEANS["a sum"])
    with pytest.raises(ValueError, match="loss must take every record on its own"):
        probed_records(wrong, (features, np.ones(20)), np.zeros(3), hessians=True)


class CentredScores(SquaredError):
    """Subtracts the mean score, which is 0 at x = 0."""

    lipschitz = 1.0

    def gradients(self, records, x):
        return super().gradients(records, x) - 2 * (records[0] @ x).mean() * records[0]

    def gradient(self, records, x, indices=None):
        return self.gradients(records, x).mean(axis=0)


def test_a_mistake_that_cannot_be_seen_far_out_is_refused():
    data = np.ones((20, 2)), np.ones(20)
    far = np.array([-40.0, 0.0])  # where all slopes are the same
    wrong = spoilt(Huber(), "validate", of_parts(MISTAKES["sorted"]))
    with pytest.raises(ValueError, match="loss must take every record on its own"):
        probed_records(wrong, data, far)


def test_a_mistake_that_cannot_be_seen_at_0_is_refused():
    data = np.ones((20, 2)), np.ones(20)
    with pytest.raises(ValueError, match="loss must take every record on its own"):
        probed_records(CentredScores(), data, np.zeros(2))
    for baseline, options in ((projected_gradient_descent, {"step_size": 0.1}), (frank_wolfe, {})):
        with pytest.raises(ValueError, match="loss must take every record on its own"):
            baseline(
                data, CentredScores(), L1Ball(1.0), initial=[0.0, 0.0], n_iterations=2, **options
            )


def test_sparse_features_are_probed_as_sparse_ones():
    kinds = []

    class Sparse(Logistic):
        def gradient(self, records, x, indices=None):
            kinds.append(scipy.sparse.issparse(records[0]))
            mean = super().gradient(records, x, indices)
            return mean / (0.1 + np.abs(mean).max()) if kinds[-1] else mean

    features = np.eye(4)
    probed_records(Sparse(), (features, np.ones(4)), np.zeros(4), sparse=True)
    assert not any(kinds)
    with pytest.raises(ValueError, match="loss must take every record on its own"):
        probed_records(
            Sparse(), (scipy.sparse.csr_array(features), np.ones(4)), np.zeros(4), sparse=True
        )
    assert any(kinds)


def test_a_list_of_features_and_labels_is_probed_as_a_pair():
    data = [np.ones((20, 2)), np.ones(20)]
    call = partial(projected_gradient_descent, initial=[0.0, 0.0], step_size=0.1, n_iterations=2)
    found = call(data, SquaredError(), L1Ball(1.0))
    assert found.tolist() == call(tuple(data), SquaredError(), L1Ball(1.0)).tolist()
    wrong = spoilt(SquaredError(), "gradients", MISTAKES["centred"])
    with pytest.raises(ValueError, match="loss must take every record on its own"):
        call(data, wrong, L1Ball(1.0))


class Counting:
    """Claims 1 a record; a record that is not the first moves all answers."""

    dimension = 1

    def values(self, points, records):
        return np.clip(np.full(len(records), records[1:].sum()), 0, 1)


def test_a_loss_that_counts_others_is_refused_whatever_the_data_are():
    for data in (np.zeros((100, 1)), np.ones((100, 1)), np.eye(100)[:, :1]):
        with pytest.raises(ValueError, match="loss must take every record on its own"):
            local_bernstein(data, Counting(), epsilon=1.0, order=1, ledger=RecordingLedger(0))


def test_a_loss_of_another_dimension_is_refused_instead_of_broadcast():
    data = np.full((100, 1), 0.3)
    with pytest.raises(ValueError, match=r"data must have loss.dimension = 2 columns, got 1"):
        local_bernstein(data, MeanSquaredDistance(2), epsilon=1.0, order=1)


def test_no_private_number_is_read():
    seen: list[float] = []

    class Watching(MeanSquaredDistance):
        def values(self, points, records):
            seen.extend(records.ravel().tolist())
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        local_bernstein(np.full((50, 1), 0.123456), Watching(1), epsilon=1.0, order=1)
    assert seen
    assert 0.123456 not in seen


def test_probes_of_means_pairs_and_blocks_read_shapes_alone():
    data = np.full((20, 2), np.nan)
    read: list[np.ndarray] = []

    def seen(records, *_):
        read.append(records)
        return np.zeros(2)

    x, validate = np.zeros(2), SquaredDistance().validate  # which refuses NaN
    require_mean_of_records("f", validate, seen, data, x, batches=True)
    require_mean_of_pairs("f", validate, seen, data, x)
    require_function_of_block("f", seen, data, 5)
    assert [len(rows) for rows in read] == [1, 2, 3, 6, 6, 2, 2, 2, 6, 5, 5, 5]
    assert all(np.isfinite(rows).all() for rows in read)


def test_rounding_is_no_mistake_and_a_shape_is():
    rows = np.random.default_rng(0).normal(size=(N_RECORDS, 3))
    require_per_record("f", lambda x: x @ np.ones(3) + 1e-12 * x.sum(), rows)
    with pytest.raises(ValueError, match="one value for each record"):
        require_per_record("f", lambda x: x.sum(), rows)
    with pytest.raises(ValueError, match="one value for each record"):
        require_per_record("f", lambda x: x[:2], rows)
    with pytest.raises(ValueError, match="on its own"):
        require_per_record("f", lambda x: x[:, 0] + 1e-6 * x.sum(), rows)


def test_values_that_are_no_finite_numbers_are_like_themselves():
    records = np.linspace(-1.0, 1.0, 6)
    require_per_record("loss", lambda x: np.where(x > 0, np.nan, np.sign(x) * np.inf), records)
    with pytest.raises(ValueError, match="on its own"):
        require_per_record("loss", lambda x: np.where(x > x.mean(), np.nan, 0.0), records)
