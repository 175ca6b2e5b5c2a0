"""Section 3.2.2: the definitions and assumptions of heavy-tailed stochastic optimisation.

Notation of all of section 3.2: L(w) population risk, h = L(w) - L(w*), beta its smoothness and
alpha its strong convexity, Delta the diameter of W, a = log(1/delta), te = tilde-epsilon,
l = log(1/delta'), b the precision of the smoothing (the paper's second beta), Lambda the diameter
of what is aggregated.
"""

from __future__ import annotations

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    nonnegative,
    rational,
    reals,
    symbols,
)

EVERY_ALGORITHM = ("diss-3.2.5", "diss-3.2.7", "diss-3.2.8", "diss-RGD")

not_checkable(
    "004 Definition 3.2.1",
    lines="1397",
    kind="definition",
    printed="DP-SCO: privately minimise L(w) = E l(w, x); utility E L(w^priv) - min_W L",
    reason="a definition",
    algorithms=EVERY_ALGORITHM,
)

not_checkable(
    "004 Assumption 3.2.1",
    lines="1403-1408",
    kind="assumption",
    printed="l >= 0, differentiable, convex in w; L beta-smooth; W of diameter Delta; "
    "grad L(w*) = 0",
    reason="an assumption; it does not make every l(., x) smooth, which Theorem 3.2.2 uses",
    algorithms=EVERY_ALGORITHM,
)

not_checkable(
    "004 Assumption 3.2.2",
    lines="1410",
    kind="assumption",
    printed="for |D| >= n_alpha the empirical risk is alpha-strongly convex with probability "
    ">= 5/6",
    reason="an assumption",
    algorithms=("diss-3.2.5",),
)

not_checkable(
    "004 Assumption 3.2.3",
    lines="1416-1419",
    kind="assumption",
    printed="grad_j l(w, x) is tau-sub-exponential and beta_j-Lipschitz in w; a <= E grad_j l <= b",
    reason="an assumption",
    algorithms=("diss-3.2.7",),
)


@statement(
    "004 Definition 3.2.2",
    lines="1399-1401",
    kind="definition",
    printed="tau-sub-exponential: E exp(lambda(X - mu)) <= exp(tau^2 lambda^2/2) for "
    "|lambda| <= 1/tau",
    refuses={"exp(tau^2 lambda^2/4)": {"half": "1/4"}},
    unchecked={"X, mu": "in the steps a normal and a Laplace variable of mean 0"},
    algorithms=("diss-3.2.7",),
)
def sub_exponential(half: str = "1/2") -> Outcome:
    """N(0, tau^2) is, with equality; a Laplace variable of scale 1 at tau = 2.

    The latter has E exp(lambda X) = 1/(1 - x), x = lambda^2 <= 1/4.
    """
    x, rate, tau = sp.Symbol("x", real=True), sp.Symbol("lambda", real=True), symbols("tau")
    # the normal law of mean tau^2 lambda has mass one
    shifted = rate * x - x**2 / (2 * tau**2)
    square = sp.Rational(half) * tau**2 * rate**2 - (x - tau**2 * rate) ** 2 / (2 * tau**2)
    slope = 4 * ball(half)
    return definition(
        identity((shifted, square)),
        nonnegative(
            lambda y: slope * y + log(1 - y),
            {"lambda^2": (0, "1/4")},
            whole=True,
            gradient=lambda y: [slope - 1 / (1 - y)],
        ),
    )


@statement(
    "004 Assumption 3.2.4",
    lines="1421-1423",
    kind="assumption",
    printed="E(grad_j l(w, x))^2 <= v, for which fewer assumptions are needed than Assumption "
    "3.2.3",
    checked="Assumption 3.2.3 implies it, with v = tau^2 + max(a^2, b^2)",
    refuses={"v = tau^2/2 + ..": {"factor": "1/2"}, "v = tau^2 + a^2": {"both": False}},
    unchecked={
        "l": "any loss; the steps have the variance and the mean of an entry of its gradient",
    },
    algorithms=("diss-3.2.8", "diss-RGD"),
)
def second_moment(factor: str = "1", both: bool = True) -> Outcome:
    """Var X <= 2 (E cosh(lambda (X - mu)) - 1)/lambda^2 <= 2 (exp(tau^2 lambda^2/2) - 1)/lambda^2.

    As cosh y >= 1 + y^2/2. At lambda -> 0 the right-hand side is tau^2 [step "limit"]. Then
    E X^2 = Var X + mu^2 with a <= mu <= b [step "square"].

    Here v = tau^2 + max(a^2, b^2).
    """
    rate, tau = symbols("lambda tau")
    bound = 2 * (sp.exp(tau**2 * rate**2 / 2) - 1) / rate**2
    variance, mu, low, high, t = reals("V mu a b t")
    square = rational(factor) * t * t
    found = [variance + mu * mu <= square + low * low]
    if both:
        found.append(variance + mu * mu <= square + high * high)
    return derived(
        limit=identity((sp.limit(bound, rate, 0), tau**2)),
        square=for_all(z3.Or(*found), variance <= t * t, low <= mu, mu <= high, variance >= 0),
    )
