"""Section 3.3.2, online private pairwise learning with a finite buffer.

b_t = |B_t| = min(s, t-1); a = ln(1/delta), rho = (sqrt(a + epsilon) - sqrt(a))^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import scipy

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.pairwise import random_loss, stable_with_buffer
from proofs_checks.paper_004.section_3_3_1 import fixed_parameter
from proofs_checks.paper_004.section_3_3_2 import (
    CONVEX_ORDERS,
    OTHER_ORDERS,
    burn_in,
    noise_order,
    noise_rate,
    path_regret,
    regularised,
)
from proofs_checks.statement import Wrong
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    exactly,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    symbols,
)
from reference._validation import FloatArray
from reference.privacy.guarantees import zcdp_rho

statement = partial(any_statement, algorithms=("diss-3.3.12", "diss-3.3.13"))

Cases = Iterator[tuple[dict[str, Any], Fraction, Fraction]]
Law = dict[tuple[int, ...], Fraction]


def _updated(law: Law, size: int, t: int, more: int) -> Law:
    """Return the law of the indices in the buffer after Algorithm 3.3.11 has seen z_t."""
    after: Law = {}

    def add(buffer: tuple[int, ...], probability: Fraction) -> None:
        after[buffer] = after.get(buffer, Fraction(0)) + probability

    for buffer, probability in law.items():
        if len(buffer) < size:
            add((*buffer, t), probability)
        elif t == size + 1:
            for chosen in product((*buffer, t), repeat=size):
                add(chosen, probability / (size + 1) ** size)
        else:
            share = Fraction(1, t + more)
            for replaced in product((False, True), repeat=size):
                chosen = tuple(t if r else i for i, r in zip(buffer, replaced, strict=True))
                k = sum(replaced)
                add(chosen, probability * share**k * (1 - share) ** (size - k))
    return after


def buffer_law(size: int, n: int, more: int = 0) -> Law:
    """Return the law of the buffer after n records."""
    law: Law = {(): Fraction(1)}
    for t in range(1, n + 1):
        law = _updated(law, size, t, more)
    return law


@statement(
    "004 Algorithm 3.3.11",
    lines="2187-2204",
    kind="identity",
    printed="RS-x: append while |B| < s; refill from s + 1 records at t = s + 1; then each slot "
    "becomes z_t with probability 1/t",
    checked="the slots are then i.i.d. uniform on the indices 1..t",
    misprint="TMP for B in the first branch",
    refuses={"probability 1/(t+1)": {"more": 1}},
    unchecked={
        "R, S, x": "of the name of the algorithm",
        "s": "size in the code, 1 and 2",
        "z_t": "in the code by its index t",
    },
    algorithms=("diss-3.3.12",),
)
def uniform_slots(more: int = 0) -> Outcome:
    """Induction: (1/(t-1)) (1 - 1/t) = 1/t [step "slot"], and slots change independently.

    The whole law is enumerated for s = 2, t <= 5 and s = 1, t <= 8 [step "law"].
    """
    t = symbols("t")

    def cases() -> Cases:
        for size, n in ((1, 8), (2, 4), (2, 5)):
            law = buffer_law(size, n, more)
            for buffer in product(range(1, n + 1), repeat=size):
                yield (
                    {"t": n, "slots": str(buffer)},
                    law.get(buffer, Fraction(0)),
                    Fraction(1, n**size),
                )

    return derived(
        slot=identity((1 / (t - 1) * (1 - 1 / (t + more)), 1 / t)),
        law=exactly(cases(), "=", "probability of each buffer"),
    )


@statement(
    "004 (3.111)",
    lines="2173-2175",
    kind="definition",
    printed="L^buf_t(w, B_t) = 1/|B_t| sum_{z in B_t} l(w; z_t, z)",
    refuses={"1/s": {"full": True}, "slots kept with 1 - 1/(t+1)": {"more": 1}},
    unchecked={
        "L, buf_t, z, l": "in the code a random table of losses of pairs, at one parameter",
        "B_t": "in the code by the law of the buffer",
    },
    algorithms=("diss-3.3.12",),
)
def buffered_penalty(rng: np.random.Generator, more: int = 0, *, full: bool = False) -> Outcome:
    """Its mean over the buffer is (3.104): s = 2, t = 2 to 6."""

    def cases() -> Cases:
        size = 2
        for t in range(2, 7):
            loss = random_loss(rng, t + 1)
            mean = Fraction(0)
            for buffer, probability in buffer_law(size, t - 1, more).items():
                count = size if full else len(buffer)
                mean += probability * sum((loss(t, i) for i in buffer), Fraction(0)) / count
            yield {"t": t}, mean, sum((loss(t, i) for i in range(1, t)), Fraction(0)) / (t - 1)

    return definition(exactly(cases(), "=", "mean over the buffer against (3.104)"))


@statement(
    "004 (3.112)",
    lines="2177-2179",
    kind="definition",
    printed="sum_t L^buf_t(w_{t-1}, B_t) - min_w sum_t L^buf_t(w, B_t) <= R^buf_A(n)",
    refuses={"the sum of the smallest penalties": {"each": True}},
    unchecked={
        "L, buf_t": "in the code l = (w - (z + z')/2)^2/2 with every past record in the buffer",
        "R, buf_A": "what is defined: 0 at the best w",
        "t": "in the code random streams of 3 to 8 records",
    },
    algorithms=("diss-3.3.12",),
)
def buffered_regret(rng: np.random.Generator, *, each: bool = False) -> Outcome:
    """As (3.105), which it is for s >= n."""
    return fixed_parameter(rng, each=each)


# ------------------------------------------------------------------------------------ privacy


def clipped_means(centres: FloatArray, scales: FloatArray) -> FloatArray:
    """Return E of N(centre, scale^2) clipped to [-1/2, 1/2]."""

    def tail(x: FloatArray) -> FloatArray:  # integral of Phi from minus infinity to x
        density: FloatArray = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
        return x * scipy.special.ndtr(x) + density

    high, low = (0.5 - centres) / scales, (-0.5 - centres) / scales
    means: FloatArray = 0.5 - scales * (tail(high) - tail(low))
    return means


def visible_record(n: int, *, alpha: float, lipschitz: float, start: int, delta: float) -> float:
    """Return a certified lower bound of epsilon at (1, delta), s = 1 and d = 1.

    C = [-1/2, 1/2], all random points 0. l = alpha w^2/2 - w/2 if the special record, z_20 of D, is
    in the pair, and alpha w^2/2 otherwise. z_20 enters the buffer with probability 1/20 and is
    there until the end with probability 1/(n-1); w_t then goes to 1/2 from below (it is at
    least what the recursion gives, for alpha <= 1). Under D' no record is special and w_t = 0.
    S, the sum of the last N = n/2 outputs, is of independent variables in an interval of length 1:
    by Hoeffding's inequality it is x above or below its mean with probability at most
    exp(-2 x^2/N). The event is S >= its mean under D less the x at which that is 1/2.
    """
    rho = zcdp_rho(1.0, delta)
    w, path = 0.0, np.zeros(n + 1)
    for t in range(20, n + 1):
        eta = (t - 1) / (t - 2) * 2 / (alpha * t)
        w = min(0.5, w - eta * (alpha * w - 0.5))
        path[t] = w
    times = np.arange(n // 2 + 1, n + 1)
    scales = np.asarray(math.sqrt(32 * (n - start) / rho) * lipschitz / (alpha * times))
    apart = float(clipped_means(path[times], scales).sum())
    threshold = apart - math.sqrt(times.size * math.log(2) / 2)
    log_without = -2 * max(threshold, 0.0) ** 2 / times.size
    return math.log(1 / (2 * (n - 1)) - delta) - log_without


@statement(
    "004 Theorem 3.3.4",
    lines="2210-2262, 2557-2581",
    kind="privacy",
    printed="FBOnPairStrC and FBOnPairC are (epsilon, delta)-DP for 0 < epsilon, delta < 1",
    false="one record can fill a buffer drawn with replacement: its effect then tends to "
    "2G/alpha, not to 0 like 8G/(alpha t)",
    errata=("diss-3.3.12/E1", "diss-3.3.13/E1"),
    algorithms=("diss-3.3.12", "diss-3.3.13"),
)
def buffered_privacy() -> Outcome:
    """See :func:`visible_record`.

    FBOnPairStrC: alpha = 1, G = 1, T_1 = 16. FBOnPairC, with the regulariser alpha = n^(-1/4) and
    l = -+w/2 of any small L: G~ = 1/2 + alpha, T_1 = 17.
    """
    n, delta = 10**4, 1e-6
    weak = n**-0.25
    found = {
        "FBOnPairStrC": visible_record(n, alpha=1.0, lipschitz=1.0, start=16, delta=delta),
        "FBOnPairC": visible_record(n, alpha=weak, lipschitz=0.5 + weak, start=17, delta=delta),
    }
    point = {
        "n": n,
        "s": 1,
        "delta": delta,
        "record": 20,
        "event": "sum of the last n/2 outputs",
        "epsilon at least": found,
    }
    return refuted(point, min(found.values()), 1.0, "epsilon of an event against the claim")


@buffered_privacy.corrected(
    "with a reservoir without replacement, eta_t = 2/(alpha t), T_1 = ceil(L/alpha) and "
    "sigma_t^2 = (n-T_1) Delta_t^2/(2 rho), Delta_t = 4G/(alpha t) + 2G/(alpha s)",
    refuses={
        "4G/(alpha t) alone": {"buffer": "0"},
        "4G/(alpha t) + 1.9 G/(alpha s)": {"buffer": "0.475"},
        "sigma_t^2 = (n-T_1) Delta_t^2/(4 rho)": {"half": 4},
        "4G/(alpha t) + 2G/(alpha s^2)": {"slots": 2},
        "4G/(alpha t) + G/(alpha s)": {"second": 1},
        "G^2 for G": {"sizes": 2},
        "alpha^2": {"weights": 2},
    },
)
def without_replacement(
    buffer: str = "1/2",
    half: int = 2,
    slots: int = 1,
    second: int = 2,
    sizes: int = 1,
    weights: int = 1,
) -> Outcome:
    """Which indices are in the buffer does not depend on the records: it may be conditioned on.

    :func:`proofs_checks.paper_004.pairwise.stable_with_buffer` bounds the distance of the paths
    [step "path"], and its second term is at most 2G/(alpha s) [step "simpler"]; n - T_1 Gaussian
    releases spend rho [step "budget"], with Delta = Delta_t, the variance sigma_squared =
    sigma_t^2.
    """
    t, s = reals("t s")
    n, start, rho, sensitivity = symbols("n T_1 rho Delta")
    sigma_squared = (n - start) * sensitivity**2 / (half * rho)
    return derived(
        path=stable_with_buffer(buffer=buffer, sizes=sizes, weights=weights),
        # (4/t) (t-s-1)(t-s)/(2 s (t-1)) <= 2/s, times s t (t-1)
        simpler=for_all(
            2 * (t - s - 1) * (t - s) * s ** (slots - 1) <= second * t * (t - 1),
            *(s >= 1, t >= s + 1),
        ),
        budget=identity(((n - start) * sensitivity**2 / (2 * sigma_squared), rho)),
    )


# ------------------------------------------------------------------------------------ utility


STRONG_ORDERS: Wrong = {
    **OTHER_ORDERS,
    "L for L^2": {"smooth": 1},
    "G for G^2": {"sizes": 1},
    "without |C|": {"diameters": 0},
    "1/alpha": {"weights": 1},
    "n for sqrt(n)": {"records": "1"},
}
"""Wrong orders of the regret in the strongly convex case, for :func:`products`."""


def products(
    smooth: int = 2,
    sizes: int = 2,
    diameters: int = 1,
    weights: int = 2,
    records: str = "1/2",
    **order: Any,
) -> Outcome:
    """The three terms of (3.108) over n - 1 are at most 3 times the one product of (3.113).

    G, L, |C| >= 1 >= alpha; q >= 1 stands for sqrt(d) log^1.5 sqrt(log 1/delta)/epsilon [step
    "order"], k = sqrt(n) >= 1, and log(n) <= k q; sqrt(n)/n is 1/sqrt(n) [step "average"].
    """
    size, curved, diameter, alpha, k, q = reals("G L C alpha k q")
    n = symbols("n")
    # times 1/alpha^2
    claim = size**sizes * curved**smooth * diameter**diameters * k * q * alpha ** (2 - weights)
    positive = (size >= 1, curved >= 1, diameter >= 1, alpha > 0, alpha <= 1, k >= 1, q >= 1)
    return derived(
        order=noise_order(**order),
        average=identity((sp.sqrt(n) / n, n ** -sp.Rational(records))),
        noise=for_all(size * size * k * q * alpha <= claim, *positive),
        first_phase=for_all(size * curved * curved * diameter <= claim, *positive),
        path=for_all(size * size * alpha * k * q <= claim, *positive),
    )


@statement(
    "004 (3.113)",
    lines="2210-2212, 2569-2577",
    kind="utility",
    printed="R^buf_A(n)/(n-1) = O(G^2 L^2 |C| sqrt(d) log^1.5(n/zeta) sqrt(log 1/delta)/"
    "(sqrt(n) alpha^2 epsilon))",
    added="G, L, |C| >= 1 >= alpha, as a product stands for a sum; the noise of Algorithm 3.3.12, "
    "or that of the corrected Theorem 3.3.4 with s of the order of n",
    refuses={"n^0.4 for the noise": {"power": "2/5"}, **STRONG_ORDERS},
    unchecked={"R, buf_A": "the regret, of whose parts the steps have the bounds"},
    algorithms=("diss-3.3.12",),
)
def buffered_rate(power: str = "1/2", **rates: Any) -> Outcome:
    """As Theorem 3.3.2 with the penalties of the buffer, alpha-strongly convex as well.

    The corrected noise: 4G/(alpha t) + 2G/(alpha s) <= 6G/(alpha t) from s >= n on [step "buffer"].
    """
    t, s = reals("t s")
    return derived(
        noise=noise_rate(power),
        first_phase=burn_in(),
        path=path_regret(),
        product=products(**rates),
        buffer=for_all(4 / t + 2 / s <= 6 / t, t >= 1, s >= t),
    )


def _on_average(first: str, second: str, slots: int) -> Outcome:
    """Put (3.113) into a lemma on the average over n - 1 rounds.

    Its terms are C_d q and B q r, q = 1/sqrt(s), r = sqrt(log(n/zeta)), with B <= G |C|: a
    G-Lipschitz loss moves by at most G |C| over C. ``slots`` is the power of q.

    Here average = R_{P,A}(n)/(n-1).
    """
    average, buffered, rate, complexity, spread = reals("average buffered rate C_d B")
    size, diameter, q, r = reals("G C q r")
    bound = rational(first) * complexity + rational(second) * size * diameter * r
    return for_all(
        average <= rate + q**slots * bound,
        *(complexity >= 0, spread >= 0, spread <= size * diameter, r >= 1, q > 0, q <= 1),
        *(buffered <= rate, average <= buffered + q * (complexity + spread * r)),
    )


@statement(
    "004 (3.114)",
    lines="2250-2252",
    kind="utility",
    printed="R_{P,A}(n)/(n-1) = O((3.113) + C_d/sqrt(s) + G |C| sqrt(log(n/zeta)/s))",
    added="Lemma 3.3.3 in its corrected form; G, L, |C| >= 1 >= alpha",
    refuses={
        "without C_d/sqrt(s)": {"first": "0"},
        "half the last term": {"second": "1/2"},
        "s for sqrt(s)": {"slots": 2},
        **STRONG_ORDERS,
    },
    algorithms=("diss-3.3.12",),
)
def generalised_rate(first: str = "1", second: str = "1", slots: int = 1, **rates: Any) -> Outcome:
    """The lemma and (3.113) [step "sum"]."""
    return derived(sum=_on_average(first, second, slots), rate=products(**rates))


@statement(
    "004 (3.115)",
    lines="2254-2258",
    kind="utility",
    printed="R_A(n, D)/(n-1) <= (3.113) + C_d sqrt(log(n/zeta)/s)",
    checked="the same up to constants",
    added="Lemma 3.3.4 in its corrected form; C_d >= B, G, L, |C| >= 1 >= alpha",
    refuses={
        "C_d/sqrt(s)": {"logarithm": 0},
        "C_d log(n/zeta)/s": {"slots": 2},
        **STRONG_ORDERS,
    },
    algorithms=("diss-3.3.12",),
)
def stream_rate(logarithm: int = 1, slots: int = 1, **rates: Any) -> Outcome:
    """Lemma 3.3.4 over n, 6 C_d q r at most if B <= C_d, and (3.113) [step "sum", n <= 2 (n-1)].

    4 C_d + sqrt(2) B <= 6 C_d; q = 1/sqrt(s) and r = sqrt(log(n/zeta)) >= 1.

    Here average = R_A(n, D)/(n-1).
    """
    average, buffered, rate, complexity, q, r = reals("average buffered rate C_d q r")
    return derived(
        sum=for_all(
            average <= rate + 12 * complexity * (q * r if logarithm else q) * q ** (slots - 1),
            *(complexity >= 0, q > 0, q <= 1, r >= 1, buffered <= rate),
            average <= buffered + 2 * 6 * complexity * q * r,
        ),
        rate=products(**rates),
    )


@statement(
    "004 l.2260 (convex losses)",
    lines="2260, 2579-2581",
    kind="utility",
    printed="for convex losses the first term is L^2 G^2 |C|^2 sqrt(d) log^1.5(n/zeta) "
    "sqrt(log 1/delta)/(epsilon n^(1/4)), alpha of order n^(-1/4)",
    checked="the same, with L~ = L + alpha (l.2581 says L + alpha |C|)",
    added="G, L, |C| >= 1",
    refuses={"n^(1/2) for n^(1/4)": {"records": "1/2"}, **CONVEX_ORDERS},
    algorithms=("diss-3.3.13",),
)
def buffered_convex(records: str = "1/4", **rates: Any) -> Outcome:
    """(3.110) over n - 1; see :func:`proofs_checks.paper_004.section_3_3_2.regularised`."""
    n = symbols("n")
    rate = identity((n ** sp.Rational(3, 4) / n, n ** -sp.Rational(records)))
    return derived(terms=regularised(**rates), average=rate)
