"""Section 4.3.1, unconstrained: escaping from saddle points (Theorem 4.3.1, Lemmas 4.3.4, 4.3.7).

In the notation of l.4141: eta = 1/M, r = alpha chi^-3 c^-6, Phi = sqrt(alpha^3/rho) chi^-3 c^-5,
Gamma = chi c/(eta sqrt(rho alpha)) steps. X = sqrt(alpha/rho)/(chi c^2); R = 5 X is the radius that
the corrected l.4234 gives. w~ is the saddle, -gamma <= -sqrt(rho alpha) the lowest eigenvalue of
the Hessian there and e_min its eigenvector.
"""

from __future__ import annotations

from functools import partial

from mpmath import mp

from proofs_checks.balls import ball, exp, log, ndtr, pi, sqrt
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_4_3_1 import wider_radius
from proofs_checks.statement import statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    every,
    for_all,
    identity,
    less,
    precisely,
    rational,
    reals,
    refuted,
    symbols,
)

of_descent = partial(statement, algorithms=("diss-4.3.25",))


# ------------------------------------------------------------------------- two runs, the same noise


def growth(radius: int = 5, least: int = 15, share: str = "1/2") -> Outcome:
    """Check the induction of (4.65), with g = eta gamma and x_t = w_t - w'_t.

    x_{t+1} = (I - eta H) x_t - eta Delta_t x_t, because the noise is the same; unrolled
    (I - eta H)^t x_1 - eta sum (I - eta H)^(t-tau) Delta_tau x_tau [step "unrolled", in one
    dimension and t = 3]. I - eta H has norm 1 + g (M-smoothness), attained on x_1, which is along
    e_min; ||Delta_tau|| <= rho R. If ||x_tau|| <= 3/2 (1 + g)^(tau-1) ||x_1|| up to t, every term
    of the sum is at most eta rho R (3/2)(1 + g)^(t-1) ||x_1||; there are t <= Gamma, and
    eta rho R Gamma = 5/c [step "budget"]: the sum is at most half of (1 + g)^t ||x_1|| [step
    "half", A = (1 + g)^(t-1) ||x_1||], which is the hypothesis for t + 1.
    """
    h, x1, chi, c, rho, alpha, eta = symbols("h x_1 chi c rho alpha eta")
    d = symbols("d_1:4")
    runs = [x1]
    for change in d:
        runs.append((1 - h) * runs[-1] - change * runs[-1])
    unrolled = (1 - h) ** 3 * x1
    unrolled -= sum((1 - h) ** (2 - k) * d[k] * runs[k] for k in range(3))
    steps = chi * c / (eta * sp.sqrt(rho * alpha))
    far = radius * sp.sqrt(alpha / rho) / (chi * c**2)
    t, total, budget, constant, size, g = reals("t Gamma budget c A g")
    return derived(
        unrolled=identity((sp.expand(runs[3] - unrolled), 0)),
        budget=identity((eta * rho * far * steps, radius / c)),
        half=for_all(
            3 * budget * t * size / 2 <= rational(share) * size * (1 + g) * total,
            *(total >= 1, t >= 0, t <= total, size >= 0, g >= 0),
            *(constant >= least, constant * budget == radius),
        ),
    )


@of_descent(
    "004 (4.65)",
    lines="4244-4252",
    kind="approximation",
    printed="||eta sum (I - eta H)^(t-tau) Delta_tau x_tau|| <= ||(I - eta H)^t x_1||/2 for "
    "t <= Gamma, of two independent runs (l.4205)",
    false="only if both runs have the same noise: a difference of noises is added to every x_t, "
    "and the right side has the factor xi",
    errata=("diss-4.3.25/E5",),
)
def different_noises() -> Outcome:
    """F = cos w at its saddle 0, M = rho = alpha = d = 1; c = 23, xi = 1e-40, chi of l.4262; t = 2.

    w_1 = eta r, x_1 = xi eta r sqrt(2 pi), and the first noises are -r and r, within the bound of
    Lemma 4.3.2. eta Delta_t x_t = (w_t - sin w_t) - (w'_t - sin w'_t), 1 - eta H = 2.
    """
    with mp.workdps(100):
        xi, c = mp.mpf(10) ** -40, 23
        r = mp.log(1 / xi) ** -3 * mp.mpf(c) ** -6
        first, other = r, r - xi * r * mp.sqrt(2 * mp.pi)

        def bend(w: mp.mpf, v: mp.mpf) -> mp.mpf:
            return (w - mp.sin(w)) - (v - mp.sin(v))

        second = first + mp.sin(first) + r, other + mp.sin(other) - r
        left = abs(2 * bend(first, other) + bend(*second))
        right = 2**2 * (first - other) / 2
        point = {"F": "cos w", "c": c, "xi": 1e-40, "t": 2, "noises": "-r and r, then the same"}
        return refuted(point, left, right, "the sum against half of the other part")


