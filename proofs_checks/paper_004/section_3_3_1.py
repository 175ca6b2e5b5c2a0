"""Section 3.3.1: pairwise losses, their risks and regrets."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.convexity import logistic_curvature
from proofs_checks.paper_004.pairwise import ONLINE, PAIRWISE, population, random_loss, streams
from proofs_checks.paper_004.uniform_convergence import random_signs
from proofs_checks.statement import not_checkable as never
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    exactly,
    for_all,
    identity,
    rational,
    reals,
    symbols,
)

statement = partial(any_statement, algorithms=PAIRWISE)

TABLE = "in the code a random table of losses of pairs, at one parameter"
QUADRATIC = "in the code l = (w - (z + z')/2)^2/2, with a closed form for the best w"

Cases = Iterator[tuple[dict[str, Any], Fraction, Fraction]]


@statement(
    "004 (3.101)",
    lines="2023-2025",
    kind="definition",
    printed="L(w; D) = 1/(n(n-1)) sum_i sum_{j != i} l(w; z_i, z_j)",
    refuses={"j = i is a pair": {"itself": True}, "1/n^2": {"more": 1}},
    unchecked={"L, l": TABLE},
)
def empirical_risk(rng: np.random.Generator, more: int = 0, *, itself: bool = False) -> Outcome:
    """Its mean over i.i.d. data sets is (3.102): all streams of n = 3 of three records."""

    def cases() -> Cases:
        n, size = 3, 3
        for _ in range(4):
            loss, total = random_loss(rng, size), Fraction(0)
            for data in streams(size, n):
                pairs = [(i, j) for i in range(n) for j in range(n) if itself or i != j]
                total += sum(loss(data[i], data[j]) for i, j in pairs)
            count = n * n if itself else n * (n - 1 + more)
            yield {"n": n}, total / count / size**n, population(loss, size)

    return definition(exactly(cases(), "=", "mean of the empirical risk against (3.102)"))


@statement(
    "004 (3.102)",
    lines="2027-2029",
    kind="definition",
    printed="L_P(w) = E l(w; z_i, z_j) over z_i, z_j from P",
    added="z_i and z_j are independent",
    refuses={"z_i = z_j": {"same": True}},
    unchecked={
        "L_P, l": TABLE,
        "z_i, z_j": "in the code all pairs of records, each as probable as another",
    },
)
def population_risk(rng: np.random.Generator, *, same: bool = False) -> Outcome:
    """The mean penalty (3.104) of a fixed w over i.i.d. streams of four."""

    def cases() -> Cases:
        size, n = 3, 4
        for _ in range(4):
            loss, total = random_loss(rng, size), Fraction(0)
            for *past, last in streams(size, n):
                total += sum((loss(last, record) for record in past), Fraction(0)) / len(past)
            yield {"t": n}, total / size**n, population(loss, size, same=same)

    return definition(exactly(cases(), "=", "mean penalty against (3.102)"))


never(
    "004 Definition 3.3.1",
    lines="2033-2035",
    kind="definition",
    algorithms=PAIRWISE,
    printed="find a private w with small Err_D(w) = L(w; D) - min_C L(w; D) or "
    "Err_P(w) = L_P(w) - min_C L_P",
    reason="a definition of the problem, nothing to check",
)


def margin(largest: str = "4", curvature: str | None = None) -> Outcome:
    """phi(<w, a>) has slope at most |a| and curvature at most |a|^2/4 in w, phi = ln(1 + e^-t).

    |Y| <= 2 and |x - x'| <= 2 for labels +-1 and |x| <= 1: |a| <= 4 [step "slope", G = 4]; phi'' <=
    1/4 [step "curvature"], so that L = 4 [step "smoothness"].
    """
    label, distance, bent = reals("Y distance phi''")
    size = rational(largest)
    inside = (label >= 0, label <= 2, distance >= 0, distance <= 2)
    return derived(
        slope=for_all(label * distance <= size, *inside),
        curvature=logistic_curvature(curvature),
        smoothness=for_all(bent * (label * distance) * (label * distance) <= size, *inside,
                           bent >= 0, 4 * bent <= 1),
    )  # fmt: skip


@statement(
    "004 Assumption 3.3.1",
    lines="2037",
    kind="assumption",
    printed="l(w; z, z') = phi(Y(y, y') h(w; x, x')), Y = y - y' or y y', is G-Lipschitz, L-smooth "
    "and convex in w",
    checked="the same for the logistic phi and h affine in w, as in both examples",
    refuses={"curvature .24": {"curvature": "0.24"}, "phi'' = -s (1-s)": {"sign": -1}},
    unchecked={
        "l, w, h": "of l in w the steps have the slope and the curvature, by phi', phi'' and |Y| "
        "|x - x'|",
        "y, y'": "of Y(y, y') the steps have |Y| <= 2",
        "G, L": "4 and 4 in the steps",
    },
)
def pairwise_loss(curvature: str | None = None, sign: int = 1) -> Outcome:
    """Convexity: phi'' = s (1 - s) >= 0 with s = 1/(1 + e^t), and h is affine."""
    s = reals("s")
    return definition(for_all(sign * s * (1 - s) >= 0, s > 0, s < 1), margin(curvature=curvature))


@statement(
    "004 Example 1 (section 3.3)",
    lines="2039",
    kind="definition",
    printed="M_W^2(x, x') = (x - x')^T W (w - x'), l = phi(y y' (1 - M_W^2))",
    checked="the same with x for w (misprint): linear in W, with gradient (x-x')(x-x')^T",
    refuses={"gradient 2 (x-x')(x-x')^T": {"factor": 2}, "G = 3.9": {"largest": "3.9"}},
    unchecked={
        "w": "misprint of x",
        "l, phi, y, y'": "the loss is defined by M_W^2, of which the steps have the gradient",
    },
)
def metric_learning(factor: int = 1, largest: str = "4") -> Outcome:
    """Its Frobenius norm is |x - x'|^2 [step "norm", in the plane] <= 4 for |x| <= 1.

    Here point = x - x', weights = W and form = M_W^2.
    """
    a, b = symbols("a b", real=True)
    p, q, r = symbols("p q r", real=True)
    point, weights = sp.Matrix([a, b]), sp.Matrix([[p, q], [q, r]])
    form = sp.expand((point.T * weights * point)[0])
    outer = factor * point * point.T
    inner = sum(weights[i, j] * outer[i, j] for i in range(2) for j in range(2))
    frobenius = sum(outer[i, j] ** 2 for i in range(2) for j in range(2))
    distance = reals("distance")
    return definition(
        derived(
            linear=identity((form, sp.expand(inner))),
            norm=identity((frobenius, (a**2 + b**2) ** 2)),
            size=for_all(distance * distance <= rational(largest), distance >= 0, distance <= 2),
        )
    )


@statement(
    "004 Example 2 (section 3.3)",
    lines="2041",
    kind="definition",
    printed="h(w; x, x') = w^T (x - x'), l = phi((y - y') h), |w|_2 <= 1: AUC maximisation",
    added="|x| <= 1; then G = L = 4",
    refuses={"G = 3.9": {"largest": "3.9"}},
    unchecked={
        "h, w, x, x'": "of h in w the steps have the slope |x - x'|, at most 2",
        "l, y, y'": "the loss phi(Y h); of Y = y - y' the steps have |Y| <= 2",
    },
)
def auc(largest: str = "4") -> Outcome:
    """See :func:`margin`."""
    return definition(margin(largest))


def linear_class(largest: str = "4", power: str = "1/2") -> Outcome:
    """R_n <= G/sqrt(n) for phi(<w, a_i>), |w| <= 1, |a_i| <= G = 4, |phi'| <= 1.

    Averaged over its sign, one term phi(<w, a_i>) can be replaced by <w, a_i>, whatever the rest A
    of the sum: any pair w, v for the two signs has A(w) + A(v) + phi - phi' at most the larger of
    A(w) + A(v) +- (<w, a_i> - <v, a_i>) [step "contraction"]. What remains is E|sum eps_i a_i|/n
    [step "signs"]; |a_i| <= 4 by :func:`margin` [step "size"].
    """
    first, second, w, v, rest, distance = reals("phi phi' w v A distance")
    return derived(
        signs=random_signs(power),
        contraction=for_all(
            z3.Or(rest + first - second <= rest + w - v, rest + first - second <= rest + v - w),
            z3.Abs(first - second) <= z3.Abs(w - v),
        ),
        size=for_all(2 * distance <= rational(largest), distance >= 0, distance <= 2),
    )


def _average(n: int) -> Fraction:
    """Return R_n for l = w c with |w| <= 1 and c = +-1: E|sum eps_i|/n."""
    total = sum(abs(sum(signs)) for signs in product((-1, 1), repeat=n))
    return Fraction(total, n * 2**n)


@statement(
    "004 (3.103)",
    lines="2045-2053",
    kind="definition",
    printed="R_n = E sup_w (1/n) sum_i eps_i l(w; z, z_i), eps_i = +-1 with probability 1/2",
    refuses={"without 1/n": {"power": 0}, "1/sqrt(2 n)": {"half": 2}},
    unchecked={
        "R_n": "what is defined: in the code the mean over all signs",
        "w, l": "in the code l = +-w with |w| <= 1",
        "eps_i": "all signs are enumerated",
    },
)
def rademacher_average(power: int = 1, half: int = 1) -> Outcome:
    """For l = +-w, |w| <= 1 it is E|sum eps_i|/n <= 1/sqrt(n) (Jensen): squares, n = 1 to 9."""

    def cases() -> Cases:
        for n in range(1, 10):
            yield {"n": n}, (_average(n) * n ** (1 - power)) ** 2, Fraction(1, half * n)

    return definition(exactly(cases(), note="all signs"))


@statement(
    "004 l.2055 (Rademacher averages)",
    lines="2055",
    kind="concentration",
    printed="R_n(l o C) = O(sqrt(d)/sqrt(n)) for Examples 1 and 2",
    checked="at most 4/sqrt(n): the dimension is not needed",
    refuses={"3.9/sqrt(n)": {"largest": "3.9"}, "4/n": {"power": "1"}},
    unchecked={
        "R_n": "what is bounded; the step on the rate has its bound over n",
        "l, o, C": "the losses of the examples over the set; the steps have their slopes in w",
        "d": "not needed: the bound does not depend on it",
    },
)
def rademacher_of_examples(largest: str = "4", power: str = "1/2") -> Outcome:
    """See :func:`linear_class`; Example 1 is linear in W, of Frobenius norm at most 1."""
    return linear_class(largest, power)


@statement(
    "004 (3.104)",
    lines="2059-2063",
    kind="definition",
    algorithms=ONLINE,
    printed="L^_t(w, D_t) = 1/(t-1) sum_{i < t} l(w; z_t, z_i)",
    refuses={"1/t": {"more": 1}},
    unchecked={"L^_t, w, D_t, l": TABLE},
)
def penalty(rng: np.random.Generator, more: int = 0) -> Outcome:
    """sum_t (t-1) L^_t is n(n-1)/2 times (3.101) for a symmetric loss: every pair once."""

    def cases() -> Cases:
        for _ in range(20):
            n = int(rng.integers(2, 9))
            loss = random_loss(rng, n)
            penalties = {
                t: sum((loss(t, i) for i in range(t)), Fraction(0)) / (t + more)
                for t in range(1, n)
            }
            pairs = sum((loss(i, j) for i in range(n) for j in range(n) if i != j), Fraction(0))
            weighted = sum((t * value for t, value in penalties.items()), Fraction(0))
            yield {"n": n}, weighted, pairs / 2

    return definition(exactly(cases(), "=", "weighted penalties against the empirical risk"))


def _quadratic_regret(
    rng: np.random.Generator, *, each: bool = False
) -> tuple[dict[str, Any], Fraction, Fraction]:
    """Regret of the best fixed w for l = (w - (z + z')/2)^2/2, against 0."""
    n = int(rng.integers(3, 9))
    z = [Fraction(int(k), 7) for k in rng.integers(-9, 10, n)]
    centres = [[(z[t] + z[i]) / 2 for i in range(t)] for t in range(1, n)]
    means = [sum(c, Fraction(0)) / len(c) for c in centres]
    best = sum(means, Fraction(0)) / len(means)

    def value(w: Fraction, c: list[Fraction]) -> Fraction:
        return sum(((w - centre) ** 2 / 2 for centre in c), Fraction(0)) / len(c)

    incurred = sum((value(best, c) for c in centres), Fraction(0))
    if each:
        smallest = sum((value(m, c) for m, c in zip(means, centres, strict=True)), Fraction(0))
    else:
        smallest = min(sum((value(w, c) for c in centres), Fraction(0)) for w in (best, *means))
    return {"n": n}, incurred - smallest, Fraction(0)


def fixed_parameter(rng: np.random.Generator, *, each: bool = False) -> Outcome:
    """The best fixed parameter has regret 0, by the closed form for quadratic losses."""
    return definition(
        exactly((_quadratic_regret(rng, each=each) for _ in range(20)), "=", "best fixed w")
    )


@statement(
    "004 (3.105)",
    lines="2063-2065",
    kind="definition",
    algorithms=ONLINE,
    printed="R_A(n, D) = sum_{t=2}^n L^_t(w_{t-1}, D_t) - min_w sum_{t=2}^n L^_t(w, D_t)",
    refuses={"the sum of the smallest penalties": {"each": True}},
    unchecked={
        "R_A, L^_t, w_{t-1}, D_t": QUADRATIC,
        "n, t": "in the code random streams of 3 to 8 records",
    },
)
def regret(rng: np.random.Generator, *, each: bool = False) -> Outcome:
    """See :func:`fixed_parameter`."""
    return fixed_parameter(rng, each=each)


@statement(
    "004 (3.106)",
    lines="2067-2069",
    kind="definition",
    algorithms=ONLINE,
    printed="R_{P,A}(n) = sum_{t=2}^n L_P(w_{t-1}) - (n-1) min_w L_P(w)",
    refuses={"n min_w L_P": {"count": 0}},
    unchecked={"R_{P,A}": "what is defined: the left side of the step, at the best w"},
)
def generalised_regret(count: int = 1) -> Outcome:
    """It is 0 for the best w: n - 1 penalties are incurred.

    Here smallest = min_w L_P.
    """
    n, smallest = symbols("n smallest")
    t = sp.Symbol("t", integer=True)
    incurred = sp.summation(smallest, (t, 2, n))
    return definition(identity((incurred - (n - count) * smallest, 0)))


@statement(
    "004 (3.107)",
    lines="2071-2073",
    kind="approximation",
    algorithms=ONLINE,
    printed="w_bar the mean of w_1..w_{n-1}, l convex: L_P(w_bar) - min L_P <= R_{P,A}(n)/(n-1)",
    refuses={"R_{P,A}(n)/n": {"more": 1}, "w_bar the sum over n": {"last": 1}},
    unchecked={
        "w_1, w_{n-1}": "in the steps by their sum W",
        "l": "any convex loss; the steps have a subgradient g of its mean",
        "R_{P,A}": "total - m smallest in the steps",
    },
)
def online_to_batch(more: int = 0, last: int = 0) -> Outcome:
    """A subgradient g of L_P at w_bar: L_P(w_t) >= L_P(w_bar) + <g, w_t - w_bar>.

    The inner products sum to 0 over the m = n - 1 parameters [step "mean", W their sum, coordinate
    by coordinate]; the rest adds up [step "sum"].

    Here mean = w_bar, value = L_P(w_bar) and total is the sum of the L_P(w_t).
    """
    parameters, g, count = symbols("W g m", real=True)
    mean = parameters / (count + last)
    value, smallest, total, inner, m = reals("value smallest total inner m")
    return derived(
        mean=identity((g * parameters - count * g * mean, 0)),
        sum=for_all(
            (value - smallest) * (m + more) <= total - m * smallest,
            *(m >= 1, inner == 0, total >= m * value + inner),
        ),
    )


never(
    "004 Definition 3.3.2",
    lines="2077",
    kind="definition",
    algorithms=ONLINE,
    printed="A is (epsilon, delta)-DP if the sequence of all outputs w_1..w_{n-1} is, for streams "
    "that differ in at most one entry",
    reason="Definition 2.1.1 for the sequence of all outputs",
)
