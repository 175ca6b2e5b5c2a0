"""Section 7.1.3: the Dawid-Skene method and its private version."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, twin
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, exactly, for_all, identity, reals, searched, symbols
from reference._validation import FloatArray
from reference.crowdsourcing.dawid_skene import dawid_skene

statement = partial(any_statement, algorithms=("diss-7.1.54",))

_INDEX = "1 - y_i for 1 - y_j in (7.4)"


@statement(
    "004 (7.4)-(7.8)",
    lines="9035-9047",
    kind="optimisation",
    printed="(7.6)-(7.8) maximise F(p, y) of (7.4) in p and in y",
    checked="the three are one alternation",
    misprint=_INDEX,
    refuses={
        "abilities shrunk to 0.9": {"shrink": 0.9},
        "X log p + (1 - X) log(1 - p) in both sums": {"turned": 0},
        "twice the entropy of y": {"entropy": 2},
    },
    unchecked={
        "t": "the round of (7.5)-(7.8); the steps have one of each kind",
        "m": "a + b in the steps, the number of answers",
    },
)
def alternating_maximum(
    rng: np.random.Generator, shrink: float = 1.0, turned: int = 1, entropy: int = 1
) -> Outcome:
    """F is concave in each argument, and its slopes vanish at (7.6) and (7.8).

    In p_i: dF/dp = a/p - b/(1 - p) with a, b the weights of right and wrong answers, which is 0 at
    p = a/(a + b) [step "abilities"]; an answer X = X_ij adds X y + (1 - X)(1 - y) to a and the rest
    of 1 to b, and to A - B its logarithms of (7.7) and (7.8) [step "weights"]. In y_j:
    dF/dy = A - B - log(y/(1 - y)), 0 at y = e^A/(e^A + e^B) [step "labels"]. The implementation is
    compared with other points [step "implementation"].
    """
    a, b, first, second = symbols("a b A B")
    p, y = sp.symbols("p y", positive=True)
    of_p = sp.diff(a * sp.log(p) + b * sp.log(1 - p), p)
    spread = -y * sp.log(y) - (1 - y) * sp.log(1 - y)
    of_y = sp.diff(first * y + second * (1 - y) + entropy * spread, y)
    best = sp.exp(first) / (sp.exp(first) + sp.exp(second))
    answer, label, kept, turns = sp.symbols("X Y log_p log_1_less_p")
    right, wrong = (answer * s + (1 - answer) * t for s, t in ((kept, turns), (turns, kept)))
    one = label * right + (1 - label) * (wrong if turned else right)  # term of the sums of F
    weight = answer * label + (1 - answer) * (1 - label)
    gain, tried = -math.inf, 0
    for _ in range(30):
        gain = max(gain, _largest_gain(rng))
        tried += 10
    return derived(
        weights=identity(
            *((sp.diff(one, kept), weight), (sp.diff(one, turns), 1 - weight)),
            (sp.diff(one, label), right - wrong),
        ),
        abilities=identity((of_p.subs(p, sp.nsimplify(shrink) * a / (a + b)), 0)),
        labels=identity((sp.logcombine(of_y.subs(y, best), force=True), 0)),
        implementation=searched(gain, 1e-9, tried=tried, what="gain of another point in F"),
    )


def _largest_gain(rng: np.random.Generator) -> float:
    n, m = (int(size) for size in rng.integers(1, 6, size=2))
    answers = rng.integers(0, 2, size=(n, m))
    labels = rng.uniform(0.01, 0.99, size=m)

    def objective(p: FloatArray, y: FloatArray) -> float:
        first = answers * np.log(p)[:, None] + (1 - answers) * np.log1p(-p)[:, None]
        second = answers * np.log1p(-p)[:, None] + (1 - answers) * np.log(p)[:, None]
        entropy = -y * np.log(y) - (1 - y) * np.log1p(-y)
        return float((first @ y).sum() + (second @ (1 - y)).sum() + entropy.sum())

    # a margin so small that (7.10) is (7.6)
    abilities, best = dawid_skene(answers, labels, n_iterations=1, margin=1e-9)
    gain = -math.inf
    for _ in range(5):
        other_p, other_y = rng.uniform(0.01, 0.99, size=n), rng.uniform(0.01, 0.99, size=m)
        gain = max(gain, objective(other_p, labels) - objective(abilities, labels))
        gain = max(gain, objective(abilities, other_y) - objective(abilities, best))
    return gain


@statement(
    "004 l.9037",
    lines="9033-9037",
    kind="optimisation",
    printed="optimizing log P(X|p) of (7.2) is optimizing F(p, y): (p^, y^) is its maximum",
    checked="max over y of F is log P(X|p) + m log 2, attained at (7.3)",
    refuses={
        "without m log 2": {"shift": 0},
        "twice the entropy of y": {"entropy": 2},
        "y^ of (7.3) with A and B exchanged": {"turned": True},
    },
    unchecked={
        "X, p": "only in A and B, the logarithms of the products in (7.7) and (7.8)",
        "F": "A y + B (1 - y) + H(y) for a task in the steps",
        "p^, y^": "y^ is best in the steps; p^ is any p, which A and B have",
    },
)
def profile_likelihood(shift: int = 1, entropy: int = 1, turned: bool = False) -> Outcome:
    """Task by task: A y + B (1 - y) + H(y) is concave in y and log(e^A + e^B) at its maximum.

    [Steps "slope" and "maximum"]; log P is the log of (e^A + e^B)/2 [step "likelihood"].
    """
    first, second = symbols("A B")
    y = sp.Symbol("y", positive=True)
    spread = -y * sp.log(y) - (1 - y) * sp.log(1 - y)
    value = first * y + second * (1 - y) + entropy * spread
    total = sp.exp(first) + sp.exp(second)
    best = (sp.exp(second) if turned else sp.exp(first)) / total
    # log y = A - log total and log(1 - y) = B - log total
    a, b, weight, size = symbols("A B y log_total")
    own, rest = (b, a) if turned else (a, b)
    at = a * weight + b * (1 - weight)
    at -= entropy * (weight * (own - size) + (1 - weight) * (rest - size))
    return derived(
        slope=identity(
            (sp.simplify(sp.logcombine(sp.diff(value, y).subs(y, best), force=True)), 0)
        ),
        maximum=identity((at, size)),
        likelihood=identity((sp.log(total), sp.log(total / 2) + shift * sp.log(2))),
    )


alternating_maximum.restated(
    "004 (7.4)", lines="9035", printed="F(p, y), with the weights 1 - y_i in its second sum"
)
for _number, _lines, _printed in (
    ("(7.5)", "9039", "p^(t) = argmax F(p, y^(t-1)), y^(t) = argmax F(p^(t), y)"),
    ("(7.6)", "9043", "p_i^(t) = (1/m) sum_j ((1 - X_ij)(1 - y_j^(t-1)) + X_ij y_j^(t-1))"),
    ("(7.7)", "9045", "y_j^(t) is proportional to prod_i p_i^X_ij (1 - p_i)^(1 - X_ij)"),
    ("(7.8)", "9047", "1 - y_j^(t) is proportional to prod_i p_i^(1 - X_ij) (1 - p_i)^X_ij"),
):
    twin(
        f"004 {_number}",
        of="004 (7.4)-(7.8)",
        lines=_lines,
        printed=_printed,
        misprint="",
        special_case_of=("004 (7.4)-(7.8)",),
        algorithms=("diss-7.1.54",),
    )


@statement(
    "004 Theorem 7.1.1",
    lines="9088-9090",
    kind="privacy",
    printed="Algorithm 7.1.54 is epsilon-LADP and m epsilon-LDP",
    refuses={
        "(m - 1) epsilon-LDP": {"fewer": 1},
        "answers kept with odds e^(2 epsilon)": {"power": 2},
    },
)
def attribute_privacy(fewer: int = 0, power: int = 1) -> Outcome:
    """An answer is kept with odds e^epsilon, independently of the others.

    One answer: both outputs have ratio at most g = e^epsilon, attained [step "one answer"].
    A row of m answers: the ratios multiply to at most g^m, from one [step "first"] to one more
    [step "next", G is the bound of those before]; "rows" enumerates m = 1, 2, 3.
    """
    g, ratio, other, bound, own, theirs = reals("g ratio other G P P'")
    keep, flip = g**power / (g**power + 1), 1 / (g**power + 1)

    def rows() -> Any:
        for odds, m in itertools.product((Fraction(8, 7), Fraction(3), Fraction(100)), (1, 2, 3)):
            kept = odds**power / (odds**power + 1)
            mine = (1,) * m
            for differ in range(1, m + 1):
                theirs = (0,) * differ + (1,) * (m - differ)
                largest = max(
                    math.prod(
                        (kept if sent == a else 1 - kept) / (kept if sent == b else 1 - kept)
                        for sent, a, b in zip(output, mine, theirs, strict=True)
                    )
                    for output in itertools.product((0, 1), repeat=m)
                )
                yield {"m": m, "differ": differ}, Fraction(largest), odds ** max(differ - fewer, 0)

    return derived(
        one_answer=for_all(z3.And(keep <= g * flip, flip <= g * keep), g > 1),
        first=for_all(
            other <= g ** (1 - fewer),
            *(g > 1, own > 0, theirs > 0, theirs <= g * own, other * own == theirs),
        ),
        next=for_all(
            ratio * other <= bound * g,
            *(g > 1, bound > 0, ratio > 0, other > 0, ratio <= bound, other <= g),
        ),
        rows=exactly(rows(), note="largest ratio of a row against e^(k epsilon)"),
    )


attribute_privacy.restated(
    "004 (7.20)",
    lines="9160-9162",
    printed="P(X_hat_i in S)/P(X_hat'_i in S) = P(X_hat_ij = S_j)/P(X_hat'_ij = S_j) <= e^epsilon",
    unchecked={
        "X_hat_i, S, X_hat', X_hat_ij, S_j": "by name; the steps have probabilities P and P'",
    },
)

for _number, _lines, _printed in (
    ("(7.1)", "9015", "P(X|y, p) of the one-coin model"),
    ("(7.2)", "9019", "P(X|p), the labels fair coins"),
    ("(7.3)", "9031", "y_hat_j by Bayes's rule from p_hat"),
    ("(7.9)", "9055", "an answer is kept with probability e^epsilon/(e^epsilon + 1)"),
    ("(7.10)", "9059", "p_i^(t) projected on [lambda, 1 - lambda]"),
):
    not_checkable(
        f"004 {_number}", lines=_lines, kind="definition", printed=_printed, reason="notation"
    )
