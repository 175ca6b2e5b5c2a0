"""Section 3.2: the conditions and Theorem 3.8."""

from __future__ import annotations

from functools import partial

from mpmath import mp

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.facts import squared_scale
from proofs_checks.statement import not_checkable as any_not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import identity, refuted, symbols

FRAMEWORK = ("zhang-2", "zhang-3", "zhang-5", "zhang-6")
statement = partial(any_statement, algorithms=FRAMEWORK)

any_not_checkable(
    "002 Condition 3.4",
    lines="160-164",
    kind="assumption",
    printed="Lipschitz-Gradient: ||grad Q(b; b*) - grad Q(b; b)||_2 <= gamma ||b - b*||_2 on B",
    reason="an assumption; for the models it is Lemmas 4.1, A.1, A.2",
    algorithms=FRAMEWORK,
)

any_not_checkable(
    "002 Condition 3.5",
    lines="166-172",
    kind="assumption",
    printed="Q(.; b*) is mu-smooth and nu-strongly concave on B",
    reason="an assumption; for the models it is Lemmas 4.1, A.1, A.2",
    algorithms=FRAMEWORK,
)

any_not_checkable(
    "002 Condition 3.6",
    lines="174-180",
    kind="assumption",
    printed="fixed s-sparse beta: P(||grad Q - grad Q_n||_inf > alpha) <= tau",
    reason="an assumption; for the models it is Lemmas 4.1, A.1, A.2",
    algorithms=FRAMEWORK,
)

any_not_checkable(
    "002 Condition 3.7",
    lines="182-190",
    kind="assumption",
    printed="P(||grad Q_n - f_T(grad Q_n)||_2 > xi) <= phi(xi)",
    reason="an assumption; with the full norm the models do not meet it (Lemma 4.1, truncation); "
    "the proofs use it restricted to the selected set",
    algorithms=FRAMEWORK,
)


@statement(
    "002 Theorem 3.8",
    lines="196-209, 778",
    kind="utility",
    printed="s* log d (log n)^{3/2}/n = o(1) makes ||W_Lap||_2 = o(1), and then (3) holds",
    false="the condition lacks sqrt(log(1/delta))/epsilon (Theorems 4.2-4.6 repeat it)",
    errata=("zhang-2/E2",),
)
def lost_budget() -> Outcome:
    """s* = n/l^2.75, d = s*^2, epsilon = l^-2, delta = .01, with l = log n, T = sqrt l, N0 = l.

    What is assumed to vanish falls like 2 l^-1/4 as l goes from 1e2 to 1e6, and the root of
    E||W_Lap||^2 = 2 s b^2 grows beyond 100.
    """
    assumed, noises = [], []
    with mp.workdps(30):
        for log_n in (10**2, 10**4, 10**6):
            ell = mp.mpf(log_n)
            n = mp.exp(ell)
            s = n / ell ** mp.mpf("2.75")
            assumed.append(float(s * 2 * mp.log(s) / n * ell ** mp.mpf("1.5")))
            square = squared_scale(2, s, mp.log(100), ell ** mp.mpf("1.5"), n, 1 / ell**2)
            noises.append(float(mp.sqrt(2 * s * square)))
    if assumed != sorted(assumed, reverse=True):
        raise ArithmeticError("the assumed quantity must fall along the sequence")
    point = {"log_n": [1e2, 1e4, 1e6], "assumed": assumed, "noise": noises}
    return refuted(point, noises[-1], 100.0, "noise at log n = 1e6, growing, against 100")


@lost_budget.corrected(
    "s* log d sqrt(log(1/delta)) (log n)^{3/2}/(n epsilon) = o(1) makes it o(1)",
    refuses={
        "without sqrt(log(1/delta))": {"budget": 0},
        "without 1/epsilon": {"privacy": 0},
        "log n for (log n)^{3/2}": {"power": "1"},
    },
)
def with_budget(budget: int = 1, privacy: int = 1, power: str = "3/2") -> Outcome:
    """E||W_Lap||^2 = 2 s b^2 = 96 q^2/(log d)^2 with the assumed q at T = sqrt(log n), N0 = log n.

    So it vanishes with q, in probability by Markov's inequality. Here L = log(1/delta), l = log n,
    s = s*.
    """
    s, size, ell, n, epsilon, log_d = symbols("s L l n epsilon log_d")
    square = squared_scale(2, s, size, ell ** sp.Rational(3, 2), n, epsilon)
    assumed = s * log_d * ell ** sp.Rational(power) / n
    assumed *= sp.sqrt(size**budget) / epsilon**privacy
    return identity((2 * s * square * log_d**2, 96 * assumed**2))


@statement(
    "002 Remark after (3)",
    lines="209",
    kind="remark",
    printed="s* log d (log n)^2 log(1/delta)/(n epsilon^2) = o(1): the privacy term is negligible",
    refuses={"log n for (log n)^2": {"power": 1}, "1/epsilon": {"privacy": 1}},
)
def free_privacy(power: int = 2, privacy: int = 2) -> Outcome:
    """The squared ratio of the third term of (3) to sqrt(s* log d log n/n) is what is displayed.

    Here s = s*, l = log n, L = log(1/delta).
    """
    s, size, ell, n, epsilon, log_d = symbols("s L l n epsilon log_d")
    privacy_term = (s * log_d / (n * epsilon)) ** 2 * size * ell**3
    ratio = privacy_term / (s * log_d * ell / n)
    return identity((ratio, s * log_d * ell**power * size / (n * epsilon**privacy)))
