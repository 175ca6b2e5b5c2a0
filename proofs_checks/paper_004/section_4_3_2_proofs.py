"""Section 4.3.2, the trust-region problem and the displays of the proof of Theorem 4.3.5."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.gaussian_noise import (
    failures_of_steps,
    norm_of_matrix,
    norm_of_vector,
)
from proofs_checks.paper_004.section_4_3_2 import definite, stationary
from proofs_checks.statement import statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    every,
    for_all,
    identity,
    rational,
    reals,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.nonconvex.trust_region_subproblem import solve_trust_region

of_full = partial(statement, algorithms=("diss-4.3.28",))
of_both = partial(statement, algorithms=("diss-4.3.28", "diss-4.3.29"))

ANY_STEP = "any step of the algorithm; the steps have its h and lambda"


def instances(rng: np.random.Generator, tried: int) -> list[tuple[FloatArray, FloatArray, float]]:
    """Return random gradients, Hessians and radii, as DP-TR has them: both with Gaussian noise."""
    found = []
    for _ in range(tried):
        p = int(rng.integers(1, 6))
        square = rng.standard_normal((p, p))
        shift = float(rng.uniform(-1, 4)) * np.eye(p)
        found.append((rng.standard_normal(p), (square + square.T) / 2 + shift, rng.uniform(0.1, 3)))
    return found


# ------------------------------------------------------------------------------- the subproblem


@of_both(
    "004 (4.57)",
    lines="3970",
    kind="definition",
    printed="h^k = argmin over ||h||_2 <= r of <grad F(w^k), h> + <Hess F(w^k) h, h>/2",
    refuses={"<Hess F h, h> without 1/2": {"factor": 1.0}, "1% wider ball": {"radius": 1.01}},
)
def subproblem(rng: np.random.Generator, factor: float = 0.5, radius: float = 1.0) -> Outcome:
    """No point of the ball, inside or on the sphere, is better than the solution of the code."""
    worst, tried = 0.0, 0
    for g, hessian, r in instances(rng, 60):
        h = solve_trust_region(g, hessian, r).step
        points = rng.standard_normal((60, g.size))
        points *= radius * r / np.linalg.norm(points, axis=1, keepdims=True)
        points[::2] *= rng.random((30, 1))
        points[0] = radius * r * h / np.linalg.norm(h)
        values = points @ g + factor * np.einsum("ki,ij,kj->k", points, hessian, points)
        worst = max(worst, float(g @ h + factor * h @ hessian @ h - values.min()))
        tried += len(points)
    return definition(
        searched(worst, 1e-9, tried=tried, what="objective of the solution less a point's")
    )


def residuals(rng: np.random.Generator, which: str, what: str, bound: float = 1e-9) -> Outcome:
    """Find the largest violation of one condition by the code's solutions of random problems."""
    worst = -np.inf
    for g, hessian, r in instances(rng, 400):
        h, multiplier = solve_trust_region(g, hessian, r)
        violation = {
            "stationary": np.linalg.norm(g + hessian @ h + multiplier * h),
            "definite": -np.linalg.eigvalsh(hessian)[0] - multiplier,
            "slack": abs(multiplier * (np.linalg.norm(h) - r)),
        }[which]
        worst = max(worst, float(violation))
    return searched(worst, bound, tried=400, what=f"the code's solutions, {what}")


@of_full(
    "004 (4.79)",
    lines="4446",
    kind="optimisation",
    printed="grad~ + Hess~ h^k + lambda^k h^k = 0 with a dual variable lambda^k >= 0",
    refuses={"2 lambda^k": {"factor": "2"}, "- lambda^k h^k": {"factor": "-1"}},
    unchecked={
        "k": ANY_STEP,
    },
)
def vanishing_slope(rng: np.random.Generator, factor: str = "1") -> Outcome:
    """See :func:`proofs_checks.paper_004.section_4_3_2.stationary`."""
    return derived(
        minimum=stationary(factor),
        found=residuals(rng, "stationary", "norm of the left side"),
    )