@different_noises.corrected(
    "the same with the same noise in both runs, for R = 5 X and c >= 15",
    refuses={"c >= 14": {"least": 14}, "1/3": {"share": "1/3"}, "R = 6 X": {"radius": 6}},
)
def runs_part(radius: int = 5, least: int = 15, share: str = "1/2") -> Outcome:
    """See :func:`growth`; here far = R and X = sqrt(alpha/rho)/(chi c^2)."""
    return growth(radius, least, share)


def doubling() -> Outcome:
    """(1 + y)^Gamma >= 2^(y Gamma) on 0 <= y <= 1: log(1 + y) is concave, y log 2 at both ends."""
    y = sp.Symbol("y", positive=True)
    gap = sp.log(1 + y) - y * sp.log(2)
    return identity(
        (sp.diff(gap, y, 2), -1 / (1 + y) ** 2), (gap.subs(y, 0), 0), (gap.subs(y, 1), 0)
    )


def power_of_two(rounds: str = "1") -> Outcome:
    """y Gamma = chi c at y = eta sqrt(rho alpha), so that (1 + y)^Gamma >= 2^(chi c)."""
    rho, alpha, chi, c, eta = symbols("rho alpha chi c eta")
    steps = chi * c / (eta * sp.sqrt(rho * alpha))
    return identity((eta * sp.sqrt(rho * alpha) * steps, sp.Rational(rounds) * chi * c))


def separation(radius: int = 5, least: int = 15) -> Outcome:
    """Two runs from points |lambda| apart along e_min, 2^(chi c) |lambda|/2 > 2R: one falls by Phi.

    F rises by at most (3/2) Phi/c <= Phi from w~ to w_1, eta r away [step "start", in units of
    Phi, k = sqrt(rho alpha)/M <= 1]. If neither run fell by 2 Phi, Lemma 4.3.6 would keep both
    within R of w~ (l.4234, corrected [step "radius"]), so ||x_{Gamma+1}|| <= 2R; but by (4.65)
    [step "growth"] it is at least (1 + g)^Gamma |lambda|/2 >= 2^(chi c) |lambda|/2 [steps
    "doubling" and "exponent"].
    """
    k, u, v = reals("k u v")  # u = 1/chi, v = 1/c
    M, rho, alpha, chi, c = symbols("M rho alpha chi c")
    r = alpha / chi**3 / c**6
    drop = sp.sqrt(alpha**3 / rho) / chi**3 / c**5
    part = sp.sqrt(rho * alpha) / M
    return derived(
        rise=identity(
            (alpha * r / M / drop, part / c),
            (r**2 / (2 * M) / drop, part / (2 * chi**3 * c**7)),
        ),
        start=for_all(
            k * v + k * u * u * u * v**7 / 2 <= 1,
            *(k > 0, k <= 1, u > 0, u <= 1, v > 0, v * least <= 1),
        ),
        radius=wider_radius(str(radius), str(least)),
        growth=growth(radius, least),
        doubling=doubling(),
        exponent=power_of_two(),
    )


