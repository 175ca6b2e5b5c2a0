"""Section 3.1: noisy hard thresholding and the algorithm of disjoint batches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from proofs_checks.balls import Ball, ball, exp, log, lower, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    exactly,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.privacy.ledger import Ledger, RecordingLedger
from reference.privacy.mechanisms import laplace_argmax_log_probability
from reference.sparse.peeling import noise_scale, noisy_hard_thresholding

statement = partial(any_statement, algorithms=("zhang-1",))


# ------------------------------------------------------------------------------ Lemma 3.1


def _value_loss_moments(a: Ball) -> tuple[Ball, Ball]:
    """Return mean and variance of the loss |z + a| - |z|, z a standard Laplace variable.

    It is a for z >= 0, -a for z <= -a and a - 2y at z = -y in between.
    """
    e = exp(-a)
    i0, i1, i2 = 1 - e, 1 - (1 + a) * e, 2 - (a * a + 2 * a + 2) * e
    mean = a - 1 + e
    second = a * a / 2 + a * a * e / 2 + (a * a * i0 - 4 * a * i1 + 4 * i2) / 2
    return mean, second - mean * mean


def values_only_delta(epsilon: float, delta: str, s: int) -> Ball:
    """Return a rigorous lower bound on delta(epsilon) of NoisyHT with d = s.

    Every coordinate moves by lambda in the same direction from a constant vector, so the order of
    selection has the same law on both sides and the loss is that of s Laplace releases with
    sensitivity/scale a = epsilon/sqrt(12 s log(1/delta)). Lemma 3.1 has sensitivity < lambda:
    a is taken 1e-6 smaller. P(loss > epsilon + c) is bounded by Cantelli's inequality.
    """
    a = ball("0.999999") * ball(epsilon) / sqrt(12 * s * log(1 / ball(delta)))
    mean, variance = (s * moment for moment in _value_loss_moments(a))
    best = ball(0)
    for c in (0.5, 1.0, 2.0, 3.0):
        gap = mean - ball(epsilon) - ball(c)
        if gap > 0:
            best = best.max((1 - exp(ball(-c))) * (gap * gap / (gap * gap + variance)))
    return lower(best)


def _peeling_leaks(batches: int) -> Outcome:
    point = {"d": 400, "s": 400, "N0": batches, "epsilon": 100.0, "delta": 0.1}
    found = values_only_delta(100.0, "0.1", 400)
    return refuted(point, found, ball("0.1"), "delta of the values alone (Cantelli) against delta")


@statement(
    "002 Lemma 3.1",
    lines="124-126",
    kind="privacy",
    printed="||v(X) - v(X')||_inf < lambda for all neighbours => NoisyHT is (epsilon, delta)-DP",
    false="no limit on epsilon is stated; with many coordinates it fails for large epsilon",
    special_case_of="002 Lemma 3.3",
    errata=("zhang-1/E1",),
)
def peeling_privacy() -> Outcome:
    """See :func:`values_only_delta`; for s -> infinity it fails from epsilon = 39 on at .01."""
    return _peeling_leaks(1)


@peeling_privacy.corrected(
    "true if epsilon <= 0.41821 log(1/delta) or s <= (4/3) log(1/delta); otherwise with "
    "b = lambda min(sqrt(5 s/(2 rho(epsilon, delta))), 3 s/epsilon)",
    refuses={
        "epsilon <= 0.4183 log(1/delta)": {"share": "0.4183"},
        "s <= 1.34 log(1/delta)": {"sparsity": "1.34"},
        "noise ten times too small": {"noise": 0.1},
        "lambda^2 for lambda": {"powers": {"lambda": "2"}},
        "sqrt(3 s/epsilon)": {"powers": {"pure": "1/2"}},
        "a round that costs lambda/b": {"rounds": 1},
    },
    unchecked={
        "0.41821": 'step "zCDP" is decided at x = 0.41821, and fails at 0.4183',
    },
)
def peeling_privacy_restricted(
    share: str = "0.41821",
    sparsity: str = "4/3",
    noise: float = 1.0,
    rounds: int = 2,
    powers: Mapping[str, str] | None = None,
) -> Outcome:
    """The zCDP of s rounds and s values, and the pure budget.

    Given the noise of the others a coordinate wins where its own noise exceeds the largest of them
    less its value, a threshold that moves by 2 lambda at most [step "threshold"], and the log of a
    Laplace tail changes by 1/b per unit at most, u = e^(-|c|/b) [step "tail"]. So a round's
    log-ratio is at most 2 lambda/b, as searched [step "round"], and its range makes it
    (2 lambda/b)^2/2 = 2 (lambda/b)^2-zCDP; the value has (lambda/b)^2/2. With
    b^2 = 12 s log(1/delta) lambda^2/epsilon^2 the sum is rho = (5/2) s (lambda/b)^2
    = (5/24) epsilon^2/L [step "rho"], L = log(1/delta). Lemma 2.1.10 of Wang (2020) asks for
    rho + 2 sqrt(rho L) <= epsilon, i.e. (5/24) x + 2 sqrt(5/24) <= 1 at x = epsilon/L; the
    left-hand side increases with x [step "zCDP"]. In pure DP 3 s lambda/b <= epsilon, whose square
    is 3 s/(4 L) <= 1 [step "pure"]. The other scales meet these budgets exactly [step
    "calibrated"], and so does what the implementation uses [step "scale"].
    """
    u, own, other, own_after, other_after, bound = reals("u v m v2 m2 lambda")
    epsilon, size, s, part = symbols("epsilon L s lambda")
    scale = sp.sqrt(12 * s * size) * part / epsilon
    x = ball(share)
    ratio = max(_selection_ratio(np.random.default_rng(0), a) for a in (0.1, 0.3, 2.0))
    logarithm, count = reals("L s")
    near = (own - own_after, own_after - own, other - other_after, other_after - other)
    return derived(
        threshold=for_all(
            other - own - (other_after - own_after) <= rounds * bound,
            *(move <= bound for move in near),
        ),
        tail=for_all(u / 2 <= 1 - u / 2, u > 0, u <= 1),
        round=searched(ratio, 1 + 1e-9, tried=54, what="log-ratio of a winner over 2 lambda/b"),
        rho=identity(
            (
                s * (rounds * part / scale) ** 2 / 2 + s * (part / scale) ** 2 / 2,
                sp.Rational(5, 24) * epsilon**2 / size,
            ),
            (
                ((rounds + 1) * s * part / scale) ** 2 / epsilon**2,
                sp.Rational(3, 4) * s / size,
            ),
        ),
        zCDP=less(ball("5/24") * x + 2 * sqrt(ball("5/24")), ball(1)),
        pure=for_all(
            3 * count <= 4 * logarithm,
            *(logarithm > 0, count >= 0, count <= rational(sparsity) * logarithm),
        ),
        calibrated=_calibrated(noise, **(powers or {})),
        scale=_scales_certify(noise),
    )


def _calibrated(noise: float, **powers: str) -> Outcome:
    """Return what b = lambda min(sqrt(5 s/(2 rho)), 3 s/epsilon), times ``noise``, spends.

    rho = (sqrt(L + epsilon) - sqrt(L))^2 is what rho + 2 sqrt(rho L) = epsilon leaves.
    """
    epsilon, size, s, part = symbols("epsilon L s lambda")
    root = sp.sqrt(size + epsilon) - sp.sqrt(size)
    unit = sp.nsimplify(noise) * part ** sp.Rational(powers.get("lambda", "1"))
    scale = unit * sp.sqrt(5 * s / (2 * root**2))
    pure = unit * (3 * s / epsilon) ** sp.Rational(powers.get("pure", "1"))
    return identity(
        (sp.Rational(5, 2) * s * (part / scale) ** 2, root**2),
        (root**2 + 2 * root * sp.sqrt(size), epsilon),
        (3 * s * part / pure, epsilon),
    )


def _selection_ratio(rng: np.random.Generator, a: float) -> float:
    """Return the largest log-ratio found of one round's winner, over 2 lambda/b = 2a."""
    worst = 0.0
    for d in (2, 10, 100):
        base = np.full(d, 10.0)
        # one score up and the others down, or random moves
        moves = [np.where(np.arange(d) == 0, 1.0, -1.0)]
        moves += [rng.uniform(-1, 1, d) for _ in range(5)]
        for move in moves:
            scores = base + rng.exponential(2.0, d) * (move is not moves[0])
            before = laplace_argmax_log_probability(a * scores, 0)
            after = laplace_argmax_log_probability(a * (scores + move), 0)
            worst = max(worst, abs(after - before) / (2 * a))
    return worst