@of_full(
    "004 (4.80)",
    lines="4448",
    kind="optimisation",
    printed="Hess~ + lambda^k I > 0",
    added="with probability 1: the noise of gradient and Hessian has a density (Lemma 4.3.1 is "
    "false without it)",
    refuses={"lambda^k/2": {"multiplier": "1/2"}, "Hess~ > 0": {"multiplier": "0"}},
    unchecked={
        "k": ANY_STEP,
    },
)
def positive_definite(rng: np.random.Generator, multiplier: str = "1") -> Outcome:
    """A = H~ + lambda I >= 0: :func:`proofs_checks.paper_004.section_4_3_2.definite`.

    A singular A sends an eigenvector v of H~'s lowest eigenvalue to 0. Then <g~, v> = -<A h, v> =
    -<h, A v> = 0 [step "kernel", in the plane of h and v]. Given H~, whose lowest eigenvalue is
    simple with probability 1, the Gaussian g~ is orthogonal to v with probability 0.
    """
    a, b, c = sp.symbols("a b c")
    h, v = sp.Matrix(sp.symbols("h1 h2")), sp.Matrix(sp.symbols("v1 v2"))
    matrix = sp.Matrix([[a, b], [b, c]])
    return derived(
        minimum=definite(multiplier),
        kernel=identity(((matrix * h).dot(v), h.dot(matrix * v))),
        found=residuals(rng, "definite", "-lambda_min(H~ + lambda I)", -1e-9),
    )


@of_full(
    "004 (4.81)",
    lines="4450",
    kind="optimisation",
    printed="lambda^k (||h^k||_2 - r) = 0",
    refuses={"lambda^k (2 ||h^k||_2 - r)": {"factor": "2"}},
    unchecked={
        "k": ANY_STEP,
    },
)
def complementary(rng: np.random.Generator, factor: str = "1") -> Outcome:
    """See :func:`proofs_checks.paper_004.section_4_3_2.stationary`: inside lambda is 0."""
    return derived(
        minimum=stationary(slack=factor),
        found=residuals(rng, "slack", "absolute value of the left side"),
    )


# ------------------------------------------------------------------------------ size of the noise


@of_full(
    "004 (4.74)",
    lines="4426",
    kind="concentration",
    printed="||eps_k||_2 <= sqrt(2p) log(T/zeta) 2G sqrt(T)/(n sqrt(phi)) <= alpha/6 for all k",
    added="zeta <= T/4 (Lemma 4.3.11 is false for zeta near 1); the second is a condition on n",
    refuses={
        "sqrt(p) log(T/zeta)": {"per": "1"},
        "zeta <= T": {"start": "0"},
        "6 for 12 in the n that gives alpha/6": {"needed": 6},
        "log(1/zeta)": {"steps": 0},
    },
    unchecked={
        "k": "from 1 to T, over which the union is",
    },
)
def noise_of_gradients(
    per: str = "2", start: str = "1.386", needed: int = 12, steps: int = 1
) -> Outcome:
    """sigma = 2G sqrt(T)/(n sqrt(phi)); each of T vectors may fail with probability zeta/T.

    The level is l = log(T/zeta) >= log 4 [step "union"].
    Then n = 12 sqrt(2p) log(T/zeta) G sqrt(T)/(alpha sqrt(phi)) gives alpha/6 [step "size"].
    """
    p, level, G, T, phi, alpha, zeta = symbols("p l G T phi alpha zeta")
    n = needed * sp.sqrt(2 * p) * level * G * sp.sqrt(T / phi) / alpha
    return derived(
        tail=norm_of_vector(per, start, "1"),
        union=identity((T * sp.exp(-sp.log(T**steps / zeta)), zeta)),
        size=identity(
            (sp.sqrt(2 * p) * level * 2 * G * sp.sqrt(T) / (n * sp.sqrt(phi)), alpha / 6)
        ),
    )


@of_full(
    "004 (4.75)",
    lines="4428",
    kind="concentration",
    printed="||H_k||_2 <= C 2 p M sqrt(T)/(n sqrt(phi)) <= sqrt(alpha rho)/3 for all k, with "
    "probability 1 - T/p^c",
    checked="C = 2 + 2 sqrt(c + log 2) for every c > 0; the second is a condition on n",
    refuses={
        "1.9 sqrt(p) for E lambda_max": {"factor": "1.9"},
        "a tail of exp(-t^2/2)": {"rate": "2"},
        "3 C for 6 C in the n that gives a third": {"needed": 3},
        "probability 1 - 1/p^c": {"steps": 0},
        "sqrt(p)": {"power": "1/2"},
        "sqrt(alpha rho)/2": {"share": "1/2"},
    },
    unchecked={
        "k": "from 1 to T, over which the union is",
    },
)
def noise_of_hessians(
    factor: str = "2",
    rate: str = "4",
    needed: int = 6,
    steps: int = 1,
    power: str = "1",
    share: str = "1/3",
) -> Outcome:
    """C sqrt(p) sigma_2 with sigma_2 = 2 sqrt(p) M sqrt(T)/(n sqrt(phi)) [step "bound"].

    n = 6 C p M sqrt(T)/sqrt(alpha rho phi) gives sqrt(alpha rho)/3 [step "size"].
    """
    p, M, T, phi, alpha, rho, C = symbols("p M T phi alpha rho C")
    n = needed * C * p * M * sp.sqrt(T) / sp.sqrt(alpha * rho * phi)
    sigma = 2 * sp.sqrt(p) * M * sp.sqrt(T) / n / sp.sqrt(phi)
    bound = C * 2 * p ** sp.Rational(power) * M * sp.sqrt(T) / (n * sp.sqrt(phi))
    return derived(
        tail=norm_of_matrix(factor, rate),
        union=failures_of_steps(steps),
        bound=identity((C * sp.sqrt(p) * sigma, bound)),
        size=identity((C * sp.sqrt(p) * sigma, sp.sqrt(alpha * rho) * sp.Rational(share))),
    )


