"""Section 3.3.6: proofs of Theorems 3.3.2, 3.3.4 and 3.3.5, the regret of Pairwise GIGA."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from mpmath import mp

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004 import convexity
from proofs_checks.paper_004.section_3_3_2 import (
    NOISE_ORDERS,
    OTHER_ORDERS,
    burn_in,
    expected_norm,
    noise_order,
    noise_rate,
    path_regret,
)
from proofs_checks.paper_004.section_3_3_2_buffer import STRONG_ORDERS, products
from proofs_checks.paper_004.section_3_3_3 import averaged
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    precisely,
    rare,
    rational,
    reals,
    refuted,
    symbols,
)
from reference._validation import FloatArray

statement = partial(any_statement, algorithms=("diss-3.3.9",))

# ---------------------------------------------------------------------- noise and first phase


def three_parts(noise: str = "1", phase: str = "1", share: str = "1") -> Outcome:
    """|w_t - w~_t| is at most |n_t|, as w~_t is in C, and at most |C| in the first phase.

    See :func:`convexity.non_expansive` [step "projected"]; the penalties are G-Lipschitz, and the
    differences add up [step "sum"].

    Here regret = sum_t L^_t(w_{t-1}, D_t) - min_w sum_t L^_t(w, D_t), path is the regret of the
    path and noise = sum_t ||n_{t-1}||_2.
    """
    regret, path, size, total, start, diameter = reals("regret path G noise T_1 C")
    early, late, first, second = reals("early late first second")
    return derived(
        projected=convexity.non_expansive(share),
        sum=for_all(
            regret
            <= path + rational(noise) * size * total + rational(phase) * size * start * diameter,
            *(size >= 0, total >= 0, start >= 0, diameter >= 0),
            *(early <= size * first, first <= start * diameter),
            *(late <= size * second, second <= total),
            regret <= path + early + late,
        ),
    )


@statement(
    "004 Lemma 3.3.2",
    lines="2500-2515",
    kind="approximation",
    printed="regret of the outputs <= R_GIGA(n, D) + G sum_{t=T_1+1}^T ||n_{t-1}||_2 + "
    "G T_1 ||C||_2",
    checked="the same with n for T, for the path that goes on from the parameter without noise",
    misprint="T for n, which the last line of the proof has",
    refuses={
        "half the noise": {"noise": "1/2"},
        "without G T_1 |C|": {"phase": "0"},
        "0.99 of the distance": {"share": "0.99"},
    },
    unchecked={"R_GIGA": "path in the step"},
)
def outputs_and_path(noise: str = "1", phase: str = "1", share: str = "1") -> Outcome:
    """See :func:`three_parts`; the last term is 0 if the random points of both are the same."""
    return three_parts(noise, phase, share)


@statement(
    "004 (3.132)",
    lines="2502",
    kind="approximation",
    printed="sum_t L^_t(w_{t-1}, D_t) - min_w sum_t L^_t(w, D_t) <= R_GIGA(n, D) + "
    "G sum_{t=T_1+1}^T ||n_{t-1}||_2 + G T_1 ||C||_2",
    checked="the same with n for T",
    misprint="T for n, which the last line of the proof has",
    refuses={"half the noise": {"noise": "1/2"}, "without G T_1 |C|": {"phase": "0"}},
    unchecked={"R_GIGA": "path in the step"},
)
def regret_of_outputs(noise: str = "1", phase: str = "1") -> Outcome:
    """See :func:`three_parts`."""
    return three_parts(noise, phase)


@statement(
    "004 l.2517 (norm of a Gaussian)",
    lines="2517",
    kind="concentration",
    printed="x from N(0, sigma^2 I_d): ||x - sigma|| <= sigma sqrt(d) sqrt(2 log(2/zeta)) with "
    "probability 1 - zeta",
    checked="the same for ||x||",
    misprint="||x - sigma|| for ||x||",
    refuses={
        "sqrt(0.7 log(2/zeta))": {"factor": "0.7"},
        "sqrt(log(2/zeta))": {"factor": "1"},
        "sigma^2": {"power": 2},
        "without sqrt(d)": {"root": 0},
    },
)
def gaussian_norm(factor: str = "2", power: int = 1, root: int = 1) -> Outcome:
    """d >= 2: E exp(|x|^2/4) = 2^(d/2) at sigma = 1, and Markov's inequality gives zeta^(d/2).

    The bound is exp(-factor d v/4) 2^(d/2), v = ln(2/zeta) [step "Markov", in logarithms]. At d = 1
    P(|x| > u) <= exp(-u^2/2) [step "line"], also at points [step "one dimension"]. With sigma both
    sides grow alike [step "scale"].
    """
    c = rational(factor)
    d, v, two = reals("d v log_2")
    size, level, sigma = symbols("d v sigma")
    claimed = sigma**power * sp.sqrt(size) ** root * sp.sqrt(2 * level)

    def tails() -> Iterator[tuple[dict[str, Any], Any, Any]]:
        for exponent in range(60):
            zeta = mp.mpf(2) ** -exponent
            yield (
                {"zeta": float(zeta)},
                mp.erfc(mp.sqrt(mp.mpf(factor) * mp.log(2 / zeta) / 2)),
                zeta,
            )

    return derived(
        Markov=for_all(
            # log of the bound and log of zeta = 2 e^-v <= 1
            -c * d * v / 4 + d * two / 2 <= two - v,
            *(d >= 2, v >= two, two > rational("0.69"), two < rational("0.7")),
        ),
        line=for_all(-c * v / 2 <= two - v, v >= two, two > 0),
        scale=identity((claimed, sigma * sp.sqrt(2 * size * level))),
        one_dimension=precisely(tails, note="d = 1"),
    )


def union(count: str = "1") -> Outcome:
    """n - T_1 events of probability zeta/n: the union is at most zeta."""
    n, start, zeta = reals("n T_1 zeta")
    return for_all(
        (n - start) * zeta <= rational(count) * zeta * n, n > start, start >= 0, zeta > 0
    )


@statement(
    "004 (3.133)",
    lines="2517-2522",
    kind="concentration",
    printed="sum_t ||n_{t-1}|| <= O(sum_{t=T_1}^n sqrt(d log(n/zeta)) G sqrt(n-T_1) "
    "sqrt(log 1/delta)/(alpha epsilon t)) <= O(G sqrt(d n) log^1.5(n/zeta) sqrt(log 1/delta)/"
    "(alpha epsilon)) with probability 1 - zeta",
    refuses={
        "n^0.4": {"power": "2/5"},
        "each with zeta/(2n)": {"count": "1/2"},
        **OTHER_ORDERS,
    },
)
def total_noise(power: str = "1/2", count: str = "1", **order: Any) -> Outcome:
    """l.2517 at zeta/n for every t; see :func:`noise_rate` and :func:`noise_order`."""
    return derived(union=union(count), rate=noise_rate(power), order=noise_order(**order))


# ------------------------------------------------------------------------------------- regret


@statement(
    "004 l.2533 (regret of GIGA)",
    lines="2531-2533, 2573-2575, 2617",
    kind="optimisation",
    printed="R_GIGA(n, D) <= G^2 (1 + log n)/(2 alpha) (2 G^2 (1 + log n)/alpha in the proofs of "
    "Theorems 3.3.4 and 3.3.6)",
    false="the first T_1 points are random, and the bound is for eta_t = 1/(alpha t)",
    errata=("diss-3.3.9/E5",),
)
def regret_of_path() -> Outcome:
    """Huber's h(w + 5) + w^2/200 on [-10, 10]: L = 1.01, alpha = 1/100 and G = 1.1.

    h(x) = min(x^2/2, |x| - 1/2), for all records. T_1 = 16 L^2/alpha^2 = 163216 of n = 10^6 points
    are random, here 0, where a penalty is 4.5; its least value is at most that at w = -4.95. The
    later rounds do not make up for them: w is best in all of them.
    """
    n, alpha, near = 10**6, Fraction(1, 100), Fraction(-99, 20)
    size, start = 1 + 10 * alpha, math.ceil(16 * ((1 + alpha) / alpha) ** 2)
    least = (near + 5) ** 2 / 2 + alpha * near**2 / 2
    excess = (start - 1) * (Fraction(9, 2) - least)
    claim = ball(2 * size**2 / alpha) * (1 + log(ball(n)))
    point = {"n": n, "alpha": 0.01, "G": float(size), "L": 1.01, "T_1": start, "first points": "0"}
    return refuted(point, ball(excess), claim, "regret against 2 G^2 (1 + log n)/alpha")


@regret_of_path.corrected(
    "over t > T_1: alpha T_1 |C|^2/4 + (G^2/alpha) sum_t (t-1)/(t (t-2)); the first T_1 rounds add "
    "up to G T_1 |C|",
    refuses={
        "twice the strong convexity": {"share": "1"},
        "alpha T_1 |C|^2/5": {"quarter": "1/5"},
        "G/alpha": {"squares": 1},
        "G T_1 |C|/2": {"phase": "1/2"},
    },
)
def regret_after_first_phase(
    share: str = "1/2", quarter: str = "1/4", squares: int = 2, phase: str = "1"
) -> Outcome:
    """See :func:`path_regret`; a loss moves by at most G |C| over C, in each of T_1 rounds."""
    early, each, size, diameter, start = reals("early each G C T_1")
    return derived(
        path=path_regret(share, squares, quarter),
        first_phase=for_all(
            early <= rational(phase) * size * start * diameter,
            *(size > 0, diameter > 0, start >= 7),
            *(early <= start * each, each <= size * diameter),
        ),
    )


@statement(
    "004 (3.134)",
    lines="2535-2537",
    kind="utility",
    printed="regret = O(G^2 sqrt(d n) log^1.5(n/zeta) sqrt(log 1/delta)/(alpha epsilon) + "
    "G L^2 |C|/alpha^2 + G^2 (1 + log n)/alpha)",
    refuses={
        "n^0.4": {"power": "2/5"},
        "half the noise": {"noise": "1/2"},
        "L for L^2": {"smooth": 1},
        "|C|^2 for |C|": {"diameters": 2},
        "G (1 + log n)/alpha": {"squares": 1},
        **OTHER_ORDERS,
    },
)
def total_regret(
    power: str = "1/2",
    noise: str = "1",
    smooth: int = 2,
    diameters: int = 1,
    squares: int = 2,
    **order: Any,
) -> Outcome:
    """Lemma 3.3.2, (3.133) and the path; G T_1 |C| takes in the first random points."""
    return derived(
        parts=three_parts(noise),
        noise=noise_rate(power),
        order=noise_order(**order),
        first=burn_in(smooth=smooth, diameters=diameters),
        path=path_regret(squares=squares),
    )


@statement(
    "004 (3.135)",
    lines="2539-2541",
    kind="concentration",
    printed="E sum_t ||n_t|| = O(sqrt(d) (G/alpha) sqrt(n) log(n) sqrt(log 1/delta)/epsilon)",
    refuses={
        "E |N(0, I)| <= sqrt(d)/2": {"norm": "1/2"},
        "sum 1/t <= ln(n)/2": {"half": "2"},
        **NOISE_ORDERS,
        "log^1.5": {"logarithms": "3/2"},
        "sqrt(log n)": {"logarithms": "1/2"},
        "n^0.4": {"power": "2/5"},
    },
)
def expected_noise(norm: str = "1", half: str = "1", power: str = "1/2", **order: Any) -> Outcome:
    """See :func:`proofs_checks.paper_004.section_3_3_2.expected_norm`."""
    return expected_norm(norm, half, power, **order)


# -------------------------------------------------------------- finite buffers and populations


TRIALS, LENGTH, CAPACITY, ZETA = 100, 200, 20, 0.2
SIZES = f"n = {LENGTH}, s = {CAPACITY}, zeta = {ZETA}"


def reservoir(rng: np.random.Generator, size: int, values: FloatArray) -> FloatArray:
    """Return the mean of the buffer before each z_t, t >= 2, for RS-x."""
    n = values.size
    buffer, means = values[:1].copy(), np.empty(n - 1)
    for t in range(2, n + 1):
        means[t - 2] = buffer.mean()
        if t <= size:
            buffer = np.append(buffer, values[t - 1])
        elif t == size + 1:
            buffer = rng.choice(np.append(buffer, values[t - 1]), size)
        else:
            buffer[rng.random(size) < 1 / t] = values[t - 1]
    return means


def exchanged(buffer: str = "2") -> Outcome:
    """R_A <= R^buf_A + 2 sum_t sup_w |L^buf_t - L^_t|: once at w_{t-1} and once at the best w.

    Here regret = R_A(n) and buffered = R^buf_A(n).
    """
    regret, buffered, incurred, best = reals("regret buffered incurred best")
    incurred_b, best_b, total = reals("incurred_b best_b total")
    return for_all(
        regret <= buffered + rational(buffer) * total,
        *(total >= 0, regret == incurred - best, incurred <= incurred_b + total),
        *(best_b <= best + total, incurred_b - best_b <= buffered),
    )


@statement(
    "004 Lemma 3.3.3",
    lines="2561-2563",
    kind="concentration",
    printed="R_A(n) <= R^buf_A(n)/(n-1) + O(C_d/sqrt(s) + B sqrt(log(n/zeta)/s)) with probability "
    "1 - zeta",
    false="the left side is that of (3.114), R_{P,A}(n)/(n-1); the sum R_A(n) is not at most an "
    "average",
    errata=("diss-3.3.12/E2",),
    algorithms=("diss-3.3.12",),
)
def sum_against_average() -> Outcome:
    """l = |w|/2 on [-1, 1] for all records, w_t = 1 always, s = n: R_A = R^buf_A = (n-1)/2.

    Any constants up to 1000, with C_d = B = 1 and zeta = 1/n; a larger n defeats any other.
    """
    n = 10**6
    left = Fraction(n - 1, 2)
    right = 0.5 + 1000 * (1 / math.sqrt(n) + math.sqrt(2 * math.log(n) / n))
    return refuted({"n": n, "s": n, "w_t": 1.0, "constant": 1000}, float(left), right)


@sum_against_average.corrected(
    "R_{P,A}(n)/(n-1) <= R^buf_A(n)/(n-1) + c (1/sqrt(s) + sqrt(log(n/zeta)/s)), checked with "
    "c = 1/3 for l = -w (z + z')/2 and the best w of the buffer in every round",
    refuses={"c = 0.1": {"constant": 0.1}},
    unchecked={
        "R_{P,A}": "0 in the example: L_P = 0 for every w",
        "R, buf_A": "regret in the code of the example",
        "c, 3": "1/3 in the code; not checked: any c for other losses",
        "l, w, z'": "in the code the example, w = +-1 by the sign of the buffer's mean",
    },
)
def generalised_from_buffer(rng: np.random.Generator, constant: float = 1 / 3) -> Outcome:
    """z = +-1 has mean 0: L_P = 0 for every w, and R_{P,A} = 0.

    w_{t-1} knows the buffer and not z_t: the sign of the buffer's mean, so that R^buf_A is below 0.
    """
    terms = 1 / math.sqrt(CAPACITY) + math.sqrt(math.log(LENGTH / ZETA) / CAPACITY)
    failures = 0
    for _ in range(TRIALS):
        z = rng.choice([-1.0, 1.0], LENGTH)
        means = reservoir(rng, CAPACITY, z)
        slopes = -(z[1:] + means) / 2  # of the penalties in w
        regret = float((np.sign(means) * slopes).sum() + abs(slopes.sum()))
        failures += -regret / (LENGTH - 1) > constant * terms
    return rare(failures, TRIALS, ZETA, what=f"lemma violated, {SIZES}")


@statement(
    "004 Lemma 3.3.4",
    lines="2565-2567",
    kind="concentration",
    printed="R_{P,A}(n) <= R^buf_A(n) + O(C_d n sqrt(log(n/zeta)/s)) with probability 1 - delta",
    checked="R_A(n) <= R^buf_A(n) + (4 C_d + sqrt(2) B) n sqrt(log(n/zeta)/s) with probability 1 - "
    "zeta, if l has a range of length B and the Rademacher averages of l(.; z, .) over s records, "
    "with absolute values, are at most C_d/sqrt(s)",
    added="log(n/zeta) >= 1",
    misprint="R_{P,A}(n) for R_A(n), which (3.115) takes from it, and delta for zeta",
    refuses={
        "2 C_d for 4 C_d": {"averages": "2"},
        "without B": {"deviation": "0"},
        "one deviation": {"twice": "1"},
        "log(1/zeta)": {"rounds": 0},
        "log(n/zeta)/s without the root": {"root": "1"},
        "1/s^2 in the root": {"slots": 2},
    },
    unchecked={
        "R_{P,A}": "misprint of R_A",
        "delta": "misprint of zeta",
    },
    algorithms=("diss-3.3.12",),
)
def regret_from_buffer(
    averages: str = "4",
    deviation: str = "1",
    twice: str = "2",
    rounds: int = 1,
    root: str = "1/2",
    slots: int = 1,
) -> Outcome:
    """See :func:`exchanged` [step "exchanged"]; S_t = sup_w |L^buf_t - L^_t|.

    Given the stream, the slots are i.i.d. uniform on the past (Algorithm 3.3.11) once it is longer
    than s; S_t = 0 before. E S_t <= 2 C_d/sqrt(s) by symmetrisation, and a slot moves S_t by at
    most B/s, so that S_t exceeds its mean by B sqrt(log(n/zeta)/(2s)) (McDiarmid's inequality) with
    probability zeta/n at most [step "McDiarmid", exp(-2 x^2/(s (B/s)^2)) at this x]: in n - 1
    rounds with zeta [step "union"]. What remains is the sum of
    the bounds [step "sum": q = 1/sqrt(s), r = sqrt(log(n/zeta)/s) >= q, h = 1/sqrt(2)].
    """
    n, zeta, size, spread, q, r, h = reals("n zeta C_d B q r h")
    bound = (rational(averages) * size + rational(deviation) * 2 * h * spread) * n * r
    records, failure, length, s = symbols("n zeta B s")
    above = sp.log(records**rounds / failure) / (2 * s**slots)
    moved = length * above ** sp.Rational(root)
    return derived(
        exchanged=exchanged(twice),
        McDiarmid=identity((sp.exp(-2 * moved**2 / (s * (length / s) ** 2)), failure / records)),
        union=for_all((n - 1) * zeta <= zeta * n, n >= 2, zeta > 0),
        sum=for_all(
            2 * (n - 1) * (2 * size * q + spread * h * r) <= bound,
            *(n >= 2, size >= 0, spread >= 0, q > 0, r >= q, h > 0, 2 * h * h == 1),
        ),
    )


def _giga_regrets(rng: np.random.Generator, n: int, trials: int) -> tuple[FloatArray, FloatArray]:
    """Return generalised regret and regret over n - 1 for l = (w - (z + z')/2)^2/2, by stream.

    |w| <= 1, z = +-1, path of steps 2/(alpha t) from 0; min L_P is at w = 0.
    """
    z = rng.choice([-1.0, 1.0], (trials, n))
    past = np.cumsum(z, axis=1)[:, :-1] / np.arange(1, n)
    centres, path = (z[:, 1:] + past) / 2, np.zeros((trials, n - 1))
    for t in range(2, n):
        w = path[:, t - 2]
        path[:, t - 1] = np.clip(w - 2 / t * (w - centres[:, t - 2]), -1, 1)
    generalised = (path**2 / 2).mean(axis=1)
    best = np.clip(centres.mean(axis=1, keepdims=True), -1, 1)
    regret = ((path - best) * ((path + best) / 2 - centres)).mean(axis=1)
    return generalised, regret


def _generalises(rng: np.random.Generator, share: float) -> Outcome:
    n, zeta, trials, bound = 2000, 0.2, 150, 2.0
    averages = float(np.mean(1 / np.sqrt(8 * np.arange(1, n))))
    allowed = share * (4 * averages + 6 * bound * math.sqrt(math.log(n / zeta) / (n - 1)))
    generalised, regret = _giga_regrets(rng, n, trials)
    failures = int((generalised > regret + allowed).sum())
    return rare(failures, trials, zeta, what=f"violated, n = {n}, delta = {zeta}")


@statement(
    "004 Lemma 3.3.5",
    lines="2587-2591",
    kind="concentration",
    printed="L_P(w_bar) <= mean of L_P(w_{t-1}) <= min L_P + 4/(n-1) sum_t R_{t-1} + R(n)/(n-1) + "
    "6 B sqrt(log(n/delta)/(n-1)) with probability 1 - delta",
    checked="a fortieth of both terms is enough for gradient steps on l = (w - (z + z')/2)^2/2, "
    "|w| <= 1, z = +-1, n = 2000",
    refuses={"without both terms": {"share": 0.0}, "a 400th of both": {"share": 0.0025}},
    unchecked={
        "L_P": "generalised in the code, where min L_P = 0",
        "t, R_{t-1}": "averages in the code, which has their mean by the lower bound 1/sqrt(8 t)",
        "R": "regret in the code",
        "B": "2 in the code",
    },
)
def online_generalisation(rng: np.random.Generator, share: float = 0.025) -> Outcome:
    """Theorem 3 of [175], by example; R_t >= E|sum eps_i (z + z_i)/2|/t >= 1/sqrt(8 t), B = 2.

    The first inequality is (3.107).
    """
    return _generalises(rng, share)


@statement(
    "004 (3.136)",
    lines="2589-2591",
    kind="concentration",
    printed="the display of Lemma 3.3.5, R for the class of l o C in (3)",
    checked="the same, R as in (3.103), by the example of Lemma 3.3.5",
    refuses={"without both terms": {"share": 0.0}},
    unchecked={
        "R, l, o, C": "in the code the class of the example, by a lower bound of its averages",
    },
)
def online_generalisation_display(rng: np.random.Generator, share: float = 0.025) -> Outcome:
    """As Lemma 3.3.5."""
    return _generalises(rng, share)


@statement(
    "004 (3.137)",
    lines="2593-2595",
    kind="utility",
    printed="L_P(w_bar) - min L_P = O(sum_t R_{t-1}/(n-1) + G^2 L^2 |C| sqrt(d) log^1.5(n/zeta) "
    "sqrt(log 1/delta)/(alpha^2 epsilon sqrt(n))) with probability 1 - 2 zeta",
    added="Lemma 3.3.5; G, L, |C| >= 1 >= alpha, as a product stands for a sum",
    refuses={
        "half of 4 R_{t-1}": {"complexity": "2"},
        "probability 1 - zeta": {"events": 1},
        **STRONG_ORDERS,
    },
)
def strongly_convex_average(complexity: str = "4", events: int = 2, **rates: Any) -> Outcome:
    """As (3.117)."""
    return every(averaged(complexity, events), products(**rates))
