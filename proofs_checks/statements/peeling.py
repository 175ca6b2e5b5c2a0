"""Seed 002, section 2.2 and Lemmas 3.1-3.3: noisy hard thresholding."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product

import numpy as np
from mpmath import iv
from scipy.optimize import brentq

from proofs_checks.intervals import (
    Interval,
    interval,
    iv_ndtr,
    lower,
    prove_nonnegative,
)
from proofs_checks.old_statement import Outcome, Statement
from reference.privacy.guarantees import gaussian_dp_delta
from reference.privacy.ledger import Ledger, RecordingLedger
from reference.privacy.mechanisms import Laplace, laplace_argmax_log_probability
from reference.sparse.peeling import noise_scale, noisy_hard_thresholding

# --------------------------------------------------------------------- Proposition 2.3


def _laplace_mechanism(rng: np.random.Generator) -> Outcome:
    """Compare the largest loss with epsilon.

    The loss of a coordinate, (|x - v'| - |x - v|)/b, is piecewise linear with kinks v and v' and
    constant outside them, so it is largest at a kink; losses of coordinates add up.
    """
    worst = 0.0
    for _ in range(200):
        d = int(rng.integers(1, 6))
        v = [Fraction(int(k), 16) for k in rng.integers(-64, 65, d)]
        w = [Fraction(int(k), 16) for k in rng.integers(-64, 65, d)]
        epsilon = Fraction(int(rng.integers(1, 80)), 10)
        l1 = sum((abs(x - y) for x, y in zip(v, w, strict=True)), Fraction(0))
        if l1 == 0:
            continue
        b = l1 / epsilon
        largest = sum(
            (
                max((abs(x - y0) - abs(x - x0)) / b for x in (x0, y0))
                for x0, y0 in zip(v, w, strict=True)
            ),
            Fraction(0),
        )
        if largest != epsilon:
            return Outcome(
                False,
                "refuted with witness",
                f"largest loss {float(largest)} at epsilon {float(epsilon)}",
                {"v": [float(x) for x in v], "v'": [float(x) for x in w]},
            )
        # the implementation's density, anywhere
        mechanism = Laplace(float(b))
        first, second = (np.array([float(x) for x in side]) for side in (v, w))
        outputs = np.vstack([first, rng.laplace(0.0, 10.0, (20, d))])
        losses = [
            float(mechanism.log_density(o, first, 0) - mechanism.log_density(o, second, 0))
            for o in outputs
        ]
        worst = max(worst, max(losses) / float(epsilon))
    return Outcome(
        worst <= 1 + 1e-12,
        "proved exactly",
        "the loss is extreme at a kink; there it is ||v - v'||_1/b = epsilon, exactly, on 200 "
        f"rational pairs; implementation: at most {worst:.12f} epsilon over 4200 outputs",
    )


# --------------------------------------------------------------------- Proposition 2.4


def gaussian_delta(mu: Interval, epsilon: Interval) -> Interval:
    """Exact delta of the Gaussian mechanism with sensitivity/sigma = mu."""
    return iv_ndtr(mu / 2 - epsilon / mu) - iv.exp(epsilon) * iv_ndtr(-mu / 2 - epsilon / mu)


def _gaussian_mechanism(rng: np.random.Generator) -> Outcome:
    epsilon, delta = interval(6), interval("0.1")
    exact = gaussian_delta(epsilon / iv.sqrt(2 * iv.log(interval("1.25") / delta)), epsilon)
    found = float(lower(exact))
    limits = [
        _first_failure(1 / math.sqrt(2 * math.log(1.25 / delta)), delta) for delta in (0.1, 1e-5)
    ]
    return Outcome(
        not found > 0.1,
        "refuted with witness",
        f"(6, 0.1): exact delta >= {found:.5f} by interval arithmetic; it fails from epsilon = "
        f"{limits[0]:.3f} on at delta 0.1, {limits[1]:.3f} at 1e-5",
        {"epsilon": 6.0, "delta": 0.1, "exact delta at least": found},
    )


def _gaussian_mechanism_small_epsilon(rng: np.random.Generator) -> Outcome:
    """Prove Phi(1/(2K) - K) <= delta = 1.25 exp(-K^2/2) for every K > sqrt(2 log 1.25).

    For epsilon <= 1 the exact delta is at most its first term, Phi(epsilon/(2K) - K). For large K,
    Phi(-x) <= exp(-x^2/2)/2 turns the claim into exp(1/2)/2 <= 1.25.
    """
    near = prove_nonnegative(
        lambda k: interval("1.25") - iv.exp(k**2 / 2) * iv_ndtr(1 / (2 * k) - k),
        [("0.668", 8)],
    )
    far = lower(interval("1.25") - iv.exp(interval("0.5")) / 2) > 0
    return Outcome(
        near.proved and far,
        "proved by interval arithmetic",
        f"epsilon in (0, 1], every delta in (0, 1): {near.describe()} for sqrt(2 log(1.25/delta)) "
        f"<= 8, beyond by exp(1/2)/2 = {math.exp(0.5) / 2:.4f} <= 1.25",
    )


# ------------------------------------------------------------------ Propositions 2.5, 2.6

Law = Mapping[object, Fraction]


def hockey_stick(p: Law, q: Law, ratio: Fraction) -> Fraction:
    """Return sup over events of P(S) - ratio Q(S), exactly."""
    zero = Fraction(0)
    return sum((max(zero, p[o] - ratio * q.get(o, zero)) for o in p), zero)


def _random_law(size: int, rng: np.random.Generator) -> dict[object, Fraction]:
    weights = rng.integers(0, 20, size)
    weights[int(rng.integers(size))] += 1
    total = int(weights.sum())
    return {k: Fraction(int(w), total) for k, w in enumerate(weights)}


def _post_processing(rng: np.random.Generator) -> Outcome:
    worst = Fraction(0)
    cases = 0
    for _ in range(300):
        p, q = _random_law(5, rng), _random_law(5, rng)
        kernel = [_random_law(3, rng) for _ in range(5)]
        images: list[Law] = [
            {o: sum((law[k] * kernel[k][o] for k in range(5)), Fraction(0)) for o in range(3)}
            for law in (p, q)
        ]
        for ratio in (Fraction(1), Fraction(3, 2), Fraction(4)):
            before = hockey_stick(p, q, ratio)
            after = hockey_stick(images[0], images[1], ratio)
            if after > before:
                return Outcome(
                    False, "refuted with witness", "post-processing raised delta",
                    {"before": float(before), "after": float(after)},
                )  # fmt: skip
            if before:
                worst = max(worst, after / before)
            cases += 1
    return Outcome(
        True,
        "checked by search",
        f"exact rationals: delta after a random kernel is at most {float(worst):.4f} of delta "
        f"before in {cases} cases",
    )


def leaky_response(bit: int, odds: Fraction, delta: Fraction) -> dict[object, Fraction]:
    """Return the worst (log odds, delta)-DP law: tell the truth openly, or randomise.

    Every (log odds, delta)-DP mechanism is a post-processing of it (Kairouz, Oh, Viswanath, 2015).
    """
    keep = (1 - delta) * odds / (1 + odds)
    return {("open", bit): delta, bit: keep, 1 - bit: 1 - delta - keep}


def _joint(first: Law, second: Law) -> dict[object, Fraction]:
    return {(a, b): p * q for (a, p), (b, q) in product(first.items(), second.items())}


def _basic_composition(rng: np.random.Generator) -> Outcome:
    odds = [Fraction(k, 4) for k in (5, 8, 12, 40)]
    deltas = [Fraction(0), Fraction(1, 1000), Fraction(1, 5), Fraction(2, 3)]
    slack = Fraction(1)
    cases = 0
    for r1, r2, d1, d2 in product(odds, odds, deltas, deltas):
        p = _joint(leaky_response(0, r1, d1), leaky_response(0, r2, d2))
        q = _joint(leaky_response(1, r1, d1), leaky_response(1, r2, d2))
        exact = hockey_stick(p, q, r1 * r2)
        if exact != 1 - (1 - d1) * (1 - d2) or exact > d1 + d2:
            return Outcome(
                False, "refuted with witness", "composition above delta1 + delta2",
                {"delta": float(exact), "delta1": float(d1), "delta2": float(d2)},
            )  # fmt: skip
        slack = min(slack, d1 + d2 - exact)
        cases += 1
    return Outcome(
        True,
        "proved exactly",
        "on the worst mechanisms delta(epsilon1 + epsilon2) = 1 - (1-delta1)(1-delta2) <= "
        f"delta1 + delta2, in exact rationals on {cases} parameters (smallest slack "
        f"{float(slack):.3g})",
    )


# ------------------------------------------------------------------------------ Lemma 3.1

CERTIFIED = interval("4.8") * (1 - 2 * iv.sqrt(interval(5) / 24))
"""epsilon/log(1/delta) up to which zCDP certifies the paper's noise: 0.41822."""


def value_loss_moments(a: Interval) -> tuple[Interval, Interval]:
    """Return mean and variance of the loss |z + a| - |z|, z a standard Laplace variable.

    It is a for z >= 0, -a for z <= -a and a - 2y at z = -y in between.
    """
    e = iv.exp(-a)
    i0, i1, i2 = 1 - e, 1 - (1 + a) * e, 2 - (a**2 + 2 * a + 2) * e
    mean = a - 1 + e
    second = a**2 / 2 + a**2 * e / 2 + (a**2 * i0 - 4 * a * i1 + 4 * i2) / 2
    return mean, second - mean**2


def values_only_delta(epsilon: float, delta: str, s: int) -> float:
    """Return a rigorous lower bound on delta(epsilon) of NoisyHT with d = s.

    Every coordinate moves by lambda in the same direction from a constant vector, so the order of
    selection has the same law on both sides and the loss is that of s Laplace releases with
    sensitivity/scale a = epsilon/sqrt(12 s log(1/delta)). Lemma 3.1 has sensitivity < lambda:
    a is taken 1e-6 smaller. P(loss > epsilon + c) is bounded by Cantelli's inequality.
    """
    log = iv.log(1 / interval(delta))
    a = interval("0.999999") * epsilon / iv.sqrt(12 * s * log)
    mean, variance = (s * moment for moment in value_loss_moments(a))
    best = 0.0
    for c in (0.5, 1.0, 2.0, 3.0):
        gap = mean - epsilon - c
        if lower(gap) > 0:
            bound = (1 - iv.exp(interval(-c))) * (gap**2 / (gap**2 + variance))
            best = max(best, float(lower(bound)))
    return best


def _first_failure(mu_per_epsilon: float, delta: float) -> float:
    """Return the epsilon from which a mechanism with mu = mu_per_epsilon epsilon breaks delta."""
    return float(
        brentq(lambda e: gaussian_dp_delta(mu_per_epsilon * e, e) - delta, 1.0, 300.0, xtol=1e-10)
    )


def _peeling_privacy(rng: np.random.Generator) -> Outcome:
    epsilon, s = 100.0, 400
    found = values_only_delta(epsilon, "0.1", s)
    limits = {
        delta: _first_failure(1 / math.sqrt(12 * math.log(1 / delta)), delta)
        for delta in (0.1, 0.01)
    }
    return Outcome(
        not found > 0.1,
        "refuted with witness",
        f"d = s = {s}, (100, 0.1): delta(100) >= {found:.4f} (Cantelli, interval arithmetic); for "
        f"s -> infinity the values alone break it from epsilon = {limits[0.1]:.2f} at delta = 0.1 "
        f"and {limits[0.01]:.2f} at 0.01",
        {"d": s, "s": s, "epsilon": epsilon, "delta": 0.1, "delta at least": found},
    )


def selection_ratio(rng: np.random.Generator, a: float) -> float:
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


def _peeling_privacy_restricted(rng: np.random.Generator) -> Outcome:
    """zCDP: (5/24) x + 2 sqrt(5/24) <= 1 with x = epsilon/log(1/delta); pure: s <= (4/3) log."""
    zcdp = prove_nonnegative(
        lambda x: 1 - interval(5) / 24 * x - 2 * iv.sqrt(interval(5) / 24),
        [(0, "0.41821")],
    )
    # 3 s lambda/b = (sqrt 3/2) epsilon sqrt(s/log): its square over epsilon^2 is 3 (4/3)/4 = 1
    pure = Fraction(3, 4) * Fraction(4, 3) == 1
    ratio = max(selection_ratio(rng, a) for a in (0.1, 0.3, 2.0))
    scales = _scales_certify(rng)
    return Outcome(
        zcdp.proved and pure and ratio <= 1 + 1e-9 and scales,
        "proved by interval arithmetic",
        f"{zcdp.describe()} for epsilon <= 0.41821 log(1/delta) (limit "
        f"{float(lower(CERTIFIED)):.7f}); a round's log-ratio is at most {ratio:.6f} of "
        "2 lambda/b (search); the scale used here is certified on 400 random (epsilon, delta, s)",
    )


def _scales_certify(rng: np.random.Generator) -> bool:
    """Whether the corrected scale meets zCDP or pure DP everywhere, by the formulas themselves."""
    for _ in range(400):
        epsilon = float(np.exp(rng.uniform(-5, 6)))
        delta = float(np.exp(-np.exp(rng.uniform(-6, 4))))
        s = int(np.exp(rng.uniform(0, 7)))
        b = noise_scale(epsilon, delta, sparsity=s, sensitivity=1.0)
        rho, log = 2.5 * s / b**2, math.log(1 / delta)
        by_zcdp = rho + 2 * math.sqrt(rho * log) <= epsilon * (1 + 1e-9)
        if not (by_zcdp or 3 * s / b <= epsilon * (1 + 1e-9)):
            return False
    return True


# ------------------------------------------------------------------------------ Lemma 3.2


def _selection_error(rng: np.random.Generator) -> Outcome:
    """Prove the two algebraic steps of the proof, and test the lemma on runs of Algorithm 1.

    Step 1: (1+c)x^2 + (1+1/c)y^2 - (x+y)^2 = (r x - y/r)^2 with c = r^2; multiplied by r^2 it is a
    polynomial identity of degree at most (2, 2, 4) in (x, y, r), so it holds if it holds on a
    3 x 3 x 5 grid. Step 2: (w - w')^2 <= 4 max(w^2, w'^2) is step 1 with c = 1.
    """
    identity = all(
        ((1 + r**2) * x**2 + (1 + 1 / r**2) * y**2 - (x + y) ** 2) == (r * x - y / r) ** 2
        for x, y, r in product(
            map(Fraction, range(3)), map(Fraction, range(3)), map(Fraction, range(1, 6))
        )
    )
    worst = max(_selection_ratio(rng) for _ in range(400))
    return Outcome(
        identity and worst <= 1,
        "proved exactly",
        f"both steps are exact identities; left/right is at most {worst:.3f} over 400 runs with "
        "the worst R1, R2 and four values of c",
    )


def _selection_ratio(rng: np.random.Generator) -> float:
    d = int(rng.integers(2, 12))
    s = int(rng.integers(1, d))
    v = rng.standard_normal(d) * rng.exponential(2.0)
    ledger = RecordingLedger(rng)
    noisy_hard_thresholding(v, sparsity=s, sensitivity=0.1, epsilon=1.0, delta=0.05, ledger=ledger)
    rounds = ledger.transcript.releases[:s]
    noise = 0.0
    for release in rounds:
        assert release.value is not None
        draws = np.asarray(release.draw) * noise_scale(1.0, 0.05, sparsity=s, sensitivity=0.1)
        noise += float(np.abs(draws).max()) ** 2
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


_BITS = ((0, 0), (0, 1), (1, 0), (1, 1))


def two_steps(bits: tuple[int, int], reads: tuple[int, int]) -> dict[object, Fraction]:
    """Law of two adaptive (log 3, 1/10)-DP steps; step k reads the batch ``reads[k]``.

    The second step's input is its batch's bit, flipped if the first step's output says so.
    """
    odds, delta = Fraction(3), Fraction(1, 10)
    joint: dict[object, Fraction] = {}
    for a, p in leaky_response(bits[reads[0]], odds, delta).items():
        flip = a[1] if isinstance(a, tuple) else a
        assert isinstance(flip, int)
        for b, q in leaky_response(bits[reads[1]] ^ flip, odds, delta).items():
            joint[a, b] = p * q
    return joint


def _disjoint_batches(rng: np.random.Generator) -> Outcome:
    disjoint = max(
        hockey_stick(two_steps(x, (0, 1)), two_steps(y, (0, 1)), Fraction(3))
        for x in _BITS
        for y in _BITS
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1
    )
    reused = hockey_stick(two_steps((0, 0), (0, 0)), two_steps((1, 0), (0, 0)), Fraction(3))
    ledger = Ledger(rng)
    for batch in range(5):
        noisy_ledger_step(ledger, slice(10 * batch, 10 * (batch + 1)))
    once = Ledger(rng)
    noisy_ledger_step(once, slice(0, 10))
    charged = ledger.spent(delta=1e-5).epsilon, once.spent(delta=1e-5).epsilon
    return Outcome(
        disjoint == Fraction(1, 10) and reused > Fraction(1, 10) and charged[0] == charged[1],
        "proved exactly",
        f"two adaptive steps, exact rationals: delta(epsilon) = {disjoint} on disjoint batches, "
        f"{reused} if a batch is read twice; the accountant charges 5 batches {charged[0]:.4f}, "
        f"1 batch {charged[1]:.4f}",
    )


def noisy_ledger_step(ledger: Ledger, records: slice) -> None:
    """Release one selection and one value of a batch, as a step of Algorithm 2 does."""
    ledger.peeling(np.arange(4.0), count=1, sensitivity=0.1, scale=1.0, records=records)


# ------------------------------------------------------------------------------------- (17)


def _noise_tail(rng: np.random.Generator) -> Outcome:
    """Prove P(||W||^2 > s C^2 b^2) <= P(some |w| > C b) = 1 - (1 - p)^s <= s p with p = exp(-C).

    s p - 1 + (1 - p)^s is 0 at p = 0 and its derivative s (1 - (1 - p)^(s-1)) is >= 0.
    """
    proofs = [
        prove_nonnegative(lambda p, s=s: s * (1 - (1 - p) ** (s - 1)), [(0, 1)])
        for s in range(1, 65)
    ]
    s, c, runs = 4, 1.5, 20_000
    noise = rng.laplace(size=(runs, s))
    frequency = float(((noise**2).sum(axis=1) > s * c**2).mean())
    bound = s * math.exp(-c)
    return Outcome(
        all(proof.proved for proof in proofs) and frequency < bound,
        "proved by interval arithmetic",
        f"s = 1..64 and every C; simulated s = {s}, C = {c}: {frequency:.4f} against {bound:.4f}",
    )


# ------------------------------------------------------------------------------ the ledger

_PEELING = ("zhang-1",)
_Check = Callable[[np.random.Generator], Outcome]

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "002",
        "Definition 2.1",
        "61-69",
        "P(M(X) in S) <= e^epsilon P(M(X') in S) + delta for all X, X' that differ in one datum",
        "definition",
        "not checkable",
        reason="a definition; it fixes replace-one with public n (M maps to R as printed, to R^d "
        "in use)",
        algorithms=_PEELING,
    ),
    Statement(
        "002",
        "Definition 2.2",
        "73-75",
        "Delta_p(f) = sup over adjacent X, X' of ||f(X) - f(X')||_p",
        "definition",
        "not checkable",
        reason="a definition",
        algorithms=_PEELING,
    ),
    Statement(
        "002",
        "Proposition 2.3",
        "79-81",
        "f(X) + w, w iid Laplace(Delta_1(f)/epsilon), is (epsilon, 0)-DP",
        "privacy",
        "true",
        _laplace_mechanism,
        algorithms=_PEELING,
    ),
    Statement(
        "002",
        "Proposition 2.4",
        "83-85",
        "f(X) + N(0, 2 (Delta_2(f)/epsilon)^2 log(1.25/delta) I) is (epsilon, delta)-DP",
        "privacy",
        "false",
        _gaussian_mechanism,
        reason="no limit on epsilon is stated; false for large epsilon",
        corrected="true for 0 < epsilon <= 1 and every delta in (0, 1)",
        corrected_check=_gaussian_mechanism_small_epsilon,
        algorithms=("zhang-4",),
        errata=(("zhang-4", 1),),
    ),
    Statement(
        "002",
        "Proposition 2.5",
        "89-91",
        "M (epsilon, delta)-DP implies g(M) (epsilon, delta)-DP",
        "composition",
        "true",
        _post_processing,
        algorithms=_PEELING,
    ),
    Statement(
        "002",
        "Proposition 2.6",
        "93-95",
        "(M1, M2) is (epsilon1 + epsilon2, delta1 + delta2)-DP",
        "composition",
        "true",
        _basic_composition,
        algorithms=_PEELING,
    ),
    Statement(
        "002",
        "Lemma 3.1",
        "124-126",
        "||v(X) - v(X')||_inf < lambda for all neighbours => NoisyHT is (epsilon, delta)-DP",
        "privacy",
        "false",
        _peeling_privacy,
        reason="no limit on epsilon is stated; with many coordinates it fails for large epsilon",
        corrected="true if epsilon <= 0.41821 log(1/delta) or s <= (4/3) log(1/delta); otherwise "
        "with b = lambda min(sqrt(5 s/(2 rho(epsilon, delta))), 3 s/epsilon)",
        corrected_check=_peeling_privacy_restricted,
        algorithms=_PEELING,
        errata=(("zhang-1", 1),),
    ),
    Statement(
        "002",
        "Lemma 3.2",
        "130-134",
        "R1 in S, R2 in S^c, |R1| = |R2|, c > 0 => ||v_R2||^2 <= (1+c)||v_R1||^2 + "
        "4(1+1/c) sum_i ||w_i||_inf^2",
        "optimisation",
        "true",
        _selection_error,
        algorithms=_PEELING,
    ),
    Statement(
        "002",
        "Lemma 3.3",
        "150-152",
        "Algorithm 2, NoisyHT on disjoint batches, is (epsilon, delta)-DP",
        "composition",
        "true",
        _disjoint_batches,
        algorithms=_PEELING,
    ),
    Statement(
        "002",
        "(17)",
        "768",
        "P(||W_Lap||_2^2 > s C^2 b^2) <= s exp(-C)",
        "concentration",
        "true",
        _noise_tail,
        algorithms=_PEELING,
    ),
)