@of_full(
    "004 (4.59)",
    lines="4021, 4498-4502",
    kind="utility",
    printed="n >= Omega(p ln(1/zeta) sqrt(ln(1/delta))/(alpha^1.75 epsilon)) suffices; Omega omits "
    "G, M, rho, Delta, ln(1/alpha)",
    checked="Omega is (1 + sqrt 2) sqrt(6 Delta) rho^(1/4) max(24 sqrt(2) G (1 + ln T/ln 2), "
    "12 C M/(sqrt(rho) ln 2)): then the noise is within alpha/12 and sqrt(alpha rho)/6",
    added="alpha <= 1, zeta <= 1/2, epsilon <= ln(1/delta)",
    refuses={
        "alpha^1.5 for alpha^1.75": {"power": "3/2"},
        "12 sqrt(2) G": {"gradient": 12},
        "6 C M": {"hessian": 6},
        "sqrt(p) for p": {"dimension": "1/2"},
    },
    unchecked={
        "n": "the larger of for_gradient and for_hessian",
        "Omega": "the order; the steps have all that it omits",
    },
)
def sample_size(
    power: str = "7/4", gradient: int = 24, hessian: int = 12, dimension: str = "1"
) -> Outcome:
    """T = 6 sqrt(rho) Delta/alpha^1.5, z = ln(1/zeta), a = ln(1/delta).

    1/sqrt(phi) = (sqrt(a + epsilon) + sqrt(a))/epsilon <= (1 + sqrt 2) sqrt(a)/epsilon [step
    "phi"]. ln(T/zeta) <= z (1 + ln T/ln 2) as z >= ln 2 [step "logarithm"]. With the first part of
    the maximum the bound of (4.74) is alpha/12 times 1/sqrt(p) [step "gradient"], with the second
    that of (4.75) is sqrt(alpha rho)/6 times alpha^.5 ln 2/z <= 1 [step "hessian"].
    """
    p, G, M, rho, drop, alpha, eps, a, z, C, two, more = symbols(
        "p G M rho Delta alpha epsilon a z C log_2 more"
    )
    steps = 6 * sp.sqrt(rho) * drop / alpha ** sp.Rational(3, 2)
    phi = eps / ((1 + sp.sqrt(2)) * sp.sqrt(a))  # a lower bound of sqrt(phi)
    shape = p ** sp.Rational(dimension) * z * sp.sqrt(a) / (alpha ** sp.Rational(power) * eps)
    hidden = (1 + sp.sqrt(2)) * sp.sqrt(6 * drop) * rho ** sp.Rational(1, 4)
    for_gradient = hidden * gradient * sp.sqrt(2) * G * more * shape
    for_hessian = hidden * hessian * C * M / (sp.sqrt(rho) * two) * shape
    vector = sp.sqrt(2 * p) * z * more * 2 * G * sp.sqrt(steps) / (for_gradient * phi)
    matrix = C * 2 * p * M * sp.sqrt(steps) / (for_hessian * phi)
    x, y, w, k, log_steps, tail = reals("x y w log_2 log_T z")
    return derived(
        phi=for_all(x + y <= (1 + w) * y, *(w > 0, w * w == 2, y > 0, x > 0, x * x <= 2 * y * y)),
        logarithm=for_all(
            log_steps + tail <= tail * (1 + log_steps / k),
            *(k > 0, tail >= k, log_steps >= 0),
        ),
        gradient=identity((vector / alpha * 12, 1 / sp.sqrt(p))),
        hessian=identity((matrix / sp.sqrt(alpha * rho) * 6, sp.sqrt(alpha) * two / z)),
    )


# ----------------------------------------------------------------------------------- the descent


