"""Section 3: differential privacy, the exponential mechanism and the definitions of losses."""

from __future__ import annotations

from functools import partial
from typing import Any

from proofs_checks.balls import ball, log, maximum, sqrt
from proofs_checks.basics import laplace_loss
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    every,
    for_all,
    identity,
    nonnegative,
    rational,
    reals,
    symbols,
)

statement = partial(any_statement, algorithms=("hu-1", "hu-2"))
every_algorithm = partial(any_statement, algorithms=("hu-1", "hu-2", "hu-3", "hu-5"))


@every_algorithm(
    "003 Definition 1",
    lines="111",
    kind="definition",
    printed="D ~ D' if they differ by one data sample; P(S) <= e^eps P'(S) + delta",
    refuses={"sensitivity bound/n": {"bounds": 1}},
    unchecked={
        "D, D'": "in the step two data sets that differ in the record x or y",
        "S, eps, P', delta": "what the definition defines; the step has what neighbours are",
    },
)
def replace_one(bounds: int = 2) -> Outcome:
    """One sample is replaced, n is public: a mean of numbers in [-c, c] moves by up to 2c/n.

    A sample that is left out and counted as 0 would move it by c/n only; the text's sensitivities
    are the former.
    """
    x, y, c, n = reals("x y c n")
    inside = (x >= -c, x <= c, y >= -c, y <= c)
    return definition(for_all(z3.Abs(x - y) / n <= bounds * c / n, n >= 1, c >= 0, *inside))


@any_statement(
    "003 Definition 2",
    lines="117",
    kind="privacy",
    printed="adding Lap(Delta_1/eps) to each coordinate is eps-DP; density e^{-|x|/lambda}/(2 "
    "lambda)",
    special_case_of="004 Definition 2.1.2",
    refuses={
        "0.9 eps": {"factor": "0.9"},
        "Delta_2 for Delta_1": {"norm": 2},
        "density e^{-|x|/lambda}/lambda": {"halves": 1},
    },
    algorithms=("zhang-1",),
)
def laplace_mechanism(factor: str = "1", norm: int = 1, halves: int = 2) -> Outcome:
    """See :func:`proofs_checks.basics.laplace_loss`; twice the mass of x > 0 is 1 [step "mass"]."""
    x, scale = symbols("x lambda")
    half = sp.integrate(sp.exp(-x / scale) / (halves * scale), (x, 0, sp.oo))
    return derived(loss=laplace_loss(factor, norm=norm), mass=identity((2 * half, 1)))


@statement(
    "003 Definition 3",
    lines="119",
    kind="privacy",
    printed="the exponential mechanism, P(r) prop. to exp(eps u(D, r)/(2 Delta)), is eps-DP",
    added="over an infinite range: the weights are integrable",
    special_case_of="004 Definition 2.1.4",
    refuses={"eps/2": {"power": 1}, "exp(eps u/Delta)": {"twice": 1}, "2 Delta^2": {"square": 2}},
    unchecked={
        "u": "any score; the steps have the change of its weight",
        "D": "any records; the steps have the change of a weight",
    },
)
def exponential_mechanism(power: int = 2, twice: int = 2, square: int = 1) -> Outcome:
    """One candidate has weight w and the rest, together, r; a score moves a log-weight by eps/2.

    With e^(eps/2) = h
    every weight of a neighbour, and so their sum, changes by a factor in [1/h, h]; then
    w/(w + r) <= h^2 w'/(w' + r').
    """
    w, r, other_w, other_r, h = reals("w r w2 r2 h")
    epsilon, change = symbols("epsilon Delta")
    return every(
        identity((epsilon * change / (twice * change**square), epsilon / 2)),
        for_all(
            w * (other_w + other_r) <= h**power * other_w * (w + r),
            *(h >= 1, w > 0, r >= 0, w <= h * other_w, other_w <= h * w),
            *(r <= h * other_r, other_r <= h * r),
        ),
    )


@statement(
    "003 Lemma 1",
    lines="123-127",
    kind="utility",
    printed="P(u(output) <= OPT - (2 Delta/eps)(ln|R| + t)) <= e^-t",
    special_case_of="004 Lemma 2.1.3",
    refuses={
        "0.9 t": {"share": "0.9"},
        "Delta/eps": {"twice": 1},
        "half of e^-t": {"factor": "1/2"},
    },
    unchecked={"u": "any score; the steps have a candidate's weight at the threshold"},
)
def exponential_mechanism_utility(share: str = "1", twice: int = 2, factor: str = "1") -> Outcome:
    """A candidate at the threshold has weight top e^-t/|R| [step "weight"].

    At most |R| such candidates share their weight out of a total of at least top [step "share"].
    """
    epsilon, sensitivity, size, t = symbols("epsilon Delta R t")
    threshold = -(twice * sensitivity / epsilon) * (sp.log(size) + sp.Rational(share) * t)
    weight = sp.exp(epsilon * threshold / (2 * sensitivity))
    bad, top, total, x = reals("bad top total x")
    return derived(
        weight=identity((weight, sp.exp(-t) / size)),
        share=for_all(
            bad <= rational(factor) * x * total,
            *(top > 0, x > 0, bad >= 0, bad <= x * top, total >= top, total >= bad),
        ),
    )


