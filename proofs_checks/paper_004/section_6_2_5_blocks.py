"""Section 6.2.5: what of Theorem 6.2.7 can be proved, by another family than (6.37)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_3_7_information import pairwise_information
from proofs_checks.paper_004.section_6_1_packing import sparse_packing
from proofs_checks.statement import statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    less,
    rational,
    reals,
    searched,
    symbols,
)

pairs_check = pairwise_information.of_printed.check  # type: ignore[union-attr]
words_check = sparse_packing.of_printed.check  # type: ignore[union-attr]


def _norms(rng: np.random.Generator) -> Outcome:
    """Compare ||Sigma_S - Sigma_S'||_2 with b sqrt(1 - o^2), o the share of S in S'."""
    worst = 0.0
    for _ in range(40):
        w, p, b = int(rng.integers(1, 6)), 12, float(rng.uniform(0, 1))
        sets = [rng.permutation(p)[:w] for _ in range(2)]
        ones = [np.isin(np.arange(p), chosen) / np.sqrt(w) for chosen in sets]
        overlap = float(ones[0] @ ones[1])
        difference = b * (np.outer(ones[0], ones[0]) - np.outer(ones[1], ones[1]))
        found = float(np.linalg.norm(difference, 2))
        worst = max(worst, abs(found**2 - b**2 * (1 - overlap**2)))
    return searched(worst, 1e-12, tried=40, what="difference of squared norms, drawn sets")


@statement(
    "004 Theorem 6.2.7 (bounded s)",
    lines="8205-8207",
    kind="lower bound",
    printed="for bounded s, epsilon in (0, ln(2)/2] and n >= C s^2 log(p)/epsilon^2 the risk over "
    "P(s, rho) in the squared spectral norm is Omega(s^2 log(p)/(n epsilon^2))",
    checked="at least w log(p/w)/(2200 n epsilon^2), w = s + 1, for every s, p >= 4 w, w log(p/w) "
    ">= 8 log 2 and 32 n >= e^(1/rho) w log(p/w)/epsilon^2: s where the theorem has s^2, which is "
    "the same for bounded s only",
    refuses={
        "1/2100": {"share": 2100},
        "w log(p/w) >= 7 log 2": {"least": 7},
        "p >= 2 w": {"room": 2},
        "sets that differ in half of the places": {"places": "1/2"},
        "c = 3 in Lemma 6.1.1": {"constant": 3},
        "33 n >= e^(1/rho) w log(p/w)/epsilon^2": {"records": 33},
    },
    unchecked={
        "C": "a constant of no claimed value; the steps have e^(1/rho)/32, and w for s^2",
    },
)
def hidden_block(
    rng: np.random.Generator,
    share: int = 2200,
    least: int = 8,
    room: int = 4,
    places: str = "1/8",
    constant: int = 2,
    records: int = 32,
) -> Outcome:
    """With probability b let X be +-1_S/sqrt w, |S| = w and both signs equally likely, else 0.

    ||X|| <= 1, and Sigma_S = b/w 1_S 1_S^T has s entries beside the diagonal in a column. P(|v^T X|
    > t) is at most b below t = 1 and 0 from there, so (6.35) holds for b <= e^(-1/(2 rho)) [step
    "tail", exponents], as the condition on n gives [step "small", squared]. Let S have one of q =
    floor(p/w) coordinates in each of w blocks: q >= 4 p/(5 w) for p >= 4 w [step "letters"], and
    there are N sets that differ in w/8 places or more, log N >= w (7/8 log q - h) >= w log(p/w)/4
    [steps "words", as in Lemma 6.1.10; "sets" and "more" beyond 4].

    Two of them have ||Sigma_S - Sigma_S'||_2^2 = b^2 (1 - o^2) with o <= 7/8 [steps "spectrum",
    "norms", "apart"], and TV <= b, so that I <= 2 n epsilon^2 b^2 [step "information"]. An
    estimate is wrong about the nearest S with probability 1 - (I + log 2)/log N (Fano, cited), and
    then its loss is a quarter of that square. At b^2 = w log(p/w)/(32 n epsilon^2) I is a quarter
    of log N, log 2 half of it at most [step "half"], and 15/64/4/4/32 >= 1/2200 [step "risk"]. For
    l_w norms: ||M||_2 <= ||M||_w, see Corollary 6.2.3.
    """
    eta = Fraction(places)
    part = ball(eta)
    entropy = -part * log(part) - (1 - part) * log(1 - part)
    c, t, x, q, rate = reals("c t p/w q 1/(2rho)")
    angle, lam = sp.symbols("angle lambda", real=True)
    first = sp.Matrix([1, 0])
    second = sp.Matrix([sp.cos(angle), sp.sin(angle)])
    gap = first * first.T - second * second.T
    apart, square, o = reals("apart b^2 o")
    n, epsilon, size, logs, two, told, risk = reals("n epsilon wL log_N log_2 I risk")
    y, low, h = reals("log(p/w) log_room h")
    top = reals("e^(1/rho)")
    k = symbols("k")
    return derived(
        tail=for_all(t * t * rate <= rate, rate > 0, t >= 0, t < 1),
        small=for_all(
            square * top <= 1,
            *(n >= 1, epsilon > 0, size > 0, top >= 1, 32 * n * epsilon**2 * square == size),
            records * n * epsilon**2 >= top * size,
        ),
        letters=for_all(5 * q >= 4 * x, x >= room, q > x - 1, q >= 4),
        words=words_check(),
        sets=less(log(ball(room)) / 4, (1 - part) * (log(ball(room)) + log(ball("4/5"))) - entropy),
        more=for_all(
            (1 - rational(eta)) * y - h >= y / 4,
            *(y >= low, low > 0, h > 0, (1 - rational(eta)) * low - h >= low / 4),
        ),
        spectrum=identity(((lam * sp.eye(2) - gap).det(), lam**2 - (1 - sp.cos(angle) ** 2))),
        norms=_norms(rng),
        apart=for_all(
            64 * apart >= 15 * square,
            *(square > 0, o >= 0, o <= 1 - rational(eta), apart == square * (1 - o * o)),
        ),
        information=pairs_check(),
        half=identity((least * k / 4, 2 * k)),
        risk=for_all(
            share * risk * n * epsilon**2 >= size,
            *(n >= 1, epsilon > 0, size > 0, two > 0, square > 0, told >= 0, c == constant),
            *(32 * n * epsilon**2 * square == size, told <= c * n * epsilon**2 * square),
            *(4 * logs >= size, logs >= 2 * two, 64 * apart >= 15 * square),
            4 * risk * logs >= apart * (logs - told - two),
        ),
    )
