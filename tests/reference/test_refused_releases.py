"""Bad releases are refused and leave nothing; no legal one loses its noise to rounding."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger, ReplayLedger


def on_interval(ledger: Ledger, scores: Any, breaks: Any, **asked: Any) -> float:
    """Select a point of [0, 1) at unit sensitivity and budget, unless otherwise asked."""
    usual = {"lower": 0.0, "upper": 1.0, "sensitivity": 1.0, "epsilon": 1.0}
    return ledger.interval_exponential(scores, breaks, **{**usual, **asked})


USUAL: dict[str, dict[str, Any]] = {
    "gaussian": {"value": [0.0], "sensitivity": 1, "scale": 1},
    "laplace": {"value": [0.0], "sensitivity": 1, "scale": 1},
    "symmetric_gaussian": {"value": [[0.0]], "sensitivity": 1, "scale": 1},
    "symmetric_laplace": {"value": [[0.0]], "sensitivity": 1, "scale": 1},
    "wishart": {"value": np.eye(3), "sensitivity": 1, "degrees": 9, "scale": 1},
    "exponential": {"scores": [0.0], "sensitivity": 1, "epsilon": 1},
    "interval_exponential": {
        "scores": [0.0], "breaks": [], "lower": 0.0, "upper": 1.0, "sensitivity": 1, "epsilon": 1,
    },
    "noisy_max": {"scores": [0.0], "sensitivity": 1, "scale": 1},
    "peeling": {"value": [0.0, 1.0], "count": 2, "sensitivity": 1, "scale": 1},
    "randomized_response": {"value": [1], "epsilon": 1},
    "unary": {"value": [2], "categories": 3, "epsilon": 1},
    "bit": {"probability": [0.5], "epsilon": 1},
    "l2_ball": {"value": [[0.5]], "radius": 1, "epsilon": 1},
    "smooth": {"value": 0.0, "smooth_bound": 1, "smoothness": 1, "divisor": 1, "rho": 1},
}  # fmt: skip


@pytest.mark.parametrize("kind", USUAL)
def test_the_usual_releases_are_made(kind: str) -> None:
    """Or what is refused below might be refused for another reason."""
    ledger = Ledger(0)
    getattr(ledger, kind)(**USUAL[kind])
    assert ledger.transcript.releases


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        ("gaussian", {"value": [math.nan]}, "must be finite"),
        ("gaussian", {"value": [math.inf]}, "must be finite"),
        ("gaussian", {"sensitivity": 0}, "sensitivity must be"),
        ("gaussian", {"scale": 0}, "scale must be"),
        ("gaussian", {"scale": math.nan}, "scale must be"),
        ("gaussian", {"background_sensitivity": 2}, "background_sensitivity must be in"),
        ("symmetric_gaussian", {"value": [[1.0, 2.0]]}, "square"),
        ("symmetric_laplace", {"value": [[0, 2.0], [1, 0]]}, "symmetric"),
        ("symmetric_gaussian", {"value": [[math.nan]]}, "finite"),
        ("wishart", {"degrees": 2}, "degrees must be > d"),
        ("wishart", {"value": np.zeros((9, 2, 2))}, "must be one matrix"),  # charged like one
        ("wishart", {"value": np.zeros((0, 0))}, "must be one matrix"),
        ("exponential", {"scores": []}, "non-empty vector"),
        ("exponential", {"epsilon": 0}, "epsilon must be"),
        ("interval_exponential", {"scores": []}, "non-empty vector"),
        ("interval_exponential", {"scores": [math.nan]}, "must be finite"),
        ("interval_exponential", {"scores": [0, 1], "breaks": [math.inf]}, "must be finite"),
        ("interval_exponential", {"scores": [0, 1]}, "one fewer than the 2 scores"),
        ("interval_exponential", {"scores": [0, 1], "breaks": [[0.5]]}, "fewer than the 2 scores"),
        ("interval_exponential", {"scores": [0, 1], "breaks": [1.5]}, r"be in \[0.0, 1.0\]"),
        ("interval_exponential", {"scores": [0, 1], "breaks": [-0.5]}, r"be in \[0.0, 1.0\]"),
        ("interval_exponential", {"scores": [0, 1, 2], "breaks": [0.7, 0.6]}, "never fall"),
        ("interval_exponential", {"lower": 1.0}, "upper must be in"),
        ("interval_exponential", {"upper": math.inf}, "upper must be"),
        ("interval_exponential", {"lower": math.nan}, "lower must be"),
        ("interval_exponential", {"sensitivity": 0}, "sensitivity must be"),
        ("interval_exponential", {"epsilon": 0}, "epsilon must be"),
        ("interval_exponential", {"records": [0, 1]}, "records"),
        ("noisy_max", {"excluded": (0,)}, "nothing is left"),
        ("noisy_max", {"scores": [0.0, 1], "excluded": (2,)}, "excluded must"),
        ("peeling", {"count": 3}, "count must be"),
        ("randomized_response", {"value": [2]}, r"integers in \[0, 2\)"),
        ("randomized_response", {"value": [0.5]}, "integers in"),
        ("randomized_response", {"categories": 1}, "categories"),
        ("randomized_response", {"answers": 0}, "answers"),
        ("randomized_response", {"categories": 10**12 + 1}, "must be <= 0"),
        ("randomized_response", {"categories": 10**13}, "must be <= 0"),
        ("unary", {"value": [3]}, r"integers in \[0, 3\)"),
        ("bit", {"probability": [1.5]}, "probability must lie"),
        ("bit", {"epsilon": 0}, "epsilon must be"),
        ("l2_ball", {"value": np.zeros((2, 0))}, "one vector per user"),
        ("l2_ball", {"value": [0.5]}, "one vector per user"),
        ("l2_ball", {"radius": 0}, "radius must be"),
        ("smooth", {"smooth_bound": 0}, "smooth_bound must be"),
        ("smooth", {"noise": "cauchy"}, "noise must be"),
        ("smooth", {"rho": None}, "exactly one of rho= and epsilon="),
        ("smooth", {"epsilon": 1}, "exactly one of rho= and epsilon="),
        ("smooth", {"rho": None, "epsilon": 1}, "cost at one epsilon, not arsinh-normal"),
        (
            "smooth",
            {"rho": None, "epsilon": 100, "noise": "gaussian"},
            r"epsilon must be in \(0, 100\), got 100",
        ),
    ],
)
def test_bad_releases_are_refused_and_leave_nothing(
    kind: str, changes: dict[str, Any], message: str
) -> None:
    for ledger in (Ledger(0), RecordingLedger(0)):
        with pytest.raises(ValueError, match=message):
            getattr(ledger, kind)(**{**USUAL[kind], **changes})
        assert len(ledger.transcript) == 0


NOISY: dict[str, Callable[[Ledger, float], Any]] = {
    "gaussian": lambda g, x: g.gaussian([x, 0.0], sensitivity=1, scale=1),
    "laplace": lambda g, x: g.laplace(x, sensitivity=1, scale=1),
    "symmetric gaussian": lambda g, x: g.symmetric_gaussian([[x]], sensitivity=1, scale=1),
    "narrow diagonal": lambda g, x: g.symmetric_gaussian(
        [[x]], sensitivity=1, scale=1, diagonal_variance=1e-30
    ),
    "symmetric laplace": lambda g, x: g.symmetric_laplace([[x]], sensitivity=1, scale=1),
    "wishart": lambda g, x: g.wishart([[x]], sensitivity=1, degrees=2, scale=1),
}


@pytest.mark.parametrize("value", [1e17, -1e17, 1.7e308, 2.0**40])
@pytest.mark.parametrize("kind", NOISY)
def test_no_value_is_so_large_that_its_noise_is_lost(kind: str, value: float) -> None:
    # the Laplace release of 1e17 was 1e17 in 2000 of 2000
    for make in (Ledger, RecordingLedger):
        ledger = make(0)
        outputs = [np.ravel(NOISY[kind](ledger, value))[0] for _ in range(100)]
        assert np.isfinite(outputs).all()
        assert outputs.count(value) <= 3  # of 2^40 the noise alone may be rounded away
        assert len(set(outputs)) > 70
    again = Ledger(0)
    assert outputs == [np.ravel(NOISY[kind](again, 1.01 * value))[0] for _ in range(100)]


@pytest.mark.parametrize("value", [1e17, -1e17, 1e300])
def test_scores_so_large_that_their_noise_is_lost_are_chosen_by_chance(value: float) -> None:
    scores = [value, np.nextafter(value, math.inf)]
    runs, ledger = 400, Ledger(0)
    for select in (
        lambda: ledger.noisy_max(scores, sensitivity=1, scale=1),
        lambda: ledger.exponential(scores, sensitivity=1, epsilon=2),
        lambda: on_interval(ledger, scores, [0.5], epsilon=2) > 0.5,
    ):
        # fair coins but for 1e-9
        assert stats.binomtest(sum(select() for _ in range(runs)), runs).pvalue > 1e-9


def test_values_within_reach_are_released_as_they_are() -> None:
    rng, draws = np.random.default_rng(0), np.random.default_rng(5)
    value = rng.choice([-1.0, 1.0], 99) * 10.0 ** rng.uniform(-300, 12, 99)
    released = Ledger(np.random.default_rng(5)).gaussian(value, sensitivity=1, scale=1)
    np.testing.assert_array_equal(released, value + draws.standard_normal(99))
    far = value.copy()
    far[::3] = np.sign(far[::3]) * 10.0 ** rng.uniform(13, 300, 33)
    ledger, other = RecordingLedger(0), RecordingLedger(0)
    ledger.gaussian(far, sensitivity=1, scale=1)
    other.gaussian(value, sensitivity=1, scale=1)
    cut, kept = (one.transcript.releases[0].value for one in (ledger, other))
    np.testing.assert_array_equal(kept, value)
    np.testing.assert_array_equal(cut, np.clip(far, -(2.0**40), 2.0**40))
    # a replay compares what would have been released
    replayed = ReplayLedger(ledger.transcript)
    replayed.gaussian(far * 1e3, sensitivity=1, scale=1)
    assert np.abs(replayed.transcript.releases[0].value).max() == 2.0**40
    assert NoiselessLedger().laplace(1e17, sensitivity=1, scale=1) == 1e17


@pytest.mark.parametrize(
    "release",
    [
        lambda g, x: g.gaussian(x, sensitivity=1, scale=4),
        lambda g, x: g.laplace(x, sensitivity=1, scale=4),
        lambda g, x: g.symmetric_gaussian([[x]], sensitivity=1, scale=8, diagonal_variance=0.25),
        lambda g, x: g.symmetric_gaussian([[x]], sensitivity=1, scale=4, diagonal_variance=9),
        lambda g, x: g.symmetric_laplace([[x]], sensitivity=1, scale=4),
        lambda g, x: g.wishart([[x]], sensitivity=1, degrees=2, scale=4),
        lambda g, x: g.noisy_max([x], sensitivity=1, scale=4),
        lambda g, x: g.exponential([x], sensitivity=3, epsilon=1.5),
        lambda g, x: on_interval(g, [x], [], sensitivity=3, epsilon=1.5),
    ],
)
def test_how_far_noise_reaches_is_that_many_scales(release: Callable[..., object]) -> None:
    ledger = RecordingLedger(0)
    for value in (1e17, -1e17, 2.0**41):
        release(ledger, value)
    cut = [np.ravel(made.value)[0] for made in ledger.transcript.releases]
    assert cut == [2.0**42, -(2.0**42), 2.0**41]


@pytest.mark.parametrize("value", [0.0, 1.7e308])
@pytest.mark.parametrize("scale", [1e308, 1e141, 1e-141, 5e-324])
def test_scales_at_which_noise_is_no_double_are_refused_whatever_the_value(
    value: float, scale: float
) -> None:
    # twenty numbers near the largest double came out as infinities, or not
    calls: list[Callable[[Ledger], object]] = [
        lambda g: g.gaussian([value] * 20, sensitivity=1, scale=scale),
        lambda g: g.laplace([value] * 20, sensitivity=scale, scale=1),
        lambda g: g.exponential([value], sensitivity=1, epsilon=scale),
        lambda g: on_interval(g, [value], [], epsilon=scale),
        lambda g: g.noisy_max([value], sensitivity=1, scale=scale),
        lambda g: g.symmetric_laplace([[value]], sensitivity=1, scale=scale),
        lambda g: g.symmetric_gaussian([[value]], sensitivity=1, scale=1, diagonal_variance=scale),
    ]
    for make in (Ledger, RecordingLedger):
        for call in calls:
            ledger = make(0)
            with pytest.raises(ValueError, match=r"must be (from|in)"):
                call(ledger)
            assert not ledger.transcript.entries


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_the_largest_and_smallest_legal_scales_give_finite_outputs(scale: float) -> None:
    for value in (0.0, 1e300, -1.7e308):
        ledger = Ledger(0)
        found = [
            ledger.gaussian([value] * 99, sensitivity=scale, scale=scale),
            ledger.laplace([value] * 99, sensitivity=1 / scale, scale=scale),
            ledger.symmetric_gaussian(
                np.full((9, 9), value), sensitivity=1, scale=scale, diagonal_variance=scale
            ),
            ledger.wishart(np.full((3, 3), value), sensitivity=1, degrees=1e139, scale=scale),
            ledger.exponential([value] * 9, sensitivity=scale, epsilon=1 / scale),
            on_interval(ledger, [value] * 2, [0.5], sensitivity=scale, epsilon=1 / scale),
            on_interval(ledger, [value], [], lower=-9e139, upper=9e139, epsilon=scale),
            ledger.noisy_max([value] * 9, sensitivity=1, scale=scale),
        ]
        assert all(np.isfinite(each).all() for each in found)
        assert len(np.unique(found[0])) == 99


@pytest.mark.parametrize("number", [np.longdouble(1), Fraction(1, 2), pd.NA, None, "1", True])
def test_parameters_of_a_release_are_refused_by_name(number: Any) -> None:
    ledger = Ledger(0)
    for name in ("sensitivity", "scale"):
        with pytest.raises(TypeError, match=f"{name} must be a real number"):
            ledger.laplace([0.0], **{"sensitivity": 1, "scale": 1, name: number})
    with pytest.raises(TypeError, match="epsilon must be a real number"):
        ledger.randomized_response([1], epsilon=number)
    assert not ledger.transcript.entries


def test_the_rounding_of_an_asymmetric_matrix_is_not_released() -> None:
    matrix = np.array([[1.0, 0.1 + 0.2], [0.3, 2.0]])
    assert matrix[0, 1] != matrix[1, 0]
    released = Ledger(0).symmetric_gaussian(matrix, sensitivity=1, scale=1)
    np.testing.assert_array_equal(released, released.T)


@pytest.mark.parametrize("value", [0.25, 1e300, -1.7e308])
@pytest.mark.parametrize("bound", [5e-324, 1e-300, 1e308])
@pytest.mark.parametrize("divisor", [1e-140, 1e140])
def test_smooth_noise_is_a_double_whatever_the_private_bound(
    value: float, bound: float, divisor: float
) -> None:
    ledger = RecordingLedger(0)
    noisy = ledger.smooth([value], smooth_bound=bound, smoothness=1, divisor=divisor, rho=1)
    (release,) = ledger.transcript.releases
    assert release.mechanism.scale > 0
    assert np.isfinite(noisy).all()
    assert np.isfinite(release.mechanism.log_density(noisy, release.value, 0)).all()


@pytest.mark.parametrize("value", [1e200, -1.7e308, 5e-324])
@pytest.mark.parametrize("radius", [5e-324, 1.0, 1e300])
def test_no_vector_is_too_long_or_too_short_for_the_ball(value: float, radius: float) -> None:
    noisy = Ledger(0).l2_ball(np.full((3, 4), value), radius=radius, epsilon=1)
    assert np.isfinite(noisy).all()


def test_a_long_vector_takes_no_square_of_memory() -> None:
    assert Ledger(0).l2_ball(np.zeros((1, 10**6)), radius=1, epsilon=1).shape == (1, 10**6)
