"""The margins of the doubles: no error of theirs is as large.

The constants are those of :mod:`reference.privacy.exact.noise`. Premises: IEEE 754 rounds sums,
products, quotients and roots to half a unit in the last place, a relative u/2 with u = 2^-52, and
logarithms, sines and cosines of doubles are right to ULPS = 4 units, a relative 4 u.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.balls import Ball, ball, log1p, pi, precision
from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import derived, every, for_all, less, nonnegative, rational, reals
from reference.privacy.exact.noise import GRID_BITS, SLACK, UNIT

ULPS = 4
"""Units in the last place by which numpy's functions of doubles may be off."""

SHARE = "0.53"
"""Share of a margin that an error takes at most."""


SLACKS = int(SLACK / UNIT)
"""Units u of the relative part of a margin."""


def _unit() -> Fraction:
    return Fraction(UNIT)


def _log_near_one(growth: int = 1) -> Outcome:
    """Decide log(1 + t) <= t for t = 1/(2 w), and |log(1 + t)| <= 1.01 u for |t| <= u (1 + u)."""
    near = (1 + _unit()) * _unit()

    def above(t: Ball) -> Ball:
        return t - growth * log1p(t)

    def slope(t: Ball) -> list[Ball]:
        return [(t + 1 - growth) / (1 + t)]

    def around(t: Ball) -> Ball:
        return ball("1.01") * ball(_unit()) - growth * abs(log1p(t))

    with precision(200):
        return every(
            nonnegative(above, {"t": (2.0**-64, "1/2")}, whole=True, gradient=slope),
            nonnegative(around, {"t": (-near, near)}, whole=True),
        )


@statement(
    "exact Lemma 2",
    kind="approximation",
    printed="|sizes - E| <= 0.53 (16 u (1 + sizes) + 1/w) for E = -log U, w >= 1 the first 63 "
    "digits of U, and sizes the double that stands for E",
    refuses={
        "logarithms are right to 9 units only": {"ulps": 9},
        "the digits to come are left out of the margin": {"rest": 0},
        "log(1 + t) <= t/2": {"growth": 2},
    },
    unchecked={"U, 63": "in the steps w + 1/2: 2^-63 is a power of two, and multiplies exactly"},
)
def exponential_margin(ulps: int = ULPS, rest: int = 1, growth: int = 1) -> Outcome:
    """Add up what the double of U, its logarithm and the digits to come are off by.

    U = (w + theta) 2^-63, theta in [0, 1]. The double is (w + 1/2) 2^-63 (1 + t): w is rounded by a
    relative a, the sum by b, each u/2 at most, so that |t| <= u (1 + u) [step "double"]. That moves
    the logarithm by 1.01 u at most [step "near one"]. As log(1 + t) <= t, theta moves it by
    log((w + 1/2)/w) <= 1/(2 w) at most, and by log((w + 1)/(w + 1/2)) <= 1/(2 w). With L for the
    size of the logarithm of the double, ULPS u L is what numpy's function adds, and
    sizes >= (1 - ULPS u) L. The margin is a double too, off by three roundings or fewer. With
    back = 1/w the sum is within the share of the margin [step "sum"].
    """
    w, a, b, u = reals("w a b u")
    size, log_size, back = reals("sizes L back")
    unit, half = rational(_unit()), rational(_unit() / 2)
    moved = (1 + b) * (w * (1 + a) + rational("1/2"))
    middle = w + rational("1/2")
    error = ulps * unit * log_size + rational("1.01") * unit + back / 2
    margin = (SLACKS * unit * (1 + size) + rest * back) * (1 - 3 * unit)
    return derived(
        double=for_all(
            z3.And(moved - middle <= u * (1 + u) * middle, middle - moved <= u * (1 + u) * middle),
            *(w >= 0, 2 * a <= u, 2 * a >= -u, 2 * b <= u, 2 * b >= -u, u > 0, u <= half * 2),
        ),
        near_one=_log_near_one(growth),
        sum=for_all(
            error <= rational(SHARE) * margin,
            *(log_size >= 0, size >= (1 - ulps * unit) * log_size, back > 0, back <= 1),
        ),
    )


