"""Section 4.1.6, omitted proofs: the steps of DP-PGD, DP-FW-L2 and DP-FW-L1.

Inner products and squared norms stand for themselves in the claims that z3 decides.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from mpmath import mp

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004 import convexity, uniform_convergence
from proofs_checks.paper_004.section_2_1 import exponential_mechanism_utility
from proofs_checks.paper_004.section_4_1_4 import response_delta
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
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
from reference.losses import Linear
from reference.nonconvex.frank_wolfe_l1 import dp_frank_wolfe_l1
from reference.privacy.calibration import exponential_step_epsilon
from reference.privacy.ledger import RecordingLedger

PGD = ("diss-4.1.16",)
FRANK_WOLFE = ("diss-4.1.19",)
statement = partial(any_statement, algorithms=FRANK_WOLFE)


@any_statement(
    "004 Lemma 4.1.2",
    lines="2917-2919",
    kind="optimisation",
    printed="<grad F(x), x-x+> >= ||x+-x||^2/gamma + r(x+) - r(x) + <eps, x+-x>",
    special_case_of=("004 Lemma 3.1.5", "004 Lemma 4.1.5"),
    refuses={"1.1 ||x+-x||^2/gamma": {"factor": "1.1"}},
    algorithms=PGD,
)
def proximal_step(factor: str = "1") -> Outcome:
    """w = ||x||^2/2 has modulus 1; see :func:`proofs_checks.paper_004.convexity.mirror_step`.

    Here change = r(x+) - r(x).
    """
    return convexity.mirror_step(factor)


@any_statement(
    "004 Lemma 4.1.3",
    lines="2966-2972",
    kind="concentration",
    printed="sup over B(r) of ||sample gradient - population gradient|| <= tau sqrt(C p log n/n) "
    "with probability 1 - delta, C = C_0 max{c_h, log(r tau/delta), 1}, if n >= C p log p",
    false="log(r tau/delta) is no pure number: where r tau is as small as delta, C does not grow "
    "with log(1/delta)",
    errata=("diss-4.1.16/E8",),
    algorithms=PGD,
)
def logarithm_of_units() -> Outcome:
    """l(w, z) = z w, z ~ N(0, tau^2): Hessian 0, c_h = 1, p = 1, n = 10, r = 1 and tau = delta.

    C = C_0, and the mean of z exceeds tau sqrt(C_0 log n/n) with probability 2 Phi(-sqrt(C_0 log
    n)), whatever tau is: a smaller delta refutes any C_0. Shown for C_0 = 1000.
    """
    constant, n = 1000, 10
    fails = 2 * mp.ncdf(-mp.sqrt(constant * mp.log(n)))
    point = {"C_0": constant, "p": 1, "n": n, "r": 1, "tau": "1e-1100", "delta": "1e-1100"}
    return refuted(point, mp.log(fails), -1100 * mp.log(10), "logarithms of P(fails) and of delta")


@logarithm_of_units.corrected(
    "sup <= G sqrt(C p log n/n), C = 28 + 6 log((1 + 2rL/G)/delta), for every n >= 2, if gradients "
    "are at most G and L-Lipschitz (for Assumptions 4.1.2 and 4.1.3 the lemma cites [218])",
    refuses={
        "C = 27 + ...": {"constant": "27"},
        "C = 28 + 5 log(...)": {"per": "5"},
        "one of the two gradients moves": {"net": "1"},
        "rL/G for 2rL/G": {"points": 1},
    },
)
def uniform(constant: str = "28", per: str = "6", net: str = "2", points: int = 2) -> Outcome:
    """See :func:`proofs_checks.paper_004.uniform_convergence.gradients`."""
    return uniform_convergence.gradients(constant, per, net, points)


@statement(
    "004 Lemma 4.1.4",
    lines="2980-2984",
    kind="approximation",
    printed="||v||_2 <= ||C||_2 ||v||_C, C symmetric",
    refuses={"0.49 ||C||_2 ||v||_C": {"share": "0.49"}},
)
def norm_comparison(share: str = "1") -> Outcome:
    """v = r w with r = ||v||_C and w in C; so is -w, hence 2 ||w|| <= ||C||_2.

    The radius, half the diameter, is enough.
    """
    r, w, diameter = reals("r w diameter")
    return derived(
        scaled=for_all(r * w <= rational(share) * diameter * r, r >= 0, w >= 0, 2 * w <= diameter)
    )


@statement(
    "004 (4.9)",
    lines="2988",
    kind="optimisation",
    printed="F(x_{t+1}) <= F(x_t) + gamma <grad F(x_t), v-x_t> + "
    "L||C||_2^2 gamma^2/2 ||v-x_t||_C^2",
    refuses={
        "a fifth of the last term": {"share": "1/5"},
        "L/3 ||x1-x2||^2": {"half": 3},
        "<grad F, v-x_t> without gamma": {"first": 0},
        "gamma for gamma^2": {"second": 1},
    },
)
def descent_in_minkowski_norm(
    share: str = "1", half: int = 2, first: int = 1, second: int = 2
) -> Outcome:
    """The quadratic upper bound at x_{t+1} - x_t = gamma (v - x_t), then Lemma 4.1.4.

    N = ||v - x_t||_2 is at most ||C||_2/2 times M = ||v - x_t||_C: a quarter is enough.
    Here change = F(x_{t+1}) - F(x_t).
    """
    size, gamma, norm, minkowski, diameter = reals("L gamma N M D")
    inner, along, change, rest = reals("inner along change rest")
    bound = size * diameter * diameter * gamma**second / 2 * minkowski * minkowski
    return derived(
        quadratic=convexity.quadratic_bound(half),
        norms=for_all(
            size / 2 * gamma * gamma * norm * norm <= rational(share) * bound,
            *(size > 0, gamma >= 0, norm >= 0, minkowski >= 0, diameter >= 0),
            2 * norm <= diameter * minkowski,
        ),
        slope=for_all(
            change <= gamma**first * inner + rest, along == gamma * inner, change <= along + rest
        ),
    )


@statement(
    "004 (4.10)",
    lines="2990-2996",
    kind="optimisation",
    printed="<v_t - v^_t, grad F(x_t)> <= <v_t - v^_t, -eps_t>",
    refuses={"half of <v_t - v^_t, -eps_t>": {"share": "1/2"}},
)
def noisy_minimiser(share: str = "1") -> Outcome:
    """v_t maximises <., -grad F - eps>: g and e are the products of v_t - v^_t with grad F, eps."""
    g, e = reals("g e")
    return derived(optimal=for_all(g <= -rational(share) * e, -g - e >= 0))


@any_statement(
    "004 (4.11)",
    lines="3024-3026",
    kind="optimisation",
    printed="<grad F(x) + eps + [grad w(x+) - grad w(x)]/gamma + p, u - x+> >= 0 for all x in C, "
    "some p in dr(x+)",
    checked="the same for all u in C",
    misprint="for all x in C, where u ranges over C",
    special_case_of="004 (3.10)",
    refuses={"grad w(x+) + grad w(x)": {"sign": -1}},
    unchecked={
        "C": "convex; u - x+ leads into it, and the steps have the slope along that",
        "d, r": "dr(x+) is the subdifferential; the steps have p, any element of it",
    },
)
def optimality_condition(sign: int = 1) -> Outcome:
    """(3.10) again: see :func:`proofs_checks.paper_004.convexity.optimality`."""
    return convexity.optimality(sign)


@any_statement(
    "004 Lemma 4.1.5",
    lines="3016-3030",
    kind="optimisation",
    printed="mirror step of modulus alpha with h: <grad F(x), x-x+> >= alpha/gamma ||x+-x||^2 + "
    "r(x+) - r(x) + <eps, x+-x>",
    checked="the same with r for h in the definition of x+, x in C",
    misprint="h for r in the definition of x+",
    special_case_of="004 Lemma 3.1.5",
    refuses={"1.1 alpha/gamma": {"factor": "1.1"}},
    unchecked={
        "h": "the misprint for r",
    },
)
def mirror_step(factor: str = "1") -> Outcome:
    """Lemma 3.1.5 again: see :func:`proofs_checks.paper_004.convexity.mirror_step`.

    Here change = r(x+) - r(x).
    """
    return every(convexity.optimality(), convexity.mirror_step(factor))


@statement(
    "004 l.3054 (score sensitivity)",
    lines="3054",
    kind="sensitivity",
    printed="Delta_u <= O(||C||_1 G/(n epsilon))",
    false="the 1/epsilon is spurious (a misprint of the proof: l.3768, beta on the same line and "
    "the box lack it)",
    errata=("diss-4.1.19/E1",),
)
def score_sensitivity_printed() -> Outcome:
    """A = {1, -1}, f = z x: ||C||_1 G/n is attained, epsilon times the printed value.

    Who calibrates to it makes each step a randomized response of log-odds epsilon epsilon_0/2.
    """
    epsilon, delta, steps = 8.0, 1e-4, 10
    odds = epsilon * printed_step_epsilon(epsilon, delta, n_iterations=steps) / 2
    point = {"A": [1.0, -1.0], "loss": "z x", "epsilon": epsilon, "T": steps, "constant": 1.0}
    exact = response_delta(epsilon, steps, odds)
    return refuted(point, exact, delta, "exact delta against delta")


def _first_odds(epsilon: float, delta: float, steps: int) -> float:
    """Log-odds of the first selection of the code on that example."""
    features = np.zeros((4, 1))
    features[0] = 1.0
    ledger = RecordingLedger(0)
    dp_frank_wolfe_l1(
        (features, np.ones(4)),
        Linear(feature_norm="l-infinity"),
        L1Ball(1.0),
        initial=[0.0],
        epsilon=epsilon,
        delta=delta,
        n_iterations=steps,
        ledger=ledger,
    )
    release = ledger.transcript.releases[0]
    assert release.value is not None
    down, up = (
        float(release.mechanism.log_density(np.asarray(k), release.value, 0)) for k in (1, 0)
    )
    return down - up


@score_sensitivity_printed.corrected(
    "Delta_u = 2 G max_A ||s||_1/n",
    refuses={
        "1.9 G max_A ||s||_1/n": {"factor": "1.9"},
        "G max_A ||s||_1/n": {"factor": "1"},
        "2 G max_A ||s||_1/n^2": {"records": 2},
        "max_A ||s||_inf": {"largest": True},
    },
    unchecked={
        "A": "the steps bound the score of each s in A",
    },
)
def score_sensitivity(factor: str = "2", records: int = 1, *, largest: bool = False) -> Outcome:
    """s (g - h)/n coordinate by coordinate, for gradients of size at most G [step "coordinate"].

    Over the coordinates these are 2 G ||s||_1/n [steps "sum", of two, d = g - h and c = 2 G, and
    "mean", change = Delta_u].
    The code's first selection attains it: its log-odds on A = {1, -1} are half the step's budget.
    """
    s, g, h, size = reals("s g h G")
    bounded = (z3.Abs(g) <= size, z3.Abs(h) <= size)
    first, second, total, n, change = reals("s_1 s_2 total n change")
    moved, other, bound = reals("d_1 d_2 c")
    one, two = z3.Abs(first), z3.Abs(second)
    norm = z3.If(one >= two, one, two) if largest else one + two
    odds = _first_odds(4.0, 0.01, 3)
    gap = abs(odds - exponential_step_epsilon(4.0, 0.01, releases=3) / 2)
    return derived(
        coordinate=for_all(s * (g - h) <= rational(factor) * size * z3.Abs(s), *bounded),
        sum=for_all(
            first * moved + second * other <= norm * bound,
            *(z3.Abs(moved) <= bound, z3.Abs(other) <= bound),
        ),
        mean=for_all(
            n**records * change <= bound,
            *(n >= 1, total <= bound, bound >= 0, n * change == total),
        ),
        attained=searched(gap, 1e-9, tried=1, what="log-odds off half the budget"),
    )


@statement(
    "004 (4.12)",
    lines="3054-3056",
    kind="concentration",
    printed="w.p. 1-eta/T: <x~_t, grad F> <= min_A <v, grad F> + beta, beta = O(G||C||_1 "
    "sqrt(8T log(1/delta)) log(|A|T/eta)/(n epsilon))",
    checked="with beta = (2 Delta_u/epsilon_0) log(|A|T/eta), Delta_u = G||C||_1/n",
    special_case_of="004 Lemma 2.1.3",
    refuses={
        "w.p. 1-eta/(2T)": {"failure": "1/2"},
        "half of beta": {"twice": 1},
        "sqrt(4T log(1/delta))": {"steps": 4},
        "w.p. 1-eta/T^2": {"rounds": 2},
    },
)
def selection_error(failure: str = "1", twice: int = 2, steps: int = 8, rounds: int = 1) -> Outcome:
    """Lemma 2.1.3 at t = ln(T/eta) [step "failure"], epsilon_0 = epsilon/sqrt(8 T a).

    Here a = log(1/delta). In 4.2.3, G is L.
    """
    size, width, T, a, n, epsilon, vertices, eta = symbols("G C T a n epsilon A eta")
    sensitivity, budget = size * width / n, epsilon / sp.sqrt(8 * T * a)
    beta = 2 * sensitivity / budget * (sp.log(vertices) + sp.log(T / eta))
    printed = 2 * size * width * sp.sqrt(steps * T * a) * sp.log(vertices * T / eta) / (n * epsilon)
    ratio = sp.expand_log(sp.log(vertices * T / eta) - sp.log(vertices) - sp.log(T / eta))
    general = exponential_mechanism_utility.of_printed
    assert general is not None
    return derived(
        selection=general.check(factor=failure, twice=twice),
        failure=identity((sp.exp(-sp.log(T / eta)), eta / T**rounds)),
        logarithm=identity((ratio, 0)),
        beta=identity((beta, sp.expand_log(printed, force=True))),
    )


@statement(
    "004 (4.13)",
    lines="3058-3066",
    kind="optimisation",
    printed="F(x_{t+1}) - F(x_t) + gamma gap_t <= gamma beta + L gamma^2/2 ||C||_2^2",
    refuses={"L gamma^2/3 ||C||_2^2": {"half": "1/3"}, "gamma beta/2": {"share": "1/2"}},
)
def frank_wolfe_descent(half: str = "1/2", share: str = "1") -> Outcome:
    """The quadratic upper bound at x_{t+1} - x_t = gamma (x~_t - x_t), of length <= ||C||_2.

    <grad F, x~_t - x_t> = inner is at most -gap_t + b by (4.12), b = beta. In 4.2.3, L is M.
    """
    change, gap, beta, size, gamma, diameter, norm, inner = reals("dF gap b L gamma D N inner")
    bound = rational(half) * size * gamma * gamma * diameter * diameter
    return derived(
        quadratic=convexity.quadratic_bound(),
        sum=for_all(
            change + gamma * gap <= rational(share) * gamma * beta + bound,
            *(size > 0, gamma > 0, diameter >= 0, norm >= 0, norm <= diameter, beta >= 0),
            change <= gamma * inner + size / 2 * gamma * gamma * norm * norm,
            inner <= -gap + beta,
        ),
    )
