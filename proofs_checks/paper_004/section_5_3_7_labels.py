"""Section 5.3.7: private labels, the lower bound of Theorem 5.3.10 and the noise of the labels."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Any

from proofs_checks.balls import ball, exp, log, ndtr, sqrt
from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement, twin
from proofs_checks.vocabulary import derived, exactly, for_all, rational, reals, refuted


@statement(
    "004 Lemma 5.3.14",
    lines="7201-7205",
    kind="approximation",
    printed="a subset of H(s) = {z in {-1, 0, 1}^p, ||z||_0 = s} has exp(s/2 log((p-s)/(s/2))) "
    "points at the Hamming distance s/2 at least",
    checked="for seven p <= 40 and s <= 2p/3, above which it is empty",
    refuses={
        "exp(s log((p-s)/(s/2)))": {"power": 2},
        "distance 3s/2": {"radius": 3},
    },
    unchecked={
        "H, z": "the steps have the numbers of such z, by overlap and signs",
        "s, p": "not checked: p beside the seven that are tried, each with every s <= 2p/3",
    },
)
def packing_number(power: int = 1, radius: int = 1) -> Outcome:
    """A maximal packing covers H(s): it has at least |H(s)|/|ball| points (Gilbert-Varshamov).

    For h < radius s/2 the ball is counted exactly by the supports' overlap and the signs there.
    """
    return exactly(_packings(power, radius), note="squares of the two sides")


def _packings(power: int, radius: int) -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
    """Yield (2(p-s)/s)^(power s) and the square of |H(s)|/|{z': h(z, z') < radius s/2}|."""
    for p in (2, 3, 5, 8, 12, 20, 40):
        for s in range(1, 2 * p // 3 + 1):
            inside = sum(
                number for distance, number in _at_distance(p, s) if 2 * distance < radius * s
            )
            total = comb(p, s) * 2**s
            yield (
                {"p": p, "s": s},
                Fraction(2 * (p - s), s) ** (power * s),
                Fraction(total, inside) ** 2,
            )


def _at_distance(p: int, s: int) -> Iterator[tuple[int, int]]:
    """Yield (h, number of z' in H(s) with h(z, z') = h made of moved supports and turned signs)."""
    for moved, turned in itertools.product(range(s + 1), range(s + 1)):
        if moved <= p - s and moved + turned <= s:
            number = comb(s, moved) * comb(p - s, moved) * 2**moved * comb(s - moved, turned)
            yield 2 * moved + turned, number


@statement(
    "004 (5.102)",
    lines="7209-7213",
    kind="lower bound",
    printed="8 delta^2 >= ||theta - theta'||^2 >= delta^2 for theta, theta' in the rescaled set",
    checked="for theta = delta sqrt(2/s) z, z in the set of Lemma 5.3.14",
    special_case_of="004 Proof of Theorem 5.3.10 (scaling)",
    refuses={"7 delta^2": {"eight": 7}, "2 delta^2": {"one": 2}},
    unchecked={
        "delta, theta, theta'": "||theta - theta'||^2 is 2 delta^2/s times squared",
    },
)
def distances(eight: int = 8, one: int = 1) -> Outcome:
    """||z - z'||^2 is at least h >= s/2 and at most 4 s, as h entries differ by 1 or 2 each."""
    s, squared = reals("s squared")
    given = (s >= 1, 2 * squared >= s, squared <= 4 * s)
    return derived(apart=for_all(z3.And(2 * squared >= one * s, 2 * squared <= eight * s), *given))