def _scales_certify(noise: float) -> Outcome:
    """Compare what the implementation's scale spends with epsilon, by zCDP or in pure DP."""
    rng, worst, tried = np.random.default_rng(1), 0.0, 400
    for _ in range(tried):
        epsilon = float(np.exp(rng.uniform(-5, 6)))
        delta = float(np.exp(-np.exp(rng.uniform(-6, 4))))
        s = int(np.exp(rng.uniform(0, 7)))
        b = noise * noise_scale(epsilon, delta, sparsity=s, sensitivity=1.0)
        rho, size = 2.5 * s / b**2, math.log(1 / delta)
        spent = min(rho + 2 * math.sqrt(rho * size), 3 * s / b)
        worst = max(worst, spent / epsilon)
    return searched(worst, 1 + 1e-9, tried=tried, what="what the scale spends over epsilon")


# ------------------------------------------------------------------------------ Lemma 3.2


@statement(
    "002 Lemma 3.2",
    lines="130-134",
    kind="optimisation",
    printed="R1 in S, R2 in S^c, |R1| = |R2|, c > 0 => ||v_R2||^2 <= (1+c)||v_R1||^2 + "
    "4(1+1/c) sum_i ||w_i||_inf^2",
    refuses={"3 (1+1/c)": {"factor": 3}, "the largest ||w_i||_inf^2 alone": {"largest": True}},
    unchecked={
        "S": "what the s rounds choose; the steps have pairs of one inside and one outside",
    },
)
def selection_error(rng: np.random.Generator, factor: int = 4, largest: bool = False) -> Outcome:
    """Pair the members of R1 and R2: a chosen i beats an unchosen j, |v_j| <= |v_i| + 2 W.

    With W = ||w_i||_inf of that round, v_j^2 <= (1+c) v_i^2 + 4 (1+1/c) W^2 [step "pair"]. The
    rounds of different pairs differ, so these add up [step "sum", two pairs, squares in capitals].
    The lemma is tested on runs of Algorithm 1, too [step "runs"].
    """
    c, i, j, w = reals("c i j w")
    j1, j2, i1, i2, w1, w2, a, b = reals("J1 J2 I1 I2 W1 W2 a b")
    noise = z3.If(w1 > w2, w1, w2) if largest else w1 + w2
    worst = max(_selection_excess(rng) for _ in range(100))
    return derived(
        pair=for_all(
            c * j**2 <= c * (1 + c) * i**2 + factor * (1 + c) * w**2,
            *(c > 0, w >= 0, i >= 0, j >= 0, j <= i + 2 * w),
        ),
        sum=for_all(
            j1 + j2 <= a * (i1 + i2) + b * noise,
            *(a >= 1, b >= 4, i1 >= 0, i2 >= 0, w1 >= 0, w2 >= 0),
            *(j1 <= a * i1 + b * w1, j2 <= a * i2 + b * w2),
        ),
        runs=searched(worst, 1, tried=100, what="left over right, worst R1 and R2, four c"),
    )


