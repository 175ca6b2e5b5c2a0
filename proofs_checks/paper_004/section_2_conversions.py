"""Chapter 2: conversions between kinds of guarantees that the papers use without a number.

They are the formulas of :mod:`reference.privacy.guarantees`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from mpmath import mp

from proofs_checks.discrete import Distribution, hockey_stick
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    exactly,
    for_all,
    identity,
    precisely,
    rational,
    reals,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.privacy.guarantees import (
    ApproximateDP,
    PureDP,
    gaussian_dp_delta,
    gaussian_dp_epsilon,
    gaussian_dp_mu,
    laplace_delta,
    laplace_rho,
    zcdp_rho,
)

statement = partial(any_statement, algorithms=("chapter-2",))

Case = tuple[dict[str, Any], Any, Any]


def log_renyi(log_p: FloatArray, log_q: FloatArray, alpha: float) -> float:
    """Renyi divergence of order alpha of two finite distributions given by logarithms."""
    # scipy's logsumexp takes fifty times as long for a few numbers
    return float(np.logaddexp.reduce(alpha * log_p + (1 - alpha) * log_q)) / (alpha - 1)


@statement(
    "004 chapter 2, conversion: zCDP budget",
    lines="426",
    kind="identity",
    printed="rho = (sqrt(ln(1/delta) + eps) - sqrt(ln(1/delta)))^2 inverts Lemma 2.1.10",
    refuses={"sqrt(ln(1/delta) + 2 eps)": {"factor": 2}},
)
def zcdp_budget(factor: int = 1) -> Outcome:
    """Substitute rho into epsilon(rho) [step "inverse"]; compare the code [step "code"]."""
    epsilon, log_inverse = symbols("epsilon L")
    root = sp.sqrt(log_inverse + factor * epsilon) - sp.sqrt(log_inverse)

    def cases() -> Iterator[Case]:
        for e, delta in itertools.product(np.geomspace(1e-6, 1e3, 10), (1e-300, 1e-12, 1e-5, 0.5)):
            size = -mp.log(mp.mpf(delta))
            rho = (mp.sqrt(size + mp.mpf(float(e))) - mp.sqrt(size)) ** 2
            yield {"epsilon": float(e), "delta": delta}, zcdp_rho(float(e), delta), rho

    return every(
        identity((root**2 + 2 * root * sp.sqrt(log_inverse), epsilon)),
        precisely(cases, "=", digits=90, tolerance="1e-13", note="the implementation"),
    )


@statement(
    "004 chapter 2, conversion: Renyi to approximate",
    lines="410-426",
    kind="privacy",
    printed="D_a <= tau gives delta = e^((a-1)(tau-eps)) (1-1/a)^a/(a-1) "
    "(Canonne et al., Prop. 12)",
    refuses={"half of it": {"factor": Fraction(1, 2)}, "e^(a (tau-eps))": {"power": 0}},
    unchecked={
        "D_a, tau": "enter by E e^((a-1) loss) = e^((a-1) D_a), the definition of D_a, alone",
    },
)
def renyi_to_approximate(factor: Fraction = Fraction(1), power: int = 1) -> Outcome:
    """delta = E (1 - y)_+ over y = e^(eps - loss), and E y^(1-a) = e^((a-1)(D_a - eps)).

    The latter outcome by outcome [step "moment"], as E e^((a-1) loss) is e^((a-1) D_a).
    So it is enough that (1 - y) y^(a-1) <= (1-1/a)^a/(a-1) on [0, 1]: the left-hand side has its
    only stationary point at y = (a-1)/a [step "stationary"], where it is the right-hand side
    [step "largest"], and it vanishes at both ends.
    """
    a, y, epsilon, loss = symbols("a y epsilon loss")
    left = (1 - y) * y ** (a - 1)
    right = (1 - 1 / a) ** a / (a - 1) * sp.Rational(factor.numerator, factor.denominator)
    slope = y ** (a - 2) * ((a - 1) - a * y)
    order = 1 + symbols("b")  # the order is above 1
    return derived(
        moment=identity(
            (sp.exp((1 - a) * (epsilon - loss)), sp.exp((a - power) * (loss - epsilon)))
        ),
        stationary=identity((sp.diff(left, y), slope)),
        largest=identity(
            (left.subs(y, (a - 1) / a).subs(a, order), right.subs(a, order)),
        ),
    )


@statement(
    "004 chapter 2, conversion: Gaussian curve",
    lines="378-380",
    kind="identity",
    printed="delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) for N(0,1) and N(mu,1)",
    refuses={"0.999 of it": {"factor": 0.999}},
    unchecked={"Phi": "in the code that is compared; the quadrature has the densities"},
)
def gaussian_curve(factor: float = 1.0) -> Outcome:
    """Quadrature of (p - e^eps q)_+ against the implementation, and its inverses."""

    def curve() -> Iterator[Case]:
        for mu, epsilon in points:
            m, e = mp.mpf(mu), mp.mpf(epsilon)
            start = e / m + m / 2  # where the loss of N(mu, 1) against N(0, 1) is epsilon
            exact = mp.quad(
                lambda x, m=m, e=e: mp.npdf(x, m, 1) - mp.exp(e) * mp.npdf(x, 0, 1),
                [start, start + 8, mp.inf],
            )
            yield (
                {"mu": mu, "epsilon": epsilon},
                factor * gaussian_dp_delta(mu, epsilon),
                exact,
            )

    def inverses() -> Iterator[Case]:
        for mu, epsilon in points:
            delta = gaussian_dp_delta(mu, epsilon)
            if epsilon > 0:
                yield {"mu": mu, "epsilon": epsilon}, gaussian_dp_epsilon(mu, delta), epsilon
                yield {"mu": mu, "epsilon": epsilon}, gaussian_dp_mu(epsilon, delta), mu

    points = ((0.1, 0.1), (0.5, 1.0), (1.0, 0.0), (3.0, 2.0), (3.0, 20.0), (9.0, 5.0))
    return every(
        precisely(curve, "=", digits=45, tolerance="1e-11", note="curve against quadrature"),
        precisely(inverses, "=", tolerance="1e-9", note="inverses in epsilon and mu"),
    )


@statement(
    "004 chapter 2, conversion: pure to zCDP",
    lines="360-426",
    kind="privacy",
    printed="eps-DP is eps^2/2-zCDP",
    added="neighbouring laws have densities within the factor e^eps",
    refuses={"eps^2/2.2": {"constant": "2.2"}, "eps/2": {"power": 1}},
)
def pure_to_zcdp(constant: str = "2", power: int = 2) -> Outcome:
    """Reduce to tanh x <= x.

    Randomised response dominates: D_a = ln(cosh((a - 1/2) eps)/cosh(eps/2))/(a - 1)
    [step "moment"]. As a(a - 1) = (a - 1/2)^2 - 1/4, (a - 1) times the bound a eps^2/c is a
    difference of squares [step "order"], and the claim is g((a - 1/2) eps) >= g(eps/2) for
    g(x) = x^2/c - ln cosh x, c = 2. Its slope is 2 x/c - tanh x [step "slope"], which is 0 at 0 and
    increases, because its own slope is tanh^2 x [step "increasing"].
    """
    a, t, epsilon = symbols("a t epsilon")
    c, half = sp.Rational(constant), sp.Rational(1, 2)
    odds = 1 + sp.exp(epsilon)
    moment = (sp.exp(a * epsilon) + sp.exp((1 - a) * epsilon)) / odds  # sum of p^a q^(1-a)
    ratio = (sp.cosh((a - half) * epsilon) / sp.cosh(epsilon / 2)).rewrite(sp.exp)
    bound = (a - 1) * a * epsilon**power / c
    return derived(
        moment=identity((moment, ratio)),
        order=identity((bound, ((a - half) * epsilon) ** 2 / c - (epsilon / 2) ** 2 / c)),
        slope=identity((sp.diff(t**2 / c - sp.log(sp.cosh(t)), t), 2 * t / c - sp.tanh(t))),
        increasing=identity((sp.diff(2 * t / c - sp.tanh(t), t), sp.tanh(t) ** 2)),
    )


@statement(
    "004 chapter 2, conversion: add/remove to replace-one",
    lines="358-360",
    kind="privacy",
    printed="two steps: 2 eps; (2 eps, (1 + e^eps) delta); 4 rho; 2 mu",
    refuses={
        "e^eps delta": {"own": 0},
        "e^eps for e^(2 eps)": {"power": 1},
        "3 rho": {"times": 3},
        "sqrt(2) mu": {"apart": "1.4142135623730951"},
    },
)
def two_steps(
    rng: np.random.Generator, own: int = 1, power: int = 2, times: int = 4, apart: str = "2"
) -> Outcome:
    """Triples P, Q, R with neighbours P-Q and Q-R: what P and R, at distance two, obey.

    With g = e^eps, P <= g Q + delta and Q <= g R + delta give P <= g^2 R + (1 + g) delta on every
    event [step "approximate"]. A pair of trade-off curve at least that of N(0) and N(mu) has z_Q <=
    z_P + mu for the quantiles z of an event's probabilities: two of them add up [step "shifts"].
    The triple N(0), N(mu), N(2 mu) attains it and 4 rho, rho = mu^2/2 [step "Gaussian"]. That 4 rho
    bounds every triple is searched [step "zCDP"].
    """
    mu = symbols("mu")
    p, q, r, g, delta = reals("p q r g delta")
    first, middle, last, shift = reals("z_P z_Q z_R mu")
    orders = np.concatenate([np.linspace(1.01, 3, 20), np.geomspace(3.1, 100, 20)])
    worst = 0.0
    for _ in range(40):
        logs = [np.log(rng.dirichlet(np.ones(4))) for _ in range(3)]
        near = max(_rho(logs[0], logs[1], orders), _rho(logs[1], logs[2], orders))
        worst = max(worst, _rho(logs[0], logs[2], orders) / (4 * near))
    return derived(
        approximate=for_all(
            p <= g**power * r + (own + g) * delta,
            *(g >= 1, delta >= 0, p <= g * q + delta, q <= g * r + delta),
        ),
        shifts=for_all(
            first <= last + rational(apart) * shift,
            *(shift >= 0, first <= middle + shift, middle <= last + shift),
        ),
        Gaussian=identity(((2 * mu) ** 2 / 2, times * mu**2 / 2)),
        zCDP=searched(worst, 1 + 1e-9, tried=40, what="rho at distance two over 4 rho"),
    )


def _rho(log_p: FloatArray, log_q: FloatArray, orders: FloatArray) -> float:
    pairs = ((log_p, log_q), (log_q, log_p))
    return max(log_renyi(p, q, a) / a for p, q in pairs for a in map(float, orders))


@statement(
    "004 chapter 2, conversion: exponential mechanism to zCDP",
    lines="382",
    kind="privacy",
    printed="the exponential mechanism is eps^2/8-zCDP (bounded range)",
    refuses={"eps^2/9": {"constant": 9}, "eps/8": {"power": 1}},
)
def bounded_range(rng: np.random.Generator, constant: int = 8, power: int = 2) -> Outcome:
    """The loss lies in an interval of length eps, so its cumulants curve by at most eps^2/4.

    Popoviciu: a variable on an interval of length eps has variance p (1-p) eps^2 <= eps^2/4 at
    most, also after tilting [step "variance"]. K has K(0) = K(1) = 0, so
    K(a) - eps^2 a (a-1)/8 is concave, vanishes at 0 and 1 and is negative beyond 1: its second
    derivative is at most eps^2/4 - 2 eps^2/8 = 0 [steps "bound", "concave"].
    """
    p, epsilon = reals("p epsilon")
    a, length = symbols("a epsilon")
    worst, tried = 0.0, 3000
    for _ in range(tried):
        size = int(rng.integers(2, 6))
        eps, order = float(rng.uniform(0.01, 6)), float(1 + rng.exponential(4))
        base = rng.normal(scale=2, size=size)
        vertex = rng.choice([-0.5, 0.5], size=size)
        inside = rng.uniform(-0.5, 0.5, size=size)
        moved = base + eps * (vertex if rng.random() < 0.8 else inside)
        log_p, log_q = (logits - np.logaddexp.reduce(logits) for logits in (base, moved))
        worst = max(worst, log_renyi(log_p, log_q, order) / (order * eps**2 / 8))
    return derived(
        variance=for_all(p * (1 - p) * epsilon**2 <= epsilon**2 / 4, p >= 0, p <= 1),
        bound=identity(
            (sp.diff(a * (a - 1) * length**power / constant, a, 2), 2 * length**2 / constant)
        ),
        concave=for_all(epsilon**2 / 4 - 2 * epsilon**2 / constant <= 0, epsilon >= 0),
        pairs=searched(worst, 1 + 1e-9, tried=tried, what="divergence over alpha eps^2/8"),
    )


def _dominating_pair(gamma: Fraction, delta: Fraction) -> tuple[Distribution, Distribution]:
    """Return the (ln gamma, delta) pair that post-processes to every other (Kairouz et al.)."""
    high, low = (1 - delta) * gamma / (1 + gamma), (1 - delta) / (1 + gamma)
    return [delta, high, low, Fraction(0)], [Fraction(0), low, high, delta]


@statement(
    "004 chapter 2, conversion: worst approximate mechanism",
    lines="360",
    kind="privacy",
    printed="(eps0, delta0)-DP has "
    "delta(eps) <= delta0 + (1-delta0)(e^eps0 - e^eps)_+/(1 + e^eps0)",
    refuses={
        "without the factor 1 - delta0, less delta0": {"less": 1},
        "e^eps0 - e^eps without (.)_+": {"part": False},
    },
)
def worst_approximate(less: int = 0, part: bool = True) -> Outcome:
    """The four-outcome pair attains the curve, and by Kairouz et al. (2015) dominates all others.

    With g = e^eps, g0 = e^eps0: its hockey stick at g <= g0 is the printed expression [step
    "attained"]; for g >= g0 only the outcome of delta0 counts [step "beyond", times 1 + g0]; the
    class computes it [step "code"].
    """
    g0, d0, excess = symbols("g0 d0 excess")
    g = g0 / (1 + excess)  # below g0
    high, low = (1 - d0) * g0 / (1 + g0), (1 - d0) / (1 + g0)
    # for g >= 1/g0 the third outcome does not count
    stick = d0 + (high - g * low)
    odds, at, delta0 = reals("g0 g delta0")
    excess_odds = (1 - delta0) * odds - at * (1 - delta0)
    printed = (1 - delta0) * (z3.If(odds >= at, odds - at, 0) if part else odds - at)

    def code() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
        for gamma, smaller in itertools.product(
            (Fraction(3, 2), Fraction(5)),
            (Fraction(1), Fraction(5, 4), Fraction(7, 5), Fraction(9)),
        ):
            delta = Fraction(1, 50)
            p, q = _dominating_pair(gamma, delta)
            computed = ApproximateDP(math.log(gamma), 0.02).delta_at(math.log(smaller))
            pure = PureDP(math.log(gamma)).delta_at(math.log(smaller))
            exact = hockey_stick(p, q, smaller)
            exact_pure = hockey_stick(*_dominating_pair(gamma, Fraction(0)), smaller)
            gap = max(abs(Fraction(computed) - exact), abs(Fraction(pure) - exact_pure))
            yield {"gamma": float(gamma), "at": float(smaller)}, gap, Fraction(1, 10**12)

    return derived(
        attained=identity((stick, d0 + (1 - d0) * (g0 - g) / (1 + g0) - less * d0**2)),
        beyond=for_all(
            z3.If(excess_odds >= 0, excess_odds, 0) <= printed,
            *(odds >= 1, at >= odds, delta0 >= 0, delta0 <= 1),
        ),
        code=exactly(code(), note="difference of the classes from the pair, against 1e-12"),
    )


@statement(
    "004 chapter 2, conversion: Laplace curve",
    lines="372-376",
    kind="privacy",
    printed="delta(eps) = 1 - e^((eps - eps0)/2) for one Laplace release, and no more for a "
    "vector of the same l1 sensitivity",
    refuses={"0.9 of it": {"factor": "0.9"}},
)
def laplace_vector(factor: str = "1") -> Outcome:
    """Two coordinates of l1 distance a + b, by quadrature over the first one's loss.

    For |epsilon| <= |b - a| the exact value is 1 - e^((eps - a - b)/2) (1 + min(a, b)/2), and
    beyond it 1 - e^(-c/2) (1 + c/4) with c = a + b - epsilon: always below the scalar's, because
    the brackets are at least 1.
    """

    def scalar(size: Any, epsilon: Any) -> Any:
        if epsilon >= size:
            return mp.mpf(0)
        return 1 - mp.exp(epsilon) if epsilon <= -size else 1 - mp.exp((epsilon - size) / 2)

    def points() -> Iterator[tuple[Any, Any, Any]]:
        for a, b, fraction in itertools.product((0.2, 1.0), (0.5, 2.0), (0.0, 0.3, 0.8)):
            x, y = mp.mpf(a), mp.mpf(b)
            yield x, y, mp.mpf(fraction) * (x + y)

    def quadrature() -> Iterator[Case]:
        for x, y, e in points():
            kinks = sorted({-x, x, *(k for k in (e - y, e + y) if -x < k < x)})
            inner = mp.quad(
                lambda t, x=x, y=y, e=e: mp.exp((t - x) / 2) / 4 * scalar(y, e - t), kinks
            )
            exact = scalar(y, e - x) / 2 + mp.exp(-x) * scalar(y, e + x) / 2 + inner
            c = x + y - e
            closed = 1 - mp.exp(-c / 2) * (1 + (min(x, y) / 2 if e <= abs(x - y) else c / 4))
            yield {"a": float(x), "b": float(y), "epsilon": float(e)}, closed, exact

    def one_coordinate() -> Iterator[Case]:
        for size, epsilon in itertools.product((0.7, 3.0), (0.0, 0.3, 0.6)):
            exact = 1 - mp.exp((mp.mpf(epsilon) - mp.mpf(size)) / 2)
            yield (
                {"eps0": size, "epsilon": epsilon},
                mp.mpf(factor) * laplace_delta(size, epsilon),
                exact,
            )

    def compared() -> Iterator[Case]:
        for (point, closed, _), (x, y, e) in zip(quadrature(), points(), strict=True):
            yield point, closed, mp.mpf(factor) * mp.mpf(laplace_delta(float(x + y), float(e)))

    return every(
        precisely(
            quadrature, "=", digits=25, tolerance="1e-15", note="closed form, two coordinates"
        ),
        precisely(one_coordinate, "=", digits=25, tolerance="1e-13", note="one coordinate"),
        precisely(compared, "<=", digits=25, note="two coordinates against one"),
    )


@statement(
    "004 chapter 2, conversion: Laplace zCDP",
    lines="372-376",
    kind="privacy",
    printed="rho = eps0 + e^-eps0 - 1 for one Laplace release, and no more for a vector of the "
    "same l1 sensitivity",
    refuses={"0.9 of it": {"factor": "0.9"}, "half of it in the code": {"share": "0.5"}},
)
def laplace_zcdp(factor: str = "1", share: str = "1") -> Outcome:
    """Bound ln M(t) by t(1 + t) rho, M(t) = E e^(tL), t = alpha - 1, x = e^eps0.

    L is eps0 with probability 1/2, -eps0 with 1/(2x), and has the density e^((l - eps0)/2)/4
    between [step "moment"]. t(1 + t) rho - ln M is 0 at eps0 = 0, and its slope there is h(x) times
    a positive factor [step "slope"], where h(1) = h'(1) = 0 and h' grows [steps "twice",
    "rising"]. So D_alpha <= alpha rho. Coordinates add up, and two of eps0 a and b cost
    (1 - e^-a)(1 - e^-b) less than one of a + b [step "vector"]. The code follows [step "code"].
    """
    t, x, a, b = symbols("t x a b")
    moment = ((1 + t) * x**t + t * x ** (-1 - t)) / (1 + 2 * t)
    between = (x ** (t + sp.Rational(1, 2)) - x ** (-t - sp.Rational(1, 2))) / (4 * t + 2)
    slope = x * sp.diff(moment, x)  # in eps0
    rho_slope = sp.Rational(factor) * (1 - 1 / x)
    positive = (1 + 2 * t) / (t * (1 + t)) * x ** (2 + t)
    h = t * x ** (2 + 2 * t) + (1 + t) * x - (1 + t) * x ** (1 + 2 * t) - t
    k = 2 * t * x ** (1 + 2 * t) + 1 - (1 + 2 * t) * x ** (2 * t)
    more, at, power = reals("t x y")

    def loss(size: Any) -> Any:
        return size + sp.exp(-size) - 1

    def code() -> Iterator[Case]:
        for size in np.geomspace(1e-9, 700, 60):
            own = mp.mpf(float(size))
            found = mp.mpf(share) * mp.mpf(laplace_rho(float(size)))
            yield {"eps0": float(size)}, own + mp.expm1(-own), found

    return derived(
        moment=identity((x**t / 2 + x ** (-1 - t) / 2 + between / sp.sqrt(x), moment)),
        slope=identity(((t * (1 + t) * rho_slope * moment - slope) * positive, h)),
        twice=identity(
            (h.subs(x, 1), sp.Integer(0)),
            (k.subs(x, 1), sp.Integer(0)),
            (sp.diff(h, x), (1 + t) * k),
            (sp.diff(k, x), 2 * t * (1 + 2 * t) * x ** (2 * t - 1) * (x - 1)),
        ),
        rising=for_all(
            2 * more * (1 + 2 * more) * power * (at - 1) >= 0, more > 0, at >= 1, power > 0
        ),
        vector=identity(
            (loss(a + b) - loss(a) - loss(b), (1 - sp.exp(-a)) * (1 - sp.exp(-b))),
        ),
        code=precisely(code, "<=", digits=40, note="the code is not below it"),
    )
