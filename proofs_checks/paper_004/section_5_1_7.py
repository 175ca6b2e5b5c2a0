"""Section 5.1.7: the Bernstein mechanism that sends the index of a public number.

p_t = f_v(y_t)/(2 f_0(y_t)), f_v the density of v + Lap(1/epsilon), is the probability that a user
with the value v in [0, 1] takes the public y_t into H; g is uniform on H, or on [T] if H is empty.
p'_t is another value's, g = e^epsilon, q_t = g p_t; T is the number of candidates.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any

from proofs_checks.balls import ball, exp
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    exactly,
    for_all,
    identity,
    less,
    nonnegative,
    rational,
    reals,
    refuted,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-5.1.37",))


def _chosen(chances: tuple[Fraction, ...]) -> list[Fraction]:
    """Return P(g = t) for every t, over all sets H."""
    size = len(chances)
    found = [Fraction(0)] * size
    for taken in product((0, 1), repeat=size):
        weight = Fraction(prod(p if b else 1 - p for p, b in zip(chances, taken, strict=True)))
        inside = [t for t in range(size) if taken[t]] or list(range(size))
        for t in inside:
            found[t] += weight / len(inside)
    return found


def _ratios(times: int) -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
    """Yield P(g = t) for a value and e^(times epsilon) P(g = t) for another, at e^epsilon = 5/4."""
    odds = Fraction(5, 4)
    half = Fraction(1, 2)
    for size in (1, 2, 3, 5):
        for kinds in product((0, 1, 2), repeat=min(size, 3)):
            # y <= 0, in the middle, and y >= 1: the chances of v = 0 and v = 1
            low, high = [], []
            for kind in (*kinds, *[2] * (size - len(kinds))):
                low.append(half)
                high.append((half / odds, half, half * odds)[kind])
            for mine, theirs in ((low, high), (high, low)):
                first, second = _chosen(tuple(mine)), _chosen(tuple(theirs))
                for t in range(size):
                    yield {"T": size, "t": t}, first[t], odds**times * second[t]


@statement(
    "004 Theorem 5.1.12 (privacy)",
    lines="5557, 5567-5580",
    kind="privacy",
    printed="for epsilon <= 1/4 Algorithm 5.1.37 is 10 epsilon-LDP",
    checked="10 epsilon for every T; at e^epsilon = 5/4, T <= 5 and extreme y it is 2 epsilon",
    refuses={
        "2 epsilon by the same steps": {"exponent": 2},
        "epsilon": {"thinnings": 1, "times": 1},
        "epsilon <= 1": {"largest": "1"},
        "values in [0, 2]": {"width": 2},
    },
)
def index_privacy(
    exponent: int = 10,
    largest: str = "1/4",
    width: int = 1,
    thinnings: int = 2,
    times: int = 2,
) -> Outcome:
    """p_t is in [1/(2g), g/2], so that step 9 changes nothing, and p_t <= g p'_t [step "moves"].

    P(g = t) = p_t E 1/(1 + B) + (1/T) prod (1 - p_s), B the number of the others in H.

    B is a thinning by 1/g of the same number for q, q_s <= g^2/2 <= 1 [step "chances"]; of b others
    1 + Bin(b, theta) has the mean inverse (1 - (1-theta)^(b+1))/((b+1) theta) [step "thinned", the
    integral of (1 - theta + theta u)^b over u in [0, 1]], at most g/(1+b) at theta = 1/g [step
    "inverse"]. As p'_s <= q_s and 1/(1+b) falls with b, E 1/(1+B) <= g E' 1/(1+B): the first part
    is at most g^2 times that of p' [step "first"].

    The second part is prod (1 - p_s)/(1 - p'_s) <= R^T times that of p', R = 1/(2 - g) [step
    "ratio"], and prod (1 - p'_s) <= (1 - 1/(2g))^T. By Jensen's inequality the first part of p' is
    at least p'_t/(1 + (T-1) g/2) >= 1/(g (2 + (T-1) g)), so that the share w of the second is at
    most (1 - 1/(2g))^T g^2 (T+1)/T [step "share"]. Together the ratio is at most g^2 + w (R^T - 1),
    and R^T - 1 <= T (R - 1) R^(T-1) [step "power", from T to T + 1] gives g^2 (1 + (T+1) x^T
    (R-1)/R), x = (1 - 1/(2g)) R, (R-1)/R = g - 1 [step "product"]. (T+1) x^T is at most the sum of
    x^j, 1/(1-x), and x is at most that of epsilon = 1/4 [step "x", in g]: (1 + 6.8 (g-1)) g^2 <=
    g^10 [steps "total", "g"].
    """
    y, v, w = reals("y v w")
    inside = (v >= 0, v <= width, w >= 0, w <= width)
    shift = z3.Abs(y) - z3.Abs(y - v)
    odds = exp(ball(largest))
    b, theta, u, e = symbols("b theta u g")
    thin = (1 - theta + theta * u) ** (b + 1) / ((b + 1) * theta)
    g, p, other, mine, theirs, count, rest = reals("g p p' E E' T rest")
    r, grown, x = reals("R R^T x")
    root = rational("1.2841")  # above e^(1/4)
    bound = 1 / (2 - e)
    return derived(
        moves=for_all(
            z3.And(shift <= 1, shift >= -1, shift - (z3.Abs(y) - z3.Abs(y - w)) <= 1), *inside
        ),
        chances=for_all(g * g <= 2, g > 1, g <= root),
        thinned=identity((sp.diff(thin, u), (1 - theta + theta * u) ** b)),
        inverse=for_all((1 - rest) * g <= g, g > 1, rest >= 0, rest <= 1),
        first=for_all(
            p * mine <= g**thinnings * other * theirs,
            *(g > 1, p > 0, other > 0, mine > 0, theirs > 0, p <= g * other, mine <= g * theirs),
        ),
        ratio=for_all(
            (1 - p) * (2 - g) <= 1 - other,
            *(g > 1, g <= root, p > 0, 2 * p * g >= 1, 2 * other <= g, other > 0, other <= g * p),
        ),
        share=for_all(g * (2 + (count - 1) * g) <= g * g * (count + 1), g > 1, count >= 1),
        power=for_all(
            grown * r - 1 <= (count + 1) * (r - 1) * grown,
            *(r > 1, count >= 1, grown >= 1, grown * r - r <= count * (r - 1) * grown),
        ),
        product=identity(((bound - 1) / bound, e - 1)),
        x=for_all(
            (2 * g - 1) / (2 * g * (2 - g)) <= x,
            *(g > 1, g <= root, x * 2 * root * (2 - root) == 2 * root - 1),
        ),
        g=every(
            less(odds, ball("1.2841")),
            for_all(10 * (2 * root - 1) <= rational("8.53") * 2 * root * (2 - root)),
            for_all(rational("6.81") * (1 - rational("0.853")) >= 1),
        ),
        total=_total(exponent, largest),
        instances=exactly(_ratios(times), note="P(g = t) at two values"),
    )


def _total(exponent: int, largest: str) -> Outcome:
    """1 + 6.81 (g - 1) <= g^(exponent - 2): e^(8t) - 1 - 6.81 (e^t - 1) has the slope >= 0."""
    share = ball("6.81")
    return every(
        nonnegative(
            lambda t: (exponent - 2) * exp((exponent - 3) * t) - share,
            {"epsilon": (0, largest)},
            whole=True,
        ),
    )


@statement(
    "004 Theorem 5.1.12",
    lines="5557, 5580-5581",
    kind="utility",
    printed="with v_l = (n/|I_l|) sum over I_l of g_i and T = O(log(n/beta)) Corollary 5.1.2 holds "
    "with probability 1 - 2 beta",
    false="g_i is an index, and the sum is n times a mean",
    errata=("diss-5.1.37/E1", "diss-5.1.37/E2"),
)
def averaged_index() -> Outcome:
    """All losses 0: every p_t is 1/2, and g is uniform on [T]; T = 20, |I_l| = 250, n = 1000."""
    mean = Fraction(sum(range(1, 21)), 20)
    point = {"T": 20, "n": 1000, "loss": 0.0}
    return refuted(point, 1000 * mean, 1, "mean of v_l, against the largest loss")


@averaged_index.corrected(
    "(1/|I_l|) sum of y_{i,g_i}: given that H is not empty it is v + Lap(1/epsilon), and H is "
    "empty with probability 2^-T, for any of n users at most beta at T = log2(n/beta)",
    refuses={
        "2^-T/2": {"empty": "1/4"},
        "p_t = f_v/f_0": {"half": 1},
        "T = log2(n)": {"spare": 0},
        "T = ln(n/beta)": {"base": "e"},
    },
    unchecked={
        "y_{i,g_i}, v": "of y_{i,g_i} the step has the density f_v, that of v + Lap(1/epsilon)",
        "H": "those of T candidates that are taken, each with probability 1/2 in the steps",
    },
)
def chosen_noise(empty: str = "1/2", half: int = 2, spare: int = 1, base: str = "2") -> Outcome:
    """Over the public y a candidate is taken with probability 1/2 [step "taken", f_v has mass 1].

    Taken, it has the density f_0 p/(1/2) = f_v [step "density"], independently of which others
    are; so has one that is chosen by their number alone. All T are left out with probability 2^-T
    [step "empty", one more], and n 2^-T = beta [step "union"].
    """
    z, epsilon, here, own, mass = symbols("z epsilon f_0 f_v F")
    n, beta, count = symbols("n beta T")
    laplace = epsilon * sp.exp(-epsilon * z)  # twice the density, on one side
    taken = sp.integrate(laplace, (z, 0, sp.oo)) / half
    number = sp.log(n / beta**spare) / (sp.log(2) if base == "2" else 1)
    return derived(
        taken=identity((taken, sp.Rational(1, 2))),
        density=identity((here * (own / (half * here)) / sp.Rational(1, 2), own)),
        empty=identity((mass**count * (1 - taken), mass**count * sp.Rational(empty))),
        union=identity((sp.log(n) - number * sp.log(2), sp.log(beta))),
    )
