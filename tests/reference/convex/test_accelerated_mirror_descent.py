import math

import numpy as np
import pytest
from scipy.optimize import minimize

from auditor.described.data.linear_models import distinct_records
from reference.convex.accelerated_mirror_descent import (
    constants_for,
    dp_accelerated_mirror_descent,
)
from reference.errata.convex.accelerated_mirror_descent import printed
from reference.losses import Huber, Logistic
from reference.mirror_maps import Euclidean, QNorm
from reference.privacy.ledger import Ledger, NoiselessLedger

MAPS = [Euclidean(0.7), QNorm(1.3)]


BOTH = pytest.mark.parametrize("mirror_map", MAPS, ids=["l2", "l1"])
DATA, LOSS = distinct_records(40, 5, "l2", flipped=0.5), Logistic()


def run(data, mirror_map=MAPS[0], form=dp_accelerated_mirror_descent, loss=LOSS, **options):
    start = {"initial": np.zeros(data[0].shape[1]), "ledger": NoiselessLedger(0)}
    claim = {"epsilon": 1.0, "delta": 1e-2, "n_iterations": 5}
    return form(data, loss, mirror_map, **start | claim | options)


def risk(x, data=DATA):
    return float(LOSS.values(data, x).mean())


# -------------------------------------------------------------------------------- mirror maps


def point(rng, mirror_map, p):
    x = rng.standard_normal(p) * (rng.random(p) < 0.7)
    return x if not x.any() else x * rng.choice([1.0, rng.random()]) / norm_of(mirror_map, x)


def norm_of(mirror_map, x):
    return np.linalg.norm(x, ord=1 if isinstance(mirror_map, QNorm) else 2) / mirror_map.radius


@BOTH
def test_the_maps_are_strongly_convex_in_the_balls_norm(mirror_map):
    """V(x, z) >= ||x - z||_C^2/2 on random pairs; equality for the l2 ball."""
    rng = np.random.default_rng(0)
    for p in (3, 10, 100):
        ratios = []
        for _ in range(200):
            x, z = point(rng, mirror_map, p), point(rng, mirror_map, p)
            if (x != z).any():
                ratios.append(2 * mirror_map.divergence(x, z) / norm_of(mirror_map, x - z) ** 2)
        assert min(ratios) >= 1 - 1e-9
        if isinstance(mirror_map, Euclidean):
            assert max(ratios) <= 1 + 1e-9


@BOTH
def test_mirror_steps_are_the_minimisers_by_a_general_solver(mirror_map):
    rng = np.random.default_rng(1)
    for _ in range(12):
        z, gradient = point(rng, mirror_map, 4), rng.standard_normal(4)
        step = 10 ** rng.uniform(-1.5, 1)

        def value(u, z=z, gradient=gradient, step=step):
            return mirror_map.divergence(u, z) + step * gradient @ (u - z)

        found = mirror_map.mirror_step(z, gradient, step)
        assert norm_of(mirror_map, found) <= 1 + 1e-9
        # u = a - b with a, b >= 0, or u itself, in the ball
        if isinstance(mirror_map, QNorm):
            start = np.concatenate([np.maximum(z, 0), np.maximum(-z, 0)])
            bounds, inside = [(0, None)] * 8, lambda v: mirror_map.radius - v.sum()
        else:
            start, bounds, inside = z, None, lambda v: mirror_map.radius**2 - v @ v
        best = minimize(
            lambda v, split=start is not z: value(v[:4] - v[4:] if split else v),
            0.9 * start,
            bounds=bounds,
            constraints={"type": "ineq", "fun": inside},
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 500},
        )
        assert value(found) <= best.fun + 1e-6


@BOTH
def test_gradient_steps_are_the_minimisers_by_a_general_solver(mirror_map):
    rng = np.random.default_rng(2)
    p = 4
    for _ in range(25):
        x, gradient = point(rng, mirror_map, p), rng.standard_normal(p)
        smoothness = 10 ** rng.uniform(-1, 1.5)
        found = mirror_map.gradient_step(x, gradient, smoothness)
        assert norm_of(mirror_map, found) <= 1 + 1e-9
        reached = smoothness / 2 * norm_of(mirror_map, found - x) ** 2 + gradient @ (found - x)
        if isinstance(mirror_map, QNorm):
            best = best_in_l1(x, gradient, smoothness / mirror_map.radius**2, mirror_map.radius)
        else:
            best = minimize(
                lambda y, x=x, c=smoothness / mirror_map.radius**2, g=gradient: (
                    c / 2 * (y - x) @ (y - x) + g @ (y - x)
                ),
                0.9 * x,
                constraints={"type": "ineq", "fun": lambda y: mirror_map.radius**2 - y @ y},
                method="SLSQP",
                options={"ftol": 1e-13},
            ).fun
        assert reached <= best + 1e-6


def best_in_l1(x, gradient, price, radius):
    """Return min (price/2) ||d||_1^2 + <g, d>, ||x + d||_1 <= radius: d = a - b, |x + d| <= u."""
    p = len(x)

    def moved(v):
        return x + v[:p] - v[p : 2 * p]

    return minimize(
        lambda v: price / 2 * v[: 2 * p].sum() ** 2 + gradient @ (v[:p] - v[p : 2 * p]),
        np.concatenate([np.zeros(2 * p), np.abs(x)]),
        bounds=[(0, None)] * (2 * p) + [(None, None)] * p,
        constraints=[
            {"type": "ineq", "fun": lambda v: v[2 * p :] - moved(v)},
            {"type": "ineq", "fun": lambda v: v[2 * p :] + moved(v)},
            {"type": "ineq", "fun": lambda v: radius - v[2 * p :].sum()},
        ],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    ).fun


