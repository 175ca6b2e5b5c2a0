"""Sub-Gaussian and sub-exponential variables and symmetrisation, of paper 000 and section 7.2.

|X|_psi1 = sup_(p >= 1) (E|X|^p)^(1/p)/p, and |X|_psi2 with sqrt p.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from proofs_checks.balls import ball, exp, ndtr
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
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
from reference._validation import FloatArray

_ORDERS = np.concatenate([np.arange(1, 6, 0.25), np.arange(6, 60, 2.0)])


def psi_norm(values: FloatArray, law: FloatArray, power: float) -> float:
    """sup_p p^(-power) (E|X|^p)^(1/p) over the orders 1 <= p < 60; power 1 or 1/2."""
    largest = float(np.abs(values).max())
    if largest == 0:
        return 0.0
    moments = (np.abs(values / largest)[None, :] ** _ORDERS[:, None]) @ law
    return largest * float(np.max(moments ** (1 / _ORDERS) / _ORDERS**power))


def _rare(q: float) -> tuple[FloatArray, FloatArray]:
    """Return values and law of 1 with probability q, else 0."""
    return np.array([0.0, 1.0]), np.array([1 - q, q])


def uncentred_mgf() -> Outcome:
    """X = 1 has norm 1 and E exp(tX) = e^t, which exceeds e^(C t^2) for t < 1/C."""
    c, t = 10**6, Fraction(1, 10**7)
    return refuted({"X": 1, "C": c, "t": float(t)}, t, c * t**2, "exponents at C = 10^6")


def centred_mgf(
    rng: np.random.Generator, constant: str = "2", e_power: int = 2, within: int = 2
) -> Outcome:
    """E exp(tX) <= 1 + sum_(p >= 2) |t|^p E|X|^p/p! <= 1 + sum_(p >= 2) z^p, z = e|t| |X|.

    By p^p/p! <= e^p. The series is z^2/(1-z) [step "series"], at most 2 z^2 for z <= 1/2
    [step "half"], and 1 + 2z^2 <= exp(2z^2), 2 z^2 = 2 e^2 t^2 |X|^2 [step "back"]: C = 2e^2,
    c = 1/(2e). Random laws are compared.
    """
    z = reals("z")
    y, t_size, size_of_x = symbols("z t X")
    worst, tried = 0.0, 0
    for _ in range(60):
        size = int(rng.integers(2, 6))
        law = rng.dirichlet(np.ones(size))
        values = rng.exponential(1, size) * rng.choice([-1, 1, 10], size)
        values = values - law @ values
        norm = psi_norm(values, law, 1.0)
        for t in np.array([-1, -0.3, 0.01, 0.3, 1]) / (2 * math.e * norm):
            log_mgf = math.log(float(law @ np.exp(t * values)))
            worst = max(worst, log_mgf / (2 * math.e**2 * t**2 * norm**2))
            tried += 1
    return derived(
        series=identity((y**2 / (1 - y) * (1 - y), y**2), (1 + y + y**2 / (1 - y), 1 / (1 - y))),
        half=for_all(z * z <= rational(constant) * z * z * (1 - z), z >= 0, within * z <= 1),
        back=identity(
            (2 * (sp.E * t_size * size_of_x) ** 2, 2 * sp.E**e_power * t_size**2 * size_of_x**2)
        ),
        laws=searched(worst, 1, tried=tried, what="ratio of the exponents"),
    )


def second_moment(rng: np.random.Generator, constant: str = "4") -> Outcome:
    """P = 2 in the supremum: |X| >= sqrt(E X^2)/2 [step "order two"].

    Attained by 1 with probability e^-2, else 0 [step "laws"].
    """
    worst, tried = 0.0, 100
    for _ in range(tried):
        size = int(rng.integers(1, 6))
        law, values = rng.dirichlet(np.ones(size)), rng.normal(0, 3, size)
        worst = max(worst, float(law @ values**2) / psi_norm(values, law, 1.0) ** 2)
    values, law = _rare(math.exp(-2))
    worst = max(worst, float(law @ values**2) / psi_norm(values, law, 1.0) ** 2)
    bound = rational(constant)
    root, norm = reals("root norm")
    return derived(
        order_two=for_all(root * root <= bound * norm * norm, root >= 0, root <= 2 * norm),
        laws=searched(worst, float(constant) * (1 + 1e-12), tried=tried, what="E X^2/|X|_psi1^2"),
    )


def bernstein_without_half() -> Outcome:
    """X ~ N(0, 1), n = 64, t = 1/4: P = 2 Phi(-2) > 2 exp(-4)."""
    point = {"n": 64, "t": 0.25, "v": 1.0}
    return refuted(point, 2 * ndtr(ball(-2)), 2 * exp(ball(-4)), "probability against the bound")


def bernstein(half: str = "2", sides: int = 2, power: int = 1) -> Outcome:
    """Chernoff: exp(-n (l t - l^2 v^2/2)) for every l < 1/v; l = t/v^2 if t <= v, else l -> 1/v.

    The logarithm of E exp(l sum) is at most n l^2 v^2/2, on each side [step "records"]. Both
    exponents are at least min(t^2/(2v^2), t/(2v)) [step "exponent"].
    """
    t, v = reals("t v")
    n, level, away, spread = symbols("n l t v")
    rate = level * away - level**2 * spread**2 / 2
    one_side = sp.exp(n * level**2 * spread**2 / 2 - level * n * away)
    c = rational(half)
    exponent = z3.If(t <= v, t * t / 2, t * v - v * v / 2)  # times v^2
    quadratic, linear = t * t / c, t * v / 2
    bound = z3.If(quadratic <= linear, quadratic, linear)
    return derived(
        records=identity((2 * one_side, sides * sp.exp(-(n**power) * rate))),
        exponent=for_all(exponent >= bound, t > 0, v > 0),
    )


def centring(rng: np.random.Generator, factor: str = "2") -> Outcome:
    """|X - E X| <= |X| + |E X| |1| for norms, |1| = 1 and |E X| <= E|X| <= |X| (p = 1).

    Their sum is at most 2 |X| [step "triangle"]; random laws are compared [step "laws"].
    """
    worst, tried = 0.0, 0
    centred, norm, mean = reals("centred norm mean")
    for power in (1.0, 0.5):
        for _ in range(60):
            size = int(rng.integers(2, 6))
            law, values = rng.dirichlet(np.full(size, 0.3)), rng.normal(0, 3, size)
            moved = psi_norm(values - law @ values, law, power)
            worst = max(worst, moved / psi_norm(values, law, power))
            tried += 1
    return derived(
        triangle=for_all(
            centred <= rational(factor) * norm,
            *(mean >= 0, mean <= norm, centred <= norm + mean),
        ),
        laws=searched(worst, float(factor), tried=tried, what="|X - E X|/|X|, both norms"),
    )


def product(rng: np.random.Generator, constant: str = "2") -> Outcome:
    """(E|XY|^p)^(1/p)/p <= sqrt(2p) |X| sqrt(2p) |Y|/p by Cauchy-Schwarz [step "orders"]: C = 2.

    Attained by X = Y = 1 with probability e^-5, else 0.
    """
    worst, tried = 0.0, 100
    for _ in range(tried):
        size = int(rng.integers(1, 6))
        law = rng.dirichlet(np.ones(size))
        x = rng.normal(0, 1, size)
        y = x * rng.exponential() if rng.random() < 0.5 else rng.normal(0, 1, size)
        both = max(psi_norm(x, law, 0.5), psi_norm(y, law, 0.5)) ** 2
        worst = max(worst, psi_norm(x * y, law, 1.0) / both)
    x, law = _rare(math.exp(-5))
    worst = max(worst, psi_norm(x * x, law, 1.0) / psi_norm(x, law, 0.5) ** 2)
    p, root, first, second, largest = reals("p root X Y largest")
    return derived(
        orders=for_all(
            root * first * root * second <= rational(constant) * p * largest * largest,
            *(p >= 1, root >= 0, root * root == 2 * p),
            *(first >= 0, second >= 0, first <= largest, second <= largest),
        ),
        laws=searched(worst, float(constant) * (1 + 1e-9), tried=tried, what="|XY|_psi1/max |X|^2"),
    )


def sum_of_subgaussians(rng: np.random.Generator, times_e: str = "64") -> Outcome:
    """C = 64/e. With X' a copy, E exp(tX) <= E exp(t(X - X')) and its even moments give.

    E (X - X')^(2p) <= (2 |X| sqrt(2p))^(2p), and (2p)! >= p! p^p [step "factorial"]: at most
    sum_p (8 |X|^2 t^2)^p/p! = exp(8 |X|^2 t^2). So for the sum S and V = sum |X_j|^2,
    E exp(tS) <= exp(8 V t^2), and E|S|^p <= (p/(e t))^p 2 exp(8 V t^2), because
    x^p <= (p/e)^p e^x. At t^2 = p/(16 V) this is 2 (16 V p/e)^(p/2) [step "moments"], whose root
    over sqrt p is at most 2 sqrt(16 V/e), as 2^(1/p) <= 2: its square is C V at most [step
    "root"]. Random sums are enumerated [step "sums"].
    """
    p, v = symbols("p V")
    t = sp.sqrt(p / (16 * v))
    moment = p * (sp.log(p) - 1 - sp.log(t)) + 8 * v * t**2
    claimed = p / 2 * (sp.log(16) + sp.log(v) + sp.log(p) - 1)
    two, total = reals("two total")
    worst, tried = 0.0, 20
    for _ in range(tried):
        values, law, squares = np.zeros(1), np.ones(1), 0.0
        for _ in range(int(rng.integers(1, 5))):
            size = int(rng.integers(2, 4))
            single = rng.dirichlet(np.ones(size))
            x = rng.normal(0, 1, size) * rng.exponential()
            x = x - single @ x
            squares += psi_norm(x, single, 0.5) ** 2
            values = np.add.outer(values, x).ravel()
            law = np.multiply.outer(law, single).ravel()
        worst = max(worst, psi_norm(values, law, 0.5) ** 2 / squares)
    return derived(
        factorial=exactly(
            (({"p": k}, math.factorial(k) * k**k, math.factorial(2 * k)) for k in range(1, 15)),
            note="(2p)! = p! (p+1) ... (2p)",
        ),
        moments=identity((sp.expand_log(moment, force=True), sp.expand_log(claimed, force=True))),
        root=for_all(
            two * two * 16 * total <= rational(times_e) * total, total >= 0, two >= 1, two <= 2
        ),
        sums=searched(worst, float(times_e) / math.e, tried=tried, what="|S|^2/V"),
    )


def _symmetrised(
    factor: Fraction,
    law: Sequence[tuple[Fraction, Fraction]],
    functions: Sequence[Callable[[Fraction], Fraction]],
    n: int,
    phi: Callable[[Fraction], Fraction],
) -> tuple[Fraction, Fraction]:
    """Both sides of the lemma by enumeration, with phi(factor |sum|) on the right."""
    means = [sum((p * f(y) for y, p in law), Fraction(0)) for f in functions]
    left = right = Fraction(0)
    for sample in itertools.product(law, repeat=n):
        probability = math.prod((p for _, p in sample), start=Fraction(1))
        sums = [
            abs(sum((f(y) for y, _ in sample), Fraction(0)) - n * mean)
            for f, mean in zip(functions, means, strict=True)
        ]
        left += probability * phi(max(sums))
        for signs in itertools.product((-1, 1), repeat=n):
            signed = max(
                abs(sum((e * f(y) for e, (y, _) in zip(signs, sample, strict=True)), Fraction(0)))
                for f in functions
            )
            right += probability * phi(factor * signed) / 2**n
    return left, right


def _bernoulli(factor: Fraction) -> tuple[Fraction, Fraction]:
    law = [(Fraction(0), Fraction(9, 10)), (Fraction(1), Fraction(1, 10))]
    return _symmetrised(factor, law, [lambda y: y], 1, lambda x: x)


def symmetrisation_printed() -> Outcome:
    """N = 1, phi = identity, Y ~ Bernoulli(.1): .18 against .1."""
    return refuted({"n": 1, "p": 0.1, "phi": "identity"}, *_bernoulli(Fraction(1)), "both sides")


def symmetrisation(rng: np.random.Generator, factor: Fraction = Fraction(2)) -> Outcome:
    """Subtract a copy: by Jensen the left side is at most E phi(sup |sum f(y_i) - f(y'_i)|).

    Its signs may be flipped. |a - b| is at most the mean of 2|a| and 2|b| [step "halves"], and phi
    of that at most the mean of phi(2|a|) and phi(2|b|), as phi is convex and increases. Random
    laws are enumerated [step "laws"].
    """
    a, b = reals("a b")
    half = rational(factor) / 2

    def cases() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
        yield {"law": "Bernoulli(.1)"}, *_bernoulli(factor)
        for _ in range(12):
            n, size = int(rng.integers(1, 4)), int(rng.integers(2, 4))
            weights = [int(w) for w in rng.integers(1, 10, size)]
            law = [
                (Fraction(int(y)), Fraction(w, sum(weights)))
                for y, w in zip(rng.integers(-9, 10, size), weights, strict=True)
            ]
            functions = [lambda y: y, lambda y: y**2, lambda y: 1 - y]
            for name, phi in (("x", lambda x: x), ("x^2", lambda x: x**2)):
                yield {"n": n, "phi": name}, *_symmetrised(factor, law, functions, n, phi)

    return derived(
        halves=for_all(z3.Abs(a - b) <= half * z3.Abs(a) + half * z3.Abs(b)),
        laws=exactly(cases(), note="three functions, enumerated"),
    )


def comparison(rng: np.random.Generator, factor: float = 2.0, *, absolute: bool = False) -> Outcome:
    """Search the comparison theorem (Ledoux and Talagrand (1991), Theorem 4.12), cited.

    Without an absolute value it holds with L for 2L: for phi_i(v) = v both sides are equal then.
    """
    worst, tried = -math.inf, 60
    for trial in range(tried):
        n, members = int(rng.integers(1, 6)), int(rng.integers(2, 6))
        points = rng.normal(0, 1, (members, n))
        kinds = rng.integers(0, 4, n)
        mapped = np.select(
            [kinds == 0, kinds == 1, kinds == 2],
            [np.abs(points), np.tanh(points), -np.maximum(points, 0)],
            np.minimum(points, 0.5),
        )
        mapped = points if trial == 0 else mapped
        signs = np.array(list(itertools.product((-1, 1), repeat=n)))
        left, right = (signs @ mapped.T).max(axis=1), (signs @ points.T).max(axis=1)
        if absolute:
            left, right = np.abs(left), np.abs(right)
        worst = max(worst, float(left.mean() - factor * right.mean()))
        for scale in (0.1, 1.0, 3.0):
            ratio = np.exp(scale * left).mean() / np.exp(factor * scale * right).mean()
            worst = max(worst, float(ratio) - 1)
    return searched(worst, 1e-12, tried=tried, what="left over right, minus 1")