@of_full(
    "004 (4.76)",
    lines="4432",
    kind="optimisation",
    printed="L(w + h) <= L(w) + <grad L(w), h>, <Hess L(w) h, h>/2 + (rho/6) ||h||^3",
    checked="L(w + h) <= L(w) + <grad L(w), h> + <Hess L(w) h, h>/2 + (rho/6) ||h||^3",
    misprint="a comma for +",
    refuses={"rho/8": {"share": "1/8"}, "<Hess L(w) h, h>": {"half": "1"}},
    unchecked={
        "L, w": "the steps have the integrals of what L(w + h) has beyond its model",
    },
)
def cubic_bound(share: str = "1/6", half: str = "1/2") -> Outcome:
    """L(w + h) less its quadratic model is int_0^1 (1 - t) <(Hess L(w + t h) - Hess L(w)) h, h> dt.

    The model has the integral of 1 - t before <Hess L(w) h, h>. The Hessians differ by at most
    rho t ||h||: the integral of (1 - t) t. |h|^3 rho/6 attains it.
    """
    t, rho, size = symbols("t rho h")
    attained = rho * size**3 / 6
    return derived(
        integral=identity(
            (sp.integrate(1 - t, (t, 0, 1)), sp.Rational(half)),
            (sp.integrate((1 - t) * t, (t, 0, 1)), sp.Rational(share)),
            (sp.diff(attained, size, 2), rho * size),
        )
    )


@of_full(
    "004 (4.77)",
    lines="4436",
    kind="optimisation",
    printed="L(w + h) <= L(w) + <grad~, h> + ||eps_k|| ||h|| + <Hess~ h, h>/2 + (rho/6) ||h||^3 + "
    "||H_k|| ||h||^2/2",
    refuses={
        "||eps_k|| ||h||/2": {"gradient": "1/2"},
        "||H_k|| ||h||^2/4": {"hessian": "1/4"},
        "rho/8": {"share": "1/8"},
    },
)
def noisy_cubic_bound(gradient: str = "1", hessian: str = "1/2", share: str = "1/6") -> Outcome:
    """grad = grad~ - eps and Hess = Hess~ - H in (4.76), with <eps, h> and <Hh, h> bounded.

    Here fall = L(w + h) - L(w).

    Cauchy and Schwarz in the plane of eps and h [step "vector"]; |<Hh, h>| <= ||H|| ||h||^2 is the
    norm of a symmetric matrix.
    """
    fall, along, curve, e_h, n_h, e, noise, size, rho = reals("fall g q e_h n_h e H h rho")
    cubic = rho * size**3
    x, y, u, v, length, width = reals("x y u v length width")
    return derived(
        vector=for_all(
            -(x * u + y * v) <= length * width,
            *(length >= 0, length * length == x * x + y * y),
            *(width >= 0, width * width == u * u + v * v),
        ),
        sum=for_all(
            fall <= along + rational(gradient) * e * size + curve / 2 + rational(share) * cubic
            + rational(hessian) * noise * size * size,
            *(e >= 0, noise >= 0, size >= 0, -e_h <= e * size, -n_h <= noise * size * size),
            rho >= 0,
            fall <= along - e_h + (curve - n_h) / 2 + cubic / 6,
        ),
    )  # fmt: skip


@of_full(
    "004 (4.78)",
    lines="4440",
    kind="optimisation",
    printed="||eps_k|| ||h^k|| + ||H_k|| ||h^k||^2/2 <= alpha^1.5/(3 sqrt(rho))",
    refuses={"alpha^1.5/(4 sqrt(rho))": {"share": "1/4"}, "||H_k|| ||h^k||^2": {"half": "1"}},
    unchecked={
        "1.5": "alpha^1.5 is s^3 in the step, alpha = s^2",
    },
)
def total_noise(share: str = "1/3", half: str = "1/2") -> Outcome:
    """alpha = s^2, rho = q^2: ||eps|| <= s^2/6, ||H|| <= s q/3, ||h|| <= s/q."""
    s, q, e, noise, size = reals("s q e H h")
    return for_all(
        (e * size + rational(half) * noise * size * size) * q <= rational(share) * s * s * s,
        *(s > 0, q > 0, e >= 0, 6 * e <= s * s, noise >= 0, 3 * noise <= s * q),
        *(size >= 0, size * q <= s),
    )


@of_full(
    "004 (4.82)",
    lines="4454",
    kind="optimisation",
    printed="<grad~ + Hess~ h^k + lambda^k h^k, h^k> = 0",
    special_case_of="004 (4.79)",
    refuses={"2 lambda^k": {"multiplier": 2}},
)
def along_the_step(multiplier: int = 1) -> Outcome:
    """(4.79) says that the left argument is 0."""
    a, b, c, lam = sp.symbols("a b c lambda")
    h = sp.Matrix(sp.symbols("h1 h2"))
    matrix = sp.Matrix([[a, b], [b, c]])
    g = -(matrix + lam * sp.eye(2)) * h
    return identity((sp.expand((g + matrix * h + multiplier * lam * h).dot(h)), 0))


