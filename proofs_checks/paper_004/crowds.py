"""Perturbed abilities, starting points and the mean of answers, which section 7.1 shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import derived, for_all, identity, reals, symbols
from reference._validation import FloatArray, IntArray


def perturbed_chance(ability: Any, odds: Any, minus: int = 1) -> Any:
    """Return the chance of a right answer after randomized response, odds = e^epsilon."""
    return (odds - minus) / (odds + 1) * ability + 1 / (odds + 1)


def starting_labels(truth: IntArray, share: float) -> FloatArray:
    """Return labels of which the first ``share`` are wrong."""
    start = truth.astype(np.float64)
    wrong = int(truth.size * share)
    start[:wrong] = 1 - start[:wrong]
    return start


def answers_near_their_mean(logs: int = 1, tasks: int = 1) -> Outcome:
    """E_1 keeps the mean of m answers within sqrt(log m/m) of its expectation.

    By Hoeffding's inequality it fails with probability at most 2/m^2 for each worker.
    """
    m = symbols("m")
    within = sp.sqrt(sp.log(m) ** logs / m**tasks)
    return identity((2 * sp.exp(-2 * m * within**2), 2 / m**2))


def mean_identity(sign: int = 2, rounds_back: int = 1) -> Outcome:
    """With e = |y - y*|: (1-X)(1-y) + X y = T + e (1 - 2T), so |p_bar - p| <= |avg(T - p)| + avg e.

    Every case of the bits y* and T, for all e in [0, 1] [step "task"]. P, S and E, the sums of what
    p_bar averages less p, of T - p and of e, are |P - S| <= E apart, task after task [step "sum"];
    over m that is the claim [step "mean"]. The labels that p_bar reads are those of the round
    before: those of its own, of error r_t, are free.
    """
    truth, t, e, p, m = reals("truth t e p m")
    answer = truth * t + (1 - truth) * (1 - t)
    label = truth * (1 - e) + (1 - truth) * e
    found = (1 - answer) * (1 - label) + answer * label
    total, deviations, errors = reals("P S E")
    mean, deviation, before, own = reals("p_bar deviation r_(t-1) r_t")
    one = (truth * (1 - truth) == 0, t * (1 - t) == 0, e >= 0, e <= 1)
    return derived(
        task=for_all(found == t + e * (1 - sign * t), *one),
        sum=for_all(
            z3.Abs(total + (found - p) - deviations - (t - p)) <= errors + e,
            *(*one, z3.Abs(total - deviations) <= errors),
        ),
        mean=for_all(
            z3.Abs(mean - p) <= z3.Abs(deviation) + (before if rounds_back else own),
            *(m >= 1, m * (mean - p) == total, m * deviation == deviations),
            *(m * before == errors, own >= 0, z3.Abs(total - deviations) <= errors),
        ),
    )