def _selection_excess(rng: np.random.Generator) -> float:
    d = int(rng.integers(2, 12))
    s = int(rng.integers(1, d))
    v = rng.standard_normal(d) * rng.exponential(2.0)
    ledger = RecordingLedger(rng)
    noisy_hard_thresholding(v, sparsity=s, sensitivity=0.1, epsilon=1.0, delta=0.05, ledger=ledger)
    rounds = ledger.transcript.releases[:s]
    scale = noise_scale(1.0, 0.05, sparsity=s, sensitivity=0.1)
    noise = sum(float(np.abs(np.asarray(r.draw) * scale).max()) ** 2 for r in rounds)
    chosen = np.array([int(release.output) for release in rounds])
    inside = np.sort(v[chosen] ** 2)
    outside = np.sort(np.delete(v, chosen) ** 2)[::-1]
    worst = 0.0
    for size in range(1, min(s, d - s) + 1):
        left, right = outside[:size].sum(), inside[:size].sum()
        for c in (0.1, 0.5, 1.0, 10.0):
            worst = max(worst, left / ((1 + c) * right + 4 * (1 + 1 / c) * noise))
    return float(worst)


# ------------------------------------------------------------------------------ Lemma 3.3


@statement(
    "002 Lemma 3.3",
    lines="150-152",
    kind="composition",
    printed="Algorithm 2, NoisyHT on disjoint batches, is (epsilon, delta)-DP",
    false="with one batch (N0 = 1) it is Lemma 3.1, which fails for large epsilon",
    errata=("zhang-1/E1",),
)
def disjoint_batches() -> Outcome:
    """The witness of Lemma 3.1 in the only batch."""
    return _peeling_leaks(1)