def large_enough(least: int = 23, part: int = 2, dimension: int = 1) -> Outcome:
    """2^(chi c) |lambda|/part > 2R at |lambda| = xi eta r sqrt(2 pi/d), chi of l.4262, part = 2.

    4R/|lambda| = (20/sqrt(2 pi)) chi^2 c^4 sqrt(d) M/(xi sqrt(rho alpha)) [step "ratio"], and
    the last factors are at most e^chi. chi c log 2 - chi - 2 log chi - 4 log c increases in
    chi >= 1 and in c [steps "slope in chi", "slope in c"; log 2 > .693] and is large enough at
    chi = 1 and the least c [step "corner"].
    """
    chi, c, rho, alpha, M, d, xi = symbols("chi c rho alpha M d xi")
    far = 5 * sp.sqrt(alpha / rho) / (chi * c**2)
    width = xi * alpha / chi**3 / c**6 / M * sp.sqrt(2 * sp.pi / d)
    factors = sp.sqrt(d) ** dimension * M / (xi * sp.sqrt(rho * alpha))
    x, y = reals("chi c")
    least_c = ball(least)
    value = least_c * log(ball(2)) - 1 - 4 * log(least_c) - log(10 * part / sqrt(2 * pi()))
    return derived(
        ratio=identity(
            (2 * part * far / width, 10 * part / sp.sqrt(2 * sp.pi) * chi**2 * c**4 * factors)
        ),
        slope_in_chi=for_all((y * rational("0.693") - 1) * x > 2, x >= 1, y >= least),
        slope_in_c=for_all(x * rational("0.693") * y > 4, x >= 1, y >= least),
        corner=less(ball(0), value),
    )


@of_descent(
    "004 l.4141",
    lines="4141",
    kind="approximation",
    printed="chi = max{1, C_1 log(dMB/(rho alpha xi))}: for large enough c 2^(chi c) xi alpha/"
    "(2 M chi^3 c^6) >= 2R (l.4262)",
    false="d M B/(rho alpha) is not a pure number: in some units of w chi is 1, and then no c is "
    "large enough for all alpha; l.4262 has another chi",
    errata=("diss-4.3.25/E4",),
)
def logarithm_of_units() -> Outcome:
    """M = rho = d = 1, xi = .1, B = xi alpha: the logarithm is 0 and chi = 1, whatever C_1 is.

    F = B cos(k w) with k = alpha^(-1/4)/sqrt(xi) is in the class and has F'' = -sqrt(alpha) at 0.
    c = 1000, alpha = 1e-700: logarithms of 2R = 8 sqrt(alpha)/c^2, as printed, and of the left
    side.
    """
    c, tenth = ball(1000), ball("0.1")
    log_alpha = -700 * log(ball(10))
    left = c * log(ball(2)) + log(tenth) + log_alpha - log(ball(2)) - 6 * log(c)
    right = log(ball(8)) + log_alpha / 2 - 2 * log(c)
    point = {"c": 1000, "alpha": "1e-700", "M": 1, "rho": 1, "B": "1e-701", "xi": 0.1, "chi": 1}
    return refuted(point, right, left, "logarithm of 2R against that of the left side")


@logarithm_of_units.corrected(
    "chi = max{1, log(sqrt(d) M/(xi sqrt(rho alpha)))} of l.4262 and c >= 23, with R = 5 X and the "
    "left side 2^(chi c) xi eta r sqrt(2 pi/d)/2",
    refuses={
        "c >= 22": {"least": 22},
        "a third of the left side, for half": {"part": 3},
        "chi without sqrt(d)": {"dimension": 0},
    },
)
def pure_number(least: int = 23, part: int = 2, dimension: int = 1) -> Outcome:
    """See :func:`large_enough`.

    Here far = R, X = sqrt(alpha/rho)/(chi c^2), eta = 1/M and r = alpha/(chi^3 c^6).
    """
    return large_enough(least, part, dimension)


# --------------------------------------------------------------------------------- the stuck region


def stuck(w: mp.mpf, spread: mp.mpf, half: mp.mpf) -> mp.mpf:
    """Return P(|w + spread N| <= half)."""
    return mp.ncdf((half - w) / spread) - mp.ncdf((-half - w) / spread)


def length_of_region(spread: str, xi: str) -> mp.mpf:
    """Return the length of {w: P(|w + spread N| <= 1/2) >= sqrt(xi)}, 0 if it is empty."""
    half, level, width = mp.mpf(1) / 2, mp.sqrt(mp.mpf(xi)), mp.mpf(spread)
    if stuck(mp.mpf(0), width, half) < level:
        return mp.mpf(0)
    most = half + 20 * width  # beyond it the probability is far below the levels used
    low, high = mp.mpf(0), most
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if stuck(middle, width, half) >= level else (low, middle)
    return 2 * low