@statement(
    "exact Lemma 3",
    kind="approximation",
    printed="|values - X| <= 0.54 (2 m/rho + 16 u rho) for X = sqrt(2 E) cos(V pi/2) or with the "
    "sine, m the margin of E and rho > 0 the double that stands for sqrt(2 E)",
    refuses={
        "sines and cosines are right to 7 units only": {"ulps": 7},
        "the error of E is not doubled": {"doubled": 1},
        "the angle is rounded in single precision": {"single": 29},
    },
)
def normal_margin(ulps: int = ULPS, doubled: int = 2, single: int = 0) -> Outcome:
    """Add up what the radius, the angle and their functions are off by.

    2 E is off by 2 m, times the share that it takes, and root = sqrt(2 sizes) is off from
    exact = sqrt(2 E) by |root^2 - exact^2|/(root + exact), which is that over root at most [step
    "root"]; the root is rounded by a relative u/2 to rho. The angle V pi/2 is rounded by a relative
    u/2 when V becomes a double, as much in the product and by that of pi, and the digits to come
    move it by 2^-64 pi/2: together by 2.4 u at most [step "angle"], and so the wave, sine or
    cosine, as these are functions of slope 1 at most. numpy's function adds ULPS u times
    |wave| <= 1, the product of radius and wave u/2 times rho, and 0.01 u rho is more than all terms
    of order u^2. The sum is within the share of the margin, which is a double too [step "sum"].
    """
    root, exact, change, rho, m, error = reals("root exact change rho m error")
    unit, share, most = rational(_unit()), rational(SHARE), rational("0.54")
    wave = ulps + rational("2.4") + rational("0.5") + rational("0.01")
    angle = (3 * ball(_unit()) / 2 * 2**single + ball(2) ** -64) * pi() / 2
    # of the radius: the change of the root, and its rounding
    radius = 2 * share * m / rho * (1 + 2 * unit) + unit / 2 * rho * (1 + unit)
    return derived(
        root=for_all(
            z3.And((root - exact) * root <= change, (exact - root) * root <= change),
            *(root > 0, exact >= 0, change >= 0),
            *(root * root - exact * exact <= change, exact * exact - root * root <= change),
        ),
        angle=less(angle, ball("2.4") * ball(_unit())),
        sum=for_all(
            error <= most * (doubled * m / rho + SLACKS * unit * rho) * (1 - 4 * unit),
            *(rho > 0, m >= 0, error >= 0),
            error <= radius + wave * unit * rho,
        ),
    )


@statement(
    "exact Theorem 2",
    kind="approximation",
    printed="if 1/2 - |s - r| > size m + u (|s| + 1), then |t - r| < 1/2: r is the integer nearest "
    "to t = shift + size X, where s is the double of t and X is off by 0.54 m at most",
    refuses={
        "the sum is rounded to 4 units": {"roundings": 8},
        "the error of X is 1.1 times its margin": {"share": "1.1"},
        "s is compared with 3/4 instead of 1/2": {"within": "3/4"},
    },
    unchecked={"X": "noise in the steps is what its double is off by"},
)
def sums_are_decided(roundings: int = 1, share: str = "0.54", within: str = "1/2") -> Outcome:
    """Bound the rounding of a product and a sum, and compare with the margin.

    x is the double of X. The product size x is rounded by a relative a, the sum with |shift| <= 1/2
    by b, both u/2 at most: s = (shift + size x (1 + a)) (1 + b) is off by u (|s| + 1) at most, less
    what the margin, a double too, may lose; |s| < 2^45 as size < 2^(GRID_BITS + 1) and |X| < 100
    [steps "size" and "rounding", p = size x]. The margin's other term, size m, loses less than the
    0.46 of it that X leaves. t is off from s by what X and the roundings add [step
    "nearest"]. Then r is the only integer that is within 1/2 of t.
    """
    p, shift, a, b, u, s = reals("p shift a b u s")
    unit = rational(_unit())
    bound = rational(Fraction(roundings) * _unit() / 2)
    s_made = (shift + p * (1 + a)) * (1 + b)
    size_of = z3.If(s_made > 0, s_made, -s_made)
    error = s_made - shift - p
    t, r, noise, size, m = reals("t r noise size m")
    lost = unit * (size_of + 1) * (1 - 4 * unit)
    far_s, far_t = z3.Abs(s - r), z3.Abs(t - r)
    within_share = rational(share)
    return derived(
        size=less(ball(2) ** (GRID_BITS + 1) * 100 + 1, ball(2) ** 45),
        rounding=for_all(
            z3.And(error <= lost, -error <= lost),
            *(2 * shift <= 1, 2 * shift >= -1, a <= bound, a >= -bound, b <= bound, b >= -bound),
            size_of <= 2**45,
        ),
        nearest=for_all(
            2 * far_t < 1,
            *(m >= 0, size > 0, u > 0, noise >= 0, noise <= within_share * m),
            rational(within) - far_s > size * m + u * (z3.Abs(s) + 1),
            z3.Abs(t - s) <= size * noise + u * (z3.Abs(s) + 1),
        ),
    )
