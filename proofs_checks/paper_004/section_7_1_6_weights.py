"""Section 7.1.6: from the mean of the answers to the weights, (7.24)-(7.31), and to (7.33).

a and b are p_bar_i^(t) and p^*_i, L and H the ends lambda and 1 - lambda, "dev" is |avg (T_ij -
p^*_i)|, "root" is sqrt(log m/m) and r is r^(t-1).
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from proofs_checks.balls import ball, exp
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-7.1.54",))


def _step(condition: Any) -> Any:
    """Return the indicator of a condition."""
    return z3.If(condition, 1, 0)


@statement(
    "004 (7.24)",
    lines="9226-9228",
    kind="identity",
    printed="p_i^(t) = (1/m) sum_j ((1 - X^_ij)(1 - y_j^(t-1)) + X^_ij y_j^(t-1))",
    misprint="p_i^(t) for p_bar_i^(t), the maximiser of (7.4) before the projection, as the words "
    "before it say",
    refuses={
        "(1 - X^) y + X^ (1 - y)": {"turned": True},
        "over m + 1": {"tasks": 1},
    },
    unchecked={
        "t": "the round; the step has the labels y of the one before",
        "X^_ij": "X in the step, one answer",
    },
)
def mean_of_answers(turned: bool = False, tasks: int = 0) -> Outcome:
    """a answers, weighted by y, are right and m - a are wrong [step "weights", one task].

    a log p + (m - a) log(1 - p) has the slope 0 at a/m [step "maximiser"].
    """
    answer, label = symbols("X y")
    a, m, p = symbols("a m p")
    right = answer * label + (1 - answer) * (1 - label)
    wrong = answer * (1 - label) + (1 - answer) * label
    slope = sp.diff(a * sp.log(p) + (m - a) * sp.log(1 - p), p)
    printed = (1 - answer) * (1 - label) + answer * label
    return derived(
        weights=identity((right + wrong, 1), (wrong if turned else right, printed)),
        maximiser=identity((slope.subs(p, a / (m + tasks)), 0)),
    )


@statement(
    "004 (7.25)",
    lines="9230-9232",
    kind="identity",
    printed="|(1 - X^_ij)(1 - y_j^(t-1)) + X^_ij y_j^(t-1) - p^*_i| = |2 T_ij y_j^(t-1) - T_ij - "
    "y_j^(t-1) + 1 - p*_i| where y*_j = 1",
    false="misprint: p*_i for p^*_i on the right, and in the lines after it",
    errata=("004 (7.25)/E1",),
)
def one_task_printed() -> Outcome:
    """p*_i = 1 and e^epsilon = 3, so that p^*_i = 3/4; T_ij = y_j^(t-1) = 1."""
    point = {"p*": 1.0, "p^*": 0.75, "T": 1, "y": 1.0}
    return refuted(
        point, abs(1 - Fraction(3, 4)), abs(2 - 1 - 1 + 1 - Fraction(1)), "the two sides"
    )


@one_task_printed.corrected(
    "with p^*_i, and at most |T_ij - p^*_i| + |y_j^(t-1) - y*_j|, for y*_j = 0 as well",
    refuses={
        "2 T y - T + y + 1": {"sign": -1},
        "without |y - y*|": {"labels": 0},
        "|T - p^*|/2": {"share": "1/2"},
    },
    unchecked={
        "y*_j": "truth in the steps",
    },
)
def one_task(sign: int = 1, labels: int = 1, share: str = "1") -> Outcome:
    """X^ = T for y* = 1, X^ = 1 - T for y* = 0 [steps "one", "both"]."""
    t, y, p, truth = reals("T y p truth")
    bits = (t * (1 - t) == 0, truth * (1 - truth) == 0, y >= 0, y <= 1, p >= 0, p <= 1)
    answer = truth * t + (1 - truth) * (1 - t)
    left = (1 - answer) * (1 - y) + answer * y - p
    bound = rational(share) * z3.Abs(t - p) + labels * z3.Abs(y - truth)
    return derived(
        one=for_all(left == 2 * t * y - t - sign * y + 1 - p, *bits, truth == 1),
        both=for_all(z3.Abs(left) <= bound, *bits),
    )


@statement(
    "004 (7.28)",
    lines="9244",
    kind="approximation",
    printed="(2/lambda)|p_i^(t) - p^*_{lambda,i}| <= (2/lambda)|p_bar_i^(t) - p^*_i| + "
    "(4/lambda) I(|p_bar_i^(t) - p^*_i| > 1 - 2 lambda)",
    checked="it holds without the indicator, too",
    refuses={
        "(1/lambda)|p_bar_i^(t) - p^*_i|": {"factor": 1},
        "one of the two projected": {"both": False},
    },
)
def projection(factor: int = 2, both: bool = True) -> Outcome:
    """The projection on [lambda, 1 - lambda] moves no two points apart; times lambda."""
    a, b, low = reals("a b lambda")

    def clip(x: Any) -> Any:
        return z3.If(x < low, low, z3.If(x > 1 - low, 1 - low, x))

    distance = z3.Abs(clip(a) - (clip(b) if both else b))
    return for_all(
        z3.And(2 * distance <= factor * z3.Abs(a - b),
               2 * distance <= factor * z3.Abs(a - b) + 4 * _step(z3.Abs(a - b) > 1 - 2 * low)),
        *(low > 0, 2 * low < 1, a >= 0, a <= 1, b >= 0, b <= 1),
    )  # fmt: skip


@statement(
    "004 (7.29)",
    lines="9246",
    kind="approximation",
    printed="<= (2/lambda)(|avg (T_ij - p^*_i)| + r^(t-1)) + (4/lambda) I(|avg (T_ij - p^*_i)| > "
    "3/4)",
    added="2 lambda + r^(t-1) <= 1/4, as in Lemma 7.1.3",
    refuses={
        "without r^(t-1)": {"labels": 0},
        "> 4/5": {"level": "4/5"},
        "2 lambda + r^(t-1) <= 1/3": {"margin": "1/3"},
    },
)
def answers_in(labels: int = 1, level: str = "3/4", margin: str = "1/4") -> Outcome:
    """(7.23) in (7.28), times lambda; r = r^(t-1)."""
    distance, dev, r, low = reals("distance dev r lambda")
    before = 2 * distance + 4 * _step(distance > 1 - 2 * low)
    after = 2 * (dev + labels * r) + 4 * _step(dev > rational(level))
    return for_all(
        before <= after,
        *(distance >= 0, dev >= 0, r >= 0, low > 0, 2 * low + r <= rational(margin)),
        distance <= dev + r,
    )


@statement(
    "004 (7.30)",
    lines="9248",
    kind="approximation",
    printed="<= (2/lambda) sqrt(log m/m) + (2/lambda) r^(t-1) on E_1",
    checked="for every m: the indicator is 0, as log m/m <= 1/e < 9/16",
    refuses={
        "an indicator of > 1/2": {"level": "1/2"},
        "without r^(t-1)": {"labels": 0},
        "(1/lambda) sqrt(log m/m)": {"factor": 1},
    },
    unchecked={
        "lambda": "a factor 1/lambda of both sides",
    },
)
def on_the_event(level: str = "3/4", labels: int = 1, factor: int = 2) -> Outcome:
    """log x <= x - 1 at x = m/e is log m <= m/e; below the square of 3/4 [step "small"].

    [Step "sum", times lambda; root = sqrt(log m/m) and r = r^(t-1).]
    """
    dev, root, r = reals("dev root r")
    most = rational(level)
    return derived(
        small=less(exp(ball(-1)), ball(level) * ball(level)),
        sum=for_all(
            2 * (dev + r) + 4 * _step(dev > most) <= factor * root + 2 * labels * r,
            *(dev >= 0, dev <= root, root <= most, r >= 0),
        ),
    )


@statement(
    "004 (7.31)",
    lines="9258-9262",
    kind="approximation",
    printed="I(|p_bar - p^*| > 1 - 2 lambda) <= I(dev + r > 1 - 2 lambda) = I(dev > 1 - 2 lambda - "
    "r) <= I(dev > 3/4), dev = |avg (T_ij - p^*_i)|, r = r^(t-1)",
    added="2 lambda + r <= 1/4, as the words after it say",
    refuses={"> 4/5": {"level": "4/5"}, "2 lambda + r <= 1/3": {"margin": "1/3"}},
)
def indicators(level: str = "3/4", margin: str = "1/4") -> Outcome:
    """By (7.23); r = r^(t-1)."""
    distance, dev, r, low = reals("distance dev r lambda")
    first, second = _step(distance > 1 - 2 * low), _step(dev + r > 1 - 2 * low)
    third, last = _step(dev > 1 - 2 * low - r), _step(dev > rational(level))
    return for_all(
        z3.And(first <= second, second == third, third <= last),
        *(distance >= 0, dev >= 0, r >= 0, low > 0, 2 * low + r <= rational(margin)),
        distance <= dev + r,
    )


@statement(
    "004 (7.33)",
    lines="9284-9304",
    kind="utility",
    printed="r^t <= exp(4n/lambda sqrt(log m/m) + 4 log(1/lambda) sqrt(n log m) - n v^) on E_1 and "
    "E_2, if r^(t-1) <= sqrt(log m/m)",
    refuses={
        "2n/lambda sqrt(log m/m)": {"near": 2},
        "2 log(1/lambda) sqrt(n log m)": {"far": 2},
        "-2 n v^": {"wisdom": 2},
        "r^t <= exp(-S)/2": {"half": 2},
    },
    unchecked={
        "r, t": "r^t is a mean of |y_j - y*_j|, each of which the steps bound by e^-S",
        "m": "the step has root and E2 for sqrt(log m/m) and the term with sqrt(n log m)",
        "v^": "v^ is a mean over the workers; the step has v for it",
    },
)
def next_error(near: int = 4, far: int = 4, wisdom: int = 1, half: int = 1) -> Outcome:
    """S is the sum of (2T - 1) logit p_i^(t), and A - B of (7.7), (7.8) is S or -S by y*_j.

    So |y_j - y*_j| = 1/(1 + e^S) [step "label"] <= e^-S [step "logistic"]. By Lemma 7.1.3 a worker
    moves S by (4/lambda) sqrt(log m/m) at most [step "worker"]; E_2 moves 2T - 1 to its mean for
    4 log(1/lambda) sqrt(n log m), and what remains is n v^ at least [see the statement on the
    exponent of (7.33); step "total"].
    """
    s = sp.Symbol("S", real=True)
    e, t, own, target, gap = reals("e T logit_p logit_p* gap")
    sum_of_all, with_target, with_mean, n, u, w, v = reals("S S* S^ n root/lambda E2 v")
    one = sp.exp(s) / (sp.exp(s) + 1)
    other = sp.exp(-s) / (sp.exp(-s) + 1)
    return derived(
        label=identity((1 - one, 1 / (1 + sp.exp(s))), (other, 1 / (1 + sp.exp(s)))),
        logistic=for_all(half * e <= 1 + e, e > 0),
        worker=for_all(
            (2 * t - 1) * (target - own) <= gap,
            *(t * (1 - t) == 0, z3.Abs(own - target) <= gap, gap >= 0),
        ),
        total=for_all(
            -sum_of_all <= near * n * u + far * w - wisdom * n * v,
            *(n >= 1, u > 0, w > 0, v > 0, with_target - sum_of_all <= 4 * n * u),
            *(with_mean - with_target <= 2 * 2 * w, with_mean >= n * v),
        ),
    )


@statement(
    "004 Second inequality of (7.34)",
    lines="9306-9308",
    kind="utility",
    printed="exp(-n v^/2) <= sqrt(log m/m)",
    added="m >= 3; log m/n <= v^ is among the assumptions of Theorem 7.1.2",
    refuses={
        "log m/(2n) <= v^": {"share": "1/2"},
        "m >= 2": {"least": 2},
        "exp(-n v^/4)": {"half": 4},
    },
    unchecked={
        "v^": "v^ is a mean over the workers; the step has v for it",
    },
)
def induction(share: str = "1", least: int = 3, half: int = 2) -> Outcome:
    """-n v/2 <= -log m/2 [step "exponent"], and m^(-1/2) <= sqrt(log m/m) as log m >= 1 [step "m"].

    The first is of logarithms.
    """
    n, v, size = reals("n v log_m")
    return derived(
        exponent=for_all(
            -n * v / half <= -size / 2, n >= 1, size > 0, v * n >= rational(share) * size
        ),
        m=less(exp(ball(1)), ball(least)),
    )