@of_full(
    "004 (4.83)",
    lines="4458",
    kind="optimisation",
    printed="<Hess~ h^k + lambda^k h^k, h^k> >= 0",
    special_case_of="004 (4.80)",
    refuses={"<Hess~ h^k, h^k>": {"multiplier": 0}},
)
def curvature_along_the_step(multiplier: int = 1) -> Outcome:
    """In an eigenbasis: sum (d_i + lambda) h_i^2 with d_i + lambda >= 0, here two of them."""
    d1, d2, h1, h2, lam = reals("d1 d2 h1 h2 lambda")
    shifted = [d + multiplier * lam for d in (d1, d2)]
    return for_all(
        shifted[0] * h1 * h1 + shifted[1] * h2 * h2 >= 0,
        *(lam >= 0, d1 + lam >= 0, d2 + lam >= 0),
    )


@of_full(
    "004 (4.84)",
    lines="4462",
    kind="optimisation",
    printed="<grad~, h^k> <= 0",
    refuses={"<grad~, h^k> <= -lambda^k ||h^k||^2": {"share": 1}},
)
def descent_direction(share: int = 0) -> Outcome:
    """<grad~, h> = -<Hess~ h + lambda h, h> by (4.82), which is at most 0 by (4.83)."""
    along, curve, lam, square = reals("g quad lambda square")
    return for_all(
        along <= -share * lam * square, along + curve == 0, curve >= 0, lam > 0, square > 0
    )


@of_full(
    "004 (4.86)",
    lines="4480",
    kind="optimisation",
    printed="||grad~ + Hess~ h^k||_2 = lambda^k sqrt(alpha/rho) <= alpha if lambda^k <= "
    "sqrt(alpha rho)",
    refuses={"alpha/2": {"most": "1/2"}, "lambda^k <= 2 sqrt(alpha rho)": {"threshold": 2}},
    unchecked={
        "k": ANY_STEP,
    },
)
def at_the_last_step(most: str = "1", threshold: int = 1) -> Outcome:
    """By (4.79) it is lambda ||h||, and lambda (||h|| - r) = 0. alpha = s^2, rho = q^2, r = s/q."""
    s, q, lam, size, r = reals("s q lambda h r")
    given = (
        *(s > 0, q > 0, r * q == s, lam >= 0, lam <= threshold * s * q),
        *(size >= 0, size <= r, lam * (size - r) == 0),
    )
    return every(
        for_all(lam * size == lam * r, *given),
        for_all(lam * r <= rational(most) * s * s, *given),
    )


@of_full(
    "004 Remark 4.3.2",
    lines="4025-4029",
    kind="remark",
    printed="for fixed n alpha is of order (p sqrt(ln(1/delta))/(n eps))^(4/7), for Theorem 4.3.2 "
    "^(1/2); n is smaller by alpha^.25, T by alpha^.5",
    checked="(4.59) and T = 6 sqrt(rho) Delta/alpha^1.5 solved for alpha; alpha <= 1 in the second",
    refuses={
        "^(3/7)": {"power": "3/7"},
        "n smaller by alpha^.5": {"saved": "1/2"},
        "sqrt(p)": {"dimension": "1/2"},
        "ln(1/delta)": {"tail": "1"},
        "epsilon^2": {"budget": 2},
    },
)
def comparison(
    power: str = "4/7",
    saved: str = "1/4",
    dimension: str = "1",
    tail: str = "1/2",
    budget: int = 1,
) -> Outcome:
    """K = p sqrt(ln(1/delta))/eps: n is K/alpha^1.75 against K/alpha^2, 1/alpha^1.5 steps.

    Here ours = n, and T is alpha^(-3/2) against alpha^(-2), up to constants.
    """
    p, a, epsilon, alpha = symbols("p a epsilon alpha")
    K = p * sp.sqrt(a) / epsilon
    claimed = p ** sp.Rational(dimension) * a ** sp.Rational(tail) / epsilon**budget
    ours, theirs = K / alpha ** sp.Rational(7, 4), K / alpha**2
    return identity(
        ((claimed / ours) ** sp.Rational(power), alpha),
        (sp.sqrt(K / theirs), alpha),
        (ours / theirs, alpha ** sp.Rational(saved)),
        (alpha ** sp.Rational(-3, 2) / alpha**-2, sp.sqrt(alpha)),
    )