def shared_noise(per_noise: bool = True) -> Outcome:
    """On F = -w^2/2 a run is stuck if |w + spread N| <= h: W = 2h = 1 for every noise sequence.

    Averaged over the noise the region has at most the length W/sqrt(xi).
    """

    def cases() -> list[tuple[dict[str, str], mp.mpf, mp.mpf]]:
        return [
            (
                {"spread": spread, "xi": xi},
                length_of_region(spread, xi),
                1 / mp.sqrt(mp.mpf(xi)) if per_noise else mp.mpf(1),
            )
            for spread in ("0.01", "0.2", "0.5", "1", "3")
            for xi in ("0.5", "0.16", "0.01")
        ]

    return precisely(cases, digits=30, note="length of the stuck region")


@of_descent(
    "004 (4.62)",
    lines="4197",
    kind="definition",
    printed="X(w~) = {w in B(w~, eta r): P(F(DPGD^Gamma(w)) - F(w~) >= -Phi) >= sqrt(xi)}",
    checked="where every noise sequence leaves points within a length W stuck, X has length at "
    "most W/sqrt(xi), in examples",
    refuses={"at most W": {"per_noise": False}},
    unchecked={
        "X, w~, w, B, eta, r, F, Gamma, Phi": "the region itself, what is defined; the step has "
        "its length in examples",
    },
)
def stuck_region(per_noise: bool = True) -> Outcome:
    """See :func:`shared_noise`."""
    return definition(shared_noise(per_noise))


@of_descent(
    "004 (4.63)",
    lines="4207",
    kind="approximation",
    printed="min{F(w_{Gamma+1}), F(w'_{Gamma+1})} - F(w~) <= -Phi with probability 1 - xi, for "
    "w_1 - w'_1 along e_min at least xi eta r sqrt(2 pi/d) long",
    checked="for every noise within r a step that is the same in both runs; c >= 23, chi of l.4262",
    undecided="independent runs, as l.4205 has them: the noise is the same in both here, as in "
    "(4.65)",
    refuses={"c >= 22": {"least": 22}, "R = 4 X": {"radius": 4}},
    unchecked={
        "F": "the steps have where the runs would be if neither fell by Phi: within R, "
        "yet farther apart",
    },
)
def one_of_two_falls(least: int = 23, radius: int = 5) -> Outcome:
    """See :func:`separation` and :func:`large_enough`; here x_1 = w_1 - w'_1 and drop = Phi."""
    return every(separation(radius), large_enough(least))


@of_descent(
    "004 (4.64)",
    lines="4211-4215",
    kind="approximation",
    printed="if w_1 and w'_1 are in X, neither falls by Phi with probability at least xi, which "
    "contradicts (4.63)",
    added="independent runs, as l.4205 has them ((4.65) needs the same noise in both)",
    refuses={
        "2 xi": {"factor": "2"},
        "P >= xi for P >= sqrt(xi) in X": {"root": False},
        "the same noise in both": {"independent": False},
    },
    unchecked={
        "w_1, w'_1, X, Phi": "P and P' are the probabilities that the runs from w_1 and "
        "w'_1 fall less than Phi; in X they are at least sqrt(xi)",
    },
)
def both_stuck(factor: str = "1", *, root: bool = True, independent: bool = True) -> Outcome:
    """The probability is the product of two that are at least sqrt(xi)."""
    if not independent:
        return never_both_stuck()
    first, second, xi = reals("P P' xi")
    in_region = (
        (first * first >= xi, second * second >= xi) if root else (first >= xi, second >= xi)
    )
    return for_all(
        first * second >= rational(factor) * xi,
        *(xi > 0, xi < 1, first >= 0, first <= 1, second >= 0, second <= 1, *in_region),
    )