@any_statement(
    "003 Lemma 2",
    lines="129",
    kind="composition",
    printed="T mechanisms, each (eps/(2 sqrt(2T ln(2/delta))), delta/T)-DP, are (eps, T delta' + "
    "delta)-DP, 0 < eps, delta < 1",
    special_case_of="004 Lemma 2.1.5",
    refuses={
        "eps/sqrt(T ln(2/delta))": {"constant": "1"},
        "eps/(2 sqrt(2T))": {"logarithm": 0},
        "T^(1/4) for sqrt(T)": {"count": "1/2"},
        "ln(1/delta)": {"two": 1},
        "delta' + delta": {"mechanisms": 0},
    },
    unchecked={"delta'": "x in the first step, where T of them add up; delta/T is its value"},
    algorithms=("hu-2",),
)
def advanced_composition(
    constant: str = "2", logarithm: int = 1, count: str = "1", two: int = 2, mechanisms: int = 1
) -> Outcome:
    """By zCDP. Let eps' = eps/(c sqrt(T l)), l = ln(2/delta), c = 2 sqrt 2.

    An (eps', delta')-DP mechanism is a post-processing of one that reveals everything with
    probability delta' and else is eps'-DP (Kairouz et al. 2015); T of them reveal nothing with
    probability (1 - delta')^T >= 1 - T delta' [step "reveal", by induction]. The others are
    eps'^2/2-zCDP each, together rho = eps^2/(2 c^2 l) [step "rho", for every T], and
    rho + 2 sqrt(rho (l - ln 2)) <= eps, divided by eps, y = 1/l in (0, 1/ln 2) [step "budget", of
    the same rho].
    """
    steps, epsilon, size, inverse = symbols("T epsilon l y")
    square = 8 if constant == "2" else int(constant)  # c^2
    each = epsilon / sp.sqrt(square * steps ** sp.Rational(count) * size**logarithm)
    rho = steps * each**2 / 2
    once = rho.subs({steps: 1, size: 1 / inverse})
    parts = [
        sp.fraction(sp.cancel(part)) for part in (once / epsilon, 4 * once / (epsilon**2 * inverse))
    ]
    budget = sp.lambdify((epsilon, inverse), parts)  # integers and balls: no rounding
    t, x, kept = reals("t x kept")
    largest = "1.442695041" if two == 2 else "100"  # of y, as delta < 1

    def slack(e: Any, y: Any) -> Any:
        """Return 1 - rho/eps - sqrt(4 rho l/eps^2 (1 - y ln 2))."""
        spent, root = (ball(top) / bottom for top, bottom in budget(e, y))
        return 1 - spent - sqrt(root * maximum(1 - log(ball(two)) * y, ball(0)))

    return derived(
        reveal=for_all(
            kept * (1 - x) >= 1 - (t + 1) ** mechanisms * x,
            *(t >= 1, x >= 0, x <= 1, kept >= 1 - t**mechanisms * x, kept >= 0),
        ),
        rho=identity((rho, rho.subs(steps, 1))),
        budget=nonnegative(slack, {"eps": (0, 1), "y": (0, largest)}, whole=True),
    )


@every_algorithm(
    "003 Definition 4",
    lines="131-149",
    kind="definition",
    printed="excess population risk L(w_priv) - min_W L, w_priv possibly outside W",
    refuses={"not negative outside W either": {"inside": False}},
    unchecked={"L, W": "in the step (w - 2)^2 and [-1, 1], an example", "w_priv": "w in the step"},
)
def excess_risk(inside: bool = True) -> Outcome:
    """L(w) = (w - 2)^2 on W = [-1, 1], whose minimum is 1: outside W the excess may be negative.

    Footnote 2 allows such outputs.
    """
    w = reals("w")
    given = (w >= -1, w <= 1) if inside else ()
    return definition(for_all((w - 2) ** 2 - 1 >= 0, *given))


@any_statement(
    "003 Definition 5",
    lines="151, 161",
    kind="definition",
    printed="|f(w) - f(w')| <= L ||w - w'||; for the l1 norm, a bound on ||gradient||_inf (l.161)",
    refuses={"the l2 norm of the gradient's dual": {"euclidean": True}},
    algorithms=("hu-1",),
)
def dual_lipschitz(euclidean: bool = False) -> Outcome:
    """|<g, h>| <= ||g||_inf ||h||_1, one coordinate after another; g = e_j sign(h_j) attains it.

    Here G is L, the bound on ||g||_inf. With ||h||_2 in its place it would be false.
    """
    # of the coordinates so far: <g, h> and the norm of h, or its square; g and h of the next one
    inner, norm, g, h, largest = reals("inner norm g h G")
    given = (largest >= 0, g <= largest, g >= -largest, norm >= 0)
    if euclidean:
        claim = (inner + g * h) ** 2 <= largest**2 * (norm + h**2)
        return definition(for_all(claim, *given, inner**2 <= largest**2 * norm))
    claim = z3.Abs(inner + g * h) <= largest * (norm + z3.Abs(h))
    return definition(for_all(claim, *given, z3.Abs(inner) <= largest * norm))


@statement(
    "003 Definition 6",
    lines="153",
    kind="definition",
    printed="alpha-smooth: f(w') <= f(w) + <f'(w), w'-w> + (alpha/2)||w'-w||_2^2",
    refuses={"half of <x, h>^2": {"factor": 2}},
    unchecked={
        "alpha": "2 lambda_max(E xx^T), by its definition; the step has the remainder E<x, h>^2",
    },
)
def smoothness(factor: int = 1) -> Outcome:
    """For f = E(<x, w> - y)^2 the remainder is E<x, h>^2 exactly: alpha = 2 lambda_max(E xx^T)."""
    x1, x2, w1, w2, h1, h2, y = symbols("x1 x2 w1 w2 h1 h2 y", real=True)
    residual, step = x1 * w1 + x2 * w2 - y, x1 * h1 + x2 * h2
    remainder = (residual + step) ** 2 - residual**2 - 2 * residual * step
    return definition(identity((factor * remainder, step**2)))
