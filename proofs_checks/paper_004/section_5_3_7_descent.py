"""Section 5.3.7: the constants of the proof of Theorem 5.3.9 and the window of its step size."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs_checks.balls import ball, exp, log
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    symbols,
)


@statement(
    "004 Proof of Theorem 5.3.9 (s = 8 s*)",
    lines="7175-7185",
    kind="optimisation",
    printed="(|F| - s)/(|F| - s*) <= (s + s*)/(2s), its root is 3/4 for s = 8 s*, and "
    "(1 + 3/4) (2/7) = 1/2, for |F| <= 2s + s*",
    refuses={
        "s = 7 s*": {"multiple": 7},
        "|F| <= 2s + 2s*": {"extra": 2},
        "3/7 for 2/7": {"factor": "3/7"},
    },
)
def halving(multiple: int = 8, extra: int = 1, factor: str = "2/7") -> Outcome:
    """(f - s)/(f - s*) grows with f = |F| [step "ratio"]; sqrt(9/16) = 3/4 [step "half"]."""
    s, least, f = reals("s s_star f")
    ratio = 2 * s * (f - s) <= (s + least) * (f - least)
    root = rational("3/4")
    return derived(
        ratio=for_all(ratio, least > 0, s >= least, f > least, f <= 2 * s + extra * least),
        half=for_all(
            z3.And(
                (s + least) <= root * root * 2 * s,
                (1 + root) * rational(factor) <= rational("1/2"),
            ),
            least > 0,
            s == multiple * least,
        ),
    )


@statement(
    "004 Proof of Theorem 5.3.9 (step size for a = b = 1)",
    lines="7163-7169",
    kind="optimisation",
    printed="max{1 - eta (1 - Delta), eta (1 + Delta) - 1} <= 2/7 for eta in [5/(7 (1 - Delta)), "
    "9/(7 (1 + Delta))], nonempty if Delta <= 2/7",
    checked="besides, eta = 1 is in it for every Delta in [0, 2/7]",
    refuses={
        "Delta <= 3/7": {"most": "3/7"},
        "1/7": {"factor": "1/7"},
        "eta = 9/10": {"step": "9/10"},
    },
)
def window(most: str = "2/7", factor: str = "2/7", step: str = "1") -> Outcome:
    eta, rip = reals("eta Delta")
    contracts = z3.And(
        1 - eta * (1 - rip) <= rational(factor), eta * (1 + rip) - 1 <= rational(factor)
    )
    given = (rip >= 0, rip <= rational(most))
    lower, upper = 7 * eta * (1 - rip) >= 5, 7 * eta * (1 + rip) <= 9
    fixed = rational(step)
    return derived(
        contracts=for_all(contracts, *given, lower, upper),
        one=for_all(z3.And(7 * fixed * (1 - rip) >= 5, 7 * fixed * (1 + rip) <= 9), *given),
    )


@statement(
    "004 Proof of Theorem 5.3.9 (step size)",
    lines="7157-7171",
    kind="optimisation",
    printed="max{1 - eta a^2 (1 - Delta), eta b^2 (1 + Delta) - 1} <= 2/7 for eta in "
    "[5/(7 a (1 - Delta)), 9/(7 b^2 (1 + Delta))], nonempty if Delta <= (5a^2 - 9b^2)/14",
    false="misprint: 1/a^2 for 1/a; and 5a^2 - 9b^2 < 0 for every a <= b",
    errata=("004 Proof of Theorem 5.3.9/E1",),
)
def window_printed() -> Outcome:
    """a = b = 1/2, Delta = 0: the window is [10/7, 36/7], and eta = 10/7 contracts by 9/14."""
    contraction = 1 - Fraction(10, 7) / 4
    return refuted({"a": 0.5, "b": 0.5, "eta": 10 / 7}, contraction, Fraction(2, 7), "contraction")


@window_printed.corrected(
    "for eta in [5/(7 a^2 (1 - Delta)), 9/(7 b^2 (1 + Delta))], nonempty iff Delta <= "
    "(9a^2 - 5b^2)/(9a^2 + 5b^2); eta = (9a^2 + 5b^2)/(14 a^2 b^2) is always in it",
    refuses={
        "1/7": {"factor": "1/7"},
        "Delta <= (9a^2 - 4b^2)/(9a^2 + 5b^2)": {"least": 4},
        "(9a^2 + 4b^2)/(14 a^2 b^2)": {"step": 4},
        "Delta <= (9a^2 - 5b^2)/14": {"whole": True},
    },
)
def general_window(
    factor: str = "2/7", least: int = 5, step: int = 5, whole: bool = False
) -> Outcome:
    """What is in the window contracts [step "contracts"]; A = a^2 and B = b^2.

    The step is in it [step "inside"], and for a larger Delta no step is [step "empty"].
    """
    eta, rip, a, b = reals("eta Delta A B")
    worst = z3.And(1 - eta * a * (1 - rip) <= rational(factor),
                   eta * b * (1 + rip) - 1 <= rational(factor))  # fmt: skip
    lower, upper = 7 * eta * a * (1 - rip) >= 5, 7 * eta * b * (1 + rip) <= 9
    given = (a > 0, b >= a, rip >= 0, rip < 1)
    room = rip * 14 <= 9 * a - 5 * b if whole else rip * (9 * a + 5 * b) <= 9 * a - least * b
    beyond = rip * (9 * a + 5 * b) > 9 * a - 5 * b
    return derived(
        contracts=for_all(worst, *given, lower, upper),
        inside=for_all(z3.And(lower, upper), *given, room, 14 * eta * a * b == 9 * a + step * b),
        empty=for_all(z3.Or(z3.Not(lower), z3.Not(upper)), *given, beyond),
    )


for _number, _line, _printed in (
    ("(5.98)", "7131", "A^{t-1}: the part of the step without noise"),
    ("(5.99)", "7133", "B^{t-1}: the part with the noise sigma_i"),
    ("(5.100)", "7135", "C^{t-1}: the part with the noise of the randomizer"),
):
    not_checkable(
        f"004 {_number}", lines=_line, kind="definition", printed=_printed, reason="notation"
    )


def _of_coordinates(
    name: str, multiple: int, proxy: Any, positive: tuple[Any, ...], twice: int
) -> Outcome:
    """Bound eta times the norm of 2s + s* coordinates at most, of squares t^2 at most.

    t^2 is ``multiple`` (proxy/n) log p, and ``positive`` says that the parts of the proxy are.
    """
    whole, eta, s, least, log_p, size, square, n = reals(f"{name} eta s s* log_p size t^2 n")
    return for_all(
        n * whole * whole <= multiple * eta * eta * (twice * s + least) * log_p * proxy,
        *(n >= 1, whole >= 0, eta > 0, s >= 1, least >= 1, log_p > 0, size >= 0, *positive),
        *(eta * eta * size * square >= whole * whole, size <= 2 * s + least),
        n * square == multiple * proxy * log_p,
    )


@statement(
    "004 (5.101)",
    lines="7137-7143",
    kind="concentration",
    printed="the coordinates of (T/n) sum f' sigma_i x_i are sub-Gaussian with T b^2 C^2/n, so "
    "B^t <= eta sqrt(2s + s*) O(sqrt(T log p) b C/sqrt n) with probability 1 - p^-c",
    checked="the proxy, and 2p e^(-t^2/(2 sigma^2)) <= p^-1 at t^2 = 6 sigma^2 log p, p >= 2",
    refuses={
        "b C^2": {"power": 1},
        "without T": {"blocks": 0},
        "t^2 = 5 sigma^2 log p": {"six": 5},
        "sqrt(s + s*)": {"twice": 1},
    },
    unchecked={
        "f', sigma_i, x_i": "the steps have f'^2 sigma_i^2 <= b^2 C^2, and x_i has signs",
        "c": "a constant of no claimed value, 1 in the steps",
    },
)
def observation_noise(power: int = 2, blocks: int = 1, six: int = 6, twice: int = 2) -> Outcome:
    """A block has n/T records with f'^2 sigma_i^2 <= b^2 C^2 each [step "proxy"].

    theta_{t-1} is independent of the block, given which x_i is symmetric. Lemma 5.3.2 gives 2 p
    p^(-3) <= p^-1 for p >= 2 [step "tail"], e^(-t^2/(2 sigma^2)) being p^(-six/2). B^t is eta times
    the norm of at most 2s + s* coordinates, each t at most [step "coordinates"].
    """
    n, steps, b, c, m, each, total, w = reals("n T b C m each total p")
    positive = (steps >= 1, b > 0, c > 0)
    proxy = total * n <= steps**blocks * b**power * c * c
    tail = 4 * w**4 <= w**six  # squares of 2 p^2 <= p^(six/2)
    return derived(
        proxy=for_all(
            proxy,
            n >= 1, steps >= 1, m * steps == n, b > 0, c > 0, each >= 0, each <= b * b * c * c,
            total * n * n == steps * steps * m * each,
        ),
        tail=for_all(tail, w >= 2),
        coordinates=_of_coordinates("B^t", 6, steps * b * b * c * c, positive, twice),
    )  # fmt: skip


@statement(
    "004 Proof of Theorem 5.3.9 (randomizer)",
    lines="7111, 7145",
    kind="concentration",
    printed="the coordinates of zeta_t are sub-Gaussian with O(b C p T/(n epsilon^2)), so C^t <= "
    "eta sqrt(2s + s*) O(sqrt(T p b C log p)/(sqrt n epsilon))",
    checked="at the printed r = b C sqrt p, by Lemma 5.3.1",
    false="misprint: b^2 C^2; (5.76) has the factor C outside of the root",
    errata=("004 Proof of Theorem 5.3.9/E2",),
)
def randomizer_noise_printed() -> Outcome:
    """b C = 1e6, p = T = n = epsilon = 1 and a constant of 1000; r^2 is at most the variance.

    The variance of a coordinate at x = 0 is r^2 coth^2(epsilon/2) k_p >= r^2.
    """
    return refuted({"b C": 1e6, "constant": 1000, "others": 1}, 10**12, 1000 * 10**6, "variance")


@randomizer_noise_printed.corrected(
    "r^2 T/(n epsilon^2) times the constant of Lemma 5.3.1, b^2 C^2 p T/(n epsilon^2) at that r",
    refuses={"b C": {"power": 1}, "T^2": {"blocks": 2}, "without p": {"dims": 0}},
)
def randomizer_noise(power: int = 2, blocks: int = 1, dims: int = 1) -> Outcome:
    """The mean of n/T independent messages of variance proxy r^2/epsilon^2 each."""
    b, c, p, steps, n, epsilon = symbols("b C p T n epsilon")
    r = b * c * sp.sqrt(p)
    mean = (n / steps) * (r / epsilon) ** 2 / (n / steps) ** 2
    claimed = (b * c) ** power * p**dims * steps**blocks / (n * epsilon**2)
    return derived(mean=identity((mean, claimed)))


@statement(
    "004 (5.103)",
    lines="7257-7263",
    kind="concentration",
    printed="the coordinates of (1/n) sum f' sigma_i x_i are sub-Gaussian with b^2 C^2/n, so B^t "
    "<= O(eta sqrt(2s + s*) sqrt(log p) b C/sqrt n) with probability 1 - 2 p^-c",
    checked="for fixed x_i and independent sigma_i of mean 0 in [-C, C]; 2p e^(-t^2/(2 proxy)) <= "
    "2 p^-1 at t^2 = 4 proxy log p",
    added="E sigma_i = 0, which (5.77) leaves out",
    undecided="a theta_t that depends on the sigma_i, as it does but in the linear model, where "
    "f' = 1",
    refuses={
        "b C^2/n": {"power": 1},
        "b^2 C^2/n^2": {"records": 2},
        "t^2 = 3 proxy log p": {"four": 3},
        "sigma_i in [-2C, 2C]": {"width": 2},
        "sqrt(s + s*)": {"twice": 1},
    },
    unchecked={
        "f', sigma_i, x_i": "f' sigma_i x_ij is any term in an interval of the length 2 b C",
        "c": "a constant of no claimed value, 1 in the steps",
    },
)
def label_noise(
    power: int = 2, records: int = 1, four: int = 4, width: int = 1, twice: int = 2
) -> Outcome:
    """A term f' sigma_i x_ij lies in an interval of the length 2 b C and has mean 0.

    By Hoeffding's lemma (as in the check of Lemma 7.1.2) it is sub-Gaussian with the square of that
    length over 4 [step "interval"], and n of them over n^2 add up to b^2 C^2/n [step "proxy"].
    Lemma 5.3.2 gives 2 p p^-2 [step "tail", e^(-t^2/(2 proxy)) being p^(-four/2), in squares]. B^t
    is eta times the norm of at most 2s + s* coordinates, each t at most [step "coordinates"].
    """
    b, c, length, each, total, n, p = reals("b C length each total n p")
    return derived(
        interval=for_all(
            4 * each <= 4 * b * b * c * c,
            *(b > 0, c > 0, length >= 0, length <= 2 * width * b * c, 4 * each == length * length),
        ),
        proxy=for_all(
            total * n**records <= b**power * c * c,
            *(n >= 1, b > 0, c > 0, each <= b * b * c * c, total * n == each),
        ),
        tail=for_all(4 * p**4 <= 4 * p**four, p >= 1),
        coordinates=_of_coordinates("B^t", 4, b * b * c * c, (b > 0, c > 0), twice),
    )


@statement(
    "004 (5.104)",
    lines="7267-7273",
    kind="concentration",
    printed="sum z_i^2 <= 5 tau^2 n with probability 1 - e^-n, so C^t <= eta sqrt(2s + s*) "
    "O(b sqrt(log p) tau/sqrt n)",
    checked="the proxy of (1/n) sum f' z_i x_i given z",
    undecided="a theta_t that depends on z, as it does but in the linear model, where f' = 1",
    refuses={
        "4 tau^2 n": {"five": 4},
        "tau^2 b^2/n": {"proxy": 1},
        "sqrt(s + s*)": {"twice": 1},
    },
    unchecked={
        "z_i": "the steps have the sum of the z_i^2",
    },
)
def label_noise_sum(five: int = 5, proxy: int = 5, twice: int = 2) -> Outcome:
    """Lemma 5.3.6 at x = n: n + 2 n + 2 n [step "sum"]; b^2 sum z_i^2/n^2 [step "proxy"].

    C^t is eta times the norm of at most 2s + s* coordinates, each t at most [step "coordinates"].
    """
    n, total, b, variance, squares = reals("n chi b tau^2 sum")
    return derived(
        sum=for_all(total <= five * n, n >= 1, total <= n + 2 * n + 2 * n),
        proxy=for_all(
            b * b * squares <= proxy * b * b * variance * n,
            n >= 1, b > 0, variance > 0, squares >= 0, squares <= 5 * variance * n,
        ),
        coordinates=_of_coordinates("C^t", 4, 5 * b * b * variance, (b > 0, variance > 0), twice),
    )  # fmt: skip


@statement(
    "004 Proof of Theorem 5.3.11 (rate)",
    lines="7279-7285",
    kind="utility",
    printed="by (5.103) and (5.104) ||theta_{t+1/2} - theta*|| <= (2/7) ||Delta_t|| + "
    "O(sqrt((2s + s*) log p) log(1/delta) b C/(n epsilon))",
    checked="the step from (5.104), tau^2 = 32 C^2 log(1.25/delta)/epsilon^2",
    false="misprint: sqrt n, as the theorem has it; and log(1/delta) for sqrt(log(1.25/delta))",
    errata=("004 Proof of Theorem 5.3.11/E1",),
)
def rate_printed() -> Outcome:
    """n = 1e12, delta = 1/e, all else 1 and a constant of 1000: tau/sqrt n against 1000/n."""
    left = ball(32).sqrt() * log(ball("1.25") * exp(ball(1))).sqrt() / 10**6
    return refuted({"n": 1e12, "delta": 0.3679, "others": 1}, left, ball(1000) / 10**12, "noise")


@rate_printed.corrected(
    "O(eta sqrt((2s + s*) log p) b C sqrt(log(1.25/delta))/(sqrt n epsilon))",
    refuses={"n": {"root": 1}, "log(1.25/delta)": {"logs": 1}, "C^2": {"power": 2}},
    unchecked={
        "eta, s, s*, p": "the factor eta sqrt((2s + s*) log p) of (5.104), kept as it is",
    },
)
def rate(root: str | int = "1/2", logs: str | int = "1/2", power: int = 1) -> Outcome:
    """tau for its value in (5.104), with l = log(1.25/delta)."""
    c, ell, epsilon, n, b = symbols("C l epsilon n b")
    tau = sp.sqrt(32 * c**2 * ell) / epsilon
    claimed = b * c**power * ell ** sp.Rational(logs) / (n ** sp.Rational(root) * epsilon)
    return derived(noise=identity((b * tau / sp.sqrt(n), sp.sqrt(32) * claimed)))