def never_both_stuck() -> Outcome:
    """Runs stuck if |w + N/2| <= 1/2, from w = .6 and w' = -.6 with the same N; xi = .16.

    Each is stuck with probability Phi(-.2) - Phi(-2.2) = .407 >= sqrt(xi), so both points are in
    X; they are 1.2 apart, so that never both are.
    """
    each = ndtr(ball("-0.2")) - ndtr(ball("-2.2"))
    inside = less(sqrt(ball("0.16")), each)
    assert inside.holds
    point = {"w": 0.6, "w'": -0.6, "xi": 0.16, "each is stuck with probability": float(each)}
    return refuted(point, ball("0.16"), ball(0), "xi against the probability that both are stuck")


def average_of_regions(share: str = "1") -> Outcome:
    """With the same noise: X has length at most W/sqrt(xi) along e_min, W that under each noise.

    By (4.63) the points stuck under one noise sequence are within W. Markov's inequality: q 1[P(w
    stuck) >= q] <= P(w stuck), q = sqrt(xi) [step "Markov"]. Integrated along e_min the right side
    is the mean over the noise of the length of what is stuck under it [step "integrated"]; for a
    quadratic saddle :func:`shared_noise` has both [step "example"].
    """
    chance, indicator, q = reals("P 1_X q")
    length, integral, width = reals("X integral W")
    return derived(
        Markov=for_all(
            q * indicator <= chance,
            *(chance >= 0, chance <= 1, q > 0, q < 1),
            *((chance >= q) == (indicator == 1), (chance < q) == (indicator == 0)),
        ),
        integrated=for_all(
            q * length <= rational(share) * width,
            *(q > 0, length >= 0, q * length <= integral, integral <= width),
        ),
        example=shared_noise(),
    )


@of_descent(
    "004 Lemma 4.3.7",
    lines="4201-4264",
    kind="approximation",
    printed="for large enough c the width of X(w~) along e_min is at most xi eta r sqrt(2 pi/d), "
    "if ||grad F(w~)|| <= alpha and lambda_min(Hess F(w~)) <= -sqrt(rho alpha)",
    checked="for every noise sequence within r a step: points of B(w~, eta r) stuck under it are "
    "closer than that along e_min, for c >= 23 and chi of l.4262; averaged over the noise ((4.62)) "
    "the length is at most 1/sqrt(xi) times that",
    misprint="rho epsilon for rho alpha",
    refuses={
        "c >= 22": {"least": 22},
        "R = 4 X": {"radius": 4},
        ".75 W/sqrt(xi) on average": {"share": "0.75"},
    },
    unchecked={
        "F": "the steps have where the runs would be if neither fell by Phi: within R, "
        "yet farther apart",
        "lambda_min": "at most -sqrt(rho alpha), at which the steps have the growth",
    },
)
def width_of_the_region(least: int = 23, radius: int = 5, share: str = "1") -> Outcome:
    """Two stuck points that far apart contradict (4.63)."""
    return every(separation(radius), large_enough(least), average_of_regions(share))