@disjoint_batches.corrected(
    "Algorithm 2 on disjoint batches is (epsilon, delta)-DP if NoisyHT on each batch is, e.g. with "
    "the corrected noise of Lemma 3.1",
    refuses={"a batch read twice": {"reads": (0, 0)}, "noise ten times too small": {"noise": 0.1}},
)
def disjoint_batches_compose(reads: tuple[int, int] = (0, 1), noise: float = 1.0) -> Outcome:
    """A record lies in one batch; what happens before and after it is the same on both sides.

    Before: the outputs have the same law. At its batch: (epsilon, delta) for every history, whose
    mixture over histories keeps it [step "mixture", two histories: the neighbour's are as likely,
    if the record was not read before]. After: post-processing. Two adaptive steps of the worst
    (log 3, 1/10)-DP mechanism are enumerated [step "enumerated"]. The corrected noise of one batch
    is that of Lemma 3.1 [steps "calibrated", "scale"].
    """
    h, other, p, q, u, v, g, delta = reals("h other p q u v g delta")
    before = (
        (h <= g * other + delta, 1 - h <= g * (1 - other) + delta, other >= 0, other <= 1)
        if reads[0] == reads[1]
        else (h == other,)
    )
    return derived(
        mixture=for_all(
            h * p + (1 - h) * u <= g * (other * q + (1 - other) * v) + delta,
            *(h >= 0, h <= 1, g >= 1, delta >= 0, p >= 0, p <= 1, u >= 0, u <= 1),
            *(q >= 0, q <= 1, v >= 0, v <= 1, p <= g * q + delta, u <= g * v + delta, *before),
        ),
        enumerated=exactly(_two_step_deltas(reads), note="delta of two adaptive steps"),
        calibrated=_calibrated(noise),
        scale=_scales_certify(noise),
        charged=_batches_are_charged_once(),
    )


def _leaky_response(bit: int, odds: Any, delta: Any) -> dict[Any, Any]:
    """Return the worst (log odds, delta)-DP law: tell the truth openly, or randomise."""
    keep = (1 - delta) * odds / (1 + odds)
    return {("open", bit): delta, bit: keep, 1 - bit: 1 - delta - keep}


def _two_steps(bits: tuple[int, ...], reads: tuple[int, int]) -> dict[Any, Any]:
    """Law of two adaptive (log 3, 1/10)-DP steps; step k reads the batch ``reads[k]``.

    The second step's input is its batch's bit, flipped if the first step's output says so.
    """
    odds, delta = Fraction(3), Fraction(1, 10)
    joint = {}
    for a, p in _leaky_response(bits[reads[0]], odds, delta).items():
        flip = a[1] if isinstance(a, tuple) else a
        for b, q in _leaky_response(bits[reads[1]] ^ flip, odds, delta).items():
            joint[a, b] = p * q
    return joint


def _two_step_deltas(reads: tuple[int, int]) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    for x, y in product(product((0, 1), repeat=2), repeat=2):
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1:
            p, q = _two_steps(x, reads), _two_steps(y, reads)
            delta = sum(max(p[o] - 3 * q.get(o, 0), Fraction(0)) for o in p)
            yield {"batches": x, "neighbour": y}, delta, Fraction(1, 10)


def _batches_are_charged_once() -> Outcome:
    """Compare what the ledger charges for five disjoint batches and for one."""
    spent = []
    for batches in (1, 5):
        ledger = Ledger(np.random.default_rng(0))
        for batch in range(batches):
            records = slice(10 * batch, 10 * (batch + 1))
            ledger.peeling(np.arange(4.0), count=1, sensitivity=0.1, scale=1.0, records=records)
        spent.append(ledger.spent(delta=1e-5).epsilon)
    return searched(spent[1], spent[0], tried=1, what="epsilon charged for 5 batches against 1")
