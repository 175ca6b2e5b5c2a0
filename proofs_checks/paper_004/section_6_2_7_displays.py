"""Section 6.2.7: the displays of the proofs of Lemma 6.2.3 and Theorem 6.2.2.

T = gamma sqrt(log(p)/n) + 4 sigma_1 sqrt(log p) is the threshold, gamma = 2 and C_1 = 2, see Lemma
6.2.2; S - sigma is an error of the sample and N the noise of an entry.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from proofs_checks.balls import ball, log, ndtr, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_6_2_2 import entries_of_a_sample, largest_of_normals
from proofs_checks.statement import not_checkable, twin
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    symbols,
)

CONSTANT = "a constant of no claimed value; the steps have 2 + 2 for both tails"
LEVEL = "3T/4 is any g + h in the step"

statement = partial(any_statement, algorithms=("diss-6.2.48",))

sample_check = entries_of_a_sample.of_printed.check  # type: ignore[union-attr]
noise_check = largest_of_normals.of_printed.check  # type: ignore[union-attr]


def _kept(noisy: Any, level: Any) -> Any:
    return z3.If(z3.Abs(noisy) > level, noisy, 0)


def _least(true: Any, level: Any) -> Any:
    return z3.If(z3.Abs(true) <= level, z3.Abs(true), level)


# ------------------------------------------------------------------------- Lemma 6.2.3


@statement(
    "004 (6.45)",
    lines="8261-8263",
    kind="identity",
    printed="|sigma^ - sigma| = |sigma| I(A^c) + |sigma~ - sigma| I(A), A = {|sigma~| > T}",
    refuses={"|sigma~| I(A)": {"shift": 0}},
    unchecked={
        "A": "the event of noisy above T in modulus",
    },
)
def two_errors(shift: int = 1) -> Outcome:
    """On A the entry is kept, else it is 0."""
    noisy, true, level = reals("noisy true T")
    kept = z3.Abs(noisy) > level
    error = z3.If(kept, z3.Abs(noisy - shift * true), z3.Abs(true))
    return for_all(z3.Abs(_kept(noisy, level) - true) == error, level > 0)


@statement(
    "004 (6.46)",
    lines="8275-8293",
    kind="concentration",
    printed="P(A) <= P(|sigma~ - sigma| > 3T/4) <= C_1 p^(-9/2) + 2 p^(-9/2) for |sigma| <= T/4",
    checked="C_1 = 2",
    refuses={
        "|sigma| <= T/3": {"small": "1/3"},
        "p^-5": {"power": "5"},
        "7T/8": {"share": "7/8"},
    },
    unchecked={
        "A": "the event of noisy above T in modulus",
        "C_1": CONSTANT,
    },
)
def case_of_small_entries(small: str = "1/4", share: str = "3/4", power: str = "9/2") -> Outcome:
    """A needs a deviation of more than T - |sigma| [step "small"], T = g + h.

    That needs one of more than 3 g/4 of the sample or of more than 3 h/4 of the noise [step
    "either"]: (6.14) and (6.13) [steps "law of the sample", "law of the noise"] at three
    quarters of their levels [steps "sample", "noise"].
    """
    noisy, true, level, g, h, d, e = reals("noisy true T g h d e")
    p = symbols("p")
    part, exponent = sp.Rational(share), sp.Rational(power)
    quarter = rational(share)
    return derived(
        small=for_all(
            z3.Abs(noisy - true) > quarter * level,
            *(level > 0, z3.Abs(true) <= rational(small) * level, z3.Abs(noisy) > level),
        ),
        either=for_all(
            z3.Or(d > quarter * g, e > quarter * h),
            *(g > 0, h > 0, d >= 0, e >= 0, d + e > quarter * (g + h)),
        ),
        law_of_the_sample=sample_check(),
        law_of_the_noise=noise_check(),
        sample=identity((2 * sp.exp(-8 * part**2 * sp.log(p)), 2 * p**-exponent)),
        noise=identity((2 * sp.exp(-((4 * part) ** 2) * sp.log(p) / 2), 2 * p**-exponent)),
    )


case_of_small_entries.restated(
    "004 (6.47)", lines="8281", printed="P(|sigma~ - sigma| > 3T/4), bounded by (6.52)"
)
case_of_small_entries.restated(
    "004 (6.52)",
    lines="8291",
    printed="<= C_1 p^(-9/2) + 2 p^(-9/2), by (6.13) and (6.14)",
    unchecked={
        "C_1": CONSTANT,
    },
)


@statement(
    "004 (6.48)",
    lines="8283",
    kind="concentration",
    printed="P(|sigma~ - sigma| > u) <= P(|S - sigma| > u - |N|), u = 3T/4",
    refuses={"|N|/2 for |N|": {"share": "1/2"}},
    unchecked={
        "3, T, 4": "u is 3T/4; the step is for every u",
    },
)
def sample_or_noise(share: str = "1") -> Outcome:
    """sigma~ = S + N: one event is in the other, for every u."""
    sample, noise, true, u = reals("S N sigma u")
    return for_all(
        z3.Abs(sample - true) > u - rational(share) * z3.Abs(noise),
        z3.Abs(sample + noise - true) > u,
    )


@statement(
    "004 (6.49)",
    lines="8285-8293",
    kind="concentration",
    printed="P(|S - sigma| > 3T/4 - |N|) = P(B, 3 sigma_1 sqrt(log p) > |N|) + P(B, 3 sigma_1 "
    "sqrt(log p) <= |N|), B = {|S - sigma| > 3 gamma/4 sqrt(log(p)/n) + 2 sigma_1 log p - |N|}",
    false="misprint: B has 3 sigma_1 sqrt(log p), as the event on the left",
    errata=("diss-6.2.48/E6",),
)
def event_with_another_level() -> Outcome:
    """log p = 9, S - sigma = 3 gamma/4 sqrt(log(p)/n) + 10 sigma_1: 9 sigma_1 and 18 sigma_1.

    The event on the left is certain, B needs |N| > 8 sigma_1.
    """
    point = {"log p": 9, "S - sigma": "3 gamma/4 sqrt(log(p)/n) + 10 sigma_1"}
    return refuted(point, ball(1), 2 * ndtr(-ball(8)), "probability, and of B")


@event_with_another_level.corrected(
    "with B = {|S - sigma| > 3T/4 - |N|}",
    refuses={"3 sigma_1 sqrt(log p) < |N|": {"closed": False}},
    unchecked={
        "B": "d > g + h - e in the step",
        "3, T, 4": LEVEL,
    },
)
def event_split(closed: bool = True) -> Outcome:
    """Either the noise is below its part h of 3T/4 = g + h or it is not."""
    d, e, g, h = reals("d e g h")
    event = d > g + h - e
    rest = h - e <= 0 if closed else h - e < 0
    return for_all(
        event == z3.Or(z3.And(event, h - e > 0), z3.And(event, rest)), g > 0, h > 0, e >= 0
    )


twin(
    "004 (6.50)",
    of="004 (6.49)",
    lines="8287",
    printed="+ P(B, 3 sigma_1 sqrt(log p) - |N| <= 0), the second part of (6.49)",
    special_case_of=("004 (6.49)",),
    algorithms=("diss-6.2.48",),
)


@statement(
    "004 (6.51)",
    lines="8289",
    kind="concentration",
    printed="<= P(|S - sigma| > 3 gamma/4 sqrt(log(p)/n)) + P(|N| >= 2 sqrt(3 ln(1.25/delta)) "
    "log p/(n epsilon)) <= |n_ij|",
    false="misprint: 3 sqrt(2 ln(1.25/delta)) sqrt(log p)/(n epsilon), and nothing behind it",
    errata=("diss-6.2.48/E6",),
)
def garbled_level() -> Outcome:
    """p = 100, S - sigma at its level: the left side is P(|N| > 3 sigma_1 sqrt(log p)).

    sigma_1 = sqrt(2 ln(1.25/delta))/(n epsilon), so that the printed level is sqrt 6 sigma_1 log p.
    """
    size = log(ball(100))
    left, right = (2 * ndtr(-x) for x in (3 * sqrt(size), sqrt(ball(6)) * size))
    point = {"p": 100, "S - sigma": "3 gamma/4 sqrt(log(p)/n)"}
    return refuted(point, left, right, "probability, and printed bound")


@garbled_level.corrected(
    "<= P(|S - sigma| > 3 gamma/4 sqrt(log(p)/n)) + P(|N| >= 3 sigma_1 sqrt(log p))",
    refuses={"4 sigma_1 sqrt(log p)": {"width": "4"}},
)
def sum_of_the_parts(width: str = "3") -> Outcome:
    """3T/4 = g + 3 x, where x is sigma_1 sqrt(log p) and g is 3 gamma/4 sqrt(log(p)/n)."""
    d, e, g, x = reals("d e g x")
    return for_all(
        z3.Or(d > g, e >= rational(width) * x), g > 0, x > 0, e >= 0, d >= 0, d > g + 3 * x - e
    )


@statement(
    "004 (6.53)",
    lines="8301-8309",
    kind="concentration",
    printed="for |sigma| >= 2T, but for a probability of C_1 p^(-9/2) + 2 p^-8: |sigma^ - sigma| = "
    "|sigma~ - sigma|, and (6.20)",
    checked="C_1 p^-8 + 2 p^-8, as P(A^c) is bounded there",
    refuses={"|sigma| >= 3T/2": {"large": "3/2"}, "p^-9": {"power": 9}},
    unchecked={
        "C_1": CONSTANT,
        "9": "the step has p^-8, which is less than p^(-9/2)",
    },
)
def case_of_large_entries(large: str = "2", power: int = 8) -> Outcome:
    """Where |sigma~ - sigma| < T the entry is kept, with an error below 4 T [step "kept"].

    T or more has the probabilities of (6.14) and (6.13) at their levels [steps "sample", "noise"].
    """
    noisy, true, level = reals("noisy true T")
    p = symbols("p")
    found = _kept(noisy, level)
    return derived(
        kept=for_all(
            z3.And(found == noisy, z3.Abs(found - true) <= 4 * _least(true, level)),
            *(level > 0, z3.Abs(true) >= rational(large) * level, z3.Abs(noisy - true) < level),
        ),
        sample=identity((2 * sp.exp(-8 * sp.log(p)), 2 * p**-power)),
        noise=identity((2 * sp.exp(-(4**2) * sp.log(p) / 2), 2 * p**-power)),
    )


@statement(
    "004 (6.54)",
    lines="8311-8325",
    kind="identity",
    printed="for T/4 <= |sigma| <= 2T: |sigma^ - sigma| is |sigma| or |sigma~ - sigma|, and (6.20) "
    "where (6.18) holds",
    misprint="the case of |sigma| <= T is repeated: that of |sigma| > T is meant",
    refuses={"3 min{|sigma|, T}": {"factor": "3"}, "T/5 <= |sigma|": {"low": "1/5"}},
)
def case_of_others(factor: str = "4", low: str = "1/4") -> Outcome:
    """(6.18) is |sigma~ - sigma| <= T."""
    noisy, true, level = reals("noisy true T")
    error = z3.Abs(_kept(noisy, level) - true)
    either = z3.Or(error == z3.Abs(true), error == z3.Abs(noisy - true))
    return for_all(
        z3.And(either, error <= rational(factor) * _least(true, level)),
        *(level > 0, z3.Abs(true) >= rational(low) * level, z3.Abs(true) <= 2 * level),
        z3.Abs(noisy - true) <= level,
    )


# ------------------------------------------------------------------------ Theorem 6.2.2

not_checkable(
    "004 (6.55)",
    lines="8337-8341",
    kind="definition",
    printed="E_ij = {|sigma^_ij - sigma_ij| <= 4 min{|sigma_ij|, T}}, of probability 1 - 2 C_1 "
    "p^(-9/2) at least",
    reason="names the event of Lemma 6.2.3, which has its probability",
)


def _order(constant: int, of_records: int = 1) -> Outcome:
    """T^2 <= 2 log p (4/n + 16 sigma_1^2) is of the order of L log p/(n epsilon^2).

    L = ln(1.25/delta) >= 1/5, sigma_1^2 = 4 L/(n epsilon)^2, epsilon <= 1; x is T^2/log p.
    """
    x, n, epsilon, size, variance = reals("x n epsilon L sigma_1^2")
    return for_all(
        x * n**of_records * epsilon**2 <= constant * size,
        *(n >= 1, epsilon > 0, epsilon <= 1, 5 * size >= 1, x > 0, variance >= 0),
        *(variance * n**2 * epsilon**2 <= 4 * size, x * n <= 8 + 32 * variance * n),
    )


@statement(
    "004 (6.56)",
    lines="8343-8347",
    kind="utility",
    printed="||Sigma^ - Sigma||_1^2 <= 4 (sup_j sum_{i != j} |sigma^_ij - sigma_ij| I(E_ij))^2 + "
    "2 ||D||_1^2 + O(log p log(1/delta)/(n epsilon^2)), D the entries outside E_ij",
    checked="with 64 T^2 for the last, T^2 <= 168 log p L/(n epsilon^2), L = ln(1.25/delta)",
    added="epsilon <= 1",
    refuses={
        "3 (sup ..)^2": {"four": "3"},
        "32 T^2": {"last": "32"},
        "O(.. /(n^2 epsilon^2))": {"records": 2},
    },
)
def split_of_the_norm(four: str = "4", last: str = "64", records: int = 1) -> Outcome:
    """A column has an entry on the diagonal, of at most 4 T in E [step "column"].

    What is left is of the order that is claimed [step "order"].
    """
    total, rest, off, diagonal, level = reals("norm D off diagonal T")
    return derived(
        column=for_all(
            total**2 <= rational(four) * off**2 + 2 * rest**2 + rational(last) * level**2,
            *(off >= 0, rest >= 0, diagonal >= 0, level > 0, diagonal <= 4 * level, total >= 0),
            total <= off + diagonal + rest,
        ),
        order=_order(168, records),
    )


@statement(
    "004 (6.57)",
    lines="8349-8358",
    kind="utility",
    printed="(sup_j sum_{i != j} |sigma^_ij - sigma_ij| I(E_ij))^2 <= 16 s^2 T^2 <= O(s^2 log p "
    "log(1/delta)/(n epsilon^2))",
    checked="with L = ln(1.25/delta)",
    added="epsilon <= 1",
    refuses={"15 s^2 T^2": {"square": "15"}, "16 s T^2": {"power": 1}, "n^2": {"records": 2}},
)
def errors_in_a_column(square: str = "16", power: int = 2, records: int = 1) -> Outcome:
    """At most s of the min{|sigma_ij|, T} are not 0, and none exceeds T [step "column"].

    T^2 has the order that is claimed [step "order"].
    """
    total, count, s, level = reals("sum count s T")
    return derived(
        column=for_all(
            total**2 <= rational(square) * s**power * level**2,
            *(s >= 1, level > 0, count >= 0, count <= s, total >= 0, total <= 4 * count * level),
        ),
        order=_order(168, records),
    )


@statement(
    "004 (6.58)",
    lines="8360-8366",
    kind="utility",
    printed="E||D||_1^2 <= p E sum d_ij^2 = p E sum (sigma~ - sigma)^2 I(E^c) + p E sum sigma^2 "
    "I(E^c, sigma^ = 0)",
    false="<= for the last =: the first of the two sums counts the entries that are not kept, too",
    errata=("diss-6.2.48/E7",),
)
def counted_twice() -> Outcome:
    """sigma = 5 T and sigma~ = T: sigma^ = 0, so that the error is 5 T > 4 T."""
    true, noisy = 5, 1
    point = {"T": 1, "sigma": true, "sigma~": noisy}
    return refuted(point, (noisy - true) ** 2 + true**2, true**2, "sum of both terms, and d^2")


@counted_twice.corrected(
    "with <= for the last =",
    refuses={
        "without the second sum": {"second": 0},
        "sqrt(p) for p": {"power": 1},
    },
)
def entries_outside(second: int = 1, power: int = 2) -> Outcome:
    """The square of a column sum is at most p times the sum of squares, one entry after another.

    [Step "Cauchy-Schwarz", p = q^2]; the largest column is at most the sum over all. An entry is
    kept or 0 [step "entry"].
    """
    noisy, true, level, x = reals("noisy true T x")
    total, squares, q, next_q = reals("total squares q next")
    found = _kept(noisy, level)
    error = (found - true) * (found - true)
    terms = (noisy - true) * (noisy - true) + second * z3.If(found == 0, true * true, 0)
    return derived(
        entry=for_all(error <= terms, level > 0),
        **{
            "Cauchy-Schwarz": for_all(
                (total + x) ** 2 <= next_q**power * (squares + x * x),
                *(q >= 1, next_q >= 1, next_q**2 == q**2 + 1, total >= 0, x >= 0, squares >= 0),
                total**2 <= q**2 * squares,
            )
        },
    )


@statement(
    "004 (6.60)",
    lines="8377-8391",
    kind="utility",
    printed="sigma^2 I(E^c, sigma^ = 0) = sigma^2 I(|sigma| > 4T, |sigma~| <= T) <= .. <= sigma^2 "
    "I(|S - sigma| >= 3|sigma|/4 - |N|, |sigma| > 4T), split at |N| = |sigma|/4",
    refuses={
        "7|sigma|/8 for 3|sigma|/4": {"share": "7/8"},
        "|sigma| > 3T": {"times": 3},
    },
    unchecked={
        "c": "E^c is the complement of E",
        "sigma^": "0 where noisy is at most T, which the steps have",
    },
)
def lost_entries(share: str = "3/4", times: int = 4) -> Outcome:
    """An entry that is 0 has the error |sigma|, which exceeds 4 min{..} above 4 T only.

    [Step "event"]; |sigma~| <= T < |sigma|/4 leaves a deviation of 3|sigma|/4 [step "deviation"],
    and the two ranges of |N| overlap in a point of probability 0. Here true = sigma.
    """
    noisy, true, level, sample, noise = reals("noisy true T S N")
    found = _kept(noisy, level)
    outside = z3.Abs(found - true) > 4 * _least(true, level)
    zero = z3.Abs(noisy) <= level
    return derived(
        event=for_all(
            z3.And(outside, zero) == z3.And(z3.Abs(true) > times * level, zero), level > 0
        ),
        deviation=for_all(
            z3.Abs(sample - true) >= rational(share) * z3.Abs(true) - z3.Abs(noise),
            *(level > 0, z3.Abs(true) > 4 * level, z3.Abs(sample + noise) <= level),
        ),
    )


@statement(
    "004 (6.61)",
    lines="8393-8396",
    kind="utility",
    printed="<= p sum sigma^2 P(|S - sigma| >= |sigma|/2, |sigma| > 4T) + p sum sigma^2 P(|N| >= "
    "|sigma|/4, |sigma| > 4T)",
    refuses={"3|sigma|/5 for |sigma|/2": {"half": "3/5"}, "|sigma|/3": {"quarter": "1/3"}},
    unchecked={
        "p": "a factor of both sides",
        "T": "|sigma| > 4T on both sides",
    },
)
def lost_by_sample_or_noise(half: str = "1/2", quarter: str = "1/4") -> Outcome:
    """Either |N| >= |sigma|/4 or what is left of 3|sigma|/4 is |sigma|/2."""
    d, e, true = reals("d e |sigma|")
    return for_all(
        z3.Or(d >= rational(half) * true, e >= rational(quarter) * true),
        *(true > 0, d >= 0, e >= 0, 4 * d >= 3 * true - 4 * e),
    )


@statement(
    "004 (6.64)",
    lines="8409-8417",
    kind="utility",
    printed="p sum sigma^2 P(|S - sigma| >= |sigma|/2, |sigma| >= 4 gamma sqrt(log(p)/n)) <= p/n "
    "sum n sigma^2 exp(-2 n sigma^2/gamma^2) I <= C p^3/n p^-16 = O(1/n)",
    checked="with C_1 = 2 before the exponential: C = 2 gamma^2/e, for all p >= 1",
    refuses={
        "exp(-3 n sigma^2/gamma^2)": {"rate": 3},
        "p^-17": {"power": 17},
        "C = gamma^2/e": {"constant": 1},
    },
    unchecked={
        "3": "p^3 p^-16 is p^-13 in the step",
    },
)
def lost_by_the_sample(rate: int = 2, power: int = 16, constant: int = 2) -> Outcome:
    """(6.14) at t = |sigma|/2 [step "tail"]; half of the exponent is 16 log p or more [step "far"].

    u exp(-u) <= 1/e, u = n sigma^2/gamma^2: the difference has the derivative (u - 1) exp(-u), and
    is 0 at 1 [step "near"]. p^2 entries, and p^3 p^-16 <= 1 [step "sum", C = 2 gamma^2/e].
    """
    n, size, gamma, p, u = symbols("n sigma gamma p u")
    tail = 2 * sp.exp(-8 * n * (size / 2) ** 2 / gamma**2)
    printed = 2 * sp.exp(-rate * n * size**2 / gamma**2)
    edge = 4 * gamma * sp.sqrt(sp.log(p) / n)
    gap = sp.exp(-1) - u * sp.exp(-u)
    worst = p * p**2 / n * 2 * gamma**2 * sp.exp(-1) * p**-16
    return derived(
        tail=identity((tail, printed)),
        far=identity((sp.exp(-n * edge**2 / gamma**2), p**-power)),
        near=identity((sp.diff(gap, u), (u - 1) * sp.exp(-u)), (gap.subs(u, 1), 0)),
        sum=identity((worst, constant * gamma**2 * sp.exp(-1) * p**-13 / n)),
    )
