"""Section 4.1.4: DP-FW-L1, its privacy and its error. a = ln(1/delta)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy

from proofs_checks.balls import ball, sqrt
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    exactly,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.constraint_sets import L1Ball
from reference.errata.nonconvex.frank_wolfe_l1 import printed_step_epsilon
from reference.privacy.guarantees import zcdp_rho

FRANK_WOLFE = ("diss-4.1.19",)
statement = partial(any_statement, algorithms=FRANK_WOLFE)

not_checkable(
    "004 Assumption 4.1.4",
    lines="2844",
    kind="assumption",
    printed="F is L-smooth in l2, f(., z) G-Lipschitz in l1, C = Conv(A), A finite",
    reason="an assumption on the user's loss and set; the code checks the data's bound",
    algorithms=FRANK_WOLFE,
)


def response_delta(epsilon: float, releases: int, odds: float) -> float:
    """Exact delta(epsilon) of T randomized responses of log-odds +-odds (d = 1, A = {1, -1})."""
    k = np.arange(releases + 1)
    losses = odds * (2 * k - releases)
    weights = scipy.stats.binom.pmf(k, releases, 1 / (1 + math.exp(-odds)))
    return float(weights @ -np.expm1(np.minimum(epsilon - losses, 0.0)))


@statement(
    "004 Theorem 4.1.6",
    lines="2861",
    kind="privacy",
    printed="for any epsilon, delta > 0, DP-FW-L1 with epsilon_0 = epsilon/sqrt(8 T log(1/delta)) "
    "is (epsilon, delta)-DP",
    false="valid for epsilon <= 48 log(1/delta) only (8 log(1/delta) for general pure steps)",
    errata=("diss-4.1.19/E2",),
)
def any_epsilon() -> Outcome:
    """d = 1, A = {1, -1}, f = z x, all z = 0 but one z = 1 against -1: randomized responses.

    Their log-odds are +-epsilon_0/2, the sensitivity is attained; exact binomial sums.
    """
    epsilon, delta, steps = 150.0, 0.25, 80
    odds = printed_step_epsilon(epsilon, delta, n_iterations=steps) / 2
    point: dict[str, Any] = {"A": [1.0, -1.0], "loss": "z x", "epsilon": epsilon, "T": steps}
    for e, d, t in ((500.0, 0.01, 4000), (300.0, 0.01, 4000), (250.0, 0.01, 4000)):
        found = response_delta(e, t, printed_step_epsilon(e, d, n_iterations=t) / 2)
        point[f"exact delta at epsilon = {e:g}, delta = {d:g}, T = {t}"] = found
    exact = response_delta(epsilon, steps, odds)
    return refuted(point, exact, delta, "exact delta against delta")


@any_epsilon.corrected(
    "for epsilon <= 48 log(1/delta); for any epsilon with epsilon_0 = sqrt(8 rho(epsilon, "
    "delta)/T)",
    refuses={
        "epsilon <= 49 log(1/delta)": {"most": 49},
        "epsilon_0 = sqrt(9 rho/T)": {"constant": 9},
    },
)
def within_range(most: int = 48, constant: int = 8) -> Outcome:
    """A selection of budget e is e^2/8-zCDP (chapter 2, conversion: exponential mechanism to zCDP).

    With a = log(1/delta), step = epsilon_0. The printed epsilon_0 makes rho = epsilon^2/(64 a)
    [step "printed"], which Lemma 2.1.10 converts to epsilon^2/(64 a) + epsilon/4 <= epsilon for
    epsilon <= 48 a [step "range"]. The corrected epsilon_0 makes rho [step "corrected"]. Where the
    printed one fails the exact delta is small [step "exact"].
    """
    epsilon, a, T, rho = symbols("epsilon a T rho")
    step = epsilon / sp.sqrt(8 * T * a)
    e, log_inverse = reals("epsilon a")
    odds = math.sqrt(constant * zcdp_rho(500.0, 0.01) / 4000) / 2
    exact = response_delta(500.0, 4000, odds)
    spent = T * step**2 / 8
    return derived(
        printed=identity((spent, epsilon**2 / (64 * a)), (2 * sp.sqrt(spent * a), epsilon / 4)),
        range=for_all(
            e * e + 16 * log_inverse * e <= 64 * log_inverse * e,
            *(e > 0, log_inverse > 0, e <= most * log_inverse),
        ),
        corrected=identity((T * sp.sqrt(constant * rho / T) ** 2 / 8, rho)),
        exact=searched(exact, 0.01, tried=1, what="exact delta at (500, 0.01), T = 4000"),
    )


@statement(
    "004 (4.8)",
    lines="2861-2865, 3068-3076",
    kind="utility",
    printed="w.p. 1-eta: E gap_R <= O(||C||_1 ln(1/delta)^{1/4} sqrt(ln(n|A|/eta))/"
    "sqrt(n epsilon)), T = O(n epsilon/(sqrt(ln(1/delta)) ln(|A|n/eta))), gamma = "
    "sqrt(2/(T ||C||_2^2))",
    added="T <= n, or else ln(|A|T/eta) for ln(|A|n/eta) in the bound",
    refuses={
        "ln(1/delta)^{1/8}": {"power": 8},
        "gamma L ||C||_2^2/4 in the bound": {"smooth": "1/4"},
        "ln(|A|/eta)": {"records": 0},
        "||C||_1^2": {"diameters": 2},
        "without ||C||_1": {"diameters": 0},
        "w.p. 1-eta/2": {"failure": "1/2"},
    },
)
def frank_wolfe_error(
    power: int = 4,
    smooth: str = "1/2",
    records: int = 1,
    diameters: int = 1,
    failure: str = "1",
    curvature: int = 0,
    outside: str = "1",
) -> Outcome:
    """(4.13) over T steps: sum of gaps <= (F(x_1) - min F)/gamma + T beta + T gamma L D^2/2.

    [step "sum", gaps = T E gap_R; (4.12) holds in all steps w.p. 1-eta, step "union"]. At the
    printed gamma the first and the last term make D (drop + L)/sqrt(2T) [step "step size"], D =
    ||C||_2 (``curvature`` is the power of L in 2/gamma^2, ``outside`` that of the logarithm in T,
    see l.3076); beta is 2 (G ||C||_1/n)/epsilon_0 ln(|A|T/eta), T <= n [step "logarithm"]. At T = n
    epsilon/(sqrt(a) ell), ell = ln(n|A|/eta), both are constants times a^(1/4) sqrt(ell/(n
    epsilon)) [step "rate"]; ||C||_2 <= ||C||_1 [step "width", k = (drop + L)/sqrt 2, m = 4 sqrt(2)
    G].

    Here a = log(1/delta).
    """
    D, smoothness, T, a, n, epsilon, ell, size, width, first = symbols("D L T a n epsilon l G w F1")
    gamma = sp.sqrt(2 / (T * D**2 * smoothness**curvature))
    noise = 2 * (size * width / n) * sp.sqrt(8 * T * a) / epsilon * ell
    slow = first / (gamma * T) + gamma * smoothness * D**2 / 2
    rounds = n * epsilon / (sp.sqrt(a) * ell ** sp.Rational(outside))
    rate = a ** sp.Rational(1, power) * sp.sqrt(ell / (n * epsilon))
    bend = sp.sqrt(smoothness**curvature)
    falls = D * (first * bend + smoothness / bend) / sp.sqrt(2)
    constant = falls + 4 * sp.sqrt(2) * size * width
    gaps, drop, beta, steps, gam, large, d = reals("gaps drop beta T gamma L D")
    half = rational(smooth)
    vertices, eta, sample, fails, each = reals("A eta n fails each")
    l1, k, m = reals("w k m")
    return derived(
        union=for_all(
            fails <= rational(failure) * eta, eta > 0, fails <= steps * each, steps * each <= eta
        ),
        logarithm=for_all(
            vertices * steps <= vertices * sample**records,
            *(vertices >= 1, steps >= 1, steps <= sample),
        ),
        width=for_all(d * k + m * l1 <= (k + m) * l1**diameters, d > 0, d <= l1, k > 0, m > 0),
        sum=for_all(
            gam * gaps <= drop + steps * gam * beta + steps * half * large * gam * gam * d * d,
            *(gam > 0, large > 0, d > 0, steps >= 1, drop >= 0, beta >= 0),
            gam * gaps <= drop + steps * (gam * beta + large * gam * gam * d * d / 2),
        ),
        step_size=identity((slow, falls / sp.sqrt(T))),
        rate=identity(((slow + noise).subs(T, rounds), constant * rate)),
    )


@statement(
    "004 l.3076",
    lines="3074-3076",
    kind="utility",
    printed="T = O(n epsilon ||C||_2/(||C||_1 G sqrt(ln(1/delta) ln(|A|n)))) and gamma = "
    "sqrt(2/(T ||C||_2^2 L)) give the bound of Theorem 4.1.6",
    false="the noise is then of order ln^{3/4}(|A|n); the theorem's T has ln(|A|n/eta) outside the "
    "root, and its gamma has no L",
    errata=("diss-4.1.19/E3",),
)
def steps_of_the_proof() -> Outcome:
    """beta of l.3074 over c times (4.8) at that T, G = ||C||_1 = ||C||_2 = 1: 4 sqrt(2) l^{1/4}/c.

    l = ln(|A|n/eta): above c = 10 from |A|n/eta = 18,000 on, and above any c.
    """
    level, constant = ball(10) ** 9, 1000
    ratio = 4 * sqrt(ball(2)) * sqrt(sqrt(level))
    return refuted({"ln(|A|n/eta)": 1e9, "c": constant}, ratio, constant, "noise over the rate")


@steps_of_the_proof.corrected(
    "with the theorem's T both steps give (4.8): with L the constant is sqrt(L) (drop + 1), "
    "without it drop + L, drop = F(x_1) - min F",
    refuses={
        "T with the logarithm in the root": {"outside": "1/2"},
        "||C||_1^2": {"diameters": 2},
        "ln(1/delta)^{1/8}": {"power": 8},
    },
)
def either_step(outside: str = "1", diameters: int = 1, power: int = 4) -> Outcome:
    """See (4.8)."""
    general = frank_wolfe_error.of_printed
    assert general is not None
    found = partial(general.check, outside=outside, diameters=diameters, power=power)
    return derived(of_the_theorem=found(), of_the_proof=found(curvature=1))


@statement(
    "004 Corollary 4.1.1",
    lines="2867",
    kind="utility",
    printed="l1 ball or simplex: E gap_R = O(log(1/delta)^{1/4} sqrt(log(np))/sqrt(n epsilon))",
    checked="ln(|A|n/eta) <= (1 + log_2(2/eta)) ln(np) for np >= 2, eta fixed; unit l1 ball",
    special_case_of="004 (4.8)",
    refuses={
        "|A| = p for the l1 ball": {"vertices": 1},
        "||C||_1 = 1": {"diameter": 1},
        "without the 1": {"more": 0},
        "log(1/delta)^{1/8}": {"power": 8},
        "log p": {"records": 0},
    },
)
def corollary(
    vertices: int = 2, diameter: int = 2, more: int = 1, power: int = 4, records: int = 1
) -> Outcome:
    """|A| = 2p or p and ||C||_1 = 2 in (4.8) [step "general"], on the code's vertices.

    [steps "vertices", "width" and "apart"] Here gaps = T E gap_R and a = log(1/delta).

    x = ln(np) >= ln 2, k = ln(2/eta): ln(|A|n/eta) is x + k [step "split"] and x + k <=
    (1 + k/ln 2) x [step "logarithm"].
    """

    def counts() -> Iterator[tuple[dict[str, Any], int, int]]:
        for p in (1, 3, 50):
            yield {"p": p}, len(L1Ball(1.0).vertices(p)), vertices * p

    def widths() -> Iterator[tuple[dict[str, Any], int, int]]:
        for name, v in (("l1 ball", L1Ball(1.0).vertices(4)), ("simplex", np.eye(4))):
            farthest = float(np.abs(v[:, None] - v).sum(axis=2).max())
            yield {"set": name, "farthest": farthest}, round(farthest), diameter

    x, k, two = reals("log_np log_2_over_eta log_2")
    farthest, one, other = reals("farthest one other")  # l1 norms of v - w, v and w
    n, p, eta = symbols("n p eta")
    whole, parts = sp.log(vertices * p * n / eta), sp.log(n**records * p) + sp.log(2 / eta)
    general = frank_wolfe_error.of_printed
    assert general is not None
    return derived(
        general=general.check(power=power),
        vertices=exactly(counts(), "=", "number of vertices"),
        width=exactly(widths(), "=", "l1 diameter"),
        apart=for_all(farthest <= diameter, farthest <= one + other, one <= 1, other <= 1),
        split=identity((sp.expand_log(whole - parts), 0)),
        logarithm=for_all(two * (x + k) <= (more * two + k) * x, k >= 0, two > 0, x >= two),
    )