@of_descent(
    "004 (4.66)",
    lines="4268-4274",
    kind="approximation",
    printed="Vol(X) <= Vol(B^(d-1)(eta r)) eta r_0, hence Vol(X)/Vol(B^d(eta r)) <= "
    "r_0/(r sqrt(pi)) sqrt((d+1)/2) <= 2 xi, r_0 = xi r sqrt(2 pi/d)",
    checked="<= sqrt(2) xi for d >= 1, where X has length at most eta r_0 on every line along "
    "e_min",
    refuses={
        "sqrt(d/2)": {"more": 0},
        "<= 1.4 xi": {"bound": "1.4"},
        "r_0 = xi r sqrt(2 pi)": {"dimension": 0},
    },
    unchecked={
        "B": "balls, of which the steps have the volumes at radius 1",
        "eta": "the same power in both volumes; it cancels",
    },
)
def volume_of_the_region(
    more: int = 1, bound: str = "1.4142135623730951", dimension: int = 1
) -> Outcome:
    """Integrate the lengths over the projection, a ball of dimension d - 1 (Fubini).

    The ratio is r_0/(r sqrt(pi)) Gamma(d/2 + 1)/Gamma(d/2 + 1/2) [step "ratio", d = 1 to 60]. Gamma
    is log-convex: Gamma(x + 1)^2 <= Gamma(x + 1/2) Gamma(x + 3/2) = (x + 1/2) Gamma(x + 1/2)^2
    [step "shift"; step "points" at x = d/2]. Then xi sqrt((d + 1)/d) [step "product", shortest =
    r_0; step "bound", squared, over xi^2].
    """
    y = sp.Symbol("y", positive=True)  # x + 1/2
    size, xi, r = symbols("d xi r")
    shortest = xi * r * sp.sqrt(2 * sp.pi / size**dimension)
    share = shortest / (r * sp.sqrt(sp.pi)) * sp.sqrt((size + 1) / 2)
    d, s = reals("d s")

    def volume(dimension: int) -> mp.mpf:
        return mp.pi ** (mp.mpf(dimension) / 2) / mp.gamma(mp.mpf(dimension) / 2 + 1)

    def ratios() -> list[tuple[dict[str, int], mp.mpf, mp.mpf]]:
        return [
            (
                {"d": k},
                volume(k - 1) / volume(k),
                mp.gamma(mp.mpf(k) / 2 + 1) / mp.gamma(mp.mpf(k + 1) / 2) / mp.sqrt(mp.pi),
            )
            for k in range(1, 61)
        ]

    def points() -> list[tuple[dict[str, int], mp.mpf, mp.mpf]]:
        return [
            (
                {"d": k},
                mp.gamma(mp.mpf(k) / 2 + 1) / mp.gamma(mp.mpf(k + 1) / 2),
                mp.sqrt(mp.mpf(k + more) / 2),
            )
            for k in range(1, 61)
        ]

    return derived(
        ratio=precisely(ratios, "=", digits=40, tolerance="1e-30", note="volumes of unit balls"),
        shift=identity(
            (sp.expand_func(sp.gamma(y + 1)), (y - sp.Rational(1 - more, 2)) * sp.gamma(y))
        ),
        points=precisely(points, digits=40, note="Gamma(d/2 + 1)/Gamma(d/2 + 1/2)"),
        product=identity((share, xi * sp.sqrt((size + 1) / size))),
        bound=for_all(
            s * s * d <= rational(bound) * rational(bound) * d, d >= 1, s >= 0, s * s * d == d + 1
        ),
    )


@of_descent(
    "004 Lemma 4.3.4",
    lines="4163-4280",
    kind="utility",
    printed="if ||grad F(w_t)|| <= alpha and lambda_min(Hess F(w_t)) <= -sqrt(rho alpha), then "
    "with probability 1 - xi F(w_{t+Gamma}) - F(w_t) <= -Phi",
    false="Gamma does not depend on the noise, but leaving a strict saddle takes longer the "
    "smaller it is; the first step is Gaussian, not uniform in a ball",
    errata=("diss-4.3.25/E1",),
)
def stuck_for_gamma_steps() -> Outcome:
    """F = (cos w_1 - cos w_2)/4 at its saddle 0, M = rho = 1/2, alpha = .05, chi c = 1500.

    Gamma = chi c M/sqrt(rho alpha) = 4744 and Phi >= sqrt(alpha^3/rho) (chi c)^-5. |w_1| <=
    4 z sigma (3/2)^Gamma as in Theorem 4.3.1, and F falls by at most w_1^2/8. At sigma = 1e-900,
    2z^2 = 40 log(10), that is below Phi.
    """
    steps = 4744
    z = sqrt(20 * log(ball(10)))
    grown = log(4 * z) - 900 * log(ball(10)) + steps * log(ball("1.5"))
    drop = log(ball("0.05")) * 3 / 2 + log(ball(2)) / 2 - 5 * log(ball(1500))
    inside = less(2 * grown - log(ball(8)), drop)
    assert inside.holds
    still = 1 - 2 * steps * exp(-(z**2) / 2)
    point = {"alpha": 0.05, "Gamma": steps, "sigma": "1e-900", "xi": 0.05}
    return refuted(point, still, ball("0.05"), "probability of falling by less than Phi against xi")