def test_the_q_norm_needs_three_dimensions():
    with pytest.raises(ValueError, match="be 3 or more"):
        run((np.eye(2), np.ones(2)), QNorm(1.0))


# --------------------------------------------------------------------------- the algorithm


@BOTH
def test_without_noise_the_gap_is_within_the_theorems_bound(mirror_map):
    """8 L' V/(T+1)^2, and 0 in the limit, against scipy's minimum on the ball."""
    ball = mirror_map.ball
    best = run(DATA, mirror_map, n_iterations=1000)
    options = {"maxiter": 4000, "fatol": 1e-12, "xatol": 1e-9}
    rough = minimize(lambda v: risk(ball.project(v)), best / 2, method="Nelder-Mead",
                     options=options)  # fmt: skip
    assert risk(best) <= rough.fun + 1e-6
    chosen = constants_for(LOSS, ball.radius, n=40, epsilon=1.0, delta=1e-2, n_iterations=1)
    distance = mirror_map.divergence(best, np.zeros(5))
    for steps in (1, 4, 16, 64):
        bound = 8 * chosen.smoothness * distance / (steps + 1) ** 2
        assert risk(run(DATA, mirror_map, n_iterations=steps)) - risk(best) <= bound + 1e-9


@pytest.mark.parametrize(
    ("mirror_map", "p"), [(MAPS[0], 5), (MAPS[0], 50), (MAPS[1], 5)], ids=["l2", "l2 50", "l1"]
)
def test_with_noise_the_mean_gap_is_within_the_bound(mirror_map, p):
    """50 runs of 16 steps; the noise's term is sigma^2 (G_C^2 + R^2)(T+3)/(2 L')."""
    data, radius = distinct_records(4000, p, "l2", flipped=0.5), mirror_map.radius
    best = run(data, mirror_map, n_iterations=500)
    claim = {"epsilon": 0.5, "delta": 1e-5, "n_iterations": 16}
    chosen = constants_for(LOSS, radius, n=4000, **claim)
    options = {"constants": chosen, "ledger": Ledger(0), **claim}
    gaps = [risk(run(data, mirror_map, **options), data) - risk(best, data) for _ in range(50)]
    width = radius**2 * (2 * math.log(2 * p) if isinstance(mirror_map, QNorm) else p)
    noise = chosen.noise_scale**2 * (width + radius**2) * (16 + 3) / (2 * chosen.smoothness)
    start = 8 * chosen.smoothness * mirror_map.divergence(best, np.zeros(p)) / (16 + 1) ** 2
    assert np.mean(gaps) <= start + noise


@pytest.mark.parametrize(
    ("form", "part"), [(dp_accelerated_mirror_descent, 1.0), (printed, 2.0)], ids=["L'", "L"]
)
def test_a_noiseless_run_is_the_plain_loop(form, part):
    """Algorithm 3.1.4 on the l2 ball with alpha and r as printed, L' or L, closed-form steps."""
    (features, labels), radius, steps = DATA, 0.7, 9
    smoothness = 2 * 0.25 * (2 * radius) ** 2

    def gradient(x):
        return -(labels / (1 + np.exp(labels * (features @ x)))) @ features / 40

    def into(x):
        return x / max(1.0, np.linalg.norm(x) / radius)

    y, z = [np.full(5, 0.1)], [np.full(5, 0.1)]
    for k in range(steps):
        alpha = (k + 2) / (4 * (smoothness if form is dp_accelerated_mirror_descent else 0.25))
        r = 2 / (k + 2)
        x = r * z[k] + (1 - r) * y[k]
        y.append(into(x - part * radius**2 / smoothness * gradient(x)))
        z.append(into(z[k] - alpha * radius**2 * gradient(x)))
    found = run(DATA, Euclidean(radius), form, initial=y[0], n_iterations=steps)
    np.testing.assert_allclose(found, y[-1], rtol=1e-11)


def test_the_printed_output_is_the_same_whatever_the_noise():
    outputs = [run(DATA, form=printed, n_iterations=1, ledger=Ledger(seed)) for seed in (0, 1)]
    np.testing.assert_array_equal(*outputs)


def test_the_printed_step_sizes_miss_the_bound_on_a_large_set():
    """Erratum 2: C = [-10, 10], F = (x - 9)^2/2, x_0 = 9.5, T = 80, no noise."""
    data = (np.ones((1, 1)), np.full(1, 9.0))
    options = {"loss": Huber(threshold=30.0), "initial": [9.5], "n_iterations": 80}
    bound = 8 * 400 * (0.5**2 / 200) / 81**2
    forms = (printed, dp_accelerated_mirror_descent)
    ends = [run(data, Euclidean(10.0), form=form, **options)[0] for form in forms]
    wrong, right = ((end - 9) ** 2 / 2 for end in ends)
    assert wrong == pytest.approx(0.0598, abs=5e-4)
    assert wrong > 50 * bound
    assert right <= 2 * bound  # L' is twice L ||C||^2


@pytest.mark.parametrize("radius", [0.0, -1.0, math.inf])
def test_radii_are_positive(radius):
    for kind in (Euclidean, QNorm):
        with pytest.raises(ValueError, match="radius"):
            kind(radius)
