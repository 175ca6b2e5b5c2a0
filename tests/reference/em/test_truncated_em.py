"""EM with truncated gradients, sparse and dense: the frameworks (zhang-2, 4) and their instances.

The settings of each say what it gives without noise.
"""

import math
from typing import Any

import numpy as np
import pytest

from reference.em import dense_em as dense
from reference.em.dense_em_missing import dense_em_missing
from reference.em.dense_em_regressions import dense_em_regressions
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.em.sparse_em import sparse_em
from reference.em.sparse_em_missing import sparse_em_missing
from reference.em.sparse_em_mixture import sparse_em_mixture
from reference.em.sparse_em_regressions import sparse_em_regressions
from reference.errata.em import dense_em_missing as dense_em_missing_errata
from reference.errata.em import dense_em_regressions as dense_em_regressions_errata
from reference.errata.em import sparse_em_missing as sparse_em_missing_errata
from reference.errata.em import sparse_em_mixture as sparse_em_mixture_errata
from reference.errata.em import sparse_em_regressions as sparse_em_regressions_errata
from reference.errata.em.models import (
    PrintedDoubledRegressions,
    PrintedMixture,
    UnclippedMissingCovariates,
)
from reference.errata.em.sparse_em import sparse_em_with_printed_noise
from reference.errata.privacy.calibration import printed_gaussian_scale
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_delta, zcdp_epsilon

START, TRUTH = np.array([0.9, 0.0, 0.4, 0.0]), np.array([1.0, 0.0, 0.5, 0.0])
MODELS: dict[str, LatentModel] = {
    "mixture": GaussianMixture(0.5),
    "regressions": MixtureOfRegressions(0.5),
    "missing": MissingCovariates(0.5, 0.2),
}
PRINTED: dict[str, LatentModel] = {
    "mixture": PrintedMixture(0.5),
    "regressions": PrintedDoubledRegressions(0.5),
    "missing": UnclippedMissingCovariates(0.5),
}
DATA = {name: model.sample(TRUTH, 62, np.random.default_rng(0)) for name, model in MODELS.items()}
CLAIM: dict[str, Any] = {
    "initial": START, "epsilon": 0.9, "delta": 1e-5, "truncation_level": 2.0, "n_iterations": 3
}  # fmt: skip
SPARSE: dict[Any, dict[str, Any]] = {sparse_em: {"sparsity": 2}, dense.dense_em: {}}


def estimate(function: Any, name: str = "mixture", **changes: Any) -> np.ndarray:
    given = {"model": MODELS[name], **CLAIM, **SPARSE.get(function, SPARSE[sparse_em])}
    return function(DATA[name], **{**given, "step_size": 0.7, "ledger": Ledger(1), **changes})


def releases(function: Any, name: str = "mixture", **changes: Any) -> Any:
    ledger = RecordingLedger(1)
    estimate(function, name, ledger=ledger, **changes)
    return ledger.transcript.releases


# ---------------------------------------------------------------------------------- the noise


@pytest.mark.parametrize("delta", [0.1, 1e-5])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0, 50.0])
def test_the_noise_is_that_of_the_claim_for_every_epsilon(epsilon: float, delta: float) -> None:
    given: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "truncation_level": 2.0}
    given |= {"n": 62, "dimension": 3, "step_size": 0.7, "n_iterations": 3}
    exact = dense.constants_for(MODELS["mixture"], **given)
    by_zcdp = dense.constants_for(MODELS["mixture"], **given, method="zcdp")
    assert exact.sensitivity == by_zcdp.sensitivity == pytest.approx(0.7 * math.sqrt(3) * 4 / 20)
    mu, root = (c.sensitivity / c.noise_scale for c in (exact, by_zcdp))
    assert gaussian_dp_delta(mu, epsilon) == pytest.approx(delta, rel=1e-6)
    assert zcdp_epsilon(root**2 / 2, delta) == pytest.approx(epsilon)
    assert by_zcdp.noise_scale > exact.noise_scale


def test_the_classical_noise_fails_from_the_thresholds_of_the_erratum() -> None:
    def true_delta(epsilon: float, delta: float, at: float) -> float:
        return gaussian_dp_delta(1 / printed_gaussian_scale(epsilon, delta, sensitivity=1.0), at)

    for delta, threshold in ((0.1, 5.743), (1e-2, 6.772), (1e-5, 8.420), (1e-8, 9.374)):
        for epsilon, holds in ((threshold - 0.01, True), (threshold + 0.01, False), (1.0, True)):
            assert (true_delta(epsilon, delta, epsilon) <= delta) is holds
    # the card: true epsilon .751 of 1 at delta = 1e-5
    assert true_delta(1.0, 1e-5, 0.751) == pytest.approx(1e-5, rel=0.05)
    # at (8, .1), as in the audit
    assert true_delta(8.0, 0.1, 8.0) == pytest.approx(0.236, abs=5e-4)


