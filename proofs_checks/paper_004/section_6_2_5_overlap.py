"""Section 6.2.5: the displays of the proofs of Lemmas 6.2.6 and 6.2.8 on the family (6.37)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

from mpmath import mp

from proofs_checks.balls import ball, exp
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement, twin
from proofs_checks.vocabulary import (
    derived,
    exactly,
    for_all,
    identity,
    precisely,
    rational,
    reals,
    refuted,
    symbols,
)

# ------------------------------------------------- the sum over the overlap J, (6.40)-(6.44)


@statement(
    "004 (6.40)",
    lines="8187-8199",
    kind="lower bound",
    printed="3/2 (1 - a b)^-n - 1 <= a^n (3/2 (1 - b)^-n - 1), a = epsilon^-2 and b = j c^2 "
    "gamma^2 log(p)/n, in every term j; sufficient is b (a + 1) <= 1",
    false="without the 1s it is; with them the right side loses a^n and the left 1",
    errata=("diss-6.2-HARD/E7",),
)
def term_at_the_edge() -> Outcome:
    """epsilon = 1/3, a = 9, b = 1/10 and n = 1: b (a + 1) = 1."""
    a, b = 9, Fraction(1, 10)
    left = Fraction(3, 2) / (1 - a * b) - 1
    right = a * (Fraction(3, 2) / (1 - b) - 1)
    return refuted({"epsilon": 1 / 3, "b": 0.1, "n": 1}, left, right, "left and right of a term")


@term_at_the_edge.corrected(
    "for a b <= 1/2 and epsilon <= 1/2, as a small gamma gives: the sum (6.40) holds",
    refuses={"a b <= 9/10": {"room": "9/10"}, "a >= 3": {"least": 3}},
    unchecked={
        "epsilon": "a = epsilon^-2 is at least 4, and enters by a b and a^n",
        "gamma": "only in b, and small to have a b <= 1/2",
    },
)
def small_terms(room: str = "1/2", least: int = 4) -> Outcome:
    """(1 - a b)^-1 <= 2 [step "inverse"], so with u = 2^n the left side is at most 3 u/2 - 1.

    a^n >= 4^n = u^2 [step "square"] and (1 - b)^-n >= 1 make the right side u^2/2 at least, and
    u^2 - 3 u + 2 = (u - 1) (u - 2) >= 0 [step "term"].
    """
    x, product, u, left, power, other = reals("x ab 2^n left a^n right")
    return derived(
        inverse=for_all(
            x <= 2, x > 0, product > 0, product <= rational(room), x * (1 - product) == 1
        ),
        square=for_all(rational(least) >= 2**2),
        term=for_all(
            3 * left - 2 <= power * (3 * other - 2),
            *(u >= 2, left >= 1, left <= u, power >= u * u, other >= 1),
        ),
    )


@statement(
    "004 (6.41)",
    lines="8191",
    kind="lower bound",
    printed="<= epsilon^(-2n) (3/2 sum_{j >= 1} (p^(1-1/beta) p^(-2 gamma^2 c^2))^-j + 1/2)",
    checked="from (6.40), whose term j = 0 is 1/2; the line between has 3/2 for it. For log p >= "
    "2/C and p >= 8 (k + 1), with k^2 <= n epsilon^2/(4 C log p), n <= p^(1/beta)",
    refuses={
        "exp(j c^2 gamma^2 log p)": {"growth": 1},
        "p >= 6 (k + 1)": {"room": 6},
        "k^2 <= n epsilon^2/(C log p)": {"quarter": 1},
    },
    unchecked={
        "epsilon, n": "epsilon^(-2n) is a factor of both sides",
        "3": "3/2 and 1/2 are as (6.40) has them",
    },
)
def sum_over_overlaps(growth: int = 2, room: int = 8, quarter: int = 4) -> Outcome:
    """-n log(1 - x) <= 2 n x for x <= 1/2: equal at 0, and by the slopes [steps "slope", "rises"].

    At n x = g log p, g = j c^2 gamma^2, that is p^(2 g) [step "power"]. With q = p^(1/beta) the
    factor k^2/(p/4 - 1 - k) is at most q/p [step "factor"]; c_1 = 1 and epsilon <= 1.
    """
    x, p, g = symbols("x p g")
    gap = growth * x + sp.log(1 - x)
    z, k, size, q, logarithm, constant = reals("x k p q log_p C")
    return derived(
        slope=identity((sp.diff(gap, x), growth - 1 / (1 - x)), (gap.subs(x, 0), 0)),
        rises=for_all(growth * (1 - z) >= 1, z >= 0, 2 * z <= 1),
        power=identity((sp.exp(2 * g * sp.log(p)), p ** (2 * g))),
        factor=for_all(
            k * k * size <= q * (size / 4 - 1 - k),
            *(k >= 1, size >= room * (k + 1), q > 0, constant > 0, constant * logarithm >= 2),
            quarter * constant * logarithm * k * k <= q,
        ),
    )


@statement(
    "004 (6.42)",
    lines="8193, 8201",
    kind="lower bound",
    printed="<= C epsilon^(-2n) sum_{j >= 1} (p^(1/2-1/(2 beta)))^-j + epsilon^(-2n)/2 <= 3/4 "
    "epsilon^(-2n), gamma^2 <= (beta-1)/(54 beta), p large",
    checked="C = 3/2, c <= 1, p^(1/2-1/(2 beta)) >= 7",
    refuses={
        "gamma^2 <= (beta-1)/(3 beta)": {"share": 3},
        "p^(1/2-1/(2 beta)) >= 6": {"ratio": 6},
        "2/3 epsilon^(-2n)": {"total": "2/3"},
    },
    unchecked={
        "C": "a constant of no claimed value, 3/2 in the steps",
        "epsilon, n": "epsilon^(-2n) is a factor of both sides",
    },
)
def geometric_sum(share: int = 54, ratio: int = 7, total: str = "3/4") -> Outcome:
    """The exponent 1 - 1/beta - 2 gamma^2 c^2 is at least half of 1 - 1/beta [step "exponent"].

    A geometric series with the ratio r = p^(1/(2 beta)-1/2) <= 1/7 adds up to r/(1 - r) [steps
    "series", "total"].
    """
    beta, g, r = reals("beta gamma^2c^2 r")
    x = sp.Symbol("r", positive=True)
    return derived(
        exponent=for_all(
            2 * (beta - 1 - 2 * g * beta) >= beta - 1, beta > 1, g > 0, share * g * beta <= beta - 1
        ),
        series=identity((x * (1 + x / (1 - x)), x / (1 - x))),
        total=for_all(
            rational("3/2") * r + rational("1/2") * (1 - r) <= rational(total) * (1 - r),
            *(r > 0, ratio * r <= 1),
        ),
    )


for _number, _of, _line in (
    ("(6.43)", "Theorem 6.2.7", "8207"),
    ("(6.44)", "Corollary 6.2.3", "8217"),
):
    twin(
        f"004 {_number}",
        of=f"004 {_of}",
        lines=_line,
        printed="M_n^Nint(Sigma(P(s, rho)), Phi o rho, epsilon) >= Omega(s^2 log(p)/(n epsilon^2))",
        special_case_of=(f"004 {_of}",),
    )


# --------------------------------------------------------------------- the matrices of (6.37)


@statement(
    "004 (6.73)",
    lines="8509-8513",
    kind="lower bound",
    printed="c + c s gamma sqrt(log(p)/(n epsilon^2)) <= min{rho, 1/(5p)} for c = min{rho/2, "
    "1/(10p)}, gamma <= sqrt(C)/2 and n >= C s^2 log(p)/epsilon^2",
    refuses={"gamma <= 2 sqrt C": {"quarter": 4}, "c = 1/(5p)": {"share": 5}},
)
def norm_of_the_family(quarter: Fraction = Fraction(1, 4), share: int = 10) -> Outcome:
    """x = s gamma sqrt(log(p)/(n epsilon^2)) has C x^2 <= gamma^2."""
    c, x, rho, p, square, constant = reals("c x rho p gamma^2 C")
    size = c + c * x
    return for_all(
        z3.And(size <= rho, 5 * p * size <= 1),
        *(c > 0, 2 * c <= rho, p >= 1, share * p * c <= 1, x >= 0, constant > 0, square > 0),
        *(square <= rational(quarter) * constant, constant * x * x <= square),
    )


@statement(
    "004 (6.75)",
    lines="8541-8543",
    kind="identity",
    printed="S has s_ii = 1, c a where a row is present and has a 1, and 0 elsewhere",
    false="the diagonal of (6.37) is c",
    errata=("diss-6.2-HARD/E8",),
)
def diagonal_of_ones() -> Outcome:
    """p = 4 and c = 1/40, the largest that Lemma 6.2.6 allows."""
    return refuted({"p": 4, "c": 0.025}, 1, Fraction(1, 40), "s_ii as printed, and c")


@diagonal_of_ones.corrected(
    "s_ii = c",
    refuses={"s_ii = 1": {"diagonal": True}, "c for c a": {"power": 0}},
    unchecked={
        "s_ii": "the diagonal entries of the matrix in the step",
    },
)
def diagonal_of_the_family(diagonal: bool = False, power: int = 1) -> Outcome:
    """p = 4, r = 2: the second row has b in the third column and b' in the fourth."""
    c, a, v, b, d = symbols("c a v b b'")
    row = sp.zeros(4)
    row[1, 2] = row[2, 1] = b
    row[1, 3] = row[3, 1] = d
    matrix = c * sp.eye(4) + c * a * v * row
    return identity(
        *((matrix[i, i], 1 if diagonal else c) for i in range(1, 4)),
        *((matrix[1, 2], c * a**power * v * b), (matrix[2, 3], 0)),
    )


