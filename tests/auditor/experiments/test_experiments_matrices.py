"""The experiments of chapter 6: data, errors by hand, curves. Seeds are fixed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from auditor.described.data.sparse_covariances import block, block_signs
from auditor.experiments import matrices_covariance as covariance
from auditor.experiments import matrices_pca as pca
from auditor.experiments import matrices_precision as precision
from reference._validation import FloatArray
from reference.matrices.covariance_thresholding import covariance_thresholding
from reference.matrices.second_moments import second_moment
from reference.matrices.wishart_covariance_perturbation_approximate import constants_for
from reference.privacy.ledger import Ledger, NoiselessLedger

# ---------------------------------------------------------------------- principal subspaces


def test_subspace_distance_by_hand() -> None:
    line = np.array([[0.6], [0.8]])
    # 2 sin^2 = 2 * 16/25
    assert pca.distance(line, np.array([[1.0], [0.0]])) == pytest.approx(math.sqrt(32 / 25))
    assert pca.distance(-line, line) == pytest.approx(0)
    assert pca.distance(np.eye(4)[:, 2:], np.eye(4)[:, :2]) == pytest.approx(2)  # sqrt(2k)


def test_a_random_subspace_is_at_chance() -> None:
    rng = np.random.default_rng(0)
    drawn = [pca.distance(pca.random_basis(40, 5, rng), np.eye(40)[:, :5]) for _ in range(200)]
    # sqrt(10 * 7/8); the deviation of one is about .06, of the mean .004
    assert np.mean(drawn) == pytest.approx(math.sqrt(8.75), abs=0.03)


def test_the_papers_data_have_the_printed_covariance() -> None:
    setting = pca.PCASetting(n=200_000, p=5, k=2, epsilon=1.0, delta=0.1, s=3)
    records, truth = pca.spiked_gaussian(setting, np.random.default_rng(1))
    expected = (truth @ truth.T + np.eye(5)) / 50
    # an entry of the mean deviates by at most sqrt 2/25/sqrt(200,000) = 1.3e-4
    assert records.T @ records / 200_000 == pytest.approx(expected, abs=6.5e-4)
    assert np.count_nonzero(np.any(truth != 0, axis=1)) == 3
    assert truth.T @ truth == pytest.approx(np.eye(2))


@pytest.mark.parametrize("draw", [pca.spheres, pca.spiked])
def test_the_other_data_have_norm_one(draw: pca.DrawSubspace) -> None:
    setting = pca.PCASetting(n=50, p=6, k=1, epsilon=1.0, delta=0.1, s=2)
    records, truth = draw(setting, np.random.default_rng(2))
    assert np.linalg.norm(records, axis=1) == pytest.approx(np.ones(50))
    assert truth.T @ truth == pytest.approx(np.eye(1))


def test_settings_of_one_law_share_their_users() -> None:
    drawn = []

    def draw(setting: pca.PCASetting, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        drawn.append(setting)
        return pca.spheres(setting, rng)

    base = pca.PCASetting(n=100, p=6, k=2, epsilon=50.0, delta=0.1)
    others = [replace(base, n=3_000), replace(base, epsilon=1.0), replace(base, p=7)]
    found = pca.along(pca.dense_errors, draw, [base, *others], np.random.default_rng(3))
    assert [(one.n, one.p) for one in drawn] == [(3_000, 6), (3_000, 7)]
    assert found[pca.PCA].shape == (4,)
    assert found[pca.PCA][1] < found[pca.PCA][0] < found[pca.PCA][2]


def test_sparse_pca_beats_pca_where_p_is_large() -> None:
    setting = pca.PCASetting(n=20_000, p=80, k=1, epsilon=4.0, delta=1e-4, s=2)
    rng = np.random.default_rng(4)
    found = pca.along(pca.sparse_errors, pca.spiked, [setting], rng)
    assert found[pca.SMALLER][0] < found[pca.SPARSE][0] < found[pca.PCA][0] < found[pca.RANDOM][0]


@pytest.mark.parametrize(
    ("name", "shape"), [("digits", (1797, 61)), ("breast_cancer", (569, 30)), ("wine", (178, 13))]
)
def test_stand_ins_have_rows_of_norm_one(name: str, shape: tuple[int, int]) -> None:
    records = pca.standardised(name)
    assert records.shape == shape
    assert np.linalg.norm(records, axis=1) == pytest.approx(np.ones(shape[0]))


def test_on_a_stand_in_much_epsilon_finds_the_subspace_without_noise() -> None:
    found = pca.on_stand_in("wine", (0.1, 10_000.0), np.random.default_rng(13))
    assert found[pca.PCA][1] < 0.2 < found[pca.PCA][0]


def test_the_noise_hides_the_printed_gap_only() -> None:
    rng = np.random.default_rng(5)
    assert pca.noise_over_gap(pca.PRINTED, 1 / 400, rng).met == "not met"
    assert pca.noise_over_gap(pca.SPIKE, 0.9, rng).met == "met"


# ------------------------------------------------------------------------ sparse covariance


def test_relative_error_of_a_covariance_by_hand() -> None:
    truth = np.array([[2.0, 0.0], [0.0, 1.0]])
    moment = np.array([[2.0, 0.5], [0.5, 1.0]])
    constants = replace(covariance.central(100, 2, 1.0), threshold=0.4)
    error = partial(covariance.relative_error, moment, truth, ledger=NoiselessLedger())
    for norm in (covariance.spectral, covariance.largest_column):
        assert error(constants=constants, norm=norm) == pytest.approx(0.5 / 2)
        # all cut off: the zero matrix
        assert error(constants=replace(constants, threshold=3.0), norm=norm) == 1.0


def test_norms_by_hand() -> None:
    matrix = np.array([[3.0, -4.0], [0.0, 0.0]])
    assert covariance.spectral(matrix) == pytest.approx(5.0)
    assert covariance.largest_column(matrix) == 4.0


def test_the_error_is_that_of_the_algorithm() -> None:
    records = np.random.default_rng(6).standard_normal((300, 3))
    truth, constants = np.diag([0.5, 0.3, 0.2]), covariance.central(300, 3, 2.0)
    given = {"constants": constants, "ledger": Ledger(7)}
    found = covariance_thresholding(records, epsilon=2.0, delta=1 / 300, **given)
    given = {"constants": constants, "ledger": Ledger(7), "norm": covariance.spectral}
    error = covariance.relative_error(second_moment(records), truth, **given)
    assert error == covariance.spectral(found.positive - truth) / 0.5


def test_the_local_noise_is_root_n_times_the_central() -> None:
    one, other = covariance.central(400, 5, 1.0), covariance.local(400, 5, 1.0)
    assert other.noise_scale == pytest.approx(20 * one.noise_scale)
    assert other.threshold > one.threshold


def test_cut_rows_leave_nothing_and_others_something() -> None:
    curves = {"U": covariance.CovarianceCurve(p=40)}
    rng = np.random.default_rng(8)
    found = covariance.printed_errors(
        covariance.central, covariance.spectral, curves, (1_000, 4_000), rng
    )
    assert found["U"] == pytest.approx([1.0, 1.0], abs=0.05)
    assert found[f"U, {covariance.NOT_CUT}"].max() < 0.5
    assert all(condition.met == "not met" for condition in covariance.norms(rng))


def test_on_blocks_the_error_falls() -> None:
    curves = {"s": covariance.CovarianceCurve(p=20, sparsity=3)}
    found = covariance.block_errors(
        covariance.local, covariance.spectral, curves, (1_000, 10**7), np.random.default_rng(9)
    )
    assert found["s"][1] < 0.05 < 1 <= found["s"][0]
    # two records have the second moment of any number
    exact = second_moment(block_signs(np.random.default_rng(9), 2, block(5, 1, 0.5)))
    assert exact == pytest.approx(block(5, 1, 0.5), abs=1e-9)


# ------------------------------------------------------------------------- precision matrix


def test_relative_error_of_a_precision_matrix_by_hand() -> None:
    estimate = np.array([[3.0, 1.0], [1.0, 6.0]])
    # sqrt(1 + 1 + 4)/5
    found = precision.relative_error(estimate, np.diag([3.0, 4.0]))
    assert found == pytest.approx(math.sqrt(6) / 5)


def test_records_in_the_ball_have_the_sparse_precision_matrix() -> None:
    setting = precision.PrecisionSetting(n=200_000, d=4)
    records, truth = precision.in_the_ball(setting, np.random.default_rng(10))
    assert np.linalg.norm(records, axis=1).max() <= 1 + 1e-12
    found = np.asarray(np.linalg.inv(records.T @ records / len(records)), dtype=np.float64)
    # entries of the whitened mean deviate by 1/sqrt(200,000) = .0022
    assert precision.relative_error(found, truth) < 0.03
    assert np.count_nonzero(truth) < truth.size
    normalised = precision.normalised_gaussian(setting, np.random.default_rng(10))
    assert np.linalg.norm(normalised, axis=1) == pytest.approx(np.ones(200_000))


def test_the_factor_is_sparse_and_has_an_inverse() -> None:
    for seed in range(20):
        factor = precision.sparse_factor(7, np.random.default_rng(seed))
        assert set(np.unique(factor)) <= {-1.0, 0.0, 1.0}
        assert np.count_nonzero(factor) == 10
        assert np.linalg.det(factor) == pytest.approx(1.0)


def test_more_records_help_the_central_more_than_the_local() -> None:
    settings = [precision.PrecisionSetting(n=n, d=3) for n in (1_000, 50_000)]
    found = precision.over(settings, np.random.default_rng(11))
    assert list(found) == [*precision.NOISY, precision.ZERO]
    assert found[precision.ZERO].tolist() == [1.0, 1.0]
    central, local = found[precision.GAUSSIAN], found[precision.LOCAL]
    assert central[1] < central[0] / 10
    assert (central < local).all()
    assert found[precision.OUTPUT][1] > found[precision.LAPLACE][1]


def test_without_privacy_the_law_is_found_up_to_the_penalty() -> None:
    setting = precision.PrecisionSetting(n=100_000, d=3, penalty=1e-4)
    found = precision.to_the_law([setting], np.random.default_rng(12))
    assert found[precision.LASSO][0] < 0.05
    assert set(found) == {*precision.NOISY, precision.LASSO}


def test_wishart_noise_on_few_records_leaves_nearly_nothing() -> None:
    few = replace(precision.PRINTED, n=10, epsilon=0.5)
    records = precision.normalised_gaussian(few, np.random.default_rng(14))
    found = precision.estimates(records, few, np.random.default_rng(15))
    certified = constants_for(n=10, dimension=20, epsilon=0.5, delta=0.01)
    means = {
        precision.WISHART: certified.degrees * certified.noise_scale,
        precision.PRINTED_WISHART: 21 * 3 / (2 * 10 * 0.5),
    }
    for name, mean in means.items():
        # diag(Theta^-1) = diag(S + N) + rho; the mean of 20 of N deviates by .43 at most
        inverse = np.diag(np.linalg.inv(found[name]))
        assert inverse.mean() == pytest.approx(1 / 20 + mean + few.penalty, abs=2.2)
        assert precision.relative_error(found[name], found[precision.LASSO]) == pytest.approx(
            1, abs=0.05
        )


def test_the_wishart_columns_are_those_of_the_two_theorems() -> None:
    one = precision.PrecisionSetting(n=300, d=3, epsilon=1.0, delta=0.01, penalty=0.05)
    records, _ = precision.in_the_ball(one, np.random.default_rng(16))
    # what stands before them draws as much as it does alone
    calls = []

    class Watched(Ledger):
        def wishart(self, value: FloatArray, **claimed: float) -> FloatArray:
            calls.append(claimed)
            return super().wishart(value, **claimed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(precision, "Ledger", Watched)
        precision.estimates(records, one, np.random.default_rng(17))
    certified, printed = calls
    assert certified["scale"] == pytest.approx(1 / 300)
    assert certified["degrees"] > 4
    assert printed["degrees"] == 4
    assert printed["scale"] == pytest.approx(3 / 600)
