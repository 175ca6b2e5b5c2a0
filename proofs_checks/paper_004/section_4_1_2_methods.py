"""Sections 4.1.2 and 4.1.3: the guarantees of DP-FW-L2 and DP-PMD."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import scipy

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004 import convexity
from proofs_checks.paper_004.section_4_1_1 import one_step, valid_constant
from proofs_checks.paper_004.section_4_1_4 import response_delta
from proofs_checks.statement import statement as any_statement
from proofs_checks.statement import twin
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.mirror_maps import Euclidean, QNorm

of_frank_wolfe = partial(any_statement, algorithms=("diss-4.1.17",))
of_mirror_descent = partial(any_statement, algorithms=("diss-4.1.18",))


@of_frank_wolfe(
    "004 Theorem 4.1.4",
    lines="2799",
    kind="privacy",
    printed="constants c, c_1: DP-FW-L2 is (epsilon, delta)-DP for 0 < epsilon < c_1 T, "
    "0 < delta < 1 with sigma^2 of (4.3)",
    false="as Theorem 4.1.1: no c serves every epsilon, because x_R shows signs of the noisy "
    "gradients",
    errata=("diss-4.1.16/E3",),
)
def signs_of_gradients() -> Outcome:
    """C = [-1, 1], f = z x, all z = 0 but one of +-1, gamma = 1/2: x_R shows v_1 to v_(R-1).

    v_t is a randomized response, right with probability Phi((1/n)/sigma) = Phi(epsilon/sqrt(c T a))
    [exact, the mean over R]. For T to infinity R - 1 of them tell as much as a Gaussian mechanism
    of mu_R^2 = (2/pi) (4 epsilon^2/(c a)) (R-1)/T. At epsilon = 4 c a that is above 4 epsilon for
    R > T/2: :func:`section_4_1_1.least_delta` refutes any c.
    """
    delta, steps = 0.01, 4000
    a = math.log(1 / delta)
    found = {}
    for c in (1.0, 12.0, 100.0):
        right = scipy.special.ndtr(4 * math.sqrt(c * a / steps))
        odds = math.log(right / (1 - right))
        rounds = range(0, steps, steps // 20)
        found[f"{c:g}"] = float(np.mean([response_delta(4 * c * a, k, odds) for k in rounds]))
    point = {
        "C": [-1.0, 1.0],
        "epsilon": "4 c ln(1/delta)",
        "delta": delta,
        "T": steps,
        "exact delta of x_R, by c": found,
    }
    return refuted(point, min(found.values()), delta, "exact delta of x_R against delta")


@signs_of_gradients.corrected(
    "c = 2(1+sqrt 2)^2 = 11.657 and epsilon <= ln(1/delta)",
    refuses={"c = 11.6": {"constant": "11.6"}, "epsilon <= 1.1 ln(1/delta)": {"most": "1.1"}},
)
def within_range(constant: str = "", most: str = "1") -> Outcome:
    """See :func:`section_4_1_1.valid_constant`; v_t and x_R post-process the noisy gradients."""
    return valid_constant(constant, most)


@of_frank_wolfe(
    "004 (4.6)",
    lines="2799-2805, 2976-3014",
    kind="utility",
    printed="E gap_R <= O(||C||_2 (W ln(1/delta))^{1/4}/sqrt(n epsilon)), W = ||C||_2^2 + G_C^2",
    checked="E gap_R <= (Delta ||C||_2 + L ||C||_2/2 + 2 sqrt(c) G) (W a)^{1/4}/sqrt(n epsilon), "
    "a = ln(1/delta), sigma^2 of (4.3), for the printed gamma and T with constants 1",
    added="||C||_2 at least of order 1: the last term has no factor ||C||_2",
    refuses={
        "sigma G_C for 2 sigma G_C": {"noise": "1"},
        "gamma L ||C||_2^2/4": {"half": "1/4"},
        "(W a)^{1/8}": {"power": 8},
        "W = ||C||_2^2": {"widths": 0},
    },
)
def frank_wolfe_error(
    noise: str = "2", half: str = "1/2", power: int = 4, widths: int = 1
) -> Outcome:
    """One step: F falls by gamma (gap - 2 ||eps||_*) - gamma^2 L ||C||_2^2/2.

    v maximises <v, -(g + e)> and u would maximise <u, -g>: with |<v, e>|, |<u, e>| <= E = ||e||_*,
    <g, v> <= <g, u> + 2E [step "oracle"]. By smoothness F(x + gamma (v - x)) - F(x) <=
    gamma <g, v - x> + L gamma^2 ||C||_2^2/2 [step "descent", gap = <g, x - u>]. Summed over T
    steps, E||eps||_* <= sigma G_C: E gap_R <= Delta/(gamma T) + gamma L ||C||_2^2/2 + 2 sigma G_C
    [step "sum"]. With gamma = (W a)^{1/4}/(||C||_2 sqrt(n epsilon)), T = n epsilon/sqrt(W a),
    (4.3) and G_C <= sqrt(W) [step "width"] the three terms are those above [step "rate"].

    Here mean_gap = E gap_R and a = log(1/delta).
    """
    gv, gu, ev, eu, level = reals("gv gu ev eu E")
    gap, change, gamma, smooth, diameter = reals("gap change gamma L C")
    gx = reals("gx")
    total, T, drop, noisy = reals("mean_gap T drop noise")
    width, root = reals("G_C sqrt_W")
    W, a, n, eps, c, G, L, C, first = symbols("W a n epsilon c G L C drop")
    step = (W * a) ** sp.Rational(1, 4) / (C * sp.sqrt(n * eps))
    rounds = n * eps / sp.sqrt(W * a)
    sigma = sp.sqrt(c * G**2 * rounds * a) / (n * eps)
    bound = first / (step * rounds) + step * L * C**2 / 2 + 2 * sigma * sp.sqrt(W)
    rate = (W * a) ** sp.Rational(1, power) / sp.sqrt(n * eps)
    return derived(
        oracle=for_all(
            gv <= gu + rational(noise) * level,
            *(gv + ev <= gu + eu, ev >= -level, ev <= level, eu >= -level, eu <= level),
        ),
        descent=for_all(
            change <= -gamma * (gap - 2 * level) + rational(half) * smooth * gamma**2 * diameter**2,
            *(gamma > 0, smooth > 0, gap == gx - gu, gv <= gu + 2 * level),
            change <= gamma * (gv - gx) + smooth * gamma * gamma * diameter * diameter / 2,
        ),
        sum=for_all(
            total <= drop / (gamma * T) + gamma * smooth * diameter * diameter / 2 + 2 * noisy,
            *(gamma > 0, T >= 1),
            gamma * T * total
            <= drop + T * gamma * (2 * noisy + gamma * smooth * diameter * diameter / 2),
        ),
        width=for_all(
            width <= root,
            *(width >= 0, root >= 0, root**2 == diameter**2 + widths * width**2),
        ),
        rate=identity((bound, (first * C + L * C / 2 + 2 * sp.sqrt(c) * G) * rate)),
    )


@of_mirror_descent(
    "004 Definition 4.1.4",
    lines="2809-2813",
    kind="definition",
    printed="w is distance generating with modulus alpha: <x - z, grad w(x) - grad w(z)> >= "
    "alpha ||x - z||^2",
    refuses={"modulus 1.01 of the Euclidean map": {"modulus": 1.01}},
    unchecked={
        "w": "the code's two mirror maps, the Euclidean one and the q-norm",
    },
)
def distance_generating(rng: np.random.Generator, modulus: float = 1.0) -> Outcome:
    """Both mirror maps have modulus 1: V(x, z) + V(z, x) is the left side."""
    worst = 0.0
    for mirror_map, order in ((Euclidean(0.8), 2), (QNorm(0.8), 1)):
        for _ in range(150):
            x, z = rng.standard_normal((2, 6))
            x, z = (
                0.8 * rng.random() * point / np.linalg.norm(point, ord=order) for point in (x, z)
            )
            left = mirror_map.divergence(x, z) + mirror_map.divergence(z, x)
            norm = float(np.linalg.norm(x - z, ord=order)) / 0.8
            worst = max(worst, modulus * norm**2 / left)
    return definition(
        searched(worst, 1 + 1e-9, tried=300, what="alpha ||x - z||_C^2 over the left side")
    )


twin(
    "004 Theorem 4.1.5",
    of="004 Theorem 4.1.1",
    lines="2828-2836",
    printed="DP-PMD is (epsilon, delta)-DP for 0 < epsilon < c_2 T, delta > 0, sigma^2 of (4.3)",
    reason="as Theorem 4.1.1: for w = ||x||^2/2 on a large ball DP-PMD is DP-PGD",
    algorithms=("diss-4.1.18",),
)


@of_mirror_descent(
    "004 (4.7)",
    lines="2834, 3016-3050",
    kind="utility",
    printed="E||g_{C,R}||_2 <= O(||C||_2^{3/2} (W ln(1/delta))^{1/4}/sqrt(n epsilon))",
    checked="from E||g||_C^2 <= 4 L ||C||_2^2 Delta/T + 2 sigma^2 E||b||_*^2 and ||g||_2 <= "
    "||C||_2 ||g||_C/2: ||C||_2^{3/2}/2 sqrt(4 L Delta + 2 c G^2) (W a)^{1/4}/sqrt(n epsilon)",
    refuses={
        "||C||_2": {"size": 2},
        "(W a)^{1/8}": {"power": 8},
        "2 L Delta": {"four": 2},
        "W = ||C||_2^2": {"widths": 0},
        "W = G_C^2": {"diameters": 0},
    },
)
def mirror_descent_error(
    size: int = 3, power: int = 4, four: int = 4, widths: int = 1, diameters: int = 1
) -> Outcome:
    """:func:`section_4_1_1.one_step` in the norm of C, in which F is L ||C||_2^2-smooth.

    Its map is that of Lemma 4.1.5 with modulus 1 [step "mirror"]. Summed over T steps with T =
    n epsilon ||C||_2/sqrt(W a), (4.3), E||b||_*^2 <= W (Lemma 4.1.1, step "width") and E Z <=
    sqrt(E Z^2) [step "rate", squared].

    Here a = log(1/delta).
    """
    W, a, n, eps, c, G, L, C, drop = symbols("W a n epsilon c G L C drop")
    rounds = n * eps * C / sp.sqrt(W * a)
    variance = c * G**2 * rounds * a / (n * eps) ** 2
    smooth = L * C**2
    # the T steps ||g||^2/(4 L) - ||eps||^2/(2 L), with the modulus of F for L, add up to Delta
    square = 4 * smooth * (drop / rounds + variance * W / (2 * smooth))
    rate = (W * a) ** sp.Rational(1, power) / sp.sqrt(n * eps)
    moment, width, diameter = reals("moment G_C D")
    claimed = C ** sp.Rational(size, 2) / 2 * sp.sqrt(four * L * drop + 2 * c * G**2) * rate
    return derived(
        mirror=convexity.mirror_step(),
        step=one_step(),
        width=for_all(
            moment <= diameters * diameter**2 + widths * width**2,
            *(width >= 0, diameter >= 0, moment <= width**2 + diameter**2 / 4),
        ),
        rate=identity(((C / 2) ** 2 * square, claimed**2)),
    )


@of_mirror_descent(
    "004 Remark 4.1.3",
    lines="2838",
    kind="remark",
    printed="if ||C||_2 <= 1 and G_C = o(sqrt(p)), the bound of (4.7) is always less than that of "
    "(4.4); without the terms of C it is that of (4.6)",
    checked="||C||_2^{3/2} (||C||_2^2 + G_C^2)^{1/4} <= p^{1/4} and = (4.6) at ||C||_2 = 1",
    added="G_C^2 <= p - 1; constants are left out, and (4.4) bounds another gradient than (4.7)",
    refuses={
        "||C||_2 <= 2": {"size": 2},
        "G_C^2 <= p": {"less": 0},
        "W for W^{1/4}": {"power": 4},
        "W^{1/8}": {"power": "1/2"},
    },
)
def compared_bounds(size: int = 1, less: int = 1, power: int | str = 1) -> Outcome:
    """The fourth powers; ln(1/delta)/(n epsilon)^2 is common to all three [step "smaller"].

    Here G = G_C.

    (4.7) over (4.6) is ||C||_2^{1/2}, 1 at ||C||_2 = 1 and less below [step "same"].
    """
    diameter, width, p = reals("C G p")
    C, W = symbols("C W")
    return derived(
        smaller=for_all(
            diameter**6 * (diameter * diameter + width * width) <= p,
            *(diameter >= 0, diameter <= size, width >= 0, width * width <= p - less),
        ),
        same=identity((C**6 * W ** sp.Rational(power) / (C**4 * W), C**2)),
    )