@statement(
    "004 Theorem 5.3.10",
    lines="6671-6675",
    kind="lower bound",
    printed="the epsilon non-interactive private minimax risk of P'_{s,p,C,f,a,b} is at least "
    "Omega(min{1, C^2 s log(p/s)/(n b^2 epsilon^2 (1 + Delta))}), epsilon in (0, 1/2]",
    checked="at least min{1/2, C^2 L/(76 n b^2 epsilon^2 (1 + Delta))}/32, L = (s/2) "
    "log(2(p - s)/s)",
    added="L >= 4 log 2; p >= 2s for L >= (s/2) log(p/s)",
    refuses={
        "1/31": {"share": 31},
        "C^2 L/(37 n b^2 ..)": {"scale": 37},
        "TV <= b |u|/(4C)": {"half": 4},
        "L >= 2 log 2": {"least": 2},
        "log(p/s) <= log((p - s)/s)": {"two": 1},
    },
    unchecked={
        "P'_{s,p,C,f,a,b}": "the class of laws, by name; the steps have two uniform laws of it",
    },
)
def private_labels(
    share: int = 32, scale: int = 76, half: int = 2, least: int = 4, two: int = 2
) -> Outcome:
    """Lemma 5.3.8 (c <= 19) with the packing of Lemma 5.3.14, 2 (delta/2)-separated.

    Two uniform laws on intervals of the width 2C that are h <= b |u| apart have TV = min{1, h/2C}
    [step "variation"]. Restricted isometry sums u^2 to n (1 + Delta) ||theta - theta'||^2 at most,
    which (5.102) bounds by 8 delta^2: with r = n epsilon^2 b^2 (1 + Delta)/C^2 the information is
    at most 19 r 8 delta^2/4. Phi(delta/2)/2 = delta^2/8 times the bracket [step "bracket"].
    """
    h, b, u, c = reals("h b u C")
    overlap = z3.If(h < 2 * c, h, 2 * c)  # 2C TV
    variation = half * overlap <= 2 * b * u
    r, d, size, log2, info = reals("r delta^2 L log2 I")
    p, s = reals("p s")
    bracket = share * d * (size - info - log2) >= 8 * d * size
    return derived(
        variation=for_all(variation, c > 0, h >= 0, h <= b * u, b > 0, u >= 0),
        bracket=for_all(
            bracket, d > 0, r > 0, log2 > 0, size >= least * log2, scale * r * d <= size,
            4 * info <= 19 * 8 * r * d,
        ),
        size=for_all(two * (p - s) >= p, s > 0, p >= 2 * s),
    )  # fmt: skip


twin(
    "004 Theorem 5.3.7",
    of="004 Theorem 5.3.10",
    lines="6553-6555",
    printed="the epsilon non-interactive private minimax risk of P'_{s,p,C} is at least "
    "Omega(min{1, C^2 s log(p/s)/(n epsilon^2 (1 + Delta))}), epsilon in (0, 1/2]",
    checked="as Theorem 5.3.10 with f(x) = x and a = b = 1",
    special_case_of=("004 Theorem 5.3.10",),
    unchecked={
        "P'_{s,p,C}": "the class of laws, by name; the steps have two uniform laws of it",
    },
)


@statement(
    "004 Proof of Theorem 5.3.10 (sum of TV^2)",
    lines="7219-7225",
    kind="lower bound",
    printed="sum_i avg ||P_{v,i} - P_{v',i}||_TV^2 <= 2 b^2 (1 + Delta) delta^2/C^2",
    false="misprint: a factor n is lost, and the bracket after it has it again",
    errata=("004 Proof of Theorem 5.3.10/E2",),
)
def variations_printed() -> Outcome:
    """b = C = 1, f(x) = x, x_i = (1, 1) or (1, -1) in turn (Delta = 0), theta_v = +-e_1 delta.

    delta^2 = 1/4 and n = 10: TV = min{1, 2 delta/(2C)} = 1/2 for v != v', half of the pairs, and
    the claim reads 10 (1/4)/2 <= 1/2.
    """
    return refuted({"n": 10, "delta": 0.5}, Fraction(10, 8), Fraction(1, 2), "sum of TV^2")


@variations_printed.corrected(
    "<= 2 n b^2 (1 + Delta) delta^2/C^2",
    refuses={
        "n b^2 (1 + Delta) delta^2/C^2": {"times": 1},
        "b (1 + Delta)": {"power": 1},
        "delta^2/C": {"width": 1},
    },
)
def variations(times: int = 2, power: int = 2, width: int = 2) -> Outcome:
    """The sum is at most b^2/(4C^2) n (1 + Delta) w for every pair, w <= 8 delta^2 by (5.102)."""
    n, b, c, rip, w, d, total = reals("n b C Delta w delta^2 total")
    claim = total * c**width <= times * n * b**power * (1 + rip) * d
    given = (n >= 1, b > 0, c > 0, rip >= 0, d > 0, w <= 8 * d, w >= 0)
    return derived(pairs=for_all(claim, *given, 4 * c * c * total <= b * b * n * (1 + rip) * w))


def _exact_delta(shift: str, noise: str, chance: str) -> Any:
    """delta at epsilon = 1 of N(0, t^2) moved by ``shift``, t = ``noise`` sqrt(2 ln(1.25/d))."""
    scale = ball(noise) * sqrt(2 * log(ball("1.25") / ball(chance)))
    mu = ball(shift) / scale
    return ndtr(mu / 2 - 1 / mu) - exp(ball(1)) * ndtr(-mu / 2 - 1 / mu)


@statement(
    "004 Theorem 5.3.6",
    lines="6543-6547",
    kind="privacy",
    printed="with tau^2 = 32 C^2 ln(1.25/delta)/epsilon^2 Label-LDP-IHT is (epsilon, delta)-LDP "
    "for the labels, epsilon <= 1; (5.78) bounds its error, Delta <= 2/7",
    false="the labels of the class range over +-(sqrt(s*) + C), not over an interval of 4C as the "
    "noise has it: right for C >= sqrt(s*) only",
    errata=("004 Theorem 5.3.6/E1",),
)
def label_noise_printed() -> Outcome:
    """s* = 1, C = .05, x_1 = 1: y = 1.05 from theta* = e_1 and y = -1.05 from theta* = -e_1."""
    found = _exact_delta("2.1", "0.2", "0.001")
    point = {"s*": 1, "C": 0.05, "epsilon": 1, "delta": 0.001}
    return refuted(point, found, ball("0.001"), "delta at epsilon = 1")


