"""DP-IHT on sparse matrices of features: what a dense array gives, without one. Seeds are fixed."""

from __future__ import annotations

import math
import tracemalloc
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy

from reference._validation import require_sparse_matrix
from reference.basic.sums import rounded_mean
from reference.clipping import clip_rows, clip_sparse_rows
from reference.losses import Huber, Linear, Logistic
from reference.privacy import Ledger, RecordingLedger
from reference.sparse.iterative_hard_thresholding import constants_for, private_hard_thresholding

pytestmark = pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


def drawn(n: int = 300, p: int = 40, seed: int = 0, scale: float = 1.0) -> Any:
    rng = np.random.default_rng(seed)
    features = np.where(rng.random((n, p)) < 0.1, scale * rng.standard_normal((n, p)), 0.0)
    features[3] = 0.0  # a record without entries
    return features, np.where(rng.random(n) < 0.5, 1.0, -1.0)


def csr(features: Any) -> Any:
    return scipy.sparse.csr_array(features)


def run(data: Any, loss: Any = Logistic(), **options: Any) -> Any:  # noqa: B008
    given = {"initial": np.zeros(np.shape(data[0])[-1]), "epsilon": 1.0, "delta": 1e-3}
    rest = {"sparsity": 3, "n_iterations": 4, "ledger": Ledger(7)}
    return private_hard_thresholding(data, loss, **{**given, **rest, **options})


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("loss", [Logistic(), Huber(2.0, threshold=0.5), Logistic(0.3, "l2")])
def test_any_format_gives_what_the_array_gives(form: str, loss: Any) -> None:
    features, labels = drawn(scale=3.0)  # most rows are cut down
    sparse = getattr(scipy.sparse, f"{form}_array")(features)
    # scores of 40 terms are rounded in another order: 40 2^-53, twice per step
    found = run((sparse, labels), loss)
    np.testing.assert_allclose(found, run((features, labels), loss), rtol=1e-13, atol=0)


def test_means_are_those_of_the_array_to_the_last_bit() -> None:
    features, labels = drawn(seed=1)
    weights = labels * np.random.default_rng(2).random(len(labels))
    for given in (None, weights):
        dense = rounded_mean(features, bound=4.0, weights=given)
        assert (rounded_mean(csr(features), bound=4.0, weights=given) == dense).all()


def test_scores_that_need_no_rounding_make_the_whole_run_the_same_to_the_last_bit() -> None:
    # one entry of 1/2 in a row: a score is one product
    rng = np.random.default_rng(3)
    features = np.zeros((200, 6))
    features[np.arange(200), rng.integers(6, size=200)] = 0.5
    labels = np.where(rng.random(200) < 0.3, 1.0, -1.0)
    assert (run((csr(features), labels)) == run((features, labels))).all()


def test_rows_are_clipped_as_those_of_an_array() -> None:
    features = drawn(scale=2.0)[0]
    features[5, :2] = 1e300  # its square overflows
    found = clip_sparse_rows(csr(features), 0.7).toarray()
    np.testing.assert_allclose(found, clip_rows(features, 0.7), rtol=1e-15)
    assert np.linalg.norm(found, axis=1).max() <= 0.7 * (1 + 1e-15)


def test_entries_are_clipped_where_the_bound_is_on_them() -> None:
    features, labels = drawn(scale=3.0)
    records = Logistic(0.5, "l-infinity").validate_sparse((csr(features), labels), 40)
    assert (records[0].toarray() == np.clip(features, -0.5, 0.5)).all()


def test_a_record_moves_the_gradient_by_no_more_than_claimed() -> None:
    features, labels = drawn(n=20, p=5, scale=9.0)
    features[0] = [80.0, 0, 0, 0, 0]
    other = -features[:1]
    values = []
    for first in (features[:1], other):
        ledger = RecordingLedger(0)
        data = csr(np.vstack([first, features[1:]])), np.r_[1.0, labels[1:]]
        run(data, Linear(), n_iterations=1, ledger=ledger)
        values.append(ledger.transcript.releases[0].value)
    claimed = constants_for(Linear(), n=20, epsilon=1.0, delta=0.1, n_iterations=1).sensitivity
    assert np.linalg.norm(values[0] - values[1]) == pytest.approx(claimed, rel=1e-12)


