"""Section 3.1.3: DP-Katyusha and DP-SVRG++, their privacy and their error.

K noisy gradients, kappa = L/mu, a = ln(1/delta); gap(x) = F^r(x) - min F^r.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

from mpmath import mp

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_3_1 import Event, private_in_range, visible_record
from proofs_checks.paper_004.section_3_1_7_others import one_step
from proofs_checks.statement import Wrong
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    symbols,
)

of_svrg_plus_plus = partial(any_statement, algorithms=("diss-3.1.3",))
of_katyusha = partial(any_statement, algorithms=("diss-3.1.2",))


def full_gradients(counted: Any, claimed: Any, factor: int = 2, distance: str = "2") -> Outcome:
    """K noisy mean gradients at sigma^2 = 2 K G^2/(n^2 rho) are rho-zCDP.

    Each moves by ||g - g'||/n <= 2 G/n [step "sensitivity", along g - g'], so that K of them make
    K (2G/n)^2/(2 sigma^2) = rho [step "budget"]; rho(epsilon, delta) inverts Lemma 2.1.10.
    ``counted`` is what the loops of the algorithm release, ``claimed`` is the K in sigma^2: here
    counted = K, variance = sigma^2, rho = rho(epsilon, delta).
    """
    g, h, lipschitz = reals("g h G")
    size, n, rho = symbols("G n rho")
    variance = factor * claimed * size**2 / (n**2 * rho)
    bounded = (z3.Abs(g) <= lipschitz, z3.Abs(h) <= lipschitz)
    return derived(
        sensitivity=for_all(z3.Abs(g - h) <= rational(distance) * lipschitz, *bounded),
        budget=identity((counted * (2 * size / n) ** 2 / (2 * variance), rho)),
    )


def katyusha_gradients(factor: int = 2, distance: str = "2", inner: int = 1) -> Outcome:
    """T epochs of m steps, a gradient each."""
    s, t = sp.symbols("s t", integer=True)
    T, m = symbols("T m")
    steps = sp.summation(1, (t, 1, m), (s, 1, T))
    return full_gradients(steps, T * m**inner, factor, distance)


def plus_gradients(factor: int = 2, distance: str = "2", less: int = 2) -> Outcome:
    """Epochs 1 to T of 2^s m steps, a gradient each."""
    s, T = sp.Symbol("s", integer=True), sp.Symbol("T", positive=True, integer=True)
    m = symbols("m")
    steps = sp.summation(2**s * m, (s, 1, T))
    return full_gradients(steps, (2 ** (T + 1) - less) * m, factor, distance)


TOO_LITTLE: Wrong = {
    "K G^2/(n^2 rho)": {"factor": 1},
    "gradients move by 1.9 G/n": {"distance": "1.9"},
}
EPOCHS_ONLY: Wrong = {"K = T": {"inner": 0}}


# -------------------------------------------------------------------------------- DP-Katyusha


@of_katyusha(
    "004 Theorem 3.1.3",
    lines="699, 709",
    kind="privacy",
    printed="taking sigma as in Theorem 3.1.1, Algorithm 3.1.2 is (epsilon, delta)-DP",
    false="step 7 has no noise term: nothing the algorithm does is random but the draws",
    errata=("diss-3.1.2/E1",),
)
def katyusha_without_noise() -> Outcome:
    """T = m = 1: y_0 = x~, so that v = grad F(x_0) whatever is drawn; the output is a constant.

    f = z x, r = x^2/2, z = (1, 1) against (1, -1), x_0 = 0: prox(-eta mean z) differs.
    """
    eta = Fraction(2, 3)

    def outputs(z: tuple[int, int]) -> set[Fraction]:
        full = Fraction(sum(z), 2)
        return {-eta * (drawn - drawn + full) / (1 + eta) for drawn in z}

    first, second = outputs((1, 1)), outputs((1, -1))
    disjoint = Fraction(int(first.isdisjoint(second)))
    point = {"T": 1, "m": 1, "f": "z x", "r": "x^2/2", "x_0": 0, "z": [1, 1], "z'": [1, -1],
             "outputs": [float(*first), float(*second)]}  # fmt: skip
    return refuted(point, disjoint, Fraction(99, 100), "total variation against delta = .99")


@katyusha_without_noise.corrected(
    "with u_t ~ N(0, sigma^2 I) in step 7: full gradients and sigma^2 = 2 K G^2/(n^2 rho), K = T m",
    refuses={**TOO_LITTLE, **EPOCHS_ONLY},
    unchecked={"u_t": "the noise, of which the steps have the variance"},
)
def katyusha_with_noise(factor: int = 2, distance: str = "2", inner: int = 1) -> Outcome:
    """See :func:`full_gradients`."""
    return katyusha_gradients(factor, distance, inner)


def visible_in_katyusha(n: int, n_inner: int, sigma: mp.mpf) -> Event:
    """Bound the effect of a sampled record on the output of one epoch, in closed form.

    With noise in step 7; p = 1, G = L = 1, mu = 3/(4m), case 2 (eta = 2/3, theta = 1/2,
    w = 1 + 1/(2m)), r = |x| + mu x^2/2, x_0 = 4, f_i = 0 for i < n; f_n is Huber's with its kink at
    3 under D and 0 under D'. The output is 2 + Y/(2 sum w^j), Y = sum w^j x_{j+1}. As long as all
    |u_t| <= 1/50, x_t = soft(x_{t-1} - eta v_t, eta)/w falls to 0 and stays there until n is drawn,
    between the paths with v_t = -1/50 and with v_t = 1/50 + 1/n. At x = 0, f_n has slope -1 at
    y = 2 against 1 at the snapshot: a draw lifts x to eta (1 - 1/50 - 1/n)/w at least, and no draw
    lowers it. The threshold of Y is where the upper path leads without a draw.
    """
    eta, quiet, growth = mp.mpf(2) / 3, mp.mpf(1) / 50, 1 + mp.mpf(1) / (2 * n_inner)
    record, missed = mp.mpf(1) / n, 1 - mp.mpf(1) / n
    upper = lower = mp.mpf(4)
    most = least = mp.mpf(0)
    settled = 0
    while upper > 0:
        upper = max(mp.mpf(0), upper - eta * (1 - quiet)) / growth
        lower = max(mp.mpf(0), lower - eta * (1 + quiet + record)) / growth
        most += growth**settled * upper
        least += growth**settled * lower
        settled += 1
    if least + eta * (1 - quiet - record) / growth <= most:
        raise ValueError(f"n = {n} is too small to tell the paths apart")
    loud = 2 * n_inner * mp.ncdf(-quiet / sigma)
    return Event(most, missed**settled - missed**n_inner - loud, loud)


@of_katyusha(
    "004 Theorem 3.1.3, range of epsilon",
    lines="709-717, 834",
    kind="privacy",
    printed="sigma as in Theorem 3.1.1 at the T and m of Theorem 3.1.3 (noise in step 7)",
    false="T m = O((n + sqrt(n kappa)) log n) is outside epsilon <= c_1 T m/n^2 for constant "
    "epsilon and large n, and there a drawn record is plainly visible",
    errata=("diss-3.1.2/E2",),
)
def katyusha_out_of_range() -> Outcome:
    """kappa = n, m = 3n/4, and T = 1, for p of order n^2; a larger n defeats any c."""
    epsilon, delta, found = 1.0, 1e-4, {}
    for c, n in ((1, 10**7), (8, 10**7), (64, 10**8), (1000, 10**9)):
        inner = 3 * n // 4
        sigma = mp.sqrt(c * inner * mp.log(1 / mp.mpf(delta))) / (n * epsilon)
        found[f"c = {c}, n = {n:g}"] = visible_in_katyusha(n, inner, sigma).certified(delta)
    point = {
        "kappa": "n",
        "m": "3n/4",
        "T": 1,
        "epsilon": epsilon,
        "delta": delta,
        "r": "|x| + mu x^2/2",
        "x_0": 4.0,
        "record of D": "Huber at 3",
        "record of D'": "0",
        "event": "the output shows that x left 0 again",
        "epsilon at least": found,
    }
    return refuted(point, min(found.values()), epsilon, "epsilon of an event against the claim")


@katyusha_out_of_range.corrected(
    "full gradients with sigma^2 = 2 K G^2/(n^2 rho(epsilon, delta)), K = T m",
    refuses={**TOO_LITTLE, **EPOCHS_ONLY},
)
def katyusha_any_range(factor: int = 2, distance: str = "2", inner: int = 1) -> Outcome:
    """See :func:`full_gradients`."""
    return katyusha_gradients(factor, distance, inner)


@of_katyusha(
    "004 (3.6)",
    lines="711, 1201-1219",
    kind="utility",
    printed="E F^r(x~_T) - F^r(x*) <= O~(p log^2 n G^2 log(1/delta)/(n^2 epsilon^2 mu))",
    added="noise of variance (3.3) in step 7",
    refuses={
        "case 1 with sqrt(kappa/n)": {"power": "1/2"},
        "case 2 with m = kappa/2": {"share": "1/2"},
    },
    unchecked={"F, r, x~_T": "the steps have the noise terms of the bound on this gap"},
)
def katyusha_error(power: str = "1", share: str = "3/4") -> Outcome:
    """The noise terms of (3.43) and (3.46) at the T and m of the theorem.

    Case 1, T m = sqrt(n kappa) ell and T = sqrt(kappa/n) ell: T^2 m p G^2 a/(2 L n^2 epsilon^2) is
    ell^2 p G^2 a/(2 n^2 epsilon^2 mu) [step "small n"]. Case 2, m = 3 kappa/4: p sigma^2/L is 3/4 c
    times T p G^2 a/(n^2 epsilon^2 mu) [step "large n"]. The other terms halve in O(1) such T.

    Here a = log(1/delta).
    """
    p, size, a, n, epsilon, mu, L, ell, c, T = symbols("p G a n epsilon mu L ell c T")
    kappa = L / mu
    steps = sp.sqrt(n * kappa) * ell
    rounds = (kappa / n) ** (sp.Rational(power) / 2) * ell
    unit = p * size**2 * a / (n**2 * epsilon**2 * mu)
    sigma = c * size**2 * T * (sp.Rational(share) * kappa) * a / (n * epsilon) ** 2
    return derived(
        small_n=identity(
            (rounds * steps * p * size**2 * a / (2 * L * (n * epsilon) ** 2), ell**2 * unit / 2)
        ),
        large_n=identity((p * sigma / L, sp.Rational(3, 4) * c * T * unit)),
    )


@of_katyusha(
    "004 Remark 3.1.2",
    lines="717",
    kind="remark",
    printed="x~_s = (sum w^j)^-1 sum w^j y_{j+1}",
    refuses={"y = theta (x + x~)": {"rest": 0}},
)
def weighted_mean(rest: int = 1) -> Outcome:
    """Weights that add up to 1 keep old = x~_{s-1}: with S = sum w^j and X = sum w^j x_{j+1}.

    Linear in both, so for any m [step "linear"]; m = 3 written out [step "three"], moved =
    sum w^j y_{j+1}. The claim is x~_s = theta X/S + (1 - theta) old.
    """
    theta, total, mean, old, w = symbols("theta S X old w")
    keep = rest - theta if rest else theta
    points = symbols("x_1 x_2 x_3", real=True)
    weights = [w**j for j in range(3)]
    moved = sum(k * (theta * x + keep * old) for k, x in zip(weights, points, strict=True))
    plain = sum(k * x for k, x in zip(weights, points, strict=True))
    return derived(
        linear=identity(
            (theta * mean / total + (1 - theta) * old, (theta * mean + keep * old * total) / total)
        ),
        three=identity((theta * plain / sum(weights) + (1 - theta) * old, moved / sum(weights))),
    )


# -------------------------------------------------------------------------------- DP-SVRG++


@of_svrg_plus_plus(
    "004 Theorem 3.1.4",
    lines="725-727",
    kind="privacy",
    printed="for 0 < epsilon <= c_1 2^T m/n^2, DP-SVRG++ is (epsilon, delta)-DP with (3.7), some c",
    checked="with c_1 = 1 and c = 500",
    refuses={
        "2^T m queries": {"most": "1"},
        "c = 400": {"constant": 400},
        "c_1 = 3": {"largest": 3},
        "n epsilon for (n epsilon)^2": {"square": 1},
    },
    unchecked={"c_1, c": "1 and 500 in the steps on the range and on the noise"},
)
def plus_in_range(
    most: str = "2", constant: int = 500, largest: int = 1, square: int = 2
) -> Outcome:
    """Its K = 2m + ... + 2^T m = (2^(T+1) - 2) m queries [step "count"] are at most 2 2^T m.

    With a = ln(1/delta), (3.7) with c = 500 is at least (3.3) with c = 250 for K of them [step
    "noise": their ratio, step "ratio", is at least 1], and epsilon <= 2^T m/n^2 <= K/n^2 (T >= 1)
    is the range of Theorem 3.1.1 [step "range"], which see.
    """
    s, T, m = (
        sp.Symbol("s", integer=True),
        sp.Symbol("T", positive=True, integer=True),
        symbols("m"),
    )
    power, inner, a, more = reals("power m a log_2")
    count = (2 * power - 2) * inner
    K, P, ln, two, size, n, epsilon = symbols("K power_m a log_2 G n epsilon")
    stated = constant * size**2 * P * (ln + two) / (n * epsilon) ** square
    needed = 250 * size**2 * K * ln / (n * epsilon) ** 2
    general = private_in_range.of_printed
    assert general is not None
    return derived(
        count=identity((sp.summation(2**s * m, (s, 1, T)), (2 ** (T + 1) - 2) * m)),
        ratio=identity((stated / needed, constant * P * (ln + two) / (250 * K * ln))),
        noise=for_all(
            z3.And(
                250 * count * a <= constant * power * inner * (a + more),
                count <= rational(most) * power * inner,
            ),
            *(power >= 2, inner >= 1, a > 0, more > 0),
        ),
        range=for_all(largest * power * inner <= count, power >= 2, inner >= 1),
        private=general.check(),
    )


@of_svrg_plus_plus(
    "004 (3.7)",
    lines="727, 731",
    kind="privacy",
    printed="sigma^2 = c G^2 2^T m ln(2/delta)/(n^2 epsilon^2), as Theorem 3.1.5 uses it",
    false="outside epsilon <= c_1 2^T m/n^2 a drawn record is plainly visible",
    errata=("diss-3.1.3/E2",),
)
def plus_out_of_range() -> Outcome:
    """The event of (3.3), of the output of one epoch at eta = 1/13 (L = 1).

    T is that of Theorem 3.1.5, 2^T = n epsilon/sqrt(p ln(1/delta)) = 2, for p = n^2/(4 ln(1/delta))
    coordinates of which the losses see one; a larger n defeats any c.
    """
    epsilon, delta, epochs, inner, found = 1.0, 1e-4, 1, 200, {}
    for c, n in ((1, 2 * 10**4), (8, 2 * 10**4), (64, 5 * 10**4), (1000, 3 * 10**5)):
        sigma = math.sqrt(c * 2**epochs * inner * math.log(2 / delta)) / (n * epsilon)
        event = visible_record(n, 2 * inner, sigma, step_size=1 / 13)
        found[f"c = {c}, n = {n:g}"] = event.certified(delta)
    point = {
        "T": epochs,
        "m": inner,
        "eta": "1/13",
        "p": "n^2/(4 ln(1/delta))",
        "epsilon": epsilon,
        "delta": delta,
        "event": "of the output, as for (3.3)",
        "epsilon at least": found,
    }
    return refuted(point, min(found.values()), epsilon, "epsilon of an event against the claim")


@plus_out_of_range.corrected(
    "full gradients with sigma^2 = 2 K G^2/(n^2 rho(epsilon, delta)), K = (2^(T+1) - 2) m",
    refuses={**TOO_LITTLE, "K = (2^(T+1) - 1) m": {"less": 1}},
)
def plus_any_range(factor: int = 2, distance: str = "2", less: int = 2) -> Outcome:
    """See :func:`full_gradients`."""
    return plus_gradients(factor, distance, less)


@of_svrg_plus_plus(
    "004 Theorem 3.1.5, range of epsilon",
    lines="725-731",
    kind="privacy",
    printed="Theorems 3.1.4 and 3.1.5 together: epsilon <= c_1 2^T m/n^2 at 2^T of order "
    "n epsilon/(G sqrt(p ln(1/delta))) and m = Theta(L)",
    false="epsilon cancels: what remains is n <= c_1 m/(G sqrt(p ln(1/delta)))",
    errata=("diss-3.1.3/E1",),
)
def plus_no_common_epsilon() -> Outcome:
    """p = 50, delta = 1e-4, n = 10^6: any epsilon needs c_1 m >= 2.1e7, here it is 10^6."""
    n, p, delta, constant, epsilon = 10**6, 50, mp.mpf("1e-4"), 10**6, mp.mpf(1)
    power = n * epsilon / mp.sqrt(p * mp.log(1 / delta))
    point = {"n": n, "p": p, "delta": 1e-4, "G": 1.0, "c_1 m": constant, "epsilon": "any"}
    return refuted(point, epsilon, constant * power / n**2, "epsilon (1 here) against its range")


@plus_no_common_epsilon.corrected(
    "no range: full gradients, sigma^2 = 2 K G^2/(n^2 rho), K = (2^(T+1) - 2) m, at most "
    "24 2^T m G^2 ln(1/delta)/(n epsilon)^2 for epsilon <= ln(1/delta)",
    refuses={
        **TOO_LITTLE,
        "16 2^T m": {"most": 16},
        "K = (2^T - 2) m": {"more": 0},
        "epsilon <= 2 ln(1/delta)": {"largest": 2},
        "n epsilon for (n epsilon)^2": {"square": 1},
    },
)
def plus_calibrated(
    factor: int = 2,
    distance: str = "2",
    most: int = 24,
    more: int = 1,
    largest: int = 1,
    square: int = 2,
) -> Outcome:
    """:func:`full_gradients`; and sqrt(rho) = epsilon/(sqrt(a + epsilon) + sqrt(a)).

    With a = ln(1/delta), s = sqrt(a + epsilon) and q = sqrt(a), 2 K/rho = 2 K (s + q)^2/epsilon^2
    [step "rho"], and (s + q)^2 <= 6 q^2 if s^2 <= 2 q^2; K = 2m + ... + 2^T m [step "count"] is
    below 2 2^T m. So (3.7) keeps its form, c = 24.
    """
    a, epsilon, n, size, K = symbols("a epsilon n G K")
    rho = (sp.sqrt(a + epsilon) - sp.sqrt(a)) ** 2
    wide = (sp.sqrt(a + epsilon) + sp.sqrt(a)) ** 2
    noise = factor * K * size**2 / (n**2 * rho)
    i, T = sp.Symbol("s", integer=True), sp.Symbol("T", positive=True, integer=True)
    s, q, count, power, inner = reals("s q K two_T_m m")
    return derived(
        private=plus_gradients(factor, distance),
        rho=identity((noise * (n * epsilon) ** square, 2 * K * size**2 * wide)),
        count=identity((sp.summation(2**i, (i, 1, T)), 2 ** (T + more) - 2)),
        constant=for_all(
            2 * count * (s + q) * (s + q) <= most * power * q * q,
            *(q > 0, s > q, s * s <= (1 + largest) * q * q),
            *(count > 0, inner > 0, count == 2**more * power - 2 * inner),
        ),
    )


@of_svrg_plus_plus(
    "004 Theorem 3.1.5",
    lines="729-731, 762, 1259-1273",
    kind="utility",
    printed="E gap(x~_T) <= O(G sqrt(p ln(1/delta))/(n epsilon)) after T = O(log(n epsilon/"
    "(G sqrt(p ln(1/delta))))) epochs, eta = 1/(13L), m = Theta(L)",
    checked="<= gap_0/2^(T-1) + ||x~_0-x*||^2/(2^T 4 eta m/3) + sigma^2 p/(4L), and its rate",
    added="delta <= 1/2, so that ln(2/delta) <= 2 ln(1/delta); the noise (3.7)",
    refuses={
        "sigma^2 p/(5L)": {"floor": "1/5"},
        "gap_0/2^T": {"first": 1},
        "||x~_0-x*||^2/(2^T 8 eta m/3)": {"distance": "1/2"},
        "2^T = (n epsilon)^2/...": {"power": 2},
        "eta = 1/(12L)": {"thirteen": 12},
        "delta <= .7": {"least": "1/2"},
    },
    unchecked={"x~_T": "the last snapshot, of whose gap the steps have the recursion"},
)
def plus_error(
    floor: str = "1/4",
    first: int = 2,
    power: int = 1,
    distance: str = "1",
    thirteen: int = 13,
    least: str = "1",
) -> Outcome:
    """(3.50) is Phi_s <= Phi_{s-1}/2 + N, N = sigma^2 p/(8L); so Phi_T <= Phi_0/2^T + 2 N.

    [step "induction"; 2 N (1 - 1/2^T) exactly]. Phi_0 = gap_0 + gap_0/(2m) + ||x~_0 - x*||^2/
    (4 eta m/3), m >= 1 [step "start"]. At 2^T = n epsilon/(G sqrt(p a)) and m = k L the noise is
    c k/4 times G sqrt(p) ln(2/delta)/(n epsilon sqrt(a)) [step "rate"], where ln(2/delta) <= 2 a
    [step "delta"].

    Here rounds = 2^T.
    """
    start, noise, half, gap, m = reals("Phi N half gap m")
    square, eta, two, inverse = reals("square eta log_2 a")
    far = 3 * square / (4 * eta * m)
    p, size, a, n, epsilon, L, k, c, ell = symbols("p G a n epsilon L k c log_2_over_delta")
    rounds = (n * epsilon / (size * sp.sqrt(p * a))) ** power
    sigma = c * size**2 * rounds * k * L * ell / (n * epsilon) ** 2
    unit = size * sp.sqrt(p * a) / (n * epsilon)
    bound = half * start + (1 - half) * 2 * noise
    nothing_more = rational(floor) * 8 * noise
    return derived(
        steps=one_step(thirteen=thirteen),
        delta=for_all(two + inverse <= 2 * inverse, two > 0, inverse >= rational(least) * two),
        induction=every(
            for_all(bound / 2 + noise == half / 2 * start + (1 - half / 2) * 2 * noise),
            for_all(bound <= half * start + nothing_more, half > 0, half <= 1, noise >= 0),
        ),
        start=for_all(
            gap + gap / (2 * m) + far <= first * gap + rational(distance) * far,
            *(gap >= 0, m >= 1, square >= 0, eta > 0),
        ),
        rate=every(
            identity((1 / rounds, unit)),
            identity((sigma * p / (4 * L), c * k / 4 * unit * ell / a)),
        ),
    )


plus_error.restated(
    "004 (3.8)",
    lines="731",
    printed="E F^r(x~_T) - F^r(x*) <= O(G sqrt(p ln(1/delta))/(n epsilon))",
    unchecked={"F, r, x~_T": "the steps have the gap F^r(x~_T) - F^r(x*) and its recursion"},
)
