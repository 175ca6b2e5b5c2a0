"""Sections 4.2.2 to 4.2.4: generalised linear models and robust regression by Frank-Wolfe.

a = ln(1/delta); C and c stand for C_sigma and c_sigma, or for C_psi and c_psi.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004 import convexity
from proofs_checks.paper_004.section_4_1_4 import frank_wolfe_error
from proofs_checks.paper_004.section_4_2_3_width import frank_wolfe_gap
from proofs_checks.paper_004.uniform_convergence import random_signs
from proofs_checks.statement import not_checkable, statement, twin
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
)

L2, L1 = "diss-4.2.21", "diss-4.2.22"
GAP_L2, GAP_L1 = ("diss-4.1.17",), ("diss-4.1.19",)  # diss-4.2.23 and diss-4.2.24 are these

not_checkable(
    "004 Assumption 4.2.2",
    lines="3277-3284",
    algorithms=(L2, L1),
    kind="assumption",
    printed="max{sigma', sigma''} <= C_sigma (>= 1), sigma' >= c_sigma > 0, |sigma| <= B on "
    "[-1, 1]; E[y|x] = sigma(<w*, x>)",
    reason="an assumption on the user's link and data",
)
not_checkable(
    "004 Assumption 4.2.3",
    lines="3286-3296",
    algorithms=(L2, L1),
    kind="assumption",
    printed="max{psi', psi''} <= C_psi (>= 1), psi' odd and positive for s > 0, h'(0) > c_psi > 0, "
    "y = <w*, x> + xi with symmetric xi",
    reason="an assumption on the user's loss and data; Lemma 4.2.6 needs more of it",
)


# ------------------------------------------------------------------------------------- DP-FW


def one_record(step: Callable[[float], float], rounds: int, gamma: float) -> float:
    """Return E over R and y of the excess risk of w_R on one record, d = 1 and x = 1.

    sigma(s) = s, y = 0 or 1 with probability 1/2 each (w* = 1/2): L_P(w) - L_P(w*) = (w - 1/2)^2;
    the loss of the record is (w - y)^2. ``step`` gives the vertex for a gradient.
    """
    total = 0.0
    for y in (0.0, 1.0):
        w = 0.5
        for _ in range(rounds):
            total += (w - 0.5) ** 2
            w += gamma * (step(2 * (w - y)) - w)
    return total / (2 * rounds)


def with_generalisation(twice: str = "2") -> Outcome:
    """<grad L_P, w-w*> = <grad L, w-w*> + <grad L_P - grad L, w-w*>, ||w-w*|| <= 2.

    The first is at most the gap of D, the second at most 2 sup ||grad L - grad L_P||; their means
    are E and inner, with gap = E gap_R.
    """
    population, empirical, gap, uniform, norm, inner = reals("P E gap sup norm inner")
    return derived(
        sum=for_all(
            population <= gap + rational(twice) * uniform,
            *(empirical <= gap, uniform >= 0, norm >= 0, norm <= 2),
            *(inner <= uniform * norm, population == empirical + inner),
        )
    )


def uniformly(slopes: str = "1", records: str = "1/2") -> Outcome:
    """E sup ||grad L - grad L_P|| <= 4 sqrt 2 (A + B) R: gradients phi(<w, x>) x, |phi| <= A.

    |phi'| <= B. Twice the Rademacher average of <u, x> phi(<w, x>) over u and w (symmetrisation).
    t phi(s) has slopes |phi| and |t phi'| <= B for |t| <= 1, thus the constant A + B [step
    "slopes"]; by contraction for vectors (Maurer 2016) it is at most sqrt 2 (A + B) times twice the
    average R of <w, x>, at most 1/sqrt(n) in l2 [step "linear"] and sqrt(2 ln(2d)/n) for the l1
    ball (Massart's lemma, cited).
    """
    t, phi, bent, most, curved = reals("t phi phi' A B")
    size = rational(slopes) * (most + curved)
    return derived(
        slopes=for_all(
            phi * phi + t * t * bent * bent <= size * size,
            *(most >= 0, curved >= 0, t * t <= 1, phi * phi <= most * most),
            bent * bent <= curved * curved,
        ),
        linear=random_signs(records),
    )


def absorbed(most: str) -> Outcome:
    """u/sqrt(n) <= v q/sqrt(n epsilon), h = sqrt(epsilon) <= 1 <= q: the sup is within the bound.

    l2: u = v = 1 and q = (d a)^{1/4}; l1: u = sqrt(ln(2d)), v = sqrt(ln(nd/eta)), q = a^{1/4}.
    """
    u, v, q, h = reals("u v q h")
    given = (u > 0, u <= v, q >= 1, h > 0, h * h <= rational(most))
    return for_all(u * h <= v * q, *given)


EXCESS = "at most C/(2c) times P, by Lemma 4.2.5 or 4.2.6"
LOOSE = {"sup instead of 2 sup": {"twice": "1"}}
RANGE = "(as epsilon grows at fixed n the bound vanishes, but not the excess risk)"
ROBUST = "for robust regression inf h(s)/s >= c_psi over 0 < s <= 2 (Lemma 4.2.6), not at 0 alone"


@statement(
    "004 Theorem 4.2.5",
    lines="3313-3315",
    algorithms=(L2,),
    kind="utility",
    printed="DP-FW-L2: Err_P(w_R) <= O((d ln(1/delta))^{1/4}/sqrt(n epsilon)), gamma of that "
    "order, T = O(n epsilon/sqrt(d ln(1/delta)))",
    added=f"epsilon <= 1 <= d ln(1/delta) {RANGE}",
    repair=ROBUST,
    errata=("diss-4.2.21/E3",),
    refuses={
        **LOOSE,
        "epsilon <= 4": {"most": "4"},
        "every epsilon": {"small": False},
        "0.9 (A + B)": {"slopes": "0.9"},
        "M~ gamma^2 D^2/2 in the gap": {"smooth": "1/2"},
        "(d ln(1/delta))^{1/8}": {"power": 8},
        "sqrt(d) for d": {"dimensions": "1/2"},
        "E sup of order 1/n in the proof": {"sup": "1"},
    },
    unchecked={
        "Err_P": EXCESS,
    },
)
def euclidean_risk(
    twice: str = "2",
    most: str = "1",
    slopes: str = "1",
    smooth: str = "1",
    power: int = 4,
    dimensions: str = "1",
    sup: str = "1/2",
    *,
    small: bool = True,
) -> Outcome:
    """The gap (4.47), W = 4 + G_C^2 <= 5 d on the unit ball [step "ball"], and 2 E sup.

    The latter is of order 1/sqrt(n), see :func:`uniformly`; both times C/(2c) (Lemma 4.2.5).
    """
    if not small:
        return euclidean_risk_of_one_record()
    width, d, root = reals("G_C2 d sqrt_d")
    general = frank_wolfe_gap.of_printed
    assert general is not None
    return derived(
        gap=general.check(smooth=smooth, power=power),
        ball=for_all(
            4 + width <= 5 * (d if dimensions == "1" else root),
            *(d >= 1, width <= d, root >= 1, root * root == d),
        ),
        population=with_generalisation(twice),
        uniform=uniformly(slopes, sup),
        absorbed=absorbed(most),
    )


def euclidean_risk_of_one_record() -> Outcome:
    """See :func:`one_record`: C = B = 1; the noise of the theorem with c_2 = 4 (11.66)."""
    rng = np.random.default_rng(0)
    epsilon, a = 1e4, math.log(100)
    rounds, gamma = round(epsilon / math.sqrt(a)), a**0.25 / math.sqrt(epsilon)
    scale = math.sqrt(4 * 11.66 * 4 * rounds * a) / epsilon
    noise = iter(scale * rng.standard_normal(2 * rounds))
    excess = one_record(lambda g: -math.copysign(1.0, g + next(noise)), rounds, gamma)
    point = {"n": 1, "d": 1, "x": 1, "y": "0 or 1", "sigma(s)": "s", "epsilon": epsilon,
             "delta": 0.01, "T": rounds}  # fmt: skip
    return refuted(point, excess, 10 * gamma, "excess risk against 10 times the bound")


@statement(
    "004 l.3693 (expectation over the data)",
    lines="3693",
    algorithms=(L2, L1),
    kind="utility",
    printed="E gap_R >= E<grad L_P(w_R), w_R - w*>, by the expectation over the data",
    false="w_R depends on D",
    errata=("diss-4.2.21/E2",),
)
def expectation_over_data() -> Outcome:
    """:func:`one_record` at its minimiser w = y: the gap is 0, 2 E(y - 1/2)^2 is 1/2."""
    inner = sum((2 * (y - Fraction(1, 2)) ** 2 for y in (0, 1)), Fraction(0)) / 2
    point = {"n": 1, "d": 1, "x": 1, "y": "0 or 1", "sigma(s)": "s", "w_R": "the minimiser y"}
    return refuted(point, inner, Fraction(0), "E<grad L_P, w-w*> against the gap")


@expectation_over_data.corrected(
    "E gap_R + 2 E sup ||grad L - grad L_P|| >= E<grad L_P(w_R), w_R - w*>", refuses=LOOSE
)
def expectation_corrected(twice: str = "2") -> Outcome:
    """See :func:`with_generalisation`."""
    return with_generalisation(twice)


@statement(
    "004 Theorem 4.2.6",
    lines="3337",
    algorithms=(L1,),
    kind="utility",
    printed="DP-FW-L1: w.p. 1-eta, Err_P(w_R) <= O(ln(1/delta)^{1/4} sqrt(ln(nd/eta))/sqrt(n "
    "epsilon))",
    added=f"epsilon <= 1 <= ln(1/delta), n >= 2 eta {RANGE}",
    repair=ROBUST,
    errata=("diss-4.2.21/E3",),
    refuses={
        **LOOSE,
        "epsilon <= 4": {"most": "4"},
        "every epsilon": {"small": False},
        "ln(1/delta)^{1/8}": {"power": 8},
        "ln(d/eta)": {"records": 0},
    },
    unchecked={
        "Err_P": EXCESS,
    },
)
def vertex_risk(
    twice: str = "2", most: str = "1", power: int = 4, records: int = 1, *, small: bool = True
) -> Outcome:
    """As Theorem 4.2.5, ||w-w*||_1 <= 2: the gap (4.8) with 2d vertices, the l1 case of the sup.

    ln(2d) is at most ln(nd/eta) [step "supremum"], ln(2nd/eta) at most twice that [step
    "logarithm"].
    """
    if not small:
        return vertex_risk_of_one_record()
    n, d, eta = reals("n d eta")
    claimed = n**records * d
    sizes = (n >= 1, d >= 1, eta > 0, eta <= 1, n >= 2 * eta)
    general = frank_wolfe_error.of_printed
    assert general is not None
    return derived(
        gap=general.check(power),
        supremum=for_all(2 * d * eta <= claimed, *sizes),
        logarithm=for_all(2 * n * d * eta <= claimed * claimed, *sizes),
        population=with_generalisation(twice),
        uniform=uniformly(),
        absorbed=absorbed(most),
    )


def vertex_risk_of_one_record() -> Outcome:
    """See :func:`one_record`: selections of sensitivity 4 between 1 and -1, eta = .1."""
    rng = np.random.default_rng(0)
    epsilon, a, failure = 1e4, math.log(100), math.log(10)
    rounds = round(epsilon / (math.sqrt(a) * failure))
    budget = epsilon / math.sqrt(8 * rounds * a)
    logistic = iter(rng.logistic(size=2 * rounds))  # the difference of two Gumbel variables

    def select(g: float) -> float:
        return -math.copysign(1.0, budget * 2 * g / (2 * 4) + next(logistic))

    excess = one_record(select, rounds, math.sqrt(2 / rounds))
    bound = a**0.25 * math.sqrt(failure / epsilon)
    point = {"n": 1, "d": 1, "x": 1, "y": "0 or 1", "sigma(s)": "s", "epsilon": epsilon,
             "delta": 0.01, "T": rounds}  # fmt: skip
    return refuted(point, excess, 5 * bound, "excess risk against 5 times the bound")


# ------------------------------------------------------------------- generalised linear model


@statement(
    "004 Lemma 4.2.5",
    lines="3667-3677",
    algorithms=(L2, L1),
    kind="approximation",
    printed="L_P(w) - L_P(w*) <= C_sigma/(2 c_sigma) <grad L_P(w), w-w*>",
    refuses={"C_sigma/(4 c_sigma)": {"half": 4}, "1/2": {"constant": 0}},
    unchecked={
        "L_P": "its excess and its slope are the means of q^2 and of 2 q sigma'(s) u",
    },
)
def linear_model(half: int = 2, constant: int = 1) -> Outcome:
    """For every x: q = |sigma(s) - sigma(t)|, c u <= q <= C u, u = |s - t|, slope sigma'(s) >= c.

    Here C = C_sigma and c = c_sigma.

    The excess is E q^2 and the inner product E 2 q sigma'(s) u; sigma increases.
    """
    q, u, slope, most, least = reals("q u slope C c")
    factor = most if constant else least
    return derived(
        pointwise=for_all(
            half * least * q * q <= factor * 2 * q * slope * u,
            *(u >= 0, least > 0, most >= least, q >= least * u, q <= most * u, slope >= least),
        )
    )


FACTOR = "the factor 2 of the squared loss is lost (Lemma 4.2.5 has it)"


def squared_loss(gradient: str = "2", hessian: str = "2") -> Outcome:
    """|2 (sigma - y) sigma'| <= 2 C (B+1), |2 sigma'^2 + 2 sigma'' (sigma - y)| <= 2(C^2 + C(B+1)).

    y is 0 or 1; a norm of x (or of x x^T) is at most 1, and C = C_sigma.
    """
    value, y, slope, second, bound, size = reals("sigma y slope second B C")
    given = (
        *(value <= bound, -value <= bound, y >= 0, y <= 1, size >= 1, bound > 0),
        *(slope <= size, -slope <= size, second <= size, -second <= size),
    )
    first = 2 * (value - y) * slope
    curvature = 2 * slope * slope + 2 * second * (value - y)
    large = rational(gradient) * size * (bound + 1)
    curved = rational(hessian) * (size * size + size * (bound + 1))
    return derived(
        above=for_all(first <= large, *given),
        below=for_all(-first <= large, *given),
        convex=for_all(curvature <= curved, *given),
        concave=for_all(-curvature <= curved, *given),
    )


SMALLER = {"1.9 C(B+1)": {"gradient": "1.9"}, "1.9 (C^2 + C(B+1))": {"hessian": "1.9"}}


@statement(
    "004 (4.50)",
    lines="3683-3689",
    algorithms=(L2,),
    kind="sensitivity",
    printed="||grad L||_2 <= C_sigma(B+1), ||Hessian||_2 <= C_sigma^2 + C_sigma(B+1)",
    false=FACTOR,
    errata=("diss-4.2.21/E1",),
)
def linear_model_gradient() -> Outcome:
    """sigma(s) = s (C = B = 1), ||w|| = 1, x = -w, y = 1: 2 (sigma - y) = -4."""
    left = abs(2 * (Fraction(-1) - 1) * 1)
    point = {"sigma(s)": "s", "C_sigma": 1, "B": 1, "<w, x>": -1, "y": 1}
    return refuted(point, left, 2, "gradient norm against C(B+1)")


@linear_model_gradient.corrected("2 C_sigma(B+1), 2(C_sigma^2 + C_sigma(B+1))", refuses=SMALLER)
def linear_model_gradient_corrected(gradient: str = "2", hessian: str = "2") -> Outcome:
    """See :func:`squared_loss`."""
    return squared_loss(gradient, hessian)


@statement(
    "004 l.3790-3806 (l1 gradient)",
    lines="3790-3806",
    algorithms=(L1,),
    kind="sensitivity",
    printed="||grad l||_inf <= C_sigma(B+1), and C_sigma^2 + C_sigma(B+1) smooth in the l1 norm",
    false=FACTOR,
    errata=("diss-4.2.22/E1",),
)
def vertex_gradient() -> Outcome:
    """sigma(s) = s, w = -e_1, x = e_1 (||x||_inf = 1), y = 1."""
    left = abs(2 * (Fraction(-1) - 1) * 1)
    point = {"sigma(s)": "s", "C_sigma": 1, "B": 1, "w": "-e_1", "x": "e_1", "y": 1}
    return refuted(point, left, 2, "largest entry against C(B+1)")


@vertex_gradient.corrected("2 C_sigma(B+1), 2(C_sigma^2 + C_sigma(B+1))", refuses=SMALLER)
def vertex_gradient_corrected(gradient: str = "2", hessian: str = "2") -> Outcome:
    """See :func:`squared_loss`; |<w_1-w_2, x>| <= ||w_1-w_2||_1."""
    return squared_loss(gradient, hessian)


# ---------------------------------------------------------------------------- robust regression


@statement(
    "004 (4.51)",
    lines="3701-3709",
    algorithms=(L2, L1),
    kind="approximation",
    printed="L_P(w) - L_P(w*) <= <grad L_P(w*), w-w*> + C_psi/2 E<w-w*, x>^2",
    refuses={"C_psi/3": {"half": 3}, "E|<w-w*, x>|": {"power": 1}},
    unchecked={
        "L_P": "a mean of losses; the steps have one of them",
    },
)
def robust_smoothness(half: int = 2, power: int = 2) -> Outcome:
    """psi'' <= C_psi: :func:`proofs_checks.paper_004.convexity.quadratic_bound`, then E.

    Towards w, psi(<., x> - y) bends by psi'' <w-w*, x>^2 [step "bend"]; in the bound L = C_psi.
    """
    t, slope, rest = sp.symbols("t s rest", real=True)
    psi = sp.exp(t * slope - rest)  # psi'' = psi; the exponentials span the others
    return derived(
        bend=identity((sp.diff(psi, t, 2), slope**power * psi)),
        bound=convexity.quadratic_bound(half),
    )


@statement(
    "004 Lemma 4.2.6",
    lines="3711-3725",
    algorithms=(L2, L1),
    kind="approximation",
    printed="L_P(w) - L_P(w*) <= C_psi/(2 c_psi) <grad L_P(w), w-w*>",
    false="h(s)/s >= c_psi does not follow from h'(0) >= c_psi: not for a redescending psi",
    errata=("diss-4.2.21/E3",),
)
def biweight() -> Outcome:
    """Biweight with c = 2.1, no noise, x = w* (norm 1), w = -w*: s = -2, C_psi = 1, c_psi = .9.

    psi''(0) = 1 > c_psi, psi' > 0 on (0, 2].
    """
    c, s = Fraction(21, 10), Fraction(2)
    inside = 1 - (s / c) ** 2
    excess, slope = c**2 / 6 * (1 - inside**3), s * inside**2
    right = slope * s / (2 * Fraction(9, 10))
    point = {"psi": "biweight, c = 2.1", "Y": 1, "xi": 0, "x": "w*", "w": "-w*", "c_psi": 0.9}
    return refuted(point, excess, right, "excess risk against the right side")


@biweight.corrected(
    "the same with c_psi = inf h(s)/s over 0 < |s| <= 2", refuses={"C_psi/(3 c_psi)": {"half": 3}}
)
def robust_model(half: int = 2) -> Outcome:
    """(4.51) with grad L_P(w*) = 0, against <grad L_P(w), w-w*> = E h(s) s >= c_psi E s^2.

    psi' is odd and xi symmetric, so that grad L_P(w*) = E psi'(-xi) x = 0.
    Here inner = E h(s) s and c = c_psi.
    """
    excess, square, inner, most, least = reals("excess square inner C c")
    return derived(
        smooth=convexity.quadratic_bound(),
        sum=for_all(
            half * least * excess <= most * inner,
            *(square >= 0, least > 0, most > 0, inner >= least * square),
            2 * excess <= most * square,
        ),
    )


# ------------------------------------------------------------- what section 4.1 says already

twin("004 Lemma 4.2.3", of="004 Lemma 2.1.3", lines="3557-3559", algorithms=GAP_L1)
twin("004 Definition 4.2.2", of="004 Definition 4.1.2", lines="3599", algorithms=GAP_L2)
twin("004 Definition 4.2.3", of="004 Definition 4.1.3", lines="3601-3603", algorithms=GAP_L2)
twin("004 Lemma 4.2.4", of="004 Lemma 4.1.4", lines="3629-3635", algorithms=GAP_L2)
twin(
    "004 (4.48)",
    of="004 (4.9)",
    lines="3637-3639",
    algorithms=GAP_L2,
    printed="F(w_{t+1}) <= F(w_t) + gamma <grad F(w_t), v_t-w_t> + M||C||_2^2 gamma^2/2 "
    "||v_t-w_t||_C^2",
)
twin(
    "004 (4.49)",
    of="004 (4.10)",
    lines="3641-3647",
    algorithms=GAP_L2,
    printed="<v_t - v^_t, grad F(w_t)> <= <v_t - v^_t, -eps_t>",
)
twin(
    "004 Definition 4.2.4",
    of="004 Definition 4.0.1",
    lines="3735",
    algorithms=GAP_L1,
    printed="|l(w1, z) - l(w2, z)| <= L ||w1-w2||_1",
)
twin(
    "004 Definition 4.2.5",
    of="004 Definition 4.0.2",
    lines="3737-3741",
    algorithms=GAP_L1,
    printed="||grad l(w1, z) - grad l(w2, z)||_inf <= M ||w1-w2||_1, which yields the quadratic "
    "upper bound",
    unchecked={
        "M": "4.0 calls it L, and so do the steps",
    },
)
twin(
    "004 Assumption 4.2.4",
    of="004 Assumption 4.1.4",
    lines="3743",
    algorithms=GAP_L1,
    printed="L is M-smooth and l(., z) L-Lipschitz in l1, C = Conv(A), A finite",
)
twin(
    "004 Theorem 4.2.14",
    of="004 Theorem 4.1.6",
    lines="3762",
    algorithms=GAP_L1,
    printed="for any epsilon, delta > 0, DP-FW-L1 with epsilon_0 = epsilon/sqrt(8 T ln(1/delta)) "
    "is (epsilon, delta)-DP",
)


@statement(
    "004 (4.52)",
    lines="3762-3764",
    algorithms=GAP_L1,
    kind="utility",
    printed="w.p. 1-eta: E gap_R <= O(||C||_1 sqrt(ln(1/delta)) sqrt(ln(n|A|/eta))/sqrt(n "
    "epsilon)), gamma = sqrt(2/(M T ||C||_1^2))",
    checked="with ln(1/delta)^{1/4}, which is less for ln(1/delta) >= 1",
    added="T <= n, or else ln(|A|T/eta) for ln(|A|n/eta) in the bound",
    refuses={
        "ln(1/delta)^{1/8}": {"power": 8},
        "gamma M ||C||_1^2/4 in the bound": {"smooth": "1/4"},
        "ln(|A|/eta)": {"records": 0},
        "||C||_1^2": {"diameters": 2},
        "w.p. 1-eta/2": {"failure": "1/2"},
    },
)
def frank_wolfe_gap_l1(
    power: int = 4,
    smooth: str = "1/2",
    records: int = 1,
    diameters: int = 1,
    failure: str = "1",
) -> Outcome:
    """See (4.8), L is M here, which gamma contains, and D = ||C||_1.

    Here gaps = T E gap_R and a = log(1/delta).
    """
    general = frank_wolfe_error.of_printed
    assert general is not None
    return derived(general=general.check(power, smooth, records, diameters, failure, curvature=1))


twin(
    "004 (4.53)",
    of="004 (4.12)",
    lines="3768-3770",
    algorithms=GAP_L1,
    printed="w.p. 1-eta/T: <w~_t, grad F> <= min_A <v, grad F> + beta, beta = O(L||C||_1 "
    "sqrt(8T ln(1/delta)) ln(|A|T/eta)/(n epsilon))",
)
twin(
    "004 (4.54)",
    of="004 (4.13)",
    lines="3778",
    algorithms=GAP_L1,
    printed="F(w_{t+1}) - F(w_t) + gamma gap_t <= gamma beta + M gamma^2/2 ||C||_1^2",
)
