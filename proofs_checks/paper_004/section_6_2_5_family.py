"""Section 6.2.5: the Gaussian family (6.37) of the lower bound, and what it cannot give."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.gaussian_noise import norm_of_vector_in_two_terms
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import (
    derived,
    every,
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
from reference._validation import FloatArray


def _rows(first: int, second: int, overlap: int) -> tuple[Any, Any]:
    """Return Sigma_1 - Sigma_0 and Sigma_2 - Sigma_0 with that many entries in the first row."""
    size = 1 + first + second - overlap
    x = sp.Symbol("x", positive=True)  # c a
    matrices = []
    for columns in (range(1, first + 1), range(1 + first - overlap, size)):
        matrix = sp.zeros(size)
        for column in columns:
            matrix[0, column] = matrix[column, 0] = x
        matrices.append(matrix)
    return matrices[0], matrices[1]


def _on_the_span() -> Any:
    """Return Q on the span of e_1 and the two rows u and w, beside which it is 0.

    Sigma_1 - Sigma_0 is x (e_1 u^T + u e_1^T), the other has w for u; both rows are orthogonal to
    e_1, |u|^2 = |w|^2 = k and <u, w> = J.
    """
    x, k, overlap = symbols("x k J")
    first = sp.Matrix([[0, k, overlap], [1, 0, 0], [0, 0, 0]])
    second = sp.Matrix([[0, overlap, k], [0, 0, 0], [1, 0, 0]])
    return x**2 * first * second


@statement(
    "004 Lemma 6.2.6",
    lines="8139-8143, proof 8497-8527",
    kind="lower bound",
    printed="for n >= C s^2 log(p)/epsilon^2, c <= min{rho/2, 1/(10 p)}, k = max{ceil(s/2) - 1, 0} "
    "and some gamma of C alone, N(0, Sigma(tau)) is in P(rho, s)",
    checked="rows in {0, 1}; 2 k a <= 1, which gamma <= sqrt(C) gives",
    refuses={
        "2 k a <= 2": {"room": "2"},
        "c = 1/(8p)": {"share": "8"},
        "3 k columns": {"rows": 3},
        "n >= C s log(p)/epsilon^2": {"sparsity": 1},
    },
    unchecked={
        "Sigma": "the steps have its norm, size",
    },
)
def inside_the_class(
    room: str = "1", share: str = "10", rows: int = 2, sparsity: int = 2
) -> Outcome:
    """A row of the first r has k entries c a, one of the last r at most 2 k.

    So at most 2 k <= s entries of a column beside the diagonal [step "sparse"], and ||Sigma||_2 <=
    c (1 + 2 k a) <= 2 c [step "norm"]: at most rho, and 1/(5 p), for which ||X||^2 <= chi^2_p/(5 p)
    exceeds 1 with probability at most e^-p [step "tail"]. 2 k <= s - 0, and
    a = gamma sqrt(log(p)/(n epsilon^2)) is at most gamma/(s sqrt C) [steps "records", "gamma",
    squared].
    """
    n, epsilon, log_p = reals("n epsilon log_p")
    k, s, a, c, p, rho, size, gamma, constant = reals("k s a c p rho size gamma C")
    return derived(
        sparse=for_all(rows * k <= s, k >= 0, k <= s / 2, s >= 0),
        norm=for_all(
            size <= rho,
            *(c > 0, 2 * c <= rho, size <= c * (1 + 2 * k * a), 2 * k * a <= rational(room)),
        ),
        ball=for_all(
            5 * p * size <= 1,
            *(p >= 1, c > 0, rational(share) * p * c <= 1, size <= 2 * c),
        ),
        gamma=for_all(
            (2 * k * a) ** 2 <= 1,
            *(k >= 0, 2 * k <= s, s > 0, a > 0, constant > 0),
            *(gamma > 0, gamma**2 <= constant, a**2 * constant * s**2 <= gamma**2),
        ),
        records=for_all(
            a**2 * constant * s**2 <= gamma**2,
            *(n >= 1, epsilon > 0, log_p > 0, s >= 1, a > 0, constant > 0, gamma > 0),
            *(a**2 * n * epsilon**2 == gamma**2 * log_p,),
            n * epsilon**2 >= constant * s**sparsity * log_p,
        ),
        tail=less(ball(1), (ball(5) - 1 - log(ball(5))) / 2),
    )


@statement(
    "004 Lemma 6.2.13",
    lines="8505-8507",
    kind="concentration",
    printed="P(z - n >= 2 sqrt(n x) + 2 x) <= e^-x for z ~ chi^2_n",
    refuses={"2 sqrt(n x) + 3 x/2": {"deviation": "3/2"}},
    unchecked={
        "z, chi": "the steps have the logarithm of E exp(t z) = (1 - 2t)^(-n/2)",
    },
)
def chi_square_tail(deviation: str = "2") -> Outcome:
    """See :func:`proofs_checks.paper_004.gaussian_noise.norm_of_vector_in_two_terms`, p = n."""
    return norm_of_vector_in_two_terms(deviation)


@statement(
    "004 Lemma 6.2.7",
    lines="8147, proof 8529-8551",
    kind="lower bound",
    printed="alpha >= (k a)^2/p, alpha the least ||Sigma(tau) - Sigma(tau')||_2^2/(2 H)",
    false="the entries are c a, c <= 1/(10 p): c^2 is lost, and the family with it",
    errata=("diss-6.2-HARD/E3",),
)
def separation_without_the_scale() -> Outcome:
    """p = 4, r = 2, k = 1, c = 1/40: no row present, or both, with entries in columns 3 and 4.

    The difference is c a times a permutation matrix of order 2, whose norm is 1; H = 2.
    """
    c, scale = Fraction(1, 40), Fraction(1)  # a = 1
    alpha = (c * scale) ** 2 / (2 * 2)
    return refuted(
        {"p": 4, "k": 1, "a": 1.0, "c": 0.025}, scale**2 / 4, alpha, "(k a)^2/p against alpha"
    )


@separation_without_the_scale.corrected(
    "alpha >= c^2 (k a)^2/p, and ||Sigma(tau) - c I||_2 <= 2 k c a: with c <= 1/(10 p) c I has an "
    "error of at most (s a)^2/(100 p^2) on the whole family",
    refuses={
        "3 c^2 (k a)^2/p": {"factor": "3"},
        "k c a": {"width": "1"},
        "(s a)^2/(200 p^2)": {"left": "200"},
    },
)
def separation(
    rng: np.random.Generator, factor: str = "1", width: str = "2", left: str = "100"
) -> Outcome:
    """Let u be 1 on the last r coordinates: |(Sigma - Sigma') u|_i = c k a where v_i differs.

    So H (c k a)^2 <= r ||Sigma - Sigma'||_2^2 and 2 r <= p [step "norm"]. Sigma(tau) - c I has at
    most 2 k entries c a in a row or column, and its norm is at most its largest row sum, by
    Gershgorin (cited) [step "width"]; 2 k <= s, c <= 1/(10 p) [step "constant"]. The definition
    agrees for drawn matrices [step "drawn"].
    """
    hamming, entry, r, p, size, alpha = reals("H cka r p size alpha")
    norm, k, c, a, s, row, entries = reals("norm k c a s row_sum entries")
    return derived(
        norm=for_all(
            alpha * p >= rational(factor) * entry**2,
            *(hamming >= 1, r >= 1, 2 * r <= p, size >= 0, entry >= 0, alpha >= 0),
            *(size * r >= hamming * entry**2, alpha * 2 * hamming == size),
        ),
        width=for_all(
            norm <= rational(width) * k * c * a,
            *(k >= 1, c > 0, a > 0, entries <= 2 * k, row == entries * (c * a), norm <= row),
        ),
        constant=for_all(
            rational(left) * p * p * norm * norm <= s * s * a * a,
            *(p >= 1, c > 0, a > 0, k >= 1, 2 * k <= s, 10 * p * c <= 1, norm >= 0),
            norm <= 2 * k * c * a,
        ),
        drawn=_drawn_separation(rng, float(Fraction(factor)), float(Fraction(width))),
    )


def _member(signs: FloatArray, columns: list[tuple[int, ...]], r: int, entry: float) -> FloatArray:
    """Return Sigma(tau) - c I: rows i < r with entries in given ones of the last r columns."""
    matrix = np.zeros((2 * r, 2 * r))
    for i, (present, chosen) in enumerate(zip(signs, columns, strict=True)):
        for column in chosen:
            matrix[i, r + column] = matrix[r + column, i] = present * entry
    return matrix


def _drawn_separation(rng: np.random.Generator, factor: float, width: float) -> Outcome:
    """Draw pairs of members with k = 2 and r = 5, entries 1 for c a."""
    r, k, tried, worst = 5, 2, 400, 0.0
    pool = list(itertools.combinations(range(r), k))
    for _ in range(tried):
        members: list[FloatArray] = []
        present: list[FloatArray] = []
        while len(members) < 2:
            columns = [pool[int(i)] for i in rng.integers(len(pool), size=r)]
            if max(sum(column in row for row in columns) for column in range(r)) > 2 * k:
                continue
            present.append(rng.integers(0, 2, size=r).astype(float))
            members.append(_member(present[-1], columns, r, 1.0))
        apart = int((present[0] != present[1]).sum())
        if apart:
            alpha = float(np.linalg.norm(members[0] - members[1], 2)) ** 2 / (2 * apart)
            worst = max(worst, factor * k**2 / (2 * r) / alpha)
        worst = max(worst, float(np.linalg.norm(members[0], 2)) / (width * k))
    return searched(worst, 1 + 1e-9, tried=tried, what="alpha's bound, and norm's, pairs")


@statement(
    "004 Lemma 6.2.9",
    lines="8159-8169",
    kind="identity",
    printed="(6.38): Q = (Sigma_1 - Sigma_0)(Sigma_2 - Sigma_0) has q_11 = J c^2 a^2, c^2 a^2 on "
    "I_r x I_c and 0 elsewhere, |I_r| = |I_c| = k, |I_r and I_c| = J; rank 2, and two eigenvalues "
    "J c^2 a^2",
    checked="k = 2, J = 1, 2 and k = 3, J = 1 to 3, all c and a; at J = 0 it has rank 1",
    refuses={"eigenvalues J c a": {"power": 1}, "one eigenvalue": {"multiplicity": 1}},
    unchecked={
        "Q, Sigma_1, Sigma_0, Sigma_2, q_11": "the steps have Q on the span of e_1 and its rows",
        "r": "only in the name I_r",
    },
)
def product_of_rows(power: int = 2, multiplicity: int = 2) -> Outcome:
    """The characteristic polynomial, and the entries; x stands for c a.

    On the span of e_1 and two different rows for every k and J, where a third eigenvalue is 0.
    """
    lam = sp.Symbol("lambda")
    x = sp.Symbol("x", positive=True)
    on_the_span, third = _on_the_span(), 3 - multiplicity
    shared = symbols("J")
    pairs = []
    for k, overlap in ((2, 1), (2, 2), (3, 1), (3, 2), (3, 3)):
        first, second = _rows(k, k, overlap)
        product = first * second
        size = product.shape[0]
        pairs.append((product[0, 0], overlap * x**2))
        pairs.append((sum(product[1:, 1:]), k * k * x**2))
        found = (lam * sp.eye(size) - product).det()
        claimed = lam ** (size - multiplicity) * (lam - overlap * x**power) ** multiplicity
        pairs.append((found, claimed))
    return every(
        identity(
            (
                sp.factor((lam * sp.eye(3) - on_the_span).det()),
                lam**third * (lam - shared * x**power) ** multiplicity,
            ),
            (on_the_span[0, 0], shared * x**2),
        ),
        identity(*pairs),
    )


def _determinant(presence: int, column: int, a: Fraction) -> Fraction:
    """Det of I - Sigma_0^-1 D Sigma_0^-1 D at p = 4, k = 1, c = 1: D has a in row 1, column 3."""
    zero = sp.eye(4)
    if presence:
        zero[1, column] = zero[column, 1] = sp.Rational(a.numerator, a.denominator)
    moved = sp.zeros(4)
    moved[0, 2] = moved[2, 0] = sp.Rational(a.numerator, a.denominator)
    value = (sp.eye(4) - zero.inv() * moved * zero.inv() * moved).det()
    return Fraction(int(value.p), int(value.q))


@statement(
    "004 Lemma 6.2.10",
    lines="8171-8179",
    kind="lower bound",
    printed="(6.39): R = -2 log(1 - J c^2 a^2) + R_1, and E exp(n R_1/2) <= 3/2 uniformly over J",
    false="the leading term is -2 log(1 - J a^2), without c",
    errata=("diss-6.2-HARD/E4",),
)
def leading_term_with_the_scale() -> Outcome:
    """p = 4, k = J = 1, both of the same column; the second row present or not, in column 3 or 4.

    exp(n R/2) = det^(-n/2) for the n samples, by the exact determinants; c = 1/100, n = 10.
    """
    a, c, n = Fraction(3, 10), Fraction(1, 100), 10
    members = [_determinant(presence, column, a) for presence in (0, 1) for column in (2, 3)]
    mean = sum((1 - c**2 * a**2) ** n / value ** (n // 2) for value in members) / len(members)
    point = {"p": 4, "k": 1, "J": 1, "a": 0.3, "c": 0.01, "n": n}
    return refuted(point, mean, Fraction(3, 2), "E exp(n R_1/2) against 3/2")


@leading_term_with_the_scale.corrected(
    "R = -2 log(1 - J a^2) + R_1; R_1 = 0 where no other row is present",
    refuses={"J c^2 a^2": {"scale": 2}, "once, not twice": {"times": 1}},
    unchecked={
        "R": "e^-R is the determinant in the step",
        "R_1": "0 in the step, where no other row is present",
    },
)
def leading_term(scale: int = 0, times: int = 2) -> Outcome:
    """e^-R = det(I - Q/c^2) at Sigma_0 = c I; x stands for c a.

    On the span of e_1 and two different rows, for every k and J, and formed for small ones.
    """
    x, c, shared = symbols("x c J")
    on_the_span = (sp.eye(3) - _on_the_span() / c**2).det()
    pairs = []
    for k, overlap in ((1, 1), (2, 1), (2, 2), (3, 2)):
        first, second = _rows(k, k, overlap)
        found = (sp.eye(first.shape[0]) - first * second / c**2).det()
        pairs.append((found, (1 - overlap * x**2 / c ** (2 - scale)) ** times))
    return every(
        identity((sp.factor(on_the_span), (1 - shared * x**2 / c ** (2 - scale)) ** times)),
        identity(*pairs),
    )


@statement(
    "004 Lemma 6.2.14",
    lines="8557-8561",
    kind="identity",
    printed="(6.77): int g_1 g_2/g_0 = det(I - Sigma_0^-2 (Sigma_1 - Sigma_0)(Sigma_2 - Sigma_0))"
    "^(-1/2)",
    false="right where the matrices commute",
    errata=("diss-6.2-HARD/E5",),
)
def integral_as_printed() -> Outcome:
    """Compare squares; the integral's is Gaussian, of Sigma_1^-1 + Sigma_2^-1 - Sigma_0^-1."""
    size = sp.Rational(3, 10)
    zero, moved = sp.eye(4), sp.zeros(4)
    zero[1, 3] = zero[3, 1] = size
    moved[0, 3] = moved[3, 0] = size
    one = zero + moved
    precision = (2 * one.inv() - zero.inv()).det()
    exact = zero.det() / (one.det() ** 2 * precision)
    printed = 1 / (sp.eye(4) - zero**-2 * moved * moved).det()
    point = {"Sigma_0": "I_4 + .3 (E_24 + E_42)", "Sigma_1 - Sigma_0": ".3 (E_14 + E_41)"}
    left, right = (Fraction(int(value.p), int(value.q)) for value in (printed, exact))
    return refuted(point, left, right, "squares of the printed and of the true integral")


@integral_as_printed.corrected(
    "det(I - Sigma_0^-1 (Sigma_1 - Sigma_0) Sigma_0^-1 (Sigma_2 - Sigma_0))^(-1/2), if Sigma_1^-1 "
    "+ Sigma_2^-1 - Sigma_0^-1 is positive definite",
    refuses={"I + ..": {"sign": 1}, "Sigma_0^-2": {"apart": False}},
)
def integral(sign: int = -1, apart: bool = True) -> Outcome:
    """It is (det Sigma_0/(det Sigma_1 det Sigma_2 det P))^(1/2), P that sum (cited).

    Sigma_1 P Sigma_2 = Sigma_0 (I - Sigma_0^-1 D_1 Sigma_0^-1 D_2) with D_i = Sigma_i - Sigma_0;
    take determinants. In the step S_0 = Sigma_0, S_1 = Sigma_1 and S_2 = Sigma_2.
    """
    zero, one, two = sp.symbols("S_0 S_1 S_2", commutative=False)
    precision = one**-1 + two**-1 - zero**-1
    first, second = one - zero, two - zero
    inner = first * zero**-1 * second if apart else zero**-1 * first * second
    return identity((sp.expand(one * precision * two), sp.expand(zero + sign * inner)))


@statement(
    "004 (6.74)",
    lines="8537-8541, 8023",
    kind="identity",
    printed="with V = {-1, +1}^r and v_1 = -1 the first row of Sigma_0 is (c, 0, .., 0)",
    false="it is (c, -c a lambda_1): V must be {0, 1}^r, as in the proof of Corollary 6.2.2",
    errata=("diss-6.2-HARD/E6",),
)
def absent_row() -> Outcome:
    """One entry of that row, c = a = 1, in modulus."""
    return refuted({"v_1": -1}, abs(Fraction(-1)), 0, "modulus of the entry against 0")


@absent_row.corrected(
    "with V = {0, 1}^r and v_1 = 0 it is",
    refuses={"v_1 = -1": {"absent": -1}},
    unchecked={
        "V, r": "only say that v_1 is 0 or 1",
        "v_1": "0 in the step",
    },
)
def absent_row_of_zeros(absent: int = 0) -> Outcome:
    """The first row of (6.37) is c e_1 + c a v_1 lambda_1."""
    c, a = symbols("c a")
    return identity(*((c * a * absent * entry, 0) for entry in (0, 1)))


@statement(
    "004 Proof of Lemma 6.2.8 (overlap)",
    lines="8190-8192",
    kind="lower bound",
    printed="P(J = j) = C(k, j) C(m - k, k - j)/C(m, k) <= (k^2/(p/4 - 1 - k))^j, m >= p/4 - 1",
    checked="m = p/4 - 1, where the bound is least, p = 12 to 400, k < m/2",
    refuses={"k/(p/4 - 1 - k)": {"power": 1}},
    unchecked={
        "J": "each j from 0 to k is tried",
        "C, 4": "not checked: m = p/4 - 1 and k beside the six pairs that are tried",
    },
)
def overlap(power: int = 2) -> Outcome:
    """All j from 0 to k, in integers."""

    def cases() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
        for m, k in ((2, 1), (9, 2), (24, 1), (24, 5), (99, 3), (99, 40)):
            for j in range(k + 1):
                if k - j > m - k:
                    continue
                chance = Fraction(
                    int(sp.binomial(k, j) * sp.binomial(m - k, k - j)), int(sp.binomial(m, k))
                )
                yield {"m": m, "k": k, "j": j}, chance, Fraction(k**power, m - k) ** j

    return exactly(cases(), note="all overlaps")


not_checkable(
    "004 Lemma 6.2.8",
    lines="8153-8157",
    kind="lower bound",
    printed="Average (chi^2(P-bar_{j,+1} || P-bar_{j,-1}))^n <= (3/4) epsilon^(-2n)",
    reason="what its proof bounds is not chi^2: (6.79) takes a power of one sample's for that of "
    "n, and (6.39) is false, see Lemma 6.2.10; the bound is of use with Theorem 6.2.6 only",
    errata=("diss-6.2-HARD/E2", "diss-6.2-HARD/E4"),
)
not_checkable(
    "004 Theorem 6.2.7",
    lines="8205-8207",
    kind="lower bound",
    printed="(6.43): the non-interactive risk over P(s, rho) is Omega(s^2 log(p)/(n epsilon^2)) in "
    "the squared spectral norm",
    reason="its proof rests on Theorem 6.2.6 and Lemma 6.2.7, both false, and its family gives "
    "p^-2 times that at most; for bounded s another family proves it, for growing s it is open",
    errata=("diss-6.2-HARD/E1", "diss-6.2-HARD/E3"),
)
not_checkable(
    "004 Corollary 6.2.3",
    lines="8215-8217",
    kind="lower bound",
    printed="(6.44): the same in every l_w norm",
    reason="as Theorem 6.2.7",
    errata=("diss-6.2-HARD/E1", "diss-6.2-HARD/E3"),
)
