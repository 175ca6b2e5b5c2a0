"""What the five private EM algorithms of the gradient-EM paper have in common."""

from typing import Any

import numpy as np
import pytest

from reference.em import full_data_gradient_em as full
from reference.em import local_gradient_em as local
from reference.em import split_gradient_em as split
from reference.em.clipped_gradient_em import clipped_gradient_em
from reference.em.em import expectation_maximisation
from reference.em.full_data_gradient_em import full_data_gradient_em
from reference.em.gradient_em import gradient_em
from reference.em.local_gradient_em import local_gradient_em
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.em.private_em import private_em
from reference.em.split_gradient_em import split_gradient_em
from reference.heavy_tailed.truncation import smoothed_truncation
from reference.privacy import Ledger, NoiselessLedger

T, START = 3, np.array([0.8, 0.1])
CLAIM: dict[str, Any] = {"initial": START, "epsilon": 0.9, "delta": 1e-5}
MODELS: dict[str, LatentModel] = {
    "mixture": GaussianMixture(1.0),
    "regressions": MixtureOfRegressions(1.0),
    "missing": MissingCovariates(1.0, 0.3),
}
# at 1e7 times the gradients and more: relative bias below 1e-12
UNTRUNCATED = {"second_moment": 1e20, "failure_probability": 0.05}
GRADIENT_EM: dict[Any, dict[str, float]] = {
    clipped_gradient_em: {"clipping_threshold": 1e10},
    split_gradient_em: UNTRUNCATED,
    local_gradient_em: UNTRUNCATED,
    full_data_gradient_em: UNTRUNCATED,
}
SPLITS = [split_gradient_em, local_gradient_em]


def draw(name: str) -> np.ndarray:
    return MODELS[name].sample(np.array([1.0, 0.5]), 60, np.random.default_rng(0))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("algorithm", GRADIENT_EM)
def test_without_noise_and_truncation_it_is_gradient_em(algorithm: Any, name: str) -> None:
    data, model, beta = draw(name), MODELS[name], START
    for step in range(T):
        read = data[20 * step : 20 * (step + 1)] if algorithm in SPLITS else data
        beta = gradient_em(read, model, initial=beta, step_size=0.5, n_iterations=1)
    arguments = {**CLAIM, **GRADIENT_EM[algorithm], "step_size": 0.5, "n_iterations": T}
    found = algorithm(data, model, **arguments, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, beta, rtol=1e-10)


def test_without_noise_and_truncation_the_last_is_em() -> None:
    data, model = draw("mixture"), MODELS["mixture"]
    found = private_em(
        data, model, **CLAIM, **UNTRUNCATED, n_iterations=T, ledger=NoiselessLedger()
    )
    expected = expectation_maximisation(data, model, initial=START, n_iterations=T)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("algorithm", "module", "n"),
    [
        (split_gradient_em, split, 3),  # blocks of one record; the third is left over
        (local_gradient_em, local, 3),
        (full_data_gradient_em, full, 2),
    ],
)
def test_two_truncated_steps_by_hand(algorithm: Any, module: Any, n: int) -> None:
    y, beta = np.array([2.0, -30.0, 1e9])[:n], 0.5
    claim = {"epsilon": 0.9, "delta": 1e-5, "second_moment": 2.0, "failure_probability": 0.05}
    c = module.constants_for(n=n, dimension=1, n_iterations=2, **claim)
    for step in range(2):
        read = y[step : step + 1] if algorithm in SPLITS else y
        gradients = np.tanh(beta * read) * read - beta
        psi = smoothed_truncation(gradients, scale=c.truncation_scale, precision=c.precision)
        beta += 0.7 * float(psi.mean())
    arguments = {**claim, "initial": [0.5], "step_size": 0.7, "n_iterations": 2}
    found = algorithm(y[:, None], GaussianMixture(1.0), **arguments, ledger=NoiselessLedger())
    assert found[0] == pytest.approx(beta, rel=1e-12)


@pytest.mark.parametrize("algorithm", SPLITS)
def test_more_blocks_than_records_are_refused(algorithm: Any) -> None:
    ledger, arguments = Ledger(0), {**CLAIM, **UNTRUNCATED, "step_size": 0.5}
    with pytest.raises(ValueError, match="n_iterations must be an integer >= 1 and <= 60, got 61"):
        algorithm(draw("mixture"), MODELS["mixture"], **arguments, n_iterations=61, ledger=ledger)
    assert not ledger.transcript.entries