def test_entries_given_twice_are_one_entry() -> None:
    # each is within the bound, their sum is not
    twice = scipy.sparse.coo_array((np.full(2, 0.8), ([0, 0], [1, 1])), shape=(1, 2))
    rows = scipy.sparse.csr_array(
        (np.full(2, 0.8), np.ones(2, int), np.array([0, 2])), shape=(1, 2)
    )
    for matrix in (twice, rows):
        assert require_sparse_matrix("features", matrix).data.tolist() == [1.6]
        features, _ = Logistic().validate_sparse((matrix, [1.0]), 2)
        assert features.toarray().tolist() == [[0.0, 1.0]]
    assert rows.nnz == 2  # the caller's is as it was


def test_flags_of_the_caller_are_not_believed() -> None:
    rows = scipy.sparse.csr_array(
        (np.full(2, 0.8), np.ones(2, int), np.array([0, 2])), shape=(1, 2)
    )
    rows.has_sorted_indices = rows.has_canonical_format = True
    assert require_sparse_matrix("features", rows).data.tolist() == [1.6]


def test_no_array_of_all_entries_is_made() -> None:
    n, p = 2_000, 5_000  # 80 MB as an array
    rng = np.random.default_rng(4)
    features = scipy.sparse.random_array((n, p), density=0.0016, rng=rng, format="csr")
    tracemalloc.start()
    run((features, np.ones(n)), Linear(), n_iterations=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.05 * 8 * n * p


def another_loss() -> Any:
    """Return no LinearModelLoss, but what the algorithm asks of a loss."""
    names = ("convex", "lipschitz", "smoothness", "gradient_norm", "validate", "size", "gradient")
    return SimpleNamespace(**{name: getattr(Logistic(), name) for name in names})


def broken(indices: Any, pointers: Any) -> Any:
    matrix = scipy.sparse.csr_array(np.ones((2, 2)))
    matrix.indices, matrix.indptr = np.array(indices), np.array(pointers)
    return matrix


SPARSE = scipy.sparse.csr_array(np.ones((2, 2)))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"features": SPARSE * math.nan}, ValueError, "features must be finite"),
        ({"features": SPARSE * math.inf}, ValueError, "features must be finite"),
        (
            {"features": scipy.sparse.coo_array(([1e308, 1e308], ([0, 0], [0, 0])), shape=(2, 2))},
            ValueError,
            "features must be finite",
        ),
        ({"features": SPARSE * 1j}, TypeError, "features must be an array of real numbers"),
        ({"features": scipy.sparse.csr_array((2, 3))}, ValueError, "features must have shape"),
        ({"features": scipy.sparse.csr_array((0, 2))}, ValueError, "features must not be empty"),
        ({"features": scipy.sparse.coo_array(np.ones(2))}, ValueError, r"must have 2 dimension"),
        ({"features": broken([0, 1, 0, 2], [0, 2, 4])}, ValueError, "whose indices fit"),
        ({"features": broken([0, 1, 0, -1], [0, 2, 4])}, ValueError, "whose indices fit"),
        ({"features": broken([0, 1, 0, 1], [0, 5, 4])}, ValueError, "whose indices fit"),
        ({"labels": [1.0]}, ValueError, "labels must have shape"),
        ({"labels": [1.0, math.nan]}, ValueError, "labels must be finite"),
        ({"labels": [1.0, 0.0]}, ValueError, "labels must be -1 or 1"),
        ({"labels": csr([[1.0, 1.0]])}, TypeError, "toarray"),
        (
            {"loss": another_loss()},
            TypeError,
            "unless the loss is one of a linear model, got csr_array",
        ),
    ],
)
def test_bad_input_is_refused_before_any_release(change: Any, error: Any, message: str) -> None:
    ledger = Ledger(0)
    given = {"features": SPARSE, "labels": np.array([1.0, -1.0]), "loss": Logistic(), **change}
    data = given["features"], given["labels"]
    with pytest.raises(error, match=message):
        run(data, given["loss"], initial=np.zeros(2), sparsity=1, ledger=ledger)
    assert len(ledger.transcript) == 0


def test_a_matrix_without_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="features must not be empty"):
        require_sparse_matrix("features", scipy.sparse.csr_array((2, 0)))