def test_the_printed_noise_is_too_small_where_its_guarantee_fails() -> None:
    # s = 4 > (4/3) log(1/0.1) and epsilon = 60 > 0.418 log(1/0.1): pure DP needs 3 s lambda/60
    options = {"epsilon": 60.0, "delta": 0.1, "sparsity": 4}
    corrected, printed = (
        releases(function, **options)[0] for function in (sparse_em, sparse_em_with_printed_noise)
    )
    paper = printed.claim.sensitivity * 2 * math.sqrt(12 * math.log(10)) / 60
    assert printed.mechanism.scale == pytest.approx(paper)
    assert corrected.mechanism.scale == pytest.approx(corrected.claim.sensitivity * 12 / 60)
    assert corrected.mechanism.scale > 1.1 * paper


def test_the_noise_is_clipped_where_the_sensitivity_needs_it() -> None:
    # 4T^2 = 1; draws of 1e6 scales on every value
    low = {"truncation_level": 0.5, "n_iterations": 1}
    loud = {
        sparse_em: [np.zeros(4), np.zeros(4), 1e6, 1e6],
        dense.dense_em: [np.full(4, 1e6)],
    }
    for function, draws in loud.items():
        found = estimate(function, "missing", **low, ledger=GivenDrawsLedger(draws))
        assert set(found) <= {0.0, 1.0}
        assert found.any()
        wild = {"initial": [8.0, 0.0, -3.0, 0.0], "ledger": NoiselessLedger(), **low}
        assert np.abs(estimate(function, "missing", **wild)).max() <= 1
        assert np.abs(estimate(function, "missing", **wild, model=PRINTED["missing"])).max() > 1


# ------------------------------------------------------------------ the instances, as printed too


@pytest.mark.parametrize(
    ("name", "framework", "algorithm", "printed"),
    [
        ("mixture", sparse_em, sparse_em_mixture, sparse_em_mixture_errata.printed),
        ("regressions", sparse_em, sparse_em_regressions, sparse_em_regressions_errata.printed),
        ("missing", sparse_em, sparse_em_missing, sparse_em_missing_errata.printed),
        (
            "regressions",
            dense.dense_em,
            dense_em_regressions,
            dense_em_regressions_errata.printed,
        ),
        ("missing", dense.dense_em, dense_em_missing, dense_em_missing_errata.printed),
    ],
)
def test_an_instance_is_the_framework_with_its_model(
    name: str, framework: Any, algorithm: Any, printed: Any
) -> None:
    given = {**CLAIM, **SPARSE[framework], "standard_deviation": 0.5}
    found = algorithm(DATA[name], step_size=0.7, ledger=Ledger(1), **given)
    np.testing.assert_array_equal(found, estimate(framework, name))
    ledger = RecordingLedger(1)
    printed(DATA[name], ledger=ledger, **given)
    mine, right = (
        found[0]
        for found in (
            ledger.transcript.releases,
            releases(framework, name, model=PRINTED[name], step_size=1.0),
        )
    )
    assert mine.claim.sensitivity == pytest.approx(right.claim.sensitivity)
    np.testing.assert_allclose(mine.value, right.value, rtol=1e-12)
    if framework is sparse_em:  # at these parameters Lemma 3.1's noise is ours
        assert mine.mechanism.scale == right.mechanism.scale
    else:  # the classical Gaussian mechanism
        classical = mine.claim.sensitivity * math.sqrt(2 * math.log(1.25e5)) / 0.9
        assert mine.mechanism.scale == pytest.approx(classical)


def test_the_printed_regression_doubles_the_noise() -> None:
    corrected, printed = (
        releases(sparse_em, "regressions", model=models["regressions"])[0]
        for models in (MODELS, PRINTED)
    )
    assert printed.claim.sensitivity == pytest.approx(2 * corrected.claim.sensitivity)
    assert printed.mechanism.scale == pytest.approx(2 * corrected.mechanism.scale)


@pytest.mark.parametrize(
    ("function", "changes", "message"),
    [
        (sparse_em, {"sparsity": 5}, "sparsity must be an integer >= 1 and <= 4, got 5"),
        (sparse_em, {"sparsity": 1}, "initial must have at most sparsity = 1 entries that are not"),
        (sparse_em, {"n_iterations": 63}, "n_iterations must be an integer >= 1 and <= 62, got 63"),
        (dense.dense_em, {"n_iterations": 63}, "n_iterations must be an integer >= 1 and <= 62"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    function: Any, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        estimate(function, **changes)
