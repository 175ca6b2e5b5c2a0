"""Section 6.2.5: Assouad's lemma for private views, and why the chi-square version fails."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from mpmath import mp

from proofs_checks.balls import Ball, ball, exp, log, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement, twin
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    less,
    precisely,
    rational,
    reals,
    refuted,
    symbols,
)

VIEWS = "the laws of n views, by name; the steps have their variation"
BITS = "the sum over r bits by alpha/4 is that of Theorem 6.2.4"

# ------------------------------------------------------------------ Assouad's lemma, as it is


@statement(
    "004 Lemma 6.2.4",
    lines="8029-8033",
    kind="lower bound",
    printed="(6.26): the minimax risk is at least alpha/4 sum_j [1 - ||P^n_{j,+1} - "
    "P^n_{j,-1}||_TV], alpha = min_{H >= 1} Phi(rho(theta_v, theta_v'))/(2 H(v, v'))",
    added="Phi is the square, as everywhere in the section, and rho a metric",
    refuses={"alpha/3": {"constant": "1/3"}, "without the 2 of alpha": {"separation": 4}},
    unchecked={
        "Phi, rho": "Phi is the square and rho any distance; the steps have near, far and between",
    },
)
def assouad(constant: str = "1/4", separation: int = 2) -> Outcome:
    """Let v~ be the vertex nearest to an estimate, H how many bits of it are wrong.

    It is at most twice as far from the truth as the estimate, so that 4 times the loss is at least
    2 alpha H [step "nearest"]. A bit is a test: where it is right for one hypothesis it is wrong
    for the other, and its two errors add up to sum min(p, q) = 1 - TV at least [step "test", an
    outcome; step "variation"]. So E H is at least half of the sum of 1 - TV [step "bits"].
    """
    near, far, between = reals("near far between")
    p, q, tested = reals("p q tested")
    least = z3.If(p >= q, q, p)
    alpha, wrong, loss, left = reals("alpha H loss sum(1-TV)")
    return derived(
        nearest=for_all(
            between**2 <= 4 * far**2, near >= 0, near <= far, between >= 0, between <= near + far
        ),
        test=for_all(
            tested * q + (1 - tested) * p >= least, p >= 0, q >= 0, tested >= 0, tested <= 1
        ),
        variation=for_all(least == (p + q - z3.Abs(p - q)) / 2),
        bits=for_all(
            4 * loss >= 4 * rational(constant) * alpha * left,
            *(alpha > 0, left >= 0, 2 * wrong >= left),
            4 * loss * separation >= 2 * 2 * alpha * wrong,
        ),
    )


twin(
    "004 Lemma 6.2.5",
    of="004 Lemma 6.2.4",
    lines="8043-8053",
    printed="the same for T = V x Lambda, with mixtures over Lambda; alpha is over H > 1",
    checked="as Lemma 6.2.4: the bits v(tau) are tested under mixtures",
    misprint="H > 1 for H >= 1, which Lemma 6.2.4 has",
    unchecked={
        "T, V, x, Lambda": "mixtures over Lambda are laws like any other, p and q in the steps",
    },
)
twin(
    "004 Theorem 6.2.4",
    of="004 Lemma 6.2.4",
    lines="8059-8063",
    printed="(6.29): the private minimax risk is at least alpha/4 sum_j [1 - ||M^n_{j,+1} - "
    "M^n_{j,-1}||_TV]",
    checked="as Lemma 6.2.4: the estimator sees the views, whose laws are the M^n",
)


# ------------------------------------------------------------------- what private views tell


@statement(
    "004 Lemma 6.2.12",
    lines="8461-8473",
    kind="lower bound",
    printed="chi^2(M_+ || M_-) <= min{4, e^(2 epsilon)} (e^epsilon - 1)^2 ||P_+ - P_-||_TV^2",
    checked="with 1 for min{4, e^(2 epsilon)}",
    refuses={
        "min{.95, ..}": {"factor": "0.95"},
        "(e^epsilon - 1)^3": {"power": 3},
        "TV^3": {"variation": 3},
    },
    unchecked={
        "M": "the law of a view; the steps have the probabilities of one z, other under M_-",
    },
)
def contracted(factor: str = "1", power: int = 2, variation: int = 2) -> Outcome:
    """A view z has probability q(z|x) in [m, m e^epsilon], m its least over x.

    Its two probabilities differ by (max - min) TV <= m (e^epsilon - 1) TV [step "moved"], and M_-
    is at least m: its term of chi^2 is at most m (e^epsilon - 1)^2 TV^2 [step "term"], and the m
    add up to 1 at most. Randomized response of odds 1.01 nearly attains it [step "attained"]. Here
    gain = e^epsilon - 1.
    """
    gain, least, high, low, distance, other = reals("gain m high low TV other")
    change = reals("change")

    def responses() -> Iterator[tuple[dict[str, Any], Any, Any]]:
        for odds, gap in itertools.product(("1.01", "1.5", "4"), ("0.1", "0.5", "1")):
            e, apart = mp.mpf(odds), mp.mpf(gap)
            plus, minus = (1 + apart) / 2, (1 - apart) / 2
            first, second = ((p * e + 1 - p) / (1 + e) for p in (plus, minus))
            chi = (first - second) ** 2 * (1 / second + 1 / (1 - second))
            bound = mp.mpf(factor) * (e - 1) ** power * apart**variation
            yield {"odds": odds, "TV": gap}, chi, bound

    return derived(
        moved=for_all(
            (high - low) * distance <= least * gain * distance,
            *(least > 0, gain > 0, distance >= 0, low >= least, high <= least * (1 + gain)),
        ),
        term=for_all(
            change**2 <= rational(factor) * least * gain**power * distance**variation * other,
            *(least > 0, other >= least, gain > 0, distance >= 0, change >= 0),
            change <= least * gain * distance,
        ),
        attained=precisely(responses, note="randomized response"),
    )


@statement(
    "004 (6.69)",
    lines="8453-8457",
    kind="lower bound",
    printed="min{4, e^(2 epsilon)} (e^epsilon - 1)^2 TV^2 <= min{2, e^(2 epsilon)/2} epsilon^2 "
    "chi^2 <= epsilon^2 chi^2 for epsilon <= ln(2)/2, by Pinsker's inequality",
    checked="with TV^2 <= chi^2/4; Pinsker's inequality alone gives TV^2 <= chi^2/2",
    refuses={"TV^2 <= chi^2/2": {"part": "1/2"}, "TV^2 <= chi^2/5": {"part": "1/5"}},
    unchecked={
        "epsilon": "the step has the factor at ln(2)/2, where it is largest",
        "chi": "chi^2 is d^2/(q (1 - q)) in the step",
    },
)
def factor_at_small_epsilon(part: str = "1/4") -> Outcome:
    """(sum |p - q|)^2 <= sum (p - q)^2/q, over two parts of the space [step "variation", TV = d].

    (e^epsilon - 1)/epsilon grows, so the factor of chi^2/epsilon^2 is largest at epsilon =
    ln(2)/2 [step "largest"].
    """
    d, q = reals("d q")  # P and Q differ by d on a part of probability q under Q
    end = log(ball(2)) / 2
    share = rational(part)
    return derived(
        variation=for_all(d * d * q * (1 - q) <= share * d * d, q > 0, q < 1),
        largest=less(exp(2 * end) * (exp(end) - 1) ** 2 * ball(part) / end**2, ball(1)),
    )


# ------------------------------------------------------------ the chi-square version is false


@statement(
    "004 (6.67)",
    lines="8451",
    kind="lower bound",
    printed="chi^2(M^n || M'^n) = chi^2(M || M')^n",
    false="1 + chi^2 is multiplicative",
    errata=("diss-6.2-HARD/E1",),
)
def power_of_chi_square() -> Outcome:
    """Bern(3/4) against Bern(1/4), n = 2, by enumeration."""
    laws = ({1: Fraction(3, 4), 0: Fraction(1, 4)}, {1: Fraction(1, 4), 0: Fraction(3, 4)})
    one = sum((laws[0][x] - laws[1][x]) ** 2 / laws[1][x] for x in (0, 1))
    two = Fraction(0)
    for x, y in itertools.product((0, 1), repeat=2):
        first, second = (law[x] * law[y] for law in laws)
        two += (first - second) ** 2 / second
    return refuted(
        {"M": 0.75, "M'": 0.25, "n": 2}, two, one**2, "chi^2 of pairs, and of one, squared"
    )


@power_of_chi_square.corrected(
    "1 + chi^2(M^n || M'^n) = (1 + chi^2(M || M'))^n",
    refuses={"chi^2": {"shift": 0}},
    unchecked={
        "chi, M, M'": "the step has two pairs of laws of two outcomes, and their 1 + chi^2",
        "n": "2 in the step, and so any n by induction",
    },
)
def one_more_than_chi_square(shift: int = 1) -> Outcome:
    """1 + chi^2 is the sum of p^2/q; over pairs it is the product of the two sums.

    For two different pairs of laws of two outcomes, so by induction for n.
    """
    names = sp.symbols("p q s t", positive=True)
    (p, q, s, t) = names

    def ratio(first: Any, second: Any) -> Any:
        return (first - second) ** 2 / second + (first - second) ** 2 / (1 - second)

    pairs = sum(
        (a * c - b * d) ** 2 / (b * d)
        for (a, b), (c, d) in itertools.product(((p, q), (1 - p, 1 - q)), ((s, t), (1 - s, 1 - t)))
    )
    return identity((pairs + shift, (ratio(p, q) + shift) * (ratio(s, t) + shift)))


@statement(
    "004 Proof of Theorem 6.2.6 (product)",
    lines="8447",
    kind="lower bound",
    printed="M^n_{j,a} = (int Q(.|x) dP_{j,a})^(x n)",
    false="P^n_{j,a} is a mixture of products, which is no product",
    errata=("diss-6.2-HARD/E2",),
)
def mixture_of_products() -> Outcome:
    """Half Bern(9/10), half Bern(1/10), and views that are the records: P(0, 0) at n = 2."""
    chances = (Fraction(9, 10), Fraction(1, 10))
    mixture = sum(p**2 for p in chances) / 2
    product = (sum(chances) / 2) ** 2
    return refuted({"n": 2, "laws": [0.9, 0.1]}, mixture, product, "P(0, 0), mixture and product")


@mixture_of_products.corrected(
    "M^n_{j,a} is the mean of the products, and the variation of means at most the mean of the "
    "variations",
    refuses={"half the mean": {"share": "1/2"}},
    unchecked={
        "M, n_{j,a}": "the step has x and y, what two of the products differ by",
    },
)
def mean_of_products(share: str = "1") -> Outcome:
    """For two laws of equal weight, outcome by outcome; it is attained for y = x."""
    x, y = reals("x y")
    return for_all(z3.Abs(x + y) / 2 <= rational(share) * (z3.Abs(x) + z3.Abs(y)) / 2)


def _claimed(n: int) -> Ball:
    """The bound of (6.31) on the family of the counterexample, epsilon = .3: chi^2 is 4/3."""
    alpha, r = ball("1/8"), 2
    return r * alpha / 4 * (1 - sqrt((ball("0.09") * 4 / 3) ** n / 2))


def _attained(n: int) -> Ball:
    """Risk of randomized response with epsilon/2 per coordinate: 2/(4 n tanh(epsilon/4)^2)."""
    odds = exp(ball("0.15"))
    scale = (odds - 1) / (odds + 1)
    return 1 / (2 * n * scale**2)


def _counterexample() -> Outcome:
    n = 10_000
    point = {"r": 2, "epsilon": 0.3, "n": n, "P_v": "Bern(1/2 + v_1/4) x Bern(1/2 + v_2/4)"}
    return refuted(point, _claimed(n), _attained(n), "claimed lower bound, and a risk attained")


@statement(
    "004 Theorem 6.2.6",
    lines="8075-8079",
    kind="lower bound",
    printed="(6.31): for epsilon <= ln(2)/2 the non-interactive risk is at least r alpha/4 min_j "
    "(1 - sqrt((epsilon^2 chi^2(P_{j,+1} || P_{j,-1}))^n/2))",
    false="by (6.67); the bound stays while the risk falls like 1/n",
    errata=("diss-6.2-HARD/E1", "diss-6.2-HARD/E2"),
)
def chi_square_assouad() -> Outcome:
    """Two coins with the chances 1/2 +- 1/4, squared l2 loss.

    Vertices that differ in H bits are H/4 apart, so alpha = 1/8; P_{j,+1} and P_{j,-1} differ in
    one coin, chi^2 = 4/3. A user answers about each coin by randomized response with epsilon/2,
    (1 + e^(-epsilon/2))^-1 right; unbiased estimates have variance 1/(4 n tanh(epsilon/4)^2) at
    most.
    """
    return _counterexample()


def _linear_bound(power: int = 1, half: str = "1/2", epsilons: int = 2) -> Outcome:
    """TV^2 <= KL(M^n)/2 (Pinsker, cited), KL adds up over independent views, and KL <= chi^2.

    KL <= log(1 + chi^2) (Jensen) and log(1 + x) <= x [step "logarithm"]; chi^2(M) is at most
    epsilon^2 chi^2(P) by Lemma 6.2.12 and (6.69) [step "views"]. So TV^2 <= n epsilon^2 chi^2/2
    [step "sum"], and so it is for randomized response of coins [step "coins"].
    """
    n, chi, epsilon, user = symbols("n chi epsilon i")

    def coins() -> Iterator[tuple[dict[str, Any], Any, Any]]:
        for size, e in itertools.product((1, 5, 40, 200), (0.05, 0.1, 0.3)):
            chance = [
                (mp.exp(e) * p + 1 - p) / (1 + mp.exp(e)) for p in (mp.mpf("0.75"), mp.mpf("0.25"))
            ]
            gap = mp.mpf(0)
            for k in range(size + 1):
                ways = math.comb(size, k)
                first, second = (ways * c**k * (1 - c) ** (size - k) for c in chance)
                gap += abs(first - second) / 2
            allowed = size**power * mp.mpf(e) ** epsilons * mp.mpf(4) / 3
            yield {"n": size, "epsilon": e}, gap**2, allowed * mp.mpf(sp.Rational(half))

    value = sp.Symbol("v", positive=True)
    gap = value - sp.log(1 + value)
    return derived(
        logarithm=identity((gap.subs(value, 0), 0), (sp.diff(gap, value), value / (1 + value))),
        views=factor_at_small_epsilon_check(),
        sum=identity(
            (sp.Sum(epsilon**2 * chi, (user, 1, n)) / 2, sp.Rational(half) * n**power
             * epsilon**epsilons * chi),
        ),
        coins=precisely(coins, note="two coins"),
    )  # fmt: skip


factor_at_small_epsilon_check = factor_at_small_epsilon.of_printed.check  # type: ignore[union-attr]

LINEAR: dict[str, dict[str, Any]] = {
    "without n": {"power": 0},
    "n epsilon^2 chi^2/3": {"half": "1/3"},
    "epsilon^3": {"epsilons": 3},
}


@chi_square_assouad.corrected(
    "r alpha/4 min_j (1 - sqrt(n epsilon^2 chi^2(P_{j,+1} || P_{j,-1})/2)) where the M^n_{j,a} are "
    "products",
    refuses=LINEAR,
    unchecked={
        "r, alpha": BITS,
        "M, n_{j,a}": VIEWS,
    },
)
def linear_assouad(power: int = 1, half: str = "1/2", epsilons: int = 2) -> Outcome:
    """Theorem 6.2.4 with the variation of :func:`_linear_bound`."""
    return _linear_bound(power, half, epsilons)


twin(
    "004 Remark 6.2.1",
    of="004 Theorem 6.2.6",
    lines="8085-8089",
    printed="Theorem 6.2.6 is stronger than earlier bounds: it depends exponentially on n",
    fails=True,
    special_case_of=("004 Theorem 6.2.6",),
)


@statement(
    "004 Corollary 6.2.2",
    lines="8097-8107",
    kind="lower bound",
    printed="(6.33): at least r alpha/4 min_j (1 - sqrt(epsilon^(2n)/2 Average (chi^2(P-bar_{j,+1} "
    "|| P-bar_{j,-1}))^n))",
    false="by (6.67), as Theorem 6.2.6",
    errata=("004 Corollary 6.2.2/E1",),
)
def conditional_assouad() -> Outcome:
    """The same family: with the other coin's chance given, chi^2 is 4/3 as well."""
    return _counterexample()


@conditional_assouad.corrected(
    "r alpha/4 min_j (1 - Average sqrt(n epsilon^2 chi^2/2)) where the conditional M^n are "
    "products",
    refuses=LINEAR,
    unchecked={
        "r, alpha": BITS,
        "M": VIEWS,
    },
)
def linear_conditional_assouad(power: int = 1, half: str = "1/2", epsilons: int = 2) -> Outcome:
    """The variation of means is at most the mean of the variations; see :func:`_linear_bound`."""
    return _linear_bound(power, half, epsilons)