@stuck_for_gamma_steps.corrected(
    "after the first and Gamma more steps, with probability 1 - xi less that of a noise above r, "
    "if c >= 15 and 2^(chi c) > 4R/(xi eta sigma sqrt(2 pi)), which makes chi contain log(1/sigma)",
    refuses={
        "half of 2^(chi c)": {"width": 2},
        "c >= 14": {"least": 14},
        "R = 4.05 X": {"radius": "4.05"},
        "3R for 4R": {"times": "3"},
        "2^(chi c/2)": {"rounds": "1/2"},
        "r = alpha/(chi^3 c^5)": {"small": 5},
    },
)
def escape(
    width: int = 1,
    least: int = 15,
    radius: str = "5",
    times: str = "4",
    rounds: str = "1",
    small: int = 6,
) -> Outcome:
    """Fix all noise but the first step's part along e_min: what is stuck is shorter than W.

    Two first steps that differ by W = xi eta sigma sqrt(2 pi) along e_min, with the same noise
    otherwise, cannot both lead to a fall of less than Phi within 1 + Gamma <= 2 Gamma steps: Lemma
    4.3.6 from w_t would keep both runs within R, R^2 >= 16 eta Gamma Phi + 200 (eta Gamma r)^2
    [step "radius", in units of X, by step
    "units"], but in the end they are (1 + eta sqrt(rho alpha))^Gamma W/2 >=
    2^(chi c) W/2 apart (:func:`growth`, :func:`doubling`, step "exponent"), more than 2R [step
    "apart"]. The first step has the density at most 1/(eta sigma sqrt(2 pi)) along e_min: it is
    stuck with probability at most xi [step "slab"].
    """
    xi, eta, sigma, x = symbols("xi eta sigma x")
    chi, c, rho, alpha = symbols("chi c rho alpha")
    X = sp.sqrt(alpha / rho) / (chi * c**2)
    moved = chi * c / sp.sqrt(rho * alpha)  # eta Gamma
    fall, r = sp.sqrt(alpha**3 / rho) / (chi**3 * c**5), alpha / (chi**3 * c**small)
    u, v, grown, distance, far = reals("u v 2^(chi_c) W R")
    length = width * xi * eta * sigma * sp.sqrt(2 * sp.pi)
    density = sp.exp(-(x**2) / (2 * (eta * sigma) ** 2)) / (eta * sigma * sp.sqrt(2 * sp.pi))
    return derived(
        units=identity((moved * fall, X**2), (moved * r, X / (chi * c**3))),
        radius=for_all(
            16 + 200 * u * u * v**6 <= rational(radius) * rational(radius),
            *(u > 0, u <= 1, v > 0, 2 * v <= 1),
        ),
        growth=growth(5, least),
        doubling=doubling(),
        exponent=power_of_two(rounds),
        apart=for_all(
            grown * distance / 2 > 2 * far,
            *(distance > 0, far > 0, grown * distance > rational(times) * far),
        ),
        slab=identity((density.subs(x, 0) * length, xi)),
    )


# ------------------------------------------------------------------------------------ the theorem


@of_descent(
    "004 Theorem 4.3.1",
    lines="3879-3885",
    kind="utility",
    printed="for every n above (4.56), with T = O~(M B/alpha^2), one of the iterates is an "
    "alpha-SOSP with probability 1 - zeta",
    false="T does not depend on n, but leaving a strict saddle takes about log n steps; the proof "
    "takes the first Gaussian step for one uniform in a ball",
    errata=("diss-4.3.25/E1",),
)
def escape_in_fixed_time() -> Outcome:
    """Start F = (cos w_1 - cos w_2)/4 at its saddle 0; M = rho = G = 1/2, eta = 2.

    |w_1| grows by a factor 3/2 at most and 2|noise| a step, so that if all T draws are at most
    z sigma, |w_1| <= 4 z sigma (3/2)^T, which fails with probability <= 2 T exp(-z^2/2). w_1
    below .8 means an eigenvalue below -cos(.8)/4 = -.174 < -sqrt(rho alpha) = -.159 at
    alpha = .05. For T = 10^4, many times M B/alpha^2, sigma = 10^-1800 is small enough, and n of
    the order of T/sigma makes it so. 2z^2 = 40 log(10).
    """
    steps = 10**4
    z = sqrt(20 * log(ball(10)))
    grown = log(4 * z) - 1800 * log(ball(10)) + steps * log(ball("1.5"))
    stuck = 1 - 2 * steps * exp(-(z**2) / 2)
    inside = less(grown, log(ball("0.8")))
    assert inside.holds
    point = {"alpha": 0.05, "T": steps, "sigma": "1e-1800", "n": "of the order of 1e1802"}
    return refuted(point, stuck, ball("0.05"), "probability of never being one, against zeta")


