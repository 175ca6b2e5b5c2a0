"""Section 5.2: the lower bound for sparse mean estimation, Lemma 3 and Theorem 9."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    exactly,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)

statement = partial(any_statement, algorithms=("hu-5",))

Case = tuple[dict[str, Any], Any, Any]


# ---------------------------------------------------------------------- the risk of l.381


@statement(
    "003 l.381, minimum",
    lines="381",
    kind="remark",
    printed="min_w L_D(w) = 0 for L_D(w) = E||x - w||^2",
    false="the minimum is the variance that is left at w = mu",
    errata=("hu-5/E7",),
)
def zero_minimum() -> Outcome:
    """x = +-1: E(x - w)^2 = 1 + w^2."""
    return refuted({"x": "+-1"}, 1, 0, "min L")


@zero_minimum.corrected(
    "min_w L_D(w) = tr Cov(x)",
    refuses={"half of it": {"share": 2}},
    unchecked={"L_D": "a sum over coordinates, of one of which the step has the risk"},
)
def trace_minimum(share: int = 1) -> Outcome:
    """Per coordinate E(x - w)^2 = Var x + (w - E x)^2, which is least at w = E x."""
    w = sp.Symbol("w", real=True)
    first, second = symbols("m1 m2", real=True)  # E x, E x^2
    risk = second - 2 * w * first + w**2
    at_mean = risk.subs(w, first)
    return identity((at_mean, (second - first**2) / share), (sp.diff(risk, w).subs(w, first), 0))


@statement(
    "003 l.381, excess risk",
    lines="381",
    kind="identity",
    printed="the excess population risk of w is ||w - mu(D)||_2^2",
    refuses={"half of it": {"share": 2}, "the norm, not its square": {"power": 1}},
)
def excess_is_distance(share: int = 1, power: int = 2) -> Outcome:
    """Per coordinate, by the moments of x; the risk is a sum over them, and so is the square."""
    w = sp.Symbol("w", real=True)
    first, second = symbols("m1 m2", real=True)
    risk = second - 2 * w * first + w**2
    return identity((risk - risk.subs(w, first), sp.Abs(w - first) ** power / share))


# ------------------------------------------------------------------------- testing


def _reduction_cases(flip: Fraction, radius: Fraction) -> Iterator[Case]:
    """Yield Phi(gamma) P(error) and the least average risk, exactly.

    Two laws of a bit, 1/3 and 2/3; each of n bits is flipped with probability ``flip`` before the
    estimator sees it; squared loss, gamma = ``radius`` times half the separation.
    """
    laws = Fraction(1, 3), Fraction(2, 3)
    gamma = radius * Fraction(1, 6)
    for n in (1, 2, 5, 20):
        risk = error = Fraction(0)
        for k in range(n + 1):
            seen = [p * (1 - flip) + (1 - p) * flip for p in laws]
            weights = [math.comb(n, k) * q**k * (1 - q) ** (n - k) / 2 for q in seen]
            total = weights[0] + weights[1]
            best = sum((w * p for w, p in zip(weights, laws, strict=True)), Fraction(0)) / total
            risk += sum((w * (best - p) ** 2 for w, p in zip(weights, laws, strict=True)))
            error += min(weights)
        yield {"n": n, "flip": str(flip)}, gamma**2 * error, risk


def _reduction(flip: Fraction, radius: Fraction, packing: int) -> Outcome:
    """An estimate within gamma of theta_v is nearer to it than to any other theta.

    So the nearest index is wrong only if rho >= gamma [step "nearest": triangle inequality and 2
    gamma separation], and Phi(rho) >= Phi(gamma) then, Phi being nondecreasing and nonnegative:
    Phi(rho) is at least Phi(gamma) times the indicator of an error [step "Markov"]; take means. For
    two laws of a bit and Phi = x^2 the least average risk is compared exactly [step "bits"].
    """
    near, other, apart, gamma, r = reals("near other apart gamma r")
    loss, threshold, wrong = reals("loss threshold wrong")
    scale = rational(radius)
    return derived(
        nearest=for_all(
            near < other,
            *(near >= 0, other >= 0, apart <= near + other, apart >= packing * gamma),
            scale * gamma > near,
        ),
        Markov=for_all(
            loss >= threshold * wrong,
            *(loss >= 0, z3.Implies(r >= gamma, loss >= threshold)),
            z3.Or(wrong == 0, z3.And(wrong == 1, r >= gamma)),
        ),
        bits=exactly(_reduction_cases(flip, radius), note="Phi(gamma) P(error) over the risk"),
    )


@statement(
    "003 l.385",
    lines="383-385",
    kind="lower bound",
    printed="M_n >= Phi(gamma) inf P(psi(D) != V) for a 2 gamma-packing",
    refuses={"Phi(2 gamma)": {"radius": Fraction(2)}, "a gamma-packing": {"packing": 1}},
    unchecked={
        "M_n": "the least risk; the steps have the loss of any estimator, of which it is the mean",
        "psi, V": "the nearest index and the true one; the steps have whether they differ",
    },
)
def reduction_to_testing(radius: Fraction = Fraction(1), packing: int = 2) -> Outcome:
    """See :func:`_reduction`."""
    return _reduction(Fraction(0), radius, packing)


@statement(
    "003 l.389",
    lines="387-391",
    kind="lower bound",
    printed="the private minimax risk is at least Phi(gamma) inf P_Q(psi(theta^(D)) != V)",
    refuses={"Phi(2 gamma)": {"radius": Fraction(2)}, "a gamma-packing": {"packing": 1}},
    unchecked={
        "Q": "any mechanism; the steps hold for each, and the last has randomised response",
        "psi, V": "the nearest index and the true one; the steps have whether they differ",
    },
)
def private_reduction(radius: Fraction = Fraction(1), packing: int = 2) -> Outcome:
    """As l.385, for each mechanism Q; the bits are answered by randomised response."""
    return _reduction(Fraction(1, 4), radius, packing)


# --------------------------------------------------------------------------------- Lemma 3


def private_packing_bound(log_size: float, epsilon: float, delta: float, k: int) -> float:
    """Return the fraction of (10), without Phi: a bound on the average P(rho >= radius).

    ``log_size`` is log |V|, ``k`` is ceil(np).
    """
    inverse = math.exp(-log_size) / -math.expm1(-log_size)  # 1/(|V| - 1)
    kept = math.exp(-epsilon * k)
    lost = -math.expm1(-epsilon * k) / -math.expm1(-epsilon)
    return (kept / 2 - delta * lost) / (inverse + kept)


@statement(
    "003 Lemma 3",
    lines="405-408",
    kind="lower bound",
    printed="M_n >= Phi(rho*) mean of P(rho >= rho*) >= Phi(rho*) (|V|-1)(e^{-eps np}/2 - delta "
    "(1 - e^{-eps np})/(1 - e^-eps))/(1 + (|V|-1) e^{-eps np})",
    false="balls of radius rho* around the theta_v overlap; they must be disjoint",
    errata=("hu-lb/E1",),
)
def midpoint() -> Outcome:
    """|V| = 2, delta = 0, np = 1 and the constant midpoint: P(rho >= rho*) = 0.

    The first inequality fails, too: in l_inf, theta_v the corners of {0, 1}^2, the constant centre
    has risk 1/4 against 0.365 at eps = 0.1.
    """
    right = private_packing_bound(math.log(2), 1.0, 0.0, 1)
    point = {"|V|": 2, "delta": 0, "np": 1, "epsilon": 1, "estimator": "constant midpoint"}
    return refuted(point, right, 0.0, "right-hand side over Phi against the middle's 0")


def least_failure(size: int, n: int, p: float, epsilon: float, delta: float) -> float:
    """Return the least average P(output != v) over all (epsilon, delta)-DP mechanisms.

    P_0 = point mass at 0, P_v = point mass at v: a linear programme over mechanisms from data
    sets (as multisets, without loss) to V and one more answer. An output within rho*/2 of theta_v
    names v, so this is the least average P(rho >= rho*/2).
    """
    data = list(combinations_with_replacement(range(size + 1), n))
    index = {rows: i for i, rows in enumerate(data)}
    answers = size + 1
    neighbours = {
        (i, index[tuple(sorted((*rows[:j], new, *rows[j + 1 :])))])
        for i, rows in enumerate(data)
        for j in range(n)
        for new in range(size + 1)
    }
    pairs = sorted(pair for pair in neighbours if pair[0] != pair[1])
    m = len(data) * answers
    z = m + len(pairs) * answers
    rows_above, bounds = [], []
    for number, (i, j) in enumerate(pairs):
        slack = m + number * answers
        for answer in range(answers):
            row = np.zeros(z)
            row[i * answers + answer] = 1
            row[j * answers + answer] = -math.exp(epsilon)
            row[slack + answer] = -1
            rows_above.append(row)
            bounds.append(0.0)
        row = np.zeros(z)
        row[slack : slack + answers] = 1
        rows_above.append(row)
        bounds.append(delta)
    equal = np.zeros((len(data), z))
    for i in range(len(data)):
        equal[i, i * answers : (i + 1) * answers] = 1
    success = np.zeros(z)
    for v in range(1, size + 1):
        for k in range(n + 1):
            records = (0,) * (n - k) + (v,) * k
            success[index[records] * answers + v - 1] += scipy.stats.binom.pmf(k, n, p) / size
    solution = scipy.optimize.linprog(
        -success, A_ub=np.array(rows_above), b_ub=np.array(bounds), A_eq=equal,
        b_eq=np.ones(len(data)),
    )  # fmt: skip
    assert solution.fun is not None
    return 1 + float(solution.fun)


def _binomial_medians() -> Iterator[Case]:
    """Yield 1/2 and P(Bin(n, p) <= ceil(np))."""
    for n, p in product((1, 2, 5, 30), map(Fraction, ("1/100", "1/3", "1/2", "9/10"))):
        least = sum(
            (math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(math.ceil(n * p) + 1)),
            Fraction(0),
        )
        yield {"n": n, "p": str(p)}, Fraction(1, 2), least


@midpoint.corrected(
    "the same with radius rho*/2: Phi(rho*/2) and P(rho >= rho*/2)",
    refuses={
        "e^{-eps np} in place of half of it": {"half": "1"},
        "delta/2": {"share": "1/2"},
        "3.5 times the fraction": {"factor": 3.5},
        "delta (1 - e^{-eps np})": {"denominator": 0},
        "|V| for |V| - 1": {"others": 0},
        "e^{-eps np/2}": {"rate": 1},
    },
    unchecked={"Phi": "at rho*/2 times that probability, by Markov's inequality, a step of l.385"},
)
def half_separation(
    half: str = "1/2",
    share: str = "1",
    factor: float = 1.0,
    denominator: int = 1,
    others: int = 1,
    rate: int = 2,
) -> Outcome:
    """A_v = {rho < rho*/2 of theta_v} are disjoint [step "disjoint"]. Let k = ceil(np), q = e^-eps.

    There rho stands for rho*. Draw the records of theta_v and theta_v' together: they differ in N ~
    Bin(n, p) records, and N <= k with probability 1/2 at least (a median of N is floor or ceil of
    np; step "median"). Neighbours k steps apart: Q'(A) >= q^k Q(A) - D, D = delta (1 - q^k)/(1 - q)
    [step "group", by induction; step "geometric"]. So P_v'(A_v) >= q^k (P_v(A_v) - 1/2) - D, for
    every v' and v. Summing over v and averaging over v', with a the average of P_v(A_v): 1 >= a +
    (|V| - 1)(q^k (a - 1/2) - D), which is (10) for 1 - a [step "sum"]. The best mechanism of small
    cases, by linear programming, does not beat it [step "programme"].
    """
    near, other, apart, rho = reals("near other apart rho")
    r, before, after, start, power, lost, delta = reals("r Q Q2 Q0 E S delta")
    q = r * r
    ratio, kept_so_far = symbols("q E")

    def series(term: Any) -> Any:
        """1 + q + ... + q^(k-1) at q^k = ``term``."""
        return (1 - term) / (1 - ratio) ** denominator

    a, size, kept, total = reals("a V E D")
    fraction = (size - others) * (rational(half) * kept - total)
    slacks = [
        factor * private_packing_bound(math.log(answers), epsilon, d, math.ceil(n * p))
        / least_failure(answers, n, p, epsilon, d)
        for answers, n in ((2, 1), (2, 2), (3, 1))
        for p, epsilon, d in product((1 / n, 1.0), (0.1, 1.0), (0.0, 0.05))
    ]  # fmt: skip
    return derived(
        disjoint=for_all(
            z3.Not(z3.And(near < rho / 2, other < rho / 2)), apart >= rho, apart <= near + other
        ),
        median=exactly(_binomial_medians(), note="1/2 against P(N <= ceil(np))"),
        group=for_all(
            after >= r**rate * power * start - rational(share) * delta * (1 + q * lost),
            *(r > 0, r <= 1, delta >= 0, lost >= 0, after >= q * (before - delta)),
            before >= power * start - rational(share) * delta * lost,
        ),
        geometric=identity(
            (series(ratio), 1), (1 + ratio * series(kept_so_far), series(ratio * kept_so_far))
        ),
        sum=for_all(
            (1 - a) * (1 + (size - others) * kept) >= rational(Fraction(factor)) * fraction,
            *(size >= 2, kept > 0, kept <= 1, total >= 0, a >= 0, a <= 1),
            a + (size - 1) * (kept * (a - rational("1/2")) - total) <= 1,
        ),
        programme=searched(
            max(slacks), 1 + 1e-9, tried=len(slacks), what="fraction over the least failure"
        ),
    )


midpoint.restated(
    "003 (10)",
    lines="407",
    printed="M_n >= Phi(rho*) mean of P(rho >= rho*) >= Phi(rho*) (|V|-1)(e^{-eps np}/2 - delta "
    "(1 - e^{-eps np})/(1 - e^-eps))/(1 + (|V|-1) e^{-eps np})",
)


# --------------------------------------------------------------------------------- Theorem 9


def packing_size(d: int, s: int) -> Fraction:
    """Return a lower bound on the size of a packing of s-sparse vectors in {-1, 0, 1}^d.

    At Hamming distance, and so squared l2 distance, at least s/2 (Gilbert: as many as balls of a
    smaller radius fit). Within distance h of a vector are those with ``a`` signs flipped and
    ``b`` of its coordinates exchanged for others, a + 2b <= h.
    """
    radius = -(-s // 2) - 1
    ball = sum(
        math.comb(s, b) * math.comb(d - s, b) * 2**b * math.comb(s - b, a)
        for b in range(radius // 2 + 1)
        for a in range(radius - 2 * b + 1)
    )
    return Fraction(math.comb(d, s) * 2**s, ball)


def greedy_packing(d: int, s: int) -> NDArray[np.int64]:
    """Return a maximal packing of s-sparse vectors in {-1, 0, 1}^d at distance^2 >= s/2."""
    candidates = []
    for support in combinations(range(d), s):
        for signs in product((-1, 1), repeat=s):
            vector = np.zeros(d, dtype=np.int64)
            vector[list(support)] = signs
            candidates.append(vector)
    remaining = np.array(candidates)
    chosen = []
    while remaining.size:
        chosen.append(remaining[0])
        remaining = remaining[(remaining != remaining[0]).sum(axis=1) >= s / 2]
    return np.array(chosen)


@statement(
    "003 Theorem 9",
    lines="411-415",
    kind="lower bound",
    printed="private minimax risk of the s*-sparse mean, E X_j^2 <= tau: Omega(tau min{s* log d, "
    "log(1/delta)}/(n eps))",
    false="no condition on n eps is printed: for small n eps (11) exceeds the risk s* tau of the "
    "estimator 0",
    errata=("hu-lb/E4",),
)
def zero_estimator() -> Outcome:
    """||mu||^2 <= sum of E X_j^2 over the support, at most s* tau.

    (11) over s* tau is 691 here and grows without bound as eps tends to 0.
    """
    n, epsilon, d, s = 1, 0.01, 1000, 4
    bound = min(s * math.log(d), math.log(1e30)) / (n * epsilon)
    point = {"n": n, "epsilon": epsilon, "d": d, "s*": s, "tau": 1, "delta": 1e-30}
    return refuted(point, bound, float(s), "(11) against s* tau")


def _packings() -> Iterator[Case]:
    """Yield the counted bound and the size of a greedy packing."""
    for d, s in ((6, 2), (7, 4), (7, 5)):
        yield {"d": d, "s": s}, packing_size(d, s), len(greedy_packing(d, s))


def _packing_logs() -> tuple[float, int]:
    """Return the largest (s/2) log((d-s)/(s/2)) over log of the counted size, and the cases."""
    cases = tuple(product((10**3, 10**5), (4, 10, 40)))
    worst = max(
        s / 2 * math.log((d - s) / (s / 2)) / math.log(packing_size(d, s)) for d, s in cases
    )
    return worst, len(cases)


@zero_estimator.corrected(
    "at least tau s* k/(64 n) if 1 <= k <= n, k = floor(min{log(|V|-1), log((1-e^-eps)/(4 "
    "delta))}/eps), with log |V| of order s* log(d/s*): the stronger tau s* min{s* log(d/s*), "
    "log(1/delta)}/(n eps)",
    refuses={
        "the fraction is at least 1/7": {"least": "1/7"},
        "tau s* k/(32 n)": {"whole": "1/32"},
        "without the factor delta's share 4": {"share": "2"},
        "min{...}/eps^2": {"power": 2},
        "k <= 2n": {"room": 2},
        "log((1-e^-2eps)/(4 delta))": {"rate": 2},
    },
    slack="the order of log |V| is searched, not derived",
)
def lower_bound(
    least: str = "1/8",
    whole: str = "1/64",
    share: str = "4",
    power: int = 1,
    room: int = 1,
    rate: int = 1,
) -> Outcome:
    """P_0 = point mass at 0, P_v = point mass at sqrt(tau/p) v, v in a packing V of {-1, 0, 1}^d.

    Here s stands for s*. E X_j^2 = tau |v_j| and theta_v = sqrt(tau p) v is s-sparse [step
    "class"]; squared distances are at least tau p s/2 [step "packing", counting; Gilbert's argument
    for any d and s], so Phi(rho*/2) >= tau p s/8. With q = e^(-eps k), p = k/n [step
    "probability"], (|V|-1) q >= 1 and q >= 4 delta/(1 - e^-eps) [step "largest k", equality] make
    the fraction in Lemma 3 at least 1/8 [step "fraction"]; the product is tau s k/(64 n) [step
    "product"]. log |V| >= (s/2) log((d-s)/(s/2)) [step "size"].
    """
    tau, p, v, s, k, n = symbols("tau p v s k n")
    others, kept, lost = reals("m q D")  # D = delta/(1 - e^-eps)
    part, length, records = reals("p k n")
    worst, cases = _packing_logs()
    count, epsilon, delta = symbols("m eps delta")
    least_kept = 4 * delta / (1 - sp.exp(-epsilon))
    printed = (1 - sp.exp(-rate * epsilon)) / (4 * delta)
    return derived(
        **{
            "class": identity(
                (p * (sp.sqrt(tau / p) * v) ** 2, tau * v**2),
                (p * sp.sqrt(tau / p) * v, sp.sqrt(tau * p) * v),
            )
        },
        probability=for_all(
            part <= 1, part * records == length, length <= room * records, length >= 1
        ),
        packing=exactly(_packings(), note="counted bound against a greedy packing"),
        fraction=for_all(
            others * (kept / 2 - lost * (1 - kept)) >= rational(least) * (1 + others * kept),
            *(others >= 1, kept > 0, kept <= 1, lost >= 0, others * kept >= 1),
            kept >= rational(share) * lost,
        ),
        largest_k=identity(
            (count * sp.exp(-epsilon * sp.log(count) / epsilon**power), 1),
            (sp.exp(-epsilon * sp.log(printed) / epsilon**power), least_kept),
        ),
        product=identity((tau * (k / n) * s / 2 / 4 / 8, sp.Rational(whole) * tau * s * k / n)),
        size=searched(worst, 1.0, tried=cases, what="(s/2) log((d-s)/(s/2)) over log |V|"),
    )


zero_estimator.restated(
    "003 (11)",
    lines="413",
    printed="M_n >= Omega(tau min{s* log d, log(1/delta)}/(n eps))",
)


# ------------------------------------------------------------------------------------ l.417


def _rate_gap(s: int, d: int, log_inverse: float) -> float:
    """Return Theorem 8 over (11), without constants and log n."""
    upper_rate = s * math.sqrt(s) * math.log(d) * math.sqrt(log_inverse)
    return upper_rate / min(s * math.log(d), log_inverse)


@statement(
    "003 l.417",
    lines="52, 89, 417",
    kind="remark",
    printed="upper and lower bound differ by O~(sqrt(s*))",
    false="Theorem 8 has sqrt(log(1/delta)) as a factor, (11) at most log(1/delta) in all",
    fails=True,
    errata=("hu-lb/E3",),
)
def stated_gap() -> Outcome:
    """The least ratio over all delta, at log(1/delta) = s* log d, over sqrt(s*); d = 1e4."""
    few, many = (_rate_gap(s, 10**4, s * math.log(10**4)) / math.sqrt(s) for s in (4, 1024))
    what = "least gap over sqrt(s*), against 10 times that at s* = 4"
    return refuted({"d": 10**4, "s*": 1024}, many, 10 * few, what)


@stated_gap.corrected(
    "Theorem 8 over (11) is at least s* sqrt(log d) for every delta",
    refuses={
        "at least 1.1 s* sqrt(log d)": {"factor": "1.1"},
        "at least s* log d": {"power": 2},
    },
)
def least_gap(factor: str = "1", power: int = 1) -> Outcome:
    """With a = s* log d and L = log(1/delta) the squared ratio is s* a^2 L/min(a, L)^2 >= s* a.

    s* a is (s* sqrt(log d))^2, and L = a attains it.
    """
    s, a, size, log_d = reals("s a L log_d")
    smaller = z3.If(a < size, a, size)
    bound = rational(factor) * rational(factor) * s * s * log_d**power
    return for_all(
        s * a * a * size >= bound * smaller * smaller,
        *(s > 0, a > 0, size > 0, log_d > 0, a == s * log_d),
    )
