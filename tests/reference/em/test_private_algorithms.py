"""What the five private EM algorithms of the gradient-EM paper have in common."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from reference.em import clipped_gradient_em as clipped
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
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.accounting import compositions
from reference.privacy.guarantees import zcdp_rho

T, START = 3, np.array([0.8, 0.1])
MODELS: dict[str, LatentModel] = {
    "mixture": GaussianMixture(1.0),
    "regressions": MixtureOfRegressions(1.0),
    "missing": MissingCovariates(1.0, 0.3),
}
DATA = {
    name: model.sample(np.array([1.0, 0.5]), 60, np.random.default_rng(0))
    for name, model in MODELS.items()
}


@dataclass(frozen=True)
class Algorithm:
    """One of the five, with what differs between them."""

    function: Callable[..., Any]
    constants_for: Callable[..., Any]
    constants_of: type
    own: dict[str, Any]
    scales: dict[str, int]
    """Parameters in units of the gradient, with their power of it."""
    splits: bool = False

    @property
    def sizes(self) -> dict[str, int]:
        """What its constants depend on besides its parameters."""
        return {"n": 60} if self.function is clipped_gradient_em else {"n": 60, "dimension": 2}

    def __call__(self, name: str = "mixture", data: Any = None, **changes: Any) -> Any:
        """Run it."""
        arguments = {
            "model": MODELS[name],
            "initial": START,
            "epsilon": 0.9,
            "delta": 1e-5,
            "n_iterations": T,
            "ledger": Ledger(1),
            **self.own,
        }
        return self.function(DATA[name] if data is None else data, **{**arguments, **changes})

    def constants(self, **changes: Any) -> Any:
        """Compute its constants."""
        own = {key: value for key, value in self.own.items() if key != "step_size"}
        arguments = {**self.sizes, "epsilon": 0.9, "delta": 1e-5, "n_iterations": T, **own}
        return self.constants_for(**{**arguments, **changes})


SMOOTHED = {"second_moment": 2.0, "failure_probability": 0.05}
STEPS = {**SMOOTHED, "step_size": 0.5}
TAU = {"second_moment": 2}
ALGORITHMS = {
    "clipped": Algorithm(
        clipped_gradient_em,
        clipped.constants_for,
        clipped.Constants,
        {"clipping_threshold": 1.0, "step_size": 0.5},
        {"clipping_threshold": 1},
    ),
    "split": Algorithm(
        split_gradient_em, split.constants_for, split.Constants, STEPS, TAU, splits=True
    ),
    "local": Algorithm(
        local_gradient_em, local.constants_for, split.Constants, STEPS, TAU, splits=True
    ),
    "full": Algorithm(full_data_gradient_em, full.constants_for, split.Constants, STEPS, TAU),
    "em": Algorithm(private_em, full.constants_for, split.Constants, SMOOTHED, TAU),
}
EVERY = pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS)
ON_EVERY_MODEL = pytest.mark.parametrize(
    ("algorithm", "name"),
    [
        pytest.param(algorithm, name, id=f"{key}-{name}")
        for key, algorithm in ALGORITHMS.items()
        for name in MODELS
        if key != "em" or name == "mixture"
    ],
)


@ON_EVERY_MODEL
@pytest.mark.parametrize("epsilon", [0.1, 0.9, 6.0])
def test_spends_all_that_is_claimed(algorithm: Algorithm, name: str, epsilon: float) -> None:
    ledger = Ledger(2)
    algorithm(name, epsilon=epsilon, ledger=ledger)
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(epsilon, rel=1e-6)
    # the papers' noise: rho-zCDP, which costs less than its conversion says
    ledger = Ledger(2)
    constants = algorithm.constants(epsilon=epsilon, method="zcdp")
    algorithm(name, epsilon=epsilon, constants=constants, ledger=ledger)
    rho = max(profile.rho for profile in compositions(ledger.transcript.charges))
    assert rho == pytest.approx(zcdp_rho(epsilon, 1e-5), rel=1e-12)
    assert ledger.spent(delta=1e-5).epsilon < epsilon


@EVERY
def test_releases_are_those_of_the_constants(algorithm: Algorithm) -> None:
    constants = algorithm.constants()
    for given in ({}, {"constants": constants}):
        ledger = RecordingLedger(3)
        algorithm(ledger=ledger, **given)
        assert len(ledger.transcript.releases) == T
        for step, release in enumerate(ledger.transcript.releases):
            assert release.mechanism.scale == pytest.approx(constants.noise_scale, rel=1e-12)
            assert release.claim.sensitivity == pytest.approx(constants.sensitivity, rel=1e-12)
            block = slice(20 * step, 20 * (step + 1))
            assert release.claim.records == (block if algorithm.splits else None)


@EVERY
def test_noise_enters_the_last_step_in_every_coordinate(algorithm: Algorithm) -> None:
    per_user = (20, 2) if algorithm.function is local_gradient_em else (2,)
    zero, one = np.zeros(per_user), np.broadcast_to([1.0, -2.0], per_user)
    quiet = algorithm(ledger=GivenDrawsLedger([zero] * T))
    loud = algorithm(ledger=GivenDrawsLedger([zero] * (T - 1) + [one]))
    size = algorithm.own.get("step_size", 1.0) * algorithm.constants().noise_scale
    np.testing.assert_allclose(loud - quiet, size * np.array([1.0, -2.0]))
    first = algorithm(ledger=GivenDrawsLedger([one] + [zero] * (T - 1)))
    assert np.abs(first - quiet).max() > 1e-3


@ON_EVERY_MODEL
def test_limit_without_noise_and_truncation(algorithm: Algorithm, name: str) -> None:
    data, model, beta = DATA[name], MODELS[name], START
    for step in range(T):
        read = data[20 * step : 20 * (step + 1)] if algorithm.splits else data
        if algorithm.function is private_em:
            beta = expectation_maximisation(read, model, initial=beta, n_iterations=1)
        else:
            beta = gradient_em(read, model, initial=beta, step_size=0.5, n_iterations=1)
    # truncation at 1e7 times the gradients and more: relative bias below 1e-12
    far = {key: 1e10**power for key, power in algorithm.scales.items()}
    found = algorithm(name, ledger=NoiselessLedger(), **far)
    np.testing.assert_allclose(found, beta, rtol=1e-10)


@ON_EVERY_MODEL
def test_scale_equivariance(algorithm: Algorithm, name: str) -> None:
    data = DATA[name].copy()
    if name == "mixture":
        data *= 1024
    else:
        data[:, -1] *= 1024
    scaled = algorithm(
        name,
        data=data,
        model=type(MODELS[name])(1024.0),
        initial=1024 * START,
        **{key: algorithm.own[key] * 1024**power for key, power in algorithm.scales.items()},
    )
    if algorithm.function is clipped_gradient_em and name != "mixture":
        return  # nothing that clips whole gradients has this symmetry in y alone
    np.testing.assert_allclose(scaled, 1024 * algorithm(name), rtol=1e-11)


@EVERY
def test_records_may_be_permuted_within_what_a_step_reads(algorithm: Algorithm) -> None:
    rng, data = np.random.default_rng(3), DATA["mixture"]
    plain = algorithm(ledger=NoiselessLedger())
    within = np.concatenate([20 * t + rng.permutation(20) for t in range(T)])
    # y and -y are the same record
    mirrored = data[within] * rng.choice([-1.0, 1.0], size=(60, 1))
    np.testing.assert_allclose(
        algorithm(data=mirrored, ledger=NoiselessLedger()), plain, rtol=1e-12
    )
    across = np.roll(np.arange(60), 20)
    moved = np.abs(algorithm(data=data[across], ledger=NoiselessLedger()) - plain).max()
    assert moved > 1e-6 if algorithm.splits else moved < 1e-12


@ON_EVERY_MODEL
def test_no_record_fails_or_moves_a_step_beyond_the_claim(algorithm: Algorithm, name: str) -> None:
    width = DATA[name].shape[1]
    rows = [[1e308, 1e308, -1e308], [1e6, 1e6, 1e12], [1e6, -1e6, 0.0], [5e-324] * 3]
    if name == "missing":
        rows += [[math.nan, math.nan, 1e308], [math.nan, 1e308, 0.0], [math.nan] * 2 + [0.0]]
    plain = RecordingLedger(7)
    algorithm(name, ledger=plain)
    mine = plain.transcript.releases[0]
    for row in rows:
        data, ledger = DATA[name].copy(), RecordingLedger(7)
        data[3] = row[-width:]
        assert np.isfinite(algorithm(name, data=data, ledger=ledger)).all()
        theirs = ledger.transcript.releases[0]
        moved = np.linalg.norm(mine.value - theirs.value)
        assert moved <= mine.claim.sensitivity * (1 + 1e-12)


@EVERY
def test_input_is_not_changed_and_types_are_accepted(algorithm: Algorithm) -> None:
    data, start = DATA["mixture"].copy(), START.copy()
    algorithm(data=data, initial=start)
    np.testing.assert_array_equal(data, DATA["mixture"])
    np.testing.assert_array_equal(start, START)
    single = algorithm(data=data.astype(np.float32))
    np.testing.assert_allclose(single, algorithm(), atol=1e-4)
    assert single.dtype == np.float64
    assert algorithm(ledger=None, initial=[0.8, 0.1]).shape == (2,)


# --------------------------------------------------------------------------------- bad input

BAD_VALUES = [
    ({"epsilon": -1.0}, "epsilon must be a finite number > 0, got -1.0"),
    ({"epsilon": math.inf}, "epsilon must be a finite number > 0, got inf"),
    ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
    ({"clipping_threshold": -1.0}, "clipping_threshold must be a finite number > 0, got -1.0"),
    ({"second_moment": 0.0}, "second_moment must be a finite number > 0, got 0.0"),
    ({"failure_probability": 0.0}, r"failure_probability must be in \(0, 1\), got 0.0"),
    ({"failure_probability": 1.0}, r"failure_probability must be in \(0, 1\), got 1.0"),
    ({"step_size": math.nan}, "step_size must be a finite number > 0, got nan"),
    ({"n_iterations": 0}, "n_iterations must be an integer >= 1"),
    ({"initial": [[0.8, 0.1]]}, "initial must have 1 dimension"),
    ({"initial": [0.8, math.nan]}, "initial must be finite"),
    ({"data": DATA["mixture"][:, :1]}, r"data must have shape \('any', 2\), got \(60, 1\)"),
    ({"data": DATA["mixture"][:0]}, "data must not be empty"),
    ({"data": [[math.nan, 0.0]]}, "data must be finite"),
]


def refused(
    algorithm: Algorithm, error: type[Exception], message: str, changes: dict[str, Any]
) -> None:
    ledger = Ledger(0)
    with pytest.raises(error, match=message) as caught:
        algorithm(ledger=ledger, **changes)
    assert "\n" not in str(caught.value)
    assert not ledger.transcript.entries


@pytest.mark.parametrize(
    ("algorithm", "changes", "message"),
    [
        pytest.param(algorithm, changes, message, id=f"{key}-{next(iter(changes))}")
        for key, algorithm in ALGORITHMS.items()
        for changes, message in BAD_VALUES
        if {*changes} & {"epsilon", "delta", "n_iterations", "initial", "data", *algorithm.own}
    ],
)
def test_bad_values_are_refused_before_any_release(
    algorithm: Algorithm, changes: dict[str, Any], message: str
) -> None:
    refused(algorithm, ValueError, message, changes)


@EVERY
def test_more_blocks_than_records_are_refused(algorithm: Algorithm) -> None:
    if algorithm.splits:
        message = "n_iterations must be an integer >= 1 and <= 60, got 61"
        refused(algorithm, ValueError, message, {"n_iterations": 61})


@EVERY
def test_bad_types_are_refused_before_any_release(algorithm: Algorithm) -> None:
    for changes, message in (
        ({"epsilon": "1"}, "epsilon must be a real number, got '1'"),
        ({"n_iterations": 1.5}, r"n_iterations must be an integer, got 1\.5"),
    ):
        refused(algorithm, TypeError, message, changes)
    with pytest.raises(TypeError, match="ledger must be a Ledger"):
        algorithm(ledger=5)


@EVERY
def test_bad_constants_are_refused_before_any_release(algorithm: Algorithm) -> None:
    foreign = split.Constants if algorithm.constants_of is clipped.Constants else clipped.Constants
    others = dict.fromkeys(foreign.__dataclass_fields__, 1.0)
    for wrong in (1.0, foreign(**others)):
        refused(algorithm, TypeError, "constants must be a reference.em.", {"constants": wrong})
    right = vars(algorithm.constants())
    for field in right:
        for value in (0.0, math.nan):
            with pytest.raises(ValueError, match=f"{field} must be a finite number > 0"):
                algorithm.constants_of(**{**right, field: value})