@escape_in_fixed_time.corrected(
    "T = 8 M B/alpha^2 + 2 (2B/Phi + 1) Gamma <= 8 (1 + chi^4 c^6) M B/alpha^2 if Phi <= 2B, with "
    "chi of the corrected Lemma 4.3.4, which contains log(1/sigma): with probability "
    "1 - (2B/Phi + 1) xi less that of a noise above r",
    refuses={
        "4 M B/alpha^2": {"flat": 4},
        "half as many steps in phases": {"length": 1},
        "chi^3": {"power": 3},
        "r <= alpha up to c = 1": {"least": 1},
        "6 chi^4 c^6": {"whole": 6},
        "Phi <= 4B": {"most": 4},
        "probability 1 - 2B/Phi xi": {"last": 0},
    },
    unchecked={
        "sigma": "in chi alone, by the corrected Lemma 4.3.4",
    },
)
def enough_steps(
    flat: int = 8,
    length: int = 2,
    power: int = 4,
    least: int = 15,
    whole: int = 8,
    most: int = 2,
    last: int = 1,
) -> Outcome:
    """Cut the path into single steps from large gradients and phases of 1 + Gamma from saddles.

    If no iterate is an alpha-SOSP, every one has ||grad F|| > alpha, and then its step lowers F by
    a = eta alpha^2/4 (Lemma 4.3.3, r <= alpha/20 [step "noise", u = 1/chi, v = 1/c]), or it is a
    saddle, and then F falls by f = Phi within the next 1 + Gamma <= 2 Gamma = g steps unless
    something of probability xi happens (Lemma 4.3.4, corrected). F falls by at most 2B, so that
    k single steps are at most 2B/a [step "single"] and j phases at most (2B/f) g steps [step
    "phases"], and less than one phase is left over. With eta = 1/M and Gamma/Phi = chi^4 c^6
    M/alpha^2 [step "length", Gamma = chi c M/sqrt(rho alpha)] phases take at most 8 B Gamma/Phi
    steps if Phi <= 2B [step "whole"], and both parts add up to T [step "total", x = M B/alpha^2,
    y = chi^4 c^6]; each phase may fail with probability xi [step "failures"].
    """
    chi, c, rho, alpha, M, B = symbols("chi c rho alpha M B")
    steps = chi * c * M / sp.sqrt(rho * alpha)
    drop = sp.sqrt(alpha**3 / rho) / chi**3 / c**5
    u, v, a, f, k, j, g, bound = reals("u v a f k j g B")
    failed, xi, total, x, y, share = reals("failed xi T x y B/Phi")
    taken = (*(a > 0, f > 0, g > 0, bound > 0, k >= 0, j >= 0), k * a + j * f <= 2 * bound)
    return derived(
        noise=for_all(20 * u * u * u * v**6 <= 1, u > 0, u <= 1, v > 0, least * v <= 1),
        single=for_all(4 * k * a <= flat * bound, *taken),
        phases=for_all(j * g * f <= length * bound * g, *taken),
        whole=for_all(
            2 * (2 * bound / f + 1) * g <= whole * bound / f * g,
            *(f > 0, g > 0, bound > 0, f <= most * bound),
        ),
        total=for_all(
            total <= whole * (1 + y) * x,
            *(f > 0, g > 0, bound > 0, x > 0, y > 0, f <= most * bound),
            total == flat * x + 2 * (2 * share + 1) * g,
            *(share * f == bound, share * g == y * x),
        ),
        failures=for_all(
            failed <= (2 * bound / f + last) * xi,
            *(*taken, xi > 0, failed <= (j + 1) * xi),
        ),
        length=identity(
            (flat * M * B / alpha**2, 2 * B / (alpha**2 / (4 * M))),
            (2 * length * B / drop * steps, 4 * chi**power * c**6 * M * B / alpha**2),
        ),
    )