@label_noise_printed.corrected(
    "labels clipped to +-Y, Y = sqrt(s*) + C, and tau^2 = 8 Y^2 ln(1.25/delta)/epsilon^2; per step "
    "||Delta_t|| <= ||Delta_{t-1}||/2 + (7/4) e, so ||Delta_T|| <= 2^-T ||theta*|| + (7/2) e",
    refuses={
        "7 Y^2 ln(1.25/delta)": {"eight": 7},
        "Y = sqrt(s*)/2 + C": {"root": "1/2"},
        "+ 3 e": {"tail": "3"},
        "e/2": {"add": "1/2"},
    },
    unchecked={
        "T": "the number of steps; the bound is kept from one step to the next",
    },
)
def label_noise(eight: int = 8, root: str = "1", tail: str = "7/2", add: str = "7/4") -> Outcome:
    """The labels are at most 2Y apart, and tau^2 is what Definition 2.1.3 asks [step "noise"].

    Here log = ln(1.25/delta)/epsilon^2, d = ||Delta_{t-1}||, after = ||Delta_t||, start =
    ||theta*||.

    <x, theta> <= ||theta||_1 is at most r = sqrt(s*): |t| <= (r t^2 + 1/r)/2, summed over s*
    entries with ||theta|| <= 1 [step "range"].

    Of a step let w be its move before the truncation, less theta*, on the supports in play. Along
    w's direction u it is <u, (I - X^T X/n) Delta_{t-1}> and an error of at most e. The first is at
    most 2/7 of ||Delta_{t-1}||, as for unit vectors 4 <M u, v> is <M (u+v), u+v> - <M (u-v), u-v>
    and restricted isometry bounds both [steps "isometry", "before"]. The truncation keeps S and
    drops T - S of the support T of theta*: the dropped entries are not larger than the kept ones of
    S - T, a in length, so theta* has at most a + b there, b the length of w on T - S, where w has
    a on S - T and c on both [step "truncation": a factor of at most 7/4]. So a step contracts by
    1/2 up to (7/4) e [step "step"]; the errors add up to twice one of them [step "sum"].
    """
    r, square, l1, c, y, gap, log_term, tau = reals("r theta^2 l1 C Y gap log tau^2")
    d, before, after, e, power, start = reals("d before after e 2^-t start")
    rip, inner, plus, minus, added, taken, noise = reals("Delta inner M+ M- |u+v|^2 |u-v|^2 noise")
    a, b, kept, lost = reals("a b c |theta*|")
    norms = (r >= 1, square >= 0, square <= 1, 2 * l1 <= r * square + r, l1 >= 0)
    return derived(
        range=for_all(l1 + c <= rational(root) * r + c, *norms, c > 0),
        noise=for_all(
            tau >= 2 * gap * gap * log_term,
            y > 0, gap >= 0, gap <= 2 * y, log_term > 0, tau == eight * y * y * log_term,
        ),
        isometry=for_all(
            inner <= rip,
            rip >= 0, 4 * inner == plus - minus, plus <= rip * added, -minus <= rip * taken,
            added + taken == 4,
        ),
        before=for_all(
            before <= rational("2/7") * d + e,
            d >= 0, rip <= rational("2/7"), inner <= rip * d, noise <= e, before == inner + noise,
        ),
        truncation=for_all(
            16 * after * after <= 49 * before * before,
            a >= 0, b >= 0, kept >= 0, lost >= 0, lost <= a + b,
            after * after == kept * kept + a * a + lost * lost,
            before * before >= kept * kept + a * a + b * b,
        ),
        step=for_all(
            after <= d / 2 + rational(add) * e,
            d >= 0, e > 0, before >= 0, before <= rational("2/7") * d + e,
            after >= 0, 16 * after * after <= 49 * before * before,
        ),
        sum=for_all(
            d / 2 + rational("7/4") * e <= power * start / 2 + rational(tail) * e,
            power > 0, power <= 1, start >= 0, e > 0, d <= power * start + rational(tail) * e,
        ),
    )  # fmt: skip


label_noise_printed.restated(
    "004 (5.78)",
    lines="6545-6547",
    printed="||theta_T - theta*|| <= 2^-T ||theta*|| + O(C log(1/delta) sqrt(s* log p)/(sqrt(n) "
    "epsilon))",
)