@cache
def _families(r: int, k: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """All of Lambda: r rows with k of r columns each, no column in more than 2 k of them."""
    rows = tuple(itertools.combinations(range(r), k))
    return tuple(
        chosen
        for chosen in itertools.product(rows, repeat=r)
        if max(sum(column in row for row in chosen) for column in range(r)) <= 2 * k
    )


def _free(rest: tuple[tuple[int, ...], ...], r: int, k: int) -> int:
    """p_lambda: the columns that the rows but the first leave room for."""
    return sum(sum(column in row for row in rest) < 2 * k for column in range(r))


@statement(
    "004 (6.76)",
    lines="8545-8553",
    kind="identity",
    printed="given the other rows P-bar_{1,1} is the mean of C(p_lambda, k) normal laws with a "
    "first row r of k entries c a; p_lambda = r - n_lambda >= r/2 >= p/4 - 1",
    checked="all families with r = 3, 4, 5 and k = 1",
    refuses={
        "r - n_lambda - 1": {"less": 1},
        "p_lambda >= 2 r/3": {"share": "2/3"},
        "columns of at most k": {"capacity": 1},
    },
    unchecked={
        "P-bar_{1,1}, c, a": "the laws are named by first rows, which the steps count",
        "C": "not checked: k above 1 and r above 5, for which the rows are not counted",
    },
)
def laws_of_the_first_row(less: int = 0, share: str = "1/2", capacity: int = 2) -> Outcome:
    """The other rows have at most r k ones, and n full columns 2 k of them each [step "columns"].

    Here n = n_lambda and free = p_lambda.

    So r - n >= r/2, and 2 r >= p - 1 [step "half"]. By enumeration the first rows that Lambda
    allows beside given others are the sets of k free columns [step "rows"].
    """
    n, r, k, p, free = reals("n r k p free")

    def counts() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
        for size in (3, 4, 5):
            members = _families(size, 1)
            for rest in sorted({chosen[1:] for chosen in members}):
                found = sum(chosen[1:] == rest for chosen in members)
                claimed = comb(_free(rest, size, 1) - less, 1)
                yield {"r": size, "rest": str(rest)}, Fraction(found), Fraction(claimed)

    return derived(
        columns=for_all(
            free >= rational(share) * r,
            *(r >= 1, k >= 1, n >= 0, free == r - n - less, capacity * k * n <= r * k),
        ),
        half=for_all(r / 2 >= p / 4 - 1, p >= 2, 2 * r >= p - 1),
        rows=exactly(counts(), "=", note="first rows beside given others"),
    )


# ---------------------------------------------------------------------- chi-square, (6.78)-(6.82)

not_checkable(
    "004 (6.78)",
    lines="8561-8563",
    kind="definition",
    printed="R = -log det(I - Sigma_0^-2 (Sigma_0 - Sigma_1)(Sigma_0 - Sigma_2))",
    reason="names a quantity; exp(R/2) is the integral of Lemma 6.2.14 as corrected there",
)


@statement(
    "004 (6.79)",
    lines="8533-8535, 8567",
    kind="identity",
    printed="the mean over v_-1, lambda_-1 of (chi^2(P-bar_{1,+1} || P-bar_{1,-1}))^n, where chi^2 "
    "= int p_1^2/p_-1 - 1",
    checked="the second formula; the power is of the divergence of one record, see the proof of "
    "Theorem 6.2.6",
    refuses={"without - 1": {"shift": 0}},
    unchecked={
        "v_-1, lambda_-1, n": "not checked: the mean and the power, which is of one record's chi^2",
        "P-bar_{1,+1}, P-bar_{1,-1}": "any two laws; the step has two outcomes",
    },
)
def second_moment_less_one(shift: int = 1) -> Outcome:
    """For two outcomes, p = p_1 and q = p_-1."""
    p, q = symbols("p q")
    chi = (p - q) ** 2 / q + (p - q) ** 2 / (1 - q)
    return identity((chi, p**2 / q + (1 - p) ** 2 / (1 - q) - shift))


@cache
def _integrals(a: Fraction) -> dict[tuple[int, int], dict[tuple[int, int], Fraction]]:
    """Return det(I - Sigma_0^-1 D_1 Sigma_0^-1 D_2) by second row and first two, p = 4, k = c = 1.

    The second row is absent (0) or present (1), in column 2 or 3; so are the first rows.
    """
    size = sp.Rational(a.numerator, a.denominator)

    def entry(row: int, column: int) -> Any:
        matrix = sp.zeros(4)
        matrix[row, column] = matrix[column, row] = size
        return matrix

    found: dict[tuple[int, int], dict[tuple[int, int], Fraction]] = {}
    for present, column in itertools.product((0, 1), (2, 3)):
        inverse = (sp.eye(4) + present * entry(1, column)).inv()
        found[present, column] = {}
        for one, two in itertools.product((2, 3), repeat=2):
            value = (sp.eye(4) - inverse * entry(0, one) * inverse * entry(0, two)).det()
            found[present, column][one, two] = Fraction(int(value.p), int(value.q))
    return found


def _powers_of_chi_square(less: int) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    """Yield the mean of (chi^2)^n and the mean of exp(n R/2) - 1 on the family of p = 4, k = 1."""
    for a, n in itertools.product((Fraction(1, 10), Fraction(2, 5)), (1, 2, 5)):
        left, right = mp.mpf(0), mp.mpf(0)
        for values in _integrals(a).values():
            roots = [1 / mp.sqrt(mp.mpf(x.numerator) / x.denominator) for x in values.values()]
            left += (sum(roots) / 4 - 1) ** n / 4
            right += (sum(root**n for root in roots) / 4 - less) / 4
        yield {"a": float(a), "n": n}, left, right


@statement(
    "004 (6.81)",
    lines="8571",
    kind="lower bound",
    printed="the mean of (chi^2)^n is at most the mean of exp(n R/2) - 1",
    checked="from (6.79), with the R of Lemma 6.2.14 as corrected",
    refuses={"exp(n R/2) - 2": {"less": 2}, "(1 + x)^(n+1) >= 2 + x^(n+1)": {"more": 2}},
)
def power_below_the_mean(less: int = 1, more: int = 1) -> Outcome:
    """With X = exp(R/2), 1 + chi^2 is the mean of X over the two first rows, by (6.79).

    (chi^2)^n + 1 <= (1 + chi^2)^n: multiplied by 1 + chi^2 it stays so [step "power"], and at n = 1
    it is equal [step "first"]. The n-th power of a mean is at most the mean of the powers [step
    "Jensen", two values and from n to n + 1, where X^n is in the order of X]. On a family it is
    computed [step "family"].
    """
    x, y, whole, u, v, n_u, n_v = reals("chi^2 power whole X X' X^n X'^n")
    return derived(
        first=for_all(x <= (1 + x) - less, x >= 0),
        power=for_all(whole * (1 + x) >= more + y * x, x >= 0, y >= 0, whole >= 1 + y),
        Jensen=for_all(
            (u + v) * (n_u + n_v) <= 2 * (u * n_u + v * n_v),
            *(u > 0, v > 0, n_u > 0, n_v > 0, (u - v) * (n_u - n_v) >= 0),
        ),
        family=precisely(lambda: _powers_of_chi_square(less), note="p = 4, k = 1"),
    )


@statement(
    "004 (6.80)",
    lines="8567-8571",
    kind="lower bound",
    printed="(6.79) <= E exp(n/2 (R - 1)) <= E exp(n R/2) - 1",
    false="the 1 belongs outside of the exponential: where R is near 0 the second is false",
    errata=("diss-6.2-HARD/E9",),
)
def one_in_the_exponent() -> Outcome:
    """The family of p = 4, k = 1 with a = 1/10 and n = 2: exp(n R/2) is the inverse determinant."""
    values = [1 / x for rows in _integrals(Fraction(1, 10)).values() for x in rows.values()]
    mean = sum(values) / len(values)
    point = {"p": 4, "k": 1, "a": 0.1, "n": 2}
    return refuted(point, exp(ball(-1)) * ball(mean), ball(mean) - 1, "second and third mean")


@one_in_the_exponent.corrected(
    "(6.79) <= E exp(n R/2) - 1, which is (6.81)",
    refuses={"exp(n R/2) - 2": {"less": 2}},
)
def one_outside(less: int = 1) -> Outcome:
    """As (6.81), X = exp(R/2), by its steps "first", "power", "Jensen" and "family"."""
    return power_below_the_mean.of_printed.check(less)  # type: ignore[union-attr]


def _given_first_rows() -> dict[tuple[int, int], dict[tuple[tuple[int, ...], ...], Fraction]]:
    """Joint law of the first rows and the others, r = 3 and k = 1, tau uniform over T."""
    members = _families(3, 1)
    joint: dict[tuple[int, int], dict[tuple[tuple[int, ...], ...], Fraction]] = {}
    for rest in sorted({chosen[1:] for chosen in members}):
        first = [chosen[0][0] for chosen in members if chosen[1:] == rest]
        chance = Fraction(len(first), len(members)) / len(first) ** 2
        for one, two in itertools.product(first, repeat=2):
            joint.setdefault((one, two), {})[rest] = chance
    return joint


@statement(
    "004 (6.82)",
    lines="8573-8579",
    kind="lower bound",
    printed="= E over (lambda_1, lambda_1') of the mean over (v_-1, lambda_-1), which given them "
    "is uniform over T_-1(lambda_1, lambda_1')",
    false="it is not uniform: the more first rows the others allow, the less they weigh",
    errata=("diss-6.2-HARD/E10",),
)
def uniform_given_first_rows() -> Outcome:
    """r = 3 and k = 1, both first rows in column 1, tau uniform over T as in Corollary 6.2.2.

    The others both in column 2 leave two columns; in columns 2 and 3 they leave three.
    """
    law = _given_first_rows()[0, 0]
    chances = law[(1,), (1,)], law[(1,), (2,)]
    total = sum(law.values())
    point = {"r": 3, "k": 1, "lambda_1": 1, "lambda_1'": 1}
    return refuted(point, chances[0] / total, chances[1] / total, "probabilities of two members")


@uniform_given_first_rows.corrected(
    "with weights proportional to 1/C(p_lambda, k) over T_-1(lambda_1, lambda_1')",
    refuses={"uniform": {"power": 0}, "1/C(p_lambda, k)^2": {"power": 2}},
    unchecked={
        "T_-1, lambda_1, lambda_1'": "enumerated for r = 3, k = 1; N is C(p_lambda, k)",
    },
)
def weights_given_first_rows(power: int = 1) -> Outcome:
    """The others have a probability proportional to N = C(p_lambda, k), see (6.76).

    Each pair of first rows has N^-2 given them: together N^-1 [step "weight"]. Enumerated for r = 3
    and k = 1: N times the probability is the same [step "members"].
    """
    number, total = symbols("N total")

    def members() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
        size = len(_families(3, 1))
        for pair, law in _given_first_rows().items():
            for rest, chance in law.items():
                weight = Fraction(_free(rest, 3, 1)) ** power
                yield {"pair": str(pair), "rest": str(rest)}, chance * weight, Fraction(1, size)

    return derived(
        weight=identity((number / total / number**2, 1 / (total * number**power))),
        members=exactly(members(), "=", note="N times the joint probability"),
    )
